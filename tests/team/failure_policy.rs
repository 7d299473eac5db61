//! The actions on work that failed: the policy of a role, step by step, over runs folded by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kit::{Scene, Script, Story, ask, assigned_model, finding, opening, plan, report, task, waiting_for};
use run::attempt::{Class, Fault, Reached};
use run::budget::Amounts;
use run::checkpoint::Subject;
use run::checkpoint::question::AfterFailure::{self, GoOnWithout, Stop, TryAgain};
use run::event::{DoubtAnswer, Event};
use run::id::HandoffNo;
use run::price::Rates;
use run::state::Intent;
use run::team::{FailureStep, Kind, Worker};
use run::transcript::{Did, ExchangeEnd};
use run::{AssignmentId, Cap, Draft, Handoff, Limits, Outcome, Payload, Role, Run, TaskId, Team};
use specialist::Step;
use supervisor::{Roster, Staff};

use FailureStep::{Ask, Fail, Failover, Partial, Retry, Skip};
use Fate::{Fails, InPart, Works};

/// The result of an attempt.
#[derive(Clone, Copy)]
enum Fate {
    Works,
    InPart,
    Fails,
}

/// Everybody does their work; who works on the first task in this role fares as it is said, attempt by attempt.
struct Troupe {
    role: &'static str,
    fates: &'static [Fate],
    attempts: Mutex<Vec<AssignmentId>>,
}

impl Troupe {
    fn of(role: &'static str, fates: &'static [Fate]) -> Troupe {
        Troupe { role, fates, attempts: Mutex::default() }
    }

    fn script(self) -> Script {
        Script::led(move |scene| self.step(scene))
    }

    fn step(&self, scene: Scene<'_>) -> Step {
        let (role, id) = (scene.role.as_str(), scene.assigned.id);
        let tried = role == self.role && scene.task().is_none_or(|task| task == 1);
        let fate = if tried { self.fate(id) } else { Works };
        let payload = match role {
            // Two tasks, and a third that waits for the first.
            Role::PLANNER => {
                Payload { plan: Some(plan(vec![task(1), task(2), waiting_for(3, &[1])])), ..Payload::default() }
            }
            Role::WRITER => Payload { draft: Some(Draft::default()), ..Payload::default() },
            Role::MERGER => {
                Payload { findings: Some(scene.assigned.handoff.payload.findings().to_vec()), ..Payload::default() }
            }
            _ => {
                let finding = finding(id, scene.task().map(TaskId), &format!("found by {id}"));
                Payload { findings: Some(vec![finding]), ..Payload::default() }
            }
        };
        match fate {
            Works => report(Outcome::Done, payload),
            InPart => report(Outcome::Partial("half of it".into()), payload),
            Fails => report(Outcome::Failed("no luck".into()), Payload::default()),
        }
    }

    fn fate(&self, id: AssignmentId) -> Fate {
        let mut attempts = self.attempts.lock().unwrap();
        if !attempts.contains(&id) {
            attempts.push(id);
        }
        let n = attempts.iter().position(|known| *known == id).unwrap();
        self.fates.get(n).copied().unwrap_or(Fails)
    }
}

fn team(role: &str, policy: &[FailureStep], model: bool) -> Team {
    let mut team = team::embedded();
    // Memory fails by rules of its own: no policy is asked.
    team.members.remove(&Role::new(Role::MEMORY));
    let member = team.members.get_mut(&Role::new(role)).unwrap();
    member.on_failure = policy.to_vec();
    if model {
        (member.kind, member.model, member.fallbacks) =
            (Kind::Model, Some(assigned_model("a/one")), vec![assigned_model("b/two")]);
    }
    team
}

fn begin(team: Team, script: Script) -> Story {
    Story::begin(opening(team, Limits::default()), script)
}

