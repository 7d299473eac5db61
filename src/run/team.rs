//! A team as data: its members, their models and tools, and the caps on every loop.

mod assigned;
mod member;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::handoff::{Colleague, Contract};
use super::id::{AssignmentId, Role};
use super::join::Joins;
use super::model::ModelId;
use super::plan::{Group, Plan};
use super::tool::{ToolSpec, builtin, estimate_tokens};
use super::transcript::Transcript;
use text::Clean;

pub use assigned::{AssignedModel, Strength, StructuredOutput};
pub use member::{FailureStep, Kind, Member, Worker};

/// The members of a run and its limits. Recorded with the run, so that a resumed run has the same team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Team {
    /// The name of the team.
    pub name: Clean,
    /// Its purpose, in a sentence.
    pub description: Clean,
    /// The most revisions of a draft.
    pub revisions: u32,
    /// The most assignments at work at the same time.
    pub parallel: u32,
    /// The same per model provider, by its name. A provider without an entry is limited by `parallel` alone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parallel_of: BTreeMap<Clean, u32>,
    /// The most times that the same payload may be handed to the same specialist within one chain of delegation. One more is
    /// rejected as a loop.
    #[serde(default = "once")]
    pub same_handoff: u32,
    /// Percent of the run's caps that is kept back for landing: merge, write, check.
    pub landing_percent: u64,
    /// The number of times that the person may ask for more research in one run.
    pub more_rounds: u32,
    /// The order of work when rules lead the run.
    #[serde(default, skip_serializing_if = "Order::is_brief")]
    pub order: Order,
    /// Most tasks of a plan.
    #[serde(default = "usual_most_tasks", skip_serializing_if = "is_usual_most_tasks")]
    pub most_tasks: u32,
    /// The most tasks under one leader. With more, the plan is cut into groups and each group gets an editor.
    #[serde(default = "usual_span", skip_serializing_if = "is_usual_span")]
    pub span: u32,
    /// The most levels of leaders; the supervisor of the run is the first.
    #[serde(default = "usual_depth", skip_serializing_if = "is_usual_depth")]
    pub depth: u32,
    /// The number of inputs that a task needs when it depends on several.
    #[serde(default, skip_serializing_if = "Joins::is_default")]
    pub joins: Joins,
    /// Whether the run opens a checkpoint on the plan before research starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check_plan: bool,
    /// Whether the run opens a checkpoint on the draft before it goes out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check_draft: bool,
    /// Tools that sources registered when the run began; the program's own are not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registered: Vec<ToolSpec>,
    /// The members, by role.
    pub members: BTreeMap<Role, Member>,
}

fn usual_most_tasks() -> u32 {
    Plan::USUAL_MOST
}

fn is_usual_most_tasks(n: &u32) -> bool {
    *n == Plan::USUAL_MOST
}

fn usual_span() -> u32 {
    Team::USUAL_SPAN
}

fn is_usual_span(n: &u32) -> bool {
    *n == Team::USUAL_SPAN
}

fn usual_depth() -> u32 {
    Team::MOST_DEPTH
}

fn is_usual_depth(n: &u32) -> bool {
    *n == Team::MOST_DEPTH
}

/// The default in team files without `turns`.
fn usual_turns() -> u32 {
    12
}

/// The default in journals and team files without `same_handoff`.
fn once() -> u32 {
    1
}

impl Default for Team {
    /// No members, and the default caps.
    fn default() -> Team {
        Team {
            name: Clean::default(),
            description: Clean::default(),
            revisions: 2,
            parallel: 8,
            parallel_of: BTreeMap::new(),
            same_handoff: once(),
            landing_percent: 10,
            more_rounds: 5,
            order: Order::default(),
            most_tasks: usual_most_tasks(),
            span: usual_span(),
            depth: usual_depth(),
            joins: Joins::default(),
            check_plan: false,
            check_draft: false,
            registered: Vec::new(),
            members: BTreeMap::new(),
        }
    }
}

// Names have room for every level.
const _: () = assert!(Team::MOST_DEPTH as usize <= AssignmentId::MOST_STEPS);

impl Team {
    /// The default of `span`.
    pub const USUAL_SPAN: u32 = 10;
    /// The most levels of leaders, whatever the team file says: a supervisor, editors, editors under them.
    pub const MOST_DEPTH: u32 = 3;

    /// The groups of a plan, one an editor; empty if the supervisor leads all tasks directly.
    pub fn groups(&self, plan: &Plan) -> Vec<Group> {
        match self.members.contains_key(&Role::new(Role::EDITOR)) {
            true => plan.groups(self.span, self.depth.min(Team::MOST_DEPTH)),
            false => Vec::new(),
        }
    }

