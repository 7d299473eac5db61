//! The kinds of amount that a budget counts: a kind is one line of the table below.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::money::Money;
use text::Clean;

/// The unit in which an amount is written.
#[derive(Clone, Copy)]
enum Unit {
    /// Pico-dollars, written as dollars.
    Dollars,
    /// A number that is written in thousands and millions where it is round.
    Large,
    /// A number.
    Small,
    /// Milliseconds, written in the largest unit that fits.
    Time,
}

/// A row of the table of kinds.
struct Row {
    /// The name of its cap.
    cap: &'static str,
    /// The name of the things that it counts, as in "12k tokens".
    counts: &'static str,
    unit: Unit,
    /// The option of `masthead resume` that raises its cap; None where only a team file sets one.
    flag: Option<&'static str>,
}

macro_rules! kinds {
    ($($kind:ident: $name:literal, $cap:literal, $counts:literal, $unit:ident, $flag:expr;)+) => {
        /// The kinds that caps limit, in the order in which a person reads them. Also names the cap that a call would pass.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Cap {
            $(#[doc = $counts] #[serde(rename = $name)] $kind,)+
        }

        impl Cap {
            /// Every kind, in the order in which they are named.
            pub const ALL: [Cap; KINDS] = [$(Cap::$kind),+];
        }

        /// The number of kinds.
        pub(super) const KINDS: usize = [$(Cap::$kind),+].len();

        static ROWS: [Row; KINDS] = [$(Row { cap: $cap, counts: $counts, unit: Unit::$unit, flag: $flag }),+];
    };
}

kinds! {
    Money: "money", "money cap", "money", Dollars, Some("--max-cost");
    Tokens: "tokens", "token cap", "tokens", Large, Some("--max-tokens");
    ToolCalls: "tool_calls", "tool-call cap", "tool calls", Small, Some("--max-tool-calls");
    Calls: "calls", "call cap", "model calls", Small, None;
    Time: "millis", "time cap", "time", Time, Some("--max-time");
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().cap)
    }
}

