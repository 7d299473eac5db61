//! How the pipeline uses memory: asks it what is known before the plan is made, puts what still stands beside what the
//! researchers found, and tells it in the end what to keep. Researchers are told nothing of it: what is in the notes
//! steers no search, and reaches no search service.
//!
//! A team without a `memory` member does nothing of this, and a memory that fails costs nothing but its use: its turns
//! are passed over where the pipeline reads what happened.

use std::collections::BTreeSet;

use super::{Story, sending};
use run::finding::Finding;
use run::handoff::Handoff;
use run::id::{FindingId, Role};
use run::plan::{Plan, Task};
use run::stage::Leading;
use run::transcript::{Did, Sent, Turn};
use run::{Outcome, Payload};
use specialist::Step;
use text::Clean;
use text::words::{Language, content_stems};

/// Turns that have to be left for one to be spent on memory: it may not cost the run its end.
const LEAST_TURNS: u32 = 3;

/// Whether a turn was spent on telling memory what to keep.
pub(super) fn is_keeping(turn: &Turn) -> bool {
    match &turn.did {
        Did::HandOffs(sent) => {
            sent.first().is_some_and(|first| is_memory(first) && first.handoff.payload.findings.is_some())
        }
        Did::Refused { unsent: Some(unsent), .. } => {
            unsent.role.as_str() == Role::MEMORY && unsent.payload.findings.is_some()
        }
        _ => false,
    }
}

/// Whether it was handed to memory, whose failure no policy is asked about.
pub(super) fn is_memory(sent: &Sent) -> bool {
    sent.role.as_str() == Role::MEMORY
}

impl Story<'_> {
    fn has_memory(&self) -> bool {
        self.team.members.contains_key(&Role::new(Role::MEMORY))
    }

    /// Before anybody plans: what is known of the question? Asked alone, so that what it takes of a cap does not depend on
    /// who was quick.
    pub(crate) fn asking_memory(&self) -> Option<Step> {
        let payload = Payload { question: Some(self.question()), ..Payload::default() };
        let asking = vec![sending(Role::MEMORY, "what is known?", payload)];
        self.has_memory()
            .then(|| super::hand_off(Leading::Recall, "first it is asked what earlier runs have kept", asking))
    }

    /// What memory said when it was asked.
    pub(crate) fn recalled(&self) -> Option<&Handoff> {
        let (outcome, report) = self.transcript.sent().find(|sent| is_memory(sent))?.report.as_ref()?;
        outcome.usable().then_some(&**report)
    }

    /// What was kept by earlier runs and still stands, each with the task of the plan that it bears on most. What bears
    /// on the question and on none of its parts goes to the first: where there are parts and a whole, that is the whole.
    pub(super) fn remembered(&self, plan: &Plan) -> Vec<Finding> {
        let findings = self.recalled().map_or(&[][..], |report| report.payload.findings());
        if findings.is_empty() {
            return Vec::new();
        }
        let topics = Topics::of(plan);
        let assigned = findings.iter().filter_map(|finding| {
            let above =
                finding.place.as_ref().map(|place| format!("{} {}", place.source.title, place.headings.join(" ")));
            let about = format!("{} {}", finding.claim, above.unwrap_or_default());
            let task = topics.best(&about).or(plan.tasks.first())?;
            Some(Finding { task: Some(task.id), subtopic: task.title.clone(), ..finding.clone() })
        });
        assigned.collect()
    }

    /// Before a run ends with something to keep, memory is told; then it ends as it would have.
    pub(crate) fn remembering(&self, turns_left: u32, step: Step) -> Step {
        if self.transcript.turns.last().is_some_and(|turn| is_keeping(turn) && turn.pending()) {
            return Step::Wait;
        }
        let step = said_to_be_remembered(step);
        let told = self.transcript.turns.iter().any(is_keeping);
        let Step::Report { outcome: Outcome::Done | Outcome::Partial(_) | Outcome::NothingFound, payload, .. } = &step
        else {
            return step;
        };
        let Some(draft) = payload.draft.as_ref().filter(|_| self.has_memory() && !told && turns_left >= LEAST_TURNS)
        else {
            return step;
        };
        let findings = payload.findings().to_vec();
        if findings.is_empty() && draft.gaps.is_empty() {
            return step;
        }
        let title = format!("keep {}", text::count(findings.len(), "finding"));
        let kept = Payload {
            question: Some(self.question()),
            findings: Some(findings),
            shortfalls: Some(draft.gaps.clone()).filter(|gaps| !gaps.is_empty()),
            ..Payload::default()
        };
        super::hand_off(
            Leading::Keep,
            "what was approved is kept for later runs",
            vec![sending(Role::MEMORY, &title, kept)],
        )
    }
}

/// Says in the brief which of what it cites nobody but memory found.
fn said_to_be_remembered(step: Step) -> Step {
    let Step::Report { outcome, title, mut payload } = step else { return step };
    let Some(draft) = payload.draft.as_ref() else { return Step::Report { outcome, title, payload } };
    let cited: BTreeSet<FindingId> = draft.sentences().flat_map(|sentence| sentence.cites.iter().copied()).collect();
    let cited = payload.findings().iter().filter(|it| it.place.is_some() && cited.contains(&it.id));
    let from: Vec<&Clean> = cited.filter_map(|finding| finding.kept_from.as_ref()).collect();
    if !from.is_empty() {
        let runs: BTreeSet<&str> = from.iter().map(|from| from.as_str()).collect();
        let runs: Vec<&str> = runs.into_iter().collect();
        let stand = if from.len() == 1 { "stands" } else { "stand" };
        let found = text::count(from.len(), "finding");
        let note = format!("From your notes ({}): {found} whose words still {stand} in the sources.", runs.join(", "));
        if let Some(draft) = &mut payload.draft {
            draft.notes.push(note.as_str().into());
        }
    }
    Step::Report { outcome, title, payload }
}

/// The tasks of a plan by the stems that tell them apart.
struct Topics<'a> {
    tasks: Vec<(&'a Task, BTreeSet<String>)>,
}

impl<'a> Topics<'a> {
    fn of(plan: &'a Plan) -> Topics<'a> {
        let mut tasks: Vec<(&Task, BTreeSet<String>)> =
            plan.tasks.iter().map(|task| (task, stems(&words_of(task)))).collect();
        if tasks.len() > 1 {
            let mut all = tasks.iter().map(|(_, stems)| stems);
            let first = all.next().cloned().unwrap_or_default();
            let common = all.fold(first, |common, stems| &common & stems);
            tasks.iter_mut().for_each(|(_, stems)| stems.retain(|stem| !common.contains(stem)));
        }
        Topics { tasks }
    }

    /// The task that a text shares most with, the first of several; None if it shares nothing with any.
    fn best(&self, text: &str) -> Option<&'a Task> {
        let said = stems(text);
        let shared = |stems: &BTreeSet<String>| stems.intersection(&said).count();
        let (task, stems) = self.tasks.iter().rev().max_by_key(|(_, stems)| shared(stems))?;
        (shared(stems) > 0).then_some(*task)
    }
}

fn stems(text: &str) -> BTreeSet<String> {
    content_stems(text, Language::English).into_iter().collect()
}

fn words_of(task: &Task) -> String {
    let names = task.topic.iter().chain([&task.title, &task.question]).map(Clean::as_str);
    names.collect::<Vec<_>>().join(" ")
}
