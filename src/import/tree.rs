//! Spans to a story: the common form of traces, LangSmith runs and spans of SDKs, a tree in any order.

mod links;
mod missing;
mod passing;
mod steps;
mod telling;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use run::foreign::{Note, Origin};
use run::model::{Content, Said, StopReason, Usage};
use run::tool::CleanJson;
use run::{Money, Outcome, Payload};
use text::Clean;

use super::story::Story;
use telling::{NodeSource, told};

/// A span of a trace.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: Arc<str>,
    /// The span that it stands below; None at the top.
    pub parent: Option<Arc<str>>,
    /// Whether that span is of another process, which may tell of it to somebody else.
    pub is_called_from_elsewhere: bool,
    /// The agent that it says it is of; empty where it does not say.
    pub agent: Clean,
    /// Its name.
    pub name: Clean,
    /// The time of its beginning, in nanoseconds since 1970.
    pub start: i128,
    /// The time of its end; None if it has not ended, as far as was told.
    pub end: Option<i128>,
    /// The reason for its failure, if it failed.
    pub failed: Option<Clean>,
    /// Its outcome as an agent, where it says more than whether it failed.
    pub outcome: Option<Outcome>,
    /// The work that it tells of.
    pub kind: Kind,
}

impl Node {
    /// Its role as an agent; its name if it is none.
    fn role(&self) -> &Clean {
        match &self.kind {
            Kind::Agent(worker) | Kind::Chain(worker) => &worker.role,
            _ => &self.name,
        }
    }

    fn ends_before_it_begins(&self) -> bool {
        self.end.is_some_and(|end| end < self.start)
    }
}

/// The work that a span tells of.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The work of an agent or a workflow.
    Agent(Box<Worker>),
    /// A chain of a program: an agent only where no agent stands above it.
    Chain(Box<Worker>),
    /// A model call.
    Call(Box<Spoken>),
    /// A tool call.
    Tool {
        /// The name of the tool.
        name: Clean,
        /// Its arguments.
        arguments: CleanJson,
        /// Its result, as text.
        result: Clean,
        /// The agents that it hands work to, where its instructions name them.
        hands_to: Option<Clean>,
    },
    /// Something that is told in the transcript.
    Note(Note),
    /// Anything else: the spans below it belong to the one above it.
    Other,
}

/// An agent at work.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    /// Its role.
    pub role: Clean,
    /// The cost that it reports for itself and all below it. Its calls report theirs too, and those count.
    pub cost: Option<Money>,
    /// The work that it was handed.
    pub input: Payload,
    /// The result that it gave back.
    pub output: Payload,
}

/// A model call as a span tells it.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// The provider, as it is called there.
    pub provider: Clean,
    /// The model that was asked.
    pub model: Clean,
    /// The model that answered, if it is another.
    pub served_by: Option<Clean>,
    /// The provider's id of the answer.
    pub id: Option<Clean>,
    /// All messages to it, also those of the call before it.
    pub said: Vec<Spoke>,
    /// The answer, in its parts.
    pub content: Vec<Content>,
    /// The reason why the model stopped.
    pub stop: StopReason,
    /// The tokens that it took, and its cost if that was told.
    pub usage: Usage,
    /// The most tokens that were asked for; 0 if that was not told.
    pub max_tokens: u32,
    /// Milliseconds to the first piece of the answer; 0 if that was not told.
    pub first_ms: u64,
}

/// A message to a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoke {
    /// New to the model.
    Said(Said),
    /// An answer of its own, said again.
    Answer,
}

/// The spans of one trace.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The service's own name, if nothing else has a name.
    pub service: Clean,
    /// The name of the run; empty where its agents give it.
    pub title: Clean,
    /// Its spans, by id. They are large, and a place in a map is often empty.
    pub nodes: BTreeMap<Arc<str>, Box<Node>>,
    /// Spans whose id was there already.
    pub repeated: u64,
    /// Names that are there already: most spans have those of others.
    names: BTreeSet<Clean>,
    /// The span that the last one belongs to.
    last_parent: Option<Arc<str>>,
}

/// The most names that are looked for among those of other spans.
const MOST_NAMES: usize = 64;

impl Trace {
    /// Takes a span in. One that has ended counts more than the same one that has not.
    pub fn insert(&mut self, mut node: Node) {
        match self.nodes.get_mut(&node.id) {
            None => {
                self.share(&mut node);
                self.nodes.insert(node.id.clone(), Box::new(node));
            }
            Some(known) => {
                self.repeated += 1;
                // The heavier of the two is kept, so that the result does not depend on the order of lines.
                let weight =
                    |node: &Node| (node.end.is_some(), node.end, std::cmp::Reverse(node.start), node.name.clone());
                if weight(&node) > weight(known) {
                    **known = node;
                }
            }
        }
    }

    /// Has a span share its names with others.
    fn share(&mut self, node: &mut Node) {
        if node.parent.is_some() && node.parent == self.last_parent {
            node.parent.clone_from(&self.last_parent);
        } else {
            self.last_parent.clone_from(&node.parent);
        }
        let mut share = |name: &mut Clean| match self.names.get(name) {
            _ if name.is_empty() => {}
            Some(known) => *name = known.clone(),
            None if self.names.len() < MOST_NAMES => drop(self.names.insert(name.clone())),
            None => {}
        };
        share(&mut node.name);
        share(&mut node.agent);
        match &mut node.kind {
            Kind::Agent(worker) | Kind::Chain(worker) => share(&mut worker.role),
            Kind::Call(spoken) => {
                share(&mut spoken.provider);
                share(&mut spoken.model);
                spoken.served_by.iter_mut().for_each(share);
            }
            Kind::Tool { name, .. } => share(name),
            Kind::Note(_) | Kind::Other => {}
        }
    }

