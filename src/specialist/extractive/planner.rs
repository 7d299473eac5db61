//! Planner: reads the shape of the question, holds it against the sources, and cuts it into tasks by rule.
//!
//! It never looks for answers; it looks for how the sources name and divide what was asked about.

use std::collections::{BTreeMap, BTreeSet};

use super::material::Material;
use super::question::{Asked, phrases};
use super::topic::{Name, Tokens};
use crate::run::evidence::{Hits, SourceRef};
use crate::run::handoff::{Outcome, Part, Parts};
use crate::run::id::{Role, TaskId};
use crate::run::plan::{Plan, Shape, Task};
use crate::run::tool::ToolRequest;
use crate::run::transcript::Transcript;
use crate::specialist::{Assigned, Specialist, Step};
use crate::text::Clean;
use crate::text::words::{Language, stem, words};

/// Passages asked of each search.
const HITS: u32 = 30;
/// Compared things, at most.
const MOST_ITEMS: usize = 8;
/// Sub-topics taken from the sources' own headings, at most.
const MOST_SECTIONS: usize = 4;
/// A section has to gather this share of what the best one does to be a sub-topic.
const WORTH_A_TASK: f64 = 0.4;

/// The planner by rule.
pub(super) struct Planner;

impl Specialist for Planner {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        if transcript.waits() {
            return Step::Wait;
        }
        let question = assigned.handoff.question().cloned().unwrap_or_default();
        let asked = Asked::read(&question);
        let material = Material::of(transcript);
        let last = assigned.turns_left <= 1 || transcript.refusal().is_some();
        match transcript.turns.len() {
            0 if !last => Step::Use {
                why: "See how the sources name what is asked about.".into(),
                requests: searches(&question, &asked),
            },
            1 if !last && !outlines(&material).is_empty() => {
                Step::Use { why: "See how the best pages divide it.".into(), requests: outlines(&material) }
            }
            _ => {
                let plan = Cut { question: &question, asked: &asked, material: &material }.plan();
                let tasks = plan.tasks.len();
                let title = if tasks == 1 { "1 task".to_string() } else { format!("{tasks} tasks") };
                Step::Report { outcome: Outcome::Done, title: title.into(), parts: vec![Part::Plan { plan }] }
            }
        }
    }
}

fn searches(question: &str, asked: &Asked) -> Vec<ToolRequest> {
    let mut queries = vec![question.to_string()];
    queries.extend(asked.items.iter().cloned());
    if asked.items.is_empty() {
        queries.extend(asked.phrases.iter().take(4).cloned());
        if asked.phrases.len() > 1 {
            queries.push(asked.phrases.join(" "));
        }
    }
    let mut seen = BTreeSet::new();
    queries.retain(|query| !query.trim().is_empty() && seen.insert(query.to_lowercase()));
    queries.into_iter().map(|query| ToolRequest::Search { query: Clean::line(&query), limit: HITS }).collect()
}

fn outlines(material: &Material) -> Vec<ToolRequest> {
    let mut pages: BTreeMap<&str, (&SourceRef, f64)> = BTreeMap::new();
    for (_, hits) in material.hits() {
        let top = hits.hits.first().map_or(1, |hit| hit.score.max(1));
        for hit in &hits.hits {
            pages.entry(hit.source.path.as_str()).or_insert((&hit.source, 0.0)).1 +=
                f64::from(hit.score) / f64::from(top);
        }
    }
    let mut pages: Vec<_> = pages.into_values().collect();
    pages.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
    pages.into_iter().take(3).map(|(source, _)| ToolRequest::Outline { source: source.id.clone() }).collect()
}

/// A section of the sources with what the searches say of it.
struct Found {
    path: String,
    title: Clean,
    headings: Vec<Clean>,
    score: f64,
}

impl Found {
    /// What it is called: its last heading, or the title of its page.
    fn name(&self) -> &Clean {
        self.headings.last().unwrap_or(&self.title)
    }
}

struct Cut<'a> {
    question: &'a Clean,
    asked: &'a Asked,
    material: &'a Material,
}

