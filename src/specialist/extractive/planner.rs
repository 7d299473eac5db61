//! Planner: determines the shape of the question, compares it with the sources, and cuts it into tasks by rule.
//!
//! It never looks for answers, only for how the sources name and divide the topic.

use std::collections::BTreeSet;

use super::changelog::is_changelog;
use super::claim::is_signature;
use super::named_in;
use super::phrases::phrases;
use super::question::Asked;
use super::question_list;
use super::source_map::{Section, SourceMap, bare, is_furniture, member};
use super::synonyms::other_words;
use super::tool_results::ToolResults;
use super::topic::{Name, Tokens};
use super::topic_names;
use crate::{Assigned, Specialist, Step};
use run::handoff::Payload;
use run::id::TaskId;
use run::plan::{Plan, Shape, Task};
use run::stage::Planning;
use run::tool::ToolCall;
use run::tool::builtin::{Outline, Search};
use run::transcript::Transcript;
use text::words::{fold, words};
use text::{Clean, count};

/// Passages requested per search.
const HITS: u32 = 30;
/// The most pages whose outline is read.
const MOST_OUTLINES: usize = 4;
/// The most sub-topics taken from headings of the sources.
const MOST_SECTIONS: usize = 8;
/// The most steps of a history.
const MOST_STEPS: usize = 9;
/// The least score of a sub-topic's section, as a share of the best section's.
const WORTH_A_TASK: f64 = 0.15;
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
                true => report(question_list::plan(listed, &results)),
                false => Step::Use {
                    stage: Planning::Search.into(),
                    why: "See how the sources name what each question is about.".into(),
                    requests: question_list::searches(listed),
                },
            };
        }
        let asked = Asked::of(&question, &named);
        let cut = Cut { question: &question, asked: &asked, map: SourceMap::new(&question, &asked, &results) };
        let last = assigned.turns_left <= 1 || transcript.refusal().is_some();
        let outlines = cut.outlines();
        match transcript.turns.len() {
            0 if !last => {
                let why = "See how the sources name what is asked about.".into();
                Step::Use { stage: Planning::Search.into(), why, requests: searches(&question, &asked) }
            }
            1 if !last && !outlines.is_empty() => {
                let why = "See how the best pages divide it.".into();
                Step::Use { stage: Planning::Outline.into(), why, requests: outlines }
            }
            _ => report(cut.plan()),
        }
    }
}

fn report(plan: Plan) -> Step {
    Step::done(count(plan.tasks.len(), "task"), Payload { plan: Some(plan), ..Payload::default() })
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
    queries.extend(other_words(question));
    let mut seen = BTreeSet::new();
    queries.retain(|query| !query.trim().is_empty() && seen.insert(query.to_lowercase()));
    queries.into_iter().map(|query| Search::new(Clean::line(&query), HITS).into()).collect()
}

struct Cut<'a> {
    question: &'a Clean,
    asked: &'a Asked,
    map: SourceMap<'a>,
}

