//! OpenTelemetry out: the telemetry of a run, live and later, and the possible cost of a collector.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, UNIX_EPOCH};

use import::live::{Batch, Kept, Malformed, Room, Traces};
use kit::{ModelServer, example, run};
use serde_json::Value;

use crate::masthead;
use crate::open::opened_from_input;

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

fn brief(home: &Path) -> Command {
    let mut command = masthead(home);
    command.args(["brief", QUESTION, "--headless", "--yes", "--sources"]).arg(example("vector-databases"));
    command
}

fn dumped(home: &Path, text: bool) -> String {
    let mut command = masthead(home);
    if text {
        command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    }
    let (code, out, err) = run(command.args(["journal", "dump", "last", "--otlp"]));
    assert_eq!((code, err.as_str()), (0, ""));
    out
}

/// The spans of documents, by their ids.
fn spans<'a>(documents: impl IntoIterator<Item = &'a [u8]>) -> BTreeMap<String, Value> {
    let documents = documents.into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let lists = documents.filter_map(|one| one["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned());
    lists.flatten().map(|span| (span["spanId"].as_str().unwrap().to_owned(), span)).collect()
}

/// A process that sends its telemetry to this collector, and waits at its end for as long as a busy machine may take.
pub fn sends_to<'a>(command: &'a mut Command, address: &str) -> &'a mut Command {
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address).env("OTEL_BSP_EXPORT_TIMEOUT", "120000")
}

/// The response of a collector that takes the telemetry.
const TAKEN: Option<&str> = Some("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");

/// A collector that answers every request in this way, and tells of their paths and bodies. None: it never answers.
fn collector(answer: Option<&'static str>) -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (told, heard) = channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().map_while(Result::ok) {
            let Some(answer) = answer else {
                open.push(stream);
                continue;
            };
            let told = told.clone();
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                loop {
                    let mut head = Vec::new();
                    while let Some(Ok(line)) = reader.by_ref().lines().next() {
                        if line.is_empty() {
                            break;
                        }
                        head.push(line);
                    }
                    let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
                    let length =
                        head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                    let mut body = vec![0; length.unwrap_or(0)];
                    reader.read_exact(&mut body).unwrap();
                    let _ = told.send((path.to_owned(), body));
                    if write!(reader.get_mut(), "{answer}").is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, heard)
}

#[test]
fn our_own_traces_open_as_the_same_graph() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path())).0, 0);
    let traces = dumped(home.path(), false);
    let opened: Value = serde_json::from_str(&opened_from_input(home.path(), traces.as_bytes())).unwrap();
    // The journal's own names say who handed work to whom.
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last"]));
    let (mut edges, mut roles, mut tools) = (Vec::new(), BTreeMap::new(), 0);
    for line in dump.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        for opened in line["opened"].as_array().into_iter().flatten() {
            let id = opened["assignment"].as_str().unwrap().to_owned();
            let parent = id.rsplit_once('.').map(|(parent, _)| parent.to_owned());
            roles.insert(id.clone(), opened["role"].as_str().unwrap().to_owned());
            edges.push((parent, id));
        }
        tools += line["calls"].as_array().map_or(0, Vec::len);
    }
    let role = |id: &Option<String>| id.as_ref().map(|id| roles[id].clone());
    let mut told: Vec<(Option<String>, String)> =
        edges.iter().map(|(parent, id)| (role(parent), roles[id].clone())).collect();
    let names: BTreeMap<&str, &str> = opened["assignments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["role"].as_str().unwrap()))
        .collect();
    let assignments = opened["assignments"].as_array().unwrap().iter();
    let mut found: Vec<(Option<String>, String)> = assignments
        .map(|one| (one["parent"].as_str().map(|id| names[id].to_owned()), one["role"].as_str().unwrap().to_owned()))
        .collect();
    told.sort();
    found.sort();
    assert_eq!(found, told);
    assert_eq!(opened["tools"].as_array().unwrap().len(), tools);
    assert_eq!(opened["handoffs"].as_array().unwrap().len(), 2 * (edges.len() - 1));
    assert_eq!(opened["unread"], 0);
}

