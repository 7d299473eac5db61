//! Shows runs on the screens.

mod forks;
mod home;

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::args::InDoubt;
use super::engine::{self, Audience, Changes, Found, Prepared};
use super::exit::{self, Failure};
use super::output::Output;
use super::place::Places;
use super::recording::{Recording, Replayed};
use desk::Policy;
use forks::with_forks;
use journal::{Tail, Worker};
use run::Notice;
use run::compare::Comparison;
use run::{AssignmentId, Envelope, Event, Run, RunId};
use text::Clean;
use text::locked::Locked;
use tui::{App, End, Leave, Link, Mode, Opens, Piece, Read, Reading, Theme};

pub use home::home;

pub fn one(
    places: &Places,
    theme: Theme,
    prepared: Prepared,
    policy: Policy,
    output: Option<&Output>,
) -> Result<u8, Failure> {
    let mut screen = enter_beside(places, theme)?;
    let id = prepared.id.clone();
    let written = AtTheEnd::of(output);
    let (left, run) = worked_on(&mut screen, prepared, policy, Opens::Latest, written.clone())?;
    let (_, forked) = with_forks(&mut screen, places, id.as_str(), left)?;
    let (id, run, written) = match forked {
        Some((id, run)) => (id, run, None),
        None => (id, run, written.and_then(|written| written.result())),
    };
    let ended_by = screen.ended_by();
    drop(screen);
    let is_written = written.transpose()?.is_some();
    print_state(&id, &run, output, !is_written)?;
    Ok(ended_by.map_or_else(|| code(&run), of_end))
}

/// Shows a run that another process works on; takes it over when that process is gone.
pub fn followed(
    places: &Places,
    theme: Theme,
    at_work: AtWork,
    resume: Resume,
    output: Option<&Output>,
) -> Result<u8, Failure> {
    let mut screen = enter_beside(places, theme)?;
    let id = at_work.id.clone();
    let left = followed_from(&mut screen, places, at_work, resume, Opens::Latest)?;
    with_forks(&mut screen, places, id.as_str(), left)?;
    let code = code_of(&screen);
    drop(screen);
    if output.is_some() {
        let (id, reader) = engine::find(places, id.as_str())?;
        print_state(&id, &engine::load(&reader, &id)?.0, output, true)?;
    }
    Ok(code)
}

pub fn replayed(
    places: &Places,
    theme: Theme,
    name: &str,
    Replayed { run, events, cut }: Replayed,
) -> Result<u8, Failure> {
    let mut screen = enter_beside(places, theme)?;
    if let Some(cut) = cut
        && matches!(screen.read(cut_recording(&cut)).map_err(Failure::output)?, Read::Quit)
    {
        drop(screen);
        return Ok(code(&run));
    }
    let left = from_journal(&mut screen, events)?;
    let (_, forked) = with_forks(&mut screen, places, name, left)?;
    let ended_by = screen.ended_by();
    drop(screen);
    let run = match &forked {
        Some((id, run)) => {
            print_state(id, run, None, false)?;
            run
        }
        None => &run,
    };
    Ok(ended_by.map_or_else(|| code(run), of_end))
}

fn cut_recording(cut: &str) -> Reading {
    let pieces = vec![Piece::Text(Clean::line(&format!("{cut}. What is there is shown.")))];
    Reading { title: "part of a recording".into(), pieces, asks: false, columns: None }
}

/// Shows two runs side by side.
pub fn compared(theme: Theme, compared: &Comparison) -> Result<u8, Failure> {
    let mut screen = enter(theme)?;
    screen.read(tui::compared(compared)).map_err(Failure::output)?;
    Ok(code_of(&screen))
}

/// The sender of the news of files that are followed.
pub type Follow = Box<dyn FnOnce(&Sender<Notice>) + Send>;

/// Shows an imported run: as it is, or as its files grow.
pub fn imported(theme: Theme, recorded: Vec<Arc<Envelope>>, follow: Option<Follow>) -> Result<u8, Failure> {
    let mut screen = enter(theme)?;
    match follow {
        None => drop(from_journal(&mut screen, recorded)?),
        Some(follow) => {
            let (notices, inbox) = channel();
            let _ = notices.send(Notice::Committed(recorded));
            std::thread::spawn(move || follow(&notices));
            let why = "another program works on it: this view is read-only, and follows its files";
            let link = Link { mode: Mode::ReadOnly(why.into()), notices: inbox, opens: Opens::Latest, commands: None };
            screen.run(link).map_err(Failure::output)?;
        }
    }
    Ok(code_of(&screen))
}

