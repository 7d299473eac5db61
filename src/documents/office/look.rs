//! The kind of a paragraph by the name of its style and its font: a heading, the title, program text, or one to drop.

/// The kind of the paragraphs of a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Look {
    #[default]
    Text,
    /// A heading of this level.
    Heading(u8),
    /// The title of the document.
    Title,
    /// Program text.
    Code,
    /// Continues an item of a list.
    Continued,
    /// An item of a list.
    Item,
    /// A term, and its definition.
    Term,
    Definition,
    /// An entry in a table of contents or an index, or the heading above them.
    LeftOut,
}

/// The text properties of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Whether all letters have the same width, as in program text.
    pub(super) are_fixed: bool,
    pub(super) are_hidden: bool,
    pub(super) are_bold: bool,
    /// Whether they are struck out, and no longer apply.
    pub(super) are_struck: bool,
    /// Whether they are a superscript.
    pub(super) are_raised: bool,
}

impl Look {
    /// The kind that the name of a style implies; None if it implies none.
    pub(super) fn by_name(name: &str) -> Option<Look> {
        let name = name.to_lowercase();
        let (stem, number) = match name.rsplit_once(' ') {
            Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => (stem, number),
            _ => (name.as_str(), ""),
        };
        Some(match stem {
            "heading" if !number.is_empty() => Look::Heading(level(number.parse().unwrap_or(1))),
            "title" => Look::Title,
            // It is based on the title.
            "subtitle" => Look::Text,
            "toc" | "contents" | "index" if !number.is_empty() => Look::LeftOut,
            "toc heading"
            | "contents heading"
            | "index heading"
            | "table of figures"
            | "table of authorities"
            | "toa heading" => Look::LeftOut,
            "list bullet" | "list number" => Look::Item,
            "list continue" => Look::Continued,
            "definition term" | "list heading" => Look::Term,
            "definition" | "definition definition" | "list contents" => Look::Definition,
            _ if is_code(stem) => Look::Code,
            _ => return None,
        })
    }
}

/// A heading level, limited: formats have more levels than are useful.
pub(super) fn level(number: usize) -> u8 {
    u8::try_from(number.clamp(1, 9)).unwrap_or(9)
}

/// Whether a style is for program text, by its lower-case name.
fn is_code(name: &str) -> bool {
    const WITHIN: [&str; 6] =
        ["sourcecode", "codeblock", "preformatted", "programlisting", "program listing", "verbatim"];
    WITHIN.iter().any(|part| name.contains(part))
        || name == "macro"
        || name.split(|c: char| !c.is_alphanumeric()).any(|word| word == "code")
}

/// Whether a style is for the paragraphs that name the columns of a table.
pub(super) fn heads_column(name: &str) -> bool {
    ["table heading", "table header"].iter().any(|heads| name.eq_ignore_ascii_case(heads))
}

/// Whether all letters of a font have the same width.
pub(super) fn is_fixed(font: &str) -> bool {
    const FIXED: [&str; 13] = [
        "andale mono",
        "cascadia",
        "consolas",
        "courier",
        "fixed",
        "inconsolata",
        "lucida console",
        "menlo",
        "monaco",
        "monospace",
        "source code",
        "terminal",
        "typewriter",
    ];
    let font = font.to_lowercase();
    FIXED.iter().any(|part| font.contains(part))
        || font.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "mono" | "code"))
}
