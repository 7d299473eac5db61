//! The dialog in which the person writes: for a finding, for a task of the plan, or to a specialist at work.

use crate::prelude::*;
use crate::screens::team::steering;
use crate::screens::{draft, everywhere, findings, plan, stop};
use crate::view::boxes;
use run::AssignmentId;

#[derive(Clone, Debug)]
pub struct Writing {
    pub purpose: Purpose,
    pub field: Field,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Findings(findings::Wording),
    Plan(plan::Wording),
    Message(AssignmentId),
    Stop(stop::Wording),
    Draft(draft::Wording),
}

/// The fault in the written text.
pub struct Wrong {
    /// The line at which it shows, from 0, if it shows at one.
    pub line: Option<usize>,
    /// In words for the person.
    pub why: String,
}

impl From<String> for Wrong {
    fn from(why: String) -> Wrong {
        Wrong { line: None, why }
    }
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

pub fn open(ui: &mut Ui, purpose: Purpose, words: &str, lines: Lines) -> Vec<Effect> {
    ui.overlay = Overlay::Writing(Writing { purpose, field: Field::new(words, lines) });
    Vec::new()
}

/// Opens it for a text that is written in the person's editor; here it stays if it cannot be accepted.
pub fn write_outside(ui: &mut Ui, purpose: Purpose, words: &str) -> Vec<Effect> {
    let field = Field::new(words, Lines::Many);
    let effect = everywhere::write(&field, true);
    ui.overlay = Overlay::Writing(Writing { purpose, field });
    vec![effect]
}

/// Whether the written text differs from the one before. White space counts only if several lines were written.
pub fn is_reworded(was: &Clean, words: &Clean) -> bool {
    if words.contains('\n') { was.trim_end() != words.trim_end() } else { Clean::line(was) != Clean::line(words) }
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Writing(Writing { purpose, field }) = &mut ui.overlay else { return None };
    match (action, purpose) {
        (Action::NextTopic, Purpose::Findings(wording)) => wording.next_topic(run),
        (Action::Submit, purpose) => {
            let (purpose, words) = (*purpose, field.text());
            let effects = match purpose {
                Purpose::Findings(wording) => findings::submit(run, wording, Clean::line(&words)).map_err(Wrong::from),
                Purpose::Plan(wording) => plan::submit(ui, run, wording, &Clean::line(&words)).map_err(Wrong::from),
                Purpose::Message(id) => steering::message(ui, run, id, &words).map_err(Wrong::from),
                Purpose::Stop(wording) => stop::submit(run, wording, &words),
                Purpose::Draft(wording) => draft::submit(run, wording, &words),
            };
            if let (Err(Wrong { line: Some(line), .. }), Some(field)) = (&effects, self::field(ui, run)) {
                field.go_to(*line);
            }
            return Some(ui.submitted(effects.map_err(|wrong| wrong.why)));
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn hints_at(ui: &Ui, _: &Run, action: Action) -> bool {
    let has_topic = match &ui.overlay {
        Overlay::Writing(Writing { purpose: Purpose::Findings(wording), .. }) => wording.has_topic(),
        _ => false,
    };
    has_topic || action != Action::NextTopic
}

fn field<'a>(ui: &'a mut Ui, _: &Run) -> Option<&'a mut Field> {
    let Overlay::Writing(Writing { field, .. }) = &mut ui.overlay else { return None };
    Some(field)
}

fn is_stale(ui: &Ui, run: &Run) -> bool {
    match &ui.overlay {
        // The text is kept, though its reader may have ended: sending it says so.
        Overlay::Writing(Writing { purpose: Purpose::Message(id), .. }) => {
            run.assignment(*id).is_none() || run.ended().is_some()
        }
        Overlay::Writing(Writing { purpose: Purpose::Stop(_), .. }) => {
            select::stop_page(run).is_none_or(|(checkpoint, _)| checkpoint.answer.is_some())
        }
        _ => !run.is_at_a_checkpoint(),
    }
}

fn owned((title, about): (&str, String)) -> (String, String) {
    (title.to_owned(), about)
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Writing(Writing { purpose, field }) = &ui.overlay else { return Seen::default() };
    let (title, about) = match purpose {
        Purpose::Findings(wording) => wording.title(run),
        Purpose::Plan(wording) => owned(wording.title(run)),
        Purpose::Stop(wording) => owned(wording.title(run)),
        Purpose::Draft(wording) => owned(wording.title(run)),
        Purpose::Message(id) => owned(("a message, read at its next turn", steering::name(run, *id))),
    };
    let (title, about) = (theme.span(title, Scope::Title), theme.span(about, Scope::Focus));
    // A text for a payload may have many lines.
    let long = match purpose {
        Purpose::Stop(wording) => wording.is_long(),
        Purpose::Draft(wording) => wording.is_long(),
        _ => false,
    };
    let height = if long { usize::from(page.height).saturating_sub(2).max(7) } else { 7 };
    let inner = boxes::dialog(buf, page, height, boxes::Frame::new(title, about, Scope::Focus), theme);
    boxes::field(buf, inner, field, true, theme);
    Seen::default()
}
