//! The result of an evaluation: for each question the measurements of each brief, its cost, and the judge's preference.
//! Stored as versioned JSON, to be compared with later results.

use serde::{Deserialize, Serialize};

use crate::judged::{Judge, Judged, JudgedTotals};
use crate::questions::Question;
use crate::score::{self, Measures, Share};
use run::state::Run;
use run::{Cap, Money, Outcome, measured};
use text::{Clean, count};

/// The version of the format. Files of other versions are refused.
pub const VERSION: u32 = 1;

/// The largest file that is read as a result, in bytes.
const LONGEST: usize = 64 << 20;

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of the format.
    pub masthead_eval: u32,
    /// The version of the program.
    pub program: Clean,
    /// The set of questions.
    pub set: Set,
    /// The requested length of each brief, in words.
    pub words: u32,
    /// The team.
    pub team: Competitor,
    /// The baseline, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Competitor>,
    /// The judge, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// The questions, in the order of the set.
    pub questions: Vec<Row>,
}

/// The set of questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Set {
    /// The name of its file.
    pub name: Clean,
    /// A digest of the questions and expected facts.
    pub digest: Clean,
    /// The number of questions.
    pub questions: usize,
}

/// A team that answers the questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Competitor {
    /// The name of the team.
    pub name: Clean,
    /// Each role with its model; empty if it works by rule.
    pub models: Vec<Clean>,
}

impl Competitor {
    /// The team with its models, in a few words.
    pub fn in_words(&self) -> String {
        match self.models.is_empty() {
            true => format!("{}, by rule", self.name),
            false => {
                format!("{} ({})", self.name, self.models.iter().map(Clean::as_str).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name in the set.
    pub id: Clean,
    /// The question.
    pub ask: Clean,
    /// Whether the sources lack an answer.
    pub unanswerable: bool,
    /// The team's answer.
    pub team: Answer,
    /// The baseline's, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Answer>,
    /// The judgements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
}

impl Row {
    /// A question with the team's answer alone.
    pub fn of(question: &Question, team: Answer) -> Row {
        Row {
            id: Clean::line(&question.id),
            ask: Clean::new(&question.ask),
            unanswerable: question.unanswerable,
            team,
            baseline: None,
            judged: None,
        }
    }
}

/// The end of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// With a brief.
    Done,
    /// With a brief that names its gaps.
    Partial,
    /// With a brief that reports that nothing was found.
    NothingFound,
    /// Without a brief: it counts as covering none of the facts.
    Failed,
    /// It waits for a person, and does not count.
    Waiting,
    /// It was not begun, and does not count.
    LeftOut,
}

/// An expected fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its name in the set.
    pub name: Clean,
    /// Whether it is in the brief.
    pub covered: bool,
}

/// A measured answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The run; None if it was not stored.
    pub run: Option<Clean>,
    /// Its end.
    pub end: End,
    /// Its outcome, in words.
    pub outcome: Clean,
    /// The measures of its brief.
    #[serde(flatten)]
    pub measures: Measures,
    /// Its cost.
    #[serde(rename = "cost_pico_dollars")]
    pub cost: Money,
    /// The most that calls in doubt may have cost in addition.
    #[serde(rename = "in_doubt_pico_dollars")]
    pub in_doubt: Money,
    /// Tokens of all calls.
    pub tokens: u64,
    /// The number of answers of models.
    pub model_calls: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Milliseconds from its first event to its last.
    pub wall_ms: u64,
    /// Milliseconds of work, without waiting for a person and without pauses between processes.
    pub worked_ms: u64,
    /// Tokens of the fullest context of a model.
    pub fullest_context: u64,
    /// Whether it was loaded from an earlier evaluation, at no cost.
    pub taken_up: bool,
    /// The brief, as Markdown.
    pub brief: Clean,
}

impl Answer {
    /// The answer for a question that was not begun, or that waits.
    pub fn without(question: &Question, run: Option<&Run>, end: End, outcome: impl Into<Clean>) -> Answer {
        let answer = Answer {
            run: None,
            end,
            outcome: outcome.into(),
            measures: Measures::without_brief(question),
            cost: Money::default(),
            in_doubt: Money::default(),
            tokens: 0,
            model_calls: 0,
            tool_calls: 0,
            wall_ms: 0,
            worked_ms: 0,
            fullest_context: 0,
            taken_up: false,
            brief: Clean::default(),
        };
        match run {
            Some(run) => answer.taking(run),
            None => answer,
        }
    }

