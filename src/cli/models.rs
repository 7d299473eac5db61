//! From keys, servers, settings and wishes to the models that a run asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::args::{InDoubt, Thinking};
use super::exit::Failure;
use super::place::Places;
use config::{self, Config};
use desk::{Clock, Models, NoModels, ProviderModels, Room, SystemClock};
use model::choose::{self, Choice, Grounds, Seat};
use model::discover::{self, Provider, Server};
use model::prices::{self, Prices};
use model::{Client, Patience};
use run::event::{DoubtAnswer, Opening};
use run::price::Rates;
use run::{Forecast, ModelId, Money, Role, Team};
use team::Prompt;
use text::Clean;

/// The most a run may cost whose models cost something, if nobody says otherwise.
pub const USUAL_CAP: Money = Money(1_000_000_000_000);

/// What there is to think with, and what the user has set about it.
pub struct Setting {
    /// What the user has set.
    pub config: Config,
    /// What models cost.
    pub prices: Prices,
    /// Providers, seen as far as they were looked at.
    pub providers: Vec<Provider>,
    /// What is left of the disk that answers are kept on.
    room: Room,
}

/// The models that were chosen for a run, and the way to them.
pub struct Chosen {
    /// Who thinks with which.
    pub choices: Vec<Choice>,
    /// The way to them.
    pub models: Arc<dyn Models>,
    /// The most they may cost, if the configuration says.
    pub max_cost: Option<Money>,
    /// Whether nobody asked for them: they are merely there.
    pub unasked: bool,
}

impl Setting {
    /// Reads configuration, prices and environment. Nothing is sent anywhere.
    pub fn read(places: &Places, thinking: &Thinking) -> Result<Setting, Failure> {
        let config = config::load(&places.config).map_err(|error| Failure::Usage(error.to_string()))?;
        let mut prices = Prices::load(&places.config).map_err(|error| Failure::Usage(error.to_string()))?;
        for price in &thinking.prices {
            let set = prices.set(&price.model, price.input, price.output, "--price".into());
            set.map_err(|why| Failure::Usage(format!("--price {}: {why}", price.model)))?;
        }
        let providers = discover::providers(&config, &|name| std::env::var(name).ok());
        let data = places.data.clone();
        let room: Room = Arc::new(move || {
            let disk = rustix::fs::statvfs(&data).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        });
        Ok(Setting { config, prices, providers, room })
    }

    /// Looks for the servers of these providers on this machine; of all of them without names.
    pub fn look(&mut self, names: Option<&BTreeSet<String>>) -> Result<(), Failure> {
        let wanted = |provider: &Provider| names.is_none_or(|names| names.contains(&provider.name));
        let (mut looked, others) = std::mem::take(&mut self.providers).into_iter().partition::<Vec<_>, _>(wanted);
        block_on(discover::probe(&mut looked))?;
        self.providers = others;
        self.providers.extend(looked);
        Ok(())
    }

    /// Who thinks with which model; nobody if nothing asks for it.
    pub fn choose(&self, thinking: &Thinking, seats: &[Seat]) -> Result<Vec<Choice>, String> {
        if thinking.extractive {
            return Ok(Vec::new());
        }
        let today = prices::day(SystemClock.now());
        let Setting { config, prices, providers, .. } = self;
        let grounds = Grounds { providers, config, prices, today };
        choose::choose(seats, &thinking.models, grounds).map_err(|unfit| unfit.to_string())
    }

    /// The way to these providers. One that cannot be asked is answered for in words when it is.
    pub fn way_to(&self, names: &BTreeSet<Clean>) -> Result<Arc<dyn Models>, Failure> {
        if names.is_empty() {
            return Ok(Arc::new(NoModels));
        }
        let client = Client::new(Patience::default());
        let mut models = ProviderModels::new(client, Arc::new(self.prices.clone()), Arc::new(SystemClock))
            .kept_on(self.room.clone());
        for name in names {
            let provider = self.providers.iter().find(|provider| provider.name == name.as_str());
            models = match provider.map(|provider| (provider, provider.open())) {
                Some((provider, Ok(endpoint))) => models.with(endpoint, places(provider)),
                Some((_, Err(why))) => models.without(name.clone(), Clean::new(&why)),
                None => {
                    let why = format!("there is no provider {name}: put [providers.{name}] back into config.toml");
                    models.without(name.clone(), why.into())
                }
            };
        }
        Ok(Arc::new(models))
    }
}

