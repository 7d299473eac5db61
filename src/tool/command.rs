//! A user's own program that checks a draft: with limits on its time and output, and without the environment, which may
//! contain keys. All processes that it starts end with it.

use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::child::{self, LastWords};
use super::process_group::ProcessGroups;
use run::tool::Ran;
use text::Clean;

/// The timeout of a program.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The time for which its child processes may go on writing once it has ended.
const GRACE: Duration = Duration::from_millis(250);
/// The wait for the rest of what was written once all of them have ended. Only one that has left their group makes it last.
const REST: Duration = Duration::from_secs(2);
/// The most bytes of its output.
const MOST_OUTPUT: u64 = 64 * 1024;
/// The most last lines of its standard error that are told.
const LAST_LINES: usize = 3;
/// The longest last line, in characters.
const LONGEST_LINE: usize = 200;
/// The environment variables it gets: paths and locale.
const KEPT: [&str; 4] = ["PATH", "HOME", "LANG", "LC_ALL"];

/// Ends programs with their child processes on drop; afterwards none can be started.
#[derive(Debug, Default)]
pub struct KillOnDrop(ProcessGroups);

impl KillOnDrop {
    /// The programs that end then.
    pub fn groups(&self) -> ProcessGroups {
        self.0.clone()
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A report of the threads on a program.
enum Report {
    /// The whole output of the program and its child processes.
    Output(std::io::Result<Vec<u8>>),
    /// It has ended, and was not waited for yet.
    Ended,
}

/// Runs a program with `input` on its standard input, for at most `patience`.
///
/// # Errors
/// It cannot be started, takes too long, or is ended by a signal. In words for a person.
pub fn run(command: &[Clean], input: &str, patience: Duration, groups: &ProcessGroups) -> Result<Ran, String> {
    let Some((program, args)) = command.split_first() else { return Err("the gate names no program".into()) };
    let mut command = Command::new(program.as_str());
    command.args(args.iter().map(Clean::as_str));
    let started = child::start(&mut command, &KEPT, [], groups);
    let started = started.map_err(|error| format!("{program} could not be started: {error}"))?;
    let (mut child, group) = started.ok_or_else(|| format!("{program} could not be started: the run is over"))?;
    let heard = listen(&mut child, input.to_owned());
    let words =
        LastWords::of(child.stderr.take(), LAST_LINES, |line| Clean::line(line).chars().take(LONGEST_LINE).collect());
    let told = |why: String| words.after(&why, REST);
    let (mut output, mut has_ended) = (None, false);
    let mut until = Instant::now() + patience;
    while output.is_none() || !has_ended {
        match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Report::Output(all)) => {
                let is_too_much = all.as_ref().is_ok_and(|all| all.len() as u64 >= MOST_OUTPUT);
                output = Some(all);
                if is_too_much {
                    break;
                }
            }
            Ok(Report::Ended) => {
                has_ended = true;
                until = until.min(Instant::now() + GRACE);
            }
            Err(_) => break,
        }
    }
    let status = group.end(&mut child).map_err(|error| format!("{program} was lost: {error}"))?;
    if output.is_none() && has_ended {
        // A process that it left behind is ended with it, unless that has left its group.
        output = match heard.recv_timeout(REST) {
            Ok(Report::Output(all)) => Some(all),
            _ => return Err(told(format!("{program} left a program behind that keeps its output open"))),
        };
    }
    let too_slow = || told(format!("{program} took longer than {} s", patience.as_secs()));
    let output = output.ok_or_else(too_slow)?;
    let output = output.map_err(|error| format!("{program} could not be heard: {error}"))?;
    if output.len() as u64 >= MOST_OUTPUT {
        return Err(format!("{program} says more than {} kB", MOST_OUTPUT / 1024));
    }
    if !has_ended {
        return Err(too_slow());
    }
    let status = status.code().ok_or_else(|| told(format!("{program} was ended by a signal")))?;
    let last_words = if (0..=Ran::LAST_CHECKED).contains(&status) { Clean::default() } else { words.hear(REST).into() };
    Ok(Ran { status, said: Clean::new(&String::from_utf8_lossy(&output)), last_words })
}

