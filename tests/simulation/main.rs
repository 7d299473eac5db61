//! Supervisor and desk in a simulated world: random order, delay, failure, kills and a person who does as they please,
//! with time that costs nothing. The invariants of the design are asserted after every committed event.

mod caps;
mod cast;
mod forks;
mod formats;
mod invariants;
mod models;
mod person;
mod provider;
mod record;
mod shipped;
mod world;

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use desk::{Desk, Halt, NoModels, Policy, World, opening_events};
use journal::MemoryJournal;
use run::event::{Envelope, Event, Opening};
use run::gate::{Gate, Rule};
use run::join::Join;
use run::state::Ending;
use run::steer::Heard;
use run::team::{FailureStep, Kind, Member};
use run::timeouts::Timeouts;
use run::{
    Assignment, BreakpointNo, Cap, Checkpoint, Condition, Finding, Limits, Outcome, Role, Run, RunId, Team, brief,
};
use tokio::sync::mpsc;

use invariants::Watch;
use person::Temper;
use record::Record;
use world::{Chance, Faults, SimClock, SimJournal, SimTools};

/// One simulated run and its possible accidents.
#[derive(Clone)]
struct Scenario {
    seed: u64,
    limits: Limits,
    faults: Faults,
    /// The person's behaviour between checkpoints.
    temper: Temper,
    /// The most kills.
    kills: u32,
    /// The breakpoints that are set from the beginning.
    breaks: Vec<Condition>,
    /// Whether the team is in a hurry: with timeouts, and a merging that needs a number of tasks.
    hurried: bool,
}

/// The end of a scenario.
struct End {
    run: Run,
    brief: Option<String>,
    events: Vec<Envelope>,
}

/// The default team and another who takes tasks; the person looks at the plan in every other run, in every third a planner
/// is worth asking twice, in every fourth there is little room to work, and in every fifth nobody leads more than a few
/// tasks.
fn team(seed: u64) -> Team {
    let mut team = shipped::team();
    let checker = provider::assigned_model(seed);
    let tools = vec!["search".into(), "read".into()];
    let checker = Member { kind: Kind::Model, model: Some(checker), tools, ..Member::default() };
    team.members.insert(Role::new("checker"), checker);
    if seed.is_multiple_of(4) {
        team.parallel = 1 + (seed / 4 % 3) as u32;
    }
    team.check_plan = seed % 2 == 1;
    team.check_draft = seed % 7 < 2;
    if cast::has_sections(seed) {
        team.span = 3;
        team.depth = 2 + (seed / 5 % 2) as u32;
    }
    if seed.is_multiple_of(3) {
        team.members.get_mut(&Role::new(Role::PLANNER)).expect("there is one").kind = Kind::Model;
    }
    // In some runs the user has gates of their own.
    let mut gate = |name, tool: Option<&str>, gate| {
        let tools = tool.map(Into::into).into_iter().collect();
        let member = Member { gate: Some(gate), tools, lands: true, turns: 4, ..Member::default() };
        team.members.insert(Role::new(name), member);
    };
    if seed % 4 == 1 {
        let rule = Rule { words: Some(20), why: "be brief".into(), ..Rule::default() };
        gate("style", None, Gate::Rules(vec![rule]));
    }
    if seed % 4 >= 2 {
        gate("house", Some("run"), Gate::Command(vec!["check".into()]));
    }
    team
}

/// Nobody waits for long.
fn hurry(team: &mut Team, seed: u64) {
    let mut chance = Chance::new(seed ^ 0x4a57e);
    let need = |n: u64| Join::AtLeast(NonZeroU32::new(1 + n as u32).expect("at least one"));
    team.joins.merge = [need(chance.below(5)), Join::All, Join::BestEffort][chance.below(3) as usize];
    let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("there is one");
    let whole = (chance.below(2) == 0).then(|| 100 + chance.below(1_500));
    researcher.timeouts = Timeouts { whole, idle: Some(250 + chance.below(300)) };
}

fn opening(seed: u64, limits: Limits) -> Opening {
    Opening {
        run: RunId::from_random(seed.to_le_bytes()[..6].try_into().unwrap()),
        question: cast::question(seed).as_str().into(),
        sources: vec!["/nowhere".into()],
        words: 300,
        ..kit::opening(team(seed), limits)
    }
}

