//! The one client: one attempt of one call over HTTP, its whole answer or why there is none.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::endpoint::Endpoint;
use super::fault::{Scene, request_id};
use super::limits::RateHeaders;
use super::prefix::Prefix;
use super::profile::{Format, SentAs};
use super::reading::{Asked, Hear, Reading};
use super::receive::{Receiver, Started};
use super::veil::Veil;
use super::{anthropic, openai};
use run::attempt::{Class, Fault, Reached};
use run::model::Reply;
use run::transcript::Round;
use text::Clean;

/// How long to wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the first byte of an answer; None for as long as the profile says.
    pub first_byte: Option<Duration>,
    /// For the next byte.
    pub idle: Duration,
    /// For the whole answer.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(10),
            first_byte: None,
            idle: Duration::from_secs(120),
            whole: Duration::from_secs(30 * 60),
        }
    }
}

/// How long a connection that nobody uses is kept: servers close theirs without a word, and a request on a connection
/// that has gone stale is one of which nobody knows what became.
const POOL_IDLE: Duration = Duration::from_secs(15);
/// The most that is read of the body of an error.
const ERROR_BODY: usize = 64 << 10;
/// How long to wait for the end of an answer that is complete, so that its connection can be used again.
const LINGER: Duration = Duration::from_millis(20);

/// The client of every provider. Cheap to share; connections to the outside are kept for whoever comes next.
#[derive(Clone, Debug)]
pub struct Client {
    ways: Arc<[OnceLock<Result<reqwest::Client, String>>; 3]>,
    patience: Patience,
}

/// How a server is reached. Each way is made when it is first gone: reading the system's certificates takes longer than
/// anything else that happens before the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Out of this machine, through a proxy if there is one.
    Out,
    /// To a server on this machine: no proxy stands between.
    Secured,
    /// The same without encryption: certificates are not needed.
    Plain,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The answer, or why there is none.
    pub outcome: Result<Reply, Fault>,
    /// What the server said about its limits either way.
    pub limits: RateHeaders,
}

impl Client {
    /// A client that waits as long as that.
    pub fn new(patience: Patience) -> Client {
        Client { ways: Arc::default(), patience }
    }

    /// Sends a conversation and brings back the whole answer. `key` names the logical call and is the same for each
    /// of its attempts; `hear` is told of it as it comes. Dropping the future closes the connection.
    pub async fn send(&self, endpoint: &Endpoint, rounds: &[Round], key: &str, hear: Hear<'_>) -> Answer {
        let mut limits = RateHeaders::default();
        let veil = Veil::new(endpoint, hear);
        let outcome = self.attempt(endpoint, rounds, key, &veil, &mut limits).await;
        veil.ends();
        let untold = || Scene { endpoint, model: "" }.protocol(Reached::Content, "nothing of it can be told");
        let outcome = match outcome {
            Ok(reply) => veil.over(reply).ok_or_else(untold),
            Err(fault) => Err(veil.over(fault).unwrap_or_else(untold)),
        };
        if let Err(fault) = &outcome {
            tracing::debug!(class = ?fault.class, reached = ?fault.reached, status = fault.status, "no answer: {fault}");
        }
        Answer { outcome, limits }
    }

    /// What this request begins with, as far as its siblings begin with the same.
    pub fn prefix(&self, endpoint: &Endpoint, rounds: &[Round]) -> Option<Prefix> {
        let quirks = &endpoint.profile.quirks;
        match endpoint.profile.format {
            Format::Anthropic => anthropic::prefix(rounds, quirks),
            Format::OpenAi => openai::prefix(rounds, quirks),
        }
    }

