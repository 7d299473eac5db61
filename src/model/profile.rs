//! Profiles: each provider as data. Its address, how it takes its key, and how it departs from its format.
//!
//! Adapters read the fields and never check for a provider's name. Rules that hold for all providers need no field: content is
//! always one string, nothing is null, and no sampling parameter is sent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use run::model::Form;
use run::thinking::Effort;
use run::transcript::Round;
use serde::Deserialize;

const BUILT_IN: &str = include_str!("profiles.toml");

/// A provider: its address, and its protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Its name, as in `anthropic/claude-haiku-5-5`.
    pub name: String,
    /// Its name in messages.
    pub title: String,
    /// The form of its requests and answers.
    pub format: Format,
    /// Its default base URL. Empty: the person has to give one.
    pub base: String,
    /// The path of its API where an address names none. Empty: the usual one of its format.
    pub path: String,
    /// Environment variables with the base URL; the first one set counts.
    pub base_env: Vec<String>,
    /// An environment variable with the address in the style of `OLLAMA_HOST`: a host, a port, or a URL.
    pub host_env: Option<String>,
    /// The default port for [`Profile::host_env`].
    pub host_port: u16,
    /// Environment variables with the key; the first one set counts.
    pub keys: Vec<KeyVariable>,
    /// A server of the user's: it needs no key, and on this machine it is free.
    pub local: bool,
    /// It can be called without a key.
    pub key_optional: bool,
    /// Headers that every request gets: name and value.
    pub headers: BTreeMap<String, String>,
    /// Headers from environment variables: variable, header.
    pub env_headers: BTreeMap<String, String>,
    /// An environment variable with additional headers, one `Name: value` a line.
    pub custom_headers_env: Option<String>,
    /// The profile whose format and quirks apply if the base URL has another host than [`Profile::base`] and
    /// [`Profile::hosts`].
    pub elsewhere: Option<String>,
    /// Further hosts of the provider, by the ends of their names.
    pub hosts: Vec<String>,
    /// Paths at the root of the server that report the actual context sizes.
    pub context_at: Vec<String>,
    /// The longest wait for the first byte of an answer, in seconds; ten minutes if not set.
    pub first_byte_s: Option<u64>,
    /// The same where another model can do the work; 25 seconds if not set.
    pub hurried_first_byte_s: Option<u64>,
    /// Its departures from its format.
    pub quirks: Quirks,
}

/// The form of requests and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which most servers speak.
    #[default]
    OpenAi,
    /// OpenAI Responses.
    Responses,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Anthropic => "Anthropic Messages",
            Format::OpenAi => "chat completions",
            Format::Responses => "the Responses API",
        })
    }
}

/// An environment variable with a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyVariable {
    /// The name of the variable.
    pub env: String,
    /// The header the key is sent in.
    pub sent_as: SentAs,
}

/// The header a key is sent in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentAs {
    /// `Authorization: Bearer KEY` (RFC 6750).
    Bearer,
    /// `x-api-key: KEY`, as Anthropic has it.
    XApiKey,
}

/// The departures of a provider from its format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// Whether the answer is limited by `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
    /// Models, by a part of their names, that take only `max_completion_tokens`, at any provider.
    pub completion_token_models: Vec<String>,
    /// Models, by a part of their names, that take tools in chat completions only with a `reasoning_effort` of `none`, which
    /// others refuse.
    pub tools_without_effort: Vec<String>,
    /// Models, by a part of their names, that reason by themselves; an empty part is in every name.
    pub reasoning: Vec<String>,
    /// Models, by a part of their names, that do not reason, and refuse to be asked for reasoning.
    pub unreasoning: Vec<String>,
    /// The form in which it takes the effort of thinking.
    pub effort: EffortAs,
    /// The efforts it takes, by model: the first row that names the model counts.
    pub efforts: Vec<Efforts>,
    /// The form in which it takes the most tokens of thinking.
    pub thinking_limit: LimitAs,
    /// Whether it rejects `stream_options`, which others need to report usage in a stream.
    pub no_stream_options: bool,
    /// The way in which it enforces a JSON schema.
    pub structured: Structured,
    /// Whether it takes no tools together with a response schema.
    pub no_tools_with_schema: bool,
    /// The way in which it enforces a tool call.
    pub forces: Forces,
    /// Models, by a part of their names, for which it cannot enforce a tool call.
    pub unforced: Vec<String>,
    /// Whether its cache of a conversation holds only as long as a tool call is enforced in no turn.
    pub choice_is_cached: bool,
    /// Whether tools are sent as `strict` if their schema allows that.
    pub strict_tools: bool,
    /// Models, by a part of their names, that support `strict` and a response schema; others of the same provider would
    /// ignore them silently. Empty: all.
    pub strict_models: Vec<String>,
    /// Whether schemas must not contain `additionalProperties`.
    pub open_schemas: bool,
    /// Whether it needs `parallel_tool_calls` to call several tools at once.
    pub parallel_tool_calls: bool,
    /// Whether tool call ids must be nine letters and digits.
    pub nine_character_ids: bool,
    /// Whether a user message may not follow a tool result.
    pub no_user_after_tool: bool,
    /// Fields of an answer, in addition to content and calls, that are sent back with it.
    pub echoes: Vec<String>,
    /// The one of them that must be sent back even if the answer had none.
    pub echo_required: Option<String>,
    /// Whether it caches at explicit marks.
    pub marks_cache: bool,
    /// Whether it caches prefixes automatically.
    pub caches_beginnings: bool,
    /// Whether it tells how far it has read the prompt, if asked.
    pub tells_progress: bool,
    /// Whether it reports the cost of a call in dollars.
    pub tells_cost: bool,
}

