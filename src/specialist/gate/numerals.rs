//! Numbers in words: "five", "sixty-one", "fifty thousand", and the multiples behind digits: "50k", "1.5 million".

use std::ops::Range;

use crate::words::WORDS;
use text::words::{fold, word_indices};

/// The numbers in words of a text, each with its place and its value in digits. A capital within a sentence makes a name of one.
pub(super) fn numerals(text: &str) -> Vec<(Range<usize>, String)> {
    let all: Vec<(usize, &str)> = word_indices(text).collect();
    let mut found = Vec::new();
    let mut n = 0;
    while n < all.len() {
        let is_name = n > 0 && all[n].1.starts_with(char::is_uppercase);
        match numeral(text, &all[n..]).filter(|_| !is_name) {
            Some((value, used)) => {
                let (at, last) = all[n + used - 1];
                found.push((all[n].0..at + last.len(), value.to_string()));
                n += used;
            }
            None => n += 1,
        }
    }
    found
}

/// The number that these words begin with, and how many of them it takes.
fn numeral(text: &str, all: &[(usize, &str)]) -> Option<(u64, usize)> {
    let (mut whole, mut part) = (0_u64, *WORDS.numerals.get(&*fold(all.first()?.1))?);
    let mut used = 1;
    for pair in all.windows(2) {
        let [(at, word), (next_at, next)] = *pair else { break };
        let next = fold(next);
        if !matches!(&text[at + word.len()..next_at], " " | "-") {
            break;
        }
        match (WORDS.numerals.get(&*next), WORDS.multiples.get(&*next)) {
            // "twenty one", "two hundred five"
            (Some(value), _) if part >= 20 && (part % 10 == 0 && *value < 10 || part % 100 == 0 && *value < 100) => {
                part += value;
            }
            (_, Some(2)) if part > 0 && part < 100 => part *= 100,
            (_, Some(zeros)) if part > 0 && *zeros > 2 => {
                whole += part * 10_u64.pow(*zeros);
                part = 0;
            }
            (Some(value), _) if part == 0 => part = *value,
            _ => break,
        }
        used += 1;
    }
    Some((whole + part, used))
}

/// The number of zeros that the text right behind digits adds to them, and its length: "k", " thousand".
pub(super) fn multiplied(behind: &str) -> Option<(u32, usize)> {
    let is_alone = |rest: &str| !rest.starts_with(char::is_alphanumeric);
    if let Some(rest) = behind.strip_prefix(['k', 'K']) {
        return is_alone(rest).then_some((3, 1));
    }
    let word = behind.strip_prefix([' ', '-'])?.split(|c: char| !c.is_alphabetic()).next()?;
    let zeros = WORDS.multiples.get(&*fold(word))?;
    Some((*zeros, 1 + word.len()))
}

/// A decimal number times a power of ten.
pub(super) fn shifted(value: &str, zeros: u32) -> String {
    let (whole, part) = value.split_once('.').unwrap_or((value, ""));
    let zeros = zeros as usize;
    let moved: String = part.chars().chain(std::iter::repeat('0')).take(zeros).collect();
    let rest = part.get(zeros..).unwrap_or_default();
    let whole = format!("{whole}{moved}");
    let significant = whole.trim_start_matches('0');
    let whole = if significant.is_empty() { "0" } else { significant };
    if rest.is_empty() { whole.into() } else { format!("{whole}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words_have_a_value() {
        let of = |text: &str| numerals(text).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(of("Sixty-one of two hundred five, or twenty one"), ["61", "205", "21"]);
        assert_eq!(of("up to fifty thousand jobs and three million five rows"), ["50000", "3000005"]);
        assert_eq!(of("a four-core machine, five times ten"), ["4", "5", "10"]);
        assert_eq!(of("We stay at the Four Seasons for a million reasons"), [""; 0]);
    }

    #[test]
    fn multiples_move_the_point() {
        for (text, wanted) in
            [("50|k jobs", "50000"), ("1.5| million", "1500000"), ("0.25|k", "250"), ("2.0005| thousand", "2000.5")]
        {
            let (digits, behind) = text.split_once('|').unwrap();
            assert_eq!(shifted(digits, multiplied(behind).unwrap().0), wanted);
        }
        assert_eq!(multiplied("kB"), None);
        assert_eq!(multiplied(" thousandths"), None);
    }
}
