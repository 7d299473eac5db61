//! Opens a new run: checks question, sources and caps, chooses models, and reports their cost. Nothing is sent yet.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Outlook, Prepared, runtime};
use crate::args::{Brief, Caps, LeadBy, Thinking};
use crate::drill;
use crate::exit::{self, Failure};
use crate::mcp::{self, Started, Wanted};
use crate::memory;
use crate::models::{self, Chosen, Found};
use crate::notify;
use crate::output::shown;
use crate::place::Places;
use crate::programs;
use crate::recording::{Recording, check_ours};
use crate::stops;
use ::drill::DrillTools;
use ::mcp::Servers;
use desk::{LibraryTools, Models, NoModels, Recorded, opening_events};
use documents::index::IndexError;
use journal::{Claim, Claimed};
use model::choose::ModelArg;
use run::event::Opening;
use run::team::Kind;
use run::{Money, Role, RunId, Team, forecast};
use text::Clean;
use text::listed::{default_words, listed};
use tokio::runtime::Runtime;
use tool::{Library, Readers};
use web::{Web, WebError};

/// The most bytes of a question: some thousand questions in a list.
const MOST_QUESTION: usize = 256 << 10;

/// Checks question, sources and caps, and opens a new run.
pub fn prepare_new(places: &Places, brief: &Brief) -> Result<Prepared, Failure> {
    if let Some(name) = &brief.answers_from {
        return prepare_recorded(places, brief, name);
    }
    let question = checked_question(brief.question.as_deref().unwrap_or_default())?;
    let sources = sources(&brief.sources, !brief.web.is_empty())?;
    let web: Vec<Clean> = brief.web.iter().map(|name| Clean::line(name)).collect();
    let runtime = runtime()?;
    let tools = tools(places, &sources, &web)?;
    let mut team = team_of(places, brief)?;
    let notes = if brief.no_memory { None } else { memory::notes_of(places, &team)? };
    if notes.is_none() {
        memory::forget(&mut team);
    }
    let Found { chosen, unused } = assign_models(places, brief, &mut team)?;
    let max_cost = match &chosen {
        Some(chosen) => models::cap(brief.caps.max_cost, chosen.max_cost, &chosen.choices),
        None => brief.caps.max_cost,
    };
    let mut started = match brief.no_mcp {
        true => Started::none(places),
        false => mcp::start(places, &runtime, &Wanted::New(&team))?,
    };
    started.leave_out(&mut team);
    let remarks = started.remarks.clone();
    let (tools, servers) = and_servers(tools, &runtime, started)?;
    equip(places, brief, &tools, &mut team, &remarks)?;
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
    let outlook = outlook_of(&opening, chosen.as_ref(), max_cost, unused);
    let models = chosen.map_or_else(|| Arc::new(NoModels) as Arc<dyn Models>, |chosen| chosen.models);
    let mut first = opening_events(opening);
    first.extend(stops::set(&first, &brief.breaks.on)?);
    let (learns, calls) = (Some(places.data.clone()), notify::command(places)?);
    let bare = Prepared::bare((id, claim), runtime, journal, (tools, models));
    Ok(Prepared { doubts, learns, first, servers, calls, outlook, ..bare })
}

/// The name of the team that is asked for.
fn team_name(brief: &Brief) -> &str {
    brief.team.as_deref().unwrap_or(team::BRIEF)
}

/// The team that is asked for, as it leads and stops; its models are not chosen yet.
fn team_of(places: &Places, brief: &Brief) -> Result<Team, Failure> {
    let name = team_name(brief);
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
    Ok(team)
}

