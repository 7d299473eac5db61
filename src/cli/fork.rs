//! Forks: prepares a new run that begins as another was at one of its events, and reports before it starts which part is kept,
//! which part is done again, and the probable cost.

mod changed;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::{self, EditedPayload, InDoubt, Thinking};
use super::drill;
use super::engine::{self, Prepared};
use super::exit::{self, Failure};
use super::mcp;
use super::memory;
use super::models;
use super::notify;
use super::place::Places;
use super::recording::{self, Recording};
use super::stops;
use ::drill::DrillTools;
use ::mcp::Servers;
use changed::{Changed, change, changed_in_words, changed_team, costs_anything, edited_event};
use desk::{Clock, Models, NoModels, Recorded, SystemClock, Tools};
use run::event::{Event, Opening};
use run::fork::{self, Fork, Prospect};
use run::state::Intent;
use run::{Condition, Envelope, Limits, ModelId, Role, Run, RunId, Seq, Team};
use text::{Clean, count};

/// The request for a fork.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// The run, or a file of `journal dump`.
    pub run: &'a str,
    /// The event at which it forks.
    pub at: Seq,
    pub thinking: Thinking,
    /// A folder with prompts for its roles.
    pub prompts: Option<&'a Path>,
    pub payload: Option<&'a EditedPayload>,
    pub findings: Option<&'a Path>,
    pub plan: Option<&'a Path>,
    pub limits: Limits,
    pub breaks: &'a [Condition],
    pub check_plan: bool,
    /// Whether it stops before its draft goes out.
    pub check_draft: bool,
    pub in_doubt: Option<InDoubt>,
}

impl<'a> From<&'a args::Fork> for Wanted<'a> {
    fn from(fork: &'a args::Fork) -> Wanted<'a> {
        let (models, prices) = (fork.models.clone(), fork.prices.clone());
        Wanted {
            run: &fork.run,
            at: Seq(fork.at),
            thinking: Thinking { models, prices, ..Thinking::default() },
            prompts: fork.with_prompts.as_deref(),
            payload: fork.payload.as_ref(),
            findings: fork.findings.as_deref(),
            plan: fork.plan.as_deref(),
            limits: fork.caps.limits(),
            breaks: &fork.breaks.on,
            check_plan: false,
            check_draft: false,
            in_doubt: fork.face.in_doubt,
        }
    }
}

/// A fork that has not begun.
pub struct Proposed {
    prepared: Prepared,
    recorded: Recorded,
    /// The models for requests that the record does not answer.
    models: Arc<dyn Models>,
    /// Whether none of its models can cost anything.
    is_free: bool,
    prospect: Prospect,
    /// The lines that a person is shown before it begins.
    pub lines: Vec<String>,
}

impl Proposed {
    /// Whether it will probably cost something.
    pub fn costs(&self) -> bool {
        self.prospect.costs() && !self.is_free
    }

    /// The fork, ready to be worked on. Without an agreement to the cost nothing is asked that would cost anything: a request
    /// without a recorded answer stops the run.
    pub fn begun(self, is_agreed: bool) -> Prepared {
        let Proposed { mut prepared, recorded, models, is_free, .. } = self;
        prepared.models = match is_agreed || is_free {
            true => Arc::new(recorded.else_asking(models, &prepared.run)),
            false => Arc::new(recorded),
        };
        prepared
    }
}

