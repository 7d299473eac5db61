//! Reads the rate limit headers of all providers into one value.

use std::time::{Duration, SystemTime};

use http_client::retry_after::{LONGEST, bounded, date, retry_after, seconds};
use reqwest::header::HeaderMap;

/// The thing that a rate limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    /// Requests, of any size.
    Requests,
    /// Tokens of input and output together.
    Tokens,
    /// Tokens of input.
    InputTokens,
    /// Tokens of output.
    OutputTokens,
}

impl Counted {
    pub(super) const ALL: [Counted; 4] =
        [Counted::Requests, Counted::Tokens, Counted::InputTokens, Counted::OutputTokens];
}

/// The rate limits in the headers of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateHeaders {
    /// In the order of [`Counted::ALL`].
    pub allowances: [Option<Allowance>; 4],
    /// The server asks not to be called again before this has passed.
    pub retry_after: Option<Duration>,
}

/// The rest of one limit, as far as the provider tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// The limit per window.
    pub limit: Option<u64>,
    /// The rest of this window.
    pub remaining: Option<u64>,
    /// Time until the limit is fully available again.
    pub reset: Option<Duration>,
}

/// Header names; `*` stands for `limit`, `remaining` and `reset`.
const NAMES: [(Counted, &str); 9] = [
    (Counted::Requests, "anthropic-ratelimit-requests-*"),
    (Counted::Tokens, "anthropic-ratelimit-tokens-*"),
    (Counted::InputTokens, "anthropic-ratelimit-input-tokens-*"),
    (Counted::OutputTokens, "anthropic-ratelimit-output-tokens-*"),
    (Counted::Requests, "x-ratelimit-*-requests"),
    (Counted::Tokens, "x-ratelimit-*-tokens"),
    (Counted::Requests, "x-ratelimit-*-req-minute"),
    (Counted::Tokens, "x-ratelimit-*-tokens-minute"),
    (Counted::Requests, "x-ratelimit-*"),
];

impl RateHeaders {
    /// Reads them. `now` converts dates to durations; if the server sends its own time, that is used instead.
    pub(super) fn read(headers: &HeaderMap, now: SystemTime) -> RateHeaders {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let now = text("date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
        let mut rates = RateHeaders::default();
        // Most answers of local servers tell no limits: then none is asked for by name.
        let tells = headers.keys().any(|name| name.as_str().contains("ratelimit"));
        for (counted, name) in NAMES.into_iter().filter(|_| tells) {
            let text = |part: &str| text(&name.replace('*', part));
            let allowance = Allowance {
                limit: text("limit").and_then(whole),
                remaining: text("remaining").and_then(whole),
                reset: text("reset").and_then(|reset| wait(reset, now)),
            };
            let place = &mut rates.allowances[counted as usize];
            if place.is_none() && allowance != Allowance::default() {
                *place = Some(allowance);
            }
        }
        let precise = text("retry-after-ms").and_then(|ms| seconds(ms, 1e-3));
        let plain = || text("retry-after").and_then(|after| retry_after(after, now));
        rates.retry_after = precise.or_else(plain);
        rates
    }

    /// The time for which exhausted limits stay exhausted; None if none is.
    pub(super) fn until_room(&self) -> Option<Duration> {
        self.allowances.iter().flatten().filter(|one| one.remaining == Some(0)).filter_map(|one| one.reset).max()
    }
}

fn whole(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|n| *n >= 0.0).map(|n| n as u64))
}

/// A wait in any of its notations: a Go duration, an RFC 3339 date, milliseconds or seconds since 1970, or seconds.
pub(super) fn wait(text: &str, now: SystemTime) -> Option<Duration> {
    if let Some(number) = text.parse::<f64>().ok().filter(|number| !number.is_nan()) {
        let since_1970 = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        // No limit lasts for years: a number that large is a date.
        let wait = match number {
            n if n > 1e11 => n / 1e3 - since_1970,
            n if n > 1e8 => n - since_1970,
            n => n,
        };
        return Some(bounded(wait));
    }
    if let Ok(then) = text.parse::<jiff::Timestamp>() {
        let then = SystemTime::from(then);
        return Some(then.duration_since(now).unwrap_or_default().min(LONGEST));
    }
    go_duration(text).map(|wait| wait.min(LONGEST)).or_else(|| endless(text)).or_else(|| date(text, now))
}