/// The workers that were handed the work of a role, with the pauses before, and the questions to the person.
fn trail(story: &Story, role: &str) -> Vec<String> {
    let mut trail = Vec::new();
    for envelope in &story.events {
        match &envelope.event {
            Event::HandedOff { opened, .. } => {
                for opened in opened.iter().filter(|opened| opened.role.as_str() == role) {
                    let task = opened.task.map(|task| task.to_string()).unwrap_or_default();
                    let pause = opened.not_before.map(|then| format!("+{}", then.since(envelope.at)));
                    let who = match opened.worker {
                        Worker::Member => "member".to_string(),
                        Worker::Fallback(n) => format!("fallback{n}"),
                        Worker::Rules => "rules".into(),
                    };
                    trail.push(format!("{task}{who}{}", pause.unwrap_or_default()));
                }
            }
            Event::CheckpointOpened { subject, .. } if matches!(**subject, Subject::Question(_)) => {
                trail.push("asks".into());
            }
            _ => {}
        }
    }
    trail
}

/// Goes on until the run ends, asks a question that no answer is left for, or comes to the writer; says how it went.
fn goes_on(team: Team, troupe: Troupe, answers: &[AfterFailure]) -> String {
    let role = troupe.role;
    let mut story = begin(team, troupe.script());
    let mut answers = answers.iter();
    for _ in 0..200 {
        story.settle();
        let trail = trail(&story, role).join(" ");
        if let Some(outcome) = story.run.ended() {
            return format!("{trail} · {outcome}");
        } else if let Some(checkpoint) = story.run.open_checkpoint() {
            let (id, approval) = (checkpoint.id, checkpoint.subject.approval());
            match checkpoint.findings() {
                None => {
                    let Some(answer) = answers.next() else { return format!("{trail} · waits") };
                    story.answer_failure(id, *answer);
                }
                Some(_) if role == Role::WRITER => story.answer(id, approval),
                Some(findings) => {
                    let found = findings.iter().map(|f| f.claim.to_string()).collect::<Vec<_>>();
                    return format!("{trail} · {}", found.join(", "));
                }
            }
        } else if let Some(then) = story.looks_again() {
            story.now = then;
        } else {
            panic!("stuck after {trail}");
        }
    }
    panic!("it comes to no end: {:?}", trail(&story, role));
}

#[track_caller]
fn goes(
    role: &'static str,
    policy: &[FailureStep],
    model: bool,
    fates: &'static [Fate],
    answers: &[AfterFailure],
    expected: &str,
) {
    let went = goes_on(team(role, policy, model), Troupe::of(role, fates), answers);
    assert_eq!(went, expected, "{policy:?}");
}

