//! Manual pages, made from the command line: the main page, and one for each command, with sections of their own.
//!
//! A page names only pages that are written: `help` has none.

mod sections;

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
    let mut command = command();
    command.build();
    page(command)
}

/// Writes the pages of the program and all its commands into a folder, which is made if it is not there. Other than the files of
/// runs, they are readable by all: they tell nothing of anybody, and may be installed for every user.
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

/// The page of a command, with the usage that its help has in place of a list of all options, the exit codes under the heading of
/// their own, and the sections that the command line does not have.
fn page(mut command: clap::Command) -> Result<Vec<u8>, Failure> {
    let usage = command.render_usage().to_string();
    let (has_commands, has_codes) = (command.has_subcommands(), command.get_after_help().is_some());
    let has_version = command.get_version().is_some();
    let own = sections::of(command.get_name());
    let man = clap_mangen::Man::new(command).source(concat!("masthead ", env!("CARGO_PKG_VERSION")));
    let (mut page, mut codes) = (Vec::new(), Vec::new());
    let mut render = || {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
        page.extend_from_slice(format!(".SH SYNOPSIS\n{}\n", usage.trim()).as_bytes());
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        if has_commands {
            man.render_subcommands_section(&mut page)?;
        }
        if has_codes {
            man.render_extra_section(&mut codes)?;
        }
        page.extend_from_slice(String::from_utf8_lossy(&codes).replace(".SH EXTRA", ".SH \"EXIT STATUS\"").as_bytes());
        own.iter().for_each(|section| page.extend_from_slice(written(section).as_bytes()));
        if has_version {
            man.render_version_section(&mut page)?;
        }
        Ok::<(), std::io::Error>(())
    };
    render().map_err(Failure::other)?;
    Ok(page)
}

/// A section as the page has it.
fn written(section: &sections::Section) -> String {
    // Nothing of it is a command of the page's language: neither a backslash nor a dot at the beginning of a line.
    let plain = |text: &str| format!("\\&{}", text.replace('\\', "\\e").replace('-', "\\-"));
    let entries =
        section.entries.iter().map(|(term, means)| format!(".TP\n\\fB{}\\fR\n{}\n", plain(term), plain(means)));
    format!(".SH \"{}\"\n{}", section.heading, entries.collect::<String>())
}
