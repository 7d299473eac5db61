//! Markdown to blocks: CommonMark with tables, parsed by pulldown-cmark.

mod bold;
mod templates;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::cells::{column_names, table_row};
use super::draft::{Draft, Within};
use super::html;
use super::line_count::LineCount;
use super::raised::Shift;
use run::evidence::BlockKind;
use text::Clean;

/// The least number of reference links, and of addresses for them, in a text that counts as Markdown.
const LEAST_LINKS: usize = 3;

/// The level of headings that only bold letters mark: below all others.
const BOLD_LEVEL: u8 = 7;

/// Whether a text of unknown format is Markdown: plain text has no links such as "[words][name]" with "[name]: address"
/// below.
pub(super) fn is_source(text: &str) -> bool {
    let is_address = |line: &&str| line.starts_with('[') && line.contains("]: http");
    text.matches("][").nth(LEAST_LINKS - 1).is_some() && text.lines().filter(is_address).nth(LEAST_LINKS - 1).is_some()
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    parse_from(text, draft, 1);
}

/// Parses a text whose first line is this one of its file.
pub(super) fn parse_from(text: &str, draft: &mut Draft, first: u32) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let text = &*templates::without(text);
    let mut reader = Reader { draft, text: String::new(), line: first, state: State::default() };
    let mut lines = LineCount::new(text.as_bytes(), first);
    let headings = bold::headings(text, options);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.state.is_heading |= event == Event::Start(Tag::Strong) && headings.contains(&range.start);
        reader.event(event, lines.at(range.start));
    }
    reader.flush();
}

#[derive(Default)]
struct State {
    lists: Vec<Option<Clean>>,
    items: u32,
    code: bool,
    html: Option<String>,
    metadata: bool,
    header: Option<Clean>,
    cells: Vec<String>,
    in_table: bool,
    /// Inside text that is struck out: it no longer applies.
    struck: u32,
    /// The text of a paragraph that is one code span so far.
    span: Option<String>,
    /// The bytes of text before a superscript or a subscript.
    shifted: Option<usize>,
    /// Inside bold words that are a heading.
    is_heading: bool,
    /// The open lists where an item began with such a heading: what the item has below it is its text.
    headed: Option<usize>,
    /// Whether that item has text below its heading.
    has_text: bool,
}

