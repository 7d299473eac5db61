//! The claim on one kind: its first sentence, with its name. The list is in `list.rs`.

use std::ops::Range;
use std::sync::Arc;

use super::MOST_OF_KIND;
use crate::extractive::candidate::Candidate;
use crate::extractive::claim::{Claim, claims};
use crate::extractive::dangling::dangles;
use crate::extractive::edit::{full_stop, insert};
use crate::extractive::english::reads_as_english;
use crate::extractive::headings::{NO_LABEL, member};
use crate::extractive::standalone::{LEAST_WORDS, MOST_WORDS, can_stand, count, is_code_like};
use crate::words::WORDS;
use run::evidence::{Block, BlockKind, SourceRef};
use run::finding::{Edit, EditRule, apply};
use text::sentence::sentences;
use text::words::{fold, words};

/// Whether an item consists of its name: "tilde expansion".
pub(in crate::extractive) fn is_only_named(item: &Candidate) -> bool {
    words(&item.block.text).count() <= MOST_OF_KIND
}

/// The first sentence of an item, with its name.
pub(super) fn first(name: &str, source: &SourceRef, block: &Arc<Block>) -> Option<Candidate> {
    let claims = || claims(source, block, None).into_iter();
    let claim = match block.kind {
        BlockKind::Paragraph => first_below(name, block)?,
        // Of a row, the cell with the most words.
        BlockKind::TableRow => claims().max_by_key(|claim| count(&claim.text))?,
        _ => claims().find(|claim| claim.nth == 0).or_else(|| claim(beginning(block), None, block))?,
    };
    reads_as_english(&claim.text).then(|| Candidate::of_claim(source, block, claim))
}

/// The first sentence of a section, with its name.
fn first_below(name: &str, block: &Block) -> Option<Claim> {
    let label = member(name);
    let range = beginning(block);
    let quote = &block.text[range.clone()];
    let is_named = is_subject(label, quote) && can_stand(quote, false);
    if label.contains(NO_LABEL) {
        return None;
    }
    claim(range, Some(label).filter(|_| !is_named), block)
}

/// The first sentence, with the next if that depends on it: "Some messages invoke a method. These are called …"
fn beginning(block: &Block) -> Range<usize> {
    let mut ranges = sentences(&block.text).into_iter();
    let mut first = ranges.next().unwrap_or_default();
    let is_short = |next: &Range<usize>| count(&block.text[first.start..next.end]) <= MOST_WORDS;
    let leaning = ranges.next().filter(|next| dangles(&block.text[next.clone()]) && is_short(next));
    first.end = leaning.map_or(first.end, |next| next.end);
    first
}

/// A quote as a claim, below a label if there is one.
fn claim(range: Range<usize>, label: Option<&str>, block: &Block) -> Option<Claim> {
    let quote = &block.text[range.clone()];
    if !(LEAST_WORDS..=MOST_WORDS).contains(&count(quote)) || quote.ends_with([':', '?']) || is_code_like(quote) {
        return None;
    }
    let label = label.map(|label| insert(EditRule::NameSubject, 0, format!("[{label}]: ")));
    let edits: Vec<Edit> = label.into_iter().chain(full_stop(quote)).collect();
    Some(Claim { text: apply(quote, &edits)?, range, edits, nth: 0 })
}

/// Whether a name is the subject of a sentence: "Direct queues" in "Direct queues are …".
fn is_subject(name: &str, sentence: &str) -> bool {
    let mut rest = words(sentence).map(fold).skip_while(|word| matches!(&**word, "a" | "an" | "the"));
    words(name).all(|word| rest.next().is_some_and(|next| next == fold(word)))
        && rest.next().is_some_and(|verb| WORDS.finite_verbs.contains(&*verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, source};

    #[test]
    fn what_is_said_of_a_kind_has_its_name_before_it_unless_that_is_its_subject() {
        for (name, text, expected) in [
            (
                "Direct Queues",
                "Direct queues are non-queuing queues. They pass on.",
                "Direct queues are non-queuing queues. They pass on.",
            ),
            ("Important", "Important programs are kept here.", "[Important]: Important programs are kept here."),
            (
                "ort",
                "This is the default strategy. It merges two heads.",
                "[ort]: This is the default strategy. It merges two heads.",
            ),
        ] {
            let item = first(name, &source("Manual"), &Arc::new(block(text)));
            assert_eq!(item.map(|item| item.claim.text).as_deref(), Some(expected));
        }
        assert!(first("ort", &source("Manual"), &Arc::new(block("Grammar of it as follows:"))).is_none());
    }
}
