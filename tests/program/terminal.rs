//! The real binary in a real (pseudo-)terminal: a person presses keys and waits for words, and at every end the terminal is given
//! back.

mod checkpoints;
mod graph;
mod home;
mod inspector;
mod models;
mod outside;
mod servers;
mod team;
mod traces;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use kit::{PATIENCE, until};
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
/// The brackets around each frame that the program draws (synchronised output).
const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
const FRAME_ENDS: &[u8] = b"\x1b[?2026l";

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// A terminal with the program in it.
struct Terminal {
    pty: Option<Pty>,
    child: Child,
    screen: vt100::Parser,
    /// All that the screen has taken in.
    raw: Vec<u8>,
    /// The bytes that the program wrote after that.
    ahead: VecDeque<u8>,
}

impl Terminal {
    /// Starts the program below `data`, with nothing of this machine's settings.
    fn start(data: &Path, args: &[&str], rows: u16, cols: u16, env: &[(&str, &str)]) -> Terminal {
        Terminal::start_in(Path::new(env!("CARGO_MANIFEST_DIR")), data, args, rows, cols, env)
    }

    /// The same in this folder.
    fn start_in(folder: &Path, data: &Path, args: &[&str], rows: u16, cols: u16, env: &[(&str, &str)]) -> Terminal {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, cols)).unwrap();
        let command = Command::new(crate::PROGRAM)
            .env_clear()
            .env("HOME", data)
            .env("TERM", "xterm-256color")
            .envs(env.iter().copied())
            .current_dir(folder)
            .arg("--data-dir")
            .arg(data.join("data"))
            .args(args);
        let child = command.spawn(pts).unwrap();
        let screen = vt100::Parser::new(cells(rows), cells(cols), 0);
        Terminal { pty: Some(pty), child, screen, raw: Vec::new(), ahead: VecDeque::new() }
    }

    /// A new run over the example, up to its findings checkpoint, where the page takes keys.
    fn at_the_checkpoint(data: &Path) -> Terminal {
        let mut terminal = Terminal::brief(data, 40, 120, &[]);
        terminal.wait_for("approve what the writer may use");
        terminal.takes_keys();
        terminal
    }

    fn brief(data: &Path, rows: u16, cols: u16, env: &[(&str, &str)]) -> Terminal {
        Terminal::start(data, &["brief", QUESTION, "--sources", "examples/vector-databases"], rows, cols, env)
    }

    fn pty(&self) -> &Pty {
        self.pty.as_ref().expect("the terminal has not hung up")
    }

    /// Takes in the program's output until the screen shows `enough`, or until nothing can come any more.
    fn read_until(&mut self, enough: impl Fn(&vt100::Screen) -> bool) -> bool {
        self.takes_in_until(|terminal| enough(terminal.screen.screen()))
    }

    /// The same with all that was taken in. A frame that is half drawn is not looked at: it may show the old state beside the
    /// new one.
    fn takes_in_until(&mut self, enough: impl Fn(&Terminal) -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while !(self.is_whole() && enough(self)) {
            if Instant::now() > deadline {
                return false;
            }
            if self.ahead.is_empty() && !self.reads() {
                return enough(self);
            }
            self.takes_in();
        }
        true
    }

    /// Waits a moment for more of the program's output; whether more can come.
    fn reads(&mut self) -> bool {
        let pty = self.pty.as_mut().expect("the terminal has not hung up");
        let mut fds = [PollFd::new(pty, PollFlags::IN)];
        let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        if poll(&mut fds, Some(&wait)).unwrap() == 0 {
            return true;
        }
        let mut bytes = [0; 8192];
        match pty.read(&mut bytes) {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.ahead.extend(&bytes[..count]);
                true
            }
        }
    }

    /// Shows what came, up to the end of the first frame in it.
    fn takes_in(&mut self) {
        let shown = self.raw.len();
        while let Some(byte) = self.ahead.pop_front() {
            self.raw.push(byte);
            if self.raw.ends_with(FRAME_ENDS) {
                break;
            }
        }
        self.screen.process(&self.raw[shown..]);
    }

    /// Whether the screen shows no half of a frame. Text without frames is whole at any time.
    fn is_whole(&self) -> bool {
        let last = |mark: &[u8]| self.raw.windows(mark.len()).rposition(|bytes| bytes == mark);
        last(FRAME_ENDS) >= last(FRAME_BEGINS)
    }

    #[track_caller]
    fn wait_for(&mut self, words: &str) {
        let found = self.read_until(|screen| screen.contents().contains(words));
        assert!(found, "waited for {words:?} in vain:\n{}", self.screen.screen().contents());
    }

    #[track_caller]
    fn wait_until_gone(&mut self, words: &str) {
        let gone = self.read_until(|screen| !screen.contents().contains(words));
        assert!(gone, "{words:?} does not go:\n{}", self.screen.screen().contents());
    }

    /// The number of findings that are kept, and of all, once there are `of`.
    fn wait_for_kept(&mut self, wanted: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        let kept = |screen: &vt100::Screen| {
            let contents = screen.contents();
            let before = contents.split(" kept").next()?;
            let mut words = before.split_whitespace().rev();
            let (of, kept) = (words.next()?, words.nth(1)?);
            Some((kept.parse().ok()?, of.parse().ok()?))
        };
        let found = self.read_until(|screen| kept(screen).is_some_and(|(kept, of)| wanted(kept, of)));
        assert!(found, "the count is another:\n{}", self.screen.screen().contents());
        kept(self.screen.screen()).unwrap()
    }

    fn press(&mut self, keys: &str) {
        self.pty.as_mut().expect("the terminal has not hung up").write_all(keys.as_bytes()).unwrap();
    }

    /// Lets a moment pass, as a person does after a paste: keys that come at once may be the rest of it. The program goes by when
    /// it reads them, so that a key after this may still be ignored: it has to be pressed again then.
    fn rests(&mut self) {
        let since = Instant::now();
        self.read_until(|_| since.elapsed() > Duration::from_millis(100));
    }

    /// Waits until all keys so far have had their effect: this one, which comes after them, has the screen drawn anew.
    fn draws_anew(&mut self) {
        let before = self.raw.len();
        self.press("\x0c");
        let is_anew = |bytes: &[u8]| bytes.windows(4).any(|bytes| bytes == b"\x1b[2J");
        assert!(self.takes_in_until(|terminal| is_anew(&terminal.raw[before..])), "it is not drawn anew");
    }

    /// Waits until a page that has turned by itself takes keys: at first it takes none.
    fn takes_keys(&mut self) {
        loop {
            self.press("?");
            let answered = |words: &str| words.contains("goes back") || words.contains("changed by itself");
            assert!(self.read_until(|screen| answered(&screen.contents())), "{}", self.screen.screen().contents());
            let opened = self.screen.screen().contents().contains("goes back");
            // Painting anew takes the message away.
            self.press(if opened { "q" } else { "\x0c" });
            assert!(self.read_until(|screen| !answered(&screen.contents())));
            if opened {
                return;
            }
        }
    }

    /// Approves the findings.
    fn approve(&mut self) {
        self.takes_keys();
        self.press("A");
        self.wait_for("to the writer");
        self.press("\r");
    }

    /// Approves the findings, and waits for the brief.
    fn approve_and_read(&mut self) {
        self.approve();
        self.wait_for(" citations ─");
        self.takes_keys();
    }

    fn resize(&mut self, rows: u16, cols: u16) {
        self.pty().resize(Size::new(rows, cols)).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(cols));
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until the program is stopped, as by Ctrl-Z. Reads meanwhile, as a terminal does: a program that cannot write what
    /// it draws cannot give the terminal back either.
    #[track_caller]
    fn wait_until_stopped(&mut self) {
        let stat = format!("/proc/{}/stat", self.child.id());
        // The state comes after the name, which is in brackets.
        let is_stopped = || std::fs::read_to_string(&stat).unwrap().rsplit(')').next().unwrap().starts_with(" T");
        let stopped = self.read_until(|_| is_stopped());
        assert!(stopped, "the program does not stop:\n{}", self.screen.screen().contents());
    }

    /// Waits for the end without reading.
    #[track_caller]
    fn end(&mut self) -> ExitStatus {
        until("the end of the program", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap()
    }

    /// Reads to the end and checks that the terminal is as it was.
    fn end_and_given_back(&mut self) -> ExitStatus {
        self.read_until(|_| false);
        let status = self.end();
        let modes = tcgetattr(self.pty()).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert!(!self.raw.windows(4).any(|bytes| bytes == b"\x1b[6n"), "the terminal was asked something");
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_person_walks_the_graph_opens_a_call_of_a_specialist_and_turns_its_pane() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 45, 160, &[]);
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1v\x1b[B");
    person.wait_for("you: findings  on the critical path → writer");
    person.press("\x1b[A\x1b[A");
    person.wait_for("└ Qdrant  ");
    person.press("vvzkk\r");
    person.wait_for("arguments");
    person.press("q");
    person.wait_for("report #");
    person.press("e");
    person.wait_for("handoff in");
    person.press("eee/limits\r");
    person.press("Q");
    let code = person.end_and_given_back();
    assert_eq!(code.code(), Some(4), "the findings wait for the person");
}

#[test]
fn a_person_raises_a_cap_asks_for_more_and_what_it_had_kept_from_being_done_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--max-tokens", "60k"];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    person.wait_for("approve what the writer may use");
    let (_, of) = person.wait_for_kept(|kept, of| kept == of);
    person.takes_keys();
    person.press("b9k\r");
    person.wait_for("the token cap is 60k and is only ever raised: 9k is less");
    person.press("\x7f\x7f400k\r");
    person.wait_for("▏ 400k");
    person.press("m\t\t\t\r");
    person.wait_for_kept(|_, now| now > of);
    person.approve_and_read();
    person.wait_for("✓ done");
    let brief = person.screen.screen().contents();
    assert!(!brief.contains("Partial"), "what was made good is not missing:\n{brief}");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn keys_of_ones_own_are_the_ones_that_work_and_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("keymap.toml"), "[findings]\nA = \"Y\"\n").unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.takes_keys();
    person.wait_for("Y approve");
    person.press("A");
    person.press("?/says what goes");
    person.wait_for("1 found");
    person.press("\r");
    person.wait_for("go to the writer");
    person.press("\x1b");
    person.wait_until_gone("go to the writer");
    person.press("Y");
    person.wait_for("go to the writer");
    person.press("\r");
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn the_mouse_selects_a_finding_and_a_switch_leaves_it_to_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.takes_keys();
    let reversed = |screen: &vt100::Screen, row: u16| screen.cell(row, 6).is_some_and(vt100::Cell::inverse);
    let rows: Vec<u16> = (2..30).filter(|row| reversed(person.screen.screen(), *row)).collect();
    let [selected] = rows[..] else { panic!("{rows:?}: {}", person.screen.screen().contents()) };
    let below = selected + 1;
    person.press(&format!("\x1b[<0;20;{}M\x1b[<0;20;{0}m", below + 1));
    assert!(person.read_until(|screen| reversed(screen, below)), "{}", person.screen.screen().contents());
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4), "the run is parked, and nothing was approved");
    assert!(String::from_utf8_lossy(&person.raw).contains("\x1b[?1000h"));
    let mut without = Terminal::start(dir.path(), &["--no-mouse"], 30, 100, &[]);
    without.wait_for("earlier runs");
    without.press("\x1b");
    assert!(without.end_and_given_back().success());
    assert!(!String::from_utf8_lossy(&without.raw).contains("\x1b[?1000h"));
}

