//! Questions about the documents as such: "Summarize these files", "What is this about?". Each document, or each part of the only one,
//! has a task, and is told by how it begins. Nothing is searched: no passage answers better than another.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use super::changelog::is_changelog;
use super::headings::is_licence;
use crate::words::WORDS;
use run::evidence::{self, Section};
use run::id::TaskId;
use run::plan::{Plan, Shape, Task, Within};
use run::profile::{Files, Listed};
use run::stage::Planning;
use run::tool::builtin::{ListFiles, Outline};
use run::tool::{ToolCall, ToolResult};
use run::transcript::Transcript;
use text::words::{fold, is_stop, numeral, words};
use text::{Clean, count};

/// The most documents that are told: of more, a brief of the usual length has no room for a sentence.
const MOST: usize = 20;
/// The reason of a plan with a single task.
const OF_ONE: &str = "The question is about the document as such: told is how it begins.";
/// The deepest level of headings that parts a document.
const MOST_LEVELS: usize = 4;
/// A file with one of these names introduces the others.
const INTRODUCES: [&str; 9] =
    ["readme", "index", "overview", "introduction", "intro", "about", "home", "summary", "getting-started"];

/// A question with one of these asks for more than what documents are about.
const OTHERWISE: [&str; 5] = ["how", "when", "where", "who", "why"];

/// Whether a question asks for the documents as such, and for nothing in them.
pub(super) fn is_asked(question: &str) -> bool {
    let is_framed = |word: &str| {
        let word: &str = &fold(word);
        is_stop(word)
            || [&WORDS.overviews, &WORDS.of_documents, &WORDS.beside_overviews].iter().any(|known| known.contains(word))
            || numeral(word).is_some()
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let has = |known: &BTreeSet<String>| words(question).any(|word| known.contains(&*fold(word)));
    let says = |wanted: &str| words(question).any(|word| fold(word) == wanted);
    // "How do I summarize a document?" asks for a procedure.
    let asks_otherwise = || OTHERWISE.iter().any(|word| says(word));
    let is_overview = has(&WORDS.overviews) || has(&WORDS.of_documents) && says("list");
    is_overview && words(question).all(is_framed) && !asks_otherwise()
}

/// Whether a question asks for the documents as such, and its plan is one for that.
pub(super) fn is_planned(question: &str, plan: &Plan) -> bool {
    plan.tasks.iter().all(|task| task.within.is_some()) && is_asked(question)
}

/// The results of a planner's calls: the files, and the headings of the only one.
pub(super) struct Looked<'t> {
    files: Option<&'t Files>,
    outline: Option<&'t evidence::Outline>,
}

