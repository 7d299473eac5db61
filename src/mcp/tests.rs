//! Servers that behave, and servers that do not: scripts over real pipes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use documents::reader::Readers;
use kit::tool_server::{ToolServer, described};
use run::tool::CleanJson;
use run::{ToolCall, ToolResult};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::error::Elapsed;
use tool::process_group::ProcessGroups;
use tool::{Registry, ToolError};

use super::*;

/// The wait for something that a good program does at once.
const PATIENCE: Duration = Duration::from_secs(60);

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A server that is written into the file, with more keys in its entry.
fn setting(home: &Path, server: &ToolServer, more: Value) -> Setting {
    let mut entry = server.entry();
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    std::fs::write(path(home), json!({ "mcpServers": { "kb": entry } }).to_string()).unwrap();
    load(home, &|name| (name == "KB_TOKEN").then(|| "canary-of-a-token".into())).unwrap().remove(0)
}

/// No more keys: a good server is waited for as long as usual.
fn usual() -> Value {
    json!({})
}

/// The listing of a good server when it is looked at after a change.
fn looked(change: impl FnOnce(&ToolServer), seconds: u64) -> Result<Listing, String> {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "It is so.");
    change(&server);
    let setting = setting(home.path(), &server, json!({ "startup_timeout_sec": seconds }));
    runtime().block_on(look(&setting, home.path())).map_err(|why| why.to_string())
}

/// A run with an approved server.
struct Use {
    runtime: Runtime,
    registry: Registry,
    servers: Servers,
}

fn used(home: &Path, server: &ToolServer, more: Value) -> Use {
    used_by(home, setting(home, server, more))
}

fn used_by(home: &Path, setting: Setting) -> Use {
    let runtime = runtime();
    let listing = runtime.block_on(look(&setting, home)).unwrap();
    let server = Server::new(setting.clone(), Pin::new(&setting, &listing), home);
    let listing = runtime.block_on(server.start()).unwrap();
    assert!(server.has_approved(&listing));
    let servers = Servers::new(vec![server.clone()]);
    let mut registry = Registry::default();
    runtime.block_on(registry.fill(&Tools::new(server, listing, Readers::in_this_process()))).unwrap();
    Use { runtime, registry, servers }
}

impl Use {
    /// A call that is given up after its time.
    fn call(&self, of: &str) -> Result<ToolResult, String> {
        self.calls(&[of], None).remove(0)
    }

    /// A call that is waited for beyond its time: a server that has to be started for it may take longer on a busy machine.
    fn call_waited_for(&self, of: &str) -> Result<ToolResult, String> {
        self.calls(&[of], Some(PATIENCE)).remove(0)
    }

    /// Calls at the same time. None: each is given up after its time.
    fn calls(&self, of: &[&str], patience: Option<Duration>) -> Vec<Result<ToolResult, String>> {
        let begin = |of: &&str| {
            let call = ToolCall { name: "kb__look_up".into(), arguments: CleanJson::new(json!({ "of": of })) };
            let patience = patience.unwrap_or(self.registry.patience(&call));
            let performing = self.registry.perform(Arc::new(call));
            self.runtime.spawn(async move { tokio::time::timeout(patience, performing).await })
        };
        let begun: Vec<_> = of.iter().map(begin).collect();
        begun.into_iter().map(|call| Self::ended(self.runtime.block_on(call).unwrap())).collect()
    }

    fn ended(performed: Result<Result<ToolResult, ToolError>, Elapsed>) -> Result<ToolResult, String> {
        performed.map_err(|_| "no answer".to_owned())?.map_err(|failed| failed.to_string())
    }

    fn says(&self, of: &str) -> String {
        match self.call_waited_for(of) {
            Ok(ToolResult::Excerpt(excerpt)) => excerpt.blocks.iter().map(|block| block.text.to_string()).collect(),
            Ok(ToolResult::Text { text }) => text.to_string(),
            Ok(other) => panic!("{other:?}"),
            Err(why) => panic!("{why}"),
        }
    }
}

