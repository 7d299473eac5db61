//! A model server of fixed latency and speed, which answers in the program's own forms. A researcher's model searches, reads on
//! around its hits, searches again and reports the text that it read, to the letter; a writer's cites its findings. It reads a
//! request only as far as it has to, because it shares the machine with the measured program.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The speed of its answers.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Until the first token.
    pub first: Duration,
    /// From one token to the next.
    pub between: Duration,
    /// Tokens of an answer.
    pub tokens: u32,
    /// Calls of one researcher: the last reports, the others use a tool.
    pub calls: u32,
}

impl Speed {
    fn to_args(self) -> [String; 4] {
        let micros = |time: Duration| time.as_micros().to_string();
        [micros(self.first), micros(self.between), self.tokens.to_string(), self.calls.to_string()]
    }

    fn of_args(mut args: impl Iterator<Item = String>) -> Option<Speed> {
        let mut number = || args.next()?.parse::<u64>().ok();
        let (first, between, tokens, calls) = (number()?, number()?, number()?, number()?);
        let micros = Duration::from_micros;
        Some(Speed { first: micros(first), between: micros(between), tokens: tokens as u32, calls: calls as u32 })
    }
}

/// The server as a process of its own.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    pub fn start(speed: Speed) -> Server {
        Server::of(["serve".to_owned()].into_iter().chain(speed.to_args()))
    }

    /// A collector of telemetry, which takes all that it is sent and keeps nothing.
    pub fn collector() -> Server {
        Server::of(["collect".to_owned()])
    }

    fn of(args: impl IntoIterator<Item = String>) -> Server {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command.args(args).stdout(Stdio::piped());
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
    listen(move |stream| answer_all(stream, speed));
}

pub fn collect() {
    listen(|mut stream| async move {
        let mut bytes = Vec::with_capacity(512 * 1024);
        while request(&mut stream, &mut bytes).await.is_some() {
            if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.is_err() {
                return;
            }
        }
    });
}

/// Says its port, and answers connections until the process ends.
fn listen<F: Future<Output = ()> + Send + 'static>(answer: impl Fn(TcpStream) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(answer(stream));
        }
    });
}

async fn answer_all(mut stream: TcpStream, speed: Speed) {
    let mut bytes = Vec::with_capacity(16 * 1024);
    let mut chunks = Vec::with_capacity(16 * 1024);
    while let Some(request) = request(&mut stream, &mut bytes).await {
        let began = tokio::time::Instant::now();
        if request.starts_with("GET") {
            let body = r#"{"object":"list","data":[{"id":"fixed","object":"model","max_model_len":262144}]}"#;
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
            if stream.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
                return;
            }
            continue;
        }
        let pieces = pieces(&request, speed);
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
            chunks.clear();
            while let Some((_, piece)) = left.next_if(|(n, _)| due(*n) <= now) {
                chunks.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                chunks.extend_from_slice(piece.as_bytes());
                chunks.extend_from_slice(b"\r\n");
            }
            if left.peek().is_none() {
                chunks.extend_from_slice(b"0\r\n\r\n");
            }
            if stream.write_all(&chunks).await.is_err() {
                return;
            }
        }
    }
}

/// The next request, head and body.
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
    let length = head.split("content-length:").nth(1).and_then(|rest| rest.split("\r\n").next());
    let length = length.map_or(Some(0), |length| length.trim().parse::<usize>().ok())?;
    while bytes.len() < head_end + length {
        if stream.read_buf(bytes).await.ok()? == 0 {
            return None;
        }
    }
    let request = String::from_utf8_lossy(&bytes[..head_end + length]).into_owned();
    bytes.drain(..head_end + length);
    Some(request)
}

