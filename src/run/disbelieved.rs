//! Usages that cannot be: the cost of a call is an estimate where its provider reported one. Read off the run;
//! nothing is recorded for it beyond the mark of each usage.

use std::fmt;

use crate::attempt::Charge;
use crate::budget::Money;
use crate::model::{ModelId, Usage};
use crate::price::Rates;
use crate::state::Run;
use crate::transcript::Exchange;
use text::count;

/// The calls to a model that costs money for which its provider reported an impossible usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disbelieved {
    /// The model.
    pub model: ModelId,
    /// The number of calls.
    pub calls: usize,
}

impl fmt::Display for Disbelieved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disbelieved { model, calls } = self;
        let (calls, their) = (count(*calls, "call"), if *calls == 1 { "its" } else { "their" });
        write!(
            f,
            "the provider of {model} reported an impossible usage ({calls}): {their} cost is an estimate, and what the \
             provider bills may be more"
        )
    }
}

impl Run {
    /// The models of which a usage was not believed, in the order of their calls.
    pub fn disbelieved(&self) -> Vec<Disbelieved> {
        let mut all: Vec<Disbelieved> = Vec::new();
        for exchange in self.assignments().flat_map(|assignment| assignment.transcript.exchanges()) {
            let model = &exchange.request.model;
            let calls = usages(exchange).filter(|usage| usage.disbelieved && self.costs(model, usage)).count();
            match all.iter_mut().find(|known| known.model == *model) {
                _ if calls == 0 => {}
                Some(known) => known.calls += calls,
                None => all.push(Disbelieved { model: model.clone(), calls }),
            }
        }
        all
    }

    /// Whether the price of a usage is by our table, and not nothing.
    fn costs(&self, model: &ModelId, usage: &Usage) -> bool {
        let members = self.opening.iter().flat_map(|opening| opening.team.members.values());
        let mut models = members.flat_map(|member| member.model.iter().chain(&member.fallbacks));
        let rates: Option<&Rates> = models.find(|other| other.id == *model).and_then(|model| model.rates.as_ref());
        usage.cost.is_none() && rates.is_some_and(|rates| rates.cost(usage) > Money::default())
    }
}

/// The usages that were reported for a call: of its failed attempts, and of its answer if that was not recorded before.
fn usages(exchange: &Exchange) -> impl Iterator<Item = &Usage> {
    let faults = exchange.attempts.iter().filter_map(|attempt| attempt.fault.as_ref());
    let failed = faults.filter_map(|fault| if let Charge::AtLeast(usage) = &fault.charge { Some(usage) } else { None });
    let reply = exchange.reply().filter(|reply| reply.recorded.is_none());
    failed.chain(reply.map(|reply| &reply.usage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_calls_were_billed_by_an_estimate_is_said_in_a_sentence() {
        let told = |calls| Disbelieved { model: "a/b".parse().unwrap(), calls }.to_string();
        assert!(
            told(1).starts_with("the provider of a/b reported an impossible usage (1 call): its cost is an estimate")
        );
        assert!(told(3).contains("(3 calls): their cost is an estimate"));
    }
}
