//! Handoffs to agents that stand elsewhere in the tree than below the handoff, for instance beside the agent that hands over:
//! handoffs of the Agents SDK, transfers that pass control.

use std::collections::{BTreeMap, BTreeSet};

use text::Clean;

use super::{Kind, Node, Nodes, Tree};

/// The receiver of a handoff is looked for at most so many agents above the one that hands over.
const MOST_LEVELS: usize = 64;

/// Handoffs with the agents that they name.
#[derive(Default)]
pub(super) struct Passing<'a> {
    /// The handoff by which each of these agents was handed its work.
    pub(super) by: BTreeMap<&'a str, &'a Node>,
    /// The agent that handed over to each of these, where that is another than the one that it stands below.
    from: BTreeMap<&'a str, &'a str>,
    /// Those that each agent handed over to, in order of time.
    to: BTreeMap<&'a str, Vec<&'a str>>,
}

/// Agents that nobody has handed over to yet, in order of time: by the span above them or the agent above them, and by name.
type Free<'a> = BTreeMap<(Option<&'a str>, &'a Clean), BTreeSet<(i128, &'a str)>>;

impl<'a> Passing<'a> {
    /// Of handoffs in order of time.
    ///
    /// Each goes to the next agent of the name that began where the agent that hands over did, or else below it or below one
    /// that is above it. An agent that stands below any other was called by that one, and an agent is handed over to once.
    pub(super) fn new(
        nodes: &Nodes<'a>,
        tree: &Tree<'a>,
        handoffs: &[&'a Node],
        is_free: impl Fn(&str) -> bool,
    ) -> Passing<'a> {
        let mut passing = Passing::default();
        if handoffs.is_empty() {
            return passing;
        }
        let above = agents_above(nodes, tree);
        let above = |id: &str| above.get(id).copied().flatten();
        let span_above = |id: &str| nodes.get(id).and_then(|node| node.parent.as_deref());
        let (mut by_span, mut by_agent) = (Free::new(), Free::new());
        for node in nodes.values().copied().filter(|node| is_free(&node.id)) {
            if let Kind::Agent(worker) = &node.kind {
                let place = (node.start, &*node.id);
                by_span.entry((span_above(&node.id), &worker.role)).or_default().insert(place);
                by_agent.entry((above(&node.id), &worker.role)).or_default().insert(place);
            }
        }
        let next = |free: &Free<'a>, place: Option<&'a str>, handoff: &'a Node, but: Option<&str>| {
            let later = free.get(&(place, hands_to(handoff)?))?.range((handoff.start, "")..);
            later.map(|(_, id)| *id).find(|id| Some(*id) != but)
        };
        let mut pass = |by_span: &mut Free<'a>, by_agent: &mut Free<'a>, handoff: &'a Node, to: &'a str| {
            let Some(name) = hands_to(handoff) else { return };
            let place = (nodes[to].start, to);
            for (free, of) in [(by_span, span_above(to)), (by_agent, above(to))] {
                if let Some(free) = free.get_mut(&(of, name)) {
                    free.remove(&place);
                }
            }
            passing.by.insert(to, handoff);
            if let Some(from) = above(&handoff.id).filter(|from| Some(*from) != above(to)) {
                passing.from.insert(to, from);
            }
        };
        // Those that began beside the one that hands over are its own, whoever else has their name.
        let mut others = Vec::new();
        for handoff in handoffs {
            let from = above(&handoff.id);
            match from.and_then(|from| next(&by_span, span_above(from), handoff, Some(from))) {
                Some(to) => pass(&mut by_span, &mut by_agent, handoff, to),
                None => others.push(*handoff),
            }
        }
        for handoff in others {
            let (mut level, mut below) = (above(&handoff.id), None);
            for _ in 0..MOST_LEVELS {
                // The one that is looked from is above the handoff itself.
                if let Some(to) = next(&by_agent, level, handoff, below) {
                    pass(&mut by_span, &mut by_agent, handoff, to);
                    break;
                }
                let Some(here) = level else { break };
                (level, below) = (above(here), Some(here));
            }
        }
        passing.keep_tree(nodes, above);
        passing
    }

    /// Leaves where they stand those that clocks have hand over to each other in a circle.
    fn keep_tree(&mut self, nodes: &Nodes<'a>, above: impl Fn(&str) -> Option<&'a str>) {
        if self.from.is_empty() {
            return;
        }
        let mut below: BTreeMap<Option<&'a str>, Vec<&'a str>> = BTreeMap::new();
        let agents = nodes.values().filter(|node| matches!(node.kind, Kind::Agent(_)));
        for agent in agents.clone() {
            let parent = self.from.get(&*agent.id).copied().or_else(|| above(&agent.id));
            below.entry(parent).or_default().push(&agent.id);
        }
        let mut to_see = below.remove(&None).unwrap_or_default();
        while let Some(id) = to_see.pop() {
            to_see.extend(below.remove(&Some(id)).unwrap_or_default());
        }
        // The others have no way up to the top.
        for id in below.into_values().flatten() {
            self.from.remove(id);
        }
        let mut moved: Vec<&'a Node> = agents.copied().filter(|agent| self.has_moved(&agent.id)).collect();
        moved.sort_by_key(|agent| agent.start);
        for agent in moved {
            if let Some(from) = self.from.get(&*agent.id) {
                self.to.entry(from).or_default().push(&agent.id);
            }
        }
    }

    /// Whether another handed over to this agent than the one that it stands below.
    pub(super) fn has_moved(&self, agent: &str) -> bool {
        self.from.contains_key(agent)
    }

    /// Those that stand elsewhere and that this agent handed over to, in order of time.
    pub(super) fn to(&self, agent: &str) -> &[&'a str] {
        self.to.get(agent).map(Vec::as_slice).unwrap_or_default()
    }
}

fn hands_to(node: &Node) -> Option<&Clean> {
    if let Kind::Tool { hands_to, .. } = &node.kind { hands_to.as_ref() } else { None }
}

/// The agent that is nearest above each agent and each handoff.
fn agents_above<'a>(nodes: &Nodes<'a>, tree: &Tree<'a>) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut above = BTreeMap::new();
    let mut to_see: Vec<(&'a str, Option<&'a str>)> = tree.tops.iter().map(|top| (*top, None)).collect();
    while let Some((id, agent)) = to_see.pop() {
        let node = nodes[id];
        let is_agent = matches!(node.kind, Kind::Agent(_));
        if is_agent || hands_to(node).is_some() {
            above.insert(id, agent);
        }
        let agent = if is_agent { Some(id) } else { agent };
        to_see.extend(tree.below(id).iter().map(|below| (*below, agent)));
    }
    above
}
