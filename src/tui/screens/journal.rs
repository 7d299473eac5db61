//! The journal line: every event as a symbol, and the moment shown; keys that step through time and play the run.
//!
//! ```text
//!  journal ──●───●─●●───●────────────◆──────────────▸ live #57
//!  journal ──●───●─●┃╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ #31 of #57  0:12  handed_off
//! ```

use crate::overlays::forking;
use crate::places::{self, Sort};
use crate::prelude::*;
use crate::screens::{Page, everywhere};
use crate::ui::Noticed;
use crate::update::Step;
use run::Event;
use run::describe::Kind;

/// Keys that step through the run, on every page.
pub const ROWS: &[Row] = &[
    row(&[c('[')], Action::Earlier, Some("back in time"), "one event back in time"),
    row(&[c(']')], Action::Later, Some("on"), "one event on"),
    row(&[c('{')], Action::First, None, "to the first event"),
    row(&[c('}')], Action::Latest, Some("latest"), "to the latest event"),
    row(&[c('P')], Action::Play, Some("play"), "play the run again from here, or stop playing"),
    row(&[c('t')], Action::Speed, None, "another speed of playing: 1, 2, 5, 20 times, and half"),
    row(&[c(')')], Action::Place(Sort::Stage, true), Some("stage"), "to the next stage of the run"),
    row(&[c('(')], Action::Place(Sort::Stage, false), None, "to the stage before"),
    row(&[c('*')], Action::Place(Sort::Checkpoint, true), None, "to the next checkpoint"),
    row(&[c('>')], Action::Place(Sort::Handoff, true), None, "to the next handoff or report"),
    row(&[c('<')], Action::Place(Sort::Handoff, false), None, "to the handoff or report before"),
    row(&[c('!')], Action::Place(Sort::Failure, true), None, "to the next failure"),
    row(&[c('\'')], Action::Places, None, "to a place by its name: stages, checkpoints, failures"),
    row(&[c('f')], Action::Fork, Some("fork"), "fork the run from here: a new run that begins as this one was then"),
];

pub static SCREEN: Screen = Screen { on, why_not, hints_at, ..Screen::PLAIN };

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    let step = match action {
        Action::Earlier => Step::Earlier,
        Action::Later => Step::Later,
        Action::First => Step::First,
        Action::Latest => Step::Latest,
        Action::Place(sort, onwards) => Step::Next(sort, onwards),
        Action::Places => Step::Choose,
        Action::Speed => {
            ui.speed = ui.speed.next();
            ui.status = Some(Clean::line(&format!("played at {}", ui.speed.in_words())));
            return Some(Vec::new());
        }
        Action::Play => return Some(play(ui)),
        Action::Fork => return Some(forking::open(ui, "")),
        _ => return None,
    };
    // Stepping by hand ends the playing.
    ui.playing = false;
    Some(vec![Effect::Show(step)])
}

fn play(ui: &mut Ui) -> Vec<Effect> {
    if ui.playing {
        ui.playing = false;
        return Vec::new();
    }
    ui.playing = true;
    ui.noticed = Noticed::default();
    everywhere::go(ui, Page::Team);
    ui.team.pane = None;
    match ui.moment {
        Moment::Latest => vec![Effect::Show(Step::First)],
        Moment::Earlier { .. } => Vec::new(),
    }
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    match action {
        Action::Fork => forking::why_not(ui, run),
        Action::Earlier | Action::First if run.seq.0 <= 1 => Some("this is the first event".into()),
        Action::Later | Action::Latest | Action::Place(_, true) if ui.moment == Moment::Latest => {
            Some("this is the latest event".into())
        }
        Action::Play if ui.moment == Moment::Latest && ui.mode != Mode::Replay && run.ended().is_none() => {
            Some("this is happening now: nothing to play again yet".into())
        }
        _ => None,
    }
}

