//! Reads team files. Default teams are built in; a user's folder takes precedence.
//!
//! `team.toml` lists the members and caps; a prompt file (`prompt.rs`) instructs a member that works with a model.
//! Teams are never read from a folder of documents: its content is data.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod able;
mod agents;
mod check;
mod gate;
mod prompt;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use run::team::{AssignedModel, Kind, Member};
use run::{Role, Team, ToolName};
use text::Clean;

pub use able::check_able;
pub use agents::{Agents, agents};
pub use prompt::{KEYS as PROMPT_KEYS, Prompt, parse as parse_prompt};

/// The name of the default team.
pub const BRIEF: &str = "brief";
/// The name of the team that finds problems in data and logs.
pub const INSPECT: &str = "inspect";
/// The name of the single agent, the baseline of comparisons.
pub const ALONE: &str = "alone";
/// The name of the judge of two briefs, which answers no questions.
pub const JUDGE: &str = "judge";
/// The name of the team of the drills.
pub const DRILL: &str = "drill";

/// A built-in team.
struct BuiltIn {
    name: &'static str,
    team: &'static str,
    prompts: &'static [(&'static str, &'static str)],
}

/// The built-in teams.
const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: BRIEF,
        team: include_str!("prompts/brief/team.toml"),
        prompts: &[
            ("supervisor", include_str!("prompts/brief/supervisor.md")),
            ("planner", include_str!("prompts/brief/planner.md")),
            ("researcher", include_str!("prompts/brief/researcher.md")),
            ("writer", include_str!("prompts/brief/writer.md")),
            ("reviewer", include_str!("prompts/brief/reviewer.md")),
        ],
    },
    BuiltIn {
        name: INSPECT,
        team: include_str!("prompts/inspect/team.toml"),
        prompts: &[
            ("supervisor", include_str!("prompts/inspect/supervisor.md")),
            ("inspector", include_str!("prompts/inspect/inspector.md")),
            ("writer", include_str!("prompts/inspect/writer.md")),
        ],
    },
    BuiltIn {
        name: ALONE,
        team: include_str!("prompts/alone/team.toml"),
        prompts: &[("agent", include_str!("prompts/alone/agent.md"))],
    },
    BuiltIn {
        name: JUDGE,
        team: include_str!("prompts/judge/team.toml"),
        prompts: &[("judge", include_str!("prompts/judge/judge.md"))],
    },
    BuiltIn { name: DRILL, team: include_str!("prompts/drill/team.toml"), prompts: &[] },
];

/// Why a team cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The file cannot be read.
    #[error("the team file {path} cannot be read: {what}")]
    Unreadable { path: PathBuf, what: String },
    /// The file is not a valid team.
    #[error("the team file {path} is not right: {what}")]
    Wrong { path: PathBuf, what: String },
    /// There is no team with this name.
    #[error("there is no team `{name}`: {there} are built in, and {folder} is where your own would be")]
    Unknown { name: Clean, there: String, folder: PathBuf },
}

/// The default team.
pub fn embedded() -> Team {
    shipped(BRIEF)
}

/// The team that finds problems in data and logs.
pub fn inspect() -> Team {
    shipped(INSPECT)
}

/// The single agent, the baseline of comparisons.
pub fn alone() -> Team {
    shipped(ALONE)
}

/// The judge of two briefs.
pub fn judge() -> Team {
    shipped(JUDGE)
}

/// The default rubric of a judge.
pub const RUBRIC: &str = include_str!("prompts/judge/rubric.md");

/// The team of the drills.
pub fn drill() -> Team {
    shipped(DRILL)
}

fn shipped(name: &str) -> Team {
    let team = built_in(name).and_then(|team| parse(team.team).ok());
    team.expect("the built-in team files are checked by a test")
}

fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|team| team.name == name)
}

/// The folder of a user's team.
///
/// # Errors
/// The name is invalid: it would lead out of the folder of teams.
fn folder(config_dir: &Path, name: &str) -> Result<PathBuf, TeamError> {
    let teams = config_dir.join("teams");
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) && !name.is_empty();
    if plain(name) { Ok(teams.join(name)) } else { Err(unknown(name, teams)) }
}

