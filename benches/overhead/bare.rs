//! The bare loop: the time and memory of the same calls without a team. Each researcher is a task that asks the same server as
//! often, one call after the other, reads the stream, keeps the conversation, and commits one row of as many bytes as the program's
//! journal takes for a call before it goes on; rows that wait go into one commit, with full durability.

use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::measured::Measured;
use crate::usage::Usage;

/// Measures it in a process of its own: this program again.
pub fn run(n: usize, port: u16, calls: u32, bytes_a_call: u64) -> Measured {
    let program = std::env::current_exe().expect("this program has a path");
    let numbers = [n.to_string(), port.to_string(), calls.to_string(), bytes_a_call.to_string()];
    let output = Command::new(program).arg("bare").args(numbers).output().expect("the bare loop can be started");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<u64> = told.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [wall, processor, peak_kib] = numbers[..] else {
        panic!("the bare loop says what it took: {told} {}", String::from_utf8_lossy(&output.stderr))
    };
    let (wall, processor) = (Duration::from_micros(wall), Duration::from_micros(processor));
    Measured { wall, processor, peak_kib, calls: n as u64 * u64::from(calls), bytes_a_call }
}

/// The process itself: prints wall time and processor time (µs), and its most memory (KiB).
pub fn show(mut args: impl Iterator<Item = String>) {
    let mut number = || args.next().and_then(|arg| arg.parse::<u64>().ok()).expect("a number");
    let (n, port, calls, bytes) = (number(), number(), number(), number());
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, waiting) = mpsc::channel::<(String, oneshot::Sender<()>)>();
    let path = folder.path().join("rows.db");
    let writer = std::thread::spawn(move || write(&path, &waiting));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    // Made once before the clock starts, as the program has read its sources by then.
    let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).tcp_nodelay(true).tls_certs_only([]);
    // Nothing is encrypted on loopback; the client asks for a provider all the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = client.build().expect("a client");
    let (before, began) = (Usage::of("self").unwrap_or_default(), Instant::now());
    runtime.block_on(async {
        let tasks: Vec<_> = (1..=n)
            .map(|n| tokio::spawn(researcher(client.clone(), port as u16, n, calls, bytes as usize, rows.clone())))
            .collect();
        for task in tasks {
            task.await.expect("no task panics");
        }
    });
    let wall = began.elapsed();
    let after = Usage::of("self").unwrap_or_default();
    println!("{} {} {}", wall.as_micros(), (after.processor - before.processor).as_micros(), after.peak_kib);
    drop(rows);
    let _ = writer.join();
}

async fn researcher(
    client: reqwest::Client,
    port: u16,
    n: u64,
    calls: u64,
    bytes: usize,
    rows: mpsc::Sender<(String, oneshot::Sender<()>)>,
) {
    let task = format!("Your part of it: What does machine {n} do?\n");
    let mut messages =
        vec![json!({"role": "system", "content": "You research."}), json!({"role": "user", "content": task})];
    for _ in 0..calls {
        // With its tool the last answer is a report, as long as the others, as in the program.
        let tools = json!([{"type": "function", "function": {"name": "report"}}]);
        let body = json!({"model": "fixed", "messages": messages, "tools": tools, "stream": true}).to_string();
        let url = format!("http://127.0.0.1:{port}/v1/chat/completions");
        let sent = client.post(url).header("content-type", "application/json").body(body).send().await;
        let mut response = sent.expect("the server answers");
        let (mut buffer, mut said, mut called) = (Vec::new(), String::new(), Value::Null);
        while let Some(chunk) = response.chunk().await.expect("the stream goes on") {
            buffer.extend_from_slice(&chunk);
            while let Some(end) = buffer.windows(2).position(|two| two == b"\n\n") {
                if let Some(data) = buffer[..end].strip_prefix(b"data: ")
                    && let Ok(event) = serde_json::from_slice::<Value>(data)
                {
                    let delta = &event["choices"][0]["delta"];
                    said.push_str(delta["content"].as_str().unwrap_or_default());
                    if let Some(calls) = delta.get("tool_calls") {
                        called = calls.clone();
                    }
                }
                buffer.drain(..end + 2);
            }
        }
        let (recorded, committed) = oneshot::channel();
        let mut row = said.clone();
        row.extend(std::iter::repeat_n('.', bytes.saturating_sub(row.len())));
        rows.send((row, recorded)).expect("the writer is there");
        committed.await.expect("the row is committed");
        messages.push(json!({"role": "assistant", "content": said, "tool_calls": called}));
        messages.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "nothing"}));
    }
}

fn write(path: &std::path::Path, waiting: &mpsc::Receiver<(String, oneshot::Sender<()>)>) {
    let mut connection = Connection::open(path).expect("a database");
    let setup =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT);";
    connection.execute_batch(setup).expect("its table");
    while let Ok(first) = waiting.recv() {
        let mut together = vec![first];
        together.extend(waiting.try_iter().take(1023));
        let transaction = connection.transaction().expect("a transaction");
        for (row, _) in &together {
            let mut insert = transaction.prepare_cached("INSERT INTO rows (body) VALUES (?1)").expect("a statement");
            insert.execute(params![row]).expect("a row");
        }
        transaction.commit().expect("a commit");
        for (_, recorded) in together {
            let _ = recorded.send(());
        }
    }
}
