//! Steering the specialist in front: which goes first, which is paused, ended or tried again, and messages to them.

use crate::field::Lines;
use crate::keymap::Action;
use crate::link::Command;
use crate::measure::flat;
use crate::overlays::Overlay;
use crate::overlays::choosing::Choosing;
use crate::overlays::confirm::{Confirm, Doubt};
use crate::overlays::writing::{self, Purpose};
use crate::select;
use crate::ui::Ui;
use crate::update::Effect;
use run::state::Ending;
use run::{Assignment, AssignmentId, Role, Run, Steer};
use text::Clean;

/// Whether a key steers the specialist in front.
fn steers(action: Action) -> bool {
    use Action::{CancelOne, Higher, Lower, PauseOne, Reassign, RetryOne, Tell};
    matches!(action, Higher | Lower | PauseOne | CancelOne | RetryOne | Reassign | Tell)
}

/// Does what a key means that steers.
pub fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    if !steers(action) {
        return None;
    }
    let front = select::front(ui, run)?;
    let id = front.id;
    // The one that is steered stays in front, whichever works next.
    ui.team.pane = Some(id);
    match action {
        Action::CancelOne => ui.overlay = Overlay::Confirm(Confirm(Doubt::CancelOne(id))),
        // What it has done is given up: that is asked first.
        Action::RetryOne if front.ended.is_none() => ui.overlay = Overlay::Confirm(Confirm(Doubt::RetryOne(id))),
        Action::Tell => return Some(writing::open(ui, Purpose::Message(id), "", Lines::Many)),
        Action::Reassign => match run.could_do(id).len() {
            0 => ui.status = Some(no_other(run, front)),
            _ => ui.overlay = Overlay::Choosing(Choosing { assignment: id, choice: 0 }),
        },
        _ => return Some(meant(front, action).map(|act| send(ui, id, act)).into_iter().collect()),
    }
    Some(Vec::new())
}

/// What a key does that needs no further word.
fn meant(front: &Assignment, action: Action) -> Option<Steer> {
    Some(match action {
        Action::Higher => Steer::Prioritise(front.priority.raised()?),
        Action::Lower => Steer::Prioritise(front.priority.lowered()?),
        Action::PauseOne if front.held => Steer::Release,
        Action::PauseOne => Steer::Hold,
        Action::CancelOne => Steer::Cancel,
        Action::RetryOne => Steer::Retry,
        _ => return None,
    })
}

/// The command that steers; one that replaces the assignment brings the new one to the front when it is there.
pub fn send(ui: &mut Ui, assignment: AssignmentId, act: Steer) -> Effect {
    if matches!(act, Steer::Retry | Steer::Reassign { .. }) {
        ui.team.awaits = Some(assignment);
    }
    Effect::Send(Command::Steer { assignment, act })
}

/// The assignment that took the place of the one in front, because the person wanted that, is in front now.
pub fn follow(ui: &mut Ui, run: &Run) {
    let ending = |id| run.assignment(id).and_then(|assignment| assignment.ending.as_ref());
    if let Some(Ending::Replaced { with: Some(with), .. }) = ui.team.awaits.and_then(ending) {
        (ui.team.pane, ui.team.awaits) = (Some(*with), None);
    }
}

/// Sends a message that was written.
pub fn message(ui: &mut Ui, run: &Run, id: AssignmentId, words: &str) -> Result<Vec<Effect>, String> {
    attempt(ui, run, id, Steer::Tell { text: Clean::new(words.trim()) })
}

/// Steers an assignment, or says why it cannot be steered so.
pub fn attempt(ui: &mut Ui, run: &Run, id: AssignmentId, act: Steer) -> Result<Vec<Effect>, String> {
    run.accepts(id, &act).map(|()| vec![send(ui, id, act)])
}

/// What an assignment is called on the screen.
pub fn name(run: &Run, id: AssignmentId) -> String {
    run.assignment(id).map_or_else(String::new, |assignment| flat(&run.called(assignment)).into_owned())
}

fn no_other(run: &Run, front: &Assignment) -> Clean {
    Clean::line(&format!("nobody else in the team can do the work of {}", run.called(front)))
}

/// Why the specialist in front cannot be steered so now, for the person.
pub fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    if !steers(action) {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let Some(front) = select::front(ui, run) else { return Some("nobody works yet".into()) };
    let act = match action {
        Action::Tell => Steer::Tell { text: "?".into() },
        // To whom is asked next; whether it can be given away at all is the same as whether it can be tried again.
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
