//! Connects the home screen to the loop, and to the program's answers.

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::{Face, Terms};
use crate::input::Input;
use crate::keys::Typed;
use crate::outside::Back;
use crate::prelude::*;
use crate::screens::home::{self, Aid, Ask, Choice, HomeUi, Stays, Told};

/// The time between looks for answers of the program.
const LISTENS: Duration = Duration::from_millis(80);

/// The time between two readings of the runs, while one is at work.
const WATCHES: Duration = Duration::from_secs(1);

pub struct HomeFace {
    pub ui: HomeUi,
    aid: Option<Aid>,
    tell: Sender<Told>,
    told: Receiver<Told>,
}

impl HomeFace {
    pub fn new(ui: HomeUi, aid: Option<Aid>) -> HomeFace {
        let (tell, told) = channel();
        let mut face = HomeFace { ui, aid, tell, told };
        face.ask();
        face
    }

    /// Passes on the screen's questions.
    fn ask(&mut self) {
        for ask in self.ui.asks() {
            if let Some(aid) = &self.aid {
                aid(ask, self.tell.clone());
            }
        }
    }

    /// The page is left: deleted runs go, and the typed text stays for the next time.
    fn finish(&self, choice: Choice) -> (Choice, Stays) {
        let mut stays = self.ui.stays();
        let Some(aid) = &self.aid else { return (choice, stays) };
        let (tell, told) = channel();
        self.ui.deleted.iter().for_each(|id| aid(Ask::Delete(id.clone()), tell.clone()));
        let why = |told| if let Told::Said(why) = told { Some(why.to_string()) } else { None };
        let whys: Vec<String> = told.try_iter().filter_map(why).collect();
        stays.not_deleted = (!whys.is_empty()).then(|| Clean::line(&whys.join("; ")));
        let question = if matches!(&choice, Choice::Ask { .. }) { String::new() } else { self.ui.draft() };
        aid(Ask::Keep { question, sources: self.ui.sources() }, self.tell.clone());
        (choice, stays)
    }

    fn listen(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            self.ui.told(told);
        }
        self.ask();
    }
}

impl Face for HomeFace {
    type Answer = (Choice, Stays);

    fn quit(&self) -> (Choice, Stays) {
        self.finish(Choice::Quit)
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<(Choice, Stays)>> {
        self.listen();
        match input {
            Input::Typed(Typed::Key(key), _) => match self.ui.press(&key, at) {
                Break(choice) => return Ok(Break(self.finish(choice))),
                Continue(Some(Effect::Suspend)) => *terms.suspend = true,
                Continue(Some(Effect::Redraw)) => *terms.redraw = true,
                Continue(Some(Effect::Outside(errand))) => *terms.errand = Some(errand),
                Continue(_) => {}
            },
            Input::Typed(Typed::Mouse(mouse, at), _) => self.ui.mouse(mouse, at),
            Input::Typed(Typed::Paste(text), _) => self.ui.paste(&text, at),
            // Another terminal may have begun a run meanwhile.
            Input::Typed(Typed::Focus(true), _) => self.ui.look_again(),
            _ => {}
        }
        self.ask();
        Ok(Continue(()))
    }

    fn back(&mut self, back: Back, _: &mut Terms<'_>) -> io::Result<()> {
        self.ui.back(back);
        Ok(())
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn beat(&self) -> Option<Duration> {
        if self.ui.waits() { Some(LISTENS) } else { self.ui.is_watching().then_some(WATCHES) }
    }

    fn on_beat(&mut self) {
        self.ui.watch();
        self.listen();
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        let shown = home::draw(buf, area, &self.ui, theme);
        self.ui.drawn(shown);
    }
}
