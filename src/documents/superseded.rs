//! Detects documents that declare themselves superseded or obsolete.
//!
//! Only the beginning of a document counts, in English; never its name, date or folder: an old document may well be
//! valid.

use super::Document;
use run::evidence::{Block, BlockKind};
use text::Clean;
use text::sentence::sentences;
use text::words::{fold, words};

/// The number of blocks at the beginning that are checked.
const FIRST: usize = 8;
/// The most bytes of the declaration that are shown.
const MOST: usize = 120;
/// Words for a document that is no longer valid.
const ENDED: [&str; 10] = [
    "archived",
    "deprecated",
    "obsolete",
    "obsoleted",
    "outdated",
    "rejected",
    "replaced",
    "retired",
    "superseded",
    "withdrawn",
];
/// Names of fields that hold the document in place of this one.
const BY_FIELDS: [&str; 3] = ["superseded-by", "replaced-by", "obsoleted-by"];
/// The first words of a note that another document replaces this one.
const BY: [&str; 7] = [
    "superseded by ",
    "obsoleted by ",
    "replaced by ",
    "there is a new edition of ",
    "there is a newer edition of ",
    "there is a newer version of ",
    "a newer version of ",
];
/// Kinds of documents, and of versions of them.
const KINDS: [&str; 23] = [
    "adr",
    "amendment",
    "article",
    "book",
    "chapter",
    "decision",
    "document",
    "edition",
    "faq",
    "guide",
    "howto",
    "manual",
    "memo",
    "note",
    "page",
    "policy",
    "procedure",
    "proposal",
    "revision",
    "rfc",
    "specification",
    "standard",
    "version",
];
/// The endings of their names.
const ENDINGS: [&str; 8] = ["adoc", "docx", "html", "md", "odt", "pdf", "rst", "txt"];
/// Further phrases for a document that is no longer valid.
const NO_LONGER: [&str; 6] = [
    "out of date",
    "no longer current",
    "no longer in force",
    "no longer maintained",
    "no longer up to date",
    "no longer valid",
];
/// The number of words after "this document" that are checked.
const SAID: usize = 6;

impl Document {
    /// The words in which it declares itself no longer valid, at most 120 bytes of them.
    pub fn superseded(&self) -> Option<Clean> {
        if fold(&self.title).starts_with("historical version of ") {
            return told(&self.title);
        }
        if self.ended.is_some() {
            return self.ended.clone();
        }
        self.blocks.iter().take(FIRST).filter(|block| block.kind != BlockKind::Code).find_map(of_block)
    }
}

/// The field of a head by which a document no longer holds: "Superseded-By: 634", "Status: Rejected".
pub(super) fn in_fields(fields: &[(&str, &str)]) -> Option<Clean> {
    let told_in = |(key, value): &(&str, &str)| told(&format!("{key}: {value}"));
    let by = fields.iter().find(|(key, value)| BY_FIELDS.contains(&&*fold(key)) && !value.is_empty());
    let status = || fields.iter().find(|(key, value)| fold(key) == "status" && has_ended(&fold(value)));
    by.and_then(told_in).or_else(|| status().and_then(told_in))
}

fn of_block(block: &Block) -> Option<Clean> {
    let is_status = block.headings.last().is_some_and(|heading| fold(heading) == "status");
    let said = |text: &str| is_status && has_ended(&fold(text)) || says_so(text);
    sentences(&block.text).into_iter().map(|range| &block.text[range]).find(|text| said(text)).and_then(told)
}

/// The beginning of a statement, for display.
fn told(text: &str) -> Option<Clean> {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = if end < text.len() { "…" } else { "" };
    Some(Clean::line(&format!("{}{rest}", text[..end].trim_end())))
}

/// Whether a sentence is a status, a note or a statement that its document is no longer valid.
fn says_so(sentence: &str) -> bool {
    let text = fold(sentence);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let status = text.strip_prefix("status").filter(|rest| rest.starts_with([':', ' ']));
    if BY.iter().find_map(|by| text.strip_prefix(by)).is_some_and(is_document) || status.is_some_and(has_ended) {
        return true;
    }
    let said: Vec<&str> = words(text).collect();
    let ["this", rest @ ..] = &said[..] else { return false };
    let Some(kind) = rest.iter().take(2).position(|word| KINDS.contains(word)) else { return false };
    let behind = &rest[kind + 1..rest.len().min(kind + 1 + SAID)];
    let is = behind.first().is_some_and(|verb| matches!(*verb, "is" | "has" | "was"));
    is && (behind.iter().any(|word| ENDED.contains(word) && *word != "rejected")
        || NO_LONGER.iter().any(|ended| behind.join(" ").contains(ended)))
        && !behind.contains(&"not")
}

