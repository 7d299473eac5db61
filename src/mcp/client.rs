//! One connection to a server, through `rmcp`: the handshake, the list of its tools, calls.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientCapabilities, ClientConfig, ClientRequest, ClientResult,
    CustomRequest, ErrorCode, Implementation, RequestId, ServerNotification, ServerRequest, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, NotificationContext, Peer, PeerRequestOptions, RequestContext, RequestHandle, RoleClient,
    RunningService, Service, ServiceError, ServiceExt as _,
};
use rmcp::transport::DynamicTransportError;
use serde_json::{Value, json};
use text::locked::Locked;
use tokio::runtime::Handle;
use tool::process_group::ProcessGroups;

use super::hidden::Hidden;
use super::http::{Endpoint, Posts};
use super::rpc::{self, words};
use super::settings::{Setting, Way};
use super::stdio::Pipes;
use super::tools::{Listing, MOST_TOOLS};
use super::{Trouble, VERSIONS};

/// The most pages of a list of tools.
const MOST_PAGES: usize = 50;
/// The timeout of a ping, at most; else half of that of a call.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// A server after the handshake.
pub(super) struct Client {
    peer: Peer<RoleClient>,
    /// None once it was ended.
    service: Mutex<Option<RunningService<RoleClient, NothingOnOffer>>>,
    way: Connected,
    /// Taken out of what its tools say of themselves.
    hidden: Hidden,
    /// Whether a call was given up before its answer: the server may hang.
    is_late: AtomicBool,
    /// The longest wait for a ping.
    patience: Duration,
    runtime: Handle,
}

/// The connection to a server: its process or its endpoint.
enum Connected {
    Pipes(Pipes),
    Http(Arc<Endpoint>),
}

/// The client side of the connection: it offers the server no files, no model and no person.
struct NothingOnOffer;

impl Service<RoleClient> for NothingOnOffer {
    async fn handle_request(
        &self,
        request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "not offered here", None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("masthead", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us).with_protocol_version(rpc::version(VERSIONS[0]))
    }
}

impl Client {
    /// Connects to a server, and agrees on a version. A process is started in `folder`, unless its entry names another.
    pub async fn connect(setting: &Setting, folder: &Path, all: &ProcessGroups) -> Result<Client, Trouble> {
        let (way, agreed) = match &setting.way {
            Err(why) => return Err(Trouble::Gone(why.clone())),
            Ok(Way::Process { program, args, folder: own, .. }) => {
                let mut command = Command::new(program);
                command.args(args).current_dir(own.as_deref().unwrap_or(folder));
                let (pipes, lines) = Pipes::start(setting, &mut command, all)?;
                (Connected::Pipes(pipes), NothingOnOffer.serve(lines).await)
            }
            Ok(Way::Http { url, headers }) => {
                let endpoint = Arc::new(Endpoint::new(setting, url, headers)?);
                let posts = Posts::new(endpoint.clone());
                (Connected::Http(endpoint), NothingOnOffer.serve(posts).await)
            }
        };
        let service = agreed.map_err(|error| way.not_agreed(error))?;
        let peer = service.peer().clone();
        let version = peer.peer_info().map(|info| info.protocol_version.clone());
        if let Some(version) = version.filter(|version| !VERSIONS.contains(&version.as_str())) {
            let version = words(version.as_str());
            return Err(Trouble::Wrong(format!("it speaks version `{version}`, which is not supported")));
        }
        let (service, is_late) = (Mutex::new(Some(service)), AtomicBool::new(false));
        let patience = SIGN_OF_LIFE.min(setting.call / 2);
        let hidden = setting.hidden.clone();
        Ok(Client { peer, service, way, hidden, is_late, patience, runtime: Handle::current() })
    }

    /// Lists its tools.
    pub async fn tools(&self) -> Result<Listing, Trouble> {
        let (mut listed, mut cursor) = (Vec::new(), Value::Null);
        for _ in 0..MOST_PAGES {
            let asked = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let mut page = self.ask("tools/list", asked).await?;
            let Value::Array(tools) = page["tools"].take() else {
                return Err(Trouble::Wrong("its list of tools is no list".into()));
            };
            // Before anything reads them: the person approves them, journal and models get them as they stand then.
            listed.extend(tools.into_iter().map(|tool| self.hidden.taken_out_of_tool(tool)));
            cursor = page["nextCursor"].take();
            if cursor.as_str().is_none_or(str::is_empty) || listed.len() > 10 * MOST_TOOLS {
                return Ok(Listing::of(&listed));
            }
        }
        Err(Trouble::Wrong(format!("its list of tools has more than {MOST_PAGES} pages")))
    }