/// The exit code of screens that were left.
pub fn code_of(screen: &App) -> u8 {
    screen.ended_by().map_or(exit::DONE, of_end)
}

/// The screens, which take the terminal until they are dropped.
pub fn enter(theme: Theme) -> Result<App, Failure> {
    App::enter(theme, ::drill::exercise)
        .map_err(|error| Failure::Other(format!("the terminal cannot be used: {error}. --headless works without one")))
}

/// The same where other runs can be read, to compare with.
fn enter_beside(places: &Places, theme: Theme) -> Result<App, Failure> {
    let places = places.clone();
    let read = move |name: &str| Recording::whole(&places, name).map_err(|failure| Clean::line(&failure.to_string()));
    Ok(enter(theme)?.reading(Arc::new(read)))
}

/// A run that another process works on.
pub struct AtWork {
    pub id: RunId,
    pub worker: Worker,
}

/// The way in which a run is gone on with.
#[derive(Clone, Copy)]
pub struct Resume {
    pub in_doubt: Option<InDoubt>,
    pub policy: Policy,
}

/// Shows a run while a desk works on it. Returns how the person left, and the run's state then.
fn on_screen(screen: &mut App, prepared: Prepared, policy: Policy) -> Result<(Leave, Run), Failure> {
    worked_on(screen, prepared, policy, Opens::Latest, None)
}

/// The file that the brief goes to as soon as its run has ended, while it is still on the screen.
struct AtTheEnd {
    output: Output,
    /// Whether it could be written; None as long as it was not tried.
    tried: Mutex<Option<Result<(), Failure>>>,
}

impl AtTheEnd {
    /// None if there is no file: other targets of a result may be the terminal, which has the screen now.
    fn of(output: Option<&Output>) -> Option<Arc<AtTheEnd>> {
        let output = output.filter(|output| output.named().is_some())?.clone();
        Some(Arc::new(AtTheEnd { output, tried: Mutex::new(None) }))
    }

    /// Writes the brief of a run that has ended; returns a notice of that for the screen.
    fn write(&self, run: &Run) -> Option<Notice> {
        let (brief, named) = (export::markdown(run)?, self.output.named()?);
        let tried = self.output.write(&brief);
        let said = match &tried {
            Ok(()) => format!("the brief is in {named}"),
            Err(why) => why.to_string(),
        };
        *self.tried.locked() = Some(tried);
        Some(Notice::Said(Clean::line(&said)))
    }

    /// The outcome of writing the file; None until it is written.
    fn result(&self) -> Option<Result<(), Failure>> {
        self.tried.locked().take()
    }
}

/// Whether a run ends with this event.
fn is_end(event: &Event) -> bool {
    matches!(event, Event::Reported { by, .. } if *by == AssignmentId::ROOT)
}

/// The same; this is shown of it first, and its brief is written at its end.
fn worked_on(
    screen: &mut App,
    prepared: Prepared,
    policy: Policy,
    opens: Opens,
    written: Option<Arc<AtTheEnd>>,
) -> Result<(Leave, Run), Failure> {
    let (notices, inbox) = channel();
    let _ = notices.send(Notice::Committed(prepared.recorded.clone()));
    let events = Arc::new(Mutex::new(prepared.recorded.clone()));
    let audience: Audience = {
        let events = events.clone();
        Arc::new(move |notice| {
            let mut said = None;
            if let Notice::Committed(committed) = &notice {
                let mut events = events.locked();
                events.extend(committed.iter().cloned());
                let ends = committed.iter().any(|envelope| is_end(&envelope.event));
                let written = written.as_ref().filter(|_| ends);
                said = written.and_then(|file| file.write(&Run::fold(events.iter().map(|envelope| &**envelope))));
            }
            // The screen may be closed already.
            let _ = notices.send(notice);
            let _ = said.map(|said| notices.send(said));
        })
    };
    let working = engine::start(prepared, policy, audience);
    let commands = working.commands();
    let link = Link {
        opens,
        mode: Mode::Live,
        notices: inbox,
        commands: Some(Box::new(move |command| {
            // A stopped desk has told the screen so.
            let _ = commands.send(command);
        })),
    };
    let left = screen.run(link).map_err(Failure::output);
    working.leave();
    let events = events.locked();
    Ok((left?, Run::fold(events.iter().map(|envelope| &**envelope))))
}

