//! The parts of a date or a time that belong to a figure: the month of a day, the year of a number, the hour of a clock.

use text::words::{fold, word_indices, words};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// The most words between a number and its year: "27 times in 2023".
const YEAR_WITHIN: usize = 3;

/// The month that stands right beside a day, from 1 to 12: "1 March", "June 30th", "the 3rd of May".
pub(super) fn month_beside(before: &str, behind: &str) -> Option<u32> {
    let first = behind
        .trim_start_matches(|c: char| c.is_ascii_lowercase())
        .split([',', '.', ';', ')'])
        .next()
        .unwrap_or_default();
    let mut following = words(first).skip_while(|word| fold(word) == "of");
    let preceding = before.trim_end().ends_with(char::is_alphabetic).then(|| words(before).last()).flatten();
    following.next().and_then(month).or_else(|| preceding.and_then(month))
}

/// The number of a month with a capital.
fn month(word: &str) -> Option<u32> {
    let folded = fold(word);
    let is_it = |name: &str| folded == name || folded.len() >= 3 && name.starts_with(&*folded) && folded.len() <= 4;
    let (number, _) = (1..).zip(MONTHS).find(|(_, name)| is_it(name))?;
    word.starts_with(char::is_uppercase).then_some(number)
}

/// The year for which a number is told: "27 times in 2023".
pub(super) fn year_behind(behind: &str) -> Option<u32> {
    let clause = behind.split([',', ';', '(']).next().unwrap_or_default();
    let near: Vec<(usize, &str)> = word_indices(clause).take(YEAR_WITHIN + 1).collect();
    let at = near.iter().position(|(_, word)| fold(word) == "in")?;
    let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let (_, year) = near.get(at + 1).filter(|_| near[..at].iter().all(|(_, word)| !is_number(word)))?;
    year.parse().ok().filter(|year| (1900..2100).contains(year))
}

/// The hour of the day that a number is, from 0 to 23: "22:00", "10 p.m.".
pub(super) fn hour(digits: &str, behind: &str) -> Option<u32> {
    let number: u32 = digits.parse().ok().filter(|number| *number <= 24)?;
    let minutes = behind.strip_prefix(':').map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if minutes == Some(2) {
        return Some(number % 24);
    }
    let half = behind.trim_start().get(..4).or(behind.trim_start().get(..2)).unwrap_or_default().to_lowercase();
    let is_half = |letter: &str| {
        half.starts_with(&format!("{letter}.m.")) || half.trim_end_matches(['.', ',', ' ']) == format!("{letter}m")
    };
    match number {
        1..=12 if is_half("p") => Some(number % 12 + 12),
        1..=12 if is_half("a") => Some(number % 12),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_its_month() {
        for (before, behind, wanted) in [
            ("on ", " March 2023", Some(3)),
            ("on May ", ", 2025", Some(5)),
            ("on the ", "rd of June", Some(6)),
            ("from ", " Sept. to", Some(9)),
            ("it may ", " times", None),
            ("in ", " days of March", None),
            ("", "", None),
        ] {
            assert_eq!(month_beside(before, behind), wanted, "{before}|{behind}");
        }
    }

    #[test]
    fn a_number_has_its_year() {
        for (behind, wanted) in [
            (" times in 2023, compared with", Some(2023)),
            (" MWh in 2022 to 168 MWh in 2023", Some(2022)),
            (" jobs, in 2023", None),
            (" of 26 in 2023", None),
            (" in 20 days", None),
        ] {
            assert_eq!(year_behind(behind), wanted, "{behind}");
        }
    }

    #[test]
    fn an_hour_is_the_same_on_both_clocks() {
        for (digits, behind, wanted) in [
            ("22", ":00 to", Some(22)),
            ("10", " p.m. to", Some(22)),
            ("10", "pm", Some(22)),
            ("12", " a.m.", Some(0)),
            ("7", " am.", Some(7)),
            ("10", " apples", None),
            ("3", ":1", None),
            ("30", ":00", None),
        ] {
            assert_eq!(hour(digits, behind), wanted, "{digits}{behind}");
        }
    }
}
