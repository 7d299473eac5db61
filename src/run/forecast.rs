//! What a run will cost by its end: at the least, probably, and if it goes on for long. Pure; a guess, and never a cap.
//!
//! Before the run it comes from the team, the rates of its models and what such work usually takes. As it goes, what
//! assignments of a role did cost says more than what was expected of them, and the plan says how many there will be.

use super::budget::{Amounts, Cap, Ledger, Limits, Money};
use super::density::{Bulk, Density};
use super::event::Opening;
use super::id::Role;
use super::model::Usage;
use super::plan::{Plan, Task};
use super::price::{self, Rates};
use super::state::{Assignment, Run};
use super::team::{AssignedModel, Member, Team};
use super::thinking::Effort;
use super::tool::ToolResult;
use super::transcript::Exchange;
use text::listed::listed;

/// What a run will cost by its end, all that it has cost so far included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forecast {
    /// If everything goes well.
    pub low: Money,
    /// Probably.
    pub likely: Money,
    /// If it takes long. A run may need more than that, but never costs more than its cap.
    pub high: Money,
}

/// One number for each of the three.
type Three = [u64; 3];

/// What assignments of a role take.
struct Work {
    role: &'static str,
    /// The number of assignments, if the plan does not say.
    assignments: Three,
    /// The number of calls of its model.
    rounds: Three,
    /// Tokens of input the first time: its prompt, its tools, what it was handed.
    first: Three,
    /// Tokens that each further time adds to the input.
    more: Three,
    /// Tokens of each answer, thinking included.
    answer: Three,
}

const WORK: &[Work] = &[
    Work {
        role: Role::SUPERVISOR,
        assignments: [1, 1, 1],
        rounds: [5, 10, 25],
        first: [1_500, 2_500, 4_000],
        more: [400, 800, 1_500],
        answer: [100, 300, 800],
    },
    Work {
        role: Role::PLANNER,
        assignments: [1, 1, 1],
        rounds: [1, 2, 4],
        first: [1_200, 2_000, 4_000],
        more: [500, 1_500, 3_000],
        answer: [250, 700, 2_500],
    },
    Work {
        role: Role::RESEARCHER,
        assignments: [1, 3, 8],
        rounds: [3, 6, 14],
        first: [1_500, 2_000, 3_000],
        more: [1_200, 2_500, 4_500],
        answer: [150, 500, 1_500],
    },
    Work {
        role: Role::WRITER,
        assignments: [1, 2, 3],
        rounds: [1, 1, 2],
        first: [2_500, 6_000, 15_000],
        more: [500, 1_000, 2_000],
        answer: [600, 1_500, 5_000],
    },
    Work {
        role: Role::REVIEWER,
        assignments: [1, 2, 3],
        rounds: [1, 1, 2],
        first: [3_000, 7_000, 18_000],
        more: [500, 1_000, 2_000],
        answer: [300, 1_000, 4_000],
    },
    Work {
        role: Role::AGENT,
        assignments: [1, 1, 2],
        rounds: [5, 12, 28],
        first: [1_800, 2_500, 4_000],
        more: [1_200, 2_500, 4_500],
        answer: [200, 500, 1_500],
    },
    Work {
        role: Role::JUDGE,
        assignments: [2, 2, 3],
        rounds: [1, 1, 2],
        first: [2_000, 4_500, 12_000],
        more: [500, 1_000, 2_000],
        answer: [100, 300, 1_000],
    },
    // Any other role.
    Work {
        role: "",
        assignments: [1, 1, 2],
        rounds: [1, 2, 6],
        first: [1_500, 3_000, 8_000],
        more: [500, 1_500, 3_000],
        answer: [200, 600, 2_000],
    },
];

/// Words of the brief for which the answers of a writer were reckoned.
pub const USUAL_WORDS: u32 = 500;

/// The forecast of a run that has not begun; None if its team has no model.
pub fn before(opening: &Opening) -> Option<Forecast> {
    let three = [0, 1, 2].map(|n| {
        models(&opening.team)
            .map(|(role, model)| {
                expected(role, model, model.density, opening.words, n).saturating_mul(number(
                    role,
                    &opening.team,
                    None,
                    n,
                ))
            })
            .fold(0, u64::saturating_add)
    });
    models(&opening.team).next()?;
    Some(in_order(three, Money::default()))
}

