//! How assignments end: with a report, by the word of the person or of who leads them, or with the whole run; and who takes the place of one that
//! was given up.

use std::sync::Arc;

use super::Decision;
use crate::section;
use run::attempt::{Class, Fault};
use run::event::{Event, Opened};
use run::evidence::Place;
use run::finding::{Finding, Standing, WordsOf};
use run::handoff::{Contract, Handoff};
use run::id::{AssignmentId, CallId, Role};
use run::stage::Leading;
use run::state::{Ending, Intent};
use run::team::Worker;
use run::transcript::{Did, Exchange, Turn};
use run::{Amounts, Assignment, Limits, Outcome, Payload, Run};
use specialist::{Sending, Step};
use text::Clean;

impl Decision<'_> {
    /// A cancelled run ends now: calls under way are given up, every open assignment is closed, the root last.
    pub(super) fn wind_up(&mut self) {
        for (call, held) in &self.run.under_way {
            self.give_up(*call, held.amounts, &"cancelled".into());
        }
        let open: Vec<&Assignment> = self.run.open().collect();
        for assignment in open.into_iter().rev() {
            self.report(assignment, Outcome::Cancelled, "cancelled".into(), Payload::default());
        }
    }

    /// Whoever works for an assignment that has ended works for nobody.
    pub(super) fn wind_up_orphans(&mut self) {
        let has_ended = |id| self.run.assignment(id).is_some_and(|above| above.ended.is_some());
        let orphans: Vec<&Assignment> =
            self.run.open().filter(|assignment| assignment.parent().is_some_and(has_ended)).collect();
        for orphan in orphans.iter().rev() {
            let calls = CallId::new(orphan.id, 0)..=CallId::new(orphan.id, u32::MAX);
            for (call, held) in self.run.under_way.range(calls) {
                self.give_up(*call, held.amounts, &"cancelled".into());
            }
            self.report(orphan, Outcome::Cancelled, "cancelled".into(), Payload::default());
        }
    }

    pub(super) fn give_up(&mut self, call: CallId, held: Amounts, why: &Clean) {
        // What it took is not known; it is taken to be what was held.
        let ended = match self.run.intent(call) {
            Some(Intent::Model(exchange)) => given_up(exchange, held, why),
            _ => Event::ToolFailed { call, error: why.clone(), used: held },
        };
        self.record(ended);
    }

    /// Assignments that were ended from outside: calls under way are given up, whoever takes their place is opened, and
    /// they are closed, those that were led before those that led them.
    pub(super) fn end_what_was_ended(&mut self) {
        for id in self.run.to_end.iter().rev() {
            let Some(assignment) = self.run.assignment(*id) else { continue };
            self.give_up_calls(*id, &"cancelled".into());
            if let Some(Ending::Replaced { by, with: None }) = &assignment.ending {
                self.replace(assignment, by);
            }
            if assignment.ended.is_none() && !self.leaves_behind(assignment, "it was cancelled") {
                let enough = assignment.ending == Some(Ending::Enough);
                let note = enough.then(|| "enough was in without it".into());
                let payload = Payload::default().with_notes(note);
                self.report(assignment, Outcome::Cancelled, "cancelled".into(), payload);
            }
        }
    }

    /// Those of these that work for it and have not ended are not waited for any longer.
    pub(super) fn end_those(&mut self, by: &Assignment, of: &[AssignmentId]) {
        let works = |id: &&AssignmentId| {
            self.run.assignment(**id).is_some_and(|one| one.parent() == Some(by.id) && one.ended.is_none())
        };
        let those: Vec<AssignmentId> = of.iter().filter(works).copied().collect();
        if those.is_empty() {
            let why = "none of those that it has enough without works for it".into();
            return self.refuse(by.id, Leading::Research.into(), why);
        }
        self.has_ended_others = true;
        those.into_iter().for_each(|assignment| self.record(Event::NoLongerNeeded { assignment }));
    }

    /// Hands the same to a fresh assignment. It may take what is left of the share of the one before it, so that nobody
    /// else has less.
    fn replace(&mut self, old: &Assignment, role: &Role) {
        let Some(parent) = old.parent().and_then(|id| self.run.assignment(id)) else { return };
        let mut payload = old.transcript.handoff.payload.clone();
        if let Some(planned) = &mut payload.task {
            planned.task.role = role.clone();
        }
        let worker = if *role == old.role { old.worker } else { Worker::Member };
        // No guard is asked again: `Run::accepts` lets a receiver only give its place up while the giver has done nothing
        // since but hand out tasks, so what was admitted, and approved, still is.
        let sending = Sending::new(role, old.transcript.handoff.title.clone(), payload);
        let sending = Sending { task: old.task, worker, ..sending };
        // It has what is left of the caps of the other, and counts as the same attempt.
        let sending = Sending { again: Some(old.id), ..sending };
        let opened = self.open(parent, sending, Limits::default());
        let opened = Opened { instead_of: Some(old.id), again: None, ..opened };
        let why = match *role == old.role {
            true => "the person wants it tried again".into(),
            false => format!("the person gave it to the {role}"),
        };
        // It stands where the other stood.
        let hands_to =
            |turn: &&Turn| matches!(&turn.did, Did::HandOffs(sent) if sent.iter().any(|sent| sent.to == old.id));
        let stage = parent.transcript.turns.iter().find(hands_to).map_or(Leading::Research.into(), |turn| turn.stage);
        self.record(Event::HandedOff { by: Some(parent.id), stage, why: why.into(), opened: vec![opened] });
    }

    /// What was found for an editor was paid for, and it is not the editor's to lose: whether it left anything behind.
    fn leaves_behind(&mut self, assignment: &Assignment, why: &str) -> bool {
        if assignment.role.as_str() != Role::EDITOR || matches!(assignment.ending, Some(Ending::Replaced { .. })) {
            return false;
        }
        let left = section::left_behind(&self.opening.team, &assignment.transcript, &why.into());
        left.map(|(outcome, title, payload)| self.report(assignment, outcome, title, payload)).is_some()
    }

    pub(super) fn fail(&mut self, assignment: &Assignment, why: String) {
        if self.leaves_behind(assignment, &why) {
            return;
        }
        let payload = Payload::note(why.as_str());
        self.report(assignment, Outcome::Failed(why.into()), "failed".into(), payload);
    }

    pub(super) fn report(&mut self, assignment: &Assignment, outcome: Outcome, title: Clean, mut payload: Payload) {
        let mut outcome = outcome;
        if let Some(contract) = Contract::of(&assignment.role)
            && let Err(why) = contract.check_returned(&outcome, &payload)
        {
            outcome = Outcome::Failed(format!("its report breaks its contract: {why}").into());
        }
        payload.findings.iter_mut().flatten().for_each(|finding| verify(self.run, finding));
        let parent = assignment.parent().and_then(|id| self.run.assignment(id));
        let handoff = Handoff {
            no: self.next_handoff(),
            from: Some(assignment.id),
            to: assignment.parent(),
            names: (assignment.role.as_str().into(), parent.map_or("you", |p| p.role.as_str()).into()),
            title,
            payload,
        };
        self.record(Event::Reported { by: assignment.id, outcome, handoff: Arc::new(handoff) });
    }
}

