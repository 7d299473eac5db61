//! The command line: arguments, options and their help texts.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use journal::Tag;
use model::choose::ModelArg;
use run::budget::{Cap, amount, millis};
use run::checkpoint::question::AfterFailure;
use run::{Condition, Limits, ModelId, Money};

/// A supervised team of specialists turns a question and your documents into a cited brief, in the open.
///
/// Without a command it opens the home screen: ask a question, or resume an earlier run.
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
    /// The place of the runs: a file, or with PostgreSQL built in a database that several machines use,
    /// postgres://USER@HOST/DATABASE [default: journal.db in the data directory]
    #[arg(long, global = true, value_name = "FILE|URL", env = "MASTHEAD_JOURNAL", hide_env_values = true)]
    pub journal: Option<String>,
    #[command(flatten)]
    pub look: Look,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Runs of other programs.
#[derive(ClapArgs, Debug, Clone)]
pub struct Open {
    /// Files or folders; - for standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// List the sessions of Claude Code on this machine, the latest first
    #[arg(long, conflicts_with_all = ["paths", "follow", "keep"])]
    pub list: bool,
    /// Of several runs, open the one whose id begins like this
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// The form of the files, where their content is not to tell
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<Foreign>,
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
    /// Print what came out as JSON: assignments, calls, tools, handoffs, tokens
    #[arg(long)]
    pub json: bool,
}

/// Forms of files of other programs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Sessions of Claude Code with their sub-agents
    ClaudeCode,
    /// OpenTelemetry traces as OTLP JSON
    Otlp,
    /// Runs of LangSmith, as LangGraph writes them
    Langsmith,
    /// Traces of the OpenAI Agents SDK
    OpenaiAgents,
    /// Traces of Langfuse with their observations
    Langfuse,
    /// Rollouts of Codex with its sub-agents
    Codex,
}

impl From<Foreign> for run::foreign::Format {
    fn from(form: Foreign) -> run::foreign::Format {
        match form {
            Foreign::ClaudeCode => run::foreign::Format::ClaudeCode,
            Foreign::Otlp => run::foreign::Format::Otlp,
            Foreign::Langsmith => run::foreign::Format::Langsmith,
            Foreign::OpenaiAgents => run::foreign::Format::OpenaiAgents,
            Foreign::Langfuse => run::foreign::Format::Langfuse,
            Foreign::Codex => run::foreign::Format::Codex,
        }
    }
}

/// Which runs, and what is done with them.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Runs {
    /// A run: its id, the beginning of it, or `last`; or words to look for, after a slash
    #[arg(value_name = "RUN|/WORDS")]
    pub what: Vec<String>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Go on showing every run that is at work or waits for you, those that wait first, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "what", "tag"])]
    pub watch: bool,
    /// With a run: tag it with this word. Without: list only runs with this tag. May be given several times
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<Tag>,
    /// Take this tag from the run. May be given several times
    #[arg(long, value_name = "TAG", requires = "what")]
    pub untag: Vec<Tag>,
    /// Delete the run for good, with its events and tags; its text is overwritten. It asks first
    #[arg(long, requires = "what", conflicts_with_all = ["json", "tag", "untag"])]
    pub delete: bool,
    /// Delete without asking
    #[arg(long, requires = "delete")]
    pub yes: bool,
}

/// The look of the screens.
#[derive(ClapArgs, Debug, Clone)]
pub struct Look {
    /// Colours of the screens: default, dark, light, mono, contrast (high contrast), red-green and blue-yellow (for eyes
    /// that do not part these), or the name of a file in the themes folder
    #[arg(long, global = true, value_name = "NAME", env = "MASTHEAD_THEME")]
    pub theme: Option<String>,
    /// Nothing on the screen moves by itself: no pulse, no lit edges. NO_COLOR has the same effect
    #[arg(long, global = true, env = "MASTHEAD_NO_MOTION", value_parser = clap::builder::FalseyValueParser::new())]
    pub no_motion: bool,
    /// The mouse is left to the terminal, which selects text with it
    #[arg(long, global = true, env = "MASTHEAD_NO_MOUSE", value_parser = clap::builder::FalseyValueParser::new())]
    pub no_mouse: bool,
    /// The terminal's background, in place of asking the terminal: with a light one the theme is light if none is named
    #[arg(long, global = true, value_name = "SHADE", env = "MASTHEAD_BACKGROUND")]
    pub background: Option<Shade>,
}

/// A background.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    Light,
    Dark,
}

/// Commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Research a question in your documents and write a cited brief
    Brief(Brief),
    /// Ask another team than the one for briefs: by default the one that finds problems in data and logs
    ///
    /// The team `inspect` reads tables (CSV, TSV), JSON lines and log files: it profiles each in parallel and reports
    /// what is wrong, how often and where, each finding with a line that shows it. Without a model it works by rule.
    /// --team names another: a folder teams/NAME in your configuration folder
    Ask(Brief),
    /// List runs, the latest first; find, tag, delete them, and say how one stands
    ///
    /// `runs RUN` says who is at work, who is queued, who waits and for what, and what is spent of the caps.
    /// `runs /pgvector recall` lists the runs that have these words in their questions, findings, briefs or tags
    Runs(Runs),
    /// Resume a run where it stopped
    Resume {
        /// The run's id, the beginning of it, or `last`
        run: String,
        /// Write the brief to this file when it is done
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        face: Face,
        #[command(flatten)]
        breaks: Breaks,
        /// Clear all breakpoints of the run first; --break sets new ones
        #[arg(long)]
        clear_breaks: bool,
        /// The answer to the breakpoint where the run stands: send it on, drop it, or refuse it back with a message.
        /// Without screens it is sent on. Where the run asks about work that failed: try it again, go on without it, or let
        /// the run fail
        #[arg(long, value_name = "send|drop|refuse=MESSAGE|again|without|fail")]
        answer: Option<AtBreak>,
        /// Send this payload instead of the one that stands at the breakpoint (JSON, as `journal dump` prints payloads)
        #[arg(long, value_name = "FILE")]
        payload: Option<PathBuf>,
        /// Whether the others go on while the run stands at a breakpoint, or stand too. Without an --answer it stays standing
        #[arg(long, value_name = "WHAT", value_enum)]
        others: Option<Others>,
        /// Where the run stops for its draft: send it back to the writer with this remark, on the sentence of this number or on all
        /// of it, as in --remark "3=of which version?". May be given several times
        #[arg(long = "remark", value_name = "[N=]TEXT")]
        remarks: Vec<Remarked>,
        /// Go on without the tools of MCP servers
        #[arg(long)]
        no_mcp: bool,
        #[command(flatten, next_help_heading = "Caps (can only be raised, and only while the run waits for you)")]
        caps: Caps,
    },
    /// Begin a new run as another was at one of its events, with something changed or nothing
    ///
    /// Everything before that event is kept and not paid again. Requests that are equal to recorded ones are answered from
    /// the record, free; the first one that differs is asked anew, and it is said how it differs. Before it starts it says
    /// what is kept, what is done again, and what that will probably cost; without a terminal it begins only with --yes if
    /// it costs anything
    Fork(Fork),
    /// Compare two runs, stage by stage: plan, findings, verdicts, draft, cost and time
    ///
    /// It shows what is only in one of them and what is changed, and does not say which is better. On a terminal it opens a
    /// screen
    Compare {
        /// A run's id, the beginning of it, `last`, or a file from `journal dump` (name.jsonl)
        first: String,
        /// The other run
        second: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
        /// Print the report also on a terminal
        #[arg(long)]
        headless: bool,
    },
    /// Show a run from its journal, or from a file of `journal dump`; does no work
    Replay {
        /// The run's id, the beginning of it, `last`, or a file from `journal dump` (name.jsonl)
        run: String,
    },
    /// Show runs of other programs on these screens, read only: sessions of Claude Code and Codex, OTLP, LangSmith, Langfuse
    ///
    /// A file, a folder, or - for standard input; what it holds is told by its content. Nothing is sent anywhere, and
    /// nothing is kept without --keep. Money is shown as it was told there; `~` stands before what is estimated by the
    /// price table, and `?` for what nobody knows
    Open(Open),
    /// Play a failure of a supervised team, and see what catches it: scripted specialists, real guards, no cost
    ///
    /// Without a name: lists the drills. A drill is a run like any other: `runs` lists it, and `replay` shows it again.
    /// Without screens its findings are approved automatically. The exit code is 0 if the failure was caught and 1 if
    /// it was not. Its caps are in teams/drill/team.toml in your configuration folder, if you make one: raise a cap and
    /// see what happens
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
        /// Markdown, JSON with every finding, quote and place, a page, or the sources for those who cite them
        #[arg(long, value_enum, default_value_t = Format::Md)]
        format: Format,
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Measure briefs against questions with expected facts
    ///
    /// Without models the questions are asked by rule, which costs nothing and is kept nowhere. With --team, --model, --baseline or
    /// --judge each question is a run of its own, in the journal like any other; the same command again takes up the runs that
    /// are there. It says what it will probably cost, and asks. Exit codes: 0 done; 1 worse than --against tolerates; 3 a question
    /// has no brief or was left out, or a pair was not judged; 4 a run waits for you
    Eval(Box<Eval>),
    /// List keys, model servers and the models that would be used, and say what is missing
    Doctor {
        #[command(flatten)]
        thinking: Thinking,
        /// Send each provider one tiny request, after showing what that costs at most
        #[arg(long)]
        test: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show what models cost, how old each price is, and where it comes from
    Prices {
        /// Only models with this in their names, as in `openai` or `haiku`
        part: Option<String>,
        /// The price of a model, in dollars per million tokens in and out
        #[arg(long = "price", value_name = "PROVIDER/MODEL=IN,OUT")]
        prices: Vec<Price>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show each setting with its value and where it comes from, and say what is wrong in config.toml
    Config {
        /// Write a config.toml with every setting and its default, if there is none
        #[arg(long)]
        write: bool,
    },
    /// Show where the notes across runs are, and what is in them
    Memory,
    /// List the MCP servers of mcp.json in your configuration folder, with their tools; approve them
    ///
    /// Their tools are for the specialists that research with a model. A server is used once it was approved as it is; if its
    /// entry or its tools change it has to be approved again. Only approved servers are started
    Mcp {
        #[command(subcommand)]
        command: Option<McpCommand>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Let another agent ask for briefs: a server that speaks MCP over standard input and output
    ///
    /// Its tools are brief, runs, run, findings and approve. What may be searched and spent is said here; an agent can only ask for
    /// less. A run stops at its checkpoints as ever, and a person answers them: `masthead resume RUN`
    Serve(Serve),
    /// Check or dump the journal
    Journal {
        #[command(subcommand)]
        command: JournalCommand,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write a page for each command
    Man {
        /// Write all pages into this folder, which is made if it is not there: masthead.1, masthead-brief.1, ...
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
}

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
    /// The length of the brief in words [default: 500, or 100 for each of many questions]
    #[arg(long, value_parser = words)]
    pub words: Option<u32>,
    #[command(flatten)]
    pub caps: Caps,
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
    /// Stop after planning, so that you can check and change the plan before research starts
    #[arg(long)]
    pub check_plan: bool,
    /// Stop before the draft goes out, so that you can read and change it, or send it back with remarks
    #[arg(long)]
    pub check_draft: bool,
    /// Neither read nor write the notes across runs
    #[arg(long)]
    pub no_memory: bool,
    /// Use no tools of MCP servers
    #[arg(long)]
    pub no_mcp: bool,
    /// Write the brief to this file when it is done
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub breaks: Breaks,
    #[command(flatten)]
    pub thinking: Thinking,
    #[command(flatten)]
    pub face: Face,
}

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
    #[command(flatten)]
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

/// A fork of a run.
#[derive(ClapArgs, Debug, Default)]
pub struct Fork {
    /// The run's id, the beginning of it, `last`, or a file from `journal dump` (name.jsonl)
    pub run: String,
    /// The event at which the new run begins as the old one was: its number, as `replay` shows it
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
    #[command(flatten)]
    pub breaks: Breaks,
    #[command(flatten)]
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

/// Breakpoints that are set.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Breaks {
    /// Stop the run before something crosses: handoff:ROLE (what is handed to it), from:ROLE (what it hands out or
    /// reports), verdict:revise, outcome:failed, tool:NAME, event:NAME, cost:DOLLARS, or handoff, call or event for any.
    /// Without screens the run parks there (exit code 4), also with --yes, and `resume` goes on. May be given several times
    #[arg(long = "break", value_name = "WHERE")]
    pub on: Vec<Condition>,
}

/// A remark on a draft: on the sentence of this number, from 1, or on all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarked {
    pub of: Option<u32>,
    pub what: String,
}

impl std::str::FromStr for Remarked {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let numbered = s.split_once('=').and_then(|(n, what)| Some((n.trim().parse::<u32>().ok()?, what)));
        let (of, what) = match numbered {
            Some((0, _)) => return Err("sentences are counted from 1".into()),
            Some((n, what)) => (Some(n), what),
            None => (None, s),
        };
        match what.trim() {
            "" => Err("write what is to be mended, as in 3=of which version?".into()),
            what => Ok(Remarked { of, what: what.into() }),
        }
    }
}

/// The answer to a breakpoint that a run stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtBreak {
    Send,
    Drop,
    Refuse(String),
    /// About work that failed.
    Failed(AfterFailure),
}

