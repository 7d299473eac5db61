//! Folders of subagent files made for other programs, read on request: each file with a front matter is a specialist. A
//! file that cannot be used is skipped and reported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::TeamError;
use super::prompt::{self, Prompt};
use run::Role;
use text::Clean;

/// The deepest level of folders that is read.
const DEEPEST: usize = 3;
/// The most files of one folder that are read.
const MOST_FILES: usize = 500;
/// The largest file, in bytes.
const LARGEST: u64 = 256 << 10;

/// The contents of a folder of subagent files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    /// The specialists, by role.
    pub prompts: BTreeMap<Role, Prompt>,
    /// Files that define no specialist, each with the reason.
    pub unused: Vec<(PathBuf, String)>,
}

/// Reads the subagent files of a folder and its subfolders. Of two with the same name, the first by path counts.
///
/// # Errors
/// The folder cannot be read.
pub fn agents(folder: &Path) -> Result<Agents, TeamError> {
    first_agents(folder, MOST_FILES)
}

/// The same, of the first `most` files by path.
fn first_agents(folder: &Path, most: usize) -> Result<Agents, TeamError> {
    let unreadable = |error: std::io::Error| TeamError::Unreadable { path: folder.into(), what: error.to_string() };
    let mut files = Vec::new();
    collect(folder, 1, &mut files).map_err(unreadable)?;
    files.sort();
    let beyond = files.split_off(files.len().min(most));
    let mut agents = Agents::default();
    for path in files {
        let read = read(&path);
        match read {
            Ok(prompt) if agents.prompts.contains_key(&prompt.role) => {
                let why = format!("there is another `{}` before it", prompt.role);
                agents.unused.push((path, why));
            }
            Ok(prompt) => drop(agents.prompts.insert(prompt.role.clone(), prompt)),
            Err(why) => agents.unused.push((path, why)),
        }
    }
    agents.unused.extend(beyond.into_iter().map(|path| (path, format!("the folder has more than {most} files"))));
    Ok(agents)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)?.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        // Links are not followed: no folder is read twice.
        if kind.is_dir() && depth < DEEPEST {
            // An unreadable folder is skipped.
            let _ = collect(&path, depth + 1, files);
        } else if !kind.is_dir() && path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Prompt, String> {
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(format!("it is no file of at most {} kB", LARGEST >> 10));
    }
    let text = text::utf8(std::fs::read(path).map_err(|error| error.to_string())?)?;
    if !prompt::has_front_matter(&text) {
        return Err("it has no front matter, so it is no specialist".into());
    }
    let stem = path.file_stem().map(|stem| Clean::line(&stem.to_string_lossy()).to_lowercase()).unwrap_or_default();
    // It may be for another program, which has a key that is nearly one of ours.
    prompt::parse(&text, &stem).and_then(prompt::for_a_model)
}

#[cfg(test)]
mod tests;
