//! Who thinks with which model, and why.
//!
//! Pure: what there is, what was set and what was asked for in; a model for each role out, or what is wrong in words
//! that say what to do. A wish on the command line comes before the configuration, and that before what is merely there:
//! a key in the environment, a server whose address the environment names. A server that was only guessed at is never
//! used unasked: a model on a small machine may think for an hour.

mod usual;

use jiff::civil::Date;

pub use usual::{places, usual};

use super::discover::{Provider, Server};
use super::prices::Prices;
use super::profile::{Quirks, Structured};
use config::{Config, UnknownPrice};
use run::Role;
use run::model::ModelId;
use run::price::Rates;
use run::team::{Engaged, Means};
use text::{Clean, nearest};

/// The name under which the configuration sets a model for every role.
const DEFAULT: &str = "default";
/// What stands in place of a model where there is to be none.
const NONE: &str = "none";

/// A role for which there is a prompt, so that a model can do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The role.
    pub role: Role,
    /// Whether it uses tools.
    pub tools: bool,
    /// The most tokens one answer may take, if its prompt says.
    pub answer_tokens: Option<u32>,
    /// The model its prompt names, if it does.
    pub model: Option<Clean>,
}

/// A wish for a model, as it is said on the command line: `provider/model`, `provider`, `role=provider/model`. Models
/// that stand in when that one fails follow behind commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// For whom; None for all.
    pub role: Option<Role>,
    /// Which.
    pub model: Clean,
}

/// What is chosen from, and with.
#[derive(Clone, Copy, Debug)]
pub struct Grounds<'a> {
    /// What there is.
    pub providers: &'a [Provider],
    /// What the user has set.
    pub config: &'a Config,
    /// What models cost.
    pub prices: &'a Prices,
    /// What day it is.
    pub today: Date,
}

/// A model for a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whose.
    pub role: Role,
    /// The model with all that a run depends on, but for the prompt, which is empty.
    pub engaged: Engaged,
    /// The models that stand in when that one fails, in order.
    pub spares: Vec<Engaged>,
    /// Why this one.
    pub why: String,
    /// What the person ought to know about it.
    pub notes: Vec<String>,
}

impl Choice {
    /// The model, and those that stand in for it.
    pub fn engaged(&self) -> impl Iterator<Item = &Engaged> {
        std::iter::once(&self.engaged).chain(&self.spares)
    }
}

/// It cannot be done as it was asked for. For a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(pub String);

impl std::str::FromStr for Wish {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let (role, model) = match s.split_once('=') {
            Some((role, model)) => (Some(role.trim()), model.trim()),
            None => (None, s.trim()),
        };
        if model.is_empty() || role.is_some_and(str::is_empty) {
            return Err("write provider/model, a provider alone, or role=provider/model".into());
        }
        let role = role.filter(|role| *role != DEFAULT).map(|role| Role::new(&Clean::line(role)));
        Ok(Wish { role, model: Clean::line(model) })
    }
}

/// The providers that were asked for, so that no server has to be looked for in vain. In no order of rank.
pub fn concerned<'a>(seats: &'a [Seat], wishes: &'a [Wish], config: &'a Config) -> impl Iterator<Item = &'a str> {
    let named = wishes.iter().map(|wish| &wish.model);
    let set = config.models.values().map(|assigned| &assigned.model);
    let prompts = seats.iter().filter_map(|seat| seat.model.as_ref()).filter(|model| model.contains('/'));
    let models = named.chain(set).chain(prompts).flat_map(|model| each_of(model));
    models.map(|model| model.split('/').next().unwrap_or_default())
}

/// Whether anything says who is to think with which model, so that nothing has to be found.
pub fn is_said(seats: &[Seat], wishes: &[Wish], config: &Config) -> bool {
    concerned(seats, wishes, config).next().is_some()
}

