//! `masthead doctor --test`: one tiny call to each available provider.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::exit::Failure;
use crate::models::{Setting, block_on};
use desk::{Clock, SystemClock};
use model::choose::{Choice, default_model};
use model::discover::Provider;
use model::prices;
use model::{Client, Patience};
use run::attempt::About;
use run::budget::Amounts;
use run::density::Density;
use run::model::{Form, Said};
use run::price::{self, Rates};
use run::transcript::Round;
use run::{ModelId, ModelRequest, Money, Role};
use text::Clean;

/// The most tokens of the answer: enough for a word, and no less than some servers demand.
const ANSWER_TOKENS: u32 = 64;

/// A test call.
pub struct Call {
    pub model: ModelId,
    rates: Rates,
    /// The most it may cost.
    pub most: Money,
}

/// The result of a test call.
#[derive(Debug, Serialize)]
pub struct Tested {
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    served_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_ms: Option<u64>,
    cost_pico_dollars: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether it failed for a reason that holds for all models of the provider: it cannot be reached, or refuses the key.
    #[serde(skip)]
    pub fails_the_provider: bool,
}

impl Tested {
    /// A model that was not asked, because another one of its provider showed the result that it would have.
    pub fn not_tried(model: &ModelId, like: &ModelId) -> Tested {
        Tested::failed(model, format!("not tried: the same would come of it as of {like}"))
    }

    fn failed(model: &ModelId, error: String) -> Tested {
        Tested {
            model: model.to_string(),
            served_by: None,
            first_ms: None,
            whole_ms: None,
            cost_pico_dollars: 0,
            error: Some(error),
            fails_the_provider: false,
        }
    }

    /// Whether the provider answered.
    pub fn worked(&self) -> bool {
        self.error.is_none()
    }
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => write!(f, "{}: {error}", self.model),
            None => write!(
                f,
                "{} answered: first words after {} ms, all after {} ms, {}",
                self.model,
                self.first_ms.unwrap_or_default(),
                self.whole_ms.unwrap_or_default(),
                Money(self.cost_pico_dollars),
            ),
        }
    }
}

/// A call for each chosen model, and one for the cheapest default model of every other available provider. Models
/// without a known price are not called.
pub fn calls(setting: &Setting, choices: &[Choice]) -> Vec<Call> {
    let chosen = choices.iter().map(|choice| choice.model.id.clone());
    let mut models: BTreeSet<ModelId> = chosen.collect();
    let researcher = Role::new(Role::RESEARCHER);
    for provider in setting.providers.iter().filter(|provider| provider.is_usable()) {
        let name = default_model(&provider.name, &researcher, None).map(Into::into);
        let name = name.or_else(|| provider.models().first().map(|served| served.name.clone()));
        let seen = models.iter().any(|model| model.provider == provider.name.as_str());
        if let (Some(model), false) = (name, seen) {
            models.insert(ModelId { provider: provider.name.as_str().into(), model });
        }
    }
    models.into_iter().filter_map(|model| call(setting, model)).collect()
}

fn call(setting: &Setting, model: ModelId) -> Option<Call> {
    let rates = match provider(setting, &model)?.free {
        true => Rates::free(),
        false => setting.prices.known(&model, prices::day(SystemClock.now()))?.rates,
    };
    let most = reserved(&rates, &model).money();
    Some(Call { model, rates, most })
}

fn provider<'a>(setting: &'a Setting, model: &ModelId) -> Option<&'a Provider> {
    setting.providers.iter().find(|provider| provider.name == model.provider.as_str())
}

/// The most that its call may take.
fn reserved(rates: &Rates, model: &ModelId) -> Amounts {
    let input = price::Input::of(price::Before::default(), &request(model)).most(Density::default());
    price::reservation(rates, input, ANSWER_TOKENS)
}

fn request(model: &ModelId) -> ModelRequest {
    ModelRequest {
        model: model.clone(),
        afresh: true,
        said: vec![Said::User { text: "Answer with one word: ready".into() }],
        offers: Vec::new().into(),
        form: Form::Free,
        max_tokens: ANSWER_TOKENS,
        thinking: Default::default(),
    }
}

/// Makes the call.
pub fn test(setting: &Setting, call: Call) -> Result<Tested, Failure> {
    let failed = |error: String| Tested::failed(&call.model, error);
    let Some(provider) = provider(setting, &call.model) else { return Ok(failed("it is not there".into())) };
    let endpoint = match provider.open() {
        Ok(endpoint) => endpoint,
        Err(why) => return Ok(failed(why)),
    };
    let client = Client::new(Patience::default());
    let rounds = [Round { request: Arc::new(request(&call.model)), reply: None }];
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| Failure::Other(format!("no random numbers: {error}")))?;
    let key = format!("masthead-doctor-{:016x}", u64::from_be_bytes(random));
    let answer = block_on(async { client.send(&endpoint, &rounds, &key, &|_: Clean| {}).await })?;
    Ok(match answer.outcome {
        Ok(reply) => Tested {
            model: call.model.to_string(),
            served_by: Some(reply.served_by.to_string()),
            first_ms: Some(reply.first_ms),
            whole_ms: Some(reply.whole_ms),
            cost_pico_dollars: call.rates.cost(&reply.usage).0,
            error: None,
            fails_the_provider: false,
        },
        Err(fault) => {
            let reserved = reserved(&call.rates, &call.model);
            let (billed, doubt) = price::billed_for_failure(&call.rates, reserved, ANSWER_TOKENS, fault.charge);
            let class = fault.class;
            Tested {
                cost_pico_dollars: billed.money().0.saturating_add(doubt.money().0),
                fails_the_provider: class.about() == About::Address || class.about() == About::Key && class.latches(),
                ..failed(fault.to_string())
            }
        }
    })
}
