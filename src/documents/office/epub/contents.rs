//! The tables of contents of an e-book, in the current and the older format: the names of its chapters, and their
//! nesting.

use std::collections::{HashMap, HashSet};

use super::super::look::level;
use super::super::xml::{Element, Reads};
use super::{is_around, part, whole_part};

/// The most entries.
const MOST_ENTRIES: usize = 50_000;
/// The most bytes of a chapter's name.
const LONGEST: usize = 300;

#[derive(Default)]
pub(super) struct Contents {
    /// The name of the part that is read.
    pub(super) from: String,
    /// The entries of each page: level and name.
    pub(super) chapters: HashMap<String, Vec<(u8, String)>>,
    /// The pages around the text.
    pub(super) around: HashSet<String>,
    entries: usize,
    depth: usize,
    /// Whether a list of places is open, such as the cover and where the text begins.
    in_landmarks: bool,
    in_label: bool,
    label: String,
    leads_to: String,
}

impl Contents {
    fn enter(&mut self) {
        let label = std::mem::take(&mut self.label);
        let leads_to = std::mem::take(&mut self.leads_to);
        if !self.in_landmarks && !leads_to.is_empty() && self.entries < MOST_ENTRIES {
            self.entries += 1;
            self.chapters.entry(leads_to).or_default().push((level(self.depth), label));
        }
    }
}

impl Reads for Contents {
    fn open(&mut self, element: &Element, parent: &str) {
        match element.name() {
            "nav" => self.in_landmarks = element.get("type").is_some_and(|kind| kind != "toc"),
            "ol" | "navpoint" => self.depth += 1,
            "a" => {
                if self.in_landmarks && is_around(&element.get("type").unwrap_or_default()) {
                    self.around.extend(whole_part(&self.from, element));
                }
                self.label.clear();
                self.leads_to = part(&self.from, &element.get("href").unwrap_or_default());
                self.in_label = true;
            }
            "text" if parent == "navlabel" => {
                self.label.clear();
                self.in_label = true;
            }
            "content" => {
                self.leads_to = part(&self.from, &element.get("src").unwrap_or_default());
                self.enter();
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "ol" | "navpoint" => self.depth = self.depth.saturating_sub(1),
            "a" => {
                self.in_label = false;
                self.enter();
            }
            "text" => self.in_label = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_label && self.label.len() < LONGEST {
            self.label.push_str(text);
        }
    }
}
