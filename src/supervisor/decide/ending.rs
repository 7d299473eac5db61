//! Ends assignments: with a report, on an order of the person or of the assignment above, or with the run. Replaces an
//! assignment that was given up.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Decision;
use super::calls::unsent;
use crate::section;
use run::attempt::{Class, Fault};
use run::budget::Cap;
use run::coverage::{self, Point};
use run::event::{Event, Opened};
use run::evidence::{Place, changed_in_words};
use run::finding::{Finding, Standing, WordsOf};
use run::handoff::Contract;
use run::id::{AssignmentId, CallId, Role};
use run::stage::Leading;
use run::state::{Ending, Intent};
use run::team::Worker;
use run::transcript::{Did, Exchange, Turn};
use run::verdict::remarks;
use run::{Amounts, Assignment, Outcome, Payload, Run};
use specialist::{Sending, Step};
use text::Clean;

impl Decision<'_> {
    /// Cancels every open assignment with its calls under way, the root last.
    pub(super) fn cancel_all(&mut self) {
        if let Some(root) = self.run.root() {
            self.report(root, Outcome::Cancelled, "cancelled".into(), Payload::default());
        }
    }

    /// Cancels the open assignments whose parent has ended, with their calls under way.
    pub(super) fn cancel_orphans(&mut self) {
        let (run, team) = (self.run, &self.opening.team);
        let is_ended_leader = |one: &&Assignment| one.ended.is_some() && team.delegates(&one.role);
        if self.changed.is_some_and(|changed| !changed.iter().any(is_ended_leader)) {
            return;
        }
        let has_ended = |id| run.assignment(id).is_some_and(|above| above.ended.is_some());
        self.cancel_those(|assignment| assignment.parent().is_some_and(has_ended));
    }

    /// Cancels some of the open assignments with their calls under way, children before parents.
    fn cancel_those(&mut self, is_one: impl Fn(&Assignment) -> bool) {
        let those: Vec<&Assignment> = self.run.open().filter(|assignment| is_one(assignment)).collect();
        for assignment in those.into_iter().rev() {
            self.give_up_calls(assignment.id, &"cancelled".into());
            self.report(assignment, Outcome::Cancelled, "cancelled".into(), Payload::default());
        }
    }

    /// Ends a run that is answered from a record, once it asks something new: there is no answer to that, and nothing that a person
    /// could mend.
    pub(super) fn end_where_it_differs(&mut self) {
        let difference = self.run.faulted.keys().find_map(|call| match self.run.intent(*call) {
            Some(Intent::Model(exchange)) => exchange.fault().filter(|fault| fault.class == Class::Differs),
            _ => None,
        });
        let Some(why) = difference.map(|fault| fault.what.clone()) else { return };
        if let Some(root) = self.run.root() {
            let payload = Payload::note(why.as_str());
            self.report(root, Outcome::Failed(why), "failed".into(), payload);
        }
    }

    /// Ends all that is open below the root, which is about to report: nothing is recorded after the end of the run, so
    /// calls that are out have to be given up, and booked, before it.
    fn end_all_below(&mut self, root: &Assignment) {
        if self.run.open_count() > 1 {
            // All else that was decided on this state would come after the end, or be of those that end here.
            self.actions.clear();
            (self.handoffs, self.checkpoints) = (self.run.handoffs.len() as u32, 0);
            self.has_ended_others = true;
        }
        self.cancel_those(|assignment| assignment.id != root.id);
        self.give_up_calls(root.id, &"cancelled".into());
    }

    /// Gives up an assignment's calls under way.
    pub(super) fn give_up_calls(&mut self, id: AssignmentId, why: &Clean) {
        for (call, reserved) in self.run.under_way.range(CallId::all_of(id)) {
            self.give_up(*call, reserved.amounts, Class::Cancelled, why);
        }
    }

    /// Gives up a call. Whether its model may be asked again depends on the class of the failure.
    pub(super) fn give_up(&mut self, call: CallId, reserved: Amounts, class: Class, why: &Clean) {
        // Its usage is unknown: the whole reservation counts as used.
        let ended = match self.run.intent(call) {
            Some(Intent::Model(exchange)) => given_up(exchange, reserved, class, why),
            _ => Event::ToolFailed { call, error: why.clone(), used: reserved },
        };
        self.record(ended);
    }

    /// Ends assignments that were ordered to end: gives up their calls, opens their replacements, and reports, children
    /// before parents.
    pub(super) fn end_what_was_ended(&mut self) {
        for id in self.run.to_end.iter().rev() {
            let Some(assignment) = self.run.assignment(*id) else { continue };
            self.give_up_calls(*id, &"cancelled".into());
            if let Some(Ending::Replaced { by, with: None }) = &assignment.ending {
                self.replace(assignment, by);
            }
            if assignment.ended.is_none() && !self.leaves_behind(assignment, "it was cancelled") {
                let enough = assignment.ending == Some(Ending::Enough);
                let dropped = || format!("you dropped what was to be handed to the {}", assignment.role);
                let why = match self.run.was_dropped(assignment) {
                    true => Some(dropped()),
                    false => enough.then(|| "enough was in without it".to_owned()),
                };
                let payload = Payload::default().with_notes(why.map(Clean::from));
                self.report(assignment, Outcome::Cancelled, "cancelled".into(), payload);
            }
        }
    }

    /// Ends those of these assignments that are open and that `by` handed out.
    pub(super) fn end_those(&mut self, by: &Assignment, of: &[AssignmentId]) {
        let works = |id: &&AssignmentId| {
            self.run.assignment(**id).is_some_and(|child| child.parent() == Some(by.id) && child.ended.is_none())
        };
        let those: Vec<AssignmentId> = of.iter().filter(works).copied().collect();
        if those.is_empty() {
            let why = "none of the assignments to end is open and was handed out by this one".into();
            return self.refuse(by.id, Leading::Research.into(), why);
        }
        self.has_ended_others = true;
        those.into_iter().for_each(|assignment| self.record(Event::NoLongerNeeded { assignment }));
    }

    /// Hands the same work to a new assignment, with the rest of the old one's caps, so that no other gets less.
    fn replace(&mut self, old: &Assignment, role: &Role) {
        let Some(parent) = old.parent().and_then(|id| self.run.assignment(id)) else { return };
        let mut payload = old.transcript.handoff.payload.clone();
        if let Some(planned) = &mut payload.task {
            planned.task.role = role.clone();
        }
        let worker = if *role == old.role { old.worker } else { Worker::Member };
        // No guard is needed: `Run::accepts` allows a replacement only while the parent has done nothing since but hand
        // out tasks, so the admission and the approval still hold.
        let sending = Sending::new(role, old.transcript.handoff.title.clone(), payload);
        let sending = Sending { task: old.task, worker, ..sending };
        // `open` passes on the rest of the old assignment's caps. It counts as the same attempt.
        let sending = Sending { again: Some(old.id), ..sending };
        let sending = self.filled(sending);
        let opened = self.open(parent, sending);
        let opened = Opened { instead_of: Some(old.id), again: None, ..opened };
        let why = match *role == old.role {
            true => "the person wants it tried again".into(),
            false => format!("the person gave it to the {role}"),
        };
        // Its turn keeps the stage of the old one's.
        let hands_to =
            |turn: &&Arc<Turn>| matches!(&turn.did, Did::HandOffs(sent) if sent.iter().any(|sent| sent.to == old.id));
        let stage = parent.transcript.turns.iter().find(hands_to).map_or(Leading::Research.into(), |turn| turn.stage);
        self.record(Event::HandedOff { by: Some(parent.id), stage, why: why.into(), opened: vec![opened] });
    }

    /// Reports the findings of an editor's tasks so far, since it is paid for; returns whether there was anything.
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

    /// Records the report of an assignment. That of the root ends the run, and all that is still open with it.
    pub(super) fn report(&mut self, assignment: &Assignment, outcome: Outcome, title: Clean, payload: Payload) {
        if assignment.parent().is_none() {
            self.end_all_below(assignment);
        }
        let (outcome, payload) = self.as_reported(assignment, outcome, payload);
        let parent = assignment.parent().and_then(|id| self.run.assignment(id));
        let to = (assignment.parent(), parent.map_or("you", |parent| parent.role.as_str()));
        let handoff = self.handoff((Some(assignment.id), assignment.role.as_str()), to, title, payload);
        self.record(Event::Reported { by: assignment.id, outcome, handoff });
    }
}

