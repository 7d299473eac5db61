//! Removes the secrets of an entry (its environment and headers) from everything that its server says.

use http_client::secret::Secret;
use serde_json::Value;

/// A shorter value is no key, and could be found anywhere.
const SHORTEST: usize = 8;

/// Values of an entry, to be removed from messages.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Values of variables. They need not be keys, so that only the whole of one is removed.
    values: Vec<String>,
    /// Keys that are sent to the server, removed in each spelling.
    secrets: Vec<Secret>,
}

impl Hidden {
    /// Adds the value of a variable. A path is no secret, and messages are of no use without it.
    pub(super) fn add(&mut self, value: &str) {
        if !value.starts_with('/') {
            self.add_whole(value);
        }
    }

    /// Adds a header, or a variable that is called after a key.
    pub(super) fn add_secret(&mut self, value: &str) {
        match Secret::header(value).filter(|_| value.len() >= SHORTEST) {
            Some(secret) if !self.secrets.contains(&secret) => self.secrets.push(secret),
            Some(_) => {}
            // No header could hold it, and nothing can be said of how it is spelled.
            None => self.add_whole(value),
        }
    }

    fn add_whole(&mut self, value: &str) {
        if value.len() >= SHORTEST && !self.values.iter().any(|known| known == value) {
            self.values.push(value.to_owned());
        }
    }

    /// A text without these values.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
        let text = self.secrets_taken_out_of(text);
        self.values.iter().fold(text, |text, value| text.replace(value.as_str(), "***"))
    }

    /// The description of a tool without these values. What a model has to send back as it stands (names, and the values of
    /// `enum` and `const`) loses keys alone: the value of another variable may well be one of the choices.
    pub(super) fn taken_out_of_tool(&self, tool: Value) -> Value {
        if self.values.is_empty() && self.secrets.is_empty() { tool } else { self.taken_out_of_json(tool, false) }
    }

    fn taken_out_of_json(&self, json: Value, is_sent_back: bool) -> Value {
        let within = |json, is_sent_back| self.taken_out_of_json(json, is_sent_back);
        match json {
            Value::String(text) if is_sent_back => Value::String(self.secrets_taken_out_of(&text)),
            Value::String(text) => Value::String(self.taken_out_of(&text)),
            Value::Array(items) => items.into_iter().map(|item| within(item, is_sent_back)).collect(),
            Value::Object(fields) => {
                let without = |(name, value): (String, Value)| {
                    let is_sent_back = is_sent_back || matches!(name.as_str(), "name" | "enum" | "const" | "required");
                    (self.secrets_taken_out_of(&name), within(value, is_sent_back))
                };
                Value::Object(fields.into_iter().map(without).collect())
            }
            other => other,
        }
    }

    fn secrets_taken_out_of(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.redact(&text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_is_taken_out_however_it_is_spelled_and_a_variable_as_a_whole() {
        let mut hidden = Hidden::default();
        hidden.add_secret("sk-canary+0123/456789=");
        hidden.add("postgres://localhost/db");
        hidden.add("/home/ada/documents");
        hidden.add("short");
        for text in [
            "sk-canary+0123/456789=",
            "Basic dXNlcjpzay1jYW5hcnkrMDEyMy80NTY3ODk9",
            "sk-canary+0123/45…",
            "sk-canary%2B0123%2F456789%3D",
        ] {
            let text = hidden.taken_out_of(text);
            assert!(!["canary", "456789", "5hcnkr"].iter().any(|part| text.contains(part)), "{text}");
        }
        assert_eq!(hidden.taken_out_of("at postgres://localhost/db"), "at ***");
        let rest = "postgres://localhost/other, short, /home/ada/documents";
        assert_eq!(hidden.taken_out_of(rest), rest);
    }

    #[test]
    fn a_tool_is_described_without_keys_and_keeps_what_is_sent_back() {
        let mut hidden = Hidden::default();
        hidden.add_secret("tok-canary-5Ht8Wq3Z");
        hidden.add("production");
        let tool = json!({
            "name": "look_up",
            "title": "with tok-canary-5Ht8Wq3Z",
            "description": "Looks up a cache of production at https://a.example/?k=tok-canary-5Ht8Wq3Z",
            "inputSchema": { "properties": {
                "stage": { "enum": ["production", "tok-canary-5Ht8Wq3Z"], "default": "production" },
                "tok-canary-5Ht8Wq3Z": { "description": "of production", "maximum": 7 },
            } },
        });
        let without = json!({
            "name": "look_up",
            "title": "with ***",
            "description": "Looks up a cache of *** at https://a.example/?k=***",
            "inputSchema": { "properties": {
                "stage": { "enum": ["production", "***"], "default": "***" },
                "***": { "description": "of ***", "maximum": 7 },
            } },
        });
        assert_eq!(hidden.taken_out_of_tool(tool.clone()), without);
        assert_eq!(Hidden::default().taken_out_of_tool(tool.clone()), tool);
    }

    #[test]
    fn a_key_that_begins_like_a_path_is_taken_out_and_a_path_is_not() {
        let mut hidden = Hidden::default();
        hidden.add_secret("/b64canary+x==");
        hidden.add_secret("/schlüssel-canary");
        hidden.add_secret("/short");
        hidden.add("/home/ada/documents");
        let said = hidden.taken_out_of("401 for /b64canary+x==, /schlüssel-canary, /short in /home/ada/documents");
        assert_eq!(said, "401 for ***, ***, /short in /home/ada/documents");
    }
}
