//! What ought to be under way: `decide` over runs folded by hand.

use std::sync::Arc;

use run::budget::Refusal;
use run::checkpoint::{Answer, Approver};
use run::event::{Envelope, Event, Opening};
use run::evidence::Corpus;
use run::handoff::Parts;
use run::id::CheckpointId;
use run::inquiry::{self, Question};
use run::plan::{Plan, Shape, Task};
use run::team::{Kind, Worker};
use run::transcript::Did;
use run::{At, Cap, Limits, Outcome, Part, Role, Run, RunId, Seq, TaskId, Team, ToolRequest, Transcript};
use specialist::{Assigned, Sending, Specialist, Step};
use supervisor::{Action, Pipeline, Roster, decide};

const MOST_DEPTH: usize = Team::MOST_DEPTH as usize;

/// Every role does what its function says.
struct Script(fn(&Role, &Transcript) -> Step);

struct Player<'a>(&'a Script, Role);

impl Specialist for Player<'_> {
    fn next(&self, _: Assigned<'_>, transcript: &Transcript) -> Step {
        self.0.0(&self.1, transcript)
    }
}

impl Roster for Script {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        team.members.contains_key(role).then(|| Box::new(Player(self, role.clone())) as Box<dyn Specialist>)
    }
}

/// A run with what is decided about it recorded, step by step, without performing anything.
struct Story {
    run: Run,
    script: Script,
}

impl Story {
    fn begin(limits: Limits, script: fn(&Role, &Transcript) -> Step) -> Story {
        Story::begin_with(team::embedded(), limits, script)
    }

    fn begin_with(team: Team, limits: Limits, script: fn(&Role, &Transcript) -> Step) -> Story {
        let opening = Opening {
            run: "abcd".parse::<RunId>().unwrap(),
            question: "why?".into(),
            sources: vec![],
            web: vec![],
            team,
            words: 500,
            limits,
            version: "0".into(),
            answers_from: None,
            drill: None,
        };
        let mut story = Story { run: Run::default(), script: Script(script) };
        story.record(Event::RunOpened(Arc::new(opening)));
        story.record(Event::SourcesRead { corpus: Arc::new(Corpus { documents: 1, blocks: 1, ..Corpus::default() }) });
        story
    }

    fn record(&mut self, event: Event) {
        let seq = self.run.seq.next();
        self.run.apply(&Envelope { seq, at: At(seq.0 as i64), event });
        assert_eq!(self.run.misfits, 0);
    }

    fn decided(&self) -> Vec<Action> {
        decide(&self.run, At(self.run.seq.0 as i64), &self.script)
    }

    /// Records what is decided until nothing more is.
    fn settle(&mut self) -> &mut Self {
        for _ in 0..100 {
            let facts: Vec<Event> = self
                .decided()
                .into_iter()
                .filter_map(|action| if let Action::Record(event) = action { Some(event) } else { None })
                .collect();
            if facts.is_empty() {
                return self;
            }
            facts.into_iter().for_each(|fact| self.record(fact));
        }
        panic!("it never settles");
    }
}

fn search(n: u32) -> ToolRequest {
    ToolRequest::Search { query: format!("query {n}").as_str().into(), limit: 5 }
}

fn use_tools(requests: Vec<ToolRequest>) -> Step {
    Step::Use { why: "to look".into(), requests }
}

fn researcher(n: u32) -> Sending {
    let task = Task::new(TaskId(n), format!("task {n}").as_str().into(), "?".into());
    let parts = vec![Part::Question { text: "why?".into() }, Part::Task { task, shape: Shape::Overview }];
    Sending::new(&Role::new(Role::RESEARCHER), "research", parts).of_task(TaskId(n))
}

/// The supervisor hands off twenty pieces of research; each researcher searches once and then waits.
fn twenty(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            Step::HandOff { why: "in parallel".into(), handoffs: (1..=20).map(researcher).collect() }
        }
        (Role::RESEARCHER, 0) => use_tools(vec![search(1), search(2)]),
        _ => Step::Wait,
    }
}

