//! Replaces symbols and lines by ASCII, for terminals that show nothing else.

use crate::prelude::*;

/// The ASCII text for each symbol. Other text stays as it is.
const PLAIN: &[(&str, &str)] = &[
    ("─╌┄╴╶–−•·", "-"),
    ("│┃▕▏╵╷", "|"),
    ("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
    ("○", "o"),
    ("●", "*"),
    ("◌", "@"),
    ("↺", "r"),
    ("◆◉█", "#"),
    ("✓▾↓", "v"),
    ("◐", "%"),
    ("✗", "x"),
    ("⊘", "/"),
    ("‖▓", "="),
    ("▒", "?"),
    ("░", "."),
    ("╍", ":"),
    ("▸→›▶", ">"),
    ("▴↑", "^"),
    ("…", "~"),
    ("≠", "!"),
    ("✎", "&"),
    ("←◂", "<"),
    ("▌", "_"),
];

pub fn render(buf: &mut Buffer, area: Rect) {
    for position in area.positions() {
        let cell = &mut buf[position];
        if cell.symbol().is_ascii() {
            continue;
        }
        if let Some((_, plain)) = PLAIN.iter().find(|(signs, _)| signs.contains(cell.symbol())) {
            cell.set_symbol(plain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::Mark;

    #[test]
    fn no_sign_becomes_a_letter_of_the_text_beside_it_but_those_of_states() {
        let states: Vec<&str> = Mark::STATES.iter().map(|mark| mark.symbol()).collect();
        for (signs, plain) in PLAIN {
            let is_state = states.iter().any(|state| signs.contains(state));
            assert!(is_state || !plain.chars().any(char::is_alphabetic), "{signs} {plain}");
        }
    }

    #[test]
    fn no_two_states_share_a_sign() {
        let mut seen = std::collections::BTreeSet::new();
        for mark in Mark::STATES {
            let (_, plain) = PLAIN.iter().find(|(signs, _)| signs.contains(mark.symbol())).unwrap();
            assert!(seen.insert(plain), "{mark:?}");
        }
    }
}
