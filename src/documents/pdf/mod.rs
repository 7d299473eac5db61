//! PDF to blocks.

mod extract;
mod mark;
mod pages;
mod paragraphs;

use super::draft::Draft;
use super::{MOST_BYTES, Unread, plain};

pub(super) use mark::Mark;

/// Parses a PDF file.
pub(super) fn parse(bytes: &[u8], draft: &mut Draft) -> Result<(), Unread> {
    let unreadable = || Unread::Pdf("it is damaged, locked, or asks too much of the reader".to_owned());
    let text = extract::extract(bytes).map_err(|_| unreadable())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Unread::TooMuchText);
    }
    let (title, text) = text.split_once('\n').unwrap_or(("", &text));
    draft.page_title(title);
    let lines = paragraphs::parted(pages::lines(text)).into_iter().map(|(line, no)| (Mark::read(line), no));
    plain::parse_typeset(lines.map(|((mark, line), no)| (mark, line, no)), draft);
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "pdf")]
mod tests;
