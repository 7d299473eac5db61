//! The encodings inside embedded fonts. Reads no outlines.

use std::collections::HashMap;

use super::encoding::{Base, named};

/// Letters of the standard strings 150 to 228 of compact fonts, after those of the standard encoding.
const LATIN: &str = "¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž";
/// The number of strings that every compact font knows.
const KNOWN: usize = 391;

/// The letters by code of a Type 1 font, from its clear-text part; None if it uses the standard encoding.
pub(super) fn type1(program: &[u8]) -> Option<HashMap<u8, String>> {
    let text = String::from_utf8_lossy(&program[..program.len().min(1 << 16)]).replace('/', " /");
    let (_, text) = text.split_once(" /Encoding")?;
    let mut letters = HashMap::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "dup" => {
                let (code, name) = (words.next()?.parse().ok(), words.next()?.strip_prefix('/'));
                if let (Some(code), Some(text)) = (code, name.and_then(named)) {
                    letters.insert(code, text);
                }
            }
            "def" | "readonly" | "eexec" => break,
            _ => {}
        }
    }
    (!letters.is_empty()).then_some(letters)
}

/// The letters by code of a compact font (CFF); None if it uses a standard encoding, or is damaged.
pub(super) fn compact(program: &[u8]) -> Option<HashMap<u8, String>> {
    let (_, at) = index(program, usize::from(*program.get(2)?))?;
    let (tops, at) = index(program, at)?;
    let (strings, _) = index(program, at)?;
    let top = operands(tops.first()?);
    let (glyphs, _) = index(program, *top.get(&17)?)?;
    let charset = charset(program, *top.get(&15).unwrap_or(&0), glyphs.len())?;
    let encoding = *top.get(&16).filter(|at| **at > 1)?;
    let letters = |string: usize| match string {
        0 => None,
        1..=149 => Base::standard_letters().nth(string - 1).map(String::from),
        150..=228 => LATIN.chars().nth(string - 150).map(String::from),
        _ => named(str::from_utf8(strings.get(string.checked_sub(KNOWN)?)?).ok()?),
    };
    let mut codes = HashMap::new();
    let mut put = |code: u8, glyph: usize| {
        if let Some(text) = charset.get(glyph).and_then(|string| letters(*string)) {
            codes.insert(code, text);
        }
    };
    let (form, count) = (*program.get(encoding)?, usize::from(*program.get(encoding + 1)?));
    let table = program.get(encoding + 2..)?;
    if form & 0x7f == 0 {
        table.iter().take(count).zip(1..).for_each(|(code, glyph)| put(*code, glyph));
    } else {
        let mut glyph = 1;
        for range in table.chunks_exact(2).take(count) {
            for code in range[0]..=range[0].saturating_add(range[1]) {
                put(code, glyph);
                glyph += 1;
            }
        }
    }
    (!codes.is_empty()).then_some(codes)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    Some(bytes.get(at..at.checked_add(size)?)?.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// The items of an INDEX at an offset, and the offset behind it.
fn index(bytes: &[u8], at: usize) -> Option<(Vec<&[u8]>, usize)> {
    let count = number(bytes, at, 2)?;
    if count == 0 {
        return Some((Vec::new(), at + 2));
    }
    let size = number(bytes, at + 2, 1).filter(|size| (1..=4).contains(size))?;
    let data = at + 2 + (count + 1) * size;
    let place = |item: usize| data.checked_add(number(bytes, at + 3 + item * size, size)?);
    let items = (0..count).map(|item| bytes.get(place(item)?..place(item + 1)?)).collect::<Option<Vec<_>>>()?;
    Some((items, place(count)?))
}

/// The last operand of each operator of a DICT that has a byte as its name.
fn operands(mut dict: &[u8]) -> HashMap<u8, usize> {
    let mut found = HashMap::new();
    let mut last = 0;
    while let [first, rest @ ..] = dict {
        let (value, used) = match first {
            32..=246 => (usize::from(*first).checked_sub(139), 0),
            247..=250 => (number(rest, 0, 1).map(|low| (usize::from(*first) - 247) * 256 + low + 108), 1),
            28 => (number(rest, 0, 2), 2),
            29 => (number(rest, 0, 4), 4),
            30 => (None, rest.iter().position(|byte| byte & 15 == 15).map_or(rest.len(), |end| end + 1)),
            251..=254 => (None, 1),
            12 => (None, 1),
            operator => {
                found.insert(*operator, last);
                (None, 0)
            }
        };
        last = value.unwrap_or(0);
        dict = rest.get(used..).unwrap_or_default();
    }
    found
}

/// The string number of each glyph.
fn charset(program: &[u8], at: usize, glyphs: usize) -> Option<Vec<usize>> {
    if at <= 2 {
        return Some((0..glyphs).collect());
    }
    let form = *program.get(at)?;
    let mut strings = vec![0];
    let mut at = at + 1;
    while strings.len() < glyphs {
        let first = number(program, at, 2)?;
        let left = if form == 0 { 0 } else { number(program, at + 2, usize::from(form))? };
        strings.extend((first..=first + left).take(glyphs - strings.len()));
        at += 2 + usize::from(form);
    }
    Some(strings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_of_a_type_1_font_is_read_from_its_clear_text() {
        let font = b"%!PS\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11/ff put\ndup 65 /A put\nreadonly def\ndup 66 /B put";
        let letters = type1(font).unwrap();
        assert_eq!(letters.len(), 2);
        assert_eq!((letters[&11].as_str(), letters[&65].as_str()), ("\u{fb00}", "A"));
        assert_eq!(type1(b"/Encoding StandardEncoding def"), None);
    }

    #[test]
    fn the_encoding_of_a_compact_font_is_read_and_a_damaged_one_is_not() {
        // Name, dictionary (charset 15, encoding 16, glyphs 17), strings, then the data that it points at.
        let mut font = vec![1, 0, 4, 1, 0, 1, 1, 1, 2, b'F'];
        font.extend([0, 1, 1, 1, 7, 139 + 34, 15, 139 + 39, 16, 139 + 43, 17]);
        font.extend([0, 1, 1, 1, 7, b'A', b'a', b'c', b'u', b't', b'e', 0, 0]);
        font.extend([0, 0, 34, 1, 135]);
        font.extend([0, 2, 1, 2]);
        font.extend([0, 3, 1, 1, 2, 3, 4, 14, 14, 14]);
        let letters = compact(&font).unwrap();
        assert_eq!((letters[&1].as_str(), letters[&2].as_str()), ("A", "Á"));
        for end in 0..font.len() {
            let _ = compact(&font[..end]);
        }
    }
}
