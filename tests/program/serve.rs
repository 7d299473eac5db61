//! Another agent asks for a brief by MCP; a person approves.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use kit::model_server::{Does, Order};
use kit::{ModelServer, TimeLimit, example, run, until};
use serde_json::{Value, json};

/// A client of a server at work.
struct Client {
    child: Child,
    input: ChildStdin,
    output: std::io::Lines<BufReader<ChildStdout>>,
    next: u64,
    _limit: TimeLimit,
}

impl Client {
    fn start(home: &Path, more: &[&str]) -> Client {
        Client::thinking(home, &[&["--extractive"], more].concat())
    }

    /// The same, with models if these arguments name any.
    fn thinking(home: &Path, more: &[&str]) -> Client {
        let mut command = crate::masthead(home);
        command.args(["serve", "--mcp", "--sources"]).arg(example("vector-databases")).args(more);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let _limit = TimeLimit::of(&child);
        Client { child, input, output: BufReader::new(output).lines(), next: 1, _limit }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let line = self.output.next().expect("an answer").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The answer of a tool; or the reason why there is none.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        match result["isError"] == true {
            true => Err(text),
            false => {
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), result["structuredContent"]);
                Ok(result["structuredContent"].clone())
            }
        }
    }

    fn brief(&mut self, more: Value) -> Result<Value, String> {
        let mut asked = json!({ "question": "What is pgvector?", "wait_seconds": 600 });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call("brief", asked)
    }

    /// The client goes; the exit code.
    fn ends(mut self) -> i32 {
        drop(self.input);
        assert!(self.output.next().is_none(), "nothing is said after the end");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

#[test]
fn an_agent_asks_for_a_brief_and_a_person_approves_it() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    let began = client.brief(json!({})).unwrap();
    let id = began["run"].as_str().or(began["id"].as_str()).unwrap_or_else(|| panic!("{began}")).to_owned();
    assert!(began["brief"].is_null() && began["next"].as_str().unwrap().contains("waits for a person"), "{began}");
    let findings = client.call("findings", json!({ "run": id })).unwrap();
    assert!(!findings["findings"].as_array().unwrap().is_empty(), "{findings}");
    let why = client.call("approve", json!({ "run": id })).unwrap_err();
    assert!(why.contains(&format!("masthead resume {id}")) && why.contains("No agent can approve it"), "{why}");
    assert!(client.call("run", json!({ "run": id })).unwrap()["brief"].is_null(), "it still waits");
    let (code, out, err) = run(crate::masthead(home.path()).args(["resume", &id, "--headless", "--yes"]));
    assert_eq!(code, 0, "{out}{err}");
    let done = client.call("run", json!({ "run": id })).unwrap();
    assert!(done["brief"].as_str().unwrap().contains("pgvector") && done["next"] == "it is done", "{done}");
    assert_eq!(client.call("runs", json!({})).unwrap()["runs"].as_array().unwrap().len(), 1);
    assert_eq!(client.ends(), 0);
}

#[test]
fn an_agent_approves_only_where_the_person_has_switched_that_on() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &["--let-agents-approve"]);
    let began = client.brief(json!({})).unwrap();
    assert!(began["next"].as_str().unwrap().contains("waits for a person"), "{began}");
    client.call("approve", json!({ "run": "last" })).unwrap();
    let done = client.call("run", json!({ "run": "last", "wait_seconds": 600 })).unwrap();
    assert!(done["brief"].as_str().unwrap().contains("pgvector"), "{done}");
    assert!(client.call("approve", json!({ "run": "last" })).unwrap_err().contains("has ended"));
    let (_, dumped, _) = run(crate::masthead(home.path()).args(["journal", "dump", "last"]));
    assert!(dumped.contains("\"by\":\"policy\""), "no person is said to have approved: {dumped}");
    assert_eq!(client.ends(), 0);
}

