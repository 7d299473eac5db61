use std::fs;
use std::path::PathBuf;

use super::*;
use run::ToolResult;
use run::evidence::LeftOut;
use run::tool::builtin::{self, BuiltIn};
use text::Clean;

struct Collection {
    folder: tempfile::TempDir,
}

impl Collection {
    fn new(files: &[(&str, &str)]) -> Collection {
        let collection = Collection { folder: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, text)| collection.put(name, text.as_bytes()));
        collection
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.docs().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn docs(&self) -> PathBuf {
        self.folder.path().join("docs")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn library(&self) -> Library {
        self.library_read_by(Readers::in_this_process())
    }

    fn library_read_by(&self, readers: Readers) -> Library {
        Library::open(&[self.docs()], &self.data(), readers).unwrap()
    }

    fn index_file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.data().join("index")).unwrap().map(|file| file.unwrap().path());
        files.find(|path| path.extension().is_some_and(|ending| ending == "db")).unwrap()
    }

    /// A program of these shell commands.
    fn program(&self, commands: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.path().join("reader");
        fs::write(&path, format!("#!/bin/sh\n{commands}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    /// Makes every file old enough that its time of change can be trusted.
    fn settle(&self) {
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
        for file in fs::read_dir(self.docs()).unwrap() {
            fs::File::open(file.unwrap().path()).unwrap().set_modified(past).unwrap();
        }
    }
}

/// Tokens that are reserved for a call.
fn reserved<T: BuiltIn>(call: T) -> u64 {
    T::spec().reservation(&call.into()).tokens()
}

fn search(library: &Library, query: &str) -> Hits {
    library.search(&Clean::new(query), 10).unwrap()
}

fn read(library: &Library, source: &SourceId, from: u32, to: u32) -> Excerpt {
    library.read(source, from, to).unwrap()
}

fn outline(library: &Library, source: &SourceId) -> Outline {
    library.outline(source).unwrap()
}

#[test]
fn what_is_found_can_be_read_in_its_place() {
    let collection = Collection::new(&[
        ("heap.md", "# Heaps\n\nA heap is a tree.\n\n## Cost\n\nPushing costs little.\n\n- popping costs more\n"),
        ("sub/sort.txt", "SORTING\n\nSorting a list costs time.\n"),
    ]);
    let library = collection.library();
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
fn the_passage_that_a_heading_names_comes_before_those_that_mention_it() {
    let collection = Collection::new(&[
        (
            "words.md",
            "# Words\n\n## Heap\n\nA tree in which every node is smaller than those below it, kept in a list.\n\n## Leaf\n\nAn end.\n",
        ),
        ("use.md", "# Use\n\nThe heap of a heap is a heap, says the heap.\n\nHeap: heap.\n"),
        ("more.md", "# More\n\nNothing of note.\n\nNothing else.\n\nNothing at all.\n"),
    ]);
    let hits = search(&collection.library(), "what is a heap").hits;
    assert_eq!((hits[0].source.path.as_str(), hits[0].block), ("words.md", 0));
}

#[test]
fn for_a_name_alone_the_passage_that_says_what_it_is_comes_first() {
    let definition = "A heap is a tree in which every node is smaller than those below it, and which is kept in a list so \
                      that it takes no room but that of its nodes.";
    let collection = Collection::new(&[
        ("trees.md", &format!("# Trees\n\nSome trees have names of their own.\n\n{definition}\n")),
        ("use.md", "# Use\n\nThe heap of a heap is a heap, says the heap.\n\nOur heap, your heap.\n\nMany a heap.\n"),
        ("more.md", "# More\n\nNothing of note.\n\nNothing else.\n\nNothing at all.\n"),
    ]);
    let library = collection.library();
    assert_eq!(search(&library, "heap").hits[0].source.path.as_str(), "trees.md");
    assert_eq!(search(&library, "what does the heap say").hits[0].source.path.as_str(), "use.md");
}

#[test]
fn a_file_that_is_there_twice_is_found_once_and_one_that_no_longer_holds_says_so() {
    let rules = "# Rules\n\nStatus: superseded by the rules of May.\n\nHeaps are kept for a day.\n";
    let collection = Collection::new(&[("rules.md", rules), ("copy/rules.md", rules)]);
    let library = collection.library();
    let hits = search(&library, "how long are heaps kept").hits;
    assert_eq!(hits.iter().filter(|hit| hit.snippet.contains("a day")).count(), 1);
    assert_eq!(hits[0].source.superseded.as_deref(), Some("Status: superseded by the rules of May."));
}

/// The correction of each word of a query.
fn read_as(library: &Library, query: &str) -> Vec<Option<String>> {
    search(library, query).terms.iter().map(|term| term.read_as.as_ref().map(ToString::to_string)).collect()
}

#[test]
fn a_word_that_no_document_has_is_read_as_the_nearest_one_and_told() {
    let collection = Collection::new(&[
        ("a.md", "# Releases\n\nThe unstable release changes daily.\n\nUnstable breaks.\n\nThe constable sleeps.\n"),
        ("b.md", "# Table\n\nA span of time, and retention.\n"),
        ("c.md", "# Loops\n\nIt keeps looping.\n\nLooping never ends.\n\nIt is losing water.\n"),
    ]);
    let library = collection.library();
    let read_as = |query| read_as(&library, query);
    assert_eq!(read_as("unstabel retetnion"), [Some("unstable".into()), Some("retention".into())]);
    // Short words, names with digits and known words are not corrected.
    assert_eq!(read_as("spam unstab1e stable table"), [None, None, None, None]);
    // A doubled letter is the likeliest mistake, however rare the word is that has it once.
    assert_eq!(read_as("loosing"), [Some("losing".into())]);
    let hits = search(&library, "unstabel");
    assert_eq!((hits.hits.len(), hits.terms[0].blocks), (2, 2));
}

#[test]
fn a_word_that_joins_two_words_of_the_documents_is_read_as_they_write_it() {
    let collection = Collection::new(&[
        ("a.md", "# Jobs\n\nEvery cron job is run by its owner.\n\nA job may fail.\n"),
        ("b.md", "# Firmware\n\nNon-free firmware has an area of its own. Cars carry pets.\n"),
    ]);
    let library = collection.library();
    let read_as = |query| read_as(&library, query);
    assert_eq!(read_as("cronjobs nonfree"), [Some("cron jobs".into()), Some("non-free".into())]);
    // Two words that nowhere stand side by side are not the words asked for.
    assert_eq!(read_as("jobcron carpet"), [None, None]);
    assert_eq!(search(&library, "nonfree").hits[0].source.path.as_str(), "b.md");
}

#[test]
fn code_is_found_by_what_is_in_it_alone() {
    let collection =
        Collection::new(&[("a.md", "# Heap memory\n\n## Memory\n\nIt takes some.\n\n```\nmalloc(12)\n```\n")]);
    let library = collection.library();
    let found = |query: &str| search(&library, query).hits.iter().map(|hit| hit.block).collect::<Vec<_>>();
    assert_eq!(found("memory"), [0]);
    assert_eq!(found("malloc"), [1]);
}

#[test]
fn documents_are_named_by_title_shortest_first() {
    let collection = Collection::new(&[
        ("a.md", "# Heaps and queues in depth\n\nx y.\n"),
        ("b.md", "# Heap\n\nx y.\n"),
        ("c.md", "# Lists\n\nOf heaps.\n"),
    ]);
    let titled = search(&collection.library(), "the heaps").titled;
    assert_eq!(titled.iter().map(|s| s.path.as_str()).collect::<Vec<_>>(), ["b.md", "a.md"]);
}

#[test]
fn unchanged_files_are_not_read_again_and_changed_ones_are() {
    let collection = Collection::new(&[("a.md", "# A\n\nAbout apples.\n"), ("b.md", "# B\n\nAbout pears.\n")]);
    collection.settle();
    let read_bytes = |library: &Library| {
        let mut bytes = 0;
        library.survey(|progress| bytes = progress.bytes).unwrap();
        bytes
    };
    let library = collection.library();
    assert!(read_bytes(&library) > 0);
    assert_eq!(read_bytes(&library), 0);
    assert_eq!(read_bytes(&collection.library()), 0, "by another process neither");
    let before = search(&library, "apples").hits[0].source.id.clone();

    collection.put("a.md", b"# A\n\nAbout plums and cherries.\n");
    fs::remove_file(collection.docs().join("b.md")).unwrap();
    collection.settle();
    assert!(read_bytes(&library) > 0);
    let hits = search(&library, "apples pears cherries");
    assert_eq!((hits.documents, hits.hits.len()), (1, 1));
    assert_eq!(hits.terms.iter().map(|t| t.blocks).collect::<Vec<_>>(), [0, 0, 1]);
    let gone = library.read(&before, 0, 1).unwrap_err();
    assert!(gone.to_string().contains("search again"), "{gone}");
}

#[test]
fn a_touched_file_keeps_its_identity() {
    let collection = Collection::new(&[("a.md", "# A\n\nAbout apples.\n")]);
    let library = collection.library();
    let before = search(&library, "apples").hits[0].source.id.clone();
    collection.settle();
    library.survey(|_| {}).unwrap();
    assert_eq!(search(&library, "apples").hits[0].source.id, before);
}

#[test]
fn an_index_built_in_steps_answers_as_one_built_at_once() {
    let files: Vec<(String, String)> = (0..30)
        .map(|n| (format!("{:02}.md", 29 - n), format!("# Page {n}\n\nThe heap grows by {n}.\n\nA heap is a heap.\n")))
        .collect();
    let names: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let whole = Collection::new(&names);
    let expected = search(&whole.library(), "heap grows page");
    let steps = Collection::new(&names[15..]);
    steps.library().survey(|_| {}).unwrap();
    names[..15].iter().for_each(|(name, text)| steps.put(name, text.as_bytes()));
    steps.put("05.md", b"# Other\n\nSomething.\n");
    steps.library().survey(|_| {}).unwrap();
    steps.put("05.md", files[24].1.as_bytes());
    assert_eq!(search(&steps.library(), "heap grows page"), expected);
}

#[test]
fn a_damaged_or_foreign_index_is_built_again() {
    let collection = Collection::new(&[("a.md", "# A\n\nAbout apples.\n")]);
    collection.library().survey(|_| {}).unwrap();
    let file = collection.index_file();
    let good = fs::read(&file).unwrap();
    let mut torn = good.clone();
    let middle = torn.len() / 4;
    torn[middle..].fill(0x5a);
    for bad in [b"not a database at all, but long enough to look".to_vec(), torn, good[..good.len() / 2].to_vec()] {
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{ending}", file.display()));
        }
        fs::write(&file, &bad).unwrap();
        let library = collection.library();
        assert_eq!(library.survey(|_| {}).unwrap().documents, 1);
        assert_eq!(search(&library, "apples").hits.len(), 1);
    }
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 9_999).unwrap();
    drop(connection);
    assert_eq!(search(&collection.library(), "apples").hits.len(), 1);
}

#[test]
fn two_that_index_at_once_both_succeed() {
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("{n}.md"), format!("# Page {n}\n\nText of page {n}.\n"))).collect();
    let names: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let collection = Collection::new(&names);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    (collection.library().survey(|_| {}).unwrap().documents, search(&collection.library(), "page"))
                })
            })
            .collect();
        let answers: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        assert!(answers.iter().all(|answer| answer.0 == 60 && answer.1 == answers[0].1));
    });
}