/// The first provider that is there without being asked for and has a model of known price for every seat, with all
/// of them.
fn found(seats: &[Seat], grounds: Grounds<'_>) -> Vec<Choice> {
    let all = |provider: &Provider| -> Option<Vec<Choice>> {
        let because = provider.is_there()?;
        let choice = |seat: &Seat| {
            let (model, reason) = usual_of(provider, &seat.role)?;
            let id = ModelId { provider: provider.name.as_str().into(), model };
            let (engaged, notes) = engage(seat, &id, provider, None, grounds)?;
            let why = format!("{because}: {reason}");
            Some(Choice { role: seat.role.clone(), engaged, spares: Vec::new(), why, notes })
        };
        seats.iter().map(choice).collect()
    };
    grounds.providers.iter().find_map(all).unwrap_or_default()
}

/// A model for each role that is to have one, in the order of the seats.
///
/// # Errors
/// Something that was asked for is not there, or its price is not known.
pub fn choose(seats: &[Seat], wishes: &[Wish], grounds: Grounds<'_>) -> Result<Vec<Choice>, Unfit> {
    check_roles(seats, wishes, grounds.config)?;
    if !is_said(seats, wishes, grounds.config) {
        return Ok(found(seats, grounds));
    }
    let mut choices = Vec::new();
    let mut unpriced: Vec<ModelId> = Vec::new();
    for seat in seats {
        let wanted = wanted(seat, wishes, grounds.config).filter(|(model, ..)| model.as_str() != NONE);
        let Some((model, max_tokens, why)) = wanted else { continue };
        let mut choice: Option<Choice> = None;
        for model in each_of(&model) {
            let (id, provider, why) = resolve(model, seat, why.clone(), grounds)?;
            match (engage(seat, &id, provider, max_tokens, grounds), &mut choice) {
                (Some((engaged, _)), Some(choice)) => choice.spares.push(engaged),
                (Some((engaged, notes)), none) => {
                    *none = Some(Choice { role: seat.role.clone(), engaged, spares: Vec::new(), why, notes });
                }
                (None, _) if unpriced.contains(&id) => {}
                (None, _) => unpriced.push(id),
            }
        }
        choices.extend(choice);
    }
    match unpriced.is_empty() {
        true => Ok(choices),
        false => Err(Unfit(without_price(&unpriced, grounds.prices))),
    }
}

/// The model and those that stand in for it.
fn each_of(models: &str) -> impl Iterator<Item = &str> {
    models.split(',').map(str::trim).filter(|model| !model.is_empty())
}

fn check_roles(seats: &[Seat], wishes: &[Wish], config: &Config) -> Result<(), Unfit> {
    let said = wishes.iter().filter_map(|wish| Some((wish.role.as_ref()?, "--model")));
    let set =
        config.models.keys().filter(|role| role.as_str() != DEFAULT).map(|role| (role, "[models] of config.toml"));
    for (role, place) in said.chain(set) {
        if seats.iter().all(|seat| seat.role != *role) {
            let names: Vec<&str> = seats.iter().map(|seat| seat.role.as_str()).collect();
            let meant = nearest(role.as_str(), names.iter().copied());
            let meant = meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
            let roles = names.join(", ");
            return Err(Unfit(format!(
                "{place} names `{role}`, which no model can be given to: there are prompts for {roles}.{meant}"
            )));
        }
    }
    Ok(())
}

