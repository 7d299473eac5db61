//! Providers as data: where a provider is, how its key is sent, and how it departs from the format it speaks.
//!
//! Adapters read the fields and never ask for a name. What is sent the same way to everybody needs no field: the
//! content of a message is always one string, nothing is ever null, and no sampling parameter is sent.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Deserialize;

/// The profiles that are built in.
const BUILT_IN: &str = include_str!("profiles.toml");

/// A provider.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name, as models are written: `anthropic` in `anthropic/claude-haiku-5-5`.
    pub name: String,
    /// Its name for a person.
    pub title: String,
    /// The format it speaks.
    pub format: Format,
    /// Where it is, unless the person says otherwise. Empty: it has to be said.
    #[serde(default)]
    pub base: String,
    /// Environment variables that say where it is; the first that is set counts.
    #[serde(default)]
    pub base_env: Vec<String>,
    /// An environment variable that says so the way Ollama's does: a host, a port, or an address.
    #[serde(default)]
    pub host_env: Option<String>,
    /// The port of a host named by [`Profile::host_env`] without one.
    #[serde(default)]
    pub host_port: u16,
    /// Environment variables of its key; the first that is set counts.
    #[serde(default)]
    pub keys: Vec<KeyVariable>,
    /// It runs on machines of the user's: it needs no key, and on this machine it costs nothing.
    #[serde(default)]
    pub local: bool,
    /// It may be asked without a key.
    #[serde(default)]
    pub key_optional: bool,
    /// Headers that every request carries.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers whose values come from environment variables: variable, header.
    #[serde(default)]
    pub env_headers: BTreeMap<String, String>,
    /// An environment variable with further headers, one `Name: value` a line.
    #[serde(default)]
    pub custom_headers_env: Option<String>,
    /// The profile whose quirks count when the base URL names another host than [`Profile::base`].
    #[serde(default)]
    pub elsewhere: Option<String>,
    /// Paths at the root of the server that say which context its models really have.
    #[serde(default)]
    pub context_at: Vec<String>,
    /// The longest wait for the first byte of an answer, in seconds.
    #[serde(default = "ten_minutes")]
    pub first_byte_s: u64,
    /// How it departs from its format.
    #[serde(default)]
    pub quirks: Quirks,
}

fn ten_minutes() -> u64 {
    600
}

/// Formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    #[serde(rename = "openai")]
    OpenAi,
}

/// An environment variable that holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyVariable {
    /// Its name.
    pub env: String,
    /// The header the key is sent in.
    pub sent_as: SentAs,
}

/// The header a key is sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentAs {
    /// `Authorization: Bearer`.
    Bearer,
    /// `x-api-key`.
    XApiKey,
}

/// How a provider departs from the format it speaks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// The field that limits the answer.
    pub token_limit: TokenLimit,
    /// What the role of standing instructions is called.
    pub system_role: SystemRole,
    /// Whether it is asked for the usage of a stream by `stream_options`.
    pub stream_options: bool,
    /// By what means it can be held to JSON of a schema.
    pub structured: Structured,
    /// Whether a schema for the answer may be sent along with tools.
    pub schema_with_tools: bool,
    /// By what means it can be held to a tool.
    pub forces: Forces,
    /// Models, by a part of their names, that cannot be held to a tool all the same.
    pub unforced: Vec<String>,
    /// Whether tools are sent as strict where their schema is one that strictness knows.
    pub strict_tools: bool,
    /// The models, by a part of their names, that know `strict` and a schema for the answer: others behind the same
    /// format would pass over them in silence. Empty: all.
    pub strict_models: Vec<String>,
    /// Whether `additionalProperties` has to stay out of schemas.
    pub open_schemas: bool,
    /// Whether it calls several tools at once only when `parallel_tool_calls` says that it may.
    pub parallel_tool_calls: bool,
    /// What the names of tool calls have to look like.
    pub call_ids: CallIds,
    /// Whether a message of the user may follow the result of a tool.
    pub user_after_tool: bool,
    /// Fields of an answer beside its content and its calls that are sent back with it.
    pub echoes: Vec<String>,
    /// The one of them without which an answer is refused, even where it had none.
    pub echo_required: Option<String>,
    /// Whether it caches what is marked.
    pub marks_cache: bool,
    /// Whether it caches what requests begin with by itself.
    pub caches_beginnings: bool,
    /// Whether it says what a call cost, in dollars.
    pub tells_cost: bool,
}

