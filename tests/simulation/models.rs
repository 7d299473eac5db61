//! The same world with a team that thinks with a model whose provider fails, lies and sends bills.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use desk::{Desk, Halt, Policy, World, opening_events};
use journal::MemoryJournal;
use run::Notice;
use run::event::{Event, Opening};
use run::model::{ModelRequest, Said};
use run::steer::Heard;
use run::team::Worker;
use run::timeouts::Timeouts;
use run::transcript::Did;
use run::{Cap, Draft, Envelope, Limits, Money, Outcome, Role, Run, Team, brief};
use supervisor::Staff;
use tokio::sync::mpsc;

use crate::invariants::{self, Watch};
use crate::person::Temper;
use crate::provider::{Bill, Conduct, Provider, led_team, team, team_with_fallbacks};
use crate::record::Record;
use crate::world::{Chance, Faults, SimClock, SimJournal, SimTools};
use crate::{fails_at_once, opening, person};

pub struct Life {
    pub run: Run,
    pub brief: Option<String>,
    pub events: Vec<Envelope>,
    bill: Bill,
}

pub fn live(seed: u64, limits: Limits, conduct: Conduct, kills: u32, temper: Temper) -> Life {
    live_with(team(seed), seed, limits, conduct, kills, temper)
}

fn live_with(team: Team, seed: u64, limits: Limits, conduct: Conduct, kills: u32, temper: Temper) -> Life {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let disk = MemoryJournal::default();
        let opening = Opening { team, ..opening(seed, limits) };
        let (id, bill) = (opening.run.clone(), Bill::default());
        let mut chance = Chance::new(seed ^ 0xb111);
        let record = Arc::new(Record::new(disk.clone(), id.clone()));
        let mut kills_left = kills;
        for life in 0.. {
            assert!(life < 80, "seed {seed}: the run comes to no end");
            let recorded = disk.events(&id);
            let run = Run::fold(&recorded);
            assert_eq!(run.misfits, 0, "seed {seed}");
            let watch = Arc::new(Mutex::new(Watch::new(seed, run.clone())));
            let lives = (kills_left > 0).then(|| chance.below(20));
            let journal = Arc::new(SimJournal::new(disk.clone(), chance.next(), lives));
            let calm = Faults { failing: 0, panicking: 0 };
            let tools = Arc::new(SimTools::new(seed, chance.next(), calm, record.clone()));
            let provider = Provider {
                seed,
                chance: Mutex::new(Chance::new(chance.next())),
                conduct,
                bill: bill.clone(),
                record: record.clone(),
            };
            let (commands, orders) = mpsc::unbounded_channel();
            let (seen, billed) = (watch.clone(), bill.clone());
            let audience = Arc::new(move |notice: Notice| {
                let mut watch = seen.lock().unwrap();
                let committed = matches!(notice, Notice::Committed(_));
                watch.hear(notice);
                if committed {
                    // 2. The provider's charges are within the amounts spent, in doubt or reserved, and these within the cap, but
                    // for charges above reservations: the run books those when it is told of them.
                    let account = watch.run().ledger.run();
                    let (known, charged) = (account.committed().money().0, billed.total());
                    let unknown = billed.unknown_above(watch.run());
                    assert!(charged <= known + unknown, "seed {seed}: billed {charged} of {known} and {unknown}");
                    let overrun = account.overrun.money().0;
                    let within = |cap: Money| known <= cap.0 + overrun;
                    assert!(account.limits.money().is_none_or(within), "seed {seed}: the cap is passed");
                    assert_eq!(overrun, billed.above(watch.run()), "seed {seed}: the overrun is what was billed above");
                }
            });
            let world = World {
                journal: journal.clone(),
                tools,
                models: Arc::new(provider),
                roster: Arc::new(Staff),
                clock: Arc::new(SimClock::default()),
            };
            let mut desk = Desk::new(run, world, Policy::Ask, orders, audience);
            let first = if recorded.is_empty() { opening_events(opening.clone()) } else { Vec::new() };
            let person = person::attend(watch.clone(), commands, chance.next(), temper);
            let stop = tokio::select! {
                stop = desk.work(first) => Some(stop),
                () = journal.killed() => None,
                () = person => unreachable!("the person attends for ever"),
            };
            drop(desk);
            match stop {
                Some(Halt::Ended(_)) => break,
                Some(other) => panic!("seed {seed}: the desk stopped by itself: {other:?}"),
                None => kills_left -= 1,
            }
        }
        let events = disk.events(&id);
        let run = Run::fold(&events);
        invariants::at_the_end(seed, &run);
        siblings_begin_alike(seed, &run);
        no_sentence_is_reviewed_twice(seed, &run);
        // The provider asserts in a task of the desk, which takes a panic there for a failed attempt.
        for envelope in &events {
            if let Event::AttemptFailed { call, fault, .. } = &envelope.event {
                assert!(
                    !fault.what.contains("a fault in the program"),
                    "seed {seed}: the provider's check of {call} failed"
                );
            }
        }
        let brief = run.brief().map(|(draft, findings)| brief::markdown(draft, findings));
        Life { run, brief, events, bill }
    })
}

