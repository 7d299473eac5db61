//! Model calls as data: requests and answers, in no provider's format.
//!
//! A request holds only the new part. The whole conversation is the sum of a transcript's exchanges
//! ([`super::transcript::Transcript::conversation`]), so a journal grows with the text, not with its square.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::budget::Money;
use super::density::Bulk;
use super::id::{AsShown, CallId};
use super::thinking::Thinking;
use text::Clean;

/// A model at a provider, written `provider/model`: `anthropic/claude-sonnet-5-5`, `ollama/qwen3:8b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId {
    /// The provider: the name of a profile.
    pub provider: Clean,
    /// The model, as the provider calls it; may hold slashes.
    pub model: Clean,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl FromStr for ModelId {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        match s.split_once('/') {
            Some((provider, model)) if !provider.trim().is_empty() && !model.trim().is_empty() => {
                Ok(ModelId { provider: Clean::line(provider), model: Clean::line(model) })
            }
            _ => Err(format!("`{}` is not a model: write provider/model, as in ollama/qwen3:8b", Clean::line(s))),
        }
    }
}

impl Serialize for ModelId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct("ModelId", &AsShown(self))
    }
}

impl<'de> Deserialize<'de> for ModelId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One request to a model, as far as it is new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The model.
    pub model: ModelId,
    /// Whether the conversation begins here: nothing said before is sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub afresh: bool,
    /// The new messages, in order.
    pub said: Vec<Said>,
    /// Tools it may call.
    #[serde(default, skip_serializing_if = "Offers::is_none")]
    pub offers: Offers,
    /// The form its answer has to have.
    #[serde(default)]
    pub form: Form,
    /// The most tokens it may give out, thinking included.
    pub max_tokens: u32,
    /// Effort and limit of its thinking before an answer.
    #[serde(default, skip_serializing_if = "Thinking::is_unsaid")]
    pub thinking: Thinking,
}

impl ModelRequest {
    /// The request as it is recorded behind the one before it in its assignment: without the messages of that one.
    #[must_use]
    pub fn after(mut self, before: Option<&ModelRequest>) -> ModelRequest {
        if !self.offers.is_none() && before.is_some_and(|before| before.offers == self.offers) {
            self.offers = Offers::AsBefore;
        }
        self
    }

    /// The answers to the calls of the answer before it.
    pub fn answers(&self) -> impl Iterator<Item = &ToolAnswer> {
        self.said.iter().flat_map(|said| if let Said::Results { results } = said { &results[..] } else { &[] })
    }

    /// What is said as its model gets it: without the mark of calls that were not made, which older journals lack.
    pub(crate) fn told(&self) -> Cow<'_, [Said]> {
        if !self.answers().any(|answer| answer.not_made) {
            return Cow::Borrowed(&self.said);
        }
        let mut said = self.said.clone();
        for said in &mut said {
            if let Said::Results { results } = said {
                results.iter_mut().for_each(|answer| answer.not_made = false);
            }
        }
        Cow::Owned(said)
    }

    /// Whether it asks the same as another, however long the answer may be.
    pub(crate) fn asks_like(&self, other: &ModelRequest) -> bool {
        let ModelRequest { model, afresh, said, offers, form, max_tokens: _, thinking } = self;
        let same = (model, afresh, form, thinking) == (&other.model, &other.afresh, &other.form, &other.thinking);
        same && *offers == other.offers && (*said == other.said || self.told() == other.told())
    }

    /// The request that was recorded behind this one, whole.
    pub(crate) fn whole(self: &Arc<Self>, before: Option<&ModelRequest>) -> Arc<ModelRequest> {
        match (&self.offers, before) {
            (Offers::AsBefore, before) => {
                let offers = before.map(|before| before.offers.clone()).unwrap_or_default();
                Arc::new(ModelRequest { offers, ..(**self).clone() })
            }
            (Offers::These(_), _) => self.clone(),
        }
    }
}

/// The tools that a model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offers {
    /// These.
    These(Arc<OnOffer>),
    /// Those of the request before it in its assignment: a record says them once. In a transcript there is none of these.
    AsBefore,
}

/// Tools with their size in a request, which is counted once.
#[derive(Debug, PartialEq, Eq)]
pub struct OnOffer {
    offers: Vec<Offer>,
    bulk: Bulk,
}

