//! Finds the files below the given sources.
//!
//! Honours `.gitignore`, ignores hidden files, and follows no links but those to files that the walk does not come by
//! itself. Files skipped for a reason worth knowing are listed with it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::format::{Format, is_written};
use super::other_format::OtherFormat;
use super::{Unread, most_bytes};
use run::evidence::{LeftOut, Skipped};
use text::Clean;

/// A file or folder given as a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its path, without links.
    path: PathBuf,
    /// The prefix of its files' paths; empty if it is the only source.
    label: String,
}

/// The metadata that shows whether a file may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// Time of the last change, in nanoseconds.
    pub mtime: i64,
    pub inode: u64,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub path: PathBuf,
    /// Its name relative to the sources.
    pub label: Clean,
    pub stamp: Stamp,
    /// Whether its name suggests data, whose skipping is not reported: then its content decides.
    pub may_be_data: bool,
}

#[derive(Debug, Default)]
pub struct Survey {
    /// Files to index, sorted by label.
    pub found: Vec<Found>,
    /// Skipped files, sorted by path.
    pub skipped: Vec<Skipped>,
    /// The number of files of data or source code, which are not read and not listed.
    pub data: u32,
    /// The number of other files that are not read and not listed.
    pub left_out: LeftOut,
}

impl Survey {
    fn skip(&mut self, path: Clean, may_be_data: bool, why: &str) {
        if !may_be_data {
            self.skipped.push(Skipped { path, why: Clean::line(why) });
        }
    }
}

/// A source is missing.
#[derive(Debug, thiserror::Error)]
#[error("{}. {}", self.fault(), advice(why.kind()))]
pub struct NoSuchRoot {
    path: PathBuf,
    why: std::io::Error,
}

impl NoSuchRoot {
    /// The fault without advice on another source.
    pub fn fault(&self) -> String {
        format!("cannot read the source {}: {}", Clean::line(&self.path.to_string_lossy()), self.why)
    }
}

fn advice(why: std::io::ErrorKind) -> &'static str {
    match why {
        std::io::ErrorKind::PermissionDenied => "Give a source that you may read, or change its permissions.",
        _ => "Give a file or a folder that exists.",
    }
}

/// Opens the given sources, in order, without repeats.
pub fn roots(given: &[PathBuf]) -> Result<Vec<Root>, NoSuchRoot> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in given {
        let found = path.canonicalize().map_err(|why| NoSuchRoot { path: path.clone(), why })?;
        let readable = if found.is_dir() { std::fs::read_dir(&found).map(drop) } else { Ok(()) };
        readable.map_err(|why| NoSuchRoot { path: path.clone(), why })?;
        if !paths.contains(&found) {
            paths.push(found);
        }
    }
    if let [only] = paths.as_slice() {
        let label = if only.is_dir() { String::new() } else { name_of(only) };
        return Ok(vec![Root { path: only.clone(), label }]);
    }
    // Folders with the same name are distinguished by their parents.
    let mut depth = vec![1; paths.len()];
    loop {
        let labels: Vec<String> = paths.iter().zip(&depth).map(|(path, depth)| tail(path, *depth)).collect();
        let clashing: Vec<usize> = (0..labels.len())
            .filter(|i| labels.iter().enumerate().any(|(j, label)| j != *i && *label == labels[*i]))
            .filter(|i| depth[*i] < paths[*i].components().count())
            .collect();
        if clashing.is_empty() {
            return Ok(paths.into_iter().zip(labels).map(|(path, label)| Root { path, label }).collect());
        }
        clashing.into_iter().for_each(|i| depth[i] += 1);
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(OsStr::new("/")).to_string_lossy().into_owned()
}

fn tail(path: &Path, depth: usize) -> String {
    let parts: Vec<_> = path.components().collect();
    let parts = &parts[parts.len().saturating_sub(depth)..];
    let tail: PathBuf = parts.iter().collect();
    tail.to_string_lossy().trim_matches('/').to_owned()
}

impl Root {
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn label_of(&self, path: &Path) -> Clean {
        let below = path.strip_prefix(&self.path).unwrap_or(path);
        let below = below.to_string_lossy();
        Clean::line(&match (self.label.is_empty(), below.is_empty()) {
            (true, _) => below.into_owned(),
            (false, true) => self.label.clone(),
            (false, false) => format!("{}/{below}", self.label),
        })
    }
}

