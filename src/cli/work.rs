//! Commands that work on a run or show one, on screens or headless.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::args::{Brief, Caps, Face, Look};
use super::drill;
use super::engine::{self, Audience, Found, Prepared};
use super::exit::{self, Failure};
use super::inspect::still_open;
use super::place::Places;
use super::show::{self, Resume};
use desk::{Policy, Stop};
use headless::Trace;
use journal::{Claim, Tail};
use run::Notice;
use run::state::Asks;
use run::{At, CallId, Envelope, Limits, Run, RunId};
use text::Clean;
use tui::Theme;

pub fn brief(places: &Places, look: &Look, mut brief: Brief) -> Result<u8, Failure> {
    if let Some(output) = &brief.output {
        check_output(output)?;
    }
    if without_terminal(&brief.face) {
        let prepared = engine::prepare_new(places, &brief)?;
        if let Some(outlook) = &prepared.outlook {
            exit::say(&outlook.message);
        }
        return without_screens(prepared, &brief.face, brief.output.as_deref());
    }
    let theme = theme(places, look)?;
    let mut prepared = engine::prepare_new(places, &brief)?;
    if let Some(outlook) = prepared.outlook.as_ref().filter(|outlook| outlook.unasked) {
        match ask_first(&outlook.message)? {
            Start::AsTold => {}
            Start::ByRule => {
                brief.thinking.extractive = true;
                prepared = engine::prepare_new(places, &brief)?;
            }
            Start::NotAtAll => return Ok(exit::DONE),
        }
    }
    show::one(theme, prepared, policy_at_screen(&brief.face), brief.output.as_deref())
}

pub fn drill(places: &Places, look: &Look, name: &str, face: &Face) -> Result<u8, Failure> {
    if without_terminal(face) {
        let prepared = engine::prepare_drill(places, name)?;
        prepared
            .drill
            .iter()
            .for_each(|drill| exit::say(&format!("{}: {}", drill.exercise.name, drill.exercise.goes_wrong)));
        return without_screens(prepared, face, None);
    }
    let theme = theme(places, look)?;
    show::one(theme, engine::prepare_drill(places, name)?, policy_at_screen(face), None)
}

/// The person's answer when models are available that were not requested.
enum Start {
    AsTold,
    ByRule,
    NotAtAll,
}

/// Asks before the first run that costs money without a request for models.
fn ask_first(message: &str) -> Result<Start, Failure> {
    exit::say(message);
    loop {
        exit::ask(
            "Enter begins, r does it by rule without models, q leaves (--model or config.toml says it for good): ",
        );
        let mut answer = String::new();
        if std::io::stdin().read_line(&mut answer).map_err(Failure::output)? == 0 {
            return Ok(Start::NotAtAll);
        }
        match answer.trim() {
            "" | "y" | "yes" => return Ok(Start::AsTold),
            "r" | "rule" => return Ok(Start::ByRule),
            "q" | "n" | "no" => return Ok(Start::NotAtAll),
            _ => {}
        }
    }
}

/// Resumes an earlier run, with raised caps if any are given.
pub fn resume(places: &Places, look: &Look, name: &str, caps: &Caps, face: &Face) -> Result<u8, Failure> {
    let headless = without_terminal(face);
    match (engine::prepare_resume(places, name, face.in_doubt, caps.limits())?, headless) {
        (Found::Ours(prepared), true) => without_screens(*prepared, face, None),
        (Found::Ours(prepared), false) => show::one(theme(places, look)?, *prepared, policy_at_screen(face), None),
        (Found::Theirs { id, process }, true) => {
            exit::say(&show::busy_message(&id, process));
            follow(places, &id, face)
        }
        (Found::Theirs { id, process }, false) => {
            let resume = Resume { in_doubt: face.in_doubt, policy: policy_at_screen(face) };
            show::followed(places, theme(places, look)?, &id, process, resume)
        }
    }
}

