//! Reads the Markdown of a writer as a draft: a title, headings, paragraphs, lists, tables, program text. It never judges the
//! content.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

use super::headed;
use super::marks::{cited_sentences, cites_in, label};
use super::unwrapped::unwrapped;
use crate::words::WORDS;
use run::FindingId;
use run::brief::{Draft, Item, Piece, Section, Sentence, Wording};
use run::finding::Finding;
use text::Clean;

/// The headings of the parts that every brief may have.
const GAPS: [&str; 3] = ["gaps", "gaps and limitations", "limitations"];
const DISAGREEMENTS: [&str; 2] = ["disagreements", "contradictions"];
const SOURCES: [&str; 3] = ["sources", "references", "citations"];

/// Reads a draft whose citations are the numbers of these findings, from 1. An unknown number is kept as a citation of
/// nothing, which the gates veto.
///
/// `findings` are those whose quotes may hold the program text of the brief.
pub(super) fn draft(text: &str, ids: &[FindingId], findings: &[Finding]) -> Draft {
    let text = unwrapped(text).join("\n");
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter().peekable();
    let draft = Draft { wording: Wording::Reworded, ..Draft::default() };
    let mut reader =
        Reader { text: &text, ids, findings, events, draft, heading: Clean::default(), introduction: None };
    while reader.block() {}
    reader.introduces_nothing();
    reader.draft.sections.iter_mut().for_each(|section| headed::cite(&mut section.pieces));
    reader.draft
}

struct Reader<'a> {
    text: &'a str,
    ids: &'a [FindingId],
    findings: &'a [Finding],
    events: Peekable<OffsetIter<'a>>,
    draft: Draft,
    heading: Clean,
    /// A line that may introduce the next block. It cites nothing, unless it is nothing but citations.
    introduction: Option<Sentence>,
}

