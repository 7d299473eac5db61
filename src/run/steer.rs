//! Steering: the person's actions on a single assignment while the others go on, and the times when they are possible.
//!
//! The supervisor carries it out, from the recorded state.

use serde::{Deserialize, Serialize};

use super::budget::Draws;
use super::handoff::{Contract, Outcome};
use super::id::{AssignmentId, At, Role};
use super::state::{Assignment, Ending, Run};
use super::transcript::{Did, Sent};
use text::Clean;

/// The priority of an assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// After the others.
    Low,
    /// Like most.
    #[default]
    Normal,
    /// Before the others.
    High,
}

impl Priority {
    /// The next higher one; None if there is none.
    pub fn raised(self) -> Option<Priority> {
        match self {
            Priority::Low => Some(Priority::Normal),
            Priority::Normal => Some(Priority::High),
            Priority::High => None,
        }
    }

    /// The next lower one; None if there is none.
    pub fn lowered(self) -> Option<Priority> {
        match self {
            Priority::Low => None,
            Priority::Normal => Some(Priority::Low),
            Priority::High => Some(Priority::Normal),
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Priority::Low => "low",
            Priority::Normal => "normal",
            Priority::High => "high",
        }
    }
}

/// An action of the person on one assignment, and, except for a message, on those below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steer {
    /// Works on it sooner or later than on others.
    Prioritise(Priority),
    /// Starts no further step of it. Calls under way come back.
    #[serde(rename = "hold")]
    Pause,
    /// Lets it go on.
    #[serde(rename = "release")]
    Continue,
    /// Ends it. Calls under way are given up.
    Cancel,
    /// Gives its work to a fresh assignment in its place, and ends it if it has not ended.
    Retry,
    /// The same, to another member of the team.
    Reassign {
        /// The receiver.
        role: Role,
    },
    /// Sends it a message that it reads at its next turn.
    Tell {
        /// The message.
        text: Clean,
    },
}

impl Steer {
    /// The action, in a few words.
    pub fn in_words(&self) -> String {
        match self {
            Steer::Prioritise(priority) => format!("{} priority", priority.word()),
            Steer::Pause => "paused".into(),
            Steer::Continue => "goes on".into(),
            Steer::Cancel => "cancelled".into(),
            Steer::Retry => "tried again".into(),
            Steer::Reassign { role } => format!("given to the {role}"),
            Steer::Tell { text } => format!("told: {text}"),
        }
    }
}

/// A message of the person to one assignment: part of its transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message.
    pub text: Clean,
    /// The number of turns that it had taken when the message came.
    pub before: u32,
    /// The time at which it came.
    pub at: At,
}

impl Message {
    /// The text for a model: the words of the person, and the instruction on how to heed them.
    pub fn told(&self, heeding: &str) -> String {
        format!("{}{heeding}", self.said())
    }

    /// The beginning of that text, for any instruction.
    pub(crate) fn said(&self) -> String {
        format!("The person you work for says:\n{}\n", self.text)
    }
}

/// The state of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It waits for the next turn.
    Queued,
    /// A turn has taken it in, and is under way.
    Read,
    /// The calls of that turn have come back.
    Answered,
    /// The assignment ended before it could read it.
    Missed,
}

impl Heard {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Heard::Queued => "queued",
            Heard::Read => "read",
            Heard::Answered => "answered",
            Heard::Missed => "not read: it had ended",
        }
    }
}

/// The longest message, in bytes.
pub const LONGEST_MESSAGE: usize = 8_000;