#[test]
fn a_terminal_that_only_appends_lines_gets_lines_and_questions_and_no_screen() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 40, 120, &[("TERM", "dumb")]);
    person.wait_for("Your choice:");
    person.press("9\n");
    assert_eq!(person.end_and_given_back().code(), Some(4), "it is left as it is");
    let replay = Terminal::start(dir.path(), &["replay", "last"], 40, 120, &[("TERM", "dumb")]);
    let home = Terminal::start(dir.path(), &[], 40, 120, &[("TERM", "dumb")]);
    for (mut shown, code, says) in [(replay, 4, "researcher"), (home, 2, "TERM=dumb names one that cannot")] {
        assert_eq!(shown.end_and_given_back().code(), Some(code));
        assert!(String::from_utf8_lossy(&shown.raw).contains(says), "{}", String::from_utf8_lossy(&shown.raw));
        person.raw.extend(std::mem::take(&mut shown.raw));
    }
    assert!(!person.raw.contains(&0x1b), "nothing moves the cursor");
}

#[test]
fn a_terminal_that_says_its_background_is_light_gets_the_light_theme_and_nobody_waits_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let ink = vt100::Color::Rgb(0x0b, 0x6e, 0x6a);
    let is_light = |screen: &vt100::Screen| {
        (0..30).any(|row| (0..100).any(|column| screen.cell(row, column).is_some_and(|cell| cell.fgcolor() == ink)))
    };
    let colours = [("COLORTERM", "truecolor")];
    let mut person = Terminal::start(dir.path(), &[], 30, 100, &colours);
    person.wait_for("how it goes");
    assert!(!is_light(person.screen.screen()), "it has not answered");
    person.press("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\");
    assert!(person.read_until(is_light), "{}", person.screen.screen().contents());
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
    let asked = |terminal: &Terminal| String::from_utf8_lossy(&terminal.raw).contains("\x1b]11;?");
    assert!(asked(&person));
    for args in [&["--theme", "dark"][..], &["--background", "light"]] {
        let mut told = Terminal::start(dir.path(), args, 30, 100, &colours);
        told.wait_for("how it goes");
        assert_eq!(is_light(told.screen.screen()), args[1] == "light", "{args:?}");
        told.press("\x1b");
        assert!(told.end_and_given_back().success());
        assert!(!asked(&told), "{args:?}");
    }
}

