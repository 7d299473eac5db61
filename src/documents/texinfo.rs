//! Texinfo, the source of GNU manuals, to blocks: headings, lists, tables of terms, program text.
//!
//! Macros of a manual's own are not expanded, and files that it includes are read as files of their own.

use super::draft::Draft;
use super::lists::Lists;
use super::margin::without_margin;
use run::evidence::BlockKind;

/// The lines in which the mark of a source is looked for: comments may stand above it.
const TOP: usize = 20;

/// Whether a text is such a source, under any file name.
pub(super) fn is_source(text: &str) -> bool {
    text.lines().take(TOP).any(|line| line.starts_with("\\input texinfo"))
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    match text.lines().find_map(|line| line.strip_prefix("@settitle ")) {
        Some(title) => draft.page_title(&plain(without_comment(title))),
        None => draft.title_by_name(),
    }
    let mut reader = Reader {
        draft,
        lists: Lists::default(),
        open: Vec::new(),
        skipped: None,
        code: None,
        paragraph: String::new(),
        line: 1,
    };
    for (line, no) in text.lines().zip(1u32..) {
        let bare = without_comment(line);
        if bare.trim_end() == "@bye" {
            break;
        }
        // A line that is all comment is none.
        if reader.is_verbatim() || !bare.trim().is_empty() || line.trim().is_empty() {
            reader.read(if reader.is_verbatim() { line } else { bare }, no);
        }
    }
    reader.end_paragraph();
}

/// Environments that are not text, or not that of the manual itself.
const SKIPPED: [&str; 17] = [
    "copying",
    "detailmenu",
    "direntry",
    "docbook",
    "documentdescription",
    "html",
    "ifdocbook",
    "ifhtml",
    "iflatex",
    "iftex",
    "ifxml",
    "ignore",
    "macro",
    "menu",
    "rmacro",
    "tex",
    "titlepage",
];
/// Environments of program text.
const CODE: [&str; 8] =
    ["display", "example", "format", "lisp", "smalldisplay", "smallexample", "smallformat", VERBATIM];
/// The one in which every sign stands for itself.
const VERBATIM: &str = "verbatim";

#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Items,
    /// Each item has a term.
    Terms,
    /// Rows whose cells are parted by `@tab`.
    Rows,
}

struct Reader<'d> {
    draft: &'d mut Draft,
    lists: Lists,
    /// The open lists, the outermost first.
    open: Vec<List>,
    /// The environment that is left out, up to its end.
    skipped: Option<String>,
    /// Program text with its environment and the line in which it begins.
    code: Option<(String, String, u32)>,
    paragraph: String,
    /// The line where the paragraph begins.
    line: u32,
}

