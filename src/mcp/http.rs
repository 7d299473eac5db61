//! A server over HTTP ("streamable HTTP"): a request is posted, and answered as JSON or as an event stream.
//!
//! Redirects are not followed: they would forward headers with keys.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_client::sse::Decoder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use rmcp::ErrorData;
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use serde_json::Value;
use text::locked::Locked;
use tokio::sync::{mpsc, oneshot};

use super::hidden::Hidden;
use super::rpc::{self, Incoming, Meaning, Message, Outgoing, Sent, words};
use super::settings::Setting;
use super::{MOST_HEARD, MOST_MESSAGE, Trouble, VERSIONS};

/// The most bytes read of a response to a notification.
const MOST_IGNORED: usize = 16 << 10;
/// The timeout of a message that has no answer.
const TO_TELL: Duration = Duration::from_secs(30);
/// The timeout for ending a session.
const TO_END: Duration = Duration::from_secs(2);

/// An endpoint.
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    headers: HeaderMap,
    session: Mutex<Option<HeaderValue>>,
    version: Mutex<Option<HeaderValue>>,
    /// The number of times that it reported a change of its tools.
    changes: AtomicU64,
    /// Secrets, to be removed from messages.
    hidden: Hidden,
}

/// The transport to an endpoint: each message is a post of its own.
pub(super) struct Posts {
    endpoint: Arc<Endpoint>,
    to_us: mpsc::Sender<Incoming>,
    heard: mpsc::Receiver<Incoming>,
    /// The requests under way: dropping its sender ends a post.
    under_way: BTreeMap<i64, oneshot::Sender<()>>,
}

/// A request under way.
struct Asked {
    id: i64,
    is_handshake: bool,
    heard: mpsc::Sender<Incoming>,
}

impl Posts {
    /// The transport to an endpoint.
    pub fn new(endpoint: Arc<Endpoint>) -> Posts {
        let (to_us, heard) = mpsc::channel(MOST_HEARD);
        Posts { endpoint, to_us, heard, under_way: BTreeMap::new() }
    }
}

impl Transport<RoleClient> for Posts {
    type Error = Trouble;

    fn send(&mut self, message: Outgoing) -> impl Future<Output = Result<(), Trouble>> + Send + 'static {
        let (sent, endpoint, heard) = (Sent::new(message), self.endpoint.clone(), self.to_us.clone());
        let (held, called_off) = oneshot::channel();
        // Recorded here and not in the future: a request may be cancelled before the future is polled.
        match sent.as_ref().map(|sent| sent.meaning) {
            Ok(Meaning::Request { id, .. }) => {
                self.under_way.retain(|_, held| !held.is_closed());
                self.under_way.insert(id, held);
            }
            Ok(Meaning::Cancel(id)) => drop(self.under_way.remove(&id)),
            Ok(Meaning::Other) | Err(_) => {}
        }
        async move {
            let Sent { bytes, meaning } = sent?;
            match meaning {
                Meaning::Request { id, is_handshake } => tokio::select! {
                    asked = endpoint.ask(bytes, Asked { id, is_handshake, heard }) => asked,
                    _ = called_off => Ok(()),
                },
                Meaning::Cancel(_) | Meaning::Other => endpoint.tell(bytes).await,
            }
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        self.heard.recv().await
    }

    async fn close(&mut self) -> Result<(), Trouble> {
        self.endpoint.end().await;
        Ok(())
    }
}