#[test]
fn what_a_part_of_an_imported_session_handed_out_stands_below_it_and_no_two_panes_have_one_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(
        dir.path(),
        &["open", "tests/import/samples/claude-code/7c1f0a52-3d1e-4a55-9a0b-2f6d3b1c9e10.jsonl"],
        40,
        120,
        &[],
    );
    person.wait_for("╰─┬─✓ Read the cache code");
    person.wait_for("  │ ╰─✓ Check the expiry test");
    person.wait_for("Explore · Read the cache code");
    person.wait_for("Explore · Check the expiry test");
    person.press("q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_large_session_is_said_to_be_read_before_there_is_anything_to_show() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("large.jsonl");
    let record = |n: usize, text: &str| {
        let message = serde_json::json!({ "role": "user", "content": format!("{n} {text}") });
        serde_json::json!({ "type": "user", "sessionId": "99", "uuid": format!("u{n}"), "message": message })
            .to_string()
    };
    let text = "Which cache should the shop use? ".repeat(1_500);
    std::fs::write(&file, (0..100).map(|n| record(n, &text) + "\n").collect::<String>()).unwrap();
    let mut person = Terminal::start(dir.path(), &["open", file.to_str().unwrap()], 40, 120, &[]);
    person.wait_for("graph");
    let raw = String::from_utf8_lossy(&person.raw).into_owned();
    let (said, taken) = (raw.find("reading 4 MB in 1 file"), raw.find("\x1b[?1049h"));
    assert!(said.is_some() && said < taken, "{said:?} {taken:?}");
    person.press("q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn signals_end_it_and_the_terminal_is_given_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let dir = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::at_the_checkpoint(dir.path());
        terminal.signal(signal);
        assert_eq!(terminal.end_and_given_back().code(), Some(code), "{signal:?}");
    }
}

