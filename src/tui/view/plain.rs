//! The screen in ASCII, for terminals that cannot show more. States keep a sign and a word of their own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What stands for what. Everything else that is not ASCII, a person's own text, stays as it is.
const PLAIN: &[(&str, &str)] = &[
    ("─╌┄", "-"),
    ("│┃▕▏╵╷", "|"),
    ("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
    ("╴╶", "-"),
    ("○", "o"),
    ("●", "*"),
    ("◆", "#"),
    ("✓", "v"),
    ("◐", "%"),
    ("✗", "x"),
    ("⊘", "/"),
    ("‖", "="),
    ("█", "#"),
    ("▓", "="),
    ("▒", "?"),
    ("░", "."),
    ("▸→›", ">"),
    ("▴", "^"),
    ("▾", "v"),
    ("•·", "-"),
    ("…", "~"),
    ("≠", "!"),
    ("✎", "e"),
    ("–−", "-"),
    ("↑", "^"),
    ("↓", "v"),
    ("←", "<"),
    ("▌", "_"),
];

/// Puts ASCII in the place of signs.
pub fn render(buf: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let cell = &mut buf[(x, y)];
            if cell.symbol().is_ascii() {
                continue;
            }
            if let Some((_, plain)) = PLAIN.iter().find(|(signs, _)| signs.contains(cell.symbol())) {
                cell.set_symbol(plain);
            }
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
        for mark in Mark::ALL {
            let (_, plain) = PLAIN.iter().find(|(signs, _)| signs.contains(mark.symbol())).unwrap();
            assert!(seen.insert(plain), "{mark:?}");
        }
    }
}
