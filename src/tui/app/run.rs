//! Connects a run to the loop: notices and input go through `update`, and its effects are carried out.

use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

use super::{Face, Terms, now};
use crate::input::Input;
use crate::keys::Typed;
use crate::link::{Leave, Notice, Opens, ReadRun};
use crate::live::Batch;
use crate::outside::Back;
use crate::overlays::{forking, going};
use crate::pace::SECOND;
use crate::places;
use crate::prelude::*;
use crate::save::save;
use crate::screens::Page;
use crate::screens::team::motion;
use crate::speed::pause;
use crate::update::{Msg, Step, update};
use crate::view;
use ::run::{Timeline, alarm};

/// The most that is put on the clipboard: terminals drop longer sequences, some at 100,000 bytes of base64.
const MOST_COPIED: usize = 74_000;

/// Another run, or why it cannot be read.
type ReadBack = Result<Arc<::run::Run>, Clean>;

/// The time between looks for another run to read.
const LISTENS: Duration = Duration::from_millis(80);

pub struct RunFace {
    /// The number of its link: notices of others are not for it.
    number: u64,
    ui: Ui,
    timeline: Timeline,
    cache: Cache,
    commands: Option<Box<dyn Fn(Command) + Send>>,
    reads: Option<ReadRun>,
    /// The other run that is being read.
    beside: Option<(Clean, Receiver<ReadBack>)>,
    /// Streamed text of model calls since the last frame, still growing.
    streamed: Vec<Batch>,
    /// Whether the terminal is in focus; true where it does not say so.
    in_focus: bool,
    /// The page of the run that is shown once its events are there.
    opens: Opens,
    /// The reason for the last call for the person.
    called_for: Option<String>,
}

impl RunFace {
    pub fn new(number: u64, ui: Ui, commands: Option<Box<dyn Fn(Command) + Send>>, reads: Option<ReadRun>) -> RunFace {
        RunFace {
            number,
            ui,
            timeline: Timeline::default(),
            cache: Cache::default(),
            commands,
            reads,
            beside: None,
            streamed: Vec::new(),
            in_focus: true,
            called_for: None,
            opens: Opens::Latest,
        }
    }

    /// The same; this is shown of the run first.
    pub fn opening(self, opens: Opens) -> RunFace {
        RunFace { opens, ..self }
    }

