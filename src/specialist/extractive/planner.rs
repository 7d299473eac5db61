//! Planner: determines the shape of the question and cuts it into tasks by rule: by the things it names, its clauses,
//! its aspects, the steps of a history.
//!
//! It does not look for answers, and sets no topic that everything else must match.

use std::collections::BTreeSet;

use super::ask::{as_spelt, asked_words, synonyms_of_missing};
use super::asked_of_each::AskedOfEach;
use super::changelog;
use super::clauses::{Clause, leans};
use super::overview::{self, Looked};
use super::phrases::{is_cue, phrases};
use super::question::Asked;
use super::question_list;
use super::tool_results::ToolResults;
use super::topic::{Name, Tokens};
use super::{asking, named_in};
use crate::words::WORDS;
use crate::{Assigned, Specialist, Step};
use run::handoff::Payload;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::stage::Planning;
use run::tool::ToolCall;
use run::tool::builtin::Search;
use run::transcript::Transcript;
use text::words::{is_stop, words};
use text::{Clean, count, first_words};

/// Passages requested per search.
const HITS: u32 = 30;
/// The most parts of a question with a task each, besides the task for the whole.
const MOST_PARTS: usize = Plan::USUAL_MOST as usize - 1;
/// The most steps of a history.
const MOST_STEPS: usize = 9;
/// A question that begins with one of these asks for more than a definition of its topic.
const ASK_MORE: [&str; 17] = [
    "are", "can", "could", "do", "does", "how", "is", "may", "must", "should", "when", "where", "which", "who",
    "whose", "why", "will",
];
/// The most words of a task's title.
const MOST_OF_A_TITLE: usize = 12;
/// The question of a comparison on each thing, if the user's question has none.
const USUAL: &str = "what it is, what speaks for it and against it";
/// Whether a task asks the usual question of a bare comparison.
pub(super) fn asks_the_usual(question: &str) -> bool {
    question.contains(USUAL)
}

/// The title of the task for the whole question, if there are others.
pub const WHOLE: &str = "The question as a whole";

pub(super) struct Planner;

impl Specialist for Planner {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.waits() {
            return Step::Wait;
        }
        let question = assigned.handoff.payload.question.clone().unwrap_or_default();
        if let (Some(plan), Some(wish)) =
            (assigned.handoff.payload.plan.as_ref(), assigned.handoff.payload.notes().first())
        {
            return report(with_wish(plan.clone(), &question, wish));
        }
        let results = ToolResults::of(transcript);
        let named = named_in(&assigned.handoff.payload);
        if !named.questions.is_empty() {
            let listed = &named.questions;
            let last = assigned.turns_left <= 1 || !transcript.turns.is_empty();
            return match last {
                true => report(weighed(question_list::plan(listed, &results), &question, &[], &results)),
                false => Step::Use {
                    stage: Planning::Search.into(),
                    why: "See how the sources name what each question is about.".into(),
                    requests: question_list::searches(listed),
                },
            };
        }
        let question = asking(&question);
        if overview::is_asked(&question) {
            let looked = Looked::of(transcript);
            // A call that failed or was refused is not repeated.
            let may_look = assigned.turns_left > 1 && transcript.turns.len() == looked.calls();
            if let Some((stage, request)) = looked.next().filter(|_| may_look) {
                let why = "The question is about the documents as such: see which there are.".into();
                return Step::Use { stage: stage.into(), why, requests: vec![request] };
            }
            if let Some(plan) = looked.plan(&question) {
                return report(plan);
            }
        }
        let asked = Asked::of(&question, &named);
        let last = assigned.turns_left <= 1 || transcript.is_refused();
        match transcript.turns.len() {
            0 if !last => {
                let why = "See how the sources name what is asked about.".into();
                Step::Use { stage: Planning::Search.into(), why, requests: searches(&question, &asked) }
            }
            1 if !last && !synonyms_of_missing(&question, &results).is_empty() => {
                let why = "See whether the sources have other words for those that they lack.".into();
                let query = Clean::line(&synonyms_of_missing(&question, &results));
                Step::Use { stage: Planning::Search.into(), why, requests: vec![Search::new(query, HITS).into()] }
            }
            _ => report(Cut { question: &question, asked: &asked, results: &results }.plan()),
        }
    }
}

fn report(plan: Plan) -> Step {
    Step::done(count(plan.tasks.len(), "task"), Payload { plan: Some(plan), ..Payload::default() })
}