fn from_journal(screen: &mut App, recorded: Vec<Arc<Envelope>>) -> Result<Leave, Failure> {
    played(screen, recorded, Opens::Latest)
}

fn played(screen: &mut App, recorded: Vec<Arc<Envelope>>, opens: Opens) -> Result<Leave, Failure> {
    let (notices, inbox) = channel();
    let _ = notices.send(Notice::Committed(recorded));
    let _ = notices.send(Notice::Stopped(None));
    let link = Link { mode: Mode::Replay, notices: inbox, opens, commands: None };
    screen.run(link).map_err(Failure::output)
}

/// Follows a run while another process works on it, and takes it over when that process is gone; `opens` is shown of it first.
fn followed_from(
    screen: &mut App,
    places: &Places,
    AtWork { id, mut worker }: AtWork,
    resume: Resume,
    mut opens: Opens,
) -> Result<Leave, Failure> {
    loop {
        let (notices, inbox) = channel();
        let (places_there, run) = (places.clone(), id.clone());
        std::thread::spawn(move || send_new_events(&places_there, &run, &notices));
        let mode = Mode::ReadOnly(busy_message(&id, &worker).into());
        let link = Link { mode, notices: inbox, opens: std::mem::take(&mut opens), commands: None };
        match screen.run(link).map_err(Failure::output)? {
            Leave::TakeOver => match engine::prepare_resume(places, id.as_str(), resume.in_doubt, &Changes::default())?
            {
                Found::Ours(prepared) => return Ok(on_screen(screen, *prepared, resume.policy)?.0),
                // A third process was faster.
                Found::Theirs { worker: third, .. } => worker = third,
            },
            left => return Ok(left),
        }
    }
}

pub fn busy_message(id: &RunId, worker: &Worker) -> String {
    format!("run {id} is being worked on by {worker}: this view is read-only, and takes over when that one is gone")
}

/// Sends new events until the run has ended, its process is gone, or the receiver is.
fn send_new_events(places: &Places, id: &RunId, notices: &Sender<Notice>) {
    let mut tail = Tail::default();
    let mut run = Run::default();
    let Ok(Some(reader)) = places.journal().read() else { return };
    loop {
        // Checked before reading, so that the last events are not missed.
        let active = places.journal().is_claimed(id);
        let mut events = Vec::new();
        let read = reader.events_after(id, &mut tail, |envelope| events.push(Arc::new(envelope)));
        events.iter().for_each(|envelope| run.apply(envelope));
        let notice = match read.and_then(|()| active.clone().map(drop)) {
            Ok(()) if events.is_empty() => None,
            Ok(()) => Some(Notice::Committed(events)),
            Err(error) => Some(Notice::Stopped(Some(error.to_string().into()))),
        };
        let stopped = matches!(notice, Some(Notice::Stopped(_))) || run.ended().is_some();
        if notice.is_some_and(|notice| notices.send(notice).is_err()) || stopped {
            return;
        }
        if active.is_ok_and(|active| !active) {
            let _ = notices.send(Notice::Abandoned);
            return;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
}

/// Says how the run stands, and writes its brief if that is still to do.
fn print_state(id: &RunId, run: &Run, output: Option<&Output>, writes: bool) -> Result<(), Failure> {
    let Some(outcome) = run.ended() else {
        exit::say(&format!("run {id} is kept as it was: `masthead resume {id}` goes on"));
        return Ok(());
    };
    let outcome = exit::in_words(run).unwrap_or_else(|| outcome.to_string());
    match (export::markdown(run), output) {
        (Some(brief), Some(output)) => {
            if writes {
                output.write(&brief)?;
            }
            let place = output.named().map(|file| format!(": the brief is in {file}")).unwrap_or_default();
            exit::say(&format!("run {id} {outcome}{place}"));
        }
        (Some(_), None) => exit::say(&format!("run {id} {outcome}: `masthead export {id}` prints the brief")),
        (None, _) => exit::say(&format!("run {id} {outcome}")),
    }
    if let Some(lesson) = super::drill::lesson(run) {
        exit::say(&lesson);
    }
    Ok(())
}

fn code(run: &Run) -> u8 {
    if run.is_imported() {
        return exit::DONE;
    }
    if run.ended().is_some() { super::drill::code(run) } else { exit::PARKED }
}

fn of_end(end: End) -> u8 {
    match end {
        End::Signal(number) => 128 + u8::try_from(number).unwrap_or(2),
        End::Gone => 129,
    }
}
