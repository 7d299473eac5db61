//! The person's own editor and pager have the terminal for a while: their text is taken as if it had been typed, the screen is back
//! afterwards, and the run does not wait.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kit::until;

use super::{Pid, QUESTION, Signal, Terminal};

/// Opens the text in front in the person's editor or pager.
const OPEN: &str = "\x0f";
/// A key of a provider.
const CANARY: &str = "sk-canary-for-no-child";

/// A script that keeps its input and its environment, and then runs the test's commands.
struct Script {
    home: PathBuf,
    path: String,
}

impl Script {
    fn below(home: &Path) -> Script {
        let path = home.join("my editor.sh");
        let script = "#!/bin/sh\n\
                      env >\"$HOME/environment\"\n\
                      if [ -n \"$1\" ]; then cat \"$1\" >\"$HOME/given\"; else cat >\"$HOME/given\"; fi\n\
                      . \"$HOME/does\"\n";
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        let script = Script { home: home.to_owned(), path: format!("'{}'", path.display()) };
        script.does(":");
        script
    }

    /// Its commands of the next time; `$1` is the file.
    fn does(&self, commands: &str) {
        fs::write(self.home.join("does"), commands).unwrap();
    }

    fn given(&self) -> String {
        fs::read_to_string(self.home.join("given")).unwrap()
    }

    fn start(&self, more: &[&str]) -> Terminal {
        let brief = ["brief", QUESTION, "--sources", "examples/vector-databases", "--extractive"];
        let env = [
            ("PATH", "/usr/bin:/bin"),
            ("EDITOR", &*self.path),
            ("PAGER", &*self.path),
            ("ANTHROPIC_API_KEY", CANARY),
            ("TMPDIR", &*self.home.to_string_lossy()),
        ];
        Terminal::start(&self.home, &[&brief[..], more].concat(), 40, 120, &env)
    }

    /// The private folders that are left.
    fn left(&self) -> usize {
        let names = fs::read_dir(&self.home).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("masthead-")).count()
    }
}

