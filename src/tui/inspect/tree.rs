//! A record as rows below rows: parts, fields, items of lists, lines of long text. Built once, in the order in which it is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::From;
use crate::prelude::*;
use run::Money;
use run::tool::estimate_tokens;

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of the whole.
    Part,
    /// A value with a name.
    Field,
    /// One of a list.
    Item,
    /// A piece of a longer text.
    Line,
    /// A line that the text before has as well.
    Same,
    /// A line that only the text before has.
    Gone,
    /// A line that only the text after has.
    New,
    /// Lines that are left out: they are the same in both.
    Gap,
}

/// A row, and the rows below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub kind: Kind,
    /// 0 at the top.
    pub depth: u16,
    /// The row it is below.
    pub above: Option<u32>,
    /// The number of rows below it, at all depths.
    pub below: u32,
    pub name: String,
    /// The value; of a row with others below it the words that say most of it, for when it is folded.
    pub text: String,
    /// The note beside its name: the number of its items, the result of a verdict.
    pub note: String,
    /// Its tokens in a context (estimated), where they are worth saying.
    pub tokens: Option<u64>,
    pub from: Option<Box<From>>,
    /// The bytes of the text that differ from the other version.
    pub lit: Range<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The row that new ones come below.
    inside: Option<u32>,
}

/// Bytes of text in one row. Longer text is cut into several, so that nothing that is drawn or walked is long.
const MOST: usize = 1_000;
/// Bytes of the words that stand for a folded row.
const GIST: usize = 200;
/// The text in place of no value, and of an empty list or object.
const NULL: &str = "–";
const NONE: &str = "(none)";