/// How many requests a provider takes at the same time.
pub fn places(provider: &Provider) -> Option<usize> {
    let (kind, told) = match &provider.server {
        Server::There(serving) => (serving.kind, serving.slots),
        _ => (provider.name.as_str(), None),
    };
    provider.slots.or(told).or_else(|| choose::places(kind))
}

/// The roles that a model can be given to: those with a prompt. The supervisor is one of them where a model is to lead.
pub fn seats(team: &Team, prompts: &BTreeMap<Role, Prompt>) -> Vec<Seat> {
    let leads = team.is_model_led();
    let is_free = |(role, _): &(&Role, &Prompt)| leads || role.as_str() != Role::SUPERVISOR;
    let seat = |(role, prompt): (&Role, &Prompt)| {
        let tools = prompt.tools.as_ref().or_else(|| Some(&team.members.get(role)?.tools));
        Seat {
            role: role.clone(),
            // Whoever leads hands work out by calling tools.
            tools: team.leads(role) || tools.is_some_and(|tools| !tools.is_empty()),
            answer_tokens: prompt.answer_tokens,
            model: prompt.model.as_ref().map(|model| Clean::line(&model.to_string())),
        }
    };
    prompts.iter().filter(is_free).map(seat).collect()
}

/// Models for a new run; None if it is to do without.
pub fn for_new(places: &Places, thinking: &Thinking, seats: &[Seat]) -> Result<Option<Chosen>, Failure> {
    if thinking.extractive {
        return Ok(None);
    }
    let mut setting = Setting::read(places, thinking)?;
    let unasked = !choose::is_said(seats, &thinking.models, &setting.config);
    let concerned: BTreeSet<String> = match unasked {
        true => setting.providers.iter().filter(|p| p.is_there().is_some()).map(|p| p.name.clone()).collect(),
        false => choose::concerned(seats, &thinking.models, &setting.config).map(ToOwned::to_owned).collect(),
    };
    if concerned.is_empty() {
        return Ok(None);
    }
    setting.look(Some(&concerned))?;
    let choices = setting.choose(thinking, seats).map_err(Failure::Usage)?;
    let engaged = choices.iter().flat_map(Choice::engaged);
    let names: BTreeSet<Clean> = engaged.map(|engaged| engaged.model.provider.clone()).collect();
    // A key that cannot be had is better known before the run is opened than after.
    for provider in setting.providers.iter().filter(|provider| names.contains(provider.name.as_str())) {
        provider.open().map_err(Failure::Usage)?;
    }
    let models = setting.way_to(&names)?;
    let max_cost = setting.config.max_cost;
    Ok(Some(Chosen { choices, models, max_cost, unasked }).filter(|chosen| !chosen.choices.is_empty()))
}

/// Models for a run that is picked up: those it was opened with.
pub fn for_run(places: &Places, opening: &Opening) -> Result<Arc<dyn Models>, Failure> {
    let engaged = opening.team.members.values().flat_map(|member| member.engaged.iter().chain(&member.spares));
    let names: BTreeSet<Clean> = engaged.map(|engaged| engaged.model.provider.clone()).collect();
    if names.is_empty() {
        return Ok(Arc::new(NoModels));
    }
    let mut setting = Setting::read(places, &Thinking::default())?;
    setting.look(Some(&names.iter().map(ToString::to_string).collect()))?;
    setting.way_to(&names)
}

/// The cap in money of a new run: what was said, what is set, or the usual one where its models cost anything.
pub fn cap(said: Option<Money>, set: Option<Money>, choices: &[Choice]) -> Option<Money> {
    let costs = |rates: &Rates| rates.most(1, 1) > Money::default();
    let mut engaged = choices.iter().flat_map(Choice::engaged);
    let paid = engaged.any(|engaged| engaged.rates.as_ref().is_none_or(costs));
    said.or(set).or(paid.then_some(USUAL_CAP))
}

