//! A box in which words are written: for a finding, for a task of the plan, to a specialist at work.
//!
//! ```text
//! ┌ add a fact of your own ────── sub-topic: Qdrant ┐
//! │ ▌                                               │
//! └─────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::field::{Field, Lines};
use crate::keymap::{Action, ENTER, ESC, Keys, TAB, row};
use crate::overlays::Overlay;
use crate::screens::team::steering;
use crate::screens::{Extent, Screen, findings, plan};
use crate::theme::Scope;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene, boxes, paint};
use run::{AssignmentId, Run};
use text::Clean;

/// Words being written.
#[derive(Clone, Debug)]
pub struct Writing {
    /// What for.
    pub purpose: Purpose,
    /// What was written so far.
    pub field: Field,
}

/// What words are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Something about the findings.
    Findings(findings::Wording),
    /// Something about the plan.
    Plan(plan::Wording),
    /// A message to a specialist at work.
    Message(AssignmentId),
}

pub static KEYS: Keys = Keys {
    title: "while writing",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("done"), "done"),
        row(&[TAB], Action::NextTopic, Some("sub-topic"), "choose the sub-topic"),
        row(&[ESC], Action::Back, Some("never mind"), "leave it as it was"),
    ]],
};

pub static SCREEN: Screen =
    Screen { keys: &KEYS, extent: Extent::Box, on, hints_at, draw, field, is_stale, ..Screen::PLAIN };

/// Opens the box with these words in it.
pub fn open(ui: &mut Ui, purpose: Purpose, words: &str, lines: Lines) -> Vec<Effect> {
    ui.overlay = Overlay::Writing(Writing { purpose, field: Field::new(words, lines) });
    Vec::new()
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Writing(Writing { purpose, field }) = &mut ui.overlay else { return None };
    match (action, purpose) {
        (Action::NextTopic, Purpose::Findings(wording)) => wording.next_topic(run),
        (Action::Submit, purpose) => {
            let (purpose, words) = (*purpose, field.text());
            let effects = match purpose {
                Purpose::Findings(wording) => findings::submit(run, wording, Clean::line(&words)),
                Purpose::Plan(wording) => plan::submit(ui, run, wording, &Clean::line(&words)),
                Purpose::Message(id) => steering::message(ui, run, id, &words),
            };
            return Some(ui.submitted(effects));
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn hints_at(ui: &Ui, _: &Run, action: Action) -> bool {
    let Overlay::Writing(Writing { purpose: Purpose::Findings(wording), .. }) = &ui.overlay else {
        return action != Action::NextTopic;
    };
    action != Action::NextTopic || wording.has_topic()
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Writing(Writing { field, .. }) = &mut ui.overlay else { return None };
    Some(field)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    match &ui.overlay {
        // What was written is kept though its reader may have ended: the person is told when they send it.
        Overlay::Writing(Writing { purpose: Purpose::Message(id), .. }) => {
            run.assignment(*id).is_none() || run.ended().is_some()
        }
        _ => !run.is_at_a_checkpoint(),
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Writing(Writing { purpose, field }) = &ui.overlay else { return Seen::default() };
    let (title, about) = match purpose {
        Purpose::Findings(wording) => wording.title(run),
        Purpose::Plan(wording) => wording.title(run),
        Purpose::Message(id) => ("a message, read at its next turn", steering::name(run, *id)),
    };
    let area = boxes::middle(page, 7);
    paint::clear(buf, area, theme.style(Scope::Text));
    let title = vec![Span::styled(title, theme.style(Scope::Title))];
    let right = vec![Span::styled(about, theme.style(Scope::Focus))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::Focus));
    boxes::field(buf, inner, field, true, theme);
    Seen::default()
}
