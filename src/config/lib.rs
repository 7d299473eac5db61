//! Outside: what the user has set in `config.toml`, in the configuration directory and nowhere else.
//!
//! Never read from the folder the program is started in or from the documents: whoever wrote those must not choose
//! where questions and keys are sent.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use run::{Money, Role};
use text::Clean;

/// What can be set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What becomes of a model call that was sent and whose end nobody saw.
    pub in_doubt: Option<InDoubt>,
    /// What to do with a model whose price is not known.
    pub unknown_price: UnknownPrice,
    /// The most a run may cost if nothing else is said, in dollars.
    #[serde(deserialize_with = "dollars")]
    pub max_cost: Option<Money>,
    /// Who thinks with which model: a role, or `default` for all of them.
    pub models: BTreeMap<Role, Assigned>,
    /// Providers of models, and what is special about them.
    pub providers: BTreeMap<String, Provider>,
    /// What is kept across runs.
    pub memory: Memory,
}

/// What is kept across runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// The notes; by default a file in the data directory.
    pub file: Option<PathBuf>,
    /// Whether nothing is recalled and nothing kept.
    pub off: bool,
}

/// What becomes of a call in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InDoubt {
    /// The run waits for the person: on the screens, or parked.
    #[serde(alias = "park")]
    Ask,
    /// It is made again; it may be paid twice.
    Retry,
    /// It counts as failed.
    Skip,
}

/// What to do with a model whose price is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownPrice {
    /// It is not used until the person says what it costs.
    #[default]
    Refuse,
    /// It is taken to cost as much as the dearest model of its provider that is known.
    Dearest,
}

/// The model of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// `provider/model`, or a provider alone for what is usual with it.
    pub model: Clean,
    /// The most tokens one answer may take.
    pub max_tokens: Option<u32>,
}

/// A provider as the user has set it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// The built-in provider it is like; by default the one of the same name, or `openai-compatible`.
    pub like: Option<String>,
    /// Where it is.
    pub base_url: Option<String>,
    /// The environment variable that holds its key.
    pub api_key_env: Option<String>,
    /// A program that prints its key, with its arguments.
    pub api_key_cmd: Option<Vec<String>>,
    /// Further headers.
    pub headers: BTreeMap<String, String>,
    /// Requests it takes at the same time.
    pub slots: Option<usize>,
    /// Whether it is a server of the user's own that costs nothing.
    pub free: Option<bool>,
}

impl<'de> Deserialize<'de> for Assigned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            model: Clean,
            #[serde(default)]
            max_tokens: Option<u32>,
        }
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "a model is written \"provider/model\", or { model = \"provider/model\", max_tokens = 4000 }"
        )]
        enum Either {
            Name(Clean),
            Whole(Whole),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Name(model) => Assigned { model, max_tokens: None },
            Either::Whole(Whole { model, max_tokens }) => Assigned { model, max_tokens },
        })
    }
}

/// Dollars in quotes, so that they are taken digit by digit.
fn dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Money>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "an amount is written in quotes, as in \"0.50\"")]
    enum Amount {
        Whole(u64),
        Text(String),
    }
    let text = match Amount::deserialize(deserializer)? {
        Amount::Whole(dollars) => dollars.to_string(),
        Amount::Text(text) => text,
    };
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {path} cannot be read: {what}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        what: String,
    },
    /// The file is not a configuration.
    #[error("the configuration {path} is not right: {what}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where and why.
        what: String,
    },
}

/// Where the configuration is.
pub fn path(config_dir: &Path) -> PathBuf {
    config_dir.join("config.toml")
}

/// Reads the configuration; without one, nothing is set.
///
/// # Errors
/// It is there and cannot be read, or is not right.
pub fn load(config_dir: &Path) -> Result<Config, ConfigError> {
    let path = path(config_dir);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text).map_err(|what| ConfigError::Wrong { path, what }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(ConfigError::Unreadable { path, what: error.to_string() }),
    }
}

fn parse(text: &str) -> Result<Config, String> {
    let config: Config = toml::from_str(text).map_err(|error| what_is_wrong(text, &error))?;
    for (name, provider) in &config.providers {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "the provider `{}` has a name that is not plain letters and digits",
                Clean::line(name)
            ));
        }
        if provider.api_key_env.is_some() && provider.api_key_cmd.is_some() {
            return Err(format!("the provider {name} has both api_key_env and api_key_cmd: keep one"));
        }
        if provider.api_key_cmd.as_ref().is_some_and(|command| command.first().is_none_or(String::is_empty)) {
            return Err(format!("the provider {name} has an empty api_key_cmd: name a program and its arguments"));
        }
        if provider.slots == Some(0) {
            return Err(format!("the provider {name} has slots = 0: it would never be asked"));
        }
    }
    Ok(config)
}

/// Where and why, without the line itself: it may hold a key that somebody has put there.
fn what_is_wrong(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let what = Clean::line(error.message());
    let what = match (what.find("string \""), what.rfind("\", expected")) {
        (Some(from), Some(to)) if from < to => format!("{}text{}", &what[..from], &what[to + 1..]),
        _ => what.to_string(),
    };
    let advice = match what.starts_with("unknown field `api_key`") {
        true => ". A key has no place in this file: name the variable that holds it in api_key_env",
        false => "",
    };
    format!("line {}: {what}{advice}", before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_configuration_is_read() {
        let config = parse(
            r#"
            in_doubt = "park"
            unknown_price = "dearest"
            max_cost = "2.50"
            [models]
            default = "anthropic"
            writer = { model = "openai/gpt-6-sol", max_tokens = 9000 }
            [providers.mine]
            base_url = "https://models.example/v1"
            api_key_cmd = ["pass", "show", "models"]
            headers = { X-Team = "a" }
            slots = 4
            "#,
        )
        .unwrap();
        assert_eq!(config.in_doubt, Some(InDoubt::Ask));
        assert_eq!(config.max_cost, Some(Money::micros(2_500_000)));
        assert_eq!(config.models[&Role::new("writer")].max_tokens, Some(9_000));
        assert_eq!(config.models[&Role::new("default")].model.as_str(), "anthropic");
        assert_eq!(config.providers["mine"].slots, Some(4));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("in_dout = \"ask\"", "in_dout"),
            ("in_doubt = \"perhaps\"", "perhaps"),
            ("max_cost = 0.5", "in quotes"),
            ("max_cost = \"much\"", "no amount of dollars"),
            ("[models]\nwriter = 3", "provider/model"),
            ("[providers.a]\nbase = \"x\"", "base_url"),
            ("[providers.a]\n\napi_key = \"sk-canary\"", "line 3: unknown field `api_key`"),
            ("[providers.a]\napi_key = \"sk-canary\"", "in api_key_env"),
            ("[providers.a]\napi_key_env = sk-canary", "line 2"),
            ("[providers.a]\nslots = \"sk-canary\"", "invalid type: text, expected usize"),
            ("[providers.\"a/b\"]", "plain letters"),
            ("[providers.a]\nslots = 0", "never be asked"),
            ("[providers.a]\napi_key_env = \"A\"\napi_key_cmd = [\"b\"]", "keep one"),
            ("[providers.a]\napi_key_cmd = []", "empty api_key_cmd"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says) && !error.contains("canary"), "{text}: {error}");
        }
    }

    #[test]
    fn a_folder_without_one_sets_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(load(dir.path()).unwrap(), Config::default());
        std::fs::write(path(dir.path()), "[modles]\n").unwrap();
        let error = load(dir.path()).unwrap_err().to_string();
        assert!(error.contains("config.toml") && error.contains("modles"), "{error}");
    }
}
