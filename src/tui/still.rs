//! A frame of a run as a person would see it after some keys, or of a page to read, made without a terminal: for pictures of the
//! screens.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent};
use run::Envelope;

use crate::prelude::*;
use crate::screens::reading::{self, Reading, ReadingUi};
use crate::update::{Msg, update};
use crate::view::draw;

/// The screen of a run that has just come to the last of these events, after these keys; Enter is a line feed, Esc `\u{1b}`.
///
/// Keys do not send, copy or leave anything.
pub fn still(events: &[Arc<Envelope>], keys: &str, area: Rect, theme: &Theme) -> Buffer {
    let run = Run::fold(events.iter().map(|envelope| &**envelope));
    let mut ui = Ui::new(Mode::Live, run.at);
    update(&mut ui, &run, Msg::Folded(Moment::Latest));
    let mut cache = Cache::default();
    let mut frame = |ui: &mut Ui| {
        let mut buf = Buffer::empty(area);
        let seen = draw(&mut buf, area, Scene { ui, run: &run, events, theme }, &mut cache);
        cache.sweep();
        ui.drawn(seen);
        ui.shown(Duration::ZERO);
        buf
    };
    let mut buf = frame(&mut ui);
    for (n, key) in keys.chars().enumerate() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\u{1b}' => KeyCode::Esc,
            letter => KeyCode::Char(letter),
        };
        // A second apart: no key is taken for the rest of another.
        let at = Duration::from_secs(n as u64 + 1);
        update(&mut ui, &run, Msg::Key(KeyEvent::from(code), at));
        buf = frame(&mut ui);
    }
    buf
}

/// The screen of a page to read, as it is when it has just come.
pub fn still_page(page: Reading, area: Rect, theme: &Theme) -> Buffer {
    let mut buf = Buffer::empty(area);
    reading::draw(&mut buf, area, &ReadingUi::new(page), theme);
    buf
}
