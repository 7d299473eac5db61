//! The tool calls of an answer: the possible ones, and the words of each to the model.

use std::sync::Arc;

use super::super::conversation::{Converses, add, answer, not_made};
use super::super::{offer, reading, written};
use super::Talk;
use crate::Step;
use run::ToolCall;
use run::model::{Arguments, Reply, Said, StopReason};
use run::stage::{Conversation, Stage};
use run::transcript::{Call, Did, Turn};
use text::Clean;

/// The most tool calls in one turn.
const MOST_CALLS: usize = 6;
/// The most answers in a row whose calls are all invalid; the last but one is followed by a demand to report.
pub(super) const MOST_WRONG_CALLS: usize = 3;

/// A call of a tool in an answer.
pub(super) struct Asked<'r> {
    /// Its id; None if it is written as text.
    pub(super) id: Option<&'r Clean>,
    pub(super) name: Clean,
    pub(super) arguments: Arguments,
}

impl Talk<'_> {
    /// The calls of an answer. Roles that report in JSON may write them as text.
    pub(super) fn calls<'r>(&self, reply: &'r Reply) -> Vec<Asked<'r>> {
        let called = |(id, name, arguments): (&'r Clean, &Clean, &Arguments)| Asked {
            id: Some(id),
            name: name.clone(),
            arguments: arguments.clone(),
        };
        let calls: Vec<Asked<'_>> = reply.calls().map(called).collect();
        let text = reply.text();
        if !calls.is_empty() || reply.stop == StopReason::Length || !text.contains('{') || self.schema().is_none() {
            return calls;
        }
        let written = written::calls_in(written::without_thoughts(&text)).into_iter();
        written.map(|(name, value)| Asked { id: None, name, arguments: Arguments::Whole(value) }).collect()
    }

    /// The valid tool calls of an answer, in order, given the turns before it.
    pub(super) fn asked_of_tools(&self, calls: &[Asked<'_>], before: &[Arc<Turn>]) -> Vec<ToolCall> {
        calls.iter().filter_map(|call| self.call(call, before).ok()).take(MOST_CALLS).collect()
    }

    /// A call of a tool, given the turns before it; the error is for the model.
    pub(super) fn call(&self, call: &Asked<'_>, before: &[Arc<Turn>]) -> Result<ToolCall, String> {
        let reports = self.reports_by_tool() && self.schema().is_some();
        offer::call(&call.name, &call.arguments, self.specialist.tools(), reports, before)
    }

    /// Returns one result for each call of the model, in order.
    pub(super) fn answer_calls(&self) -> Step {
        let turns = &self.transcript.turns;
        let Some(at) = turns.iter().rposition(|turn| matches!(&turn.did, Did::Asked(e) if e.reply().is_some())) else {
            return self.begin(&[]);
        };
        let Did::Asked(exchange) = &turns[at].did else { return Step::Wait };
        let Some(reply) = exchange.reply() else { return Step::Wait };
        let after = turns.get(at + 1).map(|turn| &turn.did);
        let mut done: &[Call] = if let Some(Did::Tools(calls)) = after { calls } else { &[] };
        let refused = if let Some(Did::Refused { why, .. }) = after { Some(why.to_string()) } else { None };
        let mut said = Vec::new();
        let mut told = self.told();
        let mut results = Vec::new();
        for call in &self.calls(reply) {
            let made = self.call(call, &turns[..at + 1]).and_then(|_| match (done.split_first(), &refused) {
                (Some((call, rest)), _) => {
                    done = rest;
                    let result = reading::result_text(call, &told);
                    told.push_str(&result.0);
                    Ok(result)
                }
                (None, Some(why)) => Ok((format!("not done: {why}"), true)),
                (None, None) => Err(why_not_done(after)),
            });
            match (call.id, made) {
                (Some(id), Ok((text, failed))) => results.push(answer(id, &call.name, text, failed)),
                (Some(id), Err(why)) => results.push(not_made(id, &call.name, why)),
                // A call in the text has no id to answer to.
                (None, Ok((text, _)) | Err(text)) => {
                    add(&mut said, &format!("Your call of `{}`:\n{text}", call.name));
                }
            }
        }
        if !results.is_empty() {
            said.push(Said::Results { results });
        }
        self.ask(Conversation::Results, said, false)
    }

    /// The number of answers in a row, before the last, whose calls were all invalid: they were answered without
    /// running a tool.
    pub(super) fn wrong_calls(&self) -> usize {
        let asked = self.transcript.turns.iter().rev().take_while(|turn| matches!(turn.did, Did::Asked(_)));
        let answers = [Conversation::Results, Conversation::Last].map(Stage::from);
        let results: Vec<bool> = asked.map(|turn| answers.contains(&turn.stage)).collect();
        // Calls before the first of these answers were run.
        results.split_last().map_or(0, |(_, answered)| answered.iter().filter(|results| **results).count())
    }
}

/// The reason why a call that could be made was not made; `after` are the turns behind the answer.
fn why_not_done(after: Option<&Did>) -> String {
    match after {
        Some(Did::Tools(_)) => format!("not done: there are at most {MOST_CALLS} calls in one answer"),
        _ => "not done: no turn is left for tools, only for the report".into(),
    }
}
