//! Runs with many tasks, made by deciding and recording the decisions: nobody waits, and nothing is performed.

use std::sync::Arc;

use kit::{Scene, Script, found, opening, plan, report, search, section, use_tools};
use run::model::{Content, Reply, StopReason, Untouched, Usage};
use run::plan::{Plan, Task};
use run::team::Kind;
use run::{Amounts, Cap, Event, Finding, FindingId, Limits, Outcome, Payload, Role, TaskId, Team};
use specialist::Step;
use text::Clean;

/// The way in which leaders share out the tasks.
#[derive(Clone, Copy, Debug)]
pub enum Shared {
    /// The supervisor leads all of them.
    FannedOut,
    /// Editors lead sections.
    InSections,
}

/// A run over a plan of this many tasks, none of which has a result.
pub fn waiting(tasks: u32, shared: Shared) -> kit::Story {
    let mut team = Team { most_tasks: Plan::MOST, ..team::embedded() };
    team.members.remove(&Role::new(Role::MEMORY));
    if let Shared::FannedOut = shared {
        team.span = u32::MAX;
    }
    let limits = Limits::of(Cap::ToolCalls, u64::MAX / 4).with(Cap::Tokens, Some(u64::MAX / 4));
    let script = Script::led(|scene| found(scene.assigned.handoff.payload.findings().to_vec()))
        .with(Role::EDITOR, section)
        .with(Role::PLANNER, move |_| plans(tasks))
        .with(Role::RESEARCHER, researches);
    let mut story = kit::Story::begin(opening(team, limits), script);
    story.settle();
    story
}

/// The same after `done` tasks have brought their findings.
pub fn done(tasks: u32, shared: Shared, done: u32) -> kit::Story {
    let mut story = waiting(tasks, shared);
    for _ in 0..done {
        let Some(call) = story.run.under_way.keys().next().copied() else { break };
        story.call_comes_back(call);
        story.settle();
    }
    story
}

const MODEL: &str = "acme/streams";

/// A run over this many tasks whose researchers have all asked a model.
pub fn streaming(tasks: u32) -> kit::Story {
    let mut team = team::embedded();
    team.members.remove(&Role::new(Role::MEMORY));
    let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("a researcher");
    researcher.kind = Kind::Model;
    researcher.model = Some(kit::assigned_model(MODEL));
    researcher.turns = u32::MAX;
    let limits = Limits::of(Cap::Tokens, u64::MAX / 4);
    let script = Script::led(|scene| found(scene.assigned.handoff.payload.findings().to_vec()))
        .with(Role::PLANNER, move |_| plans(tasks))
        .with(Role::RESEARCHER, |_| kit::ask(MODEL));
    let mut story = kit::Story::begin(opening(team, limits), script);
    story.settle();
    story
}

/// The same with one researcher whose model has answered so often, each time with this text.
pub fn answered(times: u32, text: &str) -> kit::Story {
    let mut story = streaming(1);
    let text = Clean::new(text);
    for _ in 0..times {
        let call = *story.run.under_way.keys().next().expect("the model is asked");
        let reply = Reply {
            content: vec![Content::Text { text: text.clone() }],
            raw: Untouched::default(),
            stop: StopReason::End,
            usage: Usage { output: 1, ..Usage::default() },
            served_by: "streams".into(),
            request_id: None,
            first_ms: 1,
            whole_ms: 2,
            recorded: None,
        };
        let used = Amounts::of(Cap::Calls, 1);
        story.record(Event::AttemptSent { call, attempt: 1 });
        story.record(Event::ModelReplied { call, reply: Arc::new(reply), used });
        story.settle();
    }
    story
}

fn plans(tasks: u32) -> Step {
    let task = |n: u32| {
        let question = format!("Which limits does part {n} of the collection have, and since when?");
        Task::new(TaskId(n), format!("part {n}").as_str().into(), question.as_str().into())
    };
    report(Outcome::Done, Payload { plan: Some(plan((1..=tasks).map(task).collect())), ..Payload::default() })
}

/// Searches once, then reports six findings.
fn researches(scene: Scene<'_>) -> Step {
    let title = &scene.assigned.handoff.title;
    if scene.transcript.turns.is_empty() {
        return use_tools(vec![search(title)]);
    }
    let finding = |n: u32| Finding {
        id: FindingId::new(scene.assigned.id, n),
        subtopic: title.clone(),
        ..kit::finding(scene.assigned.id, scene.task().map(TaskId), &format!("Statement {n} about {title}."))
    };
    found((1..=6).map(finding).collect())
}
