//! Lays out the boxes of the graph and the lines that join them.
//!
//! ```text
//!         ╭ ● supervisor ── 0:42 ╮
//!         │ 2 at work            │
//!         ╰──────────┬───────────╯
//!       ╭────────────┼───────────╮
//!   ╭ ✓ pgvector ╮╭ ● Qdrant ─╮╭ ○ Pinecone ╮
//! ```
//!
//! The place and the width of a box come from labels, plan and room, never from its notes: nothing moves while a run works. Only
//! the painter looks at notes.

use crate::prelude::*;

use super::layered::{self, Layers, Unit};
use super::node::{Key, Node};
use super::route::{self, Bundle, DOWN, Directions, End, LEFT, RIGHT, UP};
use super::team::Graph;
use run::Role;

/// A node with its place; coordinates count from the graph's own corner.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    pub node: &'a Node,
    pub area: Rect,
    /// Without a frame: a line for the label and one for the note.
    pub is_label: bool,
}

/// The cells of an edge, from one node to another by their places in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub from: usize,
    pub to: usize,
    pub cells: Vec<(u16, u16)>,
}

#[derive(Clone, Debug)]
pub struct Boxes<'a> {
    /// In the order of the graph.
    pub nodes: Vec<Placed<'a>>,
    pub width: u16,
    pub height: u16,
    pub routes: Vec<Route>,
    /// The edge of work that was sent back: its cells with their symbols, and its words with their place.
    pub back: Vec<(u16, u16, &'static str)>,
    pub back_words: Option<(u16, u16, String)>,
    lines: Vec<Cell>,
}

/// Lines in a cell: the bundle that came first, its directions, and whether a line passes over another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    directions: Directions,
    bundle: u32,
    passes: bool,
    is_arrow: bool,
}

impl Boxes<'_> {
    /// The line in a cell; a blank without one.
    pub fn symbol(&self, x: u16, y: u16) -> &'static str {
        match self.index(x, y).map(|at| self.lines[at]) {
            Some(cell) if cell.is_arrow => "▶",
            Some(cell) if cell.passes => "│",
            Some(cell) => route::symbol(cell.directions),
            None => " ",
        }
    }

    fn index(&self, x: u16, y: u16) -> Option<usize> {
        (x < self.width && y < self.height).then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }

    fn add(&mut self, x: u16, y: u16, directions: Directions, bundle: u32) {
        const LEVEL: Directions = LEFT | RIGHT;
        const UPRIGHT: Directions = UP | DOWN;
        let Some(at) = self.index(x, y) else { return };
        let cell = &mut self.lines[at];
        let crosses = cell.directions != 0
            && cell.bundle != bundle
            && (cell.directions | directions == LEVEL | UPRIGHT)
            && (cell.directions & LEVEL == 0 || cell.directions & UPRIGHT == 0);
        if cell.directions == 0 {
            cell.bundle = bundle;
        }
        cell.passes |= crosses;
        cell.directions |= directions;
    }

    fn level(&mut self, from: u16, to: u16, y: u16, bundle: u32) {
        let (left, right) = (from.min(to), from.max(to));
        for x in left..=right {
            let ends = if x == left { RIGHT } else { 0 } | if x == right { LEFT } else { 0 };
            let directions = if left == right {
                0
            } else if ends == 0 {
                LEFT | RIGHT
            } else {
                ends
            };
            self.add(x, y, directions, bundle);
        }
    }

    fn frame(&mut self, area: Rect) {
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        self.level(area.x, right, area.y, 0);
        self.level(area.x, right, bottom, 0);
        for y in area.y..bottom {
            for x in [area.x, right] {
                self.add(x, y, DOWN, 0);
                self.add(x, y + 1, UP, 0);
            }
        }
    }
}

/// The room that each node gets.
#[derive(Clone, Copy, Debug)]
struct Fit {
    /// Lines in the box of a task, and in another.
    task_lines: u16,
    lines: u16,
    /// Whether labels are cut down to the words that tell them apart.
    short: bool,
}

