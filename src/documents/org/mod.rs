//! Org to blocks: headlines, lists, tables, blocks of program text.
//!
//! See "Org Syntax" in the manual of Org. Supports the syntax of notes and manuals: drops drawers, planning, comments and keywords.
//! Runs no code and includes no other file.

mod inline;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::cells::{column_names, table_row};
use super::draft::{Draft, TERM_LEVEL};
use super::lists::Lists;
use super::margin::without_margin;
use run::evidence::BlockKind;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    name(&lines, draft);
    let (lists, indents, text) = (Lists::default(), Vec::new(), String::new());
    let mut reader = Reader { draft, headline: None, lists, indents, text, line: 0, endless: BTreeSet::new() };
    let mut at = 0;
    while at < lines.len() {
        at += reader.element(&lines[at..], number(at)).max(1);
    }
    reader.end_headline(0);
}

/// Titles the document: by its keyword, else by its only outermost headline, else by its file.
fn name(lines: &[&str], draft: &mut Draft) {
    let outermost = lines.iter().filter(|line| line.starts_with("* ")).count();
    match lines.iter().find_map(|line| keyword(line).filter(|(name, _)| name.eq_ignore_ascii_case("title"))) {
        Some((_, title)) => draft.page_title(&inline::plain(title)),
        None if outermost == 1 => {}
        None => draft.title_by_name(),
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

/// A headline without content so far.
struct Headline {
    level: u8,
    text: String,
    line: u32,
}

struct Reader<'a> {
    draft: &'a mut Draft,
    headline: Option<Headline>,
    lists: Lists,
    /// The indents of the bullets of the open lists: an item's content is indented further.
    indents: Vec<usize>,
    text: String,
    line: u32,
    /// The kinds of blocks without an end in the rest of the file.
    endless: BTreeSet<String>,
}

/// The most lines of a drawer.
const LONGEST_DRAWER: usize = 500;

impl Reader<'_> {
    /// Reads one element. Returns the number of its lines.
    fn element(&mut self, lines: &[&str], no: u32) -> usize {
        let line = lines[0];
        let words = line.trim_start();
        if words.is_empty() {
            self.flush();
            return 1;
        }
        if let Some((level, text)) = headline(line) {
            self.flush();
            self.lists.clear();
            self.indents.clear();
            self.end_headline(level);
            // A subtree that is commented out is no text.
            if text.starts_with("COMMENT ") {
                let ends = |line: &&str| headline(line).is_some_and(|(other, _)| other <= level);
                return 1 + lines[1..].iter().position(ends).unwrap_or(lines.len() - 1);
            }
            self.headline = Some(Headline { level, text: inline::plain(&text), line: no });
            return 1;
        }
        if let Some(name) = words.strip_prefix("#+").and_then(begins_block) {
            return self.block(name, lines, no);
        }
        if words.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '+']))
            || is_planning(words)
        {
            self.flush();
            return 1;
        }
        if is_drawer(words)
            && let Some(end) =
                lines.iter().take(LONGEST_DRAWER).position(|line| line.trim().eq_ignore_ascii_case(":END:"))
            && !lines[..end].iter().any(|line| headline(line).is_some())
        {
            self.flush();
            return end + 1;
        }
        if is_fixed(words) {
            let many = lines.iter().take_while(|line| is_fixed(line.trim_start())).count();
            let code = lines[..many].iter().map(|line| line.trim_start().trim_start_matches(':'));
            self.code(code.map(|line| line.strip_prefix(' ').unwrap_or(line)), no);
            return many;
        }
        if words.starts_with('|') {
            let many = lines.iter().take_while(|line| line.trim_start().starts_with('|')).count();
            self.table(&lines[..many], no);
            return many;
        }
        if words.len() >= 5 && words.bytes().all(|byte| byte == b'-') {
            self.flush();
            return 1;
        }
        self.words(line.len() - words.len(), words, no);
        1
    }

    /// Text, or the beginning of an item.
    fn words(&mut self, indent: usize, words: &str, no: u32) {
        let item = item(words).filter(|_| indent > 0 || !words.starts_with('*'));
        // Text that is set in no deeper than the bullet is outside of the item.
        if item.is_some() || self.indents.last().is_some_and(|bullet| indent <= *bullet) {
            self.flush();
        }
        while self.indents.pop_if(|bullet| indent < *bullet + usize::from(item.is_none())).is_some() {
            self.lists.end(self.draft);
        }
        let Some(text) = item else {
            self.add(words, no);
            return;
        };
        self.begin();
        if self.indents.last().is_none_or(|bullet| *bullet < indent) {
            self.indents.push(indent);
            self.lists.begin(self.draft);
        }
        let text = ["[ ] ", "[X] ", "[-] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
        let (term, text) = match text.strip_suffix(" ::") {
            Some(term) => (Some(term), ""),
            None => text.split_once(" :: ").map_or((None, text), |(term, text)| (Some(term), text)),
        };
        match term {
            Some(term) => self.lists.term(self.draft, &inline::plain(term)),
            None => self.lists.item(self.draft),
        }
        self.add(text, no);
    }

    fn add(&mut self, words: &str, no: u32) {
        if self.text.is_empty() {
            self.line = no;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(words);
    }

    /// Ends the running text.
    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        self.begin();
        let text = inline::plain(&std::mem::take(&mut self.text));
        self.lists.text(self.draft, &text, self.line);
    }

    /// Opens the section of a headline that has text.
    fn begin(&mut self) {
        if let Some(Headline { level, text, .. }) = self.headline.take() {
            self.draft.heading(level, &text);
        }
    }

    /// Ends sections of this level or deeper; in outlines, a headline without content becomes an item.
    fn end_headline(&mut self, level: u8) {
        self.flush();
        match self.headline.take() {
            Some(above) if above.level < level => self.draft.heading(above.level, &above.text),
            Some(alone) => {
                self.draft.close(alone.level);
                self.draft.push(BlockKind::ListItem, None, &alone.text, alone.line);
            }
            None => {}
        }
    }

    fn code<'l>(&mut self, lines: impl Iterator<Item = &'l str>, no: u32) {
        self.flush();
        self.begin();
        let lines: Vec<&str> = lines.collect();
        self.draft.push(BlockKind::Code, None, &lines.join("\n"), no);
    }

    /// Reads a block between `#+begin_name` and `#+end_name`, or only the first line of one whose text is ordinary
    /// text.
    fn block(&mut self, name: &str, lines: &[&str], no: u32) -> usize {
        self.flush();
        let name = name.to_ascii_lowercase();
        let is_code = matches!(name.as_str(), "src" | "example");
        if !is_code && !matches!(name.as_str(), "comment" | "export") || self.endless.contains(&name) {
            return 1;
        }
        let ends = |line: &&str| {
            let named = line.trim_start().strip_prefix("#+").and_then(|line| after(line, "end_"));
            named.is_some_and(|named| named.trim_end().eq_ignore_ascii_case(&name))
        };
        let Some(end) = lines.iter().position(ends) else {
            self.endless.insert(name);
            return 1;
        };
        if is_code {
            let own = without_margin(lines[1..end].iter().copied()).into_iter();
            // A comma keeps a line from being read as a headline.
            let own = own.map(|line| if line.starts_with(",*") || line.starts_with(",#") { &line[1..] } else { line });
            self.code(own, no.saturating_add(1));
        }
        end + 1
    }

    fn table(&mut self, lines: &[&str], no: u32) {
        self.flush();
        self.begin();
        let is_rule = |line: &str| line.trim_start().starts_with("|-");
        let rows: Vec<(u32, Option<Vec<String>>)> =
            lines.iter().zip(no..).map(|(line, no)| (no, (!is_rule(line)).then(|| cells(line)))).collect();
        let first = rows.iter().position(|(_, row)| row.is_some()).unwrap_or(rows.len());
        let is_header = rows.get(first + 1).is_some_and(|(_, row)| row.is_none()) && rows.len() > first + 2;
        let header = rows.get(first).and_then(|(_, row)| row.as_ref()).filter(|_| is_header);
        let names = header.map(|row| column_names(&table_row(row)));
        for (no, row) in rows.iter().skip(first + usize::from(is_header)) {
            let Some(row) = row else { continue };
            if !row.iter().all(|cell| is_width(cell)) {
                self.draft.push(BlockKind::TableRow, names.clone(), &table_row(row), *no);
            }
        }
    }
}