fn live(scenario: &Scenario) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(live_through(scenario))
}

async fn live_through(scenario: &Scenario) -> End {
    let disk = MemoryJournal::default();
    let mut opening = opening(scenario.seed, scenario.limits);
    if scenario.hurried {
        hurry(&mut opening.team, scenario.seed);
    }
    if scenario.temper == Temper::Stern && scenario.seed.is_multiple_of(2) {
        fails_at_once(&mut opening.team);
    }
    let id = opening.run.clone();
    let mut chance = Chance::new(scenario.seed ^ 0x5eed);
    let record = Arc::new(Record::new(disk.clone(), id.clone()));
    let mut kills_left = scenario.kills;
    for life in 0.. {
        assert!(life < 60, "seed {}: the run comes to no end", scenario.seed);
        let recorded = disk.events(&id);
        let run = Run::fold(&recorded);
        assert_eq!(run.misfits, 0, "seed {}: the journal holds events that do not fit", scenario.seed);
        let watch = Arc::new(Mutex::new(Watch::new(scenario.seed, run.clone())));
        let lives = (kills_left > 0).then(|| chance.below(14));
        let journal = Arc::new(SimJournal::new(disk.clone(), chance.next(), lives));
        let tools = Arc::new(SimTools::new(scenario.seed, chance.next(), scenario.faults, record.clone()));
        let (commands, orders) = mpsc::unbounded_channel();
        let seen = watch.clone();
        let audience = Arc::new(move |notice| seen.lock().unwrap().hear(notice));
        let mut desk = Desk::new(
            run.clone(),
            World {
                journal: journal.clone(),
                tools,
                models: Arc::new(NoModels),
                roster: Arc::new(cast::Cast { seed: scenario.seed }),
                clock: Arc::new(SimClock::default()),
            },
            Policy::Ask,
            orders,
            audience,
        );
        let breaks = scenario.breaks.iter().cloned().zip(1..);
        let breaks = breaks.map(|(on, n)| Event::BreakpointSet { breakpoint: BreakpointNo(n), on });
        let first = if recorded.is_empty() {
            opening_events(opening.clone()).into_iter().chain(breaks).collect()
        } else {
            Vec::new()
        };
        let person = person::attend(watch.clone(), commands, chance.next(), scenario.temper);
        let stop = tokio::select! {
            stop = desk.work(first) => Some(stop),
            () = journal.killed() => None,
            () = person => unreachable!("the person attends for ever"),
        };
        drop(desk);
        match stop {
            Some(Halt::Ended(_)) => break,
            Some(other) => panic!("seed {}: the desk stopped by itself: {other:?}", scenario.seed),
            None => kills_left -= 1,
        }
    }
    let events = disk.events(&id);
    let run = Run::fold(&events);
    invariants::at_the_end(scenario.seed, &run);
    let brief = run.brief().map(|(draft, findings)| brief::markdown(draft, findings));
    End { run, brief, events }
}

fn caps(chance: &mut Chance) -> Limits {
    match chance.below(4) {
        0 => Limits::of(Cap::ToolCalls, chance.below(24)),
        1 => Limits::of(Cap::Tokens, chance.below(60_000)),
        _ => Limits::default(),
    }
}

