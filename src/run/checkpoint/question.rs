//! A question that a specialist puts to the person: with choices, of which they take one, or answered in words.

use serde::{Deserialize, Serialize};

use super::{Approver, Checkpoint, NoEdit, Subject, Topic};
use crate::Run;
use crate::id::AssignmentId;
use crate::stage::Leading;
use crate::transcript::Pause;
use text::Clean;

/// A question to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its title, in a few words: "researcher · Qdrant failed".
    pub title: Clean,
    /// The question, whole.
    pub text: Clean,
    /// The assignment it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<AssignmentId>,
    /// The kind of answer that it wants.
    pub wants: Wants,
}

/// The kind of answer that a question wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wants {
    /// The person's own words.
    Words,
    /// One of these, in the words of the specialist that asks, or the person's own words.
    OneOf {
        /// All of them, two or more.
        choices: Vec<Clean>,
        /// The one that the specialist takes to be the most likely.
        likely: Clean,
    },
    /// A decision on the failed work that the question is about.
    AfterFailure,
}

/// A person's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Their own words.
    Words(Clean),
    /// One of the choices of the specialist that asks.
    Chosen(Clean),
    /// A decision on the failed work.
    AfterFailure(AfterFailure),
}

impl Question {
    /// The words in which an answer is told to the specialist that asked: a policy says nothing in the person's name.
    pub fn told(&self, answer: &Answer, by: Option<Approver>) -> String {
        let said = self.said(answer);
        match (by, answer) {
            (Some(Approver::Policy), Answer::Words(_)) => said,
            (Some(Approver::Policy), _) => format!("nobody is there to answer; the most likely is taken: {said}"),
            _ => format!("the person says: {said}"),
        }
    }
}

/// A decision on failed work that no step of its failure policy could mend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterFailure {
    /// The run goes on with its findings so far.
    GoOnWithout,
    /// The same work is handed out once more.
    TryAgain,
    /// The run fails too.
    Stop,
}

impl AfterFailure {
    /// All of them, in the order in which they are put to the person.
    pub const ALL: [AfterFailure; 3] = [AfterFailure::GoOnWithout, AfterFailure::TryAgain, AfterFailure::Stop];

    /// In words for the person.
    pub fn in_words(self) -> &'static str {
        match self {
            AfterFailure::GoOnWithout => "go on without it",
            AfterFailure::TryAgain => "try it once more",
            AfterFailure::Stop => "let the run fail",
        }
    }
}

impl Topic for Question {
    type Edit = NoEdit;
    type Answer = Answer;

    fn stage(&self) -> Leading {
        Leading::Ask
    }

    fn why(&self) -> &'static str {
        "the person is asked"
    }

    fn title(&self) -> Clean {
        self.title.clone()
    }

    fn asked(&self) -> String {
        self.text.to_string()
    }

    fn said(&self, answer: &Answer) -> String {
        match answer {
            Answer::Words(words) | Answer::Chosen(words) => words.to_string(),
            Answer::AfterFailure(what) => what.in_words().into(),
        }
    }

    fn approval(&self) -> Answer {
        match &self.wants {
            Wants::Words => Answer::Words("Nobody is there to answer. Go on with what you judge best.".into()),
            Wants::OneOf { likely, .. } => Answer::Chosen(likely.clone()),
            Wants::AfterFailure => Answer::AfterFailure(AfterFailure::GoOnWithout),
        }
    }

    fn by_policy(&self) -> String {
        let answers = match &self.wants {
            Wants::Words => "says that nobody is there to answer".into(),
            Wants::OneOf { .. } | Wants::AfterFailure => format!("answers “{}”", self.said(&self.approval())),
        };
        format!("{answers}. It asks: {}", self.text)
    }

    fn allows(&self, answer: &Answer, _run: &Run) -> Result<(), String> {
        match (&self.wants, answer) {
            (Wants::Words | Wants::OneOf { .. }, Answer::Words(words)) if words.trim().is_empty() => {
                Err("write an answer first".into())
            }
            (Wants::Words | Wants::OneOf { .. }, Answer::Words(_)) => Ok(()),
            (Wants::Words, _) => Err("there is no such choice".into()),
            (_, answer) if self.options().contains(answer) => Ok(()),
            _ => {
                let options: Vec<String> = self.options().iter().map(|option| self.said(option)).collect();
                Err(format!("choose one of: {}", options.join(", ")))
            }
        }
    }

    fn accepts(&self, edit: &NoEdit, _at: &Checkpoint, _run: &Run) -> Result<(), String> {
        match *edit {}
    }

    fn take(&mut self, edit: &NoEdit) -> Option<()> {
        match *edit {}
    }

    fn options(&self) -> Vec<Answer> {
        match &self.wants {
            Wants::Words => Vec::new(),
            Wants::OneOf { choices, .. } => choices.iter().cloned().map(Answer::Chosen).collect(),
            Wants::AfterFailure => AfterFailure::ALL.map(Answer::AfterFailure).to_vec(),
        }
    }

    fn in_words(&self, words: Clean) -> Option<Answer> {
        Some(Answer::Words(words))
    }

    fn others_go_on(&self) -> bool {
        true
    }

    fn details(&self, run: &Run) -> Vec<String> {
        let about = self.about.filter(|_| self.wants == Wants::AfterFailure);
        let tried = about.map(|about| run.tried(about)).unwrap_or_default();
        (1..).zip(tried).flat_map(|(n, tried)| tried.lines(n)).collect()
    }
}

