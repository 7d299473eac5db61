//! Tool calls: an enumeration of requests, each with fields of its own, became a name with arguments.

use serde_json::{Map, Value, json};

/// Brings `tools_called` up to date: `{"tool": "read", "source": …}` becomes `{"name": "read", "arguments": {"source": …}}`.
pub(super) fn event(record: &mut Value) {
    if record["event"] != "tools_called" {
        return;
    }
    for called in record["calls"].as_array_mut().into_iter().flatten() {
        if let Some(request) = called.get_mut("request") {
            *request = call(request.take());
        }
    }
}

fn call(request: Value) -> Value {
    let mut arguments: Map<String, Value> = if let Value::Object(fields) = request { fields } else { Map::new() };
    let tool = arguments.remove("tool").unwrap_or_default();
    // A search of the user's own documents alone was a request of its own.
    if tool == "search_here" {
        arguments.insert("here".into(), true.into());
        return json!({ "name": "search", "arguments": arguments });
    }
    json!({ "name": tool, "arguments": arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_keeps_its_arguments_also_of_a_tool_that_is_not_known_any_more() {
        let called =
            |request| json!({ "event": "tools_called", "by": 1, "calls": [{ "call": "a1.1", "request": request }] });
        for (then, now) in [
            (
                json!({ "tool": "read", "source": "abc", "from": 1, "to": 4 }),
                json!({ "name": "read", "arguments": { "source": "abc", "from": 1, "to": 4 } }),
            ),
            (
                json!({ "tool": "search_here", "query": "ef", "limit": 6 }),
                json!({ "name": "search", "arguments": { "query": "ef", "limit": 6, "here": true } }),
            ),
            (json!({ "tool": "files" }), json!({ "name": "files", "arguments": {} })),
            (json!({ "tool": "weigh", "what": [1] }), json!({ "name": "weigh", "arguments": { "what": [1] } })),
        ] {
            let mut record = called(then);
            event(&mut record);
            assert_eq!(record, called(now));
        }
        let mut other = json!({ "event": "paused", "calls": [{ "request": { "tool": "read" } }] });
        event(&mut other);
        assert_eq!(other["calls"][0]["request"], json!({ "tool": "read" }));
    }
}
