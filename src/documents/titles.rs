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

/// The most lines in which a document declares its title in fields, and the fewest fields of such a head.
const MOST_OF_FIELDS: usize = 30;
const FEWEST_FIELDS: usize = 3;
/// Names of the field that holds the title.
const TITLE_FIELDS: [&str; 2] = ["title", "feature name"];

/// The fields of a text before anything else, as proposals have them: "PEP: 668", "Title: Marking …", "- Feature Name: let-else".
pub(super) fn fields(text: &str) -> Vec<(&str, &str)> {
    let mut fields: Vec<(&str, &str)> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines().take(MOST_OF_FIELDS) {
        let bare = line.trim().trim_start_matches("- ").trim_start_matches(['*', ':']).trim_start();
        if matches!(bare, "" | "<pre>") && fields.is_empty() {
            continue;
        }
        let field = bare.split_once(": ").filter(|(key, _)| is_field(key));
        match field {
            Some((key, value)) => fields.push((key.trim_end_matches('*'), value.trim())),
            // A value goes on in the lines that are set in below it.
            None if line.starts_with(' ') && !fields.is_empty() => {}
            None if bare.ends_with(':') && is_field(&bare[..bare.len() - 1]) => {}
            None => break,
        }
    }
    fields
}

/// The title that a text declares in its fields, with the number in front of it where the first field is that. Such documents begin with
/// a heading like "Abstract".
pub(super) fn of_fields(fields: &[(&str, &str)]) -> Option<String> {
    let (_, title) = fields.iter().find(|(key, _)| TITLE_FIELDS.iter().any(|name| key.eq_ignore_ascii_case(name)))?;
    let title = title.trim_matches(['`', '"', '\'']);
    let number = fields.first().filter(|(kind, number)| {
        kind.bytes().all(|b| b.is_ascii_uppercase()) && number.bytes().all(|b| b.is_ascii_digit())
    });
    let is_head = fields.len() >= FEWEST_FIELDS && title.chars().any(char::is_alphabetic);
    is_head.then(|| number.map_or_else(|| title.to_owned(), |(kind, number)| format!("{kind} {number}: {title}")))
}

/// Whether a text before a colon is the name of a field: a few words and no sentence.
fn is_field(key: &str) -> bool {
    key.len() <= 30
        && key.split(' ').count() <= 3
        && key.starts_with(char::is_alphabetic)
        && !key.contains(['.', ',', '['])
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

#[cfg(test)]
mod tests {
    use super::{fields, of_fields};

    #[test]
    fn proposals_declare_their_title_in_fields_and_other_texts_do_not() {
        for (text, title) in [
            (
                "PEP: 668\nTitle: Marking environments\nAuthor: A <a@example.org>,\n        B <b@example.org>\nStatus: Final\n\nAbstract\n====\n",
                Some("PEP 668: Marking environments"),
            ),
            (
                "<pre>\n  BIP: 125\n  Layer: Applications\n  Title: Opt-in Fees\n</pre>\n\n==Abstract==\n",
                Some("BIP 125: Opt-in Fees"),
            ),
            (
                "- Feature Name: `let-else`\n- Start Date: 2021-05-31\n- RFC PR: [#3137](https://example.org)\n\n## Summary\n",
                Some("let-else"),
            ),
            (":Title: Widgets\n:Author: A\n:Date: 2026\n\nText.", Some("Widgets")),
            // Two lines are no head, and a sentence with a colon is no field.
            ("Title: A song\nAuthor: B\n\nLa la la.\n", None),
            ("One thing is sure: it rains.\nNote: bring a coat.\nTitle: none\nKey: value\n", None),
            ("# Title: a talk\n\nDate: 2026\nPlace: here\n", None),
        ] {
            assert_eq!(of_fields(&fields(text)).as_deref(), title, "{text}");
        }
    }
}