    /// The answer with the cost and measurements of its run.
    fn taking(self, run: &Run) -> Answer {
        let measured = measured::of(run);
        let account = run.ledger.run();
        let answers = run
            .assignments()
            .flat_map(|assignment| assignment.transcript.exchanges())
            .filter_map(|exchange| exchange.reply());
        Answer {
            run: run.opening.as_ref().map(|opening| Clean::line(opening.run.as_str())),
            cost: account.spent.money(),
            in_doubt: account.in_doubt.money(),
            tokens: account.spent.tokens(),
            model_calls: answers.count() as u64,
            tool_calls: account.spent.get(Cap::ToolCalls),
            wall_ms: run.at.since(run.opened_at),
            worked_ms: run.worked(run.at),
            fullest_context: measured.fullest_context,
            ..self
        }
    }

    /// The answer of an ended run.
    pub fn of(question: &Question, run: &Run) -> Answer {
        let outcome = run.ended();
        let words = outcome.map_or_else(|| "it has not ended".into(), ToString::to_string);
        let end = match outcome {
            Some(Outcome::Done) => End::Done,
            Some(Outcome::Partial(_) | Outcome::OutOfBudget(_)) => End::Partial,
            Some(Outcome::NothingFound) => End::NothingFound,
            Some(Outcome::Failed(_) | Outcome::Cancelled) => End::Failed,
            None => End::Waiting,
        };
        match score::of_run(question, run) {
            Some((measures, brief)) => {
                Answer { measures, brief, ..Answer::without(question, None, end, words) }.taking(run)
            }
            None if end == End::Waiting => Answer::without(question, Some(run), end, words),
            None => Answer::without(question, Some(run), End::Failed, words),
        }
    }

    /// The facts that are in the brief.
    pub fn covered(&self) -> Share {
        let facts = &self.measures.facts;
        Share { good: facts.iter().filter(|fact| fact.covered).count(), all: facts.len() }
    }

    /// Whether it counts: it has ended.
    pub fn counts(&self) -> bool {
        !matches!(self.end, End::Waiting | End::LeftOut)
    }

    /// Whether there is a brief.
    pub fn has_brief(&self) -> bool {
        matches!(self.end, End::Done | End::Partial | End::NothingFound) && !self.brief.is_empty()
    }
}

/// "$0.05 (+ $0.35 in doubt)": the bill, and the most that calls in doubt may have cost in addition.
pub(crate) fn cost_in_words(cost: Money, in_doubt: Money) -> String {
    if in_doubt == Money::default() { cost.to_string() } else { format!("{cost} (+ {in_doubt} in doubt)") }
}

/// Totals over the answers of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Questions that count.
    pub questions: usize,
    /// Questions without a brief, of those that count.
    pub failed: usize,
    /// Questions that were left out or wait.
    pub missing: usize,
    /// The mean share of expected facts, over the questions that can be answered; 0 without any.
    pub coverage: f64,
    /// The share of claims that are off the topic.
    pub off_topic: f64,
    /// Citations that lead to a finding with a source.
    pub citations: Share,
    /// Mean words of a brief.
    pub words: usize,
    /// The total cost.
    #[serde(rename = "cost_pico_dollars")]
    pub cost: Money,
    /// The most that calls in doubt may have cost in addition.
    #[serde(rename = "in_doubt_pico_dollars")]
    pub in_doubt: Money,
    /// Tokens of all calls.
    pub tokens: u64,
    /// The number of answers of models.
    pub model_calls: u64,
    /// Mean milliseconds of a question from its first event to its last.
    pub wall_ms: u64,
    /// Mean milliseconds that a question was worked on.
    pub worked_ms: u64,
    /// The longest of these times.
    pub longest_ms: u64,
    /// Tokens of the fullest context of all.
    pub fullest_context: u64,
}

impl Totals {
    /// The most that it may have cost: the cap counts calls in doubt as well.
    pub(crate) fn cost_at_most(&self) -> Money {
        Money(self.cost.0.saturating_add(self.in_doubt.0))
    }

    /// The cost in words.
    pub(crate) fn cost_in_words(&self) -> String {
        cost_in_words(self.cost, self.in_doubt)
    }

