//! Maps how the sources organise the topic: the sections about it, its main page, its names.
//!
//! Built from the planner's searches. It says nothing about the answer.

use std::collections::{BTreeMap, BTreeSet};

use super::changelog::is_changelog;
use super::claim::{is_signature, unnumbered};
use super::numbers::{date, date_key};
use super::phrases::is_cue;
use super::question::Asked;
use super::synonyms::replaced;
use super::tool_results::{EVERYWHERE, ToolResults};
use super::topic::{Name, Tokens};
use super::topic_names;
use super::words::WORDS;
use run::evidence::{Hit, Outline, SourceRef};
use run::plan::{Shape, Within};
use text::Clean;
use text::words::{Language, is_stop, stem, words};

/// The least share of a question that a heading contains to be the question itself in other words.
const IS_ASKED: f64 = 0.75;
/// Words with a lower inverse document frequency are in more than half of all passages.
const WHOLE: f64 = 0.7;
/// The least share of a question that its best passage contains; below it the sources are about something else.
const LEAST_KNOWN: f64 = 0.25;

/// A section of the sources with its search score.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The headings down to the section.
    pub source: SourceRef,
    pub headings: Vec<Clean>,
    /// The sum of the scores of its hits.
    pub score: f64,
}

impl Section {
    /// Its last heading, or the title of its page.
    pub fn name(&self) -> &Clean {
        self.headings.last().unwrap_or(&self.source.title)
    }

    /// Whether its headings or title contain one of these names.
    pub fn names(&self, names: &[Name]) -> bool {
        let above = self.headings.iter().chain([&self.source.title]).map(|text| text.as_str());
        let above = Tokens::of(&above.collect::<Vec<_>>().join(" / "));
        names.iter().any(|name| name.is_in(&above))
    }
}

/// The results of the planner's searches, seen from the question.
pub(super) struct SourceMap<'a> {
    pub question: &'a str,
    pub asked: &'a Asked,
    results: &'a ToolResults,
    found: Vec<(&'a Hit, f64)>,
}

