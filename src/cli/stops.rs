//! Breakpoints from the command line: those that are set as a run begins or is resumed, and the answer where one stands.

use std::path::Path;

use super::args::{AtBreak, Others, Remarked};
use super::engine::Changes;
use super::exit::Failure;
use super::output::shown;
use run::checkpoint::question::{self, Wants};
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

/// The events by which a person changes the breakpoints of a run as they resume it, and answers where it stands at one.
///
/// # Errors
/// A breakpoint can never be met; there is nothing to answer; the payload cannot be sent.
pub fn changed(id: &RunId, run: &Run, changes: &Changes) -> Result<Vec<Event>, Failure> {
    let mut now = run.clone();
    let mut facts = Vec::new();
    let mut take = |now: &mut Run, command: Command, flag: &str| {
        let fact = command.fact(now, Approver::Person);
        let fact = fact.map_err(|why| Failure::Usage(format!("run {id}: {flag}{why}")))?;
        record(now, fact.clone());
        facts.push(fact);
        Ok::<(), Failure>(())
    };
    if changes.clear_breaks {
        for set in run.breakpoints.clone() {
            take(&mut now, Command::ClearBreak(set.no), "")?;
        }
    }
    for on in &changes.breaks {
        if now.breakpoints.iter().any(|set| set.on == *on) {
            continue;
        }
        take(&mut now, Command::Break(on.clone()), &format!("--break {on}: "))?;
    }
    if let Some(AtBreak::Failed(what)) = &changes.answer {
        let asks = |open: &&Checkpoint| open.question().is_some_and(|question| question.wants == Wants::AfterFailure);
        let Some(open) = run.waiting().find(asks) else {
            return Err(Failure::Usage(format!(
                "run {id} asks nothing about work that failed: there is nothing to answer"
            )));
        };
        let answer = Answer::Question(question::Answer::AfterFailure(*what));
        take(&mut now, Command::Answer { checkpoint: open.id, answer }, "--answer: ")?;
        return Ok(facts);
    }
    if !changes.remarks.is_empty() {
        let Some(open) = run.waiting().find(|open| open.review().is_some()) else {
            return Err(Failure::Usage(format!("run {id} does not stop for its draft: there is nothing to remark on")));
        };
        let checkpoint = open.id;
        for Remarked { of, what } in &changes.remarks {
            let edit = draft::Edit::Remark { of: of.map(|n| n - 1), what: Clean::line(what) };
            take(&mut now, Command::Edit { checkpoint, edit: Edit::Draft(edit) }, "--remark: ")?;
        }
        let answer = Answer::Draft(draft::Answer::Revise);
        take(&mut now, Command::Answer { checkpoint, answer }, "--remark: ")?;
        return Ok(facts);
    }
    // Where others go on, another checkpoint may wait beside it.
    let mut waiting = run.open_checkpoint().into_iter().chain(run.waiting());
    let stands = waiting.find_map(|open| Some((open.id, open.stop()?.clone())));
    let Some((checkpoint, stop)) = stands else {
        let answers = matches!(&changes.answer, Some(AtBreak::Drop | AtBreak::Refuse(_)));
        if changes.payload.is_some() || changes.others.is_some() || answers {
            return Err(Failure::Usage(format!("run {id} stands at no breakpoint: there is nothing to answer")));
        }
        return Ok(facts);
    };
    if let Some(path) = &changes.payload {
        take(&mut now, sends_instead(checkpoint, &stop, path)?, "--payload: ")?;
    }
    let go_on = changes.others.map(|others| others == Others::GoOn);
    if let Some(go_on) = go_on.filter(|go_on| *go_on != stop.others_go_on) {
        let edit = Edit::Stop(stop::Edit::Others { go_on });
        take(&mut now, Command::Edit { checkpoint, edit }, "--others: ")?;
    }
    let Some(answer) = changes.answer.as_ref().or(changes.goes_on.then_some(&AtBreak::Send)) else { return Ok(facts) };
    if *answer == AtBreak::Drop {
        for (of, _) in (0..).zip(stop.payloads()) {
            let edit = Edit::Stop(stop::Edit::Drop { of });
            take(&mut now, Command::Edit { checkpoint, edit }, "--answer drop: ")?;
        }
    }
    let answer = match answer {
        AtBreak::Send | AtBreak::Drop | AtBreak::Failed(_) => stop::Answer::Go { until: None },
        AtBreak::Refuse(why) => stop::Answer::Refuse { why: Clean::line(why) },
    };
    take(&mut now, Command::Answer { checkpoint, answer: Answer::Stop(answer) }, "--answer: ")?;
    Ok(facts)
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

/// Folds an event into a run that only sees what would follow.
fn record(run: &mut Run, event: Event) {
    run.apply(&Envelope { seq: run.seq.next(), at: At(run.at.0), event });
}
