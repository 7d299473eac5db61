//! The relationships of a Word document, which name its parts.

use super::super::Unread;
use super::super::archive::{Archive, MOST_PARTS, resolved};
use super::super::xml::{self, Element, Reads};

/// The related parts, each with its purpose.
#[derive(Default)]
pub(super) struct Relationships {
    from: String,
    all: Vec<(String, String)>,
}

impl Relationships {
    /// The relationships of a part, or of the whole document if the name is empty.
    pub(super) fn of(from: &str, archive: &mut Archive<'_>) -> Result<Relationships, Unread> {
        let (folder, file) = from.rsplit_once('/').map_or(("", from), |(folder, file)| (folder, file));
        let mut found = Relationships { from: from.to_owned(), all: Vec::new() };
        if let Some(text) = archive.text(&format!("{folder}/_rels/{file}.rels"))? {
            xml::read(&text, "a list of its parts", &mut found)?;
        }
        Ok(found)
    }

    /// The name of the part for a purpose: the last word of the relationship's type.
    pub(super) fn part(&self, purpose: &str) -> Option<&str> {
        let found = self.all.iter().find(|(kind, _)| kind.rsplit('/').next() == Some(purpose));
        found.map(|(_, target)| target.as_str())
    }
}

impl Reads for Relationships {
    fn open(&mut self, element: &Element, _: &str) {
        if let (Some(kind), Some(target)) = (element.get("type"), element.get("target"))
            && !element.is("targetmode", "External")
            && self.all.len() < MOST_PARTS
        {
            self.all.push((kind.into_owned(), resolved(&self.from, &target)));
        }
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}
