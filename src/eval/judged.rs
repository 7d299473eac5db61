//! The judgements on pairs of briefs, in both orders, and how often the judge agrees with itself.

use serde::{Deserialize, Serialize};

use crate::score::Share;
use run::Money;
use run::preference::{Better, Preference, Ruling};
use text::{Clean, count};

impl Judged {
    /// The reason why it was not judged; or the judge's reason in the first order, and the brief that it calls A there.
    pub fn reason(&self) -> String {
        match self.orders.first().filter(|_| self.why.is_empty()) {
            Some(verdict) if verdict.swapped => format!("A is the other: {}", verdict.why),
            Some(verdict) => format!("A is the team's: {}", verdict.why),
            None => self.why.to_string(),
        }
    }
}

/// A judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    /// Its model.
    pub model: Clean,
    /// The rubric: its file, or `built in`; with a digest of its text.
    pub rubric: Clean,
    /// The digest of the rubric: judgements by different rubrics cannot be compared.
    pub rubric_digest: Clean,
    /// The other side of each pair.
    pub opponent: Opponent,
    /// Remarks for the reader, such as that it judges answers of its own model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Clean>,
}

/// The side that the team's briefs are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opponent {
    /// The baseline's, of the same evaluation.
    Baseline,
    /// The team's of the earlier result.
    Earlier,
}

impl std::fmt::Display for Opponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Opponent::Baseline => "the baseline",
            Opponent::Earlier => "the earlier result",
        })
    }
}

/// The preferred brief of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    /// The team's, in both orders.
    Team,
    /// The other's, in both orders.
    Other,
    /// Neither, in both orders.
    Tie,
    /// The orders disagree: counts as a tie.
    Disagrees,
    /// It was not judged in both orders, and does not count.
    Unjudged,
}

impl Winner {
    /// The winner of a pair whose first brief was the team's.
    pub fn of(preferences: &[Preference]) -> Winner {
        match Ruling::of(preferences) {
            Ruling::Agreed(Better::First) => Winner::Team,
            Ruling::Agreed(Better::Second) => Winner::Other,
            Ruling::Agreed(Better::Tie) => Winner::Tie,
            Ruling::Disagreed => Winner::Disagrees,
            Ruling::Unjudged => Winner::Unjudged,
        }
    }

    /// In words for a table.
    pub fn in_words(self) -> &'static str {
        match self {
            Winner::Team => "prefers the team's",
            Winner::Other => "prefers the other",
            Winner::Tie => "a tie",
            Winner::Disagrees => "a tie: the orders disagree",
            Winner::Unjudged => "not judged",
        }
    }
}

/// A judged pair of briefs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The run that judged it.
    pub run: Option<Clean>,
    /// The verdict of both orders together.
    pub winner: Winner,
    /// The verdict in each order: `first` is the team's brief; `swapped` if the judge read it second.
    pub orders: Vec<Preference>,
    /// The reason why it was not judged; empty if it was.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Clean,
    /// Its cost.
    #[serde(rename = "cost_pico_dollars")]
    pub cost: Money,
    /// Its tokens.
    pub tokens: u64,
    /// The number of answers of the model.
    pub model_calls: u64,
    /// Milliseconds that it worked.
    pub worked_ms: u64,
    /// Whether it was loaded from an earlier evaluation, at no cost.
    pub taken_up: bool,
}

/// Totals over all pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JudgedTotals {
    /// Pairs in which the team's brief is preferred in both orders.
    pub team: usize,
    /// Pairs in which the other brief is preferred in both orders.
    pub other: usize,
    /// Ties, including pairs whose orders disagree.
    pub ties: usize,
    /// Pairs that were not judged in both orders.
    pub unjudged: usize,
    /// Pairs whose orders agree, of those that the judge has read in both.
    pub agrees_with_itself: Share,
    /// The cost of judging.
    #[serde(rename = "cost_pico_dollars")]
    pub cost: Money,
}

impl JudgedTotals {
    /// Totals over these pairs.
    pub fn of<'a>(judged: impl Iterator<Item = &'a Judged>) -> JudgedTotals {
        let mut all = JudgedTotals::default();
        for pair in judged {
            all.cost.0 = all.cost.0.saturating_add(pair.cost.0);
            match pair.winner {
                Winner::Team => all.team += 1,
                Winner::Other => all.other += 1,
                Winner::Tie | Winner::Disagrees => all.ties += 1,
                Winner::Unjudged => all.unjudged += 1,
            }
            // Identical briefs are not sent to the judge.
            if pair.winner != Winner::Unjudged && pair.model_calls > 0 {
                let agrees = usize::from(pair.winner != Winner::Disagrees);
                all.agrees_with_itself.add(Share { good: agrees, all: 1 });
            }
        }
        all
    }

    /// In a sentence: how often each side is preferred, and how consistent the judge is.
    pub fn in_words(&self) -> String {
        let Share { good, all } = self.agrees_with_itself;
        let not = if self.unjudged > 0 { format!("; {} not judged", self.unjudged) } else { String::new() };
        if all == 0 && self.ties == 0 {
            return format!("no pair was judged in both orders{not}");
        }
        let agrees = match all {
            0 => "it was asked about none, as they are the same".to_owned(),
            _ => {
                let share = 100.0 * self.agrees_with_itself.fraction();
                format!("it agrees with itself in {good} of {} ({share:.0} %)", count(all, "pair"))
            }
        };
        let disagree = match all - good {
            0 => String::new(),
            n => format!(", {n} of them because its two orders disagree"),
        };
        format!("prefers the team {}, the other {}, ties {}{disagree}; {agrees}{not}", self.team, self.other, self.ties)
    }
}
