//! The home screen: starts a new run from a question and sources, or opens an earlier run. Pure, as all screens are: it asks the
//! program ([`Ask`]) about the world, and is told.

mod act;
mod ask;
mod asking;
mod draw;
mod help;
mod keys;
mod runs;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::field::{MOST_PASTED, PASTE_WAS_CUT};
use crate::outside::Back;
use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::spot::Mouse;
use run::RunId;
use run::search::Searched;

pub use ask::{Aid, Ask, Settings, Told};
pub use draw::draw;
pub use help::Helping;
pub use keys::{FILTER_KEYS, KEYS, RUN_KEYS, SETTING_KEYS, TOGETHER, WRITING_KEYS};
pub use runs::{Entry, RunLine};

#[derive(Clone, Default)]
pub struct Home {
    /// Earlier runs, those that need the person first.
    pub runs: Vec<RunLine>,
    /// Folders and files to start with.
    pub sources: Vec<String>,
    pub question: String,
    /// The teams there are, the default first.
    pub teams: Vec<Clean>,
    /// The drills there are, with the failure in each.
    pub drills: Vec<(&'static str, &'static str)>,
    /// The models that a new run would use: "claude-sonnet-5-5 and 2 more"; None without any.
    pub models: Option<Clean>,
    /// A message to the person, such as why a run could not start.
    pub message: Option<Clean>,
    /// Whether a source that cannot be read is why: the cursor goes there.
    pub wrong_source: bool,
    /// The earlier run that was looked at last: the list is in front with it.
    pub looked_at: Option<RunId>,
    /// The part of the page that stays as it was left.
    pub stays: Stays,
    /// Answers the questions of the screen; None for a screen that is only looked at.
    pub aid: Option<Aid>,
}

/// The state of the page that is kept while the person looks at something they opened from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stays {
    /// As they were written; they take the place of those to start with. None before the page was left.
    pub sources: Option<Vec<String>>,
    pub settings: Settings,
    /// The words that the shown runs contain.
    pub filter: Clean,
    pub shows_drills: bool,
    /// The deletions that could not be done when the page was left, and why.
    pub not_deleted: Option<Clean>,
    pub(crate) counted: BTreeMap<String, Result<Clean, Clean>>,
    pub(crate) texts: BTreeMap<RunId, Searched>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    Ask {
        question: Clean,
        /// Folders and files to search.
        sources: Vec<String>,
        settings: Settings,
    },
    Open(RunId),
    /// Show two runs side by side.
    Compare(RunId, RunId),
    Replay(RunId),
    /// Choose a moment of a run, for a new run that begins as it was then.
    Fork(RunId),
    /// The example question over the example documents.
    Example,
    Drill(&'static str),
    Quit,
}

#[derive(Clone, Debug)]
pub struct HomeUi {
    pub question: Field,
    /// The sources, one a line.
    pub sources: Field,
    pub runs: Vec<RunLine>,
    /// The selected row of the list.
    pub selected: usize,
    /// The run that another is to be compared with.
    pub beside: Option<RunId>,
    pub focus: HomeBox,
    /// The help page, if it is shown.
    pub help: Option<Helping>,
    /// The models that a new run would use.
    pub models: Option<Clean>,
    pub status: Option<Clean>,
    pub seen: Seen,
    pub settings: Settings,
    pub teams: Vec<Clean>,
    /// The setting that keys change.
    pub setting: Setting,
    /// The program's offer for these settings.
    pub offer: Option<Clean>,
    /// The content of the sources, by their lines.
    pub counted: BTreeMap<String, Result<Clean, Clean>>,
    /// The sources that are being counted, by their lines.
    pub counting: Option<String>,
    /// The possible continuations of the path under the cursor.
    pub choices: Vec<String>,
    /// Words that the shown runs contain, and whether they are being typed.
    pub filter: Option<Field>,
    pub filtering: bool,
    pub drills: Vec<(&'static str, &'static str)>,
    pub shows_drills: bool,
    /// Runs that are deleted once the page is left, the last last.
    pub deleted: Vec<RunId>,
    texts: BTreeMap<RunId, Searched>,
    /// The number of the earlier question in the box, 0 for the last; and the text that stood there before.
    recalled: Option<(usize, String)>,
    /// Whether something was written among the sources since they were counted.
    rewritten: bool,
    asks: Vec<Ask>,
    /// Counts and completions that are still to be told.
    open: usize,
    /// The spots of the last frame; later ones lie over earlier ones.
    spots: Vec<(Rect, HomeSpot)>,
    interrupted_at: Option<Duration>,
    /// The time at which text was pasted, or a key came with it.
    pasted_at: Option<Duration>,
}

