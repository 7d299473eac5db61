//! Word documents, OpenDocument texts and e-books to blocks: zip archives whose parts are XML or HTML.
//!
//! The kind of a file is detected by its parts, not by its name. Writes no part to disk, loads nothing from elsewhere
//! and runs no macros; reads any input in linear time.

mod archive;
mod epub;
mod flow;
mod look;
mod odt;
mod table;
mod word;
mod xml;

use super::draft::Draft;
use super::other_format::OtherFormat;
use super::{MOST_BYTES, Unread};
use archive::Archive;
use flow::Titled;

pub(super) use archive::MAGIC;

/// The reason why a file is not read as a document of an office program or as an e-book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("damaged: its parts cannot be unpacked; get it again, or save it anew with the program that wrote it")]
    Damaged,
    #[error("damaged: {0} is not well-formed; save it anew with the program that wrote it")]
    Malformed(&'static str),
    #[error("protected with a password; save it without one")]
    Locked,
    #[error("copy-protected (DRM): its text is encrypted, and only its seller's reader opens it; get it without")]
    Protected,
    #[error("an old Word document (.doc) by its content; save it as .docx")]
    OldWord,
    #[error("packed with a method that is not read (number {0}); save it anew with the program that wrote it")]
    Method(u16),
    #[error("more than {} parts in it; split it", archive::MOST_PARTS)]
    TooManyParts,
    #[error("neither a Word document nor an OpenDocument text nor an e-book by its content")]
    NoDocument,
}

/// The first bytes of a compound file, as old Word documents are, and new ones with a password.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Parses a file of any of the formats.
pub(super) fn parse(bytes: &[u8], draft: &mut Draft) -> Result<(), Unread> {
    if is_compound(bytes) {
        return Err(compound(bytes));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(Fault::NoDocument.into());
    }
    titled(draft, |draft| {
        let mut archive = Archive::open(bytes)?;
        if archive.has(epub::CONTAINER) {
            epub::parse(&mut archive, draft)
        } else if archive.has(odt::CONTENT) {
            odt::parse(&mut archive, draft)
        } else {
            word::parse(&mut archive, draft)
        }
    })?;
    if draft.len() > MOST_BYTES { Err(Unread::TooMuchText) } else { Ok(()) }
}

/// Reads a document; reads it again, titled by its file name, if the title turns out to be that of a part.
fn titled(draft: &mut Draft, read: impl Fn(&mut Draft) -> Result<Titled, Unread>) -> Result<(), Unread> {
    let mut again = draft.clone();
    if read(draft)? == Titled::ByAPart {
        again.title_by_name();
        read(&mut again)?;
        *draft = again;
    }
    Ok(())
}

/// Parses an OpenDocument text in a single file of XML.
pub(super) fn parse_flat(text: &str, draft: &mut Draft) -> Result<(), Unread> {
    titled(draft, |draft| odt::parse_flat(text, draft))
}

/// Whether it is a compound file, which has no text that is read here, under any name.
pub(super) fn is_compound(bytes: &[u8]) -> bool {
    bytes.starts_with(COMPOUND)
}

/// Whether a compound file has a part whose name has these words; names are in UTF-16.
fn has_part(bytes: &[u8], name: &str) -> bool {
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(name.len()).any(|part| part == name)
}

/// The format of an archive or a compound file that is no document, by its parts; None if it is neither, or of an unknown program.
pub(super) fn other_format(bytes: &[u8]) -> Option<OtherFormat> {
    if is_compound(bytes) {
        let parts = [
            ("Workbook", OtherFormat::Spreadsheet),
            ("PowerPoint Document", OtherFormat::Slides),
            ("__substg1.0", OtherFormat::OutlookMail),
        ];
        return parts.into_iter().find(|(part, _)| has_part(bytes, part)).map(|(_, format)| format);
    }
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let Ok(mut archive) = Archive::open(bytes) else { return Some(OtherFormat::Archive) };
    let kind = archive.text("mimetype").ok().flatten().unwrap_or_default();
    Some(match () {
        () if archive.has("xl/workbook.xml") || kind.contains("opendocument.spreadsheet") => OtherFormat::Spreadsheet,
        () if archive.has("ppt/presentation.xml") || kind.contains("opendocument.presentation") => OtherFormat::Slides,
        () => OtherFormat::Archive,
    })
}

/// The reason to refuse a compound file, by its parts.
fn compound(bytes: &[u8]) -> Unread {
    match (has_part(bytes, "EncryptedPackage"), has_part(bytes, "WordDocument")) {
        (true, _) => Fault::Locked.into(),
        (false, true) => Fault::OldWord.into(),
        (false, false) => Unread::Binary,
    }
}

#[cfg(test)]
pub(super) mod tests;
