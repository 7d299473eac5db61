//! The notes as people and runs leave them.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;
use run::tool::builtin::BuiltIn;

fn kept(claim: &str, quote: &str, path: &str) -> Kept {
    Kept { claim: claim.into(), quote: quote.into(), path: path.into(), line: Some(9), from: Clean::default() }
}

fn entry(question: &str, findings: &[Kept], gaps: &[&str]) -> Entry {
    Entry {
        question: question.into(),
        findings: findings.to_vec(),
        own_words: vec![],
        gaps: gaps.iter().map(|gap| Clean::from(*gap)).collect(),
    }
}

fn run(id: &str) -> RunId {
    id.parse().unwrap()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn notes(&self) -> Notes {
        Notes::at(self.path())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("memory/notes.md")
    }

    fn write(&self, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        std::fs::write(self.path(), bytes).unwrap();
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }
}

fn filters() -> Kept {
    kept("[Qdrant] filters early.", "It filters early.", "qdrant/filtering.md")
}

const ASKED: &str = "How does Qdrant filter?";

#[test]
fn what_a_run_keeps_is_recalled_by_a_related_question_and_by_no_other() {
    let folder = Folder::new();
    let notes = folder.notes();
    assert!(notes.recall(ASKED, 8, |_| true).unwrap().is_empty(), "no notes are no error");
    let gap = "Nothing was found on “pricing” of Qdrant.";
    let written = notes.remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters()], &[gap])).unwrap();
    assert_eq!((written.added, written.known, written.gaps), (1, 0, 1));
    let recalled = notes.recall("What does Qdrant do when it filters?", 8, |_| true).unwrap();
    assert_eq!(recalled.findings, [Kept { from: "run 7f3k2m".into(), ..filters() }]);
    assert_eq!((recalled.gaps.as_slice(), recalled.of), (&[Clean::from(gap)][..], 1));
    assert!(notes.recall("How long does sourdough bread need to proof?", 8, |_| true).unwrap().is_empty());
}

#[test]
fn what_is_of_other_documents_than_those_of_the_run_is_left_aside() {
    let folder = Folder::new();
    let notes = folder.notes();
    let elsewhere = Kept { path: "elsewhere.md".into(), ..filters() };
    notes.remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters(), elsewhere], &[])).unwrap();
    let recalled = notes.recall(ASKED, 8, |path| path != "elsewhere.md").unwrap();
    assert_eq!(recalled.findings, [Kept { from: "run 7f3k2m".into(), ..filters() }]);
    let told = "1 finding is in documents that are not among the sources of this run.";
    assert!(recalled.left_aside.iter().any(|line| line.as_str() == told), "{:?}", recalled.left_aside);
}

#[test]
fn the_file_is_markdown_for_people_and_for_this_user_alone() {
    let folder = Folder::new();
    let entry = entry("# Why\n## so?", &[filters()], &["Nothing was found on “pricing”."]);
    folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).unwrap();
    let text = folder.text();
    let (head, section) = text.split_at(text.find("\n## ").unwrap() + 1);
    assert!(head.starts_with("# Notes of masthead\n\n<!--\n") && head.ends_with("-->\n\n"), "{head}");
    assert_eq!(
        section,
        "## # Why ## so?\n\n2026-11-21 · run 7f3k2m\n\n- [Qdrant] filters early.\n  > It filters early.\n  > — qdrant/filtering.md:9\n\nNot found:\n\n- Nothing was found on “pricing”.\n"
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.path()), mode(folder.path().parent().unwrap())), (0o600, 0o700));
    assert_eq!(std::fs::read_dir(folder.path().parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_run_that_writes_again_after_a_crash_changes_nothing_and_says_the_same() {
    let folder = Folder::new();
    let entry = entry(ASKED, &[filters()], &[]);
    let first = folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).unwrap();
    let text = folder.text();
    assert_eq!(folder.notes().remember(&run("7f3k2m"), "2026-11-22", &entry).unwrap(), first);
    assert_eq!(folder.text(), text);
}

#[test]
fn what_is_in_the_notes_already_is_not_added_again() {
    let folder = Folder::new();
    let notes = folder.notes();
    notes.remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters()], &["A gap."])).unwrap();
    let before = folder.text();
    let written = notes.remember(&run("a8x2qm"), "2026-11-22", &entry(ASKED, &[filters()], &["A gap."])).unwrap();
    assert_eq!((written.added, written.known, written.gaps), (0, 1, 0));
    assert_eq!(folder.text(), before, "a run with nothing new writes nothing");
    let more = kept("Qdrant walks.", "Qdrant walks.", "qdrant/walk.md");
    let written =
        notes.remember(&run("b9y3rn"), "2026-11-23", &entry("More?", &[filters(), more], &["A gap."])).unwrap();
    assert_eq!((written.added, written.known, written.gaps), (1, 1, 1), "it is no gap of another question");
    let added = folder.text()[before.len()..].to_string();
    assert!(
        added.starts_with("\n## More?\n\n2026-11-23 · run b9y3rn · 1 more stood in these notes already\n"),
        "{added}"
    );
    assert_eq!(added.matches("  > — ").count(), 1);
    assert_eq!(notes.survey().unwrap().runs, 2, "the line below the heading is still read");
}

