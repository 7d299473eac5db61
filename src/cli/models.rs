//! Chooses the models of a run from keys, servers, settings and arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::args::{InDoubt, Price, Thinking};
use super::exit::Failure;
use super::mcp;
use super::output::shown;
use super::place::Places;
use config::{self, Config};
use desk::{Clock, Models, NoModels, ProviderModels, Room, SystemClock};
use model::choose::{self, Available, Choice, PromptedRole};
use model::discover::{self, Provider, Server};
use model::learnt::Learnt;
use model::prices::{self, Prices};
use model::profile::Profile;
use model::{Client, Patience};
use run::event::DoubtAnswer;
use run::forecast::Reach;
use run::price::Rates;
use run::team::{Kind, Member};
use run::{Forecast, ModelId, Money, Role, Team, ToolName};
use team::Prompt;
use text::{Clean, nearest};

/// The default cap of a run whose models cost anything.
pub const DEFAULT_CAP: Money = Money(1_000_000_000_000);

pub struct Setting {
    pub config: Config,
    pub prices: Prices,
    /// The providers, probed as far as needed.
    pub providers: Vec<Provider>,
    /// The token densities of models, learnt in earlier runs.
    learnt: Learnt,
    /// Returns the free bytes on the journal's disk.
    room: Room,
}

pub struct Chosen {
    pub choices: Vec<Choice>,
    pub models: Arc<dyn Models>,
    /// The cap on their cost, if configured.
    pub max_cost: Option<Money>,
    /// Whether the models were not requested, only available.
    pub unasked: bool,
}

/// The models of a new run; and why the servers that are set up are not used, where none is.
#[derive(Default)]
pub struct Found {
    /// None if the run uses no model.
    pub chosen: Option<Chosen>,
    /// A sentence for each server that settings name.
    pub unused: Vec<String>,
}

impl Setting {
    /// Reads configuration, prices and environment. Sends no request.
    pub fn read(places: &Places, thinking: &Thinking) -> Result<Setting, Failure> {
        Setting::with_prices(places, &thinking.prices)
    }

    /// Like [`Setting::read`], with these prices on top.
    pub fn with_prices(places: &Places, overrides: &[Price]) -> Result<Setting, Failure> {
        let config = config::load(&places.config).map_err(Failure::usage)?;
        let mut prices = Prices::load(&places.config).map_err(Failure::usage)?;
        for price in overrides {
            let set = prices.set(&price.model, price.input, price.output);
            set.map_err(|why| Failure::Usage(format!("--price {}: {why}", price.model)))?;
        }
        let providers = discover::providers(&config, &|name| std::env::var(name).ok());
        let data = places.data.clone();
        let room: Room = Arc::new(move || {
            let disk = rustix::fs::statvfs(&data).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        });
        let learnt = Learnt::load(&places.data);
        Ok(Setting { config, prices, providers, learnt, room })
    }

    /// Probes the servers of these providers on this machine; None probes all.
    pub fn look(&mut self, names: Option<&BTreeSet<String>>) -> Result<(), Failure> {
        let wanted = |provider: &Provider| names.is_none_or(|names| names.contains(&provider.name));
        let (mut looked, others) = std::mem::take(&mut self.providers).into_iter().partition::<Vec<_>, _>(wanted);
        block_on(discover::probe(&mut looked))?;
        self.providers = others;
        self.providers.extend(looked);
        Ok(())
    }

    /// Chooses a model for each role; none if none was requested.
    pub fn choose(&self, thinking: &Thinking, prompted: &[PromptedRole]) -> Result<Vec<Choice>, String> {
        if thinking.extractive {
            return Ok(Vec::new());
        }
        let today = prices::day(SystemClock.now());
        let Setting { config, prices, providers, .. } = self;
        let available = Available { providers, config, prices, today };
        let mut choices = choose::choose(prompted, &thinking.models, available).map_err(|unfit| unfit.to_string())?;
        for model in choices.iter_mut().flat_map(Choice::models_mut) {
            model.density = self.learnt.of(&model.id);
        }
        Ok(choices)
    }

