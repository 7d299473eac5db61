//! Two runs side by side, stage by stage: plan, findings, draft, verdicts, cost and time. It does not say which is better.

mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::brief;
use crate::budget::{Cap, Money};
use crate::finding::{Finding, Standing};
use crate::foreign::Pricing;
use crate::id::{CallId, Role};
use crate::measured::{self, Measured};
use crate::model::Content;
use crate::state::Run;
use crate::transcript::Exchange;
use crate::unlike::{self, Unlike};
use crate::verdict::Issue;
use text::Clean;
use text::difference::{Aligned, aligned};
pub use work::said;

/// Two runs compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The runs, in the order in which they were named.
    pub runs: [Side; 2],
    /// Whether they were asked the same.
    pub same_question: bool,
    /// The first request to a model of the second run that differs from that of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlike: Option<FirstUnlike>,
    /// Tasks of the plan, by title.
    pub plan: Vec<Row>,
    /// Findings, by the passage they quote.
    pub findings: Vec<Row>,
    /// The tasks, tool calls, answers and reports of the agents; empty unless one of the runs is imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Row>,
    /// The number of calls of both that have other answers.
    pub answered_otherwise: usize,
    /// The person's actions, in order.
    pub person: Vec<Row>,
    /// Verdicts on drafts, in the order in which they were given.
    pub verdicts: Vec<Row>,
    /// Lines of the brief, or of the last draft.
    pub draft: Vec<Row>,
    /// The cost and time of each role, in the order in which they began.
    pub stages: Vec<Stage>,
}

/// One of the two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Its id.
    pub run: Clean,
    /// The question.
    pub question: Clean,
    /// Its phase, or its end.
    pub state: Clean,
    /// The run that it was forked from, and the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<(Clean, u64)>,
    /// Its own bill, in pico-dollars.
    pub paid: u64,
    /// The amount that was paid before it was forked, in pico-dollars.
    pub kept: u64,
    /// The part of an imported run's money that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pricing: Option<Pricing>,
    /// Answers of models, those from a record included.
    pub answers: usize,
    /// The number of those that came from a record.
    pub recorded: usize,
    /// Milliseconds that it worked.
    pub worked_ms: u64,
    /// Its measures.
    pub measured: Measured,
}

/// The first request that differs.
#[derive(Clone, Debug, Serialize)]
pub struct FirstUnlike {
    /// The call.
    pub call: String,
    /// The role.
    pub role: Clean,
    /// The difference.
    pub how: String,
}

impl FirstUnlike {
    /// The number of the call among those of its role.
    pub fn nth(&self) -> &str {
        self.call.rsplit('/').next().unwrap_or_default()
    }
}

/// Something in one of the two runs, or in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The runs that have it.
    pub is: In,
    /// As the first run has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Clean>,
    /// As the second run has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Clean>,
}

/// The runs of the two that have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum In {
    /// In both, alike.
    Both,
    /// In both, and not alike.
    Changed,
    /// Only in the first.
    First,
    /// Only in the second.
    Second,
}

/// The consumption of a role in each run.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    /// The role.
    pub role: Clean,
    /// In the first run; None where it did not work.
    pub first: Option<Took>,
    /// In the second run.
    pub second: Option<Took>,
}

/// The consumption of a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Took {
    /// The number of its assignments.
    pub assignments: usize,
    /// Money, in pico-dollars.
    pub money: u64,
    /// The part of that money that is known, in an imported run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pricing: Option<Pricing>,
    /// Tokens of its model calls, in and out.
    pub tokens: u64,
    /// Answers of its model.
    pub answers: usize,
    /// Tool calls.
    pub tool_calls: u64,
    /// Milliseconds in which it was at work; waiting for the person does not count.
    pub ms: u64,
}

