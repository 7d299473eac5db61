//! An opened model call: the whole request and reply, as a tree or as the recorded JSON.

use serde_json::{Value, json};

use crate::overlays::{Form, payload};
use crate::prelude::*;
use crate::screens::everywhere::turned;
use crate::view::exchange as conversation;
use run::model::{Arguments, Content, Form as Wanted, Said};
use run::transcript::ExchangeEnd;
use run::{CallId, ModelRequest, Reply, transcript};

#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    pub call: CallId,
    pub form: Form,
    pub scroll: usize,
}

pub static SCREEN: Screen = Screen { keys: &payload::KEYS, on, draw, scroll, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Exchange(Exchange { call, form, scroll }) = &mut ui.overlay else { return None };
    match action {
        Action::Next | Action::Previous => {
            let assignment = run.assignment(call.assignment)?;
            let calls: Vec<CallId> = assignment.transcript.exchanges().map(|exchange| exchange.call).collect();
            let at = calls.iter().position(|known| known == call).unwrap_or(0);
            *call = calls.get(turned(action, at, calls.len())).copied().unwrap_or(*call);
            *scroll = 0;
        }
        Action::Form => (*form, *scroll) = (form.other(), 0),
        Action::Copy => {
            let copied = select::exchange(run, *call).map(|exchange| as_json(exchange).to_string());
            return Some(copied.map(|text| Effect::Copy { what: "the exchange", text }).into_iter().collect());
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn scroll(ui: &mut Ui) -> Option<&mut usize> {
    let Overlay::Exchange(exchange) = &mut ui.overlay else { return None };
    Some(&mut exchange.scroll)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    matches!(&ui.overlay, Overlay::Exchange(exchange) if select::exchange(run, exchange.call).is_none())
}

/// Request and reply as recorded, cleaned: a server's text may hold control characters.
fn as_json(exchange: &transcript::Exchange) -> Clean {
    let reply = exchange.reply().map(|reply| &**reply);
    let recorded = serde_json::json!({ "call": exchange.call, "request": &*exchange.request, "reply": reply });
    // Plain data with string keys: writing it as JSON cannot fail.
    Clean::new(&serde_json::to_string_pretty(&recorded).unwrap_or_default())
}

fn draw(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Exchange(Exchange { call, form, scroll }) = ui.overlay else { return Seen::default() };
    let (Some(asked), Some(assignment)) = (select::exchange(run, call), run.assignment(call.assignment)) else {
        return Seen::default();
    };
    let calls: Vec<CallId> = assignment.transcript.exchanges().map(|exchange| exchange.call).collect();
    let at = calls.iter().position(|known| *known == call).map_or(0, |at| at + 1);
    let dim = theme.style(Scope::Dim);
    let title = vec![
        theme.span(format!("call {call}"), Scope::Title),
        Span::styled(format!("  {}", flat(&asked.request.model.to_string())), dim),
    ];
    let form_name = form.name();
    let right = Span::styled(format!("{at} of {}  {form_name}", calls.len()), dim);
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let cells = usize::from(inner.width);
    let lines = cache.lines(format!("exchange {call} {form_name}"), run.seq, inner.width, || match form {
        Form::Tree => tree(run, asked, cells, theme),
        Form::Raw => rows(&as_json(asked), cells, theme.style(Scope::Text), &[]),
    });
    paint::scrolled(buf, inner, &lines, scroll, dim)
}

fn tree(run: &Run, asked: &transcript::Exchange, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), cells, theme };
    let assignment = run.assignment(asked.call.assignment);
    let before = assignment.map_or(0, |by| by.transcript.conversation(asked.call).len().max(1) - 1);
    if before > 0 {
        page.heading("→", "said before", &format!("{}, sent again", count(before, "round")));
    }
    page.request(&asked.request);
    for attempt in &asked.attempts {
        let Some(fault) = &attempt.fault else { continue };
        page.heading("!", &format!("attempt {}", attempt.n), "");
        page.value(&serde_json::to_value(fault).unwrap_or_default());
    }
    match &asked.end {
        ExchangeEnd::Answered(reply) => {
            let rates = assignment.and_then(|assignment| conversation::rates(run, assignment));
            page.heading("←", "answer", &conversation::figures(reply, rates));
            page.reply(reply);
        }
        ExchangeEnd::Failed(why) => {
            page.heading("✗", "given up", "");
            page.text(why, theme.style(Scope::Text));
        }
        ExchangeEnd::Refused(refusal) => page.heading("✗", "not sent", &format!("it would have passed {refusal}")),
        ExchangeEnd::InDoubt => page.heading("◆", "in doubt", "it was sent, and its outcome is unknown"),
        ExchangeEnd::Queued | ExchangeEnd::Pending => page.heading("○", "no answer yet", ""),
    }
    page.lines
}

struct Page<'a> {
    lines: Vec<Line<'static>>,
    cells: usize,
    theme: &'a Theme,
}

