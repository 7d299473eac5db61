//! Answering a question that a specialist put to the person: one of its choices, or words.

use super::{Effect, may_not_change};
use crate::field::{Field, Lines};
use crate::stage::Command;
use crate::ui::{Overlay, Ui};
use run::{Run, inquiry};
use text::Clean;

/// Opens the box.
pub(super) fn open(ui: &mut Ui) {
    ui.overlay = Overlay::Answering { choice: 0, words: Field::new("", Lines::Many) };
}

/// Another of the choices, `by` rows on, stopping at both ends.
pub(super) fn next(ui: &mut Ui, run: &Run, by: isize) {
    let (Overlay::Answering { choice, .. }, Some(inquiry)) = (&mut ui.overlay, run.open_inquiry()) else { return };
    let last = inquiry.question.choices.len().saturating_sub(1);
    *choice = choice.saturating_add_signed(by).min(last);
}

/// Tells the desk; what is no answer is said, and stays to be put right.
pub(super) fn submit(ui: &mut Ui, run: &Run) -> Vec<Effect> {
    let (Overlay::Answering { choice, words }, Some(inquiry)) = (&ui.overlay, run.open_inquiry()) else {
        return Vec::new();
    };
    let answer = match inquiry.question.choices.is_empty() {
        true => inquiry::Answer::Words(Clean::from(words.text().trim())),
        false => inquiry::Answer::Chosen(u32::try_from(*choice).unwrap_or(u32::MAX)),
    };
    match inquiry.question.accepts(&answer) {
        Ok(()) => {
            let checkpoint = inquiry.id;
            ui.overlay = Overlay::None;
            vec![Effect::Send(Command::Answer { checkpoint, answer })]
        }
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    }
}

/// Why there is nothing to answer, for the person.
pub(super) fn why_not(ui: &Ui, run: &Run) -> Option<Clean> {
    let nothing = || run.open_inquiry().is_none().then(|| "nobody asks you anything now".into());
    may_not_change(ui, run).or_else(nothing)
}
