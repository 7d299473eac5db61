//! What is done about work that failed: the policy of a role, step by step, over runs folded by hand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use run::attempt::{Class, Fault};
use run::checkpoint::{Answer, Approver, digest};
use run::event::{Envelope, Event, Opening};
use run::evidence::Corpus;
use run::finding::{Finding, FindingKind, Standing, WordsOf};
use run::inquiry;
use run::model::Form;
use run::plan::{Plan, Shape, Task};
use run::price::Rates;
use run::team::{Engaged, Kind, Means, Remedy, Worker};
use run::transcript::{Did, Exchange, ExchangeEnd};
use run::{
    AssignmentId, At, Draft, FindingId, Limits, ModelRequest, Outcome, Part, Role, Run, TaskId, Team, Transcript,
};
use specialist::{Assigned, Specialist, Step};
use supervisor::{Action, Pipeline, Roster, decide};

use Fate::{Fails, InPart, Works};
use Remedy::{Ask, Fail, Failover, Partial, Retry, Skip};

/// What comes of an attempt.
#[derive(Clone, Copy)]
enum Fate {
    Works,
    InPart,
    Fails,
}

/// Everybody does their work; who works on the first task fares as it is said, attempt by attempt.
struct Troupe {
    role: &'static str,
    fates: &'static [Fate],
    attempts: Mutex<Vec<AssignmentId>>,
}

struct Player<'a>(&'a Troupe, &'a Role);

impl Roster for Troupe {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, _: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match role.as_str() {
            Role::SUPERVISOR => Some(Box::new(Pipeline::new(team))),
            _ => Some(Box::new(Player(self, role))),
        }
    }
}

impl Specialist for Player<'_> {
    fn next(&self, assigned: Assigned<'_>, _: &Transcript) -> Step {
        use run::handoff::Parts;
        let task = assigned.handoff.task().map(|(task, _)| task.id);
        let tried = self.1.as_str() == self.0.role && task.is_none_or(|id| id == TaskId(1));
        let fate = if tried { self.0.fate(assigned.id) } else { Works };
        let parts = match self.1.as_str() {
            Role::PLANNER => vec![Part::Plan { plan: plan() }],
            Role::WRITER => vec![Part::Draft { draft: Draft::default() }],
            Role::MERGER => vec![Part::Findings { findings: assigned.handoff.findings().to_vec() }],
            _ => vec![Part::Findings { findings: vec![finding(assigned.id, task)] }],
        };
        let (outcome, parts) = match fate {
            Works => (Outcome::Done, parts),
            InPart => (Outcome::Partial("half of it".into()), parts),
            Fails => (Outcome::Failed("no luck".into()), vec![]),
        };
        Step::Report { outcome, title: "report".into(), parts }
    }
}

impl Troupe {
    fn fate(&self, id: AssignmentId) -> Fate {
        let mut attempts = self.attempts.lock().unwrap();
        if !attempts.contains(&id) {
            attempts.push(id);
        }
        let n = attempts.iter().position(|known| *known == id).unwrap();
        self.fates.get(n).copied().unwrap_or(Fails)
    }
}

/// Two tasks, and a third that waits for the first.
fn plan() -> Plan {
    let task =
        |n: u32| Task::new(TaskId(n), format!("task {n}").as_str().into(), format!("what of {n}?").as_str().into());
    let tasks = vec![task(1), task(2), Task { after: vec![TaskId(1)], ..task(3) }];
    Plan { shape: Shape::Overview, tasks, why: "so".into() }
}

fn finding(by: AssignmentId, task: Option<TaskId>) -> Finding {
    Finding {
        id: FindingId { assignment: by, n: 1 },
        task,
        subtopic: "all".into(),
        claim: format!("found by {by}").as_str().into(),
        edits: vec![],
        quote: "".into(),
        place: None,
        kind: FindingKind::Fact,
        numbers: vec![],
        date: None,
        score: 1,
        also: vec![],
        also_at: vec![],
        conflicts: vec![],
        standing: Standing::Proposed,
        words_of: WordsOf::Person,
        kept_from: None,
    }
}

