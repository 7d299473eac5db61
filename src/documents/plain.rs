//! Plain text to blocks: detects headings, lists, tables and code by their layout.
//!
//! Hard-wrapped lines are joined. In doubt, text is a paragraph.

use super::draft::{Draft, TERM_LEVEL, column_names};
use super::hyphens::Hyphens;
use run::evidence::BlockKind;
use text::Clean;
use text::words::is_stop;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    parse_lines(text.lines().zip(1u32..), draft);
}

/// Parses lines with given line numbers.
pub(super) fn parse_lines<'a>(lines: impl Iterator<Item = (&'a str, u32)>, draft: &mut Draft) {
    let lines: Vec<Line<'_>> = lines.map(|(raw, no)| Line::new(raw, no)).collect();
    if let Some(title) = title(&lines) {
        draft.page_title(&title);
    }
    read(&lines, 0, TERM_LEVEL, draft);
}

/// Parses preformatted text of a page, which begins at this line, if it is mostly sentences, not program text or output. Its headings
/// are below those of the page, its terms at `term_level` and deeper. Returns whether it was parsed.
pub(super) fn parse_preformatted(text: &str, line: u32, term_level: u8, draft: &mut Draft) -> bool {
    let lines: Vec<Line<'_>> = text.lines().zip(line..).map(|(raw, no)| Line::new(raw, no)).collect();
    let is_read = is_mostly_prose(&lines);
    if is_read {
        read(&lines, PAGE_LEVELS, term_level, draft);
        draft.close(term_level);
    }
    is_read
}

/// Reads lines whose headings are below this level.
fn read(lines: &[Line<'_>], above: u8, term_level: u8, draft: &mut Draft) {
    let margin = margin(lines);
    let is_outline = lines.iter().any(|line| line.text.starts_with("** "));
    let mut reader = Reader {
        draft,
        hyphens: Hyphens::of(lines.iter().map(Line::words)),
        above,
        term_level,
        underlines: Vec::new(),
        lists: Vec::new(),
        in_list: false,
        margin,
        is_outline,
        terms: Vec::new(),
    };
    chunks(lines).for_each(|chunk| reader.chunk(chunk));
}

/// The runs of lines between blank ones.
fn chunks<'l, 'a>(lines: &'l [Line<'a>]) -> impl Iterator<Item = &'l [Line<'a>]> {
    lines.split(Line::is_blank).filter(|chunk| !chunk.is_empty())
}

/// The title of a document: a mail's subject, or a manual page's name and purpose.
fn title(lines: &[Line<'_>]) -> Option<String> {
    let first = lines.iter().position(|line| !line.is_blank())?;
    let name = lines[first].words().split_whitespace().next()?;
    let numbered = name.ends_with(')') && name.contains('(') && lines[first].words().len() > name.len();
    if numbered && lines[first].words().ends_with(name) {
        let at = lines.iter().position(|line| line.text == "NAME")?;
        let purpose =
            lines[at + 1..].iter().take_while(|line| !line.is_blank()).map(Line::words).collect::<Vec<_>>().join(" ");
        let purpose = purpose.split_once(" - ").map_or(purpose.as_str(), |(_, purpose)| purpose);
        return Some(format!("{name}: {purpose}"));
    }
    let head: Vec<&Line<'_>> = lines[first..].iter().take(30).take_while(|line| !line.is_blank()).collect();
    let is_mail =
        ["From: ", "Date: ", "Subject: "].iter().all(|key| head.iter().any(|line| line.text.starts_with(key)));
    let at = head.iter().position(|line| line.text.starts_with("Subject: ")).filter(|_| is_mail)?;
    let folded = head[at + 1..].iter().take_while(|line| line.indent > 0).map(|line| line.words());
    Some(std::iter::once(&head[at].text["Subject: ".len()..]).chain(folded).collect::<Vec<_>>().join(" "))
}

/// Whether the first line of an item is a title over the rest: the next word would have had room in it, and begins a sentence.
fn is_title(first: &Line<'_>, rest: &[Line<'_>]) -> bool {
    let Some(next) = rest.first().and_then(|line| line.words().split_whitespace().next()) else { return false };
    let width = rest.iter().map(|line| line.text.len()).max().unwrap_or(0);
    rest.len() > 1
        && first.text.len() + 2 + next.len() < width
        && next.starts_with(char::is_uppercase)
        && first.text.ends_with(char::is_alphanumeric)
}

