//! A person watches models at work: their waits, their thoughts and words, and the answers that are sent back.

use std::path::Path;

use kit::ModelServer;
use kit::model_server::{Does, Order};
use kit::server::Gate;

use super::{QUESTION, Terminal};

/// A run by models of this server, as a person begins it.
fn begun(home: &Path, server: &ModelServer, question: &str) -> Terminal {
    if question != QUESTION {
        server.plan(&["Qdrant"]);
    }
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine")).unwrap();
    let models = ["planner=mine/m", "researcher=mine/m", "writer=mine/m", "reviewer=mine/m"];
    let args = ["brief", question, "--sources", "examples/vector-databases"];
    let args: Vec<&str> = args.into_iter().chain(models.iter().flat_map(|model| ["--model", *model])).collect();
    Terminal::start(home, &args, 45, 160, &[])
}

#[test]
fn a_provider_that_takes_no_more_is_waited_for_in_sight_and_then_the_run_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    server.order(Order::all(Does::Status(429, Some("15".into()))).of("researcher").times(3));
    let mut person = begun(home.path(), &server, QUESTION);
    // The header, the pane and the node each name the wait, and its length. It is long enough for all of them to be seen.
    person.wait_for("◌ 3 wait for mine, again in 0:");
    person.wait_for("◌ waits for mine: 429, again in 0:");
    person.wait_for("│ 429, again in 0:");
    person.wait_for("◌ Qdrant");
    person.wait_for("takes no more requests for now (429)");
    let nobody_works = |screen: &vt100::Screen| {
        let shown = screen.contents();
        shown.contains("◌ 3 wait") && !shown.contains("● Qdrant") && !shown.contains("● turn")
    };
    assert!(person.read_until(nobody_works), "nobody looks at work:\n{}", person.screen.screen().contents());
    person.wait_for("approve what the writer may use");
    person.takes_keys();
    person.press("1");
    person.wait_for("✓ Qdrant");
    assert!(!person.screen.screen().contents().contains('◌'), "the wait is over");
    person.press("Q");
    assert_eq!(person.end_and_given_back().code(), Some(4));
}

#[test]
fn thinking_findings_and_verdicts_are_read_as_they_come_and_raw_behind_a_key() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let (finds, checks) = (Gate::default(), Gate::default());
    let thought = "The documents speak of filters first, and of what they cost.";
    server.order(Order::all(Does::Halts(thought.into(), finds.clone())).of("researcher").after(1).times(1));
    server.order(Order::all(Does::Halts("Each sentence by itself.".into(), checks.clone())).of("reviewer").times(1));
    server.order(Order::all(Does::Rewords).of("writer"));
    let mut person = begun(home.path(), &server, "What is Qdrant?");
    // While it thinks, its thought shows, with how long and how much.
    person.wait_for("● thinks  0:");
    person.wait_for(thought);
    finds.open();
    person.wait_for("▸ thought, ");
    person.wait_for("● answers  0:");
    // Rows that have closed read as findings with their sources, though the answer has not ended.
    person.wait_for("• Qdrant is free software");
    let shown = person.screen.screen().contents();
    assert!(
        !shown.contains(thought) && !shown.contains("\"claim\""),
        "the thought folds, and nothing is raw:\n{shown}"
    );
    person.press("T");
    person.wait_for(thought);
    person.press("Tu");
    person.wait_for("\"claim\":");
    person.press("u");
    person.wait_for("• Qdrant is free software");
    finds.open();
    person.wait_for("approve what the writer may use");
    person.approve();
    person.wait_for("Each sentence by itself.");
    checks.open();
    person.wait_for("● answers  0:");
    person.wait_for("✓ 5 of 5 yes");
    checks.open();
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("Q");
    assert!(person.end_and_given_back().success());
}

#[test]
fn a_draft_that_is_sent_back_shows_on_the_graph_with_its_way_back_and_the_draft_that_is_written_now() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let gate = Gate::default();
    server.order(Order::all(Does::Vetoes).of("reviewer").times(1));
    server.order(Order::all(Does::Rewords).of("writer").times(1));
    server.order(Order::all(Does::Halts("The finding says less.".into(), gate.clone())).of("writer").times(1));
    let mut person = begun(home.path(), &server, "What is Qdrant?");
    person.wait_for("approve what the writer may use");
    person.approve();
    person.wait_for("↺ review");
    for shown in ["REVISE", "draft 2/3", "revise: ", "● writer ↺1"] {
        person.wait_for(shown);
    }
    let shown = person.screen.screen().contents();
    assert!(!shown.contains("✓ review") && !shown.lines().next().unwrap().contains("✓ done"), "{shown}");
    gate.open();
    gate.open();
    person.wait_for(" citations ─");
    person.takes_keys();
    person.press("1");
    person.wait_for("✓ review ×2");
    person.wait_for("✓ writer ↺1");
    person.press("Q");
    assert!(person.end_and_given_back().success());
}
