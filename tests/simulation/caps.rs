//! The result of a run under its cap: from a small part of its need to more than that. Never more is spent than the cap; the cap is
//! used; and a higher cap does not bring fewer findings.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use desk::{AttemptReporter, BoxFuture, Desk, Halt, Models, NoModels, Outgoing, Policy, Tools, World, opening_events};
use journal::MemoryJournal;
use kit::{Folder, PausedClock, example, questions};
use run::attempt::Fault;
use run::event::{Admission, Event, Opening};
use run::model::{Arguments, Content, ModelRequest, Said, StopReason, Untouched, Usage};
use run::team::{AssignedModel, StructuredOutput};
use run::{Amounts, Cap, Envelope, Handoff, Limits, Outcome, Reply, Role, Run, TaskId, Team, forecast, price};
use serde_json::json;
use supervisor::Staff;
use tokio::sync::mpsc;
use tool::{Library, Readers};

use crate::provider::rates;
use crate::shipped;
use crate::world::{Chance, hash};

/// A model that searches now and then before it reports what it has read, the longer the more there is to its task.
struct Scripted {
    /// The seed that decides how long each answer takes.
    delays: u64,
}

impl Models for Scripted {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let delays = self.delays;
        Box::pin(async move {
            if reporter.sending().await.is_err() {
                std::future::pending::<()>().await;
            }
            let reply = answer(&outgoing);
            tokio::time::sleep(Duration::from_millis(hash(delays, &outgoing.call.to_string()) % 900)).await;
            Ok(reply)
        })
    }
}

fn answer(outgoing: &Outgoing) -> Reply {
    let said: Vec<&Said> = outgoing.rounds.iter().flat_map(|round| &round.request.said).collect();
    let text = |said: &Said| match said {
        Said::System { text } | Said::User { text } => text.to_string(),
        Said::Results { results } => results.iter().map(|result| result.text.to_string()).collect(),
    };
    let told: String = said.iter().map(|said| text(said)).collect();
    let own = outgoing.rounds.first().map(|round| format!("{:?}", round.request.said.last())).unwrap_or_default();
    let whim = hash(7, &own);
    let is_last = told.contains("last answer") || outgoing.rounds.len() as u64 > 1 + whim % 4;
    let call = |name: &str, arguments| Content::Call {
        id: format!("c{}", outgoing.rounds.len()).into(),
        name: name.into(),
        arguments: Arguments::Whole(arguments),
    };
    let content = match is_last {
        false => call("search", json!({ "query": format!("vector {} {}", outgoing.rounds.len(), whim % 5) })),
        true => {
            let sources = told.split("source=\"").skip(1).filter_map(|rest| rest.split_once('"'));
            let quoted = sources.filter_map(|(source, rest)| {
                let quote = rest.split_once('>')?.1.split(['<', '\n']).find(|line| line.split(' ').count() > 4)?;
                Some(json!({ "claim": quote, "quote": quote, "source": source }))
            });
            let findings: Vec<_> = quoted.take(2 * outgoing.rounds.len()).collect();
            call("report", json!({ "findings": findings, "gaps": "" }))
        }
    };
    // About four bytes are a token.
    let input = told.len() as u64 / 4 + 300;
    let output = (200 + whim % 600).min(outgoing.request().max_tokens.into());
    Reply {
        content: vec![content],
        raw: Untouched::from(json!("raw")),
        stop: if is_last { StopReason::End } else { StopReason::Tools },
        usage: Usage { input, output, ..Usage::default() },
        served_by: "one".into(),
        request_id: None,
        first_ms: 1,
        whole_ms: 2,
        recorded: None,
    }
}

fn model() -> AssignedModel {
    let structured_output = StructuredOutput::Tool;
    AssignedModel { rates: Some(rates()), max_tokens: 8_000, structured_output, ..kit::assigned_model("sim/one") }
}

