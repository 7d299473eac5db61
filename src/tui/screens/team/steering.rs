//! The keys that steer the specialist in front: priority, pause, end, retry, reassignment, messages.

use crate::overlays::choosing::Choosing;
use crate::overlays::confirm::Confirm;
use crate::overlays::writing::{self, Purpose};
use crate::prelude::*;
use run::state::Ending;
use run::{Assignment, AssignmentId, Role, Steer};

fn steers(action: Action) -> bool {
    use Action::{CancelOne, Higher, Lower, PauseOne, Reassign, RetryOne, Tell};
    matches!(action, Higher | Lower | PauseOne | CancelOne | RetryOne | Reassign | Tell)
}

pub fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    if !steers(action) {
        return None;
    }
    let front = select::front(ui, run)?;
    let id = front.id;
    // It stays in front, whichever works next.
    ui.team.pane = Some(id);
    match action {
        Action::CancelOne => ui.overlay = Overlay::Confirm(Confirm::CancelOne(id)),
        // Its work would be given up, or done and paid once more: confirm first.
        Action::RetryOne => ui.overlay = Overlay::Confirm(Confirm::RetryOne(id)),
        Action::Tell => return Some(writing::open(ui, Purpose::Message(id), "", Lines::Many)),
        Action::Reassign => match run.could_do(id).len() {
            0 => ui.status = Some(no_other(run, front)),
            _ => ui.overlay = Overlay::Choosing(Choosing { assignment: id, choice: 0 }),
        },
        _ => return Some(meant(front, action).map(|act| send(ui, id, act)).into_iter().collect()),
    }
    Some(Vec::new())
}

/// The steering of a key that needs no further input.
fn meant(front: &Assignment, action: Action) -> Option<Steer> {
    Some(match action {
        Action::Higher => Steer::Prioritise(front.priority.raised()?),
        Action::Lower => Steer::Prioritise(front.priority.lowered()?),
        Action::PauseOne if front.paused => Steer::Continue,
        Action::PauseOne => Steer::Pause,
        Action::CancelOne => Steer::Cancel,
        Action::RetryOne => Steer::Retry,
        _ => return None,
    })
}

/// The command that steers; the successor of a replaced assignment will come to the front.
pub fn send(ui: &mut Ui, assignment: AssignmentId, act: Steer) -> Effect {
    if matches!(act, Steer::Retry | Steer::Reassign { .. }) {
        ui.team.awaits = Some(assignment);
    }
    Effect::Send(Command::Steer { assignment, act })
}

/// Brings the successor of a replaced assignment to the front.
pub fn follow(ui: &mut Ui, run: &Run) {
    let ending = |id| run.assignment(id).and_then(|assignment| assignment.ending.as_ref());
    if let Some(Ending::Replaced { with: Some(with), .. }) = ui.team.awaits.and_then(ending) {
        (ui.team.pane, ui.team.awaits) = (Some(*with), None);
    }
}

pub fn message(ui: &mut Ui, run: &Run, id: AssignmentId, words: &str) -> Result<Vec<Effect>, String> {
    attempt(ui, run, id, Steer::Tell { text: Clean::new(words.trim()) })
}

/// Steers an assignment, or says why that is not possible.
pub fn attempt(ui: &mut Ui, run: &Run, id: AssignmentId, act: Steer) -> Result<Vec<Effect>, String> {
    run.accepts(id, &act).map(|()| vec![send(ui, id, act)])
}

pub fn name(run: &Run, id: AssignmentId) -> String {
    run.assignment(id).map_or_else(String::new, |assignment| flat(&run.called(assignment)).into_owned())
}

fn no_other(run: &Run, front: &Assignment) -> Clean {
    Clean::line(&format!("no other specialist of the team can do the work of {}", run.called(front)))
}

/// The reason why the specialist in front cannot be steered so now.
pub fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    if !steers(action) {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let Some(front) = select::front(ui, run) else { return Some("no specialist works yet".into()) };
    let act = match action {
        Action::Tell => Steer::Tell { text: "?".into() },
        // The role is chosen next; whether there is any is checked here.
        Action::Reassign if run.could_do(front.id).is_empty() && front.parent().is_some() => {
            return Some(no_other(run, front));
        }
        Action::Reassign => Steer::Reassign { role: run.could_do(front.id).first().cloned().unwrap_or(Role::new("")) },
        Action::Higher if front.priority.raised().is_none() => Steer::Prioritise(front.priority),
        Action::Lower if front.priority.lowered().is_none() => Steer::Prioritise(front.priority),
        _ => meant(front, action)?,
    };
    run.accepts(front.id, &act).err().map(|why| Clean::line(&why))
}
