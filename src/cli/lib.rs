//! The command line: chooses a front end, sets it up, and turns its result into an exit code.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod against_one;
mod aid;
mod args;
mod complete;
mod configured;
mod doctor;
mod drill;
mod engine;
mod eval;
mod example;
mod exit;
mod fork;
mod form;
mod input;
mod inspect;
mod keymap;
mod lines;
mod log;
mod look;
mod man;
mod mcp;
mod memory;
mod models;
mod notify;
mod open;
mod output;
mod place;
mod plain;
mod prices;
mod programs;
mod recording;
mod runs;
mod serve;
mod show;
mod standing;
mod stops;
mod telemetry_out;
mod watch;
mod work;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};

pub use args::Args;
use args::{Command, JournalCommand, McpCommand};
use exit::Failure;
use form::Form;
use place::Places;
use text::Clean;

pub fn main() -> ExitCode {
    // All written files are private to the user.
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o077));
    keep_out_of_core_dumps();
    // The process that reads documents: it serves its parent, touches nothing else, and starts in no time.
    if std::env::args_os().nth(1).is_some_and(|command| command == documents::reader::SUBCOMMAND) {
        return documents::reader::child_main();
    }
    let args = match parsed() {
        Ok(args) => args,
        Err(error) => {
            let (error, variable) = without_variables(error);
            let code = refused(&error);
            if let Some(variable) = variable {
                exit::say(&format!("the environment sets it: {variable}"));
            }
            return ExitCode::from(code);
        }
    };
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        // If no thread can be started, requests to stop are left to the system.
        let _ = tui::heed_stop_requests();
    }
    match caught(|| run(args)) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            exit::say(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

/// The result of `work`. A panic is a failure like others, so that the program never ends without a word.
fn caught(work: impl FnOnce() -> Result<u8, Failure>) -> Result<u8, Failure> {
    // Nothing that the panic has left half done is used afterwards.
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(Failure::Fault { log: log::folder() }))
}

/// The arguments. One that begins with a bullet is a list and no flag: it gets a line of its own before it, which no parser takes
/// for one.
fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os().map(|argument| match argument.as_encoded_bytes() {
        [b'-', b' ' | b'\t', ..] => {
            let mut line = OsString::from("\n");
            line.push(argument);
            line
        }
        _ => argument,
    })
}

/// The command line, with the variables of the environment that stand for options. An empty one counts as not set.
fn parsed() -> Result<Args, clap::Error> {
    let is_empty = |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let command = Args::command().mut_args(|arg| if is_empty(&arg) { arg.env(Resettable::Reset) } else { arg });
    let mut matches = command.try_get_matches_from(arguments())?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Args::command()))
}

/// The same refusal without the environment: the parser's usage shows an option that a variable has set as one that has to be
/// written. If the variable's value is refused, its name stands beside it.
fn without_variables(error: clap::Error) -> (clap::Error, Option<String>) {
    if !error.use_stderr() {
        return (error, None);
    }
    let command = Args::command().mut_args(|arg| arg.env(Resettable::Reset));
    match command.try_get_matches_from(arguments()).err().filter(|same| same.kind() == error.kind()) {
        Some(same) => (same, None),
        None => {
            let variable = variable_of(&error);
            (error, variable)
        }
    }
}

/// The variable of the environment that stands for the option whose value is refused.
fn variable_of(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = option.split(' ').next()?.strip_prefix("--")?;
    let command = Args::command();
    let variable = command.get_arguments().find(|arg| arg.get_long() == Some(name))?.get_env()?;
    std::env::var_os(variable).map(|_| variable.to_string_lossy().into_owned())
}

/// Keys are in memory, and a core dump is a file. The limit is for dumps to a file; the other setting is also for systems
/// that hand dumps to a program, and keeps other processes of the user from reading the memory.
fn keep_out_of_core_dumps() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    // A system that knows neither works without.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Prints why a command line is refused, or the help that it asks for; returns the exit code. The parser repeats arguments as they
/// were given, and their content must not drive the terminal, nor show the password of an address.
fn refused(error: &clap::Error) -> u8 {
    let plain = error.render().to_string();
    let clean = Clean::new(&without_passwords(&plain));
    if error.use_stderr() && clean != plain.as_str() {
        exit::print_error(&clean);
        return exit::USAGE;
    }
    match error.print() {
        _ if error.use_stderr() => exit::USAGE,
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let failure = Failure::output(error);
            exit::say(&failure.to_string());
            failure.code()
        }
        _ => exit::DONE,
    }
}

