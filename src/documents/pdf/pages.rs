//! Joins the text of pages: without running heads and feet, and with sentences joined across pages.

use std::collections::HashMap;

/// Lines at the top and bottom of a page that may be running heads or feet.
const MARGIN: usize = 2;
/// Leader dots of a table of contents.
const LEADERS: &str = ". . . .";

/// The lines of all pages with their page number (from 1).
pub(super) fn lines(text: &str) -> Vec<(&str, u32)> {
    let pages: Vec<Vec<&str>> =
        text.trim_end_matches('\u{c}').split('\u{c}').map(|page| page.lines().collect()).collect();
    let mut repeated: HashMap<String, usize> = HashMap::new();
    for page in &pages {
        for line in margins(page) {
            *repeated.entry(shape(page[line])).or_default() += 1;
        }
    }
    let many = (pages.len() / 3).max(3);
    let mut all: Vec<(&str, u32)> = Vec::new();
    for (page, number) in pages.iter().zip(1u32..) {
        let heads: Vec<usize> = margins(page)
            .into_iter()
            .filter(|line| repeated[&shape(page[*line])] >= many || is_page_number(page[*line]))
            .collect();
        let kept = page.iter().enumerate().filter(|(at, line)| !heads.contains(at) && !line.contains(LEADERS));
        let mut kept = kept.map(|(_, line)| *line).skip_while(|line| line.trim().is_empty()).peekable();
        while all.last().is_some_and(|(line, _)| line.trim().is_empty()) {
            all.pop();
        }
        let goes_on = all.last().is_some_and(|(line, _)| !line.trim_end().ends_with(['.', '!', '?', ':', ';']))
            && kept.peek().is_some_and(|line| line.trim_start().starts_with(char::is_lowercase));
        if !goes_on {
            all.push(("", number));
        }
        all.extend(kept.map(|line| (line, number)));
    }
    all
}

/// The first and last non-empty lines of a page.
fn margins(page: &[&str]) -> Vec<usize> {
    let filled: Vec<usize> = (0..page.len()).filter(|at| !page[*at].trim().is_empty()).collect();
    let mut margins: Vec<usize> = filled.iter().take(MARGIN).copied().collect();
    margins.extend(filled.iter().skip(MARGIN).rev().take(MARGIN));
    margins
}

/// A line without its numbers: running heads differ only in the page number.
fn shape(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let roman = !word.is_empty() && word.chars().all(|c| "ivxlc".contains(c));
        if roman || word.chars().any(|c| c.is_ascii_digit()) { "#" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_page_number(line: &str) -> bool {
    let line = line.trim();
    line.len() <= 12 && shape(line).chars().all(|c| c == '#' || c == ' ' || c == '-' || c == '/')
}

/// Whether the declared title is a real one: many programs put a file name or their own name there.
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
    use super::*;

    #[test]
    fn running_heads_and_page_numbers_are_left_out_and_sentences_go_on() {
        let text = "The Guide 1 / 4\n\nOne sentence that\n\u{c}The Guide 2 / 4\n\ngoes on here.\n\n2\n\u{c}The Guide 3 / 4\n\nMore.\n\u{c}The Guide 4 / 4\n\nEnd.\n";
        let kept: Vec<(&str, u32)> = lines(text).into_iter().filter(|(line, _)| !line.is_empty()).collect();
        assert_eq!(kept, [("One sentence that", 1), ("goes on here.", 2), ("More.", 3), ("End.", 4)]);
    }

    #[test]
    fn a_title_is_not_the_name_of_a_file() {
        assert!(is_title("Debian Reference"));
        for no in ["", "untitled", "Microsoft Word - report.doc", "thesis.dvi", "12"] {
            assert!(!is_title(no), "{no}");
        }
    }
}
