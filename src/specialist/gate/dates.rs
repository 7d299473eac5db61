//! The parts of a date or a time that belong to a figure: the month of a day, the year of a number, the hour of a clock. Dates whose
//! parts are joined by marks are read whole.

use std::ops::Range;

use text::words::{fold, word_indices, words};

/// The months, in lower case.
pub(super) const MONTHS: [&str; 12] = [
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
pub(super) fn month(word: &str) -> Option<u32> {
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

/// A date in one of the forms that join its parts: "2020-10-05", "05-Oct-2020", "5.10.2020".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Date {
    /// Its place in the text.
    pub at: Range<usize>,
    /// The place of its day.
    pub day: Range<usize>,
    /// Its month, from 1 to 12.
    pub month: u32,
    /// The place of its year.
    pub year: Range<usize>,
}

/// The date that begins with the digits at this place of a text, if a word or number begins there and is one.
pub(super) fn date_at(text: &str, from: usize) -> Option<Date> {
    if text[..from].ends_with(char::is_alphanumeric) {
        return None;
    }
    let first = part(text, from)?;
    let mark = text[first.end..].chars().next().filter(|mark| matches!(mark, '-' | '/' | '.'))?;
    let second = part(text, first.end + 1)?;
    let third = part(text, text[second.end..].starts_with(mark).then_some(second.end + 1)?)?;
    let is_end =
        !text[third.end..].starts_with(|c: char| c.is_alphanumeric() || c == mark && !ends(&text[third.end..]));
    let in_digits = |at: &Range<usize>| text[at.clone()].parse::<u32>().ok();
    let number =
        |at: &Range<usize>, most: u32| in_digits(at).filter(|number| (1..=most).contains(number) && at.len() <= 2);
    let (day, year) = if first.len() == 4 { (third.clone(), first.clone()) } else { (first.clone(), third.clone()) };
    let written = &text[second.clone()];
    let month = match mark {
        '-' if year == third => month(written)?,
        // Which of the two is the month nobody can tell.
        '/' if year == third => return None,
        '.' if year == first => return None,
        _ => number(&second, 12)?,
    };
    number(&day, 31)?;
    (is_end && year.len() == 4 && in_digits(&year).is_some()).then_some(Date {
        at: first.start..third.end,
        day,
        month,
        year,
    })
}

/// Whether a text behind a mark ends there, or goes on with a new word.
fn ends(behind: &str) -> bool {
    !behind.chars().nth(1).is_some_and(char::is_alphanumeric)
}

/// The digits or the letters that begin here.
fn part(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = &text[from..];
    let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
    let len = rest.bytes().take_while(|b| if is_digit { b.is_ascii_digit() } else { b.is_ascii_alphabetic() }).count();
    (len > 0).then_some(from..from + len)
}

/// The months of the dates of a text that [`date_at`] reads.
pub(super) fn months_of(text: &str) -> impl Iterator<Item = u32> {
    let places = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    places.filter_map(|at| date_at(text, at)).map(|date| date.month)
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
    fn a_date_is_read_in_each_form_that_joins_its_parts() {
        let read = |text: &str| {
            let date = date_at(text, text.find(|c: char| c.is_ascii_digit())?)?;
            Some(format!("{}/{}/{}", &text[date.day.clone()], date.month, &text[date.year.clone()]))
        };
        for (text, wanted) in [
            ("Monday, 2020-10-05", Some("05/10/2020")),
            ("on 04-Jun-2019.", Some("04/6/2019")),
            ("until 31.12.2027.", Some("31/12/2027")),
            ("2020/10/05, noon", Some("05/10/2020")),
            ("5/10/2020", None),
            ("2020-13-05", None),
            ("2020-10-05-3", None),
            ("1.12.2", None),
            ("192.168.10.2020", None),
            ("3-to-2020", None),
        ] {
            assert_eq!(read(text).as_deref(), wanted, "{text}");
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
