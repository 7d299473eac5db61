//! The draft page: the person reads the draft sentence by sentence before it goes out, changes it, remarks on it, and accepts it
//! or sends it back to the writer. Each change is a command.

mod draw;

use crate::outside::Errand;
use crate::overlays::accepting::Accepting;
use crate::overlays::writing::{self, Purpose, Wrong};
use crate::prelude::*;
use crate::screens::everywhere::moved;
use run::checkpoint::draft::{Answer as Of, Edit as Change, Review};
use run::checkpoint::{Answer, Edit};
use run::{Checkpoint, Draft};

#[derive(Clone, Debug, Default)]
pub struct DraftPage {
    /// The selected sentence; the last if there are fewer.
    pub selected: usize,
}

/// The purpose of the text that is written about the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// A sentence in other words.
    Sentence(u32),
    /// A remark on a sentence, or on the whole draft.
    Remark(Option<u32>),
    /// All sentences, a line each.
    Whole,
}

impl Wording {
    /// The title of its box, and its subject.
    pub fn title(self, run: &Run) -> (&'static str, String) {
        let text = |of: u32| {
            let sentence = select::draft_page(run).and_then(|(_, review)| review.draft.sentences().nth(of as usize));
            sentence.map(|sentence| cut(&flat(&sentence.text), 40).into_owned()).unwrap_or_default()
        };
        match self {
            Wording::Sentence(_) => ("in your words; it keeps what it cites", String::new()),
            Wording::Remark(Some(of)) => ("a remark, which the writer reads", text(of)),
            Wording::Remark(None) => ("a remark on the whole draft", String::new()),
            Wording::Whole => ("a sentence a line; ^O goes on in your editor", String::new()),
        }
    }

    /// Whether it takes the whole page.
    pub fn is_long(self) -> bool {
        self == Wording::Whole
    }
}

pub static KEYS: Keys = Keys {
    title: "draft",
    groups: &[&[
        // Only once there is a remark, and then it is the next thing to do.
        row(&[c('S')], Action::SendBack, Some("send back"), "send it back to the writer with your remarks"),
        row(&[c('A')], Action::Approve, Some("accept"), "accept: it goes out as you left it"),
        row(&[c('e'), ENTER], Action::Edit, Some("reword"), "put the sentence into your own words"),
        row(&[c('m')], Action::Remark, Some("remark"), "remark on the sentence"),
        row(&[c('M')], Action::RemarkAll, None, "remark on the whole draft"),
        row(&[c('d'), c(' ')], Action::Drop, Some("take out"), "take the sentence out, of a table its whole row"),
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
        Action::Approve if !review.would_take_out().is_empty() => {
            ui.overlay = Overlay::Accepting(Accepting);
            return Some(Vec::new());
        }
        Action::Approve => return Some(answer(checkpoint, Of::Accepted)),
        Action::SendBack => return Some(answer(checkpoint, Of::Revise)),
        Action::Edit => return reword(ui, review, of),
        Action::Remark => return write(ui, Wording::Remark(Some(of)), "", Lines::One),
        Action::RemarkAll => return write(ui, Wording::Remark(None), "", Lines::One),
        Action::Outside if why_not(ui, run, Action::Edit).is_some() => {
            let errand = Errand::Read { what: "the draft", text: sentences_of(review) };
            return Some(vec![Effect::Outside(errand)]);
        }
        Action::Outside => {
            let words = format!("{HOW}\n{}", sentences_of(review));
            return Some(writing::write_outside(ui, Purpose::Draft(Wording::Whole), &words));
        }
        Action::Undo => Edit::Undo,
        Action::Drop => Edit::Draft(Change::Strike { of }),
        _ => return None,
    };
    let row = row_of(review, at).filter(|_| action == Action::Drop);
    let sent = send(run, checkpoint, edit);
    let effects = ui.accepted(sent);
    if let Some(name) = row.filter(|_| !effects.is_empty()) {
        ui.status = Some(Clean::line(&format!("the row “{name}” is out, with all its cells: u puts it back")));
    }
    Some(effects)
}

/// Of a sentence that is the cell of a table, the name of its row.
pub fn row_of(review: &Review, at: usize) -> Option<&Clean> {
    review.draft.cell(review.draft.sentences().nth(at)?).map(|(row, _)| row)
}

/// Opens the box in which a sentence is put into other words.
pub fn reword(ui: &mut Ui, review: &Review, of: u32) -> Option<Vec<Effect>> {
    let text = &review.draft.sentences().nth(of as usize)?.text;
    write(ui, Wording::Sentence(of), text, lines_of(text))
}

/// The draft that the person last sent back before this checkpoint, as they left it.
fn sent_back<'r>(run: &'r Run, checkpoint: &Checkpoint) -> Option<&'r Draft> {
    let before = run.checkpoints.iter().rev().skip_while(|one| one.id >= checkpoint.id);
    let is_sent_back = |one: &&Checkpoint| {
        matches!(one.answer.as_ref().map(|answered| &answered.answer), Some(Answer::Draft(Of::Revise)))
    };
    before.into_iter().find(is_sent_back)?.review().map(|review| &review.draft)
}

/// The instructions to the person at the top of a draft in their editor.
const HOW: &str = "\
# A sentence a line, with its number. Write it anew, or take its line out to take the sentence out.
# What it cites stays. Lines that begin with # are passed over.";

/// The sentences of a draft, a line each, numbered from 1.
fn sentences_of(review: &Review) -> String {
    let lines = (1..).zip(review.draft.sentences()).map(|(n, one)| format!("{n}  {}\n", flat(&one.text)));
    lines.collect()
}

