//! A team as data: who is in it, what each may use, and the caps on every loop.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Limits;
use super::gate::Gate;
use super::handoff::{Colleague, Contract};
use super::id::{AssignmentId, Role};
use super::join::Joins;
use super::model::ModelId;
use super::plan::{Group, Plan};
use super::price::Rates;
use super::steer::Priority;
use super::timeouts::Timeouts;
use super::tool::{ToolName, ToolSpec, builtin, estimate_tokens};
use text::Clean;

/// Who works on a run and under which limits. Recorded with the run, so that picking it up means the same team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Team {
    /// What the team is called.
    pub name: Clean,
    /// What it is for, in a sentence.
    pub description: Clean,
    /// Drafts that may be sent back (DESIGN: at most 2).
    pub revisions: u32,
    /// Assignments that work at the same time.
    pub parallel: u32,
    /// The same for those whose model is of one provider, by its name; without an entry only `parallel` holds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parallel_of: BTreeMap<Clean, u32>,
    /// How often one payload may be handed to the same specialist down one line of delegation: work that comes round in
    /// a circle is refused.
    #[serde(default = "once")]
    pub same_handoff: u32,
    /// Percent of the run's caps that is kept for landing.
    pub landing_percent: u64,
    /// How many times the person may ask for more research in one run.
    pub more_rounds: u32,
    /// In which order it works where rules lead it.
    #[serde(default, skip_serializing_if = "Order::is_brief")]
    pub order: Order,
    /// Most tasks of a plan.
    #[serde(default = "usual_most_tasks", skip_serializing_if = "is_usual_most_tasks")]
    pub most_tasks: u32,
    /// Most tasks that one leads directly: where there are more, each group of them has an editor.
    #[serde(default = "usual_span", skip_serializing_if = "is_usual_span")]
    pub span: u32,
    /// Most levels of those who lead others, the supervisor of the run being the first.
    #[serde(default = "usual_depth", skip_serializing_if = "is_usual_depth")]
    pub depth: u32,
    /// What those need that rest on the work of several.
    #[serde(default, skip_serializing_if = "Joins::is_default")]
    pub joins: Joins,
    /// Whether the run stops for the person to look at the plan before anybody works on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check_plan: bool,
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

/// Of journals and team files that do not say.
fn once() -> u32 {
    1
}

impl Default for Team {
    /// Nobody, under the caps that hold where a team file does not say.
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
            registered: Vec::new(),
            members: BTreeMap::new(),
        }
    }
}

// Names have room for every level.
const _: () = assert!(Team::MOST_DEPTH as usize <= AssignmentId::MOST_STEPS);

impl Team {
    /// Most tasks that one leads directly, where the team file does not say.
    pub const USUAL_SPAN: u32 = 10;
    /// Most levels of those who lead others, whatever the team file says: a supervisor, editors, editors under them.
    pub const MOST_DEPTH: u32 = 3;

    /// How the tasks of a plan are grouped in this team; empty where all of them are led directly.
    pub fn groups(&self, plan: &Plan) -> Vec<Group> {
        match self.members.contains_key(&Role::new(Role::EDITOR)) {
            true => plan.groups(self.span, self.depth.min(Team::MOST_DEPTH)),
            false => Vec::new(),
        }
    }