/// The fits that are tried, the roomiest first.
const FITS: [(u16, u16); 6] = [(5, 4), (4, 3), (3, 2), (3, 1), (2, 1), (1, 1)];
/// Cells of a box besides its label: frame, blanks, mark.
const AROUND: u16 = 6;
/// Cells of a label that are kept for rounds and tries: ` +1`.
const TIMES: u16 = 3;
/// Cells for the time at the right of a label.
const TIME: u16 = 7;
/// As wide as a box wants to be, and as wide as it gets where there is no more than enough room.
const WANTED: u16 = 27;
const WIDEST: u16 = 35;
/// From this many cells on, boxes are as wide as they get.
const ROOMY: u16 = 80;
/// The most lines that spare room adds between two ranks.
const MOST_SPARE: u16 = 3;
/// Of a box with members in it.
const NARROWEST_OPEN: u16 = 25;
const WIDEST_OPEN: u16 = 72;
/// Cells for the note of such a member, at its right.
pub const MEMBER_NOTE: u16 = 19;
/// The line from one node to the next beside it: `─▶`, and before a label a blank.
const ARROW: u16 = 2;
/// From this many nodes on there are rows only.
const MANY: usize = 48;

/// Lays the graph out in this room; None if it does not fit as boxes with whole labels.
pub fn layout(graph: &Graph, room_width: u16, room_height: u16) -> Option<Boxes<'_>> {
    if graph.nodes.is_empty() || graph.nodes.len() > MANY {
        return None;
    }
    // Below a folded group stand those of its tasks that are worth a look, as many as there are: rows have room for that.
    if graph.nodes.iter().any(|node| node.fold.is_some_and(|fold| !fold.is_open)) {
        return None;
    }
    let edges = layered::reduced(graph.nodes.len(), &graph.edges);
    let fits = [false, true]
        .into_iter()
        .flat_map(|short| FITS.into_iter().map(move |(task_lines, lines)| Fit { task_lines, lines, short }));
    fits.into_iter().find_map(|fit| of_fit(graph, &edges, fit, room_width, room_height))
}

/// A unit of the layout: a node, or a chain of them beside one another.
struct Piece {
    nodes: Vec<usize>,
    /// The width of each of them.
    widths: Vec<u16>,
    height: u16,
    is_label: bool,
    /// Whether a row below it is kept for the work that is sent back.
    has_back: bool,
}

impl Piece {
    fn gap(&self) -> u16 {
        if self.is_label { ARROW + 1 } else { ARROW }
    }

    fn width(&self) -> u16 {
        let gaps = self.gap() * (self.widths.len() as u16 - 1);
        self.widths.iter().fold(gaps, |sum, width| sum.saturating_add(*width))
    }

    /// The column where its nth node begins.
    fn begins(&self, n: usize) -> u16 {
        self.widths[..n].iter().map(|width| width + self.gap()).sum()
    }

    fn port(&self, n: usize) -> u16 {
        self.begins(n) + if self.is_label { 0 } else { self.widths[n] / 2 }
    }

    fn unit(&self) -> Unit {
        Unit { width: self.width(), enters: self.port(0), leaves: self.port(self.nodes.len() - 1) }
    }
}

fn of_fit<'a>(
    graph: &'a Graph,
    edges: &[(usize, usize)],
    fit: Fit,
    room_width: u16,
    room_height: u16,
) -> Option<Boxes<'a>> {
    let pieces = pieces(graph, edges, fit, room_width)?;
    let piece_of = |node: usize| pieces.iter().position(|piece| piece.nodes.contains(&node));
    let between: Vec<(usize, usize)> = edges
        .iter()
        .filter_map(|(from, to)| Some((piece_of(*from)?, piece_of(*to)?)))
        .filter(|(a, b)| a != b)
        .collect();
    let between = layered::reduced(pieces.len(), &between);
    let units: Vec<Unit> = pieces.iter().map(Piece::unit).collect();
    let layers = layered::place(&units, &between, room_width)?;

    let gaps: Vec<(Vec<Bundle>, u16)> =
        (0..layers.ranks.len().saturating_sub(1)).map(|rank| route::bundles(&ends(&layers, rank))).collect();
    let heights: Vec<u16> = layers
        .ranks
        .iter()
        .map(|rank| {
            rank.iter().filter_map(|at| layers.vertices[*at].unit).map(|unit| pieces[unit].height).max().unwrap_or(1)
        })
        .collect();
    let least: u16 = heights
        .iter()
        .copied()
        .chain(gaps.iter().map(|(_, tracks)| (*tracks).max(1)))
        .try_fold(0u16, u16::checked_add)?;
    let spare = room_height.checked_sub(least)?;
    let more = spare.checked_div(u16::try_from(gaps.len()).ok()?).unwrap_or(0).min(MOST_SPARE);

    let mut tops = Vec::new();
    let mut y = 0;
    for (rank, height) in heights.iter().enumerate() {
        tops.push(y);
        y += height + gaps.get(rank).map_or(0, |(_, tracks)| (*tracks).max(1) + more);
    }
    let mut boxes = Boxes {
        nodes: Vec::new(),
        width: room_width,
        height: y,
        routes: Vec::new(),
        back: Vec::new(),
        back_words: None,
        lines: vec![Cell::default(); usize::from(room_width) * usize::from(y)],
    };
    let mut placed: Vec<(usize, Placed<'a>)> = Vec::new();
    for vertex in &layers.vertices {
        let Some(piece) = vertex.unit.map(|unit| &pieces[unit]) else { continue };
        let height = piece.height - u16::from(piece.has_back);
        for (n, node) in piece.nodes.iter().enumerate() {
            let area = Rect::new(vertex.x + piece.begins(n), tops[vertex.rank], piece.widths[n], height);
            if !piece.is_label {
                boxes.frame(area);
            }
            placed.push((*node, Placed { node: &graph.nodes[*node], area, is_label: piece.is_label }));
        }
    }
    placed.sort_by_key(|(node, _)| *node);
    boxes.nodes = placed.into_iter().map(|(_, placed)| placed).collect();
    pieces.iter().for_each(|piece| arrows(&mut boxes, piece));
    let ranked = Ranked { layers: &layers, gaps: &gaps, tops: &tops, heights: &heights, pieces: &pieces };
    draw(&mut boxes, &ranked, &between);
    draw_back(&mut boxes, graph, &pieces);
    Some(boxes)
}

