//! The steps of an agent: put in order, and each model call with its new messages.

use run::ModelId;
use run::model::Said;
use text::Clean;

use super::{Spoke, Spoken};
use crate::story::{Asked, Did, Ended, Step};

/// A step as its span tells it.
pub(super) struct Told {
    /// The time of its beginning (ms since 1970).
    pub(super) at: i64,
    pub(super) what: What,
}

/// The action of a step, as its span tells it.
pub(super) enum What {
    /// A model was asked: the span tells all messages to it, also those of the call before it.
    Asked(Box<(Ended, Spoken)>),
    /// Anything else.
    Did(Did),
}

impl Told {
    pub(super) fn did(at: i64, did: Did) -> Told {
        Told { at, what: What::Did(did) }
    }
}

/// The steps of one agent in order of time. A model call keeps its new messages.
pub(super) fn in_order(mut told: Vec<Told>) -> Vec<Step> {
    told.sort_by_key(|step| step.at);
    let mut before = Vec::new();
    let step = |Told { at, what }| match what {
        What::Asked(call) => {
            let (end, mut spoken) = *call;
            let said = new_in(std::mem::take(&mut spoken.said), &mut before);
            Step { at, did: Did::Asked(Box::new(asked(end, spoken, said))) }
        }
        What::Did(did) => Step { at, did },
    };
    let mut steps: Vec<Step> = told.into_iter().map(step).collect();
    steps.shrink_to_fit();
    steps
}

/// The messages of a call that are neither in the one before nor an answer of its model.
fn new_in(said: Vec<Spoke>, before: &mut Vec<Spoke>) -> Vec<Said> {
    let same = said.iter().zip(before.iter()).take_while(|(now, then)| now == then).count();
    let goes_on = same == before.len();
    let new = said.iter().skip(if goes_on { same } else { 0 });
    let new = new.filter_map(|spoke| match spoke {
        Spoke::Said(said) => Some(said.clone()),
        Spoke::Answer => None,
    });
    let new = new.collect();
    *before = said;
    new
}

fn asked(end: Ended, spoken: Spoken, said: Vec<Said>) -> Asked {
    let or_unknown = |name: Clean| if name.is_empty() { "unknown".into() } else { name };
    let (provider, model) = (or_unknown(spoken.provider), or_unknown(spoken.model));
    Asked {
        served_by: spoken.served_by.unwrap_or_else(|| model.clone()),
        model: ModelId { provider, model },
        said,
        max_tokens: spoken.max_tokens,
        content: spoken.content,
        stop: spoken.stop,
        usage: spoken.usage,
        id: spoken.id,
        first_ms: spoken.first_ms,
        end,
    }
}
