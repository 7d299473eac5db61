//! The journal line: every event as a symbol, and the moment shown; keys that step through time and play the run.
//!
//! ```text
//!  journal ──●───●─●●───●────────────◆──────────────▸ live #57
//!  journal ──●───●─●┃╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ #31 of #57  0:12  handed_off
//! ```

use crate::prelude::*;
use crate::screens::{Page, everywhere};
use crate::ui::Noticed;
use crate::update::Step;
use run::At;
use run::describe::Kind;

/// Keys that step through the run, on every page.
pub const ROWS: &[Row] = &[
    row(&[c('[')], Action::Earlier, Some("back in time"), "one event back in time"),
    row(&[c(']')], Action::Later, Some("on"), "one event on"),
    row(&[c('{')], Action::First, None, "to the first event"),
    row(&[c('}')], Action::Latest, Some("latest"), "to the latest event"),
    row(&[c('P')], Action::Play, Some("play"), "play the run again from here, or stop playing"),
];

pub static SCREEN: Screen = Screen { on, why_not, hints_at, ..Screen::PLAIN };

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    let step = match action {
        Action::Earlier => Step::Earlier,
        Action::Later => Step::Later,
        Action::First => Step::First,
        Action::Latest => Step::Latest,
        Action::Play => return Some(play(ui)),
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
        Action::Earlier | Action::First if run.seq.0 <= 1 => Some("this is the first event".into()),
        Action::Later | Action::Latest if ui.moment == Moment::Latest => Some("this is the latest event".into()),
        Action::Play if ui.moment == Moment::Latest && ui.mode != Mode::Replay && run.ended().is_none() => {
            Some("this is happening now: nothing to play again yet".into())
        }
        _ => None,
    }
}

/// Stepping through time gets hints in a replay and once the person has stepped back.
fn hints_at(ui: &Ui, _: &Run, action: Action) -> bool {
    let steps = matches!(action, Action::Earlier | Action::Later | Action::Latest | Action::Play);
    !steps || ui.moment != Moment::Latest || ui.mode == Mode::Replay
}

/// Up to this many events the line is not full.
const YOUNG: usize = 40;

pub fn render(buf: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let Scene { ui, run, events, theme } = scene;
    if area.is_empty() || events.is_empty() {
        return;
    }
    let dim = theme.style(Scope::Dim);
    let first_at = events[0].at;
    let shown = events.partition_point(|envelope| envelope.seq <= run.seq);
    let message = match ui.moment {
        Moment::Earlier { latest } => {
            let what = shown.checked_sub(1).map_or("", |at| events[at].event.name());
            let at = clock(At(run.at.0).since(first_at));
            format!(" {} of {latest}  {at}  {}", run.seq, what.replace('_', " "))
        }
        Moment::Latest if ui.mode == Mode::Live && ui.desk == Desk::Working => format!(" live {}", run.seq),
        Moment::Latest => format!(" {}", run.seq),
    };
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
        let mark = match Kind::of(&envelope.event) {
            Kind::NeedsYou => ("◆", Scope::NeedsYou),
            Kind::Report => ("●", Scope::Done),
            Kind::Work => ("●", Scope::Running),
            Kind::Person => ("•", Scope::Person),
            Kind::Fallback => ("•", Scope::Partial),
            Kind::Failure => ("✗", Scope::Failed),
            Kind::Other => continue,
        };
        if let Some(cell) = line.get_mut(column(at))
            && cell.0 != "◆"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::model::{self, STAGES};
    use crate::fixture::{self, Until};
    use run::describe;

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