/// What becomes of calls in doubt without asking: what was said, or what is set.
pub fn doubts(places: &Places, said: Option<InDoubt>) -> Result<Option<DoubtAnswer>, Failure> {
    let set = match said {
        Some(_) => None,
        None => config::load(&places.config).map_err(|error| Failure::Usage(error.to_string()))?.in_doubt,
    };
    Ok(match (said, set) {
        (Some(InDoubt::Retry), _) | (None, Some(config::InDoubt::Retry)) => Some(DoubtAnswer::Retry),
        (Some(InDoubt::Skip), _) | (None, Some(config::InDoubt::Skip)) => Some(DoubtAnswer::Skip),
        (Some(InDoubt::Ask), _) | (None, Some(config::InDoubt::Ask) | None) => None,
    })
}

/// Who thinks with what, for the person before the run begins: who thinks with the same model is named together.
pub fn in_words(choices: &[Choice]) -> String {
    let mut models: Vec<(&ModelId, Vec<&str>, Vec<&str>)> = Vec::new();
    for choice in choices {
        let (role, notes) = (choice.role.as_str(), choice.notes.iter().map(String::as_str));
        match models.iter_mut().find(|(model, ..)| **model == choice.engaged.model) {
            Some((_, roles, _)) => roles.push(role),
            None => models.push((&choice.engaged.model, vec![role], notes.collect())),
        }
    }
    let spares: Vec<&ModelId> = choices.iter().flat_map(|choice| &choice.spares).map(|spare| &spare.model).collect();
    let spares: BTreeSet<String> = spares.into_iter().map(ToString::to_string).collect();
    let stand_in = match spares.is_empty() {
        true => String::new(),
        false => format!("; when one fails: {}", spares.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let one = |(model, roles, notes): &(&ModelId, Vec<&str>, Vec<&str>)| {
        let notes: String = notes.iter().map(|note| format!(" ({note})")).collect();
        format!("{} with {model}{notes}", roles.join(", "))
    };
    format!("models think: {}{stand_in}", models.iter().map(one).collect::<Vec<_>>().join("; "))
}

/// What a run will probably cost and can cost at the most.
pub fn cost_in_words(forecast: Option<Forecast>, cap: Option<Money>) -> String {
    match (forecast, cap) {
        (None, _) => "they cost nothing".into(),
        (Some(Forecast { low, likely, high }), Some(cap)) => {
            format!("probably {likely} ({low} to {high}), at most {cap} (--max-cost sets another cap)")
        }
        (Some(Forecast { low, likely, high }), None) => format!("probably {likely} ({low} to {high})"),
    }
}

/// Runs something that waits for the network, on a runtime of its own.
pub fn block_on<T>(doing: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Other(format!("the network cannot be used: {error}")))?;
    Ok(runtime.block_on(doing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::team::{Engaged, Means};

    fn choice(rates: Option<Rates>) -> Choice {
        let engaged = Engaged {
            model: "a/b".parse().unwrap(),
            prompt: "".into(),
            rates,
            context: None,
            max_tokens: 1,
            means: Means::Text,
        };
        Choice { role: Role::new("writer"), engaged, spares: vec![], why: String::new(), notes: Vec::new() }
    }

    #[test]
    fn who_thinks_with_the_same_model_is_named_together() {
        let role = |role: &str| Choice { role: Role::new(role), ..choice(None) };
        assert_eq!(in_words(&[role("planner"), role("writer")]), "models think: planner, writer with a/b");
        assert_eq!(cost_in_words(None, None), "they cost nothing");
    }

    #[test]
    fn a_run_with_paid_models_always_has_a_cap_and_one_without_has_none_of_its_own() {
        let paid = [choice(Some(Rates { output: 1, ..Rates::default() }))];
        let free = [choice(Some(Rates::free()))];
        let dollar = Money::micros(1_000_000);
        assert_eq!(cap(None, None, &paid), Some(dollar));
        assert_eq!(cap(None, Some(Money(7)), &paid), Some(Money(7)));
        assert_eq!(cap(Some(Money(3)), Some(Money(7)), &paid), Some(Money(3)));
        assert_eq!(cap(None, None, &free), None);
        assert_eq!(cap(None, None, &[choice(None)]), Some(dollar), "an unknown price is not zero");
    }
}
