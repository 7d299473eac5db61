//! Whether what a gap says is missing was found: a gap that names one thing, all of whose words are in a finding.

use std::collections::BTreeSet;

use super::denial::negates;
use crate::words::WORDS;
use run::finding::Finding;
use text::Clean;
use text::words::{Language, content_stems, fold, is_stop, stem, words};

/// Whether a finding states what a gap says is missing altogether. A gap that asks for more, or why and how, may be one all the same.
pub(super) fn is_found(gap: &str, finding: &Finding, things: &[Clean]) -> bool {
    let all: Vec<String> = words(gap).map(|word| fold(word).into_owned()).collect();
    if all.iter().any(|word| WORDS.narrows_a_gap.contains(word)) || negates(&finding.claim) {
        return false;
    }
    let stems_of = |text: &str| content_stems(text, Language::English).into_iter().collect::<BTreeSet<String>>();
    let of_things: BTreeSet<String> = things.iter().flat_map(|thing| stems_of(thing)).collect();
    let is_own = |word: &&String| {
        !is_stop(word)
            && !negates(word)
            && ![&WORDS.lacks, &WORDS.told, &WORDS.of_what_was_read, &WORDS.of_gaps]
                .iter()
                .any(|list| list.contains(*word))
    };
    let missing: BTreeSet<String> = all.iter().filter(is_own).map(|word| stem(word, Language::English)).collect();
    let missing: Vec<&String> = missing.difference(&of_things).collect();
    let found = stems_of(&finding.claim);
    !missing.is_empty() && missing.iter().all(|stem| found.contains(*stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::finding;

    #[test]
    fn a_gap_whose_words_are_all_in_a_finding_is_none() {
        let things = [Clean::from("Ferrobox")];
        let is_found = |gap: &str, claim: &str| {
            let found = Finding { claim: claim.into(), ..finding(0, "Ferrobox", claim) };
            super::is_found(gap, &found, &things)
        };
        for (gap, claim) in [
            ("Nothing was found about retries.", "A failed job is retried up to five times."),
            (
                "Nothing was found about encryption at rest.",
                "Ferrobox encrypts payloads at rest on the team plan only.",
            ),
            ("The documents do not say what the team plan costs.", "The team plan of Ferrobox costs $199."),
        ] {
            assert!(is_found(gap, claim), "{gap}");
        }
        for (gap, claim) in [
            ("Nothing was found about retries of snapshots.", "A failed job is retried up to five times."),
            ("Why failed jobs are retried is not known.", "A failed job is retried up to five times."),
            ("Nothing further was found about retries.", "A failed job is retried up to five times."),
            ("How Ferrobox compares with RabbitMQ is not said.", "Ferrobox holds 50,000 jobs."),
            ("Nothing was found about backups.", "Backups do not include the queue."),
            ("Nothing was found about Ferrobox.", "Ferrobox is a queue."),
        ] {
            assert!(!is_found(gap, claim), "{gap}");
        }
    }
}
