//! A researcher's report: the findings that answer its task, or a note that the sources have no answer.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::{Work, dated, value};
use crate::extractive::ask::Ask;
use crate::extractive::candidate::{Candidate, unlocked};
use crate::extractive::changelog::asks_of_changes;
use crate::extractive::english::{NOT_JUDGED, other_language};
use crate::extractive::headings::{asks_for_law, is_licence};
use crate::extractive::kind::{is_its_definition, kind, slot};
use crate::extractive::kinds::is_only_named;
use crate::extractive::planner::{WHOLE, asks_the_usual};
use crate::extractive::rank::Ranked;
use crate::extractive::select::{Slot, best_of_sides, overlaps, select, select_by_slot, without_repeats};
use crate::extractive::standalone::addresses_machine;
use crate::extractive::steps::Steps;
use crate::extractive::tool_results::key;
use crate::extractive::topic::{Name, Tie, Tokens, Topic};
use crate::extractive::{differences, edition, entries, pros_and_cons};
use crate::numbers::{date, numbers};
use crate::{Assigned, Step};
use run::evidence::{Hit, Place};
use run::finding::{Finding, FindingKind};
use run::handoff::{Outcome, Payload};
use run::id::FindingId;
use run::plan::{AskedWord, Shape};
use run::tool::ToolResult;
use run::tool::builtin::{BuiltIn, Search};
use run::transcript::{CallEnd, Did, Transcript};
use text::words::{Language, stem};
use text::{Clean, count};

/// The most findings: more than a brief of the usual length has room for.
const MOST: usize = 32;
/// The most findings on one of several things.
const MOST_OF_ONE: usize = 12;
/// The least score of a finding, as a share of the average score of the best sentences of the best sections. It applies
/// in addition to the thresholds of the ranking: weaker sentences are off topic.
const FLOOR: f64 = 0.7;
/// The share of it that holds for one of several things, and if one thing is asked of each.
const OF_SEVERAL: f64 = 0.5;
const OF_EACH: f64 = 0.8;
const BEST_SECTIONS: usize = 3;
/// Below this number of findings, weaker ones are accepted too: one strong sentence should not make a brief half as
/// long as requested.
const ENOUGH: usize = 10;
const LEAST_FLOOR: f64 = 0.6;
/// The fewest words of a sentence behind the best: of shorter ones one in seven is of use, of longer ones two in five
/// (docs/evaluation.md).
const FEWEST_OF_LATER: usize = 8;
/// From this many changes of the requested release on, they alone are the answer.
pub(super) const ENOUGH_CHANGES: usize = 3;
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
const SAID_BY: f64 = 0.9;

/// The weight of words missing from the sources, in thousandths, from which they are the subject of the question.
const MOST_NOWHERE: u32 = 400;

/// The number of sentences shown if nothing answers, and the most words of each.
const CLOSEST: usize = 3;
const FIRST_WORDS: usize = 20;
/// The words before the closest passages in a note.
const CLOSEST_ARE: &str = " The closest: ";

