//! Documents: finds files, parses their text into blocks, and indexes them for search.
//!
//! A file that cannot be read is skipped with a reason and fails nothing else. Documents are parsed in separate
//! processes ([`reader`]), so that a parser crash costs one document. Executes and fetches nothing, and follows no link
//! out of the given folder.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod asciidoc;
mod cells;
pub mod decode;
mod dictionary;
mod draft;
pub mod format;
mod html;
mod hyphens;
pub mod index;
mod info;
mod latex;
mod line_breaks;
mod line_count;
mod lists;
mod mail;
mod margin;
mod markdown;
mod markup;
mod notebook;
mod office;
mod org;
mod other_format;
mod packed;
mod pdf;
mod pieces;
mod plain;
mod pod;
mod raised;
pub mod reader;
mod roff;
mod rst;
mod separated;
mod since;
mod subtitles;
mod superseded;
mod texinfo;
mod titles;
mod translations;
pub mod walk;
mod wiki;

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use run::evidence::{Block, Section};
use serde::{Deserialize, Serialize};
use text::Clean;
use text::sha256::{Sha256, hex};
use text::words::Language;

use decode::Charset;
use draft::Draft;
use format::Format;
use other_format::OtherFormat;
use reader::{Asked, Form, Readers};

pub use since::changed_since;

/// The most bytes of a text file: several copies of it are in memory at a time.
pub const MOST_BYTES: u64 = 16 << 20;
/// The most bytes of a PDF file, an office document or an e-book: most of it is pictures.
pub const MOST_PDF_BYTES: u64 = 64 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The page's title, its first heading, or the file's name.
    pub title: Clean,
    pub language: Language,
    pub blocks: Vec<Block>,
    pub sections: Vec<Section>,
    /// Bytes of cleaned text, the line breaks between blocks included.
    pub bytes: u64,
    /// The field above its text by which it no longer holds.
    ended: Option<Clean>,
}

/// The reason why a file was skipped.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("empty")]
    Empty,
    #[error("no readable text in it")]
    NoText,
    /// Not a page itself: it redirects a browser to another at once.
    #[error("it only leads to another page")]
    Elsewhere,
    #[error("binary, not text")]
    Binary,
    #[error(transparent)]
    OtherFormat(#[from] OtherFormat),
    #[error("too large: {} MB, and no more than {} MB are read of one file; split it", size.div_ceil(1 << 20), most >> 20)]
    TooLarge { size: u64, most: u64 },
    #[error("more than {} passages; split it", draft::MOST_BLOCKS)]
    TooManyBlocks,
    #[error("not a regular file")]
    NotAFile,
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// Not the fault of the file: no document can be read.
    #[error("the process that reads documents cannot be started: {0}")]
    NoReader(std::io::Error),
    #[error("PDF not readable: {0}")]
    Pdf(String),
    #[error("its headings and column names, repeated with each passage, come to more than {} MB; split it", draft::MOST_ABOVE >> 20)]
    TooMuchAbove,
    #[error(transparent)]
    Office(#[from] office::Fault),
    #[error("Jupyter notebook not readable: {0}")]
    Notebook(String),
    #[error("compressed with gzip, and damaged")]
    Damaged,
    #[error("it holds more text than is read of one file")]
    TooMuchText,
    #[error(
        "not parsed within {0} s: it is damaged, made to hold up its reader, or this machine is busy; it is tried again next time"
    )]
    Slow(u64),
    #[error("its parser ran out of memory or of depth; it is damaged, or made to break its reader")]
    Crashed,
    #[error("the process that parsed it was ended by the system or by somebody")]
    Interrupted,
    /// The reason, from the process that parsed it.
    #[error("{0}")]
    Refused(String),
}

impl Unread {
    /// Whether the same file may be readable next time.
    fn may_pass(&self) -> bool {
        matches!(self, Unread::Io(_) | Unread::NoReader(_) | Unread::Interrupted | Unread::Slow(_))
    }
}

/// Opens a file, without blocking on a pipe or following a link.
fn open(path: &Path) -> std::io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Reads a regular file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Unread> {
    let file = open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(Unread::NotAFile);
    }
    let most = most_bytes(path);
    if meta.len() > most {
        return Err(Unread::TooLarge { size: meta.len(), most });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    // The file may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Unread::TooLarge { size: bytes.len() as u64, most });
    }
    if bytes.is_empty() {
        return Err(Unread::Empty);
    }
    Ok(bytes)
}

/// Whether a file begins like an XML document, not data. Unreadable files are reported by [`read_bytes`].
fn begins_as_document(path: &Path) -> bool {
    let mut head = Vec::with_capacity(html::HEAD);
    let read = open(path).and_then(|file| file.take(html::HEAD as u64).read_to_end(&mut head));
    read.is_err() || html::is_xml_document(&String::from_utf8_lossy(&head))
}

/// The first bytes of a PDF file.
const PDF: &[u8] = b"%PDF-";

/// Parses a document in this process, which a hostile document may crash: [`Readers::parse`] does it elsewhere.
fn parse_here(asked: &Asked, bytes: Vec<u8>) -> Result<Document, Unread> {
    let (name, bytes) = packed::unpacked(&asked.name, bytes)?;
    match asked.form {
        Form::Page(format) => parse_page(&bytes, format, asked.title.as_deref(), &asked.name),
        Form::File if !bytes.starts_with(PDF) => parse(&bytes, &name),
        Form::File | Form::Pdf => {
            let mut draft = Draft::new(&name);
            pdf::parse(&bytes, &mut draft)?;
            draft.finish()
        }
    }
}

