//! The effects of a cap on work: it waits, it has shorter answers, it is left out; and of a bill above a reservation.

use std::sync::Arc;

use kit::{Scene, Script, Story, hand_off, opening, report, research};
use run::event::{Admission, Event};
use run::model::{Form, ModelRequest, Reply, Said, StopReason, Untouched, Usage};
use run::price::Rates;
use run::stage::Conversation;
use run::team::{AssignedModel, Kind};
use run::transcript::{Did, ExchangeEnd};
use run::{Amounts, CallId, Cap, Limits, Outcome, Payload, Priority, Role, Steer, Team};
use specialist::Step;

/// Pico-dollars of a token of an answer; input of the model costs nothing.
const A_TOKEN: u64 = 1_000_000;

/// The default team, whose researchers ask a model for answers of at most `max_tokens` tokens.
fn team(max_tokens: u32) -> Team {
    let mut team = team::embedded();
    let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).expect("there is one");
    let rates = Some(Rates { output: A_TOKEN, ..Rates::default() });
    researcher.kind = Kind::Model;
    researcher.model = Some(AssignedModel { rates, max_tokens, ..kit::assigned_model("a/b") });
    team
}

fn asks(team: &Team, role: &Role) -> Step {
    let model = team.members[role].model.as_ref().expect("it asks one");
    let (max_tokens, said) = (model.max_tokens, vec![Said::User { text: "?".into() }]);
    let (model, thinking, offers, form) = (model.id.clone(), model.thinking, vec![].into(), Form::Free);
    let request = ModelRequest { model, afresh: true, said, offers, form, max_tokens, thinking };
    Step::Ask { stage: Conversation::Begin.into(), why: "to know".into(), request }
}

/// Three researchers who ask their model once and report that they found nothing.
fn three(Scene { role, transcript, team, .. }: Scene<'_>) -> Step {
    match (role.as_str(), transcript.turns.last().map(|turn| &turn.did)) {
        (Role::SUPERVISOR, None) => hand_off((1..=3).map(research).collect()),
        (Role::RESEARCHER, None) => asks(team, role),
        (Role::RESEARCHER, Some(Did::Asked(exchange))) => match exchange.end {
            ExchangeEnd::Answered(_) => report(Outcome::NothingFound, Payload::default()),
            ExchangeEnd::Refused(refusal) => {
                report(Outcome::OutOfBudget(format!("too little was left of {refusal}").into()), Payload::default())
            }
            _ => Step::Wait,
        },
        _ => Step::Wait,
    }
}

/// A run under a cap of which this many tokens' worth is for work.
fn begin(max_tokens: u32, tokens: u64) -> Story {
    begin_with(team(max_tokens), tokens)
}

fn begin_with(team: Team, tokens: u64) -> Story {
    let cap = (tokens * A_TOKEN * 10).div_ceil(9);
    let mut story = Story::begin(opening(team, Limits::of(Cap::Money, cap)), Script::new(three));
    story.settle();
    story
}

/// The call that is under way is answered, and billed for this many tokens.
#[track_caller]
fn answered(story: &mut Story, tokens: u64) {
    let call: CallId = *story.run.under_way.keys().next().expect("a call is under way");
    let reply = Reply {
        content: vec![],
        raw: Untouched::default(),
        stop: StopReason::End,
        usage: Usage { output: tokens, ..Usage::default() },
        served_by: "b".into(),
        request_id: None,
        first_ms: 1,
        whole_ms: 2,
        recorded: None,
    };
    let used = Amounts::of(Cap::Money, tokens * A_TOKEN).with(Cap::Calls, 1);
    story.record(Event::AttemptSent { call, attempt: 1 });
    story.record(Event::ModelReplied { call, reply: Arc::new(reply), used });
    story.settle();
}

/// The most tokens of an answer, and the reservation, of each call that went out.
fn asked(story: &Story) -> Vec<(u32, u64)> {
    let asked = |event: &Event| match event {
        Event::ModelCalled { request, admission: Admission::Reserved(reserved), .. } => {
            Some((request.max_tokens, reserved.money().0 / A_TOKEN))
        }
        _ => None,
    };
    story.events.iter().filter_map(|envelope| asked(&envelope.event)).collect()
}

