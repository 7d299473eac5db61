//! Sessions of Claude Code: a transcript for the session, and one for each of its sub-agents.
//!
//! The format is not documented and drifts: unknown parts are counted by name, never guessed at. Within a file the order of lines
//! counts, since their clocks run backwards; one answer of the model stands on several lines.

mod digest;
mod telling;
mod transcript;

use std::collections::{BTreeMap, BTreeSet};

use run::foreign::{Format, Origin};
use serde_json::Value;
use text::Clean;

use super::story::{Story, Unknown, named};
use super::told::{self, dollars};
use super::{Importer, Unread};
use digest::{Item, Notice};
use telling::{Links, Telling};
use transcript::Told;

/// Sessions, as far as they have been read.
#[derive(Debug, Default)]
pub struct ClaudeCode {
    sessions: BTreeMap<String, Session>,
    files: BTreeMap<String, Joined>,
}

/// The sessions in one file: several where transcripts were put behind each other.
#[derive(Debug, Default)]
struct Joined {
    /// The id of the session that the file begins with.
    first: Option<String>,
    /// The ids of the sessions that follow.
    others: BTreeSet<String>,
    /// The session of the last record; None for the first session.
    current: Option<String>,
}

impl Joined {
    /// The session of a record, where it is not the one that the file begins with. Another begins where a record follows on
    /// nothing and names another session: one that was continued has records of both, and they follow on each other.
    fn other(&mut self, record: &Value) -> Option<&str> {
        if let Some(id) = told::text(record, "sessionId") {
            let first = self.first.get_or_insert_with(|| id.to_owned());
            let is_side = record.get("isSidechain").and_then(Value::as_bool) == Some(true);
            let follows = ["parentUuid", "logicalParentUuid"].iter().any(|above| told::text(record, above).is_some());
            let begins = told::text(record, "type") == Some("user") && !is_side && !follows;
            if first != id && begins {
                self.others.insert(id.to_owned());
            }
            self.current = self.others.get(id).cloned();
        }
        self.current.as_deref()
    }
}

/// The transcript of the session itself among its logs.
const MAIN: &str = "";

#[derive(Debug, Default)]
struct Session {
    logs: BTreeMap<String, Log>,
    metas: BTreeMap<String, Meta>,
    /// Titles by how much they count.
    titles: BTreeMap<Title, Clean>,
    version: Clean,
    earlier: Option<Clean>,
    cost: Option<run::Money>,
    seen: BTreeSet<String>,
    repeated: u64,
    records: u64,
    unread: u64,
    unknown: Unknown,
    notices: Vec<Notice>,
    /// The old-style side chain of each record.
    chains: BTreeMap<String, String>,
    /// The number of such chains.
    sides: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Title {
    Summary,
    ByModel,
    ByPerson,
}

#[derive(Debug, Default)]
struct Log {
    items: Vec<Item>,
    /// The run of a workflow that it belongs to.
    workflow: Option<String>,
}

#[derive(Debug, Default)]
struct Meta {
    role: Option<Clean>,
    title: Option<Clean>,
    tool_use: Option<String>,
    parent: Option<String>,
}

/// The transcript that a file is: its session, and its agent.
struct Place {
    session: String,
    /// The agent; empty for the session's own.
    agent: String,
    workflow: Option<String>,
    is_meta: bool,
}

impl Place {
    fn of(file: &str) -> Option<Place> {
        let parts: Vec<&str> = file.split('/').collect();
        let name = *parts.last()?;
        let (stem, is_meta) = match (name.strip_suffix(".meta.json"), name.strip_suffix(".jsonl")) {
            (Some(stem), _) => (stem, true),
            (_, Some(stem)) => (stem, false),
            _ => (name, false),
        };
        match parts.iter().rposition(|part| *part == "subagents") {
            Some(at) => {
                let session = at.checked_sub(1).and_then(|at| parts.get(at)).unwrap_or(&"session");
                let agent = stem.strip_prefix("agent-").unwrap_or(stem);
                let workflow = parts[at..].iter().find(|part| part.starts_with("wf_")).map(|part| part.to_string());
                // A workflow's own journal tells nothing that its agents do not.
                (stem != "journal").then(|| Place {
                    session: session.to_string(),
                    agent: agent.into(),
                    workflow,
                    is_meta,
                })
            }
            None => Some(Place { session: stem.into(), agent: String::new(), workflow: None, is_meta }),
        }
    }
}

impl Importer for ClaudeCode {
    fn record(&mut self, file: &str, bytes: &[u8]) -> Result<(), Unread> {
        let Some(mut place) = Place::of(file) else { return Ok(()) };
        let record: Result<Value, _> = serde_json::from_slice(bytes);
        if let (Ok(record), true, false) = (&record, place.agent.is_empty(), place.is_meta)
            && let Some(other) = self.files.entry(place.session.clone()).or_default().other(record)
        {
            other.clone_into(&mut place.session);
        }
        let session = self.sessions.entry(place.session.clone()).or_default();
        let record = record.map_err(|_| Unread)?;
        if !record.is_object() {
            return Err(Unread);
        }
        session.records += 1;
        if place.is_meta {
            let line = |field: &str| told::text(&record, field).map(Clean::line);
            let name = |field: &str| told::text(&record, field).map(str::to_owned);
            let (tool_use, parent) = (name("toolUseId"), name("parentAgentId"));
            let meta = Meta { role: line("agentType"), title: line("description"), tool_use, parent };
            session.metas.insert(place.agent, meta);
            return Ok(());
        }
        session.take(&place, &record);
        Ok(())
    }