/// Level and text of a headline, without its priority and its tags.
fn headline(line: &str) -> Option<(u8, String)> {
    let text = line.trim_start_matches('*');
    let stars = line.len() - text.len();
    let text = text.strip_prefix(' ').filter(|_| stars > 0)?;
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.retain(|word| !matches!(word.as_bytes(), [b'[', b'#', _, b']']));
    words.pop_if(|last| is_tags(last));
    let level = u8::try_from(stars).unwrap_or(u8::MAX).min(TERM_LEVEL - 1);
    Some((level, words.join(" ")))
}

/// `:work:urgent:`
fn is_tags(word: &str) -> bool {
    let within = word.strip_prefix(':').and_then(|word| word.strip_suffix(':'));
    within.is_some_and(|tags| !tags.is_empty() && tags.chars().all(|c| c.is_alphanumeric() || "_@#%:".contains(c)))
}

/// Name and value of `#+name: value`.
fn keyword(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start().strip_prefix("#+")?.split_once(':')?;
    (!name.contains(' ')).then(|| (name, value.trim()))
}

/// The rest of a text after a prefix, ignoring case.
fn after<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    let head = text.get(..beginning.len())?;
    head.eq_ignore_ascii_case(beginning).then(|| &text[beginning.len()..])
}

/// The name of the block that begins.
fn begins_block(line: &str) -> Option<&str> {
    after(line, "begin_")?.split(' ').next()
}

