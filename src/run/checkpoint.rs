//! Checkpoints: the run pauses for the person, who sees the subject, may change it, and answers.
//!
//! A checkpoint has a subject. Each subject has its own file with its rules: the edits and answers it accepts, and the
//! answer that `--yes` gives. To add one, add such a file and a row in `subjects!`.

pub mod budget;
pub mod draft;
pub mod findings;
pub mod plan;
pub mod question;
pub mod stop;
pub mod undo;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::{AssignmentId, CheckpointId};
use super::stage::{Leading, Stage};
use super::{Finding, Plan, Run, Team};
use budget::Budget;
use draft::Review;
use question::Question;
use stop::Stop;
use text::Clean;

/// A pause for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number within the run.
    pub id: CheckpointId,
    /// The assignment that paused.
    pub by: AssignmentId,
    /// The subject as it was opened, before any edit.
    pub put: Arc<Subject>,
    /// Edits by the person, in order, without those they undid.
    pub edits: Vec<Edit>,
    /// The subject with all edits applied.
    pub subject: Arc<Subject>,
    /// The person's changes in earlier rounds on the same subject that they may still take back, the last last.
    pub earlier: Vec<findings::Earlier>,
    /// The answer; None while the checkpoint is open.
    pub answer: Option<Answered>,
}

/// An answer, and who gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The person or the policy that gave it.
    pub by: Approver,
    /// The answer, of the subject's kind.
    pub answer: Answer,
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approver {
    /// A person at the screen.
    Person,
    /// `--yes`, or nobody was there to ask.
    Policy,
}

/// The interface that all subjects share.
pub trait Topic {
    /// One change that the person makes; [`NoEdit`] where nothing can be changed.
    type Edit;
    /// The type of the person's answer.
    type Answer;

    /// The stage of the turn that pauses.
    fn stage(&self) -> Leading;

    /// The reason for the pause, in a sentence.
    fn why(&self) -> &'static str;

    /// The title, in a few words.
    fn title(&self) -> Clean;

    /// The question to the person, in a line.
    fn asked(&self) -> String;

    /// This answer in a line. The subject is as the person left it.
    fn said(&self, answer: &Self::Answer) -> String;

    /// The approving answer, which `--yes` gives.
    fn approval(&self) -> Self::Answer;

    /// The effect of `--yes` here, in words after "it".
    fn by_policy(&self) -> String;

    /// Whether this may be answered now; the error says why not, for the person.
    ///
    /// # Errors
    /// It answers something else, or a limit of the team is reached.
    fn allows(&self, answer: &Self::Answer, run: &Run) -> Result<(), String>;

    /// Whether this may be changed; the error says why not, for the person. Changes nothing.
    ///
    /// # Errors
    /// The error: the thing to change is not there, or the change would make it useless.
    fn accepts(&self, edit: &Self::Edit, at: &Checkpoint, run: &Run) -> Result<(), String>;

    /// Makes a change that was recorded; None, with nothing changed, if its target is not there.
    fn take(&mut self, edit: &Self::Edit) -> Option<()>;

    /// The reason why it cannot be put before the person; None if it can.
    fn flaw(&self, _team: &Team) -> Option<String> {
        None
    }

    /// The possible answers, if the person chooses from a list.
    fn options(&self) -> Vec<Self::Answer> {
        Vec::new()
    }

    /// The answer in the person's own words; None where words are no answer.
    fn in_words(&self, _words: Clean) -> Option<Self::Answer> {
        None
    }

    /// Whether other assignments go on while the person is asked.
    fn others_go_on(&self) -> bool {
        false
    }

    /// Whether only a person may answer, and `--yes` may not.
    fn is_for_a_person(&self) -> bool {
        false
    }

    /// Facts that help to answer, each in a line: the events of the run so far.
    fn details(&self, _run: &Run) -> Vec<String> {
        Vec::new()
    }
}

/// A change to a subject that cannot be changed: there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoEdit {}

