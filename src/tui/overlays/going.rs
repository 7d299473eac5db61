//! The places of a run by name: its stages, checkpoints and failures. Choosing one shows the run as it was there.

use std::sync::Arc;

use crate::places::{self, Named};
use crate::prelude::*;
use crate::screens::everywhere::chosen;
use crate::update::Step;
use crate::view::boxes;
use run::{Envelope, Seq};

#[derive(Clone, Debug, Default)]
pub struct Going {
    /// The places, as they were when the list was opened, each with the time that the run had worked by then (ms).
    pub places: Vec<(Named, u64)>,
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
            let at = places.get(*choice).map(|(place, _)| place.at);
            ui.overlay = Overlay::None;
            ui.playing = false;
            Some(at.map(|at| Effect::Show(Step::To(Seq(at as u64)))).into_iter().collect())
        }
        _ => None,
    }
}

fn draw(buf: &mut Buffer, page: Rect, scene: Scene<'_>, _: &mut Cache) -> Seen {
    let Scene { ui, theme, .. } = scene;
    let Overlay::Going(Going { places, choice }) = &ui.overlay else { return Seen::default() };
    let title = theme.span("go to", Scope::Title);
    let right = theme.span(format!("{} of {}", choice + 1, places.len()), Scope::Dim);
    let inner = boxes::dialog(buf, page, places.len() + 2, boxes::Frame::new(title, right, Scope::Focus), theme);
    paint::list(buf, inner, places.len(), paint::reveal(inner, *choice), |buf, row, n| {
        let (place, worked) = &places[n];
        let name = boxes::choice(&format!("{:<12}", place.name), n == *choice, theme);
        let when = theme.span(format!("#{:<7} {:>6}", place.at, clock(*worked)), Scope::Dim);
        let mark = theme.span(format!(" {} ", place.mark.symbol()), place.mark);
        paint::line(buf, row, &Line::from(vec![mark, name, when]));
    });
    Seen::default()
}

/// The list over the places of these events, with the last one before the moment shown selected.
pub fn over(events: &[Arc<Envelope>], shown: usize) -> Going {
    let mut run = Run::default();
    let mut rest = events.iter();
    let mut places = Vec::new();
    for place in places::all(events) {
        let until = place.at - run.seq.0 as usize;
        rest.by_ref().take(until).for_each(|envelope| run.apply(envelope));
        places.push((place, run.worked(run.at)));
    }
    let choice = places.iter().rposition(|(place, _)| place.at <= shown).unwrap_or(0);
    Going { places, choice }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};

    #[test]
    fn each_place_has_the_time_that_the_header_shows_there() {
        let events = fixture::events(Until::Done);
        let going = over(&events, events.len());
        assert!(going.places.len() > 3);
        for (place, worked) in going.places {
            let run = Run::fold(events.iter().take(place.at).map(|envelope| &**envelope));
            assert_eq!(worked, run.worked(run.at), "{place:?}");
        }
    }
}