impl Reader<'_> {
    /// Reads a block; false at the end of the text. The content of a quotation is read like the rest.
    fn block(&mut self) -> bool {
        let Some((event, range)) = self.events.next() else { return false };
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(level, &range),
            Event::Start(Tag::Paragraph) => {
                let text = self.inline(&TagEnd::Paragraph);
                self.paragraph(&text, &range);
            }
            Event::Start(Tag::List(first)) => self.list(first),
            Event::Start(Tag::Table(_)) => self.table(),
            Event::Start(Tag::CodeBlock(kind)) => self.code(&kind),
            Event::Start(Tag::HtmlBlock) => {
                let text = self.inline(&TagEnd::HtmlBlock);
                self.paragraph(&text, &range);
            }
            _ => {}
        }
        true
    }

    /// The text up to the end of a block, as it is to be read: without emphasis, program text between backticks.
    fn inline(&mut self, end: &TagEnd) -> String {
        let mut text = String::new();
        while let Some((event, range)) = self.events.next() {
            if event == Event::End(*end) {
                break;
            }
            self.append(&mut text, &event, range);
        }
        text
    }

    /// Appends an event within a line.
    fn append(&mut self, text: &mut String, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Text(more) => {
                // A bracket behind a backslash is no citation.
                let is_escaped = more.starts_with('[') && self.text[..range.start].ends_with('\\');
                text.extend(is_escaped.then_some('\\'));
                text.push_str(more);
            }
            Event::Code(code) if !code.contains('`') => text.extend(["`", code, "`"]),
            Event::InlineHtml(tag) if tag.starts_with("<br") => text.push(' '),
            Event::Code(_) | Event::InlineHtml(_) | Event::Html(_) => text.push_str(&self.text[range]),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            // Numbers in brackets whose sources are listed below as targets of links.
            Event::Start(Tag::Link { link_type, .. }) if !matches!(link_type, LinkType::Inline) => {
                text.push_str(&self.text[range]);
                self.skip(TagEnd::Link);
            }
            Event::Start(Tag::Strong | Tag::Emphasis) if self.is_text(&range) => {
                text.push_str(&self.text[range]);
                let end = if matches!(event, Event::Start(Tag::Strong)) { TagEnd::Strong } else { TagEnd::Emphasis };
                self.skip(end);
            }
            _ => {}
        }
    }

    fn skip(&mut self, end: TagEnd) {
        while self.events.next().is_some_and(|(event, _)| event != Event::End(end)) {}
    }

    /// Whether apparent emphasis is none: operators (`2**8`), names (`__init__`).
    fn is_text(&self, range: &Range<usize>) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inner = &self.text[range.clone()];
        let is_name = inner.starts_with('_') && !inner.contains(|c: char| c != '_' && !c.is_ascii_lowercase());
        let joins = is_word(self.text[..range.start].chars().next_back())
            && is_word(inner.trim_start_matches('*').chars().next());
        is_name || joins
    }

    fn heading(&mut self, level: HeadingLevel, range: &Range<usize>) {
        let text = self.inline(&TagEnd::Heading(level));
        // A line above a rule reads as a heading, too.
        if !self.text[range.clone()].trim_start().starts_with('#') {
            return self.paragraph(&text, range);
        }
        self.introduces_nothing();
        self.heading = match level {
            HeadingLevel::H1 if self.draft.title.is_empty() && !is_part(&text) => {
                self.draft.title = label(&text);
                Clean::default()
            }
            _ => label(text.trim_matches([' ', ':'])),
        };
    }

    fn paragraph(&mut self, text: &str, range: &Range<usize>) {
        self.introduces_nothing();
        let text = text.trim();
        let mut sentences = self.cited(text);
        let is_cited = sentences.iter().any(|sentence| !sentence.cites.is_empty());
        let bold = self.text[range.clone()].trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        let is_bold = !is_cited && bold.is_some_and(|bold| !bold.contains("**") && !bold.ends_with(['.', '!', '?']));
        let introduction = match self.events.peek() {
            Some((Event::Start(Tag::List(_)), _)) if is_bold => {
                sentences.clear();
                Some(sentence(text))
            }
            Some((Event::Start(Tag::CodeBlock(_)), _)) if sentences.is_empty() => {
                Some(Sentence { text: Clean::default(), cites: cites_in(text, self.ids) })
            }
            Some((Event::Start(Tag::List(_) | Tag::Table(_) | Tag::CodeBlock(_)), _)) => lead_in(&mut sentences),
            _ => None,
        };
        if is_bold && introduction.is_none() {
            self.heading = label(text.trim_end_matches(':'));
        } else {
            self.add(sentences, |sentences| Piece::Paragraph { sentences });
            self.introduction = introduction;
        }
    }

    /// A line that was to introduce something is a statement like others.
    fn introduces_nothing(&mut self) {
        let line = self.introduction.take().filter(|line| !line.text.is_empty());
        self.add(line.into_iter().collect(), |sentences| Piece::Paragraph { sentences });
    }

    /// The introduction of a list or a table, without its colon.
    fn introduced(&mut self) -> Option<Clean> {
        let line = self.introduction.take()?;
        Some(Clean::line(line.text.trim_end_matches([':', ' ']))).filter(|label| !label.is_empty())
    }

    /// A list; the lists and the program text within its items follow it, and so does the text behind them in their item. An item
    /// that only names the list within it is its label. However deep lists stand in each other, the stack does not grow.
    fn list(&mut self, first: Option<u64>) {
        let mut open = vec![Listed { label: self.introduced(), next: first, ..Listed::default() }];
        let mut text = String::new();
        while let Some(list) = open.last_mut() {
            let Some((event, range)) = self.events.next() else { break };
            match event {
                Event::Start(Tag::Item) => list.goes_on = false,
                Event::Start(Tag::List(first)) => {
                    self.item(list, &std::mem::take(&mut text), Some(Within::List));
                    self.add_list(list);
                    list.goes_on = true;
                    open.push(Listed { label: self.introduced(), next: first, ..Listed::default() });
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    self.item(list, &std::mem::take(&mut text), Some(Within::Code));
                    self.add_list(list);
                    // A step may be its program text alone.
                    list.next = list.next.map(|next| next + u64::from(!list.goes_on));
                    list.goes_on = true;
                    self.code(&kind);
                }
                Event::End(TagEnd::Item) => self.item(list, &std::mem::take(&mut text), None),
                Event::End(TagEnd::List(_)) => {
                    self.add_list(list);
                    open.pop();
                }
                Event::End(TagEnd::Paragraph) => text.push(' '),
                event => self.append(&mut text, &event, range),
            }
        }
    }

    /// Reads the text of an item up to its end, or up to the block `within` it, which the end of the text may introduce.
    fn item(&mut self, list: &mut Listed, text: &str, within: Option<Within>) {
        let text = text.trim();
        let mut sentences = self.cited(text);
        let is_name = !text.ends_with(['.', '!', '?']) && sentences.iter().all(|sentence| sentence.cites.is_empty());
        let introduction = match within {
            Some(Within::List) if is_name => std::mem::take(&mut sentences).first().map(|_| sentence(text)),
            // The line of a step has its number, and is no label.
            Some(_) if list.goes_on || sentences.len() > 1 => lead_in(&mut sentences),
            _ => None,
        };
        match sentences.is_empty() {
            true => {}
            false if list.goes_on => self.add(sentences, |sentences| Piece::Paragraph { sentences }),
            false => {
                list.items.push(Item(sentences));
                list.goes_on = true;
            }
        }
        self.introduction = introduction;
    }

    /// Adds the items that were read, and leaves the list as it goes on behind them.
    fn add_list(&mut self, list: &mut Listed) {
        let items = std::mem::take(&mut list.items);
        if items.is_empty() {
            return;
        }
        let first = list.next;
        list.next = first.map(|first| first + items.len() as u64);
        match Part::of(&self.heading) {
            Part::Body => self.push(Piece::List { label: list.label.take(), first, items }),
            _ => items.into_iter().for_each(|Item(sentences)| {
                self.add(sentences, |sentences| Piece::Paragraph { sentences });
            }),
        }
    }

    /// Program text. It cites the finding whose quote holds it, or else the findings that the line above it cites.
    fn code(&mut self, kind: &CodeBlockKind<'_>) {
        let code = self.inline(&TagEnd::CodeBlock);
        if matches!(kind, CodeBlockKind::Indented) {
            self.introduces_nothing();
            let sentences = self.cited(&code);
            return self.add(sentences, |sentences| Piece::Paragraph { sentences });
        }
        if code.trim().is_empty() || Part::of(&self.heading) != Part::Body {
            return self.introduces_nothing();
        }
        let introduction = self.introduction.take();
        let above = match &introduction {
            Some(line) => line.cites.clone(),
            None => self.above().map(|above| above.cites.clone()).unwrap_or_default(),
        };
        let cites = self.holding_all(&code, &above).unwrap_or(above);
        // A step that only announces its program text rests on what that rests on.
        if let Some(above) = self.above().filter(|above| introduction.is_none() && announces(above)) {
            above.cites.clone_from(&cites);
        }
        let label = introduction.map(|line| line.text).filter(|label| !label.is_empty());
        self.push(Piece::Code { label, sentence: Sentence { text: Clean::new(code.trim_end()), cites } });
    }

    /// The last sentence below the heading that is being read.
    fn above(&mut self) -> Option<&mut Sentence> {
        let section = self.draft.sections.last_mut().filter(|section| section.heading == self.heading)?;
        match section.pieces.last_mut()? {
            Piece::Paragraph { sentences } => sentences.last_mut(),
            Piece::List { items, .. } => items.last_mut()?.0.last_mut(),
            Piece::Table { rows, .. } => rows.last_mut()?.1.last_mut(),
            Piece::Code { sentence, .. } => Some(sentence),
        }
    }

    /// The finding whose quote holds this program text, or those that hold a line of it each; None if a line is in no quote.
    fn holding_all(&self, code: &str, above: &[FindingId]) -> Option<Vec<FindingId>> {
        if let Some(id) = self.holding(code, above) {
            return Some(vec![id]);
        }
        let lines = code.lines().filter(|line| !line.trim().is_empty());
        let mut ids: Vec<FindingId> = lines.map(|line| self.holding(line, above)).collect::<Option<_>>()?;
        let mut known = BTreeSet::new();
        ids.retain(|id| known.insert(*id));
        Some(ids)
    }

    /// The finding whose quote holds this program text; of several, one that the line above it cites.
    fn holding(&self, code: &str, above: &[FindingId]) -> Option<FindingId> {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let code = flat(code);
        let is_holding = |finding: &&Finding| holds(&flat(&finding.said()), &code);
        let holding: Vec<FindingId> = self.findings.iter().filter(is_holding).map(|finding| finding.id).collect();
        holding.iter().find(|id| above.contains(id)).or(holding.first()).copied()
    }

    /// A table whose first row names the columns, and whose first cells name the subjects of their rows.
    fn table(&mut self) {
        let label = self.introduced();
        let (mut header, mut rows) = (Vec::new(), Vec::new());
        let mut row: Vec<String> = Vec::new();
        while let Some((event, _)) = self.events.next() {
            match event {
                Event::End(TagEnd::Table) => break,
                Event::Start(Tag::TableCell) => row.push(self.inline(&TagEnd::TableCell)),
                Event::End(TagEnd::TableHead) => {
                    header = std::mem::take(&mut row).iter().map(|cell| self::label(cell)).collect();
                }
                Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
                _ => {}
            }
        }
        let cell = |text: &String| {
            let sentences = self.cited(text);
            let cites = sentences.iter().flat_map(|sentence| sentence.cites.clone()).collect();
            let text = sentences.iter().map(|sentence| &*sentence.text).collect::<Vec<_>>().join(" ");
            if is_unsaid(&text) { Sentence::default() } else { Sentence { text: text.into(), cites } }
        };
        let row = |row: Vec<String>| {
            let name = row.first().map(String::as_str).unwrap_or_default();
            let mut cells: Vec<Sentence> = row.iter().skip(1).map(cell).collect();
            hold_for_all(&mut cells, &cites_in(name, self.ids));
            (self::label(name), cells)
        };
        let rows: Vec<_> = rows.into_iter().map(row).collect();
        if Part::of(&self.heading) == Part::Body {
            self.push(Piece::Table { label, header, rows });
        }
    }

    fn cited(&self, text: &str) -> Vec<Sentence> {
        cited_sentences(text, self.ids)
    }

    /// Adds sentences to the part of their heading.
    fn add(&mut self, mut new: Vec<Sentence>, piece: impl Fn(Vec<Sentence>) -> Piece) {
        if new.is_empty() {
            return;
        }
        match Part::of(&self.heading) {
            Part::Gaps => self.draft.gaps.extend(new.into_iter().map(|sentence| sentence.text)),
            Part::Disagreements => self.draft.disagreements.append(&mut new),
            // The program lists the sources itself.
            Part::Sources => {}
            Part::Body => self.push(piece(new)),
        }
    }

    /// Adds a piece to the section of its heading.
    fn push(&mut self, piece: Piece) {
        let sections = &mut self.draft.sections;
        if sections.last().is_none_or(|section| section.heading != self.heading) {
            sections.push(Section { heading: self.heading.clone(), pieces: Vec::new() });
        }
        let Some(section) = sections.last_mut() else { return };
        match (section.pieces.last_mut(), piece) {
            // A list that was within a list goes on with it.
            (
                Some(Piece::List { label: None, first: None, items }),
                Piece::List { label: None, first: None, items: more },
            ) => items.extend(more),
            (_, piece) => section.pieces.push(piece),
        }
    }
}

