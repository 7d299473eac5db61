//! `masthead doctor`: lists providers, the models that would be used and why, and the gaps with their remedies.
//!
//! Without `--test` it calls no model and costs nothing.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde::Serialize;

use super::args::Thinking;
use super::exit::{self, Failure};
use super::form::Form;
use super::inspect::still_open;
use super::keymap;
use super::mcp::{self, ListedServer};
use super::memory;
use super::models::{self, Setting};
use super::notify;
use super::output::shown;
use super::place::Places;
use super::programs;
use model::choose::{self, Choice, PromptedRole, default_model};
use model::discover::{Provider, Server};
use model::key_command::KeyCommand;

use run::tool::builtin;
use run::{ModelId, Money, Team, ToolName};
use text::Clean;

mod test;

use test::Tested;

#[derive(Serialize)]
struct Report {
    providers: Vec<ProviderReport>,
    roles: Vec<RoleReport>,
    prices_as_of: String,
    config: String,
    journal: String,
    memory: String,
    keymap: String,
    /// The MCP servers, of which none is started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mcp: Vec<ListedServer>,
    /// Tools and hooks that prompt files ask for and masthead does not have, and files that define no specialist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// The reasons why servers that are set up are not used, if no model was named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_used: Vec<String>,
    /// Whether no run begins, since the models that are asked for cannot be used.
    #[serde(skip)]
    is_stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<Tested>,
}

#[derive(Serialize)]
struct ProviderReport {
    name: String,
    usable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_from: Option<String>,
    free: bool,
    /// Whether requests to it can be read on the way.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unencrypted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    models: Vec<ServedModel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lacks: Option<String>,
    /// The provider that is used in its place, since it comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed_over_for: Option<String>,
    #[serde(skip)]
    local: bool,
}

#[derive(Serialize)]
struct ServedModel {
    name: String,
    loaded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<u64>,
}

#[derive(Serialize)]
struct RoleReport {
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A price in dollars per million tokens.
#[derive(Serialize)]
struct Price {
    #[serde(rename = "in")]
    input: String,
    out: String,
    as_of: String,
    /// The tokens above which a request costs more.
    #[serde(skip_serializing_if = "Option::is_none")]
    more_over_tokens: Option<u64>,
}

/// The place of the runs and their number; or the reason why that cannot be told.
fn journal_in_a_line(places: &Places) -> String {
    let journal = places.journal();
    match journal.read().and_then(|reader| reader.map(|reader| reader.runs()).transpose()) {
        Ok(runs) => {
            format!("{}, {}", Clean::line(&journal.place()), text::count(runs.map_or(0, |runs| runs.len()), "run"))
        }
        Err(error) => Clean::line(&error.to_string()).to_string(),
    }
}

/// The reasons why no models can be chosen (`wrong`) and why configured providers cannot be called.
pub fn problems(setting: &Setting, wrong: Option<String>) -> Vec<String> {
    let mut problems: Vec<String> = wrong.into_iter().collect();
    for provider in setting.providers.iter().filter(|provider| provider.configured) {
        let command = provider.key_command.as_ref().and_then(KeyCommand::path);
        if let Some(Err(why)) = command.map(programs::check) {
            problems.push(format!("{}: its api_key_cmd brings no key: {why}", provider.name));
        }
        let Some(lacks) = provider.lacks() else { continue };
        // The lack that keeps a model from being chosen has been reported with it.
        if !problems.iter().any(|problem| problem.contains(&lacks)) {
            problems.push(format!("{}: {lacks}", provider.name));
        }
    }
    problems
}

/// The reasons, in sentences, for which a new run of this team would not start or not call the person. Starts no program.
fn hindrances(places: &Places, name: &str, team: &Team) -> Result<Vec<String>, Failure> {
    let may_have = mcp::may_have(places)?;
    let mut hindrances = Vec::new();
    for (role, member) in &team.members {
        let is_unknown = |name: &&ToolName| builtin::spec(name).is_none() && !may_have(name);
        if let Some(name) = member.tools.iter().find(is_unknown) {
            hindrances.push(format!("`{role}` is to use `{name}`, and there is no such tool"));
        }
    }
    hindrances.extend(team::check_able(team).err());
    hindrances.extend(programs::check_gates(team, &places.config.join("teams").join(name)).err());
    hindrances.extend(memory::problem(places)?);
    let notify = notify::command(places)?.and_then(|command| programs::check(command.first()?).err());
    hindrances.extend(notify.map(|why| format!("[notify] in config.toml calls nobody: {why}")));
    Ok(hindrances)
}

/// Whether `doctor` calls models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// It calls none, and costs nothing.
    None,
    /// It makes a tiny call to each model that would be used.
    Tiny,
}

