//! Frames by themselves, from the state of the screen to the bytes for the terminal: the middle one, and the slowest of a hundred.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use run::progress::Saying;
use run::transcript::Did;
use run::{CallId, Envelope, Event, Run};
use text::Clean;
use tui::{Cache, Mode, Scene, Theme, Ui, draw};

use crate::story::{Shared, answered, done, streaming};

/// A large terminal.
const AREA: Rect = Rect { x: 0, y: 0, width: 200, height: 60 };
/// The number of frames that are drawn before they are measured.
const WARM: usize = 50;
const FRAMES: usize = 2_000;

/// A screen over a run, with the terminal that it is drawn on.
struct Screen {
    ui: Ui,
    run: Run,
    events: Vec<Arc<Envelope>>,
    theme: Theme,
    cache: Cache,
    terminal: Terminal<CrosstermBackend<io::Sink>>,
    /// Time spent on adding streamed text since the last frame.
    taken: Duration,
}

impl Screen {
    fn over(story: kit::Story) -> Screen {
        let viewport = TerminalOptions { viewport: Viewport::Fixed(AREA) };
        Screen {
            ui: Ui::new(Mode::Live, story.run.at),
            events: story.events.iter().cloned().map(Arc::new).collect(),
            run: story.run.clone(),
            theme: Theme::load(Theme::default_name(false), None).expect("the usual theme"),
            cache: Cache::default(),
            terminal: Terminal::with_options(CrosstermBackend::new(io::sink()), viewport).expect("a sink takes all"),
            taken: Duration::ZERO,
        }
    }

    fn frame(&mut self) -> Duration {
        let Screen { ui, run, events, theme, cache, terminal, taken } = self;
        let begun = Instant::now();
        let mut seen = None;
        terminal
            .draw(|frame| {
                let scene = Scene { ui, run, events, theme };
                seen = Some(draw(frame.buffer_mut(), AREA, scene, cache));
            })
            .expect("a sink takes all");
        cache.sweep();
        if let Some(seen) = seen {
            ui.drawn(seen);
        }
        begun.elapsed() + std::mem::take(taken)
    }

    /// Frames, each after something was done to the screen.
    fn frames(&mut self, before: &mut dyn FnMut(&mut Screen, usize)) -> Vec<Duration> {
        let mut took: Vec<Duration> = (0..WARM + FRAMES)
            .map(|n| {
                before(self, n);
                self.frame()
            })
            .skip(WARM)
            .collect();
        took.sort_unstable();
        took
    }

    fn calls(&self) -> Vec<CallId> {
        let asked = self.run.open().filter_map(|open| match &open.transcript.turns.last()?.did {
            Did::Asked(asked) => Some(asked.call),
            _ => None,
        });
        asked.collect()
    }
}

pub fn measure() {
    println!("{:<52} {:>10} {:>10} {:>10}", "a frame of 200 × 60", "middle", "p99", "slowest");
    let text = "The index is kept in **memory** [3], so that\n\n- it is fast, ";
    let finding = "{\"claim\": \"It is kept in memory.\", \"quote\": \"x\", \"source\": \"a\"}, ";
    for (name, begins, piece) in
        [("six streams of text", "", text), ("six streams of findings", "{\"findings\": [", finding)]
    {
        let mut screen = Screen::over(streaming(6));
        let calls = screen.calls();
        assert_eq!(calls.len(), 6, "each researcher has asked its model");
        calls.iter().for_each(|call| screen.ui.hears(*call, Saying::Answer, &begins.into()));
        let piece = Clean::new(piece);
        let mut hears = |screen: &mut Screen, _: usize| {
            calls.iter().for_each(|call| screen.ui.hears(*call, Saying::Answer, &piece));
        };
        print(name, &screen.frames(&mut hears));
    }
    let mut screen = Screen::over(streaming(6));
    let calls = screen.calls();
    let token = Clean::new("token ");
    // At thirty frames a second, those of a frame.
    const DELTAS: usize = 20_000 / 30;
    let mut hears = |screen: &mut Screen, _: usize| {
        let begun = Instant::now();
        let called = calls.iter().cycle().take(DELTAS);
        called.for_each(|call| screen.ui.hears(*call, Saying::Answer, &token));
        screen.taken = begun.elapsed();
    };
    print("20,000 deltas a second, taken in and drawn", &screen.frames(&mut hears));
    for (shared, name) in [(Shared::FannedOut, "300 assignments, fan-out"), (Shared::InSections, "300 in sections")] {
        let mut screen = Screen::over(done(300, shared, 150));
        print(name, &screen.frames(&mut |_, _| {}));
    }
    for (name, times) in [("scrolling through a transcript of 50 kB", 5), ("of 50 MB", 5_000)] {
        let story = answered(times, &"It is kept in **memory** [3], so that it is fast.\n\n".repeat(200));
        let before = story.events.iter().rposition(|envelope| matches!(envelope.event, Event::AttemptSent { .. }));
        let earlier = Run::fold(&story.events[..before.expect("the last answer")]);
        let mut screen = Screen::over(story);
        let researcher = screen.calls()[0].assignment;
        (screen.ui.team.pane, screen.ui.team.zoomed) = (Some(researcher), true);
        let latest = std::mem::replace(&mut screen.run, earlier);
        let first = screen.frame();
        screen.run = latest;
        let again = screen.frame();
        let mut scrolls = |screen: &mut Screen, n: usize| {
            let most = screen.ui.seen.most.max(1);
            screen.ui.team.scrolled.entry(researcher).or_default().from = n * 7_919 % most;
        };
        print(name, &screen.frames(&mut scrolls));
        println!("{:<52} {:>10}", "    its first frame", millis(first));
        println!("{:<52} {:>10}", "    the next one after another answer has come", millis(again));
    }
}

fn print(name: &str, took: &[Duration]) {
    let at = |share: usize| millis(took[(took.len() * share / 100).min(took.len() - 1)]);
    println!("{name:<52} {:>10} {:>10} {:>10}", at(50), at(99), at(100));
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}
