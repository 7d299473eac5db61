//! The origin of a finding: the specialist that found it, with its search, reading and model call. Read from the transcript of its
//! finder; nothing is recorded for it.

use super::evidence::Place;
use super::finding::Finding;
use super::id::{AssignmentId, CallId};
use super::state::{Assignment, Run};
use super::tool::ToolResult;
use super::transcript::{Call, Exchange, Transcript};

/// The way of a finding into the run.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The assignment that found it.
    pub by: &'a Assignment,
    /// The first search that brought its passage up.
    pub search: Option<&'a Call>,
    /// The first call that read its passage whole.
    pub read: Option<&'a Call>,
    /// The model call that reported it; None of a finder by rule.
    pub reported: Option<&'a Exchange>,
}

impl Origin<'_> {
    /// The last call on its way: the model's report, else the reading, else the search.
    pub fn last_call(&self) -> Option<CallId> {
        let tool = self.read.or(self.search).map(|call| call.id);
        self.reported.map(|exchange| exchange.call).or(tool)
    }
}

/// The way of a finding into the run; None for one that the person added.
pub fn of<'a>(run: &'a Run, finding: &Finding) -> Option<Origin<'a>> {
    if finding.id.assignment == AssignmentId::ROOT {
        return None;
    }
    let by = run.assignment(finding.id.assignment)?;
    let place = finding.place.as_ref();
    let first = |brings: fn(&ToolResult, &Place) -> bool| place.and_then(|place| call(&by.transcript, place, brings));
    let reported = by.transcript.exchanges().rfind(|exchange| exchange.reply().is_some());
    Some(Origin { by, search: first(finds), read: first(reads), reported })
}

fn call<'a>(transcript: &'a Transcript, place: &Place, brings: fn(&ToolResult, &Place) -> bool) -> Option<&'a Call> {
    transcript.calls().find(|call| call.result().is_some_and(|result| brings(result, place)))
}

fn finds(result: &ToolResult, place: &Place) -> bool {
    let ToolResult::Hits(hits) = result else { return false };
    hits.hits.iter().any(|hit| hit.source.id == place.source.id && hit.block == place.block)
}

fn reads(result: &ToolResult, place: &Place) -> bool {
    let ToolResult::Excerpt(excerpt) = result else { return false };
    excerpt.source.id == place.source.id && excerpt.blocks.iter().any(|block| block.no == place.block)
}
