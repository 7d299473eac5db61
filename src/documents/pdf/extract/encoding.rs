//! The letters of a font's codes and glyph names.

use std::collections::HashMap;
use std::sync::LazyLock;

use encoding_rs::{MACINTOSH, WINDOWS_1252};

/// Glyph names by code point, a line each.
const GLYPHS: &str = include_str!("glyphs.txt");

/// Codes from 0xA0 of the encoding of Type 1 fonts; a space is no letter.
const STANDARD: &str =
    " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß    ";
/// Codes from 0x20 to 0x7F, then from 0xA0, of the font Symbol.
const SYMBOL: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼ \
    €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑((([[[{{{| 〉∫⌠|⌡)))]]]}}} ";

/// The encoding of a font without glyph names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Standard,
    WinAnsi,
    MacRoman,
    Symbol,
    Dingbats,
}

impl Base {
    /// The encoding with this name in a PDF file.
    pub(super) fn named(name: &[u8]) -> Base {
        match name {
            b"WinAnsiEncoding" => Base::WinAnsi,
            b"MacRomanEncoding" => Base::MacRoman,
            _ => Base::Standard,
        }
    }

    /// The letter of a code.
    pub(super) fn letter(self, code: u8) -> Option<char> {
        let at = |table: &str, begin: u8| {
            table.chars().nth(usize::from(code.checked_sub(begin)?)).filter(|letter| *letter != ' ')
        };
        let decoded = |encoding: &'static encoding_rs::Encoding| {
            encoding.decode_without_bom_handling(&[code]).0.chars().next().filter(|letter| !letter.is_control())
        };
        match (self, code) {
            (_, 0x20) => Some(' '),
            (Base::WinAnsi, 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d) => Some('\u{2022}'),
            (Base::WinAnsi, _) => decoded(WINDOWS_1252),
            (Base::MacRoman, _) => decoded(MACINTOSH),
            (Base::Symbol, 0..=0x7f) => at(SYMBOL, 0x20),
            (Base::Symbol, _) => SYMBOL.chars().nth(usize::from(code.checked_sub(0xa0)?) + 0x60),
            (Base::Dingbats, 0x6c) => Some('\u{25cf}'),
            (Base::Dingbats, 0x6e) => Some('\u{25a0}'),
            (Base::Dingbats, 0x75) => Some('\u{25c6}'),
            (Base::Dingbats, 0x21..=0x7e) => char::from_u32(0x26e0 + u32::from(code)),
            (Base::Dingbats, 0xa1..=0xfe) => char::from_u32(0x26c0 + u32::from(code)),
            (Base::Dingbats, _) => None,
            (Base::Standard, 0x27) => Some('\u{2019}'),
            (Base::Standard, 0x60) => Some('\u{2018}'),
            (Base::Standard, 0x21..=0x7e) => Some(char::from(code)),
            (Base::Standard, _) => at(STANDARD, 0xa0),
        }
    }

    /// The letters of the standard encoding in the order of their codes.
    pub(super) fn standard_letters() -> impl Iterator<Item = char> {
        (0x20..=0xff).filter_map(|code| Base::Standard.letter(code))
    }
}

/// The text of a glyph name: `Aacute`, `f_f_i`, `uni20AC`, `u1F600`, `a.alt`, `Asmall`; None if the name implies none.
pub(super) fn named(name: &str) -> Option<String> {
    // Small capitals and old figures have names of their own.
    const FORMS: [&str; 4] = ["small", "oldstyle", "inferior", "superior"];
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    let formed = |part: &str| FORMS.iter().find_map(|form| part_named(part.strip_suffix(form)?));
    stem.split('_').map(|part| part_named(part).or_else(|| formed(part))).collect()
}

/// The text of a glyph name of one part, without a suffix.
fn part_named(part: &str) -> Option<String> {
    static NAMES: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
        let lines = GLYPHS.lines().filter(|line| !line.starts_with('#'));
        let names = lines.flat_map(|line| {
            let mut words = line.split(' ');
            let letter = words.next().and_then(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?));
            words.filter_map(move |name| Some((name, letter?)))
        });
        names.collect()
    });
    let mut letters = part.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter.to_string());
    }
    if let Some(letter) = NAMES.get(part) {
        return Some(letter.to_string());
    }
    if let Some(units) = part.strip_prefix("uni").filter(|hex| hex.len() >= 4 && hex.is_ascii()) {
        let units = units.as_bytes().chunks(4).map(|unit| u16::from_str_radix(str::from_utf8(unit).ok()?, 16).ok());
        return String::from_utf16(&units.collect::<Option<Vec<u16>>>()?).ok();
    }
    let hex = part.strip_prefix('u').filter(|hex| (4..=6).contains(&hex.len()))?;
    Some(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?.to_string())
}