/// Whether the others go on while a run stands at a breakpoint.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// They go on
    GoOn,
    /// They stand too
    Stand,
}

impl std::str::FromStr for AtBreak {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s.split_once('=') {
            None if s == "send" => Ok(AtBreak::Send),
            None if s == "drop" => Ok(AtBreak::Drop),
            None if s == "again" => Ok(AtBreak::Failed(AfterFailure::TryAgain)),
            None if s == "without" => Ok(AtBreak::Failed(AfterFailure::GoOnWithout)),
            None if s == "fail" => Ok(AtBreak::Failed(AfterFailure::Stop)),
            Some(("refuse", message)) if !message.trim().is_empty() => Ok(AtBreak::Refuse(message.trim().into())),
            _ => Err("write send, drop or refuse=MESSAGE; about work that failed again, without or fail".into()),
        }
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadBy {
    /// The rules of the team's order
    Pipeline,
    /// The supervisor's model
    Model,
}

/// The caps of a run: of a new one, or raised ones of an earlier one.
#[derive(ClapArgs, Debug, Clone, Copy, Default)]
pub struct Caps {
    /// The most tool calls (searches, reads) of the run
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tool_calls: Option<u64>,
    /// The most tokens of the run, as in 60000 or 200k
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tokens: Option<u64>,
    /// The most working time of the run, as in 90s or 5m; waiting for you does not count
    #[arg(long, value_name = "TIME", value_parser = millis)]
    pub max_time: Option<u64>,
    /// The most money the run may cost, in dollars, as in 0.50 [default of a new run if its models cost anything: 1.00]
    #[arg(long, value_name = "DOLLARS")]
    pub max_cost: Option<Money>,
}

impl Caps {
    /// The caps given.
    pub fn limits(&self) -> Limits {
        Limits::default()
            .with(Cap::Money, self.max_cost.map(|money| money.0))
            .with(Cap::Tokens, self.max_tokens)
            .with(Cap::ToolCalls, self.max_tool_calls)
            .with(Cap::Time, self.max_time)
    }
}

/// The length of a brief in words.
fn words(text: &str) -> Result<u32, String> {
    let read = text.trim().parse().ok().filter(|words| (50..=5_000).contains(words));
    read.ok_or_else(|| "write a number of words from 50 to 5000, as in 800".into())
}

/// The choice of models. Without one here or in config.toml: models for which the environment has a key or an address,
/// else rules.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Thinking {
    /// Use a model: provider/model, a provider alone for its default model, or role=provider/model for one role; `none`
    /// instead of a model works by rule. Fallbacks follow after commas. May be given several times
    #[arg(long = "model", value_name = "[ROLE=]PROVIDER[/MODEL]")]
    pub models: Vec<ModelArg>,
    /// Work without models, whatever config.toml says: by rules over the text of the documents
    #[arg(long, conflicts_with = "models")]
    pub extractive: bool,
    /// Take specialists from a folder of subagent files made for other programs, as in --agents ~/.claude/agents. They need
    /// models; planners and leaders choose among them by their descriptions. What they ask for and is not there (tools that
    /// write or execute, hooks, skills) is named. May be given several times
    #[arg(long = "agents", value_name = "DIR")]
    pub agents: Vec<PathBuf>,
    /// The price of a model, in dollars per million tokens in and out
    #[arg(long = "price", value_name = "PROVIDER/MODEL=IN,OUT")]
    pub prices: Vec<Price>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    pub model: ModelId,
    /// Per million tokens of input.
    pub input: Money,
    /// Per million tokens of output.
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

/// A server for other agents.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Serve {
    /// Speak MCP over standard input and output
    #[arg(long, required = true)]
    pub mcp: bool,
    /// A folder or file that may be searched; may be given several times
    #[arg(long, value_name = "PATH", required = true)]
    pub sources: Vec<PathBuf>,
    /// Let the agent that asks approve what a run waits with. Without it only a person can
    #[arg(long)]
    pub let_agents_approve: bool,
    #[command(flatten, next_help_heading = "Caps of each run")]
    pub caps: Caps,
    #[command(flatten)]
    pub thinking: Thinking,
}

/// Commands on MCP servers.
#[derive(Subcommand, Debug)]
pub enum McpCommand {
    /// Start a server, show its tools, and approve it as it is now
    Approve {
        /// Its name in mcp.json
        name: String,
        /// Approve without asking
        #[arg(long)]
        yes: bool,
    },
    /// Take the approval of a server back
    Forget {
        /// Its name in mcp.json
        name: String,
    },
}

/// Journal commands.
#[derive(Subcommand, Debug)]
pub enum JournalCommand {
    /// Check for damage: exit code 0 if there is none, 65 if there is
    Verify,
    /// Print events, one JSON line each
    Dump {
        /// Only the events of this run [default: of all runs]
        run: Option<String>,
        /// As JSON lines, which is the default
        #[arg(long, conflicts_with = "otlp")]
        json: bool,
        /// As OpenTelemetry traces and metrics (OTLP JSON), as they are sent while a run is at work. They hold no text unless
        /// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true
        #[arg(long)]
        otlp: bool,
        /// Without the text of documents, prompts, answers, question and drafts, without paths, and without names of your own: to
        /// be shown to others. `masthead replay FILE` shows it
        #[arg(long, conflicts_with = "otlp")]
        redact: bool,
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
