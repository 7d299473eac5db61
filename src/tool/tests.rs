use std::fs;
use std::path::PathBuf;

use super::*;
use crate::run::evidence::{Excerpt, Hits, Outline};
use crate::text::Clean;

struct Shelf {
    folder: tempfile::TempDir,
}

impl Shelf {
    fn new(files: &[(&str, &str)]) -> Shelf {
        let shelf = Shelf { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, text)| shelf.put(name, text.as_bytes()));
        shelf
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.docs().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn docs(&self) -> PathBuf {
        self.folder.path().join("docs")
    }

    fn library(&self) -> Library {
        Library::open(&[self.docs()], &self.folder.path().join("data")).unwrap()
    }
}

fn search(library: &Library, query: &str) -> Hits {
    match library.perform(&ToolRequest::Search { query: Clean::new(query), limit: 10 }).unwrap() {
        ToolResult::Hits(hits) => hits,
        other => panic!("{other:?}"),
    }
}

fn read(library: &Library, source: &SourceId, from: u32, to: u32) -> Excerpt {
    match library.perform(&ToolRequest::Read { source: source.clone(), from, to }).unwrap() {
        ToolResult::Excerpt(excerpt) => excerpt,
        other => panic!("{other:?}"),
    }
}

fn outline(library: &Library, source: &SourceId) -> Outline {
    match library.perform(&ToolRequest::Outline { source: source.clone() }).unwrap() {
        ToolResult::Outline(outline) => outline,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_found_can_be_read_in_its_place() {
    let shelf = Shelf::new(&[
        ("heap.md", "# Heaps\n\nA heap is a tree.\n\n## Cost\n\nPushing costs little.\n\n- popping costs more\n"),
        ("sub/sort.txt", "SORTING\n\nSorting a list costs time.\n"),
    ]);
    let library = shelf.library();
    let hits = search(&library, "what does pushing cost?");
    assert_eq!((hits.documents, hits.blocks), (2, 4));
    let first = &hits.hits[0];
    assert_eq!((first.source.path.as_str(), first.block), ("heap.md", 1));
    assert_eq!(first.headings[..], ["Cost"]);
    assert_eq!(
        hits.terms.iter().map(|t| (t.term.as_str(), t.blocks)).collect::<Vec<_>>(),
        [("pushing", 1), ("cost", 3)]
    );
    let excerpt = read(&library, &first.source.id, 1, 9);
    assert_eq!(excerpt.of, 3);
    assert_eq!(
        excerpt.blocks.iter().map(|b| b.text.as_str()).collect::<Vec<_>>(),
        ["Pushing costs little.", "popping costs more"]
    );
    assert_eq!(excerpt.blocks[0].headings[..], ["Cost"]);
    let sections: Vec<(usize, u32, u32)> =
        outline(&library, &first.source.id).sections.iter().map(|s| (s.headings.len(), s.first, s.end)).collect();
    assert_eq!(sections, [(0, 0, 1), (1, 1, 3)]);
}

#[test]
fn documents_are_named_by_title_shortest_first() {
    let shelf = Shelf::new(&[
        ("a.md", "# Heaps and queues in depth\n\nx y.\n"),
        ("b.md", "# Heap\n\nx y.\n"),
        ("c.md", "# Lists\n\nOf heaps.\n"),
    ]);
    let titled = search(&shelf.library(), "the heaps").titled;
    assert_eq!(titled.iter().map(|s| s.path.as_str()).collect::<Vec<_>>(), ["b.md", "a.md"]);
}
