//! A team against one agent, with the real binary and a model server that does all roles well.

use kit::ModelServer;
use kit::model_server::{Does, Order};

use crate::modelled::masthead;

const ASK: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

#[test]
fn one_agent_searches_and_writes_in_one_context_and_its_brief_is_checked_as_any_other() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["one"]);
    let args = ["brief", ASK, "--team", "alone", "--model", "mine/one", "--headless", "--yes"];
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    assert!(server.asked().iter().all(|question| question.role == "agent"), "{out}");
    let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
    for part in ["## pgvector", "## Qdrant", "## Pinecone", "[1]", "## Sources"] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    let (_, dump, _) = masthead_only(home.path(), &["journal", "dump", "last"]);
    let asked: Vec<&str> = dump.lines().filter(|line| line.contains("\"event\":\"model_called\"")).collect();
    assert!(asked.len() >= 3, "{dump}");
    let again = asked.iter().filter(|line| line.contains("\"afresh\":true")).count();
    assert!(again <= 1, "it is one context: {asked:?}");
}

#[test]
fn one_agent_without_a_model_is_said_to_need_one() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["--team", "alone"][..], &["--compare"]] {
        let args: Vec<&str> = ["brief", ASK, "--headless", "--yes"].iter().chain(args).copied().collect();
        let (code, out, err) = masthead(home.path(), "", &args);
        assert_eq!(code, 2, "{out}{err}");
        assert!(err.contains("--model PROVIDER/MODEL"), "{err}");
    }
}

#[test]
fn one_agent_whose_model_fails_is_not_left_to_rules_that_there_are_not() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["one"]);
    server.order(Order::all(Does::Status(404, None)));
    let args = ["brief", ASK, "--team", "alone", "--model", "mine/one", "--headless", "--yes"];
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 1, "{out}{err}");
    let said = format!("{out}{err}");
    assert!(said.contains("What becomes of “the question”?") && said.contains("has no model `one`"), "{said}");
    assert!(!said.contains("there is no specialist") && !said.contains("fell back"), "{said}");
}

#[test]
fn a_team_is_held_against_one_agent_with_the_same_model_and_both_are_measured() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["one"]);
    let args = ["brief", ASK, "--compare", "--model", "mine/one", "--headless", "--yes"];
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    for role in ["agent", "planner", "researcher", "writer"] {
        assert!(server.asked().iter().any(|question| question.role == role), "{role}: {out}");
    }
    assert!(err.contains("one agent (run ") && err.contains("the team (run "), "{err}");
    let report = out.rsplit_once("\nmeasured\n").unwrap_or_else(|| panic!("nothing measured: {out}")).1;
    for measure in ["answered of what the question names", "sentences that cite a passage", "fullest context"] {
        let line = report.lines().find(|line| line.contains(measure)).unwrap_or_else(|| panic!("{measure}: {report}"));
        assert!(line.contains('<') && line.contains('>'), "{line}");
    }
    let answered = report.lines().find(|line| line.contains("answered of what")).unwrap();
    assert!(!answered.contains("names nothing"), "the question names three things: {answered}");
    let cited = report.lines().find(|line| line.contains("sentences that cite")).unwrap();
    assert!(!cited.contains(" 0 of"), "both have a brief: {cited}");
}

fn masthead_only(home: &std::path::Path, args: &[&str]) -> (i32, String, String) {
    kit::run(crate::masthead(home).args(args))
}