#[test]
fn a_server_is_agreed_with_and_lists_its_tools_page_by_page() {
    let listing = looked(
        |server| {
            let page = |tool: &str, next: &str| json!({ "tools": [described(tool)], "nextCursor": next });
            let (first, last) = (page("a", "more"), json!({ "tools": [described("b")] }));
            server.lists_by(&format!(
                "case \"$line\" in *'\"cursor\":\"more\"'*) say '{last}' ;; *) say '{first}' ;; esac"
            ));
        },
        60,
    );
    let names: Vec<String> = listing.unwrap().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn a_server_that_does_not_start_as_it_should_is_said_in_words() {
    type Change = Box<dyn FnOnce(&ToolServer)>;
    let initializes = |script: &'static str| -> Change { Box::new(|it| it.initializes(script)) };
    let lists = |script: &'static str| -> Change { Box::new(|it| it.lists_by(script)) };
    for (what, change, says) in [
        ("it hangs", initializes("read -r more"), "did not start within 2 s"),
        (
            "it ends",
            initializes("echo 'no licence' >&2; exit 7"),
            "it ended with exit code 7. Its last words: no licence",
        ),
        ("it is of the future", initializes("say '{\"protocolVersion\":\"2031-01-01\"}'"), "version `2031-01-01`"),
        ("it knows no handshake", initializes("printf '{\"id\":%s,\"error\":{\"code\":-32601}}\\n' $id"), "later ones"),
        ("it refuses", initializes("printf '{\"id\":%s,\"error\":{\"code\":5,\"message\":\"no\"}}\\n' $id"), "no (5)"),
        (
            "its answer is none",
            initializes("printf '{\"id\":%s,\"result\":7}\\n' $id"),
            "neither a result nor an error",
        ),
        ("its answer is to something else", initializes("id=99; say '{}'"), "did not start within 2 s"),
        ("it babbles", initializes("echo 'starting'; echo '{'; echo; exit 1"), "exit code 1"),
        ("its list is none", lists("say '{\"tools\":7}'"), "its list of tools is no list"),
        ("its list never ends", lists("say '{\"tools\":[],\"nextCursor\":\"again\"}'"), "more than 50 pages"),
        ("its line never ends", lists("exec cat /dev/zero"), "a line of more than 4 MB"),
        ("it never stops", lists("exec yes '{\"method\":\"notifications/message\"}'"), "more than 8 MB that nobody"),
        ("it never stops asking", lists("exec yes '{\"id\":1,\"method\":\"ping\"}'"), "more than 8 MB that nobody"),
    ] {
        // Only one that never answers needs a short timeout.
        let seconds = if says.contains("within 2 s") { 2 } else { 60 };
        let why = looked(change, seconds).expect_err(what);
        assert!(why.starts_with("the MCP server kb: ") && why.contains(says), "{what}: {why}");
    }
    let home = tempfile::tempdir().unwrap();
    std::fs::write(path(home.path()), r#"{"mcpServers":{"a":{"command":"/nowhere/at/all"}}}"#).unwrap();
    let setting = load(home.path(), &|_| None).unwrap().remove(0);
    let why = runtime().block_on(look(&setting, home.path())).unwrap_err();
    assert!(why.contains("/nowhere/at/all could not be started"), "{why}");
}

#[test]
fn what_is_no_message_is_passed_over_and_requests_of_a_server_are_answered() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    server.calls(
        "echo 'no message'; echo '{\"id\":\"x\",\"method\":\"sampling/createMessage\"}'; IFS= read -r one
         echo '{\"id\":\"y\",\"method\":\"ping\"}'; IFS= read -r two; printf '%s\\n%s\\n' \"$one\" \"$two\" > \"$dir/answers\"
         text 'It is as it is said to be.'",
    );
    let used = used(home.path(), &server, usual());
    assert_eq!(used.says("a"), "It is as it is said to be.");
    let answers = server.wrote("answers").unwrap();
    let (one, two) = answers.split_once('\n').unwrap();
    assert!(one.contains("-32601") && one.contains("\"id\":\"x\""), "{one}");
    assert!(two.contains("\"result\":{}") && two.contains("\"id\":\"y\""), "{two}");
}

#[test]
fn a_call_that_fails_costs_itself_and_the_next_one_is_done() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "");
    let once =
        |what: &str| format!("if [ -e \"$dir/did\" ]; then text 'Here again.'; else : > \"$dir/did\"; {what}; fi");
    for (what, does, says) in [
        ("it ends", "exit 3", "it ended with exit code 3"),
        ("it is killed", "kill -9 $$", "it was killed (signal 9)"),
        ("it closes its output", "exec >&-; sleep 600", "it closed its output"),
        ("it answers nonsense", "say '{\"content\":7}'", "the content of its answer is no list"),
        (
            "it refuses",
            "printf '{\"id\":%s,\"error\":{\"code\":-32602,\"message\":\"no such tool\"}}\\n' $id",
            "no such tool",
        ),
        (
            "its tool fails",
            "say '{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no such file\"}]}'",
            "no such file",
        ),
        ("it answers to something else", "real=$id; id=999; text x; id=$real", "no answer"),
        ("it answers without end", "exec cat /dev/zero", "more than 4 MB"),
        ("it hangs", "read -r more; sleep 600", "no answer"),
    ] {
        let _ = std::fs::remove_file(home.path().join("tool-server/did"));
        server.calls(&once(does));
        // Only a call that is never answered needs a short time.
        let more = if says == "no answer" { json!({ "tool_timeout_sec": 2 }) } else { usual() };
        let used = used(home.path(), &server, more);
        let why = used.call("a").expect_err(what);
        assert!(why.contains(says), "{what}: {why}");
        assert_eq!(used.says("a"), "Here again.", "{what}");
    }
}

