//! A member of a team: its way of working, its model and tools, its caps, and what is done when it fails.

use serde::{Deserialize, Serialize};

use super::assigned::AssignedModel;
use super::usual_turns;
use crate::budget::Limits;
use crate::gate::Gate;
use crate::handoff::Contract;
use crate::id::Role;
use crate::steer::Priority;
use crate::thinking::Effort;
use crate::timeouts::Timeouts;
use crate::tool::ToolName;
use text::Clean;

/// One specialist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its work, in a sentence.
    pub description: Clean,
    /// Whether it works by rule or asks a model.
    pub kind: Kind,
    /// Tools it may use.
    #[serde(default)]
    pub tools: Vec<ToolName>,
    /// Whether its work is landing (merge, write, check) and may use the budget kept back for that.
    #[serde(default)]
    pub lands: bool,
    /// The most turns of an assignment, as [`Team::turns_used`] counts them.
    #[serde(default = "usual_turns")]
    pub turns: u32,
    /// Caps of each of its assignments.
    #[serde(default)]
    pub limits: Limits,
    /// The custom gate: its check of every draft, with a veto, in addition to gates and reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The most tokens of its payload; None for as much as its model takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_tokens: Option<u64>,
    /// Its failure policy, tried step by step. Empty: the run goes on without its work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<FailureStep>,
    /// The roles it hands work to, of a supervisor whose model leads and of an editor; empty for all. Team files and journals call it
    /// `leads`.
    #[serde(rename = "leads", default, skip_serializing_if = "Vec::is_empty")]
    pub delegates_to: Vec<Role>,
    /// Its model, if its kind is [`Kind::Model`]. Journals call it `engaged`.
    #[serde(rename = "engaged", default, skip_serializing_if = "Option::is_none")]
    pub model: Option<AssignedModel>,
    /// The priority of its work where the plan sets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The models that take over when that one fails, in this order. Journals call them `spares`.
    #[serde(rename = "spares", default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<AssignedModel>,
    /// Whether the fallbacks share its work from the start: the next assignment goes to the one with the fewest open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spread: bool,
    /// The times after which each of its assignments is failed.
    #[serde(default, skip_serializing_if = "Timeouts::is_none")]
    pub timeouts: Timeouts,
    /// The effort of its model's thinking, if neither its prompt nor the configuration sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The most tokens of thinking before each of its answers, where neither its prompt nor the configuration says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_tokens: Option<u32>,
}

/// One step of a failure policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureStep {
    /// Hand the same work to the same worker again, after a pause that doubles each time.
    Retry,
    /// Hand the work to the next fallback: the next model, then the rules of the role. Skipped if there is none.
    Failover,
    /// Take the partial result. It is taken at once unless this step comes later in the policy.
    Partial,
    /// Go on without it, and say so.
    Skip,
    /// Ask the person; the run waits.
    Ask,
    /// Fail the assignment that handed it out, too.
    Fail,
}

/// The worker of a role: its model (or rules), one of its fallbacks, or its rules as a fallback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worker {
    /// The member as the team has it.
    #[default]
    Member,
    /// The fallback model at this index. Journals call it `spare`.
    #[serde(rename = "spare")]
    Fallback(u32),
    /// The rules of the role.
    Rules,
}

impl Worker {
    /// Whether this is the default, which journals leave out.
    pub fn is_member(&self) -> bool {
        *self == Worker::Member
    }
}

impl Default for Member {
    /// By rule, without tools, delegating to no role.
    fn default() -> Member {
        Member {
            description: Clean::default(),
            kind: Kind::Extractive,
            tools: Vec::new(),
            lands: false,
            turns: usual_turns(),
            limits: Limits::default(),
            gate: None,
            payload_tokens: None,
            on_failure: Vec::new(),
            delegates_to: Vec::new(),
            model: None,
            priority: None,
            fallbacks: Vec::new(),
            spread: false,
            timeouts: Timeouts::default(),
            effort: None,
            thinking_tokens: None,
        }
    }
}

impl Member {
    /// Whether it can take tasks of a plan under this role: the researcher, the inspector and the agent that does all can, and
    /// so can a custom member with a model and tools.
    pub fn researches(&self, role: &Role) -> bool {
        matches!(role.as_str(), Role::RESEARCHER | Role::INSPECTOR | Role::AGENT)
            || (self.gate.is_none() && Contract::of(role).is_none() && self.model.is_some() && !self.tools.is_empty())
    }
}

/// The way in which a specialist works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// By rules over the text of the sources: no model, no key, no network.
    Extractive,
    /// By asking a language model.
    Model,
}