    /// What is known of the tool of this name; None if it is not registered in this run.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        builtin::spec(name).or_else(|| self.registered.iter().find(|spec| spec.name == *name))
    }

    /// The model that a worker of this role thinks with; None where none does.
    pub fn engaged(&self, role: &Role, worker: Worker) -> Option<&Engaged> {
        let member = self.members.get(role).filter(|member| member.kind == Kind::Model)?;
        match worker {
            Worker::Member => member.engaged.as_ref(),
            Worker::Spare(n) => member.spares.get(n as usize),
            Worker::Rules => None,
        }
    }

    /// The most tokens that a payload for a worker of this role may take; None where nothing is known that bounds it.
    /// A model with tools needs half of its context for what they bring.
    pub fn takes_in(&self, role: &Role, worker: Worker) -> Option<u64> {
        let member = self.members.get(role)?;
        let of_context = self.engaged(role, worker).and_then(|engaged| {
            let told = estimate_tokens(engaged.prompt.len());
            let left = engaged.context?.saturating_sub(u64::from(engaged.max_tokens)).saturating_sub(told);
            Some(if member.tools.is_empty() { left * 3 / 4 } else { left / 2 })
        });
        of_context.into_iter().chain(member.payload_tokens).min()
    }

    /// Who takes over the work of this role when these have failed at it, the last one last: the next model after that
    /// one's that has not been tried, or else the rules of the role; None where there is nobody left.
    pub fn stands_in(&self, role: &Role, tried: &[Worker]) -> Option<Worker> {
        let models = self.models_of(role)?;
        let last = tried.last().copied().unwrap_or_default();
        let by_rule = Contract::of(role).is_some().then_some(Worker::Rules);
        let (before, after): (Vec<Worker>, Vec<Worker>) = models.partition(|model| *model <= last);
        after.into_iter().chain(before).chain(by_rule).find(|worker| !tried.contains(worker))
    }

    /// The models that work of this role is spread over, in order; nobody where the member alone does it.
    pub fn spread_over(&self, role: &Role) -> impl Iterator<Item = Worker> {
        let spread = self.members.get(role).is_some_and(|member| member.spread);
        self.models_of(role).filter(|_| spread).into_iter().flatten()
    }

    /// The member with its model, then those that stand in for it; None where it thinks by rule.
    fn models_of(&self, role: &Role) -> Option<impl Iterator<Item = Worker> + use<>> {
        let member = self.members.get(role).filter(|member| member.kind == Kind::Model)?;
        let spares = u32::try_from(member.spares.len()).unwrap_or(u32::MAX);
        Some(std::iter::once(Worker::Member).chain((0..spares).map(Worker::Spare)))
    }

    /// Whether this role hands work to others: the supervisor of the run, and every supervisor under it.
    pub fn leads(&self, role: &Role) -> bool {
        role.as_str() == Role::SUPERVISOR || self.members.get(role).is_some_and(|member| !member.leads.is_empty())
    }

    /// Whether the supervisor is to think with a model, and so to lead by it.
    pub fn is_model_led(&self) -> bool {
        self.members.get(&Role::new(Role::SUPERVISOR)).is_some_and(|member| member.kind == Kind::Model)
    }

    /// Has the run led by a model, or by the rules of its order.
    pub fn led_by(&mut self, kind: Kind) {
        if let Some(member) = self.members.get_mut(&Role::new(Role::SUPERVISOR)) {
            member.kind = kind;
        }
    }

    /// Whom tasks of a plan can be given to, the researcher first, then by role.
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

    /// The models at work with how many members each thinks for: the busiest first, then by name.
    pub fn models(&self) -> Vec<(&ModelId, usize)> {
        let mut models: BTreeMap<&ModelId, usize> = BTreeMap::new();
        let thinking = self.members.values().filter(|member| member.kind == Kind::Model);
        for engaged in thinking.filter_map(|member| member.engaged.as_ref()) {
            *models.entry(&engaged.model).or_default() += 1;
        }
        let mut models: Vec<_> = models.into_iter().collect();
        models.sort_by_key(|(_, members)| std::cmp::Reverse(*members));
        models
    }

    /// Who thinks, in a few words: "claude-sonnet-5-5 and 2 more"; None where no model does.
    pub fn thinks_with(&self) -> Option<String> {
        let models = self.models();
        let (first, _) = models.first()?;
        Some(match models.len() {
            1 => first.model.to_string(),
            n => format!("{} and {} more", first.model, n - 1),
        })
    }
}

/// The order in which a team works where rules lead it. It says whom the team needs: also where a model leads, because
/// the rules go on when the model does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Plan, research in parallel, merge, the person, write, gates and review.
    #[default]
    Brief,
    /// Survey, look closer in parallel, the person, conclude, gates.
    Inspect,
}

impl Order {
    fn is_brief(&self) -> bool {
        *self == Order::Brief
    }

    /// Who cuts the question into tasks.
    pub fn plans(self) -> &'static str {
        match self {
            Order::Brief => Role::PLANNER,
            Order::Inspect => Role::SURVEYOR,
        }
    }

    /// Who takes the tasks, where a plan does not say.
    pub fn looks(self) -> &'static str {
        match self {
            Order::Brief => Role::RESEARCHER,
            Order::Inspect => Role::INSPECTOR,
        }
    }

    /// Who folds what was found, if anybody does.
    pub fn merges(self) -> Option<&'static str> {
        match self {
            Order::Brief => Some(Role::MERGER),
            Order::Inspect => None,
        }
    }

    /// Who looks at every draft.
    pub fn checks(self) -> &'static [&'static str] {
        match self {
            Order::Brief => &[Role::GATES, Role::REVIEWER],
            Order::Inspect => &[Role::GATES],
        }
    }

    /// Whom a team needs that works in this order.
    pub fn needs(self) -> impl Iterator<Item = &'static str> {
        let first = [Role::SUPERVISOR, self.plans(), self.looks()].into_iter();
        first.chain(self.merges()).chain([Role::WRITER]).chain(self.checks().iter().copied())
    }
}

