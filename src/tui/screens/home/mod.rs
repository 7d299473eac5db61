//! The home screen: starts a new run from a question and sources, or opens an earlier run. Pure, as all screens are: what it
//! wants to know of the world it asks the program ([`Ask`]), and is told.

mod ask;
mod draw;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::field::{MOST_PASTED, PASTE_WAS_CUT};
use crate::keymap::{self, F1, Key};
use crate::mark::State;
use crate::outside::Back;
use crate::prelude::*;
use crate::screens::everywhere::{self, chosen, moved};
use crate::spot::Mouse;
use crate::update::{CAME_WITH_A_PASTE, came_with_a_paste, interrupted_twice};
use run::RunId;
use run::search::{Searched, Wanted};

pub use ask::{Aid, Ask, Settings, Told};
pub use draw::draw;

pub static KEYS: Keys = Keys {
    title: "home",
    groups: &[&[
        row(&[ENTER], Action::Start, Some("start"), "start, or open what is selected"),
        row(
            &[TAB],
            Action::NextBox,
            Some("next box"),
            "next box; among the sources it first completes a path and counts",
        ),
        row(&[BACK_TAB], Action::Previous, None, "box before"),
        row(
            &[Key::Plain(KeyCode::F(2))],
            Action::Example,
            None,
            "ask an example question of the documents that come along",
        ),
        row(
            &[Key::Plain(KeyCode::F(3))],
            Action::Drills,
            None,
            "to the drills: watch a team fail, and what catches it",
        ),
        row(&[ESC], Action::Quit, Some("quit"), "leave; a question that was not asked is kept"),
        row(&[F1], Action::Help, Some("help"), "this help"),
    ]],
};

pub static WRITING_KEYS: Keys = Keys {
    title: "the question",
    groups: &[&[
        row(&[UP], Action::Up, None, "in the first line: the question asked before"),
        row(&[DOWN], Action::Down, None, "in the last line: the question asked after, then your own"),
    ]],
};

pub static SETTING_KEYS: Keys = Keys {
    title: "team, lead and cap",
    groups: &[&[
        row(&[LEFT], Action::Earlier, Some("before"), "the setting before"),
        row(&[RIGHT], Action::Later, Some("next"), "the next setting"),
        row(&[c(' '), UP, DOWN], Action::Toggle, Some("change"), "another team or lead; a cap is typed"),
    ]],
};

pub static RUN_KEYS: Keys = Keys {
    title: "earlier runs",
    groups: &[&[
        row(&[c('j'), DOWN], Action::Down, None, "next run"),
        row(&[c('k'), UP], Action::Up, None, "run before"),
        row(&[c('g')], Action::Top, None, "first run"),
        row(&[c('G')], Action::End, None, "last run"),
        row(
            &[c('c')],
            Action::Compare,
            Some("compare"),
            "compare this run with another: c on the one, then c on the other",
        ),
        row(
            &[c('/')],
            Action::Filter,
            Some("find"),
            "show only runs with these words in question, findings, brief or tags",
        ),
        row(&[c('r')], Action::Replay, Some("replay"), "replay the run: nothing of it changes"),
        row(&[c('e')], Action::Export, Some("export"), "write its brief to a file in this folder"),
        row(&[c('d')], Action::Delete, Some("delete"), "delete the run once you leave this page"),
        row(&[c('u')], Action::Undo, None, "take the last deletion back"),
        row(&[c('?')], Action::Help, None, "the help of this page"),
        row(&[c('q')], Action::Quit, None, "leave"),
    ]],
};

/// The tables in which keys are looked up: among the runs, in the question, the settings, the sources.
pub static TOGETHER: [&[&Keys]; 4] = [
    &[&RUN_KEYS, &KEYS, &everywhere::KEYS],
    &[&KEYS, &WRITING_KEYS, &everywhere::KEYS],
    &[&SETTING_KEYS, &KEYS, &everywhere::KEYS],
    &[&KEYS, &everywhere::KEYS],
];