fn outcomes(story: &Story) -> Vec<String> {
    let researchers = story.of_role(Role::RESEARCHER).into_iter();
    researchers.map(|one| one.ended.as_ref().map_or_else(String::new, |(outcome, _)| outcome.to_string())).collect()
}

#[test]
fn work_for_which_there_is_no_room_now_waits_for_what_others_leave_and_is_done_in_the_order_of_the_plan() {
    let mut story = begin(6_000, 10_000);
    for n in 1..=3 {
        assert_eq!(story.at_work(), [n], "one at a time, and no other is refused");
        assert!((n + 1..=3).all(|later| story.run.is_in_line(story.assignment(later), run::At(0))));
        answered(&mut story, 100);
    }
    assert_eq!(outcomes(&story), ["nothing found"; 3]);
    assert_eq!(asked(&story), [(6_000, 6_000); 3]);
}

#[test]
fn what_the_person_puts_first_or_holds_changes_when_work_is_done_and_not_which_work_there_is_room_for() {
    let mut story = begin_with(Team { parallel: 1, ..team(6_000) }, 10_000);
    story.steer(3, Steer::Prioritise(Priority::High));
    story.steer(2, Steer::Pause);
    answered(&mut story, 100);
    assert!(story.at_work().is_empty(), "the room is for the second, which is paused");
    story.steer(2, Steer::Continue);
    for n in 2..=3 {
        assert_eq!(story.at_work(), [n]);
        answered(&mut story, 100);
    }
    assert_eq!(outcomes(&story), ["nothing found"; 3]);
}

#[test]
fn an_answer_is_as_long_as_what_is_left_allows_down_to_what_is_of_use_and_then_the_task_is_left_out() {
    let mut story = begin(6_000, 10_000);
    answered(&mut story, 6_000);
    answered(&mut story, 3_300);
    assert_eq!(asked(&story), [(6_000, 6_000), (4_000, 4_000)], "the second is told to be shorter");
    let cap = (10_000 * A_TOKEN * 10).div_ceil(9);
    let left_out = format!("out of budget: too little was left of the run's money cap of {}", Cap::Money.written(cap));
    assert_eq!(outcomes(&story), ["nothing found", "nothing found", &left_out], "700 tokens are of no use");
}

#[test]
fn what_a_model_bills_above_its_reservation_is_reserved_on_top_for_its_next_calls_and_past_the_cap_none_goes_out() {
    let mut story = begin(6_000, 18_000);
    assert_eq!(story.at_work(), [1, 2]);
    answered(&mut story, 8_000);
    let model = story.run.opening.as_ref().unwrap().team.members[&Role::new(Role::RESEARCHER)].model.clone().unwrap();
    assert_eq!(story.run.estimate(&model).above.money().0 / A_TOKEN, 2_000);
    answered(&mut story, 11_000);
    assert!(story.run.under_way.is_empty(), "19,000 of 18,000 are spent");
    assert!(outcomes(&story)[2].contains("too little was left of"), "{:?}", outcomes(&story));
    let mut story = begin(2_000, 5_400);
    answered(&mut story, 2_500);
    answered(&mut story, 2_000);
    let last = asked(&story).pop().expect("it was asked");
    assert_eq!(last.1, u64::from(last.0) + 500, "{last:?}");
}

/// A run that stands at its money cap, about which the person is asked.
fn at_the_cap() -> Story {
    let cap = (6_500 * A_TOKEN * 10).div_ceil(9);
    let mut story = Story::begin(opening(team(6_000), Limits::of(Cap::Money, cap)), Script::new(three));
    story.asks_at_caps = true;
    story.settle();
    answered(&mut story, 6_000);
    story
}

#[test]
fn work_for_which_a_cap_has_no_room_stands_until_the_person_is_heard_and_they_are_asked_once() {
    let story = at_the_cap();
    let (open, budget) = story.run.waits_at_cap().expect("the person is asked");
    assert_eq!(budget.reached.caps().map(|(cap, _)| cap).collect::<Vec<_>>(), [Cap::Money]);
    assert_eq!(budget.waits.len(), 2, "{budget:?}");
    assert!(story.run.under_way.is_empty() && !open.subject.is_for_a_person());
    assert_eq!(outcomes(&story), ["nothing found", "", ""], "nothing is given up before they have answered");
    assert_eq!(story.run.checkpoints.len(), 1);
    assert_eq!(story.run.phase(), run::Phase::NeedsYou);
    assert_eq!(story.run.worked(run::At(3_600_000)), story.run.worked(run::At(story.now)), "time stands still");
}