#[test]
fn an_agent_can_ask_for_less_than_the_person_allows_and_for_no_more() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &["--max-tokens", "50000"]);
    let outside = client.brief(json!({ "sources": ["/etc"] })).unwrap_err();
    assert!(outside.contains("not among what this server may search"), "{outside}");
    let sneaky = format!("{}/../../src", example("vector-databases").display());
    assert!(client.brief(json!({ "sources": [sneaky] })).is_err());
    for wrong in [
        json!({ "words": 7 }),
        json!({ "yes": true }),
        json!({ "max_cost": "much" }),
        json!({ "max_cost": 1 }),
        json!({ "max_tokens": 0 }),
        json!({ "question": 7 }),
    ] {
        assert!(client.brief(wrong.clone()).is_err(), "{wrong}");
    }
    let caps = |began: Value, kind: &str| {
        let taken = began["taken"].as_array().unwrap_or_else(|| panic!("{began}")).clone();
        taken.iter().find(|taken| taken["kind"] == kind).unwrap_or_else(|| panic!("{taken:?}"))["cap"].clone()
    };
    assert_eq!(caps(client.brief(json!({ "max_tokens": 900_000 })).unwrap(), "tokens"), 50_000);
    assert_eq!(caps(client.brief(json!({ "max_tokens": 40_000 })).unwrap(), "tokens"), 40_000);
    assert_eq!(caps(client.brief(json!({ "max_cost": "0.50" })).unwrap(), "money"), 500_000_000_000_u64);
    assert_eq!(client.ends(), 0);
    for (set, most) in [("", 1_000_000_000_000_u64), ("max_cost = \"0.20\"\n", 200_000_000_000)] {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/masthead");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), set).unwrap();
        let mut client = Client::start(home.path(), &[]);
        assert_eq!(caps(client.brief(json!({ "max_cost": "99" })).unwrap(), "money"), most, "{set}");
        assert_eq!(client.ends(), 0);
    }
}

#[test]
fn an_agent_approves_no_run_that_may_cost_more_than_the_agent_may_spend() {
    let home = tempfile::tempdir().unwrap();
    let mut brief = crate::masthead(home.path());
    brief.args(["brief", "What does pgvector cost?", "--extractive", "--headless", "--max-cost", "5", "--sources"]);
    let (code, out, err) = run(brief.arg(example("vector-databases")));
    assert_eq!(code, 4, "it waits for a person: {out}{err}");
    let mut client = Client::start(home.path(), &["--let-agents-approve", "--max-cost", "0.01"]);
    let why = client.call("approve", json!({ "run": "last" })).unwrap_err();
    assert!(why.contains("may cost $5.00") && why.contains("masthead resume"), "{why}");
    assert_eq!(client.ends(), 0);
}

#[test]
fn an_agent_approves_no_run_that_may_use_more_tokens_than_the_agent_may() {
    let home = tempfile::tempdir().unwrap();
    let mut brief = crate::masthead(home.path());
    brief.args(["brief", "What does pgvector cost?", "--extractive", "--headless", "--sources"]);
    let (code, out, err) = run(brief.arg(example("vector-databases")).args(["--max-cost", "0.01"]));
    assert_eq!(code, 4, "it waits for a person: {out}{err}");
    let mut client = Client::start(home.path(), &["--let-agents-approve", "--max-tokens", "50000"]);
    let why = client.call("approve", json!({ "run": "last" })).unwrap_err();
    assert!(why.contains("may use any number of tokens") && why.contains("masthead resume"), "{why}");
    let own = client.brief(json!({})).unwrap()["id"].clone();
    client.call("approve", json!({ "run": own })).unwrap();
    assert_eq!(client.ends(), 0);
}

/// A home whose model never ends its answers, and the model's server.
fn stalled() -> (tempfile::TempDir, ModelServer) {
    let (home, models) = (tempfile::tempdir().unwrap(), ModelServer::start(&["m"]));
    models.order(Order::all(Does::Stalls));
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), models.config("mine")).unwrap();
    (home, models)
}

/// Waits until the model is asked.
fn asked(models: &ModelServer) {
    until("the model is asked", || !models.asked().is_empty());
}

#[test]
fn a_cancelled_brief_gets_no_answer_and_its_run_stops_where_it_stands() {
    let (home, models) = stalled();
    let mut client = Client::thinking(home.path(), &["--model", "mine/m"]);
    let arguments = json!({ "question": "What is pgvector?", "wait_seconds": 600 });
    let call = json!({ "jsonrpc": "2.0", "id": "fifty", "method": "tools/call",
                       "params": { "name": "brief", "arguments": arguments } });
    client.send(&call.to_string());
    asked(&models);
    for id in [json!(7), json!("fifty")] {
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        client.send(&cancelled.to_string());
    }
    // The next answer is that of the next request.
    let stopped = client.call("run", json!({ "run": "last", "wait_seconds": 600 })).unwrap();
    assert!(stopped["active"] == false && stopped["brief"].is_null(), "{stopped}");
    assert!(stopped["next"].as_str().unwrap().contains("masthead resume"), "{stopped}");
    assert_eq!(client.ends(), 0);
}

