//! The needs of one task: the effort it is thought to take, and the room that has to be there before it begins. Reserves
//! nothing.

use super::usual::{USUAL_WORDS, Work, expected, text_of, work};
use crate::budget::{Amounts, Cap};
use crate::id::Role;
use crate::plan::Task;
use crate::price;
use crate::state::Run;
use crate::team::{AssignedModel, Member};
use crate::tool::ToolResult;

/// What a task is thought to take, said of it or by rule.
pub fn task(run: &Run, task: &Task) -> Amounts {
    let by_rule = || {
        let opening = run.opening.as_ref()?;
        Some(of_task(&task.role, opening.team.members.get(&task.role)?, opening.words))
    };
    task.estimate.or_else(by_rule).unwrap_or_default()
}

/// Tool calls and tokens of text of a task that is done by rule, as they usually are.
const BY_RULE: (u64, u64) = (28, 13_000);
/// Tool calls that come with each time the model of a task is asked.
const CALLS_A_ROUND: u64 = 2;

/// What a task is thought to take of a member of the team.
pub fn of_task(role: &Role, member: &Member, words: u32) -> Amounts {
    let Some(model) = &member.model else {
        let (tool_calls, tokens) = BY_RULE;
        return Amounts::of(Cap::ToolCalls, tool_calls).with(Cap::Tokens, tokens).within(member.limits);
    };
    let Work { rounds, first, more, answer, .. } = work(role);
    let calls = rounds[1];
    // What was said before is said again each time.
    let tokens = (0..calls).map(|round| first[1] + round * (more[1] + answer[1]) + answer[1]).sum();
    let tool_calls = calls.saturating_sub(1) * CALLS_A_ROUND;
    Amounts::of(Cap::Money, expected(role, model, model.density, words, 1))
        .with(Cap::Tokens, tokens)
        .with(Cap::Calls, calls)
        .with(Cap::ToolCalls, tool_calls)
        .within(member.limits)
}

/// The most tokens of the shortest answer of a role that is of use: as long as its answers are if it takes long.
fn least_answer(role: &Role, words: u32) -> u32 {
    let long = if role.as_str() == Role::WRITER { u64::from(words).max(1) } else { USUAL_WORDS.into() };
    u32::try_from(work(role).answer[2].saturating_mul(long) / u64::from(USUAL_WORDS)).unwrap_or(u32::MAX)
}

/// The same with the thinking of a model before it.
pub fn least_room(role: &Role, model: &AssignedModel, words: u32) -> u32 {
    least_answer(role, words).saturating_add(model.thinking_room).min(model.room())
}

/// How many times the shortest useful answer there is to be room for when a task begins.
const ROOM_TO_ANSWER: u32 = 4;

/// What has to be there for a task of this role before it is begun: what such work usually takes, and what is reserved for a
/// call on top of that.
pub fn to_begin(role: &Role, member: &Member, words: u32) -> Amounts {
    let usual = of_task(role, member, words);
    let model = member.model.as_ref().and_then(|model| Some((model, model.rates.as_ref()?)));
    let Some((model, rates)) = model else {
        return usual.plus(Amounts::of(Cap::Tokens, ToolResult::MOST_TOKENS)).within(member.limits);
    };
    let Work { first, more, .. } = work(role);
    let output = least_room(role, model, words).saturating_mul(ROOM_TO_ANSWER).min(model.room());
    let input = model.density.most_tokens(text_of(first[1] + more[1]));
    let reserved = price::reservation(rates, input, output);
    usual.plus(reserved).within(member.limits)
}

/// The least with which a task of this role can do anything: one call with a short answer.
pub(super) fn least_to_begin(role: &Role, member: &Member, words: u32) -> Amounts {
    let rated = member.model.as_ref().and_then(|model| Some((model, model.rates.as_ref()?)));
    rated.map_or_else(Amounts::default, |(model, rates)| {
        let input = model.density.most_tokens(text_of(work(role).first[1]));
        price::reservation(rates, input, least_room(role, model, words))
    })
}
