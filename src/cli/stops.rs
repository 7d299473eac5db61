//! Breakpoints and answers from the command line: breakpoints that are set as a run begins or is resumed, and the answer at the
//! point where it stands.

use std::path::Path;

use super::args::{AtStop, Others, Remarked};
use super::engine::Changes;
use super::exit::Failure;
use super::output::shown;
use run::checkpoint::question::{self, AfterFailure, Wants};
use run::checkpoint::stop::{self, Stop};
use run::checkpoint::{Answer, Approver, Edit};
use run::checkpoint::{Checkpoint, draft};
use run::event::Event;
use run::{At, CheckpointId, Command, Condition, Envelope, Payload, Run, RunId};
use text::Clean;

/// The events that set breakpoints in a new run, which begins with `first`.
///
/// # Errors
/// One of them can never be met, or was given twice.
pub fn set(first: &[Event], breaks: &[Condition]) -> Result<Vec<Event>, Failure> {
    let mut run = Run::default();
    first.iter().for_each(|event| record(&mut run, event.clone()));
    more(&run, breaks)
}

/// The events that set breakpoints in a run as it stands.
///
/// # Errors
/// One of them can never be met, is set already, or was given twice.
pub fn more(run: &Run, breaks: &[Condition]) -> Result<Vec<Event>, Failure> {
    let mut run = run.clone();
    let mut facts = Vec::new();
    for on in breaks {
        let fact = Command::Break(on.clone()).fact(&run, Approver::Person);
        let fact = fact.map_err(|why| Failure::Usage(format!("--break {on}: {why}")))?;
        record(&mut run, fact.clone());
        facts.push(fact);
    }
    Ok(facts)
}

/// The events by which a person changes the breakpoints of a run as they resume it, and answers at the point where it stands.
///
/// # Errors
/// A breakpoint can never be met; there is nothing to answer; the payload cannot be sent.
pub fn changed(id: &RunId, run: &Run, changes: &Changes) -> Result<Vec<Event>, Failure> {
    let mut taken = Taken { id, now: run.clone(), facts: Vec::new() };
    if changes.clear_breaks {
        for set in run.breakpoints.clone() {
            taken.take(Command::ClearBreak(set.no), "")?;
        }
    }
    for on in &changes.breaks {
        if taken.now.breakpoints.iter().any(|set| set.on == *on) {
            continue;
        }
        taken.take(Command::Break(on.clone()), &format!("--break {on}: "))?;
    }
    match &changes.answer {
        Some(AtStop::Approve) => approve(&mut taken)?,
        Some(AtStop::Failed(what)) => answer_about_failed_work(&mut taken, *what)?,
        _ if !changes.remarks.is_empty() => send_back(&mut taken, &changes.remarks)?,
        _ => answer_at_breakpoint(&mut taken, changes)?,
    }
    Ok(taken.facts)
}

/// A run to go on with, and the events of the person that were taken into it.
struct Taken<'a> {
    id: &'a RunId,
    now: Run,
    facts: Vec<Event>,
}

impl Taken<'_> {
    /// Takes a command; `flag` stands before the reason why it cannot be taken.
    fn take(&mut self, command: Command, flag: &str) -> Result<(), Failure> {
        let fact = command.fact(&self.now, Approver::Person);
        let fact = fact.map_err(|why| Failure::Usage(format!("run {}: {flag}{why}", self.id)))?;
        record(&mut self.now, fact.clone());
        self.facts.push(fact);
        Ok(())
    }

    /// The refusal if the run does not stand at the checkpoint that is answered.
    fn nothing(&self, why: &str) -> Failure {
        Failure::Usage(format!("run {} {why}", self.id))
    }
}

/// Approves the subject at which the run stands, and nothing after it.
fn approve(taken: &mut Taken<'_>) -> Result<(), Failure> {
    let Some(open) = taken.now.open_checkpoint() else {
        return Err(taken.nothing("waits for no answer: there is nothing to approve"));
    };
    if open.subject.is_for_a_person() {
        return Err(taken.nothing("stands at a breakpoint: --answer send, drop or refuse=MESSAGE answers it"));
    }
    let checkpoint = open.id;
    taken.take(Command::Approve { checkpoint }, "--answer approve: ")
}