    /// The reasons why the servers that settings name are not used, if no model was named: a sentence for each.
    pub fn unused(&self, prompted: &[PromptedRole]) -> Vec<String> {
        let Setting { config, prices, providers, .. } = self;
        choose::unused(prompted, Available { providers, config, prices, today: prices::day(SystemClock.now()) })
    }

    /// The clients of these providers. A call to an unavailable one fails with the reason.
    pub fn callers_for(&self, names: &BTreeSet<Clean>) -> Result<Arc<dyn Models>, Failure> {
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

/// The number of requests that a provider handles at a time.
pub fn places(provider: &Provider) -> Option<usize> {
    let (kind, reported) = match &provider.server {
        Server::There(serving) => (serving.kind, serving.slots),
        _ => (provider.name.as_str(), None),
    };
    provider.slots.or(reported).or_else(|| choose::places(kind))
}

/// The prompts of a team, and the parts of their files that could not be used.
pub struct Prompts {
    pub of: BTreeMap<Role, Prompt>,
    /// A sentence for each file that defines no specialist.
    unused: Vec<String>,
}

impl Prompts {
    /// A sentence for each tool or hook in a prompt file that masthead lacks, for each key that is nearly one of its own, and for
    /// each file that defines no specialist.
    pub fn left_out(&self) -> Vec<String> {
        let asks = self.of.iter().filter(|(_, prompt)| !prompt.left_out.is_empty()).map(|(role, prompt)| {
            let what: Vec<&str> = prompt.left_out.iter().map(Clean::as_str).collect();
            format!("{role}: {}: there is no counterpart here", what.join(", "))
        });
        let misspelt =
            self.of.iter().flat_map(|(role, prompt)| prompt.misspelt.iter().map(move |why| format!("{role}: {why}")));
        asks.chain(misspelt).chain(self.unused.iter().cloned()).collect()
    }
}

/// The prompts of a team, with specialists from these folders, which replace no member of the team.
pub fn prompts(places: &Places, name: &str, team: &Team, folders: &[PathBuf]) -> Result<Prompts, Failure> {
    let of = team::prompts(&places.config, name).map_err(Failure::usage)?;
    let mut prompts = Prompts { of, unused: Vec::new() };
    for folder in folders {
        let team::Agents { prompts: found, unused } = team::agents(folder).map_err(Failure::usage)?;
        prompts.unused.extend(unused.iter().map(|(path, why)| format!("{}: {why}", shown(path))));
        for (role, prompt) in found {
            if prompts.of.contains_key(&role) || team.members.contains_key(&role) {
                prompts.unused.push(format!("{role} of {}: the team has a {role} of its own", shown(folder)));
            } else {
                prompts.of.insert(role, prompt);
            }
        }
    }
    let names_server = |prompt: &Prompt| prompt.left_out.iter().any(|name| name.starts_with("mcp__"));
    if prompts.of.values().any(names_server) {
        let is_of_server = mcp::may_have(places)?;
        prompts.of.values_mut().for_each(|prompt| with_server_tools(prompt, &is_of_server));
    }
    Ok(prompts)
}

/// Gives a prompt the tools of servers that it names as other programs do, `mcp__SERVER__TOOL`; says which servers are not set up.
fn with_server_tools(prompt: &mut Prompt, is_of_server: &dyn Fn(&ToolName) -> bool) {
    for name in std::mem::take(&mut prompt.left_out) {
        let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|tool| Some((tool.split_once("__")?.0, tool)))
        else {
            prompt.left_out.push(name);
            continue;
        };
        let tool = ToolName::new(tool);
        match is_of_server(&tool) {
            true => prompt.tools.get_or_insert_default().push(tool),
            false => prompt.misspelt.push(format!("`{name}`: the server `{server}` is not in mcp.json").into()),
        }
    }
}

/// The roles with a prompt, which models can fill; the supervisor only if a model leads.
pub fn prompted(team: &Team, prompts: &BTreeMap<Role, Prompt>) -> Vec<PromptedRole> {
    let leads = team.is_model_led();
    let of_member = |member: &Member| run::thinking::Thinking { effort: member.effort, limit: member.thinking_tokens };
    let is_free = |(role, _): &(&Role, &Prompt)| leads || role.as_str() != Role::SUPERVISOR;
    let seat = |(role, prompt): (&Role, &Prompt)| {
        let tools = team::tools_of(team, role, prompt);
        PromptedRole {
            role: role.clone(),
            // A leader delegates by tool calls.
            tools: team.delegates(role) || !tools.is_empty(),
            answer_tokens: prompt.answer_tokens,
            thinking: prompt.thinking.or(team.members.get(role).map(of_member).unwrap_or_default()),
            model: prompt.model.as_ref().map(|model| Clean::line(&model.to_string())),
            strength: prompt.strength,
        }
    };
    prompts.iter().filter(is_free).map(seat).collect()
}

/// Checks that a team limits only providers that there are.
///
/// # Errors
/// It names another, which may be a slip: that limit would have no effect.
pub fn check_limits(places: &Places, team: &Team) -> Result<(), Failure> {
    let config = config::load(&places.config).map_err(Failure::usage)?;
    let names = || {
        Profile::built_in().iter().map(|known| known.name.as_str()).chain(config.providers.keys().map(String::as_str))
    };
    let Some(unknown) = team.parallel_of.keys().find(|name| names().all(|known| known != name.as_str())) else {
        return Ok(());
    };
    let meant = nearest(unknown, names()).map(|meant| format!(": did you mean {meant}?")).unwrap_or_default();
    Err(Failure::Usage(format!("the team {}: parallel_of names `{unknown}`, which is no provider{meant}", team.name)))
}

/// The models of a new run.
pub fn for_new(places: &Places, thinking: &Thinking, prompted: &[PromptedRole]) -> Result<Found, Failure> {
    if thinking.extractive {
        return Ok(Found::default());
    }
    if prompted.is_empty() && thinking.models.iter().any(choose::ModelArg::asks_for_one) {
        return Err(Failure::Usage(
            "--model names a model, and no member of this team has a prompt for one: put a file for each that a model is to do \
             beside its team.toml, as in researcher.md or writer.md"
                .into(),
        ));
    }
    if prompted.is_empty() {
        return Ok(Found::default());
    }
    let mut setting = Setting::read(places, thinking)?;
    let unasked = !choose::names_a_model(prompted, &thinking.models, &setting.config);
    let concerned: BTreeSet<String> = match unasked {
        true => {
            let is_meant = |provider: &&Provider| provider.is_there().is_some() || provider.set_by.is_some();
            setting.providers.iter().filter(is_meant).map(|provider| provider.name.clone()).collect()
        }
        false => choose::named_providers(prompted, &thinking.models, &setting.config).map(ToOwned::to_owned).collect(),
    };
    if concerned.is_empty() {
        return Ok(Found::default());
    }
    setting.look(Some(&concerned))?;
    let choices = setting.choose(thinking, prompted).map_err(Failure::Usage)?;
    if choices.is_empty() {
        let unused = if unasked { setting.unused(prompted) } else { Vec::new() };
        return Ok(Found { chosen: None, unused });
    }
    let model = choices.iter().flat_map(Choice::models);
    let names: BTreeSet<Clean> = model.map(|model| model.id.provider.clone()).collect();
    // Report a missing key before the run is opened.
    for provider in setting.providers.iter().filter(|provider| names.contains(provider.name.as_str())) {
        provider.open().map_err(Failure::Usage)?;
    }
    let models = setting.callers_for(&names)?;
    let max_cost = setting.config.max_cost;
    Ok(Found { chosen: Some(Chosen { choices, models, max_cost, unasked }), unused: Vec::new() })
}

/// The members of a team that work by rule although its file or the configuration wants a model, in sentences. `prompted` are the
/// roles that a model can fill.
pub fn set_in_vain(places: &Places, team: &Team, prompted: &[PromptedRole]) -> Result<Vec<String>, Failure> {
    let config = config::load(&places.config).map_err(Failure::usage)?;
    let is_set = config.models.values().any(|assigned| choose::asks_for_one(&assigned.model));
    let mut in_vain = Vec::new();
    if prompted.is_empty() && is_set {
        in_vain.push(format!(
            "[models] in config.toml names a model, and no member of the team {} has a prompt for one, so it works by rule: put a \
             file for each that a model is to do beside its team.toml, as in researcher.md or writer.md",
            team.name
        ));
    }
    let wants = |(_, member): &(&Role, &Member)| member.kind == Kind::Model && member.model.is_none();
    for (role, _) in team.members.iter().filter(wants) {
        let lacks = match prompted.iter().any(|prompted| prompted.role == *role) {
            true => "no model was named for it: name one with --model PROVIDER/MODEL".to_owned(),
            false => format!("it has no prompt: put {role}.md beside team.toml"),
        };
        in_vain.push(format!("`{role}` has kind = \"model\" in team.toml and works by rule, as {lacks}"));
    }
    Ok(in_vain)
}

/// The models of a continued run: those of its team, and of its earlier team if that was changed.
pub fn for_teams<'a>(places: &Places, teams: impl IntoIterator<Item = &'a Team>) -> Result<Arc<dyn Models>, Failure> {
    let members = teams.into_iter().flat_map(|team| team.members.values());
    let model = members.flat_map(|member| member.model.iter().chain(&member.fallbacks));
    let names: BTreeSet<Clean> = model.map(|model| model.id.provider.clone()).collect();
    if names.is_empty() {
        return Ok(Arc::new(NoModels));
    }
    let mut setting = Setting::read(places, &Thinking::default())?;
    setting.look(Some(&names.iter().map(ToString::to_string).collect()))?;
    setting.callers_for(&names)
}

