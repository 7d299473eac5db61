//! The paragraphs, lists and tables of a text, in order, to blocks.
//!
//! Paragraphs within another are those of its notes and text boxes: boxes follow it, notes go to the end of their
//! section. Line numbers are numbers of paragraphs.

use super::super::draft::{Draft, Position, TERM_LEVEL, Within};
use super::super::raised::Shift;
use super::super::titles::is_title;
use super::super::{MOST_BYTES, Unread};
use super::look::Look;
use super::table::{Header, Table};
use run::evidence::BlockKind;
use text::Clean;

/// The most nested lists that are distinguished.
const DEEPEST_LIST: usize = 12;
/// The most bytes of a heading: a longer paragraph only looks like one.
const LONGEST_HEADING: usize = 250;
/// The most bytes added by cells that span several rows.
const MOST_REPEATED: usize = 1 << 20;

/// The kind of a paragraph and its place in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) look: Look,
    /// The level of its list, from 1, with the list's name.
    pub(super) item: Option<(usize, String)>,
}

/// Whether the document's title names the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Titled {
    #[default]
    Well,
    /// It is the first heading, and others have the same level.
    ByAPart,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    /// The number of letters of fixed width, and of others.
    fixed: usize,
    other: usize,
}

#[derive(Default)]
pub(super) struct Flow {
    draft: Draft,
    /// The title that the file declares, and the one that its first paragraphs have.
    declared: String,
    title: String,
    is_titled: bool,
    /// The level of the first heading.
    first_level: Option<u8>,
    titled: Titled,
    line: u32,
    open: Vec<Paragraph>,
    /// The number of open notes.
    in_notes: usize,
    notes: Vec<String>,
    boxes: Vec<String>,
    /// Program text, with the line in which it begins.
    code: String,
    code_line: u32,
    /// The introductions of the open lists.
    lists: Vec<Option<Clean>>,
    /// The name and introduction of the outermost list that ended: it may continue.
    ended: Option<(String, Option<Clean>)>,
    list: String,
    /// Terms without a definition yet, and the beginning of the open definition.
    terms: String,
    definition: Option<Position>,
    tables: Vec<Table>,
    /// The number of open tables in notes and boxes: their cells are paragraphs there.
    inner_tables: usize,
    spare: usize,
    /// Bytes of text so far.
    said: u64,
}

impl Flow {
    pub(super) fn new(draft: Draft) -> Flow {
        Flow { draft, spare: MOST_REPEATED, ..Flow::default() }
    }

    /// Sets the title that the file declares, which counts if the text has none.
    pub(super) fn declare(&mut self, title: &str) {
        if self.declared.is_empty() && is_title(title) {
            title.clone_into(&mut self.declared);
        }
    }

    pub(super) fn begin_paragraph(&mut self) {
        self.line += u32::from(self.open.is_empty());
        self.open.push(Paragraph::default());
    }

    pub(super) fn is_in_paragraph(&self) -> bool {
        !self.open.is_empty()
    }

    /// Adds text to the paragraph.
    pub(super) fn say(&mut self, text: &str, is_fixed: bool) {
        let Some(paragraph) = self.open.last_mut() else { return };
        self.said += text.len() as u64;
        if self.said > MOST_BYTES {
            return;
        }
        let letters = text.bytes().filter(|b| !b.is_ascii_whitespace()).count();
        *(if is_fixed { &mut paragraph.fixed } else { &mut paragraph.other }) += letters;
        paragraph.text.push_str(text);
    }

    /// Adds a superscript.
    pub(super) fn say_raised(&mut self, text: &str) {
        let from = self.open.last().map_or(0, |paragraph| paragraph.text.len());
        self.say(text, false);
        if let Some(paragraph) = self.open.last_mut().filter(|paragraph| paragraph.text.len() > from) {
            Shift::Raised.write(&mut paragraph.text, from);
        }
    }

    /// Whether the paragraph's text ends in white space, or there is none.
    pub(super) fn ends_in_space(&self) -> bool {
        self.open.last().is_none_or(|open| open.text.is_empty() || open.text.ends_with([' ', '\n', '\t']))
    }

