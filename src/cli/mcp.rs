//! MCP servers: selects those of a run, implements `masthead mcp`, and approves servers.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime::Runtime;

use super::engine;
use super::exit::{self, Failure};
use super::form::Form;
use super::input;
use super::inspect::print;
use super::output::shown;
use super::place::Places;
use ::mcp::{Listing, Pin, Pins, Server, Servers, Setting, Standing, Tools};
use run::team::{Kind, Member};
use run::{Role, Team, ToolName};
use text::{Clean, count};
use tool::{Readers, Source};

/// The wait after which the person is shown its reason.
const UNSAID: Duration = Duration::from_secs(3);
/// The most characters of a description in a list.
const MOST_SHOWN: usize = 90;

/// The tools of servers for a run.
#[derive(Default)]
pub struct Started {
    pub sources: Vec<Box<dyn Source>>,
    /// The servers themselves, which end with the run.
    pub servers: Servers,
    /// The servers that could not be started, each with the reason, in a sentence.
    pub remarks: Vec<Clean>,
    /// The servers that are up, by name.
    up: Vec<String>,
    /// The servers of `mcp.json` that are not up, by name; with the reason, unless a remark says it.
    absent: Vec<(String, Option<&'static str>)>,
}

impl Started {
    /// No server, which this remark is about.
    pub fn saying(remark: Clean) -> Started {
        Started { remarks: vec![remark], ..Started::default() }
    }

    /// No server at all, as the person has asked.
    pub fn none(places: &Places) -> Started {
        // A file that cannot be read is no reason to stop a run that uses none of it.
        let all = settings(places).unwrap_or_default();
        let absent = all.into_iter().map(|setting| (setting.name, Some("is not used (--no-mcp)"))).collect();
        Started { absent, ..Started::default() }
    }

    /// Takes the tools of servers that are not up from the members of a team, and says so.
    pub fn leave_out(&mut self, team: &mut Team) {
        let up: Vec<String> = self.up.iter().map(|name| ::mcp::prefix(name)).collect();
        for (server, why) in &self.absent {
            let prefix = ::mcp::prefix(server);
            // `a__b` is a server of its own beside `a`.
            let is_up = |name: &ToolName| up.iter().any(|up| up.len() > prefix.len() && name.starts_with(up));
            let is_absent = |name: &ToolName| name.starts_with(&prefix) && !is_up(name);
            let mut without = Vec::new();
            for (role, member) in &mut team.members {
                let lost = member.tools.iter().filter(|name| is_absent(name)).map(|name| format!("`{name}`"));
                let lost: Vec<String> = lost.collect();
                if !lost.is_empty() {
                    without.push(format!("`{role}` goes on without {}", lost.join(", ")));
                    member.tools.retain(|name| !is_absent(name));
                }
            }
            if let (Some(why), false) = (why, without.is_empty()) {
                self.remarks.push(Clean::line(&format!("the MCP server {server} {why}: {}", without.join("; "))));
            }
        }
    }
}

/// The servers that a run needs.
pub enum Wanted<'a> {
    /// A new run: all of them, if its team has a member that uses them.
    New(&'a Team),
    /// A recorded run: those whose tools it has.
    Recorded(&'a Team),
}

impl Wanted<'_> {
    fn is_wanted(&self, server: &str) -> bool {
        match self {
            Wanted::New(team) => team.members.iter().any(|(role, member)| uses_servers(role, member)),
            Wanted::Recorded(team) => {
                let prefix = ::mcp::prefix(server);
                team.registered.iter().any(|spec| spec.name.starts_with(&prefix))
            }
        }
    }
}

/// Whether a member may use tools of servers: a researcher with a model, or a member whose file names such a tool.
fn uses_servers(role: &Role, member: &Member) -> bool {
    let is_foreign = |name: &ToolName| run::tool::builtin::spec(name).is_none();
    (member.kind == Kind::Model && member.researches(role)) || member.tools.iter().any(is_foreign)
}

fn settings(places: &Places) -> Result<Vec<Setting>, Failure> {
    ::mcp::load(&places.config, &|name| std::env::var(name).ok()).map_err(Failure::usage)
}

fn pins(places: &Places) -> Result<Pins, Failure> {
    Pins::load(&places.data).map_err(Failure::other)
}

/// Starts the servers that a run needs. A server that does not answer is reported and left out.
///
/// # Errors
/// The file of servers is wrong, or a server is not approved in its present form.
pub fn start(places: &Places, runtime: &Runtime, wanted: &Wanted<'_>) -> Result<Started, Failure> {
    let all = settings(places)?.into_iter().filter(|setting| wanted.is_wanted(&setting.name));
    let (mut started, pins, mut starting) = (Started::default(), pins(places)?, Vec::new());
    let mut servers = Vec::new();
    for setting in all {
        if setting.is_off {
            started.absent.push((setting.name, Some("is switched off in mcp.json")));
            continue;
        }
        if let Err(why) = &setting.way {
            started.remarks.push(without(&format!("the MCP server {}: {why}", setting.name)));
            started.absent.push((setting.name, None));
            continue;
        }
        let why = match (pins.standing(&setting), pins.of(&setting.name)) {
            (Standing::Known, Some(pin)) => {
                let server = Server::new(setting.clone(), pin.clone(), &places.config);
                servers.push(server.clone());
                starting.push((setting.name, runtime.spawn(async move { (server.start().await, server) })));
                continue;
            }
            (Standing::EntryChanged, _) => "its entry in mcp.json is another one than was approved",
            _ => "it was not approved yet",
        };
        return Err(unapproved(&setting.name, why));
    }
    started.servers = Servers::new(servers);
    let readers = Readers::of_this_program();
    for (name, task) in starting {
        match waited_for(runtime, &name, task) {
            Some((Ok(listing), server)) if server.has_approved(&listing) => {
                started.sources.push(Box::new(Tools::new(server, listing, readers.clone())));
                started.up.push(name);
            }
            Some((Ok(listing), _)) => {
                let changes = pins.of(&name).map(|pin| pin.differences(&listing)).unwrap_or_default();
                return Err(unapproved(
                    &name,
                    &format!("its tools are not those that were approved ({})", few(&changes)),
                ));
            }
            Some((Err(why), _)) => {
                started.remarks.push(without(&why));
                started.absent.push((name, None));
            }
            None => {
                started.remarks.push(without(&format!("the MCP server {name}: a fault while it was started")));
                started.absent.push((name, None));
            }
        }
    }
    Ok(started)
}

fn without(why: &str) -> Clean {
    Clean::line(&format!("{why}. The run goes on without its tools"))
}

fn few(changes: &[String]) -> String {
    let more = if changes.len() > 3 { format!(" and {} more", changes.len() - 3) } else { String::new() };
    Clean::line(&format!("{}{more}", changes.iter().take(3).cloned().collect::<Vec<_>>().join(", "))).to_string()
}

fn unapproved(name: &str, why: &str) -> Failure {
    Failure::Unapproved { name: name.to_owned(), why: why.to_owned() }
}

/// The result of a task. A longer wait is reported, with its reason.
fn waited_for<T: Send + 'static>(runtime: &Runtime, name: &str, task: tokio::task::JoinHandle<T>) -> Option<T> {
    runtime.block_on(async {
        let mut task = task;
        match tokio::time::timeout(UNSAID, &mut task).await {
            Ok(done) => done.ok(),
            Err(_) => {
                exit::say(&format!("waiting for the MCP server {name} to start"));
                task.await.ok()
            }
        }
    })
}