/// One answer of the model.
enum Says {
    /// It calls this tool with these arguments, as JSON.
    Calls(&'static str, String),
    /// Text, written as in a JSON string.
    Text(String),
}

/// The events of an answer, one a token.
fn pieces(request: &str, speed: Speed) -> Vec<String> {
    let says = answer(request, speed.calls);
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"fixed\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let content = |text: &str| event(&format!("{{\"content\":\"{text}\"}}"), "null");
    // Talk comes before a call, so that there is something to show; a text comes in parts.
    let mut pieces: Vec<String> = match &says {
        Says::Calls(name, arguments) => {
            let arguments = arguments.replace('\\', "\\\\").replace('"', "\\\"");
            let call = format!(
                r#"{{"tool_calls":[{{"index":0,"id":"call_1","type":"function","function":{{"name":"{name}","arguments":"{arguments}"}}}}]}}"#
            );
            // No two lines are alike: a model that says the same again and again is stopped.
            let word = |n: u32| if n.is_multiple_of(12) { format!("{n}.\\n") } else { "and ".to_owned() };
            let talk = (2..speed.tokens).map(|n| content(&word(n)));
            talk.chain([event(&call, "null")]).collect()
        }
        Says::Text(text) => {
            // No part ends within an escape.
            let words: Vec<&str> = text.split_inclusive(' ').collect();
            let each = words.len().div_ceil(speed.tokens.saturating_sub(1).max(1) as usize).max(1);
            words.chunks(each).map(|words| content(&words.concat())).collect()
        }
    };
    let finish = if matches!(says, Says::Calls(..)) { "\"tool_calls\"" } else { "\"stop\"" };
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":50,\"total_tokens\":950}}\n\ndata: [DONE]\n\n";
    pieces.push(format!("{}{usage}", event("{}", finish)));
    pieces
}

/// The answer of a writer's model, or of a researcher's after as many answers as it has given.
fn answer(request: &str, calls: u32) -> Says {
    if request.contains("You write a brief from numbered findings") {
        return Says::Text(brief(request));
    }
    let given = request.matches(r#""role":"assistant""#).count() as u32;
    let part = between(request, "Your part of it: ", "\\n").unwrap_or("the question");
    // The subject of the question stands between "What does" and "do".
    let about = between(part, "What does ", " do").unwrap_or(part);
    let (source, passage) = passage(request, about).unwrap_or(("", ""));
    if given + 1 >= calls {
        let quote = passage.split_inclusive('.').next().unwrap_or("").trim();
        let report =
            format!(r#"{{"findings":[{{"claim":"{quote}","quote":"{quote}","source":"{source}"}}],"gaps":""}}"#);
        return match request.contains(r#""name":"report""#) {
            true => Says::Calls("report", report),
            false => Says::Text(report.replace('"', "\\\"")),
        };
    }
    match given % 3 {
        0 => Says::Calls("search", format!(r#"{{"query":"{about} purpose {given}"}}"#)),
        1 => Says::Calls("read", format!(r#"{{"source":"{source}","from":0,"to":3}}"#)),
        _ => Says::Calls("search", format!(r#"{{"query":"limits of {about} {given}"}}"#)),
    }
}

/// A sentence for each of the first findings.
fn brief(request: &str) -> String {
    let findings = request.split("<finding>\\n").skip(1).filter_map(|rest| rest.split("\\n</finding>").next());
    let sentences = findings.take(30).enumerate();
    let sentences: Vec<String> =
        sentences.map(|(n, claim)| format!("{} [{}].", claim.trim_end_matches('.'), n + 1)).collect();
    format!("# What the parts do\\n\\n{}", sentences.join(" "))
}

/// The first passage that begins with the subject, and its source, as they are written in the request.
fn passage<'a>(request: &'a str, about: &str) -> Option<(&'a str, &'a str)> {
    let passages = request.split(r#"<passage source=\""#).skip(1);
    let read = passages.filter_map(|rest| Some((rest.split('\\').next()?, between(rest, ">\\n", "\\n</passage>")?)));
    let mut read = read.filter(|(_, text)| !text.is_empty()).peekable();
    let first = read.peek().copied();
    let begins = |text: &str| text.get(..about.len()).is_some_and(|start| start.eq_ignore_ascii_case(about));
    read.find(|(_, text)| begins(text)).or(first)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(start)? + start.len()..];
    rest.find(end).map(|at| &rest[..at])
}
