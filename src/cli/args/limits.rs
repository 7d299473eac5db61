//! The caps of a run.

use clap::Args as ClapArgs;

use run::budget::{Cap, amount, millis};
use run::{Limits, Money};

/// The caps of a run: of a new one, or raised ones of an earlier one.
#[derive(ClapArgs, Debug, Clone, Copy, Default)]
pub struct Caps {
    /// The most tool calls (searches, reads) of the run
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tool_calls: Option<u64>,
    /// The most tokens of the run, as in 60000 or 200k
    #[arg(long, value_name = "N", value_parser = amount)]
    pub max_tokens: Option<u64>,
    /// The most working time of the run, as in 90s or 5m; waiting for you does not count
    #[arg(long, value_name = "TIME", value_parser = millis)]
    pub max_time: Option<u64>,
    /// The most money the run may cost, in dollars, as in 0.50 [default of a new run if its models cost anything: 1.00]
    #[arg(long, value_name = "DOLLARS")]
    pub max_cost: Option<Money>,
}

impl Caps {
    /// The caps given.
    pub fn limits(&self) -> Limits {
        Limits::default()
            .with(Cap::Money, self.max_cost.map(|money| money.0))
            .with(Cap::Tokens, self.max_tokens)
            .with(Cap::ToolCalls, self.max_tool_calls)
            .with(Cap::Time, self.max_time)
    }
}