fn ends(layers: &Layers, rank: usize) -> Vec<End> {
    let of = |segment: &&layered::Segment| layers.vertices[segment.from].rank == rank;
    let end = |segment: &layered::Segment| End {
        from: layers.vertices[segment.from].leaves(),
        to: layers.vertices[segment.to].enters(),
        edge: segment.edge,
    };
    layers.segments.iter().filter(of).map(end).collect()
}

/// The units, each with its size; None if a label would be cut.
fn pieces(graph: &Graph, edges: &[(usize, usize)], fit: Fit, room: u16) -> Option<Vec<Piece>> {
    let tasks: Vec<&Node> = graph.nodes.iter().filter(|node| node.is_task).collect();
    let task_width = task_width(&tasks, most_beside(graph, edges), fit, room)?;
    // All others are equally wide as well: they stand straight below one another.
    let alone =
        |n: &usize| !graph.nodes[*n].is_task && !graph.chains.iter().any(|(first, last)| (first..=last).contains(&n));
    let labels = (0..graph.nodes.len()).filter(alone).map(|n| label_cells(&graph.nodes[n], fit)).max().unwrap_or(0);
    let wanted = if room >= ROOMY { widest(room) } else { WANTED };
    let width_alone = odd(labels.checked_add(AROUND + TIMES + TIME)?.max(wanted).min(room));
    let mut pieces = Vec::new();
    let mut n = 0;
    while n < graph.nodes.len() {
        if let Some((first, last)) = graph.chains.iter().find(|(first, _)| *first == n) {
            pieces.push(chain(graph, *first..=*last, fit, room)?);
            n = last + 1;
            continue;
        }
        let node = &graph.nodes[n];
        let (width, lines) = match node.is_task {
            true => (task_width, fit.task_lines),
            false => (width_alone, fit.lines),
        };
        (width >= label_cells(node, fit) + AROUND).then_some(())?;
        // A group says how its tasks are, and has neither turns nor costs of its own.
        let lines = if node.fold.is_some() { 1 } else { lines };
        let within = if node.fold.is_some_and(|fold| fold.is_open) { node.shown().len() - 1 } else { 0 };
        let height = lines.checked_add(2)?.checked_add(u16::try_from(within).ok()?)?;
        pieces.push(Piece { nodes: vec![n], widths: vec![width], height, is_label: false, has_back: false });
        n += 1;
    }
    Some(pieces)
}

/// The most tasks of one rank.
fn most_beside(graph: &Graph, edges: &[(usize, usize)]) -> usize {
    let rank = layered::ranks(graph.nodes.len(), edges);
    let of = |wanted: usize| (0..graph.nodes.len()).filter(|n| graph.nodes[*n].is_task && rank[*n] == wanted).count();
    rank.iter().map(|rank| of(*rank)).max().unwrap_or(0)
}

fn label_cells(node: &Node, fit: Fit) -> u16 {
    let label = if fit.short && !node.short.is_empty() { &node.short } else { &node.label };
    let fold = if node.fold.is_some() { 2 } else { 0 };
    u16::try_from(width(label) + fold).unwrap_or(u16::MAX)
}

