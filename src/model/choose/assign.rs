//! The settings of a model in a role: its price, the length of its answers, its thinking. Which model it is, is chosen before.

use std::collections::BTreeSet;

use super::{Available, CannotChoose, PromptedRole, Wanted, defaults, list};
use crate::discover::Provider;
use crate::profile::{self, Quirks, Structured};
use config::UnknownPrice;
use run::model::ModelId;
use run::price::Rates;
use run::team::{AssignedModel, StructuredOutput};
use run::thinking::Thinking;
use text::{Clean, nearest};

/// The model with all settings that a run depends on, and warnings; None if its price is unknown.
pub(super) fn assign(
    prompted: &PromptedRole,
    id: &ModelId,
    provider: &Provider,
    wanted: &Wanted,
    available: Available<'_>,
) -> Option<(AssignedModel, Vec<String>)> {
    let known = available.prices.known(id, available.today);
    let mut notes = Vec::new();
    let rates = match (&known, provider.free, available.config.unknown_price.unwrap_or_default()) {
        // The person's settings count more than the look of the server.
        (Some(known), ..) if known.is_set() => known.rates.clone(),
        (_, true, _) => Rates::free(),
        (Some(known), ..) => known.rates.clone(),
        (None, _, UnknownPrice::Dearest) => {
            let (dearest, rates) = available.prices.dearest(&provider.name, available.today)?;
            notes.push(format!(
                "its price is not known; it is taken to cost as much as {dearest}, the dearest of {}",
                provider.name
            ));
            rates
        }
        (None, ..) => return None,
    };
    if let Some(ends) = known.as_ref().and_then(|known| known.ends) {
        let verb = if ends <= available.today { "was to be" } else { "is to be" };
        notes.push(format!("it {verb} shut down on {ends}"));
    }
    let is_paid = rates.most(1, 1).0 > 0;
    if let Some(days) = known.as_ref().and_then(|known| known.days_if_old(available.today)).filter(|_| is_paid) {
        notes.push(format!("its price is {days} days old and may have changed: `masthead prices` shows it"));
    }
    let served = provider.models().iter().find(|served| served.name == id.model);
    let context = served.and_then(|served| served.context).or(known.as_ref().and_then(|known| known.context));
    if context.is_none() {
        notes.push("the length of its context is not known; it may cut what it is sent".into());
    }
    let answer =
        wanted.max_tokens.or(prompted.answer_tokens).unwrap_or_else(|| defaults::answer_tokens(&prompted.role));
    let quirks = quirks(provider);
    let thinking = wanted.thinking.or(prompted.thinking);
    let usual = || match thinking.effort {
        Some(effort) => effort.room(),
        None if quirks.reasons(&id.model) => Thinking::USUAL_ROOM,
        None => 0,
    };
    let model = AssignedModel {
        id: id.clone(),
        prompt: Clean::default(),
        rates: Some(rates),
        density: Default::default(),
        context,
        max_tokens: answer.max(1),
        structured_output: structured_output(&quirks, prompted.tools),
        thinking,
        thinking_room: thinking.limit.unwrap_or_else(usual),
        most_output: known.as_ref().and_then(|known| known.max_output),
    };
    Some((model, notes))
}

/// Whether the model can be asked to think as it is to.
///
/// # Errors
/// It cannot: which efforts it takes, if any.
pub(super) fn takes(prompted: &PromptedRole, model: &AssignedModel, provider: &Provider) -> Result<(), CannotChoose> {
    let (quirks, id, role) = (quirks(provider), &model.id, &prompted.role);
    if let Some(effort) = model.thinking.effort {
        let efforts = quirks.efforts(&id.model, prompted.tools);
        if !efforts.contains(&effort) {
            let names = efforts.iter().map(|effort| effort.name()).collect::<Vec<_>>().join(", ");
            let what = match efforts.is_empty() {
                true => "it takes no effort".to_owned(),
                false => format!("it takes {names}"),
            };
            return Err(CannotChoose(format!("the {role} cannot have effort `{effort}` with {id}: {what}")));
        }
    }
    if model.thinking.limit.is_some_and(|limit| limit > 0) && profile::named(&quirks.unreasoning, &id.model) {
        return Err(CannotChoose(format!("the {role} cannot have `thinking_tokens` with {id}: it does not think")));
    }
    Ok(())
}

/// The quirks of the actual endpoint.
fn quirks(provider: &Provider) -> Quirks {
    provider.endpoint.as_ref().map_or_else(|_| provider.profile.quirks.clone(), |there| there.profile.quirks.clone())
}

/// The strongest form of structured output that the provider supports.
fn structured_output(quirks: &Quirks, tools: bool) -> StructuredOutput {
    let schema = matches!(quirks.structured, Structured::JsonSchema | Structured::OutputConfig);
    match (schema, tools) {
        // A schema in the last turn alone would make the whole conversation new to the provider's cache.
        (true, true) => StructuredOutput::ToolThenSchema,
        (true, false) => StructuredOutput::Schema,
        // A model that calls tools can call one to report.
        (false, true) => StructuredOutput::Tool,
        (false, false) => StructuredOutput::Text,
    }
}

/// The reason why these models are not called, and the remedy: none of them has a price. A model that neither the price table nor
/// its server knows may be misspelt, so that the names known of its provider are said first.
pub(super) fn without_price(models: &[ModelId], available: Available<'_>) -> String {
    let names: Vec<String> = models.iter().map(ToString::to_string).collect();
    let is_served = |id: &ModelId| {
        let provider = available.providers.iter().find(|provider| provider.name == id.provider.as_str());
        provider.is_some_and(|provider| provider.models().iter().any(|served| served.name == id.model))
    };
    let has_known = |id: &ModelId| available.prices.models_of(&id.provider).next().is_some();
    let mut unknown = models.iter().filter(|id| !is_served(id) && has_known(id)).peekable();
    let why = match (unknown.peek(), models.len()) {
        (Some(_), 1) => "is not asked: no model of that name is known here, and so no price",
        (Some(_), _) => "are not asked: not all of these names are known here, and so no prices",
        (None, 1) => "is not asked because its price is not known",
        (None, _) => "are not asked because their prices are not known",
    };
    let hints: BTreeSet<String> = unknown
        .map(|id| match nearest(&id.model, available.prices.models_of(&id.provider)) {
            Some(meant) => format!("Did you mean {}/{meant}?\n", id.provider),
            None => format!("Known of {} are {}.\n", id.provider, list(available.prices.models_of(&id.provider))),
        })
        .collect();
    let rows: Vec<String> = names.iter().map(|name| format!("  \"{name}\" = {{ in = 0.00, out = 0.00 }}")).collect();
    format!(
        "{} {why}.\n{}If the name is right, say what it costs, in dollars per million tokens in and out: --price {}=IN,OUT\nor in prices.toml in the configuration directory:\n  [models]\n{}",
        names.join(", "),
        hints.into_iter().collect::<String>(),
        names[0],
        rows.join("\n"),
    )
}
