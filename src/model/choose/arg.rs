//! The models that a person names: `--model` arguments, and the providers in these, the configuration and the prompts.

use super::PromptedRole;
use config::Config;
use run::Role;
use text::Clean;

/// The name in the configuration of the model for all other roles.
pub(super) const DEFAULT: &str = "default";

/// In place of a model: the role works by rule.
pub(super) const NONE: &str = "none";

/// A `--model` argument: `provider/model`, `provider`, or `role=provider/model`. Fallbacks follow after commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelArg {
    /// Its role; None for all.
    pub role: Option<Role>,
    /// The model, or several separated by commas.
    pub model: Clean,
}

impl ModelArg {
    /// Whether it asks for a model, and not for work by rule.
    pub fn asks_for_one(&self) -> bool {
        asks_for_one(&self.model)
    }
}

impl std::str::FromStr for ModelArg {
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
        Ok(ModelArg { role, model: Clean::line(model) })
    }
}

/// Whether a setting names a model, and not work by rule.
pub fn asks_for_one(model: &str) -> bool {
    model != NONE
}

/// The providers that the user names anywhere, so that only their servers are probed. In no particular order.
pub fn named_providers<'a>(
    roles: &'a [PromptedRole],
    args: &'a [ModelArg],
    config: &'a Config,
) -> impl Iterator<Item = &'a str> {
    let named = args.iter().map(|arg| &arg.model);
    let set = config.models.values().map(|assigned| &assigned.model);
    let prompts = roles.iter().filter_map(|prompted| prompted.model.as_ref()).filter(|model| model.contains('/'));
    let models = named.chain(set).chain(prompts).flat_map(|model| each_model(model));
    models.map(|model| model.split('/').next().unwrap_or_default())
}

/// Whether the user names any model, so that none has to be discovered.
pub fn names_a_model(roles: &[PromptedRole], args: &[ModelArg], config: &Config) -> bool {
    named_providers(roles, args, config).next().is_some()
}

/// The model and its fallbacks.
pub(super) fn each_model(models: &str) -> impl Iterator<Item = &str> {
    models.split(',').map(str::trim).filter(|model| !model.is_empty())
}