impl Checkpoint {
    /// The question, if it is one.
    pub fn question(&self) -> Option<&Question> {
        if let Subject::Question(question) = &*self.subject { Some(question) } else { None }
    }
}

impl Pause {
    /// The question, and the person's answer, if there is one.
    pub fn of_question(&self) -> Option<(&Question, Option<&Answer>)> {
        let Subject::Question(question) = &*self.subject else { return None };
        let answer = self.answer.as_ref().and_then(|answer| match answer {
            super::Answer::Question(answer) => Some(answer),
            _ => None,
        });
        Some((question, answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_takes_the_answers_that_it_offers_and_own_words_unless_work_has_failed() {
        let of = |wants: &Wants| Question { title: "?".into(), text: "?".into(), about: None, wants: wants.clone() };
        let words = |words: &str| Answer::Words(words.into());
        let colours = Wants::OneOf { choices: vec!["red".into(), "blue".into()], likely: "blue".into() };
        for (wants, answer, taken) in [
            (&colours, Answer::Chosen("red".into()), true),
            (&colours, Answer::Chosen("green".into()), false),
            (&colours, words("neither: green"), true),
            (&colours, words("  "), false),
            (&colours, Answer::AfterFailure(AfterFailure::Stop), false),
            (&Wants::AfterFailure, Answer::AfterFailure(AfterFailure::TryAgain), true),
            (&Wants::AfterFailure, Answer::Chosen("try it once more".into()), false),
            (&Wants::AfterFailure, words("try it once more"), false),
            (&Wants::Words, words("the blue one"), true),
            (&Wants::Words, words("  "), false),
            (&Wants::Words, Answer::Chosen("red".into()), false),
        ] {
            assert_eq!(of(wants).allows(&answer, &Run::default()).is_ok(), taken, "{wants:?} {answer:?}");
        }
        for wants in [&colours, &Wants::AfterFailure, &Wants::Words] {
            assert_eq!(of(wants).allows(&of(wants).approval(), &Run::default()), Ok(()));
        }
        assert_eq!(of(&colours).by_policy(), "answers “blue”. It asks: ?");
        let told = |wants, by| of(wants).told(&of(wants).approval(), Some(by));
        assert_eq!(told(&colours, Approver::Person), "the person says: blue");
        assert_eq!(told(&colours, Approver::Policy), "nobody is there to answer; the most likely is taken: blue");
        assert_eq!(told(&Wants::Words, Approver::Policy), "Nobody is there to answer. Go on with what you judge best.");
        assert_eq!(of(&Wants::AfterFailure).by_policy(), "answers “go on without it”. It asks: ?");
    }
}
