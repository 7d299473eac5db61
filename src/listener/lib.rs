//! Takes OpenTelemetry traces by OTLP over HTTP, and hands each body on. It listens on loopback and nowhere else, answers no page
//! of a browser that comes from elsewhere, never calls out, and does not look into spans.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod address;
mod answer;

use std::convert::Infallible;
use std::io::{self, Read};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
pub use telemetry::Form;
use text::Clean;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub use address::{Address, PORT, Refused};
use answer::Refusal;

/// The most bytes of a body, as it comes and unpacked: the limit of the OpenTelemetry collector.
pub const MOST_BODY: usize = 20 << 20;
/// The most connections at the same time; further ones wait.
const MOST_CONNECTIONS: usize = 256;
/// The most bodies that are received at the same time.
const MOST_BODIES: usize = 8;
/// The most bytes of the head of a request.
const MOST_HEAD: usize = 64 * 1024;
/// The most time for the first byte of a connection, for a body, and for a place to receive one.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most time for the head of the next request.
const IDLE: Duration = Duration::from_secs(60);

/// The result of taking in the spans of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The spans that were not taken in.
    pub rejected: usize,
    /// The reason why they were not.
    pub why: String,
}

/// Something that a person should know of the programs that send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Metrics or logs came, and were left out.
    LeftOut(&'static str),
    /// A program speaks another protocol: its name, and the setting to change.
    OtherProtocol(&'static str),
    /// A request was refused, for this reason.
    Refused(Clean),
}

/// The receiver of bodies.
pub trait Sink: Send + Sync + 'static {
    /// Takes in a body of traces. It may take its time.
    ///
    /// # Errors
    /// Its fault; nothing of it was taken in then.
    fn take(&self, body: &[u8], form: Form) -> Result<Taken, String>;

    /// Is told of something that a person should know.
    fn remark(&self, remark: Remark);
}

/// A port that is listened on.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: Address,
}

impl Listener {
    /// Takes the port; 0 takes any that is free.
    ///
    /// # Errors
    /// It is taken, or may not be taken.
    pub fn bind(address: Address) -> io::Result<Listener> {
        let socket = TcpListener::bind(address.socket())?;
        socket.set_nonblocking(true)?;
        let port = socket.local_addr()?.port();
        let address = address.with_port(port);
        Ok(Listener { socket, address })
    }

