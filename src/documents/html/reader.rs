//! The state while a page is parsed: open elements, collected text, and the draft being filled.

mod terms;

use std::collections::HashMap;

use html5gum::StartTag;

use super::super::draft::{Draft, Within};
use super::super::plain;
use super::super::raised::Shift;
use super::chapter::Chapter;
use super::element::{Region, Role, is_formula, is_redirect, is_void, leads_on, role, seems_around, surrounds};
use super::table::{Table, span};
use run::evidence::BlockKind;
use text::Clean;

pub(super) use terms::Terms;

/// The most open elements; deeper ones are parsed as if at this depth.
pub(super) const DEEPEST: usize = 512;

/// The most bytes of a page that only redirects to another.
const LONGEST_FAREWELL: u64 = 400;

/// Replaces a formula, which is not parsed: sentences with it are incomplete.
pub(in super::super) const FORMULA: &str = "\u{25a1}";

/// The text of a link that only marks that it leads out of the site.
const LEADS_OUT: &str = "[*]";

type Is = fn(Role) -> bool;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Drop {
    /// Scripts and the like only.
    Nothing,
    /// Also marked page furniture, and lines of only links.
    #[default]
    Menus,
    /// Also likely furniture, and lines of mostly links.
    Surroundings,
}

#[derive(Default)]
pub(super) struct Open {
    pub(super) name: Box<[u8]>,
    pub(super) role: Role,
    /// Whether it opened the region that is extracted.
    pub(super) region: bool,
    /// The separator between its children.
    pub(super) between: Option<Between>,
    /// The text appended at its end.
    pub(super) after: &'static str,
    /// The bytes of text before a superscript or a subscript.
    pub(super) shifted: Option<(Shift, usize)>,
    /// Whether it is program text with which its block begins.
    pub(super) begins_in_code: bool,
}

/// The separator between the children of an element, such as the keys of a shortcut.
#[derive(Clone, Copy)]
pub(super) struct Between {
    pub(super) separator: &'static str,
    /// The length of the text before the first child; None until there is one.
    pub(super) from: Option<usize>,
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) draft: Draft,
    pub(super) is_xml: bool,
    pub(super) chapter: Option<Chapter>,
    /// Whether the source is XML and contains one manual page.
    pub(super) is_manual_page: bool,
    region: Option<Region>,
    drop: Drop,
    first_line: u32,
    pub(super) stack: Vec<Open>,
    open: HashMap<Box<[u8]>, u32>,
    in_region: u32,
    pub(super) skipping: u32,
    pre: u32,
    links: u32,
    in_title: bool,
    /// Whether the page redirects a browser to another.
    leaves: bool,
    /// Whether something was dropped right before: the space before it may be superfluous.
    left_out: bool,
    pub(super) text: String,
    /// Bytes of `text` without white space, inside links and outside.
    linked: usize,
    unlinked: usize,
    /// The length of the text when the program text with which it begins ended.
    code_end: Option<usize>,
    pub(super) line: u32,
    lists: Vec<Option<Clean>>,
    items: u32,
    pub(super) terms: Vec<Terms>,
    /// The name of the manual page, with its section.
    pub(super) manual: String,
    pub(super) tables: Vec<Table>,
}

impl Reader {
    pub(super) fn new(draft: Draft, region: Option<Region>, drop: Drop, first_line: u32) -> Self {
        Reader { draft, region, drop, first_line, line: first_line, ..Reader::default() }
    }

    /// A reader of an XML document, in which nothing is a menu.
    pub(super) fn of_xml(draft: Draft) -> Self {
        Reader { is_xml: true, ..Reader::new(draft, None, Drop::Nothing, 1) }
    }

    pub(super) fn of_chapter(draft: Draft, chapter: Chapter) -> Self {
        let reader = Reader::new(draft, None, Drop::Menus, chapter.first_line);
        Reader { chapter: Some(chapter), ..reader }
    }

    /// Whether an element of this name is open.
    pub(super) fn is_within(&self, name: &[u8]) -> bool {
        self.open.get(name).is_some_and(|count| *count > 0)
    }

    fn reading(&self) -> bool {
        self.skipping == 0 && (self.in_title || self.region.is_none() || self.in_region > 0)
    }

