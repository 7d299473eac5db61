//! The researcher's craft: facts on one task, each with a verbatim quote.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, fenced, without_tags};
use super::located::{self, Read};
use super::offer::object;
use crate::Assigned;
use crate::gate::paraphrase::is_covered;
use crate::gate::subject::Quoted;
use crate::numbers::{date, numbers};
use run::finding::{Finding, Standing, WordsOf};
use run::id::FindingId;
use run::tool::builtin;
use run::{Outcome, Payload, Role, Task, ToolCall, Transcript};
use text::{Clean, count};

/// The most findings of one report that are read.
const MOST_FINDINGS: usize = 12;
/// The most passages read to check quotes of search results.
const MOST_READS: usize = 12;

pub(super) struct Researcher;

/// The schema of every report: made once, because hundreds of researchers need it at every answer.
static REPORT: LazyLock<Arc<Value>> = LazyLock::new(|| {
    Arc::new(object(json!({
        "findings": findings_schema(),
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
        let mut task = format!(
            "The whole question, which several researchers share:\n{}\n\n",
            fenced(Element::Question, "", &question)
        );
        if let Some(own) = handoff.payload.task() {
            task.push_str(&format!("Your part of it: {}\n{}\n", own.title, fenced(Element::Task, "", &own.question)));
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
        // The person's wish adds to what the task asked.
        let query = match assigned.handoff.payload.notes().last() {
            Some(wish) => Clean::line(&format!("{} {wish}", task.title)),
            None => Clean::line(&task.in_words()),
        };
        vec![builtin::Search::new(query, builtin::Search::HITS_OF_MODEL).into()]
    }

    fn by_rule(&self) -> Option<&'static str> {
        Some(Role::RESEARCHER)
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Made, Unfit> {
        let Report::Json(report) = report else { return Err("it has to be JSON".into()) };
        let Found { findings, unread, beyond } = found(report, MOST_FINDINGS, assigned, transcript)?;
        let title = in_words(&findings, beyond);
        let outcome = if findings.is_empty() { Outcome::NothingFound } else { Outcome::Done };
        let gaps = line_of(&report["gaps"]);
        let payload = Payload { findings: Some(findings), notes: gaps.map(|gaps| vec![gaps]), ..Payload::default() };
        Ok(Made { outcome, title, payload, unread, lacks: None })
    }
}

/// JSON Schema of a list of findings.
pub(super) fn findings_schema() -> Value {
    let finding = object(json!({
        "claim": { "type": "string", "description": "one fact, in one sentence that can be understood alone" },
        "quote": { "type": "string", "description": "the words of the source that say so, copied to the letter" },
        "source": { "type": "string", "description": "the id of the source the quote is from" },
    }));
    json!({ "type": "array", "items": finding })
}

/// The findings of a report, and the passages to read before their quotes can be checked.
pub(super) struct Found {
    pub findings: Vec<Finding>,
    pub unread: Vec<ToolCall>,
    /// The number of findings that were reported beyond the most.
    pub beyond: usize,
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
    let Some(rows) = report["findings"].as_array() else {
        return Err(Unfit::new("`findings` is missing", "it is a list"));
    };
    let task = assigned.handoff.payload.task();
    let things = assigned.handoff.payload.things();
    let read = located::blocks(&transcript.turns);
    let (mut findings, mut unread) = (Vec::new(), Vec::new());
    for (row, n) in rows.iter().take(most).zip(1..) {
        // Incomplete findings are skipped: the others are useful.
        let (Some(claim), Some(quote)) = (line_of(&row["claim"]), line_of(&row["quote"])) else { continue };
        // Small models copy the tag of a passage into the quote.
        let quote = without_tags(&quote, &[Element::Passage.name()]);
        let named = row["source"].as_str().unwrap_or("");
        let id = FindingId::new(assigned.id, n);
        let finding = finding(id, task, claim, &quote, named, &read, things);
        if finding.place.is_none() {
            unread.extend(hit_of(&quote, named, transcript).filter(|hit| !unread.contains(hit)));
        }
        findings.push(finding);
    }
    if findings.is_empty() && !rows.is_empty() {
        return Err("each finding needs its claim, its quote and its source".into());
    }
    unread.truncate(MOST_READS);
    Ok(Found { findings, unread, beyond: rows.len().saturating_sub(most) })
}

/// "8 findings, 2 without a quote in a source, 1 more left out".
pub(super) fn in_words(findings: &[Finding], beyond: usize) -> String {
    let backed = findings.iter().filter(|finding| finding.place.is_some()).count();
    let told = match (findings.len(), backed) {
        (0, _) => "nothing found".to_string(),
        (all, backed) if all == backed => count(all, "finding"),
        (all, backed) => format!("{}, {} without a quote in a source", count(all, "finding"), all - backed),
    };
    if beyond == 0 { told } else { format!("{told}, {beyond} more left out") }
}

/// A checked finding. It gets a place if its quote is in the source. If the claim states more than the quote, or states
/// it of another thing, whole sentences of the source replace the claim.
fn finding(
    id: FindingId,
    task: Option<&Task>,
    claim: Clean,
    quote: &str,
    named: &str,
    read: &[Read<'_>],
    things: &[Clean],
) -> Finding {
    let known = Finding {
        task: task.map(|task| task.id),
        subtopic: task.map(|task| task.title.clone()).unwrap_or_default(),
        score: 1_000 - i32::try_from(id.n).unwrap_or(0),
        ..Finding::new(id, claim)
    };
    let is_own = known.claim.trim() != quote.trim();
    let Some((place, block)) = located::place(quote, named, read) else {
        let words_of = if is_own { WordsOf::Model } else { WordsOf::Source };
        return quoting(quote, Finding { standing: Standing::Unquoted, words_of, ..known });
    };
    let there = place.words(block);
    let is_faithful = || is_covered(&known.claim, &[Quoted::new(there, Some(&place), Some(block))], things).is_ok();
    if is_own && is_faithful() {
        return quoting(there, Finding { place: Some(place), words_of: WordsOf::Model, ..known });
    }
    let place = located::in_whole_sentences(place, block);
    let there = place.words(block);
    quoting(there, Finding { claim: there.into(), place: Some(place), ..known })
}

/// The finding with its quote, and the numbers and dates in it.
fn quoting(quote: &str, finding: Finding) -> Finding {
    Finding { numbers: numbers(quote), date: date(quote).map(Clean::from), quote: quote.into(), ..finding }
}

/// The call that reads the passage of a quote from a search result.
fn hit_of(quote: &str, named: &str, transcript: &Transcript) -> Option<ToolCall> {
    let words: Vec<&str> = quote.split_whitespace().collect();
    let begins = words.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    let hits = || located::hits(&transcript.turns);
    let quoted = hits().find(|hit| hit.snippet.contains(&begins));
    let hit = quoted.or_else(|| hits().find(|hit| located::is_called(&hit.source, named)))?;
    let from = hit.block.saturating_sub(1);
    Some(builtin::Read { source: hit.source.id.clone(), from, to: hit.block + 3 }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, source};
    use run::AssignmentId;

    /// Reads a claim with its quote from a page on the limits of Pinecone, in a run on pgvector and Qdrant.
    fn found(claim: &str, quote: &str) -> Finding {
        const TEXT: &str = "Qdrant accepts up to 65,535 dimensions. pgvector has no limit of its own, as metadata is columns. Pinecone has no joins.";
        let (source, block) = (source("Pinecone limits"), Arc::new(block(TEXT)));
        let read = [Read { source: &source, block: &block }];
        let id = FindingId::new(AssignmentId::nth(1), 1);
        finding(id, None, claim.into(), quote, "", &read, &["pgvector".into(), "Qdrant".into()])
    }

    fn handoff(notes: Option<Vec<Clean>>) -> Arc<run::handoff::Handoff> {
        let task = Task::new(run::TaskId(1), "Qdrant".into(), "What is it?".into());
        let task = run::handoff::PlannedTask { task, shape: run::plan::Shape::Overview };
        Arc::new(run::handoff::Handoff {
            no: run::HandoffNo(1),
            from: None,
            to: None,
            names: ("supervisor".into(), "researcher".into()),
            title: "Qdrant".into(),
            payload: Payload { task: Some(task), notes, ..Payload::default() },
        })
    }

    fn assigned(handoff: &Arc<run::handoff::Handoff>) -> Assigned<'_> {
        let (id, left) = (AssignmentId::nth(1), run::Limits::default());
        Assigned { id, handoff, turns_left: 8, left, known: None }
    }

    #[test]
    fn a_passage_that_several_findings_quote_is_read_once() {
        let hit = |title: &str| run::evidence::Hit {
            source: source(title),
            block: 0,
            headings: [].into(),
            snippet: format!("{title} is told of here at some length.").as_str().into(),
            score: 1,
        };
        let hits = run::evidence::Hits { hits: ["One", "Two"].map(hit).into(), ..Default::default() };
        let request = Arc::new(builtin::Search::new("told", 2).into());
        let end = run::transcript::CallEnd::Returned(run::ToolResult::Hits(hits).into());
        let call = run::transcript::Call { id: run::CallId::new(AssignmentId::nth(1), 1), request, end };
        let handoff = handoff(None);
        let mut transcript = Transcript::new(handoff.clone());
        let did = run::transcript::Did::Tools(vec![call]);
        let stage = run::stage::Conversation::LookUp.into();
        transcript.turns.push(Arc::new(run::transcript::Turn { stage, why: Clean::default(), did }));
        let row = |title: &str| json!({ "claim": "It is told.", "quote": format!("{title} is told of here at some length. And more."), "source": "" });
        let rows = ["One", "Two", "One"].map(row);
        let report = json!({ "findings": rows });
        let found = super::found(&report, 9, &assigned(&handoff), &transcript).unwrap();
        assert_eq!((found.findings.len(), found.unread.len()), (3, 2));
    }

    #[test]
    fn what_the_person_asks_for_is_searched_for_first() {
        let searched = |notes: Option<Vec<Clean>>| Researcher.first(&assigned(&handoff(notes)));
        let search =
            |query: &str| vec![builtin::Search::new(Clean::from(query), builtin::Search::HITS_OF_MODEL).into()];
        assert_eq!(searched(None), search("Qdrant: What is it?"));
        assert_eq!(searched(Some(vec!["How does it filter?".into()])), search("Qdrant How does it filter?"));
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