#[test]
fn research_that_fails_is_tried_again_by_the_policy_and_what_waits_for_it_waits() {
    let begins = |rest: &str| format!("t1member t2member {rest}");
    for (policy, model, fates, answers, expected) in [
        // Nothing is said: the run goes on without.
        (&[][..], false, &[Fails][..], &[][..], "t3member · found by 0.t2, found by 0.t3"),
        (&[Skip], false, &[Fails], &[], "t3member · found by 0.t2, found by 0.t3"),
        (
            &[Retry],
            false,
            &[Fails, Works],
            &[],
            "t1member+1000 t3member · found by 0.t1~2, found by 0.t2, found by 0.t3",
        ),
        (
            &[Retry, Retry, Skip],
            false,
            &[Fails, Fails, Works],
            &[],
            "t1member+1000 t1member+2000 t3member · found by 0.t1~3, found by 0.t2, found by 0.t3",
        ),
        // A rule has nobody who stands in for it.
        (&[Failover, Skip], false, &[Fails], &[], "t3member · found by 0.t2, found by 0.t3"),
        (
            &[Retry, Failover, Failover, Skip],
            true,
            &[Fails, Fails, Fails, Works],
            &[],
            "t1member+1000 t1fallback0 t1rules t3member · found by 0.t1~4, found by 0.t2, found by 0.t3",
        ),
        (
            &[Failover, Failover, Failover, Skip],
            true,
            &[],
            &[],
            "t1fallback0 t1rules t3member · found by 0.t2, found by 0.t3",
        ),
        // After the last automatic step the run pauses, and the others go on.
        (&[Retry], false, &[], &[], "t1member+1000 asks · waits"),
        (&[Retry, Ask], false, &[], &[GoOnWithout], "t1member+1000 asks t3member · found by 0.t2, found by 0.t3"),
        (
            &[Ask],
            false,
            &[Fails, Works],
            &[TryAgain],
            "asks t1member+1000 t3member · found by 0.t1~2, found by 0.t2, found by 0.t3",
        ),
        (
            &[Ask],
            false,
            &[],
            &[TryAgain, TryAgain, GoOnWithout],
            "asks t1member+1000 asks t1member+2000 asks t3member · found by 0.t2, found by 0.t3",
        ),
        (&[Ask], false, &[], &[Stop], "asks · failed: the researcher failed: no luck"),
        (&[Retry, Fail], false, &[], &[], "t1member+1000 · failed: the researcher failed: no luck"),
        // A partial result is taken at once, unless the policy has something to try before.
        (&[Retry, Skip], false, &[InPart], &[], "t3member · found by 0.t1, found by 0.t2, found by 0.t3"),
        (&[Partial, Retry], false, &[InPart], &[], "t3member · found by 0.t1, found by 0.t2, found by 0.t3"),
        (
            &[Retry, Partial],
            false,
            &[InPart, Fails],
            &[],
            "t1member+1000 t3member · found by 0.t1, found by 0.t2, found by 0.t3",
        ),
        (&[Retry, Partial, Ask], false, &[Fails, Fails], &[], "t1member+1000 asks · waits"),
    ] {
        goes(Role::RESEARCHER, policy, model, fates, answers, &begins(expected));
    }
}

#[test]
fn a_writer_that_fails_is_tried_again_and_without_one_what_was_approved_is_the_brief() {
    for (policy, fates, answers, expected) in [
        (&[][..], &[][..], &[][..], "member · partial: the writer failed: no luck"),
        (&[Retry, Ask], &[], &[GoOnWithout], "member member+1000 asks · partial: the writer failed: no luck"),
        (&[Retry, Ask], &[], &[Stop], "member member+1000 asks · partial: the writer failed: no luck"),
        (&[Failover, Ask], &[], &[], "member fallback0 asks · waits"),
    ] {
        goes(Role::WRITER, policy, true, fates, answers, expected);
    }
}

/// The researcher asks its model, its stand-in does the work.
fn asking(troupe: &Troupe, scene: Scene<'_>) -> Step {
    match scene.transcript.turns.last().map(|turn| &turn.did) {
        _ if scene.worker != Worker::Member => troupe.step(scene),
        None => ask("a/one"),
        Some(Did::Asked(exchange)) if matches!(exchange.end, ExchangeEnd::Failed(_)) => {
            report(Outcome::Failed("its model failed".into()), Payload::default())
        }
        _ => troupe.step(scene),
    }
}

/// Researchers that ask their models; the work of fallbacks fares as it is said.
fn asking_models(fates: &'static [Fate]) -> Script {
    let asks = Troupe::of(Role::RESEARCHER, fates);
    Troupe::of(Role::RESEARCHER, fates).script().with(Role::RESEARCHER, move |scene| asking(&asks, scene))
}

