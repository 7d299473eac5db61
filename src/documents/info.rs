//! Info manuals, as makeinfo writes them, to blocks: lines that link nodes are dropped, the rest is plain text.
//!
//! See "The Info file format" in the manual of GNU Texinfo. Does not open the other files of a split manual.

use super::draft::Draft;
use super::plain;

/// Begins a node.
const SEPARATOR: char = '\u{1f}';
/// The most lines above the first node.
const HEAD: usize = 400;

/// Whether a text is an Info file.
pub(super) fn is_manual(text: &str) -> bool {
    let mut lines = text.lines().take(HEAD);
    lines.any(|line| line.starts_with(SEPARATOR)) && lines.next().is_some_and(is_node)
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    if let Some(title) = title(text) {
        draft.page_title(&title);
    }
    let text = readable(text);
    plain::parse(&text, draft);
}

/// "Wget: Non-interactive network downloader", from the manual's entry in the directory of manuals; all parts of a
/// manual have the same.
fn title(text: &str) -> Option<String> {
    let mut lines = text.lines().take(HEAD).skip_while(|line| *line != "START-INFO-DIR-ENTRY").skip(1);
    let (name, rest) = lines.next()?.strip_prefix("* ")?.split_once(": (")?;
    let (_, about) = rest.split_once(").")?;
    let about = about.trim().trim_end_matches('.');
    Some(if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") })
}

/// The same lines, with those that are not text left blank.
fn readable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut place = Place::Outside;
    for line in text.lines() {
        place = place.after(line);
        let line = match place {
            Place::Text if line.trim() == FOOTNOTES || line.starts_with('\0') => "",
            Place::Text => line,
            Place::Outside | Place::Header | Place::Menu => "",
        };
        match line.trim_start().strip_prefix("-- ").and_then(|line| line.split_once(": ")) {
            // ` -- Command: detach` describes a command: its name is the term.
            Some((_, term)) if line.starts_with(" -- ") => kept.push_str(&format!(" {term}")),
            _ => kept.push_str(line),
        }
        kept.push('\n');
    }
    without_references(&kept)
}

const FOOTNOTES: &str = "---------- Footnotes ----------";

/// The part of a file that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Above the first node, and in the tables below the last one.
    Outside,
    /// The lines that begin a node.
    Header,
    Text,
    /// The entries of a menu, or of an index.
    Menu,
}

impl Place {
    fn after(self, line: &str) -> Place {
        match self {
            _ if line.starts_with(SEPARATOR) => Place::Header,
            Place::Header if is_node(line) => Place::Header,
            Place::Header if line.is_empty() => Place::Text,
            Place::Header => Place::Outside,
            // Bullets of lists are set in.
            Place::Text | Place::Menu if line.starts_with("* ") => Place::Menu,
            Place::Menu if line.is_empty() || line.starts_with(BESIDE) => Place::Menu,
            Place::Menu => Place::Text,
            place => place,
        }
    }
}

/// The indent of the second line of a menu's entry.
const BESIDE: &str = "      ";

fn is_node(line: &str) -> bool {
    line.starts_with("File: ") && line.contains("Node: ")
}

/// Writes `(*note Keys::)` as `(see Keys)`, and drops the marks of footnotes. Line breaks are kept.
fn without_references(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let is_note = |rest: &str, at: usize| ["*note", "*Note"].iter().any(|mark| rest[at..].starts_with(mark));
    while let Some((at, _)) = rest.match_indices('*').find(|(at, _)| is_note(rest, *at)) {
        let (before, after) = (&rest[..at], &rest[at + "*note".len()..]);
        let is_first = rest[at..].starts_with("*N");
        kept.push_str(before);
        let Some((label, length)) = reference(after) else {
            kept.push_str(&rest[at..rest.len() - after.len()]);
            rest = after;
            continue;
        };
        let (said, below) = after.split_at(length);
        if label.contains("-Footnote-") {
            let lines = drop_mark(&mut kept) + said.matches('\n').count();
            let below = below.strip_prefix(')').unwrap_or(below);
            // The line ends at the next space, so that a full stop stays with its word.
            let (word, below) = below.split_at(below.find([' ', '\n']).unwrap_or(0));
            kept.push_str(word);
            kept.extend(std::iter::repeat_n('\n', lines));
            rest = below;
            continue;
        }
        // `as told in *note Keys::` needs no verb of its own.
        match before.trim_end().ends_with(['(', ',', ';', '.', ':']) || before.trim().is_empty() {
            true => kept.push_str(if is_first { "See" } else { "see" }),
            false => kept.truncate(kept.trim_end_matches(' ').len()),
        }
        kept.push_str(label);
        kept.extend(said[label.len()..].matches('\n'));
        // The full stop before a bracket ends the reference, not the sentence.
        rest = below.strip_prefix('.').filter(|below| below.starts_with(')')).unwrap_or(below);
    }
    kept.push_str(rest);
    kept
}

