//! Specialists that play their parts by the script of a seed: most well, some badly.

use run::brief::{Draft, Piece, Section, Sentence};
use run::evidence::Place;
use run::finding::{Finding, WordsOf};
use run::join::Join;
use run::plan::{Plan, Shape, Task};
use run::stage::{Leading, Research};
use run::team::Worker;
use run::tool::builtin::{BuiltIn, Read, Search};
use run::transcript::{CallEnd, Did};
use run::verdict::{Concern, Issue, Verdict};
use run::{FindingId, Outcome, Payload, Role, TaskId, Team, ToolCall, ToolResult, Transcript};
use specialist::{Assigned, Specialist, Step, extractive};
use supervisor::{self, Pipeline, Roster};

use crate::world::hash;

pub struct Cast {
    pub seed: u64,
}

impl Roster for Cast {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        let seed = self.seed;
        Some(match role.as_str() {
            Role::SUPERVISOR => Box::new(Pipeline::new(team)),
            Role::EDITOR => Box::new(Editor { seed, team }),
            Role::PLANNER => Box::new(Planner { seed }),
            Role::RESEARCHER | "checker" => Box::new(Researcher { seed }),
            Role::MERGER => Box::new(Merger { seed }),
            Role::WRITER => Box::new(Writer),
            Role::GATES => Box::new(Checker { seed, salt: "gates" }),
            Role::REVIEWER => Box::new(Checker { seed, salt: "reviewer" }),
            Role::MEMORY => Box::new(Memory { seed }),
            _ => specialist::gate::specialist(team.members.get(role)?.gate.as_ref()?),
        })
    }
}

fn report(outcome: Outcome, payload: Payload) -> Step {
    Step::Report { outcome, title: "report".into(), payload }
}

/// Whether the run of this seed is led by a leader with room for a few only.
pub fn has_sections(seed: u64) -> bool {
    seed % 5 == 2
}

/// The question of this seed's run. Every third compares three things.
pub fn question(seed: u64) -> String {
    match compares(seed) {
        true => format!("Compare {}, {} and {}", COMPARED[0], COMPARED[1], COMPARED[2]),
        false => format!("question {seed}"),
    }
}

/// Things that the documents say something of.
const COMPARED: [&str; 3] = ["Engine 1", "Engine 4", "Engine 7"];

fn compares(seed: u64) -> bool {
    seed % 3 == 1
}

/// Leads a section by the rules; some break down at a result.
struct Editor<'a> {
    seed: u64,
    team: &'a Team,
}

impl Specialist for Editor<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let title = &assigned.handoff.title;
        let doomed = hash(self.seed, &format!("editor {title}")).is_multiple_of(7);
        let step = supervisor::Section::new(self.team).next(assigned, transcript);
        let merges = matches!(&step, Step::HandOff { handoffs, .. } if handoffs[0].role.as_str() == Role::MERGER);
        assert!(!(doomed && merges), "the editor of {title} breaks down");
        step
    }
}

struct Planner {
    seed: u64,
}

impl Specialist for Planner {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.turns.is_empty() {
            let request = Search::new("the question", 5).into();
            return Step::Use { stage: Research::Search.into(), why: "look".into(), requests: vec![request] };
        }
        match hash(self.seed, "planner") % 12 {
            0 => panic!("the planner is out of its mind"),
            1 => return report(Outcome::Done, Payload::default()),
            _ => {}
        }
        let most = if has_sections(self.seed) { 30 } else { 8 };
        let mut tasks: Vec<Task> = (1..=1 + (hash(self.seed, "tasks") % most) as u32)
            .map(|n| Task {
                topic: vec![format!("topic {n}").as_str().into()],
                ..Task::new(
                    TaskId(n),
                    format!("topic {n}").as_str().into(),
                    format!("what of topic {n}?").as_str().into(),
                )
            })
            .collect();
        // Some tasks of a large plan wait for the one before, or for one a little further back.
        if has_sections(self.seed) {
            for (task, n) in tasks.iter_mut().skip(1).zip(1_u32..) {
                match hash(self.seed, &format!("after {n}")) % 8 {
                    0 => task.after = vec![TaskId(n)],
                    1 => task.after = vec![TaskId(n.saturating_sub(2).max(1))],
                    _ => {}
                }
            }
        }
        // The plan of a comparison covers the compared things, or leaves one or two out.
        if compares(self.seed) {
            let left_out = hash(self.seed, "leaves out") % 4;
            for (task, thing) in tasks.iter_mut().zip(&COMPARED[..3 - left_out as usize % 3]) {
                (task.title, task.topic) = ((*thing).into(), vec![(*thing).into()]);
                task.question = format!("what of {thing}?").as_str().into();
            }
        }
        if !assigned.handoff.payload.notes().is_empty() {
            let id = TaskId(tasks.len() as u32 + 1);
            tasks.push(Task::new(id, "the wish".into(), "what was wished for?".into()));
        }
        // Some are sloppy, and some of those do no better when they are told.
        let told = !assigned.handoff.payload.flaws().is_empty();
        if !told || hash(self.seed, "stubborn").is_multiple_of(2) {
            spoil(&mut tasks, hash(self.seed, "sloppy") % 12);
        }
        report(
            Outcome::Done,
            Payload { plan: Some(Plan { shape: Shape::Overview, tasks, why: "so".into() }), ..Payload::default() },
        )
    }
}