/// A list that is being read.
#[derive(Default)]
struct Listed {
    label: Option<Clean>,
    /// The number of the next item that is added, if they are numbered.
    next: Option<u64>,
    items: Vec<Item>,
    /// Whether something of the open item was read: the next text belongs to it and is no item of its own.
    goes_on: bool,
}

/// The kinds of content of a list item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    List,
    Code,
}

/// A line that cites nothing, as one sentence.
fn sentence(text: &str) -> Sentence {
    Sentence { text: label(text), cites: Vec::new() }
}

/// Takes off the last sentence if it announces the next block.
fn lead_in(sentences: &mut Vec<Sentence>) -> Option<Sentence> {
    sentences.pop_if(|sentence| announces(sentence))
}

/// Whether a sentence only announces the next block: it ends in a colon and cites nothing.
fn announces(sentence: &Sentence) -> bool {
    sentence.cites.is_empty() && sentence.text.ends_with(':')
}

/// Whether a quote has this program text, and not only as a part of longer words.
fn holds(quote: &str, code: &str) -> bool {
    let are_letters =
        |one: Option<char>, other: Option<char>| [one, other].iter().all(|c| c.is_some_and(char::is_alphanumeric));
    quote.match_indices(code).any(|(at, code)| {
        let (before, after) = (&quote[..at], &quote[at + code.len()..]);
        !are_letters(before.chars().next_back(), code.chars().next())
            && !are_letters(code.chars().next_back(), after.chars().next())
    })
}

