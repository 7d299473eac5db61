//! The tree of spans: found by their ids, in any order; circles and missing parents are cut.

use super::telling::NodeSource;

/// The place of a span among all, which stand in the order of their ids.
pub(super) type Place = usize;

/// The spans of a trace as a tree, in any order.
pub(super) struct Tree {
    /// The place in `below` where the spans below each one begin; those of the next stand behind them.
    begins: Vec<Place>,
    /// Spans below others, in order of time.
    below: Vec<Place>,
    /// Spans that stand below no other.
    pub(super) tops: Vec<Place>,
    /// The number of those whose parent is missing.
    pub(super) orphans: usize,
    /// The number of those that belong to each other in a circle.
    pub(super) circled: usize,
}

impl Tree {
    /// The tree of these spans, which are in the order of their ids.
    pub(super) fn new(nodes: &[NodeSource<'_>]) -> Tree {
        let place = |id: &str| nodes.binary_search_by(|node| (*node.id).cmp(id)).ok();
        let mut sorted: Vec<Place> = (0..nodes.len()).collect();
        sorted.sort_by_key(|at| nodes[*at].start);
        let (mut tops, mut orphans) = (Vec::new(), 0);
        let mut above: Vec<Option<Place>> = vec![None; nodes.len()];
        // Spans that come after one another often stand below the same one.
        let mut last: Option<(&str, Option<Place>)> = None;
        for at in &sorted {
            let node = &nodes[*at];
            let parent = node.parent.as_deref().filter(|parent| **parent != *node.id);
            let found = parent.and_then(|parent| match last {
                Some((id, found)) if id == parent => found,
                _ => place(parent),
            });
            if let Some(parent) = parent {
                last = Some((parent, found));
            }
            above[*at] = found;
            if found.is_none() {
                orphans += usize::from(parent.is_some() && !node.is_called_from_elsewhere);
                tops.push(*at);
            }
        }
        let mut circled = in_circles(&above);
        circled.sort_by_key(|at| nodes[*at].start);
        circled.iter().for_each(|at| above[*at] = None);
        let counts = (orphans, circled.len());
        tops.extend(circled);
        Tree::of(&sorted, &above, tops, counts)
    }

    /// The tree of spans with these above them, sorted by time.
    fn of(sorted: &[Place], above: &[Option<Place>], tops: Vec<Place>, (orphans, circled): (usize, usize)) -> Tree {
        let mut begins = vec![0; above.len() + 1];
        above.iter().flatten().for_each(|parent| begins[parent + 1] += 1);
        (1..begins.len()).for_each(|at| begins[at] += begins[at - 1]);
        let mut next = begins.clone();
        let mut below = vec![0; begins[above.len()]];
        for (at, parent) in sorted.iter().filter_map(|at| Some((*at, above[*at]?))) {
            below[next[parent]] = at;
            next[parent] += 1;
        }
        Tree { begins, below, tops, orphans, circled }
    }

    /// The spans right below one, in order of time.
    pub(super) fn below(&self, at: Place) -> &[Place] {
        &self.below[self.begins[at]..self.begins[at + 1]]
    }
}

/// The spans that belong to each other in a circle, and so to nobody; without those below them.
fn in_circles(above: &[Option<Place>]) -> Vec<Place> {
    let mut circled = Vec::new();
    // The walk upwards on which a span was met first, from 1.
    let mut met = vec![0_usize; above.len()];
    for from in 0..above.len() {
        let (walk, mut at) = (from + 1, from);
        while met[at] == 0 {
            met[at] = walk;
            match above[at] {
                Some(parent) => at = parent,
                None => break,
            }
        }
        if met[at] != walk || above[at].is_none() {
            continue;
        }
        // This walk came back to where it was.
        let first = at;
        while let Some(parent) = above[at] {
            circled.push(at);
            at = parent;
            if at == first {
                break;
            }
        }
    }
    circled
}
