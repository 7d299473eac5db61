//! The state while a Word document is parsed.

use std::collections::HashMap;

use super::super::flow::{Flow, Kind};
use super::super::look::{Look, Words, is_fixed, level};
use super::super::table::Header;
use super::super::xml::{Element, Reads};
use super::field::{self, Fields};
use super::styles::{Style, Styles};

/// The properties of an open paragraph.
#[derive(Default)]
struct Paragraph {
    style: Style,
    style_id: String,
    outline: Option<usize>,
    list: Option<String>,
    list_level: Option<usize>,
    /// Whether the next paragraph continues it: its end was deleted, or it is only a large initial.
    goes_on: bool,
}

#[derive(Default)]
struct Row {
    header: Header,
    /// Whether all its paragraphs so far have a style for column headings, and all its words are bold.
    heads_columns: bool,
    is_bold: bool,
    is_deleted: bool,
    columns: usize,
    reaches_down: bool,
}

pub(super) struct Word<'a> {
    styles: &'a Styles,
    /// Whether a fixed letter width marks program text.
    tells_width: bool,
    pub(super) flow: Flow,
    /// The paragraphs of notes by their kind and id.
    pub(super) notes: HashMap<String, Vec<String>>,
    note: Option<String>,
    /// The number of open elements that are skipped.
    skipping: usize,
    /// Whether each open control is skipped, and the number of those.
    controls: Vec<bool>,
    controls_out: usize,
    /// Whether each open choice between alternatives already has one.
    choices: Vec<bool>,
    fields: Fields,
    paragraphs: Vec<Paragraph>,
    /// The number of open paragraph properties.
    in_properties: usize,
    words: Words,
    in_text: bool,
    in_instruction: bool,
    /// Text at the beginning of the next paragraph.
    carried: String,
    /// For each open table, whether its design formats the first row differently.
    tables: Vec<bool>,
    rows: Vec<Row>,
}

