//! What the screen remembers that the run does not know: which page, what is selected, what is being typed.
//!
//! Nothing here is true of the run. The run is folded beside it, and both together are all a frame is drawn from.

use std::time::Duration;

use super::link::Mode;
use super::live::Live;
use super::overlays::Overlay;
use super::screens::brief::BriefPage;
use super::screens::findings::FindingsPage;
use super::screens::plan::PlanPage;
use super::screens::team::TeamPage;
use super::screens::{self, Page};
use super::update::Effect;
use run::{At, CheckpointId, Exercise, Run, Seq};
use text::Clean;

/// The state of a run's screen.
#[derive(Clone, Debug)]
pub struct Ui {
    /// How the run is followed.
    pub mode: Mode,
    /// Whether the moment shown is the latest one, or one that was stepped back to.
    pub moment: Moment,
    /// Whether the moment shown moves on by itself.
    pub reel: Reel,
    /// What fills the screen.
    pub page: Page,
    /// What lies over it.
    pub overlay: Overlay,
    /// The team page.
    pub team: TeamPage,
    /// The findings page.
    pub findings: FindingsPage,
    /// The plan page.
    pub plan: PlanPage,
    /// The brief page.
    pub brief: BriefPage,
    /// A word to the person on the last line, until the next key.
    pub status: Option<Clean>,
    /// How the desk ended, if it has.
    pub desk: Desk,
    /// Files read and files there are, while the sources are being read.
    pub reading: Option<(u64, u64)>,
    /// What model calls say and wait for as they go.
    pub live: Live,
    /// The clock, as of the last message that brought it.
    pub now: At,
    /// What the last frame showed of the thing that scrolls.
    pub seen: Seen,
    /// When the last paste came; keys right behind it approve nothing.
    pub pasted_at: Option<Duration>,
    /// When Ctrl-C was last pressed.
    pub interrupted_at: Option<Duration>,
    /// Finds the exercise that a run says it is.
    pub exercises: Exercises,
    /// What the screen has already turned to of itself, so that it does so once.
    pub noticed: Noticed,
}

/// Finds an exercise by its name. The front end knows which there are.
pub type Exercises = fn(&str) -> Option<Exercise>;

/// What the screen has turned to of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// The last checkpoint it went to.
    pub checkpoint: Option<CheckpointId>,
    /// Whether it went to the brief.
    pub brief: bool,
}

/// Which moment of the run is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The latest there is.
    Latest,
    /// An earlier one; the journal has gone on to this event.
    Earlier {
        /// The last event there is.
        latest: Seq,
    },
}

/// Whether the moment shown moves on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reel {
    /// It stays, or is the latest.
    Still,
    /// One event after another, at a pace that can be followed.
    Playing,
}

/// Whether the desk still works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Desk {
    /// It does, as far as is known.
    Working,
    /// It has stopped, perhaps with a word for the person.
    Stopped(Option<Clean>),
}

/// What the last frame showed of the thing that scrolls: the view alone knows how long it is at this width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The first line shown.
    pub at: usize,
    /// The last line that may come first.
    pub most: usize,
    /// How many lines there was room for.
    pub page: usize,
}

impl Ui {
    /// A screen that has just opened.
    pub fn new(mode: Mode, now: At) -> Ui {
        let status = match &mode {
            Mode::ReadOnly(why) => Some(why.clone()),
            Mode::Live | Mode::Replay => None,
        };
        Ui {
            mode,
            exercises: |_| None,
            moment: Moment::Latest,
            reel: Reel::Still,
            page: Page::Team,
            overlay: Overlay::None,
            team: TeamPage::default(),
            findings: FindingsPage::default(),
            plan: PlanPage::default(),
            brief: BriefPage::default(),
            status,
            desk: Desk::Working,
            reading: None,
            live: Live::default(),
            now,
            seen: Seen::default(),
            pasted_at: None,
            interrupted_at: None,
            noticed: Noticed::default(),
        }
    }

    /// Takes over what the frame just drawn found out about lengths.
    pub fn drawn(&mut self, seen: Seen) {
        self.seen = seen;
        if let Some(scroll) = (screens::front(self).scroll)(self) {
            *scroll = seen.at;
        }
    }

    /// Why nothing of the run may be changed here, for the person; None if it may.
    pub fn may_not_change(&self, run: &Run) -> Option<Clean> {
        match (&self.mode, self.moment, &self.desk) {
            (Mode::Replay, ..) => Some("this is a replay: nothing can be changed".into()),
            (Mode::ReadOnly(why), ..) => Some(why.clone()),
            (_, Moment::Earlier { .. }, _) => {
                Some("this is an earlier moment of the run: } goes back to the latest".into())
            }
            _ if run.ended().is_some() => Some("the run has ended".into()),
            (.., Desk::Stopped(Some(why))) => Some(why.clone()),
            (.., Desk::Stopped(None)) => Some("nobody works on this run any more: leave and resume it".into()),
            _ => None,
        }
    }

    /// What was written or chosen is sent and its box closes; what is not right is said, and stays to be put right.
    pub fn submitted(&mut self, sent: Result<Vec<Effect>, impl AsRef<str>>) -> Vec<Effect> {
        match sent {
            Ok(effects) => {
                self.overlay = Overlay::None;
                effects
            }
            Err(why) => {
                self.status = Some(Clean::line(why.as_ref()));
                Vec::new()
            }
        }
    }
}
