//! Boxes over the page for words and for yes or no.
//!
//! ```text
//! ┌ add a fact of your own ────── sub-topic: Qdrant ┐
//! │ ▌                                               │
//! └─────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use ratatui::widgets::Widget;

use super::{Scene, answering, choosing, paint, raising};
use crate::field::Field;
use crate::measure::{flat, rows};
use crate::theme::{Scope, Theme};
use crate::ui::{Doubt, Overlay, Purpose};
use run::{AssignmentId, Run, TaskId};

pub fn render(buf: &mut Buffer, page: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    match &ui.overlay {
        Overlay::Writing { purpose, field: words } => {
            let (title, topic) = match purpose {
                Purpose::Edit(id) => ("the claim in other words", format!("finding {id}")),
                Purpose::Add(task) => ("add a fact of your own", topic(run, *task, "no sub-topic")),
                Purpose::AddTask => ("add a task: its title, a colon, what it asks", String::new()),
                Purpose::Question(id) => ("what is to be found out", called(run, *id)),
                Purpose::Title(id) => ("what it is called", called(run, *id)),
                Purpose::After(id) => ("after which tasks? their numbers, as in 1 3", called(run, *id)),
                Purpose::AnotherPlan => ("another plan: what do you wish of it?", String::new()),
                Purpose::Tell(id) => ("a message, read at its next turn", who(run, *id)),
                Purpose::More(task) => ("ask for more: what is missing?", topic(run, *task, "the whole question")),
            };
            let area = middle(page, 7);
            paint::clear(buf, area, theme.style(Scope::Text));
            let title = vec![Span::styled(title, theme.style(Scope::Title))];
            let right = vec![Span::styled(topic, theme.style(Scope::Focus))];
            let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
            field(buf, inner, words, true, theme);
        }
        Overlay::Raising { cap, field } => raising::render(buf, page, scene, *cap, field),
        Overlay::Answering { choice, words } => answering::render(buf, page, scene, *choice, words),
        Overlay::Choosing { assignment, choice } => choosing::render(buf, page, scene, *assignment, *choice),
        Overlay::Confirm(doubt) => {
            let (title, told) = match doubt {
                Doubt::CancelOne(id) => (
                    format!("end {} for good?", who(run, *id)),
                    "What is under way for it is given up, and the run goes on without what it would have brought. The others work on.",
                ),
                Doubt::RetryOne(id) => (
                    format!("try {} again from the beginning?", who(run, *id)),
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
            let area = middle(page, u16::try_from(lines.len() + 2).unwrap_or(4));
            paint::clear(buf, area, theme.style(Scope::Text));
            let right = vec![Span::styled("y yes   n no", theme.style(Scope::Key))];
            let title = vec![Span::styled(title, theme.style(Scope::Title))];
            let inner = paint::panel(buf, area, title, right, theme.style(Scope::NeedsYou));
            paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
        }
        _ => {}
    }
}

fn who(run: &Run, id: AssignmentId) -> String {
    run.assignment(id).map_or_else(String::new, |assignment| flat(&run.called(assignment)).into_owned())
}

/// Draws a text field; the cursor is a cell of its own.
pub fn field(buf: &mut Buffer, area: Rect, field: &Field, active: bool, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let mut widget = field.area().clone();
    widget.set_style(theme.style(Scope::Text));
    widget.set_cursor_line_style(theme.style(Scope::Text));
    let cursor = if active { theme.style(Scope::Text).reversed() } else { theme.style(Scope::Text) };
    widget.set_cursor_style(cursor);
    widget.set_placeholder_style(theme.style(Scope::Dim));
    widget.render(area, buf);
}

fn called(run: &Run, task: TaskId) -> String {
    let task = run.proposals.last().and_then(|proposal| proposal.plan.task(task));
    task.map(|task| flat(&task.title).into_owned()).unwrap_or_default()
}

fn topic(run: &Run, task: Option<TaskId>, none: &str) -> String {
    let title = task.and_then(|id| run.plan.as_ref()?.task(id)).map(|task| flat(&task.title).into_owned());
    format!("Tab: {}", title.unwrap_or_else(|| none.to_string()))
}

/// A box of this height in the middle of the page.
pub fn middle(page: Rect, height: u16) -> Rect {
    let width = page.width.saturating_sub(8).min(76).max(page.width.min(38));
    let height = height.min(page.height);
    Rect { x: page.x + (page.width - width) / 2, y: page.y + (page.height - height) / 2, width, height }
}