impl<'a> SourceMap<'a> {
    /// Builds the map from everything found so far.
    pub fn new(question: &'a str, asked: &'a Asked, results: &'a ToolResults) -> SourceMap<'a> {
        let mut found = Vec::new();
        for (query, hits) in results.hits() {
            // A search for a ubiquitous word says little; the whole question says most.
            let rarest = words(query).map(|word| results.idf(&stem(word, Language::English))).fold(0.0, f64::max);
            let weight = (rarest / 6.0).clamp(0.2, 1.0) * if query == question { 2.0 } else { 1.0 };
            let top = f64::from(hits.hits.first().map_or(1, |hit| hit.score.max(1)));
            for (rank, hit) in hits.hits.iter().enumerate() {
                found.push((hit, weight * f64::from(hit.score) / top / (1.0 + 0.15 * rank as f64)));
            }
        }
        // Changelogs count only for questions about history, or if nothing else mentions the topic.
        let tells = |hit: &Hit| asked.shape == Shape::History || !is_changelog(&hit.source);
        if found.iter().any(|(hit, _)| tells(hit)) {
            found.retain(|(hit, _)| tells(hit));
        }
        SourceMap { question, asked, results, found }
    }

    /// The sections with hits, best first. A section is the part of a page whose heading contains one of the names,
    /// with everything below it; if only the title does, the part below the first heading.
    pub fn sections(&self, names: &[Name]) -> Vec<Section> {
        let mut sections: BTreeMap<(String, Vec<Clean>), Section> = BTreeMap::new();
        for (hit, score) in &self.found {
            // Entries of single functions belong to the section that lists them.
            let words = hit.headings.iter().position(|heading| is_signature(heading)).unwrap_or(hit.headings.len());
            let carries = |heading: &Clean| names.iter().any(|name| name.is_in(&Tokens::of(heading)));
            let depth = hit.headings[..words].iter().rposition(carries).map_or(words.min(1), |at| at + 1);
            let headings = hit.headings[..depth].to_vec();
            if headings.last().is_some_and(|heading| is_furniture(heading)) {
                continue;
            }
            let key = (hit.source.path.to_string(), headings.clone());
            let empty = || Section { source: hit.source.clone(), headings, score: 0.0 };
            sections.entry(key).or_insert_with(empty).score += score;
        }
        let mut sections: Vec<Section> = sections.into_values().collect();
        for section in &mut sections {
            if names.iter().any(|name| name.is_in(&Tokens::of(section.name()))) {
                section.score *= 1.5;
            } else if names.iter().any(|name| name.is_in(&Tokens::of(&section.source.title))) {
                section.score *= 1.2;
            }
        }
        sections.sort_by(|a, b| {
            let place = |section: &Section| (section.source.path.clone(), section.headings.clone());
            b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
        });
        sections
    }

    /// Whether the heading of a section contains nearly all of one of the questions.
    pub fn is_asked(&self, section: &Section) -> bool {
        let name = Tokens::of(section.name()).content();
        let weight = |stem: &String| self.results.idf(stem);
        let questions = self.asked.clauses.iter().map(String::as_str).chain([self.question]);
        let asked = questions.map(|question| {
            let own = words(question).filter(|word| !is_stop(word) && !is_cue(word));
            own.map(|word| stem(word, Language::English)).collect::<BTreeSet<String>>()
        });
        asked.into_iter().any(|asked| {
            let all: f64 = asked.iter().map(weight).sum();
            let both: f64 = asked.intersection(&name).map(weight).sum();
            all > 0.0 && both >= IS_ASKED * all
        })
    }

    /// Whether all words of a phrase occur in the sources.
    pub fn is_known(&self, phrase: &str) -> bool {
        let content = words(phrase).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English));
        let mut content = content.peekable();
        content.peek().is_some() && content.all(|stem| self.results.count(&stem).is_none_or(|blocks| blocks > 0))
    }

    /// Stems of the question beyond its topic.
    pub fn beyond_topic(&self, names: &[Name]) -> BTreeSet<String> {
        topic_names::beyond_topic(self.question, names, self.results, |_| true)
    }

    /// Whether the headings of a section, or one of its hits, contain one of these stems.
    pub fn speaks_of(&self, section: &Section, stems: &BTreeSet<String>) -> bool {
        let speaks = |text: &str| Tokens::of(text).content().iter().any(|stem| stems.contains(stem));
        let within = |hit: &Hit| hit.source.id == section.source.id && hit.headings.starts_with(&section.headings);
        section.headings.iter().any(|heading| speaks(heading))
            || self.found.iter().any(|(hit, _)| within(hit) && speaks(&hit.snippet))
    }

    /// Whether the sources are about something else: much of the question's vocabulary is missing, or no passage
    /// combines enough of it.
    pub fn is_foreign(&self) -> bool {
        // Words for which manuals use other words may be missing.
        let (everyday, _) = replaced(self.question);
        let other = |word: &str| {
            everyday.iter().any(|everyday| words(everyday).any(|everyday| everyday.eq_ignore_ascii_case(word)))
        };
        let stems: Vec<String> = self
            .asked
            .phrases
            .iter()
            .flat_map(|phrase| words(phrase).filter(|word| !is_stop(word) && !other(word)))
            .map(|word| stem(word, Language::English))
            .collect();
        let weight = |stem: &String| self.results.idf(stem);
        let all: f64 = stems.iter().map(weight).sum();
        let unknown: f64 = stems.iter().filter(|stem| self.results.count(stem) == Some(0)).map(weight).sum();
        let together = |hit: &Hit| {
            let above = hit.headings.iter().chain([&hit.source.title, &hit.snippet]).map(|text| text.as_str());
            let has = Tokens::of(&above.collect::<Vec<_>>().join(" ")).content();
            stems.iter().filter(|stem| has.contains(*stem)).map(weight).sum::<f64>()
        };
        let best = self.found.iter().map(|(hit, _)| together(hit)).fold(0.0, f64::max);
        all > 0.0 && (best < LEAST_KNOWN * all || unknown > 0.2 * all && best < 0.5 * all)
    }

    /// The names of the topic, best first.
    pub fn topic(&self) -> Vec<String> {
        topic_names::topic(self)
    }

    /// All hits with their weights.
    pub fn found(&self) -> impl Iterator<Item = (&Hit, f64)> {
        self.found.iter().map(|(hit, score)| (*hit, *score))
    }

    /// The inverse document frequency of a stem: the rarer, the higher.
    pub fn idf(&self, stem: &str) -> f64 {
        self.results.idf(stem)
    }

    /// Whether a word is in so many passages that it is no topic alone.
    pub fn is_everywhere(&self, word: &str) -> bool {
        self.results.idf(&stem(word, Language::English)) < EVERYWHERE
    }

    /// Whether a word names the whole collection ("Python" in its manual), so that it adds nothing to a phrase either.
    pub fn is_whole(&self, word: &str) -> bool {
        let named = word.starts_with(char::is_uppercase) && self.is_everywhere(word);
        named || self.results.idf(&stem(word, Language::English)) < WHOLE
    }

    /// The versions or years whose changelogs mention the topic most, in order.
    pub fn steps(&self, names: &[Name], most: usize) -> Vec<String> {
        let mut steps: BTreeMap<Vec<u32>, (String, f64)> = BTreeMap::new();
        for (hit, score) in self.found.iter().filter(|(hit, _)| is_changelog(&hit.source)) {
            let above = hit.headings.iter().rev().chain([&hit.source.title]);
            let Some((step, date)) = above.into_iter().find_map(|text| Some((step(text)?, date(text)?))) else {
                continue;
            };
            let around =
                hit.headings.iter().chain([&hit.snippet]).map(|text| text.as_str()).collect::<Vec<_>>().join(" ");
            if names.iter().any(|name| name.is_in(&Tokens::of(&around))) {
                steps.entry(date_key(&date)).or_insert((step, 0.0)).1 += score;
            }
        }
        while steps.len() > most {
            let weakest = steps.iter().min_by(|a, b| a.1.1.total_cmp(&b.1.1)).map(|(key, _)| key.clone());
            steps.remove(&weakest.unwrap_or_default());
        }
        steps.into_values().map(|(step, _)| step).collect()
    }

    /// The outline of a page, if it was requested.
    pub fn outline(&self, path: &str) -> Option<&'a Outline> {
        self.results.outlines.get(path)
    }

    /// The parts of a page below a heading that have text of their own, in order, each with its score.
    pub fn parts(&self, outline: &Outline, under: &[Clean]) -> Vec<Section> {
        let mut parts: Vec<Section> = Vec::new();
        for section in &outline.sections {
            let words = section.headings.iter().position(|h| is_signature(h)).unwrap_or(section.headings.len());
            let headings = section.headings[..words].to_vec();
            if headings.len() <= under.len() || !headings.starts_with(under) || section.first == section.end {
                continue;
            }
            let own =
                |hit: &Hit| hit.source.id == outline.source.id && (section.first..section.end).contains(&hit.block);
            let score = self.found.iter().filter(|(hit, _)| own(hit)).map(|(_, score)| score).sum();
            match parts.iter_mut().find(|part| part.headings == headings) {
                Some(part) => part.score += score,
                None => parts.push(Section { source: outline.source.clone(), headings, score }),
            }
        }
        parts
    }

    /// The blocks of a section with everything below it, up to the start of another of the sections. None for a whole
    /// page, and without an outline.
    pub fn extent(&self, section: &Section, others: &[Section]) -> Option<Within> {
        let outline = self.outline(&section.source.path).filter(|_| !section.headings.is_empty())?;
        let below = |headings: &[Clean], of: &Section| headings.starts_with(&of.headings);
        let own = outline.sections.iter().filter(|s| {
            let nearest = others
                .iter()
                .filter(|other| other.source.id == section.source.id && below(&s.headings, other))
                .map(|other| other.headings.len())
                .max();
            below(&s.headings, section) && nearest.is_none_or(|depth| depth <= section.headings.len())
        });
        let mut extent: Option<Within> = None;
        for part in own.filter(|part| part.first < part.end) {
            match &mut extent {
                None => extent = Some(Within { source: section.source.id.clone(), from: part.first, to: part.end }),
                Some(extent) if extent.to == part.first => extent.to = part.end,
                Some(_) => break,
            }
        }
        extent
    }

    /// The score of everything below a heading.
    pub fn score_below(&self, path: &str, under: &[Clean]) -> f64 {
        let below = |hit: &Hit| *hit.source.path == *path && hit.headings.starts_with(under);
        self.found.iter().filter(|(hit, _)| below(hit)).map(|(_, score)| score).sum()
    }
}

