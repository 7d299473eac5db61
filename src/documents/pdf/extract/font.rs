//! The parts of a font needed for text: how bytes form codes, the letters of a code, and its width.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use encoding_rs::Encoding;
use hayro_cmap::{BfString, CMap};
use hayro_syntax::object::{Array, Dict, Name, Object, Rect, Stream};

use super::encoding::{Base, named, readable};
use super::program;

/// The most widths read of a font: every two-byte code, and some repeated ones.
const MOST_WIDTHS: usize = 1 << 17;

/// Widths of the letters from the space to `~` in Helvetica and Times, in thousandths: files may leave them out.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
];

/// The rule by which the bytes of a string form codes.
enum Codes {
    /// A code is one byte.
    Bytes,
    /// A code is two bytes, and also the number of its glyph.
    Pairs,
    /// As defined in the file.
    Mapped(Box<CMap>),
    /// The bytes are text in a known encoding.
    Text(&'static Encoding),
}

/// One shown code.
pub(super) struct Shown {
    /// Its letters; None if they are unknown.
    pub(super) text: Option<String>,
    /// Its width, in units of the font size.
    pub(super) width: f64,
    /// Whether it is the one-byte code 32, to which word spacing applies.
    pub(super) is_space: bool,
}

/// The style of letters, by the name of their font.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Face {
    pub(super) bold: bool,
    /// All letters have the same width, as in program text.
    pub(super) fixed: bool,
}

impl Face {
    fn named(name: &str) -> Face {
        let name = name.to_ascii_lowercase();
        let is_one_of = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        Face {
            bold: is_one_of(&["bold", "black", "heavy", "demi", "cmbx", "cmssbx", "ecbx", "sfbx"]),
            fixed: is_one_of(&[
                "courier",
                "mono",
                "cmtt",
                "cmsltt",
                "ectt",
                "sftt",
                "lmtt",
                "consol",
                "typewriter",
                "menlo",
            ]) && !name.contains("monotype"),
        }
    }
}

pub(super) struct Font {
    pub(super) face: Face,
    codes: Codes,
    to_unicode: Option<CMap>,
    letters: HashMap<u8, String>,
    /// The letters of the glyphs of a known collection.
    known: HashMap<u32, char>,
    widths: HashMap<u32, f32>,
    other_width: f32,
    /// The size of a width unit, in units of the font size.
    unit: f64,
    /// The height of a letter in units of the font size: 1, except in fonts drawn by the file itself.
    pub(super) height: f64,
    /// Whether lines run from top to bottom.
    pub(super) vertical: bool,
}

impl Font {
    pub(super) fn new(dict: &Dict<'_>) -> Font {
        let to_unicode = dict.get::<Stream<'_>>("ToUnicode").and_then(|stream| cmap(&stream));
        let kind = dict.get::<Name<'_>>("Subtype");
        match kind.as_deref() {
            Some(b"Type0") => Font::composite(dict, to_unicode),
            kind => Font::simple(dict, kind.unwrap_or_default(), to_unicode),
        }
    }

