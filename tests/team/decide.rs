//! The actions to be done: `decide` over runs folded by hand.

use std::sync::Arc;

use kit::{Scene, Script, Story, hand_off, opening, plan, report, research, use_tools, waiting_for};
use run::budget::Refusal;
use run::checkpoint::question::{self, Question, Wants};
use run::checkpoint::{Answer, Approver, Subject, findings};
use run::command::Command;
use run::event::{Admission, Called, DoubtAnswer, Event};
use run::evidence::Hits;
use run::id::{AssignmentId, CheckpointId};
use run::plan::Task;
use run::stage::{Leading, Research};
use run::state::Asks;
use run::team::Kind;
use run::tool::CleanJson;
use run::tool::builtin::{BuiltIn, RunCommand, Search};
use run::transcript::{CallEnd, Did};
use run::{Amounts, At, CallId, Cap, Envelope, Limits, Outcome, Payload, Role, Seq, Team, ToolCall, ToolResult};
use specialist::{Sending, Step};
use supervisor::{Action, decide};

const MOST_DEPTH: usize = Team::MOST_DEPTH as usize;

fn begin(limits: Limits, play: fn(Scene<'_>) -> Step) -> Story {
    begin_with(team::embedded(), limits, play)
}

fn begin_with(team: Team, limits: Limits, play: fn(Scene<'_>) -> Step) -> Story {
    Story::begin(opening(team, limits), Script::new(play))
}

fn search(n: u32) -> ToolCall {
    kit::search(&format!("query {n}"))
}

/// The supervisor hands off twenty pieces of research; each researcher searches once and then waits.
fn twenty(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off((1..=20).map(research).collect()),
        (Role::RESEARCHER, 0) => use_tools(vec![search(1), search(2)]),
        _ => Step::Wait,
    }
}

#[test]
fn what_is_on_record_and_not_ended_ought_to_be_under_way_however_often_one_asks() {
    let mut story = begin(Limits::default(), twenty);
    story.settle();
    let performs = |actions: &[Action]| actions.iter().filter(|action| matches!(action, Action::Perform(..))).count();
    assert_eq!(performs(&story.decided()), story.run.under_way.len());
    assert_eq!(story.decided(), story.decided(), "deciding changes nothing");
    // A process that has just read the journal is told the same.
    assert_eq!(performs(&decide(&story.run.clone(), At(0), &Script::new(twenty))), story.run.under_way.len());
}

#[test]
fn no_more_assignments_work_at_once_than_the_team_allows_and_all_are_there_from_the_start() {
    let mut story = begin(Limits::default(), twenty);
    story.settle();
    let parallel = story.run.opening.as_ref().unwrap().team.parallel as usize;
    let working = story.run.assignments().filter(|a| !a.transcript.turns.is_empty()).count();
    assert_eq!(story.run.assignments().len(), 21);
    assert_eq!(working, parallel + 1, "and the supervisor");
}

#[test]
fn a_call_that_would_pass_a_cap_is_recorded_as_refused_and_never_goes_out() {
    let mut story = begin(Limits::of(Cap::ToolCalls, 0), twenty);
    story.settle();
    assert!(story.run.under_way.is_empty());
    let refusal = story.run.refusal().unwrap();
    assert_eq!(refusal, Refusal { cap: Cap::ToolCalls, of: None, most: Some(0) });
    assert_eq!(refusal.to_string(), "the run's tool-call cap of 0");
}

#[test]
fn a_paused_run_starts_nothing_and_a_cancelled_one_ends() {
    let mut story = begin(Limits::default(), twenty);
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
fn ever_deeper(scene: Scene<'_>) -> Step {
    match scene.transcript.turns.len() {
        0 => hand_off(vec![research(scene.task().unwrap_or(0) + 1)]),
        _ => Step::Wait,
    }
}

#[test]
fn delegation_ends_at_the_deepest_level_with_a_refusal_and_not_a_handoff() {
    let mut story = begin(Limits::default(), ever_deeper);
    for _ in 0..10 {
        story.step();
    }
    assert_eq!(story.run.assignments().len(), MOST_DEPTH + 1);
    let last = story.run.assignments().last().unwrap();
    let Did::Refused { why, .. } = &last.transcript.turns[0].did else { panic!("{:?}", last.transcript.turns) };
    assert!(why.contains("the most is 3"), "{why}");
}

/// Everyone hands the very same work on to a researcher.
fn round_and_round(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (_, 0) => hand_off(vec![research(1)]),
        _ => Step::Wait,
    }
}

#[test]
fn work_that_comes_round_in_a_circle_is_refused_as_often_as_the_team_file_says_and_its_payload_is_kept() {
    for (same_handoff, opened) in [(0, 2), (1, 2), (2, 3), (9, MOST_DEPTH + 1)] {
        let team = Team { same_handoff, ..team::embedded() };
        let mut story = begin_with(team, Limits::default(), round_and_round);
        story.settle();
        assert_eq!(story.run.assignments().len(), opened, "{same_handoff}");
        let last = story.run.assignments().last().unwrap();
        let Did::Refused { why, unsent } = &last.transcript.turns[0].did else { panic!("{:?}", last.transcript.turns) };
        let circle = why.contains("already in this chain");
        assert_eq!(circle, opened <= MOST_DEPTH, "the depth ends it otherwise: {why}");
        let unsent = unsent.as_ref().expect("what was not sent is on record");
        assert_eq!((unsent.role.as_str(), &unsent.payload), (Role::RESEARCHER, &research(1).payload));
    }
}

/// The supervisor hands the same work out again when it has come back.
fn again_after_its_report(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.last()) {
        (Role::SUPERVISOR, Some(turn)) if turn.pending() => Step::Wait,
        (Role::SUPERVISOR, _) if transcript.turns.len() < 3 => hand_off(vec![research(1)]),
        (Role::RESEARCHER, _) => report(Outcome::NothingFound, Payload::default()),
        _ => Step::Wait,
    }
}

