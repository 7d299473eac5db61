//! A server that does what a test says, over a raw socket: nothing stands between, so that it can be as rude as it likes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `POST /v1/messages HTTP/1.1`.
    pub line: String,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// The action on a connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It is closed.
    Close,
    /// It is held open, and nothing is said on it, until the test is over.
    Hold,
}

/// A server. It is gone when it is dropped.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
}

impl Server {
    /// A server that answers through `answer`.
    pub fn new(answer: impl Fn(&Request, &mut TcpStream) -> Then + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            connections: Arc::default(),
            over: Arc::default(),
        };
        let (requests, connections, over) = (server.requests.clone(), server.connections.clone(), server.over.clone());
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                connections.fetch_add(1, Ordering::SeqCst);
                let (requests, answer) = (requests.clone(), answer.clone());
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    requests.lock().unwrap().push(request.clone());
                    if answer(&request, &mut stream) == Then::Hold {
                        // The client goes first.
                        let _ = stream.read(&mut [0]);
                    }
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        server
    }

    /// A server that answers every request with these bytes and closes the connection.
    pub fn bytes(answer: impl Into<Vec<u8>>) -> Server {
        let answer = answer.into();
        Server::new(move |_, stream| {
            let _ = stream.write_all(&answer);
            Then::Close
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The number of connections made to it.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut request = Request { line: line.trim_end().to_owned(), ..Request::default() };
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|n| *n > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = request.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).unwrap();
    Some(request)
}

/// An answer whose status says yes, and whose end is the end of the connection.
pub fn stream(body: impl AsRef<[u8]>) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nrequest-id: req_1\r\nconnection: close\r\n\r\n";
    [head.as_bytes(), body.as_ref()].concat()
}

/// An answer of a known length.
pub fn answer(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes()
}