#[test]
fn five_hundred_runs_keep_every_invariant_and_come_to_the_same_brief_when_killed() {
    let (mut raised, mut edited, mut replanned, mut remembered) = (0, 0, 0, 0);
    let (mut led, mut deep) = (0, 0);
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let limits = caps(&mut chance);
        let faults = Faults { failing: chance.below(30), panicking: chance.below(6) };
        let calm = Scenario { seed, limits, faults, temper: Temper::Calm, kills: 0, hurried: false, breaks: vec![] };
        let undisturbed = live(&calm);
        let disturbed = live(&Scenario { kills: 1 + chance.below(6) as u32, temper: Temper::Restless, ..calm.clone() });
        assert_eq!(undisturbed.brief, disturbed.brief, "seed {seed}: the brief depends on what befell the run");
        assert_eq!(undisturbed.run.ended(), disturbed.run.ended(), "seed {seed}");
        let steps = [&undisturbed.events, &disturbed.events].map(|events| invariants::finished_steps(events));
        let different: Vec<_> = steps[0].symmetric_difference(&steps[1]).collect();
        assert!(different.is_empty(), "seed {seed}: steps lost or done besides: {different:?}");
        raised += u32::from(undisturbed.run.ledger.run().limits != limits);
        edited += undisturbed.run.plan_checkpoints().map(|(checkpoint, _)| checkpoint.edits.len()).sum::<usize>();
        let editor = |role: &Role| role.as_str() == Role::EDITOR;
        let editors = || undisturbed.run.assignments().filter(|assignment| editor(&assignment.role));
        let above = |of: &Assignment| of.parent().and_then(|id| undisturbed.run.assignment(id));
        led += editors().count();
        deep += editors().filter(|of| above(of).is_some_and(|above| editor(&above.role))).count();
        replanned += u32::from(undisturbed.run.handoffs.iter().any(|handoff| !handoff.payload.flaws().is_empty()));
        let cited = |(_, findings): (_, &[Finding])| findings.iter().any(|finding| finding.kept_from.is_some());
        remembered += u32::from(undisturbed.run.brief().is_some_and(cited));
    }
    assert!(remembered > 50, "few runs used what others had kept: {remembered}");
    assert!(edited > 200 && replanned > 20, "few plans were edited ({edited}) or made twice ({replanned})");
    assert!(led > 200 && deep > 50, "few sections were led: {led}, and fewer below them: {deep}");
    assert!(raised > 50, "few caps were raised: {raised}");
}

/// The work of a researcher that fails is not tried again, and the run fails with it.
fn fails_at_once(team: &mut Team) {
    team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("there is one").on_failure = vec![FailureStep::Fail];
}

/// The number of assignments that the end of a failed run cut short.
fn cut_short(run: &Run) -> usize {
    let ends = run.assignments().filter_map(|one| one.ended.as_ref());
    ends.filter(|(outcome, _)| *outcome == Outcome::Cancelled).count()
}

#[test]
fn a_run_that_fails_while_others_are_at_work_ends_them_first_whether_a_policy_or_the_person_lets_it_fail() {
    let (mut failed, mut cut, mut told) = (0, 0, 0);
    for seed in 0..300 {
        let mut chance = Chance::new(seed ^ 0xfa11);
        let limits = caps(&mut chance);
        let faults = Faults { failing: chance.below(30), panicking: chance.below(6) };
        let (temper, kills) = (Temper::Stern, chance.below(4) as u32);
        let End { run, .. } = live(&Scenario { seed, limits, faults, temper, kills, hurried: false, breaks: vec![] });
        let fails = matches!(run.ended(), Some(Outcome::Failed(_)));
        failed += usize::from(fails);
        cut += if fails { cut_short(&run) } else { 0 };
        told += usize::from(fails && run.checkpoints.iter().any(|one| one.question().is_some()));
    }
    assert!(failed > 100 && cut > 100 && told > 30, "{failed} failed, {cut} cut short, {told} told to");
}

#[test]
fn five_hundred_runs_whose_assignments_are_steered_at_random_keep_every_invariant_and_come_to_an_end() {
    let (mut replaced, mut cancelled, mut told, mut reassigned) = (0, 0, [0; 4], 0);
    for seed in 0..500 {
        let mut chance = Chance::new(seed ^ 0x57ee);
        let limits = caps(&mut chance);
        let faults = Faults { failing: chance.below(30), panicking: chance.below(6) };
        let kills = chance.below(4) as u32;
        let End { run, .. } =
            live(&Scenario { seed, limits, faults, temper: Temper::Steering, kills, hurried: false, breaks: vec![] });
        for assignment in run.assignments() {
            match &assignment.ending {
                Some(Ending::Cancelled) => cancelled += 1,
                Some(Ending::Replaced { .. }) => replaced += 1,
                Some(Ending::Enough) | None => {}
            }
            reassigned += u32::from(assignment.role.as_str() == "checker");
            for heard in run.heard(assignment) {
                told[heard as usize] += 1;
            }
        }
    }
    assert!(cancelled > 200 && replaced > 200 && reassigned > 25, "{cancelled}, {replaced}, {reassigned}");
    assert!(told[Heard::Answered as usize] > 100 && told[Heard::Queued as usize] == 0, "{told:?}");
}

