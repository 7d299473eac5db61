//! The list of a server's tools: parsed within limits, and its digest.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use text::Clean;
use text::sha256::{Sha256, hex};

use super::rpc::words;

/// The most tools of a server that are used: providers accept few more in all.
pub const MOST_TOOLS: usize = 100;
/// The most tools that are read from a list.
const MOST_LISTED: usize = 1_000;
/// The most bytes of a schema, and of all schemas of a server.
const MOST_SCHEMA: usize = 32 << 10;
const MOST_SCHEMAS: usize = 256 << 10;
/// The most bytes of a tool's name.
const MOST_NAME: usize = 128;
/// The most bytes of a description shown to a model.
const MOST_DESCRIPTION: usize = 2_000;

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name there.
    pub name: String,
    /// Its purpose, in the words of the server.
    pub description: Clean,
    /// The schema of its arguments: an object.
    pub schema: Value,
    /// Whether it declares itself read-only; None if it does not say.
    pub only_reads: Option<bool>,
    /// The digest of the parts that models and this program read: name, title, description, arguments, annotations.
    pub digest: String,
}

/// The tools of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// By name.
    pub tools: Vec<Tool>,
    /// The tools that were left out, each with the reason, in sentences.
    pub left_out: Vec<Clean>,
}

impl Listing {
    /// Parses a list of tools as a server sent it, page by page.
    pub(super) fn of(listed: &[Value]) -> Listing {
        let mut listing = Listing::default();
        let (mut by_name, mut bytes) = (BTreeMap::new(), 0);
        let mut leave_out = |what: String| {
            if listing.left_out.len() < 10 {
                listing.left_out.push(Clean::line(&what));
            }
        };
        for value in listed.iter().take(MOST_LISTED) {
            let Some(name) = value["name"].as_str().filter(|name| !name.is_empty()) else {
                leave_out("a tool without a name".into());
                continue;
            };
            if name.len() > MOST_NAME {
                let begins: String = name.chars().take(40).collect();
                leave_out(format!("`{}…`: its name is longer than {MOST_NAME} bytes", words(&begins)));
                continue;
            }
            let tool = tool(name, value);
            let size = tool.schema.to_string().len();
            match by_name.contains_key(name) {
                true => leave_out(format!("a second tool `{}`", words(name))),
                false if size > MOST_SCHEMA => {
                    leave_out(format!("`{}`: the schema of its arguments has {} kB", words(name), size >> 10));
                }
                false if by_name.len() >= MOST_TOOLS || bytes + size > MOST_SCHEMAS => {
                    leave_out(format!("`{}`: the server has too many tools", words(name)));
                }
                false => {
                    bytes += size;
                    by_name.insert(name.to_owned(), tool);
                }
            }
        }
        if listed.len() > MOST_LISTED {
            leave_out(format!("all behind the first {MOST_LISTED}"));
        }
        listing.tools = by_name.into_values().collect();
        listing
    }

    /// The digest of all tools.
    pub fn digest(&self) -> String {
        digest(&Value::Array(self.tools.iter().map(|tool| tool.digest.as_str().into()).collect()))
    }
}

impl Tool {
    /// The texts that models read of it, a line each: its description, and those of its arguments, each behind its place in them
    /// (`of.description: …`). They may hold instructions, and the person approves them.
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.description.lines().map(|line| Clean::line(line).to_string()).collect();
        texts_of("", &self.schema, &mut texts);
        texts
    }
}