/// Prepares a fork. Nothing is written, and nobody is asked, before it begins.
///
/// # Errors
/// The run or the event is not there, or a change does not fit: nothing is lost, and nothing was paid.
pub fn prepare(places: &Places, wanted: &Wanted<'_>) -> Result<Proposed, Failure> {
    let change = change(wanted)?;
    let keeps = if change.is_some() { Seq(wanted.at.0.saturating_sub(1)) } else { wanted.at };
    let (parent, mut run) = Recording::load_up_to(places, wanted.run, keeps)?;
    let name = id_of(&parent.run)?;
    refuse_what_cannot_fork(&parent.run, &run, wanted.at)?;
    recording::check_ours(wanted.run, &run)?;
    let (id, claim) = engine::new_id(places)?;
    let mut kept = kept_events(&parent, keeps, &id);
    let opening = own_opening(&mut run, &id)?;
    let drill = drill::of(&opening)?;
    let Changed { team, limits, mut says } = changed_team(places, wanted, &run, &opening)?;
    let edited = match change {
        Some(change) => Some(edited_event(&parent, &run, wanted.at, change)?),
        None => None,
    };
    says.extend(edited.iter().map(|edited| edited.says.clone()));
    let again = run.out_here(|call| parent.run.has_end(call));
    check_open_calls(&run, &parent.run, &opening.team, &team)?;
    let notes = goes_on_with_old_prompt(&run, &opening.team, &team);
    let fork = Fork {
        parent: name.clone(),
        from: parent.from.clone(),
        at: keeps,
        instead_of: edited.is_some().then_some(wanted.at),
        again,
        team: (team != opening.team).then(|| Arc::new(team.clone())),
        limits,
        changed: says.iter().map(|what| Clean::line(what)).collect(),
        instead: edited.as_ref().and_then(|edited| edited.instead.clone()),
    };
    let prospect = fork::prospect((&parent.run, &parent.events), &run, &fork, edited.is_some());
    let ((tools, runtime, servers), gone) = tools(places, &opening, &run, &id)?;
    let mut facts = vec![Event::Forked(Arc::new(fork))];
    facts.extend(edited.map(|edited| edited.event));
    take(&mut run, &mut kept, facts)?;
    let breaks = stops::more(&run, wanted.breaks)?;
    says.extend(breaks.iter().filter_map(|fact| match fact {
        Event::BreakpointSet { on, .. } => Some(format!("it stops at {on}")),
        _ => None,
    }));
    take(&mut run, &mut kept, breaks)?;
    let mut lines = vec![format!("a fork of run {name} at #{}{}", wanted.at.0, changed_in_words(&says))];
    let recorded = answers(places, &parent, tools);
    lines.extend(parent.cut);
    lines.extend(prospect.lines());
    lines.extend(gone.into_iter().chain(notes));
    let models = if drill.is_some() { Arc::new(NoModels) } else { models::for_teams(places, [&opening.team, &team])? };
    let journal = places.journal().write()?;
    // The models come when the fork begins, once its cost is agreed to.
    let standing = (Arc::new(recorded.clone()) as Arc<dyn Tools>, Arc::new(NoModels) as Arc<dyn Models>);
    let prepared = Prepared {
        drill,
        doubts: models::doubt_policy(places, wanted.in_doubt)?,
        learns: drill.is_none().then(|| places.data.clone()),
        run,
        recorded: kept.clone(),
        begins_with: kept,
        servers,
        calls: notify::command(places)?,
        ..Prepared::bare((id, claim), runtime, journal, standing)
    };
    let is_free = !costs_anything(&team);
    Ok(Proposed { prepared, recorded, models, is_free, prospect, lines })
}

/// Refuses a fork that could not go on; `run` is the parent as it was after the last event that is kept.
fn refuse_what_cannot_fork(parent: &Run, run: &Run, at: Seq) -> Result<(), Failure> {
    let (name, last) = (id_of(parent)?, parent.seq);
    let why = match &run.opening {
        _ if at < Seq(1) || at > last => {
            format!("run {name} has {}: --at takes a number from 1 to {}", count(last.0, "event"), last.0)
        }
        None => format!("--at {}: no event comes before it, so nothing is left to fork", at.0),
        Some(_) if run.ended().is_some() => format!(
            "run {name} has ended at #{}, and nothing comes after that: fork it at an earlier event. `masthead replay {name}` shows them",
            run.seq.0
        ),
        Some(opening) => match &opening.answers_from {
            Some(from) => {
                format!("run {name} was itself answered from the record of {from}, and asks no model: fork that one")
            }
            None => return Ok(()),
        },
    };
    Err(Failure::Usage(why))
}

/// The events that a fork keeps of its parent, opened under its own name.
fn kept_events(parent: &Recording, keeps: Seq, id: &RunId) -> Vec<Arc<Envelope>> {
    let mut kept: Vec<Arc<Envelope>> = parent.events.iter().take_while(|event| event.seq <= keeps).cloned().collect();
    if let Some(first) = kept.first_mut()
        && let Event::RunOpened(opening) = &first.event
    {
        let opening = as_own((**opening).clone(), id);
        *first = Arc::new(Envelope { event: Event::RunOpened(Arc::new(opening)), ..**first });
    }
    kept
}

/// Opens the run that is kept under the fork's own name. A fork before this one may have given it another team than the one that
/// its first event has.
fn own_opening(run: &mut Run, id: &RunId) -> Result<Arc<Opening>, Failure> {
    let opening = run.opening.take().ok_or_else(|| Failure::Other("the run has no beginning".into()))?;
    let opening = Arc::new(as_own((*opening).clone(), id));
    run.opening = Some(opening.clone());
    Ok(opening)
}

/// An opening under a fork's own name. Its brief is no result of an evaluation: something is changed.
fn as_own(opening: Opening, id: &RunId) -> Opening {
    Opening { run: id.clone(), part_of_eval: None, ..opening }
}

/// The answers of the parent and its ancestors; these tools do the calls that they lack.
fn answers(places: &Places, parent: &Recording, tools: Option<Arc<dyn Tools>>) -> Recorded {
    let ancestors = parent.ancestors(places);
    let recorded = Recorded::of_all(std::iter::once(&parent.run).chain(&ancestors));
    match tools {
        Some(tools) => recorded.else_using(tools),
        None => recorded,
    }
}

fn id_of(run: &Run) -> Result<RunId, Failure> {
    let opening = run.opening.as_ref().ok_or_else(|| Failure::Other("the run has no beginning".into()))?;
    Ok(opening.run.clone())
}

