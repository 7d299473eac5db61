//! Rollouts of Codex: a file for each thread, of which sub-agents are threads of their own.
//!
//! A thread that was forked begins with what it copied from another, which is left out where the other is among the files. What
//! sub-agents are told is encrypted there, and is never guessed at.

mod digest;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use run::foreign::{Format, Note, NoteKind, Origin};
use run::model::{Arguments, Content, Said, Stop, ToolAnswer, Usage};
use run::tool::CleanJson;
use run::{ModelId, Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::otlp::uncached;
use super::story::{Agent, Asked, Did, End, Ended, Step, Story, Unknown, Used};
use super::told;
use super::{Importer, Unread};
use digest::{Activity, Brought, Called, NOT_KNOWN, Peer, Tokens, What};

/// Threads, as far as they have been read, by file.
#[derive(Debug, Default)]
pub struct Codex {
    files: BTreeMap<String, Rollout>,
}

#[derive(Debug, Default)]
struct Rollout {
    meta: Option<Meta>,
    items: Vec<Item>,
    records: u64,
    unread: u64,
    unknown: Unknown,
}

/// The record in which a thread names itself.
#[derive(Debug, Default)]
struct Meta {
    id: String,
    /// The thread that handed it its work.
    parent: Option<String>,
    /// The thread whose records it began with.
    forked_from: Option<String>,
    role: Option<Clean>,
    name: Option<Clean>,
    /// Where it stands among agents, as `/root/reader`.
    path: Option<String>,
    provider: Clean,
    version: Clean,
}

#[derive(Debug)]
struct Item {
    at: Option<i64>,
    /// Of its payload: copies have the same.
    hash: u64,
    what: What,
}

impl Importer for Codex {
    fn record(&mut self, file: &str, bytes: &[u8]) -> Result<(), Unread> {
        let record: Value = serde_json::from_slice(bytes).map_err(|_| Unread)?;
        let (Some(kind), Some(payload)) = (told::text(&record, "type"), record.get("payload")) else {
            return Err(Unread);
        };
        let rollout = self.files.entry(file.into()).or_default();
        rollout.records += 1;
        if kind == "session_meta" {
            // Those behind the first are copied from other threads.
            if rollout.meta.is_none() {
                rollout.meta = Meta::of(payload);
            }
            return Ok(());
        }
        if let Some(what) = digest::what(kind, payload, &mut rollout.unknown) {
            let mut hasher = DefaultHasher::new();
            (kind, payload).hash(&mut hasher);
            rollout.items.push(Item { at: told::at(&record, "timestamp"), hash: hasher.finish(), what });
        }
        Ok(())
    }

    fn unread(&mut self, file: &str) {
        self.files.entry(file.into()).or_default().unread += 1;
    }

    fn stories(self: Box<Self>) -> Vec<Story> {
        let mut threads: BTreeMap<String, Rollout> = BTreeMap::new();
        let mut repeated: BTreeMap<String, u64> = BTreeMap::new();
        for (file, rollout) in self.files {
            if rollout.meta.is_none() && rollout.items.is_empty() {
                continue;
            }
            let id = rollout.meta.as_ref().map_or_else(|| named(&file), |meta| meta.id.clone());
            let known = threads.get(&id).map(|known| known.records);
            if known.is_some() {
                *repeated.entry(id.clone()).or_default() += 1;
            }
            // Of a thread that stands in two places the longer one tells more.
            if known.is_none_or(|known| known < rollout.records) {
                threads.insert(id, rollout);
            }
        }
        Telling::new(&threads, repeated).stories()
    }
}

/// Whether the first record of a rollout is that of a thread that no other one opened.
pub(crate) fn is_of_a_person(first: &Value) -> bool {
    let meta = first.get("payload").filter(|_| told::text(first, "type") == Some("session_meta")).and_then(Meta::of);
    meta.is_some_and(|meta| meta.parent.is_none())
}

/// The id of a thread in the name of its file.
fn named(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".jsonl").unwrap_or(name).to_owned()
}