impl Decision<'_> {
    /// A report as delivered: checked against its contract, its quotes against the stored sources.
    pub(super) fn as_reported(
        &self,
        assignment: &Assignment,
        mut outcome: Outcome,
        mut payload: Payload,
    ) -> (Outcome, Payload) {
        if let Some(contract) = Contract::within(self.opening.team.order, &assignment.role)
            && let Err(why) = contract.check_returned(&outcome, &payload)
        {
            outcome = Outcome::Failed(format!("its report breaks its contract: {why}").into());
        }
        if let Outcome::OutOfBudget(why) = &mut outcome
            && let Some(doubts) = self.doubts_before(assignment)
        {
            *why = format!("{why} (in doubt from the try before: {doubts})").into();
        }
        if assignment.id == AssignmentId::ROOT {
            let notes = self.notes_of_the_brief(&payload);
            if let Some(draft) = &mut payload.draft {
                let fresh: Vec<Clean> = notes.into_iter().filter(|note| !draft.notes.contains(note)).collect();
                draft.notes.extend(fresh);
            }
        }
        if assignment.parent().is_some()
            && let Some(draft) = &mut payload.draft
        {
            let handed = &assignment.transcript.handoff.payload;
            // A sentence that the person remarked on may become another one.
            draft.hold_to(handed.draft.as_ref(), |text| remarks(handed.verdicts()).any(|on| on == text));
        }
        payload.findings.iter_mut().flatten().for_each(|finding| verify(self.run, finding));
        payload.searched = self.searched(assignment);
        (outcome, payload)
    }

    /// The notes of a brief on its own making, under any leader: the work of fallbacks, costs that are not certain, and sources that
    /// it cites and that are no longer as they were read.
    fn notes_of_the_brief(&self, payload: &Payload) -> Vec<Clean> {
        let takeovers = self.run.takeovers();
        let takeovers = takeovers.iter().map(|takeover| Clean::line(&format!("Fallback: {takeover}.")));
        let estimated = self.run.estimated();
        let estimated = estimated.iter().map(|told| Clean::line(&format!("Cost: {told}.")));
        let places = payload.findings.iter().flatten().filter_map(|finding| finding.place.as_ref());
        let cited: BTreeSet<&Clean> = places.map(|place| &place.source.path).collect();
        let changed: Vec<Clean> =
            self.run.changed_sources.iter().filter(|path| cited.contains(path)).cloned().collect();
        let changed = (!changed.is_empty()).then(|| Clean::line(&format!("Sources: {}.", changed_in_words(&changed))));
        takeovers.chain(estimated).chain(changed).collect()
    }

    /// The amounts in doubt of the try before this one, which has only the rest of its caps: of the cap that refused it, where one
    /// did.
    fn doubts_before(&self, assignment: &Assignment) -> Option<String> {
        let parent = self.run.assignment(assignment.parent()?)?;
        let before = parent.transcript.sent().find(|sent| sent.to == assignment.id)?.again?;
        let account = self.run.ledger.assignment(before);
        let refused = assignment.transcript.last_refusal().map(|refusal| refusal.cap);
        let kinds = [(Cap::Money, ""), (Cap::Tokens, " tok")];
        let kinds = kinds.into_iter().filter(|(kind, _)| refused.is_none_or(|refused| refused == *kind));
        let doubts = kinds.filter_map(|(kind, unit)| {
            let (doubt, cap) = (account.in_doubt.get(kind), account.limits.cap(kind)?);
            (doubt > 0).then(|| format!("{} of {}{unit}", kind.written(doubt), kind.written(cap)))
        });
        let doubts: Vec<String> = doubts.collect();
        (!doubts.is_empty()).then(|| doubts.join(", "))
    }

    /// The points that an assignment, or those below it, searched for by name: read from the recorded calls, not from
    /// its own report.
    fn searched(&self, assignment: &Assignment) -> Option<Vec<Point>> {
        let named = self.run.root()?.transcript.handoff.payload.named.as_ref()?;
        assignment.parent()?;
        let below = assignment.transcript.sent().filter_map(|sent| sent.report.as_ref());
        let below = below.flat_map(|(_, report)| report.payload.searched().iter().cloned());
        let all: BTreeSet<Point> = coverage::searched(named, &assignment.transcript).into_iter().chain(below).collect();
        (!all.is_empty()).then(|| all.into_iter().collect())
    }
}