fn spoil(tasks: &mut Vec<Task>, how: u64) {
    let last = tasks.len() - 1;
    match how {
        0 => tasks[0].after = vec![tasks[last].id],
        1 => tasks.iter_mut().zip(2..).for_each(|(task, next)| task.after = vec![TaskId(next)]),
        2 => (tasks[0].after, tasks[last].after) = (vec![tasks[last].id], vec![tasks[0].id]),
        3 => tasks[last].role = Role::new("astrologer"),
        4 => tasks[last].question = tasks[0].question.clone(),
        5 => tasks.clear(),
        6 => tasks.iter_mut().for_each(|task| task.id = TaskId(1)),
        7 => *tasks = tasks.iter().cycle().take(30).cloned().collect(),
        8 => tasks.iter_mut().skip(1).zip(1..).for_each(|(task, before)| {
            (task.after, task.join) = (vec![TaskId(before)], [Join::All, Join::BestEffort][before as usize % 2]);
        }),
        9 => {
            let before = tasks[..last].iter().map(|task| task.id).collect();
            (tasks[last].after, tasks[last].join) = (before, Join::All);
        }
        _ => {}
    }
}

/// The one of the program, but for some seeds that it fails.
struct Memory {
    seed: u64,
}

impl Specialist for Memory {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let keeps = if assigned.handoff.payload.findings().is_empty() { "recall" } else { "keep" };
        assert!(!hash(self.seed, keeps).is_multiple_of(10), "memory is lost");
        extractive::specialist(&Role::new(Role::MEMORY)).expect("there is one").next(assigned, transcript)
    }
}

struct Researcher {
    seed: u64,
}

