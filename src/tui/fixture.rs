//! Runs made by hand for tests: the vector-database question, step by step, with the cases that a screen has to cope with.

pub mod inspected;
pub mod memory;
pub mod model;
pub mod pauses;
pub mod revised;
pub mod sections;

use std::sync::Arc;

use run::brief::{Piece, Section};
use run::budget::Draws;
use run::checkpoint::question::{Question, Wants};
use run::checkpoint::{self, Approver, findings};
use run::event::{Admission, Called, Opened, Opening};
use run::evidence::{Corpus, LeftOut, Place, Skipped};
use run::finding::{Conflict, Edit, EditRule, WordsOf};
use run::handoff::PlannedTask;
use run::plan::{PlanEdit, Shape};
use run::stage::{Leading, Research};
use run::tool::builtin::{BuiltIn, Outline, Read, Search};
use run::verdict::{Check, Concern, Issue};
use run::*;
use text::Clean;

/// The progress of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    Opened,
    Planned,
    Researching,
    Checkpoint,
    Corrected,
    Writing,
    Done,
}

pub const ALL: [Until; 7] = [
    Until::Opened,
    Until::Planned,
    Until::Researching,
    Until::Checkpoint,
    Until::Corrected,
    Until::Writing,
    Until::Done,
];

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

/// Assignment, role, task, title, payload.
type Hand<'a> = (u32, &'a str, Option<u32>, &'a str, Payload);

struct Book {
    events: Vec<Arc<Envelope>>,
    at: i64,
    handoffs: u32,
    calls: u32,
}

/// The events of the run until then.
pub fn events(until: Until) -> Vec<Arc<Envelope>> {
    let mut book = Book { events: Vec::new(), at: 1_700_000_000_000, handoffs: 0, calls: 0 };
    book.write(until);
    book.events
}

/// The events of the run that stops with its plan before the person, and with their changes.
pub fn with_plan_put(edits: Vec<PlanEdit>) -> Vec<Arc<Envelope>> {
    let mut events = events(Until::Planned);
    let adopted = events.pop();
    let Some(Event::PlanAdopted { plan, .. }) = adopted.map(|envelope| envelope.event.clone()) else { unreachable!() };
    let mut plan = (*plan).clone();
    plan.tasks[2].after = vec![TaskId(1)];
    plan.tasks[0].acceptance = Some("Facts on cost and speed, each in the words of a source.".into());
    let (checkpoint, by) = (CheckpointId(1), AssignmentId::nth(0));
    let mut book = Book { at: events[events.len() - 1].at.0, events, handoffs: 0, calls: 0 };
    book.push(Event::CheckpointOpened { checkpoint, by, subject: Arc::new(Subject::Plan(plan)) });
    edits
        .into_iter()
        .for_each(|edit| book.push(Event::CheckpointEdited { checkpoint, edit: checkpoint::Edit::Plan(edit) }));
    book.events
}

/// The run until its researchers are at work and the person has steered some of them; a member more takes tasks.
pub fn steered(acts: &[(u32, Steer)]) -> Vec<Arc<Envelope>> {
    let mut events = events(Until::Researching);
    if let Event::RunOpened(opening) = &events[0].event {
        let mut opening = (**opening).clone();
        opening.team.members.insert(Role::new("checker"), model::checker());
        let event = Event::RunOpened(Arc::new(opening));
        events[0] = Arc::new(Envelope { event, ..*events[0] });
    }
    let mut book = Book { at: events[events.len() - 1].at.0, events, handoffs: 0, calls: 0 };
    for (id, act) in acts {
        book.push(Event::Steered { assignment: AssignmentId::nth(*id), act: act.clone() });
    }
    book.events
}

