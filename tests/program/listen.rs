//! Traces taken in live: the addresses listened on, the refusals, and a proof that live spans are told as they stand in a file.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use kit::{TimeLimit, example, otlp, run};
use serde_json::{Value, json};

use crate::masthead;
use crate::open::opened_from_input;
use crate::telemetry::sends_to;

/// A program that listens, without screens.
struct Listening {
    child: Child,
    address: String,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
    _limit: TimeLimit,
}

impl Listening {
    fn start(home: &Path, flags: &[&str]) -> Listening {
        let mut child = masthead(home)
            .args(["open", "--listen", "127.0.0.1:0"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let err = BufReader::new(child.stderr.take().unwrap());
        let _limit = TimeLimit::of(&child);
        let mut listening = Listening { child, address: String::new(), out, err, _limit };
        let line = listening.says("listening on ");
        listening.address =
            line.split("listening on ").nth(1).unwrap().split(':').take(2).collect::<Vec<_>>().join(":");
        listening
    }

    /// The next line on standard error with these words.
    fn says(&mut self, words: &str) -> String {
        let lines = self.err.by_ref().lines().map_while(Result::ok);
        lines.into_iter().find(|line| line.contains(words)).unwrap_or_else(|| panic!("it never says {words}"))
    }

    /// The next line on standard output.
    fn prints(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends a request as it is written, and brings the status and the body of the answer.
fn sent(address: &str, head: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = head.replace('\n', "\r\n");
    let bytes =
        [format!("{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    // It may be refused before all of it is sent.
    let _ = stream.write_all(&bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer);
    let status = text.split(' ').nth(1).unwrap_or_else(|| panic!("no answer to {head}")).parse().unwrap();
    let ends = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (status, answer[ends + 4..].to_vec())
}

/// Sends a document of spans as JSON.
pub fn send(address: &str, document: &Value) {
    let head = format!("POST /v1/traces HTTP/1.1\nhost: {address}\ncontent-type: application/json");
    assert_eq!(sent(address, &head, document.to_string().as_bytes()), (200, b"{}".to_vec()));
}

/// A document with one span, from its number on for ten seconds.
pub fn span(trace: u8, id: u8, parent: Option<u8>, operation: &str, name: &str) -> Value {
    let at = |n: u8| (1_793_700_000_000_000_000_u64 + u64::from(n) * 1_000_000_000).to_string();
    let pair = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let said =
        json!([{"role": "user", "parts": [{"type": "text", "content": format!("Question {trace}?")}]}]).to_string();
    let span = json!({
        "traceId": format!("{trace:032x}"), "spanId": format!("{id:016x}"),
        "parentSpanId": parent.map(|parent| format!("{parent:016x}")).unwrap_or_default(),
        "name": name, "startTimeUnixNano": at(id), "endTimeUnixNano": at(id + 10),
        "attributes": [
            pair("gen_ai.operation.name", operation), pair("gen_ai.agent.name", name), pair("gen_ai.request.model", "m"),
            pair("gen_ai.input.messages", &said),
        ],
    });
    let resource = json!({"attributes": [pair("service.name", "shop")]});
    json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]})
}

#[test]
fn only_loopback_is_listened_on_and_of_a_port_that_is_taken_another_is_named() {
    let home = tempfile::tempdir().unwrap();
    let refused = |address: &str, says: &[&str]| {
        let (code, out, err) = run(masthead(home.path()).args(["open", "--listen", address]));
        assert!(code == 2 && out.is_empty() && says.iter().all(|words| err.contains(words)), "{address}: {err}");
    };
    refused("0.0.0.0:4318", &["can be reached from other machines", "ssh -R"]);
    refused("192.0.2.1", &["can be reached from other machines"]);
    refused("collector:4318", &["is no address", "127.0.0.1:4318"]);
    let occupant = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = occupant.local_addr().unwrap();
    let other = format!("masthead open --listen 127.0.0.1:{}", taken.port() + 1);
    refused(&taken.to_string(), &["is taken by another program", &other, "OTEL_EXPORTER_OTLP_ENDPOINT=http://"]);
    let (code, _, err) = run(masthead(home.path()).args(["open", "x.json", "--listen"]));
    assert!(code == 2 && err.contains("cannot be used with"), "{err}");
}

#[test]
fn what_is_no_trace_from_this_machine_is_refused_with_a_status_and_what_is_one_still_comes() {
    let home = tempfile::tempdir().unwrap();
    let mut listening = Listening::start(home.path(), &["--json"]);
    let address = listening.address.clone();
    let (json, proto) = ("content-type: application/json", "content-type: application/x-protobuf");
    let packed = |bytes: &[u8]| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    };
    let bomb = packed(&vec![b' '; 21 << 20]);
    let gzip = format!("{json}\ncontent-encoding: gzip");
    let cut = &otlp::protobuf(&span(1, 1, None, "invoke_agent", "lead"))[..40];
    /// A request with its host, headers and body; the status of the answer, and words of its message.
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [u8], u16, &'a str);
    let cases: &[Case<'_>] = &[
        ("POST /v1/traces", "evil.example", json, b"{}", 403, "for evil.example"),
        ("POST /v1/traces", "localhost.evil.example:4318", json, b"{}", 403, "only programs of this machine"),
        (
            "POST /v1/traces",
            &address,
            &format!("{json}\norigin: http://evil.example"),
            b"{}",
            403,
            "from http://evil.example",
        ),
        ("POST /v1/traces", &address, &format!("{json}\norigin: null"), b"{}", 403, "from null"),
        ("GET /v1/traces", &address, json, b"", 405, "with POST"),
        ("POST /", &address, json, b"{}", 404, "/v1/traces"),
        ("POST /v1/traces", &address, "content-type: text/plain", b"{}", 415, "text/plain"),
        ("POST /v1/traces", &address, "accept: */*", b"{}", 415, "application/x-protobuf"),
        ("POST /v1/traces", &address, &format!("{json}\ncontent-encoding: br"), b"{}", 415, "only gzip"),
        ("POST /v1/traces", &address, &gzip, b"{}", 400, "no gzip"),
        ("POST /v1/traces", &address, &gzip, &bomb, 413, "20 MiB"),
        ("POST /v1/traces", &address, json, &vec![b' '; 21 << 20], 413, "20 MiB"),
        ("POST /v1/traces", &address, json, b"{\"resourceSpans\": [", 400, "no JSON of OTLP traces"),
        ("POST /v1/traces", &address, proto, cut, 400, "beyond the end"),
    ];
    for (asks, host, headers, body, status, says) in cases {
        let (code, answer) = sent(&address, &format!("{asks} HTTP/1.1\nhost: {host}\n{headers}"), body);
        let message = match headers.starts_with(proto) {
            // google.rpc.Status: code 3, and the message.
            true => {
                assert_eq!(answer[..3], [0x08, 3, 0x12]);
                String::from_utf8(answer[4..].to_vec()).unwrap()
            }
            false => serde_json::from_slice::<Value>(&answer).unwrap()["message"].as_str().unwrap().to_owned(),
        };
        assert!(code == *status && message.contains(says), "{asks} {host} {headers}: {code} {message}");
    }
    assert_eq!(sent(&address, &format!("POST /v1/traces HTTP/1.0\n{json}"), b"{}").0, 403, "no host at all");
    // Clients that stop in the middle keep nobody waiting.
    let head = format!("POST /v1/traces HTTP/1.1\r\nhost: {address}\r\n{json}\r\ncontent-length: 9\r\n\r\n{{");
    let _slow: Vec<TcpStream> = ["", "PO", &head, &head]
        .iter()
        .map(|bytes| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            stream
        })
        .collect();
    for (path, left_out) in [("/v1/metrics", "metrics come as well"), ("/v1/logs", "logs come as well")] {
        for _ in 0..2 {
            let (code, answer) =
                sent(&address, &format!("POST {path} HTTP/1.1\nhost: {address}\n{proto}"), b"\x0a\x00");
            assert_eq!((code, answer.as_slice()), (200, &b""[..]));
        }
        listening.says(left_out);
    }
    let body = packed(&otlp::protobuf(&span(1, 1, None, "invoke_agent", "lead")));
    let head = format!(
        "POST /v1/traces HTTP/1.1\nhost: localhost\n{proto}\ncontent-encoding: gzip\norigin: http://localhost:3000"
    );
    assert_eq!(sent(&address, &head, &body), (200, Vec::new()));
    let told: Value = serde_json::from_str(&listening.prints()).unwrap();
    assert_eq!((&told["service"], &told["spans"]), (&json!("shop"), &json!(1)));
    assert_eq!(told["told"]["assignments"][0]["role"], "lead");
}

#[test]
fn who_sends_by_grpc_or_tls_is_told_what_to_set() {
    let home = tempfile::tempdir().unwrap();
    let mut listening = Listening::start(home.path(), &[]);
    for (hello, says) in [
        (&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"),
        (b"\x16\x03\x01\x02\x00", "http://"),
    ] {
        TcpStream::connect(&listening.address).unwrap().write_all(hello).unwrap();
        listening.says(says);
    }
}

#[test]
fn our_own_traces_come_in_as_the_graph_that_their_file_opens_as() {
    let home = tempfile::tempdir().unwrap();
    let mut listening = Listening::start(home.path(), &["--json"]);
    let question = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
    let mut brief = masthead(home.path());
    brief.args(["brief", question, "--headless", "--yes", "--sources"]).arg(example("vector-databases"));
    let (code, _, err) = run(sends_to(&mut brief, &format!("http://{}", listening.address)));
    assert_eq!((code, err.as_str()), (0, ""));
    let live: Value = serde_json::from_str(&listening.prints()).unwrap();
    let (_, dump, _) = run(masthead(home.path()).args(["journal", "dump", "last", "--otlp"]));
    let file: Value = serde_json::from_str(&opened_from_input(home.path(), dump.as_bytes())).unwrap();
    assert!(file["assignments"].as_array().unwrap().len() > 5);
    assert_eq!(live["told"], file);
}

#[test]
fn traces_that_have_ended_are_printed_and_kept_and_others_are_not() {
    let home = tempfile::tempdir().unwrap();
    let mut listening = Listening::start(home.path(), &["--keep"]);
    let address = listening.address.clone();
    send(&address, &span(1, 2, Some(1), "chat", ""));
    listening.says("of shop has begun");
    send(&address, &span(2, 3, Some(9), "chat", ""));
    send(&address, &span(1, 1, None, "invoke_agent", "lead"));
    assert!(listening.prints().contains("Question 1?"));
    let kept = listening.says("is kept in the journal");
    let id = kept.split("run ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let (code, out, _) = run(masthead(home.path()).args(["replay", &id]));
    assert!(code == 0 && out.contains("Question 1?"), "{out}");
    let (_, out, _) = run(masthead(home.path()).args(["runs", "--json"]));
    assert_eq!(out.lines().count(), 1, "the other is at work: {out}");
}
