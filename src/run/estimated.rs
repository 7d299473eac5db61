//! Costs that are estimates because a provider reported no usage, or one that cannot be. Read off the run; nothing is recorded for it
//! beyond the marks of each usage.

use std::fmt;

use crate::attempt::Charge;
use crate::budget::Money;
use crate::model::{ModelId, Usage};
use crate::price::Rates;
use crate::state::Run;
use crate::transcript::Exchange;
use text::count;

/// The calls to a model that costs money whose cost is an estimate, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimated {
    /// The model.
    pub model: ModelId,
    /// The reason.
    pub because: Because,
    /// The number of calls.
    pub calls: usize,
}

/// Why a cost is an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// The provider reported an impossible usage.
    Impossible,
    /// The provider reported none for a whole answer.
    NotReported,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Because::Impossible => "an impossible usage",
            Because::NotReported => "no usage",
        })
    }
}

impl fmt::Display for Estimated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimated { model, because, calls } = self;
        let (calls, their) = (count(*calls, "call"), if *calls == 1 { "its" } else { "their" });
        write!(
            f,
            "the provider of {model} reported {because} ({calls}): {their} cost is an estimate, and what the \
             provider bills may be more"
        )
    }
}

impl Run {
    /// The models with costs that are estimates, in the order of their calls.
    pub fn estimated(&self) -> Vec<Estimated> {
        let mut all: Vec<Estimated> = Vec::new();
        for exchange in self.assignments().flat_map(|assignment| assignment.transcript.exchanges()) {
            let model = &exchange.request.model;
            for because in reasons(exchange, |usage| self.costs(model, usage)) {
                match all.iter_mut().find(|known| known.model == *model && known.because == because) {
                    Some(known) => known.calls += 1,
                    None => all.push(Estimated { model: model.clone(), because, calls: 1 }),
                }
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

/// The reasons for which the costs of a call are estimates: of its failed attempts, and of its answer if that was not recorded before.
/// A broken answer counts only if its usage is impossible: without one its cost is in doubt, which is told as such.
fn reasons(exchange: &Exchange, costs: impl Fn(&Usage) -> bool) -> impl Iterator<Item = Because> {
    let faults = exchange.attempts.iter().filter_map(|attempt| attempt.fault.as_ref());
    let failed = faults.filter_map(|fault| if let Charge::AtLeast(usage) = &fault.charge { Some(usage) } else { None });
    let reply = exchange.reply().filter(|reply| reply.recorded.is_none()).map(|reply| &reply.usage);
    let of_reply = reply.filter(|usage| usage.estimated && !usage.disbelieved);
    let disbelieved = failed.chain(reply).filter(|usage| usage.disbelieved);
    let told = disbelieved.map(|usage| (usage, Because::Impossible));
    let told = told.chain(of_reply.map(|usage| (usage, Because::NotReported)));
    told.filter(move |(usage, _)| costs(usage)).map(|(_, because)| because)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_calls_were_billed_by_an_estimate_is_said_in_a_sentence() {
        let told = |because, calls| Estimated { model: "a/b".parse().unwrap(), because, calls }.to_string();
        assert!(
            told(Because::Impossible, 1)
                .starts_with("the provider of a/b reported an impossible usage (1 call): its cost is an estimate")
        );
        let untold = told(Because::NotReported, 3);
        assert!(untold.contains("reported no usage (3 calls): their cost is an estimate"), "{untold}");
    }
}
