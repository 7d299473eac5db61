//! Sections by meaning: finds sections for a question that uses other words than the documents.
//!
//! A section is known by its headings and its first words only; callers judge how well it answers.

use std::sync::{Arc, Mutex};

use meaning::{Meaning, Sketches};

use super::catalogue::Catalogue;
use super::query::Reading;
use super::schema::{file_and_no, row_id};
use super::shown::Sought;
use run::evidence::{Hits, heading_path};
use run::tool::builtin::Search;
use text::locked::Locked;
use text::words::{is_stop, words};

/// The most parts of sections that are indexed: this many take a second. For a larger collection only the beginnings of
/// sections are indexed, at most this many, spread over all documents.
const MOST_PARTS: usize = 40_000;
/// The number of blocks in a part of a section.
const PART: u32 = 40;
/// The number of best parts by words that are compared by meaning.
const COMPARED: usize = 48;
/// Headings are read from the innermost outwards, then the title; in characters.
const READ_HEADINGS: usize = 2;
const READ_ABOVE: usize = 120;
/// The blocks and characters read from the beginning of a part.
const READ_BLOCKS: u32 = 4;
const READ_OF_IT: usize = 300;
/// The least likeness of a section, as a share of the greatest.
const LEAST_OF_BEST: f64 = 0.75;

/// The beginnings of the parts of all sections, as rough meanings.
#[derive(Debug, Default)]
pub(super) struct Beginnings {
    /// The row of the first block of each part.
    rows: Vec<i64>,
    sketches: Sketches,
}

impl Reading {
    /// The sections most like a text in meaning, with a likeness of at least `least` thousandths, best first. Each is
    /// given by its first block, or by that of its part.
    pub fn sections_like(&self, catalogue: &Catalogue, text: &str, limit: u32, least: u32) -> rusqlite::Result<Hits> {
        let together = self.over(catalogue)?.unchecked_transaction()?;
        let known = self.beginnings(catalogue)?;
        let near = known.sketches.nearest(&in_content_words(text), COMPARED);
        let mut compared: Vec<(i64, String)> = Vec::with_capacity(near.len());
        for row in near.into_iter().filter_map(|at| known.rows.get(at)) {
            // Another process may have removed the document since.
            if let Some(text) = self.beginning(catalogue, *row)? {
                compared.push((*row, text));
            }
        }
        let texts: Vec<&str> = compared.iter().map(|(_, text)| text.as_str()).chain([text]).collect();
        let mut meanings = Meaning::of_all(&texts);
        let asked = meanings.pop();
        let likeness = |meaning: &Meaning| asked.as_ref().map_or(0.0, |asked| asked.likeness(meaning));
        let mut alike: Vec<(f64, i64)> =
            compared.iter().zip(&meanings).map(|((row, _), meaning)| (likeness(meaning), *row)).collect();
        let place = |row: i64| {
            let (file, no) = file_and_no(row);
            (catalogue.found(file).map(|document| document.order), no)
        };
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place(a.1).cmp(&place(b.1))));
        let least = (f64::from(least) / 1000.0).max(LEAST_OF_BEST * alike.first().map_or(0.0, |(best, _)| *best));
        let limit = limit.min(Search::MOST) as usize;
        let best = alike.into_iter().take_while(|(likeness, _)| *likeness >= least).take(limit);
        let places = best.map(|(likeness, row)| {
            let (file, no) = file_and_no(row);
            ((likeness * 1000.0).round() as u32, file, no)
        });
        let hits = self.hits_at(catalogue, places, limit, Sought::of([], &[]))?;
        together.commit()?;
        Ok(catalogue.hits(hits))
    }

    /// The beginnings of the collection's sections, read on first use.
    fn beginnings(&self, catalogue: &Catalogue) -> rusqlite::Result<Arc<Beginnings>> {
        // Other threads wait here. A panic leaves nothing half done.
        let mut kept = catalogue.beginnings.locked();
        if let Some(known) = &*kept {
            return Ok(known.clone());
        }
        Ok(kept.insert(Arc::new(self.sketched(catalogue)?)).clone())
    }

    fn sketched(&self, catalogue: &Catalogue) -> rusqlite::Result<Beginnings> {
        let connection = self.over(catalogue)?;
        let parts = "SELECT count(*), sum(1 + (end - first) / ?) FROM sections";
        let (sections, parts): (i64, Option<i64>) =
            connection.query_row(parts, [PART], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let fits = |n: i64| usize::try_from(n).is_ok_and(|n| n <= MOST_PARTS);
        let step = if fits(parts.unwrap_or(0)) { PART } else { u32::MAX };
        let mut rows = connection.prepare("SELECT id, first, end FROM sections")?;
        let mut rows = rows.query([])?;
        // In the order of their paths: documents are stored in the order they were read, which varies.
        let mut found: Vec<(u32, u32, u32, i64)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (file, _) = file_and_no(row.get(0)?);
            if let Some(document) = catalogue.found(file) {
                found.push((document.order, row.get(1)?, row.get(2)?, file));
            }
        }
        found.sort_unstable();
        let (mut kept, mut texts) = (Vec::new(), Vec::new());
        // Of too many sections, every nth.
        let every = usize::try_from(sections).unwrap_or(usize::MAX).div_ceil(MOST_PARTS).max(1);
        for (_, first, end, file) in found.into_iter().skip(every - 1).step_by(every) {
            for first in (first..end).step_by(step as usize) {
                let row = row_id(file, first);
                if let Some(text) = self.beginning(catalogue, row)? {
                    kept.push(row);
                    texts.push(in_content_words(&text));
                }
            }
        }
        Ok(Beginnings { rows: kept, sketches: Sketches::of(texts.iter().map(String::as_str)) })
    }

    /// The text that represents the part of a section that begins with a block: its headings, the title, its first
    /// words. None if the block is gone, or if it is the entry of a function, whose name is no words.
    fn beginning(&self, catalogue: &Catalogue, row: i64) -> rusqlite::Result<Option<String>> {
        let (file, no) = file_and_no(row);
        let Some(source) = catalogue.source(file) else { return Ok(None) };
        let Some((section, mut text)) = self.block(row)? else { return Ok(None) };
        let headings = self.headings(file, section)?;
        if headings.last().is_some_and(|heading| is_call(heading)) {
            return Ok(None);
        }
        let innermost = headings.iter().rev().take(READ_HEADINGS).chain([&source.title]);
        let over = heading_path(innermost.filter(|name| !name.is_empty()));
        for next in no + 1..no + READ_BLOCKS {
            if text.len() >= READ_OF_IT {
                break;
            }
            match self.block(row_id(file, next))? {
                Some((its, more)) if its == section => text.extend([" ", more.as_str()]),
                _ => break,
            }
        }
        let above = over.chars().take(READ_ABOVE).chain(". ".chars());
        Ok(Some(above.chain(text.chars().take(READ_OF_IT)).collect()))
    }
}

