//! The HTTP client: sends one attempt of a model call and returns the whole answer, or the failure. It never retries.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::endpoint::Endpoint;
use super::fault::{Scene, request_id};
use super::limits::RateHeaders;
use super::prefix::Prefix;
use super::profile::{Format, SentAs};
use super::reader::{Asked, Hear};
use super::receive::{Receiver, Started};
use super::redact::Redactor;
use super::{anthropic, openai, responses, wire};
use run::attempt::{Class, Fault, Reached};
use run::model::Reply;
use run::transcript::Round;
use text::Clean;

/// The timeouts of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// Until the first byte of an answer; None for the time in the profile.
    pub first_byte: Option<Duration>,
    /// Between two bytes.
    pub idle: Duration,
    /// For the whole answer.
    pub whole: Duration,
}

impl Patience {
    /// For work that another model can do. Until the first byte it is that of the profile: a model on the user's machine may have
    /// to be loaded.
    pub const HURRIED: Patience = Patience { idle: Duration::from_secs(30), ..Patience::USUAL };

    const USUAL: Patience = Patience {
        connect: Duration::from_secs(10),
        first_byte: None,
        idle: Duration::from_secs(120),
        whole: Duration::from_secs(30 * 60),
    };
}

impl Default for Patience {
    fn default() -> Self {
        Patience::USUAL
    }
}

/// The time for which an idle connection is kept. Servers close theirs silently, and a request on a stale connection ends in doubt.
const POOL_IDLE: Duration = Duration::from_secs(15);
/// The most bytes read of an error body.
const ERROR_BODY: usize = 64 << 10;

/// The client for all providers. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    ways: Arc<[OnceLock<Result<reqwest::Client, String>>; 3]>,
    patience: Patience,
    /// Another model can do the work.
    is_hurried: bool,
}

/// The way to reach a server. Each underlying client is made on first use, because reading the system's certificates is slower than
/// anything else before the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A remote server, through a proxy if one is set.
    Out,
    /// A server on this machine, never through a proxy.
    Secured,
    /// The same without TLS, or in the user's own network: no certificates are read.
    Plain,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The reply, or why there is none.
    pub outcome: Result<Reply, Fault>,
    /// The rate limits from the response headers, in either case.
    pub limits: RateHeaders,
}

impl Client {
    /// A client that waits this long. It connects to nothing yet.
    pub fn new(patience: Patience) -> Client {
        Client { ways: Arc::default(), patience, is_hurried: false }
    }

    /// The same client for work that another model can do as well.
    pub fn hurried(&self, patience: Patience) -> Client {
        Client { patience, is_hurried: true, ..self.clone() }
    }

    /// The time after which a call is given up of which nothing has come.
    pub fn waits_for_first_byte(&self, endpoint: &Endpoint) -> Duration {
        self.patience.first_byte.unwrap_or_else(|| endpoint.profile.first_byte(self.is_hurried))
    }

    /// Sends a conversation and returns the whole answer. `key` identifies the call and is the same for all its
    /// attempts; `hear` gets the text as it arrives. Dropping the future closes the connection.
    pub async fn send(&self, endpoint: &Endpoint, rounds: &[Round], key: &str, hear: Hear<'_>) -> Answer {
        let mut limits = RateHeaders::default();
        let redactor = Redactor::new(endpoint, hear);
        let outcome = self.attempt(endpoint, rounds, key, &redactor, &mut limits).await;
        redactor.flush();
        let unredactable =
            || Scene { endpoint, model: "" }.protocol(Reached::Content, "it cannot be shown without a key in it");
        let outcome = match outcome {
            Ok(reply) => redactor.redacted(reply).ok_or_else(unredactable),
            Err(fault) => Err(redactor.redacted(fault).unwrap_or_else(unredactable)),
        };
        if let Err(fault) = &outcome {
            tracing::debug!(class = ?fault.class, reached = ?fault.reached, status = fault.status, "no answer: {fault}");
        }
        Answer { outcome, limits }
    }