impl Run {
    /// Whether this can be done to an assignment now.
    ///
    /// # Errors
    /// It has ended, has moved on, or cannot be steered so: in words, with an action to take instead.
    pub fn accepts(&self, id: AssignmentId, act: &Steer) -> Result<(), String> {
        let assignment = self.assignment(id).ok_or_else(|| format!("there is no assignment {id}"))?;
        let Some(parent) = assignment.parent() else {
            return match act {
                Steer::Tell { .. } if self.is_led_by_model() && self.ended().is_none() => {
                    self.accepts_open(assignment, act)
                }
                _ => Err("the supervisor leads the run: pause (p) or stop (x) the whole run instead".into()),
            };
        };
        if self.cancelled || self.ended().is_some() {
            return Err("the run is over for all of its specialists".into());
        }
        let name = self.called(assignment);
        match &assignment.ending {
            Some(Ending::Cancelled | Ending::Enough) if assignment.ended.is_none() => {
                return Err(format!("{name} is being cancelled"));
            }
            Some(Ending::Replaced { with: Some(_), .. }) => {
                return Err(format!("{name} was given up for another try: steer that one"));
            }
            Some(Ending::Replaced { .. }) => return Err(format!("{name} is being tried again")),
            Some(Ending::Cancelled | Ending::Enough) | None => {}
        }
        match act {
            Steer::Retry => self.may_be_replaced(assignment, parent),
            Steer::Reassign { role } => {
                self.may_be_replaced(assignment, parent)?;
                match self.could_do(id).contains(role) {
                    true => Ok(()),
                    false => Err(format!("`{role}` cannot do the work of {name}")),
                }
            }
            _ => match &assignment.ended {
                Some((outcome, _)) => Err(self.too_late(assignment, parent, outcome, act)),
                None => self.accepts_open(assignment, act),
            },
        }
    }

    fn accepts_open(&self, assignment: &Assignment, act: &Steer) -> Result<(), String> {
        let name = self.called(assignment);
        match act {
            Steer::Prioritise(priority) if *priority == assignment.priority => {
                Err(format!("{name} has {} priority already", priority.word()))
            }
            Steer::Pause if assignment.paused => Err(format!("{name} is paused already")),
            Steer::Continue if !assignment.paused => Err(format!("{name} is not paused")),
            Steer::Tell { text } if text.trim().is_empty() => Err("write a message first".into()),
            Steer::Tell { text } if text.len() > LONGEST_MESSAGE => {
                Err(format!("the message has {} bytes, the most is {LONGEST_MESSAGE}: make it shorter", text.len()))
            }
            Steer::Tell { .. } if !self.reads_messages(assignment) => Err(format!(
                "{name} works by a fixed rule and reads no messages; researchers do, and specialists with a model"
            )),
            _ => Ok(()),
        }
    }

    /// In words: that it has ended, and what to do instead.
    fn too_late(&self, assignment: &Assignment, parent: AssignmentId, outcome: &Outcome, act: &Steer) -> String {
        let name = self.called(assignment);
        let what = match act {
            Steer::Tell { .. } => format!("{name} has ended ({outcome}): it reads no more messages"),
            _ => format!("{name} has ended ({outcome})"),
        };
        let retry = self.may_be_replaced(assignment, parent).is_ok();
        match (retry, assignment.task.is_some()) {
            (true, _) => format!("{what}; try it again (a), or ask for more at the findings checkpoint (m)"),
            (false, true) => format!("{what}; ask for more at the findings checkpoint (m)"),
            (false, false) => what,
        }
    }

    /// Whether a fresh assignment can still replace it: the one that opened it has not moved on.
    fn may_be_replaced(&self, assignment: &Assignment, parent: AssignmentId) -> Result<(), String> {
        let name = self.called(assignment);
        let parent = self.assignment(parent).filter(|parent| parent.ended.is_none());
        let since = parent.and_then(|parent| parent.transcript.turns.get(assignment.turn_of_parent.0 as usize..));
        let is_question = |did: &Did| matches!(did, Did::Checkpoint(pause) if pause.of_question().is_some());
        let asks = |did: &Did| match did {
            Did::Checkpoint(pause) => pause.of_question().is_some_and(|(question, answer)| {
                answer.is_none() && question.about.is_none_or(|about| about == assignment.id)
            }),
            _ => false,
        };
        if since.is_some_and(|since| since.iter().any(|turn| asks(&turn.did))) {
            return Err("you are asked about work that failed: answer that first (y)".into());
        }
        let again = |sent: &&Sent| sent.again == Some(assignment.id);
        if let Some(again) = parent.and_then(|parent| parent.transcript.sent().find(again)) {
            return Err(format!("{name} has been tried again already, by {}: steer that one", again.to));
        }
        // Work that was handed out since may wait for this one, without having used its report.
        let tasks_only = |did: &Did| match did {
            Did::HandOffs(sent) => sent.iter().all(|sent| sent.task.is_some()),
            Did::Refused { .. } => true,
            did => is_question(did),
        };
        let waits = since.is_some_and(|since| since.len() == 1 || since.iter().all(|turn| tasks_only(&turn.did)));
        if !waits {
            let instead = if assignment.task.is_some() { "; ask for more at the findings checkpoint (m)" } else { "" };
            return Err(format!("what {name} brought has been used already{instead}"));
        }
        let left = self.ledger.assignment(assignment.id).left_of_caps();
        if let Some((cap, _)) = left.caps().find(|(_, left)| *left == 0) {
            return Err(format!("{name} has used up its {cap}: another try could do nothing"));
        }
        let account = self.ledger.run();
        let gone = account.spent.plus(account.in_doubt);
        let left = self.pool_of(self.model_of(assignment).is_some()).minus(gone);
        let works = self.ledger.draws(assignment.id) == Draws::Work;
        if let Some((cap, _)) = left.caps().find(|(_, left)| works && *left == 0) {
            return Err(format!("the run has used up its {cap}: another try could do nothing before it is raised"));
        }
        Ok(())
    }