    fn simple(dict: &Dict<'_>, kind: &[u8], to_unicode: Option<CMap>) -> Font {
        let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
        let name = dict.get::<Name<'_>>("BaseFont").map(|name| name.as_str().to_owned()).unwrap_or_default();
        let letters = letters(dict, &descriptor, &name, kind);
        let first = dict.get::<u32>("FirstChar").unwrap_or(0);
        let mut widths: HashMap<u32, f32> = match dict.get::<Array<'_>>("Widths") {
            Some(given) => (first..=u32::MAX).zip(given.iter::<f32>().take(256)).collect(),
            None => HashMap::new(),
        };
        if widths.is_empty() {
            widths.extend(letters.iter().map(|(code, text)| (u32::from(*code), usual_width(&name, text))));
        }
        let (mut unit, mut height) = (0.001, 1.0);
        if kind == b"Type3" {
            let matrix = dict.get::<[f32; 6]>("FontMatrix").unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
            unit = f64::from(matrix[0].hypot(matrix[1]));
            let drawn = dict.get::<Rect>("FontBBox").map_or(0.0, |around| around.height().abs());
            // Letters are about twice as high as they are wide.
            let wide = widths
                .values()
                .filter(|width| **width > 0.0)
                .fold((0.0, 0u16), |(sum, count), width| (sum + f64::from(*width), count.saturating_add(1)));
            height = if drawn > 0.0 { drawn } else { 2.0 * wide.0 / f64::from(wide.1.max(1)) } * unit;
        }
        let other_width = descriptor.get::<f32>("MissingWidth").unwrap_or(0.0);
        let known = HashMap::new();
        let face = Face::named(&name);
        Font {
            face,
            codes: Codes::Bytes,
            to_unicode,
            letters,
            known,
            widths,
            other_width,
            unit,
            height,
            vertical: false,
        }
    }

    fn composite(dict: &Dict<'_>, to_unicode: Option<CMap>) -> Font {
        let below = dict.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let below = below.unwrap_or_default();
        let (codes, vertical) = match dict.get::<Object<'_>>("Encoding") {
            Some(Object::Stream(stream)) => {
                (cmap(&stream).map_or(Codes::Pairs, |cmap| Codes::Mapped(Box::new(cmap))), false)
            }
            Some(Object::Name(name)) => (codes_named(name.as_str()), name.ends_with(b"-V")),
            _ => (Codes::Pairs, false),
        };
        let collection = below.get::<Dict<'_>>("CIDSystemInfo").filter(|_| to_unicode.is_none());
        let name = dict.get::<Name<'_>>("BaseFont").map(|name| name.as_str().to_owned()).unwrap_or_default();
        let ordering = collection.and_then(|info| info.get::<hayro_syntax::object::String<'_>>("Ordering"));
        Font {
            face: Face::named(&name),
            codes,
            to_unicode,
            letters: HashMap::new(),
            known: ordering.map(|ordering| collection_letters(ordering.as_bytes())).unwrap_or_default(),
            widths: below.get::<Array<'_>>("W").map(|widths| composite_widths(&widths)).unwrap_or_default(),
            other_width: below.get::<f32>("DW").unwrap_or(1000.0),
            unit: 0.001,
            height: 1.0,
            vertical,
        }
    }

    /// The codes of a shown string, in order.
    pub(super) fn shown(&self, mut bytes: &[u8]) -> impl Iterator<Item = Shown> {
        std::iter::from_fn(move || {
            let first = *bytes.first()?;
            let (shown, used) = match &self.codes {
                Codes::Bytes => (self.byte(first), 1),
                Codes::Text(encoding) => Self::encoded(encoding, bytes),
                Codes::Pairs => {
                    let code = code(bytes, 2);
                    (self.composed(code, code, false), 2)
                }
                Codes::Mapped(cmap) => {
                    let known = (1..=4u8).filter(|size| usize::from(*size) <= bytes.len()).find_map(|size| {
                        Some((cmap.lookup_cid_code(code(bytes, size.into()), size)?, usize::from(size)))
                    });
                    let (glyph, used) = known.unwrap_or((code(bytes, 2), 2));
                    (self.composed(code(bytes, used), glyph, used == 1), used)
                }
            };
            bytes = bytes.get(used..).unwrap_or_default();
            Some(shown)
        })
    }

    fn byte(&self, byte: u8) -> Shown {
        let code = u32::from(byte);
        let text = self.mapped(code).or_else(|| readable(self.letters.get(&byte)?));
        Shown { text, width: self.width(code), is_space: byte == 32 }
    }

    fn composed(&self, code: u32, glyph: u32, byte: bool) -> Shown {
        let text = self.mapped(code).or_else(|| readable(self.known.get(&glyph)?.encode_utf8(&mut [0; 4])));
        Shown { text, width: self.width(glyph), is_space: byte && code == 32 }
    }

    /// The first letter of text in a known encoding, and its bytes. Its glyph is unknown, so its width is the default.
    fn encoded(encoding: &'static Encoding, bytes: &[u8]) -> (Shown, usize) {
        let decoded = (1..=bytes.len().min(4)).find_map(|used| {
            Some((encoding.decode_without_bom_handling_and_without_replacement(&bytes[..used])?, used))
        });
        let (text, used) = decoded.map_or((None, 2), |(text, used)| (readable(&text), used));
        let narrow = text.as_deref().is_some_and(str::is_ascii);
        (Shown { text, width: if narrow { 0.5 } else { 1.0 }, is_space: used == 1 && bytes[0] == 32 }, used)
    }

    fn mapped(&self, code: u32) -> Option<String> {
        match self.to_unicode.as_ref()?.lookup_bf_string(code)? {
            BfString::Char(letter) => readable(letter.encode_utf8(&mut [0; 4])),
            BfString::String(text) => readable(&text),
        }
    }

    fn width(&self, code: u32) -> f64 {
        if self.vertical {
            return 1.0;
        }
        f64::from(*self.widths.get(&code).unwrap_or(&self.other_width)) * self.unit
    }
}

