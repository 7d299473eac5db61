//! Lays out a model call within a transcript: the request in a line, failed attempts, the reply, its cost.

use serde_json::Value;

use super::transcript::Page;
use crate::measure::wrap;
use crate::prelude::*;
use run::attempt::Class;
use run::model::{Arguments, Content, Form, Reply, Said, StopReason, ToolAnswer, Usage};
use run::price::Rates;
use run::transcript::{Exchange, ExchangeEnd};
use run::{Assignment, ModelRequest};

/// Lines of thinking that are shown; the opened exchange has all.
const MOST_THOUGHT: usize = 2;

pub fn rates<'a>(run: &'a Run, assignment: &Assignment) -> Option<&'a Rates> {
    run.model_of(assignment)?.rates.as_ref()
}

pub fn said(request: &ModelRequest) -> String {
    let (mut system, mut messages, mut results, mut failed) = (false, 0, 0, 0);
    for said in &request.said {
        match said {
            Said::System { .. } => system = true,
            Said::User { .. } => messages += 1,
            Said::Results { results: all } => {
                results += all.len();
                failed += all.iter().filter(|result| result.failed).count();
            }
        }
    }
    let named = [
        (system, "instructions".to_string()),
        (messages > 0, count(messages, "message")),
        (results > 0, format!("results of {}", count(results, "call"))),
        (failed > 0, format!("{failed} of them failed")),
        (!system && messages + results == 0, "go on".into()),
    ];
    let mut parts: Vec<String> = named.into_iter().filter(|(there, _)| *there).map(|(_, part)| part).collect();
    parts.push(bytes(request.said.iter().map(Said::bytes).sum()));
    match &request.form {
        Form::Free => {}
        Form::Tool { name } => parts.push(format!("it has to call {}", flat(name))),
        Form::Json { .. } => parts.push("it has to answer as JSON".into()),
    }
    parts.join(", ")
}

/// Time, tokens and money of a reply; estimates are marked with `~`.
pub fn figures(reply: &Reply, rates: Option<&Rates>) -> String {
    let usage = &reply.usage;
    let about = if usage.estimated { "~" } else { "" };
    let mut message = format!("{} · {about}{} tok in", clock(reply.whole_ms), short(usage.input_total()));
    if usage.cache_read > 0 {
        message.push_str(&format!(" ({} cached)", short(usage.cache_read)));
    }
    message.push_str(&format!(" · {about}{} out", short(usage.output)));
    message.push_str(&format!(" · {}", money(usage, rates).unwrap_or_else(|| "price unknown".into())));
    message
}

/// The money of an answer; None where its price is not known. An estimate is marked with `~`: of tokens that were estimated, or by
/// our own table of prices where none was told.
fn money(usage: &Usage, rates: Option<&Rates>) -> Option<String> {
    let cost = usage.cost.or_else(|| rates.map(|rates| rates.cost(usage)))?;
    let about = if usage.estimated || usage.cost_estimated { "~" } else { "" };
    Some(format!("{about}{cost}"))
}

pub fn called(name: &Clean, arguments: &Arguments) -> String {
    match arguments {
        Arguments::Whole(Value::Object(fields)) if leads(name) => led(name, fields),
        Arguments::Whole(Value::Object(fields)) if fields.is_empty() => flat(name).into_owned(),
        Arguments::Whole(value) => format!("{} {}", flat(name), Clean::line(&value.to_string())),
        Arguments::Broken(what) => format!("{} with arguments that cannot be read: {}", flat(name), flat(what)),
    }
}

fn leads(name: &str) -> bool {
    name.starts_with("handoff_to_") || matches!(name, "ask_person" | "finalize")
}

