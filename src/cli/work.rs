//! Commands that work on a run or show one, on screens or headless.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::against_one;
use super::args::{Brief, Face, Fork, Look, Shade};
use super::drill;
use super::engine::{self, Audience, Changes, Found, Prepared};
use super::exit::{self, Failure};
use super::fork::{self, Wanted};
use super::inspect;
use super::keymap;
use super::mcp::{self, Answered};
use super::output::Output;
use super::place::Places;
use super::plain;
use super::recording::{self, Replayed};
use super::show::{self, Resume};
use config::Background;
use desk::{Policy, Stop};
use headless::Trace;
use journal::Tail;
use run::Notice;
use run::checkpoint::question::Wants;
use run::state::Asks;
use run::{At, CallId, Envelope, Run, RunId, Seq};
use text::Clean;
use tui::Theme;

pub fn brief(places: &Places, look: &Look, mut brief: Brief) -> Result<u8, Failure> {
    if let (Some(run), Some(prompts)) = (&brief.answers_from, &brief.with_prompts) {
        let Brief { caps, face, breaks, check_plan, check_draft, output, .. } = &brief;
        let (prompts, limits, breaks) = (Some(prompts.as_path()), caps.limits(), &breaks.on[..]);
        let (check_plan, check_draft, in_doubt) = (*check_plan, *check_draft, face.in_doubt);
        let wanted =
            Wanted { run, at: Seq(1), prompts, limits, breaks, check_plan, check_draft, in_doubt, ..Wanted::default() };
        return forked(places, look, &wanted, face, output.as_deref());
    }
    if brief.compare {
        return against_one::brief(places, &brief);
    }
    let output = brief.output.as_deref().map(Output::open).transpose()?;
    if brief.face.plain {
        let Some(prepared) = with_servers_approved(places, &mut brief)? else { return Ok(exit::DONE) };
        let prepared = match first_asked(places, &mut brief, prepared)? {
            Some(prepared) => prepared,
            None => return Ok(exit::DONE),
        };
        return in_plain_lines(prepared, &brief.face, output.as_ref());
    }
    // A name that is wrong is said to be, also where no screen shows the theme.
    let theme = theme(places, look)?;
    if without_terminal(&brief.face) {
        let prepared = engine::prepare_new(places, &brief)?;
        if let Some(outlook) = &prepared.outlook {
            if outlook.unasked && !brief.face.yes {
                return Err(Failure::Usage(format!(
                    "no flag or setting asks for models that cost money, and nobody is there to ask. Available are {}. \
                     --yes or --model uses them, --max-cost caps what they cost, --extractive works without a model",
                    outlook.message
                )));
            }
            exit::say(&outlook.message);
        }
        return without_screens(prepared, &brief.face, output.as_ref());
    }
    let Some(prepared) = with_servers_approved(places, &mut brief)? else { return Ok(exit::DONE) };
    let Some(prepared) = first_asked(places, &mut brief, prepared)? else { return Ok(exit::DONE) };
    show::one(places, theme, prepared, policy_at_screen(&brief.face), output.as_ref())
}

/// Prepares a new run. Where an MCP server is not approved as it is, the person is asked; None if they leave.
fn with_servers_approved(places: &Places, brief: &mut Brief) -> Result<Option<Prepared>, Failure> {
    loop {
        match engine::prepare_new(places, brief) {
            Err(Failure::Unapproved { name, why }) => match asked_to_approve(places, &name, &why)? {
                Answered::Approved => {}
                Answered::Without => brief.no_mcp = true,
                Answered::Leave => return Ok(None),
            },
            prepared => return prepared.map(Some),
        }
    }
}

fn asked_to_approve(places: &Places, name: &str, why: &str) -> Result<Answered, Failure> {
    exit::say(&format!("the MCP server {name}: {why}"));
    mcp::ask_first(places, name)
}

/// Asks first where the run would cost money that nobody asked to spend; None if the person leaves.
fn first_asked(places: &Places, brief: &mut Brief, prepared: Prepared) -> Result<Option<Prepared>, Failure> {
    let Some(outlook) = prepared.outlook.as_ref().filter(|outlook| outlook.unasked) else { return Ok(Some(prepared)) };
    match ask_first(&outlook.message)? {
        Start::AsTold => Ok(Some(prepared)),
        Start::ByRule => {
            brief.thinking.extractive = true;
            drop(prepared);
            engine::prepare_new(places, brief).map(Some)
        }
        Start::NotAtAll => Ok(None),
    }
}

pub fn drill(places: &Places, look: &Look, name: &str, face: &Face) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    if face.plain {
        return in_plain_lines(engine::prepare_drill(places, name)?, face, None);
    }
    if without_terminal(face) {
        let prepared = engine::prepare_drill(places, name)?;
        prepared
            .drill
            .iter()
            .for_each(|drill| exit::say(&format!("{}: {}", drill.exercise.name, drill.exercise.goes_wrong)));
        return without_screens(prepared, face, None);
    }
    show::one(places, theme, engine::prepare_drill(places, name)?, policy_at_screen(face), None)
}