    pub(super) fn text(&mut self, text: &str, lines: u32) {
        match (self.reading(), self.is_xml) {
            (false, _) => {}
            _ if self.is_mark(text) || self.links > 0 && text.trim() == LEADS_OUT => {}
            (true, true) => self.text_of_element(text, lines),
            (true, false) => self.say(text, lines),
        }
    }

    /// Adds text to the current block.
    pub(super) fn say(&mut self, text: &str, lines: u32) {
        if self.text.is_empty() {
            if self.pre == 0 && text.trim().is_empty() {
                return;
            }
            let before = text.len() - text.trim_start().len();
            let skipped = text[..before].bytes().filter(|b| *b == b'\n').count();
            self.line = self.first_line + lines + u32::try_from(skipped).unwrap_or(0);
        }
        if std::mem::take(&mut self.left_out) && self.pre == 0 && text.starts_with(['.', ',', ';', ':', ')']) {
            let kept = self.text.trim_end().len();
            self.text.truncate(kept);
        }
        let inked = text.bytes().filter(|b| !b.is_ascii_whitespace()).count();
        if self.links > 0 {
            self.linked += inked;
        } else if !leads_on(text) {
            self.unlinked += inked;
        }
        self.text.push_str(text);
    }

    pub(super) fn start(&mut self, tag: &StartTag<usize>, lines: u32) {
        if self.is_xml {
            return self.start_element(tag, lines);
        }
        let name = tag.name.as_slice();
        if self.skipping == 0 && is_formula(tag) {
            self.text(FORMULA, lines);
        }
        self.leaves |= is_redirect(tag);
        let role = if self.skipping > 0 { Role::Inline } else { self.role(tag) };
        let role = self.at_depth(role);
        if self.skipping == 0 {
            self.close_implied(role);
            self.before(role, lines);
            if let (Role::Cell(_), Some(table)) = (role, self.tables.last_mut()) {
                table.span = span(tag);
            }
        }
        if is_void(name) || self.stack.len() >= DEEPEST {
            return;
        }
        let region = self.region.is_some_and(|region| region.opens(tag)) && self.skipping == 0;
        let role = if region && role == Role::Skip { Role::Block } else { role };
        let shifted = Shift::of(name).map(|shift| (shift, self.text.len()));
        let begins_in_code = name == b"code" && self.text.trim().is_empty();
        self.push(Open { name: name.into(), role, region, shifted, begins_in_code, ..Open::default() });
        if tag.self_closing {
            self.pop();
        }
    }

    /// The role of an element at this depth: one that is too deep opens nothing that its end would have to close.
    pub(super) fn at_depth(&self, role: Role) -> Role {
        match role {
            Role::List | Role::Terms | Role::Definition | Role::Table if self.stack.len() >= DEEPEST => Role::Block,
            role => role,
        }
    }

    fn role(&self, tag: &StartTag<usize>) -> Role {
        if self.chapter.is_some() && tag.name.as_slice() == b"aside" && !surrounds(tag) {
            return Role::Block;
        }
        match role(tag, self.drop != Drop::Nothing) {
            Role::Block | Role::List | Role::Paragraph | Role::Table | Role::Terms
                if self.drop == Drop::Surroundings && seems_around(tag) =>
            {
                Role::Skip
            }
            role => role,
        }
    }

    /// Closes elements that a start tag implicitly ends.
    fn close_implied(&mut self, role: Role) {
        let (closes, within): (Is, Is) = match role {
            Role::Item => (|r| r == Role::Item, |r| r == Role::List),
            Role::Term | Role::Definition => (|r| matches!(r, Role::Term | Role::Definition), |r| r == Role::Terms),
            Role::Row => (|r| r == Role::Row, |r| r == Role::Table),
            Role::Cell(_) => (|r| matches!(r, Role::Cell(_)), |r| matches!(r, Role::Row | Role::Table)),
            Role::Link => (|r| r == Role::Link, |r| !matches!(r, Role::Inline | Role::Link)),
            Role::Inline | Role::Break | Role::Skip | Role::Title => return,
            // Any block ends an open paragraph or heading.
            _ => (
                |r| matches!(r, Role::Paragraph | Role::Heading(_) | Role::Title),
                |r| !matches!(r, Role::Inline | Role::Link | Role::Paragraph | Role::Heading(_) | Role::Title),
            ),
        };
        let found = self.stack.iter().rposition(|open| closes(open.role) || within(open.role));
        if let Some(at) = found.filter(|at| closes(self.stack[*at].role)) {
            self.pop_to(at);
        }
    }

