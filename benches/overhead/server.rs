//! A model server of fixed latency and speed. It reads a request only as far as it has to, to know which of five answers is
//! wanted.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How fast it answers.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Until the first token.
    pub first: Duration,
    /// From one token to the next.
    pub between: Duration,
    /// Tokens of an answer.
    pub tokens: u32,
    /// Whether researchers look something up before they report.
    pub search: bool,
}

impl Speed {
    fn to_args(self) -> [String; 4] {
        let micros = |time: Duration| time.as_micros().to_string();
        [micros(self.first), micros(self.between), self.tokens.to_string(), u32::from(self.search).to_string()]
    }

    fn of_args(mut args: impl Iterator<Item = String>) -> Option<Speed> {
        let mut number = || args.next()?.parse::<u64>().ok();
        let (first, between, tokens, search) = (number()?, number()?, number()?, number()?);
        let micros = Duration::from_micros;
        Some(Speed { first: micros(first), between: micros(between), tokens: tokens as u32, search: search > 0 })
    }
}

/// The server as a process of its own.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    pub fn start(speed: Speed) -> Server {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command.arg("serve").args(speed.to_args()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server can be started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("the server says its port");
        Server { child, port: line.trim().parse().expect("a port") }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn serve(args: impl Iterator<Item = String>) {
    let speed = Speed::of_args(args).expect("the speed is said");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(answer_all(stream, speed));
        }
    });
}

async fn answer_all(mut stream: TcpStream, speed: Speed) {
    let mut bytes = Vec::with_capacity(16 * 1024);
    while let Some(body) = request(&mut stream, &mut bytes).await {
        let began = tokio::time::Instant::now();
        let pieces = pieces(&body, speed);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        tokio::time::sleep_until(began + speed.first).await;
        if stream.write_all(head.as_bytes()).await.is_err() {
            return;
        }
        // Each token leaves when it is due; where the machine is late, all that are due leave together, so that the
        // server takes no more of the machine than it has to.
        let due = |n: u32| began + speed.first + speed.between * n;
        let mut left = (0..).zip(&pieces).peekable();
        while let Some((n, _)) = left.peek() {
            tokio::time::sleep_until(due(*n)).await;
            let now = tokio::time::Instant::now();
            let mut chunks = String::new();
            while let Some((_, piece)) = left.next_if(|(n, _)| due(*n) <= now) {
                let _ = write!(chunks, "{:x}\r\n{piece}\r\n", piece.len());
            }
            if left.peek().is_none() {
                chunks.push_str("0\r\n\r\n");
            }
            if stream.write_all(chunks.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// The body of the next request.
async fn request(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<String> {
    let find = |bytes: &[u8]| bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let head_end = loop {
        if let Some(at) = find(bytes) {
            break at + 4;
        }
        if stream.read_buf(bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).to_lowercase();
    let length = head.split("content-length:").nth(1)?.split("\r\n").next()?.trim().parse::<usize>().ok()?;
    while bytes.len() < head_end + length {
        if stream.read_buf(bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&bytes[head_end..head_end + length]).into_owned();
    bytes.drain(..head_end + length);
    Some(body)
}

/// The events of an answer, one a token.
fn pieces(body: &str, speed: Speed) -> Vec<String> {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"search","arguments":"{\"query\":\"what it costs\"}"}}]}"#;
    let looks = speed.search && !body.contains(r#""role":"tool""#);
    let (text, first) = if body.contains("cut a question") {
        (plan(), None)
    } else if body.contains("check a draft") {
        (r#"{\"judgements\":[{\"sentence\":1,\"supported\":\"yes\",\"why\":\"\"}],\"missing\":[]}"#.into(), None)
    } else if body.contains("write a brief from") {
        (r"# Cost\n\nIt costs little [1].".into(), None)
    } else if looks {
        (String::new(), Some(call))
    } else {
        (r#"{\"findings\":[],\"gaps\":\"\"}"#.into(), None)
    };
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"fixed\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let content = |text: &str| event(&format!("{{\"content\":\"{text}\"}}"), "null");
    // Talk comes before the answer, so that there is something to show.
    let talk = (2..speed.tokens).map(|n| content(if n % 12 == 0 { "on.\\n" } else { "and " }));
    let mut pieces: Vec<String> = match first {
        Some(call) => std::iter::once(event(call, "null")).chain((2..speed.tokens).map(|_| content(" "))).collect(),
        None => talk.chain([content(&text)]).collect(),
    };
    let finish = if first.is_some() { "\"tool_calls\"" } else { "\"stop\"" };
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":50,\"total_tokens\":950}}\n\ndata: [DONE]\n\n";
    pieces.push(format!("{}{usage}", event("{}", finish)));
    pieces
}

/// A hundred tasks, as JSON within JSON.
fn plan() -> String {
    let task = |n: u32| format!(r#"{{\"title\":\"part {n}\",\"question\":\"What of part {n}?\"}}"#);
    let tasks: Vec<String> = (1..=100).map(task).collect();
    format!(r#"{{\"shape\":\"facets\",\"tasks\":[{}],\"why\":\"so\"}}"#, tasks.join(","))
}