#[test]
fn a_payload_is_changed_in_the_persons_editor_which_sees_no_key() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&["--break", "handoff:researcher"]);
    terminal.wait_for("nothing has crossed");
    terminal.takes_keys();
    editor.does("sed -i 's/\"question\": .*,/\"question\": \"What does pgvector cost?\",/' \"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("changed by you");
    terminal.wait_for("as it stood");
    assert!(editor.given().contains(&format!("\"question\": \"{QUESTION}\"")), "{}", editor.given());
    let environment = fs::read_to_string(home.path().join("environment")).unwrap();
    assert!(environment.contains("TERM=xterm-256color") && !environment.contains(CANARY), "{environment}");
    assert_eq!(editor.left(), 0);
    // Taken back as any change.
    terminal.press("u");
    terminal.wait_until_gone("changed by you");
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn an_edit_that_breaks_the_contract_stays_to_be_mended_and_its_line_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&["--break", "handoff:researcher"]);
    terminal.wait_for("nothing has crossed");
    terminal.takes_keys();
    editor.does("printf '{\\n  \"note\": [\"mine\"]\\n  \"question\": 1\\n}\\n' >\"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("line 3, `\"question\": 1`: expected");
    terminal.wait_for("\"note\": [\"mine\"]");
    // It goes on with the written text, not with the standing one.
    editor.does("printf '{\\n  \"questoin\": \"Why?\"\\n}' >\"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("\"questoin\"");
    assert!(editor.given().contains("\"note\": [\"mine\"]"), "{}", editor.given());
    terminal.press("\r");
    terminal.wait_for("line 2, `\"questoin\": \"Why?\"`: no payload has such a part");
    editor.does("printf '{\"notes\": [\"mine\"]}' >\"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("\"notes\"");
    terminal.press("\r");
    terminal.wait_for("the payload has no `question`");
    terminal.wait_for("{\"notes\": [\"mine\"]}");
    terminal.press("\x1b");
    terminal.wait_for("send on");
    let screen = terminal.screen.screen().contents();
    assert!(!screen.contains("changed by you"), "{screen}");
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn an_editor_that_is_missing_fails_or_is_interrupted_says_so_and_the_words_stay() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&[]);
    terminal.wait_for("approve what the writer may use");
    terminal.takes_keys();
    terminal.press("a");
    terminal.wait_for("add a fact of your own");
    terminal.press("Half a fact");
    terminal.wait_for("Half a fact");
    editor.does("echo 'not this' >\"$1\"; exit 3");
    terminal.press(OPEN);
    terminal.wait_for("my editor.sh ended with exit status: 3; what you had stays as it was");
    terminal.wait_for("Half a fact");
    // Keys are the editor's meanwhile, Ctrl-C too.
    editor.does("echo 'it is open'; exec sleep 600");
    terminal.press(OPEN);
    terminal.wait_for("it is open");
    terminal.press("Q\x03");
    terminal.wait_for("ended with signal: 2 (SIGINT); what you had stays");
    terminal.wait_for("Half a fact");
    editor.does("printf ', and\\n\\nthe rest' >>\"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("Half a fact , and");
    terminal.press("\x1b");
    terminal.wait_until_gone("Half a fact");
    fs::remove_file(home.path().join("my editor.sh")).unwrap();
    terminal.press("a");
    terminal.wait_for("add a fact of your own");
    terminal.press(OPEN);
    terminal.wait_for("($EDITOR) cannot be started: there is no such program");
    assert_eq!(editor.left(), 1, "what was saved before the failure, and nothing else");
    terminal.press("\x1b");
    terminal.wait_for("A approve");
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn a_pager_shows_what_is_open_and_the_screen_is_back_after_it() {
    let home = tempfile::tempdir().unwrap();
    let pager = Script::below(home.path());
    let mut terminal = pager.start(&["--break", "handoff:researcher"]);
    terminal.wait_for("nothing has crossed");
    terminal.takes_keys();
    pager.does("echo 'the pager is open'; read key </dev/tty");
    terminal.press("1i\r");
    terminal.wait_for("handoff #");
    terminal.press(OPEN);
    terminal.wait_for("the pager is open");
    let text = pager.given();
    assert!(text.contains("\"payload\"") && text.contains("pgvector"), "{text}");
    let screen = terminal.screen.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor(), "the pager has the terminal");
    // Keys are the pager's: they stop no run and leave none.
    terminal.press("xQ\r");
    terminal.wait_for("handoff #");
    let screen = terminal.screen.screen();
    assert!(screen.alternate_screen() && !screen.contents().contains("the pager is open"));
    assert_eq!(pager.left(), 0);
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn the_run_goes_on_while_the_editor_is_open_and_words_that_come_too_late_are_kept() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&["--break", "handoff:researcher"]);
    terminal.wait_for("nothing has crossed");
    terminal.press(":clear all\r");
    terminal.takes_keys();
    editor.does("echo 'it is open'; read key </dev/tty; echo '{}' >\"$1\"");
    // Sent on, and opened before that has come to anything.
    terminal.press(&format!("A{OPEN}"));
    terminal.wait_for("it is open");
    let is_put = || {
        let (_, events, _) = kit::run(crate::masthead(home.path()).args(["journal", "dump", "last"]));
        events.lines().any(|event| event.contains("checkpoint_opened") && event.contains("\"subject\":{\"findings\""))
    };
    until("the run goes on while the editor is open", is_put);
    terminal.press("\r");
    terminal.wait_for("what you wrote is not asked for any more; it is on the clipboard");
    terminal.wait_for("approve what the writer may use");
    terminal.takes_keys();
    terminal.press("Q");
    terminal.end_and_given_back();
}

#[test]
fn a_program_that_is_told_to_end_ends_its_editor_first() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&[]);
    terminal.wait_for("approve what the writer may use");
    terminal.takes_keys();
    editor.does("echo \"it is $$.\"; exec sleep 600");
    terminal.press(OPEN);
    terminal.wait_for("it is ");
    assert!(terminal.read_until(|screen| screen.contents().trim_end().ends_with('.')));
    let screen = terminal.screen.screen().contents();
    let pid: i32 = screen.split("it is ").nth(1).unwrap().split('.').next().unwrap().parse().unwrap();
    terminal.signal(Signal::TERM);
    terminal.end_and_given_back();
    assert!(rustix::process::test_kill_process(Pid::from_raw(pid).unwrap()).is_err(), "the editor goes on");
    assert_eq!(editor.left(), 0);
}

#[test]
fn a_draft_is_changed_in_the_persons_editor_sentence_by_sentence() {
    let home = tempfile::tempdir().unwrap();
    let editor = Script::below(home.path());
    let mut terminal = editor.start(&["--check-draft"]);
    terminal.wait_for("approve what the writer may use");
    terminal.approve();
    terminal.wait_for("sentence 1 of");
    terminal.takes_keys();
    editor.does("sed -i -e 's/^1  .*/1  My own first sentence./' -e '/^2  /d' -e 's/^3  /99  /' \"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("the draft has");
    editor.does("sed -i 's/^99  /3  /' \"$1\"; echo '# mended' >>\"$1\"");
    terminal.press(OPEN);
    terminal.wait_for("# mended");
    terminal.press("\r");
    terminal.wait_for("2 changed");
    terminal.wait_for("My own first sentence.");
    terminal.press("A");
    terminal.wait_for(" citations ─");
    terminal.takes_keys();
    terminal.press("Q");
    terminal.end_and_given_back();
}
