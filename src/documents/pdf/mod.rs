//! PDF to blocks. The file is only ever opened in a child process with limits: PDF readers loop, devour memory
//! and abort on files that somebody made to that end, and none of it may touch this process.

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

/// The hidden subcommand under which the program reads one PDF for itself.
pub const SUBCOMMAND: &str = "read-pdf";

/// What the child's answer begins with: whatever else is started in its place gives no text.
const GREETING: &str = "masthead-pdf 1\n";

/// How long one file may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Takes a PDF apart: `reader` is this program, started as `reader read-pdf FILE`.
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

/// The title and the pages' text, as the child tells them.
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
                // Nobody listens if the time was up.
                let _ = sender.send(whole.map(|_| answer));
            });
        }
        let answer = receiver.recv_timeout(patience);
        if answer.is_err() || matches!(&answer, Ok(Ok(text)) if text.len() as u64 > MOST_BYTES) {
            // It may have ended by itself in between.
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
