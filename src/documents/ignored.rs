//! What `.gitignore` and `.ignore` leave out of a folder, by the rules of gitignore(5).
//!
//! Of several lines that name a file the last counts, of several files the one in the deepest folder, and an `.ignore` before
//! any `.gitignore`. A `.gitignore` does not count beyond the repository that it is in. It reads these files, and nothing else.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::OFlags;

/// The most bytes of a file of rules that are read. Those of large repositories have a few thousand.
const MOST_BYTES: u64 = 1 << 20;

/// What is left out of a folder: the rules of its own files, and those of the folders above it.
#[derive(Debug)]
pub(super) struct Ignored {
    folder: PathBuf,
    /// The rules of `.ignore`, and of `.gitignore`.
    ignore: Vec<Rule>,
    git: Vec<Rule>,
    /// Whether a repository begins here: no `.gitignore` above it counts below.
    is_repository: bool,
    above: Option<Rc<Ignored>>,
}

impl Ignored {
    /// The rules of a folder, with those above it that count.
    pub(super) fn of(folder: &Path, above: Option<Rc<Ignored>>) -> Rc<Ignored> {
        let rules = |name| rules(&read(&folder.join(name)));
        let is_repository = folder.join(".git").exists();
        let (ignore, git) = (rules(".ignore"), rules(".gitignore"));
        Rc::new(Ignored { folder: folder.to_owned(), ignore, git, is_repository, above })
    }

    /// The rules of all folders above this one, up to the root of the file system.
    pub(super) fn above(folder: &Path) -> Option<Rc<Ignored>> {
        let above = folder.ancestors().skip(1).collect::<Vec<_>>();
        above.into_iter().rev().fold(None, |above, folder| Some(Ignored::of(folder, above)))
    }

    /// Whether a file or folder in this folder is left out. What is hidden is, unless a rule keeps it.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let is_hidden = path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."));
        self.says(path, is_folder).unwrap_or(is_hidden)
    }

    /// Whether the rules leave it out, or keep it; None if none names it.
    fn says(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let (mut git, mut counts, mut next) = (None, true, Some(self));
        while let Some(level) = next {
            let names = |rules: &[Rule]| {
                let below = path.strip_prefix(&level.folder).ok().filter(|_| !rules.is_empty())?;
                let names: Vec<&[u8]> = below.iter().map(OsStrExt::as_bytes).collect();
                rules.iter().rev().find(|rule| rule.names(&names, is_folder)).map(|rule| !rule.keeps)
            };
            if let Some(said) = names(&level.ignore) {
                return Some(said);
            }
            if counts && git.is_none() {
                git = names(&level.git);
            }
            counts &= !level.is_repository;
            next = level.above.as_deref();
        }
        git
    }
}

/// The text of a file of rules; empty if there is none. A pipe of that name is not waited for.
fn read(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    let nonblocking = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(nonblocking).open(path);
    if let Ok(file) = file
        && file.metadata().is_ok_and(|about| about.is_file())
    {
        let _ = file.take(MOST_BYTES).read_to_end(&mut text);
    }
    text
}

/// A line of a file of rules.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    /// It takes back what lines before it leave out.
    keeps: bool,
    only_folders: bool,
    /// What stands between the slashes. The last is a name.
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any number of folders.
    Folders,
    /// One name, with `*`, `?`, `[a-z]` and `\`.
    Name(Vec<u8>),
}

fn rules(text: &[u8]) -> Vec<Rule> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    text.split(|byte| *byte == b'\n').filter_map(Rule::read).collect()
}

impl Rule {
    fn read(line: &[u8]) -> Option<Rule> {
        let line = if line.ends_with(b"\\ ") { line } else { line.trim_ascii_end() };
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let (keeps, line) = line.strip_prefix(b"!").map_or((false, line), |line| (true, line));
        let (only_folders, line) = line.strip_suffix(b"/").map_or((false, line), |line| (true, line));
        let is_anywhere = !line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let part = |part: &[u8]| if part == b"**" { Part::Folders } else { Part::Name(part.to_vec()) };
        let mut parts: Vec<Part> = is_anywhere.then_some(Part::Folders).into_iter().collect();
        parts.extend(line.split(|byte| *byte == b'/').map(part));
        // All that is in a folder, and not the folder itself.
        if parts.last() == Some(&Part::Folders) {
            parts.push(Part::Name(b"*".to_vec()));
        }
        Some(Rule { keeps, only_folders, parts })
    }

    /// Whether it names this path, given as the names of its folders and its own.
    fn names(&self, path: &[&[u8]], is_folder: bool) -> bool {
        let (Some(Part::Name(last)), Some(name)) = (self.parts.last(), path.last()) else { return false };
        if (self.only_folders && !is_folder) || !is_name(last, name) {
            return false;
        }
        // How many of the names the parts so far may stand for.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for part in &self.parts {
            match part {
                Part::Folders => {
                    let first = reached.iter().position(|reached| *reached).unwrap_or(reached.len());
                    reached[first..].fill(true);
                }
                Part::Name(pattern) => {
                    for (at, name) in path.iter().enumerate().rev() {
                        reached[at + 1] = reached[at] && is_name(pattern, name);
                    }
                    reached[0] = false;
                }
            }
        }
        reached[path.len()]
    }
}