/// Compares two runs.
pub fn compare(first: &Run, second: &Run) -> Comparison {
    let question = |run: &Run| run.opening.as_ref().map(|opening| opening.question.clone()).unwrap_or_default();
    Comparison {
        runs: [side(first), side(second)],
        same_question: question(first) == question(second),
        unlike: first_unlike(first, second),
        plan: matched(&tasks(first), &tasks(second)),
        findings: findings(first, second),
        work: work::work(first, second),
        answered_otherwise: answered_otherwise(first, second),
        person: paired(&deeds(first), &deeds(second)),
        verdicts: paired(&verdicts(first), &verdicts(second)),
        draft: lines(&draft(first), &draft(second)),
        stages: stages(first, second),
    }
}

fn side(run: &Run) -> Side {
    let opening = run.opening.as_ref();
    let exchanges = || run.assignments().flat_map(|one| one.transcript.exchanges()).filter_map(Exchange::reply);
    let forked = run.forked.as_ref();
    Side {
        run: opening.map(|opening| opening.run.as_str().into()).unwrap_or_default(),
        question: opening.map(|opening| Clean::line(&opening.question)).unwrap_or_default(),
        state: run.ended().map_or_else(|| run.phase().word().into(), |outcome| outcome.to_string().into()),
        forked_from: forked.map(|forked| (forked.fork.parent.as_str().into(), forked.fork.named().0)),
        paid: run.paid().money().0,
        kept: forked.map(|forked| forked.spent.money().0).unwrap_or_default(),
        pricing: run.is_imported().then_some(run.pricing),
        answers: exchanges().count(),
        recorded: exchanges().filter(|reply| reply.recorded.is_some()).count(),
        worked_ms: run.worked(run.at),
        measured: measured::of(run),
    }
}

/// The first call of the second run whose request is not that of the first, by the time it was asked.
fn first_unlike(first: &Run, second: &Run) -> Option<FirstUnlike> {
    let calls = second.assignments().flat_map(|one| one.transcript.exchanges().map(move |exchange| (one, exchange)));
    let mut calls: Vec<_> = calls.collect();
    calls.sort_by_key(|(_, exchange)| exchange.attempts.first().map(|attempt| attempt.not_before));
    let how = |call: CallId| -> Option<String> {
        let now = second.assignment(call.assignment)?.transcript.conversation(call);
        let then = first.assignment(call.assignment).map(|one| one.transcript.conversation(call)).unwrap_or_default();
        if then.last().is_none_or(|last| last.reply.is_some()) {
            return Some("the other run made no such call".into());
        }
        unlike::of(&then, &now).map(|unlike: Unlike| unlike.to_string())
    };
    calls.into_iter().find_map(|(one, exchange)| {
        let role = one.role.as_str().into();
        Some(FirstUnlike { call: exchange.call.to_string(), role, how: how(exchange.call)? })
    })
}

/// The number of calls of both runs with other answers.
fn answered_otherwise(first: &Run, second: &Run) -> usize {
    let replies = |run: &Run| -> BTreeMap<CallId, Vec<Content>> {
        let exchanges = run.assignments().flat_map(|one| one.transcript.exchanges());
        exchanges.filter_map(|exchange| Some((exchange.call, exchange.reply()?.content.clone()))).collect()
    };
    let first = replies(first);
    replies(second).iter().filter(|(call, content)| first.get(call).is_some_and(|other| other != *content)).count()
}

/// Things identified by a name, with their content.
type Named = Vec<(String, Clean)>;

fn tasks(run: &Run) -> Named {
    let tasks = run.plan.iter().flat_map(|plan| &plan.tasks);
    tasks.map(|task| (task.title.to_string(), format!("{} ({})", task.in_words(), task.role).into())).collect()
}

