//! Measures of a run and its brief that code can take: the answered part of the question, cited sentences, tokens, calls.
//!
//! Never a judgement: whether a brief is good is for its reader.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::brief::Draft;
use crate::budget::Cap;
use crate::coverage::Coverage;
use crate::finding::Finding;
use crate::state::Run;
use text::count;

/// A run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The number of names in the question: things, sides, questions of a list, years. 0 if code can tell none.
    pub named: usize,
    /// The number of those on which the brief cites something.
    pub answered: usize,
    /// Sentences of the brief.
    pub sentences: usize,
    /// The number of those that cite a finding with its passage.
    pub cited: usize,
    /// Documents and pages that it cites.
    pub sources: usize,
    /// Words of the brief.
    pub words: usize,
    /// Tokens of all calls.
    pub tokens: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Tokens of the fullest context that a model had.
    pub fullest_context: u64,
}

/// Measures a run as it stands.
pub fn of(run: &Run) -> Measured {
    let spent = run.ledger.run().spent;
    let contexts = run.assignments().filter(|one| one.transcript.exchanges().any(|one| one.reply().is_some()));
    let mut measured = Measured {
        tokens: spent.tokens(),
        tool_calls: spent.get(Cap::ToolCalls),
        fullest_context: contexts.map(|one| one.transcript.context()).max().unwrap_or(0),
        ..Measured::default()
    };
    let Some((draft, findings)) = run.brief() else { return measured };
    let rests = |sentence: &crate::brief::Sentence| {
        sentence.cites.iter().any(|id| findings.iter().any(|finding| finding.id == *id && finding.place.is_some()))
    };
    measured.words = draft.words();
    measured.sentences = draft.sentences().count();
    measured.cited = draft.sentences().filter(|sentence| rests(sentence)).count();
    let cited: BTreeSet<_> = draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let places = findings.iter().filter(|finding| cited.contains(&finding.id)).flat_map(Finding::places);
    measured.sources = places.map(|place| &place.source.id).collect::<BTreeSet<_>>().len();
    let root = run.assignments().next().map(|root| &root.transcript.handoff.payload);
    if let Some(named) = root.and_then(|payload| payload.named.as_ref()) {
        let coverage = Coverage::of(named, run.plan.as_deref());
        // To say that something is missing is honest, and no answer.
        let said = Draft { gaps: Vec::new(), ..draft.clone() };
        measured.named = coverage.points().count();
        measured.answered = measured.named - coverage.unanswered(&said, findings.iter()).len();
    }
    measured
}

impl Measured {
    /// Each measure in words: its name, and the figure.
    pub fn in_words(&self) -> Vec<(&'static str, String)> {
        let named = match self.named {
            0 => "the question names nothing that code can look for".to_owned(),
            named => format!("{} of {named}", self.answered),
        };
        let fullest = match self.fullest_context {
            0 => "no model was asked".to_owned(),
            tokens => format!("{tokens} tok"),
        };
        vec![
            ("answered of what the question names", named),
            ("sentences that cite a passage", format!("{} of {}", self.cited, self.sentences)),
            ("documents cited", self.sources.to_string()),
            ("length", count(self.words, "word")),
            ("tokens", self.tokens.to_string()),
            ("tool calls", self.tool_calls.to_string()),
            ("fullest context", fullest),
        ]
    }
}