/// Some breakpoints of all kinds.
fn breaks(chance: &mut Chance) -> Vec<Condition> {
    let mut all = vec![
        "handoff:researcher",
        "from:researcher",
        "handoff:merger",
        "from:merger",
        "handoff:writer",
        "from:supervisor",
        "verdict:revise",
        "outcome:failed",
        "outcome:partial",
        "tool:search",
        "tool:read",
        "event:plan_adopted",
        "event:tool_returned",
        "handoff",
        "call",
    ];
    let mut some = || all.swap_remove(chance.below(all.len() as u64) as usize).parse().expect("a condition");
    (0..3).map(|_| some()).collect()
}

#[test]
fn a_breakpoint_loses_nothing_whatever_befalls_a_run_that_stands_and_edits_there_keep_every_invariant() {
    let (mut stood, mut edited, mut refused, mut dropped) = (0, 0, 0, 0);
    for seed in 0..160 {
        let mut chance = Chance::new(seed ^ 0xb4ea);
        let limits = caps(&mut chance);
        let faults = Faults { failing: chance.below(30), panicking: chance.below(6) };
        let calm = Scenario { seed, limits, faults, temper: Temper::Calm, kills: 0, hurried: false, breaks: vec![] };
        let (breaks, kills) = (breaks(&mut chance), chance.below(6) as u32);
        let temper = if person::meddles(seed) { Temper::Restless } else { Temper::Calm };
        let stopped = live(&Scenario { breaks, kills, temper, ..calm.clone() });
        let stops: Vec<_> = stopped.run.checkpoints.iter().filter(|one| one.stop().is_some()).collect();
        stood += stops.len();
        edited += stops.iter().filter(|one| !one.edits.is_empty()).count();
        let answers = stops.iter().filter_map(|one| one.subject.said(&one.answer.as_ref()?.answer));
        for said in answers {
            refused += u32::from(said.starts_with("refused"));
            dropped += u32::from(said.contains("dropped"));
        }
        if person::meddles(seed) {
            continue;
        }
        // All was sent on as it was: the run is the one without breakpoints.
        let undisturbed = live(&calm);
        assert_eq!(undisturbed.brief, stopped.brief, "seed {seed}: the brief depends on breakpoints");
        assert_eq!(undisturbed.run.ended(), stopped.run.ended(), "seed {seed}");
        let steps = [&undisturbed.events, &stopped.events].map(|events| {
            let steps = invariants::finished_steps(events).into_iter();
            steps.filter(|step| !step.starts_with("put") && !step.starts_with("answered")).collect::<Vec<_>>()
        });
        assert_eq!(steps[0], steps[1], "seed {seed}");
    }
    assert!(stood > 800 && edited > 60 && refused > 10 && dropped > 20, "{stood}, {edited}, {refused}, {dropped}");
}

#[test]
fn runs_in_a_hurry_end_who_is_late_or_not_needed_ask_about_what_is_missing_and_come_to_an_end() {
    let (mut enough, mut late, mut asked, mut briefs) = (0, 0, 0, 0);
    for seed in 0..200 {
        let mut chance = Chance::new(seed ^ 0x4a57);
        let limits = caps(&mut chance);
        let faults = Faults { failing: chance.below(20), panicking: 0 };
        let temper = [Temper::Restless, Temper::Steering][(seed % 2) as usize];
        let kills = chance.below(3) as u32;
        let End { run, brief, .. } =
            live(&Scenario { seed, limits, faults, temper, kills, hurried: true, breaks: vec![] });
        enough += run.assignments().filter(|one| one.ending == Some(Ending::Enough)).count();
        let is_late = |why: &str| why.starts_with("no report within") || why.starts_with("no answer within");
        let ends = run.assignments().filter_map(|one| one.ended.as_ref());
        late += ends.filter(|(outcome, _)| matches!(outcome, Outcome::Failed(why) if is_late(why))).count();
        asked += run
            .checkpoints
            .iter()
            .filter_map(Checkpoint::question)
            .filter(|asked| asked.text.contains("needs"))
            .count();
        briefs += u32::from(brief.is_some());
    }
    assert!(enough > 10 && late > 50 && asked > 20 && briefs > 100, "{enough}, {late}, {asked}, {briefs}");
}

