//! The loop: takes input off one queue, gives it to the screen that is shown, and draws, on the caller's thread.

mod home;
mod reading;
mod run;
mod traces;

use std::io::{self, BufWriter, Stdout};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};

use self::run::RunFace;
use self::traces::TracesFace;
use crate::input::{self, Input, Keyboard};
use crate::keys::Typed;
use crate::link::{Leave, Link, ReadRun};
use crate::outside::{self, Back, Errand};
use crate::pace::{Next, Pace};
use crate::prelude::*;
use crate::screens::home::{Choice, Home, HomeUi, Stays};
use crate::screens::reading::{Read, Reading, ReadingUi};
use crate::screens::traces::{Listing, TraceChoice, TracesUi};
use crate::terminal::{self, PanicPolicy};
use crate::ui::Exercises;
use ::run::At;

/// The time in which a program that has the terminal must end once this one is to end.
const TO_END: Duration = Duration::from_secs(1);

type Tty = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// The terminal while the program uses it. Dropping it gives it back.
pub struct App {
    // Never dropped: its own way of leaving prints to a terminal that may be gone.
    terminal: ManuallyDrop<Tty>,
    theme: Theme,
    exercises: Exercises,
    reads: Option<ReadRun>,
    inbox: Receiver<Input>,
    queue: Sender<Input>,
    handled: Arc<AtomicBool>,
    keyboard: Keyboard,
    opened: Instant,
    links: u64,
    suspended: bool,
    ended: Option<End>,
    _policy: PanicPolicy,
    // The panic policy belongs to this thread.
    _here: PhantomData<*const ()>,
}

/// The event that ended a screen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Signal(i32),
    Gone,
}

/// The home screen or a run, as the loop sees it.
trait Face {
    /// The answer with which the person left it.
    type Answer;
    /// The answer when the process is asked to end.
    fn quit(&self) -> Self::Answer;
    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<ControlFlow<Self::Answer>>;
    /// Whether it can be drawn before the first notice.
    fn is_complete(&self) -> bool {
        false
    }
    /// The interval at which something on the screen moves by itself, if anything does.
    fn beat(&self) -> Option<Duration> {
        None
    }
    fn on_beat(&mut self) {}
    fn draw(&mut self, buf: &mut Buffer, area: Rect, theme: &Theme);
    /// A program of the person's own that was asked for has ended.
    fn back(&mut self, back: Back, terms: &mut Terms<'_>) -> io::Result<()>;
    /// Called when the terminal has a frame.
    fn shown(&mut self, _at: Duration) {}
}

/// The services of the loop that a screen may ask for.
struct Terms<'a> {
    terminal: &'a mut Tty,
    suspend: &'a mut bool,
    redraw: &'a mut bool,
    /// The errand of a program of the person's own, which gets the terminal for it.
    errand: &'a mut Option<Errand>,
}

impl App {
    /// Takes the terminal. The caller has made sure that standard input and output are one.
    pub fn enter(theme: Theme, exercises: Exercises) -> io::Result<App> {
        // Whether there is colour is the theme's affair: left to itself, the library under `NO_COLOR` writes an
        // empty style after bold and reverse, and the selection vanishes.
        crossterm::style::force_color_output(true);
        let (queue, inbox) = channel();
        let handled = Arc::new(AtomicBool::new(false));
        let policy = PanicPolicy::install(std::thread::current().id());
        let entered = (|| {
            input::wait_for_signals(queue.clone(), handled.clone())?;
            terminal::use_mouse(theme.mouse);
            terminal::take()?;
            if theme.asks_background() {
                terminal::ask_background()?;
            }
            let keyboard = input::read_terminal(queue.clone())?;
            let out = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
            Ok::<_, io::Error>((keyboard, Terminal::new(out)?))
        })();
        let (keyboard, terminal) = entered.inspect_err(|_| {
            terminal::restore();
            input::leave_signals();
        })?;
        Ok(App {
            terminal: ManuallyDrop::new(terminal),
            theme,
            exercises,
            reads: None,
            inbox,
            queue,
            handled,
            keyboard,
            opened: Instant::now(),
            links: 0,
            suspended: false,
            ended: None,
            _policy: policy,
            _here: PhantomData,
        })
    }

    /// The event that ended the screen from outside, if one did. The screens then answer as if the person had quit.
    pub fn ended_by(&self) -> Option<End> {
        self.ended
    }