#[test]
fn what_is_on_record_and_not_ended_ought_to_be_under_way_however_often_one_asks() {
    let mut story = Story::begin(Limits::default(), twenty);
    story.settle();
    let performs = |actions: &[Action]| actions.iter().filter(|action| matches!(action, Action::Perform(..))).count();
    assert_eq!(performs(&story.decided()), story.run.under_way.len());
    assert_eq!(story.decided(), story.decided(), "deciding changes nothing");
    // A process that has just read the journal is told the same.
    assert_eq!(performs(&decide(&story.run.clone(), At(0), &story.script)), story.run.under_way.len());
}

#[test]
fn no_more_assignments_work_at_once_than_the_team_allows_and_all_are_there_from_the_start() {
    let mut story = Story::begin(Limits::default(), twenty);
    story.settle();
    let parallel = story.run.opening.as_ref().unwrap().team.parallel as usize;
    let working = story.run.assignments.iter().filter(|a| !a.transcript.turns.is_empty()).count();
    assert_eq!(story.run.assignments.len(), 21);
    assert_eq!(working, parallel + 1, "and the supervisor");
}

#[test]
fn a_call_that_would_pass_a_cap_is_recorded_as_refused_and_never_goes_out() {
    let limits = Limits { tool_calls: Some(20), ..Limits::default() };
    let mut story = Story::begin(limits, twenty);
    story.settle();
    // Ten percent are kept for landing, and what is left is shared evenly: nothing for each of twenty.
    assert!(story.run.under_way.is_empty());
    let refusal = story.run.refusal().unwrap();
    assert!(matches!(refusal, Refusal { cap: Cap::ToolCalls, of: Some(_) }), "{refusal:?}");
}

#[test]
fn a_paused_run_starts_nothing_and_a_cancelled_one_ends() {
    let mut story = Story::begin(Limits::default(), twenty);
    story.settle();
    story.record(Event::Paused);
    assert_eq!(story.decided(), vec![]);
    story.record(Event::Cancelled);
    story.settle();
    assert_eq!(story.run.ended(), Some(&Outcome::Cancelled));
    assert!(story.run.under_way.is_empty() && story.run.open().count() == 0);
    assert_eq!(story.decided(), vec![]);
}

/// Everyone hands off to a researcher, who hands off to a researcher, ...; each cuts another task from its own.
fn ever_deeper(_: &Role, transcript: &Transcript) -> Step {
    let task = transcript.handoff.task().map_or(0, |(task, _)| task.id.0);
    match transcript.turns.len() {
        0 => Step::HandOff { why: "deeper".into(), handoffs: vec![researcher(task + 1)] },
        _ => Step::Wait,
    }
}

#[test]
fn delegation_ends_at_the_deepest_level_with_a_refusal_and_not_a_handoff() {
    let mut story = Story::begin(Limits::default(), ever_deeper);
    for _ in 0..10 {
        let facts =
            story.decided().into_iter().filter_map(|a| if let Action::Record(event) = a { Some(event) } else { None });
        facts.collect::<Vec<_>>().into_iter().for_each(|fact| story.record(fact));
    }
    assert_eq!(story.run.assignments.len(), MOST_DEPTH + 1);
    let last = story.run.assignments.last().unwrap();
    let Did::Refused { why, .. } = &last.transcript.turns[0].did else { panic!("{:?}", last.transcript.turns) };
    assert!(why.contains("the most is 3"), "{why}");
}

/// Everyone hands the very same work on to a researcher.
fn round_and_round(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (_, 0) => Step::HandOff { why: "somebody else can do it".into(), handoffs: vec![researcher(1)] },
        _ => Step::Wait,
    }
}

