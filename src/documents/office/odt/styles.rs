//! The styles of an OpenDocument text: the kind of paragraph or word that each is for.

use std::collections::HashMap;

use super::super::look::{Look, Words, heads_column, is_fixed, level};
use super::super::xml::Element;

/// The most styles in a chain of base styles.
const DEEPEST: usize = 20;

#[derive(Default)]
struct Style {
    look: Option<Look>,
    heads_column: bool,
    based_on: String,
    is_fixed: Option<bool>,
    is_hidden: Option<bool>,
    is_bold: Option<bool>,
    is_struck: Option<bool>,
    is_raised: Option<bool>,
}

#[derive(Default)]
pub(super) struct Styles {
    /// By family and name.
    all: HashMap<String, Style>,
    /// The style that is being read.
    key: String,
    /// Fonts of fixed width.
    fixed: HashMap<String, bool>,
    /// Whether text has a fixed width unless a style says otherwise.
    is_fixed: bool,
}

impl Styles {
    pub(super) fn open(&mut self, element: &Element, parent: &str) {
        match element.name() {
            "font-face" => {
                let family = element.get("font-family").unwrap_or_default();
                let is_one = element.is("font-pitch", "fixed") || is_fixed(&family);
                self.fixed.insert(element.get("name").unwrap_or_default().into_owned(), is_one);
            }
            "style" => {
                let family = element.get("family").unwrap_or_default();
                let (name, around) =
                    (element.get("name").unwrap_or_default(), element.get("parent-style-name").unwrap_or_default());
                let shown =
                    element.get("display-name").map_or_else(|| name.replace("_20_", " "), |name| name.into_owned());
                let outline = element.number("default-outline-level").map(|number| Look::Heading(level(number)));
                self.key = key(&family, &name);
                let look = Look::by_name(&shown).or(outline);
                let style = Style {
                    look,
                    heads_column: heads_column(&shown),
                    based_on: around.into_owned(),
                    is_fixed: (look == Some(Look::Code)).then_some(true),
                    ..Style::default()
                };
                self.all.insert(self.key.clone(), style);
            }
            "default-style" if element.is("family", "paragraph") => self.key = key("default", ""),
            "text-properties" if matches!(parent, "style" | "default-style") => {
                let named = element.get("font-name").and_then(|name| self.fixed.get(&*name).copied());
                let fixed = named.or_else(|| element.get("font-family").map(|family| is_fixed(&family)));
                if self.key == key("default", "") {
                    self.is_fixed = fixed.unwrap_or(false);
                } else if let Some(style) = self.all.get_mut(&self.key) {
                    style.is_fixed = fixed.or(style.is_fixed);
                    style.is_hidden = element.get("display").map(|display| display == "none");
                    style.is_struck = element.get("text-line-through-style").map(|line| line != "none");
                    style.is_raised = element.get("text-position").map(|position| is_raised(&position));
                    style.is_bold = element.get("font-weight").map(|weight| weight == "bold");
                }
            }
            _ => {}
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        if matches!(name, "style" | "default-style") {
            self.key.clear();
        }
    }

    /// The kind of the paragraphs of a style.
    pub(super) fn look(&self, name: &str) -> Look {
        self.chain("paragraph", name).find_map(|style| style.look).unwrap_or_default()
    }

    /// Whether a style is for the paragraphs in the first row of a table.
    pub(super) fn heads_column(&self, name: &str) -> bool {
        self.chain("paragraph", name).any(|style| style.heads_column)
    }

    /// The properties of a style of a family, given those of the enclosing words.
    pub(super) fn words(&self, family: &str, name: &str, around: Words) -> Words {
        let said = |what: fn(&Style) -> Option<bool>| self.chain(family, name).find_map(what);
        Words {
            are_fixed: around.are_fixed || said(|style| style.is_fixed).unwrap_or(false),
            are_hidden: said(|style| style.is_hidden).unwrap_or(around.are_hidden),
            are_bold: said(|style| style.is_bold).unwrap_or(around.are_bold),
            are_struck: said(|style| style.is_struck).unwrap_or(around.are_struck),
            are_raised: said(|style| style.is_raised).unwrap_or(around.are_raised),
        }
    }

    /// Whether all text has a fixed width: then the width does not mark program text.
    pub(super) fn are_fixed(&self) -> bool {
        self.is_fixed || self.words("paragraph", "Standard", Words::default()).are_fixed
    }

    /// A style, followed by its base styles.
    fn chain(&self, family: &str, name: &str) -> impl Iterator<Item = &Style> {
        let first = self.all.get(&key(family, name));
        let family = family.to_owned();
        std::iter::successors(first, move |style| self.all.get(&key(&family, &style.based_on))).take(DEEPEST)
    }
}

/// Whether a position is that of a superscript: "super 58%", "33% 58%".
fn is_raised(position: &str) -> bool {
    let place = position.split_whitespace().next().unwrap_or_default();
    let percent = place.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    place == "super" || percent.is_some_and(|percent| percent > 0.0)
}

fn key(family: &str, name: &str) -> String {
    format!("{family} {name}")
}