/// Findings of one passage are one, and so are those of one claim: a quote that was not to be found may be found now.
fn findings(first: &Run, second: &Run) -> Vec<Row> {
    let (first, second) = (found(first), found(second));
    let key = |finding: &&Finding| passage(finding);
    let (of_first, of_second): (BTreeSet<String>, BTreeSet<String>) =
        (first.iter().map(key).collect(), second.iter().map(key).collect());
    let alone = first.iter().filter(|finding| !of_second.contains(&passage(finding)));
    let by_claim: BTreeMap<&str, String> = alone.map(|finding| (finding.claim.as_str(), passage(finding))).collect();
    let same_claim = |finding: &Finding| {
        let own = passage(finding);
        if of_first.contains(&own) { own } else { by_claim.get(finding.claim.as_str()).cloned().unwrap_or(own) }
    };
    let first: Named = first.into_iter().map(|finding| (passage(finding), in_words(finding))).collect();
    let second: Named = second.into_iter().map(|finding| (same_claim(finding), in_words(finding))).collect();
    matched(&first, &second)
}

/// The findings of a run: as the person left them, or as they were merged, or as they were reported.
pub(crate) fn found(run: &Run) -> Vec<&Finding> {
    let approved = run.findings_checkpoints().next_back().map(|(_, findings)| findings);
    let merged = || run.assignments().rfind(|one| one.role.as_str() == Role::MERGER && one.ended.is_some());
    let merged = || Some(merged()?.ended.as_ref()?.1.payload.findings());
    match approved.or_else(merged) {
        Some(findings) => findings.iter().collect(),
        None => {
            let reports = run.assignments().filter(|one| one.task.is_some());
            reports.filter_map(|one| one.ended.as_ref()).flat_map(|(_, report)| report.payload.findings()).collect()
        }
    }
}

fn path(finding: &Finding) -> &str {
    finding.place.as_ref().map(|place| place.source.path.as_str()).unwrap_or_default()
}

/// The quote of a finding, or its claim if it quotes nothing.
fn passage(finding: &Finding) -> String {
    if finding.quote.is_empty() { finding.claim.to_string() } else { format!("{}\n{}", path(finding), finding.quote) }
}

fn in_words(finding: &Finding) -> Clean {
    let path = path(finding);
    let standing = match finding.standing {
        Standing::Proposed => "",
        Standing::Unquoted => " (its quote is not found)",
        Standing::Dropped => " (dropped)",
    };
    let whose = if finding.words_of.is_of_person() { " (in your words)" } else { "" };
    let at = if path.is_empty() { String::new() } else { format!("  {path}") };
    format!("{}{standing}{whose}{at}", finding.claim).into()
}

fn verdicts(run: &Run) -> Vec<Clean> {
    let ended = run.assignments().filter_map(|one| Some((one, &one.ended.as_ref()?.1)));
    let checks = ended.filter(|(one, _)| {
        one.parent().is_some() && !run.opening.as_ref().is_some_and(|o| o.team.delegates(&one.role))
    });
    checks
        .flat_map(|(one, report)| {
            report.payload.verdicts().iter().map(move |verdict| {
                let said = |issue: &Issue| format!("{}{}", if issue.doubt { "doubt: " } else { "" }, issue.what);
                let issues: Vec<String> = verdict.issues.iter().map(said).collect();
                let issues = if issues.is_empty() { String::new() } else { format!(" — {}", issues.join("; ")) };
                format!("{}: {verdict}{issues}", one.role).into()
            })
        })
        .collect()
}

fn deeds(run: &Run) -> Vec<Clean> {
    run.deeds().iter().map(|deed| Clean::line(&format!("{}: {}", deed.at, deed.words))).collect()
}

fn draft(run: &Run) -> String {
    let written = || {
        let drafts = run.assignments().rev().filter_map(|one| Some(&one.ended.as_ref()?.1.payload));
        drafts.into_iter().find_map(|payload| Some((payload.draft.as_ref()?, payload.findings())))
    };
    run.brief().or_else(written).map(|(draft, findings)| brief::markdown(draft, findings)).unwrap_or_default()
}

