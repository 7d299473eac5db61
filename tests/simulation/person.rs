//! A person at the screen: does the same at each checkpoint in any course of the run, and fidgets in between.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use run::Command;
use run::checkpoint::question::{self, AfterFailure, Wants};
use run::checkpoint::stop::{self, Stop};
use run::checkpoint::{Answer, Edit, Subject, budget, draft, findings, plan};
use run::event::DoubtAnswer;
use run::plan::PlanEdit;
use run::{AssignmentId, Cap, Checkpoint, CheckpointId, Finding, Limits, Plan, Priority, Role, Run, Steer, TaskId};
use tokio::sync::mpsc::UnboundedSender;

use crate::invariants::Watch;
use crate::world::{Chance, hash};

/// The behaviour of a person between checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temper {
    /// They wait.
    Calm,
    /// They pause, change their mind, pause single assignments and change who goes first: all that changes when things
    /// are done, and nothing that is done.
    Restless,
    /// They steer single assignments as they please.
    Steering,
    /// They wait, and let the run fail over work that failed.
    Stern,
}

/// A person who steers lets go once this much has happened.
const MOST_STEERED: u64 = 400;

pub async fn attend(watch: Arc<Mutex<Watch>>, commands: UnboundedSender<Command>, fidget: u64, temper: Temper) {
    let restless = matches!(temper, Temper::Restless | Temper::Steering);
    let mut chance = Chance::new(fidget);
    loop {
        tokio::time::sleep(Duration::from_millis(50 + chance.below(200))).await;
        let next = {
            let watch = watch.lock().unwrap();
            let run = watch.run();
            match run.open_checkpoint() {
                _ if run.paused => Some(Command::Continue),
                _ if restless && let Some(steer) = steer(run, &mut chance, temper) => Some(steer),
                // While others work, who is refused would depend on when the cap was raised.
                open if run.asks().is_some()
                    && open.is_none_or(|open| !open.subject.others_go_on() && open.stop().is_none())
                    && raise(watch.seed, run).is_some() =>
                {
                    raise(watch.seed, run)
                }
                Some(open) => match &*open.subject {
                    Subject::Findings(_) => Some(next_act(watch.seed, run, open)),
                    Subject::Plan(plan) if restless && chance.below(3) == 0 => Some(nonsense(open, plan, &mut chance)),
                    Subject::Plan(plan) => Some(next_edit(watch.seed, run, open, plan)),
                    Subject::Question(question) => match question.wants {
                        Wants::AfterFailure if temper == Temper::Stern => Some(lets_it_fail(open)),
                        _ => Some(answer(watch.seed, open, &question.wants)),
                    },
                    Subject::Draft(review) => Some(at_draft(watch.seed, run, open, review)),
                    Subject::Budget(_) => Some(at_cap(watch.seed, run, open)),
                    Subject::Stop(stop) => Some(at_breakpoint(watch.seed, run, open, stop)),
                },
                None if !run.latches.is_empty() => Some(Command::Continue),
                None if !run.in_doubt.is_empty() => {
                    run.in_doubt.keys().next().map(|call| Command::Settle { call: *call, answer: DoubtAnswer::Retry })
                }
                None if restless && chance.below(12) == 0 => Some(Command::Pause),
                // A command that the desk refuses at any moment: a lower cap.
                None if restless && chance.below(12) == 0 => Some(Command::RaiseCap(Limits::of(Cap::Tokens, 0))),
                None => None,
            }
        };
        if let Some(command) = next {
            let before = watch.lock().unwrap().run().seq;
            let _ = commands.send(command);
            // A person looks at the result before the next action.
            for _ in 0..100 {
                if watch.lock().unwrap().run().seq > before {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// Steers somebody, or nobody just now. A paused one goes on sooner or later.
fn steer(run: &Run, chance: &mut Chance, temper: Temper) -> Option<Command> {
    let paused = run.open().find(|assignment| assignment.paused).map(|assignment| assignment.id);
    if let Some(assignment) = paused.filter(|_| chance.below(3) == 0) {
        return Some(Command::Steer { assignment, act: Steer::Continue });
    }
    if chance.below(4) > u64::from(temper == Temper::Steering) || run.assignments().len() < 2 {
        return None;
    }
    // Mostly those at work; now and then any other, or one that is not there.
    let open: Vec<AssignmentId> = run.open().map(|assignment| assignment.id).skip(1).collect();
    let assignment = match chance.below(4) {
        1.. if !open.is_empty() => open[chance.below(open.len() as u64) as usize],
        _ => {
            let n = chance.below(run.assignments().len() as u64 + 1);
            run.assignments().nth(n as usize).map_or(AssignmentId::nth(u32::MAX), |assignment| assignment.id)
        }
    };
    let role = |n| Role::new([Role::RESEARCHER, "checker", Role::WRITER, "nobody"][n as usize]);
    let act = match chance.below(if temper == Temper::Steering && run.seq.0 < MOST_STEERED { 8 } else { 4 }) {
        0 => Steer::Prioritise(Priority::Low),
        1 => Steer::Prioritise(Priority::High),
        2 => Steer::Pause,
        3 => Steer::Prioritise(Priority::Normal),
        4 => Steer::Cancel,
        5 => Steer::Retry,
        6 => Steer::Reassign { role: role(chance.below(4)) },
        _ => Steer::Tell { text: format!("look at topic {}", chance.below(9)).as_str().into() },
    };
    Some(Command::Steer { assignment, act })
}

fn lets_it_fail(asked: &Checkpoint) -> Command {
    let answer = question::Answer::AfterFailure(AfterFailure::Stop);
    Command::Answer { checkpoint: asked.id, answer: Answer::Question(answer) }
}

/// The person's decision on work that failed: to go on without it, or to try once more.
fn answer(seed: u64, asked: &Checkpoint, wants: &Wants) -> Command {
    let about =
        asked.question().and_then(|question| question.about).map_or_else(String::new, |about| about.to_string());
    let first = hash(seed, &format!("answer {about}")).is_multiple_of(2);
    let answer = match wants {
        Wants::AfterFailure if first => question::Answer::AfterFailure(AfterFailure::GoOnWithout),
        Wants::AfterFailure => question::Answer::AfterFailure(AfterFailure::TryAgain),
        Wants::OneOf { choices, .. } => question::Answer::Chosen(choices[usize::from(!first)].clone()),
        Wants::Words => return Command::Approve { checkpoint: asked.id },
    };
    Command::Answer { checkpoint: asked.id, answer: Answer::Question(answer) }
}

/// The person's answer at a breakpoint follows from the message there: a crash changes nothing. They send most on as it is, and in
/// some runs they change, refuse or drop something, or let the others go on meanwhile.
fn at_breakpoint(seed: u64, run: &Run, open: &Checkpoint, stop: &Stop) -> Command {
    let checkpoint = open.id;
    let fate = |what: &str| hash(seed, &format!("{what} {} {:?}", open.by, stop.met));
    let go = |until| Command::Answer { checkpoint, answer: Answer::Stop(stop::Answer::Go { until }) };
    if !meddles(seed) {
        return go(None);
    }
    let edit = match (open.edits.len(), fate("edit") % 8) {
        (0, 0) => Some(stop::Edit::Others { go_on: true }),
        (0, 1) => Some(stop::Edit::Drop { of: 0 }),
        (0, 2) => stop.payloads().first().map(|one| {
            let payload = one.payload.clone().with_notes(["a remark of the person".into()]);
            stop::Edit::Payload { of: 0, payload: Box::new(payload) }
        }),
        (0, 3) => stop.payloads().first().map(|one| {
            let findings = one.payload.findings().iter().skip(1).cloned().collect();
            let payload = run::Payload { findings: Some(findings), ..one.payload.clone() };
            stop::Edit::Payload { of: 0, payload: Box::new(payload) }
        }),
        _ => None,
    };
    if let Some(edit) = edit.map(Edit::Stop).filter(|edit| open.accepts(edit, run).is_ok()) {
        return Command::Edit { checkpoint, edit };
    }
    let refuse = Answer::Stop(stop::Answer::Refuse { why: "not like this".into() });
    match fate("answer") % 9 {
        // One that pays no heed would be told for ever.
        0 if open.allows(&refuse, run).is_ok()
            && run.assignment(open.by).is_some_and(|by| by.transcript.messages.is_empty()) =>
        {
            Command::Answer { checkpoint, answer: refuse }
        }
        1 => go(Some("handoff".parse().expect("a condition"))),
        2 => go(Some("call".parse().expect("a condition"))),
        _ => go(None),
    }
}

/// Whether the person does more at breakpoints than to look.
pub fn meddles(seed: u64) -> bool {
    seed % 2 == 1
}

/// Whether the person raises the caps at a question to them, once in a run: that, too, is read off their actions so far.
fn raise(seed: u64, run: &Run) -> Option<Command> {
    let (opening, now) = (run.opening.as_ref()?, run.ledger.run().limits);
    let fate = hash(seed, &format!("raise {}", run.findings_checkpoints().count()));
    let mut to = Limits::default();
    for (cap, n) in now.caps() {
        to = to.or(Limits::of(cap, n + 1 + fate % (n + 50)));
    }
    (opening.limits == now && to != Limits::default() && fate.is_multiple_of(2)).then_some(Command::RaiseCap(to))
}

/// The person's action on a draft, read off their earlier ones: a word of their own, a remark, or nothing.
fn at_draft(seed: u64, run: &Run, open: &Checkpoint, review: &draft::Review) -> Command {
    let checkpoint = open.id;
    let rounds = draft::rounds(run);
    let fate = hash(seed, &format!("draft {rounds}"));
    // A draft without its only sentence could neither be accepted nor be sent back.
    let may_strike = review.draft.sentences().nth(1).is_some();
    let edit = match (open.edits.len(), fate % 4) {
        (0, 0) => Some(draft::Edit::Reword { of: 0, text: "In the words of the person.".into() }),
        (0, 1) => Some(draft::Edit::Remark { of: Some(0), what: "of when?".into() }),
        (0, 2) if may_strike => Some(draft::Edit::Strike { of: 0 }),
        _ => None,
    };
    if let Some(edit) = edit.map(Edit::Draft).filter(|edit| open.accepts(edit, run).is_ok()) {
        return Command::Edit { checkpoint, edit };
    }
    let revise = Answer::Draft(draft::Answer::Revise);
    match open.allows(&revise, run) {
        Ok(()) => Command::Answer { checkpoint, answer: revise },
        Err(_) => match open.allows(&open.subject.approval(), run) {
            Ok(()) => Command::Approve { checkpoint },
            Err(_) => Command::Edit { checkpoint, edit: Edit::Undo },
        },
    }
}

/// The person's answer for work that waits at a cap, read off the cap: in some runs they raise it, now and then with an answer that
/// is refused first, else the run finishes with its findings so far.
fn at_cap(seed: u64, run: &Run, open: &Checkpoint) -> Command {
    let now = run.ledger.run().limits;
    let fate = hash(seed, &format!("cap {}", now.in_words()));
    // Once in a run: else it would be raised until nothing is short.
    let is_first = run.opening.as_ref().is_some_and(|opening| opening.limits == now);
    match open.subject.options().into_iter().next() {
        Some(raise) if is_first && fate.is_multiple_of(3) => Command::Answer { checkpoint: open.id, answer: raise },
        Some(Answer::Budget(budget::Answer::Raise { to })) if is_first && fate % 3 == 1 => Command::RaiseCap(to),
        _ => Command::Approve { checkpoint: open.id },
    }
}

/// As the how manieth a checkpoint was opened, stops at breakpoints and at caps not counted.
fn nth(run: &Run, open: &Checkpoint) -> CheckpointId {
    let stops = run.checkpoints.iter();
    let stops = stops.filter(|one| one.id < open.id && (one.stop().is_some() || one.budget().is_some())).count();
    CheckpointId(open.id.0 - stops as u32)
}

/// The person's next action at a checkpoint is read off their earlier ones: a crash changes nothing.
fn next_act(seed: u64, run: &Run, open: &Checkpoint) -> Command {
    let checkpoint = open.id;
    let put: &[Finding] = if let Subject::Findings(put) = &*open.put { put } else { &[] };
    let first = run.plan.as_ref().map(|plan| plan.tasks[0].id);
    let nth = nth(run, open);
    let fate = hash(seed, &format!("person {nth}"));
    let pick = |n: u64| put[(hash(seed, &format!("{nth} {n}")) % put.len() as u64) as usize].id;
    let edit = match open.edits.len() {
        _ if put.is_empty() => None,
        0 => Some(findings::Edit::Drop { finding: pick(0) }),
        1 if fate.is_multiple_of(3) => {
            Some(findings::Edit::Reword { finding: pick(1), claim: "In the words of the person.".into() })
        }
        1 => Some(findings::Edit::Add { task: first, claim: "The person knows this.".into() }),
        2 if fate.is_multiple_of(5) => Some(findings::Edit::Drop { finding: pick(2) }),
        _ => None,
    };
    match edit {
        Some(edit) => Command::Edit { checkpoint, edit: Edit::Findings(edit) },
        None if run.findings_checkpoints().count() == 1 && fate.is_multiple_of(4) => {
            let more = findings::Answer::More { task: first, wish: "more".into() };
            Command::Answer { checkpoint, answer: Answer::Findings(more) }
        }
        None => Command::Approve { checkpoint },
    }
}

/// The person's next action on a plan: some edits at random, each read off their earlier ones, then an answer.
fn next_edit(seed: u64, run: &Run, open: &Checkpoint, plan: &Plan) -> Command {
    let (checkpoint, nth) = (open.id, nth(run, open));
    let fate = |what: &str| hash(seed, &format!("{nth} {} {what}", open.edits.len()));
    if (open.edits.len() as u64) < hash(seed, &format!("edits {nth}")) % 6 {
        // The first of a few that can be done.
        for n in 0..8 {
            let edit = some_edit(open.next_task(), plan, |what| fate(&format!("{n} {what}")));
            if let Some(edit) = edit.map(Edit::Plan).filter(|edit| open.accepts(edit, run).is_ok()) {
                return Command::Edit { checkpoint, edit };
            }
        }
    }
    let answer = Answer::Plan(plan::Answer::Another { wish: "and the weather".into() });
    let another = open.allows(&answer, run).is_ok() && run.plan_checkpoints().count() < 3;
    match another && fate("another").is_multiple_of(4) {
        true => Command::Answer { checkpoint, answer },
        false => Command::Approve { checkpoint },
    }
}

fn some_edit(next: TaskId, plan: &Plan, fate: impl Fn(&str) -> u64) -> Option<PlanEdit> {
    let tasks = &plan.tasks;
    let pick = |what: &str| tasks[(fate(what) % tasks.len() as u64) as usize].id;
    let task = pick("task");
    let role = |role: &str| Role::new(role);
    Some(match fate("kind") % 7 {
        0 => PlanEdit::Add {
            task: next,
            title: format!("extra {}", fate("title") % 100).as_str().into(),
            question: "what else?".into(),
            role: role(Role::RESEARCHER),
        },
        1 => PlanEdit::Drop { task },
        2 => PlanEdit::Reword { task, title: "my words".into(), question: "what of my words?".into() },
        3 => PlanEdit::Move { task, to: (fate("to") % 9) as u32 },
        4 => PlanEdit::Wait { task, after: vec![pick("after")] },
        5 => PlanEdit::Give { task, role: role(["researcher", "writer", "nobody"][(fate("role") % 3) as usize]) },
        _ => return None,
    })
}

/// Commands that the desk refuses, and commands without an effect in the end: neither leave a trace.
fn nonsense(open: &Checkpoint, plan: &Plan, chance: &mut Chance) -> Command {
    let task = plan.tasks[0].id;
    let finding = run::FindingId::new(AssignmentId::ROOT, 1);
    let edit = match chance.below(5) {
        0 => Edit::Plan(PlanEdit::Give { task, role: Role::new("nobody") }),
        1 => Edit::Plan(PlanEdit::Wait { task, after: vec![task] }),
        2 => Edit::Plan(PlanEdit::Reword { task, title: "".into(), question: "".into() }),
        3 => Edit::Findings(findings::Edit::Drop { finding }),
        _ => Edit::Plan(PlanEdit::Drop { task: TaskId(9_999) }),
    };
    Command::Edit { checkpoint: open.id, edit }
}