/// Says what a run of this team would use, and what is missing.
pub fn doctor(places: &Places, name: &str, thinking: &Thinking, calls: Calls, form: Form) -> Result<u8, Failure> {
    let Looked { setting, choices, mut report } = Looked::of(places, name, thinking)?;
    if form == Form::Lines && !still_open(print(&report))? {
        return Ok(exit::DONE);
    }
    if calls == Calls::Tiny {
        match tested(&setting, &choices, form)? {
            Some(tests) => report.tests = tests,
            None => return Ok(exit::DONE),
        }
    }
    if form == Form::Json {
        let text = text::escape_in_json(serde_json::to_string(&report).map_err(Failure::other)?);
        still_open(writeln!(std::io::stdout(), "{text}"))?;
    }
    let fine = report.problems.is_empty() && report.tests.iter().all(Tested::worked);
    Ok(if fine { exit::DONE } else { exit::FAILED })
}

/// The models that a run would use, and the report on them.
struct Looked {
    setting: Setting,
    choices: Vec<Choice>,
    report: Report,
}

impl Looked {
    fn of(places: &Places, name: &str, thinking: &Thinking) -> Result<Looked, Failure> {
        let mut setting = Setting::read(places, thinking)?;
        setting.look(None)?;
        let mut team = team::load(&places.config, name).map_err(Failure::usage)?;
        models::check_limits(places, &team)?;
        let prompts = models::prompts(places, name, &team, &thinking.agents)?;
        let prompted = models::prompted(&team, &prompts.of);
        let (choices, wrong) = match setting.choose(thinking, &prompted) {
            Ok(choices) => (choices, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let chosen = choices.iter().cloned();
        team::assign_models(&mut team, &prompts.of, chosen.map(|c| (c.role, c.model, c.fallbacks)));
        let config = config::path(&places.config);
        let is_named = thinking.extractive || choose::names_a_model(&prompted, &thinking.models, &setting.config);
        let mut not_used = match is_named || !choices.is_empty() || wrong.is_some() {
            true => Vec::new(),
            false => setting.unused(&prompted),
        };
        let is_stopped = wrong.is_some();
        let none = match (thinking.extractive, not_used.is_empty()) {
            _ if is_stopped => "not settled: see “To fix”",
            (true, _) => "--extractive",
            (false, true) => "none is available and none was requested",
            (false, false) => "none was requested, and none that is set up can be used as it is",
        };
        let servers = mcp::known(places)?;
        let mut problems = [problems(&setting, wrong), hindrances(places, name, &team)?].concat();
        // Only models use them.
        if !choices.is_empty() {
            let to_fix = servers.iter().filter(|server| server.is_to_fix);
            problems.extend(to_fix.map(|server| format!("the MCP server {}: {}", server.name, server.state)));
        }
        // Problems are listed by themselves.
        not_used.retain(|line| {
            !problems.iter().any(|problem| problem.split_once(": ").is_some_and(|(_, why)| line.ends_with(why)))
        });
        let report = Report {
            providers: provider_reports(&setting, choices.first().filter(|_| !is_named)),
            roles: prompted.iter().map(|seat| role_report(seat, &choices, none)).collect(),
            left_out: prompts.left_out(),
            prices_as_of: setting.prices.as_of().to_string(),
            config: format!("{}{}", shown(&config), if config.exists() { "" } else { " (not there)" }),
            journal: journal_in_a_line(places),
            memory: memory::in_a_line(places)?,
            keymap: keymap::in_a_line(places)?,
            mcp: servers,
            not_used,
            is_stopped,
            problems,
            tests: Vec::new(),
        };
        Ok(Looked { setting, choices, report })
    }
}

/// All providers. Of several that could be used the first one is, unless a model is named: `first` is its choice.
fn provider_reports(setting: &Setting, first: Option<&Choice>) -> Vec<ProviderReport> {
    let mut providers: Vec<ProviderReport> = setting.providers.iter().map(provider_report).collect();
    if let Some(first) = first.map(|choice| choice.model.id.provider.to_string()) {
        let others = providers.iter_mut().filter(|known| known.usable && known.is_real() && known.name != first);
        others.filter(|known| known.to_name().is_some()).for_each(|known| known.passed_over_for = Some(first.clone()));
    }
    providers
}

/// Makes a tiny call to each model that would be used; None if nobody reads the lines on.
fn tested(setting: &Setting, choices: &[Choice], form: Form) -> Result<Option<Vec<Tested>>, Failure> {
    let calls = test::calls(setting, choices);
    let most = calls.iter().fold(Money::default(), |sum, call| Money(sum.0.saturating_add(call.most.0)));
    exit::say(&match calls.len() {
        0 => "there is nothing to test: no provider is available at a known price".to_string(),
        n => format!("testing with {n} tiny calls, which cost at most {most} together"),
    });
    let (mut tests, mut failed) = (Vec::new(), BTreeMap::<Clean, ModelId>::new());
    for call in calls {
        let tested = match failed.get(&call.model.provider) {
            Some(like) => Tested::not_tried(&call.model, like),
            None => {
                let model = call.model.clone();
                let tested = test::test(setting, call)?;
                if tested.fails_the_provider {
                    failed.insert(model.provider.clone(), model);
                }
                tested
            }
        };
        if form == Form::Lines && !still_open(writeln!(std::io::stdout(), "  {tested}"))? {
            return Ok(None);
        }
        tests.push(tested);
    }
    Ok(Some(tests))
}

fn provider_report(provider: &Provider) -> ProviderReport {
    let endpoint = provider.endpoint.as_ref().ok();
    let command = || provider.key_command.as_ref().map(|_| "api_key_cmd in config.toml".to_string());
    let (server, models) = match &provider.server {
        Server::There(serving) => {
            let version = serving.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            (Some(format!("{}{version}", serving.kind)), serving.models.as_slice())
        }
        Server::Loading => (Some("still loading its model".into()), [].as_slice()),
        Server::Locked => (Some("asks for a key".into()), [].as_slice()),
        Server::Absent | Server::Unseen => (None, [].as_slice()),
    };
    let model = |served: &model::discover::Served| ServedModel {
        name: served.name.to_string(),
        loaded: served.loaded,
        context: served.context,
    };
    ProviderReport {
        name: provider.name.clone(),
        usable: provider.is_usable(),
        at: endpoint.map(|endpoint| endpoint.base.to_string()),
        at_from: endpoint.and_then(|endpoint| endpoint.base_from.clone()),
        key_from: endpoint.and_then(|endpoint| endpoint.key.as_ref()).map(|key| key.from.clone()).or_else(command),
        free: provider.free,
        unencrypted: endpoint.is_some_and(|endpoint| endpoint.base.is_open_to_readers()),
        server,
        models: models.iter().map(model).collect(),
        places: models::places(provider),
        lacks: provider.lacks(),
        passed_over_for: None,
        local: provider.profile.local,
    }
}

/// A role with its model; or with `none`, the reason why it has none.
fn role_report(seat: &PromptedRole, choices: &[Choice], none: &str) -> RoleReport {
    let role = seat.role.to_string();
    let Some(choice) = choices.iter().find(|choice| choice.role == seat.role) else {
        return RoleReport { role, model: None, why: none.into(), price: None, notes: Vec::new() };
    };
    let price = choice.model.rates.as_ref().map(|rates| Price {
        input: dollars(rates.input),
        out: dollars(rates.output),
        as_of: rates.as_of.to_string(),
        more_over_tokens: rates.tier.as_ref().map(|tier| tier.over),
    });
    RoleReport {
        role,
        model: Some(choice.model.id.to_string()),
        why: choice.why.clone(),
        price,
        notes: choice.notes.clone(),
    }
}

/// Micro-dollars as dollars, with all digits and at least two decimals.
pub(super) fn dollars(micros: u64) -> String {
    let digits = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let cents = digits.len() - 4;
    format!("{}{}", &digits[..cents], digits[cents..].trim_end_matches('0'))
}

fn print(report: &Report) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "Found")?;
    let (usable, others): (Vec<_>, Vec<_>) = report.providers.iter().partition(|known| known.usable);
    // A key, or a server that answered; a default address alone is neither.
    let seen = usable.iter().filter(|known| known.key_from.is_some() || known.server.is_some() || !known.local);
    let mut any = false;
    for known in seen {
        any = true;
        writeln!(out, "  {:<18} {}", known.name, in_words(known))?;
        for model in known.models.iter().take(8) {
            let context = model.context.map(|context| format!(", {context} tokens of context")).unwrap_or_default();
            let loaded = if model.loaded { ", loaded" } else { "" };
            writeln!(out, "  {:<18}   {}{context}{loaded}", "", model.name)?;
        }
    }
    if !any {
        writeln!(out, "  none: there is no key in the environment and no model server on this machine.")?;
    }
    if !any && !report.is_stopped {
        writeln!(out, "  The extractive team is used: it searches, selects and cites by rule, and needs neither.")?;
    }
    writeln!(out, "\nNot there")?;
    for known in others {
        let lacks = known.lacks.as_deref().unwrap_or("not available");
        let said_below = report.problems.iter().any(|problem| problem.contains(lacks));
        writeln!(out, "  {:<18} {}", known.name, if said_below { "see “To fix”" } else { lacks })?;
    }
    writeln!(out, "\nModels by role")?;
    for role in &report.roles {
        match &role.model {
            None if report.is_stopped => writeln!(out, "  {:<18} {}", role.role, role.why)?,
            None => writeln!(out, "  {:<18} by rule ({})", role.role, role.why)?,
            Some(model) => writeln!(out, "  {:<18} {model} ({})", role.role, role.why)?,
        }
        if let Some(price) = &role.price {
            let Price { input, out: output, as_of, more_over_tokens } = price;
            let more =
                more_over_tokens.map(|over| format!(", more in requests over {over} tokens")).unwrap_or_default();
            match (input.as_str(), output.as_str()) {
                ("0.00", "0.00") => writeln!(out, "  {:<18}   costs nothing ({as_of})", "")?,
                _ => writeln!(out, "  {:<18}   ${input} in, ${output} out a million tokens{more} ({as_of})", "")?,
            }
        }
        for note in &role.notes {
            writeln!(out, "  {:<18}   {note}", "")?;
        }
    }
    for (n, left_out) in report.left_out.iter().enumerate() {
        writeln!(out, "{}{left_out}", if n == 0 { "\nLeft out\n  " } else { "  " })?;
    }
    writeln!(out, "\nPrices              as of {}; your own in prices.toml come first", report.prices_as_of)?;
    writeln!(out, "Configuration       {}", report.config)?;
    writeln!(out, "Journal             {}", report.journal)?;
    writeln!(out, "Memory              {}", report.memory)?;
    writeln!(out, "Keys                {}", report.keymap)?;
    for (n, server) in report.mcp.iter().enumerate() {
        let what = if n == 0 { "\nMCP servers\n" } else { "" };
        writeln!(out, "{what}  {:<18} {}", Clean::line(&server.name), Clean::line(&server.at))?;
        writeln!(out, "  {:<18}   {}", "", Clean::line(&server.state))?;
    }
    for not_used in &report.not_used {
        writeln!(out, "\n{not_used}")?;
    }
    for problem in &report.problems {
        writeln!(out, "\nTo fix: {problem}")?;
    }
    if report.is_stopped {
        writeln!(out, "\nNo run begins until that is fixed; --extractive works without models meanwhile")?;
    }
    let asked = report.roles.iter().any(|role| role.model.is_some());
    let named = usable.iter().filter(|known| known.is_real()).find_map(|known| known.to_name());
    if let (false, true, Some(named)) = (asked, report.problems.is_empty(), named) {
        writeln!(
            out,
            "\nTo use models: masthead brief \"QUESTION\" --sources DIR --model {named}\nor for good, in config.toml:\n  [models]\n  default = \"{named}\""
        )?;
    }
    out.flush()
}