/// Marks a report that a deadline cut short: it is partial, and "nothing found" would claim too much.
pub(super) fn cut_short(step: Step) -> Step {
    let Step::Report { outcome, title, payload } = step else { return step };
    let outcome = match outcome {
        Outcome::Done => Outcome::Partial("its deadline had passed".into()),
        Outcome::NothingFound => Outcome::OutOfBudget("its deadline had passed".into()),
        outcome => outcome,
    };
    Step::Report { outcome, title, payload }
}

/// The end of a model call that is given up. If it was sent, its reservation stays in doubt.
fn given_up(exchange: &Exchange, reserved: Amounts, class: Class, why: &Clean) -> Event {
    if !exchange.is_sent() {
        return unsent(exchange, class, why.clone());
    }
    let (call, attempt, used) = (exchange.call, exchange.last_attempt(), Amounts::default());
    let fault = Arc::new(Fault::unseen(class, why.clone()));
    Event::AttemptFailed { call, attempt, fault, used, doubt: reserved }
}

/// Marks a finding whose quote is in no stored source: it must not reach a brief.
fn verify(run: &Run, finding: &mut Finding) {
    let is_there = |place: &Place| run.is_quoted(&finding.quote, place);
    // A count must be one that the tool returned, verbatim.
    let is_counted = |place: &Place| finding.words_of != WordsOf::Tool || run.is_measured(&finding.claim, place);
    let quoted = finding.place.as_ref().is_some_and(|place| is_there(place) && is_counted(place));
    if finding.standing == Standing::Proposed && finding.words_of != WordsOf::Person && !quoted {
        finding.standing = Standing::Unquoted;
    }
}