/// The result of a key: the person's choice, or an effect for the loop.
pub type Step = ControlFlow<Choice, Option<Effect>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeBox {
    Question,
    Sources,
    Settings,
    Runs,
}

/// A setting of a new run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Team,
    Lead,
    Cap,
}

impl Setting {
    /// All of them, in the order in which they stand on the page.
    pub const ALL: [Setting; 3] = [Setting::Team, Setting::Lead, Setting::Cap];

    /// The next one; after the last, the first.
    fn later(self) -> Setting {
        match self {
            Setting::Team => Setting::Lead,
            Setting::Lead => Setting::Cap,
            Setting::Cap => Setting::Team,
        }
    }

    /// The one before; before the first, the last.
    fn earlier(self) -> Setting {
        self.later().later()
    }
}

/// Something that can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeSpot {
    Box(HomeBox),
    Setting(Setting),
    /// A row of the list below, among those that are shown.
    Entry(usize),
}

/// The parts that the last frame showed, with their places.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub seen: Seen,
    pub spots: Vec<(Rect, HomeSpot)>,
}

impl HomeUi {
    pub fn new(home: Home) -> HomeUi {
        let stays = home.stays;
        let settings = match (stays.settings.team.is_empty(), home.teams.first()) {
            (true, Some(first)) => Settings { team: first.clone(), ..stays.settings },
            _ => stays.settings,
        };
        let sources = stays.sources.unwrap_or(home.sources);
        let filters = !stays.filter.is_empty() && !home.runs.is_empty();
        let mut ui = HomeUi {
            question: Field::new(&home.question, Lines::Many),
            sources: Field::new(&sources.join("\n"), Lines::Many),
            runs: home.runs,
            selected: 0,
            beside: None,
            focus: if home.wrong_source { HomeBox::Sources } else { HomeBox::Question },
            help: None,
            models: home.models,
            status: home.message,
            seen: Seen::default(),
            settings,
            teams: home.teams,
            setting: Setting::Team,
            offer: None,
            counted: stays.counted,
            counting: None,
            choices: Vec::new(),
            filter: filters.then(|| Field::new(&stays.filter, Lines::One)),
            filtering: false,
            drills: home.drills,
            shows_drills: stays.shows_drills,
            deleted: Vec::new(),
            texts: stays.texts,
            recalled: None,
            rewritten: false,
            asks: Vec::new(),
            open: 0,
            spots: Vec::new(),
            interrupted_at: None,
            pasted_at: None,
        };
        let is_there = |looked_at: RunId| {
            let is_it = |entry: &Entry| matches!(entry, Entry::Run(n) if ui.runs[*n].id == looked_at);
            ui.entries().iter().position(is_it)
        };
        if let Some(at) = home.looked_at.and_then(is_there) {
            (ui.focus, ui.selected) = (HomeBox::Runs, at);
        }
        ui.wants(Ask::Offer(ui.settings.clone()));
        let needs_reading = |run: &RunLine| run.is_active || matches!(run.state.mark, Mark::NeedsYou | Mark::Paused);
        if ui.runs.iter().any(needs_reading) {
            // Spending and alarms are read after the first frame, also of those that were left in the middle.
            ui.wants(Ask::Runs);
        }
        if filters {
            // The texts of runs may have changed since.
            ui.wants(Ask::Texts);
        }
        ui
    }

    /// The part of the page that is to be there again.
    pub fn stays(&self) -> Stays {
        Stays {
            sources: Some(self.sources()),
            settings: self.settings.clone(),
            filter: self.filter.as_ref().map(Field::text).unwrap_or_default(),
            shows_drills: self.shows_drills,
            not_deleted: None,
            counted: self.counted.clone(),
            texts: self.texts.clone(),
        }
    }

