//! The page of a breakpoint: the message that is about to cross stands here, is read part by part, changed, and sent on, refused or
//! dropped; from here the person steps on. Each change is a command.

mod draw;
mod parts;
mod values;

use crate::outside::Errand;
use crate::overlays::confirm::Confirm;
use crate::overlays::writing::{self, Purpose, Wrong};
use crate::prelude::*;
use crate::screens::everywhere::{moved, turned};
use parts::{Path, Row};
use run::checkpoint::stop::{self, Stop, What};
use run::checkpoint::{Answer, Edit};
use run::{Checkpoint, Condition};

#[derive(Clone, Debug, Default)]
pub struct StopPage {
    /// The place of the payload that is shown, among those that stand at the breakpoint.
    pub one: usize,
    /// The selected row of it.
    pub row: usize,
}

/// The purpose of the text that is written about a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Another value for this part of this payload.
    Part { of: usize, path: Path },
    /// Another payload instead of this one, as JSON.
    Whole { of: usize },
    /// The reason for its refusal.
    Refusal,
}

impl Wording {
    /// The title of its box, and its subject.
    pub fn title(self, run: &Run) -> (&'static str, String) {
        match self {
            Wording::Part { path, .. } => ("instead: Alt-Enter breaks a line", path.to_string()),
            Wording::Whole { .. } => ("instead, as JSON; ^O goes on in your editor", "the payload".into()),
            Wording::Refusal if refusal_ends(run) => {
                ("refuse it: this ends with what there is, and says why", String::new())
            }
            Wording::Refusal => ("refuse it back: the one it comes from reads this", String::new()),
        }
    }

    /// Whether it takes the whole page.
    pub fn is_long(self) -> bool {
        matches!(self, Wording::Part { .. } | Wording::Whole { .. })
    }
}

pub static KEYS: Keys = Keys {
    title: "breakpoint",
    groups: &[&[
        row(&[c('A')], Action::Approve, Some("send on"), "send it on as it stands, until the next breakpoint"),
        row(&[c('e'), ENTER], Action::Edit, Some("change"), "change the part"),
        row(&[c('d')], Action::Drop, Some("drop"), "drop what stands, or take it back in"),
        row(&[c('m')], Action::Refuse, Some("refuse"), "refuse it back, with a message"),
        row(&[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
        row(&[c('o')], Action::Others, Some("others"), "let the others go on meanwhile, or let them stand"),
        row(&[c('E')], Action::StepEvent, Some("step"), "send it on, and stop at the next event"),
        row(&[c('H')], Action::StepHandoff, None, "send it on, and stop at the next handoff"),
        row(&[c('C')], Action::StepCall, None, "send it on, and stop at the next call"),
        row(&[c('W')], Action::StepReport, None, "send it on, and stop when the specialist that stands reports"),
        row(&[c('n'), TAB, RIGHT, c('l')], Action::Next, None, "next of those that stand"),
        row(&[c('N'), BACK_TAB, LEFT, c('h')], Action::Previous, None, "the one before of those that stand"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw: draw::draw, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (checkpoint, stop) = select::stop_page(run)?;
    let payloads = stop.payloads();
    let one = ui.stop.one.min(payloads.len().saturating_sub(1));
    let rows = payloads.get(one).map(|one| parts::rows(one.payload)).unwrap_or_default();
    let edit = match action {
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
            ui.stop.row = moved(action, ui.stop.row, rows.len().saturating_sub(1), ui.seen.page);
            return Some(Vec::new());
        }
        Action::Next | Action::Previous => {
            (ui.stop.one, ui.stop.row) = (turned(action, one, payloads.len()), 0);
            return Some(Vec::new());
        }
        Action::Approve | Action::StepEvent | Action::StepHandoff | Action::StepCall | Action::StepReport
            if is_dropped(stop) && stop.refusal_ends(run, checkpoint.by) =>
        {
            ui.overlay = Overlay::Confirm(Confirm::GoWithout(action));
            return Some(Vec::new());
        }
        Action::Approve | Action::StepEvent | Action::StepHandoff | Action::StepCall | Action::StepReport => {
            return Some(go_on(run, action));
        }
        Action::Refuse if stop.refusal_ends(run, checkpoint.by) => {
            ui.overlay = Overlay::Confirm(Confirm::RefuseForGood);
            return Some(Vec::new());
        }
        Action::Refuse => return Some(refuse(ui)),
        Action::Edit => {
            let Row { path, value, .. } = rows.get(ui.stop.row.min(rows.len().saturating_sub(1)))?;
            let purpose = Purpose::Stop(Wording::Part { of: one, path: *path });
            return Some(writing::open(ui, purpose, &parts::written(value), Lines::Many));
        }
        Action::Outside => return outside(ui, run, payloads.get(one)?.payload, one),
        Action::Undo => Edit::Undo,
        Action::Drop => {
            let of = u32::try_from(one).ok()?;
            let is_dropped = payloads.get(one).is_some_and(|one| one.is_dropped);
            Edit::Stop(if is_dropped { stop::Edit::Keep { of } } else { stop::Edit::Drop { of } })
        }
        Action::Others => Edit::Stop(stop::Edit::Others { go_on: !stop.others_go_on }),
        _ => return None,
    };
    let sent = send(run, checkpoint, edit);
    Some(ui.accepted(sent))
}

/// Opens the box for the reason of a refusal.
pub fn refuse(ui: &mut Ui) -> Vec<Effect> {
    writing::open(ui, Purpose::Stop(Wording::Refusal), "", Lines::Many)
}

fn refusal_ends(run: &Run) -> bool {
    select::stop_page(run).is_some_and(|(checkpoint, stop)| stop.refusal_ends(run, checkpoint.by))
}

/// The whole payload in the person's editor; where it cannot be changed any more, in their pager.
fn outside(ui: &mut Ui, run: &Run, payload: &run::Payload, of: usize) -> Option<Vec<Effect>> {
    // Plain data with string keys: writing it as JSON cannot fail.
    let text = Clean::new(&serde_json::to_string_pretty(payload).unwrap_or_default());
    if why_not(ui, run, Action::Edit).is_some() {
        let errand = Errand::Read { what: "the payload", text: text.to_string() };
        return Some(vec![Effect::Outside(errand)]);
    }
    Some(writing::write_outside(ui, Purpose::Stop(Wording::Whole { of }), &text))
}

/// Sends on what stands, up to where this action stops next.
pub fn go_on(run: &Run, action: Action) -> Vec<Effect> {
    let Some((checkpoint, _)) = select::stop_page(run) else { return Vec::new() };
    let until = match action {
        Action::StepEvent => Some(Condition::Event(None)),
        Action::StepHandoff => Some(Condition::Handoff { from: None, to: None }),
        Action::StepCall => Some(Condition::Call),
        Action::StepReport => Some(Condition::Report(checkpoint.by)),
        _ => None,
    };
    let answer = Answer::Stop(stop::Answer::Go { until });
    vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer })]
}

/// Whether the person has dropped all that stands here.
fn is_dropped(stop: &Stop) -> bool {
    let payloads = stop.payloads();
    !payloads.is_empty() && payloads.iter().all(|one| one.is_dropped)
}

/// The hint of a key, where what stands was dropped.
pub fn hint(ui: &Ui, run: &Run, action: Action) -> Option<&'static str> {
    let (_, stop) = select::stop_page(run).filter(|(checkpoint, _)| checkpoint.answer.is_none())?;
    let payloads = stop.payloads();
    let shown = payloads.get(ui.stop.one.min(payloads.len().saturating_sub(1)))?;
    match action {
        Action::Approve if is_dropped(stop) => Some("go on without it"),
        Action::Drop if shown.is_dropped => Some("take it back in"),
        _ => None,
    }
}

