//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use model::choose::ModelArg;

use super::new_run::words;
use super::{Caps, InDoubt, MODELS, Thinking};

/// An evaluation.
#[derive(ClapArgs, Debug, Clone)]
pub struct Eval {
    /// Questions with the facts expected in their briefs (TOML)
    pub questions: PathBuf,
    /// The folder of a collection named in the questions
    #[arg(long, value_name = "NAME=DIR", required = true)]
    pub sources: Vec<String>,
    /// The length of each brief in words
    #[arg(long, default_value_t = 500, value_parser = words)]
    pub words: u32,
    /// Write each brief to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub briefs: Option<PathBuf>,
    /// Rank sentences by the weights in this file (TOML, each feature a number) instead of those built in
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_RUNS)]
    pub ranking: Option<PathBuf>,
    /// Leave this feature out when sentences are ranked, to see what it buys; may be given again
    #[arg(long, value_name = "FEATURE", conflicts_with_all = OF_RUNS)]
    pub without: Vec<String>,
    /// Write what was weighed to this file: a line for each sentence, with its features and the facts that it holds
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_RUNS)]
    pub sentences: Option<PathBuf>,
    /// The team that answers, as for `brief` [default: brief, by rule unless --model names models]
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// Have this team answer as well, to be compared with: `alone` is one agent with the model of the team's researchers, any
    /// other has the models of --model
    #[arg(long, value_name = "TEAM")]
    pub baseline: Option<String>,
    /// Have this model say which of two briefs is better, in both orders: the team's against the baseline's, or without a
    /// baseline against those of --against
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub judge: Option<ModelArg>,
    /// The rubric that the judge goes by, a text file [default: the one built in]
    #[arg(long, value_name = "FILE", requires = "judge")]
    pub rubric: Option<PathBuf>,
    /// Compare with this earlier result (--format json) of the same questions; the exit code is 1 if it is worse than is tolerated
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// By how much coverage may fall, and the share off the topic rise, over all questions
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share, requires = "against")]
    pub tolerance: f64,
    /// By what part of it the cost may rise, as in 0.2 [default: it may rise]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "against")]
    pub cost_tolerance: Option<f64>,
    /// By what part of it the time that a question takes may rise [default: it may rise]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "against")]
    pub time_tolerance: Option<f64>,
    /// Ask every question anew, also where the journal has a run of it
    #[arg(long)]
    pub fresh: bool,
    /// Use no tools of MCP servers
    #[arg(long)]
    pub no_mcp: bool,
    /// A table, JSON for --against and for programs, or a page of its own
    #[arg(long, value_enum, default_value_t = EvalFormat::Table)]
    pub format: EvalFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write the result to this file, and print the table besides
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Begin without asking, though it costs money
    #[arg(long)]
    pub yes: bool,
    /// What to do with a model call in doubt: sent, but without a recorded end [default: ask]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub in_doubt: Option<InDoubt>,
    #[command(flatten, next_help_heading = MODELS)]
    pub thinking: Thinking,
    #[command(
        flatten,
        next_help_heading = "Caps (--max-cost is for the whole evaluation, in even parts for its runs; the others are for each run)"
    )]
    pub caps: Caps,
}

/// Flags that make a run of each question; how sentences are ranked is measured without them.
const OF_RUNS: [&str; 6] = ["team", "models", "extractive", "agents", "baseline", "judge"];

/// The form of the result of an evaluation.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalFormat {
    /// Lines of text
    Table,
    /// JSON with every figure and brief
    Json,
    /// A page of its own: the table, what the judge said, the briefs folded; no script, nothing loaded
    Html,
}

/// A part of one: 0.05.
fn share(text: &str) -> Result<f64, String> {
    let read = text.trim().parse().ok().filter(|share: &f64| (0.0..=100.0).contains(share));
    read.ok_or_else(|| "write a share, as in 0.05".into())
}