/// Adds to each task the weights of its words in the sources, for words that the question has too. Names listed in
/// `by_name` are excepted: they have their own gaps if the sources lack them.
fn weighed(mut plan: Plan, question: &str, by_name: &[&[String]], results: &ToolResults) -> Plan {
    let asked = Tokens::of(question).content();
    let named: BTreeSet<String> =
        by_name.iter().copied().flatten().flat_map(|name| Tokens::of(name).content()).collect();
    for task in &mut plan.tasks {
        task.words = asked_words(&task.question, &asked, &named, results);
    }
    plan
}

/// Adds the person's request as a task of its own.
fn with_wish(mut plan: Plan, question: &Clean, wish: &Clean) -> Plan {
    let id = plan.tasks.iter().map(|task| task.id.0).max().unwrap_or(0).saturating_add(1);
    let mut topic: Vec<String> = phrases(wish);
    if topic.is_empty() {
        topic.push(wish.to_string());
    }
    let asks = format!("{wish}: {}", question.trim_end_matches('?'));
    plan.tasks.push(task(id as usize, &capital(wish), &asks, topic, vec![]));
    plan.why = Clean::line(&format!("{} One task more for what you wished.", plan.why));
    plan
}

fn searches(question: &str, asked: &Asked) -> Vec<ToolCall> {
    let mut queries = vec![question.to_string()];
    queries.extend(asked.items.iter().cloned());
    if asked.items.is_empty() {
        queries.extend(asked.phrases.iter().take(4).cloned());
        if asked.phrases.len() > 1 {
            queries.push(asked.phrases.join(" "));
        }
    }
    if asked.shape == Shape::History {
        queries.extend(asked.phrases.iter().take(2).flat_map(|phrase| {
            [format!("what's new {phrase}"), format!("{phrase} new in version"), format!("{phrase} changed in version")]
        }));
    }
    let mut seen = BTreeSet::new();
    queries.retain(|query| !query.trim().is_empty() && seen.insert(query.to_lowercase()));
    queries.into_iter().map(|query| Search::new(Clean::line(&query), HITS).into()).collect()
}

struct Cut<'a> {
    question: &'a Clean,
    asked: &'a Asked,
    results: &'a ToolResults,
}

