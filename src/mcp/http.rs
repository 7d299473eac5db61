//! A server over HTTP (“streamable HTTP”): a request is posted, and answered as JSON or as a stream of events.
//!
//! No redirect is followed: headers with keys would follow it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_client::sse::Decoder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

use super::rpc::{self, Message, words};
use super::settings::{Setting, without};
use super::stdio::locked;
use super::{MOST_MESSAGE, Trouble};

/// The most of an answer to something that is only told.
const MOST_IGNORED: usize = 16 << 10;
/// How long a word is waited for that nothing depends on.
const IN_PASSING: Duration = Duration::from_secs(2);

/// An endpoint.
pub(super) struct Endpoint {
    client: Client,
    url: Url,
    headers: HeaderMap,
    session: Mutex<Option<HeaderValue>>,
    version: Mutex<Option<HeaderValue>>,
    has_changed: AtomicBool,
    /// Values that nobody is to be shown.
    hidden: Vec<String>,
}

impl Endpoint {
    /// An endpoint that was not asked yet.
    pub fn new(setting: &Setting, url: &Url, headers: &BTreeMap<String, String>) -> Result<Endpoint, Trouble> {
        let client = http_client::builder().build();
        let client = client.map_err(|error| Trouble::Gone(format!("no HTTP client could be made: {error}")))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(name.as_str());
            let value = HeaderValue::try_from(value.as_str()).map(|mut value| {
                value.set_sensitive(true);
                value
            });
            match (name, value) {
                (Ok(name), Ok(value)) => drop(map.insert(name, value)),
                _ => return Err(Trouble::Gone("one of its `headers` is none that can be sent".into())),
            }
        }
        Ok(Endpoint {
            client,
            url: url.clone(),
            headers: map,
            session: Mutex::default(),
            version: Mutex::default(),
            has_changed: AtomicBool::new(false),
            hidden: setting.hidden.clone(),
        })
    }

    /// Names the version that was agreed on, from now on.
    pub fn agreed(&self, version: &str) {
        *locked(&self.version) = HeaderValue::try_from(version).ok();
    }

    /// Whether it said that its tools have changed, since it was last asked this.
    pub fn has_changed(&self) -> bool {
        self.has_changed.swap(false, Ordering::AcqRel)
    }

    /// Asks for something, and waits for the answer.
    pub async fn ask(&self, id: u64, method: &str, params: &Value) -> Result<Value, Trouble> {
        let response = self.post(&rpc::request(id, method, params)).await?;
        if method == "initialize" {
            *locked(&self.session) = response.headers().get("mcp-session-id").cloned();
        }
        self.check(&response)?;
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            return self.streamed(id, response).await;
        }
        if !kind.starts_with("application/json") {
            return Err(Trouble::Wrong(format!("it answers with `{}`", words(kind))));
        }
        let (body, is_whole) = http_client::body(response, MOST_MESSAGE).await.map_err(|error| self.lost(&error))?;
        if !is_whole {
            return Err(too_large());
        }
        let answer = rpc::messages(&body).into_iter().find_map(|message| match message {
            Message::Answer(of, answer) if of == id => Some(answer),
            _ => None,
        });
        answer.unwrap_or_else(|| Err(Trouble::Wrong("its answer is not to what was asked".into())))
    }

    /// Tells it something.
    pub async fn tell(&self, message: &Value) -> Result<(), Trouble> {
        let response = self.post(message).await?;
        self.check(&response)?;
        let _ = http_client::body(response, MOST_IGNORED).await;
        Ok(())
    }

    /// Tells it that a request is given up, without waiting.
    pub fn call_off(&self, id: u64) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let request = self.request(&rpc::cancelled(id)).timeout(IN_PASSING);
        runtime.spawn(async move { drop(request.send().await) });
    }

    /// Ends the session, if there is one.
    pub async fn end(&self) {
        let Some(session) = locked(&self.session).take() else { return };
        let request = self.client.delete(self.url.clone()).headers(self.headers.clone()).timeout(IN_PASSING);
        // Servers may refuse.
        let _ = request.header("mcp-session-id", session).send().await;
    }

    fn request(&self, message: &Value) -> reqwest::RequestBuilder {
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(message.to_string());
        if let Some(session) = &*locked(&self.session) {
            request = request.header("mcp-session-id", session.clone());
        }
        if let Some(version) = &*locked(&self.version) {
            request = request.header("mcp-protocol-version", version.clone());
        }
        request
    }

    async fn post(&self, message: &Value) -> Result<Response, Trouble> {
        self.request(message).send().await.map_err(|error| self.lost(&error))
    }

    fn check(&self, response: &Response) -> Result<(), Trouble> {
        let status = response.status();
        match status {
            status if status.is_success() => Ok(()),
            StatusCode::NOT_FOUND if locked(&self.session).is_some() => Err(Trouble::Forgotten),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Trouble::Gone(format!(
                "it refuses ({}): it wants a key, which belongs into `headers` of its entry. Signing in with a browser is not \
                 spoken here",
                status.as_u16()
            ))),
            status if status.is_redirection() => Err(Trouble::Gone(format!(
                "it sends on to another address ({}), which is not followed: put that into its entry",
                status.as_u16()
            ))),
            status => Err(Trouble::Gone(format!("it answers with status {}", status.as_u16()))),
        }
    }

    /// Reads a stream of events up to the answer.
    async fn streamed(&self, id: u64, mut response: Response) -> Result<Value, Trouble> {
        let (mut decoder, mut taken) = (Decoder::default(), 0_usize);
        loop {
            let chunk = response.chunk().await.map_err(|error| self.lost(&error))?;
            let (events, is_last) = match &chunk {
                Some(chunk) => {
                    taken += chunk.len();
                    (decoder.feed(chunk).map_err(|_| too_large())?, false)
                }
                None => (decoder.rest().into_iter().collect(), true),
            };
            if taken > MOST_MESSAGE {
                return Err(too_large());
            }
            for message in events.iter().flat_map(|event| rpc::messages(event.data.as_bytes())) {
                match message {
                    Message::Answer(of, answer) if of == id => return answer,
                    Message::Request(of, method) => {
                        let request = self.request(&rpc::answer(&of, &method)).timeout(IN_PASSING);
                        drop(request.send().await);
                    }
                    Message::Told(method) if method == "notifications/tools/list_changed" => {
                        self.has_changed.store(true, Ordering::Release);
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
        Trouble::Gone(format!("it cannot be reached: {}", words(&without(&self.hidden, &cause))))
    }
}

fn too_large() -> Trouble {
    Trouble::Wrong(format!("an answer of it is larger than {} MB", MOST_MESSAGE >> 20))
}
