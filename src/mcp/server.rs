//! A server that a run may use: started when needed, checked against its approval, and restarted if it ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use documents::reader::Readers;
use run::tool::{CleanJson, ReplaySafety, Reserve};
use run::{ToolCall, ToolResult, ToolSpec};
use serde_json::Value;
use text::Clean;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;
use tool::process_group::ProcessGroups;
use tool::{BoxFuture, Entry, Executor, Source, ToolError};

use super::client::Client;
use super::pins::Pin;
use super::settings::Setting;
use super::tools::{Listing, Tool};
use super::{Trouble, answer, names};

/// The most times that a server may end, hang or not start in one run.
const MOST_LOSSES: u32 = 3;
/// The wait at the end of a run for its servers, in times of what one has to end by itself: for that, for its end by a signal,
/// and for the work between.
const AT_THE_END: u32 = 4;

/// A server whose entry was approved.
pub struct Server {
    setting: Setting,
    pin: Pin,
    /// The working folder of its process, unless its entry names one.
    folder: PathBuf,
    link: Mutex<Link>,
    /// Its processes: the present one, and earlier ones that have not ended yet. None over HTTP.
    processes: ProcessGroups,
}

#[derive(Default)]
struct Link {
    client: Option<Arc<Client>>,
    /// Changes of its tools that it had reported before they were last found to be the approved ones.
    checked: u64,
    /// The number of times that it ended, hung or did not start. A session that it forgot is none of these.
    losses: u32,
    /// The reason why it is not used any more.
    given_up: Option<String>,
}

impl Server {
    /// An approved server; not started yet.
    pub fn new(setting: Setting, pin: Pin, folder: &Path) -> Arc<Server> {
        let (link, processes) = Default::default();
        Arc::new(Server { setting, pin, folder: folder.to_owned(), link, processes })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.setting.name
    }

    /// Starts it, and lists its tools.
    ///
    /// # Errors
    /// It does not start or answer, in words for the person.
    pub async fn start(&self) -> Result<Listing, Clean> {
        let mut link = self.link.lock().await;
        let (client, listing) = self.connect(&mut link).await.map_err(|trouble| self.in_words(&trouble))?;
        link.client = Some(client);
        Ok(listing)
    }

    /// Whether these are the approved tools.
    pub fn has_approved(&self, listing: &Listing) -> bool {
        self.pin.has(listing)
    }

    async fn connect(&self, link: &mut Link) -> Result<(Arc<Client>, Listing), Trouble> {
        link.client = None;
        let start = async {
            let client = Client::connect(&self.setting, &self.folder, &self.processes).await?;
            let changes = client.changes();
            let listing = client.tools().await?;
            Ok((Arc::new(client), changes, listing))
        };
        let late = |_| Err(Trouble::Gone(format!("it did not start within {} s", self.setting.start.as_secs())));
        let started = tokio::time::timeout(self.setting.start, start).await.unwrap_or_else(late);
        let (client, changes, listing) = started?;
        // Its caller compares the list.
        link.checked = changes;
        Ok((client, listing))
    }

    /// A working connection: the present one, or a new one. A task of its own makes it, which goes on when the call that
    /// needs it is given up: the next call finds the connection made.
    async fn client(self: &Arc<Self>) -> Result<Arc<Client>, Trouble> {
        let server = self.clone();
        let mending = tokio::spawn(async move { server.mended().await });
        mending.await.unwrap_or_else(|_| Err(Trouble::Gone("a fault in its connection; the log says more".into())))
    }

    async fn mended(&self) -> Result<Arc<Client>, Trouble> {
        let mut link = self.link.lock().await;
        if let Some(why) = &link.given_up {
            return Err(Trouble::Gone(why.clone()));
        }
        if let Some(client) = link.client.clone() {
            if client.is_alive().await {
                let changes = client.changes();
                if changes == link.checked {
                    return Ok(client);
                }
                match tokio::time::timeout(self.setting.start, client.tools()).await {
                    Ok(Ok(listing)) => {
                        self.check(&mut link, &listing)?;
                        link.checked = changes;
                        return Ok(client);
                    }
                    // The next call asks for the list again, but not for ever.
                    Ok(Err(why)) if link.losses + 1 < MOST_LOSSES => {
                        link.losses += 1;
                        return Err(why);
                    }
                    Ok(Err(_)) | Err(_) => {}
                }
            }
            link.losses += 1;
        }
        if link.losses >= MOST_LOSSES {
            return Err(self.give_up(
                &mut link,
                "it ended, hung or did not list its tools again and again, and is not asked any more",
            ));
        }
        let connected = self.connect(&mut link).await;
        link.losses += u32::from(connected.is_err());
        let (client, listing) = connected?;
        self.check(&mut link, &listing)?;
        link.client = Some(client.clone());
        Ok(client)
    }

    fn check(&self, link: &mut Link, listing: &Listing) -> Result<(), Trouble> {
        if self.pin.has(listing) {
            return Ok(());
        }
        let what = self.pin.differences(listing).join(", ");
        Err(self.give_up(
            link,
            &format!(
                "its tools are not those that were approved any more ({what}), and it is not asked again. `masthead mcp \
                 approve {}` shows them",
                self.name()
            ),
        ))
    }

    fn give_up(&self, link: &mut Link, why: &str) -> Trouble {
        link.client = None;
        link.given_up = Some(why.to_owned());
        Trouble::Gone(why.to_owned())
    }