/// One specialist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// What it does, in a sentence.
    pub description: Clean,
    /// How it thinks.
    pub kind: Kind,
    /// Tools it may use.
    #[serde(default)]
    pub tools: Vec<ToolName>,
    /// Whether its work is landing (merging, writing, checking), which may use the reserve.
    #[serde(default)]
    pub lands: bool,
    /// Turns it may take.
    pub turns: u32,
    /// Caps of each of its assignments.
    #[serde(default)]
    pub limits: Limits,
    /// What it checks of every draft, with a veto, beside gates and reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The most tokens of what it is handed; None for what its model can take in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_tokens: Option<u64>,
    /// What is done when it fails, step by step. Empty: what it was to do is gone on without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<Remedy>,
    /// Whom it hands work to. Who leads others is a supervisor under this one: it is not counted among those at work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<Role>,
    /// The model it thinks with, where its kind is [`Kind::Model`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engaged: Option<Engaged>,
    /// Whether its work goes before or after that of others, where the plan does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Models that stand in when that one fails, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spares: Vec<Engaged>,
    /// Whether those share its work instead of standing by: whoever has the fewest open assignments gets the next one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spread: bool,
    /// After how long each of its assignments is ended that has not reported.
    #[serde(default, skip_serializing_if = "Timeouts::is_none")]
    pub timeouts: Timeouts,
}

/// One step of what is done when a specialist fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// The same work is handed to the same worker again, after a pause that doubles with each time.
    Retry,
    /// Another worker gets the work: the next model that stands in, then the rules of the role. Passed over where there
    /// is none.
    Failover,
    /// What was done of it is taken. A partial result is taken at once unless this stands further back.
    Partial,
    /// The run goes on without it, and says so.
    Skip,
    /// The person says what becomes of it; the run waits meanwhile.
    Ask,
    /// Whoever handed it out fails too.
    Fail,
}

/// Which of those who can do the work of a role does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worker {
    /// The member as the team has it.
    #[default]
    Member,
    /// The member with the model that stands in, by its place.
    Spare(u32),
    /// The rules of the role.
    Rules,
}

impl Worker {
    /// The member as the team has it: what a journal does not have to say.
    pub fn is_member(&self) -> bool {
        *self == Worker::Member
    }
}

impl Default for Member {
    /// By rule, with nothing to use and nobody to lead.
    fn default() -> Member {
        Member {
            description: Clean::default(),
            kind: Kind::Extractive,
            tools: Vec::new(),
            lands: false,
            turns: 12,
            limits: Limits::default(),
            gate: None,
            payload_tokens: None,
            on_failure: Vec::new(),
            leads: Vec::new(),
            engaged: None,
            priority: None,
            spares: Vec::new(),
            spread: false,
            timeouts: Timeouts::default(),
        }
    }
}

impl Member {
    /// Whether tasks of a plan can be given to it under this role: to the researcher, and to whoever has joined the team
    /// with a model and tools of its own.
    pub fn researches(&self, role: &Role) -> bool {
        matches!(role.as_str(), Role::RESEARCHER | Role::INSPECTOR)
            || (self.gate.is_none() && Contract::of(role).is_none() && self.engaged.is_some() && !self.tools.is_empty())
    }
}

/// A model at work for a member: everything about it that a run depends on, recorded with the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engaged {
    /// Which model.
    pub model: ModelId,
    /// What it is told: its standing instructions.
    pub prompt: Clean,
    /// Its prices; None if they are not known, and then it is not called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// Tokens that fit into its context, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The most tokens one answer may take.
    pub max_tokens: u32,
    /// How it is made to report in a form that code can read.
    pub means: Means,
}

/// How a model is made to report in a form that code can read, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Its answers follow a JSON schema.
    Schema,
    /// It calls a `report` tool.
    Tool,
    /// It writes JSON into its text, which is read with one round of correction.
    Text,
}

/// How a specialist thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// By rules over the words of the sources: no model, no key, no network.
    Extractive,
    /// By asking a language model.
    Model,
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
            engaged: model.map(|model| Engaged {
                model: model.parse().unwrap(),
                prompt: "".into(),
                rates: None,
                context: None,
                max_tokens: 100,
                means: Means::Tool,
            }),
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
