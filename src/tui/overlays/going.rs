//! The places of a run by name: its stages, checkpoints and failures. Choosing one shows the run as it was there.

use crate::places::{self, Named};
use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::update::Step;
use crate::view::boxes;
use run::Seq;

#[derive(Clone, Debug, Default)]
pub struct Going {
    /// The places, as they were when the list was opened.
    pub places: Vec<Named>,
    pub choice: usize,
}

pub static KEYS: Keys = Keys {
    title: "the places of the run",
    groups: &[&[
        row(&[ENTER], Action::Submit, Some("go there"), "show the run as it was there"),
        row(&[c('j'), DOWN, TAB], Action::Down, Some("place"), "next place"),
        row(&[c('k'), UP, BACK_TAB], Action::Up, None, "place before"),
        row(&[ESC, c('q')], Action::Back, Some("stay"), "stay where you are"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, extent: Extent::Box, on, draw, ..Screen::PLAIN };

fn on(ui: &mut Ui, _: &Run, action: Action) -> Option<Vec<Effect>> {
    let Overlay::Going(Going { places, choice }) = &mut ui.overlay else { return None };
    match action {
        Action::Down | Action::Up => {
            *choice = chosen(action, *choice, places.len());
            Some(Vec::new())
        }
        Action::Submit => {
            let at = places.get(*choice).map(|place| place.at);
            ui.overlay = Overlay::None;
            ui.playing = false;
            Some(at.map(|at| Effect::Show(Step::To(Seq(at as u64)))).into_iter().collect())
        }
        _ => None,
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, events, theme, .. } = scene;
    let Overlay::Going(Going { places, choice }) = &ui.overlay else { return Seen::default() };
    let title = theme.span("go to", Scope::Title);
    let right = theme.span(format!("{} of {}", choice + 1, places.len()), Scope::Dim);
    let inner = boxes::dialog(buf, page, places.len() + 2, title, right, Scope::Focus, theme);
    let first = events.first().map_or(run::At(0), |first| first.at);
    paint::list(buf, inner, places.len(), paint::reveal(inner, *choice), |buf, row, n| {
        let place = &places[n];
        let at = events.get(place.at - 1).map_or(0, |envelope| envelope.at.since(first));
        let name = boxes::choice(&format!("{:<12}", place.name), n == *choice, theme);
        let when = theme.span(format!("#{:<7} {:>6}", place.at, clock(at)), Scope::Dim);
        let mark = theme.span(format!(" {} ", place.mark.symbol()), place.mark);
        paint::line(buf, row, &Line::from(vec![mark, name, when]));
    });
    Seen::default()
}

/// The list over the places of these events, with the last one before the moment shown selected.
pub fn over(events: &[std::sync::Arc<run::Envelope>], shown: usize) -> Going {
    let places = places::all(events);
    let choice = places.iter().rposition(|place| place.at <= shown).unwrap_or(0);
    Going { places, choice }
}
