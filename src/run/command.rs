//! The messages between the desk and a front end: commands in, notices out. A command is checked and becomes an event here.

use std::sync::Arc;

use crate::checkpoint::{Answer, Approver, Checkpoint, Edit, budget};
use crate::event::{DoubtAnswer, Event};
use crate::id::{AssignmentId, At, CallId, CheckpointId};
use crate::progress::{Progress, Saying};
use crate::{BreakpointNo, Condition, Envelope, Limits, Run, Steer};
use text::Clean;

/// A command of a person to the desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Change the subject of a checkpoint.
    Edit {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The change.
        edit: Edit,
    },
    /// Answer at a checkpoint, which closes it.
    Answer {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The answer.
        answer: Answer,
    },
    /// Approve a checkpoint's subject as it stands when this is carried out.
    Approve {
        /// The checkpoint.
        checkpoint: CheckpointId,
    },
    /// Decide on a call in doubt.
    Settle {
        /// The call.
        call: CallId,
        /// The answer.
        answer: DoubtAnswer,
    },
    /// Steer one assignment while the others go on.
    Steer {
        /// The assignment.
        assignment: AssignmentId,
        /// The order to it.
        act: Steer,
    },
    /// Raise caps of the run to these.
    RaiseCap(Limits),
    /// Set a breakpoint.
    Break(Condition),
    /// Clear a breakpoint.
    ClearBreak(BreakpointNo),
    /// Start nothing new.
    Pause,
    /// Go on.
    Continue,
    /// Stop for good.
    Cancel,
}

/// A message of the desk to a front end.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Events, after they were committed.
    Committed(Vec<Arc<Envelope>>),
    /// All events of a run that is followed from files: an earlier one is told otherwise now.
    Retold(Vec<Arc<Envelope>>),
    /// The progress of reading the sources. Not recorded.
    Reading {
        /// Files looked at.
        files_done: u64,
        /// Files there are, as far as is known.
        files_total: u64,
    },
    /// The reason why a model call waits, and the end of the wait if it is known. Not recorded.
    Waiting {
        /// The call.
        call: CallId,
        /// The reason, in words for a person.
        why: Clean,
        /// Until when.
        until: Option<At>,
    },
    /// The progress of a model's answer, about once a second. Not recorded.
    GoesOn {
        /// The call.
        call: CallId,
        /// The progress.
        progress: Progress,
    },
    /// A piece of a model's answer as it came. Not recorded; the whole answer is.
    Heard {
        /// The call.
        call: CallId,
        /// A part of the answer.
        what: Saying,
        /// The piece.
        text: Clean,
    },
    /// Something that a person should know and that changes nothing. Not recorded.
    Said(Clean),
    /// A command was not carried out, and why.
    Refused(Clean),
    /// The process that worked on the run is gone, and the run has not ended: it can be taken over.
    Abandoned,
    /// The desk has stopped; with a message if an error stopped it.
    Stopped(Option<Clean>),
}

impl Command {
    /// The event that carrying out this command records.
    ///
    /// # Errors
    /// The error is the reason why it cannot be carried out in this state of the run, in words for the person.
    pub fn fact(self, run: &Run, by: Approver) -> Result<Event, String> {
        if run.ended().is_some() {
            return Err("the run has ended".into());
        }
        match self {
            Command::Edit { checkpoint, edit } => {
                waiting(run, checkpoint)?.accepts(&edit, run)?;
                Ok(Event::CheckpointEdited { checkpoint, edit })
            }
            Command::Answer { checkpoint, answer } => {
                waiting(run, checkpoint)?.allows(&answer, run)?;
                Ok(Event::CheckpointAnswered { checkpoint, by, answer })
            }
            Command::Approve { checkpoint } => {
                let open = waiting(run, checkpoint)?;
                let answer = open.subject.approval();
                open.allows(&answer, run)?;
                Ok(Event::CheckpointAnswered { checkpoint, by, answer })
            }
            Command::Settle { call, answer } => match run.in_doubt.contains_key(&call) {
                true => Ok(Event::DoubtAnswered { call, answer }),
                false => Err("this call is not in doubt".into()),
            },
            Command::Steer { assignment, act } => {
                run.accepts(assignment, &act)?;
                Ok(Event::Steered { assignment, act })
            }
            Command::RaiseCap(to) => match run.raised(to) {
                // If work waits at one of them, that is the answer.
                Ok(to) => Ok(match run.waits_at_cap().filter(|(_, budget)| budget.is_raised_by(to)) {
                    Some((open, _)) => {
                        let answer = Answer::Budget(budget::Answer::Raise { to });
                        Event::CheckpointAnswered { checkpoint: open.id, by, answer }
                    }
                    None => Event::CapRaised { to },
                }),
                Err(why) => Err(why.to_string()),
            },
            Command::Break(on) => {
                run.may_break(&on)?;
                Ok(Event::BreakpointSet { breakpoint: run.next_breakpoint(), on })
            }
            Command::ClearBreak(breakpoint) => match run.breakpoints.iter().any(|set| set.no == breakpoint) {
                true => Ok(Event::BreakpointCleared { breakpoint }),
                false => Err(format!("there is no breakpoint {breakpoint}")),
            },
            Command::Pause if run.paused => Err("the run is paused already".into()),
            Command::Pause => Ok(Event::Paused),
            Command::Continue if !run.paused && run.latches.is_empty() => Err("the run is not paused".into()),
            Command::Continue => Ok(Event::Continued),
            Command::Cancel if run.cancelled => Err("the run is being cancelled".into()),
            Command::Cancel => Ok(Event::Cancelled),
        }
    }
}

fn waiting(run: &Run, id: CheckpointId) -> Result<&Checkpoint, String> {
    run.waiting().find(|checkpoint| checkpoint.id == id).ok_or_else(|| "this checkpoint is not open".into())
}
