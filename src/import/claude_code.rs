//! Sessions of Claude Code: a transcript for the session, and one for each of its sub-agents.
//!
//! The format is not documented and drifts: unknown parts are counted by name, never guessed at. Within a file the order of lines
//! counts, since their clocks run backwards; one answer of the model stands on several lines.

mod digest;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Arguments, Content, Said, StopReason, ToolAnswer, Usage};
use run::tool::CleanJson;
use run::{ModelId, Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::story::{Agent, Asked, Did, End, Ended, Step, Story, Unknown, Used, named};
use super::told::{self, dollars};
use super::{Importer, Unread};
use digest::{Item, Notice, Piece, What};

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

/// The content of one transcript, call by call.
struct Told<'a> {
    key: &'a str,
    workflow: Option<&'a str>,
    begins: i64,
    ends: i64,
    /// The first text that was said in it, and the first that a person said.
    first: Option<Clean>,
    asked: Option<Clean>,
    entries: Vec<Entry>,
    results: BTreeMap<String, Brought>,
    interrupted: bool,
}

enum Entry {
    Turn(Box<Turn>),
    Note(i64, Note),
}

/// An answer of the model with the tools that it calls.
struct Turn {
    at: i64,
    end: i64,
    asked: Asked,
    most_output: u64,
    tools: Vec<(String, Clean, Value)>,
}

/// The result of a tool.
#[derive(Clone)]
struct Brought {
    at: i64,
    text: Clean,
    /// The text of a report without the lines that the program added.
    report: Clean,
    failed: bool,
    denied: Option<Clean>,
    agent: Option<String>,
    workflow: Option<String>,
    launched: bool,
}

/// A transcript as it is read, item by item.
struct TranscriptReader<'a> {
    told: Told<'a>,
    /// The time of the last item (ms).
    now: i64,
    /// The names of the tools that were called, by call.
    names: BTreeMap<String, Clean>,
    /// The places of the answers among the entries, by their keys.
    answers: BTreeMap<String, usize>,
    /// What was said to the model since its last answer, and when that began.
    said: Vec<Said>,
    said_at: Option<i64>,
}

impl TranscriptReader<'_> {
    fn takes(&mut self, item: &Item) {
        // The order of lines counts: a clock that runs back stands still.
        self.now = self.now.max(item.at.unwrap_or(self.now));
        self.told.ends = self.now;
        match &item.what {
            What::Said { text, by_person } => self.takes_words(text, *by_person),
            What::Note(note) => {
                self.told.interrupted |= note.kind == NoteKind::Interrupted;
                self.notes(note.kind, &note.text);
            }
            What::Result { id, brought } => self.takes_result(id, brought),
            What::Answer(piece) => self.takes_answer(piece),
        }
    }

    fn notes(&mut self, kind: NoteKind, text: &Clean) {
        self.told.entries.push(Entry::Note(self.now, Note { kind, text: text.clone() }));
    }

    fn takes_words(&mut self, text: &Clean, by_person: bool) {
        if self.told.first.is_none() {
            self.told.first = Some(text.clone());
        } else if by_person {
            self.notes(NoteKind::Said, text);
        }
        if by_person && self.told.asked.is_none() {
            self.told.asked = Some(text.clone());
        }
        self.told.interrupted = false;
        self.said.push(Said::User { text: text.clone() });
        self.said_at.get_or_insert(self.now);
    }

    fn takes_result(&mut self, id: &str, brought: &Brought) {
        let brought = Brought { at: self.now, ..brought.clone() };
        let name = self.names.get(id).cloned().unwrap_or_default();
        let (call, text, failed) = (Clean::line(id), brought.text.clone(), brought.failed);
        let answer = ToolAnswer { call, name, text, failed, not_made: false };
        match self.said.last_mut() {
            Some(Said::Results { results }) => results.push(answer),
            _ => self.said.push(Said::Results { results: vec![answer] }),
        }
        self.said_at.get_or_insert(self.now);
        if let Some(kind) = &brought.denied {
            self.notes(NoteKind::Denied, kind);
        }
        self.told.results.insert(id.to_owned(), brought);
    }

    /// An answer comes in pieces, a record each.
    fn takes_answer(&mut self, piece: &Piece) {
        self.told.interrupted = false;
        for (id, name, _) in &piece.tools {
            self.names.insert(id.clone(), name.clone());
        }
        let known = self.answers.get(&piece.key).and_then(|at| self.told.entries.get_mut(*at));
        match known {
            Some(Entry::Turn(turn)) => turn.add(piece, self.now),
            _ => {
                let at = self.said_at.take().unwrap_or(self.now);
                let mut turn = Turn::new(piece, at, std::mem::take(&mut self.said));
                turn.add(piece, self.now);
                self.answers.insert(piece.key.clone(), self.told.entries.len());
                self.told.entries.push(Entry::Turn(Box::new(turn)));
            }
        }
    }
}

