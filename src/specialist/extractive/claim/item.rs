//! Items of lists: whether one needs the words above its list, and these words. Makes no claims.

use super::above::verb_and_next;
use crate::extractive::dangling::dangles;
use crate::extractive::headings::{NO_LABEL, closed, unnumbered};
use crate::extractive::standalone::count;
use crate::extractive::verb::{has_verb, is_only_named, looks_like_a_name};
use run::evidence::{Block, BlockKind};
use text::words::{fold, is_stop, words};

/// An item without a conjunction at its end: "… is kept, and".
pub(in crate::extractive) fn without_conjunction(text: &str) -> &str {
    [", and", ", or", "; and", "; or"].iter().find_map(|end| text.trim_end().strip_suffix(end)).unwrap_or(text)
}

/// Whether the items of a list are the end of a sentence that its introduction begins: "The leader may:", "You need to".
pub(super) fn is_continued(block: &Block) -> bool {
    let last = block.intro.as_deref().and_then(|intro| words(intro).last().map(fold));
    block.kind == BlockKind::ListItem
        && last.is_some_and(|last| {
            matches!(last.as_ref(), "may" | "can" | "cannot" | "must" | "shall" | "should" | "will" | "not" | "to")
        })
}

/// The introduction of a list if it is short enough to precede each item; else the heading above it.
pub(super) fn introduction(block: &Block) -> Option<String> {
    let short = |text: &str| {
        let text = text.trim().trim_end_matches([':', '.', '…']).trim();
        let personal = words(text).any(|w| {
            matches!(
                fold(w).as_ref(),
                "you" | "your" | "here" | "here's" | "following" | "we" | "this" | "these" | "example" | "currently"
            )
        });
        let ends = is_continued(block) || words(text).last().is_some_and(|last| !is_stop(last));
        (ends && count(text) <= 9 && !dangles(text) && !personal && !text.contains(NO_LABEL) && closed(text) == text)
            .then(|| text.to_string())
    };
    // A heading introduces only the text right below it.
    let heading = || block.headings.last().map(|heading| unnumbered(heading)).and_then(short);
    match block.intro.as_deref() {
        Some(intro) if intro.trim_end().ends_with(':') || is_continued(block) => short(intro),
        Some(_) => None,
        None => heading(),
    }
}

/// The most words of a key, and of a line with its value.
const MOST_OF_A_KEY: usize = 4;
const MOST_OF_A_LINE: usize = 10;

/// The key of a line that is no more than a key and a short value: "retries: 5".
pub(in crate::extractive) fn key_of_line(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(": ")?;
    (count(key) <= MOST_OF_A_KEY && count(line) <= MOST_OF_A_LINE).then_some(key)
}

/// Whether an item needs a label: not if it is a sentence with a subject.
pub(in crate::extractive) fn wants_label(item: &str) -> bool {
    let ends = item.trim_end().ends_with(['.', '!', ')', ';', ',']);
    let capital = item.starts_with(|c: char| c.is_uppercase());
    !(ends && count(item) >= 5 && has_verb(item) && !is_only_named(item) && (capital || looks_like_a_name(item)))
}

/// Whether an item begins with a verb: "Specifies that …", "creates a new tag". A label may not name its subject.
pub(super) fn lacks_subject(item: &str) -> bool {
    count(item) >= 4
        && item.trim_end().ends_with(['.', ';', ','])
        && verb_and_next(item).is_some_and(|(_, next)| is_stop(&next))
}
