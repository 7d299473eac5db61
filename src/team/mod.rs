//! Outside: team files. The default team is built in; a folder of the user's own comes first.
//!
//! `team.toml` says who is in the team and which caps hold; a prompt file (`prompt.rs`) says how a member thinks when a
//! model is engaged for it. Never reads a folder of documents: what is found there is data.

mod gate;
mod prompt;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::run::team::{Engaged, Kind, Member};
use crate::run::{Plan, Role, Team};

pub use prompt::{Prompt, parse as parse_prompt};

/// The default team as it is shipped.
const BRIEF: &str = include_str!("../../prompts/brief/team.toml");

/// The team of the drills as it is shipped.
const DRILL: &str = include_str!("../../prompts/drill/team.toml");

/// The prompts as they are shipped.
const PROMPTS: &[(&str, &str)] = &[
    ("planner", include_str!("../../prompts/brief/planner.md")),
    ("researcher", include_str!("../../prompts/brief/researcher.md")),
    ("writer", include_str!("../../prompts/brief/writer.md")),
    ("reviewer", include_str!("../../prompts/brief/reviewer.md")),
];

/// A team that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The file cannot be read.
    #[error("the team file {path} cannot be read: {what}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        what: String,
    },
    /// The file is not a team.
    #[error("the team file {path} is not right: {what}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where and why.
        what: String,
    },
}

/// The default team.
///
/// # Panics
/// Never: a test reads the file that is built in.
pub fn embedded() -> Team {
    parse(BRIEF).expect("the built-in team file is checked by a test")
}

/// The team of the drills.
///
/// # Panics
/// Never: a test reads the file that is built in.
pub fn drill() -> Team {
    parse(DRILL).expect("the built-in team file is checked by a test")
}

/// The team of the user's own folder (`teams/brief/team.toml` in the configuration directory), or the default one.
///
/// # Errors
/// The file is there and cannot be used.
pub fn load(config_dir: &Path) -> Result<Team, TeamError> {
    load_from(config_dir, "brief", embedded)
}

/// The team of the drills of the user's own folder (`teams/drill/team.toml` there), or the one that is built in.
///
/// # Errors
/// The file is there and cannot be used.
pub fn load_drill(config_dir: &Path) -> Result<Team, TeamError> {
    load_from(config_dir, "drill", drill)
}

fn load_from(config_dir: &Path, name: &str, built_in: fn() -> Team) -> Result<Team, TeamError> {
    let path = config_dir.join("teams").join(name).join("team.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) => parse_in(&text, path.parent()).map_err(|what| TeamError::Wrong { path, what }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(built_in()),
        Err(error) => Err(TeamError::Unreadable { path, what: error.to_string() }),
    }
}

/// The prompts of the roles that can think with a model: those that are shipped, and the user's own in their place or
/// beside them (`teams/brief/NAME.md` in the configuration directory).
pub fn prompts(config_dir: &Path) -> Result<BTreeMap<Role, Prompt>, TeamError> {
    let wrong = |path: PathBuf| move |what: String| TeamError::Wrong { path, what };
    let mut prompts = BTreeMap::new();
    for (stem, text) in PROMPTS {
        let prompt = prompt::parse(text, stem).map_err(wrong(PathBuf::from(format!("prompts/brief/{stem}.md"))))?;
        prompts.insert(prompt.role.clone(), prompt);
    }
    let folder = config_dir.join("teams").join("brief");
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(prompts),
        Err(error) => return Err(TeamError::Unreadable { path: folder, what: error.to_string() }),
    };
    let mut own: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    own.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    own.sort();
    for path in own {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| TeamError::Unreadable { path: path.clone(), what: error.to_string() })?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
        let prompt = prompt::parse(&text, &stem).map_err(wrong(path))?;
        prompts.insert(prompt.role.clone(), prompt);
    }
    Ok(prompts)
}

/// Engages models for members, and those that stand in for them: each gets the prompt of its role, and what the prompt
/// says of tools and turns. How long its answers may be was settled when the model was chosen. A role that is not in the
/// team yet joins it. A role without a prompt goes on by its rules.
pub fn engage(
    team: &mut Team,
    prompts: &BTreeMap<Role, Prompt>,
    chosen: impl IntoIterator<Item = (Role, Engaged, Vec<Engaged>)>,
) {
    for (role, engaged, spares) in chosen {
        let Some(prompt) = prompts.get(&role) else { continue };
        let told = |engaged: Engaged| Engaged { prompt: prompt.text.clone(), ..engaged };
        let member = team.members.entry(role).or_insert_with(|| Member {
            description: prompt.description.clone(),
            kind: Kind::Model,
            ..Member::default()
        });
        member.kind = Kind::Model;
        member.turns = prompt.turns.unwrap_or(member.turns.max(12));
        member.limits = member.limits.narrowed_by(prompt.limits);
        if let Some(tools) = &prompt.tools {
            member.tools.clone_from(tools);
        }
        if !prompt.description.is_empty() {
            member.description.clone_from(&prompt.description);
        }
        member.engaged = Some(told(engaged));
        member.spares = spares.into_iter().map(told).collect();
    }
}

