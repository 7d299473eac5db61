//! Sets of questions with the facts expected in their briefs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use text::sha256;

/// The folders of collections, by the names that questions use.
pub type Collections = BTreeMap<String, PathBuf>;

/// A set of questions with the facts expected in their briefs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    #[serde(rename = "question")]
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub id: String,
    pub sources: Vec<String>,
    pub ask: String,
    /// A claim is on topic if it, its headings or its page's title contains one of these.
    pub topic: Vec<String>,
    /// Whether the sources lack an answer, so that the right brief says so.
    #[serde(default)]
    pub unanswerable: bool,
    #[serde(rename = "fact")]
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
    pub name: String,
    /// It is covered if one cited sentence contains all strings of one of these lists, ignoring case.
    pub any: Vec<Vec<String>>,
}

#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("the questions in {path} cannot be used: {what}")]
    Questions { path: PathBuf, what: String },
    #[error("question `{question}` needs the collection `{name}`: give it as --sources {name}=DIR")]
    NoSuchCollection { question: String, name: String },
    #[error("the run on question `{question}` stopped before its end: {what}")]
    Stopped { question: String, what: String },
}

impl Questions {
    /// Checks that every question has its folders.
    ///
    /// # Errors
    /// A folder is missing.
    pub fn check(&self, collections: &Collections) -> Result<(), EvalError> {
        self.questions.iter().try_for_each(|question| question.folders(collections).map(drop))
    }

    /// A digest of the questions and expected facts: equal for the same questions in the same order, wherever the
    /// documents are.
    pub fn digest(&self) -> String {
        // Plain data with string keys: writing it as JSON cannot fail.
        let written = serde_json::to_vec(&self.questions).unwrap_or_default();
        sha256::hex(&sha256::Sha256::digest(written))[..16].to_owned()
    }
}

impl Question {
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

/// Reads a file of questions.
///
/// # Errors
/// The file is unreadable or invalid.
pub fn load(path: &Path) -> Result<Questions, EvalError> {
    let wrong = |what: String| EvalError::Questions { path: path.to_path_buf(), what };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let set: Questions = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut ids = BTreeSet::new();
    match set.questions.iter().find(|question| !ids.insert(&question.id)) {
        Some(twice) => Err(wrong(format!("two questions have the id `{}`", twice.id))),
        None if set.questions.is_empty() => Err(wrong("there is no question in it".into())),
        None => Ok(set),
    }
}
