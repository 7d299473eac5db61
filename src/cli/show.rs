//! Shows runs on the screens.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::args::{Brief, InDoubt};
use super::drill;
use super::engine::{self, Audience, Changes, Found, Prepared};
use super::exit::{self, Failure};
use super::inspect::{ago, state};
use super::output::Output;
use super::place::Places;
use desk::{Clock, Policy, SystemClock};
use journal::{Claim, Reader, RunRow, Tail};
use run::Notice;
use run::{Envelope, Money, Run, RunId};
use tui::{App, Choice, End, Home, Leave, Link, Mark, Mode, RunLine, State, Theme};

pub fn one(theme: Theme, prepared: Prepared, policy: Policy, output: Option<&Output>) -> Result<u8, Failure> {
    let mut screen = enter(theme)?;
    let id = prepared.id.clone();
    let (_, run) = on_screen(&mut screen, prepared, policy)?;
    let ended_by = screen.ended_by();
    drop(screen);
    print_state(&id, &run, output)?;
    Ok(ended_by.map_or_else(|| code(&run), of_end))
}

/// Shows a run that another process works on; takes it over when that process is gone.
pub fn followed(
    places: &Places,
    theme: Theme,
    id: &RunId,
    process: Option<u32>,
    resume: Resume,
    output: Option<&Output>,
) -> Result<u8, Failure> {
    let mut screen = enter(theme)?;
    follow(&mut screen, places, id, process, resume)?;
    let ended_by = screen.ended_by();
    drop(screen);
    if output.is_some() {
        let (id, reader) = engine::find(places, id.as_str())?;
        print_state(&id, &engine::load(&reader, &id)?.0, output)?;
    }
    Ok(ended_by.map_or(exit::DONE, of_end))
}

pub fn replayed(theme: Theme, run: &Run, recorded: Vec<Arc<Envelope>>) -> Result<u8, Failure> {
    let mut screen = enter(theme)?;
    from_journal(&mut screen, recorded)?;
    Ok(screen.ended_by().map_or_else(|| code(run), of_end))
}

/// What sends the news of files that are followed.
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
            let link = Link { mode: Mode::ReadOnly(why.into()), notices: inbox, commands: None };
            screen.run(link).map_err(Failure::output)?;
        }
    }
    Ok(screen.ended_by().map_or(exit::DONE, of_end))
}

/// Shows the home screen, and from there one run after another.
pub fn home(places: &Places, theme: Theme) -> Result<u8, Failure> {
    // Earlier runs are shown despite a wrong setting; a new run reports it again.
    let (models, message) = match engine::default_models(places) {
        Ok(models) => (models, None),
        Err(failure) => (None, Some(failure.to_string().into())),
    };
    let mut screen = enter(theme)?;
    let here: Vec<String> = std::env::current_dir().iter().map(|dir| dir.to_string_lossy().into_owned()).collect();
    let mut at_home = Home { sources: here, models, message, ..Home::default() };
    loop {
        at_home.runs = lines(places)?;
        let left = match screen.home(at_home.clone()).map_err(Failure::output)? {
            Choice::Quit => break,
            Choice::Ask { question, sources } => {
                at_home.question = question.to_string();
                at_home.sources = sources;
                ask(&mut screen, places, &at_home)
            }
            Choice::Open(id) => open(&mut screen, places, &id),
        };
        match left {
            Ok(Leave::Quit) => break,
            Ok(Leave::Home | Leave::TakeOver) => {
                at_home = Home { sources: at_home.sources, models: at_home.models, ..Home::default() }
            }
            // The input stays as typed.
            Err(failure) => at_home.message = Some(failure.to_string().into()),
        }
    }
    Ok(screen.ended_by().map_or(exit::DONE, of_end))
}

fn enter(theme: Theme) -> Result<App, Failure> {
    App::enter(theme, ::drill::exercise)
        .map_err(|error| Failure::Other(format!("the terminal cannot be used: {error}. --headless works without one")))
}

