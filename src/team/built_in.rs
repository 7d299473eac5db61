//! The teams that are part of the program, and their prompts.

use run::Team;

use super::file;

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
pub(super) struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// The text of its `team.toml`.
    pub file: &'static str,
    /// The name of each prompt file without its ending, and its text.
    pub prompts: &'static [(&'static str, &'static str)],
}

/// The built-in teams.
pub(super) const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: BRIEF,
        file: include_str!("prompts/brief/team.toml"),
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
        file: include_str!("prompts/inspect/team.toml"),
        prompts: &[
            ("supervisor", include_str!("prompts/inspect/supervisor.md")),
            ("inspector", include_str!("prompts/inspect/inspector.md")),
            ("writer", include_str!("prompts/inspect/writer.md")),
        ],
    },
    BuiltIn {
        name: ALONE,
        file: include_str!("prompts/alone/team.toml"),
        prompts: &[("agent", include_str!("prompts/alone/agent.md"))],
    },
    BuiltIn {
        name: JUDGE,
        file: include_str!("prompts/judge/team.toml"),
        prompts: &[("judge", include_str!("prompts/judge/judge.md"))],
    },
    BuiltIn { name: DRILL, file: include_str!("prompts/drill/team.toml"), prompts: &[] },
];

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

/// # Panics
/// Never: a test reads every built-in team.
fn shipped(name: &str) -> Team {
    let team = built_in(name).and_then(|team| file::parse(team.file).ok());
    team.expect("the built-in team files are checked by a test")
}

/// The built-in team with this name.
pub(super) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|team| team.name == name)
}
