//! The arguments of `open`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use run::foreign::Format;

/// Runs of other programs.
#[derive(ClapArgs, Debug, Clone)]
pub struct Open {
    /// Files or folders; - for standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// List the sessions of Claude Code and Codex on this machine, the latest first
    #[arg(long, conflicts_with_all = ["paths", "follow", "keep"])]
    pub list: bool,
    /// Of several runs, open the one with an id that begins like this
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// The form of the files, where their content is not to tell
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<Format>,
    /// Go on reading as the files grow
    #[arg(long, conflicts_with = "json")]
    pub follow: bool,
    /// Write the run into the journal, with all that was said in it
    #[arg(long, conflicts_with = "follow")]
    pub keep: bool,
    /// Take traces by OTLP over HTTP as teams work, and show them; only a loopback address, 127.0.0.1:4318 if none is given
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:4318",
        conflicts_with_all = ["paths", "list", "run", "format", "follow"]
    )]
    pub listen: Option<listener::Address>,
    /// Print lines instead of opening the screens
    #[arg(long)]
    pub headless: bool,
    /// Print what came out as JSON: assignments, calls, tools, handoffs, tokens
    #[arg(long)]
    pub json: bool,
}

/// The forms of files of other programs, by their names.
fn formats() -> impl TypedValueParser<Value = Format> {
    let told = |form: &Format| PossibleValue::new(form.name()).help(form.in_words());
    let named = |name: String| Format::ALL.iter().copied().find(|form| form.name() == name);
    PossibleValuesParser::new(Format::ALL.iter().map(told)).try_map(move |name| named(name).ok_or("no such form"))
}