/// The run until its supervisor has put a question to the person.
pub fn with_question(choices: &[&str]) -> Vec<Arc<Envelope>> {
    let events = events(Until::Planned);
    let mut book = Book { at: events[events.len() - 1].at.0, events, handoffs: 0, calls: 0 };
    let question = Question {
        title: "Qdrant failed".into(),
        text:
            "Research on Qdrant failed after 3 attempts: the server at 127.0.0.1 does not answer. What becomes of it?"
                .into(),
        about: None,
        wants: match choices.first() {
            None => Wants::Words,
            Some(first) => {
                Wants::OneOf { choices: choices.iter().map(|c| (*c).into()).collect(), likely: (*first).into() }
            }
        },
    };
    let (checkpoint, by) = (CheckpointId(1), AssignmentId::nth(0));
    book.push(Event::CheckpointOpened { checkpoint, by, subject: Arc::new(Subject::Question(question)) });
    book.events
}

/// A run for each thing that the screens show of runs, by its name.
pub fn every_kind() -> Vec<(&'static str, Vec<Arc<Envelope>>)> {
    vec![
        ("planned", events(Until::Planned)),
        ("researching", events(Until::Researching)),
        ("checkpoint", events(Until::Checkpoint)),
        ("corrected", events(Until::Corrected)),
        ("writing", events(Until::Writing)),
        ("done", events(Until::Done)),
        ("sent back", revised::events()),
        ("sections", sections::events(12)),
        ("plan", with_plan_put(vec![PlanEdit::Drop { task: TaskId(3) }])),
        ("choice", with_question(&["go on without it", "stop the run"])),
        ("words", with_question(&[])),
        ("breakpoint", pauses::at_a_breakpoint()),
        ("draft", pauses::with_draft()),
        ("cap", pauses::at_a_cap()),
        ("models", model::events(model::Stage::Working)),
        ("doubt", model::events(model::Stage::Doubted)),
        ("refused", model::events(model::Stage::Latched)),
        ("memory", memory::events(true)),
    ]
}

/// The run until then.
pub fn run(until: Until) -> Run {
    Run::fold(events(until).iter().map(|envelope| &**envelope))
}

impl Book {
    fn push(&mut self, event: Event) {
        self.at += 120;
        let seq = Seq(self.events.len() as u64 + 1);
        self.events.push(Arc::new(Envelope { seq, at: At(self.at), event }));
    }

    /// The nth assignment that was opened, 0 for the first.
    fn id(&self, n: u32) -> AssignmentId {
        let opened = self.events.iter().filter_map(|envelope| match &envelope.event {
            Event::HandedOff { opened, .. } => Some(opened),
            _ => None,
        });
        opened.flatten().nth(n as usize).map_or(AssignmentId::nth(n), |opened| opened.assignment)
    }

    fn handoff(
        &mut self,
        from: Option<AssignmentId>,
        to: Option<AssignmentId>,
        names: (&str, &str),
        title: &str,
        payload: Payload,
    ) -> Arc<Handoff> {
        self.handoffs += 1;
        Arc::new(Handoff {
            no: HandoffNo(self.handoffs),
            from,
            to,
            names: (names.0.into(), names.1.into()),
            title: title.into(),
            payload,
        })
    }