/// Stepping through time gets hints in a replay and once the person has stepped back.
fn hints_at(ui: &Ui, _: &Run, action: Action) -> bool {
    let steps = matches!(
        action,
        Action::Earlier | Action::Later | Action::Latest | Action::Play | Action::Place(..) | Action::Fork
    );
    !steps || ui.moment != Moment::Latest || ui.mode == Mode::Replay
}

/// The text behind the line.
fn message(scene: Scene<'_>, shown: usize) -> String {
    let Scene { ui, run, events, .. } = scene;
    match ui.moment {
        Moment::Earlier { latest } => {
            let what = shown.checked_sub(1).map_or("", |at| events[at].event.name());
            // The clock of the header: one moment has one time.
            let at = clock(run.worked(scene.now()));
            let speed = if ui.playing { format!("  {}", ui.speed.in_words()) } else { String::new() };
            format!(" {} of {latest}  {at}  {}{speed}", run.seq, what.replace('_', " "))
        }
        Moment::Latest if ui.mode == Mode::Live && ui.desk == Desk::Working => format!(" live {}", run.seq),
        Moment::Latest => format!(" {}", run.seq),
    }
}

/// The cells between which the events are shared on a line of this width.
fn slots(scene: Scene<'_>, cells: usize) -> usize {
    let shown = scene.events.partition_point(|envelope| envelope.seq <= scene.run.seq);
    cells.saturating_sub(width(" journal ") + width(&message(scene, shown)) + 2).max(1)
}

/// The meanings of the signs of the line.
pub const SIGNS: [(&str, &str, Scope); 4] = [
    ("●", "work", Scope::Done),
    ("◆", "needs you", Scope::NeedsYou),
    ("•", "you", Scope::Person),
    ("✗", "failure", Scope::Failed),
];

/// Up to this many events the line is not full.
const YOUNG: usize = 40;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, events, theme } = scene;
    if area.is_empty() || events.is_empty() {
        return;
    }
    let dim = theme.style(Scope::Dim);
    let shown = events.partition_point(|envelope| envelope.seq <= run.seq);
    let message = message(scene, shown);
    let label = " journal ";
    let room = usize::from(area.width).saturating_sub(width(label) + width(&message) + 2);
    let mut spans = vec![Span::styled(label, dim)];
    // A young run fills the line as it grows; later the events share the line.
    let slots = room.max(1);
    let column = |at: usize| at * slots / events.len().max(YOUNG);
    let end = if ui.moment == Moment::Latest { slots } else { column(shown.saturating_sub(1)) };
    let mut line: Vec<(&str, Scope)> = (0..room).map(|x| (if x <= end { "─" } else { "╌" }, Scope::Border)).collect();
    for (at, envelope) in events.iter().enumerate() {
        let past = at < shown;
        let Some(mark) = sign(&envelope.event) else { continue };
        // Several events may share a cell: it shows the most important.
        if let Some(cell) = line.get_mut(column(at))
            && worth(mark.0) >= worth(cell.0)
        {
            *cell = if past { mark } else { (mark.0, Scope::Waiting) };
        }
    }
    if let Moment::Earlier { .. } = ui.moment
        && let Some(cell) = line.get_mut(end)
    {
        *cell = ("┃", Scope::Focus);
    }
    spans.extend(line.into_iter().map(|(symbol, scope)| theme.span(symbol, scope)));
    if ui.moment == Moment::Latest {
        spans.push(theme.span("▸", Scope::Focus));
    }
    spans.push(Span::styled(message, if ui.moment == Moment::Latest { dim } else { theme.style(Scope::NeedsYou) }));
    paint::line(buf, area, &Line::from(fit(spans, usize::from(area.width))));
}

