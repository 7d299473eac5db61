//! Plans for a question that lists several questions: one task for each, handled as if asked alone.

use super::asking;
use super::question::Asked;
use super::tool_results::ToolResults;
use crate::words::WORDS;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::tool::ToolCall;
use run::tool::builtin::Search;
use text::listed::listed;
use text::words::{fold, words};
use text::{Clean, capital};

/// Passages requested per search.
const HITS: u32 = 12;
/// The most searches for all questions together.
const MOST_SEARCHES: usize = 60;
/// The most searches for one question.
const SEARCHES: usize = 3;

/// The most words of a question whose pronoun stands for something in another one.
const MOST_OF_A_FOLLOW_UP: usize = 7;

/// The question of a task and its shape: a listed question is read on its own, and of a long text the part that asks.
pub(super) fn asked(question: &Clean, task: &Task, shape: Shape) -> (Clean, Shape) {
    match listed(question).questions.is_empty() {
        true => (asking(question), shape),
        false => {
            let shape = match Asked::read(&task.question).shape {
                // The task covers all things together: a definition of each.
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
    let task = |(at, n): (usize, u32)| {
        let title = &listed[at];
        let question = match referent(listed, at) {
            Some(name) => Clean::line(&format!("{name}: {title}")),
            None => title.clone(),
        };
        let asked = Asked::read(&question);
        let topic = if asked.items.is_empty() { &asked.phrases } else { &asked.items };
        Task {
            topic: topic.iter().map(|name| Clean::line(name)).collect(),
            aspects: asked.aspects.iter().filter(|aspect| results.is_known(aspect)).map(|a| Clean::line(a)).collect(),
            ..Task::new(TaskId(n), Clean::line(&capital(title)), question)
        }
    };
    let why = format!("{} questions are listed: one task for each.", listed.len());
    let tasks = (0..listed.len()).zip(1..).map(task).collect();
    Plan { shape: Shape::Facets, tasks, why: why.as_str().into() }
}

/// The thing that the pronoun at the beginning of a listed question stands for: the subject of the nearest question before it that
/// has one and agrees in number. None if the question names something itself, or none of those before does.
fn referent(listed: &[Clean], at: usize) -> Option<String> {
    let words: Vec<&str> = words(&listed[at]).collect();
    let names = words.iter().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let after_verb = |pair: &[&str]| WORDS.auxiliaries.contains(&*fold(pair[0])).then(|| fold(pair[1]).into_owned());
    let several = match words.windows(2).find_map(after_verb).as_deref() {
        Some("it" | "its") => false,
        Some("they" | "their") => true,
        _ => return None,
    };
    if names || words.len() > MOST_OF_A_FOLLOW_UP {
        return None;
    }
    let before = listed[..at].iter().rev();
    let named = before.flat_map(|question| Asked::read(question).phrases.into_iter().map(move |name| (question, name)));
    let fitting: Vec<(&Clean, String)> = named.filter(|(_, name)| is_plural(name) == several).collect();
    let subject = fitting.iter().find(|(question, name)| is_subject(question, name)).or(fitting.first());
    subject.map(|(_, name)| name.clone())
}

fn is_plural(name: &str) -> bool {
    name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us") && !name.ends_with("is")
}

/// Whether a name is the subject of a question: it stands behind an auxiliary verb, as in "How long are backups kept?".
fn is_subject(question: &str, name: &str) -> bool {
    let lower = question.to_lowercase();
    let before = lower.find(&name.to_lowercase()).map_or("", |at| &lower[..at]);
    let mut back =
        before.split_whitespace().rev().skip_while(|word| matches!(*word, "the" | "a" | "an" | "my" | "our"));
    back.next().is_some_and(|word| WORDS.auxiliaries.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_in_a_listed_question_stands_for_the_subject_of_one_before_it() {
        let last = |text: &str| {
            let questions: Vec<Clean> = listed(text).questions.iter().map(|question| Clean::line(question)).collect();
            plan(&questions, &ToolResults::default()).tasks.last().map(|task| task.question.to_string())
        };
        for (text, asked) in [
            ("How long are backups kept? Who makes restores? When do they run?", "backups: When do they run?"),
            ("What is Qdrant? Which metrics are there? How fast is it?", "Qdrant: How fast is it?"),
            ("1. What is a checkpoint?\n2. How often does it run?", "checkpoint: How often does it run?"),
            ("What is a list? What is a tuple? What does a set cost?", "What does a set cost?"),
            ("What is a tuple? How do I sort tuples? Does it rain in Spain?", "Does it rain in Spain?"),
        ] {
            assert_eq!(last(text).as_deref(), Some(asked), "{text}");
        }
    }
}