/// The cap in money of a new run: the argument, the configuration, or the default if its models cost anything.
pub fn cap(argument: Option<Money>, set: Option<Money>, choices: &[Choice]) -> Option<Money> {
    let costs = |rates: &Rates| rates.most(1, 1) > Money::default();
    let mut model = choices.iter().flat_map(Choice::models);
    let paid = model.any(|model| model.rates.as_ref().is_none_or(costs));
    argument.or(set).or(paid.then_some(DEFAULT_CAP))
}

/// The answer to calls in doubt without asking: the argument, else the configuration.
pub fn doubt_policy(places: &Places, argument: Option<InDoubt>) -> Result<Option<DoubtAnswer>, Failure> {
    let set = match argument {
        Some(_) => None,
        None => config::load(&places.config).map_err(Failure::usage)?.in_doubt,
    };
    Ok(match (argument, set) {
        (Some(InDoubt::Retry), _) | (None, Some(config::InDoubt::Retry)) => Some(DoubtAnswer::Retry),
        (Some(InDoubt::Skip), _) | (None, Some(config::InDoubt::Skip)) => Some(DoubtAnswer::Skip),
        (Some(InDoubt::Ask), _) | (None, Some(config::InDoubt::Ask) | None) => None,
    })
}

/// The chosen models in one line, grouped by model.
pub fn in_words(choices: &[Choice]) -> String {
    let mut models: Vec<(&ModelId, Vec<&str>, Vec<&str>)> = Vec::new();
    for choice in choices {
        let (role, notes) = (choice.role.as_str(), choice.notes.iter().map(String::as_str));
        match models.iter_mut().find(|(model, ..)| **model == choice.model.id) {
            Some((_, roles, _)) => roles.push(role),
            None => models.push((&choice.model.id, vec![role], notes.collect())),
        }
    }
    let fallbacks: Vec<&ModelId> =
        choices.iter().flat_map(|choice| &choice.fallbacks).map(|fallback| &fallback.id).collect();
    let fallbacks: BTreeSet<String> = fallbacks.into_iter().map(ToString::to_string).collect();
    let fallbacks = match fallbacks.is_empty() {
        true => String::new(),
        false => format!("; when one fails: {}", fallbacks.into_iter().collect::<Vec<_>>().join(", ")),
    };
    let entry = |(model, roles, notes): &(&ModelId, Vec<&str>, Vec<&str>)| {
        let notes: String = notes.iter().map(|note| format!(" ({note})")).collect();
        format!("{} with {model}{notes}", roles.join(", "))
    };
    format!("models: {}{fallbacks}", models.iter().map(entry).collect::<Vec<_>>().join("; "))
}

