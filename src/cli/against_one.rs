//! `brief --compare`: a single agent, then the team, answer the same question with the same documents, tools and model;
//! then both are compared by measurements. It does not judge which is better.

use super::args::{Breaks, Brief};
use super::engine;
use super::exit::{self, Failure};
use super::form::Form;
use super::output::Output;
use super::place::Places;
use super::{inspect, lines};
use model::choose::ModelArg;
use run::event::Opening;
use run::{Role, Team};
use text::Clean;

/// Runs the agent, then the team, and prints the comparison. The exit code is the team's.
///
/// # Errors
/// The team has no model, or one of the two runs cannot begin or continue.
pub fn brief(places: &Places, brief: &Brief) -> Result<u8, Failure> {
    let output = brief.output.as_deref().map(Output::open).transpose()?;
    let team = engine::prepare_new(places, brief)?;
    let agent = engine::prepare_new(places, &alone(brief, model_of(team.opening())?))?;
    for (name, prepared) in [("one agent", &agent), ("the team", &team)] {
        let Some(outlook) = &prepared.outlook else { continue };
        if outlook.unasked && !brief.face.yes {
            return Err(Failure::Usage(format!(
                "no flag or setting asks for models that cost money: {name} would take {}. --yes or --model uses them, \
                 --max-cost caps what each of the two costs",
                outlook.message()
            )));
        }
        exit::say(&format!("{name} (run {}): {}", prepared.id, outlook.message()));
    }
    let (agent_run, team_run) = (agent.id.clone(), team.id.clone());
    let later = || exit::say(&format!("once both are done: masthead compare {agent_run} {team_run}"));
    let code = lines::without_screens(agent, &brief.face, None)?;
    if ![exit::DONE, exit::PARTIAL].contains(&code) {
        exit::say("the team was not begun: there would be nothing to compare it with");
        return Ok(code);
    }
    let code = lines::without_screens(team, &brief.face, output.as_ref())?;
    if ![exit::DONE, exit::PARTIAL].contains(&code) {
        later();
        return Ok(code);
    }
    inspect::print_compared(&inspect::compared(places, agent_run.as_str(), team_run.as_str())?, Form::Lines)?;
    Ok(code)
}

/// The model of the team's researchers; that of its writer if the researchers use rules.
pub(super) fn model_of(opening: Option<&Opening>) -> Result<Clean, Failure> {
    let of_role = |team: &Team, role: &str| {
        let model = team.members.get(&Role::new(role))?.model.as_ref()?;
        Some(Clean::line(&model.id.to_string()))
    };
    let model = opening.map(|opening| &opening.team).and_then(|team| {
        of_role(team, team.order.looks()).or_else(|| of_role(team, team.order.writes())).or_else(|| {
            let (id, _) = *team.models().first()?;
            Some(Clean::line(&id.to_string()))
        })
    });
    model.ok_or_else(|| {
        Failure::Usage(
            "one agent that does all needs a model, and the team uses none: name one with --model PROVIDER/MODEL. `masthead \
             doctor` says which models are there"
                .into(),
        )
    })
}

/// The same command for a single agent: without stops and without notes.
pub(super) fn alone(brief: &Brief, model: Clean) -> Brief {
    let mut alone = Brief {
        team: Some(team::ALONE.to_owned()),
        lead: None,
        check_plan: false,
        check_draft: false,
        no_memory: true,
        output: None,
        breaks: Breaks::default(),
        ..brief.clone()
    };
    alone.thinking.agents = Vec::new();
    alone.thinking.models = vec![ModelArg { role: Some(Role::new(Role::AGENT)), model }];
    alone
}
