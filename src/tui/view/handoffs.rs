//! The list of handoffs, in the order in which they crossed.
//!
//! ```text
//! ┌ handoffs ───────────────────────────── 7 ┐
//! │ #3 supervisor → researcher   Qdrant      │
//! │ #4 researcher → supervisor   6 findings  │
//! └──────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::paint::short;
use super::{Scene, paint};
use crate::run::tool::estimate_tokens;
use crate::run::{Handoff, Run};
use crate::tui::measure::{cut, flat, justified, width};
use crate::tui::select;
use crate::tui::theme::Scope;
use crate::tui::ui::{Focus, Seen};

/// How many rows the list takes of a column this high.
pub fn height(run: &Run, column: u16) -> u16 {
    let wanted = u16::try_from(run.handoffs.len()).unwrap_or(u16::MAX).saturating_add(2);
    wanted.clamp(3, (column / 3).max(3)).min(column)
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) -> Seen {
    let Scene { ui, run, theme, .. } = scene;
    let focused = ui.team.focus == Focus::Handoffs;
    let style = theme.style(if focused { Scope::Focus } else { Scope::Border });
    let count = Span::styled(run.handoffs.len().to_string(), theme.style(Scope::Dim));
    let inner = paint::panel(buf, area, vec![Span::styled("handoffs", theme.style(Scope::Title))], vec![count], style);
    let selected = select::handoff(ui, run).map_or(0, |no| no.0 as usize - 1);
    let page = usize::from(inner.height);
    let most = run.handoffs.len().saturating_sub(page);
    // The selected one stays in view, the latest at the bottom.
    let from = selected.saturating_sub(page.saturating_sub(1)).max(if selected >= most { most } else { 0 }).min(most);
    let shown: Vec<&Handoff> = run.handoffs.iter().skip(from).take(page).map(|handoff| &**handoff).collect();
    let route = |handoff: &Handoff| format!("{} → {}", flat(&handoff.names.0), flat(&handoff.names.1));
    let routes = shown.iter().map(|handoff| width(&route(handoff))).max().unwrap_or(0);
    for (n, handoff) in shown.into_iter().enumerate() {
        let Ok(down) = u16::try_from(n) else { break };
        let row = Rect { y: inner.y + down, height: 1, ..inner };
        let here = focused && from + n == selected;
        let base = theme.style(if here { Scope::Selected } else { Scope::Text });
        let dim = if here { base } else { theme.style(Scope::Dim) };
        let route = route(handoff);
        let gap = " ".repeat(routes - width(&route) + 2);
        let left = vec![
            Span::styled(format!("{:>3} ", handoff.no.to_string()), dim),
            Span::styled(route, base),
            Span::styled(gap, base),
            Span::styled(flat(&handoff.title).into_owned(), if here { base } else { theme.style(Scope::Title) }),
        ];
        let right = if inner.width >= 60 { vec![Span::styled(size(handoff), dim)] } else { vec![] };
        let line = justified(left, right, usize::from(inner.width));
        paint::line(buf, row, &if here { line.style(base) } else { line });
    }
    if run.handoffs.is_empty() {
        paint::line(buf, inner, &Line::styled("nothing has crossed yet", theme.style(Scope::Dim)));
    }
    Seen { at: from, most, page }
}

/// What a payload would weigh if a model had to read it: the text of its findings, passages and words.
fn size(handoff: &Handoff) -> String {
    use crate::run::Part;
    let bytes: usize = handoff
        .parts
        .iter()
        .map(|part| match part {
            Part::Question { text } | Part::Note { text } => text.len(),
            Part::Findings { findings } => findings.iter().map(|f| f.claim.len() + f.quote.len()).sum(),
            Part::Passages { passages } => passages.iter().map(|p| p.block.text.len()).sum(),
            Part::Draft { draft } => draft.sentences().map(|s| s.text.len()).sum(),
            Part::Task { task, .. } => task.question.len(),
            Part::Team { members } => members.iter().map(|member| member.description.len()).sum(),
            Part::Plan { plan } => plan.tasks.iter().map(|t| t.question.len()).sum(),
            Part::Flaws { flaws } => flaws.iter().map(|flaw| flaw.to_string().len()).sum(),
            Part::Verdicts { verdicts } => verdicts
                .iter()
                .map(|v| {
                    let issues: usize = v.issues.iter().map(|issue| issue.what.len()).sum();
                    let checks: usize = v.checks.iter().map(|check| check.result.len()).sum();
                    issues + checks
                })
                .sum(),
            Part::Shortfalls { notes } => notes.iter().map(|n| n.len()).sum(),
            Part::Groups { groups } => groups.iter().map(|group| group.title.len() + 4 * group.tasks.len()).sum(),
            Part::Ends { ends } => ends.iter().map(|end| end.title.len() + 12).sum(),
            Part::Corpus { .. } | Part::Length { .. } => 4,
        })
        .sum();
    cut(&format!("{} tok", short(estimate_tokens(bytes))), 9).into_owned()
}