    /// The spec of the tool of this name; None if it is not registered in this run.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        builtin::spec(name).or_else(|| self.registered.iter().find(|spec| spec.name == *name))
    }

    /// The model of a worker of this role; None for one that works by rule.
    pub fn model_of(&self, role: &Role, worker: Worker) -> Option<&AssignedModel> {
        let member = self.members.get(role).filter(|member| member.kind == Kind::Model)?;
        match worker {
            Worker::Member => member.model.as_ref(),
            Worker::Fallback(n) => member.fallbacks.get(n as usize),
            Worker::Rules => None,
        }
    }

    /// The most tokens of a payload for a worker of this role; None without a known bound. A model with tools needs half
    /// of its context for their results.
    pub fn takes_in(&self, role: &Role, worker: Worker) -> Option<u64> {
        let member = self.members.get(role)?;
        let of_context = self.model_of(role, worker).and_then(|model| {
            let told = estimate_tokens(model.prompt.len());
            let left = model.context?.saturating_sub(u64::from(model.room())).saturating_sub(told);
            Some(if member.tools.is_empty() { left * 3 / 4 } else { left / 2 })
        });
        of_context.into_iter().chain(member.payload_tokens).min()
    }

    /// The next fallback for this role after the workers in `tried` (in order) failed: the next untried model after the
    /// last one, else the rules of the role, where it has some; None if nothing is left.
    pub fn next_fallback(&self, role: &Role, tried: &[Worker]) -> Option<Worker> {
        let models = self.models_of(role)?;
        let last = tried.last().copied().unwrap_or_default();
        let by_rule = self.has_rules(role).then_some(Worker::Rules);
        let (before, after): (Vec<Worker>, Vec<Worker>) = models.partition(|model| *model <= last);
        after.into_iter().chain(before).chain(by_rule).find(|worker| !tried.contains(worker))
    }

    /// The rules that do the work of this role in place of its models; None where there are none, or it works by rule as it is.
    pub fn by_rule(&self, role: &Role) -> Option<Worker> {
        self.models_of(role).filter(|_| self.has_rules(role)).map(|_| Worker::Rules)
    }

    /// Whether there are rules that do the work of this role where its models cannot.
    pub fn has_rules(&self, role: &Role) -> bool {
        match role.as_str() {
            Role::AGENT | Role::JUDGE => false,
            Role::SURVEYOR | Role::INSPECTOR => self.order == Order::Inspect,
            _ => Contract::of(role).is_some(),
        }
    }

    /// The models that share the work of this role, in order; empty if only the first one works.
    pub fn spread_over(&self, role: &Role) -> impl Iterator<Item = Worker> {
        let spread = self.members.get(role).is_some_and(|member| member.spread);
        self.models_of(role).filter(|_| spread).into_iter().flatten()
    }

    /// The first model, then its fallbacks; None for a role that works by rule.
    fn models_of(&self, role: &Role) -> Option<impl Iterator<Item = Worker> + use<>> {
        let member = self.members.get(role).filter(|member| member.kind == Kind::Model)?;
        let fallbacks = u32::try_from(member.fallbacks.len()).unwrap_or(u32::MAX);
        Some(std::iter::once(Worker::Member).chain((0..fallbacks).map(Worker::Fallback)))
    }

    /// Whether the turns of a worker of this role are the answers of its model. By rule each step is a turn, and so is each step
    /// of one that delegates: rules may take over from its model.
    pub fn counts_answers(&self, role: &Role, worker: Worker) -> bool {
        self.model_of(role, worker).is_some() && !self.delegates(role)
    }

    /// The turns that a worker of this role has taken in this transcript.
    pub fn turns_used(&self, role: &Role, worker: Worker, transcript: &Transcript) -> u32 {
        let used = match self.counts_answers(role, worker) {
            true => transcript.turns_of_model(),
            false => transcript.turns.len(),
        };
        u32::try_from(used).unwrap_or(u32::MAX)
    }

    /// Whether this role delegates: the supervisor of the run, and the editors under it.
    pub fn delegates(&self, role: &Role) -> bool {
        matches!(role.as_str(), Role::SUPERVISOR | Role::EDITOR)
    }

    /// Whether a model that leads may hand work to a role: one of those that the supervisor leads, or any if it names none.
    pub fn may_be_led(&self, role: &Role) -> bool {
        let supervisor = self.members.get(&Role::new(Role::SUPERVISOR));
        supervisor.is_none_or(|it| it.delegates_to.is_empty() || it.delegates_to.contains(role))
    }

    /// Whether a model leads the run.
    pub fn is_model_led(&self) -> bool {
        self.members.get(&Role::new(Role::SUPERVISOR)).is_some_and(|member| member.kind == Kind::Model)
    }

    /// Sets whether a model or the rules lead the run.
    pub fn led_by(&mut self, kind: Kind) {
        if let Some(member) = self.members.get_mut(&Role::new(Role::SUPERVISOR)) {
            member.kind = kind;
        }
    }

    /// The roles that can take tasks of a plan: the default one first, then by name.
    pub fn colleagues(&self) -> Vec<Colleague> {
        let researches = |(role, member): &(&Role, &Member)| member.researches(role);
        let colleague = |(role, member): (&Role, &Member)| Colleague {
            role: role.clone(),
            description: member.description.clone(),
        };
        let mut colleagues: Vec<Colleague> = self.members.iter().filter(researches).map(colleague).collect();
        colleagues.sort_by_key(|colleague| colleague.role.as_str() != self.order.looks());
        colleagues
    }

    /// The models in use, each with its number of members: the most used first, then by name.
    pub fn models(&self) -> Vec<(&ModelId, usize)> {
        let mut models: BTreeMap<&ModelId, usize> = BTreeMap::new();
        let thinking = self.members.values().filter(|member| member.kind == Kind::Model);
        for model in thinking.filter_map(|member| member.model.as_ref()) {
            *models.entry(&model.id).or_default() += 1;
        }
        let mut models: Vec<_> = models.into_iter().collect();
        models.sort_by_key(|(_, members)| std::cmp::Reverse(*members));
        models
    }

    /// The models in a few words: "claude-sonnet-5-5 and 2 more"; None without any.
    pub fn thinks_with(&self) -> Option<String> {
        let models = self.models();
        let (first, _) = models.first()?;
        Some(match models.len() {
            1 => first.model.to_string(),
            n => format!("{} and {} more", first.model, n - 1),
        })
    }
}