/// Replays the events of a run on the screens or as lines, without any work.
pub fn replay(places: &Places, look: &Look, name: &str) -> Result<u8, Failure> {
    let (id, reader) = engine::find(places, name)?;
    let (run, recorded) = engine::load(&reader, &id)?;
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        let mut printer = Printer::new(false);
        recorded.iter().for_each(|envelope| printer.print(envelope));
        return printer.finish(None);
    }
    show::replayed(theme(places, look)?, &run, recorded)
}

pub fn home(places: &Places, look: &Look) -> Result<u8, Failure> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::Usage(
            "the home screen needs a terminal. Without one: masthead brief \"QUESTION\" --sources DIR --headless"
                .into(),
        ));
    }
    show::home(places, theme(places, look)?)
}

fn without_terminal(face: &Face) -> bool {
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    face.headless || face.events.is_some() || !terminal
}

fn policy_at_screen(face: &Face) -> Policy {
    if face.yes { Policy::Approve } else { Policy::Ask }
}

fn theme(places: &Places, look: &Look) -> Result<Theme, Failure> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let name = look.theme.as_deref().unwrap_or_else(|| Theme::default_name(no_color));
    let theme = Theme::load(name, Some(&places.config.join("themes")));
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    let ascii = Theme::needs_ascii(set("TERM").as_deref(), locale.as_deref());
    theme.map(|theme| theme.in_ascii(ascii)).map_err(Failure::usage)
}

/// Checks that the brief can be written, before any work is done.
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

struct Printer {
    json: bool,
    trace: Trace,
    /// Whether the output is closed: the run goes on without printing.
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
                vec![run::record::line(envelope)]
            }
            false => self.trace.lines(envelope),
        };
        self.say(&lines);
    }

    /// Prints why a model call waits, which is no event: only people are told.
    fn waits(&mut self, call: CallId, why: &Clean, until: Option<At>) {
        let line = self.trace.waits(call, why, until).filter(|_| !self.json);
        self.say(line.as_slice());
    }

    fn say(&mut self, lines: &[String]) {
        let mut out = std::io::stdout().lock();
        for line in lines {
            self.gone = self.gone || writeln!(out, "{line}").is_err();
        }
        self.gone = self.gone || out.flush().is_err();
    }

    /// Prints the brief or writes it to its file; returns the exit code.
    fn finish(&self, output: Option<&Path>) -> Result<u8, Failure> {
        let run = self.trace.run();
        if run.ended().is_none() {
            return Ok(exit::PARKED);
        }
        self.give_brief(output)?;
        let Some(lesson) = drill::lesson(run) else { return Ok(exit::of_ended(run)) };
        match self.json || self.gone {
            true => exit::say(&lesson),
            false => {
                // A brief ends in an empty line.
                let gap = if run.brief().is_some() { "" } else { "\n" };
                still_open(writeln!(std::io::stdout(), "{gap}{lesson}"))?;
            }
        }
        Ok(drill::code(run))
    }

    fn give_brief(&self, output: Option<&Path>) -> Result<(), Failure> {
        let Some(brief) = export::markdown(self.trace.run()) else { return Ok(()) };
        let mut out = std::io::stdout().lock();
        match output {
            Some(path) => {
                engine::write_atomically(path, &brief)?;
                if !self.json {
                    still_open(writeln!(out, "\nThe brief is in {}", path.display()))?;
                }
            }
            None if !self.json && !self.gone => {
                still_open(writeln!(out, "\n{brief}"))?;
            }
            None => {}
        }
        Ok(())
    }
}

fn without_screens(prepared: Prepared, face: &Face, output: Option<&Path>) -> Result<u8, Failure> {
    let mut printer = Printer::new(face.events.is_some());
    prepared.recorded.iter().for_each(|envelope| printer.trace.skip(envelope));
    go_on_printing(prepared, face, output, printer)
}

