//! The arguments of `fork`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use model::choose::ModelArg;

use super::{Breaks, CHECKPOINTS, Caps, Face, OUTPUT, Price};

/// A fork of a run.
#[derive(ClapArgs, Debug, Default)]
pub struct Fork {
    /// The run's id, the beginning of it, `last`, or a file from `journal dump` (name.jsonl)
    pub run: String,
    /// The event at which the new run begins as the old one was: its number, as the screens of `replay` show it; in
    /// `journal dump` it is `seq`
    #[arg(long, value_name = "SEQ", value_parser = seq)]
    pub at: u64,
    /// Use the prompts in this folder (ROLE.md each) from there on
    #[arg(long, value_name = "DIR")]
    pub with_prompts: Option<PathBuf>,
    /// Use another model from there on: provider/model for all, or role=provider/model for one role. May be given several
    /// times
    #[arg(long = "model", value_name = "[ROLE=]PROVIDER[/MODEL]")]
    pub models: Vec<ModelArg>,
    /// The price of a model, in dollars per million tokens in and out
    #[arg(long = "price", value_name = "PROVIDER/MODEL=IN,OUT")]
    pub prices: Vec<Price>,
    /// Let this payload cross with the handoff or report at that event (JSON, as `journal dump` prints payloads); where
    /// several cross, which of them, as in 2=FILE
    #[arg(long, value_name = "[N=]FILE", group = "edited")]
    pub payload: Option<EditedPayload>,
    /// Let the payload at that event carry these findings (JSON, as `journal dump` prints them)
    #[arg(long, value_name = "FILE", group = "edited")]
    pub findings: Option<PathBuf>,
    /// Let this plan be adopted at that event, or cross with its payload (JSON, as `journal dump` prints plans)
    #[arg(long, value_name = "FILE", group = "edited")]
    pub plan: Option<PathBuf>,
    /// Write the brief to this file when it is done
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten, next_help_heading = CHECKPOINTS)]
    pub breaks: Breaks,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub face: Face,
    #[command(flatten, next_help_heading = "Caps (what is kept counts towards them)")]
    pub caps: Caps,
}

/// The number of an event: `57` or `#57`.
fn seq(text: &str) -> Result<u64, String> {
    let read = text.trim().trim_start_matches('#').parse().ok().filter(|seq| *seq > 0);
    read.ok_or_else(|| "write the number of an event, as in 57".into())
}

/// A payload that a person changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedPayload {
    /// Which of those that cross, from 1.
    pub of: Option<usize>,
    pub file: PathBuf,
}

impl std::str::FromStr for EditedPayload {
    type Err = std::convert::Infallible;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let numbered = s.split_once('=').and_then(|(n, file)| Some((n.parse().ok()?, file)));
        Ok(match numbered {
            Some((n, file)) => EditedPayload { of: Some(n), file: file.into() },
            None => EditedPayload { of: None, file: s.into() },
        })
    }
}
