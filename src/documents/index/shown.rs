//! The part of a passage that a result shows: a short one whole, of a longer one the sentences that match the query best.

use std::ops::Range;

use super::terms::{Stems, Term};
use text::Clean;
use text::sentence::sentences;
use text::words::{Language, word_indices};

/// The most bytes of a passage that is shown whole.
const WHOLE: usize = 256;
/// The most bytes that are shown of a longer one.
const PART: usize = 240;
/// Stands where a passage is cut, with a blank.
const CUT: char = '\u{2026}';
/// The bytes of the marks on both sides.
const MARKS: usize = 2 * (CUT.len_utf8() + 1);

/// The terms of a query, to find them in passages.
pub(super) struct Sought {
    /// The forms of each term between blanks, and the value of one.
    terms: Vec<(Vec<String>, f64)>,
    stems: Vec<Stems>,
}

impl Sought {
    /// Terms with the number of passages that hold each: rare ones are worth more.
    pub(super) fn of<'t>(terms: impl IntoIterator<Item = (&'t Term, u32)>, languages: &[Language]) -> Sought {
        let padded = |term: &Term| term.forms.iter().map(|form| format!(" {form} ")).collect();
        let worth = |blocks: u32| 1.0 / (f64::from(blocks) + 2.0).ln();
        Sought {
            terms: terms.into_iter().map(|(term, blocks)| (padded(term), worth(blocks))).collect(),
            stems: languages.iter().map(|language| Stems::new(*language)).collect(),
        }
    }

    /// The sum of the worth of the terms in a text.
    fn worth(&mut self, text: &str) -> f64 {
        let stemmed: Vec<String> = self.stems.iter_mut().map(|stems| format!(" {}", stems.stemmed(text))).collect();
        let is_there = |forms: &[String]| forms.iter().any(|form| stemmed.iter().any(|text| text.contains(form)));
        self.terms.iter().filter(|(forms, _)| is_there(forms)).map(|(_, worth)| worth).sum()
    }

    /// The part of a passage to show, at most `most` bytes.
    pub(super) fn shown(&mut self, text: &str, most: usize) -> Clean {
        let text = Clean::line(text);
        if text.len() <= WHOLE.min(most) {
            return text;
        }
        let Some(room) = PART.min(most).checked_sub(MARKS) else { return Clean::default() };
        let all = sentences(&text);
        let mut best = (0, 0.0);
        for (at, sentence) in all.iter().enumerate() {
            let worth = self.worth(&text[sentence.clone()]);
            if worth > best.1 {
                best = (at, worth);
            }
        }
        let part = match all.get(best.0) {
            Some(sentence) if sentence.len() <= room => with_neighbours(&all, best.0, room),
            Some(sentence) => self.within(&text, sentence.clone(), room),
            None => 0..0,
        };
        let (before, after) = (&text[..part.start], &text[part.end..]);
        let mark = |cut: &str, mark: String| if cut.trim().is_empty() { String::new() } else { mark };
        let shown = &text[part];
        match shown.is_empty() {
            true => Clean::default(),
            false => {
                Clean::new(&format!("{}{shown}{}", mark(before, format!("{CUT} ")), mark(after, format!(" {CUT}"))))
            }
        }
    }

    /// The part of a long sentence around its first term: whole words.
    fn within(&mut self, text: &str, sentence: Range<usize>, room: usize) -> Range<usize> {
        let words: Vec<(usize, &str)> = word_indices(&text[sentence.clone()]).collect();
        let first = words.iter().find(|(_, word)| self.worth(word) > 0.0).map_or(0, |(at, _)| *at);
        let from = match first + room / 2 > sentence.len() {
            // As much as there is room for, up to its end.
            true => sentence.len().saturating_sub(room),
            false => first.saturating_sub(room / 3),
        };
        let begins = |at: &usize| *at >= from;
        let from = words.iter().map(|(at, _)| *at).find(begins).filter(|_| from > 0).unwrap_or(0) + sentence.start;
        let to = text.floor_char_boundary((from + room).min(sentence.end));
        if to == sentence.end {
            return from..to;
        }
        // Where the last space is far off, the cut is within a word: some scripts have no spaces, nor have addresses.
        from..text[from..to].rfind(' ').filter(|at| *at > room / 2).map_or(to, |at| from + at)
    }
}

/// A sentence with as many behind it, then before it, as there is room for.
fn with_neighbours(all: &[Range<usize>], at: usize, room: usize) -> Range<usize> {
    let mut part = all[at].clone();
    for next in &all[at + 1..] {
        if next.end - part.start > room {
            break;
        }
        part.end = next.end;
    }
    for before in all[..at].iter().rev() {
        if part.end - before.start > room {
            break;
        }
        part.start = before.start;
    }
    part
}

#[cfg(test)]
mod tests {
    use super::super::terms::terms;
    use super::*;

    fn shown(text: &str, query: &str, most: usize) -> String {
        let languages = [Language::English];
        let terms = terms(query, &languages);
        Sought::of(terms.iter().map(|term| (term, 3)), &languages).shown(text, most).to_string()
    }

    #[test]
    fn a_short_passage_is_shown_whole_and_of_a_longer_one_the_sentences_that_match() {
        let short = "A sentence on other things. ".repeat(9);
        assert_eq!(shown(&short, "planner", 1_000), short.trim());
        let other = "This sentence is about other things than those. ".repeat(9);
        let found = "The planner would prefer a sequential table scan.";
        let after = "So it is.";
        for (text, expected) in [
            (format!("{other}{found}"), format!("This sentence is about other things than those. {found}")),
            (format!("{found} {other}"), format!("{found} This sentence")),
            (format!("{other}{found} {after} {other}"), format!("{found} {after} This sentence")),
        ] {
            let shown = shown(&text, "planner prefers scans", 1_000);
            assert!(shown.contains(&expected) && shown.len() <= PART, "{shown}");
            assert_eq!(shown.starts_with("\u{2026} "), text.starts_with("This"), "{shown}");
            assert_eq!(shown.ends_with(" \u{2026}"), !text.ends_with(found), "{shown}");
        }
        assert!(shown(&other, "planner", 1_000).starts_with("This sentence is"), "nothing matches");
    }

    #[test]
    fn of_a_long_sentence_the_words_around_the_first_that_matches_are_shown() {
        let words = "one two three ".repeat(40);
        let text = format!("{words}planner {words}");
        let part = shown(&text, "planner", 1_000);
        assert!(part.contains(" planner ") && part.starts_with("\u{2026} ") && part.ends_with(" \u{2026}"), "{part}");
        assert!(shown(&format!("{words}planner"), "planner", 1_000).ends_with(" planner"));
    }

    #[test]
    fn of_a_sentence_without_spaces_as_much_is_shown_as_there_is_room_for() {
        for text in ["字".repeat(100), format!("See https://a.example/{}", "0123456789abcdef".repeat(30))] {
            let part = shown(&text, "planner", 1_000);
            assert!(part.len() > 200 && part.len() <= PART && part.ends_with(" \u{2026}"), "{part}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_has_no_more_bytes_than_there_is_room_for(
            text in "(planner |\u{e9}t\u{e9}\\. |[a-z]{1,9}[ .]|\\PC){0,300}", most in 0usize..500
        ) {
            proptest::prop_assert!(shown(&text, "planner", most).len() <= most);
        }
    }
}