/// What is reported because a deadline has passed is not called whole, nor is what was not looked for said not to be there.
pub(super) fn cut_short(step: Step) -> Step {
    let Step::Report { outcome, title, payload } = step else { return step };
    let outcome = match outcome {
        Outcome::Done => Outcome::Partial("its deadline had passed".into()),
        Outcome::NothingFound => Outcome::OutOfBudget("its deadline".into()),
        outcome => outcome,
    };
    Step::Report { outcome, title, payload }
}

/// The end of a model call that is given up: what was sent may have been paid for.
fn given_up(exchange: &Exchange, held: Amounts, why: &Clean) -> Event {
    let attempt = exchange.attempts.last();
    let sent = attempt.is_some_and(|attempt| attempt.sent_at.is_some());
    let fault = match sent {
        true => Fault::unseen(Class::Cancelled, why.clone()),
        false => Fault::before_sending(Class::Cancelled, why.clone()),
    };
    let doubt = if sent { held } else { Amounts::default() };
    Event::AttemptFailed {
        call: exchange.call,
        attempt: attempt.map_or(1, |attempt| attempt.n),
        fault: Arc::new(fault),
        used: Amounts::default(),
        doubt,
    }
}

/// Nobody is believed: a finding whose quote is not in a stored source may not reach a brief.
fn verify(run: &Run, finding: &mut Finding) {
    let is_there = |place: &Place| run.is_quoted(&finding.quote, place);
    // What a tool counted is what that tool has said, to the letter.
    let is_counted = |place: &Place| finding.words_of != WordsOf::Tool || run.is_measured(&finding.claim, place);
    let quoted = finding.place.as_ref().is_some_and(|place| is_there(place) && is_counted(place));
    if finding.standing == Standing::Proposed && finding.words_of != WordsOf::Person && !quoted {
        finding.standing = Standing::Unquoted;
    }
}
