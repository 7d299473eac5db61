//! Stops at breakpoints: before a handoff or report is delivered, and right after any other event; and carries out the
//! person's answers.

use super::{Action, Decision, guard};
use run::breakpoint::{Condition, Crossing};
use run::checkpoint::stop::{Answer, Stop, Waiting, What};
use run::checkpoint::{Answer as Any, Checkpoint};
use run::event::{Event, Opened};
use run::handoff::{Sending, Unsent};
use run::stage::Stage;
use run::state::Hit;
use run::{Assignment, AssignmentId, Outcome, Payload, Steer, Subject};
use std::sync::Arc;
use text::Clean;

impl Decision<'_> {
    /// Keeps the first fact only: the run may stop there, and the next step is decided after that.
    pub(super) fn record_one(&mut self) {
        let mut is_first = true;
        self.actions.retain(|action| match action {
            Action::Record(_) => std::mem::take(&mut is_first),
            _ => true,
        });
    }

    fn stop(&mut self, by: AssignmentId, met: Vec<Condition>, what: What) {
        // The person's choice at another open stop applies here too.
        let mut standing = self.run.waiting().filter_map(Checkpoint::stop).peekable();
        let others_go_on = standing.peek().is_some() && standing.all(|stop| stop.others_go_on);
        let subject = Arc::new(Subject::Stop(Stop::new(self.run, met, what, others_go_on)));
        let checkpoint = self.next_checkpoint();
        self.record(Event::CheckpointOpened { checkpoint, by, subject });
    }

    /// Stops after recorded events that met a breakpoint, the earliest first. While a stop is open, the next one waits.
    pub(super) fn stop_after_hits(&mut self) {
        let stands_for = |hit: &Hit| {
            let mut line = std::iter::successors(Some(hit.by), |id| id.parent());
            line.find_map(|id| self.run.assignment(id).filter(|assignment| assignment.ended.is_none()))
        };
        let ready = |hit: &Hit| stands_for(hit).filter(|by| by.stopped.is_none()).map(|by| (by.id, hit.clone()));
        if let Some((by, Hit { seq, met, says, .. })) = self.run.hits.iter().find_map(ready) {
            self.stop(by, met, What::Happened { seq, says });
        }
    }

    /// Stops if one of these handoffs meets a breakpoint: then none is sent before the person has answered.
    pub(super) fn stops_before_handoffs(
        &mut self,
        by: &Assignment,
        stage: Stage,
        why: &Clean,
        handoffs: &[Sending],
    ) -> bool {
        let met_by = |sending: &Sending| {
            let (from, to) = (Some(&by.role), Some(&sending.role));
            self.run.met_by(&Crossing { from, to, payload: &sending.payload, report: None })
        };
        let met: Vec<Vec<Condition>> = handoffs.iter().map(met_by).collect();
        let mut all: Vec<Condition> = Vec::new();
        for on in met.iter().flatten() {
            if !all.contains(on) {
                all.push(on.clone());
            }
        }
        if all.is_empty() {
            return false;
        }
        let waiting = |(sending, met): (&Sending, &Vec<Condition>)| Waiting {
            is_met: !met.is_empty(),
            is_dropped: false,
            sending: sending.clone(),
        };
        let handoffs = handoffs.iter().zip(&met).map(waiting).collect();
        self.stop(by.id, all, What::Handoffs { from: by.role.clone(), stage, why: why.clone(), handoffs });
        true
    }

    /// Stops if this report meets a breakpoint: then it is not delivered before the person has answered.
    pub(super) fn stops_before_report(
        &mut self,
        by: &Assignment,
        outcome: &Outcome,
        title: &Clean,
        payload: &Payload,
    ) -> bool {
        if !self.run.is_debugged() {
            return false;
        }
        let to = by.parent().and_then(|id| self.run.assignment(id)).map(|above| above.role.clone());
        let (ended, carried) = self.as_reported(by, outcome.clone(), payload.clone());
        let crossing =
            Crossing { from: Some(&by.role), to: to.as_ref(), payload: &carried, report: Some((by.id, &ended)) };
        let met = self.run.met_by(&crossing);
        if met.is_empty() {
            return false;
        }
        let what = What::Report {
            by: by.id,
            from: by.role.clone(),
            to,
            // Unchecked, as the specialist returned it: the person may mend its breach of the contract.
            outcome: outcome.clone(),
            title: title.clone(),
            payload: Box::new(carried),
            is_dropped: false,
        };
        self.stop(by.id, met, what);
        true
    }

    /// Carries out the person's answers at breakpoints: sends, refuses, drops.
    pub(super) fn carry_out_stops(&mut self) {
        let run = self.run;
        for assignment in run.unwaiting().filter(|assignment| assignment.stopped.is_some()) {
            let Some(Checkpoint { subject, answer: Some(answered), .. }) = run.stop_of(assignment) else { continue };
            if let (Subject::Stop(stop), Any::Stop(answer)) = (&**subject, &answered.answer) {
                self.carry_out(assignment, &stop.what, answer);
            }
            // The root has reported: nothing comes after that.
            if self.has_ended_others {
                return;
            }
        }
    }

    fn carry_out(&mut self, by: &Assignment, what: &What, answer: &Answer) {
        match (what, answer) {
            (What::Handoffs { stage, why, handoffs, .. }, Answer::Go { .. }) => {
                self.send_on(by, *stage, why, handoffs);
            }
            (What::Handoffs { stage, handoffs, .. }, Answer::Refuse { why }) => {
                let Some(first) = handoffs.iter().find(|waiting| waiting.is_met).or(handoffs.first()) else { return };
                let why = format!("a handoff to `{}` was not sent: the person refused it: {why}", first.sending.role);
                self.refuse_sending(by, *stage, why, &first.sending);
            }
            (What::Report { is_dropped: true, from, .. }, Answer::Go { .. }) => {
                let payload = Payload::note(format!("the report of the {from} was dropped at a breakpoint"));
                self.report(by, Outcome::Cancelled, "dropped".into(), payload);
            }
            (What::Report { outcome, title, payload, .. }, Answer::Go { .. }) => {
                self.report(by, outcome.clone(), title.clone(), (**payload).clone());
            }
            // It reads this before it reports again.
            (What::Report { .. }, Answer::Refuse { why }) => {
                self.record(Event::Steered { assignment: by.id, act: Steer::Tell { text: why.clone() } });
            }
            // The run continued when that was answered.
            (What::Happened { .. }, _) => {}
        }
    }

    fn send_on(&mut self, by: &Assignment, stage: Stage, why: &Clean, handoffs: &[Waiting]) {
        let kept = || handoffs.iter().filter(|waiting| !waiting.is_dropped).map(|waiting| &waiting.sending);
        let wrong = |sending: &Sending| guard::check_sending(self.run, &self.opening.team, by, sending).err();
        if let Some((sending, why)) = kept().find_map(|sending| Some((sending, wrong(sending)?))) {
            return self.refuse_sending(by, stage, why, sending);
        }
        let opened: Vec<Opened> =
            handoffs.iter().map(|waiting| self.open(by, self.with_working_model(&waiting.sending))).collect();
        let dropped = opened.iter().zip(handoffs).filter(|(_, waiting)| waiting.is_dropped);
        let dropped: Vec<AssignmentId> = dropped.map(|(opened, _)| opened.assignment).collect();
        self.record(Event::HandedOff { by: Some(by.id), stage, why: why.clone(), opened });
        // They are ended before any specialist works on them.
        for assignment in dropped {
            self.record(Event::Steered { assignment, act: Steer::Cancel });
        }
    }

    /// A stopped handoff, moved to a worker whose model takes calls: that may have changed since.
    fn with_working_model(&self, stood: &Sending) -> Sending {
        let mut sending = stood.clone();
        if self.around_latches(&mut sending)
            && let Some(most) = self.opening.team.takes_in(&sending.role, sending.worker)
        {
            sending.payload.fit(most);
        }
        sending
    }

    fn refuse_sending(&mut self, by: &Assignment, stage: Stage, why: String, sending: &Sending) {
        let Sending { role, title, payload, .. } = sending.clone();
        let unsent = Some(Arc::new(Unsent { role, title, payload }));
        self.record(Event::StepRefused { by: by.id, stage, why: why.into(), unsent });
    }
}
