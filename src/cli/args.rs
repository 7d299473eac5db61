//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use model::choose::Wish;
use run::budget::{Cap, amount, millis};
use run::{Limits, ModelId, Money};

/// A supervised team of specialists turns a question and your documents into a cited brief, in the open.
///
/// Without a command it opens the home screen: ask a question, or pick up an earlier run.
#[derive(Parser, Debug)]
#[command(
    name = "masthead",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes:
  0    done
  1    failed
  2    usage
  3    stopped by a budget, with a partial brief
  4    parked for a person
  65   journal damaged
  74   something could not be written
  130  interrupted"
)]
pub struct Args {
    /// Where everything is written: journal, search index, logs [default: $XDG_DATA_HOME/masthead]
    #[arg(long, global = true, value_name = "DIR", env = "MASTHEAD_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    #[command(flatten)]
    pub look: Look,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How the screens look.
#[derive(ClapArgs, Debug, Clone)]
pub struct Look {
    /// Colours of the screens: default, dark, light, mono, or the name of a file in the themes folder
    #[arg(long, global = true, value_name = "NAME", env = "MASTHEAD_THEME")]
    pub theme: Option<String>,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Research a question in your documents and write a cited brief
    Brief(Brief),
    /// Ask a team that does something else with documents than a brief: by default, what is wrong with data and logs
    ///
    /// The team `inspect` reads tables (CSV, TSV), JSON lines and log files: it profiles each, looks closer in parallel, and
    /// reports what is wrong, how often and where, each finding with the line it stands in. Without a model it works by
    /// rule. --team names another: a folder teams/NAME in your configuration folder
    Ask(Brief),
    /// List runs, the latest first
    Runs {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Pick a run up where it was
    Resume {
        /// The run's id, the beginning of it, or `last`
        run: String,
        #[command(flatten)]
        raise: Raise,
        #[command(flatten)]
        face: Face,
    },
    /// Look at a run from its journal; does no work
    Replay {
        /// The run's id, the beginning of it, or `last`
        run: String,
    },
    /// See how a supervised team fails, and what catches it: scripted specialists, real guards, no cost
    ///
    /// Without a name: which drills there are, with a sentence each. A drill is a run like any other: it stands among the
    /// runs, and `replay` shows it again. Without screens its findings are approved by themselves. The exit code is 0 if
    /// the failure was caught and 1 if it was not. The caps are those of teams/drill/team.toml in your configuration
    /// folder, if there is one: widen one and see
    Drill {
        /// infinite-delegation, lost-handoff, runaway-specialist, loop-of-two or loop-of-three
        name: Option<String>,
        #[command(flatten)]
        face: Face,
    },
    /// Write a run's brief with all its evidence
    Export {
        /// The run's id, the beginning of it, or `last`
        run: String,
        /// Markdown, or JSON with every finding, quote and place
        #[arg(long, value_enum, default_value_t = Format::Md)]
        format: Format,
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Measure briefs against questions with expected facts
    Eval {
        /// Questions with the facts a reader would expect (TOML)
        questions: PathBuf,
        /// Where the documents of a name in the questions are
        #[arg(long, value_name = "NAME=DIR", required = true)]
        sources: Vec<String>,
        /// About how many words each brief is to have
        #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(50..=5000))]
        words: u32,
        /// Write each brief to a file in this folder
        #[arg(long, value_name = "DIR")]
        briefs: Option<PathBuf>,
    },
    /// Say which keys and model servers are here, who would think with which model, and what is missing
    Doctor {
        #[command(flatten)]
        thinking: Thinking,
        /// Ask each provider one tiny question, after saying what that costs at the most
        #[arg(long)]
        test: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say where the notes are that runs keep for later ones, and what is in them
    Memory,
    /// Look after the journal
    Journal {
        #[command(subcommand)]
        command: JournalCommand,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Read one PDF file in a process with limits; used by masthead itself
    #[cfg(feature = "pdf")]
    #[command(hide = true)]
    ReadPdf {
        /// The file
        file: PathBuf,
    },
}

/// A new run.
#[derive(ClapArgs, Debug)]
pub struct Brief {
    /// What you want to know
    #[arg(required_unless_present = "answers_from")]
    pub question: Option<String>,
    /// A folder or file to search; may be given several times
    #[arg(long, value_name = "PATH")]
    pub sources: Vec<PathBuf>,
    /// Search the web as well: wikipedia (or wikipedia:de, ...), searxng, brave, tavily, exa, arxiv, crossref,
    /// openalex. Off unless asked for: the words of your question and of its sub-questions go to these services, and
    /// the pages that they name are fetched from their sites. Keys come from BRAVE_API_KEY, TAVILY_API_KEY,
    /// EXA_API_KEY, OPENALEX_API_KEY; the address of your SearXNG from SEARXNG_URL
    #[arg(long, value_name = "BACKEND[,...]", value_delimiter = ',')]
    pub web: Vec<String>,
    /// About how many words the brief is to have: 500 if you do not say, or 100 for each of many questions
    #[arg(long, value_parser = clap::value_parser!(u32).range(50..=5000))]
    pub words: Option<u32>,
    /// Most tool calls (searches, reads) of the run
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tool_calls: Option<u64>,
    /// Most tokens of text the run may take in, as in 60000 or 200k
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tokens: Option<u64>,
    /// Most time the run may work, as in 90s or 5m; waiting for you does not count
    #[arg(long, value_name = "TIME", value_parser = millis)]
    pub max_time: Option<u64>,
    /// Most money the run may cost, in dollars, as in 0.50 [default where models cost anything: 1.00]
    #[arg(long, value_name = "DOLLARS")]
    pub max_cost: Option<Money>,
    /// Give the recorded answers of this run again instead of asking models and tools: the same question, sources and
    /// team, at no cost and without a network. RUN is a run's id, the beginning of it, `last`, or a file that `journal
    /// dump` wrote (name.jsonl). Where a request differs from the recorded one, the run says how and stops
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["question", "sources", "web", "words", "team", "lead", "models", "extractive", "prices", "no_memory"]
    )]
    pub answers_from: Option<String>,
    /// Which team does the work: a folder teams/NAME in your configuration folder, or one that is built in (brief,
    /// inspect) [default: brief; of `ask`: inspect]
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// Who leads: the rules of the team's order, or the model of the supervisor, which hands work out as it sees fit, within
    /// the same caps, checkpoints and gates [default: pipeline, unless the team or --model supervisor=... says otherwise]
    #[arg(long, value_name = "WHO", value_enum)]
    pub lead: Option<LeadBy>,
    /// Stop after planning, for you to look at the plan and change it before anybody works on it
    #[arg(long)]
    pub check_plan: bool,
    /// Neither look into the notes of earlier runs nor add to them
    #[arg(long)]
    pub no_memory: bool,
    /// Write the brief to this file when it is done
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub thinking: Thinking,
    #[command(flatten)]
    pub face: Face,
}

/// Who leads a run.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadBy {
    /// The rules of the team's order
    Pipeline,
    /// The model of the supervisor
    Model,
}

/// Caps of an earlier run that are raised as it is picked up.
#[derive(ClapArgs, Debug, Clone, Copy, Default)]
pub struct Raise {
    /// Raise the cap on money to this, in dollars, as in 2.00. Like the other caps it is only ever raised, and only
    /// where the run needs you
    #[arg(long, value_name = "DOLLARS")]
    pub max_cost: Option<Money>,
    /// Raise the cap on tokens to this, as in 60000 or 200k
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tokens: Option<u64>,
    /// Raise the cap on tool calls to this
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tool_calls: Option<u64>,
    /// Raise the cap on time to this, as in 90s or 5m
    #[arg(long, value_name = "TIME", value_parser = millis)]
    pub max_time: Option<u64>,
}

impl Raise {
    /// The caps that were named.
    pub fn caps(&self) -> Limits {
        Limits::default()
            .with(Cap::Money, self.max_cost.map(|money| money.0))
            .with(Cap::Tokens, self.max_tokens)
            .with(Cap::ToolCalls, self.max_tool_calls)
            .with(Cap::Time, self.max_time)
    }
}

/// Who thinks with which model. Without a wish here or in config.toml: with those that the environment has a key or an
/// address for, and by rule if there are none.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Thinking {
    /// Think with a model: provider/model, a provider alone for what is usual with it, or for one role
    /// role=provider/model; `none` in place of a model: by rule. Behind commas: who stands in when that one fails.
    /// May be given several times
    #[arg(long = "model", value_name = "[ROLE=]PROVIDER[/MODEL]")]
    pub models: Vec<Wish>,
    /// Think without models, whatever config.toml says: by rules over the words of the documents
    #[arg(long, conflicts_with = "models")]
    pub extractive: bool,
    /// What a model costs, in dollars per million tokens in and out
    #[arg(long = "price", value_name = "PROVIDER/MODEL=IN,OUT")]
    pub prices: Vec<Price>,
}

/// What a model costs, as the person says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// Which.
    pub model: ModelId,
    /// For a million tokens of input.
    pub input: Money,
    /// For a million tokens of output.
    pub output: Money,
}

