//! Reads the findings of a report, row by row, and says which passages are to be read before their quotes can be checked.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::MOST_FINDINGS;
use super::claim::{Checked, Row};
use crate::Assigned;
use crate::model::craft::{Unfit, line_of};
use crate::model::fence::{Element, without_tags};
use crate::model::located::{self, Read};
use crate::model::offer::object;
use crate::numbers::{numbers, value};
use run::evidence::Place;
use run::finding::Finding;
use run::id::FindingId;
use run::tool::builtin;
use run::{Hit, ToolCall, Transcript};
use text::words::{Language, content_stems};
use text::{Clean, count};

/// The most passages read to check quotes of search results.
const MOST_READS: usize = 12;

/// JSON Schema of a list of at most `most` findings.
pub(in crate::model) fn findings_schema(most: usize) -> Value {
    let description = format!("at most {most}, the most useful first");
    let finding = object(json!({
        "claim": { "type": "string", "description": "one fact, in one sentence that can be understood alone" },
        "quote": { "type": "string", "description": "the words of the source that say so, copied to the letter" },
        "source": { "type": "string", "description": "the id of the source the quote is from" },
    }));
    json!({ "type": "array", "items": finding, "description": description })
}

/// The findings of a report, and the passages to read before their quotes can be checked.
pub(in crate::model) struct Found {
    pub findings: Vec<Finding>,
    pub unread: Vec<ToolCall>,
    /// The number of findings that were reported beyond the most.
    pub beyond: usize,
    /// The number of rows without a claim or a quote.
    pub incomplete: usize,
    /// Claims beyond their quotes in whose place a sentence stands that cannot be understood alone, with the finding and the reason.
    pub(super) unfounded: Vec<(FindingId, Clean, String)>,
}

impl Found {
    /// Whether nothing has to be mended of a finding.
    pub(super) fn holds(&self, finding: &Finding) -> bool {
        finding.place.is_some() && !self.unfounded.iter().any(|(id, ..)| *id == finding.id)
    }

    /// The findings of it that hold, and behind them those of a report that mends the others.
    ///
    /// # Errors
    /// As [`found`].
    pub(super) fn mended(
        mut self,
        report: &Value,
        assigned: &Assigned<'_>,
        transcript: &Transcript,
    ) -> Result<Found, Unfit> {
        let after = self.findings.iter().map(|finding| finding.id.n).max().unwrap_or(0);
        let more = found_after(after, report, MOST_FINDINGS, assigned, transcript)?;
        let (held, open): (Vec<Finding>, Vec<Finding>) =
            std::mem::take(&mut self.findings).into_iter().partition(|finding| self.holds(finding));
        // A model that reports all of them again has said these twice.
        let is_known = |new: &Finding| held.iter().any(|known| known.place == new.place && known.claim == new.claim);
        let new: Vec<Finding> = more.findings.into_iter().filter(|finding| !is_known(finding)).collect();
        // A finding that the answer does not take up again stays as it was taken: as a sentence of its source.
        let is_near = |one: &Place, new: &Finding| {
            new.place.as_ref().is_some_and(|new| (&new.source.id, new.block) == (&one.source.id, one.block))
        };
        let stays = |one: &Finding| one.place.as_ref().is_some_and(|place| !new.iter().any(|new| is_near(place, new)));
        let kept: Vec<Finding> = open.into_iter().filter(stays).collect();
        let findings = held.into_iter().chain(kept).chain(new).collect();
        Ok(Found { findings, ..more })
    }
}

/// Reads the first `most` findings of a report; each gets the number of its row, from 1.
///
/// # Errors
/// There is no list of findings, or every finding is incomplete. The text is for the model.
pub(in crate::model) fn found(
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
        let (finding, why) = checked.finding(id, task, Row { claim: claim.clone(), quote, source: named });
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
pub(super) fn text_of(value: &Value) -> Option<Clean> {
    match value {
        Value::Array(texts) => {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            line_of(&texts.join(" ").into())
        }
        text => line_of(text),
    }
}

/// The findings without those that repeat another one of the same place with fewer numbers or words.
pub(super) fn without_doubles(findings: Vec<Finding>) -> Vec<Finding> {
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
pub(in crate::model) fn in_words(found: &Found) -> String {
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

/// The call that reads what a place that ends in a colon announces, if it was not read.
fn behind(place: &Place, read: &[Read<'_>]) -> Option<ToolCall> {
    let block = |no: u32| read.iter().find(|read| read.source.id == place.source.id && read.block.no == no);
    let is_open = located::announces(place, block(place.block)?.block) && block(place.block + 1).is_none();
    let (from, to) = (place.block + 1, place.block + 1 + located::MOST_ANNOUNCED);
    is_open.then(|| builtin::Read { source: place.source.id.clone(), from, to }.into())
}

/// The call that reads the passage of a quote from a search result: one of the named source before others, and one that has all of the
/// quote before one that has its first words.
pub(super) fn hit_of(quote: &str, named: &str, transcript: &Transcript) -> Option<ToolCall> {
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
