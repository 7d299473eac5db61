//! reStructuredText to blocks: titles, lists, directives, fields, tables, literal blocks.
//!
//! Supports the syntax of documentation, not the whole language: unknown directives are skipped, other unknown markup is text.
//! Includes no other file.

mod directive;
mod inline;
mod table;

use super::draft::Draft;
use super::margin::without_margin;
use run::evidence::BlockKind;
use text::Clean;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    let lines: Vec<Line<'_>> = text.lines().zip(1u32..).map(|(raw, no)| Line::new(raw, no)).collect();
    let mut reader = Reader { draft, adornments: Vec::new(), terms: 0 };
    reader.body(&lines, Place::Body);
}

/// The most nested elements; deeper text is one paragraph, so that the stack is bounded.
const DEEPEST: u8 = 24;

#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    indent: usize,
    no: u32,
}

impl<'a> Line<'a> {
    fn new(raw: &'a str, no: u32) -> Self {
        let text = raw.trim_end();
        let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
        Line { text, indent, no }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    fn words(&self) -> &'a str {
        &self.text[self.indent..]
    }

    /// The character of a line that underlines a title or is a transition.
    fn adornment(&self) -> Option<char> {
        let first = self.text.chars().next().filter(char::is_ascii_punctuation)?;
        (self.text.len() >= 3 && self.text.chars().all(|c| c == first)).then_some(first)
    }
}

/// The element that a piece of text belongs to.
#[derive(Clone, Copy)]
enum Place<'i> {
    Body,
    /// A list item, with the introduction of its list, and its depth.
    Item(Option<&'i Clean>, u8),
    /// A definition, directive or quotation, and its depth.
    Within(u8),
}

impl Place<'_> {
    fn depth(self) -> u8 {
        match self {
            Place::Body => 0,
            Place::Item(_, depth) | Place::Within(depth) => depth,
        }
    }
}

struct Reader<'a> {
    draft: &'a mut Draft,
    /// Title styles by depth: the character, and whether there is an overline.
    adornments: Vec<(char, bool)>,
    terms: u8,
}

/// The level of sections opened by terms, below every heading.
const TERM_LEVEL: u8 = 20;

