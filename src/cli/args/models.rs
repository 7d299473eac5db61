//! The choice of models, and their prices.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use model::choose::ModelArg;
use run::{ModelId, Money};

/// The choice of models. Without one here or in config.toml: models for which the environment has a key or an address,
/// else rules.
#[derive(ClapArgs, Debug, Clone, Default)]
pub struct Thinking {
    /// Use a model: provider/model, a provider alone for its default model, or role=provider/model for one role; `none`
    /// instead of a model works by rule. Fallbacks follow after commas. May be given several times
    #[arg(long = "model", value_name = "[ROLE=]PROVIDER[/MODEL]")]
    pub models: Vec<ModelArg>,
    /// Work without models, whatever config.toml says: by rules over the text of the documents
    #[arg(long, conflicts_with = "models")]
    pub extractive: bool,
    /// Take specialists from a folder of subagent files made for other programs, as in --agents ~/.claude/agents. They need
    /// models; planners and leaders choose among them by their descriptions. What they ask for that is missing here (tools
    /// that write or execute, hooks, skills) is listed. May be given several times
    #[arg(long = "agents", value_name = "DIR")]
    pub agents: Vec<PathBuf>,
    /// The price of a model, in dollars per million tokens in and out
    #[arg(long = "price", value_name = "PROVIDER/MODEL=IN,OUT")]
    pub prices: Vec<Price>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    pub model: ModelId,
    /// Per million tokens of input.
    pub input: Money,
    /// Per million tokens of output.
    pub output: Money,
}

impl std::str::FromStr for Price {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let form = "write provider/model=IN,OUT in dollars per million tokens, as in mine/large=0.50,2";
        let (model, price) = s.rsplit_once('=').ok_or(form)?;
        let (input, output) = price.split_once(',').ok_or(form)?;
        Ok(Price { model: model.parse()?, input: input.parse()?, output: output.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_as_people_write_it() {
        let price: Price = "groq/openai/gpt-oss-20b=0.075,0.3".parse().unwrap();
        assert_eq!(price.model.to_string(), "groq/openai/gpt-oss-20b");
        assert_eq!((price.input, price.output), (Money::micros(75_000), Money::micros(300_000)));
        for wrong in ["", "a/b", "a/b=1", "a=1,2", "a/b=1,x", "a/b=-1,2"] {
            assert!(wrong.parse::<Price>().is_err(), "{wrong}");
        }
    }
}
