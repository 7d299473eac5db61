//! Events: facts about a run, in the past tense, appended and never changed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attempt::Fault;
use super::breakpoint::{BreakpointNo, Condition};
use super::budget::{Amounts, Draws, Limits, Refusal};
use super::checkpoint::{Answer, Approver, Edit, Subject};
use super::evidence::Corpus;
use super::foreign::{Note, Origin, Told};
use super::fork::Fork;
use super::handoff::{Handoff, Outcome, Unsent};
use super::id::{AssignmentId, At, CallId, CheckpointId, Role, RunId, Seq, TaskId};
use super::model::{ModelRequest, Reply};
use super::plan::Plan;
use super::stage::Stage;
use super::steer::Steer;
use super::team::{Team, Worker};
use super::tool::{ToolCall, ToolResult};
use text::listed::listed;
use text::{Clean, count};

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

/// The beginning of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// Its id.
    pub run: RunId,
    /// The question.
    pub question: Clean,
    /// Folders and files to search, as absolute paths.
    pub sources: Vec<String>,
    /// Search backends on the web that are used as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<Clean>,
    /// The team that works on it.
    pub team: Team,
    /// About how many words the brief is to have.
    pub words: u32,
    /// Caps of the run.
    pub limits: Limits,
    /// Version of the program.
    pub version: Clean,
    /// The recorded run, or the file with its events, whose answers are replayed instead of calling models and tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_from: Option<Clean>,
    /// The drill, if it is one: its specialists follow a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drill: Option<Clean>,
    /// The two briefs, as Markdown, that it judges; None in a run that answers its question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub briefs: Option<[Clean; 2]>,
    /// The part of an evaluation that it is; None in a run of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of_eval: Option<PartOfEval>,
    /// The origin, if another program wrote the run. Nothing is ever decided in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Arc<Origin>>,
}

impl Opening {
    /// A run of this version of the program that searches nothing, has no caps, and asks for no particular length.
    pub fn new(run: RunId, question: Clean, team: Team) -> Opening {
        Opening {
            run,
            question,
            sources: Vec::new(),
            web: Vec::new(),
            team,
            words: 0,
            limits: Limits::default(),
            version: env!("CARGO_PKG_VERSION").into(),
            answers_from: None,
            drill: None,
            briefs: None,
            part_of_eval: None,
            origin: None,
        }
    }

    /// A sentence if it lists more questions than a plan of its team has room for.
    pub fn without_room(&self) -> Option<String> {
        self.team.order.plans()?;
        let most = self.team.most_tasks as usize;
        let last = match listed(&self.question).questions.len().saturating_sub(most) {
            0 => return None,
            1 => "question".into(),
            several => count(several, "question"),
        };
        Some(format!("a plan has at most {}: the last {last} may be left out", count(most, "task")))
    }
}

/// The part of an evaluation that a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOfEval {
    /// The name of its question in the set.
    pub question: Clean,
    /// A digest of everything that its result depends on: a later evaluation takes up a run with the same digest.
    pub digest: Clean,
}

/// An assignment that a handoff opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Its id.
    pub assignment: AssignmentId,
    /// Its role.
    pub role: Role,
    /// The task of the plan that it fills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The assignment that it replaces: it reports in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<AssignmentId>,
    /// The worker of the role that does it.
    #[serde(default, skip_serializing_if = "Worker::is_member")]
    pub worker: Worker,
    /// The earliest moment at which it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<At>,
    /// The assignment that failed at the same work: this one has the rest of its caps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<AssignmentId>,
    /// Its name where it comes from, in an imported run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Arc<Told>>,
    /// Its caps.
    pub limits: Limits,
    /// Whether it may use the landing reserve.
    pub draws: Draws,
    /// The work it was handed.
    pub handoff: Arc<Handoff>,
}

impl Opened {
    /// By the member itself, starting at once, for no task of the plan.
    pub fn new(assignment: AssignmentId, role: Role, limits: Limits, draws: Draws, handoff: Arc<Handoff>) -> Opened {
        let (instead_of, worker, not_before, again, told) = Default::default();
        Opened { assignment, role, task: None, instead_of, worker, not_before, again, told, limits, draws, handoff }
    }
}

/// A tool call that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// Its id.
    pub call: CallId,
    /// The request.
    pub request: Arc<ToolCall>,
    /// Whether it may go out.
    pub admission: Admission,
}

/// A part of the run's caps for an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allotment {
    /// The assignment.
    pub to: AssignmentId,
    /// The part, including its use so far.
    pub part: Limits,
}

/// Whether the ledger admits a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Admission {
    /// It may be sent; this much is reserved for it.
    Reserved(Amounts),
    /// It may not be sent, ever.
    Refused(Refusal),
    /// It waits for calls under way to be settled: their unused part may be enough for it.
    Queued,
}

/// The decision on a call in doubt. The reservation of a model call stays in doubt either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubtAnswer {
    /// It is made again: a model call with a reservation of its own.
    Retry,
    /// It is treated as failed.
    Skip,
}

/// The name of every event, as it is written in the journal.
pub const NAMES: &[&str] = &[
    "run_opened",
    "forked",
    "attached",
    "stood_still",
    "sources_read",
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
