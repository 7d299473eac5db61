//! A web server that says what a test tells it to, on loopback, over plain sockets. It waits for nothing but requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use text::locked::{Locked, Woken};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// Path with query.
    pub target: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let url = reqwest::Url::parse(&format!("http://x{}", self.target)).ok()?;
        url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }
}

/// The answer of the server.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The status code.
    pub status: u16,
    /// Headers besides the length.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The action behind it.
    pub then: Then,
    /// The points at which the body waits to be let go on: bytes from its beginning, and the gate.
    pub halts: Option<(Vec<usize>, Gate)>,
}

/// Holds up an answer in its middle until the test lets it go on.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<usize>, Condvar)>);

impl Gate {
    /// Lets one halt pass, now or when an answer comes to it.
    pub fn open(&self) {
        *self.0.0.locked() += 1;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let open = self.0.0.locked();
        let mut open = self.0.1.wait_while(open, |open| *open == 0).woken();
        *open -= 1;
    }
}

/// The action of a server behind an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// It reads the next request on the same connection.
    #[default]
    Next,
    /// It closes the connection in the middle of the body, of which half was sent.
    Cut,
    /// It stops in the middle of the body, and holds the connection open until the client goes.
    Stall,
}

impl Said {
    /// An answer of a type.
    pub fn new(status: u16, media: &str, body: impl Into<Vec<u8>>) -> Said {
        Said { status, headers: vec![("content-type".into(), media.into())], body: body.into(), ..Said::default() }
    }

    /// With this behind it.
    pub fn then(self, then: Then) -> Said {
        Said { then, ..self }
    }

    /// With one more header.
    pub fn with(mut self, name: &str, value: &str) -> Said {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// A server at work until the process ends.
pub struct Scripted {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Starts a server that answers by `script`.
    pub fn start(script: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Scripted {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("its address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (log, script) = (asked.clone(), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, script) = (log.clone(), script.clone());
                // A client that goes away in the middle is its own affair.
                std::thread::spawn(move || drop(serve(&stream, &log, &*script)));
            }
        });
        Scripted { address, asked }
    }

    /// An URL on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.locked().clone()
    }
}

fn serve(stream: &TcpStream, log: &Mutex<Vec<Asked>>, script: &dyn Fn(&Asked) -> Said) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut asked = Asked {
            method: words.next().unwrap_or_default(),
            target: words.next().unwrap_or_default(),
            ..Asked::default()
        };
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            asked.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        asked.body = String::from_utf8_lossy(&body).into_owned();
        log.locked().push(asked.clone());
        let said = script(&asked);
        let mut head = format!("HTTP/1.1 {} x\r\ncontent-length: {}\r\n", said.status, said.body.len());
        for (name, value) in &said.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut writer = stream;
        writer.write_all(head.as_bytes())?;
        writer.write_all(b"\r\n")?;
        if said.then == Then::Next {
            let mut sent = 0;
            if let Some((halts, gate)) = &said.halts {
                for halt in halts {
                    writer.write_all(&said.body[sent..*halt])?;
                    sent = *halt;
                    gate.pass();
                }
            }
            writer.write_all(&said.body[sent..])?;
            continue;
        }
        writer.write_all(&said.body[..said.body.len() / 2])?;
        if said.then == Then::Stall {
            // The client goes first.
            reader.read_exact(&mut [0])?;
        }
        return stream.shutdown(Shutdown::Both);
    }
}
