//! Pod, the format of Perl's documentation, to blocks: headings, items, verbatim text.
//!
//! See perlpodspec. Reads files of documentation, not the program text around it.

use super::draft::{Draft, TERM_LEVEL};
use super::lists::Lists;
use super::margin::without_margin;
use super::titles::manual_title;
use run::evidence::BlockKind;

pub(super) fn parse(text: &str, draft: &mut Draft) {
    if let Some(title) = title(text) {
        draft.page_title(&title);
    }
    let mut reader = Reader { draft, lists: Lists::default(), verbatim: None, skipped: None, is_text: false };
    for (paragraph, line) in paragraphs(text) {
        reader.paragraph(&paragraph, line);
    }
    reader.end_verbatim();
}

/// "perlre: Perl regular expressions", from the section NAME.
fn title(text: &str) -> Option<String> {
    /// The lines that contain the name, below those for an index.
    const NEAR: usize = 5;
    let (_, below) = text.split_once("=head1 NAME")?;
    let said = plain(below.lines().take(NEAR).find(|line| line.contains(" - "))?);
    let (name, _) = said.split_once(" - ")?;
    Some(manual_title(name.trim(), &said))
}

/// Paragraphs, with the lines in which they begin.
fn paragraphs(text: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut goes_on = false;
    for (line, no) in text.lines().zip(1..) {
        match found.last_mut().filter(|_| goes_on) {
            Some((paragraph, _)) if !line.trim().is_empty() => {
                paragraph.push('\n');
                paragraph.push_str(line);
            }
            _ if !line.trim().is_empty() => {
                found.push((line.to_owned(), no));
                goes_on = true;
            }
            _ => goes_on = false,
        }
    }
    found
}

struct Reader<'d> {
    draft: &'d mut Draft,
    lists: Lists,
    /// Program text, with the line in which it begins.
    verbatim: Option<(String, u32)>,
    /// The end of the part that is for another program.
    skipped: Option<String>,
    /// Whether the next paragraphs are documentation: the first command begins it, and `=cut` ends it.
    is_text: bool,
}

impl Reader<'_> {
    fn paragraph(&mut self, paragraph: &str, line: u32) {
        if let Some(end) = &self.skipped {
            if paragraph.trim_end() == *end {
                self.skipped = None;
            }
            return;
        }
        if let Some(command) =
            paragraph.strip_prefix('=').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            self.is_text = true;
            self.end_verbatim();
            let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            return self.command(name, rest.trim(), line);
        }
        if !self.is_text {
            return;
        }
        if paragraph.starts_with([' ', '\t']) {
            match &mut self.verbatim {
                Some((code, _)) => code.extend(["\n\n", paragraph]),
                None => self.verbatim = Some((paragraph.to_owned(), line)),
            }
        } else {
            self.end_verbatim();
            self.lists.text(self.draft, &plain(paragraph), line);
        }
    }

    fn command(&mut self, name: &str, rest: &str, line: u32) {
        match name {
            "cut" => self.is_text = false,
            "begin" => self.skipped = Some(format!("=end {rest}")),
            "over" => self.lists.begin(self.draft),
            "back" => self.lists.end(self.draft),
            "item" => self.item(rest, line),
            _ => {
                let level = name.strip_prefix("head").and_then(|level| level.parse::<u8>().ok());
                if let Some(level) = level.filter(|level| (1..TERM_LEVEL).contains(level)) {
                    self.lists.clear();
                    self.draft.heading(level, &plain(rest));
                }
            }
        }
    }

    fn item(&mut self, rest: &str, line: u32) {
        let text = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')', '*', '-']);
        if text.len() < rest.len() || rest.is_empty() {
            self.lists.item(self.draft);
            self.lists.text(self.draft, &plain(text.trim()), line);
        } else {
            self.lists.term(self.draft, &plain(rest));
        }
    }

    fn end_verbatim(&mut self) {
        if let Some((code, line)) = self.verbatim.take() {
            let lines = without_margin(code.lines());
            self.draft.push(BlockKind::Code, None, &lines.join("\n"), line);
        }
    }
}

/// The most nested formatting codes; deeper ones are kept unchanged.
const DEEPEST: u8 = 8;

/// The text of a paragraph without its formatting codes.
fn plain(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    add(raw, &mut out, 0);
    out
}

