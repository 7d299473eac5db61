//! The text of a PDF file. Runs only in the process that parses documents. Draws nothing and decodes no pictures.

#[cfg(feature = "pdf")]
mod encoding;
#[cfg(feature = "pdf")]
mod font;
#[cfg(feature = "pdf")]
mod layout;
#[cfg(feature = "pdf")]
mod page;
#[cfg(feature = "pdf")]
mod program;
#[cfg(feature = "pdf")]
mod style;

/// The title on the first line, then the pages, each followed by a form feed.
#[cfg(not(feature = "pdf"))]
pub(super) fn extract(_: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    Err("this build reads no PDF".into())
}

/// The title on the first line, then the pages, each followed by a form feed. Lines may begin with a [`Mark`]. An encrypted file that opens without a
/// password is read too.
#[cfg(feature = "pdf")]
pub(super) fn extract(bytes: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// The most pages that are read.
    const MOST_PAGES: usize = 20_000;

    let file = hayro_syntax::Pdf::new(bytes.to_vec()).map_err(|why| format!("{why:?}"))?;
    // The parser mends faults: if it finds no page, the file is too damaged for that.
    if file.pages().is_empty() {
        return Err("no page is found".into());
    }
    let declared = file.metadata().title.as_deref().map(encoding::document_text).unwrap_or_default();
    let mut text = String::new();
    let mut pages = page::Pages::default();
    let mut styles = style::Styles::default();
    for page in file.pages().iter().take(MOST_PAGES) {
        // A page that cannot be read is skipped.
        let page = catch_unwind(AssertUnwindSafe(|| page_text(pages.read(page), &mut styles)));
        text.push_str(&page.unwrap_or_default());
        text.push('\u{c}');
    }
    let declared = declared.replace(['\n', '\r', '\u{c}'], " ");
    let title = if crate::titles::is_title(&declared) { &declared } else { styles.title().unwrap_or_default() };
    Ok(format!("{title}\n{text}"))
}

/// Letters that the file does not identify are dropped; so is the rest of a page that mostly consists of them, because
/// it would be misread.
#[cfg(feature = "pdf")]
fn page_text(shown: page::Shown, styles: &mut style::Styles) -> String {
    if shown.unknown > shown.glyphs.len() { String::new() } else { layout::text(shown.glyphs, styles) }
}
