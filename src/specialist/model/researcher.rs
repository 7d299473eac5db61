//! The researcher's craft: facts on one task, each with a verbatim quote.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, fenced, without_tags};
use super::located::{self, Read};
use super::offer::{self, object};
use super::written::{report_in, shaped, without_thoughts};
use crate::Assigned;
use crate::extractive::is_verb;
use crate::gate::denial::is_negation;
use crate::gate::subject::Quoted;
use crate::gate::support::of_model;
use crate::numbers::{date, numbers, value};
use crate::words::WORDS;
use run::evidence::Place;
use run::finding::{Edit, EditRule, Finding, Standing, WordsOf};
use run::id::FindingId;
use run::model::Arguments;
use run::stage::Conversation;
use run::tool::builtin;
use run::transcript::Did;
use run::{Hit, Outcome, Payload, Role, Task, ToolCall, Transcript};
use text::common::{is_common, share};
use text::identifiers::is_identifier;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, stems, word_indices, words};
use text::{Clean, count};

/// The most findings of one report that are read.
const MOST_FINDINGS: usize = 12;
/// The most passages read to check quotes of search results.
const MOST_READS: usize = 12;

/// The most words of a text that only says that nothing was found.
const MOST_WORDS_OF_NOTHING: usize = 40;
/// The most words between a negation and the word that it denies.
const NEAR: usize = 3;

/// The most words of a question that the first search is made with: more find what only mentions some of them.
const MOST_WORDS: usize = 4;
/// A wish with fewer words is searched for together with the title of its task.
const ENOUGH_WORDS: usize = 2;

pub(super) struct Researcher;

/// The schema of every report: made once, because hundreds of researchers need it at every answer.
static REPORT: LazyLock<Arc<Value>> = LazyLock::new(|| {
    Arc::new(object(json!({
        "findings": findings_schema(MOST_FINDINGS),
        "gaps": { "type": "string", "description": "what was asked and not found; empty if nothing is missing" },
    })))
});

impl Craft for Researcher {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        Some(REPORT.clone())
    }

    fn heeding(&self) -> &'static str {
        "Act on it: report what you find on it as findings. Where nothing is found, say so in `gaps`."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let handoff = assigned.handoff;
        let question = handoff.payload.question.clone().unwrap_or_default();
        let own = handoff.payload.task();
        // A task that is the question itself is told once.
        let is_part = own.is_some_and(|own| own.question != question);
        let whole = if is_part { "The whole question, for which others may research, too" } else { "The question" };
        let mut task = format!("{whole}:\n{}\n", fenced(Element::Question, "", &question));
        if let Some(own) = own {
            if is_part {
                let asked = fenced(Element::Task, "", &own.question);
                task.push_str(&format!("\nYour part of it: {}\n{asked}\n", own.title));
            }
            if !own.aspects.is_empty() {
                task.push_str(&format!("Sides of it that were asked for: {}\n", own.aspects.join(", ")));
            }
            if let Some(done) = &own.acceptance {
                task.push_str(&format!("What counts as done: {done}\n"));
            }
        }
        let known: Vec<&str> = handoff.payload.findings().iter().map(|finding| &*finding.claim).collect();
        if !known.is_empty() {
            task.push_str(&format!(
                "Known already; find what is not in it:\n{}\n",
                fenced(Element::Known, "", &known.join("\n"))
            ));
        }
        for note in handoff.payload.notes() {
            task.push_str(&format!("The person asks for:\n{}\n", fenced(Element::Wish, "", note)));
        }
        task
    }

    fn first(&self, assigned: &Assigned<'_>) -> Vec<ToolCall> {
        let Some(task) = assigned.handoff.payload.task() else { return Vec::new() };
        let query = first_query(task, assigned.handoff.payload.notes().last());
        vec![builtin::Search::new(query, builtin::Search::HITS_OF_MODEL).into()]
    }

    fn by_rule(&self) -> Option<&'static str> {
        Some(Role::RESEARCHER)
    }

    /// A short text that nothing was found is a report without findings; one that tells or announces anything is none.
    fn of_prose(&self, text: &str) -> Option<Value> {
        let first = sentences(text).into_iter().next()?;
        let is_short = words(text).nth(MOST_WORDS_OF_NOTHING).is_none();
        let is_report = is_short && !says_more(text) && denies_finding(&text[first]);
        is_report.then(|| json!({ "findings": [], "gaps": text }))
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Made, Unfit> {
        let report = report.json()?;
        let earlier = earlier_report(transcript);
        let before = earlier.as_ref().and_then(|earlier| found(earlier, MOST_FINDINGS, assigned, transcript).ok());
        let mut found = match before {
            None => found(report, MOST_FINDINGS, assigned, transcript)?,
            Some(before) => before.mended(report, assigned, transcript)?,
        };
        // It is told once.
        let lacks = lacks(&found, transcript).filter(|_| transcript.turns_at(Conversation::Correct) == 0);
        found.findings = without_doubles(found.findings);
        let title = in_words(&found);
        let Found { findings, unread, .. } = found;
        let outcome = if findings.is_empty() { Outcome::NothingFound } else { Outcome::Done };
        let gaps = text_of(&report["gaps"]).or_else(|| text_of(&earlier.as_ref()?["gaps"]));
        let payload = Payload { findings: Some(findings), notes: gaps.map(|gaps| vec![gaps]), ..Payload::default() };
        Ok(Made { outcome, title, payload, unread, lacks })
    }
}