/// The default team; its researchers ask a model, or work by rule as all others do.
fn team(thinks: bool) -> Team {
    let mut team = shipped::team();
    if thinks {
        team::assign_models(&mut team, shipped::prompts(), [(Role::new(Role::RESEARCHER), model(), vec![])]);
    }
    team
}

/// A run over the example collection, approved by policy, from its opening to its end. Time costs nothing.
fn live(folder: &Arc<Folder>, tasks: usize, thinks: bool, limits: Limits) -> Lived {
    let models: Arc<dyn Models> = if thinks { Arc::new(Scripted { delays: 3 }) } else { Arc::new(NoModels) };
    live_with(folder, tasks, team(thinks), models, limits)
}

fn live_with(folder: &Arc<Folder>, tasks: usize, team: Team, models: Arc<dyn Models>, limits: Limits) -> Lived {
    let opening = Opening { question: questions(tasks).into(), ..kit::opening(team, limits) };
    let disk = MemoryJournal::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (_commands, orders) = mpsc::unbounded_channel();
        let world = World {
            journal: Arc::new(disk.clone()),
            tools: folder.clone() as Arc<dyn Tools>,
            models,
            roster: Arc::new(Staff),
            clock: Arc::new(PausedClock::default()),
        };
        let mut desk = Desk::new(Run::default(), world, Policy::Approve, orders, Arc::new(|_| {}));
        let stop = desk.work(opening_events(opening.clone())).await;
        assert!(matches!(stop, Halt::Ended(_)), "{stop:?}");
    });
    Lived::of(disk.events(&opening.run))
}

/// The result of a run.
struct Lived {
    run: Run,
    /// The number of findings of researchers.
    findings: usize,
    /// Tasks that were researched to their end.
    done: usize,
    /// The most that was reserved for a call, with a useful answer and no more.
    least: Amounts,
}

impl Lived {
    fn of(events: Vec<Envelope>) -> Lived {
        let mut run = Run::default();
        for event in &events {
            run.apply(event);
            assert!(run.misfits == 0 && run.ledger.holds(), "{event:?}");
            let account = run.ledger.run();
            let (limits, committed) = (account.limits, account.committed());
            assert!(limits.caps().all(|(kind, cap)| committed.get(kind) <= cap), "over its cap: {event:?}");
        }
        let researchers: Vec<_> = run.assignments().filter(|one| one.task.is_some()).collect();
        let ends = researchers.iter().filter_map(|one| one.ended.as_ref());
        let findings = ends.clone().map(|(_, report)| report.payload.findings().len()).sum();
        let done = ends.filter(|(outcome, _)| matches!(outcome, Outcome::Done | Outcome::NothingFound)).count();
        let least = events.iter().map(|event| least(&event.event)).fold(Amounts::default(), Amounts::max);
        Lived { findings, done, least, run }
    }

    /// The end of each task, and the number of its findings.
    fn ends(&self) -> Vec<String> {
        let tasks = self.run.assignments().filter_map(|one| Some((one.task?, one.ended.as_ref()?)));
        let end = |(task, (outcome, report)): (TaskId, &(Outcome, Arc<Handoff>))| {
            format!("{task}: {outcome}, {}", report.payload.findings().len())
        };
        let mut ends: Vec<String> = tasks.map(end).collect();
        ends.sort_unstable();
        ends
    }

    fn spent(&self, kind: Cap) -> u64 {
        self.run.ledger.run().spent.get(kind)
    }
}

/// The least reservation of an admitted call: for a useful answer and no more.
fn least(event: &Event) -> Amounts {
    match event {
        Event::ModelCalled { request, admission: Admission::Reserved(amounts), .. } => {
            let ModelRequest { max_tokens, .. } = **request;
            let useful = forecast::least_room(&Role::new(Role::RESEARCHER), &model(), 500).min(max_tokens);
            price::reservation(&rates(), amounts.tokens().saturating_sub(max_tokens.into()), useful)
        }
        Event::ToolsCalled { calls, .. } => {
            let reserved = |called: &run::event::Called| match called.admission {
                Admission::Reserved(amounts) => amounts,
                _ => Amounts::default(),
            };
            calls.iter().map(reserved).fold(Amounts::default(), Amounts::max)
        }
        _ => Amounts::default(),
    }
}

