//! A tree as it is read: its folded rows, the person's place, and the part in a window.
//!
//! Only the window is wrapped: for a text of any length, a key costs a page.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Kind, Node, Tree};
use crate::measure::wrap;
use crate::prelude::*;

/// A line on the screen: of which row, and which of its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub node: usize,
    pub line: usize,
}

/// A tree with its folds.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    tree: Tree,
    folded: Vec<bool>,
    pub at: Cursor,
    /// The rows that hold the searched words.
    found: Vec<u32>,
}

/// A row laid out in this many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Cells before its sign.
    pub indent: usize,
    /// Cells before its text.
    pub lead: usize,
    /// Whether its name has a line of its own.
    pub is_named_above: bool,
    /// The lines of its text.
    pub text: Vec<Range<usize>>,
    /// The lines that say where it came from.
    pub from: Vec<Range<usize>>,
}

impl Shape {
    pub fn lines(&self) -> usize {
        usize::from(self.is_named_above) + self.text.len() + self.from.len()
    }
}

/// Rows up to which all are open at first.
const FEW: usize = 48;
/// Lines of a text that is open at first where there is more.
const READABLE: u32 = 16;
/// Cells that tokens take at the right.
pub const RIGHT: usize = 11;

impl Sheet {
    /// As it is first shown: all of it if it is short; else each part with its items folded.
    pub fn of(tree: Tree) -> Sheet {
        let nodes = tree.nodes();
        let opens = |(at, node): (usize, &Node)| match node.kind {
            _ if nodes.len() <= FEW => true,
            Kind::Part => nodes.get(at + 1).is_none_or(|first| first.kind != Kind::Line) || node.below <= READABLE,
            _ => false,
        };
        let folded = nodes.iter().enumerate().map(|one| one.1.below > 0 && !opens(one)).collect();
        Sheet { folded, tree, ..Sheet::default() }
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub fn node(&self, at: usize) -> Option<&Node> {
        self.tree.nodes().get(at)
    }

    pub fn selected(&self) -> Option<&Node> {
        self.node(self.at.node)
    }

    pub fn is_folded(&self, at: usize) -> bool {
        self.folded.get(at).copied().unwrap_or_default()
    }

    /// The same place and the same folds in a newer tree of the same thing.
    pub fn renewed(&self, tree: Tree) -> Sheet {
        let mut new = Sheet::of(tree);
        // A row is the same if its name and its place among those of that name are, below the same row.
        let is_branch = |node: &Node| node.below > 0;
        let old: BTreeMap<(Option<u32>, &str, u32), u32> = self
            .tree
            .nodes()
            .iter()
            .zip(self.tree.places())
            .zip(0..)
            .filter(|((node, _), _)| is_branch(node))
            .map(|((node, place), at)| ((node.above, node.name.as_str(), place), at))
            .collect();
        let mut was: Vec<Option<u32>> = Vec::with_capacity(new.tree.nodes().len());
        for (node, place) in new.tree.nodes().iter().zip(new.tree.places()) {
            let above = match node.above {
                None => Some(None),
                Some(above) => was[above as usize].map(Some),
            };
            let known = above.and_then(|above| old.get(&(above, node.name.as_str(), place)));
            was.push(known.copied().filter(|_| is_branch(node)));
        }
        for (folded, was) in new.folded.iter_mut().zip(was) {
            *folded = was.map_or(*folded, |was| self.is_folded(was as usize));
        }
        new.at = self.at;
        new.come_out();
        new
    }

    /// The next row that is not inside a folded one.
    fn next(&self, at: usize) -> Option<usize> {
        let node = self.node(at)?;
        let next = if self.is_folded(at) { at + 1 + node.below as usize } else { at + 1 };
        (next < self.tree.nodes().len()).then_some(next)
    }

    fn before(&self, at: usize) -> Option<usize> {
        at.checked_sub(1).map(|before| self.shown_for(before))
    }

    /// The row itself, or the outermost folded one that it is in.
    fn shown_for(&self, at: usize) -> usize {
        self.tree.above(at).filter(|above| self.is_folded(*above)).last().unwrap_or(at)
    }

    /// The place is never inside something folded, nor past the end.
    fn come_out(&mut self) {
        let last = self.tree.nodes().len().saturating_sub(1);
        let shown = self.shown_for(self.at.node.min(last));
        if shown != self.at.node {
            self.at = Cursor { node: shown, line: 0 };
        }
    }

    fn height(&self, at: usize, cells: usize) -> usize {
        self.shape(at, cells).lines().max(1)
    }

    /// A row laid out in this many cells.
    pub fn shape(&self, at: usize, cells: usize) -> Shape {
        let Some(node) = self.node(at) else {
            return Shape { indent: 0, lead: 0, is_named_above: false, text: Vec::new(), from: Vec::new() };
        };
        let indent = (2 * usize::from(node.depth)).min(cells / 4);
        let sign = if matches!(node.kind, Kind::Line | Kind::Gap) { 0 } else { 2 };
        let name = if node.name.is_empty() { 0 } else { width(&node.name) + 2 };
        let is_named_above = node.below == 0 && name > 0 && indent + sign + name > cells / 3;
        // A line that is indented stays so where it goes on.
        let blank = if name == 0 { node.text.len() - node.text.trim_start_matches(' ').len() } else { 0 };
        let hangs = blank.min(cells / 3);
        let lead = if is_named_above { indent + sign + 2 } else { indent + sign + name + hangs };
        let right = if node.tokens.is_some() { RIGHT } else { 0 };
        let text = match node.below {
            0 => {
                let lines = wrap(&node.text[blank..], cells.saturating_sub(lead + right).max(8));
                lines.into_iter().map(|line| line.start + blank..line.end + blank).collect()
            }
            // One line: it is cut when it is drawn.
            _ => std::iter::once(0..node.text.len()).collect(),
        };
        let of_from = |from: &super::From| wrap(&from.says, cells.saturating_sub(indent + 4).max(8));
        Shape { indent, lead, is_named_above, text, from: node.from.as_deref().map(of_from).unwrap_or_default() }
    }

    /// This many lines further down, or to the last.
    fn down(&self, mut at: Cursor, mut lines: usize, cells: usize) -> Cursor {
        loop {
            let height = self.height(at.node, cells);
            if at.line + lines < height {
                return Cursor { line: at.line + lines, ..at };
            }
            let Some(next) = self.next(at.node) else { return Cursor { line: height - 1, ..at } };
            lines -= height.saturating_sub(at.line).min(lines);
            at = Cursor { node: next, line: 0 };
        }
    }

    fn up(&self, mut at: Cursor, mut lines: usize, cells: usize) -> Cursor {
        while lines > at.line {
            let Some(before) = self.before(at.node) else { return Cursor { line: 0, ..at } };
            lines -= at.line + 1;
            at = Cursor { node: before, line: self.height(before, cells) - 1 };
        }
        Cursor { line: at.line - lines, ..at }
    }

    fn last(&self, cells: usize) -> Cursor {
        let node = self.shown_for(self.tree.nodes().len().saturating_sub(1));
        Cursor { node, line: self.height(node, cells) - 1 }
    }

    /// Moves the place; `page` is the number of rows in the window.
    pub fn moves(&mut self, action: Action, page: usize, cells: usize) {
        if self.tree.nodes().is_empty() {
            return;
        }
        // A screen that has become narrower has more lines, and one that has become wider fewer.
        self.at.line = self.at.line.min(self.height(self.at.node, cells) - 1);
        let page = page.saturating_sub(1).max(1);
        self.at = match action {
            Action::Down => self.down(self.at, 1, cells),
            Action::Up => self.up(self.at, 1, cells),
            Action::PageDown => self.down(self.at, page, cells),
            Action::PageUp => self.up(self.at, page, cells),
            Action::Top => Cursor::default(),
            _ => self.last(cells),
        };
    }

    /// The lines of a window of this height around the place; whether there are more above it and below it.
    pub fn window(&self, height: usize, cells: usize) -> (Vec<Cursor>, bool, bool) {
        if self.tree.nodes().is_empty() || height == 0 {
            return (Vec::new(), false, false);
        }
        let at = Cursor { line: self.at.line.min(self.height(self.at.node, cells) - 1), ..self.at };
        let last = self.last(cells);
        // The last page is full.
        let lowest = self.up(last, height - 1, cells);
        let from = self.up(at, height / 2, cells).min(lowest);
        let mut lines = vec![from];
        while lines.len() < height && lines[lines.len() - 1] != last {
            lines.push(self.down(lines[lines.len() - 1], 1, cells));
        }
        let is_below = lines[lines.len() - 1] != last;
        (lines, from != Cursor::default(), is_below)
    }

    /// Folds the row, or opens it; in a row that does not fold: that of which it is a part.
    pub fn fold(&mut self) {
        let of = Some(self.at.node).filter(|at| self.tree.nodes().get(*at).is_some_and(|node| node.below > 0));
        if let Some(of) = of.or_else(|| self.tree.above(self.at.node).next()) {
            self.folded[of] = !self.folded[of];
            self.at = Cursor { node: of, line: 0 };
        }
    }

    /// Opens the row; in an open one goes to the first row in it.
    pub fn opens(&mut self) {
        let at = self.at.node;
        if self.node(at).is_none_or(|node| node.below == 0) {
            return;
        }
        match self.is_folded(at) {
            true => self.folded[at] = false,
            false => self.at = Cursor { node: at + 1, line: 0 },
        }
    }

    /// Folds the row; from one that is folded, or empty, goes to the row around it.
    pub fn closes(&mut self) {
        let at = self.at.node;
        if self.node(at).is_some_and(|node| node.below > 0) && !self.is_folded(at) {
            self.folded[at] = true;
            self.at.line = 0;
        } else if let Some(above) = self.tree.above(at).next() {
            self.at = Cursor { node: above, line: 0 };
        }
    }

    /// Folds all, or opens all.
    pub fn fold_all(&mut self, is_folded: bool) {
        for (folded, node) in self.folded.iter_mut().zip(self.tree.nodes()) {
            *folded = is_folded && node.below > 0;
        }
        self.come_out();
    }

    /// Looks for words: for the rows whose name, value or origin holds them, in capitals or not.
    pub fn looks_for(&mut self, words: &str) {
        let wanted = words.to_lowercase();
        let holds = |text: &str| !text.is_empty() && text.to_lowercase().contains(&wanted);
        let is_found = |node: &Node| {
            holds(&node.name)
                || (node.below == 0 && holds(&node.text))
                || node.from.as_ref().is_some_and(|from| holds(&from.says))
        };
        let found = |(at, node): (usize, &Node)| u32::try_from(at).ok().filter(|_| is_found(node));
        self.found = match wanted.is_empty() {
            true => Vec::new(),
            false => self.tree.nodes().iter().enumerate().filter_map(found).collect(),
        };
    }

    /// The number of rows that match, and the place of the selected one among them, from 1; 0 for none.
    pub fn found(&self) -> (usize, usize) {
        let at = self.found.binary_search(&u32::try_from(self.at.node).unwrap_or(u32::MAX));
        (at.map_or(0, |at| at + 1), self.found.len())
    }

    /// Goes to the first row from here on that holds the searched words; the rows around it are opened.
    pub fn comes_to_found(&mut self) {
        let at = u32::try_from(self.at.node).unwrap_or(u32::MAX);
        if self.found.binary_search(&at).is_err() {
            self.goes_to_found(true);
        }
    }

    /// Goes to the next row that holds the searched words, or to the one before; after the last comes the first.
    pub fn goes_to_found(&mut self, onwards: bool) {
        let at = u32::try_from(self.at.node).unwrap_or(u32::MAX);
        let next = match onwards {
            true => self.found.iter().find(|found| **found > at).or(self.found.first()),
            false => self.found.iter().rfind(|found| **found < at).or(self.found.last()),
        };
        let Some(next) = next.map(|next| *next as usize) else { return };
        let above: Vec<usize> = self.tree.above(next).collect();
        above.into_iter().for_each(|above| self.folded[above] = false);
        self.at = Cursor { node: next, line: 0 };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn sheet(value: &Value) -> Sheet {
        let mut tree = Tree::default();
        tree.value(Kind::Part, "whole", value);
        Sheet::of(tree)
    }

    /// The lines of a window that holds all of it.
    fn shown(sheet: &Sheet) -> Vec<String> {
        let (lines, ..) = sheet.window(10_000, 80);
        lines.iter().filter(|at| at.line == 0).map(|at| sheet.node(at.node).unwrap().name.clone()).collect()
    }

    fn named(sheet: &Sheet) -> &str {
        &sheet.selected().unwrap().name
    }

    #[test]
    fn what_is_folded_hides_what_is_in_it_and_the_place_comes_out_of_it() {
        let mut sheet = sheet(&json!({ "a": { "b": 1, "c": 2 }, "d": 3 }));
        assert_eq!(shown(&sheet), ["whole", "a", "b", "c", "d"]);
        (0..3).for_each(|_| sheet.moves(Action::Down, 10, 80));
        assert_eq!(named(&sheet), "c");
        sheet.closes();
        assert_eq!(named(&sheet), "a", "from a value to what it is in");
        sheet.closes();
        assert_eq!(shown(&sheet), ["whole", "a", "d"]);
        sheet.moves(Action::End, 10, 80);
        sheet.moves(Action::Up, 10, 80);
        assert_eq!(named(&sheet), "a", "what is hidden is not walked through");
        sheet.opens();
        sheet.opens();
        assert_eq!(named(&sheet), "b");
        sheet.fold_all(true);
        assert_eq!((shown(&sheet), named(&sheet)), (vec!["whole".into()], "whole"));
        sheet.fold_all(false);
        assert_eq!(shown(&sheet).len(), 5);
    }

    #[test]
    fn words_are_found_in_what_is_folded_which_opens_and_after_the_last_comes_the_first() {
        let mut sheet = sheet(&json!({ "a": { "b": "Qdrant is fast" }, "c": "so is qdrant", "d": "no" }));
        sheet.fold_all(true);
        sheet.looks_for("QDRANT");
        sheet.comes_to_found();
        assert_eq!((named(&sheet), sheet.found()), ("b", (1, 2)));
        sheet.goes_to_found(true);
        assert_eq!((named(&sheet), sheet.found()), ("c", (2, 2)));
        sheet.goes_to_found(true);
        assert_eq!(named(&sheet), "b");
        sheet.goes_to_found(false);
        assert_eq!(named(&sheet), "c");
        sheet.looks_for("nowhere");
        sheet.comes_to_found();
        assert_eq!((named(&sheet), sheet.found()), ("c", (0, 0)), "the place stays");
    }

    #[test]
    fn a_text_longer_than_the_window_is_read_line_by_line() {
        let mut sheet = sheet(&json!({ "text": "word ".repeat(100) }));
        sheet.moves(Action::Down, 3, 20);
        let first = sheet.at;
        sheet.moves(Action::Down, 3, 20);
        assert_eq!(sheet.at, Cursor { line: first.line + 1, ..first });
        assert_eq!(sheet.window(3, 20).0.len(), 3);
    }

    #[test]
    fn a_newer_tree_of_the_same_thing_keeps_the_folds_and_the_place() {
        let mut old = sheet(&json!({ "a": { "b": 1 }, "z": { "y": 1 } }));
        old.moves(Action::Down, 9, 80);
        old.closes();
        let mut tree = Tree::default();
        tree.value(Kind::Part, "whole", &json!({ "a": { "b": 1, "more": 2 }, "z": { "y": 1 } }));
        let new = old.renewed(tree);
        assert_eq!((shown(&new), named(&new)), (vec!["whole".into(), "a".into(), "z".into(), "y".into()], "a"));
    }

    #[test]
    fn of_rows_with_one_name_each_keeps_its_own_fold() {
        let parts = |reply: &str| {
            let mut tree = Tree::default();
            for text in ["one\ntwo", "three\nfour", "five\nsix"] {
                tree.text(Kind::Part, "result", text);
            }
            tree.text(Kind::Part, "answer", reply);
            tree
        };
        let mut old = Sheet::of(parts(""));
        old.fold_all(true);
        old.moves(Action::Top, 9, 80);
        old.opens();
        let new = old.renewed(parts("It is\nso."));
        let folds = |sheet: &Sheet| {
            let rows = sheet.tree.nodes().iter().enumerate().filter(|(_, node)| node.name == "result");
            rows.map(|(at, _)| sheet.is_folded(at)).collect::<Vec<_>>()
        };
        assert_eq!((folds(&old), folds(&new)), (vec![false, true, true], vec![false, true, true]));
    }

    #[test]
    fn ten_megabytes_are_walked_without_wrapping_them() {
        let words = "Ein langer Satz über Vektoren in 日本. ".repeat(20);
        let items: Vec<Value> = (0..12_000).map(|n| json!({ "claim": words, "n": n })).collect();
        let mut sheet = sheet(&Value::from(items));
        sheet.fold_all(false);
        for action in [Action::End, Action::PageUp, Action::Up, Action::Top, Action::PageDown] {
            sheet.moves(action, 40, 80);
            let (lines, ..) = sheet.window(40, 80);
            assert_eq!(lines.len(), 40);
            assert!(lines.contains(&sheet.at));
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            "[a-z 日\n]{0,60}".prop_map(Value::from),
            any::<u8>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,30}", inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn wherever_keys_lead_the_window_shows_the_place_and_is_full(
            value in value(),
            keys in prop::collection::vec(0u8..10, 0..40),
            height in 1usize..12,
            cells in 1usize..40,
        ) {
            let mut sheet = sheet(&value);
            for key in keys {
                match key {
                    0 => sheet.moves(Action::Down, height, cells),
                    1 => sheet.moves(Action::Up, height, cells),
                    2 => sheet.moves(Action::PageDown, height, cells),
                    3 => sheet.moves(Action::PageUp, height, cells),
                    4 => sheet.moves(Action::End, height, cells),
                    5 => sheet.fold(),
                    6 => sheet.opens(),
                    7 => sheet.closes(),
                    8 => sheet.fold_all(true),
                    _ => sheet.fold_all(false),
                }
                let (lines, above, below) = sheet.window(height, cells);
                prop_assert!(lines.contains(&sheet.at), "{:?} of {:?}", sheet.at, lines);
                prop_assert!(lines.len() == height || !above && !below);
                prop_assert!(lines.is_sorted());
            }
        }
    }
}
