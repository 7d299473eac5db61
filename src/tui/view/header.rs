//! The header: what is asked and where the run is.
//!
//! ```text
//!  masthead   Compare pgvector, Qdrant and Pinecone            ● researching   0:42   run 7f3k
//!  extractive team: no model, the sources' own sentences · 14 documents    1 team  2 findings  3 brief
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use super::Scene;
use super::paint::{self, clock, count};
use crate::run::At;
use crate::run::team::Kind;
use crate::tui::mark::State;
use crate::tui::measure::{flat, justified};
use crate::tui::stage::Mode;
use crate::tui::theme::Scope;
use crate::tui::ui::{Moment, Page};

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let state = State::from(&run.phase());
    let opening = run.opening.as_ref();
    let dim = theme.style(Scope::Dim);
    // Elapsed time runs with the clock only where the clock belongs to the moment shown.
    let now = if ui.moment == Moment::Latest && ui.mode != Mode::Replay { ui.now } else { At(run.at.0) };
    let question = opening.map_or("", |opening| &opening.question);
    let left = vec![
        Span::styled(" masthead", theme.style(Scope::Brand)),
        Span::raw("  "),
        Span::styled(flat(question).into_owned(), theme.style(Scope::Title)),
    ];
    let mut right = vec![
        Span::styled(format!("{} {}", state.mark.symbol(), state.word), theme.style(state.mark.scope())),
        Span::raw(format!("  {}", clock(run.worked(now)))),
    ];
    if let Some(opening) = opening {
        right.push(Span::styled(format!("  run {} ", opening.run), dim));
    }
    paint::line(buf, area, &justified(left, right, usize::from(area.width)));

    let [_, second] = paint::rows(area, [1, 1]);
    let tabs = [
        (Page::Team, "1 team", true),
        (Page::Findings, "2 findings", !run.checkpoints.is_empty()),
        (Page::Brief, "3 brief", run.brief().is_some()),
    ];
    let mut right = Vec::new();
    for (page, name, there) in tabs {
        let style = match (page == ui.page, there) {
            (true, _) => theme.style(Scope::Focus).patch(theme.style(Scope::Title)),
            (false, true) => Style::new(),
            (false, false) => theme.style(Scope::Waiting),
        };
        let attention = page == Page::Findings && run.open_checkpoint().is_some() && page != ui.page;
        let style = if attention { theme.style(Scope::NeedsYou) } else { style };
        right.push(Span::styled(format!("{name}{}", if attention { " ◆" } else { "" }), style));
        right.push(Span::raw(if page == Page::Brief { " " } else { "   " }));
    }
    paint::line(
        buf,
        second,
        &justified(vec![Span::styled(format!(" {}", about(scene)), dim)], right, usize::from(area.width)),
    );
}

/// Who works on what, honestly.
fn about(scene: Scene<'_>) -> String {
    let Scene { ui, run, .. } = scene;
    let mut parts = Vec::new();
    match &ui.mode {
        Mode::Live => {}
        Mode::ReadOnly(_) => parts.push("read only".to_string()),
        Mode::Replay => parts.push("replay".to_string()),
    }
    if let Some(opening) = &run.opening {
        let extractive = opening.team.members.values().all(|member| member.kind == Kind::Extractive);
        parts.push(if extractive {
            "extractive team: no model, the sources' own sentences".into()
        } else {
            format!("{} team", opening.team.name)
        });
    }
    if let Some(corpus) = &run.corpus {
        parts.push(count(corpus.documents as usize, "document"));
        if corpus.skipped_count > 0 {
            parts.push(format!("{} skipped", corpus.skipped_count));
        }
    } else if let Some((done, total)) = ui.reading {
        parts.push(format!("reading {done} of {total} files"));
    }
    parts.join(" · ")
}