fn answer_about_failed_work(taken: &mut Taken<'_>, what: AfterFailure) -> Result<(), Failure> {
    let asks = |open: &&Checkpoint| open.question().is_some_and(|question| question.wants == Wants::AfterFailure);
    let Some(checkpoint) = taken.now.waiting().find(asks).map(|open| open.id) else {
        return Err(taken.nothing("asks nothing about work that failed: there is nothing to answer"));
    };
    let answer = Answer::Question(question::Answer::AfterFailure(what));
    taken.take(Command::Answer { checkpoint, answer }, "--answer: ")
}

/// Sends the draft back to the writer with remarks.
fn send_back(taken: &mut Taken<'_>, remarks: &[Remarked]) -> Result<(), Failure> {
    let Some(checkpoint) = taken.now.waiting().find(|open| open.review().is_some()).map(|open| open.id) else {
        return Err(taken.nothing("does not stop for its draft now: there is nothing to remark on"));
    };
    for Remarked { of, what } in remarks {
        let edit = draft::Edit::Remark { of: of.map(|n| n - 1), what: Clean::line(what) };
        taken.take(Command::Edit { checkpoint, edit: Edit::Draft(edit) }, "--remark: ")?;
    }
    let answer = Answer::Draft(draft::Answer::Revise);
    taken.take(Command::Answer { checkpoint, answer }, "--remark: ")
}

fn answer_at_breakpoint(taken: &mut Taken<'_>, changes: &Changes) -> Result<(), Failure> {
    // If others go on, another checkpoint may wait beside it.
    let stands = {
        let mut waiting = taken.now.open_checkpoint().into_iter().chain(taken.now.waiting());
        waiting.find_map(|open| Some((open.id, open.stop()?.clone())))
    };
    let Some((checkpoint, stop)) = stands else {
        if changes.payload.is_some() || changes.others.is_some() || changes.answer.is_some() {
            return Err(taken.nothing("stands at no breakpoint: there is nothing to answer"));
        }
        return Ok(());
    };
    if let Some(path) = &changes.payload {
        taken.take(sends_instead(checkpoint, &stop, path)?, "--payload: ")?;
    }
    let go_on = changes.others.map(|others| others == Others::GoOn);
    if let Some(go_on) = go_on.filter(|go_on| *go_on != stop.others_go_on) {
        let edit = Edit::Stop(stop::Edit::Others { go_on });
        taken.take(Command::Edit { checkpoint, edit }, "--others: ")?;
    }
    let Some(answer) = changes.answer.as_ref().or(changes.goes_on.then_some(&AtStop::Send)) else { return Ok(()) };
    if *answer == AtStop::Drop {
        for (of, _) in (0..).zip(stop.payloads()) {
            let edit = Edit::Stop(stop::Edit::Drop { of });
            taken.take(Command::Edit { checkpoint, edit }, "--answer drop: ")?;
        }
    }
    let answer = match answer {
        AtStop::Refuse(why) => stop::Answer::Refuse { why: Clean::line(why) },
        AtStop::Send | AtStop::Drop | AtStop::Approve | AtStop::Failed(_) => stop::Answer::Go { until: None },
    };
    taken.take(Command::Answer { checkpoint, answer: Answer::Stop(answer) }, "--answer: ")
}

fn sends_instead(checkpoint: CheckpointId, stop: &Stop, path: &Path) -> Result<Command, Failure> {
    let met: Vec<u32> = (0..).zip(stop.payloads()).filter(|(_, one)| one.is_met).map(|(of, _)| of).collect();
    let [of] = met[..] else {
        return Err(Failure::Usage(format!(
            "--payload: {} payloads stand at this breakpoint; without it, `resume` opens them on the screens",
            met.len()
        )));
    };
    let unreadable = |why: String| Failure::Usage(format!("the payload in {} cannot be read: {why}", shown(path)));
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let json = text::utf8(bytes).map_err(unreadable)?;
    let payload = Payload::read(&json).map_err(|error| unreadable(error.to_string()))?;
    Ok(Command::Edit { checkpoint, edit: Edit::Stop(stop::Edit::Payload { of, payload: Box::new(payload) }) })
}

/// Folds an event into a run that only shows the consequences.
fn record(run: &mut Run, event: Event) {
    run.apply(&Envelope { seq: run.seq.next(), at: At(run.at.0), event });
}
