//! The look of the screens, the form of the output, and the answers without a person.

use clap::{Args as ClapArgs, ValueEnum};

/// The look of the screens.
#[derive(ClapArgs, Debug, Clone)]
pub struct Look {
    /// Colours of the screens: default, dark, light, mono, contrast (high contrast), red-green and blue-yellow (if you
    /// cannot tell these apart), or the name of a file in the themes folder
    #[arg(long, global = true, value_name = "NAME", env = "MASTHEAD_THEME")]
    pub theme: Option<String>,
    /// Nothing on the screen moves by itself: no pulse, no lit edges. NO_COLOR has the same effect
    #[arg(long, global = true, env = "MASTHEAD_NO_MOTION", value_parser = clap::builder::FalseyValueParser::new())]
    pub no_motion: bool,
    /// Leave the mouse to the terminal, so that it selects text
    #[arg(long, global = true, env = "MASTHEAD_NO_MOUSE", value_parser = clap::builder::FalseyValueParser::new())]
    pub no_mouse: bool,
    /// The terminal's background, instead of asking the terminal for it; the theme follows it if none is named
    #[arg(long, global = true, value_name = "SHADE", env = "MASTHEAD_BACKGROUND")]
    pub background: Option<Shade>,
}

/// A background.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    Light,
    Dark,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum InDoubt {
    /// Ask: on the screens, or park the run
    #[value(alias = "park")]
    Ask,
    /// Make it again; it may be paid twice
    Retry,
    /// Treat it as failed
    Skip,
}

/// The output, and what to do at checkpoints.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Face {
    /// Print one line per stage, then the brief, instead of opening the screens
    #[arg(long)]
    pub headless: bool,
    /// Print one JSON line per committed event instead
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub events: Option<EventsFormat>,
    /// Print lines that are only appended, for screen readers, and ask at checkpoints with numbered questions
    #[arg(long, conflicts_with_all = ["headless", "events"])]
    pub plain: bool,
    /// Approve all checkpoints; without it a run without screens parks there (exit code 4)
    #[arg(long)]
    pub yes: bool,
    /// What to do with a model call in doubt: sent, but without a recorded end [default: ask]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub in_doubt: Option<InDoubt>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsFormat {
    /// JSON lines
    Jsonl,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown
    Md,
    /// JSON
    Json,
    /// A page of its own: evidence folded under each citation, who worked on it, what it took; no script, nothing loaded
    Html,
    /// The sources as BibTeX
    Bibtex,
    /// The sources as CSL-JSON
    Csl,
}