    /// Totals over these answers, each with whether its question has no answer in the sources.
    pub fn of<'a>(answers: impl Iterator<Item = (&'a Answer, bool)> + Clone) -> Totals {
        let counted: Vec<(&Answer, bool)> = answers.clone().filter(|(answer, _)| answer.counts()).collect();
        let mean = |sum: u64| sum / (counted.len().max(1) as u64);
        let sum = |of: fn(&Answer) -> u64| counted.iter().map(|(answer, _)| of(answer)).sum::<u64>();
        let answerable: Vec<&Answer> = counted.iter().filter(|(_, none)| !none).map(|(answer, _)| *answer).collect();
        let covered: f64 = answerable.iter().map(|answer| answer.covered().fraction()).sum();
        let (claims, off) =
            (sum(|answer| answer.measures.claims as u64), sum(|answer| answer.measures.off_topic as u64));
        let mut citations = Share::default();
        counted.iter().for_each(|(answer, _)| citations.add(answer.measures.citations));
        Totals {
            questions: counted.len(),
            failed: counted.iter().filter(|(answer, _)| answer.end == End::Failed).count(),
            missing: answers.filter(|(answer, _)| !answer.counts()).count(),
            coverage: covered / answerable.len().max(1) as f64,
            off_topic: if claims == 0 { 0.0 } else { off as f64 / claims as f64 },
            citations,
            words: usize::try_from(mean(sum(|answer| answer.measures.words as u64))).unwrap_or(usize::MAX),
            cost: Money(sum(|answer| answer.cost.0)),
            in_doubt: Money(sum(|answer| answer.in_doubt.0)),
            tokens: sum(|answer| answer.tokens),
            model_calls: sum(|answer| answer.model_calls),
            wall_ms: mean(sum(|answer| answer.wall_ms)),
            worked_ms: mean(sum(|answer| answer.worked_ms)),
            longest_ms: counted.iter().map(|(answer, _)| answer.wall_ms).max().unwrap_or(0),
            fullest_context: counted.iter().map(|(answer, _)| answer.fullest_context).max().unwrap_or(0),
        }
    }
}

impl Results {
    /// The team's totals.
    pub fn totals(&self) -> Totals {
        Totals::of(self.questions.iter().map(|row| (&row.team, row.unanswerable)))
    }

    /// The baseline's totals; None without a baseline.
    pub fn baseline_totals(&self) -> Option<Totals> {
        self.baseline.as_ref()?;
        Some(Totals::of(self.questions.iter().filter_map(|row| Some((row.baseline.as_ref()?, row.unanswerable)))))
    }

    /// The judge's totals; None without a judge.
    pub fn judged_totals(&self) -> Option<JudgedTotals> {
        self.judge.as_ref()?;
        Some(JudgedTotals::of(self.questions.iter().filter_map(|row| row.judged.as_ref())))
    }

    /// The gaps: questions without a brief, questions that wait or were left out, pairs that were not judged.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let answers = || self.questions.iter().flat_map(|row| [Some(&row.team), row.baseline.as_ref()]).flatten();
        for (end, what) in [
            (End::Failed, "without a brief (counted as having none of the facts)"),
            (End::Waiting, "waiting for you (not counted)"),
            (End::LeftOut, "not begun (not counted)"),
        ] {
            let n = answers().filter(|answer| answer.end == end).count();
            if n > 0 {
                gaps.push(format!("{} {what}", count(n, "answer")));
            }
        }
        let unjudged = self.judged_totals().map_or(0, |judged| judged.unjudged);
        if unjudged > 0 {
            gaps.push(format!("{} not judged", count(unjudged, "pair")));
        }
        gaps
    }
}

#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    results: &'a Results,
    totals: Totals,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_totals: Option<Totals>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judged_totals: Option<JudgedTotals>,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a crate::against::Against>,
}

/// The result as JSON, with its totals and the comparison with an earlier one. Both are for readers, and are recomputed
/// when the result is read.
pub fn written(results: &Results, against: Option<&crate::against::Against>) -> String {
    let (totals, baseline_totals, judged_totals) =
        (results.totals(), results.baseline_totals(), results.judged_totals());
    // Plain data with string keys: writing it as JSON cannot fail.
    let json = serde_json::to_string_pretty(&Written { results, totals, baseline_totals, judged_totals, against });
    text::escape_in_json(json.unwrap_or_default())
}

/// Parses a result.
///
/// # Errors
/// It is too large, not a result, or of another version: in words for a person.
pub fn read(json: &str) -> Result<Results, String> {
    #[derive(Deserialize)]
    struct Form {
        masthead_eval: Option<u32>,
    }
    if json.len() > LONGEST {
        return Err(format!("it is longer than {} MB", LONGEST >> 20));
    }
    let form: Form =
        serde_json::from_str(json).map_err(|error| format!("it is no result of `masthead eval`: {error}"))?;
    match form.masthead_eval {
        Some(VERSION) => serde_json::from_str(json).map_err(|error| format!("it is not whole: {error}")),
        Some(other) => {
            Err(format!("its form has version {other}, and this program reads version {VERSION}: make it anew"))
        }
        None => Err("it is no result of `masthead eval --format json`".into()),
    }
}