#[test]
fn a_server_that_ends_again_and_again_is_not_started_for_ever() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "");
    server.calls("exit 1");
    let used = used(home.path(), &server, usual());
    let why: Vec<String> = (0..5).map(|_| used.call("a").unwrap_err()).collect();
    assert!(why[2].contains("exit code 1") && why[3].contains("again and again"), "{why:?}");
    assert_eq!(server.asked("tools/call").len(), 3);
}

#[test]
fn a_server_is_started_again_also_where_that_takes_longer_than_a_call() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "Here again.");
    let used = used(home.path(), &server, json!({ "startup_timeout_sec": 60, "tool_timeout_sec": 1 }));
    server.calls("exit 3");
    assert!(used.call_waited_for("a").unwrap_err().contains("exit code 3"));
    server.calls("text 'Here again.'");
    server.initializes("sleep 2; say '{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{}}'");
    assert_eq!(used.call("b").unwrap_err(), "no answer");
    assert!(used.call_waited_for("c").is_ok());
    // It was looked at, started for the run, and started again.
    assert_eq!(server.asked("initialize").len(), 3);
}

#[test]
fn the_end_of_an_old_connection_leaves_the_new_one() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "It is so.");
    let setting = setting(home.path(), &server, usual());
    let (runtime, processes) = (runtime(), ProcessGroups::default());
    let connect = || runtime.block_on(client::Client::connect(&setting, home.path(), &processes)).unwrap();
    let held = |server: &ToolServer, name: &str| {
        let gone = server.pipe(name);
        server.initializes(&format!(
            "{{ sleep 600 & }} > \"$dir/{name}\"; say '{{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{{}},\"serverInfo\":{{}}}}'"
        ));
        gone
    };
    let first_gone = held(&server, "first");
    let old = connect();
    let second_gone = held(&server, "second");
    let new = connect();
    drop(old);
    first_gone.recv_timeout(PATIENCE).expect("the old process is gone");
    assert!(runtime.block_on(new.call("look_up", &json!({}))).is_ok());
    assert!(second_gone.try_recv().is_err(), "the new one is at work");
    processes.stop();
    second_gone.recv_timeout(PATIENCE).expect("the new process is gone");
}

#[test]
fn a_server_that_says_that_its_tools_changed_is_not_asked_before_they_are_listed() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    server.calls("echo '{\"method\":\"notifications/tools/list_changed\"}'; text 'It is as it is said to be.'");
    let used = used(home.path(), &server, usual());
    used.says("a");
    server.lists_by("printf '{\"id\":%s,\"error\":{\"code\":5,\"message\":\"not now\"}}\\n' $id");
    for of in ["b", "c"] {
        let why = used.call(of).unwrap_err();
        assert!(why.contains("not now"), "{why}");
    }
    server.lists(&[described("send_mail")]);
    let why = used.call("d").unwrap_err();
    assert!(why.contains("masthead mcp approve kb"), "{why}");
    assert_eq!(server.asked("tools/call").len(), 1);
}

#[test]
fn a_server_that_does_not_list_its_changed_tools_is_started_again() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    let answers = "text 'It is as it is said to be.'";
    server.calls(&format!("echo '{{\"method\":\"notifications/tools/list_changed\"}}'; {answers}"));
    let used = used(home.path(), &server, json!({ "startup_timeout_sec": 10 }));
    used.says("a");
    let list = server.wrote("list").unwrap();
    server.lists_by(&format!("if [ -e \"$dir/hung\" ]; then {list}; else : > \"$dir/hung\"; sleep 600; fi"));
    server.calls(answers);
    used.says("b");
    assert_eq!(server.asked("initialize").len(), 3);
}

