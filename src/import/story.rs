//! A run as it was told elsewhere, and the events that it becomes: the one way from every importer into the fold.
//!
//! Clocks run backwards in such files. Within an assignment the order of its records counts, and a time that goes back is
//! taken to be the one before it; nothing of an assignment happens before it was handed out.

mod course;
mod events;
mod report;

use std::collections::BTreeMap;

use run::foreign::{Note, Origin, Pricing};
use run::model::{Content, Said, StopReason, Usage};
use run::price::Rates;
use run::tool::CleanJson;
use run::{ModelId, Outcome, Payload, RunId};
use text::Clean;
use text::hash::{SEED, hash};

pub use events::Teller;

/// The most text of one handoff, message or result that is kept, in bytes.
pub const MOST_TEXT: usize = 64 * 1024;

/// Text from outside; longer text than [`MOST_TEXT`] is cut, and its size is said.
pub fn kept(text: &str) -> Clean {
    match text.len() <= MOST_TEXT {
        true => Clean::new(text),
        false => {
            let head = &text[..text.floor_char_boundary(MOST_TEXT)];
            Clean::new(&format!("{head}\n[cut here: {} bytes in all]", text.len()))
        }
    }
}

/// The most of a name, or of a title, that is kept, in bytes.
const MOST_NAME: usize = 512;

/// A name from outside in one line; a longer one than [`MOST_NAME`] is cut, and that shows. Names are told again and again.
pub fn named(text: &str) -> Clean {
    match text.len() <= MOST_NAME {
        true => Clean::line(text),
        false => Clean::line(&format!("{}…", &text[..text.floor_char_boundary(MOST_NAME)])),
    }
}

/// A run that another program led, as an importer tells it.
#[derive(Clone, Debug)]
pub struct Story {
    /// The program and the files that it comes from, and its gaps.
    pub origin: Origin,
    /// The title of the run, one line: the task, where that is told.
    pub title: Clean,
    /// All agents of the run: the first is the root, and parents stand before their children.
    pub agents: Vec<Agent>,
}

/// An agent of the run, with all it did.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its id in the other program; empty if it has none.
    pub id: Clean,
    /// The index of the agent that handed it its work; None for the root.
    pub parent: Option<usize>,
    /// Its role, as the other program names it.
    pub role: Clean,
    /// The name of this one agent, as the other program shows it; the role where agents have no names of their own.
    pub name: Clean,
    /// The time at which it was handed its work, in milliseconds since 1970.
    pub at: i64,
    /// A title for its work, in a few words.
    pub title: Clean,
    /// The work it was handed.
    pub payload: Payload,
    /// Its steps, in order of time.
    pub steps: Vec<Step>,
    /// The end; None while it is at work.
    pub end: Option<End>,
}

/// The end of an agent.
#[derive(Clone, Debug)]
pub struct End {
    /// The time of its end, in milliseconds since 1970.
    pub at: i64,
    /// Whether it succeeded; with the reason, if it failed.
    pub outcome: Outcome,
    /// The result that it gave back.
    pub payload: Payload,
}

/// A step of an agent.
#[derive(Clone, Debug)]
pub struct Step {
    /// The time of its beginning, in milliseconds since 1970.
    pub at: i64,
    /// The action of the agent.
    pub did: Did,
}

/// The action of an agent in a step.
#[derive(Clone, Debug)]
pub enum Did {
    /// A model was asked.
    Asked(Box<Asked>),
    /// Tools were used, side by side.
    Used(Vec<Used>),
    /// Work was handed to these agents, by their places in [`Story::agents`].
    HandedOff(Vec<usize>),
    /// Anything else that the transcript is to show.
    Noted(Note),
}