/// Finds all files. The result does not depend on the order of directory entries.
pub fn survey(roots: &[Root]) -> Survey {
    let mut survey = Survey::default();
    let mut walked = Walked::default();
    for root in roots {
        let below_git = root.path.ancestors().any(|folder| folder.join(".git").exists());
        let walk = ignore::WalkBuilder::new(&root.path)
            .follow_links(false)
            .git_global(false)
            .git_exclude(false)
            // A `.gitignore` above the root counts only within the same repository, and outside of one those below it count.
            .require_git(below_git)
            .parents(below_git)
            .build();
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let (path, why) = explain(&error);
                    let label = path.map_or_else(|| Clean::line(&root.label), |path| root.label_of(&path));
                    survey.skipped.push(Skipped { path: label, why });
                    continue;
                }
            };
            visit(root, &entry, &mut walked, &mut survey);
        }
    }
    if survey.found.is_empty() && walked.links.is_empty() {
        roots.iter().for_each(|root| count_unseen(root, &walked.files, &mut survey.left_out));
    }
    walked.links.sort_by(|a, b| a.label.cmp(&b.label));
    for link in std::mem::take(&mut walked.links) {
        follow(&link, &mut walked.files, &mut survey);
    }
    drop_copied_sources(&mut survey.found);
    survey.found.sort_by(|a, b| (&a.label, &a.path).cmp(&(&b.label, &b.path)));
    survey.skipped.sort_by(|a, b| (&a.path, &a.why).cmp(&(&b.path, &b.why)));
    survey
}

/// The files and links that the walk came by.
#[derive(Default)]
struct Walked {
    /// All files, also those that were skipped.
    files: BTreeSet<PathBuf>,
    /// Links to a place within their folder.
    links: Vec<Link>,
}

struct Link {
    label: Clean,
    /// Without links.
    target: PathBuf,
    may_be_data: bool,
}

fn visit(root: &Root, entry: &ignore::DirEntry, walked: &mut Walked, survey: &mut Survey) {
    let Some(kind) = entry.file_type() else { return };
    if kind.is_dir() {
        return;
    }
    let path = entry.path();
    let is_new = kind.is_symlink() || walked.files.insert(path.to_owned());
    // A file that is itself a source is read under any name.
    let format = Format::by_name(&entry.file_name().to_string_lossy());
    let is_named = entry.depth() == 0;
    if format == Format::NotADocument && !is_named {
        if kind.is_file() {
            survey.data += u32::from(is_written(path));
            match path.extension().and_then(|ending| OtherFormat::by_ending(&ending.to_string_lossy())) {
                Some(OtherFormat::Picture) => survey.left_out.pictures += 1,
                Some(OtherFormat::Archive) => survey.left_out.archives += 1,
                _ => {}
            }
        }
        return;
    }
    let may_be_data = format == Format::Data && !is_named;
    let label = root.label_of(path);
    if kind.is_symlink() {
        match path.canonicalize() {
            Ok(target) if target.starts_with(&root.path) => walked.links.push(Link { label, target, may_be_data }),
            Ok(_) => {
                survey.skip(label, may_be_data, "a link that leads out of the folder: give its target with --sources")
            }
            Err(_) => survey.skip(label, may_be_data, "a link to no file"),
        }
        return;
    }
    if is_new {
        let meta = entry.metadata().map_err(|error| explain(&error).1);
        take(path, label, may_be_data, meta, survey);
    }
}

/// The most entries of a folder that are looked at for hidden and ignored files.
const MOST_UNSEEN: usize = 20_000;

/// Counts the documents below a source that the walk did not come by: they are hidden, or a `.gitignore` leaves them out.
fn count_unseen(root: &Root, seen: &BTreeSet<PathBuf>, left_out: &mut LeftOut) {
    let is_hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
    let walk = ignore::WalkBuilder::new(&root.path)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk.take(MOST_UNSEEN).filter_map(Result::ok) {
        let name = entry.file_name();
        let is_document = Format::by_name(&name.to_string_lossy()) != Format::NotADocument;
        let is_setting = name == ".gitignore" || name == ".ignore";
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if !is_file || !is_document || is_setting || seen.contains(entry.path()) {
            continue;
        }
        let below = entry.path().strip_prefix(&root.path).unwrap_or(entry.path());
        match below.iter().any(is_hidden) {
            true => left_out.hidden += 1,
            false => left_out.ignored += 1,
        }
    }
}

