//! The screen: takes what happens off one queue, lets `update` decide, carries out effects, and draws.
//!
//! Drawing happens here and nowhere else, on the thread that called.

use std::io::{self, BufWriter, Stdout, Write};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::Event as TerminalEvent;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::layout::Rect;

use super::input::{self, Input};
use super::link::{Command, Leave, Link, Mode, Notice};
use super::live::{Batch, Wait};
use super::pace::{Next, Pace, SECOND};
use super::screens::home::{self, AtHome, Choice, Home, HomeUi};
use super::terminal::{self, PanicPolicy};
use super::theme::Theme;
use super::timeline::Timeline;
use super::ui::{Desk, Exercises, Moment, Reel, Ui};
use super::update::{Effect, Msg, Step, update};
use super::view::{self, Cache, Scene};
use run::At;
use text::Clean;

/// The most that is put on the clipboard: terminals drop longer sequences, some at 100,000 bytes of base64.
const MOST_COPIED: usize = 74_000;

type Tty = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// The terminal, while it is ours. Dropping it gives it back.
pub struct App {
    // Never dropped: its own way of leaving prints to a terminal that may be gone.
    terminal: ManuallyDrop<Tty>,
    theme: Theme,
    exercises: Exercises,
    inbox: Receiver<Input>,
    queue: Sender<Input>,
    heard: Arc<AtomicBool>,
    signals: signal_hook::iterator::Handle,
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
    /// A signal asked the process to end.
    Signal(i32),
    /// The terminal is gone.
    Gone,
}

/// What a handler wants of the loop.
enum Flow<T> {
    Go,
    Done(T),
}

/// Something that can be on the screen.
trait Face {
    type Answer;
    /// What is answered when the process is asked to end.
    fn quit(&self) -> Self::Answer;
    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<Flow<Self::Answer>>;
    /// Whether there is all there is to show before the first notice.
    fn is_complete(&self) -> bool;
    /// How often something on the screen moves by itself, if anything does.
    fn beat(&self) -> Option<Duration>;
    /// It moves.
    fn on_beat(&mut self);
    fn draw(&mut self, buf: &mut ratatui::buffer::Buffer, area: Rect, theme: &Theme);
}

