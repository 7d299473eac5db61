//! Text as such: cleaning it, words and stems, sentences, lists of questions, what a question names, identifiers, where two
//! texts differ, digests and hashes, the words of a command. Pure; it reads no file and knows nothing of runs.

mod asking;
mod clean;
pub mod common;
pub mod difference;
pub mod edits;
pub mod hash;
pub mod identifiers;
pub mod listed;
pub mod locked;
pub mod named;
mod nearest;
pub mod sentence;
pub mod sha256;
pub mod shell;
mod utf8;
pub mod words;

pub use asking::asking;
pub use clean::{Clean, escape_in_json, is_forbidden};
pub use named::Named;
pub use nearest::nearest;
pub use utf8::utf8;

/// A count with its noun: `1 finding`, `6 findings`.
pub fn count(n: impl TryInto<usize>, one: &str) -> String {
    let n = n.try_into().unwrap_or(usize::MAX);
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// A text with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The first words of a text in one line, with a mark where there are more.
pub fn first_words(text: &str, most: usize) -> String {
    let mut words = text.split_whitespace();
    let mut first = words.by_ref().take(most).collect::<Vec<_>>().join(" ");
    if words.next().is_some() {
        first.push_str(" …");
    }
    first
}

/// A number as a person reads it, rounded: `812`, `3.1k`, `8.0k`, `15k`, `1.2M`. A whole number of thousands below ten has no decimals: `8k`.
pub fn short(n: u64) -> String {
    for (unit, name) in [(1_000, "k"), (1_000_000, "M")] {
        let (tenths, whole) = (n.saturating_add(unit / 20) / (unit / 10), n.saturating_add(unit / 2) / unit);
        match whole {
            _ if n < 1_000 => return n.to_string(),
            _ if tenths < 100 && !n.is_multiple_of(unit) => return format!("{}.{}{name}", tenths / 10, tenths % 10),
            whole if whole < 1_000 || unit == 1_000_000 => return format!("{whole}{name}"),
            _ => {}
        }
    }
    n.to_string()
}

/// Milliseconds as a person reads them: `0.7s`, `0:42`, `1:02:03`.
pub fn clock(millis: u64) -> String {
    if millis < 10_000 {
        return format!("{}.{}s", millis / 1000, millis % 1000 / 100);
    }
    let seconds = millis / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Counts the bytes of a text that are small letters of the Latin alphabet or spaces.
///
/// Here, because all text that goes to models is counted, and this crate is built with a higher opt-level than its callers.
#[inline(never)]
pub fn plain_bytes(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| byte.is_ascii_lowercase() || **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_rounded_and_whole_thousands_have_no_decimals() {
        for (n, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_049, "1.0k"),
            (5_462, "5.5k"),
            (8_000, "8k"),
            (8_038, "8.0k"),
            (9_949, "9.9k"),
            (9_950, "10k"),
            (15_500, "16k"),
            (199_499, "199k"),
            (999_499, "999k"),
            (999_500, "1.0M"),
            (1_000_000, "1M"),
            (1_250_000, "1.3M"),
            (12_400_000, "12M"),
        ] {
            assert_eq!(short(n), shown, "{n}");
        }
        assert!(short(u64::MAX).ends_with('M'));
    }
}