#[test]
fn where_a_provider_answers_nobody_who_stands_in_has_the_work_and_the_person_is_not_waited_for() {
    for (policy, taken_over) in [(&[Retry, Failover, Ask][..], 3), (&[Retry, Ask], 0)] {
        let script = asking_models(&[Works; 9]);
        let (mut story, mut refused) = (begin(team(Role::RESEARCHER, policy, true), script), false);
        for _ in 0..60 {
            story.now += 2_000;
            story.step();
            // The first call is refused for its key; the second still waits for its turn, and is never sent.
            if let (false, Some(call)) = (refused, story.run.under_way.keys().next().copied()) {
                refused = true;
                story.record(Event::AttemptSent { call, attempt: 1 });
                let fault = Arc::new(Fault::before_sending(Class::KeyRefused, "the key is refused".into()));
                let (used, doubt) = Default::default();
                story.record(Event::AttemptFailed { call, attempt: 1, fault, used, doubt });
            }
        }
        let trail = trail(&story, Role::RESEARCHER);
        let fallbacks = trail.iter().filter(|step| step.contains("fallback0")).count();
        assert_eq!(fallbacks, taken_over, "{trail:?}");
        assert_eq!(story.run.open_checkpoint().is_some(), taken_over > 0, "{trail:?}");
        // The person is called where nothing goes on without them, and only there.
        let called = called(&story);
        assert_eq!(called.is_empty(), taken_over > 0, "{called:?}");
        assert_eq!(matches!(story.run.asks(), Some(run::state::Asks::Latch(_))), taken_over == 0);
    }
}

/// The reasons for calling the person, besides questions: models that they have to mend.
fn called(story: &Story) -> Vec<String> {
    let mut run = Run::default();
    let stages = story.events.iter().map(|envelope| {
        run.apply(envelope);
        run::describe::stage(envelope, &run)
    });
    let lines = stages.flatten().filter(|line| line.word == "needs you").map(|line| line.sentence);
    lines.filter(|sentence| sentence.contains("is not called")).collect()
}

/// The workers that were handed research at which a model fails in this way, time and again; its fallback and its rules work.
fn after_failed_calls(class: Class, has_fallback: bool) -> String {
    let script = asking_models(&[Works; 9]);
    let mut team = team(Role::RESEARCHER, &[Retry, Failover, Ask], true);
    if !has_fallback {
        team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().fallbacks.clear();
    }
    let mut story = begin(team, script);
    for _ in 0..200 {
        story.now += 5_000;
        story.step();
        let calls: Vec<_> = story.run.under_way.keys().copied().collect();
        for call in calls {
            let Some(Intent::Model(exchange)) = story.run.intent(call) else { continue };
            let attempt = exchange.attempts.last().map_or(1, |attempt| attempt.n);
            story.record(Event::AttemptSent { call, attempt });
            let fault = Arc::new(Fault { reached: Reached::Content, ..Fault::unseen(class, "it failed".into()) });
            let (used, doubt) = Default::default();
            story.record(Event::AttemptFailed { call, attempt, fault, used, doubt });
        }
    }
    let of_the_first = trail(&story, Role::RESEARCHER).into_iter().filter(|step| step.starts_with("t1"));
    let workers = of_the_first.map(|step| step.split('+').next().unwrap().to_owned());
    workers.collect::<Vec<_>>().join(" ")
}

#[test]
fn work_that_a_model_failed_at_goes_to_the_next_model_and_what_may_be_paid_again_is_not_sent_from_the_start() {
    for (class, has_fallback, expected) in [
        (Class::Server, true, "t1member t1fallback0"),
        (Class::Overloaded, true, "t1member t1fallback0"),
        (Class::Throttled, true, "t1member t1fallback0"),
        (Class::Stalled, true, "t1member t1fallback0"),
        (Class::Cut, true, "t1member t1fallback0"),
        // Nobody else has it: it is tried once more, unless each try may have been paid for.
        (Class::Server, false, "t1member t1member t1rules"),
        (Class::Overloaded, false, "t1member t1member t1rules"),
        (Class::Stalled, false, "t1member t1rules"),
        (Class::Cut, false, "t1member t1rules"),
    ] {
        assert_eq!(after_failed_calls(class, has_fallback), expected, "{class:?} {has_fallback}");
    }
}

