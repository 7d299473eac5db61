//! The text forms of models' answers: thoughts before the answer, JSON with small faults, and calls of tools.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::craft::line_of;
use text::Clean;

/// The most places of a text at which JSON is looked for.
const MOST_STARTS: usize = 20;
/// The tags around thoughts.
const THOUGHTS: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// A text without the thoughts before it: servers that do not part them send them along.
pub fn without_thoughts(text: &str) -> &str {
    let mut rest = text.trim_start();
    for name in THOUGHTS {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(thought) = rest.strip_prefix(&*open) {
            // Thoughts that were cut have no answer behind them.
            rest = thought.split_once(&*close).map_or("", |(_, answer)| answer.trim_start());
        }
        // Some templates open the thoughts themselves; the tag that closes them has a line of its own.
        let closed = rest.split_once(&format!("\n{close}\n")).filter(|(thought, _)| !thought.contains(&*open));
        if let Some((_, answer)) = closed.filter(|_| !rest.starts_with(['{', '[', '#', '`'])) {
            rest = answer.trim_start();
        }
    }
    rest
}

/// The report of this schema in a text: of several objects the last that has most of its fields.
///
/// # Errors
/// There is none; with the parser's words if there is JSON that cannot be read.
pub fn report_in(text: &str, schema: &Value) -> Result<Value, Option<String>> {
    let (found, fault) = objects(text);
    let fields = |value: &Value| {
        let names = schema["properties"].as_object().into_iter().flat_map(|names| names.keys());
        names.filter(|name| value.get(name.as_str()).is_some()).count()
    };
    // An object within one that cannot be read is not the report.
    let may_be = |value: &Value| fault.is_none() || fields(value) > 0;
    let shaped = found.into_iter().filter(may_be).map(|value| shaped(value, schema));
    shaped.max_by_key(&fields).ok_or(fault)
}

/// The report of this schema that a text begins with at its first brace, if it is whole.
///
/// # Errors
/// The parser's words.
pub fn whole_report(text: &str, schema: &Value) -> Result<Value, String> {
    let at = text.find('{').ok_or("there is no object")?;
    parsed(&text[at..]).map(|(value, _)| shaped(value, schema))
}

/// The calls of tools in a text: objects with a name and arguments.
pub fn calls_in(text: &str) -> Vec<(Clean, Value)> {
    objects(text).0.iter().filter_map(call_of).collect()
}

/// The tool and the arguments that an object calls it with, if it is a call.
fn call_of(object: &Value) -> Option<(Clean, Value)> {
    let object = ["tool_call", "function_call"].iter().find_map(|key| object.get(key)).unwrap_or(object);
    let name = ["name", "tool", "function"].iter().find_map(|key| line_of(&object[*key]))?;
    let arguments = ["arguments", "parameters", "input"].iter().find_map(|key| object.get(key));
    let is_call = arguments.is_some() || object.as_object().is_some_and(|fields| fields.len() == 1);
    let arguments = match arguments {
        Some(Value::String(text)) => parsed(text).map_or(Value::Null, |(value, _)| value),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    is_call.then_some((name, arguments))
}

/// The JSON objects and lists of objects in a text, none within another, in order; and the parser's words on the first that cannot be
/// read.
fn objects(text: &str) -> (Vec<Value>, Option<String>) {
    let (mut found, mut fault) = (Vec::new(), None);
    let mut at = 0;
    for _ in 0..MOST_STARTS {
        let Some(start) = text[at..].find(['{', '[']).map(|n| at + n) else { break };
        at = start + 1;
        match parsed(&text[start..]) {
            Ok((value, len)) if is_of_objects(&value) => {
                found.push(value);
                at = start + len;
            }
            Ok(_) => {}
            Err(why) if is_json_like(&text[start..]) => fault = fault.or(Some(why)),
            Err(_) => {}
        }
    }
    (found, fault)
}

fn is_of_objects(value: &Value) -> bool {
    let is_list = |list: &Vec<Value>| !list.is_empty() && list.iter().all(Value::is_object);
    value.is_object() || value.as_array().is_some_and(is_list)
}

/// Whether a text begins as an object with a field does.
fn is_json_like(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|inner| inner.trim_start().starts_with('"'))
}

