//! Logs: to a file in the data directory, never to the screen. Document text is never logged at the default level.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::place::Places;

/// A larger file of captured standard error starts anew.
const MOST_STANDARD_ERROR: u64 = 1_000_000;

/// Lines that wait to be written; further ones are dropped. The place for each is taken up at the start, and the appender's
/// own default takes 4 MB.
const MOST_WAITING: usize = 4_096;

/// The folder of the log that was started.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Where the log is; None if there is none.
pub fn folder() -> Option<&'static Path> {
    FOLDER.get().map(PathBuf::as_path)
}

/// Starts logging; the returned guard has to live as long as anything is logged. The program works without a log, too.
pub fn start(places: &Places) -> Option<WorkerGuard> {
    // The appender complains on standard error if the folder is missing.
    let folder = places.data.join("logs");
    std::fs::create_dir_all(&folder).ok()?;
    redirect_standard_error(&folder);
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("masthead")
        .filename_suffix("log")
        .max_log_files(7)
        .build(&folder)
        .ok()?;
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(MOST_WAITING).finish(appender);
    let asked = std::env::var("MASTHEAD_LOG").ok().and_then(|levels| levels.parse::<Targets>().ok());
    let filter = asked.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Its lines hold what MCP servers and tools are sent and answer.
    let filter = filter.with_target("rmcp", LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    tracing_subscriber::registry().with(lines).with(filter).try_init().ok()?;
    let _ = FOLDER.set(folder);
    // Panic messages go to the log; `cli::main` tells the person, if nothing before it does.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    Some(guard)
}

/// Redirects standard error to a file next to the log, since libraries would write over the screen.
fn redirect_standard_error(folder: &Path) {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("stderr.log"));
    let Ok(file) = file else { return };
    if file.metadata().is_ok_and(|metadata| metadata.len() > MOST_STANDARD_ERROR) {
        let _ = file.set_len(0);
    }
    tui::terminal::log_standard_error_to(file);
}