/// Folds the events that make the fork into the run.
fn take(run: &mut Run, kept: &mut Vec<Arc<Envelope>>, facts: Vec<Event>) -> Result<(), Failure> {
    for event in facts {
        let misfits = run.misfits;
        let envelope = Envelope { seq: run.seq.next(), at: SystemClock.now(), event };
        run.apply(&envelope);
        if run.misfits > misfits {
            let what = envelope.event.name();
            return Err(Failure::Usage(format!("the run cannot be forked there: `{what}` does not fit its state")));
        }
        kept.push(Arc::new(envelope));
    }
    Ok(())
}

/// A call that is still to be made goes to the model that it names: where that model is changed, the record has to have its
/// answer.
fn check_open_calls(run: &Run, parent: &Run, old: &Team, new: &Team) -> Result<(), Failure> {
    let id = |team: &Team, role: &Role| -> Option<ModelId> { Some(team.members.get(role)?.model.as_ref()?.id.clone()) };
    let open = run.under_way.keys().chain(run.queued.keys()).chain(run.faulted.keys()).chain(run.in_doubt.keys());
    for call in open {
        let Some(assignment) = run.assignment(call.assignment) else { continue };
        let is_model = matches!(run.intent(*call), Some(Intent::Model(_)));
        if is_model && id(old, &assignment.role) != id(new, &assignment.role) && !parent.has_end(*call) {
            return Err(Failure::Usage(format!(
                "the {} is in the middle of a call to its old model there, and the record has no answer to it: fork at an event before that call",
                assignment.role
            )));
        }
    }
    Ok(())
}

/// A conversation that has begun keeps its instructions.
fn goes_on_with_old_prompt(run: &Run, old: &Team, new: &Team) -> Vec<String> {
    let prompt = |team: &Team, role: &Role| Some(team.members.get(role)?.model.as_ref()?.prompt.clone());
    let begun = run.open().filter(|one| one.transcript.exchanges().next().is_some());
    let begun = begun.filter(|one| prompt(old, &one.role) != prompt(new, &one.role));
    begun
        .map(|one| format!("note: {} is already at work at this event, and keeps its old prompt", run.called(one)))
        .collect()
}

/// The models and tools of a fork that is taken up again: the record answers first, then these.
pub fn answered_first(
    places: &Places,
    run: &Run,
    tools: Arc<dyn Tools>,
    models: Arc<dyn Models>,
) -> (Arc<dyn Tools>, Arc<dyn Models>) {
    let ancestors = recording::ancestors(places, run).unwrap_or_else(|(found, why)| {
        exit::say(&format!("a run that this one was forked from cannot be read ({why}): calls that only it has an answer to are made again"));
        found
    });
    let recorded = Recorded::of_all(&ancestors).else_using(tools);
    (Arc::new(recorded.clone()), Arc::new(recorded.else_asking(models, run)))
}

type Equipped = (Option<Arc<dyn Tools>>, tokio::runtime::Runtime, Servers);

/// The tools for calls that the record does not have, and the remarks on the sources.
fn tools(places: &Places, opening: &Opening, run: &Run, id: &RunId) -> Result<(Equipped, Vec<String>), Failure> {
    let runtime = engine::runtime()?;
    if opening.drill.is_some() {
        return Ok(((Some(Arc::new(DrillTools)), runtime, Servers::default()), Vec::new()));
    }
    let sources: Vec<PathBuf> = opening.sources.iter().map(PathBuf::from).collect();
    let changed = match documents::changed_since(&sources, run.sources.values().map(|stored| &stored.source)) {
        Ok(changed) => changed,
        Err(gone) => {
            let line = format!(
                "sources: {gone} What the record has of it is used; anything else that is searched or read fails"
            );
            return Ok(((None, runtime, Servers::default()), vec![line]));
        }
    };
    let tools = engine::tools(places, &sources, &opening.web)?;
    // Calls that the record answers need no server.
    let started = match mcp::start(places, &runtime, &mcp::Wanted::Recorded(&opening.team)) {
        Err(why @ Failure::Unapproved { .. }) => {
            mcp::Started::saying(Clean::line(&format!("{why}: its calls fail where the record has no answer")))
        }
        started => started?,
    };
    let (tools, servers) = engine::and_servers(tools, &runtime, started)?;
    let tools = match memory::notes_of(places, &opening.team)? {
        Some(notes) => tools.and_notes(notes, id.clone()),
        None => tools,
    };
    let lines = match &changed[..] {
        [] => Vec::new(),
        [first, ..] => vec![format!(
            "sources: {} that the run read {} changed or gone since, as {first}: recorded results stay as they were, new searches use the files as they are now",
            count(changed.len(), "document"),
            if changed.len() == 1 { "is" } else { "are" }
        )],
    };
    Ok(((Some(Arc::new(tools)), runtime, servers), lines))
}
