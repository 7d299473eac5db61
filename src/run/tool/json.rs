//! JSON from outside whose text is clean.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use text::Clean;

/// A JSON value in which every text, and every key, is clean: arguments of a tool, a schema, the result of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CleanJson(Arc<Value>);

impl CleanJson {
    /// Cleans the texts and keys of this value.
    pub fn new(value: Value) -> CleanJson {
        CleanJson(Arc::new(cleaned(value)))
    }

    /// This object with a text in one field.
    #[must_use]
    pub fn with(mut self, field: &str, text: &str) -> CleanJson {
        if let Value::Object(fields) = Arc::make_mut(&mut self.0) {
            fields.insert(Clean::line(field).to_string(), Clean::new(text).to_string().into());
        }
        self
    }

    /// The value.
    pub fn get(&self) -> &Value {
        &self.0
    }

    /// The value, shared with this one.
    pub fn share(&self) -> Arc<Value> {
        self.0.clone()
    }
}

impl<'de> Deserialize<'de> for CleanJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CleanJson, D::Error> {
        Value::deserialize(from).map(CleanJson::new)
    }
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(Clean::new(&text).to_string()),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (Clean::line(&key).to_string(), cleaned(value)));
            Value::Object(fields.collect())
        }
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
    }
}
