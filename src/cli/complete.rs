//! Completions for shells: their scripts, and the runs and teams that these offer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, CommandFactory, ValueHint};
use clap_complete::Shell;

use super::args::Args;
use super::exit::Failure;
use super::place::Places;
use super::runs::state;
use journal::RunRow;
use run::Mark;
use text::Clean;

/// The most runs that are offered, the latest first.
const MOST_RUNS: usize = 60;
/// Cells of the description of a name.
const ABOUT: usize = 60;

/// Asks for names before flags and files. If there are several, a description stands beside each; only the name of one is written.
const BASH: &str = r#"_masthead() {
    local names
    mapfile -t names < <(masthead completions --at "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ ${#names[@]} -eq 0 ]]; then
        _masthead_flags "$@"
    elif [[ ${#names[@]} -eq 1 || $COMP_TYPE -eq 37 || $COMP_TYPE -eq 42 ]]; then
        COMPREPLY=("${names[@]%%$'\t'*}")
    else
        COMPREPLY=("${names[@]/$'\t'/  }")
    fi
}
"#;

const ZSH: &str = r#"_masthead() {
    local -a names
    names=("${(@f)$(masthead completions --at $((CURRENT - 1)) -- "${words[@]}" 2>/dev/null)}")
    if [[ -z "$names" ]]; then
        _masthead_flags "$@"
    else
        names=("${(@)names//:/\\:}")
        names=("${(@)names/$'\t'/:}")
        _describe -V masthead names
    fi
}
"#;

const FISH: &str = r#"
function __fish_masthead_names
    set -l words (commandline -opc) (commandline -ct)
    masthead completions --at (math (count $words) - 1) -- $words 2>/dev/null
end
complete -c masthead -k -f -n 'test -n "$(__fish_masthead_names)"' -a '(__fish_masthead_names)'
"#;

/// The command line as shells complete it: with names that it takes as text, to say more of a wrong one, and with files only where
/// a file may be meant.
fn completed() -> clap::Command {
    fn of_files(command: clap::Command) -> clap::Command {
        // These take runs of the journal alone.
        let takes_no_file = ["resume", "runs", "dump"].contains(&command.get_name());
        let command = command.mut_args(|arg| match arg.get_value_hint() {
            _ if !arg.get_action().takes_values() => arg,
            ValueHint::Unknown if takes_no_file && arg.is_positional() || !may_be_a_file(&arg) => {
                arg.value_hint(ValueHint::Other)
            }
            _ => arg,
        });
        command.mut_subcommands(of_files)
    }
    let drills = PossibleValuesParser::new(::drill::ALL.iter().map(|drill| drill.exercise.name));
    let command =
        Args::command().mut_arg("theme", |arg| arg.value_parser(PossibleValuesParser::new(tui::Theme::names())));
    let command = command.mut_subcommand("drill", |drill| drill.mut_arg("name", |name| name.value_parser(drills)));
    let command = ["brief", "ask"].into_iter().fold(command, |command, name| {
        let backends = PossibleValuesParser::new(web::backends());
        command.mut_subcommand(name, |brief| brief.mut_arg("web", |arg| arg.value_parser(backends)))
    });
    of_files(command)
}

/// Whether an argument takes a file: by its name, or a run, which may be a file of `journal dump`.
fn may_be_a_file(arg: &clap::Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| ["FILE", "DIR", "PATH", "RUN"].iter().any(|kind| name.contains(kind)))
        || ["run", "first", "second"].contains(&arg.get_id().as_str())
}

/// The script that completes the command line in a shell. In bash, zsh and fish it asks [`names`] for the runs and teams.
pub fn script(shell: Shell) -> Vec<u8> {
    let (mut script, mut command) = (Vec::new(), completed());
    clap_complete::generate(shell, &mut command, "masthead", &mut script);
    let (flags, asks) = match shell {
        Shell::Bash => ("_masthead_flags() {", BASH),
        Shell::Zsh => ("_masthead_flags() {", ZSH),
        Shell::Fish => ("", FISH),
        _ => return script,
    };
    // The generator for fish leaves out the values of arguments without a flag.
    if shell == Shell::Fish {
        for below in command.get_subcommands() {
            for arg in below.get_positionals().filter(|arg| !arg.get_possible_values().is_empty()) {
                let values: Vec<String> =
                    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
                script.extend(
                    format!(
                        "complete -c masthead -n \"__fish_seen_subcommand_from {}\" -f -a \"{}\"\n",
                        below.get_name(),
                        values.join(" ")
                    )
                    .bytes(),
                );
            }
        }
    }
    let script = String::from_utf8_lossy(&script);
    let whole = match flags {
        "" => format!("{script}{asks}"),
        flags => script.replacen("_masthead() {", &format!("{asks}\n{flags}"), 1),
    };
    whole.into_bytes()
}

/// A kind of name that an argument takes, of those on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Run,
    /// A run that has not ended.
    OpenRun,
    Team,
}