/// Reads a file under the name of a link to it, unless it is found under its own.
fn follow(link: &Link, walked: &mut BTreeSet<PathBuf>, survey: &mut Survey) {
    let Link { label, target, may_be_data } = link;
    let found_below = || walked.range(target.clone()..).next().is_some_and(|path| path.starts_with(target));
    if target.is_dir() {
        if !found_below() {
            survey.skip(label.clone(), *may_be_data, "a link to a folder that is empty, hidden or ignored");
        }
    } else if walked.insert(target.clone()) {
        let meta = target.metadata().map_err(|error| Clean::line(&Unread::Io(error).to_string()));
        take(target, label.clone(), *may_be_data, meta, survey);
    }
}

/// Takes a file in, or notes why it is skipped.
fn take(path: &Path, label: Clean, may_be_data: bool, meta: Result<Metadata, Clean>, survey: &mut Survey) {
    let meta = match meta {
        Ok(meta) => meta,
        Err(why) => return survey.skip(label, may_be_data, &why),
    };
    let kind = meta.file_type();
    if !kind.is_file() {
        let what = if kind.is_fifo() {
            "a pipe"
        } else if kind.is_socket() {
            "a socket"
        } else {
            "a device"
        };
        return survey.skip(label, may_be_data, &format!("{what}, not a file"));
    }
    let most = most_bytes(path);
    if meta.len() > most {
        return survey.skip(label, may_be_data, &Unread::TooLarge { size: meta.len(), most }.to_string());
    }
    if meta.len() == 0 {
        return survey.skip(label, may_be_data, &Unread::Empty.to_string());
    }
    let mtime = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
    let stamp = Stamp { size: meta.len(), mtime, inode: meta.ino() };
    survey.found.push(Found { path: path.to_owned(), label, stamp, may_be_data });
}

/// Drops copies of page sources, which documentation generators put next to the pages.
fn drop_copied_sources(found: &mut Vec<Found>) {
    const COPIES: &str = "_sources";
    if !found.iter().any(|f| f.path.components().any(|c| c.as_os_str() == COPIES)) {
        return;
    }
    let pages: BTreeSet<PathBuf> =
        found.iter().filter(|f| f.path.extension().is_some_and(|e| e == "html")).map(|f| f.path.clone()).collect();
    found.retain(|f| {
        let mut parts: Vec<_> = f.path.components().collect();
        let Some(at) = parts.iter().rposition(|c| c.as_os_str() == COPIES) else { return true };
        parts.remove(at);
        let copy: PathBuf = parts.iter().collect();
        let copy = copy.to_string_lossy();
        let stem = [".rst.txt", ".md.txt", ".txt"].iter().find_map(|ending| copy.strip_suffix(ending));
        stem.is_none_or(|stem| !pages.contains(Path::new(&format!("{stem}.html"))))
    });
}

fn explain(error: &ignore::Error) -> (Option<PathBuf>, Clean) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path.clone()), explain(err).1),
        ignore::Error::WithDepth { err, .. } => explain(err),
        ignore::Error::Io(error) => (None, Clean::line(&Unread::Io(clone_io(error)).to_string())),
        other => (None, Clean::line(&other.to_string())),
    }
}

fn clone_io(error: &std::io::Error) -> std::io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), std::io::Error::from_raw_os_error)
}