/// Things of the first run beside those of the second that have the same name; then those of the second alone.
fn matched(first: &Named, second: &Named) -> Vec<Row> {
    let mut left: BTreeMap<&str, Vec<&Clean>> = BTreeMap::new();
    second.iter().rev().for_each(|(name, says)| left.entry(name).or_default().push(says));
    let mut rows: Vec<Row> = first
        .iter()
        .map(|(name, says)| match left.get_mut(name.as_str()).and_then(Vec::pop) {
            Some(other) => both(says, other),
            None => Row { is: In::First, first: Some(says.clone()), second: None },
        })
        .collect();
    for (name, says) in second {
        if left.get_mut(name.as_str()).is_some_and(|others| others.pop().is_some()) {
            rows.push(Row { is: In::Second, first: None, second: Some(says.clone()) });
        }
    }
    rows
}

fn both(first: &Clean, second: &Clean) -> Row {
    let is = if first == second { In::Both } else { In::Changed };
    Row { is, first: Some(first.clone()), second: Some(second.clone()) }
}

fn paired(first: &[Clean], second: &[Clean]) -> Vec<Row> {
    (0..first.len().max(second.len()))
        .filter_map(|n| match (first.get(n), second.get(n)) {
            (Some(first), Some(second)) => Some(both(first, second)),
            (Some(first), None) => Some(Row { is: In::First, first: Some(first.clone()), second: None }),
            (None, Some(second)) => Some(Row { is: In::Second, first: None, second: Some(second.clone()) }),
            (None, None) => None,
        })
        .collect()
}

fn lines(first: &str, second: &str) -> Vec<Row> {
    let line = |text: &str| Some(Clean::line(text));
    let said =
        |text: &'_ str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (said(first), said(second));
    aligned(&first, &second)
        .into_iter()
        .map(|one| match one {
            Aligned::Both(text) => Row { is: In::Both, first: line(text), second: line(text) },
            Aligned::First(text) => Row { is: In::First, first: line(text), second: None },
            Aligned::Second(text) => Row { is: In::Second, first: None, second: line(text) },
        })
        .collect()
}

fn stages(first: &Run, second: &Run) -> Vec<Stage> {
    let mut roles: Vec<&Role> = Vec::new();
    for one in first.assignments().chain(second.assignments()) {
        if !roles.contains(&&one.role) {
            roles.push(&one.role);
        }
    }
    let stage =
        |role: &Role| Stage { role: role.as_str().into(), first: took(first, role), second: took(second, role) };
    roles.into_iter().map(stage).collect()
}

fn took(run: &Run, role: &Role) -> Option<Took> {
    let of_role = || run.assignments().filter(|one| one.role == *role);
    of_role().next()?;
    let mut times: Vec<_> = of_role().map(|one| one.worked()).collect();
    times.sort_by_key(|time| time.start);
    // Time in which several of the role worked counts once.
    let (ms, _) = times.iter().fold((0, 0), |(sum, until): (u64, u64), time| {
        (sum + time.end.saturating_sub(time.start.max(until)), until.max(time.end))
    });
    let mut took = Took { ms, ..Took::default() };
    for one in of_role() {
        // The consumption of assignments that it handed out is counted with those.
        let own = run.ledger.assignment(one.id).own;
        took.assignments += 1;
        took.money = took.money.saturating_add(own.money().0);
        if run.is_imported() {
            took.pricing = Some(took.pricing.unwrap_or_default().plus(one.own_pricing()));
        }
        took.tokens = took.tokens.saturating_add(own.tokens());
        took.tool_calls = took.tool_calls.saturating_add(own.get(Cap::ToolCalls));
        took.answers += one.transcript.exchanges().filter(|exchange| exchange.reply().is_some()).count();
    }
    Some(took)
}

/// Money in words, of an imported run as far as it is known.
fn in_money(pico_dollars: u64, pricing: Option<Pricing>) -> String {
    pricing.map_or_else(|| Money(pico_dollars).to_string(), |pricing| pricing.to_string())
}

