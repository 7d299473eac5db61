//! Checks that each member can do its work with its models, tools and turns.

use run::team::{Kind, Member};
use run::tool::builtin::{self, BuiltIn, Search};
use run::{Role, Team, ToolName};

/// The least turns of a model with tools: an answer that calls tools, its report, and a correction of it.
const LEAST_WITH_TOOLS: u32 = 3;

/// Whether every member of a team, with its models and tools assigned, can do its work at all.
///
/// # Errors
/// A researcher could not search, or a model would never be asked; in words for the person.
pub fn check_able(team: &Team) -> Result<(), String> {
    team.members.iter().try_for_each(|(role, member)| check(role, member))
}

fn check(role: &Role, member: &Member) -> Result<(), String> {
    let thinks = member.kind == Kind::Model && member.model.is_some() && member.gate.is_none();
    if thinks && !member.tools.is_empty() && member.turns < LEAST_WITH_TOOLS {
        let Member { turns, .. } = member;
        return Err(format!(
            "`{role}` has turns = {turns}: with a model and tools it needs at least {LEAST_WITH_TOOLS}, for a call of \
             its tools, its report, and a correction of that"
        ));
    }
    // Tools of servers may find something for a model. Rules only search.
    let finds = |name: &ToolName| *name == Search::NAME || thinks && builtin::spec(name).is_none();
    if role.as_str() == Role::RESEARCHER && !member.tools.iter().any(finds) {
        let tools: Vec<&str> = member.tools.iter().map(ToolName::as_str).collect();
        let has = if tools.is_empty() { "no tools".into() } else { format!("only {}", tools.join(", ")) };
        return Err(format!(
            "`{role}` has {has}, and could not search: add `search` to `tools` in its prompt or in team.toml"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{assign_models, embedded, parse_prompt};
    use run::team::AssignedModel;

    #[test]
    fn a_researcher_that_could_not_search_and_a_model_that_would_never_be_asked_are_refused() {
        let model = || AssignedModel::new("mine/m".parse().unwrap(), 900);
        for (role, head, says) in [
            ("researcher", "turns: 2", Some("needs at least 3")),
            ("researcher", "turns: 3", None),
            ("writer", "turns: 2", None),
            ("researcher", "tools: outline", Some("has only outline, and could not search")),
            ("researcher", "tools: kb__look_up", None),
            ("planner", "tools: outline", None),
        ] {
            let role = Role::new(role);
            let prompt = parse_prompt(&format!("---\n{head}\n---\nWork."), role.as_str()).unwrap();
            let mut team = embedded();
            assign_models(&mut team, &[(role.clone(), prompt)].into(), [(role, model(), Vec::new())]);
            let able = check_able(&team);
            assert_eq!(able.is_err(), says.is_some(), "{head}: {able:?}");
            assert!(able.err().unwrap_or_default().contains(says.unwrap_or_default()), "{head}");
        }
        let mut team = embedded();
        for (tools, is_right) in [(&["search"][..], true), (&["kb__look_up"], false), (&[], false)] {
            let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
            researcher.tools = tools.iter().map(|name| ToolName::new(name)).collect();
            assert_eq!(check_able(&team).is_ok(), is_right, "by rule with {tools:?}");
        }
    }
}
