//! Text that would drive a terminal, and text that is hard to lay out, in every field of every screen at every size.

use serde::Deserialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::screens::home::{Settings, Stays, Told};
use crate::screens::reading::{self, Piece, Reading, ReadingUi};
use crate::still::still;

/// Escape sequences, C1 controls, tag characters, bidirectional and zero-width ones.
const DRIVES: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}31m\u{90}q\u{202e}\u{2066}\u{200b}\u{e0041}\u{e0001}\r";
/// Wide, combining, right-to-left and joined characters.
const ODD: &str = "日本語の本 e\u{301}\u{302}\u{323} שלום مرحبا 👩\u{200d}👩\u{200d}👧 ｆｕｌｌ ก็ \u{1100}\u{1161}";

const SIZES: [(u16, u16); 9] = [(1, 1), (2, 60), (300, 2), (9, 5), (39, 12), (40, 10), (81, 24), (161, 45), (500, 200)];

/// Every piece of text that is not a name of the program's own, made hostile: equal ones alike, so that references still work.
fn hostile(events: &[Arc<Envelope>]) -> Vec<Arc<Envelope>> {
    let changed = |envelope: &Arc<Envelope>| {
        let mut value = serde_json::to_value(&envelope.event).unwrap();
        let mut paths = Vec::new();
        leaves(&value, &mut String::new(), &mut paths);
        change(&mut value, &paths);
        let event = serde_json::from_value(value).unwrap();
        Arc::new(Envelope { event, ..(**envelope).clone() })
    };
    events.iter().map(changed).collect()
}

/// Changes the texts at these paths, as many as an event takes: an id, a digest or a tag takes no other text.
fn change(value: &mut Value, paths: &[String]) {
    let mut changed = value.clone();
    for path in paths {
        let place = changed.pointer_mut(path).unwrap();
        *place = Value::String(format!("{ODD}{}{DRIVES} {ODD}", place.as_str().unwrap()));
    }
    if Event::deserialize(&changed).is_ok() {
        *value = changed;
    } else if paths.len() > 1 {
        let (former, latter) = paths.split_at(paths.len() / 2);
        change(value, former);
        change(value, latter);
    }
}

fn leaves(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let is_name = |said: &str| said.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c));
    let before = path.len();
    match value {
        Value::String(said) if !is_name(said) => found.push(path.clone()),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, one)| {
            path.push_str(&format!("/{n}"));
            leaves(one, path, found);
            path.truncate(before);
        }),
        Value::Object(all) => all.iter().for_each(|(key, one)| {
            path.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
            leaves(one, path, found);
            path.truncate(before);
        }),
        _ => {}
    }
}

/// Nothing in the buffer drives a terminal, and every symbol has the cells that it takes.
fn assert_harmless(buf: &Buffer, which: &str) {
    for y in 0..buf.area.height {
        for x in 0..buf.area.width {
            let symbol = buf[(x, y)].symbol();
            assert!(!symbol.chars().any(|c| is_forbidden(c) || c == '\n'), "{which}: {symbol:?} at {x},{y}");
            if symbol.width() > 1 {
                assert_eq!(symbol.width(), 2, "{which}: {symbol:?} at {x},{y}");
                assert!(x + 1 < buf.area.width, "{which}: {symbol:?} at {x},{y} leaves the screen");
                let next = buf[(x + 1, y)].symbol();
                assert_eq!(next, " ", "{which}: {symbol:?} at {x},{y} is drawn over");
            }
            assert!(symbol.is_empty() || symbol.width() > 0, "{which}: {symbol:?} at {x},{y} has no cell");
        }
    }
}

#[test]
fn text_that_drives_a_terminal_or_is_hard_to_lay_out_does_neither_on_any_screen_of_a_run_at_any_size() {
    const MORE: [(&str, &str, &str); 8] = [
        ("help", "checkpoint", "?"),
        ("passage", "corrected", "\t"),
        ("handoff", "done", "1i\n"),
        ("raw", "done", "1i\nt"),
        ("call", "models", "z\u{1b}kk\n"),
        ("refused", "refused", ""),
        ("memory", "memory", ""),
        ("evidence", "done", "3n\n\n"),
    ];
    let kinds: Vec<_> =
        fixture::every_kind().into_iter().map(|(kind, events)| (kind, events.len(), hostile(&events))).collect();
    for (kind, _, events) in &kinds {
        let run = Run::fold(events.iter().map(|envelope| &**envelope));
        assert_eq!(run.misfits, 0, "{kind}: what is hostile still fits");
        let question = &run.opening.as_ref().unwrap().question;
        assert!(question.contains("日本語") && question.contains("שלום"), "{kind}: {question}");
    }
    for (name, kind, keys) in SHOWN.into_iter().chain(MORE) {
        let (_, _, events) = kinds.iter().find(|(known, ..)| *known == kind).unwrap();
        for (width, height) in SIZES {
            let buf = still(events, keys, Rect::new(0, 0, width, height), &theme());
            assert_harmless(&buf, &format!("{name} {width} × {height}"));
        }
    }
}

#[test]
fn nor_does_it_at_home_or_on_a_page_to_read() {
    let says = format!("{ODD}{DRIVES} {ODD}");
    let clean = || Clean::new(&says);
    let line = RunLine {
        id: "7f3k".parse().unwrap(),
        state: crate::mark::State { mark: crate::mark::Mark::Done, word: clean() },
        question: clean(),
        tags: clean(),
        age: clean(),
        cost: clean(),
        alarm: clean(),
        is_active: true,
    };
    let settings = Settings { team: clean(), by_model: None, cap: says.clone() };
    let stays = Stays { settings, filter: "日本語".into(), ..Stays::default() };
    let mut ui = HomeUi::new(Home {
        runs: vec![line.clone(), line],
        sources: vec![says.clone(), says.clone()],
        question: says.clone(),
        teams: vec![clean()],
        stays,
        models: Some(clean()),
        message: Some(clean()),
        ..Home::default()
    });
    let settings = ui.settings.clone();
    let sources = ui.sources();
    ui.told(Told::Offered { settings, says: clean() });
    ui.told(Told::Counted { sources, says: Ok(clean()) });
    let piece = || [Piece::Title(clean()), Piece::Text(clean())];
    let page = Reading {
        title: clean(),
        columns: Some((clean(), clean())),
        pieces: piece().into_iter().collect(),
        asks: true,
    };
    let page = ReadingUi::new(page);
    for (width, height) in SIZES {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        home::draw(&mut buf, area, &ui, &theme());
        assert_harmless(&buf, &format!("home {width} × {height}"));
        let mut buf = Buffer::empty(area);
        reading::draw(&mut buf, area, &page, &theme());
        assert_harmless(&buf, &format!("a page {width} × {height}"));
    }
}