impl Work<'_> {
    /// The report: findings, or the reason why there are none.
    pub(super) fn report(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let (topic, ask) = (self.topic(), self.asks());
        let ranked = self.ranked();
        let [all, ranked, rest] = match self.is_unanswered(ranked) {
            true => [&[][..]; 3],
            false => [&ranked.candidates[..], ranked.near(), &ranked.rest],
        };
        let best = best_of_sections(ranked);
        // There is less on one of several things, and each of its slots should be filled, unless one thing is asked of each.
        let of_several = if self.asks_one_thing_of_each() { OF_EACH } else { OF_SEVERAL };
        let floor = (FLOOR * best).max(self.ranking.good) * if topic.rivals.is_empty() { 1.0 } else { of_several };
        let contradiction = self.contradiction(all, topic);
        // A contradiction between sources is worth reporting; the other side is attached to its finding and takes no
        // place of its own.
        let most = if topic.rivals.is_empty() { MOST } else { MOST_OF_ONE };
        let most = if contradiction.is_some() { most - 1 } else { most };
        let sides: Vec<BTreeSet<String>> = self.named.sides.iter().map(|side| Tokens::of(side).content()).collect();
        let changes = without_repeats(ranked, self.changes(ranked), most);
        let are_enough = changes.len() >= ENOUGH_CHANGES;
        let names_kinds = |c: &Candidate| ask.kinds.as_ref().is_some_and(|kinds| kinds.are_named_in(&c.claim.text));
        let names = ranked.iter().position(names_kinds);
        let first = match changes.is_empty() {
            true => {
                let definition = ranked.iter().position(|c| ask.definition && is_its_definition(c, ask, topic));
                let sides = best_of_sides(ranked, &sides, most, floor * 0.5);
                let first: Vec<usize> =
                    definition.into_iter().chain(names.filter(|at| Some(*at) != definition)).collect();
                let sides = sides.into_iter().filter(|at| !first.contains(at));
                first.iter().copied().chain(sides).collect()
            }
            false => changes,
        };
        let mut chosen = if are_enough {
            first
        } else if self.shape == Shape::Comparison && !self.asks_one_thing_of_each() {
            let slots: Vec<Slot> =
                ranked.iter().map(|candidate| slot(candidate, ask, topic).unwrap_or(Slot::Other)).collect();
            select_by_slot(ranked, &slots, first, most, floor)
        } else {
            let says = |at: usize| self.says_enough(&ranked[at]);
            let strong = select(ranked, first, most, floor, &says);
            let least = (LEAST_FLOOR * best).max(self.ranking.fair);
            if strong.len() < ENOUGH { select(ranked, strong, ENOUGH, least, &says) } else { strong }
        };
        let mut listed = self.sides_listed(all.iter().chain(rest));
        let mut members = self.kinds_listed();
        // Names alone add nothing to the sentence that has them all.
        if names.is_some() && members.iter().all(is_only_named) {
            members.clear();
        }
        if !ranked.is_empty() {
            members.append(&mut self.differences_listed());
            members.append(&mut self.steps_listed(ranked, &mut chosen));
        }
        chosen.retain(|at| !members.iter().any(|member| overlaps(member, &ranked[*at])));
        // If the task asks for one side and the sources list it, other sentences do not answer.
        if let Some(side) = pros_and_cons::side_of(&self.task.question).filter(|_| !listed.is_empty()) {
            chosen.retain(|at| kind(&ranked[*at], ask, topic) == side);
        }
        let are_told =
            |c: &Candidate| chosen.iter().any(|at| overlaps(&ranked[*at], c)) || members.iter().any(|m| overlaps(m, c));
        listed.retain(|item| !are_told(item));
        // The list is the answer.
        let as_best = |item: &mut Candidate| item.score = ranked.first().map_or(item.score, |best| best.score);
        listed.iter_mut().chain(&mut members).for_each(as_best);
        let mut extra = listed;
        if let Some((first, second)) = contradiction {
            chosen.retain(|at| !overlaps(&ranked[*at], &first) && !overlaps(&ranked[*at], &second));
            extra.extend([first, second]);
        }
        let mut findings: Vec<Finding> = chosen
            .iter()
            .map(|at| &ranked[*at])
            .chain(&extra)
            .chain(&members)
            .zip(1..)
            .map(|(candidate, n)| self.finding(candidate, ask, topic, FindingId::new(assigned.id, n)))
            .collect();
        let others = findings.len() - members.len();
        findings[others..].iter_mut().for_each(|member| member.kind = FindingKind::Member);
        let refused = transcript.last_refusal();
        let title = match findings.len() {
            0 => "nothing found".into(),
            n => count(n, "finding").into(),
        };
        let unasked = unasked(transcript);
        let outcome = match (refused, findings.is_empty()) {
            (Some(refusal), true) => Outcome::OutOfBudget(format!("too little was left of {refusal}").into()),
            (Some(refusal), false) => {
                Outcome::Partial(format!("too little was left of {refusal}; these are the findings so far").into())
            }
            // A search that failed or was never made does not prove that there is no answer.
            (None, true) => unasked
                .map(Outcome::Failed)
                .or_else(|| unsearched(&assigned, transcript))
                .unwrap_or(Outcome::NothingFound),
            (None, false) => unasked.map_or(Outcome::Done, Outcome::Partial),
        };
        let payload = if findings.is_empty() {
            let searched = self.results.passage_scores().len();
            let title = match &*self.task.title {
                WHOLE => "the question as a whole".to_owned(),
                title => format!("“{title}”"),
            };
            Payload::note(match searched {
                0 if outcome != Outcome::NothingFound => format!("{title} was not researched."),
                0 => format!("No passage has a word of {title}."),
                _ => {
                    let closest = self.closest(self.ranked());
                    let found = count(searched, "passage");
                    let texts = closest.iter().map(|(text, _)| text.as_str());
                    let said = match self.is_in_another_language(texts) {
                        true => format!("{found} found: {NOT_JUDGED}, and nothing is translated."),
                        false => format!("{found} found, none answers {title}."),
                    };
                    said + &in_words(&closest)
                }
            })
        } else {
            Payload { findings: Some(findings), ..Payload::default() }
        };
        Step::Report { outcome, title, payload }
    }

    /// Whether it asks the question itself of one of several things, and not the usual question of a comparison.
    fn asks_one_thing_of_each(&self) -> bool {
        let is_of_question =
            || Tokens::of(&self.task.question).content().is_subset(&Tokens::of(&self.question).content());
        !self.topic().rivals.is_empty()
            && self.task.aspects.is_empty()
            && !asks_the_usual(&self.task.question)
            && is_of_question()
    }

    /// The items of a list of the differences between the compared things.
    fn differences_listed(&self) -> Vec<Candidate> {
        match self.shape {
            Shape::Comparison => self.unknown(differences::listed(self.topic(), &self.results)),
            _ => Vec::new(),
        }
    }

    /// The steps of partly chosen lists, if the task asks how something is done. Chosen parts of lists on another thing are left
    /// out.
    fn steps_listed(&self, ranked: &[Candidate], chosen: &mut Vec<usize>) -> Vec<Candidate> {
        let ask = self.asks();
        if !ask.how {
            return Vec::new();
        }
        let candidates: Vec<&Candidate> = chosen.iter().map(|at| &ranked[*at]).collect();
        let steps = Steps::of(&candidates, &self.results, |text| ask.share(&text.content()));
        chosen.retain(|at| !steps.are_of_another_thing(&ranked[*at], |stems| ask.share(stems)));
        self.unknown(steps.items)
    }

    /// Whether a sentence says enough to be told behind the best: it has some words, or a number or the name that is asked for.
    fn says_enough(&self, c: &Candidate) -> bool {
        let words = c.claim.text.split_whitespace().count();
        let is_number = || self.asks().number && c.claim.text.contains(|c: char| c.is_ascii_digit());
        words >= FEWEST_OF_LATER || is_number() || c.tie == Some(Tie::Subject) || value::is_asked(c, self.asks())
    }

    /// Whether the sources have no answer, even if they have words of the question.
    fn is_unanswered(&self, ranked: &Ranked) -> bool {
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
        ranked.iter().take(ENOUGH).any(says)
    }

    /// Whether one of the best sentences has nearly all that the question says.
    fn is_said(&self, ranked: &[Candidate]) -> bool {
        ranked.iter().take(ENOUGH).any(|c| self.asks().share(&c.own) >= SAID_BY)
    }

    /// If the question asks for the changes in an edition, those below its name.
    fn changes(&self, ranked: &[Candidate]) -> Vec<usize> {
        match asks_of_changes(&self.question, self.shape) {
            true => edition::answers(ranked, &self.question),
            false => Vec::new(),
        }
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

    /// Whether the rules, which read English, cannot judge an answer: the question or all that comes close to it is in
    /// another language.
    fn is_in_another_language<'t>(&self, closest: impl Iterator<Item = &'t str>) -> bool {
        let mut closest = closest.peekable();
        let is_read = closest.peek().is_some();
        is_read && (other_language(&self.question).is_some() || closest.all(|text| other_language(text).is_some()))
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

    /// The best pair of contradicting statements, at least one of them about the topic.
    fn contradiction(&self, ranked: &[Candidate], topic: &Topic) -> Option<(Candidate, Candidate)> {
        // The other side need not name the topic if it names the same setting verbatim.
        let names: Vec<Name> = Vec::new();
        let anywhere = Topic { names, rivals: topic.rivals.clone() };
        let others: LazyCell<Vec<Candidate>, _> = LazyCell::new(|| unlocked(&self.results, &anywhere));
        // Candidates are ranked, so the first is the best.
        ranked.iter().enumerate().filter(|(_, c)| c.gives_a_value()).take(40).find_map(|(first, candidate)| {
            let inside = ranked[first + 1..].iter().find(|other| other.is_against(candidate));
            let other = inside.or_else(|| others.iter().find(|other| other.is_against(candidate)))?;
            Some((candidate.clone(), other.clone()))
        })
    }

    fn finding(&self, candidate: &Candidate, ask: &Ask, topic: &Topic, id: FindingId) -> Finding {
        let quote = &candidate.block.text[candidate.claim.range.clone()];
        let dated = if self.shape == Shape::History { dated(candidate) } else { date(&candidate.claim.text) };
        Finding {
            task: Some(self.task.id),
            subtopic: self.task.title.clone(),
            edits: candidate.claim.edits.clone(),
            quote: quote.into(),
            place: Some(Place::new(&candidate.source, &candidate.block, candidate.claim.range.clone())),
            kind: match kind(candidate, ask, topic) {
                FindingKind::Event if self.shape != Shape::History => FindingKind::Fact,
                kind => kind,
            },
            numbers: numbers(quote),
            date: dated.map(Into::into),
            score: (candidate.score * 1000.0) as i32,
            ..Finding::new(id, candidate.claim.text.as_str().into())
        }
    }
}

