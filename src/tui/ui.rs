//! The state of a run's screen beside the run itself: the page, selections, text being typed, messages.
//!
//! A frame is drawn from this and the folded run, nothing else.

use std::sync::Arc;
use std::time::Duration;

use super::link::Mode;
use super::live::{Batch, Live};
use super::overlays::Overlay;
use super::screens::brief::BriefPage;
use super::screens::draft::DraftPage;
use super::screens::findings::FindingsPage;
use super::screens::plan::PlanPage;
use super::screens::stop::StopPage;
use super::screens::team::TeamPage;
use super::screens::{self, Page};
use super::speed::Speed;
use super::update::Effect;
use run::progress::Saying;
use run::{AssignmentId, At, CallId, CheckpointId, Exercise, Run, Seq};
use text::Clean;

/// A warning that leaving now loses something, and the state at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warned {
    /// The message.
    pub said: Clean,
    /// The things that would be lost.
    pub lost: String,
    /// The checkpoint that was open.
    pub asks: Option<CheckpointId>,
}

#[derive(Clone, Debug, Default)]
pub struct Ui {
    pub mode: Mode,
    pub moment: Moment,
    /// Whether it moves on by itself, event by event.
    pub playing: bool,
    pub speed: Speed,
    pub page: Page,
    pub overlay: Overlay,
    pub team: TeamPage,
    pub findings: FindingsPage,
    pub plan: PlanPage,
    pub draft: DraftPage,
    pub stop: StopPage,
    pub brief: BriefPage,
    /// A message on the last line, until the next key.
    pub status: Option<Clean>,
    /// The warning that stands there, if it is one about leaving.
    pub warned: Option<Warned>,
    pub desk: Desk,
    /// Files read and all files, while the sources are being read.
    pub reading: Option<(u64, u64)>,
    pub live: Live,
    /// The time, as of the last message that brought it.
    pub now: At,
    pub seen: Seen,
    /// The time of the last paste; keys right after it approve nothing.
    pub pasted_at: Option<Duration>,
    pub interrupted_at: Option<Duration>,
    /// The time of the last key.
    pub pressed_at: Option<Duration>,
    /// The page that the screen has turned to by itself, until a key has been pressed on it.
    pub turned: Option<Turned>,
    pub exercises: Option<Exercises>,
    pub noticed: Noticed,
    /// Another run that the inspector compares with, by its name.
    pub beside: Option<(Clean, Arc<Run>)>,
    /// Whether other runs can be read.
    pub reads_others: bool,
    /// Whether anything on the screen moves by itself while work goes on.
    pub moves: bool,
}

/// Finds an exercise by its name; provided by the front end.
pub type Exercises = fn(&str) -> Option<Exercise>;

/// The events to which the screen has turned by itself, so that it does so once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    pub checkpoint: Option<CheckpointId>,
    pub brief: bool,
}

/// A page, or one less dialog, that the person did not ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// The time at which it was first drawn; None while nobody can have seen it.
    pub shown_at: Option<Duration>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    #[default]
    Latest,
    /// An earlier one; the latest event is this.
    Earlier { latest: Seq },
}

/// Whether the desk still works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Desk {
    /// As far as is known.
    #[default]
    Working,
    /// It has stopped, perhaps with a message.
    Stopped(Option<Clean>),
}

/// The extent of the scrolled parts in the last frame: only drawing knows their length at this width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The first line shown.
    pub at: usize,
    /// The highest first line.
    pub most: usize,
    /// The number of lines shown at once.
    pub page: usize,
    /// The cells of a line, for a text that is wrapped as it is walked through.
    pub cells: usize,
    /// The number of lines in all, for growing text.
    pub lines: usize,
    /// The assignment whose pane has these lines.
    pub pane: Option<AssignmentId>,
    /// The step of that pane from which keys go on: the one that holds the found words, else the first in view. None where
    /// the pane follows its end.
    pub step: Option<usize>,
    /// The number of found places above the first line shown: a search goes on from there.
    pub found_above: usize,
    /// The number of all of them.
    pub found: usize,
    /// The rows that the graph has, drawn or not.
    pub graph_rows: usize,
    /// Whether the graph was drawn as boxes, so that arrows lead from one to another.
    pub is_boxes: bool,
    /// Whether the page shows panes and has no room for the graph beside them.
    pub no_graph: bool,
    /// Whether the screen is too small for a page, so that nothing can be decided on it.
    pub tiny: bool,
    /// Whether the page shows beside it the view that Enter would open.
    pub beside: bool,
}

impl Ui {
    pub fn new(mode: Mode, now: At) -> Ui {
        let status = match &mode {
            Mode::ReadOnly(why) => Some(why.clone()),
            Mode::Live | Mode::Replay => None,
        };
        Ui { mode, now, status, ..Ui::default() }
    }

    /// Takes in a piece of an answer as it comes.
    pub fn hears(&mut self, call: CallId, what: Saying, piece: &Clean) {
        self.live.streams(&Batch::of(call, what, piece).take());
    }

    pub fn drawn(&mut self, seen: Seen) {
        self.seen = seen;
        if let Some(scrolled) = seen.pane.and_then(|id| self.team.scrolled.get_mut(&id)) {
            scrolled.of.get_or_insert(seen.lines);
        }
        if let Some(scroll) = (screens::front(self).scroll)(self) {
            *scroll = seen.at;
        }
    }

    /// A frame was shown at this time.
    pub fn shown(&mut self, at: Duration) {
        if let Some(turned) = &mut self.turned {
            turned.shown_at.get_or_insert(at);
        }
    }

    /// Whether the run on the screen may be at work just now: not in a replay, not in the past, not without a desk.
    pub fn is_at_work(&self) -> bool {
        self.mode != Mode::Replay && self.moment == Moment::Latest && self.desk == Desk::Working
    }

    /// Whether an earlier moment than the latest is shown.
    pub fn is_past(&self) -> bool {
        self.moment != Moment::Latest
    }

    /// The time at the moment shown: the clock's only for a live run at its latest event.
    pub fn time(&self, run: &Run) -> At {
        let live = self.moment == Moment::Latest && self.mode != Mode::Replay;
        if live { self.now } else { run.at }
    }

    /// The reason why nothing of the run may be changed here; None if it may.
    pub fn may_not_change(&self, run: &Run) -> Option<Clean> {
        match (&self.mode, self.moment, &self.desk) {
            (Mode::Replay, ..) => Some("this is a replay: nothing can be changed".into()),
            (Mode::ReadOnly(why), ..) => Some(why.clone()),
            (_, Moment::Earlier { .. }, _) => {
                Some("this is an earlier moment of the run: } goes back to the latest".into())
            }
            _ if run.ended().is_some() => Some("the run has ended".into()),
            (.., Desk::Stopped(Some(why))) => Some(why.clone()),
            (.., Desk::Stopped(None)) => Some("no process works on this run any more: leave and resume it".into()),
            _ => None,
        }
    }

    /// Closes the dialog if the input was accepted; else shows why not, and the input stays.
    pub fn submitted(&mut self, sent: Result<Vec<Effect>, String>) -> Vec<Effect> {
        if sent.is_ok() {
            self.overlay = Overlay::None;
        }
        self.accepted(sent)
    }

    /// The effects, or none and the reason as a message.
    pub fn accepted(&mut self, sent: Result<Vec<Effect>, String>) -> Vec<Effect> {
        sent.unwrap_or_else(|why| {
            self.status = Some(Clean::line(&why));
            Vec::new()
        })
    }
}