/// Which model a role is to have, how long its answers may be if that was set, and who said so.
fn wanted(seat: &Seat, wishes: &[Wish], config: &Config) -> Option<(Clean, Option<u32>, String)> {
    let said = |role: Option<&Role>| wishes.iter().rev().find(|wish| wish.role.as_ref() == role);
    let set = |role: &Role| config.models.get(role);
    let own = set(&seat.role);
    let tokens = own.and_then(|assigned| assigned.max_tokens);
    if let Some(wish) = said(Some(&seat.role)) {
        return Some((wish.model.clone(), tokens, format!("--model {}={}", seat.role, wish.model)));
    }
    if let Some(wish) = said(None) {
        return Some((wish.model.clone(), tokens, format!("--model {}", wish.model)));
    }
    if let Some(assigned) = own {
        return Some((assigned.model.clone(), tokens, format!("`{}` in [models] of config.toml", seat.role)));
    }
    if let Some(model) = seat.model.as_ref().filter(|model| model.contains('/')) {
        return Some((model.clone(), None, "its prompt names it".into()));
    }
    let assigned = set(&Role::new(DEFAULT))?;
    Some((assigned.model.clone(), assigned.max_tokens, "`default` in [models] of config.toml".into()))
}

/// The model and its provider, if both are there.
fn resolve<'a>(
    model: &str,
    seat: &Seat,
    why: String,
    grounds: Grounds<'a>,
) -> Result<(ModelId, &'a Provider, String), Unfit> {
    let (name, model) = model.split_once('/').map_or((model, None), |(name, model)| (name, Some(model)));
    let Some(provider) = grounds.providers.iter().find(|provider| provider.name == name) else {
        return Err(Unfit(no_provider(name, model, &why, grounds)));
    };
    if let Some(lacks) = provider.lacks() {
        return Err(Unfit(format!("{name} cannot be used ({why}): {lacks}")));
    }
    let (model, why) = match model {
        Some(model) => (served(model, provider)?, why),
        None => {
            let (model, reason) = usual_of(provider, &seat.role).ok_or_else(|| Unfit(name_one(provider, grounds)))?;
            (model, format!("{why}: {reason}"))
        }
    };
    Ok((ModelId { provider: name.into(), model }, provider, why))
}