impl Cap {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The name of the things that it counts, as in "12k tokens".
    pub fn of_what(self) -> &'static str {
        self.row().counts
    }

    /// The option of `masthead resume` that raises it, if there is one.
    pub fn flag(self) -> Option<&'static str> {
        self.row().flag
    }

    /// An amount with its unit: "$0.25", "300 tokens".
    pub fn counted(self, n: u64) -> String {
        match self.row().unit {
            Unit::Dollars => self.written(n),
            Unit::Large | Unit::Small if n == 1 => format!("1 {}", self.of_what().trim_end_matches('s')),
            Unit::Large | Unit::Small | Unit::Time => format!("{} {}", self.written(n), self.of_what()),
        }
    }

    /// An amount of it as a person writes it; [`Cap::read`] reads it again, money up to a hundredth of a cent.
    pub fn written(self, n: u64) -> String {
        let in_units = |units: &[(u64, &str)]| {
            let fits = units.iter().find(|(unit, _)| n > 0 && n.is_multiple_of(*unit));
            fits.map_or_else(|| n.to_string(), |(unit, name)| format!("{}{name}", n / unit))
        };
        match self.row().unit {
            Unit::Dollars => Money(n).to_string(),
            Unit::Large => in_units(&[(1_000_000, "M"), (1_000, "k")]),
            Unit::Small => n.to_string(),
            Unit::Time => in_units(&[(3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")]),
        }
    }

    /// An amount of it as a person reads it, rounded: "5.5k", "$0.12".
    pub fn about(self, n: u64) -> String {
        match self.row().unit {
            Unit::Large => text::short(n),
            Unit::Time => text::clock(n),
            Unit::Dollars | Unit::Small => self.written(n),
        }
    }

    /// An amount of it as people write it: `0.50` or `$2`, `200k`, `5m`.
    ///
    /// # Errors
    /// The error says what would be right.
    pub fn read(self, text: &str) -> Result<u64, String> {
        match self.row().unit {
            Unit::Dollars => text.parse().map(|Money(pico)| pico),
            Unit::Large | Unit::Small => amount(text),
            Unit::Time => millis(text),
        }
    }
}

/// A whole number as people write it: `60000`, `200k`, `1.5M`.
///
/// # Errors
/// The error says what would be right.
pub fn amount(text: &str) -> Result<u64, String> {
    let wrong = || format!("write it as in 60000 or 200k: `{}` is no whole number", Clean::line(text));
    let digits = text.trim();
    let (digits, zeros) = match digits.strip_suffix(['k', 'K']) {
        Some(thousands) => (thousands, 3),
        None => digits.strip_suffix(['m', 'M']).map_or((digits, 0), |millions| (millions, 6)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > zeros || !all_digits(whole) || !all_digits(part) {
        return Err(wrong());
    }
    format!("{whole}{part:0<zeros$}").parse().map_err(|_| wrong())
}

/// Milliseconds of `90s`, `5m`, `1h` or `250ms`. A number without a unit is refused, since it would be seconds to one and
/// minutes to another; nothing needs none.
///
/// # Errors
/// The error says what would be right.
pub fn millis(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit: u64 = match unit.trim() {
        "ms" => 1,
        "" if number.bytes().any(|digit| digit != b'0') => {
            return Err(format!(
                "write it as in 90s or 5m: `{number}` has no unit; {number}s is seconds, {number}m minutes"
            ));
        }
        "" | "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        other => {
            let other = Clean::line(other);
            return Err(format!("write it as in 90s or 5m: `{other}` is no unit of time; ms, s, m and h are"));
        }
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "write it as in 90s or 5m: a whole number and its unit".into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_of_a_kind_is_counted_as_one() {
        for (cap, n, counted) in [
            (Cap::ToolCalls, 1, "1 tool call"),
            (Cap::ToolCalls, 0, "0 tool calls"),
            (Cap::Calls, 1, "1 model call"),
            (Cap::Calls, 2, "2 model calls"),
            (Cap::Tokens, 1, "1 token"),
            (Cap::Tokens, 2_000, "2k tokens"),
            (Cap::Time, 1, "1ms time"),
            (Cap::Money, 1_000_000_000_000, "$1.00"),
        ] {
            assert_eq!(cap.counted(n), counted);
        }
    }

    #[test]
    fn caps_are_read_as_people_write_them() {
        for (cap, text, n) in [
            (Cap::Money, "0.50", 500_000_000_000),
            (Cap::Money, " $2 ", 2_000_000_000_000),
            (Cap::Tokens, "60000", 60_000),
            (Cap::Tokens, "200k", 200_000),
            (Cap::Tokens, "1.5M", 1_500_000),
            (Cap::ToolCalls, " 40 ", 40),
            (Cap::Calls, "0", 0),
            (Cap::Time, "90s", 90_000),
            (Cap::Time, "5m", 300_000),
            (Cap::Time, "2h", 7_200_000),
            (Cap::Time, "250ms", 250),
            (Cap::Time, "0", 0),
        ] {
            assert_eq!(cap.read(text), Ok(n), "{text}");
        }
    }

    #[test]
    fn what_is_no_cap_is_answered_with_what_would_be_right() {
        for (cap, wrong, says) in [
            (Cap::Money, "much", "0.50"),
            (Cap::Money, "", "0.50"),
            (Cap::Tokens, "", "200k"),
            (Cap::Tokens, "k", "200k"),
            (Cap::Tokens, "-1", "200k"),
            (Cap::Tokens, "0.5", "200k"),
            (Cap::Tokens, "1.2345k", "200k"),
            (Cap::Tokens, "200,000", "200k"),
            (Cap::Tokens, "99999999999999999999", "200k"),
            (Cap::Tokens, "2\u{1b}[31m", "200k"),
            (Cap::Time, "", "90s"),
            (Cap::Time, "5", "5m minutes"),
            (Cap::Time, "1.5h", "90s"),
            (Cap::Time, "5 parsecs", "90s"),
            (Cap::Time, "99999999999999999999h", "90s"),
        ] {
            let told = cap.read(wrong).unwrap_err();
            assert!(told.contains(says) && !told.contains('\u{1b}'), "{wrong}: {told}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(n: u64, small in 0u64..10_000, zeros in 0u32..8) {
            for n in [n, small * 10u64.pow(zeros)] {
                for cap in [Cap::Tokens, Cap::Calls, Cap::ToolCalls, Cap::Time] {
                    prop_assert_eq!(cap.read(&cap.written(n)), Ok(n));
                }
            }
            let cents = small * 10_000_000_000;
            prop_assert_eq!(Cap::Money.read(&Cap::Money.written(cents)), Ok(cents));
        }
    }
}