impl Meta {
    fn of(payload: &Value) -> Option<Meta> {
        let id = told::text(payload, "id")?.to_owned();
        let spawn = payload.get("source").and_then(|source| source.get("subagent"));
        let spawn = spawn.and_then(|subagent| subagent.get("thread_spawn"));
        let text = |name: &str| told::text(payload, name).or_else(|| told::text(spawn?, name));
        let line = |name: &str| text(name).map(Clean::line);
        let other = |name: &str| text(name).filter(|other| *other != id).map(str::to_owned);
        Some(Meta {
            parent: other("parent_thread_id"),
            forked_from: other("forked_from_id"),
            role: line("agent_role"),
            name: line("agent_nickname"),
            path: text("agent_path").map(str::to_owned),
            provider: line("model_provider").unwrap_or_else(|| "openai".into()),
            version: line("cli_version").unwrap_or_default(),
            id,
        })
    }
}

/// The story of one thread, call by call.
#[derive(Default)]
struct Thread {
    begins: i64,
    ends: i64,
    /// The first text that was said to the model, and the first that a person typed.
    first: Option<Clean>,
    typed: Option<Clean>,
    title: Option<Clean>,
    entries: Vec<Entry>,
    turns: Vec<Turn>,
    brought: BTreeMap<String, (i64, Brought)>,
    activity: Vec<Activity>,
    /// The last answers of other agents, by author.
    reports: BTreeMap<String, (i64, Clean)>,
    /// How its last turn ended, if it did.
    end: Option<(i64, Outcome, Option<Clean>)>,
    copied: u64,
}

enum Entry {
    /// By its place among the turns.
    Turn(usize),
    Note(i64, Note),
}

/// An answer of the model with the tools that it calls.
struct Turn {
    at: i64,
    end: i64,
    model: Clean,
    said: Vec<Said>,
    content: Vec<Content>,
    tools: Vec<Called>,
    usage: Usage,
    is_counted: bool,
}

/// Takes in the items of a thread, one after another.
#[derive(Default)]
struct Reading {
    thread: Thread,
    path: String,
    model: Clean,
    now: i64,
    said: Vec<Said>,
    said_at: Option<i64>,
    /// Whether something has been said since the last part of an answer: what is answered next is another call.
    is_over: bool,
    total: Tokens,
    names: BTreeMap<String, Clean>,
}

impl Thread {
    /// Of a rollout; what it copied from the one that it was forked from is left out.
    fn of(rollout: &Rollout, from: Option<&Rollout>) -> Thread {
        let mut copies: BTreeMap<u64, u64> = BTreeMap::new();
        for item in from.into_iter().flat_map(|from| &from.items) {
            *copies.entry(item.hash).or_default() += 1;
        }
        let path = rollout.meta.as_ref().and_then(|meta| meta.path.clone()).unwrap_or_else(|| "/root".into());
        let now = rollout.items.iter().find_map(|item| item.at).unwrap_or(0);
        let mut reading = Reading { path, now, ..Reading::default() };
        reading.thread.begins = now;
        let mut is_first = true;
        for item in &rollout.items {
            if let Some(left) = copies.get_mut(&item.hash).filter(|left| **left > 0 && !reading.is_own(&item.what)) {
                *left -= 1;
                reading.thread.copied += 1;
                reading.copied(&item.what);
                continue;
            }
            // The order of lines counts: a clock that runs back stands still.
            reading.now = reading.now.max(item.at.unwrap_or(reading.now));
            if std::mem::take(&mut is_first) {
                reading.thread.begins = reading.now;
            }
            reading.thread.ends = reading.now;
            reading.take(&item.what);
        }
        reading.thread
    }

    fn last_text(&self) -> Option<Clean> {
        self.turns.iter().rev().flat_map(|turn| turn.content.iter().rev()).find_map(|content| match content {
            Content::Text { text } if !text.is_empty() => Some(text.clone()),
            _ => None,
        })
    }

