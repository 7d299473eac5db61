//! Topic matching: whether a sentence is about the requested thing, and not about a similar one.

use std::collections::BTreeSet;

use crate::words::WORDS;
use text::words::{Language, fold, is_stop, plain_version, stem, without_keys, word_indices};

/// The first letters of the words of a name, as capitals: GIL of "global interpreter lock".
pub(super) fn initials(name: &str) -> String {
    name.split([' ', '-']).filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect()
}

/// A name, prepared for matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// As written.
    pub surface: String,
    parts: Vec<Part>,
    /// Whether another name contains it ("Depends" in "Pre-Depends"): then it matches only on its own.
    alone: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    word: String,
    stem: String,
    capital: bool,
    /// Whether a hyphen joins it to a neighbour.
    joined: bool,
}

impl Name {
    /// Prepares a name; None if it has no content word.
    pub fn new(surface: &str) -> Option<Name> {
        let parts: Vec<Part> = tokens(surface).filter(|part| !is_stop(&part.word)).collect();
        (!parts.is_empty()).then(|| Name { surface: surface.trim().to_string(), parts, alone: false })
    }

    /// Whether the text contains every word of the name. One-word names match by spelling, because population, populist
    /// and populism share a stem.
    pub fn is_in(&self, text: &Tokens) -> bool {
        self.parts.iter().all(|part| {
            if self.parts.len() == 1 { text.0.iter().any(|token| self.fits(token, part)) } else { text.has(part) }
        })
    }

    fn fits(&self, token: &Part, part: &Part) -> bool {
        same_surface(token, part) && !(self.alone && token.joined)
    }

    /// Whether the other name contains this one.
    fn is_within(&self, other: &Name) -> bool {
        other.parts.len() > self.parts.len()
            && self.parts.iter().all(|part| other.parts.iter().any(|o| o.stem == part.stem))
    }

    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.stem.as_str())
    }

    /// The number of its words.
    pub fn len(&self) -> usize {
        self.parts.len()
    }
}

/// Whether a one-word name matches: a capitalised ordinary word ("Recommends") differs from the same word in lower
/// case.
fn same_surface(token: &Part, part: &Part) -> bool {
    if part.capital && !token.capital {
        return false;
    }
    // A suite called "testing" is not a test.
    let shorter = part.word.starts_with(&token.word) && !part.word.ends_with("ing");
    token.word == part.word || (token.stem == part.stem && (token.word.starts_with(&part.word) || shorter))
}

/// The words of a text in lower case with their stems, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(Vec<Part>);

impl Tokens {
    pub fn of(text: &str) -> Tokens {
        Tokens(tokens(&without_keys(text)).collect())
    }

    fn has(&self, part: &Part) -> bool {
        self.0.iter().any(|token| token.stem == part.stem)
    }

    /// The stems of the content words.
    pub fn content(&self) -> BTreeSet<String> {
        self.0.iter().filter(|token| !is_stop(&token.word)).map(|token| token.stem.clone()).collect()
    }

    /// The stems of the content words, in order.
    pub fn in_order(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|token| !is_stop(&token.word)).map(|token| token.stem.as_str())
    }

    /// Whether one of the words right before this one holds what follows against something else: "unlike", "the opposite of".
    fn contrasts_before(&self, at: usize) -> bool {
        let before = &self.0[at.saturating_sub(BESIDE)..at];
        before.iter().any(|token| WORDS.held_against.contains(&token.word))
    }

    /// The index of the word at which the name begins.
    pub fn position(&self, name: &Name) -> Option<usize> {
        if !name.is_in(self) {
            return None;
        }
        self.0.iter().position(|token| {
            name.parts
                .iter()
                .any(|part| if name.parts.len() == 1 { same_surface(token, part) } else { token.stem == part.stem })
        })
    }
}

