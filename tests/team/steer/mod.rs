//! Single assignments under the person's hand: the decisions of `decide` on that, over runs folded by hand. The others go on.

mod desk;
mod overtime;

use std::sync::Arc;

use kit::{Scene, Script, Story, ask, assigned_model, hand_off, opening, report, research, use_tools};
use run::event::Event;
use run::model::{Reply, StopReason, Untouched, Usage};
use run::price::Rates;
use run::state::Ending;
use run::steer::Heard;
use run::team::{AssignedModel, Kind, Member};
use run::transcript::{Did, ExchangeEnd};
use run::{Amounts, Cap, Limits, Outcome, Payload, Priority, Role, Steer, Subject, TaskId, Team};
use specialist::{Sending, Step};

type Play = fn(Scene<'_>) -> Step;

/// A run after everything that needs no tool and no model.
fn begin(team: Team, limits: Limits, play: Play) -> Story {
    let mut story = Story::begin(opening(team, limits), Script::new(play));
    story.settle();
    story
}

fn turns(story: &Story, id: u32) -> usize {
    story.assignment(id).transcript.turns.len()
}

/// The assignments that the supervisor waits for, or has had reports of, in the order in which it handed work out.
fn slots(story: &Story) -> Vec<(u32, Option<&Outcome>)> {
    let sent = story.run.root().unwrap().transcript.sent();
    sent.map(|sent| (story.place(sent.to), sent.report.as_ref().map(|(outcome, _)| outcome))).collect()
}

/// The `n`th search of an assignment.
fn search(scene: Scene<'_>, n: usize) -> Step {
    use_tools(vec![kit::search(&format!("{} {n}", scene.assigned.handoff.title))])
}

fn nothing() -> Step {
    report(Outcome::NothingFound, Payload::default())
}

/// Three tasks, each of which searches three times; when all are back the run ends.
fn three(scene: Scene<'_>) -> Step {
    let turns = &scene.transcript.turns;
    match (scene.role.as_str(), turns.len()) {
        (Role::SUPERVISOR, 0) => hand_off((1..=3).map(research).collect()),
        (Role::SUPERVISOR, _) if turns[0].pending() => Step::Wait,
        (Role::SUPERVISOR, _) => nothing(),
        (_, n @ 0..3) if scene.assigned.turns_left > 1 => search(scene, n),
        _ => nothing(),
    }
}

fn team(parallel: u32) -> Team {
    Team { parallel, ..team::embedded() }
}

#[test]
fn a_raised_one_goes_first_from_the_next_turn_on_and_what_was_under_way_is_not_lost() {
    let mut story = begin(team(1), Limits::default(), three);
    assert_eq!(story.at_work(), [1]);
    story.steer(3, Steer::Prioritise(Priority::High));
    assert_eq!(story.at_work(), [1], "what is under way comes back first");
    story.comes_back(1);
    assert_eq!((story.at_work(), turns(&story, 1)), (vec![3], 1));
    for _ in 0..3 {
        story.comes_back(3);
    }
    assert_eq!(story.outcome(3), Some(&Outcome::NothingFound));
    assert_eq!((story.at_work(), turns(&story, 1)), (vec![1], 2), "who had begun goes on before who had not");
    story.steer(1, Steer::Prioritise(Priority::Low));
    story.comes_back(1);
    assert_eq!(story.at_work(), [2]);
    let told = story.refused(1, Steer::Prioritise(Priority::Low));
    assert_eq!(told, "researcher · task 1 has low priority already");
}

#[test]
fn a_held_one_takes_no_step_and_no_place_and_its_siblings_go_on() {
    let mut story = begin(team(2), Limits::default(), three);
    assert_eq!(story.at_work(), [1, 2]);
    story.steer(1, Steer::Pause);
    assert_eq!(story.at_work(), [1, 2], "what is under way comes back");
    story.comes_back(1);
    assert_eq!((story.at_work(), turns(&story, 1)), (vec![2, 3], 1));
    assert!(!story.run.is_all_paused());
    for sibling in [2, 2, 2, 3, 3, 3] {
        story.comes_back(sibling);
    }
    assert_eq!(slots(&story), [(1, None), (2, Some(&Outcome::NothingFound)), (3, Some(&Outcome::NothingFound))]);
    assert!(story.run.is_all_paused() && !story.run.is_working(), "nobody works while all that is left is paused");
    assert_eq!(story.refused(1, Steer::Pause), "researcher · task 1 is paused already");
    story.steer(1, Steer::Continue);
    assert_eq!(story.at_work(), [1]);
}

#[test]
fn a_cancelled_one_ends_with_its_calls_given_up_and_its_siblings_go_on() {
    let mut story = begin(team(8), Limits::default(), three);
    story.steer(2, Steer::Cancel);
    assert_eq!(story.at_work(), [1, 3]);
    assert_eq!(slots(&story), [(1, None), (2, Some(&Outcome::Cancelled)), (3, None)]);
    assert_eq!(story.run.ledger.assignment(story.id(2)).spent.get(Cap::ToolCalls), 1, "what it took stays booked");
    assert!(story.run.to_end.is_empty());
    for act in [Steer::Pause, Steer::Cancel, Steer::Prioritise(Priority::High)] {
        let told = story.refused(2, act);
        assert!(told.starts_with("researcher · task 2 has ended (cancelled); try it again (a)"), "{told}");
    }
    story.comes_back(1);
    assert_eq!(turns(&story, 1), 2);
}

#[test]
fn a_cancelled_one_ends_though_the_whole_run_is_paused() {
    let mut story = begin(team(8), Limits::default(), three);
    story.record(Event::Paused);
    story.steer(1, Steer::Cancel);
    story.steer(2, Steer::Retry);
    assert_eq!((story.outcome(1), story.outcome(2)), (Some(&Outcome::Cancelled), Some(&Outcome::Cancelled)));
    assert_eq!(turns(&story, 4), 0, "who takes its place begins when the run goes on");
    story.record(Event::Continued);
    story.settle();
    assert_eq!(turns(&story, 4), 1);
}

#[test]
fn another_try_stands_where_the_first_stood_and_whoever_handed_it_out_waits_for_it() {
    let limits = Limits::of(Cap::ToolCalls, 200);
    let mut story = begin(team(8), limits, three);
    story.comes_back(2);
    story.steer(2, Steer::Retry);
    assert_eq!(slots(&story), [(1, None), (4, None), (3, None)]);
    assert_eq!(story.outcome(2), Some(&Outcome::Cancelled));
    assert_eq!(story.at_work(), [1, 3, 4]);
    let fresh = story.assignment(4);
    let old = story.assignment(2);
    assert_eq!(fresh.transcript.handoff.payload, old.transcript.handoff.payload, "it is handed the same");
    assert_eq!((fresh.task, fresh.parent()), (old.task, old.parent()));
    let role = Role::new(Role::RESEARCHER);
    assert_eq!(old.ending, Some(Ending::Replaced { by: role, with: Some(fresh.id) }));
    // 180 for work are 60 for each; two of them are gone, and no other has less.
    let part = |id| story.run.ledger.assignment(story.id(id)).allotted.and_then(|part| part.cap(Cap::ToolCalls));
    assert_eq!([1, 4, 3].map(part), [Some(60), Some(58), Some(60)]);
    assert_eq!(story.refused(2, Steer::Retry), "researcher · task 2 was given up for another try: steer that one");
    for id in [1, 1, 1, 3, 3, 3, 4, 4] {
        story.comes_back(id);
    }
    assert!(story.run.ended().is_none(), "the run waits for the other try");
    story.comes_back(4);
    assert_eq!(story.run.ended(), Some(&Outcome::NothingFound));
    assert_eq!(story.refused(1, Steer::Retry), "the run is over for all of its specialists");
}

#[test]
fn what_has_failed_can_be_tried_again_until_its_report_has_been_used() {
    fn second_fails(scene: Scene<'_>) -> Step {
        match (scene.role.as_str(), scene.transcript.turns.len()) {
            (Role::SUPERVISOR, 1) if !scene.transcript.turns[0].pending() => {
                Step::Checkpoint(Subject::Findings(vec![]))
            }
            (Role::SUPERVISOR, 2) => Step::Wait,
            (Role::RESEARCHER, _) if scene.assigned.id.to_string() == "0.t2" => panic!("out of its mind"),
            _ => three(scene),
        }
    }
    let mut story = begin(team(8), Limits::default(), second_fails);
    assert!(matches!(story.outcome(2), Some(Outcome::Failed(_))));
    story.steer(2, Steer::Retry);
    assert_eq!(slots(&story), [(1, None), (4, None), (3, None)]);
    assert!(matches!(story.outcome(2), Some(Outcome::Failed(_))), "how it ended stays as it was");
    for id in [1, 3, 4, 1, 3, 4, 1, 3, 4] {
        story.comes_back(id);
    }
    assert!(story.run.open_checkpoint().is_some());
    let told = story.refused(4, Steer::Retry);
    assert_eq!(
        told,
        "what researcher · task 2 brought has been used already; ask for more at the findings checkpoint (m)"
    );
    let told = story.refused(4, Steer::Tell { text: "and costs?".into() });
    assert!(told.contains("it reads no more messages; ask for more at the findings checkpoint (m)"), "{told}");
}

#[test]
fn work_that_has_used_up_its_caps_is_not_tried_again_for_nothing() {
    let mut team = team(8);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("there is one").limits = Limits::of(Cap::ToolCalls, 1);
    let mut story = begin(team, Limits::default(), three);
    assert_eq!(story.at_work(), [1, 2, 3]);
    story.comes_back(2);
    let told = story.refused(2, Steer::Retry);
    assert_eq!(told, "researcher · task 2 has used up its tool-call cap: another try could do nothing");
}

/// The team with another who takes tasks.
fn with_checker(parallel: u32) -> Team {
    let mut team = team(parallel);
    let checker = Member {
        kind: Kind::Model,
        model: Some(AssignedModel {
            prompt: "You look things up.".into(),
            rates: Some(Rates::default()),
            ..assigned_model("far/small")
        }),
        tools: vec!["search".into()],
        priority: Some(Priority::Low),
        ..Member::default()
    };
    team.members.insert(Role::new("checker"), checker);
    team
}

#[test]
fn work_is_given_to_another_who_takes_tasks_and_to_nobody_else() {
    let checker = Role::new("checker");
    let mut story = begin(with_checker(8), Limits::default(), three);
    assert_eq!(story.run.could_do(story.id(1)), std::slice::from_ref(&checker));
    let told = story.refused(1, Steer::Reassign { role: Role::new(Role::WRITER) });
    assert_eq!(told, "`writer` cannot do the work of researcher · task 1");
    story.steer(1, Steer::Reassign { role: checker.clone() });
    let fresh = story.assignment(4);
    assert_eq!((&fresh.role, fresh.task), (&checker, Some(TaskId(1))));
    assert_eq!(fresh.transcript.handoff.payload.task().unwrap().role, checker, "the task says who works on it");
    assert_eq!(slots(&story)[0], (4, None));
    assert_eq!(story.run.could_do(story.id(4)), [Role::new(Role::RESEARCHER)], "and back again");
    let mut alone = begin(team(8), Limits::default(), three);
    alone.settle();
    assert!(alone.run.could_do(alone.id(1)).is_empty());
}

#[test]
fn a_message_is_queued_then_read_then_answered_and_to_who_has_ended_it_is_refused() {
    let mut story = begin(team(1), Limits::default(), three);
    let heard = |story: &Story, id: u32| story.run.heard(story.assignment(id));
    story.steer(1, Steer::Tell { text: "look at costs".into() });
    story.steer(1, Steer::Tell { text: "and at speed".into() });
    assert_eq!(heard(&story, 1), [Heard::Queued; 2]);
    story.comes_back(1);
    assert_eq!(heard(&story, 1), [Heard::Read; 2]);
    story.comes_back(1);
    assert_eq!(heard(&story, 1), [Heard::Answered; 2]);
    story.steer(1, Steer::Tell { text: "and at age".into() });
    story.comes_back(1);
    assert_eq!(heard(&story, 1)[2], Heard::Missed, "it had only to report");
    assert_eq!(story.refused(2, Steer::Tell { text: " ".into() }), "write a message first");
    let told = story.refused(1, Steer::Tell { text: "and?".into() });
    assert!(told.contains("it reads no more messages; try it again (a), or ask for more"), "{told}");
    let told = story.refused(0, Steer::Tell { text: "and?".into() });
    assert!(told.contains("leads the run"), "{told}");
    assert_eq!(story.refused(9, Steer::Pause), "there is no assignment 0.9");
}

/// One task; its worker asks its model.
fn asks_a_model(scene: Scene<'_>) -> Step {
    match (scene.role.as_str(), scene.transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            let handoffs = vec![Sending { role: Role::new("checker"), ..research(1) }, research(2)];
            hand_off(handoffs)
        }
        ("checker", 0) => ask("far/small"),
        _ => Step::Wait,
    }
}

