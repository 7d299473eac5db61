//! The real binary in a real (pseudo-)terminal: a person presses keys and waits for words, and whatever happens the
//! terminal is given back.

mod inspector;
mod models;
mod outside;
mod servers;
mod team;
mod traces;

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
/// Longer than anything takes; whoever waits this long waits in vain.
const PATIENCE: Duration = Duration::from_secs(20);

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// A terminal with the program in it.
struct Terminal {
    pty: Option<Pty>,
    child: Child,
    screen: vt100::Parser,
    raw: Vec<u8>,
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
        Terminal { pty: Some(pty), child, screen: vt100::Parser::new(cells(rows), cells(cols), 0), raw: Vec::new() }
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

    /// Takes in what the program writes until `enough`, or until nothing can come any more.
    fn read_until(&mut self, enough: impl Fn(&vt100::Screen) -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while !enough(self.screen.screen()) {
            if Instant::now() > deadline {
                return false;
            }
            let pty = self.pty.as_mut().expect("the terminal has not hung up");
            let mut fds = [PollFd::new(pty, PollFlags::IN)];
            let wait = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
            if poll(&mut fds, Some(&wait)).unwrap() == 0 {
                continue;
            }
            let mut bytes = [0; 8192];
            match pty.read(&mut bytes) {
                Ok(0) | Err(_) => return enough(self.screen.screen()),
                Ok(count) => {
                    self.screen.process(&bytes[..count]);
                    self.raw.extend_from_slice(&bytes[..count]);
                }
            }
        }
        true
    }

    fn wait_for(&mut self, words: &str) {
        let found = self.read_until(|screen| screen.contents().contains(words));
        assert!(found, "waited for {words:?} in vain:\n{}", self.screen.screen().contents());
    }

    /// How many findings are kept, and of how many, once there are `of`.
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

    /// Lets a moment pass, as a person does between two keys: keys that come at once may be the rest of a paste.
    fn rests(&mut self) {
        let since = Instant::now();
        self.read_until(|_| since.elapsed() > Duration::from_millis(100));
    }

