//! E-books (.epub) to blocks: the chapters in reading order, each an HTML page, as one document.
//!
//! Covers, tables of contents, indices and chapters outside of the reading order are dropped.

mod contents;

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;

use super::archive::{Archive, MOST_PARTS, resolved};
use super::flow::Titled;
use super::xml::{self, Element, Reads};
use super::{Draft, Fault, Unread};
use crate::html::{self, Chapter};
use contents::Contents;

pub(super) const CONTAINER: &str = "META-INF/container.xml";

pub(super) fn parse(archive: &mut Archive<'_>, draft: &mut Draft) -> Result<Titled, Unread> {
    refuse_encrypted(archive)?;
    let mut container = Container::default();
    if let Some(text) = archive.text(CONTAINER)? {
        xml::read(&text, "the list of its books", &mut container)?;
    }
    let mut book = Book { at: container.book, ..Book::default() };
    let Some(text) = archive.text(&book.at)? else { return Err(Fault::NoDocument.into()) };
    xml::read(&text, "the list of its chapters", &mut book)?;
    draft.page_title(&book.title);
    draft.title_by_name();
    let contents = contents(&book, archive)?;
    let (mut line, mut read) = (1, HashSet::new());
    for (id, _) in book.spine.iter().filter(|(_, is_linear)| *is_linear) {
        let Some(item) = book.items.get(id).filter(|item| item.is_page && !item.is_contents) else { continue };
        if contents.around.contains(&item.part) || !read.insert(&item.part) {
            continue;
        }
        let Some(text) = archive.text(&item.part)? else { continue };
        let text = xml::without_cdata(&text);
        let entries = contents.chapters.get(&item.part).map(Vec::as_slice).unwrap_or_default();
        let mut chapter = Chapter::of(entries, line);
        if let Some((level, name)) = entries.first().filter(|_| !has_heading(&text)) {
            draft.heading(*level, name);
            chapter.leave_out(name);
        }
        html::chapter(&text, draft, chapter);
        line += u32::try_from(text.matches('\n').count()).unwrap_or(0) + 1;
    }
    Ok(Titled::Well)
}

/// Refuses a book whose text is encrypted. Encrypted fonts are common and ignored.
fn refuse_encrypted(archive: &mut Archive<'_>) -> Result<(), Unread> {
    let mut encryption = Encryption::default();
    if let Some(text) = archive.text("META-INF/encryption.xml")? {
        xml::read(&text, "the list of its encrypted parts", &mut encryption)?;
    }
    if encryption.is_of_text { Err(Fault::Protected.into()) } else { Ok(()) }
}

#[derive(Default)]
struct Encryption {
    is_for_fonts: bool,
    is_of_text: bool,
}

impl Reads for Encryption {
    fn open(&mut self, element: &Element, parent: &str) {
        const FONTS: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
        const ENDINGS: [&str; 5] = [".otf", ".ttf", ".ttc", ".woff", ".woff2"];
        match element.name() {
            "encrypteddata" => self.is_for_fonts = false,
            "encryptionmethod" if parent == "encrypteddata" => {
                self.is_for_fonts = element.get("algorithm").is_some_and(|name| FONTS.contains(&&*name));
            }
            "cipherreference" => {
                let part = element.get("uri").unwrap_or_default().to_ascii_lowercase();
                self.is_of_text |= !self.is_for_fonts && !ENDINGS.iter().any(|ending| part.ends_with(ending));
            }
            _ => {}
        }
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

/// Finds the book: the first, if there are several renditions.
#[derive(Default)]
struct Container {
    book: String,
}

impl Reads for Container {
    fn open(&mut self, element: &Element, _: &str) {
        if element.name() == "rootfile" && self.book.is_empty() {
            self.book = element.get("full-path").unwrap_or_default().into_owned();
        }
    }

    fn close(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

struct Item {
    part: String,
    is_page: bool,
    /// Whether it is the table of contents, current or older format.
    is_contents: bool,
    is_old_contents: bool,
}

#[derive(Default)]
struct Book {
    /// The name of its own part.
    at: String,
    title: String,
    in_title: bool,
    items: HashMap<String, Item>,
    /// The ids of its pages in order, and whether each belongs to the reading order.
    spine: Vec<(String, bool)>,
    /// The pages around the text.
    around: HashSet<String>,
}

impl Book {
    fn part(&self, element: &Element) -> String {
        part(&self.at, &element.get("href").unwrap_or_default())
    }
}

impl Reads for Book {
    fn open(&mut self, element: &Element, parent: &str) {
        match element.name() {
            "title" if parent == "metadata" => self.in_title = self.title.is_empty(),
            "item" if self.items.len() < MOST_PARTS => {
                let kind = element.get("media-type").unwrap_or_default();
                let item = Item {
                    part: self.part(element),
                    is_page: matches!(&*kind, "application/xhtml+xml" | "text/html" | "text/x-oeb1-document"),
                    is_contents: element.get("properties").is_some_and(|all| all.split(' ').any(|one| one == "nav")),
                    is_old_contents: kind == "application/x-dtbncx+xml",
                };
                self.items.entry(element.get("id").unwrap_or_default().into_owned()).or_insert(item);
            }
            "itemref" => {
                let id = element.get("idref").unwrap_or_default().into_owned();
                self.spine.push((id, !element.is("linear", "no")));
            }
            "reference" if is_around(&element.get("type").unwrap_or_default()) => {
                self.around.extend(whole_part(&self.at, element));
            }
            _ => {}
        }
    }

    fn close(&mut self, _: &str) {
        self.in_title = false;
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        }
    }
}

/// The name of the part that an address leads to.
fn part(from: &str, href: &str) -> String {
    resolved(from, &percent_decode_str(href.split('#').next().unwrap_or_default()).decode_utf8_lossy())
}

/// The part that an element leads to, unless to a place within it.
fn whole_part(from: &str, element: &Element) -> Option<String> {
    let href = element.get("href")?;
    (!href.contains('#')).then(|| part(from, &href))
}

/// Whether a page of this kind is not part of the text.
fn is_around(kind: &str) -> bool {
    kind.split_whitespace().any(|kind| {
        matches!(kind, "cover" | "toc" | "index" | "loi" | "lot" | "copyright-page" | "title-page" | "titlepage")
    })
}

/// Reads the tables of contents. They are optional: a book without them is read too.
fn contents(book: &Book, archive: &mut Archive<'_>) -> Result<Contents, Unread> {
    let mut parts: Vec<&Item> = book.items.values().filter(|item| item.is_contents || item.is_old_contents).collect();
    parts.sort_by_key(|item| (item.is_old_contents, &item.part));
    let mut contents = Contents::default();
    contents.around.clone_from(&book.around);
    // Both of them say the same.
    for item in parts.into_iter().take(2) {
        if !contents.chapters.is_empty() {
            break;
        }
        if let Some(text) = archive.text(&item.part)? {
            contents.from.clone_from(&item.part);
            let _ = xml::read(&text, "its table of contents", &mut contents);
        }
    }
    if book.spine.len() < 2 {
        contents.around.clear();
    }
    Ok(contents)
}

/// Whether a page has headings.
fn has_heading(text: &str) -> bool {
    let is_level = |rest: &str| rest.as_bytes().get(2).is_some_and(|level| (b'1'..=b'6').contains(level));
    text.match_indices("<h").chain(text.match_indices("<H")).any(|(at, _)| is_level(&text[at..]))
}

#[cfg(test)]
mod tests;
