//! The last look before a draft goes out without the sentences that code refuses: the sentences, and the reasons.

use crate::prelude::*;
use crate::screens::draft::{self, Wording};
use crate::view::boxes;
use run::checkpoint::draft::{Answer, Refused, Review};

#[derive(Clone, Copy, Debug)]
pub struct Accepting;

pub static KEYS: Keys = Keys {
    title: "before accepting",
    groups: &[&[
        row(&[ENTER, c('y')], Action::Submit, Some("accept"), "accept the draft without these sentences"),
        row(&[c('e')], Action::Edit, Some("your words"), "put the first of them into your own words"),
        row(
            &[c('S')],
            Action::SendBack,
            Some("send back"),
            "send it back; without a remark, remark on the first of them",
        ),
        row(&[ESC, c('n'), c('q')], Action::Back, Some("back"), "back to the draft"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, why_not, draw, is_stale, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (checkpoint, review) = select::draft_page(run)?;
    let first = first(review);
    let effects = match action {
        Action::Submit => draft::answer(checkpoint, Answer::Accepted),
        Action::SendBack if review.remarks.is_empty() => {
            ui.draft.selected = first.map_or(ui.draft.selected, |of| of as usize);
            return draft::write(ui, Wording::Remark(first), "", Lines::One);
        }
        Action::SendBack => draft::answer(checkpoint, Answer::Revise),
        Action::Edit => {
            let of = first?;
            ui.draft.selected = of as usize;
            return draft::reword(ui, review, of);
        }
        Action::Back => Vec::new(),
        _ => return None,
    };
    ui.overlay = Overlay::None;
    Some(effects)
}

/// The first sentence that would go out, as counted through the draft; None if these are headings alone.
fn first(review: &Review) -> Option<u32> {
    review.would_take_out().iter().find_map(|out| out.at)
}

fn why_not(_: &Ui, run: &Run, action: Action) -> Option<Clean> {
    let (checkpoint, review) = select::draft_page(run)?;
    match action {
        Action::Edit if first(review).is_none() => {
            Some("a heading is not put into other words here: S asks the writer for another".into())
        }
        // Without a remark it is written first.
        Action::SendBack if !review.remarks.is_empty() => {
            checkpoint.allows(&run::checkpoint::Answer::Draft(Answer::Revise), run).err().map(Clean::from)
        }
        _ => None,
    }
}

fn is_stale(_: &Ui, run: &Run) -> bool {
    select::draft_page(run).is_none_or(|(checkpoint, _)| checkpoint.answer.is_some())
}

/// The sentences that accepting takes out, in a sentence.
fn in_words(out: &[Refused<'_>]) -> String {
    let sentences = out.iter().filter(|one| one.at.is_some()).count();
    let parts = [(sentences, "sentence"), (out.len() - sentences, "heading")];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(*n, what)).collect();
    let verb = if out.len() == 1 { "goes" } else { "go" };
    format!("{} {verb} out of the draft: the checks in code find no support.", parts.join(" and "))
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { run, theme, .. } = scene;
    let Some((_, review)) = select::draft_page(run) else { return Seen::default() };
    let out = review.would_take_out();
    let cells = usize::from(page.width).saturating_sub(12).min(72);
    let mut lines = rows(&in_words(&out), cells, theme.style(Scope::Title), &[]);
    for one in out {
        let row = one.at.and_then(|at| draft::row_of(review, at as usize));
        let row = row.map(|row| format!(", and with it the row “{}”", flat(row))).unwrap_or_default();
        let said = format!("“{}”{row}", flat(one.text));
        let text = rows(&said, cells.saturating_sub(2), theme.style(Scope::Text), &[]);
        lines.extend(hanging(theme.span("! ", Scope::Warning), text));
        let why = one.why.map(|why| flat(why).into_owned()).unwrap_or_default();
        let why = rows(&why, cells.saturating_sub(2), theme.style(Scope::Dim), &[]);
        lines.extend(hanging(Span::raw("  "), why));
    }
    let title = theme.span("accept", Scope::Title);
    let right = theme.span("Enter accepts   e your words   S send back   Esc", Scope::Key);
    let inner = boxes::dialog(buf, page, lines.len() + 2, boxes::Frame::new(title, right, Scope::NeedsYou), theme);
    paint::scrolled(buf, inner, &lines, 0, theme.style(Scope::Dim));
    Seen::default()
}
