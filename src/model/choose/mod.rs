//! Chooses a model for each role, and says why.
//!
//! Pure: providers, configuration and command line in; a model for each role out, or an error that names the remedy.
//! `--model` comes before the configuration, and that before the offers of the environment: a key, or the address of a
//! server. A server that was merely found by probing is never used unasked: a model on a small machine may take an
//! hour.

mod arg;
mod assign;
mod defaults;
#[cfg(test)]
mod tests;

use jiff::civil::Date;

pub use defaults::{default_model, places};

use super::discover::{Provider, Server};
use super::prices::Prices;
use arg::{DEFAULT, NONE, each_model};
use assign::{assign, takes, without_price};
use config::Config;
use run::Role;
use run::model::ModelId;
use run::team::{AssignedModel, Strength};
use run::thinking::Thinking;
use text::{Clean, nearest};

pub use arg::{ModelArg, asks_for_one, named_providers, names_a_model};

/// A role with a prompt, which a model can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptedRole {
    /// The role.
    pub role: Role,
    /// Whether it uses tools.
    pub tools: bool,
    /// The most tokens of one answer, thinking not included, if its prompt sets them.
    pub answer_tokens: Option<u32>,
    /// The settings of its model's thinking, from its prompt or the team.
    pub thinking: Thinking,
    /// The model that its prompt names, if any.
    pub model: Option<Clean>,
    /// The strength of the model that its prompt asks for, if it names none.
    pub strength: Option<Strength>,
}

/// The models to choose from.
#[derive(Clone, Copy, Debug)]
pub struct Available<'a> {
    /// The known providers, those that cannot be used among them.
    pub providers: &'a [Provider],
    /// The user's configuration.
    pub config: &'a Config,
    /// The prices of models.
    pub prices: &'a Prices,
    /// The date, for prices.
    pub today: Date,
}

/// The model chosen for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The role.
    pub role: Role,
    /// The model; its prompt is still empty.
    pub model: AssignedModel,
    /// The models that take over when it fails, in order; their prompts are still empty.
    pub fallbacks: Vec<AssignedModel>,
    /// The reason for the choice, in words for the person.
    pub why: String,
    /// Notes on it for the person, such as the day on which it is shut down; a sentence each.
    pub notes: Vec<String>,
}

impl Choice {
    /// The model, then its fallbacks.
    pub fn models(&self) -> impl Iterator<Item = &AssignedModel> {
        std::iter::once(&self.model).chain(&self.fallbacks)
    }

    /// The same, to be changed.
    pub fn models_mut(&mut self) -> impl Iterator<Item = &mut AssignedModel> {
        std::iter::once(&mut self.model).chain(&mut self.fallbacks)
    }
}

/// The choice is impossible; the message is for the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotChoose(pub String);

/// The models of the first available provider that has one with a known price for every role.
fn discovered(roles: &[PromptedRole], available: Available<'_>) -> Result<Vec<Choice>, CannotChoose> {
    let all = |provider: &Provider| -> Option<Vec<Choice>> {
        let because = provider.is_there()?;
        let choice = |prompted: &PromptedRole| {
            let (model, reason) = default_of(provider, prompted)?;
            let id = ModelId { provider: provider.name.as_str().into(), model };
            let (model, notes) = assign(prompted, &id, provider, &Wanted::default(), available)?;
            let why = format!("{because}: {reason}");
            Some(Choice { role: prompted.role.clone(), model, fallbacks: Vec::new(), why, notes })
        };
        roles.iter().map(choice).collect()
    };
    let found = available.providers.iter().find_map(|provider| Some((provider, all(provider)?)));
    let Some((provider, choices)) = found else { return Ok(Vec::new()) };
    for (prompted, choice) in roles.iter().zip(&choices) {
        takes(prompted, &choice.model, provider)?;
    }
    Ok(choices)
}