impl Offers {
    /// Whether there are none.
    fn is_none(&self) -> bool {
        matches!(self, Offers::These(these) if these.offers.is_empty())
    }

    /// The text of their names, descriptions and schemas, with a few bytes for the marks between them.
    pub fn bulk(&self) -> Bulk {
        match self {
            Offers::These(these) => these.bulk,
            Offers::AsBefore => Bulk::default(),
        }
    }
}

impl Default for Offers {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Deref for Offers {
    type Target = [Offer];
    fn deref(&self) -> &[Offer] {
        match self {
            Offers::These(these) => &these.offers,
            Offers::AsBefore => &[],
        }
    }
}

impl From<Vec<Offer>> for Offers {
    fn from(offers: Vec<Offer>) -> Self {
        let bulk = |offer: &Offer| {
            Bulk::of(&offer.name) + Bulk::of(&offer.description) + bulk_of(&offer.schema) + Bulk::of_marks(32)
        };
        let bulk = offers.iter().map(bulk).sum();
        Offers::These(Arc::new(OnOffer { offers, bulk }))
    }
}

/// The value in a record for the tools of the request before.
const AS_BEFORE: &str = "as_before";

impl Serialize for Offers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Offers::These(these) => these.offers.serialize(serializer),
            Offers::AsBefore => serializer.serialize_unit_variant("Offers", 1, AS_BEFORE),
        }
    }
}

impl<'de> Deserialize<'de> for Offers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            These(Vec<Offer>),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::These(offers) => Ok(offers.into()),
            Written::Word(word) if word == AS_BEFORE => Ok(Offers::AsBefore),
            Written::Word(word) => Err(serde::de::Error::custom(format!("`{word}` are no tools"))),
        }
    }
}

/// A part of a conversation that is sent to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case")]
pub enum Said {
    /// Standing instructions; only at the beginning of a conversation.
    System {
        /// The text.
        text: Clean,
    },
    /// A message to the model.
    User {
        /// The text.
        text: Clean,
    },
    /// The results of the tools that the model called in its last answer: one for each call, in the order of the calls.
    Results {
        /// The results.
        results: Vec<ToolAnswer>,
    },
}

impl Said {
    /// Bytes of its text.
    pub fn bytes(&self) -> usize {
        match self {
            Said::System { text } | Said::User { text } => text.len(),
            Said::Results { results } => results.iter().map(|result| result.text.len() + result.call.len()).sum(),
        }
    }

    /// Its text, measured.
    pub fn bulk(&self) -> Bulk {
        match self {
            Said::System { text } | Said::User { text } => Bulk::of(text),
            Said::Results { results } => {
                results.iter().map(|result| Bulk::of(&result.text) + Bulk::of(&result.call)).sum()
            }
        }
    }
}

/// The answer to one tool call of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The model's own name for the call.
    pub call: Clean,
    /// The tool.
    pub name: Clean,
    /// The result, or the reason why there is none.
    pub text: Clean,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Whether the call was not made at all: there is no such tool, its arguments are wrong, or it came too late. `text` says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_made: bool,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Its name: at most 64 letters, digits, `_` and `-`.
    pub name: Clean,
    /// Its purpose, in words for the model.
    pub description: Clean,
    /// JSON Schema of its arguments: an object whose properties are all required. Every assignment that may use a tool
    /// offers the same one.
    pub schema: Arc<Value>,
}

/// The form an answer has to have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Form {
    /// Text, or calls of the tools on offer.
    #[default]
    Free,
    /// A call of this tool, if the provider can enforce it.
    Tool {
        /// Its name.
        name: Clean,
    },
    /// JSON of this schema.
    Json {
        /// A name for the schema.
        name: Clean,
        /// The schema: an object whose properties are all required.
        schema: Value,
    },
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Its words and actions, in order, for reading.
    pub content: Vec<Content>,
    /// The same as its provider sent it, to be sent back unchanged.
    pub raw: Untouched,
    /// The reason why it stopped.
    pub stop: StopReason,
    /// The tokens used.
    pub usage: Usage,
    /// The model that answered, as the server calls it.
    pub served_by: Clean,
    /// The server's name for the request, for asking its provider about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Clean>,
    /// Milliseconds to the first piece of content.
    #[serde(default)]
    pub first_ms: u64,
    /// Milliseconds to the end.
    #[serde(default)]
    pub whole_ms: u64,
    /// The call of an earlier run whose recorded answer this is: nothing was sent, and nothing is paid. None for an answer of a
    /// model, and in journals from before this was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<CallId>,
}