/// A call of such a tool in words: "hand to researcher: pgvector · What are its limits?"
fn led(name: &str, fields: &serde_json::Map<String, Value>) -> String {
    let said = match name {
        "ask_person" => "ask you".to_string(),
        "finalize" => "finalize".to_string(),
        _ => format!("hand to {}", flat(name.trim_start_matches("handoff_to_"))),
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    // Its name stands first, in whichever order it was written.
    let order = ["title", "question", "work", "note", "choices", "draft"];
    let known = order.iter().filter_map(|key| fields.get(*key));
    let others = fields.iter().filter(|(key, _)| !order.contains(&key.as_str())).map(|(_, value)| value);
    let message: Vec<String> = known.chain(others).map(text).filter(|text| !text.trim().is_empty()).collect();
    let message = Clean::line(&message.join(" · "));
    if message.is_empty() { said } else { format!("{said}: {message}") }
}

impl Page<'_> {
    /// A model call in a line.
    pub(super) fn exchange_line(&mut self, exchange: &Exchange, rates: Option<&Rates>) {
        let (symbol, scope) = match &exchange.end {
            ExchangeEnd::Answered(_) => ("←", Scope::Dim),
            ExchangeEnd::Failed(_) | ExchangeEnd::Refused(_) => (Mark::Failed.symbol(), Scope::Failed),
            ExchangeEnd::InDoubt => (Mark::NeedsYou.symbol(), Scope::NeedsYou),
            ExchangeEnd::Queued | ExchangeEnd::Pending => ("→", Scope::Running),
        };
        let figures = exchange.reply().map(|reply| figures(reply, rates)).unwrap_or_default();
        self.bullet_with(symbol, &flat(&exchange.request.model.model), &figures, scope);
    }

    pub(super) fn exchange(&mut self, exchange: &Exchange, rates: Option<&Rates>, refused: &[&ToolAnswer]) {
        let model = if self.cells < 48 { "" } else { &*flat(&exchange.request.model.model) };
        if exchange.reply().is_none() {
            self.bullet_with("→", &said(&exchange.request), model, Scope::Dim);
        }
        self.answer(exchange, rates, (false, refused));
    }

    /// What came back; where its `calls_follow`, without those that were made, which are shown with their results. Those that
    /// were `refused` stand here with the reason.
    pub(super) fn answer(
        &mut self,
        exchange: &Exchange,
        rates: Option<&Rates>,
        (calls_follow, refused): (bool, &[&ToolAnswer]),
    ) {
        let dim = self.theme.style(Scope::Dim);
        self.attempts(exchange);
        match &exchange.end {
            ExchangeEnd::Queued | ExchangeEnd::Pending if self.is_over => {
                let was_sent = exchange.attempts.iter().any(|attempt| attempt.sent_at.is_some());
                self.marked(Mark::Cancelled, if was_sent { "given up" } else { "not sent" });
            }
            ExchangeEnd::Queued => self.marked(Mark::Waiting, "waits for room in the budget"),
            // Nobody waited for it any longer, so that it is not sent again.
            ExchangeEnd::Pending
                if exchange.fault().is_some_and(|fault| {
                    matches!(fault.class, Class::Cancelled | Class::OutOfTime | Class::OutOfBudget)
                }) =>
            {
                self.marked(Mark::Cancelled, "given up");
            }
            ExchangeEnd::Pending if exchange.fault().is_some() => self.marked(Mark::Limited, "to be sent again"),
            ExchangeEnd::Pending if exchange.is_sent() => {}
            // The attempt that failed says that it is made again.
            ExchangeEnd::Pending if exchange.attempts.len() > 1 => {}
            ExchangeEnd::Pending => self.marked(Mark::Waiting, "waits for its turn"),
            ExchangeEnd::InDoubt => self.marked(Mark::NeedsYou, "in doubt: it was sent, and its outcome is unknown"),
            ExchangeEnd::Failed(why) => {
                let repeated = exchange.fault().is_some_and(|fault| fault.what == *why);
                let why = if repeated { String::new() } else { format!(": {}", flat(why)) };
                let tries = count(exchange.attempts.len(), "attempt");
                self.marked(Mark::Failed, &format!("given up after {tries}{why}"))
            }
            ExchangeEnd::Refused(refusal) => {
                self.marked(Mark::Failed, &format!("not sent: it would have passed {refusal}"))
            }
            ExchangeEnd::Answered(reply) => {
                self.bullet("←", &figures(reply, rates), Scope::Dim);
                if let Some(line) = self.lines.last_mut() {
                    line.style = dim;
                }
                for content in &reply.content {
                    match content {
                        Content::Text { text: said } => self.said(said),
                        Content::Thinking { text } if text.is_empty() => {}
                        Content::Thinking { text } => self.thought(text),
                        Content::Call { id, name, arguments } => match refused.iter().find(|answer| answer.call == *id)
                        {
                            Some(answer) => self.not_made(name, arguments, &answer.text),
                            None if calls_follow => {}
                            None => self.calls_tool(name, arguments),
                        },
                        Content::Other { kind } => self.bullet("•", &flat(kind), Scope::Text),
                    }
                }
                self.stopped(reply);
            }
        }
    }

    /// A call that was not made, with the reason.
    fn not_made(&mut self, name: &Clean, arguments: &Arguments, why: &str) {
        let line = called(name, arguments);
        self.bullet_with("!", &cut(&line, self.cells.saturating_sub(4)), "not made", Scope::Failed);
        self.text(&flat(why), self.theme.style(Scope::Warning), 4);
    }

    /// A call of an answer: a report by its items, another in a line.
    fn calls_tool(&mut self, name: &Clean, arguments: &Arguments) {
        let whole = match arguments {
            Arguments::Whole(value) if !self.shape.raw && !leads(name) => value.to_string(),
            _ => String::new(),
        };
        let mut read = super::items::Items::default();
        read.follow(&whole, 0);
        if !read.all.is_empty() {
            return self.said(&whole);
        }
        let line = called(name, arguments);
        let broken = matches!(arguments, Arguments::Broken(_));
        let scope = if broken { Scope::Failed } else { Scope::Text };
        self.bullet("•", &cut(&line, self.cells.saturating_sub(4)), scope);
    }

    /// Failed attempts, each with its reason and the wait before the next one.
    fn attempts(&mut self, exchange: &Exchange) {
        for (n, attempt) in exchange.attempts.iter().enumerate() {
            let Some(fault) = &attempt.fault else { continue };
            let next = exchange.attempts.get(n + 1).and_then(|next| next.sent_at).zip(attempt.sent_at);
            let again = next.map(|(next, this)| format!("; again after {}", clock(next.since(this))));
            let before = n.checked_sub(1).and_then(|n| exchange.attempts[n].fault.as_ref());
            let why = if before.is_some_and(|before| before.what == fault.what) {
                "the same".into()
            } else {
                flat(&fault.what)
            };
            // The next words end the sentence.
            let why = if again.is_some() { why.trim_end_matches('.') } else { &why };
            let what = format!("attempt {}: {why}{}", attempt.n, again.unwrap_or_default());
            self.bullet("!", &what, Scope::Partial);
        }
    }

    fn thought(&mut self, text: &str) {
        let dim = self.theme.style(Scope::Dim);
        let message = format!("thinks: {}", text.trim_end());
        let lines = wrap(&message, self.cells.saturating_sub(2));
        let most = if self.shape.thoughts { usize::MAX } else { MOST_THOUGHT };
        let end = lines.get(most).map_or(message.len(), |line| line.start);
        self.text(message[..end].trim_end(), dim, 2);
        if end < message.len() {
            self.text(&format!("… {} more of its thinking (T)", bytes(message.len() - end)), dim, 2);
        }
    }

    fn stopped(&mut self, reply: &Reply) {
        let (symbol, message) = match &reply.stop {
            StopReason::End | StopReason::Tools => return,
            StopReason::Length => ("!", "it was cut at the most tokens it may give out".to_string()),
            StopReason::Refusal(why) if why.is_empty() => {
                (Mark::Failed.symbol(), "it declined, and gave no reason".into())
            }
            StopReason::Refusal(why) => (Mark::Failed.symbol(), format!("it declined: {}", flat(why))),
            StopReason::Pause => ("•", "it wants to go on in another request".into()),
            StopReason::Other(why) => ("•", format!("it stopped: {}", flat(why))),
        };
        self.bullet(symbol, &message, Scope::Partial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Money;
    use run::model::Untouched;

    #[test]
    fn money_that_nobody_told_is_marked_wherever_it_stands() {
        let reply = |cost, estimated, cost_estimated| {
            let usage = Usage { cost, estimated, cost_estimated, ..Usage::default() };
            Reply {
                content: Vec::new(),
                raw: Untouched::default(),
                stop: StopReason::End,
                usage,
                served_by: "m".into(),
                request_id: None,
                first_ms: 0,
                whole_ms: 1_000,
                recorded: None,
            }
        };
        let cent = Some(Money(10_000_000_000));
        for (reply, shown) in [
            (reply(cent, false, false), " $0.010"),
            (reply(cent, true, false), " ~$0.010"),
            (reply(cent, false, true), " ~$0.010"),
        ] {
            assert!(figures(&reply, None).ends_with(shown), "{}", figures(&reply, None));
        }
        assert!(figures(&reply(None, false, false), None).ends_with("price unknown"));
    }
}