    /// From now on other runs can be read, to compare with.
    #[must_use]
    pub fn reading(self, reads: ReadRun) -> App {
        let mut app = self;
        app.reads = Some(reads);
        app
    }

    /// Shows the home screen; returns the choice made there, and the state to open it with the next time.
    pub fn home(&mut self, home: Home) -> io::Result<(Choice, Stays)> {
        let aid = home.aid.clone();
        self.show(home::HomeFace::new(HomeUi::new(home), aid))
    }

    /// Shows a page to read; returns whether its question is to begin.
    pub fn read(&mut self, page: Reading) -> io::Result<Read> {
        self.show(ReadingUi::new(page))
    }

    /// Shows traces as they come, this one selected. If none has come yet, the first one opens by itself if it is alone.
    pub fn traces(&mut self, listing: Listing, selected: Clean, news: Receiver<Listing>) -> io::Result<TraceChoice> {
        self.links += 1;
        input::pass_on_traces(self.links, news, self.queue.clone())?;
        let is_first = listing.lines.is_empty() && selected.is_empty();
        let ui = TracesUi::new(listing, selected, is_first, now());
        self.show(TracesFace { number: self.links, ui })
    }

    pub fn run(&mut self, link: Link) -> io::Result<Leave> {
        self.links += 1;
        input::pass_on(self.links, link.notices, self.queue.clone())?;
        let mut ui = Ui::new(link.mode, now());
        ui.exercises = Some(self.exercises);
        ui.moves = !self.theme.still;
        ui.reads_others = self.reads.is_some();
        self.show(RunFace::new(self.links, ui, link.commands, self.reads.clone()).opening(link.opens))
    }