fn team(role: &str, policy: &[Remedy], model: bool) -> Team {
    let mut team = team::embedded();
    // Whoever remembers fails by rules of its own: no policy is asked.
    team.members.remove(&Role::new(Role::MEMORY));
    let member = team.members.get_mut(&Role::new(role)).unwrap();
    member.on_failure = policy.to_vec();
    if model {
        let engaged = |model: &str| Engaged {
            model: model.parse().unwrap(),
            prompt: "".into(),
            rates: None,
            context: None,
            max_tokens: 100,
            means: Means::Tool,
        };
        (member.kind, member.engaged, member.spares) = (Kind::Model, Some(engaged("a/one")), vec![engaged("b/two")]);
    }
    team
}

/// A run in which everything that is decided is recorded, and time passes only where it is waited for.
struct Play {
    run: Run,
    troupe: Troupe,
    now: At,
    trail: Vec<String>,
}

impl Play {
    fn of(team: Team, troupe: Troupe) -> Play {
        let opening = Opening {
            run: "abcd".parse().unwrap(),
            question: "why?".into(),
            sources: vec![],
            web: vec![],
            team,
            words: 500,
            limits: Limits::default(),
            version: "0".into(),
            answers_from: None,
            drill: None,
        };
        let mut play = Play { run: Run::default(), troupe, now: At(0), trail: Vec::new() };
        play.record(Event::RunOpened(Arc::new(opening)));
        let corpus = Arc::new(Corpus { documents: 1, blocks: 1, ..Corpus::default() });
        play.record(Event::SourcesRead { corpus });
        play
    }

    fn record(&mut self, event: Event) {
        match &event {
            Event::HandedOff { opened, .. } => {
                for opened in opened.iter().filter(|opened| opened.role.as_str() == self.troupe.role) {
                    let task = opened.task.map(|task| task.to_string()).unwrap_or_default();
                    let pause = opened.not_before.map(|then| format!("+{}", then.since(self.now))).unwrap_or_default();
                    let who = match opened.worker {
                        Worker::Member => "member".to_string(),
                        Worker::Spare(n) => format!("spare{n}"),
                        Worker::Rules => "rules".into(),
                    };
                    self.trail.push(format!("{task}{who}{pause}"));
                }
            }
            Event::PersonAsked { .. } => self.trail.push("asks".into()),
            _ => {}
        }
        self.run.apply(&Envelope { seq: self.run.seq.next(), at: self.now, event });
        assert_eq!(self.run.misfits, 0);
    }

    /// Goes on until the run ends, asks what no answer is left for, or comes to the writer; says how it went.
    fn goes(mut self, answers: &[u32]) -> String {
        let mut answers = answers.iter();
        for _ in 0..200 {
            let mut later = None;
            let mut facts = Vec::new();
            for action in decide(&self.run, self.now, &self.troupe) {
                match action {
                    Action::Record(event) => facts.push(event),
                    Action::LookAgain(then) => later = Some(then),
                    _ => {}
                }
            }
            if facts.is_empty() {
                if let Some(outcome) = self.run.ended() {
                    return format!("{} · {outcome}", self.trail.join(" "));
                } else if let Some(checkpoint) = self.run.open_checkpoint() {
                    let id = checkpoint.id;
                    let digest = digest(&checkpoint.approved());
                    if self.troupe.role != Role::WRITER {
                        let found = checkpoint.findings.iter().map(|f| f.claim.to_string()).collect::<Vec<_>>();
                        return format!("{} · {}", self.trail.join(" "), found.join(", "));
                    }
                    let answer = Answer::Approved { by: Approver::Person, digest };
                    facts.push(Event::CheckpointClosed { checkpoint: id, answer });
                } else if let Some(inquiry) = self.run.open_inquiry() {
                    let Some(n) = answers.next() else { return format!("{} · waits", self.trail.join(" ")) };
                    let (checkpoint, by, answer) = (inquiry.id, Approver::Person, inquiry::Answer::Chosen(*n));
                    facts.push(Event::PersonAnswered { checkpoint, by, answer });
                } else if let Some(then) = later {
                    self.now = then;
                } else {
                    panic!("stuck after {:?}", self.trail);
                }
            }
            facts.into_iter().for_each(|fact| self.record(fact));
        }
        panic!("it comes to no end: {:?}", self.trail);
    }
}

#[track_caller]
fn goes(role: &'static str, policy: &[Remedy], model: bool, fates: &'static [Fate], answers: &[u32], expected: &str) {
    let troupe = Troupe { role, fates, attempts: Mutex::default() };
    let went = Play::of(team(role, policy, model), troupe).goes(answers);
    assert_eq!(went, expected, "{policy:?}");
}