/// The person's edits of the file, and the notes that are then recalled: findings, own words, and findings without a source.
#[test]
fn people_may_edit_reorder_delete_and_add_lines_of_their_own() {
    let section = "## How does Qdrant filter?\n\n2026-11-21 · run 7f3k2m\n\n";
    let finding = "- Qdrant filters early.\n  > It filters early.\n  > — qdrant/filtering.md:9\n";
    for (what, text, findings, own, without_source) in [
        ("as it was", format!("{section}{finding}"), 1, vec![], 0),
        ("windows line ends and a mark", format!("\u{feff}{section}{finding}").replace('\n', "\r\n"), 1, vec![], 0),
        (
            "the claim in other words",
            format!("{section}{}", finding.replace("- Qdrant filters early.", "- Early filters are what Qdrant has.")),
            1,
            vec![],
            0,
        ),
        (
            "another mark and no indent",
            format!("{section}* Qdrant filters early.\n> It filters early.\n> — qdrant/filtering.md\n"),
            1,
            vec![],
            0,
        ),
        (
            "wrapped",
            format!("{section}- Qdrant\n  filters early.\n  > It filters\n  > early.\n  > — qdrant/filtering.md:9\n"),
            1,
            vec![],
            0,
        ),
        (
            "without the claim",
            format!("{section}> It filters early in Qdrant.\n> — qdrant/filtering.md:9\n"),
            1,
            vec![],
            0,
        ),
        ("without the line of the run", format!("## How does Qdrant filter?\n\n{finding}"), 1, vec![], 0),
        (
            "a line below it",
            format!("{section}{finding}  Seen in Qdrant 1.9 too.\n"),
            1,
            vec!["Seen in Qdrant 1.9 too."],
            0,
        ),
        (
            "an item of their own",
            format!("{section}{finding}- We use Qdrant at work,\n  with filters.\n"),
            1,
            vec!["We use Qdrant at work, with filters."],
            0,
        ),
        (
            "a section of their own",
            format!("## Qdrant at work\n\nTwo nodes,\nno filters.\n\nAsk Ada.\n\n{section}{finding}"),
            1,
            vec!["Two nodes, no filters.", "Ask Ada."],
            0,
        ),
        ("half an entry", format!("{section}- Qdrant filters early.\n  > It filters early.\n"), 0, vec![], 1),
        (
            "a source without a name",
            format!("{section}- Qdrant filters early.\n  > It filters early.\n  > —\n"),
            0,
            vec![],
            1,
        ),
        ("a comment", format!("{section}<!-- Qdrant filters badly\n- Qdrant filters -->\n{finding}"), 1, vec![], 0),
        (
            "a comment nobody closes",
            format!("<!-- Qdrant and filters\n\n{section}{finding}"),
            1,
            vec!["<!-- Qdrant and filters"],
            0,
        ),
        ("torn in the middle", format!("{section}- Qdrant filters early.\n  > It fil"), 0, vec![], 1),
        ("twice", format!("{section}{finding}\n{section}{finding}"), 1, vec![], 0),
        ("nothing", String::new(), 0, vec![], 0),
    ] {
        let folder = Folder::new();
        folder.write(&text);
        let recalled = folder.notes().recall("Does Qdrant filter?", 8, |_| true).unwrap();
        assert_eq!(recalled.findings.len(), findings, "{what}: {recalled:?}");
        assert!(recalled.findings.iter().all(|it| it.quote.starts_with("It filters early")), "{what}: {recalled:?}");
        assert_eq!(recalled.own_words, own, "{what}");
        assert_eq!(recalled.left_aside.len(), without_source, "{what}: {recalled:?}");
        // For any edit, a run adds to its end and leaves every line as it was.
        let more = kept("Qdrant walks.", "Qdrant walks.", "qdrant/walk.md");
        folder.notes().remember(&run("b9y3rn"), "2026-11-23", &entry("More?", &[more], &[])).unwrap();
        assert!(folder.text().starts_with(&text), "{what}");
        assert_eq!(folder.notes().recall("Who walks?", 8, |_| true).unwrap().findings.len(), 1, "{what}");
    }
}

