//! Runs in which a judge reads two briefs in both orders: opened, claimed and paid like any other run.

use std::sync::Arc;

use super::Asked;
use crate::args::{Brief, Thinking};
use crate::engine::{self, Prepared};
use crate::exit::Failure;
use crate::models;
use crate::place::Places;
use crate::{memory, notify};
use ::eval::{Judge, Judged, Opponent, Winner};
use desk::{Models, NoModels, opening_events};
use model::choose::ModelArg;
use run::event::Opening;
use run::{Cap, Limits, ModelId, Money, Role, Run, RunId, Team};
use text::Clean;
use text::sha256::{Sha256, hex};

/// The judge of an evaluation.
pub struct Bench {
    pub judge: Judge,
    /// The opening of each of its runs, without the question and the briefs.
    pub opening: Opening,
    brief: Brief,
    rubric: Clean,
}

impl Bench {
    /// The requested judge; None if none was requested.
    ///
    /// # Errors
    /// There is nothing to compare with, or the rubric or the model cannot be used.
    pub fn of(places: &Places, asked: &Asked<'_>) -> Result<Option<Bench>, Failure> {
        let Some(named) = &asked.args.judge else { return Ok(None) };
        if named.role.is_some() {
            return Err(Failure::Usage("--judge names a model, without a role: --judge PROVIDER/MODEL".into()));
        }
        let opponent = match (&asked.args.baseline, &asked.earlier) {
            (Some(_), _) => Opponent::Baseline,
            (None, Some(_)) => Opponent::Earlier,
            (None, None) => {
                return Err(Failure::Usage(
                    "a judge compares two briefs, and there is one: --baseline alone has one agent answer too, --against FILE \
                     names an earlier result"
                        .into(),
                ));
            }
        };
        let (name, rubric) = super::rubric(asked.args.rubric.as_deref())?;
        let model = ModelArg { role: Some(Role::new(Role::JUDGE)), model: named.model.clone() };
        let thinking =
            Thinking { models: vec![model], prices: asked.args.thinking.prices.clone(), ..Thinking::default() };
        let brief = Brief { team: Some(team::JUDGE.to_owned()), thinking, ..Brief::default() };
        let Seated { team, cap, .. } = seated(places, &brief, &rubric)?;
        let of_judge = team.members.get(&Role::new(Role::JUDGE)).and_then(|member| member.model.as_ref());
        let model = of_judge.map(|model| Clean::line(&model.id.to_string())).unwrap_or_default();
        let rubric_digest = hex(&Sha256::digest(rubric.as_str()))[..16].into();
        let judge = Judge { model, rubric: name, rubric_digest, opponent, notes: Vec::new() };
        let limits = Limits::default().with(Cap::Money, cap.map(|cap| cap.0));
        let opening = opening(RunId::from_random([0; 6]), &"?".into(), team, limits);
        Ok(Some(Bench { judge, opening, brief, rubric }))
    }

    /// Notes which teams use the judge's own model: models tend to prefer their own texts.
    pub fn note_own(&mut self, sides: &[(&str, &Team)]) {
        let Ok(own) = self.judge.model.parse::<ModelId>() else { return };
        let of = |(name, team): &(&str, &Team)| {
            let roles =
                team.members.iter().filter(|(_, member)| member.model.as_ref().is_some_and(|one| one.id == own));
            let roles: Vec<&str> = roles.map(|(role, _)| role.as_str()).collect();
            (!roles.is_empty()).then(|| format!("{name} ({})", roles.join(", ")))
        };
        let named: Vec<String> = sides.iter().filter_map(of).collect();
        if !named.is_empty() {
            let note = format!(
                "the judge {own} is also a model of {}: models tend to prefer their own answers",
                named.join(" and of ")
            );
            self.judge.notes.push(Clean::line(&note));
        }
    }

    /// The opening of the run that judges these briefs.
    pub fn opening_of(&self, question: &Clean, briefs: [Clean; 2], limits: Limits) -> Opening {
        Opening { question: question.clone(), briefs: Some(briefs), limits, ..self.opening.clone() }
    }

    /// Opens a run with this opening.
    ///
    /// # Errors
    /// Its model is no longer available, or the journal cannot be opened.
    pub fn prepare(&self, places: &Places, asked: &Asked<'_>, like: &Opening) -> Result<Prepared, Failure> {
        let Seated { team, models, .. } = seated(places, &self.brief, &self.rubric)?;
        let runtime = engine::runtime()?;
        let tools = Arc::new(engine::tools(places, &[], &[])?);
        let doubts = models::doubt_policy(places, asked.args.in_doubt)?;
        let journal = places.journal().write()?;
        let (id, claim) = engine::new_id(places)?;
        let opening = Opening { run: id.clone(), team, ..like.clone() };
        let first = opening_events(opening);
        let (learns, calls) = (Some(places.data.clone()), notify::command(places)?);
        let bare = Prepared::bare((id, claim), runtime, journal, (tools, models));
        Ok(Prepared { doubts, learns, first, calls, ..bare })
    }
}

/// The team of the judge with its model.
struct Seated {
    team: Team,
    models: Arc<dyn Models>,
    /// The default cap of one of its runs.
    cap: Option<Money>,
}

/// Prepares the judge: its prompt ends with the rubric.
fn seated(places: &Places, brief: &Brief, rubric: &Clean) -> Result<Seated, Failure> {
    let mut team = team::load(&places.config, team::JUDGE).map_err(Failure::usage)?;
    memory::forget(&mut team);
    let chosen = engine::assign_models(places, brief, &mut team)?.chosen;
    for model in team.members.values_mut().flat_map(|member| member.model.iter_mut().chain(&mut member.fallbacks)) {
        model.prompt = Clean::new(&format!("{}\n\nThe rubric:\n\n{rubric}\n", model.prompt.trim_end()));
    }
    let cap = chosen.as_ref().and_then(|chosen| models::cap(None, chosen.max_cost, &chosen.choices));
    let models = chosen.map_or_else(|| Arc::new(NoModels) as Arc<dyn Models>, |chosen| chosen.models);
    Ok(Seated { team, models, cap })
}

fn opening(run: RunId, question: &Clean, team: Team, limits: Limits) -> Opening {
    Opening { limits, ..Opening::new(run, question.clone(), team) }
}

/// The judgement from a run.
pub fn judged(run: &Run, taken_up: bool) -> Judged {
    let orders = run.preferences().to_vec();
    let winner = Winner::of(&orders);
    let account = run.ledger.run();
    let why = match (winner, run.ended()) {
        (Winner::Unjudged, Some(outcome)) => Clean::line(&outcome.to_string()),
        (Winner::Unjudged, None) => "it waits for you".into(),
        _ => Clean::default(),
    };
    let answers = run.assignments().flat_map(|one| one.transcript.exchanges()).filter_map(|one| one.reply());
    Judged {
        run: run.opening.as_ref().map(|opening| Clean::line(opening.run.as_str())),
        winner,
        orders,
        why,
        cost: account.spent.money(),
        tokens: account.spent.tokens(),
        model_calls: answers.count() as u64,
        worked_ms: run.worked(run.at),
        taken_up,
    }
}

/// A pair that could not be judged.
pub fn unjudged(why: &str) -> Judged {
    Judged {
        run: None,
        winner: Winner::Unjudged,
        orders: Vec::new(),
        why: why.into(),
        cost: Money::default(),
        tokens: 0,
        model_calls: 0,
        worked_ms: 0,
        taken_up: false,
    }
}
