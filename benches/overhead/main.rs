//! What supervising costs: N specialists research in parallel (search, call, search, call), then one writes, then one reviews,
//! streaming, with the journal at full durability, against a model server of fixed latency on loopback (200 ms to the
//! first token, 50 tokens at 1,000 a second; a search takes 50 ms). Wall time over the longest path, processor time a
//! call, memory a specialist. The server is a process of its own: this program again.
//!
//! `cargo bench --bench overhead [-- N...]`; `-- streams` shows a hundred streams on a screen instead.

mod server;
mod streams;

use std::sync::Arc;
use std::time::{Duration, Instant};

use desk::{Desk, Doing, Policy, ProviderModels, Reading, Stop, SystemClock, Tools, World, opening_events};
use journal::{Claim, Claimed, SqliteJournal};
use model::{Client, Endpoint, Patience, Profile};
use run::Notice;
use run::event::Opening;
use run::evidence::{Corpus, Hits};
use run::handoff::{Payload, PlannedTask};
use run::plan::{Plan, Shape, Task};
use run::stage::Leading;
use run::team::{AssignedModel, StructuredOutput, Worker};
use run::transcript::{Did, Transcript};
use run::{Limits, Outcome, Role, Run, RunId, TaskId, Team, ToolCall, ToolResult};
use server::Speed;
use specialist::model::ModelSpecialist;
use specialist::{Assigned, Sending, Specialist, Step};
use supervisor::Roster;
use text::Clean;
use tokio::sync::mpsc;

/// Six steps after one another: search, call, search, call; write; review.
const LONGEST_PATH: Duration = Duration::from_millis(4 * (200 + 50) + 2 * 50);

/// The server of the longest path.
const FIXED: Speed =
    Speed { first: Duration::from_millis(200), between: Duration::from_millis(1), tokens: 50, search: true };

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench").peekable();
    match args.peek().map(String::as_str) {
        Some("serve") => return server::serve(args.skip(1)),
        Some("streams") => return streams::measure(100),
        Some("show") => {
            let args: Vec<String> = args.skip(1).collect();
            let number = |at: usize| args[at].parse().expect("a number");
            return streams::show(number(0) as u16, number(1), args[2].as_ref());
        }
        _ => {}
    }
    let wanted: Vec<usize> = args.filter_map(|arg| arg.parse().ok()).collect();
    let wanted = if wanted.is_empty() { vec![10, 100, 300, 1_000] } else { wanted };
    let server = server::Server::start(FIXED);
    println!("longest path {} ms; wall over it, best of 3", LONGEST_PATH.as_millis());
    println!("{:>6} {:>9} {:>7} {:>13} {:>16}", "N", "wall ms", "ratio", "cpu ms a call", "KiB a specialist");
    // Connections, caches and the allocator are warm after a small one, as they are in a program at work.
    measure(10, server.port);
    for n in wanted {
        let idle = resident_kib();
        let best = (0..3).map(|_| measure(n, server.port)).min_by_key(|measured| measured.wall).expect("three");
        let calls = (2 * n + 2) as f64;
        println!(
            "{n:>6} {:>9} {:>7.3} {:>13.3} {:>16}",
            best.wall.as_millis(),
            best.wall.as_secs_f64() / LONGEST_PATH.as_secs_f64(),
            best.cpu.as_secs_f64() * 1_000.0 / calls,
            best.peak_kib.saturating_sub(idle) / n as u64,
        );
    }
}

/// What is to be done.
struct Work {
    n: usize,
    port: u16,
    policy: Policy,
    audience: Arc<dyn Fn(Notice) + Send + Sync>,
}

struct Measured {
    wall: Duration,
    cpu: Duration,
    peak_kib: u64,
}

fn measure(n: usize, port: u16) -> Measured {
    work(Work { n, port, policy: Policy::Approve, audience: Arc::new(|_| {}) })
}

fn work(Work { n, port, policy, audience }: Work) -> Measured {
    let folder = tempfile::tempdir().expect("a folder for the journal");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    runtime.block_on(async {
        let id = RunId::from_random(n.to_le_bytes()[..6].try_into().expect("six bytes"));
        let Ok(Claimed::Ours(claim)) = Claim::take(folder.path(), &id) else { panic!("nobody else has it") };
        let journal = SqliteJournal::open(&folder.path().join("journal.db")).expect("a journal");
        let profile = Profile::named("llamacpp").expect("a profile");
        let endpoint = Endpoint::at(&profile, Some(&format!("http://127.0.0.1:{port}/v1")), None).expect("an endpoint");
        let client = Client::new(Patience::default());
        let models = ProviderModels::new(client, Arc::default(), Arc::new(SystemClock)).with(endpoint, None);
        let world = World {
            journal: Arc::new(journal),
            tools: Arc::new(SlowSearch),
            models: Arc::new(models),
            roster: Arc::new(Lead { n }),
            clock: Arc::new(SystemClock),
        };
        let (_commands, orders) = mpsc::unbounded_channel();
        let (cpu, began) = (processor_time(), Instant::now());
        let mut desk = Desk::new(Run::default(), world, policy, orders, audience);
        let stop = desk.work(opening_events(opening(id))).await;
        let measured = Measured { wall: began.elapsed(), cpu: processor_time() - cpu, peak_kib: resident_kib() };
        assert!(matches!(stop, Stop::Ended(Outcome::Done)), "{stop:?}");
        drop(claim);
        measured
    })
}