/// The reviewer's model is paid once for a sentence with the same quotes, and for no draft that code was not asked about.
fn no_sentence_is_reviewed_twice(seed: u64, run: &Run) {
    let Some(root) = run.root() else { return };
    let (mut known, mut gated) = (BTreeSet::new(), Vec::new());
    for sent in root.transcript.sent() {
        let payload = &sent.handoff.payload;
        let Some(draft) = &payload.draft else { continue };
        if sent.role.as_str() == Role::GATES {
            gated.push(draft);
        }
        let Some((outcome, report)) = sent.report.as_ref().filter(|_| sent.role.as_str() == Role::REVIEWER) else {
            continue;
        };
        if !outcome.usable() || report.payload.by_rule.is_some() {
            continue;
        }
        assert!(gated.contains(&draft), "seed {seed}: a draft was reviewed that no gate has seen");
        let left_out = |text| {
            let mut issues = report.payload.verdicts().iter().flat_map(|verdict| &verdict.issues);
            issues.any(|issue| {
                issue.sentence.as_ref() == Some(text) && issue.what.as_str() == specialist::model::UNJUDGED
            })
        };
        let judged: Vec<_> = draft
            .sentences()
            .filter(|sentence| !sentence.cites.is_empty() && !payload.settled().contains(sentence))
            .map(|sentence| {
                let cited = payload.findings().iter().filter(|finding| sentence.cites.contains(&finding.id));
                (sentence, cited.map(|finding| finding.quote.clone()).collect::<Vec<_>>())
            })
            .map(|(sentence, quotes)| {
                ((sentence.text.clone(), sentence.cites.clone(), quotes), left_out(&sentence.text))
            })
            .collect();
        for (one, _) in &judged {
            assert!(!known.contains(one), "seed {seed}: “{}” was reviewed twice", one.0);
        }
        known.extend(judged.into_iter().filter(|(_, is_left_out)| !is_left_out).map(|(one, _)| one));
    }
}

/// Specialists of one role are told the same and offered the same before anything that is theirs alone: a provider's cache finds
/// their common beginning.
fn siblings_begin_alike(seed: u64, run: &Run) {
    let mut beginnings = BTreeMap::new();
    for assignment in run.assignments() {
        for turn in &assignment.transcript.turns {
            let Did::Asked(exchange) = &turn.did else { continue };
            let ModelRequest { said, offers, afresh: true, .. } = &*exchange.request else { continue };
            assert!(matches!(said[..], [Said::System { .. }, Said::User { .. }]), "seed {seed}: {said:?}");
            let first = beginnings.entry(assignment.role.clone()).or_insert_with(|| (&said[0], offers));
            assert_eq!(*first, (&said[0], offers), "seed {seed}: {}", assignment.role);
        }
    }
}

