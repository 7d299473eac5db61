//! The steps of a transcript that can be opened or copied, block by block, for each of its tabs. It lays out nothing.

use std::sync::Arc;

use run::stage::Conversation;
use run::transcript::{Call, Did, Turn};
use run::{Assignment, AssignmentId, CallId, HandoffNo};

/// The part of a transcript that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tab {
    #[default]
    Transcript,
    /// The work it was handed.
    In,
    /// Its report.
    Out,
    Calls,
}

impl Tab {
    pub fn next(self) -> Tab {
        match self {
            Tab::Transcript => Tab::In,
            Tab::In => Tab::Out,
            Tab::Out => Tab::Calls,
            Tab::Calls => Tab::Transcript,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Tab::Transcript => "transcript",
            Tab::In => "handoff in",
            Tab::Out => "report out",
            Tab::Calls => "calls",
        }
    }
}

/// A step of a transcript, to be opened or copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Handoff(HandoffNo),
    /// A handoff that was refused before it was sent: by whom it was to be sent, and the index of its turn.
    Refused(AssignmentId, usize),
    Call(CallId),
    Exchange(CallId),
}

/// The steps that are shown, in order.
pub fn steps(assignment: &Assignment, tab: Tab) -> Vec<Step> {
    (0..blocks(assignment)).flat_map(|n| steps_of(assignment, tab, n)).collect()
}

/// The number of blocks of a transcript, each laid out by itself: its handoff, each turn, later messages of the person, its report.
pub fn blocks(assignment: &Assignment) -> usize {
    assignment.transcript.turns.len() + 3
}

/// The steps of a block.
pub(super) fn steps_of(assignment: &Assignment, tab: Tab, n: usize) -> Vec<Step> {
    let turns = &assignment.transcript.turns;
    let report = || assignment.ended.as_ref().map(|(_, report)| Step::Handoff(report.no));
    let Some(turn) = n.checked_sub(1) else {
        let is_shown = matches!(tab, Tab::Transcript | Tab::In);
        return is_shown.then_some(Step::Handoff(assignment.transcript.handoff.no)).into_iter().collect();
    };
    match turns.get(turn).map(|turn| &turn.did) {
        Some(Did::Tools(calls)) if matches!(tab, Tab::Transcript | Tab::Calls) => {
            calls.iter().map(|call| Step::Call(call.id)).collect()
        }
        Some(Did::Refused { unsent: Some(_), .. }) if tab == Tab::Transcript => {
            vec![Step::Refused(assignment.id, turn)]
        }
        Some(Did::Asked(asked))
            if tab == Tab::Calls || tab == Tab::Transcript && tools_after(turns, turn).is_none() =>
        {
            vec![Step::Exchange(asked.call)]
        }
        Some(Did::HandOffs(sent)) if tab == Tab::Transcript => {
            sent.iter().map(|sent| Step::Handoff(sent.handoff.no)).collect()
        }
        None if turn == turns.len() + 1 && matches!(tab, Tab::Transcript | Tab::Out) => report().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The tool calls that a model's answer in this turn asked for: they follow it. The program's own look at what its quotes are from is none.
pub(super) fn tools_after(turns: &[Arc<Turn>], n: usize) -> Option<&[Call]> {
    let Did::Asked(asked) = &turns.get(n)?.did else { return None };
    asked.reply()?;
    match &turns.get(n + 1).filter(|next| next.stage != Conversation::Verify.into())?.did {
        Did::Tools(calls) if !calls.is_empty() => Some(calls),
        _ => None,
    }
}
