//! Sends requests to backends and brings their answers back: one at a time at each, no redirects, a size and a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use tokio::time::Instant;

use super::super::fetch::{self, FetchError};
use super::super::polite::Manners;
use super::{Answer, Backend, Request, Trouble};

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of one answer that are read.
const MOST_BYTES: usize = 8 << 20;
/// The longest wait that a backend asks for and is given.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// How long to wait where a backend is at its limit and does not say for how long.
const USUAL_WAIT: Duration = Duration::from_secs(2);
/// The longest time that a limit is remembered.
const LONGEST_LATCH: Duration = Duration::from_secs(3600);

/// How long a backend is not asked again that was out of order, or that was at its limit and did not say for how long.
const RESPITE: Duration = Duration::from_secs(20);

/// Asks backends.
#[derive(Debug)]
pub struct Asker {
    client: Client,
    manners: Arc<Manners>,
    /// What a backend said that asking again would only meet again, by its name; and until when, if not for good.
    latched: Mutex<HashMap<String, (Trouble, Option<Instant>)>>,
}

impl Asker {
    /// Over the system's proxy if there is one: the addresses of backends are the person's own choice.
    ///
    /// # Errors
    /// No client can be built.
    pub fn new(manners: Arc<Manners>) -> reqwest::Result<Asker> {
        let client = http_client::builder().connect_timeout(Duration::from_secs(10)).timeout(PATIENCE).build()?;
        Ok(Asker { client, manners, latched: Mutex::default() })
    }

    /// The answer to one request, as `read` understands it. Where the backend is at its limit for a short time, it is
    /// asked once more after it; where it is in trouble, all who wait for their turn hear of it instead of asking.
    ///
    /// # Errors
    /// [`Trouble`] says why there is none.
    pub async fn ask<T>(
        &self,
        backend: &dyn Backend,
        request: &Request,
        read: impl Fn(&Answer) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut again = true;
        loop {
            let mut turn = self.manners.turn(request.host(), backend.pause()).await;
            if let Some(trouble) = self.latched(backend.name()) {
                return Err(trouble);
            }
            let read = match self.send(request).await {
                Ok(answer) => read(&answer),
                Err(trouble) => Err(trouble),
            };
            let trouble = match read {
                Ok(read) => return Ok(read),
                Err(trouble) => trouble,
            };
            if let (Trouble::Limit(wait), true) = (&trouble, again)
                && wait.is_none_or(|wait| wait <= LONGEST_WAIT)
            {
                turn.wait(wait.unwrap_or(USUAL_WAIT));
                again = false;
                continue;
            }
            self.latch(backend.name(), &trouble);
            return Err(trouble);
        }
    }

    fn latched(&self, name: &str) -> Option<Trouble> {
        let latched = self.latched.lock().unwrap_or_else(PoisonError::into_inner);
        let (trouble, until) = latched.get(name)?;
        until.is_none_or(|until| Instant::now() < until).then(|| trouble.clone())
    }

    fn latch(&self, name: &str, trouble: &Trouble) {
        let until = match trouble {
            Trouble::Key(..) | Trouble::Spent(_) | Trouble::JsonDisabled | Trouble::Moved(_) => None,
            Trouble::Limit(wait) => Some(Instant::now() + wait.unwrap_or(RESPITE).min(LONGEST_LATCH)),
            Trouble::Upstream(_) | Trouble::Network(_) | Trouble::Odd => Some(Instant::now() + RESPITE),
            // It may well like the next one.
            Trouble::Refused(..) => return,
        };
        let mut latched = self.latched.lock().unwrap_or_else(PoisonError::into_inner);
        latched.insert(name.to_owned(), (trouble.clone(), until));
    }

    async fn send(&self, request: &Request) -> Result<Answer, Trouble> {
        let mut sending = match &request.body {
            None => self.client.get(request.url.clone()),
            Some(body) => self
                .client
                .post(request.url.clone())
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string()),
        };
        for (name, value) in &request.headers {
            // A key with a line break in it is no key.
            let mut value = HeaderValue::from_str(&value.0).map_err(|_| Trouble::Odd)?;
            value.set_sensitive(true);
            sending = sending.header(HeaderName::from_static(name), value);
        }
        let mut response = sending.send().await.map_err(trouble)?;
        let mut answer = Answer {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body: Vec::new(),
        };
        while let Some(chunk) = response.chunk().await.map_err(trouble)? {
            if answer.body.len() + chunk.len() > MOST_BYTES {
                return Err(Trouble::Upstream("its answer does not end".into()));
            }
            answer.body.extend_from_slice(&chunk);
        }
        Ok(answer)
    }
}

fn trouble(error: reqwest::Error) -> Trouble {
    match fetch::network(error) {
        FetchError::Slow => Trouble::Upstream(format!("no answer within {} s", PATIENCE.as_secs()).into()),
        other => Trouble::Network(other.to_string().into()),
    }
}
