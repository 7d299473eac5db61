//! The help of the home screen: its keys, found by their words and done with Enter; one that does nothing now says why.

use std::ops::ControlFlow::Continue;
use std::time::Duration;

use super::{Entry, HomeBox, HomeUi, Step};
use crate::overlays::help::{self, Listed};
use crate::prelude::*;
use crate::screens::everywhere::{self, moved};

/// The help page while it is open.
#[derive(Clone, Debug)]
pub struct Helping {
    /// Words that the lines shown contain.
    pub filter: Field,
    pub filtering: bool,
    /// The selected line of those shown.
    pub choice: usize,
}

/// The keys that work on the page.
pub static KEYS: [&Keys; 3] = [&help::KEYS, &everywhere::ON_PAGES, &everywhere::KEYS];

impl Helping {
    pub fn new(filtering: bool) -> Helping {
        Helping { filter: Field::new("", Lines::One), filtering, choice: 0 }
    }
}

impl HomeUi {
    /// The lines of the page.
    pub fn listed(&self) -> Vec<Listed> {
        let Some(helping) = &self.help else { return Vec::new() };
        let words = helping.filter.text();
        let mut listed = Vec::new();
        for keys in self.explained() {
            let found = keys.rows().filter(|row| help::has(keys, row, &words));
            listed.extend(found.map(|row| Listed { keys, row, why: self.why_not(row.action) }));
        }
        listed
    }

    /// The reason why an action is not available now; None if it is.
    pub(super) fn why_not(&self, action: Action) -> Option<Clean> {
        let of_a_run =
            matches!(action, Action::Compare | Action::Replay | Action::Fork | Action::Export | Action::Delete);
        match action {
            _ if of_a_run && self.run().is_none() => Some("no run is selected".into()),
            Action::Delete => self.run().filter(|run| run.is_active).map(|run| {
                let id = &run.id;
                Clean::line(&format!("run {id} is not deleted: another process works on it. End that first"))
            }),
            Action::Filter if self.runs.is_empty() => Some("there is no run yet".into()),
            Action::Undo if self.focus == HomeBox::Runs && self.deleted.is_empty() => {
                Some("nothing was deleted".into())
            }
            Action::Drills if self.drills.is_empty() => Some("there are no drills here".into()),
            Action::Start if self.focus == HomeBox::Runs && self.entry().is_none() => {
                Some("nothing is selected".into())
            }
            _ => None,
        }
    }

    pub(super) fn act_in_help(&mut self, action: Action, at: Duration) -> Step {
        let listed = self.listed();
        let page = self.seen.page;
        let Some(helping) = &mut self.help else { return Continue(None) };
        match action {
            Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End => {
                helping.choice = moved(action, helping.choice, listed.len().saturating_sub(1), page);
            }
            Action::Filter | Action::Command => helping.filtering = true,
            Action::Back if helping.filtering || !helping.filter.is_blank() => *helping = Helping::new(false),
            Action::Back | Action::Help | Action::Quit => self.help = None,
            Action::Submit => match listed.into_iter().nth(helping.choice) {
                None => self.status = Some(help::NONE_FOUND.into()),
                Some(Listed { why: Some(why), .. }) => self.status = Some(why),
                Some(Listed { row, .. }) => {
                    self.help = None;
                    return self.act(row.action, at);
                }
            },
            Action::Interrupt | Action::Suspend | Action::Redraw => return self.act(action, at),
            _ => {}
        }
        Continue(None)
    }

    /// The place of the first drill in the list; None if no drill is shown.
    pub(super) fn first_drill(&self) -> Option<usize> {
        self.entries().iter().position(|entry| matches!(entry, Entry::Drill(_)))
    }
}