/// Whether a cell only says that the sources do not say it: a dash, "not stated".
fn is_unsaid(cell: &str) -> bool {
    cell.chars().all(|c| "-–—".contains(c)) || WORDS.unsaid.contains(cell.trim_end_matches('.').to_lowercase().as_str())
}

/// Gives the cells of a row the citations of its last cell, if no other cell has any: these hold for the row. What the name cites holds
/// for all of them, too.
fn hold_for_all(cells: &mut [Sentence], of_name: &[FindingId]) {
    let of_row = match cells.iter().filter(|cell| !cell.cites.is_empty()).count() {
        0 => of_name.to_vec(),
        1 => cells.iter().rfind(|cell| !cell.text.is_empty()).map(|cell| cell.cites.clone()).unwrap_or_default(),
        _ => Vec::new(),
    };
    let bare = cells.iter_mut().filter(|cell| cell.cites.is_empty() && !cell.text.is_empty());
    bare.for_each(|cell| cell.cites.clone_from(&of_row));
    for cell in cells.iter_mut().filter(|cell| !cell.cites.is_empty()) {
        let more: Vec<FindingId> = of_name.iter().filter(|id| !cell.cites.contains(id)).copied().collect();
        cell.cites.extend(more);
    }
}

/// A part of a brief, by its heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Body,
    Gaps,
    Disagreements,
    Sources,
}

