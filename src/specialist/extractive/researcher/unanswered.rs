//! Whether the sources answer a task at all, and the note of a researcher that found no answer: with the passages that come closest,
//! for a person to judge.

use std::collections::{BTreeMap, BTreeSet};

use super::chosen::ENOUGH_CHANGES;
use super::{Work, value};
use crate::extractive::candidate::Candidate;
use crate::extractive::english::{NOT_JUDGED, other_language};
use crate::extractive::headings::{asks_for_law, is_licence};
use crate::extractive::planner::WHOLE;
use crate::extractive::rank::Ranked;
use crate::extractive::select::select;
use crate::extractive::standalone::addresses_machine;
use crate::extractive::tool_results::key;
use crate::extractive::{entries, reviewer};
use run::evidence::Hit;
use run::plan::AskedWord;
use text::words::{Language, stem};
use text::{Clean, count, first_words};

/// A question or part counts as unanswered if every sentence is less alike to it. Of the labelled questions this
/// detects six of ten without an answer, and one of eight with one (docs/evaluation.md).
const UNANSWERED_BELOW: f64 = 0.42;
/// A question or part counts as unanswered if every sentence is less alike to it and the sources lack its words as
/// well.
const DOUBTED_BELOW: f64 = 0.5;
/// The likeness of a sentence from which missing words of the question do not count against an answer.
const SURE_FROM: f64 = 0.65;
/// The additional likeness required for each thousandth of the question above [`MOST_NOWHERE`].
const SURER: f64 = 0.25 / 1000.0;
/// The least share of a question's words ([`Ranked::answered`]) that the sources must have.
const LEAST_ANSWERED: f64 = 0.33;
/// The same for a part of a question, whose words depend on the rest of it.
const LEAST_OF_PART: f64 = 0.28;

/// The least share of the question in a heading that counts as its subject, whatever the likeness.
const HEADED_BY: f64 = 0.75;
/// The least share of the question in a sentence that is not too far from it, whatever the likeness.
const SAID_BY: f64 = 0.75;

/// The weight of words missing from the sources, in thousandths, from which they are the subject of the question.
const MOST_NOWHERE: u32 = 400;

/// The number of the best sentences among which an answer is looked for.
const BEST: usize = 10;

/// The number of sentences shown if nothing answers, and the most words of each.
const CLOSEST: usize = 3;
const FIRST_WORDS: usize = 20;
/// The most sentences that are told whole if nothing answers, and the most of one page.
const MOST_CLOSEST: usize = 6;
const MOST_OF_A_PAGE: usize = 4;
/// The note with them.
pub(super) const NO_ANSWER: &str = "No sentence that was found answers it outright: what is told only comes closest.";
/// The words before the closest passages in a note.
const CLOSEST_ARE: &str = " The closest: ";

