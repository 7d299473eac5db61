//! A question that a specialist puts to the person, and what they answered.

use serde::{Deserialize, Serialize};

use super::checkpoint::Approver;
use super::id::{AssignmentId, CheckpointId};
use text::Clean;

/// What is asked. With choices the person takes one of them; without, they answer in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What it is about, in a few words: "researcher · Qdrant failed".
    pub title: Clean,
    /// The question, whole.
    pub text: Clean,
    /// What can be chosen, the one that a policy takes first; empty where words are wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Clean>,
    /// The assignment it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<AssignmentId>,
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// One of the choices, by its place.
    Chosen(u32),
    /// An answer in words.
    Words(Clean),
}

/// A question put to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inquiry {
    /// Its number among all checkpoints of the run.
    pub id: CheckpointId,
    /// Who asks.
    pub assignment: AssignmentId,
    /// What.
    pub question: Question,
    /// What was answered, and by whom; None while it is open.
    pub answer: Option<(Approver, Answer)>,
}

impl Question {
    /// Whether this answers it; the error says why not, for the person.
    ///
    /// # Errors
    /// There is no such choice, one has to be chosen, or nothing was said.
    pub fn accepts(&self, answer: &Answer) -> Result<(), String> {
        match answer {
            Answer::Chosen(n) if (*n as usize) < self.choices.len() => Ok(()),
            Answer::Chosen(_) => Err("there is no such choice".into()),
            Answer::Words(_) if !self.choices.is_empty() => {
                Err(format!("choose one of: {}", self.choices.iter().map(|c| &**c).collect::<Vec<_>>().join(", ")))
            }
            Answer::Words(words) if words.trim().is_empty() => Err("write an answer first".into()),
            Answer::Words(_) => Ok(()),
        }
    }

    /// What `--yes` answers: the first choice, or that nobody is there to ask.
    pub fn by_policy(&self) -> Answer {
        match self.choices.is_empty() {
            false => Answer::Chosen(0),
            true => Answer::Words(
                "Nobody is there to answer. Go on with what you judge best, and say what you assumed.".into(),
            ),
        }
    }

    /// An answer in words, whichever way it was given.
    pub fn in_words<'a>(&'a self, answer: &'a Answer) -> &'a str {
        match answer {
            Answer::Chosen(n) => self.choices.get(*n as usize).map_or("", |choice| choice),
            Answer::Words(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_choice_where_there_are_choices_and_words_where_there_are_none() {
        let of = |choices: &[&str]| Question {
            title: "?".into(),
            text: "?".into(),
            choices: choices.iter().map(|choice| (*choice).into()).collect(),
            about: None,
        };
        let words = |words: &str| Answer::Words(words.into());
        for (choices, answer, taken) in [
            (&["retry", "skip"][..], Answer::Chosen(1), true),
            (&["retry", "skip"], Answer::Chosen(2), false),
            (&["retry", "skip"], words("skip"), false),
            (&[], words("the blue one"), true),
            (&[], words("  "), false),
            (&[], Answer::Chosen(0), false),
        ] {
            assert_eq!(of(choices).accepts(&answer).is_ok(), taken, "{choices:?} {answer:?}");
        }
        for choices in [&["retry", "skip"][..], &[]] {
            assert!(of(choices).accepts(&of(choices).by_policy()).is_ok());
        }
        assert_eq!(of(&["retry", "skip"]).in_words(&Answer::Chosen(1)), "skip");
    }
}
