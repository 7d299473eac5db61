//! Sections of manual pages that the command line does not have: keys, files, variables, exit codes, examples.

/// A section: its heading, and entries with their meanings.
pub struct Section {
    pub heading: &'static str,
    pub entries: Vec<(String, String)>,
}

/// Entries of a section: a term, and its meaning.
type Entries = &'static [(&'static str, &'static str)];

const FILES: Entries = &[
    (
        "~/.local/share/masthead/",
        "All that is written, readable by you alone: $XDG_DATA_HOME/masthead, or the folder of --data-dir.",
    ),
    ("journal.db", "In it: every event of every run. --journal names another place."),
    ("index/, web/pages.db", "Search indexes and pages that were read; caches."),
    ("memory/notes.md", "Findings kept for later runs; yours to edit."),
    ("logs/", "A log a day, seven kept."),
    ("~/.config/masthead/", "Your own settings: $XDG_CONFIG_HOME/masthead."),
    ("config.toml, prices.toml, mcp.json, keymap.toml", "In it: settings, prices of models, MCP servers, keys."),
    ("teams/NAME/, themes/NAME.toml", "Your own teams with their prompts, gates and rules, and your own colours."),
];

const ENVIRONMENT: Entries = &[
    (
        "MASTHEAD_DATA_DIR, MASTHEAD_JOURNAL, MASTHEAD_THEME, MASTHEAD_NO_MOTION, MASTHEAD_NO_MOUSE, MASTHEAD_BACKGROUND",
        "As the options of these names. A variable that is empty counts as not set.",
    ),
    ("MASTHEAD_LOG", "What the log holds: error, warn, info (the default), debug, trace or off."),
    ("XDG_DATA_HOME, XDG_CONFIG_HOME, HOME", "Where the folders of data and settings are."),
    (
        "ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, MISTRAL_API_KEY, OPENROUTER_API_KEY, OLLAMA_HOST, ...",
        "Keys and addresses of model providers. `masthead doctor` says which are set and which are looked for.",
    ),
    (
        "BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY, OPENALEX_API_KEY, SEARXNG_URL",
        "Keys and the address of search services, for --web.",
    ),
    (
        "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY",
        "The proxy to providers and services; never to a server on this machine.",
    ),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "Where traces and metrics of runs are sent; without it nothing is."),
    ("VISUAL, EDITOR, PAGER", "The editor and the pager that Ctrl-o opens."),
    ("NO_COLOR, COLORTERM, TERM, LC_ALL, LC_CTYPE, LANG", "What the terminal shows: colours, and more than ASCII."),
];

/// The exit codes of commands that work on a run.
const OF_RUNS: Entries = &[
    ("0", "Done."),
    ("3", "A partial brief: a budget stopped it, work failed, or a check did not let the draft pass."),
    ("4", "Parked for a person: `masthead resume last` goes on."),
    ("130", "Interrupted; nothing is lost."),
];

/// The exit codes of a command that has others than the program's own.
fn exit_codes(command: &str) -> Entries {
    match command {
        "brief" | "ask" | "resume" | "fork" => OF_RUNS,
        "drill" => &[("0", "The failure was caught."), ("1", "It was not.")],
        "doctor" => &[("0", "Nothing is missing."), ("1", "There is something to fix.")],
        "eval" => &[
            ("0", "Done."),
            ("1", "Worse than --against tolerates."),
            ("3", "A question has no brief or was left out, or a pair was not judged."),
            ("4", "A run waits for you."),
        ],
        "verify" => &[("0", "No damage."), ("65", "The journal is damaged.")],
        _ => &[],
    }
}