/// The indent that most lines share, which is that of running text; 0 if few lines share one.
fn margin(lines: &[Line<'_>]) -> usize {
    let mut counts = [0_usize; 12];
    let inked = lines.iter().filter(|line| !line.is_blank());
    let all = inked.clone().count();
    inked.for_each(|line| counts[line.indent.min(11)] += 1);
    let most = (0..11).max_by_key(|indent| (counts[*indent], 11 - indent)).unwrap_or(0);
    if all >= SHORT && counts[most] * 4 >= all { most } else { 0 }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    /// The line without mail quotation marks and trailing space.
    text: &'a str,
    indent: usize,
    no: u32,
}

impl<'a> Line<'a> {
    fn new(raw: &'a str, no: u32) -> Self {
        let mut text = raw.trim_end();
        while let Some(rest) = text.strip_prefix("> ").or_else(|| text.strip_prefix('>')) {
            text = rest;
        }
        let indent = text.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 8 } else { 1 }).sum();
        Line { text, indent, no }
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn words(&self) -> &'a str {
        self.text.trim()
    }

    /// The character of a line that consists of only one character.
    fn rule(&self) -> Option<char> {
        let words = self.words();
        let first = words.chars().next()?;
        (words.len() >= 3 && "=-~^*#+_\"'`:.".contains(first) && words.chars().all(|c| c == first)).then_some(first)
    }

    /// Whether it is a divider like `----- forwarded -----`.
    fn is_divider(&self) -> bool {
        ["---", "===", "***"].iter().any(|rule| self.words().starts_with(rule) && self.words().ends_with(rule))
    }

    /// A term and its definition beside it, which begins in this column.
    fn beside(&self, column: usize) -> Option<(&'a str, Line<'a>)> {
        if !self.text.is_char_boundary(column) || self.text.contains('\t') {
            return None;
        }
        let (term, rest) = self.text.split_at_checked(column)?;
        let parted = term.ends_with(' ') && !rest.starts_with(' ') && !rest.is_empty() && !term.trim().is_empty();
        parted.then_some((term.trim(), Line { text: rest, indent: column, no: self.no }))
    }

    /// The text of a list item that begins here.
    fn item(&self) -> Option<&'a str> {
        let words = self.words();
        for bullet in ["- ", "* ", "+ ", "\u{2022} ", "\u{2013} ", "o "] {
            if let Some(rest) = words.strip_prefix(bullet) {
                // A lone `o` is a bullet only if it is indented.
                return (bullet != "o " || self.indent > 0).then(|| rest.trim_start());
            }
        }
        let digits = words.bytes().take_while(u8::is_ascii_digit).count();
        let marker = if digits > 0 && digits <= 3 {
            &words[digits..]
        } else if words.starts_with('(') && words.as_bytes().get(2) == Some(&b')') {
            words.get(2..)?
        } else if words.as_bytes().first().is_some_and(u8::is_ascii_lowercase) && words.as_bytes().get(1) == Some(&b')')
        {
            words.get(1..)?
        } else {
            return None;
        };
        let rest = marker.strip_prefix(['.', ')'])?;
        (rest.starts_with(' ') && rest.trim().chars().any(char::is_alphabetic)).then(|| rest.trim_start())
    }

    /// Whether its number or letter is the first of a list.
    fn is_first(&self) -> bool {
        let marker = self.words().trim_start_matches('(');
        marker.strip_prefix(['1', 'a']).is_some_and(|rest| rest.starts_with(['.', ')']))
    }

    /// Key and value of a line like `Port: 6333`.
    fn key_value(&self) -> Option<(&'a str, &'a str)> {
        let words = self.words();
        let (key, value) = words.split_once(": ")?;
        let fits = (1..=48).contains(&key.len())
            && key.split(' ').count() <= 6
            && key.starts_with(char::is_alphanumeric)
            && !key.contains(['.', ',', ';', '"', '?', '!'])
            && value.chars().any(char::is_alphanumeric);
        fits.then_some((key, value))
    }
}