impl Reader<'_> {
    fn is_verbatim(&self) -> bool {
        self.code.as_ref().is_some_and(|(environment, ..)| environment == VERBATIM)
    }

    fn read(&mut self, line: &str, no: u32) {
        let trimmed = line.trim();
        let (name, rest) = command(trimmed).unwrap_or(("", trimmed));
        let ends = |environment: &str| name == "end" && rest == environment;
        if let Some(environment) = &self.skipped {
            if ends(environment) {
                self.skipped = None;
            }
            return;
        }
        if let Some((environment, code, from)) = &mut self.code {
            if !ends(environment) {
                match environment == VERBATIM {
                    true => code.push_str(line),
                    false => code.push_str(&plain(line)),
                }
                code.push('\n');
            } else {
                let lines = without_margin(code.lines());
                self.draft.push(BlockKind::Code, None, &lines.join("\n"), *from);
                self.code = None;
            }
            return;
        }
        match name {
            "" if trimmed.is_empty() => self.end_paragraph(),
            "" if trimmed.starts_with("\\input ") => {}
            "" => self.add(trimmed, no),
            _ => self.command(name, rest, no),
        }
    }

    fn command(&mut self, name: &str, rest: &str, no: u32) {
        if let Some(level) = level(name) {
            self.end_paragraph();
            self.lists.clear();
            self.open.clear();
            return self.draft.heading(level, &plain(rest));
        }
        let list = match name {
            "itemize" | "enumerate" => Some(List::Items),
            "table" | "ftable" | "vtable" => Some(List::Terms),
            "multitable" => Some(List::Rows),
            _ if name.starts_with("def") && !name.ends_with('x') => Some(List::Terms),
            _ => None,
        };
        if let Some(list) = list {
            self.end_paragraph();
            self.lists.begin(self.draft);
            self.open.push(list);
            // "@deffn Command open FILE" defines a term itself.
            if name.starts_with("def") {
                self.lists.term(self.draft, &plain(rest));
            }
            return;
        }
        match name {
            _ if SKIPPED.contains(&name) => self.skipped = Some(name.to_owned()),
            _ if CODE.contains(&name) => {
                self.end_paragraph();
                self.code = Some((name.to_owned(), String::new(), no + 1));
            }
            "item" | "itemx" | "headitem" => {
                self.end_paragraph();
                match self.open.last() {
                    Some(List::Terms) => self.lists.term(self.draft, &plain(rest)),
                    Some(List::Rows) => self.add(&rest.replace("@tab", "|"), no),
                    _ => {
                        self.lists.item(self.draft);
                        self.add(rest, no);
                    }
                }
            }
            "tab" => self.add(&format!("| {rest}"), no),
            "end" => {
                self.end_paragraph();
                let is_list = matches!(rest, "itemize" | "enumerate" | "table" | "ftable" | "vtable" | "multitable");
                if (is_list || rest.starts_with("def")) && self.open.pop().is_some() {
                    self.lists.end(self.draft);
                }
            }
            // Orders to the typesetter and entries of the index are no text.
            _ => {}
        }
    }

    /// Adds a line to the paragraph.
    fn add(&mut self, text: &str, no: u32) {
        match self.paragraph.is_empty() {
            true => self.line = no,
            false => self.paragraph.push(' '),
        }
        self.paragraph.push_str(text);
    }

    fn end_paragraph(&mut self) {
        let text = plain(&std::mem::take(&mut self.paragraph));
        match self.open.last() {
            Some(List::Rows) => self.draft.push(BlockKind::TableRow, None, text.trim(), self.line),
            _ => self.lists.text(self.draft, &text, self.line),
        }
    }
}

/// The name of a command that takes its line, and the rest of the line. A command with its text in braces is part of a
/// sentence.
fn command(line: &str) -> Option<(&str, &str)> {
    let after = line.strip_prefix('@')?;
    let (name, rest) = name_at(after);
    (!name.is_empty() && !rest.starts_with('{')).then_some((name, rest.trim()))
}

/// A line up to its comment: `@c` or `@comment` to its end.
fn without_comment(line: &str) -> &str {
    let mut from = 0;
    while let Some(at) = line[from..].find('@').map(|at| from + at) {
        let (name, rest) = name_at(&line[at + 1..]);
        if matches!(name, "c" | "comment") && !rest.starts_with('{') {
            return &line[..at];
        }
        // "@@c" is no comment, nor is what `@verb` encloses.
        let rest = match verbatim(name, rest) {
            Some((_, below)) => below,
            None if name.is_empty() => &rest[rest.chars().next().map_or(0, char::len_utf8)..],
            None => rest,
        };
        from = line.len() - rest.len();
    }
    line
}

/// The name of a command, empty if it is a sign, and the text behind it.
fn name_at(after: &str) -> (&str, &str) {
    after.split_at(after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()))
}