#[test]
fn a_request_to_stop_is_heeded_before_there_is_a_screen_and_on_it() {
    // No shell controls the job here, so the kernel discards a request that the program leaves to it.
    let env = [("ANTHROPIC_API_KEY", "sk-canary"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")];
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::brief(dir.path(), 40, 160, &env);
    terminal.wait_for("q leaves");
    terminal.signal(Signal::TSTP);
    terminal.wait_until_stopped();
    terminal.signal(Signal::CONT);
    terminal.press("r\r");
    terminal.wait_for("approve what the writer may use");
    terminal.signal(Signal::TSTP);
    terminal.wait_until_stopped();
    terminal.read_until(|screen| !screen.alternate_screen());
    terminal.signal(Signal::CONT);
    terminal.wait_for("approve what the writer may use");
    terminal.takes_keys();
    terminal.press("Q");
    assert_eq!(terminal.end_and_given_back().code(), Some(4));
}

#[test]
fn ctrl_c_once_warns_and_twice_leaves_the_run_parked() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let warns = |screen: &vt100::Screen| screen.contents().contains("Ctrl-C again leaves");
    person.press("\x03");
    assert!(person.read_until(warns), "{}", person.screen.screen().contents());
    // The second is a first one again if it comes too late: then it is pressed once more.
    while person.screen.screen().alternate_screen() {
        // Painting anew takes the warning away.
        person.press("\x0c");
        assert!(person.read_until(|screen| !warns(screen)), "{}", person.screen.screen().contents());
        person.press("\x03");
        assert!(person.read_until(|screen| warns(screen) || !screen.alternate_screen()));
    }
    assert_eq!(person.end_and_given_back().code(), Some(4));
    assert!(person.screen.screen().contents().contains("masthead resume"));
}

#[test]
fn a_terminal_that_hangs_up_ends_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::at_the_checkpoint(dir.path());
    drop(terminal.pty.take());
    terminal.end();
}