struct Reader<'a, 't> {
    draft: &'a mut Draft,
    hyphens: Hyphens<'t>,
    /// Headings open sections below this level.
    above: u8,
    /// The level of the outermost terms.
    term_level: u8,
    /// Underline characters of headings, by depth.
    underlines: Vec<char>,
    /// The open lists, the outermost first: their indents and introductions.
    lists: Vec<(usize, Option<Clean>)>,
    in_list: bool,
    /// The indent of running text.
    margin: usize,
    /// Whether stars mark headings.
    is_outline: bool,
    /// The indents of the open definitions, the outermost first.
    terms: Vec<usize>,
}

/// A text with fewer lines has no margin of its own.
const SHORT: usize = 12;
/// The levels of headings in HTML.
const PAGE_LEVELS: u8 = 6;
/// The least number of words in sentences for preformatted text to be prose.
const LEAST_PROSE: usize = 15;
/// The longest term of a definition list.
const LONGEST_TERM: usize = 70;

impl Reader<'_, '_> {
    /// Reads the lines between two blank ones.
    fn chunk(&mut self, lines: &[Line<'_>]) {
        let mut lines = lines;
        while let Some(used) = self.underlined(lines) {
            self.in_list = false;
            lines = &lines[used..];
        }
        while let [first, rest @ ..] = lines
            && (first.rule().is_some() || first.is_divider())
        {
            lines = rest;
        }
        // The label of a framed note adds nothing to the note.
        if let [label, rest @ ..] = lines
            && !rest.is_empty()
            && matches!(label.words(), "Note" | "Tip" | "Caution" | "Warning" | "Important")
        {
            lines = rest;
        }
        let Some(first) = lines.first() else { return };
        while self.terms.last().is_some_and(|indent| first.indent < *indent) {
            self.terms.pop();
            self.draft.close(self.term_level());
        }
        if let Some(rest) = self.headed(lines) {
            self.in_list = false;
            return self.chunk(rest);
        }
        let Some(first) = lines.first() else { return };
        if first.item().is_none() && self.definitions(lines) {
            self.in_list = false;
            return;
        }
        let list = first.item().is_some() || self.in_list && first.indent >= 2;
        let outline = self.is_outline && lines.len() == 1;
        if (!list || outline) && self.heading(lines) || self.key_values(lines) || self.table(lines) {
            self.in_list = false;
            return;
        }
        if !list && self.code(lines) {
            return;
        }
        self.running(lines);
    }

    /// Reads a heading that its text follows without a blank line, set in further, as in manual pages. Returns the text.
    fn headed<'l, 't>(&mut self, lines: &'l [Line<'t>]) -> Option<&'l [Line<'t>]> {
        let [line, rest @ ..] = lines else { return None };
        let words = line.words();
        let short = words.len() <= LONGEST_TERM && !words.ends_with(['.', ',', ';', ':', '!', '?']);
        let outside = line.indent < self.margin && rest.iter().all(|below| below.indent >= self.margin);
        let capitals = line.indent == 0
            && words.chars().filter(|c| c.is_alphabetic()).count() >= 4
            && !words.chars().any(char::is_lowercase);
        let begins = words.starts_with(char::is_uppercase) && line.item().is_none() && line.key_value().is_none();
        let of_manual = self.margin >= 4 && begins && (capitals || line.indent > 0) && !rest.is_empty();
        if !short || !outside || !of_manual {
            return None;
        }
        let level = self.underlines.len() + 1 + usize::from(line.indent > 0);
        self.open(level, words);
        Some(rest)
    }

    /// Begins a section at this level, counted from 1.
    fn open(&mut self, level: usize, heading: &str) {
        let level = u8::try_from(level).unwrap_or(u8::MAX).saturating_add(self.above);
        self.draft.heading(level.min(TERM_LEVEL - 1), heading);
    }

    fn term_level(&self) -> u8 {
        self.term_level.saturating_add(u8::try_from(self.terms.len()).unwrap_or(u8::MAX))
    }

    /// Reads terms with their definitions set in below them, or beside them with a hanging indent.
    fn definitions(&mut self, lines: &[Line<'_>]) -> bool {
        let Some(indent) = lines.first().map(|line| line.indent) else { return false };
        let Some(body) = lines.iter().map(|line| line.indent).filter(|other| *other > indent).min() else {
            return false;
        };
        let starts: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].indent <= indent).collect();
        if body < indent + 2 || starts.first() != Some(&0) || lines.iter().any(|line| line.indent < indent) {
            return false;
        }
        let mut found: Vec<(String, Vec<Line<'_>>)> = Vec::new();
        let mut terms: Vec<&str> = Vec::new();
        for (nth, at) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(lines.len());
            let below = &lines[at + 1..end];
            let (term, beside) = match lines[*at].beside(body) {
                Some((term, beside)) => (term, Some(beside)),
                None => (lines[*at].words(), None),
            };
            let is_term = term.len() <= LONGEST_TERM
                && !term.ends_with(['.', ';', '{', '}', '(', '?', '!'])
                && term.chars().any(char::is_alphanumeric);
            if !is_term {
                return false;
            }
            terms.push(term);
            let own: Vec<Line<'_>> = beside.into_iter().chain(below.iter().copied()).collect();
            if own.is_empty() {
                continue;
            }
            found.push((std::mem::take(&mut terms).join(", "), own));
        }
        if found.is_empty() || !terms.is_empty() || !found.iter().all(|(_, own)| is_prose(own)) {
            return false;
        }
        let level = self.term_level();
        let last = found.len() - 1;
        for (nth, (term, own)) in found.into_iter().enumerate() {
            self.draft.close(level);
            self.draft.term(level, &term);
            let mark = self.draft.mark();
            self.in_list = false;
            self.running(&own);
            if nth < last {
                self.draft.fold_short_definition(mark, level);
            }
        }
        self.terms.push(body);
        true
    }

    /// Reads an underlined title, perhaps with an overline. Returns the number of lines.
    fn underlined(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let (over, rest) = match lines {
            [first, rest @ ..] if first.rule().is_some() && rest.len() >= 2 => (first.rule(), rest),
            _ => (None, lines),
        };
        let [title, under, ..] = rest else { return None };
        let rule = under.rule()?;
        let long = under.words().chars().count() * 2 >= title.words().chars().count();
        if title.rule().is_some() || !long || title.words().len() > 200 || over.is_some_and(|over| over != rule) {
            return None;
        }
        let at = self.underlines.iter().position(|c| *c == rule).unwrap_or_else(|| {
            self.underlines.push(rule);
            self.underlines.len() - 1
        });
        self.open(at + 1, title.words());
        Some(if over.is_some() { 3 } else { 2 })
    }

    /// Reads a heading: one line in capitals, or numbered, without a sentence's end.
    fn heading(&mut self, lines: &[Line<'_>]) -> bool {
        let [line] = lines else { return false };
        let words = line.words();
        let stars = words.bytes().take_while(|b| *b == b'*').count();
        if self.is_outline && stars > 0 && words[stars..].starts_with(' ') && !words.ends_with(['.', ':']) {
            self.open(stars, words[stars..].trim());
            return true;
        }
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = letters >= 4 && !words.chars().any(char::is_lowercase) && words.chars().any(char::is_uppercase);
        let colon = words.ends_with(':') && !(capitals && line.indent == 0);
        if words.len() > 80 || words.ends_with(['.', ',', ';', '!']) || colon {
            return false;
        }
        let number = words.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let dots = words[..number].trim_end_matches('.').matches('.').count();
        let begins = words[number..].trim_start();
        let numbered =
            dots > 0 && begins.starts_with(char::is_uppercase) || dots > 1 && begins.starts_with(char::is_alphabetic);
        if !capitals && !numbered {
            return false;
        }
        let below = self.underlines.len() + dots.max(1);
        self.open(below, words.trim_end_matches(':'));
        true
    }

    /// Reads lines of keys with values.
    fn key_values(&mut self, lines: &[Line<'_>]) -> bool {
        let all = lines.iter().all(|line| line.key_value().is_some() && line.item().is_none());
        let fits = match lines {
            [line] => line.key_value().is_some_and(|(_, value)| value.len() <= 60 && !value.ends_with(['.', '!', '?'])),
            _ => lines.iter().all(|line| line.words().len() <= 160),
        };
        if !all || !fits {
            return false;
        }
        for line in lines {
            self.draft.push(BlockKind::KeyValue, None, line.words(), line.no);
        }
        true
    }

    /// Reads a table: lines whose cells begin in the same columns.
    fn table(&mut self, lines: &[Line<'_>]) -> bool {
        let rows: Vec<(Vec<(usize, &str)>, u32)> = lines
            .iter()
            .filter(|line| !line.words().chars().all(|c| "-=+| \t".contains(c)))
            .map(|line| (cells(line.text), line.no))
            .collect();
        let ruled = rows.len() < lines.len();
        let Some((header, _)) = rows.first() else { return false };
        let columns = header.len();
        if columns < 2 || rows.len() < if ruled { 2 } else { 3 } || rows.iter().any(|(cells, _)| cells.len() != columns)
        {
            return false;
        }
        let piped = lines.iter().all(|line| line.text.contains('|') || line.words().starts_with('+'));
        let aligned = (1..columns).all(|column| rows.iter().all(|(cells, _)| cells[column].0 == header[column].0));
        if !piped && !aligned {
            return false;
        }
        let row = |cells: &[(usize, &str)]| cells.iter().map(|(_, cell)| *cell).collect::<Vec<_>>().join(" | ");
        let name = |cell: &str| cell.starts_with(char::is_uppercase) && !cell.contains(|c: char| c.is_ascii_digit());
        let names = |cells: &[(usize, &str)]| cells.iter().all(|(_, cell)| name(cell));
        let has_header = ruled || names(header) && !rows[1..].iter().any(|(cells, _)| names(cells));
        let intro = has_header.then(|| column_names(&row(header)));
        for (cells, no) in rows.iter().skip(usize::from(has_header)) {
            self.draft.push(BlockKind::TableRow, intro.clone(), &row(cells), *no);
        }
        true
    }

    /// Reads code: indented lines that do not look like sentences.
    fn code(&mut self, lines: &[Line<'_>]) -> bool {
        let transcript = lines.iter().any(|line| ["$ ", "# ", ">>> "].iter().any(|p| line.words().starts_with(p)));
        // Text at the margin, or as far in as the definition that is open, is no code.
        let margin = self.terms.last().copied().unwrap_or(0).max(self.margin);
        if !transcript && lines.iter().any(|line| line.indent < margin + 2) {
            return false;
        }
        let text: String = lines.iter().map(|line| line.words()).collect::<Vec<_>>().join(" ");
        let all = text.chars().count();
        let plain = text.chars().filter(|c| c.is_alphabetic() || *c == ' ' || ",.'".contains(*c)).count();
        let sentence =
            text.starts_with(|c: char| c.is_uppercase() || c == '"') && text.ends_with(['.', '!', '?', ':', '"', ')']);
        let prose = !transcript && sentence && plain * 100 >= all * 88
            || !transcript && plain * 100 >= all * 95 && lines.len() > 1;
        if prose {
            return false;
        }
        let margin = lines
            .iter()
            .map(|line| line.text.len() - line.text.trim_start_matches([' ', '\t']).len())
            .min()
            .unwrap_or(0);
        let code: Vec<&str> = lines.iter().map(|line| &line.text[margin..]).collect();
        self.draft.push(BlockKind::Code, None, &code.join("\n"), lines[0].no);
        true
    }

    /// Makes the list of an item the innermost one: a list of its own begins where an item is set in further, or where the
    /// items are counted anew.
    fn enter_list(&mut self, item: &Line<'_>) {
        if !self.in_list {
            self.lists.clear();
        }
        self.in_list = true;
        self.lists.retain(|(indent, _)| *indent <= item.indent);
        let is_new = self.lists.last().is_none_or(|(indent, _)| *indent < item.indent);
        if is_new {
            self.lists.push((item.indent, self.draft.list_intro()));
        } else if let Some((_, intro)) = self.lists.last_mut().filter(|_| item.is_first()) {
            *intro = self.draft.list_intro();
        }
    }

    fn intro(&self) -> Option<Clean> {
        self.lists.last().and_then(|(_, intro)| intro.clone())
    }

    fn join(&self, first: &str, rest: &[Line<'_>]) -> String {
        let mut text = first.to_owned();
        rest.iter().for_each(|line| self.hyphens.join(&mut text, line.words()));
        text
    }

    /// Reads paragraphs and list items.
    fn running(&mut self, lines: &[Line<'_>]) {
        let mut at = 0;
        while at < lines.len() {
            let item = lines[at].item();
            let end = at + 1 + lines[at + 1..].iter().take_while(|line| line.item().is_none()).count();
            let first = item.unwrap_or_else(|| lines[at].words());
            match item {
                Some(_) => {
                    self.enter_list(&lines[at]);
                    let rest = &lines[at + 1..end];
                    if is_title(&lines[at], rest) {
                        self.draft.push(BlockKind::ListItem, self.intro(), first, lines[at].no);
                        let text = self.join(rest[0].words(), &rest[1..]);
                        self.draft.push(BlockKind::ListItem, self.intro(), &text, rest[0].no);
                    } else {
                        self.draft.push(BlockKind::ListItem, self.intro(), &self.join(first, rest), lines[at].no);
                    }
                }
                None if self.in_list && lines[at].indent >= 2 => {
                    let text = self.join(first, &lines[at + 1..end]);
                    self.draft.push(BlockKind::ListItem, self.intro(), &text, lines[at].no);
                }
                None => {
                    self.in_list = false;
                    let text = self.join(first, &lines[at + 1..end]);
                    self.draft.push(BlockKind::Paragraph, None, &text, lines[at].no);
                }
            }
            at = end;
        }
    }
}

/// Whether preformatted text is mostly sentences. Function words tell: program text, output and comments have few.
fn is_mostly_prose(lines: &[Line<'_>]) -> bool {
    const MARKS_OF_CODE: [&str; 8] = ["$ ", "#", "% ", ">>>", "--", "//", "[", "..."];
    if lines.iter().any(|line| MARKS_OF_CODE.iter().any(|mark| line.words().starts_with(mark))) {
        return false;
    }
    let (mut all, mut prose, mut words) = (0, 0, 0);
    for chunk in chunks(lines) {
        let text = chunk.iter().map(Line::words).collect::<Vec<_>>().join(" ");
        all += text.len();
        if let Some(many) = words_of_prose(&text, chunk[0].item().unwrap_or(&text)) {
            prose += text.len();
            words += many;
        }
    }
    words >= LEAST_PROSE && prose * 5 >= all * 3
}

/// The number of words of a text, if it is sentences. `begins` is the text without its list marker.
fn words_of_prose(text: &str, begins: &str) -> Option<usize> {
    let words = text.split_whitespace().count();
    let function_words = text::words::words(text).filter(|word| is_stop(word)).count();
    let symbols = text.chars().filter(|c| "{}=<>;$|\\_#[]*+~@%&^".contains(*c)).count();
    let is_sentence = |text: &str| text.starts_with(char::is_uppercase);
    let begins = is_sentence(begins) || text.split(". ").skip(1).any(is_sentence);
    let ends = text.ends_with(['.', ':', '!', '?', ')']);
    let fits = words >= 6 && function_words * 100 >= words * 28 && symbols * 100 <= text.len() * 3;
    (begins && ends && fits).then_some(words)
}

/// Whether lines are sentences, rather than program text set in.
fn is_prose(lines: &[Line<'_>]) -> bool {
    let text = lines.iter().map(Line::words).collect::<Vec<_>>().join(" ");
    let all = text.chars().count();
    let plain = text.chars().filter(|c| c.is_alphabetic() || *c == ' ' || ",.'".contains(*c)).count();
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count();
    let code = lines.iter().any(|line| line.words().ends_with([';', '{', '}']));
    !code && words >= 3 && plain * 100 >= all * 80
}

/// The cells of a line with their columns: separated by bars, tabs, or at least two spaces.
fn cells(line: &str) -> Vec<(usize, &str)> {
    if line.contains('|') {
        return line.trim().trim_matches('|').split('|').map(|cell| (0, cell.trim())).collect();
    }
    let mut cells = Vec::new();
    let mut from: Option<usize> = None;
    let mut gap = 2;
    let mut end = 0;
    for (at, c) in line.char_indices() {
        match c {
            ' ' => gap += 1,
            '\t' => gap += 2,
            _ => {
                if gap >= 2 {
                    if let Some(from) = from {
                        cells.push((from, &line[from..end]));
                    }
                    from = Some(at);
                }
                gap = 0;
                end = at + c.len_utf8();
            }
        }
    }
    if let Some(from) = from {
        cells.push((from, &line[from..end]));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use run::evidence::BlockKind::{self, *};

    fn read(text: &str) -> Document {
        parse(text.as_bytes(), "note.txt").expect("text in the file")
    }

    fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
        document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
    }

    #[test]
    fn underlined_and_capital_lines_are_headings() {
        let note = read(
            "A NOTE\n======\n\nFirst line\nand second.\n\nPorts\n-----\n\nOne.\n\nSECURITY FIRST\n\nTwo.\n\n1.2 Details\n\nThree.\n\n1.2.1 and more\n\nFour.\n",
        );
        assert_eq!(note.title, "A NOTE");
        let paths: Vec<String> = note.blocks.iter().map(|b| b.headings.join("/")).collect();
        assert_eq!(
            paths,
            ["", "Ports", "Ports/SECURITY FIRST", "Ports/1.2 Details", "Ports/1.2 Details/1.2.1 and more"]
        );
        assert_eq!(note.blocks[0].text, "First line and second.");
        assert_eq!(note.blocks.iter().map(|b| b.line).collect::<Vec<_>>(), [4, 10, 14, 18, 22]);
    }

    #[test]
    fn lists_keep_their_items_and_introduction() {
        let note = read(
            "Questions to send:\n\n  1. Which one\n     is it?\n  2. Why?\n\nIt needs\n- water,\n- air.\nAnd then more.\n",
        );
        assert_eq!(
            blocks(&note),
            [
                (Paragraph, "Questions to send:"),
                (ListItem, "Which one is it?"),
                (ListItem, "Why?"),
                (Paragraph, "It needs"),
                (ListItem, "water,"),
                (ListItem, "air. And then more."),
            ]
        );
        assert_eq!(note.blocks[2].intro.as_deref(), Some("Questions to send:"));
    }

    #[test]
    fn each_list_has_the_introduction_that_stands_before_it() {
        let note = read(
            "   The leader may\n    1. appoint a deputy;\n    2. call a vote:\n       - at once\n       - in May\n    3. resign.\n\n   Anybody may:\n    1. ask.\n",
        );
        let items = note.blocks.iter().filter(|block| block.kind == ListItem);
        let intros: Vec<_> = items.map(|block| (block.text.as_str(), block.intro.as_deref().unwrap_or(""))).collect();
        assert_eq!(
            intros,
            [
                ("appoint a deputy;", "The leader may"),
                ("call a vote:", "The leader may"),
                ("at once", "call a vote:"),
                ("in May", "call a vote:"),
                ("resign.", "The leader may"),
                ("Anybody may:", "The leader may"),
                ("ask.", "Anybody may:"),
            ]
        );
    }

    #[test]
    fn the_title_of_an_item_is_no_part_of_its_first_sentence() {
        let note = read(
            "1. It will remain free\n   We give the rules by which we say whether a work is\n   free in another paper.\n2. This one has a line that is full\n   Debian of all things.\n",
        );
        assert_eq!(
            blocks(&note),
            [
                (ListItem, "It will remain free"),
                (ListItem, "We give the rules by which we say whether a work is free in another paper."),
                (ListItem, "This one has a line that is full Debian of all things."),
            ]
        );
    }

    #[test]
    fn key_value_lines_stand_alone_and_sentences_with_a_colon_do_not() {
        let note = read(
            "REST API: 6333\nMetrics: /metrics on the port\n\nNote: this is a sentence and not a pair of key and value.\n",
        );
        let first = [(KeyValue, "REST API: 6333"), (KeyValue, "Metrics: /metrics on the port")];
        assert_eq!(blocks(&note)[..2], first);
        assert_eq!(note.blocks[2].kind, Paragraph);
    }

    #[test]
    fn indented_commands_are_code_and_indented_sentences_are_not() {
        let note = read(
            "Call this:\n\n    POST /collections/chunks?x=1\n\n    This is set in from the margin, and it is prose.\n",
        );
        assert_eq!(note.blocks[1].kind, Code);
        assert_eq!(note.blocks[2].kind, Paragraph);
    }

    #[test]
    fn a_manual_page_keeps_its_headings_and_its_terms_with_what_they_mean() {
        let page = read(
            "copy(1)             User Commands             copy(1)\n\n\
             NAME\n       copy - copies one file\n\n\
             DESCRIPTION\n       It copies a file to another place, and keeps its name if the place\n       is a folder.\n\n\
             OPTIONS\n       -f, --force\n              Writes over a file that is there already, without a question.\n\n\
             \x20             With two of them it also writes over folders.\n\n\
             \x20      --dry  Says what would be copied and copies nothing at all.\n              This is safe to try.\n\n\
             EXIT STATUS\n       It is 0 if all went well.\n",
        );
        assert_eq!(page.title, "copy(1): copies one file");
        let told: Vec<(String, &str)> =
            page.blocks.iter().map(|block| (block.headings.join("/"), block.text.as_str())).collect();
        let has =
            |headings: &str, text: &str| told.iter().any(|(above, own)| above == headings && own.starts_with(text));
        assert!(has("DESCRIPTION", "It copies a file"), "{told:?}");
        assert!(has("OPTIONS/-f, --force", "Writes over a file"), "{told:?}");
        assert!(has("OPTIONS/-f, --force", "With two of them"), "{told:?}");
        assert!(has("OPTIONS/--dry", "Says what would be copied"), "{told:?}");
        assert!(has("EXIT STATUS", "It is 0 if"), "{told:?}");
        assert!(page.blocks.iter().all(|block| block.kind != Code), "{told:?}");
    }

    #[test]
    fn a_mail_is_called_by_what_it_is_about() {
        let mail = read(
            "From: Ada\nTo: list\nDate: Mon, 3 Jan 2022\nSubject: Why the index\n\tis rebuilt\n\nIt was damaged by a crash.\n",
        );
        assert_eq!(mail.title, "Why the index is rebuilt");
    }

    #[test]
    fn a_margin_of_odd_spaces_is_survived() {
        assert_eq!(read("  ``====\n\t\u{a0}=== x y\n").blocks.len(), 1);
    }

    #[test]
    fn aligned_columns_are_a_table() {
        let note = read("Name      Size   Use\n----      ----   ---\nsmall     1 kB   tests\nlarge     1 MB   work\n");
        assert_eq!(blocks(&note), [(TableRow, "small | 1 kB | tests"), (TableRow, "large | 1 MB | work")]);
        assert_eq!(note.blocks[0].intro.as_deref(), Some("Name | Size | Use"));
    }

    #[test]
    fn a_table_without_a_header_has_none() {
        let note = read("<->   Euclidean distance\n<=>   cosine distance\n<#>   inner product\n");
        assert_eq!(note.blocks.len(), 3);
        assert_eq!(note.blocks[0].intro, None);
    }

    #[test]
    fn quoted_mail_is_read_without_its_marks() {
        assert_eq!(
            blocks(&read("> Dear team,\n>\n> we wrap\n> lines.\n")),
            [(Paragraph, "Dear team,"), (Paragraph, "we wrap lines.")]
        );
    }

    #[test]
    fn a_very_long_line_is_split_between_sentences() {
        let note = read(&"This is one sentence of many. ".repeat(1000));
        assert!(note.blocks.len() > 5);
        assert!(note.blocks.iter().all(|b| b.text.len() <= 2400 && b.text.ends_with('.')));
    }
}