fn library(data: &std::path::Path) -> Arc<Folder> {
    let folders: [PathBuf; 1] = [example("vector-databases")];
    let library = Library::open(&folders, data, Readers::in_this_process()).unwrap();
    library.survey(|_| {}).unwrap();
    Arc::new(Folder(library))
}

/// The caps as parts of the need, in percent: `drawn` by chance, and four that are always tried.
fn parts(seed: u64, drawn: u64) -> Vec<u64> {
    let mut chance = Chance::new(seed);
    let mut parts: Vec<u64> = (0..drawn).map(|_| 5 + chance.below(296)).chain([5, 60, 100, 300]).collect();
    parts.sort_unstable();
    parts
}

fn a_cap_is_used(thinks: bool, kind: Cap, tasks: &[usize]) {
    let data = tempfile::tempdir().unwrap();
    let folder = library(data.path());
    for &tasks in tasks {
        let free = live(&folder, tasks, thinks, Limits::default());
        assert_eq!(free.done, tasks, "{tasks} tasks, no cap");
        let need = free.spent(kind);
        let mut found: Vec<(u64, usize)> = Vec::new();
        // Forty tasks by rule read some thousand passages for each cap.
        let drawn = if tasks == 40 && !thinks { 0 } else { 7 };
        for part in parts(tasks as u64, drawn) {
            let cap = need * part / 100;
            let lived = live(&folder, tasks, thinks, Limits::of(kind, cap));
            let (spent, findings, done) = (lived.spent(kind), lived.findings, lived.done);
            let told = format!("{tasks} tasks, {part} % of {need}: {spent} of {cap}, {done} done, {findings} findings");
            println!("{told}");
            let used = spent + free.least.get(kind) >= cap * 8 / 10;
            assert!(done == tasks || used, "{told}");
            let fewer = found.iter().max_by_key(|(_, found)| *found);
            assert!(fewer.is_none_or(|(_, fewer)| findings >= *fewer), "{told}, but {fewer:?}");
            found.push((part, findings));
        }
        let most = found.last().map(|(_, findings)| *findings);
        assert_eq!(most, Some(free.findings), "{tasks} tasks: with three times what is needed, all is found");
    }
}

#[test]
fn money_is_used_up_to_its_cap_and_more_of_it_finds_no_less() {
    a_cap_is_used(true, Cap::Money, &[3, 10, 40]);
}

#[test]
fn tokens_are_used_up_to_their_cap_by_the_team_without_models_and_more_of_them_find_no_less() {
    a_cap_is_used(false, Cap::Tokens, &[3, 10]);
}

// Beside the one above: together they take most of the simulation's time.
#[test]
fn tokens_are_used_up_to_their_cap_by_forty_researchers_without_models_too() {
    a_cap_is_used(false, Cap::Tokens, &[40]);
}

#[test]
fn what_falls_out_under_a_cap_depends_neither_on_which_answer_is_quick_nor_on_how_many_work_at_once() {
    let data = tempfile::tempdir().unwrap();
    let folder = library(data.path());
    let need = live(&folder, 10, true, Limits::default()).spent(Cap::Money);
    for part in [15, 40, 65, 80] {
        let live = |delays, parallel| {
            let team = Team { parallel, ..team(true) };
            let limits = Limits::of(Cap::Money, need * part / 100);
            live_with(&folder, 10, team, Arc::new(Scripted { delays }), limits).ends()
        };
        let first = live(3, 8);
        assert!(first.iter().any(|end| end.contains("too little was left")), "{part} %: {first:?}");
        for (delays, parallel) in [(4, 8), (5, 8), (6, 2), (7, 1)] {
            assert_eq!(live(delays, parallel), first, "{part} %, {parallel} at once");
        }
    }
}
