//! The checks of a team file that its form alone does not make.

use std::path::Path;

use run::join::Join;
use run::team::AssignedModel;
use run::timeouts::Timeouts;
use run::{Plan, Role, Team};
use text::nearest;

/// The most that may be reserved of the caps for landing, in percent.
const MOST_LANDING: u64 = 90;

/// Checks a team that was read from this text; `folder` is where its prompts are.
///
/// # Errors
/// What cannot work, in words for a person.
pub(super) fn check(team: &Team, text: &str, folder: Option<&Path>) -> Result<(), String> {
    check_caps(team)?;
    check_members(team)?;
    check_roles(team, text)?;
    check_led(team, folder)
}

fn check_caps(team: &Team) -> Result<(), String> {
    if !(1..=Plan::MOST).contains(&team.most_tasks) {
        return Err(format!("most_tasks is {}: a plan has 1 to {} tasks", team.most_tasks, Plan::MOST));
    }
    if team.landing_percent > MOST_LANDING {
        return Err(format!(
            "landing_percent is {}: 0 to {MOST_LANDING} percent of the caps can be kept back for landing, the rest is for work",
            team.landing_percent
        ));
    }
    if team.parallel == 0 {
        return Err("parallel is 0: no assignment could ever run; 1 lets them run one after another".into());
    }
    if team.same_handoff == 0 {
        return Err("same_handoff is 0: nothing could ever be handed on; 1 is the least".into());
    }
    if let Join::AtLeast(n) = team.joins.merge
        && n.get() > team.most_tasks
    {
        return Err(format!(
            "joins.merge waits for at least {n} tasks, and a plan has at most {} (most_tasks)",
            team.most_tasks
        ));
    }
    if team.span < 2 {
        return Err(format!("span is {}: a leader has at least 2 tasks", team.span));
    }
    if !(1..=Team::MOST_DEPTH).contains(&team.depth) {
        return Err(format!(
            "depth is {}: there are 1 to {} levels of leaders, the supervisor included",
            team.depth,
            Team::MOST_DEPTH
        ));
    }
    if let Some((provider, _)) = team.parallel_of.iter().find(|(_, most)| **most == 0) {
        return Err(format!(
            "parallel_of: {provider} is 0: no assignment could ever run there; leave it out for no limit"
        ));
    }
    Ok(())
}

fn check_members(team: &Team) -> Result<(), String> {
    for (role, member) in &team.members {
        let Timeouts { whole, idle } = member.timeouts;
        if let Some((key, _)) = [("whole", whole), ("idle", idle)].iter().find(|(_, ms)| *ms == Some(0)) {
            return Err(format!(
                "members.{role}: timeouts.{key} is 0: each assignment would fail at once; leave it out for none"
            ));
        }
    }
    if let Some((role, _)) = team.members.iter().find(|(_, member)| member.turns == 0) {
        return Err(format!("members.{role}: turns is 0: it could never do anything, and needs at least 1"));
    }
    let looks = Role::new(team.order.looks());
    let searches = matches!(looks.as_str(), Role::RESEARCHER | Role::INSPECTOR);
    if searches && team.members.get(&looks).is_some_and(|member| member.turns < 2) {
        return Err(format!(
            "members.{looks}: turns is 1: it reports in its last one, and could never search; it needs at least 2"
        ));
    }
    for (role, member) in &team.members {
        let checked = member.thinking_tokens.map_or(Ok(()), AssignedModel::check_thinking);
        checked.map_err(|why| format!("members.{role}: thinking_tokens {why}"))?;
    }
    Ok(())
}

/// Checks that the team has every role that it needs; the text tells where one may be misspelt.
fn check_roles(team: &Team, text: &str) -> Result<(), String> {
    let missing: Vec<&str> = team.order.needs().filter(|role| !team.members.contains_key(&Role::new(role))).collect();
    if !missing.is_empty() {
        let all: Vec<&str> = team.order.needs().collect();
        let others = || team.members.keys().map(Role::as_str).filter(|role| !all.contains(role));
        let meant = missing.iter().find_map(|role| Some((role, nearest(role, others())?)));
        let meant = meant.map(|(role, there)| {
            let heading = format!("[members.{there}]");
            let at = text.lines().position(|line| line.trim_start().starts_with(&heading));
            let line = at.map(|at| format!("line {}: ", at + 1)).unwrap_or_default();
            format!(". {line}is `{there}` to be `{role}`?")
        });
        let (missing, meant) = (missing.join("` and no `"), meant.unwrap_or_default());
        return Err(format!("the team has no `{missing}`; led in this order it needs {}{meant}", all.join(", ")));
    }
    Ok(())
}

/// Checks that `leads` stands where it counts, and names roles that there are: members, or prompts beside the team file.
fn check_led(team: &Team, folder: Option<&Path>) -> Result<(), String> {
    let has_prompt = |role: &Role| folder.is_some_and(|folder| folder.join(format!("{role}.md")).is_file());
    for (role, member) in team.members.iter().filter(|(_, member)| !member.delegates_to.is_empty()) {
        if !team.delegates(role) {
            return Err(format!(
                "members.{role}: `leads` has no place there: only `{}` and `{}` hand work on",
                Role::SUPERVISOR,
                Role::EDITOR
            ));
        }
        let is_there = |led: &&Role| team.members.contains_key(*led) || has_prompt(led);
        if let Some(led) = member.delegates_to.iter().find(|led| !is_there(led)) {
            return Err(format!("members.{role}: it leads `{led}`, which the team does not have"));
        }
    }
    let writes = Role::new(team.order.writes());
    match team.may_be_led(&writes) {
        true => Ok(()),
        false => Err(format!("members.{}: `leads` lacks `{writes}`, so nothing could be written", Role::SUPERVISOR)),
    }
}