/// Whether a heading is that of a function: `open(file)`.
fn is_call(heading: &str) -> bool {
    heading.match_indices('(').any(|(at, _)| heading[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn in_content_words(text: &str) -> String {
    words(text).filter(|word| !is_stop(word)).collect::<Vec<_>>().join(" ")
}

/// The cached beginnings of a collection's sections.
pub(super) type Kept = Mutex<Option<Arc<Beginnings>>>;

#[cfg(test)]
mod tests {
    use super::super::Index;
    use crate::reader::Readers;

    #[test]
    fn the_same_sections_are_found_in_whatever_order_the_documents_were_read() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let found = |kept: &str, parts: &[std::ops::Range<usize>]| -> Vec<String> {
            let kept = folder.path().join(kept);
            std::fs::create_dir(&kept).unwrap();
            let index = Index::open(std::slice::from_ref(&docs), &kept, Readers::in_this_process()).unwrap();
            for at in parts.iter().cloned().flatten() {
                let page = "# Vehicles\n\n## Depreciation of vehicles\n\nThe same everywhere.\n";
                std::fs::write(docs.join(format!("{at:02}.md")), page).unwrap();
                if at % 40 == 0 {
                    index.refresh(&mut |_| ()).unwrap();
                }
            }
            index.refresh(&mut |_| ()).unwrap();
            let (catalogue, reading) = (index.catalogue().unwrap(), index.reading().unwrap());
            let hits = reading.sections_like(&catalogue, "how much value does my car lose", 5, 0).unwrap();
            hits.hits.into_iter().map(|hit| hit.source.path.to_string()).collect()
        };
        let first = ["00.md", "01.md", "02.md", "03.md", "04.md"];
        assert_eq!(found("late", &[40..80, 0..40]), first);
        assert_eq!(found("at once", &[]), first);
    }

    #[test]
    fn a_section_is_found_by_the_meaning_of_its_heading() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        for (name, page) in [
            (
                "storage.md",
                "# Storage\n\nFirst.\n\n## Depreciation of vehicles\n\nSecond.\n\n## Sorting numbers\n\nThird.\n",
            ),
            ("network.md", "# Network\n\n## Cables\n\nFourth.\n\n## Printers\n\nFifth.\n"),
        ] {
            std::fs::write(docs.join(name), page).unwrap();
        }
        let index = Index::open(&[docs], folder.path(), Readers::in_this_process()).unwrap();
        index.refresh(&mut |_| ()).unwrap();
        let (catalogue, reading) = (index.catalogue().unwrap(), index.reading().unwrap());
        let found = |asked: &str, limit| -> Vec<String> {
            let hits = reading.sections_like(&catalogue, asked, limit, 0).unwrap();
            hits.hits.into_iter().map(|hit| hit.snippet.to_string()).collect()
        };
        assert_eq!(found("how much value does my car lose every year", 1), ["Second."]);
        assert_eq!(found("putting figures into order", 1), ["Third."]);
        assert!(found("how much value does my car lose every year", 0).is_empty());
        assert!(found("", 9).is_empty());
    }
}
