//! A drill with a reviewer that always says REVISE: writer and reviewer would send the draft back and forth forever.
//!
//! Each draft has one issue less than the last, so that the guard against revisions without progress stays silent at
//! first: the cap on revisions catches it.

use super::Drill;
use super::lesson::the_end;
use super::scripted::{Checker, number};
use run::exercise::{Exercise, Lesson};
use run::verdict::Concern;
use run::{Draft, Role, Run, Team, Verdict};
use specialist::Specialist;
use text::Clean;
use text::count;

pub(super) const DRILL: Drill = Drill {
    exercise: Exercise {
        name: "infinite-delegation",
        goes_wrong: "The reviewer is never content: it sends every draft back with something new to mend, and would do so for ever.",
        learn,
    },
    question: "Drill: the reviewer that always says REVISE",
    plays,
};

fn plays(_: &Team, role: &Role) -> Option<Box<dyn Specialist>> {
    let never_content = || Box::new(Checker { concern: Concern::Clarity, finds: always_something });
    (role.as_str() == Role::REVIEWER).then(|| never_content() as Box<dyn Specialist>)
}

const NEVER_RIGHT: [&str; 5] = [
    "The first sentence could be stronger.",
    "The second sentence could be shorter.",
    "The tone is a little dry.",
    "A squid for comparison would help.",
    "The last sentence could be stronger.",
];

/// One issue less than for the last draft, but at least one.
fn always_something(draft: &Draft) -> Vec<Clean> {
    let mended = number(draft).saturating_sub(1) as usize;
    NEVER_RIGHT[..NEVER_RIGHT.len().saturating_sub(mended).max(1)].iter().map(|what| (*what).into()).collect()
}

fn learn(run: &Run) -> Lesson {
    let allowed = run.opening.as_ref().map_or(0, |opening| u64::from(opening.team.revisions));
    let sent = |role: &'static str| {
        run.root().into_iter().flat_map(|root| root.transcript.sent()).filter(move |sent| sent.role.as_str() == role)
    };
    let drafts = sent(Role::WRITER).count() as u64;
    let verdicts: Vec<&Verdict> = sent(Role::REVIEWER)
        .filter_map(|sent| sent.report.as_ref())
        .flat_map(|(_, report)| report.payload.verdicts())
        .collect();
    let revise = verdicts.iter().filter(|verdict| !verdict.passes()).count() as u64;
    let made = drafts.saturating_sub(1);
    let labelled = run.brief().is_some_and(|(draft, _)| draft.notes.iter().any(|note| note.starts_with("Best effort")));
    let caught = made == allowed && revise == drafts && drafts > 0 && labelled;
    let story: Vec<String> = verdicts.iter().map(ToString::to_string).collect();
    let mut lines = vec![format!("The reviewer was asked {}: {}.", count(verdicts.len(), "time"), story.join(", "))];
    lines.push(match caught {
        true => format!(
            "The team file allows {} and {made} went back to the writer: the last REVISE was not sent on.",
            count(allowed as usize, "revision")
        ),
        false => format!(
            "The team file allows {}; the draft went back {}, and it was not that cap which ended it.",
            count(allowed as usize, "revision"),
            count(made as usize, "time")
        ),
    });
    lines.push(the_end(run));
    Lesson::new(caught, lines)
}
