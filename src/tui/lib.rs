//! The terminal view: shows runs and sends the person's commands.
//!
//! It decides nothing, reaches no adapter and does not write to the journal. A frame is drawn from two values: the run,
//! folded from its committed events, and [`Ui`], the state of the screen. `screens` and `overlays` have a module for each
//! thing that can be shown: its state, keys, behaviour and drawing. `update` is pure, `view` only draws, and [`App`] alone
//! touches the terminal.
//!
//! ```text
//! keys, paste, resize ──┐                          ┌──► effects: commands to the desk, copy, leave
//! signals, hang-up ─────┼──► one queue ──► update ─┤
//! notices of the desk ──┘                          └──► view ──► terminal (at most 30 frames a second, on change)
//! ```

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod app;
mod field;
mod graph;
mod input;
mod inspect;
mod keymap;
mod keys;
mod link;
mod live;
mod mark;
mod measure;
mod outside;
mod overlays;
mod pace;
mod places;
mod prelude;
mod save;
mod screens;
mod select;
mod speed;
mod spot;
mod stall;
mod still;
pub mod terminal;
mod theme;
mod ui;
mod update;
mod view;

pub use app::{App, End};
pub use input::heed_stop_requests;
pub use keymap::own::Keymap;
pub use link::{Command, Leave, Link, Mode, Notice, Opens, ReadRun};
pub use mark::{Mark, State};
pub use measure::{cut, width, wrap};
pub use save::save;
pub use screens::home::{Aid, Ask, Choice, Home, RunLine, Settings, Stays, Told};
pub use screens::page_keys;
pub use screens::reading::{Piece, Read, Reading, compared};
pub use screens::traces::{Listing, TraceChoice, TraceLine};
pub use still::{still, still_page};
pub use theme::Theme;
pub use ui::Ui;
pub use view::{Cache, Scene, draw};

#[cfg(test)]
mod fixture;