#[test]
fn handing_the_same_out_again_after_it_has_come_back_is_no_circle() {
    let mut story = begin(Limits::default(), again_after_its_report);
    story.settle();
    assert_eq!(story.run.assignments().len(), 4);
}

fn wants_a_writer_without_findings(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0..3) => {
            let payload = Payload { question: Some("why?".into()), findings: Some(vec![]), ..Payload::default() };
            let writer = Sending::new(&Role::new(Role::WRITER), "write", payload);
            hand_off(vec![writer])
        }
        _ => Step::Wait,
    }
}

#[test]
fn a_handoff_that_lost_its_findings_is_refused_before_it_is_sent_and_not_for_ever() {
    let mut story = begin(Limits::default(), wants_a_writer_without_findings);
    story.settle();
    assert_eq!(story.run.assignments().len(), 1, "nobody was opened");
    let Some(Outcome::Failed(why)) = story.run.ended() else { panic!("{:?}", story.run.ended()) };
    assert!(why.contains("refused again and again"), "{why}");
    assert!(story.run.root().unwrap().transcript.turns.iter().all(|turn| matches!(turn.did, Did::Refused { .. })));
}

fn adopts_a_plan_nobody_can_work(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            let task = Task { role: Role::new("astrologer"), ..kit::task(1) };
            Step::Adopt(plan(vec![task]))
        }
        _ => Step::Wait,
    }
}

#[test]
fn a_plan_that_nobody_in_the_team_can_work_is_named_and_not_adopted() {
    let mut story = begin(Limits::default(), adopts_a_plan_nobody_can_work);
    story.settle();
    assert!(story.run.plan.is_none());
    let Did::Refused { why, .. } = &story.run.root().unwrap().transcript.turns[0].did else { panic!() };
    assert!(why.contains("no `astrologer` takes tasks"), "{why}");
}

/// A planner that cuts badly, and no better when it is told.
fn bad_planner(scene: Scene<'_>) -> Step {
    // Told its fault, it makes another mistake.
    let tasks = match scene.assigned.handoff.payload.flaws() {
        [] => vec![waiting_for(1, &[2]), waiting_for(2, &[3]), waiting_for(3, &[1])],
        _ => vec![kit::task(1), waiting_for(2, &[9])],
    };
    report(Outcome::Done, Payload { plan: Some(plan(tasks)), ..Payload::default() })
}