/// Chooses a model for each role that is to have one, in the order of `roles`.
///
/// # Errors
/// A requested model is unavailable or has no known price.
pub fn choose(
    roles: &[PromptedRole],
    args: &[ModelArg],
    available: Available<'_>,
) -> Result<Vec<Choice>, CannotChoose> {
    check_roles(roles, args, available.config)?;
    if !names_a_model(roles, args, available.config) {
        return discovered(roles, available);
    }
    let mut choices = Vec::new();
    let mut unpriced: Vec<ModelId> = Vec::new();
    for prompted in roles {
        let wanted = wanted(prompted, args, available.config).filter(|wanted| wanted.model.as_str() != NONE);
        let Some(wanted) = wanted else { continue };
        let mut choice: Option<Choice> = None;
        let mut not_there: Vec<CannotChoose> = Vec::new();
        for model in each_model(&wanted.model) {
            let (id, provider, why) = match resolve(model, prompted, wanted.why.clone(), available) {
                // Another of those that are named can do its work.
                Err(why) if is_of_a_provider(model, available) => {
                    not_there.push(why);
                    continue;
                }
                resolved => resolved?,
            };
            match (assign(prompted, &id, provider, &wanted, available), &mut choice) {
                (Some((mut model, _)), Some(choice)) => {
                    // Another model need not take the first model's settings.
                    if let Err(CannotChoose(why)) = takes(prompted, &model, provider) {
                        choice.notes.push(format!("{why}; it stands in without that"));
                        model.thinking = Thinking::default();
                    }
                    choice.fallbacks.push(model);
                }
                (Some((model, notes)), none) => {
                    takes(prompted, &model, provider)?;
                    *none = Some(Choice { role: prompted.role.clone(), model, fallbacks: Vec::new(), why, notes });
                }
                (None, _) if unpriced.contains(&id) => {}
                (None, _) => unpriced.push(id),
            }
        }
        match (&mut choice, not_there) {
            (Some(choice), not_there) => {
                let without = not_there
                    .into_iter()
                    .map(|CannotChoose(why)| format!("{}; it is left out", why.trim_end_matches('.')));
                choice.notes.extend(without);
            }
            (None, not_there) if unpriced.is_empty() => not_there.into_iter().next().map_or(Ok(()), Err)?,
            (None, _) => {}
        }
        choices.extend(choice);
    }
    match unpriced.is_empty() {
        true => Ok(choices),
        false => Err(CannotChoose(without_price(&unpriced, available))),
    }
}

/// The reasons why the servers that the user's settings name are not used, if no model was named and [`choose`] found none: a
/// sentence for each. Keys alone are left out: they stand in many environments for other programs.
pub fn unused(roles: &[PromptedRole], available: Available<'_>) -> Vec<String> {
    let providers = available.providers.iter().filter(|_| !roles.is_empty());
    let not_used = |provider: &Provider| {
        let set_by = provider.set_by.as_ref()?;
        let why = provider.lacks().or_else(|| no_choice(roles, provider, available))?;
        Some(format!("{} is not used, though {set_by} names it: {why}", provider.name))
    };
    providers.filter_map(not_used).collect()
}

/// The reason why a provider that can be called has no model for every role unless it is named.
fn no_choice(roles: &[PromptedRole], provider: &Provider, available: Available<'_>) -> Option<String> {
    roles.iter().find_map(|prompted| {
        let Some((model, _)) = default_of(provider, prompted) else { return Some(name_one(provider, available)) };
        let id = ModelId { provider: provider.name.as_str().into(), model };
        let is_priced = assign(prompted, &id, provider, &Wanted::default(), available).is_some();
        (!is_priced).then(|| format!("the price of {id} is not known: --price {id}=IN,OUT says it, or prices.toml"))
    })
}

/// Whether a model is named with a provider that there is.
fn is_of_a_provider(model: &str, available: Available<'_>) -> bool {
    let name = model.split_once('/').map_or(model, |(name, _)| name);
    available.providers.iter().any(|provider| provider.name == name)
}

fn check_roles(roles: &[PromptedRole], args: &[ModelArg], config: &Config) -> Result<(), CannotChoose> {
    let from_args = args.iter().filter_map(|arg| Some((arg.role.as_ref()?, "--model")));
    let set =
        config.models.keys().filter(|role| role.as_str() != DEFAULT).map(|role| (role, "[models] of config.toml"));
    for (role, place) in from_args.chain(set) {
        if roles.iter().all(|prompted| prompted.role != *role) {
            let names: Vec<&str> = roles.iter().map(|prompted| prompted.role.as_str()).collect();
            let meant = nearest(role.as_str(), names.iter().copied());
            let meant = meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
            let roles = names.join(", ");
            return Err(CannotChoose(format!(
                "{place} names `{role}`, which no model can be given to: there are prompts for {roles}.{meant}"
            )));
        }
    }
    Ok(())
}

/// The model requested for a role.
#[derive(Clone, Debug, Default)]
struct Wanted {
    model: Clean,
    /// The most tokens of an answer, if set.
    max_tokens: Option<u32>,
    /// Effort and limit of its thinking; unset where the configuration sets none.
    thinking: Thinking,
    /// The setting that requested it.
    why: String,
}

fn wanted(prompted: &PromptedRole, args: &[ModelArg], config: &Config) -> Option<Wanted> {
    let given = |role: Option<&Role>| args.iter().rev().find(|arg| arg.role.as_ref() == role);
    let set = |role: &Role| config.models.get(role);
    let own = set(&prompted.role);
    let max_tokens = own.and_then(|assigned| assigned.max_tokens);
    let thinking = own.map(|assigned| assigned.thinking).unwrap_or_default();
    let of = |model: &Clean, why: String| Some(Wanted { model: model.clone(), max_tokens, thinking, why });
    if let Some(arg) = given(Some(&prompted.role)) {
        return of(&arg.model, format!("--model {}={}", prompted.role, arg.model));
    }
    if let Some(arg) = given(None) {
        return of(&arg.model, format!("--model {}", arg.model));
    }
    if let Some(assigned) = own {
        return of(&assigned.model, format!("`{}` in [models] of config.toml", prompted.role));
    }
    if let Some(model) = prompted.model.as_ref().filter(|model| model.contains('/')) {
        return of(model, format!("the prompt of {} names it", prompted.role));
    }
    let assigned = set(&Role::new(DEFAULT))?;
    let (max_tokens, thinking) = (assigned.max_tokens, assigned.thinking);
    let why = "`default` in [models] of config.toml".into();
    Some(Wanted { model: assigned.model.clone(), max_tokens, thinking, why })
}