/// The number of its tasks that a run can work on within its caps, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Tasks that fit, in the order of the plan.
    pub fit: u64,
    /// All tasks.
    pub of: u64,
    /// The cap that the first of the others would pass.
    pub cap: Cap,
    /// How high it is, in the smallest unit of its kind.
    pub most: u64,
    /// What that task would need besides, in the same unit.
    pub lacks: u64,
}

impl std::fmt::Display for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reach { fit, of, cap, most, lacks } = *self;
        let with = cap.counted(most);
        let first = cap.counted(most.saturating_add(lacks));
        // By what such work usually takes: it may do with less.
        match (fit, of) {
            (0, 1) => write!(f, "with {with}, the task hardly fits: about {first} would do"),
            (0, _) => write!(f, "with {with}, hardly one of {of} tasks fits: about {first} would do for the first"),
            _ => write!(f, "with {with}, about {fit} of {of} tasks fit"),
        }
    }
}

/// The number of tasks that fit into the caps of a run that has not begun, if not all do.
pub fn reach_before(opening: &Opening) -> Option<Reach> {
    let looks = Role::new(opening.team.order.looks());
    let asked = listed(&opening.question).questions.len() as u64;
    let tasks = match opening.team.order.plans() {
        Some(_) if asked > 1 => asked,
        _ => work(&looks).assignments[1],
    };
    let plans = opening.team.order.plans().map(Role::new);
    let member = plans.as_ref().and_then(|plans| Some((plans, opening.team.members.get(plans)?)));
    let gone = member.map(|(plans, member)| of_task(plans, member, opening.words));
    let for_work = Ledger::new(opening.limits, opening.team.landing_percent).for_work();
    let tasks: Vec<&Role> = (0..tasks.min(opening.team.most_tasks.into())).map(|_| &looks).collect();
    reach_of(opening, opening.limits, for_work, gone.unwrap_or_default(), tasks)
}

/// The number of tasks of a new plan that fit into the caps of its run, if not all do.
pub fn reach(run: &Run, plan: &Plan) -> Option<Reach> {
    let account = run.ledger.run();
    let gone = account.spent.plus(account.in_doubt);
    let tasks: Vec<&Role> = plan.tasks.iter().map(|task| &task.role).collect();
    reach_of(run.opening.as_ref()?, account.limits, run.ledger.for_work(), gone, tasks)
}

fn reach_of(opening: &Opening, caps: Limits, for_work: Limits, gone: Amounts, tasks: Vec<&Role>) -> Option<Reach> {
    let (of, mut gone) = (tasks.len() as u64, gone);
    for (role, fit) in tasks.into_iter().zip(0..) {
        let member = opening.team.members.get(role)?;
        let usual = of_task(role, member, opening.words);
        let needs = gone.plus(usual.max(least_to_begin(role, member, opening.words)));
        let short = for_work.caps().find(|(kind, cap)| needs.get(*kind) > *cap);
        if let Some((cap, of_work)) = short {
            let lacks = needs.get(cap) - of_work;
            return Some(Reach { fit, of, cap, most: caps.cap(cap).unwrap_or_default(), lacks });
        }
        gone = gone.plus(usual);
    }
    None
}

/// The forecast of a run as it stands; None if its team has no model.
pub fn of(run: &Run) -> Option<Forecast> {
    of_plan(run, run.plan.as_deref())
}

/// What a task is thought to take, said of it or by rule.
pub fn task(run: &Run, task: &Task) -> Amounts {
    let by_rule = || {
        let opening = run.opening.as_ref()?;
        Some(of_task(&task.role, opening.team.members.get(&task.role)?, opening.words))
    };
    task.estimate.or_else(by_rule).unwrap_or_default()
}

/// The forecast of a run with this plan; None if its team has no model.
pub fn of_plan(run: &Run, plan: Option<&Plan>) -> Option<Forecast> {
    let opening = run.opening.as_ref()?;
    models(&opening.team).next()?;
    let account = run.ledger.run();
    let gone = Money(account.spent.money().0.saturating_add(account.in_doubt.money().0));
    if run.ended().is_some() || run.cancelled {
        return Some(Forecast { low: gone, likely: gone, high: gone });
    }
    let three = [0, 1, 2].map(|n| {
        let rest = models(&opening.team).map(|(role, model)| rest(run, plan, role, model, n));
        rest.fold(gone.0, u64::saturating_add)
    });
    Some(in_order(three, gone))
}