/// The word to complete at a place of a command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    named: Option<Named>,
    /// The part of it that is written.
    begun: String,
    /// The values of the options before it, by their ids.
    given: BTreeMap<String, String>,
}

/// Reads which word is to be completed at this place of a command line; its first word is the program.
fn asked(at: usize, words: &[String]) -> Asked {
    let mut command = Args::command();
    command.build();
    let (mut of, mut places, mut given) = (&command, 0, BTreeMap::new());
    let mut option: Option<&Arg> = None;
    // Bash takes the sign between an option and its value for a word.
    for word in words.iter().take(at).skip(1).filter(|word| *word != "=") {
        if let Some(arg) = option.take() {
            given.insert(arg.get_id().to_string(), word.clone());
        } else if let Some(flag) = word.strip_prefix('-').filter(|flag| !flag.is_empty()) {
            let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
            let is_it = |arg: &&Arg| match name.strip_prefix('-') {
                Some(long) => arg.get_long() == Some(long),
                None => arg.get_short().is_some_and(|short| name.chars().eq([short])),
            };
            let arg = of.get_arguments().find(is_it).filter(|arg| arg.get_action().takes_values());
            match (arg, value) {
                (Some(arg), Some(value)) => drop(given.insert(arg.get_id().to_string(), value.to_owned())),
                (arg, _) => option = arg,
            }
        } else if let Some(below) = of.find_subcommand(word).filter(|_| places == 0) {
            of = below;
        } else {
            places += 1;
        }
    }
    let begun = words.get(at).filter(|word| *word != "=").cloned().unwrap_or_default();
    let placed = || {
        let last = of.get_positionals().last().filter(|last| matches!(last.get_action(), ArgAction::Append));
        of.get_positionals().nth(places).or(last)
    };
    let arg = option.or_else(|| if begun.starts_with('-') { None } else { placed() });
    let named = arg.and_then(|arg| match (of.get_name(), arg.get_id().as_str()) {
        ("resume", "run") => Some(Named::OpenRun),
        (_, "run" | "first" | "second" | "answers_from") | ("runs", "what") => Some(Named::Run),
        (_, "team") => Some(Named::Team),
        _ => None,
    });
    Asked { named, begun, given }
}

/// The runs or teams that may stand at a place of a command line, each in a line with its description behind a tab. Nothing if
/// something else belongs there, or if they cannot be read: a shell has nowhere to say why.
pub fn names(args: &Args, at: usize, words: &[OsString]) -> Vec<u8> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let asked = asked(at, &words);
    let listed = asked.named.and_then(|named| listed(args, named, &asked.given).ok()).unwrap_or_default();
    let fitting = listed.into_iter().filter(|(name, _)| name.starts_with(&asked.begun));
    let line = |(name, about): (String, String)| format!("{name}\t{}\n", tui::cut(&about, ABOUT));
    fitting.map(line).collect::<String>().into_bytes()
}

