//! Plans for a question that lists several questions: one task for each, handled as if asked alone.

use super::question::Asked;
use super::tool_results::ToolResults;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::tool::ToolCall;
use run::tool::builtin::Search;
use text::Clean;
use text::listed::listed;

/// Passages requested per search.
const HITS: u32 = 12;
/// The most searches for all questions together.
const MOST_SEARCHES: usize = 60;
/// The most searches for one question.
const SEARCHES: usize = 3;

/// The title of a brief on a list of questions: its introduction, or the number of questions.
pub fn title(question: &str) -> Option<Clean> {
    let listed = listed(question);
    (!listed.questions.is_empty()).then(|| match listed.before.trim_end_matches([':', ' ']) {
        "" => Clean::line(&format!("{} questions", listed.questions.len())),
        before => Clean::line(before),
    })
}

/// The question of a task and its shape: a listed question is read on its own.
pub(super) fn asked(question: &Clean, task: &Task, shape: Shape) -> (Clean, Shape) {
    match listed(question).questions.is_empty() {
        true => (question.clone(), shape),
        false => {
            let shape = match Asked::read(&task.question).shape {
                // The task covers all things together: what each is.
                Shape::Comparison | Shape::Each => Shape::Overview,
                shape => shape,
            };
            (task.question.clone(), shape)
        }
    }
}

/// Searches for the names that the sources use for the topic of each question.
pub(super) fn searches(listed: &[Clean]) -> Vec<ToolCall> {
    let each = (MOST_SEARCHES / listed.len().max(1)).clamp(1, SEARCHES);
    let queries = listed.iter().take(MOST_SEARCHES).flat_map(|question| {
        let phrases = Asked::read(question).phrases;
        std::iter::once(question.to_string()).chain(phrases).take(each)
    });
    let mut seen = std::collections::BTreeSet::new();
    queries
        .filter(|query| seen.insert(query.to_lowercase()))
        .map(|query| Search::new(Clean::line(&query), HITS).into())
        .collect()
}

/// A plan with one task per question.
pub(super) fn plan(listed: &[Clean], results: &ToolResults) -> Plan {
    let task = |(question, n): (&Clean, u32)| {
        let asked = Asked::read(question);
        let topic = if asked.items.is_empty() { &asked.phrases } else { &asked.items };
        Task {
            topic: topic.iter().map(|name| Clean::line(name)).collect(),
            aspects: asked.aspects.iter().filter(|aspect| results.is_known(aspect)).map(|a| Clean::line(a)).collect(),
            ..Task::new(TaskId(n), Clean::line(&capital(question)), question.clone())
        }
    };
    let why = format!("{} questions are listed: one task for each.", listed.len());
    let tasks = listed.iter().zip(1..).map(task).collect();
    Plan { shape: Shape::Facets, tasks, why: why.as_str().into() }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
