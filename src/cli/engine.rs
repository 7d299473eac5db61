//! Starts a run: claims it, loads it, and sets a desk to work on it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::args::{AtBreak, Brief, Caps, InDoubt, LeadBy, Others, Remarked, Thinking};
use super::drill;
use super::exit::{self, Failure};
use super::fork;
use super::mcp::{self, Started, Wanted};
use super::memory;
use super::models::{self, Chosen};
use super::notify;
use super::output::shown;
use super::place::Places;
use super::recording::Recording;
use super::stops;
use super::telemetry_out;
use ::drill::{Drill, DrillTools};
use ::mcp::Servers;
use collector::Exporter;
use desk::{Desk, LibraryTools, Models, NoModels, Policy, Recorded, Stop, SystemClock, Tools, World, opening_events};
use documents::index::IndexError;
use journal::{Claim, Claimed, Headline, Journal, Reader, Worker};
use model::choose::ModelArg;
use model::learnt::Learnt;
use run::checkpoint::Approver;
use run::event::{DoubtAnswer, Event, Opening, PartOfEval};
use run::raise::Unraised;
use run::team::Kind;
use run::{Command, Notice};
use run::{Condition, Envelope, Limits, Money, Role, Run, RunId, Team, forecast};
use supervisor::{Roster, Staff};
use text::Clean;
use text::listed::{default_words, listed};
use tool::{Library, Readers};
use web::{Web, WebError};

/// A run that this process has claimed.
pub struct Prepared {
    pub id: RunId,
    pub(super) claim: Claim,
    pub(super) runtime: Runtime,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) tools: Arc<dyn Tools>,
    pub(super) models: Arc<dyn Models>,
    /// The drill whose specialists work on it, if any.
    pub drill: Option<&'static Drill>,
    pub(super) doubts: Option<DoubtAnswer>,
    /// The folder where it is kept what its answers teach of their models; None where no model answers.
    pub(super) learns: Option<PathBuf>,
    pub(super) run: Run,
    pub(super) first: Vec<Event>,
    pub recorded: Vec<Arc<Envelope>>,
    /// The events that a fork begins with: they are recorded, all at once, when the work on it starts.
    pub(super) begins_with: Vec<Arc<Envelope>>,
    /// The servers whose tools it uses.
    pub(super) servers: Servers,
    /// The program that calls the person; None without one.
    pub(super) calls: Option<Vec<String>>,
    /// The models of a new run and their cost; None if it uses none.
    pub outlook: Option<Outlook>,
}

impl Prepared {
    /// A run of which nothing is recorded, and which costs nothing; what is otherwise is set beside it.
    pub(super) fn bare(
        (id, claim): (RunId, Claim),
        runtime: Runtime,
        journal: Arc<dyn Journal>,
        (tools, models): (Arc<dyn Tools>, Arc<dyn Models>),
    ) -> Prepared {
        let (run, first, recorded, begins_with) = Default::default();
        let (drill, doubts, learns, calls, outlook) = (None, None, None, None, None);
        let servers = Servers::default();
        Prepared {
            id,
            claim,
            runtime,
            journal,
            tools,
            models,
            drill,
            doubts,
            learns,
            run,
            first,
            recorded,
            begins_with,
            servers,
            calls,
            outlook,
        }
    }
}

impl Prepared {
    /// The opening of a new run; None for one that goes on, or is a fork.
    pub(super) fn opening(&self) -> Option<&Opening> {
        self.first.iter().find_map(|event| match event {
            Event::RunOpened(opening) => Some(&**opening),
            _ => None,
        })
    }

    /// The same run as a part of an evaluation.
    pub(super) fn of_eval(mut self, part: PartOfEval) -> Prepared {
        for event in &mut self.first {
            if let Event::RunOpened(opening) = event {
                Arc::make_mut(opening).part_of_eval = Some(part.clone());
            }
        }
        self
    }
}

pub struct Outlook {
    pub message: String,
    /// Whether it costs money without a request for models: they are merely available.
    pub unasked: bool,
}

