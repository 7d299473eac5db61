//! Files that may hold runs: those below a path, and the sessions among them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::super::exit::Failure;
use super::super::output::shown;
use serde_json::Value;
use text::{Clean, count};

/// The most levels of folders that are looked through.
const MOST_LEVELS: usize = 8;
/// The most files.
const MOST_FILES: usize = 100_000;
/// The bytes of a file that are read to tell its subject.
const HEAD: u64 = 64 * 1024;
/// The length of the id of a thread, a UUID.
const THREAD_ID: usize = 36;

/// A file.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// Its name from where it was looked for, with `/` between its parts.
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) changed: Option<SystemTime>,
}

/// Files at and below a path, and the ones that were passed over.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) sources: Vec<Source>,
    /// Folders that cannot be read.
    unreadable: usize,
    /// Folders below the most levels.
    too_deep: usize,
    /// Files above the most.
    too_many: usize,
}

impl Files {
    /// A sentence on the files and folders that were passed over; None if there were none.
    pub(super) fn passed_over(&self) -> Option<String> {
        let parts = [
            (self.unreadable, "folder", " that cannot be read".to_owned()),
            (self.too_deep, "folder", format!(" more than {MOST_LEVELS} levels down")),
            (self.too_many, "file", format!(" above the first {MOST_FILES}")),
        ];
        let told = parts.into_iter().filter(|(n, ..)| *n > 0);
        let told: Vec<String> = told.map(|(n, of, why)| count(n, of) + &why).collect();
        (!told.is_empty()).then(|| format!("passed over: {}", told.join(", ")))
    }
}

impl Source {
    /// The last part of its name without its ending.
    pub(super) fn stem(&self) -> &str {
        let last = self.name.rsplit('/').next().unwrap_or_default();
        last.strip_suffix(".jsonl").unwrap_or(last)
    }

    /// The id of its run: of a rollout the end of the file name, behind the time.
    pub(super) fn id(&self) -> &str {
        let stem = self.stem();
        let cut = stem.len().checked_sub(THREAD_ID).filter(|_| stem.starts_with("rollout-"));
        cut.and_then(|cut| stem.get(cut..)).unwrap_or(stem)
    }

    /// Whether it is read at all: not a file beside transcripts that is told in them already.
    pub(super) fn is_read(&self) -> bool {
        let is_beside = |part: &str| matches!(part, "tool-results" | "workflows") && !self.name.contains("subagents/");
        !self.name.split('/').rev().skip(1).any(is_beside)
    }

    fn is_below_a_session(&self) -> bool {
        self.name.split('/').rev().skip(1).any(|part| matches!(part, "subagents" | "workflows" | "tool-results"))
    }

    /// Whether it is the transcript of a session, or belongs to it.
    pub(super) fn belongs_to(&self, session: &Source) -> bool {
        let folder = session.name.strip_suffix(".jsonl").unwrap_or(&session.name);
        self.name == session.name || self.name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The subject of a session: its title, or else the first that a person said in it.
    pub(super) fn title(&self) -> Option<Clean> {
        let mut head = Vec::new();
        File::open(&self.path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        let records = head.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let mut first = None;
        for record in records {
            let field = |name: &str| record.get(name).and_then(Value::as_str);
            if let Some(title) = field("customTitle").or_else(|| field("aiTitle")).or_else(|| field("summary")) {
                return Some(Clean::line(title).chars().take(80).collect::<String>().into());
            }
            let typed = record.get("payload").filter(|of| of.get("type").is_some_and(|kind| kind == "user_message"));
            if let Some(typed) = typed.and_then(|of| of.get("message")).and_then(Value::as_str) {
                return Some(Clean::line(&typed.chars().take(80).collect::<String>()));
            }
            let said = record
                .get("message")
                .filter(|_| field("type") == Some("user"))
                .and_then(|message| message.get("content"));
            let said = said.and_then(|said| said.as_str().or_else(|| said.get(0)?.get("text")?.as_str()));
            if let Some(said) = said.filter(|said| first.is_none() && !said.starts_with('<')) {
                first = Some(Clean::line(&said.chars().take(80).collect::<String>()));
            }
        }
        first
    }
}

/// The files at and below a path. Beside the transcript of a session stands the folder with those of its sub-agents.
pub(super) fn below(path: &Path) -> Result<Files, Failure> {
    let wrong = |error: std::io::Error| Failure::Usage(format!("{} cannot be opened: {error}", shown(path)));
    let is_folder = std::fs::metadata(path).map_err(wrong)?.is_dir();
    let mut found = Files::default();
    let named =
        |path: &Path| path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
    if is_folder {
        std::fs::read_dir(path).map_err(wrong)?;
        // The folder of one session: its transcript stands beside it.
        let transcript = path.with_extension("jsonl");
        if path.join("subagents").is_dir() && transcript.is_file() {
            add(&transcript, named(&transcript), &mut found);
            walk(path, &named(path), 0, &mut found);
        } else {
            walk(path, "", 0, &mut found);
        }
    } else {
        add(path, named(path), &mut found);
        let beside = path.with_extension("");
        if path.extension().is_some_and(|ending| ending == "jsonl") && beside.is_dir() {
            walk(&beside, &named(&beside), 0, &mut found);
        }
    }
    Ok(found)
}

fn add(path: &Path, name: String, found: &mut Files) {
    let about = std::fs::metadata(path).ok();
    let (bytes, changed) =
        (about.as_ref().map_or(0, std::fs::Metadata::len), about.and_then(|about| about.modified().ok()));
    found.sources.push(Source { path: path.to_path_buf(), name, bytes, changed });
}

/// All regular files of a folder in order of names; links are not followed. Unreadable files are passed over, and counted.
fn walk(folder: &Path, name: &str, level: usize, found: &mut Files) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        found.unreadable += 1;
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let own = entry.file_name().to_string_lossy().into_owned();
        let name = if name.is_empty() { own } else { format!("{name}/{own}") };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && level < MOST_LEVELS => walk(&entry.path(), &name, level + 1, found),
            Ok(kind) if kind.is_dir() => found.too_deep += 1,
            Ok(kind) if kind.is_file() && found.sources.len() < MOST_FILES => add(&entry.path(), name, found),
            Ok(kind) if kind.is_file() => found.too_many += 1,
            _ => {}
        }
    }
}

/// The rollouts of threads that a person began among files, by their first lines.
pub(super) fn threads(sources: &[Source]) -> Vec<&Source> {
    let is_thread = |source: &&Source| {
        let mut head = Vec::new();
        let read = File::open(&source.path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.is_ok() && import::is_thread(&head)
    };
    sources.iter().filter(|source| source.name.ends_with(".jsonl")).filter(is_thread).collect()
}

/// The transcripts of sessions among files, by their first lines.
pub(super) fn sessions(sources: &[Source]) -> Vec<&Source> {
    let is_session = |source: &&Source| {
        let mut head = Vec::new();
        let read = File::open(&source.path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.is_ok() && import::is_session(&head)
    };
    let named = sources.iter().filter(|source| source.name.ends_with(".jsonl") && !source.is_below_a_session());
    named.filter(is_session).collect()
}
