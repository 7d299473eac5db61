//! Reads `config.toml` from the user's configuration directory.
//!
//! It is never read from the working folder or from documents: their authors must not decide where questions and keys
//! are sent.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use run::team::AssignedModel;
use run::thinking::{Effort, Thinking};
use run::{Money, Role};
use text::Clean;
use text::shell::with_home;

/// The settings of `config.toml`. A flag of the command line goes before the setting of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The place of the runs: a file, or the address of a database; by default a file in the data directory. It may hold a
    /// password.
    pub journal: Option<String>,
    /// The answer to model calls in doubt.
    pub in_doubt: Option<InDoubt>,
    /// Whether a model without a known price is refused (the default) or used.
    pub unknown_price: Option<UnknownPrice>,
    /// The default cap of a run, in dollars.
    #[serde(deserialize_with = "dollars")]
    pub max_cost: Option<Money>,
    /// Models by role, or `default` for all roles.
    pub models: BTreeMap<Role, Assigned>,
    /// Model providers with the user's settings.
    pub providers: BTreeMap<String, Provider>,
    /// The notes that runs keep for later ones.
    pub memory: Memory,
    /// The ways to call the person.
    pub notify: Notify,
    /// The screens.
    pub screen: Screen,
}

/// Settings of the screens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Screen {
    /// Whether the mouse selects and scrolls; by default it does.
    pub mouse: Option<bool>,
    /// The theme, built in or a file; by default as the background is.
    pub theme: Option<String>,
    /// The terminal's background; by default the terminal is asked.
    pub background: Option<Background>,
}

/// The terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Dark letters on it.
    Light,
    /// Light letters on it.
    Dark,
}

/// The ways to call the person when a run needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Notify {
    /// A program and its arguments, started when a run needs the person or comes near a cap; the message is its last argument.
    pub command: Vec<String>,
}

/// The notes that runs keep for later ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// The notes file; by default one in the data directory.
    pub file: Option<PathBuf>,
    /// Whether notes are neither read nor written; by default they are.
    pub off: Option<bool>,
}

/// The answer to a call in doubt: sent, without a recorded end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InDoubt {
    /// Ask the person; headless, park the run.
    #[serde(alias = "park")]
    Ask,
    /// Make it again; it may be paid twice.
    Retry,
    /// Treat it as failed.
    Skip,
}

/// The answer to a model without a known price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownPrice {
    /// Refuse it until the person gives its price.
    #[default]
    Refuse,
    /// Assume the price of the most expensive known model of its provider.
    Dearest,
}

/// The model of a role, as `[models]` sets it: a name, or a table with limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// `provider/model`, or a provider alone for its default model.
    pub model: Clean,
    /// The most tokens of one answer, thinking not included.
    pub max_tokens: Option<u32>,
    /// Effort and limit of its thinking before an answer.
    pub thinking: Thinking,
}

/// A model provider, as `[providers.NAME]` sets it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// The built-in provider to take the profile from; by default the one of the same name, or `openai-compatible`.
    pub like: Option<String>,
    /// Its address; by default that of its profile.
    pub base_url: Option<String>,
    /// The environment variable with its key.
    pub api_key_env: Option<String>,
    /// A command that prints its key: program and arguments.
    pub api_key_cmd: Option<Vec<String>>,
    /// Headers that every request gets: name and value. They may be secret.
    pub headers: BTreeMap<String, String>,
    /// The requests it takes at the same time.
    pub slots: Option<usize>,
    /// Whether its models cost nothing; by default those of a server on this machine.
    pub free: Option<bool>,
    /// Whether its key may be sent by `http` to another machine of the user's own network.
    pub insecure: bool,
}