#[test]
fn work_that_comes_round_in_a_circle_is_refused_as_often_as_the_team_file_says_and_its_payload_is_kept() {
    for (same_handoff, opened) in [(0, 2), (1, 2), (2, 3), (9, MOST_DEPTH + 1)] {
        let team = Team { same_handoff, ..team::embedded() };
        let mut story = Story::begin_with(team, Limits::default(), round_and_round);
        story.settle();
        assert_eq!(story.run.assignments.len(), opened, "{same_handoff}");
        let last = story.run.assignments.last().unwrap();
        let Did::Refused { why, unsent } = &last.transcript.turns[0].did else { panic!("{:?}", last.transcript.turns) };
        let circle = why.contains("round in a circle");
        assert_eq!(circle, opened <= MOST_DEPTH, "the depth ends it otherwise: {why}");
        let unsent = unsent.as_ref().expect("what was not sent is on record");
        assert_eq!((unsent.role.as_str(), &unsent.parts), (Role::RESEARCHER, &researcher(1).parts));
    }
}

/// The supervisor hands the same work out again when it has come back.
fn again_after_its_report(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.last()) {
        (Role::SUPERVISOR, Some(turn)) if turn.pending() => Step::Wait,
        (Role::SUPERVISOR, _) if transcript.turns.len() < 3 => {
            Step::HandOff { why: "once more".into(), handoffs: vec![researcher(1)] }
        }
        (Role::RESEARCHER, _) => {
            Step::Report { outcome: Outcome::NothingFound, title: "nothing".into(), parts: vec![] }
        }
        _ => Step::Wait,
    }
}

#[test]
fn handing_the_same_out_again_after_it_has_come_back_is_no_circle() {
    let mut story = Story::begin(Limits::default(), again_after_its_report);
    story.settle();
    assert_eq!(story.run.assignments.len(), 4);
}

fn wants_a_writer_without_findings(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0..3) => {
            let parts = vec![Part::Question { text: "why?".into() }, Part::Findings { findings: vec![] }];
            let writer = Sending::new(&Role::new(Role::WRITER), "write", parts);
            Step::HandOff { why: "lost something".into(), handoffs: vec![writer] }
        }
        _ => Step::Wait,
    }
}

#[test]
fn a_handoff_that_lost_its_findings_is_refused_before_it_is_sent_and_not_for_ever() {
    let mut story = Story::begin(Limits::default(), wants_a_writer_without_findings);
    story.settle();
    assert_eq!(story.run.assignments.len(), 1, "nobody was opened");
    let Some(Outcome::Failed(why)) = story.run.ended() else { panic!("{:?}", story.run.ended()) };
    assert!(why.contains("refused again and again"), "{why}");
    assert!(story.run.root().unwrap().transcript.turns.iter().all(|turn| matches!(turn.did, Did::Refused { .. })));
}

fn adopts_a_plan_nobody_can_work(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            let Some(Part::Task { task, .. }) = researcher(1).parts.pop() else { unreachable!() };
            let task = Task { role: Role::new("astrologer"), ..task };
            Step::Adopt(Plan { shape: Shape::Overview, tasks: vec![task], why: "stars".into() })
        }
        _ => Step::Wait,
    }
}

#[test]
fn a_plan_that_nobody_in_the_team_can_work_is_named_and_not_adopted() {
    let mut story = Story::begin(Limits::default(), adopts_a_plan_nobody_can_work);
    story.settle();
    assert!(story.run.plan.is_none());
    let Did::Refused { why, .. } = &story.run.root().unwrap().transcript.turns[0].did else { panic!() };
    assert!(why.contains("no `astrologer` takes tasks"), "{why}");
}

/// The pipeline leads; its planner cuts badly, and no better when it is told.
struct BadPlanner;

impl Specialist for BadPlanner {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        let task = |n: u32, after: &[u32]| Task {
            after: after.iter().map(|id| TaskId(*id)).collect(),
            ..Task::new(TaskId(n), format!("part {n}").as_str().into(), format!("what of part {n}?").as_str().into())
        };
        // Told what is wrong, it makes another mistake.
        let tasks = match assigned.handoff.flaws() {
            [] => vec![task(1, &[2]), task(2, &[3]), task(3, &[1])],
            _ => vec![task(1, &[]), task(2, &[9])],
        };
        let plan = Plan { shape: Shape::Overview, tasks, why: "So.".into() };
        Step::Report { outcome: Outcome::Done, title: "a plan".into(), parts: vec![Part::Plan { plan }] }
    }
}

