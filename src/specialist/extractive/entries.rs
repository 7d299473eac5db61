//! Entries: the sections of single options, functions and files, as manuals list them.
//!
//! It never reads what entries say. Where a question names an option that has an entry, other entries are off topic unless they
//! name the option.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::headings::{entry, is_technical, member, unnumbered};
use run::evidence::BlockKind;
use text::words::fold;

/// Removes candidates from the entries of options that the question does not name.
pub(super) fn keep_asked(found: &mut Vec<Candidate>, question: &str) {
    let asked: BTreeSet<String> = question.split_whitespace().filter_map(name).collect();
    let with_entries: BTreeSet<String> = found.iter().filter_map(own).filter(|own| asked.contains(own)).collect();
    if with_entries.is_empty() {
        return;
    }
    found.retain(|candidate| {
        let names = |text: &str| {
            let text = fold(text);
            with_entries.iter().any(|asked| text.contains(asked.as_str()))
        };
        let headings = || candidate.block.headings.iter().any(|heading| names(heading));
        own(candidate).is_none_or(|own| with_entries.contains(&own)) || headings() || names(&candidate.claim.text)
    });
}

/// The name of the entry of a candidate: its key, or a heading above it.
pub(super) fn own(candidate: &Candidate) -> Option<String> {
    let block = &candidate.block;
    let key = block.text.split_once(": ").filter(|_| block.kind == BlockKind::KeyValue).map(|(key, _)| key);
    key.into_iter().chain(block.headings.iter().rev().map(|heading| heading.as_str())).find_map(|over| {
        let over = entry(over).unwrap_or_else(|| member(unnumbered(over)));
        name(over).filter(|_| !over.contains(' '))
    })
}

/// A word that can only be the name of an option or a function: "harden-glue", "--all", "PermitRootLogin". Paths do not count: a
/// question with one may be about its neighbours.
fn name(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '~' | '$'));
    let name = word.trim_start_matches('-');
    let is_name = is_technical(name) || word.starts_with("--") && !name.is_empty();
    (is_name && !name.contains(['/', '~'])).then(|| fold(name).into_owned())
}