/// The label of a reference, with the space before it, and the total length: `Keys::`, or `Keys: (manual)Node` up to a
/// full stop or comma.
fn reference(after: &str) -> Option<(&str, usize)> {
    const LONGEST: usize = 300;
    let near = &after[..after.floor_char_boundary(LONGEST)];
    let colon = near.find(':').filter(|_| near.starts_with(char::is_whitespace))?;
    let below = &near[colon + 1..];
    if below.starts_with(':') {
        return Some((&near[..colon], colon + 2));
    }
    let manual = below.trim_start().starts_with('(').then(|| below.find(')')).flatten().unwrap_or(0);
    let end = manual + below[manual..].find(['.', ','])?;
    Some((&near[..colon], colon + 1 + end))
}

/// Removes `(1) (` from the end of a text. Returns the number of lines that end in it.
fn drop_mark(text: &mut String) -> usize {
    let before = text.trim_end_matches('(').trim_end();
    let number = before.strip_suffix(')').map(|before| before.trim_end_matches(|c: char| c.is_ascii_digit()));
    let length = number.and_then(|before| before.strip_suffix('(')).map_or(before.len(), str::len);
    let lines = text[length..].matches('\n').count();
    text.truncate(length);
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};
    use run::evidence::BlockKind::{self, *};

    const HEAD: &str = "This is store.info, produced by makeinfo version 6.8 from store.texi.\n\nSTART-INFO-DIR-ENTRY\n* Store: (store).            Keeps what it is given.\n* store-admin: (store)Admin.  Tends it.\nEND-INFO-DIR-ENTRY\n\n";

    fn manual(nodes: &[(&str, &str)]) -> String {
        let node =
            |(name, text): &(&str, &str)| format!("\u{1f}\nFile: store.info,  Node: {name},  Up: Top\n\n{text}\n\n");
        let nodes: String = nodes.iter().map(node).collect();
        format!("{HEAD}{nodes}\u{1f}\nTag Table:\nNode: Top\u{7f}345\n\u{1f}\nEnd Tag Table\n")
    }

    fn read(text: &str) -> Document {
        parse(text.as_bytes(), "store.info-1").expect("text in the file")
    }

    fn told(document: &Document) -> Vec<(BlockKind, String, &str)> {
        document.blocks.iter().map(|block| (block.kind, block.headings.join("/"), block.text.as_str())).collect()
    }

    #[test]
    fn a_manual_is_read_without_what_leads_from_node_to_node() {
        let text = manual(&[
            (
                "Top",
                "Store\n*****\n\nIt keeps files.\n\n* Menu:\n\n* Keys::        What they are.\n* Admin::\n               More.\n",
            ),
            (
                "Keys",
                "1 Keys\n======\n\nA key is a\nname (*note Limits of\nnames: Limits.).\n\n   As told in *note Admin::, it is short.  *Note Top::.\n",
            ),
            ("Index", "Index\n*****\n\n\0\u{8}[index\0\u{8}]\n* Menu:\n\n* key:       Keys.      (line 6)\n"),
        ]);
        let manual = read(&text);
        assert_eq!(manual.title, "Store: Keeps what it is given");
        assert_eq!(
            told(&manual),
            [
                (Paragraph, String::new(), "It keeps files."),
                (Paragraph, "1 Keys".to_owned(), "A key is a name (see Limits of names)."),
                (Paragraph, "1 Keys".to_owned(), "As told in Admin, it is short. See Top."),
            ]
        );
        let lines: Vec<&str> = text.lines().collect();
        for block in &manual.blocks {
            let first = block.text.split(' ').next().unwrap_or_default();
            assert!(lines[block.line as usize - 1].contains(first), "{block:?}");
        }
    }

    #[test]
    fn what_a_manual_defines_is_a_term() {
        let manual = read(&manual(&[(
            "Commands",
            " -- Command: drop [-f] KEY\n -- Command: rm KEY ...\n     Removes what the key stands for, without a question.\n\n     It cannot be undone.\n",
        )]));
        assert_eq!(
            told(&manual),
            [
                (
                    Paragraph,
                    "drop [-f] KEY, rm KEY ...".to_owned(),
                    "Removes what the key stands for, without a question."
                ),
                (Paragraph, "drop [-f] KEY, rm KEY ...".to_owned(), "It cannot be undone."),
            ]
        );
    }

    #[test]
    fn a_footnote_is_read_without_its_marks() {
        let manual = read(&manual(&[(
            "Top",
            "It loads\nothers(1) (*note\nTop-Footnote-1::).  It stops.\n\n   ---------- Footnotes ----------\n\n   (1) Only where they are known.\n",
        )]));
        let texts: Vec<&str> = manual.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["It loads others. It stops.", "Only where they are known."]);
    }

    #[test]
    fn references_without_an_end_are_text() {
        for text in ["see *note", "*note Keys", "*Note a: b", "*note ::", "(1) (*note x-Footnote-1::"] {
            assert!(super::without_references(text).len() <= text.len() + 4, "{text}");
        }
        let many = "*note ".repeat(20_000);
        assert_eq!(super::without_references(&many), many);
    }
}