    fn tell(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.ui, self.timeline.run(), msg)
    }

    /// Takes in streamed text before anything that came after it, and before it is drawn.
    fn take_streamed(&mut self) {
        for batch in std::mem::take(&mut self.streamed) {
            self.tell(Msg::Streamed(batch.take()));
        }
    }

    fn folded(&mut self) -> Vec<Effect> {
        let latest = self.timeline.latest();
        let moment = if self.timeline.is_latest() { Moment::Latest } else { Moment::Earlier { latest } };
        self.tell(Msg::Folded(moment))
    }

    fn notice(&mut self, notice: Notice) -> Vec<Effect> {
        let events = match notice {
            Notice::Committed(events) => events,
            Notice::Retold(events) => {
                // The place where the person stands stays, as far as there still is one.
                let (latest, shown) = (self.timeline.is_latest(), self.timeline.shown());
                (self.timeline, self.cache) = Default::default();
                self.timeline.committed(events);
                if !latest {
                    self.timeline.show(shown);
                }
                return self.folded();
            }
            other => return self.tell(Msg::Notice(other)),
        };
        self.tell(Msg::Notice(Notice::Committed(events.clone())));
        self.timeline.committed(events);
        let effects = self.folded();
        match std::mem::take(&mut self.opens) {
            Opens::Latest => {}
            Opens::Places => {
                self.show(Step::Choose);
                // At its end there is nothing left to do.
                if let (Overlay::Going(going), Some(_)) = (&mut self.ui.overlay, self.timeline.run().ended()) {
                    going.choice = going.choice.saturating_sub(1);
                }
                self.ui.status = Some("choose where the new run begins; then f forks this one from there".into());
            }
            Opens::Forking { at, with } => {
                self.show(Step::To(at));
                forking::open(&mut self.ui, &with);
            }
        }
        effects
    }

    fn show(&mut self, step: Step) {
        let (shown, events) = (self.timeline.shown(), self.timeline.events());
        let count = match step {
            Step::Earlier => shown.saturating_sub(1).max(1),
            Step::Later => shown + 1,
            Step::First => 1,
            Step::Latest => usize::MAX,
            Step::To(seq) => events.partition_point(|envelope| envelope.seq <= seq).max(1),
            Step::Next(sort, onwards) => match places::next(events, shown, sort, onwards) {
                Some(count) => count,
                None => {
                    let side = if onwards { "after" } else { "before" };
                    self.ui.status = Some(Clean::line(&format!("there is no {} {side} this moment", sort.named())));
                    return;
                }
            },
            Step::Choose => {
                self.ui.overlay = Overlay::Going(going::over(events, shown));
                return;
            }
        };
        self.timeline.show(count);
        self.folded();
    }

    /// Calls the person where there is something new: by the title, and by bell and notification where they look elsewhere.
    fn call(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.ui.mode == Mode::Replay || self.ui.moment != Moment::Latest {
            return Ok(());
        }
        let now = alarm::of(self.timeline.run());
        if now == self.called_for {
            return Ok(());
        }
        // Clean text: the words of documents and models cannot drive the terminal from here.
        let title = now.as_ref().map_or("masthead".into(), |words| Clean::line(&format!("◆ masthead: {words}")));
        write!(out, "\x1b]2;{title}\x07")?;
        if let Some(words) = now.as_ref().filter(|_| !self.in_focus) {
            write!(out, "\x1b]9;masthead: {}\x07\x07", Clean::line(words))?;
        }
        self.called_for = now;
        out.flush()
    }

    /// Reads another run, beside the one that is shown.
    fn read(&mut self, name: Clean) {
        let Some(reads) = self.reads.clone() else { return };
        let (tell, told) = channel();
        self.beside = Some((name.clone(), told));
        // The screen may have asked for another meanwhile, or be closed.
        std::thread::spawn(move || tell.send(reads(&name).map(Arc::new)));
    }

    /// Takes in the other run once it is read.
    fn listen(&mut self) {
        let told = self.beside.as_ref().and_then(|(_, told)| told.try_recv().ok());
        if let Some(read) = told
            && let Some((name, _)) = self.beside.take()
        {
            self.tell(Msg::Beside(name, read));
        }
    }

    fn carry_out(&mut self, effect: Effect, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Leave>> {
        match effect {
            Effect::Send(command) => match &self.commands {
                Some(send) => send(command),
                None => self.ui.status = Some("nothing can be changed here".into()),
            },
            Effect::Show(step) => self.show(step),
            Effect::Copy { what, text } => {
                self.ui.status = Some(copy(terms.terminal.backend_mut(), what, &text)?);
            }
            Effect::Beside(name) => self.read(name),
            Effect::Save { name, text } => {
                self.ui.status = Some(match save(&name, &text) {
                    Ok(name) => Clean::line(&format!("saved: {name}, in the folder where masthead was started")),
                    Err(why) => why,
                });
            }
            Effect::Leave(leave) => return Ok(Break(leave)),
            Effect::Outside(errand) => *terms.errand = Some(errand),
            Effect::Suspend => *terms.suspend = true,
            Effect::Redraw => *terms.redraw = true,
        }
        Ok(Continue(()))
    }
}

/// Hands text to the terminal, which hands it to the clipboard, also over ssh.
fn copy(out: &mut impl Write, what: &str, text: &str) -> io::Result<Clean> {
    if text.len() > MOST_COPIED {
        let message = format!(
            "{what} is too long for the clipboard ({} kB): s saves it to a file where it is inspected, `masthead export` writes the brief",
            text.len() / 1000
        );
        return Ok(Clean::line(&message));
    }
    execute!(out, CopyToClipboard::to_clipboard_from(text))?;
    Ok(Clean::line(&format!("{what} is on the clipboard, if the terminal allows it")))
}

impl Face for RunFace {
    type Answer = Leave;