    /// Waits until a page that has turned by itself takes keys: at first it takes none.
    fn takes_keys(&mut self) {
        loop {
            self.press("?");
            let answered = |words: &str| words.contains("goes back") || words.contains("turned by itself");
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

    /// Waits until the program is stopped, as by Ctrl-Z.
    fn wait_until_stopped(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let stat = format!("/proc/{}/stat", self.child.id());
        // The state comes after the name, which is in brackets.
        while !std::fs::read_to_string(&stat).unwrap().rsplit(')').next().unwrap().starts_with(" T") {
            assert!(Instant::now() < deadline, "the program does not stop");
            std::thread::yield_now();
        }
    }

    /// Waits for the end without reading.
    fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the program does not end");
            std::thread::yield_now();
        }
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
fn a_person_corrects_the_findings_and_reads_the_brief() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let (all, of) = person.wait_for_kept(|kept, of| kept == of);
    person.press(" ");
    person.wait_for_kept(|kept, _| kept == all - 1);
    person.press("aOur own servers are in Finland.\r");
    person.wait_for_kept(|kept, now| kept == all && now == of + 1);
    person.press("/Finland\r");
    person.wait_for(&format!("1 of {}", of + 1));
    person.press("\x1b");
    person.wait_for("[ ] ");
    person.approve_and_read();
    person.press("n\r");
    person.wait_for("finding f");
    person.press("q1");
    person.wait_for("✓ writer");
    person.press("i\r");
    person.wait_for("handoff #");
    person.press("t");
    person.wait_for("\"payload\"");
    person.press("q3G");
    person.wait_for("added at the findings checkpoint, without a source");
    person.press("Q");
    assert!(person.end_and_given_back().success());
    assert!(person.screen.screen().contents().contains("masthead export"), "what to do next is said");
}

#[test]
fn a_person_goes_through_many_findings_by_section_and_is_told_what_goes_before_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let (all, of) = person.wait_for_kept(|kept, of| kept == of);
    person.press("t");
    let (left, _) = person.wait_for_kept(|kept, _| kept < all);
    person.press("z");
    person.wait_for("▸ [ ] ");
    person.press("A");
    person.wait_for(&format!("{left} go to the writer: {} dropped", of - left));
    person.press("n");
    person.wait_for("space toggle");
    person.press("u");
    person.wait_for_kept(|kept, _| kept == all);
    person.press("Z");
    person.wait_for("▾ [x] ");
    person.press("n");
    person.wait_for("≠ ");
    person.wait_for("findings f");
    person.press("q/Qdrant\r");
    person.wait_for(&format!(" of {of}"));
    person.press("T");
    person.wait_for_kept(|kept, _| kept < all);
    person.press("A");
    person.wait_for("The filter hides ");
    person.press("n");
    person.wait_for("space toggle");
    // What was done stays undoable after more was asked for.
    person.press("um\t\t\t\r");
    person.wait_for_kept(|_, now| now > of);
    person.takes_keys();
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn a_contradiction_is_gone_to_and_shows_both_sides_with_both_passages() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let both = |person: &mut Terminal| {
        person.wait_for("≠ 40 here, 100 there");
        person.wait_for("pgvector/tuning.md:14 · HNSW settings");
        person.wait_for("≠ 100 here, 40 there");
        person.wait_for("notes/old-tuning-notes.txt:21 · Settings");
    };
    person.press("n");
    both(&mut person);
    // There is no other one: it stays.
    person.press("n");
    person.rests();
    both(&mut person);
    person.press("q");
    person.wait_for("space toggle");
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn words_of_the_person_are_marked_as_theirs_in_the_brief_its_evidence_and_its_exports() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 45, 160, &[]);
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("e");
    person.wait_for("the claim in other words");
    person.press(" Or so we think.\r");
    person.wait_for("✎ your wording");
    person.approve_and_read();
    person.wait_for("┌ evidence ");
    person.wait_for("marked ✎: these are yours");
    person.press("G");
    person.wait_for("In your words");
    person.wait_for("the source: “");
    person.press("Q");
    assert!(person.end_and_given_back().success());
    let export = |format: &str| {
        let mut command = crate::masthead(dir.path());
        let (code, out, err) = kit::run(command.args(["export", "last", "--format", format]));
        assert_eq!(code, 0, "{err}");
        out
    };
    let brief = export("md");
    let marked = brief.lines().find(|line| line.contains("Or so we think. [")).expect("the claim is in the brief");
    assert!(marked.contains("] ✎"), "{marked}");
    assert!(brief.contains("Or so we think.” The source says: ["), "{brief}");
    let json: serde_json::Value = serde_json::from_str(&export("json")).unwrap();
    let yours = &json["brief"]["in_your_words"][0];
    let (words, original) = (yours["words"].as_str().unwrap(), yours["original"].as_str().unwrap());
    assert!(words.ends_with("Or so we think.") && !original.contains("Or so we think"), "{yours}");
    let sentences = json["brief"]["sentences"].as_array().unwrap();
    assert!(sentences.iter().any(|one| one["in_your_words"] == true));
    assert!(sentences.iter().any(|one| one["in_your_words"] == false));
}

