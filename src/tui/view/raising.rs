//! The box in which a cap of the run is raised: what is capped, what is gone of it, and the new cap.
//!
//! ```text
//! ┌ raise a cap ───────────────────────────────────────── Tab another cap ┐
//! │ ▸ money       $0.50   $0.31 spent · $0.05 held · $0.02 in doubt       │
//! │   tokens       200k   23k spent · 4.1k held                           │
//! │   time          10m   0:42 worked                                     │
//! │ new money cap  ▌0.50                                                  │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint::{clock, short};
use super::{Scene, paint, writing};
use crate::field::Field;
use crate::keymap::{Action, ROWS};
use crate::measure::{fit, width};
use crate::theme::Scope;
use run::budget::Account;
use run::{Amounts, Cap, Money};

pub fn render(buf: &mut Buffer, page: Rect, scene: Scene<'_>, cap: Cap, words: &Field) {
    let Scene { ui, run, theme, .. } = scene;
    let account = run.ledger.run();
    let mut caps: Vec<(Cap, u64)> = account.limits.caps().collect();
    let several = caps.len() > 1;
    if caps.len() + 3 > usize::from(page.height) {
        caps.retain(|(other, _)| *other == cap);
    }
    let area = writing::middle(page, u16::try_from(caps.len() + 3).unwrap_or(page.height));
    paint::clear(buf, area, theme.style(Scope::Text));
    let title = vec![Span::styled("raise a cap", theme.style(Scope::Title))];
    let other = ROWS.iter().find(|row| row.action == Action::NextCap).filter(|_| several);
    let right = other.map_or_else(Vec::new, |row| {
        let hint = format!(" {}", row.hint.unwrap_or_default());
        vec![
            Span::styled(row.keys[0].to_string(), theme.style(Scope::Key)),
            Span::styled(hint, theme.style(Scope::Dim)),
        ]
    });
    let inner = paint::panel(buf, area, title, right, theme.style(Scope::NeedsYou));
    let names = caps.iter().map(|(cap, _)| width(cap.of_what())).max().unwrap_or(0);
    let amounts = caps.iter().map(|(cap, n)| width(&cap.written(*n))).max().unwrap_or(0);
    for ((other, n), y) in caps.iter().zip(inner.top()..inner.bottom()) {
        let chosen = *other == cap;
        let style = theme.style(if chosen { Scope::Title } else { Scope::Text });
        let sign = if !several {
            ""
        } else if chosen {
            "▸ "
        } else {
            "  "
        };
        let line = vec![
            Span::styled(format!("{sign}{:<names$}  {:>amounts$}", other.of_what(), other.written(*n)), style),
            Span::styled(format!("   {}", gone(account, *other, run.worked(ui.now))), theme.style(Scope::Dim)),
        ];
        paint::line(buf, Rect { y, height: 1, ..inner }, &Line::from(fit(line, usize::from(inner.width))));
    }
    let label = format!("new {cap}  ");
    let last = Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner };
    paint::line(buf, last, &Line::styled(label.clone(), theme.style(Scope::Focus)));
    let taken = u16::try_from(width(&label)).unwrap_or(u16::MAX).min(last.width);
    writing::field(buf, Rect { x: last.x + taken, width: last.width - taken, ..last }, words, true, theme);
}

/// What was taken of a cap, and what may be.
fn gone(account: &Account, cap: Cap, worked: u64) -> String {
    let of = |amounts: &Amounts| match cap {
        Cap::Money => amounts.money.0,
        Cap::Tokens => amounts.tokens,
        Cap::Calls => amounts.calls,
        Cap::ToolCalls => amounts.tool_calls,
        Cap::Time => 0,
    };
    if cap == Cap::Time {
        return format!("{} worked", clock(worked));
    }
    let amount = |n| if cap == Cap::Money { Money(n).to_string() } else { short(n) };
    let mut told = vec![format!("{} spent", amount(of(&account.spent)))];
    for (amounts, word) in [(&account.held, "held"), (&account.in_doubt, "in doubt")] {
        if of(amounts) > 0 {
            told.push(format!("{} {word}", amount(of(amounts))));
        }
    }
    told.join(" · ")
}
