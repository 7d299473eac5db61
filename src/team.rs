//! Outside: team files. The default team is built in; a folder of the user's own comes first.

use std::path::{Path, PathBuf};

use crate::run::{Role, Team};

/// The default team as it is shipped.
const BRIEF: &str = include_str!("../prompts/brief/team.toml");

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

/// The team of the user's own folder (`teams/brief/team.toml` in the configuration directory), or the default one.
pub fn load(config_dir: &Path) -> Result<Team, TeamError> {
    let path = config_dir.join("teams").join("brief").join("team.toml");
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text).map_err(|what| TeamError::Wrong { path, what }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(embedded()),
        Err(error) => Err(TeamError::Unreadable { path, what: error.to_string() }),
    }
}

fn parse(text: &str) -> Result<Team, String> {
    let team: Team = toml::from_str(text).map_err(|error| error.to_string())?;
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

    #[test]
    fn the_built_in_team_is_whole() {
        assert_eq!(embedded().revisions, 2);
    }

    #[test]
    fn a_team_with_a_missing_member_or_a_misspelt_key_says_which() {
        let without = BRIEF.replace("[members.merger]", "[members.folder]");
        assert!(parse(&without).unwrap_err().contains("no `merger`"));
        let misspelt = BRIEF.replace("revisions = 2", "revisons = 2");
        assert!(parse(&misspelt).unwrap_err().contains("revisons"));
    }
}
