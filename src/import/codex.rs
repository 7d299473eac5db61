//! Rollouts of Codex: a file for each thread, of which sub-agents are threads of their own.
//!
//! A thread that was forked begins with its copy of another, which is left out if the other is among the files. Messages to
//! sub-agents are encrypted there, and are never guessed at.

mod digest;
mod telling;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use run::foreign::{Note, NoteKind};
use run::model::{Arguments, Content, Said, ToolAnswer, Usage};
use run::tool::CleanJson;
use run::{Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::story::{End, Story, Unknown};
use super::told::{self, uncached};
use super::{Importer, Unread};
use digest::{Activity, Brought, Called, Peer, Tokens, What};
use telling::Telling;

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
    /// Its place among agents, as `/root/reader`.
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
    /// The end of its last turn: time, outcome, last answer.
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
    /// Whether something has been said since the last part of an answer: the next answer is another call.
    is_over: bool,
    total: Tokens,
    names: BTreeMap<String, Clean>,
}

impl Thread {
    /// Of a rollout; its copy of the one that it was forked from is left out.
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
    /// Whether it is of this thread even where another has the same: messages between agents stand with both.
    fn is_own(&self, what: &What) -> bool {
        matches!(what, What::Peer(peer) if peer.author == self.path || peer.recipient == self.path)
    }

    /// Takes from a copied record the little that holds for this thread too.
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
                // The program puts its remarks on the place in tags.
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

    /// The program's report on a tool comes before or after the text that the model is given of it: it is one result.
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
                self.say(Said::Results { results: vec![ToolAnswer { call, name, text, failed, not_made: false }] });
                self.thread.brought.insert(brought.id.clone(), (now, brought.clone()));
            }
        }
    }

    /// Tokens of the call that ends here. The count is said again whenever limits change: a count that has not grown is no call.
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

    /// Messages between agents stand with both: each is told where it arrives.
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