/// A model call.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The model that was asked.
    pub model: ModelId,
    /// The messages that are new: without those of the call before it, and without the answers of the model.
    pub said: Vec<Said>,
    /// The most tokens that were asked for; 0 if that was not told.
    pub max_tokens: u32,
    /// The answer, in its parts.
    pub content: Vec<Content>,
    /// The reason why the model stopped.
    pub stop: StopReason,
    /// The tokens that it took, and its cost if that was told.
    pub usage: Usage,
    /// The model that answered.
    pub served_by: Clean,
    /// The provider's id of the answer.
    pub id: Option<Clean>,
    /// Milliseconds to the first piece of the answer; 0 if that was not told.
    pub first_ms: u64,
    /// The end.
    pub end: Ended,
}

/// The end of a call.
#[derive(Clone, Debug)]
pub enum Ended {
    /// It has not ended, as far as was told.
    NotYet,
    /// It came back at this time, in milliseconds since 1970.
    At(i64),
    /// It failed at this time, in milliseconds since 1970, for this reason.
    Failed(i64, Clean),
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Used {
    /// The name of the tool.
    pub name: Clean,
    /// Its arguments.
    pub arguments: CleanJson,
    /// Its result, as text.
    pub result: Clean,
    /// The end.
    pub end: Ended,
}

/// The id of the run that a story becomes: the same however often it is read.
pub fn run_id(origin: &Origin) -> RunId {
    let of = |seed: u64| hash(seed, origin.format.name().bytes().chain([0]).chain(origin.id.bytes()));
    let bytes = (of(SEED) ^ of(0x9e37_79b9_7f4a_7c15).rotate_left(17)).to_le_bytes();
    RunId::from_random([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4] ^ bytes[6], bytes[5] ^ bytes[7]])
}

impl Story {
    /// The share of its calls with a known price, an estimated one, and none.
    pub fn pricing(&self, rates: &dyn Fn(&ModelId) -> Option<Rates>) -> Pricing {
        let mut pricing = Pricing::default();
        for step in self.agents.iter().flat_map(|agent| &agent.steps) {
            if let Did::Asked(asked) = &step.did
                && !matches!(asked.end, Ended::NotYet)
            {
                pricing.count(&asked.priced(rates));
            }
        }
        pricing
    }
}

impl Agent {
    /// Puts steps without a time of their own, or with one before the run, at this time (ms since 1970).
    pub(crate) fn begins_at_least(&mut self, begun: i64) {
        self.at = self.at.max(begun);
        self.steps.iter_mut().for_each(|step| step.at = step.at.max(begun));
        self.end.iter_mut().for_each(|end| end.at = end.at.max(begun));
    }

    /// The first message of its first model call.
    pub(crate) fn told_first(&self) -> Option<&Clean> {
        let asked =
            self.steps.iter().find_map(|step| if let Did::Asked(asked) = &step.did { Some(asked) } else { None });
        asked?.said.iter().find_map(|said| if let Said::User { text } = said { Some(text) } else { None })
    }
}

impl Asked {
    /// Its tokens with their price: the recorded one, or else by the table of prices.
    fn priced(&self, rates: &dyn Fn(&ModelId) -> Option<Rates>) -> Usage {
        let mut usage = self.usage;
        if usage.cost.is_none() && usage.total() > 0 {
            let named = ModelId { provider: self.model.provider.clone(), model: self.served_by.clone() };
            let rates = rates(&self.model).or_else(|| rates(&named));
            usage.cost = rates.map(|rates| rates.cost(&usage));
            usage.cost_estimated = usage.cost.is_some();
        }
        usage
    }
}

/// Kinds that a program does not know, counted by their own names.
#[derive(Clone, Debug, Default)]
pub struct Unknown(pub BTreeMap<Clean, u64>);

impl Unknown {
    /// The most that are distinguished by name.
    const MOST: usize = 40;

    /// Counts one more of a kind.
    pub fn count(&mut self, kind: &str) {
        let name: Clean = Clean::line(kind).chars().take(60).collect::<String>().into();
        let name = if self.0.len() >= Unknown::MOST && !self.0.contains_key(&name) { "others".into() } else { name };
        *self.0.entry(name).or_default() += 1;
    }
}
