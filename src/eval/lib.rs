//! Runs a set of questions and measures the briefs: coverage, off-topic share, citations, quotes, support.
//!
//! Faithfulness alone says little: a brief can be cited and verbatim throughout and miss its topic. So coverage of the
//! expected facts and the share of off-topic claims are measured too.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use tokio::sync::mpsc;

use desk::{Desk, NoModels, Policy, Stop, SystemClock, Tools, World, opening_events};
use journal::MemoryJournal;
use run::brief::markdown;
use run::event::Opening;
use run::team::Worker;
use run::verdict::Concern;
use run::{Draft, Finding, FindingId, Limits, Role, Run, RunId, Team, Verdict};
use specialist::Specialist;
use specialist::extractive;
use supervisor::{Roster, Staff};

pub use specialist::extractive::{FEATURES, Ranking};

/// A set of questions with the facts expected in their briefs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Questions {
    #[serde(rename = "question")]
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, Deserialize)]
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
    /// Whether a claim with its headings and its page's title is about what was asked.
    fn is_on_topic(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.topic.iter().any(|topic| text.contains(&topic.to_lowercase()))
    }
}

/// A fact and its wordings in the sources.
#[derive(Clone, Debug, Deserialize)]
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

/// Reads a file of questions.
///
/// # Errors
/// The file is unreadable or invalid.
pub fn load(path: &Path) -> Result<Questions, EvalError> {
    let wrong = |what: String| EvalError::Questions { path: path.to_path_buf(), what };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// Opens tools over some folders. The error is a message for the person.
pub type OpenTools<'a> = dyn Fn(&[PathBuf]) -> Result<Arc<dyn Tools>, String> + 'a;

/// The subject of an evaluation: the team, the length of briefs, and the document collections.
pub struct Bench<'a> {
    pub team: Team,
    pub words: u32,
    pub collections: BTreeMap<String, PathBuf>,
    pub tools: &'a OpenTools<'a>,
    /// The weights by which researchers rank sentences.
    pub ranking: Ranking,
}

/// The roster of the program, with researchers that rank by these weights.
struct Ranked(Ranking);

impl Roster for Ranked {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match role.as_str() == Role::RESEARCHER && team.model_of(role, worker).is_none() {
            true => Some(extractive::researcher(&self.0)),
            false => Staff.specialist(team, role, worker),
        }
    }
}

/// The measures of one answer.
#[derive(Clone, Debug)]
pub struct Score {
    pub id: String,
    /// The expected facts, and whether each is in the brief.
    pub facts: Vec<(String, bool)>,
    pub claims: usize,
    pub off_topic: Vec<String>,
    /// Cited sentences, as the gates measured them.
    pub citations: Share,
    /// Quotes that stand in their stored source.
    pub quotes: Share,
    /// Claims that follow from their quotes by logged edits.
    pub support: Share,
    /// The number of words of the brief.
    pub words: usize,
    pub passed: bool,
    /// Whether the sources lack an answer.
    pub unanswerable: bool,
    pub brief: String,
    /// Wall time of the run, in milliseconds.
    pub took_ms: u128,
    /// The weighed sentences of the researchers, one a line, as [`weighed`] writes them.
    pub weighed: String,
}

/// A number of items that pass, out of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub good: usize,
    pub all: usize,
}

impl Share {
    fn add(&mut self, other: Share) {
        self.good += other.good;
        self.all += other.all;
    }

    /// The share as a fraction; 1 if there are no items.
    pub fn fraction(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.good as f64 / self.all as f64 }
    }
}

impl Score {
    /// Facts that are in the brief.
    pub fn covered(&self) -> Share {
        Share { good: self.facts.iter().filter(|(_, covered)| *covered).count(), all: self.facts.len() }
    }

    /// Claims that are on the topic.
    pub fn on_topic(&self) -> Share {
        Share { good: self.claims - self.off_topic.len(), all: self.claims }
    }
}

