//! The story of a tree of spans: its agents, their actions, and their handoffs to each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use run::foreign::{Note, NoteKind, Origin};
use run::tool::CleanJson;
use run::{Money, Outcome, Payload};
use text::Clean;

use super::links::{Place, Tree};
use super::missing::add_stand_ins;
use super::passing::Passing;
use super::steps::{self, Told, What};
use super::{Kind, Node, Worker};
use crate::story::{Agent, Did, End, Ended, Step, Story, Used, named};

/// A span that a story is made of, as in [`std::borrow::Cow`].
pub(super) enum NodeSource<'a> {
    /// The story may take it apart.
    Owned(Box<Node>),
    /// It stays where it is: further spans may come.
    Borrowed(&'a Node),
}

impl Deref for NodeSource<'_> {
    type Target = Node;

    fn deref(&self) -> &Node {
        match self {
            NodeSource::Owned(node) => node,
            NodeSource::Borrowed(node) => node,
        }
    }
}

impl NodeSource<'_> {
    /// The role of an agent, its task and its result.
    fn worker(&mut self) -> (Clean, Payload, Payload) {
        match self {
            NodeSource::Owned(node) => match &mut node.kind {
                Kind::Agent(worker) | Kind::Chain(worker) => {
                    let Worker { role, input, output, .. } = &mut **worker;
                    (role.clone(), std::mem::take(input), std::mem::take(output))
                }
                _ => (node.name.clone(), Payload::default(), Payload::default()),
            },
            NodeSource::Borrowed(node) => match &node.kind {
                Kind::Agent(worker) | Kind::Chain(worker) => {
                    (worker.role.clone(), worker.input.clone(), worker.output.clone())
                }
                _ => (node.name.clone(), Payload::default(), Payload::default()),
            },
        }
    }

    /// Its kind, taken out of an owned span: nothing else may ask for it.
    fn take(&mut self) -> Kind {
        match self {
            NodeSource::Owned(node) => std::mem::replace(&mut node.kind, Kind::Other),
            NodeSource::Borrowed(node) => node.kind.clone(),
        }
    }
}

/// The story of spans, in the order of their ids, of which these have not come.
pub(super) fn told(
    service: &Clean,
    mut nodes: Vec<NodeSource<'_>>,
    repeated: u64,
    mut origin: Origin,
    awaited: &BTreeMap<Arc<str>, Node>,
) -> Option<Story> {
    let has_come = |node: &NodeSource<'_>| awaited.is_empty() || !awaited.contains_key(&node.id);
    if !nodes.iter().any(|node| !matches!(node.kind, Kind::Other) && has_come(node)) {
        return None;
    }
    if awaited.is_empty() {
        origin.remarks.extend(add_stand_ins(&mut nodes));
    }
    let tree = Tree::new(&nodes);
    origin.remarks.extend(faults(&nodes, &tree, repeated));
    let begun = nodes.iter().filter(|node| node.start > 0).map(|node| ms(node.start)).min().unwrap_or(0);
    let ended = nodes.iter().map(|node| node.end.map(ms)).try_fold(i64::MIN, |last, end| end.map(|end| last.max(end)));
    let most = 1 + nodes.iter().filter(|node| matches!(node.kind, Kind::Agent(_))).count();
    let mut teller = Telling {
        tree,
        nodes,
        agents: Vec::with_capacity(most),
        steps: Vec::with_capacity(most),
        handed_by: BTreeMap::new(),
        handing_over: BTreeSet::new(),
        passing: Passing::default(),
        folded: 0,
        folded_names: Vec::new(),
    };
    teller.hand_overs();
    let roots = teller.root_agents();
    let said = teller.said_costs(&roots);
    match roots[..] {
        // A span that is still awaited may be above the one that is there.
        [only] if awaited.is_empty() || awaited.contains_key(&teller.node(only).id) => {
            teller.agent(only, None);
            // Other spans at the top are the root's.
            teller.adopt(Some(only));
        }
        _ => {
            teller.steps.push(Vec::new());
            teller.agents.push(service_agent(service, origin.id.clone(), begun, ended));
            // Those that were handed over to stand below the ones that did.
            for root in roots.iter().filter(|root| !teller.passing.has_moved(**root)).copied().collect::<Vec<_>>() {
                teller.agent(root, Some(0));
            }
            teller.adopt(None);
        }
    }
    if matches!(roots[..], [] | [_, _, ..]) {
        fail_as_the_last(&mut teller.agents);
    }
    for (agent, steps) in teller.agents.iter_mut().zip(std::mem::take(&mut teller.steps)) {
        agent.steps = steps::in_order(steps);
    }
    origin.remarks.extend(teller.other_sum(&said));
    if teller.folded > 0 {
        let of = text::count(teller.folded, "span");
        let names = teller.folded_names.join(", ");
        origin.remarks.push(format!("{of} of other kinds ({names}) not shown on their own").into());
    }
    let mut agents = teller.agents;
    for agent in &mut agents {
        agent.begins_at_least(begun);
    }
    let title = first_line_asked(&agents).unwrap_or_else(|| agents[0].name.clone());
    Some(Story { origin, title, agents })
}