    /// Takes in a later part of the same trace.
    pub fn extend(&mut self, later: Trace) {
        if self.service.is_empty() {
            self.service = later.service;
        }
        if self.title.is_empty() {
            self.title = later.title;
        }
        self.repeated += later.repeated;
        later.nodes.into_values().for_each(|node| self.insert(*node));
    }

    /// Whether it tells of any work.
    pub fn has_work(&self) -> bool {
        self.nodes.values().any(|node| !matches!(node.kind, Kind::Other))
    }

    /// The story of the trace, all of which is there; None if it tells of no work at all.
    pub fn story(self, origin: Origin) -> Option<Story> {
        let Trace { service, title, nodes, repeated, .. } = self;
        let nodes = nodes.into_values().map(NodeSource::Owned).collect();
        told(&service, nodes, repeated, origin, &BTreeMap::new()).map(|story| called(&title, story))
    }

    /// The same of a trace that is kept.
    pub(crate) fn story_of(&self, origin: Origin) -> Option<Story> {
        self.lent(origin, &BTreeMap::new())
    }

    /// The story of a trace that is still coming. Exporters send a span when it ends, so a span that others name as their parent is
    /// at work until it comes.
    pub(crate) fn story_so_far(&self, mut origin: Origin) -> Option<Story> {
        let awaited = self.awaited();
        if !awaited.is_empty() {
            let of = text::count(awaited.len(), "span");
            origin.remarks.push(format!("{of} not ended yet: what follows is shown as far as it was recorded").into());
        }
        self.lent(origin, &awaited)
    }

    fn lent(&self, origin: Origin, awaited: &BTreeMap<Arc<str>, Node>) -> Option<Story> {
        let mut nodes: Vec<NodeSource<'_>> = self.nodes.values().map(|node| NodeSource::Borrowed(node)).collect();
        if !awaited.is_empty() {
            nodes.extend(awaited.values().map(NodeSource::Borrowed));
            nodes.sort_by(|a, b| a.id.cmp(&b.id));
        }
        told(&self.service, nodes, self.repeated, origin, awaited).map(|story| called(&self.title, story))
    }

    /// Whether a span at the top of the trace is there, all have ended, and none is awaited.
    pub fn is_whole(&self) -> bool {
        let is_top = |node: &Node| node.parent.is_none() || node.is_called_from_elsewhere;
        let is_here = |parent: &Arc<str>| self.nodes.contains_key(parent);
        let is_told = |node: &Node| node.end.is_some() && (is_top(node) || node.parent.as_ref().is_none_or(is_here));
        self.nodes.values().any(|node| is_top(node)) && self.nodes.values().all(|node| is_told(node))
    }

    /// Whether a span at the top of the trace has ended.
    pub(crate) fn top_has_ended(&self) -> bool {
        let is_top = |node: &Node| node.parent.is_none() || node.is_called_from_elsewhere;
        self.nodes.values().any(|node| is_top(node) && node.end.is_some())
    }

    /// The stand-ins for spans that have not come and that others name as their parents.
    fn awaited(&self) -> BTreeMap<Arc<str>, Node> {
        let mut awaited: BTreeMap<Arc<str>, Node> = BTreeMap::new();
        let mut are_at_work: BTreeMap<Arc<str>, Clean> = BTreeMap::new();
        for node in self.nodes.values().filter(|node| !node.is_called_from_elsewhere) {
            let Some(parent) = node.parent.as_ref().filter(|parent| !self.nodes.contains_key(*parent)) else {
                continue;
            };
            if !matches!(node.kind, Kind::Other) {
                let named = are_at_work.entry(parent.clone()).or_default();
                // An agent says its own name, and not that of the one above it.
                if named.is_empty() && matches!(node.kind, Kind::Call(_) | Kind::Tool { .. }) {
                    *named = node.agent.clone();
                }
            }
            let known = awaited.entry(parent.clone()).or_insert_with(|| Node {
                id: parent.clone(),
                parent: None,
                is_called_from_elsewhere: false,
                agent: Clean::default(),
                name: Clean::default(),
                start: node.start,
                end: None,
                failed: None,
                outcome: None,
                kind: Kind::Other,
            });
            known.start = known.start.min(node.start);
        }
        let is_only = awaited.len() == 1 && !self.nodes.values().any(|node| node.parent.is_none());
        for node in awaited.values_mut() {
            let named = are_at_work.get(&node.id);
            if named.is_none() && !is_only {
                continue;
            }
            // Its own name comes with it.
            let role: Clean = match named.filter(|named| !named.is_empty()) {
                Some(named) => named.clone(),
                None if is_only && !self.service.is_empty() => self.service.clone(),
                None => Clean::line(&format!("agent {}", node.id.chars().take(4).collect::<String>())),
            };
            node.name = role.clone();
            node.kind = Kind::Agent(Box::new(Worker { role, ..Worker::default() }));
        }
        awaited
    }
}

/// The story with this title; with its own if that is empty.
fn called(title: &Clean, story: Story) -> Story {
    if title.is_empty() { story } else { Story { title: title.clone(), ..story } }
}
