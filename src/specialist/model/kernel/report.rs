//! The report of an answer: read, checked against the passages, taken or sent back for its flaws.

use std::sync::Arc;

use super::super::conversation::{Converses, answer_all};
use super::super::craft::{self, Made, Report, Unfit};
use super::super::{offer, written};
use super::{Talk, use_tools};
use crate::Step;
use run::model::{Arguments, Form, Reply, StopReason};
use run::stage::Conversation;
use run::team::StructuredOutput;
use run::tool::builtin::{self, BuiltIn};
use run::transcript::{Did, Turn};
use run::{Outcome, ToolCall, Transcript};

impl Talk<'_> {
    /// Whether a tool for the report is on offer from the first turn on.
    pub(super) fn reports_by_tool(&self) -> bool {
        matches!(self.specialist.model.structured_output, StructuredOutput::Tool | StructuredOutput::ToolThenSchema)
    }

    /// Whether the last answer had to have the form of a report.
    pub(super) fn was_bound(&self) -> bool {
        self.transcript.exchanges().next_back().is_some_and(|exchange| exchange.request.form != Form::Free)
    }

    /// The report in an answer, if there is one: by tool, as JSON, or as plain text.
    pub(super) fn reported(&self, reply: &Reply) -> Option<Report> {
        let calls = self.calls(reply);
        if let Some(call) = calls.iter().find(|call| call.name.as_str() == offer::REPORT) {
            return Some(match (&call.arguments, &self.schema()) {
                (Arguments::Whole(value), Some(schema)) => Report::Json(written::shaped(value.clone(), schema)),
                (Arguments::Whole(value), None) => Report::Json(value.clone()),
                (Arguments::Broken(text), Some(schema)) => {
                    written::whole_report(text, schema).map_or_else(Report::Broken, Report::Json)
                }
                (Arguments::Broken(text), None) => Report::Text(text.to_string()),
            });
        }
        if !calls.is_empty() {
            return None;
        }
        let text = reply.text();
        let text = written::without_thoughts(&text);
        match self.schema() {
            // A cut report may contain complete objects: they are not the report.
            Some(schema) if reply.stop == StopReason::Length => {
                written::whole_report(text, &schema).ok().map(Report::Json)
            }
            Some(schema) => match written::report_in(text, &schema) {
                Ok(report) => Some(Report::Json(report)),
                Err(Some(why)) => Some(Report::Broken(why)),
                Err(None) if matches!(reply.stop, StopReason::Other(_)) => None,
                Err(None) => self.specialist.craft.of_prose(text).map(Report::Json),
            },
            None if reply.stop == StopReason::Length || text.trim().is_empty() => None,
            None => Some(Report::Text(text.to_owned())),
        }
    }

    pub(super) fn take_report(&self, report: &Report, reply: &Reply) -> Step {
        if let Some(copied) = self.copied(report) {
            let what = format!("“{copied}” is what was asked for there, not an answer to it");
            let why = "its report repeats what was asked for";
            return self.correct(Conversation::Correct, (&format!("Your report cannot be taken: {what}."), why), reply);
        }
        match self.specialist.craft.read(report, &self.assigned, self.transcript) {
            Ok(made) => {
                // A passage that was read either holds the quote already, or does not have it.
                let unread: Vec<ToolCall> = made.unread.iter().filter(|call| !self.was_made(call)).cloned().collect();
                let reads = self.turns_at(Conversation::Verify) <= self.reports_before() && self.may_read();
                match reads && !unread.is_empty() {
                    true => use_tools(Conversation::Verify, unread),
                    false => self.made_or_sent_back(made, reply),
                }
            }
            Err(unfit) => self.send_back(&unfit, reply),
        }
    }

    /// Whether this call has been made.
    fn was_made(&self, call: &ToolCall) -> bool {
        let is_it = |turn: &Arc<Turn>| matches!(&turn.did, Did::Tools(calls) if calls.iter().any(|made| *made.request == *call));
        self.transcript.turns.iter().any(is_it)
    }

    /// A text of a report that only repeats its instruction.
    pub(super) fn copied(&self, report: &Report) -> Option<String> {
        let Report::Json(report) = report else { return None };
        let schema = self.schema()?;
        craft::copied(report, &schema)
    }

    /// The number of its reports that were not taken.
    fn reports_before(&self) -> usize {
        self.turns_at(Conversation::Message) + self.turns_at(Conversation::Correct)
    }

    /// The report, or its flaws as long as the model can be asked again.
    fn made_or_sent_back(&self, made: Made, reply: &Reply) -> Step {
        match &made.lacks {
            Some(unfit) if self.may_correct() => self.send_back(unfit, reply),
            _ => self.made(made),
        }
    }

    fn send_back(&self, unfit: &Unfit, reply: &Reply) -> Step {
        let why = format!("its report could not be taken: {}", unfit.what);
        let what = format!("Your report cannot be taken: {unfit}");
        self.correct(Conversation::Correct, (&what, &why), reply)
    }

    fn may_read(&self) -> bool {
        !self.assigned.is_over && self.specialist.member.tools.iter().any(|tool| *tool == builtin::Read::NAME)
    }

    /// Reads the last report again, after the passages of its quotes have been read.
    pub(super) fn take_verified(&self) -> Step {
        let Some(reply) = self.asking().last_reply() else {
            return self.report(Outcome::NothingFound, "nothing found");
        };
        let made = self.reported(reply).map(|r| self.specialist.craft.read(&r, &self.assigned, self.transcript));
        match made {
            Some(Ok(made)) => self.made_or_sent_back(made, reply),
            _ => self.report(Outcome::Failed("its report could not be read".into()), "failed"),
        }
    }

    pub(super) fn made(&self, made: Made) -> Step {
        Step::Report {
            outcome: self.whole(made.outcome, &made.payload),
            title: made.title.into(),
            payload: made.payload,
        }
    }

    /// Whether a round is left in which the model can mend a defect.
    pub(super) fn may_correct(&self) -> bool {
        let rounds = self.turns_at(Conversation::Correct) + self.turns_at(Conversation::Nudge) + self.wrong_calls();
        rounds < Transcript::MOST_CORRECTIONS && self.may_ask()
    }

    /// Returns the defect to the model if a round is left for it; else gives up, with the reason for the person.
    pub(super) fn correct(&self, stage: Conversation, (what, why): (&str, &str), reply: &Reply) -> Step {
        if !self.may_correct() {
            return self.give_up(why.to_owned());
        }
        // The first time it has its tools still.
        let may_look = stage == Conversation::Nudge
            && reply.stop != StopReason::Length
            && self.turns_at(Conversation::Nudge) == 0
            && !self.specialist.member.tools.is_empty();
        let look = if may_look { " Call a tool if you want to look further." } else { "" };
        let how = match (self.schema(), self.specialist.model.structured_output) {
            (None, _) => String::new(),
            (Some(_), StructuredOutput::Tool) => format!(" Call `{}` with the whole report.", offer::REPORT),
            (Some(_), _) => " Answer with the whole report as one JSON object and nothing else.".into(),
        };
        let what = format!("{}.{look}{how}", what.trim_end_matches('.'));
        self.ask(stage, vec![answer_all(reply, &what)], false)
    }
}