#[test]
fn work_whose_call_in_doubt_the_person_has_skipped_is_not_sent_again() {
    let script = asking_models(&[Works; 9]);
    let mut team = team(Role::RESEARCHER, &[Retry, Failover, Ask], true);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().fallbacks.clear();
    let mut story = begin(team, script);
    story.settle();
    let calls: Vec<_> = story.run.under_way.keys().copied().collect();
    calls.iter().for_each(|call| story.record(Event::AttemptSent { call: *call, attempt: 1 }));
    story.record(Event::Attached { version: "0".into(), worked_until: None });
    for call in calls {
        story.record(Event::DoubtAnswered { call, answer: DoubtAnswer::Skip });
    }
    for _ in 0..20 {
        story.now += 2_000;
        story.step();
    }
    let trail = trail(&story, Role::RESEARCHER);
    let of_the_first: Vec<&String> = trail.iter().filter(|step| step.starts_with("t1")).collect();
    assert!(of_the_first.len() == 2 && of_the_first[1].starts_with("t1rules"), "the rules have it: {trail:?}");
}

/// Two researchers have asked their models; the call of the first has failed, and with it its work. The other is out, and
/// nothing is decided on the failure yet.
fn one_of_two_fails(team: Team, supervisor: impl Fn(Scene<'_>) -> Step + Send + Sync + 'static) -> Story {
    let script = asking_models(&[]);
    let mut story = begin(team, script.with(Role::SUPERVISOR, supervisor));
    story.settle();
    let calls: Vec<_> = story.run.under_way.keys().copied().collect();
    assert_eq!(calls.len(), 2);
    calls.iter().for_each(|call| story.record(Event::AttemptSent { call: *call, attempt: 1 }));
    let fault = Arc::new(Fault::before_sending(Class::Malformed, "it makes no sense".into()));
    let (used, doubt) = Default::default();
    story.record(Event::AttemptFailed { call: calls[0], attempt: 1, fault, used, doubt });
    story
}

#[test]
fn a_run_that_fails_while_a_sibling_is_out_gives_its_call_up_and_books_it_as_in_doubt() {
    fn breaks_down(scene: Scene<'_>) -> Step {
        assert!(scene.transcript.sent().all(|sent| sent.report.is_none() || sent.task.is_none()), "out of its mind");
        kit::pipeline(scene)
    }
    type Play = fn(Scene<'_>) -> Step;
    for (policy, supervisor) in
        [(&[Fail][..], kit::pipeline as Play), (&[Ask], kit::pipeline), (&[Skip], breaks_down as Play)]
    {
        let mut story = one_of_two_fails(team(Role::RESEARCHER, policy, true), supervisor);
        let reserved = story.run.ledger.run().reserved;
        assert!(reserved.tokens() > 0);
        story.settle();
        if let Some(asked) = story.run.open_checkpoint().map(|open| open.id) {
            assert_eq!(story.run.under_way.len(), 1, "the other goes on while the person is asked");
            story.answer_failure(asked, Stop);
            story.settle();
        }
        assert!(matches!(story.run.ended(), Some(Outcome::Failed(_))), "{policy:?}: {:?}", story.run.ended());
        let account = story.run.ledger.run();
        assert_eq!((account.in_doubt, account.reserved), (reserved, Amounts::default()), "{policy:?}");
        assert_eq!((story.run.under_way.len(), story.run.open_count()), (0, 0), "{policy:?}");
        let last: Vec<&str> = story.events.iter().rev().take(3).map(|envelope| envelope.event.name()).collect();
        assert_eq!(last, ["reported", "reported", "attempt_failed"], "the root is the last to report");
    }
}

#[test]
fn a_call_that_has_not_left_when_a_bill_passes_the_cap_is_never_sent() {
    let script = asking_models(&[]);
    let cap = Limits::of(Cap::Tokens, 9_000_000);
    let mut story = Story::begin(opening(team(Role::RESEARCHER, &[Partial], true), cap), script);
    story.settle();
    let calls: Vec<_> = story.run.under_way.keys().copied().collect();
    assert_eq!(calls.len(), 2);
    story.record(Event::AttemptSent { call: calls[0], attempt: 1 });
    let fault = Arc::new(Fault::unseen(Class::Malformed, "it makes no sense".into()));
    let (used, doubt) = (Amounts::of(Cap::Tokens, 10_000_000), Amounts::default());
    story.record(Event::AttemptFailed { call: calls[0], attempt: 1, fault, used, doubt });
    story.settle();
    let sent = story.events.iter().filter(|envelope| envelope.event.name() == "attempt_sent").count();
    assert_eq!((sent, story.run.under_way.len(), story.run.ledger.run().reserved.tokens()), (1, 0, 0));
}

#[test]
fn a_run_that_an_earlier_version_ended_while_a_call_was_out_is_read_and_shown_as_it_was_recorded() {
    let mut story = one_of_two_fails(team(Role::RESEARCHER, &[Fail], true), kit::pipeline);
    let handoff = Arc::new(Handoff {
        no: HandoffNo(story.run.handoffs.len() as u32 + 1),
        from: Some(AssignmentId::ROOT),
        to: None,
        names: (Role::SUPERVISOR.into(), "you".into()),
        title: "failed".into(),
        payload: Payload::default(),
    });
    let outcome = Outcome::Failed("the researcher failed".into());
    story.record(Event::Reported { by: AssignmentId::ROOT, outcome: outcome.clone(), handoff });
    assert_eq!((story.run.ended(), story.run.phase().word()), (Some(&outcome), "failed"));
    assert_eq!((story.run.under_way.len(), story.decided()), (1, vec![]));
    let mut run = Run::default();
    for envelope in &story.events {
        run.apply(envelope);
        run::describe::describe(envelope, &run);
    }
    assert_eq!((run.misfits, run.brief()), (0, None));
}

#[test]
fn an_attempt_has_what_its_failed_forerunner_has_left() {
    let mut team = team(Role::RESEARCHER, &[Retry], false);
    let cap = Limits::of(Cap::ToolCalls, 7);
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().limits = cap;
    let mut story = begin(team, Troupe::of(Role::RESEARCHER, &[Fails, Works]).script());
    while story.run.open_checkpoint().is_none() {
        story.now += 1_000;
        story.step();
    }
    let mut limits: BTreeMap<AssignmentId, Limits> = BTreeMap::new();
    for envelope in &story.events {
        if let Event::HandedOff { opened, .. } = &envelope.event {
            let tried = opened.iter().filter(|opened| opened.task == Some(TaskId(1)));
            limits.extend(tried.map(|opened| (opened.assignment, opened.limits)));
        }
    }
    assert_eq!(limits.into_values().collect::<Vec<_>>(), [cap, cap], "nothing was spent");
}

/// The reasons of a fallback for having no budget, after a model all of whose reservation is in doubt: the caps are that
/// reservation, times these.
fn out_of_budget_after_doubt(money: u64, tokens: u64) -> String {
    let play = |scene: Scene<'_>| match scene.transcript.turns.last().map(|turn| &turn.did) {
        None => ask(if scene.worker == Worker::Member { "a/one" } else { "b/two" }),
        Some(Did::Asked(exchange)) if exchange.refusal().is_some() => {
            report(Outcome::OutOfBudget("no call fits".into()), Payload::default())
        }
        _ => report(Outcome::Failed("its model failed".into()), Payload::default()),
    };
    let begun = |limits: Limits| {
        let mut team = team(Role::RESEARCHER, &[Failover, Partial], true);
        let researcher = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
        researcher.limits = limits;
        for model in researcher.model.iter_mut().chain(&mut researcher.fallbacks) {
            model.rates = Some(Rates { input: 1_000_000, output: 4_000_000, ..Rates::default() });
        }
        let mut story = begin(team, Troupe::of(Role::RESEARCHER, &[]).script().with(Role::RESEARCHER, play));
        story.settle();
        let call = *story.run.under_way.keys().find(|call| call.assignment.attempt() == 1).unwrap();
        (story, call)
    };
    let (story, call) = begun(Limits::default());
    let reserved = story.run.ledger.assignment(call.assignment).reserved;
    let caps = Limits::default()
        .with(Cap::Money, Some(reserved.get(Cap::Money) * money))
        .with(Cap::Tokens, Some(reserved.get(Cap::Tokens) * tokens));
    let (mut story, call) = begun(caps);
    story.record(Event::AttemptSent { call, attempt: 1 });
    let fault = Arc::new(Fault::unseen(Class::Malformed, "it makes no sense".into()));
    story.record(Event::AttemptFailed { call, attempt: 1, fault, used: Amounts::default(), doubt: reserved });
    for _ in 0..20 {
        story.now += 1_000;
        story.step();
    }
    let reports = story.run.root().unwrap().transcript.sent().filter_map(|sent| sent.report.as_ref());
    let reasons = reports.filter_map(|(outcome, _)| match outcome {
        Outcome::OutOfBudget(why) => Some(why.to_string()),
        _ => None,
    });
    reasons.collect::<Vec<_>>().join("; ")
}

#[test]
fn an_attempt_without_budget_names_the_doubt_of_its_forerunner_in_the_kind_that_was_lacking() {
    let money = out_of_budget_after_doubt(1, 9);
    assert!(money.contains("in doubt from the try before: $") && !money.contains(" tok"), "{money}");
    let tokens = out_of_budget_after_doubt(9, 1);
    assert!(
        tokens.contains("in doubt from the try before: ") && tokens.contains(" tok") && !tokens.contains('$'),
        "{tokens}"
    );
}

#[test]
fn work_is_spread_over_those_that_stand_in_and_goes_on_to_whoever_was_not_tried() {
    let spread = |policy: &[FailureStep], fallbacks: usize| {
        let mut team = team(Role::RESEARCHER, policy, true);
        let member = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
        member.spread = true;
        member.fallbacks = vec![member.fallbacks[0].clone(); fallbacks];
        team
    };
    for (policy, fallbacks, fates, expected) in [
        // The first two begin together, the third when both are free again: the first in order has it.
        (&[Skip][..], 0, &[Works][..], "t1member t2member t3member · found by 0.t1, found by 0.t2, found by 0.t3"),
        (&[Skip], 1, &[Works], "t1member t2fallback0 t3member · found by 0.t1, found by 0.t2, found by 0.t3"),
        (
            &[Retry, Failover, Failover, Failover, Failover, Skip],
            2,
            &[],
            "t1member t2fallback0 t1member+1000 t1fallback0 t1fallback1 t1rules t3member · found by 0.t2, found by 0.t3",
        ),
    ] {
        let went = goes_on(spread(policy, fallbacks), Troupe::of(Role::RESEARCHER, fates), &[]);
        assert_eq!(went, expected, "{policy:?}");
    }
    let team = spread(&[], 2);
    let next = |tried: &[Worker]| team.next_fallback(&Role::new(Role::RESEARCHER), tried);
    let (one, two, three) = (Worker::Member, Worker::Fallback(0), Worker::Fallback(1));
    for (tried, then) in [
        (&[one][..], Some(two)),
        (&[two], Some(three)),
        (&[three], Some(one)),
        (&[two, three], Some(one)),
        (&[two, three, one], Some(Worker::Rules)),
        (&[two, three, one, Worker::Rules], None),
    ] {
        assert_eq!(next(tried), then, "{tried:?}");
    }
}

#[test]
fn a_role_is_left_to_rules_only_where_there_are_some() {
    let teams = [team::embedded(), team::inspect(), team::alone(), team::judge()];
    for (mut team, role) in teams.iter().flat_map(|team| team.members.keys().map(move |role| (team.clone(), role))) {
        let member = team.members.get_mut(role).unwrap();
        (member.kind, member.model) = (Kind::Model, Some(assigned_model("a/one")));
        let has_rules = Staff.specialist(&team, role, Worker::Rules).is_some();
        assert_eq!(team.next_fallback(role, &[Worker::Member]), has_rules.then_some(Worker::Rules), "{role}");
    }
}