    fn unread(&mut self, file: &str) {
        if let Some(place) = Place::of(file) {
            self.sessions.entry(place.session).or_default().unread += 1;
        }
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let sessions = self.sessions.into_iter();
        sessions.filter(|(_, session)| !session.logs.is_empty()).map(|(id, session)| session.story(&id)).collect()
    }
}

impl Session {
    fn take(&mut self, place: &Place, record: &Value) {
        let kind = told::text(record, "type").unwrap_or("record of no kind");
        if let Some(version) = told::text(record, "version") {
            self.version = Clean::line(version);
        }
        match kind {
            "user" | "assistant" | "attachment" | "system" => {}
            "custom-title" => return self.title(Title::ByPerson, told::text(record, "customTitle")),
            "ai-title" => return self.title(Title::ByModel, told::text(record, "aiTitle")),
            "summary" => return self.title(Title::Summary, told::text(record, "summary")),
            "cost-state" => {
                self.cost = record.get("totalCostUSD").and_then(dollars);
                return;
            }
            "queue-operation" => {
                let notice = told::text(record, "content")
                    .and_then(|text| Notice::of(text, None, told::at(record, "timestamp")));
                return self.notices.extend(notice);
            }
            "mode"
            | "permission-mode"
            | "last-prompt"
            | "file-history-snapshot"
            | "progress"
            | "agent-name"
            | "tag" => return,
            other => return self.unknown.count(other),
        }
        if told::text(record, "uuid").is_some_and(|uuid| !self.seen.insert(uuid.to_owned())) {
            self.repeated += 1;
            return;
        }
        if let (Some(now), Some(then)) = (told::text(record, "sessionId"), told::text(record, "session_id")) {
            self.earlier = (now != then).then(|| Clean::line(then)).or(self.earlier.take());
        }
        let key = self.log_of(place, record);
        let items = digest::items(record, kind, &mut self.notices, &mut self.unknown);
        let log = self.logs.entry(key).or_default();
        log.workflow = place.workflow.clone();
        log.items.extend(items);
    }

    fn title(&mut self, kind: Title, text: Option<&str>) {
        if let Some(text) = text {
            self.titles.insert(kind, named(text));
        }
    }

    /// Versions before sub-agents had files kept their records among those of the session.
    fn log_of(&mut self, place: &Place, record: &Value) -> String {
        let side = record.get("isSidechain").and_then(Value::as_bool) == Some(true);
        if !place.agent.is_empty() || !side {
            return place.agent.clone();
        }
        if let Some(agent) = told::text(record, "agentId") {
            return agent.to_owned();
        }
        let above = told::text(record, "parentUuid").and_then(|above| self.chains.get(above)).cloned();
        let chain = above.unwrap_or_else(|| {
            self.sides += 1;
            format!("side-{}", self.sides)
        });
        if let Some(uuid) = told::text(record, "uuid") {
            self.chains.insert(uuid.to_owned(), chain.clone());
        }
        chain
    }

    fn story(self, id: &str) -> Story {
        let mut remarks: Vec<Clean> = Vec::new();
        if let Some(earlier) = &self.earlier {
            remarks.push(format!("it goes on from session {earlier}").into());
        }
        if self.repeated > 0 {
            let of = text::count(self.repeated, "record");
            remarks.push(format!("{of} came more than once: each is taken once").into());
        }
        if let Some(cost) = self.cost {
            remarks.push(format!("the session says of itself that it cost {cost}").into());
        }
        let told: Vec<Told> = self.logs.iter().map(|(key, log)| Told::of(key, log)).collect();
        let links = Links::of(&self, &told);
        let title = self.titles.last_key_value().map(|(_, title)| title.clone());
        let agents = Telling::new(&self, &told, links).all(title.as_ref());
        if agents.iter().any(|agent| agent.id.starts_with("toolu")) {
            remarks.push("the transcripts of some sub-agents are not among the files".into());
        }
        let title = title.unwrap_or_else(|| agents[0].name.clone());
        let (version, records, unread, unknown) = (self.version, self.records, self.unread, self.unknown.0);
        let id = Clean::line(id);
        let origin = Origin { format: Format::ClaudeCode, id, version, records, unread, unknown, remarks };
        Story { origin, title, agents }
    }
}