/// The words of a text; dotted and underscored names whole and in parts; 2.30.1 also as 2.30.
fn tokens(text: &str) -> impl Iterator<Item = Part> {
    word_indices(text).flat_map(move |(at, raw)| {
        let joined = text[..at].ends_with('-') || text[at + raw.len()..].starts_with('-');
        let raw = plain_version(raw);
        let part = |raw: &str| {
            let word = fold(raw).into_owned();
            let capital = raw.starts_with(char::is_uppercase);
            Part { stem: stem(&word, Language::English), word, capital, joined }
        };
        let apart = raw.contains(['.', '_']) && !raw.starts_with(|c: char| c.is_ascii_digit());
        let parts: Vec<Part> = match apart {
            true => raw.split(['.', '_']).filter(|w| !w.is_empty()).map(part).collect(),
            false => release(raw).map(part).into_iter().collect(),
        };
        std::iter::once(part(raw)).chain(parts)
    })
}

/// The release of a version: "2.30" of "2.30.1".
fn release(version: &str) -> Option<&str> {
    let is_version = version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (second, _) = version.match_indices('.').nth(1).filter(|_| is_version)?;
    Some(&version[..second])
}

/// The thing a task is about, and the things it must not be confused with.
#[derive(Clone, Debug, Default)]
pub(super) struct Topic {
    /// Its names; each of them matches.
    pub names: Vec<Name>,
    /// Names of the things it is compared with.
    pub rivals: Vec<Name>,
}

/// A rival is the subject of a sentence only among this many first words.
const RIVAL: usize = 4;
/// The words before a name among which one may hold it against something else.
const BESIDE: usize = 3;
/// The topic is the subject of a sentence only among this many first words.
const SUBJECT: usize = 8;

/// The ties of a sentence to the topic, closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// Named within the first eight words of the sentence.
    Subject,
    /// Named later in the sentence.
    Sentence,
    /// Named in the heading above it.
    Heading,
    /// Named in its paragraph, which names no other of the things.
    Paragraph,
    /// Named only in the title of the page.
    Title,
    /// Its words are spread over sentence, headings and title.
    Spread,
}

