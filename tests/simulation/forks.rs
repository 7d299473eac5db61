//! Runs of models, forked at random events and killed on the way: requests that the record answers are not sent again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use desk::{AttemptReporter, BoxFuture, Desk, Halt, Models, Outgoing, Policy, Recorded, World};
use journal::{Headline, Journal, MemoryJournal};
use run::attempt::Fault;
use run::event::{Event, Opening};
use run::{Envelope, Fork, Limits, Reply, Role, Run, RunId, Seq, Team, brief, unlike};
use supervisor::Staff;
use tokio::sync::mpsc;

use crate::formats;
use crate::invariants::{self, Watch};
use crate::models::{Life, live};
use crate::person::{self, Temper};
use crate::provider::{Conduct, answer};
use crate::record::Record;
use crate::world::{Chance, Faults, SimClock, SimJournal, SimTools};

type Digest = [u8; 32];

/// The same model as the parent asked, which notes its requests.
struct Anew {
    seed: u64,
    chance: Mutex<Chance>,
    asked: Arc<Mutex<Vec<Digest>>>,
}

impl Models for Anew {
    fn attempt(&self, outgoing: Outgoing, reporter: AttemptReporter) -> BoxFuture<Result<Reply, Fault>> {
        let wait = self.chance.lock().unwrap().below(400);
        self.asked.lock().unwrap().push(unlike::digest(&outgoing.rounds));
        let seed = self.seed;
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(wait)).await;
            if reporter.sending().await.is_err() {
                std::future::pending::<()>().await;
            }
            Ok(formats::spoken(seed, &outgoing, &answer(seed, &outgoing)))
        })
    }
}

/// A fork that has ended.
struct Forked {
    run: Run,
    brief: Option<String>,
    asked: Vec<Digest>,
}

/// Every answered request of a run, by all that was said before it.
fn answered(run: &Run) -> BTreeMap<Digest, usize> {
    let mut all = BTreeMap::new();
    for one in run.assignments() {
        for exchange in one.transcript.exchanges().filter(|exchange| exchange.reply().is_some()) {
            *all.entry(unlike::digest(&one.transcript.conversation(exchange.call))).or_default() += 1;
        }
    }
    all
}

/// The events that a fork begins with; None where its parent has ended by then.
fn begun(parent: &[Envelope], at: usize, team: Option<Team>) -> Option<(RunId, Vec<Envelope>)> {
    let id = RunId::from_random([7; 6]);
    let whole = Run::fold(parent);
    let mut kept: Vec<Envelope> = parent[..at].to_vec();
    let Event::RunOpened(opening) = &kept[0].event else { panic!("a run begins with its opening") };
    let parent_id = opening.run.clone();
    kept[0].event = Event::RunOpened(Arc::new(Opening { run: id.clone(), ..(**opening).clone() }));
    let run = Run::fold(&kept);
    if run.ended().is_some() {
        return None;
    }
    let again = run.out_here(|call| whole.has_end(call));
    let (from, team) = (parent_id.as_str().into(), team.map(Arc::new));
    let fork = Fork {
        parent: parent_id,
        from,
        at: run.seq,
        instead_of: None,
        again,
        team,
        limits: Limits::default(),
        changed: vec![],
        instead: None,
    };
    kept.push(Envelope { seq: run.seq.next(), at: run.at, event: Event::Forked(Arc::new(fork)) });
    Some((id, kept))
}