/// The mean score of the best sentences of the best sections, so that a single sentence with all the words does not set
/// the standard.
fn best_of_sections(ranked: &[Candidate]) -> f64 {
    let mut sections = BTreeSet::new();
    let mut is_new = |c: &Candidate| sections.insert((c.source.path.clone(), c.section.clone()));
    let best: Vec<f64> = ranked.iter().filter(|c| is_new(c)).take(BEST_SECTIONS).map(|c| c.score).collect();
    best.iter().sum::<f64>() / best.len().max(1) as f64
}

/// The first reason why a search failed or was incomplete.
fn unasked(transcript: &Transcript) -> Option<Clean> {
    transcript.calls().find_map(|call| match (&call.end, call.result()) {
        (CallEnd::Failed(why), _) if call.request.name == Search::NAME => Some(why.clone()),
        (_, Some(ToolResult::Hits(hits))) => hits.notes.first().cloned(),
        _ => None,
    })
}

/// The outcome of a researcher that made no search though it had to.
fn unsearched(assigned: &Assigned<'_>, transcript: &Transcript) -> Option<Outcome> {
    if transcript.calls().any(|call| matches!(call.result(), Some(ToolResult::Hits(_)))) {
        return None;
    }
    let refused = transcript.turns.iter().find_map(|turn| match &turn.did {
        Did::Refused { why, .. } => Some(Outcome::Failed(format!("it could not search: {why}").into())),
        _ => None,
    });
    let had_no_turn = || Outcome::OutOfBudget("it had to report before its first search".into());
    refused.or_else(|| (assigned.turns_left <= 1).then(had_no_turn))
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
    let words: Vec<&str> = text.split_whitespace().collect();
    let more = if words.len() > FIRST_WORDS { " …" } else { "" };
    format!("“{}{more}” ({path})", words[..words.len().min(FIRST_WORDS)].join(" "))
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
