//! Documents in XML (DocBook, Mallard, DITA) to blocks: the reader of HTML, with other names of elements.
//!
//! XML data is detected by its beginning and refused. Loads no other file: external entities and inclusions are
//! dropped.

mod element;
mod entities;
mod links;
mod source;

use html5gum::StartTag;

use super::super::draft::{Draft, TERM_LEVEL};
use super::element::Role;
use super::reader::{Between, DEEPEST, Open, Reader};
use crate::raised::Shift;
use element::{around, between, is_formula, is_section, local, opens, role, separator};

/// The beginning of a text, which shows whether it is a document.
pub(in super::super) const HEAD: usize = 4096;

/// First elements of documents without a declared standard: a `book` may also be a record in a catalogue.
const SIGNS: [&str; 8] =
    ["<para>", "<para ", "<simpara", "<refmeta", "<shortdesc", "<conbody", "<refbody", "<taskbody"];

/// Whether a text is an XML document, not XML data.
pub(super) fn is_document(text: &str) -> bool {
    let head = source::window(text, HEAD);
    let (doctype, root) = source::root(head);
    if doctype.contains("DTD DocBook") || doctype.contains("docbook") {
        return true;
    }
    let Some(tag) = root.and_then(|root| root[1..].split('>').next()) else { return false };
    let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    if !name.contains(':') && tag.contains("xmlns=\"http://docbook.org/ns/docbook\"") {
        return true;
    }
    let is_root = is_section(local(name.as_bytes())) || matches!(name, "glossentry" | "variablelist" | "varlistentry");
    let names_standard = doctype.contains("DTD DITA")
        || head.contains("urn:oasis:names:tc:dita")
        || ["docbook.org/ns/docbook", "projectmallard.org/"].iter().any(|space| tag.contains(space));
    is_root && (names_standard || SIGNS.iter().any(|sign| head.contains(sign)))
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let mut reader = Reader::of_xml(std::mem::take(draft));
    reader.is_manual_page = text.matches("<refnamediv").count() == 1;
    super::feed(&source::prepared(text), &mut reader);
    (*draft, _) = reader.finish();
}

impl Reader {
    /// Begins an element. No element implicitly ends another; an empty one ends at once.
    pub(super) fn start_element(&mut self, tag: &StartTag<usize>, lines: u32) {
        let name = local(&tag.name);
        let is_read = self.skipping == 0;
        let role = self.at_depth(if is_read { role(tag, self) } else { Role::Inline });
        let mut open = Open { name: tag.name.as_slice().into(), role, ..Open::default() };
        if is_read && is_formula(name) {
            self.say(super::reader::FORMULA, lines);
        }
        if is_read && role != Role::Skip {
            self.join(name);
            if !matches!(role, Role::Term | Role::Definition) {
                self.begin_due_definition();
            }
            self.before(role, lines);
            let parent = self.stack.last().map_or(b"".as_slice(), |open| local(&open.name));
            let (before, after) = around(name, parent, tag);
            if !before.is_empty() {
                self.say(before, lines);
            }
            open.after = after;
            open.shifted = Shift::of(name).map(|shift| (shift, self.text.len()));
            open.between = between(name, tag).map(|separator| Between { separator, from: None });
        }
        if self.stack.len() >= DEEPEST {
            return;
        }
        self.push(open);
        if tag.self_closing {
            self.pop();
        }
    }

    /// Writes the separator between an element and the one before it.
    fn join(&mut self, name: &[u8]) {
        let written = self.text.len();
        let Some(between) = self.stack.last_mut().and_then(|open| open.between.as_mut()) else { return };
        match between.from {
            Some(from) if written > from => {
                // A block within may have ended the text that began before it.
                let end = self.text.floor_char_boundary(self.text.trim_end().len().max(from));
                self.text.truncate(end);
                self.text.push_str(separator(name, between.separator));
            }
            Some(_) => {}
            None => between.from = Some(written),
        }
        if opens(name) {
            between.from = None;
        }
    }

    /// Begins the definition of a term at the next element, if no element contains the whole definition.
    fn begin_due_definition(&mut self) {
        let is_due = self.stack.last().is_some_and(|open| open.role == Role::Terms)
            && self.terms.last().is_some_and(|terms| terms.definition.is_none());
        if is_due {
            self.begin_definition();
        }
    }

    /// Makes a manual page's name and purpose its heading: "ls(1): list directory contents".
    pub(super) fn entitle(&mut self, said: &str) {
        let manual = std::mem::take(&mut self.manual);
        let (names, purpose) = said.split_once(" - ").unwrap_or((said, ""));
        let name = if manual.trim().is_empty() { names } else { &manual };
        let colon = if purpose.trim().is_empty() { "" } else { ": " };
        self.draft.heading(self.depth(), &format!("{}{colon}{purpose}", name.trim()));
    }

    /// The level of headings in the innermost section.
    pub(super) fn depth(&self) -> u8 {
        let sections = self.stack.iter().filter(|open| open.role == Role::Section).count();
        u8::try_from(sections).unwrap_or(u8::MAX).min(TERM_LEVEL - 1)
    }

    /// Adds text, unless only elements are allowed here: such text names a link that nobody reads.
    pub(super) fn text_of_element(&mut self, text: &str, lines: u32) {
        match self.stack.last() {
            Some(Open { role: Role::Group, .. }) => {}
            Some(Open { between: Some(_), .. }) => {
                let text = text.trim();
                if !text.is_empty() {
                    self.join(b"");
                    self.say(text, lines);
                }
            }
            _ => self.say(text, lines),
        }
    }
}

#[cfg(test)]
mod tests;