impl Default for Quirks {
    fn default() -> Self {
        Quirks {
            token_limit: TokenLimit::default(),
            system_role: SystemRole::default(),
            stream_options: true,
            structured: Structured::default(),
            schema_with_tools: true,
            forces: Forces::default(),
            unforced: Vec::new(),
            strict_tools: false,
            strict_models: Vec::new(),
            open_schemas: false,
            parallel_tool_calls: false,
            call_ids: CallIds::default(),
            user_after_tool: true,
            echoes: Vec::new(),
            echo_required: None,
            marks_cache: false,
            caches_beginnings: false,
            tells_cost: false,
        }
    }
}

/// The field that limits an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimit {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// The role of standing instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// `system`.
    #[default]
    System,
    /// `developer`.
    Developer,
}

/// By what means a provider can be held to JSON of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// By words alone.
    #[default]
    No,
    /// To JSON by `response_format`, to the schema by words.
    JsonObject,
    /// To the schema by `response_format`.
    JsonSchema,
    /// To the schema by `output_config`.
    OutputConfig,
}

/// By what means a provider can be held to a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forces {
    /// By words alone.
    #[default]
    No,
    /// To one of the tools on offer.
    Required,
    /// To the tool that is named.
    Named,
}

/// What the names of tool calls have to look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    /// As they come.
    #[default]
    Any,
    /// Nine letters and digits.
    NineAlphanumerics,
}

/// A file of profiles that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the profiles of providers cannot be read: {0}")]
pub struct Unreadable(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    profile: Vec<Profile>,
}

impl Profile {
    /// The profiles that are built in, in the order in which they are looked for.
    pub fn built_in() -> &'static [Arc<Profile>] {
        static PROFILES: LazyLock<Vec<Arc<Profile>>> =
            // A test reads the built-in file.
            LazyLock::new(|| Profile::read(BUILT_IN).expect("the built-in profiles are valid"));
        &PROFILES
    }

    /// A built-in profile by its name.
    pub fn named(name: &str) -> Option<Arc<Profile>> {
        Profile::built_in().iter().find(|profile| profile.name == name).cloned()
    }

    /// Reads profiles: TOML, `[[profile]]` each.
    ///
    /// # Errors
    /// What does not fit, and where.
    pub fn read(toml: &str) -> Result<Vec<Arc<Profile>>, Unreadable> {
        let file: File = toml::from_str(toml).map_err(|error| Unreadable(error.to_string()))?;
        Ok(file.profile.into_iter().map(Arc::new).collect())
    }

    /// The longest wait for the first byte of an answer.
    pub fn first_byte(&self) -> Duration {
        Duration::from_secs(self.first_byte_s)
    }
}

impl Quirks {
    /// By what means this model of the provider can be held to a tool.
    pub fn forces(&self, model: &str) -> Forces {
        if self.unforced.iter().any(|part| model.contains(part.as_str())) { Forces::No } else { self.forces }
    }

    /// Whether it keeps what requests begin with, be it by itself or by a mark.
    pub fn caches(&self) -> bool {
        self.marks_cache || self.caches_beginnings
    }

    /// Whether this model of the provider knows strictness.
    pub fn is_strict(&self, model: &str) -> bool {
        self.strict_models.is_empty() || self.strict_models.iter().any(|part| model.contains(part.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profiles_can_be_read_and_have_names_of_their_own() {
        let names: Vec<&str> = Profile::built_in().iter().map(|profile| profile.name.as_str()).collect();
        let expected = [
            "anthropic",
            "openai",
            "openrouter",
            "gemini",
            "mistral",
            "deepseek",
            "groq",
            "ollama",
            "llamacpp",
            "vllm",
            "lmstudio",
            "openai-compatible",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_profile_that_points_elsewhere_points_at_one_that_is_there() {
        for profile in Profile::built_in() {
            if let Some(elsewhere) = &profile.elsewhere {
                assert!(Profile::named(elsewhere).is_some(), "{elsewhere}");
            }
        }
    }

    #[test]
    fn the_newest_models_are_not_forced_to_use_a_tool() {
        let quirks = &Profile::named("anthropic").unwrap().quirks;
        assert_eq!(quirks.forces("claude-sonnet-5-5"), Forces::No);
        assert_eq!(quirks.forces("claude-haiku-4-5-20251001"), Forces::Named);
    }

    #[test]
    fn a_field_nobody_knows_is_named() {
        let error =
            Profile::read("[[profile]]\nname = 'x'\ntitle = 'x'\nformat = 'openai'\nmax_tokns = 1").unwrap_err();
        assert!(error.to_string().contains("max_tokns"), "{error}");
    }
}