#[test]
fn each_verdict_is_one_span_below_the_one_that_gave_it() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path())).0, 0);
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last"]));
    let events = dump.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reports = events.filter(|event| event["event"] == "reported" && event["by"] != "0");
    let given: usize =
        reports.map(|event| event["handoff"]["payload"]["verdicts"].as_array().map_or(0, Vec::len)).sum();
    let spans = spans(dumped(home.path(), false).lines().map(str::as_bytes));
    let gates = spans.values().filter(|span| span["name"] == "gate").count();
    assert!(given > 0 && gates == given, "{gates} spans of {given} verdicts");
}

#[test]
fn spans_hold_no_text_unless_it_is_asked_for() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(run(&mut brief(home.path())).0, 0);
    let bare = dumped(home.path(), false);
    for word in ["trade-offs", "pgvector", "Qdrant", "ivfflat", "HNSW", ".md"] {
        assert!(!bare.contains(word), "{word} is in the spans");
    }
    assert!(bare.contains("invoke_agent researcher") && bare.contains("execute_tool search"));
    assert!(dumped(home.path(), true).contains("trade-offs"));
}

#[test]
fn a_collector_hears_of_a_run_what_the_journal_tells_of_it_later() {
    let home = tempfile::tempdir().unwrap();
    let (address, heard) = collector(TAKEN);
    let mut asked = brief(home.path());
    let (code, _, err) = run(sends_to(&mut asked, &address).env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"));
    assert_eq!((code, err.as_str()), (0, ""));
    let heard: Vec<(String, Vec<u8>)> = heard.try_iter().collect();
    assert!(heard.iter().all(|(path, _)| path == "/v1/traces" || path == "/v1/metrics"), "{heard:?}");
    let metrics = heard.iter().filter(|(path, _)| path == "/v1/metrics").map(|(_, body)| String::from_utf8_lossy(body));
    assert!(metrics.into_iter().any(|body| body.contains("gen_ai.invoke_workflow.duration")));
    let live = spans(heard.iter().map(|(_, body)| body.as_slice()));
    let dumped = dumped(home.path(), false);
    assert_eq!(live, spans(dumped.lines().map(str::as_bytes)), "the same spans, live and later");
}

#[test]
fn a_collector_reads_in_protobuf_what_the_journal_tells_in_json() {
    let home = tempfile::tempdir().unwrap();
    let (address, heard) = collector(TAKEN);
    let mut asked = brief(home.path());
    sends_to(&mut asked, &address).env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    let (code, _, err) = run(&mut asked);
    assert_eq!((code, err.as_str()), (0, ""));
    let heard: Vec<(String, Vec<u8>)> = heard.try_iter().collect();
    let sent: Vec<u8> =
        heard.iter().filter(|(path, _)| path == "/v1/traces").flat_map(|(_, body)| body.clone()).collect();
    // Documents of protobuf after one another are one.
    let read = |batch: Result<Batch, Malformed>| {
        let mut traces = Traces::new(Room::default());
        assert_eq!(traces.take(batch.unwrap(), 0), Kept::default());
        let id = traces.standing(0)[0].id.clone();
        format!("{:#?}", traces.story(&id, 0))
    };
    let dumped = dumped(home.path(), true);
    let told = read(Batch::json(dumped.lines().next().unwrap().as_bytes()));
    assert!(told.contains(QUESTION) && told.len() > 10_000, "{told}");
    assert!(read(Batch::protobuf(&sent)) == told, "what is read of both is the same");
}

#[test]
fn what_was_committed_before_a_run_was_interrupted_is_sent() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = tempfile::tempdir().unwrap();
    let (address, heard) = collector(TAKEN);
    let mut asked = masthead(home.path());
    sends_to(&mut asked, &address).args(["drill", "runaway-specialist", "--events", "jsonl"]);
    // Few spans wait for others till the end.
    asked.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json").env("OTEL_BSP_SCHEDULE_DELAY", "3600000");
    let mut child = asked.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let events = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut events = events.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let calls = events.by_ref().filter(|event| event["event"] == "tool_returned").map(|event| event["call"].clone());
    let calls: Vec<Value> = calls.take(4).collect();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    events.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let sent = spans(heard.try_iter().collect::<Vec<_>>().iter().map(|(_, body)| body.as_slice()));
    let attributes = sent.values().flat_map(|span| span["attributes"].as_array().unwrap());
    let sent: Vec<&Value> = attributes.map(|attribute| &attribute["value"]["stringValue"]).collect();
    // The first does not wait for others, and the last was printed before it was handed on.
    assert!(calls[1..3].iter().all(|call| sent.contains(&call)), "{calls:?}, {sent:?}");
}