#[test]
fn a_server_that_never_lists_its_changed_tools_is_not_asked_for_ever() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    server.calls("echo '{\"method\":\"notifications/tools/list_changed\"}'; text 'It is as it is said to be.'");
    let used = used(home.path(), &server, usual());
    used.says("a");
    server.lists_by("printf '{\"id\":%s,\"error\":{\"code\":5,\"message\":\"not now\"}}\\n' $id");
    let told: Vec<String> = ["b", "c", "d", "e"].map(|of| used.call(of).unwrap_err()).into();
    let is_given_up: Vec<bool> = told.iter().map(|why| why.contains("not asked any more")).collect();
    assert_eq!(is_given_up, [false, false, true, true], "{told:?}");
    let lists = server.asked("tools/list").len();
    used.call("f").unwrap_err();
    assert_eq!(server.asked("tools/list").len(), lists);
}

#[test]
fn a_server_that_changes_its_tools_is_not_asked_again() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    // It says so before it answers: once the answer is there, that was heard.
    server.calls("echo '{\"method\":\"notifications/tools/list_changed\"}'; text 'It is as it is said to be.'");
    let used = used(home.path(), &server, usual());
    used.says("a");
    // It said so, and they are the same.
    used.says("b");
    server.lists(&[described("look_up"), described("send_mail")]);
    let why = used.call("c").unwrap_err();
    assert!(why.contains("look_up is described otherwise, send_mail is new"), "{why}");
    assert!(why.contains("masthead mcp approve kb"), "{why}");
    assert!(used.call("d").is_err());
    assert_eq!(server.asked("tools/call").len(), 2);
}

#[test]
fn a_call_that_is_given_up_is_called_off() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "");
    let told = server.pipe("off");
    server.calls("IFS= read -r line; printf '%s\\n' \"$line\" > \"$dir/off\"");
    let used = used(home.path(), &server, json!({ "tool_timeout_sec": 3 }));
    assert_eq!(used.call("a").unwrap_err(), "no answer");
    let off: Value = serde_json::from_str(&told.recv_timeout(PATIENCE).expect("it is told")).unwrap();
    let asked = server.asked("tools/call").remove(0);
    assert_eq!((&off["method"], &off["params"]["requestId"]), (&json!("notifications/cancelled"), &asked["id"]));
}

#[test]
fn a_server_is_told_nothing_of_the_environment_and_its_secrets_are_in_no_answer() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", Some(true), "");
    server.calls("env | cut -d= -f1 > \"$dir/env\"; text \"The token of this server is $TOKEN as it was told.\"");
    let more = json!({ "env": { "TOKEN": "${KB_TOKEN}", "LEVEL": "info" } });
    let used = used(home.path(), &server, more);
    assert_eq!(used.says("a"), "The token of this server is *** as it was told.");
    let known = ["TOKEN", "LEVEL", "PWD", "OLDPWD", "SHLVL", "_"];
    let given = server.wrote("env").unwrap();
    assert!(given.lines().all(|name| known.contains(&name) || stdio::KEPT.contains(&name)), "{given}");
    assert!(given.contains("TOKEN"), "{given}");
}

#[test]
fn no_part_of_a_secret_is_in_the_last_words_of_a_server() {
    const TOKEN: &str = "canarytoken-0123456789-abcdefghij-klmnopq";
    for before in [0, 380, 470, 490, 499, 4_000] {
        let home = tempfile::tempdir().unwrap();
        let server = ToolServer::new(home.path(), "look_up", None, "");
        server.initializes(&format!("printf '%{before}s%s\\n' '' \"$TOKEN\" | tr ' ' x >&2; exit 3"));
        let setting = setting(home.path(), &server, json!({ "env": { "TOKEN": TOKEN } }));
        let why = runtime().block_on(look(&setting, home.path())).unwrap_err().to_string();
        assert!(why.contains("Its last words: x") || why.contains("Its last words: ***"), "{why}");
        let parts = TOKEN.as_bytes().windows(8).map(|part| std::str::from_utf8(part).unwrap());
        assert!(parts.clone().all(|part| !why.contains(part)), "{before}: {why}");
    }
}

