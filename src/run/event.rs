//! Events: facts about a run, in the past tense, appended and never changed.

mod opened;
mod opening;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attempt::Fault;
use super::breakpoint::{BreakpointNo, Condition};
use super::budget::{Amounts, Limits};
use super::checkpoint::{Answer, Approver, Edit, Subject};
use super::evidence::Corpus;
use super::foreign::Note;
use super::fork::Fork;
use super::handoff::{Handoff, Outcome, Unsent};
use super::id::{AssignmentId, At, CallId, CheckpointId, Seq};
use super::model::{ModelRequest, Reply};
use super::plan::Plan;
use super::stage::Stage;
use super::steer::Steer;
use super::team::Worker;
use super::tool::ToolResult;
use text::Clean;

pub use opened::{Admission, Allotment, Called, DoubtAnswer, Opened};
pub use opening::{Opening, PartOfEval};

/// An event with its place and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// Its place in the run.
    pub seq: Seq,
    /// The time at which it was recorded.
    pub at: At,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A person asked a question.
    RunOpened(Arc<Opening>),
    /// The run begins as another was at one of its events: the events before this one happened there, and were paid for there. A
    /// run without one, as in journals from before, is no fork.
    Forked(Arc<Fork>),
    /// A process began to work on the run: at its start, and again at each resume.
    Attached {
        /// Version of the program.
        version: Clean,
        /// The last moment at which the process before it is known to have worked on the run: working time counts until then, also
        /// where it was killed while nothing came back. None if it is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worked_until: Option<At>,
    },
    /// The process that works on the run stood still until now: its machine slept, or a shell stopped it.
    StoodStill {
        /// The last moment at which it is known to have worked: working time counts until then.
        worked_until: At,
    },
    /// The collection was read and can be searched.
    SourcesRead {
        /// Its content.
        corpus: Arc<Corpus>,
    },
    /// Documents that the run had read were changed or gone when it was resumed.
    SourcesChanged {
        /// Their paths.
        documents: Vec<Clean>,
    },
    /// An assignment handed work to others: one turn of its transcript. Opens an assignment for each.
    HandedOff {
        /// The assignment; None for the person, who opens the root.
        by: Option<AssignmentId>,
        /// The stage of its work.
        stage: Stage,
        /// The reason, in a sentence.
        why: Clean,
        /// The assignments that were opened.
        opened: Vec<Opened>,
    },
    /// An assignment called tools: one turn of its transcript. The reservation is part of the fact.
    ToolsCalled {
        /// The assignment.
        by: AssignmentId,
        /// The stage of its work.
        stage: Stage,
        /// The reason, in a sentence.
        why: Clean,
        /// The calls, in order.
        calls: Vec<Called>,
    },
    /// A queued call was admitted or refused.
    CallAdmitted {
        /// The call.
        call: CallId,
        /// Whether it may go out; never queued again.
        admission: Admission,
        /// The most tokens of the answer, where less than was asked for fits; None in journals from before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tokens: Option<u32>,
    },
    /// A call of a tool that is not safe to repeat starts now: recorded before it is performed.
    ToolStarted {
        /// The call.
        call: CallId,
    },
    /// A tool call came back.
    ToolReturned {
        /// The call.
        call: CallId,
        /// The result.
        result: Arc<ToolResult>,
        /// The amounts used.
        used: Amounts,
    },
    /// A tool call failed.
    ToolFailed {
        /// The call.
        call: CallId,
        /// The reason, in words for a person.
        error: Clean,
        /// The cost.
        used: Amounts,
    },
    /// An assignment asked a model: one turn of its transcript. The reservation is part of the fact.
    ModelCalled {
        /// The assignment.
        by: AssignmentId,
        /// The stage of its work.
        stage: Stage,
        /// The reason, in a sentence.
        why: Clean,
        /// The call.
        call: CallId,
        /// The part of the conversation that is new.
        request: Arc<ModelRequest>,
        /// Whether it may go out.
        admission: Admission,
    },
    /// An attempt is sent now: recorded before its first byte leaves.
    AttemptSent {
        /// The call.
        call: CallId,
        /// Its number.
        attempt: u32,
    },
    /// An attempt failed.
    AttemptFailed {
        /// The call.
        call: CallId,
        /// Its number.
        attempt: u32,
        /// The fault.
        fault: Arc<Fault>,
        /// The cost.
        used: Amounts,
        /// The cost that it may have beyond that: it stays reserved, in doubt.
        doubt: Amounts,
    },
    /// A call is tried again, with a reservation of its own.
    AttemptDue {
        /// The call.
        call: CallId,
        /// The number of the new attempt.
        attempt: u32,
        /// The earliest moment at which it may be sent.
        not_before: At,
        /// Whether it may go out.
        admission: Admission,
    },
    /// A model answered.
    ModelReplied {
        /// The call.
        call: CallId,
        /// The answer.
        reply: Arc<Reply>,
        /// The amounts used.
        used: Amounts,
    },
    /// A model call is given up.
    ModelFailed {
        /// The call.
        call: CallId,
        /// The reason, in words for a person.
        error: Clean,
    },
    /// The person, or a policy of theirs, decided on a call in doubt.
    DoubtAnswered {
        /// The call.
        call: CallId,
        /// The answer.
        answer: DoubtAnswer,
    },
    /// The supervisor adopted a plan: one turn of its transcript.
    PlanAdopted {
        /// The supervisor that adopted it.
        by: AssignmentId,
        /// The plan.
        plan: Arc<Plan>,
    },
    /// A step was refused before it was done: one turn of its transcript. Nothing was sent.
    StepRefused {
        /// The assignment whose step it was.
        by: AssignmentId,
        /// The stage to which the step would have led.
        stage: Stage,
        /// The reason.
        why: Clean,
        /// The handoff that was not sent, if it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unsent: Option<Arc<Unsent>>,
    },
    /// An assignment paused for the person: one turn of its transcript.
    CheckpointOpened {
        /// Its number.
        checkpoint: CheckpointId,
        /// The assignment that paused.
        by: AssignmentId,
        /// The subject that is put before the person.
        subject: Arc<Subject>,
    },
    /// The person changed the subject before them.
    CheckpointEdited {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The change.
        edit: Edit,
    },
    /// The person answered, which closes the checkpoint.
    CheckpointAnswered {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The author of the answer: a person, or the policy `--yes`.
        by: Approver,
        /// The answer.
        answer: Answer,
    },
    /// Parts of the run's caps are kept for assignments. Before that they begin nothing.
    Allotted {
        /// Each with its part.
        parts: Vec<Allotment>,
    },
    /// An assignment needs more than is kept for it: it waits until the others are through.
    RanShort {
        /// The assignment.
        assignment: AssignmentId,
    },
    /// The person raised caps of the run, where it asked something of them.
    CapRaised {
        /// The new caps, of those that were raised.
        to: Limits,
    },
    /// The person set a breakpoint.
    BreakpointSet {
        /// Its number.
        breakpoint: BreakpointNo,
        /// The condition on which the run stands still.
        on: Condition,
    },
    /// The person cleared a breakpoint.
    BreakpointCleared {
        /// Its number.
        breakpoint: BreakpointNo,
    },
    /// An assignment ended and reported to the one that opened it, or the root to the person.
    Reported {
        /// The assignment that ended.
        by: AssignmentId,
        /// Its outcome.
        outcome: Outcome,
        /// The report.
        handoff: Arc<Handoff>,
    },
    /// A supervisor's model can no longer lead: another model or the rules of the team take over, on the same transcript.
    Relieved {
        /// The supervisor.
        by: AssignmentId,
        /// The reason why it could not go on.
        why: Clean,
        /// The fallback that leads from here on; None for the rules, as in journals that do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Worker>,
    },
    /// Something was told of an assignment of an imported run that is no step taken here: one turn of its transcript.
    Noted {
        /// The assignment.
        by: AssignmentId,
        /// The note.
        note: Note,
    },
    /// The person steered one assignment while the others go on.
    Steered {
        /// The assignment.
        assignment: AssignmentId,
        /// The person's order to it.
        act: Steer,
    },
    /// The supervisor has enough without an assignment that it handed out: it is ended, with those below it.
    NoLongerNeeded {
        /// The assignment.
        assignment: AssignmentId,
    },
    /// The person paused the run: nothing new starts.
    Paused,
    /// The run continues.
    Continued,
    /// The person stopped the run for good.
    Cancelled,
}