/// Milliseconds that a run still takes, by how long its models have taken so far; None before one has answered, and where one
/// costs money: then its provider is fast enough that money says more.
pub fn rest_ms(run: &Run) -> Option<u64> {
    let opening = run.opening.as_ref().filter(|_| run.ended().is_none())?;
    let is_free = |model: &AssignedModel| model.rates.as_ref().is_some_and(|rates| rates.most(1_000, 1_000).0 == 0);
    if !models(&opening.team).all(|(_, model)| is_free(model)) {
        return None;
    }
    let of_role = |role: &Role| {
        let there = run.assignments().filter(|one| one.role == *role);
        let replies = there.flat_map(|one| one.transcript.exchanges()).filter_map(Exchange::reply);
        replies.fold((0, 0), |(ms, answers): (u64, u64), reply| (ms.saturating_add(reply.whole_ms), answers + 1))
    };
    let taken: Vec<(&Role, (u64, u64))> = models(&opening.team).map(|(role, _)| (role, of_role(role))).collect();
    let (ms, answers) = taken.iter().fold((0u64, 0u64), |sum, (_, (ms, n))| (sum.0.saturating_add(*ms), sum.1 + n));
    let usual = ms.checked_div(answers)?;
    let rest = taken.iter().map(|(role, (ms, answers))| {
        let open = run.assignments().filter(|one| one.role == **role && one.ended.is_none()).count() as u64;
        let ended = run.assignments().filter(|one| one.role == **role && one.ended.is_some()).count() as u64;
        let all = number(role, &opening.team, run.plan.as_deref(), 1).max(open + ended);
        // Those that have ended take no more; the others what is usual for their role.
        let calls = (all - ended).saturating_mul(work(role).rounds[1]);
        let made = if ended == 0 { *answers } else { 0 };
        calls.saturating_sub(made).max(open).saturating_mul(ms.checked_div(*answers).unwrap_or(usual))
    });
    let rest = u128::from(rest.fold(0, u64::saturating_add));
    // Where several models were at work at the same time, they will be.
    let worked = u128::from(run.worked(run.at)).max(1);
    u64::try_from(rest * worked.min(ms.into()) / u128::from(ms.max(1))).ok()
}

/// Tool calls and tokens of text of a task that is done by rule, as they usually are.
const BY_RULE: (u64, u64) = (28, 13_000);
/// Tool calls that come with each time the model of a task is asked.
const CALLS_A_ROUND: u64 = 2;

/// What a task is thought to take of a member of the team.
pub fn of_task(role: &Role, member: &Member, words: u32) -> Amounts {
    let Some(model) = &member.model else {
        let (tool_calls, tokens) = BY_RULE;
        return Amounts::of(Cap::ToolCalls, tool_calls).with(Cap::Tokens, tokens).within(member.limits);
    };
    let Work { rounds, first, more, answer, .. } = work(role);
    let calls = rounds[1];
    // What was said before is said again each time.
    let tokens = (0..calls).map(|round| first[1] + round * (more[1] + answer[1]) + answer[1]).sum();
    let tool_calls = calls.saturating_sub(1) * CALLS_A_ROUND;
    Amounts::of(Cap::Money, expected(role, model, model.density, words, 1))
        .with(Cap::Tokens, tokens)
        .with(Cap::Calls, calls)
        .with(Cap::ToolCalls, tool_calls)
        .within(member.limits)
}

/// The most tokens of the shortest answer of a role that is of use: as long as its answers are if it takes long.
fn least_answer(role: &Role, words: u32) -> u32 {
    let long = if role.as_str() == Role::WRITER { u64::from(words).max(1) } else { USUAL_WORDS.into() };
    u32::try_from(work(role).answer[2].saturating_mul(long) / u64::from(USUAL_WORDS)).unwrap_or(u32::MAX)
}

/// The same with the thinking of a model before it.
pub fn least_room(role: &Role, model: &AssignedModel, words: u32) -> u32 {
    least_answer(role, words).saturating_add(model.thinking_room).min(model.room())
}

