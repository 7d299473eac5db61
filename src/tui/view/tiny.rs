//! A screen too small for a page: the state and the question in plain lines.

use super::{LEAST, Scene};
use crate::overlays::raising::Raising;
use crate::prelude::*;
use crate::screens::asked;

/// Whether an overlay is shown here as well.
pub fn shows(over: &Overlay) -> bool {
    matches!(over, Overlay::None | Overlay::Raising(_))
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, theme, .. } = scene;
    let state = select::state(ui, run);
    let cells = usize::from(area.width);
    let status = format!("{} {} {}", state.mark.symbol(), state.word, clock(run.worked(ui.now)));
    let text = theme.style(Scope::Text);
    let one = |words: &str, style| Line::styled(cut(words, cells).into_owned(), style);
    let mut lines = vec![one(&status, theme.style(state.mark))];
    if let Overlay::Raising(Raising { cap, field }) = &ui.overlay {
        let is = run.ledger.run().limits.cap(*cap).map_or_else(String::new, |is| cap.written(is));
        lines.push(one(&format!("cap {is} → {}▏", flat(&field.text())), text));
    }
    match &ui.status {
        // A message to the person takes all rows there are.
        Some(message) => {
            let most = usize::from(area.height).saturating_sub(lines.len() + 1).max(1);
            lines.extend(rows(&flat(message), cells, text, &[]).into_iter().take(most));
        }
        None if lines.len() == 1 => {
            let question = run.opening.as_ref().map(|opening| flat(&opening.question).into_owned());
            lines.push(one(&asked::gist(run).or(question).unwrap_or_default(), text));
        }
        None => {}
    }
    lines.push(one(&format!("needs {}×{}", LEAST.0, LEAST.1), theme.style(Scope::Dim)));
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        paint::line(buf, Rect { y, height: 1, ..area }, line);
    }
}
