//! Checks one claim of a report against its quote: a claim beyond its quote is replaced by whole sentences of the source.

use std::collections::BTreeSet;

use crate::extractive::is_verb;
use crate::gate::subject::Quoted;
use crate::gate::support::of_model;
use crate::model::located::{self, Read};
use crate::numbers::{date, numbers};
use crate::words::WORDS;
use run::Task;
use run::evidence::Place;
use run::finding::{Edit, EditRule, Finding, Standing, WordsOf};
use run::id::FindingId;
use text::Clean;
use text::common::is_common;
use text::identifiers::is_identifier;
use text::words::{Language, fold, is_stop, stem, word_indices, words};

/// Words of a sentence among which one that points back shows that it leans on another.
const FIRST_WORDS: usize = 5;

/// Whether a sentence that stands in place of a claim can be understood without the one before it, names what the claim names first,
/// and goes on behind none of its marks.
pub(super) fn stands_alone(sentence: &str, claim: &str, things: &[Clean]) -> bool {
    let points_back = words(sentence).take(FIRST_WORDS).any(|word| WORDS.pointing_back.contains(&*fold(word)));
    let first = words(sentence).next().unwrap_or_default();
    let is_cut =
        sentence.starts_with('$') || first.starts_with(char::is_lowercase) && is_verb(first) && !is_identifier(first);
    let lacks_its_name = first_name(claim, things).is_some_and(|name| !has_name(sentence, name));
    !begins_with_pronoun(sentence) && !points_back && !is_cut && !lacks_its_name && !sentence.trim_end().ends_with(':')
}

/// The first name of a claim: of a thing that the question names, an identifier, or a word with a capital that begins no sentence.
fn first_name<'c>(claim: &'c str, things: &'c [Clean]) -> Option<&'c str> {
    let thing = things.iter().filter_map(|thing| Some((claim.find(thing.as_str())?, thing.as_str())));
    let is_name = |(at, word): &(usize, &str)| {
        is_identifier(word) || *at > 0 && word.starts_with(char::is_uppercase) && !is_stop(word)
    };
    thing.chain(word_indices(claim).find(is_name)).min_by_key(|(at, _)| *at).map(|(_, name)| name)
}

/// Whether a text has all words of a name, side by side or not.
fn has_name(text: &str, name: &str) -> bool {
    let there: BTreeSet<_> = words(text).map(|word| stem(word, Language::English)).collect();
    words(name).all(|word| there.contains(&stem(word, Language::English)))
}

/// The finding, named by what stands above its quote where that has the first name of the claim and the quote has no name of its own.
fn named_by_its_heading(finding: Finding, place: &Place, claim: &str, things: &[Clean]) -> Finding {
    let heads = place.headings.last().into_iter().chain([&place.source.title]);
    let first = words(&finding.claim).next().unwrap_or_default();
    let names_another = !is_common(first) && first.starts_with(char::is_uppercase);
    let name = first_name(claim, things).filter(|name| !names_another && !has_name(&finding.claim, name));
    let Some(name) = name.filter(|name| heads.into_iter().any(|head| head.contains(*name))) else { return finding };
    let inserted = Clean::from(format!("[{name}]: "));
    let edit = Edit { rule: EditRule::NameSubject, at: 0, removed: Clean::default(), inserted: inserted.clone() };
    Finding { claim: format!("{inserted}{}", finding.claim).into(), edits: vec![edit], ..finding }
}

/// A row of a report: a claim, and what it is said to rest on.
pub(super) struct Row<'a> {
    pub(super) claim: Clean,
    pub(super) quote: &'a str,
    /// The source as the model names it; empty if it names none.
    pub(super) source: &'a str,
}

/// The texts that findings are checked against.
pub(super) struct Checked<'a> {
    pub(super) read: &'a [Read<'a>],
    /// The things that the question names.
    pub(super) things: &'a [Clean],
    pub(super) question: &'a str,
}

impl Checked<'_> {
    /// A checked finding. It gets a place if its quote is in the source. If the claim states more than the quote, or states
    /// it of another thing, or names nothing where the quote does, whole sentences of the source replace the claim; the second part
    /// says what it states beyond the quote, where these sentences cannot be understood alone.
    pub(super) fn finding(
        &self,
        id: FindingId,
        task: Option<&Task>,
        Row { claim, quote, source: named }: Row<'_>,
    ) -> (Finding, Option<String>) {
        let Checked { read, things, question } = *self;
        let known = Finding {
            task: task.map(|task| task.id),
            subtopic: task.map(|task| task.title.clone()).unwrap_or_default(),
            score: 1_000 - i32::try_from(id.n).unwrap_or(0),
            ..Finding::new(id, claim)
        };
        let is_own = known.claim.trim() != quote.trim();
        let Some((place, block)) = located::place(quote, named, read) else {
            let words_of = if is_own { WordsOf::Model } else { WordsOf::Source };
            return (quoting(quote, Finding { standing: Standing::Unquoted, words_of, ..known }), None);
        };
        let there = place.words(block);
        let announced = located::announced(&place, block, read);
        let known = Finding { columns: block.columns().cloned(), ..known };
        let begins_alone = || !begins_with_pronoun(&known.claim) || begins_with_pronoun(there);
        let covered = if is_own && begins_alone() {
            let quoted =
                Quoted::new(there, Some(&place), Some(block)).announcing(&announced).answering(question, things);
            of_model(&known.claim, quoted, things).map_or(Ok(true), |objection| Err(objection.what))
        } else {
            Ok(false)
        };
        if covered == Ok(true) {
            return (
                quoting(there, Finding { place: Some(place), announced, words_of: WordsOf::Model, ..known }),
                None,
            );
        }
        let place = located::in_whole_sentences(place, block);
        let there = place.words(block);
        let announced = located::announced(&place, block, read);
        let claim = known.claim.clone();
        let is_alone = stands_alone(there, &claim, things);
        let found = quoting(there, Finding { claim: there.into(), place: Some(place.clone()), announced, ..known });
        match covered {
            Err(why) if !is_alone => (named_by_its_heading(found, &place, &claim, things), Some(why)),
            _ => (found, None),
        }
    }
}

/// Whether a sentence begins with a word for a thing that was named before.
pub fn begins_with_pronoun(sentence: &str) -> bool {
    words(sentence).next().is_some_and(|word| WORDS.pronouns.contains(&*fold(word)))
}

/// The finding with its quote, and the numbers and dates in it.
fn quoting(quote: &str, finding: Finding) -> Finding {
    Finding { numbers: numbers(quote), date: date(quote).map(Clean::from), quote: quote.into(), ..finding }
}
