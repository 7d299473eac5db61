//! The end without a whole answer: an earlier report stands, or the role's rules report on the passages that were read.

use std::sync::Arc;

use super::super::craft::{Made, Report};
use super::Talk;
use crate::{Step, inspect};
use run::stage::Conversation;
use run::takeover::first_sentence;
use run::transcript::{Did, Turn};
use run::{Outcome, Payload, Role, Transcript};
use text::Clean;

impl Talk<'_> {
    /// The reason why its last refused step was refused.
    pub(super) fn refusal(&self) -> String {
        let refused =
            |turn: &Arc<Turn>| if let Did::Refused { why, .. } = &turn.did { Some(why.to_string()) } else { None };
        self.transcript.turns.iter().rev().find_map(refused).unwrap_or_default()
    }

    pub(super) fn out_of_budget(&self, cap: &str) -> Step {
        if let Some(made) = self.earlier() {
            return self.made(made);
        }
        match self.what_there_is() {
            Some(made) => by_rule(made, format!("too little was left of {cap}"), ""),
            None => {
                self.report(Outcome::OutOfBudget(format!("too little was left of {cap}").into()), "stopped by a budget")
            }
        }
    }

    /// The reason why no further answer could be used; None if one can.
    pub(super) fn is_at_its_end(&self) -> Option<String> {
        let last = self.transcript.turns.last()?;
        match &last.did {
            Did::Tools(_) if last.stage == Conversation::Verify.into() => None,
            Did::Asked(exchange) if exchange.reply().is_some_and(|reply| self.reported(reply).is_some()) => None,
            _ if self.assigned.is_over => Some("it had not reported when its time was over".into()),
            _ if !self.may_ask() => Some("it did not report in the turns it had".into()),
            _ => None,
        }
    }

    /// The last report that could be read and was sent back for a part of it.
    pub(super) fn earlier(&self) -> Option<Made> {
        // Messages that the person has written since are not in it.
        if self.turns_at(Conversation::Message) > 0 {
            return None;
        }
        let is_whole = |report: &Report| matches!(report, Report::Json(_)) && self.copied(report).is_none();
        self.transcript.exchanges().rev().filter_map(|exchange| exchange.reply()).find_map(|reply| {
            let report = self.reported(reply).filter(is_whole)?;
            self.specialist.craft.read(&report, &self.assigned, self.transcript).ok()
        })
    }

    /// Gives up on the model: an earlier report stands, or the role's rules report on the passages so far, and say so.
    pub(super) fn give_up(&self, why: String) -> Step {
        if let Some(made) = self.earlier() {
            return self.made(made);
        }
        match self.what_there_is() {
            Some(made) => by_rule(made, why, "its model brought no report: "),
            None => self.report(Outcome::Failed(why.into()), "failed"),
        }
    }

    /// The report by rule from the tool results so far, if there is anything.
    fn what_there_is(&self) -> Option<(Clean, Payload)> {
        let rules = inspect::specialist(&Role::new(self.specialist.craft.by_rule()?))?;
        let used = self.transcript.turns.iter().filter(|turn| matches!(turn.did, Did::Tools(_)));
        let turns = used.cloned().collect();
        let Transcript { handoff, messages, .. } = self.transcript;
        let seen = Transcript { handoff: handoff.clone(), turns, messages: messages.clone() };
        match rules.next(self.assigned.over(), &seen) {
            Step::Report { outcome, title, payload } if outcome.usable() => Some((title, payload)),
            _ => None,
        }
    }

    pub(super) fn report(&self, outcome: Outcome, title: &str) -> Step {
        let payload = match &outcome {
            Outcome::Failed(why) => Payload::note(why.clone()),
            _ => Payload::default(),
        };
        Step::Report { outcome, title: title.into(), payload }
    }
}

/// A report by rule in place of the model's, for this reason.
fn by_rule((title, mut payload): (Clean, Payload), why: String, what: &str) -> Step {
    let why = first_sentence(&why);
    let outcome =
        Outcome::Partial(format!("{what}{}; by rule, of what had been read", why.trim_end_matches('.')).into());
    payload.by_rule = Some(why);
    Step::Report { outcome, title, payload }
}
