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

/// The bytes of a file once it is decompressed, as it says of itself (RFC 1952, ISIZE): wrong if it is damaged or in several parts.
pub(super) fn told_size(bytes: &[u8]) -> usize {
    let told = bytes.last_chunk().filter(|_| bytes.starts_with(MAGIC)).map(|told| u32::from_le_bytes(*told));
    told.and_then(|told| usize::try_from(told).ok()).map_or(bytes.len(), |told| told.max(bytes.len()))
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::told_size;

    #[test]
    fn a_compressed_file_is_as_long_as_it_will_be() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&b"words ".repeat(10_000)).unwrap();
        let packed = packed.finish().unwrap();
        assert!(packed.len() < 1_000);
        assert_eq!(told_size(&packed), 60_000);
        assert_eq!((told_size(b"words"), told_size(b""), told_size(b"\x1f\x8b")), (5, 0, 2));
    }
}