#[test]
fn a_planner_is_asked_once_more_with_what_is_wrong_and_then_the_plan_is_mended() {
    for (kind, asked, tasks) in [(Kind::Model, 2, 2), (Kind::Extractive, 1, 3)] {
        let mut team = team::embedded();
        team.members.get_mut(&Role::new(Role::PLANNER)).unwrap().kind = kind;
        let others = |_: Scene<'_>| report(Outcome::NothingFound, Payload::default());
        let script = Script::led(others).with(Role::PLANNER, bad_planner);
        let mut story = Story::begin(opening(team, Limits::default()), script);
        while story.run.plan.is_none() {
            assert!(story.step(), "it stands still");
        }
        let planners: Vec<_> = story.run.assignments().filter(|a| a.role.as_str() == Role::PLANNER).collect();
        assert_eq!(planners.len(), asked, "{kind:?}: a rule is not asked twice");
        if let Some(again) = planners.get(1) {
            let handoff = &again.transcript.handoff;
            assert!(
                handoff.payload.flaws()[0].to_string().contains("wait for each other"),
                "{:?}",
                handoff.payload.flaws()
            );
            assert_eq!(handoff.payload.plan.as_ref().unwrap().tasks.len(), 3, "it is shown what it made");
        }
        let plan = story.run.plan.as_ref().unwrap();
        assert_eq!(plan.tasks.len(), tasks, "{kind:?}");
        assert!(plan.why.contains("Mended by rule: "), "{}", plan.why);
        assert!(plan.tasks.iter().all(|task| task.estimate.is_some() && task.acceptance.is_some()));
    }
}

#[test]
fn an_event_that_does_not_fit_is_counted_and_changes_nothing() {
    let mut story = begin(Limits::default(), twenty);
    story.settle();
    let (handoffs, open) = (story.run.handoffs.len(), story.run.open().count());
    let stray = Event::StepRefused {
        by: run::AssignmentId::nth(99),
        stage: Leading::Research.into(),
        why: "?".into(),
        unsent: None,
    };
    story.run.apply(&Envelope { seq: Seq(story.run.seq.0 + 1), at: At(0), event: stray });
    assert_eq!((story.run.misfits, story.run.handoffs.len(), story.run.open().count()), (1, handoffs, open));
}

/// Research, the person, and more research; nobody reports but the researchers, who find nothing.
fn research_pause_research(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.last().map(|turn| &turn.did)) {
        (Role::SUPERVISOR, None) => hand_off(vec![research(1), research(2)]),
        (Role::SUPERVISOR, Some(Did::HandOffs(_))) if transcript.turns.len() == 1 => {
            match transcript.turns[0].pending() {
                true => Step::Wait,
                false => Step::Checkpoint(Subject::Findings(vec![])),
            }
        }
        (Role::SUPERVISOR, Some(Did::Checkpoint(pause))) if pause.answer.is_some() => {
            hand_off(vec![research(1), research(2)])
        }
        (Role::RESEARCHER, None) => use_tools(vec![search(1)]),
        (Role::RESEARCHER, Some(Did::Tools(_))) if !transcript.turns[0].pending() => {
            report(Outcome::NothingFound, Payload::default())
        }
        _ => Step::Wait,
    }
}

#[test]
fn work_after_a_cap_was_raised_has_parts_of_the_new_one_and_earlier_work_keeps_what_it_had() {
    let mut story = begin(Limits::of(Cap::ToolCalls, 100), research_pause_research);
    story.settle();
    let parts = |story: &Story| -> Vec<u64> {
        let allotted = |event: &Envelope| match &event.event {
            Event::Allotted { parts } => parts.clone(),
            _ => Vec::new(),
        };
        story.events.iter().flat_map(allotted).filter_map(|one| one.part.cap(Cap::ToolCalls)).collect()
    };
    assert_eq!(parts(&story), [45, 45], "ten percent are kept for landing");
    let higher = Limits::of(Cap::ToolCalls, 400);
    assert_eq!(story.run.raised(higher), Ok(higher), "a cap can be raised while work goes on, too");
    story.run.under_way.clone().into_keys().for_each(|call| story.call_comes_back(call));
    story.settle();
    let checkpoint = story.run.open_checkpoint().expect("the run waits for the person").id;
    let to = story.run.raised(Limits::of(Cap::ToolCalls, 400)).unwrap();
    story.record(Event::CapRaised { to });
    story.settle();
    assert_eq!(parts(&story), [45, 45], "no assignment that was there has more");
    let more = findings::Answer::More { task: None, wish: "more".into() };
    story.answer(checkpoint, Answer::Findings(more));
    story.settle();
    // 358 are left for work: one call of each is spent.
    assert_eq!(parts(&story)[2..], [179, 179]);
    // A journal that lowers a cap is damaged: that is counted, and changes nothing.
    let seq = story.run.seq.next();
    story.run.apply(&Envelope { seq, at: At(0), event: Event::CapRaised { to: Limits::of(Cap::ToolCalls, 30) } });
    assert_eq!((story.run.misfits, story.run.ledger.run().limits.cap(Cap::ToolCalls)), (1, Some(400)));
}