impl Cut<'_> {
    fn plan(&self) -> Plan {
        let (tasks, why) = match self.asked.shape {
            Shape::Comparison => self.comparison(),
            Shape::History => self.history(),
            Shape::Each => self.each(),
            _ => self.sections(),
        };
        let mut plan = Plan { shape: self.asked.shape, tasks, why: why.into() };
        plan.tasks.truncate(Plan::MOST_TASKS);
        if plan.tasks.is_empty() {
            plan.tasks.push(self.task(1, &self.title(), self.question, self.topic(), vec![]));
        }
        plan
    }

    fn task(&self, id: usize, title: &str, question: &str, topic: Vec<String>, aspects: Vec<String>) -> Task {
        Task {
            id: TaskId(id as u32),
            title: Clean::line(title),
            question: Clean::line(question),
            role: Role::new(Role::RESEARCHER),
            topic: topic.iter().map(|name| Clean::line(name)).collect(),
            aspects: aspects.iter().map(|aspect| Clean::line(aspect)).collect(),
            after: vec![],
        }
    }

    /// A short name for the whole question.
    fn title(&self) -> String {
        self.topic().first().map_or_else(|| self.question.trim_end_matches('?').to_string(), |name| capital(name))
    }

    /// One task for each compared thing.
    fn comparison(&self) -> (Vec<Task>, String) {
        let items = &self.asked.items[..self.asked.items.len().min(MOST_ITEMS)];
        let mut aspects = self.asked.aspects.clone();
        aspects.retain(|aspect| self.is_known(aspect));
        let dropped = self.asked.aspects.len() - aspects.len();
        let tasks = items
            .iter()
            .zip(1..)
            .map(|(item, id)| {
                let question = match aspects.is_empty() {
                    true => format!("{item}: what it is, what speaks for it and against it"),
                    false => format!("{item}: {}", aspects.join(", ")),
                };
                self.task(id, item, &question, vec![item.clone()], aspects.clone())
            })
            .collect();
        let fallback = if dropped > 0 {
            " The sources do not know some of the sides asked for, so all sides are looked at."
        } else {
            ""
        };
        (tasks, format!("The question compares {} things: one task for each.{fallback}", items.len()))
    }

    /// One task for each version or period.
    fn history(&self) -> (Vec<Task>, String) {
        let topic = self.topic();
        let name = topic.first().cloned().unwrap_or_default();
        let steps = self.asked.span.as_ref().and_then(|(from, to)| versions(from, to)).unwrap_or_default();
        if steps.len() < 2 {
            return (
                vec![self.task(1, &capital(&name), self.question, topic, vec![])],
                "One thing and its history: one task.".into(),
            );
        }
        let tasks = steps
            .iter()
            .zip(1..)
            .map(|(step, id)| {
                self.task(id, step, &format!("{name}: what changed in {step}"), topic.clone(), vec![step.clone()])
            })
            .collect();
        (tasks, format!("The question names a span of {} steps: one task for each.", steps.len()))
    }

    /// Members of a group: the sections below the one that speaks of it best.
    fn each(&self) -> (Vec<Task>, String) {
        let topic = self.topic();
        let names: Vec<Name> = topic.iter().filter_map(|name| Name::new(name)).collect();
        let mut best: Option<(f64, &str, Vec<&Clean>)> = None;
        for (path, outline) in &self.material.outlines {
            for parent in &outline.sections {
                let under = &parent.headings;
                let over = under.last().unwrap_or(&outline.source.title);
                if !names.iter().any(|name| name.is_in(&Tokens::of(over))) {
                    continue;
                }
                let children: Vec<&Clean> = outline
                    .sections
                    .iter()
                    .filter(|s| s.headings.len() == under.len() + 1 && s.headings.starts_with(under))
                    .filter_map(|s| s.headings.last())
                    .collect();
                let score = self.score_below(path, under) + children.len() as f64 * 0.2;
                if children.len() >= 3 && best.as_ref().is_none_or(|(known, ..)| score > *known) {
                    best = Some((score, over, children));
                }
            }
        }
        let Some((_, over, mut children)) = best else { return self.sections() };
        let mut seen = BTreeSet::new();
        children.retain(|child| seen.insert(child.to_lowercase()));
        let per_task = children.len().div_ceil(8);
        let tasks = children
            .chunks(per_task)
            .zip(1..)
            .map(|(chunk, id)| {
                let aspects: Vec<String> = chunk.iter().map(|child| bare(child)).collect();
                let title = aspects.join(", ");
                self.task(id, &title, &format!("{over}: {title}"), aspects.clone(), aspects)
            })
            .collect();
        (tasks, format!("The sources list {} members under “{over}”: they are the tasks.", children.len()))
    }

    /// What the searches say of everything below a heading.
    fn score_below(&self, path: &str, under: &[Clean]) -> f64 {
        self.material
            .hits()
            .flat_map(|(_, hits)| {
                let top = f64::from(hits.hits.first().map_or(1, |hit| hit.score.max(1)));
                hits.hits.iter().map(move |hit| (hit, f64::from(hit.score) / top))
            })
            .filter(|(hit, _)| *hit.source.path == *path && hit.headings.starts_with(under))
            .map(|(_, score)| score)
            .sum()
    }

    /// Sub-topics by the sections that the searches find best, after the clauses of the question.
    fn sections(&self) -> (Vec<Task>, String) {
        let topic = self.topic();
        let mut tasks: Vec<Task> = Vec::new();
        if self.asked.clauses.len() > 1 {
            for (clause, id) in self.asked.clauses.iter().zip(1..) {
                let aspects: Vec<String> = phrases(clause).into_iter().filter(|p| !topic.contains(p)).take(3).collect();
                let title = capital(clause);
                tasks.push(self.task(id, &title, clause, topic.clone(), aspects));
            }
        } else if self.asked.shape == Shape::Facets && self.asked.aspects.len() > 1 {
            let known: Vec<&String> = self.asked.aspects.iter().filter(|aspect| self.is_known(aspect)).collect();
            for (aspect, id) in known.iter().zip(1..) {
                let title = capital(aspect);
                tasks.push(self.task(
                    id,
                    &title,
                    &format!("{aspect}: {}", self.question),
                    topic.clone(),
                    vec![(*aspect).clone()],
                ));
            }
        }
        let clauses = tasks.len();
        let found = self.ranked_sections(&topic);
        let best = found.first().map_or(0.0, |section| section.score);
        let mut names: Vec<BTreeSet<String>> = Vec::new();
        for section in &found {
            if tasks.len() >= MOST_SECTIONS.max(clauses) || section.score < best * WORTH_A_TASK {
                break;
            }
            let heading = bare(section.name());
            let stems = Tokens::of(&heading).content();
            if stems.is_empty() || names.iter().any(|known| known.is_subset(&stems) || stems.is_subset(known)) {
                continue;
            }
            names.push(stems);
            let question = format!("{}: {heading}", self.question.trim_end_matches('?'));
            let mut topics = topic.clone();
            // Below its own heading a page need not name the topic again, if the topic is in the title or the heading.
            let above = Tokens::of(&format!(
                "{} {}",
                section.title,
                section.headings.iter().map(|h| h.as_str()).collect::<Vec<_>>().join(" ")
            ));
            if !topic.iter().filter_map(|name| Name::new(name)).any(|name| name.is_in(&above)) {
                topics.push(heading.clone());
            }
            tasks.push(self.task(tasks.len() + 1, &heading, &question, topics, vec![heading.clone()]));
        }
        let why = match (clauses, tasks.len()) {
            (_, 0 | 1) => "It is one question about one thing: one task.".to_string(),
            (0, n) => format!("The sources treat it in {n} sections that stand out: one task for each."),
            (c, n) if n == c => format!("The question asks {c} things: one task for each."),
            (c, n) => format!("The question asks {c} things; the sources add {} sections that stand out.", n - c),
        };
        (tasks, why)
    }

    fn ranked_sections(&self, topic: &[String]) -> Vec<Found> {
        let names: Vec<Name> = topic.iter().filter_map(|name| Name::new(name)).collect();
        let mut found: BTreeMap<(String, Vec<Clean>), Found> = BTreeMap::new();
        for (_, hits) in self.material.hits() {
            let top = hits.hits.first().map_or(1, |hit| hit.score.max(1));
            for (hit, rank) in hits.hits.iter().zip(0..) {
                let key = (hit.source.path.to_string(), hit.headings.to_vec());
                let entry = found.entry(key).or_insert_with(|| Found {
                    path: hit.source.path.to_string(),
                    title: hit.source.title.clone(),
                    headings: hit.headings.to_vec(),
                    score: 0.0,
                });
                let relative = f64::from(hit.score) / f64::from(top);
                entry.score += relative / (1.0 + 0.15 * f64::from(rank));
            }
        }
        let mut found: Vec<Found> = found.into_values().collect();
        for section in &mut found {
            if names.iter().any(|name| name.is_in(&Tokens::of(section.name()))) {
                section.score *= 1.5;
            } else if names.iter().any(|name| name.is_in(&Tokens::of(&section.title))) {
                section.score *= 1.2;
            }
        }
        found.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (&a.path, &a.headings).cmp(&(&b.path, &b.headings)))
        });
        found
    }

    /// Whether a word of the question is in the vocabulary of the sources.
    fn is_known(&self, phrase: &str) -> bool {
        words(phrase).any(|word| self.material.count(&stem(word, Language::English)).is_none_or(|blocks| blocks > 0))
    }

    /// The topic: the phrases of the question whose rarest word tells most, as the sources write them. Where the sources
    /// know none of them as a heading or a title, the name of the page that the searches agree on.
    fn topic(&self) -> Vec<String> {
        let weigh = |phrase: &str| {
            words(phrase)
                .map(|word| stem(word, Language::English))
                .filter(|stem| self.material.count(stem).is_none_or(|blocks| blocks > 0))
                .map(|stem| self.material.idf(&stem))
                .fold(0.0, f64::max)
        };
        let mut weighed: Vec<(f64, &String)> =
            self.asked.phrases.iter().map(|phrase| (weigh(phrase), phrase)).collect();
        let heaviest = weighed.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
        weighed.retain(|(weight, _)| *weight > 0.0 && *weight >= heaviest * 0.6);
        let mut topic: Vec<String> = weighed.iter().map(|(_, phrase)| (*phrase).clone()).collect();
        // Names that head something come first: they are what the sources are about.
        let heads = |phrase: &String| Name::new(phrase).map_or(0, |name| self.heads(&name));
        topic.sort_by_key(|phrase| std::cmp::Reverse(heads(phrase).min(3)));
        topic.truncate(3);
        let numeric = topic.iter().all(|phrase| phrase.chars().all(|c| !c.is_alphabetic()));
        if topic.is_empty() || numeric || topic.iter().all(|phrase| heads(phrase) == 0) {
            if let Some(section) = self.ranked_sections(&topic).first() {
                topic.retain(|phrase| phrase.chars().any(char::is_alphabetic));
                topic.insert(0, bare(section.headings.first().unwrap_or(&section.title)));
            }
        }
        topic
    }

    /// How many of the passages found stand under a heading or a title that names it.
    fn heads(&self, name: &Name) -> usize {
        let hit = |hits: &Hits| {
            hits.hits
                .iter()
                .filter(|hit| {
                    name.is_in(&Tokens::of(&hit.source.title))
                        || hit.headings.iter().any(|h| name.is_in(&Tokens::of(h)))
                })
                .count()
        };
        self.material.hits().map(|(_, hits)| hit(hits)).sum()
    }
}

