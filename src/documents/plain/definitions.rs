//! Terms with their definitions, set in below them or beside them.

use super::prose::is_prose;
use super::{LONGEST_TERM, Line, Reader, table};

impl Reader<'_, '_> {
    pub(super) fn end_terms(&mut self) {
        while self.terms.pop().is_some() {
            self.draft.close(self.term_level());
        }
    }

    pub(super) fn term_level(&self) -> u8 {
        self.term_level.saturating_add(u8::try_from(self.terms.len()).unwrap_or(u8::MAX))
    }

    /// Reads terms with their definitions set in below them, or beside them with a hanging indent.
    pub(super) fn definitions(&mut self, lines: &[Line<'_>]) -> bool {
        let Some(indent) = lines.first().map(|line| line.indent) else { return false };
        let hanging = lines.iter().map(|line| line.indent).filter(|other| *other > indent).min();
        let Some(body) = hanging.or_else(|| column_of_sentences(lines)) else { return false };
        let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].indent <= indent).collect();
        if body < indent + 2 || starts.first() != Some(&0) || lines.iter().any(|line| line.indent < indent) {
            return false;
        }
        let mut found: Vec<(String, Vec<Line<'_>>)> = Vec::new();
        let mut terms: Vec<&str> = Vec::new();
        for (nth, at) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(lines.len());
            let below = &lines[at + 1..end];
            let (term, beside) = match lines[*at].beside(body) {
                Some((term, beside)) => (term, Some(beside)),
                None => (lines[*at].words(), None),
            };
            let is_term = term.len() <= LONGEST_TERM
                && (term.ends_with("...") || !term.ends_with(['.', ';', '{', '}', '(', '?', '!']))
                && term.chars().any(char::is_alphanumeric);
            if !is_term {
                return false;
            }
            terms.push(term);
            let own: Vec<Line<'_>> = beside.into_iter().chain(below.iter().copied()).collect();
            if own.is_empty() {
                continue;
            }
            found.push((std::mem::take(&mut terms).join(", "), own));
        }
        if found.is_empty() || !terms.is_empty() || !found.iter().all(|(_, own)| is_prose(own)) {
            return false;
        }
        let level = self.term_level();
        let last = found.len() - 1;
        for (nth, (term, own)) in found.into_iter().enumerate() {
            self.draft.close(level);
            self.draft.term(level, &term);
            let begin = self.draft.position();
            self.in_list = false;
            self.running(&own);
            if nth < last {
                self.draft.fold_short_definition(begin, level);
            }
        }
        self.terms.push(body);
        true
    }
}

/// The column in which a sentence stands beside the first words of each line, if they are too few for a table.
fn column_of_sentences(lines: &[Line<'_>]) -> Option<usize> {
    let column = lines.first().filter(|_| lines.len() < table::LEAST_ROWS)?.second_column()?;
    let is_entry = |line: &Line<'_>| {
        line.second_column() == Some(column)
            && line
                .beside(column)
                .is_some_and(|(_, own)| own.words().starts_with(char::is_uppercase) && own.words().ends_with('.'))
    };
    lines.iter().all(is_entry).then_some(column)
}