/// Parses a text file in this process. `name` is its name: a hint for the format, and the fallback title.
///
/// # Errors
/// It is no text, is empty, damaged or too large, or its format is not read.
pub fn parse(bytes: &[u8], name: &str) -> Result<Document, Unread> {
    if OtherFormat::is_rich_text(bytes) {
        return Err(OtherFormat::RichText.into());
    }
    parse_text(bytes, name).map_err(|why| match why {
        Unread::Binary => OtherFormat::of(name, bytes).map_or(why, Unread::from),
        why => why,
    })
}

fn parse_text(bytes: &[u8], name: &str) -> Result<Document, Unread> {
    let hint = Format::by_name(name);
    let mut draft = Draft::new(name);
    if hint == Format::Office || office::is_compound(bytes) {
        office::parse(bytes, &mut draft)?;
        return draft.finish();
    }
    let charset = match hint {
        Format::Html | Format::Xml | Format::Data | Format::FlatOffice => Charset::Declared,
        _ => Charset::Guessed,
    };
    let text = decode::decode(bytes, charset)?;
    let format = hint.settle(&text);
    if matches!(
        format,
        Format::Markdown | Format::Rst | Format::AsciiDoc | Format::Wiki | Format::Plain | Format::Unknown
    ) {
        let fields = titles::fields(&text);
        if let Some(title) = titles::of_fields(&fields) {
            draft.page_title(&title);
            draft.ended = superseded::in_fields(&fields);
        }
    }
    match format {
        Format::Markdown => markdown::parse(&text, &mut draft),
        Format::Html => html::parse(&text, &mut draft),
        Format::Rst => rst::parse(&text, &mut draft),
        Format::AsciiDoc => asciidoc::parse(&text, &mut draft),
        Format::Manual => roff::parse(&text, &mut draft),
        Format::Info => info::parse(&text, &mut draft),
        // Each of its parts has an encoding of its own.
        Format::Mail => mail::parse(bytes, &mut draft),
        Format::SavedPage => mail::parse_saved_page(bytes, &mut draft)?,
        Format::Org => org::parse(&text, &mut draft),
        Format::Latex => latex::parse(&text, &mut draft),
        Format::Pod => pod::parse(&text, &mut draft),
        Format::Notebook => notebook::parse(&text, &mut draft)?,
        Format::Texinfo => texinfo::parse(&text, &mut draft),
        Format::Wiki => wiki::parse(&text, &mut draft),
        Format::Subtitles => subtitles::parse(&text, &mut draft),
        Format::Separated => separated::parse(&text, &mut draft),
        Format::Lines => lines(&text, &mut draft),
        Format::Xml => html::parse_xml(&text, &mut draft),
        Format::FlatOffice => office::parse_flat(&text, &mut draft)?,
        Format::Plain | Format::Unknown | Format::NotADocument | Format::Data | Format::Pdf | Format::Office => {
            plain::parse(&text, &mut draft)
        }
    }
    let mut document = draft.finish()?;
    if format.joins_lines() {
        line_breaks::note(&mut document.blocks, &text);
    }
    Ok(document)
}

/// One block per line with content: records, never prose.
fn lines(text: &str, draft: &mut Draft) {
    for (line, no) in text.lines().zip(1..) {
        draft.push(run::BlockKind::Code, None, line, no);
    }
}

/// The format of a fetched page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageFormat {
    /// A web page with its furniture.
    Html,
    /// HTML with only the text of a page.
    Fragment,
    Markdown,
    Plain,
}

/// Parses a fetched page. `title` is its title at the backend, if known; `name` is the fallback title.
fn parse_page(bytes: &[u8], format: PageFormat, title: Option<&str>, name: &str) -> Result<Document, Unread> {
    let charset = match format {
        PageFormat::Html | PageFormat::Fragment => Charset::Declared,
        PageFormat::Markdown | PageFormat::Plain => Charset::Guessed,
    };
    let text = decode::decode(bytes, charset)?;
    let mut draft = Draft::new(name);
    if let Some(title) = title {
        draft.page_title(title);
    }
    match format {
        PageFormat::Html => html::parse_site(&text, &mut draft),
        PageFormat::Fragment => html::fragment(&text, &mut draft, 1),
        PageFormat::Markdown => markdown::parse(&text, &mut draft),
        PageFormat::Plain => plain::parse(&text, &mut draft),
    }
    draft.finish()
}

/// The id of a source: of its path or address, and the digest of its content.
pub fn source_id(path: &str, sha256: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(path);
    hash.update([0]);
    hash.update(sha256);
    hex(&hash.finalize()[..6])
}

/// The most bytes of a file with this name.
fn most_bytes(path: &Path) -> u64 {
    most_bytes_of(&path.file_name().unwrap_or_default().to_string_lossy())
}

fn most_bytes_of(name: &str) -> u64 {
    match Format::by_name(name) {
        Format::Pdf | Format::Office => MOST_PDF_BYTES,
        _ => MOST_BYTES,
    }
}

/// Parses the bytes of a file.
fn parse_file(path: &Path, bytes: Vec<u8>, readers: &Readers) -> Result<Document, Unread> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    readers.parse(&Asked::file(&name), bytes)
}

#[cfg(test)]
mod tests;
