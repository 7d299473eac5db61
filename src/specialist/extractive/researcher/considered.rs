//! The sentences that a researcher ranks for its task: all that were read, without those that cannot answer it.

use std::collections::BTreeSet;

use super::{Work, chosen, dated, elsewhere, siblings, value};
use crate::extractive::ask::Ask;
use crate::extractive::candidate::{Candidate, Code, candidates};
use crate::extractive::changelog::{asks_of_changes, is_changelog, is_dated};
use crate::extractive::clauses::leans;
use crate::extractive::english::{is_in_english, may_be_english};
use crate::extractive::headings::{asks_for_law, is_licence, is_of_law};
use crate::extractive::kind::slot;
use crate::extractive::near_duplicates::without_brackets;
use crate::extractive::sought::{asks_for_removals, tells_of_removal};
use crate::extractive::standalone::is_code_like;
use crate::extractive::topic::Tokens;
use crate::extractive::{edition, entries, numbered, pointers, program_text};
use crate::numbers::date;
use crate::words::{WORDS, has_word};
use run::evidence::{BlockKind, SourceRef};
use run::plan::Shape;
use text::Clean;
use text::words::words;

/// If fewer than one candidate in this many is from another page than a changelog, the collection consists of
/// changelogs, which then answer all questions.
const LEAST_BESIDE_CHANGELOGS: usize = 4;
/// The least share of a question in the sentence that announces program text, and in both together, for the text to
/// answer a question that does not ask how to do something.
const ANNOUNCED: f64 = 0.4;
const HELD: f64 = 0.7;

impl Work<'_> {
    /// The candidates that may answer the task, unordered.
    pub(super) fn considered(&self) -> Vec<Candidate> {
        let (topic, ask) = (self.topic(), self.asks());
        // A comparison has no room for program text.
        let code = if ask.how || self.shape != Shape::Comparison { Code::Allowed } else { Code::Excluded };
        let mut found = candidates(&self.results, topic, code);
        found.retain(|c| !c.is_code() || ask.how && is_on_what_is_asked(c, ask) || is_announced(c, ask));
        if let Some(subject) = self.pronoun_for() {
            found.retain(|c| is_on(c, &subject, ask));
        }
        pointers::leave_out(&mut found, &self.question, &self.results);
        if asks_for_removals(&self.task.question) && found.iter().any(|c| tells_of_removal(&c.block)) {
            found.retain(|c| tells_of_removal(&c.block));
        }
        match self.shape {
            Shape::History => self.keep_dated(&mut found),
            _ => self.leave_out_changelogs(&mut found),
        }
        if self.shape != Shape::History && self.named.span.is_none() {
            edition::keep_asked(&mut found, &self.question);
            entries::keep_asked(&mut found, &self.question);
        }
        entries::keep_options(&mut found, &self.task.question);
        numbered::keep_asked(&mut found, &self.question);
        self.leave_out_scraps(&mut found);
        let is_of_one_thing = !matches!(self.shape, Shape::Comparison | Shape::History);
        let among = if is_of_one_thing { siblings::Among::All } else { siblings::Among::Columns };
        siblings::leave_out(&mut found, ask, &self.results, among);
        if is_of_one_thing {
            elsewhere::leave_out(&mut found, &self.task.question, &self.results);
        }
        if !asks_for_law(&self.question) {
            found.retain(|c| !is_licence(&c.source.path) && !c.block.headings.iter().any(|heading| is_of_law(heading)));
        }
        self.leave_out_other_languages(&mut found);
        self.keep_changes(&mut found);
        // Do not repeat findings that the person has seen.
        found.retain(|c| !self.is_known(c));
        found
    }

    /// Keeps, for a history, statements that have a date, and of lists of changes those on its thing.
    fn keep_dated(&self, found: &mut Vec<Candidate>) {
        let ask = self.asks();
        // A list of changes is about many things, and its title is above all of them.
        let names: BTreeSet<String> = self.task.topic.iter().flat_map(|name| Tokens::of(name).content()).collect();
        let is_named = |c: &Candidate| {
            let tells_apart = |asked: &str| names.contains(asked) && !c.title.contains(asked);
            let mut own = c.own.iter().chain(&*c.heading);
            names.is_subset(&c.title) || own.any(|stem| ask.asked(stem).is_some_and(|(asked, _)| tells_apart(asked)))
        };
        found.retain(|c| !self.is_changelog(&c.source) || is_named(c));
        // For a step of a history, only statements with its date.
        let step = |aspect: &Clean| date(&format!("version {}", aspect.rsplit(' ').next().unwrap_or(aspect)));
        let steps: Vec<String> = self.task.aspects.iter().filter_map(step).collect();
        let is_of_it =
            |candidate: &Candidate| dated(candidate).is_some_and(|date| steps.is_empty() || steps.contains(&date));
        // If nothing has a date, all statements are kept.
        if !steps.is_empty() || found.iter().any(is_of_it) {
            found.retain(is_of_it);
        }
    }

    /// Leaves out changelogs, unless changes are asked for or there is little else.
    fn leave_out_changelogs(&self, found: &mut Vec<Candidate>) {
        if asks_of_changes(&self.question, self.shape) {
            return;
        }
        let others = found.iter().filter(|candidate| !self.is_changelog(&candidate.source)).count();
        if others * LEAST_BESIDE_CHANGELOGS > found.len() {
            found.retain(|candidate| !self.is_changelog(&candidate.source));
        }
    }

    /// Leaves out what says too little: cells of tables and short lines that are not asked for, introductions of program text
    /// without it. In a comparison all that fits no slot.
    fn leave_out_scraps(&self, found: &mut Vec<Candidate>) {
        let (topic, ask) = (self.topic(), self.asks());
        if self.shape == Shape::Comparison {
            found.retain(|candidate| slot(candidate, ask, topic).is_some());
        } else {
            // A cell of two words is meaningful only next to other cells, or if the question names it.
            let says =
                |c: &Candidate| says_something(&c.block.text[c.claim.range.clone()]) || value::may_be_asked(c, ask);
            found.retain(|candidate| candidate.block.kind != BlockKind::TableRow || says(candidate));
        }
        let mut of_others = value::are_of_others(found, ask).into_iter();
        found.retain(|_| of_others.next() != Some(true));
        let mut told_apart = value::are_told_apart(found, ask).into_iter();
        found.retain(|c| told_apart.next() == Some(true) || !value::is_short_line(c) || value::is_asked(c, ask));
        program_text::drop_introductions(found);
    }

    /// Leaves out other languages than English, which the rules read, unless most candidates are in one of them and the question is
    /// not in English.
    fn leave_out_other_languages(&self, found: &mut Vec<Candidate>) {
        let said = |c: &Candidate| (!c.is_code()).then(|| without_brackets(&c.claim.text));
        let in_english = may_be_english(found.iter().map(|c| (&c.source.id, said(c))));
        let english = in_english.iter().filter(|is| **is).count();
        if english * 2 > found.len() || english > 0 && is_in_english(&self.question) {
            let mut kept = in_english.into_iter();
            found.retain(|_| kept.next() == Some(true));
        }
    }

    /// Keeps the changes in the edition whose changes are asked for, if there are enough: they answer, even if they share no word
    /// with the question.
    fn keep_changes(&self, found: &mut Vec<Candidate>) {
        if !asks_of_changes(&self.question, self.shape) {
            return;
        }
        let of_it = edition::answers(found, &self.question);
        if of_it.len() >= chosen::ENOUGH_CHANGES {
            let mut at = 0..;
            found.retain(|_| at.next().is_some_and(|at| of_it.binary_search(&at).is_ok()));
        }
    }

    /// The stems of the noun that a pronoun of the task stands for, which another part of the question names: "cache" of "cache:
    /// can I delete it".
    fn pronoun_for(&self) -> Option<BTreeSet<String>> {
        let (subject, asked) = self.task.question.split_once(": ").filter(|_| self.is_part())?;
        let stems = Tokens::of(subject).content();
        (has_word(asked, usize::MAX, &WORDS.leaning) && leans(asked) && !stems.is_empty()).then_some(stems)
    }

    fn is_changelog(&self, source: &SourceRef) -> bool {
        is_changelog(source) || self.results.outlines.get(source.path.as_str()).is_some_and(is_dated)
    }
}

