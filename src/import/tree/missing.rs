//! Stand-ins for agents whose own spans are not in the file: a crash, or a dropped batch, leaves only the spans below them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use text::Clean;

use super::telling::NodeSource;
use super::{Kind, Node, Worker};

/// The spans that name one parent that is not there.
#[derive(Default)]
struct Below {
    spans: usize,
    /// Whether anything but requests and the like is among them.
    has_work: bool,
    /// The agent that they say they are of.
    agent: Clean,
    start: i128,
    /// The end of the last of them; None while one has not ended.
    end: Option<i128>,
}

/// Adds the stand-ins to spans in the order of their ids; returns a remark on the spans below them.
pub(super) fn add_stand_ins(nodes: &mut Vec<NodeSource<'_>>) -> Option<Clean> {
    let (missing, spans) = stand_ins(nodes);
    let (of, belong) = (text::count(spans, "span"), if spans == 1 { "belongs" } else { "belong" });
    let (agents, more) = (text::count(missing.len(), "agent"), if missing.len() > 1 { " and others" } else { "" });
    let role = missing.first()?.role().clone();
    nodes.extend(missing.into_iter().map(|node| NodeSource::Owned(Box::new(node))));
    nodes.sort_by(|a, b| a.id.cmp(&b.id));
    Some(format!("{of} {belong} to {agents} not in the file: shown below {role}{more}").into())
}

/// A stand-in for each parent that is named and not there, below the agent at the top of the trace, and the number of spans below
/// all of them. If there is no such agent, or several, there are none.
fn stand_ins(nodes: &[NodeSource<'_>]) -> (Vec<Node>, usize) {
    let mut tops = nodes.iter().filter(|node| node.parent.is_none());
    let (Some(top), None) = (tops.next(), tops.next()) else { return (Vec::new(), 0) };
    let (Kind::Agent(leader) | Kind::Chain(leader)) = &top.kind else { return (Vec::new(), 0) };
    let mut missing = groups(nodes);
    // A span that names the agent at the top stands below that one.
    missing.retain(|_, below| below.has_work && below.agent != leader.role);
    name_by_handoff(nodes, &mut missing);
    let spans = missing.values().map(|below| below.spans).sum();
    let stand_in = |(id, below): (Arc<str>, Below)| {
        let role = match below.agent.is_empty() {
            false => below.agent,
            true => Clean::line(&format!("agent {}", id.chars().take(4).collect::<String>())),
        };
        Node {
            id,
            parent: Some(top.id.clone()),
            is_called_from_elsewhere: false,
            agent: Clean::default(),
            name: "not in the file".into(),
            start: below.start,
            end: below.end,
            failed: None,
            outcome: None,
            kind: Kind::Agent(Box::new(Worker { role, ..Worker::default() })),
        }
    };
    (missing.into_iter().map(stand_in).collect(), spans)
}

fn groups(nodes: &[NodeSource<'_>]) -> BTreeMap<Arc<str>, Below> {
    let is_there = |id: &str| nodes.binary_search_by(|node| (*node.id).cmp(id)).is_ok();
    let mut missing: BTreeMap<Arc<str>, Below> = BTreeMap::new();
    for node in nodes.iter().filter(|node| !node.is_called_from_elsewhere) {
        let Some(parent) = node.parent.as_ref().filter(|parent| !is_there(parent)) else { continue };
        let first = || Below { start: node.start, end: Some(i128::MIN), ..Below::default() };
        let below = missing.entry(parent.clone()).or_insert_with(first);
        below.spans += 1;
        below.has_work |= !matches!(node.kind, Kind::Other);
        if node.start > 0 {
            below.start = if below.start > 0 { below.start.min(node.start) } else { node.start };
        }
        below.end = below.end.and_then(|last| Some(last.max(node.end?)));
        // An agent says its own name, and not that of the one above it.
        if below.agent.is_empty() && matches!(node.kind, Kind::Call(_) | Kind::Tool { .. }) {
            below.agent = node.agent.clone();
        }
    }
    missing
}

/// Gives the only one without a name that of the only agent that was handed work and is not there.
fn name_by_handoff(nodes: &[NodeSource<'_>], missing: &mut BTreeMap<Arc<str>, Below>) {
    let mut there: BTreeSet<Clean> = missing.values().map(|below| below.agent.clone()).collect();
    for node in nodes {
        if let Kind::Agent(worker) | Kind::Chain(worker) = &node.kind {
            there.insert(worker.role.clone());
        }
    }
    let handed = nodes.iter().filter_map(|node| match &node.kind {
        Kind::Tool { hands_to, .. } => hands_to.clone(),
        _ => None,
    });
    let mut handed: BTreeSet<Clean> = handed.filter(|name| !there.contains(name)).collect();
    let mut nameless = missing.values_mut().filter(|below| below.agent.is_empty());
    if let (Some(only), None, 1) = (nameless.next(), nameless.next(), handed.len()) {
        only.agent = handed.pop_first().unwrap_or_default();
    }
}
