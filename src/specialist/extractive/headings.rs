//! Headings: without their numbers, the name that stands in them, and those that name nothing.

use super::claim::unnumbered;
use super::words::WORDS;

/// A heading without its number: "8.3. Handling", "Chapter 3. The …".
pub(super) fn bare(heading: &str) -> String {
    unnumbered(heading).trim_end_matches([':', ' ']).to_string()
}

/// The name of a group member in a heading: "/var/lock : Lock files" is /var/lock.
pub(super) fn member(heading: &str) -> &str {
    let cuts = [" : ", ": ", " — ", " – ", " (", " - "];
    let end = cuts.iter().filter_map(|cut| heading.find(cut)).min().unwrap_or(heading.len());
    heading[..end].trim().trim_end_matches(':')
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

/// Whether a question may be answered by such a section.
pub(super) fn asks_for_law(question: &str) -> bool {
    WORDS.asks_for_law.are_in(&question.to_lowercase())
}

/// Whether a heading names no sub-topic.
pub(super) fn is_furniture(heading: &str) -> bool {
    let heading = bare(heading);
    // The header of a table or form, set as a heading.
    let form = heading.split(' ').count() > 3 && heading.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let lower = heading.to_lowercase();
    form || lower.ends_with(" glossary")
        || [&WORDS.furniture, &WORDS.elsewhere].iter().any(|list| list.contains(&lower))
}

/// Whether a heading can stand for what its section is about.
pub(super) fn is_a_name(heading: &str) -> bool {
    let words = heading.split_whitespace().count();
    (1..=5).contains(&words)
        && heading.contains(char::is_alphabetic)
        && !is_furniture(heading)
        && !heading.ends_with(['?', ':', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_numbers() {
        assert_eq!(bare("8.3. Handling Exceptions"), "Handling Exceptions");
        assert_eq!(bare("Chapter 3. The system initialization"), "The system initialization");
        assert_eq!(bare("3 ways"), "ways");
        assert_eq!(bare("/var"), "/var");
        assert_eq!(member("/var/lock : Lock files"), "/var/lock");
    }

    #[test]
    fn the_licence_of_a_manual_answers_only_questions_about_it() {
        assert!(is_of_law("Appendix A Copying this manual"));
        assert!(is_of_law("A.1 GNU Free Documentation License"));
        assert!(!is_of_law("License"));
        assert!(!asks_for_law("how does it decide what to fetch"));
        assert!(asks_for_law("may I sell copies of the manual"));
    }
}