struct WithBadPlanner;

impl Roster for WithBadPlanner {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match role.as_str() {
            Role::SUPERVISOR => Some(Box::new(Pipeline::new(team))),
            Role::PLANNER => Some(Box::new(BadPlanner)),
            _ => None,
        }
    }
}

#[test]
fn a_planner_is_asked_once_more_with_what_is_wrong_and_then_the_plan_is_mended() {
    for (kind, asked, tasks) in [(Kind::Model, 2, 2), (Kind::Extractive, 1, 3)] {
        let mut story = Story::begin(Limits::default(), twenty);
        let mut opening = (**story.run.opening.as_ref().unwrap()).clone();
        opening.team.members.get_mut(&Role::new(Role::PLANNER)).unwrap().kind = kind;
        story.run.opening = Some(Arc::new(opening));
        while story.run.plan.is_none() {
            let actions = decide(&story.run, At(0), &WithBadPlanner);
            for action in actions {
                if let Action::Record(event) = action {
                    story.record(event);
                }
            }
        }
        let planners: Vec<_> = story.run.assignments.iter().filter(|a| a.role.as_str() == Role::PLANNER).collect();
        assert_eq!(planners.len(), asked, "{kind:?}: a rule is not asked twice");
        if let Some(again) = planners.get(1) {
            let handoff = &again.transcript.handoff;
            assert!(handoff.flaws()[0].to_string().contains("wait for each other"), "{:?}", handoff.flaws());
            assert_eq!(handoff.plan().unwrap().tasks.len(), 3, "it is shown what it made");
        }
        let plan = story.run.plan.as_ref().unwrap();
        assert_eq!(plan.tasks.len(), tasks, "{kind:?}");
        assert!(plan.why.contains("Mended by rule: "), "{}", plan.why);
        assert!(plan.tasks.iter().all(|task| task.estimate.is_some() && task.acceptance.is_some()));
    }
}

#[test]
fn an_event_that_does_not_fit_is_counted_and_changes_nothing() {
    let mut story = Story::begin(Limits::default(), twenty);
    story.settle();
    let (handoffs, open) = (story.run.handoffs.len(), story.run.open().count());
    let stray = Event::StepRefused { by: run::AssignmentId(99), why: "?".into(), unsent: None };
    story.run.apply(&Envelope { seq: Seq(story.run.seq.0 + 1), at: At(0), event: stray });
    assert_eq!((story.run.misfits, story.run.handoffs.len(), story.run.open().count()), (1, handoffs, open));
}

/// Research, the person, and more research; nobody reports but the researchers, who find nothing.
fn research_pause_research(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.last().map(|turn| &turn.did)) {
        (Role::SUPERVISOR, None) => Step::HandOff { why: "first".into(), handoffs: vec![researcher(1), researcher(2)] },
        (Role::SUPERVISOR, Some(Did::HandOffs(_))) if transcript.turns.len() == 1 => {
            match transcript.turns[0].pending() {
                true => Step::Wait,
                false => Step::Pause { findings: vec![] },
            }
        }
        (Role::SUPERVISOR, Some(Did::Paused(pause))) if pause.answer.is_some() => {
            Step::HandOff { why: "more".into(), handoffs: vec![researcher(1), researcher(2)] }
        }
        (Role::RESEARCHER, None) => use_tools(vec![search(1)]),
        (Role::RESEARCHER, Some(Did::Tools(_))) if !transcript.turns[0].pending() => {
            Step::Report { outcome: Outcome::NothingFound, title: "nothing".into(), parts: vec![] }
        }
        _ => Step::Wait,
    }
}