/// The probable and the highest cost of a run, in words, and how far its caps reach.
pub fn cost_in_words(forecast: Option<Forecast>, cap: Option<Money>, reach: Option<Reach>) -> String {
    let within = reach.map_or_else(String::new, |reach| format!("; {reach}"));
    let cost = match (forecast, cap) {
        (None, _) => "they cost nothing".into(),
        (Some(Forecast { likely, .. }), Some(cap)) if likely > cap => {
            format!("probably {likely}, more than the cap of {cap} (--max-cost sets another)")
        }
        (Some(forecast), Some(cap)) => {
            let Forecast { low, likely, high } = forecast.within(Some(cap));
            format!("probably {likely} ({low} to {high}), at most {cap} (--max-cost sets another cap)")
        }
        (Some(Forecast { low, likely, high }), None) => format!("probably {likely} ({low} to {high})"),
    };
    format!("{cost}{within}")
}

/// Runs a future on a runtime of its own.
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
    use run::team::{AssignedModel, StructuredOutput};

    fn choice(rates: Option<Rates>) -> Choice {
        let model = AssignedModel {
            id: "a/b".parse().unwrap(),
            prompt: "".into(),
            rates,
            density: Default::default(),
            context: None,
            max_tokens: 1,
            structured_output: StructuredOutput::Text,
            thinking: Default::default(),
            thinking_room: 0,
            most_output: None,
        };
        Choice { role: Role::new("writer"), model, fallbacks: vec![], why: String::new(), notes: Vec::new() }
    }

    #[test]
    fn tools_of_servers_are_known_by_the_names_of_other_programs() {
        let text = "---\nname: faults\ndescription: Looks.\ntools: Read, mcp__srv__look_up, mcp__other__x, mcp__srv, Bash\n---\nLook.\n";
        let mut prompt = team::parse_prompt(text, "faults").unwrap();
        with_server_tools(&mut prompt, &|name| name.starts_with("srv__"));
        let tools: Vec<String> = prompt.tools.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(tools, ["read", "srv__look_up"]);
        assert_eq!(prompt.left_out, ["mcp__srv", "Bash"]);
        assert_eq!(prompt.misspelt, ["`mcp__other__x`: the server `other` is not in mcp.json"]);
    }

    #[test]
    fn who_thinks_with_the_same_model_is_named_together() {
        let role = |role: &str| Choice { role: Role::new(role), ..choice(None) };
        assert_eq!(in_words(&[role("planner"), role("writer")]), "models: planner, writer with a/b");
        assert_eq!(cost_in_words(None, None, None), "they cost nothing");
    }

    #[test]
    fn a_forecast_above_the_cap_says_so() {
        let cents = |cents: u64| Money::micros(cents * 10_000);
        let forecast = Some(Forecast { low: cents(5), likely: cents(17), high: cents(1_818) });
        let said = cost_in_words(forecast, Some(cents(100)), None);
        assert!(said.starts_with("probably $0.17 ($0.050 to $1.00), at most $1.00"), "{said}");
        assert_eq!(cost_in_words(forecast, None, None), "probably $0.17 ($0.050 to $18.18)");
        let said = cost_in_words(forecast, Some(cents(10)), None);
        assert_eq!(said, "probably $0.17, more than the cap of $0.10 (--max-cost sets another)");
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
