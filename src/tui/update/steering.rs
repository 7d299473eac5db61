//! Steering the specialist in front: who goes first, who waits, who is ended or tried again, and a word to one of them.

use super::{Action, Effect, may_not_change};
use crate::field::{Field, Lines};
use crate::select;
use crate::stage::Command;
use crate::ui::{Doubt, Overlay, Purpose, Ui};
use run::state::Ending;
use run::{Assignment, AssignmentId, Role, Run, Steer};
use text::Clean;

pub(super) fn act(ui: &mut Ui, run: &Run, action: Action) -> Vec<Effect> {
    let Some(front) = select::front(ui, run) else { return Vec::new() };
    let id = front.id;
    // Whoever is steered stays in front, whoever works next.
    ui.team.pane = Some(id);
    match action {
        Action::CancelOne => ui.overlay = Overlay::Confirm(Doubt::CancelOne(id)),
        // What it has done is given up: that is asked first.
        Action::RetryOne if front.ended.is_none() => ui.overlay = Overlay::Confirm(Doubt::RetryOne(id)),
        Action::Tell => {
            let field = Field::new("", Lines::Many);
            ui.overlay = Overlay::Writing { purpose: Purpose::Tell(id), field };
        }
        Action::Reassign => match run.could_do(id).len() {
            0 => ui.status = Some(nobody_else(run, front)),
            _ => ui.overlay = Overlay::Choosing { assignment: id, choice: 0 },
        },
        _ => return meant(front, action).map(|act| send(ui, id, act)).into_iter().collect(),
    }
    Vec::new()
}

/// What a key does that needs no further word.
fn meant(front: &Assignment, action: Action) -> Option<Steer> {
    Some(match action {
        Action::Higher => Steer::Prioritise(front.priority.raised()?),
        Action::Lower => Steer::Prioritise(front.priority.lowered()?),
        Action::HoldOne if front.held => Steer::Release,
        Action::HoldOne => Steer::Hold,
        Action::CancelOne => Steer::Cancel,
        Action::RetryOne => Steer::Retry,
        _ => return None,
    })
}

fn send(ui: &mut Ui, assignment: AssignmentId, act: Steer) -> Effect {
    if matches!(act, Steer::Retry | Steer::Reassign { .. }) {
        ui.team.awaits = Some(assignment);
    }
    Effect::Send(Command::Steer { assignment, act })
}

/// Whoever took the place of the one in front, because the person wanted that, is in front now.
pub(super) fn follow(ui: &mut Ui, run: &Run) {
    let ending = |id| run.assignment(id).and_then(|assignment| assignment.ending.as_ref());
    if let Some(Ending::Replaced { with: Some(with), .. }) = ui.team.awaits.and_then(ending) {
        (ui.team.pane, ui.team.awaits) = (Some(*with), None);
    }
}

/// The answer to whether somebody is really to be ended or tried again was yes.
pub(super) fn confirmed(ui: &mut Ui, doubt: Doubt) -> Vec<Effect> {
    match doubt {
        Doubt::CancelOne(id) => vec![send(ui, id, Steer::Cancel)],
        Doubt::RetryOne(id) => vec![send(ui, id, Steer::Retry)],
        Doubt::Cancel | Doubt::ApproveNothing => Vec::new(),
    }
}

/// Sends what was written; what cannot be sent is said, and stays to be put right.
pub(super) fn tell(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let Overlay::Writing { purpose: Purpose::Tell(id), field } = &ui.overlay else { return Vec::new() };
    let act = Steer::Tell { text: Clean::new(field.text().trim()) };
    attempt(ui, run, *id, act)
}

/// The next of those who could do the work, `by` rows on, stopping at both ends.
pub(super) fn next(ui: &mut Ui, run: &Run, by: isize) {
    let Overlay::Choosing { assignment, choice } = &mut ui.overlay else { return };
    let last = run.could_do(*assignment).len().saturating_sub(1);
    *choice = choice.saturating_add_signed(by).min(last);
}

/// Gives the work to the one chosen.
pub(super) fn choose(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let Overlay::Choosing { assignment, choice } = ui.overlay else { return Vec::new() };
    match run.could_do(assignment).get(choice) {
        Some(role) => attempt(ui, run, assignment, Steer::Reassign { role: role.clone() }),
        None => Vec::new(),
    }
}

fn attempt(ui: &mut Ui, run: &Run, id: AssignmentId, act: Steer) -> Vec<Effect> {
    match run.accepts(id, &act) {
        Ok(()) => {
            ui.overlay = Overlay::None;
            vec![send(ui, id, act)]
        }
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    }
}

fn nobody_else(run: &Run, front: &Assignment) -> Clean {
    Clean::line(&format!("nobody else in the team can do the work of {}", run.called(front)))
}

/// Why the specialist in front cannot be steered so now, for the person.
pub(super) fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    if let Some(why) = may_not_change(ui, run) {
        return Some(why);
    }
    let Some(front) = select::front(ui, run) else { return Some("nobody works yet".into()) };
    let act = match action {
        Action::Tell => Steer::Tell { text: "?".into() },
        // To whom is asked next; whether it can be given away at all is the same as whether it can be tried again.
        Action::Reassign if run.could_do(front.id).is_empty() && front.parent.is_some() => {
            return Some(nobody_else(run, front));
        }
        Action::Reassign => Steer::Reassign { role: run.could_do(front.id).first().cloned().unwrap_or(Role::new("")) },
        Action::Higher if front.priority.raised().is_none() => Steer::Prioritise(front.priority),
        Action::Lower if front.priority.lowered().is_none() => Steer::Prioritise(front.priority),
        _ => meant(front, action)?,
    };
    run.accepts(front.id, &act).err().map(|why| Clean::line(&why))
}