#[test]
fn a_run_that_stands_at_a_breakpoint_parks_there_when_its_terminal_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let breaks = ["brief", QUESTION, "--sources", "examples/vector-databases", "--break", "handoff:researcher"];
    let mut terminal = Terminal::start(dir.path(), &breaks, 40, 120, &[]);
    terminal.wait_for("nothing has crossed");
    drop(terminal.pty.take());
    terminal.end();
    let resume =
        |more: &[&str]| kit::run(crate::masthead(dir.path()).args(["resume", "last", "--headless"]).args(more));
    let (code, out, err) = resume(&["--others", "stand"]);
    assert!(code == 4 && err.contains("stands at a breakpoint, and nothing of it is lost"), "{code}: {out}{err}");
    let (code, out, err) = resume(&["--yes"]);
    assert!(code == 0 && out.contains("## Sources"), "{code}: {out}{err}");
}

#[test]
fn a_terminal_that_does_not_read_cannot_keep_the_program_from_ending() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::at_the_checkpoint(dir.path());
    // Frames nobody reads, until the terminal takes no more.
    for n in 0..400 {
        terminal.resize(30 + n % 30, 100 + n % 70);
        terminal.press("1\x1b2");
    }
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.end().code(), Some(143));
}

#[test]
fn it_survives_any_size_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::at_the_checkpoint(dir.path());
    for (rows, cols) in [(5, 20), (1, 1), (100, 300), (3, 200)] {
        terminal.resize(rows, cols);
        terminal.press("j");
    }
    terminal.resize(5, 20);
    terminal.wait_for("◆ needs you");
    terminal.resize(24, 80);
    terminal.wait_for("approve what the writer may use");
    terminal.takes_keys();
    terminal.press("Q");
    assert_eq!(terminal.end_and_given_back().code(), Some(4));
}

#[test]
fn no_color_means_no_colour_but_the_selection_still_shows() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::brief(dir.path(), 40, 120, &[("NO_COLOR", "1")]);
    terminal.wait_for("approve what the writer may use");
    let screen = terminal.screen.screen();
    let cells = || (0..40).flat_map(|row| (0..120).filter_map(move |col| screen.cell(row, col)));
    assert!(cells().all(|cell| cell.fgcolor() == vt100::Color::Default && cell.bgcolor() == vt100::Color::Default));
    assert!(cells().any(|cell| cell.inverse() && cell.has_contents()));
}