impl Tree {
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Adds a row without rows below it.
    pub fn leaf(&mut self, kind: Kind, name: impl Into<String>, text: impl Into<String>) -> &mut Node {
        let depth = self.inside.map_or(0, |above| self.nodes[above as usize].depth + 1);
        let (name, text) = (name.into(), text.into());
        let node = Node {
            kind,
            depth,
            above: self.inside,
            below: 0,
            name,
            text,
            note: String::new(),
            tokens: None,
            from: None,
            lit: 0..0,
        };
        self.nodes.push(node);
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// Adds a row with those that `fill` adds below it.
    pub fn branch(&mut self, kind: Kind, name: impl Into<String>, fill: impl FnOnce(&mut Tree)) -> &mut Node {
        self.leaf(kind, name, "");
        let at = self.nodes.len() - 1;
        let outside = self.inside.replace(index(at));
        fill(self);
        self.inside = outside;
        let below = index(self.nodes.len() - 1 - at);
        let node = &mut self.nodes[at];
        node.below = below;
        node
    }

    /// Adds a text: in one row if it is a line, else with a row for each line.
    pub fn text(&mut self, kind: Kind, name: impl Into<String>, text: &str) -> &mut Node {
        let text = text.trim_end_matches('\n');
        if text.len() <= MOST && !text.contains('\n') {
            return self.leaf(kind, name, text);
        }
        let mut count = 0;
        let node = self.branch(kind, name, |tree| {
            for line in text.lines() {
                count += 1;
                tree.lines(Kind::Line, line);
            }
        });
        node.text = gist(text);
        node.note = if count == 1 { paint::bytes(text.len()) } else { paint::count(count, "line") };
        node.tokens = Some(estimate_tokens(text.len()));
        node
    }

    /// Adds a line in as many rows as it takes.
    pub fn lines(&mut self, kind: Kind, line: &str) {
        let mut rest = line;
        while rest.len() > MOST {
            let most = rest.floor_char_boundary(MOST);
            let cut = rest[..most].rfind(' ').map_or(most, |at| at + 1);
            self.leaf(kind, "", &rest[..cut]);
            rest = &rest[cut..];
        }
        self.leaf(kind, "", rest);
    }

    /// Adds a JSON value.
    pub fn value(&mut self, kind: Kind, name: impl Into<String>, value: &Value) -> &mut Node {
        match value {
            Value::String(text) => self.text(kind, name, &Clean::new(text)),
            Value::Object(fields) if !fields.is_empty() => {
                let says = telling(value);
                let node = self.branch(kind, name, |tree| tree.fields(value));
                node.text = says;
                node
            }
            Value::Array(items) if items.iter().any(|item| !is_short(item)) => {
                let count = items.len();
                let node = self.branch(kind, name, |tree| {
                    (1..).zip(items).for_each(|(n, item)| {
                        tree.value(Kind::Item, n.to_string(), item);
                    });
                });
                node.note = count.to_string();
                node
            }
            other => {
                let name = name.into();
                let row = in_a_row(&name, other).unwrap_or_default();
                self.leaf(kind, name, row)
            }
        }
    }

    /// Adds the fields of an object, or the items of a list.
    pub fn fields(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.value(Kind::Field, Clean::line(name).to_string(), value);
                }
            }
            Value::Array(items) => {
                (1..).zip(items).for_each(|(n, item)| {
                    self.value(Kind::Item, n.to_string(), item);
                });
            }
            other => {
                self.value(Kind::Field, "", other);
            }
        }
    }

    /// The tokens of all of it in a context (estimated).
    pub fn tokens(&self) -> u64 {
        self.nodes.iter().filter(|node| node.depth == 0).filter_map(|node| node.tokens).sum()
    }

    /// Says which bytes of a row's text differ from its other version.
    pub fn light(&mut self, at: usize, lit: Range<u32>) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.lit = lit;
        }
    }

    /// The words of a row: its own, else the beginning of the words of the rows below it. A true value says its name, and a false
    /// one says nothing.
    pub fn says(&self, at: usize) -> Cow<'_, str> {
        let Some(node) = self.nodes.get(at) else { return Cow::Borrowed("") };
        if !node.text.is_empty() || node.below == 0 {
            return Cow::Borrowed(&node.text);
        }
        let mut words = String::new();
        let (mut row, end) = (at + 1, at + 1 + node.below as usize);
        while row < end && words.len() < GIST {
            let below = &self.nodes[row];
            let said = match below.text.as_str() {
                "true" => below.name.as_str(),
                "false" | NULL | NONE => "",
                text => text,
            };
            if !words.is_empty() && !said.is_empty() {
                words.push_str(" · ");
            }
            words.push_str(said);
            // A row with words of its own stands for all below it.
            row += if below.text.is_empty() { 1 } else { 1 + below.below as usize };
        }
        Cow::Owned(gist(&words))
    }

    /// For each row how many rows before it stand below the same one and have the same name.
    pub fn places(&self) -> Vec<u32> {
        let mut seen: BTreeMap<(Option<u32>, &str), u32> = BTreeMap::new();
        let mut places = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let next = seen.entry((node.above, node.name.as_str())).or_default();
            places.push(*next);
            *next += 1;
        }
        places
    }

    /// The rows above one, the nearest first.
    pub fn above(&self, at: usize) -> impl Iterator<Item = usize> {
        let above = |at: usize| self.nodes.get(at)?.above.map(|above| above as usize);
        std::iter::successors(above(at), move |at| above(*at))
    }

    /// The place of a row: the names of those above it and its own.
    pub fn path(&self, at: usize) -> Vec<&str> {
        let own = std::iter::once(at).chain(self.above(at));
        let mut path: Vec<&str> = own.map(|at| self.nodes[at].name.as_str()).collect();
        path.reverse();
        path
    }
}

fn index(at: usize) -> u32 {
    // No record that fits into memory has more rows.
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The beginning of a text, in a line.
pub fn gist(text: &str) -> String {
    let from = text.trim_start();
    let cut = &from[..from.floor_char_boundary(GIST)];
    let words: Vec<&str> = cut.split_whitespace().collect();
    words.join(" ")
}

/// The field of an amount of money, in pico-dollars.
const MONEY: &str = "money";

/// A value of this name as it is told in one row; None for one that has rows below it.
pub fn in_a_row(name: &str, value: &Value) -> Option<String> {
    Some(match value {
        Value::Number(pico) if name == MONEY => Money(pico.as_u64()?).to_string(),
        Value::Object(fields) if !fields.is_empty() => return None,
        Value::Array(items) if !items.iter().all(is_short) => return None,
        Value::Array(items) if !items.is_empty() => in_a_line(items),
        Value::Array(_) | Value::Object(_) => NONE.into(),
        Value::String(text) => Clean::new(text).to_string(),
        Value::Null => NULL.into(),
        other => other.to_string(),
    })
}

/// A few short words or numbers stand in one row.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 40 && !text.contains('\n'),
        Value::Object(_) | Value::Array(_) => false,
        _ => true,
    }
}

