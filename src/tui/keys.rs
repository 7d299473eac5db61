//! The input of a terminal, as keys and pastes: pure, told of the bytes as they were read and of silence.
//!
//! A paste never becomes keys, whatever it holds, and one whose end does not come cannot keep the person out: after a silence its
//! part so far is taken as pasted, and a single key is a key again.

use std::mem::take;
use std::time::Duration;

use crate::field::MOST_PASTED;
use crate::spot::Mouse;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The time in which the rest of a key's sequence must come. An Esc that is alone this long is the key.
const REST_OF_KEY: Duration = Duration::from_millis(25);
/// The time for which a paste may be silent before its part so far is taken.
const SILENT_PASTE: Duration = Duration::from_secs(1);
/// The longest sequence of a key; a longer one is dropped.
const LONGEST_SEQUENCE: usize = 64;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// The beginning of the terminal's answer on its background.
const BACKGROUND: &[u8] = b"\x1b]11;";
/// The bytes of a report of focus: ESC [ I, or ESC [ O.
const FOCUS_LENGTH: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Key(KeyEvent),
    Paste(String),
    /// Whether the terminal is in focus now.
    Focus(bool),
    /// The action of the mouse, with its column and row, from 0.
    Mouse(Mouse, (u16, u16)),
    /// The terminal's background, as it answered when it was asked: whether it is light.
    Background {
        is_light: bool,
    },
}

/// The state between two reads.
#[derive(Debug, Default)]
pub struct Keys {
    within: Within,
    /// The beginning of a key, or the part of a paste that has come.
    pending: Vec<u8>,
    /// The bytes of a paste that were searched for its end.
    searched: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Keys,
    Paste,
    /// A paste fell silent without its end: the next bytes may be its rest.
    Unended,
}

/// The input at the beginning of some bytes, and the number of bytes that it takes.
#[derive(Debug, PartialEq)]
enum Front {
    Key(KeyEvent, usize),
    PasteBegins,
    Focus(bool),
    Mouse(Mouse, (u16, u16), usize),
    Background(bool, usize),
    /// No key that is known.
    Nothing(usize),
    /// The rest may still come.
    Open,
}

impl Keys {
    /// Takes the bytes of one read.
    pub fn take(&mut self, bytes: &[u8], typed: &mut Vec<Typed>) {
        if self.within == Within::Unended {
            // A person presses one key at a time; a terminal sends the rest of a paste in pieces.
            let is_keys = match front(bytes) {
                Front::Key(_, length) | Front::Mouse(_, _, length) | Front::Background(_, length) => {
                    length == bytes.len()
                }
                Front::PasteBegins | Front::Focus(_) => true,
                Front::Open => bytes == b"\x1b",
                Front::Nothing(_) => false,
            };
            self.within = if is_keys { Within::Keys } else { Within::Paste };
        }
        self.pending.extend_from_slice(bytes);
        loop {
            match self.within {
                Within::Paste => {
                    let Some(end) = position(&self.pending[self.searched..], PASTE_ENDS) else {
                        self.shorten();
                        self.searched = self.pending.len().saturating_sub(PASTE_ENDS.len() - 1);
                        return;
                    };
                    let end = self.searched + end;
                    let rest = self.pending.split_off(end + PASTE_ENDS.len());
                    self.pending.truncate(end);
                    self.pasted(typed);
                    self.pending = rest;
                    self.within = Within::Keys;
                }
                Within::Keys | Within::Unended => {
                    let length = match front(&self.pending) {
                        Front::Key(key, length) => {
                            typed.push(Typed::Key(key));
                            length
                        }
                        Front::PasteBegins => {
                            self.within = Within::Paste;
                            PASTE_BEGINS.len()
                        }
                        Front::Focus(is_in) => {
                            typed.push(Typed::Focus(is_in));
                            FOCUS_LENGTH
                        }
                        Front::Mouse(mouse, at, length) => {
                            typed.push(Typed::Mouse(mouse, at));
                            length
                        }
                        Front::Background(is_light, length) => {
                            typed.push(Typed::Background { is_light });
                            length
                        }
                        Front::Nothing(length) => length,
                        Front::Open => return,
                    };
                    self.pending.drain(..length);
                }
            }
        }
    }

    /// The wait for more before [`Keys::silence`]; None if nothing is open.
    pub fn patience(&self) -> Option<Duration> {
        match self.within {
            Within::Paste => Some(SILENT_PASTE),
            _ => (!self.pending.is_empty()).then_some(REST_OF_KEY),
        }
    }

