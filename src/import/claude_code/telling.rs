//! The agents of a session, told from its transcripts: who handed work to whom, and how each of them ended. It reads no records.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use run::tool::CleanJson;
use run::{Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::digest::Notice;
use super::transcript::{Brought, Entry, Told};
use super::{MAIN, Session};
use crate::story::{Agent, Did, End, Ended, Step, Used, named};
use crate::told;

/// Finds the parent of each agent by the call that it was opened with.
pub(super) struct Links {
    /// The agent that each such call opened.
    opened: BTreeMap<String, String>,
}

/// An agent whose steps are not told yet.
struct Begun<'a> {
    /// The key of its transcript, or of the call that opened it.
    id: &'a str,
    parent: usize,
    at: i64,
    /// The arguments of the call that opened it, if that is known.
    input: Option<&'a Value>,
    /// The first text that was said to it; empty if that is not known.
    first: &'a Clean,
    end: Option<End>,
}

/// Whether a tool hands work to a sub-agent; it was called `Task` before.
fn hands_over(name: &str, input: &Value) -> bool {
    matches!(name, "Agent" | "Task") && input.get("prompt").is_some()
}

impl Links {
    pub(super) fn of(session: &Session, told: &[Told<'_>]) -> Links {
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
            let prompt = told::text(input, "prompt").map(crate::story::kept);
            let same = prompt.and_then(|prompt| free.get_mut(&*prompt)).and_then(VecDeque::pop_front);
            if let Some(key) = same {
                opened.insert((*id).to_owned(), key.to_owned());
            }
        }
        Links { opened }
    }
}

pub(super) struct Telling<'a> {
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
    pub(super) fn new(session: &'a Session, told: &'a [Told<'a>], links: Links) -> Telling<'a> {
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
    pub(super) fn all(mut self, title: Option<&Clean>) -> Vec<Agent> {
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
        self.push(Begun { id: log.key, parent, at, input, first: &first, end })
    }

    /// Adds an agent below another; returns its index.
    fn push(&mut self, Begun { id, parent, at, input, first, end }: Begun<'_>) -> usize {
        let meta = self.session.metas.get(id);
        let of_input = |field: &str| input.and_then(|input| told::text(input, field));
        let role = meta.and_then(|meta| meta.role.clone()).or_else(|| of_input("subagent_type").map(named));
        let title = meta.and_then(|meta| meta.title.clone()).or_else(|| of_input("description").map(named));
        let title = title.unwrap_or_else(|| named(first.lines().next().unwrap_or("a sub-agent")));
        let prompt = of_input("prompt").map(crate::story::kept).unwrap_or_else(|| first.clone());
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
                            let first = Clean::default();
                            self.push(Begun { id, parent: index, at: turn.end, input: Some(input), first: &first, end })
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