#[test]
fn a_collector_that_is_gone_broken_or_silent_changes_nothing_of_a_run() {
    let alone = tempfile::tempdir().unwrap();
    let (code, out, _) = run(&mut brief(alone.path()));
    let brief_of = |out: &str| out[out.find("\n# ").unwrap()..].to_owned();
    for answer in
        [Some("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"), Some("SSH-2.0-\r\n\r\n"), None]
    {
        let home = tempfile::tempdir().unwrap();
        let (address, _heard) = collector(answer);
        let (with, told, err) = run(brief(home.path()).env("OTEL_EXPORTER_OTLP_ENDPOINT", &address));
        assert_eq!((with, brief_of(&told), err.as_str()), (code, brief_of(&out), ""), "{answer:?}");
    }
    let home = tempfile::tempdir().unwrap();
    let (with, told, err) = run(brief(home.path()).env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9"));
    assert_eq!((with, brief_of(&told), err.as_str()), (code, brief_of(&out), ""), "nobody is there");
    let (with, told, err) = run(brief(home.path()).env("OTEL_EXPORTER_OTLP_ENDPOINT", "collector"));
    assert_eq!((with, brief_of(&told)), (code, brief_of(&out)));
    assert!(err.contains("no telemetry is sent") && err.contains("http://localhost:4318"), "{err}");
}

#[test]
fn the_end_of_a_run_waits_for_a_silent_collector_for_as_long_as_is_set() {
    let home = tempfile::tempdir().unwrap();
    let (address, _heard) = collector(None);
    let mut asked = brief(home.path());
    asked.env("OTEL_EXPORTER_OTLP_ENDPOINT", &address).env("OTEL_BSP_EXPORT_TIMEOUT", "4000");
    let (code, _, err) = run(&mut asked);
    let ended = UNIX_EPOCH.elapsed().unwrap();
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last"]));
    let last: Value = serde_json::from_str(dump.lines().last().unwrap()).unwrap();
    let waited = ended - Duration::from_millis(last["at"].as_u64().unwrap());
    assert!(waited >= Duration::from_secs(4), "{waited:?}");
}

#[test]
fn what_was_counted_for_each_call_stands_in_the_traces() {
    let server = ModelServer::start(&["m"]);
    let home = home_of(&server);
    let paid = ["--model", "mine/m", "--price", "mine/m=1.00,4.00"];
    let (code, _, err) = run(brief(home.path()).args(paid));
    assert_eq!(code, 0, "{err}");
    let (_, row, _) = run(masthead(home.path()).args(["runs", "--json"]));
    let paid = serde_json::from_str::<Value>(&row).unwrap()["cost_pico_dollars"].as_u64().unwrap();
    assert!(paid > 0);
    let traces = dumped(home.path(), false);
    let opened: Value = serde_json::from_str(&opened_from_input(home.path(), traces.as_bytes())).unwrap();
    // The program knows its own spans and metrics, and calls the run as it is called here.
    let (_, lines, said) = run(masthead(home.path()).args(["journal", "dump", "last", "--otlp"]));
    assert!(lines.contains("resourceMetrics") && said.is_empty(), "{said}");
    let file = home.path().join("traces.jsonl");
    std::fs::write(&file, &lines).unwrap();
    let (code, lines, said) = run(masthead(home.path()).arg("open").arg(&file));
    assert!(code == 0 && said.is_empty() && lines.contains("brief, run "), "{lines}{said}");
    let told = opened["cost_usd"].as_f64().unwrap();
    assert!((told * 1e12 - paid as f64).abs() < 1_000_000.0, "{told} dollars are told, and {paid} were counted");
}

/// A home whose provider `mine` is this server, and costs.
fn home_of(server: &ModelServer) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine").replace("free = true\n", "")).unwrap();
    home
}

