//! Joins: when work begins that rests on other work, over runs folded by hand in which results come in as it is said.

use std::num::NonZeroU32;
use std::sync::Arc;

use run::checkpoint::Approver;
use run::event::{Envelope, Event, Opening};
use run::evidence::Corpus;
use run::finding::{Finding, FindingKind, Standing, WordsOf};
use run::handoff::Parts;
use run::inquiry;
use run::join::{Join, Joins};
use run::plan::{Plan, Shape, Task};
use run::state::Ending;
use run::team::{Remedy, Worker};
use run::{
    Amounts, AssignmentId, At, CallId, FindingId, Limits, Outcome, Part, Role, Run, Steer, TaskId, Team, ToolRequest,
    Transcript,
};
use specialist::{Assigned, Specialist, Step};
use supervisor::{Action, Pipeline, Roster, decide};

use Join::{All, BestEffort};

/// What comes of each task, attempt by attempt: "2nw" of the second nothing, then something (w: works out, p: in part,
/// n: nothing found, f: fails). Those that are not named work out.
type Fates = &'static str;

struct Troupe {
    plan: Plan,
    fates: Fates,
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
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let report = |outcome, parts| Step::Report { outcome, title: "report".into(), parts };
        match (self.1.as_str(), assigned.handoff.task()) {
            (Role::PLANNER, _) => report(Outcome::Done, vec![Part::Plan { plan: self.0.plan.clone() }]),
            (_, Some((task, _))) if transcript.turns.is_empty() => {
                let request = ToolRequest::Search { query: task.title.clone(), limit: 5 };
                Step::Use { why: "to look".into(), requests: vec![request] }
            }
            (_, Some((task, _))) => {
                let of = |fates: &&str| fates.starts_with(&task.id.0.to_string());
                let fates = self.0.fates.split(' ').find(of).unwrap_or_default();
                // Whoever tries again is a later assignment: of five tasks these begin at a6.
                let attempt = if assigned.id.0 > 5 { 2 } else { 1 };
                let parts = vec![Part::Findings { findings: vec![finding(assigned.id, task.id)] }];
                match fates.chars().nth(attempt) {
                    Some('p') => report(Outcome::Partial("half of it".into()), parts),
                    Some('n') => report(Outcome::NothingFound, vec![]),
                    Some('f') => report(Outcome::Failed("no luck".into()), vec![]),
                    _ => report(Outcome::Done, parts),
                }
            }
            _ => Step::Wait,
        }
    }
}