impl Cut<'_> {
    /// Cuts the question by its own words, not by the structure of the sources.
    fn plan(&self) -> Plan {
        let (mut tasks, why) = match self.asked.shape {
            _ if self.asked.items.len() > 1 => self.one_by_one(),
            Shape::History => self.history(),
            _ => self.parts(),
        };
        let with_whole = tasks.len() > 1 && self.asked.items.is_empty() && self.asked.shape != Shape::History;
        tasks.truncate(if with_whole { MOST_PARTS } else { Plan::USUAL_MOST as usize });
        if with_whole {
            // Passages may answer the question but none of its parts.
            tasks.push(task(tasks.len() + 1, WHOLE, self.question, self.topic(), vec![]));
        }
        // Sentences are matched by the names as the sources spell them.
        for name in tasks.iter_mut().flat_map(|task| &mut task.topic) {
            *name = Clean::line(&as_spelt(name, |stem| self.results.read_as(stem)));
        }
        let Asked { items, aspects, years, .. } = self.asked;
        let plan = Plan { shape: self.asked.shape, tasks, why: why.into() };
        weighed(plan, self.question, &[items, aspects, years], self.results)
    }

    /// The topic of the question, in its own words.
    fn topic(&self) -> Vec<String> {
        let spanned = |phrase: &String| {
            self.asked.span.as_ref().is_some_and(|(from, to)| from.contains(phrase) || to.contains(phrase))
        };
        let known = |phrase: &&String| {
            phrase.contains(char::is_alphabetic) && !spanned(phrase) && self.results.is_known(phrase)
        };
        self.asked.phrases.iter().filter(known).cloned().collect()
    }

    /// One task per thing that the question names.
    fn one_by_one(&self) -> (Vec<Task>, String) {
        let items = &self.asked.items;
        let mut aspects = self.asked.aspects.clone();
        aspects.retain(|aspect| self.results.is_known(aspect));
        let aspects_named = self.asked.aspects.len();
        let unknown = aspects_named - aspects.len();
        // The question on them all, if there is one.
        let whole = self.question.trim_end_matches(['?', '.', '!', ' ']);
        let clauses = self.asked.clauses.iter().map(|clause| clause.text.as_str()).chain([whole]);
        let of_each = clauses.filter(|_| aspects_named == 0).find_map(|clause| AskedOfEach::of(clause, items));
        // Things that the sources lack are still asked for: a gap must have been searched for.
        let asks_of = |item: &String| match of_each {
            Some(of_each) => of_each.asked(item, USUAL),
            None if aspects_named == 0 => format!("{item}: {USUAL}"),
            None => format!("{item}: {}", self.asked.aspects.join(", ")),
        };
        // They may stand in the question on each.
        let has_years = |of_each: AskedOfEach| self.asked.years.iter().all(|year| of_each.has(year));
        let years = match self.asked.years.is_empty() || of_each.is_some_and(has_years) {
            true => String::new(),
            false => format!(" ({})", self.asked.years.join(", ")),
        };
        // "Which is cheaper", "which one should I use": the findings on each thing answer that.
        let is_choice = |clause: &Clause| {
            let mut asked = words(&clause.text);
            asked.next().is_some_and(|first| first.eq_ignore_ascii_case("which")) && asked.all(only_chooses)
        };
        let (with_names, besides_each): (Vec<&Clause>, Vec<&Clause>) = self
            .asked
            .clauses
            .iter()
            .skip(1)
            .filter(|clause| !is_choice(clause))
            .partition(|clause| !phrases(&clause.text).is_empty());
        // A clause that names nothing asks of each thing: "what do I lose with each".
        let besides = besides_each.iter().fold(years, |asks, clause| format!("{asks}, {}", clause.text));
        let mut tasks: Vec<Task> = items
            .iter()
            .zip(1..)
            .map(|(item, id)| {
                task(id, item, &format!("{}{besides}", asks_of(item)), vec![item.clone()], aspects.clone())
            })
            .collect();
        // Another clause becomes a task if it is not about the things.
        let is_about_them = |clause: &Clause| items.iter().any(|item| clause.text.contains(item.as_str()));
        for clause in with_names.into_iter().filter(|clause| !is_about_them(clause)) {
            tasks.push(of_clause(tasks.len() + 1, clause));
        }
        let fallback = match unknown {
            0 => "",
            _ => " The sources do not seem to know all of the sides asked for; they are searched for all the same.",
        };
        let asks = if self.asked.shape == Shape::Comparison { "compares" } else { "names" };
        let most = Plan::USUAL_MOST as usize;
        let besides = if tasks.len().min(most) > items.len() { " What else it asks is asked besides." } else { "" };
        let each = one_for_each(items.len(), most);
        (tasks, format!("The question {asks} {} things: {each}.{besides}{fallback}", items.len()))
    }

    /// One task per version or period.
    fn history(&self) -> (Vec<Task>, String) {
        let topic = self.topic();
        let name = topic.first().cloned().unwrap_or_default();
        let mut steps = self.asked.span.as_ref().and_then(|(from, to)| versions(from, to)).unwrap_or_default();
        let spanned = !steps.is_empty();
        if !spanned {
            let names: Vec<Name> = topic.iter().filter_map(|name| Name::new(name)).collect();
            steps = changelog::steps(self.results, &names, MOST_STEPS);
        }
        if steps.len() < 2 {
            let tasks = vec![task(1, &capital(&name), self.question, topic, vec![])];
            return (tasks, "One thing and its history: one task.".into());
        }
        let tasks = steps
            .iter()
            .zip(1..)
            .map(|(step, id)| {
                task(id, step, &format!("{name}: what changed in {step}"), topic.clone(), vec![step.clone()])
            })
            .collect();
        let whose = if spanned { "The question names a span of" } else { "The sources tell the history in" };
        (tasks, format!("{whose} {} steps: one task for each.", steps.len()))
    }

    /// A task for each clause of the question, or for each aspect of its topic; else one task for all of it.
    fn parts(&self) -> (Vec<Task>, String) {
        let clauses = &self.asked.clauses;
        if clauses.len() > 1 {
            let tasks = clauses.iter().zip(1..).map(|(clause, id)| of_clause(id, clause));
            let each = one_for_each(clauses.len(), MOST_PARTS);
            return (tasks.collect(), format!("The question asks {} things: {each}.", clauses.len()));
        }
        let sides: Vec<&String> = self.asked.aspects.iter().filter(|side| self.results.is_known(side)).collect();
        if self.asked.shape == Shape::Facets && sides.len() > 1 {
            let tasks = sides.iter().zip(1..).map(|(side, id)| {
                task(id, &capital(side), &format!("{side}: {}", self.question), self.topic(), vec![side.to_string()])
            });
            let each = one_for_each(sides.len(), MOST_PARTS);
            return (tasks.collect(), format!("The question asks for {} sides: {each}.", sides.len()));
        }
        let topic = self.topic();
        // The topic is the title only if the question has no other words and asks what it is: "founded debian" is no
        // name.
        let says_more = |name: &String| {
            let own: Vec<&str> = words(name).collect();
            let says_else = words(self.question).any(|word| !own.contains(&word) && !is_stop(word) && !is_cue(word));
            let asked = self.question.to_lowercase();
            let asks_more = words(&asked).next().is_some_and(|first| ASK_MORE.contains(&first));
            let ends_with_it = asked.trim_end_matches(['?', '.', '!', ' ']).ends_with(&name.to_lowercase());
            says_else || asks_more || !ends_with_it
        };
        let title = match self.asked.phrases.as_slice() {
            [only] if topic.contains(only) && !says_more(only) => capital(only),
            // The title is the question, without the statements before it.
            _ => match clauses.as_slice() {
                [only] if !leans(&only.text) => capital(&only.text),
                _ => capital(Clean::line(self.question).trim_end_matches(['?', '.', '!', ' '])),
            },
        };
        (vec![task(1, &title, self.question, topic, vec![])], "It is one question: one task.".into())
    }
}

