//! A user's own program that checks a draft: with limits on its time and output, and without the environment, which may
//! contain keys. All processes that it starts end with it.

use std::io::{Read, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::process_group::ProcessGroup;
use run::tool::Ran;
use text::Clean;

/// The timeout of a program.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How long its child processes may go on writing once it has ended.
const GRACE: Duration = Duration::from_millis(250);
/// The most bytes of its output.
const MOST_OUTPUT: u64 = 64 * 1024;
/// The most bytes that are kept of the end of its standard error, and the most lines that are told of it.
const MOST_WORDS: usize = 4 * 1024;
const LAST_LINES: usize = 3;
/// The longest last line, in characters.
const LONGEST_LINE: usize = 200;
/// The environment variables it gets: paths and locale.
const KEPT: [&str; 4] = ["PATH", "HOME", "LANG", "LC_ALL"];

/// Ends a program with its child processes on drop; afterwards none can be started.
#[derive(Debug, Default)]
pub struct Leash(ProcessGroup);

impl Leash {
    /// What the program is held by.
    pub fn held(&self) -> ProcessGroup {
        self.0.clone()
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What the threads report of a program.
enum Heard {
    /// The whole output of the program and its child processes.
    Output(std::io::Result<Vec<u8>>),
    /// It has ended, and was not waited for yet.
    Ended,
}

/// Runs a program with `input` on its standard input, for at most `patience`.
///
/// # Errors
/// It cannot be started, takes too long, or is ended by a signal. In words for a person.
pub fn run(command: &[Clean], input: &str, patience: Duration, held: &ProcessGroup) -> Result<Ran, String> {
    let Some((program, args)) = command.split_first() else { return Err("the gate names no program".into()) };
    let mut command = Command::new(program.as_str());
    command
        .args(args.iter().map(Clean::as_str))
        .env_clear()
        .envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = held.start(&mut command).map_err(|error| format!("{program} could not be started: {error}"))?;
    let mut child = started.ok_or_else(|| format!("{program} could not be started: the run is over"))?;
    let heard = listen(&mut child, input.to_owned());
    let words = LastWords::of(child.stderr.take());
    let told = |why: String| words.after(why);
    let (mut output, mut has_ended) = (None, false);
    let mut until = Instant::now() + patience;
    while output.is_none() || !has_ended {
        match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Heard::Output(all)) => {
                let is_too_much = all.as_ref().is_ok_and(|all| all.len() as u64 >= MOST_OUTPUT);
                output = Some(all);
                if is_too_much {
                    break;
                }
            }
            Ok(Heard::Ended) => {
                has_ended = true;
                until = until.min(Instant::now() + GRACE);
            }
            Err(_) => break,
        }
    }
    let status = held.end(&mut child).map_err(|error| format!("{program} was lost: {error}"))?;
    if output.is_none() && has_ended {
        // What it left behind is ended with it, unless that has left its group.
        output = match heard.recv_timeout(GRACE) {
            Ok(Heard::Output(all)) => Some(all),
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
    let last_words = if (0..=Ran::LAST_CHECKED).contains(&status) { Clean::default() } else { words.hear() };
    Ok(Ran { status, said: Clean::new(&String::from_utf8_lossy(&output)), last_words })
}

/// The last lines that a program wrote on its standard error.
struct LastWords {
    tail: Arc<Mutex<Vec<u8>>>,
    /// Ends when nobody can write there any more.
    end: Receiver<()>,
}

impl LastWords {
    /// Reads all of it, and keeps the end.
    fn of(stderr: Option<ChildStderr>) -> LastWords {
        let tail: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (sender, end) = channel();
        let kept = tail.clone();
        std::thread::spawn(move || {
            let (mut stderr, mut buffer) = (stderr, [0; 1024]);
            while let Some(Ok(read @ 1..)) = stderr.as_mut().map(|stderr| stderr.read(&mut buffer)) {
                let mut kept = locked(&kept);
                kept.extend_from_slice(&buffer[..read]);
                let over = kept.len().saturating_sub(MOST_WORDS);
                kept.drain(..over);
            }
            drop(sender);
        });
        LastWords { tail, end }
    }

    /// Its last lines. The program has ended; its own children may go on writing.
    fn hear(&self) -> Clean {
        let _ = self.end.recv_timeout(GRACE);
        let text = String::from_utf8_lossy(&locked(&self.tail)).into_owned();
        let lines: Vec<String> = text
            .lines()
            .map(|line| Clean::line(line).trim().chars().take(LONGEST_LINE).collect::<String>())
            .filter(|line| !line.is_empty())
            .collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join("; ").into()
    }

    /// Why a program failed, with its last words if there are any.
    fn after(&self, why: String) -> String {
        match self.hear() {
            words if words.is_empty() => why,
            words => format!("{why}. Its last words: {words}"),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a program's input and reads its output, in threads that end with the program.
fn listen(child: &mut Child, input: String) -> Receiver<Heard> {
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
            let _ = sender.send(Heard::Output(all.map(|_| output)));
        });
    }
    let leader = WaitId::Pid(Pid::from_child(child));
    std::thread::spawn(move || {
        // It stays a zombie until it is waited for, so that its number is not reused.
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(leader.clone(), how), Err(rustix::io::Errno::INTR)) {}
        let _ = sender.send(Heard::Ended);
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
            let ran = run(&shell(script), "draft", patience, &ProcessGroup::default());
            match expected {
                Ok(expected) => assert_eq!(ran.map(|ran| (ran.status, ran.said.to_string())), Ok(expected), "{what}"),
                Err(why) => assert!(ran.clone().unwrap_err().contains(why), "{what}: {ran:?}"),
            }
        }
        assert!(
            run(&["/nowhere/at/all".into()], "", PATIENCE, &ProcessGroup::default())
                .unwrap_err()
                .contains("could not be started")
        );
        assert!(run(&[], "", PATIENCE, &ProcessGroup::default()).is_err());
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
            let ran = run(&shell(script), "draft", PATIENCE, &ProcessGroup::default()).unwrap();
            assert_eq!(ran.last_words.as_str(), words, "{script}");
        }
        let why = run(&shell("echo why >&2; kill -9 $$"), "", PATIENCE, &ProcessGroup::default()).unwrap_err();
        assert!(why.ends_with("was ended by a signal. Its last words: why"), "{why}");
    }

    /// Whether a process is there, and is no zombie.
    fn is_there(pid: &str) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        state.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
    }

    #[test]
    fn nothing_that_a_program_has_started_is_left_behind() {
        let ran = run(&shell("sleep 60 & echo $!"), "", PATIENCE, &ProcessGroup::default()).unwrap();
        let ends = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(2));
            !is_there(&ran.said)
        });
        assert!(ends, "{}", ran.said);
    }

    #[test]
    fn a_program_ends_with_the_run_that_started_it() {
        let leash = Leash::default();
        let held = leash.held();
        let runs = std::thread::spawn(move || run(&shell("sleep 60 & wait"), "", PATIENCE, &held));
        drop(leash);
        let why = runs.join().unwrap().unwrap_err();
        assert!(why.contains("ended by a signal") || why.contains("the run is over"), "{why}");
    }

    #[test]
    fn a_program_is_told_nothing_of_the_environment_but_where_things_are() {
        let ran = run(&shell("env | cut -d= -f1 | sort"), "", PATIENCE, &ProcessGroup::default()).unwrap();
        // The shell adds some of its own.
        let known = ["PATH", "HOME", "LANG", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"];
        assert!(ran.said.lines().all(|name| known.contains(&name)), "{}", ran.said);
    }
}