/// Begins a fork of a run.
pub fn fork(places: &Places, look: &Look, fork: &Fork) -> Result<u8, Failure> {
    forked(places, look, &Wanted::from(fork), &fork.face, fork.output.as_deref())
}

fn forked(
    places: &Places,
    look: &Look,
    wanted: &Wanted<'_>,
    face: &Face,
    output: Option<&Path>,
) -> Result<u8, Failure> {
    let output = output.map(Output::open).transpose()?;
    let theme = theme(places, look)?;
    let proposed = fork::prepare(places, wanted)?;
    let lines = proposed.lines.join("\n");
    if without_terminal(face) {
        if proposed.costs() && !face.yes {
            return Err(Failure::Usage(format!(
                "{lines}\nnobody is there to be asked, and nothing was begun: --yes begins it, --max-cost caps what it costs"
            )));
        }
        exit::say(&lines);
        let prepared = proposed.begun(face.yes);
        exit::say(&format!("the fork is run {}", prepared.id));
        return without_screens(prepared, face, output.as_ref());
    }
    exit::say(&lines);
    if !face.yes && !begins()? {
        return Ok(exit::DONE);
    }
    show::one(places, theme, proposed.begun(true), policy_at_screen(face), output.as_ref())
}

/// Asks whether what was just said is to begin.
pub fn begins() -> Result<bool, Failure> {
    loop {
        exit::ask("Enter begins it, q leaves: ");
        let mut answer = String::new();
        if std::io::stdin().read_line(&mut answer).map_err(Failure::output)? == 0 {
            return Ok(false);
        }
        match answer.trim() {
            "" | "y" | "yes" => return Ok(true),
            "q" | "n" | "no" => return Ok(false),
            _ => {}
        }
    }
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

/// Resumes an earlier run, with what is changed of it before it goes on.
pub fn resume(
    places: &Places,
    look: &Look,
    name: &str,
    mut changes: Changes,
    face: &Face,
    output: Option<&Path>,
) -> Result<u8, Failure> {
    let output = output.map(Output::open).transpose()?;
    let output = output.as_ref();
    let theme = theme(places, look)?;
    let headless = without_terminal(face) && !face.plain;
    // Nobody is there to be shown what stands at a breakpoint: the command itself says to go on.
    changes.goes_on = headless && changes.others.is_none();
    let found = loop {
        match engine::prepare_resume(places, name, face.in_doubt, &changes) {
            Err(Failure::Unapproved { name, why }) if !headless => match asked_to_approve(places, &name, &why)? {
                Answered::Approved => {}
                Answered::Without => changes.no_mcp = true,
                Answered::Leave => return Ok(exit::DONE),
            },
            found => break found?,
        }
    };
    match (found, headless) {
        (Found::Ours(prepared), _) if face.plain => in_plain_lines(*prepared, face, output),
        (Found::Ours(prepared), true) => without_screens(*prepared, face, output),
        (Found::Ours(prepared), false) => show::one(places, theme, *prepared, policy_at_screen(face), output),
        (Found::Theirs { id, worker }, headless) if headless || face.plain => {
            exit::say(&show::busy_message(&id, &worker));
            follow(places, &id, face, output)
        }
        (Found::Theirs { id, worker }, _) => {
            let resume = Resume { in_doubt: face.in_doubt, policy: policy_at_screen(face) };
            show::followed(places, theme, &id, worker, resume, output)
        }
    }
}

/// Replays the events of a run on the screens or as lines, without any work.
pub fn replay(places: &Places, look: &Look, name: &str, headless: bool) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    let replayed = match recording::file(name) {
        Some(path) => recording::replayed(path)?,
        None => {
            let (id, reader) = engine::find(places, name)?;
            let (run, events) = engine::load(&reader, &id)?;
            Replayed { run, events, cut: None }
        }
    };
    if headless || !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        if let Some(cut) = &replayed.cut {
            exit::say(cut);
        }
        if replayed.run.is_imported() {
            return print_recorded(&replayed.events);
        }
        let mut printer = Printer::new(false);
        replayed.events.iter().for_each(|envelope| printer.print(envelope));
        return printer.finish(None);
    }
    show::replayed(places, theme, name, replayed)
}

/// Compares two runs: on a screen, or as a report.
pub fn compare(
    places: &Places,
    look: &Look,
    (first, second): (&str, &str),
    json: bool,
    headless: bool,
) -> Result<u8, Failure> {
    let theme = theme(places, look)?;
    let compared = inspect::compared(places, first, second)?;
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    if json || headless || !terminal {
        return inspect::print_compared(&compared, json);
    }
    show::compared(theme, &compared)
}

