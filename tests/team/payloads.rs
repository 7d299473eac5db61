//! The handoffs and records of large teams: a payload does not grow with the number of those beside it, and a record does not
//! repeat itself.

use std::sync::Arc;

use kit::{Script, opening, plan, report};
use run::evidence::{Hit, Hits};
use run::model::{Arguments, Content, Offers, Said, StopReason, Untouched, Usage};
use run::plan::Task;
use run::state::Intent;
use run::team::StructuredOutput;
use run::{
    Amounts, CallId, Cap, Event, Limits, ModelRequest, Outcome, Payload, Reply, Role, Run, TaskId, ToolResult, record,
};
use serde_json::{Value, json};
use specialist::Specialist;
use specialist::model::ModelSpecialist;

fn asked(n: u32) -> String {
    format!("What does component {n} of the system do for its users?")
}

/// A run whose question lists `tasks` questions, each the task of a model that searches twice and finds nothing: played until all
/// have reported.
fn played(tasks: u32, span: u32) -> kit::Story {
    let mut team = run::Team { span, most_tasks: 1_000, parallel: 1_000, ..team::embedded() };
    team.members.remove(&Role::new(Role::MEMORY));
    team.members.values_mut().for_each(|member| member.on_failure.clear());
    let prompts = team::prompts(std::path::Path::new("/nowhere"), "brief").expect("the built-in prompts");
    let model = run::team::AssignedModel { structured_output: StructuredOutput::Tool, ..kit::assigned_model("a/b") };
    team::assign_models(&mut team, &prompts, [(Role::new(Role::RESEARCHER), model, vec![])]);
    let question: String = (1..=tasks).map(|n| format!("{n}. {}\n", asked(n))).collect();
    let opening = run::event::Opening { question: question.as_str().into(), ..opening(team, Limits::default()) };
    let script = Script::led(move |scene| match scene.role.as_str() {
        Role::PLANNER => {
            let task = |n: u32| Task::new(TaskId(n), asked(n).as_str().into(), asked(n).as_str().into());
            let plan = plan((1..=tasks).map(task).collect());
            report(Outcome::Done, Payload { plan: Some(plan), ..Payload::default() })
        }
        Role::EDITOR => kit::section(scene),
        Role::RESEARCHER => {
            let member = &scene.team.members[scene.role];
            let model = member.model.as_ref().expect("it has a model");
            ModelSpecialist::new(scene.team, scene.role, member, model).next(scene.assigned, scene.transcript)
        }
        _ => report(Outcome::Failed("no part in this".into()), Payload::note("no part in this")),
    });
    let mut story = kit::Story::begin(opening, script);
    loop {
        story.settle();
        let calls: Vec<CallId> = story.run.under_way.keys().copied().collect();
        if calls.is_empty() {
            break;
        }
        calls.into_iter().for_each(|call| {
            let event = ended(&story.run, call);
            story.record(event);
        });
    }
    assert_eq!(story.of_role(Role::RESEARCHER).iter().filter(|one| one.ended.is_some()).count(), tasks as usize);
    story
}

fn ended(run: &Run, call: CallId) -> Event {
    match run.intent(call) {
        Some(Intent::Model(_)) => {
            let answered = run.assignment(call.assignment).unwrap().transcript.exchanges().count();
            let (name, arguments) = match answered {
                1 | 2 => ("search", json!({ "query": format!("look {answered}") })),
                _ => ("report", json!({ "findings": [], "gaps": "nothing was there" })),
            };
            let id = "c1".into();
            let content = vec![Content::Call { id, name: name.into(), arguments: Arguments::Whole(arguments) }];
            let reply = Reply {
                content,
                raw: Untouched::from(Value::Null),
                stop: StopReason::Tools,
                usage: Usage { input: 100, output: 10, ..Usage::default() },
                served_by: "b".into(),
                request_id: None,
                first_ms: 1,
                whole_ms: 2,
                recorded: None,
            };
            Event::ModelReplied { call, reply: Arc::new(reply), used: Amounts::of(Cap::Calls, 1) }
        }
        _ => {
            let result = Arc::new(ToolResult::Hits(hits()));
            Event::ToolReturned { call, result, used: Amounts::of(Cap::ToolCalls, 1) }
        }
    }
}

