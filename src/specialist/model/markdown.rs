//! Reads the Markdown of a writer as a draft: a title, headings, paragraphs, lists, tables, program text. It never
//! judges what is said.

use std::iter::Peekable;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, OffsetIter, Options, Parser, Tag, TagEnd};

use super::marks::{cited_sentences, cites_in, label};
use super::unwrapped::unwrapped;
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
    reader.draft
}

struct Reader<'a> {
    text: &'a str,
    ids: &'a [FindingId],
    findings: &'a [Finding],
    events: Peekable<OffsetIter<'a>>,
    draft: Draft,
    heading: Clean,
    /// A line that may introduce what follows it.
    introduction: Option<String>,
}

impl Reader<'_> {
    /// Reads a block; false at the end of the text. What stands in a quotation is read like the rest.
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

    /// Whether what reads as emphasis is none: operators (`2**8`), names (`__init__`).
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
        let sentences = self.cited(text);
        let is_cited = sentences.iter().any(|sentence| !sentence.cites.is_empty());
        let bold = self.text[range.clone()].trim().strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        let is_bold = !is_cited && bold.is_some_and(|bold| !bold.contains("**") && !bold.ends_with(['.', '!', '?']));
        let introduces = match self.events.peek() {
            Some((Event::Start(Tag::List(_)), _)) => is_bold || !is_cited && text.ends_with(':'),
            Some((Event::Start(Tag::CodeBlock(_)), _)) => {
                let bare = label(text);
                bare.is_empty() || sentences.len() < 2 && bare.ends_with(':')
            }
            Some((Event::Start(Tag::Table(_)), _)) => !is_cited && text.ends_with(':'),
            _ => false,
        };
        match is_bold && !introduces {
            true => self.heading = label(text.trim_end_matches(':')),
            false if introduces => self.introduction = Some(text.to_owned()),
            false => self.add(sentences, |sentences| Piece::Paragraph { sentences }),
        }
    }

    /// A line that was to introduce something is a statement like others.
    fn introduces_nothing(&mut self) {
        if let Some(text) = self.introduction.take() {
            let sentences = self.cited(&text);
            self.add(sentences, |sentences| Piece::Paragraph { sentences });
        }
    }

    /// What introduces a list, without its colon.
    fn introduced(&mut self) -> Option<Clean> {
        let text = self.introduction.take()?;
        Some(label(label(&text).trim_end_matches([':', ' ']))).filter(|label| !label.is_empty())
    }

    /// A list; the lists and the program text within its items follow it. An item that only names what is listed within it is
    /// the label of that. However deep lists stand in each other, the stack does not grow.
    fn list(&mut self, first: Option<u64>) {
        let mut open = vec![Listed { label: self.introduced(), first, items: Vec::new() }];
        let mut text = String::new();
        while let Some(list) = open.last_mut() {
            let Some((event, range)) = self.events.next() else { break };
            match event {
                Event::Start(Tag::List(first)) => {
                    let name = text.trim();
                    if cites_in(name, self.ids).is_empty() && !name.is_empty() && !name.ends_with(['.', '!', '?']) {
                        self.introduction = Some(std::mem::take(&mut text));
                    } else {
                        list.items.extend(self.item(&std::mem::take(&mut text)));
                    }
                    self.add_list(list);
                    open.push(Listed { label: self.introduced(), first, items: Vec::new() });
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    list.items.extend(self.item(&std::mem::take(&mut text)));
                    self.add_list(list);
                    self.code(&kind);
                }
                Event::End(TagEnd::Item) => list.items.extend(self.item(&std::mem::take(&mut text))),
                Event::End(TagEnd::List(_)) => {
                    self.add_list(list);
                    open.pop();
                }
                Event::End(TagEnd::Paragraph) => text.push(' '),
                event => self.append(&mut text, &event, range),
            }
        }
    }

    fn item(&self, text: &str) -> Option<Item> {
        Some(self.cited(text)).filter(|sentences| !sentences.is_empty()).map(Item)
    }

    /// Adds the items that were read, and leaves the list as it goes on behind them.
    fn add_list(&mut self, list: &mut Listed) {
        let items = std::mem::take(&mut list.items);
        if items.is_empty() {
            return;
        }
        let first = list.first;
        list.first = first.map(|first| first + items.len() as u64);
        match Part::of(&self.heading) {
            Part::Body => self.push(Piece::List { label: list.label.take(), first, items }),
            _ => items.into_iter().for_each(|Item(sentences)| {
                self.add(sentences, |sentences| Piece::Paragraph { sentences });
            }),
        }
    }

    /// Program text. It cites what the line above it cites, or else the finding whose quote holds it.
    fn code(&mut self, kind: &CodeBlockKind<'_>) {
        let code = self.inline(&TagEnd::CodeBlock);
        if matches!(kind, CodeBlockKind::Indented) {
            let sentences = self.cited(&code);
            return self.add(sentences, |sentences| Piece::Paragraph { sentences });
        }
        let introduction = self.introduction.clone().unwrap_or_default();
        let label = self.introduced().map(|label| Clean::line(&format!("{label}:")));
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let holding = || self.findings.iter().find(|finding| flat(&finding.quote).contains(&flat(&code)));
        let mut cites = cites_in(&introduction, self.ids);
        if cites.is_empty() {
            cites.extend(holding().map(|finding| finding.id));
        }
        if cites.is_empty() && introduction.is_empty() {
            let above = self.draft.sections.last().and_then(|section| section.pieces.last());
            cites =
                above.and_then(|piece| piece.sentences().last()).map(|above| above.cites.clone()).unwrap_or_default();
        }
        if !code.trim().is_empty() && Part::of(&self.heading) == Part::Body {
            self.push(Piece::Code { label, sentence: Sentence { text: Clean::new(code.trim_end()), cites } });
        }
    }

    /// A table whose first row names the columns, and the first cell of each row what it is about. What introduces it only
    /// announces it.
    fn table(&mut self) {
        self.introduction = None;
        let (mut header, mut rows) = (Vec::new(), Vec::new());
        let mut row: Vec<String> = Vec::new();
        while let Some((event, _)) = self.events.next() {
            match event {
                Event::End(TagEnd::Table) => break,
                Event::Start(Tag::TableCell) => row.push(self.inline(&TagEnd::TableCell)),
                Event::End(TagEnd::TableHead) => {
                    header = std::mem::take(&mut row).iter().map(|cell| label(cell)).collect();
                }
                Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
                _ => {}
            }
        }
        let cell = |text: &String| {
            // A dash alone is an empty cell.
            let text = if text.chars().all(|c| "-–—".contains(c)) { "" } else { text };
            let sentences = self.cited(text);
            let cites = sentences.iter().flat_map(|sentence| sentence.cites.clone()).collect();
            let text = sentences.iter().map(|sentence| &*sentence.text).collect::<Vec<_>>().join(" ");
            Sentence { text: text.into(), cites }
        };
        let row = |row: Vec<String>| {
            let name = row.first().map(String::as_str).unwrap_or_default();
            let mut cells: Vec<Sentence> = row.iter().skip(1).map(cell).collect();
            hold_for_all(&mut cells, cites_in(name, self.ids));
            (label(name), cells)
        };
        let rows: Vec<_> = rows.into_iter().map(row).collect();
        if Part::of(&self.heading) == Part::Body {
            self.push(Piece::Table { header, rows });
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
            // What was a list within a list goes on with it.
            (
                Some(Piece::List { label: None, first: None, items }),
                Piece::List { label: None, first: None, items: more },
            ) => items.extend(more),
            (_, piece) => section.pieces.push(piece),
        }
    }
}

