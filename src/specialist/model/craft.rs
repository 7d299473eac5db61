//! The crafts: how each role's assignment is put to its model, and how its report is read.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::agent::Agent;
use super::judge::Judge;
use super::{inspector::Inspector, planner::Planner, researcher::Researcher, reviewer::Reviewer, writer::Writer};
use crate::Assigned;
use run::team::Member;
use run::{Outcome, Payload, Role, ToolCall, Transcript};

/// A role's craft.
pub trait Craft: Sync {
    /// JSON Schema of its report on this assignment; None if it reports in plain text.
    fn schema(&self, assigned: &Assigned<'_>) -> Option<Arc<Value>>;

    /// The opening message: the handoff in words.
    fn task(&self, assigned: &Assigned<'_>) -> String;

    /// Lookups made before the model is first asked. They save the round in which it would request them, and give a
    /// weak model something to quote.
    fn first(&self, _: &Assigned<'_>) -> Vec<ToolCall> {
        Vec::new()
    }

    /// The heading of the results of these lookups.
    fn found(&self) -> &'static str {
        "A search with the words of your task has found:"
    }

    /// The role whose rules report if the model does not.
    fn by_rule(&self) -> Option<&'static str> {
        None
    }

    /// The report that a plain text stands for, if it is one.
    fn of_prose(&self, _: &str) -> Option<Value> {
        None
    }

    /// The instruction to the model on a message of the person.
    fn heeding(&self) -> &'static str {
        "Act on it, and let your report say what came of it."
    }

    /// Reads the model's report.
    ///
    /// # Errors
    /// The report does not meet the assignment.
    fn read(&self, report: &Report, assigned: &Assigned<'_>, transcript: &Transcript) -> Result<Made, Unfit>;
}

/// A defect of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The fault, for the person and the model.
    pub what: String,
    /// The way to mend it, for the model only; may be empty.
    pub mend: String,
}

impl Unfit {
    pub fn new(what: impl Into<String>, mend: &str) -> Unfit {
        Unfit { what: what.into(), mend: mend.into() }
    }
}

impl<T: Into<String>> From<T> for Unfit {
    fn from(what: T) -> Unfit {
        Unfit::new(what, "")
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.mend.is_empty() { Ok(()) } else { write!(f, ": {}", self.mend) }
    }
}

/// A report as the model sent it.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// JSON, not yet checked against the schema.
    Json(Value),
    /// A text that should be JSON and cannot be read, with the parser's message.
    Broken(String),
    /// Plain text.
    Text(String),
}

impl Report {
    /// The report of a role that reports in JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn json(&self) -> Result<&Value, Unfit> {
        match self {
            Report::Json(value) => Ok(value),
            Report::Broken(why) => Err(Unfit::new(format!("it is not JSON ({why})"), "send it whole, as valid JSON")),
            Report::Text(_) => Err("it has to be JSON".into()),
        }
    }
}

/// A report that was read.
#[derive(Clone, Debug)]
pub struct Made {
    pub outcome: Outcome,
    pub title: String,
    pub payload: Payload,
    /// The passages to read first, so that the statements of the report can be checked.
    pub unread: Vec<ToolCall>,
    /// Its flaws: the model is told as long as it can be asked again, then the report stands as it is.
    pub lacks: Option<Unfit>,
}

/// The craft of a role. A role outside the default team is a researcher if it has tools; otherwise it reports in plain
/// text.
pub fn of(role: &Role, member: &Member) -> &'static dyn Craft {
    match role.as_str() {
        Role::PLANNER => &Planner,
        Role::RESEARCHER => &Researcher,
        Role::INSPECTOR => &Inspector,
        Role::WRITER => &Writer,
        Role::AGENT => &Agent,
        Role::REVIEWER => &Reviewer,
        Role::JUDGE => &Judge,
        _ if member.researches(role) => &Researcher,
        _ => &Plain,
    }
}

/// Any other role: it gets its payload as JSON and reports in plain text.
struct Plain;

impl Craft for Plain {
    fn schema(&self, _: &Assigned<'_>) -> Option<Arc<Value>> {
        None
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let payload = serde_json::to_string_pretty(&assigned.handoff.payload).unwrap_or_default();
        format!("{}\n\n{}", assigned.handoff.title, super::fence::fenced(super::fence::Element::Payload, "", &payload))
    }

    fn read(&self, report: &Report, _: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let text = match report {
            Report::Text(text) if !text.trim().is_empty() => text.trim().to_string(),
            Report::Json(value) => value.to_string(),
            Report::Broken(_) | Report::Text(_) => return Err("the report is empty".into()),
        };
        let title = text.lines().next().unwrap_or("").chars().take(60).collect();
        let payload = Payload::note(text);
        Ok(Made { outcome: Outcome::Done, title, payload, unread: Vec::new(), lacks: None })
    }
}

/// The first text of a report that only repeats its description in the schema, as weak models do.
pub fn copied(report: &Value, schema: &Value) -> Option<String> {
    match report {
        Value::String(text) => {
            let description = schema["description"].as_str()?;
            let bare = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
            (bare(text) == bare(description)).then(|| text.clone())
        }
        Value::Array(items) => items.iter().find_map(|item| copied(item, &schema["items"])),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| copied(field, &schema["properties"][name])),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A text of a report, trimmed, cleaned and on one line; None if it is empty or not a text.
pub fn line_of(value: &Value) -> Option<text::Clean> {
    let line = text::Clean::line(value.as_str()?);
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_that_repeats_its_instructions_is_noticed_wherever_it_does() {
        let text = |description: &str| json!({ "type": "string", "description": description });
        let task = json!({ "type": "object", "properties": { "title": text("a heading") } });
        let schema = json!({ "properties": { "why": text("why so"), "tasks": { "type": "array", "items": task } } });
        let report =
            |why: &str, title: &str| json!({ "why": why, "tasks": [{ "title": "Qdrant" }, { "title": title }] });
        assert_eq!(copied(&report("it is one thing", "pgvector"), &schema), None);
        assert_eq!(copied(&report("a heading", "why so"), &schema), None, "only its own instruction counts");
        assert_eq!(copied(&report("Why so.", "pgvector"), &schema).as_deref(), Some("Why so."));
        assert_eq!(copied(&report("it is one thing", " A heading"), &schema).as_deref(), Some(" A heading"));
    }

    #[test]
    fn a_message_asks_for_what_the_report_of_the_role_has_a_place_for() {
        let team = team::embedded();
        let member = &team.members[&Role::new(Role::WRITER)];
        for (role, asks, not) in [
            (Role::RESEARCHER, "`gaps`", "draft"),
            (Role::INSPECTOR, "`gaps`", "draft"),
            (Role::WRITER, "Do not mention this message", "report"),
            (Role::AGENT, "Do not mention this message", "report"),
            (Role::REVIEWER, "judge every sentence", "report"),
            (Role::PLANNER, "plan whole", "report"),
            ("proofreader", "report", "draft"),
        ] {
            let heeding = of(&Role::new(role), member).heeding();
            assert!(heeding.contains(asks) && !heeding.contains(not), "{role}: {heeding}");
        }
    }
}
