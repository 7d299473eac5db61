//! A model server of fixed latency: the first token after 200 ms, then 50 at one a millisecond. It reads a request only
//! as far as it has to, to know which of four answers is wanted.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const FIRST: Duration = Duration::from_millis(200);
const TOKENS: usize = 50;

/// The server as a process of its own.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    pub fn start() -> Server {
        let program = std::env::current_exe().expect("this program has a path");
        let mut child =
            Command::new(program).arg("serve").stdout(Stdio::piped()).spawn().expect("the server can be started");
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

pub fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(answer_all(stream));
        }
    });
}

async fn answer_all(mut stream: TcpStream) {
    let mut bytes = Vec::with_capacity(16 * 1024);
    while let Some(body) = request(&mut stream, &mut bytes).await {
        let began = tokio::time::Instant::now();
        let pieces = pieces(&body);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        tokio::time::sleep_until(began + FIRST).await;
        if stream.write_all(head.as_bytes()).await.is_err() {
            return;
        }
        for (n, piece) in pieces.iter().enumerate() {
            let chunk = format!("{:x}\r\n{piece}\r\n", piece.len());
            tokio::time::sleep_until(began + FIRST + Duration::from_millis(n as u64)).await;
            if stream.write_all(chunk.as_bytes()).await.is_err() {
                return;
            }
        }
        if stream.write_all(b"0\r\n\r\n").await.is_err() {
            return;
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
fn pieces(body: &str) -> Vec<String> {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"search","arguments":"{\"query\":\"what it costs\"}"}}]}"#;
    let (text, first) = if body.contains("check a draft") {
        (r#"{\"judgements\":[{\"sentence\":1,\"supported\":\"yes\",\"why\":\"\"}],\"missing\":[]}"#, None)
    } else if body.contains("write a brief from") {
        (r"# Cost\n\nIt costs little [1].", None)
    } else if body.contains(r#""role":"tool""#) {
        (r#"{\"findings\":[],\"gaps\":\"\"}"#, None)
    } else {
        ("", Some(call))
    };
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"fixed\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let content = |text: &str| event(&format!("{{\"content\":\"{text}\"}}"), "null");
    let mut pieces = vec![first.map_or_else(|| content(text), |call| event(call, "null"))];
    pieces.extend((1..TOKENS - 1).map(|_| content(" ")));
    let finish = if first.is_some() { "\"tool_calls\"" } else { "\"stop\"" };
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":50,\"total_tokens\":950}}\n\ndata: [DONE]\n\n";
    pieces.push(format!("{}{usage}", event("{}", finish)));
    pieces
}