fn hits() -> Hits {
    let source = kit::source("0123456789ab", "a.md", "A");
    let hit = |block| Hit {
        source: source.clone(),
        block,
        headings: Arc::new([]),
        columns: None,
        snippet: "It moves parcels.".into(),
        score: 1,
    };
    Hits { hits: (1..=8).map(hit).collect(), titled: vec![], terms: vec![], documents: 1, blocks: 9, notes: vec![] }
}

fn bytes(events: &[run::Envelope]) -> usize {
    events.iter().map(|envelope| record::write(&envelope.event).unwrap().len()).sum()
}

/// The payload that researcher `n` was handed, as it is recorded.
fn handed(story: &kit::Story, n: u32) -> String {
    let one =
        story.of_role(Role::RESEARCHER).into_iter().find(|one| one.task == Some(TaskId(n))).expect("it was opened");
    serde_json::to_string(&one.transcript.handoff.payload).unwrap()
}

/// The requests of one researcher as they stand in the journal.
fn requests(story: &kit::Story, n: u32) -> Vec<Arc<ModelRequest>> {
    let is_own = |by| story.run.assignment(by).is_some_and(|one| one.task == Some(TaskId(n)));
    let request = |event: &run::Envelope| match &event.event {
        Event::ModelCalled { by, request, .. } if is_own(*by) => Some(request.clone()),
        _ => None,
    };
    story.events.iter().filter_map(request).collect()
}

#[test]
fn what_a_specialist_is_handed_and_says_does_not_grow_with_the_number_of_those_beside_it() {
    let few = played(40, 1_000);
    let said = |story: &kit::Story| {
        requests(story, 17).iter().map(|request| format!("{:?}", request.said)).collect::<Vec<_>>()
    };
    for (tasks, span) in [(160, 1_000), (160, 10)] {
        let many = played(tasks, span);
        assert_eq!(handed(&few, 17), handed(&many, 17), "{tasks} tasks, {span} under one leader");
        assert_eq!(said(&few), said(&many));
    }
    let handed = handed(&few, 17);
    assert!(handed.contains(&asked(17)) && handed.contains(&asked(16)) && !handed.contains(&asked(30)), "{handed}");
}

#[test]
fn a_journal_grows_with_the_number_of_tasks_and_no_faster() {
    for span in [1_000, 10] {
        let (few, many) = (played(40, span), played(160, span));
        let (few, many) = (bytes(&few.events), bytes(&many.events));
        // With more tasks there is another level of editors.
        assert!(many * 10 <= few * 43, "{few} bytes for 40 tasks, {many} for 160, {span} under one leader");
    }
}

#[test]
fn the_tools_on_offer_are_recorded_once_and_are_on_offer_in_every_request() {
    let story = played(3, 10);
    let recorded = requests(&story, 2);
    assert_eq!(recorded.len(), 3);
    assert!(recorded[0].offers.iter().any(|offer| offer.name.as_str() == "search"));
    assert!(recorded[1..].iter().all(|request| request.offers == Offers::AsBefore));
    assert!(recorded.iter().all(|request| request.said.iter().all(|said| !matches!(said, Said::System { .. }))
        == (request.offers == Offers::AsBefore)));
    let mut records = record::Records::default();
    let read = |envelope: &run::Envelope| run::Envelope {
        event: records.read(&record::write(&envelope.event).unwrap()).unwrap(),
        ..envelope.clone()
    };
    let again: Vec<run::Envelope> = story.events.iter().map(read).collect();
    for run in [&story.run, &Run::fold(&again)] {
        let one = run.assignments().find(|one| one.task == Some(TaskId(2))).unwrap();
        let offered: Vec<&Offers> = one.transcript.exchanges().map(|exchange| &exchange.request.offers).collect();
        assert!(offered.iter().all(|offers| **offers == recorded[0].offers), "{offered:?}");
    }
}
