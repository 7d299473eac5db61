//! A run as lines on standard output: its events as they come, its brief, and the message at its end. Decides nothing of the
//! run, and draws no screen.

use std::io::{ErrorKind, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::args::Face;
use super::drill;
use super::engine::{self, Audience, Changes, Found, Prepared};
use super::exit::{self, Failure};
use super::log;
use super::output::Output;
use super::place::Places;
use super::plain::{self, Asking};
use super::work::policy_at_screen;
use desk::{Halt, Policy};
use headless::Trace;
use journal::Tail;
use run::checkpoint::question::Wants;
use run::checkpoint::{Checkpoint, Subject};
use run::state::Asks;
use run::{At, CallId, Envelope, Notice, Run, RunId};
use text::Clean;
use text::locked::Locked;

/// Prints the events of a run and its result.
pub fn print_whole(recorded: &[Arc<Envelope>]) -> Result<u8, Failure> {
    let mut printer = Printer::new(false);
    recorded.iter().for_each(|envelope| printer.print(envelope));
    printer.finish(None)
}

/// Prints the events of an imported run as lines. The end of the run is no result of this command.
pub fn print_recorded(recorded: &[Arc<Envelope>]) -> Result<u8, Failure> {
    let mut lines = Lines::default();
    lines.print(recorded);
    lines.0.coded(exit::DONE)
}

/// Events as lines on standard output.
pub struct Lines(Printer);

impl Default for Lines {
    fn default() -> Lines {
        Lines(Printer::new(false))
    }
}

impl Lines {
    /// Prints events; false once nobody reads on.
    pub fn print(&mut self, events: &[Arc<Envelope>]) -> bool {
        events.iter().for_each(|envelope| self.0.print(envelope));
        self.0.is_open()
    }

    /// Of a run whose events were replaced, prints those that follow the printed ones.
    pub fn print_after(&mut self, events: &[Arc<Envelope>]) -> bool {
        let printed = self.0.trace.run().seq;
        let (before, new): (Vec<_>, Vec<_>) = events.iter().cloned().partition(|envelope| envelope.seq <= printed);
        self.0.trace = Trace::default();
        before.iter().for_each(|envelope| self.0.trace.skip(envelope));
        self.print(&new)
    }
}

struct Printer {
    json: bool,
    trace: Trace,
    stream: Stream,
}

/// The state of standard output. The run goes on without it: its work is in the journal.
enum Stream {
    Open,
    /// The pipe is closed: nobody wants to read on.
    Closed,
    /// It could not be written, as on a full disk; the command does not end well.
    Failed,
}

impl Printer {
    fn new(json: bool) -> Printer {
        Printer { json, trace: Trace::default(), stream: Stream::Open }
    }

    fn is_open(&self) -> bool {
        matches!(self.stream, Stream::Open)
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

    /// Prints a notice of the desk.
    fn told(&mut self, notice: &Notice) {
        match notice {
            Notice::Committed(events) => events.iter().for_each(|envelope| self.print(envelope)),
            Notice::Waiting { call, why, until } => self.waits(*call, why, *until),
            Notice::GoesOn { call, progress } => self.goes_on(*call, progress),
            Notice::Said(what) | Notice::Refused(what) => exit::say(what),
            _ => {}
        }
    }

    /// Prints why a model call waits: no event, so it goes to people only.
    fn waits(&mut self, call: CallId, why: &Clean, until: Option<At>) {
        let line = self.trace.waits(call, why, until).filter(|_| !self.json);
        self.say(line.as_slice());
    }

    /// Prints how far the answer to a model call is, now and then.
    fn goes_on(&mut self, call: CallId, progress: &run::progress::Progress) {
        let line = self.trace.goes_on(call, progress).filter(|_| !self.json);
        self.say(line.as_slice());
    }

    fn say(&mut self, lines: &[String]) {
        if !self.is_open() {
            return;
        }
        let mut out = std::io::stdout().lock();
        let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
        self.stream = match written {
            Ok(()) => Stream::Open,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Stream::Closed,
            Err(error) => {
                exit::say(&Failure::output(error).to_string());
                Stream::Failed
            }
        };
    }

    /// The exit code, unless the printed text is not whole.
    fn coded(&self, code: u8) -> Result<u8, Failure> {
        match (&self.stream, &self.trace.run().opening) {
            (Stream::Failed, Some(opening)) => Err(Failure::NotWritten(format!(
                "what run {run} printed is not whole, but nothing of it is lost: `masthead replay {run}` prints it again",
                run = opening.run
            ))),
            (Stream::Failed, None) => Ok(exit::NOT_WRITTEN),
            _ => Ok(code),
        }
    }

    /// Prints the brief or writes it to its file; returns the exit code.
    fn finish(&mut self, output: Option<&Output>) -> Result<u8, Failure> {
        if self.trace.run().ended().is_none() {
            return self.coded(exit::PARKED);
        }
        self.give_brief(output)?;
        let run = self.trace.run();
        let Some(lesson) = drill::lesson(run) else { return self.coded(exit::of_ended(run)) };
        let code = drill::code(run);
        match self.json || !self.is_open() {
            true => exit::say(&lesson),
            false => {
                // A brief ends in an empty line.
                let gap = if run.brief().is_some() { "" } else { "\n" };
                self.say(&[format!("{gap}{lesson}")]);
            }
        }
        self.coded(code)
    }

    fn give_brief(&mut self, output: Option<&Output>) -> Result<(), Failure> {
        let Some(brief) = export::markdown(self.trace.run()) else { return Ok(()) };
        match output {
            Some(output) => {
                output.write(&brief)?;
                if let Some(file) = output.named().filter(|_| !self.json) {
                    exit::say(&format!("the brief is in {file}"));
                }
            }
            None if !self.json => self.say(&[format!("\n{brief}")]),
            None => {}
        }
        Ok(())
    }
}

/// Works on a run in lines. The result is its exit code.
pub fn without_screens(prepared: Prepared, face: &Face, output: Option<&Output>) -> Result<u8, Failure> {
    let mut printer = Printer::new(face.events.is_some());
    prepared.recorded.iter().for_each(|envelope| printer.trace.skip(envelope));
    go_on_printing(prepared, face, output, printer)
}

/// Works on a run whose earlier events are already printed.
fn go_on_printing(prepared: Prepared, face: &Face, output: Option<&Output>, printer: Printer) -> Result<u8, Failure> {
    let id = prepared.id.clone();
    let printer = Arc::new(Mutex::new(printer));
    let audience: Audience = {
        let printer = printer.clone();
        Arc::new(move |notice| {
            // Nothing is printed of it, and readers of a stream wait for no line.
            if !matches!(notice, Notice::Heard { .. }) {
                printer.locked().told(&notice);
            }
        })
    };
    let policy = if face.yes || prepared.drill.is_some() { Policy::Approve } else { Policy::Park };
    let stop = engine::start(prepared, policy, audience).wait();
    let mut printer = printer.locked();
    stopped(&id, stop, &mut printer, output)
}

/// Works on a run in lines that are only appended, and asks at checkpoints.
pub fn in_plain_lines(prepared: Prepared, face: &Face, output: Option<&Output>) -> Result<u8, Failure> {
    let mut printer = Printer::new(false);
    prepared.recorded.iter().for_each(|envelope| printer.trace.skip(envelope));
    let run = Run::fold(prepared.recorded.iter().map(|envelope| &**envelope));
    let id = prepared.id.clone();
    let (audience, told) = plain::audience();
    let working = engine::start(prepared, policy_at_screen(face), audience);
    let commands = working.commands();
    let send = |command| {
        // A desk that has stopped has told so.
        let _ = commands.send(command);
    };
    let asking = Asking::new(std::io::stdin().lock(), std::io::stdout());
    if plain::follow(&told, |notice| printer.told(notice), run, send, asking) {
        drop(commands);
        working.leave();
        exit::say(&parked_message(&id, printer.trace.run()));
        return printer.coded(exit::PARKED);
    }
    drop(commands);
    stopped(&id, working.wait(), &mut printer, output)
}

/// Prints why the desk has stopped, and returns the exit code.
fn stopped(id: &RunId, stop: Result<Halt, i32>, printer: &mut Printer, output: Option<&Output>) -> Result<u8, Failure> {
    match stop {
        Ok(Halt::Ended(_)) => {
            let code = printer.finish(output)?;
            let words = exit::in_words(printer.trace.run()).filter(|_| drill::lesson(printer.trace.run()).is_none());
            if let Some(words) = words {
                exit::say(&format!("run {id} {words}"));
            }
            Ok(code)
        }
        Ok(Halt::Parked | Halt::Left) => {
            exit::say(&parked_message(id, printer.trace.run()));
            printer.coded(exit::PARKED)
        }
        Ok(Halt::Sources(why)) => {
            Err(Failure::NotWritten(format!("{why}\nNothing is lost: `masthead resume {id}` tries again")))
        }
        Ok(Halt::Journal(error)) => Err(Failure::Journal(error)),
        Ok(Halt::Fault) => Err(Failure::Fault { log: log::folder() }),
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
        None if run.is_all_paused() => format!(
            "run {id} waits for you: all open assignments are paused. `masthead resume {id}` opens it (H lets one go on), `masthead resume {id} --headless --yes` lets all go on"
        ),
        Some(Asks::Checkpoint(checkpoint)) if checkpoint.subject.is_for_a_person() => format!(
            "run {id} stands at a breakpoint, and nothing of it is lost: `masthead resume {id}` opens it, `masthead resume {id} --headless` sends it on (--answer drop or refuse=MESSAGE says otherwise, --payload FILE sends something else)"
        ),
        Some(Asks::Checkpoint(checkpoint))
            if checkpoint.question().is_some_and(|question| question.wants == Wants::AfterFailure) =>
        {
            format!(
                "run {id} waits for you, about work that failed: `masthead resume {id}` opens it, `masthead resume {id} --headless --answer again` tries it once more (without goes on without it, fail ends the run)"
            )
        }
        Some(Asks::Checkpoint(checkpoint)) => format!(
            "run {id} waits for you: `masthead resume {id}` opens it, `masthead resume {id} --headless --yes` {}{}{}",
            checkpoint.subject.by_policy(),
            approved_alone(run, checkpoint),
            checkpoint.findings().and_then(|_| cap_message(id, run)).unwrap_or_default()
        ),
        None => format!("run {id} waits for you: `masthead resume {id}` opens it"),
    }
}

/// The hint how to approve this checkpoint only; empty where the run stops at none after it.
fn approved_alone(run: &Run, checkpoint: &Checkpoint) -> &'static str {
    let stops_again = match &*checkpoint.subject {
        Subject::Plan(_) => true,
        Subject::Findings(_) => run.opening.as_ref().is_some_and(|opening| opening.team.check_draft),
        _ => false,
    };
    match stops_again {
        true => ", `--answer approve` in place of `--yes` approves this alone and goes on to its next stop",
        false => "",
    }
}

fn cap_message(id: &RunId, run: &Run) -> Option<String> {
    let researchers = run.assignments().rev().filter(|assignment| assignment.task.is_some());
    // Only the last round of a task counts: an earlier gap may have been filled.
    let mut seen = Vec::new();
    let mut of_last_rounds = researchers.filter(|assignment| {
        let last = !seen.contains(&assignment.task);
        seen.push(assignment.task);
        last
    });
    let cap = of_last_rounds.find_map(|assignment| assignment.transcript.last_refusal())?.cap;
    let option = cap.flag()?;
    let in_force = cap.written(run.ledger.run().limits.cap(cap)?);
    Some(format!(
        ". The {cap} of {in_force} kept the research from going on: `masthead resume {id} {option} ...` raises it, and m asks for more there"
    ))
}

/// Follows a run until it ends; works on it when the other process is gone.
pub fn follow(places: &Places, id: &RunId, face: &Face, output: Option<&Output>) -> Result<u8, Failure> {
    let mut printer = Printer::new(face.events.is_some());
    let mut tail = Tail::default();
    let (_, reader) = engine::find(places, id.as_str())?;
    loop {
        let active = places.journal().is_claimed(id)?;
        reader.events_after(id, &mut tail, |envelope| printer.print(&envelope))?;
        if printer.trace.run().ended().is_some() {
            return printer.finish(output);
        }
        if !printer.is_open() {
            return printer.coded(exit::PARKED);
        }
        if active {
            std::thread::sleep(Duration::from_millis(200));
            continue;
        }
        if let Found::Ours(prepared) = engine::prepare_resume(places, id.as_str(), face.in_doubt, &Changes::default())?
        {
            exit::say(&format!("run {id}: the other process is gone; this one goes on with it"));
            let printed = printer.trace.run().seq;
            prepared
                .recorded
                .iter()
                .filter(|envelope| envelope.seq > printed)
                .for_each(|envelope| printer.print(envelope));
            return go_on_printing(*prepared, face, output, printer);
        }
    }
}
