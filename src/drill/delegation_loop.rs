//! Drills in which specialists delegate work in a circle.
//!
//! With two, the work comes back unchanged, which the guard against equal handoffs catches. With three, each rewords
//! it, so that no handoff equals another: the cap on depth catches it. The one whose handoff is rejected does the work
//! itself.

use super::Drill;
use super::lesson::{sentence, the_end};
use super::scripted::{Planner, Researcher};
use run::exercise::{Exercise, Lesson};
use run::stage::Leading;
use run::transcript::{Did, Turn};
use run::{Assignment, Outcome, Payload, Role, Run, Transcript};
use specialist::{Assigned, Sending, Specialist, Step};

const ARCHIVIST: &str = "archivist";
const LIBRARIAN: &str = "librarian";

pub(super) const OF_TWO: Drill = Drill {
    exercise: Exercise {
        name: "loop-of-two",
        goes_wrong: "The researcher hands its task to the archivist, who hands it back as it came, and so on for ever.",
        learn,
    },
    question: "Drill: two specialists that hand each other the same work",
    plays: |_, role| plays(&[Role::RESEARCHER, ARCHIVIST], false, role),
};

pub(super) const OF_THREE: Drill = Drill {
    exercise: Exercise {
        name: "loop-of-three",
        goes_wrong: "Researcher, archivist and librarian hand a task round, each rewording it, so that no handoff equals another.",
        learn,
    },
    question: "Drill: three specialists that hand work round in a circle",
    plays: |_, role| plays(&[Role::RESEARCHER, ARCHIVIST, LIBRARIAN], true, role),
};

fn plays(ring: &[&'static str], rewords: bool, role: &Role) -> Option<Box<dyn Specialist>> {
    if role.as_str() == Role::PLANNER {
        return Some(Box::new(Planner { tasks: 1 }));
    }
    let at = ring.iter().position(|member| *member == role.as_str())?;
    Some(Box::new(PassesOn { to: ring[(at + 1) % ring.len()], rewords }))
}

/// Delegates its own handoff and returns the result; does the work itself if the handoff is rejected.
struct PassesOn {
    to: &'static str,
    rewords: bool,
}

impl Specialist for PassesOn {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        match transcript.turns.last().map(|turn| &turn.did) {
            Some(Did::Tools(_)) if transcript.turns.len() == 1 => self.hand_on(transcript),
            Some(Did::HandOffs(sent)) => match sent.first().and_then(|sent| sent.report.as_ref()) {
                None => Step::Wait,
                Some((outcome, report)) => {
                    let findings = report.payload.findings().to_vec();
                    let (outcome, title) = (outcome.clone(), report.title.clone());
                    Step::Report { outcome, title, payload: Payload { findings: Some(findings), ..Payload::default() } }
                }
            },
            _ => Researcher.next(assigned, transcript),
        }
    }
}

impl PassesOn {
    fn hand_on(&self, transcript: &Transcript) -> Step {
        let handoff = &transcript.handoff;
        let mut payload = handoff.payload.clone();
        if self.rewords {
            let times = handoff.payload.notes().len() + 1;
            payload = payload.with_notes([format!("Handed on {times}×: please see to it.").into()]);
        }
        let task = handoff.payload.task().map(|task| task.id);
        let sending = Sending { task, ..Sending::new(&Role::new(self.to), handoff.title.clone(), payload) };
        Step::HandOff {
            stage: Leading::Research.into(),
            why: format!("the {} knows better", self.to).into(),
            handoffs: vec![sending],
        }
    }
}

fn learn(run: &Run) -> Lesson {
    let refusal = |turn: &Turn| match &turn.did {
        Did::Refused { why, unsent: Some(unsent) } => Some((why.clone(), unsent.clone())),
        _ => None,
    };
    let refused = run.assignments().find_map(|assignment| {
        let (why, unsent) = assignment.transcript.turns.iter().find_map(|turn| refusal(turn))?;
        Some((assignment, why, unsent))
    });
    // The first assignment below one of its own role: there the work came back.
    let round = run
        .assignments()
        .map(|assignment| line(run, assignment))
        .find(|line| line.split_last().is_some_and(|(last, above)| above.iter().any(|a| a.role == last.role)));
    let mut lines = Vec::new();
    if let Some(line) = &round {
        lines.push(format!("The work came round before anything stopped it: {}.", names(line)));
    }
    let mut closes = false;
    if let Some((by, why, unsent)) = &refused {
        let line = line(run, by);
        closes = line.iter().any(|above| above.role == unsent.role);
        lines.push(format!("The work went {}, and was about to go on to the {}.", names(&line), unsent.role));
        lines.push(sentence(why));
        if let Some((Outcome::Done, report)) = &by.ended {
            lines.push(format!("The {} then did it itself: {}.", by.role, report.title));
        }
    }
    lines.push(the_end(run));
    Lesson::new(closes && round.is_none(), lines)
}

/// The chain of assignments down to this one, without the supervisor.
fn line<'a>(run: &'a Run, assignment: &'a Assignment) -> Vec<&'a Assignment> {
    let up = std::iter::successors(Some(assignment), |assignment| run.assignment(assignment.parent()?));
    let mut line: Vec<&Assignment> = up.filter(|assignment| assignment.parent().is_some()).collect();
    line.reverse();
    line
}

fn names(line: &[&Assignment]) -> String {
    line.iter().map(|assignment| assignment.role.as_str()).collect::<Vec<_>>().join(" → ")
}