#[test]
fn a_library_answers_several_threads() {
    let collection = Collection::new(&[("a.md", "# A\n\nAbout apples.\n"), ("b.md", "# B\n\nAbout pears.\n")]);
    let library = collection.library();
    let expected = search(&library, "apples pears");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(search(&library, "apples pears"), expected));
        }
    });
}

#[test]
fn what_the_index_writes_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let collection = Collection::new(&[("a.md", "# A\n\nAbout apples.\n")]);
    let library = collection.library();
    library.survey(|_| {}).unwrap();
    let folder = collection.data().join("index");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    for file in fs::read_dir(&folder).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.path());
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let collection = Collection::new(&[("a.md", "# A\n\nx y.\n")]);
    fs::write(collection.data(), b"a file where the folder should be").unwrap();
    let error =
        Library::open(&[collection.docs()], &collection.data(), Readers::in_this_process()).unwrap_err().to_string();
    assert!(error.contains("data") && error.contains("--data-dir"), "{error}");
}

#[test]
fn a_source_that_is_not_there_is_named() {
    let collection = Collection::new(&[("a.md", "x")]);
    let nowhere = [collection.docs().join("no\x1b[31msuch")];
    let error = Library::open(&nowhere, &collection.data(), Readers::in_this_process()).unwrap_err().to_string();
    assert!(error.contains("nosuch") && error.contains("exists"), "{error}");
}