/// The agent above several that no span is above of: the program that sent them.
fn service_agent(service: &Clean, id: Clean, at: i64, ended: Option<i64>) -> Agent {
    let name = if service.is_empty() { "trace".into() } else { service.clone() };
    let payload = Payload::default();
    Agent {
        id,
        parent: None,
        role: name.clone(),
        name: name.clone(),
        at,
        title: name,
        payload: payload.clone(),
        steps: Vec::new(),
        end: ended.map(|at| End { at, outcome: Outcome::Done, payload }),
    }
}

/// A program that says nothing of its own end failed if the agent that ended last did: nothing came after that.
fn fail_as_the_last(agents: &mut [Agent]) {
    let Some((program, agents)) = agents.split_first_mut() else { return };
    let ends = agents.iter().filter_map(|agent| agent.end.as_ref());
    let last = ends.max_by_key(|end| end.at).map(|end| &end.outcome);
    if let (Some(end), Some(Outcome::Failed(why))) = (&mut program.end, last) {
        end.outcome = Outcome::Failed(why.clone());
        end.payload = Payload::note(why.clone());
    }
}

/// The first line of what the first agent was asked that was asked something.
fn first_line_asked(agents: &[Agent]) -> Option<Clean> {
    let asked = agents.iter().find_map(|agent| agent.payload.notes().first().or_else(|| agent.told_first()))?;
    asked.lines().next().map(named).filter(|line| !line.is_empty())
}

/// Remarks for the person on spans that are told in another way than they were recorded.
fn faults(nodes: &[NodeSource<'_>], tree: &Tree, repeated: u64) -> Vec<Clean> {
    let spans = |n: usize| text::count(n, "span");
    let backwards = nodes.iter().filter(|node| node.ends_before_it_begins()).count();
    let without_start = nodes.iter().filter(|node| node.start <= 0).count();
    let belong = if tree.orphans == 1 { "belongs" } else { "belong" };
    let have = if without_start == 1 { "has" } else { "have" };
    let faults = [
        (repeated > 0, format!("{} came more than once: each is counted once", text::count(repeated, "span"))),
        (tree.circled > 0, format!("{} belong to each other in a circle: shown at the top", spans(tree.circled))),
        (
            tree.orphans > 0,
            format!("{} {belong} to spans that are not in the file: shown at the top", spans(tree.orphans)),
        ),
        (backwards > 0, format!("the clock runs backwards in {}: shown as taking no time", spans(backwards))),
        (without_start > 0, format!("{} {have} no start: shown at the beginning", spans(without_start))),
    ];
    faults.into_iter().filter(|(is_there, _)| *is_there).map(|(_, fault)| fault.into()).collect()
}

/// Nanoseconds as milliseconds.
fn ms(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or(0)
}

struct Telling<'a> {
    tree: Tree,
    nodes: Vec<NodeSource<'a>>,
    /// The agents told so far, without their steps.
    agents: Vec<Agent>,
    /// The steps of each of them, in any order.
    steps: Vec<Vec<Told>>,
    /// The tool call by which each agent was handed its work.
    handed_by: BTreeMap<Place, Place>,
    /// These tool calls.
    handing_over: BTreeSet<Place>,
    passing: Passing,
    /// The number of spans that are not shown on their own, and the names of the first.
    folded: u64,
    folded_names: Vec<Clean>,
}