    async fn call(self: &Arc<Self>, tool: &str, arguments: &Value) -> Result<Value, Trouble> {
        let client = self.client().await?;
        match client.call(tool, arguments).await {
            // The call was not done: the server had lost the session. Retry once.
            Err(Trouble::Forgotten) => {
                self.forget(&client).await;
                self.client().await?.call(tool, arguments).await
            }
            answer => answer,
        }
    }

    /// Drops a connection whose session is lost, unless another call has made a new one meanwhile.
    async fn forget(&self, lost: &Arc<Client>) {
        let mut link = self.link.lock().await;
        link.client.take_if(|client| Arc::ptr_eq(client, lost));
    }

    fn in_words(&self, trouble: &Trouble) -> Clean {
        let trouble = self.setting.without_hidden(&trouble.to_string());
        Clean::line(&format!("the MCP server {}: {trouble}", self.name()))
    }

    /// Ends it at once, for good.
    fn stop(&self) {
        self.processes.stop();
    }
}

/// Starts a server without an approval, lists its tools, and ends it.
///
/// # Errors
/// It does not start or answer, in words for the person.
pub async fn look(setting: &Setting, folder: &Path) -> Result<Listing, Clean> {
    let server = Server::new(setting.clone(), Pin::new(setting, &Listing::default()), folder);
    let listing = server.start().await;
    if let Some(client) = server.link.lock().await.client.take() {
        client.end().await;
    }
    server.stop();
    listing
}

/// The servers of a run, which end with it.
#[derive(Default)]
pub struct Servers(Vec<Arc<Server>>);

impl Servers {
    /// Servers that end together, when this is dropped.
    pub fn new(servers: Vec<Arc<Server>>) -> Servers {
        Servers(servers)
    }

    /// Gives them a moment to end cleanly.
    pub fn end(&self, runtime: &Runtime) {
        let Some(longest) = self.0.iter().map(|server| server.setting.to_end).max() else { return };
        let all = self.0.iter().cloned().map(|server| async move {
            let Ok(mut link) = server.link.try_lock() else { return };
            link.given_up = Some("the run is over".into());
            if let Some(client) = link.client.take() {
                client.end().await;
            }
        });
        let tasks: Vec<_> = all.map(|end| runtime.spawn(end)).collect();
        let ended = async {
            for task in tasks {
                // Calls that do not end are ended below.
                let _ = task.await;
            }
        };
        let _ = runtime.block_on(async { tokio::time::timeout(AT_THE_END * longest, ended).await });
        self.0.iter().for_each(|server| server.stop());
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.0.iter().for_each(|server| server.stop());
    }
}

/// A started server's tools, as a source for the registry; they must match its approval.
pub struct Tools {
    server: Arc<Server>,
    listing: Listing,
    readers: Readers,
}

impl Tools {
    /// The tools of a started server; `readers` parse their results.
    pub fn new(server: Arc<Server>, listing: Listing, readers: Readers) -> Tools {
        Tools { server, listing, readers }
    }
}

impl Source for Tools {
    fn name(&self) -> Clean {
        Clean::line(&format!("the MCP server {}", self.server.name()))
    }

    fn entries(&self) -> BoxFuture<Result<Vec<Entry>, Clean>> {
        let mut taken = BTreeSet::new();
        let patience = self.server.setting.call;
        let entry = |tool: &Tool| {
            let spec = spec(self.server.name(), tool, &mut taken);
            let (server, readers) = (self.server.clone(), self.readers.clone());
            let only_reads = tool.only_reads == Some(true);
            Entry::new(spec, Perform { server, tool: tool.name.clone(), only_reads, readers }).within(patience)
        };
        let entries = self.listing.tools.iter().map(entry).collect();
        Box::pin(async move { Ok(entries) })
    }
}

fn spec(server: &str, tool: &Tool, taken: &mut BTreeSet<String>) -> ToolSpec {
    ToolSpec {
        name: names::name(server, &tool.name, taken),
        description: tool.description.clone(),
        schema: Some(CleanJson::new(tool.schema.clone())),
        reserves: Reserve::default(),
        replay: match tool.only_reads {
            Some(true) => ReplaySafety::Safe,
            Some(false) => ReplaySafety::Unsafe,
            None => ReplaySafety::Unknown,
        },
        shown: Clean::default(),
    }
}

/// Performs the calls of one tool.
struct Perform {
    server: Arc<Server>,
    tool: String,
    only_reads: bool,
    readers: Readers,
}

impl Executor for Perform {
    fn perform(&self, call: Arc<ToolCall>) -> BoxFuture<Result<ToolResult, ToolError>> {
        let Perform { server, tool, only_reads, readers } = self;
        let (server, tool, only_reads, readers) = (server.clone(), tool.clone(), *only_reads, readers.clone());
        Box::pin(async move {
            let arguments = call.arguments.share();
            let answered = server.call(&tool, &arguments).await.and_then(|answer| answer::parse(&answer));
            let result = answered.map_err(|trouble| ToolError::Call(server.in_words(&trouble)))?;
            let result = result.map(|text| server.setting.without_hidden(text));
            if !only_reads {
                return result.as_text(&tool);
            }
            let parsed =
                tokio::task::spawn_blocking(move || result.as_source((server.name(), &tool), &arguments, &readers));
            parsed.await.unwrap_or_else(|_| Err("a fault while its answer was read; the log says more".into()))
        })
    }
}