    /// Ends the paragraph, but not its text: the next one continues it.
    pub(super) fn take_text(&mut self) -> String {
        self.open.pop().unwrap_or_default().text
    }

    pub(super) fn end_paragraph(&mut self, kind: &Kind) {
        let Some(paragraph) = self.open.pop() else { return };
        if kind.look == Look::LeftOut {
            return;
        }
        if self.in_notes > 0 {
            self.notes.push(paragraph.text);
        } else if !self.open.is_empty() {
            self.boxes.push(paragraph.text);
        } else {
            self.put(paragraph, kind);
            for text in std::mem::take(&mut self.boxes) {
                self.put(Paragraph { text, ..Paragraph::default() }, &Kind::default());
            }
        }
    }

    /// Begins a note: its paragraphs wait for the end of the section.
    pub(super) fn begin_note(&mut self) {
        self.in_notes += 1;
    }

    pub(super) fn end_note(&mut self) {
        self.in_notes = self.in_notes.saturating_sub(1);
    }

    /// Adds the paragraphs of a note from elsewhere.
    pub(super) fn note(&mut self, paragraphs: Vec<String>) {
        self.notes.extend(paragraphs);
    }

    /// All notes so far, for a part of the file that has only notes.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn put(&mut self, paragraph: Paragraph, kind: &Kind) {
        if let Some(table) = self.tables.last_mut().filter(|table| !table.is_layout) {
            if table.in_cell {
                table.say(&paragraph.text);
            }
            return;
        }
        let Paragraph { text, fixed, other } = paragraph;
        let is_in_code = !self.code.is_empty();
        let may_be_blank = is_in_code || kind.look == Look::Code;
        if !may_be_blank && !text.chars().any(char::is_alphanumeric) {
            return;
        }
        match kind.look {
            _ if kind.item.is_some() && !matches!(kind.look, Look::Heading(_) | Look::Title) => {
                self.begin_item(kind);
                let intro = self.lists.last().and_then(Option::as_ref);
                self.draft.text(Within::Item(intro), &text, self.line);
            }
            // A blank line within program text; blank lines at its end are left out.
            _ if text.trim().is_empty() => self.code.push_str(if is_in_code { "\n" } else { "" }),
            look if look == Look::Code || look == Look::Text && fixed > 0 && other == 0 => {
                self.begin_block();
                if !is_in_code {
                    self.code_line = self.line;
                }
                self.code.push_str(&text);
                self.code.push('\n');
            }
            Look::Heading(level) if text.len() <= LONGEST_HEADING => self.heading(level, &text),
            Look::Title if self.draft.len() == 0 && !self.is_titled => {
                self.title.push_str(&text);
                self.title.push(' ');
            }
            Look::Title if text.len() <= LONGEST_HEADING => self.heading(1, &text),
            Look::Term => {
                self.begin_block();
                self.end_code();
                self.terms.push_str(if self.terms.is_empty() { "" } else { ", " });
                self.terms.push_str(text.trim());
            }
            Look::Definition => {
                self.end_code();
                if !self.terms.is_empty() {
                    let terms = std::mem::take(&mut self.terms);
                    self.end_definition();
                    self.draft.term(TERM_LEVEL, &terms);
                    self.definition = Some(self.draft.position());
                }
                self.draft.push(BlockKind::Paragraph, None, &text, self.line);
            }
            Look::Continued => {
                self.end_code();
                self.settle_title();
                self.draft.text(Within::innermost(&self.lists), &text, self.line);
            }
            _ => {
                self.begin_block();
                self.end_code();
                self.end_definitions();
                self.draft.push(BlockKind::Paragraph, None, &text, self.line);
            }
        }
    }

    /// Ends lists before a block that is not part of one.
    fn begin_block(&mut self) {
        self.settle_title();
        self.end_lists();
    }

    fn end_definition(&mut self) {
        if let Some(mark) = self.definition.take() {
            self.draft.fold_short_definition(mark, TERM_LEVEL);
            self.draft.close(TERM_LEVEL);
        }
    }

    /// Ends definitions before text that is not part of one.
    fn end_definitions(&mut self) {
        self.end_definition();
        let terms = std::mem::take(&mut self.terms);
        self.draft.push(BlockKind::Paragraph, None, &terms, self.line);
    }

    fn heading(&mut self, level: u8, text: &str) {
        self.end_code();
        self.begin_block();
        self.ended = None;
        self.end_definitions();
        self.write_notes();
        match self.first_level {
            None => self.first_level = Some(level),
            Some(first) if level <= first && self.title.is_empty() && self.declared.is_empty() => {
                self.titled = Titled::ByAPart;
            }
            Some(_) => {}
        }
        self.draft.heading(level, text);
    }

    /// Settles the title of the document, once other text begins.
    fn settle_title(&mut self) {
        if !std::mem::replace(&mut self.is_titled, true) {
            self.draft.page_title(&self.title);
            self.draft.page_title(&self.declared);
        }
    }

    fn begin_item(&mut self, kind: &Kind) {
        let Some((level, name)) = &kind.item else { return };
        self.end_code();
        self.settle_title();
        let depth = (*level).clamp(1, DEEPEST_LIST);
        if depth == 1 && *name != self.list {
            self.end_lists();
        }
        self.lists.truncate(depth);
        while self.lists.len() < depth {
            let intro = self.draft.list_intro(!self.lists.is_empty());
            let intro = match &mut self.ended {
                Some((ended, known)) if self.lists.is_empty() && ended == name => known.take().or(intro),
                _ => intro,
            };
            self.lists.push(intro);
        }
        self.list.clone_from(name);
    }

    fn end_lists(&mut self) {
        if let Some(intro) = self.lists.drain(..).next() {
            self.ended = Some((std::mem::take(&mut self.list), intro));
        }
    }

    fn end_code(&mut self) {
        let code = std::mem::take(&mut self.code);
        if !code.is_empty() {
            self.draft.push(BlockKind::Code, None, &code, self.code_line);
        }
    }

    fn write_notes(&mut self) {
        for note in std::mem::take(&mut self.notes) {
            self.draft.push(BlockKind::Paragraph, None, &note, self.line);
        }
    }

    /// Begins a table. A table within a cell makes the outer one layout.
    pub(super) fn begin_table(&mut self) {
        if self.in_notes > 0 || !self.open.is_empty() {
            self.inner_tables += 1;
            return;
        }
        self.end_code();
        self.begin_block();
        self.end_definitions();
        if let Some(around) = self.tables.last_mut().filter(|around| around.in_cell && !around.is_layout) {
            around.break_open(self.line, &mut self.draft);
        }
        self.tables.push(Table::default());
    }

    fn table(&mut self) -> Option<&mut Table> {
        if self.inner_tables > 0 { None } else { self.tables.last_mut() }
    }

    pub(super) fn add_columns(&mut self, count: usize) {
        if let Some(table) = self.table() {
            table.add_columns(count);
        }
    }

    pub(super) fn begin_cell(&mut self) {
        if let Some(table) = self.table() {
            table.begin_cell();
        }
    }

    /// Ends a cell of this many columns. `reaches_down` if it continues the one above.
    pub(super) fn end_cell(&mut self, columns: usize, reaches_down: bool) {
        let mut spare = self.spare;
        if let Some(table) = self.table() {
            table.end_cell(columns, reaches_down, &mut spare);
        }
        self.spare = spare;
    }

    pub(super) fn end_row(&mut self, header: Header) {
        if self.inner_tables == 0
            && let Some(table) = self.tables.last_mut()
        {
            table.end_row(header, self.line, &mut self.draft);
        }
    }

    pub(super) fn drop_row(&mut self) {
        if let Some(table) = self.table() {
            table.drop_row();
        }
    }

    pub(super) fn end_table(&mut self) {
        if self.inner_tables > 0 {
            self.inner_tables -= 1;
            return;
        }
        self.end_code();
        if let Some(mut table) = self.tables.pop() {
            table.settle(&mut self.draft);
        }
    }

    /// Ends the text: returns its blocks, and whether its title names it.
    pub(super) fn finish(mut self) -> Result<(Draft, Titled), Unread> {
        self.end_code();
        self.begin_block();
        self.end_definitions();
        self.write_notes();
        if self.said > MOST_BYTES { Err(Unread::TooMuchText) } else { Ok((self.draft, self.titled)) }
    }
}