fn unknown(name: &str, folder: PathBuf) -> TeamError {
    // The drill team and the judge take no questions.
    let names: Vec<&str> =
        BUILT_IN.iter().map(|team| team.name).filter(|name| ![DRILL, JUDGE].contains(name)).collect();
    let there =
        names.split_last().map(|(last, others)| format!("{} and {last}", others.join(", "))).unwrap_or_default();
    TeamError::Unknown { name: Clean::line(name), there, folder }
}

/// The names of the teams that answer questions: the built-in ones first, then those in the user's folder.
pub fn names(config_dir: &Path) -> Vec<String> {
    let mut own: Vec<String> = std::fs::read_dir(config_dir.join("teams"))
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| built_in(name).is_none())
        .collect();
    own.sort();
    [BRIEF, INSPECT, ALONE].map(String::from).into_iter().chain(own).collect()
}

/// The team with this name: the user's (`teams/NAME/team.toml` in the configuration directory), else the built-in one.
///
/// # Errors
/// There is none, or its file is invalid.
pub fn load(config_dir: &Path, name: &str) -> Result<Team, TeamError> {
    let folder = folder(config_dir, name)?;
    let path = folder.join("team.toml");
    match std::fs::read(&path) {
        Ok(bytes) => text::utf8(bytes)
            .and_then(|text| parse_in(&text, path.parent()))
            .map_err(|what| TeamError::Wrong { path, what }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match built_in(name) {
            Some(team) => parse(team.team).map_err(|what| TeamError::Wrong { path, what }),
            None => Err(unknown(name, folder)),
        },
        Err(error) => Err(TeamError::Unreadable { path, what: error.to_string() }),
    }
}

/// The prompts of this team's roles: the built-in ones, replaced or extended by the user's (`teams/NAME/ROLE.md` in the
/// configuration directory). A file without a front matter whose name is no role is a note, and is skipped.
///
/// # Errors
/// A user's prompt file is invalid.
pub fn prompts(config_dir: &Path, name: &str) -> Result<BTreeMap<Role, Prompt>, TeamError> {
    let wrong = |path: PathBuf| move |what: String| TeamError::Wrong { path, what };
    let mut prompts = BTreeMap::new();
    for (stem, text) in built_in(name).map_or(&[][..], |team| team.prompts) {
        let prompt = prompt::parse(text, stem).map_err(wrong(PathBuf::from(format!("prompts/{name}/{stem}.md"))))?;
        prompts.insert(prompt.role.clone(), prompt);
    }
    let folder = folder(config_dir, name)?;
    let members = load(config_dir, name).map(|team| team.members).unwrap_or_default();
    let is_role = |role: &Role| prompts.contains_key(role) || members.contains_key(role);
    match prompts_in(&folder, is_role) {
        Err(TeamError::Unreadable { path, .. }) if path == folder && !folder.exists() => Ok(prompts),
        own => {
            let own = own?;
            let is_gate = |role: &&Role| members.get(*role).is_some_and(|member| member.gate.is_some());
            if let Some(gate) = own.keys().find(is_gate) {
                let what =
                    format!("the prompt `{gate}` is for a member with a gate of its own: no model does its work");
                return Err(TeamError::Wrong { path: folder, what });
            }
            prompts.extend(own);
            Ok(prompts)
        }
    }
}

/// The prompts in a folder, one file each (`ROLE.md`). A file without a front matter whose name is no role is a note,
/// and is skipped.
///
/// # Errors
/// The folder or a file cannot be read, or a file is invalid.
pub fn prompts_in(folder: &Path, is_role: impl Fn(&Role) -> bool) -> Result<BTreeMap<Role, Prompt>, TeamError> {
    let unreadable =
        |path: &Path, error: std::io::Error| TeamError::Unreadable { path: path.into(), what: error.to_string() };
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut own: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    own.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    own.sort();
    let mut prompts = BTreeMap::new();
    for path in own {
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, error))?;
        let text = match text::utf8(bytes) {
            Ok(text) => text,
            Err(what) => return Err(TeamError::Wrong { path, what }),
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
        if !prompt::has_front_matter(&text) && !is_role(&Role::new(&stem)) {
            continue;
        }
        let prompt = prompt::parse(&text, &stem).and_then(prompt::for_a_model);
        let prompt = prompt.and_then(prompt::well_spelt).map_err(|what| TeamError::Wrong { path, what })?;
        prompts.insert(prompt.role.clone(), prompt);
    }
    Ok(prompts)
}

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
        let member = team.members.entry(role).or_insert_with(|| Member {
            description: prompt.description.clone(),
            kind: Kind::Model,
            on_failure: on_failure.unwrap_or_default(),
            ..Member::default()
        });
        member.kind = Kind::Model;
        member.turns = prompt.turns.unwrap_or(member.turns.max(12));
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