    /// The address that it listens on.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Answers requests for as long as it is polled. It belongs into a runtime with timers and blocking threads.
    ///
    /// # Errors
    /// The socket cannot be used any more.
    pub async fn serve(self, sink: Arc<dyn Sink>) -> io::Result<Infallible> {
        let socket = tokio::net::TcpListener::from_std(self.socket)?;
        let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let server = Arc::new(Server { sink, bodies: Semaphore::new(MOST_BODIES) });
        loop {
            // Nobody closes it.
            let Ok(place) = connections.clone().acquire_owned().await else { continue };
            let stream = match socket.accept().await {
                Ok((stream, _)) => stream,
                // The client has gone, or there are too many files open: others may come.
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let server = server.clone();
            tokio::spawn(async move {
                server.connection(stream).await;
                drop(place);
            });
        }
    }
}

struct Server {
    sink: Arc<dyn Sink>,
    bodies: Semaphore,
}

const SPEAKS_GRPC: &str =
    "a program sends by gRPC, which is not listened for: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf there";
const SPEAKS_TLS: &str =
    "a program sends by TLS, which loopback does not need: set its endpoint to http://, not https://";

impl Server {
    async fn connection(self: &Arc<Server>, stream: TcpStream) {
        let mut head = [0; 3];
        match timeout(PATIENCE, stream.peek(&mut head)).await {
            Ok(Ok(1..)) => {}
            _ => return,
        }
        match head {
            [b'P', b'R', b'I'] => return self.sink.remark(Remark::OtherProtocol(SPEAKS_GRPC)),
            [0x16, 0x03, _] => return self.sink.remark(Remark::OtherProtocol(SPEAKS_TLS)),
            _ => {}
        }
        let server = self.clone();
        let service = service_fn(move |request| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .max_buf_size(MOST_HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        }
    }

    async fn answer(self: Arc<Server>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let form = form(request.headers());
        match self.received(request, form).await {
            Ok(response) => response,
            Err(refusal) => {
                self.sink.remark(Remark::Refused(Clean::line(&refusal.why)));
                refusal.response(form.unwrap_or(Form::Json))
            }
        }
    }

    async fn received(
        self: &Arc<Server>,
        request: Request<Incoming>,
        form: Option<Form>,
    ) -> Result<Response<Full<Bytes>>, Refusal> {
        let left_out = admitted(&request)?;
        let (headers, body) = (request.headers().clone(), request.into_body());
        let form = form.ok_or_else(|| {
            let named = quoted(header(&headers, &CONTENT_TYPE).unwrap_or("none"));
            let why = format!("content-type {named}: only application/json and application/x-protobuf are read");
            Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why)
        })?;
        let is_packed = match header(&headers, &CONTENT_ENCODING) {
            None | Some("" | "identity") => false,
            Some("gzip" | "x-gzip") => true,
            Some(other) => {
                let why = format!("content-encoding {}: only gzip is unpacked", quoted(other));
                return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
            }
        };
        let place = timeout(PATIENCE, self.bodies.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too much comes at once: send it again"));
        };
        let body = whole(body).await?;
        if let Some(left_out) = left_out {
            self.sink.remark(Remark::LeftOut(left_out));
            return Ok(answer::taken(&Taken::default(), form));
        }
        let sink = self.sink.clone();
        let work = tokio::task::spawn_blocking(move || {
            let body = if is_packed { unpacked(&body)? } else { body.into() };
            let wrong = |why: String| Refusal::new(StatusCode::BAD_REQUEST, format!("the body cannot be read: {why}"));
            sink.take(&body, form).map_err(wrong)
        });
        match work.await {
            Ok(taken) => Ok(answer::taken(&taken?, form)),
            Err(error) => {
                tracing::error!(%error, "a body could not be taken in");
                Err(Refusal::new(StatusCode::BAD_REQUEST, "the body cannot be read"))
            }
        }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("in another encoding"))
}

fn form(headers: &HeaderMap) -> Option<Form> {
    let media = header(headers, &CONTENT_TYPE)?.split(';').next()?.trim().to_ascii_lowercase();
    [Form::Json, Form::Protobuf].into_iter().find(|form| form.media() == media)
}

/// Whether a request may be answered at all, by all but its body; the name of the content that is left out, if any.
fn admitted(request: &Request<Incoming>) -> Result<Option<&'static str>, Refusal> {
    let headers = request.headers();
    // A page in a browser could send here by a name of its own, or read the answer.
    let host = header(headers, &HOST).or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    let forbidden = |what: &str| {
        let why = format!("{what}: only programs of this machine may send here, to localhost or a loopback address");
        Err(Refusal::new(StatusCode::FORBIDDEN, why))
    };
    match (host, header(headers, &ORIGIN)) {
        (None, _) => return forbidden("without a host"),
        (Some(host), _) if !address::is_loopback(host) => return forbidden(&format!("for {}", quoted(host))),
        (_, Some(origin)) if !address::is_origin_of_loopback(origin) => {
            return forbidden(&format!("from {}", quoted(origin)));
        }
        _ => {}
    }
    let left_out = match request.uri().path() {
        "/v1/traces" => None,
        "/v1/metrics" => Some("metrics"),
        "/v1/logs" => Some("logs"),
        other => {
            let why = format!("there is no {}: traces go to /v1/traces", quoted(other));
            return Err(Refusal::new(StatusCode::NOT_FOUND, why));
        }
    };
    if request.method() != Method::POST {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "traces are sent with POST"));
    }
    if request.body().size_hint().lower() > MOST_BODY as u64 {
        return Err(too_large());
    }
    Ok(left_out)
}

/// The parts of a request that a person may read.
fn quoted(words: &str) -> String {
    Clean::line(words).chars().take(80).collect()
}

fn too_large() -> Refusal {
    let why = format!("the body has more than {} MiB: send fewer spans at a time", MOST_BODY >> 20);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
}

async fn whole(body: Incoming) -> Result<Bytes, Refusal> {
    match timeout(PATIENCE, Limited::new(body, MOST_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Refusal::new(StatusCode::BAD_REQUEST, "the body ends before its end")),
        Err(_) => {
            let why = format!("the body did not come within {} s", PATIENCE.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, why))
        }
    }
}

fn unpacked(body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut unpacked = Vec::new();
    let packed = flate2::read::MultiGzDecoder::new(body);
    match packed.take(MOST_BODY as u64 + 1).read_to_end(&mut unpacked) {
        Ok(n) if n > MOST_BODY => Err(too_large()),
        Ok(_) => Ok(unpacked),
        Err(_) => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "the body is no gzip, though its content-encoding says so"))
        }
    }
}
