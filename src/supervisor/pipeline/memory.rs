//! Memory in the pipeline. It is asked before planning; its notes go to the person with the findings; at the end it gets the
//! findings to keep. Researchers never see the notes, so that no note reaches a search service.
//!
//! Without a `memory` member none of this happens. If memory fails, the run lacks only its notes.

use std::collections::BTreeSet;

use super::{Progress, hand_off, sending};
use run::finding::Finding;
use run::id::{FindingId, Role};
use run::plan::{Plan, Task};
use run::stage::Leading;
use run::transcript::{Did, Sent, Turn};
use run::{Outcome, Payload};
use specialist::Step;
use text::Clean;
use text::words::{Language, content_stems};

/// Turns that must be left before memory is asked to keep something: the run must be able to end after that.
const LEAST_TURNS: u32 = 3;

/// Whether a turn asked memory to keep something.
pub(super) fn is_keeping(turn: &Turn) -> bool {
    match &turn.did {
        Did::HandOffs(sent) => {
            sent.first().is_some_and(|sent| is_memory(sent) && sent.handoff.payload.findings.is_some())
        }
        Did::Refused { unsent: Some(unsent), .. } => {
            unsent.role.as_str() == Role::MEMORY && unsent.payload.findings.is_some()
        }
        _ => false,
    }
}

/// Whether a handoff went to memory, to which no failure policy applies.
pub(super) fn is_memory(sent: &Sent) -> bool {
    sent.role.as_str() == Role::MEMORY
}

impl Progress<'_> {
    fn has_memory(&self) -> bool {
        self.team.members.contains_key(&Role::new(Role::MEMORY))
    }

    /// Asks memory for notes on the question, before planning. It runs alone, so that its use of a cap does not depend on timing.
    pub(crate) fn asking_memory(&self) -> Option<Step> {
        let payload = Payload { question: Some(self.question()), ..Payload::default() };
        let asking = vec![sending(Role::MEMORY, "what is known?", payload)];
        self.has_memory().then(|| hand_off(Leading::Recall, "first it is asked what earlier runs have kept", asking))
    }

    /// Memory's report of its notes.
    pub(crate) fn recalled(&self) -> Option<&Payload> {
        self.transcript.sent().find(|sent| is_memory(sent))?.usable()
    }

    /// Findings that earlier runs kept and that are still in the sources, each assigned to the closest task of the
    /// plan. A finding that is close to none goes to the first task: in a plan of a whole and its parts, that is the
    /// whole.
    pub(super) fn remembered(&self, plan: &Plan) -> Vec<Finding> {
        let findings = self.recalled().map_or(&[][..], |report| report.findings());
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

    /// Before a run ends with something to keep, asks memory to keep it; then ends with this step.
    pub(crate) fn keeping(&self, step: Step) -> Step {
        let step = with_note_on_memory(step);
        let was_asked = self.transcript.turns.iter().any(|turn| is_keeping(turn));
        let Step::Report { outcome: Outcome::Done | Outcome::Partial(_) | Outcome::NothingFound, payload, .. } = &step
        else {
            return step;
        };
        let Some(draft) =
            payload.draft.as_ref().filter(|_| self.has_memory() && !was_asked && self.turns_left >= LEAST_TURNS)
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
        hand_off(Leading::Keep, "what was approved is kept for later runs", vec![sending(Role::MEMORY, &title, kept)])
    }
}

/// Notes in the brief which of its findings come from memory alone.
fn with_note_on_memory(step: Step) -> Step {
    let Step::Report { outcome, title, mut payload } = step else { return step };
    let Some(draft) = &mut payload.draft else { return Step::Report { outcome, title, payload } };
    let cited: BTreeSet<FindingId> = draft.cited().collect();
    let cited =
        payload.findings.iter().flatten().filter(|finding| finding.place.is_some() && cited.contains(&finding.id));
    let from: Vec<&Clean> = cited.filter_map(|finding| finding.kept_from.as_ref()).collect();
    if !from.is_empty() {
        let runs: BTreeSet<&str> = from.iter().map(|from| from.as_str()).collect();
        let runs: Vec<&str> = runs.into_iter().collect();
        let found = text::count(from.len(), "finding");
        let note = format!("From your notes ({}): {found} whose words still stand in the sources.", runs.join(", "));
        draft.notes.push(note.into());
    }
    Step::Report { outcome, title, payload }
}

/// The tasks of a plan by their distinctive stems.
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

    /// The task that a text shares the most stems with, the first of several; None if it shares none.
    fn best(&self, text: &str) -> Option<&'a Task> {
        let stems_of_text = stems(text);
        let shared = |stems: &BTreeSet<String>| stems.intersection(&stems_of_text).count();
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
