//! Commands that work on a run, or show one, in either face.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::args::{Brief, Face, Look};
use super::engine::{self, Audience, Found, Prepared};
use super::exit::{self, Failure};
use super::inspect::carried_on;
use super::place::Places;
use crate::desk::{Notice, Policy, Stop};
use crate::export;
use crate::headless::{Trace, json_line};
use crate::journal::Tail;
use crate::run::{Envelope, RunId};

/// A new run.
pub fn brief(places: &Places, look: &Look, brief: Brief) -> Result<u8, Failure> {
    if let Some(output) = &brief.output {
        check_output(output)?;
    }
    let prepared = engine::prepare_new(places, &brief)?;
    let _ = look;
    without_screens(prepared, &brief.face, brief.output.as_deref())
}

/// An earlier run, from where it was.
pub fn resume(places: &Places, look: &Look, name: &str, face: &Face) -> Result<u8, Failure> {
    let _ = look;
    match engine::prepare_resume(places, name)? {
        Found::Ours(prepared) => without_screens(*prepared, face, None),
        Found::Theirs { id, process } => {
            exit::say(&being_worked_on(&id, process));
            follow(places, &id, face)
        }
    }
}

/// A run's events told again; no work is done.
pub fn replay(places: &Places, look: &Look, name: &str) -> Result<u8, Failure> {
    let _ = look;
    let (id, reader) = engine::find(places, name)?;
    let (_, recorded) = engine::load(&reader, &id)?;
    let mut printer = Printer::new(false);
    for envelope in &recorded {
        printer.print(envelope);
    }
    printer.finish(None)
}

/// The home screen.
pub fn home(_places: &Places, _look: &Look) -> Result<u8, Failure> {
    Err(Failure::Usage(
        "the home screen needs a terminal; without one: masthead brief \"QUESTION\" --sources DIR".into(),
    ))
}

fn being_worked_on(id: &RunId, process: Option<u32>) -> String {
    let who = process.map_or("another process".to_string(), |process| format!("process {process}"));
    format!("run {id} is being worked on by {who}: this view is read-only")
}

/// A brief nobody can write is better known before the work than after it.
fn check_output(output: &Path) -> Result<(), Failure> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if output.is_dir() || !folder.is_dir() {
        return Err(Failure::Usage(format!(
            "the brief cannot be written to {}: name a file in a folder that is there",
            output.display()
        )));
    }
    Ok(())
}

/// Prints a run as it goes.
struct Printer {
    json: bool,
    trace: Trace,
    /// Nobody reads any more: work goes on, printing does not.
    gone: bool,
}

impl Printer {
    fn new(json: bool) -> Printer {
        Printer { json, trace: Trace::default(), gone: false }
    }

    fn print(&mut self, envelope: &Envelope) {
        let lines = match self.json {
            true => {
                self.trace.skip(envelope);
                vec![json_line(envelope)]
            }
            false => self.trace.lines(envelope),
        };
        let mut out = std::io::stdout().lock();
        for line in lines {
            self.gone = self.gone || writeln!(out, "{line}").is_err();
        }
        self.gone = self.gone || out.flush().is_err();
    }

    /// Prints the brief, or writes it to its file; the exit code.
    fn finish(&self, output: Option<&Path>) -> Result<u8, Failure> {
        let run = self.trace.run();
        if run.ended().is_none() {
            return Ok(exit::PARKED);
        }
        let Some(brief) = export::markdown(run) else { return Ok(exit::of_ended(run)) };
        let mut out = std::io::stdout().lock();
        match output {
            Some(path) => {
                engine::write_atomically(path, &brief)?;
                if !self.json {
                    carried_on(writeln!(out, "\nThe brief is in {}", path.display()))?;
                }
            }
            None if !self.json && !self.gone => {
                carried_on(writeln!(out, "\n{brief}"))?;
            }
            None => {}
        }
        Ok(exit::of_ended(run))
    }
}

fn without_screens(prepared: Prepared, face: &Face, output: Option<&Path>) -> Result<u8, Failure> {
    let id = prepared.id.clone();
    let mut printer = Printer::new(face.events.is_some());
    prepared.recorded.iter().for_each(|envelope| printer.trace.skip(envelope));
    let printer = Arc::new(Mutex::new(printer));
    let audience: Audience = {
        let printer = printer.clone();
        Arc::new(move |notice| {
            if let Notice::Committed(events) = notice {
                let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
                events.iter().for_each(|envelope| printer.print(envelope));
            }
        })
    };
    let policy = if face.yes { Policy::Approve } else { Policy::Park };
    let stop = engine::start(prepared, policy, audience)?.wait();
    let printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
    match stop {
        Ok(Stop::Ended(_)) => {
            let code = printer.finish(output)?;
            if code == exit::FAILED
                && let Some(outcome) = printer.trace.run().ended()
            {
                exit::say(&format!("run {id} {outcome}"));
            }
            Ok(code)
        }
        Ok(Stop::Parked | Stop::Left) => {
            exit::say(&format!(
                "run {id} waits for you: `masthead resume {id}` opens it, `masthead resume {id} --headless --yes` approves what it found"
            ));
            Ok(exit::PARKED)
        }
        Ok(Stop::Sources(why)) => {
            Err(Failure::NotWritten(format!("{why}\nNothing is lost: `masthead resume {id}` tries again")))
        }
        Ok(Stop::Journal(error)) => Err(Failure::Journal(error)),
        Err(signal) => {
            exit::say(&format!("interrupted. Everything recorded is safe: `masthead resume {id}` goes on"));
            Ok(128 + u8::try_from(signal).unwrap_or(2))
        }
    }
}

/// Follows a run that another process works on, until it ends or waits for a person.
fn follow(places: &Places, id: &RunId, face: &Face) -> Result<u8, Failure> {
    let mut printer = Printer::new(face.events.is_some());
    let mut tail = Tail::default();
    loop {
        let (_, reader) = engine::find(places, id.as_str())?;
        reader.events_after(id, &mut tail, |envelope| printer.print(&envelope))?;
        let run = printer.trace.run();
        if run.ended().is_some() || run.open_checkpoint().is_some() || printer.gone {
            return printer.finish(None);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The sources a new run starts with on the home screen: the folder the program was started in.
#[allow(dead_code)]
fn here() -> Vec<PathBuf> {
    std::env::current_dir().into_iter().collect()
}
