//! The arguments of a new run.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::{Breaks, CAPS, CHECKPOINTS, Caps, Face, MODELS, OUTPUT, Thinking};

/// A new run.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Brief {
    /// What you want to know
    #[arg(required_unless_present = "answers_from")]
    pub question: Option<String>,
    /// A folder or file to search; may be given several times
    #[arg(long, value_name = "PATH")]
    pub sources: Vec<PathBuf>,
    /// Search the web as well: wikipedia (or wikipedia:de, ...), searxng, brave, tavily, exa, arxiv, crossref,
    /// openalex. Off by default: the words of your question and of its sub-questions are sent to these services, and
    /// the pages they find are fetched. Keys come from BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, OPENALEX_API_KEY;
    /// the address of your SearXNG from SEARXNG_URL
    #[arg(long, value_name = "BACKEND[,...]", value_delimiter = ',')]
    pub web: Vec<String>,
    /// The length of the brief in words [default: 500, or 100 for each question of a list if that is more]
    #[arg(long, value_parser = words)]
    pub words: Option<u32>,
    /// Replay the recorded answers of this run instead of calling models and tools: the same question, sources and
    /// team, at no cost and without a network. RUN is a run's id, the beginning of it, `last`, or a file from `journal
    /// dump` (name.jsonl). If a request differs from the recorded one, the run says how and stops
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["question", "sources", "web", "words", "team", "lead", "models", "extractive", "prices", "agents", "no_memory"]
    )]
    pub answers_from: Option<String>,
    /// Try the prompts in this folder (ROLE.md each) against the record: equal requests are free, the first one that differs
    /// is asked, with its price said before. It is a fork of that run at its first event
    #[arg(long, value_name = "DIR", requires = "answers_from")]
    pub with_prompts: Option<PathBuf>,
    /// Have one agent answer first, in one context, with the same documents, tools and model; then the team; then both are
    /// compared. It shows what both may cost before, and works without screens: checkpoints are approved by --yes
    #[arg(long, conflicts_with_all = ["answers_from", "plain", "events", "extractive"])]
    pub compare: bool,
    /// The team: a folder teams/NAME in your configuration folder, or a built-in one (brief, inspect, or alone: one agent
    /// that does all) [default: brief; for `ask`: inspect]
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// What leads the run: the rules of the team's order, or the supervisor's model, which delegates as it sees fit
    /// within the same caps, checkpoints and gates [default: pipeline, unless the team or --model supervisor=... says
    /// otherwise]
    #[arg(long, value_name = "WHO", value_enum)]
    pub lead: Option<LeadBy>,
    /// Neither read nor write the notes across runs
    #[arg(long)]
    pub no_memory: bool,
    /// Use no tools of MCP servers
    #[arg(long)]
    pub no_mcp: bool,
    /// Write the brief to this file when it is done
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten, next_help_heading = CAPS)]
    pub caps: Caps,
    /// Stop after planning, so that you can check and change the plan before research starts
    #[arg(long, help_heading = CHECKPOINTS)]
    pub check_plan: bool,
    /// Stop before the draft goes out, so that you can read and change it, or send it back with remarks
    #[arg(long, help_heading = CHECKPOINTS)]
    pub check_draft: bool,
    #[command(flatten, next_help_heading = CHECKPOINTS)]
    pub breaks: Breaks,
    #[command(flatten, next_help_heading = MODELS)]
    pub thinking: Thinking,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub face: Face,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadBy {
    /// The rules of the team's order
    Pipeline,
    /// The supervisor's model
    Model,
}

/// The length of a brief in words.
pub(super) fn words(text: &str) -> Result<u32, String> {
    let read = text.trim().parse().ok().filter(|words| (50..=5_000).contains(words));
    read.ok_or_else(|| "write a number of words from 50 to 5000, as in 800".into())
}