/// Gives the team its tools, and checks that it can work with them; says which settings of its members are in vain.
fn equip(
    places: &Places,
    brief: &Brief,
    tools: &LibraryTools,
    team: &mut Team,
    remarks: &[Clean],
) -> Result<(), Failure> {
    let name = team_name(brief);
    if !brief.thinking.extractive {
        let prompts = team::prompts(&places.config, name).map_err(Failure::usage)?;
        let in_vain = models::set_in_vain(places, team, &models::prompted(team, &prompts))?;
        in_vain.iter().for_each(|in_vain| exit::say(in_vain));
    }
    let able = tools.equip(team).map_err(|why| why.to_string());
    let able = able.and_then(|()| team::check_able(team));
    let able = able.and_then(|()| programs::check_gates(team, &places.config.join("teams").join(name)));
    // A server that is not up may be the cause: it comes first.
    able.map_err(|why| {
        let lines: Vec<String> = remarks.iter().map(ToString::to_string).chain([why]).collect();
        Failure::Usage(lines.join("\n"))
    })
}

/// The models of a new run, their cost, and remarks for the person before it begins; None if there is nothing to say.
fn outlook_of(
    opening: &Opening,
    chosen: Option<&Chosen>,
    max_cost: Option<Money>,
    unused: Vec<String>,
) -> Option<Outlook> {
    let forecast = forecast::before(opening).filter(|forecast| forecast.high > Money::default());
    let reach = forecast::reach_before(opening);
    let cost = match chosen {
        Some(_) => Some(models::cost_in_words(forecast, max_cost, reach)),
        None => reach.map(|reach| reach.to_string()),
    };
    let models = chosen.map(|chosen| models::in_words(&chosen.choices));
    let below = forecast::below_a_call(opening).into_iter().map(|below| below.to_string());
    let warnings: Vec<String> = opening.without_room().into_iter().chain(below).chain(unused).collect();
    let unasked = chosen.is_some_and(|chosen| chosen.unasked && forecast.is_some());
    let has_words = models.is_some() || cost.is_some() || !warnings.is_empty();
    has_words.then_some(Outlook { models, cost, warnings, unasked })
}