impl<'de> Deserialize<'de> for Assigned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            model: Clean,
            #[serde(default)]
            max_tokens: Option<u32>,
            #[serde(default)]
            effort: Option<Effort>,
            #[serde(default)]
            thinking_tokens: Option<u32>,
        }

        /// Reads either form, so that an error within a table has its own line number.
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Assigned;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a model, as in \"provider/model\" or { model = \"provider/model\", max_tokens = 4000, effort = \"low\", \
                     thinking_tokens = 2000 }",
                )
            }
            fn visit_str<E>(self, model: &str) -> Result<Assigned, E> {
                Ok(Assigned { model: Clean::new(model), max_tokens: None, thinking: Thinking::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Assigned, A::Error> {
                let whole = Whole::deserialize(MapAccessDeserializer::new(table))?;
                let Whole { model, max_tokens, effort, thinking_tokens } = whole;
                let wrong = |key: &'static str| move |why: String| A::Error::custom(format!("{key} {why}"));
                max_tokens.map_or(Ok(()), AssignedModel::check_answer).map_err(wrong("max_tokens"))?;
                thinking_tokens.map_or(Ok(()), AssignedModel::check_thinking).map_err(wrong("thinking_tokens"))?;
                Ok(Assigned { model, max_tokens, thinking: Thinking { effort, limit: thinking_tokens } })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Dollars as a string, so that they are never parsed as a float.
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
    #[error("the configuration {path} cannot be read: {what}")]
    Unreadable { path: PathBuf, what: String },
    #[error("the configuration {path} is not right: {what}")]
    Wrong {
        path: PathBuf,
        /// The place and the reason.
        what: String,
    },
}

/// The file of the configuration below its directory.
pub fn path(config_dir: &Path) -> PathBuf {
    config_dir.join("config.toml")
}

/// Reads the configuration; a missing file is an empty one.
pub fn load(config_dir: &Path) -> Result<Config, ConfigError> {
    let path = path(config_dir);
    match std::fs::read(&path) {
        Ok(bytes) => match text::utf8(bytes).and_then(|text| parse(&text)) {
            Ok(config) => Ok(config.at(config_dir, std::env::var("HOME").ok().as_deref())),
            Err(what) => Err(ConfigError::Wrong { path, what }),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(ConfigError::Unreadable { path, what: error.to_string() }),
    }
}

impl Config {
    /// The configuration with absolute paths: `~/` is the home directory, and a relative path is relative to
    /// the folder of the file. A program without a slash is looked for in `PATH`.
    fn at(mut self, folder: &Path, home: Option<&str>) -> Config {
        let of_file = |path: &str| folder.join(with_home(path, home)).to_string_lossy().into_owned();
        let keys = self.providers.values_mut().filter_map(|provider| provider.api_key_cmd.as_mut());
        for program in keys.chain([&mut self.notify.command]).filter_map(|command| command.first_mut()) {
            if program.contains('/') {
                *program = of_file(program);
            }
        }
        if let Some(file) = &mut self.memory.file {
            *file = PathBuf::from(of_file(&file.to_string_lossy()));
        }
        if let Some(place) = self.journal.as_mut().filter(|place| !place.contains("://")) {
            *place = of_file(place);
        }
        self
    }
}

fn parse(text: &str) -> Result<Config, String> {
    let config: Config = toml::from_str(text).map_err(|error| all_that_is_wrong(text, error))?;
    for (name, provider) in &config.providers {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "the provider `{}` has a name that is not plain letters and digits",
                Clean::line(name)
            ));
        }
        // The value is not quoted: it may be the key.
        if provider.api_key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            return Err(format!(
                "the provider {name} has no name of a variable in api_key_env: put the key into a variable of the environment, \
                 and the name of that here"
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

/// Whether this is the name of a variable of the environment, and not a key that was pasted in its place.
fn is_variable(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    // Some keys have nothing but letters, digits and `_`.
    let is_key = name.len() >= 24
        && name.contains(|c: char| c.is_ascii_lowercase())
        && name.contains(|c: char| c.is_ascii_digit());
    is_plain && begins && !is_key
}

/// The most faults that are reported at once.
const MOST_FAULTS: usize = 8;

/// Every fault with its line, in their order. The text after one is read as if that line, or the table with that name, were not there.
fn all_that_is_wrong(text: &str, first: toml::de::Error) -> String {
    // Carriage returns stay in the lines, so that errors point at the same bytes.
    let mut lines: Vec<&str> = text.split('\n').collect();
    let (mut rest, mut faults, mut next) = (text.to_string(), Vec::new(), Some(first));
    while let Some(error) = next.filter(|_| faults.len() < MOST_FAULTS) {
        let before = error.span().and_then(|span| rest.get(..span.start)).unwrap_or_default();
        let at = before.matches('\n').count();
        faults.push((at, what_is_wrong(&error)));
        let is_table = |line: &&str| line.trim_start().starts_with('[');
        let of_table = lines.iter().skip(at + 1).take_while(|line| !is_table(line)).count();
        let wrong = if lines.get(at).is_some_and(is_table) { of_table + 1 } else { 1 };
        lines.iter_mut().skip(at).take(wrong).for_each(|line| *line = "");
        rest = lines.join("\n");
        // Text that no longer parses as TOML says nothing about the rest.
        next = rest.parse::<toml::Table>().ok().and_then(|_| toml::from_str::<Config>(&rest).err());
    }
    faults.sort();
    let told: Vec<String> = faults.into_iter().map(|(at, what)| format!("line {}: {what}", at + 1)).collect();
    told.join("; ")
}

/// The reason why it is invalid, without a quote of the line: it may contain a key.
fn what_is_wrong(error: &toml::de::Error) -> String {
    let what = Clean::line(error.message());
    let what = match (what.find("string \""), what.rfind("\", expected")) {
        (Some(from), Some(to)) if from < to => format!("{}text{}", &what[..from], &what[to + 1..]),
        _ => what.to_string(),
    };
    let advice = if what.starts_with("unknown field `api_key`") {
        ". A key has no place in this file: name the variable that holds it in api_key_env"
    } else if what.ends_with("expected a sequence") {
        ". A program stands in a list with its arguments, as in [\"notify-send\", \"masthead\"]"
    } else {
        ""
    };
    format!("{what}{advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_list_is_told_how_one_is_written() {
        let why = parse("[notify]\ncommand = \"notify-send\"\n").unwrap_err();
        assert!(why.starts_with("line 2: ") && why.contains("[\"notify-send\", \"masthead\"]"), "{why}");
    }

    #[test]
    fn a_whole_configuration_is_read() {
        let config = parse(
            r#"
            in_doubt = "park"
            unknown_price = "dearest"
            max_cost = "2.50"
            [models]
            default = "anthropic"
            writer = { model = "openai/gpt-6-sol", max_tokens = 9000, effort = "high", thinking_tokens = 5000 }
            [providers.mine]
            base_url = "https://models.example/v1"
            api_key_cmd = ["pass", "show", "models"]
            headers = { X-Team = "a" }
            slots = 4
            "#,
        )
        .unwrap();
        assert_eq!((config.in_doubt, config.unknown_price), (Some(InDoubt::Ask), Some(UnknownPrice::Dearest)));
        assert_eq!(config.max_cost, Some(Money::micros(2_500_000)));
        assert_eq!(config.models[&Role::new("writer")].max_tokens, Some(9_000));
        let thinking = Thinking { effort: Some(Effort::High), limit: Some(5_000) };
        assert_eq!(config.models[&Role::new("writer")].thinking, thinking);
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
            ("[models]\nwriter = 3", "line 2: invalid type: integer `3`, expected a model, as in \"provider/model\""),
            ("[models]\nwriter = { model = \"a/b\", effort = \"hard\" }", "high, xhigh or max"),
            ("\n[models.writer]\nmodel = \"a/b\"\nmax_tokens = \"x\"", "line 4: invalid type: text, expected u32"),
            ("\n[models.writer]\nmodel = \"a/b\"\nmax_token = 9", "line 4: unknown field `max_token`"),
            ("\n[models.writer]\nmodel = \"a/b\"\neffort = \"hgh\"", "line 4: "),
            ("\n[models.writer]\nmax_tokens = 9", "line 2: missing field `model`"),
            (
                "[models]\n\nwriter = { model = \"a/b\", max_tokens = 0 }",
                "line 3: max_tokens is 0: an answer has 64 to",
            ),
            ("[models]\nwriter = { model = \"a/b\", max_tokens = 4294967295 }", "max_tokens is 4294967295"),
            ("[models]\nwriter = { model = \"a/b\", thinking_tokens = 4294967295 }", "thinking_tokens is 4294967295"),
            ("[providers.a]\nbase = \"x\"", "base_url"),
            ("[providers.a]\n\napi_key = \"sk-canary\"", "line 3: unknown field `api_key`"),
            ("[providers.a]\napi_key = \"sk-canary\"", "in api_key_env"),
            ("[providers.a]\napi_key_env = sk-canary", "line 2"),
            ("[providers.a]\nslots = \"sk-canary\"", "invalid type: text, expected usize"),
            ("[providers.\"a/b\"]", "plain letters"),
            ("[providers.a]\nslots = 0", "never be asked"),
            ("[providers.a]\napi_key_env = \"A\"\napi_key_cmd = [\"b\"]", "keep one"),
            ("[providers.a]\napi_key_cmd = []", "empty api_key_cmd"),
            ("[providers.a]\napi_key_env = \"sk-proj-canary\"", "no name of a variable in api_key_env"),
            ("[providers.a]\napi_key_env = \"AIzaSy0123456789canary0123456789\"", "no name of a variable"),
            ("[providers.a]\napi_key_env = \"\"", "no name of a variable"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says) && !error.contains("canary"), "{text}: {error}");
        }
    }

    #[test]
    fn all_faults_are_told_at_once_with_their_lines() {
        let why = parse("theme = \"dark\"\n[modles]\na = 1\n[providers.a]\nslots = \"x\"\nbase = \"y\"\n").unwrap_err();
        let lines: Vec<&str> = why.split("; ").map(|fault| fault.split(':').next().unwrap_or_default()).collect();
        assert_eq!(lines, ["line 1", "line 2", "line 5", "line 6"], "{why}");
        let with_returns = parse("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nfoo = 1\r\nbar = 2\r\n").unwrap_err();
        assert!(with_returns.starts_with("line 10: ") && with_returns.contains("; line 11: "), "{with_returns}");
        let unreadable = parse("max_cost = \nfoo = 1\n").unwrap_err();
        assert!(unreadable.starts_with("line 1: ") && unreadable.contains("; line 2: "), "{unreadable}");
        let open = parse("foo = [\n1,\n").unwrap_err();
        assert!(!open.contains("; "), "{open}");
    }

    #[test]
    fn paths_hold_wherever_the_program_is_started() {
        let config = parse(
            "journal = \"runs.db\"\n[providers.a]\napi_key_cmd = [\"~/bin/k\", \"~/x\"]\n[providers.b]\napi_key_cmd = [\"pass\"]\n\
             [notify]\ncommand = [\"./n.sh\"]\n[memory]\nfile = \"~/notes.md\"\n",
        );
        let config = config.unwrap().at(Path::new("/c"), Some("/h"));
        assert_eq!(config.providers["a"].api_key_cmd.as_ref().unwrap(), &["/h/bin/k", "~/x"]);
        assert_eq!(config.providers["b"].api_key_cmd.as_ref().unwrap(), &["pass"]);
        assert_eq!((config.notify.command[0].as_str(), config.journal.as_deref()), ("/c/./n.sh", Some("/c/runs.db")));
        assert_eq!(config.memory.file.as_deref(), Some(Path::new("/h/notes.md")));
        let database = parse("journal = \"postgres://h/d\"").unwrap().at(Path::new("/c"), None);
        assert_eq!(database.journal.as_deref(), Some("postgres://h/d"));
    }

    #[test]
    fn a_folder_without_one_sets_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(load(dir.path()).unwrap(), Config::default());
        std::fs::write(path(dir.path()), "[modles]\n").unwrap();
        let error = load(dir.path()).unwrap_err().to_string();
        assert!(error.contains("config.toml") && error.contains("modles"), "{error}");
        std::fs::write(path(dir.path()), b"max_cost = \"1\"\n# caf\xe9\n").unwrap();
        let error = load(dir.path()).unwrap_err().to_string();
        assert!(error.contains("config.toml is not right: line 2 is no UTF-8"), "{error}");
    }
}
