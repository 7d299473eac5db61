//! Files compressed with gzip, as distributions ship documentation: `changelog.gz`, `ls.1.gz`.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::{Unread, most_bytes_of};

const MAGIC: &[u8] = b"\x1f\x8b";

/// The name without its gzip ending: `notes.md` for `notes.md.gz`.
pub(super) fn name_within(name: &str) -> Option<&str> {
    let at = name.len().checked_sub(3)?;
    (at > 0 && name.get(at..)?.eq_ignore_ascii_case(".gz")).then(|| &name[..at])
}

/// Name and bytes of a document, decompressed if it is compressed, up to the most bytes that are read of one file.
pub(super) fn unpacked<'a>(name: &'a str, bytes: Vec<u8>) -> Result<(Cow<'a, str>, Vec<u8>), Unread> {
    let Some(inner) = name_within(name).filter(|_| bytes.starts_with(MAGIC)) else { return Ok((name.into(), bytes)) };
    let most = most_bytes_of(inner);
    let mut whole = Vec::new();
    let unpacked = MultiGzDecoder::new(bytes.as_slice()).take(most + 1).read_to_end(&mut whole);
    unpacked.map_err(|_| Unread::Damaged)?;
    match whole.len() as u64 > most {
        true => Err(Unread::TooMuchText),
        false => Ok((inner.into(), whole)),
    }
}
