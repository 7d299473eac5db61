//! Finds the available models: providers with a key in the environment or the configuration, and servers on this
//! machine.
//!
//! Keys come from the environment and from commands in the user's own configuration, never from the working folder or
//! from documents. It calls no model, so it costs nothing.

mod probe;

use std::sync::Arc;

pub use probe::probe;

use super::endpoint::{Endpoint, Unusable};
use super::key_command::KeyCommand;
use super::profile::{KeyVariable, Profile, SentAs};
use config::{self, Config};
use http_client::secret::Secret;
use text::{Clean, nearest};

/// A provider, as far as it is known without calling it.
#[derive(Clone, Debug)]
pub struct Provider {
    /// Its name, as in `provider/model`.
    pub name: String,
    /// The form of its requests and answers.
    pub profile: Arc<Profile>,
    /// Its address and key, or why it cannot be used.
    pub endpoint: Result<Endpoint, String>,
    /// The user's command that prints its key; run when the key is needed.
    pub key_command: Option<KeyCommand>,
    /// Whether the configuration has an entry for it.
    pub configured: bool,
    /// The setting of the user's that says that there is such a server, or where it is, right or wrong: its entry in the
    /// configuration, or a variable. None if there is only a key, or nothing.
    pub set_by: Option<String>,
    /// Whether its models cost nothing.
    pub free: bool,
    /// The requests it takes at the same time, if configured.
    pub slots: Option<usize>,
    /// The result of probing its server.
    pub server: Server,
}

/// The result of probing a server. Only servers on this machine are probed, and those in the user's network that they named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Server {
    /// It was not probed.
    #[default]
    Unseen,
    /// No server of that kind answers.
    Absent,
    /// It answers and is still loading its model.
    Loading,
    /// It answers that it asks for a key, and shows nothing of itself without one. Probes send none.
    Locked,
    /// It answers, and describes itself so.
    There(Serving),
}

/// A model server on this machine, as it describes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serving {
    /// The built-in provider it is: `ollama`, `llamacpp`, `vllm`, `lmstudio`.
    pub kind: &'static str,
    /// The version of its program, if reported.
    pub version: Option<Clean>,
    /// Its models, loaded ones first.
    pub models: Vec<Served>,
    /// The requests it takes at the same time, if it reports that.
    pub slots: Option<usize>,
}

/// A model that a server has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Its name there.
    pub name: Clean,
    /// The size of its context in tokens, if reported.
    pub context: Option<u64>,
    /// Whether it is in memory now.
    pub loaded: bool,
}

/// Looks up an environment variable; None if it is not set.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// All known providers, configured ones first. Sends nothing.
pub fn providers(config: &Config, env: Environment<'_>) -> Vec<Provider> {
    let own = config.providers.iter().filter(|(name, _)| Profile::named(name).is_none());
    let own = own.map(|(name, set)| provider(name, Some(set), env));
    let built_in = Profile::built_in().iter().map(|p| provider(&p.name, config.providers.get(&p.name), env));
    own.chain(built_in).collect()
}

fn provider(name: &str, set: Option<&config::Provider>, env: Environment<'_>) -> Provider {
    let nothing = config::Provider::default();
    let configured = set.is_some();
    let set = set.unwrap_or(&nothing);
    let like = set.like.as_deref().unwrap_or(if Profile::named(name).is_some() { name } else { "openai-compatible" });
    let known = Profile::named(like);
    let profile = profile(name, set, known.as_deref());
    let from_env = Endpoint::from_env(&profile, env);
    let variable = match &from_env {
        Ok(endpoint) => endpoint.base_from.clone(),
        Err(Unusable::Address { variable, .. }) => variable.clone(),
        Err(_) => None,
    };
    let endpoint = match known {
        Some(_) => from_env.map_err(|why| in_words(name, set, &why)).and_then(|mut endpoint| {
            endpoint.headers.extend(headers(name, set)?);
            shows_no_secret(name, set, &endpoint)?;
            Ok(endpoint)
        }),
        None => {
            let names = Profile::built_in().iter().map(|p| p.name.as_str());
            let meant = nearest(like, names).map(|meant| format!(": did you mean {meant}?")).unwrap_or_default();
            Err(format!(
                "`like = \"{}\"` in {} is no provider that is built in{meant}",
                Clean::line(like),
                section(name)
            ))
        }
    };
    let free = set.free.unwrap_or_else(|| endpoint.as_ref().is_ok_and(Endpoint::is_free));
    Provider {
        name: name.to_owned(),
        profile,
        endpoint,
        key_command: set.api_key_cmd.as_ref().map(|command| KeyCommand::new(name, command)),
        configured,
        set_by: if configured { Some(section(name)) } else { variable },
        free,
        slots: set.slots,
        server: Server::Unseen,
    }
}

/// Refuses to send a secret so that it can be read on the way, unless the user said that it may be.
fn shows_no_secret(name: &str, set: &config::Provider, endpoint: &Endpoint) -> Result<(), String> {
    let by_command = set.api_key_cmd.is_some() && endpoint.base.is_open_to_readers();
    if set.insecure || !(by_command || endpoint.would_show_a_secret()) {
        return Ok(());
    }
    let secret = match &endpoint.key {
        Some(key) => format!("the key in {}", key.from),
        None if by_command => "the key of api_key_cmd".to_owned(),
        None => "what is set in its headers".to_owned(),
    };
    Err(format!(
        "{secret} would be sent to {} for all in that network to read: use https, leave the key away if the server needs \
         none, or say `insecure = true` in {}",
        endpoint.base,
        section(name)
    ))
}