fn in_a_line(items: &[Value]) -> String {
    let said = |item: &Value| match item {
        Value::String(text) => Clean::line(text).to_string(),
        other => other.to_string(),
    };
    items.iter().map(said).collect::<Vec<_>>().join(", ")
}

/// The words that say most of an object, in a line: its claim, its title, its question; empty if it has none.
pub fn telling(value: &Value) -> String {
    const NAMES: [&str; 9] = ["claim", "title", "question", "what", "says", "text", "name", "result", "role"];
    let Value::Object(fields) = value else { return String::new() };
    let named = NAMES.iter().find_map(|name| fields.get(*name)).and_then(Value::as_str);
    let named = named.map(|text| gist(&Clean::line(text))).filter(|text| !text.is_empty());
    named.or_else(|| fields.values().find(|value| value.is_object()).map(telling)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(tree: &Tree) -> Vec<String> {
        let line = |node: &Node| format!("{}{}:{}", " ".repeat(node.depth.into()), node.name, node.text);
        tree.nodes().iter().map(line).collect()
    }

    #[test]
    fn a_value_is_a_row_for_each_thing_in_it_and_knows_how_many_are_below() {
        let mut tree = Tree::default();
        let value = json!({ "claim": "It is so.", "at": { "line": 3 }, "ids": ["a", "b"], "money": 54_372_000_000u64, "none": [], "nothing": null });
        tree.value(Kind::Part, "finding", &value);
        let rows = [
            "finding:It is so.",
            " at:",
            "  line:3",
            " claim:It is so.",
            " ids:a, b",
            " money:$0.055",
            " none:(none)",
            " nothing:–",
        ];
        assert_eq!(shown(&tree), rows);
        assert_eq!(tree.nodes()[0].below, 7);
        assert_eq!(tree.path(2), ["finding", "at", "line"]);
    }

    #[test]
    fn a_row_without_words_of_its_own_says_what_stands_below_it() {
        let mut tree = Tree::default();
        tree.value(Kind::Part, "named", &json!({ "compares": true, "many": false, "things": ["a", "b"], "n": null }));
        tree.value(Kind::Part, "plan", &json!({ "shape": "facets", "tasks": [{ "title": "Costs" }] }));
        assert_eq!((tree.says(0), tree.says(5)), ("compares · a, b".into(), "facets · Costs".into()));
        let title = tree.nodes().iter().position(|node| node.name == "title").unwrap();
        assert_eq!(tree.says(title), "Costs");
    }

    #[test]
    fn long_text_has_a_row_for_each_line_and_none_is_longer_than_a_page() {
        let mut tree = Tree::default();
        let long = "wörter ".repeat(1_000);
        tree.text(Kind::Field, "text", &format!("one\n\n{long}"));
        let nodes = tree.nodes();
        assert!(nodes.iter().all(|node| node.text.len() <= MOST), "{}", nodes.len());
        assert_eq!((nodes[0].note.as_str(), nodes[1].text.as_str(), nodes[2].text.as_str()), ("3 lines", "one", ""));
        let whole: String = nodes[3..].iter().map(|node| node.text.as_str()).collect();
        assert_eq!(whole, long);
        let mut tree = Tree::default();
        tree.text(Kind::Field, "text", &"日".repeat(2_000));
        assert_eq!(tree.nodes()[1..].iter().map(|node| node.text.chars().count()).sum::<usize>(), 2_000);
    }

    #[test]
    fn text_from_outside_is_clean_wherever_it_stands() {
        let mut tree = Tree::default();
        tree.value(Kind::Part, "data", &json!({ "\u{1b}[2J": ["\u{1b}]0;x\u{7}", { "a\u{202e}b": "c\u{7}" }] }));
        let all: String = shown(&tree).concat();
        assert!(!all.chars().any(text::is_forbidden), "{all:?}");
    }
}