impl ProviderReport {
    /// The name for `--model`: its name alone where that says which model is meant, else with its first model. None where only a
    /// model that is not known here, and mostly a price, would do.
    fn to_name(&self) -> Option<String> {
        let usual = default_model(&self.name, &run::Role::new(run::Role::RESEARCHER), None);
        match &self.models[..] {
            [] => usual.map(|_| self.name.clone()),
            [_] => Some(self.name.clone()),
            [first, ..] => Some(format!("{}/{}", self.name, first.name)),
        }
    }

    /// Whether it is known to exist: it has a key or its server answered.
    fn is_real(&self) -> bool {
        self.key_from.is_some() || self.server.is_some()
    }
}

fn in_words(known: &ProviderReport) -> String {
    let mut words = Vec::new();
    if let Some(key) = &known.key_from {
        words.push(format!("a key is set ({key})"));
    }
    match &known.server {
        Some(server) => words.push(format!("answers: {server}")),
        // A key alone says nothing of the provider, nor whether it takes the key.
        None => words.push("not asked yet: --test asks".into()),
    }
    if let (Some(at), true) = (&known.at, known.server.is_some() || known.at_from.is_some() || known.key_from.is_none())
    {
        words.push(format!("at {at}"));
    }
    if let Some(from) = &known.at_from {
        words.push(format!("as {from} says"));
    }
    if known.free {
        words.push("costs nothing".into());
    }
    if known.unencrypted {
        words.push("not encrypted: who is in that network can read questions and answers".into());
    }
    if let (Some(first), Some(name)) = (&known.passed_over_for, known.to_name()) {
        words.push(format!("not used, since {first} comes first: --model {name} uses it"));
    }
    if let Some(places) = known.places {
        words.push(format!("{places} at a time"));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_shown_to_its_last_digit() {
        for (micros, shown) in
            [(0, "0.00"), (37_500, "0.0375"), (100_000, "0.10"), (20_000_000, "20.00"), (1, "0.000001")]
        {
            assert_eq!(dollars(micros), shown);
        }
    }
}