#[test]
fn research_that_fails_is_tried_again_by_the_policy_and_what_waits_for_it_waits() {
    let begins = |rest: &str| format!("t1member t2member {rest}");
    for (policy, model, fates, answers, expected) in [
        // Nothing is said: the run goes on without.
        (&[][..], false, &[Fails][..], &[][..], "t3member · found by a3, found by a4"),
        (&[Skip], false, &[Fails], &[], "t3member · found by a3, found by a4"),
        (&[Retry], false, &[Fails, Works], &[], "t1member+1000 t3member · found by a4, found by a3, found by a5"),
        (
            &[Retry, Retry, Skip],
            false,
            &[Fails, Fails, Works],
            &[],
            "t1member+1000 t1member+2000 t3member · found by a5, found by a3, found by a6",
        ),
        // A rule has nobody who stands in for it.
        (&[Failover, Skip], false, &[Fails], &[], "t3member · found by a3, found by a4"),
        (
            &[Retry, Failover, Failover, Skip],
            true,
            &[Fails, Fails, Fails, Works],
            &[],
            "t1member+1000 t1spare0 t1rules t3member · found by a6, found by a3, found by a7",
        ),
        (&[Failover, Failover, Failover, Skip], true, &[], &[], "t1spare0 t1rules t3member · found by a3, found by a6"),
        // After the last automatic step the run pauses, and the others go on.
        (&[Retry], false, &[], &[], "t1member+1000 asks · waits"),
        (&[Retry, Ask], false, &[], &[0], "t1member+1000 asks t3member · found by a3, found by a5"),
        (&[Ask], false, &[Fails, Works], &[1], "asks t1member+1000 t3member · found by a4, found by a3, found by a5"),
        (
            &[Ask],
            false,
            &[],
            &[1, 1, 0],
            "asks t1member+1000 asks t1member+2000 asks t3member · found by a3, found by a6",
        ),
        (&[Ask], false, &[], &[2], "asks · failed: the researcher failed: no luck"),
        (&[Retry, Fail], false, &[], &[], "t1member+1000 · failed: the researcher failed: no luck"),
        // A partial result is taken at once, unless the policy has something to try before.
        (&[Retry, Skip], false, &[InPart], &[], "t3member · found by a2, found by a3, found by a4"),
        (&[Partial, Retry], false, &[InPart], &[], "t3member · found by a2, found by a3, found by a4"),
        (
            &[Retry, Partial],
            false,
            &[InPart, Fails],
            &[],
            "t1member+1000 t3member · found by a2, found by a3, found by a5",
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
        (&[Retry, Ask], &[], &[0], "member member+1000 asks · partial: the writer failed: no luck"),
        (&[Retry, Ask], &[], &[2], "member member+1000 asks · partial: the writer failed: no luck"),
        (&[Failover, Ask], &[], &[], "member spare0 asks · waits"),
    ] {
        goes(Role::WRITER, policy, true, fates, answers, expected);
    }
}

/// The researcher asks its model, whoever stands in does the work.
struct Asks(Troupe);

struct Asking<'a>(Player<'a>);

impl Roster for Asks {
    fn specialist<'a>(&'a self, team: &'a Team, role: &'a Role, worker: Worker) -> Option<Box<dyn Specialist + 'a>> {
        match (role.as_str(), worker) {
            (Role::RESEARCHER, Worker::Member) => Some(Box::new(Asking(Player(&self.0, role)))),
            _ => self.0.specialist(team, role, worker),
        }
    }
}

impl Specialist for Asking<'_> {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let failed = |exchange: &Exchange| matches!(exchange.end, ExchangeEnd::Failed(_));
        match transcript.turns.last().map(|turn| &turn.did) {
            None => {
                let (model, form) = ("a/one".parse().unwrap(), Form::Free);
                let request = ModelRequest { model, afresh: true, said: vec![], offers: vec![], form, max_tokens: 10 };
                Step::Ask { why: "asked".into(), request }
            }
            Some(Did::Asked(exchange)) if failed(exchange) => {
                let outcome = Outcome::Failed("its model failed".into());
                Step::Report { outcome, title: "failed".into(), parts: vec![] }
            }
            _ => self.0.next(assigned, transcript),
        }
    }
}