#[test]
fn a_replay_steps_through_time_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.approve_and_read();
    person.press("Q");
    person.end_and_given_back();
    let mut person = Terminal::start(dir.path(), &["replay", "last"], 40, 120, &[]);
    person.wait_for(" citations ─");
    person.press("{");
    person.wait_for("#1 of #");
    person.press("]]]]]");
    person.wait_for("#6 of #");
    // Nobody works in the past.
    person.wait_for("‖ supervisor");
    person.press("x");
    person.wait_for("this is a replay");
    person.press("}");
    person.wait_for("✓ done");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_person_forks_a_run_from_an_event_goes_on_with_the_fork_and_compares_the_two() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.approve_and_read();
    person.press("Q");
    person.end_and_given_back();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("earlier runs");
    person.press("\x1b[Z\r");
    person.wait_for(" citations ─");
    person.takes_keys();
    // At its end there is nothing left to do.
    person.press("f");
    person.wait_for("the run has ended here: go back in time first");
    person.press("{)");
    person.wait_for("the past: #");
    person.press("f");
    person.wait_for("a new run that begins as this one was at #");
    // An impossible change is refused in words, and the written text stands there again, at the same moment.
    person.press("--model\r");
    person.wait_for("it cannot be forked like that");
    person.press("q");
    person.wait_for("changed: --model");
    person.wait_for("the past: #");
    person.press("\x15--break handoff:writer\r");
    person.wait_for("kept: ");
    person.wait_for("it costs nothing");
    person.press("y");
    person.wait_for("approve what the writer may use");
    person.approve();
    person.wait_for("handoff:writer");
    person.takes_keys();
    person.press("A");
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("q");
    person.wait_for("(fork of ");
    // The list is in front, with the run that was opened from it.
    person.press("c");
    person.wait_for("is compared with: choose another run, then c");
    person.press("kc");
    person.wait_for("findings: ");
    person.wait_for("alike");
    person.press("G");
    person.wait_for("Which of them is better is yours to judge");
    person.press("q");
    person.wait_for("earlier runs");
    // From the list, too: first the moment is chosen.
    person.press("f");
    person.wait_for("choose where the new run begins");
    person.press("\r");
    person.wait_for("the past: #");
    person.press("f");
    person.wait_for("a new run that begins as this one was at #");
    person.press("\x1b");
    person.wait_until_gone("a new run that begins as this one was at #");
    person.wait_for("the past: #");
    person.press("q");
    person.wait_for("earlier runs");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_paste_neither_approves_nor_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.press("\x1b[200~A q\ry\x1b[201~");
    person.press("?");
    person.wait_for("on every page");
    assert!(person.child.try_wait().unwrap().is_none(), "it still runs");
    person.press("?");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
}

#[test]
fn a_paste_without_its_end_keeps_nobody_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("how it goes");
    person.press("\x1b[200~What is Qdrant?");
    // Pasted text is drawn, and so is another size of the terminal.
    person.wait_for("What is Qdrant?");
    person.resize(30, 100);
    person.read_until(|screen| screen.contents().lines().count() <= 30 && screen.contents().contains("how it goes"));
    person.press("\x1bOP");
    person.wait_for("this help");
    person.press("\x1bOP");
    person.wait_for("how it goes");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
}

#[test]
fn enter_behind_the_end_of_a_paste_begins_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("how it goes");
    person.press("\x1b[200~What is Qdrant?\x1b[201~\r");
    person.wait_for("that key arrived with a paste");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
    let runs = std::process::Command::new(crate::PROGRAM)
        .args(["--data-dir", dir.path().join("data").to_str().unwrap(), "runs"])
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&runs.stdout).contains("Qdrant"));
}

#[test]
fn what_documents_say_and_how_they_are_called_never_drives_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let sources = dir.path().join("sources");
    std::fs::create_dir(&sources).unwrap();
    let evil = "Gizmo stores \x1b]52;c;ZXZpbA==\x07vectors\x1b[31m in \u{9b}2J\u{202e}tables\u{202c}. \
                Gizmo has \x1b[?1049l three ports.\n";
    std::fs::write(sources.join("gizmo \x1b]0;owned\x07.md"), format!("# Gizmo\n\n{evil}")).unwrap();
    let args = ["brief", "What is Gizmo?", "--sources", sources.to_str().unwrap()];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    person.wait_for("Gizmo stores vectors in tables");
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
    let raw = String::from_utf8_lossy(&person.raw).into_owned();
    for forbidden in ["\x1b]52", "ZXZpbA", "\x1b]0;owned", "\u{202e}", "\u{9b}", "\x1b[31m in"] {
        assert!(!raw.contains(forbidden), "{forbidden:?} reached the terminal");
    }
}