/// Bytes of text of so many tokens, as they usually are.
fn text_of(tokens: u64) -> Bulk {
    Bulk::of_prose(tokens * 1_000 / u64::from(Density::default().likely))
}

/// How many times the shortest useful answer there is to be room for when a task begins.
const ROOM_TO_ANSWER: u32 = 4;

/// What has to be there for a task of this role before it is begun: what such work usually takes, and what is reserved for a
/// call on top of that.
pub fn to_begin(role: &Role, member: &Member, words: u32) -> Amounts {
    let usual = of_task(role, member, words);
    let model = member.model.as_ref().and_then(|model| Some((model, model.rates.as_ref()?)));
    let Some((model, rates)) = model else {
        return usual.plus(Amounts::of(Cap::Tokens, ToolResult::MOST_TOKENS)).within(member.limits);
    };
    let Work { first, more, .. } = work(role);
    let output = least_room(role, model, words).saturating_mul(ROOM_TO_ANSWER).min(model.room());
    let input = model.density.most_tokens(text_of(first[1] + more[1]));
    let reserved = price::reservation(rates, input, output);
    usual.plus(reserved).within(member.limits)
}

/// The least with which a task of this role can do anything: one call with a short answer.
fn least_to_begin(role: &Role, member: &Member, words: u32) -> Amounts {
    let rated = member.model.as_ref().and_then(|model| Some((model, model.rates.as_ref()?)));
    rated.map_or_else(Amounts::default, |(model, rates)| {
        let input = model.density.most_tokens(text_of(work(role).first[1]));
        price::reservation(rates, input, least_room(role, model, words))
    })
}

/// In order, and not below what is gone. The cap is not in it: this is what the work needs.
fn in_order(three: Three, gone: Money) -> Forecast {
    let low = three[0].max(gone.0);
    let likely = three[1].max(low);
    Forecast { low: Money(low), likely: Money(likely), high: Money(three[2].max(likely)) }
}

fn models(team: &Team) -> impl Iterator<Item = (&Role, &AssignedModel)> {
    team.members.iter().filter_map(|(role, member)| Some((role, member.model.as_ref()?)))
}

fn work(role: &Role) -> &'static Work {
    WORK.iter().find(|work| work.role == role.as_str()).unwrap_or(&WORK[WORK.len() - 1])
}

/// The number of assignments of a role that there will be.
fn number(role: &Role, team: &Team, plan: Option<&Plan>, n: usize) -> u64 {
    let usual = work(role).assignments[n];
    match (role.as_str(), plan) {
        (Role::WRITER | Role::REVIEWER, _) => usual.min(u64::from(team.revisions) + 1),
        (_, Some(plan)) => {
            let tasks = plan.tasks.iter().filter(|task| task.role == *role).count() as u64;
            if tasks == 0 && role.as_str() != Role::RESEARCHER { usual } else { tasks }
        }
        (_, None) => usual,
    }
}

/// What one assignment of a role is expected to cost.
fn expected(role: &Role, model: &AssignedModel, density: Density, words: u32, n: usize) -> u64 {
    // An unknown price is not zero, but no number either: such a model is not called.
    let Some(rates) = &model.rates else { return 0 };
    let work = work(role);
    let long = if role.as_str() == Role::WRITER { u64::from(words).max(1) } else { USUAL_WORDS.into() };
    let thinks = model.thinking.effort.map_or(10, tenths);
    let answer = (work.answer[n].saturating_mul(long).saturating_mul(thinks) / u64::from(USUAL_WORDS) / 10)
        .min(model.room().into());
    let mut before = 0u64;
    let mut sum = 0u64;
    for round in 0..work.rounds[n] {
        let usual = if round == 0 { work.first[n] } else { work.more[n] };
        let new = density.tokens(text_of(usual).bytes());
        // What was sent before comes from a cache if things go as they should.
        let (input, cache_read) = if n == 2 { (before + new, 0) } else { (new, before) };
        sum = sum.saturating_add(cost(rates, Usage { input, cache_read, output: answer, ..Usage::default() }));
        before += new + answer;
    }
    sum
}

