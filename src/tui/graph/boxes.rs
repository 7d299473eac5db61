//! Lays out the boxes of the graph and the lines that join them.
//!
//! ```text
//!          ╭──────────────╮
//!          │ ● supervisor │
//!          ╰──────┬───────╯
//!             ✓ planner
//!       ╭─────────┼─────────╮
//!   ╭───┴────╮╭───┴────╮╭───┴────╮
//! ```
//!
//! Every line is a set of directions in a cell. Lines that meet add their directions, and the set determines the symbol.

use crate::prelude::*;

use super::team::{Graph, Layer, Node};

/// Directions in which lines leave the middle of a cell, as a set of bits.
type Directions = u8;
const UP: Directions = 1;
const DOWN: Directions = 2;
const LEFT: Directions = 4;
const RIGHT: Directions = 8;
/// The symbol of each set.
const SYMBOLS: [&str; 16] = [" ", "╵", "╷", "│", "╴", "╯", "╮", "┤", "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"];

/// A node with its place; coordinates count from the graph's own corner.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    pub node: &'a Node,
    pub area: Rect,
    pub boxed: bool,
}

#[derive(Clone, Debug)]
pub struct Boxes<'a> {
    pub nodes: Vec<Placed<'a>>,
    pub width: u16,
    pub height: u16,
    lines: Vec<Directions>,
}

impl Boxes<'_> {
    /// The line in a cell; a blank without one.
    pub fn symbol(&self, x: u16, y: u16) -> &'static str {
        SYMBOLS[usize::from(self.line(x, y))]
    }

    fn line(&self, x: u16, y: u16) -> Directions {
        self.index(x, y).map_or(0, |at| self.lines[at])
    }

    fn index(&self, x: u16, y: u16) -> Option<usize> {
        (x < self.width && y < self.height).then(|| usize::from(y) * usize::from(self.width) + usize::from(x))
    }

    fn add(&mut self, x: u16, y: u16, directions: Directions) {
        if let Some(at) = self.index(x, y) {
            self.lines[at] |= directions;
        }
    }

    /// A horizontal line, its ends pointing inwards only.
    fn level(&mut self, from: u16, to: u16, y: u16) {
        let (left, right) = (from.min(to), from.max(to));
        for x in left..right {
            self.add(x, y, RIGHT);
            self.add(x + 1, y, LEFT);
        }
    }

    fn frame(&mut self, area: Rect) {
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        self.level(area.x, right, area.y);
        self.level(area.x, right, bottom);
        for y in area.y..bottom {
            for x in [area.x, right] {
                self.add(x, y, DOWN);
                self.add(x, y + 1, UP);
            }
        }
    }
}

const GAP: u16 = 1;
const NARROWEST: u16 = 11;
/// Of a box with members in it.
const NARROWEST_OPEN: u16 = 21;

/// Lays the graph out in this room; None if it does not fit as boxes.
pub fn layout(graph: &Graph, room_width: u16, room_height: u16) -> Option<Boxes<'_>> {
    let links_between = graph.layers.len().checked_sub(1)?;
    // Boxes with a second line for the note, or without it where there is little height.
    let (heights, height) = [4, 3].into_iter().find_map(|tall| {
        let heights: Vec<u16> = graph.layers.iter().map(|layer| height_of(layer, tall)).collect::<Option<_>>()?;
        let whole = heights.iter().try_fold(u16::try_from(links_between).ok()?, |sum, rows| sum.checked_add(*rows))?;
        (whole <= room_height).then_some((heights, whole))
    })?;

    let mut rows: Vec<(Vec<u16>, u16)> = Vec::new();
    for (layer, height) in graph.layers.iter().zip(heights) {
        rows.push(match layer {
            Layer::Fan(nodes) => (box_widths(nodes, room_width)?, height),
            Layer::Chain(nodes) => (nodes.iter().map(label_width).collect(), 1),
        });
    }
    let mut boxes = Boxes {
        nodes: Vec::new(),
        width: room_width,
        height,
        lines: vec![0; usize::from(room_width) * usize::from(height)],
    };
    let mut above: Vec<u16> = Vec::new();
    let mut y = 0;
    for (layer, (widths, tall)) in graph.layers.iter().zip(rows) {
        let gap = if matches!(layer, Layer::Fan(_)) { GAP } else { 4 };
        let whole = widths.iter().sum::<u16>() + gap * u16::try_from(widths.len().saturating_sub(1)).ok()?;
        // Odd widths have a middle: a lone box and the middle one of three stand right below each other.
        let mut x = (room_width / 2).checked_sub(whole / 2).filter(|x| x + whole <= room_width)?;
        let leftmost = x;
        let mut ports = Vec::new();
        for (node, wide) in layer.nodes().iter().zip(&widths) {
            let area = Rect::new(x, y, *wide, tall);
            let boxed = matches!(layer, Layer::Fan(_));
            if boxed {
                boxes.frame(area);
                ports.push(x + wide / 2);
            } else if x > leftmost {
                // Between the links of a chain: ` ── `.
                boxes.level(x - 3, x - 2, y);
                boxes.add(x - 3, y, LEFT);
                boxes.add(x - 2, y, RIGHT);
            } else {
                // A line from above meets a lone label in its middle and a chain at its first symbol.
                ports.push(if widths.len() == 1 { room_width / 2 } else { x });
            }
            boxes.nodes.push(Placed { node, area, boxed });
            x += wide + gap;
        }
        if y > 0 {
            join(&mut boxes, &above, &ports, y - 1);
        }
        above = ports;
        y += tall + 1;
    }
    Some(boxes)
}