    /// Nothing came for as long as [`Keys::patience`] says.
    pub fn silence(&mut self, typed: &mut Vec<Typed>) {
        if self.within == Within::Paste {
            self.pasted(typed);
            self.within = Within::Unended;
            return;
        }
        match take(&mut self.pending)[..] {
            [0x1b] => typed.push(Typed::Key(KeyCode::Esc.into())),
            // Alt and a key that also begins a sequence.
            [0x1b, c @ (b'[' | b'O' | b']')] => {
                typed.push(Typed::Key(KeyEvent::new(KeyCode::Char(char::from(c)), KeyModifiers::ALT)));
            }
            _ => {}
        }
    }

    fn pasted(&mut self, typed: &mut Vec<Typed>) {
        self.searched = 0;
        let mut text = take(&mut self.pending);
        text.truncate(MOST_PASTED);
        if !text.is_empty() {
            typed.push(Typed::Paste(String::from_utf8_lossy(&text).into_owned()));
        }
    }

    /// Drops the excess of a paste, but not its last bytes, in which its end may begin.
    fn shorten(&mut self) {
        let tail = self.pending.len().saturating_sub(PASTE_ENDS.len());
        if tail > MOST_PASTED {
            self.pending.drain(MOST_PASTED..tail);
        }
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn front(bytes: &[u8]) -> Front {
    let key = |code| Front::Key(KeyEvent::from(code), 1);
    let control = |c: u8| Front::Key(KeyEvent::new(KeyCode::Char(char::from(c)), KeyModifiers::CONTROL), 1);
    match *bytes {
        [] => Front::Open,
        [0x1b, ..] => escaped(bytes),
        [b'\r', ..] => key(KeyCode::Enter),
        [b'\t', ..] => key(KeyCode::Tab),
        [0x7f, ..] => key(KeyCode::Backspace),
        [0, ..] => control(b' '),
        [c @ 0x01..=0x1a, ..] => control(c - 1 + b'a'),
        [c @ 0x1c..=0x1f, ..] => control(c - 0x1c + b'4'),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Front {
    let length = match bytes[0] {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Front::Nothing(1),
    };
    let there = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(there) {
        Ok(text) => text.chars().next().map_or(Front::Nothing(1), |c| Front::Key(typed(c), length)),
        Err(error) if error.error_len().is_none() => Front::Open,
        Err(_) => Front::Nothing(1),
    }
}

fn typed(c: char) -> KeyEvent {
    let modifiers = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    KeyEvent::new(KeyCode::Char(c), modifiers)
}

fn escaped(bytes: &[u8]) -> Front {
    match *bytes {
        [_] => Front::Open,
        [_, b'[', ..] => csi(bytes),
        [_, b']', ..] if BACKGROUND.starts_with(bytes) => Front::Open,
        [_, b']', ..] if bytes.starts_with(BACKGROUND) => background(bytes),
        [_, b'O'] => Front::Open,
        [_, b'O', last, ..] => named(last, "").map_or(Front::Nothing(3), |code| Front::Key(code.into(), 3)),
        [_, 0x1b, ..] => Front::Key(KeyCode::Esc.into(), 1),
        _ => match front(&bytes[1..]) {
            Front::Key(mut key, length) => {
                key.modifiers |= KeyModifiers::ALT;
                Front::Key(key, length + 1)
            }
            Front::Nothing(length) => Front::Nothing(length + 1),
            other => other,
        },
    }
}

/// The answer to the question for the background: ESC ] 11 ; rgb:RRRR/GGGG/BBBB, and BEL or ESC \ at its end.
fn background(bytes: &[u8]) -> Front {
    let rest = &bytes[BACKGROUND.len()..];
    let Some(end) = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b)) else {
        return if rest.len() > LONGEST_SEQUENCE { Front::Nothing(bytes.len()) } else { Front::Open };
    };
    let ending = match rest[end..] {
        [0x07, ..] => 1,
        [_, b'\\', ..] => 2,
        [_] => return Front::Open,
        _ => 0,
    };
    let length = BACKGROUND.len() + end + ending;
    let colour = std::str::from_utf8(&rest[..end]).ok().and_then(brightness);
    colour.map_or(Front::Nothing(length), |bright| Front::Background(bright > 0.5, length))
}

/// The brightness of `rgb:RRRR/GGGG/BBBB`, from 0 to 1 (ITU-R BT.601); each part has one to four hexadecimal digits.
fn brightness(colour: &str) -> Option<f64> {
    let parts: Vec<f64> = colour
        .strip_prefix("rgb:")?
        .split('/')
        .map(|part| {
            let most = f64::from(16_u32.pow(u32::try_from(part.len()).ok().filter(|n| (1..=4).contains(n))?) - 1);
            u32::from_str_radix(part, 16).ok().map(|value| f64::from(value) / most)
        })
        .collect::<Option<_>>()?;
    let [red, green, blue] = parts[..] else { return None };
    Some(0.299 * red + 0.587 * green + 0.114 * blue)
}

/// A report of the mouse: `<BUTTON;COLUMN;ROW`, and M as it is pressed or m as it is released.
fn mouse(parameters: &str, last: u8) -> Option<(Mouse, (u16, u16))> {
    let numbers: Vec<u16> = parameters.strip_prefix('<')?.split(';').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [button, column, row] = numbers[..] else { return None };
    let mouse = match button {
        0 => Mouse::Click,
        64 => Mouse::WheelUp,
        65 => Mouse::WheelDown,
        _ => return None,
    };
    (last == b'M').then_some((mouse, (column.saturating_sub(1), row.saturating_sub(1))))
}

/// A sequence of ESC [, parameters and a last byte (ECMA-48, 5.4).
fn csi(bytes: &[u8]) -> Front {
    if bytes.starts_with(PASTE_BEGINS) {
        return Front::PasteBegins;
    }
    if let [_, _, focus @ (b'I' | b'O'), ..] = bytes {
        return Front::Focus(*focus == b'I');
    }
    // The Linux console's own F1 to F5: ESC [ [ A to ESC [ [ E.
    if bytes.get(2) == Some(&b'[') {
        return match bytes.get(3) {
            None => Front::Open,
            Some(last @ b'A'..=b'E') => Front::Key(KeyCode::F(last - b'A' + 1).into(), 4),
            Some(_) => Front::Nothing(3),
        };
    }
    let length = bytes[2..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
    let Some(last) = bytes.get(2 + length) else {
        return if length > LONGEST_SEQUENCE { Front::Nothing(bytes.len()) } else { Front::Open };
    };
    if !(0x40..0x7f).contains(last) {
        return Front::Nothing(2 + length);
    }
    let parameters = std::str::from_utf8(&bytes[2..2 + length]).unwrap_or_default();
    if let Some((mouse, at)) = mouse(parameters, *last) {
        return Front::Mouse(mouse, at, length + 3);
    }
    match sequence(parameters, *last) {
        Some(key) => Front::Key(key, length + 3),
        None => Front::Nothing(length + 3),
    }
}

/// The key of a sequence, with its modifiers: `1;5C`, `3~`, `13;3u`, `27;5;13~`. A key that is released is none.
fn sequence(parameters: &str, last: u8) -> Option<KeyEvent> {
    let mut numbers = parameters.split(';');
    let (first, second, third) = (numbers.next().unwrap_or(""), numbers.next().unwrap_or(""), numbers.next());
    let (modifiers, kind) = second.split_once(':').unwrap_or((second, "1"));
    if kind == "3" {
        return None;
    }
    let code = match (last, third) {
        (b'u', _) => by_number(first.split(':').next()?)?,
        (b'~', Some(code)) if first == "27" => by_number(code)?,
        _ => named(last, first)?,
    };
    let mut modifiers = modifiers_of(modifiers);
    if code == KeyCode::BackTab {
        modifiers |= KeyModifiers::SHIFT;
    }
    Some(KeyEvent::new(code, modifiers))
}

fn named(last: u8, number: &str) -> Option<KeyCode> {
    Some(match (last, number) {
        (b'A', _) => KeyCode::Up,
        (b'B', _) => KeyCode::Down,
        (b'C', _) => KeyCode::Right,
        (b'D', _) => KeyCode::Left,
        (b'H', _) | (b'~', "1" | "7") => KeyCode::Home,
        (b'F', _) | (b'~', "4" | "8") => KeyCode::End,
        (b'Z', _) => KeyCode::BackTab,
        (b'P'..=b'S', _) => KeyCode::F(last - b'P' + 1),
        (b'~', "2") => KeyCode::Insert,
        (b'~', "3") => KeyCode::Delete,
        (b'~', "5") => KeyCode::PageUp,
        (b'~', "6") => KeyCode::PageDown,
        (b'~', number) => KeyCode::F(match number.parse().ok()? {
            n @ 11..=15 => n - 10,
            n @ 17..=21 => n - 11,
            n @ 23..=24 => n - 12,
            _ => return None,
        }),
        _ => return None,
    })
}

/// A key by the number of its character.
fn by_number(number: &str) -> Option<KeyCode> {
    Some(match number.parse().ok()? {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        number => KeyCode::Char(char::from_u32(number).filter(|c| !c.is_control())?),
    })
}

/// The modifiers of a number that is one more than the sum of 1 (Shift), 2 (Alt) and 4 (Control).
fn modifiers_of(number: &str) -> KeyModifiers {
    let bits = number.parse::<u8>().unwrap_or(1).saturating_sub(1);
    let all = [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)];
    all.into_iter().filter(|(bit, _)| bits & bit != 0).fold(KeyModifiers::NONE, |all, (_, one)| all | one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Typed {
        Typed::Key(KeyEvent::new(code, modifiers))
    }

    fn letter(c: char) -> Typed {
        key(KeyCode::Char(c), KeyModifiers::NONE)
    }

    fn paste(text: &str) -> Typed {
        Typed::Paste(text.into())
    }

    #[test]
    fn the_mouse_and_the_background_are_read_and_keys_beside_them_stay_keys() {
        let at = |mouse, x, y| Typed::Mouse(mouse, (x, y));
        assert_eq!(read(&[b"\x1b[<0;10;4M\x1b[<0;10;4mq"]), [at(Mouse::Click, 9, 3), letter('q')]);
        assert_eq!(
            read(&[b"\x1b[<64;1;1M", b"\x1b[<65;300;2M"]),
            [at(Mouse::WheelUp, 0, 0), at(Mouse::WheelDown, 299, 1)]
        );
        assert_eq!(read(&[b"\x1b[<2;1;1M\x1b[<0;1M\x1b[<0;99999;1M"]), [], "another button, and what is none");
        let light = Typed::Background { is_light: true };
        assert_eq!(read(&[b"\x1b]11;rgb:ffff/ffff/ffff\x07j"]), [light.clone(), letter('j')]);
        assert_eq!(read(&[b"\x1b]11;rgb:f", b"f/ff/ee\x1b", b"\\"]), [light]);
        assert_eq!(read(&[b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\"]), [Typed::Background { is_light: false }]);
        assert_eq!(read(&[b"\x1b]11;rgb:zz/0/0\x07k"]), [letter('k')]);
        assert_eq!(read(&[b"\x1b]"]), [key(KeyCode::Char(']'), KeyModifiers::ALT)]);
    }

    /// The input from these reads, with a silence after the last one.
    fn read(reads: &[&[u8]]) -> Vec<Typed> {
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        reads.iter().for_each(|bytes| keys.take(bytes, &mut typed));
        if keys.patience().is_some() {
            keys.silence(&mut typed);
        }
        typed
    }

    #[test]
    fn keys_are_read_as_terminals_send_them() {
        use KeyCode::{BackTab, Backspace, Delete, Down, End, Enter, Esc, F, Home, Insert, PageDown, PageUp, Tab, Up};
        const NONE: KeyModifiers = KeyModifiers::NONE;
        const CONTROL: KeyModifiers = KeyModifiers::CONTROL;
        const ALT: KeyModifiers = KeyModifiers::ALT;
        for (bytes, code, modifiers) in [
            ("\r", Enter, NONE),
            ("\n", KeyCode::Char('j'), CONTROL),
            ("\t", Tab, NONE),
            ("\x7f", Backspace, NONE),
            ("\x03", KeyCode::Char('c'), CONTROL),
            ("\0", KeyCode::Char(' '), CONTROL),
            ("\x1b", Esc, NONE),
            ("\x1b[", KeyCode::Char('['), ALT),
            ("\x1bx", KeyCode::Char('x'), ALT),
            ("\x1b\r", Enter, ALT),
            ("é", KeyCode::Char('é'), NONE),
            ("G", KeyCode::Char('G'), KeyModifiers::SHIFT),
            ("\x1b[A", Up, NONE),
            ("\x1bOB", Down, NONE),
            ("\x1b[1;5A", Up, CONTROL),
            ("\x1b[H", Home, NONE),
            ("\x1b[8~", End, NONE),
            ("\x1b[2~", Insert, NONE),
            ("\x1b[3;3~", Delete, ALT),
            ("\x1b[5~", PageUp, NONE),
            ("\x1b[6~", PageDown, NONE),
            ("\x1b[Z", BackTab, KeyModifiers::SHIFT),
            ("\x1bOP", F(1), NONE),
            ("\x1b[[A", F(1), NONE),
            ("\x1b[11~", F(1), NONE),
            ("\x1b[15~", F(5), NONE),
            ("\x1b[17~", F(6), NONE),
            ("\x1b[24~", F(12), NONE),
            ("\x1b[13;3u", Enter, ALT),
            ("\x1b[27;5;13~", Enter, CONTROL),
        ] {
            assert_eq!(read(&[bytes.as_bytes()]), [key(code, modifiers)], "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_key_is_passed_over_and_the_next_key_is_read() {
        for odd in ["\x1b[?1;2c", "\x1b[97;1:3u", "\x1b[I", "\x1b[12;4R\x1b[9999~", "\x1b[1\x01", "\x1b[999;999;9x"] {
            let all = read(&[odd.as_bytes(), b"j"]);
            assert_eq!(all.last(), Some(&letter('j')), "{odd:?}: {all:?}");
        }
        assert_eq!(read(&[b"\x1b[O", b"\x1b[Ij"]), [Typed::Focus(false), Typed::Focus(true), letter('j')]);
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        keys.take(&[&b"\x1b["[..], &[b'1'; 1000]].concat(), &mut typed);
        keys.take(b"j", &mut typed);
        assert_eq!(typed, [letter('j')]);
    }

    #[test]
    fn escape_and_what_is_pressed_later_are_two_keys() {
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        keys.take(b"\x1b", &mut typed);
        assert_eq!((typed.len(), keys.patience()), (0, Some(REST_OF_KEY)));
        keys.silence(&mut typed);
        keys.take(b"q", &mut typed);
        assert_eq!(typed, [key(KeyCode::Esc, KeyModifiers::NONE), letter('q')]);
        assert_eq!(keys.patience(), None);
    }

    #[test]
    fn a_paste_is_one_paste_however_it_is_cut_and_whatever_it_holds() {
        let bytes = b"\x1b[200~A q\ry\x1b[B\xc3\xa9\x1b[201~j";
        for cut in 0..bytes.len() {
            let all = read(&[&bytes[..cut], &bytes[cut..]]);
            assert_eq!(all, [paste("A q\ry\x1b[Bé"), letter('j')], "{cut}");
        }
    }

    #[test]
    fn a_paste_without_its_end_is_taken_after_a_silence_and_keys_are_keys_again() {
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        keys.take(b"\x1b[200~What is", &mut typed);
        assert_eq!((typed.len(), keys.patience()), (0, Some(SILENT_PASTE)));
        keys.silence(&mut typed);
        assert_eq!(typed, [paste("What is")]);
        // Its rest is no keys, also when it comes late.
        keys.take(b" Qdrant?\rA", &mut typed);
        keys.silence(&mut typed);
        assert_eq!(typed[1..], [paste(" Qdrant?\rA")]);
        keys.take(b"\x1b[A", &mut typed);
        keys.take(b"jk", &mut typed);
        assert_eq!(typed[2..], [key(KeyCode::Up, KeyModifiers::NONE), letter('j'), letter('k')]);
        let unended: [&[u8]; 2] = [b"\x1b[200~one", b"\x1b[200~two\x1b[201~"];
        for (next, wanted) in [(&b"\x1b"[..], key(KeyCode::Esc, KeyModifiers::NONE)), (unended[1], paste("two"))] {
            let (mut keys, mut typed) = (Keys::default(), Vec::new());
            keys.take(unended[0], &mut typed);
            keys.silence(&mut typed);
            keys.take(next, &mut typed);
            keys.silence(&mut typed);
            assert_eq!(typed, [paste("one"), wanted]);
        }
    }

    #[test]
    fn of_an_endless_paste_the_beginning_is_kept() {
        let (mut keys, mut typed) = (Keys::default(), Vec::new());
        keys.take(PASTE_BEGINS, &mut typed);
        for _ in 0..3_000 {
            keys.take(&[b'x'; 1024], &mut typed);
            assert!(keys.pending.len() <= MOST_PASTED + 2048);
        }
        keys.take(PASTE_ENDS, &mut typed);
        assert!(matches!(&typed[..], [Typed::Paste(text)] if text.len() == MOST_PASTED));
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(reads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let (mut keys, mut typed) = (Keys::default(), Vec::new());
            for bytes in &reads {
                keys.take(bytes, &mut typed);
                prop_assert!(keys.patience().is_some() || keys.pending.is_empty());
            }
        }
    }
}