/// Whether a word of a clause says no more than that one of several things is to be chosen.
fn only_chooses(word: &str) -> bool {
    let word = word.to_lowercase();
    is_stop(&word) || is_cue(&word) || WORDS.choosing.contains(&word)
}

/// The number of things that have a task, in words.
fn one_for_each(things: usize, most: usize) -> String {
    if things <= most { "one task for each".to_owned() } else { format!("one task for each of the first {most}") }
}

fn task(id: usize, title: &str, question: &str, topic: Vec<String>, aspects: Vec<String>) -> Task {
    // A heading must be short; the question is kept whole.
    let title = first_words(title, MOST_OF_A_TITLE);
    Task {
        topic: topic.iter().map(|name| Clean::line(name)).collect(),
        aspects: aspects.iter().map(|aspect| Clean::line(aspect)).collect(),
        ..Task::new(TaskId(id as u32), Clean::line(&title), Clean::line(question))
    }
}

/// The task for a clause: its title is the clause, its question also has the subject.
fn of_clause(id: usize, clause: &Clause) -> Task {
    let asks = clause.alone();
    task(id, &capital(&clause.text), &asks, phrases(&asks), vec![])
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    // A name with a capital or symbol inside keeps its spelling.
    let plain = text.chars().all(|c| c.is_lowercase() || c == ' ' || c == '-');
    match chars.next() {
        Some(first) if plain || text.contains(' ') => first.to_uppercase().chain(chars).collect(),
        _ => text.to_string(),
    }
}