impl<'a> Word<'a> {
    /// A reader with the notes that the text refers to.
    pub(super) fn new(styles: &'a Styles, flow: Flow, notes: HashMap<String, Vec<String>>) -> Word<'a> {
        Word {
            styles,
            tells_width: !styles.are_fixed(),
            flow,
            notes,
            note: None,
            skipping: 0,
            controls: Vec::new(),
            controls_out: 0,
            choices: Vec::new(),
            fields: Fields::default(),
            paragraphs: Vec::new(),
            in_properties: 0,
            words: Words::default(),
            in_text: false,
            in_instruction: false,
            carried: String::new(),
            tables: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn is_read(&self) -> bool {
        let are_shown = !self.words.are_hidden && !self.words.are_struck;
        self.skipping == 0 && self.controls_out == 0 && self.fields.are_text() && are_shown
    }

    fn say(&mut self, text: &str) {
        if self.is_read() {
            match self.words.are_raised {
                true => self.flow.say_raised(text),
                false => self.flow.say(text, self.words.are_fixed && self.tells_width),
            }
            if let Some(row) = self.rows.last_mut() {
                row.is_bold &= self.words.are_bold || text.trim().is_empty();
            }
        }
    }

    /// Whether an element is skipped with everything in it.
    fn is_left_out(&mut self, element: &Element, parent: &str) -> bool {
        match element.name() {
            "del" | "movefrom" => !matches!(parent, "rpr" | "trpr"),
            "pprchange" | "rprchange" | "tblgridchange" | "tblprchange" | "trprchange" | "tcprchange" | "sectpr"
            | "rt" => true,
            // One of several alternatives.
            "choice" | "fallback" if parent == "alternatecontent" => {
                self.choices.last_mut().is_some_and(|had| std::mem::replace(had, true))
            }
            "footnote" | "endnote" => element.get("type").is_some_and(|kind| kind != "normal"),
            "fldsimple" => field::is_left_out(&element.get("instr").unwrap_or_default()),
            "omath" => {
                self.say(crate::html::FORMULA);
                true
            }
            _ => false,
        }
    }

    fn open_property(&mut self, element: &Element, parent: &str) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        match element.name() {
            "pstyle" => {
                paragraph.style_id = element.get("val").unwrap_or_default().into_owned();
                paragraph.style = self.styles.get(&paragraph.style_id);
                // An unclosed table of contents would swallow the whole text.
                if matches!(paragraph.style.look, Look::Heading(_)) {
                    self.fields = Fields::default();
                }
            }
            "numid" => paragraph.list = element.get("val").map(Into::into),
            "ilvl" => paragraph.list_level = element.number("val"),
            "outlinelvl" => paragraph.outline = element.number("val"),
            "del" | "movefrom" if parent == "rpr" => paragraph.goes_on = true,
            // A large initial.
            "framepr" if element.get("dropcap").is_some_and(|kind| kind != "none") => paragraph.goes_on = true,
            _ => {}
        }
    }

    fn open_text(&mut self, element: &Element, parent: &str) {
        match element.name() {
            "r" => self.words = self.words_of(""),
            "rstyle" => self.words = self.words_of(&element.get("val").unwrap_or_default()),
            "rfonts" => {
                let font = ["ascii", "hansi"].iter().find_map(|name| element.get(name));
                self.words.are_fixed = font.map_or(self.words.are_fixed, |font| is_fixed(&font));
            }
            "vanish" => self.words.are_hidden = element.is_on(),
            "strike" | "dstrike" => self.words.are_struck = element.is_on(),
            "vertalign" => self.words.are_raised = element.is("val", "superscript"),
            "b" => self.words.are_bold = element.is_on(),
            "t" => self.in_text = true,
            "instrtext" => self.in_instruction = true,
            "tab" | "ptab" if parent != "tabs" => self.say("\t"),
            "br" if matches!(element.get("type").as_deref(), Some("page" | "column")) => self.say(" "),
            "br" | "cr" => self.say("\n"),
            "nobreakhyphen" => self.say("-"),
            "fldchar" => self.fields.mark(&element.get("fldchartype").unwrap_or_default()),
            name @ ("footnotereference" | "endnotereference") if self.is_read() => {
                let key = key_of_note(name.trim_end_matches("reference"), element);
                if let Some(note) = self.notes.remove(&key) {
                    self.flow.note(note);
                }
            }
            _ => {}
        }
    }

    /// The properties of words with a style, or of the paragraph's words.
    fn words_of(&self, id: &str) -> Words {
        let around = self.paragraphs.last().map(|paragraph| paragraph.style.words).unwrap_or_default();
        if id.is_empty() {
            return around;
        }
        let own = self.styles.get(id).words;
        Words {
            are_fixed: around.are_fixed || own.are_fixed,
            are_hidden: around.are_hidden || own.are_hidden,
            are_bold: around.are_bold || own.are_bold,
            ..around
        }
    }

    fn open_table(&mut self, element: &Element, parent: &str) {
        match (element.name(), self.rows.last_mut()) {
            ("tbl", _) => {
                self.flow.begin_table();
                self.tables.push(false);
                self.rows.push(Row::default());
            }
            ("gridcol", _) => self.flow.add_columns(1),
            ("tbllook", _) => {
                let bits = element.get("val").and_then(|bits| usize::from_str_radix(&bits, 16).ok()).unwrap_or(0);
                let is_set = element.get("firstrow").map_or(bits & 0x20 != 0, |is| is == "1" || is == "true");
                if let Some(has_first_row) = self.tables.last_mut() {
                    *has_first_row = is_set;
                }
            }
            ("tr", Some(row)) => {
                let header = if self.tables.last() == Some(&true) { Header::Perhaps } else { Header::No };
                *row = Row { header, heads_columns: true, is_bold: true, ..Row::default() };
            }
            ("tblheader", Some(row)) if element.is_on() => row.header = Header::Yes,
            ("del", Some(row)) if parent == "trpr" => row.is_deleted = true,
            ("tc", Some(row)) => {
                (row.columns, row.reaches_down) = (1, false);
                self.flow.begin_cell();
            }
            ("gridspan", Some(row)) => row.columns = element.number("val").unwrap_or(1),
            ("vmerge", Some(row)) => row.reaches_down = !element.is("val", "restart"),
            _ => {}
        }
    }

    fn close_table(&mut self, name: &str) {
        match (name, self.rows.last()) {
            ("tc", Some(row)) => self.flow.end_cell(row.columns, row.reaches_down),
            ("tr", Some(row)) => match row.is_deleted {
                true => self.flow.drop_row(),
                false if row.heads_columns => self.flow.end_row(Header::Yes),
                false if row.is_bold => self.flow.end_row(row.header.max(Header::Perhaps)),
                false => self.flow.end_row(row.header),
            },
            ("tbl", _) => {
                self.flow.end_table();
                self.tables.pop();
                self.rows.pop();
            }
            _ => {}
        }
    }

    fn begin_paragraph(&mut self) {
        self.flow.begin_paragraph();
        self.paragraphs.push(Paragraph { style: self.styles.get(""), ..Paragraph::default() });
        if self.paragraphs.len() == 1 {
            let carried = std::mem::take(&mut self.carried);
            self.flow.say(&carried, false);
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        self.fields.end_paragraph();
        if paragraph.goes_on && self.paragraphs.is_empty() {
            self.carried = self.flow.take_text();
            return;
        }
        if let Some(row) = self.rows.last_mut() {
            row.heads_columns &= paragraph.style.heads_column;
        }
        self.flow.end_paragraph(&kind(&paragraph));
    }
}

/// The kind of a paragraph, by its own properties and by its style.
fn kind(paragraph: &Paragraph) -> Kind {
    let Paragraph { style, .. } = paragraph;
    let look = match paragraph.outline {
        Some(outline @ 0..9) if style.look == Look::Text => Look::Heading(level(outline + 1)),
        _ => style.look,
    };
    let by_style = style.list.clone().or_else(|| (look == Look::Item).then(|| (paragraph.style_id.clone(), 0)));
    let (list, by_style_level) = by_style.unwrap_or_default();
    let list = paragraph.list.clone().unwrap_or(list);
    let has_list = !list.is_empty() && list != "0";
    let item = has_list.then(|| (paragraph.list_level.unwrap_or(by_style_level).saturating_add(1), list));
    Kind { look, item }
}

fn key_of_note(kind: &str, element: &Element) -> String {
    format!("{kind} {}", element.get("id").unwrap_or_default())
}

impl Reads for Word<'_> {
    fn open(&mut self, element: &Element, parent: &str) {
        if self.skipping > 0 || self.is_left_out(element, parent) {
            self.skipping += 1;
            return;
        }
        match element.name() {
            "p" => self.begin_paragraph(),
            "ppr" => self.in_properties += 1,
            _ if self.in_properties > 0 => self.open_property(element, parent),
            "alternatecontent" => self.choices.push(false),
            "sdt" => self.controls.push(false),
            // The placeholder of an empty control, or a table of contents.
            "showingplchdr" | "docpartgallery"
                if element.name() == "showingplchdr" || element.is("val", "Table of Contents") =>
            {
                if let Some(is_out) = self.controls.last_mut() {
                    self.controls_out += usize::from(!std::mem::replace(is_out, true));
                }
            }
            name @ ("footnote" | "endnote") if parent == "footnotes" || parent == "endnotes" => {
                self.note = Some(key_of_note(name, element));
            }
            "tbl" | "gridcol" | "tbllook" | "tr" | "tblheader" | "tc" | "gridspan" | "vmerge" | "del" => {
                self.open_table(element, parent);
            }
            _ => self.open_text(element, parent),
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipping > 0 {
            self.skipping -= 1;
            return;
        }
        match name {
            "p" => self.end_paragraph(),
            "ppr" => self.in_properties = self.in_properties.saturating_sub(1),
            "alternatecontent" => drop(self.choices.pop()),
            "sdt" => self.controls_out -= usize::from(self.controls.pop().unwrap_or(false)),
            "footnote" | "endnote" => {
                let paragraphs = self.flow.take_notes();
                if let Some(key) = self.note.take() {
                    self.notes.entry(key).or_insert(paragraphs);
                }
            }
            "t" => self.in_text = false,
            "instrtext" => self.in_instruction = false,
            // Text outside of runs has the properties of the paragraph.
            "r" => self.words = Words::default(),
            _ => self.close_table(name),
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_instruction {
            self.fields.instruct(text);
        } else if self.in_text && self.skipping == 0 {
            self.say(&text.replace(['\n', '\r'], " "));
        }
    }
}
