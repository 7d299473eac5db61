//! A person at the screen: does the same at each checkpoint whatever befell the run, and fidgets in between.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use masthead::desk::Command;
use masthead::run::checkpoint::Act;
use masthead::run::event::DoubtAnswer;
use masthead::run::{Cap, Checkpoint, Limits, Run, TaskId};
use tokio::sync::mpsc::UnboundedSender;

use crate::invariants::Watch;
use crate::world::{Chance, hash};

pub async fn attend(watch: Arc<Mutex<Watch>>, commands: UnboundedSender<Command>, fidget: u64, restless: bool) {
    let mut chance = Chance::new(fidget);
    loop {
        tokio::time::sleep(Duration::from_millis(50 + chance.below(200))).await;
        let next = {
            let watch = watch.lock().unwrap();
            let run = watch.run();
            match run.open_checkpoint() {
                _ if run.held => Some(Command::Continue),
                _ if run.asks().is_some() && raise(watch.seed, run).is_some() => raise(watch.seed, run),
                Some(checkpoint) => Some(next_act(watch.seed, checkpoint)),
                None if run.latch.is_some() => Some(Command::Continue),
                None if !run.in_doubt.is_empty() => {
                    run.in_doubt.keys().next().map(|call| Command::Settle { call: *call, answer: DoubtAnswer::Retry })
                }
                None if restless && chance.below(12) == 0 => Some(Command::Pause),
                // What the desk refuses at any moment: a lower cap.
                None if restless && chance.below(12) == 0 => Some(Command::RaiseCap(Limits::of(Cap::Tokens, 0))),
                None => None,
            }
        };
        if let Some(command) = next {
            let before = watch.lock().unwrap().run().seq;
            let _ = commands.send(command);
            // A person looks what came of it before they do the next thing.
            for _ in 0..100 {
                if watch.lock().unwrap().run().seq > before {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// Whether the person raises the caps where something is asked of them, once in a run: that, too, is read off what was
/// done so far.
fn raise(seed: u64, run: &Run) -> Option<Command> {
    let (opening, now) = (run.opening.as_ref()?, run.ledger.run().limits);
    let fate = hash(seed, &format!("raise {}", run.checkpoints.len()));
    let mut to = Limits::default();
    for (cap, n) in now.caps() {
        to = to.or(Limits::of(cap, n + 1 + fate % (n + 50)));
    }
    (opening.limits == now && to != Limits::default() && fate.is_multiple_of(2)).then_some(Command::RaiseCap(to))
}

/// What the person does next at a checkpoint is read off what they have done so far: a crash changes nothing.
fn next_act(seed: u64, checkpoint: &Checkpoint) -> Command {
    let done = checkpoint.acts.len() as u64;
    let id = checkpoint.id;
    let fate = hash(seed, &format!("person {id}"));
    let pick = |n: u64| checkpoint.put[(hash(seed, &format!("{id} {n}")) % checkpoint.put.len() as u64) as usize].id;
    let act = match done {
        _ if checkpoint.put.is_empty() => None,
        0 => Some(Act::Drop { finding: pick(0) }),
        1 if fate.is_multiple_of(3) => {
            Some(Act::Edit { finding: pick(1), claim: "In the words of the person.".into() })
        }
        1 => Some(Act::Add { task: Some(TaskId(1)), claim: "The person knows this.".into() }),
        2 if fate.is_multiple_of(5) => Some(Act::Drop { finding: pick(2) }),
        _ => None,
    };
    match act {
        Some(act) => Command::Act { checkpoint: id, act },
        None if id.0 == 1 && fate.is_multiple_of(4) => {
            Command::More { checkpoint: id, task: Some(TaskId(1)), wish: "more".into() }
        }
        None => Command::Approve { checkpoint: id },
    }
}
