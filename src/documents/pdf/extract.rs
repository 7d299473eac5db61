//! The text of a PDF file, by the PDF library. Only ever called in the process that reads documents: the library loops,
//! exhausts memory and aborts on malicious files.

/// The title on the first line, then the pages, each followed by a form feed.
#[cfg(not(feature = "pdf"))]
pub(super) fn extract(_: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    Err("this build reads no PDF".into())
}

/// The title on the first line, then the pages, each followed by a form feed.
#[cfg(feature = "pdf")]
pub(super) fn extract(bytes: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use pdf_extract::{Document, PlainTextOutput, output_doc_page};

    let mut document = Document::load_mem(bytes)?;
    if document.is_encrypted() {
        // Many files are only protected against changes: those open with an empty password.
        document.decrypt("")?;
    }
    let mut text = title(&document).replace(['\n', '\r', '\u{c}'], " ");
    text.push('\n');
    for number in 1..=document.get_pages().len() {
        let number = u32::try_from(number)?;
        // A page that cannot be read is skipped.
        let page = catch_unwind(AssertUnwindSafe(|| {
            let mut page = String::new();
            let done = output_doc_page(&document, &mut PlainTextOutput::new(&mut page), number);
            done.map(|()| page)
        }));
        if let Ok(Ok(page)) = page {
            text.push_str(&page.replace('\u{c}', "\n"));
        }
        text.push('\u{c}');
    }
    Ok(text)
}

#[cfg(feature = "pdf")]
fn title(document: &pdf_extract::Document) -> String {
    let info = document.trailer.get(b"Info").and_then(|info| match info {
        pdf_extract::Object::Reference(id) => document.get_dictionary(*id),
        other => other.as_dict(),
    });
    let Ok(bytes) = info.and_then(|info| info.get(b"Title")).and_then(|title| title.as_str()) else {
        return String::new();
    };
    match bytes {
        [0xfe, 0xff, wide @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(wide).0.into_owned(),
        bytes => String::from_utf8(bytes.to_vec())
            .unwrap_or_else(|_| encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()),
    }
}