/// A text whose addresses have no passwords: `postgres://ada:***@host`, `postgres://host/x?password=***`.
fn without_passwords(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`')).unwrap_or(part.len());
        let (address, rest) = part.split_at(end);
        let address = match address.rsplit_once('@').and_then(|(person, _)| Some((person, person.split_once(':')?.0))) {
            Some((person, name)) => format!("{name}:***{}", &address[person.len()..]),
            None => address.to_owned(),
        };
        shown.extend(["://", &without_secret_parameters(&address), rest]);
    }
    shown
}

/// An address whose parameters hold no passwords.
fn without_secret_parameters(address: &str) -> String {
    let Some((place, parameters)) = address.split_once('?') else { return address.to_owned() };
    let shown = parameters.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name @ ("password" | "sslpassword"), _)) => format!("{name}=***"),
        _ => parameter.to_owned(),
    });
    format!("{place}?{}", shown.collect::<Vec<_>>().join("&"))
}

fn run(args: Args) -> Result<u8, Failure> {
    // Commands without a data directory come first.
    match &args.command {
        Some(Command::Completions { shell: Some(shell), .. }) => return inspect::print(&complete::script(*shell)),
        Some(Command::Completions { shell: None, at, words }) => {
            return inspect::print(&complete::names(&args, at.unwrap_or_default(), words));
        }
        Some(Command::Man { to: None }) => return inspect::print(&man::main_page()?),
        Some(Command::Man { to: Some(folder) }) => return man::write_pages(folder),
        _ => {}
    }
    let places = Places::find(args.data_dir.as_deref(), args.journal.as_deref())?;
    let _log = log::start(&places);
    match args.command {
        None => work::home(&places, &args.look),
        Some(Command::Brief(brief)) => work::brief(&places, &args.look, brief),
        Some(Command::Ask(mut ask)) => {
            ask.team.get_or_insert_with(|| team::INSPECT.to_owned());
            work::brief(&places, &args.look, ask)
        }
        Some(Command::Doctor { team, thinking, test, json }) => {
            let team = team.as_deref().unwrap_or(team::BRIEF);
            let calls = if test { doctor::Calls::Tiny } else { doctor::Calls::None };
            doctor::doctor(&places, team, &thinking, calls, Form::of(json))
        }
        Some(Command::Prices { part, prices, json }) => {
            prices::prices(&places, part.as_deref(), &prices, Form::of(json))
        }
        Some(Command::Config { write }) => configured::config(&places, &args.look, write),
        Some(Command::Memory) => memory::memory(&places),
        Some(Command::Serve(asked)) => serve::serve(&places, asked),
        Some(Command::Mcp { command, json }) => match command {
            None => mcp::list(&places, Form::of(json)),
            Some(McpCommand::Approve { name, yes }) => mcp::approve(&places, &name, yes),
            Some(McpCommand::Forget { name }) => mcp::forget(&places, &name),
        },
        Some(Command::Runs(asked)) if asked.watch => watch::runs(&places),
        Some(Command::Runs(asked)) => runs::runs(&places, &asked),
        Some(Command::Resume {
            run,
            output,
            face,
            breaks,
            clear_breaks,
            answer,
            payload,
            others,
            remarks,
            no_mcp,
            caps,
        }) => {
            let (raise, breaks) = (caps.limits(), breaks.on);
            let mut changes = engine::Changes { raise, clear_breaks, breaks, answer, payload, ..Default::default() };
            (changes.others, changes.remarks, changes.no_mcp) = (others, remarks, no_mcp);
            work::resume(&places, &args.look, &run, changes, &face, output.as_deref())
        }
        Some(Command::Fork(fork)) => work::fork(&places, &args.look, &fork),
        Some(Command::Compare { first, second, json, headless }) => {
            let report = match (json, headless) {
                (true, _) => Some(Form::Json),
                (false, true) => Some(Form::Lines),
                (false, false) => None,
            };
            work::compare(&places, &args.look, (&first, &second), report)
        }
        Some(Command::Replay { run, headless }) => work::replay(&places, &args.look, &run, headless),
        Some(Command::Open(asked)) => open::open(&places, &args.look, &asked),
        Some(Command::Drill { name, face }) => match name {
            Some(name) => work::drill(&places, &args.look, &name, &face),
            None => drill::list(),
        },
        Some(Command::Export { run, format, output }) => inspect::export(&places, &run, format, output.as_deref()),
        Some(Command::Journal { command }) => match command {
            JournalCommand::Verify => inspect::verify(&places),
            JournalCommand::Dump { run, json: _, otlp, redact } => {
                let form = match (otlp, redact) {
                    (true, _) => inspect::Dump::Otlp,
                    (false, true) => inspect::Dump::Redacted,
                    (false, false) => inspect::Dump::Events,
                };
                inspect::dump(&places, run.as_deref(), form)
            }
        },
        Some(Command::Eval(asked)) => eval::eval(&places, &asked),
        Some(Command::Completions { .. } | Command::Man { .. }) => Ok(exit::DONE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_to_the_person_with_an_exit_code_of_its_own() {
        let failure = caught(|| panic!("a test of panics")).unwrap_err();
        assert_eq!(failure.code(), exit::FAULT);
        assert!(failure.to_string().starts_with("this is a fault in masthead"), "{failure}");
        let logged = Failure::Fault { log: Some("/data/logs".as_ref()) };
        assert!(logged.to_string().ends_with("The log in /data/logs says more"), "{logged}");
    }

    #[test]
    fn an_argument_that_is_repeated_shows_no_password() {
        for (said, shown) in [
            ("'postgres://ada:pw@h/x' is", "'postgres://ada:***@h/x' is"),
            ("a postgres://ada:p/w@x@h b", "a postgres://ada:***@h b"),
            ("postgres://ada@h:1/x and http://h/", "postgres://ada@h:1/x and http://h/"),
            ("'postgres://h/x?password=pw' is", "'postgres://h/x?password=***' is"),
            ("postgres://ada:pw@h/x?a=b&sslpassword=pw&c=d e", "postgres://ada:***@h/x?a=b&sslpassword=***&c=d e"),
            ("https://h/path@v2", "https://h/path@v2"),
        ] {
            assert_eq!(without_passwords(said), shown);
        }
    }
}
