//! The notes that runs leave for later runs, in a Markdown file of the user's.
//!
//! Reads the notes that are relevant to a question, and adds one section a run. It never changes or deletes an existing
//! line, and never decides what is true: notes are only text.

#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod file;
mod markdown;
mod rank;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use run::RunId;
use run::memory::{Entry, Kept, Recollection, Written};
use run::tool::builtin::Recall;
use text::Clean;

use file::Content;
use markdown::Section;

/// The most bytes that are read: the end of the file, with the newest notes.
pub const MOST_READ: u64 = 1 << 20;
/// A file of this size gets no more notes.
pub const MOST_KEPT: u64 = 8 << 20;
/// The most own lines, and the most gaps, that are recalled at once.
const MOST_LINES: usize = 6;
/// The most bytes of such a line.
const LINE: usize = 480;

/// The reason why the notes could not be used. The run goes on without them.
#[derive(Debug, thiserror::Error)]
pub enum NotesError {
    #[error("the notes {path} cannot be read: {what}")]
    Unreadable { path: PathBuf, what: String },
    #[error(
        "the notes {path} are not text in UTF-8: they are left alone; mend the file, or name another in config.toml"
    )]
    NotText { path: PathBuf },
    #[error("the notes {path} are larger than {} MiB: nothing is added until some of them stand elsewhere", MOST_KEPT >> 20)]
    TooLarge { path: PathBuf },
    #[error("the notes {path} cannot be written: {what}")]
    NotWritten { path: PathBuf, what: String },
}

/// Counts of the notes; of a file of more than 1 MiB, of its newest part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The size of the file in bytes; None if there is none yet.
    pub bytes: Option<u64>,
    /// Whether the whole file was read.
    pub whole: bool,
    /// Runs that have added notes.
    pub runs: usize,
    /// Findings that name their source.
    pub findings: usize,
    /// Gaps: things that were not found.
    pub gaps: usize,
    /// Lines that the person wrote.
    pub own_words: usize,
    /// Findings without a source, which cannot be looked up.
    pub without_source: usize,
    /// The questions asked, the latest last.
    pub questions: Vec<Clean>,
}

/// The notes of earlier runs, in a file that the person may change.
#[derive(Clone, Debug)]
pub struct Notes {
    path: PathBuf,
}