/// The person's answer about a server that is not approved.
pub enum Answered {
    Approved,
    Without,
    Leave,
}

/// A server in its present form, to be approved.
pub struct Offer {
    setting: Setting,
    listing: Listing,
    /// Its entry, its tools, and the differences from the approved ones.
    pub text: String,
}

/// Reads a server's present form.
///
/// # Errors
/// There is no server of this name, or it cannot be used or does not start, so there is nothing to approve.
pub fn offer(places: &Places, name: &str) -> Result<Offer, Failure> {
    let setting = named(places, name)?;
    if let Err(why) = &setting.way {
        return Err(Failure::Usage(format!("the MCP server {name}: {why}")));
    }
    let listing = looked_at(places, &setting).map_err(Failure::Other)?;
    if listing.tools.is_empty() {
        return Err(Failure::Other(format!("the MCP server {name} has no tools: there is nothing to approve")));
    }
    let mut text = in_words(&setting, &listing, pins(places)?.of(name));
    text.push_str(&told_to_models(&listing));
    Ok(Offer { setting, listing, text })
}

impl Offer {
    /// Approves the form that was shown.
    pub fn approve(&self, places: &Places) -> Result<(), Failure> {
        let mut pins = pins(places)?;
        pins.approve(&self.setting.name, Pin::new(&self.setting, &self.listing));
        pins.keep(&places.data).map_err(|error| Failure::NotWritten(error.to_string()))
    }
}

