//! The heading and the lead-in of a statement: without them it may not be understood.

use super::{Draft, Piece, Sentence};

/// The heading and the lead-in that a statement stands under. Either may be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Above<'a> {
    /// The heading of its section.
    pub heading: &'a str,
    /// The line that introduces its list, its table or its program text.
    pub lead_in: &'a str,
}

impl Draft {
    /// The heading and the lead-in of a statement of the body. Of several with the same text and findings, the first counts.
    pub fn above(&self, statement: &Sentence) -> Above<'_> {
        let placed = self.sections.iter().find_map(|section| {
            let at = section.pieces.iter().position(|piece| piece.statements().contains(statement))?;
            Some(Above { heading: &section.heading, lead_in: lead_in(&section.pieces, at) })
        });
        placed.unwrap_or_default()
    }
}

/// The line that introduces the piece at this place: its label, or else a sentence that ends the paragraph before it with a colon.
fn lead_in(pieces: &[Piece], at: usize) -> &str {
    let before = || match (&pieces[at], pieces.get(at.checked_sub(1)?)?) {
        (Piece::Paragraph { .. }, _) => None,
        (_, Piece::Paragraph { sentences }) => sentences.last().filter(|last| last.text.ends_with(':')),
        _ => None,
    };
    let label = pieces[at].label().map(|label| label.as_str());
    label.or_else(|| Some(before()?.text.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::Section;
    use crate::id::{AssignmentId, FindingId};

    #[test]
    fn a_statement_stands_under_its_heading_and_the_line_that_introduces_it() {
        let says = |text: &str| Sentence { text: text.into(), cites: vec![FindingId::new(AssignmentId::nth(1), 1)] };
        let paragraph = |text: &str| Piece::Paragraph { sentences: vec![says(text)] };
        let list = |label: Option<&str>, text: &str| Piece::List {
            label: label.map(Into::into),
            first: None,
            items: vec![says(text).into()],
        };
        let table = Piece::Table {
            label: Some("Failure of TLS".into()),
            header: vec!["host".into(), "then".into()],
            rows: vec![("local".into(), vec![says("it fails")])],
        };
        let pieces = vec![
            paragraph("Back these up:"),
            list(None, "data in ~/"),
            paragraph("It is enough."),
            list(Some("Not these"), "caches"),
            table,
        ];
        let draft = Draft { sections: vec![Section { heading: "Backup".into(), pieces }], ..Draft::default() };
        for (text, lead_in) in [
            ("Back these up:", ""),
            ("data in ~/", "Back these up:"),
            ("It is enough.", ""),
            ("caches", "Not these"),
            ("host: local; then: it fails", "Failure of TLS"),
        ] {
            assert_eq!(draft.above(&says(text)), Above { heading: "Backup", lead_in }, "{text}");
        }
        assert_eq!(draft.above(&says("elsewhere")), Above::default());
    }

    #[test]
    fn what_announced_a_list_that_is_taken_out_ends_with_a_full_stop() {
        let says = |text: &str| Sentence { text: text.into(), cites: Vec::new() };
        let paragraph = |text: &str| Piece::Paragraph { sentences: vec![says(text)] };
        let list = |text: &str| Piece::List { label: None, first: None, items: vec![says(text).into()] };
        let pieces =
            vec![paragraph("Back up:"), list("data"), paragraph("Mine:"), list("data"), paragraph("Not:"), list("it")];
        let mut draft = Draft { sections: vec![Section { heading: "Backup".into(), pieces }], ..Draft::default() };
        draft.yours = vec!["Mine:".into()];
        assert_eq!(draft.strike(|sentence| sentence.text == *"data"), 2);
        let texts: Vec<&str> = draft.sentences().map(|sentence| sentence.text.as_str()).collect();
        assert_eq!(texts, ["Back up.", "Mine:", "Not:", "it"]);
    }
}