/// Checks question, sources and caps, and opens a new run.
pub fn prepare_new(places: &Places, brief: &Brief) -> Result<Prepared, Failure> {
    if let Some(name) = &brief.answers_from {
        return prepare_recorded(places, brief, name);
    }
    let question = question(brief.question.as_deref().unwrap_or_default());
    if question.trim().is_empty() {
        return Err(Failure::Usage(
            "there is no question: `masthead brief \"What do you want to know?\" --sources DIR`".into(),
        ));
    }
    let sources = sources(&brief.sources, !brief.web.is_empty())?;
    let web: Vec<Clean> = brief.web.iter().map(|name| Clean::line(name)).collect();
    let runtime = runtime()?;
    let tools = tools(places, &sources, &web)?;
    let name = brief.team.as_deref().unwrap_or(team::BRIEF);
    if name == team::DRILL {
        return Err(Failure::Usage("the team `drill` plays failures by script: `masthead drill` says which".into()));
    }
    let mut team = team::load(&places.config, name).map_err(Failure::usage)?;
    if team.order.is_judging() {
        return Err(Failure::Usage(format!(
            "the team `{}` judges briefs and answers no questions: `masthead eval --judge` has it judge",
            team.name
        )));
    }
    team.check_plan |= brief.check_plan;
    team.check_draft |= brief.check_draft;
    set_leader(brief, &mut team)?;
    let notes = if brief.no_memory { None } else { memory::notes_of(places, &team)? };
    if notes.is_none() {
        memory::forget(&mut team);
    }
    let chosen = assign_models(places, brief, &mut team)?;
    let max_cost = match &chosen {
        Some(chosen) => models::cap(brief.caps.max_cost, chosen.max_cost, &chosen.choices),
        None => brief.caps.max_cost,
    };
    let started = match brief.no_mcp {
        true => Started::default(),
        false => mcp::start(places, &runtime, &Wanted::New(&team))?,
    };
    let (tools, servers) = and_servers(tools, &runtime, started)?;
    tools.equip(&mut team).map_err(Failure::usage)?;
    let doubts = models::doubt_policy(places, brief.face.in_doubt)?;
    let journal = places.journal().write()?;
    let (id, claim) = new_id(places)?;
    let words = brief.words.unwrap_or_else(|| default_words(&question));
    let tools = Arc::new(match notes {
        Some(notes) => tools.and_notes(notes, id.clone()),
        None => tools,
    });
    let opening = Opening {
        sources: sources.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        web,
        words,
        limits: Caps { max_cost, ..brief.caps }.limits(),
        ..Opening::new(id.clone(), question, team)
    };
    let forecast = forecast::before(&opening).filter(|forecast| forecast.high > Money::default());
    let reach = forecast::reach_before(&opening);
    let cost = models::cost_in_words(forecast, max_cost, reach);
    let short = opening.without_room();
    let by_models = chosen.as_ref().map(|chosen| format!("{}; {cost}", models::in_words(&chosen.choices)));
    let said = by_models.or_else(|| reach.map(|reach| reach.to_string())).into_iter().chain(short);
    let unasked = chosen.as_ref().is_some_and(|chosen| chosen.unasked && forecast.is_some());
    let message = said.collect::<Vec<_>>().join("; ");
    let outlook = (!message.is_empty()).then_some(Outlook { message, unasked });
    let models = chosen.map_or_else(|| Arc::new(NoModels) as Arc<dyn Models>, |chosen| chosen.models);
    let mut first = opening_events(opening);
    first.extend(stops::set(&first, &brief.breaks.on)?);
    let (learns, calls) = (Some(places.data.clone()), notify::command(places)?);
    let bare = Prepared::bare((id, claim), runtime, journal, (tools, models));
    Ok(Prepared { doubts, learns, first, servers, calls, outlook, ..bare })
}