    /// Calls a tool; returns the raw answer.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Result<Value, Trouble> {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Whether it can be asked: it is there, and after a late answer it responds to a ping.
    pub async fn is_alive(&self) -> bool {
        if self.peer.is_transport_closed() || matches!(&self.way, Connected::Pipes(pipes) if pipes.gone().is_some()) {
            return false;
        }
        if !self.is_late.swap(false, Ordering::AcqRel) {
            return true;
        }
        let sign = tokio::time::timeout(self.patience, self.ask("ping", json!({}))).await;
        // A server that does not know the method is alive.
        matches!(sign, Ok(Ok(_) | Err(Trouble::Refused { .. })))
    }

    /// The number of times that it reported a change of its tools.
    pub fn changes(&self) -> u64 {
        match &self.way {
            Connected::Pipes(pipes) => pipes.changes(),
            Connected::Http(endpoint) => endpoint.changes(),
        }
    }

    /// Ends the connection cleanly.
    pub async fn end(self: Arc<Self>) {
        let service = self.service.locked().take();
        if let Some(service) = service {
            // Closes its input, or its session.
            let _ = service.cancel().await;
        }
        let ended = tokio::task::spawn_blocking(move || {
            if let Connected::Pipes(pipes) = &self.way {
                pipes.end();
            }
        });
        drop(ended.await);
    }

    /// Sends a request and waits for the answer. Dropping it earlier cancels the request.
    async fn ask(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let RequestHandle { rx, id, .. } = sent.map_err(|error| self.way.in_between(error))?;
        let mut asked = Asked { client: self, id: Some(id) };
        let answer = rx.await.unwrap_or(Err(ServiceError::TransportClosed));
        asked.id = None;
        match answer.map_err(|error| self.way.in_between(error))? {
            ServerResult::CustomResult(result) if result.0.is_object() => Ok(result.0),
            _ => Err(no_result()),
        }
    }
}

impl Connected {
    /// The reason why the handshake failed.
    fn not_agreed(&self, error: ClientInitializeError) -> Trouble {
        match error {
            ClientInitializeError::JsonRpcError(error)
                if matches!(error.code, ErrorCode::METHOD_NOT_FOUND | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) =>
            {
                Trouble::Wrong(
                    "it does not know the handshake of the versions up to 2025-11-25, and later ones are not supported"
                        .into(),
                )
            }
            ClientInitializeError::JsonRpcError(error) => refused(error),
            ClientInitializeError::TransportError { error, .. } => not_sent(error),
            ClientInitializeError::ConnectionClosed(_) => self.gone(),
            ClientInitializeError::ExpectedInitResult(_) => no_result(),
            other => Trouble::Wrong(words(&other.to_string())),
        }
    }

    /// The reason why a request has no answer.
    fn in_between(&self, error: ServiceError) -> Trouble {
        match error {
            ServiceError::McpError(error) => refused(error),
            ServiceError::TransportSend(error) => not_sent(error),
            ServiceError::TransportClosed => self.gone(),
            other => Trouble::Wrong(words(&other.to_string())),
        }
    }

    fn gone(&self) -> Trouble {
        let why = match self {
            Connected::Pipes(pipes) => pipes.gone(),
            Connected::Http(_) => None,
        };
        Trouble::Gone(why.unwrap_or_else(|| "the connection was closed".into()))
    }
}

fn refused(error: ErrorData) -> Trouble {
    Trouble::Refused { code: error.code.0.into(), message: error.message.into_owned() }
}

fn no_result() -> Trouble {
    Trouble::Wrong("its answer has neither a result nor an error".into())
}

/// The failure of our own transport.
fn not_sent(error: DynamicTransportError) -> Trouble {
    match error.error.downcast::<Trouble>() {
        Ok(trouble) => *trouble,
        Err(other) => Trouble::Gone(words(&other.to_string())),
    }
}

/// A request under way; dropping it before the answer cancels it.
struct Asked<'a> {
    client: &'a Client,
    /// None once it was answered.
    id: Option<RequestId>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        self.client.is_late.store(true, Ordering::Release);
        let reason = "it is not waited for any more".to_owned();
        let word = CancelledNotification::new(CancelledNotificationParam::new(Some(id), Some(reason)));
        let peer = self.client.peer.clone();
        // A server that does not read gets no notification.
        self.client.runtime.spawn(async move { drop(peer.send_notification(word.into()).await) });
    }
}