    fn own_end(&self) -> Option<End> {
        let (at, outcome, text) = self.end.clone()?;
        let text = text.or_else(|| self.last_text());
        Some(End { at, outcome, payload: text.map_or_else(Payload::default, Payload::note) })
    }
}

impl Reading {
    /// Whether it is of this thread even where another has the same: what agents say to each other stands with both.
    fn is_own(&self, what: &What) -> bool {
        matches!(what, What::Peer(peer) if peer.author == self.path || peer.recipient == self.path)
    }

    /// What counts of a record that was copied.
    fn copied(&mut self, what: &What) {
        match what {
            What::Model(model) => self.model = model.clone(),
            What::Counted { total: Some(total), .. } => self.total = *total,
            What::Called(called) => drop(self.names.insert(called.id.clone(), called.name.clone())),
            _ => {}
        }
    }

    fn say(&mut self, said: Said) {
        self.said_at.get_or_insert(self.now);
        self.said.push(said);
        self.is_over = true;
    }

    fn note(&mut self, kind: NoteKind, text: Clean) {
        self.thread.entries.push(Entry::Note(self.now, Note { kind, text }));
    }

    /// The call that is being answered.
    fn turn(&mut self) -> &mut Turn {
        let goes_on = !self.is_over && self.thread.turns.last().is_some_and(|turn| !turn.is_counted);
        if !goes_on {
            self.is_over = false;
            self.thread.entries.push(Entry::Turn(self.thread.turns.len()));
            self.thread.turns.push(Turn {
                at: self.said_at.take().unwrap_or(self.now),
                end: self.now,
                model: self.model.clone(),
                said: std::mem::take(&mut self.said),
                content: Vec::new(),
                tools: Vec::new(),
                usage: Usage::default(),
                is_counted: false,
            });
        }
        let last = self.thread.turns.len() - 1;
        &mut self.thread.turns[last]
    }

    fn take(&mut self, what: &What) {
        let now = self.now;
        match what {
            What::Typed(text) => match self.thread.typed {
                Some(_) => self.note(NoteKind::Said, text.clone()),
                None => self.thread.typed = Some(text.clone()),
            },
            What::Said { text, by_system } => {
                // The program puts what it says of the place in tags.
                if !by_system && self.thread.first.is_none() && !text.trim_start().starts_with(['<', '#']) {
                    self.thread.first = Some(text.clone());
                }
                let text = text.clone();
                self.say(if *by_system { Said::System { text } } else { Said::User { text } });
            }
            What::Answer(content) => {
                let turn = self.turn();
                turn.end = now;
                turn.content.push(content.clone());
            }
            What::Called(called) => {
                self.names.insert(called.id.clone(), called.name.clone());
                let turn = self.turn();
                turn.end = now;
                let arguments = Arguments::Whole(CleanJson::new(called.arguments.clone()).get().clone());
                turn.content.push(Content::Call { id: Clean::line(&called.id), name: called.name.clone(), arguments });
                turn.tools.push(called.clone());
            }
            What::Brought(brought) => self.brought(brought),
            What::Counted { last, total } => self.count(*last, *total),
            What::Model(model) => self.model = model.clone(),
            What::Began => self.thread.end = None,
            What::Ended(text) => self.thread.end = Some((now, Outcome::Done, text.clone())),
            What::Peer(peer) => self.peer(peer),
            What::Activity(activity) => self.thread.activity.push(activity.clone()),
            What::Titled(title) => self.thread.title = Some(title.clone()),
            What::Note(note) => {
                if note.kind == NoteKind::Interrupted {
                    self.thread.end = Some((now, Outcome::Cancelled, None));
                }
                self.note(note.kind, note.text.clone());
            }
        }
    }