/// Keys that only journals have: models come from the configuration and the command line, with their prices.
const OF_JOURNALS: [&str; 2] = ["engaged", "spares"];

/// Refuses keys that only journals have.
fn check_keys(table: &toml::Table) -> Result<(), String> {
    if table.contains_key("registered") {
        return Err("`registered` has no place in a team file: the tools of servers come from mcp.json".into());
    }
    let members = table.get("members").and_then(|members| members.as_table());
    for (name, member) in members.into_iter().flatten() {
        if let Some(key) = OF_JOURNALS.iter().find(|key| member.get(**key).is_some()) {
            return Err(format!(
                "members.{name}: `{key}` has no place in a team file: a model is named with --model, in [models] of config.toml, \
                 or as `model` in the prompt of the member"
            ));
        }
    }
    Ok(())
}

/// The message of an unknown word, which lists those there are, without those that only journals have.
fn without_words_of_journals(why: &str) -> String {
    let keys = OF_JOURNALS.iter().chain(&["registered"]);
    let why = keys.fold(why.to_owned(), |why, key| why.replace(&format!("`{key}`, "), ""));
    why.replace(", `style`, `house`, `person`", "")
}

fn parse(text: &str) -> Result<Team, String> {
    parse_in(text, None)
}

/// Parses a team; `folder` holds its rule files and programs.
fn parse_in(text: &str, folder: Option<&Path>) -> Result<Team, String> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    check_keys(&table)?;
    let members = table.get_mut("members").and_then(|members| members.as_table_mut());
    let mut has_rules_elsewhere = false;
    for (name, member) in members.into_iter().flatten() {
        if let Some(rules) = member.get_mut("gate").and_then(|gate| gate.get_mut("rules")) {
            has_rules_elsewhere |= rules.is_str();
            gate::read_rules(rules, folder).map_err(|why| format!("members.{name}: {why}"))?;
        }
    }
    let members = table.get("members").and_then(|members| members.as_table());
    for (name, member) in members.into_iter().flatten() {
        let money = member.get("limits").and_then(|limits| limits.get("money"));
        if money.is_some_and(|money| !money.is_str()) {
            return Err(format!("members.{name}: limits.money is not in quotes: write dollars as in money = \"0.10\""));
        }
    }
    // Parsed from the text if possible, so that errors have a line number.
    let mut team: Team = match toml::from_str(text) {
        Ok(team) => team,
        // The text itself never fits where it names a file of rules: then only other errors count.
        Err(of_text) => table.try_into().map_err(|besides: toml::de::Error| match has_rules_elsewhere {
            true => without_words_of_journals(&besides.to_string()),
            false => without_words_of_journals(&of_text.to_string()),
        })?,
    };
    for (role, member) in &mut team.members {
        gate::settle(member, folder).map_err(|why| format!("members.{role}: {why}"))?;
    }
    check::check(&team, text)?;
    Ok(team)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::gate::Gate;
    use run::{Money, Priority};

    /// The default team as it is shipped.
    const FILE: &str = BUILT_IN[0].team;

    #[test]
    fn the_built_in_team_is_whole() {
        assert_eq!(embedded().revisions, 2);
        assert_eq!(drill().name.as_str(), "drill");
        assert_eq!(judge().order.needs().collect::<Vec<_>>(), ["supervisor", "judge"]);
        assert_eq!(inspect().members.len(), inspect().order.needs().count());
    }

    #[test]
    fn a_team_that_is_not_there_is_named_with_those_that_are() {
        for name in ["inspct", "", "../brief", "a/b"] {
            let why = load(Path::new("/nowhere"), name).unwrap_err().to_string();
            assert!(why.contains("brief, inspect and alone are built in"), "{why}");
        }
        let config = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(config.path().join("teams/mine")).unwrap();
        let file = config.path().join("teams/mine/team.toml");
        std::fs::write(&file, built_in(BRIEF).unwrap().team.replace("\"brief\"", "\"mine\"")).unwrap();
        assert_eq!(load(config.path(), "mine").unwrap().name.as_str(), "mine");
        std::fs::write(&file, built_in(INSPECT).unwrap().team.replace("[members.surveyor]", "[members.planner]"))
            .unwrap();
        assert!(load(config.path(), "mine").unwrap_err().to_string().contains("no `surveyor`"));
    }

    #[test]
    fn a_team_file_says_who_goes_first_and_how_many_work_at_one_provider() {
        let with = |end: &str| parse(&FILE.replace("[members.merger]", &format!("{end}\n[members.merger]")));
        let team = with("priority = \"high\"\n[parallel_of]\nollama = 2").unwrap();
        assert_eq!(team.parallel_of.iter().map(|(name, n)| (name.as_str(), *n)).collect::<Vec<_>>(), [("ollama", 2)]);
        assert_eq!(team.members[&Role::new(Role::RESEARCHER)].priority, Some(Priority::High));
        assert!(with("priority = \"urgent\"").is_err());
        assert!(with("[parallel_of]\nollama = 0").unwrap_err().contains("no assignment could ever run there"));
    }

    #[test]
    fn the_built_in_prompts_can_be_read() {
        for team in BUILT_IN {
            let prompts = prompts(Path::new("/nowhere"), team.name).unwrap();
            assert_eq!(prompts.len(), team.prompts.len());
            assert!(prompts.values().all(|prompt| prompt.turns.is_some() && !prompt.description.is_empty()));
        }
    }

    #[test]
    fn a_file_of_the_users_own_takes_the_place_of_ours_or_joins() {
        let config = tempfile::tempdir().unwrap();
        let folder = config.path().join("teams/brief");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("researcher.md"), "---\ntools: Read, Grep\n---\nDig.").unwrap();
        std::fs::write(folder.join("fact-checker.md"), "---\ndescription: Checks.\n---\nCheck.").unwrap();
        std::fs::write(folder.join("writer.md"), "Write.").unwrap();
        std::fs::write(folder.join("README.md"), "# Our specialists").unwrap();
        let prompts = prompts(config.path(), BRIEF).unwrap();
        assert_eq!(prompts[&Role::new("writer")].text.as_str(), "Write.", "it is called after a role");
        assert!(!prompts.contains_key(&Role::new("readme")), "it has no front matter");
        assert_eq!(prompts[&Role::new("researcher")].text.as_str(), "Dig.");
        let model = AssignedModel {
            id: "ollama/qwen3".parse().unwrap(),
            prompt: "".into(),
            rates: None,
            density: Default::default(),
            context: None,
            max_tokens: 900,
            structured_output: run::team::StructuredOutput::Tool,
            thinking: Default::default(),
            thinking_room: 0,
            most_output: None,
        };
        let mut team = embedded();
        let roles = ["researcher", "fact-checker", "merger"].map(Role::new);
        let fallbacks = || vec![AssignedModel { max_tokens: 7, ..model.clone() }];
        assign_models(&mut team, &prompts, roles.iter().map(|role| (role.clone(), model.clone(), fallbacks())));
        let spare = &team.members[&roles[0]].fallbacks[0];
        assert_eq!((spare.prompt.as_str(), spare.max_tokens), ("Dig.", 7), "a fallback has the same prompt");
        assert_eq!(team.members[&roles[0]].model.as_ref().unwrap().prompt.as_str(), "Dig.");
        assert_eq!(team.members[&roles[1]].kind, Kind::Model);
        assert_eq!(team.members[&roles[2]].kind, Kind::Extractive, "it has no prompt");
    }

    #[test]
    fn a_prompt_for_a_member_that_works_by_rule_is_refused_with_its_file() {
        let config = tempfile::tempdir().unwrap();
        let folder = config.path().join("teams/brief");
        std::fs::create_dir_all(&folder).unwrap();
        let check = "\n[members.check]\ndescription = \"\"\nkind = \"extractive\"\nturns = 3\ngate = { checks = [\"quotes\"] }\n";
        std::fs::write(folder.join("team.toml"), format!("{FILE}{check}")).unwrap();
        for (file, says) in [
            ("gates", "gates.md is not right: `gates` works by rule here"),
            ("merger", "`merger` works by rule here"),
            ("editor", "`editor` works by rule here"),
            ("memory", "`memory` works by rule here"),
            ("surveyor", "`surveyor` works by rule here"),
            ("check", "`check` is for a member with a gate of its own"),
        ] {
            let path = folder.join(file).with_extension("md");
            std::fs::write(&path, "---\ndescription: Does it.\n---\nDo it.").unwrap();
            let why = prompts(config.path(), BRIEF).unwrap_err().to_string();
            assert!(why.contains(says), "{file}: {why}");
            if file != "check" {
                let Agents { prompts, unused } = agents(&folder).unwrap();
                assert!(prompts.is_empty() && unused[0].1.contains("works by rule"), "{unused:?}");
            }
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn keys_that_only_journals_have_are_refused_in_a_team_file_and_offered_nowhere() {
        let engaged =
            "[members.researcher.engaged]\nmodel = \"mine/m\"\nprompt = \"\"\nmax_tokens = 9\nmeans = \"tool\"\n";
        for (added, says) in [
            (engaged, "members.researcher: `engaged` has no place in a team file"),
            ("[[members.researcher.spares]]\nmodel = \"mine/m\"\n", "members.researcher: `spares` has no place"),
            ("[[registered]]\nname = \"kb__look\"\n", "`registered` has no place in a team file"),
        ] {
            let why = parse(&format!("{FILE}\n{added}")).unwrap_err();
            assert!(why.contains(says), "{added}: {why}");
        }
        for misspelt in [FILE.replace("revisions = ", "revisons = "), FILE.replacen("turns = ", "turnz = ", 1)] {
            let why = parse(&misspelt).unwrap_err();
            assert!(why.contains("unknown field") && why.contains("expected"), "{why}");
            assert!(["engaged", "spares", "registered"].iter().all(|key| !why.contains(key)), "{why}");
        }
    }

    #[test]
    fn a_team_file_that_does_not_say_lets_one_payload_go_to_the_same_specialist_once() {
        let silent: Vec<&str> = FILE.lines().filter(|line| !line.starts_with("same_handoff")).collect();
        assert_eq!((silent.len() + 1, parse(&silent.join("\n")).unwrap()), (FILE.lines().count(), embedded()));
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
            std::fs::write(folder.join("team.toml"), format!("{FILE}{member}")).unwrap();
            load(config.path(), BRIEF)
                .map(|team| team.members[&Role::new("style")].clone())
                .map_err(|error| error.to_string())
        };
        let rules = "[[rule]]\nforbid = \"very\"\nwhy = \"say how much\"\n[[rule]]\nwords = 600\nwhy = \"shorten\"\nadvice = true\n";
        std::fs::write(folder.join("house.toml"), rules).unwrap();
        for (name, text) in [
            ("beside", "forbid = \"very\"\n[[rule]]\nwords = 9\nwhy = \"so\"\n"),
            ("misspelt", "[[rule]]\nforbid = \"a\"\nwhy = \"so\"\n[[rule]]\nforbids = \"very\"\nwhy = \"so\"\n"),
            ("empty", "[[rule]]\nwhy = \"do better\"\n"),
        ] {
            std::fs::write(folder.join(name).with_extension("toml"), text).unwrap();
        }
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
            ("{ rules = \"beside.toml\" }", "has `forbid` outside its [[rule]]s"),
            ("{ rules = \"misspelt.toml\" }", "line 5"),
            ("{ rules = \"house.toml\" }\npriority = \"urgent\"", "urgent"),
            ("{ rules = \"empty.toml\" }", "a rule (“do better”) checks nothing"),
            ("{ rules = [{ forbid = \"x\" }] }", "why"),
            ("{ rules = [{ forbid = \" \", why = \"so\" }] }", "members.style: forbid of a rule (“so”) is empty"),
            ("{ rules = [{ heading = \"\", why = \"so\" }] }", "members.style: heading of a rule (“so”) is empty"),
            ("{ checks = [] }", "checks nothing"),
            ("{ checks = [\"tone\"] }", "tone"),
            ("{ checks = [\"quotes\", \"house\"] }", "“house rules” is none of the built-in checks"),
            ("{ command = [] }", "names no program"),
        ] {
            let why = with(gate).unwrap_err();
            assert!(why.contains(says), "{gate}: {why}");
        }
    }

    #[test]
    fn a_team_with_a_missing_member_or_a_misspelt_key_says_which() {
        let without = FILE.replace("[members.merger]", "[members.folder]");
        assert!(parse(&without).unwrap_err().contains("no `merger`"));
        let misspelt = FILE.replace("revisions = 2", "revisons = 2");
        assert!(parse(&misspelt).unwrap_err().contains("revisons"));
        for (most, right) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
            let capped = FILE.replace("most_tasks = 40 ", &format!("most_tasks = {most} "));
            assert_eq!(parse(&capped).is_ok(), right, "{most}");
        }
        let dear = |money: &str| {
            parse(&FILE.replace("[members.writer]\n", &format!("[members.writer]\nlimits = {{ money = {money} }}\n")))
        };
        let writer = Role::new(Role::WRITER);
        assert_eq!(dear("\"0.10\"").unwrap().members[&writer].limits.money(), Some(Money::micros(100_000)));
        assert!(dear("0.10").unwrap_err().contains("write dollars as in"), "{:?}", dear("0.10"));
        let deeper = parse(&FILE.replace("depth = 3 ", "depth = 4 ")).unwrap_err();
        assert!(deeper.contains("depth is 4") && deeper.contains("1 to 3 levels"), "{deeper}");
        assert!(parse(&FILE.replace("span = 10 ", "span = 1 ")).unwrap_err().contains("span is 1"));
    }

    #[test]
    fn a_team_in_which_nobody_could_work_is_refused_with_its_file_and_the_key() {
        let config = tempfile::tempdir().unwrap();
        let file = config.path().join("teams/brief/team.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        for (key, with, says) in [
            ("landing_percent = ", "landing_percent = 100", "landing_percent is 100: 0 to 90 percent"),
            ("landing_percent = ", "landing_percent = 250", "landing_percent is 250: 0 to 90 percent"),
            ("parallel = ", "parallel = 0", "parallel is 0"),
            ("turns = ", "turns = 0", "turns is 0"),
            ("turns = 8", "turns = 1", "members.researcher: turns is 1"),
            ("same_handoff = ", "same_handoff = 0", "same_handoff is 0"),
            (
                "turns = ",
                "turns = 3\ntimeouts = { whole = 0 }",
                "timeouts.whole is 0: each assignment would fail at once",
            ),
            ("turns = ", "turns = 3\ntimeouts = { idle = 0 }", "timeouts.idle is 0"),
            ("[members.writer]", "[members.writr]", "is `writr` to be `writer`?"),
            (
                "[members.supervisor]",
                "[joins]\nmerge = { at_least = 99 }\n[members.supervisor]",
                "at least 99 tasks, and a plan has at most 40",
            ),
        ] {
            let line = FILE.lines().find(|line| line.starts_with(key)).unwrap();
            std::fs::write(&file, FILE.replacen(&format!("{line}\n"), &format!("{with}\n"), 1)).unwrap();
            let why = load(config.path(), BRIEF).unwrap_err().to_string();
            assert!(why.contains(says) && why.contains("teams/brief/team.toml"), "{with}: {why}");
        }
    }
}
