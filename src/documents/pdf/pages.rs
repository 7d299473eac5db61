//! Joins the text of pages: drops running heads and feet, and joins sentences across pages.

use std::collections::HashMap;

use super::mark::Mark;

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
    let numbered = numbered(&pages);
    let mut all: Vec<(&str, u32)> = Vec::new();
    for ((page, numbered), number) in pages.iter().zip(&numbered).zip(1u32..) {
        let is_head = |line: &usize| {
            repeated[&shape(page[*line])] >= many || is_page_number(page[*line]) || numbered.contains(line)
        };
        let heads: Vec<usize> = margins(page).into_iter().filter(is_head).collect();
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

/// The lines at the margins of each page that begin or end with a number one greater than a line there on the page
/// before, or one less than on the page after: `Chapter 4: Keys 31`.
fn numbered(pages: &[Vec<&str>]) -> Vec<Vec<usize>> {
    let number = |word: Option<&str>| word.filter(|word| word.len() <= 5).and_then(|word| word.parse::<u32>().ok());
    let heads = |page: &Vec<&str>| -> Vec<(usize, u32)> {
        let of = |line: usize| {
            let words = Mark::read(page[line]).1;
            let ends = [words.split_whitespace().next(), words.split_whitespace().next_back()];
            ends.into_iter().filter_map(move |word| Some((line, number(word)?)))
        };
        margins(page).into_iter().flat_map(of).collect()
    };
    let heads: Vec<Vec<(usize, u32)>> = pages.iter().map(heads).collect();
    let is_in = |at: Option<usize>, wanted: Option<u32>| {
        at.and_then(|at| heads.get(at)).is_some_and(|of| of.iter().any(|(_, number)| Some(*number) == wanted))
    };
    let goes_on = |at: usize, number: u32| {
        is_in(at.checked_sub(1), number.checked_sub(1)) || is_in(at.checked_add(1), number.checked_add(1))
    };
    let runs = |(at, of): (usize, &Vec<(usize, u32)>)| {
        of.iter().filter(|(_, number)| goes_on(at, *number)).map(|(line, _)| *line).collect()
    };
    heads.iter().enumerate().map(runs).collect()
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
    let line = Mark::read(line).1.trim();
    line.len() <= 12 && shape(line).chars().all(|c| c == '#' || c == ' ' || c == '-' || c == '/')
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
    fn running_heads_that_change_with_the_chapter_are_told_by_their_numbers() {
        let text = "Chapter 1: Keys 3\n\nOne.\n\nAll 7 of them.\n\u{c}Chapter 1: Keys 4\n\nTwo.\n\nMore.\n\u{c}Chapter 2: Locks 5\n\nThree.\n\nEnd of 9\n";
        let kept: Vec<&str> = lines(text).into_iter().map(|(line, _)| line).filter(|line| !line.is_empty()).collect();
        assert_eq!(kept, ["One.", "All 7 of them.", "Two.", "More.", "Three.", "End of 9"]);
    }
}
