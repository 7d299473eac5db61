//! Logs: to a file in the data directory, never to the screen. Document text is never logged at the default level.

mod daily;
mod lines;

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use jiff::Timestamp;
use tracing::level_filters::LevelFilter;

use super::place::Places;
use daily::Daily;
use lines::Lines;

/// A larger file of captured standard error starts anew.
const MOST_STANDARD_ERROR: u64 = 1_000_000;

/// Lines that wait to be written; further ones are dropped.
const MOST_WAITING: usize = 4_096;

/// What the thread that writes is sent.
enum Written {
    Line(String),
    /// Nothing after this is written.
    End,
}

/// Writes what was logged until it is dropped.
pub struct Log {
    writer: SyncSender<Written>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Log {
    fn drop(&mut self) {
        // One that is behind is waited for: its last lines say why the program ended.
        let _ = self.writer.send(Written::End);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Starts logging; what is returned has to live as long as anything is logged. The program works without a log, too.
pub fn start(places: &Places) -> Option<Log> {
    let folder = places.data.join("logs");
    std::fs::create_dir_all(&folder).ok()?;
    redirect_standard_error(&folder);
    let (writer, lines) = sync_channel(MOST_WAITING);
    let mut log = Daily::new(folder);
    let thread = std::thread::Builder::new().name("log".into()).spawn(move || {
        while let Ok(Written::Line(line)) = lines.recv() {
            log.write(Timestamp::now(), &line);
        }
    });
    let thread = Some(thread.ok()?);
    let asked = std::env::var("MASTHEAD_LOG").ok().and_then(|level| level.trim().parse().ok());
    let most = asked.unwrap_or(LevelFilter::INFO);
    tracing::subscriber::set_global_default(Lines { most, writer: writer.clone() }).ok()?;
    // Panic messages go to the log; the front end decides what the person sees.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    Some(Log { writer, thread })
}

/// Redirects standard error to a file next to the log, since libraries would write over the screen.
fn redirect_standard_error(folder: &std::path::Path) {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("stderr.log"));
    let Ok(file) = file else { return };
    if file.metadata().is_ok_and(|metadata| metadata.len() > MOST_STANDARD_ERROR) {
        let _ = file.set_len(0);
    }
    tui::terminal::log_standard_error_to(file);
}