impl<'a> Told<'a> {
    fn of(key: &'a str, log: &'a Log) -> Told<'a> {
        let begins = log.items.iter().find_map(|item| item.at).unwrap_or(0);
        let told = Told {
            key,
            workflow: log.workflow.as_deref(),
            begins,
            ends: begins,
            first: None,
            asked: None,
            entries: Vec::new(),
            results: BTreeMap::new(),
            interrupted: false,
        };
        let mut reader = TranscriptReader {
            now: begins,
            told,
            names: BTreeMap::new(),
            answers: BTreeMap::new(),
            said: Vec::new(),
            said_at: None,
        };
        log.items.iter().for_each(|item| reader.takes(item));
        reader.told
    }

    fn last_turn(&self) -> Option<&Turn> {
        self.entries.iter().rev().find_map(|entry| if let Entry::Turn(turn) = entry { Some(&**turn) } else { None })
    }

    /// Its state where no other record gives it: with the end of an answer it is done.
    fn own_end(&self) -> Option<End> {
        let last = self.last_turn()?;
        let text: Vec<&str> = last
            .asked
            .content
            .iter()
            .filter_map(|c| if let Content::Text { text } = c { Some(&**text) } else { None })
            .collect();
        let payload = if text.is_empty() { Payload::default() } else { Payload::note(text.join("\n")) };
        let end = |outcome| Some(End { at: self.ends, outcome, payload });
        match &last.asked.stop {
            _ if self.interrupted => end(Outcome::Cancelled),
            StopReason::End => end(Outcome::Done),
            StopReason::Refusal(_) => end(Outcome::Failed("the model refused".into())),
            _ => None,
        }
    }
}

impl Turn {
    fn new(piece: &Piece, at: i64, said: Vec<Said>) -> Turn {
        let asked = Asked {
            model: ModelId { provider: "anthropic".into(), model: piece.model.clone() },
            said,
            max_tokens: 0,
            content: Vec::new(),
            stop: StopReason::Other("cut".into()),
            usage: Usage::default(),
            served_by: piece.model.clone(),
            id: piece.request.clone(),
            first_ms: 0,
            end: Ended::NotYet,
        };
        Turn { at, end: at, asked, most_output: 0, tools: Vec::new() }
    }

    /// Takes in one more line of the answer. Its first lines tell of tokens as they were then: the most is the last.
    fn add(&mut self, piece: &Piece, now: i64) {
        self.end = self.end.max(now);
        self.asked.end = Ended::At(self.end);
        self.asked.content.extend(piece.content.iter().cloned());
        self.tools.extend(piece.tools.iter().cloned());
        if let Some(stop) = &piece.stop {
            self.asked.stop = stop.clone();
        }
        if let Some(usage) = piece.usage.filter(|usage| usage.output >= self.most_output) {
            self.most_output = usage.output;
            self.asked.usage = usage;
        }
    }
}

/// Finds the parent of each agent by the call that it was opened with.
struct Links {
    /// The agent that each such call opened.
    opened: BTreeMap<String, String>,
}

/// Whether a tool hands work to a sub-agent; it was called `Task` before.
fn hands_over(name: &str, input: &Value) -> bool {
    matches!(name, "Agent" | "Task") && input.get("prompt").is_some()
}