#[test]
fn money_that_nobody_asked_to_spend_is_asked_about_first() {
    // Nobody is there: a request sent by mistake fails instead of costing something.
    let env = [("ANTHROPIC_API_KEY", "sk-canary"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")];
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 40, 160, &env);
    person.wait_for("at most $1.00");
    person.wait_for("r does it by rule");
    person.press("what?\rr\r");
    person.wait_for("approve what the writer may use");
    assert!(person.screen.screen().contents().contains("extractive team"));
    let mut person = Terminal::brief(dir.path(), 40, 160, &env);
    person.wait_for("q leaves");
    person.press("q\r");
    assert!(person.end_and_given_back().success());
}

#[test]
fn who_watches_a_run_at_a_second_terminal_goes_on_with_it_when_the_first_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = Terminal::at_the_checkpoint(dir.path());
    let mut second = Terminal::start(dir.path(), &["resume", "last"], 40, 120, &[]);
    second.wait_for("approve what the writer may use");
    second.takes_keys();
    second.press("A");
    second.wait_for("this view is read-only");
    first.signal(Signal::KILL);
    first.end();
    // The same key, now that the run is this one's.
    second.read_until(|screen| !screen.contents().contains("read only"));
    second.approve_and_read();
    second.press("Q");
    assert!(second.end_and_given_back().success());
}

#[test]
fn a_person_stops_a_handoff_changes_it_steps_on_and_lets_it_go() {
    let home = tempfile::tempdir().unwrap();
    let breaks = ["brief", QUESTION, "--sources", "examples/vector-databases", "--break", "handoff:researcher"];
    let mut terminal = Terminal::start(home.path(), &breaks, 40, 120, &[]);
    terminal.wait_for("nothing has crossed");
    terminal.wait_for("supervisor → researcher");
    // The question of the first is another now; the one that stood is shown beside it.
    terminal.press("e");
    terminal.wait_for("Alt-Enter breaks a line");
    terminal.press("\x01\x0bWhat does pgvector cost?\r");
    terminal.wait_for("changed by you");
    terminal.wait_for("as it stood");
    // An edit that breaks the contract says so and is not lost.
    terminal.press("e\x01\x0b\r");
    terminal.wait_for("the payload has no `question`");
    terminal.press("\x1b");
    terminal.wait_for("send on");
    terminal.press("E");
    terminal.wait_for("nothing has come of it yet");
    terminal.wait_for("It is on record");
    terminal.press("D");
    terminal.wait_for("before anything is handed to the researcher");
    terminal.press("d");
    terminal.wait_for("none: a sets one");
    terminal.press("q:break handoff:wirter\r");
    terminal.wait_for("there is no specialist `wirter`");
    terminal.press("\x01\x0bbreak verdict:pass\r");
    terminal.wait_for("send on");
    terminal.takes_keys();
    terminal.press("A");
    terminal.wait_for("approve what the writer may use");
    terminal.approve();
    terminal.wait_for("verdict:pass");
    terminal.wait_for("gates → supervisor");
    terminal.takes_keys();
    terminal.press(":clear all\r");
    terminal.press("A");
    terminal.wait_for("3 brief");
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn a_person_who_looks_elsewhere_is_called_by_a_notification_and_the_title_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--check-plan"];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    person.wait_for("3 tasks · approve what is to be worked on");
    person.takes_keys();
    let said = |person: &Terminal| String::from_utf8_lossy(&person.raw).into_owned();
    assert!(said(&person).contains("\x1b]2;◆ masthead: "), "the title says that the plan waits");
    assert!(!said(&person).contains("\x1b]9;"), "they look at it");
    // The terminal says that it has lost the focus.
    person.press("\x1b[O");
    person.press("A");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    let called = said(&person);
    let (_, notification) = called.split_once("\x1b]9;masthead: ").expect("they are called");
    assert!(notification.split('\x07').next().unwrap().contains("findings to approve"), "{notification:?}");
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn the_graph_of_the_recorded_run_shows_the_draft_that_was_sent_back_and_the_one_that_passed() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &["replay", "examples/model-team.jsonl"], 45, 160, &[]);
    person.wait_for(" citations ─");
    person.press("1");
    person.wait_for("writer ↺1");
    person.wait_for("✓ review ×2");
    person.press(":#105\r");
    for shown in ["past: #105", "revise: 1 issue", "↺ review", "draft 2/3"] {
        person.wait_for(shown);
    }
    assert!(!person.screen.screen().contents().contains("● writer"), "nobody is at work in a replay");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}
