//! The status of a run, for a query: assignments at work, queued and waiting, with the reason, and the spending against each cap.
//!
//! Read from the state alone; it changes nothing and decides nothing.

use std::collections::BTreeSet;

use serde::Serialize;

use super::alarm;
use super::budget::Cap;
use super::id::{AssignmentId, At, Role};
use super::state::{Assignment, Run};
use super::transcript::{CallEnd, Did, ExchangeEnd};
use text::{Clean, count};

/// The status of an assignment that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// It waits for the person.
    NeedsYou,
    /// It, or a call of its own, is under way.
    AtWork,
    /// It could go on: others go first, or a limit of its provider does.
    Queued,
    /// It waits for the work of others, for room in the budget, or for a moment.
    Waiting,
    /// The person has paused it.
    Paused,
    /// It has not ended, and no process works on the run.
    Stopped,
}

impl Stand {
    /// Its status in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Stand::NeedsYou => "needs you",
            Stand::AtWork => "at work",
            Stand::Queued => "queued",
            Stand::Waiting => "waiting",
            Stand::Paused => "paused",
            Stand::Stopped => "stopped",
        }
    }
}

/// An assignment that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Its id, the path of delegation.
    pub id: String,
    /// Its role in the team.
    pub role: Role,
    /// The title of its handoff.
    pub title: Clean,
    /// Its model; not there for one that works by rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its state.
    pub state: Stand,
    /// Its present work, or the reason why it waits.
    pub what: Clean,
    /// Since something last happened to it, in seconds.
    pub for_seconds: u64,
}

/// A task of the plan that was not handed out yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToCome {
    /// Its title in the plan.
    pub title: Clean,
    /// The titles of the tasks that it comes after, of those that have not ended.
    pub after: Vec<Clean>,
}

/// The use of a cap, or of a kind without one: in pico-dollars, tokens, calls, milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The kind of amount; it sets the unit.
    pub kind: Cap,
    /// By calls that have ended.
    pub spent: u64,
    /// For calls under way.
    pub reserved: u64,
    /// For calls whose end is not known.
    pub in_doubt: u64,
    /// The most that may be used; not there for a kind without a cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<u64>,
}

/// The status of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Its phase in a word.
    pub phase: &'static str,
    /// The reason to call the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm: Option<String>,
    /// Assignments that have not ended: those that need the person first, then those at work.
    pub open: Vec<Member>,
    /// The number of assignments that have ended.
    pub ended: usize,
    /// Tasks of the plan that were not handed out yet, in its order.
    pub to_come: Vec<ToCome>,
    /// The amounts used of each cap, and of kinds without one.
    pub taken: Vec<Taken>,
    /// The work that fallbacks did in place of models, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// The costs that are estimates, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<String>,
}

impl Status {
    /// The status of a run at a moment. `active`: whether a process works on it.
    pub fn of(run: &Run, now: At, active: bool) -> Status {
        let mut open: Vec<Member> = match run.ended() {
            Some(_) => Vec::new(),
            None => run.open().map(|one| member(run, one, now, active)).collect(),
        };
        open.sort_by_key(|member| member.state);
        let account = run.ledger.run();
        // The row of an imported run says how much of its money is known: a sum alone would not.
        let kinds = Cap::ALL.into_iter().filter(|kind| !(*kind == Cap::Money && run.is_imported()));
        let taken = kinds.map(|kind| Taken {
            kind,
            spent: if kind == Cap::Time {
                run.worked(if active { now } else { run.at })
            } else {
                account.spent.get(kind)
            },
            reserved: if kind == Cap::Time { 0 } else { account.reserved.get(kind) },
            in_doubt: account.in_doubt.get(kind),
            cap: account.limits.cap(kind),
        });
        let taken = taken.filter(|taken| taken.spent + taken.reserved + taken.in_doubt > 0 || taken.cap.is_some());
        Status {
            phase: run.phase().word(),
            alarm: alarm::of(run),
            open,
            ended: run.assignments().filter(|one| one.ended.is_some()).count(),
            to_come: to_come(run),
            taken: taken.collect(),
            fallbacks: run.takeovers().iter().map(ToString::to_string).collect(),
            estimates: run.estimated().iter().map(ToString::to_string).collect(),
        }
    }
}

fn to_come(run: &Run) -> Vec<ToCome> {
    let Some(plan) = run.plan.as_ref().filter(|_| run.ended().is_none()) else { return Vec::new() };
    let given: BTreeSet<_> = run.assignments().filter_map(|one| one.task).collect();
    let is_open = |task| run.given(task).next_back().is_none_or(|one| one.ended.is_none());
    let tasks = plan.tasks.iter().filter(|task| !given.contains(&task.id));
    let after = |ids: &[_]| {
        ids.iter().filter(|id| is_open(**id)).filter_map(|id| plan.task(*id)).map(|task| task.title.clone()).collect()
    };
    tasks.map(|task| ToCome { title: task.title.clone(), after: after(&task.after) }).collect()
}