/// The width of the tasks' boxes: the same for all.
fn task_width(tasks: &[&Node], most_beside: usize, fit: Fit, room: u16) -> Option<u16> {
    let count = u16::try_from(most_beside.max(1)).ok()?;
    let share = room.checked_sub(count - 1)? / count;
    let cells = |text: &str| u16::try_from(width(text)).unwrap_or(u16::MAX);
    let label = tasks.iter().map(|node| label_cells(node, fit)).max().unwrap_or(0);
    let member = |(depth, node): (usize, &Node)| cells(&node.label).saturating_add(2 * depth as u16 + 6 + MEMBER_NOTE);
    let is_open = |node: &&&Node| node.fold.is_some_and(|fold| fold.is_open);
    let members = tasks.iter().filter(is_open).flat_map(|node| node.shown().into_iter().skip(1)).map(member).max();
    let narrowest = label.checked_add(AROUND + TIMES)?.max(if members.is_some() { NARROWEST_OPEN } else { 0 });
    let wanted = narrowest.checked_add(TIME)?.max(widest(room)).max(members.unwrap_or(0));
    let widest = wanted.min(if members.is_some() { WIDEST_OPEN } else { widest(room).max(narrowest) });
    let each = share.min(widest);
    let each = if each.is_multiple_of(2) { each.checked_sub(1)? } else { each };
    (each >= narrowest).then_some(each)
}

/// As wide as a box gets in this room.
fn widest(room: u16) -> u16 {
    WIDEST.max(room / 3).min(WIDEST_OPEN)
}

fn odd(width: u16) -> u16 {
    if width.is_multiple_of(2) { width.saturating_sub(1) } else { width }
}

/// Nodes beside one another: in boxes if their labels fit so, else as labels with a note below each.
fn chain(graph: &Graph, nodes: std::ops::RangeInclusive<usize>, fit: Fit, room: u16) -> Option<Piece> {
    const WIDEST_LABEL: u16 = 18;
    let nodes: Vec<usize> = nodes.collect();
    let count = u16::try_from(nodes.len()).ok()?;
    let has_back = nodes.iter().any(|n| graph.nodes[*n].key == Key::Role(Role::WRITER.into()));
    let times = |node: &Node| if has_back && node.key != Key::Role("keep".into()) { TIMES } else { 0 };
    let labels: Vec<u16> = nodes.iter().map(|n| label_cells(&graph.nodes[*n], fit) + times(&graph.nodes[*n])).collect();
    let [as_boxes, as_labels] = [false, true].map(|is_label| {
        let gap = if is_label { ARROW + 1 } else { ARROW };
        let (around, widest) = if is_label { (2, WIDEST_LABEL) } else { (AROUND, WANTED) };
        let least: Vec<u16> = labels.iter().map(|label| (label + around).max(if is_label { 9 } else { 13 })).collect();
        let taken = least.iter().sum::<u16>() + gap * (count - 1);
        let each = room.checked_sub(taken)? / count;
        let widths = least.iter().map(|least| odd((least + each).min(widest.max(*least))).max(*least)).collect();
        Some((widths, is_label))
    });
    let (widths, is_label): (Vec<u16>, bool) = as_boxes.or(as_labels)?;
    let height = if is_label { 2 } else { 2 + fit.lines };
    Some(Piece { nodes, widths, height: height + u16::from(has_back), is_label, has_back })
}

/// The arrows from each node of a chain to the next.
fn arrows(boxes: &mut Boxes<'_>, piece: &Piece) {
    for two in piece.nodes.windows(2) {
        let (left, right) = (boxes.nodes[two[0]].area, boxes.nodes[two[1]].area);
        let y = if piece.is_label { left.y } else { left.y + 1 };
        let x = right.x - piece.gap();
        boxes.add(x, y, LEFT | RIGHT, 1);
        if let Some(at) = boxes.index(x + 1, y) {
            boxes.lines[at].is_arrow = true;
        }
        boxes.routes.push(Route { from: two[0], to: two[1], cells: vec![(x, y), (x + 1, y)] });
    }
}

/// The ranks of a graph as they are placed.
struct Ranked<'a> {
    layers: &'a Layers,
    /// The edges in the gap below each rank, and its tracks.
    gaps: &'a [(Vec<Bundle>, u16)],
    tops: &'a [u16],
    heights: &'a [u16],
    pieces: &'a [Piece],
}

