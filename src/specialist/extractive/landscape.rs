//! How the sources lay out what was asked about: the sections that speak of it, the page it is at home on, its name.
//!
//! Read from what the planner's searches found. Says nothing about what the answer is.

use std::collections::BTreeMap;

use super::chronicle::is_chronicle;
use super::claim::{is_signature, unnumbered};
use super::material::Material;
use super::question::{Asked, other_words};
use super::topic::{Name, Tokens};
use crate::run::evidence::{Hit, Outline, SourceRef};
use crate::run::plan::{Shape, Within};
use crate::text::Clean;
use crate::text::words::{Language, is_stop, stem, words};

/// Sections that count when the topic is named.
const MOST_NAMING: usize = 12;
/// Share of the best name's weight from which on another phrase is a name of the topic too.
const ALSO_A_NAME: f64 = 0.6;
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
    question: &'a str,
    asked: &'a Asked,
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

    /// Whether every word of a phrase is in the vocabulary of the sources.
    pub fn is_known(&self, phrase: &str) -> bool {
        let content = words(phrase).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English));
        let mut content = content.peekable();
        content.peek().is_some() && content.all(|stem| self.material.count(&stem).is_none_or(|blocks| blocks > 0))
    }

    /// Whether a phrase tells one passage from another: its rarest word is not everywhere.
    pub fn tells(&self, phrase: &str) -> bool {
        words(phrase).any(|word| self.material.idf(&stem(word, Language::English)) > 2.5)
    }

    /// Whether the sources are about something else: much of what the question says is not in their vocabulary, or no
    /// passage brings enough of it together.
    pub fn is_foreign(&self) -> bool {
        let stems: Vec<String> = self
            .asked
            .phrases
            .iter()
            .flat_map(|phrase| words(phrase).filter(|word| !is_stop(word)))
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
        let renamed = other_words(self.question).is_some();
        all > 0.0 && (best < LEAST_KNOWN * all || unknown > 0.2 * all && best < 0.5 * all) && !renamed
    }

    /// The names of the topic: the phrases of the question that the headings of the best sections carry, the earlier
    /// the better. Where they carry none, the name of the best page: what the sources call it.
    pub fn topic(&self) -> Vec<String> {
        let spanned = |phrase: &str| {
            self.asked.span.as_ref().is_some_and(|(from, to)| from.contains(phrase) || to.contains(phrase))
        };
        let first = self.asked.clauses.first().filter(|_| self.asked.clauses.len() > 1);
        let of_first = |phrase: &str| first.is_none_or(|clause| clause.contains(phrase));
        let open: Vec<&String> = self
            .asked
            .phrases
            .iter()
            .filter(|phrase| !spanned(phrase) && phrase.chars().any(char::is_alphabetic))
            .collect();
        let numbers = self.asked.phrases.iter().filter(|phrase| !phrase.chars().any(char::is_alphabetic)).count();
        let sections = self.sections(&[]);
        // What manuals call it counts like the first phrase of the question.
        let renamed: Vec<String> =
            other_words(self.question).iter().flat_map(|other| other.split(' ')).map(String::from).collect();
        let weigh = |at: usize, phrase: &String| {
            let Some(name) = Name::new(phrase).filter(|_| self.is_known(phrase)) else { return 0.0 };
            let rarest = name.stems().map(|stem| self.material.idf(stem)).fold(0.0, f64::max);
            let names = [name];
            let carried: f64 = sections
                .iter()
                .take(MOST_NAMING)
                .filter(|section| section.names(&names))
                .map(|section| section.score)
                .sum();
            let place =
                if renamed.contains(phrase) || of_first(phrase) { (1.0 - 0.12 * at as f64).max(0.4) } else { 0.2 };
            carried * (rarest / 5.0).min(1.0).powi(2) * place
        };
        let open_weighed = open.iter().enumerate().map(|(at, phrase)| (weigh(at, phrase), *phrase));
        let weighed: Vec<(f64, &String)> =
            open_weighed.chain(renamed.iter().map(|word| (2.0 * weigh(0, word), word))).collect();
        let best = weighed.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
        if best > 0.3 && numbers < 2 && !self.is_foreign() {
            let mut topic: Vec<(f64, &String)> =
                weighed.iter().filter(|(w, _)| *w >= ALSO_A_NAME * best).copied().collect();
            topic.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut topic: Vec<String> = topic.into_iter().map(|(_, phrase)| phrase.clone()).collect();
            // "permissions and ownership": what is joined to a name is one.
            let main = topic[0].clone();
            for phrase in open {
                let joined =
                    [format!("{main} and {phrase}"), format!("{phrase} and {main}"), format!("{main} or {phrase}")];
                if !topic.contains(phrase)
                    && self.is_known(phrase)
                    && joined.iter().any(|j| self.question.contains(j.as_str()))
                {
                    topic.push(phrase.clone());
                }
            }
            return topic;
        }
        match sections.first().filter(|_| !self.is_foreign()) {
            Some(section) => names_of_page(&section.source.title),
            // All of it, as it was asked: a passage would have to name the whole of it to count.
            None => vec![self.asked.phrases.join(" ")],
        }
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

/// "Chapter 3. The system initialization" is called the system initialization; "Floating Point Arithmetic: Issues and
/// Limitations" is called floating point for short.
fn names_of_page(title: &str) -> Vec<String> {
    let bare = bare(title);
    let bare = bare.strip_prefix("The ").unwrap_or(&bare);
    let title = member(bare);
    let head: Vec<&str> = title.split_whitespace().take(2).collect();
    let mut names = vec![title.clone()];
    if title.split_whitespace().count() > 2 && !head.iter().any(|word| is_stop(word)) {
        names.push(head.join(" "));
    }
    names
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
    ];
    FURNITURE.contains(&bare(heading).to_lowercase().as_str())
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
        assert_eq!(
            names_of_page("15. Floating Point Arithmetic: Issues"),
            ["Floating Point Arithmetic", "Floating Point"]
        );
        assert_eq!(names_of_page("Chapter 3. The system initialization"), ["system initialization"]);
    }
}
