//! Stories of the home screen: asking, the earlier runs, and the list of watched runs.

use std::path::Path;

use rustix::process::Signal;

use super::Terminal;

/// At home again, with the example's run waiting at its findings.
fn home_again_after_the_example(data: &Path) -> Terminal {
    let mut person = Terminal::start(data, &[], 40, 120, &[]);
    person.wait_for("try the example");
    person.press("\x1bOQ");
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("q");
    person.wait_for("earlier runs");
    person
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
        let begun = |words: &str| words.contains("approve what the writer") || words.contains("arrived with a paste");
        assert!(person.read_until(|screen| begun(&screen.contents())));
        person.press("\x1b[D");
        person.wait_until_gone("arrived with a paste");
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
    // A question that was typed and not asked stands there the next time.
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
    let mut person = home_again_after_the_example(dir.path());
    person.press("\t\x15nowhere/at/all\t");
    person.wait_for("cannot read the source nowhere/at/all");
    person.press("\x15examples/vec\t");
    person.wait_for("15 documents, 288 passages");
    person.press("\x1b[Z\x1b[Z/self-hosted");
    person.wait_for("/self-hosted  1 of 1");
    person.press("\r");
    // The help performs its line.
    person.press("?");
    person.wait_for("goes back");
    person.press("/replay the run");
    person.wait_for("1 found");
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
    let mut person = home_again_after_the_example(dir.path());
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
    assert!(code == 0 && out.starts_with("sound: 1 run, "), "{out}");
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
fn home_shows_a_run_that_began_elsewhere_once_the_person_comes_back_to_its_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut home = home_again_after_the_example(dir.path());
    home.wait_for("◆ needs you");
    let sources = ["--sources", "examples/vector-databases", "--headless", "--yes"];
    let (code, _, said) = kit::run(crate::masthead(dir.path()).args(["brief", "What is Qdrant?"]).args(sources));
    assert_eq!(code, 0, "{said}");
    home.press("\x1b[O\x1b[I");
    home.wait_for("What is Qdrant?");
    home.wait_for("✓ done");
    home.press("\x03\x03");
    home.end_and_given_back();
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
