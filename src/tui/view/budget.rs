//! The budget: what was spent, what is held, what nobody knows, what is kept for landing.
//!
//! ```text
//!  budget  23k tok ▕█████▓▒░░░░░░░░┄┄▏ 200k   1.2k held · 34/120 tools · 0 calls · $0 · 0:42/10:00
//! ```
//!
//! `█` spent, `▓` held, `▒` in doubt, `░` left, `┄` kept for landing: the bar can be read without colour.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Scene;
use super::paint::{self, clock, short};
use crate::run::At;
use crate::tui::measure::{fit, width};
use crate::tui::stage::Mode;
use crate::tui::theme::Scope;
use crate::tui::ui::Moment;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let Some(opening) = &run.opening else { return };
    let account = run.ledger.run();
    let (spent, held, doubt, limits) = (account.spent, account.held, account.in_doubt, account.limits);
    // The bar shows money where money is capped, else tokens.
    let (amounts, cap, said, top) = match (limits.money, limits.tokens) {
        (Some(cap), _) => {
            ([spent.money.0, held.money.0, doubt.money.0], Some(cap.0), spent.money.to_string(), cap.to_string())
        }
        (None, Some(cap)) => {
            ([spent.tokens, held.tokens, doubt.tokens], Some(cap), format!("{} tok", short(spent.tokens)), short(cap))
        }
        (None, None) => ([0; 3], None, format!("{} tok", short(spent.tokens)), "· no cap".into()),
    };
    let dim = theme.style(Scope::Dim);
    let mut spans = vec![Span::styled(" budget  ", dim), Span::raw(said)];
    let bar = usize::from(area.width / 6).clamp(8, 28);
    if let Some(cap) = cap {
        spans.push(Span::styled(" ▕", dim));
        let cells = cells(amounts, cap, opening.team.landing_percent, bar);
        let looks =
            [("█", Scope::Spent), ("▓", Scope::Held), ("▒", Scope::InDoubt), ("░", Scope::Free), ("┄", Scope::Reserve)];
        for (count, (glyph, scope)) in cells.into_iter().zip(looks) {
            spans.push(Span::styled(glyph.repeat(count), theme.style(scope)));
        }
        spans.push(Span::styled("▏", dim));
    }
    spans.push(Span::raw(format!(" {top}  ")));

    let of = |n: u64, cap: Option<u64>| cap.map_or(n.to_string(), |cap| format!("{n}/{cap}"));
    let now = if ui.moment == Moment::Latest && ui.mode != Mode::Replay { ui.now } else { At(run.at.0) };
    let time = match limits.millis {
        Some(cap) => format!("{}/{}", clock(run.worked(now)), clock(cap)),
        None => clock(run.worked(now)),
    };
    let mut facts = Vec::new();
    if held.tokens > 0 {
        facts.push(Span::styled(format!("{} held", short(held.tokens)), theme.style(Scope::Held)));
    }
    if doubt.tokens > 0 || doubt.money.0 > 0 {
        facts.push(Span::styled(format!("{} in doubt", short(doubt.tokens)), theme.style(Scope::InDoubt)));
    }
    facts.push(Span::raw(format!("{} tool calls", of(spent.tool_calls, limits.tool_calls))));
    facts.push(Span::raw(format!("{} model calls", of(spent.calls, limits.calls))));
    if limits.money.is_none() {
        facts.push(Span::raw(spent.money.to_string()));
    }
    facts.push(Span::raw(time));
    // Whole facts only: half a number would be a wrong number.
    let mut room = usize::from(area.width).saturating_sub(spans.iter().map(|s| width(&s.content)).sum());
    for (n, fact) in facts.into_iter().enumerate() {
        let gap = if n == 0 { " " } else { " · " };
        let wide = width(gap) + width(&fact.content);
        if wide > room {
            break;
        }
        room -= wide;
        spans.push(Span::styled(gap, dim));
        spans.push(fact);
    }
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}

/// How many cells each part of the bar gets: spent, held, in doubt, left, landing. What there is shows at least one
/// cell, and together they are exactly as many as the bar has.
fn cells(amounts: [u64; 3], cap: u64, landing_percent: u64, bar: usize) -> [usize; 5] {
    let share = |n: u64| {
        let cells = u128::from(n) * bar as u128 / u128::from(cap.max(1));
        usize::try_from(cells).unwrap_or(bar).max(usize::from(n > 0))
    };
    let mut left = bar;
    let mut take = |wanted: usize| {
        let taken = wanted.min(left);
        left -= taken;
        taken
    };
    let [spent, held, doubt] = amounts.map(|n| take(share(n)));
    let landing = take((bar * usize::try_from(landing_percent.min(100)).unwrap_or(0)).div_ceil(100));
    [spent, held, doubt, left, landing]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bar_shows_what_little_there_is() {
        assert_eq!(cells([1, 1, 0], 1_000_000, 10, 20), [1, 1, 0, 16, 2]);
        assert_eq!(cells([0, 0, 0], 100, 15, 10), [0, 0, 0, 8, 2]);
    }

    proptest! {
        #[test]
        fn the_bar_is_always_full(amounts: [u64; 3], cap: u64, landing: u64, bar in 0usize..60) {
            prop_assert_eq!(cells(amounts, cap, landing, bar).iter().sum::<usize>(), bar);
        }
    }
}
