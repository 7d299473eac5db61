//! Spans of teams as exporters send them: each when it has ended, so that a leader comes last.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use kit::otlp;
use serde_json::{Value, json};

/// The spans of an agent below a leader: its own, model calls and tool calls.
const A_WORKER: usize = 100;
/// The text of an answer, or of the result of a tool, in characters.
const TEXT: usize = 250;

/// `spans` spans of `teams` teams at work at once, as bodies of requests with `a_request` spans each. The spans of the teams come
/// in turns, and each leader's span comes last of its team.
pub fn requests(spans: usize, teams: usize, a_request: usize) -> Vec<Vec<u8>> {
    let each = spans / teams;
    let all: Vec<(usize, usize)> = (0..each).rev().flat_map(|n| (0..teams).map(move |team| (team, n))).collect();
    let request = |of: &[(usize, usize)]| {
        let spans: Vec<Value> = of.iter().map(|(team, n)| span(*team, *n)).collect();
        let resource = json!({"attributes": [text("service.name", "bench")]});
        otlp::protobuf(&json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}))
    };
    all.chunks(a_request).map(request).collect()
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn number(key: &str, value: usize) -> Value {
    json!({"key": key, "value": {"intValue": value.to_string()}})
}

fn message(role: &str, words: &str) -> String {
    json!([{"role": role, "parts": [{"type": "text", "content": words}]}]).to_string()
}

/// The `n`th span of a team: the first is its leader's.
fn span(team: usize, n: usize) -> Value {
    let words = |what: &str| -> String { format!("{what} {n} of team {team}. ").chars().cycle().take(TEXT).collect() };
    let worker = n / A_WORKER * A_WORKER;
    let (name, parent, about) = match n {
        0 => ("lead", None, agent("lead", &words("Question"))),
        _ if n == worker => ("worker", Some(0), agent("worker", &words("Part"))),
        _ if n % 2 == 1 => ("chat", Some(worker), call(n, &words("Question"), &words("Answer"))),
        _ => ("search", Some(worker), tool(&words("Words"), &words("Result"))),
    };
    let begins = 1_793_700_000_000_000_000 + n as u64 * 1_000_000;
    json!({
        "traceId": format!("{:032x}", team + 1), "spanId": format!("{:016x}", n + 1),
        "parentSpanId": parent.map(|parent| format!("{:016x}", parent + 1)).unwrap_or_default(),
        "name": name, "startTimeUnixNano": begins.to_string(), "endTimeUnixNano": (begins + 900_000).to_string(),
        "attributes": about,
    })
}

fn agent(name: &str, question: &str) -> Value {
    json!([
        text("gen_ai.operation.name", "invoke_agent"),
        text("gen_ai.agent.name", name),
        text("gen_ai.input.messages", &message("user", question)),
    ])
}

fn call(n: usize, question: &str, answer: &str) -> Value {
    json!([
        text("gen_ai.operation.name", "chat"),
        text("gen_ai.provider.name", "openai"),
        text("gen_ai.request.model", "gpt-5-mini"),
        number("gen_ai.usage.input_tokens", 1_000 + n % 100),
        number("gen_ai.usage.output_tokens", 100),
        text("gen_ai.input.messages", &message("user", question)),
        text("gen_ai.output.messages", &message("assistant", answer)),
    ])
}

fn tool(words: &str, result: &str) -> Value {
    json!([
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "search"),
        text("gen_ai.tool.call.arguments", &json!({"query": words}).to_string()),
        text("gen_ai.tool.call.result", result),
    ])
}

/// A connection that stays open, as exporters keep theirs.
pub struct Sender {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Sender {
    pub fn connect(address: SocketAddr) -> Sender {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        Sender { stream: BufReader::new(stream), address }
    }

    /// Sends a request and waits for its answer.
    pub fn send(&mut self, body: &[u8]) {
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-protobuf\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body].concat()).expect("it reads");
        let mut line = String::new();
        let mut next = |stream: &mut BufReader<TcpStream>| {
            line.clear();
            stream.read_line(&mut line).expect("it answers");
            line.trim_end().to_lowercase()
        };
        let status = next(&mut self.stream);
        assert!(status.contains(" 200 "), "it takes spans: {status}");
        let mut length = 0;
        loop {
            let header = next(&mut self.stream);
            match header.strip_prefix("content-length:") {
                Some(bytes) => length = bytes.trim().parse().expect("a number"),
                None if header.is_empty() => break,
                None => {}
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).expect("it answers");
    }
}
