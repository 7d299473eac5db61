//! A drill with a lost payload: the supervisor sends the writer no findings.
//!
//! It leads like the pipeline, but drops first the part with the findings, then its content. When told why the handoff
//! was rejected, it sends them.

use std::sync::Arc;

use super::Drill;
use super::lesson::{sentence, the_end};
use run::exercise::{Exercise, Lesson};
use run::handoff::Unsent;
use run::transcript::Did;
use run::{Payload, Role, Run, Team, Transcript};
use specialist::{Assigned, Specialist, Step};
use supervisor::Pipeline;
use text::count;

pub(super) const DRILL: Drill = Drill {
    exercise: Exercise {
        name: "lost-handoff",
        goes_wrong: "The supervisor hands the writer a payload without the findings: it would have to write from nothing.",
        learn,
    },
    question: "Drill: the handoff that lost its findings",
    plays,
};

fn plays(team: &Team, role: &Role) -> Option<Box<dyn Specialist>> {
    (role.as_str() == Role::SUPERVISOR).then(|| Box::new(Forgetful(team.clone())) as Box<dyn Specialist>)
}

struct Forgetful(Team);

impl Specialist for Forgetful {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let refused = |turn: &&Arc<run::Turn>| matches!(turn.did, Did::Refused { .. });
        let attempts = transcript.turns.iter().rev().take_while(refused).count();
        let mut as_if_never_refused = transcript.clone();
        as_if_never_refused.turns.truncate(transcript.turns.len() - attempts);
        match Pipeline::new(&self.0).next(assigned, &as_if_never_refused) {
            Step::HandOff { stage, why, mut handoffs } => {
                let to_writer = handoffs.iter_mut().filter(|sending| sending.role.as_str() == Role::WRITER);
                to_writer.for_each(|sending| lose(&mut sending.payload, attempts));
                Step::HandOff { stage, why, handoffs }
            }
            step => step,
        }
    }
}

fn lose(payload: &mut Payload, attempts: usize) {
    match attempts {
        0 => payload.findings = None,
        1 => payload.findings = Some(Vec::new()),
        _ => {}
    }
}

fn learn(run: &Run) -> Lesson {
    let turns = run.root().map_or(&[][..], |root| &root.transcript.turns);
    let refused: Vec<(&str, &Unsent)> = turns
        .iter()
        .filter_map(|turn| match &turn.did {
            Did::Refused { why, unsent: Some(unsent) } => Some((why.as_str(), &**unsent)),
            _ => None,
        })
        .filter(|(_, unsent)| unsent.role.as_str() == Role::WRITER && unsent.payload.findings().is_empty())
        .collect();
    let writers = || run.assignments().filter(|assignment| assignment.role.as_str() == Role::WRITER);
    let empty = writers().find(|writer| writer.transcript.handoff.payload.findings().is_empty());
    let mut lines: Vec<String> = refused
        .iter()
        .map(|(why, unsent)| {
            let carried: Vec<String> = unsent.payload.parts().map(|part| part.name().to_string()).collect();
            format!("{} It carried {}.", sentence(why), carried.join(", "))
        })
        .collect();
    if let Some(writer) = empty {
        let no = writer.transcript.handoff.no;
        lines.push(format!("Handoff {no} went to the writer without a single finding, and nothing stopped it."));
    } else if let Some(writer) = writers().next() {
        let handoff = &writer.transcript.handoff;
        let findings = count(handoff.payload.findings().len(), "finding");
        lines.push(format!("Told what was missing, the supervisor sent {findings} with handoff {}.", handoff.no));
    }
    lines.push(the_end(run));
    Lesson::new(!refused.is_empty() && empty.is_none(), lines)
}
