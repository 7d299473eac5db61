//! The person's own keys: `keymap.toml` in the configuration folder.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::exit::Failure;
use super::output::shown;
use super::place::Places;
use tui::Keymap;

pub fn path(places: &Places) -> PathBuf {
    places.config.join("keymap.toml")
}

/// Reads it; None if there is none.
///
/// # Errors
/// Everything that is wrong in it, each with its line.
pub fn read(places: &Places) -> Result<Option<Keymap>, Failure> {
    let path = path(places);
    let text = match std::fs::read(&path) {
        Ok(bytes) => {
            text::utf8(bytes).map_err(|why| Failure::Usage(format!("{} is not right: {why}", shown(&path))))?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::Usage(format!("{} cannot be read: {error}", shown(&path)))),
    };
    let wrong =
        |wrong: Vec<String>| Failure::Usage(format!("{} is not right:\n  {}", shown(&path), wrong.join("\n  ")));
    Keymap::read(&text).map(Some).map_err(wrong)
}

/// Its line in a list of settings.
pub fn in_a_line(places: &Places) -> Result<String, Failure> {
    let path = path(places);
    Ok(match read(places)? {
        None => format!("{} (not there)", shown(&path)),
        Some(keymap) => format!("{}: keys of your own for {}", shown(&path), text::count(keymap.changed(), "action")),
    })
}