fn examples(command: &str) -> Entries {
    match command {
        "masthead" => &[
            ("masthead", "Ask a question on the home screen, or pick up an earlier run."),
            (
                "masthead brief \"Compare the trade-offs of A and B\" --sources docs/",
                "A brief by rule: no key, no network.",
            ),
            ("masthead resume last", "Go on with the latest run where it stopped."),
            ("masthead drill runaway-specialist", "Watch a failure of a team, and what catches it."),
        ],
        "brief" => &[
            (
                "masthead brief \"What limits has X?\" --sources manual/ -o brief.md",
                "Ask, correct what was found, and keep the brief.",
            ),
            (
                "masthead brief \"What limits has X?\" --sources manual/ --headless --yes",
                "For scripts: a line for each stage, then the brief.",
            ),
            (
                "masthead brief \"...\" --sources notes/ --model anthropic --max-cost 0.50",
                "With models, for half a dollar at most.",
            ),
            (
                "masthead brief \"...\" --sources notes/ --break handoff:writer",
                "Stop before the findings cross to the writer.",
            ),
        ],
        "ask" => &[(
            "masthead ask \"What is wrong with these logs?\" --sources logs/",
            "What is wrong, how often, and where.",
        )],
        "runs" => &[
            ("masthead runs /recall of the index", "The runs that have these words."),
            ("masthead runs last", "Who is at work, and what is spent."),
            ("masthead runs --watch", "All runs that are at work or wait for you."),
        ],
        "resume" => &[
            ("masthead resume last --max-tokens 400k", "Raise a cap, and go on."),
            ("masthead resume last --answer approve", "Approve what the run stands at, and nothing beyond it."),
        ],
        "fork" => &[("masthead fork last --at 57 --with-prompts shorter/", "From event 57 on, with other prompts.")],
        "compare" => &[("masthead compare last 7f3k2m --headless", "A report of two runs, side by side.")],
        "replay" => &[("masthead replay last", "Look at the latest run again.")],
        "export" => &[
            ("masthead export last -o brief.md", "The brief as Markdown."),
            ("masthead export last --format html -o brief.html", "A page with the evidence below each citation."),
        ],
        "open" => &[
            ("masthead open ~/.claude/projects/x/session.jsonl", "A session of Claude Code with its sub-agents."),
            ("masthead open --listen", "Traces of teams at work, as they come."),
        ],
        "drill" => &[("masthead drill loop-of-two --headless", "Play a failure, in lines.")],
        "eval" => &[(
            "masthead eval questions.toml --sources manual=docs/",
            "Measure briefs against expected facts, by rule.",
        )],
        "mcp" => &[("masthead mcp approve tickets", "Look at a server's tools, and approve them.")],
        "serve" => &[(
            "masthead serve --mcp --sources docs/ --max-cost 1",
            "Briefs for another agent, for a dollar each at most.",
        )],
        "dump" => &[("masthead journal dump last --redact > run.jsonl", "A run to show to others, without its texts.")],
        "completions" => &[(
            "masthead completions bash > ~/.local/share/bash-completion/completions/masthead",
            "Completions for bash, with your runs and teams.",
        )],
        _ => &[],
    }
}

/// The keys of every page of a run, and where the others are.
fn keys() -> Vec<(String, String)> {
    let everywhere = tui::page_keys().map(|(keys, does)| (keys, format!("{does}.")));
    let more = ("?".to_owned(), "All keys of the screen that is shown; keymap.toml changes them.".to_owned());
    std::iter::once(more).chain(everywhere).collect()
}

/// The sections of a command's page, in their usual order; `masthead` is the program itself. The program's exit codes stand in its help.
pub fn of(command: &str) -> Vec<Section> {
    let owned = |entries: Entries| entries.iter().map(|(term, means)| ((*term).into(), (*means).into())).collect();
    let section = |heading, entries: Entries| Section { heading, entries: owned(entries) };
    let own = match command {
        "masthead" => {
            let keys = Section { heading: "KEYS", entries: keys() };
            vec![keys, section("FILES", FILES), section("ENVIRONMENT", ENVIRONMENT)]
        }
        _ => Vec::new(),
    };
    let codes = section("EXIT STATUS", exit_codes(command));
    let all = own.into_iter().chain([codes, section("EXAMPLES", examples(command))]);
    all.filter(|section| !section.entries.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::args::Args;

    /// The words of an example, as a shell cuts them, without where its output goes.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" > ").next().unwrap_or_default();
        text::shell::words(line).unwrap()
    }

    #[test]
    fn every_example_is_a_command_line_that_the_program_takes() {
        let mut command = Args::command();
        command.build();
        let below: Vec<&clap::Command> =
            command.get_subcommands().flat_map(|one| std::iter::once(one).chain(one.get_subcommands())).collect();
        let mut count = 0;
        for name in below.iter().map(|one| one.get_name()).chain(["masthead"]) {
            for (line, _) in examples(name) {
                let parsed = Args::try_parse_from(words(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                count += 1;
            }
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn the_page_of_the_program_has_keys_files_variables_and_examples() {
        let headings: Vec<&str> = of("masthead").iter().map(|section| section.heading).collect();
        assert_eq!(headings, ["KEYS", "FILES", "ENVIRONMENT", "EXAMPLES"]);
        let headings: Vec<&str> = of("brief").iter().map(|section| section.heading).collect();
        assert_eq!(headings, ["EXIT STATUS", "EXAMPLES"]);
    }
}