#[test]
fn a_provider_that_fails_and_a_process_that_dies_cost_no_more_than_the_ledger_says_and_change_no_brief() {
    let (mut done, mut doubts) = (0, 0);
    for seed in 0..200 {
        let failing = seed % 4 * 12;
        let calm = live(seed, Limits::default(), Conduct::default(), 0, Temper::Calm);
        let rough = live(seed, Limits::default(), Conduct::failing(failing), (seed % 5) as u32, Temper::Restless);
        assert_eq!(calm.brief, rough.brief, "seed {seed}: the brief depends on what befell the run");
        let account = calm.run.ledger.run();
        assert_eq!(account.spent.money().0, calm.bill.total(), "seed {seed}: a calm run is billed to the pico-dollar");
        assert_eq!(account.in_doubt.money(), Money(0), "seed {seed}");
        done += u32::from(calm.brief.is_some());
        doubts += u32::from(rough.run.ledger.run().in_doubt.money() > Money(0));
    }
    assert!(done > 130 && doubts > 40, "the simulation is not what it was: {done} briefs, {doubts} runs with doubts");
}

#[test]
fn what_is_out_when_a_run_fails_is_in_doubt_for_all_that_its_provider_may_bill() {
    let (mut failed, mut doubts) = (0, 0);
    for seed in 0..120 {
        let mut team = team(seed);
        fails_at_once(&mut team);
        let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("there is one");
        researcher.timeouts = Timeouts { whole: Some(400 + seed % 7 * 200), idle: None };
        let conduct = Conduct::failing(seed % 4 * 12);
        // The bill is compared with the books after every event.
        let life = live_with(team, seed, Limits::default(), conduct, (seed % 3) as u32, Temper::Stern);
        let fails = matches!(life.run.ended(), Some(Outcome::Failed(_)));
        failed += u32::from(fails);
        doubts += u32::from(fails && life.run.ledger.run().in_doubt.money() > Money(0));
    }
    assert!(failed > 40 && doubts > 30, "{failed} failed, {doubts} of them with doubts");
}

#[test]
fn models_that_fail_one_by_one_hand_their_work_on_and_the_run_ends_as_if_none_had() {
    let (mut fallen_back, mut done) = (0, 0);
    for seed in 0..60 {
        let conduct = Conduct { falls_every: 2 + seed % 9, ..Conduct::default() };
        let kills = (seed % 3) as u32;
        let life = live_with(team_with_fallbacks(seed), seed, Limits::default(), conduct, kills, Temper::Calm);
        assert!(life.run.ended().is_some(), "seed {seed}");
        assert!(life.run.latches.is_empty(), "seed {seed}: one of four models is well");
        for assignment in life.run.assignments() {
            fallen_back += u32::from(matches!(assignment.worker, Worker::Fallback(_)));
            for exchange in assignment.transcript.exchanges() {
                let is_last = exchange.request.model.model.as_str() == "four";
                let failed = exchange.attempts.iter().filter(|attempt| attempt.fault.is_some()).count();
                assert!(
                    is_last || failed <= 3 + kills as usize,
                    "seed {seed}: {} was asked on",
                    exchange.request.model
                );
            }
        }
        done += u32::from(life.brief.is_some());
    }
    assert!(fallen_back > 100 && done > 40, "{fallen_back} fell back, {done} briefs");
}

#[test]
fn a_cap_in_money_holds_whatever_fails_and_the_run_still_lands() {
    let (mut capped, mut raised, mut answered) = (0, 0, 0);
    for seed in 0..200 {
        let mut chance = Chance::new(seed);
        let limits = Limits::of(Cap::Money, Money::micros(chance.below(400_000)).0);
        let life = live(seed, limits, Conduct::failing(30), (seed % 3) as u32, Temper::Steering);
        assert!(life.run.ended().is_some(), "seed {seed}");
        let asked = life.run.checkpoints.iter().any(|checkpoint| checkpoint.budget().is_some());
        capped += u32::from(asked || life.run.refusal().is_some());
        raised += u32::from(life.run.ledger.run().limits != limits);
        let heard = life.run.assignments().flat_map(|assignment| life.run.heard(assignment));
        answered += heard.filter(|heard| *heard == Heard::Answered).count();
    }
    assert!(answered > 20, "few messages were answered by a model: {answered}");
    assert!(capped > 40 && raised > 40, "few caps were reached: {capped}, or raised: {raised}");
}