    async fn attempt(
        &self,
        endpoint: &Endpoint,
        rounds: &[Round],
        key: &str,
        hear: Hear<'_>,
        limits: &mut RateHeaders,
    ) -> Result<Reply, Fault> {
        let quirks = &endpoint.profile.quirks;
        let (path, body) = match endpoint.profile.format {
            Format::Anthropic => (anthropic::PATH, anthropic::body(rounds, quirks)),
            Format::OpenAi => (openai::PATH, openai::body(rounds, quirks)),
        };
        let (Some(round), Some(body)) = (rounds.last(), body) else {
            return Err(Fault::before_sending(Class::Malformed, "There is no request in this conversation.".into()));
        };
        let scene = Scene { endpoint, model: &round.request.model.model };
        let body = body.to_string();
        let asked = Asked { request: &round.request, quirks, turn: rounds.len(), bytes: body.len() };
        let mut headers = headers(endpoint);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Ok(key) = HeaderValue::from_str(key) {
            headers.insert("idempotency-key", key);
        }
        let began = Instant::now();
        let first_byte = self.patience.first_byte.unwrap_or_else(|| endpoint.profile.first_byte());
        let end = began + self.patience.whole;
        let first_by = (began + first_byte).min(end);
        let client = self.of(endpoint).map_err(|fault| *fault)?;
        let request = client.post(endpoint.base.join(path)).headers(headers).body(body);
        let response = match timeout_at(first_by, request.send()).await {
            Err(_) => return Err(scene.stalled(Reached::Sent, began.elapsed(), first_by == end)),
            Ok(Err(error)) => return Err(scene.transport(&error.without_url())),
            Ok(Ok(response)) => response,
        };
        *limits = RateHeaders::read(response.headers(), SystemTime::now());
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let headers = response.headers().clone();
            let body = self.error_body(response).await;
            return Err(scene.status(status, &headers, &body, SystemTime::now()));
        }
        let id = request_id(response.headers());
        let reading: Box<dyn Reading> = match endpoint.profile.format {
            Format::Anthropic => Box::new(anthropic::Answer::default()),
            Format::OpenAi => Box::new(openai::Answer::default()),
        };
        let started = Started { began, first_by, end, idle: self.patience.idle, linger: LINGER };
        let outcome = Receiver::new(scene, asked, reading, hear).receive(response, started).await;
        match outcome {
            Ok(mut reply) => {
                reply.request_id = id.or(reply.request_id);
                Ok(reply)
            }
            Err(fault) => Err(Fault { status: Some(status), request_id: id.or(fault.request_id.clone()), ..*fault }),
        }
    }

    /// Fetches JSON: the list of models, what a server says of itself.
    pub(super) async fn get(&self, endpoint: &Endpoint, url: reqwest::Url) -> Result<Value, Fault> {
        let scene = Scene { endpoint, model: "" };
        let begun = Instant::now();
        let client = self.of(endpoint).map_err(|fault| *fault)?;
        let request = client.get(url).headers(headers(endpoint)).send();
        let first_byte = self.patience.connect.saturating_mul(2);
        let response = match timeout(first_byte, request).await {
            Err(_) => return Err(scene.stalled(Reached::Sent, begun.elapsed(), false)),
            Ok(Err(error)) => return Err(scene.transport(&error.without_url())),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if !status.is_success() {
            let headers = response.headers().clone();
            let body = self.error_body(response).await;
            return Err(scene.status(status.as_u16(), &headers, &body, SystemTime::now()));
        }
        let body = self.body(response, 16 << 20).await;
        let body: Option<Value> = serde_json::from_slice(&body).ok();
        let body = body.and_then(|body| Veil::new(endpoint, &|_: Clean| {}).over(body));
        body.ok_or_else(|| scene.protocol(Reached::Accepted, "it is not JSON"))
    }

    fn of(&self, endpoint: &Endpoint) -> Result<&reqwest::Client, Box<Fault>> {
        let way = match (endpoint.base.is_loopback(), endpoint.base.is_secured()) {
            (false, _) => Way::Out,
            (true, true) => Way::Secured,
            (true, false) => Way::Plain,
        };
        self.ways[way as usize].get_or_init(|| self.make(way)).as_ref().map_err(|why| {
            let what = format!("the network cannot be used: {why}");
            Box::new(Fault::before_sending(Class::Unreachable, what.into()))
        })
    }

    fn make(&self, way: Way) -> Result<reqwest::Client, String> {
        let connect = self.patience.connect;
        let builder =
            http_client::builder().connect_timeout(connect).pool_idle_timeout(POOL_IDLE).tcp_nodelay(true).no_gzip();
        // A model server closes the connection after a stream without having said so, and the next request would be
        // lost on it. On this machine a new one costs next to nothing.
        let inward = |builder: reqwest::ClientBuilder| builder.no_proxy().pool_max_idle_per_host(0);
        let builder = match way {
            Way::Out => builder,
            Way::Secured => inward(builder),
            Way::Plain => inward(builder).tls_certs_only([]),
        };
        builder.build().map_err(|error| Clean::line(&error.without_url().to_string()).to_string())
    }

    async fn error_body(&self, response: reqwest::Response) -> Vec<u8> {
        self.body(response, ERROR_BODY).await
    }

    /// A body, as far as it comes in time and fits.
    async fn body(&self, mut response: reqwest::Response, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let read = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                let room = most - body.len();
                body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if body.len() == most {
                    break;
                }
            }
        };
        // What has come by then has to do.
        let _ = timeout(self.patience.idle.min(self.patience.connect), read).await;
        body
    }
}

/// The key and whatever else opens a provider. Nothing that holds a secret prints it.
fn headers(endpoint: &Endpoint) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let mut secret = |name: HeaderName, value: &str| {
        if let Ok(mut value) = HeaderValue::from_str(value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    };
    if let Some(key) = &endpoint.key {
        match key.sent_as {
            SentAs::Bearer => secret(AUTHORIZATION, &format!("Bearer {}", key.secret.exposed())),
            SentAs::XApiKey => secret(HeaderName::from_static("x-api-key"), key.secret.exposed()),
        }
    }
    for (name, value) in &endpoint.headers {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            secret(name, value.exposed());
        }
    }
    headers
}
