//! A chapter of an e-book: HTML in XML form, with separate notes, and with headings named by the book's table of
//! contents.

use std::collections::HashMap;

use super::super::draft::TERM_LEVEL;
use super::super::plain::is_label;
use super::reader::Reader;

/// The most bytes of a paragraph that may be a heading.
const LONGEST: usize = 300;

#[derive(Default)]
pub(in super::super) struct Chapter {
    pub(super) first_line: u32,
    /// The level of its first heading, once there is one, and the offset added to each level.
    level: u8,
    deeper: u8,
    /// The names of its sections with their levels; None if a name is a heading already.
    names: HashMap<String, Option<u8>>,
}

impl Chapter {
    /// A chapter with the levels and names of its sections, from the table of contents; its first line is `line` of the book.
    pub(in super::super) fn of(sections: &[(u8, String)], line: u32) -> Chapter {
        let mut names = HashMap::new();
        for (level, name) in sections {
            names.entry(spaced(name)).or_insert(Some(*level));
        }
        let level = sections.first().map_or(1, |(level, _)| *level);
        Chapter { first_line: line, level, names, ..Chapter::default() }
    }

    /// Drops a paragraph that only repeats a heading.
    pub(in super::super) fn leave_out(&mut self, name: &str) {
        self.names.insert(spaced(name), None);
    }

    /// The level in the book of a heading that has this level in the chapter.
    fn level_of(&mut self, level: u8) -> u8 {
        self.deeper += std::mem::take(&mut self.level).saturating_sub(level);
        (level + self.deeper).min(TERM_LEVEL - 1)
    }
}

impl Reader {
    /// Begins a section with this heading.
    pub(super) fn head(&mut self, level: u8, heading: &str) {
        // The title of a note begins no section: the text after the note is not part of it.
        if is_label(heading.trim()) {
            return;
        }
        let level = match &mut self.chapter {
            Some(chapter) => {
                chapter.names.remove(&spaced(heading));
                chapter.level_of(level)
            }
            None => level,
        };
        self.draft.heading(level, heading);
    }

    /// Whether a paragraph is a heading by the table of contents; if so, makes it one, once.
    pub(super) fn heads(&mut self, text: &str) -> bool {
        let Some(chapter) = self.chapter.as_mut().filter(|chapter| !chapter.names.is_empty()) else { return false };
        if text.len() > LONGEST {
            return false;
        }
        match chapter.names.remove(&spaced(text)) {
            Some(Some(level)) => self.draft.heading(level.min(TERM_LEVEL - 1), text),
            Some(None) => {}
            None => return false,
        }
        true
    }

    /// Whether the links in a list lead through the book: then it is a table of contents.
    pub(super) fn lists_links(&self) -> bool {
        self.chapter.is_some() && self.is_within(b"li")
    }

    /// Whether a piece of text is the mark of a note.
    pub(super) fn is_mark(&self, text: &str) -> bool {
        self.chapter.is_some()
            && self.is_within(b"a")
            && self.is_within(b"sup")
            && text.trim().chars().all(|c| c.is_ascii_digit() || "[]()*\u{2020}\u{2021}".contains(c))
    }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
