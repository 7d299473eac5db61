//! Reads team files. Default teams are built in; a user's folder takes precedence.
//!
//! `team.toml` lists the members and caps; a prompt file (`prompt.rs`) instructs a member that works with a model.
//! Teams are never read from a folder of documents: its content is data.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod able;
mod agents;
mod assigned;
mod built_in;
mod check;
mod file;
mod gate;
mod prompt;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use run::{Role, Team};
use text::Clean;

use built_in::{BUILT_IN, built_in};
use file::{parse, parse_in};

pub use able::check_able;
pub use agents::{Agents, agents};
pub use assigned::{assign_models, tools_of};
pub use built_in::{ALONE, BRIEF, DRILL, INSPECT, JUDGE, RUBRIC, alone, drill, embedded, inspect, judge};
pub use prompt::{KEYS as PROMPT_KEYS, Prompt, parse as parse_prompt};

/// The reason why a team cannot be used.
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
            Some(team) => parse(team.file).map_err(|what| TeamError::Wrong { path, what }),
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

#[cfg(test)]
mod tests;