struct Reader<'a> {
    draft: &'a mut Draft,
    text: String,
    line: u32,
    state: State,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, line: u32) {
        match event {
            Event::Start(tag) => self.start(tag, line),
            Event::End(tag) => self.end(tag),
            Event::Text(_) | Event::Code(_) if self.state.struck > 0 => {}
            Event::Code(code) if self.state.html.is_none() => {
                self.state.span = self.text.is_empty().then(|| code.to_string());
                self.add(&code, line);
            }
            Event::Text(text) | Event::Code(text) => match &mut self.state.html {
                Some(html) => html.push_str(&text),
                None => self.add(&text, line),
            },
            Event::Html(text) => {
                if let Some(html) = &mut self.state.html {
                    html.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::InlineHtml(tag) => self.inline_tag(&tag),
            // An open task is no fact.
            Event::TaskListMarker(false) => self.add("[ ] ", line),
            _ => {}
        }
    }

    /// A tag within a line: most only format, and their text arrives as text.
    fn inline_tag(&mut self, tag: &str) {
        let is_end = tag.starts_with("</");
        let name =
            tag.trim_start_matches(['<', '/']).split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        if let Some(shift) = Shift::of(name.as_bytes()) {
            match is_end {
                false => self.state.shifted = Some(self.text.len()),
                true => self.state.shifted.take().into_iter().for_each(|from| shift.write(&mut self.text, from)),
            }
        }
        match (&*name, is_end) {
            ("br", _) => self.text.push(' '),
            // Struck-out text no longer holds.
            ("s" | "del" | "strike", false) => self.state.struck += 1,
            ("s" | "del" | "strike", true) => self.state.struck = self.state.struck.saturating_sub(1),
            _ => {}
        }
    }

    fn add(&mut self, text: &str, line: u32) {
        if self.text.is_empty() {
            self.line = line;
        }
        self.text.push_str(text);
    }

    fn start(&mut self, tag: Tag<'_>, line: u32) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.flush();
                self.state.span = None;
            }
            Tag::List(_) => {
                self.flush();
                let intro = self.draft.list_intro(!self.state.lists.is_empty());
                self.state.lists.push(intro);
            }
            Tag::Item => {
                self.flush();
                self.state.items += 1;
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.flush();
                self.line = line;
                self.state.code = true;
            }
            Tag::HtmlBlock => {
                self.flush();
                self.line = line;
                self.state.html = Some(String::new());
            }
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle) => {
                self.state.metadata = true;
            }
            Tag::Table(_) => {
                self.flush();
                (self.state.in_table, self.state.header) = (true, None);
            }
            Tag::TableHead | Tag::TableRow => {
                self.state.cells.clear();
                self.line = line;
            }
            Tag::TableCell => self.text.clear(),
            Tag::Strikethrough => self.state.struck += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                self.end_inline();
                let heading = std::mem::take(&mut self.text);
                self.draft.heading(depth(level), &heading);
            }
            TagEnd::List(_) => {
                self.flush();
                self.state.lists.pop();
            }
            TagEnd::Strong if self.state.is_heading => {
                self.state.is_heading = false;
                let heading = std::mem::take(&mut self.text);
                self.draft.term(BOLD_LEVEL, &heading);
                self.state.headed = (self.state.items > 0).then_some(self.state.lists.len());
                self.state.has_text = false;
            }
            TagEnd::Item => {
                self.flush();
                if self.state.headed.take_if(|lists| *lists == self.state.lists.len()).is_some() && self.state.has_text
                {
                    self.draft.close(BOLD_LEVEL);
                }
                self.state.items = self.state.items.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.state.code = false;
                let code = std::mem::take(&mut self.text);
                self.draft.push(BlockKind::Code, None, &code, self.line);
            }
            TagEnd::HtmlBlock => {
                if let Some(text) = self.state.html.take() {
                    html::fragment(&text, self.draft, self.line);
                }
            }
            TagEnd::MetadataBlock(_) => {
                self.state.metadata = false;
                let metadata = std::mem::take(&mut self.text);
                let title = metadata.lines().find_map(|line| line.strip_prefix("title:"));
                if let Some(title) = title {
                    self.draft.page_title(title.trim().trim_matches(['"', '\'']));
                }
                let described = metadata.lines().zip(self.line..).find(|(line, _)| is_description(line));
                if let Some((line, no)) = described {
                    self.draft.describe(line, no);
                }
            }
            TagEnd::TableCell => {
                self.end_inline();
                let cell = std::mem::take(&mut self.text);
                self.state.cells.push(cell.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            TagEnd::TableHead => {
                self.state.header = Some(column_names(&table_row(std::mem::take(&mut self.state.cells))));
            }
            TagEnd::TableRow => {
                let row = table_row(std::mem::take(&mut self.state.cells));
                self.draft.push(BlockKind::TableRow, self.state.header.clone(), &row, self.line);
            }
            TagEnd::Strikethrough => self.state.struck = self.state.struck.saturating_sub(1),
            TagEnd::Table => self.state.in_table = false,
            TagEnd::Paragraph => {
                let is_alone = |code: &String| self.state.items == 0 && *code == self.text;
                match self.state.span.take().filter(is_alone) {
                    Some(code) => {
                        self.text.clear();
                        self.draft.push(BlockKind::Code, None, &code, self.line);
                    }
                    None => self.flush(),
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.flush(),
            _ => {}
        }
    }

    /// Tags without their end, which end with the text that they stand in.
    fn end_inline(&mut self) {
        (self.state.struck, self.state.shifted) = (0, None);
    }

    fn flush(&mut self) {
        self.end_inline();
        if self.text.is_empty() || self.state.in_table || self.state.metadata || self.state.code {
            return;
        }
        let text = std::mem::take(&mut self.text);
        self.state.has_text = true;
        let is_headed = self.state.headed == Some(self.state.lists.len());
        let lists = if self.state.items > 0 && !is_headed { &self.state.lists[..] } else { &[] };
        self.draft.text(Within::innermost(lists), &text, self.line);
    }
}

/// Whether a line in front of a page describes the page, in plain words on that line.
fn is_description(line: &str) -> bool {
    let value = line.strip_prefix("description: ").map(str::trim);
    value.is_some_and(|value| value.starts_with(char::is_alphanumeric))
}

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use run::evidence::BlockKind::{self, *};

    fn read(text: &str) -> Document {
        parse(text.as_bytes(), "page.md").expect("text in the page")
    }

    fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
        document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
    }

    #[test]
    fn a_page_falls_into_its_blocks() {
        let page = read(
            "# Tuning\n\nLists are *fast*\nto `build`.\n\n## Limits\n\nIt has two:\n\n- one\n  goes on\n- two\n\n```sh\nrun --it\n```\n\n\
             | a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        assert_eq!(page.title, "Tuning");
        assert_eq!(
            blocks(&page),
            [
                (Paragraph, "Lists are fast to build."),
                (Paragraph, "It has two:"),
                (ListItem, "one goes on"),
                (ListItem, "two"),
                (Code, "run --it"),
                (TableRow, "1 | 2")
            ]
        );
        assert_eq!(page.blocks[2].intro.as_deref(), Some("It has two:"));
        assert_eq!(page.blocks[5].intro.as_deref(), Some("a | b"));
        assert_eq!(page.blocks.iter().map(|b| b.line).collect::<Vec<_>>(), [3, 8, 10, 12, 15, 20]);
        assert_eq!(page.blocks.iter().map(|b| b.lead).collect::<Vec<_>>(), [true, true, false, false, false, false]);
        assert!(page.blocks[0].headings.is_empty());
        assert_eq!(page.blocks[1].headings[..], ["Limits"]);
    }

    #[test]
    fn program_text_is_introduced_by_the_sentence_above_it() {
        for (above, wanted) in [
            ("It does much. To run it, type:", Some("To run it, type:")),
            ("It runs on its own. For example:", Some("It runs on its own. For example:")),
            ("It runs on its own.\n\nFor example:", Some("It runs on its own. For example:")),
            ("1. Unpack it.\n2. Run it", Some("Run it")),
            ("- Run it:\n", Some("Run it:")),
            ("To run it:\n\n## Running", None),
            ("| a | b |\n|---|---|\n| 1 | 2 |", None),
        ] {
            let page = read(&format!("# T\n\n{above}\n\n```\nrun --it\n```\n"));
            assert_eq!(page.blocks.last().and_then(|block| block.intro.as_deref()), wanted, "{above}");
        }
    }

    #[test]
    fn a_paragraph_that_is_one_code_span_is_program_text() {
        let page = read(
            "# T\n\n- Run it:\n\n`run --it {{file}}`\n\n`run` is a program.\n\n- `run`\n\n- `walk`\n\n`a` `b`\n\nwalk\n",
        );
        let told = [
            (ListItem, "Run it:"),
            (Code, "run --it {{file}}"),
            (Paragraph, "run is a program."),
            (ListItem, "run"),
            (ListItem, "walk"),
            (Paragraph, "a b"),
            (Paragraph, "walk"),
        ];
        assert_eq!(blocks(&page), told);
        assert_eq!(page.blocks[1].intro.as_deref(), Some("Run it:"));
    }

    #[test]
    fn the_description_in_front_of_a_page_is_its_first_block() {
        for (front, below) in [("title: walk\n", ""), ("", "# walk\n\n")] {
            let page =
                read(&format!("---\n{front}description: Walk a tree\n---\n\n{below}## Use\n\nIt is called so.\n"));
            assert_eq!(page.title, "walk");
            assert_eq!(blocks(&page), [(KeyValue, "description: Walk a tree"), (Paragraph, "It is called so.")]);
            assert!(page.blocks[0].headings.is_empty() && page.blocks[1].headings[..] == ["Use"], "{front}");
        }
        for front in ["description: >\n  Walk a tree\n", "descriptions: Walk a tree\n", "description:\n"] {
            let page = read(&format!("---\n{front}---\n\n# T\n\nIt is called so.\n"));
            assert_eq!(page.blocks.len(), 1, "{front}");
        }
    }

    #[test]
    fn blocks_stand_where_they_say_in_the_cleaned_text() {
        let page = read("# T\n\nOne.\n\nTwo \u{200b}and\u{200b} three.\n\n    code\n");
        let whole: Vec<&str> = page.blocks.iter().map(|b| b.text.as_str()).collect();
        let whole = whole.join("\n");
        for block in &page.blocks {
            let start = usize::try_from(block.start).unwrap();
            assert_eq!(&whole[start..start + block.text.len()], block.text.as_str());
        }
        assert_eq!(page.bytes as usize, whole.len());
    }

    #[test]
    fn a_power_is_no_digit_of_its_number_and_a_bar_does_not_part_its_cell() {
        let page = read("# T\n\nAt most 2<sup>32</sup> rows.\n\n| a | b | c |\n|---|---|---|\n| x | y \\| z | 3 |\n");
        let told: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(told, ["At most 2^32 rows.", "x | y|z | 3"]);
    }

    #[test]
    fn struck_text_is_left_out() {
        let document = read("The limit is ~~ten~~ twenty.\n\n- ~~It is closed.~~\n- It is open.\n");
        assert_eq!(
            blocks(&document),
            [(BlockKind::Paragraph, "The limit is twenty."), (BlockKind::ListItem, "It is open.")]
        );
    }

    #[test]
    fn what_is_struck_out_without_an_end_ends_with_its_text() {
        let after = "\n\n## c\n\nd.\n\n```\ne\n```\n\n| f | g |\n|---|---|\n| h | i |\n";
        let told = |text: &str| {
            let page = read(&format!("# T\n\nA.\n\n{text}{after}"));
            let rest = page.blocks.iter().skip_while(|block| block.text != "d.").map(|block| block.text.to_string());
            assert_eq!(rest.collect::<Vec<_>>(), ["d.", "e", "h | i"], "{text}");
            page.blocks.iter().map(|block| block.text.to_string()).take_while(|text| text != "d.").collect::<Vec<_>>()
        };
        for (text, left) in [
            ("- <s>a\n- b", &["A.", "b"][..]),
            ("<del>a", &["A."]),
            ("## <del>a", &["A."]),
            ("| <s>a | b |\n|---|---|\n| <s>x | y |", &["A.", "| y"]),
            ("Vec<S> is a type.", &["A.", "Vec"]),
        ] {
            assert_eq!(told(text), left, "{text}");
        }
    }

    fn told(text: &str) -> Vec<(String, BlockKind, String)> {
        let page = read(text);
        let block = |block: &run::evidence::Block| (block.headings.join("/"), block.kind, block.text.to_string());
        page.blocks.iter().map(block).collect()
    }

    #[test]
    fn bold_questions_above_their_answers_are_headings() {
        let items = "# T\n\n## Use\n\n  * **1.1 How is it\n    opened?**\n\n  With a key.\n\n  * **1.2 WARNINGS**\n\n  - Keep it.\n\n  * **1.3 Is it safe?**\n\n  Yes.\n\n## End\n\nAll.\n";
        let wanted = [
            ("Use/1.1 How is it opened?", Paragraph, "With a key."),
            ("Use/1.2 WARNINGS", ListItem, "Keep it."),
            ("Use/1.3 Is it safe?", Paragraph, "Yes."),
            ("End", Paragraph, "All."),
        ];
        assert_eq!(told(items), wanted.map(|(path, kind, text)| (path.to_owned(), kind, text.to_owned())));
        let numbered = "# T\n\n1. <a name=\"a\"></a>**How?**\n\n   So.\n\n   - one\n\n2. **Why?**\n\n   Thus.\n\n3. **When?**\n\n   Now.\n\nThe end.\n";
        let wanted = [
            ("How?", Paragraph, "So."),
            ("How?", ListItem, "one"),
            ("Why?", Paragraph, "Thus."),
            ("When?", Paragraph, "Now."),
            ("", Paragraph, "The end."),
        ];
        assert_eq!(told(numbered), wanted.map(|(path, kind, text)| (path.to_owned(), kind, text.to_owned())));
        let paragraphs = "**How?**\n\nSo.\n\n**Why?**\n\n- one\n\n**When?**\n\nNow.\n";
        let paths: Vec<String> = told(paragraphs).into_iter().map(|(path, ..)| path).collect();
        assert_eq!(paths, ["How?", "Why?", "When?"]);
        assert_eq!(read(paragraphs).title, "page.md");
    }

    #[test]
    fn bold_words_that_are_no_heading_stay_text() {
        let bold = "**Fast**\n\nIt is.\n\n**Small**\n\nIt is.\n\n**Open**\n\nIt is.\n";
        let few = "**How?**\n\nSo.\n\n**Why?**\n\nThus.\n";
        let items = "- **Is it fast?**\n- **Is it small?**\n- **Is it open?**\n- **Is it old?**\n";
        let lead = "**How?** So.\n\n**Why?** Thus.\n\n**When?** Now.\n\n**Where?**\nHere.\n";
        let last = "One.\n\n**How?**\n\n## A\n\n**Why?**\n\n## B\n\n**When?**\n";
        for text in [bold, few, items, lead, last] {
            let text = format!("# T\n\n## S\n\n{text}");
            assert!(told(&text).iter().all(|(path, ..)| !path.contains('?') && !path.contains("Fast")), "{text}");
            assert_eq!(
                read(&text).blocks.iter().map(|b| b.text.matches('?').count()).sum::<usize>(),
                text.matches('?').count()
            );
        }
    }

    #[test]
    fn metadata_gives_the_title_and_is_no_text() {
        let page = read("---\ntitle: \"A guide\"\ntags: [x]\n---\n\nHello there.\n");
        assert_eq!(page.title, "A guide");
        assert_eq!(blocks(&page), [(Paragraph, "Hello there.")]);
    }

    #[test]
    fn html_within_is_read_as_html() {
        let page = read("<div align=center>\n<h1>Big</h1>\n<p>Small <b>text</b>.</p>\n</div>\n\nMore.<br>And more.\n");
        assert_eq!(page.title, "Big");
        assert_eq!(blocks(&page), [(Paragraph, "Small text."), (Paragraph, "More. And more.")]);
    }
}
