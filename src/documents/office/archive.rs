//! The parts of a zip archive by their names.
//!
//! Parts are unpacked into memory only, never to the paths they name, and in total at most as many bytes as the largest
//! file that is read. Of parts with the same name the first counts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::super::decode::{Charset, decode};
use super::super::{MOST_PDF_BYTES, Unread};
use super::Fault;

/// The first bytes of an archive.
pub(in super::super) const MAGIC: &[u8] = b"PK\x03\x04";
/// The most parts of an archive. An e-book has one for each chapter and picture.
pub(super) const MOST_PARTS: usize = 50_000;

pub(super) struct Archive<'a> {
    zip: ZipSliceArchive<&'a [u8]>,
    parts: HashMap<String, Part>,
    /// The bytes that may still be unpacked.
    room: u64,
}

struct Part {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

impl<'a> Archive<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Archive<'a>, Fault> {
        let zip = ZipArchive::from_slice(bytes).map_err(|_| Fault::Damaged)?;
        let mut parts = HashMap::new();
        for (entry, count) in zip.entries().zip(1..) {
            if count > MOST_PARTS {
                return Err(Fault::TooManyParts);
            }
            let entry = entry.map_err(|_| Fault::Damaged)?;
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).replace('\\', "/");
            if let Entry::Vacant(free) = parts.entry(key(&name)) {
                free.insert(Part {
                    place: entry.wayfinder(),
                    method: entry.compression_method(),
                    is_encrypted: entry.flags().is_encrypted(),
                });
            }
        }
        Ok(Archive { zip, parts, room: MOST_PDF_BYTES })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.contains_key(&key(name))
    }

    /// The bytes of a part, if there is one of this name.
    pub(super) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unread> {
        let Some(part) = self.parts.get(&key(name)) else { return Ok(None) };
        if part.is_encrypted {
            return Err(Fault::Locked.into());
        }
        let packed = self.zip.get_entry(part.place).map_err(|_| Fault::Damaged)?;
        let data = packed.data();
        let mut bytes = Vec::new();
        let unpacked = match part.method {
            CompressionMethod::STORE => packed.verifying_reader(data).take(self.room + 1).read_to_end(&mut bytes),
            CompressionMethod::DEFLATE => {
                packed.verifying_reader(DeflateDecoder::new(data)).take(self.room + 1).read_to_end(&mut bytes)
            }
            other => return Err(Fault::Method(other.as_u16()).into()),
        };
        unpacked.map_err(|_| Fault::Damaged)?;
        self.room = self.room.checked_sub(bytes.len() as u64).ok_or(Unread::TooMuchText)?;
        Ok(Some(bytes))
    }

    /// The text of a part of XML or HTML, if there is one of this name and it is text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Unread> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        let text = match decode(&bytes, Charset::Declared) {
            Ok(Cow::Owned(text)) => text,
            // It is valid UTF-8, so that nothing is copied.
            Ok(Cow::Borrowed(text)) if text.len() == bytes.len() => String::from_utf8(bytes).unwrap_or_default(),
            Ok(Cow::Borrowed(text)) => text.to_owned(),
            Err(_) => return Ok(None),
        };
        Ok(Some(text))
    }
}

/// The normalised form of a name: Word ignores case.
fn key(name: &str) -> String {
    name.trim_start_matches("./").trim_start_matches('/').to_ascii_lowercase()
}

/// The name of the part that `href` in the part `from` refers to. It never leads out of the archive.
pub(super) fn resolved(from: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or_default();
    let mut path: Vec<&str> = match href.starts_with('/') {
        true => Vec::new(),
        false => from.split('/').collect(),
    };
    path.pop();
    for step in href.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}
