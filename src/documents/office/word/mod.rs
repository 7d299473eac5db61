//! Word documents (.docx) to blocks: the text as it would be printed, with all changes accepted.
//!
//! Deleted and hidden text, comments, the instructions of fields, tables of contents, headers and footers are dropped;
//! footnotes and endnotes go to the end of their section.

mod field;
mod package;
mod reader;
mod styles;

use std::collections::HashMap;

use super::archive::Archive;
use super::flow::{Flow, Titled};
use super::xml::{self, Element, Reads};
use super::{Draft, Fault, Unread};
use package::Relationships;
use reader::Word;
use styles::Styles;

pub(super) fn parse(archive: &mut Archive<'_>, draft: &mut Draft) -> Result<Titled, Unread> {
    let package = Relationships::of("", archive)?;
    let main = package.part("officeDocument").unwrap_or("word/document.xml").to_owned();
    let is_text = main.to_ascii_lowercase().starts_with("word/") || !main.contains('/');
    if !is_text || !archive.has(&main) {
        return Err(Fault::NoDocument.into());
    }
    let mut flow = Flow::new(std::mem::take(draft));
    if let Some(text) = archive.text(package.part("core-properties").unwrap_or("docProps/core.xml"))? {
        let mut title = Title::default();
        xml::read(&text, "its description", &mut title)?;
        flow.declare(&title.said);
    }
    let parts = Relationships::of(&main, archive)?;
    let mut styles = Styles::default();
    if let Some(text) = archive.text(parts.part("styles").unwrap_or("word/styles.xml"))? {
        xml::read(&text, "the list of its styles", &mut styles)?;
    }
    let mut notes = HashMap::new();
    for (purpose, usual) in [("footnotes", "word/footnotes.xml"), ("endnotes", "word/endnotes.xml")] {
        if let Some(text) = archive.text(parts.part(purpose).unwrap_or(usual))? {
            let mut word = Word::new(&styles, Flow::new(Draft::default()), HashMap::new());
            word.flow.begin_note();
            xml::read(&text, "its notes", &mut word)?;
            notes.extend(word.notes);
        }
    }
    let Some(text) = archive.text(&main)? else { return Err(Fault::NoDocument.into()) };
    let mut word = Word::new(&styles, flow, notes);
    xml::read(&text, "its text", &mut word)?;
    let (read, titled) = word.flow.finish()?;
    *draft = read;
    Ok(titled)
}

/// Reads the title from a document's metadata.
#[derive(Default)]
struct Title {
    is_open: bool,
    said: String,
}

impl Reads for Title {
    fn open(&mut self, element: &Element, _: &str) {
        self.is_open = element.name() == "title" && self.said.is_empty();
    }

    fn close(&mut self, _: &str) {
        self.is_open = false;
    }

    fn text(&mut self, text: &str) {
        if self.is_open {
            self.said.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests;
