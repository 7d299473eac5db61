//! The team page: the graph at the left, panes and handoffs at the right; below one another where it is narrow.
//!
//! ```text
//! ┌ graph ─────────────┐┌ researcher · Qdrant ── ● turn 2/8 ┐
//! │                    ││ what it was handed, what it did   │
//! │                    │├ researcher · Pinecone ── ○ ───────┤
//! │                    │└───────────────────────────────────┘
//! │                    │┌ handoffs ─────────────────────────┐
//! │                    ││ #1 supervisor → researcher        │
//! └────────────────────┘└───────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Cache, Scene, graph, handoffs, paint, panes};
use crate::ui::{Focus, Seen, Zoom};

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>, cache: &mut Cache) -> Seen {
    let team = &scene.ui.team;
    if team.zoom == Zoom::One || (area.width < 72 && area.height < 10) {
        return match team.focus {
            Focus::Panes => panes::render(buf, area, scene, cache),
            Focus::Handoffs => handoffs::render(buf, area, scene),
            Focus::Graph => graph::render(buf, area, scene),
        };
    }
    let side_by_side = area.width >= 72;
    let (left, right) = if side_by_side {
        let share = if area.width >= 110 { area.width * 11 / 24 } else { area.width * 10 / 24 };
        paint::split(area, share)
    } else {
        // Below one another, a part that would show a line or two gives way to the others.
        let tall = (area.height / 2).min(graph::rows_needed(scene.ui, scene.run) + 2);
        let tall = if area.height < 16 { 0 } else { tall };
        let [top, rest] = paint::rows(area, [tall, area.height - tall]);
        (top, rest)
    };
    let list = if right.height < 10 { 0 } else { handoffs::height(scene.run, right.height) };
    let [above, below] = paint::rows(right, [right.height - list, list]);
    let seen = [
        (Focus::Graph, graph::render(buf, left, scene)),
        (Focus::Panes, panes::render(buf, above, scene, cache)),
        (Focus::Handoffs, handoffs::render(buf, below, scene)),
    ];
    seen.into_iter().find(|(focus, _)| *focus == team.focus).map_or(Seen::default(), |(_, seen)| seen)
}
