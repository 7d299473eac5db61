//! How the sources lay out what was asked about: the sections that speak of it, the page it is at home on, its name.
//!
//! Read from what the planner's searches found. Says nothing about what the answer is.

use std::collections::{BTreeMap, BTreeSet};

use super::chronicle::is_chronicle;
use super::claim::{is_signature, unnumbered};
use super::material::{EVERYWHERE, Material};
use super::naming;
use super::number::{date, date_key};
use super::phrase::is_cue;
use super::question::Asked;
use super::synonym::replaced;
use super::topic::{Name, Tokens};
use run::evidence::{Hit, Outline, SourceRef};
use run::plan::{Shape, Within};
use text::Clean;
use text::words::{Language, is_stop, stem, words};

/// Share of what is asked that a heading has to say to be the question itself in other words.
const IS_ASKED: f64 = 0.75;
/// A word whose inverse document frequency is below this is in more than half of all passages.
const WHOLE: f64 = 0.7;
/// Least share of what a question says that its best passage has to hold; below it the sources speak of other things.
const LEAST_KNOWN: f64 = 0.25;

/// A section of the sources with what the searches say of it.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The page.
    pub source: SourceRef,
    /// Headings down to the section.
    pub headings: Vec<Clean>,
    /// Sum over the passages found in it.
    pub score: f64,
}

impl Section {
    /// What it is called: its last heading, or the title of its page.
    pub fn name(&self) -> &Clean {
        self.headings.last().unwrap_or(&self.source.title)
    }

    /// Whether its headings or its title name one of these.
    pub fn names(&self, names: &[Name]) -> bool {
        let above = self.headings.iter().chain([&self.source.title]).map(|text| text.as_str());
        let above = Tokens::of(&above.collect::<Vec<_>>().join(" / "));
        names.iter().any(|name| name.is_in(&above))
    }
}

/// What the searches found, held against the question.
pub(super) struct Landscape<'a> {
    /// The question.
    pub question: &'a str,
    /// The question, taken apart.
    pub asked: &'a Asked,
    material: &'a Material,
    found: Vec<(&'a Hit, f64)>,
}