    fn open(&mut self, by: Option<u32>, why: &str, to: &[Hand<'_>]) {
        let from = if by.is_some() { "supervisor" } else { "you" };
        let above = by.map(|by| self.id(by));
        let id = |n| above.map_or(AssignmentId::ROOT, |above| above.child(Work::Step(n), 1).unwrap());
        let opened = to
            .iter()
            .map(|(n, role, task, title, payload)| Opened {
                assignment: id(*n),
                role: Role::new(role),
                task: task.map(TaskId),
                instead_of: None,
                worker: Default::default(),
                not_before: None,
                again: None,
                told: None,
                limits: Limits::default(),
                draws: Draws::Work,
                handoff: self.handoff(above, Some(id(*n)), (from, role), title, payload.clone()),
            })
            .collect();
        self.push(Event::HandedOff { by: above, stage: Leading::Research.into(), why: why.into(), opened });
    }

    fn report(&mut self, by: u32, role: &str, outcome: Outcome, title: &str, payload: Payload) {
        let to = if by == 0 { "you" } else { "supervisor" };
        let by = self.id(by);
        let handoff = self.handoff(Some(by), by.parent(), (role, to), title, payload);
        self.push(Event::Reported { by, outcome, handoff });
    }

    fn call<T: BuiltIn>(&mut self, by: u32, why: &str, request: T) -> CallId {
        let request = ToolCall::from(request);
        self.calls += 1;
        let call = CallId::new(self.id(by), self.calls);
        let admission = Admission::Reserved(T::spec().reservation(&request));
        let calls = vec![Called { call, request: Arc::new(request), admission }];
        self.push(Event::ToolsCalled { by: call.assignment, stage: Research::Search.into(), why: why.into(), calls });
        call
    }

    fn returned(&mut self, call: CallId, result: ToolResult) {
        let used = result.used();
        self.push(Event::ToolReturned { call, result: Arc::new(result), used });
    }

    fn write(&mut self, until: Until) {
        let limits = Limits::of(Cap::Tokens, 200_000).with(Cap::ToolCalls, Some(120)).with(Cap::Time, Some(600_000));
        self.push(Event::RunOpened(Arc::new(Opening {
            run: "7f3k".parse().unwrap(),
            question: QUESTION.into(),
            sources: vec!["/home/ada/vector-databases".into()],
            version: "0.1.0".into(),
            ..kit::opening(without_memory(), limits)
        })));
        self.push(Event::Attached { version: "0.1.0".into(), worked_until: None });
        if until == Until::Opened {
            return;
        }
        let corpus = Corpus {
            documents: 14,
            blocks: 212,
            bytes: 61_000,
            skipped: vec![Skipped { path: "logo.png".into(), why: "not text".into() }],
            skipped_count: 1,
            data: 0,
            web: vec![],
            left_out: LeftOut::default(),
        };
        self.push(Event::SourcesRead { corpus: Arc::new(corpus.clone()) });
        let question = Payload { question: Some(QUESTION.into()), ..Payload::default() };
        self.open(
            None,
            "",
            &[(0, "supervisor", None, "the question", Payload { length: Some(500), ..question.clone() })],
        );
        let payload = Payload { corpus: Some(corpus), ..question.clone() };
        self.open(Some(0), "the question has to be cut first", &[(1, "planner", None, "cut the question", payload)]);
        let plan = plan();
        self.report(1, "planner", Outcome::Done, "3 tasks", Payload { plan: Some(plan.clone()), ..Payload::default() });
        self.push(Event::PlanAdopted { by: AssignmentId::nth(0), plan: Arc::new(plan.clone()) });
        if until == Until::Planned {
            return;
        }
        let sent: Vec<Hand<'_>> = plan
            .tasks
            .iter()
            .map(|task| {
                let planned = PlannedTask { task: task.clone(), shape: Shape::Comparison };
                let payload = Payload { task: Some(planned), ..question.clone() };
                (task.id.0 + 1, "researcher", Some(task.id.0), task.title.as_str(), payload)
            })
            .collect();
        self.open(Some(0), "each task to a researcher of its own", &sent);
        let titles = ["pgvector", "Qdrant", "Pinecone"];
        let mut searches = Vec::new();
        for (n, title) in titles.into_iter().enumerate() {
            let query = Clean::line(&format!("{title} trade-offs index filter limits"));
            searches.push(self.call(n as u32 + 2, "what the sources say of it", Search::new(query, 20)));
        }
        let all = findings();
        self.returned(searches[0], hits(&all, 2));
        self.read(2, &all);
        self.report(
            2,
            "researcher",
            Outcome::Done,
            "3 findings",
            Payload { findings: Some(of(&all, 2)), ..Payload::default() },
        );
        self.returned(searches[1], hits(&all, 3));
        if until == Until::Researching {
            return;
        }
        self.read(3, &all);
        self.report(
            3,
            "researcher",
            Outcome::Done,
            "3 findings",
            Payload { findings: Some(of(&all, 3)), ..Payload::default() },
        );
        self.returned(searches[2], hits(&all, 4));
        self.read(4, &all);
        let missing = self.call(4, "the price list", Outline { source: SourceId("gone".into()) });
        self.push(Event::ToolFailed {
            call: missing,
            error: "no document has this id".into(),
            used: Amounts::default(),
        });
        self.report(
            4,
            "researcher",
            Outcome::Partial("one document could not be read".into()),
            "2 findings",
            Payload { findings: Some(of(&all, 4)), ..Payload::default() },
        );
        let payload = Payload { plan: Some(plan.clone()), findings: Some(all.clone()), ..Payload::default() };
        self.open(Some(0), "what was found is folded", &[(5, "merger", None, "8 findings", payload)]);
        self.report(
            5,
            "merger",
            Outcome::Done,
            "8 findings",
            Payload { findings: Some(all.clone()), ..Payload::default() },
        );
        let checkpoint = CheckpointId(1);
        let subject = Arc::new(Subject::Findings(all.clone()));
        self.push(Event::CheckpointOpened { checkpoint, by: AssignmentId::nth(0), subject });
        if until == Until::Checkpoint {
            return;
        }
        let edits = [
            findings::Edit::Drop { finding: all[5].id },
            findings::Edit::Reword {
                finding: all[3].id,
                claim: "Qdrant applies filters while it walks the graph.".into(),
            },
            findings::Edit::Add { task: Some(TaskId(3)), claim: "Our contract with Pinecone ends in May.".into() },
        ];
        for edit in edits {
            self.push(Event::CheckpointEdited { checkpoint, edit: checkpoint::Edit::Findings(edit) });
        }
        if until == Until::Corrected {
            return;
        }
        let run = Run::fold(self.events.iter().map(|envelope| &**envelope));
        let (answer, by) = (run.checkpoints[0].subject.approval(), Approver::Person);
        let approved = findings::approved(run.checkpoints[0].findings().unwrap_or_default());
        self.push(Event::CheckpointAnswered { checkpoint, by, answer });
        let findings = Some(approved.clone());
        let payload = Payload { plan: Some(plan), findings, length: Some(500), ..question };
        self.open(Some(0), "write with what was approved", &[(6, "writer", None, "7 findings", payload)]);
        if until == Until::Writing {
            return;
        }
        let draft = draft(&approved);
        self.report(
            6,
            "writer",
            Outcome::Done,
            "a draft of 92 words",
            Payload { draft: Some(draft.clone()), ..Payload::default() },
        );
        let checked = Payload { draft: Some(draft.clone()), length: Some(500), ..Payload::default() };
        self.open(
            Some(0),
            "checked before it goes out",
            &[(7, "gates", None, "the draft", checked.clone()), (8, "reviewer", None, "the draft", checked)],
        );
        self.report(
            7,
            "gates",
            Outcome::Done,
            "PASS",
            Payload { verdicts: Some(vec![passed()]), ..Payload::default() },
        );
        self.report(
            8,
            "reviewer",
            Outcome::Done,
            "PASS",
            Payload { verdicts: Some(vec![passed()]), ..Payload::default() },
        );
        let payload = Payload { draft: Some(draft), findings: Some(approved), ..Payload::default() };
        self.report(0, "supervisor", Outcome::Done, "the brief", payload);
    }

    fn read(&mut self, by: u32, all: &[Finding]) {
        for finding in of(all, by) {
            let Some(place) = &finding.place else { continue };
            let source = place.source.id.clone();
            let request = Read { source, from: place.block, to: place.block + 1 };
            let call = self.call(by, "to read the passage whole", request);
            let excerpt = Excerpt { source: place.source.clone(), blocks: vec![block(&finding, place)], of: 20 };
            self.returned(call, ToolResult::Excerpt(excerpt));
        }
    }
}

/// Most screens are of a team of the usual six: the additions of memory have a screen of their own.
fn without_memory() -> Team {
    let mut team = with_memory();
    team.members.remove(&Role::new(Role::MEMORY));
    team
}

fn with_memory() -> Team {
    ::team::embedded()
}

fn plan() -> Plan {
    let task = |id: u32, title: &str| Task {
        topic: vec![title.into()],
        ..Task::new(TaskId(id), title.into(), Clean::line(&format!("What are the trade-offs of {title}?")))
    };
    Plan {
        shape: Shape::Comparison,
        tasks: vec![task(1, "pgvector"), task(2, "Qdrant"), task(3, "Pinecone")],
        why: "three things are compared: one task for each".into(),
    }
}

fn source(path: &str, title: &str) -> SourceRef {
    SourceRef {
        id: SourceId(path.into()),
        path: path.into(),
        title: title.into(),
        sha256: "00".into(),
        superseded: None,
    }
}

const BEFORE: &str = "Both systems are built on the same idea. ";
const AFTER: &str = " Measurements on one's own data say more than any of these figures.";

fn block(finding: &Finding, place: &Place) -> Arc<Block> {
    let text = match finding.standing {
        Standing::Unquoted => format!("{BEFORE}It is a managed service.{AFTER}"),
        _ => format!("{BEFORE}{}{AFTER}", finding.quote),
    };
    Arc::new(Block {
        no: place.block,
        kind: BlockKind::Paragraph,
        headings: place.headings.clone(),
        intro: None,
        text: text.into(),
        line: place.line,
        breaks: Vec::new(),
        start: 0,
        lead: false,
    })
}

fn of(all: &[Finding], by: u32) -> Vec<Finding> {
    all.iter().filter(|finding| finding.id.assignment == AssignmentId::nth(by)).cloned().collect()
}

fn hits(all: &[Finding], by: u32) -> ToolResult {
    let hits = of(all, by)
        .iter()
        .filter_map(|finding| finding.place.as_ref())
        .map(|place| Hit {
            source: place.source.clone(),
            block: place.block,
            headings: place.headings.clone(),
            columns: None,
            snippet: "…".into(),
            score: 7_000,
        })
        .collect();
    ToolResult::Hits(run::evidence::Hits {
        hits,
        titled: vec![],
        terms: vec![],
        documents: 14,
        blocks: 212,
        notes: vec![],
    })
}

/// Eight findings: edited, contradicting, unquoted, with wide characters.
pub fn findings() -> Vec<Finding> {
    let rows: [(u32, u32, &str, &str, &str, u32); 8] = [
        (2, 1, "pgvector", "pgvector stores vectors in ordinary PostgreSQL tables.", "pgvector/readme.md", 9),
        (2, 2, "pgvector", "The default of hnsw.ef_search is 40.", "pgvector/tuning.md", 31),
        (
            2,
            3,
            "pgvector",
            "An HNSW index in pgvector is limited to 2,000 dimensions for the vector type, so that longer embeddings have to be shortened or stored as half-precision values first.",
            "pgvector/operations.txt",
            118,
        ),
        (3, 1, "Qdrant", "The filter is evaluated while the graph is traversed.", "qdrant/filtering.md", 12),
        (3, 2, "Qdrant", "Scalar quantization cuts memory to a quarter.", "qdrant/quantization.rst", 44),
        (3, 3, "Qdrant", "Qdrant 是一个向量数据库，用 Rust 编写。", "qdrant/overview.md", 3),
        (4, 1, "Pinecone", "Pinecone is the fastest of all vector databases.", "pinecone/overview.md", 7),
        (4, 2, "Pinecone", "A serverless index scales to zero when it is not queried.", "pinecone/serverless.html", 21),
    ];
    let mut findings: Vec<Finding> = rows
        .into_iter()
        .map(|(by, n, topic, quote, path, line)| Finding {
            id: FindingId::new(AssignmentId::nth(by), n),
            subtopic: topic.into(),
            quote: quote.into(),
            place: Some(Place {
                source: source(path, &format!("{topic} manual")),
                block: line / 4,
                headings: [Clean::from("Guide"), Clean::from("How it works")].into(),
                line,
                start: BEFORE.len() as u32,
                end: (BEFORE.len() + quote.len()) as u32,
            }),
            score: 900,
            words_of: WordsOf::Source,
            ..kit::finding(AssignmentId::nth(by), Some(TaskId(by - 1)), quote)
        })
        .collect();
    findings[1].conflicts = vec![Conflict { with: findings[2].id, reason: "another number".into() }];
    findings[4].claim = "[Qdrant] Scalar quantization cuts memory to a quarter.".into();
    findings[4].edits =
        vec![Edit { rule: EditRule::NameSubject, at: 0, removed: "".into(), inserted: "[Qdrant] ".into() }];
    findings[6].standing = Standing::Unquoted;
    findings
}

fn draft(approved: &[Finding]) -> Draft {
    let cited = |finding: &Finding| Sentence { text: finding.claim.clone(), cites: vec![finding.id] };
    let about = |task: u32| approved.iter().filter(move |f| f.task == Some(TaskId(task)));
    let section = |task: u32, title: &str| Section {
        heading: title.into(),
        pieces: vec![Piece::Paragraph { sentences: about(task).map(cited).collect() }],
    };
    let cell = |task: u32, n: usize| about(task).nth(n).map(cited).unwrap_or_default();
    let table = Piece::Table {
        label: None,
        header: vec!["".into(), "storage".into(), "limits".into()],
        rows: vec![
            ("pgvector".into(), vec![cell(1, 0), cell(1, 2)]),
            ("Qdrant".into(), vec![cell(2, 1), Sentence::default()]),
        ],
    };
    Draft {
        title: QUESTION.into(),
        notes: vec!["Extractive: every sentence is the sources' own, edited only as noted.".into()],
        sections: vec![
            section(1, "pgvector"),
            section(2, "Qdrant"),
            section(3, "Pinecone"),
            Section { heading: "Side by side".into(), pieces: vec![table] },
        ],
        gaps: vec!["Nothing was found on the price of Pinecone.".into()],
        disagreements: vec![cited(&approved[1])],
        ..Draft::default()
    }
}

fn passed() -> Verdict {
    Verdict {
        issues: vec![Issue {
            concern: Concern::Length,
            what: "92 words where about 500 were asked for".into(),
            sentence: None,
            findings: vec![],
            missing: None,
            blocking: false,
            doubt: false,
        }],
        checks: vec![Check { concern: Concern::Citations, result: "9 of 9".into(), holds: true }],
    }
}

#[test]
fn the_run_made_by_hand_is_one_that_could_be() {
    for until in ALL {
        assert_eq!(run(until).misfits, 0, "{until:?}");
    }
    assert!(run(Until::Done).brief().is_some());
    assert!(run(Until::Checkpoint).open_checkpoint().is_some());
}

#[test]
fn every_moment_is_the_fold_of_what_came_before_it() {
    let events = events(Until::Done);
    let mut timeline = run::Timeline::default();
    timeline.committed(events.clone());
    for count in [events.len(), 3, 20, 1, 0, events.len() + 5] {
        timeline.show(count);
        let count = count.min(events.len());
        let folded = Run::fold(events[..count].iter().map(|envelope| &**envelope));
        assert_eq!(
            format!("{:?}", timeline.run().assignments().collect::<Vec<_>>()),
            format!("{:?}", folded.assignments().collect::<Vec<_>>())
        );
        assert_eq!((timeline.run().seq, timeline.shown()), (folded.seq, count));
    }
}