/// The texts in the schema of arguments.
fn texts_of(place: &str, schema: &Value, texts: &mut Vec<String>) {
    let within = |name: &str| match (place, name) {
        (_, "properties" | "") => place.to_owned(),
        ("", _) => name.to_owned(),
        _ => format!("{place}.{name}"),
    };
    let line = |text: &str| Clean::line(text).to_string();
    match schema {
        Value::Object(fields) if fields.is_empty() && !place.is_empty() => texts.push(line(place)),
        Value::Object(fields) => {
            let is_argument = |name: &Value| name.as_str().is_some_and(|name| schema["properties"].get(name).is_some());
            for (name, value) in fields {
                // Both only repeat the schema.
                let is_usual = match name.as_str() {
                    "type" => place.is_empty(),
                    "required" => value.as_array().is_some_and(|names| names.iter().all(is_argument)),
                    _ => false,
                };
                if !is_usual {
                    texts_of(&within(name), value, texts);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts_of(place, item, texts)),
        Value::String(text) => texts.extend(format!("{place}: {text}").lines().map(line)),
        _ => {}
    }
}

fn tool(name: &str, value: &Value) -> Tool {
    let description = value["description"].as_str().or_else(|| value["title"].as_str()).unwrap_or_default();
    let cut = description.floor_char_boundary(description.len().min(MOST_DESCRIPTION));
    let mut schema = value["inputSchema"].as_object().cloned().unwrap_or_else(Map::new);
    // Providers refuse other types.
    schema.insert("type".into(), "object".into());
    schema.entry("properties").or_insert_with(|| json!({}));
    if !schema["properties"].is_object() {
        schema.insert("properties".into(), json!({}));
    }
    let all: Map<String, Value> = ["name", "title", "description", "inputSchema", "annotations"]
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())))
        .collect();
    Tool {
        name: name.to_owned(),
        description: Clean::new(&description[..cut]),
        schema: Value::Object(schema),
        only_reads: value["annotations"]["readOnlyHint"].as_bool(),
        digest: digest(&Value::Object(all)),
    }
}

/// Objects are hashed in the order of their keys, so that the same list has the same digest.
fn digest(value: &Value) -> String {
    hex(&Sha256::digest(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_taken_by_name_and_what_is_too_much_is_said() {
        let big = json!({ "name": "big", "inputSchema": { "description": "x".repeat(MOST_SCHEMA) } });
        let mut listed = vec![
            json!({ "name": "b", "description": "does \u{1b}[31mb", "annotations": { "readOnlyHint": true } }),
            json!({ "name": "a", "inputSchema": { "properties": 7 }, "annotations": { "readOnlyHint": "yes" } }),
            json!({ "name": "a" }),
            json!({ "name": 7 }),
            json!(7),
            big,
            json!({ "name": "n".repeat(200) }),
        ];
        let listing = Listing::of(&listed);
        let names: Vec<&str> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(listing.left_out.len(), 5, "{:?}", listing.left_out);
        assert!(listing.left_out[4].ends_with("n…`: its name is longer than 128 bytes"), "{:?}", listing.left_out);
        assert_eq!(listing.tools[0].schema, json!({ "type": "object", "properties": {} }));
        assert_eq!((listing.tools[0].only_reads, listing.tools[1].only_reads), (None, Some(true)));
        assert_eq!(listing.tools[1].description.as_str(), "does b");
        listed.extend((0..2_000).map(|n| json!({ "name": format!("t{n}") })));
        let many = Listing::of(&listed);
        assert_eq!((many.tools.len(), many.left_out.len()), (MOST_TOOLS, 10));
    }

    #[test]
    fn whatever_a_server_says_of_its_tools_is_in_the_digest_and_their_order_is_not() {
        let a = json!({ "name": "a", "description": "reads", "annotations": { "readOnlyHint": true } });
        let b = json!({ "name": "b" });
        let usual = Listing::of(&[a.clone(), b.clone()]).digest();
        assert_eq!(usual, Listing::of(&[b.clone(), a.clone()]).digest());
        for other in [
            json!({ "name": "a", "description": "reads, and tells", "annotations": { "readOnlyHint": true } }),
            json!({ "name": "a", "description": "reads", "annotations": { "readOnlyHint": false } }),
            json!({ "name": "a", "description": "reads", "annotations": { "readOnlyHint": true }, "inputSchema": {} }),
        ] {
            assert_ne!(usual, Listing::of(&[other.clone(), b.clone()]).digest(), "{other}");
        }
        assert_ne!(usual, Listing::of(&[a]).digest());
    }
}
