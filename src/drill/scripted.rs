//! The well-behaved specialists of a drill, which follow a script. Each drill replaces one of them by one that fails.

use run::brief::{Piece, Section};
use run::evidence::Place;
use run::handoff::Handoff;
use run::plan::{Plan, Shape};
use run::stage::Research;
use run::tool::builtin::{Read, Search};
use run::transcript::CallEnd;
use run::verdict::{Check, Concern};
use run::{
    Draft, Excerpt, Finding, FindingId, Outcome, Payload, Role, Sentence, Task, TaskId, ToolResult, Transcript, Verdict,
};
use specialist::{Assigned, Specialist, Step};
use text::{Clean, count};

pub(super) fn plays(role: &Role) -> Option<Box<dyn Specialist>> {
    Some(match role.as_str() {
        Role::PLANNER => Box::new(Planner { tasks: TASKS.len() }),
        Role::RESEARCHER => Box::new(Researcher),
        Role::MERGER => Box::new(Merger),
        Role::WRITER => Box::new(Writer),
        Role::GATES => Box::new(Checker { concern: Concern::Citations, finds: content }),
        Role::REVIEWER => Box::new(Checker { concern: Concern::Clarity, finds: content }),
        _ => return None,
    })
}

const TASKS: [(&str, &str); 2] =
    [("hearts", "How many hearts does an octopus have?"), ("blood", "What is special about its blood?")];

/// Plans the first of the tasks.
pub(super) struct Planner {
    pub(super) tasks: usize,
}

impl Specialist for Planner {
    fn next(&self, _: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.turns.is_empty() {
            return search("what is there about the octopus", "octopus");
        }
        let tasks = TASKS
            .iter()
            .zip(1..)
            .take(self.tasks)
            .map(|((title, question), id)| Task::new(TaskId(id), (*title).into(), (*question).into()));
        let plan = Plan { shape: Shape::Facets, tasks: tasks.collect(), why: "the script says so".into() };
        done(count(plan.tasks.len(), "task"), Payload { plan: Some(plan), ..Payload::default() })
    }
}

/// Searches once, reads once, reports the passages.
pub(super) struct Researcher;

impl Specialist for Researcher {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some(task) = transcript.handoff.payload.task() else { return failed("it was handed no task") };
        let returned = || {
            transcript.calls().filter_map(|call| match &call.end {
                CallEnd::Returned(result) => Some(&**result),
                _ => None,
            })
        };
        let hits = returned().find_map(|result| if let ToolResult::Hits(hits) = result { Some(hits) } else { None });
        let read = returned().find_map(|result| if let ToolResult::Excerpt(read) = result { Some(read) } else { None });
        match (transcript.calls().count(), hits.map(|hits| hits.hits.first()), read) {
            (0, ..) => search("where to look", &task.question),
            (1, Some(Some(hit)), _) => read_all("to quote it to the letter", hit.source.id.clone()),
            (_, _, Some(read)) => found(findings(assigned, task, read)),
            (1, Some(None), _) => found(Vec::new()),
            _ => failed("its tools did not answer"),
        }
    }
}

fn findings(assigned: Assigned<'_>, task: &Task, read: &Excerpt) -> Vec<Finding> {
    let finding = |(block, n): (&std::sync::Arc<run::Block>, u32)| Finding {
        task: Some(task.id),
        subtopic: task.title.clone(),
        quote: block.text.clone(),
        place: Some(Place::new(&read.source, block, 0..block.text.len())),
        score: 1_000 - n as i32,
        ..Finding::new(FindingId::new(assigned.id, n), block.text.clone())
    };
    read.blocks.iter().zip(1..).map(finding).collect()
}

/// A report of findings.
pub(super) fn found(findings: Vec<Finding>) -> Step {
    let (outcome, title) = match findings.len() {
        0 => (Outcome::NothingFound, "nothing found".into()),
        n => (Outcome::Done, count(n, "finding").into()),
    };
    Step::Report { outcome, title, payload: Payload { findings: Some(findings), ..Payload::default() } }
}