/// All versions from "Python 3.4" to "Python 3.11", if they are few.
fn versions(from: &str, to: &str) -> Option<Vec<String>> {
    let (name, from) = from.rsplit_once(' ').unwrap_or(("", from));
    let to = to.rsplit_once(' ').map_or(to, |(_, version)| version);
    let lead = if name.is_empty() { String::new() } else { format!("{name} ") };
    let ((major, a), (same, b)) = (from.rsplit_once('.')?, to.rsplit_once('.')?);
    let (a, b): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
    (major == same && a < b && b - a < 8).then(|| (a..=b).map(|minor| format!("{lead}{major}.{minor}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_things_that_are_compared_have_a_task_each() {
        let question: Clean =
            "Compare Amber, Basalt, Cobalt, Dolomite, Emerald, Feldspar, Garnet, Hematite, Iolite and Jasper".into();
        let asked = Asked::of(&question, &text::named::Named::read(&question));
        let plan = Cut { question: &question, asked: &asked, results: &ToolResults::default() }.plan();
        assert_eq!(plan.tasks.len(), 10, "{plan:#?}");
        assert!(plan.tasks.iter().any(|task| task.title.contains("Jasper")), "{plan:#?}");
    }

    #[test]
    fn a_misspelt_thing_is_looked_for_as_the_sources_spell_it() {
        let question: Clean = "Compare the live-biuld and the live-boot tool".into();
        let asked = Asked::of(&question, &text::named::Named::read(&question));
        let mut results = ToolResults::default();
        results.correct("biuld", "build");
        let plan = Cut { question: &question, asked: &asked, results: &results }.plan();
        let topics: Vec<&str> = plan.tasks.iter().map(|task| task.topic[0].as_str()).collect();
        assert!(topics[0].contains("live-build") && topics[1].contains("live-boot"), "{plan:#?}");
        assert!(plan.tasks[0].title.contains("live-biuld"), "it is told as it was asked: {plan:#?}");
    }

    #[test]
    fn a_clause_that_names_nothing_is_asked_of_each_compared_thing() {
        let question: Clean = "partial clone vs shallow clone, what do I lose with each?".into();
        let asked = Asked::of(&question, &text::named::Named::read(&question));
        let plan = Cut { question: &question, asked: &asked, results: &ToolResults::default() }.plan();
        let asks: Vec<&str> = plan.tasks.iter().map(|task| task.question.as_str()).collect();
        let each = "what it is, what speaks for it and against it, what do I lose with each";
        assert_eq!(asks, [format!("partial clone: {each}"), format!("shallow clone: {each}")]);
    }

    #[test]
    fn what_is_asked_besides_a_difference_is_a_task_unless_it_only_asks_for_a_choice() {
        let tasks = |question: &str| {
            let question = Clean::from(question);
            let asked = Asked::of(&question, &text::named::Named::read(&question));
            let plan = Cut { question: &question, asked: &asked, results: &ToolResults::default() }.plan();
            plan.tasks.into_iter().map(|task| task.question.to_string()).collect::<Vec<_>>()
        };
        let asks =
            tasks("What's the difference between hourly.0 and daily.0, and which one gets copied from the filesystem?");
        assert!(asks.iter().any(|asks| asks.contains("copied from the filesystem")), "{asks:?}");
        let asks = tasks("What's the difference between Qdrant and Pinecone, and which one is better?");
        assert!(asks.len() == 2 && !asks.iter().any(|asks| asks.contains("better")), "{asks:?}");
    }

    #[test]
    fn what_is_asked_of_two_things_is_asked_in_the_task_of_each() {
        for (question, asks) in [
            (
                "Do Qdrant and Pinecone support filtering?",
                ["Does Qdrant support filtering", "Does Pinecone support filtering"],
            ),
            (
                "Compare Qdrant with Pinecone and tell me which to use",
                [
                    "Qdrant: what it is, what speaks for it and against it",
                    "Pinecone: what it is, what speaks for it and against it",
                ],
            ),
            ("Compare Qdrant and Pinecone in terms of cost", ["Qdrant: cost", "Pinecone: cost"]),
            (
                "Do Qdrant and Pinecone support filtering in 2024?",
                ["Does Qdrant support filtering in 2024", "Does Pinecone support filtering in 2024"],
            ),
        ] {
            let question = Clean::line(question);
            let asked = Asked::of(&question, &text::named::Named::read(&question));
            let plan = Cut { question: &question, asked: &asked, results: &ToolResults::default() }.plan();
            let asked: Vec<&str> = plan.tasks.iter().map(|task| task.question.as_str()).collect();
            assert_eq!(asked, asks, "{question}");
        }
    }

    #[test]
    fn a_plan_that_has_no_room_for_all_things_says_so() {
        let question: Clean =
            "Compare Amber, Basalt, Cobalt, Dolomite, Emerald, Feldspar, Garnet, Hematite, Iolite, Jasper, \
                               Kyanite and Lapis"
                .into();
        let asked = Asked::of(&question, &text::named::Named::read(&question));
        let plan = Cut { question: &question, asked: &asked, results: &ToolResults::default() }.plan();
        assert_eq!(plan.tasks.len(), 10, "{plan:#?}");
        assert_eq!(plan.why.as_str(), "The question compares 12 things: one task for each of the first 10.");
    }

    #[test]
    fn spans_of_versions_are_counted_out() {
        assert_eq!(versions("Python 3.9", "Python 3.11").unwrap(), ["Python 3.9", "Python 3.10", "Python 3.11"]);
        assert_eq!(versions("3.1", "3.30"), None);
    }
}