/// The text that `@verb{|a@b|}` encloses between two of the same sign, and the text behind it.
fn verbatim<'a>(name: &str, rest: &'a str) -> Option<(&'a str, &'a str)> {
    const LONGEST: usize = 300;
    let within = rest.strip_prefix('{').filter(|_| name == "verb")?;
    let sign = within.chars().next()?;
    let within = &within[sign.len_utf8()..];
    let end = within[..within.floor_char_boundary(LONGEST)].find(&format!("{sign}}}"))?;
    Some((&within[..end], &within[end + sign.len_utf8() + 1..]))
}

/// The level of a heading.
fn level(name: &str) -> Option<u8> {
    Some(match name {
        "top" | "chapter" | "unnumbered" | "appendix" | "majorheading" | "chapheading" => 1,
        "section" | "unnumberedsec" | "appendixsec" | "heading" => 2,
        "subsection" | "unnumberedsubsec" | "appendixsubsec" | "subheading" => 3,
        "subsubsection" | "unnumberedsubsubsec" | "appendixsubsubsec" | "subsubheading" => 4,
        _ => return None,
    })
}

/// Commands whose text in braces is left out.
const HIDDEN: [&str; 6] = ["anchor", "cindex", "findex", "footnote", "image", "errormsg"];

/// The deepest that commands are nested: further ones are read as text.
const DEEPEST: usize = 100;

/// A text without its commands: `@code{ls}` is `ls`, `@xref{Node,,Words}` its last part, `@@` is `@`.
fn plain(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    // For each open brace, whether it belongs to a command, and the use of its text.
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut rest = raw;
    while let Some(at) = rest.find(['@', '{', '}']) {
        out.push_str(&rest[..at]);
        let (sign, after) = rest[at..].split_at(1);
        rest = after;
        match sign {
            "{" => {
                out.push('{');
                open.push(("", out.len()));
            }
            "}" => match open.pop() {
                Some((name, from)) => close(name, from, &mut out),
                None => out.push('}'),
            },
            _ => {
                let (name, behind) = name_at(rest);
                if let Some((literal, below)) = verbatim(name, behind) {
                    out.push_str(literal);
                    rest = below;
                    continue;
                }
                match behind.strip_prefix('{').filter(|_| !name.is_empty() && open.len() < DEEPEST) {
                    Some(within) => {
                        rest = within;
                        open.push((name, out.len()));
                    }
                    // "@@", "@{", "@ "
                    None if name.is_empty() => {
                        let sign = rest.chars().next().filter(|c| !matches!(c, '*' | ':' | '/' | '-'));
                        out.extend(sign);
                        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
                    }
                    None => rest = behind,
                }
            }
        }
    }
    out.push_str(rest);
    out
}

