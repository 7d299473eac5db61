//! MCP servers on the screen: a person sees the tools of one before a run may use it.

use kit::{ModelServer, ToolServer};
use serde_json::json;

use super::Terminal;

#[test]
fn home_shows_a_server_that_is_not_approved_and_begins_once_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let tools = ToolServer::new(dir.path(), "look_up", Some(true), "It is so.");
    let models = ModelServer::start(&["m"]);
    let config = dir.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    let entries = json!({ "mcpServers": { "kb": tools.entry() } });
    std::fs::write(config.join("mcp.json"), entries.to_string()).unwrap();
    std::fs::write(config.join("config.toml"), format!("[models]\nresearcher = \"mine/m\"\n{}", models.config("mine")))
        .unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut person = Terminal::start(dir.path(), &[], 40, 120, &[("PATH", &path)]);
    person.wait_for("how it goes");
    person.press("What is Qdrant?");
    person.wait_for("What is Qdrant?");
    person.press("\t");
    for _ in 0..200 {
        person.press("\x7f");
    }
    person.press("examples/vector-databases");
    person.press("\r");
    person.wait_for("it was not approved yet");
    person.wait_for("only reads");
    // Without approval the person is back at home, with the question as typed.
    person.press("\x1b");
    person.wait_for("masthead mcp approve kb");
    person.wait_for("What is Qdrant?");
    person.press("\r");
    person.wait_for("it was not approved yet");
    person.press("y");
    person.wait_for("approve what the writer may use");
    let (_, out, _) = kit::run(crate::masthead(dir.path()).arg("doctor"));
    assert!(out.contains("approved, 1 tool"), "{out}");
    person.press("q");
    person.wait_for("earlier runs");
    person.press("\x1b");
    assert!(person.end_and_given_back().success());
}
