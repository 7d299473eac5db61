//! A model that accepts a request and says nothing, and another that answers at once: a whole run, in paused time.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use desk::{
    AttemptReporter, BoxFuture, Desk, Halt, Models, OnProgress, Outgoing, Policy, ProviderModels, ToolError, Tools,
    World,
};
use desk::{SystemClock, opening_events};
use journal::MemoryJournal;
use kit::{PausedClock, Scene, Script, ask, assigned_model, corpus, finding, opening, report, section, task};
use model::prices::Prices;
use model::{Client, Endpoint, Patience, Profile};
use run::attempt::Fault;
use run::event::Event;
use run::evidence::Corpus;
use run::model::{Content, Untouched, Usage};
use run::price::Rates;
use run::team::{Kind, Worker};
use run::transcript::{Did, ExchangeEnd};
use run::{Draft, Limits, Money, Outcome, Payload, Reply, Role, Run, TaskId, Team, ToolCall, ToolResult};
use specialist::Step;
use text::Clean;
use tokio::sync::mpsc;

/// The first model is at a port that takes everything and answers nothing; the second answers at once.
struct OneIsSilent {
    silent: ProviderModels,
    _port: TcpListener,
}

impl OneIsSilent {
    fn new() -> OneIsSilent {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", port.local_addr().unwrap());
        let profile = Profile { name: "a".into(), ..Profile::clone(&Profile::named("openai-compatible").unwrap()) };
        let endpoint = Endpoint::at(&Arc::new(profile), Some(&url), None).unwrap();
        // Paused time runs ahead of the sockets: a connection that is being made is no sign of silence.
        let patience = Patience { connect: Duration::from_secs(3_600), ..Patience::HURRIED };
        let (client, prices) = (Client::new(Patience::default()), Arc::new(Prices::built_in()));
        let silent = ProviderModels::new(client, prices, Arc::new(SystemClock)).hurried(patience);
        OneIsSilent { silent: silent.with(endpoint, None), _port: port }
    }
}

impl Models for OneIsSilent {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        if outgoing.request().model.provider.as_str() == "a" {
            return self.silent.attempt(outgoing, reporter);
        }
        Box::pin(async move {
            reporter.sending().await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
            Ok(Reply {
                content: vec![Content::Text { text: "yes".into() }],
                raw: Untouched::from(serde_json::json!("raw")),
                stop: run::model::StopReason::End,
                usage: Usage { input: 10, output: 1, ..Usage::default() },
                served_by: "two".into(),
                request_id: None,
                first_ms: 1,
                whole_ms: 2,
                recorded: None,
            })
        })
    }
}

/// There is nothing to search.
struct Nothing;

impl Tools for Nothing {
    fn read_sources(&self, _: OnProgress) -> BoxFuture<Result<Corpus, Clean>> {
        Box::pin(async { Ok(corpus()) })
    }

    fn perform(&self, _: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        Box::pin(async { Err(ToolError::Call("there is nothing".into())) })
    }
}

/// The default team, in which planner and researchers think with the first model and have the second as a fallback.
fn team() -> Team {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    let rates = Some(Rates { input: 3_000_000, output: 15_000_000, ..Rates::free() });
    for role in [Role::PLANNER, Role::RESEARCHER] {
        let member = team.members.get_mut(&Role::new(role)).unwrap();
        (member.kind, member.model) = (Kind::Model, Some(assigned_model("a/one")));
        member.fallbacks = vec![assigned_model("b/two")];
        for model in member.model.iter_mut().chain(&mut member.fallbacks) {
            model.rates.clone_from(&rates);
        }
    }
    team
}

/// Planner and researchers ask their model once, and report.
fn work(scene: Scene<'_>) -> Step {
    let thinks = [Role::PLANNER, Role::RESEARCHER].contains(&scene.role.as_str()) && scene.worker != Worker::Rules;
    match scene.transcript.turns.last().map(|turn| &turn.did) {
        None if thinks => return ask(if scene.worker == Worker::Member { "a/one" } else { "b/two" }),
        Some(Did::Asked(exchange)) if matches!(exchange.end, ExchangeEnd::Failed(_)) => {
            return report(Outcome::Failed("its model failed".into()), Payload::default());
        }
        _ => {}
    }
    let payload = match scene.role.as_str() {
        Role::EDITOR => return section(scene),
        Role::PLANNER => Payload { plan: Some(kit::plan(vec![task(1), task(2), task(3)])), ..Payload::default() },
        Role::WRITER => Payload { draft: Some(Draft::default()), ..Payload::default() },
        Role::MERGER => {
            Payload { findings: Some(scene.assigned.handoff.payload.findings().to_vec()), ..Payload::default() }
        }
        _ => {
            let finding = finding(scene.assigned.id, scene.task().map(TaskId), "so it is");
            Payload { findings: Some(vec![finding]), ..Payload::default() }
        }
    };
    report(Outcome::Done, payload)
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_costs_a_run_one_call_and_half_a_minute_where_another_can_do_its_work() {
    let (disk, opening) = (MemoryJournal::default(), opening(team(), Limits::default()));
    let id = opening.run.clone();
    let world = World {
        journal: Arc::new(disk.clone()),
        tools: Arc::new(Nothing),
        models: Arc::new(OneIsSilent::new()),
        roster: Arc::new(Script::led(work)),
        clock: Arc::new(PausedClock::default()),
    };
    let (_commands, orders) = mpsc::unbounded_channel();
    let mut desk = Desk::new(Run::default(), world, Policy::Approve, orders, Arc::new(|_| {}));
    let began = tokio::time::Instant::now();
    let stop = desk.work(opening_events(opening)).await;
    let took = began.elapsed();
    assert!(matches!(stop, Halt::Ended(_)), "{stop:?}");
    let events = disk.events(&id);
    let sent = events.iter().filter(|envelope| {
        let Event::AttemptSent { call, .. } = &envelope.event else { return false };
        let asked = desk.run().assignment(call.assignment).and_then(|one| desk.run().model_of(one));
        asked.is_some_and(|model| model.id.provider.as_str() == "a")
    });
    let (mut run, mut called) = (Run::default(), Vec::new());
    for envelope in &events {
        run.apply(envelope);
        let lines = run::describe::stage(envelope, &run);
        let sentences = lines.into_iter().filter(|line| line.word == "needs you").map(|line| line.sentence);
        called.extend(sentences.filter(|sentence| sentence.contains("is not called")));
    }
    let in_doubt = run.ledger.run().in_doubt.money();
    let figures = format!("{} calls, {took:?}, {in_doubt} in doubt, {called:?}", sent.clone().count());
    assert_eq!(sent.count(), 1, "{figures}");
    assert!((Duration::from_secs(20)..Duration::from_secs(40)).contains(&took), "{figures}");
    assert!(in_doubt < Money::micros(10_000), "{figures}");
    assert!(called.is_empty(), "{figures}");
    assert!(run.latches.is_empty(), "{figures}");
}