/// A number with a unit of time that is too large for a duration.
fn endless(text: &str) -> Option<Duration> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    let is_huge = number.len() > 9 && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_huge && ["ns", "us", "ms", "s", "m", "h"].contains(&unit)).then_some(LONGEST)
}

/// `1h2m3.5s`, `12ms`.
fn go_duration(text: &str) -> Option<Duration> {
    let span: jiff::Span = text.parse().ok()?;
    span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &str)]) -> RateHeaders {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        // 2026-11-21 15:00:00 UTC
        RateHeaders::read(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_273_200))
    }

    #[test]
    fn every_provider_is_understood_in_its_own_words() {
        let anthropic = read(&[
            ("anthropic-ratelimit-requests-limit", "50"),
            ("anthropic-ratelimit-requests-remaining", "49"),
            ("anthropic-ratelimit-requests-reset", "2026-11-21T15:00:30Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "0"),
            ("anthropic-ratelimit-input-tokens-reset", "2026-11-21T14:59:00Z"),
        ]);
        let reset = Some(Duration::from_secs(30));
        assert_eq!(
            anthropic.allowances[Counted::Requests as usize],
            Some(Allowance { limit: Some(50), remaining: Some(49), reset })
        );
        assert_eq!(anthropic.allowances[Counted::InputTokens as usize].unwrap().reset, Some(Duration::ZERO));
        let openai = read(&[
            ("x-ratelimit-limit-tokens", "30000"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0.5s"),
            ("x-ratelimit-reset-requests", "12ms"),
        ]);
        assert_eq!(openai.allowances[Counted::Tokens as usize].unwrap().reset, Some(Duration::from_millis(360_500)));
        assert_eq!(openai.allowances[Counted::Requests as usize].unwrap().reset, Some(Duration::from_millis(12)));
        assert_eq!(openai.until_room(), Some(Duration::from_millis(360_500)));
        let openrouter = read(&[("x-ratelimit-limit", "20"), ("x-ratelimit-reset", "1795273260000")]);
        assert_eq!(openrouter.allowances[Counted::Requests as usize].unwrap().reset, Some(Duration::from_secs(60)));
        assert_eq!(read(&[("server", "x")]), RateHeaders::default());
    }

    #[test]
    fn a_wait_is_read_however_it_is_said() {
        for (headers, ms) in [
            (&[("retry-after", "7")][..], Some(7_000)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after", "7"), ("retry-after-ms", "1500")], Some(1_500)),
            (&[("retry-after", "Sat, 21 Nov 2026 15:00:10 GMT")], Some(10_000)),
            // The server's clock is an hour behind ours.
            (
                &[("retry-after", "Sat, 21 Nov 2026 14:00:10 GMT"), ("date", "Sat, 21 Nov 2026 14:00:00 GMT")],
                Some(10_000),
            ),
            (&[("retry-after", "Sat, 21 Nov 2020 15:00:10 GMT")], Some(0)),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-5")], None),
            // A number that no clock can hold asks for the longest wait.
            (&[("retry-after", "1e400")], Some(LONGEST.as_millis())),
            (&[("retry-after", "99999999999999999999999")], Some(LONGEST.as_millis())),
            (&[("retry-after-ms", "99999999999999999999999999")], Some(LONGEST.as_millis())),
            (&[("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")], Some(LONGEST.as_millis())),
            (&[("retry-after", "inf")], None),
            (&[("retry-after", "NaN")], None),
        ] {
            assert_eq!(read(headers).retry_after.map(|wait| wait.as_millis()), ms, "{headers:?}");
        }
        for endless in ["99999999999999999999999s", "99999999999999999999999", "9999999999999999h"] {
            assert_eq!(wait(endless, SystemTime::UNIX_EPOCH), Some(LONGEST), "{endless:?}");
        }
        for odd in ["", "s", "5x", "1h-2m", "..s"] {
            assert_eq!(wait(odd, SystemTime::now()), None, "{odd:?}");
        }
    }
}
