//! A file a day, of which the newest are kept.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use jiff::Timestamp;

/// Files that are kept.
const MOST_FILES: usize = 7;

/// The log of a day, which is another file on the next day (UTC).
pub(super) struct Daily {
    folder: PathBuf,
    today: String,
    file: Option<File>,
}

impl Daily {
    /// A log in this folder, which is there.
    pub fn new(folder: PathBuf) -> Daily {
        Daily { folder, today: String::new(), file: None }
    }

    /// Writes what was logged then. The program works without a log: what cannot be written is not.
    pub fn write(&mut self, now: Timestamp, line: &str) {
        let today = now.strftime("masthead.%Y-%m-%d.log").to_string();
        if today != self.today {
            self.file = File::options().create(true).append(true).open(self.folder.join(&today)).ok();
            self.today = today;
            self.drop_oldest();
        }
        if let Some(file) = &mut self.file {
            let _ = file.write_all(line.as_bytes());
        }
    }

    fn drop_oldest(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut logs: Vec<String> =
            names.filter(|name| name.starts_with("masthead.") && name.ends_with(".log")).collect();
        logs.sort_unstable();
        for name in &logs[..logs.len().saturating_sub(MOST_FILES)] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_has_a_file_and_the_newest_seven_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("stderr.log"), "").unwrap();
        let mut log = Daily::new(folder.path().to_owned());
        for day in 0..9 {
            let now = Timestamp::from_second(day * 86_400).unwrap();
            log.write(now, "one\n");
            log.write(now, "two\n");
        }
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names.len(), 8);
        assert_eq!(names[0], "masthead.1970-01-03.log");
        assert_eq!(names[7], "stderr.log");
        assert_eq!(fs::read_to_string(folder.path().join(&names[6])).unwrap(), "one\ntwo\n");
    }
}