#[test]
fn what_a_provider_bills_above_its_reservations_is_booked_and_the_run_stops_at_its_cap_and_lands() {
    let conduct = Conduct { overbilling: 25, ..Conduct::default() };
    let (mut over, mut passed) = (0, 0);
    for seed in 0..60 {
        let calm = live(seed, Limits::default(), conduct, 0, Temper::Calm);
        let account = calm.run.ledger.run();
        assert_eq!(account.spent.money().0, calm.bill.total(), "seed {seed}: a calm run books what it is billed");
        over += u32::from(account.overrun.money() > Money(0));
        let limits = Limits::of(Cap::Money, account.spent.money().0 / 3);
        let always = Conduct { overbilling: 100, ..conduct };
        let rough = live(seed, limits, always, (seed % 3) as u32, Temper::Calm);
        assert!(rough.run.ended().is_some(), "seed {seed}");
        let account = rough.run.ledger.run();
        assert_eq!(
            account.spent.money().0,
            rough.bill.answered(&rough.run),
            "seed {seed}: what was answered is booked"
        );
        passed += u32::from(account.limits.money().is_some_and(|cap| account.spent.money() > cap));
    }
    // When asked, two thirds of the persons raise the cap.
    assert!(over > 40 && passed > 1, "few runs were billed more: {over}, or above their cap: {passed}");
}

#[test]
fn a_model_that_leads_as_the_whim_takes_it_comes_to_the_same_end_whatever_befalls_the_run() {
    let (mut done, mut relieved, mut asked) = (0, 0, 0);
    for seed in 0..100 {
        let calm = live_with(led_team(seed), seed, Limits::default(), Conduct::default(), 0, Temper::Calm);
        let rough = live_with(
            led_team(seed),
            seed,
            Limits::default(),
            Conduct::failing(seed % 4 * 12),
            (seed % 5) as u32,
            Temper::Calm,
        );
        assert_eq!(calm.brief, rough.brief, "seed {seed}: the brief depends on what befell the run");
        assert_eq!(calm.run.ended(), rough.run.ended(), "seed {seed}");
        let was_relieved = |life: &Life| life.run.root().unwrap().transcript.relieved().cloned();
        assert_eq!(was_relieved(&calm), was_relieved(&rough), "seed {seed}");
        only_what_gates_saw_is_a_brief(seed, &calm.run);
        done += u32::from(calm.brief.is_some());
        relieved += u32::from(was_relieved(&calm).is_some());
        asked += calm.run.checkpoints.iter().filter(|checkpoint| checkpoint.question().is_some()).count();
    }
    assert!(
        done > 65 && relieved > 15 && relieved < 90 && asked > 3,
        "the simulation is not what it was: {done} briefs, {relieved} relieved, {asked} questions"
    );
}

/// A brief is a draft that came from the writer and went through the gates, but for the sentences struck from it.
fn only_what_gates_saw_is_a_brief(seed: u64, run: &Run) {
    let Some((draft, _)) = run.brief().filter(|(draft, _)| draft.sentences().next().is_some()) else { return };
    if draft.notes.iter().any(|note| note.contains("findings as they were approved")) {
        return;
    }
    let gates = run.assignments().filter(|assignment| assignment.role.as_str() == Role::GATES);
    let mut seen = gates.filter_map(|gates| gates.transcript.handoff.payload.draft.as_ref());
    let holds = |seen: &Draft| draft.sentences().all(|sentence| seen.sentences().any(|other| other == sentence));
    assert!(seen.any(holds), "seed {seed}: no gate saw this brief");
}

#[test]
fn a_cap_in_money_holds_for_a_model_that_leads_and_the_run_still_lands() {
    let mut capped = 0;
    for seed in 0..60 {
        let mut chance = Chance::new(seed);
        let limits = Limits::of(Cap::Money, Money::micros(chance.below(400_000)).0);
        let life = live_with(led_team(seed), seed, limits, Conduct::failing(30), (seed % 3) as u32, Temper::Calm);
        assert!(life.run.ended().is_some(), "seed {seed}");
        capped += u32::from(life.run.refusal().is_some());
    }
    assert!(capped > 18, "few caps were reached: {capped}");
}
