//! Finds and loads a recorded run, and claims it to go on with it.

use std::path::PathBuf;
use std::sync::Arc;

use super::opened::{and_servers, tools};
use super::{Prepared, runtime};
use crate::args::{AtStop, InDoubt, Others, Remarked};
use crate::drill;
use crate::exit::{self, Failure};
use crate::fork;
use crate::mcp::{self, Started, Wanted};
use crate::memory;
use crate::models;
use crate::notify;
use crate::output::shown;
use crate::place::Places;
use crate::recording::{self, Recording};
use crate::stops;
use ::drill::DrillTools;
use ::mcp::Servers;
use desk::{Models, NoModels, Recorded, Tools};
use documents::walk::NoSuchRoot;
use journal::{Claimed, Reader, Worker};
use run::checkpoint::Approver;
use run::event::Event;
use run::raise::Unraised;
use run::{Command, Condition, Envelope, Limits, Run, RunId};
use text::Clean;

/// A run to resume, or to follow because another process works on it.
pub enum Found {
    Ours(Box<Prepared>),
    Theirs { id: RunId, worker: Worker },
}

pub fn find(places: &Places, name: &str) -> Result<(RunId, Reader), Failure> {
    let reader = places
        .journal()
        .read()?
        .ok_or_else(|| Failure::Usage(format!("there are no runs yet in {}", shown(&places.data))))?;
    let id = reader.find(name).map_err(|error| match recording::file(name).filter(|file| file.is_file()) {
        Some(file) => {
            let file = shown(file);
            Failure::Usage(format!(
                "{file} is a file, and this takes a run of the journal; `masthead replay {file}` shows it"
            ))
        }
        None => Failure::from(error),
    })?;
    Ok((id, reader))
}

/// Changes to a run that a person makes on resuming it.
#[derive(Debug, Default)]
pub struct Changes {
    /// The new caps, of those that are raised.
    pub raise: Limits,
    pub clear_breaks: bool,
    /// The breakpoints that are set.
    pub breaks: Vec<Condition>,
    /// The answer at the point where the run stands.
    pub answer: Option<AtStop>,
    /// The file with the payload that is sent there instead.
    pub payload: Option<PathBuf>,
    /// Whether others go on while the run stands there.
    pub others: Option<Others>,
    /// Whether the run goes on from a breakpoint without an answer: nobody is there to see its message.
    pub goes_on: bool,
    /// Remarks on the draft, where the run stops for it.
    pub remarks: Vec<Remarked>,
    /// Whether the tools of MCP servers are left out.
    pub no_mcp: bool,
}

