//! Detects changelogs: pages that list changes by version or date. They answer questions about changes, and few others.

use std::collections::BTreeMap;

use super::near_duplicates::without_brackets;
use super::tool_results::ToolResults;
use super::topic::{Name, Tokens};
use crate::numbers::{date, date_key};
use crate::words::WORDS;
use run::evidence::{Outline, SourceRef};
use run::plan::Shape;
use text::words::{fold, words};

/// The fewest headings from which a page can be classified.
const ENOUGH_HEADINGS: usize = 5;

/// Whether the title or path of a page names a changelog.
pub(super) fn is_changelog(source: &SourceRef) -> bool {
    let title = source.title.to_lowercase().replace('\u{2019}', "'");
    ["what's new", "change log", "release notes", "upgrading checklist"].iter().any(|cue| title.contains(cue))
        || [words(&title).next(), words(&title).last()].into_iter().flatten().any(|word| names_one(&fold(word)))
        || of_path(source).any(|part| names_one(&part.to_lowercase()))
}

/// Whether a question may be answered by a changelog: one about history, or about a single change.
pub(super) fn asks_of_changes(question: &str, shape: Shape) -> bool {
    shape == Shape::History || WORDS.changes.are_in(&question.to_lowercase())
}

/// Whether a claim only notes the version of a change: "Changed in version 3.7: …".
pub(super) fn is_version_note(claim: &str) -> bool {
    let text = without_brackets(claim).to_lowercase();
    WORDS.version_notes.beginning(text.trim_start_matches([':', ' '])).is_some()
}

/// The parts of a path that describe a page. Only the last part of a URL: whole sites are called news.
fn of_path(source: &SourceRef) -> impl Iterator<Item = &str> {
    let path = match source.path.split_once("://") {
        Some((_, address)) => address.rsplit_once('/').map_or("", |(_, last)| last),
        None => source.path.as_str(),
    };
    path.split(['/', '.'])
}

fn names_one(word: &str) -> bool {
    word.contains("changelog")
        || matches!(word, "changes" | "news" | "history" | "whatsnew" | "release-notes" | "release_notes")
}

/// Whether most headings of a page are versions or dates.
pub(super) fn is_dated(outline: &Outline) -> bool {
    let headings: Vec<&str> = outline.sections.iter().filter_map(|s| s.headings.last()).map(|h| h.as_str()).collect();
    let dated = headings.iter().filter(|heading| date(heading).is_some()).count();
    headings.len() >= ENOUGH_HEADINGS && dated * 2 > headings.len()
}

/// The versions or years whose changelogs have the most on a subject, in order, each as its page names it.
pub(super) fn steps(results: &ToolResults, names: &[Name], most: usize) -> Vec<String> {
    let mut steps: BTreeMap<Vec<u32>, (String, f64)> = BTreeMap::new();
    for (_, hits) in results.hits() {
        for (rank, hit) in hits.hits.iter().enumerate().filter(|(_, hit)| is_changelog(&hit.source)) {
            let above = hit.headings.iter().rev().chain([&hit.source.title]);
            let Some((step, date)) = above.into_iter().find_map(|text| Some((step(text)?, date(text)?))) else {
                continue;
            };
            let around: Vec<&str> = hit.headings.iter().chain([&hit.snippet]).map(|text| text.as_str()).collect();
            if names.iter().any(|name| name.is_in(&Tokens::of(&around.join(" ")))) {
                steps.entry(date_key(&date)).or_insert((step, 0.0)).1 += 1.0 / (10.0 + rank as f64);
            }
        }
    }
    while steps.len() > most {
        let weakest = steps.iter().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(key, _)| key.clone());
        steps.remove(&weakest.unwrap_or_default());
    }
    steps.into_values().map(|(step, _)| step).collect()
}

/// The name of a step in a history: "What's New In Python 3.8" is Python 3.8.
fn step(heading: &str) -> Option<String> {
    let words: Vec<&str> = heading.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains(|c: char| c.is_ascii_digit()))?;
    let named = at > 0 && words[at - 1].starts_with(char::is_uppercase);
    Some(words[if named { at - 1 } else { at }..=at].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::source;

    #[test]
    fn a_step_is_called_as_its_page_calls_it() {
        assert_eq!(step("What's New In Python 3.8").as_deref(), Some("Python 3.8"));
        assert_eq!(step("Changes of 1998").as_deref(), Some("1998"));
    }

    #[test]
    fn a_site_for_news_is_no_chronicle_and_its_change_log_is() {
        for (path, wanted) in [
            ("https://news.example/history/bread", false),
            ("https://a.example/news/", false),
            ("https://a.example/docs/changelog.html", true),
            ("docs/news/old.md", true),
            ("store-changelog.gz", true),
        ] {
            let source = SourceRef { path: path.into(), ..source("Bread") };
            assert_eq!(is_changelog(&source), wanted, "{path}");
        }
    }

    #[test]
    fn a_single_change_is_asked_for_in_other_words_than_a_history() {
        for (question, wanted) in [
            ("which version changed how colours work", true),
            ("What security problems were fixed recently?", true),
            ("how do I fix a broken index", false),
            ("how do I change the colours", false),
        ] {
            assert_eq!(asks_of_changes(question, Shape::Overview), wanted, "{question}");
        }
        assert!(asks_of_changes("how did it develop", Shape::History));
    }

    #[test]
    fn a_note_on_a_version_is_told_by_its_beginning() {
        assert!(is_version_note("Changed in version 3.7: it is initialised then."));
        assert!(is_version_note("[os.fork]: Deprecated since version 3.12: it may deadlock."));
        assert!(!is_version_note("The default changed in version 3.8 to spawn."));
    }

    #[test]
    fn a_chronicle_is_told_by_its_title() {
        for (title, wanted) in [
            ("What\u{2019}s New In Python 3.8", true),
            ("Changelog", true),
            ("Release notes of 2.0", true),
            ("History and License", true),
            ("Version history", true),
            ("Design and History FAQ", false),
            ("asyncio: Asynchronous I/O", false),
            ("How a package changes hands", false),
        ] {
            assert_eq!(is_changelog(&source(title)), wanted, "{title}");
        }
    }
}