/// A heading without its number.
fn bare(heading: &str) -> String {
    let heading = heading.trim();
    let rest = heading.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start_matches([' ', ')', ':']);
    let numbered = heading.starts_with(|c: char| c.is_ascii_digit()) && !rest.is_empty();
    (if numbered { rest } else { heading }).trim_end_matches([':', '¶', ' ']).to_string()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    // A name that has a capital or a sign further on is written as it is.
    let plain = text.chars().all(|c| c.is_lowercase() || c == ' ' || c == '-');
    match chars.next() {
        Some(first) if plain || text.contains(' ') => first.to_uppercase().chain(chars).collect(),
        _ => text.to_string(),
    }
}

/// "Python 3.4" to "Python 3.11": every version between, if they are few; years in a few periods.
fn versions(from: &str, to: &str) -> Option<Vec<String>> {
    let (name, from) = from.rsplit_once(' ').map_or(("", from), |(name, version)| (name, version));
    let to = to.rsplit_once(' ').map_or(to, |(_, version)| version);
    let lead = if name.is_empty() { String::new() } else { format!("{name} ") };
    if let (Some((major, a)), Some((same, b))) = (from.rsplit_once('.'), to.rsplit_once('.')) {
        let (a, b): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
        return (major == same && a < b && b - a < 8)
            .then(|| (a..=b).map(|minor| format!("{lead}{major}.{minor}")).collect());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_versions_are_counted_out() {
        assert_eq!(versions("Python 3.9", "Python 3.11").unwrap(), ["Python 3.9", "Python 3.10", "Python 3.11"]);
        assert_eq!(versions("3.1", "3.30"), None);
    }

    #[test]
    fn headings_lose_their_numbers() {
        assert_eq!(bare("8.3. Handling Exceptions"), "Handling Exceptions");
        assert_eq!(bare("3 ways"), "ways");
        assert_eq!(bare("/var"), "/var");
    }
}
