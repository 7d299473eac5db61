//! The inspector's craft: the defects of a file, each with the line that shows it. Its report is a researcher's, but it
//! begins with a profile of the whole file instead of a search.

use std::sync::Arc;

use serde_json::Value;

use super::craft::{Craft, Made, Report, Unfit};
use super::researcher::Researcher;
use crate::Assigned;
use run::tool::builtin::{ListFiles, ProfileFile};
use run::{Role, ToolCall, Transcript};

pub(super) struct Inspector;

impl Craft for Inspector {
    fn schema(&self, assigned: &Assigned<'_>) -> Option<Arc<Value>> {
        Researcher.schema(assigned)
    }

    fn heeding(&self) -> &'static str {
        Researcher.heeding()
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        Researcher.task(assigned)
    }

    fn first(&self, assigned: &Assigned<'_>) -> Vec<ToolCall> {
        let within = assigned.handoff.payload.task().and_then(|task| task.within.as_ref());
        match within {
            Some(within) => vec![ProfileFile { source: within.source.clone() }.into()],
            None => vec![ListFiles {}.into()],
        }
    }

    fn found(&self) -> &'static str {
        "A look at the whole has brought:"
    }

    fn by_rule(&self) -> Option<&'static str> {
        Some(Role::INSPECTOR)
    }

    fn of_prose(&self, text: &str) -> Option<Value> {
        Researcher.of_prose(text)
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Made, Unfit> {
        Researcher.read(report, assigned, transcript)
    }
}
