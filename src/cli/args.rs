//! The command line: arguments, options and their help texts.

mod eval;
mod face;
mod fork;
mod limits;
mod models;
mod new_run;
mod open;
mod stops;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

use journal::Tag;

pub use eval::{Eval, EvalFormat};
pub use face::{Face, Format, InDoubt, Look, Shade};
pub use fork::{EditedPayload, Fork};
pub use limits::Caps;
pub use models::{Price, Thinking};
pub use new_run::{Brief, LeadBy};
pub use open::Open;
pub use stops::{AtStop, Breaks, Others, Remarked};

/// The heading of options that all commands have: without one they stand among those of each command.
const EVERYWHERE: &str = "Options of every command";
/// The headings of options of a command that runs a team. In a struct, fields with a heading come last: clap puts all that
/// follow under the same heading.
const CAPS: &str = "Caps";
const MODELS: &str = "Models";
const CHECKPOINTS: &str = "Checkpoints and breakpoints";
const OUTPUT: &str = "Screens and output";

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
  3    a partial brief: a budget stopped it, work failed, or a check did not let the draft pass
  4    parked for a person, or an MCP server is not approved
  65   journal damaged
  70   a fault in masthead itself
  74   something could not be written
  130  interrupted"
)]
pub struct Args {
    /// Where everything is written: journal, search index, logs [default: $XDG_DATA_HOME/masthead]
    #[arg(long, global = true, value_name = "DIR", env = "MASTHEAD_DATA_DIR", help_heading = EVERYWHERE)]
    pub data_dir: Option<PathBuf>,
    /// Where runs are kept: a file, or (with PostgreSQL built in) a database that several machines share,
    /// postgres://USER@HOST/DATABASE [default: journal.db in the data directory]
    #[arg(
        long,
        global = true,
        value_name = "FILE|URL",
        env = "MASTHEAD_JOURNAL",
        hide_env_values = true,
        help_heading = EVERYWHERE
    )]
    pub journal: Option<String>,
    #[command(flatten, next_help_heading = EVERYWHERE)]
    pub look: Look,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The runs to list, and the changes to them.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Runs {
    /// A run: its id, the beginning of its id, or `last`; or, after a slash, words to search for
    #[arg(value_name = "RUN|/WORDS")]
    pub what: Vec<String>,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Go on showing every run that is at work or waits for you, those that wait first, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "what", "tag", "untag", "delete"])]
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
    /// List runs, latest first; search, tag and delete them, and show the state of one
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
        /// Go on without the tools of MCP servers
        #[arg(long)]
        no_mcp: bool,
        #[command(flatten, next_help_heading = OUTPUT)]
        face: Face,
        #[command(flatten, next_help_heading = CHECKPOINTS)]
        breaks: Breaks,
        /// Clear all breakpoints of the run first; --break sets new ones
        #[arg(long, help_heading = CHECKPOINTS)]
        clear_breaks: bool,
        /// The answer to what the run stands at. To its plan, findings, draft or question: approve, which answers that alone, while
        /// --yes answers all that follow, too. To a breakpoint: send it on, drop it, or refuse it back with a message; without
        /// screens it is sent on. To work that failed: try it again, go on without it, or let the run fail
        #[arg(long, value_name = "approve|send|drop|refuse=MESSAGE|again|without|fail", help_heading = CHECKPOINTS)]
        answer: Option<AtStop>,
        /// Send this payload instead of the one that stands at the breakpoint (JSON, as `journal dump` prints payloads)
        #[arg(long, value_name = "FILE", help_heading = CHECKPOINTS)]
        payload: Option<PathBuf>,
        /// Whether the others go on or wait while the run stands at a breakpoint. Without --answer it stays there
        #[arg(long, value_name = "WHAT", value_enum, help_heading = CHECKPOINTS)]
        others: Option<Others>,
        /// Where the run stops for its draft: send it back to the writer with this remark, on the sentence of this number or on all
        /// of it, as in --remark "3=of which version?". May be given several times
        #[arg(long = "remark", value_name = "[N=]TEXT", help_heading = CHECKPOINTS)]
        remarks: Vec<Remarked>,
        #[command(flatten, next_help_heading = "Caps (can only be raised, at any time until the run ends)")]
        caps: Caps,
    },
    /// Start a new run from an event of another, with or without changes
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
        /// Print one line per stage also on a terminal
        #[arg(long)]
        headless: bool,
    },
    /// Show runs of other programs on these screens, read only: sessions of Claude Code and Codex, OTLP, LangSmith, Langfuse,
    /// OpenAI Agents SDK
    ///
    /// A file, a folder, or - for standard input; its format is recognised by its content. Nothing is sent anywhere, and
    /// nothing is kept without --keep. Costs are shown as they were recorded; `~` marks estimates by the price
    /// table, and `?` unknown costs
    Open(Open),
    /// Play a failure of a supervised team, and see what catches it: scripted specialists, real guards, no cost
    ///
    /// Without a name: lists the drills. A drill is a run like any other: `runs` lists it, and `replay` shows it again.
    /// Without screens its findings are approved automatically. The exit code is 0 if the failure was caught and 1 if
    /// it was not. Its caps are in teams/drill/team.toml in your configuration folder, if you make one: raise a cap and
    /// see what happens
    #[command(mut_arg("yes", |yes| yes.help("Approve all checkpoints on the screens and with --plain, too")))]
    Drill {
        /// infinite-delegation, lost-handoff, runaway-specialist, loop-of-two or loop-of-three
        name: Option<String>,
        #[command(flatten)]
        face: Face,
    },
    /// Write a run's brief with all its evidence
    Export {
        /// The run's id, the beginning of it, `last`, or a file from `journal dump` (name.jsonl)
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
    /// Without models the questions are asked by rule, which costs nothing and leaves no run behind. With --team, --model, --baseline or
    /// --judge each question is a run of its own, in the journal like any other; the same command again takes up the runs that
    /// are there. It says what it will probably cost, and asks. Exit codes: 0 done; 1 worse than --against tolerates; 3 a question
    /// has no brief or was left out, or a pair was not judged; 4 a run waits for you
    Eval(Box<Eval>),
    /// List keys, model servers and the models that would be used, and say what is missing
    Doctor {
        /// The team to look at: a folder teams/NAME in your configuration folder, or a built-in one [default: brief]
        #[arg(long, value_name = "NAME")]
        team: Option<String>,
        #[command(flatten)]
        thinking: Thinking,
        /// Send each model that would be used one tiny request, after showing what that costs at most
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
        /// Write a config.toml with every setting, commented out, with its default or an example, if there is none
        #[arg(long)]
        write: bool,
    },
    /// Show where the notes across runs are, and what is in them
    Memory,
    /// List the MCP servers of mcp.json in your configuration folder, with their tools; approve them
    ///
    /// Their tools are for the specialists that research with a model. A server is used once you have approved it; if its
    /// entry or its tools change, it has to be approved again. Only approved servers are started
    Mcp {
        #[command(subcommand)]
        command: Option<McpCommand>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Let another agent ask for briefs: a server that speaks MCP over standard input and output
    ///
    /// Its tools are brief, runs, run, findings, approve and stop. These options set what may be searched and spent; an agent can only
    /// ask for less. A run stops at its checkpoints as ever, and a person answers them: `masthead resume RUN`
    Serve(Serve),
    /// Check or dump the journal
    Journal {
        #[command(subcommand)]
        command: JournalCommand,
    },
    /// Print completions for a shell
    Completions {
        /// Which shell
        #[arg(required_unless_present = "at")]
        shell: Option<clap_complete::Shell>,
        /// The place of a word in the command line that follows: prints the runs or teams that may stand there
        #[arg(long, hide = true, conflicts_with = "shell", value_name = "N")]
        at: Option<usize>,
        /// The words of the command line
        #[arg(last = true, hide = true, requires = "at")]
        words: Vec<std::ffi::OsString>,
    },
    /// Print the manual page, or write a page for each command
    Man {
        /// Write all pages into this folder, which is created if it is missing: masthead.1, masthead-brief.1, ...
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
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
    /// Let the asking agent approve checkpoints, too; without it only a person can
    #[arg(long)]
    pub let_agents_approve: bool,
    #[command(flatten, next_help_heading = "Caps of each run")]
    pub caps: Caps,
    #[command(flatten, next_help_heading = MODELS)]
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
    /// Withdraw the approval of a server
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
        /// As OpenTelemetry traces and metrics (OTLP JSON): the same that are sent while a run is at work. They hold no text unless
        /// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true
        #[arg(long)]
        otlp: bool,
        /// Leave out the text of documents, prompts, answers, question and drafts, paths, and names of your own, so that it can
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
    fn options_stand_under_their_headings_and_those_of_every_command_last() {
        let mut command = Args::command();
        command.build();
        for (name, option, wanted) in [
            ("brief", "output", None),
            ("brief", "team", None),
            ("brief", "max_cost", Some(CAPS)),
            ("brief", "check_draft", Some(CHECKPOINTS)),
            ("brief", "on", Some(CHECKPOINTS)),
            ("brief", "models", Some(MODELS)),
            ("brief", "yes", Some(OUTPUT)),
            ("resume", "no_mcp", None),
            ("serve", "models", Some(MODELS)),
            ("eval", "against", None),
        ] {
            let of = command.find_subcommand(name).unwrap();
            let option = of.get_arguments().find(|known| known.get_id() == option).unwrap();
            assert_eq!(option.get_help_heading(), wanted, "{name} {option}");
        }
        for of in command.get_subcommands_mut() {
            let help = of.render_help().to_string();
            let own = help.split(&format!("\n{EVERYWHERE}:\n")).next().unwrap();
            assert!(!own.contains("--data-dir") && !own.contains("--theme"), "{help}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
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
    fn watching_runs_changes_none_of_them() {
        let parsed = |more: &[&str]| Args::try_parse_from([&["masthead", "runs", "--watch"], more].concat());
        assert!(parsed(&[]).is_ok());
        for more in [&["--untag", "a"][..], &["--delete"], &["--delete", "--yes"], &["--tag", "a"], &["last"]] {
            assert!(parsed(more).is_err(), "{more:?}");
        }
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
