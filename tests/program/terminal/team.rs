//! Stories of the team page: the graph, and the panes of specialists.

use super::Terminal;

/// At the findings, with the team page in front.
fn at_the_team(data: &std::path::Path, rows: u16, cols: u16) -> Terminal {
    let mut person = Terminal::brief(data, rows, cols, &[]);
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1");
    person.wait_for("┌ graph ");
    person
}

#[test]
fn another_round_of_research_is_counted_on_its_node_and_in_its_panes_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = at_the_team(dir.path(), 45, 160);
    person.press("2");
    let (_, of) = person.wait_for_kept(|kept, of| kept == of);
    person.press("m\t\t\t\r");
    person.wait_for_kept(|_, now| now > of);
    person.takes_keys();
    person.press("1");
    person.wait_for(" +1 ");
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn a_pane_is_searched_kept_open_turned_and_its_step_copied() {
    let dir = tempfile::tempdir().unwrap();
    let mut person = at_the_team(dir.path(), 45, 160);
    person.press("v\x1b[B");
    person.wait_for("you: findings  on the critical path");
    person.press("\x1b[A\x1b[A");
    person.wait_for("└ Qdrant  ");
    person.press("vv");
    person.press(",");
    person.wait_for("researcher · Qdrant  pinned");
    person.press("/nowhere to be found\r");
    person.wait_for("nowhere ");
    person.press("\x1b");
    person.wait_until_gone("nowhere ");
    person.press("kk");
    person.press("y");
    person.wait_for("is on the clipboard");
    person.press("e");
    person.wait_for("handoff in");
    person.press("e");
    person.wait_for("report out");
    person.press("e");
    person.wait_for("calls");
    person.press("Q");
    person.end_and_given_back();
}

#[test]
fn questions_that_begin_alike_are_told_apart_where_there_is_little_room() {
    let dir = tempfile::tempdir().unwrap();
    let questions: Vec<String> = ["pgvector", "Qdrant", "Pinecone"]
        .iter()
        .flat_map(|thing| ["backups", "filters"].map(|what| format!("- How does {thing} handle its {what}?")))
        .collect();
    let question = questions.join("\n");
    let args = ["brief", &question, "--sources", "examples/vector-databases"];
    let mut person = Terminal::start(dir.path(), &args, 24, 80, &[]);
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1");
    person.wait_for("…Qdrant");
    let shown = person.screen.screen().contents();
    assert!(shown.contains("researcher · …"), "so do its pane's name:\n{shown}");
    person.press("Q");
    person.end_and_given_back();
}