impl Bench<'_> {
    /// Whether the collections of all questions were given.
    ///
    /// # Errors
    /// One is missing.
    pub fn check(&self, questions: &Questions) -> Result<(), EvalError> {
        questions.questions.iter().try_for_each(|question| self.folders(question).map(drop))
    }

    fn folders(&self, question: &Question) -> Result<Vec<PathBuf>, EvalError> {
        let missing = |name: &String| EvalError::NoSuchCollection { question: question.id.clone(), name: name.clone() };
        let folder = |name: &String| self.collections.get(name).cloned().ok_or_else(|| missing(name));
        question.sources.iter().map(folder).collect()
    }

    /// Runs one question and measures its brief.
    ///
    /// # Errors
    /// A collection is missing, or the run does not finish.
    pub async fn ask(&self, question: &Question) -> Result<Score, EvalError> {
        let stopped = |what: String| EvalError::Stopped { question: question.id.clone(), what };
        let folders = self.folders(question)?;
        let tools = (self.tools)(&folders).map_err(stopped)?;
        // Notes of earlier runs must not change the result.
        let mut team = self.team.clone();
        team.members.remove(&Role::new(Role::MEMORY));
        let opening = Opening {
            run: RunId::from_random([0; 6]),
            question: question.ask.as_str().into(),
            sources: folders.iter().map(|folder| folder.display().to_string()).collect(),
            web: vec![],
            team,
            words: self.words,
            limits: Limits::default(),
            version: env!("CARGO_PKG_VERSION").into(),
            answers_from: None,
            drill: None,
            origin: None,
        };
        let id = opening.run.clone();
        let journal = MemoryJournal::default();
        let (_commands, orders) = mpsc::unbounded_channel();
        let mut desk = Desk::new(
            Run::default(),
            World {
                journal: Arc::new(journal.clone()),
                tools,
                models: Arc::new(NoModels),
                roster: Arc::new(Ranked(self.ranking.clone())),
                clock: Arc::new(SystemClock),
            },
            Policy::Approve,
            orders,
            Arc::new(|_| {}),
        );
        let begun = Instant::now();
        match desk.work(opening_events(opening)).await {
            Stop::Ended(_) => {}
            other => return Err(stopped(format!("{other:?}"))),
        }
        let took_ms = begun.elapsed().as_millis();
        let run = Run::fold(&journal.events(&id));
        let Some((draft, findings)) = run.brief() else {
            return Err(stopped(run.ended().map_or_else(|| "no brief".into(), ToString::to_string)));
        };
        let verdicts =
            run.root().and_then(|root| root.ended.as_ref()).map_or(&[][..], |(_, report)| report.payload.verdicts());
        let weighed = weighed(question, &run, &self.ranking);
        Ok(Score { took_ms, weighed, ..measure(question, draft, findings, verdicts) })
    }
}

/// Compares a brief with what was expected of it.
fn measure(question: &Question, draft: &Draft, findings: &[Finding], verdicts: &[Verdict]) -> Score {
    let find = |id: &FindingId| findings.iter().find(|finding| finding.id == *id);
    // A table cell counts as its claim: row and column are part of it.
    let sentences: Vec<String> = draft
        .sentences()
        .filter(|sentence| !sentence.cites.is_empty())
        .map(|sentence| {
            let claims = sentence.cites.iter().filter_map(find).filter(|f| f.quote == sentence.text);
            claims.fold(sentence.text.to_string(), |text, finding| format!("{text} {}", finding.claim)).to_lowercase()
        })
        .collect();
    let holds = |any: &[Vec<String>]| {
        let in_one = |all: &Vec<String>| {
            sentences.iter().any(|sentence| all.iter().all(|wanted| sentence.contains(&wanted.to_lowercase())))
        };
        any.iter().any(in_one)
    };
    let used: BTreeSet<FindingId> = draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let used: Vec<&Finding> = used.iter().filter_map(find).collect();
    let on_topic = |finding: &Finding| {
        let places = finding.place.iter().flat_map(|place| place.headings.iter().chain([&place.source.title]));
        question.is_on_topic(&places.fold(finding.claim.to_string(), |text, part| format!("{text} {part}")))
    };
    let off_topic: Vec<String> = used.iter().filter(|f| !on_topic(f)).map(|f| f.claim.to_string()).collect();
    let share = |concern: Concern| {
        // The gates come first: their check is done by code.
        let check = verdicts.iter().flat_map(|verdict| &verdict.checks).find(|check| check.concern == concern);
        let mut numbers = check.iter().flat_map(|check| check.result.split(' ')).filter_map(|word| word.parse().ok());
        Share { good: numbers.next().unwrap_or(0), all: numbers.next().unwrap_or(0) }
    };
    Score {
        id: question.id.clone(),
        facts: question.facts.iter().map(|fact| (fact.name.clone(), holds(&fact.any))).collect(),
        claims: used.len(),
        off_topic,
        citations: share(Concern::Citations),
        quotes: share(Concern::Quotes),
        support: share(Concern::Support),
        words: draft.words(),
        passed: verdicts.iter().all(Verdict::passes),
        unanswerable: question.unanswerable,
        brief: markdown(draft, findings),
        took_ms: 0,
        weighed: String::new(),
    }
}