fn parse(text: &str) -> Result<Team, String> {
    parse_in(text, None)
}

/// A team whose rule files and programs are beside its own file, in `folder`.
fn parse_in(text: &str, folder: Option<&Path>) -> Result<Team, String> {
    let mut said: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let members = said.get_mut("members").and_then(|members| members.as_table_mut());
    for (name, member) in members.into_iter().flatten() {
        if let Some(rules) = member.get_mut("gate").and_then(|gate| gate.get_mut("rules")) {
            gate::read_rules(rules, folder).map_err(|why| format!("members.{name}: {why}"))?;
        }
    }
    // Read from the text wherever that can be: its errors say where.
    let mut team: Team = match toml::from_str(text) {
        Ok(team) => team,
        Err(of_text) => said.try_into().map_err(|_: toml::de::Error| of_text.to_string())?,
    };
    for (role, member) in &mut team.members {
        gate::settle(member, folder).map_err(|why| format!("members.{role}: {why}"))?;
    }
    if !(1..=Plan::MOST).contains(&team.most_tasks) {
        return Err(format!("most_tasks is {}: a plan has 1 to {} tasks", team.most_tasks, Plan::MOST));
    }
    if team.span < 2 {
        return Err(format!("span is {}: who leads others leads 2 tasks at the least", team.span));
    }
    if !(1..=Team::MOST_DEPTH).contains(&team.depth) {
        return Err(format!(
            "depth is {}: there are 1 to {} levels of those who lead others, the supervisor being the first",
            team.depth,
            Team::MOST_DEPTH
        ));
    }
    if let Some((provider, _)) = team.parallel_of.iter().find(|(_, most)| **most == 0) {
        return Err(format!("parallel_of: {provider} is 0: nobody could ever work there; leave it out for no limit"));
    }
    let required =
        [Role::SUPERVISOR, Role::PLANNER, Role::RESEARCHER, Role::MERGER, Role::WRITER, Role::GATES, Role::REVIEWER];
    match required.into_iter().find(|role| !team.members.contains_key(&Role::new(role))) {
        Some(missing) => Err(format!("the team has no `{missing}`; a pipeline needs {}", required.join(", "))),
        None => Ok(team),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Priority;
    use crate::run::gate::Gate;

    #[test]
    fn the_built_in_team_is_whole() {
        assert_eq!(embedded().revisions, 2);
        assert_eq!(drill().name.as_str(), "drill");
    }

    #[test]
    fn a_team_file_says_who_goes_first_and_how_many_work_at_one_provider() {
        let with = |end: &str| parse(&BRIEF.replace("[members.merger]", &format!("{end}\n[members.merger]")));
        let team = with("priority = \"high\"\n[parallel_of]\nollama = 2").unwrap();
        assert_eq!(team.parallel_of.iter().map(|(name, n)| (name.as_str(), *n)).collect::<Vec<_>>(), [("ollama", 2)]);
        assert_eq!(team.members[&Role::new(Role::RESEARCHER)].priority, Some(Priority::High));
        assert!(with("priority = \"urgent\"").is_err());
        assert!(with("[parallel_of]\nollama = 0").unwrap_err().contains("nobody could ever work there"));
    }

    #[test]
    fn the_built_in_prompts_can_be_read() {
        let prompts = prompts(Path::new("/nowhere")).unwrap();
        assert_eq!(prompts.len(), PROMPTS.len());
        assert!(prompts.values().all(|prompt| prompt.turns.is_some() && !prompt.description.is_empty()));
    }

    #[test]
    fn a_file_of_the_users_own_takes_the_place_of_ours_or_joins() {
        let config = tempfile::tempdir().unwrap();
        let folder = config.path().join("teams/brief");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("researcher.md"), "---\ntools: Read, Grep\n---\nDig.").unwrap();
        std::fs::write(folder.join("fact-checker.md"), "Check.").unwrap();
        let prompts = prompts(config.path()).unwrap();
        assert_eq!(prompts[&Role::new("researcher")].text.as_str(), "Dig.");
        let engaged = Engaged {
            model: "ollama/qwen3".parse().unwrap(),
            prompt: "".into(),
            rates: None,
            context: None,
            max_tokens: 900,
            means: crate::run::team::Means::Tool,
        };
        let mut team = embedded();
        let roles = ["researcher", "fact-checker", "merger"].map(Role::new);
        let spares = || vec![Engaged { max_tokens: 7, ..engaged.clone() }];
        engage(&mut team, &prompts, roles.iter().map(|role| (role.clone(), engaged.clone(), spares())));
        let spare = &team.members[&roles[0]].spares[0];
        assert_eq!((spare.prompt.as_str(), spare.max_tokens), ("Dig.", 7), "who stands in is told the same");
        assert_eq!(team.members[&roles[0]].engaged.as_ref().unwrap().prompt.as_str(), "Dig.");
        assert_eq!(team.members[&roles[1]].kind, Kind::Model);
        assert_eq!(team.members[&roles[2]].kind, Kind::Extractive, "it has no prompt");
    }

    #[test]
    fn a_team_file_that_does_not_say_lets_one_payload_go_to_the_same_specialist_once() {
        let silent: Vec<&str> = BRIEF.lines().filter(|line| !line.starts_with("same_handoff")).collect();
        assert_eq!((silent.len() + 1, parse(&silent.join("\n")).unwrap()), (BRIEF.lines().count(), embedded()));
    }

    #[test]
    fn gates_of_the_users_own_are_read_from_beside_the_team_file() {
        let config = tempfile::tempdir().unwrap();
        let folder = config.path().join("teams/brief");
        std::fs::create_dir_all(&folder).unwrap();
        let with = |gate: &str| {
            let member = format!(
                "\n[members.style]\ndescription = \"\"\nkind = \"extractive\"\nlands = true\nturns = 3\ngate = {gate}\n"
            );
            std::fs::write(folder.join("team.toml"), format!("{BRIEF}{member}")).unwrap();
            load(config.path()).map(|team| team.members[&Role::new("style")].clone()).map_err(|error| error.to_string())
        };
        let rules = "[[rule]]\nforbid = \"very\"\nwhy = \"say how much\"\n[[rule]]\nwords = 600\nwhy = \"shorten\"\nadvice = true\n";
        std::fs::write(folder.join("house.toml"), rules).unwrap();
        let Some(Gate::Rules(rules)) = with("{ rules = \"house.toml\" }").unwrap().gate else { panic!("rules") };
        assert_eq!((rules.len(), rules[1].advice), (2, true));
        let own = with("{ command = [\"./check\", \"--strict\"] }").unwrap();
        assert_eq!(own.tools, ["run"]);
        let Some(Gate::Command(command)) = own.gate else { panic!("a command") };
        assert!(command[0].starts_with(&*folder.to_string_lossy()), "{command:?}");
        assert_eq!(with("{ checks = [\"quotes\", \"support\"] }").unwrap().tools.len(), 0);
        for (gate, says) in [
            ("{ rules = \"gone.toml\" }", "gone.toml cannot be read"),
            ("{ rules = \"team.toml\" }", "has no [[rule]]"),
            ("{ rules = [{ forbid = \"x\" }] }", "why"),
            ("{ checks = [] }", "checks nothing"),
            ("{ checks = [\"tone\"] }", "tone"),
            ("{ command = [] }", "names no program"),
        ] {
            let why = with(gate).unwrap_err();
            assert!(why.contains(says), "{gate}: {why}");
        }
    }

    #[test]
    fn a_team_with_a_missing_member_or_a_misspelt_key_says_which() {
        let without = BRIEF.replace("[members.merger]", "[members.folder]");
        assert!(parse(&without).unwrap_err().contains("no `merger`"));
        let misspelt = BRIEF.replace("revisions = 2", "revisons = 2");
        assert!(parse(&misspelt).unwrap_err().contains("revisons"));
        for (most, right) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
            let capped = BRIEF.replace("most_tasks = 40 ", &format!("most_tasks = {most} "));
            assert_eq!(parse(&capped).is_ok(), right, "{most}");
        }
        let deeper = parse(&BRIEF.replace("depth = 3 ", "depth = 4 ")).unwrap_err();
        assert!(deeper.contains("depth is 4") && deeper.contains("1 to 3 levels"), "{deeper}");
        assert!(parse(&BRIEF.replace("span = 10 ", "span = 1 ")).unwrap_err().contains("span is 1"));
    }
}