#[derive(Clone, Default)]
pub struct Home {
    /// Earlier runs, those that need the person first.
    pub runs: Vec<RunLine>,
    /// Folders and files to start with.
    pub sources: Vec<String>,
    pub question: String,
    /// The teams there are, the default first.
    pub teams: Vec<Clean>,
    pub settings: Settings,
    /// The drills there are, with what goes wrong in each.
    pub drills: Vec<(&'static str, &'static str)>,
    /// The models that a new run would use: "claude-sonnet-5-5 and 2 more"; None without any.
    pub models: Option<Clean>,
    /// A message to the person, such as why a run could not start.
    pub message: Option<Clean>,
    /// The source that could not be read, if that is why: the cursor goes there.
    pub wrong_source: bool,
    /// Answers what the screen asks; None for a screen that is only looked at.
    pub aid: Option<Aid>,
}

#[derive(Clone, Debug)]
pub struct RunLine {
    pub id: RunId,
    pub state: State,
    pub question: Clean,
    /// What the person tagged it with: "#databases #2026".
    pub tags: Clean,
    /// Since it was opened: "2 h".
    pub age: Clean,
    pub cost: Clean,
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
    /// The first line of the help page, if it is shown.
    pub help: Option<usize>,
    /// The models that a new run would use.
    pub models: Option<Clean>,
    pub status: Option<Clean>,
    pub seen: Seen,
    pub settings: Settings,
    pub teams: Vec<Clean>,
    /// The setting that keys change: team, lead, cap.
    pub setting: usize,
    /// What the program said of these settings.
    pub offer: Option<Clean>,
    /// What the sources hold, by their lines.
    pub counted: BTreeMap<String, Clean>,
    /// Where the path under the cursor can go on.
    pub choices: Vec<String>,
    /// Words that the shown runs contain, and whether they are being typed.
    pub filter: Option<Field>,
    pub filtering: bool,
    pub drills: Vec<(&'static str, &'static str)>,
    pub shows_drills: bool,
    /// Runs that are deleted once the page is left, the last last.
    pub deleted: Vec<RunId>,
    texts: BTreeMap<RunId, Searched>,
    /// Which earlier question stands in the box, 0 for the last; and what stood there before.
    recalled: Option<(usize, String)>,
    /// Whether something was written among the sources since they were counted.
    rewritten: bool,
    asks: Vec<Ask>,
    /// Counts and completions that are still to be told.
    open: usize,
    interrupted_at: Option<Duration>,
    /// When text was pasted, or a key came with it.
    pasted_at: Option<Duration>,
}

/// The result of a key: what the person chose, or an effect for the loop.
pub type Step = ControlFlow<Choice, Option<Effect>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeBox {
    Question,
    Sources,
    Settings,
    Runs,
}

/// A row of the list below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Run(usize),
    Example,
    Drills,
    Drill(usize),
}

const SETTINGS: usize = 3;

impl HomeUi {
    pub fn new(home: Home) -> HomeUi {
        let settings = match (home.settings.team.is_empty(), home.teams.first()) {
            (true, Some(first)) => Settings { team: first.clone(), ..home.settings },
            _ => home.settings,
        };
        let mut ui = HomeUi {
            question: Field::new(&home.question, Lines::Many),
            sources: Field::new(&home.sources.join("\n"), Lines::Many),
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
            setting: 0,
            offer: None,
            counted: BTreeMap::new(),
            choices: Vec::new(),
            filter: None,
            filtering: false,
            drills: home.drills,
            shows_drills: false,
            deleted: Vec::new(),
            texts: BTreeMap::new(),
            recalled: None,
            rewritten: false,
            asks: Vec::new(),
            open: 0,
            interrupted_at: None,
            pasted_at: None,
        };
        ui.wants(Ask::Offer(ui.settings.clone()));
        ui
    }

    fn wants(&mut self, ask: Ask) {
        self.open += usize::from(!matches!(ask, Ask::Delete(_) | Ask::Keep(_)));
        self.asks.push(ask);
    }