impl Page<'_> {
    fn heading(&mut self, symbol: &str, name: &str, note: &str) {
        self.lines.push(Line::from(vec![
            self.theme.span(format!("{symbol} {}", flat(name)), Scope::Focus),
            self.theme.span(format!("  {}", flat(note)), Scope::Dim),
        ]));
    }

    fn text(&mut self, text: &str, style: Style) {
        for mut line in rows(text, self.cells.saturating_sub(2), style, &[]) {
            line.spans.insert(0, self.theme.span("│ ", Scope::Border));
            self.lines.push(line);
        }
    }

    fn value(&mut self, value: &Value) {
        payload::branch(value, 1, self.cells, self.theme, &mut self.lines);
    }

    fn request(&mut self, request: &ModelRequest) {
        let text = self.theme.style(Scope::Text);
        for said in &request.said {
            match said {
                Said::System { text: message } | Said::User { text: message } => {
                    let name = if matches!(said, Said::System { .. }) { "instructions" } else { "message" };
                    self.heading("→", name, &bytes(message.len()));
                    self.text(message, text);
                }
                Said::Results { results } => {
                    for result in results {
                        let failed = if result.failed { ", failed" } else { "" };
                        let note =
                            format!("of {} ({}), {}{failed}", result.name, result.call, bytes(result.text.len()));
                        self.heading("→", "result", &note);
                        self.text(&result.text, text);
                    }
                }
            }
        }
        if !request.offers.is_empty() {
            self.heading("→", "tools on offer", &request.offers.len().to_string());
            for offer in request.offers.iter() {
                self.text(&format!("{}: {}", offer.name, offer.description), text);
                self.text(&text::Clean::line(&offer.schema.to_string()), self.theme.style(Scope::Dim));
            }
        }
        let effort = request.thinking.effort.map(|effort| format!(", effort {effort}")).unwrap_or_default();
        let most = format!("at most {} tokens{effort}", request.max_tokens);
        match &request.form {
            Wanted::Free => self.heading("→", "form", &format!("free; {most}")),
            Wanted::Tool { name } => self.heading("→", "form", &format!("it has to call {name}; {most}")),
            Wanted::Json { name, schema } => {
                self.heading("→", "form", &format!("JSON of the schema {name}; {most}"));
                self.value(schema);
            }
        }
    }

    fn reply(&mut self, reply: &Reply) {
        let (text, dim) = (self.theme.style(Scope::Text), self.theme.style(Scope::Dim));
        for content in &reply.content {
            match content {
                Content::Text { text: message } => self.text(message, text),
                Content::Thinking { text: message } => self.text(&format!("thinks: {message}"), dim),
                Content::Call { name, arguments: Arguments::Whole(value), id } => {
                    self.text(&format!("calls {name} ({id})"), text);
                    payload::branch(value, 2, self.cells, self.theme, &mut self.lines);
                }
                Content::Call { name, arguments, .. } => self.text(&conversation::called(name, arguments), text),
                Content::Other { kind } => self.text(&format!("({kind})"), dim),
            }
        }
        self.heading("←", "as reported", "");
        self.value(&json!({
            "stop": reply.stop,
            "usage": reply.usage,
            "served by": reply.served_by,
            "request id": reply.request_id,
            "first piece after": format!("{} ms", reply.first_ms),
        }));
    }
}
