//! An opened exchange: what was said to a model and what it answered, to the letter, as a tree or as it was recorded.
//!
//! ```text
//! ┌ call k3.2  anthropic/claude-sonnet-5-5 ───────────────── 2 of 4  tree ┐
//! │ → instructions  2.1 kB                                                │
//! │ │ You are a researcher …                                              │
//! │ → offers  3                                                           │
//! │ │ search  finds passages                                              │
//! │ ← answer                                                              │
//! │ │ I have what I need.                                                 │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::{Value, json};

use crate::keymap::Action;
use crate::measure::{flat, rows};
use crate::overlays::{Form, Overlay, payload};
use crate::screens::Screen;
use crate::screens::everywhere::turned;
use crate::select;
use crate::theme::{Scope, Theme};
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::exchange as conversation;
use crate::view::paint::{self, Wrapped, bytes, count};
use crate::view::{Cache, Scene};
use run::model::{Arguments, Content, Form as Wanted, Said};
use run::transcript::ExchangeEnd;
use run::{CallId, ModelRequest, Reply, Run, transcript};
use text::Clean;

/// What was said to a model and what it answered, to the letter.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Which call.
    pub call: CallId,
    /// How it is shown.
    pub form: Form,
    /// First line shown.
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

/// The request and the answer as they are recorded. What a server sent is not clean; what is shown and copied is.
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
        Span::styled(format!("call {call}"), theme.style(Scope::Title)),
        Span::styled(format!("  {}", flat(&asked.request.model.to_string())), dim),
    ];
    let form_name = form.name();
    let right = vec![Span::styled(format!("{at} of {}  {form_name}", calls.len()), dim)];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    let cells = usize::from(inner.width);
    let name = Wrapped {
        of: format!("exchange {call} {form_name} of {:?}", run.opening.as_ref().map(|opening| &opening.run)),
        version: conversation::version(asked) as u64,
        width: inner.width,
    };
    let lines = cache.lines(name, || match form {
        Form::Tree => tree(run, asked, cells, theme),
        Form::Raw => rows(&as_json(asked), cells, theme.style(Scope::Text), &[]),
    });
    paint::scrolled(buf, inner, &lines, scroll, dim)
}

fn tree(run: &Run, asked: &transcript::Exchange, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), cells, theme };
    let before = run.assignment(call_of(asked)).map_or(0, |a| a.transcript.conversation(asked.call).len().max(1) - 1);
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
            let rates = run.assignment(call_of(asked)).and_then(|assignment| conversation::rates(run, assignment));
            page.heading("←", "answer", &conversation::figures(reply, rates));
            page.reply(reply);
        }
        ExchangeEnd::Failed(why) => {
            page.heading("✗", "given up", "");
            page.text(why, theme.style(Scope::Text));
        }
        ExchangeEnd::Refused(refusal) => page.heading("✗", "not sent", &format!("it would have passed {refusal}")),
        ExchangeEnd::InDoubt => page.heading("◆", "in doubt", "it was sent, and nobody saw its end"),
        ExchangeEnd::Queued | ExchangeEnd::Pending => page.heading("○", "no answer yet", ""),
    }
    page.lines
}

fn call_of(asked: &transcript::Exchange) -> run::AssignmentId {
    asked.call.assignment
}

struct Page<'a> {
    lines: Vec<Line<'static>>,
    cells: usize,
    theme: &'a Theme,
}

impl Page<'_> {
    fn heading(&mut self, symbol: &str, name: &str, note: &str) {
        self.lines.push(Line::from(vec![
            Span::styled(format!("{symbol} {}", flat(name)), self.theme.style(Scope::Focus)),
            Span::styled(format!("  {}", flat(note)), self.theme.style(Scope::Dim)),
        ]));
    }

    fn text(&mut self, text: &str, style: Style) {
        for line in rows(text, self.cells.saturating_sub(2), style, &[]) {
            let mut spans = vec![Span::styled("│ ", self.theme.style(Scope::Border))];
            spans.extend(line.spans);
            self.lines.push(Line::from(spans));
        }
    }

    fn value(&mut self, value: &Value) {
        payload::branch(value, 1, self.cells, self.theme, &mut self.lines);
    }

    fn request(&mut self, request: &ModelRequest) {
        let text = self.theme.style(Scope::Text);
        for said in &request.said {
            match said {
                Said::System { text: told } => {
                    self.heading("→", "instructions", &bytes(told.len()));
                    self.text(told, text);
                }
                Said::User { text: told } => {
                    self.heading("→", "message", &bytes(told.len()));
                    self.text(told, text);
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
            for offer in &request.offers {
                self.text(&format!("{}: {}", offer.name, offer.description), text);
                self.text(&text::Clean::line(&offer.schema.to_string()), self.theme.style(Scope::Dim));
            }
        }
        let most = format!("at most {} tokens", request.max_tokens);
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
                Content::Text { text: told } => self.text(told, text),
                Content::Thinking { text: told } => self.text(&format!("thinks: {told}"), dim),
                Content::Call { name, arguments: Arguments::Whole(value), id } => {
                    self.text(&format!("calls {name} ({id})"), text);
                    payload::branch(value, 2, self.cells, self.theme, &mut self.lines);
                }
                Content::Call { name, arguments, .. } => self.text(&conversation::called(name, arguments), text),
                Content::Other { kind } => self.text(&format!("({kind})"), dim),
            }
        }
        self.heading("←", "as it was told", "");
        self.value(&json!({
            "stop": reply.stop,
            "usage": reply.usage,
            "served by": reply.served_by,
            "request id": reply.request_id,
            "first piece after": format!("{} ms", reply.first_ms),
        }));
    }
}
