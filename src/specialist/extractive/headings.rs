//! Headings: without their numbers, the names in them, and those that name no subject.

use crate::words::WORDS;
use text::words::words;

/// Characters that a label may not contain: with them it would be program text.
pub(super) const NO_LABEL: [char; 8] = ['[', ']', '*', '<', '>', '{', '}', '$'];

/// A heading without its number.
pub(super) fn unnumbered(heading: &str) -> &str {
    let heading = heading.trim().trim_end_matches('¶').trim_end();
    let division = ["Chapter ", "Appendix ", "Section ", "Part "].iter().find_map(|word| heading.strip_prefix(word));
    let numbered = division.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(heading);
    let after = numbered.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = after.trim_start_matches([' ', ')', ':']);
    let rest = ["- ", "– ", "— "].iter().find_map(|dash| rest.strip_prefix(dash)).unwrap_or(rest);
    // "2D sampling" begins with a word.
    let is_numbered = numbered.starts_with(|c: char| c.is_ascii_digit())
        && !after.starts_with(char::is_alphabetic)
        && !rest.is_empty();
    if is_numbered { rest } else { heading }
}

/// A heading without its number: "8.3. Handling", "Chapter 3. The …".
pub(super) fn bare(heading: &str) -> String {
    unnumbered(heading).trim_end_matches([':', ' ']).to_string()
}

/// The name of a group member in a heading: "/var/lock : Lock files" is /var/lock.
pub(super) fn member(heading: &str) -> &str {
    let cuts = [" : ", ": ", " — ", " – ", " (", " - "];
    let end = cuts.iter().filter_map(|cut| heading.find(cut)).min().unwrap_or(heading.len());
    closed(&heading[..end]).trim_matches(['|', ' ']).trim_end_matches(':')
}

/// A text up to a bracket that it opens and does not close: "relayhost" of "relayhost (default:".
pub(super) fn closed(text: &str) -> &str {
    match text.rfind('(') {
        Some(at) if !text[at..].contains(')') => text[..at].trim_end(),
        _ => text,
    }
}

/// Whether a heading is over links or literature.
pub(super) fn leads_elsewhere(heading: &str) -> bool {
    WORDS.elsewhere.contains(&bare(heading).to_lowercase())
}

/// Whether a section holds the licence or legal notices of its document.
pub(super) fn is_of_law(heading: &str) -> bool {
    let heading = bare(heading).to_lowercase();
    WORDS.legal.iter().any(|of_law| heading.ends_with(of_law))
}

/// Whether a file is a licence by its name: "fonts/OPEN-SANS-LICENSE.txt".
pub(super) fn is_licence(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    ["license", "licence", "copying"].iter().any(|end| stem.ends_with(end))
}

/// Whether a question is about licences or legal notices.
pub(super) fn asks_for_law(question: &str) -> bool {
    WORDS.asks_for_law.are_in(&question.to_lowercase())
}

/// Whether a heading names no sub-topic.
pub(super) fn is_furniture(heading: &str) -> bool {
    let heading = bare(heading);
    // The header of a table or form, formatted as a heading.
    let form = heading.split(' ').count() > 3 && heading.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let lower = heading.to_lowercase();
    form || !heading.contains(char::is_alphabetic)
        || lower.ends_with(" glossary")
        || [&WORDS.furniture, &WORDS.elsewhere].iter().any(|list| list.contains(&lower))
}

/// Whether a heading can name the subject of its section.
pub(super) fn is_a_name(heading: &str) -> bool {
    let words = heading.split_whitespace().count();
    (1..=5).contains(&words)
        && heading.contains(char::is_alphabetic)
        && !is_furniture(heading)
        && !heading.ends_with(['?', ':', '.'])
}

