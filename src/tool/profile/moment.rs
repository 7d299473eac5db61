//! Moments as logs and tables write them, to the second.

/// A moment, and where in the text it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Seconds since some day long ago; only differences mean anything.
    pub(super) second: i64,
    /// As it is written.
    pub(super) written: String,
    /// Bytes of the line up to the end of it.
    pub(super) end: usize,
}

/// The first moment in the beginning of a line: ISO 8601, `20/Nov/2026:10:00:01`, `Nov 20 10:00:01`.
pub(super) fn of(line: &str) -> Option<Moment> {
    let mut begin = line.len().min(80);
    while !line.is_char_boundary(begin) {
        begin -= 1;
    }
    let begin = &line[..begin];
    let starts = begin.char_indices().filter(|(at, c)| {
        let before = begin[..*at].chars().next_back();
        c.is_ascii_alphanumeric() && !before.is_some_and(|before| before.is_ascii_alphanumeric())
    });
    starts.map(|(at, _)| at).find_map(|at| {
        let text = &begin[at..];
        let (second, long) = iso(text).or_else(|| clf(text)).or_else(|| syslog(text))?;
        Some(Moment { second, written: text[..long].to_owned(), end: at + long })
    })
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn number(text: &str, from: usize, long: usize) -> Option<i64> {
    let digits = text.get(from..from + long)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn at(text: &str, place: usize, one_of: &[u8]) -> Option<()> {
    one_of.contains(text.as_bytes().get(place)?).then_some(())
}

/// `10:00:01` from here, as seconds of the day.
fn clock(text: &str, from: usize) -> Option<i64> {
    at(text, from + 2, b":")?;
    at(text, from + 5, b":")?;
    let (hour, minute, second) = (number(text, from, 2)?, number(text, from + 3, 2)?, number(text, from + 6, 2)?);
    (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3_600 + minute * 60 + second)
}

/// `2026-11-20T10:00:01`, with a space for the T.
fn iso(text: &str) -> Option<(i64, usize)> {
    let day = date(text.get(..10)?)?;
    at(text, 10, b"T ")?;
    Some((day * 86_400 + clock(text, 11)?, 19))
}

/// `20/Nov/2026:10:00:01`
fn clf(text: &str) -> Option<(i64, usize)> {
    at(text, 2, b"/")?;
    at(text, 6, b"/")?;
    at(text, 11, b":")?;
    let day = days(number(text, 7, 4)?, month(text, 3)?, number(text, 0, 2)?)?;
    Some((day * 86_400 + clock(text, 12)?, 20))
}

/// `Nov 20 10:00:01`, of no year.
fn syslog(text: &str) -> Option<(i64, usize)> {
    let month = month(text, 0)?;
    let day = number(text, 4, 2).or_else(|| number(text, 5, 1))?;
    at(text, 6, b" ")?;
    Some((days(2_000, month, day)? * 86_400 + clock(text, 7)?, 15))
}

fn month(text: &str, from: usize) -> Option<i64> {
    let name = text.get(from..from + 3)?;
    MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name)).and_then(|at| i64::try_from(at + 1).ok())
}

/// A day in the form `2026-11-20` that there is, as a number of days.
pub(super) fn date(text: &str) -> Option<i64> {
    if text.len() != 10 {
        return None;
    }
    at(text, 4, b"-")?;
    at(text, 7, b"-")?;
    days(number(text, 0, 4)?, number(text, 5, 2)?, number(text, 8, 2)?)
}

/// Days since the beginning of year 0; None if there is no such day.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let long = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=long).contains(&day) {
        return None;
    }
    // The year begins in March, so that the leap day is its last.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    Some(365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day)
}

/// A duration as people say it.
pub(super) fn long(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_as_logs_write_it() {
        for (line, written) in [
            ("2026-11-20T10:00:01.123Z INFO x", "2026-11-20T10:00:01"),
            ("[2026-11-20 10:00:01,5] x", "2026-11-20 10:00:01"),
            ("10.0.0.1 - - [20/Nov/2026:10:00:01 +0000] \"GET /\"", "20/Nov/2026:10:00:01"),
            ("Nov 20 10:00:01 host app: x", "Nov 20 10:00:01"),
        ] {
            assert_eq!(of(line).unwrap_or_else(|| panic!("{line}")).written, written);
        }
        for line in
            ["", "no time", "2026-13-20T10:00:01 x", "2026-11-20T25:00:01", "2026-11-20", "é".repeat(60).as_str()]
        {
            assert_eq!(of(line), None, "{line}");
        }
        let second = |line: &str| of(line).unwrap().second;
        assert_eq!(second("2026-03-01T00:00:00") - second("2026-02-28T23:59:59"), 1);
        assert_eq!(second("2024-03-01T00:00:00") - second("2024-02-28T23:59:59"), 86_401);
        assert_eq!(second("[01/Jan/2027:00:00:00 +0000]") - second("2026-12-31T23:59:00"), 60);
    }

    #[test]
    fn a_day_that_there_is_not_is_no_date() {
        assert!(date("2024-02-29").is_some() && date("2026-02-29").is_none() && date("2026-00-10").is_none());
        assert_eq!((long(90), long(2_520), long(7_260)), ("90 s".into(), "42 min".into(), "2 h 1 min".into()));
    }
}
