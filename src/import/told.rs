//! Fields of JSON as other programs write them: numbers as text, times in several forms, values that are not there.

use jiff::Timestamp;
use jiff::civil::DateTime;
use run::model::StopReason;
use run::tool::CleanJson;
use run::{Money, Payload};
use serde_json::Value;
use text::Clean;

use super::story::{MOST_TEXT, kept, named};

/// A field as text; None if it is not there or is no text.
pub fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// A value as a whole number that is not negative, also where it is written as text.
pub fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(n) => n.as_u64().or_else(|| n.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A field as a whole number that is not negative; 0 if it is none.
pub fn count(value: &Value, field: &str) -> u64 {
    value.get(field).and_then(number).unwrap_or(0)
}

/// An amount of dollars, also if it is written as text; fractions of a pico-dollar are cut off.
pub fn dollars(value: &Value) -> Option<Money> {
    let text = match value {
        Value::Number(n) => n.as_f64().filter(|n| n.is_finite() && *n >= 0.0)?.to_string(),
        Value::String(text) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)?.to_string(),
        _ => return None,
    };
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let part: String = part.chars().take(12).collect();
    format!("{whole}.{part}").parse().ok()
}

/// A moment (ms since 1970) of a text as in `2026-11-03T09:00:05.010Z`; without a zone it is UTC.
pub fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    let zoned = text.parse::<Timestamp>().map(|at| at.as_millisecond());
    zoned.ok().or_else(|| {
        let local: DateTime = text.parse().ok()?;
        local.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|at| at.timestamp().as_millisecond())
    })
}

/// The latest moment that is read, in milliseconds since 1970: the end of the year 9999.
const MOST_MOMENT: i64 = 253_402_300_799_999;

/// A field as a moment (ms since 1970): a text, or a number of seconds, milliseconds or nanoseconds, whichever is likely. None if
/// it is before 1970 or after the year 9999.
pub fn at(value: &Value, field: &str) -> Option<i64> {
    let at = match value.get(field)? {
        Value::String(text) => moment(text)?,
        Value::Number(n) => {
            let n = n.as_f64().filter(|n| n.is_finite())?;
            match n {
                n if n > 1e17 => (n / 1e6) as i64,
                n if n > 1e14 => (n / 1e3) as i64,
                n if n > 1e11 => n as i64,
                n => (n * 1e3) as i64,
            }
        }
        _ => return None,
    };
    Some(at).filter(|at| (0..=MOST_MOMENT).contains(at))
}

/// A value as a text to read: a text as it is, anything else as JSON.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The agent that a tool hands work to, by the tool's name as SDKs give it: `transfer_to_writer`.
pub fn hands_to(tool: &str) -> Option<Clean> {
    ["transfer_to_", "handoff_to_", "delegate_to_"].iter().find_map(|prefix| tool.strip_prefix(prefix)).map(named)
}

/// Text as a remark, data as data.
pub fn payload(value: &Value) -> Payload {
    let value = match value {
        Value::String(text) => match text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text)) {
            Some(Ok(data)) => data,
            _ => return Payload::note(kept(text)),
        },
        other => other.clone(),
    };
    match value {
        Value::Null => Payload::default(),
        Value::String(text) => Payload::note(kept(&text)),
        data if data.to_string().len() > MOST_TEXT => Payload::note(kept(&data.to_string())),
        data => Payload { data: Some(CleanJson::new(data)), ..Payload::default() },
    }
}

/// The items of a record: a list, the list below `data`, or the record itself.
pub(crate) fn items(record: &Value) -> &[Value] {
    let list = record.as_array().or_else(|| record.get("data")?.as_array());
    list.map_or(std::slice::from_ref(record), Vec::as_slice)
}

/// Arguments as JSON, also where they are written as text.
pub(crate) fn as_json(value: &Value) -> CleanJson {
    let parsed = match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| serde_json::json!({ "text": text })),
        other => other.clone(),
    };
    CleanJson::new(parsed)
}

/// The input neither read from a cache nor written to one. Some report only that as `all`, which is then the smaller number.
pub(crate) fn uncached(all: u64, read: u64, written: u64) -> u64 {
    all.checked_sub(read.saturating_add(written)).unwrap_or(all)
}

/// The reason why a model stopped, in the words of any provider.
pub fn stop(reason: Option<&str>) -> StopReason {
    match reason.map(str::to_ascii_lowercase).as_deref() {
        Some("stop" | "end_turn" | "stop_sequence" | "end") => StopReason::End,
        Some("tool_calls" | "tool_call" | "tool_use" | "tool-calls" | "function_call") => StopReason::Tools,
        Some("length" | "max_tokens" | "max_output_tokens") => StopReason::Length,
        Some("refusal" | "content_filter" | "content-filter") => StopReason::Refusal(Clean::default()),
        Some(other) => StopReason::Other(Clean::line(other)),
        None => StopReason::Other("not told".into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn moments_are_read_with_and_without_a_zone() {
        for text in [
            "2026-11-03T09:00:05.010Z",
            "2026-11-03T09:00:05.010",
            "2026-11-03T10:00:05.010+01:00",
            "2026-11-03 09:00:05.01",
        ] {
            assert_eq!(moment(text), Some(1_793_696_405_010), "{text}");
        }
        assert_eq!(moment("yesterday"), None);
        assert_eq!(at(&json!({"t": 1_793_696_405.010_f64}), "t"), Some(1_793_696_405_010));
    }

    #[test]
    fn a_time_that_no_clock_has_is_none() {
        for time in
            [json!(-1e30), json!(1e300), json!(-1), json!("1969-12-31T23:59:59Z"), json!("-009999-01-01T00:00:00Z")]
        {
            assert_eq!(at(&json!({"t": time}), "t"), None, "{time}");
        }
        assert_eq!(at(&json!({"t": 0}), "t"), Some(0));
        assert_eq!(at(&json!({"t": "9999-12-30T00:00:00Z"}), "t"), Some(253_402_128_000_000));
    }

    #[test]
    fn numbers_are_read_as_they_come() {
        assert_eq!(
            (count(&json!({"n": "12"}), "n"), count(&json!({"n": 12}), "n"), count(&json!({}), "n")),
            (12, 12, 0)
        );
        assert_eq!(count(&json!({"n": -3}), "n"), 0);
        assert_eq!(dollars(&json!(0.00046)), Some(Money(460_000_000)));
        assert_eq!(dollars(&json!("1.25")), Some(Money(1_250_000_000_000)));
        assert_eq!((dollars(&json!(-1)), dollars(&json!("much")), dollars(&json!(null))), (None, None, None));
    }
}
