//! The craft of the single agent: it searches, reads and writes the brief in one context. A baseline to compare teams
//! with.
//!
//! It reports findings like a researcher and a brief like a writer, and both checks apply.

use std::sync::Arc;

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit};
use super::offer::object;
use super::researcher::{Found, Researcher, findings_schema, found, in_words};
use super::writer::{self, Writer};
use crate::Assigned;
use run::{FindingId, Outcome, Payload, ToolCall, Transcript};
use text::count;

/// The most findings of its report that are read: about as many as several researchers return.
const MOST_FINDINGS: usize = 60;

pub(super) struct Agent;

impl Agent {
    /// Whether it gets a draft of its own back to revise.
    fn mends(assigned: &Assigned<'_>) -> bool {
        assigned.handoff.payload.draft.is_some()
    }
}

impl Craft for Agent {
    fn schema(&self, assigned: &Assigned<'_>) -> Option<Arc<Value>> {
        if Agent::mends(assigned) {
            return Writer.schema(assigned);
        }
        let brief = "the brief in Markdown; behind each sentence the number of its finding in brackets, the first of the list is [1]";
        Some(Arc::new(object(json!({
            "findings": findings_schema(MOST_FINDINGS),
            "brief": { "type": "string", "description": brief },
        }))))
    }

    fn heeding(&self) -> &'static str {
        "Act on it in the draft, and give the draft whole. Do not mention this message in it."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        if Agent::mends(assigned) {
            return Writer.task(assigned);
        }
        let length = assigned.handoff.payload.length.unwrap_or(500);
        format!("{}Write about {length} words.\n", Researcher.task(assigned))
    }

    fn first(&self, assigned: &Assigned<'_>) -> Vec<ToolCall> {
        if Agent::mends(assigned) { Vec::new() } else { Researcher.first(assigned) }
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Made, Unfit> {
        if Agent::mends(assigned) {
            return Writer.read(report, assigned, transcript);
        }
        let report = report.json()?;
        let found = found(report, MOST_FINDINGS, assigned, transcript)?;
        let found_in_words = in_words(&found);
        let Found { findings, unread, .. } = found;
        if findings.is_empty() {
            let payload = Payload { findings: Some(findings), ..Payload::default() };
            return Ok(Made {
                outcome: Outcome::NothingFound,
                title: "nothing found".into(),
                payload,
                unread,
                lacks: None,
            });
        }
        let text = report["brief"].as_str().ok_or("`brief` is missing: it is the brief, in Markdown")?;
        let last = findings.iter().map(|finding| finding.id.n).max().unwrap_or(0);
        let ids: Vec<FindingId> = (1..=last).map(|n| FindingId::new(assigned.id, n)).collect();
        let draft = writer::draft(text, &ids, &findings, assigned)?;
        let title = format!("{}; draft, {}", found_in_words, count(draft.words(), "word"));
        let payload = Payload { findings: Some(findings), draft: Some(draft), ..Payload::default() };
        Ok(Made { outcome: Outcome::Done, title, payload, unread, lacks: None })
    }
}