impl std::str::FromStr for Price {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let form = "write provider/model=IN,OUT in dollars per million tokens, as in mine/large=0.50,2";
        let (model, price) = s.rsplit_once('=').ok_or(form)?;
        let (input, output) = price.split_once(',').ok_or(form)?;
        Ok(Price { model: model.parse()?, input: input.parse()?, output: output.parse()? })
    }
}

/// What becomes of a call in doubt.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum InDoubt {
    /// Wait for you: on the screens, or parked
    #[value(alias = "park")]
    Ask,
    /// Make it again; it may be paid twice
    Retry,
    /// Count it as failed
    Skip,
}

/// Which face, and what to do where a person is asked.
#[derive(ClapArgs, Debug, Clone)]
pub struct Face {
    /// Print a line a stage, then the brief, instead of opening the screens
    #[arg(long)]
    pub headless: bool,
    /// Print one JSON line for each committed event instead
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub events: Option<EventsFormat>,
    /// Approve checkpoints; without it a run without screens parks there (exit code 4)
    #[arg(long)]
    pub yes: bool,
    /// What becomes of a model call that was sent and whose end nobody saw [default: ask]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub in_doubt: Option<InDoubt>,
}

/// How events are printed.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsFormat {
    /// JSON lines
    Jsonl,
}

