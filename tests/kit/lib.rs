//! The building blocks of tests: openings, plans, findings and steps; a roster of closures; a run folded by hand; a desk with
//! paused time; waits; documents, the binary, and on loopback a web server, a model server and a database.
//!
//! Names are few and short, so that a test only states its subject. All other values have a default here.

mod desk;
mod findings;
pub mod model_server;
mod openings;
pub mod otlp;
mod plans;
mod postgres;
mod program;
mod roster;
pub mod server;
mod steps;
mod story;
mod time;
pub mod tool_server;

pub use self::desk::{Folder, PausedClock, example, play, play_on, play_until_stop, questions};
pub use findings::{finding, handoff, source};
pub use model_server::ModelServer;
pub use openings::{assigned_model, corpus, opening, run_id};
pub use plans::{plan, task, waiting_for};
pub use postgres::{PASSWORD, Postgres};
pub use program::{TimeLimit, kill_after, program, run};
pub use roster::{Scene, Script, pipeline, section};
pub use steps::{ask, found, hand_off, report, research, search, use_tools};
pub use story::{Story, opened};
pub use time::{PATIENCE, Spent, until};
pub use tool_server::ToolServer;
