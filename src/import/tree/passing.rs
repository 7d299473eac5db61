//! Handoffs to agents that stand elsewhere in the tree than below the handoff, for instance beside the agent that hands over:
//! handoffs of the Agents SDK, transfers that pass control.

use std::collections::{BTreeMap, BTreeSet};

use text::Clean;

use super::links::{Place, Tree};
use super::telling::NodeSource;
use super::{Kind, Node};

/// The receiver of a handoff is looked for at most this many agents above the one that hands over.
const MOST_LEVELS: usize = 64;

/// Handoffs with the agents that they name.
#[derive(Default)]
pub(super) struct Passing {
    /// The handoff by which each of these agents was handed its work.
    pub(super) by: BTreeMap<Place, Place>,
    /// The agent that handed over to each of these, where that is another than the one that it stands below.
    from: BTreeMap<Place, Place>,
    /// The agents that each agent handed over to, in order of time.
    to: BTreeMap<Place, Vec<Place>>,
}

/// Agents that nobody has handed over to yet, in order of time: by the span above them or the agent above them, and by name.
type Free<'a, Above> = BTreeMap<(Option<Above>, &'a Clean), BTreeSet<(i128, Place)>>;

/// The next of them of a name, from a time on.
fn next<Above: Ord>(free: &Free<'_, Above>, above: Option<Above>, handoff: &Node, but: Option<Place>) -> Option<Place> {
    let later = free.get(&(above, hands_to(handoff)?))?.range((handoff.start, 0)..);
    later.map(|(_, at)| *at).find(|at| Some(*at) != but)
}

fn remove<'a, Above: Ord>(free: &mut Free<'a, Above>, above: Option<Above>, name: &'a Clean, place: (i128, Place)) {
    if let Some(free) = free.get_mut(&(above, name)) {
        free.remove(&place);
    }
}

impl Passing {
    /// Of handoffs in order of time.
    ///
    /// Each goes to the next agent of the name that began where the agent that hands over did, or else below it or below one
    /// that is above it. An agent that stands below any other was called by that one, and an agent is handed over to once.
    pub(super) fn new<'a>(
        nodes: &'a [NodeSource<'_>],
        tree: &Tree,
        handoffs: &[Place],
        is_free: impl Fn(Place) -> bool,
    ) -> Passing {
        let mut passing = Passing::default();
        if handoffs.is_empty() {
            return passing;
        }
        let above = agents_above(nodes, tree);
        let span_above = |at: Place| nodes[at].parent.as_deref();
        let (mut by_span, mut by_agent): (Free<'a, &'a str>, Free<'a, Place>) = Default::default();
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| is_free(*at)) {
            if let Kind::Agent(worker) = &node.kind {
                by_span.entry((span_above(at), &worker.role)).or_default().insert((node.start, at));
                by_agent.entry((above[at], &worker.role)).or_default().insert((node.start, at));
            }
        }
        let mut pass = |by_span: &mut Free<'a, &'a str>, by_agent: &mut Free<'a, Place>, handoff: Place, to: Place| {
            let Some(name) = hands_to(&nodes[handoff]) else { return };
            let place = (nodes[to].start, to);
            remove(by_span, span_above(to), name, place);
            remove(by_agent, above[to], name, place);
            passing.by.insert(to, handoff);
            if let Some(from) = above[handoff].filter(|from| Some(*from) != above[to]) {
                passing.from.insert(to, from);
            }
        };
        // Agents that began beside the one that hands over are its own, even if others have their name.
        let mut others = Vec::new();
        for handoff in handoffs.iter().copied() {
            let beside = above[handoff];
            match beside.and_then(|from| next(&by_span, span_above(from), &nodes[handoff], Some(from))) {
                Some(to) => pass(&mut by_span, &mut by_agent, handoff, to),
                None => others.push(handoff),
            }
        }
        for handoff in others {
            let (mut level, mut below) = (above[handoff], None);
            for _ in 0..MOST_LEVELS {
                // The one that is looked from is above the handoff itself.
                if let Some(to) = next(&by_agent, level, &nodes[handoff], below) {
                    pass(&mut by_span, &mut by_agent, handoff, to);
                    break;
                }
                let Some(here) = level else { break };
                (level, below) = (above[here], Some(here));
            }
        }
        passing.keep_tree(nodes, &above);
        passing
    }

    /// Leaves where they stand those that clocks have hand over to each other in a circle.
    fn keep_tree(&mut self, nodes: &[NodeSource<'_>], above: &[Option<Place>]) {
        if self.from.is_empty() {
            return;
        }
        let mut below: BTreeMap<Option<Place>, Vec<Place>> = BTreeMap::new();
        let agents = (0..nodes.len()).filter(|at| matches!(nodes[*at].kind, Kind::Agent(_)));
        for agent in agents.clone() {
            let parent = self.from.get(&agent).copied().or(above[agent]);
            below.entry(parent).or_default().push(agent);
        }
        let mut to_see = below.remove(&None).unwrap_or_default();
        while let Some(at) = to_see.pop() {
            to_see.extend(below.remove(&Some(at)).unwrap_or_default());
        }
        // The others have no way up to the top.
        for at in below.into_values().flatten() {
            self.from.remove(&at);
        }
        let mut moved: Vec<Place> = agents.filter(|agent| self.has_moved(*agent)).collect();
        moved.sort_by_key(|agent| nodes[*agent].start);
        for agent in moved {
            if let Some(from) = self.from.get(&agent) {
                self.to.entry(*from).or_default().push(agent);
            }
        }
    }

    /// Whether another handed over to this agent than the one that it stands below.
    pub(super) fn has_moved(&self, agent: Place) -> bool {
        self.from.contains_key(&agent)
    }

    /// The agents that stand elsewhere and that this agent handed over to, in order of time.
    pub(super) fn to(&self, agent: Place) -> &[Place] {
        self.to.get(&agent).map(Vec::as_slice).unwrap_or_default()
    }
}

fn hands_to(node: &Node) -> Option<&Clean> {
    if let Kind::Tool { hands_to, .. } = &node.kind { hands_to.as_ref() } else { None }
}

/// The agent that is nearest above each span.
fn agents_above(nodes: &[NodeSource<'_>], tree: &Tree) -> Vec<Option<Place>> {
    let mut above = vec![None; nodes.len()];
    let mut to_see: Vec<(Place, Option<Place>)> = tree.tops.iter().map(|top| (*top, None)).collect();
    while let Some((at, agent)) = to_see.pop() {
        above[at] = agent;
        let agent = if matches!(nodes[at].kind, Kind::Agent(_)) { Some(at) } else { agent };
        to_see.extend(tree.below(at).iter().map(|below| (*below, agent)));
    }
    above
}
