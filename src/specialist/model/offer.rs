//! The tools as a model sees them, and what its calls ask of ours.

use serde_json::{Value, json};

use super::located;
use run::model::{Arguments, Offer};
use run::transcript::Turn;
use run::{SourceId, ToolRequest};
use text::Clean;

/// Passages that one search brings a model.
pub const HITS: u32 = 8;
/// Blocks that one read brings a model when it does not say how many.
const BLOCKS: u32 = 12;

/// The tool with which a model reports.
pub const REPORT: &str = "report";

/// The offer of a tool of ours; None if there is no such tool.
pub fn of_tool(name: &str) -> Option<Offer> {
    let (description, schema) = match name {
        "search" => (
            "Find passages by the words they hold (ranked; word forms and order do not matter). Use two to six \
             distinctive words. Each result names a source and a block; the text shown is the beginning of the passage.",
            object(json!({ "query": { "type": "string", "description": "two to six distinctive words" } })),
        ),
        "read" => (
            "Read consecutive blocks of a source as they stand. Quotes have to come from blocks that were read.",
            object(json!({
                "source": { "type": "string", "description": "the id of the source, as a search result names it" },
                "from": { "type": "integer", "description": "number of the first block" },
                "to": { "type": "integer", "description": "number of the block after the last; at most 40 more than `from`" },
            })),
        ),
        "outline" => (
            "List the headings of a source with their block numbers.",
            object(json!({ "source": { "type": "string", "description": "the id of the source" } })),
        ),
        "files" => ("List the files there are, with how long they are.", object(json!({}))),
        "profile" => (
            "Count what is unusual in a whole file (table, JSON lines, log): errors and what stands before them, gaps in time, \
             broken rows, values that do not fit. Each result comes with a line of the file.",
            object(json!({ "source": { "type": "string", "description": "the id or the path of the file" } })),
        ),
        _ => return None,
    };
    Some(Offer { name: name.into(), description: description.into(), schema })
}

/// The offer with which a model reports in this schema.
pub fn report(schema: &Value) -> Offer {
    Offer {
        name: REPORT.into(),
        description: "Hand in your report. This ends your work; call it once, when you are done.".into(),
        schema: schema.clone(),
    }
}

/// A schema of an object whose properties are all required, which every provider's strict mode takes.
pub fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|object| object.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What a call of a model asks of a tool, after these turns. The error is for the model: what is wrong with the call.
pub fn request(name: &str, arguments: &Arguments, tools: &[Clean], before: &[Turn]) -> Result<ToolRequest, String> {
    if !tools.iter().any(|tool| **tool == *name) {
        let names: Vec<&str> = tools.iter().map(|tool| &**tool).collect();
        return Err(format!("there is no tool `{name}`; the tools are: {}", names.join(", ")));
    }
    let arguments = match arguments {
        Arguments::Whole(value) => value,
        Arguments::Broken(_) => return Err("the arguments are not whole JSON; nothing was done; call it again".into()),
    };
    let text = |key: &str| match &arguments[key] {
        Value::String(text) if !text.trim().is_empty() => Ok(text.trim()),
        _ => Err(format!("`{key}` is missing: it has to be a text")),
    };
    // Weak models write numbers as text.
    let number = |key: &str| match &arguments[key] {
        Value::Number(n) => n.as_u64().and_then(|n| u32::try_from(n).ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match name {
        "search" => Ok(ToolRequest::Search { query: Clean::line(text("query")?), limit: HITS }),
        "read" => {
            let source = source(text("source")?, before)?;
            let from = number("from").unwrap_or(0);
            let to = number("to").filter(|to| *to > from).unwrap_or(from.saturating_add(BLOCKS));
            Ok(ToolRequest::Read { source, from, to: to.min(from.saturating_add(40)) })
        }
        "outline" => Ok(ToolRequest::Outline { source: source(text("source")?, before)? }),
        "files" => Ok(ToolRequest::Files),
        "profile" => Ok(ToolRequest::Profile { source: source(text("source")?, before)? }),
        other => Err(format!("there is no tool `{other}`")),
    }
}

/// The source a model means: by its id, or by its path as a search result showed it.
fn source(named: &str, before: &[Turn]) -> Result<SourceId, String> {
    let known = located::hits(before).map(|hit| &hit.source).chain(located::listed(before));
    known
        .into_iter()
        .find(|source| located::is_called(source, named))
        .map(|source| source.id.clone())
        .ok_or_else(|| format!("no search result has a source `{named}`; take the id from a result"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_cannot_be_done_is_told_to_the_model_and_not_mended() {
        let tools: [Clean; 2] = ["search".into(), "read".into()];
        let ask = |name: &str, value: Value| request(name, &Arguments::Whole(value), &tools, &[]);
        assert_eq!(
            ask("search", json!({ "query": " ef  search " })),
            Ok(ToolRequest::Search { query: "ef search".into(), limit: HITS })
        );
        assert!(ask("search", json!({})).unwrap_err().contains("query"));
        assert!(ask("shell", json!({ "cmd": "ls" })).unwrap_err().contains("search, read"));
        assert!(ask("read", json!({ "source": "nowhere" })).unwrap_err().contains("nowhere"));
        let broken = Arguments::Broken("{\"query\": \"ef".into());
        assert!(request("search", &broken, &tools, &[]).is_err());
    }
}
