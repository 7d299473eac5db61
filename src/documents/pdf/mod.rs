//! PDF to blocks.

mod extract;
mod pages;

use super::draft::Draft;
use super::{MOST_BYTES, Unread, plain};

/// Parses a PDF file.
pub(super) fn parse(bytes: &[u8], draft: &mut Draft) -> Result<(), Unread> {
    let unreadable = || Unread::Pdf("it is damaged, locked, or asks too much of the reader".to_owned());
    let text = extract::extract(bytes).map_err(|_| unreadable())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Unread::TooMuchText);
    }
    let (title, text) = text.split_once('\n').unwrap_or(("", &text));
    if pages::is_title(title) {
        draft.page_title(title);
    }
    plain::parse_lines(pages::lines(text).into_iter(), draft);
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "pdf")]
mod tests;
