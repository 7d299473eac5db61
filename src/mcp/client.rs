//! One connection to a server: the handshake, the list of its tools, calls.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::http::Endpoint;
use super::settings::{Setting, Way};
use super::stdio::{Group, Pipes};
use super::tools::{Listing, MOST_TOOLS};
use super::{Trouble, VERSIONS, rpc};
use std::path::Path;

/// The most pages of a list of tools.
const MOST_PAGES: usize = 50;
/// How long a sign of life is waited for.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// A server that has agreed to talk.
pub(super) struct Client {
    transport: Transport,
    next: AtomicU64,
    /// Whether a call was given up before it was answered: it may hang.
    is_late: AtomicBool,
}

enum Transport {
    Pipes(Pipes),
    Http(Box<Endpoint>),
}

impl Client {
    /// Connects to a server, and agrees on a version. A process is started in `folder`, unless its entry names another.
    pub async fn connect(
        setting: &Setting,
        folder: &Path,
        group: &Group,
        is_over: &AtomicBool,
    ) -> Result<Client, Trouble> {
        let transport = match &setting.way {
            Err(why) => return Err(Trouble::Gone(why.clone())),
            Ok(Way::Process { program, args, folder: own, .. }) => {
                let mut command = Command::new(program);
                command.args(args).current_dir(own.as_deref().unwrap_or(folder));
                Transport::Pipes(Pipes::start(setting, &mut command, group, is_over)?)
            }
            Ok(Way::Http { url, headers }) => Transport::Http(Box::new(Endpoint::new(setting, url, headers)?)),
        };
        let client = Client { transport, next: AtomicU64::new(1), is_late: AtomicBool::new(false) };
        client.agree().await?;
        Ok(client)
    }

    async fn agree(&self) -> Result<(), Trouble> {
        let us = json!({ "name": "masthead", "version": env!("CARGO_PKG_VERSION") });
        let asked = json!({ "protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": us });
        let answer = match self.ask("initialize", &asked).await {
            Err(Trouble::Refused { code: -32601 | -32022, .. }) => {
                return Err(Trouble::Wrong(
                    "it does not know the handshake of the versions up to 2025-11-25, and later ones are not spoken here"
                        .into(),
                ));
            }
            answer => answer?,
        };
        let version = answer["protocolVersion"].as_str().unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let version = rpc::words(version);
            return Err(Trouble::Wrong(format!("it speaks version `{version}`, which is not spoken here")));
        }
        if let Transport::Http(endpoint) = &self.transport {
            endpoint.agreed(version);
        }
        self.tell(&rpc::notification("notifications/initialized", &Value::Null)).await
    }

    /// Its tools.
    pub async fn tools(&self) -> Result<Listing, Trouble> {
        let (mut listed, mut cursor) = (Vec::new(), Value::Null);
        for _ in 0..MOST_PAGES {
            let asked = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let page = self.ask("tools/list", &asked).await?;
            let Some(tools) = page["tools"].as_array() else {
                return Err(Trouble::Wrong("its list of tools is no list".into()));
            };
            listed.extend(tools.iter().cloned());
            cursor = page["nextCursor"].clone();
            if cursor.as_str().is_none_or(str::is_empty) || listed.len() > 10 * MOST_TOOLS {
                return Ok(Listing::of(&listed));
            }
        }
        Err(Trouble::Wrong(format!("its list of tools has more than {MOST_PAGES} pages")))
    }

    /// Calls a tool: what it answers, as it stands.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Trouble> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments })).await
    }

    /// Whether nothing speaks against asking it: it is there, and gives a sign of life if it was late before.
    pub async fn is_alive(&self) -> bool {
        if let Transport::Pipes(pipes) = &self.transport
            && pipes.gone().is_some()
        {
            return false;
        }
        if !self.is_late.swap(false, Ordering::AcqRel) {
            return true;
        }
        let sign = tokio::time::timeout(SIGN_OF_LIFE, self.ask("ping", &json!({}))).await;
        // One that does not know the word is alive.
        matches!(sign, Ok(Ok(_) | Err(Trouble::Refused { .. })))
    }

    /// Whether it said that its tools have changed, since it was last asked this.
    pub fn has_changed(&self) -> bool {
        match &self.transport {
            Transport::Pipes(pipes) => pipes.has_changed(),
            Transport::Http(endpoint) => endpoint.has_changed(),
        }
    }

    /// Lets it go in good order.
    pub async fn end(self: std::sync::Arc<Self>) {
        match &self.transport {
            Transport::Http(endpoint) => endpoint.end().await,
            Transport::Pipes(_) => {
                let this = self.clone();
                let ended = tokio::task::spawn_blocking(move || {
                    if let Transport::Pipes(pipes) = &this.transport {
                        pipes.end();
                    }
                });
                drop(ended.await);
            }
        }
    }

    async fn ask(&self, method: &str, params: &Value) -> Result<Value, Trouble> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut asked = Asked { client: self, id, is_open: true };
        let answer = match &self.transport {
            Transport::Pipes(pipes) => pipes.ask(id, method, params).await,
            Transport::Http(endpoint) => endpoint.ask(id, method, params).await,
        };
        asked.is_open = false;
        answer
    }

    async fn tell(&self, message: &Value) -> Result<(), Trouble> {
        match &self.transport {
            Transport::Pipes(pipes) => pipes.send(message),
            Transport::Http(endpoint) => endpoint.tell(message).await,
        }
    }
}

/// A request under way; dropped before its answer it is given up.
struct Asked<'a> {
    client: &'a Client,
    id: u64,
    is_open: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        self.client.is_late.store(true, Ordering::Release);
        if let Transport::Http(endpoint) = &self.client.transport {
            endpoint.call_off(self.id);
        }
    }
}
