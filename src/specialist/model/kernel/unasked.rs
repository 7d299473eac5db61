//! Look-ups that failed: nothing is reported missing from a place that could not be asked.

use std::collections::BTreeMap;

use super::Talk;
use run::tool::ToolResult;
use run::tool::builtin::{self, BuiltIn, Search};
use run::transcript::CallEnd;
use text::Clean;

impl Talk<'_> {
    /// The reason why not all could be asked: a backend of a search failed, or each call to the search or to one of the MCP
    /// servers. None if at least one call to each was answered.
    pub(super) fn unasked(&self) -> Option<Clean> {
        let mut failed: BTreeMap<&str, Option<&Clean>> = BTreeMap::new();
        for call in self.transcript.calls() {
            let tool = call.request.name.as_str();
            let asked = match tool.split_once("__") {
                Some((server, _)) if builtin::spec(tool).is_none() => server,
                None if tool == Search::NAME => tool,
                _ => continue,
            };
            match (&call.end, call.result()) {
                (_, Some(ToolResult::Hits(hits))) if !hits.notes.is_empty() => return hits.notes.first().cloned(),
                (CallEnd::Failed(why), _) => drop(failed.entry(asked).or_insert(Some(why))),
                (CallEnd::Returned(_), _) => drop(failed.insert(asked, None)),
                _ => {}
            }
        }
        let (asked, why) = failed.into_iter().find_map(|(asked, why)| Some((asked, why?)))?;
        Some(format!("no call to {asked} was answered: {why}").into())
    }
}
