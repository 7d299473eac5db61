//! Threads of Codex as stories: a thread with the sub-agents that it opened, each in the place of the call that did.

use std::collections::{BTreeMap, BTreeSet};

use run::foreign::{Format, Origin};
use run::model::StopReason;
use run::tool::CleanJson;
use run::{ModelId, Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::digest::{Activity, Called, NOT_KNOWN};
use super::{Entry, Meta, Rollout, Thread, Turn};
use crate::story::{self, Agent, Asked, Did, End, Ended, Step, Story, Unknown, Used, named};
use crate::told;

/// Threads that become stories.
pub(super) struct Telling<'a> {
    rollouts: &'a BTreeMap<String, Rollout>,
    threads: BTreeMap<&'a str, Thread>,
    /// The threads that each handed work to, in the order in which they began.
    below: BTreeMap<&'a str, Vec<&'a str>>,
    repeated: BTreeMap<String, u64>,
}

/// A way to find the agent that a call opened.
type Way<'a> = dyn Fn(&Called) -> Option<String> + 'a;

/// An agent whose steps are not told yet.
struct Begun<'a> {
    /// Its thread, if that is among the files.
    child: Option<&'a str>,
    id: &'a str,
    /// The call that opened it, if that is known.
    called: Option<&'a Called>,
    parent: usize,
    at: i64,
}

impl<'a> Telling<'a> {
    /// Threads by their ids, and how many more files each had.
    pub(super) fn new(rollouts: &'a BTreeMap<String, Rollout>, repeated: BTreeMap<String, u64>) -> Telling<'a> {
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

    /// A story for each thread that no other thread opened.
    pub(super) fn stories(self) -> Vec<Story> {
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
        let name = asked.as_ref().and_then(|asked| asked.lines().next()).map(named);
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
                let begun = Begun { child, id: agent, called: Some(called), parent: index, at: turn.end };
                agents.push(self.opened(thread, begun));
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
                let at = self.threads[child].begins;
                let begun = Begun { child: Some(child), id: child, called: None, parent: index, at };
                agents.push(self.opened(thread, begun));
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

    /// The agent that another thread opened, without its steps.
    fn opened(&self, by: &Thread, Begun { child, id, called, parent, at }: Begun<'_>) -> Agent {
        let meta = child.and_then(|child| self.meta(child));
        let activity = || by.activity.iter().rev().filter(|activity| activity.agent == id);
        let path = meta.and_then(|meta| meta.path.as_deref()).or_else(|| activity().find_map(|of| of.path.as_deref()));
        let of_call = |field: &str| called.and_then(|called| told::text(&called.arguments, field));
        let last = path.and_then(|path| path.rsplit('/').next()).filter(|last| !last.is_empty());
        let name = of_call("task_name").or(last).map(named);
        let name = name.or_else(|| meta.and_then(|meta| meta.name.clone())).unwrap_or_else(|| "a sub-agent".into());
        let role = of_call("agent_type").or_else(|| of_call("agent_role")).map(named);
        let role = meta.and_then(|meta| meta.role.clone()).or(role).unwrap_or_else(|| name.clone());
        let first = child.and_then(|child| self.threads[child].first.clone());
        let message = of_call("message").map(story::kept).or(first).unwrap_or_else(|| NOT_KNOWN.into());
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
            let of = text::count(copied, "record");
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
            stop: if self.tools.is_empty() { StopReason::End } else { StopReason::Tools },
            usage: self.usage,
            id: None,
            first_ms: 0,
            end: Ended::At(self.end),
        }
    }
}