impl Links {
    fn of(session: &Session, told: &[Told<'_>]) -> Links {
        let mut opened: BTreeMap<String, String> = BTreeMap::new();
        let mut linked: BTreeSet<&str> = BTreeSet::new();
        let calls: Vec<(&str, &Value, &Told<'_>)> = told
            .iter()
            .flat_map(|log| log.entries.iter().map(move |entry| (log, entry)))
            .filter_map(|(log, entry)| if let Entry::Turn(turn) = entry { Some((log, turn)) } else { None })
            .flat_map(|(log, turn)| turn.tools.iter().map(move |tool| (log, tool)))
            .filter(|(_, (_, name, input))| hands_over(name, input))
            .map(|(log, (id, _, input))| (id.as_str(), input, log))
            .collect();
        let known: BTreeSet<&str> = calls.iter().map(|(id, ..)| *id).collect();
        for (agent, meta) in &session.metas {
            let tool_use = meta.tool_use.as_deref().filter(|id| known.contains(id));
            let is_new = |id: &&str| session.logs.contains_key(agent) && !opened.contains_key(*id);
            if let Some(id) = tool_use.filter(is_new) {
                linked.insert(agent);
                opened.insert(id.to_owned(), agent.clone());
            }
        }
        for (id, _, log) in &calls {
            let agent = log.results.get(*id).and_then(|brought| brought.agent.as_deref());
            let agent = agent.and_then(|agent| session.logs.get_key_value(agent)).map(|(key, _)| key.as_str());
            if let Some(agent) = agent.filter(|agent| !opened.contains_key(*id) && !linked.contains(agent)) {
                linked.insert(agent);
                opened.insert((*id).to_owned(), agent.to_owned());
            }
        }
        // Of old side chains only what they were told is the same.
        let mut free: BTreeMap<&str, VecDeque<&str>> = BTreeMap::new();
        for log in told.iter().filter(|log| log.key != MAIN && !linked.contains(log.key)) {
            if let Some(first) = &log.first {
                free.entry(first).or_default().push_back(log.key);
            }
        }
        for (id, input, _) in &calls {
            if opened.contains_key(*id) {
                continue;
            }
            let prompt = told::text(input, "prompt").map(super::story::kept);
            let same = prompt.and_then(|prompt| free.get_mut(&*prompt)).and_then(VecDeque::pop_front);
            if let Some(key) = same {
                opened.insert((*id).to_owned(), key.to_owned());
            }
        }
        Links { opened }
    }
}

struct Telling<'a> {
    session: &'a Session,
    told: &'a [Told<'a>],
    links: Links,
    agents: Vec<Agent>,
    /// The places of the agents by their ids.
    places: BTreeMap<Clean, usize>,
    /// The places of the records of ends, by the calls and by the agents that they are of.
    ends_of_calls: BTreeMap<&'a str, Vec<usize>>,
    ends_of_agents: BTreeMap<&'a str, Vec<usize>>,
    /// The transcripts of those that began a workflow, by its run.
    workflows: BTreeMap<&'a str, &'a str>,
}