fn section(name: &str) -> String {
    format!("[providers.{name}] of config.toml")
}

/// The reason why it cannot be used, and the place to change that.
fn in_words(name: &str, set: &config::Provider, why: &Unusable) -> String {
    match why {
        Unusable::Nowhere { variables, .. } if variables.is_empty() => {
            format!("it is not known where {name} is: set `base_url` in {}", section(name))
        }
        Unusable::Address { variable: None, .. } if set.base_url.is_some() => {
            format!("`base_url` in {}: {why}", section(name))
        }
        _ => why.to_string(),
    }
}

fn headers(name: &str, set: &config::Provider) -> Result<Vec<(String, Secret)>, String> {
    let header = |(header, value): (&String, &String)| {
        let named = Secret::named(header, value);
        named.ok_or_else(|| format!("`{}` in {} is no header", Clean::line(header), section(name)))
    };
    set.headers.iter().map(header).collect()
}

/// The profile of a provider with the user's settings. The key of one provider never goes to another: a provider that
/// is `like` a built-in one has only its own key.
fn profile(name: &str, set: &config::Provider, like: Option<&Profile>) -> Arc<Profile> {
    let known = like.cloned().unwrap_or_else(|| Profile::clone(&Profile::built_in()[0]));
    let is_itself = known.name == name;
    let sent_as = known.keys.first().map_or(SentAs::Bearer, |key| key.sent_as);
    let mut profile = known;
    if !is_itself {
        profile.name = name.to_owned();
        profile.title = name.to_owned();
        profile.keys = Vec::new();
        profile.base_env = Vec::new();
        profile.host_env = None;
        profile.env_headers.clear();
        profile.custom_headers_env = None;
        profile.elsewhere = None;
        profile.base = String::new();
        profile.key_optional = set.api_key_env.is_none() && set.api_key_cmd.is_none();
    }
    if let Some(base) = &set.base_url {
        profile.base.clone_from(base);
        profile.base_env = Vec::new();
        profile.host_env = None;
    }
    if let Some(variable) = &set.api_key_env {
        profile.keys = vec![KeyVariable { env: variable.clone(), sent_as }];
    }
    if set.api_key_cmd.is_some() {
        profile.keys = Vec::new();
    }
    Arc::new(profile)
}

impl Provider {
    /// Whether it can be called: it has an address, and a key if it needs one.
    pub fn is_usable(&self) -> bool {
        self.endpoint.as_ref().is_ok_and(|endpoint| endpoint.is_open() || self.key_command.is_some())
            && self.server != Server::Absent
            && !self.lacks_its_key()
    }

    /// Whether its server asks for a key that is not set.
    fn lacks_its_key(&self) -> bool {
        let has_key = self.key_command.is_some() || self.endpoint.as_ref().is_ok_and(|endpoint| endpoint.key.is_some());
        self.server == Server::Locked && !has_key
    }

    /// The setting of the user's that makes it available: a key or an address. None if there is none.
    pub fn is_there(&self) -> Option<String> {
        let endpoint = self.endpoint.as_ref().ok().filter(|_| self.is_usable())?;
        match (&endpoint.key, &endpoint.base_from) {
            _ if self.configured => Some(format!("it is in {}", section(&self.name))),
            (Some(key), _) => Some(format!("{} is set", key.from)),
            (None, Some(variable)) => Some(format!("{variable} is set")),
            (None, None) => None,
        }
    }

    /// The reason why it cannot be called and the remedy; None if it can.
    pub fn lacks(&self) -> Option<String> {
        let Provider { name, profile, .. } = self;
        match &self.endpoint {
            Err(why) => Some(why.clone()),
            Ok(_) if self.is_usable() => None,
            Ok(endpoint) if self.server == Server::Absent => {
                let setting = match profile.host_env.as_ref().or(profile.base_env.first()) {
                    Some(variable) => variable.clone(),
                    None => format!("`base_url` in {}", section(name)),
                };
                Some(format!(
                    "no {} answers at {}: start it, or say where it is with {setting}",
                    profile.title, endpoint.base
                ))
            }
            Ok(_) => {
                let variables: Vec<&str> = profile.keys.iter().map(|key| key.env.as_str()).collect();
                let set = match variables.is_empty() {
                    true => format!("`api_key_env` in {}", section(name)),
                    false => variables.join(" or "),
                };
                Some(match self.lacks_its_key() {
                    true => format!("{} asks for a key: set {set}", profile.title),
                    false => format!("there is no key for {name}: set {set}"),
                })
            }
        }
    }

    /// Its endpoint with its key. Runs the user's command that prints the key, if one is set.
    ///
    /// # Errors
    /// The error is the reason why it cannot be called, with the remedy.
    pub fn open(&self) -> Result<Endpoint, String> {
        let mut endpoint = self.endpoint.clone()?;
        if let Some(command) = &self.key_command {
            endpoint.has_key_of(command, command.key()?);
        }
        match endpoint.is_open() {
            true => Ok(endpoint),
            false => Err(self.lacks().unwrap_or_default()),
        }
    }

    /// The models of its server, if that was probed.
    pub fn models(&self) -> &[Served] {
        match &self.server {
            Server::There(serving) => &serving.models,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests;