    pub(super) fn before(&mut self, role: Role, lines: u32) {
        match role {
            Role::Inline | Role::Link | Role::Skip => {}
            Role::Break => {
                if self.reading() && !self.text.is_empty() {
                    self.text.push('\n');
                }
            }
            Role::Title => self.flush(),
            Role::Heading(_) | Role::Pre | Role::Table => {
                self.break_table_open();
                self.flush();
            }
            Role::Cell(_) | Role::Row => {}
            // Blocks within a cell do not end it.
            _ if self.in_cell() => self.text.push(' '),
            _ => self.flush(),
        }
        if !self.reading() {
            return;
        }
        match role {
            Role::List => {
                let intro = self.draft.list_intro(!self.lists.is_empty());
                self.lists.push(intro);
            }
            Role::Terms => self.terms.push(Terms::default()),
            Role::Definition => self.begin_definition(),
            Role::Table => self.tables.push(Table::at(self.first_line + lines)),
            Role::Row => {
                if let Some(table) = self.tables.last_mut() {
                    (table.line, table.all_headers) = (self.first_line + lines, true);
                }
            }
            Role::Cell(header) => {
                if let Some(table) = self.tables.last_mut() {
                    table.all_headers &= header;
                }
            }
            _ => {}
        }
    }

    pub(super) fn push(&mut self, open: Open) {
        match open.role {
            Role::Skip => self.skipping += 1,
            Role::Link => self.links += 1,
            Role::Pre => self.pre += 1,
            Role::Item => self.items += 1,
            Role::Title => self.in_title = true,
            Role::TableHead => {
                if let Some(table) = self.tables.last_mut() {
                    table.in_head = true;
                }
            }
            _ => {}
        }
        self.in_region += u32::from(open.region);
        *self.open.entry(open.name.clone()).or_default() += 1;
        self.stack.push(open);
    }

    pub(super) fn end(&mut self, name: &[u8]) {
        if self.open.get(name).is_none_or(|n| *n == 0) {
            // `</p>` alone is an empty paragraph; `</br>` a break.
            if name == b"p" && self.skipping == 0 && !self.in_cell() {
                self.flush();
            }
            return;
        }
        if let Some(at) = self.stack.iter().rposition(|open| *open.name == *name) {
            self.pop_to(at);
        }
    }

    fn pop_to(&mut self, at: usize) {
        while self.stack.len() > at {
            self.pop();
        }
    }

    pub(super) fn pop(&mut self) {
        // The stack determines where the text goes, so flush first.
        let Some(open) = self.stack.last() else { return };
        let (role, region, after, shifted) = (open.role, open.region, open.after, open.shifted);
        if open.begins_in_code {
            self.code_end = Some(self.text.len());
        }
        if role == Role::Skip {
            self.skipping -= 1;
            self.left_out = true;
        } else if self.skipping == 0 && self.reading() {
            if let Some((shift, from)) = shifted {
                shift.write(&mut self.text, from);
            }
            self.text.push_str(after);
            self.after(role);
        }
        self.in_region -= u32::from(region);
        match role {
            Role::Link => self.links -= 1,
            Role::Pre => self.pre -= 1,
            Role::Item => self.items -= 1,
            Role::Title => self.in_title = false,
            _ => {}
        }
        if let Some(open) = self.stack.pop()
            && let Some(count) = self.open.get_mut(&open.name)
        {
            *count -= 1;
        }
    }