#[test]
fn a_file_that_cannot_be_used_is_named_and_left_as_it_is() {
    let entry = entry(ASKED, &[filters()], &[]);
    for (what, bytes) in [
        ("not text", &b"## Caf\xe9\n\nlatin1\n"[..]),
        ("a binary", b"\x7fELF\0\0\0\x01"),
        ("utf-16", b"\xff\xfe#\0 \0"),
    ] {
        let folder = Folder::new();
        folder.write(bytes);
        for error in [
            folder.notes().recall(ASKED, 8, |_| true).unwrap_err(),
            folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).unwrap_err(),
            folder.notes().survey().unwrap_err(),
        ] {
            assert!(matches!(error, NotesError::NotText { .. }), "{what}: {error}");
            assert!(error.to_string().contains("memory/notes.md"), "{error}");
        }
        assert_eq!(std::fs::read(folder.path()).unwrap(), bytes, "{what}");
    }
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path()).unwrap();
    let error = folder.notes().recall(ASKED, 8, |_| true).unwrap_err().to_string();
    assert!(error.contains("it is no file"), "{error}");
    assert!(folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).is_err());
    let folder = Folder::new();
    folder.write("Mine.\n");
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o444)).unwrap();
    let error = folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    assert_eq!(folder.text(), "Mine.\n");
}

#[test]
fn a_pipe_in_the_place_of_the_file_keeps_nobody_waiting() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path(), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    assert!(folder.notes().recall(ASKED, 8, |_| true).is_err());
    assert!(folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters()], &[])).is_err());
}

#[test]
fn of_large_notes_the_newest_are_read_and_it_is_said() {
    let folder = Folder::new();
    let filler = "An old line über Qdrant that filters.\n\n".repeat(40_000);
    folder.write(format!("## Old\n\n{filler}## New\n\n2026-11-21 · run 7f3k2m\n\n- Qdrant filters early.\n  > It filters early.\n  > — qdrant/filtering.md:9\n"));
    let recalled = folder.notes().recall(ASKED, 8, |_| true).unwrap();
    assert_eq!(recalled.findings.len(), 1);
    assert_eq!(recalled.left_aside, ["Only the newest 1 MiB of 1 MiB of notes were read."]);
    assert!(!folder.notes().survey().unwrap().whole);
    folder.write(vec![b'x'; usize::try_from(MOST_KEPT).unwrap()]);
    let error = folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters()], &[])).unwrap_err();
    assert!(matches!(error, NotesError::TooLarge { .. }), "{error}");
}

#[test]
fn what_is_recalled_is_bounded_by_what_was_held_for_it() {
    let folder = Folder::new();
    let long = |n: usize, words: usize| {
        let quote = format!("Qdrant filters {n} {}", "and walks ".repeat(words));
        kept(&quote, quote.trim(), "qdrant/filtering.md")
    };
    let findings: Vec<Kept> = (0..60).map(|n| long(n, if n % 7 == 0 { 200 } else { 60 })).collect();
    let mut entry = entry(ASKED, &findings, &[]);
    entry.own_words = (0..40).map(|n| format!("Qdrant filters {n} {}", "as I said ".repeat(200)).into()).collect();
    entry.gaps = (0..40).map(|n| format!("Qdrant filters {n}: {}", "not found ".repeat(200)).into()).collect();
    folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry).unwrap();
    for limit in [1, 8, 12, 5_000] {
        let recalled = folder.notes().recall(ASKED, limit, |_| true).unwrap();
        let most = limit.min(Recall::MOST);
        assert_eq!(recalled.findings.len(), most as usize);
        assert_eq!(recalled.left_aside.len(), 2, "{:?}", recalled.left_aside);
        let reserved = Recall::spec().reservation(&Recall { query: ASKED.into(), limit }.into()).tokens();
        let used = run::ToolResult::Recollection(recalled).used().tokens();
        assert!(used <= reserved, "{limit}: {used} of {reserved}");
    }
}

#[test]
fn many_runs_write_at_the_same_time_and_none_is_lost() {
    let folder = Folder::new();
    folder.write("My own line.\n");
    std::thread::scope(|scope| {
        for n in 0..12 {
            let notes = folder.notes();
            scope.spawn(move || {
                let finding = kept("Qdrant filters.", &format!("Qdrant filters {n}."), "qdrant/filtering.md");
                notes.remember(&run(&format!("run{n}")), "2026-11-21", &entry(ASKED, &[finding], &[])).unwrap();
            });
        }
    });
    assert!(folder.text().starts_with("My own line.\n\n## "));
    let survey = folder.notes().survey().unwrap();
    assert_eq!((survey.runs, survey.findings, survey.own_words), (12, 12, 1));
}

