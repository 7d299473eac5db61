//! Decodes bytes to text: detects the encoding, and whether they are text at all.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::Unread;

/// The bytes of a file that are sampled.
const SAMPLE: usize = 64 << 10;

const BACKSPACE: u8 = 8;

/// The way to the encoding of a text whose first bytes do not mark it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// HTML or XML may declare it.
    Declared,
    /// Nothing declares it: it is guessed.
    Guessed,
}

/// The text of `bytes`.
///
/// Tried in this order: byte order mark, UTF-16 by its zero bytes, UTF-8, the declared charset, a statistical guess.
///
/// # Errors
/// [`Unread::Binary`] if it is not text.
pub fn decode(bytes: &[u8], charset: Charset) -> Result<Cow<'_, str>, Unread> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let text = encoding.decode_without_bom_handling(&bytes[length..]).0;
        return if is_text(&text) { Ok(text) } else { Err(Unread::Binary) };
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if let Some(encoding) = wide(sample) {
        let text = encoding.decode_without_bom_handling(bytes).0;
        return if is_text(&text) { Ok(text) } else { Err(Unread::Binary) };
    }
    // Info manuals mark their indices with a zero and a backspace.
    if sample.ends_with(&[0]) || sample.windows(2).any(|pair| pair[0] == 0 && pair[1] != BACKSPACE) {
        return Err(Unread::Binary);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if mostly_utf8(bytes) => String::from_utf8_lossy(bytes),
        Err(_) => {
            let declared = if charset == Charset::Declared { declared(bytes) } else { None };
            declared.unwrap_or_else(|| guess(bytes)).decode_without_bom_handling(bytes).0
        }
    };
    if is_text(&text) { Ok(text) } else { Err(Unread::Binary) }
}

/// Detects UTF-16 without a mark: Latin text has a zero in every second byte.
fn wide(sample: &[u8]) -> Option<&'static Encoding> {
    let sample = &sample[..sample.len().min(4096)];
    if sample.len() < 8 || sample.len() % 2 == 1 && sample.len() < 4096 {
        return None;
    }
    let zeros = |from: usize| sample.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = sample.len() / 2;
    if odd * 10 > half * 6 && even * 10 < half {
        Some(UTF_16LE)
    } else if even * 10 > half * 6 && odd * 10 < half {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether it is UTF-8 with a few broken bytes: another encoding would corrupt all its accents.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes[..bytes.len().min(SAMPLE)].utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > 10 * bad
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(2048)];
    let head: String = head.iter().map(|b| char::from(b.to_ascii_lowercase())).collect();
    let after = ["charset=", "encoding="].iter().find_map(|name| head.split(name).nth(1))?;
    let label: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
        .collect();
    // It is not valid UTF-8, even if it is declared so.
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_8)
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // The first non-ASCII byte may come late: start a little before it.
    let first = bytes.iter().position(|b| *b >= 0x80).unwrap_or(0).saturating_sub(64);
    let end = bytes.len().min(first + SAMPLE);
    detector.feed(&bytes[first..end], end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether it has few control characters and few that could not be decoded.
fn is_text(text: &str) -> bool {
    let (mut all, mut odd) = (0usize, 0usize);
    for c in text.chars().take(SAMPLE) {
        all += 1;
        let control = c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{8}' | '\u{1b}');
        odd += usize::from(control || c == '\u{fffd}');
    }
    odd * 20 <= all
}

#[cfg(test)]
mod tests {
    use super::*;
    use Charset::{Declared, Guessed};
    use proptest::prelude::*;

    #[test]
    fn the_encoding_is_found_by_mark_statistics_or_declaration() {
        let utf16: Vec<u8> = "Grüße aus Köln".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut marked = vec![0xff, 0xfe];
        marked.extend(&utf16);
        let big: Vec<u8> = "Grüße aus Köln".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (bytes, charset, text) in [
            (b"plain".to_vec(), Guessed, "plain"),
            ("\u{feff}mit Mark".as_bytes().to_vec(), Guessed, "mit Mark"),
            (utf16, Guessed, "Grüße aus Köln"),
            (big, Guessed, "Grüße aus Köln"),
            (marked, Guessed, "Grüße aus Köln"),
            (b"Gr\xfc\xdfe aus K\xf6ln, sch\xf6ne Stadt".to_vec(), Guessed, "Grüße aus Köln, schöne Stadt"),
            (b"<meta charset=\"iso-8859-2\">\xb3".to_vec(), Declared, "<meta charset=\"iso-8859-2\">ł"),
            (b"<?xml encoding='iso-8859-2'?>\xb3".to_vec(), Declared, "<?xml encoding='iso-8859-2'?>ł"),
        ] {
            assert_eq!(decode(&bytes, charset).unwrap(), text);
        }
    }

    #[test]
    fn a_few_broken_bytes_do_not_spoil_the_rest() {
        let mut bytes = "äöüäöüäöüäöüäöü und mehr".as_bytes().to_vec();
        bytes.push(0xff);
        assert_eq!(decode(&bytes, Guessed).unwrap(), "äöüäöüäöüäöüäöü und mehr\u{fffd}");
    }

    #[test]
    fn binary_is_told_from_text() {
        let mut picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR".to_vec();
        picture.extend((0u8..=255).cycle().take(4000));
        assert!(matches!(decode(&picture, Guessed), Err(Unread::Binary)));
        assert!(matches!(decode(&[1, 2, 3, 4, 5, 6, 7, 14], Guessed), Err(Unread::Binary)));
        assert!(decode(b"\x1b[31mred\x1b[0m is still text", Guessed).is_ok());
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2000), is_markup: bool) {
            let _ = decode(&bytes, if is_markup { Declared } else { Guessed });
        }
    }
}
