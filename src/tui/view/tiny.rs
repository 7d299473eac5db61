//! A screen too small for a picture: what is most worth knowing, in plain lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::paint::{self, clock};
use super::{LEAST, Scene, asked};
use crate::tui::measure::{cut, flat};
use crate::tui::select;
use crate::tui::theme::Scope;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let state = select::state(ui, run);
    let cells = usize::from(area.width);
    let status = format!("{} {} {}", state.mark.symbol(), state.word, clock(run.worked(ui.now)));
    let told = ui.status.as_ref().map(|status| flat(status).into_owned());
    let question = run.opening.as_ref().map(|opening| flat(&opening.question).into_owned());
    let lines = [
        (Some(status), theme.style(state.mark.scope())),
        (told.or(asked::gist(run)).or(question), theme.style(Scope::Text)),
        (Some(format!("needs {}×{}", LEAST.0, LEAST.1)), theme.style(Scope::Dim)),
    ];
    for ((text, style), y) in lines.into_iter().zip(area.top()..area.bottom()) {
        let text = text.unwrap_or_default();
        paint::line(buf, Rect { y, height: 1, ..area }, &Line::styled(cut(&text, cells).into_owned(), style));
    }
}
