//! The dialog that confirms an action that cannot be undone.

use crate::prelude::*;
use crate::screens::team::steering;
use crate::screens::{findings, stop};
use crate::view::boxes;
use run::{AssignmentId, Steer};

#[derive(Clone, Copy, Debug)]
pub enum Confirm {
    Cancel,
    ApproveNothing,
    CancelOne(AssignmentId),
    /// Give up the work of this assignment and start it again.
    RetryOne(AssignmentId),
    /// Refuse a handoff that rules send: they end with their findings so far.
    RefuseForGood,
    /// Go on without a handoff that rules would send, by this action: they end with their findings so far.
    GoWithout(Action),
}

pub static KEYS: Keys = Keys {
    title: "at a question",
    groups: &[&[
        row(&[c('y')], Action::Yes, Some("yes"), "yes"),
        row(&[c('n'), ESC, c('q')], Action::No, Some("no"), "no"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Confirm(asked) = ui.overlay else { return None };
    if !matches!(action, Action::Yes | Action::No) {
        return None;
    }
    ui.overlay = Overlay::None;
    Some(match asked {
        _ if action == Action::No => Vec::new(),
        Confirm::Cancel => vec![Effect::Send(Command::Cancel)],
        Confirm::ApproveNothing => findings::approve(run),
        Confirm::CancelOne(id) => vec![steering::send(ui, id, Steer::Cancel)],
        Confirm::RetryOne(id) => vec![steering::send(ui, id, Steer::Retry)],
        Confirm::RefuseForGood => stop::refuse(ui),
        Confirm::GoWithout(action) => stop::go_on(run, action),
    })
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    let Overlay::Confirm(asked) = ui.overlay else { return false };
    match asked {
        Confirm::Cancel => run.ended().is_some(),
        Confirm::ApproveNothing => !run.is_at_a_checkpoint(),
        Confirm::CancelOne(id) => run.assignment(id).is_none_or(|assignment| assignment.ended.is_some()),
        Confirm::RetryOne(id) => run.accepts(id, &Steer::Retry).is_err(),
        Confirm::RefuseForGood | Confirm::GoWithout(_) => {
            select::stop_page(run).is_none_or(|(checkpoint, _)| checkpoint.answer.is_some())
        }
    }
}

/// The course of the run without the work of an assignment.
fn without(run: &Run, id: AssignmentId) -> &'static str {
    let team = run.opening.as_ref().map(|opening| &opening.team);
    // A model that leads judges for itself how to go on.
    let leader = run
        .assignment(id)
        .and_then(|one| run.assignment(one.parent()?))
        .filter(|leader| run.model_of(leader).is_none());
    let is_writer = run.assignment(id).zip(team).is_some_and(|(one, team)| {
        one.role.as_str() == team.order.writes() && team.by_rule(&one.role).is_some() && leader.is_some()
    });
    let others = run.open().any(|one| one.id != id && one.parent().is_some());
    match (is_writer, others) {
        (true, _) => {
            "What is under way for it is given up. The brief is its last draft that was checked; if there is none, rules write it from the approved findings."
        }
        (false, true) => {
            "What is under way for it is given up, and the run goes on without what it would have brought. The others work on."
        }
        (false, false) => {
            "What is under way for it is given up, and the run goes on without what it would have brought. Nobody else is at work now."
        }
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Confirm(asked) = ui.overlay else { return Seen::default() };
    let (title, message) = match asked {
        Confirm::CancelOne(id) => (format!("end {} for good?", steering::name(run, id)), without(run, id)),
        Confirm::RetryOne(id) if run.assignment(id).is_some_and(|assignment| assignment.ended.is_some()) => (
            format!("do the work of {} once more?", steering::name(run, id)),
            "It has ended. What it brought is set aside, it stays paid, and doing it again may cost as much once more.",
        ),
        Confirm::RetryOne(id) => (
            format!("try {} again from the beginning?", steering::name(run, id)),
            "What it has done so far is given up and stays paid. The others work on.",
        ),
        Confirm::Cancel => (
            "stop this run for good?".into(),
            "What it has found so far stays in the journal, but the run cannot be resumed. To leave it for later, press n and then q.",
        ),
        Confirm::RefuseForGood => (
            "refuse this handoff, and end with what there is?".into(),
            "Rules lead here, and have no other way to go on: nothing is sent back to be revised. A draft that no gate has checked is left out. e changes what stands, d drops it.",
        ),
        Confirm::GoWithout(_) => (
            "go on without it, and end with what there is?".into(),
            "Rules lead here, and have no other way to go on without what you dropped. A draft that no gate has checked is left out. d takes it back in.",
        ),
        Confirm::ApproveNothing => (
            "approve with no finding left?".into(),
            "The writer would have nothing to write from: the brief would only say that nothing was found.",
        ),
    };
    let lines = rows(message, usize::from(page.width).saturating_sub(12).min(72), theme.style(Scope::Text), &[]);
    let title = theme.span(title, Scope::Title);
    let right = theme.span("y yes   n no", Scope::Key);
    let inner = boxes::dialog(buf, page, lines.len() + 2, boxes::Frame::new(title, right, Scope::NeedsYou), theme);
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    Seen::default()
}
