//! Places units in layers: ranks by the longest path to them, few crossings within a rank, each near its neighbours.
//!
//! Knows sizes and edges only. The same units and edges always get the same places: nothing here depends on time or state.

/// A box to place. Its edges enter above and leave below it, this far from its left side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub width: u16,
    pub enters: u16,
    pub leaves: u16,
}

/// A unit in its rank, or a place where an edge passes through a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex {
    pub rank: usize,
    /// None where an edge passes.
    pub unit: Option<usize>,
    size: Unit,
    pub x: u16,
}

impl Vertex {
    pub fn enters(&self) -> u16 {
        self.x + self.size.enters
    }

    pub fn leaves(&self) -> u16 {
        self.x + self.size.leaves
    }
}

/// A part of an edge, from one rank to the next; vertices by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub from: usize,
    pub to: usize,
    /// The edge that it is part of.
    pub edge: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The units first, in their order.
    pub vertices: Vec<Vertex>,
    /// The vertices of each rank from left to right.
    pub ranks: Vec<Vec<usize>>,
    pub segments: Vec<Segment>,
}

/// Cells between two units of a rank.
const GAP: u16 = 1;
/// The number of times that crossings are looked at from above and from below.
const SWEEPS: usize = 6;

/// Without the edges that a longer way says already, and without those that lead back.
pub fn reduced(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> =
        edges.iter().copied().filter(|(a, b)| a != b && *a < count && *b < count).collect();
    edges.sort_unstable();
    edges.dedup();
    let rank = ranks(count, &edges);
    edges.retain(|(a, b)| rank[*a] < rank[*b]);
    let after = |at: usize| edges.iter().filter(move |(from, _)| *from == at).map(|(_, to)| *to);
    let goes_round = |from: usize, to: usize| {
        let mut seen = vec![false; count];
        let mut open: Vec<usize> = after(from).filter(|next| *next != to).collect();
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) && rank[at] < rank[to] {
                open.extend(after(at));
            }
        }
        false
    };
    edges.iter().copied().filter(|(from, to)| !goes_round(*from, *to)).collect()
}