fn send(run: &Run, checkpoint: &Checkpoint, edit: Edit) -> Result<Vec<Effect>, String> {
    checkpoint.accepts(&edit, run)?;
    Ok(vec![Effect::Send(Command::Edit { checkpoint: checkpoint.id, edit })])
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    use Action::{Approve, Drop, Edit, Others, Refuse, StepCall, StepEvent, StepHandoff, StepReport, Undo};
    let changes = matches!(action, Approve | Drop | Edit | Others | Refuse | Undo)
        || matches!(action, StepCall | StepEvent | StepHandoff | StepReport);
    if !changes {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let open = select::stop_page(run).filter(|(checkpoint, _)| checkpoint.answer.is_none());
    let Some((checkpoint, stop)) = open else {
        return Some("nothing stands here any more: it has gone on".into());
    };
    match action {
        Undo => checkpoint.accepts(&run::checkpoint::Edit::Undo, run).err().map(Clean::from),
        Edit | Drop | Refuse if matches!(stop.what, What::Happened { .. }) => {
            Some("nothing is about to cross here: this has happened, and is on record".into())
        }
        Refuse => {
            let refusal = Answer::Stop(stop::Answer::Refuse { why: "?".into() });
            checkpoint.allows(&refusal, run).err().map(Clean::from)
        }
        _ => None,
    }
}

fn missing(run: &Run) -> Option<Clean> {
    let none = match run.ended() {
        Some(_) => "no breakpoint has stopped this run",
        None => "no breakpoint has stopped this run: D lists them",
    };
    select::stop_page(run).is_none().then(|| none.into())
}

/// Sends the written text; the error is its fault.
pub fn submit(run: &Run, wording: Wording, words: &Clean) -> Result<Vec<Effect>, Wrong> {
    let Some((checkpoint, stop)) = select::stop_page(run) else { return Ok(Vec::new()) };
    match wording {
        Wording::Refusal => {
            let answer = Answer::Stop(stop::Answer::Refuse { why: Clean::line(words.trim()) });
            checkpoint.allows(&answer, run)?;
            Ok(vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer })])
        }
        Wording::Part { of, path } => {
            let payload = payload_with(stop, of, path, words)?;
            Ok(instead(run, checkpoint, of, payload)?)
        }
        Wording::Whole { of } => {
            let payload = run::Payload::read(words)
                .map_err(|error| Wrong { line: Some(error.line.saturating_sub(1)), why: error.to_string() })?;
            if stop.payloads().get(of).is_some_and(|one| *one.payload == payload) {
                return Ok(Vec::new());
            }
            Ok(instead(run, checkpoint, of, payload)?)
        }
    }
}

fn instead(run: &Run, checkpoint: &Checkpoint, of: usize, payload: run::Payload) -> Result<Vec<Effect>, String> {
    let of = u32::try_from(of).unwrap_or(u32::MAX);
    send(run, checkpoint, Edit::Stop(stop::Edit::Payload { of, payload: Box::new(payload) }))
}

fn payload_with(stop: &Stop, of: usize, path: Path, words: &str) -> Result<run::Payload, String> {
    let payloads = stop.payloads();
    let stands = payloads.get(of).ok_or("this is not there any more")?;
    parts::with(stands.payload, path, words)
}
