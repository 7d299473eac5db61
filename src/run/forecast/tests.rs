//! Forecasts of a run before it, and as it goes.

mod figures;

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::budget::{Amounts, Cap, Draws, Limits};
use crate::event::{Admission, Envelope, Event, Opened};
use crate::handoff::{Handoff, Outcome, Payload};
use crate::id::{AssignmentId, At, CallId, HandoffNo, RunId, TaskId};
use crate::model::{Form, ModelRequest, Reply, StopReason, Untouched, Usage};
use crate::plan::{Shape, Task};
use crate::price::Rates;
use crate::stage::{Conversation, Leading};
use crate::team::{Kind, Member, StructuredOutput};
use crate::thinking::Effort;

fn rates(input: u64, output: u64) -> Rates {
    Rates { input, output, cache_read: input / 10, cache_write: input, cache_write_long: input, ..Rates::default() }
}

fn opening(roles: &[(&str, Option<Rates>)], cap: Option<Money>) -> Opening {
    let member = |(role, rates): &(&str, Option<Rates>)| {
        let model = AssignedModel {
            rates: rates.clone(),
            structured_output: StructuredOutput::Schema,
            ..AssignedModel::new("a/b".parse().unwrap(), 8_000)
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
        ("one model for all", usual_team(), [21, 53, 12_300]),
        (
            "a researcher that costs a twentieth",
            [&usual_team()[..1], &[cheap("researcher")], &usual_team()[2..]].concat(),
            [15, 34, 1_767],
        ),
        ("only a writer", usual_team()[2..3].to_vec(), [7, 14, 522]),
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
    assert_eq!(mills(forecast), [21, 53, 12_300]);
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

    /// The model of an assignment is asked, at this cost.
    fn ask(&mut self, by: AssignmentId, cost: Money) {
        self.ask_for(by, cost, 0);
    }

    /// The same, and the answer takes `ms` milliseconds, in which nothing else happens.
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
            stop: StopReason::End,
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
    // Two is still open and has taken more than was expected: that is gone, two more are to come.
    assert_eq!(mills(of(&story.run).unwrap()), [60, 60, 70]);
    story.report(two);
    assert_eq!(mills(of(&story.run).unwrap()), [60, 80, 130]);
    story.report(root);
    assert_eq!(mills(of(&story.run).unwrap()), [40, 40, 40], "it has ended");
}

#[test]
fn with_models_that_cost_nothing_it_is_said_after_the_first_answer_how_long_it_takes() {
    let free = |role| (role, Some(Rates::free()));
    let question = "Compare pgvector, Qdrant and Pinecone".into();
    let mut story = Story::new(Opening { question, ..opening(&[free("planner"), free("researcher")], None) });
    let root = AssignmentId::nth(0);
    let planner = story.open(Some(root), Role::PLANNER);
    assert_eq!(rest_ms(&story.run), None, "nothing is known");
    story.ask_for(planner, Money::default(), 10_000);
    // One more answer of the planner, and four of each of three researchers, ten seconds each.
    let minutes = |story: &Story| rest_ms(&story.run).map(|ms| ms.div_ceil(60_000));
    assert_eq!(minutes(&story), Some(3));
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
    /// For all rates and caps: low, likely and high are in order.
    #[test]
    fn the_three_are_in_order(input in 0u64..100_000_000, output in 0u64..500_000_000, cap in proptest::option::of(0u64..10_000_000_000_000), words in 1u32..5_000) {
        let team = ["planner", "researcher", "writer", "reviewer", "fact-checker"].map(|role| (role, Some(rates(input, output))));
        let mut opening = opening(&team, cap.map(Money));
        opening.words = words;
        let Forecast { low, likely, high } = before(&opening).unwrap();
        prop_assert!(low <= likely && likely <= high);
    }
}