/// The efforts that some models take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Efforts {
    /// The models, by a part of their names; empty for all.
    #[serde(default)]
    pub models: Vec<String>,
    /// The efforts that they take.
    pub takes: Vec<Effort>,
}

/// The form in which a provider takes the effort of thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortAs {
    /// Not at all.
    #[default]
    No,
    /// By `output_config.effort`, with adaptive thinking.
    OutputConfig,
    /// By `reasoning.effort`.
    Reasoning,
    /// By `reasoning_effort`.
    ReasoningEffort,
    /// By `reasoning_effort`, and by `thinking.type` where it is not to think.
    ThinkingSwitch,
    /// By arguments of the chat template.
    Template,
}

/// The form in which a provider takes the most tokens of thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitAs {
    /// Not at all: the limit of the whole answer has to do.
    #[default]
    No,
    /// By `thinking.budget_tokens`, for models that take no effort.
    Budget,
    /// By `reasoning.max_tokens`, where no effort is said.
    Reasoning,
    /// By `thinking_token_budget`.
    ThinkingTokenBudget,
}

/// The way in which a provider enforces a JSON schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// Not at all: the prompt asks for it.
    #[default]
    No,
    /// It enforces JSON by `response_format`; the prompt asks for the schema.
    JsonObject,
    /// By `response_format`.
    JsonSchema,
    /// By `output_config`.
    OutputConfig,
}

/// The way in which a provider enforces a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forces {
    /// Not at all: the prompt asks for it.
    #[default]
    No,
    /// It enforces a call of any of the offered tools.
    Required,
    /// It enforces a call of the named tool.
    Named,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    profile: Vec<Profile>,
}

impl Profile {
    /// The built-in profiles, in order of preference.
    pub fn built_in() -> &'static [Arc<Profile>] {
        static PROFILES: LazyLock<Vec<Arc<Profile>>> =
            // A test reads the built-in file.
            LazyLock::new(|| Profile::read(BUILT_IN).expect("the built-in profiles are valid"));
        &PROFILES
    }

    /// The built-in profile with this name.
    pub fn named(name: &str) -> Option<Arc<Profile>> {
        Profile::built_in().iter().find(|profile| profile.name == name).cloned()
    }

    /// Reads profiles: TOML with one `[[profile]]` each.
    fn read(toml: &str) -> Result<Vec<Arc<Profile>>, toml::de::Error> {
        let file: File = toml::from_str(toml)?;
        Ok(file.profile.into_iter().map(Arc::new).collect())
    }

    /// The longest wait for the first byte of an answer. With `hurried`, another model can do the work.
    pub fn first_byte(&self, hurried: bool) -> Duration {
        let (set, usual) = if hurried { (self.hurried_first_byte_s, 25) } else { (self.first_byte_s, 600) };
        Duration::from_secs(set.unwrap_or(usual))
    }
}

impl Quirks {
    /// The way in which the provider enforces a tool call by this model.
    pub(crate) fn forces(&self, model: &str) -> Forces {
        if named(&self.unforced, model) { Forces::No } else { self.forces }
    }

    /// Whether this model reasons before it answers without being asked to, as far as that is known.
    pub fn reasons(&self, model: &str) -> bool {
        named(&self.reasoning, model) && !named(&self.unreasoning, model)
    }

    /// The efforts that this model takes, with tools or without.
    pub(crate) fn efforts(&self, model: &str, tools: bool) -> &[Effort] {
        if self.effort == EffortAs::No || named(&self.unreasoning, model) {
            return &[];
        }
        if tools && named(&self.tools_without_effort, model) {
            return &[Effort::None];
        }
        let row = self.efforts.iter().find(|row| row.models.is_empty() || named(&row.models, model));
        row.map_or(&[], |row| &row.takes)
    }

    /// Whether it caches prefixes, automatically or at marks.
    pub fn caches(&self) -> bool {
        self.marks_cache || self.caches_beginnings
    }

    /// The way in which a tool call is enforced in the last of these rounds. If that would make the conversation new to the
    /// provider's cache, only if words have not been enough in the round before.
    pub(crate) fn forces_now(&self, rounds: &[Round]) -> Forces {
        let [.., before, last] = rounds else {
            return rounds.last().map_or(Forces::No, |last| self.forces(&last.request.model.model));
        };
        let is_first = !last.request.afresh && before.request.form == Form::Free;
        if self.choice_is_cached && is_first { Forces::No } else { self.forces(&last.request.model.model) }
    }

    /// Whether this model of the provider supports `strict`.
    pub(crate) fn is_strict(&self, model: &str) -> bool {
        self.strict_models.is_empty() || named(&self.strict_models, model)
    }
}

/// Whether one of these parts of names is in the name of this model.
pub(super) fn named(parts: &[String], model: &str) -> bool {
    parts.iter().any(|part| model.contains(part.as_str()))
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
            "azure",
            "openrouter",
            "gemini",
            "mistral",
            "deepseek",
            "groq",
            "xai",
            "cerebras",
            "together",
            "fireworks",
            "huggingface",
            "github",
            "bedrock",
            "vertex",
            "ollama",
            "llamacpp",
            "vllm",
            "lmstudio",
            "openai-compatible",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn silence_is_borne_for_half_a_minute_where_another_model_can_do_the_work_and_longer_where_one_may_have_to_load() {
        for profile in Profile::built_in() {
            let (usual, hurried) = (profile.first_byte(false).as_secs(), profile.first_byte(true).as_secs());
            let (least, most) = if profile.local { (120, 300) } else { (20, 30) };
            assert!((least..=most).contains(&hurried) && usual >= 600, "{}: {usual} s, {hurried} s", profile.name);
        }
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