/// Returns the findings unchanged.
struct Merger;

impl Specialist for Merger {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        found(assigned.handoff.payload.findings().to_vec())
    }
}

/// Writes the findings one after the other, and numbers the draft.
struct Writer;

impl Specialist for Writer {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let handoff = assigned.handoff;
        if let Some(step) = reads_first(handoff, transcript) {
            return step;
        }
        let mut sections: Vec<Section> = Vec::new();
        for finding in handoff.payload.findings() {
            let sentence = Sentence { text: finding.claim.clone(), cites: vec![finding.id] };
            match sections.last_mut() {
                Some(Section { heading, pieces }) if *heading == finding.subtopic => {
                    if let Some(Piece::Paragraph { sentences }) = pieces.last_mut() {
                        sentences.push(sentence);
                    }
                }
                _ => sections.push(Section {
                    heading: finding.subtopic.clone(),
                    pieces: vec![Piece::Paragraph { sentences: vec![sentence] }],
                }),
            }
        }
        let number = handoff.payload.draft.as_ref().map_or(0, number) + 1;
        let draft = Draft {
            title: "What is odd about an octopus".into(),
            notes: vec![format!("{DRAFT}{number}, written in a drill by specialists that follow a script.").into()],
            sections,
            gaps: handoff.payload.shortfalls().to_vec(),
            ..Draft::default()
        };
        done(format!("draft {number}"), Payload { draft: Some(draft), ..Payload::default() })
    }
}

const DRAFT: &str = "Draft ";

/// The number of a draft, as it states itself.
pub(super) fn number(draft: &Draft) -> u32 {
    let label = draft.notes.iter().find_map(|note| note.strip_prefix(DRAFT));
    label.and_then(|label| label.split(',').next()?.parse().ok()).unwrap_or(0)
}

/// Reads the sources, then lists the issues of a draft.
pub(super) struct Checker {
    pub(super) concern: Concern,
    pub(super) finds: fn(&Draft) -> Vec<Clean>,
}

pub(super) fn content(_: &Draft) -> Vec<Clean> {
    Vec::new()
}

impl Specialist for Checker {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if let Some(step) = reads_first(assigned.handoff, transcript) {
            return step;
        }
        let Some(draft) = assigned.handoff.payload.draft.as_ref() else { return failed("it was handed no draft") };
        let wrong = (self.finds)(draft);
        let result = format!("{} to mend", count(wrong.len(), "thing"));
        let checks = vec![Check { concern: self.concern, result: result.into(), holds: wrong.is_empty() }];
        let issue = |what: Clean| run::Issue {
            concern: self.concern,
            what,
            sentence: None,
            findings: Vec::new(),
            missing: None,
            blocking: true,
            doubt: false,
        };
        let verdict = Verdict { issues: wrong.into_iter().map(issue).collect(), checks };
        done(verdict.to_string(), Payload { verdicts: Some(vec![verdict]), ..Payload::default() })
    }
}

/// The step that reads the first finding's source, unless it was done.
fn reads_first(handoff: &Handoff, transcript: &Transcript) -> Option<Step> {
    let place = handoff.payload.findings().first()?.place.as_ref()?;
    transcript.turns.is_empty().then(|| read_all("to have the words of the source before it", place.source.id.clone()))
}

fn search(why: &str, query: &str) -> Step {
    Step::Use { stage: Research::Search.into(), why: why.into(), requests: vec![Search::new(query, 3).into()] }
}

fn read_all(why: &str, source: run::SourceId) -> Step {
    Step::Use {
        stage: Research::Search.into(),
        why: why.into(),
        requests: vec![Read { source, from: 0, to: 4 }.into()],
    }
}

fn done(title: String, payload: Payload) -> Step {
    Step::Report { outcome: Outcome::Done, title: title.into(), payload }
}

fn failed(why: &str) -> Step {
    Step::Report { outcome: Outcome::Failed(why.into()), title: "failed".into(), payload: Payload::note(why) }
}