impl Part {
    fn of(heading: &str) -> Part {
        let heading = heading.trim_matches(['*', ' ', ':']).to_lowercase();
        match &*heading {
            heading if GAPS.contains(&heading) => Part::Gaps,
            heading if DISAGREEMENTS.contains(&heading) => Part::Disagreements,
            heading if SOURCES.contains(&heading) => Part::Sources,
            _ => Part::Body,
        }
    }
}

/// Whether a heading is that of such a part, and no title.
fn is_part(heading: &str) -> bool {
    Part::of(heading) != Part::Body
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::AssignmentId;

    fn ids() -> Vec<FindingId> {
        (1..=3).map(|n| FindingId::new(AssignmentId::nth(4), n)).collect()
    }

    fn read(text: &str) -> Draft {
        draft(text, &ids(), &[])
    }

    /// The body as Markdown, citations as the numbers of findings.
    fn shown(draft: &Draft) -> String {
        let marks = |sentence: &Sentence| sentence.cites.iter().map(|id| format!(" [{}]", id.n)).collect::<String>();
        let cited = |sentence: &Sentence| format!("{}{}", sentence.text, marks(sentence));
        let all = |sentences: &[Sentence]| sentences.iter().map(cited).collect::<Vec<_>>().join(" ");
        let piece = |piece: &Piece| match piece {
            Piece::Paragraph { sentences } => all(sentences),
            Piece::List { label, first, items } => {
                let label = label.as_ref().map(|label| format!("({label}) ")).unwrap_or_default();
                let items: Vec<String> = items.iter().map(|Item(sentences)| all(sentences)).collect();
                format!("{label}{}{}", first.map_or("- ".into(), |first| format!("{first}. ")), items.join(" - "))
            }
            Piece::Table { label, header, rows } => {
                let label = label.as_ref().map(|label| format!("({label}) ")).unwrap_or_default();
                let names: Vec<&str> = header.iter().map(|name| name.as_str()).collect();
                let rows = rows.iter().map(|(name, cells)| {
                    format!("; {name}: {}", cells.iter().map(cited).collect::<Vec<_>>().join(" | "))
                });
                format!("{label}{}{}", names.join(" | "), rows.collect::<String>())
            }
            Piece::Code { label, sentence } => {
                let label = label.as_ref().map(|label| format!("({label}) ")).unwrap_or_default();
                format!("{label}```{}```{}", sentence.text, marks(sentence))
            }
        };
        let section = |section: &Section| {
            let pieces: Vec<String> = section.pieces.iter().map(piece).collect();
            format!("{}# {}", section.heading, pieces.join(" / "))
        };
        draft.sections.iter().map(section).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn lists_keep_their_order_their_items_and_what_introduces_them() {
        for (text, expected) in [
            ("1. Stop it [1].\n2. Wait. Then start it [2].\n", "# 1. Stop it. [1] - Wait. Then start it. [2]"),
            ("Do this:\n\n1. Stop it [1].\n", "# (Do this) 1. Stop it. [1]"),
            ("Do this:\n- Stop it [1].\n- Start it [2].\n", "# (Do this) - Stop it. [1] - Start it. [2]"),
            (
                "- Delivery:\n  - once [1]\n  - twice [2]\n- Size: 5 [3]\n",
                "# (Delivery) - once [1] - twice [2] / - Size: 5 [3]",
            ),
            ("- It waits [1].\n  - For an hour [2].\n", "# - It waits. [1] - For an hour. [2]"),
            ("- It is the best.\n  - It is fast [1].\n- Bare\n", "# - It is the best. - It is fast. [1] - Bare"),
            ("It has limits [1]:\n\n- Five queues [2].\n", "# It has limits: [1] / - Five queues. [2]"),
            (
                "Limits are as follows:\n\nIt has five queues [2].\n",
                "# Limits are as follows: / It has five queues. [2]",
            ),
            (
                "1. Run it [1]:\n\n   ```sh\n   go --now\n   ```\n2. Wait [2].\n",
                "# 1. Run it: [1] / ```go --now``` [1] / 2. Wait. [2]",
            ),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn lists_and_quotations_may_stand_in_each_other_however_deep() {
        for mark in ["- ", "> ", "1. ", "> - "] {
            let text = format!("{}It flies [1].\n", mark.repeat(10_000));
            let cited = read(&text).sentences().filter(|sentence| !sentence.cites.is_empty()).count();
            assert_eq!(cited, 1, "{mark}");
        }
    }

    #[test]
    fn steps_keep_their_numbers_around_program_text_and_what_follows_it_is_of_its_step() {
        for (text, expected) in [
            (
                "1. Run it [1]:\n\n   ```\n   go\n   ```\n\n   It takes a while [2].\n2. Wait [3].\n",
                "# 1. Run it: [1] / ```go``` [1] / It takes a while. [2] / 2. Wait. [3]",
            ),
            (
                "3. Run it [1].\n   - Now [2]\n\n   Then wait [3].\n4. Stop [1].\n",
                "# 3. Run it. [1] / - Now [2] / Then wait. [3] / 4. Stop. [1]",
            ),
            ("1. ```\n   go\n   ```\n2. Wait [3].\n", "# ```go``` / 2. Wait. [3]"),
            (
                "1. Stop it [1]. Then run:\n\n   ```\n   go\n   ```\n\n   And then:\n\n   ```\n   on\n   ```\n2. Wait [3].\n",
                "# 1. Stop it. [1] / (Then run:) ```go``` / (And then:) ```on``` / 2. Wait. [3]",
            ),
            (
                "1. It may stop [1]. Two kinds do not:\n   - this [2]\n   - that [3]\n",
                "# 1. It may stop. [1] / (Two kinds do not) - this [2] - that [3]",
            ),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_cites_is_a_sentence_also_above_program_text_lists_and_tables() {
        let table = "| a | b |\n|---|---|\n| x | y [3] |\n";
        for (text, expected) in [
            (
                "Ask for the age [2]:\n\n```sql\nSELECT a\n  FROM b;\n```\n\nPer table:\n\n```\nx\n```\n",
                "# Ask for the age: [2] / ```SELECT a\n  FROM b;``` [2] / (Per table:) ```x```".to_owned(),
            ),
            ("To be backed up [1]:\n\n- ~/ [2]\n", "# To be backed up: [1] / - ~/ [2]".to_owned()),
            (&format!("It depends [1]:\n\n{table}"), "# It depends: [1] / a | b; x: y [3]".to_owned()),
            (&format!("By host:\n\n{table}"), "# (By host) a | b; x: y [3]".to_owned()),
            (&format!("**By host**\n\n{table}"), "By host# a | b; x: y [3]".to_owned()),
            ("[2]\n\n```\nx\n```\n", "# ```x``` [2]".to_owned()),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_end_of_a_paragraph_introduces_what_follows_it() {
        let table = "| a | b |\n|---|---|\n| x | y [3] |\n";
        let cases = [
            (
                "It may be lost [2]. To prevent it:\n\n- Wait [1].\n".to_owned(),
                "# It may be lost. [2] / (To prevent it) - Wait. [1]",
            ),
            (format!("It may fail [2]. By host:\n\n{table}"), "# It may fail. [2] / (By host) a | b; x: y [3]"),
            ("It may fail [2]. Then run:\n\n```\nx\n```\n".to_owned(), "# It may fail. [2] / (Then run:) ```x```"),
            ("It may fail [2]. Then run:\n\nMore [1].\n".to_owned(), "# It may fail. [2] Then run: / More. [1]"),
            ("It is so. By host:\n\n- Wait [1].\n".to_owned(), "# It is so. / (By host) - Wait. [1]"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(&read(&text)), expected, "{text}");
        }
    }

    #[test]
    fn program_text_cites_the_finding_that_holds_it_and_else_the_line_above() {
        let quotes = [
            "Use tools such as the merge.",
            "Run\n  lvconvert --merge VG/SnapLV",
            "`lvconvert --merge VG/SnapLV` merges.",
        ];
        let findings: Vec<Finding> = ids()
            .into_iter()
            .zip(quotes)
            .map(|(id, quote)| Finding { id, ..crate::sample::finding(1, "LVM", quote) })
            .collect();
        let fence = "```\nlvconvert --merge VG/SnapLV\n```\n";
        for (text, expected) in [
            (format!("Merge it [1]:\n\n{fence}"), vec![1, 2]),
            (format!("Merge it [3]:\n\n{fence}"), vec![3, 3]),
            (format!("## S\n\n{fence}"), vec![2]),
            ("List them [2]:\n\n```\nls\n```\n".to_owned(), vec![2, 2]),
            (format!("1. Merge it:\n\n   {}", fence.replace('\n', "\n   ")), vec![2, 2]),
            ("# A\n\nIt flies [1].\n\n## B\n\n```\nls\n```\n".to_owned(), vec![1]),
        ] {
            let draft = draft(&text, &ids(), &findings);
            let cited: Vec<u32> = draft.sentences().flat_map(|sentence| &sentence.cites).map(|id| id.n).collect();
            assert_eq!(cited, expected, "{text}");
        }
    }

    #[test]
    fn a_cell_that_says_that_nothing_is_said_is_empty_and_cites_nothing() {
        for (row, expected) in [
            ("| Memory | not said | 2 GiB [1], 16 GiB [2] |", "Memory:  | 2 GiB, 16 GiB [1] [2]"),
            ("| Memory | Not stated. [1] | 2 GiB [1] |", "Memory:  | 2 GiB [1]"),
            ("| Memory | N/A | — [2] |", "Memory:  | "),
            ("| Memory | not supported | 2 GiB [1] |", "Memory: not supported [1] | 2 GiB [1]"),
            ("| Memory | none | unknown [3] |", "Memory: none | "),
        ] {
            let draft = read(&format!("| of | A | B |\n|---|---|---|\n{row}\n"));
            assert_eq!(shown(&draft), format!("# of | A | B; {expected}"), "{row}");
        }
    }

    #[test]
    fn a_citation_at_the_end_or_in_the_name_of_a_row_holds_for_the_row() {
        for (row, expected) in [
            ("| free | 3 | $0 [1] |", "free: 3 [1] | $0 [1]"),
            ("| free [2] | 3 | $0 |", "free: 3 [2] | $0 [2]"),
            ("| free | 3 [1] | $0 [2] |", "free: 3 [1] | $0 [2]"),
            ("| free | 3 [1] | $0 |", "free: 3 [1] | $0"),
            ("| free | – | $0 [2] |", "free:  | $0 [2]"),
        ] {
            let draft = read(&format!("# T\n\n| plan | queues | price |\n|---|---|---|\n{row}\n"));
            assert_eq!(shown(&draft), format!("# plan | queues | price; {expected}"), "{row}");
        }
    }

    #[test]
    fn what_frames_a_brief_is_no_part_of_it() {
        for (text, expected) in [
            ("```markdown\n# Title\n\nIt flies [1].\n```\n", "# It flies. [1]"),
            ("Here is the brief:\n\n```md\n# Title\n\nIt flies [1].\n```\nI hope it helps.\n", "# It flies. [1]"),
            (
                "Sure! Here it is.\n\n---\n\n# Title\n\nIt flies [1].\n\n---\n\nIt runs [2].\n",
                "# It flies. [1] / It runs. [2]",
            ),
            ("It flies [1].\n---\n\n**Speed**\n\nIt is fast [2].\n", "# It flies. [1]\nSpeed# It is fast. [2]"),
            (
                "```markdown\n# T\n\nIt flies [1].\n\n```sh\nrun\n```\n\nIt runs [2].\n```\n",
                "# It flies. [1] / ```run``` [1] / It runs. [2]",
            ),
            ("It swims [2].\n\n# T\n\nIt flies [1].\n", "# It swims. [2] / It flies. [1]"),
            ("It flies [^1].\n\n[^1]: overview.md\n", "# It flies. [1]"),
            ("> It flies [1].\n", "# It flies. [1]"),
            ("It flies [1].\n\n[1]: a.md\n[2]: b.md\n", "# It flies. [1]"),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn emphasis_goes_and_stars_and_underscores_of_program_text_stay() {
        for (text, expected) in [
            ("**Fast** and small [1], says v0.5.0 [x].", "# Fast and small, says v0.5.0 [x]. [1]"),
            (
                "The default of **retries** is 1.5 seconds [1]. Joins are __not supported__ [2].",
                "# The default of retries is 1.5 seconds. [1] Joins are not supported. [2]",
            ),
            ("**Widget** waits. [1] **It** stops. [2]", "# Widget waits. [1] It stops. [2]"),
            (
                "The `__init__` method is called once, and `argv[1]` holds the **first** argument [3].",
                "# The `__init__` method is called once, and `argv[1]` holds the first argument. [3]",
            ),
            (
                "It is 2**8 or 3**4, says __init__ and *perhaps* [1].",
                "# It is 2**8 or 3**4, says __init__ and perhaps. [1]",
            ),
            ("A lone ` or ** or [ is text [2].", "# A lone ` or ** or [ is text. [2]"),
        ] {
            assert_eq!(shown(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_title_is_the_first_heading_that_is_no_part_of_the_brief_nor_program_text() {
        for (text, title) in [
            ("# Title\n\nIt flies [1].\n\n```sh\n# not the title\nrun it\n```\n", "Title"),
            ("# Title\n\nIt flies [1].\n\n# Gaps\n\n- Nothing on price.\n", "Title"),
            ("# Gaps\n\n- Nothing on price.\n\n# Title\n\nIt flies [1].\n", "Title"),
            ("# Title\n\nIt flies [1].\n\n# Speed\n\nIt is fast [2].\n", "Title"),
            ("```\n\n# Title\n\nIt flies [1].\n", "Title"),
        ] {
            let draft = read(text);
            assert_eq!(draft.title.as_str(), title, "{text}");
            assert_eq!(draft.gaps.len(), text.matches("Nothing on").count(), "{text}");
        }
    }

    #[test]
    fn a_cell_stays_in_its_column_and_names_cite_nothing() {
        let text = "# Title [1]\n\n## Limits [2]\n\n|| A [1] | B |\n|---|---|---|\n|| 5 [1] | 6 [2] |\n| `a \\| b` [3] | x \\| y [1] |\n| long | 1 [1] | 2 [2] | 3 [3] |\n";
        let draft = read(text);
        assert_eq!((draft.title.as_str(), draft.sections[0].heading.as_str()), ("Title", "Limits"));
        let Piece::Table { header, rows, .. } = &draft.sections[0].pieces[0] else { panic!("{draft:?}") };
        assert_eq!(header.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["", "A", "B"]);
        let row = |(name, cells): &(Clean, Vec<Sentence>)| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.text.to_string()).collect();
            format!("{name}: {}", cells.join(", "))
        };
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [": 5, 6", "`a | b`: x | y, ", "long: 1, 2"]);
    }

    #[test]
    fn markdown_is_read_as_briefs_use_it() {
        let text = "# Title\n\nLead [1].\n\n## Speed\n\nFirst line\nof a sentence [2].\n\n- One [1]\n- Two [3]\n\n| | A |\n|---|---|\n| x | 40 [1] |\n\n## Gaps\n\n- Nothing on price.\n\n## Sources\n\n[1] a.md\n";
        let draft = read(text);
        assert_eq!((draft.title.as_str(), draft.gaps.len(), draft.sections.len()), ("Title", 1, 2));
        let speed = &draft.sections[1];
        assert_eq!(speed.heading.as_str(), "Speed");
        assert!(
            matches!(&speed.pieces[..], [Piece::Paragraph { .. }, Piece::List { items, .. }, Piece::Table { rows, .. }] if items.len() == 2 && rows.len() == 1)
        );
        assert_eq!(draft.sentences().filter(|sentence| sentence.cites.is_empty()).count(), 0);
    }
}