/// Whether a pattern stands for a name. Takes time in proportion to the two lengths multiplied, whatever the pattern.
fn is_name(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    // Where the last star stands, and what was read when it was met.
    let mut star = None;
    while read < name.len() {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            star = Some((at, read));
        } else if let Some(taken) = takes(&pattern[at..], name[read]) {
            (at, read) = (at + taken, read + 1);
        } else if let Some((behind, then)) = star {
            (at, read) = (behind, then + 1);
            star = Some((at, read));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// How much of a pattern stands for this byte; None if it stands for another one.
fn takes(pattern: &[u8], byte: u8) -> Option<usize> {
    match *pattern {
        [b'?', ..] => Some(1),
        [b'\\', escaped, ..] => (escaped == byte).then_some(2),
        [b'[', ..] if let Some((length, is_in)) = class(pattern, byte) => is_in.then_some(length),
        [first, ..] => (first == byte).then_some(1),
        [] => None,
    }
}

/// The length of a class such as `[a-z]` or `[!0-9]`, and whether the byte is one of it; None if it is not closed.
fn class(pattern: &[u8], byte: u8) -> Option<(usize, bool)> {
    let is_inverse = matches!(pattern.get(1), Some(b'!' | b'^'));
    let begin = 1 + usize::from(is_inverse);
    let (mut at, mut is_in) = (begin, false);
    let one = |at: usize| match *pattern.get(at)? {
        b'\\' => Some((*pattern.get(at + 1)?, at + 2)),
        plain => Some((plain, at + 1)),
    };
    loop {
        if pattern.get(at) == Some(&b']') && at > begin {
            return Some((at + 1, is_in != is_inverse));
        }
        let (low, behind) = one(at)?;
        let is_range = pattern.get(behind) == Some(&b'-') && pattern.get(behind + 1).is_some_and(|end| *end != b']');
        let (high, behind) = if is_range { one(behind + 1)? } else { (low, behind) };
        is_in |= (low..=high).contains(&byte);
        at = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether one rule of the root leaves a path out; a path that ends in a slash is a folder.
    fn leaves_out(rule: &str, path: &str) -> bool {
        let names: Vec<&[u8]> = path.trim_end_matches('/').split('/').map(str::as_bytes).collect();
        rules(rule.as_bytes()).iter().any(|rule| rule.names(&names, path.ends_with('/')))
    }

    #[test]
    fn a_rule_names_what_git_says_it_names() {
        for (rule, named, others) in [
            ("drop.md", &["drop.md", "a/b/drop.md", "drop.md/"][..], &["drop.mdx", "a/drop", "xdrop.md"][..]),
            ("/drop.md", &["drop.md"], &["a/drop.md"]),
            ("a/drop.md", &["a/drop.md"], &["b/a/drop.md", "drop.md"]),
            ("build/", &["build/", "a/build/"], &["build"]),
            ("*.log", &["x.log", "a/x.log", ".log"], &["x.logs"]),
            ("a/*.log", &["a/x.log"], &["a/b/x.log"]),
            ("a/**", &["a/x", "a/b/x"], &["a/", "b/a/x"]),
            ("a/**/x", &["a/x", "a/b/x", "a/b/c/x"], &["x", "b/a/x"]),
            ("**/x", &["x", "a/x", "a/b/x"], &["ax"]),
            ("**", &["x", "a/x"], &[]),
            ("?.md", &["a.md"], &["ab.md", ".md"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]x", &["dx"], &["ax"]),
            ("[]x]", &["]", "x"], &["y"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[open", &["[open"], &["o"]),
            ("\\#x", &["#x"], &["x"]),
            ("\\!x", &["!x"], &["x"]),
            ("x\\*", &["x*"], &["xy"]),
            ("x ", &["x"], &["x "]),
            ("x\\ ", &["x "], &["x"]),
            ("# x", &[], &["# x"]),
            ("a*b*c", &["abc", "axxbyyc", "abcbc"], &["ab", "abcb"]),
            ("\u{feff}x", &["x"], &[]),
        ] {
            for path in named {
                assert!(leaves_out(rule, path), "{rule:?} names {path:?}");
            }
            for path in others {
                assert!(!leaves_out(rule, path), "{rule:?} does not name {path:?}");
            }
        }
    }

    #[test]
    fn a_pattern_of_many_stars_is_read_in_no_time() {
        let (pattern, name) = ("*a".repeat(2_000) + "b", "a".repeat(4_000));
        assert!(!leaves_out(&pattern, &name));
        assert!(!leaves_out(&format!("{}/b", "**/a/**".repeat(50)), &"a/".repeat(60)));
    }
}