/// Sets whether a model leads: `--lead`, else the team file, else whether a model was named for the supervisor.
fn set_leader(brief: &Brief, team: &mut Team) -> Result<(), Failure> {
    let is_named = |arg: &ModelArg| arg.role.as_ref().is_some_and(|role| role.as_str() == Role::SUPERVISOR);
    let named = brief.thinking.models.iter().any(is_named);
    let by_model = match brief.lead {
        Some(LeadBy::Model) if brief.thinking.extractive => {
            return Err(Failure::Usage(
                "--extractive uses no model, and --lead model needs one: give one of the two".into(),
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

/// A question that a run can have.
fn checked_question(asked: &str) -> Result<Clean, Failure> {
    if asked.len() > MOST_QUESTION {
        return Err(Failure::Usage(format!(
            "the question is longer than {} KiB: put a long text into a file, and that below --sources",
            MOST_QUESTION >> 10
        )));
    }
    let question = question(asked);
    match question.contains(char::is_alphanumeric) {
        true => Ok(question),
        false => Err(Failure::Usage(
            "there is no question: `masthead brief \"What do you want to know?\" --sources DIR`".into(),
        )),
    }
}

/// The question on one line; a list of questions keeps its lines.
pub fn question(asked: &str) -> Clean {
    let asked = Clean::new(asked.trim());
    let line = Clean::line(&asked);
    if listed(&asked) == listed(&line) { line } else { asked }
}

/// Opens a new run with the recorded team and question, answered from the recording.
fn prepare_recorded(places: &Places, brief: &Brief, name: &str) -> Result<Prepared, Failure> {
    let recording = Recording::load(places, name)?;
    check_ours(name, &recording.run)?;
    recording.cut.iter().for_each(|cut| exit::say(cut));
    let changed = recording.changed_prompts(places);
    changed.iter().for_each(|changed| exit::say(changed));
    if !changed.is_empty() {
        exit::say("the recorded prompts are used: to see what a changed prompt does, start a run that asks the models");
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

/// The models that a new run would use without any request, in a few words, None if it would use none; and why servers that are
/// set up are not used.
pub fn default_models(places: &Places) -> Result<(Option<Clean>, Vec<String>), Failure> {
    let mut team = team::load(&places.config, team::BRIEF).map_err(Failure::usage)?;
    let prompts = team::prompts(&places.config, team::BRIEF).map_err(Failure::usage)?;
    let found = models::for_new(places, &Thinking::default(), &models::prompted(&team, &prompts))?;
    let Found { chosen: Some(chosen), unused } = found else { return Ok((None, found.unused)) };
    let cap = models::cap(None, chosen.max_cost, &chosen.choices);
    team::assign_models(&mut team, &prompts, chosen.choices.into_iter().map(|c| (c.role, c.model, c.fallbacks)));
    let cap = cap.map(|cap| format!(" (at most {cap} a run)")).unwrap_or_default();
    Ok((team.thinks_with().map(|models| format!("{models}{cap}").into()), unused))
}

/// The likely and the highest cost of a new run with these arguments, and its models, in a few words.
pub fn offer(places: &Places, brief: &Brief) -> Result<Clean, Failure> {
    let mut team = team::load(&places.config, team_name(brief)).map_err(Failure::usage)?;
    set_leader(brief, &mut team)?;
    let Some(chosen) = assign_models(places, brief, &mut team)?.chosen else {
        return Ok("by rule, no model, no cost".into());
    };
    let max_cost = models::cap(brief.caps.max_cost, chosen.max_cost, &chosen.choices);
    let models = team.thinks_with().unwrap_or_default();
    let opening = Opening {
        words: default_words("?"),
        limits: Caps { max_cost, ..brief.caps }.limits(),
        ..Opening::new(RunId::from_random([0; 6]), "?".into(), team)
    };
    let likely =
        forecast::before(&opening).map(|forecast| forecast.within(max_cost).likely).filter(|likely| likely.0 > 0);
    // The money first: a narrow screen cuts the end.
    let likely = likely.map_or(String::new(), |likely| format!("~{likely} · "));
    let most = max_cost.map_or(String::new(), |cap| format!("at most {cap} · "));
    Ok(Clean::line(&format!("{likely}{most}{models}")))
}

/// Assigns models to the team: requested, configured, or available ones.
pub fn assign_models(places: &Places, brief: &Brief, team: &mut Team) -> Result<Found, Failure> {
    let name = team_name(brief);
    models::check_limits(places, team)?;
    let prompts = models::prompts(places, name, team, &brief.thinking.agents)?;
    let prompted = models::prompted(team, &prompts.of);
    let Found { chosen, unused } = models::for_new(places, &brief.thinking, &prompted)?;
    if chosen.is_none() && !brief.thinking.agents.is_empty() {
        return Err(Failure::Usage(
            "specialists of --agents need a model, and this run has none: name one with --model PROVIDER/MODEL. `masthead \
             doctor` lists the models that can be used"
                .into(),
        ));
    }
    if chosen.is_some() {
        prompts.left_out().iter().for_each(|left_out| exit::say(left_out));
    }
    let leads = |chosen: &Chosen| chosen.choices.iter().any(|choice| choice.role.as_str() == Role::SUPERVISOR);
    if team.is_model_led() && !chosen.as_ref().is_some_and(leads) {
        return Err(Failure::Usage(
            "the supervisor needs a model to lead, and has none: name one with --model supervisor=PROVIDER/MODEL, or let the \
             rules lead with --lead pipeline. `masthead doctor` lists the models that can be used"
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
    Ok(Found { chosen, unused })
}

/// Adds the tools beyond the built-in ones: those of MCP servers, each started when a run starts or resumes.
pub fn and_servers(
    tools: LibraryTools,
    runtime: &Runtime,
    started: Started,
) -> Result<(LibraryTools, Servers), Failure> {
    let Started { sources, servers, remarks, .. } = started;
    let filled = runtime.block_on(tools.and_sources(&sources)).map_err(Failure::usage)?;
    Ok((filled.and_remarks(remarks), servers))
}

pub fn tools(places: &Places, sources: &[PathBuf], web: &[Clean]) -> Result<LibraryTools, Failure> {
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

pub fn sources(given: &[PathBuf], web: bool) -> Result<Vec<PathBuf>, Failure> {
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

pub fn new_id(places: &Places) -> Result<(RunId, Claim), Failure> {
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