/// Whether a candidate or the words above it have at least half of a subject, in its words or in synonyms.
fn is_on(c: &Candidate, subject: &BTreeSet<String>, ask: &Ask) -> bool {
    let has = |stem: &str| c.own.contains(stem) || c.above.contains(stem);
    let found = subject.iter().filter(|stem| has(stem) || ask.found(stem, has) > 0.0).count();
    2 * found >= subject.len()
}

/// The least weight of a rare word of a question, as a share of its heaviest.
const RARE: f64 = 0.6;

/// Whether program text, or the sentence above it, has a rare word of the question: other examples only stand beside the answer.
fn is_on_what_is_asked(c: &Candidate, ask: &Ask) -> bool {
    let said = c.block.intro.as_deref().map(|intro| Tokens::of(intro).content()).unwrap_or_default();
    let heaviest = ask.heaviest();
    c.own
        .iter()
        .chain(&said)
        .filter_map(|stem| ask.asked(stem))
        .any(|(stem, share)| ask.weight_of(stem) * share >= RARE * heaviest)
}

/// Whether program text answers a question that does not ask how to do something: the sentence right above announces it in words of
/// the question, and both together have most of them. No example defines a thing.
fn is_announced(c: &Candidate, ask: &Ask) -> bool {
    let intro = c.block.intro.as_deref().filter(|intro| intro.trim_end().ends_with(':'));
    let said = intro.map(|intro| Tokens::of(intro).content()).unwrap_or_default();
    let both: BTreeSet<String> = said.union(&c.own).cloned().collect();
    let asked = said.iter().filter(|stem| ask.weight_of(stem) > 0.0).count();
    !ask.definition && asked > 1 && ask.share(&said) >= ANNOUNCED && ask.share(&both) >= HELD
}

/// Whether a cell is meaningful outside its table: words, not a figure or a path.
fn says_something(quote: &str) -> bool {
    let plain = |word: &&str| word.len() >= 2 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    words(quote).filter(plain).count() >= 3 && !is_code_like(quote)
}
