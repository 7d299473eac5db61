//! The wait that a server asks for in its header `Retry-After`.

use std::time::{Duration, SystemTime};

/// The longest wait that is taken from a server.
pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Seconds, also with a fraction, or a date; None if it is neither. `now` is the time by the server's clock.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    seconds(value, 1.0).or_else(|| date(value, now))
}

/// A number of seconds, or of another unit; None if it is no number.
pub fn seconds(text: &str, unit: f64) -> Option<Duration> {
    // `f64` knows words too: `inf`, `nan`.
    let number = text.parse::<f64>().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit() || c == '.'))?;
    Some(bounded(number * unit))
}

/// This many seconds, at most the longest wait.
pub fn bounded(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).map_or(LONGEST, |wait| wait.min(LONGEST))
}

/// The time until a date as HTTP writes it; none if it is over.
pub fn date(text: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default().min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_with_a_fraction_and_dates_are_read() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 15:00:00 GMT").unwrap();
        for (value, ms) in [
            ("7", Some(7_000)),
            (" 1.5 ", Some(1_500)),
            ("Sat, 21 Nov 2026 15:00:10 GMT", Some(10_000)),
            ("Sat, 21 Nov 2020 15:00:10 GMT", Some(0)),
            ("99999999999999999999999", Some(LONGEST.as_millis())),
            ("soon", None),
            ("-5", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(retry_after(value, now).map(|wait| wait.as_millis()), ms, "{value}");
        }
    }
}
