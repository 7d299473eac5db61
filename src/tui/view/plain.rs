//! Replaces symbols and lines by ASCII, for terminals that show nothing else.

use crate::prelude::*;

/// What ASCII stands for which symbols. Other text stays as it is.
const PLAIN: &[(&str, &str)] = &[
    ("─╌┄╴╶–−•·", "-"),
    ("│┃▕▏╵╷", "|"),
    ("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
    ("○", "o"),
    ("●", "*"),
    ("◌", "@"),
    ("↺", "r"),
    ("◆█", "#"),
    ("✓▾↓", "v"),
    ("◐", "%"),
    ("✗", "x"),
    ("⊘", "/"),
    ("‖▓", "="),
    ("▒", "?"),
    ("░", "."),
    ("▸→›▶", ">"),
    ("▴↑", "^"),
    ("…", "~"),
    ("≠", "!"),
    ("✎", "e"),
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
    fn no_two_states_share_a_sign() {
        let mut seen = std::collections::BTreeSet::new();
        for mark in Mark::STATES {
            let (_, plain) = PLAIN.iter().find(|(signs, _)| signs.contains(mark.symbol())).unwrap();
            assert!(seen.insert(plain), "{mark:?}");
        }
    }
}