/// The person's changes of the sentences of a draft.
#[derive(Default)]
struct Mine {
    /// Sentences in other words, with their places.
    reworded: Vec<(u32, Clean)>,
    /// The places of those that are out.
    struck: Vec<u32>,
}

/// Reads the lines of a draft.
fn read(review: &Review, words: &str) -> Result<Mine, Wrong> {
    let sentences: Vec<_> = review.draft.sentences().collect();
    let mut left: Vec<Option<Clean>> = vec![None; sentences.len()];
    let lines = words.lines().enumerate().map(|(n, line)| (n, line.trim()));
    for (n, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let wrong = |why: String| {
            let begins: String = line.chars().take(40).collect();
            Wrong { line: Some(n), why: format!("line {}, `{begins}`: {why}", n + 1) }
        };
        let (number, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let number = number.trim_end_matches('.').parse::<usize>();
        let number = number.map_err(|_| wrong("it begins with no number of a sentence".into()))?;
        let place = number.checked_sub(1).and_then(|at| left.get_mut(at));
        let place = place.ok_or_else(|| wrong(format!("the draft has {}", count(sentences.len(), "sentence"))))?;
        if place.is_some() {
            return Err(wrong(format!("there are two lines for sentence {number}")));
        }
        *place = Some(Clean::line(text.trim()));
    }
    let mut mine = Mine::default();
    for (of, (was, is)) in (0..).zip(sentences.iter().zip(left)) {
        match is.filter(|text| !text.is_empty()) {
            None => mine.struck.push(of),
            Some(text) if writing::is_reworded(&was.text, &text) => mine.reworded.push((of, text)),
            Some(_) => {}
        }
    }
    Ok(mine)
}

/// The changes after which the draft has these sentences, each checked where those before it have been made.
fn changed(run: &Run, checkpoint: &Checkpoint, words: &str) -> Result<Vec<Effect>, Wrong> {
    let mut now = checkpoint.clone();
    let mut effects = Vec::new();
    let mut change = |change: Change| {
        let edit = Edit::Draft(change);
        effects.extend(send(run, &now, edit.clone())?);
        now.edited(&edit);
        Ok::<(), String>(())
    };
    let Some(review) = checkpoint.review() else { return Ok(Vec::new()) };
    let Mine { reworded, struck } = read(review, words)?;
    // The sentences that are there, each with the place that it had.
    let mut left: Vec<(u32, Clean)> = (0..).zip(review.draft.sentences().map(|one| one.text.clone())).collect();
    let is_struck = |of: u32| struck.iter().any(|struck| left[*struck as usize].1 == left[of as usize].1);
    // Taking a sentence out takes those of the same words along: they are reworded before.
    let (first, then): (Vec<_>, Vec<_>) = reworded.into_iter().partition(|(of, _)| is_struck(*of));
    for (of, text) in first {
        left[of as usize].1 = text.clone();
        change(Change::Reword { of, text })?;
    }
    for was_at in struck.into_iter().rev() {
        if let Some((of, text)) = place(&left, was_at) {
            change(Change::Strike { of })?;
            left.retain(|(_, other)| *other != text);
        }
    }
    for (was_at, text) in then {
        if let Some((of, _)) = place(&left, was_at) {
            change(Change::Reword { of, text })?;
        }
    }
    Ok(effects)
}

/// The place of a sentence among those that are left, and its text; None if it is gone.
fn place(left: &[(u32, Clean)], was_at: u32) -> Option<(u32, Clean)> {
    let at = left.iter().position(|(was, _)| *was == was_at)?;
    Some((u32::try_from(at).ok()?, left[at].1.clone()))
}

/// The selected sentence, as counted through the draft.
fn selected(ui: &Ui, review: &Review) -> usize {
    ui.draft.selected.min(review.draft.sentences().count().saturating_sub(1))
}

pub fn answer(checkpoint: &Checkpoint, answer: Of) -> Vec<Effect> {
    vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer: Answer::Draft(answer) })]
}

pub fn write(ui: &mut Ui, wording: Wording, words: &str, lines: Lines) -> Option<Vec<Effect>> {
    Some(writing::open(ui, Purpose::Draft(wording), words, lines))
}

/// The lines of a field for a sentence: program text keeps its own.
fn lines_of(text: &str) -> Lines {
    if text.contains('\n') { Lines::Many } else { Lines::One }
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

/// Sends the written text; the error is its fault.
pub fn submit(run: &Run, wording: Wording, words: &Clean) -> Result<Vec<Effect>, Wrong> {
    let Some((checkpoint, review)) = select::draft_page(run) else { return Ok(Vec::new()) };
    if wording == Wording::Whole {
        return changed(run, checkpoint, words);
    }
    let change = match wording {
        Wording::Sentence(of) => {
            let Some(was) = review.draft.sentences().nth(of as usize).map(|sentence| &sentence.text) else {
                return Err("the draft has no such sentence any more".to_owned().into());
            };
            let text = match lines_of(was) {
                Lines::One => Clean::line(words),
                Lines::Many => Clean::new(words.trim_end()),
            };
            if !writing::is_reworded(was, &text) {
                return Ok(Vec::new());
            }
            Change::Reword { of, text }
        }
        Wording::Remark(of) => Change::Remark { of, what: Clean::line(words) },
        Wording::Whole => return Ok(Vec::new()),
    };
    Ok(send(run, checkpoint, Edit::Draft(change))?)
}

#[cfg(test)]
mod tests;