/// Runs a command with a collector; returns the spans that it heard of and the sum of the tokens.
fn heard_of(command: &mut Command) -> (i32, BTreeMap<String, Value>, u64) {
    let (address, heard) = collector(TAKEN);
    let (code, _, _) = run(sends_to(command, &address).env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"));
    let bodies: Vec<Vec<u8>> = heard.try_iter().map(|(_, body)| body).collect();
    (code, spans(bodies.iter().map(Vec::as_slice)), tokens(bodies.iter().map(Vec::as_slice)))
}

/// The tokens of all metrics in these documents.
fn tokens<'a>(documents: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let documents = documents.into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let metrics =
        documents.filter_map(|one| one["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().cloned());
    let of_tokens = metrics.flatten().filter(|metric| metric["name"] == "gen_ai.client.token.usage");
    let points = of_tokens.flat_map(|metric| metric["histogram"]["dataPoints"].as_array().unwrap().clone());
    points.map(|point| point["sum"].as_f64().unwrap() as u64).sum()
}

#[test]
fn a_resumed_run_sends_its_own_tokens_only() {
    let server = ModelServer::start(&["m"]);
    let home = home_of(&server);
    let mut asked = masthead(home.path());
    asked.args(["brief", QUESTION, "--headless", "--model", "mine/m", "--price", "mine/m=1.00,4.00", "--sources"]);
    let (code, first, before) = heard_of(asked.arg(example("vector-databases")));
    assert!(code != 0 && before > 0 && !first.is_empty(), "it waits for the findings: {code}");
    let mut resumed = masthead(home.path());
    let (code, later, after) = heard_of(resumed.args(["resume", "last", "--headless", "--yes"]));
    assert_eq!(code, 0);
    let dumped = dumped(home.path(), false);
    let all = tokens(dumped.lines().map(str::as_bytes));
    assert!(after > 0 && before + after == all, "{before} and {after} tokens of {all}");
    let sent: BTreeMap<String, Value> = first.into_iter().chain(later).collect();
    assert_eq!(sent, spans(dumped.lines().map(str::as_bytes)), "each span is sent once");
}

#[test]
fn a_fork_sends_its_whole_trace_and_no_tokens_of_its_parent() {
    let server = ModelServer::start(&["m"]);
    let home = home_of(&server);
    let paid = ["--model", "mine/m", "--price", "mine/m=1.00,4.00"];
    assert_eq!(run(brief(home.path()).args(paid)).0, 0);
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last"]));
    let mut events = dump.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let at = events.find(|event| event["event"] == "handed_off" && event["opened"][0]["role"] == "writer").unwrap();
    let mut forked = masthead(home.path());
    forked.args(["fork", "last", "--headless", "--yes", "--at", &at["seq"].to_string()]);
    let (code, sent, counted) = heard_of(&mut forked);
    assert_eq!((code, counted), (0, 0), "all of it is answered from the record");
    let dumped = dumped(home.path(), false);
    assert_eq!(sent, spans(dumped.lines().map(str::as_bytes)));
    assert_eq!(tokens(dumped.lines().map(str::as_bytes)), 0);
}
