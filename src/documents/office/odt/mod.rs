//! OpenDocument texts (.odt, and .fodt in a single file) to blocks: the text as it would be printed, with all changes accepted.
//!
//! Deleted and hidden text, comments, tables of contents, indices, headers and footers are dropped; notes go to the end
//! of their section.

mod styles;

use std::collections::HashSet;

use super::archive::Archive;
use super::flow::{Flow, Kind, Titled};
use super::look::{Look, Words, level};
use super::table::{Header, MOST_COLUMNS};
use super::xml::{self, Element, Reads};
use super::{Draft, Fault, Unread};
use styles::Styles;

pub(super) const CONTENT: &str = "content.xml";

/// The most spaces of one element.
const MOST_SPACES: usize = 80;

pub(super) fn parse(archive: &mut Archive<'_>, draft: &mut Draft) -> Result<Titled, Unread> {
    let mut manifest = Manifest::default();
    if let Some(text) = archive.text("META-INF/manifest.xml")? {
        xml::read(&text, "the list of its parts", &mut manifest)?;
    }
    if manifest.is_encrypted {
        return Err(Fault::Locked.into());
    }
    let mut odt = Odt { flow: Flow::new(std::mem::take(draft)), formulas: manifest.formulas, ..Odt::default() };
    for (part, what) in
        [("meta.xml", "its description"), ("styles.xml", "the list of its styles"), (CONTENT, "its text")]
    {
        if let Some(text) = archive.text(part)? {
            xml::read(&text, what, &mut odt)?;
        }
    }
    odt.finish(draft)
}

pub(super) fn parse_flat(text: &str, draft: &mut Draft) -> Result<Titled, Unread> {
    let mut odt = Odt { flow: Flow::new(std::mem::take(draft)), ..Odt::default() };
    xml::read(text, "its text", &mut odt)?;
    odt.finish(draft)
}

/// The parts of a document: whether any is encrypted, and which are formulas.
#[derive(Default)]
struct Manifest {
    is_encrypted: bool,
    formulas: HashSet<String>,
}

