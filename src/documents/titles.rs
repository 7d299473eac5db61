//! Titles of documents and headings: the titles that pages declare, their first words, and the names of manual pages.

use text::Clean;

/// The most bytes of a heading; longer ones are mistakes in the markup.
pub(super) const LONGEST_HEADING: usize = 300;
/// Separators between a page's title and the name of its site.
const SITE_SEPARATORS: [&str; 7] = [" \u{2014} ", " | ", " - ", " \u{2013} ", " \u{b7} ", " :: ", " \u{bb} "];

/// The title of the document, and whether its first heading only repeats it.
pub(super) fn reconcile(page: &Clean, heading: &Clean) -> (Clean, bool) {
    let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    if same(page, heading) {
        return (page.clone(), true);
    }
    for separator in SITE_SEPARATORS {
        for (at, _) in page.match_indices(separator) {
            let (before, after) = (&page[..at], &page[at + separator.len()..]);
            if same(before, heading) || same(after, heading) {
                return (heading.clone(), true);
            }
        }
    }
    // "What search costs: a comparison" over "What search costs": the longer one is the title.
    let begins = page.get(..heading.len()).is_some_and(|begin| same(begin, heading))
        && !page[heading.len()..].starts_with(char::is_alphanumeric);
    if begins {
        return (page.clone(), true);
    }
    let title = SITE_SEPARATORS
        .iter()
        .filter_map(|separator| page.rfind(separator))
        .max()
        .map_or_else(|| page.clone(), |at| Clean::new(&page[..at]));
    (title, false)
}

/// Whether a heading is the name of the site, which follows the page's name in the declared title: "Heaps — The Site".
pub(super) fn is_site(page: &str, heading: &str) -> bool {
    let before = page.strip_suffix(heading);
    before.is_some_and(|before| SITE_SEPARATORS.iter().any(|separator| before.ends_with(separator)))
}

/// A heading cut to the length that is kept.
pub(super) fn shorten(heading: Clean) -> Clean {
    if heading.len() <= LONGEST_HEADING {
        return heading;
    }
    Clean::line(&heading[..heading.floor_char_boundary(LONGEST_HEADING)])
}

/// The title of a manual page, "ls(1): list directory contents", from its name and its first line, "ls - list directory
/// contents".
pub(super) fn manual_title(name: &str, said: &str) -> String {
    match said.split_once(" - ").map(|(_, purpose)| purpose.trim()).filter(|purpose| !purpose.is_empty()) {
        Some(purpose) => format!("{name}: {purpose}"),
        None => name.to_owned(),
    }
}

/// Whether the declared title is a real title: many programs declare a file name or their own name.
pub(super) fn is_title(title: &str) -> bool {
    let title = title.trim();
    let lower = title.to_ascii_lowercase();
    title.chars().filter(|c| c.is_alphabetic()).count() >= 3
        && !lower.starts_with("untitled")
        && !lower.starts_with("microsoft word")
        && ![".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".odt"].iter().any(|ending| lower.ends_with(ending))
}
