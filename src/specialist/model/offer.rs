//! The tools as offered to a model, and the translation of its calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::located;
use run::evidence::SourceRef;
use run::model::{Arguments, Offer};
use run::tool::builtin;
pub use run::tool::object_schema as object;
use run::transcript::Turn;
use run::{SourceId, ToolCall, ToolSpec};

/// The argument of built-in tools that names a document.
const DOCUMENT: &str = "source";

/// The tool that a model reports with.
pub const REPORT: &str = "report";

/// The offer of a tool; None if models may not call it.
pub fn of_tool(spec: &ToolSpec) -> Option<Offer> {
    let schema = spec.schema.as_ref()?.share();
    Some(Offer { name: spec.name.as_str().into(), description: spec.description.clone(), schema })
}

/// The offer of the report tool, with this schema.
pub fn report(schema: Arc<Value>) -> Offer {
    Offer {
        name: REPORT.into(),
        description: "Hand in your report. This ends your work; call it once, when you are done.".into(),
        schema,
    }
}

/// Translates a model's call of one of these tools, given the turns so far. The error is for the model, which may also have the tool
/// that `reports`.
pub fn call<'a>(
    name: &str,
    arguments: &Arguments,
    tools: impl Iterator<Item = &'a ToolSpec>,
    reports: bool,
    before: &[Arc<Turn>],
) -> Result<ToolCall, String> {
    let tools: Vec<&ToolSpec> = tools.filter(|spec| spec.schema.is_some()).collect();
    let Some(spec) = tools.iter().find(|spec| spec.name == *name) else {
        let names: Vec<&str> = tools.iter().map(|spec| &*spec.name).collect();
        return Err(match names.as_slice() {
            [] => {
                format!("there is no tool `{name}`, and none that searches or reads: answer with what you were given")
            }
            names => {
                let names = names.iter().copied().chain(reports.then_some(REPORT)).collect::<Vec<_>>().join(", ");
                format!("there is no tool `{name}`; the tools are: {names}")
            }
        });
    };
    let arguments = match arguments {
        Arguments::Whole(value) => value,
        Arguments::Broken(_) => return Err("the arguments are not whole JSON; nothing was done; call it again".into()),
    };
    let mut fitting = spec.fit(arguments)?;
    let is_builtin = builtin::spec(name).is_some();
    if let Some(wrong) = mistyped(spec, arguments).filter(|_| !is_builtin) {
        return Err(wrong);
    }
    if is_builtin && let Some(named) = fitting.get()[DOCUMENT].as_str() {
        let id = source(named, before)?;
        fitting = fitting.with(DOCUMENT, &id.0);
    }
    builtin::call_of_model(spec, fitting).map_err(|error| error.to_string())
}

/// The fault of an argument that is not of the type that its schema names, and cannot be read as one. The tools of the program fill
/// it in; others are not asked.
fn mistyped(spec: &ToolSpec, arguments: &Value) -> Option<String> {
    let properties = spec.schema.as_ref()?.get()["properties"].as_object()?;
    properties.iter().find_map(|(name, property)| {
        let given = arguments.get(name).filter(|given| !given.is_null())?;
        let text = given.as_str().map(str::trim);
        let (fits, what) = match property["type"].as_str()? {
            "integer" => (
                given.is_i64() || given.is_u64() || text.is_some_and(|text| text.parse::<i64>().is_ok()),
                "a whole number",
            ),
            "number" => (given.is_number() || text.is_some_and(|text| text.parse::<f64>().is_ok()), "a number"),
            "boolean" => (given.is_boolean(), "true or false"),
            "array" => (given.is_array(), "a list"),
            "object" => (given.is_object(), "an object"),
            _ => return None,
        };
        (!fits).then(|| format!("`{name}` has to be {what}"))
    })
}

/// The most sources that a model is told where it names none of them.
const MOST_TOLD: usize = 8;

