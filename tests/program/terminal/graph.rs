//! Stories of the graph while models work: places that stand still, moving marks, and tasks that wait for others.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use kit::ModelServer;
use kit::model_server::{Does, Order};
use kit::server::Gate;

use super::{QUESTION, Terminal};

/// The nodes whose places are compared.
const NODES: [&str; 7] = ["supervisor", "planner", "pgvector", "Qdrant", "merger", "you: findings", "writer"];

/// A run whose researchers think until the gate is opened, on a screen of 160 by 45.
fn thinking(home: &Path, server: &ModelServer, gate: &Gate, more: &[&str]) -> Terminal {
    server.plan(&["pgvector", "Qdrant", "Pinecone"]);
    server.order(Order::all(Does::Halts("First the limits.".into(), gate.clone())).of("researcher").times(1));
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine")).unwrap();
    let args = ["brief", QUESTION, "--sources", "examples/vector-databases", "--model", "mine/m"];
    Terminal::start(home, &[&args, more].concat(), 45, 160, &[])
}

/// The rows of the graph, at the left of the screen.
fn graph(screen: &vt100::Screen) -> Vec<String> {
    screen.contents().lines().map(|row| row.chars().take(76).collect()).collect()
}

/// The places of node names in the graph: row and column of each.
fn places(screen: &vt100::Screen) -> Vec<Option<(usize, usize)>> {
    let rows = graph(screen);
    let place = |name: &&str| {
        let row = rows.iter().position(|row| row.contains('╭') && row.contains(*name))?;
        Some((row, rows[row].find(*name)?))
    };
    NODES.iter().map(place).collect()
}

/// Whether the mark of the researcher at work is dim; none while no box shows one at work.
fn is_dim(screen: &vt100::Screen) -> Option<bool> {
    let (rows, cols) = screen.size();
    let mut cells = (0..rows.get()).flat_map(|row| (0..cols.get()).map(move |col| (row, col)));
    let is_mark = |(row, col): &(u16, u16)| {
        let after = |n: u16| screen.cell(*row, col + n).map_or("", vt100::Cell::contents);
        let named: String = (0..12).map(after).map(|cell| if cell.is_empty() { " " } else { cell }).collect();
        ["● pgvector ─", "● Qdrant ─", "● Qdrant ┴", "● Pinecone ─"].iter().any(|mark| named.starts_with(mark))
    };
    let (row, col) = cells.find(is_mark)?;
    Some(screen.cell(row, col)?.dim())
}

/// The time for which the researcher has thought, as its pane tells it.
fn seconds_of_thought(shown: &str) -> Option<u32> {
    let (minutes, seconds) = shown.split("● thinks").nth(1)?.split_whitespace().next()?.split_once(':')?;
    Some(60 * minutes.parse::<u32>().ok()? + seconds.parse::<u32>().ok()?)
}

#[test]
fn boxes_stand_still_while_work_goes_on_marks_pulse_and_what_crosses_lights_its_edge() {
    let home = tempfile::tempdir().unwrap();
    let (server, gate) = (ModelServer::start(&["m"]), Gate::default());
    let mut person = thinking(home.path(), &server, &gate, &[]);
    person.wait_for("▾ ");
    person.wait_for("● thinks");
    let is_whole = |screen: &vt100::Screen| places(screen).iter().all(Option::is_some);
    assert!(person.read_until(is_whole), "{}", person.screen.screen().contents());
    let before = places(person.screen.screen());
    for wanted in [true, false, true] {
        assert!(person.read_until(|screen| is_dim(screen) == Some(wanted)), "the mark does not pulse");
    }
    gate.open();
    gate.open();
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1");
    person.wait_for("◆ you: findings");
    assert!(person.read_until(|screen| places(screen) == before), "{}", person.screen.screen().contents());
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
}

#[test]
fn without_motion_no_mark_pulses_and_no_edge_is_lit_while_the_clock_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let (server, gate) = (ModelServer::start(&["m"]), Gate::default());
    let mut person = thinking(home.path(), &server, &gate, &["--no-motion"]);
    let moved = RefCell::new(BTreeSet::new());
    let still = |screen: &vt100::Screen| {
        if is_dim(screen) == Some(true) {
            moved.borrow_mut().insert("a mark");
        }
        let rows = graph(screen);
        if rows.iter().any(|row| row.contains("┌ graph")) && rows.iter().any(|row| row.contains("▾ ")) {
            moved.borrow_mut().insert("an edge");
        }
        screen.contents()
    };
    // Not one second: a busy machine may skip it.
    let has_thought = |shown: &str| seconds_of_thought(shown).is_some_and(|seconds| seconds >= 3);
    assert!(person.read_until(|screen| has_thought(&still(screen))), "{}", person.screen.screen().contents());
    gate.open();
    gate.open();
    assert!(person.read_until(|screen| still(screen).contains("approve what the writer may use")));
    assert_eq!(moved.into_inner(), BTreeSet::new());
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
}

#[test]
fn a_task_that_waits_for_another_stands_below_it_says_so_and_begins_after_it() {
    let home = tempfile::tempdir().unwrap();
    let (server, gate) = (ModelServer::start(&["m"]), Gate::default());
    server.plan_in_turn();
    let mut person = thinking(home.path(), &server, &gate, &[]);
    person.wait_for("● pgvector");
    person.wait_for("after pgvector");
    person.wait_for("after Qdrant");
    assert!(person.read_until(|screen| places(screen).iter().all(Option::is_some)));
    let before = places(person.screen.screen());
    assert!(before[2].map(|(row, _)| row) < before[3].map(|(row, _)| row), "{}", person.screen.screen().contents());
    gate.open();
    gate.open();
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1");
    person.wait_for("✓ Pinecone");
    assert!(person.read_until(|screen| places(screen) == before), "{}", person.screen.screen().contents());
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
}
