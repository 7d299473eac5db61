//! The needs of one task: the effort it is thought to take, the room that has to be there before it begins, and the room in
//! which nothing of it is cut short. Reserves nothing.

use super::usual::{Size, answers, expected, text_of, thinking, work};
use crate::budget::{Amounts, Cap};
use crate::density::FRAMING;
use crate::id::Role;
use crate::model::Usage;
use crate::plan::Task;
use crate::price::{self, Rates};
use crate::state::Run;
use crate::team::{AssignedModel, Member};
use crate::tool::ToolResult;

/// The amounts that a task is expected to take, set in the task or by rule.
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
pub(super) const CALLS_A_ROUND: u64 = 2;

/// The amounts that a task is expected to take of a member of the team.
pub fn of_task(role: &Role, member: &Member, words: u32) -> Amounts {
    let Some(model) = &member.model else {
        let (tool_calls, tokens) = BY_RULE;
        return Amounts::of(Cap::ToolCalls, tool_calls).with(Cap::Tokens, tokens).within(member.limits);
    };
    let (work, size) = (work(role), Size::of_words(words));
    let calls = work.rounds[1];
    // Everything said before is sent again each time.
    let (mut before, mut tokens) = (0, 0);
    for (answer, round) in answers(role, size, 1).zip(0..) {
        before += if round == 0 { size.told(role, work.first[1]) } else { work.more[1] };
        tokens += before + answer + thinking(model, 1);
        before += answer;
    }
    Amounts::of(Cap::Money, expected(role, model, model.density, size, 1))
        .with(Cap::Tokens, tokens)
        .with(Cap::Calls, calls)
        .with(Cap::ToolCalls, calls.saturating_sub(1) * CALLS_A_ROUND)
        .within(member.limits)
}

/// The fewest tokens of an answer of a role that is of use, with the thinking of its model before it.
pub fn least_room(role: &Role, model: &AssignedModel, words: u32) -> u32 {
    let least = Size::of_words(words).reported(role, work(role).least);
    u32::try_from(least).unwrap_or(u32::MAX).saturating_add(model.thinking_room).min(model.room())
}

/// The tokens of a long answer of a role, likewise: less than room for two of these is little.
pub fn ample_room(role: &Role, model: &AssignedModel, words: u32) -> u32 {
    let long = Size::of_words(words).reported(role, work(role).report[2]);
    u32::try_from(long).unwrap_or(u32::MAX).saturating_add(model.thinking_room).min(model.room())
}

/// A model with a price, at the work of a role.
#[derive(Clone, Copy)]
pub(super) struct Rated<'a> {
    /// The role that it works in.
    pub role: &'a Role,
    /// The model.
    pub model: &'a AssignedModel,
    /// Its price.
    pub rates: &'a Rates,
    /// The words of the brief that is asked for.
    pub words: u32,
}

impl<'a> Rated<'a> {
    /// None for a member that works by rule, or whose model has no known price.
    pub fn of(role: &'a Role, member: &'a Member, words: u32) -> Option<Rated<'a>> {
        let model = member.model.as_ref()?;
        Some(Rated { role, model, rates: model.rates.as_ref()?, words })
    }

    /// The reservation of a call that goes on from its server's count, with `new` tokens of new text.
    fn reserved_for(self, counted: u64, new: u64, output: u32) -> Amounts {
        let input = counted + self.model.density.most_tokens(text_of(new)) + FRAMING;
        price::reservation(self.rates, input, output)
    }

    /// The same for a long answer.
    pub(crate) fn reserved_for_long(self, counted: u64, new: u64) -> Amounts {
        self.reserved_for(counted, new, ample_room(self.role, self.model, self.words))
    }

    /// The same for the first call, whose input is `told` tokens, with the shortest useful answer.
    pub(crate) fn reserved_first(self, told: u64) -> Amounts {
        self.reserved_for(0, told, least_room(self.role, self.model, self.words))
    }

    /// The probable bill of a call with an answer of `answer` tokens.
    pub fn billed(self, before: u64, new: u64, answer: u64) -> Amounts {
        let output = answer.saturating_add(thinking(self.model, 1)).min(self.model.room().into());
        let input = self.model.density.tokens(text_of(new).bytes());
        let usage = Usage { input, cache_read: before, output, ..Usage::default() };
        Amounts::of(Cap::Money, self.rates.cost(&usage).0)
            .with(Cap::Tokens, before + input + output)
            .with(Cap::Calls, 1)
    }

    /// The reservation of its second call, where the first has called tools.
    fn second(self, output: u32) -> Amounts {
        let work = work(self.role);
        self.reserved_for(work.first[1], work.more[1] + work.calls[1], output)
    }
}

/// The room that a task of this role needs before it is begun: a short but useful piece of work, a call of tools and the report on
/// their results.
pub fn to_begin(role: &Role, member: &Member, words: u32) -> Amounts {
    let Some(rated) = Rated::of(role, member, words) else { return in_full(role, member, words) };
    let work = work(role);
    let least = least_room(role, rated.model, words);
    let looks = rated.billed(0, work.first[1], work.calls[1]).with(Cap::ToolCalls, CALLS_A_ROUND);
    least_of_a_call(rated).max(looks.plus(rated.second(least))).within(member.limits)
}

/// The room in which nothing of a task of this role is cut short: the usual cost of such work, and on top the
/// reservation of a call with the longest answer.
pub fn in_full(role: &Role, member: &Member, words: u32) -> Amounts {
    let on_top = match Rated::of(role, member, words) {
        Some(rated) => rated.second(rated.model.room()),
        None => Amounts::of(Cap::Tokens, ToolResult::MOST_TOKENS),
    };
    of_task(role, member, words).plus(on_top).within(member.limits)
}

/// The least reservation of the first call.
pub(super) fn least_of_a_call(rated: Rated<'_>) -> Amounts {
    rated.reserved_first(work(rated.role).first[1])
}
