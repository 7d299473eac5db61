//! The terminal view: what a person sees of a run and how they steer it.
//!
//! Reads truth and sends commands; it never decides, never reaches an adapter, never writes to the journal. A frame is
//! drawn from two values: the run, folded from its committed events, and [`ui::Ui`], what the screen itself
//! remembers. [`screens`] and [`overlays`] are a module each thing that can be shown: its state, keys, behaviour and
//! drawing. [`update::update`] is pure, `view` only draws, and [`app::App`] is the one place that touches the terminal.
//!
//! ```text
//! keys, paste, resize ──┐                          ┌──► effects: commands to the desk, copy, leave
//! signals, hang-up ─────┼──► one queue ──► update ─┤
//! notices of the desk ──┘                          └──► view ──► terminal (at most 30 frames a second, on change)
//! ```

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod app;
pub mod field;
pub mod graph;
pub mod input;
pub mod keymap;
pub mod link;
pub mod live;
pub mod mark;
pub mod measure;
pub mod overlays;
pub mod pace;
pub mod screens;
pub mod select;
pub mod terminal;
pub mod theme;
pub mod timeline;
pub mod ui;
pub mod update;
pub mod view;

pub use app::{App, End};
pub use link::{Command, Leave, Link, Mode, Notice};
pub use mark::{Mark, State};
pub use screens::home::{Choice, Home, RunLine};
pub use theme::Theme;

#[cfg(test)]
mod fixture;