/// Whether a heading or key is the signature of a function, an option or a field, rather than words.
pub(super) fn is_signature(key: &str) -> bool {
    let key = key.trim().trim_start_matches(['‘', '“', '\'', '"', '`']);
    is_called(key)
        || key.contains(['_', '=', '<']) && !is_of_words(key)
        || key.starts_with(['-', '$'])
        // A command typed after a colon, as in Vim.
        || key.strip_prefix(':').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        || (key.contains('.') && !key.contains(' ') && !key.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a heading or key is a function with its arguments: "system(command)", not "the remote shell (SSH)".
pub(super) fn is_called(key: &str) -> bool {
    let called = key.match_indices('(').any(|(at, _)| key[..at].ends_with(|c: char| !c.is_whitespace()));
    called && !key.contains(") ")
}

/// Whether a heading consists of plain words with a name among them: "When not to use mod_rewrite".
fn is_of_words(heading: &str) -> bool {
    let is_plain = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let (plain, marked): (Vec<&str>, Vec<&str>) = heading.split_whitespace().partition(is_plain);
    plain.len() >= 3 && plain.len() > marked.len()
}

/// Whether a name is that of a file, an option or the like, and not plain words.
pub(super) fn is_technical(name: &str) -> bool {
    let is_hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    name.contains(['/', '_', '-', '.', '~', '$']) || name.as_bytes().windows(2).any(is_hump)
}

/// Whether a heading is the name of a setting in one word of small letters: "legacy-peer-deps" anywhere, "force" below
/// another heading.
pub(super) fn is_option(heading: &str, is_below_another: bool) -> bool {
    (heading.contains('-') || is_below_another && !is_furniture(heading))
        && heading.starts_with(|c: char| c.is_ascii_lowercase())
        && heading.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The name of an option or a function in the heading of its entry: `save` of `Status *save(File *file)`, `--all` of
/// `--all=N`.
pub(super) fn entry(heading: &str) -> Option<&str> {
    let heading = unnumbered(heading);
    if !is_signature(heading) {
        return None;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let called = heading.find('(').map(|end| &heading[..end]).filter(|before| before.ends_with(is_name));
    let name = match called {
        Some(before) => &before[before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1)..],
        None => {
            let plain = closed(&heading[..heading.find(NO_LABEL).unwrap_or(heading.len())]);
            plain.trim_matches(['|', ' ']).trim_end_matches(['=', ' ', ',', ':'])
        }
    };
    words(name).next().is_some().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_numbers() {
        assert_eq!(bare("8.3. Handling Exceptions"), "Handling Exceptions");
        assert_eq!(bare("Chapter 3. The system initialization"), "The system initialization");
        assert_eq!(bare("Chapter 14 - Main configuration"), "Main configuration");
        assert_eq!(bare("3.1 --all"), "--all");
        assert_eq!(bare("3 ways"), "ways");
        assert_eq!(bare("2D sampling"), "2D sampling");
        assert_eq!(bare("/var"), "/var");
        assert_eq!(member("/var/lock : Lock files"), "/var/lock");
    }

    #[test]
    fn a_heading_in_words_that_has_a_name_in_it_is_no_signature() {
        for heading in [
            "mod_rewrite",
            "‘-n’, ‘--quiet’",
            "size_t count = 0",
            "ssl_error (no shared cipher)",
            "-o FILE",
            "os.fork",
            ":earlier {N}h",
        ] {
            assert!(is_signature(heading), "{heading}");
        }
        for heading in ["When not to use mod_rewrite", "The remote shell (SSH)", "Locks", ": a colon"] {
            assert!(!is_signature(heading), "{heading}");
        }
    }

    #[test]
    fn the_licence_of_a_manual_answers_only_questions_about_it() {
        assert!(is_of_law("Appendix A Copying this manual"));
        assert!(is_of_law("A.1 GNU Free Documentation License"));
        assert!(!is_of_law("License"));
        assert!(is_licence("fonts/OPEN-SANS-LICENSE.txt") && is_licence("COPYING"));
        assert!(!is_licence("licenses/choosing.md") && !is_licence("docs/license-server.md"));
        assert!(!asks_for_law("how does it decide what to fetch"));
        assert!(asks_for_law("may I sell copies of the manual"));
    }
}
