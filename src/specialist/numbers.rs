//! Finds numbers with units, dates and versions in text.

use run::finding::Number;
use text::words::is_stop;

/// The numbers of a text in order. Digits within names (`HTTP/2`, `x86_64`, `f16`) are not numbers.
pub(crate) fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut tokens = text.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let core = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '$' && c != '€' && c != '-');
        let (value, mut unit) = split(core);
        if value.is_empty() {
            continue;
        }
        if unit.is_empty() && !token.ends_with([',', '.', ';', ':', ')']) {
            let next = tokens.peek().map(|next| next.trim_matches(|c: char| !c.is_alphanumeric() && c != '%'));
            unit =
                next.filter(|next| !is_stop(next) && next.chars().all(|c| c.is_alphabetic() || c == '%')).unwrap_or("");
        }
        found.push(Number { value: value.into(), unit: unit.into() });
    }
    found
}

/// Splits `4.5GB` into `4.5` and `GB`; empty if the token is a name.
fn split(token: &str) -> (&str, &str) {
    let token = token.trim_start_matches(['$', '€']);
    let digits = token.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(token.len());
    let (value, unit) = token.split_at(digits);
    let value_ok = value.starts_with(|c: char| c.is_ascii_digit()) && value.ends_with(|c: char| c.is_ascii_digit());
    let unit_ok = unit.len() <= 4 && unit.chars().all(|c| c.is_alphabetic() || c == '%');
    if value_ok && unit_ok { (value, unit) } else { ("", "") }
}

/// Whether a text has a digit, as all that gives a value has.
pub(super) fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// The value of a number for comparison: `2,000` is `2000`.
pub(crate) fn value(number: &Number) -> String {
    plain(&number.value)
}

/// Digits without the commas that part thousands. Another comma is a decimal point: `1,5` is `1.5`.
pub(crate) fn plain(digits: &str) -> String {
    let mut parts = digits.split(',');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let whole = part.split('.').next().unwrap_or_default();
        if whole.len() != 3 || plain == "0" || plain.contains('.') {
            plain.push('.');
        }
        plain.push_str(part);
    }
    plain
}

/// The offset for years BC, which count backwards.
const ERA: u32 = 1_000_000;

/// The first year or version in a text.
pub(crate) fn date(text: &str) -> Option<String> {
    let tokens: Vec<&str> = text.split_whitespace().collect();
    for (at, token) in tokens.iter().enumerate() {
        let core = token.trim_matches(|c: char| !c.is_alphanumeric());
        let year = core.len() == 4 && core.chars().all(|c| c.is_ascii_digit()) && ("1000"..="2100").contains(&core);
        let unit_follows = tokens.get(at + 1).is_some_and(|next| {
            let next = next.trim_matches(|c: char| !c.is_alphanumeric());
            !next.is_empty() && !is_stop(next) && next.chars().all(char::is_lowercase)
        }) && !token.ends_with(['.', ',', ';', ')']);
        // "In 1849 miners …": at the start of a sentence it is a year, not a count.
        let begins = at == 1 && ["In", "Since", "By", "Until", "From", "After", "Before"].contains(&tokens[0]);
        if year && (!unit_follows || begins) {
            return Some(core.to_string());
        }
        let era = tokens.get(at + 1).map(|next| next.trim_matches(|c: char| !c.is_alphanumeric()));
        if era.is_some_and(|era| matches!(era, "BC" | "BCE")) && core.parse::<u32>().is_ok_and(|year| year < ERA) {
            return Some(format!("{core} BC"));
        }
        let dotted = core.trim_start_matches('v');
        let version = dotted.contains('.')
            && dotted
                .split('.')
                .all(|part| !part.is_empty() && part.len() <= 3 && part.chars().all(|c| c.is_ascii_digit()));
        let before = at.checked_sub(1).map(|at| tokens[at].to_lowercase());
        let named = before.is_some_and(|before| {
            ["version", "python", "release", "since", "in", "from", "debian"]
                .contains(&before.trim_matches(|c: char| !c.is_alphanumeric()))
                || before.starts_with(|c: char| c.is_alphabetic()) && core.matches('.').count() >= 2
        });
        if version && named {
            return Some(dotted.to_string());
        }
    }
    None
}

/// A sort key for dates and versions: 3.9 before 3.10.
pub(crate) fn date_key(date: &str) -> Vec<u32> {
    if let Some(year) = date.strip_suffix(" BC").and_then(|year| year.parse::<u32>().ok()) {
        return vec![0, ERA.saturating_sub(year)];
    }
    date.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_their_units() {
        let of = |text: &str| numbers(text).iter().map(|n| format!("{} {}", n.value, n.unit)).collect::<Vec<_>>();
        assert_eq!(
            of("It takes 6.1 GB, and at most 2,000 dimensions (95 %) of 4."),
            ["6.1 GB", "2,000 dimensions", "95 %", "4 "]
        );
        assert_eq!(of("HTTP/2 on x86_64 with m=16 and utf8 and 32-bit floats"), Vec::<String>::new());
        assert_eq!(of("the default is 40."), ["40 "]);
    }

    #[test]
    fn a_comma_parts_thousands_or_is_a_decimal_point() {
        for (digits, wanted) in [
            ("2,000", "2000"),
            ("1,234,567.8", "1234567.8"),
            ("1,5", "1.5"),
            ("0,125", "0.125"),
            ("65,53", "65.53"),
            ("1.5", "1.5"),
        ] {
            assert_eq!(plain(digits), wanted, "{digits}");
        }
    }

    #[test]
    fn dates_are_years_and_versions() {
        for (text, wanted) in [
            ("It was founded in 1991.", Some("1991")),
            ("Changed in version 3.7: it is new", Some("3.7")),
            ("pgvector 0.8.0 introduced scans", Some("0.8.0")),
            ("In 1849 miners came", Some("1849")),
            ("A loaf from about 3700 BC.", Some("3700 BC")),
            ("It takes 1536 bytes of it", None),
            ("An oversampling factor of 2.4 is used", None),
        ] {
            assert_eq!(date(text).as_deref(), wanted, "{text}");
        }
        assert!(date_key("3.9") < date_key("3.10"));
        assert!(date_key("3700 BC") < date_key("44 BC") && date_key("44 BC") < date_key("1849"));
    }
}