/// One researcher that searches four times at once.
fn four_searches(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off(vec![research(1)]),
        (Role::RESEARCHER, 0) => use_tools((1..=4).map(search).collect()),
        _ => Step::Wait,
    }
}

/// A researcher that makes the same search until that is refused.
fn the_same_search(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    let is_refused = transcript.turns.iter().any(|turn| matches!(turn.did, Did::Refused { .. }));
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off(vec![research(1)]),
        (Role::RESEARCHER, _) if is_refused => Step::Wait,
        (Role::RESEARCHER, _) => use_tools(vec![search(1)]),
        _ => Step::Wait,
    }
}

#[test]
fn a_call_that_failed_is_made_again_at_most_twice_and_one_that_came_back_never() {
    let made = |comes_back: bool| {
        let mut story = begin(Limits::default(), the_same_search);
        story.settle();
        let mut made = 0;
        while let Some(call) = story.run.under_way.keys().next().copied() {
            made += 1;
            match comes_back {
                true => {
                    let result = Arc::new(ToolResult::Hits(Hits::default()));
                    story.record(Event::ToolReturned { call, result, used: run::Amounts::default() });
                }
                false => story.call_comes_back(call),
            }
            story.settle();
        }
        made
    };
    assert_eq!((made(true), made(false)), (1, 3));
}

#[test]
fn a_call_waits_for_what_others_do_not_use_and_is_refused_only_when_nothing_can_come_back() {
    let most = Search::spec().reservation(&search(1)).tokens();
    // Room for two at the most they may take, and with the landing reserve on top.
    let limits = Limits::of(Cap::Tokens, (2 * most * 10).div_ceil(9) + 1);
    let mut story = begin(limits, four_searches);
    story.settle();
    assert_eq!((story.run.under_way.len(), story.run.queued.len()), (2, 2));
    let mut settle_first = |used: u64| {
        let call = *story.run.under_way.keys().next().unwrap();
        let used = run::Amounts::of(Cap::Tokens, used).with(Cap::ToolCalls, 1);
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
    let mut story =
        begin(Limits::default(), |Scene { role, transcript, .. }| match (role.as_str(), transcript.turns.len()) {
            (Role::SUPERVISOR, 0) => hand_off((1..=3).map(research).collect()),
            (Role::RESEARCHER, 0) => Step::Checkpoint(Subject::Question(Question {
                title: transcript.handoff.title.clone(),
                text: "which one?".into(),
                about: None,
                wants: Wants::Words,
            })),
            _ => Step::Wait,
        });
    story.settle();
    let asked: Vec<_> =
        story.run.checkpoints.iter().map(|checkpoint| (checkpoint.id.0, checkpoint.by.to_string())).collect();
    assert_eq!(asked, [1, 2, 3].map(|n| (n, format!("0.t{n}"))));
    for (n, checkpoint) in asked.iter().map(|(id, _)| CheckpointId(*id)).enumerate() {
        let answer = question::Answer::Words(format!("number {n}").as_str().into());
        story.answer(checkpoint, Answer::Question(answer));
    }
    assert!(story.run.open_checkpoint().is_none());
}

/// Hands the writer a finding of its own making, then a claim put otherwise, then the approved one.
fn alters_what_was_approved(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    let finding = kit::finding(AssignmentId::ROOT, None, "It holds water.");
    let write = |findings: Vec<run::Finding>| {
        let payload = Payload {
            question: Some("Does it?".into()),
            plan: Some(plan(vec![kit::task(1)])),
            findings: Some(findings),
            length: Some(100),
            ..Payload::default()
        };
        hand_off(vec![Sending::new(&Role::new(Role::WRITER), "a brief", payload)])
    };
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => write(vec![finding]),
        (Role::SUPERVISOR, 1) => Step::Checkpoint(Subject::Findings(vec![finding])),
        (Role::SUPERVISOR, 2) => write(vec![run::Finding { claim: "It always holds water.".into(), ..finding }]),
        (Role::SUPERVISOR, 3) => write(vec![finding]),
        _ => Step::Wait,
    }
}

