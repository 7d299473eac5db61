//! The address and credentials of a provider, from the environment or the configuration.

use std::sync::Arc;
use std::time::Instant;

use super::base_url::BaseUrl;
use super::key_command::{KeyCommand, Printed};
use super::profile::{Format, Profile, SentAs};
use http_client::secret::{NotASecret, Secret};
use text::Clean;

/// A provider that can be called.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The form of its requests and answers.
    pub profile: Arc<Profile>,
    /// The address below which its API is.
    pub base: BaseUrl,
    /// The environment variable that set the base URL, if any.
    pub base_from: Option<String>,
    /// The key; None for a server that needs none.
    pub key: Option<Key>,
    /// The user's command that printed the key, and when.
    pub key_command: Option<(KeyCommand, Instant)>,
    /// Additional headers: names and values.
    pub headers: Vec<(String, Secret)>,
}

/// A key and how it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key itself; it is never printed.
    pub secret: Secret,
    /// The header it is sent in.
    pub sent_as: SentAs,
    /// Its origin: the name of an environment variable, or a description.
    pub from: String,
}

/// The reason why a provider cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Nothing says where it is; the variables are those that could.
    #[error("it is not known where {title} is: {}", say_where(.variables))]
    Nowhere { title: String, variables: Vec<String> },
    /// Its address is none; the variable is the one that holds it, if one does.
    #[error("`{url}`{} is not the address of a model server: {why}", from(.variable))]
    Address {
        /// The address, with anything that may be a key removed.
        url: Clean,
        variable: Option<String>,
        why: String,
    },
    /// Its key can be no header.
    #[error("the key in {variable} cannot be sent: {why}")]
    Key { variable: String, why: NotASecret },
    /// A variable for more headers holds something else.
    #[error("{variable} holds something that is no header: write `Name: value`, one a line")]
    Header { variable: String },
}

fn say_where(variables: &[String]) -> String {
    match variables.first() {
        Some(variable) => format!("set {variable} to the base URL of its API"),
        None => "give the base URL of its API".to_owned(),
    }
}

fn from(variable: &Option<String>) -> String {
    variable.as_ref().map(|name| format!(" ({name})")).unwrap_or_default()
}

impl Endpoint {
    /// A provider as the environment describes it. Empty variables count as unset.
    pub(crate) fn from_env(profile: &Arc<Profile>, env: &dyn Fn(&str) -> Option<String>) -> Result<Endpoint, Unusable> {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let host = profile.host_env.as_ref().and_then(|name| Some((name, set(name)?)));
        let base_url = profile.base_env.iter().find_map(|name| Some((name, set(name)?)));
        let parsed = match (&host, &base_url) {
            (Some((name, raw)), _) => Some((*name, raw, BaseUrl::of_host(raw, profile.host_port))),
            (None, Some((name, raw))) => Some((*name, raw, BaseUrl::new(raw, profile.format, &profile.path))),
            (None, None) => None,
        };
        let (base, base_from) = match parsed {
            Some((name, raw, base)) => (base.map_err(|why| address(raw, Some(name), why))?, Some(name.clone())),
            None => (own_base(profile)?, None),
        };
        let mut key = None;
        if let Some((variable, raw)) = profile.keys.iter().find_map(|variable| Some((variable, set(&variable.env)?))) {
            let from = variable.env.clone();
            let secret = Secret::new(&raw).map_err(|why| Unusable::Key { variable: from.clone(), why })?;
            key = secret.map(|secret| Key { secret, sent_as: variable.sent_as, from });
        }
        let mut endpoint = Endpoint { base_from, ..Endpoint::new(profile, base, key) };
        for (variable, name) in &profile.env_headers {
            if let Some(raw) = set(variable) {
                let value = Secret::header(&raw).ok_or_else(|| Unusable::Header { variable: variable.clone() })?;
                endpoint.headers.push((name.clone(), value));
            }
        }
        if let Some((variable, raw)) = profile.custom_headers_env.as_ref().and_then(|name| Some((name, set(name)?))) {
            for line in raw.lines().filter(|line| !line.trim().is_empty()) {
                let header = line.split_once(':').and_then(|(name, value)| Secret::named(name, value));
                endpoint.headers.push(header.ok_or_else(|| Unusable::Header { variable: variable.clone() })?);
            }
        }
        Ok(endpoint)
    }

    /// A provider with an address and a key from elsewhere, such as the configuration.
    ///
    /// # Errors
    /// The address is invalid, or there is none and the profile has no default.
    pub fn at(profile: &Arc<Profile>, base: Option<&str>, key: Option<Key>) -> Result<Endpoint, Unusable> {
        let base = match base {
            Some(raw) => BaseUrl::new(raw, profile.format, &profile.path).map_err(|why| address(raw, None, why))?,
            None => own_base(profile)?,
        };
        Ok(Endpoint::new(profile, base, key))
    }