impl Endpoint {
    /// An endpoint, before its first request.
    pub fn new(setting: &Setting, url: &Url, headers: &BTreeMap<String, String>) -> Result<Endpoint, Trouble> {
        let client = http_client::builder_for(url).build();
        let client = client.map_err(|error| Trouble::Gone(format!("no HTTP client could be made: {error}")))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let key = HeaderName::try_from(name.as_str());
            let value = HeaderValue::try_from(value.as_str()).map(|mut value| {
                value.set_sensitive(true);
                value
            });
            match (key, value) {
                (Ok(key), Ok(value)) => drop(map.insert(key, value)),
                _ => {
                    let name = words(&setting.without_hidden(name));
                    return Err(Trouble::Gone(format!("`{name}` of its `headers` is not a valid HTTP header")));
                }
            }
        }
        Ok(Endpoint {
            client,
            url: url.clone(),
            headers: map,
            session: Mutex::default(),
            version: Mutex::default(),
            changes: AtomicU64::new(0),
            hidden: setting.hidden.clone(),
        })
    }

    /// The number of times that it reported a change of its tools.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Posts a request, and forwards its answer.
    async fn ask(&self, sent: Vec<u8>, asked: Asked) -> Result<(), Trouble> {
        let response = self.post(sent).await?;
        if asked.is_handshake {
            *self.session.locked() = response.headers().get("mcp-session-id").cloned();
        }
        self.check(&response)?;
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            return self.streamed(response, asked).await;
        }
        if !kind.starts_with("application/json") {
            return Err(Trouble::Wrong(format!("it answers with `{}`", words(kind))));
        }
        let (body, is_whole) = http_client::body(response, MOST_MESSAGE).await.map_err(|error| self.lost(&error))?;
        if !is_whole {
            return Err(too_large());
        }
        let answer = rpc::messages(&body).into_iter().find_map(|message| match message {
            Message::Answer(of, answer) if of == asked.id => Some(answer),
            _ => None,
        });
        let answer = answer.ok_or_else(|| Trouble::Wrong("its answer is not to what was asked".into()))?;
        self.answered(answer, asked).await;
        Ok(())
    }

    async fn answered(&self, answer: Result<Value, ErrorData>, asked: Asked) {
        if let (true, Ok(result)) = (asked.is_handshake, &answer) {
            // Every later message names the agreed version.
            let version = VERSIONS.iter().find(|known| **known == rpc::agreed_on(result));
            *self.version.locked() = version.map(|version| HeaderValue::from_static(version));
        }
        // The connection may have been dropped.
        let _ = asked.heard.send(rpc::answer(asked.id, asked.is_handshake, answer)).await;
    }

    /// Posts a message that has no answer.
    async fn tell(&self, sent: Vec<u8>) -> Result<(), Trouble> {
        let told = async {
            let response = self.post(sent).await?;
            self.check(&response)?;
            let _ = http_client::body(response, MOST_IGNORED).await;
            Ok(())
        };
        let late = |_| Err(Trouble::Gone(format!("it did not take a message within {} s", TO_TELL.as_secs())));
        tokio::time::timeout(TO_TELL, told).await.unwrap_or_else(late)
    }

    /// Ends the session, if there is one.
    async fn end(&self) {
        let Some(session) = self.session.locked().take() else { return };
        let request = self.client.delete(self.url.clone()).headers(self.headers.clone()).timeout(TO_END);
        // Servers may refuse.
        let _ = request.header("mcp-session-id", session).send().await;
    }

    async fn post(&self, sent: Vec<u8>) -> Result<Response, Trouble> {
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(sent);
        if let Some(session) = &*self.session.locked() {
            request = request.header("mcp-session-id", session.clone());
        }
        if let Some(version) = &*self.version.locked() {
            request = request.header("mcp-protocol-version", version.clone());
        }
        request.send().await.map_err(|error| self.lost(&error))
    }

    fn check(&self, response: &Response) -> Result<(), Trouble> {
        let status = response.status();
        match status {
            status if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND if self.session.locked().is_some() => Err(Trouble::Forgotten),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Trouble::Gone(format!(
                "it refuses ({}): it wants a key, which belongs into `headers` of its entry. Signing in with a browser is not \
                 supported",
                status.as_u16()
            ))),
            status if status.is_redirection() => Err(Trouble::Gone(format!(
                "it sends on to another address ({}), which is not followed: put that into its entry",
                status.as_u16()
            ))),
            status => Err(Trouble::Gone(format!("it answers with status {}", status.as_u16()))),
        }
    }

    /// Reads an event stream up to the answer.
    async fn streamed(&self, mut response: Response, asked: Asked) -> Result<(), Trouble> {
        let (mut decoder, mut received) = (Decoder::default(), 0_usize);
        loop {
            let chunk = response.chunk().await.map_err(|error| self.lost(&error))?;
            let (events, is_last) = match &chunk {
                Some(chunk) => {
                    received += chunk.len();
                    (decoder.feed(chunk).map_err(|_| too_large())?, false)
                }
                None => (decoder.rest().into_iter().collect(), true),
            };
            if received > MOST_MESSAGE {
                return Err(too_large());
            }
            for message in events.iter().flat_map(|event| rpc::messages(event.data.as_bytes())) {
                match message {
                    Message::Answer(of, answer) if of == asked.id => {
                        self.answered(answer, asked).await;
                        return Ok(());
                    }
                    // Requests that come faster than they are answered are dropped.
                    Message::Request(id, method) => drop(asked.heard.try_send(rpc::request(id, method))),
                    Message::ToolsChanged => {
                        self.changes.fetch_add(1, Ordering::AcqRel);
                    }
                    _ => {}
                }
            }
            if is_last {
                return Err(Trouble::Gone("it ended its answer before it was whole".into()));
            }
        }
    }

    fn lost(&self, error: &reqwest::Error) -> Trouble {
        let cause = http_client::causes(error).last().map(ToString::to_string).unwrap_or_else(|| "no reason".into());
        Trouble::Gone(format!("it cannot be reached: {}", words(&self.hidden.taken_out_of(&cause))))
    }
}

fn too_large() -> Trouble {
    Trouble::Wrong(format!("an answer of it is larger than {} MB", MOST_MESSAGE >> 20))
}