#[test]
fn a_citation_leads_to_its_evidence_beside_the_brief_and_on_to_the_call_that_found_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::brief(dir.path(), 45, 160, &[]);
    person.wait_for("approve what the writer may use");
    person.approve_and_read();
    person.wait_for("evidence ─");
    person.wait_for("found by  researcher · ");
    person.press("n\r");
    person.wait_for("tool call");
    person.wait_for("arguments");
    person.press("\x1b");
    person.wait_for("evidence ─");
    // Narrower, the evidence is a key before the call.
    person.resize(24, 80);
    person.wait_for("Enter passage");
    person.press("\r");
    person.wait_for("finding f");
    person.press("\r");
    person.wait_for("arguments");
    person.press("Q");
    assert!(person.end_and_given_back().success());
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
fn a_person_changes_the_plan_and_the_brief_follows_it() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--check-plan"];
    let mut person = Terminal::start(dir.path(), &args, 40, 120, &[]);
    person.wait_for("3 tasks · approve what is to be worked on");
    // The last task goes; the first is asked and called something else.
    person.takes_keys();
    person.press("Gd");
    person.wait_for("2 tasks · approve");
    person.press("gt");
    person.wait_for("the title of the task");
    person.press(&"\x7f".repeat(30));
    person.press("Filters of Qdrant\r");
    person.wait_for("1  Filters of Qdrant");
    person.press("e");
    person.wait_for("the question of the task");
    person.press(&"\x7f".repeat(90));
    person.press("\r");
    person.wait_for("“Filters of Qdrant” asks nothing");
    person.press("How does Qdrant filter?\r");
    person.wait_for("How does Qdrant filter?  ");
    // One edit too many is taken back.
    person.press("d");
    person.wait_for("1 task · approve");
    person.press("u");
    person.wait_for("2 tasks · approve");
    person.press("A");
    person.wait_for("approve what the writer may use");
    person.wait_for("Filters of Qdrant");
    person.approve_and_read();
    person.wait_for("Filters of Qdrant");
    person.press("4");
    person.wait_for("2 tasks · approved");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn home_asks_a_question_and_picks_up_what_was_left() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("how it goes");
    // A paste with line breaks goes into the box and starts nothing.
    person.press("\x1b[200~What is Qdrant?\r\n\x1b[201~");
    person.wait_for("What is Qdrant?");
    person.press("\t");
    for _ in 0..200 {
        person.press("\x7f");
    }
    person.press("examples/vector-databases");
    // Enter that comes at once is taken for a part of the paste.
    while !person.screen.screen().contents().contains("approve what the writer may use") {
        person.press("\r");
        let begun = |words: &str| words.contains("approve what the writer") || words.contains("came with a paste");
        assert!(person.read_until(|screen| begun(&screen.contents())));
        person.press("\x1b[D");
        person.read_until(|screen| !screen.contents().contains("came with a paste"));
        person.rests();
    }
    person.press("q");
    person.wait_for("earlier runs");
    person.wait_for("◆ needs you");
    person.press("\x1b[Z\r");
    person.wait_for("approve what the writer may use");
    person.approve_and_read();
    person.press("q");
    person.wait_for("✓ done");
    person.press("\x1b");
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
    assert!(person.read_until(|screen| !screen.contents().contains("go to the writer")));
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
    person.wait_for("├─┬─✓ Read the cache code");
    person.wait_for("│ │ ╰─✓ Check the expiry test");
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
    person.press("\x03");
    person.wait_for("Ctrl-C again leaves");
    person.press("\x03");
    assert_eq!(person.end_and_given_back().code(), Some(4));
    assert!(person.screen.screen().contents().contains("masthead resume"));
}

#[test]
fn a_terminal_that_hangs_up_ends_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::at_the_checkpoint(dir.path());
    let began = Instant::now();
    drop(terminal.pty.take());
    terminal.end();
    assert!(began.elapsed() < Duration::from_secs(5));
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
        std::thread::yield_now();
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
    // What cannot be is said, and the run is shown again.
    person.press("--model\r");
    person.wait_for("it cannot be forked like that");
    person.press("q");
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("{)");
    person.wait_for("the past: #");
    person.press("f");
    person.wait_for("a new run that begins as this one was at #");
    person.press("--break handoff:writer\r");
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
    person.rests();
    person.press("\x1b");
    person.wait_for("the past: #");
    person.rests();
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
    // What was pasted is drawn, and so is another size of the terminal.
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
    person.wait_for("that key came with a paste");
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
    // Nobody is there: whatever is sent by mistake fails instead of costing something.
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
fn home_completes_paths_counts_what_they_hold_and_shows_its_help() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("how it goes");
    person.press("\x1bOP");
    person.wait_for("goes back");
    person.press("\x1bOP");
    person.wait_for("how it goes");
    person.press("What is Qdrant?\t");
    person.press("\x15examples/vec\t");
    person.wait_for("examples/vector-databases/");
    person.wait_for("15 documents, 288 passages");
    person.wait_for("by rule, no model, no cost");
    // What was typed and not asked stands there the next time.
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("What is Qdrant?");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
}

