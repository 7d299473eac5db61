//! The settings of a new question: earlier ones, the content of its sources, team, lead and cap; and what the program is asked of
//! them.

use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent};

use super::{Ask, HomeUi, Setting, Told};
use crate::prelude::*;

impl HomeUi {
    pub(super) fn wants(&mut self, ask: Ask) {
        self.open += usize::from(!matches!(ask, Ask::Delete(_) | Ask::Keep { .. }));
        self.asks.push(ask);
    }

    /// Asks for the content of the sources, if something was written there: nothing is read that the person has not named.
    pub(super) fn count(&mut self) {
        let sources: Vec<String> = self.sources().into_iter().filter(|one| !one.starts_with("web:")).collect();
        let lines = sources.join("\n");
        // Sources that could not be read may be there by now.
        let known = matches!(self.counted.get(&lines), Some(Ok(_))) || self.counting.as_ref() == Some(&lines);
        if !sources.is_empty() && self.rewritten && !known {
            self.counting = Some(lines);
            self.wants(Ask::Count(sources));
        }
        self.rewritten = false;
    }

    /// The content of the sources, or the reason why they cannot be read, as far as it is known.
    pub fn holds(&self) -> Option<Result<&Clean, &Clean>> {
        self.counted.get(&self.files()).map(Result::as_ref)
    }

    /// Whether their content is being found out.
    pub fn is_counting(&self) -> bool {
        self.counting.as_ref().is_some_and(|lines| *lines == self.files())
    }

    /// The sources that are files, a line each.
    fn files(&self) -> String {
        let sources: Vec<String> = self.sources().into_iter().filter(|one| !one.starts_with("web:")).collect();
        sources.join("\n")
    }

    /// Takes all that the program is to be asked.
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
                let lines = sources.join("\n");
                if self.counting.as_ref() == Some(&lines) {
                    self.counting = None;
                }
                self.counted.insert(lines, says);
            }
            Told::Runs(runs) => self.renew(runs),
            Told::Text { run, text } => {
                self.texts.insert(run, text);
            }
            Told::Offered { settings, says } if settings == self.settings => self.offer = Some(says),
            Told::Offered { .. } => {}
            Told::Said(words) => self.status = Some(words),
        }
    }

    pub(super) fn type_cap(&mut self, key: &KeyEvent) -> bool {
        match key.code {
            KeyCode::Char(c @ ('0'..='9' | '.' | '$')) if self.settings.cap.len() < 12 => self.settings.cap.push(c),
            KeyCode::Backspace => drop(self.settings.cap.pop()),
            _ => return false,
        }
        self.offer_again();
        true
    }

    pub(super) fn change_setting(&mut self) {
        match self.setting {
            Setting::Team => {
                let at = self.teams.iter().position(|team| *team == self.settings.team).unwrap_or(0);
                if let Some(next) = self.teams.get((at + 1) % self.teams.len().max(1)) {
                    self.settings.team = next.clone();
                }
            }
            Setting::Lead => {
                self.settings.by_model = match self.settings.by_model {
                    None => Some(false),
                    Some(false) => Some(true),
                    Some(true) => None,
                };
            }
            Setting::Cap => self.status = Some("type the most that the run may cost, in dollars".into()),
        }
        self.offer_again();
    }

    pub(super) fn offer_again(&mut self) {
        self.offer = None;
        self.wants(Ask::Offer(self.settings.clone()));
    }

    /// The question asked before, or after, that stands in the box.
    pub(super) fn recall(&mut self, action: Action) {
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
}