/// The words of the first search: the title of the task and the rarest words of its question. A wish of the person that says enough
/// is searched for itself: the hits of the title are known by then.
fn first_query(task: &Task, wish: Option<&Clean>) -> Clean {
    let title = task.title.as_str();
    let wished = wish.map(|wish| rare_words(wish, "", MOST_WORDS));
    match wished {
        Some(wished) if wished.len() >= ENOUGH_WORDS => Clean::line(&wished.join(" ")),
        Some(wished) => Clean::line(&format!("{title} {}", wished.join(" "))),
        None => Clean::line(&format!("{title} {}", rare_words(&task.question, title, MOST_WORDS).join(" "))),
    }
}

/// The content words of a text that are in no form in another, each once, in their order: the rarest, at most `most`. Words that a
/// sentence asks to leave out are not among them.
fn rare_words<'t>(text: &'t str, but: &str, most: usize) -> Vec<&'t str> {
    let language = Language::of(text);
    let mut known: BTreeSet<String> = stems(but, language).into_iter().collect();
    let wanted = sentences(text).into_iter().map(|range| &text[range]).filter(|sentence| !leaves_out(sentence));
    let all: Vec<&str> =
        wanted.flat_map(words).filter(|word| !is_stop(word) && known.insert(stem(word, language))).collect();
    let mut rarest: Vec<usize> = (0..all.len()).collect();
    rarest.sort_by(|a, b| share(all[*a]).total_cmp(&share(all[*b])));
    rarest.truncate(most);
    rarest.sort_unstable();
    rarest.into_iter().map(|at| all[at]).collect()
}

/// Whether a sentence asks for less: "Leave prices out.", "Do not look at prices."
fn leaves_out(sentence: &str) -> bool {
    let mut all = words(sentence).map(fold);
    let (first, second) = (all.next().unwrap_or_default(), all.next());
    let is_forbidden = || matches!(&*first, "don't" | "don’t") || &*first == "do" && second.as_deref() == Some("not");
    WORDS.leaving_out.contains(&*first) || is_forbidden()
}

/// JSON Schema of a list of at most `most` findings.
pub(super) fn findings_schema(most: usize) -> Value {
    let description = format!("at most {most}, the most useful first");
    let finding = object(json!({
        "claim": { "type": "string", "description": "one fact, in one sentence that can be understood alone" },
        "quote": { "type": "string", "description": "the words of the source that say so, copied to the letter" },
        "source": { "type": "string", "description": "the id of the source the quote is from" },
    }));
    json!({ "type": "array", "items": finding, "description": description })
}

/// The findings of a report, and the passages to read before their quotes can be checked.
pub(super) struct Found {
    pub findings: Vec<Finding>,
    pub unread: Vec<ToolCall>,
    /// The number of findings that were reported beyond the most.
    pub beyond: usize,
    /// The number of rows without a claim or a quote.
    pub incomplete: usize,
    /// Claims beyond their quotes in whose place a sentence stands that cannot be understood alone, with the finding and the reason.
    unfounded: Vec<(FindingId, Clean, String)>,
}

impl Found {
    /// Whether nothing has to be mended of a finding.
    fn holds(&self, finding: &Finding) -> bool {
        finding.place.is_some() && !self.unfounded.iter().any(|(id, ..)| *id == finding.id)
    }