fn code(bytes: &[u8], size: usize) -> u32 {
    bytes.iter().take(size).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// A mapping in the file. Mappings that it builds on are not available and are ignored.
fn cmap(stream: &Stream<'_>) -> Option<CMap> {
    CMap::parse(&stream.decoded_data().ok()?, |_| Some(b""))
}

/// The rule of a predefined encoding of Chinese, Japanese or Korean.
fn codes_named(name: &str) -> Codes {
    let parts = [
        ("UCS2", encoding_rs::UTF_16BE),
        ("UTF16", encoding_rs::UTF_16BE),
        ("RKSJ", encoding_rs::SHIFT_JIS),
        ("GBK2K", encoding_rs::GB18030),
        ("GB", encoding_rs::GBK),
        ("B5", encoding_rs::BIG5),
        ("KSC", encoding_rs::EUC_KR),
    ];
    match parts.iter().find(|(part, _)| name.contains(part)) {
        Some((_, encoding)) => Codes::Text(encoding),
        None if name.starts_with("EUC-") => Codes::Text(encoding_rs::EUC_JP),
        None => Codes::Pairs,
    }
}

/// The letters of the glyphs of the collections of Adobe for simplified Chinese, Japanese and Korean: they number most of their
/// glyphs in the order of the national standards, here by the glyph of the first code, the encoding and its lead bytes.
fn collection_letters(ordering: &[u8]) -> HashMap<u32, char> {
    let sections: &[(u32, &'static Encoding, RangeInclusive<u8>)] = match ordering {
        b"Japan1" => &[(633, encoding_rs::EUC_JP, 0xa1..=0xa7), (1125, encoding_rs::EUC_JP, 0xb0..=0xf4)],
        b"GB1" => &[(96, encoding_rs::GBK, 0xa1..=0xa1), (940, encoding_rs::GBK, 0xb0..=0xf7)],
        b"Korea1" => &[(101, encoding_rs::EUC_KR, 0xa1..=0xa1), (1086, encoding_rs::EUC_KR, 0xb0..=0xc8)],
        _ => return HashMap::new(),
    };
    let mut letters: HashMap<u32, char> = (1..).zip(' '..='~').collect();
    if ordering == b"Japan1" {
        letters.extend((231..).zip(' '..='~'));
    }
    for (first, encoding, leads) in sections {
        let trails = 0xa1..=0xfe_u8;
        let codes = leads.clone().flat_map(|lead| trails.clone().map(move |trail| [lead, trail]));
        let decoded = codes.filter_map(|code| {
            let text = encoding.decode_without_bom_handling_and_without_replacement(&code)?;
            text.chars().next().filter(|letter| text.chars().count() == 1 && readable(&text).is_some() && *letter > '~')
        });
        letters.extend((*first..).zip(decoded));
    }
    letters
}

/// The letters of the codes of a simple font: from the file, else from the font itself, else the default.
fn letters(dict: &Dict<'_>, descriptor: &Dict<'_>, name: &str, kind: &[u8]) -> HashMap<u8, String> {
    let encoding = dict.get::<Object<'_>>("Encoding");
    let (base, differences) = match &encoding {
        Some(Object::Name(name)) => (Some(Base::named(name)), None),
        Some(Object::Dict(encoding)) => (
            encoding.get::<Name<'_>>("BaseEncoding").map(|name| Base::named(&name)),
            encoding.get::<Array<'_>>("Differences"),
        ),
        _ => (None, None),
    };
    let brought = || {
        let data = |key: &str| descriptor.get::<Stream<'_>>(key)?.decoded_data().ok();
        data("FontFile").and_then(|font| program::type1(&font)).or_else(|| program::compact(&data("FontFile3")?))
    };
    let by = |base: Base| (0..=255).filter_map(|code| Some((code, base.letter(code)?.to_string()))).collect();
    let mut letters: HashMap<u8, String> = match base {
        Some(base) => by(base),
        None => brought().unwrap_or_else(|| {
            by(match kind {
                _ if name.contains("Symbol") => Base::Symbol,
                _ if name.contains("Dingbats") => Base::Dingbats,
                b"TrueType" => Base::WinAnsi,
                _ => Base::Standard,
            })
        }),
    };
    let mut code: u8 = 0;
    for item in differences.iter().flat_map(|differences| differences.iter::<Object<'_>>()) {
        match item {
            Object::Number(number) => code = u8::try_from(number.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                match glyph_letters(name.as_str(), kind == b"Type3") {
                    Some(text) => letters.insert(code, text),
                    None => letters.remove(&code),
                };
                code = code.wrapping_add(1);
            }
            _ => {}
        }
    }
    letters
}

/// The letters of a named glyph. Fonts drawn by the file itself often name glyphs by their number: `a65`.
fn glyph_letters(name: &str, drawn: bool) -> Option<String> {
    named(name).or_else(|| {
        let number = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let code: u8 = number.parse().ok().filter(|_| drawn && name.len() - number.len() <= 2)?;
        let ligatures = ["\u{fb00}", "\u{fb01}", "\u{fb02}", "\u{fb03}", "\u{fb04}"];
        match code {
            11..=15 => Some(ligatures[usize::from(code) - 11].to_owned()),
            0x21..=0x7e => Some(char::from(code).to_string()),
            _ => None,
        }
    })
}

/// The width of a letter whose font has no widths in the file, in thousandths.
fn usual_width(name: &str, text: &str) -> f32 {
    if name.contains("Courier") || name.contains("Mono") {
        return 600.0;
    }
    let table = if name.contains("Times") || name.contains("Serif") { &TIMES } else { &HELVETICA };
    let place = text.bytes().next().filter(|_| text.len() == 1).and_then(|byte| byte.checked_sub(32));
    f32::from(place.and_then(|place| table.get(usize::from(place)).copied()).unwrap_or(520))
}

/// The widths of a composite font: `first [w w …]` and `first last w`.
fn composite_widths(given: &Array<'_>) -> HashMap<u32, f32> {
    let mut widths = HashMap::new();
    let mut left = MOST_WIDTHS;
    let mut put = |codes: RangeInclusive<u32>, width: f32| {
        for code in codes.take(left) {
            widths.insert(code, width);
            left -= 1;
        }
    };
    let mut items = given.iter::<Object<'_>>();
    let whole = |item: Object<'_>| item.into_number().and_then(|number| u32::try_from(number.as_i64()).ok());
    while let (Some(first), Some(next)) = (items.next().and_then(whole), items.next()) {
        match next {
            Object::Array(each) => {
                (first..=u32::MAX).zip(each.iter::<f32>()).for_each(|(code, width)| put(code..=code, width))
            }
            next => match (whole(next), items.next().and_then(Object::into_f32)) {
                (Some(last), Some(width)) => put(first..=last.min(u32::from(u16::MAX)), width),
                _ => break,
            },
        }
    }
    widths
}