impl<'a> Landscape<'a> {
    /// Of everything found so far.
    pub fn new(question: &'a str, asked: &'a Asked, material: &'a Material) -> Landscape<'a> {
        let mut found = Vec::new();
        for (query, hits) in material.hits() {
            // A search for a word that is everywhere tells little; the whole question tells most.
            let rarest = words(query).map(|word| material.idf(&stem(word, Language::English))).fold(0.0, f64::max);
            let weight = (rarest / 6.0).clamp(0.2, 1.0) * if query == question { 2.0 } else { 1.0 };
            let top = f64::from(hits.hits.first().map_or(1, |hit| hit.score.max(1)));
            for (rank, hit) in hits.hits.iter().enumerate() {
                found.push((hit, weight * f64::from(hit.score) / top / (1.0 + 0.15 * rank as f64)));
            }
        }
        // What changed when tells how a thing is named only where that is what is asked, or nothing else speaks of it.
        let tells = |hit: &Hit| asked.shape == Shape::History || !is_chronicle(&hit.source);
        if found.iter().any(|(hit, _)| tells(hit)) {
            found.retain(|(hit, _)| tells(hit));
        }
        Landscape { question, asked, material, found }
    }

    /// Sections by what was found in them, best first. A section is the part of a page whose heading carries one of the
    /// names, with all below it; where only the title does, the part below the first heading.
    pub fn sections(&self, names: &[Name]) -> Vec<Section> {
        let mut sections: BTreeMap<(String, Vec<Clean>), Section> = BTreeMap::new();
        for (hit, score) in &self.found {
            // The entries of single functions belong to the section that lists them.
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

    /// Whether a section is headed by what is asked: its heading says nearly all that one of the questions says.
    pub fn is_asked(&self, section: &Section) -> bool {
        let said = Tokens::of(section.name()).content();
        let weight = |stem: &String| self.material.idf(stem);
        let questions = self.asked.clauses.iter().map(String::as_str).chain([self.question]);
        let asked = questions.map(|question| {
            let own = words(question).filter(|word| !is_stop(word) && !is_cue(word));
            own.map(|word| stem(word, Language::English)).collect::<BTreeSet<String>>()
        });
        asked.into_iter().any(|asked| {
            let all: f64 = asked.iter().map(weight).sum();
            let both: f64 = asked.intersection(&said).map(weight).sum();
            all > 0.0 && both >= IS_ASKED * all
        })
    }

    /// Whether every word of a phrase is in the vocabulary of the sources.
    pub fn is_known(&self, phrase: &str) -> bool {
        let content = words(phrase).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English));
        let mut content = content.peekable();
        content.peek().is_some() && content.all(|stem| self.material.count(&stem).is_none_or(|blocks| blocks > 0))
    }

    /// What the question says besides its topic, in stems.
    pub fn besides(&self, names: &[Name]) -> BTreeSet<String> {
        naming::besides(self.question, names, self.material, |_| true)
    }

    /// Whether a section speaks of one of these: its headings do, or a passage that was found in it.
    pub fn speaks_of(&self, section: &Section, stems: &BTreeSet<String>) -> bool {
        let speaks = |text: &str| Tokens::of(text).content().iter().any(|stem| stems.contains(stem));
        let within = |hit: &Hit| hit.source.id == section.source.id && hit.headings.starts_with(&section.headings);
        section.headings.iter().any(|heading| speaks(heading))
            || self.found.iter().any(|(hit, _)| within(hit) && speaks(&hit.snippet))
    }

    /// Whether the sources are about something else: much of what the question says is not in their vocabulary, or no
    /// passage brings enough of it together.
    pub fn is_foreign(&self) -> bool {
        // What manuals have other words for need not be in them.
        let (said, _) = replaced(self.question);
        let other = |word: &str| said.iter().any(|said| words(said).any(|said| said.eq_ignore_ascii_case(word)));
        let stems: Vec<String> = self
            .asked
            .phrases
            .iter()
            .flat_map(|phrase| words(phrase).filter(|word| !is_stop(word) && !other(word)))
            .map(|word| stem(word, Language::English))
            .collect();
        let weight = |stem: &String| self.material.idf(stem);
        let all: f64 = stems.iter().map(weight).sum();
        let unknown: f64 = stems.iter().filter(|stem| self.material.count(stem) == Some(0)).map(weight).sum();
        let together = |hit: &Hit| {
            let above = hit.headings.iter().chain([&hit.source.title, &hit.snippet]).map(|text| text.as_str());
            let has = Tokens::of(&above.collect::<Vec<_>>().join(" ")).content();
            stems.iter().filter(|stem| has.contains(*stem)).map(weight).sum::<f64>()
        };
        let best = self.found.iter().map(|(hit, _)| together(hit)).fold(0.0, f64::max);
        all > 0.0 && (best < LEAST_KNOWN * all || unknown > 0.2 * all && best < 0.5 * all)
    }

    /// The names of the topic, the best first.
    pub fn topic(&self) -> Vec<String> {
        naming::topic(self)
    }

    /// Everything found, each with what the searches say of it.
    pub fn found(&self) -> impl Iterator<Item = (&Hit, f64)> {
        self.found.iter().map(|(hit, score)| (*hit, *score))
    }

    /// How much a stem tells: the rarer, the more.
    pub fn idf(&self, stem: &str) -> f64 {
        self.material.idf(stem)
    }

    /// Whether a word is held by so many passages that it tells nothing alone.
    pub fn is_everywhere(&self, word: &str) -> bool {
        self.material.idf(&stem(word, Language::English)) < EVERYWHERE
    }

    /// Whether a word names the collection as a whole ("Python" in its manual), so that it tells nothing in a phrase either.
    pub fn is_whole(&self, word: &str) -> bool {
        let named = word.starts_with(char::is_uppercase) && self.is_everywhere(word);
        named || self.material.idf(&stem(word, Language::English)) < WHOLE
    }

    /// The versions or years in whose lists of changes the topic is named, in their order: those that tell most of it.
    pub fn steps(&self, names: &[Name], most: usize) -> Vec<String> {
        let mut steps: BTreeMap<Vec<u32>, (String, f64)> = BTreeMap::new();
        for (hit, score) in self.found.iter().filter(|(hit, _)| is_chronicle(&hit.source)) {
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

    /// The outline of a page, if it was asked for.
    pub fn outline(&self, path: &str) -> Option<&'a Outline> {
        self.material.outlines.get(path)
    }

    /// The parts of a page below a heading that hold text of their own, in order, each with what was found in it.
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

    /// The blocks of a section with all below it, up to where one of the others begins. None for a page as a whole, and
    /// for a page whose outline is not known.
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

    /// What the searches say of everything below a heading.
    pub fn score_below(&self, path: &str, under: &[Clean]) -> f64 {
        let below = |hit: &Hit| *hit.source.path == *path && hit.headings.starts_with(under);
        self.found.iter().filter(|(hit, _)| below(hit)).map(|(_, score)| score).sum()
    }
}

/// What a step of a history is called: "What's New In Python 3.8" is Python 3.8.
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

/// What a member of a group is called: "/var/lock : Lock files" is /var/lock.
pub(super) fn member(heading: &str) -> String {
    let cuts = [" : ", ": ", " — ", " – ", " (", " - "];
    let end = cuts.iter().filter_map(|cut| heading.find(cut)).min().unwrap_or(heading.len());
    heading[..end].trim().to_string()
}

/// Headings over what leads elsewhere: lists of links and of literature.
pub(super) fn leads_elsewhere(heading: &str) -> bool {
    const ELSEWHERE: &[&str] = &[
        "see also",
        "references",
        "citations",
        "sources",
        "works cited",
        "further reading",
        "external links",
        "footnotes",
        "bibliography",
    ];
    ELSEWHERE.contains(&bare(heading).to_lowercase().as_str())
}

/// Headings that name no sub-topic.
pub(super) fn is_furniture(heading: &str) -> bool {
    const FURNITURE: &[&str] = &[
        "see also",
        "notes",
        "references",
        "citations",
        "sources",
        "works cited",
        "further reading",
        "external links",
        "footnotes",
        "acknowledgements",
        "acknowledgments",
        "bibliography",
        "index",
        "summary",
        "conclusion",
        "changelog",
        "examples",
        "example",
        "contents",
        "glossary",
        "introduction",
        "maintainers",
        "feedback",
        "license",
        "copyright",
        "reference",
        "specific options",
        "rationale",
        "name",
        "synopsis",
        "description",
        "options",
        "commands",
        "arguments",
        "parameters",
    ];
    let heading = bare(heading);
    // The head of a table or a form that was set as a heading.
    let form = heading.split(' ').count() > 3 && heading.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    form || FURNITURE.contains(&heading.to_lowercase().as_str())
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