fn no_provider(name: &str, model: Option<&str>, why: &str, grounds: Grounds<'_>) -> String {
    let names = || grounds.providers.iter().map(|provider| provider.name.as_str());
    let shown = Clean::line(name);
    if model.is_none()
        && let Some(provider) = names().find(|provider| grounds.prices.models_of(provider).any(|known| known == name))
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

/// The model as its server calls it, if the server was seen and has it.
fn served(model: &str, provider: &Provider) -> Result<Clean, Unfit> {
    let models = provider.models();
    let with_tag = format!("{model}:latest");
    if let Some(known) = models.iter().find(|known| known.name == model || known.name.as_str() == with_tag) {
        return Ok(known.name.clone());
    }
    match (&provider.server, models.is_empty()) {
        (Server::There(_), false) => {
            let meant = nearest(model, models.iter().map(|known| known.name.as_str()));
            let meant = meant.map(|meant| format!(" Did you mean {}/{meant}?", provider.name)).unwrap_or_default();
            Err(Unfit(format!(
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

/// The first few of many.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len() {
        0..=8 => names.join(", "),
        n => format!("{} and {} more", names[..8].join(", "), n - 8),
    }
}

/// The usual model of a provider for a role, and why it is that one.
fn usual_of(provider: &Provider, role: &Role) -> Option<(Clean, String)> {
    let models = provider.models();
    let is_there = |model: &str| models.is_empty() || models.iter().any(|served| served.name == model);
    if let Some(model) = usual(&provider.name, role).filter(|model| is_there(model)) {
        return Some((model.into(), format!("usual for the work of the {role}")));
    }
    match models {
        [only] => Some((only.name.clone(), "its only model".into())),
        [first, second, ..] if first.loaded && !second.loaded => {
            Some((first.name.clone(), "the one that is loaded".into()))
        }
        _ => None,
    }
}

fn name_one(provider: &Provider, grounds: Grounds<'_>) -> String {
    let name = &provider.name;
    let known: Vec<&str> = match provider.models() {
        [] => grounds.prices.models_of(name).collect(),
        served => served.iter().map(|known| known.name.as_str()).collect(),
    };
    match known.first() {
        Some(first) => {
            format!(
                "{name} has several models; name one, as in --model {name}/{first}: {}",
                list(known.iter().copied())
            )
        }
        None => format!("no model of {name} is usual; name one, as in --model {name}/MODEL"),
    }
}

/// The model with all that a run depends on; None if its price is not known.
fn engage(
    seat: &Seat,
    id: &ModelId,
    provider: &Provider,
    max_tokens: Option<u32>,
    grounds: Grounds<'_>,
) -> Option<(Engaged, Vec<String>)> {
    let known = grounds.prices.known(id, grounds.today);
    let mut notes = Vec::new();
    let rates = match (&known, provider.free, grounds.config.unknown_price) {
        (_, true, _) => Rates::free(),
        (Some(known), ..) => known.rates.clone(),
        (None, _, UnknownPrice::Dearest) => {
            let (dearest, rates) = grounds.prices.dearest(&provider.name, grounds.today)?;
            notes.push(format!(
                "its price is not known; it is taken to cost as much as {dearest}, the dearest of {}",
                provider.name
            ));
            rates
        }
        (None, ..) => return None,
    };
    if let Some(ends) = known.as_ref().and_then(|known| known.ends) {
        let verb = if ends <= grounds.today { "was to be" } else { "is to be" };
        notes.push(format!("it {verb} shut down on {ends}"));
    }
    let served = provider.models().iter().find(|served| served.name == id.model);
    let context = served.and_then(|served| served.context).or(known.as_ref().and_then(|known| known.context));
    if context.is_none() {
        notes.push("the length of its context is not known; it may cut what it is sent".into());
    }
    let most = known.as_ref().and_then(|known| known.max_output).unwrap_or(u32::MAX);
    // An answer leaves at least half of the context to what is asked.
    let room = context.map_or(u32::MAX, |context| u32::try_from(context / 2).unwrap_or(u32::MAX));
    let answer = max_tokens.or(seat.answer_tokens).unwrap_or_else(|| usual::answer_tokens(&seat.role));
    let engaged = Engaged {
        model: id.clone(),
        prompt: Clean::default(),
        rates: Some(rates),
        context,
        max_tokens: answer.min(most).min(room).max(1),
        means: means(&quirks(provider), seat.tools),
    };
    Some((engaged, notes))
}

/// The quirks of the server that is really there.
fn quirks(provider: &Provider) -> Quirks {
    provider.endpoint.as_ref().map_or_else(|_| provider.profile.quirks.clone(), |there| there.profile.quirks.clone())
}

/// The strongest means by which a model can be made to report.
fn means(quirks: &Quirks, tools: bool) -> Means {
    let schema = matches!(quirks.structured, Structured::JsonSchema | Structured::OutputConfig);
    match (schema, tools) {
        // Where schema and tools do not go together, the tools are left out of the question for the report.
        (true, _) => Means::Schema,
        // Whoever can call tools can call one more.
        (false, true) => Means::Tool,
        (false, false) => Means::Text,
    }
}

fn without_price(models: &[ModelId], prices: &Prices) -> String {
    let names: Vec<String> = models.iter().map(ToString::to_string).collect();
    let (is, its) = if models.len() == 1 { ("is", "its price is") } else { ("are", "their prices are") };
    let meant: Vec<String> = models
        .iter()
        .filter_map(|id| {
            let meant = nearest(&id.model, prices.models_of(&id.provider))?;
            Some(format!("Did you mean {}/{meant}?\n", id.provider))
        })
        .collect();
    let rows: Vec<String> = names.iter().map(|name| format!("  \"{name}\" = {{ in = 0.00, out = 0.00 }}")).collect();
    format!(
        "{} {is} not asked because {its} not known.\n{}Say what it costs, in dollars per million tokens in and out: --price {}=IN,OUT\nor in prices.toml in the configuration directory:\n  [models]\n{}",
        names.join(", "),
        meant.concat(),
        names[0],
        rows.join("\n"),
    )
}

#[cfg(test)]
mod tests;