#[test]
fn where_a_provider_answers_nobody_who_stands_in_has_the_work_and_the_person_is_not_waited_for() {
    for (policy, taken_over) in [(&[Retry, Failover, Ask][..], 3), (&[Retry, Ask], 0)] {
        let troupe = || Troupe { role: Role::RESEARCHER, fates: &[Works; 9], attempts: Mutex::default() };
        let mut team = team(Role::RESEARCHER, policy, true);
        let member = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
        for engaged in member.engaged.iter_mut().chain(&mut member.spares) {
            engaged.rates = Some(Rates::free());
        }
        let (mut play, roster, mut refused) = (Play::of(team, troupe()), Asks(troupe()), false);
        for _ in 0..60 {
            play.now = At(play.now.0 + 2_000);
            for action in decide(&play.run, play.now, &roster) {
                if let Action::Record(event) = action {
                    play.record(event);
                }
            }
            // The first call is refused for its key; the second still waits for its turn, and is never sent.
            if let (false, Some(call)) = (refused, play.run.under_way.keys().next().copied()) {
                refused = true;
                play.record(Event::AttemptSent { call, attempt: 1 });
                let fault = Arc::new(Fault::before_sending(Class::KeyRefused, "the key is refused".into()));
                let (used, doubt) = Default::default();
                play.record(Event::AttemptFailed { call, attempt: 1, fault, used, doubt });
            }
        }
        let spares = play.trail.iter().filter(|step| step.contains("spare0")).count();
        assert_eq!(spares, taken_over, "{:?}", play.trail);
        assert_eq!(play.run.open_checkpoint().is_some(), taken_over > 0, "{:?}", play.trail);
    }
}

#[test]
fn an_attempt_has_what_its_failed_forerunner_has_left() {
    let troupe = Troupe { role: Role::RESEARCHER, fates: &[Fails, Works], attempts: Mutex::default() };
    let mut team = team(Role::RESEARCHER, &[Retry], false);
    let cap = Limits { tool_calls: Some(7), ..Limits::default() };
    team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().limits = cap;
    let mut play = Play::of(team, troupe);
    let mut limits: BTreeMap<AssignmentId, Limits> = BTreeMap::new();
    while play.run.open_checkpoint().is_none() {
        play.now = At(play.now.0 + 1_000);
        for action in decide(&play.run, play.now, &play.troupe) {
            if let Action::Record(event) = action {
                if let Event::HandedOff { opened, .. } = &event {
                    let tried = opened.iter().filter(|opened| opened.task == Some(TaskId(1)));
                    limits.extend(tried.map(|opened| (opened.assignment, opened.limits)));
                }
                play.record(event);
            }
        }
    }
    assert_eq!(limits.into_values().collect::<Vec<_>>(), [cap, cap], "nothing was spent");
}

#[test]
fn work_is_spread_over_those_that_stand_in_and_goes_on_to_whoever_was_not_tried() {
    let spread = |policy: &[Remedy], spares: usize| {
        let mut team = team(Role::RESEARCHER, policy, true);
        let member = team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap();
        member.spread = true;
        member.spares = vec![member.spares[0].clone(); spares];
        team
    };
    for (policy, spares, fates, expected) in [
        // The first two begin together, the third when both are free again: the first in order has it.
        (&[Skip][..], 0, &[Works][..], "t1member t2member t3member · found by a2, found by a3, found by a4"),
        (&[Skip], 1, &[Works], "t1member t2spare0 t3member · found by a2, found by a3, found by a4"),
        (
            &[Retry, Failover, Failover, Failover, Failover, Skip],
            2,
            &[],
            "t1member t2spare0 t1member+1000 t1spare0 t1spare1 t1rules t3member · found by a3, found by a8",
        ),
    ] {
        let troupe = Troupe { role: Role::RESEARCHER, fates, attempts: Mutex::default() };
        assert_eq!(Play::of(spread(policy, spares), troupe).goes(&[]), expected, "{policy:?}");
    }
    let team = spread(&[], 2);
    let next = |tried: &[Worker]| team.stands_in(&Role::new(Role::RESEARCHER), tried);
    let (one, two, three) = (Worker::Member, Worker::Spare(0), Worker::Spare(1));
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