    /// The findings of it that hold, and behind them those of a report that mends the others.
    ///
    /// # Errors
    /// As [`found`].
    fn mended(mut self, report: &Value, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Found, Unfit> {
        let after = self.findings.iter().map(|finding| finding.id.n).max().unwrap_or(0);
        let more = found_after(after, report, MOST_FINDINGS, assigned, transcript)?;
        let (held, open): (Vec<Finding>, Vec<Finding>) =
            std::mem::take(&mut self.findings).into_iter().partition(|finding| self.holds(finding));
        // A model that reports all of them again has said these twice.
        let is_known = |new: &Finding| held.iter().any(|known| known.place == new.place && known.claim == new.claim);
        let new: Vec<Finding> = more.findings.into_iter().filter(|finding| !is_known(finding)).collect();
        // What the answer does not take up again stays as it was taken: as a sentence of its source.
        let is_near = |one: &Place, new: &Finding| {
            new.place.as_ref().is_some_and(|new| (&new.source.id, new.block) == (&one.source.id, one.block))
        };
        let stays = |one: &Finding| one.place.as_ref().is_some_and(|place| !new.iter().any(|new| is_near(place, new)));
        let kept: Vec<Finding> = open.into_iter().filter(stays).collect();
        let findings = held.into_iter().chain(kept).chain(new).collect();
        Ok(Found { findings, ..more })
    }
}

/// The report that was sent back for what its findings lack, if it was.
fn earlier_report(transcript: &Transcript) -> Option<Value> {
    let first = transcript.turns.iter().position(|turn| turn.stage == Conversation::Correct.into())?;
    let mut replies = transcript.turns[..first].iter().rev().filter_map(|turn| match &turn.did {
        Did::Asked(exchange) => exchange.reply(),
        _ => None,
    });
    let reply = replies.next()?;
    let by_tool = reply.calls().find_map(|(_, name, arguments)| match arguments {
        Arguments::Whole(value) if name.as_str() == offer::REPORT => Some(shaped(value.clone(), &REPORT)),
        _ => None,
    });
    let report = by_tool.or_else(|| report_in(without_thoughts(&reply.text()), &REPORT).ok())?;
    report["findings"].is_array().then_some(report)
}

/// Reads the first `most` findings of a report; each gets the number of its row, from 1.
///
/// # Errors
/// There is no list of findings, or every finding is incomplete. The text is for the model.
pub(super) fn found(
    report: &Value,
    most: usize,
    assigned: &Assigned<'_>,
    transcript: &Transcript,
) -> Result<Found, Unfit> {
    found_after(0, report, most, assigned, transcript)
}

/// The same, with the numbers behind this one.
fn found_after(
    after: u32,
    report: &Value,
    most: usize,
    assigned: &Assigned<'_>,
    transcript: &Transcript,
) -> Result<Found, Unfit> {
    let Some(rows) = report["findings"].as_array() else {
        return Err(Unfit::new("`findings` is missing", "it is a list"));
    };
    let task = assigned.handoff.payload.task();
    let things = assigned.handoff.payload.things();
    let read = located::blocks(&transcript.turns);
    let question = assigned.handoff.payload.question.as_deref().unwrap_or_default();
    let (mut findings, mut unread, mut incomplete, mut unfounded) = (Vec::new(), Vec::new(), 0, Vec::new());
    for (row, n) in rows.iter().take(most).zip(after + 1..) {
        // Incomplete findings are skipped: the others are useful.
        let (Some(claim), Some(quote)) = (text_of(&row["claim"]), text_of(&row["quote"])) else {
            incomplete += 1;
            continue;
        };
        // Small models copy the tag of a passage into the quote, and the marks where a result is cut.
        let quote = without_tags(&quote, &[Element::Passage.name()]);
        let quote = quote.trim_matches(['…', ' ']);
        let named = row["source"].as_str().unwrap_or("");
        let id = FindingId::new(assigned.id, n);
        let checked = Checked { read: &read, things, question };
        let (finding, why) = checked.finding(id, task, claim.clone(), quote, named);
        unfounded.extend(why.map(|why| (id, claim, why)));
        let wanted = match &finding.place {
            None => hit_of(quote, named, transcript),
            Some(place) => behind(place, &read).filter(|_| finding.announced.is_empty()),
        };
        unread.extend(wanted.filter(|call| !unread.contains(call)));
        findings.push(finding);
    }
    if findings.is_empty() && !rows.is_empty() && after == 0 {
        return Err("each finding needs its claim, its quote and its source".into());
    }
    unread.truncate(MOST_READS);
    Ok(Found { findings, unread, beyond: rows.len().saturating_sub(most), incomplete, unfounded })
}

/// A text of a report, on one line; models write lists of texts, too.
fn text_of(value: &Value) -> Option<Clean> {
    match value {
        Value::Array(texts) => {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            line_of(&texts.join(" ").into())
        }
        text => line_of(text),
    }
}

/// Whether a sentence says that a search has found nothing, or that the documents say nothing: it has a word for either near a
/// negation.
fn denies_finding(sentence: &str) -> bool {
    let all: Vec<_> = words(sentence).map(fold).collect();
    let is_told = |word: &str| WORDS.of_finding.contains(word) || WORDS.of_what_was_read.contains(word);
    let is_denied = |at: usize| {
        let near = &all[at.saturating_sub(NEAR)..all.len().min(at + 1 + NEAR)];
        near.iter().any(|word| is_negation(word))
    };
    (0..all.len()).any(|at| is_told(&all[at]) && is_denied(at))
}

/// Whether a text says more than that: findings all the same, or its writer's next step.
fn says_more(text: &str) -> bool {
    let is_told = |word: &str| WORDS.of_more.contains(word) || word.ends_with("'ll") || word.ends_with("’ll");
    text.contains(|c: char| c == '{' || c.is_ascii_digit()) || words(text).map(fold).any(|word| is_told(&word))
}

/// The flaws that the model can mend of its findings: quotes that were not found, incomplete and surplus findings.
fn lacks(found: &Found, transcript: &Transcript) -> Option<Unfit> {
    let passages = located::passages(&transcript.turns);
    let unquoted = || found.findings.iter().filter(|finding| finding.place.is_none());
    let (mut what, mut mend) = (Vec::new(), String::new());
    match unquoted().count() {
        0 => {}
        n => what.push(format!("{} in no passage that you were shown", is_or_are(n, "quote"))),
    }
    match found.incomplete {
        0 => {}
        n => what.push(format!("{} without a claim or a quote", is_or_are(n, "finding"))),
    }
    match found.beyond {
        0 => {}
        n => what.push(format!("{} beyond the {MOST_FINDINGS} that are read", is_or_are(n, "finding"))),
    }
    match found.unfounded.len() {
        0 => {}
        n => what.push(format!("{} more than the quote of its finding", says_or_say(n, "claim"))),
    }
    for (_, claim, why) in &found.unfounded {
        mend.push_str(&format!("\n“{claim}”: {why}.\n"));
    }
    for finding in unquoted() {
        mend.push_str(&format!("\n{}\n", fenced(Element::Quote, "", &finding.quote)));
        if let Some(nearest) = located::nearest(&finding.quote, &passages) {
            mend.push_str(&format!("The nearest words of a passage are:\n{}\n", fenced(Element::Passage, "", nearest)));
        }
    }
    let held = found.findings.iter().filter(|finding| found.holds(finding)).count();
    let stand = match held {
        0 => String::new(),
        1 => "1 finding stands and need not come again. ".to_owned(),
        n => format!("{n} findings stand and need not come again. "),
    };
    let how = format!(
        "{stand}Report these ones mended, and no others: copy each quote to the letter from one place of one passage, and let each claim \
         say no more than its quote. Leave out those that have none; `findings` may be empty"
    );
    (!what.is_empty()).then(|| Unfit::new(what.join(", "), &format!("{mend}{how}")))
}

fn is_or_are(n: usize, one: &str) -> String {
    format!("{} {}", count(n, one), if n == 1 { "is" } else { "are" })
}

fn says_or_say(n: usize, one: &str) -> String {
    format!("{} {}", count(n, one), if n == 1 { "says" } else { "say" })
}

/// Words of a sentence among which one that points back shows that it leans on another.
const FIRST_WORDS: usize = 5;

/// Whether a sentence that stands in place of a claim can be understood without the one before it, names what the claim names first,
/// and goes on behind none of its marks.
fn stands_alone(sentence: &str, claim: &str, things: &[Clean]) -> bool {
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

/// The findings without those that repeat another one of the same place with fewer numbers or words.
fn without_doubles(findings: Vec<Finding>) -> Vec<Finding> {
    let told = |finding: &Finding| {
        let numbers: BTreeSet<String> = numbers(&finding.claim).iter().map(value).collect();
        let stems = content_stems(&finding.claim, Language::of(&finding.quote)).into_iter().collect();
        (numbers, stems)
    };
    let all: Vec<(BTreeSet<String>, BTreeSet<String>)> = findings.iter().map(told).collect();
    let is_in = |one: usize, other: usize| {
        let ((numbers, stems), (more_numbers, more_stems)) = (&all[one], &all[other]);
        let shared = stems.intersection(more_stems).count();
        findings[one].place.is_some()
            && findings[one].place == findings[other].place
            && numbers.is_subset(more_numbers)
            && shared * 3 >= stems.len() * 2
    };
    let size = |at: usize| (all[at].0.len(), all[at].1.len(), Reverse(at));
    let is_double =
        |one: usize| (0..all.len()).any(|other| other != one && is_in(one, other) && size(other) > size(one));
    let doubles: Vec<bool> = (0..all.len()).map(is_double).collect();
    findings.into_iter().zip(doubles).filter(|(_, is_double)| !is_double).map(|(finding, _)| finding).collect()
}

/// "8 findings, 2 without a quote in a source, 1 incomplete left out, 1 more left out".
pub(super) fn in_words(found: &Found) -> String {
    let backed = found.findings.iter().filter(|finding| finding.place.is_some()).count();
    let mut told = match (found.findings.len(), backed) {
        (0, _) => "nothing found".to_string(),
        (all, backed) if all == backed => count(all, "finding"),
        (all, backed) => format!("{}, {} without a quote in a source", count(all, "finding"), all - backed),
    };
    for (n, what) in [(found.incomplete, "incomplete"), (found.beyond, "more")] {
        if n > 0 {
            told.push_str(&format!(", {n} {what} left out"));
        }
    }
    told
}

/// The texts that findings are checked against.
struct Checked<'a> {
    read: &'a [Read<'a>],
    /// The things that the question names.
    things: &'a [Clean],
    question: &'a str,
}