/// The name of a step in a history: "What's New In Python 3.8" is Python 3.8.
fn step(heading: &str) -> Option<String> {
    let words: Vec<&str> = heading.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains(|c: char| c.is_ascii_digit()))?;
    let named = at > 0 && words[at - 1].starts_with(char::is_uppercase);
    Some(words[if named { at - 1 } else { at }..=at].join(" "))
}

/// A heading without its number: "8.3. Handling", "Chapter 3. The …".
pub(super) fn bare(heading: &str) -> String {
    let heading = heading.trim();
    let rest = ["Chapter ", "Appendix ", "Section ", "Part "].iter().find_map(|word| heading.strip_prefix(word));
    let rest = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).map_or(heading, unnumbered);
    unnumbered(rest).trim_end_matches([':', ' ']).to_string()
}

/// The name of a group member in a heading: "/var/lock : Lock files" is /var/lock.
pub(super) fn member(heading: &str) -> String {
    let cuts = [" : ", ": ", " — ", " – ", " (", " - "];
    let end = cuts.iter().filter_map(|cut| heading.find(cut)).min().unwrap_or(heading.len());
    heading[..end].trim().to_string()
}

/// Whether a heading is over links or literature.
pub(super) fn leads_elsewhere(heading: &str) -> bool {
    WORDS.elsewhere.contains(&bare(heading).to_lowercase())
}

/// Whether a heading names no sub-topic.
pub(super) fn is_furniture(heading: &str) -> bool {
    let heading = bare(heading);
    // The header of a table or form, set as a heading.
    let form = heading.split(' ').count() > 3 && heading.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    form || [&WORDS.furniture, &WORDS.elsewhere].iter().any(|list| list.contains(&heading.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_numbers() {
        assert_eq!(bare("8.3. Handling Exceptions"), "Handling Exceptions");
        assert_eq!(bare("Chapter 3. The system initialization"), "The system initialization");
        assert_eq!(bare("3 ways"), "ways");
        assert_eq!(bare("/var"), "/var");
        assert_eq!(member("/var/lock : Lock files"), "/var/lock");
        assert_eq!(step("What's New In Python 3.8").as_deref(), Some("Python 3.8"));
        assert_eq!(step("Changes of 1998").as_deref(), Some("1998"));
    }
}