impl Reads for Manifest {
    fn open(&mut self, element: &Element, _: &str) {
        self.is_encrypted |= element.name() == "encryption-data";
        if element.is("media-type", "application/vnd.oasis.opendocument.formula")
            && let Some(part) = element.get("full-path")
        {
            self.formulas.insert(part.trim_end_matches('/').to_owned());
        }
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

#[derive(Default)]
struct Cell {
    columns: usize,
    copies: usize,
    reaches_down: bool,
}

#[derive(Default)]
struct Row {
    is_header: bool,
    /// The columns that the previous cell still covers.
    covered: usize,
    cell: Cell,
    /// Whether all its paragraphs so far have a style for column headings.
    heads_columns: bool,
    /// Whether all its words so far are bold.
    is_bold: bool,
}

#[derive(Default)]
struct Odt {
    flow: Flow,
    styles: Styles,
    formulas: HashSet<String>,
    /// Whether the text of the document is open, and whether there was one.
    in_body: bool,
    had_body: bool,
    in_title: bool,
    title: String,
    skipping: usize,
    /// The names of the open lists.
    lists: Vec<String>,
    list_number: usize,
    /// The open paragraphs: style, and the level of a heading.
    paragraphs: Vec<(String, Option<u8>)>,
    spans: Vec<Words>,
    rows: Vec<Row>,
}

impl Odt {
    fn finish(self, draft: &mut Draft) -> Result<Titled, Unread> {
        if !self.had_body {
            return Err(Fault::NoDocument.into());
        }
        let (read, titled) = self.flow.finish()?;
        *draft = read;
        Ok(titled)
    }

    /// Whether an element is dropped with everything in it.
    fn is_left_out(element: &Element, parent: &str) -> bool {
        match element.name() {
            "tracked-changes" | "table-of-content" | "alphabetical-index" | "illustration-index" | "table-index"
            | "object-index" | "user-index" | "bibliography" | "annotation" | "note-citation" | "hidden-text"
            | "hidden-paragraph" | "ruby-text" | "number" | "forms" | "script" | "desc" | "event-listeners"
            | "binary-data" => true,
            // That of a picture; a field with the title of the document is text.
            "title" => !matches!(parent, "p" | "h" | "span" | "a"),
            "section" => element.is("display", "none"),
            _ => false,
        }
    }

    /// The properties of the words that follow.
    fn words(&self) -> Words {
        self.spans.last().copied().unwrap_or_default()
    }

    fn say(&mut self, text: &str) {
        let words = self.words();
        if !words.are_hidden && !words.are_struck {
            match words.are_raised {
                true => self.flow.say_raised(text),
                false => self.flow.say(text, words.are_fixed && !self.styles.are_fixed()),
            }
            if let Some(row) = self.rows.last_mut() {
                row.is_bold &= words.are_bold || text.trim().is_empty();
            }
        }
    }

    fn begin_paragraph(&mut self, element: &Element) {
        let style = element.get("style-name").unwrap_or_default().into_owned();
        let heading = (element.name() == "h").then(|| level(element.number("outline-level").unwrap_or(1)));
        self.spans.push(self.styles.words("paragraph", &style, Words::default()));
        self.flow.begin_paragraph();
        self.paragraphs.push((style, heading));
    }

    fn end_paragraph(&mut self) {
        let Some((style, heading)) = self.paragraphs.pop() else { return };
        self.spans.pop();
        let look = match (heading, self.styles.look(&style)) {
            (_, Look::LeftOut) => Look::LeftOut,
            (Some(level), _) => Look::Heading(level),
            (None, look) => look,
        };
        if let Some(row) = self.rows.last_mut() {
            row.heads_columns &= self.styles.heads_column(&style);
        }
        let item = self.lists.last().map(|_| (self.lists.len(), self.lists[0].clone()));
        self.flow.end_paragraph(&Kind { look, item });
    }

    fn begin_list(&mut self, element: &Element) {
        let style = element.get("style-name").map(|style| style.into_owned());
        let continues = element.is("continue-numbering", "true") || element.get("continue-list").is_some();
        if !continues && self.lists.is_empty() {
            self.list_number += 1;
        }
        // A list that goes on has the name of the one before.
        self.lists.push(format!("{} {}", style.unwrap_or_default(), self.list_number));
    }

    fn open_in_body(&mut self, element: &Element) {
        match element.name() {
            "p" | "h" => self.begin_paragraph(element),
            "span" => {
                let style = element.get("style-name").unwrap_or_default();
                self.spans.push(self.styles.words("text", &style, self.words()));
            }
            "s" => self.say(&" ".repeat(element.number("c").unwrap_or(1).min(MOST_SPACES))),
            "tab" => self.say("\t"),
            "line-break" => self.say("\n"),
            "note" => self.flow.begin_note(),
            "list" => self.begin_list(element),
            "object" => {
                let part = element.get("href").unwrap_or_default();
                if self.formulas.contains(part.trim_start_matches("./").trim_end_matches('/')) {
                    self.say(crate::html::FORMULA);
                }
            }
            "math" => self.say(crate::html::FORMULA),
            _ => self.open_in_table(element),
        }
    }

    fn open_in_table(&mut self, element: &Element) {
        let repeated = |name: &str| element.number(name).unwrap_or(1).clamp(1, MOST_COLUMNS);
        match (element.name(), self.rows.last_mut()) {
            ("table", _) => {
                self.flow.begin_table();
                self.rows.push(Row::default());
            }
            ("table-column", _) => self.flow.add_columns(repeated("number-columns-repeated")),
            ("table-header-rows", Some(row)) => row.is_header = true,
            ("table-row", Some(row)) => (row.covered, row.heads_columns, row.is_bold) = (0, true, true),
            ("table-cell", Some(row)) => {
                let columns = repeated("number-columns-spanned");
                row.covered = columns - 1;
                row.cell = Cell { columns, copies: repeated("number-columns-repeated"), reaches_down: false };
                self.flow.begin_cell();
            }
            // A cell to the right of a wide one, or below a high one.
            ("covered-table-cell", Some(row)) => {
                let columns = repeated("number-columns-repeated");
                let right = columns.min(row.covered);
                row.covered -= right;
                row.cell = Cell { columns: columns - right, copies: 1, reaches_down: true };
                if columns > right {
                    self.flow.begin_cell();
                }
            }
            _ => {}
        }
    }

    fn close_in_body(&mut self, name: &str) {
        match (name, self.rows.last_mut()) {
            ("p" | "h", _) => self.end_paragraph(),
            ("span", _) => drop(self.spans.pop()),
            ("note", _) => self.flow.end_note(),
            ("list", _) => drop(self.lists.pop()),
            ("table-cell" | "covered-table-cell", Some(row)) if row.cell.columns > 0 => {
                let Cell { columns, copies, reaches_down } = std::mem::take(&mut row.cell);
                self.flow.end_cell(columns * copies, reaches_down);
            }
            ("table-header-rows", Some(row)) => row.is_header = false,
            ("table-row", Some(row)) => {
                let header = match row {
                    Row { is_header: true, .. } | Row { heads_columns: true, .. } => Header::Yes,
                    Row { is_bold: true, .. } => Header::Perhaps,
                    _ => Header::No,
                };
                self.flow.end_row(header);
            }
            ("table", _) => {
                self.rows.pop();
                self.flow.end_table();
            }
            _ => {}
        }
    }
}

impl Reads for Odt {
    fn open(&mut self, element: &Element, parent: &str) {
        if self.skipping > 0 || self.in_body && Odt::is_left_out(element, parent) {
            self.skipping += 1;
            return;
        }
        match element.name() {
            "text" if parent == "body" => (self.in_body, self.had_body) = (true, true),
            "title" if parent == "meta" => self.in_title = true,
            _ if self.in_body => self.open_in_body(element),
            _ => self.styles.open(element, parent),
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipping > 0 {
            self.skipping -= 1;
            return;
        }
        match name {
            "text" => self.in_body = false,
            "title" if self.in_title => {
                self.in_title = false;
                self.flow.declare(&self.title);
            }
            _ if self.in_body => self.close_in_body(name),
            _ => self.styles.close(name),
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        }
        if !self.in_body || self.skipping > 0 || !self.flow.is_in_paragraph() {
            return;
        }
        // White space is one space; more of it has elements.
        let mut said = String::with_capacity(text.len());
        let mut had = self.flow.ends_in_space();
        for c in text.chars() {
            let is_space = matches!(c, ' ' | '\n' | '\t' | '\r');
            if !(is_space && had) {
                said.push(if is_space { ' ' } else { c });
            }
            had = is_space;
        }
        self.say(&said);
    }
}

#[cfg(test)]
mod tests;
