//! Tool specs: the facts that the program needs of a tool to offer it, reserve for it, show it, and repeat it or not.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CleanJson, ToolCall, ToolName, ToolResult};
use crate::budget::{Amounts, Cap};
use text::{Clean, count};

/// A tool, without the code that performs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name by which it is called.
    pub name: ToolName,
    /// Its purpose, in words for a model.
    pub description: Clean,
    /// JSON Schema of its arguments as models are shown it; None for a tool that only specialists by rule call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<CleanJson>,
    /// The most that one call may take.
    #[serde(default)]
    pub reserves: Reserve,
    /// Whether a call may be made again if its end is not known.
    #[serde(default)]
    pub replay: ReplaySafety,
    /// The form of a call on one line, as [`ToolSpec::line`] reads it; empty for its name and its arguments.
    #[serde(default, skip_serializing_if = "no_text")]
    pub shown: Clean,
}

pub(super) fn no_text(text: &Clean) -> bool {
    text.is_empty()
}

/// Whether a call that may have been made can be made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplaySafety {
    /// It only reads, or does nothing twice.
    Safe,
    /// It does something that must not happen twice.
    Unsafe,
    /// Its author does not say. It is treated as unsafe.
    #[default]
    Unknown,
}

/// The reservation for a call: an upper bound of the tokens of the text that it brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserve {
    /// Tokens for any call.
    pub tokens: u64,
    /// Tokens by how much it is asked for: at most [`ToolResult::MOST_TOKENS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
}

/// Tokens for each of the things that a call counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Each {
    /// For one of them.
    pub tokens: u64,
    /// The place of their number in the call.
    pub of: Counted,
    /// The most there are, and how many are reserved for where the call does not say.
    pub most: u32,
}

/// The place in a call that gives the number of things that it asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// In this argument.
    Argument(Clean),
    /// From one argument up to, and without, another.
    Between(Clean, Clean),
}

impl Default for Reserve {
    /// The most that one result may carry.
    fn default() -> Reserve {
        Reserve::fixed(ToolResult::MOST_TOKENS)
    }
}

impl Reserve {
    /// This many tokens for each call.
    pub fn fixed(tokens: u64) -> Reserve {
        Reserve { tokens, each: None }
    }

    fn tokens_of(&self, call: &ToolCall) -> u64 {
        let number = |name: &Clean| call.arguments.get()[name.as_str()].as_u64();
        let by_count = self.each.as_ref().map_or(0, |each| {
            let asked = match &each.of {
                Counted::Argument(name) => number(name),
                Counted::Between(from, to) => number(to).map(|to| to.saturating_sub(number(from).unwrap_or(0))),
            };
            let most = u64::from(each.most);
            each.tokens.saturating_mul(asked.unwrap_or(most).min(most)).min(ToolResult::MOST_TOKENS)
        });
        self.tokens.saturating_add(by_count)
    }
}

/// A schema of an object whose properties are all required, which every provider's strict mode takes.
pub fn object_schema(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|object| object.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

impl ToolSpec {
    /// Whether a call in doubt may be made again without asking.
    pub fn may_be_repeated(&self) -> bool {
        self.replay == ReplaySafety::Safe
    }

    /// The most this call may take: one tool call, and the text it brings back.
    pub fn reservation(&self, call: &ToolCall) -> Amounts {
        Amounts::of(Cap::Tokens, self.reserves.tokens_of(call)).with(Cap::ToolCalls, 1)
    }

    /// Arguments of a model as far as they fit the schema: texts without space around them, numbers that were written as text as
    /// numbers. Missing arguments, and wrong ones that are no text, are left for the tool to judge.
    ///
    /// # Errors
    /// A text that is required is missing: the message is for the model.
    pub fn fit(&self, arguments: &Value) -> Result<CleanJson, String> {
        let Value::Object(given) = arguments else { return Err("the arguments have to be a JSON object".into()) };
        let mut fitting = given.clone();
        let schema = self.schema.as_ref().map_or(&Value::Null, CleanJson::get);
        let is_required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|n| n == name));
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            match (property["type"].as_str(), given.get(name)) {
                (Some("string"), Some(Value::String(text))) if !text.trim().is_empty() => {
                    fitting.insert(name.clone(), text.trim().into());
                }
                (Some("string"), _) if is_required(name) => {
                    return Err(format!("`{name}` is missing: it has to be a text"));
                }
                // Weak models write numbers as text.
                (Some("integer"), Some(Value::String(text))) => match text.trim().parse::<i64>() {
                    Ok(number) => drop(fitting.insert(name.clone(), number.into())),
                    Err(_) => drop(fitting.remove(name)),
                },
                _ => {}
            }
        }
        Ok(CleanJson::new(Value::Object(fitting)))
    }

    /// A call on one line. In [`ToolSpec::shown`] `{a}` stands for the argument `a` (`{a.b}` for the field `b` in it),
    /// `{@a}` for the name of the document whose id it is, which `document` knows, `{#a thing}` for the number of
    /// things in the list `a`, and `{?a text}` for a text if there is such an argument.
    pub fn line(&self, call: &ToolCall, document: &dyn Fn(&str) -> String) -> String {
        if self.shown.is_empty() {
            return call.line();
        }
        let (mut line, mut rest) = (String::new(), self.shown.as_str());
        while let Some((before, (slot, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            line.push_str(before);
            rest = after;
            let at = |path: &str| path.split('.').fold(call.arguments.get(), |value, key| &value[key]);
            match slot.as_bytes().first() {
                Some(b'@') => line.push_str(&document(&plain(at(&slot[1..])))),
                Some(b'?') => {
                    let (path, text) = slot[1..].split_once(' ').unwrap_or((&slot[1..], ""));
                    line.push_str(if at(path).is_null() { "" } else { text });
                }
                Some(b'#') => {
                    let (path, thing) = slot[1..].split_once(' ').unwrap_or((&slot[1..], "thing"));
                    line.push_str(&count(at(path).as_array().map_or(0, Vec::len), thing));
                }
                _ => line.push_str(&plain(at(slot))),
            }
        }
        line + rest
    }
}

impl ToolCall {
    /// A call of a tool of which nothing is known, on one line: its name and its arguments.
    pub fn line(&self) -> String {
        let arguments = self.arguments.get().as_object().into_iter().flatten().map(|(_, value)| plain(value));
        std::iter::once(self.name.to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
    }
}

/// A value as a person reads it: text without quotation marks, a list with spaces.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
