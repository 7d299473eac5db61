//! Carries out keys on the home screen: moves, changes settings, begins runs. Which key means what stands in `keys.rs`.

use std::ops::ControlFlow::{Break, Continue};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::ask::Ask;
use super::help::Helping;
use super::runs::Entry;
use super::{Choice, HomeBox, HomeUi, Setting, Step};
use crate::keymap;
use crate::prelude::*;
use crate::screens::everywhere::{self, chosen};
use crate::update::{CAME_WITH_A_PASTE, DOES_NOTHING, UNSEEN, came_with_a_paste, interrupted_twice};

impl HomeUi {
    pub fn press(&mut self, key: &KeyEvent, at: Duration) -> Step {
        if key.kind == KeyEventKind::Release {
            return Continue(None);
        }
        self.status = None;
        self.choices.clear();
        let pasted = came_with_a_paste(&mut self.pasted_at, at);
        if self.written(key) {
            return Continue(None);
        }
        let Some(row) = keymap::find(&self.keys(), key) else {
            self.status = Some(DOES_NOTHING.into());
            return Continue(None);
        };
        if row.action.decides() && self.seen.tiny {
            self.status = Some(UNSEEN.into());
            return Continue(None);
        }
        if row.action.decides() && pasted {
            self.status = Some(CAME_WITH_A_PASTE.into());
            return Continue(None);
        }
        if self.help.is_some() {
            return self.act_in_help(row.action, at);
        }
        if let Some(why) = self.why_not(row.action) {
            self.status = Some(why);
            return Continue(None);
        }
        self.act(row.action, at)
    }

    pub(super) fn act(&mut self, action: Action, at: Duration) -> Step {
        match action {
            Action::Submit if self.filtering => self.filtering = false,
            Action::Start => return self.start(),
            Action::NextBox => self.next_box(),
            Action::Previous => self.turn(false),
            Action::Earlier => self.setting = self.setting.earlier(),
            Action::Later => self.setting = self.setting.later(),
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
            Action::Fork => {
                if let Some(run) = self.run() {
                    return Break(Choice::Fork(run.id.clone()));
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
            Action::Undo => {
                if let Some(id) = self.deleted.pop() {
                    self.status = Some(Clean::line(&format!("run {id} stays")));
                }
            }
            Action::Example => return Break(Choice::Example),
            Action::Drills => {
                (self.focus, self.shows_drills) = (HomeBox::Runs, true);
                self.selected = self.first_drill().unwrap_or(self.selected);
            }
            Action::Compare => return self.compare(),
            Action::Help | Action::Command => self.help = Some(Helping::new(action == Action::Command)),
            Action::Back | Action::Quit if self.filter.is_some() => (self.filter, self.filtering) = (None, false),
            Action::Quit => return Break(Choice::Quit),
            Action::Interrupt => {
                if interrupted_twice(&mut self.interrupted_at, at) {
                    return Break(Choice::Quit);
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
        if self.focus == HomeBox::Settings && self.help.is_none() {
            return self.setting == Setting::Cap && self.type_cap(key);
        }
        let recalls = self.help.is_none()
            && match (self.focus, key.code) {
                (HomeBox::Question, KeyCode::Up) => self.question.at_edges().0,
                (HomeBox::Question, KeyCode::Down) => self.question.at_edges().1,
                _ => false,
            };
        if recalls && key.modifiers == KeyModifiers::NONE {
            return false;
        }
        let typed = self.field().is_some_and(|field| field.key(*key));
        if typed {
            self.edited();
        }
        typed
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
        if !self.question.text().contains(char::is_alphanumeric) {
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