/// Shows a server that is not approved in its present form, and asks the person.
pub fn ask_first(places: &Places, name: &str) -> Result<Answered, Failure> {
    let offer = match offer(places, name) {
        Ok(offer) => {
            exit::print_error(&Clean::new(&offer.text));
            Some(offer)
        }
        Err(why) => {
            exit::say(&why.to_string());
            None
        }
    };
    loop {
        exit::ask("y approves it, n goes on without the tools of servers, q leaves: ");
        let Some(answer) = input::answer()? else { return Ok(Answered::Leave) };
        match (answer.as_str(), &offer) {
            ("y" | "yes", Some(offer)) => return offer.approve(places).map(|()| Answered::Approved),
            ("n" | "no", _) => return Ok(Answered::Without),
            ("q", _) => return Ok(Answered::Leave),
            _ => {}
        }
    }
}

fn named(places: &Places, name: &str) -> Result<Setting, Failure> {
    let all = settings(places)?;
    let names: Vec<String> = all.iter().map(|setting| setting.name.clone()).collect();
    let file = ::mcp::path(&places.config);
    let found = all.into_iter().find(|setting| setting.name == name);
    found.ok_or_else(|| {
        let there = if names.is_empty() { "it names none".into() } else { format!("it has {}", names.join(", ")) };
        Failure::Usage(format!("there is no server `{name}` in {}: {there}", shown(&file)))
    })
}

fn looked_at(places: &Places, setting: &Setting) -> Result<Listing, String> {
    let runtime = engine::runtime().map_err(|failure| failure.to_string())?;
    let (setting, folder, name) = (setting.clone(), places.config.clone(), setting.name.clone());
    let looking = runtime.spawn(async move { ::mcp::look(&setting, &folder).await });
    match waited_for(&runtime, &name, looking) {
        Some(listing) => listing.map_err(|why| why.to_string()),
        None => Err(format!("the MCP server {name}: a fault while it was started")),
    }
}

/// A server with its tools, and the differences from the approved form.
fn in_words(setting: &Setting, listing: &Listing, pin: Option<&Pin>) -> String {
    let mut text = format!("{}: {}\n", setting.name, setting.shown);
    match pin {
        Some(pin) if pin.has(listing) => text.push_str("  its tools are those that were approved\n"),
        Some(pin) => {
            pin.differences(listing).iter().for_each(|change| {
                let _ = writeln!(text, "  {}", Clean::line(change));
            });
            for (name, lines) in pin.other_texts(listing) {
                let _ = writeln!(text, "  what models are told of {} (+ new, - gone):", Clean::line(&name));
                lines.iter().for_each(|line| {
                    let _ = writeln!(text, "    {line}");
                });
            }
        }
        None => {}
    }
    text.push_str(&tools_in_words(listing));
    text
}

/// The texts that models read of each tool, whole, with those of its arguments: they may hold instructions, and the person approves
/// them.
fn told_to_models(listing: &Listing) -> String {
    let mut text = String::new();
    for tool in &listing.tools {
        let texts = tool.texts();
        // A short description alone stands in the list.
        let is_shown = |line: &String| tool.description.as_str() == line && line.chars().count() <= MOST_SHOWN;
        let lines: Vec<&String> = texts.iter().filter(|line| !is_shown(line)).collect();
        if !lines.is_empty() {
            let _ = writeln!(text, "\n  models are told of {}:", Clean::line(&tool.name));
            lines.iter().for_each(|line| {
                let _ = writeln!(text, "    {line}");
            });
        }
    }
    text
}

fn tools_in_words(listing: &Listing) -> String {
    let mut text = String::new();
    let names = listing.tools.iter().map(|tool| tool.name.chars().count()).max().unwrap_or(0).min(40);
    for tool in &listing.tools {
        let does = match tool.only_reads {
            Some(true) => "only reads",
            Some(false) => "may change things",
            None => "does not say",
        };
        let description: String = Clean::line(&tool.description).chars().take(MOST_SHOWN).collect();
        let _ = writeln!(text, "  {:<names$}  {does:<17}  {description}", Clean::line(&tool.name));
    }
    if listing.tools.iter().any(|tool| tool.only_reads != Some(true)) {
        text.push_str("  what may change things, or does not say, is used only by specialists whose team file or prompt names it\n");
    }
    for left_out in &listing.left_out {
        let _ = writeln!(text, "  left out: {left_out}");
    }
    text
}

/// `masthead mcp approve`: shows a server, and approves its present form.
pub fn approve(places: &Places, name: &str, yes: bool) -> Result<u8, Failure> {
    let offer = offer(places, name)?;
    print(Clean::new(&offer.text).as_bytes())?;
    if !yes {
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Usage(format!("nobody is there to be asked: --yes approves {name} as it is now")));
        }
        exit::ask("Approve it as it is now? y approves, anything else does not: ");
        if !matches!(input::answer()?.as_deref(), Some("y" | "yes")) {
            exit::say(&format!("{name} is not approved"));
            return Ok(exit::DONE);
        }
    }
    offer.approve(places)?;
    let tools = count(offer.listing.tools.len(), "tool");
    exit::say(&format!("{name} is approved with {tools}, until it or they change"));
    Ok(exit::DONE)
}