/// Draws the edges between ranks, and notes the cells of each.
fn draw(boxes: &mut Boxes<'_>, ranked: &Ranked<'_>, between: &[(usize, usize)]) {
    let Ranked { layers, gaps, tops, heights, pieces } = *ranked;
    let mut cells: Vec<Vec<(u16, u16)>> = vec![Vec::new(); between.len()];
    // Edges that pass a rank.
    for segment in &layers.segments {
        let vertex = &layers.vertices[segment.to];
        if vertex.unit.is_none() {
            for y in tops[vertex.rank]..tops[vertex.rank] + heights[vertex.rank] {
                boxes.add(vertex.x, y, UP | DOWN, 2 + segment.edge as u32);
                cells[segment.edge].push((vertex.x, y));
            }
        }
    }
    // Short units leave room above the gap.
    let bottom = |x: u16, rank: usize| {
        let of = layers.ranks[rank].iter().map(|at| &layers.vertices[*at]).find(|vertex| vertex.leaves() == x);
        let height = of
            .and_then(|vertex| vertex.unit)
            .map_or(heights[rank], |unit| pieces[unit].height - u16::from(pieces[unit].has_back));
        tops[rank] + height
    };
    let mut number = 2 + between.len() as u32;
    for (rank, (bundles, _)) in gaps.iter().enumerate() {
        let (top, end) = (tops[rank] + heights[rank], tops[rank + 1]);
        for bundle in bundles {
            number += 1;
            let track = top + bundle.track.unwrap_or(0);
            let upper = |x: u16| bottom(x, rank)..track;
            for x in &bundle.sources {
                touch(boxes, *x, bottom(*x, rank).wrapping_sub(1), DOWN);
                upper(*x).for_each(|y| boxes.add(*x, y, UP | DOWN, number));
                boxes.add(*x, track, UP, number);
            }
            let (left, right) = bundle.span();
            boxes.level(left, right, track, number);
            for x in &bundle.targets {
                boxes.add(*x, track, DOWN, number);
                (track + 1..end).for_each(|y| boxes.add(*x, y, UP | DOWN, number));
                touch(boxes, *x, end, UP);
            }
            for edge in &bundle.edges {
                let level = edge.from.min(edge.to)..=edge.from.max(edge.to);
                let path = upper(edge.from)
                    .map(|y| (edge.from, y))
                    .chain(level.map(|x| (x, track)))
                    .chain((track + 1..end).map(|y| (edge.to, y)));
                cells[edge.edge].extend(path);
            }
        }
    }
    for ((from, to), cells) in between.iter().zip(cells) {
        let (from, to) = (&pieces[*from].nodes, &pieces[*to].nodes);
        if let (Some(from), Some(to)) = (from.last(), to.first()) {
            boxes.routes.push(Route { from: *from, to: *to, cells });
        }
    }
}

/// A line runs into a border, not into a label.
fn touch(boxes: &mut Boxes<'_>, x: u16, y: u16, directions: Directions) {
    if boxes.index(x, y).is_some_and(|at| boxes.lines[at].directions != 0) {
        boxes.add(x, y, directions, 0);
    }
}

/// The edge below a chain that leads back to the writer, with its words on it.
fn draw_back(boxes: &mut Boxes<'_>, graph: &Graph, pieces: &[Piece]) {
    let Some(back) = &graph.back else { return };
    let Some(piece) = pieces.iter().find(|piece| piece.has_back && piece.nodes.contains(&back.from)) else { return };
    let port = |node: usize| {
        let area = boxes.nodes[node].area;
        area.x + if piece.is_label { 0 } else { area.width / 2 }
    };
    let (left, right) = (port(back.to), port(back.from));
    let y = boxes.nodes[back.to].area.bottom();
    if right < left + 4 {
        return;
    }
    boxes.back = (left..=right)
        .map(|x| match x {
            x if x == left => (x, y, "╰"),
            x if x == right => (x, y, "╯"),
            x => (x, y, "╌"),
        })
        .collect();
    let room = usize::from(right - left - 3);
    // A part of a reason says nothing: then only what it is stands there.
    let whole = &back.words;
    let words = if width(whole) <= room { whole } else { whole.split(':').next().unwrap_or(whole) };
    let words = cut(words, room).into_owned();
    let wide = u16::try_from(width(&words)).unwrap_or(0);
    boxes.back_words = Some((left + 1 + (right - left - wide) / 2, y, words));
}

#[cfg(test)]
mod tests;