/// The value that a text begins with, and its length. A comma before a closing bracket is passed over.
fn parsed(text: &str) -> Result<(Value, usize), String> {
    let (first, len) = first_value(text);
    let why = match first {
        Ok(value) => return Ok((value, len)),
        Err(why) => why,
    };
    match without_last_commas(text) {
        Cow::Owned(mended) => match first_value(&mended) {
            // A comma became a blank: places are the same.
            (Ok(value), len) => Ok((value, len)),
            (Err(_), _) => Err(why),
        },
        Cow::Borrowed(_) => Err(why),
    }
}

fn first_value(text: &str) -> (Result<Value, String>, usize) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = values.next().unwrap_or(Ok(Value::Null));
    (first.map_err(|error| error.to_string()), values.byte_offset())
}

/// The text with a blank for each comma before a closing bracket, strings left alone.
fn without_last_commas(text: &str) -> Cow<'_, str> {
    let mut mended: Cow<'_, str> = text.into();
    let (mut in_string, mut is_escaped, mut comma) = (false, false, None);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => (in_string, comma) = (!in_string, None),
            _ if in_string || c.is_whitespace() => {}
            ',' => comma = Some(at),
            ']' | '}' => {
                if let Some(comma) = comma.take() {
                    mended.to_mut().replace_range(comma..comma + 1, " ");
                }
            }
            _ => comma = None,
        }
    }
    mended
}