/// The bytes that identify a file in the index, in any encoding.
pub(super) fn key_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "some text\n").unwrap();
        }
        folder
    }

    fn labels(given: &[PathBuf]) -> Vec<String> {
        survey(&roots(given).unwrap()).found.iter().map(|found| found.label.to_string()).collect()
    }

    #[test]
    fn what_is_ignored_around_a_repository_is_not_ignored_in_it() {
        let folder = folder(&["repository/.git/HEAD", "repository/docs/x.md", "repository/docs/y.md"]);
        fs::write(folder.path().join(".gitignore"), "*\n").unwrap();
        fs::write(folder.path().join("repository/.gitignore"), "y.md\n").unwrap();
        assert_eq!(labels(&[folder.path().join("repository")]), ["docs/x.md"]);
        assert_eq!(labels(&[folder.path().join("repository/docs")]), ["x.md"]);
    }

    #[test]
    fn one_root_is_left_out_of_the_paths_and_several_are_named() {
        let folder = folder(&["a/x.md", "a/sub/y.txt", "b/x.md"]);
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        assert_eq!(labels(std::slice::from_ref(&a)), ["sub/y.txt", "x.md"]);
        assert_eq!(labels(&[a.join("x.md")]), ["x.md"]);
        assert_eq!(labels(&[b.clone(), a.clone()]), ["a/sub/y.txt", "a/x.md", "b/x.md"]);
        assert_eq!(labels(&[a.clone(), a.join("sub"), a.join("x.md")]), ["a/sub/y.txt", "a/x.md"], "each file once");
    }

    #[test]
    fn gitignore_counts_within_the_folder_and_within_its_repository_only() {
        let folder = folder(&["docs/keep.md", "docs/drop.md", "docs/sub/drop.md", "docs/local.md"]);
        let docs = folder.path().join("docs");
        fs::write(docs.join(".gitignore"), "local.md\n").unwrap();
        fs::write(folder.path().join(".gitignore"), "drop.md\n").unwrap();
        assert_eq!(labels(std::slice::from_ref(&docs)), ["drop.md", "keep.md", "sub/drop.md"]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(labels(&[docs]), ["keep.md"]);
    }

    #[test]
    fn a_file_that_the_walk_does_not_come_by_is_read_under_the_name_of_a_link_to_it() {
        let folder = folder(&["..2026_11/a.md", "b.md", "drop/c.md", ".hidden/sub/d.md", "sub/e.md"]);
        let at = |path: &str| folder.path().join(path);
        let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, at(name)).unwrap();
        fs::write(at(".gitignore"), "drop\n").unwrap();
        fs::write(at(".hidden/empty.md"), "").unwrap();
        link("..2026_11", "..data");
        for (target, name) in [
            ("..data/a.md", "a.md"),
            ("..data/a.md", "again.md"),
            ("b.md", "other.md"),
            ("drop/c.md", "c.md"),
            (".hidden/empty.md", "empty.md"),
            ("/etc/hostname", "out.md"),
            ("none.md", "gone.md"),
            (".hidden/sub", "hidden-folder"),
            ("sub", "plain-folder"),
        ] {
            link(target, name);
        }
        let survey = survey(&roots(&[folder.path().to_owned()]).unwrap());
        let found: Vec<&str> = survey.found.iter().map(|found| found.label.as_str()).collect();
        assert_eq!(found, ["a.md", "b.md", "c.md", "sub/e.md"]);
        let skipped: Vec<(&str, &str)> = survey.skipped.iter().map(|it| (it.path.as_str(), it.why.as_str())).collect();
        assert_eq!(
            skipped,
            [
                ("empty.md", "empty"),
                ("gone.md", "a link to no file"),
                ("hidden-folder", "a link to a folder that is empty, hidden or ignored"),
                ("out.md", "a link that leads out of the folder: give its target with --sources"),
            ]
        );
    }

    #[test]
    fn files_that_are_no_documents_are_counted_by_kind_and_unseen_ones_where_nothing_else_is_there() {
        let left_out = |files: &[&str]| {
            let folder = folder(files);
            if files.contains(&"drop/a.md") {
                fs::write(folder.path().join(".gitignore"), "drop\n").unwrap();
            }
            survey(&roots(&[folder.path().to_owned()]).unwrap()).left_out
        };
        let none = LeftOut::default();
        assert_eq!(
            left_out(&["a.png", "b/c.JPG", "d.zip", "e.tar.gz", "f.rs"]),
            LeftOut { pictures: 2, archives: 2, ..none }
        );
        assert_eq!(
            left_out(&[".a.md", ".b/c.txt", ".b/d.png", ".git/e.md", "drop/a.md"]),
            LeftOut { hidden: 2, ignored: 1, ..none }
        );
        assert_eq!(left_out(&["a.md", ".a.md", "d.zip", "drop/a.md"]), LeftOut { archives: 1, ..none });
        assert_eq!(left_out(&[]), none);
    }

    #[test]
    fn a_source_that_may_not_be_read_is_not_said_not_to_exist() {
        let told = |kind: std::io::ErrorKind| NoSuchRoot { path: "/a".into(), why: kind.into() }.to_string();
        assert!(told(std::io::ErrorKind::PermissionDenied).contains("that you may read"));
        assert!(told(std::io::ErrorKind::NotFound).ends_with(". Give a file or a folder that exists."));
    }

    #[test]
    fn copies_of_the_sources_of_pages_are_left_out() {
        let files = ["guide/os.path.html", "_sources/guide/os.path.rst.txt", "_sources/guide/only.rst.txt", "a.txt"];
        let folder = folder(&files);
        assert_eq!(labels(&[folder.path().to_owned()]), ["_sources/guide/only.rst.txt", "a.txt", "guide/os.path.html"]);
    }
}