#[test]
fn a_server_may_end_by_itself_once_its_input_has_ended() {
    let home = tempfile::tempdir().unwrap();
    let server = ToolServer::new(home.path(), "look_up", None, "It is so.");
    server.ends(": > \"$dir/ended\"");
    let setting = Setting { to_end: PATIENCE, ..setting(home.path(), &server, usual()) };
    let used = used_by(home.path(), setting);
    let _ = std::fs::remove_file(home.path().join("tool-server/ended"));
    used.says("a");
    used.servers.end(&used.runtime);
    assert!(server.wrote("ended").is_some());
}

#[test]
fn a_server_ends_with_the_run_and_so_does_what_it_started() {
    for is_in_order in [true, false] {
        let home = tempfile::tempdir().unwrap();
        let server = ToolServer::new(home.path(), "look_up", None, "");
        // It has the pipe before it starts the process that holds it until it is gone.
        let gone = server.pipe("held");
        server.calls("{ sleep 600 & } > \"$dir/held\"; text started");
        let used = used(home.path(), &server, usual());
        used.says("a");
        assert!(gone.try_recv().is_err(), "it is at work");
        let Use { runtime, registry, servers } = used;
        if is_in_order {
            servers.end(&runtime);
        }
        drop((servers, registry));
        gone.recv_timeout(PATIENCE).expect("it is gone");
    }
}

mod http {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use kit::server::{Asked, Said, Scripted, Then};

    fn good(asked: &Asked) -> Said {
        let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let answer = |result: Value| json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
        let tool = json!({ "name": "look_up", "annotations": { "readOnlyHint": true } });
        let text = json!([{ "type": "text", "text": "It is as it is said to be." }]);
        match body["method"].as_str() {
            Some("initialize") => {
                let agreed = answer(json!({ "protocolVersion": "2025-03-26" }));
                Said::new(200, "application/json", agreed.to_string()).with("mcp-session-id", "s1")
            }
            Some("tools/list") => Said::new(200, "application/json", answer(json!({ "tools": [tool] })).to_string()),
            Some("tools/call") => {
                let told = json!({ "method": "notifications/message", "params": { "text": "größe" } });
                let events = format!(": hello\n\ndata: {told}\n\ndata: {}\n\n", answer(json!({ "content": text })));
                Said::new(200, "text/event-stream", events)
            }
            _ => Said::new(202, "text/plain", ""),
        }
    }

    fn used_over(server: &Scripted, home: &Path) -> Use {
        used_for(60, server, home)
    }

    /// The same with calls that may take this many seconds.
    fn used_for(seconds: u64, server: &Scripted, home: &Path) -> Use {
        let headers = json!({ "Authorization": "Bearer ${KB_TOKEN}" });
        let entry = json!({ "url": server.url("/mcp"), "headers": headers, "tool_timeout_sec": seconds });
        std::fs::write(path(home), json!({ "mcpServers": { "kb": entry } }).to_string()).unwrap();
        let setting = load(home, &|_| Some("canary-of-a-token".into())).unwrap().remove(0);
        used_by(home, Setting { to_end: PATIENCE, ..setting })
    }

    #[test]
    fn a_server_over_http_is_asked_in_its_session_and_answers_in_either_form() {
        let home = tempfile::tempdir().unwrap();
        let server = Scripted::start(good);
        let used = used_over(&server, home.path());
        assert_eq!(used.says("a"), "It is as it is said to be.");
        used.servers.end(&used.runtime);
        let asked = server.asked();
        let (call, last) = (&asked[asked.len() - 2], &asked[asked.len() - 1]);
        assert_eq!(call.header("mcp-session-id"), Some("s1"));
        assert_eq!(call.header("mcp-protocol-version"), Some("2025-03-26"));
        assert_eq!(call.header("authorization"), Some("Bearer canary-of-a-token"));
        assert_eq!((last.method.as_str(), last.header("mcp-session-id")), ("DELETE", Some("s1")));
    }

