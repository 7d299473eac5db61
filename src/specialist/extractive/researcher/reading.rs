//! The searches and reads of a researcher, as tool calls.

use std::collections::{BTreeMap, BTreeSet};

use super::Work;
use crate::extractive::candidate::Candidate;
use crate::extractive::changelog::{asks_of_changes, is_changelog};
use crate::extractive::headings::{bare, member};
use crate::extractive::phrases::is_cue;
use crate::extractive::question::{asks_which_to_use, framed, quoted};
use crate::extractive::synonyms::reworded;
use crate::extractive::tool_results::key;
use crate::extractive::topic::{Tokens, Topic};
use run::evidence::SourceRef;
use run::id::SourceId;
use run::plan::{AskedWord, Shape};
use run::tool::ToolCall;
use run::tool::builtin::{Outline, Read, Search};
use run::transcript::Transcript;
use text::Clean;
use text::words::{Language, is_stop, stem, words};

/// Passages requested per search, and sections per search by meaning.
const HITS: u32 = 25;
const SECTIONS: u32 = 8;
/// The blocks read of a section that was found by meaning.
const READ_OF_SECTION: u32 = 24;
/// The likeness of a sentence to the question that makes a search by meaning unnecessary.
const ALIKE_ENOUGH: f64 = 0.9;
/// The most words of a task that are searched alone.
const MOST_WORDS: usize = 6;
/// The most other names that are searched for.
const MOST_ALIASES: usize = 2;
/// The most words of a task that are replaced by synonyms.
const MOST_REWORDED: usize = 2;
/// The most windows read in one turn.
const MOST_READS: usize = 16;
/// The most statements that are checked against the rest of the collection.
const MOST_CROSS_CHECKS: usize = 4;

/// The most sentences whose meaning is compared before the last reads.
const COMPARED_TO_READ: usize = 20;

/// The longest query made from a message of the person, in characters.
const MOST_OF_A_MESSAGE: usize = 300;