fn add(raw: &str, out: &mut String, depth: u8) {
    let mut rest = raw;
    while let Some(at) = rest.find('<') {
        let code = rest[..at].chars().next_back().filter(char::is_ascii_uppercase);
        let inside = code.filter(|_| depth < DEEPEST).and_then(|code| Some((code, code_inside(&rest[at..])?)));
        let Some((code, (inside, length))) = inside else {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at - 1]);
        match code {
            'X' | 'Z' => {}
            'E' => out.push_str(character(inside)),
            'L' => add(shown(inside), out, depth + 1),
            _ => add(inside, out, depth + 1),
        }
        rest = &rest[at + length..];
    }
    out.push_str(rest);
}

/// The text within `<…>` or `<< … >>`, and the length with its brackets.
fn code_inside(text: &str) -> Option<(&str, usize)> {
    /// The most bytes that a code has.
    const FAR: usize = 2_000;
    let text = &text[..text.floor_char_boundary(FAR)];
    text.find('>')?;
    let marks = text.len() - text.trim_start_matches('<').len();
    if marks > 1 && text[marks..].starts_with(char::is_whitespace) {
        let end = text.find(&format!(" {}", ">".repeat(marks)))?;
        return Some((text.get(marks..end)?.trim(), end + 1 + marks));
    }
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            // A bracket without a letter before it is text, but for the first.
            '<' if at == 0 || text[..at].ends_with(|c: char| c.is_ascii_uppercase()) => depth += 1,
            '>' if depth == 1 => return Some((&text[1..at], at + 1)),
            '>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The words of a link: `words|page/section`, `page/section`, `page`.
fn shown(link: &str) -> &str {
    match link.split_once('|') {
        Some((words, _)) => words,
        None => match link.split_once('/') {
            Some(("", section)) => section.trim_matches('"'),
            Some((page, _)) if !page.ends_with(':') => page,
            _ => link,
        },
    }
}

fn character(name: &str) -> &str {
    match name {
        "lt" => "<",
        "gt" => ">",
        "verbar" => "|",
        "sol" => "/",
        "amp" => "&",
        "quot" => "\"",
        "nbsp" => " ",
        "eacute" => "\u{e9}",
        "auml" => "\u{e4}",
        "ouml" => "\u{f6}",
        "uuml" => "\u{fc}",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use super::plain;
    use run::evidence::BlockKind::{self, *};

    fn read(text: &str) -> Document {
        parse(text.as_bytes(), "page.pod").expect("text in the page")
    }

    fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
        document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
    }

    #[test]
    fn a_page_falls_into_its_blocks() {
        let page = read(
            "package Cat;\n\n=encoding utf8\n\n=head1 NAME\nX<cat>\n\ncat - shows I<files>\n\n=head1 OPTIONS\n\nIt has these:\n\n=over 4\n\n\
             =item C<-n>\nX<number>\n\nNumbers lines.\n\n=item *\n\nA point.\n\n=back\n\n    cat -n a\n\n    cat b\n\n\
             =begin html\n\n<b>no</b>\n\n=end html\n\nMore.\n\n=cut\n\nsub cat { }\n",
        );
        assert_eq!(page.title, "cat: shows files");
        assert_eq!(
            blocks(&page),
            [
                (Paragraph, "cat - shows files"),
                (Paragraph, "It has these:"),
                (KeyValue, "-n: Numbers lines."),
                (ListItem, "A point."),
                (Code, "cat -n a\n\ncat b"),
                (Paragraph, "More."),
            ]
        );
        assert_eq!(page.blocks[1].headings[..], ["OPTIONS"]);
        assert_eq!(page.blocks.iter().map(|block| block.line).collect::<Vec<_>>(), [8, 12, 19, 23, 27, 37]);
    }

    #[test]
    fn formatting_codes_are_taken_away() {
        for (raw, text) in [
            ("B<bold I<both>> C<< $a->{b} <=> 1 >>", "bold both $a->{b} <=> 1"),
            (
                "See L<perlre>, L<the book|https://example.org/>, L<perlop/Assignment>, L</Limits>.",
                "See perlre, the book, perlop, Limits.",
            ),
            ("a E<lt> b, X<index>F<file>", "a < b, file"),
            ("if ($a<$b) and C<$x < 3>", "if ($a<$b) and $x < 3"),
            ("B<not closed", "B<not closed"),
        ] {
            assert_eq!(plain(raw), text, "{raw}");
        }
    }
}
