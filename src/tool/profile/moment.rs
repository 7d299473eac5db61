//! Timestamps in logs and tables, to the second.

use jiff::civil::Date;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

/// A timestamp, and where in the text it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Seconds since a fixed day; only differences are meaningful.
    pub(super) second: i64,
    /// The timestamp as written.
    pub(super) written: String,
    /// The index of the byte after it in the line.
    pub(super) end: usize,
}

/// The formats of timestamps, with their lengths.
const FORMATS: [(&str, usize); 4] =
    [("%Y-%m-%dT%H:%M:%S", 19), ("%Y-%m-%d %H:%M:%S", 19), ("%d/%b/%Y:%H:%M:%S", 20), ("%b %e %H:%M:%S", 15)];

/// The first timestamp near the beginning of a line: ISO 8601, `20/Nov/2026:10:00:01`, `Nov 20 10:00:01`.
pub(super) fn of(line: &str) -> Option<Moment> {
    let begin = &line[..line.floor_char_boundary(80)];
    let starts = begin.char_indices().filter(|(at, c)| {
        let before = begin[..*at].chars().next_back();
        c.is_ascii_alphanumeric() && !before.is_some_and(|before| before.is_ascii_alphanumeric())
    });
    starts.map(|(at, _)| at).find_map(|at| {
        let (second, long) = read(&begin[at..])?;
        Some(Moment { second, written: begin[at..at + long].to_owned(), end: at + long })
    })
}

/// Parses a timestamp at the beginning of a text; returns its seconds and its length. Without a year, 2000 is assumed.
fn read(text: &str) -> Option<(i64, usize)> {
    FORMATS.iter().find_map(|(format, long)| {
        let mut time = BrokenDownTime::parse(format, text.get(..*long)?).ok()?;
        if time.year().is_none() {
            time.set_year(Some(2000)).ok()?;
        }
        let time = time.to_datetime().ok()?.to_zoned(TimeZone::UTC).ok()?;
        Some((time.timestamp().as_second(), *long))
    })
}

/// Whether a text is a valid day in the form `2026-11-20`.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && Date::strptime("%Y-%m-%d", text).is_ok()
}

/// A duration in words.
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
        assert!(is_date("2024-02-29") && !is_date("2026-02-29") && !is_date("2026-00-10"));
        assert_eq!((long(90), long(2_520), long(7_260)), ("90 s".into(), "42 min".into(), "2 h 1 min".into()));
    }
}