#[test]
fn a_writer_is_handed_what_was_approved_to_the_byte_or_nothing() {
    let mut story = begin(Limits::default(), alters_what_was_approved);
    story.settle();
    let checkpoint = story.run.open_checkpoint().unwrap();
    let (id, approval) = (checkpoint.id, checkpoint.subject.approval());
    story.answer(id, approval);
    story.settle();
    let refused = |n: usize| match &story.run.root().unwrap().transcript.turns[n].did {
        Did::Refused { why, .. } => why.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(refused(0).contains("no findings have been approved"), "{}", refused(0));
    assert!(refused(2).contains("not those that were approved"), "{}", refused(2));
    let writers = story.of_role(Role::WRITER);
    let [writer] = writers[..] else { panic!("{writers:?}") };
    assert_eq!(writer.transcript.handoff.payload.findings()[0].claim, "It holds water.");
}

/// One gate that runs a program of the user's own over a draft.
fn a_program(Scene { role, transcript, .. }: Scene<'_>) -> Step {
    let run = || ToolCall::from(RunCommand { command: vec!["sh".into()], input: "draft".into() });
    match (role.as_str(), transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off(vec![research(1)]),
        (Role::RESEARCHER, 0) => use_tools(vec![run(), search(1)]),
        _ => Step::Wait,
    }
}

#[test]
fn a_program_that_was_started_when_the_process_died_is_asked_about_and_a_search_is_made_again() {
    let story = || {
        let mut team = team::embedded();
        team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().tools.push("run".into());
        let mut story = begin_with(team, Limits::default(), a_program);
        story.settle();
        story
    };
    let performed = |story: &Story| -> Vec<String> {
        let name = |action| if let Action::Perform(_, call) = action { Some(call.name.to_string()) } else { None };
        story.decided().into_iter().filter_map(name).collect()
    };
    let starts = |story: &Story| -> usize {
        story.events.iter().filter(|envelope| matches!(envelope.event, Event::ToolStarted { .. })).count()
    };
    let before = story();
    assert_eq!(
        (performed(&before), starts(&before)),
        (vec!["run".into(), "search".into()], 1),
        "on record before it starts"
    );

    for (answer, makes_again) in [(DoubtAnswer::Retry, true), (DoubtAnswer::Skip, false)] {
        let mut story = story();
        let call = *story.run.under_way.keys().next().unwrap();
        let reserved = story.run.under_way[&call].amounts;
        story.record(Event::Attached { version: "0.1.0".into(), worked_until: None });
        story.settle();
        assert_eq!(story.run.asks(), Some(Asks::Doubt(call)));
        assert_eq!(story.run.in_doubt[&call].amounts, reserved, "what it may take stays reserved");
        assert_eq!((performed(&story), starts(&story)), (vec!["search".into()], 1), "not repeated in silence");
        let fact = Command::Settle { call, answer }.fact(&story.run, Approver::Person).unwrap();
        story.record(fact);
        story.settle();
        assert_eq!(
            (performed(&story).contains(&"run".to_string()), starts(&story)),
            (makes_again, 1 + usize::from(makes_again))
        );
        let Did::Tools(calls) = &story.assignment(1).transcript.turns[0].did else { panic!() };
        assert_eq!(matches!(calls[0].end, CallEnd::Failed(_)), !makes_again);
    }
}

#[test]
fn a_call_of_a_tool_that_is_not_registered_is_refused_and_one_on_record_is_folded_and_shown() {
    let mut team = team::embedded();
    let weigh = || ToolCall { name: "weigh".into(), arguments: CleanJson::new(serde_json::json!({ "what": "it" })) };
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().tools.push("weigh".into());
    let mut story = begin_with(team, Limits::default(), |Scene { role, transcript, .. }| {
        let weigh = ToolCall { name: "weigh".into(), arguments: CleanJson::default() };
        match (role.as_str(), transcript.turns.len()) {
            (Role::SUPERVISOR, 0) => hand_off(vec![research(1)]),
            (Role::RESEARCHER, 0) => use_tools(vec![weigh]),
            _ => Step::Wait,
        }
    });
    story.settle();
    let Did::Refused { why, .. } = &story.assignment(1).transcript.turns[0].did else { panic!() };
    assert_eq!(why.as_str(), "`weigh` is not registered in this run");
    let (by, call) = (story.id(1), CallId::new(story.id(1), 1));
    let called = Called { call, request: Arc::new(weigh()), admission: Admission::Reserved(Amounts::default()) };
    let (stage, why) = (Research::Search.into(), "of a run of before".into());
    story.record(Event::ToolsCalled { by, stage, why, calls: vec![called] });
    assert_eq!(story.run.shown(&weigh()), "weigh it");
}