/// Writes a program's input and reads its output, in threads that end with the program.
fn listen(child: &mut Child, input: String) -> Receiver<Report> {
    let (sender, heard) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        // A program need not read its whole input.
        std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    if let Some(stdout) = child.stdout.take() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut output = Vec::new();
            let all = stdout.take(MOST_OUTPUT).read_to_end(&mut output);
            // The receiver is gone after a timeout.
            let _ = sender.send(Report::Output(all.map(|_| output)));
        });
    }
    child::when_ended(child, move || {
        let _ = sender.send(Report::Ended);
    });
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<Clean> {
        ["sh", "-c", script].map(Clean::from).to_vec()
    }

    #[test]
    fn a_program_is_given_the_draft_and_heard_whole_and_cannot_hold_anybody_up() {
        for (what, script, expected) in [
            ("it reads", "wc -c | tr -d ' '; exit 1", Ok((1, "5\n".to_string()))),
            ("it reads nothing", "exit 0", Ok((0, String::new()))),
            ("it never ends", "exec sleep 60", Err("took longer than")),
            ("it never stops talking", "exec yes", Err("says more than 64 kB")),
            ("it is killed", "kill -9 $$", Err("ended by a signal")),
            ("it leaves a program behind", "echo well; sleep 60 & exit 0", Ok((0, "well\n".to_string()))),
            ("it waits for another", "sleep 60; exit 0", Err("took longer than")),
            ("it speaks in colours", "printf '\\033[31mred\\033[0m'", Ok((0, "red".to_string()))),
        ] {
            // Only the program that never ends needs a short timeout.
            let patience = if script.contains("sleep 60;") || script.contains("exec sleep") {
                Duration::from_millis(200)
            } else {
                PATIENCE
            };
            let ran = run(&shell(script), "draft", patience, &ProcessGroups::default());
            match expected {
                Ok(expected) => assert_eq!(ran.map(|ran| (ran.status, ran.said.to_string())), Ok(expected), "{what}"),
                Err(why) => assert!(ran.clone().unwrap_err().contains(why), "{what}: {ran:?}"),
            }
        }
        assert!(
            run(&["/nowhere/at/all".into()], "", PATIENCE, &ProcessGroups::default())
                .unwrap_err()
                .contains("could not be started")
        );
        assert!(run(&[], "", PATIENCE, &ProcessGroups::default()).is_err());
    }

    #[test]
    fn the_last_words_of_a_program_that_could_not_check_are_kept() {
        for (script, words) in [
            ("echo why >&2; exit 2", "why"),
            ("for n in 1 2 3 4 5; do echo $n >&2; done; exit 3", "3; 4; 5"),
            ("echo noise >&2; exit 1", ""),
            ("yes noise | head -c 300000 >&2; echo end >&2; exit 2", "noise; noise; end"),
            ("echo heard >&2; sleep 60 & exit 2", "heard"),
        ] {
            let ran = run(&shell(script), "draft", PATIENCE, &ProcessGroups::default()).unwrap();
            assert_eq!(ran.last_words.as_str(), words, "{script}");
        }
        let why = run(&shell("echo why >&2; kill -9 $$"), "", PATIENCE, &ProcessGroups::default()).unwrap_err();
        assert!(why.ends_with("was ended by a signal. Its last words: why"), "{why}");
    }

    /// Whether a process is there, and is no zombie.
    fn is_there(pid: &str) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        state.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
    }

    #[test]
    fn nothing_that_a_program_has_started_is_left_behind() {
        let ran = run(&shell("sleep 60 & echo $!"), "", PATIENCE, &ProcessGroups::default()).unwrap();
        let until = Instant::now() + PATIENCE;
        while is_there(&ran.said) {
            assert!(Instant::now() < until, "{} goes on", ran.said);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_program_ends_with_the_run_that_started_it() {
        let programs = KillOnDrop::default();
        let groups = programs.groups();
        let runs = std::thread::spawn(move || run(&shell("sleep 60 & wait"), "", PATIENCE, &groups));
        drop(programs);
        let why = runs.join().unwrap().unwrap_err();
        assert!(why.contains("ended by a signal") || why.contains("the run is over"), "{why}");
    }

    #[test]
    fn a_program_is_told_nothing_of_the_environment_but_where_things_are() {
        let ran = run(&shell("env | cut -d= -f1 | sort"), "", PATIENCE, &ProcessGroups::default()).unwrap();
        // The shell adds some of its own.
        let known = ["PATH", "HOME", "LANG", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"];
        assert!(ran.said.lines().all(|name| known.contains(&name)), "{}", ran.said);
    }
}