#[test]
fn home_is_as_it_was_after_a_run_and_says_what_is_wrong_with_a_path() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("try the example");
    person.press("\x1bOQ");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("q");
    person.wait_for("earlier runs");
    person.press("\t\x15nowhere/at/all\t");
    person.wait_for("cannot read the source nowhere/at/all");
    person.press("\x15examples/vec\t");
    person.wait_for("15 documents, 288 passages");
    person.press("\x1b[Z\x1b[Z/self-hosted");
    person.wait_for("/self-hosted  1 of 1");
    person.rests();
    person.press("\r");
    // The help does what its line says.
    person.press("?");
    person.wait_for("goes back");
    person.press("/replay the run");
    person.wait_for("1 found");
    person.rests();
    person.press("\r");
    person.wait_for("replay · ");
    person.press("q");
    person.wait_for("/self-hosted  1 of 1");
    person.wait_for("15 documents, 288 passages");
    person.press("q");
    person.wait_for("those that need you first");
    // A question that is not asked is kept with its sources.
    person.press("\x1b[Z\x1b[Z\x1b[ZWhat is kept?");
    person.wait_for("What is kept?");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("What is kept?");
    person.wait_for("examples/vector-databases/");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_newcomer_tries_the_example_and_a_drill_with_one_key_each() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("try the example");
    person.press("\x1bOQ");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("q");
    person.wait_for("earlier runs");
    person.press("\x1bOR\r");
    person.wait_for("approve what the writer may use");
    person.approve();
    person.wait_for("✓ caught");
    person.takes_keys();
    person.press("q");
    // The one that needs the person stands first, though the other is later.
    person.wait_for("Drill: ");
    let shown = person.screen.screen().contents();
    assert!(shown.find("◆ needs you") < shown.find("Drill: "), "{shown}");
    person.press("\x1b[Z");
    person.press("/pinecone\r");
    person.wait_for("1 of 2");
    person.press("r");
    person.wait_for("replay");
    person.press("q");
    person.wait_for("earlier runs");
    person.press("d");
    person.wait_for("u takes it back");
    person.press("ud");
    person.wait_for("u takes it back");
    // The words that runs were looked for with are still there: the first q shows all runs again.
    person.press("q");
    person.wait_for("those that need you first");
    person.press("q");
    assert!(person.end_and_given_back().success());
    let (code, out, _) = kit::run(crate::masthead(dir.path()).arg("runs"));
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
    let (code, out, _) = kit::run(crate::masthead(dir.path()).args(["journal", "verify"]));
    assert!(code == 0 && out.starts_with("sound: 1 runs"), "{out}");
}

#[test]
fn every_run_that_waits_is_watched_with_what_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.takes_keys();
    person.press("Q");
    person.end_and_given_back();
    let mut watch = Terminal::start(dir.path(), &["runs", "--watch"], 40, 120, &[]);
    watch.wait_for("◆ ");
    watch.wait_for("  ! ");
    watch.wait_for("findings to approve");
    // Not INT: a shell that starts the tests in the background has its children ignore that.
    watch.signal(Signal::TERM);
    watch.end();
}

