//! Ways through the graph: the target of an arrow key, the nodes that a node waits for, and the longest way to the end.

use super::layered::{self, Unit};
use super::team::Graph;
use crate::prelude::*;

/// The direction of an arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
    Left,
    Right,
}

impl Graph {
    /// The node that an arrow key leads to from the one at `at`, where the graph is drawn as boxes.
    pub fn beside(&self, at: usize, way: Way) -> usize {
        let rows = self.rows();
        let Some((row, place)) =
            rows.iter().enumerate().find_map(|(row, nodes)| Some((row, nodes.iter().position(|node| *node == at)?)))
        else {
            return at;
        };
        let next = match way {
            Way::Left => return rows[row][place.saturating_sub(1)],
            Way::Right => return rows[row][(place + 1).min(rows[row].len() - 1)],
            Way::Up => row.checked_sub(1),
            Way::Down => Some(row + 1).filter(|row| *row < rows.len()),
        };
        let Some(next) = next.map(|row| &rows[row]) else { return at };
        // The nodes joined to it come first, of these the nearest.
        let joined = |node: usize| self.edges.iter().any(|edge| *edge == (at, node) || *edge == (node, at));
        let part = |place: usize, of: usize| (2 * place + 1) as f64 / (2 * of) as f64;
        let far = |n: usize| (part(n, next.len()) - part(place, rows[row].len())).abs();
        let nearest = |all: &[usize]| all.iter().copied().min_by(|a, b| far(*a).total_cmp(&far(*b)));
        let places: Vec<usize> = (0..next.len()).collect();
        let beside: Vec<usize> = places.iter().copied().filter(|n| joined(next[*n])).collect();
        nearest(&beside).or(nearest(&places)).map_or(at, |n| next[n])
    }

    /// The nodes row by row as they stand below one another.
    fn rows(&self) -> Vec<Vec<usize>> {
        let edges = layered::reduced(self.nodes.len(), &self.edges);
        let units = vec![Unit { width: 1, enters: 0, leaves: 0 }; self.nodes.len()];
        let Some(layers) = layered::place(&units, &edges, u16::MAX) else { return Vec::new() };
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for rank in &layers.ranks {
            let nodes: Vec<usize> = rank.iter().filter_map(|at| layers.vertices[*at].unit).collect();
            let goes_on = |node: &usize| self.chains.iter().any(|(first, last)| *first < *node && node <= last);
            match rows.last_mut().filter(|_| nodes.first().is_some_and(goes_on)) {
                Some(chain) => chain.extend(nodes),
                None => rows.push(nodes),
            }
        }
        rows
    }

    /// The labels of the nodes that a node waits for.
    pub fn waits_for(&self, at: usize) -> Vec<&Clean> {
        let before = self.edges.iter().filter(|(_, to)| *to == at).map(|(from, _)| &self.nodes[*from]);
        before.filter(|node| !is_over(node.mark)).map(|node| &node.label).collect()
    }

    /// The nodes that are still to end on the way to the end that has the most work on it, in order.
    pub fn critical(&self) -> Vec<usize> {
        let edges = layered::reduced(self.nodes.len(), &self.edges);
        let rank = layered::ranks(self.nodes.len(), &edges);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(rank[*at]));
        let (mut left, mut next) = (vec![0u32; self.nodes.len()], vec![None; self.nodes.len()]);
        for at in order {
            let after = edges.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to);
            next[at] = after.max_by_key(|to| (left[*to], std::cmp::Reverse(*to)));
            left[at] = work(&self.nodes[at]) + next[at].map_or(0, |to: usize| left[to]);
        }
        let first = (0..self.nodes.len()).max_by_key(|at| (left[*at], std::cmp::Reverse(*at)));
        let path = std::iter::successors(first, |at| next[*at]);
        path.filter(|at| !is_over(self.nodes[*at].mark)).collect()
    }
}

fn is_over(mark: Mark) -> bool {
    matches!(mark, Mark::Done | Mark::Partial | Mark::SentBack | Mark::Failed | Mark::Cancelled)
}

/// The work left to a node, as parts of its cap.
fn work(node: &super::node::Node) -> u32 {
    const WHOLE: u32 = 100;
    match node.turns {
        _ if is_over(node.mark) => 0,
        Some((turns, most)) if most > 0 => {
            let done = u32::try_from(turns).unwrap_or(u32::MAX).saturating_mul(WHOLE) / most;
            WHOLE - done.min(WHOLE - 10)
        }
        _ => WHOLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Node;

    /// supervisor → a, b; a → c; b, c → writer → gates, the last two beside one another.
    fn graph() -> Graph {
        let node = |label: &str, mark: Mark| Node { label: label.into(), mark, ..Node::default() };
        let nodes = vec![
            node("supervisor", Mark::Running),
            node("a", Mark::Running),
            node("b", Mark::Done),
            node("c", Mark::Waiting),
            node("writer", Mark::Waiting),
            node("gates", Mark::Waiting),
        ];
        let edges = vec![(0, 1), (0, 2), (1, 3), (2, 4), (3, 4), (4, 5)];
        Graph { nodes, edges, chains: vec![(4, 5)], back: None }
    }

    #[test]
    fn arrows_walk_to_what_is_joined_and_along_a_chain() {
        let graph = graph();
        let way = |from: usize, ways: &[Way]| ways.iter().fold(from, |at, way| graph.beside(at, *way));
        assert_eq!(way(0, &[Way::Down]), 1);
        assert_eq!(way(0, &[Way::Down, Way::Right]), 2);
        assert_eq!(way(1, &[Way::Down]), 3);
        assert_eq!(way(3, &[Way::Down, Way::Right]), 5);
        assert_eq!(way(5, &[Way::Down, Way::Right]), 5, "there is no further");
        assert_eq!(way(3, &[Way::Up, Way::Up]), 0);
    }

    #[test]
    fn a_node_waits_for_what_is_not_over_and_the_critical_path_is_the_longest_to_the_end() {
        let graph = graph();
        assert_eq!(graph.waits_for(4), ["c"]);
        assert_eq!(graph.critical(), [0, 1, 3, 4, 5]);
    }
}