impl Topic {
    /// A topic with these names and rivals.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>, rivals: impl IntoIterator<Item = S>) -> Topic {
        let mut topic = Topic::default();
        topic.names = names.into_iter().filter_map(|name| Name::new(name.as_ref())).collect();
        topic.rivals = rivals
            .into_iter()
            .filter_map(|name| Name::new(name.as_ref()))
            .filter(|rival| !topic.names.iter().any(|name| name.parts == rival.parts))
            .collect();
        let all: Vec<Name> = topic.names.iter().chain(&topic.rivals).cloned().collect();
        for name in topic.names.iter_mut().chain(&mut topic.rivals) {
            name.alone = name.parts.len() == 1 && all.iter().any(|other| name.is_within(other));
        }
        topic
    }

    /// Whether the text contains any of its names.
    pub fn named(&self, text: &Tokens) -> bool {
        self.names.iter().any(|name| name.is_in(text))
    }

    fn rival_named(&self, text: &Tokens) -> bool {
        self.rivals.iter().any(|rival| rival.is_in(text))
    }

    /// Whether a sentence below the topic's own heading names a rival only to tell the two apart: "A curved line, identical in
    /// appearance with the slur".
    fn is_beside_a_rival(&self, sentence: &Tokens, nearest: &Tokens) -> bool {
        let first = self.rivals.iter().filter_map(|rival| sentence.position(rival)).min();
        self.named(nearest) && !self.rival_named(nearest) && first.is_some_and(|first| first >= RIVAL)
    }

    /// The tie of a sentence to the topic, below these headings on a page with this title. None if there is none, or if
    /// the sentence is rather about a rival.
    pub fn tie(&self, sentence: &Tokens, nearest: &Tokens, heading: &Tokens, title: &Tokens) -> Option<Tie> {
        if let Some(at) = self.names.iter().filter_map(|name| sentence.position(name)).min() {
            // A sentence that also names a rival compares the two itself.
            let is_subject = at < SUBJECT && !sentence.contrasts_before(at);
            return Some(if is_subject { Tie::Subject } else { Tie::Sentence });
        }
        if self.names.is_empty() || self.rival_named(sentence) && !self.is_beside_a_rival(sentence, nearest) {
            return None;
        }
        // The nearest subject counts: the last heading before those above it.
        let (own, other) = (self.named(nearest), self.rival_named(nearest));
        if own || other {
            return (own && !other).then_some(Tie::Heading);
        }
        if self.named(heading) {
            return (!self.rival_named(heading)).then_some(Tie::Heading);
        }
        if self.rival_named(heading) || self.rival_named(title) {
            return None;
        }
        if self.named(title) {
            return Some(Tie::Title);
        }
        let mut all = sentence.clone();
        all.0.extend(heading.0.iter().chain(&title.0).cloned());
        self.names.iter().any(|name| name.parts.len() > 1 && name.is_in(&all)).then_some(Tie::Spread)
    }

    /// Whether a paragraph below these headings is about the topic alone: it names none of its rivals.
    pub fn is_alone_in(&self, paragraph: &Tokens, nearest: &Tokens) -> bool {
        self.named(paragraph) && !self.rival_named(paragraph) && !self.rival_named(nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tie(topic: &Topic, sentence: &str, heading: &str, title: &str) -> Option<Tie> {
        topic.tie(&Tokens::of(sentence), &Tokens::of(heading), &Tokens::of(heading), &Tokens::of(title))
    }

    #[test]
    fn a_sentence_has_to_name_its_topic_or_stand_under_it() {
        let topic = Topic::new(["pgvector"], ["Qdrant", "Pinecone", "pgvector"]);
        for (sentence, heading, title, wanted) in [
            ("pgvector stores vectors in tables.", "", "", Some(Tie::Subject)),
            ("A column of a table that is in ordinary use can hold it in pgvector.", "", "", Some(Tie::Sentence)),
            ("Filters run after the scan.", "pgvector", "Comparison", Some(Tie::Heading)),
            ("Filters run after the scan.", "Filters", "pgvector at a glance", Some(Tie::Title)),
            ("Qdrant filters during the walk.", "Filters", "pgvector at a glance", None),
            ("Qdrant filters during the walk.", "pgvector", "Comparison", None),
            ("A table of vectors, as fast to search as in Qdrant.", "pgvector", "Comparison", Some(Tie::Heading)),
            ("A table of vectors, as fast to search as in Qdrant.", "Tables", "pgvector at a glance", None),
            ("Filters run early.", "Qdrant", "pgvector at a glance", None),
            ("Filters run early.", "Filters", "Choosing between pgvector and Qdrant", None),
            ("Filters run early.", "Filters", "Bread", None),
            ("pgvector, unlike Qdrant, needs no server.", "", "", Some(Tie::Subject)),
            ("Unlike pgvector, it needs a server.", "", "", Some(Tie::Sentence)),
            ("In contrast to pgvector it needs a server.", "", "", Some(Tie::Sentence)),
        ] {
            assert_eq!(tie(&topic, sentence, heading, title), wanted, "{sentence} / {heading} / {title}");
        }
    }

    #[test]
    fn a_name_within_another_name_counts_only_alone() {
        let topic = Topic::new(["apt"], ["apt-get", "aptitude"]);
        assert_eq!(tie(&topic, "apt-get is best for scripts.", "", ""), None);
        assert_eq!(tie(&topic, "apt is best for people.", "", ""), Some(Tie::Subject));
    }

    #[test]
    fn one_word_names_need_their_surface_form() {
        let topic = Topic::new(["population"], []);
        assert!(topic.named(&Tokens::of("Populations grow.")));
        assert!(!topic.named(&Tokens::of("Populism grows.")));
        assert!(Topic::new(["asyncio"], []).named(&Tokens::of("Use asyncio.run() for that.")));
    }
}
