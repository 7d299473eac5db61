//! The keys of the home screen, by the part in front.

use crossterm::event::KeyCode;

use crate::keymap::{F1, Key};
use crate::prelude::*;
use crate::screens::everywhere;

pub static KEYS: Keys = Keys {
    title: "home",
    groups: &[&[
        row(&[ENTER], Action::Start, Some("start"), "start, or open what is selected"),
        row(
            &[TAB],
            Action::NextBox,
            Some("next box"),
            "next box; among the sources it first completes a path and counts",
        ),
        row(&[BACK_TAB], Action::Previous, None, "box before"),
        row(
            &[Key::Plain(KeyCode::F(2))],
            Action::Example,
            None,
            "ask an example question of the documents that come along",
        ),
        row(
            &[Key::Plain(KeyCode::F(3))],
            Action::Drills,
            None,
            "to the drills: watch a team fail, and what catches it",
        ),
        row(&[ESC], Action::Quit, Some("quit"), "leave; a question that was not asked is kept"),
        row(&[F1], Action::Help, Some("help"), "this help"),
    ]],
};

pub static WRITING_KEYS: Keys = Keys {
    title: "the question",
    groups: &[&[
        row(&[UP], Action::Up, None, "in the first line: the question asked before"),
        row(&[DOWN], Action::Down, None, "in the last line: the question asked after, then your own"),
    ]],
};

pub static SETTING_KEYS: Keys = Keys {
    title: "team, lead and cap",
    groups: &[&[
        row(&[LEFT], Action::Earlier, Some("before"), "the setting before"),
        row(&[RIGHT], Action::Later, Some("next"), "the next setting"),
        row(&[c(' '), UP, DOWN], Action::Toggle, Some("change"), "another team or lead; a cap is typed"),
    ]],
};

/// While the words that runs are to contain are typed.
pub static FILTER_KEYS: Keys = Keys {
    title: "words in runs",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("keep"), "keep these words, and go through the runs that have them"),
        row(&[ESC], Action::Back, Some("all runs"), "show all runs again"),
        row(&[F1], Action::Help, Some("help"), "this help"),
    ]],
};

pub static RUN_KEYS: Keys = Keys {
    title: "earlier runs",
    groups: &[&[
        row(&[c('j'), DOWN], Action::Down, None, "next run"),
        row(&[c('k'), UP], Action::Up, None, "run before"),
        row(&[c('g')], Action::Top, None, "first run"),
        row(&[c('G')], Action::End, None, "last run"),
        row(
            &[c('c')],
            Action::Compare,
            Some("compare"),
            "compare this run with another: c on the one, then c on the other",
        ),
        row(
            &[c('/')],
            Action::Filter,
            Some("find"),
            "show only runs with these words in question, findings, brief or tags",
        ),
        row(&[c('r')], Action::Replay, Some("replay"), "replay the run: nothing of it changes"),
        row(&[c('f')], Action::Fork, Some("fork"), "a new run that begins as this one was at a moment that you choose"),
        row(&[c('e')], Action::Export, Some("export"), "write its brief to a file in this folder"),
        row(&[c('d')], Action::Delete, Some("delete"), "delete the run once you leave this page"),
        row(&[c('u')], Action::Undo, None, "take the last deletion back"),
        row(&[c('?')], Action::Help, None, "the help of this page"),
        row(&[c(':')], Action::Command, None, "find what a key does here, and do it"),
        row(&[c('q')], Action::Quit, None, "leave"),
    ]],
};

/// The tables in which keys are looked up: among the runs, in the question, the settings, the sources, the words in runs.
pub static TOGETHER: [&[&Keys]; 5] = [
    &[&RUN_KEYS, &KEYS, &everywhere::KEYS],
    &[&KEYS, &WRITING_KEYS, &everywhere::KEYS],
    &[&SETTING_KEYS, &KEYS, &everywhere::KEYS],
    &[&KEYS, &everywhere::KEYS],
    &[&FILTER_KEYS, &everywhere::KEYS],
];
