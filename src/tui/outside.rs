//! A program of the person's own on the terminal, while the screens rest: their editor for writing, their pager for reading.
//! The text is in a file of its own that nobody else can read; it is gone afterwards, unless it could not be taken in.
//!
//! It knows neither screens nor runs, and never gives a key of a provider to the program: of the environment it passes on only the
//! variables named here.

use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

use tempfile::TempDir;

/// An errand for a program of the person's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Errand {
    /// To show a text.
    Read {
        /// Its kind, for messages.
        what: &'static str,
        text: String,
    },
    /// To let the person write on.
    Write {
        /// The text as far as it is written.
        text: String,
        /// Whether their text is submitted at once.
        submits: bool,
    },
}

/// A program that has the terminal.
pub struct Outside {
    errand: Errand,
    /// Its name in messages.
    name: String,
    folder: TempDir,
    file: PathBuf,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Back {
    /// It was shown.
    Read,
    /// The text that the person left in the file.
    Written { text: String, submits: bool },
    /// Nothing, and why: in words for the person.
    Failed(String),
}

/// The most that is taken in of a file, in bytes.
const MOST_WRITTEN: u64 = 8 << 20;

/// The variables of the environment that an editor or a pager is given.
const KEPT: [&str; 28] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TERM",
    "TERM_PROGRAM",
    "TERMINFO",
    "TERMINFO_DIRS",
    "COLORTERM",
    "NO_COLOR",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "SSH_TTY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "VISUAL",
    "EDITOR",
    "PAGER",
    "VSCODE_IPC_HOOK_CLI",
    "ALTERNATE_EDITOR",
];
/// The beginnings of further names.
const KEPT_FAMILIES: [&str; 8] = ["LC_", "XDG_", "LESS", "VIM", "NVIM", "EMACS", "BAT_", "KAKOUNE_"];
/// The words that the name of a family may not contain.
const SECRET: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASS"];

fn is_kept(name: &str) -> bool {
    let is_secret = SECRET.iter().any(|word| name.contains(word));
    KEPT.contains(&name) || !is_secret && KEPT_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The environment that a program of the person's own is given.
fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept))
}

/// The first of these variables that is set, with its name; else the usual one.
fn chosen(variables: &[&str], usual: &str) -> (Option<String>, String) {
    let set = |name: &&str| Some((Some((*name).to_owned()), env::var(name).ok().filter(|set| !set.trim().is_empty())?));
    variables.iter().find_map(set).unwrap_or((None, usual.to_owned()))
}

/// Starts the program of an errand, which has the terminal from now on.
///
/// # Errors
/// It cannot be started: in words for the person.
pub fn start(errand: Errand) -> Result<(Outside, Child), String> {
    let (variables, usual) = match errand {
        Errand::Read { .. } => (&["PAGER"][..], "less"),
        Errand::Write { .. } => (&["VISUAL", "EDITOR"][..], "vi"),
    };
    let (from, command) = chosen(variables, usual);
    let from = from.map_or_else(|| format!("${} is not set", variables.join(" or $")), |name| format!("${name}"));
    let words = text::shell::words(&command).map_err(|why| format!("{from} cannot be read: {why}"))?;
    let Some((program, arguments)) = words.split_first() else { return Err(format!("{from} names no program")) };
    let name = Path::new(program).file_name().map_or_else(|| program.clone(), |name| name.to_string_lossy().into());
    let outside = Outside::new(errand, name).map_err(|error| format!("no private file can be made for it: {error}"))?;
    let mut process = Command::new(program);
    process.args(arguments).env_clear().envs(environment());
    match &outside.errand {
        Errand::Read { .. } => {
            // A pager that ends by itself where the text is short shows nothing on a screen that is painted again.
            if outside.name == "less" {
                process.arg("-+F");
            }
            let file = File::open(&outside.file).map_err(|error| format!("its file cannot be opened: {error}"))?;
            process.stdin(file);
        }
        Errand::Write { .. } => drop(process.arg(&outside.file)),
    }
    match process.spawn() {
        Ok(child) => Ok((outside, child)),
        Err(error) => {
            let why = match error.kind() {
                ErrorKind::NotFound => "there is no such program".into(),
                _ => error.to_string(),
            };
            Err(format!("{program} ({from}) cannot be started: {why}"))
        }
    }
}