/// Forks a run and lets the fork come to its end, with this many kills.
fn forked(seed: u64, parent: &Life, at: usize, team: Option<Team>, kills: u64) -> Option<Forked> {
    let (id, kept) = begun(&parent.events, at, team)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let run = runtime.block_on(async {
        let disk = MemoryJournal::default();
        disk.append(&id, kept, Headline::default()).await.unwrap();
        let mut chance = Chance::new(seed ^ 0xf08c);
        let record = Arc::new(Record::new(disk.clone(), id.clone()));
        let mut kills_left = kills;
        for life in 0.. {
            assert!(life < 80, "seed {seed}, forked at {at}: it comes to no end");
            let run = Run::fold(&disk.events(&id));
            assert_eq!(run.misfits, 0, "seed {seed}, forked at {at}");
            let watch = Arc::new(Mutex::new(Watch::new(seed, run.clone())));
            let lives = (kills_left > 0).then(|| chance.below(20));
            let journal = Arc::new(SimJournal::new(disk.clone(), chance.next(), lives));
            let calm = Faults { failing: 0, panicking: 0 };
            let tools = SimTools::new(seed, chance.next(), calm, record.clone());
            let anew = Anew { seed, chance: Mutex::new(Chance::new(chance.next())), asked: asked.clone() };
            let recorded = Recorded::of(&parent.run).else_using(Arc::new(tools)).else_asking(Arc::new(anew), &run);
            let (commands, orders) = mpsc::unbounded_channel();
            let seen = watch.clone();
            let audience = Arc::new(move |notice| seen.lock().unwrap().hear(notice));
            let world = World {
                journal: journal.clone(),
                tools: Arc::new(recorded.clone()),
                models: Arc::new(recorded),
                roster: Arc::new(Staff),
                clock: Arc::new(SimClock::default()),
            };
            let mut desk = Desk::new(run, world, Policy::Ask, orders, audience);
            let person = person::attend(watch.clone(), commands, chance.next(), Temper::Calm);
            let stop = tokio::select! {
                stop = desk.work(Vec::new()) => Some(stop),
                () = journal.killed() => None,
                () = person => unreachable!("the person attends for ever"),
            };
            drop(desk);
            match stop {
                Some(Halt::Ended(_)) => break,
                Some(other) => panic!("seed {seed}, forked at {at}: the desk stopped by itself: {other:?}"),
                None => kills_left -= 1,
            }
        }
        Run::fold(&disk.events(&id))
    });
    invariants::at_the_end(seed, &run);
    let brief = run.brief().map(|(draft, findings)| brief::markdown(draft, findings));
    let asked = asked.lock().unwrap().clone();
    Some(Forked { run, brief, asked })
}

#[test]
fn a_fork_asks_nothing_again_that_is_equal_and_comes_to_the_same_end_wherever_it_begins() {
    let (mut forks, mut out, mut new) = (0, 0, 0);
    for seed in 0..60 {
        let mut chance = Chance::new(seed ^ 0xf0);
        let parent = live(seed, Limits::default(), Conduct::default(), 0, Temper::Calm);
        let recorded = answered(&parent.run);
        for n in 0..4 {
            let at = 1 + chance.below(parent.events.len() as u64) as usize;
            let kills = n % 3;
            // Nothing is changed: the whole of it is on record.
            let Some(same) = forked(seed, &parent, at, None, kills) else { continue };
            forks += 1;
            let fork = &same.run.forked.as_ref().expect("it is a fork").fork;
            out += fork.again.len();
            assert_eq!(fork.at, Seq(at as u64));
            assert_eq!(
                same.asked,
                Vec::<Digest>::new(),
                "seed {seed}: forked at {at}, it asks again what is on record"
            );
            assert_eq!(same.brief, parent.brief, "seed {seed}: forked at {at}, it comes to another brief");
            assert_eq!(same.run.ended(), parent.run.ended(), "seed {seed}: forked at {at}");
            assert_eq!(same.run.paid().money().0, 0, "seed {seed}: forked at {at}, it pays for what is on record");
            // The prompt of one role is changed: equal requests are still not sent.
            let mut team = parent.run.opening.as_ref().expect("it was opened").team.clone();
            let role = [Role::PLANNER, Role::RESEARCHER, Role::WRITER, Role::REVIEWER][chance.below(4) as usize];
            let member = team.members.get_mut(&Role::new(role)).expect("there is one");
            let model = member.model.as_mut().expect("it has a model");
            model.prompt = format!("{}\nBe brief.", model.prompt).into();
            let Some(other) = forked(seed, &parent, at, Some(team), kills) else { continue };
            let given = answered(&other.run);
            for digest in &other.asked {
                let (on_record, in_fork) = (recorded.get(digest).copied().unwrap_or(0), given.get(digest).copied());
                assert!(
                    on_record == 0 || in_fork.is_none_or(|n| n > on_record),
                    "seed {seed}: forked at {at} with another prompt of the {role}, it asks what is on record"
                );
            }
            new += other.asked.len();
        }
    }
    assert!(forks > 180 && out > 40 && new > 200, "{forks} forks, {out} calls out, {new} asked anew");
}