/// Ends a command whose text in braces began at this place.
fn close(name: &str, from: usize, out: &mut String) {
    let inside = out[from..].to_owned();
    let parts = || inside.split(',').map(str::trim).filter(|part| !part.is_empty());
    let said = match name {
        "" => return out.push('}'),
        _ if HIDDEN.contains(&name) => "",
        "dots" | "enddots" => "…",
        "copyright" => "©",
        "result" => "⇒",
        "minus" => "-",
        "bullet" => "•",
        "comma" => ",",
        "tie" => " ",
        "xref" | "ref" | "pxref" | "inforef" => parts().nth(1).or_else(|| parts().next()).unwrap_or_default(),
        "uref" | "url" | "email" | "abbr" | "acronym" => match parts().nth(1) {
            Some(shown) if matches!(name, "uref" | "url" | "email") => shown,
            _ => parts().next().unwrap_or_default(),
        },
        _ => return,
    };
    out.truncate(from);
    match name {
        "xref" => out.push_str(&format!("See {said}")),
        "pxref" => out.push_str(&format!("see {said}")),
        _ => out.push_str(said),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use run::evidence::BlockKind::{self, *};

    fn told(document: &Document) -> Vec<(BlockKind, String, &str, u32)> {
        let blocks = document.blocks.iter();
        blocks.map(|block| (block.kind, block.headings.join("/"), block.text.as_str(), block.line)).collect()
    }

    #[test]
    fn a_manual_is_read_with_its_headings_lists_terms_and_program_text() {
        let text = "\\input texinfo\n@setfilename x.info\n@settitle The @code{x} manual\n@ignore\nNot read.\n@end ignore\n\
                    @node Engine, Top\n@chapter The engine\n@cindex engine\nThe rook engine needs @code{4@ GB}\nof memory (@pxref{Size}).\n\n\
                    @section Use @emph{it}\nIt has modes:\n\n@itemize @bullet\n@item\nfast, and\n@item slow.\n@end itemize\n\n\
                    @example\n  rook @{now@} @dots{}\n@end example\n\n\
                    @table @option\n@item --all\nKeeps all of its files, also those that nobody has asked for in the last year of its use. It is slow.\n\n@end table\n@c no text\n@bye\nNot read.\n";
        let manual = parse(text.as_bytes(), "x.texi").expect("text in the file");
        assert_eq!(manual.title, "The x manual");
        let (engine, its_use) = ("The engine".to_owned(), "The engine/Use it".to_owned());
        assert_eq!(
            told(&manual),
            [
                (Paragraph, engine, "The rook engine needs 4 GB of memory (see Size).", 10),
                (Paragraph, its_use.clone(), "It has modes:", 14),
                (ListItem, its_use.clone(), "fast, and", 18),
                (ListItem, its_use.clone(), "slow.", 19),
                (Code, its_use.clone(), "rook {now} …", 23),
                (
                    KeyValue,
                    its_use,
                    "--all: Keeps all of its files, also those that nobody has asked for in the last year of its use. It is slow.",
                    28
                ),
            ]
        );
    }

    #[test]
    fn a_source_is_told_by_its_first_lines() {
        let text = "@c A comment\n\\input texinfo @c -*-texinfo-*-\n@settitle X\n@top X\nIt flies at night.\n";
        assert_eq!(
            parse(text.as_bytes(), "manual").expect("text in the file").blocks[0].text.as_str(),
            "It flies at night."
        );
        assert!(!super::is_source("It says \\input texinfo."));
    }

    #[test]
    fn a_comment_ends_with_its_line() {
        let text = "\\input texinfo\n@settitle Rooks @c of the house\n@top X\nIt keeps the files. @c FIXME: all?\n\
                    @comment not said\nIt deletes them@c now\nafter a week: @code{a@@c}, @caption and @verb{|@c x|}.\n\n\
                    @ignore @c why\nNo.\n@end ignore @c so\nIt ends.\n";
        let page = parse(text.as_bytes(), "x.texi").expect("text in the file");
        let said: Vec<(&str, u32)> = page.blocks.iter().map(|block| (block.text.as_str(), block.line)).collect();
        assert_eq!(page.title, "Rooks");
        let whole = "It keeps the files. It deletes them after a week: a@c, and @c x.";
        assert_eq!(said, [(whole, 4), ("It ends.", 12)]);
    }

    #[test]
    fn verbatim_text_is_kept_as_it_stands() {
        let text = "\\input texinfo\n@top X\n@verbatim\nuser@example.com @c 7 {\n@c kept\n@property\n@end verbatim\n\
                    Mail @verb{|ada@x.org|} or @verb{+@code{a}+}, not @verb{|a@code{b}.\n@example\na@code{b} @c gone\n@end example\n";
        let page = parse(text.as_bytes(), "x.texi").expect("text in the file");
        let said: Vec<(BlockKind, &str)> = page.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect();
        assert_eq!(
            said,
            [
                (Code, "user@example.com @c 7 {\n@c kept\n@property"),
                (Paragraph, "Mail ada@x.org or @code{a}, not |ab."),
                (Code, "ab"),
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\\\input texinfo\n(@(code|verb|verbatim|xref|item|end|table|example|itemize|c|tab|multitable)|[{}@, a-zé]|\n){0,80}") {
            let _ = parse(text.as_bytes(), "x.texi");
        }
    }
}
