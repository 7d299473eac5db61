//! The open lists where text is added: items with the introduction of their list, terms with their definitions.

use super::draft::{Draft, TERM_LEVEL, Within};
use run::evidence::BlockKind;
use text::Clean;

#[derive(Default)]
pub(super) struct Lists(Vec<List>);

struct List {
    intro: Option<Clean>,
    /// Whether its last item has a term, with a section of its own.
    has_term: bool,
}

impl Lists {
    /// Begins a list within the innermost one; the last sentence above may introduce it.
    pub fn begin(&mut self, draft: &Draft) {
        self.0.push(List { intro: draft.list_intro(!self.0.is_empty()), has_term: false });
    }

    /// Ends the innermost list.
    pub fn end(&mut self, draft: &mut Draft) {
        self.item(draft);
        self.0.pop();
    }

    /// Ends all lists, before a heading.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Begins an item of the innermost list.
    pub fn item(&mut self, draft: &mut Draft) {
        let level = self.level();
        if let Some(list) = self.0.last_mut().filter(|list| list.has_term) {
            list.has_term = false;
            draft.close(level);
        }
    }

    /// Begins an item with a term.
    pub fn term(&mut self, draft: &mut Draft, term: &str) {
        let level = self.level();
        self.item(draft);
        if let Some(list) = self.0.last_mut() {
            list.has_term = true;
            draft.term(level, term);
        }
    }

    /// Adds running text: of the item, or a paragraph if no list is open.
    pub fn text(&self, draft: &mut Draft, text: &str, line: u32) {
        match self.0.last() {
            Some(list) if list.has_term => {
                let begin = draft.position();
                draft.push(BlockKind::Paragraph, None, text, line);
                draft.fold_short_definition(begin, self.level());
            }
            list => {
                let within = list.map_or(Within::Body, |list| Within::Item(list.intro.as_ref()));
                draft.text(within, text, line);
            }
        }
    }

    /// The level of the terms of the innermost list.
    fn level(&self) -> u8 {
        TERM_LEVEL.saturating_add(u8::try_from(self.0.len()).unwrap_or(u8::MAX))
    }
}