    fn show<F: Face>(&mut self, mut face: F) -> io::Result<F::Answer> {
        let mut pace = Pace::new(self.opened.elapsed());
        if face.is_complete() {
            pace.changed();
        }
        let mut redraw = true;
        loop {
            if self.ended.is_some() {
                return Ok(face.quit());
            }
            let at = self.opened.elapsed();
            let waited = match pace.next(at, face.beat()) {
                _ if self.suspended => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Next::Sleep => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Next::Wait(time) => self.inbox.recv_timeout(time),
                Next::Beat => {
                    face.on_beat();
                    pace.beaten(at);
                    continue;
                }
                Next::Draw => {
                    if let Err(error) = self.draw(&mut face, std::mem::take(&mut redraw)) {
                        // A terminal that cannot be written to is gone.
                        tracing::warn!(%error, "the terminal cannot be written to");
                        self.ended = Some(End::Gone);
                    }
                    pace.drawn(at, self.opened.elapsed());
                    // Nobody can have seen it before it was begun.
                    face.shown(at);
                    continue;
                }
            };
            match waited {
                Ok(input) => {
                    // Waiting input is taken in before the next frame, but no stream of it keeps the frame back: the person sees
                    // the effect of their keys, and a page that has turned takes keys once it was shown.
                    let since = self.opened.elapsed();
                    let mut next = Some(input);
                    while let Some(input) = next {
                        match input {
                            Input::Typed(..) | Input::Resized => pace.pressed(),
                            _ => pace.changed(),
                        }
                        if let ControlFlow::Break(answer) = self.take(&mut face, input, &mut redraw)? {
                            return Ok(answer);
                        }
                        let takes_more = pace.takes_more(since, self.opened.elapsed());
                        next = if takes_more { self.inbox.try_recv().ok() } else { None };
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Never: this screen holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Ok(face.quit()),
            }
        }
    }

    fn take<F: Face>(&mut self, face: &mut F, input: Input, redraw: &mut bool) -> io::Result<ControlFlow<F::Answer>> {
        let (mut suspend, mut errand) = (false, None);
        match input {
            Input::Signal(signal) => {
                self.handled.store(true, Ordering::Release);
                self.ended = Some(End::Signal(signal));
                return Ok(ControlFlow::Break(face.quit()));
            }
            Input::Gone => {
                self.ended = Some(End::Gone);
                return Ok(ControlFlow::Break(face.quit()));
            }
            Input::Suspend => suspend = true,
            Input::Continued => self.resume(redraw)?,
            // Of a program that had to be ended.
            Input::Resized | Input::Ended(_) => {}
            Input::Typed(Typed::Background { is_light }, _) => {
                terminal::background_is_known();
                if is_light {
                    self.theme.turn_light();
                    *redraw = true;
                }
            }
            input => {
                let at = match &input {
                    Input::Typed(_, read_at) => read_at.saturating_duration_since(self.opened),
                    _ => self.opened.elapsed(),
                };
                let terminal = &mut self.terminal;
                let mut terms = Terms { terminal, suspend: &mut suspend, redraw, errand: &mut errand };
                let flow = face.take(input, at, &mut terms)?;
                if matches!(flow, ControlFlow::Break(_)) {
                    return Ok(flow);
                }
            }
        }
        if let Some(errand) = errand {
            return self.send_out(face, errand, redraw);
        }
        if suspend && !self.suspended {
            terminal::restore();
            self.suspended = true;
            terminal::stop();
            self.resume(redraw)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Gives the terminal to a program of the person's until it ends. Work goes on meanwhile, and its notices are taken in.
    fn send_out<F: Face>(
        &mut self,
        face: &mut F,
        errand: Errand,
        redraw: &mut bool,
    ) -> io::Result<ControlFlow<F::Answer>> {
        self.keyboard.rest();
        terminal::restore();
        input::lend(true);
        let mut late = Vec::new();
        let before = terminal::settings();
        let back = match outside::start(errand) {
            Ok((outside, child)) => {
                let pid = child.id();
                input::wait_for(child, self.queue.clone())?;
                outside.ended(self.wait_outside(pid, &mut late))
            }
            Err(why) => Back::Failed(why),
        };
        input::lend(false);
        terminal::set(before);
        if self.ended.is_some() {
            return Ok(ControlFlow::Break(face.quit()));
        }
        terminal::take()?;
        *redraw = true;
        self.keyboard.go_on();
        for input in late {
            if let flow @ ControlFlow::Break(_) = self.take(face, input, redraw)? {
                return Ok(flow);
            }
        }
        let (terminal, suspend, errand) = (&mut self.terminal, &mut false, &mut None);
        face.back(back, &mut Terms { terminal, suspend, redraw, errand })?;
        Ok(ControlFlow::Continue(()))
    }

    /// Waits for the program that has the terminal, and puts off other input. A signal that ends this one ends both.
    fn wait_outside(&mut self, pid: u32, late: &mut Vec<Input>) -> io::Result<ExitStatus> {
        let mut asked: Option<Instant> = None;
        loop {
            let input = match asked {
                None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => self.inbox.recv_timeout(TO_END.saturating_sub(since.elapsed())),
            };
            match input {
                Ok(Input::Ended(status)) => return status,
                Ok(input @ (Input::Signal(_) | Input::Gone)) => {
                    self.handled.store(true, Ordering::Release);
                    self.ended = Some(if let Input::Signal(signal) = input { End::Signal(signal) } else { End::Gone });
                    terminal::end(pid, false);
                    asked.get_or_insert_with(Instant::now);
                }
                // Its keys stop this one as well: both are of one job, and go on together.
                Ok(Input::Suspend) => terminal::stop(),
                // Pressed before it had the terminal, and so for it.
                Ok(Input::Typed(..) | Input::Continued) => {}
                Ok(input) => late.push(input),
                Err(_) => {
                    terminal::end(pid, true);
                    return Err(io::Error::other("it did not end when it was asked to"));
                }
            }
        }
    }

    /// Takes the terminal again, unless the shell continued the program in the background only.
    fn resume(&mut self, redraw: &mut bool) -> io::Result<()> {
        self.suspended = !terminal::in_foreground();
        if !self.suspended {
            terminal::take()?;
            *redraw = true;
        }
        Ok(())
    }

    fn draw<F: Face>(&mut self, face: &mut F, anew: bool) -> io::Result<()> {
        let size = self.terminal.backend().size()?;
        if size.width == 0 || size.height == 0 {
            return Ok(());
        }
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        if anew {
            self.terminal.resize(Rect::from((ratatui::layout::Position::ORIGIN, size)))?;
        }
        let theme = &self.theme;
        self.terminal.draw(|frame| {
            let area = frame.area();
            face.draw(frame.buffer_mut(), area, theme);
        })?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.handled.store(true, Ordering::Release);
        terminal::restore();
        input::leave_signals();
    }
}

fn now() -> At {
    At::after_1970(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}
