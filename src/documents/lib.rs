//! Documents: which files there are, what text they hold, and where in it a passage stands.
//!
//! From bytes to blocks. Never fatal: a file that cannot be read becomes a reason, in words. Never executes,
//! follows a link out of the folder it was given, or fetches anything.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod decode;
mod draft;
pub mod format;
mod html;
pub mod index;
mod markdown;
pub mod pdf;
mod plain;
mod rst;
mod separated;
pub mod walk;

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use run::evidence::{Block, Section};
use text::Clean;
use text::words::Language;

use draft::Draft;
use format::Format;

/// The largest text file that is read, in bytes: it is held in memory, in pieces, several times over.
pub const MOST_BYTES: u64 = 16 << 20;
/// The largest PDF file that is read, in bytes: most of one is pictures.
pub const MOST_PDF_BYTES: u64 = 64 << 20;

/// A document taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The page's title, the first heading, or the file's name.
    pub title: Clean,
    /// The language most of it is in.
    pub language: Language,
    /// The blocks in order.
    pub blocks: Vec<Block>,
    /// The sections in order.
    pub sections: Vec<Section>,
    /// Bytes of cleaned text, the line breaks between blocks included.
    pub bytes: u64,
}

/// Why a file was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// Nothing in it.
    #[error("empty")]
    Empty,
    /// Text, but none that says anything.
    #[error("no readable text in it")]
    NoText,
    /// Pictures, archives, programs.
    #[error("binary, not text")]
    Binary,
    /// Larger than [`MOST_BYTES`] or [`MOST_PDF_BYTES`].
    #[error("too large: {} MB, and no more than {} MB are read of one file; split it", size.div_ceil(1 << 20), most >> 20)]
    TooLarge {
        /// Its size.
        size: u64,
        /// The largest that is read.
        most: u64,
    },
    /// More blocks than a document may have.
    #[error("more than {} passages; split it", draft::MOST_BLOCKS)]
    TooManyBlocks,
    /// A pipe, a socket, a device.
    #[error("not a regular file")]
    NotAFile,
    /// What the system said.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The child that reads PDF files is not there.
    #[error("the reader of PDF files cannot be started: {0}")]
    NoPdfReader(std::io::Error),
    /// What the PDF reader said.
    #[error("PDF not readable: {0}")]
    Pdf(String),
}

impl Unread {
    /// Whether the same file may be readable the next time.
    fn may_pass(&self) -> bool {
        matches!(self, Unread::Io(_) | Unread::NoPdfReader(_))
    }
}

/// The bytes of a regular file, without ever waiting on a pipe or following a link.
///
/// # Errors
/// [`Unread`] says why not.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Unread> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(Unread::NotAFile);
    }
    let most = most_bytes(path);
    if meta.len() > most {
        return Err(Unread::TooLarge { size: meta.len(), most });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    // A file may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Unread::TooLarge { size: bytes.len() as u64, most });
    }
    if bytes.is_empty() {
        return Err(Unread::Empty);
    }
    Ok(bytes)
}

/// Takes the text of a file apart. `name` is the file's name: it hints at the format and is the title of last resort.
///
/// # Errors
/// [`Unread`] says why there is nothing to take in.
pub fn parse(bytes: &[u8], name: &str) -> Result<Document, Unread> {
    let hint = Format::by_name(name);
    let text = decode::decode(bytes, hint == Format::Html)?;
    let mut draft = Draft::new(name);
    match hint.settle(&text) {
        Format::Markdown => markdown::parse(&text, &mut draft),
        Format::Html => html::parse(&text, &mut draft),
        Format::Rst => rst::parse(&text, &mut draft),
        Format::Separated => separated::parse(&text, &mut draft),
        Format::Lines => lines(&text, &mut draft),
        Format::Plain | Format::Unknown | Format::NotADocument | Format::Pdf => plain::parse(&text, &mut draft),
    }
    draft.finish()
}

/// A block for each line that says anything. They are data, never prose.
fn lines(text: &str, draft: &mut Draft) {
    for (line, no) in text.lines().zip(1..) {
        draft.push(run::BlockKind::Code, None, line, no);
    }
}

/// What a page from elsewhere is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFormat {
    /// A page of a web site, with what surrounds its text.
    Html,
    /// The text of a page, as HTML with nothing around it.
    Fragment,
    /// CommonMark.
    Markdown,
    /// Lines of text.
    Plain,
}

/// Takes a page apart that was fetched from elsewhere. `title` is what it is called there, if that is known;
/// `name` is the title of last resort.
///
/// # Errors
/// [`Unread`] says why there is nothing to take in.
pub fn parse_page(bytes: &[u8], format: PageFormat, title: Option<&str>, name: &str) -> Result<Document, Unread> {
    let text = decode::decode(bytes, matches!(format, PageFormat::Html | PageFormat::Fragment))?;
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

/// Takes a PDF apart that was fetched from elsewhere and put in a file. The child `pdf_reader read-pdf FILE` opens it.
///
/// # Errors
/// [`Unread`] says why there is nothing to take in.
pub fn parse_pdf(file: &Path, pdf_reader: &Path, name: &str) -> Result<Document, Unread> {
    let mut draft = Draft::new(name);
    pdf::parse(pdf_reader, file, &mut draft)?;
    draft.finish()
}

/// How large a file of this name may be.
fn most_bytes(path: &Path) -> u64 {
    match Format::by_name(&path.file_name().unwrap_or_default().to_string_lossy()) {
        Format::Pdf => MOST_PDF_BYTES,
        _ => MOST_BYTES,
    }
}

/// Takes a file apart whose bytes were read: a PDF through `pdf_reader`, anything else here.
fn take_apart(path: &Path, bytes: Vec<u8>, pdf_reader: &Path) -> Result<Document, Unread> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !bytes.starts_with(b"%PDF-") {
        return parse(&bytes, &name);
    }
    drop(bytes);
    let mut draft = Draft::new(&name);
    pdf::parse(pdf_reader, path, &mut draft)?;
    draft.finish()
}

#[cfg(test)]
mod tests;
