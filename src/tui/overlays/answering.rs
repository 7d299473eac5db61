//! The dialog that answers a checkpoint without a page of its own, such as a question: options, or a text field.

use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::view::boxes;

#[derive(Clone, Debug)]
pub struct Answering {
    /// The selected choice; any number beyond them is the answer in the person's own words.
    pub choice: usize,
    /// The text so far, where the answer is in the person's own words.
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

pub static SCREEN: Screen =
    Screen { keys: &KEYS, extent: Extent::Box, on, draw, field, written, is_stale, ..Screen::PLAIN };

pub fn open(ui: &mut Ui) -> Vec<Effect> {
    ui.overlay = Overlay::Answering(Answering { choice: 0, words: Field::new("", Lines::Many) });
    Vec::new()
}

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Answering(Answering { choice, words }) = &mut ui.overlay else { return None };
    let open = select::boxed(run)?;
    match action {
        Action::Down | Action::Up => {
            let options = open.subject.options().len();
            *choice = chosen(action, (*choice).min(options), options + usize::from(open.takes_words(run)));
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

/// The reason why there is nothing to answer.
pub fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    let nothing = || select::boxed(run).is_none().then(|| "no specialist asks you anything now".into());
    ui.may_not_change(run).or_else(nothing)
}

fn field<'a>(ui: &'a mut Ui, run: &Run) -> Option<&'a mut Field> {
    let Overlay::Answering(Answering { choice, words }) = &mut ui.overlay else { return None };
    let open = select::boxed(run)?;
    let is_chosen = *choice < open.subject.options().len();
    words.lends_arrows = is_chosen;
    // Typing begins an answer in own words, whichever choice is selected.
    (!is_chosen || open.takes_words(run)).then_some(words)
}

/// The typed text is the answer: the place for own words, below the choices, is selected.
fn written(ui: &mut Ui) {
    if let Overlay::Answering(Answering { choice, words }) = &mut ui.overlay
        && !words.is_blank()
    {
        *choice = usize::MAX;
    }
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    select::boxed(run).is_none()
}

const WORDS: u16 = 4;
/// The choice below the others.
const OWN: &str = "in your own words …";

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let Overlay::Answering(Answering { choice, words }) = &ui.overlay else { return Seen::default() };
    let Some(open) = select::boxed(run) else { return Seen::default() };
    let options: Vec<String> = open.subject.options().iter().filter_map(|option| open.subject.said(option)).collect();
    let choice = (*choice).min(options.len());
    let wide = usize::from(boxes::middle(page, 3).width).saturating_sub(4);
    let mut text = rows(&flat(&open.subject.asked()), wide, theme.style(Scope::Text), &[]);
    for detail in open.subject.details(run) {
        text.extend(rows(&flat(&detail), wide, theme.style(Scope::Dim), &[]));
    }
    let takes_words = !options.is_empty() && open.takes_words(run);
    let of_choices = u16::try_from(options.len() + usize::from(takes_words)).unwrap_or(u16::MAX).min(page.height / 2);
    let of_words = if choice >= options.len() { WORDS } else { 0 };
    let below = of_choices + of_words;
    let title = format!("{} {}", Mark::NeedsYou.symbol(), flat(&open.subject.title()));
    let title = theme.span(cut(&title, wide).into_owned(), Scope::NeedsYou);
    let by = run.assignment(open.by).map_or_else(String::new, |by| format!("{} asks", by.role));
    let right = theme.span(by, Scope::Dim);
    let height = text.len() + usize::from(below) + 2;
    let inner = boxes::dialog(buf, page, height, boxes::Frame::new(title, right, Scope::NeedsYou), theme);
    // The answers keep their rows even if the question is cut.
    let below = below.min(inner.height);
    let [upper, lower] = paint::rows(inner, [inner.height - below, below]);
    paint::scrolled(buf, upper, &text, 0, theme.style(Scope::Dim));
    let [choices, own] = paint::rows(lower, [lower.height.saturating_sub(of_words), of_words.min(lower.height)]);
    if choice >= options.len() {
        boxes::field(buf, own, words, true, theme);
    }
    let all: Vec<&str> = options.iter().map(String::as_str).chain(takes_words.then_some(OWN)).collect();
    if !all.is_empty() {
        paint::list(buf, choices, all.len(), paint::reveal(choices, choice), |buf, row, n| {
            let said = cut(&flat(all[n]), usize::from(row.width).saturating_sub(2)).into_owned();
            paint::line(buf, row, &boxes::choice(&said, n == choice, theme).into());
        });
    }
    Seen::default()
}
