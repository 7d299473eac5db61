//! Money, exactly.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use text::Clean;

/// Money in pico-dollars (10⁻¹² US dollars): tokens times micro-dollars per million tokens, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    /// This many micro-dollars.
    pub fn micros(micros: u64) -> Money {
        Money(micros.saturating_mul(1_000_000))
    }
}

impl FromStr for Money {
    type Err = String;
    /// Dollars as people write them, `0.50`, taken digit by digit.
    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || format!("write it as in 0.50: `{}` is no amount of dollars", Clean::line(s));
        let digits = s.trim();
        let digits = digits.strip_prefix('$').unwrap_or(digits);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && part.is_empty() || part.len() > 12 || !all_digits(whole) || !all_digits(part) {
            return Err(wrong());
        }
        // 10¹² pico-dollars are a dollar.
        format!("{whole}{part:0<12}").parse().map(Money).map_err(|_| wrong())
    }
}

/// Rounded up, never down: two decimals from ten cents on, three from one cent on, four below, so that a small cap and
/// the spending under it can be told apart.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.div_ceil(1_000_000);
        // The number of decimals is that of the rounded amount.
        match (micros, micros.div_ceil(100), micros.div_ceil(1_000)) {
            (0, ..) => f.write_str("$0"),
            (_, four @ 1..100, _) => write!(f, "$0.{four:04}"),
            (_, _, three @ 1..100) => write!(f, "$0.{three:03}"),
            _ => {
                let cents = micros.div_ceil(10_000);
                write!(f, "${}.{:02}", cents / 100, cents % 100)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_shown_rounded_up() {
        for (pico, shown) in [
            (0, "$0"),
            (1, "$0.0001"),
            (9_900_000_001, "$0.010"),
            (12_000_000_000, "$0.012"),
            (99_000_000_001, "$0.10"),
            (101_000_000_000, "$0.11"),
            (1_500_000_000_000, "$1.50"),
        ] {
            assert_eq!(Money(pico).to_string(), shown);
        }
    }

    #[test]
    fn dollars_are_read_digit_by_digit() {
        for (text, pico) in [
            ("0.50", 500_000_000_000),
            ("$2", 2_000_000_000_000),
            (".000000000001", 1),
            ("0", 0),
            ("1.", 1_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Money(pico)), "{text}");
        }
        for wrong in ["", ".", "-1", "+1", "1e3", "0.0000000000001", "1,5", "$", "1_000", "99999999999", "nan", "٣"] {
            assert!(wrong.parse::<Money>().unwrap_err().contains("dollars"), "{wrong}");
        }
    }
}