    /// What the program tells of a tool comes before or after the text that the model is given of it: it is one result.
    fn brought(&mut self, brought: &Brought) {
        match self.thread.brought.get_mut(&brought.id) {
            Some((_, known)) => {
                known.failed |= brought.failed;
                known.agent = known.agent.take().or_else(|| brought.agent.clone());
                if brought.is_by_program && !known.is_by_program {
                    known.text = brought.text.clone();
                }
            }
            None => {
                let name = self.names.get(&brought.id).cloned().unwrap_or_default();
                let (call, text, failed) = (Clean::line(&brought.id), brought.text.clone(), brought.failed);
                let now = self.now;
                self.say(Said::Results { results: vec![ToolAnswer { call, name, text, failed }] });
                self.thread.brought.insert(brought.id.clone(), (now, brought.clone()));
            }
        }
    }

    /// Tokens of the call that ends here. The count is said again whenever limits change: what has not grown is no call.
    fn count(&mut self, last: Option<Tokens>, total: Option<Tokens>) {
        let since = total.map(|total| total.since(std::mem::replace(&mut self.total, total)));
        if since == Some(Tokens::default()) {
            return;
        }
        let Some(tokens) = last.or(since) else { return };
        // Results may stand before the count of the call that asked for them.
        if self.thread.turns.last().is_some_and(|turn| !turn.is_counted) {
            self.is_over = false;
        }
        let turn = self.turn();
        turn.is_counted = true;
        turn.usage = Usage {
            input: uncached(tokens.input, tokens.cached, 0),
            cache_read: tokens.cached,
            output: tokens.output,
            reasoning: tokens.reasoning,
            ..Usage::default()
        };
    }

    /// What agents say to each other stands with both: it is told where it arrives.
    fn peer(&mut self, peer: &Peer) {
        if peer.author == self.path || (!peer.recipient.is_empty() && peer.recipient != self.path) {
            return;
        }
        if peer.is_final {
            self.thread.reports.insert(peer.author.clone(), (self.now, peer.text.clone()));
        }
        self.say(Said::User { text: peer.text.clone() });
    }
}

struct Telling<'a> {
    rollouts: &'a BTreeMap<String, Rollout>,
    threads: BTreeMap<&'a str, Thread>,
    /// The threads that each handed work to, in the order in which they began.
    below: BTreeMap<&'a str, Vec<&'a str>>,
    repeated: BTreeMap<String, u64>,
}

/// A way to find the agent that a call opened.
type Way<'a> = dyn Fn(&Called) -> Option<String> + 'a;

impl<'a> Telling<'a> {
    fn new(rollouts: &'a BTreeMap<String, Rollout>, repeated: BTreeMap<String, u64>) -> Telling<'a> {
        let of = |id: &Option<String>| id.as_deref().and_then(|id| rollouts.get_key_value(id));
        let mut threads = BTreeMap::new();
        let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, rollout) in rollouts {
            let meta = rollout.meta.as_ref();
            let from = meta.and_then(|meta| of(&meta.forked_from)).map(|(_, from)| from);
            threads.insert(id.as_str(), Thread::of(rollout, from));
            if let Some((parent, _)) = meta.and_then(|meta| of(&meta.parent)) {
                below.entry(parent).or_default().push(id);
            }
        }
        for children in below.values_mut() {
            children.sort_by_key(|id| (threads[id].begins, *id));
        }
        Telling { rollouts, threads, below, repeated }
    }

    fn stories(self) -> Vec<Story> {
        let has_parent: BTreeSet<&str> = self.below.values().flatten().copied().collect();
        let ids: Vec<&'a str> = self.rollouts.keys().map(String::as_str).collect();
        let tops = ids.iter().copied().filter(|id| !has_parent.contains(id));
        // Those that belong to each other in a circle belong to nobody: the first of them stands at the top.
        let all: Vec<&str> = tops.chain(ids.iter().copied()).collect();
        let (mut stories, mut seen) = (Vec::new(), BTreeSet::new());
        for id in all {
            if seen.insert(id) {
                stories.push(self.story(id, &mut seen));
            }
        }
        stories
    }