impl Changes {
    /// The first of the flags that an ended run has no use for.
    fn of_a_run_at_work(&self) -> Option<&'static str> {
        let given = [
            (self.clear_breaks, "--clear-breaks"),
            (!self.breaks.is_empty(), "--break"),
            (self.answer.is_some(), "--answer"),
            (self.payload.is_some(), "--payload"),
            (self.others.is_some(), "--others"),
            (!self.remarks.is_empty(), "--remark"),
        ];
        given.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

pub fn prepare_resume(
    places: &Places,
    name: &str,
    in_doubt: Option<InDoubt>,
    changes: &Changes,
) -> Result<Found, Failure> {
    let (id, reader) = find(places, name)?;
    let claim = match places.journal().claim(&id)? {
        Claimed::Ours(claim) => claim,
        Claimed::Theirs(_) if changes.raise != Limits::default() => {
            return Err(Failure::Usage(format!(
                "run {id} is being worked on by another process: its caps can be raised there, or once that has stopped"
            )));
        }
        Claimed::Theirs(_) if changes.clear_breaks || !changes.breaks.is_empty() || changes.payload.is_some() => {
            return Err(Failure::Usage(format!(
                "run {id} is being worked on by another process: its breakpoints can be changed there, or once that has stopped"
            )));
        }
        Claimed::Theirs(worker) => return Ok(Found::Theirs { id, worker }),
    };
    let (run, recorded) = load(&reader, &id)?;
    recording::check_ours(id.as_str(), &run)?;
    if let (Some(_), Some(flag)) = (run.ended(), changes.of_a_run_at_work()) {
        return Err(Failure::Usage(format!(
            "run {id} has ended: {flag} changes nothing there. `masthead fork {id}` begins a new run from one of its events"
        )));
    }
    let mut first = raising(&id, &run, changes.raise)?;
    first.extend(stops::changed(&id, &run, changes)?);
    let opening = run.opening.clone().ok_or_else(|| Failure::Other(format!("run {id} has no beginning")))?;
    let drill = drill::of(&opening)?;
    let runtime = runtime()?;
    let mut servers = Servers::default();
    let (tools, models): (Arc<dyn Tools>, Arc<dyn Models>) = match (&opening.answers_from, drill) {
        (Some(from), _) => {
            let answers = Arc::new(Recorded::of(&Recording::load(places, from)?.run));
            (answers.clone(), answers)
        }
        (None, Some(_)) => (Arc::new(DrillTools), Arc::new(NoModels)),
        (None, None) => {
            let sources: Vec<PathBuf> = opening.sources.iter().map(PathBuf::from).collect();
            let (changed, gone) = changed_sources(&run, &sources);
            first.extend((!changed.is_empty()).then_some(Event::SourcesChanged { documents: changed }));
            let tools: Arc<dyn Tools> = match gone {
                Some(gone) => Arc::new(without_sources(&id, &run, &gone)?),
                None => {
                    let tools = tools(places, &sources, &opening.web)?;
                    let started = match changes.no_mcp {
                        true => Started::default(),
                        false => mcp::start(places, &runtime, &Wanted::Recorded(&opening.team))?,
                    };
                    let (tools, theirs) = and_servers(tools, &runtime, started)?;
                    servers = theirs;
                    match memory::notes_of(places, &opening.team)? {
                        Some(notes) => Arc::new(tools.and_notes(notes, id.clone())),
                        None => Arc::new(tools),
                    }
                }
            };
            (tools, models::for_teams(places, [&opening.team])?)
        }
    };
    let (tools, models) = match &run.forked {
        Some(_) if opening.answers_from.is_none() => fork::answered_first(places, &run, tools, models),
        _ => (tools, models),
    };
    let doubts = models::doubt_policy(places, in_doubt)?;
    let journal = places.journal().write()?;
    let learns = (opening.answers_from.is_none() && drill.is_none()).then(|| places.data.clone());
    let calls = notify::command(places)?;
    let bare = Prepared::bare((id, claim), runtime, journal, (tools, models));
    let prepared = Prepared { drill, doubts, learns, run, first, recorded, servers, calls, ..bare };
    Ok(Found::Ours(Box::new(prepared)))
}

/// The documents that an open run has read and that were changed or are gone since, without those on record as such; and the fault of
/// sources that are gone altogether.
fn changed_sources(run: &Run, sources: &[PathBuf]) -> (Vec<Clean>, Option<NoSuchRoot>) {
    let read = || run.sources.values().map(|stored| &stored.source);
    let (changed, gone) = match documents::changed_since(sources, read()) {
        Ok(changed) => (changed, None),
        Err(gone) => (read().filter(|source| source.is_file()).map(|source| source.path.clone()).collect(), Some(gone)),
    };
    let is_news = |path: &Clean| run.ended().is_none() && !run.changed_sources.contains(path);
    (changed.into_iter().filter(is_news).collect(), gone)
}

/// The tools of a run whose sources are gone: only what is on record is answered. They are enough where all research is done.
///
/// # Errors
/// There is work that searches the sources.
fn without_sources(id: &RunId, run: &Run, gone: &NoSuchRoot) -> Result<Recorded, Failure> {
    let has_tools = |role| {
        run.opening
            .as_ref()
            .is_some_and(|opening| opening.team.members.get(role).is_some_and(|member| !member.tools.is_empty()))
    };
    let searches = run.open().any(|one| one.parent().is_some() && has_tools(&one.role));
    let is_researched = run.findings_checkpoints().next().is_some() && !searches;
    let fault = gone.fault();
    if !is_researched && run.ended().is_none() {
        return Err(Failure::Usage(format!(
            "{fault}. Run {id} still searches it: put it back, or fork the run with `masthead fork {id}`"
        )));
    }
    exit::say(&format!("run {id}: {fault}: it goes on with what is on record, and can search for nothing more"));
    Ok(Recorded::of(run))
}

fn raising(id: &RunId, run: &Run, to: Limits) -> Result<Vec<Event>, Failure> {
    if to == Limits::default() {
        return Ok(Vec::new());
    }
    match run.raised(to) {
        Ok(to) => {
            let fact = Command::RaiseCap(to).fact(run, Approver::Person);
            Ok(vec![fact.map_err(|why| Failure::Usage(format!("run {id}: {why}")))?])
        }
        // The cap is already raised, as after a crash.
        Err(why @ Unraised::Same { .. }) => {
            exit::say(&format!("run {id}: {why}"));
            Ok(Vec::new())
        }
        Err(why) => Err(Failure::Usage(format!("run {id}: {why}"))),
    }
}

pub fn load(reader: &Reader, id: &RunId) -> Result<(Run, Vec<Arc<Envelope>>), Failure> {
    load_seeing(reader, id, |_| {})
}

/// The same; passes the run as it is after each event to `each`.
pub fn load_seeing(
    reader: &Reader,
    id: &RunId,
    mut each: impl FnMut(&Run),
) -> Result<(Run, Vec<Arc<Envelope>>), Failure> {
    let mut run = Run::default();
    let mut recorded = Vec::new();
    reader.events(id, |envelope| {
        run.apply(&envelope);
        each(&run);
        recorded.push(Arc::new(envelope));
    })?;
    Ok((run, recorded))
}