    fn new(profile: &Arc<Profile>, base: BaseUrl, key: Option<Key>) -> Endpoint {
        let headers = profile.headers.iter();
        let headers = headers.filter_map(|(name, value)| Some((name.clone(), Secret::header(value)?))).collect();
        let own = BaseUrl::new(&profile.base, profile.format, &profile.path);
        let is_one_of = |end: &String| base.host().ends_with(end.as_str());
        let at_home = own.is_ok_and(|own| own.host() == base.host()) || profile.hosts.iter().any(is_one_of);
        let elsewhere = profile.elsewhere.as_deref().filter(|_| !at_home).and_then(Profile::named);
        let profile = match elsewhere {
            Some(other) => Arc::new(Profile {
                key_optional: other.key_optional,
                format: other.format,
                quirks: other.quirks.clone(),
                ..Profile::clone(profile)
            }),
            None => profile.clone(),
        };
        Endpoint { profile, base, base_from: None, key, key_command: None, headers }
    }

    /// Takes the key that the user's command printed.
    pub(super) fn has_key_of(&mut self, command: &KeyCommand, printed: Printed) {
        let sent_as = match self.profile.format {
            Format::Anthropic => SentAs::XApiKey,
            Format::OpenAi | Format::Responses => SentAs::Bearer,
        };
        self.key = Some(Key { secret: printed.secret, sent_as, from: format!("api_key_cmd `{}`", command.program()) });
        self.key_command = Some((command.clone(), printed.at));
    }

    /// Whether it can be called as it is: it has a key, or needs none.
    pub fn is_open(&self) -> bool {
        self.key.is_some() || self.profile.local || self.profile.key_optional
    }

    /// Whether its calls are free: a server of the user's on this machine, or one in their network that asks for no key.
    pub fn is_free(&self) -> bool {
        self.profile.local && (self.base.is_loopback() || self.base.is_near() && self.key.is_none())
    }

    /// Whether a key or another secret would be sent so that it can be read on the way.
    pub(crate) fn would_show_a_secret(&self) -> bool {
        self.base.is_open_to_readers() && self.secrets().next().is_some()
    }

    /// Redacts all secrets from text that the server sent.
    pub(super) fn redact(&self, text: &str) -> String {
        self.secrets().fold(text.to_owned(), |hidden, secret| secret.redact(&hidden))
    }

    /// All secrets: the key, and the values of headers that the user set.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let known = |name: &str| self.profile.headers.contains_key(name);
        let headers = self.headers.iter().filter(move |(name, _)| !known(name)).map(|(_, secret)| secret);
        self.key.iter().map(|key| &key.secret).chain(headers)
    }
}

fn own_base(profile: &Profile) -> Result<BaseUrl, Unusable> {
    if profile.base.is_empty() {
        return Err(Unusable::Nowhere { title: profile.title.clone(), variables: profile.base_env.clone() });
    }
    BaseUrl::new(&profile.base, profile.format, &profile.path).map_err(|why| address(&profile.base, None, why))
}

