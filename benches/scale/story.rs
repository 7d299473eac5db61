//! Runs with many tasks, made by deciding and recording what is decided: nobody waits, and nothing is performed.

use std::sync::Arc;

use run::event::{Envelope, Event, Opening};
use run::evidence::Corpus;
use run::finding::{Finding, FindingKind, Standing, WordsOf};
use run::handoff::Parts;
use run::plan::{Plan, Shape, Task};
use run::team::Worker;
use run::{Amounts, At, FindingId, Limits, Outcome, Part, Role, Run, RunId, TaskId, Team, ToolRequest, Transcript};
use specialist::{Assigned, Specialist, Step};
use supervisor::{Action, Pipeline, Roster, Section, decide};

/// How those who lead share out the tasks.
#[derive(Clone, Copy, Debug)]
pub enum Shared {
    /// The supervisor leads all of them.
    FannedOut,
    /// Editors lead sections.
    InSections,
}

/// A run as far as it has come.
pub struct Story {
    pub run: Run,
    pub events: Vec<Arc<Envelope>>,
    cast: Cast,
}

impl Story {
    /// A run over a plan of so many tasks, none of which has a result.
    pub fn waiting(tasks: u32, shared: Shared) -> Story {
        let mut team = Team { most_tasks: Plan::MOST, ..team::embedded() };
        team.members.remove(&Role::new(Role::MEMORY));
        if let Shared::FannedOut = shared {
            team.span = u32::MAX;
        }
        let opening = Opening {
            run: "abcd".parse::<RunId>().expect("an id"),
            question: "What is there to know?".into(),
            sources: vec![],
            web: vec![],
            team,
            words: 500,
            limits: Limits { tool_calls: Some(u64::MAX / 4), tokens: Some(u64::MAX / 4), ..Limits::default() },
            version: "0".into(),
            answers_from: None,
            drill: None,
        };
        let mut story = Story { run: Run::default(), events: Vec::new(), cast: Cast { tasks } };
        story.record(Event::RunOpened(Arc::new(opening)));
        let corpus = Corpus { documents: 1, blocks: 1, ..Corpus::default() };
        story.record(Event::SourcesRead { corpus: Arc::new(corpus) });
        story.settle();
        story
    }

    /// The same after so many tasks have brought what they found.
    pub fn done(tasks: u32, shared: Shared, done: u32) -> Story {
        let mut story = Story::waiting(tasks, shared);
        for _ in 0..done {
            let Some(call) = story.run.under_way.keys().next().copied() else { break };
            let used = Amounts { tool_calls: 1, ..Amounts::default() };
            story.record(Event::ToolFailed { call, error: "nothing to read".into(), used });
            story.settle();
        }
        story
    }

    pub fn decide(&self) -> Vec<Action> {
        decide(&self.run, self.run.at, &self.cast)
    }

    fn record(&mut self, event: Event) {
        let seq = self.run.seq.next();
        let envelope = Arc::new(Envelope { seq, at: At(seq.0 as i64), event });
        self.run.apply(&envelope);
        self.events.push(envelope);
    }

    fn settle(&mut self) {
        loop {
            let actions = self.decide();
            let mut facts = actions
                .into_iter()
                .filter_map(|action| if let Action::Record(event) = action { Some(event) } else { None })
                .peekable();
            if facts.peek().is_none() {
                return;
            }
            facts.collect::<Vec<_>>().into_iter().for_each(|fact| self.record(fact));
        }
    }
}

#[derive(Clone, Copy)]
struct Cast {
    tasks: u32,
}

impl Roster for Cast {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match role.as_str() {
            Role::SUPERVISOR => Some(Box::new(Pipeline::new(team))),
            Role::EDITOR => Some(Box::new(Section::new(team))),
            Role::PLANNER => Some(Box::new(Planner(self.tasks))),
            Role::RESEARCHER => Some(Box::new(Researcher)),
            _ => Some(Box::new(Merger)),
        }
    }
}

fn report(outcome: Outcome, parts: Vec<Part>) -> Step {
    Step::Report { outcome, title: "6 findings".into(), parts }
}

struct Planner(u32);

impl Specialist for Planner {
    fn next(&self, _: Assigned<'_>, _: &Transcript) -> Step {
        let task = |n: u32| {
            let question = format!("Which limits does part {n} of the collection have, and since when?");
            Task::new(TaskId(n), format!("part {n}").as_str().into(), question.as_str().into())
        };
        let plan = Plan { shape: Shape::Facets, tasks: (1..=self.0).map(task).collect(), why: "so".into() };
        report(Outcome::Done, vec![Part::Plan { plan }])
    }
}

/// Searches once, then reports six findings.
struct Researcher;

impl Specialist for Researcher {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.turns.is_empty() {
            let request = ToolRequest::Search { query: assigned.handoff.title.clone(), limit: 25 };
            return Step::Use { why: "Find where the sources speak of it.".into(), requests: vec![request] };
        }
        let task = assigned.handoff.task().map(|(task, _)| task.id);
        let finding = |n: u32| Finding {
            id: FindingId::new(assigned.id, n),
            task,
            subtopic: assigned.handoff.title.clone(),
            claim: format!("Statement {n} about {}.", assigned.handoff.title).as_str().into(),
            edits: vec![],
            quote: "".into(),
            place: None,
            kind: FindingKind::Fact,
            numbers: vec![],
            date: None,
            score: 10,
            also: vec![],
            also_at: vec![],
            conflicts: vec![],
            standing: Standing::Proposed,
            words_of: WordsOf::Person,
            kept_from: None,
        };
        report(Outcome::Done, vec![Part::Findings { findings: (1..=6).map(finding).collect() }])
    }
}

struct Merger;

impl Specialist for Merger {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        report(Outcome::Done, vec![Part::Findings { findings: assigned.handoff.findings().to_vec() }])
    }
}