    /// Members who could do the work of an assignment in its place, by role.
    pub fn could_do(&self, id: AssignmentId) -> Vec<Role> {
        let (Some(opening), Some(assignment)) = (&self.opening, self.assignment(id)) else { return Vec::new() };
        let payload = &assignment.transcript.handoff.payload;
        let fits = |role: &Role| Contract::of(role).is_none_or(|contract| contract.check_sent(payload).is_ok());
        let others = opening.team.members.iter().filter(|(role, member)| {
            assignment.task.is_some() && **role != assignment.role && member.researches(role) && fits(role)
        });
        others.map(|(role, _)| role.clone()).collect()
    }

    /// Whether messages are read: by models, also by one that leads, and by assignments that look things up by rule.
    pub(crate) fn reads_messages(&self, assignment: &Assignment) -> bool {
        if assignment.parent().is_none() {
            return self.is_led_by_model();
        }
        self.opening.as_ref().is_some_and(|opening| {
            let (team, role) = (&opening.team, &assignment.role);
            let looks_up = team.members.get(role).is_some_and(|member| member.researches(role));
            !team.delegates(role) && (looks_up || team.model_of(role, assignment.worker).is_some())
        })
    }

    /// The state of each message to an assignment, in order.
    pub fn heard(&self, assignment: &Assignment) -> Vec<Heard> {
        let transcript = &assignment.transcript;
        let team = self.opening.as_ref().map(|opening| &opening.team);
        let by_model = team.is_some_and(|team| team.model_of(&assignment.role, assignment.worker).is_some());
        let state = |message: &Message| match transcript.read_in(message, by_model).map(|n| &transcript.turns[n]) {
            Some(turn) if turn.pending() => Heard::Read,
            Some(_) => Heard::Answered,
            None if assignment.ended.is_some() => Heard::Missed,
            None => Heard::Queued,
        };
        transcript.messages.iter().map(state).collect()
    }

    /// The person's name for it: "researcher · Qdrant".
    pub fn called(&self, assignment: &Assignment) -> String {
        match assignment.task {
            Some(_) => format!("{} · {}", assignment.role, assignment.title()),
            None => format!("the {}", assignment.role),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steer_reads_back_as_it_is_written() {
        for (act, json) in [
            (Steer::Prioritise(Priority::High), r#"{"prioritise":"high"}"#),
            (Steer::Pause, r#""hold""#),
            (Steer::Continue, r#""release""#),
            (Steer::Reassign { role: Role::new("checker") }, r#"{"reassign":{"role":"checker"}}"#),
            (Steer::Tell { text: "look at costs".into() }, r#"{"tell":{"text":"look at costs"}}"#),
        ] {
            assert_eq!(serde_json::to_string(&act).unwrap(), json);
            assert_eq!(serde_json::from_str::<Steer>(json).unwrap(), act);
        }
    }

    #[test]
    fn priorities_go_up_and_down_a_step_at_a_time_and_no_further() {
        for (is, up, down) in [
            (Priority::Low, Some(Priority::Normal), None),
            (Priority::Normal, Some(Priority::High), Some(Priority::Low)),
            (Priority::High, None, Some(Priority::Normal)),
        ] {
            assert_eq!((is.raised(), is.lowered()), (up, down));
        }
        assert!(Priority::Low < Priority::Normal && Priority::Normal < Priority::High);
    }
}