    /// Asks what the sources hold, if something was written there: nothing is read that the person has not named.
    fn count(&mut self) {
        let sources: Vec<String> = self.sources().into_iter().filter(|one| !one.starts_with("web:")).collect();
        if !sources.is_empty() && self.rewritten && !self.counted.contains_key(&sources.join("\n")) {
            self.wants(Ask::Count(sources));
        }
        self.rewritten = false;
    }

    /// What the sources hold, as far as it is known.
    pub fn holds(&self) -> Option<&Clean> {
        let sources: Vec<String> = self.sources().into_iter().filter(|one| !one.starts_with("web:")).collect();
        self.counted.get(&sources.join("\n"))
    }

    /// What the program is to be asked now.
    pub fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// Whether something is still to be told.
    pub fn waits(&self) -> bool {
        self.open > 0
    }

    pub fn told(&mut self, told: Told) {
        let goes_on = matches!(told, Told::Text { .. });
        self.open = self.open.saturating_sub(usize::from(!goes_on));
        match told {
            Told::Completed { asked, path, choices } if self.sources.before_cursor() == asked => {
                if path != asked {
                    self.sources.replace_line(&path);
                }
                self.choices = choices;
                if self.choices.is_empty() {
                    self.count();
                }
            }
            Told::Completed { .. } | Told::AllTexts => {}
            Told::Counted { sources, says } => {
                self.counted.insert(sources.join("\n"), says);
            }
            Told::Text { run, text } => {
                self.texts.insert(run, text);
            }
            Told::Offered { settings, says } if settings == self.settings => self.offer = Some(says),
            Told::Offered { .. } => {}
            Told::Said(words) => self.status = Some(words),
        }
    }

    /// The wheel goes through the runs, or scrolls the help.
    pub fn mouse(&mut self, mouse: Mouse) {
        let action = match mouse {
            Mouse::Click => return,
            Mouse::WheelUp => Action::Up,
            Mouse::WheelDown => Action::Down,
        };
        match self.help {
            Some(scroll) => self.help = Some(moved(action, scroll, self.seen.most, self.seen.page)),
            None => {
                self.focus = HomeBox::Runs;
                self.selected = chosen(action, self.selected, self.entries().len());
            }
        }
    }