/// A letter with the accent that is shown over or under it.
pub(super) fn accented(letter: char, accent: char) -> Option<String> {
    let accent = match accent {
        '`' => "grave",
        '\u{b4}' => "acute",
        '^' | '\u{2c6}' => "circumflex",
        '~' | '\u{2dc}' => "tilde",
        '\u{a8}' => "dieresis",
        '\u{b8}' => "cedilla",
        '\u{2c7}' => "caron",
        '\u{2d8}' => "breve",
        '\u{2d9}' => "dotaccent",
        '\u{2da}' => "ring",
        '\u{2db}' => "ogonek",
        '\u{2dd}' => "hungarumlaut",
        '\u{af}' => "macron",
        _ => return None,
    };
    let letter = if letter == 'ı' { 'i' } else { letter };
    letter.is_alphabetic().then(|| named(&format!("{letter}{accent}"))).flatten()
}

/// The letters of a decoded code, normalised for search, without ligatures; None if they are not readable.
pub(super) fn readable(letters: &str) -> Option<String> {
    let mut text = String::with_capacity(letters.len());
    for letter in letters.chars() {
        match letter {
            '\u{fb00}' => text.push_str("ff"),
            '\u{fb01}' => text.push_str("fi"),
            '\u{fb02}' => text.push_str("fl"),
            '\u{fb03}' => text.push_str("ffi"),
            '\u{fb04}' => text.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => text.push_str("st"),
            '\u{ad}' => text.push('-'),
            // Bullets of Symbol and Wingdings fonts.
            '\u{f0b7}' | '\u{f0a7}' => text.push('\u{2022}'),
            '\t' | '\n' | '\r' => text.push(' '),
            '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => return None,
            letter if letter.is_control() => return None,
            letter if letter.is_whitespace() => text.push(' '),
            letter => text.push(letter),
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A string of the document itself, such as its title.
pub(super) fn document_text(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, wide @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(wide).0.into_owned(),
        [0xef, 0xbb, 0xbf, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        bytes => match str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glyph_name_says_its_letters() {
        for (name, letters) in [
            ("A", "A"),
            ("Aacute", "Á"),
            ("f_f_i", "ffi"),
            ("a.alt", "a"),
            ("uni20AC", "€"),
            ("uni00410301", "A\u{301}"),
            ("u1F600", "😀"),
            ("oneoldstyle", "1"),
            ("Asmall_onesuperior", "A¹"),
            ("afii10017", "А"),
        ] {
            assert_eq!(named(name).as_deref(), Some(letters), "{name}");
        }
        for nothing in ["", ".notdef", "g12", "uniD800", "u110000", "union_g12", "uni20é", "Asmallsmall"] {
            assert_eq!(named(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_name_of_any_length_is_read() {
        assert_eq!(named(&"small".repeat(1 << 20)), None);
    }

    #[test]
    fn an_accent_joins_its_letter() {
        assert_eq!(accented('e', '\u{b4}').as_deref(), Some("é"));
        assert_eq!(accented('ı', '\u{a8}').as_deref(), Some("ï"));
        for (letter, accent) in [('e', 'x'), ('3', '^'), ('q', '^')] {
            assert_eq!(accented(letter, accent), None, "{letter}{accent}");
        }
    }

    #[test]
    fn the_tables_are_in_step_with_their_codes() {
        for (base, code, letter) in [
            (Base::Standard, 0xfb, Some('ß')),
            (Base::Standard, 0xd0, Some('—')),
            (Base::Standard, 0xd1, None),
            (Base::Symbol, 0x61, Some('α')),
            (Base::Symbol, 0xb7, Some('•')),
            (Base::Symbol, 0xe5, Some('∑')),
            (Base::Symbol, 0xfe, Some('}')),
            (Base::WinAnsi, 0x80, Some('€')),
            (Base::MacRoman, 0x8a, Some('ä')),
            (Base::Dingbats, 0x34, Some('✔')),
        ] {
            assert_eq!(base.letter(code), letter, "{base:?} {code:x}");
        }
        assert_eq!(Base::standard_letters().count(), 149);
    }
}