/// A report in the form of its schema: a list that is written as a string is read, and one item without its list gets it.
pub fn shaped(value: Value, schema: &Value) -> Value {
    let Some(properties) = schema["properties"].as_object() else { return value };
    let lists = || properties.iter().filter(|(_, of)| of["type"] == "array");
    let like = |item: &Value, of: &Value| {
        let names = of["items"]["properties"].as_object().into_iter().flat_map(|names| names.keys());
        names.filter(|name| item.get(name.as_str()).is_some()).count()
    };
    let list_of = |item: &Value| {
        let best = lists().map(|(name, of)| (like(item, of), name)).filter(|(n, _)| *n > 0);
        best.max_by_key(|(n, _)| *n).map(|(_, name)| name.clone())
    };
    match value {
        Value::Array(items) => match items.first().and_then(list_of) {
            Some(name) => json!({ name: items }),
            None => Value::Array(items),
        },
        Value::Object(mut fields) => {
            for (name, _) in lists() {
                let Some(field) = fields.get_mut(name) else { continue };
                let written = field.as_str().and_then(|text| Some(parsed(text.trim()).ok()?.0));
                let written = written.filter(|value| value.is_array() || value.is_object());
                match written.unwrap_or_else(|| field.take()) {
                    item @ Value::Object(_) => *field = vec![item].into(),
                    list => *field = list,
                }
            }
            let value = Value::Object(fields);
            let is_report = properties.keys().any(|name| value.get(name).is_some());
            match list_of(&value).filter(|_| !is_report) {
                Some(name) => json!({ name: [value] }),
                None => value,
            }
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        let finding = json!({ "properties": { "claim": {}, "quote": {} } });
        json!({ "properties": { "findings": { "type": "array", "items": finding }, "gaps": { "type": "string" } } })
    }

    #[test]
    fn a_report_is_found_where_models_put_it() {
        let schema = json!({ "properties": { "a": {} } });
        for text in ["{\"a\":1}", "Here it is:\n```json\n{\"a\": 1}\n```\nDone.", "set {x} then {\"a\":1} ok"] {
            assert_eq!(report_in(text, &schema), Ok(json!({ "a": 1 })), "{text}");
        }
        for text in ["", "no report", "{\"a\": 1", "{x}", "see [1]"] {
            assert!(report_in(text, &schema).is_err(), "{text}");
        }
    }

    #[test]
    fn a_report_with_small_faults_is_read_as_it_was_meant() {
        let row = json!({ "claim": "a, ]", "quote": "b" });
        let wanted = json!({ "findings": [row] });
        for text in [
            "{\"findings\": [{\"claim\": \"a, ]\", \"quote\": \"b\",},\n],}",
            "```json\n{\"findings\": [{\"claim\": \"a, ]\", \"quote\": \"b\"}, ]}\n```\nThese are all.",
            "{\"findings\": \"[{\\\"claim\\\": \\\"a, ]\\\", \\\"quote\\\": \\\"b\\\"}]\"}",
            "{\"findings\": {\"claim\": \"a, ]\", \"quote\": \"b\"}}",
            "One: {\"claim\": \"a, ]\", \"quote\": \"b\"}",
            "[{\"claim\": \"a, ]\", \"quote\": \"b\"}]",
            "I first thought {\"x\": 1}. {\"findings\": [{\"claim\": \"a, ]\", \"quote\": \"b\"}]}",
            "{\"findings\": []} is too little. {\"findings\": [{\"claim\": \"a, ]\", \"quote\": \"b\"}]}",
        ] {
            assert_eq!(report_in(text, &schema()), Ok(wanted.clone()), "{text}");
        }
        let text = "{\"findings\": [], \"gaps\": \"[none]\"}";
        assert_eq!(report_in(text, &schema()), Ok(json!({ "findings": [], "gaps": "[none]" })), "a text stays a text");
    }

    #[test]
    fn of_a_report_that_cannot_be_read_the_parser_says_why_and_no_part_is_taken_for_it() {
        for (text, says) in [
            ("{\"findings\": [{\"claim\": \"a\", \"quote\": \"b\"}, {\"claim\": \"c", "EOF"),
            ("{\"findings\": [{\"claim\": \"a\" \"quote\": \"b\"}]}", "expected `,`"),
        ] {
            let why = report_in(text, &schema()).unwrap_err().unwrap();
            assert!(why.contains(says), "{why}");
            assert!(whole_report(text, &schema()).unwrap_err().contains(says));
        }
        assert_eq!(report_in("Nothing found.", &schema()), Err(None));
        let later = "{\"findings\": [...]} is the form.\n{\"findings\": [], \"gaps\": \"x\"}";
        assert_eq!(report_in(later, &schema()), Ok(json!({ "findings": [], "gaps": "x" })));
    }

    #[test]
    fn thoughts_before_an_answer_are_no_part_of_it() {
        for (text, answer) in [
            ("<think>I should {\"cite\": 1}.</think>\n\n# Title", "# Title"),
            ("\n<thinking>\na\n</thinking> b <think>", "b <think>"),
            ("First I look.\n</think>\n# Title", "# Title"),
            ("<think>and on", ""),
            ("# On `<think>`\n\nIt ends\n</think>\nso.", "# On `<think>`\n\nIt ends\n</think>\nso."),
            ("A tag <think> within </think> it", "A tag <think> within </think> it"),
        ] {
            assert_eq!(without_thoughts(text), answer, "{text}");
        }
    }

    #[test]
    fn a_call_that_is_written_as_text_is_a_call() {
        for text in [
            "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"a\"}}\n</tool_call>",
            "I search: {\"tool\": \"search\", \"input\": {\"query\": \"a\"}}",
            "{\"name\": \"search\", \"arguments\": \"{\\\"query\\\": \\\"a\\\"}\"}",
        ] {
            assert_eq!(calls_in(text), [("search".into(), json!({ "query": "a" }))], "{text}");
        }
        for text in [
            "{\"findings\": [{\"name\": \"search\", \"arguments\": {}}]}",
            "{\"name\": \"Ada\", \"born\": 1815}",
            "search(a)",
        ] {
            assert!(calls_in(text).is_empty(), "{text}");
        }
    }
}