/// How long answers of a model are at an effort, thinking included, in tenths of what they are without one.
fn tenths(effort: Effort) -> u64 {
    match effort {
        Effort::None | Effort::Minimal => 7,
        Effort::Low => 8,
        Effort::Medium => 10,
        Effort::High => 20,
        Effort::Xhigh => 35,
        Effort::Max => 50,
    }
}

fn cost(rates: &Rates, usage: Usage) -> u64 {
    rates.cost(&usage).0
}

/// What a role will still cost.
fn rest(run: &Run, plan: Option<&Plan>, role: &Role, model: &AssignedModel, n: usize) -> u64 {
    let Some(opening) = &run.opening else { return 0 };

    let mut ended: Vec<u64> = Vec::new();
    let mut open: Vec<u64> = Vec::new();
    for assignment in run.assignments().filter(|assignment| assignment.role == *role) {
        let taken = taken(run, assignment);
        if assignment.ended.is_some() { ended.push(taken) } else { open.push(taken) }
    }
    let sum = ended.iter().fold(0u64, |sum, taken| sum.saturating_add(*taken));
    let each = match (ended.len() as u64, n) {
        (0, _) => expected(role, model, run.estimate(model).learnt, opening.words, n),
        (_, 0) => ended.iter().copied().min().unwrap_or(0),
        (count, 1) => sum / count,
        (_, _) => ended.iter().copied().max().unwrap_or(0).saturating_mul(3) / 2,
    };
    let there = (ended.len() + open.len()) as u64;
    let to_come = number(role, &opening.team, plan, n).saturating_sub(there);
    let of_open = open.into_iter().map(|taken| each.saturating_sub(taken));
    of_open.fold(each.saturating_mul(to_come), u64::saturating_add)
}

