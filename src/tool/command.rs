//! A program of the user's own that reads a draft: with limits on its time and on what it may say, and without the
//! environment, in which keys are.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use run::tool::Ran;
use text::Clean;

/// The longest time that it may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes of its output.
const MOST_SAID: u64 = 64 * 1024;
/// What of the environment it is given: where programs are, and how to talk to a person.
const KEPT: [&str; 4] = ["PATH", "HOME", "LANG", "LC_ALL"];

/// Runs a program with `input` on its standard input, for so long at the most.
///
/// # Errors
/// It cannot be started, takes too long, or is ended by a signal. In words for a person.
pub fn run(command: &[Clean], input: &str, patience: Duration) -> Result<Ran, String> {
    let Some((program, args)) = command.split_first() else { return Err("the gate names no program".into()) };
    let mut child = Command::new(program.as_str())
        .args(args.iter().map(Clean::as_str))
        .env_clear()
        .envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{program} could not be started: {error}"))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (sender, receiver) = mpsc::channel();
    let said = std::thread::scope(|scope| {
        if let Some(mut stdin) = stdin {
            // A program need not read to the end.
            scope.spawn(move || drop(stdin.write_all(input.as_bytes())));
        }
        if let Some(stdout) = stdout {
            scope.spawn(move || {
                let mut said = Vec::new();
                let heard = stdout.take(MOST_SAID).read_to_end(&mut said);
                // The receiver is gone if the time was up.
                let _ = sender.send(heard.map(|_| said));
            });
        }
        let said = receiver.recv_timeout(patience);
        if !matches!(&said, Ok(Ok(said)) if (said.len() as u64) < MOST_SAID) {
            // It may have ended by itself in between.
            let _ = child.kill();
        }
        said
    });
    let status = child.wait().map_err(|error| format!("{program} was lost: {error}"))?;
    let said = said
        .map_err(|_| format!("{program} took longer than {} s", patience.as_secs()))?
        .map_err(|error| format!("{program} could not be heard: {error}"))?;
    if said.len() as u64 == MOST_SAID {
        return Err(format!("{program} says more than {} kB", MOST_SAID / 1024));
    }
    let status = status.code().ok_or_else(|| format!("{program} was ended by a signal"))?;
    Ok(Ran { status, said: Clean::new(&String::from_utf8_lossy(&said)) })
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
            ("it speaks in colours", "printf '\\033[31mred\\033[0m'", Ok((0, "red".to_string()))),
        ] {
            // Only the program that never ends needs a short timeout.
            let patience = if script.contains("sleep") { Duration::from_millis(200) } else { PATIENCE };
            let ran = run(&shell(script), "draft", patience);
            match expected {
                Ok(expected) => assert_eq!(ran.map(|ran| (ran.status, ran.said.to_string())), Ok(expected), "{what}"),
                Err(why) => assert!(ran.clone().unwrap_err().contains(why), "{what}: {ran:?}"),
            }
        }
        assert!(run(&["/nowhere/at/all".into()], "", PATIENCE).unwrap_err().contains("could not be started"));
        assert!(run(&[], "", PATIENCE).is_err());
    }

    #[test]
    fn a_program_is_told_nothing_of_the_environment_but_where_things_are() {
        let ran = run(&shell("env | cut -d= -f1 | sort"), "", PATIENCE).unwrap();
        // The shell adds some of its own.
        let known = ["PATH", "HOME", "LANG", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"];
        assert!(ran.said.lines().all(|name| known.contains(&name)), "{}", ran.said);
    }
}
