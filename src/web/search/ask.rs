//! Sends requests to backends: one at a time per backend, no redirects, limited in size and time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use http_client::near;
use reqwest::{Client, Url};
use tokio::time::Instant;

use super::super::fetch::{self, FetchError};
use super::super::host_turns::HostTurns;
use super::{Answer, Backend, Request, Trouble};
use text::locked::Locked;

const PATIENCE: Duration = Duration::from_secs(20);
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
const MOST_BYTES: usize = 8 << 20;
/// The longest `Retry-After` that is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// The wait for a backend that is at its limit without saying for how long.
const DEFAULT_WAIT: Duration = Duration::from_secs(2);
/// The longest time that a limit is remembered.
const LONGEST_LATCH: Duration = Duration::from_secs(3600);

/// The time for which a failing backend is left alone, or one at its limit that does not give a time.
const COOL_DOWN: Duration = Duration::from_secs(20);

/// Sends requests to backends, one at a time per host, and leaves alone those that fail.
#[derive(Debug)]
pub struct Asker {
    /// For servers that are reached through the system's proxy, if there is one, and directly. Each is made on first use.
    clients: [OnceLock<Client>; 2],
    host_turns: Arc<HostTurns>,
    /// Lasting failures by backend, with their end; None for the whole run.
    latched: Mutex<HashMap<String, (Trouble, Option<Instant>)>>,
}

impl Asker {
    /// Uses the system's proxy, if any, except to servers that are near: the backends are the person's own choice.
    pub fn new(host_turns: Arc<HostTurns>) -> Asker {
        Asker { clients: Default::default(), host_turns, latched: Mutex::default() }
    }

    fn client(&self, server: &Url) -> Result<&Client, Trouble> {
        let place = &self.clients[usize::from(near::is_direct(server))];
        if let Some(client) = place.get() {
            return Ok(client);
        }
        let builder = http_client::builder_for(server).connect_timeout(CONNECT_PATIENCE).timeout(PATIENCE);
        let client = builder.build().map_err(trouble)?;
        Ok(place.get_or_init(|| client))
    }

    /// Sends a request and returns the answer as `read` understands it. It repeats it once after a short limit. After a
    /// lasting failure, all waiting requests to the backend fail without being sent.
    pub async fn ask<T>(
        &self,
        backend: &Backend,
        request: &Request,
        read: impl Fn(&Answer) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut again = true;
        loop {
            let mut turn = self.host_turns.turn(request.host(), backend.pause).await;
            if let Some(trouble) = self.latched(&backend.name) {
                return Err(trouble);
            }
            let read = match self.send(request).await {
                Ok(answer) => read(&answer.without_key(backend)),
                Err(trouble) => Err(trouble),
            };
            let trouble = match read {
                Ok(read) => return Ok(read),
                Err(trouble) => trouble,
            };
            if let (Trouble::Limit(wait), true) = (&trouble, again)
                && wait.is_none_or(|wait| wait <= LONGEST_WAIT)
            {
                turn.wait(wait.unwrap_or(DEFAULT_WAIT));
                again = false;
                continue;
            }
            self.latch(&backend.name, &trouble);
            return Err(trouble);
        }
    }

    fn latched(&self, name: &str) -> Option<Trouble> {
        let latched = self.latched.locked();
        let (trouble, until) = latched.get(name)?;
        until.is_none_or(|until| Instant::now() < until).then(|| trouble.clone())
    }

    fn latch(&self, name: &str, trouble: &Trouble) {
        let until = match trouble {
            Trouble::Key(..) | Trouble::Spent(_) | Trouble::JsonDisabled | Trouble::Moved(_) => None,
            Trouble::Limit(wait) => Some(Instant::now() + wait.unwrap_or(COOL_DOWN).min(LONGEST_LATCH)),
            Trouble::Upstream(_) | Trouble::Network(_) | Trouble::NotItsFormat => Some(Instant::now() + COOL_DOWN),
            // Another request may be accepted.
            Trouble::Refused(..) => return,
        };
        let mut latched = self.latched.locked();
        latched.insert(name.to_owned(), (trouble.clone(), until));
    }

    async fn send(&self, request: &Request) -> Result<Answer, Trouble> {
        let client = self.client(&request.url)?;
        let sending = match &request.body {
            None => client.get(request.url.clone()),
            Some(body) => client
                .post(request.url.clone())
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string()),
        };
        let mut response = sending.headers(request.headers.clone()).send().await.map_err(trouble)?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        match http_client::body(response, MOST_BYTES).await.map_err(trouble)? {
            (body, true) => Ok(Answer { status, headers, body }),
            (_, false) => Err(Trouble::Upstream("its answer does not end".into())),
        }
    }
}

fn trouble(error: reqwest::Error) -> Trouble {
    match fetch::network(error) {
        FetchError::Slow => Trouble::Upstream(format!("no answer within {} s", PATIENCE.as_secs()).into()),
        other => Trouble::Network(other.to_string().into()),
    }
}
