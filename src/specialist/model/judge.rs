//! The judge's craft: which of two briefs answers a question better, by the rubric in its prompt. It sees no names of
//! teams or models, and does not know that the same briefs are also judged in the other order.

use std::sync::Arc;

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, fenced};
use super::offer::object;
use crate::Assigned;
use run::preference::{Better, Preference};
use run::{Outcome, Payload, Transcript};

pub(super) struct Judge;

impl Craft for Judge {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        let assessment =
            "in two or three sentences: by which points of the rubric one brief is better, or why neither is";
        Some(Arc::new(object(json!({
            "assessment": { "type": "string", "description": assessment },
            "better": { "type": "string", "enum": ["A", "B", "tie"] },
        }))))
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let payload = &assigned.handoff.payload;
        let question = payload.question.clone().unwrap_or_default();
        let mut task = format!("The question:\n{}\n", fenced(Element::Question, "", &question));
        for (name, brief) in ["A", "B"].iter().zip(payload.briefs.iter().flatten()) {
            task.push_str(&format!(
                "\nBrief {name}:\n{}\n",
                fenced(Element::Brief, &format!("name=\"{name}\""), brief)
            ));
        }
        task.push_str("\nWhich of the two answers the question better, by the rubric?\n");
        task
    }

    fn read(&self, report: &Report, _: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let report = report.json()?;
        let better = match report["better"].as_str().map(str::trim) {
            Some("A") => Better::First,
            Some("B") => Better::Second,
            Some("tie") => Better::Tie,
            _ => return Err("`better` has to be \"A\", \"B\" or \"tie\"".into()),
        };
        let why = line_of(&report["assessment"]).ok_or("`assessment` is missing: say by which points of the rubric")?;
        let payload =
            Payload { preferences: Some(vec![Preference { better, why, swapped: false }]), ..Payload::default() };
        Ok(Made {
            outcome: Outcome::Done,
            title: format!("prefers {better}"),
            payload,
            unread: Vec::new(),
            lacks: None,
        })
    }
}
