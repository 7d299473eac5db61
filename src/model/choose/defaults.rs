//! The default models of each provider by kind of work, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use run::Role;
use run::team::Strength;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defaults {
    work: BTreeMap<String, Work>,
    answer_tokens: BTreeMap<String, u32>,
    models: BTreeMap<String, BTreeMap<Work, String>>,
    places: BTreeMap<String, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Work {
    Lead,
    Write,
    Search,
}

/// The most tokens of an answer for a role without an entry.
const ANSWER_TOKENS: u32 = 6_000;

static DEFAULTS: LazyLock<Defaults> =
    // A test reads the built-in file.
    LazyLock::new(|| {
        toml::from_str(include_str!("../default_models.toml")).expect("the built-in choice of models is valid")
    });

/// The default model of a provider for a role, or for the strength that its prompt asks for.
pub fn default_model(provider: &str, role: &Role, strength: Option<Strength>) -> Option<&'static str> {
    let work = match strength {
        Some(Strength::Strongest) => Work::Lead,
        Some(Strength::Middle) => Work::Write,
        Some(Strength::Small) => Work::Search,
        None => DEFAULTS.work.get(role.as_str()).copied().unwrap_or(Work::Search),
    };
    DEFAULTS.models.get(provider)?.get(&work).map(String::as_str)
}

/// The requests that a local server takes at the same time if it does not report a number.
pub fn places(server: &str) -> Option<usize> {
    DEFAULTS.places.get(server).copied()
}

pub(super) fn answer_tokens(role: &Role) -> u32 {
    DEFAULTS.answer_tokens.get(role.as_str()).copied().unwrap_or(ANSWER_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;
    use run::ModelId;

    #[test]
    fn every_usual_model_has_a_price_and_is_not_about_to_end() {
        let prices = Prices::built_in();
        for (provider, models) in &DEFAULTS.models {
            assert_eq!(models.len(), 3, "{provider}");
            for model in models.values() {
                let id = ModelId { provider: provider.as_str().into(), model: model.as_str().into() };
                let known = prices.known(&id, "2026-11-21".parse().unwrap());
                assert!(known.is_some_and(|known| known.ends.is_none()), "{id}");
            }
        }
        assert_eq!(places("ollama"), Some(1));
        assert_eq!(answer_tokens(&Role::new("writer")), 8_000);
    }
}