fn finding(by: AssignmentId, task: TaskId) -> Finding {
    Finding {
        id: FindingId { assignment: by, n: 1 },
        task: Some(task),
        subtopic: "all".into(),
        claim: format!("of {task}").as_str().into(),
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

fn at_least(n: u32) -> Join {
    Join::AtLeast(NonZeroU32::new(n).unwrap())
}

/// Three tasks, a fourth that waits for them, and a fifth that waits for nobody.
fn plan(join: Join) -> Plan {
    let task =
        |n: u32| Task::new(TaskId(n), format!("task {n}").as_str().into(), format!("what of {n}?").as_str().into());
    let fourth = Task { after: vec![TaskId(1), TaskId(2), TaskId(3)], join, ..task(4) };
    Plan { shape: Shape::Overview, tasks: vec![task(1), task(2), task(3), fourth, task(5)], why: "so".into() }
}

struct Play {
    run: Run,
    troupe: Troupe,
    now: i64,
    trail: Vec<String>,
}

impl Play {
    fn of(join: Join, merge: Join, policy: &[Remedy], fates: Fates) -> Play {
        let mut team = team::embedded();
        team.members.remove(&Role::new(Role::MEMORY));
        team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().on_failure = policy.to_vec();
        team.joins = Joins { merge };
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
        let troupe = Troupe { plan: plan(join), fates };
        let mut play = Play { run: Run::default(), troupe, now: 0, trail: Vec::new() };
        play.record(Event::RunOpened(Arc::new(opening)));
        play.record(Event::SourcesRead { corpus: Arc::new(Corpus { documents: 1, blocks: 1, ..Corpus::default() }) });
        play.settle();
        play
    }

    fn record(&mut self, event: Event) {
        match &event {
            Event::HandedOff { opened, .. } if opened[0].role.as_str() == Role::MERGER => {
                let found: Vec<&str> = opened[0].handoff.findings().iter().map(|f| f.claim.as_str()).collect();
                self.trail.push(format!("merges {}", found.join(", ")));
            }
            Event::HandedOff { opened, .. } => {
                let tasks: Vec<String> = opened.iter().filter_map(|o| Some(o.task?.to_string())).collect();
                if !tasks.is_empty() {
                    self.trail.push(tasks.join("+"));
                }
            }
            Event::PersonAsked { question, .. } => self.trail.push(format!("asks of {}", question.about.unwrap())),
            Event::Steered { assignment, act: Steer::Enough } => self.trail.push(format!("ends {assignment}")),
            _ => {}
        }
        self.run.apply(&Envelope { seq: self.run.seq.next(), at: At(self.now), event });
        assert_eq!(self.run.misfits, 0);
    }

    fn settle(&mut self) {
        for _ in 0..100 {
            let mut facts = Vec::new();
            for action in decide(&self.run, At(self.now), &self.troupe) {
                match action {
                    Action::Record(event) => facts.push(event),
                    Action::LookAgain(then) => self.now = self.now.max(then.0),
                    _ => {}
                }
            }
            if facts.is_empty()
                && decide(&self.run, At(self.now), &self.troupe).iter().all(|a| !matches!(a, Action::Record(_)))
            {
                return;
            }
            facts.into_iter().for_each(|fact| self.record(fact));
        }
        panic!("it never settles: {:?}", self.trail);
    }

    /// What tasks look up comes back in this order; what is asked is answered so.
    fn goes(&mut self, order: &[u32], answers: &[u32]) -> String {
        let mut answers = answers.iter();
        for task in order {
            while let Some(inquiry) = self.run.open_inquiry() {
                let Some(n) = answers.next() else { break };
                let (checkpoint, by, answer) = (inquiry.id, Approver::Person, inquiry::Answer::Chosen(*n));
                self.record(Event::PersonAnswered { checkpoint, by, answer });
                self.settle();
            }
            let of = |call: &&CallId| self.run.assignment(call.assignment).unwrap().task == Some(TaskId(*task));
            let Some(call) = self.run.under_way.keys().find(of).copied() else {
                if *task == 0 { continue } else { panic!("t{task} is not at work: {:?}", self.trail) }
            };
            let used = Amounts { tool_calls: 1, ..Amounts::default() };
            self.record(Event::ToolFailed { call, error: "no".into(), used });
            self.settle();
        }
        match self.run.ended() {
            Some(outcome) => format!("{} · {outcome}", self.trail.join(" · ")),
            None => self.trail.join(" · "),
        }
    }
}

#[test]
fn a_task_begins_when_what_it_needs_is_there_or_the_person_says_what_becomes_of_it() {
    const BEGIN: &str = "t1+t2+t3+t5";
    const SKIP: &[Remedy] = &[Remedy::Skip];
    for (join, policy, fates, order, answers, expected) in [
        // Best effort: all have ended, however.
        (BestEffort, &[][..], "2f 3n", &[3, 2, 1][..], &[][..], "t4"),
        (at_least(2), &[], "", &[3, 1], &[], "t4"),
        (at_least(2), &[], "1n", &[3, 1], &[], ""),
        (at_least(2), &[], "1n", &[3, 1, 2], &[], "t4"),
        (at_least(2), &[], "1n 2p", &[2, 1, 3], &[], "t4"),
        (at_least(1), &[], "1f", &[1, 5, 3], &[], "t4"),
        // Of fewer than so many, all.
        (at_least(9), &[], "", &[5, 3, 1, 2], &[], "t4"),
        // Two are out of reach as soon as two have failed.
        (at_least(2), &[], "1f 2f", &[2, 1], &[], "asks of a2"),
        (at_least(2), &[], "1f 2f", &[2, 1, 3, 0], &[0, 0], "asks of a2 · asks of a3 · t4"),
        (at_least(2), &[], "1f 2f", &[2, 1, 0], &[2], "asks of a2 · failed: the researcher failed: no luck"),
        (All, &[], "1p", &[3, 2, 1], &[], "t4"),
        (All, &[], "2n", &[3, 1, 2], &[], "asks of a3"),
        // What is asked is the same whoever was first: results are read in the order in which work was handed out.
        (All, &[], "2n", &[2, 3], &[], ""),
        (All, &[], "2n", &[2, 1, 0], &[], "asks of a3"),
        (All, &[], "2n", &[1, 2, 3, 0], &[0], "asks of a3 · t4"),
        (All, &[], "2n", &[1, 2, 3, 5, 0], &[2], "asks of a3 · failed: the researcher found nothing"),
        // The policy of the role says so already.
        (All, SKIP, "2n 3f", &[1, 2, 3], &[], "t4"),
        (at_least(3), SKIP, "2n", &[1, 2, 3], &[], "t4"),
    ] {
        let went = Play::of(join, BestEffort, policy, fates).goes(order, answers);
        let expected = match expected {
            "" => BEGIN.to_string(),
            expected => format!("{BEGIN} · {expected}"),
        };
        assert_eq!(went, expected, "{join:?} {policy:?} {order:?}");
    }
}

#[test]
fn what_was_tried_once_more_counts_and_what_it_found_goes_along() {
    let mut play = Play::of(All, BestEffort, &[], "2nw");
    assert_eq!(play.goes(&[1, 2, 3, 5, 0], &[1]), "t1+t2+t3+t5 · asks of a3 · t2");
    assert_eq!(play.goes(&[2], &[]), "t1+t2+t3+t5 · asks of a3 · t2 · t4");
    let fourth = play.run.assignments.iter().find(|a| a.task == Some(TaskId(4))).unwrap();
    assert_eq!(fourth.transcript.handoff.findings().len(), 3);
    let inquiry = &play.run.inquiries[0].question;
    assert!(inquiry.text.contains("“task 4” needs all 3"), "{}", inquiry.text);
}

#[test]
fn the_merging_begins_with_enough_and_those_still_at_work_are_ended_and_named() {
    let mut play = Play::of(BestEffort, at_least(2), &[], "5f");
    let went = play.goes(&[3, 5, 1], &[]);
    assert_eq!(went, "t1+t2+t3+t5 · ends a3 · merges of t1, of t3");
    let ended = play.run.assignment(AssignmentId(3)).unwrap();
    assert_eq!(ended.ending, Some(Ending::Enough));
    let (outcome, report) = ended.ended.clone().unwrap();
    assert_eq!((outcome, report.notes()[0].as_str()), (Outcome::Cancelled, "enough was in without it"));
    assert_eq!(play.run.ledger.assignment(ended.id).spent.tool_calls, 1, "what it took is booked");
    assert!(play.run.to_end.is_empty() && play.run.under_way.is_empty());
    let why = play.run.accepts(AssignmentId(1), &Steer::Enough).unwrap_err();
    assert!(why.contains("ended"), "{why}");
}

#[test]
fn a_merging_that_needs_all_asks_about_what_brought_nothing() {
    let mut play = Play::of(BestEffort, All, &[], "5n");
    let went = play.goes(&[1, 2, 3, 5, 4, 0], &[]);
    assert_eq!(went, "t1+t2+t3+t5 · t4 · asks of a5");
    assert_eq!(play.goes(&[0], &[0]), "t1+t2+t3+t5 · t4 · asks of a5 · merges of t1, of t2, of t3, of t4");
}

#[test]
fn a_merging_that_cannot_have_enough_any_more_asks() {
    let mut play = Play::of(BestEffort, at_least(4), &[], "1n 2n");
    assert_eq!(play.goes(&[1, 2], &[]), "t1+t2+t3+t5 · asks of a2");
    assert_eq!(play.goes(&[0], &[0]), "t1+t2+t3+t5 · asks of a2 · asks of a3");
    let went = play.goes(&[3, 5, 4], &[0]);
    assert_eq!(went, "t1+t2+t3+t5 · asks of a2 · asks of a3 · t4 · merges of t3, of t4, of t5");
}
