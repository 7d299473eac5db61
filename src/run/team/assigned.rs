//! The model assigned to a role: everything about it that a run depends on, recorded with the run. Which model it is, others choose.

use serde::{Deserialize, Serialize};

use crate::density::Density;
use crate::model::ModelId;
use crate::price::Rates;
use crate::thinking::Thinking;
use text::Clean;

/// The strength of the model that a prompt asks for, in words common to all providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The strongest ("opus").
    Strongest,
    /// The usual one ("sonnet").
    Middle,
    /// A small, fast one ("haiku").
    Small,
}

/// The model assigned to a role: everything about it that a run depends on, recorded with the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssignedModel {
    /// Its id. Journals call it `model`.
    #[serde(rename = "model")]
    pub id: ModelId,
    /// Its system prompt.
    pub prompt: Clean,
    /// Its prices; None if unknown, and then it is not called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// The tokens that text makes with it, as learnt from earlier runs; journals without it reserved a token a byte.
    #[serde(default, skip_serializing_if = "Density::is_unlearnt")]
    pub density: Density,
    /// The size of its context in tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The most tokens of one answer, thinking not included.
    pub max_tokens: u32,
    /// Effort and limit of its thinking before an answer.
    #[serde(default, skip_serializing_if = "Thinking::is_unsaid")]
    pub thinking: Thinking,
    /// Tokens for its thinking besides those of the answer; journals without it had none to spare.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thinking_room: u32,
    /// The most tokens that it can give out, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_output: Option<u32>,
    /// The way in which it is made to report in a form that code can read. Journals call it `means`.
    #[serde(rename = "means")]
    pub structured_output: StructuredOutput,
}

impl AssignedModel {
    /// The least tokens of an answer that can be set: a report needs some.
    pub const LEAST_ANSWER: u32 = 64;
    /// The most tokens of an answer, and of the thinking before it, that can be set.
    pub const MOST_ANSWER: u32 = 1_000_000;

    /// A model of which no more is known, without a prompt: it reports by a tool call.
    pub fn new(id: ModelId, max_tokens: u32) -> AssignedModel {
        AssignedModel {
            id,
            prompt: Clean::default(),
            rates: None,
            density: Density::default(),
            context: None,
            max_tokens,
            thinking: Thinking::default(),
            thinking_room: 0,
            most_output: None,
            structured_output: StructuredOutput::Tool,
        }
    }

    /// Whether an answer may be limited to this many tokens.
    ///
    /// # Errors
    /// They are too few or too many, in words that follow the name of the setting.
    pub fn check_answer(tokens: u32) -> Result<(), String> {
        let (least, most) = (AssignedModel::LEAST_ANSWER, AssignedModel::MOST_ANSWER);
        match (least..=most).contains(&tokens) {
            true => Ok(()),
            false => Err(format!("is {tokens}: an answer has {least} to {most} tokens")),
        }
    }

    /// Whether thinking may be limited to this many tokens.
    ///
    /// # Errors
    /// They are too many, in words that follow the name of the setting.
    pub fn check_thinking(tokens: u32) -> Result<(), String> {
        match tokens <= AssignedModel::MOST_ANSWER {
            true => Ok(()),
            false => Err(format!("is {tokens}: {} is the most", AssignedModel::MOST_ANSWER)),
        }
    }

    /// The most tokens of one answer with the thinking before it, as they are first asked for.
    pub fn room(&self) -> u32 {
        self.within_reach(self.max_tokens.saturating_add(self.thinking_room))
    }

    /// The most tokens where an answer was cut at [`AssignedModel::room`]: twice as many, as far as the model can give them.
    pub fn more_room(&self) -> u32 {
        self.within_reach(self.room().saturating_mul(2)).max(self.room())
    }

    /// At least half of the context stays for the request.
    fn within_reach(&self, tokens: u32) -> u32 {
        let half = self.context.map_or(u32::MAX, |context| u32::try_from(context / 2).unwrap_or(u32::MAX));
        tokens.min(self.most_output.unwrap_or(u32::MAX)).min(half).max(1)
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The ways in which a model is made to report in a form that code can read, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// The provider enforces a JSON schema on its answer.
    Schema,
    /// It calls a `report` tool.
    Tool,
    /// It calls a `report` tool, which keeps the provider's cache of the conversation; where it did not, the provider
    /// enforces a JSON schema.
    ToolThenSchema,
    /// It writes JSON into its text, which is parsed with one round of correction.
    Text,
}
