//! PDF to blocks. PDF files are only opened in a limited child process: malicious ones make PDF readers loop, exhaust
//! memory and abort, and none of that may affect this process.

mod child;
mod pages;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

pub use child::child_main;

use super::draft::Draft;
use super::{MOST_BYTES, Unread, plain};

/// The hidden subcommand that reads one PDF file.
pub const SUBCOMMAND: &str = "read-pdf";

/// The start of the child's answer: any other program in its place gives no text.
const GREETING: &str = "masthead-pdf 1\n";

/// The timeout of a file.
const PATIENCE: Duration = Duration::from_secs(20);

/// Parses a PDF: `reader` is this program, started as `reader read-pdf FILE`.
pub(super) fn parse(reader: &Path, file: &Path, draft: &mut Draft) -> Result<(), Unread> {
    let text = extract(reader, file, PATIENCE)?;
    let (title, text) = text.split_once('\n').unwrap_or(("", &text));
    if pages::is_title(title) {
        draft.page_title(title);
    }
    let text = pages::rejoin(text);
    plain::parse_lines(pages::lines(&text).into_iter(), draft);
    Ok(())
}

/// The title and text from the child process.
fn extract(reader: &Path, file: &Path, patience: Duration) -> Result<String, Unread> {
    let mut child = Command::new(reader)
        .arg(SUBCOMMAND)
        .arg(file)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(Unread::NoPdfReader)?;
    let (sender, receiver) = mpsc::channel();
    let answer = std::thread::scope(|scope| {
        if let Some(stdout) = child.stdout.take() {
            scope.spawn(move || {
                let mut answer = Vec::new();
                let whole = stdout.take(MOST_BYTES + 1).read_to_end(&mut answer);
                // The receiver is gone after a timeout.
                let _ = sender.send(whole.map(|_| answer));
            });
        }
        let answer = receiver.recv_timeout(patience);
        if answer.is_err() || matches!(&answer, Ok(Ok(text)) if text.len() as u64 > MOST_BYTES) {
            // It may have ended meanwhile.
            let _ = child.kill();
        }
        answer
    });
    let status = child.wait()?;
    let answer = match answer {
        Ok(answer) => answer?,
        Err(_) => return Err(Unread::Pdf(format!("it took longer than {} s", patience.as_secs()))),
    };
    if answer.len() as u64 > MOST_BYTES {
        return Err(Unread::Pdf("it holds more text than is read of one file".to_owned()));
    }
    let answer = String::from_utf8_lossy(&answer);
    match answer.strip_prefix(GREETING) {
        Some(text) if status.success() => Ok(text.to_owned()),
        _ => Err(Unread::Pdf("it is damaged, locked, or asks too much of the reader".to_owned())),
    }
}

#[cfg(test)]
mod tests;