#[test]
fn what_a_model_call_that_was_sent_may_have_cost_stays_in_doubt_when_its_assignment_is_cancelled() {
    for sent in [true, false] {
        let mut story = begin(with_checker(8), Limits::default(), asks_a_model);
        let call = *story.run.under_way.keys().next().unwrap();
        let reserved = story.run.ledger.assignment(call.assignment).reserved;
        assert!(reserved.tokens() > 100);
        if sent {
            story.record(Event::AttemptSent { call, attempt: 1 });
        }
        story.steer(story.place(call.assignment), Steer::Cancel);
        let account = story.run.ledger.assignment(call.assignment);
        let doubt = if sent { reserved } else { Amounts::default() };
        assert_eq!(
            (account.reserved, account.spent, account.in_doubt),
            (Amounts::default(), Amounts::default(), doubt)
        );
        assert!(story.run.under_way.is_empty() && story.run.faulted.is_empty());
        assert!(story.run.asks().is_none(), "nobody is asked what becomes of it");
    }
}

#[test]
fn a_model_that_is_held_is_not_asked_again_before_it_is_released() {
    use run::attempt::{Class, Fault};
    let mut story = begin(with_checker(8), Limits::default(), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    story.steer(story.place(call.assignment), Steer::Pause);
    let fault = Arc::new(Fault::before_sending(Class::Unreachable, "no".into()));
    let (used, doubt) = Default::default();
    story.record(Event::AttemptFailed { call, attempt: 1, fault, used, doubt });
    story.settle();
    assert!(story.run.faulted.contains_key(&call));
    story.steer(story.place(call.assignment), Steer::Continue);
    assert!(story.run.under_way.contains_key(&call), "then it is tried again");
    let Did::Asked(exchange) = &story.run.assignment(call.assignment).unwrap().transcript.turns[0].did else {
        panic!()
    };
    assert!(matches!(exchange.end, ExchangeEnd::Pending) && exchange.attempts.len() == 2);
}

#[test]
fn no_more_work_at_one_provider_than_the_team_says_and_others_are_not_kept_waiting() {
    fn five(scene: Scene<'_>) -> Step {
        match (scene.role.as_str(), scene.transcript.turns.len()) {
            (Role::SUPERVISOR, 0) => {
                let to = |n: u32| if n <= 3 { Role::new("checker") } else { Role::new(Role::RESEARCHER) };
                let handoffs = (1..=5).map(|n| Sending { role: to(n), ..research(n) }).collect();
                hand_off(handoffs)
            }
            (Role::SUPERVISOR, _) => Step::Wait,
            (_, n) => search(scene, n),
        }
    }
    for (most, at_work) in [(1, vec![1, 4, 5]), (2, vec![1, 2, 4, 5]), (9, vec![1, 2, 3, 4, 5])] {
        let mut team = Team { parallel_of: [("far".into(), most), ("near".into(), 1)].into(), ..with_checker(8) };
        team.members.get_mut(&Role::new("checker")).unwrap().priority = Some(Priority::High);
        let story = begin(team, Limits::default(), five);
        assert_eq!(story.at_work(), at_work, "{most} at one provider");
    }
}

#[test]
fn a_task_says_its_priority_else_its_member_else_who_handed_it_out() {
    fn ranked(scene: Scene<'_>) -> Step {
        let with = |n: u32, role: &str, priority| {
            let mut sending = Sending { role: Role::new(role), ..research(n) };
            sending.payload.task.as_mut().unwrap().task.priority = priority;
            sending
        };
        match (scene.role.as_str(), scene.transcript.turns.len()) {
            (Role::SUPERVISOR, 0) => {
                let handoffs = vec![
                    with(1, "checker", None),
                    with(2, "checker", Some(Priority::High)),
                    with(3, Role::RESEARCHER, None),
                ];
                hand_off(handoffs)
            }
            (Role::SUPERVISOR, _) => Step::Wait,
            (_, n) => search(scene, n),
        }
    }
    let story = begin(with_checker(2), Limits::default(), ranked);
    let ranks: Vec<Priority> = story.run.assignments().skip(1).map(|a| a.priority).collect();
    assert_eq!(ranks, [Priority::Low, Priority::High, Priority::Normal]);
    assert_eq!(story.at_work(), [2, 3]);
}

#[test]
fn past_its_deadline_one_reports_what_it_has_and_does_nothing_more_that_costs() {
    fn with_deadline(scene: Scene<'_>) -> Step {
        match (scene.role.as_str(), scene.transcript.turns.len()) {
            (Role::SUPERVISOR, 0) => {
                let mut sending = research(1);
                sending.payload.task.as_mut().unwrap().task.deadline = Some(5_000);
                let mut deaf = sending.clone();
                deaf.title = "deaf".into();
                hand_off(vec![sending, deaf, research(3)])
            }
            // Goes on and on, against any message.
            (Role::RESEARCHER, n) if scene.assigned.handoff.title == "deaf" => search(scene, n),
            _ => three(scene),
        }
    }
    let mut story = begin(team(8), Limits::default(), with_deadline);
    story.now = 4_000;
    (1..=3).for_each(|id| story.comes_back(id));
    assert_eq!(story.at_work(), [1, 2, 3]);
    story.now = 6_000;
    (1..=3).for_each(|id| story.comes_back(id));
    assert_eq!(
        story.outcome(1),
        Some(&Outcome::OutOfBudget("its deadline had passed".into())),
        "it has not looked everywhere"
    );
    let Some(Outcome::Failed(why)) = story.outcome(2) else { panic!("{:?}", story.outcome(2)) };
    assert!(why.contains("refused again and again"), "{why}");
    assert_eq!(story.at_work(), [3], "who has none goes on");
    let calls = |id| story.assignment(id).calls();
    assert_eq!((calls(1), calls(2), calls(3)), (2, 2, 3));
}

/// A lead hands two tasks on.
fn led(scene: Scene<'_>) -> Step {
    match (scene.role.as_str(), scene.transcript.turns.len()) {
        (Role::SUPERVISOR, 0) => {
            let section = Payload {
                question: Some("why?".into()),
                plan: Some(kit::plan(vec![kit::task(3), kit::task(4)])),
                ..Payload::default()
            };
            let editor = Sending { role: Role::new(Role::EDITOR), payload: section, ..research(1) };
            hand_off(vec![editor, research(2)])
        }
        (Role::EDITOR, 0) => hand_off(vec![research(3), research(4)]),
        (Role::RESEARCHER, n) => search(scene, n),
        _ => Step::Wait,
    }
}

#[test]
fn who_leads_takes_no_place_and_is_steered_with_those_it_leads() {
    let mut story = begin(team(3), Limits::default(), led);
    assert_eq!(story.at_work(), [2, 3, 4], "three places for three, and their leads besides");
    story.steer(1, Steer::Prioritise(Priority::High));
    let ranks: Vec<Priority> = story.run.assignments().map(|a| a.priority).collect();
    use Priority::{High, Normal};
    assert_eq!(ranks, [Normal, High, Normal, High, High]);
    story.steer(1, Steer::Pause);
    [2, 3, 4].into_iter().for_each(|id| story.comes_back(id));
    assert_eq!(story.at_work(), [2]);
    let told = story.refused(1, Steer::Tell { text: "faster".into() });
    assert!(told.contains("reads no messages"), "{told}");
    story.steer(1, Steer::Cancel);
    assert_eq!([1, 3, 4].map(|id| story.outcome(id).cloned()), [const { Some(Outcome::Cancelled) }; 3]);
    assert_eq!((slots(&story), story.at_work()), (vec![(1, Some(&Outcome::Cancelled)), (2, None)], vec![2]));
}

#[test]
fn an_answer_of_a_model_may_come_back_between_a_message_and_its_turn() {
    let mut story = begin(with_checker(8), Limits::default(), asks_a_model);
    let call = *story.run.under_way.keys().next().unwrap();
    story.steer(1, Steer::Tell { text: "be quick".into() });
    let reply = Reply {
        content: vec![],
        raw: Untouched::from(serde_json::Value::Null),
        stop: StopReason::End,
        usage: Usage::default(),
        served_by: "small".into(),
        request_id: None,
        first_ms: 0,
        whole_ms: 0,
        recorded: None,
    };
    story.record(Event::ModelReplied { call, reply: Arc::new(reply), used: Amounts::default() });
    story.settle();
    let checker = story.assignment(1);
    assert_eq!(story.run.heard(checker), [Heard::Queued], "that answer did not know of it");
}