/// The names, each with its description.
fn listed(args: &Args, named: Named, given: &BTreeMap<String, String>) -> Result<Vec<(String, String)>, Failure> {
    let data = given.get("data_dir").map(Path::new).or(args.data_dir.as_deref());
    let places = Places::find(data, given.get("journal").or(args.journal.as_ref()).map(String::as_str))?;
    if named == Named::Team {
        let about = |name: &str| if places.config.join("teams").join(name).is_dir() { "your own" } else { "built in" };
        let names = team::names(&places.config).into_iter();
        return Ok(names.map(|name| (name.clone(), about(&name).to_owned())).collect());
    }
    let Some(reader) = places.journal().read()? else { return Ok(Vec::new()) };
    let rows = reader.runs()?.into_iter().filter(|row| named == Named::Run || goes_on(row)).take(MOST_RUNS);
    let runs = rows.map(|row| (row.id.to_string(), Clean::line(&row.headline.question).to_string()));
    Ok(runs.chain([("last".to_owned(), "the latest run".to_owned())]).collect())
}

/// Whether `resume` has something to do with a run.
fn goes_on(row: &RunRow) -> bool {
    use Mark::{Cancelled, Done, Failed, Partial};
    row.headline.imported.is_none() && !matches!(Mark::of_word(state(row)), Done | Partial | Failed | Cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_offer_names_where_names_are_wanted_and_files_where_files_may_be() {
        completed().debug_assert();
        let command = completed();
        let hint = |of: &str, id: &str| {
            let command = command.find_subcommand(of).unwrap();
            let arg = command.get_arguments().find(|arg| arg.get_id() == id).unwrap();
            (arg.get_value_hint(), arg.get_possible_values().len())
        };
        assert_eq!(hint("brief", "sources").0, ValueHint::AnyPath);
        assert_eq!(hint("brief", "models").0, ValueHint::Other);
        assert_eq!(hint("replay", "run").0, ValueHint::Unknown, "it may be a file");
        assert_eq!(hint("resume", "run").0, ValueHint::Other, "it is in the journal");
        assert_eq!(hint("drill", "name").1, 5);
        assert!(hint("brief", "web").1 == 8 && command.get_arguments().any(|arg| arg.get_possible_values().len() == 7));
        let fish = String::from_utf8(script(Shell::Fish)).unwrap();
        assert!(fish.contains("from drill\" -f -a \"") && fish.contains("from completions\" -f -a \"bash "), "{fish}");
    }

    #[test]
    fn scripts_ask_for_names_and_go_on_with_flags() {
        for (shell, calls) in [(Shell::Bash, 2), (Shell::Zsh, 2), (Shell::Fish, 0)] {
            let script = String::from_utf8(script(shell)).unwrap();
            assert_eq!(script.matches("_masthead_flags").count(), calls, "{shell}");
            assert_eq!(script.matches("masthead completions --at ").count(), 1, "{shell}");
        }
    }

    #[test]
    fn what_a_word_stands_for_is_read_off_the_words_before_it() {
        use Named::{OpenRun, Run, Team};
        for (line, named, begun) in [
            ("masthead resume we", Some(OpenRun), "we"),
            ("masthead resume --max-cost 2 ", Some(OpenRun), ""),
            ("masthead resume --headless --data-dir /d ", Some(OpenRun), ""),
            ("masthead --data-dir=/d replay x", Some(Run), "x"),
            ("masthead compare last ", Some(Run), ""),
            ("masthead compare last last ", None, ""),
            ("masthead export -o f.md ", Some(Run), ""),
            ("masthead export -o ", None, ""),
            ("masthead journal dump ", Some(Run), ""),
            ("masthead brief --answers-from ", Some(Run), ""),
            ("masthead brief q --team ", Some(Team), ""),
            ("masthead brief q --team = in", Some(Team), "in"),
            ("masthead brief q --team =", Some(Team), ""),
            ("masthead brief ", None, ""),
            ("masthead runs ab", Some(Run), "ab"),
            ("masthead resume --", None, "--"),
            ("masthead ", None, ""),
        ] {
            let words: Vec<String> = line.split(' ').map(String::from).collect();
            let asked = asked(words.len() - 1, &words);
            assert_eq!((asked.named, asked.begun.as_str()), (named, begun), "{line}");
            assert_eq!(asked.given.get("data_dir").map(String::as_str), line.contains("/d").then_some("/d"), "{line}");
        }
    }
}
