//! Are you sure? What cannot be taken back is asked twice.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::keymap::{Action, ESC, Keys, c, row};
use crate::link::Command;
use crate::measure::rows;
use crate::overlays::Overlay;
use crate::screens::team::steering;
use crate::screens::{Extent, Screen, findings};
use crate::theme::Scope;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene, boxes, paint};
use run::{AssignmentId, Run, Steer};

/// The question.
#[derive(Clone, Copy, Debug)]
pub struct Confirm(pub Doubt);

/// What is asked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Stop the run for good?
    Cancel,
    /// Approve with no finding left?
    ApproveNothing,
    /// End this assignment for good?
    CancelOne(AssignmentId),
    /// Give up what this assignment has done, and begin anew?
    RetryOne(AssignmentId),
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
    let Overlay::Confirm(Confirm(doubt)) = ui.overlay else { return None };
    if !matches!(action, Action::Yes | Action::No) {
        return None;
    }
    ui.overlay = Overlay::None;
    Some(match doubt {
        _ if action == Action::No => Vec::new(),
        Doubt::Cancel => vec![Effect::Send(Command::Cancel)],
        Doubt::ApproveNothing => findings::approve(run),
        Doubt::CancelOne(id) => vec![steering::send(ui, id, Steer::Cancel)],
        Doubt::RetryOne(id) => vec![steering::send(ui, id, Steer::Retry)],
    })
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    let Overlay::Confirm(Confirm(doubt)) = ui.overlay else { return false };
    match doubt {
        Doubt::Cancel => run.ended().is_some(),
        Doubt::ApproveNothing => !run.is_at_a_checkpoint(),
        Doubt::CancelOne(id) | Doubt::RetryOne(id) => {
            run.assignment(id).is_none_or(|assignment| assignment.ended.is_some())
        }
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Confirm(Confirm(doubt)) = ui.overlay else { return Seen::default() };
    let (title, told) = match doubt {
        Doubt::CancelOne(id) => (
            format!("end {} for good?", steering::name(run, id)),
            "What is under way for it is given up, and the run goes on without what it would have brought. The others work on.",
        ),
        Doubt::RetryOne(id) => (
            format!("try {} again from the beginning?", steering::name(run, id)),
            "What it has done so far is given up and stays paid. The others work on.",
        ),
        Doubt::Cancel => (
            "stop this run for good?".into(),
            "What it has found so far stays in the journal, but nobody goes on with it. To leave it for later, press n and then q.",
        ),
        Doubt::ApproveNothing => (
            "approve with no finding left?".into(),
            "The writer would have nothing to write from: the brief would only say that nothing was found.",
        ),
    };
    let lines = rows(told, usize::from(page.width).saturating_sub(12).min(72), theme.style(Scope::Text), &[]);
    let area = boxes::middle(page, u16::try_from(lines.len() + 2).unwrap_or(4));
    paint::clear(buf, area, theme.style(Scope::Text));
    let right = vec![Span::styled("y yes   n no", theme.style(Scope::Key))];
    let title = vec![Span::styled(title, theme.style(Scope::Title))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::NeedsYou));
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    Seen::default()
}
