//! The default team and its prompts, parsed once: each of some thousand runs begins with them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use run::{Role, Team};
use team::Prompt;

/// The default team.
pub fn team() -> Team {
    static TEAM: LazyLock<Team> = LazyLock::new(team::embedded);
    TEAM.clone()
}

/// The prompts of the default team.
pub fn prompts() -> &'static BTreeMap<Role, Prompt> {
    static PROMPTS: LazyLock<BTreeMap<Role, Prompt>> =
        LazyLock::new(|| team::prompts(Path::new("/nowhere"), "brief").unwrap());
    &PROMPTS
}