/// How a brief is exported.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown
    Md,
    /// JSON
    Json,
}

/// Looking after the journal.
#[derive(Subcommand, Debug)]
pub enum JournalCommand {
    /// Look for damage: exit code 0 if there is none, 65 if there is
    Verify,
    /// Print events, one JSON line each
    Dump {
        /// Only this run's; all runs' otherwise
        run: Option<String>,
        /// JSON lines; the only form there is
        #[arg(long)]
        json: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_price_is_read_as_people_write_it() {
        let price: Price = "groq/openai/gpt-oss-20b=0.075,0.3".parse().unwrap();
        assert_eq!(price.model.to_string(), "groq/openai/gpt-oss-20b");
        assert_eq!((price.input, price.output), (Money::micros(75_000), Money::micros(300_000)));
        for wrong in ["", "a/b", "a/b=1", "a=1,2", "a/b=1,x", "a/b=-1,2"] {
            assert!(wrong.parse::<Price>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_and_their_absence_are_not_asked_for_together() {
        let parsed = |more: &[&str]| Args::try_parse_from([&["masthead", "brief", "q"], more].concat());
        assert!(parsed(&["--model", "anthropic", "--model", "writer=openai/gpt-6-sol", "--max-cost", "0.5"]).is_ok());
        assert!(parsed(&["--model", "anthropic", "--extractive"]).is_err());
        assert!(parsed(&["--model", "writer="]).is_err());
        assert!(parsed(&["--max-cost", "much"]).is_err());
        assert!(parsed(&["--in-doubt", "park"]).is_ok());
    }

    #[test]
    fn recorded_answers_answer_the_recorded_question_and_no_other() {
        let parsed = |more: &[&str]| Args::try_parse_from([&["masthead", "brief"], more].concat());
        assert!(parsed(&["--answers-from", "last"]).is_ok());
        assert!(parsed(&[]).is_err(), "a question is needed");
        for more in [
            &["why?"][..],
            &["--sources", "."],
            &["--words", "90"],
            &["--model", "openai"],
            &["--extractive"],
            &["--team", "inspect"],
            &["--lead", "model"],
        ] {
            assert!(parsed(&[&["--answers-from", "last"], more].concat()).is_err(), "{more:?}");
        }
    }
}
