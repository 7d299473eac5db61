//! Detects changelogs: pages that list changes by version or date. They answer questions about history and few others.

use super::numbers::date;
use run::evidence::{Outline, SourceRef};
use text::words::{fold, words};

/// The least number of headings from which a page can be classified.
const ENOUGH_HEADINGS: usize = 5;

/// Whether the title or path of a page names a changelog.
pub(super) fn is_changelog(source: &SourceRef) -> bool {
    let title = source.title.to_lowercase().replace('\u{2019}', "'");
    ["what's new", "change log", "release notes", "upgrading checklist"].iter().any(|cue| title.contains(cue))
        || [words(&title).next(), words(&title).last()].into_iter().flatten().any(|word| names_one(&fold(word)))
        || of_path(source).any(|part| names_one(&part.to_lowercase()))
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
    matches!(word, "changelog" | "changes" | "news" | "history" | "whatsnew" | "release-notes" | "release_notes")
}

/// Whether most headings of a page are versions or dates.
pub(super) fn is_dated(outline: &Outline) -> bool {
    let headings: Vec<&str> = outline.sections.iter().filter_map(|s| s.headings.last()).map(|h| h.as_str()).collect();
    let dated = headings.iter().filter(|heading| date(heading).is_some()).count();
    headings.len() >= ENOUGH_HEADINGS && dated * 2 > headings.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::sample::source;

    #[test]
    fn a_site_for_news_is_no_chronicle_and_its_change_log_is() {
        for (path, wanted) in [
            ("https://news.example/history/bread", false),
            ("https://a.example/news/", false),
            ("https://a.example/docs/changelog.html", true),
            ("docs/news/old.md", true),
        ] {
            let source = SourceRef { path: path.into(), ..source("Bread") };
            assert_eq!(is_changelog(&source), wanted, "{path}");
        }
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
