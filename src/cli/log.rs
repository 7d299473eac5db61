//! Logs: to a file in the data directory, never to the screen. Document text is never logged at the default level.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::exit;
use super::place::Places;

/// A larger file of captured standard error starts anew.
const MOST_STANDARD_ERROR: u64 = 1_000_000;

/// Lines that wait to be written; further ones are dropped. The place for each is taken up at the start, and the appender's
/// own default takes 4 MB.
const MOST_WAITING: usize = 4_096;

/// The folder of the log that was started.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// The folder of the log; None if there is none.
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
    let asked = std::env::var("MASTHEAD_LOG").ok().filter(|asked| !asked.trim().is_empty());
    let filter = asked.and_then(|asked| {
        let filter = levels(&asked);
        if filter.is_none() {
            exit::say("MASTHEAD_LOG is none of error, warn, info, debug, trace and off: the log has what info has");
        }
        filter
    });
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Its lines hold the requests and answers of MCP servers and tools.
    let filter = filter.with_target("rmcp", LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    tracing_subscriber::registry().with(lines).with(filter).try_init().ok()?;
    let _ = FOLDER.set(folder);
    // Panic messages go to the log; `cli::main` tells the person, if nothing before it does.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    Some(guard)
}

/// A level for all, or levels of single modules (`masthead_desk=debug`), parted by commas; None if it is neither. A word alone would be
/// read as the name of a module, and turn all others off.
fn levels(asked: &str) -> Option<Targets> {
    let is_level = |part: &str| part.contains('=') || part.trim().parse::<LevelFilter>().is_ok();
    asked.parse().ok().filter(|_| asked.split(',').all(is_level))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_level_sets_none() {
        for (asked, is_one) in [
            ("debug", true),
            ("WARN", true),
            ("off", true),
            ("info,masthead_desk=trace", true),
            ("verbose", false),
            ("debug,verbose", false),
            ("masthead_desk=loud", false),
        ] {
            assert_eq!(levels(asked).is_some(), is_one, "{asked}");
        }
    }
}
