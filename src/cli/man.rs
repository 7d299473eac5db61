//! Manual pages, made from the command line: the main page, and one for each command.
//!
//! A page names only pages that are written: `help` has none.

use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use clap::CommandFactory;

use super::args::Args;
use super::exit::{self, Failure};
use super::output::shown;

fn command() -> clap::Command {
    Args::command().disable_help_subcommand(true)
}

/// The page of the program itself.
pub fn main_page() -> Result<Vec<u8>, Failure> {
    page(command())
}

/// Writes the pages of the program and all its commands into a folder, which is made if it is not there. Other than
/// what runs write, they are readable by all: they tell nothing of anybody, and may be installed for every user.
///
/// # Errors
/// The folder cannot be made, or a page not be written.
pub fn write_pages(folder: &Path) -> Result<u8, Failure> {
    let name = shown(folder);
    if !folder.is_dir() {
        let made = DirBuilder::new().recursive(true).mode(0o755).create(folder);
        made.and_then(|()| std::fs::set_permissions(folder, Permissions::from_mode(0o755)))
            .map_err(|error| Failure::Usage(format!("the folder {name} cannot be made: {error}")))?;
    }
    let mut command = command();
    command.build();
    write_page(&command, folder)?;
    exit::say(&format!("the pages are in {name}: `man -l {name}/masthead.1` shows the first one"));
    Ok(exit::DONE)
}

/// Writes the page of a command, and those of the commands below it.
fn write_page(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
    let written = std::fs::write(&path, page(command.clone())?);
    written
        .and_then(|()| std::fs::set_permissions(&path, Permissions::from_mode(0o644)))
        .map_err(|error| Failure::NotWritten(format!("{} could not be written: {error}", shown(&path))))?;
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| write_page(below, folder))
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let source = concat!("masthead ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command).source(source).render(&mut page).map_err(Failure::other)?;
    Ok(page)
}