    #[test]
    fn a_server_over_http_that_misbehaves_is_said_in_words() {
        type Change = fn(Said) -> Said;
        let cases: [(&str, Change, &str); 8] = [
            ("cut", |said| said.then(Then::Cut), "cannot be reached"),
            ("refused", |_| Said::new(401, "text/html", "<p>canary-of-a-token"), "it refuses (401)"),
            ("sent on", |_| Said::new(307, "text/plain", "").with("location", "http://x/"), "another address (307)"),
            ("broken", |_| Said::new(500, "text/plain", ""), "status 500"),
            ("a page", |_| Said::new(200, "text/html", "<p>hi"), "answers with `text/html`"),
            ("another", |_| Said::new(200, "application/json", r#"{"id":77,"result":{}}"#), "not to what was asked"),
            ("short", |_| Said::new(200, "text/event-stream", ": nothing\n\n"), "before it was whole"),
            ("endless", |_| Said::new(200, "text/event-stream", vec![b'x'; 5 << 20]), "larger than 4 MB"),
        ];
        for (what, change, says) in cases {
            let home = tempfile::tempdir().unwrap();
            let server = Scripted::start(move |asked| {
                let said = good(asked);
                if asked.body.contains("tools/call") { change(said) } else { said }
            });
            let why = used_over(&server, home.path()).call("a").expect_err(what);
            assert!(why.contains(says) && !why.contains("canary"), "{what}: {why}");
        }
    }

    /// A server that tells the test of the bodies that hold these words.
    fn telling(
        words: &'static str,
        call: impl Fn(Said) -> Said + Send + Sync + 'static,
    ) -> (Scripted, std::sync::mpsc::Receiver<Value>) {
        let (tell, told) = std::sync::mpsc::channel();
        let server = Scripted::start(move |asked| {
            if asked.body.contains(words) {
                let _ = tell.send(serde_json::from_str(&asked.body).unwrap());
            }
            if asked.body.contains("tools/call") { call(good(asked)) } else { good(asked) }
        });
        (server, told)
    }

    #[test]
    fn a_call_over_http_that_is_given_up_is_called_off() {
        let home = tempfile::tempdir().unwrap();
        let (server, told) = telling("notifications/cancelled", |said| said.then(Then::Stall));
        let used = used_for(3, &server, home.path());
        assert_eq!(used.call("a").unwrap_err(), "no answer");
        let off = told.recv_timeout(PATIENCE).expect("it is told");
        let asked = server.asked().into_iter().find(|asked| asked.body.contains("tools/call")).unwrap();
        let asked: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(off["params"]["requestId"], asked["id"]);
    }

    #[test]
    fn a_request_of_a_server_over_http_is_answered() {
        let home = tempfile::tempdir().unwrap();
        let (server, told) = telling("-32601", |mut said| {
            said.body = [b"data: {\"id\":\"x\",\"method\":\"roots/list\"}\n\n", &said.body[..]].concat();
            said
        });
        let used = used_over(&server, home.path());
        assert_eq!(used.says("a"), "It is as it is said to be.");
        let answer = told.recv_timeout(PATIENCE).expect("it is answered");
        assert_eq!(answer["id"], json!("x"));
    }

    #[test]
    fn a_session_that_was_forgotten_is_begun_again() {
        let home = tempfile::tempdir().unwrap();
        let forgets = std::sync::atomic::AtomicBool::new(true);
        let server = Scripted::start(move |asked| match asked.body.contains("tools/call") {
            true if forgets.swap(false, std::sync::atomic::Ordering::Relaxed) => Said::new(404, "text/plain", ""),
            _ => good(asked),
        });
        assert_eq!(used_over(&server, home.path()).says("a"), "It is as it is said to be.");
    }

    #[test]
    fn calls_that_lose_their_session_together_share_the_next_one() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Arc::new(AtomicUsize::new(0));
        let (begun, all_asked) = (sessions.clone(), Barrier::new(3));
        let server = Scripted::start(move |asked| {
            let mut said = good(asked);
            if asked.body.contains("\"method\":\"initialize\"") {
                let session = format!("s{}", begun.fetch_add(1, Ordering::Relaxed) + 1);
                said.headers.retain(|(name, _)| name != "mcp-session-id");
                return said.with("mcp-session-id", &session);
            }
            // The first session is that of the look at it, the second the one that is lost.
            if asked.body.contains("tools/call") && asked.header("mcp-session-id") == Some("s2") {
                all_asked.wait();
                return Said::new(404, "text/plain", "");
            }
            said
        });
        let used = used_over(&server, home.path());
        for answer in used.calls(&["a", "b", "c"], None) {
            assert!(answer.is_ok(), "{answer:?}");
        }
        assert_eq!(sessions.load(Ordering::Relaxed), 3);
    }
}