impl<'t> Looked<'t> {
    pub fn of(transcript: &'t Transcript) -> Looked<'t> {
        let results = || transcript.calls().filter_map(|call| call.result());
        let files = results().find_map(|result| if let ToolResult::Files(files) = result { Some(files) } else { None });
        let outline = results().find_map(|result| if let ToolResult::Outline(it) = result { Some(it) } else { None });
        Looked { files, outline }
    }

    /// The number of calls that brought something.
    pub fn calls(&self) -> usize {
        usize::from(self.files.is_some()) + usize::from(self.outline.is_some())
    }

    /// The next call: the files are listed, and of the only one the headings; None if all was seen.
    pub fn next(&self) -> Option<(Planning, ToolCall)> {
        match (self.files, self.outline) {
            (None, _) => Some((Planning::Files, ListFiles {}.into())),
            (Some(files), None) => {
                let source = only_one(files)?.source.id.clone();
                Some((Planning::Outline, Outline { source }.into()))
            }
            _ => None,
        }
    }

    /// A task for each document, or for each part of the only one; None if there is nothing to read.
    pub fn plan(&self, question: &Clean) -> Option<Plan> {
        let files = self.files?;
        let (tasks, why) = match (only_one(files), self.outline) {
            (Some(file), Some(outline)) => of_sections(question, file, outline),
            _ => of_documents(question, files),
        };
        (!tasks.is_empty()).then(|| Plan { shape: Shape::Each, tasks, why: why.into() })
    }
}

fn only_one(files: &Files) -> Option<&Listed> {
    if let ([file], 0) = (&files.files[..], files.left_out) { Some(file) } else { None }
}

/// A task for each document, those first that introduce the others, then the longest; last licences, changelogs and what no longer holds.
fn of_documents(question: &Clean, files: &Files) -> (Vec<Task>, String) {
    let all = files.files.len() + files.left_out as usize;
    let mut listed: Vec<&Listed> = files.files.iter().filter(|file| file.blocks > 0).collect();
    listed.sort_by_key(|file| {
        let source = &file.source;
        let aside = is_licence(&source.path) || is_changelog(source) || source.superseded.is_some();
        (aside, !introduces(&source.path), Reverse(file.blocks))
    });
    listed.truncate(MOST);
    let told = listed.len();
    let of_document =
        |(file, n): (&Listed, u32)| task(question, TaskId(n), file, file.source.title.clone(), 0..file.blocks);
    let why = match all {
        1 => OF_ONE.to_owned(),
        _ if told == all => "The question is about the documents as such: told is how each of them begins.".to_owned(),
        _ => format!(
            "The question is about the documents as such: told is how {told} of {} begin, first those that introduce the others, then the \
             longest. Ask for anything in them by its name.",
            count(all, "document")
        ),
    };
    (listed.into_iter().zip(1..).map(of_document).collect(), why)
}

/// A task for each section of a document of the highest level that has several, and one for what stands before them.
fn of_sections(question: &Clean, file: &Listed, outline: &evidence::Outline) -> (Vec<Task>, String) {
    let sections = subsections(outline, 0..file.blocks);
    let mut begins: Vec<(Clean, u32)> =
        sections.iter().filter_map(|section| Some((section.headings.last()?.clone(), section.first))).collect();
    // Pages may repeat the heading of a section above each of its parts.
    begins.dedup_by(|next, before| next.0 == before.0);
    if begins.first().is_none_or(|(_, first)| *first > 0) {
        begins.insert(0, (file.source.title.clone(), 0));
    }
    let all = begins.len();
    let ends = begins.iter().skip(1).map(|(_, first)| *first).chain([file.blocks]).collect::<Vec<u32>>();
    let begins = begins.into_iter().zip(ends).take(MOST).zip(1..);
    let tasks: Vec<Task> =
        begins.map(|(((title, from), to), n)| task(question, TaskId(n), file, title, from..to)).collect();
    let why = match tasks.len() {
        1 => OF_ONE.to_owned(),
        told if told == all => {
            "The question is about the document as such: told is how each of its parts begins.".to_owned()
        }
        told => format!(
            "The question is about the document as such: told is how the first {told} of its {} begin. Ask for anything in it by its name.",
            count(all, "part")
        ),
    };
    (tasks, why)
}

/// The sections within a part of a document: those of the highest level that has several there.
pub(super) fn subsections(outline: &evidence::Outline, within: Range<u32>) -> Vec<&Section> {
    let inside = || outline.sections.iter().filter(|section| within.contains(&section.first));
    let of_level = |level: usize| inside().filter(move |section| section.headings.len() == level);
    let several =
        (1..=MOST_LEVELS).map(|level| of_level(level).collect::<Vec<_>>()).find(|sections| sections.len() > 1);
    several.unwrap_or_default()
}

/// Whether a file introduces others by its name, and is no part of a folder within.
fn introduces(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    INTRODUCES.contains(&stem) && path.matches('/').count() <= 1
}

fn task(question: &Clean, id: TaskId, file: &Listed, title: Clean, blocks: Range<u32>) -> Task {
    let path = &file.source.path;
    let title = if title.is_empty() { path.clone() } else { title };
    let asks = Clean::line(&format!("{}: {path}, {title}", question.trim_end_matches(['?', '.', ' '])));
    Task {
        within: Some(Within { source: file.source.id.clone(), from: blocks.start, to: blocks.end }),
        ..Task::new(id, title, asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::source;
    use run::evidence::SourceRef;

    #[test]
    fn a_question_about_the_documents_as_such_has_no_other_noun() {
        for question in [
            "Summarize these documents",
            "summarise this file in five sentences please",
            "What is this about?",
            "What are these documents about?",
            "Give me an overview",
            "tl;dr: a summary",
            "List all documents",
            "Can you tell me what the PDF contains?",
            "What are the main points of the text? Give me a short summary.",
        ] {
            assert!(is_asked(question), "{question}");
        }
        for question in [
            "Summarize the rules on leave",
            "What is a document?",
            "What is it?",
            "How do I list files?",
            "How do I summarize a document?",
            "Give me an overview of indexes",
            "What changed in these documents?",
            "Which files do I need?",
        ] {
            assert!(!is_asked(question), "{question}");
        }
    }

    fn file(path: &str, blocks: u32) -> Listed {
        let source = SourceRef { path: path.into(), ..source(path) };
        Listed { source, blocks }
    }

    #[test]
    fn documents_that_introduce_others_come_first_then_the_longest_and_licences_last() {
        let files = [("LICENSE", 90), ("a.md", 5), ("b.md", 50), ("docs/README.md", 3), ("empty.md", 0)];
        let files = Files { files: files.map(|(path, blocks)| file(path, blocks)).to_vec(), left_out: 0 };
        let looked = Looked { files: Some(&files), outline: None };
        let plan = looked.plan(&"Summarize these files".into()).unwrap();
        let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["docs/README.md", "b.md", "a.md", "LICENSE"]);
        assert!(plan.why.contains("4 of 5 documents"), "{}", plan.why);
    }
}