fn taken(run: &Run, assignment: &Assignment) -> u64 {
    let account = run.ledger.assignment(assignment.id);
    account.spent.money().0.saturating_add(account.in_doubt.money().0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::budget::Draws;
    use crate::event::{Admission, Envelope, Event, Opened};
    use crate::handoff::{Handoff, Outcome, Payload};
    use crate::id::{AssignmentId, At, CallId, HandoffNo, RunId, TaskId};
    use crate::model::{Form, ModelRequest, Reply, Stop, Untouched};
    use crate::plan::Shape;
    use crate::stage::{Conversation, Leading};
    use crate::team::{Kind, StructuredOutput};

    fn rates(input: u64, output: u64) -> Rates {
        Rates { input, output, cache_read: input / 10, cache_write: input, cache_write_long: input, ..Rates::default() }
    }

    fn opening(roles: &[(&str, Option<Rates>)], cap: Option<Money>) -> Opening {
        let member = |(role, rates): &(&str, Option<Rates>)| {
            let model = AssignedModel {
                id: "a/b".parse().unwrap(),
                prompt: "".into(),
                rates: rates.clone(),
                context: None,
                max_tokens: 8_000,
                structured_output: StructuredOutput::Schema,
                density: Density::default(),
                thinking: Default::default(),
                thinking_room: 0,
                most_output: None,
            };
            let member = Member { kind: Kind::Model, turns: 9, model: Some(model), ..Member::default() };
            (Role::new(role), member)
        };
        Opening {
            words: 500,
            limits: Limits::default().with(Cap::Money, cap.map(|money| money.0)),
            version: "0".into(),
            ..Opening::new(
                RunId::from_random([1; 6]),
                "?".into(),
                Team { members: roles.iter().map(member).collect(), more_rounds: 1, ..Team::default() },
            )
        }
    }

    /// Sonnet-like rates for everybody.
    fn usual_team() -> Vec<(&'static str, Option<Rates>)> {
        let rates = Some(rates(2_000_000, 10_000_000));
        ["planner", "researcher", "writer", "reviewer"].map(|role| (role, rates.clone())).into()
    }

    /// In tenths of a cent, rounded up.
    fn mills(forecast: Forecast) -> Three {
        [forecast.low, forecast.likely, forecast.high].map(|money| money.0.div_ceil(1_000_000_000))
    }

    #[test]
    fn before_a_run_it_is_reckoned_from_team_and_rates() {
        let cheap = |role: &'static str| (role, Some(rates(100_000, 500_000)));
        let free = |role: &'static str| (role, Some(Rates::free()));
        for (what, team, expected) in [
            ("one model for all", usual_team(), [39, 327, 12_300]),
            (
                "a researcher that costs a twentieth",
                [&usual_team()[..1], &[cheap("researcher")], &usual_team()[2..]].concat(),
                [26, 134, 1_767],
            ),
            ("only a writer", usual_team()[2..3].to_vec(), [11, 54, 522]),
            ("a local model", ["planner", "researcher"].map(free).into(), [0, 0, 0]),
        ] {
            let forecast = before(&opening(&team, Some(Money::micros(3_000_000)))).unwrap();
            assert_eq!(mills(forecast), expected, "{what}");
        }
        assert_eq!(before(&opening(&[], None)), None, "no model");
        let with = |effort: Effort| {
            let mut opening = opening(&usual_team(), None);
            for model in opening.team.members.values_mut().filter_map(|member| member.model.as_mut()) {
                (model.thinking.effort, model.thinking_room) = (Some(effort), effort.room());
            }
            before(&opening).unwrap().likely
        };
        assert!(with(Effort::Low) < with(Effort::Medium) && with(Effort::Medium) < with(Effort::High));
    }

    #[test]
    fn a_forecast_says_what_the_work_needs_whatever_the_cap() {
        let forecast = before(&opening(&usual_team(), Some(Money::micros(100_000)))).unwrap();
        assert_eq!(mills(forecast), [39, 327, 12_300]);
    }

    /// A run in which things happen.
    struct Story {
        run: Run,
        handoffs: u32,
        /// Milliseconds that passed besides one for each event.
        waited: i64,
    }

    impl Story {
        fn new(opening: Opening) -> Story {
            let mut story = Story { run: Run::default(), handoffs: 0, waited: 0 };
            story.tell(Event::RunOpened(Arc::new(opening)));
            story.open(None, Role::SUPERVISOR);
            story
        }

        fn tell(&mut self, event: Event) {
            let seq = self.run.seq.next();
            self.run.apply(&Envelope { seq, at: At(i64::try_from(seq.0).unwrap() + self.waited), event });
            assert_eq!(self.run.misfits, 0);
        }

        fn handoff(&mut self, from: Option<AssignmentId>, to: Option<AssignmentId>) -> Arc<Handoff> {
            self.handoffs += 1;
            let no = HandoffNo(self.handoffs);
            Arc::new(Handoff {
                no,
                from,
                to,
                names: ("a".into(), "b".into()),
                title: "t".into(),
                payload: Payload::default(),
            })
        }

        fn open(&mut self, by: Option<AssignmentId>, role: &str) -> AssignmentId {
            let assignment = AssignmentId::nth(u32::try_from(self.run.assignments().len()).unwrap());
            let handoff = self.handoff(by, Some(assignment));
            let (role, limits) = (Role::new(role), Limits::default());
            let opened = Opened::new(assignment, role, limits, Draws::Landing, handoff);
            self.tell(Event::HandedOff { by, stage: Leading::Research.into(), why: "".into(), opened: vec![opened] });
            assignment
        }

        /// The model of an assignment is asked, and that costs so much.
        fn ask(&mut self, by: AssignmentId, cost: Money) {
            self.ask_for(by, cost, 0);
        }

        /// The same, and the answer takes so many milliseconds, in which nothing else happens.
        fn ask_for(&mut self, by: AssignmentId, cost: Money, ms: u64) {
            let request = ModelRequest {
                model: "a/b".parse().unwrap(),
                afresh: false,
                said: vec![],
                offers: vec![].into(),
                form: Form::Free,
                max_tokens: 1,
                thinking: Default::default(),
            };
            let call = CallId::new(by, self.run.assignment(by).unwrap().calls() + 1);
            let used = Amounts::of(Cap::Money, cost.0);
            let admission = Admission::Reserved(used);
            self.tell(Event::ModelCalled {
                by,
                stage: Conversation::Begin.into(),
                why: "".into(),
                call,
                request: Arc::new(request),
                admission,
            });
            let reply = Reply {
                content: vec![],
                raw: Untouched::default(),
                stop: Stop::End,
                usage: Usage::default(),
                served_by: "b".into(),
                request_id: None,
                first_ms: 0,
                whole_ms: ms,
                recorded: None,
            };
            self.tell(Event::AttemptSent { call, attempt: 1 });
            self.waited += i64::try_from(ms).unwrap();
            self.tell(Event::ModelReplied { call, reply: Arc::new(reply), used });
        }

        fn report(&mut self, by: AssignmentId) {
            let handoff = self.handoff(Some(by), Some(AssignmentId::nth(0)));
            self.tell(Event::Reported { by, outcome: Outcome::Done, handoff });
        }

        fn adopt(&mut self, tasks: u32) {
            let task = |id| Task::new(TaskId(id), "t".into(), "?".into());
            let plan = Plan { shape: Shape::Overview, tasks: (1..=tasks).map(task).collect(), why: "".into() };
            self.tell(Event::PlanAdopted { by: AssignmentId::nth(0), plan: Arc::new(plan) });
        }
    }

    const CENT: Money = Money(10_000_000_000);

    #[test]
    fn as_it_goes_what_was_spent_says_more_than_what_was_expected() {
        let team = [("researcher", Some(rates(2_000_000, 10_000_000)))];
        let mut story = Story::new(opening(&team, None));
        let first = of(&story.run).unwrap();
        assert_eq!(first, before(story.run.opening.as_ref().unwrap()).unwrap());
        story.adopt(4);
        let planned = of(&story.run).unwrap();
        assert!(planned.likely > first.likely && planned.high < first.high, "the number of tasks is known now");
        let root = AssignmentId::nth(0);
        let one = story.open(Some(root), Role::RESEARCHER);
        story.ask(one, CENT);
        story.report(one);
        // One took a cent; three are to come.
        assert_eq!(mills(of(&story.run).unwrap()), [40, 40, 55]);
        let two = story.open(Some(root), Role::RESEARCHER);
        story.ask(two, Money(CENT.0 * 3));
        // Two is still open and has taken more than was thought: what it took is gone, two more are to come.
        assert_eq!(mills(of(&story.run).unwrap()), [60, 60, 70]);
        story.report(two);
        assert_eq!(mills(of(&story.run).unwrap()), [60, 80, 130]);
        story.report(root);
        assert_eq!(mills(of(&story.run).unwrap()), [40, 40, 40], "it has ended");
    }

    #[test]
    fn with_models_that_cost_nothing_it_is_said_after_the_first_answer_how_long_it_takes() {
        let free = |role| (role, Some(Rates::free()));
        let mut story = Story::new(opening(&[free("planner"), free("researcher")], None));
        let root = AssignmentId::nth(0);
        let planner = story.open(Some(root), Role::PLANNER);
        assert_eq!(rest_ms(&story.run), None, "nothing is known");
        story.ask_for(planner, Money::default(), 10_000);
        // One more answer of the planner, and six of each of three researchers, ten seconds each.
        let minutes = |story: &Story| rest_ms(&story.run).map(|ms| ms.div_ceil(60_000));
        assert_eq!(minutes(&story), Some(4));
        story.report(planner);
        story.adopt(1);
        assert_eq!(minutes(&story), Some(1), "there is one task");
        let one = story.open(Some(root), Role::RESEARCHER);
        (0..6).for_each(|_| story.ask_for(one, Money::default(), 10_000));
        assert_eq!(minutes(&story), Some(1), "there is a last answer to come, at the least");
        story.report(one);
        assert_eq!(rest_ms(&story.run), Some(0));
        let paid = Story::new(opening(&usual_team(), None));
        assert_eq!(rest_ms(&paid.run), None, "money says more");
    }

    proptest! {
        /// Whatever the rates and the cap: low, likely and high are in order.
        #[test]
        fn the_three_are_in_order(input in 0u64..100_000_000, output in 0u64..500_000_000, cap in proptest::option::of(0u64..10_000_000_000_000), words in 1u32..5_000) {
            let team = ["planner", "researcher", "writer", "reviewer", "fact-checker"].map(|role| (role, Some(rates(input, output))));
            let mut opening = opening(&team, cap.map(Money));
            opening.words = words;
            let Forecast { low, likely, high } = before(&opening).unwrap();
            prop_assert!(low <= likely && likely <= high);
        }
    }
}