/// The subjects there are. An edit or an answer belongs to the subject of its own name and to no other.
macro_rules! subjects {
    ($($(#[$doc:meta])* $name:ident($topic:ty);)*) => {
        /// The subject of a checkpoint.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Subject {
            $($(#[$doc])* $name($topic),)*
        }

        /// One change that a person makes to the subject.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Edit {
            $($(#[$doc])* $name(<$topic as Topic>::Edit),)*
            /// Takes the last edit back.
            Undo,
        }

        /// The answer of a person.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Answer {
            $($(#[$doc])* $name(<$topic as Topic>::Answer),)*
        }

        impl Subject {
            /// The stage of the turn that pauses.
            pub fn stage(&self) -> Stage {
                match self { $(Subject::$name(it) => it.stage(),)* }.into()
            }

            /// The reason for the pause, in a sentence.
            pub fn why(&self) -> &'static str {
                match self { $(Subject::$name(it) => it.why(),)* }
            }

            /// The title, in a few words.
            pub fn title(&self) -> Clean {
                match self { $(Subject::$name(it) => it.title(),)* }
            }

            /// The question to the person, in a line.
            pub fn asked(&self) -> String {
                match self { $(Subject::$name(it) => it.asked(),)* }
            }

            /// An answer in a line; None if it answers another kind of subject.
            pub fn said(&self, answer: &Answer) -> Option<String> {
                match (self, answer) {
                    $((Subject::$name(it), Answer::$name(answer)) => Some(it.said(answer)),)*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            /// The approving answer, which `--yes` gives.
            pub fn approval(&self) -> Answer {
                match self { $(Subject::$name(it) => Answer::$name(it.approval()),)* }
            }

            /// The effect of `--yes` here, in words after "it".
            pub fn by_policy(&self) -> String {
                match self { $(Subject::$name(it) => it.by_policy(),)* }
            }

            /// The reason why it cannot be put before the person; None if it can.
            pub fn flaw(&self, team: &Team) -> Option<String> {
                match self { $(Subject::$name(it) => it.flaw(team),)* }
            }

            /// The possible answers, if the person chooses from a list; else empty.
            pub fn options(&self) -> Vec<Answer> {
                match self { $(Subject::$name(it) => it.options().into_iter().map(Answer::$name).collect(),)* }
            }

            /// The answer in the person's own words; None where words are no answer.
            pub fn in_words(&self, words: Clean) -> Option<Answer> {
                match self { $(Subject::$name(it) => it.in_words(words).map(Answer::$name),)* }
            }

            /// Whether other assignments go on while the person is asked.
            pub fn others_go_on(&self) -> bool {
                match self { $(Subject::$name(it) => it.others_go_on(),)* }
            }

            /// Whether only a person may answer, and `--yes` may not.
            pub fn is_for_a_person(&self) -> bool {
                match self { $(Subject::$name(it) => it.is_for_a_person(),)* }
            }

            /// Facts that help to answer, each in a line: the events of the run so far.
            pub fn details(&self, run: &Run) -> Vec<String> {
                match self { $(Subject::$name(it) => it.details(run),)* }
            }

            fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
                match (self, answer) {
                    $((Subject::$name(it), Answer::$name(answer)) => it.allows(answer, run),)*
                    _ => Err("that answers another kind of checkpoint".into()),
                }
            }

            fn accepts(&self, edit: &Edit, at: &Checkpoint, run: &Run) -> Result<(), String> {
                match (self, edit) {
                    $((Subject::$name(it), Edit::$name(edit)) => it.accepts(edit, at, run),)*
                    _ => Err("that changes another kind of checkpoint".into()),
                }
            }

            fn take(&mut self, edit: &Edit) -> Option<()> {
                match (self, edit) {
                    $((Subject::$name(it), Edit::$name(edit)) => it.take(edit),)*
                    _ => None,
                }
            }
        }
    };
}

subjects! {
    /// The findings that the writer may use.
    Findings(Vec<Finding>);
    /// The tasks that are worked on.
    Plan(Plan);
    /// A question of a specialist.
    Question(Question);
    /// The draft, before it goes out.
    Draft(Review);
    /// Work for which a cap of the run has no room.
    Budget(Budget);
    /// The handoff, call or event that stands at a breakpoint.
    Stop(Stop);
}

impl Checkpoint {
    /// A checkpoint just opened.
    pub fn open(id: CheckpointId, by: AssignmentId, put: Arc<Subject>) -> Checkpoint {
        Checkpoint { id, by, subject: put.clone(), put, edits: Vec::new(), earlier: Vec::new(), answer: None }
    }

    /// Whether the person may do this here; the error says why not, for the person. Changes nothing.
    ///
    /// # Errors
    /// The checkpoint is closed, the edit is of another subject, or its subject does not take it.
    pub fn accepts(&self, edit: &Edit, run: &Run) -> Result<(), String> {
        match edit {
            _ if self.answer.is_some() => Err("this checkpoint is closed".into()),
            Edit::Undo if self.edits.is_empty() && self.clone().take_back_earlier().is_none() => {
                Err("nothing to undo".into())
            }
            Edit::Undo => Ok(()),
            edit => self.subject.accepts(edit, self, run),
        }
    }

    /// Whether the person may answer this here; the error says why not, for the person.
    ///
    /// # Errors
    /// The checkpoint is closed, the answer is of another subject, or its subject does not allow it.
    pub fn allows(&self, answer: &Answer, run: &Run) -> Result<(), String> {
        if self.answer.is_some() {
            return Err("this checkpoint is closed".into());
        }
        self.subject.allows(answer, run)
    }

    /// Whether it can be answered in the person's own words.
    pub fn takes_words(&self, run: &Run) -> bool {
        let words = self.subject.in_words("words".into());
        words.is_some_and(|answer| self.allows(&answer, run).is_ok())
    }

    /// Takes in an edit that was recorded; None, with nothing changed, if it does not fit.
    pub fn edited(&mut self, edit: &Edit) -> Option<()> {
        if self.answer.is_some() {
            return None;
        }
        if *edit != Edit::Undo {
            Arc::make_mut(&mut self.subject).take(edit)?;
            self.edits.push(edit.clone());
            return Some(());
        }
        if self.edits.pop().is_none() {
            return self.take_back_earlier();
        }
        let mut subject = (*self.put).clone();
        for edit in &self.edits {
            subject.take(edit)?;
        }
        self.subject = Arc::new(subject);
        Some(())
    }

    /// Takes in an answer that was recorded; None, with nothing changed, if it does not fit.
    pub(super) fn answered(&mut self, by: Approver, answer: &Answer) -> Option<()> {
        if self.answer.is_some() {
            return None;
        }
        self.subject.said(answer)?;
        self.answer = Some(Answered { by, answer: answer.clone() });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskId;
    use crate::plan::PlanEdit;

    fn question() -> Checkpoint {
        let question = Question { title: "?".into(), text: "?".into(), about: None, wants: question::Wants::Words };
        Checkpoint::open(CheckpointId(1), AssignmentId::ROOT, Arc::new(Subject::Question(question)))
    }

    #[test]
    fn an_edit_or_an_answer_of_another_subject_is_refused_and_does_not_fit() {
        let (run, mut it) = (Run::default(), question());
        let edit = Edit::Plan(PlanEdit::Drop { task: TaskId(1) });
        let answer = Answer::Plan(plan::Answer::Approved);
        assert!(it.accepts(&edit, &run).unwrap_err().contains("another kind"));
        assert!(it.allows(&answer, &run).unwrap_err().contains("another kind"));
        let before = it.clone();
        assert_eq!((it.edited(&edit), it.answered(Approver::Person, &answer)), (None, None));
        assert_eq!(it, before);
    }

    #[test]
    fn what_is_answered_is_neither_changed_nor_answered_again() {
        let (run, mut it) = (Run::default(), question());
        assert_eq!(it.accepts(&Edit::Undo, &run), Err("nothing to undo".into()));
        let answer = it.subject.approval();
        assert_eq!(it.answered(Approver::Policy, &answer), Some(()));
        assert_eq!(it.accepts(&Edit::Undo, &run), Err("this checkpoint is closed".into()));
        assert_eq!(it.allows(&answer, &run), Err("this checkpoint is closed".into()));
        assert_eq!(it.answered(Approver::Person, &answer), None);
    }
}