/// Whether words name a document: "007", "the current version 1.9", "notes/new.md". A chip can only be superseded by a
/// chip.
fn is_document(words: &str) -> bool {
    let mut words = words.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';', ')']));
    let Some(first) = words.next() else { return false };
    let has_ending = |word: &str| word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    let is_place = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '#') || has_ending(word);
    let is_kind = |word: &str| KINDS.iter().any(|kind| word == *kind || word.starts_with(&format!("{kind}-")));
    let article = matches!(first, "the" | "a" | "an" | "our" | "this");
    is_place(first) || is_kind(first) || article && words.take(2).any(is_kind)
}

/// Whether a status means that the document is no longer valid: "Superseded by 007".
fn has_ended(status: &str) -> bool {
    words(status).next().is_some_and(|word| ENDED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PageFormat, parse, parse_page};

    fn said(text: &str) -> Option<String> {
        let document = parse_page(text.as_bytes(), PageFormat::Markdown, None, "page").unwrap();
        document.superseded().map(|said| said.to_string())
    }

    #[test]
    fn a_document_ends_by_a_field_of_its_head() {
        let with = |field: &str| {
            let text = format!("PEP: 622\nTitle: Matching\nAuthor: A\n{field}\n\nAbstract\n========\n\nIt matches.\n");
            parse(text.as_bytes(), "pep-0622.rst").unwrap().superseded().map(|said| said.to_string())
        };
        assert_eq!(with("Superseded-By: 634").as_deref(), Some("Superseded-By: 634"));
        assert_eq!(with("Status: Rejected").as_deref(), Some("Status: Rejected"));
        for holds in ["Status: Final", "Superseded-By: ", "Replaces: 245"] {
            assert_eq!(with(holds), None, "{holds}");
        }
    }

    #[test]
    fn a_document_says_that_it_no_longer_holds_in_a_status_a_note_or_a_sentence() {
        for (text, wanted) in [
            (
                "# Retention\n\nDate: 12 March 2024. Status: superseded by 007.\n\nThirty days.",
                "Status: superseded by 007.",
            ),
            ("# Retention\n\n## Status\n\nSuperseded by 007\n\n## Context\n\nText.", "Superseded by 007"),
            ("# Retention\n\n| By | Ann |\n|---|---|\n| Status | Withdrawn |\n", "Status | Withdrawn"),
            ("# Rules\n\nVersion 2.\n\nReplaced by version 3 of May.", "Replaced by version 3 of May."),
            ("# Rules\n\nSuperseded by the current version 1.9.", "Superseded by the current version 1.9."),
            ("# Rules\n\nSuperseded by rules/new.md.", "Superseded by rules/new.md."),
            (
                "# Rules\n\n> **Note:** this\n\nThis page is obsolete; see the handbook.",
                "This page is obsolete; see the handbook.",
            ),
            ("# Rules\n\nThis old guide has long been out of date.", "This old guide has long been out of date."),
            ("# Historical version of the rules (v1)\n\nText.", "Historical version of the rules (v1)"),
            (
                "# Strings\n\nThere is a new edition of the book and this is an old link.",
                "There is a new edition of the book and this is an old link.",
            ),
        ] {
            assert_eq!(said(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_said_of_another_thing_is_not_said_of_the_document() {
        for text in [
            "# Obsolete features\n\nThese functions are deprecated.",
            "# News\n\nA newer version of the parser is out.",
            "# Rules\n\nStatus: accepted. Supersedes 001.",
            "# News\n\nThe old parser was replaced by a new one.",
            "# 16550\n\nA chip for serial ports.\n\nSuperseded by the 16550A.",
            "# DG/L\n\nA language.\n\nReplaced by PL/I in the early 80's.",
            "# EXEC 2\n\nA scripting language.\n\nSuperseded by {REXX}.",
            "# Rules\n\nThis document is not obsolete.",
            "# Rules\n\nThis page tells how a certificate that was withdrawn is replaced.",
            "# Rules\n\n```\nStatus: withdrawn\n```\n",
            &format!("# Rules\n\n{}Status: superseded.", "One more.\n\n".repeat(FIRST)),
        ] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
