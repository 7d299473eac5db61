//! The person's own program that is started when a run needs them: `[notify] command` in config.toml. It gets no keys, and its output goes
//! nowhere.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use super::engine::Audience;
use super::exit::Failure;
use super::place::Places;
use run::{Notice, Run, RunId, alarm};
use text::Clean;
use text::locked::Locked;

/// The program of `[notify] command` in config.toml.
pub fn command(places: &Places) -> Result<Option<Vec<String>>, Failure> {
    let command = config::load(&places.config).map_err(Failure::usage)?.notify.command;
    Ok((!command.is_empty()).then_some(command))
}

/// An audience that also starts the person's own program whenever there is something new to call them for.
pub fn calling(command: Vec<String>, id: RunId, run: Run, audience: Audience) -> Audience {
    let state = Mutex::new((alarm::of(&run), run));
    Arc::new(move |notice| {
        if let Notice::Committed(events) = &notice {
            let mut state = state.locked();
            events.iter().for_each(|envelope| state.1.apply(envelope));
            let now = alarm::of(&state.1);
            if let Some(words) = now.as_ref().filter(|_| now != state.0) {
                call(&command, &id, words);
            }
            state.0 = now;
        }
        audience(notice);
    })
}

/// The variables of the environment that the program that calls the person is given.
const CALLS_WITH: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "TERM",
    "TMUX",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Starts the program with the message as its last argument, and waits for it elsewhere. Its output goes nowhere: it must
/// not write over the screen.
fn call(command: &[String], id: &RunId, words: &str) {
    let [program, arguments @ ..] = command else { return };
    let message = Clean::line(&format!("masthead {id}: {words}"));
    let mut process = Command::new(program);
    process.args(arguments).arg(message.as_str());
    // Keys are in the environment: it is told where programs and the desktop are, and nothing else.
    process.env_clear().envs(CALLS_WITH.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    process.env("MASTHEAD_RUN", id.as_str());
    let started = process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => tracing::warn!(%error, %program, "the program of [notify] command cannot be started"),
    }
}
