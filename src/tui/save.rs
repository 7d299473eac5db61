//! Saves a text in the folder where the program was started, and never over another file.

use std::io::{ErrorKind, Write};
use std::path::Path;

use text::Clean;

/// The most files of one name, numbered behind it.
const MOST: u32 = 100;

/// Writes a new file, for the person alone, whole or not at all; returns its name. A file that is there already stays as it is: then
/// the new one has a number behind its name.
///
/// # Errors
/// It cannot be written: in words for the person.
pub fn save(name: &str, text: &str) -> Result<Clean, Clean> {
    save_in(Path::new("."), name, text)
}

fn save_in(folder: &Path, name: &str, text: &str) -> Result<Clean, Clean> {
    let failed = |name: &str, error: std::io::Error| Clean::line(&format!("{name} cannot be written: {error}"));
    let written = || {
        let mut file = tempfile::Builder::new().prefix(".masthead-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    let mut file = written().map_err(|error| failed(name, error))?;
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    for n in 1..=MOST {
        let name = if n == 1 { name.to_owned() } else { format!("{stem}-{n}.{end}") };
        match file.persist_noclobber(folder.join(&name)) {
            Ok(_) => return Ok(Clean::line(&name)),
            Err(not) if not.error.kind() == ErrorKind::AlreadyExists => file = not.file,
            Err(not) => return Err(failed(&name, not.error)),
        }
    }
    Err(Clean::line(&format!("there are {MOST} files like {name} already: move some away")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_that_is_there_stays_as_it_is_and_the_new_one_has_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join("a.md"), "edited by hand").unwrap();
        assert_eq!(save_in(folder.path(), "a.md", "new").as_deref(), Ok("a-2.md"));
        assert_eq!(save_in(folder.path(), "a.md", "newer").as_deref(), Ok("a-3.md"));
        assert_eq!((read("a.md"), read("a-2.md")), ("edited by hand".into(), "new".into()));
        let mode = folder.path().join("a-2.md").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let why = save_in(&folder.path().join("gone"), "a.md", "new").unwrap_err();
        assert!(why.contains("a.md cannot be written"), "{why}");
        save_in(folder.path(), "no/a.md", "new").unwrap_err();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
