//! The graph of an imported run: who handed work to whom, with no order of work known before.

use std::collections::BTreeMap;

use super::node::{Key, Node, of_assignment};
use super::team::Graph;
use crate::prelude::*;
use run::{Assignment, AssignmentId};

/// With more assignments than this, those that others than the root handed out stand within the boxes of these.
const MOST: usize = 40;

pub(super) fn of(ui: &Ui, run: &Run) -> Graph {
    let mut graph = Graph::default();
    let is_flat = run.assignments().len() > MOST;
    let mut place: BTreeMap<AssignmentId, usize> = BTreeMap::new();
    for assignment in in_reading_order(run) {
        let node = node(ui, run, assignment);
        let above = assignment.parent().and_then(|parent| place.get(&parent)).copied();
        match above {
            // A box holds a list, not boxes: all that is below it stands in it in the order in which it was handed out.
            Some(above) if is_flat && above > 0 => {
                graph.nodes[above].members.push(node);
                place.insert(assignment.id, above);
            }
            above => {
                let at = graph.nodes.len();
                graph.edges.extend(above.map(|above| (above, at)));
                let depth = above.filter(|above| *above > 0).map_or(0, |above| graph.nodes[above].depth + 1);
                graph.nodes.push(Node { depth, ..node });
                place.insert(assignment.id, at);
            }
        }
    }
    graph
}

/// The assignments with those below each right after it, each level in the order in which it was handed out.
fn in_reading_order(run: &Run) -> Vec<&Assignment> {
    let mut below: BTreeMap<Option<AssignmentId>, Vec<&Assignment>> = BTreeMap::new();
    for assignment in run.assignments() {
        let parent = assignment.parent().filter(|parent| run.assignment(*parent).is_some());
        below.entry(parent).or_default().push(assignment);
    }
    let mut open: Vec<&Assignment> = below.remove(&None).unwrap_or_default().into_iter().rev().collect();
    let mut all = Vec::with_capacity(run.assignments().len());
    while let Some(next) = open.pop() {
        all.push(next);
        open.extend(below.remove(&Some(next.id)).unwrap_or_default().into_iter().rev());
    }
    all
}

fn node(ui: &Ui, run: &Run, assignment: &Assignment) -> Node {
    let (role, title) = (assignment.role.as_str(), assignment.title());
    let is_root = assignment.parent().is_none();
    let label = if is_root || title == role { Clean::line(role) } else { Clean::line(&format!("{role} · {title}")) };
    let node = of_assignment(ui, run, assignment, Key::Besides(assignment.id), label);
    Node { short: Clean::line(title), is_task: !is_root, ..node }
}