impl Specialist for Researcher {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let task = assigned.handoff.payload.task().expect("a researcher has a task");
        let wish = assigned.handoff.payload.notes().first().map(ToString::to_string).unwrap_or_default();
        // It looks for the subjects of messages; one that has run wild does not listen.
        let unread = transcript.messages.iter().find(|message| transcript.read_in(message, false).is_none());
        if let Some(message) = unread
            && !transcript.turns.is_empty()
            && assigned.turns_left > 2
        {
            let query = format!("{} {}", message.text, transcript.turns.len());
            let request = Search::new(query, 2).into();
            return Step::Use { stage: Research::Search.into(), why: "told".into(), requests: vec![request] };
        }
        let fate = hash(self.seed, &format!("{}{wish}", task.title)) % 16;
        if transcript.turns.is_empty() {
            let query = |n: u32| Search::new(format!("{} {wish} {n}", task.title), 4).into();
            return Step::Use {
                stage: Research::Search.into(),
                why: "search".into(),
                requests: (0..3).map(query).collect(),
            };
        }
        match fate {
            0 => panic!("a researcher panics"),
            // Wants the same again and again: the guard has to stop it.
            1 => {
                let Did::Tools(calls) = &transcript.turns[0].did else { unreachable!() };
                let requests = calls.iter().map(|call| (*call.request).clone()).collect();
                return Step::Use { stage: Research::Search.into(), why: "again".into(), requests };
            }
            // Never reports: the turn cap has to stop it.
            2 => {
                let query = format!("{} {}", task.title, transcript.turns.len());
                let request = Search::new(query, 1).into();
                return Step::Use { stage: Research::Search.into(), why: "more".into(), requests: vec![request] };
            }
            // Asks for a tool it does not have, via a handoff it may not send.
            3 if transcript.turns.len() == 1 => {
                let sending = specialist::Sending::new(&Role::new(Role::WRITER), "write", Payload::default());
                return Step::HandOff {
                    stage: Leading::Research.into(),
                    why: "skip the line".into(),
                    handoffs: vec![sending],
                };
            }
            4 => return report(Outcome::NothingFound, Payload::default()),
            _ => {}
        }
        let reads: Vec<_> = transcript
            .calls()
            .filter_map(|call| match &call.end {
                CallEnd::Returned(result) => match &**result {
                    ToolResult::Excerpt(excerpt) => Some(excerpt),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let asked_to_read = transcript.calls().any(|call| call.request.name == Read::NAME);
        if !asked_to_read && !transcript.is_refused() {
            let mut requests: Vec<ToolCall> = Vec::new();
            for call in transcript.calls() {
                let CallEnd::Returned(result) = &call.end else { continue };
                let ToolResult::Hits(hits) = &**result else { continue };
                let read = hits.hits.iter().take(2);
                requests.extend(read.map(|hit| Read { source: hit.source.id.clone(), from: 0, to: 4 }.into()));
            }
            requests.dedup();
            if !requests.is_empty() {
                return Step::Use { stage: Research::Search.into(), why: "read".into(), requests };
            }
        }
        let mut findings: Vec<Finding> = Vec::new();
        for excerpt in reads {
            for block in excerpt.blocks.iter().take(2) {
                let end = block.text.find(". ").map_or(block.text.len(), |at| at + 1);
                // Some researchers invent: the words are not in the source.
                let quote = if fate == 5 { "Nobody ever said this." } else { &block.text[..end] };
                findings.push(Finding {
                    id: FindingId::new(assigned.id, findings.len() as u32 + 1),
                    subtopic: task.title.clone(),
                    quote: quote.into(),
                    place: Some(Place {
                        source: excerpt.source.clone(),
                        block: block.no,
                        headings: block.headings.clone(),
                        line: block.line,
                        start: 0,
                        end: end as u32,
                    }),
                    score: 100 - findings.len() as i32,
                    words_of: WordsOf::Source,
                    ..kit::finding(assigned.id, Some(task.id), quote)
                });
            }
        }
        match (transcript.last_refusal(), findings.is_empty()) {
            (Some(refusal), true) => {
                report(Outcome::OutOfBudget(refusal.to_string().as_str().into()), Payload::default())
            }
            (None, true) => report(Outcome::NothingFound, Payload::default()),
            (Some(refusal), false) => report(
                Outcome::Partial(refusal.to_string().as_str().into()),
                Payload { findings: Some(findings), ..Payload::default() },
            ),
            (None, false) => report(Outcome::Done, Payload { findings: Some(findings), ..Payload::default() }),
        }
    }
}

struct Merger {
    seed: u64,
}

impl Specialist for Merger {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        assert!(!hash(self.seed, "merger").is_multiple_of(10), "the merger panics");
        report(
            Outcome::Done,
            Payload { findings: Some(assigned.handoff.payload.findings().to_vec()), ..Payload::default() },
        )
    }
}

struct Writer;

impl Specialist for Writer {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let drop_last = assigned.handoff.payload.draft.as_ref().map_or(0, |_| 1);
        let findings = assigned.handoff.payload.findings();
        let items = findings[..findings.len().saturating_sub(drop_last).max(1)]
            .iter()
            .map(|f| Sentence { text: f.claim.clone(), cites: vec![f.id] }.into())
            .collect();
        let draft = Draft {
            title: "A brief".into(),
            sections: vec![Section {
                heading: "All".into(),
                pieces: vec![Piece::List { label: None, first: None, items }],
            }],
            ..Draft::default()
        };
        report(Outcome::Done, Payload { draft: Some(draft), ..Payload::default() })
    }
}

struct Checker {
    seed: u64,
    salt: &'static str,
}

impl Specialist for Checker {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let words = assigned.handoff.payload.draft.as_ref().map_or(0, Draft::words);
        let fate = hash(self.seed, &format!("{}{words}", self.salt)) % 4;
        assert!(!hash(self.seed, self.salt).is_multiple_of(15), "a checker panics");
        let issue = |n: u64| Issue {
            concern: Concern::Clarity,
            what: format!("issue {n}").as_str().into(),
            sentence: None,
            findings: vec![],
            missing: None,
            blocking: true,
            doubt: false,
        };
        let verdict = Verdict { issues: (0..fate.saturating_sub(1)).map(issue).collect(), checks: vec![] };
        report(Outcome::Done, Payload { verdicts: Some(vec![verdict]), ..Payload::default() })
    }
}
