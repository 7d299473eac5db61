//! Traces that come in while a person looks on: the first opens by itself, several are a list.

use super::Terminal;
use crate::listen::{send, span};

#[test]
fn the_first_trace_opens_by_itself_and_goes_on_live_and_of_two_there_is_a_list() {
    for (rows, cols) in [(40, 120), (24, 80)] {
        let dir = tempfile::tempdir().unwrap();
        let mut person = Terminal::start(dir.path(), &["open", "--listen", "127.0.0.1:0"], rows, cols, &[]);
        person.wait_for("no trace has come yet");
        person.wait_for("? help");
        let words = person.screen.screen().contents();
        let address =
            words.split("OTEL_EXPORTER_OTLP_ENDPOINT=http://").nth(1).unwrap().split_whitespace().next().unwrap();
        assert!(words.contains(&format!("listening on {address}")), "{words}");
        assert!(!words.contains("editor"), "there is no text to read: {words}");
        // A call has ended: the agent that made it is at work, and has no name yet.
        send(address, &span(1, 3, Some(2), "chat", ""));
        person.wait_for("● running");
        person.wait_for("shop");
        send(address, &span(1, 2, Some(1), "invoke_agent", "reader"));
        person.wait_for("reader");
        send(address, &span(2, 7, Some(6), "chat", ""));
        person.wait_for("a new trace has arrived");
        person.press("q");
        person.wait_for("2 of 2 at work");
        person.wait_for("Question 2?");
        send(address, &span(1, 1, None, "invoke_agent", "lead"));
        person.wait_for("✓ done");
        person.wait_for("1 of 2 at work");
        // The one that was looked at is still selected, though another began after it.
        person.press("\r");
        person.wait_for("lead");
        person.press("q");
        person.wait_for("1 of 2 at work");
        person.press("k\r");
        person.wait_for("● running");
        send(address, &span(2, 6, None, "invoke_agent", "second"));
        person.wait_for("✓ done");
        person.press("Q");
        assert!(person.end_and_given_back().success());
    }
}

#[test]
fn the_brief_of_a_run_of_another_program_is_said_to_be_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    let sample = "tests/import/samples/claude-code";
    let mut person = Terminal::start(dir.path(), &["open", sample], 40, 120, &[]);
    person.wait_for("? help");
    person.press("3");
    person.wait_for("this run is of another program, and has no brief");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}
