//! Values of other things than the one that a question names: the limits of Pinecone where those of pgvector are asked for.
//!
//! Only names count, as the sources write them, and only lines of lists and tables are left out: a sentence names its own subject.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::extractive::candidate::Candidate;
use crate::extractive::standalone::count;
use crate::extractive::tool_results::ToolResults;
use run::evidence::{Block, BlockKind, heading_path};
use text::words::{fold, is_stop, word_indices, words};

/// The fewest places in which the sources write a name as one.
const LEAST_WRITTEN: usize = 2;
/// A page is about a thing if its title names it, or one in this many of its blocks that were read.
const ONE_IN: usize = 4;
/// The most words of a line of a list that is no sentence of its own.
const MOST_OF_A_LINE: usize = 10;

/// Drops lines of lists and tables that stand on pages about other things, in sections without the names of the question.
pub(super) fn leave_out(found: &mut Vec<Candidate>, question: &str, results: &ToolResults) {
    let names = names(question, results);
    if names.is_empty() {
        return;
    }
    let places = Places::of(&names, results);
    let is_line = |c: &Candidate| {
        matches!(c.block.kind, BlockKind::KeyValue | BlockKind::ListItem | BlockKind::TableRow)
            && count(&c.claim.text) <= MOST_OF_A_LINE
    };
    if !places.pages.is_empty() {
        found.retain(|c| !is_line(c) || places.are_about(&c.source.path, &c.section));
    }
}

/// The spelling of a word in the sources.
#[derive(Default)]
struct Written {
    as_name: usize,
    otherwise: usize,
}

/// The words of a question that the sources write as names: with a digit or a capital within a sentence, or in small letters
/// at the beginning of one.
fn names(question: &str, results: &ToolResults) -> BTreeSet<String> {
    let asked = words(question).filter(|word| word.chars().count() > 1 && !is_stop(word));
    let mut written: BTreeMap<String, Written> =
        asked.map(|word| (fold(word).into_owned(), Written::default())).collect();
    for (_, block) in results.blocks.values().filter(|(_, block)| block.kind == BlockKind::Paragraph) {
        let text = block.text.as_str();
        for (at, word) in word_indices(text) {
            let Some(written) = written.get_mut(fold(word).as_ref()) else { continue };
            let before = text[..at].trim_end();
            let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':']);
            let has_capital = word.starts_with(char::is_uppercase);
            let is_odd = word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
            // A capital at the beginning says nothing.
            if is_odd || has_capital != begins {
                written.as_name += 1;
            } else if !begins {
                written.otherwise += 1;
            }
        }
    }
    let is_name = |written: &Written| written.as_name >= LEAST_WRITTEN && written.as_name >= written.otherwise;
    written.into_iter().filter(|(_, written)| is_name(written)).map(|(word, _)| word).collect()
}

/// The pages about some of the names, and the sections of others that mention one.
struct Places {
    pages: BTreeSet<String>,
    sections: BTreeSet<(String, Arc<str>)>,
}

impl Places {
    fn of(names: &BTreeSet<String>, results: &ToolResults) -> Places {
        let mentions = |text: &str| words(text).any(|word| names.contains(fold(word).as_ref()));
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let (mut pages, mut sections) = (BTreeSet::new(), BTreeSet::new());
        for ((path, _), (source, block)) in &results.blocks {
            let (of_page, named) = counts.entry(path).or_default();
            *of_page += 1;
            if mentions(&source.title) {
                pages.insert(path.clone());
            }
            if mentions(&block.text) || heads(block).any(mentions) {
                *named += 1;
                sections.insert((path.clone(), heading_path(block.headings.iter()).into()));
            }
        }
        let are_named = counts.into_iter().filter(|(_, (all, named))| named * ONE_IN >= *all);
        pages.extend(are_named.map(|(path, _)| path.to_owned()));
        Places { pages, sections }
    }

    fn are_about(&self, path: &str, section: &Arc<str>) -> bool {
        self.pages.contains(path) || self.sections.contains(&(path.to_owned(), section.clone()))
    }
}

fn heads(block: &Block) -> impl Iterator<Item = &str> {
    block.headings.iter().chain(&block.intro).map(|heading| heading.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, source};

    fn read(pages: &[(&str, &[&str])]) -> ToolResults {
        let mut results = ToolResults::default();
        for (title, texts) in pages {
            for (text, no) in texts.iter().zip(0..) {
                let block = Block { no, ..block(text) };
                results.blocks.insert((title.to_string(), no), (source(title), Arc::new(block)));
            }
        }
        results
    }

    #[test]
    fn a_word_is_a_name_as_the_sources_write_it() {
        let page: &[&str] = &[
            "pgvector stores rows. pgvector has a limit of memory.",
            "The D4711 is old, and a D4711 is slow. Memory is short.",
            "Where Pinecone is slow, Pinecone has more memory. Memory is dear.",
        ];
        let names = |question: &str| names(question, &read(&[("Notes", page)])).into_iter().collect::<Vec<_>>();
        assert_eq!(names("what is the memory of PGVECTOR, pinecone and the d4711"), ["d4711", "pgvector", "pinecone"]);
        assert!(names("how much memory has the Quill").is_empty());
    }

    #[test]
    fn only_pages_about_what_is_named_and_sections_that_mention_it_are_left() {
        let results = read(&[
            ("Widget", &["Widget stores rows.", "Widget is fast."]),
            ("Gadget", &["Gadget stores more.", "Gadget is slow.", "It is slow.", "It waits.", "It ends."]),
        ]);
        let places = Places::of(&BTreeSet::from(["widget".to_owned()]), &results);
        let section: Arc<str> = heading_path(results.blocks.values().next().unwrap().1.headings.iter()).into();
        assert!(places.are_about("Widget", &section) && !places.are_about("Gadget", &section));
    }
}