    fn after(&mut self, role: Role) {
        match role {
            Role::Inline | Role::Link | Role::Skip | Role::Break => {}
            Role::Title => {
                let title = self.take();
                self.draft.page_title(&title);
            }
            Role::Heading(level) => self.after_heading(level),
            Role::Section => {
                self.flush();
                self.draft.close(self.depth());
            }
            Role::Introduction => {
                let introduction = self.take();
                if let Some(list) = self.lists.last_mut() {
                    *list = Some(Clean::line(&introduction)).filter(|introduction| !introduction.is_empty());
                }
            }
            Role::Manual => self.manual = self.take(),
            Role::Purpose => {
                let heading = self.take();
                self.entitle(&heading);
                self.out(&heading);
            }
            Role::Cell(header) => {
                let cell = self.take();
                match self.tables.last_mut() {
                    Some(table) if !table.layout => table.add(cell, header),
                    _ => self.out(&cell),
                }
            }
            Role::Row => self.end_row(),
            Role::TableHead => {
                if let Some(table) = self.tables.last_mut() {
                    table.in_head = false;
                }
            }
            Role::Table => {
                self.end_row();
                self.tables.pop();
            }
            Role::Pre => self.after_preformatted(),
            Role::Term => self.after_term(),
            Role::Definition => {
                self.flush();
                self.end_definition();
            }
            Role::Terms => self.after_terms(),
            Role::List => {
                self.flush();
                self.lists.pop();
            }
            _ if self.in_cell() => self.text.push(' '),
            Role::Paragraph if self.is_code() => {
                let code = self.take();
                self.draft.push(BlockKind::Code, None, code.trim(), self.line);
            }
            _ => self.flush(),
        }
    }

    fn after_heading(&mut self, level: u8) {
        let is_link = self.linked > 0 && self.unlinked == 0;
        let heading = self.take();
        // The top of each page of a site has the name of the site, with a link to its front page.
        if !(is_link && self.draft.is_site(&heading)) {
            self.head(level, &heading);
        }
    }

    fn after_preformatted(&mut self) {
        let code = self.take();
        // In XML, sentences have elements of another name.
        if self.is_xml || !plain::parse_preformatted(&code, self.line, self.term_level(), &mut self.draft) {
            let blank = code.len() - code.trim_start().len();
            let begin = code[..blank].rfind('\n').map_or(0, |at| at + 1);
            self.draft.push(BlockKind::Code, None, &code[begin..], self.line);
        }
    }

    /// Whether the text is program text as a whole: a paragraph of a page, in no list and without a link.
    fn is_code(&self) -> bool {
        let is_alone = self.items == 0 && self.linked == 0 && self.pre == 0 && !self.is_xml;
        let is_end = |end: usize| end > 0 && self.text.get(end..).is_some_and(|rest| rest.trim().is_empty());
        is_alone && self.code_end.is_some_and(is_end)
    }

    fn take(&mut self) -> String {
        (self.linked, self.unlinked, self.code_end) = (0, 0, None);
        std::mem::take(&mut self.text)
    }

    /// Ends the current block.
    fn flush(&mut self) {
        if self.pre > 0 && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        if self.pre > 0 || self.text.is_empty() {
            return;
        }
        if self.in_cell() {
            self.text.push(' ');
            return;
        }
        let most = if self.drop == Drop::Surroundings { self.linked / 2 } else { 0 };
        let only_links = self.linked > 0 && self.unlinked <= most.max(3);
        let text = self.take();
        // A line of only links is navigation, unless it is a sentence.
        let is_sentence = text.trim_end().ends_with(['.', '!', '?']) && !self.lists_links();
        if only_links && self.drop != Drop::Nothing && !is_sentence {
            return;
        }
        self.out(&text);
    }

    fn out(&mut self, text: &str) {
        if self.items == 0 && self.heads(text) {
            return;
        }
        let lists = if self.items > 0 { &self.lists[..] } else { &[] };
        self.draft.text(Within::innermost(lists), text, self.line);
    }

    /// Ends everything open. Returns the draft, and whether a dropped element was never closed, so that it may contain
    /// the page.
    pub(super) fn finish(mut self) -> (Draft, bool) {
        let swallowed = self.skipping > 0;
        self.pop_to(0);
        if self.reading() {
            self.flush();
        }
        if self.leaves && self.draft.len() < LONGEST_FAREWELL {
            return (Draft::elsewhere(), false);
        }
        (self.draft, swallowed)
    }
}