impl Checked<'_> {
    /// A checked finding. It gets a place if its quote is in the source. If the claim states more than the quote, or states
    /// it of another thing, or names nothing where the quote does, whole sentences of the source replace the claim; the second part
    /// says what it states beyond the quote, where these sentences cannot be understood alone.
    fn finding(
        &self,
        id: FindingId,
        task: Option<&Task>,
        claim: Clean,
        quote: &str,
        named: &str,
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

/// The call that reads what a place that ends in a colon announces, if it was not read.
fn behind(place: &Place, read: &[Read<'_>]) -> Option<ToolCall> {
    let block = |no: u32| read.iter().find(|read| read.source.id == place.source.id && read.block.no == no);
    let is_open = located::announces(place, block(place.block)?.block) && block(place.block + 1).is_none();
    let (from, to) = (place.block + 1, place.block + 1 + located::MOST_ANNOUNCED);
    is_open.then(|| builtin::Read { source: place.source.id.clone(), from, to }.into())
}

/// Whether a sentence begins with a word for a thing that was named before.
pub fn begins_with_pronoun(sentence: &str) -> bool {
    words(sentence).next().is_some_and(|word| WORDS.pronouns.contains(&*fold(word)))
}

/// The finding with its quote, and the numbers and dates in it.
fn quoting(quote: &str, finding: Finding) -> Finding {
    Finding { numbers: numbers(quote), date: date(quote).map(Clean::from), quote: quote.into(), ..finding }
}

/// The call that reads the passage of a quote from a search result: one of the named source before others, and one that has all of the
/// quote before one that has its first words.
fn hit_of(quote: &str, named: &str, transcript: &Transcript) -> Option<ToolCall> {
    let words: Vec<&str> = quote.split_whitespace().collect();
    let begins = words.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    let hits = || located::hits(&transcript.turns);
    let has = |words: &str, named: Option<&str>| {
        let is_its = |hit: &&Hit| named.is_none_or(|named| located::is_called(&hit.source, named));
        hits().find(|hit| is_its(hit) && located::occurs(words, &hit.snippet))
    };
    let quoted = || [Some(named), None].into_iter().find_map(|of| has(quote, of).or_else(|| has(&begins, of)));
    let hit = quoted().or_else(|| hits().find(|hit| located::is_called(&hit.source, named)))?;
    let from = hit.block.saturating_sub(1);
    Some(builtin::Read { source: hit.source.id.clone(), from, to: hit.block + 3 }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{assigned, block, source};
    use run::AssignmentId;

    /// Reads a claim with its quote from a page on the limits of Pinecone, in a run on pgvector and Qdrant.
    fn found(claim: &str, quote: &str) -> Finding {
        const TEXT: &str = "Qdrant accepts up to 65,535 dimensions. pgvector has no limit of its own, as metadata is columns. Pinecone has no joins.";
        let (source, block) = (source("Pinecone limits"), Arc::new(block(TEXT)));
        let read = [Read { source: &source, block: &block }];
        let id = FindingId::new(AssignmentId::nth(1), 1);
        let checked = Checked { read: &read, things: &["pgvector".into(), "Qdrant".into()], question: "" };
        checked.finding(id, None, claim.into(), quote, "").0
    }

    fn handoff(notes: Option<Vec<Clean>>) -> Arc<run::handoff::Handoff> {
        asked("What is it?", notes)
    }

    fn asked(question: &str, notes: Option<Vec<Clean>>) -> Arc<run::handoff::Handoff> {
        let task = Task::new(run::TaskId(1), "Qdrant".into(), question.into());
        let task = run::handoff::PlannedTask { task, shape: run::plan::Shape::Overview };
        Arc::new(run::handoff::Handoff {
            no: run::HandoffNo(1),
            from: None,
            to: None,
            names: ("supervisor".into(), "researcher".into()),
            title: "Qdrant".into(),
            payload: Payload { question: Some("What is it?".into()), task: Some(task), notes, ..Payload::default() },
        })
    }

    /// The result of a report on a page, and its flaws.
    fn read(rows: Value, gaps: Value) -> Made {
        const TEXT: &str = "Jobs over 64 KB are slow. Backups do not include the queue. Version 3.0 was released on 4 March 2024 and needs Linux 5.";
        read_in(TEXT, rows, gaps)
    }

    /// The result of a report on a page of this text.
    fn read_in(text: &str, rows: Value, gaps: Value) -> Made {
        let (transcript, handoff) = (read_before(text), handoff(None));
        let report = Report::Json(json!({ "findings": rows, "gaps": gaps }));
        Researcher.read(&report, &assigned(&handoff), &transcript).unwrap()
    }

    /// A transcript in which a page of this text was read.
    fn read_before(text: &str) -> Transcript {
        let mut transcript = Transcript::new(handoff(None));
        let excerpt = run::evidence::Excerpt { source: source("Limits"), blocks: vec![Arc::new(block(text))], of: 1 };
        let request = Arc::new(builtin::Read { source: excerpt.source.id.clone(), from: 0, to: 1 }.into());
        let end = run::transcript::CallEnd::Returned(run::ToolResult::Excerpt(excerpt).into());
        let call = run::transcript::Call::new(run::CallId::new(AssignmentId::nth(1), 1), request, end);
        let did = run::transcript::Did::Tools(vec![call]);
        transcript.turns.push(Arc::new(run::transcript::Turn {
            stage: Conversation::Tools.into(),
            why: "".into(),
            did,
        }));
        transcript
    }

    fn row(claim: &str, quote: &str) -> Value {
        json!({ "claim": claim, "quote": quote, "source": "limits" })
    }

    #[test]
    fn a_quote_that_is_not_found_is_told_with_the_nearest_words() {
        let good = row("Jobs over 64 KB are slow.", "jobs over `64 KB` are slow");
        let made =
            read(json!([good, row("Backups leave out the queue.", "Backups don't include the queue.")]), json!(""));
        let lacks = made.lacks.unwrap().to_string();
        assert!(
            lacks.starts_with("1 quote is in no passage") && lacks.contains("\nBackups do not include the queue."),
            "{lacks}"
        );
        assert_eq!((made.payload.findings().len(), &*made.title), (2, "2 findings, 1 without a quote in a source"));
        assert!(read(json!([good]), json!("")).lacks.is_none());
    }

    #[test]
    fn findings_that_are_incomplete_or_too_many_are_told_and_lists_of_texts_are_read() {
        let good = row("Jobs over 64 KB are slow.", "Jobs over 64 KB are slow.");
        let made = read(json!([good, { "claim": "Jobs are slow." }]), json!(["No price.", "No date."]));
        assert_eq!(made.lacks.unwrap().what, "1 finding is without a claim or a quote");
        assert_eq!(made.title, "1 finding, 1 incomplete left out");
        assert_eq!(made.payload.notes(), ["No price. No date."]);
        let many: Vec<Value> = (0..14).map(|_| good.clone()).collect();
        let made = read(json!(many), json!(""));
        assert_eq!(made.lacks.unwrap().what, "2 findings are beyond the 12 that are read");
        let made =
            read(json!([{ "claim": "Jobs over 64 KB are slow.", "quote": ["Jobs over 64 KB are slow."] }]), json!(""));
        assert!(made.lacks.is_none() && made.payload.findings()[0].place.is_some());
    }

    #[test]
    fn a_claim_that_begins_with_a_pronoun_becomes_its_quote_and_one_fact_of_one_place_is_one_finding() {
        let quote = "Version 3.0 was released on 4 March 2024 and needs Linux 5.";
        let claims = |rows: &[(&str, &str)]| {
            let rows: Vec<Value> = rows.iter().map(|(claim, quote)| row(claim, quote)).collect();
            read(json!(rows), json!("")).payload.findings().iter().map(|f| f.claim.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(claims(&[("It was released on 4 March 2024.", quote)]), [quote]);
        let (first, other) = ("Version 3.0 was released on 4 March 2024.", "Version 3.0 needs Linux 5.");
        let short = "Version 3.0 was released in March 2024.";
        assert_eq!(claims(&[(short, quote), (first, quote), (first, quote)]), [first]);
        assert_eq!(claims(&[(first, quote), (other, quote)]), [first, other]);
    }

    #[test]
    fn a_sentence_that_nothing_was_found_is_a_report_without_findings() {
        for text in [
            "Nothing found.",
            "I could not find anything on the price. The documents are general.",
            "No results were found.",
        ] {
            assert_eq!(Researcher.of_prose(text), Some(json!({ "findings": [], "gaps": text })), "{text}");
        }
        for text in [
            "I will search for the price.",
            "Jobs over 64 KB are slow.",
            "Nothing is faster than Widget.",
            "My findings from the documents: the rent includes heating but not electricity. The deposit is paid at once.",
            "The documents do not say everything in one place, so I will search for the laundry next.",
            "The documents do not say it for all, but large jobs are slow.",
            "{'findings': [{'claim': 'No job is slow.', 'quote': 'No job is slow.', 'source': 'limits'}]}",
        ] {
            assert_eq!(Researcher.of_prose(text), None, "{text}");
        }
    }

    #[test]
    fn a_claim_beyond_its_quote_is_told_where_the_quote_cannot_be_understood_alone() {
        let (claim, quote) = ("Backups of version 3 are slow.", "It is slow");
        let made = read_in("Backups take a day. It is slow.", json!([row(claim, quote)]), json!(""));
        assert_eq!(made.payload.findings()[0].claim, "It is slow.");
        let lacks = made.lacks.unwrap();
        assert_eq!(lacks.what, "1 claim says more than the quote of its finding");
        assert!(lacks.to_string().contains("“Backups of version 3 are slow.”: "), "{lacks}");
        let made = read(json!([row("Jobs over 64 KB fail.", "Jobs over 64 KB are slow.")]), json!(""));
        assert!(made.lacks.is_none(), "the quote says what it is about");
    }

    #[test]
    fn a_sentence_that_stands_in_for_a_claim_is_told_back_unless_it_names_what_the_claim_names() {
        let things = ["git reset".into(), "lzma".into()];
        let claim = "smtpd_relay_restrictions are access restrictions for relay control.";
        for (sentence, claim, is_alone) in [
            ("Access restrictions for mail relay control that the server applies.", claim, false),
            ("smtpd_relay_restrictions has access restrictions.", claim, true),
            ("If you do not give the level, it will use level 6.", "The level of lzma is 6 by default.", false),
            ("If you do not give the level, lzma will use level 6.", "The level of lzma is 6 by default.", true),
            ("waits a few seconds", "The server waits a few seconds at most.", false),
            ("$ gitk --not --all", "A list shows all of them.", false),
            ("Take care with these alternatives as both will discard changes.", "Both discard all changes.", false),
            ("Again, you should never do that.", "One should never ever do that.", false),
            ("The following sequence switches to it.", "A sequence switches.", false),
            ("Jobs over 64 KB are slow.", "Jobs over 64 KB fail.", true),
            ("Rows are kept for a day.", "Rows are kept for two days.", true),
        ] {
            assert_eq!(stands_alone(sentence, claim, &things), is_alone, "{sentence}");
        }
    }

    #[test]
    fn a_sentence_that_does_not_name_its_subject_gets_it_from_the_heading_that_the_claim_names_too() {
        let title = "smtpd_relay_restrictions (default: empty)";
        let claimed = |title: &str, text: &str, claim: &str| {
            let (source, block) = (source(title), Arc::new(block(text)));
            let read = [Read { source: &source, block: &block }];
            let id = FindingId::new(AssignmentId::nth(1), 1);
            let (found, why) =
                Checked { read: &read, things: &[], question: "" }.finding(id, None, claim.into(), text, "");
            let passages = [run::handoff::Passage { source: source.clone(), block: block.clone() }];
            assert_eq!(crate::gate::support::strict(&found, &passages, &[], ""), Ok(()));
            (found.claim.to_string(), why.is_some())
        };
        let said = "Access restrictions for mail relay control.";
        let named = "smtpd_relay_restrictions holds 7 access restrictions for mail relay control.";
        assert_eq!(claimed(title, said, named), (format!("[smtpd_relay_restrictions]: {said}"), true));
        assert_eq!(claimed("Relays", said, named), (said.to_owned(), true), "nothing above it has the name");
        let other = "Pinecone restricts the access of clients.";
        assert_eq!(claimed(title, other, "smtpd_relay_restrictions restricts 7 clients.").0, other, "it names another");
    }

    #[test]
    fn an_answer_to_what_a_report_lacks_mends_that_and_what_held_stands() {
        const TEXT: &str = "Jobs over 64 KB are slow. Backups do not include the queue. It is slow at night.";
        let (transcript, handoff) = (read_before(TEXT), handoff(None));
        let good = row("Jobs over 64 KB are slow.", "Jobs over 64 KB are slow.");
        let bad = row("Backups leave out the queue.", "Backups don't include the queue.");
        let leaning = row("Backups of version 3 are slow at night.", "It is slow at night.");
        let mended = row("Backups do not include the queue.", "Backups do not include the queue.");
        let claims = |answer: Value| {
            let first = super::found(&json!({ "findings": [good, bad, leaning] }), 9, &assigned(&handoff), &transcript)
                .unwrap();
            let lacks = lacks(&first, &transcript).unwrap().to_string();
            assert!(lacks.contains("1 finding stands and need not come again"), "{lacks}");
            let found = first.mended(&json!({ "findings": answer }), &assigned(&handoff), &transcript).unwrap();
            let ids: BTreeSet<FindingId> = found.findings.iter().map(|finding| finding.id).collect();
            assert_eq!(ids.len(), found.findings.len(), "each has a number of its own");
            found.findings.iter().map(|finding| finding.claim.to_string()).collect::<Vec<_>>()
        };
        let [held, source, new] =
            ["Jobs over 64 KB are slow.", "It is slow at night.", "Backups do not include the queue."];
        assert_eq!(claims(json!([])), [held, source]);
        assert_eq!(claims(json!([good, mended])), [held, new], "what was said again is there once");
    }

    #[test]
    fn what_a_task_leaves_out_is_not_searched_for() {
        let question = "How does Qdrant filter? Leave quantization out. Do not look at sharding.";
        assert_eq!(rare_words(question, "", 6), ["Qdrant", "filter"]);
    }

    #[test]
    fn a_passage_that_several_findings_quote_is_read_once() {
        let hit = |title: &str| run::evidence::Hit {
            source: source(title),
            block: 0,
            headings: [].into(),
            columns: None,
            snippet: format!("{title} is told of here at some length.").as_str().into(),
            score: 1,
        };
        let hits = run::evidence::Hits { hits: ["One", "Two"].map(hit).into(), ..Default::default() };
        let (transcript, handoff) = (searched(hits), handoff(None));
        let row = |title: &str| json!({ "claim": "It is told.", "quote": format!("{title} is told of here at some length. And more."), "source": "" });
        let rows = ["One", "Two", "One"].map(row);
        let report = json!({ "findings": rows });
        let found = super::found(&report, 9, &assigned(&handoff), &transcript).unwrap();
        assert_eq!((found.findings.len(), found.unread.len()), (3, 2));
    }

    #[test]
    fn a_quote_is_looked_for_whole_and_in_the_named_source_first() {
        let hit = |title: &str, snippet: &str| run::evidence::Hit {
            source: source(title),
            block: 7,
            headings: [].into(),
            columns: None,
            snippet: snippet.into(),
            score: 1,
        };
        let quote = "The recommended recovery method is to drop the index and try again.";
        let begins = "The recommended recovery method is another one here.";
        let hits = vec![hit("First", begins), hit("Second", begins), hit("Third", quote)];
        let transcript = searched(run::evidence::Hits { hits, ..Default::default() });
        for (quote, named, found) in [
            (quote, "third", "third"),
            (quote, "", "third"),
            (quote, "second", "second"),
            ("The recommended recovery method is unknown.", "", "first"),
            ("Nothing of the kind is said.", "second", "second"),
        ] {
            let call = hit_of(quote, named, &transcript).unwrap().of::<builtin::Read>().unwrap();
            assert_eq!(&*call.source.0, found, "{quote} of {named}");
        }
    }

    /// A transcript in which a search has found this.
    fn searched(hits: run::evidence::Hits) -> Transcript {
        let request = Arc::new(builtin::Search::new("told", 2).into());
        let end = run::transcript::CallEnd::Returned(run::ToolResult::Hits(hits).into());
        let call = run::transcript::Call::new(run::CallId::new(AssignmentId::nth(1), 1), request, end);
        let mut transcript = Transcript::new(handoff(None));
        let did = run::transcript::Did::Tools(vec![call]);
        let stage = run::stage::Conversation::LookUp.into();
        transcript.turns.push(Arc::new(run::transcript::Turn { stage, why: Clean::default(), did }));
        transcript
    }

    #[test]
    fn what_the_person_asks_for_is_searched_for_first() {
        let searched = |notes: Option<Vec<Clean>>| Researcher.first(&assigned(&handoff(notes)));
        let search =
            |query: &str| vec![builtin::Search::new(Clean::from(query), builtin::Search::HITS_OF_MODEL).into()];
        assert_eq!(searched(None), search("Qdrant"));
        assert_eq!(searched(Some(vec!["How does it filter?".into()])), search("Qdrant filter"));
        let wish = "Does it log when it steps the clock?";
        assert_eq!(searched(Some(vec![wish.into()])), search("log steps clock"));
    }

    #[test]
    fn the_first_search_has_the_rare_words_of_a_question_in_its_order() {
        let searched = |question: &str| Researcher.first(&assigned(&asked(question, None)));
        let search =
            |query: &str| vec![builtin::Search::new(Clean::from(query), builtin::Search::HITS_OF_MODEL).into()];
        assert_eq!(
            searched("How does Qdrant quantize vectors, and what does quantization cost?"),
            search("Qdrant quantize vectors cost")
        );
        let long = "Why would a query that many people would call good not use my bitmap index, which settings of the planner \
                    and which statistics, collations, operators or casts keep it from doing so, and how do I see that?";
        let Some(first) = searched(long).pop() else { panic!("a search") };
        let query = first.of::<builtin::Search>().unwrap().query;
        assert_eq!(query.split(' ').count(), 1 + MOST_WORDS, "{query}");
        assert!(query.contains("bitmap") && !query.contains("people"), "{query}");
    }

    #[test]
    fn a_task_that_is_the_question_itself_is_told_once() {
        let told = |question: &str| Researcher.task(&assigned(&asked(question, None)));
        let same = told("What is it?");
        assert_eq!((same.matches("What is it?").count(), same.contains("others")), (1, false), "{same}");
        let part = told("What does it cost?");
        assert!(part.contains("Your part of it: Qdrant\n<task>\nWhat does it cost?"), "{part}");
    }

    #[test]
    fn a_claim_that_its_quote_bears_out_stays_in_the_model_s_words() {
        let found = found("Qdrant takes vectors of up to 65,535 dimensions.", "Qdrant accepts up to 65,535 dimensions");
        assert_eq!(
            (&*found.claim, found.words_of),
            ("Qdrant takes vectors of up to 65,535 dimensions.", WordsOf::Model)
        );
    }

    #[test]
    fn a_claim_that_tells_of_one_thing_what_the_source_says_of_another_is_replaced_by_whole_sentences_of_the_source() {
        for (claim, quote, expected) in [
            ("Qdrant has no joins.", "Pinecone has no joins", "Pinecone has no joins."),
            (
                "pgvector has no limit, but Qdrant does, of 65,535 dimensions.",
                "pgvector has no limit of its own, as",
                "pgvector has no limit of its own, as metadata is columns.",
            ),
            (
                "pgvector has a limit of 65,535.",
                "pgvector has no limit of its own",
                "pgvector has no limit of its own, as metadata is columns.",
            ),
        ] {
            let found = found(claim, quote);
            assert_eq!((&*found.claim, &*found.quote, found.words_of), (expected, expected, WordsOf::Source));
        }
    }
}
