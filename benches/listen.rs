//! Spans taken in live by the program itself: how many a second, and what one trace of many costs. It sends as OTLP exporters do,
//! 512 spans a request as protobuf over one connection, and waits for each answer.

use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kit::otlp::protobuf;
use serde_json::{Value, json};

const TOGETHER: u64 = 512;

fn main() {
    println!(
        "{:>9} {:>7} {:>12} {:>10} {:>9} {:>10} {:>9}",
        "spans", "traces", "paced by", "spans/s", "CPU", "told after", "most MiB"
    );
    for (spans, traces, pace) in
        [(100_000, 200, None), (100_000, 1, None), (300_000, 1, None), (100_000, 20, Some(10_000))]
    {
        measure(spans, traces, pace);
    }
}

/// A model call of 1 kB, an agent above every hundred of them, and one above all. The one at the top comes last.
fn span(n: u64, of: u64, trace: u64) -> Value {
    let pair = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let count = |key: &str, n: u64| json!({"key": key, "value": {"intValue": n}});
    let at = |n: u64| (1_793_700_000_000_000_000 + n * 1_000_000).to_string();
    let (operation, parent) = match n {
        n if n + 1 == of => ("invoke_agent", None),
        n if n % 100 == 99 => ("invoke_agent", Some(of)),
        n => ("chat", Some((n / 100 * 100 + 100).min(of))),
    };
    json!({
        "traceId": format!("{:032x}", trace + 1), "spanId": format!("{:016x}", n + 1),
        "parentSpanId": parent.map(|parent| format!("{parent:016x}")).unwrap_or_default(),
        "name": operation, "startTimeUnixNano": at(n), "endTimeUnixNano": at(n + 50),
        "attributes": [
            pair("gen_ai.operation.name", operation), pair("gen_ai.request.model", "gpt-5-mini"),
            pair("gen_ai.provider.name", "openai"), pair("gen_ai.agent.name", "reader"),
            count("gen_ai.usage.input_tokens", 1_000), count("gen_ai.usage.output_tokens", 100),
            pair("gen_ai.output.messages", &json!([{"role": "assistant", "parts": [{"type": "text", "content": "word ".repeat(120)}]}]).to_string()),
        ],
    })
}

fn bodies(spans: u64, traces: u64) -> Vec<Vec<u8>> {
    let resource = json!({"attributes": [{"key": "service.name", "value": {"stringValue": "bench"}}]});
    let each = spans / traces;
    let all: Vec<Value> = (0..each).flat_map(|n| (0..traces).map(move |trace| span(n, each, trace))).collect();
    let body =
        |part: &[Value]| protobuf(&json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": part}]}]}));
    all.chunks(TOGETHER as usize).map(body).collect()
}

fn measure(spans: u64, traces: u64, pace: Option<u64>) {
    let bodies = bodies(spans, traces);
    let home = tempfile::tempdir().unwrap();
    let mut program: Command = kit::program(env!("CARGO_BIN_EXE_masthead"), home.path());
    let mut child = program
        .args(["open", "--listen", "127.0.0.1:0", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut out, mut err) =
        (BufReader::new(child.stdout.take().unwrap()), BufReader::new(child.stderr.take().unwrap()));
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    std::thread::spawn(move || err.lines().map_while(Result::ok).count());
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_nodelay(true).unwrap();
    let begun = Instant::now();
    for (n, body) in bodies.iter().enumerate() {
        if let Some(pace) = pace {
            let due = Duration::from_secs_f64((n as u64 * TOGETHER) as f64 / pace as f64);
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/x-protobuf\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut answer = vec![0; 1024];
        let n = stream.read(&mut answer).unwrap();
        assert!(answer[..n].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..n]));
    }
    let sent = begun.elapsed();
    let pid = child.id();
    let cpu = processor_time(pid);
    for _ in 0..traces {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0);
    }
    let told = begun.elapsed() - sent;
    let status = read_to_string(format!("/proc/{pid}/status")).unwrap();
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    println!(
        "{spans:>9} {traces:>7} {:>12} {:>10.0} {:>8.0}% {:>8.1} s {:>9}",
        pace.map_or("answers".to_owned(), |pace| format!("{pace}/s")),
        spans as f64 / sent.as_secs_f64(),
        100.0 * cpu / sent.as_secs_f64(),
        told.as_secs_f64(),
        most.unwrap_or(0) / 1024
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Seconds of processor time that a process has had.
fn processor_time(pid: u32) -> f64 {
    let stat = read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}
