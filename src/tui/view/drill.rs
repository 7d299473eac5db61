//! The drill that a run plays, above the page: the failure to come, and at the end the guard that caught it.

use crate::places::{self, Sort};
use crate::prelude::*;
use crate::screens::Page;
use run::{Exercise, Lesson};

/// A page lower than this has no room for it.
const LEAST: u16 = 12;

fn mark(lesson: Option<&Lesson>) -> (Mark, &'static str) {
    match lesson {
        None => (Mark::Running, "drill"),
        Some(lesson) if lesson.caught => (Mark::Done, lesson.word()),
        Some(lesson) => (Mark::Failed, lesson.word()),
    }
}

/// The way on from a stop before the verdict: most failures have happened by then.
fn while_it_waits(scene: Scene<'_>) -> Option<&'static str> {
    let page = select::waiting_page(scene.run).filter(|_| scene.run.ended().is_none())?;
    let has_failed = scene.events.iter().any(|envelope| places::is(&envelope.event, Sort::Failure));
    Some(match (page, has_failed) {
        (Page::Findings, true) => {
            "It has happened already: ✗ on the journal line, and 1 shows the team. A goes on to the verdict."
        }
        (Page::Findings, false) => "A goes on to the verdict.",
        _ => "Answer, and the run goes on to the verdict.",
    })
}

/// The text: a line for each sentence if there is room, else running text.
fn lines(drill: Exercise, lesson: Option<&Lesson>, width: u16, most: u16, scene: Scene<'_>) -> Vec<Line<'static>> {
    let message: Vec<&str> = match lesson {
        None => std::iter::once(drill.goes_wrong).chain(while_it_waits(scene)).collect(),
        Some(lesson) => lesson.told.iter().map(|sentence| sentence.as_str()).collect(),
    };
    let wrapped = |text: &str| rows(text, usize::from(width).saturating_sub(4), scene.theme.style(Scope::Text), &[]);
    let each: Vec<Line<'static>> = message.iter().flat_map(|sentence| wrapped(sentence)).collect();
    if each.len() <= usize::from(most) { each } else { wrapped(&message.join(" ")) }
}

/// The rows it takes of a page of this size; 0 if the run is no drill.
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
    let title = scene.theme.span(format!("{} {word}", mark.symbol()), mark);
    let name = scene.theme.span(drill.name, Scope::Dim);
    let inner = paint::panel(buf, area, title, name, scene.theme.style(mark));
    let lines = lines(drill, lesson.as_ref(), area.width, inner.height, scene);
    paint::scrolled(buf, inner, &lines, 0, scene.theme.style(Scope::Dim));
}