/// The name of every event, as it is written in the journal.
pub const NAMES: &[&str] = &[
    "run_opened",
    "forked",
    "attached",
    "stood_still",
    "sources_read",
    "sources_changed",
    "handed_off",
    "tools_called",
    "call_admitted",
    "tool_started",
    "tool_returned",
    "tool_failed",
    "model_called",
    "attempt_sent",
    "attempt_failed",
    "attempt_due",
    "model_replied",
    "model_failed",
    "doubt_answered",
    "plan_adopted",
    "step_refused",
    "relieved",
    "checkpoint_opened",
    "checkpoint_edited",
    "checkpoint_answered",
    "allotted",
    "ran_short",
    "cap_raised",
    "breakpoint_set",
    "breakpoint_cleared",
    "reported",
    "noted",
    "steered",
    "no_longer_needed",
    "paused",
    "continued",
    "cancelled",
];

impl Event {
    /// The call that it tells of; None where it tells of something else, or of several calls.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Event::CallAdmitted { call, .. }
            | Event::ToolStarted { call }
            | Event::ToolReturned { call, .. }
            | Event::ToolFailed { call, .. }
            | Event::AttemptSent { call, .. }
            | Event::AttemptFailed { call, .. }
            | Event::AttemptDue { call, .. }
            | Event::ModelReplied { call, .. }
            | Event::ModelFailed { call, .. }
            | Event::DoubtAnswered { call, .. } => Some(*call),
            _ => None,
        }
    }

    /// The assignment that it is of: who did it, or whose call it tells of. None where it is of the whole run.
    pub fn by(&self) -> Option<AssignmentId> {
        match self {
            Event::HandedOff { by, .. } => *by,
            Event::ToolsCalled { by, .. }
            | Event::ModelCalled { by, .. }
            | Event::PlanAdopted { by, .. }
            | Event::StepRefused { by, .. }
            | Event::Relieved { by, .. }
            | Event::Noted { by, .. }
            | Event::CheckpointOpened { by, .. }
            | Event::Reported { by, .. } => Some(*by),
            _ => self.call().map(|call| call.assignment),
        }
    }

    /// Whether what it changes is of the assignments that it names, and of those that open them, alone.
    pub(crate) fn concerns_one(&self) -> bool {
        matches!(
            self,
            Event::HandedOff { .. }
                | Event::ToolsCalled { .. }
                | Event::CallAdmitted { .. }
                | Event::Allotted { .. }
                | Event::RanShort { .. }
                | Event::ToolStarted { .. }
                | Event::ToolReturned { .. }
                | Event::ToolFailed { .. }
                | Event::ModelCalled { .. }
                | Event::AttemptSent { .. }
                | Event::ModelReplied { .. }
                | Event::PlanAdopted { .. }
                | Event::StepRefused { .. }
                | Event::Reported { .. }
                | Event::Noted { .. }
        )
    }

    /// The event's name as it is written in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            Event::RunOpened(_) => "run_opened",
            Event::Forked(_) => "forked",
            Event::Attached { .. } => "attached",
            Event::StoodStill { .. } => "stood_still",
            Event::SourcesRead { .. } => "sources_read",
            Event::SourcesChanged { .. } => "sources_changed",
            Event::HandedOff { .. } => "handed_off",
            Event::ToolsCalled { .. } => "tools_called",
            Event::CallAdmitted { .. } => "call_admitted",
            Event::ToolStarted { .. } => "tool_started",
            Event::ToolReturned { .. } => "tool_returned",
            Event::ToolFailed { .. } => "tool_failed",
            Event::ModelCalled { .. } => "model_called",
            Event::AttemptSent { .. } => "attempt_sent",
            Event::AttemptFailed { .. } => "attempt_failed",
            Event::AttemptDue { .. } => "attempt_due",
            Event::ModelReplied { .. } => "model_replied",
            Event::ModelFailed { .. } => "model_failed",
            Event::DoubtAnswered { .. } => "doubt_answered",
            Event::PlanAdopted { .. } => "plan_adopted",
            Event::StepRefused { .. } => "step_refused",
            Event::Relieved { .. } => "relieved",
            Event::CheckpointOpened { .. } => "checkpoint_opened",
            Event::CheckpointEdited { .. } => "checkpoint_edited",
            Event::CheckpointAnswered { .. } => "checkpoint_answered",
            Event::Allotted { .. } => "allotted",
            Event::RanShort { .. } => "ran_short",
            Event::CapRaised { .. } => "cap_raised",
            Event::BreakpointSet { .. } => "breakpoint_set",
            Event::BreakpointCleared { .. } => "breakpoint_cleared",
            Event::Reported { .. } => "reported",
            Event::Noted { .. } => "noted",
            Event::Steered { .. } => "steered",
            Event::NoLongerNeeded { .. } => "no_longer_needed",
            Event::Paused => "paused",
            Event::Continued => "continued",
            Event::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Team;

    #[test]
    fn every_event_is_named() {
        let said = serde_json::from_str::<Event>(r#"{"event": "?"}"#).unwrap_err().to_string();
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        let sorted = |names: &[&str]| std::collections::BTreeSet::from_iter(names.iter().map(|name| name.to_string()));
        assert_eq!(sorted(&known), sorted(NAMES), "{said}");
    }

    #[test]
    fn a_journal_of_before_the_web_is_still_read() {
        let corpus: Corpus =
            serde_json::from_str(r#"{"documents":0,"blocks":0,"bytes":0,"skipped":[],"skipped_count":0}"#).unwrap();
        assert!(corpus.is_empty() && corpus.web.is_empty());
        let mut json = serde_json::json!({
            "run": "7f3k2m", "question": "Why?", "sources": ["/notes"], "words": 500, "version": "0.1.0",
            "limits": Limits::default(), "team": serde_json::to_value(Team::sample()).unwrap(),
        });
        let old: Opening = serde_json::from_value(json.clone()).unwrap();
        assert!(old.web.is_empty());
        assert!(serde_json::to_value(&old).unwrap().get("web").is_none(), "it is written as it was");
        json["web"] = serde_json::json!(["wikipedia"]);
        assert_eq!(serde_json::from_value::<Opening>(json).unwrap().web, ["wikipedia"]);
    }
}
