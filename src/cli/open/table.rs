//! Prices of models as other programs name them, and stories as events with these prices.

use std::sync::Arc;

use crate::exit::Failure;
use crate::models::Setting;
use crate::place::Places;
use desk::{Clock, SystemClock};
use import::{Story, Teller};
use model::prices;
use run::price::Rates;
use run::{Envelope, ModelId, Run};

/// A provider as it is called here, by what other programs call it, in lower case.
fn provider(told: &str) -> &str {
    match told {
        "azure" | "azure.ai.openai" | "az.ai.openai" | "azure_openai" => "openai",
        "vertex_ai" | "vertexai" => "gemini",
        _ if told.starts_with("gcp.") || told.starts_with("google") => "gemini",
        "mistral_ai" | "mistralai" => "mistral",
        "x_ai" => "xai",
        // "openai.responses": with the interface that was asked.
        _ => told.split('.').next().unwrap_or(told),
    }
}

/// Prices of models as other programs name them.
#[derive(Clone)]
pub(super) struct Table {
    prices: prices::Prices,
}

impl Table {
    pub(super) fn of(places: &Places) -> Result<Table, Failure> {
        Ok(Table { prices: Setting::with_prices(places, &[])?.prices })
    }

    /// The price of a model by its provider's name there, or of any provider's model of that name.
    pub(super) fn rates(&self, model: &ModelId) -> Option<Rates> {
        let today = prices::day(SystemClock.now());
        let told = model.provider.to_lowercase();
        let provider = provider(&told);
        let named = |provider: &str| ModelId { provider: provider.into(), model: model.model.clone() };
        let rates = |provider: &str| Some(self.prices.known(&named(provider), today)?.rates);
        match provider {
            "unknown" => ["anthropic", "openai", "gemini"].into_iter().find_map(rates),
            named => rates(named),
        }
    }

    /// Gives each event of a story, in order, with the cost of its calls by these prices.
    fn each(&self, story: Story, take: &mut dyn FnMut(Envelope)) {
        let rates = |model: &ModelId| self.rates(model);
        Teller { version: env!("CARGO_PKG_VERSION"), rates: &rates }.each(story, take);
    }

    /// The events of a story; those that are known already are shared.
    pub(super) fn events(&self, story: Story, known: &[Arc<Envelope>]) -> Vec<Arc<Envelope>> {
        let mut events = Vec::with_capacity(known.len());
        self.each(story, &mut |envelope| {
            let same = known.get(events.len()).filter(|known| ***known == envelope);
            events.push(same.cloned().unwrap_or_else(|| Arc::new(envelope)));
        });
        events
    }

    /// The run of a story whose events nobody needs: they take as much memory as their texts.
    pub(super) fn run(&self, story: Story) -> Run {
        let mut run = Run::default();
        self.each(story, &mut |envelope| run.apply(&envelope));
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_known_by_what_other_programs_call_it() {
        for (told, here) in [
            ("openai", "openai"),
            ("openai.chat", "openai"),
            ("openai.responses", "openai"),
            ("azure.ai.openai", "openai"),
            ("anthropic.messages", "anthropic"),
            ("gcp.gemini", "gemini"),
            ("gcp.vertex_ai", "gemini"),
            ("gcp.vertex.agent", "gemini"),
            ("google.generative-ai", "gemini"),
            ("google_genai", "gemini"),
            ("vertex_ai", "gemini"),
            ("mistral_ai", "mistral"),
            ("x_ai", "xai"),
            ("unknown", "unknown"),
            ("strands-agents", "strands-agents"),
        ] {
            assert_eq!(provider(told), here, "{told}");
        }
    }
}