#[test]
fn who_is_handed_work_after_a_cap_was_raised_shares_the_new_one_and_who_was_before_keeps_what_it_has() {
    let mut story = Story::begin(Limits { tool_calls: Some(20), ..Limits::default() }, research_pause_research);
    story.settle();
    let shares = |story: &Story| -> Vec<Option<u64>> {
        story.run.assignments.iter().map(|a| story.run.ledger.assignment(a.id).limits.tool_calls).collect()
    };
    let at_work = shares(&story);
    assert_eq!(at_work[1..], [Some(9), Some(9)], "ten percent are kept for landing");
    assert!(story.run.raised(Limits::of(Cap::ToolCalls, 40)).unwrap_err().to_string().contains("researching"));
    for call in story.run.under_way.keys().copied().collect::<Vec<_>>() {
        let used = run::Amounts { tool_calls: 1, ..Default::default() };
        story.record(Event::ToolFailed { call, error: "no".into(), used });
    }
    story.settle();
    let checkpoint = story.run.open_checkpoint().expect("the run waits for the person").id;
    let to = story.run.raised(Limits::of(Cap::ToolCalls, 40)).unwrap();
    story.record(Event::CapRaised { to });
    story.settle();
    assert_eq!(shares(&story), at_work, "nobody who was there has more");
    story.record(Event::CheckpointClosed { checkpoint, answer: Answer::More { task: None, wish: "more".into() } });
    story.settle();
    // 36 of 40 for work, 2 are spent.
    assert_eq!(shares(&story)[3..], [Some(17), Some(17)]);
    // A journal that lowers a cap is damaged: that is counted, and changes nothing.
    let seq = story.run.seq.next();
    story.run.apply(&Envelope { seq, at: At(0), event: Event::CapRaised { to: Limits::of(Cap::ToolCalls, 30) } });
    assert_eq!((story.run.misfits, story.run.ledger.run().limits.tool_calls), (1, Some(40)));
}

/// One researcher that searches four times at once.
fn four_searches(role: &Role, transcript: &Transcript) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => Step::HandOff { why: "one".into(), handoffs: vec![researcher(1)] },
        (Role::RESEARCHER, 0) => use_tools((1..=4).map(search).collect()),
        _ => Step::Wait,
    }
}

#[test]
fn a_call_waits_for_what_others_do_not_use_and_is_refused_only_when_nothing_can_come_back() {
    let most = search(1).reservation().tokens;
    // Room for two at the most they may take, and with the landing reserve on top.
    let limits = Limits { tokens: Some((2 * most * 10).div_ceil(9) + 1), ..Limits::default() };
    let mut story = Story::begin(limits, four_searches);
    story.settle();
    assert_eq!((story.run.under_way.len(), story.run.queued.len()), (2, 2));
    let mut settle_first = |used: u64| {
        let call = *story.run.under_way.keys().next().unwrap();
        let used = run::Amounts { tokens: used, tool_calls: 1, ..Default::default() };
        story.record(Event::ToolFailed { call, error: "no".into(), used });
        story.settle();
        (story.run.under_way.len(), story.run.queued.len(), story.run.refusal().is_some())
    };
    assert_eq!(settle_first(0), (2, 1, false), "what was not used lets the third go out");
    assert_eq!(settle_first(most), (1, 1, false), "the fourth waits for the last one");
    assert_eq!(settle_first(most), (0, 0, true), "and then nothing can come back any more");
}

#[test]
fn two_who_ask_the_person_in_the_same_moment_ask_at_checkpoints_of_their_own() {
    let mut story = Story::begin(Limits::default(), |role, transcript| match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            Step::HandOff { why: "in parallel".into(), handoffs: (1..=3).map(researcher).collect() }
        }
        (Role::RESEARCHER, 0) => Step::Inquire(Question {
            title: transcript.handoff.title.clone(),
            text: "which one?".into(),
            choices: vec![],
            about: None,
        }),
        _ => Step::Wait,
    });
    story.settle();
    let asked: Vec<_> = story.run.inquiries.iter().map(|inquiry| (inquiry.id.0, inquiry.assignment.0)).collect();
    assert_eq!(asked, [(1, 1), (2, 2), (3, 3)]);
    for (n, checkpoint) in asked.iter().map(|(id, _)| CheckpointId(*id)).enumerate() {
        let answer = inquiry::Answer::Words(format!("number {n}").as_str().into());
        story.record(Event::PersonAnswered { checkpoint, by: Approver::Person, answer });
    }
    assert!(story.run.open_inquiry().is_none());
}
