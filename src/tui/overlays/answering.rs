//! The box in which a checkpoint is answered that has no page of its own, such as a question: the role that asks, what,
//! and the options or room for words.
//!
//! ```text
//! ┌ ◆ researcher · Qdrant failed ─────────────────────────────────────────┐
//! │ It was tried 3 times: the server does not answer. What now?           │
//! │ ▸ go on without it                                                    │
//! │   try it again                                                        │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::field::{Field, Lines};
use crate::keymap::{Action, BACK_TAB, DOWN, ENTER, ESC, Keys, TAB, UP, row};
use crate::link::Command;
use crate::mark::Mark;
use crate::measure::{cut, flat, rows};
use crate::overlays::Overlay;
use crate::screens::everywhere::chosen;
use crate::screens::{Extent, Screen};
use crate::select;
use crate::theme::Scope;
use crate::ui::{Seen, Ui};
use crate::update::Effect;
use crate::view::{Cache, Scene, boxes, paint};
use run::Run;
use text::Clean;

/// An answer being given.
#[derive(Clone, Debug)]
pub struct Answering {
    /// The place of the choice in front, where there are choices.
    pub choice: usize,
    /// What was written so far, where there are none.
    pub words: Field,
}

pub static KEYS: Keys = Keys {
    title: "while answering",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("answer"), "answer so"),
        row(&[DOWN, TAB], Action::Down, Some("choice"), "next choice"),
        row(&[UP, BACK_TAB], Action::Up, None, "choice before"),
        row(&[ESC], Action::Back, Some("later"), "leave it open"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, is_stale, ..Screen::PLAIN };

/// Opens the box.
pub fn open(ui: &mut Ui) -> Vec<Effect> {
    ui.overlay = Overlay::Answering(Answering { choice: 0, words: Field::new("", Lines::Many) });
    Vec::new()
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Answering(Answering { choice, words }) = &mut ui.overlay else { return None };
    let open = select::boxed(run)?;
    match action {
        Action::Down | Action::Up => {
            *choice = chosen(action, *choice, open.subject.options().len());
            Some(Vec::new())
        }
        Action::Submit => {
            let chosen = open.subject.options().into_iter().nth(*choice);
            let answer = chosen.or_else(|| open.subject.in_words(Clean::from(words.text().trim())))?;
            let allowed = open.allows(&answer, run);
            Some(ui.submitted(allowed.map(|()| vec![Effect::Send(Command::Answer { checkpoint: open.id, answer })])))
        }
        _ => None,
    }
}

/// Why there is nothing to answer, for the person.
pub fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    let nothing = || select::boxed(run).is_none().then(|| "nobody asks you anything now".into());
    ui.may_not_change(run).or_else(nothing)
}

fn field<'a>(ui: &'a mut Ui, run: &Run) -> Option<&'a mut Field> {
    let Overlay::Answering(Answering { words, .. }) = &mut ui.overlay else { return None };
    select::boxed(run).filter(|open| open.subject.options().is_empty()).map(|_| words)
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    select::boxed(run).is_none()
}

/// Rows of the field for words.
const WORDS: u16 = 4;

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Answering(Answering { choice, words }) = &ui.overlay else { return Seen::default() };
    let choice = *choice;
    let Some(open) = select::boxed(run) else { return Seen::default() };
    let options: Vec<String> = open.subject.options().iter().filter_map(|option| open.subject.said(option)).collect();
    let wide = usize::from(boxes::middle(page, 3).width).saturating_sub(4);
    let text = rows(&flat(&open.subject.asked()), wide, theme.style(Scope::Text), &[]);
    let below = match options.len() {
        0 => WORDS,
        n => u16::try_from(n).unwrap_or(u16::MAX).min(page.height / 2),
    };
    let asked = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let area = boxes::middle(page, asked.saturating_add(below + 2).min(page.height));
    paint::clear(buf, area, theme.style(Scope::Text));
    let title = format!("{} {}", Mark::NeedsYou.symbol(), flat(&open.subject.title()));
    let title = vec![Span::styled(cut(&title, wide).into_owned(), theme.style(Scope::NeedsYou))];
    let who = run.assignment(open.by).map_or_else(String::new, |by| format!("{} asks", by.role));
    let right = vec![Span::styled(who, theme.style(Scope::Dim))];
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::NeedsYou));
    // What can be done about it has its place before the whole of the question.
    let below = below.min(inner.height);
    let upper = Rect { height: inner.height - below, ..inner };
    let lower = Rect { y: upper.bottom(), height: below, ..inner };
    paint::scrolled(buf, upper, &text, 0, theme.style(Scope::Dim));
    if options.is_empty() {
        boxes::field(buf, lower, words, true, theme);
        return Seen::default();
    }
    let first = (choice + 1).saturating_sub(usize::from(lower.height));
    for ((n, said), y) in options.iter().enumerate().skip(first).zip(lower.top()..lower.bottom()) {
        let chosen = n == choice;
        let style = theme.style(if chosen { Scope::Title } else { Scope::Text });
        let sign = if chosen { "▸ " } else { "  " };
        let said = cut(&format!("{sign}{}", flat(said)), usize::from(lower.width)).into_owned();
        paint::line(buf, Rect { y, height: 1, ..lower }, &Line::styled(said, style));
    }
    Seen::default()
}