/// The sentences that a run's researchers by rule weighed, one a line, with these columns between tabs: question, task,
/// score, features, the numbers of the expected facts that it holds, 1 if it is on the topic, the share of the question that
/// the sources know, path, block, claim, what stands above it.
fn weighed(question: &Question, run: &Run, ranking: &Ranking) -> String {
    let mut out = String::new();
    for assignment in run.assignments().filter(|it| it.role.as_str() == Role::RESEARCHER) {
        let task = assignment.transcript.handoff.payload.task().map_or(0, |task| task.id.0);
        for sentence in extractive::weighed(&assignment.transcript, ranking) {
            let lower = sentence.claim.to_lowercase();
            let holds =
                |fact: &Fact| fact.any.iter().any(|all| all.iter().all(|one| lower.contains(&one.to_lowercase())));
            let facts: Vec<String> = question
                .facts
                .iter()
                .zip(1..)
                .filter(|(fact, _)| holds(fact))
                .map(|(_, n): (_, u32)| n.to_string())
                .collect();
            let features: Vec<String> = sentence.features.iter().map(|value| format!("{value:.3}")).collect();
            let (score, path, block, known) = (sentence.score, &sentence.path, sentence.block, sentence.known);
            let one_line = |text: &str| text.replace(['\t', '\n'], " ");
            let (claim, above) = (one_line(&sentence.claim), one_line(&sentence.above));
            let is_on = u8::from(question.is_on_topic(&format!("{claim} {above}")));
            let (id, features, facts) = (&question.id, features.join(" "), facts.join(" "));
            let _ = writeln!(
                out,
                "{id}\t{task}\t{score:.3}\t{features}\t{facts}\t{is_on}\t{known:.3}\t{path}\t{block}\t{claim}\t{above}"
            );
        }
    }
    out
}

/// The scores as a table: one line a question, and one for all.
pub fn table(scores: &[Score]) -> String {
    let mut out = String::new();
    let line = |out: &mut String, cells: [&str; 9]| {
        let _ = writeln!(
            out,
            "{:<24} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>7}  {}",
            cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]
        );
    };
    line(&mut out, ["question", "coverage", "off topic", "citations", "quotes", "support", "words", "ms", "verdict"]);
    let percent = |share: Share| format!("{:.0} %", 100.0 * share.fraction());
    let mut all = [Share::default(); 5];
    let mut words = 0;
    for score in scores {
        let shares = [score.covered(), score.on_topic(), score.citations, score.quotes, score.support];
        all.iter_mut().zip(shares).for_each(|(sum, share)| sum.add(share));
        words += score.words;
        let covered = if score.unanswerable { "–".into() } else { format!("{}/{}", shares[0].good, shares[0].all) };
        let off = format!("{}/{}", score.off_topic.len(), score.claims);
        let verdict = match (score.unanswerable, score.passed) {
            (true, _) if score.claims == 0 => "says there is nothing",
            (true, _) => "answers what cannot be answered",
            (false, true) => "PASS",
            (false, false) => "REVISE",
        };
        let shown = [percent(shares[2]), percent(shares[3]), percent(shares[4]), score.words.to_string()];
        let took = score.took_ms.to_string();
        line(&mut out, [&score.id, &covered, &off, &shown[0], &shown[1], &shown[2], &shown[3], &took, verdict]);
    }
    let answerable: Vec<&Score> = scores.iter().filter(|score| !score.unanswerable).collect();
    let mean = answerable.iter().map(|score| score.covered().fraction()).sum::<f64>() / answerable.len().max(1) as f64;
    let off = if all[1].all == 0 { 0.0 } else { 1.0 - all[1].fraction() };
    let shown = [
        format!("{mean:.2}"),
        format!("{off:.2}"),
        percent(all[2]),
        percent(all[3]),
        percent(all[4]),
        (words / scores.len().max(1)).to_string(),
        (scores.iter().map(|score| score.took_ms).sum::<u128>() / scores.len().max(1) as u128).to_string(),
    ];
    line(&mut out, ["all (mean)", &shown[0], &shown[1], &shown[2], &shown[3], &shown[4], &shown[5], &shown[6], ""]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::brief::{Piece, Section, Sentence};

    #[test]
    fn a_fact_is_covered_by_one_cited_sentence_that_holds_all_its_words() {
        let question: Question = toml::from_str(
            "id = 'q'\nsources = []\nask = '?'\ntopic = ['lock']\n\
             [[fact]]\nname = 'one'\nany = [['LOCK', 'held']]\n\
             [[fact]]\nname = 'two'\nany = [['lock', 'free'], ['uncited']]\n",
        )
        .unwrap();
        let id: FindingId = "f0.1/1".parse().unwrap();
        let sentence = |text: &str, cites: Vec<FindingId>| Sentence { text: text.into(), cites };
        let sentences = vec![sentence("The lock is held.", vec![id]), sentence("It is uncited.", vec![])];
        let draft = Draft {
            sections: vec![Section { heading: "x".into(), pieces: vec![Piece::Paragraph { sentences }] }],
            ..Draft::default()
        };
        let score = measure(&question, &draft, &[], &[]);
        assert_eq!(score.covered(), Share { good: 1, all: 2 });
        assert!(table(&[score]).contains("1/2"));
    }
}