#[test]
fn a_raised_cap_lets_what_waited_go_on_and_no_cap_is_passed() {
    let mut story = at_the_cap();
    let now = story.run.ledger.run().limits.money().expect("there is a cap");
    let raise = run::Command::RaiseCap(Limits::of(Cap::Money, now.0 * 3));
    let fact = raise.fact(&story.run, run::checkpoint::Approver::Person).expect("it is the answer");
    assert!(matches!(fact, Event::CheckpointAnswered { .. }), "{fact:?}");
    story.record(fact);
    story.settle();
    for _ in 2..=3 {
        answered(&mut story, 5_000);
    }
    assert_eq!(outcomes(&story), ["nothing found"; 3]);
    assert!(story.run.waits_at_cap().is_none() && story.run.checkpoints.len() == 1);
}

#[test]
fn a_cap_that_is_raised_while_work_waits_for_room_lets_it_begin_at_once() {
    let cap = (6_500 * A_TOKEN * 10).div_ceil(9);
    let mut story = Story::begin(opening(team(6_000), Limits::of(Cap::Money, cap)), Script::new(three));
    story.asks_at_caps = true;
    story.settle();
    let before = story.run.under_way.len();
    assert!(before > 0 && before < 3 && story.run.asks().is_none(), "some work, others wait");
    let raise = run::Command::RaiseCap(Limits::of(Cap::Money, cap * 4));
    let fact = raise.fact(&story.run, run::checkpoint::Approver::Person).expect("it may be raised at any time");
    assert!(matches!(fact, Event::CapRaised { .. }), "{fact:?}");
    story.record(fact);
    story.settle();
    assert_eq!(story.run.under_way.len(), 3);
}

/// Three researchers who ask their model twice and report that they found nothing.
fn three_that_ask_twice(scene: Scene<'_>) -> Step {
    let answered = scene.transcript.exchanges().filter(|exchange| exchange.reply().is_some()).count();
    let asked = scene.transcript.exchanges().count();
    match scene.role.as_str() {
        Role::RESEARCHER if (asked, answered) == (1, 1) => asks(scene.team, scene.role),
        _ => three(scene),
    }
}

#[test]
fn a_cap_that_is_raised_gives_more_to_those_at_work_too_once_they_need_it() {
    let cap = (6_500 * A_TOKEN * 10).div_ceil(9);
    let opening = opening(team(6_000), Limits::of(Cap::Money, cap));
    let mut story = Story::begin(opening, Script::new(three_that_ask_twice));
    story.settle();
    assert_eq!(story.at_work(), [1]);
    let raise = run::Command::RaiseCap(Limits::of(Cap::Money, cap * 10));
    story.record(raise.fact(&story.run, run::checkpoint::Approver::Person).expect("it may be raised at any time"));
    story.settle();
    assert_eq!(story.at_work(), [1, 2, 3]);
    answered(&mut story, 6_000);
    assert_eq!(story.at_work(), [1, 2, 3], "the first one asks again while the others are at work");
    for _ in 0..5 {
        answered(&mut story, 6_000);
    }
    assert_eq!(outcomes(&story), ["nothing found"; 3]);
}

#[test]
fn who_has_the_run_finish_gets_what_they_would_have_got_without_being_asked() {
    let mut asked = at_the_cap();
    let (open, answer) = asked.run.waits_at_cap().map(|(open, _)| (open.id, open.subject.approval())).unwrap();
    asked.answer(open, answer);
    asked.settle();
    let ends = outcomes(&asked);
    assert!(ends[0] == "nothing found" && ends[1..].iter().all(|end| end.contains("money cap")), "{ends:?}");
    let too_little =
        run::Command::RaiseCap(Limits::of(Cap::Money, 1)).fact(&asked.run, run::checkpoint::Approver::Person);
    assert!(too_little.is_err());
}