/// The source that a model means: by its id, or by its path in a search result, or by a part of its path that occurs in no other.
fn source(named: &str, before: &[Arc<Turn>]) -> Result<SourceId, String> {
    let named = named.trim();
    let known = located::hits(before).map(|hit| &hit.source).chain(located::listed(before));
    let known: BTreeMap<&SourceId, &SourceRef> = known.map(|source| (&source.id, source)).collect();
    let is_whole = |source: &&SourceRef| {
        let rest = source.path.strip_suffix(named);
        !named.is_empty() && (*source.id.0 == *named || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    };
    let called: Vec<&SourceRef> = known.values().copied().filter(|source| located::is_called(source, named)).collect();
    let whole: Vec<&SourceRef> = called.iter().copied().filter(is_whole).collect();
    let told = |sources: &[&SourceRef]| {
        let told = sources.iter().take(MOST_TOLD).map(|source| format!("{} ({})", source.id.0, source.path));
        let more = if sources.len() > MOST_TOLD { ", …" } else { "" };
        told.collect::<Vec<_>>().join(", ") + more
    };
    match (whole.as_slice(), called.as_slice()) {
        ([source], _) | ([], [source]) => Ok(source.id.clone()),
        ([], []) if known.is_empty() => Err(format!("no search result has a source `{named}`; search first")),
        ([], []) => {
            let all: Vec<&SourceRef> = known.values().copied().collect();
            Err(format!("no search result has a source `{named}`; there are: {}", told(&all)))
        }
        ([], several) | (several, _) => {
            Err(format!("several sources are called `{named}`: {}; name one by its id", told(several)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_that_cannot_be_done_is_told_to_the_model_and_not_mended() {
        let tools = || ["search", "read"].into_iter().filter_map(builtin::spec);
        let ask = |name: &str, value: Value| call(name, &Arguments::Whole(value), tools(), true, &[]);
        assert_eq!(ask("search", json!({ "query": " ef  search " })), Ok(builtin::Search::new("ef search", 8).into()));
        assert!(ask("search", json!({})).unwrap_err().contains("query"));
        assert!(ask("shell", json!({ "cmd": "ls" })).unwrap_err().ends_with("the tools are: search, read, report"));
        let other = call("shell", &Arguments::Whole(json!({})), tools(), false, &[]).unwrap_err();
        assert!(other.ends_with("the tools are: search, read"), "{other}");
        let none = call("shell", &Arguments::Whole(json!({})), [].into_iter(), true, &[]).unwrap_err();
        assert!(none.ends_with("answer with what you were given"), "{none}");
        assert!(ask("read", json!({ "source": "nowhere" })).unwrap_err().contains("nowhere"));
        let broken = Arguments::Broken("{\"query\": \"ef".into());
        assert!(call("search", &broken, tools(), true, &[]).is_err());
    }

    #[test]
    fn a_tool_of_a_source_is_offered_and_called_as_its_spec_says() {
        let spec: ToolSpec = serde_json::from_value(json!({
            "name": "now_in", "description": "What time it is in a city.",
            "schema": object(json!({ "source": { "type": "string" }, "hours": { "type": "integer" } })),
        }))
        .unwrap();
        assert_eq!(of_tool(&spec).unwrap().description.as_str(), "What time it is in a city.");
        let arguments = Arguments::Whole(json!({ "source": "Berlin", "hours": "24", "more": true }));
        let made = call("now_in", &arguments, [&spec].into_iter(), true, &[]).unwrap();
        assert_eq!(made.arguments.get(), &json!({ "source": "Berlin", "hours": 24, "more": true }));
        for (wrong, what) in
            [(json!("x"), "`hours` has to be a whole number"), (json!([]), "`hours` has to be a whole number")]
        {
            let arguments = Arguments::Whole(json!({ "source": "Berlin", "hours": wrong }));
            assert_eq!(call("now_in", &arguments, [&spec].into_iter(), true, &[]), Err(what.into()));
        }
        assert!(of_tool(builtin::spec("run").unwrap()).is_none(), "a tool without a schema is for rules alone");
    }
}