/// The model and its provider, if both are available.
fn resolve<'a>(
    model: &str,
    prompted: &PromptedRole,
    why: String,
    available: Available<'a>,
) -> Result<(ModelId, &'a Provider, String), CannotChoose> {
    let (name, model) = model.split_once('/').map_or((model, None), |(name, model)| (name, Some(model)));
    let Some(provider) = available.providers.iter().find(|provider| provider.name == name) else {
        return Err(CannotChoose(no_provider(name, model, &why, available)));
    };
    if let Some(lacks) = provider.lacks() {
        return Err(CannotChoose(format!("{name} cannot be used ({why}): {lacks}; --extractive works without models")));
    }
    let (model, why) = match model {
        Some(model) => (served(model, provider)?, why),
        None => {
            let (model, reason) =
                default_of(provider, prompted).ok_or_else(|| CannotChoose(name_one(provider, available)))?;
            (model, format!("{why}: {reason}"))
        }
    };
    Ok((ModelId { provider: name.into(), model }, provider, why))
}

fn no_provider(name: &str, model: Option<&str>, why: &str, available: Available<'_>) -> String {
    let names = || available.providers.iter().map(|provider| provider.name.as_str());
    let shown = Clean::line(name);
    if model.is_none()
        && let Some(provider) = names().find(|provider| available.prices.models_of(provider).any(|known| known == name))
    {
        return format!("`{shown}` ({why}) is a model of {provider}: write {provider}/{shown}");
    }
    let meant = nearest(name, names()).map(|meant| match model {
        Some(model) => format!(" Did you mean {meant}/{}?", Clean::line(model)),
        None => format!(" Did you mean {meant}?"),
    });
    let all = names().collect::<Vec<_>>().join(", ");
    format!("`{shown}` ({why}) is no provider of models.{} There are {all}.", meant.unwrap_or_default())
}

/// The model under its name on the server, if that was probed and has it.
fn served(model: &str, provider: &Provider) -> Result<Clean, CannotChoose> {
    let models = provider.models();
    let with_tag = format!("{model}:latest");
    if let Some(known) = models.iter().find(|known| known.name == model || known.name.as_str() == with_tag) {
        return Ok(known.name.clone());
    }
    match (&provider.server, models.is_empty()) {
        (Server::There(_), false) => {
            let meant = nearest(model, models.iter().map(|known| known.name.as_str()));
            let meant = meant.map(|meant| format!(" Did you mean {}/{meant}?", provider.name)).unwrap_or_default();
            Err(CannotChoose(format!(
                "{} has no model `{}`.{meant} It has {}.{}",
                provider.profile.title,
                Clean::line(model),
                list(models.iter().map(|known| known.name.as_str())),
                if provider.name == "ollama" {
                    format!(" `ollama pull {}` fetches one.", Clean::line(model))
                } else {
                    String::new()
                },
            )))
        }
        _ => Ok(Clean::line(model)),
    }
}

/// The first eight names.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len() {
        0..=8 => names.join(", "),
        n => format!("{} and {} more", names[..8].join(", "), n - 8),
    }
}

/// The default model of a provider for a role, and why it is that one.
fn default_of(provider: &Provider, prompted: &PromptedRole) -> Option<(Clean, String)> {
    let (role, strength) = (&prompted.role, prompted.strength);
    let models = provider.models();
    let is_there = |model: &str| models.is_empty() || models.iter().any(|served| served.name == model);
    if let Some(model) = default_model(&provider.name, role, strength).filter(|model| is_there(model)) {
        let why = match strength {
            Some(Strength::Strongest) => "the strongest, as its prompt asks".to_owned(),
            Some(Strength::Middle) => "the usual one, as its prompt asks".to_owned(),
            Some(Strength::Small) => "a small one, as its prompt asks".to_owned(),
            None => format!("the default model for the {role}"),
        };
        return Some((model.into(), why));
    }
    match models {
        [only] => Some((only.name.clone(), "its only model".into())),
        [first, second, ..] if first.loaded && !second.loaded => {
            Some((first.name.clone(), "the one that is loaded".into()))
        }
        _ => None,
    }
}

fn name_one(provider: &Provider, available: Available<'_>) -> String {
    let name = &provider.name;
    let known: Vec<&str> = match provider.models() {
        [] => available.prices.models_of(name).collect(),
        served => served.iter().map(|known| known.name.as_str()).collect(),
    };
    match known.first() {
        Some(first) => {
            format!(
                "{name} has several models; name one, as in --model {name}/{first}: {}",
                list(known.iter().copied())
            )
        }
        None => format!("{name} has no default model; name one, as in --model {name}/MODEL"),
    }
}