impl Reply {
    /// Its text, thinking left out.
    pub fn text(&self) -> String {
        let texts =
            self.content.iter().filter_map(|c| if let Content::Text { text } = c { Some(&**text) } else { None });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The tools it calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = (&Clean, &Clean, &Arguments)> {
        self.content.iter().filter_map(|content| match content {
            Content::Call { id, name, arguments } => Some((id, name, arguments)),
            _ => None,
        })
    }
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: Clean,
    },
    /// Thinking, as far as it is shown.
    Thinking {
        /// The text; may be empty.
        text: Clean,
    },
    /// A tool call.
    Call {
        /// The model's own name for the call.
        id: Clean,
        /// The tool.
        name: Clean,
        /// Its arguments.
        arguments: Arguments,
    },
    /// Something this program does not know. It is kept in [`Reply::raw`].
    Other {
        /// The provider's name for it.
        kind: Clean,
    },
}

/// The arguments of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// As they came.
    Whole(Value),
    /// They are not JSON, or were cut: never repaired, never run.
    Broken(Clean),
}

/// A provider's own JSON, kept to be sent back unchanged and opened by its adapter alone. It is not [`Clean`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub struct Untouched {
    value: Value,
    /// Its text is measured with every request that follows: once is enough.
    bulk: Bulk,
}

impl Untouched {
    /// The JSON.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its text as it is sent back, measured.
    pub fn bulk(&self) -> Bulk {
        self.bulk
    }
}

impl From<Value> for Untouched {
    fn from(value: Value) -> Self {
        Untouched { bulk: bulk_of(&value), value }
    }
}

impl Default for Untouched {
    fn default() -> Self {
        Value::Null.into()
    }
}

impl Serialize for Untouched {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // By name: the code that takes text out of a journal asks for it.
        serializer.serialize_newtype_struct("Untouched", &self.value)
    }
}

/// The text of a value as JSON, which is not made for it.
pub(crate) fn bulk_of(value: &Value) -> Bulk {
    struct Counted(Bulk);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0 + Bulk::of_bytes(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(Bulk::default());
    // Neither the value nor the counter can refuse.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

/// The reason why a model stopped: `stop_reason` in Anthropic's messages, `finish_reason` in OpenAI's chat completions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had finished its answer.
    End,
    /// It waits for tools.
    Tools,
    /// It reached `max_tokens`, or the end of its context: the answer is cut.
    Length,
    /// It declined, for this reason as far as it gave one.
    Refusal(Clean),
    /// It wants to go on in another request.
    Pause,
    /// A reason this program does not know.
    Other(Clean),
}

/// The tokens that a call used, with cached input told apart. Thinking is within `output`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of input that were neither read from a cache nor written to one.
    pub input: u64,
    /// Tokens of input read from a cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    /// Tokens of input written to a cache, for the usual time.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    /// Tokens of input written to a cache, for the longer time.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_long: u64,
    /// Tokens of output.
    pub output: u64,
    /// Those of them spent on thinking, where that is told.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// The price as the provider itself gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Whether that price is by this program's own table: in an imported run that told none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cost_estimated: bool,
    /// Whether the numbers are an estimate because none were reported, or none that can be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Whether numbers were reported that cannot be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disbelieved: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    /// All tokens of input.
    pub fn input_total(&self) -> u64 {
        [self.cache_read, self.cache_write, self.cache_write_long].into_iter().fold(self.input, u64::saturating_add)
    }

    /// All tokens.
    pub fn total(&self) -> u64 {
        self.input_total().saturating_add(self.output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_by_its_provider_and_whatever_stands_behind_the_first_slash() {
        let id: ModelId = "groq/openai/gpt-oss-120b".parse().unwrap();
        assert_eq!((id.provider.as_str(), id.model.as_str()), ("groq", "openai/gpt-oss-120b"));
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"groq/openai/gpt-oss-120b\"");
        for wrong in ["", "gpt", "/gpt", "openai/"] {
            assert!(wrong.parse::<ModelId>().is_err(), "{wrong}");
        }
    }
}