/// The rank of each unit: the length of the longest way to it. Units of a circle get the rank that they have come to when
/// the circle is noticed.
pub fn ranks(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut rank = vec![0; count];
    for _ in 0..count {
        let mut changed = false;
        for (from, to) in edges {
            if rank[*to] <= rank[*from] && rank[*from] + 1 < count {
                rank[*to] = rank[*from] + 1;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    rank
}

/// Places units within `room` cells; None if a rank is wider. The edges are [`reduced`].
pub fn place(units: &[Unit], edges: &[(usize, usize)], room: u16) -> Option<Layers> {
    let mut layers = ranked(units, edges);
    order(&mut layers);
    align(&mut layers, room)?;
    Some(layers)
}

fn ranked(units: &[Unit], edges: &[(usize, usize)]) -> Layers {
    let rank = ranks(units.len(), edges);
    let mut layers = Layers {
        vertices: units
            .iter()
            .zip(&rank)
            .enumerate()
            .map(|(n, (size, rank))| Vertex { rank: *rank, unit: Some(n), size: *size, x: 0 })
            .collect(),
        ranks: vec![Vec::new(); rank.iter().max().map_or(0, |most| most + 1)],
        segments: Vec::new(),
    };
    for (edge, (from, to)) in edges.iter().enumerate() {
        let mut at = *from;
        for between in rank[*from] + 1..rank[*to] {
            let passes = layers.vertices.len();
            let size = Unit { width: 1, enters: 0, leaves: 0 };
            layers.vertices.push(Vertex { rank: between, unit: None, size, x: 0 });
            layers.segments.push(Segment { from: at, to: passes, edge });
            at = passes;
        }
        layers.segments.push(Segment { from: at, to: *to, edge });
    }
    for (n, vertex) in layers.vertices.iter().enumerate() {
        layers.ranks[vertex.rank].push(n);
    }
    layers
}

/// Neighbours of each vertex in the rank above and in the rank below.
fn neighbours(layers: &Layers) -> [Vec<Vec<usize>>; 2] {
    let none = vec![Vec::new(); layers.vertices.len()];
    let (mut above, mut below) = (none.clone(), none);
    for segment in &layers.segments {
        above[segment.to].push(segment.from);
        below[segment.from].push(segment.to);
    }
    [above, below]
}

/// Orders each rank by the middle of its neighbours, from above and from below in turn, and keeps the order with the
/// fewest crossings.
fn order(layers: &mut Layers) {
    let [above, below] = neighbours(layers);
    let mut best = (crossings(layers), layers.ranks.clone());
    for sweep in 0..SWEEPS {
        if best.0 == 0 {
            break;
        }
        let down = sweep % 2 == 0;
        let beside = if down { &above } else { &below };
        let count = layers.ranks.len();
        for step in 1..count {
            let rank = if down { step } else { count - 1 - step };
            let fixed = if down { rank - 1 } else { rank + 1 };
            let place = places(layers, fixed);
            let mut sorted: Vec<(f64, usize)> = layers.ranks[rank]
                .iter()
                .enumerate()
                .map(|(at, vertex)| (middle(&beside[*vertex], &place).unwrap_or(at as f64), *vertex))
                .collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            layers.ranks[rank] = sorted.into_iter().map(|(_, vertex)| vertex).collect();
        }
        let now = crossings(layers);
        if now < best.0 {
            best = (now, layers.ranks.clone());
        }
    }
    layers.ranks = best.1;
}

/// The position of each vertex in its rank.
fn places(layers: &Layers, rank: usize) -> Vec<usize> {
    let mut place = vec![0; layers.vertices.len()];
    layers.ranks[rank].iter().enumerate().for_each(|(at, vertex)| place[*vertex] = at);
    place
}

fn middle(beside: &[usize], place: &[usize]) -> Option<f64> {
    let sum: usize = beside.iter().map(|vertex| place[*vertex]).sum();
    (!beside.is_empty()).then(|| sum as f64 / beside.len() as f64)
}

fn crossings(layers: &Layers) -> usize {
    let mut crossings = 0;
    for rank in 0..layers.ranks.len().saturating_sub(1) {
        let (upper, lower) = (places(layers, rank), places(layers, rank + 1));
        let mut ends: Vec<(usize, usize)> = layers
            .segments
            .iter()
            .filter(|segment| layers.vertices[segment.from].rank == rank)
            .map(|segment| (upper[segment.from], lower[segment.to]))
            .collect();
        ends.sort_unstable();
        for (n, one) in ends.iter().enumerate() {
            crossings += ends[n + 1..].iter().filter(|other| one.0 < other.0 && one.1 > other.1).count();
        }
    }
    crossings
}

/// Sets the columns: each vertex as near as it can be to its neighbours, in the order of its rank.
fn align(layers: &mut Layers, room: u16) -> Option<()> {
    let [above, below] = neighbours(layers);
    for rank in 0..layers.ranks.len() {
        let wide = width_of(layers, rank);
        let mut x = (room / 2).checked_sub(wide / 2).filter(|x| x + wide <= room)?;
        for vertex in layers.ranks[rank].clone() {
            layers.vertices[vertex].x = x;
            x += layers.vertices[vertex].size.width + GAP;
        }
    }
    // The fullest rank stands in the middle and the others follow it, outwards.
    let fullest = (0..layers.ranks.len()).max_by_key(|rank| (layers.ranks[*rank].len(), std::cmp::Reverse(*rank)))?;
    for _ in 0..2 {
        for rank in fullest + 1..layers.ranks.len() {
            settle(layers, rank, &above, room);
        }
        for rank in (0..fullest).rev() {
            settle(layers, rank, &below, room);
        }
    }
    Some(())
}

fn width_of(layers: &Layers, rank: usize) -> u16 {
    let widths = layers.ranks[rank].iter().map(|vertex| layers.vertices[*vertex].size.width);
    let sum = widths.fold(0u16, u16::saturating_add);
    sum.saturating_add(GAP * u16::try_from(layers.ranks[rank].len().saturating_sub(1)).unwrap_or(u16::MAX))
}

/// Moves the vertices of a rank as near as possible to the middle of their neighbours, without changing their order.
fn settle(layers: &mut Layers, rank: usize, beside: &[Vec<usize>], room: u16) {
    let vertices = layers.ranks[rank].clone();
    let wide = width_of(layers, rank);
    // The wanted beginning of each, less the room of those before it: these may not fall from left to right.
    let (mut wants, mut taken) = (Vec::new(), 0.0);
    for vertex in &vertices {
        let own = layers.vertices[*vertex];
        let middle = own.size.width / 2;
        let ends = beside[*vertex].iter().map(|other| {
            let other = &layers.vertices[*other];
            f64::from(other.x + other.size.width / 2)
        });
        let (sum, count) = ends.fold((0.0, 0), |(sum, count), end| (sum + end, count + 1));
        let want = if count == 0 { f64::from(own.x) } else { sum / f64::from(count) - f64::from(middle) };
        wants.push(want - taken);
        taken += f64::from(own.size.width + GAP);
    }
    let most = f64::from(room - wide);
    let mut x_before = 0.0;
    for (vertex, place) in vertices.iter().zip(rising(&wants)) {
        let place = place.round().clamp(0.0, most);
        // In range: `most` and the widths before it fit into `room`.
        layers.vertices[*vertex].x = (place + x_before) as u16;
        x_before += f64::from(layers.vertices[*vertex].size.width + GAP);
    }
}

/// The rising sequence that is nearest to these (pool adjacent violators).
fn rising(wants: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for want in wants {
        pools.push((*want, 1));
        while let [.., (before, many), (last, few)] = pools[..] {
            if before <= last {
                break;
            }
            pools.truncate(pools.len() - 2);
            let all = many + few;
            pools.push(((before * many as f64 + last * few as f64) / all as f64, all));
        }
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(width: u16) -> Unit {
        Unit { width, enters: width / 2, leaves: width / 2 }
    }

    #[test]
    fn an_edge_that_a_longer_way_says_already_is_left_out() {
        assert_eq!(reduced(3, &[(0, 1), (1, 2), (0, 2)]), [(0, 1), (1, 2)]);
        assert_eq!(reduced(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), [(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert!(reduced(2, &[(0, 1), (1, 0)]).len() < 2, "a circle is opened");
    }

    #[test]
    fn edges_that_would_cross_are_laid_beside_one_another() {
        // 0 and 1 feed 3 and 2: crossed in the order of the plan.
        let edges = [(0, 3), (1, 2)];
        let layers = place(&[unit(5); 4], &edges, 40).unwrap();
        assert_eq!(crossings(&layers), 0);
        assert_eq!(layers.ranks, [vec![0, 1], vec![3, 2]]);
    }

    #[test]
    fn what_feeds_one_thing_stands_above_its_middle_and_what_is_fed_by_all_below_it() {
        let layers = place(
            &[unit(7), unit(7), unit(7), unit(7), unit(9)],
            &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)],
            60,
        )
        .unwrap();
        let middle = layers.vertices[2].enters();
        assert_eq!((layers.vertices[0].leaves(), layers.vertices[4].enters()), (middle, middle));
    }

    proptest! {
        #[test]
        fn ranks_follow_edges_and_nothing_overlaps(
            widths in prop::collection::vec(1u16..12, 1..14),
            edges in prop::collection::vec((0usize..14, 0usize..14), 0..30),
            room in 1u16..160,
        ) {
            let units: Vec<Unit> = widths.iter().map(|width| unit(*width)).collect();
            let edges = reduced(units.len(), &edges);
            let Some(layers) = place(&units, &edges, room) else { return Ok(()) };
            for segment in &layers.segments {
                prop_assert_eq!(layers.vertices[segment.from].rank + 1, layers.vertices[segment.to].rank);
            }
            for rank in &layers.ranks {
                for two in rank.windows(2) {
                    let (left, right) = (&layers.vertices[two[0]], &layers.vertices[two[1]]);
                    prop_assert!(left.x + left.size.width < right.x);
                }
                for vertex in rank {
                    prop_assert!(layers.vertices[*vertex].x + layers.vertices[*vertex].size.width <= room);
                }
            }
        }
    }
}