impl Work<'_> {
    /// Whether the sources have no answer, even if they have words of the question.
    pub(super) fn is_unanswered(&self, ranked: &Ranked) -> bool {
        let changes = self.changes(ranked.near()).len();
        if changes >= ENOUGH_CHANGES {
            return false;
        }
        let alike = |least: f64| ranked.most_alike.is_some_and(|alike| alike >= least);
        // A missing word may have a synonym; a missing version has none.
        let is_number = |asked: &&AskedWord| asked.word.starts_with(|c: char| c.is_ascii_digit());
        // The more of a question is missing, the more alike a sentence must be.
        let nowhere = self.nowhere();
        let sure = SURE_FROM + f64::from(nowhere.saturating_sub(MOST_NOWHERE)) * SURER;
        if nowhere >= MOST_NOWHERE && (!alike(sure) || self.missing().any(|asked| is_number(&asked))) {
            return true;
        }
        // A number is not alike to a question for it, nor is the entry of an option to its name.
        let is_entry = |c: &Candidate| entries::is_of_option(c, &self.task.question);
        if ranked.candidates.iter().any(|c| value::is_asked(c, self.asks()) || is_entry(c)) {
            return false;
        }
        let least = if self.is_part() { LEAST_OF_PART } else { LEAST_ANSWERED };
        // The changes in an edition are not alike to a question for them.
        let has_answer = || changes > 0 || self.is_headed(ranked.near()) || self.is_said(ranked.near());
        let is_far = ranked.most_alike.is_some() && !alike(UNANSWERED_BELOW) && !has_answer();
        self.topic().rivals.is_empty() && (is_far || ranked.answered < least && !alike(DOUBTED_BELOW))
    }

    /// Whether one of the best sentences is below a heading that is the subject of the question.
    fn is_headed(&self, ranked: &[Candidate]) -> bool {
        let ask = self.asks();
        let says = |c: &Candidate| {
            c.heading.iter().all(|stem| ask.weight_of(stem) > 0.0) && ask.share(&c.heading) >= HEADED_BY
        };
        ranked.iter().take(BEST).any(says)
    }

    /// Whether one of the best sentences has nearly all that the question says.
    fn is_said(&self, ranked: &[Candidate]) -> bool {
        ranked.iter().take(BEST).any(|c| self.asks().share(&c.own) >= SAID_BY)
    }

    /// The weight of the task's words that nothing searched contains, in thousandths: the web may have them.
    fn nowhere(&self) -> u32 {
        self.missing().map(|asked| u32::from(asked.weight)).sum()
    }

    /// The words of the task that nothing searched contains.
    fn missing(&self) -> impl Iterator<Item = &AskedWord> {
        let is_found =
            |asked: &AskedWord| self.results.count(&stem(&asked.word, Language::English)).is_some_and(|n| n > 0);
        self.task.words.iter().filter(move |asked| asked.nowhere && !is_found(asked))
    }

    /// The note of a researcher that found no answer. `is_sure`: all was searched that was to be.
    pub(super) fn nothing_found(&self, is_sure: bool) -> String {
        let searched = self.results.passage_scores().len();
        let title = match &*self.task.title {
            WHOLE => "the question as a whole".to_owned(),
            title => format!("“{title}”"),
        };
        if searched == 0 {
            return match is_sure {
                true => format!("No passage has a word of {title}."),
                false => format!("{title} was not researched."),
            };
        }
        let closest = self.closest(self.ranked());
        let found = count(searched, "passage");
        let said = match self.is_in_another_language(closest.iter().map(|(text, _)| text.as_str())) {
            true => format!("{found} found: {NOT_JUDGED}, and nothing is translated."),
            false => format!("{found} found, none answers {title}."),
        };
        said + &in_words(&closest)
    }

    /// Whether the rules, which read English, cannot judge an answer: the question or all that comes close to it is in
    /// another language.
    fn is_in_another_language<'t>(&self, closest: impl Iterator<Item = &'t str>) -> bool {
        let mut closest = closest.peekable();
        let is_read = closest.peek().is_some();
        is_read && (other_language(&self.question).is_some() || closest.all(|text| other_language(text).is_some()))
    }

    /// The sentences that come closest to a question that none answers, if the best of them is nearly a strong finding: none if what it is
    /// about is nowhere, nor for a part of a question.
    pub(super) fn closest_sentences(&self) -> Vec<Candidate> {
        let near = self.ranked().near();
        let is_name = |asked: &AskedWord| {
            let is_capital = |at: usize| at > 0 && self.question[at..].starts_with(char::is_uppercase);
            asked.word.starts_with(|c: char| c.is_ascii_digit())
                || self.question.find(&*asked.word).is_some_and(is_capital)
        };
        let nearly_good = (self.ranking.fair + self.ranking.good) / 2.0;
        let is_told = near.first().is_some_and(|best| best.score >= nearly_good)
            && !self.is_part()
            && self.topic().rivals.is_empty()
            && self.nowhere() < reviewer::MOST_NOWHERE
            && !self.missing().any(is_name);
        if !is_told || self.is_in_another_language(near.iter().take(CLOSEST).map(|c| &*c.claim.text)) {
            return Vec::new();
        }
        let mut of_page: BTreeMap<&str, usize> = BTreeMap::new();
        let chosen = select(near, Vec::new(), near.len(), self.ranking.fair, &|_| true).into_iter().map(|at| &near[at]);
        let spread = chosen.filter(|c| {
            let known = of_page.entry(&c.source.path).or_default();
            *known += 1;
            *known <= MOST_OF_A_PAGE
        });
        spread.take(MOST_CLOSEST).cloned().collect()
    }

    /// The sentences closest to the question, else the closest passages, for a person to judge; each with its document.
    fn closest(&self, ranked: &Ranked) -> Vec<(String, String)> {
        let with = |text: &str, path: &str| (text.to_owned(), path.to_owned());
        let sentences = ranked.candidates.iter().map(|c| with(&c.claim.text, &c.source.path));
        let mut closest: Vec<(String, String)> = sentences.take(CLOSEST).collect();
        if closest.is_empty() {
            let scores = self.results.passage_scores();
            let mut hits: Vec<&Hit> = self.results.hits().flat_map(|(_, hits)| &hits.hits).collect();
            let is_law = |hit: &Hit| is_licence(&hit.source.path) && !asks_for_law(&self.question);
            hits.retain(|hit| !addresses_machine(&hit.snippet) && !is_law(hit));
            let score = |hit: &Hit| scores.get(&key(hit)).copied().unwrap_or(0.0);
            hits.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| key(a).cmp(&key(b))));
            hits.dedup_by_key(|hit| key(hit));
            closest.extend(hits.iter().take(CLOSEST).map(|hit| with(&hit.snippet, &hit.source.path)));
        }
        closest
    }
}

/// The closest passages, in a sentence; empty without one.
fn in_words(closest: &[(String, String)]) -> String {
    let quoted: Vec<String> = closest.iter().map(|(text, path)| quoted(text, path)).collect();
    if quoted.is_empty() { String::new() } else { format!("{CLOSEST_ARE}{}.", quoted.join("; ")) }
}

/// The notes of researchers that found nothing, each set of closest passages once.
pub fn closest_once(notes: BTreeSet<Clean>) -> Vec<Clean> {
    let mut shown: BTreeSet<String> = BTreeSet::new();
    let once = |note: Clean| match note.split_once(CLOSEST_ARE) {
        Some((found, closest)) if !shown.insert(closest.to_owned()) => found.into(),
        _ => note,
    };
    notes.into_iter().map(once).collect()
}

/// The first words of a text, with its document.
fn quoted(text: &str, path: &str) -> String {
    format!("“{}” ({path})", first_words(text, FIRST_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_that_come_closest_to_several_parts_are_shown_once() {
        let note =
            |part: &str, closest: &str| Clean::from(format!("2 passages found, none answers “{part}”.{closest}"));
        let notes = [note("A", " The closest: “x” (a.md)."), note("B", " The closest: “x” (a.md)."), note("C", "")];
        let shown = closest_once(notes.into_iter().collect());
        assert_eq!(shown, [note("A", " The closest: “x” (a.md)."), note("B", ""), note("C", "")]);
        let other = [note("A", " The closest: “x” (a.md)."), note("B", " The closest: “y” (a.md).")];
        assert_eq!(closest_once(other.clone().into_iter().collect()), other);
    }
}
