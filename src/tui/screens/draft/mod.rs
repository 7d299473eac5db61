//! The draft page: the person reads the draft sentence by sentence before it goes out, changes it, remarks on it, and accepts it
//! or sends it back to the writer. Each change is a command.

mod draw;

use crate::overlays::writing::{self, Purpose};
use crate::prelude::*;
use crate::screens::everywhere::moved;
use run::Checkpoint;
use run::checkpoint::draft::{Answer as Of, Edit as Change, Review};
use run::checkpoint::{Answer, Edit};

#[derive(Clone, Debug, Default)]
pub struct DraftPage {
    /// The selected sentence; the last if there are fewer.
    pub selected: usize,
}

/// What is being written about the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// A sentence in other words.
    Sentence(u32),
    /// A remark on a sentence, or on the whole draft.
    Remark(Option<u32>),
}

impl Wording {
    /// The title of its box, and what it is about.
    pub fn title(self, run: &Run) -> (&'static str, String) {
        let text = |of: u32| {
            let sentence = select::draft_page(run).and_then(|(_, review)| review.draft.sentences().nth(of as usize));
            sentence.map(|sentence| cut(&flat(&sentence.text), 40).into_owned()).unwrap_or_default()
        };
        match self {
            Wording::Sentence(_) => ("in your words; it keeps what it cites", String::new()),
            Wording::Remark(Some(of)) => ("a remark, which the writer reads", text(of)),
            Wording::Remark(None) => ("a remark on the whole draft", String::new()),
        }
    }
}

pub static KEYS: Keys = Keys {
    title: "draft",
    groups: &[&[
        row(&[c('A')], Action::Approve, Some("accept"), "accept: it goes out as you left it"),
        row(&[c('e'), ENTER], Action::Edit, Some("reword"), "put the sentence into your own words"),
        row(&[c('m')], Action::Remark, Some("remark"), "remark on the sentence"),
        row(&[c('M')], Action::RemarkAll, None, "remark on the whole draft"),
        row(&[c('S')], Action::SendBack, Some("send back"), "send it back to the writer with your remarks"),
        row(&[c('d'), c(' ')], Action::Drop, Some("take out"), "take the sentence out"),
        row(&[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw: draw::draw, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (checkpoint, review) = select::draft_page(run)?;
    let sentences: Vec<_> = review.draft.sentences().collect();
    let at = selected(ui, review);
    let of = u32::try_from(at).ok()?;
    let edit = match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            ui.draft.selected = moved(action, at, sentences.len().saturating_sub(1), ui.seen.page);
            return Some(Vec::new());
        }
        Action::Approve => return Some(answer(checkpoint, Of::Accepted)),
        Action::SendBack => return Some(answer(checkpoint, Of::Revise)),
        Action::Edit => return write(ui, Wording::Sentence(of), &sentences.get(at)?.text),
        Action::Remark => return write(ui, Wording::Remark(Some(of)), ""),
        Action::RemarkAll => return write(ui, Wording::Remark(None), ""),
        Action::Undo => Edit::Undo,
        Action::Drop => Edit::Draft(Change::Strike { of }),
        _ => return None,
    };
    let sent = send(run, checkpoint, edit);
    Some(ui.accepted(sent))
}

/// The selected sentence, as counted through the draft.
fn selected(ui: &Ui, review: &Review) -> usize {
    ui.draft.selected.min(review.draft.sentences().count().saturating_sub(1))
}

fn answer(checkpoint: &Checkpoint, answer: Of) -> Vec<Effect> {
    vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer: Answer::Draft(answer) })]
}

fn write(ui: &mut Ui, wording: Wording, words: &str) -> Option<Vec<Effect>> {
    Some(writing::open(ui, Purpose::Draft(wording), words, Lines::One))
}

fn send(run: &Run, checkpoint: &Checkpoint, edit: Edit) -> Result<Vec<Effect>, String> {
    checkpoint.accepts(&edit, run)?;
    Ok(vec![Effect::Send(Command::Edit { checkpoint: checkpoint.id, edit })])
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    use Action::{Approve, Drop, Edit, Remark, RemarkAll, SendBack, Undo};
    if !matches!(action, Approve | Drop | Edit | Remark | RemarkAll | SendBack | Undo) {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let open = select::draft_page(run).filter(|(checkpoint, _)| checkpoint.answer.is_none());
    let Some((checkpoint, review)) = open else {
        return Some("this checkpoint is closed: the draft has gone on".into());
    };
    let refused = |answer: Of| checkpoint.allows(&Answer::Draft(answer), run).err().map(Clean::from);
    match action {
        Undo => checkpoint.accepts(&run::checkpoint::Edit::Undo, run).err().map(Clean::from),
        Approve => refused(Of::Accepted),
        SendBack => refused(Of::Revise),
        Edit | Drop | Remark if review.draft.sentences().next().is_none() => Some("the draft has no sentence".into()),
        _ => None,
    }
}

fn missing(run: &Run) -> Option<Clean> {
    let none = "this run does not stop for its draft: --check-draft makes one that does";
    select::draft_page(run).is_none().then(|| none.into())
}

/// Sends what was written; the error says what is wrong with it.
pub fn submit(run: &Run, wording: Wording, words: &Clean) -> Result<Vec<Effect>, String> {
    let Some((checkpoint, review)) = select::draft_page(run) else { return Ok(Vec::new()) };
    let words = Clean::line(words.trim());
    let change = match wording {
        Wording::Sentence(of) => {
            let is_same = review.draft.sentences().nth(of as usize).is_some_and(|sentence| sentence.text == words);
            if is_same {
                return Ok(Vec::new());
            }
            Change::Reword { of, text: words }
        }
        Wording::Remark(of) => Change::Remark { of, what: words },
    };
    send(run, checkpoint, Edit::Draft(change))
}