impl Comparison {
    /// A sentence about the requests to models of two runs in which no request differs.
    pub fn requests_in_words(&self) -> String {
        match (self.runs.each_ref().map(|side| side.answers > 0), self.answered_otherwise) {
            ([true, true], 0) => "every request that both made is equal".into(),
            ([true, true], n) => {
                let answers = text::count(n, "answer");
                format!(
                    "every request that both made is equal, and {answers} to them {}",
                    if n == 1 { "differs" } else { "differ" }
                )
            }
            ([false, false], _) => "no model was asked in either".into(),
            _ => "a model was asked in one of them alone".into(),
        }
    }

    /// The parts that are compared row by row, with their names; those that runs of the kind do not have are left out.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &[Row])> {
        let parts = [
            ("plan", &self.plan),
            ("findings", &self.findings),
            ("work", &self.work),
            ("you", &self.person),
            ("verdicts", &self.verdicts),
            ("draft", &self.draft),
        ];
        let is_imported = !self.work.is_empty();
        let has =
            move |(name, rows): &(&str, &Vec<Row>)| !rows.is_empty() || !is_imported && !["work", "you"].contains(name);
        parts.into_iter().filter(has).map(|(name, rows)| (name, &rows[..]))
    }

    /// The measures of both in words: name, the first run's figure, the second's.
    pub fn measures(&self) -> impl Iterator<Item = (&'static str, String, String)> {
        let [first, second] = &self.runs;
        let both = first.measured.in_words().into_iter().zip(second.measured.in_words());
        both.map(|((name, first), (_, second))| (name, first, second))
    }

    /// The number of rows that are alike, changed, only in the first and only in the second.
    pub fn counts(rows: &[Row]) -> [usize; 4] {
        [In::Both, In::Changed, In::First, In::Second].map(|is| rows.iter().filter(|row| row.is == is).count())
    }

    /// The rows in numbers: "14 alike, 1 changed, 2 only in 7f3k2m".
    pub fn in_numbers(&self, rows: &[Row]) -> String {
        let [alike, changed, first, second] = Comparison::counts(rows);
        let [one, two] = &self.runs;
        let said = [
            (alike, "alike".to_owned()),
            (changed, "changed".to_owned()),
            (first, format!("only in {}", one.run)),
            (second, format!("only in {}", two.run)),
        ];
        let said: Vec<String> =
            said.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if said.is_empty() { "none in either".into() } else { said.join(", ") }
    }
}

impl Side {
    /// Its name, its origin and its consumption, in a line.
    pub fn in_words(&self) -> String {
        format!("{} · {}", self.run, self.came_to())
    }

    /// The same without its name.
    pub fn came_to(&self) -> String {
        let forked = self.forked_from.as_ref().map(|(parent, at)| format!(" · fork of {parent} at #{at}"));
        let kept = if self.kept > 0 { format!(" (and {} kept)", Money(self.kept)) } else { String::new() };
        let recorded = if self.recorded > 0 { format!(", {} of them recorded", self.recorded) } else { String::new() };
        format!(
            "{} · {}{kept} · {}{recorded} · {}{}",
            self.state,
            in_money(self.paid, self.pricing),
            text::count(self.answers, "model answer"),
            text::clock(self.worked_ms),
            forked.unwrap_or_default()
        )
    }
}

impl Took {
    /// In a few words.
    pub fn in_words(&self) -> String {
        let mut said = vec![in_money(self.money, self.pricing), format!("{} tok", self.tokens)];
        if self.answers > 0 {
            said.push(text::count(self.answers, "answer"));
        }
        if self.tool_calls > 0 {
            said.push(text::count(self.tool_calls, "tool call"));
        }
        said.push(text::clock(self.ms));
        said.join(" · ")
    }
}