/// The order of work when rules lead a run. It determines the roles that a team needs, also when a model leads: the
/// rules take over if that model fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Plan, research in parallel, merge, the person, write, gates and review.
    #[default]
    Brief,
    /// Survey, look closer in parallel, the person, conclude, gates.
    Inspect,
    /// One agent finds and writes in one context, gates: the baseline of a team.
    Alone,
    /// A judge reads two briefs in both orders. Nothing is searched or written.
    Judge,
}

impl Order {
    fn is_brief(&self) -> bool {
        *self == Order::Brief
    }

    /// The role that cuts the question into tasks; None if it stays whole.
    pub fn plans(self) -> Option<&'static str> {
        match self {
            Order::Brief => Some(Role::PLANNER),
            Order::Inspect => Some(Role::SURVEYOR),
            Order::Alone | Order::Judge => None,
        }
    }

    /// The role that takes tasks for which the plan names none.
    pub fn looks(self) -> &'static str {
        match self {
            Order::Brief => Role::RESEARCHER,
            Order::Inspect => Role::INSPECTOR,
            Order::Alone => Role::AGENT,
            Order::Judge => Role::JUDGE,
        }
    }

    /// The role that writes the draft; where none is written, the one that takes the work.
    pub fn writes(self) -> &'static str {
        match self {
            Order::Brief | Order::Inspect => Role::WRITER,
            Order::Alone => Role::AGENT,
            Order::Judge => Role::JUDGE,
        }
    }

    /// Whether two briefs are judged, and none is written.
    pub fn is_judging(self) -> bool {
        self == Order::Judge
    }

    /// Whether the same assignment finds and writes: then there is nothing to merge, and no findings to approve.
    pub fn is_alone(self) -> bool {
        self == Order::Alone
    }

    /// The role that merges findings; None if the order has none.
    pub fn merges(self) -> Option<&'static str> {
        match self {
            Order::Brief => Some(Role::MERGER),
            Order::Inspect | Order::Alone | Order::Judge => None,
        }
    }

    /// The roles that check every draft.
    pub fn checks(self) -> &'static [&'static str] {
        match self {
            Order::Brief => &[Role::GATES, Role::REVIEWER],
            Order::Inspect | Order::Alone => &[Role::GATES],
            Order::Judge => &[],
        }
    }

    /// The roles that a team with this order must have.
    pub fn needs(self) -> impl Iterator<Item = &'static str> {
        let first = [Role::SUPERVISOR].into_iter().chain(self.plans()).chain([self.looks()]).chain(self.merges());
        let writes = [self.writes()].into_iter().filter(move |role| *role != self.looks());
        first.chain(writes).chain(self.checks().iter().copied())
    }
}

#[cfg(test)]
impl Team {
    /// The default team without its prompts.
    pub(crate) fn sample() -> Team {
        toml::from_str(include_str!("../../prompts/brief/team.toml")).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_model_is_named_and_the_others_are_counted() {
        let member = |model: Option<&str>| Member {
            kind: if model.is_some() { Kind::Model } else { Kind::Extractive },
            model: model.map(|model| AssignedModel::new(model.parse().unwrap(), 100)),
            ..Member::default()
        };
        let team = |models: &[Option<&str>]| Team {
            members: models.iter().zip(0..).map(|(m, n)| (Role::new(&format!("role{n}")), member(*m))).collect(),
            ..Team::default()
        };
        for (models, told) in [
            (vec![None, None], None),
            (vec![Some("ollama/qwen3:8b"), None], Some("qwen3:8b")),
            (vec![Some("a/small"), Some("b/large"), Some("b/large"), None], Some("large and 1 more")),
        ] {
            assert_eq!(team(&models).thinks_with().as_deref(), told);
        }
    }
}