impl Cut<'_> {
    /// Requests the outlines of the pages with the best sections.
    fn outlines(&self) -> Vec<ToolCall> {
        let mut pages: Vec<_> = Vec::new();
        for section in self.map.sections(&[]) {
            if !pages.contains(&section.source.id) && pages.len() < MOST_OUTLINES {
                pages.push(section.source.id);
            }
        }
        pages.into_iter().map(|source| Outline { source }.into()).collect()
    }

    fn plan(&self) -> Plan {
        let (tasks, why) = match self.asked.shape {
            _ if self.asked.items.len() > 1 => self.one_by_one(),
            Shape::History => self.history(),
            Shape::Each => self.each(),
            _ => self.sections(),
        };
        let mut plan = Plan { shape: self.asked.shape, tasks, why: why.into() };
        plan.tasks.truncate(Plan::USUAL_MOST as usize);
        if plan.tasks.is_empty() {
            let topic = self.map.topic();
            let title =
                topic.first().map_or_else(|| self.question.trim_end_matches('?').to_string(), |name| capital(name));
            plan.tasks.push(task(1, &title, self.question, topic, vec![]));
        }
        plan
    }

    /// One task per thing that the question names.
    fn one_by_one(&self) -> (Vec<Task>, String) {
        let items = &self.asked.items;
        let mut aspects = self.asked.aspects.clone();
        aspects.retain(|aspect| self.map.is_known(aspect));
        let unknown = self.asked.aspects.len() - aspects.len();
        // What the sources do not know is asked for all the same: it is a gap only once it was searched for.
        let asks = match self.asked.aspects.is_empty() {
            true => "what it is, what speaks for it and against it".to_string(),
            false => self.asked.aspects.join(", "),
        };
        let asks = match self.asked.years.is_empty() {
            true => asks,
            false => format!("{asks} ({})", self.asked.years.join(", ")),
        };
        let tasks = items
            .iter()
            .zip(1..)
            .map(|(item, id)| task(id, item, &format!("{item}: {asks}"), vec![item.clone()], aspects.clone()))
            .collect();
        let fallback = match unknown {
            0 => "",
            _ => " The sources do not seem to know all of the sides asked for; they are searched for all the same.",
        };
        let asks = if self.asked.shape == Shape::Comparison { "compares" } else { "names" };
        (tasks, format!("The question {asks} {} things: one task for each.{fallback}", items.len()))
    }

    /// One task per version or period.
    fn history(&self) -> (Vec<Task>, String) {
        let topic = self.map.topic();
        let name = topic.first().cloned().unwrap_or_default();
        let mut steps = self.asked.span.as_ref().and_then(|(from, to)| versions(from, to)).unwrap_or_default();
        let spanned = !steps.is_empty();
        if !spanned {
            let names: Vec<Name> = topic.iter().filter_map(|name| Name::new(name)).collect();
            steps = self.map.steps(&names, MOST_STEPS);
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

    /// One task per member of a group: the sections below the one that covers the group best.
    fn each(&self) -> (Vec<Task>, String) {
        let names: Vec<Name> = self.map.topic().iter().filter_map(|name| Name::new(name)).collect();
        let carries = |heading: &str| names.iter().any(|name| name.is_in(&Tokens::of(heading)));
        let mut best: Option<(f64, &Clean, Vec<&Clean>)> = None;
        let mut looked = BTreeSet::new();
        for section in self.map.sections(&[]) {
            let Some(outline) = self.map.outline(&section.source.path).filter(|o| looked.insert(&o.source.id)) else {
                continue;
            };
            for parent in
                outline.sections.iter().filter(|s| carries(s.headings.last().unwrap_or(&outline.source.title)))
            {
                let children = children(outline, &parent.headings);
                let score = self.map.score_below(&outline.source.path, &parent.headings) + children.len() as f64 * 0.2;
                let members = children.iter().filter(|child| carries(child)).count();
                if members >= 3
                    && members * 2 >= children.len()
                    && best.as_ref().is_none_or(|(known, ..)| score > *known)
                {
                    best = Some((score, parent.headings.last().unwrap_or(&outline.source.title), children));
                }
            }
        }
        let Some((_, over, mut children)) = best else { return self.sections() };
        // Members carry the name of the group in their headings; other headings are about the group.
        children.retain(|child| carries(child));
        let over = bare(over);
        let topic: Vec<String> = self
            .asked
            .phrases
            .iter()
            .filter(|p| Name::new(p).is_some_and(|n| n.is_in(&Tokens::of(&over))))
            .cloned()
            .collect();
        let mut tasks = vec![task(1, &over, &format!("{over}: what all have in common"), topic, vec![])];
        for chunk in children.chunks(children.len().div_ceil(7)) {
            let names: Vec<String> = chunk.iter().map(|child| bare(child)).collect();
            let short: Vec<String> = names.iter().map(|name| member(name)).collect();
            let question = format!("{over}: {}", names.join(", "));
            tasks.push(task(tasks.len() + 1, &short.join(", "), &question, short.clone(), names));
        }
        (tasks, format!("The sources list {} members under “{over}”: they are the tasks.", children.len()))
    }

    /// Tasks for the clauses or aspects of the question, then for the prominent sections of the sources.
    fn sections(&self) -> (Vec<Task>, String) {
        let topic = self.map.topic();
        let mut tasks = self.clauses(&topic);
        if tasks.is_empty() {
            tasks = self.sides(&topic);
        }
        if tasks.is_empty() {
            // "the keyboard layout and the language": both are asked about.
            let named = |name: &String| Name::new(name).is_some_and(|name| name.is_in(&Tokens::of(self.question)));
            let each: Vec<Vec<String>> = match topic.iter().all(named) {
                true => topic.iter().map(|name| vec![name.clone()]).collect(),
                false => vec![topic.clone()],
            };
            for names in each.into_iter().filter(|names| !names.is_empty()) {
                tasks.push(task(tasks.len() + 1, &capital(&names[0]), self.question, names, vec![]));
            }
        }
        let asked = tasks.len();
        if asked == 1 && !self.map.is_foreign() {
            let parts = self.asked_parts(&topic);
            if !parts.is_empty() {
                return self.tasks_of_parts(&topic, &parts);
            }
        }
        if self.map.is_foreign() {
            return (
                tasks,
                "The sources do not seem to know what is asked about; they are searched all the same.".into(),
            );
        }
        let names: Vec<Name> = topic.iter().filter_map(|name| Name::new(name)).collect();
        let mut named: Vec<BTreeSet<String>> = Vec::new();
        let mut taken: Vec<Section> = Vec::new();
        for section in self.standing_out(&names, asked > 1) {
            if tasks.len() >= MOST_SECTIONS.max(asked + 2) {
                break;
            }
            let heading = bare(section.name());
            let stems = Tokens::of(&heading).content();
            // Further sections with the same title are named by their page.
            let page = member(&bare(&section.source.title));
            let free = |title: &String| {
                let same =
                    |task: &Task| task.title.trim_end_matches('?').eq_ignore_ascii_case(title.trim_end_matches('?'));
                !tasks.iter().any(same)
            };
            let Some(title) = [member(&heading), page].into_iter().find(free) else { continue };
            if stems.is_empty() || named.contains(&stems) {
                continue;
            }
            named.push(stems);
            let question = format!("{}: {heading}", self.question.trim_end_matches('?'));
            tasks.push(task(tasks.len() + 1, &title, &question, topic.clone(), vec![heading.clone()]));
            taken.push(section);
        }
        // Each task keeps to its own section, and the overview task leaves those out.
        for (task, section) in tasks[asked..].iter_mut().zip(&taken) {
            task.within = self.map.extent(section, &taken);
        }
        if asked == 1 && self.asked.shape != Shape::Each {
            tasks[0].apart = tasks[1..].iter().filter_map(|task| task.within.clone()).collect();
        }
        let why = match (asked, tasks.len()) {
            (_, 0 | 1) => "It is one question about one thing: one task.".to_string(),
            (1, n) => format!("One task for the whole and {} for the sections of the sources that stand out.", n - 1),
            (c, n) if n == c => format!("The question asks {c} things: one task for each."),
            (c, n) => format!("The question asks {c} things; the sources add {} sections that stand out.", n - c),
        };
        (tasks, why)
    }

    /// "The climate of New Zealand": if there is a page New Zealand, its parts about climate.
    fn asked_parts(&self, topic: &[String]) -> Vec<Section> {
        let Some(page) = self.map.sections(&[]).into_iter().next() else { return Vec::new() };
        let called = Tokens::of(&member(&bare(&page.source.title))).content();
        if !topic.iter().any(|name| Tokens::of(name).content() == called) {
            return Vec::new();
        }
        let others: Vec<Name> = self
            .asked
            .phrases
            .iter()
            .filter(|phrase| !topic.contains(phrase) && !Tokens::of(phrase).content().is_subset(&called))
            .filter_map(|phrase| Name::new(phrase))
            .collect();
        let Some(outline) = self.map.outline(&page.source.path) else { return Vec::new() };
        let mut parts = self.map.parts(outline, &[]);
        parts.retain(|part| {
            let heading = Tokens::of(part.name());
            !is_furniture(part.name()) && others.iter().any(|name| name.is_in(&heading))
        });
        let outer: Vec<Vec<Clean>> = parts.iter().map(|part| part.headings.clone()).collect();
        parts.retain(|part| {
            !outer.iter().any(|above| above.len() < part.headings.len() && part.headings.starts_with(above))
        });
        parts.truncate(MOST_SECTIONS);
        parts
    }

    fn tasks_of_parts(&self, topic: &[String], parts: &[Section]) -> (Vec<Task>, String) {
        let tasks = parts.iter().zip(1..).map(|(part, id)| {
            let heading = bare(part.name());
            let question = format!("{}: {heading}", self.question.trim_end_matches('?'));
            let mut task = task(id, &member(&heading), &question, topic.to_vec(), vec![heading]);
            task.within = self.map.extent(part, parts);
            task
        });
        let why = "The sources have a page about the one thing the question names, and parts of it about the other.";
        (tasks.collect(), why.into())
    }

    /// One task per clause of the question.
    fn clauses(&self, topic: &[String]) -> Vec<Task> {
        if self.asked.clauses.len() < 2 {
            return Vec::new();
        }
        let mut tasks = Vec::new();
        for clause in &self.asked.clauses {
            let own: Vec<String> = phrases(clause)
                .into_iter()
                .filter(|phrase| self.map.is_known(phrase) && phrase.chars().any(char::is_alphabetic))
                .collect();
            let aspects: Vec<String> = own.iter().filter(|phrase| !topic.contains(phrase)).take(3).cloned().collect();
            // A clause that only refers back ("what does it change …") has the topic of the first one.
            let leans =
                words(clause).any(|word| matches!(fold(word).as_ref(), "it" | "its" | "they" | "them" | "this"));
            let words = Tokens::of(clause);
            let same = topic.iter().filter_map(|name| Name::new(name)).any(|name| name.is_in(&words));
            let other = topic_names::of_clause(&self.map, &own).filter(|_| !leans && !same);
            let names = other.map_or_else(|| topic.to_vec(), |name| vec![name]);
            tasks.push(task(tasks.len() + 1, &capital(clause), clause, names, aspects));
        }
        tasks
    }

    /// One task per aspect. An aspect outside the sources' vocabulary falls back to the overview.
    fn sides(&self, topic: &[String]) -> Vec<Task> {
        if self.asked.shape != Shape::Facets || self.asked.aspects.len() < 2 {
            return Vec::new();
        }
        let mut tasks = Vec::new();
        for aspect in self.asked.aspects.iter().filter(|aspect| self.map.is_known(aspect)) {
            let mut names = topic.to_vec();
            names.retain(|name| name != aspect);
            names.insert(0, aspect.clone());
            let question = format!("{aspect}: {}", self.question);
            tasks.push(task(tasks.len() + 1, &capital(aspect), &question, names, vec![aspect.clone()]));
        }
        tasks
    }

    /// Sections with enough hits that contain the topic's name. If one page or section has most hits and the question
    /// is broad, its own parts in their order.
    fn standing_out(&self, names: &[Name], cut: bool) -> Vec<Section> {
        let mut found = self.map.sections(names);
        found.retain(|section| section.names(names) && !is_changelog(&section.source));
        // For a narrow question, a section that mentions nothing beyond the topic is about something else.
        let narrow = matches!(self.asked.shape, Shape::Procedure | Shape::Causes | Shape::ProsAndCons);
        let beyond_topic = if narrow { self.map.beyond_topic(names) } else { BTreeSet::new() };
        let to_the_point = |section: &Section| beyond_topic.is_empty() || self.map.speaks_of(section, &beyond_topic);
        found.retain(&to_the_point);
        let Some(best) = found.first().cloned() else { return found };
        let mut asked: Vec<Section> = found.iter().filter(|section| self.map.is_asked(section)).cloned().collect();
        found.retain(|section| section.score >= best.score * WORTH_A_TASK);
        found.truncate(MOST_SECTIONS);
        let all: f64 = found.iter().map(|section| section.score).sum();
        let of_best: f64 = found.iter().filter(|s| s.source.id == best.source.id).map(|s| s.score).sum();
        let outline = self.map.outline(&best.source.path).filter(|_| !cut && of_best >= 0.4 * all);
        // Sections headed by the question itself come first.
        let with_asked = |mut sections: Vec<Section>, mut asked: Vec<Section>| {
            let same = |a: &Section, b: &Section| a.source.id == b.source.id && a.headings == b.headings;
            sections.retain(|section| !asked.iter().any(|own| same(own, section)));
            asked.append(&mut sections);
            asked
        };
        let Some(outline) = outline else { return with_asked(found, asked) };
        // The whole page if its title contains the name, else the section that does.
        let titled = names.iter().any(|name| name.is_in(&Tokens::of(&best.source.title)));
        let under: &[Clean] = if titled { &[] } else { &best.headings };
        let mut parts = self.map.parts(outline, under);
        parts.retain(|part| !is_furniture(part.name()));
        if parts.len() < 2 {
            return with_asked(found, asked);
        }
        parts.retain(to_the_point);
        // Drops the weakest if there are too many; the others keep the order of the page.
        while parts.len() > MOST_SECTIONS {
            let weakest = (0..parts.len()).rev().min_by(|a, b| parts[*a].score.total_cmp(&parts[*b].score));
            parts.remove(weakest.unwrap_or(0));
        }
        asked.retain(|section| section.source.id != best.source.id);
        with_asked(parts, asked)
    }
}

/// The headings right below these, in order, without functions and furniture.
fn children<'o>(outline: &'o run::evidence::Outline, under: &[Clean]) -> Vec<&'o Clean> {
    let mut seen = BTreeSet::new();
    let below =
        outline.sections.iter().filter(|s| s.headings.len() == under.len() + 1 && s.headings.starts_with(under));
    below
        .filter_map(|section| section.headings.last())
        .filter(|child| seen.insert(child.to_lowercase()) && !is_signature(child) && !is_furniture(child))
        .collect()
}

fn task(id: usize, title: &str, question: &str, topic: Vec<String>, aspects: Vec<String>) -> Task {
    Task {
        topic: topic.iter().map(|name| Clean::line(name)).collect(),
        aspects: aspects.iter().map(|aspect| Clean::line(aspect)).collect(),
        ..Task::new(TaskId(id as u32), Clean::line(title), Clean::line(question))
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    // A name with a capital or symbol further on keeps its spelling.
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
    fn spans_of_versions_are_counted_out() {
        assert_eq!(versions("Python 3.9", "Python 3.11").unwrap(), ["Python 3.9", "Python 3.10", "Python 3.11"]);
        assert_eq!(versions("3.1", "3.30"), None);
    }
}
