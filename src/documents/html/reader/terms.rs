//! Lists of terms with their definitions, while a page is parsed.

use super::Reader;
use crate::draft::{Position, TERM_LEVEL};

#[derive(Default)]
pub(in crate::html) struct Terms {
    pub(super) terms: String,
    /// The start of the open definition.
    pub(in crate::html) definition: Option<Position>,
}

impl Reader {
    pub(in crate::html) fn term_level(&self) -> u8 {
        TERM_LEVEL.saturating_add(u8::try_from(self.terms.len()).unwrap_or(u8::MAX))
    }

    pub(in crate::html) fn begin_definition(&mut self) {
        let level = self.term_level();
        if let Some(terms) = self.terms.last_mut() {
            let term = std::mem::take(&mut terms.terms);
            // The number of a footnote is no term; in XML, footnotes have elements of their own, so a number is an exit
            // status.
            let number = term.chars().all(|c| c.is_ascii_digit() || "[]()*.\u{2020} ".contains(c));
            if !number || self.is_xml {
                self.draft.close(level);
                self.draft.term(level, &term);
            }
            terms.definition = Some(self.draft.position());
        }
    }

    pub(super) fn end_definition(&mut self) {
        let level = self.term_level();
        if let Some(mark) = self.terms.last_mut().and_then(|terms| terms.definition.take()) {
            self.draft.fold_short_definition(mark, level);
            self.draft.close(level);
        }
    }
}