/// The most names of spans that are not shown on their own.
const MOST_FOLDED: usize = 3;

impl Telling<'_> {
    fn node(&self, at: Place) -> &Node {
        &self.nodes[at]
    }

    /// Finds which tool calls hand work to agents: those with an agent below them, and those that name one that began after.
    fn hand_overs(&mut self) {
        let first_below = self.first_agents();
        let mut named: Vec<Place> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match (&node.kind, first_below[at]) {
                (Kind::Tool { .. }, Some(agent)) => drop(self.handed_by.insert(agent, at)),
                (Kind::Tool { hands_to: Some(_), .. }, None) => named.push(at),
                _ => {}
            }
        }
        named.sort_by_key(|at| self.nodes[*at].start);
        self.passing = Passing::new(&self.nodes, &self.tree, &named, |agent| !self.handed_by.contains_key(&agent));
        self.handed_by.extend(&self.passing.by);
        self.handing_over = self.handed_by.values().copied().collect();
    }

    /// The first of the agents below each span that has any, with no other agent between.
    fn first_agents(&self) -> Vec<Option<Place>> {
        // Each behind the one that it stands below; those that are deepest are asked first.
        let mut order = self.tree.tops.clone();
        let mut n = 0;
        while let Some(at) = order.get(n) {
            order.extend(self.tree.below(*at));
            n += 1;
        }
        let mut first = vec![None; self.nodes.len()];
        for at in order.into_iter().rev() {
            first[at] = self.tree.below(at).iter().find_map(|below| match self.node(*below).kind {
                Kind::Agent(_) => Some(*below),
                _ => first[*below],
            });
        }
        first
    }

    /// The agents below a span with no other agent between.
    fn nearest_agents(&self, at: Place) -> Vec<Place> {
        let mut found = Vec::new();
        let mut to_see: Vec<Place> = self.tree.below(at).iter().rev().copied().collect();
        while let Some(at) = to_see.pop() {
            match self.node(at).kind {
                Kind::Agent(_) => found.push(at),
                _ => to_see.extend(self.tree.below(at).iter().rev()),
            }
        }
        found
    }

    /// The agents that stand below no other: where there are none, the chain at the top.
    fn root_agents(&self) -> Vec<Place> {
        let mut roots = Vec::new();
        for top in &self.tree.tops {
            match self.node(*top).kind {
                Kind::Agent(_) | Kind::Chain(_) => roots.push(*top),
                _ => roots.extend(self.nearest_agents(*top)),
            }
        }
        roots
    }

    /// The costs that these agents report.
    fn said_costs(&self, roots: &[Place]) -> Vec<Money> {
        let of_root = |root: &Place| match &self.node(*root).kind {
            Kind::Agent(worker) | Kind::Chain(worker) => worker.cost,
            _ => None,
        };
        roots.iter().filter_map(of_root).collect()
    }

    /// A remark where the costs that agents at the top report are not those of their calls.
    fn other_sum(&self, said: &[Money]) -> Option<Clean> {
        let of_step = |step: &Step| if let Did::Asked(asked) = &step.did { asked.usage.cost } else { None };
        let told: Vec<Money> = self.agents.iter().flat_map(|agent| &agent.steps).filter_map(of_step).collect();
        let sum = |costs: &[Money]| Money(costs.iter().fold(0, |sum, cost| cost.0.saturating_add(sum)));
        let (whole, calls) = (sum(said), sum(&told));
        let words = format!("the agents at the top say that they cost {whole}");
        // Sums of floating-point numbers differ by amounts that nobody pays.
        let differs = whole.0.abs_diff(calls.0) > (calls.0 / 1_000).max(1_000_000);
        match (said.is_empty(), told.is_empty()) {
            (true, _) => None,
            (false, true) => Some(format!("{words}, and their calls say no cost").into()),
            (false, false) => differs.then(|| format!("{words}, their calls {calls}: the calls count").into()),
        }
    }

    /// Gives the root the spans at the top of the trace that belong to no agent.
    fn adopt(&mut self, but: Option<Place>) {
        let tops: Vec<Place> = self.tree.tops.iter().copied().filter(|top| Some(*top) != but).collect();
        let mut steps = Vec::new();
        let roots: Vec<usize> = (1..self.agents.len()).filter(|n| self.agents[*n].parent == Some(0)).collect();
        for top in tops {
            if !matches!(self.node(top).kind, Kind::Agent(_) | Kind::Chain(_)) {
                self.walk(top, &mut steps, &mut Vec::new());
            }
        }
        // The agents of the trace are handed out by its root when they began.
        if but.is_none() {
            steps.extend(roots.into_iter().map(|n| Told::did(self.agents[n].at, Did::HandedOff(vec![n]))));
        }
        self.steps[0].extend(steps);
    }

    /// Tells of an agent and of all below it.
    fn agent(&mut self, at: Place, parent: Option<usize>) {
        let first = self.agents.len();
        // A stack of its own: agents may stand in each other as deep as they like.
        let mut to_tell = vec![(at, parent)];
        while let Some((at, parent)) = to_tell.pop() {
            let index = self.agents.len();
            let children = self.one(at, parent);
            if let Some(parent) = parent.filter(|parent| *parent >= first) {
                let at = self.agents[index].at;
                self.steps[parent].push(Told::did(at, Did::HandedOff(vec![index])));
            }
            to_tell.extend(children.into_iter().rev().map(|child| (child, Some(index))));
        }
    }

    /// Tells of one agent; returns those right below it.
    fn one(&mut self, at: Place, parent: Option<usize>) -> Vec<Place> {
        let (role, input, output) = self.nodes[at].worker();
        let node = self.node(at);
        let by = self.handed_by.get(&at).map(|by| self.node(*by));
        let (payload, given_back, back) = match by.map(|by| &by.kind) {
            Some(Kind::Tool { arguments, result, .. }) => {
                let given =
                    Payload { data: Some(arguments.clone()).filter(|data| !is_empty(data)), ..Payload::default() };
                let back = if result.is_empty() { output } else { Payload::note(result.clone()) };
                let handed = if given.is_empty() { input } else { Payload { notes: input.notes, ..given } };
                (handed, back, by.and_then(|by| by.end))
            }
            _ => (input, output, None),
        };
        let end = node.end.map(|end| {
            let failed = || node.failed.clone().map_or(Outcome::Done, Outcome::Failed);
            let outcome = node.outcome.clone().unwrap_or_else(failed);
            let payload = match (outcome.why(), given_back.is_empty()) {
                (Some(why), true) => Payload::note(why.clone()),
                _ => given_back,
            };
            End {
                at: ms(end.max(back.filter(|_| by.is_some_and(|by| by.start <= node.start)).unwrap_or(end))),
                outcome,
                payload,
            }
        });
        let agent = Agent {
            id: Clean::line(&node.id),
            parent,
            title: role.clone(),
            role,
            name: node.name.clone(),
            at: by.map_or(ms(node.start), |by| ms(by.start.min(node.start))),
            payload,
            steps: Vec::new(),
            end,
        };
        self.agents.push(agent);
        let mut steps = Vec::new();
        let mut children = Vec::new();
        for below in self.tree.below(at).to_vec() {
            self.walk(below, &mut steps, &mut children);
        }
        self.steps.push(steps);
        children.retain(|child| !self.passing.has_moved(*child));
        children.extend(self.passing.to(at));
        children
    }

    /// The steps at and below a span, up to the next agents, which are named.
    fn walk(&mut self, at: Place, steps: &mut Vec<Told>, agents: &mut Vec<Place>) {
        // A stack of its own: traces may be as deep as they like.
        let mut to_see = vec![(at, None::<Place>)];
        while let Some((place, mut within)) = to_see.pop() {
            let node = self.node(place);
            let at = ms(node.start);
            let is_last = self.tree.below(place).is_empty();
            match &node.kind {
                Kind::Agent(_) => {
                    agents.push(place);
                    continue;
                }
                Kind::Call(spoken) => {
                    // The same call, told once more by the library below.
                    let is_same = |above: Place| match &self.node(above).kind {
                        Kind::Call(above) => above.model == spoken.model || above.usage == spoken.usage,
                        _ => false,
                    };
                    if !within.is_some_and(is_same) {
                        let end = ended(node);
                        // Spans below it are compared with it.
                        let kind = if is_last { self.nodes[place].take() } else { node.kind.clone() };
                        if let Kind::Call(spoken) = kind {
                            steps.push(Told { at, what: What::Asked(Box::new((end, *spoken))) });
                        }
                    }
                    within = Some(place);
                }
                Kind::Tool { .. } if self.handing_over.contains(&place) => {}
                Kind::Tool { name, arguments, result, .. } => {
                    let used = Used {
                        name: name.clone(),
                        arguments: arguments.clone(),
                        result: self.with_what_is_below(place, result),
                        end: ended(node),
                    };
                    self.nodes[place].take();
                    steps.push(Told::did(at, Did::Used(vec![used])));
                }
                Kind::Note(note) => steps.push(Told::did(at, Did::Noted(note.clone()))),
                Kind::Chain(_) | Kind::Other => {
                    let is_folded = is_last && matches!(node.kind, Kind::Other);
                    if let (Some(why), true) = (&node.failed, is_last) {
                        let text = Clean::from(format!("{}: {why}", node.name));
                        steps.push(Told::did(at, Did::Noted(Note { kind: NoteKind::Failed, text })));
                    }
                    if is_folded {
                        let name = node.name.clone();
                        self.fold(name);
                    }
                }
            }
            to_see.extend(self.tree.below(place).iter().rev().map(|below| (*below, within)));
        }
    }

    /// Counts a span that is not shown on its own.
    fn fold(&mut self, name: Clean) {
        self.folded += 1;
        let names = &mut self.folded_names;
        if names.len() <= MOST_FOLDED && !names.contains(&name) {
            names.push(if names.len() == MOST_FOLDED { "…".into() } else { name });
        }
    }

    /// The result of a tool call with the spans below it, which are of other kinds.
    fn with_what_is_below(&self, at: Place, result: &Clean) -> Clean {
        let below = self.tree.below(at);
        let others: Vec<&Node> =
            below.iter().map(|at| self.node(*at)).filter(|node| matches!(node.kind, Kind::Other)).collect();
        let Some(first) = others.first() else { return result.clone() };
        let took = others.iter().filter_map(|node| Some(node.end?.saturating_sub(node.start)));
        let took = took.fold(0, i128::saturating_add);
        let n = others.len();
        let text = format!("{result}\n[{n} below it, {} ms: {}]", ms(took.max(0)), first.name);
        Clean::from(text.trim_start().to_owned())
    }
}

fn is_empty(data: &CleanJson) -> bool {
    let value = data.get();
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn ended(node: &Node) -> Ended {
    match (node.end, &node.failed) {
        (None, _) => Ended::NotYet,
        (Some(end), None) => Ended::At(ms(end)),
        (Some(end), Some(why)) => Ended::Failed(ms(end), why.clone()),
    }
}
