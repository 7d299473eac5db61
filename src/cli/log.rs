//! Logs: to a file in the data directory, never to the screen. Document text is never logged at the default level.

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

use super::place::Places;

/// A file of what went to standard error that is longer than this begins anew.
const MOST_STANDARD_ERROR: u64 = 1_000_000;

/// Starts logging; what it returns has to live as long as something may be logged. A log that cannot be written is no
/// reason not to work.
pub fn start(places: &Places) -> Option<WorkerGuard> {
    // The appender complains on standard error when the folder is not there yet.
    let folder = places.data.join("logs");
    std::fs::create_dir_all(&folder).ok()?;
    keep_standard_error_off_the_screen(&folder);
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("masthead")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    let filter = EnvFilter::try_from_env("MASTHEAD_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(writer).try_init().ok()?;
    // A panic's message goes to the log; what a person sees of it is up to the face.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
    Some(guard)
}

/// What libraries write to standard error while a screen is shown goes into a file beside the log.
fn keep_standard_error_off_the_screen(folder: &std::path::Path) {
    let file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("stderr.log"));
    let Ok(file) = file else { return };
    if file.metadata().is_ok_and(|metadata| metadata.len() > MOST_STANDARD_ERROR) {
        let _ = file.set_len(0);
    }
    tui::terminal::log_standard_error_to(file);
}