    fn meta(&self, id: &str) -> Option<&'a Meta> {
        self.rollouts.get(id)?.meta.as_ref()
    }

    fn story(&self, id: &'a str, seen: &mut BTreeSet<&'a str>) -> Story {
        let thread = &self.threads[id];
        let meta = self.meta(id);
        let asked = thread.typed.clone().or_else(|| thread.first.clone());
        let name = asked.as_ref().and_then(|asked| asked.lines().next()).map(Clean::line);
        let title = thread.title.clone().or(name).filter(|title| !title.is_empty()).unwrap_or_else(|| Clean::line(id));
        let role = meta.and_then(|meta| meta.role.clone()).unwrap_or_else(|| "codex".into());
        let payload = Payload { question: asked, ..Payload::default() };
        let (at, end) = (thread.begins, thread.own_end());
        let (id_there, steps) = (Clean::line(id), Vec::new());
        let root = Agent {
            id: id_there,
            parent: None,
            role,
            name: title.clone(),
            at,
            title: title.clone(),
            payload,
            steps,
            end,
        };
        let mut agents = vec![root];
        let mut told = vec![id];
        // A stack of its own: agents hand work on as often as they like.
        let mut to_tell = vec![(id, 0)];
        let mut is_missing = false;
        while let Some((id, index)) = to_tell.pop() {
            let opened = to_tell.len();
            is_missing |= self.tell(id, index, &mut agents, &mut to_tell, seen);
            told.extend(to_tell[opened..].iter().map(|(id, _)| *id));
        }
        let origin = self.origin(id, &told, is_missing);
        Story { origin, title, agents }
    }

    /// The steps of a thread, and the agents that it opened; whether the rollout of one of those is missing.
    fn tell(
        &self,
        id: &'a str,
        index: usize,
        agents: &mut Vec<Agent>,
        to_tell: &mut Vec<(&'a str, usize)>,
        seen: &mut BTreeSet<&'a str>,
    ) -> bool {
        let thread = &self.threads[id];
        let provider = self.meta(id).map_or_else(|| "openai".into(), |meta| meta.provider.clone());
        let links = self.links(id, thread);
        let (mut steps, mut is_missing) = (Vec::new(), false);
        for entry in &thread.entries {
            let turn = match entry {
                Entry::Note(at, note) => {
                    steps.push(Step { at: *at, did: Did::Noted(note.clone()) });
                    continue;
                }
                Entry::Turn(at) => &thread.turns[*at],
            };
            steps.push(Step { at: turn.at, did: Did::Asked(Box::new(turn.asked(&provider))) });
            let (mut opened, mut used) = (Vec::new(), Vec::new());
            for called in &turn.tools {
                let Some(agent) = links.get(called.id.as_str()) else {
                    used.push(thread.used(called, turn.end));
                    continue;
                };
                let child = self.below.get(id).into_iter().flatten().copied().find(|child| child == agent);
                let child = child.filter(|child| !seen.contains(child));
                is_missing |= child.is_none();
                let n = agents.len();
                agents.push(self.opened(thread, child, agent, Some(called), index, turn.end));
                opened.push(n);
                if let Some(child) = child {
                    seen.insert(child);
                    to_tell.push((child, n));
                }
            }
            if !opened.is_empty() {
                steps.push(Step { at: turn.end, did: Did::HandedOff(opened) });
            }
            if !used.is_empty() {
                steps.push(Step { at: turn.end, did: Did::Used(used) });
            }
        }
        // Those whose call is not on record were handed their work when they began.
        let lost: Vec<&'a str> = self.below.get(id).into_iter().flatten().copied().collect();
        for child in lost {
            if seen.insert(child) {
                let n = agents.len();
                agents.push(self.opened(thread, Some(child), child, None, index, self.threads[child].begins));
                to_tell.push((child, n));
            }
        }
        agents[index].steps = steps;
        is_missing
    }

    /// The agent that each call opened.
    fn links(&self, id: &str, thread: &'a Thread) -> BTreeMap<&'a str, String> {
        let mut links: BTreeMap<&str, String> = BTreeMap::new();
        let mut linked: BTreeSet<String> = BTreeSet::new();
        let called = thread.turns.iter().flat_map(|turn| &turn.tools);
        let spawns: Vec<&Called> = called.filter(|called| called.name == "spawn_agent").collect();
        let children: Vec<&str> = self.below.get(id).into_iter().flatten().copied().collect();
        let ways: [&Way<'_>; 3] = [
            &|called| {
                let of_it = |activity: &&Activity| activity.call.as_deref() == Some(called.id.as_str());
                thread.activity.iter().find(of_it).map(|activity| activity.agent.clone())
            },
            &|called| thread.brought.get(&called.id).and_then(|(_, brought)| brought.agent.clone()),
            &|called| {
                let task = told::text(&called.arguments, "task_name")?;
                let is_it = |child: &&&str| {
                    let path = self.meta(child).and_then(|meta| meta.path.as_deref());
                    path.is_some_and(|path| path.rsplit('/').next() == Some(task))
                };
                children.iter().find(is_it).map(|child| (*child).to_owned())
            },
        ];
        for way in ways {
            for called in &spawns {
                if links.contains_key(called.id.as_str()) {
                    continue;
                }
                // One that was opened twice is opened once.
                if let Some(agent) = way(called).filter(|agent| linked.insert(agent.clone())) {
                    links.insert(&called.id, agent);
                }
            }
        }
        links
    }

    fn opened(
        &self,
        by: &Thread,
        child: Option<&str>,
        id: &str,
        called: Option<&Called>,
        parent: usize,
        at: i64,
    ) -> Agent {
        let meta = child.and_then(|child| self.meta(child));
        let activity = || by.activity.iter().rev().filter(|activity| activity.agent == id);
        let path = meta.and_then(|meta| meta.path.as_deref()).or_else(|| activity().find_map(|of| of.path.as_deref()));
        let of_call = |field: &str| called.and_then(|called| told::text(&called.arguments, field));
        let last = path.and_then(|path| path.rsplit('/').next()).filter(|last| !last.is_empty());
        let name = of_call("task_name").or(last).map(Clean::line);
        let name = name.or_else(|| meta.and_then(|meta| meta.name.clone())).unwrap_or_else(|| "a sub-agent".into());
        let role = of_call("agent_type").or_else(|| of_call("agent_role")).map(Clean::line);
        let role = meta.and_then(|meta| meta.role.clone()).or(role).unwrap_or_else(|| name.clone());
        let first = child.and_then(|child| self.threads[child].first.clone());
        let message = of_call("message").map(super::story::kept).or(first).unwrap_or_else(|| NOT_KNOWN.into());
        let rest = called.and_then(|called| called.arguments.as_object()).map(|fields| {
            let rest = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "message" | "task_name"));
            Value::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect())
        });
        let data = rest.filter(|rest| rest.as_object().is_some_and(|rest| !rest.is_empty())).map(CleanJson::new);
        // An agent signs with its path; before there were paths, with its id or its name.
        let nickname = meta.and_then(|meta| meta.name.as_deref());
        let signs = [path, Some(id), nickname];
        let report = signs.into_iter().flatten().find_map(|sign| by.reports.get(sign));
        let own = child.and_then(|child| self.threads[child].own_end());
        let stopped = activity().next().is_some_and(|activity| activity.is_interrupted);
        let end = match report {
            Some((at, text)) => Some(End { at: *at, outcome: Outcome::Done, payload: Payload::note(text.clone()) }),
            None => own.or_else(|| {
                stopped.then(|| End { at: by.ends, outcome: Outcome::Cancelled, payload: Payload::default() })
            }),
        };
        let payload = Payload { notes: Some(vec![message]), data, ..Payload::default() };
        Agent {
            id: Clean::line(id),
            parent: Some(parent),
            role,
            name: name.clone(),
            at,
            title: name,
            payload,
            steps: Vec::new(),
            end,
        }
    }

    fn origin(&self, id: &str, told: &[&str], is_missing: bool) -> Origin {
        let meta = self.meta(id);
        let mut remarks: Vec<Clean> = Vec::new();
        if let Some(parent) =
            meta.and_then(|meta| meta.parent.as_deref()).filter(|parent| !self.rollouts.contains_key(*parent))
        {
            remarks.push(format!("it was handed its work by thread {parent}, which is not among the files").into());
        }
        let mut unknown = Unknown::default();
        let (mut records, mut unread, mut copied, mut encrypted) = (0, 0, 0, 0);
        for thread in told {
            let rollout = &self.rollouts[*thread];
            records += rollout.records;
            unread += rollout.unread;
            rollout.unknown.0.iter().for_each(|(kind, n)| *unknown.0.entry(kind.clone()).or_default() += n);
            copied += self.threads[thread].copied;
            let called = self.threads[thread].turns.iter().flat_map(|turn| &turn.tools);
            let is_encrypted = |called: &&Called| told::text(&called.arguments, "message") == Some(NOT_KNOWN);
            encrypted += called.filter(is_encrypted).count();
            if let Some(again) = self.repeated.get(*thread) {
                remarks.push(format!("thread {thread} stands in {} files: the longest is shown", again + 1).into());
            }
            let from = self.meta(thread).and_then(|meta| meta.forked_from.as_deref());
            if let Some(from) = from.filter(|from| !self.rollouts.contains_key(*from)) {
                let remark = format!(
                    "thread {thread} began with a copy of thread {from}, which is not among the files: the copy counts as its own"
                );
                remarks.push(remark.into());
            }
        }
        if copied > 0 {
            let of = text::count(usize::try_from(copied).unwrap_or(usize::MAX), "record");
            remarks.push(format!("{of} copied from the thread that one was forked from left out").into());
        }
        if encrypted > 0 {
            let of = text::count(encrypted, "message");
            remarks.push(format!("{of} to sub-agents not known: the rollouts hold them encrypted").into());
        }
        if is_missing {
            remarks.push(
                "the rollouts of some sub-agents are not among the files: a folder is opened with all in it".into(),
            );
        }
        let version = meta.map(|meta| meta.version.clone()).unwrap_or_default();
        let (format, id, unknown) = (Format::Codex, Clean::line(id), unknown.0);
        Origin { format, id, version, records, unread, unknown, remarks }
    }
}

impl Thread {
    fn used(&self, called: &Called, at: i64) -> Used {
        let brought = self.brought.get(&called.id);
        let end = match brought {
            None if called.is_done => Ended::At(at),
            None => Ended::NotYet,
            Some((at, brought)) if brought.failed => Ended::Failed(*at, brought.text.clone()),
            Some((at, _)) => Ended::At(*at),
        };
        let result = brought.map(|(_, brought)| brought.text.clone()).unwrap_or_default();
        Used { name: called.name.clone(), arguments: CleanJson::new(called.arguments.clone()), result, end }
    }
}

impl Turn {
    fn asked(&self, provider: &Clean) -> Asked {
        let model = if self.model.is_empty() { "unknown".into() } else { self.model.clone() };
        Asked {
            served_by: model.clone(),
            model: ModelId { provider: provider.clone(), model },
            said: self.said.clone(),
            max_tokens: 0,
            content: self.content.clone(),
            stop: if self.tools.is_empty() { Stop::End } else { Stop::Tools },
            usage: self.usage,
            id: None,
            first_ms: 0,
            end: Ended::At(self.end),
        }
    }
}
