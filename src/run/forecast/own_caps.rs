//! Caps of a member's own that keep it from asking its model even once: said before a run begins.

use std::fmt;

use super::needs::{Rated, least_of_a_call};
use crate::budget::Cap;
use crate::event::Opening;
use crate::id::Role;

/// A cap of a member's own that is lower than the reservation of one call of its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BelowACall {
    /// The member.
    pub role: Role,
    /// The cap.
    pub cap: Cap,
    /// The amount of the cap, in the smallest unit of its kind.
    pub most: u64,
    /// The least reservation of a call, in the same unit.
    pub needs: u64,
}

impl fmt::Display for BelowACall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BelowACall { role, cap, most, needs } = self;
        let key = match cap {
            Cap::Money => "max_cost",
            Cap::Tokens => "max_tokens",
            Cap::Calls => "max_calls",
            Cap::ToolCalls | Cap::Time => "limits",
        };
        write!(
            f,
            "the {role} cannot ask its model even once: its own {cap} is {}, and a call reserves about {}; raise `{key}` in its \
             prompt file {role}.md, or its `limits` in the team file",
            cap.written(*most),
            cap.written(*needs),
        )
    }
}

/// The members that may not ask their models even once, each with the first cap that is too low.
pub fn below_a_call(opening: &Opening) -> Vec<BelowACall> {
    let below = |(role, member)| {
        let needs = least_of_a_call(Rated::of(role, member, opening.words)?);
        let (cap, most) = member.limits.caps().find(|(cap, most)| needs.get(*cap) > *most)?;
        Some(BelowACall { role: role.clone(), cap, most, needs: needs.get(cap) })
    };
    opening.team.members.iter().filter_map(below).collect()
}
