//! What crosses between the desk and a face: commands in, notices out. Pure data; a command becomes an event here.

use std::sync::Arc;

use crate::checkpoint::{Act, Answer, Approver};
use crate::event::{DoubtAnswer, Event};
use crate::id::{AssignmentId, At, CallId, CheckpointId, TaskId};
use crate::inquiry::{self, Inquiry};
use crate::plan::{Bounds, PlanEdit};
use crate::proposal::PlanAnswer;
use crate::{Envelope, Limits, Run, Steer};
use text::Clean;

/// What a person asks of the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Do something at a checkpoint.
    Act {
        /// Where.
        checkpoint: CheckpointId,
        /// What.
        act: Act,
    },
    /// Change the plan at a plan checkpoint.
    EditPlan {
        /// Where.
        checkpoint: CheckpointId,
        /// What.
        edit: PlanEdit,
    },
    /// Close a plan checkpoint: plan anew.
    AnotherPlan {
        /// Which.
        checkpoint: CheckpointId,
        /// What is wished of it; may be empty.
        wish: Clean,
    },
    /// Close a checkpoint: work the plan as it was left, or write with the findings that are left.
    Approve {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Close a findings checkpoint: look further first.
    More {
        /// Which.
        checkpoint: CheckpointId,
        /// For which task; None for all of them.
        task: Option<TaskId>,
        /// What is wanted; may be empty.
        wish: Clean,
    },
    /// Answer a question that a specialist put to the person.
    Answer {
        /// Which.
        checkpoint: CheckpointId,
        /// What is said.
        answer: inquiry::Answer,
    },
    /// Say what becomes of a model call whose end nobody saw.
    Settle {
        /// Which.
        call: CallId,
        /// What.
        answer: DoubtAnswer,
    },
    /// Steer one assignment while the others go on.
    Steer {
        /// Which.
        assignment: AssignmentId,
        /// How.
        act: Steer,
    },
    /// Raise caps of the run to these.
    RaiseCap(Limits),
    /// Start nothing new.
    Pause,
    /// Go on.
    Continue,
    /// Stop for good.
    Cancel,
}

/// What the desk tells a face.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Events, after they were committed.
    Committed(Vec<Arc<Envelope>>),
    /// How far reading the sources is. Not recorded.
    Reading {
        /// Files looked at.
        files_done: u64,
        /// Files there are, as far as is known.
        files_total: u64,
    },
    /// What a model call waits for, and until when if that is known. Not recorded.
    Waiting {
        /// Which call.
        call: CallId,
        /// For what, in words for a person.
        why: Clean,
        /// Until when.
        until: Option<At>,
    },
    /// A piece of a model's answer as it came. Not recorded; the whole answer is.
    Heard {
        /// Of which call.
        call: CallId,
        /// The piece.
        text: Clean,
    },
    /// A command was not carried out, and why.
    Refused(Clean),
    /// Whoever worked on the run is gone, and it has not ended: it can be taken over.
    Abandoned,
    /// The desk has stopped; a message where it did not stop of itself.
    Stopped(Option<Clean>),
}

impl Command {
    /// The fact that carrying out this command makes, or why it cannot be carried out in this state of the run.
    pub fn fact(self, run: &Run, by: Approver) -> Result<Event, String> {
        if run.ended().is_some() {
            return Err("the run has ended".into());
        }
        match self {
            Command::Act { checkpoint, act } => {
                open(run, checkpoint)?.accepts(&act)?;
                Ok(Event::PersonActed { checkpoint, act })
            }
            Command::EditPlan { checkpoint, edit } => {
                let bounds = run.opening.as_ref().map(|opening| Bounds::of(&opening.team)).unwrap_or_default();
                proposed(run, checkpoint)?.accepts(&edit, &bounds)?;
                Ok(Event::PlanEdited { checkpoint, edit })
            }
            Command::AnotherPlan { checkpoint, wish } => {
                proposed(run, checkpoint)?;
                if let Some(why) = run.no_other_plan() {
                    return Err(why);
                }
                Ok(Event::PlanAnswered { checkpoint, answer: PlanAnswer::Another { wish } })
            }
            Command::Approve { checkpoint } if proposed(run, checkpoint).is_ok() => {
                Ok(Event::PlanAnswered { checkpoint, answer: PlanAnswer::Approved { by } })
            }
            Command::Approve { checkpoint } if let Some(inquiry) = asked(run, checkpoint) => {
                Ok(Event::PersonAnswered { checkpoint, by, answer: inquiry.question.by_policy() })
            }
            Command::Answer { checkpoint, answer } => {
                let inquiry = asked(run, checkpoint).ok_or("this question is not open any more")?;
                inquiry.question.accepts(&answer)?;
                Ok(Event::PersonAnswered { checkpoint, by, answer })
            }
            Command::Approve { checkpoint } => {
                let digest = crate::checkpoint::digest(&open(run, checkpoint)?.approved());
                Ok(Event::CheckpointClosed { checkpoint, answer: Answer::Approved { by, digest } })
            }
            Command::More { checkpoint, task, wish } => {
                open(run, checkpoint)?;
                let most = run.opening.as_ref().map_or(0, |opening| opening.team.more_rounds) as usize;
                let asked = run.checkpoints.iter().filter(|c| matches!(c.answer, Some(Answer::More { .. }))).count();
                if asked >= most {
                    return Err(format!(
                        "more was asked for {asked} times, which is the team's limit; approve, or add facts of your own"
                    ));
                }
                if task.is_some_and(|id| run.plan.as_ref().is_none_or(|plan| plan.task(id).is_none())) {
                    return Err("the plan has no such task".into());
                }
                Ok(Event::CheckpointClosed { checkpoint, answer: Answer::More { task, wish } })
            }
            Command::Settle { call, answer } => match run.in_doubt.contains_key(&call) {
                true => Ok(Event::DoubtAnswered { call, answer }),
                false => Err("nobody doubts how this call ended".into()),
            },
            Command::Steer { assignment, act } => {
                run.accepts(assignment, &act)?;
                Ok(Event::Steered { assignment, act })
            }
            Command::RaiseCap(to) => match run.raised(to) {
                Ok(to) => Ok(Event::CapRaised { to }),
                Err(why) => Err(why.to_string()),
            },
            Command::Pause if run.held => Err("the run is paused already".into()),
            Command::Pause => Ok(Event::Paused),
            Command::Continue if !run.held && run.latch.is_none() => Err("the run is not paused".into()),
            Command::Continue => Ok(Event::Continued),
            Command::Cancel if run.cancelled => Err("the run is being cancelled".into()),
            Command::Cancel => Ok(Event::Cancelled),
        }
    }
}

fn asked(run: &Run, id: CheckpointId) -> Option<&Inquiry> {
    run.open_inquiry().filter(|inquiry| inquiry.id == id)
}

fn proposed(run: &Run, id: CheckpointId) -> Result<&crate::Proposal, String> {
    run.open_proposal().filter(|proposal| proposal.id == id).ok_or_else(|| "this checkpoint is not open".into())
}

fn open(run: &Run, id: CheckpointId) -> Result<&crate::Checkpoint, String> {
    run.open_checkpoint().filter(|checkpoint| checkpoint.id == id).ok_or_else(|| "this checkpoint is not open".into())
}
