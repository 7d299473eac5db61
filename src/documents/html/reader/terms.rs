//! Lists of terms with their definitions, while a page is parsed.

use super::Reader;
use crate::draft::{Position, TERM_LEVEL};

#[derive(Default)]
pub(in crate::html) struct Terms {
    terms: String,
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

    /// Ends a term: one more of those that the next definition is of.
    pub(super) fn after_term(&mut self) {
        let term = self.take();
        // Makeinfo puts a mark and an anchor around a defined name.
        let term = term.trim().trim_end_matches('¶').trim_start_matches(": ");
        if let Some(terms) = self.terms.last_mut() {
            if !terms.terms.is_empty() && !term.is_empty() {
                terms.terms.push_str(", ");
            }
            terms.terms.push_str(term);
        } else {
            self.out(term);
        }
    }

    /// Ends a list of terms; those without a definition are told all the same.
    pub(super) fn after_terms(&mut self) {
        self.flush();
        self.end_definition();
        if let Some(left) = self.terms.pop()
            && !left.terms.is_empty()
        {
            self.out(&left.terms);
        }
    }
}
