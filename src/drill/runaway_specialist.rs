//! A drill with a researcher that requests thirty searches, never reads, and learns nothing from refusals.
//!
//! It searches one by one until its cap refuses, then requests all others at once, then the same again. Its sibling
//! works on undisturbed.

use super::Drill;
use super::lesson::the_end;
use super::scripted::Researcher;
use run::exercise::{Exercise, Lesson};
use run::stage::Research;
use run::tool::builtin::Search;
use run::transcript::{CallEnd, Did};
use run::{Assignment, Cap, Outcome, Payload, Role, Run, TaskId, Team, ToolCall, Transcript};
use specialist::{Assigned, Specialist, Step};
use text::count;

pub(super) const DRILL: Drill = Drill {
    exercise: Exercise {
        name: "runaway-specialist",
        goes_wrong: "One of two researchers wants 30 searches, never reads what it has found, and does not take no for an answer.",
        learn,
    },
    question: "Drill: the researcher that wants 30 searches",
    plays,
};

fn plays(_: &Team, role: &Role) -> Option<Box<dyn Specialist>> {
    (role.as_str() == Role::RESEARCHER).then(|| Box::new(Runaway) as Box<dyn Specialist>)
}

const WANTED: usize = 30;
const THINGS: [&str; 6] = ["blue blood", "copper", "haemocyanin", "oxygen", "cold water", "gills"];
const QUESTIONS: [&str; 5] = ["what is", "why", "how much", "since when", "who says"];

fn query(n: usize) -> ToolCall {
    let (thing, question) = (THINGS[n % THINGS.len()], QUESTIONS[n / THINGS.len() % QUESTIONS.len()]);
    Search::new(format!("{question} {thing}"), 3).into()
}

struct Runaway;

impl Specialist for Runaway {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.handoff.payload.task().is_some_and(|task| task.id != TaskId(2)) {
            return Researcher.next(assigned, transcript);
        }
        let asked = transcript.calls().count();
        let refused = transcript.is_refused();
        let (why, requests) = match (asked < WANTED, refused) {
            (true, false) => ("one more search, to be sure", vec![query(asked)]),
            (true, true) => ("then all the others at once", (asked..WANTED).map(query).collect()),
            (false, true) => ("the same again: it may work this time", last_asked(transcript)),
            (false, false) => {
                return Step::Report {
                    outcome: Outcome::NothingFound,
                    title: "so many searches, and nothing read".into(),
                    payload: Payload { findings: Some(Vec::new()), ..Payload::default() },
                };
            }
        };
        Step::Use { stage: Research::Search.into(), why: why.into(), requests }
    }
}

fn last_asked(transcript: &Transcript) -> Vec<ToolCall> {
    let tools = transcript.turns.iter().rev().find_map(|turn| match &turn.did {
        Did::Tools(calls) => Some(calls),
        _ => None,
    });
    tools.into_iter().flatten().map(|call| (*call.request).clone()).collect()
}

fn learn(run: &Run) -> Lesson {
    let researchers = || run.assignments().filter(|assignment| assignment.role.as_str() == Role::RESEARCHER);
    // The first of several with the same number of calls.
    let Some(runaway) = researchers().rev().max_by_key(|assignment| assignment.transcript.calls().count()) else {
        return Lesson::new(false, vec!["Nobody searched.".into(), the_end(run)]);
    };
    let transcript = &runaway.transcript;
    let wanted = transcript.calls().count() as u64;
    let held_back = transcript.calls().filter(|call| matches!(call.end, CallEnd::Refused(_))).count() as u64;
    let cap = run.ledger.assignment(runaway.id).limits.cap(Cap::ToolCalls);
    let within = cap.is_some_and(|cap| wanted - held_back <= cap);
    let caught = held_back > 0 && within;
    let out = wanted - held_back;
    let mut lines = vec![match cap.filter(|_| caught) {
        Some(cap) => format!(
            "It asked for {wanted} searches: {out} went out, {held_back} were not sent, because they would have passed the \
             {cap} tool calls of its assignment."
        ),
        None => format!("It asked for {wanted} searches, and {out} went out: no cap of its assignment stopped it."),
    }];
    let again: Vec<&str> = transcript
        .turns
        .iter()
        .filter_map(|turn| if let Did::Refused { why, .. } = &turn.did { Some(why.as_str()) } else { None })
        .collect();
    if let Some(why) = again.last() {
        lines.push(format!("It tried the same again {}, and was refused: “{why}”.", count(again.len(), "time")));
    }
    let ended = |assignment: &Assignment| match &assignment.ended {
        Some((outcome, report)) if outcome.usable() => format!("{} ({})", assignment.title(), report.title),
        Some((outcome, _)) => format!("{} ({outcome})", assignment.title()),
        None => assignment.title().to_string(),
    };
    lines.push(format!("What came of each: {}.", researchers().map(ended).collect::<Vec<_>>().join(", ")));
    lines.push(the_end(run));
    Lesson::new(caught, lines)
}