/// Rows that a layer takes with boxes of this height. A group always shows its note, which counts its tasks, and a row for
/// each member if it is open.
fn height_of(layer: &Layer, tall: u16) -> Option<u16> {
    let Layer::Fan(nodes) = layer else { return Some(1) };
    let tall = if nodes.iter().any(|node| node.fold.is_some()) { 4 } else { tall };
    let within = nodes.iter().map(|node| node.shown().len() - 1).max().unwrap_or(0);
    tall.checked_add(u16::try_from(within).ok()?)
}

/// Joins everything above the row with everything below it.
fn join(boxes: &mut Boxes<'_>, above: &[u16], below: &[u16], y: u16) {
    let ends = above.iter().chain(below).copied();
    let (Some(left), Some(right)) = (ends.clone().min(), ends.max()) else { return };
    boxes.level(left, right, y);
    for x in above {
        boxes.add(*x, y, UP);
        touch(boxes, *x, y.wrapping_sub(1), DOWN);
    }
    for x in below {
        boxes.add(*x, y, DOWN);
        touch(boxes, *x, y + 1, UP);
    }
}

/// A line runs into a border, not into a label.
fn touch(boxes: &mut Boxes<'_>, x: u16, y: u16, directions: Directions) {
    if boxes.line(x, y) != 0 {
        boxes.add(x, y, directions);
    }
}

fn label_width(node: &Node) -> u16 {
    u16::try_from(width(&node.label) + 2).unwrap_or(u16::MAX)
}

/// Widths of boxes that share a row: as wide as they would like, or all equally less; None if too narrow to read.
fn box_widths(nodes: &[Node], room: u16) -> Option<Vec<u16>> {
    let count = u16::try_from(nodes.len()).ok().filter(|count| *count > 0)?;
    let open = nodes.iter().any(|node| !node.members.is_empty());
    let (narrowest, widest) = if open { (NARROWEST_OPEN, 60) } else { (NARROWEST, 30) };
    let share = (room.checked_sub(GAP * (count - 1))? / count).min(widest);
    let cells = |text: &str| u16::try_from(width(text)).unwrap_or(u16::MAX);
    let wants = |(depth, node): (usize, &Node)| match depth {
        0 => label_width(node).max(cells(&node.note)),
        // A member has its note behind it.
        _ => cells(&node.label).saturating_add(cells(&node.note)).saturating_add(2 + 2 * depth as u16 + 2),
    };
    let wanted = nodes.iter().flat_map(Node::shown).map(wants).max()?.saturating_add(4);
    let each = wanted.max(narrowest).min(share);
    let each = match each % 2 {
        0 if each < share => each + 1,
        0 => each.saturating_sub(1),
        _ => each,
    };
    (each >= narrowest).then(|| vec![each; nodes.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::Mark;
    use proptest::prelude::*;

    fn node(label: &str) -> Node {
        Node { label: label.into(), note: "waiting".into(), mark: Mark::Waiting, ..Node::default() }
    }

    fn graph(tasks: usize) -> Graph {
        Graph {
            layers: vec![
                Layer::Fan(vec![node("supervisor")]),
                Layer::Chain(vec![node("planner")]),
                Layer::Fan((0..tasks).map(|n| node(&format!("task {n}"))).collect()),
                Layer::Fan(vec![node("you")]),
                Layer::Chain(vec![node("writer"), node("gates"), node("review")]),
            ],
        }
    }

    #[test]
    fn lines_that_meet_make_the_right_symbol() {
        let symbol = |directions: Directions| SYMBOLS[usize::from(directions)];
        assert_eq!(symbol(UP | RIGHT), "╰");
        assert_eq!(symbol(UP | RIGHT | LEFT), "┴");
        assert_eq!(symbol(UP | RIGHT | LEFT | DOWN), "┼");
    }

    #[test]
    fn a_supervisor_fans_out_to_its_tasks() {
        let graph = graph(3);
        let boxes = layout(&graph, 50, 30).unwrap();
        let mut picture = String::new();
        for y in 0..boxes.height {
            let mut row = vec![" ".to_string(); usize::from(boxes.width)];
            for x in 0..boxes.width {
                row[usize::from(x)] = boxes.symbol(x, y).into();
            }
            picture.push_str(row.concat().trim_end());
            picture.push('\n');
        }
        insta::assert_snapshot!(picture);
    }

    proptest! {
        #[test]
        fn nodes_stay_in_bounds_and_never_overlap(tasks in 1usize..11, members in 0usize..9, wide in 0u16..300, high in 0u16..60) {
            let mut graph = graph(tasks);
            if let Layer::Fan(nodes) = &mut graph.layers[2] {
                nodes[tasks / 2].members = (0..members).map(|n| node(&format!("member {n}"))).collect();
            }
            if let Some(boxes) = layout(&graph, wide, high) {
                prop_assert!(boxes.height <= high);
                prop_assert_eq!(boxes.nodes.len(), graph.nodes().count());
                for (n, one) in boxes.nodes.iter().enumerate() {
                    prop_assert!(one.area.right() <= wide && one.area.bottom() <= high);
                    for other in &boxes.nodes[n + 1..] {
                        prop_assert!(!one.area.intersects(other.area));
                    }
                }
            }
        }
    }
}