/// Sets whether a model leads: `--lead`, else the team file, else whether a model was named for the supervisor.
fn set_leader(brief: &Brief, team: &mut Team) -> Result<(), Failure> {
    let is_named = |arg: &ModelArg| arg.role.as_ref().is_some_and(|role| role.as_str() == Role::SUPERVISOR);
    let named = brief.thinking.models.iter().any(is_named);
    let by_model = match brief.lead {
        Some(LeadBy::Model) if brief.thinking.extractive => {
            return Err(Failure::Usage(
                "--extractive is without models, and --lead model with one: say one of them".into(),
            ));
        }
        Some(lead) => lead == LeadBy::Model,
        None => !brief.thinking.extractive && (named || team.is_model_led()),
    };
    team.led_by(if by_model { Kind::Model } else { Kind::Extractive });
    Ok(())
}

pub fn prepare_drill(places: &Places, name: &str) -> Result<Prepared, Failure> {
    let drill = drill::find(name)?;
    let team = team::load(&places.config, team::DRILL).map_err(Failure::usage)?;
    let journal = places.journal().write()?;
    let (id, claim) = new_id(places)?;
    let first = opening_events(drill.opening(id.clone(), team));
    let bare = Prepared::bare((id, claim), runtime()?, journal, (Arc::new(DrillTools), Arc::new(NoModels)));
    Ok(Prepared { drill: Some(drill), first, ..bare })
}

/// The question on one line; a list of questions keeps its lines.
pub(super) fn question(asked: &str) -> Clean {
    let asked = Clean::new(asked.trim());
    let line = Clean::line(&asked);
    if listed(&asked) == listed(&line) { line } else { asked }
}

/// Opens a new run with the recorded team and question, answered from the recording.
fn prepare_recorded(places: &Places, brief: &Brief, name: &str) -> Result<Prepared, Failure> {
    let recording = Recording::load(places, name)?;
    recording.cut.iter().for_each(|cut| exit::say(cut));
    let changed = recording.changed_prompts(places);
    changed.iter().for_each(|changed| exit::say(changed));
    if !changed.is_empty() {
        exit::say("the recorded prompts are used: what a changed prompt does shows only in a run that asks the models");
    }
    let answers = Arc::new(Recorded::of(&recording.run));
    let journal = places.journal().write()?;
    let (id, claim) = new_id(places)?;
    let mut opening = recording.opened_as(id.clone(), brief.caps.limits())?;
    opening.team.check_plan |= brief.check_plan;
    opening.team.check_draft |= brief.check_draft;
    let drill = drill::of(&opening)?;
    let mut first = opening_events(opening);
    first.extend(stops::set(&first, &brief.breaks.on)?);
    let bare = Prepared::bare((id, claim), runtime()?, journal, (answers.clone(), answers));
    Ok(Prepared { drill, first, ..bare })
}

/// The models that a new run would use without any request, in a few words; None if it would use none.
pub fn default_models(places: &Places) -> Result<Option<Clean>, Failure> {
    let mut team = team::load(&places.config, team::BRIEF).map_err(Failure::usage)?;
    let prompts = team::prompts(&places.config, team::BRIEF).map_err(Failure::usage)?;
    let chosen = models::for_new(places, &Thinking::default(), &models::prompted(&team, &prompts))?;
    let Some(chosen) = chosen else { return Ok(None) };
    let cap = models::cap(None, chosen.max_cost, &chosen.choices);
    team::assign_models(&mut team, &prompts, chosen.choices.into_iter().map(|c| (c.role, c.model, c.fallbacks)));
    let cap = cap.map(|cap| format!(" (at most {cap} a run)")).unwrap_or_default();
    Ok(team.thinks_with().map(|models| format!("{models}{cap}").into()))
}

/// The models and the likely cost of a new run with these arguments, in a few words.
pub fn offer(places: &Places, brief: &Brief) -> Result<Clean, Failure> {
    let mut team = team::load(&places.config, brief.team.as_deref().unwrap_or(team::BRIEF)).map_err(Failure::usage)?;
    set_leader(brief, &mut team)?;
    let Some(chosen) = assign_models(places, brief, &mut team)? else { return Ok("by rule, no model, no cost".into()) };
    let max_cost = models::cap(brief.caps.max_cost, chosen.max_cost, &chosen.choices);
    let models = team.thinks_with().unwrap_or_default();
    let opening = Opening {
        words: default_words("?"),
        limits: Caps { max_cost, ..brief.caps }.limits(),
        ..Opening::new(RunId::from_random([0; 6]), "?".into(), team)
    };
    let likely = forecast::before(&opening).map(|forecast| forecast.likely).filter(|likely| likely.0 > 0);
    let likely = likely.map_or(String::new(), |likely| format!(" · ~{likely}"));
    let most = max_cost.map_or(String::new(), |cap| format!(" · at most {cap}"));
    Ok(Clean::line(&format!("{models}{likely}{most}")))
}