    fn quit(&self) -> Leave {
        Leave::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Leave>> {
        self.ui.now = now();
        let effects = match input {
            Input::Typed(Typed::Key(key), _) => self.tell(Msg::Key(key, at)),
            Input::Typed(Typed::Paste(text), _) => self.tell(Msg::Paste(text, at)),
            Input::Typed(Typed::Mouse(mouse, at), _) => {
                let spot = self.cache.spot(at);
                self.tell(Msg::Mouse(mouse, spot))
            }
            Input::Typed(Typed::Focus(is_in), _) => {
                self.in_focus = is_in;
                Vec::new()
            }
            Input::Streamed(number, batch) if number == self.number => {
                self.streamed.push(batch);
                Vec::new()
            }
            Input::Desk(number, notice) if number == self.number => {
                self.take_streamed();
                let effects = self.notice(notice);
                self.call(terms.terminal.backend_mut())?;
                effects
            }
            _ => Vec::new(),
        };
        for effect in effects {
            if let Break(leave) = self.carry_out(effect, terms)? {
                return Ok(Break(leave));
            }
        }
        Ok(Continue(()))
    }

    fn back(&mut self, back: Back, terms: &mut Terms<'_>) -> io::Result<()> {
        self.ui.now = now();
        // The title is that of the other program.
        self.called_for = None;
        self.call(terms.terminal.backend_mut())?;
        for effect in self.tell(Msg::Back(back)) {
            // Nothing that comes of it leaves the screen.
            let _ = self.carry_out(effect, terms)?;
        }
        Ok(())
    }

    fn beat(&self) -> Option<Duration> {
        if self.beside.is_some() {
            return Some(LISTENS);
        }
        if self.ui.playing {
            return Some(pause(&self.timeline, self.ui.speed));
        }
        let follows = self.ui.mode != Mode::Replay && self.ui.desk == Desk::Working;
        let follows = follows && self.ui.moment == Moment::Latest;
        let moves = self.ui.moves && self.ui.page == Page::Team;
        // A handoff that has just crossed stops being lit also if the run waits now.
        let is_lit = moves && self.ui.team.lit.is_any(self.ui.now);
        let goes_on = follows && (is_lit || self.timeline.run().is_working());
        goes_on.then_some(if moves { motion::BEAT } else { SECOND })
    }

    fn on_beat(&mut self) {
        self.listen();
        self.tell(Msg::Tick(now()));
        for effect in self.tell(Msg::Beat) {
            if let Effect::Show(step) = effect {
                self.show(step);
            }
        }
    }

    fn shown(&mut self, at: Duration) {
        self.ui.shown(at);
    }

    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme) {
        self.take_streamed();
        let scene = Scene { ui: &self.ui, run: self.timeline.run(), events: self.timeline.events(), theme };
        let seen = view::draw(buf, area, scene, &mut self.cache);
        self.cache.sweep();
        self.ui.drawn(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Until};
    use ::run::{At, HandoffNo};

    #[test]
    fn what_has_crossed_stops_being_lit_in_a_run_that_waits_for_the_person() {
        let mut ui = Ui::new(Mode::Live, At(0));
        ui.moves = true;
        let mut face = RunFace::new(1, ui, None, None);
        face.notice(Notice::Committed(fixture::events(Until::Checkpoint)));
        face.ui.page = Page::Team;
        assert!(!face.timeline.run().is_working());
        face.ui.team.lit = motion::Lit::default();
        assert_eq!(face.beat(), None);
        face.ui.team.lit.crosses(HandoffNo(1), face.ui.now);
        assert_eq!(face.beat(), Some(motion::BEAT), "it goes out by itself");
        face.ui.now = At(face.ui.now.0 + 10_000);
        assert_eq!(face.beat(), None, "and then the screen stands still");
    }

    #[test]
    fn a_fork_that_was_not_begun_comes_back_as_it_was_written_at_its_moment() {
        let events = fixture::events(Until::Checkpoint);
        let (at, with) = (events[4].seq, Clean::from("--modle writer=x"));
        let face = RunFace::new(1, Ui::new(Mode::Replay, ::run::At(0)), None, None);
        let mut face = face.opening(Opens::Forking { at, with: with.clone() });
        face.notice(Notice::Committed(events));
        assert_eq!(face.timeline.run().seq, at);
        let Overlay::Forking(forking) = &face.ui.overlay else { panic!("{:?}", face.ui.overlay) };
        assert_eq!(forking.field.text(), with);
    }
}
