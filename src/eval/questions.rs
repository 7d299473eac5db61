//! Sets of questions with the facts expected in their briefs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use text::{Clean, sha256};

/// The folders of collections, by the names that questions use.
pub type Collections = BTreeMap<String, PathBuf>;

/// The longest id, in bytes: with `.md` behind it, it is the name of a file.
const LONGEST_ID: usize = 200;

/// A set of questions with the facts expected in their briefs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// The questions, in the order of the file.
    #[serde(rename = "question")]
    pub questions: Vec<Question>,
}

/// A question, the place where it is asked, and the facts that count as its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name, which may be that of a file: at most 200 bytes.
    pub id: String,
    /// The names of its collections.
    pub sources: Vec<String>,
    /// The question.
    pub ask: String,
    /// A claim is on topic if it, its headings or its page's title contains one of these.
    pub topic: Vec<String>,
    /// Whether the sources lack an answer, so that the right brief says so.
    #[serde(default)]
    pub unanswerable: bool,
    /// The facts expected in its brief.
    #[serde(default, rename = "fact")]
    pub facts: Vec<Fact>,
}

impl Question {
    /// Whether a claim with its headings and its page's title is on the topic.
    pub(crate) fn is_on_topic(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.topic.iter().any(|topic| text.contains(&topic.to_lowercase()))
    }
}

/// A fact and its wordings in the sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Its name, for tables.
    pub name: String,
    /// It is covered if one cited sentence contains all strings of one of these lists, ignoring case.
    pub any: Vec<Vec<String>>,
}

impl Fact {
    /// Whether a text in lower case has it.
    pub(crate) fn is_in(&self, lower: &str) -> bool {
        self.any.iter().any(|all| all.iter().all(|wanted| lower.contains(&wanted.to_lowercase())))
    }

    /// The fault of the fact and its cure, to follow its name; None if it is sound.
    fn fault(&self) -> Option<&'static str> {
        if self.any.is_empty() {
            Some("which nothing can cover: `any` is empty; write the strings that a sentence on it has")
        } else if self.any.iter().any(|all| all.is_empty() || all.iter().any(|text| is_blank(text))) {
            Some(
                "which everything would cover: a list in `any` is empty, or a text in it; write the strings that a sentence on it has",
            )
        } else {
            None
        }
    }
}

/// The reason why an evaluation cannot be begun or ended.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The file of questions is unreadable or invalid.
    #[error("the questions in {path} cannot be used: {what}")]
    Questions { path: PathBuf, what: String },
    /// A collection that a question names was not given.
    #[error("question `{question}` needs the collection `{name}`: give it as --sources {name}=DIR")]
    NoSuchCollection { question: String, name: String },
    /// A run stopped, for this reason.
    #[error("it stopped before its end: {0}")]
    Stopped(Clean),
}

impl Questions {
    /// Checks that every question has its folders.
    ///
    /// # Errors
    /// A folder is missing.
    pub fn check(&self, collections: &Collections) -> Result<(), EvalError> {
        self.questions.iter().try_for_each(|question| question.folders(collections).map(drop))
    }

    /// The reason why the set cannot be asked or its figures would be false; None if it has no fault.
    fn fault(&self) -> Option<String> {
        if self.questions.is_empty() {
            return Some("there is no question in it".into());
        }
        let mut ids = BTreeSet::new();
        self.questions.iter().zip(1..).find_map(|(question, n): (_, usize)| {
            let id = &question.id;
            if !is_id(id) {
                return Some(format!(
                    "question {n} has the id {id:?}, and a file is called by it: write 1 to {LONGEST_ID} letters, digits, `-`, `_` \
                     or `.`, no `.` as the first"
                ));
            }
            if !ids.insert(id) {
                return Some(format!("two questions have the id `{id}`"));
            }
            question.fault().map(|fault| format!("question `{id}` {fault}"))
        })
    }

    /// A digest of the questions and expected facts: equal for the same questions in the same order, wherever the
    /// documents are.
    pub fn digest(&self) -> String {
        // Plain data with string keys: writing it as JSON cannot fail.
        let written = serde_json::to_vec(&self.questions).unwrap_or_default();
        sha256::hex(&sha256::Sha256::digest(written))[..16].to_owned()
    }
}

/// Whether a text can be the name of a file and stand in a table.
fn is_id(text: &str) -> bool {
    let may = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=LONGEST_ID).contains(&text.len()) && !text.starts_with('.') && text.chars().all(may)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

impl Question {
    /// The fault of the question and its cure, to follow its name; None if it is sound.
    fn fault(&self) -> Option<String> {
        let fault = if is_blank(&self.ask) {
            "asks nothing: write the question behind `ask`"
        } else if self.sources.is_empty() {
            "has no `sources`: name a collection, as in sources = [\"vectors\"]"
        } else if self.topic.is_empty() || self.topic.iter().any(|text| is_blank(text)) {
            "has no `topic`, or an empty text in it, and nothing or everything would be off the topic: write words that claims on it \
             hold"
        } else if self.facts.is_empty() && !self.unanswerable {
            "has no facts: write a [[question.fact]], or `unanswerable = true` if its sources have no answer"
        } else {
            let fault = |fact: &Fact| Some(format!("has the fact `{}`, {}", Clean::line(&fact.name), fact.fault()?));
            return self.facts.iter().find_map(fault);
        };
        Some(fault.into())
    }

    /// The folders of the question's collection.
    ///
    /// # Errors
    /// A folder is missing.
    pub fn folders(&self, collections: &Collections) -> Result<Vec<PathBuf>, EvalError> {
        let missing = |name: &String| EvalError::NoSuchCollection { question: self.id.clone(), name: name.clone() };
        let folder = |name: &String| collections.get(name).cloned().ok_or_else(|| missing(name));
        self.sources.iter().map(folder).collect()
    }
}

/// Reads a file of questions, and checks that they can be asked and their figures mean something.
///
/// # Errors
/// The file is unreadable or invalid, or a question is: it is named.
pub fn load(path: &Path) -> Result<Questions, EvalError> {
    let wrong = |what: String| EvalError::Questions { path: path.to_path_buf(), what };
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = text::utf8(bytes).map_err(wrong)?;
    let set: Questions = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    match set.fault() {
        Some(fault) => Err(wrong(fault)),
        None => Ok(set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_name_of_a_file_and_nothing_else() {
        for id in ["py-gil", "v2.3_a", "Größe", &"x".repeat(LONGEST_ID)] {
            assert!(is_id(id), "{id}");
        }
        for id in
            ["", ".", "..", ".a", "a/b", "/a", "a b", "a\nb", "\u{1b}[2J", "a\u{202e}b", &"x".repeat(LONGEST_ID + 1)]
        {
            assert!(!is_id(id), "{id:?}");
        }
    }
}
