//! The protocol between this process and the one that parses documents: a request is a line of JSON and the bytes of a
//! document, an answer a line of JSON.
//!
//! An answer repeats nothing: headings and introductions shared by many passages are written once, so that it is at
//! most a small factor longer than its document.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::{Document, PageFormat, Unread};
use run::evidence::{Block, BlockKind, Section};
use text::Clean;
use text::words::Language;

/// The first line of the parsing process, by which another program in its place is detected.
pub(super) const GREETING: &str = "masthead-reader 1\n";

/// A document to be parsed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The known facts about its format.
    pub form: Form,
    /// Its name: a hint for the format of a file, and the fallback title.
    pub name: String,
    /// Its title, if known from elsewhere.
    pub title: Option<String>,
}

/// The known facts about a document's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// A file: its name and its content determine the format.
    File,
    /// A fetched page.
    Page(PageFormat),
    /// A fetched PDF file.
    Pdf,
}

impl Asked {
    /// A file with this name.
    pub fn file(name: &str) -> Asked {
        Asked { form: Form::File, name: name.to_owned(), title: None }
    }
}

/// A request: the document's description, and the number of bytes that follow.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) asked: Asked,
    pub(super) bytes: usize,
}

/// An answer: the document, or why it cannot be read.
pub(super) type Answer = Result<Written, Refusal>;

/// The reason why a document cannot be read.
#[derive(Serialize, Deserialize)]
pub(super) enum Refusal {
    /// It only redirects to another page.
    Elsewhere,
    Said(String),
}

impl From<Unread> for Refusal {
    fn from(why: Unread) -> Refusal {
        match why {
            Unread::Elsewhere => Refusal::Elsewhere,
            why => Refusal::Said(why.to_string()),
        }
    }
}

impl From<Refusal> for Unread {
    fn from(why: Refusal) -> Unread {
        match why {
            Refusal::Elsewhere => Unread::Elsewhere,
            Refusal::Said(why) => Unread::Refused(why),
        }
    }
}

/// A document without the parts that can be derived from the rest.
#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    title: Clean,
    language: Language,
    /// The sections, each with the number of headings that it shares with the one before.
    sections: Vec<(usize, Vec<Clean>, u32, u32)>,
    intros: Vec<Clean>,
    blocks: Vec<WrittenBlock>,
    bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<Clean>,
}

/// A block without its number, its headings and its position.
#[derive(Serialize, Deserialize)]
struct WrittenBlock {
    kind: BlockKind,
    /// The number of its introduction.
    intro: Option<u32>,
    text: Clean,
    line: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breaks: Vec<u16>,
    /// Whether it is the first running text of its section.
    lead: bool,
    /// Whether it continues the line of the block before it.
    continues: bool,
}

impl From<Document> for Written {
    fn from(document: Document) -> Written {
        let mut above: Arc<[Clean]> = Arc::default();
        let mut sections = Vec::with_capacity(document.sections.len());
        for section in document.sections {
            let shared = above.iter().zip(section.headings.iter()).take_while(|(a, b)| a == b).count();
            sections.push((shared, section.headings[shared..].to_vec(), section.first, section.end));
            above = section.headings;
        }
        let mut intros: Vec<Clean> = Vec::new();
        let mut blocks = Vec::with_capacity(document.blocks.len());
        let mut expected = None;
        for block in document.blocks {
            let continues = expected == Some(block.start);
            expected = Some(block.end());
            let intro = block.intro.map(|intro| {
                if intros.last() != Some(&intro) {
                    intros.push(intro);
                }
                u32::try_from(intros.len() - 1).unwrap_or(u32::MAX)
            });
            let Block { kind, text, line, breaks, lead, .. } = block;
            blocks.push(WrittenBlock { kind, intro, text, line, breaks, lead, continues });
        }
        let Document { title, language, bytes, ended, .. } = document;
        Written { title, language, sections, intros, blocks, bytes, ended }
    }
}

impl From<Written> for Document {
    fn from(written: Written) -> Document {
        let mut sections: Vec<Section> = Vec::with_capacity(written.sections.len());
        for (shared, own, first, end) in written.sections {
            let above: &[Clean] = sections.last().map_or(&[], |section| &section.headings);
            let headings = above.iter().take(shared).cloned().chain(own).collect();
            sections.push(Section { headings, first, end });
        }
        let (mut section, mut start) = (0, 0u64);
        let mut blocks = Vec::with_capacity(written.blocks.len());
        for (block, no) in written.blocks.into_iter().zip(0u32..) {
            let WrittenBlock { kind, intro, text, line, breaks, lead, continues } = block;
            while sections.get(section).is_some_and(|section| section.end <= no) {
                section += 1;
            }
            let headings = sections.get(section).map(|section| section.headings.clone()).unwrap_or_default();
            let intro = intro.and_then(|intro| written.intros.get(intro as usize).cloned());
            // One line break is between two blocks, none between two pieces of a line.
            start = start.saturating_sub(u64::from(continues));
            let block = Block { no, kind, headings, intro, text, line, breaks, start, lead };
            start = block.end() + 1;
            blocks.push(block);
        }
        let Written { title, language, bytes, ended, .. } = written;
        Document { title, language, blocks, sections, bytes, ended }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;
    use super::*;

    #[test]
    fn a_document_crosses_as_it_is() {
        let long_record = format!("{{\"a\": 1}}\n{{\"text\": \"{}\"}}\n{{\"a\": 2}}\n", "word ".repeat(1000));
        let long_cell = format!("a,b\n1,{}\n2,short\n", "word ".repeat(600));
        let deep: String = (0..40).map(|n| format!("{} H{n}\n\ntext {n}\n\n", "#".repeat(1 + n % 6))).collect();
        for (name, text) in [
            (
                "a.md",
                "# T\n\nOne.\n\n## A\n\n### B\n\nTwo:\n\n- x\n- y\n\n## C\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nEnd.\n",
            ),
            ("deep.md", deep.as_str()),
            ("a.csv", "a,b\n1,2\n3,4\n"),
            ("long.csv", long_cell.as_str()),
            ("long.jsonl", long_record.as_str()),
            ("a.html", "<h1>T</h1><dl><dt>x<dd>short<dt>y<dd><p>one<p>two</dl><p>end"),
            ("a.rst", "T\n=\n\nheap\n   A tree.\n\n::\n\n   code\n\nEnd.\n"),
            ("a.adoc", "= T\n\nheap:: A tree.\n\n|===\n|a |b\n\n|1 |2\n|===\n\n----\ncode\n----\n"),
            ("wrapped.md", "# T\n\nIt is wrapped\nat this width,\n\n- and so is\n  this item.\n"),
            ("a.txt", "A NOTE\n\n\u{fc}ber \"this\" and\n\tthat\n"),
        ] {
            let document = parse(text.as_bytes(), name).unwrap();
            let written = serde_json::to_vec(&Written::from(document.clone())).unwrap();
            let read: Written = serde_json::from_slice(&written).unwrap();
            let crossed = Document::from(read);
            assert_eq!(crossed, document, "{name}");
            let continued = crossed.blocks.windows(2).filter(|pair| pair[1].continues(&pair[0])).count();
            assert_eq!(continued > 0, name.starts_with("long."), "{name}: only a long line is several blocks");
        }
    }
}