fn member(run: &Run, one: &Assignment, now: At, active: bool) -> Member {
    let (state, what) = stand(run, one, now);
    // A call that was under way when its process ended is not at work.
    let state = match state {
        Stand::AtWork | Stand::Queued if !active => Stand::Stopped,
        state => state,
    };
    Member {
        id: one.id.to_string(),
        role: one.role.clone(),
        title: Clean::line(one.title()),
        model: run.model_of(one).map(|model| model.id.to_string()),
        state,
        what: Clean::line(&what),
        for_seconds: now.since(one.touched_at) / 1_000,
    }
}

fn stand(run: &Run, one: &Assignment, now: At) -> (Stand, String) {
    if run.paused || one.paused {
        return (Stand::Paused, if run.paused { "the run is paused" } else { "you have paused it" }.into());
    }
    let asked = |id| run.checkpoint(id).map_or_else(String::new, |checkpoint| checkpoint.subject.asked());
    if let Some(stop) = one.stopped {
        return (Stand::NeedsYou, asked(stop));
    }
    match one.transcript.turns.last().filter(|turn| turn.pending()).map(|turn| &turn.did) {
        Some(Did::Checkpoint(pause)) => (Stand::NeedsYou, asked(pause.checkpoint)),
        Some(Did::HandOffs(sent)) => {
            let out = sent.iter().filter(|sent| sent.report.is_none()).map(|sent| sent.to);
            (Stand::Waiting, format!("for {}", named(run, &out.collect::<Vec<_>>())))
        }
        Some(Did::Tools(calls)) => {
            let is = |end: fn(&CallEnd) -> bool| calls.iter().find(|call| end(&call.end));
            if let Some(call) = is(|end| matches!(end, CallEnd::InDoubt)) {
                return (Stand::NeedsYou, format!("a tool call is in doubt: {}", run.shown_by(one, &call.request)));
            }
            match is(|end| matches!(end, CallEnd::Pending)) {
                Some(call) => (Stand::AtWork, run.shown_by(one, &call.request)),
                None => (Stand::Waiting, "for room in the budget".into()),
            }
        }
        Some(Did::Asked(exchange)) => {
            let model = &exchange.request.model;
            if let ExchangeEnd::InDoubt = exchange.end {
                return (Stand::NeedsYou, format!("a call to {model} is in doubt"));
            }
            if let ExchangeEnd::Queued = exchange.end {
                return (Stand::Waiting, "for room in the budget".into());
            }
            let Some(attempt) = exchange.attempts.last() else {
                return (Stand::Queued, format!("to ask {model}"));
            };
            let again = if attempt.n > 1 { format!(", attempt {}", attempt.n) } else { String::new() };
            match (&attempt.fault, attempt.sent_at) {
                _ if run.latch_on(model).is_some() && (attempt.sent_at.is_none() || attempt.fault.is_some()) => {
                    (Stand::NeedsYou, format!("{} refuses every call", model.provider))
                }
                (Some(fault), _) => (Stand::Queued, format!("to ask {model} again: {fault}")),
                (None, Some(_)) => (Stand::AtWork, format!("asks {model}{again}")),
                (None, None) if attempt.not_before > now => {
                    let seconds = attempt.not_before.since(now).div_ceil(1_000);
                    (Stand::Waiting, format!("to ask {model} in {seconds} s{again}"))
                }
                (None, None) => (Stand::Queued, format!("to ask {model}{again}")),
            }
        }
        _ if run.is_stopped() => (Stand::Waiting, "the run stands at a breakpoint".into()),
        _ => match one.not_before.filter(|at| *at > now) {
            Some(at) => (Stand::Waiting, format!("begins in {} s", at.since(now).div_ceil(1_000))),
            None if run.waits_for_room(one, now) => (Stand::Waiting, "for room in the budget".into()),
            None if run.waits_for_its_turn(one) => (Stand::Queued, "others go first".into()),
            None => (Stand::AtWork, "takes its next step".into()),
        },
    }
}

/// Assignments by role and subject, those of one role together: "3 researchers: pgvector, Qdrant, Pinecone".
fn named(run: &Run, ids: &[AssignmentId]) -> String {
    let mut roles: Vec<(&Role, Vec<&str>)> = Vec::new();
    for one in ids.iter().filter_map(|id| run.assignment(*id)) {
        let at = roles.iter().position(|(role, _)| **role == one.role).unwrap_or_else(|| {
            roles.push((&one.role, Vec::new()));
            roles.len() - 1
        });
        roles[at].1.push(one.subject().unwrap_or_default());
    }
    let words = roles.into_iter().map(|(role, subjects)| {
        let who = if subjects.len() > 1 { count(subjects.len(), role.as_str()) } else { role.to_string() };
        let subjects: Vec<&str> = subjects.into_iter().filter(|subject| !subject.is_empty()).collect();
        if subjects.is_empty() { who } else { format!("{who}: {}", subjects.join(", ")) }
    });
    words.collect::<Vec<_>>().join("; ")
}
