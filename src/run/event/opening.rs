//! The beginning of a run, as its first event has it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Limits;
use crate::foreign::Origin;
use crate::id::RunId;
use crate::team::Team;
use text::listed::listed;
use text::{Clean, count};

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