/// A list that is being read.
struct Listed {
    label: Option<Clean>,
    /// The number of the first of the items, if they are numbered.
    first: Option<u64>,
    items: Vec<Item>,
}

/// Gives the cells of a row the citations of its last cell, or of its name, if no other cell has any: these hold for the row.
fn hold_for_all(cells: &mut [Sentence], of_name: Vec<FindingId>) {
    let of_row = match cells.iter().filter(|cell| !cell.cites.is_empty()).count() {
        0 => of_name,
        1 => cells.iter().rfind(|cell| !cell.text.is_empty()).map(|cell| cell.cites.clone()).unwrap_or_default(),
        _ => return,
    };
    let bare = cells.iter_mut().filter(|cell| cell.cites.is_empty() && !cell.text.is_empty());
    bare.for_each(|cell| cell.cites.clone_from(&of_row));
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
            Piece::Table { header, rows } => {
                let names: Vec<&str> = header.iter().map(|name| name.as_str()).collect();
                let rows = rows.iter().map(|(name, cells)| {
                    format!("; {name}: {}", cells.iter().map(cited).collect::<Vec<_>>().join(" | "))
                });
                format!("{}{}", names.join(" | "), rows.collect::<String>())
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
    fn program_text_cites_what_stands_above_it() {
        let text = "Ask for the age [2]:\n\n```sql\nSELECT a\n  FROM b;\n```\n\nPer table:\n\n```\nx\n```\n";
        assert_eq!(shown(&read(text)), "# (Ask for the age:) ```SELECT a\n  FROM b;``` [2] / (Per table:) ```x```");
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
        let Piece::Table { header, rows } = &draft.sections[0].pieces[0] else { panic!("{draft:?}") };
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
