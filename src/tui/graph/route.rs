//! Routes edges through the gap between two ranks: straight where they can be, else along tracks that no other edge uses.
//!
//! ```text
//!   │      │        each vertical line is the end of an edge
//!   ╰──┬───│──╮     a track; a line that it does not join passes over it
//!      │   ╰──┼──╮
//! ```
//!
//! Every line is a set of directions in a cell. Lines of one bundle that meet add their directions, and the set determines
//! the symbol.

use std::collections::{BTreeMap, BTreeSet};

/// Directions in which lines leave the middle of a cell, as a set of bits.
pub type Directions = u8;
pub const UP: Directions = 1;
pub const DOWN: Directions = 2;
pub const LEFT: Directions = 4;
pub const RIGHT: Directions = 8;
/// The symbol of each set.
const SYMBOLS: [&str; 16] = [" ", "╵", "╷", "│", "╴", "╯", "╮", "┤", "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"];

/// The symbol of directions.
pub fn symbol(directions: Directions) -> &'static str {
    SYMBOLS[usize::from(directions & 15)]
}

/// An edge in a gap: the columns where it leaves above and enters below, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub from: u16,
    pub to: u16,
    pub edge: usize,
}

/// Edges that share their lines: each of them leads from every source to every target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub sources: BTreeSet<u16>,
    pub targets: BTreeSet<u16>,
    pub edges: Vec<End>,
    /// The row of its level part, from the top; None for a straight line.
    pub track: Option<u16>,
}

impl Bundle {
    fn is_straight(&self) -> bool {
        self.sources.len() == 1 && self.sources == self.targets
    }

    /// The leftmost and the rightmost column.
    pub fn span(&self) -> (u16, u16) {
        let all = || self.sources.iter().chain(&self.targets).copied();
        (all().min().unwrap_or(0), all().max().unwrap_or(0))
    }
}

/// The bundles of a gap, with their tracks, and how many tracks there are.
pub fn bundles(ends: &[End]) -> (Vec<Bundle>, u16) {
    let mut bundles = gathered(ends);
    // If one bundle ends below and another begins above in the same column, the other turns away first.
    let mut open: Vec<usize> = (0..bundles.len()).filter(|n| !bundles[*n].is_straight()).collect();
    open.sort_by_key(|n| bundles[*n].span());
    let goes_first = |one: &Bundle, other: &Bundle| one.sources.iter().any(|x| other.targets.contains(x));
    let mut least = vec![0u16; bundles.len()];
    for _ in 0..open.len() {
        for (a, b) in open.iter().flat_map(|a| open.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b) {
            let after = least[a] + 1;
            if goes_first(&bundles[a], &bundles[b]) && least[b] < after && usize::from(after) <= open.len() {
                least[b] = after;
            }
        }
    }
    open.sort_by_key(|n| (least[*n], bundles[*n].span()));
    let mut tracks: Vec<Vec<(u16, u16)>> = Vec::new();
    for n in open {
        let (left, right) = bundles[n].span();
        let is_free = |taken: &Vec<(u16, u16)>| taken.iter().all(|(from, to)| right < *from || *to < left);
        let from = usize::from(least[n]).min(tracks.len());
        let at = (from..tracks.len()).find(|at| is_free(&tracks[*at])).unwrap_or(tracks.len());
        if at == tracks.len() {
            tracks.push(Vec::new());
        }
        tracks[at].push((left, right));
        bundles[n].track = u16::try_from(at).ok();
    }
    let count = u16::try_from(tracks.len()).unwrap_or(u16::MAX);
    (bundles, count)
}

/// Edges that lead from the same sources to the same targets, all to all, are one bundle; of others those of one source.
fn gathered(ends: &[End]) -> Vec<Bundle> {
    let mut targets: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
    for end in ends {
        targets.entry(end.from).or_default().insert(end.to);
    }
    // Sources with the same targets lead to them together.
    let mut sources: BTreeMap<BTreeSet<u16>, BTreeSet<u16>> = BTreeMap::new();
    for (from, to) in targets {
        sources.entry(to).or_default().insert(from);
    }
    sources
        .into_iter()
        .map(|(targets, sources)| {
            let edges = ends.iter().copied().filter(|end| sources.contains(&end.from)).collect();
            Bundle { sources, targets, edges, track: None }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(pairs: &[(u16, u16)]) -> Vec<End> {
        pairs.iter().enumerate().map(|(edge, (from, to))| End { from: *from, to: *to, edge }).collect()
    }

    #[test]
    fn lines_that_meet_make_the_right_symbol() {
        assert_eq!([symbol(UP | RIGHT), symbol(UP | RIGHT | LEFT), symbol(15)], ["╰", "┴", "┼"]);
    }

    #[test]
    fn edges_from_all_to_all_share_one_track_and_others_keep_apart() {
        let (all, tracks) = bundles(&ends(&[(2, 9), (5, 9), (8, 9)]));
        assert_eq!((all.len(), tracks), (1, 1));
        let (apart, tracks) = bundles(&ends(&[(2, 8), (8, 2)]));
        assert_eq!(apart.len(), 2);
        assert_eq!(tracks, 2, "they cross, each on a track of its own");
        let (straight, tracks) = bundles(&ends(&[(4, 4), (9, 9)]));
        assert_eq!((straight.len(), tracks), (2, 0));
    }

    #[test]
    fn one_that_leaves_where_another_arrives_turns_away_above_it() {
        let (all, _) = bundles(&ends(&[(3, 9), (9, 15)]));
        let track = |from: u16| all.iter().find(|bundle| bundle.sources.contains(&from)).unwrap().track;
        assert!(track(9) < track(3), "{all:?}");
    }
}
