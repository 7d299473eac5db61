//! The loop: takes input off one queue, gives it to the screen that is shown, and draws, on the caller's thread.

mod home;
mod reading;
mod run;

use std::io::{self, BufWriter, Stdout};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};

use self::run::RunFace;
use crate::input::{self, Input};
use crate::keys::Typed;
use crate::link::{Leave, Link};
use crate::pace::{Next, Pace};
use crate::prelude::*;
use crate::screens::home::{Choice, Home, HomeUi};
use crate::screens::reading::{Read, Reading, ReadingUi};
use crate::terminal::{self, PanicPolicy};
use crate::ui::Exercises;
use ::run::At;

type Tty = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// The terminal while the program uses it. Dropping it gives it back.
pub struct App {
    // Never dropped: its own way of leaving prints to a terminal that may be gone.
    terminal: ManuallyDrop<Tty>,
    theme: Theme,
    exercises: Exercises,
    inbox: Receiver<Input>,
    queue: Sender<Input>,
    handled: Arc<AtomicBool>,
    opened: Instant,
    links: u64,
    suspended: bool,
    ended: Option<End>,
    _policy: PanicPolicy,
    // The panic policy belongs to this thread.
    _here: PhantomData<*const ()>,
}

/// What ended a screen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Signal(i32),
    Gone,
}

/// The home screen or a run, as the loop sees it.
trait Face {
    /// How the person left it.
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
    /// Called when the terminal has a frame.
    fn shown(&mut self, _at: Duration) {}
}

/// What a screen may ask of the loop.
struct Terms<'a> {
    terminal: &'a mut Tty,
    suspend: &'a mut bool,
    redraw: &'a mut bool,
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
            input::read_terminal(queue.clone())?;
            Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
        })();
        let terminal = entered.inspect_err(|_| {
            terminal::restore();
            input::leave_signals();
        })?;
        Ok(App {
            terminal: ManuallyDrop::new(terminal),
            theme,
            exercises,
            inbox,
            queue,
            handled,
            opened: Instant::now(),
            links: 0,
            suspended: false,
            ended: None,
            _policy: policy,
            _here: PhantomData,
        })
    }

    /// What ended the screen from outside, if something did. The screens then answer as if the person had quit.
    pub fn ended_by(&self) -> Option<End> {
        self.ended
    }

    pub fn home(&mut self, home: Home) -> io::Result<Choice> {
        let aid = home.aid.clone();
        self.show(home::HomeFace::new(HomeUi::new(home), aid))
    }

    /// Shows a page to read, and whether what it asks is to begin.
    pub fn read(&mut self, page: Reading) -> io::Result<Read> {
        self.show(ReadingUi::new(page))
    }

    pub fn run(&mut self, link: Link) -> io::Result<Leave> {
        self.links += 1;
        input::pass_on(self.links, link.notices, self.queue.clone())?;
        let mut ui = Ui::new(link.mode, now());
        ui.exercises = Some(self.exercises);
        ui.moves = !self.theme.still;
        self.show(RunFace::new(self.links, ui, link.commands))
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
                    pace.drawn(self.opened.elapsed());
                    // Nobody can have seen it before it was begun.
                    face.shown(at);
                    continue;
                }
            };
            match waited {
                Ok(input) => {
                    // Everything that waits is taken in before the next frame.
                    let mut next = Some(input);
                    while let Some(input) = next {
                        pace.changed();
                        if let ControlFlow::Break(answer) = self.take(&mut face, input, &mut redraw)? {
                            return Ok(answer);
                        }
                        next = self.inbox.try_recv().ok();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Never: this screen holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Ok(face.quit()),
            }
        }
    }

    fn take<F: Face>(&mut self, face: &mut F, input: Input, redraw: &mut bool) -> io::Result<ControlFlow<F::Answer>> {
        let mut suspend = false;
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
            Input::Resized => {}
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
                let mut terms = Terms { terminal: &mut self.terminal, suspend: &mut suspend, redraw };
                let flow = face.take(input, at, &mut terms)?;
                if matches!(flow, ControlFlow::Break(_)) {
                    return Ok(flow);
                }
            }
        }
        if suspend && !self.suspended {
            terminal::restore();
            self.suspended = true;
            terminal::stop();
            self.resume(redraw)?;
        }
        Ok(ControlFlow::Continue(()))
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
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