/// What a face may do to the terminal.
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
        let heard = Arc::new(AtomicBool::new(false));
        let policy = PanicPolicy::install(std::thread::current().id());
        let signals = input::wait_for_signals(queue.clone(), heard.clone())?;
        let entered = (|| {
            terminal::take()?;
            input::watch_terminal(queue.clone())?;
            input::read_terminal(queue.clone())?;
            Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
        })();
        let terminal = entered.inspect_err(|_| {
            terminal::restore();
            signals.close();
        })?;
        Ok(App {
            terminal: ManuallyDrop::new(terminal),
            theme,
            exercises,
            inbox,
            queue,
            heard,
            signals,
            opened: Instant::now(),
            links: 0,
            suspended: false,
            ended: None,
            _policy: policy,
            _here: PhantomData,
        })
    }

    /// What ended the screen from outside, if something did. The faces then answer as if the person had quit.
    pub fn ended_by(&self) -> Option<End> {
        self.ended
    }

    /// Gives the terminal back. Doing so twice is harmless.
    pub fn restore(&mut self) {
        terminal::restore();
    }

    /// The home screen, until the person has chosen.
    pub fn home(&mut self, home: Home) -> io::Result<Choice> {
        self.show(HomeFace { ui: HomeUi::new(home) })
    }

    /// A run, until the person leaves it.
    pub fn run(&mut self, link: Link) -> io::Result<Leave> {
        self.links += 1;
        input::pass_on(self.links, link.notices, self.queue.clone())?;
        let mut ui = Ui::new(link.mode, now());
        ui.exercises = self.exercises;
        self.show(RunFace {
            number: self.links,
            ui,
            timeline: Timeline::default(),
            cache: Cache::default(),
            commands: link.commands,
            heard: Vec::new(),
        })
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
                        // Whoever cannot be written to is not there any more.
                        tracing::warn!(%error, "the terminal cannot be written to");
                        self.ended = Some(End::Gone);
                    }
                    pace.drawn(self.opened.elapsed());
                    continue;
                }
            };
            match waited {
                Ok(input) => {
                    // Everything that waits is taken in before the next frame.
                    let mut next = Some(input);
                    while let Some(input) = next {
                        pace.changed();
                        if let Flow::Done(answer) = self.take(&mut face, input, &mut redraw)? {
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

    fn take<F: Face>(&mut self, face: &mut F, input: Input, redraw: &mut bool) -> io::Result<Flow<F::Answer>> {
        let mut suspend = false;
        match input {
            Input::Signal(signal) => {
                self.heard.store(true, Ordering::Release);
                self.ended = Some(End::Signal(signal));
                return Ok(Flow::Done(face.quit()));
            }
            Input::Gone => {
                self.ended = Some(End::Gone);
                return Ok(Flow::Done(face.quit()));
            }
            Input::Suspend => suspend = true,
            Input::Continued => self.resume(redraw)?,
            Input::Terminal(TerminalEvent::Resize(..)) => {}
            input => {
                let at = self.opened.elapsed();
                let mut terms = Terms { terminal: &mut self.terminal, suspend: &mut suspend, redraw };
                let flow = face.take(input, at, &mut terms)?;
                if matches!(flow, Flow::Done(_)) {
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
        Ok(Flow::Go)
    }

    /// Takes the terminal again, unless the shell has only let us go on in the background.
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
        self.heard.store(true, Ordering::Release);
        self.signals.close();
        terminal::restore();
    }
}

fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

struct HomeFace {
    ui: HomeUi,
}

impl Face for HomeFace {
    type Answer = Choice;

    fn quit(&self) -> Choice {
        Choice::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<Flow<Choice>> {
        match input {
            Input::Terminal(TerminalEvent::Key(key)) => match self.ui.press(&key, at) {
                AtHome::Chose(choice) => return Ok(Flow::Done(choice)),
                AtHome::Do(Effect::Suspend) => *terms.suspend = true,
                AtHome::Do(Effect::Redraw) => *terms.redraw = true,
                AtHome::Do(_) | AtHome::Stay => {}
            },
            Input::Terminal(TerminalEvent::Paste(text)) => self.ui.paste(&text),
            _ => {}
        }
        Ok(Flow::Go)
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn beat(&self) -> Option<Duration> {
        None
    }

    fn on_beat(&mut self) {}

    fn draw(&mut self, buf: &mut ratatui::buffer::Buffer, area: Rect, theme: &Theme) {
        self.ui.seen = home::draw(buf, area, &self.ui, theme);
    }
}

struct RunFace {
    number: u64,
    ui: Ui,
    timeline: Timeline,
    cache: Cache,
    commands: Option<Box<dyn Fn(Command) + Send>>,
    /// What models said since the last frame, still growing.
    heard: Vec<Batch>,
}

impl RunFace {
    fn tell(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.ui, self.timeline.run(), msg)
    }

    /// Takes in what models said, before anything that was told after it, and before it is drawn.
    fn hear(&mut self) {
        for batch in std::mem::take(&mut self.heard) {
            self.tell(Msg::Heard(batch.take()));
        }
    }

    fn folded(&mut self) -> Vec<Effect> {
        let latest = self.timeline.latest();
        let moment = if self.timeline.is_latest() { Moment::Latest } else { Moment::Earlier { latest } };
        self.tell(Msg::Folded(moment))
    }

    fn told(&mut self, notice: Notice) -> Vec<Effect> {
        match notice {
            Notice::Committed(events) => {
                self.tell(Msg::Recorded(events.clone()));
                self.timeline.committed(events);
                self.folded()
            }
            Notice::Reading { files_done, files_total } => self.tell(Msg::Reading(files_done, files_total)),
            Notice::Waiting { call, why, until } => self.tell(Msg::Waits(call, Wait { why, until })),
            Notice::Heard { call, text } => self.tell(Msg::Heard(Batch::of(call, &text).take())),
            Notice::Refused(why) => self.tell(Msg::Refused(why)),
            Notice::Abandoned => self.tell(Msg::Abandoned),
            Notice::Stopped(why) => self.tell(Msg::Stopped(why)),
        }
    }

    fn show(&mut self, step: Step) {
        let shown = self.timeline.shown();
        self.timeline.show(match step {
            Step::Earlier => shown.saturating_sub(1).max(1),
            Step::Later => shown + 1,
            Step::First => 1,
            Step::Latest => usize::MAX,
        });
        self.folded();
    }

    fn carry_out(&mut self, effect: Effect, terms: &mut Terms<'_>) -> io::Result<Flow<Leave>> {
        match effect {
            Effect::Send(command) => match &self.commands {
                Some(send) => send(command),
                None => self.ui.status = Some("nothing can be changed here".into()),
            },
            Effect::Show(step) => self.show(step),
            Effect::Copy { what, text } => {
                self.ui.status = Some(copy(terms.terminal.backend_mut(), what, &text)?);
            }
            Effect::Leave(leave) => return Ok(Flow::Done(leave)),
            Effect::Suspend => *terms.suspend = true,
            Effect::Redraw => *terms.redraw = true,
        }
        Ok(Flow::Go)
    }
}

/// Hands text to the terminal, which hands it to the clipboard, also over ssh.
fn copy(out: &mut impl Write, what: &str, text: &str) -> io::Result<Clean> {
    if text.len() > MOST_COPIED {
        let told = format!(
            "{what} is too long for the clipboard ({} kB): `masthead export` writes it to a file",
            text.len() / 1000
        );
        return Ok(Clean::line(&told));
    }
    execute!(out, CopyToClipboard::to_clipboard_from(text))?;
    Ok(Clean::line(&format!("{what} is on the clipboard, if the terminal allows it")))
}

impl Face for RunFace {
    type Answer = Leave;

    fn quit(&self) -> Leave {
        Leave::Quit
    }

    fn take(&mut self, input: Input, at: Duration, terms: &mut Terms<'_>) -> io::Result<Flow<Leave>> {
        self.ui.now = now();
        let effects = match input {
            Input::Terminal(TerminalEvent::Key(key)) => self.tell(Msg::Key(key, at)),
            Input::Terminal(TerminalEvent::Paste(text)) => self.tell(Msg::Paste(text, at)),
            Input::Heard(number, batch) if number == self.number => {
                self.heard.push(batch);
                Vec::new()
            }
            Input::Desk(number, notice) if number == self.number => {
                self.hear();
                self.told(notice)
            }
            _ => Vec::new(),
        };
        for effect in effects {
            if let Flow::Done(leave) = self.carry_out(effect, terms)? {
                return Ok(Flow::Done(leave));
            }
        }
        Ok(Flow::Go)
    }

    fn is_complete(&self) -> bool {
        false
    }

    fn beat(&self) -> Option<Duration> {
        if self.ui.reel == Reel::Playing {
            return Some(self.timeline.pause());
        }
        let follows = self.ui.mode != Mode::Replay && self.ui.desk == Desk::Working;
        let runs = follows && self.ui.moment == Moment::Latest && self.timeline.run().is_working();
        runs.then_some(SECOND)
    }

    fn on_beat(&mut self) {
        self.tell(Msg::Tick(now()));
        for effect in self.tell(Msg::Beat) {
            if let Effect::Show(step) = effect {
                self.show(step);
            }
        }
    }

    fn draw(&mut self, buf: &mut ratatui::buffer::Buffer, area: Rect, theme: &Theme) {
        self.hear();
        let scene = Scene { ui: &self.ui, run: self.timeline.run(), events: self.timeline.events(), theme };
        let seen = view::draw(buf, area, scene, &mut self.cache);
        self.cache.sweep();
        self.ui.drawn(seen);
    }
}