/// `masthead mcp forget`: revokes an approval.
pub fn forget(places: &Places, name: &str) -> Result<u8, Failure> {
    let mut pins = pins(places)?;
    if !pins.forget(name) {
        return Err(Failure::Usage(format!("{name} was not approved")));
    }
    pins.keep(&places.data).map_err(|error| Failure::NotWritten(error.to_string()))?;
    exit::say(&format!("{name} is not approved any more"));
    Ok(exit::DONE)
}

/// Whether a tool of this name may be one of a server in `mcp.json`. None is started.
pub fn may_have(places: &Places) -> Result<impl Fn(&ToolName) -> bool, Failure> {
    let prefixes: Vec<String> = settings(places)?.iter().map(|setting| ::mcp::prefix(&setting.name)).collect();
    Ok(move |name: &ToolName| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}

/// A server in the output of `masthead mcp` and `doctor`.
#[derive(Serialize)]
pub struct ListedServer {
    pub name: String,
    /// Its command line, or its address.
    pub at: String,
    pub state: String,
    /// Whether it is switched on and cannot be used as it is.
    #[serde(skip)]
    pub is_to_fix: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ListedTool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Clean>,
}

#[derive(Serialize)]
pub struct ListedTool {
    pub name: String,
    /// null if the server does not say.
    pub only_reads: Option<bool>,
}

/// The servers and their states, without starting any.
pub fn known(places: &Places) -> Result<Vec<ListedServer>, Failure> {
    let pins = pins(places)?;
    Ok(settings(places)?.iter().map(|setting| listed_server(setting, &pins)).collect())
}

fn listed_server(setting: &Setting, pins: &Pins) -> ListedServer {
    let name = &setting.name;
    let state = match (&setting.way, pins.standing(setting)) {
        (Err(why), _) => format!("cannot be used: {why}"),
        _ if setting.is_off => "switched off in mcp.json".into(),
        (_, Standing::New) => format!("not approved yet: masthead mcp approve {name}"),
        (_, Standing::EntryChanged) => {
            format!("its entry has changed since it was approved: masthead mcp approve {name}")
        }
        (_, Standing::Known) => {
            let tools = pins.of(name).map_or(0, |pin| pin.tools().count());
            format!("approved, {}", count(tools, "tool"))
        }
    };
    ListedServer {
        name: name.clone(),
        at: setting.shown.to_string(),
        state,
        is_to_fix: !setting.is_off && (setting.way.is_err() || pins.standing(setting) != Standing::Known),
        tools: Vec::new(),
        ignored: setting.ignored.clone(),
    }
}

/// `masthead mcp`: the servers, their states, and the tools of approved servers, which are started for that.
pub fn list(places: &Places, form: Form) -> Result<u8, Failure> {
    let (all, pins) = (settings(places)?, pins(places)?);
    if all.is_empty() && form == Form::Lines {
        exit::say(&format!(
            "no MCP servers: name them in {}, in the form that other programs use: {{ \"mcpServers\": {{ \"NAME\": {{ \"command\": …, \"args\": […] }} }} }}",
            shown(&::mcp::path(&places.config))
        ));
    }
    let mut text = String::new();
    for setting in &all {
        let mut server = listed_server(setting, &pins);
        let mut tools = String::new();
        let is_ready = setting.way.is_ok() && !setting.is_off && pins.standing(setting) == Standing::Known;
        if let (true, Some(pin)) = (is_ready, pins.of(&setting.name)) {
            match looked_at(places, setting) {
                Ok(listing) => {
                    if !pin.has(&listing) {
                        let changes = few(&pin.differences(&listing));
                        server.state =
                            format!("its tools have changed ({changes}): masthead mcp approve {}", setting.name);
                    }
                    tools = tools_in_words(&listing);
                    let of = |tool: &::mcp::Tool| ListedTool { name: tool.name.clone(), only_reads: tool.only_reads };
                    server.tools = listing.tools.iter().map(of).collect();
                }
                Err(why) => server.state = format!("approved, but {why}"),
            }
        }
        if form == Form::Json {
            let line = serde_json::to_string(&server).map_err(Failure::other)?;
            let _ = writeln!(text, "{}", text::escape_in_json(line));
            continue;
        }
        let _ = writeln!(text, "{}: {}\n  {}", server.name, server.at, server.state);
        if !server.ignored.is_empty() {
            let names: Vec<&str> = server.ignored.iter().map(Clean::as_str).collect();
            let _ = writeln!(text, "  not known here: {}", names.join(", "));
        }
        text.push_str(&tools);
    }
    print(Clean::new(&text).as_bytes())
}
