//! The styles of a Word document: the kind of paragraph or word that each is for.

use std::collections::HashMap;

use super::super::look::{Look, Words, heads_column, is_fixed, level};
use super::super::xml::{Element, Reads};

/// The most styles in a chain of base styles.
const DEEPEST: usize = 20;

/// The kind that a style gives, with the style it is based on.
#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    pub(super) look: Look,
    /// The list and the level in it, from 0.
    pub(super) list: Option<(String, usize)>,
    pub(super) words: Words,
    pub(super) heads_column: bool,
}

/// The properties set by the style itself.
#[derive(Default)]
struct Own {
    based_on: String,
    look: Option<Look>,
    list: Option<String>,
    list_level: Option<usize>,
    is_fixed: Option<bool>,
    is_hidden: Option<bool>,
    is_bold: Option<bool>,
    heads_column: bool,
}

#[derive(Default)]
pub(super) struct Styles {
    own: HashMap<String, Own>,
    /// The style that is being read.
    id: String,
    /// The default style of paragraphs.
    default: String,
    /// Whether text has a fixed width unless a style says otherwise.
    is_fixed: bool,
}

impl Styles {
    /// The properties of a style; the default paragraph style if the id is empty.
    pub(super) fn get(&self, id: &str) -> Style {
        let mut style = Style { look: by_id(id).unwrap_or_default(), ..Style::default() };
        let (mut look, mut list, mut list_level) = (None, None, None);
        let (mut fixed, mut hidden, mut bold) = (None, None, None);
        let mut id = if id.is_empty() { &self.default } else { id };
        let is_known = self.own.contains_key(id);
        for _ in 0..DEEPEST {
            let Some(own) = self.own.get(id) else { break };
            look = look.or(own.look);
            list = list.or(own.list.as_ref());
            list_level = list_level.or(own.list_level);
            fixed = fixed.or(own.is_fixed);
            hidden = hidden.or(own.is_hidden);
            bold = bold.or(own.is_bold);
            style.heads_column |= own.heads_column;
            id = &own.based_on;
        }
        style.look = look.unwrap_or(if is_known { Look::Text } else { style.look });
        style.list = list.map(|list| (list.clone(), list_level.unwrap_or(0)));
        style.words = Words {
            are_fixed: fixed.unwrap_or(false),
            are_hidden: hidden.unwrap_or(false),
            are_bold: bold.unwrap_or(false),
            ..Words::default()
        };
        style
    }

    /// Whether all text has a fixed width: then the width does not mark program text.
    pub(super) fn are_fixed(&self) -> bool {
        self.is_fixed || self.get("").words.are_fixed
    }

    fn own(&mut self) -> &mut Own {
        self.own.entry(self.id.clone()).or_default()
    }
}

/// The properties implied by a style's id, if the list of styles lacks it.
fn by_id(id: &str) -> Option<Look> {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    Look::by_name(&format!("{stem} {}", &id[stem.len()..])).or_else(|| Look::by_name(id))
}

impl Reads for Styles {
    fn open(&mut self, element: &Element, parent: &str) {
        let value = || element.get("val").unwrap_or_default().into_owned();
        match element.name() {
            "style" => {
                self.id = element.get("styleid").unwrap_or_default().into_owned();
                if element.is("type", "paragraph") && matches!(element.get("default").as_deref(), Some("1" | "true")) {
                    self.default.clone_from(&self.id);
                }
            }
            "rfonts" if parent == "rpr" => {
                let fixed = ["ascii", "hansi"].iter().find_map(|name| element.get(name)).map(|font| is_fixed(&font));
                match self.id.is_empty() {
                    true => self.is_fixed = fixed.unwrap_or(false),
                    false => self.own().is_fixed = fixed,
                }
            }
            _ if self.id.is_empty() => {}
            "name" if parent == "style" => {
                let name = value();
                let look = Look::by_name(&name);
                // The name says more than the level in the outline.
                let own = self.own();
                own.look = look.or(own.look);
                own.heads_column = heads_column(&name);
                // Words of a style for program text, such as "Verbatim Char".
                own.is_fixed = own.is_fixed.or((look == Some(Look::Code)).then_some(true));
            }
            "basedon" => self.own().based_on = value(),
            "outlinelvl" => {
                let look = match element.number("val") {
                    Some(number @ 0..9) => Look::Heading(level(number + 1)),
                    _ => Look::Text,
                };
                self.own().look.get_or_insert(look);
            }
            "numid" => self.own().list = Some(value()),
            "ilvl" => self.own().list_level = element.number("val"),
            "vanish" if parent == "rpr" => self.own().is_hidden = Some(element.is_on()),
            "b" if parent == "rpr" => self.own().is_bold = Some(element.is_on()),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if name == "style" {
            self.id.clear();
        }
    }

    fn text(&mut self, _: &str) {}
}