/// Works on a run whose earlier events are already printed.
fn go_on_printing(prepared: Prepared, face: &Face, output: Option<&Path>, printer: Printer) -> Result<u8, Failure> {
    let id = prepared.id.clone();
    let printer = Arc::new(Mutex::new(printer));
    let audience: Audience = {
        let printer = printer.clone();
        Arc::new(move |notice| {
            let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
            match notice {
                Notice::Committed(events) => events.iter().for_each(|envelope| printer.print(envelope)),
                Notice::Waiting { call, why, until } => printer.waits(call, &why, until),
                _ => {}
            }
        })
    };
    let policy = if face.yes || prepared.drill.is_some() { Policy::Approve } else { Policy::Park };
    let stop = engine::start(prepared, policy, audience)?.wait();
    let printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
    match stop {
        Ok(Stop::Ended(_)) => {
            let code = printer.finish(output)?;
            if exit::of_ended(printer.trace.run()) == exit::FAILED
                && let Some(outcome) = printer.trace.run().ended()
            {
                exit::say(&format!("run {id} {outcome}"));
            }
            Ok(code)
        }
        Ok(Stop::Parked | Stop::Left) => {
            exit::say(&parked_message(&id, printer.trace.run()));
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

fn parked_message(id: &RunId, run: &Run) -> String {
    match run.asks() {
        Some(Asks::Latch(latch)) => format!(
            "run {id} waits for you: {}. Once that is mended, `masthead resume {id}` goes on",
            latch.why.trim_end_matches('.')
        ),
        Some(Asks::Doubt(_)) => format!(
            "run {id} waits for you: the outcome of {} is unknown. `masthead resume {id}` asks what to do with it, `masthead resume {id} --headless --in-doubt retry` or `skip` says so",
            match (run.in_doubt.len(), run.kind_of_doubts()) {
                (1, kind) => format!("a {kind}"),
                (n, kind) => format!("{n} {kind}s"),
            }
        ),
        None if run.is_all_held() => format!(
            "run {id} waits for you: all open assignments are paused. `masthead resume {id}` opens it (H lets one go on), `masthead resume {id} --headless --yes` lets all go on"
        ),
        Some(Asks::Checkpoint(checkpoint)) => format!(
            "run {id} waits for you: `masthead resume {id}` opens it, `masthead resume {id} --headless --yes` {}{}",
            checkpoint.subject.by_policy(),
            checkpoint.findings().and_then(|_| cap_message(id, run)).unwrap_or_default()
        ),
        None => format!("run {id} waits for you: `masthead resume {id}` opens it"),
    }
}

fn cap_message(id: &RunId, run: &Run) -> Option<String> {
    let researchers = run.assignments.iter().rev().filter(|assignment| assignment.task.is_some());
    // Only the last round of a task counts: an earlier gap may have been filled.
    let mut seen = Vec::new();
    let refusal = researchers.filter(|assignment| {
        let last = !seen.contains(&assignment.task);
        seen.push(assignment.task);
        last
    });
    let cap = refusal.filter_map(|assignment| assignment.transcript.refusal()).last()?.cap;
    let option = cap.flag()?;
    let in_force = cap.written(run.ledger.run().limits.cap(cap)?);
    Some(format!(
        ". The {cap} of {in_force} kept the research from going on: `masthead resume {id} {option} ...` raises it, and m asks for more there"
    ))
}

/// Follows a run until it ends; works on it when the other process is gone.
fn follow(places: &Places, id: &RunId, face: &Face) -> Result<u8, Failure> {
    let mut printer = Printer::new(face.events.is_some());
    let mut tail = Tail::default();
    loop {
        let active = Claim::is_taken(&places.data, id);
        let (_, reader) = engine::find(places, id.as_str())?;
        reader.events_after(id, &mut tail, |envelope| printer.print(&envelope))?;
        if printer.trace.run().ended().is_some() || printer.gone {
            return printer.finish(None);
        }
        if active {
            std::thread::sleep(Duration::from_millis(200));
            continue;
        }
        if let Found::Ours(prepared) = engine::prepare_resume(places, id.as_str(), face.in_doubt, Limits::default())? {
            exit::say(&format!("run {id}: the other process is gone; this one goes on with it"));
            let printed = printer.trace.run().seq;
            prepared
                .recorded
                .iter()
                .filter(|envelope| envelope.seq > printed)
                .for_each(|envelope| printer.print(envelope));
            return go_on_printing(*prepared, face, None, printer);
        }
    }
}