#[test]
fn home_shows_how_a_run_of_another_terminal_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    let mut home = Terminal::start(dir.path(), &[], 40, 120, &[]);
    home.wait_for("◆ needs you");
    home.wait_for("  ! ");
    home.wait_for("findings to approve");
    person.approve_and_read();
    home.wait_for("✓ done");
    home.press("\x03\x03");
    home.end_and_given_back();
    person.press("Q");
    person.end_and_given_back();
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
    person.rests();
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
fn the_list_of_watched_runs_is_written_over_the_one_before_in_a_narrow_terminal_too() {
    let dir = tempfile::tempdir().unwrap();
    let parked = |question: &str| {
        let sources = ["--sources", "examples/vector-databases", "--headless"];
        let (code, _, said) = kit::run(crate::masthead(dir.path()).args(["brief", question]).args(sources));
        assert_eq!(code, 4, "{said}");
    };
    parked("Compare the trade-offs of pgvector, Qdrant and Pinecone");
    let mut watch = Terminal::start(dir.path(), &["runs", "--watch"], 24, 70, &[]);
    watch.wait_for("findings to approve");
    parked("What is Qdrant?");
    let both = |screen: &vt100::Screen| {
        let shown = screen.contents();
        shown.matches("needs you").count() == 2 && shown.contains("Ctrl-C")
    };
    assert!(watch.read_until(both), "{}", watch.screen.screen().contents());
    let shown = watch.screen.screen().contents();
    assert_eq!(shown.lines().filter(|line| !line.is_empty()).count(), 3, "each run once:\n{shown}");
    watch.signal(Signal::TERM);
    watch.end();
}

#[test]
fn a_question_may_begin_with_a_bullet() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = crate::masthead(dir.path());
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["brief", "- What is Qdrant?\n- What is Pinecone?", "--sources", "examples/vector-databases"]);
    let (code, out, err) = kit::run(command.args(["--headless", "--yes"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("## What is Qdrant") && out.contains("## What is Pinecone"), "{out}");
}

#[test]
fn a_sentence_in_the_persons_words_outlives_a_revision_of_the_rest() {
    let home = tempfile::tempdir().unwrap();
    let asks = ["brief", QUESTION, "--sources", "examples/vector-databases", "--check-draft"];
    let mut terminal = Terminal::start(home.path(), &asks, 40, 120, &[]);
    terminal.wait_for("approve what the writer may use");
    terminal.approve();
    terminal.wait_for("sentence 1 of");
    terminal.takes_keys();
    terminal.press("e");
    terminal.wait_for("in your words; it keeps what it cites");
    terminal.press("\x01\x0bWe have run pgvector for 7 years.\r");
    terminal.wait_for("We have run pgvector for 7 years.");
    terminal.wait_for("1 changed");
    terminal.press("jm");
    terminal.wait_for("a remark, which the writer r");
    terminal.press("this is not so\r");
    terminal.wait_for("1 remark");
    terminal.press("S");
    assert!(terminal.read_until(|screen| !screen.contents().contains("1 remark")));
    // The draft comes back: without what was remarked on, and with the person's sentence as they wrote it.
    terminal.wait_for("sentence 1 of");
    terminal.wait_for("We have run pgvector for 7 years.");
    terminal.takes_keys();
    terminal.press("A");
    terminal.wait_for("3 brief");
    terminal.wait_for("Changed by you: 1 sentence.");
    terminal.takes_keys();
    terminal.press("Q");
    terminal.end_and_given_back();
    let (_, brief, _) = kit::run(crate::masthead(home.path()).args(["export", "last"]));
    assert!(brief.contains("We have run pgvector for 7 years. [1]"), "{brief}");
}

#[test]
fn a_click_at_home_selects_a_run_and_enter_takes_it_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = Terminal::at_the_checkpoint(dir.path());
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[]);
    person.wait_for("needs you");
    let contents = person.screen.screen().contents();
    let row = contents.lines().position(|line| line.contains("◆ needs you")).unwrap() + 1;
    person.press(&format!("\x1b[<0;30;{row}M\x1b[<0;30;{row}m"));
    person.wait_for("Enter open");
    person.press("\r");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("Q");
    assert!(person.end_and_given_back().success());
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