/// Assigns models to the team: requested, configured, or available ones.
pub(super) fn assign_models(places: &Places, brief: &Brief, team: &mut Team) -> Result<Option<Chosen>, Failure> {
    let name = brief.team.as_deref().unwrap_or(team::BRIEF);
    let prompts = models::prompts(places, name, team, &brief.thinking.agents)?;
    let prompted = models::prompted(team, &prompts.of);
    let chosen = models::for_new(places, &brief.thinking, &prompted)?;
    if chosen.is_none() && !brief.thinking.agents.is_empty() {
        return Err(Failure::Usage(
            "specialists of --agents work with models, and none is used: name one with --model PROVIDER/MODEL. `masthead \
             doctor` says which models are there"
                .into(),
        ));
    }
    if chosen.is_some() {
        prompts.left_out().iter().for_each(|left_out| exit::say(left_out));
    }
    let leads = |chosen: &Chosen| chosen.choices.iter().any(|choice| choice.role.as_str() == Role::SUPERVISOR);
    if team.is_model_led() && !chosen.as_ref().is_some_and(leads) {
        return Err(Failure::Usage(
            "a model is to lead, and there is none for the supervisor: name one with --model supervisor=PROVIDER/MODEL, or \
             leave the lead to the rules with --lead pipeline. `masthead doctor` says which models are there"
                .into(),
        ));
    }
    let agent = Role::new(Role::AGENT);
    if team.order.is_alone() && !chosen.iter().flat_map(|chosen| &chosen.choices).any(|choice| choice.role == agent) {
        return Err(Failure::Usage(
            "the team is one agent with a model, and there is none: name one with --model PROVIDER/MODEL. `masthead doctor` \
             says which models are there"
                .into(),
        ));
    }
    let judge = Role::new(Role::JUDGE);
    if team.order.is_judging() && !chosen.iter().flat_map(|chosen| &chosen.choices).any(|choice| choice.role == judge) {
        return Err(Failure::Usage(
            "the judge is a model, and there is none: name one with --judge PROVIDER/MODEL".into(),
        ));
    }
    if let Some(chosen) = &chosen {
        let choices = chosen.choices.iter().cloned();
        team::assign_models(team, &prompts.of, choices.map(|c| (c.role, c.model, c.fallbacks)));
    }
    Ok(chosen)
}

/// Adds the tools beyond the built-in ones: those of MCP servers, each started when a run starts or resumes.
pub(super) fn and_servers(
    tools: LibraryTools,
    runtime: &Runtime,
    started: Started,
) -> Result<(LibraryTools, Servers), Failure> {
    let Started { sources, servers, said } = started;
    let filled = runtime.block_on(tools.and_sources(&sources)).map_err(Failure::usage)?;
    Ok((filled.and_said(said), servers))
}

pub fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(|error| Failure::Other(format!("cannot start threads: {error}")))
}

pub(super) fn tools(places: &Places, sources: &[PathBuf], web: &[Clean]) -> Result<LibraryTools, Failure> {
    let readers = Readers::of_this_program();
    let library = Library::open(sources, &places.data, readers.clone()).map_err(library_failure)?;
    let tools = LibraryTools::new(library);
    if web.is_empty() {
        return Ok(tools);
    }
    let web = Web::open(web, &places.data, readers).map_err(|error| match error {
        WebError::Backend(_) => Failure::Usage(error.to_string()),
        WebError::Store(_) => Failure::NotWritten(error.to_string()),
        WebError::Client(_) => Failure::Other(error.to_string()),
    })?;
    Ok(tools.and_web(web))
}

fn library_failure(error: IndexError) -> Failure {
    match error {
        IndexError::Root(_) => Failure::Usage(error.to_string()),
        _ => Failure::NotWritten(error.to_string()),
    }
}

