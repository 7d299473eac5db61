//! The researcher's craft: facts on one task, each with a verbatim quote.

mod claim;
mod found;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit};
use super::fence::{Element, fenced};
use super::located;
use super::offer::{self, object};
use super::written::{report_in, shaped, without_thoughts};
use crate::Assigned;
use crate::gate::denial::is_negation;
use crate::words::WORDS;
use found::{text_of, without_doubles};
use run::model::Arguments;
use run::stage::Conversation;
use run::tool::builtin;
use run::transcript::Did;
use run::{Outcome, Payload, Role, Task, ToolCall, Transcript};
use text::common::share;
use text::sentence::sentences;
use text::words::{Language, fold, is_stop, stem, stems, words};
use text::{Clean, count};

pub use claim::begins_with_pronoun;
pub(super) use found::{Found, findings_schema, found, in_words};

/// The most findings of one report that are read.
const MOST_FINDINGS: usize = 12;

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

#[cfg(test)]
mod tests;