/// Planning dates.
fn is_planning(words: &str) -> bool {
    const PLANS: [&str; 4] = ["SCHEDULED: ", "DEADLINE: ", "CLOSED: ", "CLOCK: "];
    let dated = PLANS.iter().find_map(|plan| words.strip_prefix(plan));
    dated.is_some_and(|date| date.starts_with(['<', '[']))
}

/// `:PROPERTIES:`
fn is_drawer(words: &str) -> bool {
    let name = words.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-'))
}

/// `: a line of output`
fn is_fixed(words: &str) -> bool {
    words.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The text of an item behind its bullet: `- text`, `+ text`, `1. text`, `1) text`.
fn item(words: &str) -> Option<&str> {
    let after_number = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match words.len() - after_number.len() {
        0 => words.strip_prefix(['-', '+', '*'])?,
        1..=4 => after_number.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = rest.trim_start();
    // `[@3]` sets the number of an item.
    let text = text.strip_prefix("[@").and_then(|text| text.split_once("] ")).map_or(text, |(_, text)| text);
    (rest.is_empty() || rest.starts_with(' ')).then_some(text)
}

fn cells(line: &str) -> Vec<String> {
    let inside = line.trim().trim_start_matches('|');
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    inside.split('|').map(|cell| inline::plain(cell.trim())).collect()
}

/// A cell that sets the width of its column, `<10>` or `<r>`, or is empty.
fn is_width(cell: &str) -> bool {
    let inside = cell.strip_prefix('<').and_then(|cell| cell.strip_suffix('>'));
    cell.is_empty() || inside.is_some_and(|inside| inside.chars().all(|c| c.is_ascii_digit() || "lrc".contains(c)))
}
