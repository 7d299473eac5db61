//! Entries: the sections of single options, functions and files, as manuals list them.
//!
//! It never looks at what is said in them: where a question names one that has an entry, the entries of the others tell of
//! something else, unless they name it, too.

use std::collections::BTreeSet;

use super::candidate::Candidate;
use super::claim::{entry, is_technical, unnumbered};
use super::headings::member;
use run::evidence::BlockKind;
use text::words::fold;

/// Takes out what stands in the entries of others than those that the question names.
pub(super) fn keep_asked(found: &mut Vec<Candidate>, question: &str) {
    let asked: BTreeSet<String> = question.split_whitespace().filter_map(name).collect();
    let with_entries: BTreeSet<String> = found.iter().filter_map(own).filter(|own| asked.contains(own)).collect();
    if with_entries.is_empty() {
        return;
    }
    found.retain(|candidate| {
        let names = |text: &str| with_entries.iter().any(|asked| fold(text).contains(asked.as_str()));
        let headings = || candidate.block.headings.iter().any(|heading| names(heading));
        own(candidate).is_none_or(|own| with_entries.contains(&own)) || headings() || names(&candidate.claim.text)
    });
}

/// The name of the entry that a candidate is, in one line, or stands in.
fn own(candidate: &Candidate) -> Option<String> {
    let block = &candidate.block;
    let key = block.text.split_once(": ").filter(|_| block.kind == BlockKind::KeyValue).map(|(key, _)| key);
    key.into_iter().chain(block.headings.iter().rev().map(|heading| heading.as_str())).find_map(|over| {
        let over = entry(over).unwrap_or_else(|| member(unnumbered(over)));
        name(over).filter(|_| !over.contains(' '))
    })
}

/// A word that can only be the name of an option or a function: "harden-glue", "--all", "PermitRootLogin". What is asked with a
/// path in it may be about what is beside it.
fn name(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '~' | '$'));
    let name = word.trim_start_matches('-');
    let is_name = is_technical(name) || word.starts_with("--") && !name.is_empty();
    (is_name && !name.contains(['/', '~'])).then(|| fold(name).into_owned())
}