fn lines(places: &Places) -> Result<Vec<RunLine>, Failure> {
    let Some(reader) = Reader::open(&places.journal())? else { return Ok(Vec::new()) };
    let now = SystemClock.now();
    let line = |row: RunRow| {
        let word = state(&row, Claim::is_taken(&places.data, &row.id));
        RunLine {
            state: State { mark: Mark::of_word(word), word: word.into() },
            id: row.id,
            question: row.headline.question.into(),
            age: ago(now.since(row.touched_at) / 1_000).into(),
            cost: Money(row.headline.cost).to_string().into(),
        }
    };
    Ok(reader.runs()?.into_iter().map(line).collect())
}

fn ask(screen: &mut App, places: &Places, home: &Home) -> Result<Leave, Failure> {
    let brief = brief(home);
    let prepared = engine::prepare_new(places, &brief)?;
    Ok(on_screen(screen, prepared, Policy::Ask)?.0)
}

/// The input of the home screen as arguments of `brief`. A source `web:wikipedia` stands for `--web wikipedia`.
fn brief(home: &Home) -> Brief {
    let web = |source: &String| source.strip_prefix("web:").map(|names| names.trim().to_owned());
    Brief {
        question: Some(home.question.clone()),
        sources: home.sources.iter().filter(|source| web(source).is_none()).map(|source| with_home(source)).collect(),
        web: home.sources.iter().filter_map(web).flat_map(|names| split(&names)).collect(),
        ..Brief::default()
    }
}