    /// The keys that work now.
    fn keys(&self) -> Vec<&'static Keys> {
        match self.help {
            Some(_) => vec![&everywhere::ON_PAGES, &everywhere::KEYS],
            None => self.explained(),
        }
    }

    /// The keys that the help page lists.
    fn explained(&self) -> Vec<&'static Keys> {
        let [runs, question, settings, sources] = TOGETHER;
        match self.focus {
            HomeBox::Runs if self.filtering => sources,
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

    /// The rows of the list: runs that the filter leaves, the example where there is none, the drills.
    pub fn entries(&self) -> Vec<Entry> {
        let wanted = self.filter.as_ref().map_or_else(Wanted::default, |field| Wanted::new(&field.text()));
        let holds = |run: &RunLine| {
            let row = format!("{} {} {}", run.question, run.tags, run.id).to_lowercase();
            let text = self.texts.get(&run.id);
            wanted.all(|word| row.contains(word) || text.is_some_and(|text| text.has(word)))
        };
        let shown = |n: &usize| !self.deleted.contains(&self.runs[*n].id) && holds(&self.runs[*n]);
        let mut entries: Vec<Entry> = (0..self.runs.len()).filter(shown).map(Entry::Run).collect();
        if !wanted.is_empty() {
            return entries;
        }
        if self.runs.is_empty() {
            entries.push(Entry::Example);
        }
        if self.shows_drills {
            entries.extend((0..self.drills.len()).map(Entry::Drill));
        } else if !self.drills.is_empty() {
            entries.push(Entry::Drills);
        }
        entries
    }

    fn entry(&self) -> Option<Entry> {
        self.entries().get(self.selected).copied()
    }

    fn run(&self) -> Option<&RunLine> {
        let Some(Entry::Run(n)) = self.entry() else { return None };
        self.runs.get(n)
    }

    /// Text was pasted: it goes into the focused field and starts nothing.
    pub fn paste(&mut self, text: &str, at: Duration) {
        self.pasted_at = Some(at);
        match self.field() {
            Some(field) => {
                field.paste(text);
                self.rewritten = true;
                if text.len() >= MOST_PASTED {
                    self.status = Some(PASTE_WAS_CUT.into());
                }
            }
            None => self.status = Some("there is no text field here to paste into".into()),
        }
    }

    /// What the person wrote elsewhere comes into the field that it is for.
    pub fn back(&mut self, back: Back) {
        match back {
            Back::Read => {}
            Back::Failed(why) => self.status = Some(Clean::line(&why)),
            Back::Written { text, .. } => {
                if let Some(field) = self.field() {
                    field.set(&text);
                }
                self.rewritten |= self.focus == HomeBox::Sources;
                self.recalled = None;
            }
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.focus {
            HomeBox::Question => Some(&mut self.question),
            HomeBox::Sources => Some(&mut self.sources),
            HomeBox::Runs if self.filtering => self.filter.as_mut(),
            HomeBox::Runs | HomeBox::Settings => None,
        }
    }

    /// How the person leaves for good: what was typed and not asked is kept.
    pub fn leave(&self) -> Choice {
        Choice::Quit
    }

    /// A question that was written and not asked.
    pub fn draft(&self) -> String {
        match &self.recalled {
            Some((_, own)) => own.clone(),
            None => self.question.text().trim().to_owned(),
        }
    }

    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> Step {
        if key.kind == KeyEventKind::Release {
            return Continue(None);
        }
        self.status = None;
        self.choices.clear();
        let pasted = came_with_a_paste(&mut self.pasted_at, at);
        if self.help.is_none() && self.written(key) {
            return Continue(None);
        }
        let Some(row) = keymap::find(&self.keys(), key) else { return Continue(None) };
        if let Some(scroll) = self.help {
            self.help = match row.action {
                Action::Back | Action::Help | Action::Quit => None,
                Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
                    Some(moved(row.action, scroll, self.seen.most, self.seen.page))
                }
                _ => Some(scroll),
            };
            return Continue(None);
        }
        if row.action.decides() && pasted {
            self.status = Some(CAME_WITH_A_PASTE.into());
            return Continue(None);
        }
        self.act(row.action, at)
    }

    fn act(&mut self, action: Action, at: Duration) -> Step {
        match action {
            Action::Start if self.filtering => self.filtering = false,
            Action::Start => return self.start(),
            Action::NextBox => self.next_box(),
            Action::Previous => self.turn(false),
            Action::Earlier => self.setting = (self.setting + SETTINGS - 1) % SETTINGS,
            Action::Later => self.setting = (self.setting + 1) % SETTINGS,
            Action::Toggle => self.change_setting(),
            Action::Down | Action::Up if self.focus == HomeBox::Question => self.recall(action),
            Action::Down | Action::Up | Action::Top | Action::End => {
                self.selected = chosen(action, self.selected, self.entries().len());
            }
            Action::Filter => {
                self.filter.get_or_insert_with(|| Field::new("", Lines::One));
                self.filtering = true;
                if self.texts.is_empty() && !self.runs.is_empty() {
                    self.wants(Ask::Texts);
                }
            }
            Action::Replay => {
                if let Some(run) = self.run() {
                    return Break(Choice::Replay(run.id.clone()));
                }
            }
            Action::Export => {
                if let Some(id) = self.run().map(|run| run.id.clone()) {
                    self.wants(Ask::Export(id));
                }
            }
            Action::Delete => {
                if let Some(id) = self.run().map(|run| run.id.clone()) {
                    self.status =
                        Some(Clean::line(&format!("run {id} is deleted once you leave this page: u takes it back")));
                    self.deleted.push(id);
                    self.selected = self.selected.min(self.entries().len().saturating_sub(1));
                }
            }
            Action::Undo => match self.deleted.pop() {
                Some(id) => self.status = Some(Clean::line(&format!("run {id} stays"))),
                None => self.status = Some("nothing was deleted".into()),
            },
            Action::Example => return Break(Choice::Example),
            Action::Drills => {
                (self.focus, self.shows_drills) = (HomeBox::Runs, true);
                let first = self.entries().iter().position(|entry| matches!(entry, Entry::Drill(_)));
                self.selected = first.unwrap_or(self.selected);
            }
            Action::Compare => return self.compare(),
            Action::Help => self.help = Some(0),
            Action::Quit if self.filtering || self.filter.is_some() => (self.filter, self.filtering) = (None, false),
            Action::Quit => return Break(self.leave()),
            Action::Interrupt => {
                if interrupted_twice(&mut self.interrupted_at, at) {
                    return Break(self.leave());
                }
                self.status = Some("Ctrl-C again leaves".into());
            }
            Action::Suspend => return Continue(Some(Effect::Suspend)),
            Action::Redraw => return Continue(Some(Effect::Redraw)),
            Action::Outside => match self.field() {
                Some(field) => return Continue(Some(everywhere::write(field, false))),
                None => self.status = Some("there is no text here to write in an editor".into()),
            },
            _ => {}
        }
        Continue(None)
    }

    /// Whether the key was typed into the text in front.
    fn written(&mut self, key: &KeyEvent) -> bool {
        if self.focus == HomeBox::Settings {
            return self.setting == 2 && self.type_cap(key);
        }
        let recalls = match (self.focus, key.code) {
            (HomeBox::Question, KeyCode::Up) => self.question.at_edges().0,
            (HomeBox::Question, KeyCode::Down) => self.question.at_edges().1,
            _ => false,
        };
        if recalls && key.modifiers == KeyModifiers::NONE {
            return false;
        }
        let typed = self.field().is_some_and(|field| field.key(*key));
        if typed && self.focus == HomeBox::Question {
            self.recalled = None;
        }
        self.rewritten |= typed && self.focus == HomeBox::Sources;
        if typed && self.filtering {
            self.selected = 0;
        }
        typed
    }

    fn type_cap(&mut self, key: &KeyEvent) -> bool {
        match key.code {
            KeyCode::Char(c @ ('0'..='9' | '.' | '$')) if self.settings.cap.len() < 12 => self.settings.cap.push(c),
            KeyCode::Backspace => drop(self.settings.cap.pop()),
            _ => return false,
        }
        self.offer_again();
        true
    }

    fn change_setting(&mut self) {
        match self.setting {
            0 => {
                let at = self.teams.iter().position(|team| *team == self.settings.team).unwrap_or(0);
                if let Some(next) = self.teams.get((at + 1) % self.teams.len().max(1)) {
                    self.settings.team = next.clone();
                }
            }
            1 => {
                self.settings.by_model = match self.settings.by_model {
                    None => Some(false),
                    Some(false) => Some(true),
                    Some(true) => None,
                };
            }
            _ => self.status = Some("type the most that the run may cost, in dollars".into()),
        }
        self.offer_again();
    }

    fn offer_again(&mut self) {
        self.offer = None;
        self.wants(Ask::Offer(self.settings.clone()));
    }

    /// The question asked before, or after, that stands in the box.
    fn recall(&mut self, action: Action) {
        let mut seen = BTreeSet::new();
        let asked: Vec<String> =
            self.runs.iter().map(|run| run.question.to_string()).filter(|one| seen.insert(one.clone())).collect();
        let own = self.recalled.as_ref().map_or_else(|| self.question.text().to_string(), |(_, own)| own.clone());
        let next = match (action, self.recalled.as_ref().map(|(n, _)| *n)) {
            (Action::Up, None) => Some(0),
            (Action::Up, Some(n)) => Some(n + 1),
            (_, Some(n)) => n.checked_sub(1),
            (_, None) => return,
        };
        match next {
            Some(n) if n >= asked.len() => self.status = Some("no question was asked before that".into()),
            Some(n) => {
                self.question = Field::new(&asked[n], Lines::Many);
                self.recalled = Some((n, own));
            }
            None => {
                self.question = Field::new(&own, Lines::Many);
                self.recalled = None;
            }
        }
    }

    /// Among the sources Tab completes the path first, and goes on where there is nothing to complete.
    fn next_box(&mut self) {
        let line = self.sources.before_cursor();
        let whole = !self.rewritten || line.trim().is_empty() || line.starts_with("web:");
        if self.focus == HomeBox::Sources && !whole {
            self.wants(Ask::Complete(line));
            return;
        }
        self.turn(true);
    }

    fn turn(&mut self, onwards: bool) {
        let all = [HomeBox::Question, HomeBox::Sources, HomeBox::Settings, HomeBox::Runs];
        let there = |focus: &&HomeBox| match focus {
            HomeBox::Settings => !self.teams.is_empty(),
            HomeBox::Runs => !self.entries().is_empty(),
            _ => true,
        };
        let boxes: Vec<HomeBox> = all.iter().filter(there).copied().collect();
        let at = boxes.iter().position(|one| *one == self.focus).unwrap_or(0);
        let by = if onwards { 1 } else { boxes.len() - 1 };
        if self.focus == HomeBox::Sources {
            self.count();
        }
        self.focus = boxes[(at + by) % boxes.len()];
    }

    fn compare(&mut self) -> Step {
        let Some(run) = self.run().cloned() else { return Continue(None) };
        match self.beside.take() {
            Some(first) if first != run.id => return Break(Choice::Compare(first, run.id)),
            Some(_) => self.status = Some("compared with none".into()),
            None => {
                self.status = Some(Clean::line(&format!("{} is compared with: choose another run, then c", run.id)));
                self.beside = Some(run.id);
            }
        }
        Continue(None)
    }

    fn start(&mut self) -> Step {
        if self.focus == HomeBox::Runs {
            return match self.entry() {
                Some(Entry::Run(n)) => Break(Choice::Open(self.runs[n].id.clone())),
                Some(Entry::Example) => Break(Choice::Example),
                Some(Entry::Drill(n)) => Break(Choice::Drill(self.drills[n].0)),
                Some(Entry::Drills) => self.act(Action::Drills, Duration::ZERO),
                None => Continue(None),
            };
        }
        if self.question.is_blank() {
            self.focus = HomeBox::Question;
            self.status = Some("write a question first: what is the brief to answer?".into());
            return Continue(None);
        }
        let sources = self.sources();
        if sources.is_empty() {
            self.focus = HomeBox::Sources;
            self.status = Some("name at least one folder or file to search, or web:wikipedia".into());
            return Continue(None);
        }
        let question = Clean::new(self.question.text().trim());
        Break(Choice::Ask { question, sources, settings: self.settings.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};

    fn press(home: &mut HomeUi, code: KeyCode) -> Step {
        home.press(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO)
    }

    #[test]
    fn a_pasted_question_waits_for_enter() {
        let mut home = HomeUi::new(Home { sources: vec!["docs".into()], ..Home::default() });
        home.paste("What is a vector\nindex?\n", Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
            assert_eq!(home.status.as_deref(), Some(CAME_WITH_A_PASTE));
        }
        assert_eq!(home.question.lines(), ["What is a vector", "index?"]);
        let question = "What is a vector\nindex?".into();
        let asked = Choice::Ask { question, sources: vec!["docs".into()], settings: Settings::default() };
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(home.press(&enter, Duration::from_secs(1)), Break(asked));
    }

    #[test]
    fn help_is_a_key_away_in_every_box() {
        let mut home = HomeUi::new(Home::default());
        for focus in [HomeBox::Question, HomeBox::Sources, HomeBox::Runs] {
            home.focus = focus;
            let _ = press(&mut home, KeyCode::F(1));
            assert_eq!(home.help, Some(0), "{focus:?}");
            let _ = press(&mut home, KeyCode::F(1));
            assert_eq!(home.help, None, "{focus:?}");
        }
    }

    #[test]
    fn a_question_or_a_source_that_is_missing_is_asked_for() {
        let mut home = HomeUi::new(Home::default());
        assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
        assert!(home.status.as_ref().unwrap().contains("question"));
        let _ = press(&mut home, KeyCode::Char('?'));
        assert_eq!(press(&mut home, KeyCode::Enter), Continue(None));
        assert_eq!(home.focus, HomeBox::Sources);
    }

    #[test]
    fn letters_are_letters_in_the_question_and_keys_in_the_list() {
        let run = RunLine {
            id: "7f3k".parse().unwrap(),
            state: Default::default(),
            question: "?".into(),
            tags: Clean::default(),
            age: "2 h".into(),
            cost: "$0".into(),
        };
        let mut home = HomeUi::new(Home { runs: vec![run.clone(), run], ..Home::default() });
        let _ = press(&mut home, KeyCode::Char('q'));
        assert_eq!(home.question.text(), "q");
        let _ = press(&mut home, KeyCode::BackTab);
        assert_eq!(home.focus, HomeBox::Runs);
        let _ = press(&mut home, KeyCode::Char('j'));
        assert_eq!(home.selected, 1);
        assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Open("7f3k".parse().unwrap())));
    }

    #[test]
    fn two_runs_are_compared_once_both_are_chosen() {
        let mut home = HomeUi::new(Home { runs: vec![line("7f3k", "?"), line("8a2b", "?")], ..Home::default() });
        home.focus = HomeBox::Runs;
        assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None));
        assert!(home.status.as_ref().unwrap().contains("7f3k is compared with"));
        assert_eq!(press(&mut home, KeyCode::Char('c')), Continue(None), "not with itself");
        let _ = press(&mut home, KeyCode::Char('c'));
        let _ = press(&mut home, KeyCode::Char('j'));
        let both = Choice::Compare("7f3k".parse().unwrap(), "8a2b".parse().unwrap());
        assert_eq!(press(&mut home, KeyCode::Char('c')), Break(both));
    }

    fn line(id: &str, question: &str) -> RunLine {
        let (state, age, cost) = (Default::default(), "2 h".into(), "$0".into());
        RunLine { id: id.parse().unwrap(), state, question: question.into(), tags: Clean::default(), age, cost }
    }

    fn with_runs() -> HomeUi {
        let runs = vec![line("aaaa", "What is Qdrant?"), line("bbbb", "How long does bread proof?")];
        HomeUi::new(Home { runs, sources: vec!["docs".into()], ..Home::default() })
    }

    fn types(home: &mut HomeUi, text: &str) {
        text.chars().for_each(|c| drop(press(home, KeyCode::Char(c))));
    }

    #[test]
    fn earlier_questions_come_back_and_what_was_typed_is_not_lost_over_them() {
        let mut home = with_runs();
        types(&mut home, "Why");
        for (key, stands) in [
            (KeyCode::Up, "What is Qdrant?"),
            (KeyCode::Up, "How long does bread proof?"),
            (KeyCode::Up, "How long does bread proof?"),
            (KeyCode::Down, "What is Qdrant?"),
            (KeyCode::Down, "Why"),
        ] {
            let _ = press(&mut home, key);
            assert_eq!(home.question.text(), stands);
            assert_eq!(home.draft(), "Why");
        }
        assert_eq!(press(&mut home, KeyCode::Esc), Break(Choice::Quit));
        assert_eq!(home.draft(), "Why", "it is kept for the next time");
    }

    #[test]
    fn a_run_is_deleted_only_once_the_page_is_left_and_until_then_it_can_be_taken_back() {
        let mut home = with_runs();
        home.focus = HomeBox::Runs;
        let _ = press(&mut home, KeyCode::Char('d'));
        assert_eq!(home.entries().len(), 1);
        assert_eq!(home.deleted, ["aaaa".parse().unwrap()]);
        let _ = press(&mut home, KeyCode::Char('u'));
        assert_eq!((home.entries().len(), home.deleted.len()), (2, 0));
        assert_eq!(press(&mut home, KeyCode::Char('r')), Break(Choice::Replay("aaaa".parse().unwrap())));
    }

    #[test]
    fn runs_are_found_by_words_of_their_questions_findings_briefs_and_tags() {
        let mut home = with_runs();
        home.focus = HomeBox::Runs;
        let _ = home.asks();
        let _ = press(&mut home, KeyCode::Char('/'));
        assert_eq!(home.asks(), [Ask::Texts]);
        types(&mut home, "sourdough");
        assert_eq!(home.entries(), []);
        let text = Searched::default().with(run::search::Place::Finding, "Sourdough takes longer.");
        home.told(Told::Text { run: "bbbb".parse().unwrap(), text });
        assert_eq!(home.entries(), [Entry::Run(1)]);
        types(&mut home, " #bak");
        assert_eq!(home.entries(), []);
        home.runs[1].tags = "#baking".into();
        assert_eq!(home.entries(), [Entry::Run(1)]);
        let _ = press(&mut home, KeyCode::Enter);
        assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Open("bbbb".parse().unwrap())));
        let _ = press(&mut home, KeyCode::Esc);
        assert_eq!(home.entries().len(), 2, "Esc shows all again and leaves nothing");
    }

    #[test]
    fn tab_completes_a_path_and_counts_what_it_holds_before_it_goes_on() {
        let mut home = HomeUi::new(Home { sources: vec!["/do".into()], wrong_source: true, ..Home::default() });
        let _ = home.asks();
        types(&mut home, "o");
        let _ = press(&mut home, KeyCode::Backspace);
        let _ = press(&mut home, KeyCode::Tab);
        assert_eq!(home.asks(), [Ask::Complete("/do".into())]);
        let choices = vec!["docs/".into(), "downloads/".into()];
        home.told(Told::Completed { asked: "/do".into(), path: "/do".into(), choices });
        assert_eq!(home.choices.len(), 2);
        types(&mut home, "c");
        let _ = press(&mut home, KeyCode::Tab);
        home.told(Told::Completed { asked: "/doc".into(), path: "/docs/".into(), choices: vec![] });
        assert_eq!(home.sources(), ["/docs/"]);
        assert!(home.asks().contains(&Ask::Count(vec!["/docs/".into()])));
        home.told(Told::Counted { sources: vec!["/docs/".into()], says: "15 documents, 288 passages".into() });
        assert_eq!(home.holds().unwrap(), "15 documents, 288 passages");
        let _ = press(&mut home, KeyCode::Tab);
        assert_ne!(home.focus, HomeBox::Sources);
    }

    #[test]
    fn team_lead_and_cap_are_set_in_a_row_and_go_with_the_question() {
        let teams = vec!["brief".into(), "inspect".into()];
        let mut home =
            HomeUi::new(Home { teams, question: "Why?".into(), sources: vec!["docs".into()], ..Home::default() });
        home.focus = HomeBox::Settings;
        let _ = press(&mut home, KeyCode::Char(' '));
        let _ = press(&mut home, KeyCode::Right);
        let _ = press(&mut home, KeyCode::Char(' '));
        let _ = press(&mut home, KeyCode::Right);
        types(&mut home, "0.50");
        let set = Settings { team: "inspect".into(), by_model: Some(false), cap: "0.50".into() };
        assert_eq!(home.asks().last(), Some(&Ask::Offer(set.clone())));
        home.told(Told::Offered { settings: set.clone(), says: "by rule".into() });
        assert_eq!(home.offer.as_ref().unwrap(), "by rule");
        let Break(Choice::Ask { settings, .. }) = press(&mut home, KeyCode::Enter) else { panic!("it starts") };
        assert_eq!(settings, set);
    }

    #[test]
    fn a_newcomer_has_the_example_and_the_drills_a_key_away() {
        let drills = vec![("lost-handoff", "a handoff is lost")];
        let mut home = HomeUi::new(Home { drills, ..Home::default() });
        assert_eq!(press(&mut home, KeyCode::F(2)), Break(Choice::Example));
        let _ = press(&mut home, KeyCode::F(3));
        assert_eq!(press(&mut home, KeyCode::Enter), Break(Choice::Drill("lost-handoff")));
    }
}
