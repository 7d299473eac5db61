//! The cause that delays the answer to a model call: the limits of its provider, or a failed attempt that is made again later.
//!
//! Read from the notices of the call and from its recorded attempts; never from the length of a silence.

use crate::prelude::*;
use run::transcript::{Did, Exchange, ExchangeEnd};
use run::{Assignment, At};

/// A wait for a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    pub provider: Clean,
    /// In a few words: `429`, `rate limit of anthropic`.
    pub why: Clean,
    /// Whether an attempt failed; if none did, the reason names the provider itself.
    pub failed: bool,
    /// None if unknown.
    pub until: Option<At>,
    /// Since when, where it is not known until when.
    pub since: Option<At>,
}

impl Stall {
    /// The remaining time as `, again in 0:12`; where it is unknown, the time so far as `, for 0:12`.
    pub fn left(&self, now: At) -> String {
        how_long(self.until, self.since, now)
    }

    /// The same in few words: `waits 0:12`, or `waits for 0:12`.
    pub fn in_short(&self, now: At) -> String {
        in_short("waits", self.until, self.since, now)
    }

    /// `waits for anthropic: 429, again in 0:12`, or `waits: earlier requests to anthropic, for 0:12`.
    pub fn in_words(&self, now: At) -> String {
        format!("{}{}", self.cause(), self.left(now))
    }

    /// The same without the time.
    pub fn cause(&self) -> String {
        match self.failed {
            true => format!("waits for {}: {}", flat(&self.provider), flat(&self.why)),
            false => format!("waits: {}", flat(&self.why)),
        }
    }
}

/// The remaining time as `, again in 0:12`; empty if unknown or over.
pub fn left(until: Option<At>, now: At) -> String {
    seconds_left(until, now).map_or_else(String::new, |seconds| format!(", again in {}", minutes(seconds)))
}

/// The remaining time, or else the time so far.
fn how_long(until: Option<At>, since: Option<At>, now: At) -> String {
    let so_far = seconds_so_far(until, since, now);
    so_far.map_or_else(|| left(until, now), |seconds| format!(", for {}", minutes(seconds)))
}

/// The same behind a verb.
fn in_short(waits: &str, until: Option<At>, since: Option<At>, now: At) -> String {
    match (seconds_left(until, now), seconds_so_far(until, since, now)) {
        (Some(left), _) => format!("{waits} {}", minutes(left)),
        (None, Some(so_far)) => format!("{waits} for {}", minutes(so_far)),
        (None, None) => waits.to_owned(),
    }
}

fn seconds_left(until: Option<At>, now: At) -> Option<u64> {
    until.map(|until| until.since(now).div_ceil(1_000)).filter(|seconds| *seconds > 0)
}

/// The seconds waited so far, if the end of the wait is not known.
fn seconds_so_far(until: Option<At>, since: Option<At>, now: At) -> Option<u64> {
    since.filter(|_| until.is_none()).map(|since| now.since(since) / 1_000).filter(|seconds| *seconds > 0)
}

/// `0:12`.
fn minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The wait of an assignment's open model call, if a desk works on the run shown.
pub fn of(ui: &Ui, run: &Run, assignment: &Assignment) -> Option<Stall> {
    if !ui.is_at_work() || assignment.ended.is_some() || run.paused || assignment.paused {
        return None;
    }
    let Did::Asked(exchange) = &assignment.transcript.turns.last()?.did else { return None };
    if !matches!(exchange.end, ExchangeEnd::Pending) {
        return None;
    }
    // Most wait for nothing, and every frame asks all of them.
    let provider = || exchange.request.model.provider.clone();
    if let Some((why, until)) = recorded(exchange, ui.now) {
        return Some(Stall { provider: provider(), why, failed: true, until, since: None });
    }
    let wait = ui.live.of(exchange.call)?.waits.as_ref()?;
    let (why, until, since) = (wait.why.clone(), wait.until, Some(wait.since));
    Some(Stall { provider: provider(), why, failed: false, until, since })
}

/// The wait for another attempt after one that failed.
fn recorded(exchange: &Exchange, now: At) -> Option<(Clean, Option<At>)> {
    let last = exchange.attempts.last()?;
    if let Some(fault) = &last.fault {
        return Some((fault.in_short(), None));
    }
    let before = exchange.attempts.iter().rev().find_map(|attempt| attempt.fault.as_ref())?;
    let waits = last.sent_at.is_none() && last.not_before > now;
    waits.then(|| (before.in_short(), Some(last.not_before)))
}

/// Everything that waits for a provider: how many calls, which provider, and until when the first of them goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalls {
    pub count: usize,
    pub provider: Clean,
    pub until: Option<At>,
    /// Since when the first of them waits, of those of which it is not known until when.
    pub since: Option<At>,
    /// Whether nobody else is at work.
    pub is_all: bool,
}

impl Stalls {
    /// `3 wait for anthropic, again in 0:04`.
    pub fn in_words(&self, now: At) -> String {
        format!("{} {} for {}{}", self.count, self.wait(), flat(&self.provider), how_long(self.until, self.since, now))
    }

    /// The same in few words: `3 wait 0:04`.
    pub fn in_short(&self, now: At) -> String {
        in_short(&format!("{} {}", self.count, self.wait()), self.until, self.since, now)
    }

    fn wait(&self) -> &'static str {
        if self.count == 1 { "waits" } else { "wait" }
    }
}

/// All waits of a run for its providers; None without one.
pub fn all(ui: &Ui, run: &Run) -> Option<Stalls> {
    let mut all: Option<Stalls> = None;
    let mut at_work = false;
    for assignment in run.open() {
        match of(ui, run, assignment) {
            Some(stall) => {
                let known = all.get_or_insert_with(|| Stalls {
                    count: 0,
                    provider: stall.provider.clone(),
                    until: stall.until,
                    since: stall.since,
                    is_all: true,
                });
                known.count += 1;
                known.since = [known.since, stall.since].into_iter().flatten().min();
                known.until = [known.until, stall.until].into_iter().flatten().min();
                if known.provider != stall.provider {
                    known.provider = "their providers".into();
                }
            }
            // Assignments that wait for others are at work only through them.
            None => at_work |= is_busy(run, assignment),
        }
    }
    all.map(|all| Stalls { is_all: !at_work, ..all })
}

/// Whether something of its own is out for it.
fn is_busy(run: &Run, assignment: &Assignment) -> bool {
    let waits_for_others = matches!(
        assignment.transcript.turns.last().map(|turn| &turn.did),
        Some(Did::HandOffs(sent)) if sent.iter().any(|sent| sent.report.is_none())
    );
    crate::mark::of(assignment, run) == Mark::Running && !waits_for_others && !assignment.transcript.turns.is_empty()
}
