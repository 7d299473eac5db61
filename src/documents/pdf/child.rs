//! The child process for PDF files: limits itself, then reads its one file and writes the text.

use std::path::Path;
use std::process::ExitCode;

/// Writes the title and pages of `file` to standard output. Only for the hidden subcommand [`super::SUBCOMMAND`]: it
/// lowers the limits of the whole process for good.
pub fn child_main(file: &Path) -> ExitCode {
    match read(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(not(feature = "pdf"))]
fn read(_: &Path) -> Result<(), Box<dyn std::error::Error>> {
    Err("this build reads no PDF".into())
}

#[cfg(feature = "pdf")]
fn read(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    use std::fs::File;
    use std::io::Write;

    limit()?;
    let bytes = super::super::read_bytes(file)?;
    // The PDF library prints warnings: keep them out of the answer.
    let mut answer = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    std::panic::set_hook(Box::new(|_| {}));
    let text = extract(&bytes)?;
    answer.write_all(super::GREETING.as_bytes())?;
    answer.write_all(text.as_bytes())?;
    Ok(())
}

/// Limits memory and time to what a valid file needs; no files written, no core dump.
#[cfg(feature = "pdf")]
fn limit() -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    const MEMORY: u64 = 768 << 20;
    const SECONDS: u64 = 15;
    for (what, most) in [
        (Resource::As, MEMORY),
        (Resource::Cpu, SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 32),
    ] {
        setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
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