    /// The prefix of this request that its siblings share.
    pub fn prefix(&self, endpoint: &Endpoint, rounds: &[Round]) -> Option<Prefix> {
        let quirks = &endpoint.profile.quirks;
        match endpoint.profile.format {
            Format::Anthropic => anthropic::prefix(rounds, quirks),
            Format::OpenAi => openai::prefix(rounds, quirks),
            Format::Responses => responses::prefix(rounds, quirks),
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
        // As bytes alone while the answer arrives: as a value it takes several times as much.
        let body = wire::body(&endpoint.profile, rounds);
        let (Some(round), Some(body)) = (rounds.last(), body) else {
            return Err(Fault::before_sending(Class::Malformed, "There is no request in this conversation.".into()));
        };
        let scene = Scene { endpoint, model: &round.request.model.model };
        let asked = Asked { request: &round.request, quirks, turn: rounds.len(), bytes: body.len() };
        let mut headers = headers(endpoint);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Ok(key) = HeaderValue::from_str(key) {
            headers.insert("idempotency-key", key);
        }
        let began = Instant::now();
        let first_byte = self.waits_for_first_byte(endpoint);
        let idle = self.patience.idle;
        let end = began + self.patience.whole;
        let first_by = (began + first_byte).min(end);
        let path = wire::path(&endpoint.profile);
        let request = |client: &reqwest::Client| client.post(endpoint.base.join(path)).headers(headers).body(body);
        let response = self.response(scene, first_by, first_by == end, request).await?;
        *limits = RateHeaders::read(response.headers(), SystemTime::now());
        let response = self.successful(scene, response).await?;
        let status = response.status().as_u16();
        let id = request_id(response.headers());
        let started = Started { began, first_by, end, idle };
        let outcome =
            Receiver::new(scene, asked, wire::reader(&endpoint.profile), hear).receive(response, started).await;
        match outcome {
            Ok(mut reply) => {
                reply.request_id = id.or(reply.request_id);
                Ok(reply)
            }
            Err(fault) => Err(Fault { status: Some(status), request_id: id.or(fault.request_id.clone()), ..*fault }),
        }
    }

    /// Fetches JSON: the list of models, or a server's description of itself.
    pub(super) async fn get(&self, endpoint: &Endpoint, url: reqwest::Url) -> Result<Value, Fault> {
        let scene = Scene { endpoint, model: "" };
        let by = Instant::now() + self.patience.connect.saturating_mul(2);
        let response = self.response(scene, by, false, |client| client.get(url).headers(headers(endpoint))).await?;
        let response = self.successful(scene, response).await?;
        let body = self.body(response, 16 << 20).await;
        let body: Option<Value> = serde_json::from_slice(&body).ok();
        let body = body.and_then(|body| Redactor::new(endpoint, &|_: Clean| {}).redacted(body));
        body.ok_or_else(|| scene.protocol(Reached::Accepted, "it is not JSON"))
    }

    /// Sends a request; `whole` says that its deadline is that of the whole answer.
    async fn response(
        &self,
        scene: Scene<'_>,
        by: Instant,
        whole: bool,
        request: impl FnOnce(&reqwest::Client) -> RequestBuilder,
    ) -> Result<Response, Fault> {
        let began = Instant::now();
        let client = self.of(scene.endpoint).as_ref().map_err(|why| {
            Fault::before_sending(Class::Unreachable, format!("the network cannot be used: {why}").into())
        })?;
        match timeout_at(by, request(client).send()).await {
            Err(_) => Err(scene.stalled(Reached::Sent, began.elapsed(), whole)),
            Ok(Err(error)) => Err(scene.transport(&error.without_url())),
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// The response, unless its status is an error.
    async fn successful(&self, scene: Scene<'_>, response: Response) -> Result<Response, Fault> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let body = self.body(response, ERROR_BODY).await;
        Err(scene.status(status.as_u16(), &headers, &body, SystemTime::now()))
    }

    fn of(&self, endpoint: &Endpoint) -> &Result<reqwest::Client, String> {
        let way = match (endpoint.base.is_direct(), endpoint.base.is_secured()) {
            (true, true) => Way::Secured,
            (true, false) => Way::Plain,
            (false, _) => Way::Out,
        };
        self.ways[way as usize].get_or_init(|| self.make(way))
    }

    fn make(&self, way: Way) -> Result<reqwest::Client, String> {
        let connect = self.patience.connect;
        let builder =
            http_client::builder().connect_timeout(connect).pool_idle_timeout(POOL_IDLE).tcp_nodelay(true).no_gzip();
        // Local model servers close the connection after a stream without saying so; the next request on it would
        // fail. A new connection on the loopback costs next to nothing.
        let inward = |builder: reqwest::ClientBuilder| builder.no_proxy().pool_max_idle_per_host(0);
        let builder = match way {
            Way::Out => builder,
            Way::Secured => inward(builder),
            Way::Plain => inward(builder).tls_certs_only([]),
        };
        builder.build().map_err(|error| Clean::line(&error.without_url().to_string()).to_string())
    }

    /// Reads a body, as far as it arrives in time and fits.
    async fn body(&self, mut response: Response, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let patience = self.patience.idle.min(self.patience.connect);
        // The part that came before the time was up, or the connection broke, is used.
        let _ = timeout(patience, http_client::body_into(&mut response, most, &mut body)).await;
        body
    }
}

/// The headers with the credentials. They are marked sensitive, so that nothing prints them.
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