impl Outside {
    fn new(errand: Errand, name: String) -> io::Result<Outside> {
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("masthead-").permissions(private).tempdir()?;
        let (Errand::Read { text, .. } | Errand::Write { text, .. }) = &errand;
        let is_data = text.starts_with(['{', '[']);
        let file = folder.path().join(if is_data { "masthead.json" } else { "masthead.md" });
        let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
        written.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            written.write_all(b"\n")?;
        }
        Ok(Outside { errand, name, folder, file })
    }

    /// The program has ended: takes in its text.
    pub fn ended(self, status: io::Result<ExitStatus>) -> Back {
        let Outside { errand, name, folder, file } = self;
        let failed = match status {
            Err(error) => Some(format!("{name} was lost: {error}")),
            Ok(status) if !status.success() => Some(format!("{name} ended with {status}")),
            Ok(_) => None,
        };
        let Errand::Write { text: before, submits } = errand else { return failed.map_or(Back::Read, Back::Failed) };
        if let Some(failed) = failed {
            let mut said = format!("{failed}; what you had stays as it was");
            let unchanged = taken(&file).is_ok_and(|text| text == before.trim_end_matches(['\r', '\n']));
            // A saved text may be long work, though the program crashed or its terminal was lost.
            if !unchanged && file.exists() {
                let place = folder.keep().join(file.file_name().unwrap_or_default());
                said = format!("{said}; saved: {}", place.display());
            }
            return Back::Failed(said);
        }
        match taken(&file) {
            Ok(text) => Back::Written { text, submits },
            Err(why) => {
                // The written text is not thrown away.
                let place = folder.keep();
                Back::Failed(format!("{} keeps what {name} left, which cannot be taken in: {why}", place.display()))
            }
        }
    }
}

/// The text of a file without the line break at its end.
fn taken(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let mut file = File::open(file).map_err(|error| error.to_string())?;
    file.rewind()
        .and_then(|()| file.take(MOST_WRITTEN + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_WRITTEN {
        return Err(format!("it is longer than {} MB", MOST_WRITTEN >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        format!("line {} is not UTF-8", before.iter().filter(|byte| **byte == b'\n').count() + 1)
    })?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn write(text: &str) -> Outside {
        Outside::new(Errand::Write { text: text.into(), submits: true }, "ed".into()).unwrap()
    }

    fn ended(outside: Outside) -> Back {
        outside.ended(Ok(ExitStatus::from_raw(0)))
    }

    #[test]
    fn a_key_is_passed_on_under_no_name() {
        for name in
            ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "MY_GATEWAY", "LESSKEY_TOKEN", "VIM_SECRET"]
        {
            assert!(!is_kept(name), "{name}");
        }
        for name in ["PATH", "TERM", "LC_ALL", "XDG_CONFIG_HOME", "LESS", "VIMINIT"] {
            assert!(is_kept(name), "{name}");
        }
    }

    #[test]
    fn nobody_else_reads_the_file_and_nothing_is_left_of_it() {
        let outside = write("my words");
        let (folder, file) = (outside.folder.path().to_owned(), outside.file.clone());
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
        std::fs::write(&file, "other words\n\n").unwrap();
        assert_eq!(ended(outside), Back::Written { text: "other words".into(), submits: true });
        assert!(!folder.exists());
    }

    #[test]
    fn what_cannot_be_taken_in_is_kept_where_it_is() {
        let outside = write("my words");
        let folder = outside.folder.path().to_owned();
        std::fs::write(&outside.file, b"one\ntwo \xff\n").unwrap();
        let Back::Failed(why) = ended(outside) else { panic!("it was taken in") };
        assert!(why.contains("line 2 is not UTF-8") && why.contains(&*folder.to_string_lossy()), "{why}");
        assert!(folder.exists());
        std::fs::remove_dir_all(folder).unwrap();
        // The program crashed, or its terminal was lost, after it had saved.
        for status in [Ok(ExitStatus::from_raw(9)), Ok(ExitStatus::from_raw(1 << 8)), Err(ErrorKind::Other.into())] {
            let outside = write("my words");
            let file = outside.file.clone();
            std::fs::write(&file, "my words and more\n").unwrap();
            let Back::Failed(why) = outside.ended(status) else { panic!("it was taken in") };
            assert!(why.contains(&*file.to_string_lossy()), "{why}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "my words and more\n");
            std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
        }
        let outside = write("my words");
        let (folder, why) = (outside.folder.path().to_owned(), outside.ended(Ok(ExitStatus::from_raw(1 << 8))));
        assert!(!folder.exists());
        assert!(matches!(&why, Back::Failed(why) if why.contains("exit status: 1; what you had stays")), "{why:?}");
    }
}
