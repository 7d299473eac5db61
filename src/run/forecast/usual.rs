//! The usual effort of an assignment, by its role, and its expected cost. Knows no run.

use crate::density::{Bulk, Density};
use crate::id::Role;
use crate::model::Usage;
use crate::price::Rates;
use crate::team::AssignedModel;
use crate::thinking::Effort;

/// At the least, probably, and if it takes long.
pub(super) type Three = [u64; 3];

/// What assignments of a role take.
pub(super) struct Work {
    role: &'static str,
    /// The number of assignments, if the plan does not say.
    pub assignments: Three,
    /// The number of calls of its model.
    pub rounds: Three,
    /// Tokens of input the first time: its prompt, its tools, what it was handed.
    pub first: Three,
    /// Tokens that each further time adds to the input.
    pub more: Three,
    /// Tokens of each answer, thinking included.
    pub answer: Three,
}

const WORK: &[Work] = &[
    Work {
        role: Role::SUPERVISOR,
        assignments: [1, 1, 1],
        rounds: [5, 10, 25],
        first: [1_500, 2_500, 4_000],
        more: [400, 800, 1_500],
        answer: [100, 300, 800],
    },
    Work {
        role: Role::PLANNER,
        assignments: [1, 1, 1],
        rounds: [1, 2, 4],
        first: [1_200, 2_000, 4_000],
        more: [500, 1_500, 3_000],
        answer: [250, 700, 2_500],
    },
    Work {
        role: Role::RESEARCHER,
        assignments: [1, 3, 8],
        rounds: [3, 6, 14],
        first: [1_500, 2_000, 3_000],
        more: [1_200, 2_500, 4_500],
        answer: [150, 500, 1_500],
    },
    Work {
        role: Role::WRITER,
        assignments: [1, 2, 3],
        rounds: [1, 1, 2],
        first: [2_500, 6_000, 15_000],
        more: [500, 1_000, 2_000],
        answer: [600, 1_500, 5_000],
    },
    Work {
        role: Role::REVIEWER,
        assignments: [1, 2, 3],
        rounds: [1, 1, 2],
        first: [3_000, 7_000, 18_000],
        more: [500, 1_000, 2_000],
        answer: [300, 1_000, 4_000],
    },
    Work {
        role: Role::AGENT,
        assignments: [1, 1, 2],
        rounds: [5, 12, 28],
        first: [1_800, 2_500, 4_000],
        more: [1_200, 2_500, 4_500],
        answer: [200, 500, 1_500],
    },
    Work {
        role: Role::JUDGE,
        assignments: [2, 2, 3],
        rounds: [1, 1, 2],
        first: [2_000, 4_500, 12_000],
        more: [500, 1_000, 2_000],
        answer: [100, 300, 1_000],
    },
    // Any other role.
    Work {
        role: "",
        assignments: [1, 1, 2],
        rounds: [1, 2, 6],
        first: [1_500, 3_000, 8_000],
        more: [500, 1_500, 3_000],
        answer: [200, 600, 2_000],
    },
];

/// Words of the brief for which the answers of a writer were reckoned.
pub const USUAL_WORDS: u32 = 500;

pub(super) fn work(role: &Role) -> &'static Work {
    WORK.iter().find(|work| work.role == role.as_str()).unwrap_or(&WORK[WORK.len() - 1])
}

/// Bytes of text of so many tokens, as they usually are.
pub(super) fn text_of(tokens: u64) -> Bulk {
    Bulk::of_prose(tokens * 1_000 / u64::from(Density::default().likely))
}

/// What one assignment of a role is expected to cost.
pub(super) fn expected(role: &Role, model: &AssignedModel, density: Density, words: u32, n: usize) -> u64 {
    // An unknown price is not zero, but no number either: such a model is not called.
    let Some(rates) = &model.rates else { return 0 };
    let work = work(role);
    let long = if role.as_str() == Role::WRITER { u64::from(words).max(1) } else { USUAL_WORDS.into() };
    let thinks = model.thinking.effort.map_or(10, tenths);
    let answer = (work.answer[n].saturating_mul(long).saturating_mul(thinks) / u64::from(USUAL_WORDS) / 10)
        .min(model.room().into());
    let mut before = 0u64;
    let mut sum = 0u64;
    for round in 0..work.rounds[n] {
        let usual = if round == 0 { work.first[n] } else { work.more[n] };
        let new = density.tokens(text_of(usual).bytes());
        // What was sent before comes from a cache if things go as they should.
        let (input, cache_read) = if n == 2 { (before + new, 0) } else { (new, before) };
        sum = sum.saturating_add(cost(rates, Usage { input, cache_read, output: answer, ..Usage::default() }));
        before += new + answer;
    }
    sum
}

/// How long answers of a model are at an effort, thinking included, in tenths of what they are without one.
fn tenths(effort: Effort) -> u64 {
    match effort {
        Effort::None | Effort::Minimal => 7,
        Effort::Low => 8,
        Effort::Medium => 10,
        Effort::High => 20,
        Effort::Xhigh => 35,
        Effort::Max => 50,
    }
}

fn cost(rates: &Rates, usage: Usage) -> u64 {
    rates.cost(&usage).0
}