#[test]
fn a_run_that_is_cancelled_at_any_moment_ends_cancelled_and_leaves_nothing_under_way() {
    for seed in 0..60 {
        let disk = MemoryJournal::default();
        let opening = opening(seed, Limits::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let run = runtime.block_on(async {
            let (commands, orders) = mpsc::unbounded_channel();
            let faults = Faults { failing: 0, panicking: 0 };
            let mut desk = Desk::new(
                Run::default(),
                World {
                    journal: Arc::new(disk.clone()),
                    tools: Arc::new(SimTools::new(
                        seed,
                        seed,
                        faults,
                        Arc::new(Record::new(disk.clone(), opening.run.clone())),
                    )),
                    models: Arc::new(NoModels),
                    roster: Arc::new(cast::Cast { seed }),
                    clock: Arc::new(SimClock::default()),
                },
                Policy::Ask,
                orders,
                Arc::new(|_| {}),
            );
            let canceller = async {
                tokio::time::sleep(std::time::Duration::from_millis(seed * 37)).await;
                let _ = commands.send(run::Command::Cancel);
                std::future::pending::<()>().await
            };
            tokio::select! { _ = desk.work(opening_events(opening.clone())) => {}, () = canceller => {} }
            Run::fold(&disk.events(&opening.run))
        });
        assert!(run.under_way.is_empty(), "seed {seed}");
        assert_eq!(run.open().count(), 0, "seed {seed}");
        assert!(run.ended().is_some(), "seed {seed}");
    }
}

/// A disk that is full from its nth append on.
struct FullDisk {
    disk: MemoryJournal,
    appends_left: Mutex<u64>,
}

impl journal::Journal for FullDisk {
    fn append(
        &self,
        run: &RunId,
        events: Vec<Envelope>,
        headline: journal::Headline,
    ) -> journal::BoxFuture<Result<(), journal::JournalError>> {
        let mut left = self.appends_left.lock().unwrap();
        if *left == 0 {
            let error = journal::JournalError::DiskFull("/full".into());
            return Box::pin(async move { Err(error) });
        }
        *left -= 1;
        self.disk.append(run, events, headline)
    }
}

#[test]
fn a_disk_that_is_full_at_any_append_stops_the_desk_shows_nothing_that_is_not_on_it_and_costs_nothing() {
    let seed = 7;
    let calm = Faults { failing: 0, panicking: 0 };
    let undisturbed = live(&Scenario {
        seed,
        limits: Limits::default(),
        faults: calm,
        temper: Temper::Calm,
        kills: 0,
        hurried: false,
        breaks: vec![],
    });
    let appends = undisturbed.events.len() as u64;
    for n in 0..appends {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let disk = MemoryJournal::default();
        let opening = opening(seed, Limits::default());
        let id = opening.run.clone();
        let stop = runtime.block_on(async {
            let watch = Arc::new(Mutex::new(Watch::new(seed, Run::default())));
            let seen = watch.clone();
            let (commands, orders) = mpsc::unbounded_channel();
            let mut desk = Desk::new(Run::default(), World { journal: Arc::new(FullDisk { disk: disk.clone(), appends_left: Mutex::new(n) }), tools: Arc::new(SimTools::new(seed, n, calm, Arc::new(Record::new(disk.clone(), id.clone())))), models: Arc::new(NoModels), roster: Arc::new(cast::Cast { seed }), clock: Arc::new(SimClock::default()) }, Policy::Ask,
                orders,
                Arc::new(move |notice| seen.lock().unwrap().hear(notice)),
            );
            let person = person::attend(watch.clone(), commands, n, Temper::Calm);
            let stop = tokio::select! { stop = desk.work(opening_events(opening.clone())) => stop, () = person => unreachable!() };
            let shown = watch.lock().unwrap().run().seq;
            assert_eq!(shown, Run::fold(&disk.events(&id)).seq, "append {n}: a face knows what the disk does not");
            stop
        });
        match stop {
            Halt::Ended(_) => break,
            Halt::Journal(_) => assert!(Run::fold(&disk.events(&id)).ended().is_none(), "append {n}"),
            other => panic!("append {n}: {other:?}"),
        }
    }
}
