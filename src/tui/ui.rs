//! What the screen remembers that the run does not know: which page, what is selected, what is being typed.
//!
//! Nothing here is true of the run. The run is folded beside it, and both together are all a frame is drawn from.

use std::collections::BTreeMap;
use std::time::Duration;

use super::field::Field;
use super::graph::Folds;
use super::live::Live;
use super::stage::Mode;
use run::{AssignmentId, At, CallId, Cap, CheckpointId, Exercise, FindingId, HandoffNo, Seq, TaskId};
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

/// What fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Graph, panes, handoffs.
    Team,
    /// The findings checkpoint.
    Findings,
    /// The brief.
    Brief,
    /// The plan checkpoint.
    Plan,
}

/// What lies over the page.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// Nothing.
    None,
    /// Which keys do what.
    Help {
        /// First line shown.
        scroll: usize,
    },
    /// A handoff with its whole payload.
    Payload {
        /// Which.
        no: HandoffNo,
        /// How it is shown.
        form: Form,
        /// First line shown.
        scroll: usize,
    },
    /// What was said to a model and what it answered, to the letter.
    Exchange {
        /// Which call.
        call: CallId,
        /// How it is shown.
        form: Form,
        /// First line shown.
        scroll: usize,
    },
    /// The findings behind a citation, with their passages.
    Passage {
        /// Which.
        findings: Vec<FindingId>,
        /// First line shown.
        scroll: usize,
    },
    /// Words are being written.
    Writing {
        /// What for.
        purpose: Purpose,
        /// What was written so far.
        field: Field,
    },
    /// The filter of the findings is being written.
    Filtering(Field),
    /// A new cap of the run is being written.
    Raising {
        /// Which cap.
        cap: Cap,
        /// What was written so far.
        field: Field,
    },
    /// A question of a specialist is being answered.
    Answering {
        /// The place of the choice in front, where there are choices.
        choice: usize,
        /// What was written so far, where there are none.
        words: Field,
    },
    /// Somebody else is chosen for the work of an assignment.
    Choosing {
        /// Whose work it is.
        assignment: AssignmentId,
        /// Which of those who could do it, by place.
        choice: usize,
    },
    /// Are you sure?
    Confirm(Doubt),
}

/// How a payload is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a tree.
    Tree,
    /// As the JSON that was recorded.
    Raw,
}

/// What words are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A finding in other words.
    Edit(FindingId),
    /// A fact of the person's own, for a task or for none.
    Add(Option<TaskId>),
    /// More research, for a task or for the whole question.
    More(Option<TaskId>),
    /// A task of the person's own: title and question.
    AddTask,
    /// What a task asks.
    Question(TaskId),
    /// What a task is called.
    Title(TaskId),
    /// What a task waits for, as numbers of rows.
    After(TaskId),
    /// What is wished of another plan.
    AnotherPlan,
    /// A word to a specialist at work.
    Tell(AssignmentId),
}

/// What is asked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Stop the run for good?
    Cancel,
    /// Approve with no finding left?
    ApproveNothing,
    /// End this assignment for good?
    CancelOne(AssignmentId),
    /// Give up what this assignment has done, and begin anew?
    RetryOne(AssignmentId),
}

/// The team page.
#[derive(Clone, Debug)]
pub struct TeamPage {
    /// What the keys act on.
    pub focus: Focus,
    /// The pane in front; None follows whoever worked last.
    pub pane: Option<AssignmentId>,
    /// The assignment whose work the person gave to another: that one's pane comes to the front when it is there.
    pub awaits: Option<AssignmentId>,
    /// Whether the focused part fills the page.
    pub zoom: Zoom,
    /// First line shown in each pane that was scrolled; the others follow their end.
    pub scrolled: BTreeMap<AssignmentId, usize>,
    /// Which groups of the graph are folded, and which are open.
    pub folds: Folds,
    /// The selected handoff; None follows the latest.
    pub handoff: Option<HandoffNo>,
}

/// What the keys of the team page act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The panes.
    Panes,
    /// The list of handoffs.
    Handoffs,
    /// The graph.
    Graph,
}

/// Whether the focused part fills its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    /// All parts side by side.
    All,
    /// The focused one alone.
    One,
}

/// The findings page.
#[derive(Clone, Debug, Default)]
pub struct FindingsPage {
    /// The selected finding; the first where it is gone.
    pub selected: Option<FindingId>,
    /// Only findings that hold these words; empty for all.
    pub filter: Clean,
}

/// The plan page.
#[derive(Clone, Debug, Default)]
pub struct PlanPage {
    /// The selected task; the first where it is gone.
    pub selected: Option<TaskId>,
}

/// The brief page.
#[derive(Clone, Debug, Default)]
pub struct BriefPage {
    /// First line shown.
    pub scroll: usize,
    /// The citation the keys act on, in reading order.
    pub cite: Option<usize>,
    /// Whether that citation is to be brought into view.
    pub reveal: bool,
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
            team: TeamPage {
                focus: Focus::Panes,
                pane: None,
                awaits: None,
                zoom: Zoom::All,
                scrolled: BTreeMap::new(),
                folds: Folds::default(),
                handoff: None,
            },
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
        match (&mut self.overlay, self.page) {
            (
                Overlay::Help { scroll }
                | Overlay::Payload { scroll, .. }
                | Overlay::Exchange { scroll, .. }
                | Overlay::Passage { scroll, .. },
                _,
            ) => *scroll = seen.at,
            (Overlay::None, Page::Brief) => {
                self.brief.scroll = seen.at;
                self.brief.reveal = false;
            }
            _ => {}
        }
    }
}
