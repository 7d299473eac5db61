//! A question that lists questions: one task for each of them, each read and looked for as if it had been asked alone.

use super::landscape::Landscape;
use super::material::Material;
use super::question::Asked;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::tool::ToolCall;
use run::tool::builtin::Search;
use text::Clean;
use text::listed::{Listed, listed};

/// Passages asked of each search.
const HITS: u32 = 12;
/// Searches for all questions together.
const MOST_SEARCHES: usize = 60;
/// Searches for one question.
const SEARCHES: usize = 3;

/// The questions that are listed; None if it is one question.
pub(super) fn read(question: &str) -> Option<Listed> {
    Some(listed(question)).filter(|listed| !listed.questions.is_empty())
}

/// What a brief on a list of questions is called: what stands before them, or how many there are.
pub fn title(question: &str) -> Option<Clean> {
    let listed = read(question)?;
    Some(match listed.before.trim_end_matches([':', ' ']) {
        "" => Clean::line(&format!("{} questions", listed.questions.len())),
        before => Clean::line(before),
    })
}

/// What is asked and what kind of question it is, for whoever works on one task: a question that was listed stands for
/// itself.
pub(super) fn asked(question: &Clean, task: &Task, shape: Shape) -> (Clean, Shape) {
    match read(question) {
        None => (question.clone(), shape),
        Some(_) => {
            let shape = match Asked::read(&task.question).shape {
                // One task for all that is compared or named: what each of them is.
                Shape::Comparison | Shape::Each => Shape::Overview,
                shape => shape,
            };
            (task.question.clone(), shape)
        }
    }
}

/// Looks how the sources name what each question is about.
pub(super) fn searches(listed: &Listed) -> Vec<ToolCall> {
    let each = (MOST_SEARCHES / listed.questions.len().max(1)).clamp(1, SEARCHES);
    let queries = listed.questions.iter().take(MOST_SEARCHES).flat_map(|question| {
        let phrases = Asked::read(question).phrases;
        std::iter::once(question.clone()).chain(phrases).take(each)
    });
    let mut seen = std::collections::BTreeSet::new();
    queries
        .filter(|query| seen.insert(query.to_lowercase()))
        .map(|query| Search::new(Clean::line(&query), HITS).into())
        .collect()
}

/// One task for each question.
pub(super) fn plan(listed: &Listed, material: &Material) -> Plan {
    let task = |(question, n): (&String, u32)| {
        let asked = Asked::read(question);
        let queries: Vec<&str> =
            std::iter::once(question.as_str()).chain(asked.phrases.iter().map(String::as_str)).collect();
        let own = material.of_searches(&queries);
        let land = Landscape::new(question, &asked, &own);
        let topic = if asked.items.is_empty() { land.topic() } else { asked.items.clone() };
        Task {
            topic: topic.iter().map(|name| Clean::line(name)).collect(),
            aspects: asked.aspects.iter().filter(|aspect| land.is_known(aspect)).map(|a| Clean::line(a)).collect(),
            ..Task::new(TaskId(n), Clean::line(&capital(question)), Clean::line(question))
        }
    };
    let why = format!("{} questions are listed: one task for each.", listed.questions.len());
    let tasks = listed.questions.iter().zip(1..).map(task).collect();
    Plan { shape: Shape::Facets, tasks, why: why.as_str().into() }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
