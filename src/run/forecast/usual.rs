//! The usual effort of an assignment, by its role, and its expected cost. Knows no run.

use crate::density::{Bulk, Density};
use crate::id::Role;
use crate::model::Usage;
use crate::team::AssignedModel;
use crate::thinking::Effort;

/// At the least, probably, and if it takes long.
pub(super) type Three = [u64; 3];

/// The usual work of assignments of a role.
pub(super) struct Work {
    role: &'static str,
    /// The number of assignments, if neither the question nor the plan says.
    pub assignments: Three,
    /// The number of calls of its model.
    pub rounds: Three,
    /// Tokens of input the first time: its prompt, its tools, its handoff.
    pub first: Three,
    /// Tokens that each further time adds to the input.
    pub more: Three,
    /// Tokens of an answer that calls tools; the thinking before it is not counted.
    pub calls: Three,
    /// Tokens of the last answer, its report, counted likewise.
    pub report: Three,
    /// Tokens of a short report that is still of use, counted likewise.
    pub least: u64,
}

const WORK: &[Work] = &[
    Work {
        role: Role::SUPERVISOR,
        assignments: [1, 1, 1],
        rounds: [5, 10, 25],
        first: [1_500, 2_500, 4_000],
        more: [400, 800, 1_500],
        calls: [100, 300, 800],
        report: [100, 300, 800],
        least: 300,
    },
    Work {
        role: Role::PLANNER,
        assignments: [1, 1, 1],
        rounds: [1, 2, 4],
        first: [700, 1_000, 4_000],
        more: [400, 700, 3_000],
        calls: [20, 50, 2_500],
        report: [150, 300, 2_500],
        least: 500,
    },
    Work {
        role: Role::RESEARCHER,
        assignments: [1, 1, 8],
        rounds: [2, 4, 14],
        first: [1_500, 1_800, 3_000],
        more: [600, 1_200, 4_500],
        calls: [40, 80, 1_500],
        report: [200, 500, 1_500],
        least: 800,
    },
    Work {
        role: Role::WRITER,
        assignments: [1, 1, 3],
        rounds: [1, 1, 2],
        first: [1_200, 2_000, 15_000],
        more: [500, 1_000, 2_000],
        calls: [400, 1_000, 5_000],
        report: [400, 1_000, 5_000],
        least: 1_000,
    },
    Work {
        role: Role::REVIEWER,
        assignments: [1, 1, 3],
        rounds: [1, 1, 2],
        first: [1_500, 3_000, 18_000],
        more: [500, 1_000, 2_000],
        calls: [150, 500, 4_000],
        report: [150, 500, 4_000],
        least: 600,
    },
    Work {
        role: Role::AGENT,
        assignments: [1, 1, 2],
        rounds: [5, 12, 28],
        first: [1_800, 2_500, 4_000],
        more: [1_200, 2_500, 4_500],
        calls: [50, 100, 1_500],
        report: [400, 1_200, 1_500],
        least: 1_200,
    },
    Work {
        role: Role::JUDGE,
        assignments: [2, 2, 3],
        rounds: [1, 1, 2],
        first: [2_000, 4_500, 12_000],
        more: [500, 1_000, 2_000],
        calls: [100, 300, 1_000],
        report: [100, 300, 1_000],
        least: 300,
    },
    // Any other role.
    Work {
        role: "",
        assignments: [1, 1, 2],
        rounds: [1, 2, 6],
        first: [1_500, 3_000, 8_000],
        more: [500, 1_500, 3_000],
        calls: [60, 150, 2_000],
        report: [200, 600, 2_000],
        least: 800,
    },
];

/// Words of the brief for which the answers of a writer and a reviewer were reckoned.
pub const USUAL_WORDS: u32 = 500;
/// The number of tasks for which the figures of planner, writer and reviewer hold.
const USUAL_TASKS: u64 = 5;

pub(super) fn work(role: &Role) -> &'static Work {
    WORK.iter().find(|work| work.role == role.as_str()).unwrap_or(&WORK[WORK.len() - 1])
}

/// The size of a brief, by which planning, writing and checking it take more or less.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Words of the brief.
    pub words: u32,
    /// Tasks of its plan.
    pub tasks: u64,
}

impl Size {
    /// A brief of this many words on no more tasks than usual.
    pub(crate) fn of_words(words: u32) -> Size {
        Size { words, tasks: 0 }
    }

    /// Tokens that a role is told at first, of `tokens` for a brief of usual size.
    pub fn told(self, role: &Role, tokens: u64) -> u64 {
        if is_on_the_brief(role) { self.by_tasks(tokens) } else { tokens }
    }

    /// Tokens that a role reports, of `tokens` for a brief of usual size.
    pub fn reported(self, role: &Role, tokens: u64) -> u64 {
        match role.as_str() {
            Role::PLANNER => self.by_tasks(tokens),
            _ if is_on_the_brief(role) => tokens.saturating_mul(self.words.max(1).into()) / u64::from(USUAL_WORDS),
            _ => tokens,
        }
    }

    fn by_tasks(self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.tasks.max(USUAL_TASKS)) / USUAL_TASKS
    }
}

fn is_on_the_brief(role: &Role) -> bool {
    matches!(role.as_str(), Role::WRITER | Role::REVIEWER)
}

/// Bytes of text of this many tokens, as they usually are.
pub(super) fn text_of(tokens: u64) -> Bulk {
    Bulk::of_prose(tokens * 1_000 / u64::from(Density::default().likely))
}

/// Tokens of each answer of an assignment in order, the report last; the thinking before them is not counted.
pub(super) fn answers(role: &Role, size: Size, n: usize) -> impl Iterator<Item = u64> {
    let Work { rounds, calls, report, .. } = work(role);
    let report = size.reported(role, report[n]);
    let before = usize::try_from(rounds[n].saturating_sub(1)).unwrap_or(0);
    std::iter::repeat_n(calls[n], before).chain([report])
}

/// The expected cost of one assignment of a role.
pub(super) fn expected(role: &Role, model: &AssignedModel, density: Density, size: Size, n: usize) -> u64 {
    // An unknown price is not zero, but no number either: such a model is not called.
    let Some(rates) = &model.rates else { return 0 };
    let work = work(role);
    let (thinks, room) = (thinking(model, n), u64::from(model.room()));
    let mut before = 0u64;
    let mut sum = 0u64;
    for (answer, round) in answers(role, size, n).zip(0..) {
        let usual = if round == 0 { size.told(role, work.first[n]) } else { work.more[n] };
        let output = answer.saturating_add(thinks).min(room);
        let new = density.tokens(text_of(usual).bytes());
        // Input that was sent before comes from a cache if things go as they should, and thoughts are not sent again.
        let (input, cache_read) = if n == 2 { (before + new, 0) } else { (new, before) };
        sum = sum.saturating_add(rates.cost(&Usage { input, cache_read, output, ..Usage::default() }).0);
        before += new + if n == 2 { output } else { answer };
    }
    sum
}

/// Tokens of thinking before an answer, by the effort that is asked of the model, or else by the room for it.
pub(super) fn thinking(model: &AssignedModel, n: usize) -> u64 {
    /// The part of the room that thinking takes: a twelfth, a sixth, half.
    const PARTS: [u32; 3] = [12, 6, 2];
    let room = model.thinking.effort.map_or(model.thinking_room, Effort::room);
    let tokens = room / PARTS[n];
    model.thinking.limit.map_or(tokens, |limit| limit.min(tokens)).into()
}
