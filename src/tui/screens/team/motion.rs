//! The parts that move by themselves on the team page: marks of those at work, and the edge of a handoff that has just crossed.
//!
//! Nothing moves where the person wants none of it, in a replay, in the past, or without colour.

use crate::graph::Node;
use crate::prelude::*;
use run::{At, HandoffNo};
use std::time::Duration;

/// The time for which the edge of a handoff is lit.
const LIT: u64 = 600;
/// The interval at which the screen moves.
pub const BEAT: Duration = Duration::from_millis(300);
/// The time for which a mark is bright, and the time for which it is dim.
const PULSE: i64 = 600;

/// The latest handoffs, until when each is lit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lit(Vec<(HandoffNo, At)>);

impl Lit {
    /// A handoff crosses now.
    pub fn crosses(&mut self, no: HandoffNo, now: At) {
        /// More at once would light everything.
        const MOST: usize = 12;
        self.0.retain(|(_, until)| *until > now);
        if self.0.len() < MOST {
            self.0.push((no, At(now.0.saturating_add_unsigned(LIT))));
        }
    }

    /// Whether any edge is lit.
    pub fn is_any(&self, now: At) -> bool {
        self.0.iter().any(|(_, until)| *until > now)
    }
}

/// The motion of one frame.
pub struct Motion<'a> {
    ui: &'a Ui,
    run: &'a Run,
    moves: bool,
}

impl<'a> Motion<'a> {
    pub fn of(ui: &'a Ui, run: &'a Run) -> Motion<'a> {
        Motion { ui, run, moves: ui.moves && ui.is_at_work() }
    }

    /// The style of the mark of somebody at work.
    pub fn pulse(&self, style: Style) -> Style {
        match self.moves && self.ui.now.0.div_euclid(PULSE) % 2 == 1 {
            true => style.dim(),
            false => style,
        }
    }

    /// The size in tokens of the handoff that has just crossed from one node to another.
    pub fn lit(&self, from: &Node, to: &Node) -> Option<u64> {
        let lit = self.ui.team.lit.0.iter().rev().filter(|(_, until)| self.moves && *until > self.ui.now);
        let mut crossed = lit.filter_map(|(no, _)| self.run.handoff(*no));
        // Work that is handed out comes in at its node, a report leaves it.
        let handoff = crossed.find(|handoff| {
            let end = if handoff.is_report() { (from.assignment, handoff.from) } else { (to.assignment, handoff.to) };
            end.0.is_some() && end.0 == end.1
        })?;
        Some(handoff.payload.tokens())
    }
}