fn opening(run: RunId) -> Opening {
    let mut team: Team = team::embedded();
    team.parallel = 10_000;
    // What is measured is what N specialists cost that ask models.
    team.members.remove(&Role::new(Role::MEMORY));
    let prompts = team::prompts(std::path::Path::new("/nowhere"), "brief").expect("the built-in prompts");
    let model = AssignedModel {
        max_tokens: 1_000,
        structured_output: StructuredOutput::Text,
        ..kit::assigned_model("llamacpp/fixed")
    };
    let roles = [Role::RESEARCHER, Role::WRITER, Role::REVIEWER].map(Role::new);
    team::assign_models(&mut team, &prompts, roles.into_iter().map(|role| (role, model.clone(), vec![])));
    Opening { run, question: "What does it cost?".into(), words: 100, ..kit::opening(team, Limits::default()) }
}

/// Leads N researchers, a writer and a reviewer.
struct Lead {
    n: usize,
}

impl Roster for Lead {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        if role.as_str() == Role::SUPERVISOR {
            return Some(Box::new(self));
        }
        let member = team.members.get(role)?;
        Some(Box::new(ModelSpecialist::new(team, role, member, member.model.as_ref()?)))
    }
}

impl Specialist for Lead {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some(last) = transcript.turns.last() else { return self.research() };
        let Did::HandOffs(sent) = &last.did else { return Step::Wait };
        if last.pending() {
            return Step::Wait;
        }
        let report = sent[0].report.as_ref();
        let findings = Some(vec![kit::finding(assigned.id, None, "It costs little.")]);
        let written = || Payload {
            question: Some("What does it cost?".into()),
            plan: Some(plan()),
            findings: findings.clone(),
            length: Some(100),
            ..Payload::default()
        };
        match sent[0].role.as_str() {
            Role::RESEARCHER => hand_off(Role::WRITER, written()),
            Role::WRITER => {
                let draft = report.and_then(|(_, handoff)| handoff.payload.draft.clone());
                hand_off(Role::REVIEWER, Payload { draft, passages: Some(vec![]), ..written() })
            }
            _ => {
                let draft = transcript.sent().find_map(|sent| sent.report.as_ref()?.1.payload.draft.clone());
                Step::Report {
                    outcome: Outcome::Done,
                    title: "brief".into(),
                    payload: Payload { draft, findings, ..Payload::default() },
                }
            }
        }
    }
}

impl Lead {
    fn research(&self) -> Step {
        let sending = |n: usize| {
            let payload = Payload {
                question: Some("What does it cost?".into()),
                task: Some(PlannedTask { task: task(n), shape: Shape::Overview }),
                ..Payload::default()
            };
            Sending::new(&Role::new(Role::RESEARCHER), format!("part {n}"), payload)
        };
        Step::HandOff {
            stage: Leading::Research.into(),
            why: "all at once".into(),
            handoffs: (1..=self.n).map(sending).collect(),
        }
    }
}

fn hand_off(role: &str, payload: Payload) -> Step {
    let sending = Sending::new(&Role::new(role), role, payload);
    Step::HandOff { stage: Leading::Research.into(), why: "next".into(), handoffs: vec![sending] }
}

fn task(n: usize) -> Task {
    Task::new(TaskId(n as u32), format!("part {n}").into(), format!("What does part {n} cost?").into())
}

fn plan() -> Plan {
    Plan { shape: Shape::Overview, tasks: vec![task(1)], why: "so".into() }
}

struct SlowSearch;

impl Tools for SlowSearch {
    fn read_sources(&self, _: Reading) -> Doing<Result<Corpus, Clean>> {
        Box::pin(async { Ok(Corpus { documents: 1, blocks: 1, ..Corpus::default() }) })
    }

    fn perform(&self, _: Arc<ToolCall>) -> Doing<Result<ToolResult, Clean>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(ToolResult::Hits(Hits {
                hits: vec![],
                titled: vec![],
                terms: vec![],
                documents: 1,
                blocks: 1,
                notes: vec![],
            }))
        })
    }
}

/// Processor time of this process so far.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Memory of this process in KiB, as it is now.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}