impl Work<'_> {
    /// The searches of a task: for its question, its names and words, each thing and side that it asks for, and
    /// synonyms.
    pub(super) fn searches(&self) -> Vec<ToolCall> {
        let topic = self.task.topic.first().map_or("", |name| name.as_str());
        let mut queries: Vec<String> = vec![format!("{} {}", topic, self.task.question)];
        queries.extend(self.task.topic.iter().map(|name| name.to_string()));
        queries.extend(self.wishes.iter().map(|wish| format!("{topic} {wish}")));
        queries.extend(self.task.aspects.iter().map(|aspect| format!("{topic} {aspect}")));
        // Each side by name, even if the sources do not seem to have it.
        let others = self.named.sides.iter().filter(|side| !self.task.aspects.contains(side));
        queries.extend(others.chain(&self.named.years).map(|name| format!("{topic} {name}")));
        queries.push(self.question.to_string());
        queries.extend(framed(&self.task.question).map(String::from));
        queries.extend(quoted(&self.question).map(String::from));
        if self.named.things.len() < 2 {
            // A question on one of several things is already in the planner's words.
            let lacks = |asked: &AskedWord| asked.nowhere || asked.instead.is_some();
            let is_missing = |word: &str| self.task.words.iter().any(|asked| *asked.word == *word && lacks(asked));
            queries.extend(reworded(&self.task.question, MOST_REWORDED, is_missing));
            queries.extend(self.besides_the_topic());
        }
        // A word alone finds the page that is named after it.
        let alone = words(&self.task.question).filter(|word| word.len() > 2 && !is_stop(word) && !is_cue(word));
        queries.extend(alone.take(MOST_WORDS).map(String::from));
        if asks_which_to_use(&self.question) {
            queries.push(format!("when to use {topic} suitable appropriate recommended"));
        }
        match self.shape {
            Shape::Comparison | Shape::ProsAndCons => {
                queries.push(format!("advantages of {topic}"));
                queries.push(format!("disadvantages of {topic}"));
                queries.push(format!("{topic} limits default trade-off"));
            }
            Shape::Causes => queries.push(format!("{topic} because reason")),
            Shape::History => queries.push(format!("{topic} added changed new version")),
            _ => {}
        }
        let mut seen = BTreeSet::new();
        queries.retain(|query| !query.trim().is_empty() && seen.insert(query.to_lowercase()));
        queries.truncate(9 + MOST_WORDS + (self.named.sides.len() + self.named.years.len()).min(6));
        queries.into_iter().map(|query| Search::new(Clean::line(&query), HITS).into()).collect()
    }

    /// Searches for the words of messages that arrived since the task began; None without such a message.
    pub(super) fn unread(&self, transcript: &Transcript) -> Option<Vec<ToolCall>> {
        let topic = self.task.topic.first().map_or("", |name| name.as_str());
        let unread = transcript.messages.iter().filter(|message| transcript.read_in(message, false).is_none());
        let query = |text: &Clean| format!("{topic} {}", text.chars().take(MOST_OF_A_MESSAGE).collect::<String>());
        let request = |text: &Clean| ToolCall::from(Search::new(Clean::line(query(text).trim()), HITS));
        let mut requests: Vec<ToolCall> = unread.map(|message| request(&message.text)).collect();
        // A repeated search returns nothing new.
        requests.retain(|request| !transcript.calls().any(|call| *call.request == *request));
        (!requests.is_empty()).then_some(requests)
    }

    /// Windows around the best passages that have not been read, and outlines of the best pages.
    pub(super) fn windows(&self) -> Vec<ToolCall> {
        let topic = self.topic();
        let of_changes = asks_of_changes(&self.question, self.shape);
        let scores = self.results.passage_scores();
        let mut pages: BTreeMap<String, (SourceRef, f64)> = BTreeMap::new();
        let mut places: Vec<(f64, String, u32)> = Vec::new();
        let mut titled = 0;
        for (query, hits) in self.results.hits() {
            let is_name = self.task.topic.iter().any(|name| **name == *query);
            for (nth, hit) in hits.hits.iter().enumerate() {
                let aside = !of_changes && is_changelog(&hit.source);
                // The first passage for the name alone is a definition, which may have no other word of the question.
                let score = if is_name && nth == 0 { 1.0 } else { scores.get(&key(hit)).copied().unwrap_or(0.0) };
                let score = score * if aside { 0.2 } else { 1.0 };
                let page = pages.entry(hit.source.path.to_string()).or_insert_with(|| (hit.source.clone(), 0.0));
                page.1 += score;
                if !self.results.has(&hit.source.path, hit.block)
                    && !places.iter().any(|(_, path, no)| *path == *hit.source.path && *no == hit.block)
                {
                    places.push((score, hit.source.path.to_string(), hit.block));
                }
            }
            // Pages titled after the topic are read from the beginning, where they define it.
            let mut called: Vec<&SourceRef> = hits.titled.iter().collect();
            called.sort_by_key(|source| !self.is_called(source, topic));
            for source in called {
                let page = pages.entry(source.path.to_string()).or_insert_with(|| (source.clone(), 0.0));
                page.1 += 1.0;
                if !self.results.has(&source.path, 0)
                    && !places.iter().any(|(score, path, no)| *path == *source.path && *no == 0 && *score > 1.0)
                {
                    places.retain(|(_, path, no)| *path != *source.path || *no != 0);
                    places.push((if titled < 3 { 3.0 } else { 0.9 }, source.path.to_string(), 0));
                    titled += 1;
                }
            }
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1, a.2).cmp(&(&b.1, b.2))));
        places.truncate(40);
        let mut windows: BTreeMap<&str, Vec<(u32, u32, f64)>> = BTreeMap::new();
        for (score, path, no) in &places {
            // The beginning of such a page is read further, for its definition.
            let (from, to) = if *score > 1.0 { (0, 30) } else { (no.saturating_sub(4), no + 10) };
            let of = windows.entry(path).or_default();
            let joins =
                |(f, t, _): &&mut (u32, u32, f64)| from <= *t && *f <= to && to.max(*t) - from.min(*f) <= Read::MOST;
            match of.iter_mut().find(joins) {
                Some(window) => *window = (window.0.min(from), window.1.max(to), window.2 + score),
                None => of.push((from, to, *score)),
            }
        }
        let mut reads: Vec<(f64, &str, u32, u32)> = windows
            .iter()
            .flat_map(|(path, of)| of.iter().map(|(from, to, score)| (*score, *path, *from, *to)))
            .collect();
        reads.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        reads.truncate(MOST_READS);
        let unread = self.results.sections().filter(|hit| !self.results.has(&hit.source.path, hit.block));
        let sections = unread
            .map(|hit| Read { source: hit.source.id.clone(), from: hit.block, to: hit.block + READ_OF_SECTION }.into());
        let mut requests: Vec<ToolCall> = sections.collect();
        requests.extend(
            reads.into_iter().filter_map(|(_, path, from, to)| {
                Some(Read { source: pages.get(path)?.0.id.clone(), from, to }.into())
            }),
        );
        let mut best: Vec<&(SourceRef, f64)> = pages.values().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
        let outlines = best.iter().take(4).filter(|(source, _)| !self.results.outlined.contains(&source.id));
        requests.extend(outlines.map(|(source, _)| Outline { source: source.id.clone() }.into()));
        requests
    }

    /// Reads the rest of the best sections, and searches for statements that another page might contradict.
    pub(super) fn sections_and_checks(&self) -> Vec<ToolCall> {
        let ranked = self.rank(COMPARED_TO_READ);
        let near = ranked.near();
        let mut requests = Vec::new();
        requests.extend(ranked.most_alike.and_then(|alike| self.search_by_meaning(alike)));
        let called = self.asks().aliases.iter().map(|alias| &alias.called).collect::<BTreeSet<_>>();
        requests.extend(called.into_iter().take(MOST_ALIASES).map(|name| Search::new(Clean::line(name), HITS).into()));
        let mut asked: BTreeSet<(SourceId, u32)> = BTreeSet::new();
        let listed = self.sides_listed(ranked.candidates.iter().chain(&ranked.rest));
        for candidate in listed.iter().chain(near.iter().take(12)) {
            let Some(outline) = self.results.outlines.get(candidate.source.path.as_str()) else { continue };
            let holds = |section: &&run::evidence::Section| (section.first..section.end).contains(&candidate.block.no);
            let Some(section) = outline.sections.iter().find(holds) else { continue };
            let unread = (section.first..section.end).any(|no| !self.results.has(&candidate.source.path, no));
            if unread && asked.len() < 5 && asked.insert((candidate.source.id.clone(), section.first)) {
                let to = section.end.min(section.first + Read::MOST);
                requests.push(Read { source: candidate.source.id.clone(), from: section.first, to }.into());
            }
        }
        if let Some(kinds) = &self.asks().kinds {
            requests.extend(self.results.outlines.values().flat_map(|outline| kinds.unread(outline, &self.results)));
        }
        let mut checked: Vec<&Candidate> = Vec::new();
        for candidate in near.iter().filter(|candidate| candidate.gives_a_value()) {
            if checked.len() == MOST_CROSS_CHECKS {
                break;
            }
            if !checked.iter().any(|other| other.shingles().overlap(candidate.shingles()) > 0.5) {
                checked.push(candidate);
                let (query, limit) = (Clean::line(&candidate.claim.text), 6);
                // A web page is checked against the web, a document against the user's documents.
                let search = Search { here: !candidate.source.is_page(), ..Search::new(query, limit) };
                requests.push(search.into());
            }
        }
        requests
    }

    /// A search for sections more alike to the question than any sentence found by words: the sources may use other
    /// words.
    fn search_by_meaning(&self, most_alike: f64) -> Option<ToolCall> {
        let asked = self.asks().wordings().first()?;
        let pays = most_alike < ALIKE_ENOUGH && self.shape != Shape::History;
        let least = (most_alike * 1000.0).ceil() as u32;
        pays.then(|| Search::by_meaning(Clean::line(asked), SECTIONS, least).into())
    }

    /// The content words of the task without those of its topic, which may be on every page.
    fn besides_the_topic(&self) -> Option<String> {
        let topic: BTreeSet<String> = self.task.topic.iter().flat_map(|name| Tokens::of(name).content()).collect();
        let is_own = |word: &&str| {
            !is_stop(word) && !is_cue(word) && !topic.contains(&stem(word, Language::English)) && word.len() > 2
        };
        let own: Vec<&str> = words(&self.task.question).filter(is_own).collect();
        (own.len() > 1 && !topic.is_empty()).then(|| own.join(" "))
    }

    /// Whether a page's title, up to a dash or a colon, is exactly a name of the topic.
    fn is_called(&self, source: &SourceRef, topic: &Topic) -> bool {
        let called = Tokens::of(member(&bare(&source.title))).content();
        topic.names.iter().any(|name| called.len() == name.len() && name.stems().all(|stem| called.contains(stem)))
    }
}
