//! The program's folders: data and configuration.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::base_strategy::{BaseStrategy, Xdg};

use super::exit::{self, Failure};
use super::output::shown;
use super::without_passwords;
use journal::Store;

#[derive(Clone)]
pub struct Places {
    /// The data directory: everything written goes below it.
    pub data: PathBuf,
    /// The setting that chose the data directory.
    pub data_from: &'static str,
    /// The configuration directory, with teams and themes.
    pub config: PathBuf,
    journal: Arc<dyn Store>,
    /// The setting that chose the journal.
    pub journal_from: &'static str,
}

impl Places {
    /// Finds the folders: `--data-dir` or XDG for data, XDG for configuration. Creates the data directory (0700). The journal is
    /// that of `--journal`, else that of config.toml, else a file in the data directory; it is not opened yet.
    pub fn find(data_dir: Option<&Path>, journal: Option<&str>) -> Result<Places, Failure> {
        let xdg = Xdg::new().map_err(|_| {
            Failure::Usage("no home directory is known: set HOME, or say where to write with --data-dir".into())
        });
        let (data, config) = match (data_dir, xdg) {
            (Some(data), Ok(xdg)) => (data.to_path_buf(), xdg.config_dir().join("masthead")),
            (Some(data), Err(_)) => (data.to_path_buf(), data.join("config")),
            (None, Ok(xdg)) => (xdg.data_dir().join("masthead"), xdg.config_dir().join("masthead")),
            (None, Err(failure)) => return Err(failure),
        };
        DirBuilder::new().recursive(true).mode(0o700).create(&data).map_err(|error| {
            Failure::NotWritten(format!(
                "the data directory {} cannot be made: {error}. Choose another with --data-dir",
                shown(&data)
            ))
        })?;
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let data_from = match data_dir {
            Some(given) if set("MASTHEAD_DATA_DIR").is_some_and(|value| value == given.as_os_str()) => {
                "MASTHEAD_DATA_DIR"
            }
            Some(_) => "--data-dir",
            None if set("XDG_DATA_HOME").is_some() => "XDG_DATA_HOME",
            None => "default",
        };
        let here = || std::env::current_dir().unwrap_or_default();
        let (place, journal_from) = match journal.filter(|given| !given.is_empty()) {
            Some(given) if set("MASTHEAD_JOURNAL").is_some_and(|value| value == given) => {
                (journal::relative_to(&here(), given), "MASTHEAD_JOURNAL")
            }
            Some(given) => {
                if without_passwords(given) != given {
                    exit::say(
                        "the password in --journal can be read by all users of this machine, in the list of processes: \
                         PGPASSWORD, ~/.pgpass and MASTHEAD_JOURNAL keep it",
                    );
                }
                (journal::relative_to(&here(), given), "--journal")
            }
            None => match config::load(&config).map_err(Failure::usage)?.journal {
                Some(set) => (set, "config.toml"),
                None => (journal::path(&data).to_string_lossy().into_owned(), "default"),
            },
        };
        let journal = journal::at(&place).map_err(|error| match journal_from {
            "config.toml" => Failure::Usage(format!("`journal` in {}: {error}", shown(&config::path(&config)))),
            _ => error.into(),
        })?;
        Ok(Places { data, data_from, config, journal, journal_from })
    }

    /// The journal with all runs.
    pub fn journal(&self) -> &dyn Store {
        &*self.journal
    }
}