#[test]
fn a_cancelled_wait_ends_and_the_run_that_it_waited_for_goes_on() {
    let (home, models) = stalled();
    let mut client = Client::thinking(home.path(), &["--model", "mine/m"]);
    client.brief(json!({ "wait_seconds": 0 })).unwrap();
    asked(&models);
    let waits = json!({ "jsonrpc": "2.0", "id": 50, "method": "tools/call",
                        "params": { "name": "run", "arguments": { "run": "last", "wait_seconds": 600 } } });
    client.send(&waits.to_string());
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}"#);
    assert_eq!(client.call("run", json!({ "run": "last" })).unwrap()["active"], true);
    assert_eq!(client.ends(), 0);
}

#[test]
fn an_agent_stops_a_run_that_it_has_begun() {
    let (home, models) = stalled();
    let mut client = Client::thinking(home.path(), &["--model", "mine/m"]);
    let id = client.brief(json!({ "wait_seconds": 0 })).unwrap()["id"].clone();
    asked(&models);
    let stopped = client.call("stop", json!({ "run": id })).unwrap();
    assert!(stopped["active"] == false && stopped["next"].as_str().unwrap().contains("masthead resume"), "{stopped}");
    assert_eq!(client.call("stop", json!({ "run": id })).unwrap()["active"], false, "it has stopped already");
    assert_eq!(client.ends(), 0);
}

#[test]
fn a_question_as_long_as_a_file_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    let log = "error: the connection was reset\n".repeat(10_000);
    let why = client.call("brief", json!({ "question": format!("Why does this fail?\n{log}") })).unwrap_err();
    assert!(why.contains("longer than 256 KiB") && why.contains("--sources"), "{why}");
    assert_eq!(client.ends(), 0);
}

#[test]
fn a_field_that_a_tool_does_not_have_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.brief(json!({})).unwrap();
    for tool in ["findings", "approve", "stop"] {
        let why = client.call(tool, json!({ "run": "last", "wait_seconds": 1 })).unwrap_err();
        assert!(why.contains("wait_seconds"), "{tool}: {why}");
    }
    client.call("run", json!({ "run": "last", "wait_seconds": 1 })).unwrap();
    assert_eq!(client.ends(), 0);
}

#[test]
fn a_brief_that_is_not_waited_for_is_told_at_once() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    client.brief(json!({})).unwrap();
    let began = client.brief(json!({ "wait_seconds": 0 })).unwrap();
    assert!(began["next"].is_string() && began["brief"].is_null(), "{began}");
    assert_eq!(client.ends(), 0);
}

#[test]
fn an_agent_sees_and_approves_no_run_on_other_sources() {
    let home = tempfile::tempdir().unwrap();
    let other = home.path().join("diary");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("note.md"), "A secret is kept in the diary for ten years.").unwrap();
    let mut brief = crate::masthead(home.path());
    brief.args(["brief", "What is kept in the diary?", "--extractive", "--headless", "--sources"]).arg(&other);
    let (code, out, err) = run(&mut brief);
    assert_eq!(code, 4, "it waits for a person: {out}{err}");
    let (_, listed, _) = run(crate::masthead(home.path()).args(["runs", "--json"]));
    let parked: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let parked = parked["id"].as_str().unwrap_or_else(|| panic!("{listed}")).to_owned();

    let mut client = Client::start(home.path(), &["--let-agents-approve"]);
    let own = client.brief(json!({})).unwrap()["id"].clone();
    for tool in ["run", "findings", "approve"] {
        let why = client.call(tool, json!({ "run": parked })).unwrap_err();
        assert!(why.contains("there is no run"), "{tool}: {why}");
    }
    let seen = client.call("runs", json!({})).unwrap();
    let seen: Vec<&Value> = seen["runs"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!(seen, [&own]);
    assert_eq!(client.ends(), 0);
}

#[test]
fn standard_output_carries_messages_alone_whatever_comes_in() {
    let home = tempfile::tempdir().unwrap();
    let mut client = Client::start(home.path(), &[]);
    for (version, agreed) in [("2024-11-05", "2024-11-05"), ("2031-01-01", "2025-06-18")] {
        let answer = client.ask("initialize", json!({ "protocolVersion": version, "capabilities": {} }));
        assert_eq!(answer["result"]["protocolVersion"], agreed);
    }
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools = client.ask("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["brief", "runs", "run", "findings", "approve", "stop"]);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(client.ask("server/discover", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({ "name": "shell" }))["error"]["code"], -32602);
    assert!(client.call("run", json!({ "run": "nowhere" })).is_err());
    for (line, code) in [("{", -32700), ("7", -32600), (r#"{"id":1}"#, -32600), (&"x".repeat(3 << 20), -32700)] {
        client.send(line);
        assert_eq!(client.hear()["error"]["code"], code, "{:.20}", line);
    }
    client.send("");
    client.send(r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":8,"result":{}}]"#);
    assert_eq!(client.hear()["id"], "a");
    assert_eq!(client.ends(), 0);
}