#[test]
fn what_the_person_saves_while_a_run_writes_is_not_lost() {
    let folder = Folder::new();
    folder.write("Before.\n");
    let mut saved = false;
    file::append(&folder.path(), |text| {
        // Between reading and writing an editor saves the file, as editors do.
        if !std::mem::replace(&mut saved, true) {
            folder.write("Before, and more by hand.\n");
        }
        Some(format!("Added to {} bytes.\n", text.len()))
    })
    .unwrap();
    assert_eq!(folder.text(), "Before, and more by hand.\n\nAdded to 26 bytes.\n");
}

#[test]
fn a_quote_of_several_lines_is_kept_to_the_letter_and_known_to_the_next_run() {
    let quote = "match it {\n    Some(a) => a, \\\n\n    -- a comment\n} \\";
    let folder = Folder::new();
    let finding = kept("It matches.", quote, "src/guide.md");
    let written = folder
        .notes()
        .remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, std::slice::from_ref(&finding), &[]))
        .unwrap();
    assert_eq!((written.added, written.known), (1, 0));
    let back = folder.notes().recall("What does it match?", 8, |_| true).unwrap();
    assert_eq!(back.findings[0].quote, quote);
    let again = folder.notes().remember(&run("b9y3rn"), "2026-11-22", &entry(ASKED, &[finding], &[])).unwrap();
    assert_eq!((again.added, again.known), (0, 1));
    // Lines that a person has wrapped are one.
    folder.write("## Mine\n\n- It matches.\n  > It matches\n  > what is there.\n  > — src/guide.md:9\n");
    let back = folder.notes().recall("What does it match?", 8, |_| true).unwrap();
    assert_eq!(back.findings[0].quote, "It matches what is there.");
}

#[test]
fn a_link_stays_one_and_the_rights_that_the_person_gave_stay() {
    let folder = Folder::new();
    let own = folder.0.path().join("own.md");
    std::fs::write(&own, "Mine.\n").unwrap();
    std::fs::set_permissions(&own, Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(folder.path().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&own, folder.path()).unwrap();
    folder.notes().remember(&run("7f3k2m"), "2026-11-21", &entry(ASKED, &[filters()], &[])).unwrap();
    assert!(std::fs::symlink_metadata(folder.path()).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&own).unwrap().contains("run 7f3k2m"));
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o640);
}

proptest! {
    #[test]
    fn what_is_kept_comes_back_to_the_letter_whatever_it_says(
        question in "\\PC{0,40}",
        quotes in prop::collection::btree_set("[^\\s\\pC](\\PC{0,60}[^\\s\\pC])?", 1..5),
        path in "[^\\s\\pC](\\PC{0,20}[^\\s\\pC:])?",
    ) {
        let findings: Vec<Kept> = quotes
            .iter()
            .map(|quote| kept(quote, quote, &path))
            .filter(|it| !Clean::line(&it.quote).is_empty() && !Clean::line(&it.path).trim_start_matches(['—', '-']).trim().is_empty())
            .filter(|it| *Clean::line(&it.quote) == *it.quote && *Clean::line(&it.path) == *it.path)
            .filter(|it| !it.path.starts_with(['—', '-']))
            .collect();
        let text = markdown::section(&run("7f3k2m"), "2026-11-21", &entry(&question, &findings, &["A gap."]), 0);
        let sections = markdown::parse(&text);
        let of_run = sections.iter().find(|section| section.run == Some(run("7f3k2m"))).unwrap();
        let back: Vec<Kept> = of_run.findings.iter().map(|it| Kept { from: Clean::default(), ..it.clone() }).collect();
        prop_assert_eq!(back, findings);
        prop_assert_eq!(&of_run.gaps, &["A gap."]);
        prop_assert!(of_run.own_words.is_empty() && of_run.without_source == 0);
    }

    #[test]
    fn reading_never_fails_and_adding_changes_no_line(text in "([-*#> —:.a-zA-Z0-9<!\\n\\r·]|## |> — |- |run 7f3k2m){0,120}") {
        let folder = Folder::new();
        folder.write(&text);
        folder.notes().recall(ASKED, 8, |_| true).unwrap();
        folder.notes().remember(&run("b9y3rn"), "2026-11-23", &entry(ASKED, &[filters()], &[])).unwrap();
        prop_assert!(folder.text().starts_with(&text));
    }
}