/// The error for an address, shown without anything that may be a key.
fn address(raw: &str, variable: Option<&String>, why: String) -> Unusable {
    let (open, rest) = raw.trim().rsplit_once('@').map_or((None, raw.trim()), |(open, rest)| (Some(open), rest));
    let shown = rest.split(['?', '#']).next().unwrap_or_default();
    let shown = match open.map(|open| open.split_once("://")) {
        Some(Some((scheme @ ("http" | "https"), _))) => format!("{scheme}://***@{shown}"),
        Some(_) => format!("***@{shown}"),
        None => shown.to_owned(),
    };
    let shown: String = Clean::line(&shown).chars().take(120).collect();
    Unusable::Address { url: shown.into(), variable: variable.cloned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Format;

    fn of(name: &str, variables: &[(&str, &str)]) -> Result<Endpoint, Unusable> {
        let env = |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, v)| (*v).to_owned());
        Endpoint::from_env(&Profile::named(name).unwrap(), &env)
    }

    #[test]
    fn an_address_that_would_show_the_key_or_is_none_is_refused_with_advice() {
        for (raw, advice) in [
            ("http://8.8.8.8:11434", "use https"),
            ("http://localhost.evil.example/v1", "use https"),
            ("https://sk-canary@api.example/v1", "no place in an address"),
            ("https://me:sk/canary@api.example/v1", "no place in an address"),
            ("https://me:sk?canary#canary@api.example", "no place in an address"),
            ("sk-canary@api.example", "no place in an address"),
            ("https://api.example/v1?key=sk-canary", "without what begins at `?`"),
            ("localhost:8000/v1", "http://localhost:8000/v1"),
            ("api.example/v1", "https://api.example/v1"),
            ("ftp://api.example", "https://api.example"),
        ] {
            let error = of("openai", &[("OPENAI_BASE_URL", raw)]).unwrap_err().to_string();
            assert!(error.contains(advice) && error.contains("OPENAI_BASE_URL"), "{raw}: {error}");
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn the_host_of_ollama_is_read_as_ollama_reads_it() {
        for (raw, base) in [
            ("127.0.0.1", "http://127.0.0.1:11434/v1"),
            ("localhost:9000", "http://localhost:9000/v1"),
            (":9000", "http://127.0.0.1:9000/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0:9000", "http://127.0.0.1:9000/v1"),
            ("[::]:9000", "http://[::1]:9000/v1"),
            ("::1", "http://[::1]:11434/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
            ("http://localhost", "http://localhost/v1"),
            ("https://ollama.example", "https://ollama.example/v1"),
            ("https://gate.example/ollama/", "https://gate.example/ollama/v1"),
        ] {
            assert_eq!(of("ollama", &[("OLLAMA_HOST", raw)]).unwrap().base.to_string(), base, "{raw}");
        }
        let near = of("ollama", &[("OLLAMA_HOST", "http://192.168.1.5:11434")]).unwrap();
        assert!(near.base.is_open_to_readers() && !near.would_show_a_secret() && near.is_free());
        let variables = [("OLLAMA_HOST", "http://192.168.1.5:11434"), ("OLLAMA_API_KEY", "sk-canary-1")];
        let keyed = of("ollama", &variables).unwrap();
        assert!(keyed.would_show_a_secret() && !keyed.is_free());
    }

    #[test]
    fn the_key_is_the_first_that_is_set_and_an_empty_one_is_not() {
        let endpoint = of("anthropic", &[("ANTHROPIC_API_KEY", ""), ("ANTHROPIC_AUTH_TOKEN", "sk-canary-1")]).unwrap();
        let key = endpoint.key.clone().unwrap();
        assert_eq!((key.from.as_str(), key.sent_as), ("ANTHROPIC_AUTH_TOKEN", SentAs::Bearer));
        assert!(!format!("{endpoint:?}").contains("canary"));
        assert!(!of("openai", &[]).unwrap().is_open());
        assert!(of("ollama", &[]).unwrap().is_open());
        let error = of("openai", &[("OPENAI_API_KEY", "sk-canary two")]).unwrap_err().to_string();
        assert!(error.contains("OPENAI_API_KEY") && !error.contains("canary"), "{error}");
    }

    #[test]
    fn only_a_server_of_the_users_on_this_machine_is_free() {
        assert!(of("ollama", &[]).unwrap().is_free());
        assert!(!of("ollama", &[("OLLAMA_HOST", "https://ollama.com")]).unwrap().is_free());
        assert!(!of("anthropic", &[("ANTHROPIC_BASE_URL", "http://127.0.0.1:4000")]).unwrap().is_free());
    }

    #[test]
    fn a_server_of_another_kind_behind_openais_variable_is_spoken_to_as_such() {
        let own = of("openai", &[]).unwrap();
        assert_eq!(own.profile.format, Format::Responses);
        let azure = "https://mine.openai.azure.com/openai/v1";
        let azure = of("openai", &[("OPENAI_BASE_URL", azure)]).unwrap();
        assert_eq!(azure.profile.format, Format::Responses);
        let other = of("openai", &[("OPENAI_BASE_URL", "http://localhost:8000/v1")]).unwrap();
        assert_eq!(other.profile.format, Format::OpenAi);
        assert_eq!(other.profile.quirks, Profile::named("openai-compatible").unwrap().quirks);
        assert_eq!(other.profile.name, "openai");
        assert!(other.is_open(), "it may be asked without a key");
    }

    #[test]
    fn further_headers_come_from_the_environment() {
        let custom = "X-Team: a\n\nX-Two: b c";
        let endpoint = of("anthropic", &[("ANTHROPIC_CUSTOM_HEADERS", custom)]).unwrap();
        let names: Vec<&str> = endpoint.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["anthropic-version", "X-Team", "X-Two"]);
        assert!(of("anthropic", &[("ANTHROPIC_CUSTOM_HEADERS", "no header")]).is_err());
    }

    #[test]
    fn a_server_that_is_nowhere_says_which_variable_is_missing() {
        let error = of("openai-compatible", &[]).unwrap_err().to_string();
        assert!(error.contains("OPENAI_COMPATIBLE_BASE_URL"), "{error}");
    }
}