pub(super) fn sources(given: &[PathBuf], web: bool) -> Result<Vec<PathBuf>, Failure> {
    if given.is_empty() && !web {
        return Err(Failure::Usage(
            "there is nothing to search: name a folder or a file with --sources, as in --sources ~/notes, or search the web with --web wikipedia".into(),
        ));
    }
    given
        .iter()
        .map(|path| {
            path.canonicalize()
                .map_err(|error| Failure::Usage(format!("the source {} cannot be opened: {error}", shown(path))))
        })
        .collect()
}

pub(super) fn new_id(places: &Places) -> Result<(RunId, Claim), Failure> {
    loop {
        let mut bytes = [0; 6];
        getrandom::fill(&mut bytes).map_err(|error| Failure::Other(format!("no random numbers: {error}")))?;
        let id = RunId::from_random(bytes);
        let taken = match places.journal().read()? {
            Some(reader) => reader.runs()?.iter().any(|run| run.id == id),
            None => false,
        };
        if let (false, Claimed::Ours(claim)) = (taken, places.journal().claim(&id)?) {
            return Ok((id, claim));
        }
    }
}

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
    Ok((reader.find(name)?, reader))
}

/// Changes to a run that a person makes on resuming it.
#[derive(Debug, Default)]
pub struct Changes {
    /// The new caps, of those that are raised.
    pub raise: Limits,
    pub clear_breaks: bool,
    /// The breakpoints that are set.
    pub breaks: Vec<Condition>,
    /// The answer to the breakpoint that the run stands at, if it stands at one.
    pub answer: Option<AtBreak>,
    /// The file with the payload that is sent there instead.
    pub payload: Option<PathBuf>,
    /// Whether others go on while the run stands there.
    pub others: Option<Others>,
    /// Remarks on the draft, where the run stops for it.
    pub remarks: Vec<Remarked>,
    /// Whether the tools of MCP servers are left out.
    pub no_mcp: bool,
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
    if let Some(origin) = run.origin() {
        let from = origin.format;
        return Err(Failure::Usage(format!(
            "run {id} is of another program ({from}) and read only: nothing can go on with it here. `masthead replay {id}` shows it"
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
            let tools = tools(places, &sources, &opening.web)?;
            let started = match changes.no_mcp {
                true => Started::default(),
                false => mcp::start(places, &runtime, &Wanted::Recorded(&opening.team))?,
            };
            let (tools, theirs) = and_servers(tools, &runtime, started)?;
            servers = theirs;
            let tools = match memory::notes_of(places, &opening.team)? {
                Some(notes) => tools.and_notes(notes, id.clone()),
                None => tools,
            };
            (Arc::new(tools), models::for_teams(places, [&opening.team])?)
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
        Err(why @ Unraised::AtWork(_)) => {
            Err(Failure::Usage(format!("run {id}: {why}. `masthead resume {id}` goes on with it")))
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

pub type Audience = Arc<dyn Fn(Notice) + Send + Sync>;

/// The time that a halted desk has to record its last events, before its runtime ends.
const HALTS: Duration = Duration::from_secs(2);

pub struct Working {
    runtime: Runtime,
    commands: mpsc::UnboundedSender<Command>,
    stop: std::sync::mpsc::Receiver<Stop>,
    /// The sender of telemetry, if there is one.
    exporter: Option<Exporter>,
    servers: Servers,
    /// The work itself.
    desk: JoinHandle<()>,
}

/// Tells an exporter of what was committed as well. It is told last, and nobody waits for it.
fn and_exporter(audience: Audience, exporter: Option<&Exporter>) -> Audience {
    let Some(commits) = exporter.map(Exporter::commits) else { return audience };
    Arc::new(move |notice| {
        let committed = match &notice {
            Notice::Committed(committed) => Some(committed.clone()),
            _ => None,
        };
        audience(notice);
        // One that has stopped has said why in the log.
        committed.into_iter().for_each(|committed| drop(commits.send(committed)));
    })
}

pub fn start(prepared: Prepared, policy: Policy, audience: Audience) -> Result<Working, Failure> {
    let (commands, orders) = mpsc::unbounded_channel();
    let (stopped, stop) = std::sync::mpsc::channel();
    let Prepared {
        id,
        claim,
        runtime,
        journal,
        tools,
        models,
        drill,
        doubts,
        learns,
        run,
        first,
        begins_with,
        recorded,
        servers,
        calls,
        ..
    } = prepared;
    let exporter = telemetry_out::settings().map(|settings| Exporter::start(settings, &runtime, &recorded));
    let audience = and_exporter(audience, exporter.as_ref());
    let audience = match calls {
        Some(command) => notify::calling(command, id.clone(), run.clone(), audience),
        None => audience,
    };
    let roster: Arc<dyn Roster> = match drill {
        Some(drill) => Arc::new(*drill),
        None => Arc::new(Staff),
    };
    let desk = runtime.spawn(async move {
        if !begins_with.is_empty() {
            let headline = Headline::of(&run).unwrap_or_default();
            let events = begins_with.iter().map(|envelope| (**envelope).clone()).collect();
            if let Err(error) = journal.append(&id, events, headline).await {
                audience(Notice::Stopped(Some(error.to_string().into())));
                let _ = stopped.send(Stop::Journal(error));
                return;
            }
        }
        let mut desk = Desk::new(
            run,
            World { journal, tools, models, roster, clock: Arc::new(SystemClock) },
            policy,
            orders,
            audience,
        )
        .with_doubts(doubts);
        let stop = desk.work(first).await;
        tracing::info!(?stop, "the desk has stopped");
        if let Some(Err(error)) = learns.map(|data| Learnt::keep(&data, desk.run().learnt())) {
            tracing::warn!(%error, "what was learnt of models could not be kept");
        }
        // The journal is closed before the claim is released.
        drop(desk);
        drop(claim);
        let _ = stopped.send(stop);
    });
    Ok(Working { runtime, commands, stop, exporter, servers, desk })
}

/// Stops the work where it stands, if it has not stopped: what is under way is neither done nor failed, as after a crash. Only then
/// may servers end, whose calls would be recorded as failed.
fn halt(runtime: &Runtime, desk: JoinHandle<()>) {
    desk.abort();
    // It is dropped at its next step, which commits to the journal at most.
    let _ = runtime.block_on(async { tokio::time::timeout(HALTS, desk).await });
}

impl Working {
    pub fn commands(&self) -> mpsc::UnboundedSender<Command> {
        self.commands.clone()
    }

    /// Waits until the desk stops by itself, or until a signal asks it to; then returns the number of the signal.
    pub fn wait(self) -> Result<Stop, i32> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupted, signals) = std::sync::mpsc::channel::<i32>();
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            let interrupted = interrupted.clone();
            self.runtime.spawn(async move {
                if let Ok(mut signal) = signal(kind) {
                    signal.recv().await;
                    let _ = interrupted.send(kind.as_raw_value());
                }
            });
        }
        let Working { runtime, stop, exporter, servers, desk, .. } = self;
        let stopped = interrupted;
        let waiter = std::thread::spawn(move || {
            let stop = stop.recv();
            let _ = stopped.send(0);
            stop
        });
        let number = signals.recv().unwrap_or(0);
        if let Some(exporter) = exporter {
            exporter.finish(&runtime);
        }
        halt(&runtime, desk);
        servers.end(&runtime);
        if number != 0 {
            runtime.shutdown_background();
            return Err(number);
        }
        let stop = waiter.join().ok().and_then(Result::ok).unwrap_or(Stop::Left);
        runtime.shutdown_background();
        Ok(stop)
    }

    /// Asks the desk to stop at the next safe moment, and waits for it.
    pub fn leave(self) -> Option<Stop> {
        let Working { runtime, commands, stop, exporter, servers, desk } = self;
        drop(commands);
        let stop = stop.recv_timeout(Duration::from_secs(3)).ok();
        if let Some(exporter) = exporter {
            exporter.finish(&runtime);
        }
        halt(&runtime, desk);
        servers.end(&runtime);
        runtime.shutdown_background();
        stop
    }
}
