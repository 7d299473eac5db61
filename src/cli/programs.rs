//! Programs that the person names, looked at before they are needed: one that cannot be started would be noticed only when all
//! else is paid. None is started here.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use run::Team;
use run::gate::Gate;

/// The folders where programs are looked up without the variable `PATH`.
const USUAL_PATH: &str = "/bin:/usr/bin";
/// The most bytes of a first line: the kernel reads no more of it.
const FIRST_LINE: u64 = 256;

/// Whether a program can be started, as far as its file shows: a path, or a name that is looked up in `PATH`.
///
/// # Errors
/// The reason why it cannot, in words for the person.
pub fn check(program: &str) -> Result<(), String> {
    if program.contains('/') {
        return check_file(Path::new(program)).map_err(|why| format!("{program} {why}"));
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(program));
    match files.find(|file| is_executable(file)) {
        Some(file) => check_interpreter(&file).map_err(|why| format!("{} {why}", file.display())),
        None => Err(format!("`{program}` is in no folder of PATH")),
    }
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

fn check_file(file: &Path) -> Result<(), String> {
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err("is not there".into()),
        Err(error) => Err(format!("cannot be looked at: {error}")),
        Ok(about) if about.is_dir() => Err("is a folder".into()),
        Ok(_) if !is_executable(file) => Err(format!("is not executable: chmod +x {}", file.display())),
        Ok(_) => check_interpreter(file),
    }
}

/// Whether the interpreter that a script names in its first line is there: the kernel says of both that they are missing.
fn check_interpreter(file: &Path) -> Result<(), String> {
    let mut first = Vec::new();
    // A program that may be started need not be readable.
    let Ok(opened) = std::fs::File::open(file) else { return Ok(()) };
    if opened.take(FIRST_LINE).read_to_end(&mut first).is_err() {
        return Ok(());
    }
    let first = String::from_utf8_lossy(&first);
    let Some(line) = first.strip_prefix("#!").and_then(|rest| rest.split('\n').next()) else { return Ok(()) };
    if line.ends_with('\r') {
        return Err("has line ends of Windows, so that its interpreter is not found: save it with those of Unix".into());
    }
    match line.split_whitespace().next() {
        Some(interpreter) if interpreter.starts_with('/') && !Path::new(interpreter).exists() => {
            Err(format!("names {interpreter} in its first line, which is not there"))
        }
        _ => Ok(()),
    }
}

/// Whether the programs of a team's gates can be started. `folder` has the team file.
///
/// # Errors
/// One cannot, in words for the person.
pub fn check_gates(team: &Team, folder: &Path) -> Result<(), String> {
    for (role, member) in &team.members {
        let Some(Gate::Command(command)) = &member.gate else { continue };
        let Some(program) = command.first() else { continue };
        check(program).map_err(|why| {
            let is_beside = !program.contains('/') && folder.join(program.as_str()).is_file();
            let hint = if is_beside { format!("; ./{program} is the one beside team.toml") } else { String::new() };
            format!("the gate `{role}` cannot check anything: {why}{hint}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_cannot_be_started_is_told_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let check_of = |text: &str, mode: u32| {
            let file = folder.path().join("check");
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            check(&file.to_string_lossy()).err().unwrap_or_default()
        };
        assert_eq!(check_of("#!/bin/sh\n", 0o755), "");
        assert_eq!(check_of("\u{7f}ELF", 0o755), "");
        assert!(check_of("#!/bin/sh\n", 0o644).contains("is not executable: chmod +x /"));
        assert!(check_of("#!/bin/sh\r\n", 0o755).contains("line ends of Windows"));
        assert!(check_of("#!/opt/none/python\n", 0o755).contains("names /opt/none/python in its first line"));
        assert!(check(&folder.path().to_string_lossy()).unwrap_err().ends_with("is a folder"));
        assert!(check(&folder.path().join("gone").to_string_lossy()).unwrap_err().ends_with("is not there"));
        assert_eq!(check("sh"), Ok(()));
        assert_eq!(check("no-such-program-anywhere"), Err("`no-such-program-anywhere` is in no folder of PATH".into()));
    }
}