/// The sign of an event on the line: failures are where `!` goes.
fn sign(event: &Event) -> Option<(&'static str, Scope)> {
    if places::is(event, Sort::Failure) {
        return Some(("✗", Scope::Failed));
    }
    Some(match Kind::of(event) {
        Kind::NeedsYou => ("◆", Scope::NeedsYou),
        Kind::Report => ("●", Scope::Done),
        Kind::Work => ("●", Scope::Running),
        Kind::Person => ("•", Scope::Person),
        Kind::Fallback => ("•", Scope::Partial),
        Kind::Failure => ("✗", Scope::Failed),
        Kind::Other => return None,
    })
}

fn worth(sign: &str) -> u8 {
    match sign {
        "◆" => 3,
        "✗" => 2,
        "●" | "•" => 1,
        _ => 0,
    }
}

/// Whether the stages are named under the line: while the past is shown, and in a replay, where there is room.
pub fn names_stages(ui: &Ui, height: u16) -> bool {
    height >= 20 && (ui.moment != Moment::Latest || ui.mode == Mode::Replay)
}

/// The stages by name, each under the event that it begins with, and the meanings of the line's signs.
pub fn render_stages(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { events, run, theme, .. } = scene;
    if area.is_empty() || events.is_empty() {
        return;
    }
    let legend: Vec<Span<'static>> = SIGNS
        .into_iter()
        .flat_map(|(sign, word, scope)| {
            [theme.span(format!("  {sign}"), scope), theme.span(format!(" {word}"), Scope::Dim)]
        })
        .collect();
    let cells = usize::from(area.width);
    let label = width(" journal ");
    let slots = slots(scene, cells);
    let shown = events.partition_point(|envelope| envelope.seq <= run.seq);
    let stages = places::stages(events);
    let now = stages.iter().rposition(|stage| stage.at <= shown);
    // The stage that is shown has its name before others that would stand in its place.
    let mut named: Vec<(usize, usize)> = Vec::new();
    for n in now.into_iter().chain(0..stages.len()) {
        let from = label + (stages[n].at - 1) * slots / events.len().max(YOUNG);
        let to = from + width(stages[n].name) + 1;
        let is_free = |(other, _): &(usize, usize)| {
            let start = label + (stages[*other].at - 1) * slots / events.len().max(YOUNG);
            to <= start || start + width(stages[*other].name) < from
        };
        if to <= cells && named.iter().all(is_free) {
            named.push((n, from));
        }
    }
    named.sort_by_key(|(_, from)| *from);
    let mut spans = Vec::new();
    for (n, from) in named {
        spans.push(Span::raw(" ".repeat(from.saturating_sub(total_width(&spans)))));
        let scope = if Some(n) == now { Scope::Title } else { Scope::Dim };
        spans.push(theme.span(stages[n].name, scope));
    }
    let gap = cells.saturating_sub(total_width(&spans) + total_width(&legend) + 1);
    if gap > 0 {
        spans.push(Span::raw(" ".repeat(gap)));
        spans.extend(legend);
    }
    paint::line(buf, area, &Line::from(fit(spans, cells)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::model::{self, STAGES};
    use crate::fixture::{self, Until};
    use run::describe;

    #[test]
    fn what_the_failure_key_goes_to_is_a_failure_on_the_line() {
        for (_, events) in fixture::every_kind() {
            for envelope in events.iter().filter(|envelope| places::is(&envelope.event, Sort::Failure)) {
                assert_eq!(sign(&envelope.event), Some(("✗", Scope::Failed)), "{envelope:?}");
            }
        }
    }

    #[test]
    fn every_event_is_said_as_a_symbol_of_one_cell_with_a_word() {
        let runs = STAGES.into_iter().map(model::events).chain([fixture::events(Until::Done)]);
        for events in runs {
            let mut run = Run::default();
            for envelope in &events {
                run.apply(envelope);
                for line in describe(envelope, &run).lines {
                    assert!(width(line.mark.symbol()) == 1 && !line.word.is_empty(), "{line:?}");
                    assert_ne!(line.word, "does not fit", "{envelope:?}");
                }
            }
        }
    }
}