/// Prints the events of an imported run as lines. How it ended is no result of this command.
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

/// The theme of the screens. The person's own keys are put in force with it.
pub fn theme(places: &Places, look: &Look) -> Result<Theme, Failure> {
    if let Some(keymap) = keymap::read(places)? {
        keymap.install();
    }
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let screen = config::load(&places.config).map_err(Failure::usage)?.screen;
    let of_file = |background| if background == Background::Light { Shade::Light } else { Shade::Dark };
    let background = look.background.or(screen.background.map(of_file));
    let themes = places.config.join("themes");
    let load = |name: &str| Theme::load(name, Some(&themes)).map_err(Failure::usage);
    let theme = match (look.theme.as_deref(), background) {
        (Some(name), _) => load(name)?,
        (None, _) if no_color => load(Theme::default_name(true))?,
        (None, Some(Shade::Light)) => load("light")?,
        (None, Some(Shade::Dark)) => load("default")?,
        // Colours for paper need 24 bits.
        (None, None) if matches!(std::env::var("COLORTERM").as_deref(), Ok("truecolor" | "24bit")) => {
            load("default")?.unless_light(load("light")?)
        }
        (None, None) => load("default")?,
    };
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    let ascii = Theme::needs_ascii(set("TERM").as_deref(), locale.as_deref());
    let still = look.no_motion || no_color;
    let mouse = !look.no_mouse && screen.mouse.unwrap_or(true);
    Ok(theme.in_ascii(ascii).kept_still(still).with_mouse(mouse))
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

    /// The exit code, unless what was printed is not whole.
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
                    self.say(&[format!("\nThe brief is in {file}")]);
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
            // Nothing is printed of it, and those who stream it wait for no line.
            if matches!(notice, Notice::Heard { .. }) {
                return;
            }
            let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
            match notice {
                Notice::Committed(events) => events.iter().for_each(|envelope| printer.print(envelope)),
                Notice::Waiting { call, why, until } => printer.waits(call, &why, until),
                Notice::GoesOn { call, progress } => printer.goes_on(call, &progress),
                Notice::Said(what) => exit::say(&what),
                _ => {}
            }
        })
    };
    let policy = if face.yes || prepared.drill.is_some() { Policy::Approve } else { Policy::Park };
    let stop = engine::start(prepared, policy, audience)?.wait();
    let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
    stopped(&id, stop, &mut printer, output)
}

/// Works on a run in lines that are only appended, and asks at checkpoints.
fn in_plain_lines(prepared: Prepared, face: &Face, output: Option<&Output>) -> Result<u8, Failure> {
    let mut printer = Printer::new(false);
    prepared.recorded.iter().for_each(|envelope| printer.trace.skip(envelope));
    let run = Run::fold(prepared.recorded.iter().map(|envelope| &**envelope));
    let id = prepared.id.clone();
    let (audience, told) = plain::audience();
    let working = engine::start(prepared, policy_at_screen(face), audience)?;
    let commands = working.commands();
    let send = |command| {
        // A desk that has stopped has told so.
        let _ = commands.send(command);
    };
    if plain::follow(&told, |envelope| printer.print(envelope), run, send) {
        drop(commands);
        working.leave();
        exit::say(&parked_message(&id, printer.trace.run()));
        return printer.coded(exit::PARKED);
    }
    drop(commands);
    stopped(&id, working.wait(), &mut printer, output)
}

/// What is said and returned once the desk has stopped.
fn stopped(id: &RunId, stop: Result<Stop, i32>, printer: &mut Printer, output: Option<&Output>) -> Result<u8, Failure> {
    match stop {
        Ok(Stop::Ended(_)) => {
            let code = printer.finish(output)?;
            let words = exit::in_words(printer.trace.run()).filter(|_| drill::lesson(printer.trace.run()).is_none());
            if let Some(words) = words {
                exit::say(&format!("run {id} {words}"));
            }
            Ok(code)
        }
        Ok(Stop::Parked | Stop::Left) => {
            exit::say(&parked_message(id, printer.trace.run()));
            printer.coded(exit::PARKED)
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
            "run {id} waits for you: `masthead resume {id}` opens it, `masthead resume {id} --headless --yes` {}{}",
            checkpoint.subject.by_policy(),
            checkpoint.findings().and_then(|_| cap_message(id, run)).unwrap_or_default()
        ),
        None => format!("run {id} waits for you: `masthead resume {id}` opens it"),
    }
}

fn cap_message(id: &RunId, run: &Run) -> Option<String> {
    let researchers = run.assignments().rev().filter(|assignment| assignment.task.is_some());
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
fn follow(places: &Places, id: &RunId, face: &Face, output: Option<&Output>) -> Result<u8, Failure> {
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
