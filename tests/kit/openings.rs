//! The beginnings of runs: opening, corpus, models.

use run::event::Opening;
use run::evidence::Corpus;
use run::price::Rates;
use run::team::AssignedModel;
use run::{Limits, RunId, Team};

/// The id of every run here: `abcd`.
pub fn run_id() -> RunId {
    "abcd".parse().expect("an id")
}

/// The opening of run [`run_id`] with the question “why?”, no sources, and a brief of about 500 words.
pub fn opening(team: Team, limits: Limits) -> Opening {
    Opening { words: 500, limits, version: "0".into(), ..Opening::new(run_id(), "why?".into(), team) }
}

/// One document of one block.
pub fn corpus() -> Corpus {
    Corpus { documents: 1, blocks: 1, ..Corpus::default() }
}

/// A model that costs nothing, has no prompt and reports by a tool call, in at most 100 tokens.
pub fn assigned_model(model: &str) -> AssignedModel {
    AssignedModel { rates: Some(Rates::free()), ..AssignedModel::new(model.parse().expect("PROVIDER/MODEL"), 100) }
}
