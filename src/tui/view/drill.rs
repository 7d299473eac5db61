//! What a drill is about, above the page: what will go wrong, and once it is over, what caught it.
//!
//! ```text
//! ┌ ● drill ────────────────────────────────────────────────── loop-of-two ┐
//! │ The researcher hands its task to the archivist, who hands it back as … │
//! └────────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Scene, paint};
use crate::mark::Mark;
use crate::measure::rows;
use crate::theme::Scope;
use run::{Exercise, Lesson};

/// Lower than this, the page has no row to spare.
const LEAST: u16 = 12;

fn mark(lesson: Option<&Lesson>) -> (Mark, &'static str) {
    match lesson {
        None => (Mark::Running, "drill"),
        Some(lesson) if lesson.caught => (Mark::Done, lesson.word()),
        Some(lesson) => (Mark::Failed, lesson.word()),
    }
}

/// What is told: a line for each sentence if there is room for that, running on otherwise.
fn lines(drill: Exercise, lesson: Option<&Lesson>, width: u16, most: u16, scene: Scene<'_>) -> Vec<Line<'static>> {
    let told: Vec<&str> = match lesson {
        None => vec![drill.goes_wrong],
        Some(lesson) => lesson.told.iter().map(|sentence| sentence.as_str()).collect(),
    };
    let wrapped = |text: &str| rows(text, usize::from(width).saturating_sub(4), scene.theme.style(Scope::Text), &[]);
    let each: Vec<Line<'static>> = told.iter().flat_map(|sentence| wrapped(sentence)).collect();
    if each.len() <= usize::from(most) { each } else { wrapped(&told.join(" ")) }
}

/// How many rows it takes of a page this large; none where the run is no drill.
pub fn height(scene: Scene<'_>, page: Rect) -> u16 {
    let Some(drill) = scene.exercise().filter(|_| page.height >= LEAST) else { return 0 };
    let most = page.height / 2;
    let lines = lines(drill, drill.lesson(scene.run).as_ref(), page.width, most.saturating_sub(2), scene).len();
    u16::try_from(lines + 2).unwrap_or(u16::MAX).min(most)
}

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Some(drill) = scene.exercise().filter(|_| area.height > 2) else { return };
    let lesson = drill.lesson(scene.run);
    let (mark, word) = mark(lesson.as_ref());
    let style = scene.theme.style(mark.scope());
    let title = vec![Span::styled(format!("{} {word}", mark.symbol()), style)];
    let name = vec![Span::styled(drill.name, scene.theme.style(Scope::Dim))];
    let inner = paint::panel(buf, area, title, name, style);
    let lines = lines(drill, lesson.as_ref(), area.width, inner.height, scene);
    paint::scrolled(buf, inner, &lines, 0, scene.theme.style(Scope::Dim));
}