    /// A frame was shown.
    pub fn drawn(&mut self, shown: Shown) {
        (self.seen, self.spots) = (shown.seen, shown.spots);
    }

    /// A click selects the thing drawn there; the wheel goes through the runs, or scrolls the help. Nothing is started.
    pub fn mouse(&mut self, mouse: Mouse, at: (u16, u16)) {
        let spot = self.spots.iter().rfind(|(area, _)| area.contains(at.into())).map(|(_, spot)| *spot);
        let action = match mouse {
            Mouse::Click => return self.click(spot),
            Mouse::WheelUp => Action::Up,
            Mouse::WheelDown => Action::Down,
        };
        if self.help.is_some() {
            let _ = self.act_in_help(action, Duration::ZERO);
            return;
        }
        self.focus = HomeBox::Runs;
        self.selected = chosen(action, self.selected, self.entries().len());
    }

    fn click(&mut self, spot: Option<HomeSpot>) {
        (self.status, self.filtering) = (None, false);
        let was = self.focus;
        match spot {
            None => return,
            Some(HomeSpot::Box(focus)) => self.focus = focus,
            Some(HomeSpot::Setting(n)) => (self.focus, self.setting) = (HomeBox::Settings, n),
            Some(HomeSpot::Entry(n)) => (self.focus, self.selected) = (HomeBox::Runs, n),
        }
        if was == HomeBox::Sources && self.focus != was {
            self.count();
        }
    }

    /// The keys that work now.
    fn keys(&self) -> Vec<&'static Keys> {
        match self.help {
            Some(_) => help::KEYS.to_vec(),
            None => self.explained(),
        }
    }

    /// The keys that the help page lists.
    fn explained(&self) -> Vec<&'static Keys> {
        let [runs, question, settings, sources, filter] = TOGETHER;
        match self.focus {
            HomeBox::Runs if self.filtering => filter,
            HomeBox::Runs => runs,
            HomeBox::Question => question,
            HomeBox::Settings => settings,
            HomeBox::Sources => sources,
        }
        .to_vec()
    }

    pub fn sources(&self) -> Vec<String> {
        let lines = self.sources.lines().iter();
        lines.map(|line| Clean::line(line).to_string()).filter(|line| !line.is_empty()).collect()
    }

    /// Text was pasted: it goes into the focused field and starts nothing.
    pub fn paste(&mut self, text: &str, at: Duration) {
        self.pasted_at = Some(at);
        match self.field() {
            Some(field) => {
                field.paste(text);
                self.edited();
                if text.len() >= MOST_PASTED {
                    self.status = Some(PASTE_WAS_CUT.into());
                }
            }
            None => self.status = Some("there is no text field here to paste into".into()),
        }
    }

    /// The person's text from elsewhere comes into its field.
    pub fn back(&mut self, back: Back) {
        match back {
            Back::Read => {}
            Back::Failed(why) => self.status = Some(Clean::line(&why)),
            Back::Written { text, .. } => {
                if let Some(field) = self.field() {
                    field.set(&text);
                    self.edited();
                }
            }
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        if let Some(helping) = &mut self.help {
            return helping.filtering.then_some(&mut helping.filter);
        }
        match self.focus {
            HomeBox::Question => Some(&mut self.question),
            HomeBox::Sources => Some(&mut self.sources),
            HomeBox::Runs if self.filtering => self.filter.as_mut(),
            HomeBox::Runs | HomeBox::Settings => None,
        }
    }

    /// The text in front was changed.
    fn edited(&mut self) {
        match (&mut self.help, self.focus) {
            (Some(helping), _) => helping.choice = 0,
            (None, HomeBox::Question) => self.recalled = None,
            (None, HomeBox::Sources) => self.rewritten = true,
            (None, HomeBox::Runs) => self.selected = 0,
            (None, HomeBox::Settings) => {}
        }
    }

    /// A question that was written and not asked.
    pub fn draft(&self) -> String {
        match &self.recalled {
            Some((_, own)) => own.clone(),
            None => self.question.text().trim().to_owned(),
        }
    }
}