impl Notes {
    /// The notes in this file, which may not exist yet.
    pub fn at(path: PathBuf) -> Notes {
        Notes { path }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Counts the notes. A missing file counts as empty.
    ///
    /// # Errors
    /// The file is unreadable, or not text.
    pub fn survey(&self) -> Result<Survey, NotesError> {
        let Some(content) = file::read(&self.path, MOST_READ)? else { return Ok(Survey::default()) };
        let sections = markdown::parse(&content.text);
        let count = |of: fn(&Section) -> usize| sections.iter().map(of).sum();
        Ok(Survey {
            bytes: Some(content.size),
            whole: content.whole,
            runs: sections.iter().filter_map(|section| section.run.as_ref()).collect::<BTreeSet<_>>().len(),
            findings: count(|section| section.findings.len()),
            gaps: count(|section| section.gaps.len()),
            own_words: count(|section| section.own_words.len()),
            without_source: count(|section| section.without_source),
            questions: sections.iter().filter(|s| s.run.is_some()).map(|s| s.heading.clone()).collect(),
        })
    }

    /// Whether a run has left something in the newest 1 MiB of the notes: text further up is not read.
    ///
    /// # Errors
    /// The file is unreadable, or not text.
    pub fn are_of(&self, run: &RunId) -> Result<bool, NotesError> {
        let Some(content) = file::read(&self.path, MOST_READ)? else { return Ok(false) };
        Ok(markdown::parse(&content.text).iter().any(|section| section.run.as_ref() == Some(run)))
    }

    /// The notes relevant to a question, the most relevant first. A missing file is empty notes.
    /// Findings in documents that this run does not have are left aside.
    ///
    /// # Errors
    /// The file is unreadable, or not text.
    pub fn recall(&self, query: &str, limit: u32, has: impl Fn(&str) -> bool) -> Result<Recollection, NotesError> {
        let notes = self.name();
        let Some(content) = file::read(&self.path, MOST_READ)? else {
            return Ok(Recollection { notes, ..Recollection::default() });
        };
        let sections = markdown::parse(&content.text);
        let asked = rank::Asked::new(query);
        let mut left_aside = left_aside(&content, &sections);

        let mut known = BTreeSet::new();
        let mut findings: Vec<Kept> = asked
            .rank(
                sections.iter().flat_map(|section| section.findings.iter().map(move |it| (it, section))),
                |(it, s)| (format!("{} {} {}", it.claim, it.quote, it.path), s.heading.to_string()),
            )
            .into_iter()
            .filter(|(it, _)| known.insert((it.path.clone(), it.quote.clone())))
            .map(|(it, _)| it.clone())
            .collect();
        let long = findings.len();
        findings.retain(|it| it.claim.len() + it.quote.len() + it.path.len() + it.from.len() <= LONGEST);
        if findings.len() < long {
            left_aside.push(
                format!("{} too long to be looked at.", many(long - findings.len(), "finding is", "findings are"))
                    .into(),
            );
        }
        let there = findings.len();
        findings.retain(|it| has(&it.path));
        if findings.len() < there {
            let others = many(there - findings.len(), "finding is", "findings are");
            left_aside.push(format!("{others} in documents that are not among the sources of this run.").into());
        }
        let (bear, most) = (findings.len(), limit.min(Recall::MOST) as usize);
        if bear > most {
            findings.truncate(most);
            left_aside
                .push(format!("{bear} findings bear on the question; the {most} that do most are looked at.").into());
        }
        let lines = |of: fn(&Section) -> &Vec<Clean>| -> Vec<Clean> {
            let lines = sections.iter().flat_map(|section| of(section).iter().map(move |line| (line, section)));
            let mut ranked =
                asked.rank(lines, |(line, s)| (format!("{} {line}", s.own_heading()), s.heading.to_string()));
            let mut seen = BTreeSet::new();
            ranked.retain(|(line, _)| seen.insert((*line).clone()));
            ranked.into_iter().take(MOST_LINES).map(|(line, _)| cut(line)).collect()
        };
        Ok(Recollection {
            notes,
            findings,
            own_words: lines(|section| &section.own_words),
            gaps: lines(|section| &section.gaps),
            of: u32::try_from(sections.iter().map(|s| s.findings.len()).sum::<usize>()).unwrap_or(u32::MAX),
            left_aside,
        })
    }

    /// Adds the results of a run as a section at the end, without those that the notes already contain. Repeating it
    /// for the same run changes nothing and returns the same.
    ///
    /// # Errors
    /// The file is unreadable, not writable, not text, or too large; it is left unchanged.
    pub fn remember(&self, run: &RunId, date: &str, entry: &Entry) -> Result<Written, NotesError> {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mut written = Written { notes: self.name(), added: 0, known: 0, gaps: 0 };
        file::append(&self.path, |text| {
            let sections = markdown::parse(text);
            let of_run = |section: &&Section| section.run.as_ref() == Some(run);
            let others = || sections.iter().filter(|section| !of_run(section));
            let known = |it: &Kept| others().flat_map(|section| &section.findings).any(|other| other.is_same(it));
            let same_question = |section: &&Section| section.heading == Clean::line(&entry.question);
            let mut new = entry.clone();
            new.findings.retain(|it| !known(it));
            new.own_words.retain(|line| !others().any(|section| section.own_words.contains(line)));
            new.gaps.retain(|line| !others().filter(same_question).any(|section| section.gaps.contains(line)));
            (written.added, written.gaps) = (count(new.findings.len()), count(new.gaps.len()));
            written.known = count(entry.findings.len() - new.findings.len());
            let nothing = new.findings.is_empty() && new.own_words.is_empty() && new.gaps.is_empty();
            let is_there = sections.iter().any(|section| of_run(&section));
            (!is_there && !nothing).then(|| {
                let title = if text.trim().is_empty() { markdown::PREAMBLE } else { "" };
                format!("{title}{}", markdown::section(run, date, &new, written.known))
            })
        })?;
        Ok(written)
    }

    fn name(&self) -> Clean {
        Clean::line(&self.path.to_string_lossy())
    }
}

/// The most bytes of a finding that is recalled.
const LONGEST: usize = Recall::MOST_BYTES.0;

/// The parts of the file that are skipped, with the reasons.
fn left_aside(content: &Content, sections: &[Section]) -> Vec<Clean> {
    let mut left_aside = Vec::new();
    if !content.whole {
        let (read, of) = (MOST_READ >> 20, content.size >> 20);
        left_aside.push(format!("Only the newest {read} MiB of {of} MiB of notes were read.").into());
    }
    let without_source: usize = sections.iter().map(|section| section.without_source).sum();
    if without_source > 0 {
        left_aside.push(
            format!("{} no source and cannot be looked up.", many(without_source, "finding names", "findings name"))
                .into(),
        );
    }
    left_aside
}

fn many(n: usize, one: &str, more: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {more}") }
}

/// The line, cut to [`LINE`] bytes.
fn cut(line: &Clean) -> Clean {
    if line.len() <= LINE {
        return line.clone();
    }
    format!("{} …", line[..line.floor_char_boundary(LINE - 4)].trim_end()).into()
}

#[cfg(test)]
mod tests;
