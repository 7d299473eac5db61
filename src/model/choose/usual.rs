//! Which models are usual for which work: data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use run::Role;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Usual {
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

/// What an answer may take where nothing says anything about its role.
const ANSWER_TOKENS: u32 = 6_000;

static USUAL: LazyLock<Usual> =
    // A test reads the built-in file.
    LazyLock::new(|| {
        toml::from_str(include_str!("../usual.toml")).expect("the built-in choice of models is valid")
    });

/// The usual model of a provider for the work of a role.
pub fn usual(provider: &str, role: &Role) -> Option<&'static str> {
    let work = USUAL.work.get(role.as_str()).copied().unwrap_or(Work::Search);
    USUAL.models.get(provider)?.get(&work).map(String::as_str)
}

/// How many requests a server of the user's own takes at the same time, where it does not say.
pub fn places(server: &str) -> Option<usize> {
    USUAL.places.get(server).copied()
}

pub(super) fn answer_tokens(role: &Role) -> u32 {
    USUAL.answer_tokens.get(role.as_str()).copied().unwrap_or(ANSWER_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::Prices;
    use run::ModelId;

    #[test]
    fn every_usual_model_has_a_price_and_is_not_about_to_end() {
        let prices = Prices::built_in();
        for (provider, models) in &USUAL.models {
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
