//! `brief --compare`: one agent answers in one context, then the team, with the same question, documents, tools and model; and
//! both are compared by what code can measure. It never says which is better.

use super::args::{Breaks, Brief};
use super::engine;
use super::exit::{self, Failure};
use super::output::Output;
use super::place::Places;
use super::{inspect, lines};
use model::choose::ModelArg;
use run::event::Opening;
use run::{Role, Team};
use text::Clean;

/// Runs the agent, then the team, and prints both compared. The exit code is the team's.
///
/// # Errors
/// The team has no model; or one of the two runs cannot be begun, or cannot go on.
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
                outlook.message
            )));
        }
        exit::say(&format!("{name} (run {}): {}", prepared.id, outlook.message));
    }
    let (one, other) = (agent.id.clone(), team.id.clone());
    let later = || exit::say(&format!("once both are done: masthead compare {one} {other}"));
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
    inspect::print_compared(&inspect::compared(places, one.as_str(), other.as_str())?, false)?;
    Ok(code)
}

/// The model with which the team finds things; that of its writer where rules find them.
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

/// The same for one agent: it stops nowhere, and keeps no notes.
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
