//! Writes superscripts and subscripts as text: a power as `^32`, the end of an ordinal as it is, the mark of a footnote not
//! at all. Reads no markup.

/// The most letters of a unit or variable that a raised number is a power of: "km", "mc", "log".
const LONGEST_BASE: usize = 3;

/// The position of text beside its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    Raised,
    Lowered,
}

impl Shift {
    /// The shift of an element or a role of this name, in lower case; None if it has none.
    pub(super) fn of(name: &[u8]) -> Option<Shift> {
        match name {
            b"sup" | b"superscript" | b"textsuperscript" => Some(Shift::Raised),
            b"sub" | b"subscript" | b"textsubscript" => Some(Shift::Lowered),
            _ => None,
        }
    }

    /// Rewrites the text that is shifted: `text` from the byte `from` on.
    pub(super) fn write(self, text: &mut String, from: usize) {
        match self {
            Shift::Raised => raise(text, from),
            Shift::Lowered => lower(text, from),
        }
    }
}

/// Rewrites a superscript.
fn raise(text: &mut String, from: usize) {
    let Some(shown) = text.get(from..).map(str::trim) else { return };
    let is_power = is_number(shown) || is_variable(shown);
    match base(&text[..from]) {
        Base::Number if is_power => text.insert(from, '^'),
        Base::Short if is_number(shown) => text.insert(from, '^'),
        // The mark of a footnote behind a word or a sentence.
        Base::Word if is_number(shown) => text.truncate(from),
        _ => {}
    }
}

/// Rewrites a subscript: a digit behind a digit would be part of its number.
fn lower(text: &mut String, from: usize) {
    let is_digit = |shown: &str| shown.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if text.get(from..).is_some_and(is_digit) && text[..from].ends_with(|c: char| c.is_ascii_digit()) {
        text.insert(from, '_');
    }
}

/// The text in front of a superscript, by its end.
enum Base {
    Number,
    /// A unit or a variable.
    Short,
    Word,
    Nothing,
}

fn base(before: &str) -> Base {
    let last = before.chars().next_back();
    let letters = before.chars().rev().take_while(|c| c.is_alphabetic()).take(LONGEST_BASE + 1).count();
    match last {
        Some(c) if c.is_ascii_digit() || matches!(c, ')' | ']') => Base::Number,
        Some(_) if (1..=LONGEST_BASE).contains(&letters) => Base::Short,
        Some(c) if c.is_alphabetic() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\u{201d}' | '"') => Base::Word,
        _ => Base::Nothing,
    }
}

/// Whether a text is a number, perhaps with a sign: "32", "-3", "2+".
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+', '\u{2212}']).trim_end_matches(['-', '+', '\u{2212}']);
    !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a text is a variable, perhaps with a number: "n", "n-1", "2n".
fn is_variable(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters == 1 && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '\u{2212}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_told_from_an_ordinal_and_from_the_mark_of_a_footnote() {
        for (before, raised, shown) in [
            ("at most 2", "32", "at most 2^32"),
            ("10", "-3", "10^-3"),
            ("(a+b)", "2", "(a+b)^2"),
            ("2", "n", "2^n"),
            ("2", "n-1", "2^n-1"),
            ("E = mc", "2", "E = mc^2"),
            ("m", "3", "m^3"),
            ("the 1", "st", "the 1st"),
            ("the n", "th", "the nth"),
            ("a name", "TM", "a nameTM"),
            ("is kept open", "5", "is kept open"),
            ("is kept.", "12", "is kept."),
            ("", "1", "1"),
            ("see ", "1", "see 1"),
        ] {
            let mut text = format!("{before}{raised}");
            raise(&mut text, before.len());
            assert_eq!(text, shown);
        }
    }

    #[test]
    fn what_is_lowered_behind_a_number_is_no_part_of_it() {
        for (before, lowered, shown) in
            [("10", "2", "10_2"), ("H", "2", "H2"), ("x", "i", "xi"), ("10", "two", "10two")]
        {
            let mut text = format!("{before}{lowered}");
            lower(&mut text, before.len());
            assert_eq!(text, shown);
        }
    }
}