fn split(names: &str) -> Vec<String> {
    names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Expands `~/` as a shell would.
fn with_home(source: &str) -> PathBuf {
    match (source.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(source),
    }
}

fn open(screen: &mut App, places: &Places, id: &RunId) -> Result<Leave, Failure> {
    let (_, reader) = engine::find(places, id.as_str())?;
    let (run, recorded) = engine::load(&reader, id)?;
    if run.ended().is_some() || run.is_imported() {
        return from_journal(screen, recorded);
    }
    drop(reader);
    let resume = Resume { in_doubt: None, policy: Policy::Ask };
    match engine::prepare_resume(places, id.as_str(), resume.in_doubt, &Changes::default())? {
        Found::Ours(prepared) => Ok(on_screen(screen, *prepared, resume.policy)?.0),
        Found::Theirs { process, .. } => follow(screen, places, id, process, resume),
    }
}

#[derive(Clone, Copy)]
pub struct Resume {
    pub in_doubt: Option<InDoubt>,
    pub policy: Policy,
}

/// Shows a run while a desk works on it. Returns how the person left, and the run's state then.
fn on_screen(screen: &mut App, prepared: Prepared, policy: Policy) -> Result<(Leave, Run), Failure> {
    let (notices, inbox) = channel();
    let _ = notices.send(Notice::Committed(prepared.recorded.clone()));
    let events = Arc::new(Mutex::new(prepared.recorded.clone()));
    let audience: Audience = {
        let events = events.clone();
        Arc::new(move |notice| {
            if let Notice::Committed(committed) = &notice {
                events.lock().unwrap_or_else(PoisonError::into_inner).extend(committed.iter().cloned());
            }
            // The screen may be closed already.
            let _ = notices.send(notice);
        })
    };
    let working = engine::start(prepared, policy, audience)?;
    let commands = working.commands();
    let link = Link {
        mode: Mode::Live,
        notices: inbox,
        commands: Some(Box::new(move |command| {
            // A stopped desk has told the screen so.
            let _ = commands.send(command);
        })),
    };
    let left = screen.run(link).map_err(Failure::output);
    working.leave();
    let events = events.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((left?, Run::fold(events.iter().map(|envelope| &**envelope))))
}

fn from_journal(screen: &mut App, recorded: Vec<Arc<Envelope>>) -> Result<Leave, Failure> {
    let (notices, inbox) = channel();
    let _ = notices.send(Notice::Committed(recorded));
    let _ = notices.send(Notice::Stopped(None));
    let link = Link { mode: Mode::Replay, notices: inbox, commands: None };
    screen.run(link).map_err(Failure::output)
}

/// Follows a run while another process works on it, and takes it over when that process is gone.
fn follow(
    screen: &mut App,
    places: &Places,
    id: &RunId,
    mut process: Option<u32>,
    resume: Resume,
) -> Result<Leave, Failure> {
    loop {
        let (notices, inbox) = channel();
        let (places_there, run) = (places.clone(), id.clone());
        std::thread::spawn(move || send_new_events(&places_there, &run, &notices));
        let mode = Mode::ReadOnly(busy_message(id, process).into());
        let link = Link { mode, notices: inbox, commands: None };
        match screen.run(link).map_err(Failure::output)? {
            Leave::TakeOver => match engine::prepare_resume(places, id.as_str(), resume.in_doubt, &Changes::default())?
            {
                Found::Ours(prepared) => return Ok(on_screen(screen, *prepared, resume.policy)?.0),
                // A third process was faster.
                Found::Theirs { process: third, .. } => process = third,
            },
            left => return Ok(left),
        }
    }
}

pub fn busy_message(id: &RunId, process: Option<u32>) -> String {
    let worker = process.map_or("another process".to_string(), |process| format!("process {process}"));
    format!("run {id} is being worked on by {worker}: this view is read-only, and takes over when that one is gone")
}

/// Sends new events until the run has ended, its process is gone, or the receiver is.
fn send_new_events(places: &Places, id: &RunId, notices: &Sender<Notice>) {
    let mut tail = Tail::default();
    let mut run = Run::default();
    let Ok(Some(reader)) = Reader::open(&places.journal()) else { return };
    loop {
        // Checked before reading, so that the last events are not missed.
        let active = Claim::is_taken(&places.data, id);
        let mut events = Vec::new();
        let read = reader.events_after(id, &mut tail, |envelope| events.push(Arc::new(envelope)));
        events.iter().for_each(|envelope| run.apply(envelope));
        let notice = match read {
            Ok(()) if events.is_empty() => None,
            Ok(()) => Some(Notice::Committed(events)),
            Err(error) => Some(Notice::Stopped(Some(error.to_string().into()))),
        };
        let stopped = matches!(notice, Some(Notice::Stopped(_))) || run.ended().is_some();
        if notice.is_some_and(|notice| notices.send(notice).is_err()) || stopped {
            return;
        }
        if !active {
            let _ = notices.send(Notice::Abandoned);
            return;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
}

fn print_state(id: &RunId, run: &Run, output: Option<&Output>) -> Result<(), Failure> {
    let Some(outcome) = run.ended() else {
        exit::say(&format!("run {id} is kept as it was: `masthead resume {id}` goes on"));
        return Ok(());
    };
    let outcome = exit::in_words(run).unwrap_or_else(|| outcome.to_string());
    match (export::markdown(run), output) {
        (Some(brief), Some(output)) => {
            output.write(&brief)?;
            let place = output.named().map(|file| format!(": the brief is in {file}")).unwrap_or_default();
            exit::say(&format!("run {id} {outcome}{place}"));
        }
        (Some(_), None) => exit::say(&format!("run {id} {outcome}: `masthead export {id}` prints the brief")),
        (None, _) => exit::say(&format!("run {id} {outcome}")),
    }
    if let Some(lesson) = drill::lesson(run) {
        exit::say(&lesson);
    }
    Ok(())
}

fn code(run: &Run) -> u8 {
    if run.is_imported() {
        return exit::DONE;
    }
    if run.ended().is_some() { drill::code(run) } else { exit::PARKED }
}

fn of_end(end: End) -> u8 {
    match end {
        End::Signal(number) => 128 + u8::try_from(number).unwrap_or(2),
        End::Gone => 129,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_web_is_a_line_among_the_sources() {
        let sources = ["docs", "web:wikipedia, searxng", "/tmp/notes.md", "web:arxiv"].map(String::from).to_vec();
        let brief = brief(&Home { question: "Why?".into(), sources, ..Home::default() });
        assert_eq!(brief.sources, [PathBuf::from("docs"), PathBuf::from("/tmp/notes.md")]);
        assert_eq!(brief.web, ["wikipedia", "searxng", "arxiv"]);
    }
}