impl<'a> Telling<'a> {
    fn new(session: &'a Session, told: &'a [Told<'a>], links: Links) -> Telling<'a> {
        let places = |id: fn(&Notice) -> Option<&String>| {
            let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (notice, at) in session.notices.iter().zip(0..) {
                id(notice).into_iter().for_each(|id| places.entry(id).or_default().push(at));
            }
            places
        };
        let mut workflows = BTreeMap::new();
        for log in told {
            for run in log.results.values().filter_map(|brought| brought.workflow.as_deref()) {
                workflows.entry(run).or_insert(log.key);
            }
        }
        Telling {
            session,
            told,
            links,
            agents: Vec::new(),
            places: BTreeMap::new(),
            ends_of_calls: places(|notice| notice.call.as_ref()),
            ends_of_agents: places(|notice| notice.task.as_ref()),
            workflows,
        }
    }

    /// The transcript with this key: they are in its order.
    fn log(&self, key: &str) -> Option<&'a Told<'a>> {
        let at = self.told.binary_search_by(|log| log.key.cmp(key)).ok()?;
        self.told.get(at)
    }

    /// Adds an agent; returns its index.
    fn add(&mut self, agent: Agent) -> usize {
        let index = self.agents.len();
        self.places.entry(agent.id.clone()).or_insert(index);
        self.agents.push(agent);
        index
    }

    /// Every agent, each behind the one that it belongs to.
    fn all(mut self, title: Option<&Clean>) -> Vec<Agent> {
        let linked: BTreeSet<&str> = self.links.opened.values().map(String::as_str).collect();
        let free = |log: &&Told<'a>| !linked.contains(log.key);
        let logs = self.told;
        let root = self.log(MAIN).or_else(|| logs.iter().find(free)).unwrap_or(&logs[0]);
        let lost: Vec<&Told<'a>> = logs.iter().filter(free).filter(|log| log.key != root.key).collect();
        let asked = root.asked.clone().or_else(|| root.first.clone()).unwrap_or_default();
        let name = title.cloned().unwrap_or_else(|| named(asked.lines().next().unwrap_or("session")));
        let payload =
            if asked.is_empty() { Payload::default() } else { Payload { question: Some(asked), ..Payload::default() } };
        let meta = self.session.metas.get(root.key);
        self.add(Agent {
            id: if root.key == MAIN { "main".into() } else { Clean::line(root.key) },
            parent: None,
            role: meta.and_then(|meta| meta.role.clone()).unwrap_or_else(|| "claude-code".into()),
            title: name.clone(),
            name,
            at: root.begins,
            payload,
            steps: Vec::new(),
            end: root.own_end(),
        });
        // A stack of its own: agents hand work on as often as they like.
        let mut to_tell = vec![(root, 0)];
        while let Some((log, index)) = to_tell.pop() {
            self.tell(log, index, &mut to_tell);
        }
        for log in lost {
            // One whose call is known to nobody stands below the one its file names, or else the session itself.
            if self.places.contains_key(log.key) {
                continue;
            }
            let named = self.session.metas.get(log.key).and_then(|meta| meta.parent.clone());
            let by_workflow = log.workflow.and_then(|run| self.owner_of_workflow(run));
            let named = named.and_then(|parent| self.places.get(parent.as_str()).copied());
            let parent = named.or(by_workflow).unwrap_or(0);
            let index = self.open(log, parent, log.begins, None);
            let mut to_tell = vec![(log, index)];
            while let Some((log, index)) = to_tell.pop() {
                self.tell(log, index, &mut to_tell);
            }
        }
        self.agents
    }

    fn owner_of_workflow(&self, run: &str) -> Option<usize> {
        let owner = *self.workflows.get(run)?;
        self.places.get(if owner == MAIN { "main" } else { owner }).copied()
    }

    /// Opens the agent of a transcript; returns its index.
    fn open(&mut self, log: &Told<'_>, parent: usize, at: i64, call: Option<(&str, &Value, &Told<'_>)>) -> usize {
        let mut end = match call {
            Some((id, _, by)) => self.end_of(id, Some(log.key), by),
            None => None,
        };
        if end.is_none() && call.is_none() {
            end = log.own_end();
        }
        let input = call.map(|(_, input, _)| input);
        let first = log.first.clone().unwrap_or_default();
        self.push(log.key, parent, at, input, &first, end)
    }

    fn push(
        &mut self,
        id: &str,
        parent: usize,
        at: i64,
        input: Option<&Value>,
        first: &Clean,
        end: Option<End>,
    ) -> usize {
        let meta = self.session.metas.get(id);
        let of_input = |field: &str| input.and_then(|input| told::text(input, field));
        let role = meta.and_then(|meta| meta.role.clone()).or_else(|| of_input("subagent_type").map(named));
        let title = meta.and_then(|meta| meta.title.clone()).or_else(|| of_input("description").map(named));
        let title = title.unwrap_or_else(|| named(first.lines().next().unwrap_or("a sub-agent")));
        let prompt = of_input("prompt").map(super::story::kept).unwrap_or_else(|| first.clone());
        let rest = input.and_then(Value::as_object).map(|input| {
            let rest = input.iter().filter(|(key, _)| !matches!(key.as_str(), "prompt" | "description"));
            Value::Object(rest.map(|(key, value)| (key.clone(), value.clone())).collect())
        });
        let data = rest.filter(|rest| rest.as_object().is_some_and(|rest| !rest.is_empty())).map(CleanJson::new);
        let notes = (!prompt.is_empty()).then(|| vec![prompt]);
        self.add(Agent {
            id: Clean::line(id),
            parent: Some(parent),
            role: role.unwrap_or_else(|| "agent".into()),
            title: title.clone(),
            name: title,
            at,
            payload: Payload { notes, data, ..Payload::default() },
            steps: Vec::new(),
            end,
        })
    }

    /// The end of an agent that a call opened: the result of the call, or a later record of one that works beside its parent.
    fn end_of(&self, call: &str, agent: Option<&str>, by: &Told<'_>) -> Option<End> {
        let of_agent = agent.and_then(|agent| self.ends_of_agents.get(agent));
        let places = self.ends_of_calls.get(call).into_iter().chain(of_agent).flatten();
        let notices = places.filter_map(|at| Some((self.session.notices.get(*at)?, *at)));
        // A record of the conversation counts more than its echoes; the last of those counts.
        let last = notices.max_by_key(|(notice, at)| (notice.uuid.is_some(), notice.at, *at));
        if let Some((notice, _)) = last {
            return Some(End { at: notice.at, outcome: notice.outcome(), payload: Payload::note(notice.said.clone()) });
        }
        let brought = by.results.get(call).filter(|brought| !brought.launched)?;
        let outcome = match (&brought.denied, brought.failed) {
            (Some(_), _) => Outcome::Cancelled,
            (None, true) => Outcome::Failed(brought.report.clone()),
            (None, false) => Outcome::Done,
        };
        Some(End { at: brought.at, outcome, payload: Payload::note(brought.report.clone()) })
    }

    /// The steps of one, and the agents that it opened.
    fn tell(&mut self, log: &'a Told<'a>, index: usize, to_tell: &mut Vec<(&'a Told<'a>, usize)>) {
        let mut steps = Vec::new();
        for entry in &log.entries {
            let turn = match entry {
                Entry::Note(at, note) => {
                    steps.push(Step { at: *at, did: Did::Noted(note.clone()) });
                    continue;
                }
                Entry::Turn(turn) => turn,
            };
            steps.push(Step { at: turn.at, did: Did::Asked(Box::new(turn.asked.clone())) });
            let (mut opened, mut used) = (Vec::new(), Vec::new());
            for (id, name, input) in &turn.tools {
                if hands_over(name, input) {
                    let child = self.links.opened.get(id).and_then(|key| self.log(key));
                    // One that opened itself, or was opened twice, is opened once.
                    if child.is_some_and(|child| self.places.contains_key(child.key)) {
                        continue;
                    }
                    opened.push(match child {
                        Some(child) => {
                            let n = self.open(child, index, turn.end, Some((id, input, log)));
                            to_tell.push((child, n));
                            n
                        }
                        None => {
                            let end = self.end_of(id, None, log);
                            self.push(id, index, turn.end, Some(input), &Clean::default(), end)
                        }
                    });
                    continue;
                }
                let brought = log.results.get(id);
                let end = match brought {
                    None => Ended::NotYet,
                    Some(Brought { at, denied: Some(kind), .. }) => {
                        Ended::Failed(*at, format!("denied: {kind}").into())
                    }
                    Some(Brought { at, failed: true, text, .. }) => Ended::Failed(*at, text.clone()),
                    Some(Brought { at, .. }) => Ended::At(*at),
                };
                let result = brought.map(|brought| brought.text.clone()).unwrap_or_default();
                used.push(Used { name: name.clone(), arguments: CleanJson::new(input.clone()), result, end });
            }
            if !opened.is_empty() {
                steps.push(Step { at: turn.end, did: Did::HandedOff(opened) });
            }
            if !used.is_empty() {
                steps.push(Step { at: turn.end, did: Did::Used(used) });
            }
        }
        self.agents[index].steps = steps;
    }
}

/// A tool call as it stands in an answer.
fn content_of(id: &str, name: &Clean, input: &Value) -> Content {
    Content::Call {
        id: Clean::line(id),
        name: name.clone(),
        arguments: Arguments::Whole(CleanJson::new(input.clone()).get().clone()),
    }
}
