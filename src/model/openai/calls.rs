//! Calls of tools as they come: whole, in pieces, with and without an index.

use serde_json::{Map, Value, json};

use crate::reading::{Asked, arguments};
use run::model::{Arguments, Content};
use text::Clean;

/// Calls that are being read.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What nobody knows and the provider wants back.
    beside: Map<String, Value>,
}

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a piece. Names are set again, arguments go on.
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
            // Some servers send an object.
            whole => call.arguments = whole.to_string(),
        }
        for (key, value) in piece.as_object().into_iter().flatten() {
            if !matches!(key.as_str(), "index" | "id" | "type" | "function") && !value.is_null() {
                call.beside.insert(key.clone(), value.clone());
            }
        }
    }

    /// Which call a piece belongs to; None for a new one. Some servers give every whole call the same index, or none.
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

    /// Bytes of all of them.
    pub fn written(&self) -> usize {
        self.0.iter().map(|call| call.name.len() + call.arguments.len()).sum()
    }

    /// The calls for reading, and as they are sent back.
    pub fn finish(self, asked: &Asked<'_>) -> (Vec<Content>, Vec<Value>) {
        let (mut content, mut raw) = (Vec::new(), Vec::new());
        let mut ids: Vec<String> = Vec::new();
        for (n, call) in self.0.into_iter().enumerate() {
            let named = !call.id.is_empty() && !ids.contains(&call.id);
            let id = if named { call.id } else { format!("call_{}_{n}", asked.turn) };
            let name = Clean::line(&call.name);
            let arguments = arguments(&call.arguments, &name, asked.request);
            let mut whole = call.beside;
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