#[test]
fn hostile_files_are_named_and_skipped_and_the_rest_is_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let collection = Collection::new(&[
        ("good.md", "# Good\n\nText that stays.\n"),
        ("empty.txt", ""),
        ("rules.txt", "-----\n\n=====\n"),
        (".hidden.md", "# Hidden\n\nsecret\n"),
        ("ignored.md", "# Ignored\n\nsecret\n"),
        (".gitignore", "ignored.md\n"),
        ("main.rs", "fn secret() {}\n"),
    ]);
    let docs = collection.docs();
    collection.put("picture.dat", &[0, 1, 2, 3, 0, 0, 9]);
    collection.put("page\x1b]0;evil\x07.md", b"# Named oddly\n\n\x1b[31mRed\x1b[0m text \xe2\x80\xae stays.\n");
    fs::write(docs.join(OsStr::from_bytes(b"bad\xff.md")), b"# Bad name\n\nGood text.\n").unwrap();
    fs::File::create(docs.join("huge.txt")).unwrap().set_len(100 << 20).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", docs.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("good.md", docs.join("same.md")).unwrap();
    std::os::unix::fs::symlink(".", docs.join("loop")).unwrap();
    std::os::unix::net::UnixListener::bind(docs.join("socket")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, docs.join("pipe.md"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    collection.put("broken.pdf", b"%PDF-1.4 and then nothing");

    let library = collection.library();
    let corpus = library.survey(|_| {}).unwrap();
    let skipped: Vec<(&str, &str)> = corpus.skipped.iter().map(|s| (s.path.as_str(), s.why.as_str())).collect();
    let expected = [
        ("broken.pdf", "PDF not readable"),
        ("empty.txt", "empty"),
        ("huge.txt", "too large: 100 MB"),
        ("link.txt", "a link that leads out"),
        ("picture.dat", "binary"),
        ("pipe.md", "a pipe"),
        ("rules.txt", "no readable text"),
        ("socket", "a socket"),
    ];
    assert_eq!(skipped.len(), expected.len(), "{skipped:?}");
    for (found, (path, why)) in skipped.iter().zip(expected) {
        assert!(found.0 == path && found.1.starts_with(why), "{found:?}");
    }
    assert_eq!((corpus.documents, corpus.skipped_count), (3, 8));
    let hits = search(&library, "text stays secret");
    let found: Vec<(&str, &str)> = hits.hits.iter().map(|h| (h.source.path.as_str(), h.snippet.as_str())).collect();
    let expected = [("bad\u{fffd}.md", "Good text."), ("good.md", "Text that stays."), ("page.md", "Red text stays.")];
    assert_eq!(found, expected);
    assert_eq!(library.survey(|_| {}).unwrap(), corpus, "the second time, from the index");
}

#[test]
fn a_file_whose_parser_was_ended_from_outside_is_tried_again() {
    let collection = Collection::new(&[("a.md", "# A guide\n\nHeaps are trees.\n")]);
    collection.settle();
    let killed = "printf 'masthead-reader 1\\n'; read line; kill -KILL $$";
    let library = collection.library_read_by(Readers::of(collection.program(killed)));
    // Another test may just be starting a child, which holds the script open for a moment.
    let corpus = std::iter::repeat_with(|| library.survey(|_| {})).find_map(Result::ok).unwrap();
    assert!(corpus.skipped[0].why.contains("ended by the system"), "{:?}", corpus.skipped);
    let library = collection.library();
    assert_eq!(library.survey(|_| {}).unwrap().documents, 1);
    let hit = &search(&library, "heaps").hits[0];
    assert_eq!((hit.source.title.as_str(), hit.snippet.as_str()), ("A guide", "Heaps are trees."));
}

#[test]
fn without_a_process_that_reads_nothing_is_passed_off_as_an_empty_collection() {
    let collection = Collection::new(&[("a.md", "# A guide\n\nHeaps are trees.\n"), ("b.md", "# B\n\nMore.\n")]);
    collection.settle();
    let why = collection.library_read_by(Readers::of("/nowhere/at/all".into())).survey(|_| {}).unwrap_err();
    assert!(why.to_string().contains("the process that reads documents cannot be started"), "{why}");
    assert_eq!(collection.library().survey(|_| {}).unwrap().documents, 2);
}

#[test]
fn several_roots_are_told_apart_by_their_names() {
    let collection = Collection::new(&[
        ("x/guide/a.md", "# A\n\nApples.\n"),
        ("y/guide/a.md", "# B\n\nApples.\n"),
        ("one.txt", "Apples.\n"),
    ]);
    let docs = collection.docs();
    let roots = [docs.join("x/guide"), docs.join("y/guide"), docs.join("one.txt"), docs.join("x/guide/../guide")];
    let library = Library::open(&roots, &collection.data(), Readers::in_this_process()).unwrap();
    let mut paths: Vec<String> = search(&library, "apples").hits.iter().map(|h| h.source.path.to_string()).collect();
    paths.sort();
    assert_eq!(paths, ["one.txt", "x/guide/a.md", "y/guide/a.md"]);
    let alone = Library::open(&roots[2..3], &collection.data(), Readers::in_this_process()).unwrap();
    assert_eq!(search(&alone, "apples").hits[0].source.path, "one.txt");
}

#[test]
fn an_empty_folder_is_an_empty_collection() {
    let collection = Collection::new(&[("note.png", "x")]);
    let library = collection.library();
    let left_out = LeftOut { pictures: 1, ..LeftOut::default() };
    assert_eq!(library.survey(|_| {}).unwrap(), Corpus { left_out, ..Corpus::default() });
    let hits = search(&library, "anything \"quoted\" (or) NEAR* ^odd: -");
    assert_eq!((hits.hits.len(), hits.documents), (0, 0));
    assert_eq!(search(&library, "").terms, []);
}

#[test]
fn a_read_keeps_to_what_it_reserved() {
    let long = "A sentence of some length that says little. ".repeat(50);
    let text: String = (0..100).map(|n| format!("Paragraph {n}. {long}\n\n")).collect();
    let collection = Collection::new(&[("a.md", text.as_str())]);
    let library = collection.library();
    let source = search(&library, "paragraph").hits[0].source.id.clone();
    for (from, to) in [(0, 1), (0, 100), (90, 95), (99, 400), (400, 500), (5, 5), (7, 2), (0, u32::MAX)] {
        let reserved = reserved(builtin::Read { source: source.clone(), from, to });
        let result = ToolResult::Excerpt(library.read(&source, from, to).unwrap());
        assert!(result.used().tokens() <= reserved, "{from}..{to}");
    }
    assert_eq!(read(&library, &source, 0, 1).blocks.len(), 1);
    assert_eq!(read(&library, &source, 400, 500).blocks.len(), 0);
}

#[test]
fn hits_and_outlines_keep_to_what_they_reserved() {
    let deep = "very-long-folder-name-that-says-nothing-at-all/".repeat(12);
    let headings: String =
        (0..2_000).map(|n| format!("## Heading number {n} with words\n\n### Below {n}\n\nHeap text.\n\n")).collect();
    let collection = Collection::new(&[(&format!("{deep}a.md"), &headings), ("b.md", "# B\n\nA heap.\n")]);
    let library = collection.library();
    for limit in [0, 1, 10, 50, 1_000] {
        let result = ToolResult::Hits(library.search(&"heap".into(), limit).unwrap());
        assert!(result.used().tokens() <= reserved(builtin::Search::new("heap", limit)), "{limit}");
    }
    let source = search(&library, "number").hits[0].source.id.clone();
    let result = ToolResult::Outline(library.outline(&source).unwrap());
    assert!(result.used().tokens() <= reserved(builtin::Outline { source }));
}
