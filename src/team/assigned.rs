//! Gives the members of a team their models, prompts and tools.

use std::collections::BTreeMap;

use run::team::{AssignedModel, Kind, Member};
use run::{Role, Team, ToolName};

use super::prompt::Prompt;

/// Assigns models and fallbacks to members, each with the prompt of its role and the tools and turns that the prompt
/// sets. The answer limit was set when the model was chosen. A role that the team lacks joins it; a role without a
/// prompt keeps working by rule.
pub fn assign_models(
    team: &mut Team,
    prompts: &BTreeMap<Role, Prompt>,
    chosen: impl IntoIterator<Item = (Role, AssignedModel, Vec<AssignedModel>)>,
) {
    for (role, model, fallbacks) in chosen {
        let Some(prompt) = prompts.get(&role) else { continue };
        let with_prompt = |model: AssignedModel| AssignedModel { prompt: prompt.text.clone(), ..model };
        // A user's specialist has the failure policy of the researchers, and their tools if its file names none.
        let like = team.members.get(&Role::new(team.order.looks()));
        let on_failure = like.map(|member| member.on_failure.clone());
        let tools = tools_of(team, &role, prompt).to_vec();
        // Those of a role that works by rule in the team file are steps of its rules.
        let of_rules = team.has_rules(&role) && team.members.get(&role).is_some_and(|it| it.kind == Kind::Extractive);
        let member = team.members.entry(role).or_insert_with(|| Member {
            description: prompt.description.clone(),
            kind: Kind::Model,
            on_failure: on_failure.unwrap_or_default(),
            ..Member::default()
        });
        member.kind = Kind::Model;
        member.turns =
            prompt.turns.unwrap_or(if of_rules { member.turns.max(Member::default().turns) } else { member.turns });
        member.limits = member.limits.narrowed_by(prompt.limits);
        member.tools = tools;
        if !prompt.description.is_empty() {
            member.description.clone_from(&prompt.description);
        }
        member.model = Some(with_prompt(model));
        member.fallbacks = fallbacks.into_iter().map(with_prompt).collect();
    }
}

/// The tools of a role with this prompt: those it names, else those of the member, else those of the team's
/// researchers.
pub fn tools_of<'a>(team: &'a Team, role: &Role, prompt: &'a Prompt) -> &'a [ToolName] {
    let of_member = || team.members.get(role).or_else(|| team.members.get(&Role::new(team.order.looks())));
    prompt.tools.as_deref().unwrap_or_else(|| of_member().map_or(&[], |member| &member.tools))
}