impl Reader<'_> {
    /// Reads lines with the same margin.
    fn body(&mut self, lines: &[Line<'_>], place: Place<'_>) {
        let Some(margin) = lines.iter().filter(|l| !l.is_blank()).map(|l| l.indent).min() else { return };
        if place.depth() > DEEPEST {
            let text: Vec<&str> = lines.iter().map(|l| l.text.trim()).collect();
            return self.paragraph(&text.join(" "), lines[0].no, place);
        }
        let mut at = 0;
        while at < lines.len() {
            if lines[at].is_blank() {
                at += 1;
            } else if lines[at].indent > margin {
                // A quotation.
                let end = indented(lines, at, margin);
                self.body(&lines[at..end], Place::Within(place.depth() + 1));
                at = end;
            } else {
                at += self.element(&lines[at..], margin, place).max(1);
            }
        }
    }

    /// Reads one element that begins at the margin. Returns the number of lines.
    fn element(&mut self, lines: &[Line<'_>], margin: usize, place: Place<'_>) -> usize {
        let words = lines[0].words();
        if let Some(used) = self.title(lines) {
            return used;
        }
        if let Some(rows) = table::read(lines, margin) {
            for (text, line) in &rows.rows {
                self.draft.push(BlockKind::TableRow, rows.header.clone(), text, *line);
            }
            return rows.used;
        }
        if let Some(rest) = words.strip_prefix("..")
            && (rest.is_empty() || rest.starts_with(' '))
        {
            let end = indented(lines, 1, margin);
            self.explicit(rest.trim_start(), &lines[..end], place);
            return end;
        }
        if words.starts_with("__ ") {
            return 1;
        }
        // An item that continues at the margin is a sentence.
        let goes_on =
            lines.get(1).is_some_and(|l| !l.is_blank() && l.indent <= margin && self::marker(l.words()).is_none());
        if let Some(marker) = marker(words).filter(|_| !goes_on) {
            return self.list(lines, margin, marker, place);
        }
        if let Some((name, value)) = field(words) {
            let end = indented(lines, 1, margin);
            self.field(name, value, &lines[..end], place);
            return end;
        }
        if let Some(rest) = words.strip_prefix("| ") {
            let (mut text, mut end) = (rest.to_owned(), 1);
            while let Some(rest) = lines.get(end).and_then(|l| l.words().strip_prefix('|')) {
                text.push(' ');
                text.push_str(rest.trim());
                end += 1;
            }
            self.paragraph(&inline::plain(&text), lines[0].no, place);
            return end;
        }
        if words.starts_with(">>> ") {
            let end = lines.iter().position(Line::is_blank).unwrap_or(lines.len());
            self.code(&lines[..end]);
            return end;
        }
        // A term is one line followed by its indented definition.
        if let [term, next, ..] = lines
            && !next.is_blank()
            && next.indent > margin
            && !term.text.ends_with("::")
        {
            let end = indented(lines, 1, margin);
            self.definition(&inline::plain(term.words()), &lines[1..end], place);
            return end;
        }
        self.text(lines, margin, place)
    }

    /// Reads a paragraph, and the literal block it announces with `::`.
    fn text(&mut self, lines: &[Line<'_>], margin: usize, place: Place<'_>) -> usize {
        let end = lines.iter().position(|l| l.is_blank() || l.indent < margin).unwrap_or(lines.len());
        let own = &lines[..end.max(1)];
        let joined = own.iter().map(Line::words).collect::<Vec<_>>().join(" ");
        let literal = joined.ends_with("::");
        let shown = match joined.strip_suffix("::") {
            Some("") => "",
            Some(before) if before.ends_with(' ') => before.trim_end(),
            Some(before) => &joined[..before.len() + 1],
            None => joined.as_str(),
        };
        self.paragraph(&inline::plain(shown), own[0].no, place);
        if !literal {
            return own.len();
        }
        let end = indented(lines, own.len(), margin);
        self.code(&lines[own.len()..end]);
        end
    }

    fn paragraph(&mut self, text: &str, line: u32, place: Place<'_>) {
        match place {
            Place::Item(intro, _) => self.draft.push(BlockKind::ListItem, intro.cloned(), text, line),
            _ => self.draft.push(BlockKind::Paragraph, None, text, line),
        }
    }

    fn code(&mut self, lines: &[Line<'_>]) {
        let Some(first) = lines.iter().position(|l| !l.is_blank()) else { return };
        let lines = &lines[first..];
        let code = without_margin(lines.iter().map(|l| l.text));
        self.draft.push(BlockKind::Code, None, &code.join("\n"), lines[0].no);
    }

    /// Reads a section title with underline and perhaps overline.
    fn title(&mut self, lines: &[Line<'_>]) -> Option<usize> {
        let (title, adornment, over, used) = match lines {
            [over, title, under, ..]
                if over.adornment().is_some() && over.adornment() == under.adornment() && !title.is_blank() =>
            {
                (title, over.adornment()?, true, 3)
            }
            [title, under, ..] if title.indent == 0 && title.adornment().is_none() => {
                (title, under.adornment()?, false, 2)
            }
            [transition, ..] => {
                return transition.adornment().filter(|_| lines.get(1).is_none_or(Line::is_blank)).map(|_| 1);
            }
            [] => return None,
        };
        if !over && (title.is_blank() || lines[1].text.chars().count() * 2 < title.text.chars().count()) {
            return None;
        }
        let key = (adornment, over);
        let level = self.adornments.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.adornments.push(key);
            self.adornments.len() - 1
        });
        let level = u8::try_from(level + 1).unwrap_or(TERM_LEVEL - 1).min(TERM_LEVEL - 1);
        self.draft.heading(level, &inline::plain(title.text.trim()));
        Some(used)
    }

    fn list(&mut self, lines: &[Line<'_>], margin: usize, first: Marker, place: Place<'_>) -> usize {
        let intro = self.draft.list_intro(matches!(place, Place::Item(..)));
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.is_blank() {
                at += 1;
                continue;
            }
            let Some(marker) = (line.indent == margin).then(|| marker(line.words())).flatten() else { break };
            if marker.kind != first.kind {
                break;
            }
            let end = indented(lines, at + 1, margin);
            let mut item: Vec<Line<'_>> = lines[at..end].to_vec();
            // The text after the marker sets the item's margin.
            let inner = margin + marker.width;
            item[0] = Line { indent: inner.min(line.text.len()), ..*line };
            let below = item[1..].iter().filter(|l| !l.is_blank()).map(|l| l.indent).min();
            self.item(&item, inner, below, intro.as_ref(), place.depth() + 1);
            at = end;
        }
        at
    }

    fn item(&mut self, lines: &[Line<'_>], inner: usize, below: Option<usize>, intro: Option<&Clean>, depth: u8) {
        let place = Place::Item(intro, depth);
        // Its first paragraph may wrap to another margin than the text after the marker.
        let straight = below.is_none_or(|below| below >= inner);
        if straight && below.is_none_or(|below| below == inner) {
            return self.body(lines, place);
        }
        let (joined, rest) = running(lines);
        let literal = joined.ends_with("::");
        self.paragraph(&inline::plain(joined.trim_end_matches("::")), lines[0].no, place);
        if literal { self.code(rest) } else { self.body(rest, place) }
    }

    fn definition(&mut self, term: &str, lines: &[Line<'_>], place: Place<'_>) {
        let level = TERM_LEVEL.saturating_add(self.terms);
        self.terms = self.terms.saturating_add(1);
        self.draft.close(level);
        self.draft.term(level, term);
        let begin = self.draft.position();
        self.body(lines, Place::Within(place.depth() + 1));
        self.draft.fold_short_definition(begin, level);
        self.draft.close(level);
        self.terms = self.terms.saturating_sub(1);
    }

    fn field(&mut self, name: &str, value: &str, lines: &[Line<'_>], place: Place<'_>) {
        let (below, rest) = running(&lines[1..]);
        let value = format!("{value} {below}");
        if !value.trim().is_empty() {
            let text = inline::plain(&format!("{name}: {}", value.trim()));
            self.draft.push(BlockKind::KeyValue, None, &text, lines[0].no);
        }
        self.body(rest, Place::Within(place.depth() + 1));
    }
}

/// The text of the lines up to a blank one, and the lines from there on.
fn running<'l, 'a>(lines: &'l [Line<'a>]) -> (String, &'l [Line<'a>]) {
    let (first, rest) = lines.split_at(lines.iter().position(Line::is_blank).unwrap_or(lines.len()));
    (first.iter().map(Line::words).collect::<Vec<_>>().join(" "), rest)
}

/// The end of the lines that are indented deeper than `margin`, from line `from` on.
fn indented(lines: &[Line<'_>], from: usize, margin: usize) -> usize {
    let mut end = from.min(lines.len());
    for (at, line) in lines.iter().enumerate().skip(from) {
        if line.is_blank() {
            continue;
        }
        if line.indent <= margin {
            break;
        }
        end = at + 1;
    }
    end
}

#[derive(Clone, Copy)]
struct Marker {
    kind: char,
    width: usize,
}

/// The marker of a list item: a bullet, or a number or letter with a dot or parenthesis.
fn marker(words: &str) -> Option<Marker> {
    let mut chars = words.chars();
    let first = chars.next()?;
    if matches!(first, '*' | '-' | '+' | '\u{2022}') {
        let spaces = words[first.len_utf8()..].len() - words[first.len_utf8()..].trim_start().len();
        return (spaces > 0 && !words.trim_start_matches(first).is_empty())
            .then_some(Marker { kind: first, width: first.len_utf8() + spaces });
    }
    let body = words.strip_prefix('(').unwrap_or(words);
    let label = body.bytes().take_while(|b| b.is_ascii_digit() || *b == b'#').count();
    let label = if label == 0 && body.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) { 1 } else { label };
    let after = body.get(label..)?;
    if label == 0 || label > 4 {
        return None;
    }
    let rest = after.strip_prefix(['.', ')'])?;
    let spaces = rest.len() - rest.trim_start().len();
    // "A. Person" begins a sentence more often than a list.
    let letter = body.as_bytes()[0].is_ascii_uppercase();
    (spaces > 0 && !letter && !rest.trim().is_empty())
        .then_some(Marker { kind: '1', width: words.len() - rest.len() + spaces })
}

/// Name and value of a field such as `:Version: 2`.
fn field(words: &str) -> Option<(&str, &str)> {
    let rest = words.strip_prefix(':')?;
    let (name, value) = rest.split_once(':')?;
    let fits = !name.is_empty()
        && !name.starts_with(' ')
        && !name.contains('`')
        && (value.is_empty() || value.starts_with(' '));
    fits.then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests;
