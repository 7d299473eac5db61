//! Collects tool calls from an OpenAI answer: whole or in pieces, with or without an index.

use serde_json::{Map, Value, json};

use crate::reader::{Asked, arguments};
use run::model::{Arguments, Content};
use text::Clean;

#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Unknown fields, sent back to the provider as they came.
    other_fields: Map<String, Value>,
}

impl Calls {
    /// Whether the answer calls no tool.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a piece. Names are replaced, arguments are appended.
    pub fn take(&mut self, piece: &Value) {
        let index = piece["index"].as_u64();
        let id = piece["id"].as_str().unwrap_or_default();
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        let at = self.place(index, id, name);
        let call = match at {
            Some(at) => &mut self.0[at],
            None => self.0.push_mut(Call { index, ..Call::default() }),
        };
        if !id.is_empty() {
            call.id = id.to_owned();
        }
        if !name.is_empty() {
            call.name = name.to_owned();
        }
        match &piece["function"]["arguments"] {
            Value::String(more) => call.arguments.push_str(more),
            Value::Null => {}
            // Some servers send an object instead of a string.
            whole => call.arguments = whole.to_string(),
        }
        for (key, value) in piece.as_object().into_iter().flatten() {
            if !matches!(key.as_str(), "index" | "id" | "type" | "function") && !value.is_null() {
                call.other_fields.insert(key.clone(), value.clone());
            }
        }
    }

    /// The call that a piece belongs to; None for a new one. Some servers give all calls the same index, or none.
    fn place(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let another = |call: &Call| !name.is_empty() && !id.is_empty() && !call.id.is_empty() && call.id != id;
        match index {
            Some(index) => {
                let at = self.0.iter().rposition(|call| call.index == Some(index))?;
                (!another(&self.0[at])).then_some(at)
            }
            None if !id.is_empty() => self.0.iter().position(|call| call.id == id),
            None if !name.is_empty() => None,
            None => self.0.len().checked_sub(1),
        }
    }

    /// The arguments of the last call, as far as they have come.
    pub fn last(&self) -> Option<&str> {
        self.0.last().map(|call| call.arguments.as_str())
    }

    /// Bytes of all calls.
    pub fn written(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.arguments.len()).sum()
    }

    /// The calls as content, and as they are sent back.
    pub fn finish(self, asked: &Asked<'_>) -> (Vec<Content>, Vec<Value>) {
        let (mut content, mut raw) = (Vec::new(), Vec::new());
        let mut ids: Vec<String> = Vec::new();
        for (n, call) in self.0.into_iter().enumerate() {
            let named = !call.id.is_empty() && !ids.contains(&call.id);
            let id = if named { call.id } else { format!("call_{}_{n}", asked.turn) };
            let name = Clean::line(&call.name);
            let arguments = arguments(&call.arguments, &name, asked.request);
            let mut whole = call.other_fields;
            whole.insert("id".to_owned(), id.as_str().into());
            whole.insert("type".to_owned(), "function".into());
            let text = if let Arguments::Whole(_) = arguments { or_empty(call.arguments) } else { call.arguments };
            whole.insert("function".to_owned(), json!({"name": call.name, "arguments": text}));
            raw.push(whole.into());
            content.push(Content::Call { id: Clean::line(&id), name, arguments });
            ids.push(id);
        }
        (content, raw)
    }
}

fn or_empty(arguments: String) -> String {
    if arguments.trim().is_empty() { "{}".to_owned() } else { arguments }
}
