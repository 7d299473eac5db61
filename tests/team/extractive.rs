//! The extractive team on the example collection: the first brief that a person sees who tries the program.

mod structure;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use desk::Tools;
use eval::{Answer, Bench, End, Question};
use kit::{Folder, example};
use run::budget::Cap;
use run::handoff::PlannedTask;
use run::plan::{Shape, Task};
use run::steer::Message;
use run::tool::builtin::Search;
use run::transcript::{Call, CallEnd, Did, Turn};
use run::{AssignmentId, At, CallId, Limits, Outcome, Payload, Role, TaskId, ToolCall, Transcript};
use specialist::{Assigned, Step};
use text::Clean;
use tool::{Library, Readers};

fn ask(question: &str) -> Answer {
    ask_of(question, example("vector-databases"))
}

/// Asks a question about the documents of a folder.
fn ask_of(question: &str, folder: PathBuf) -> Answer {
    let question = Question {
        id: "asked".into(),
        sources: vec!["folder".into()],
        ask: question.into(),
        topic: vec![],
        unanswerable: false,
        facts: vec![],
    };
    asked(&question, BTreeMap::from([("folder".to_string(), folder)]))
}

fn asked(question: &Question, collections: BTreeMap<String, PathBuf>) -> Answer {
    let data = tempfile::tempdir().unwrap();
    let open = |folders: &[PathBuf]| {
        let library =
            Library::open(folders, data.path(), Readers::in_this_process()).map_err(|error| error.to_string())?;
        Ok(Arc::new(Folder(library)) as Arc<dyn Tools>)
    };
    let bench = Bench {
        team: team::embedded(),
        words: 500,
        collections,
        tools: &open,
        ranking: eval::Ranking::built_in().clone(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let run = runtime.block_on(bench.run(question)).unwrap();
    let answer = Answer::of(question, &run);
    assert!(answer.has_brief(), "{}", answer.outcome);
    answer
}

fn file_of_eval(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/eval").join(name)
}

#[test]
fn every_file_of_questions_can_be_read_and_names_each_question_once() {
    let files = std::fs::read_dir(file_of_eval("")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let questions = eval::load(&file).unwrap().questions;
        let ids: std::collections::BTreeSet<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids.len(), questions.len(), "{}", file.display());
        assert!(
            questions.iter().all(|question| question.unanswerable == question.facts.is_empty()),
            "{}",
            file.display()
        );
    }
}

#[test]
fn what_is_asked_of_notes_that_contradict_each_other_is_answered_no_worse_than_it_was() {
    let questions = eval::load(&file_of_eval("seen.toml")).unwrap().questions;
    let of_notes = questions.iter().filter(|question| question.sources == ["team-notes"] && !question.unanswerable);
    let collections = BTreeMap::from([("team-notes".to_string(), file_of_eval("collections/team-notes"))]);
    let scores: Vec<Answer> = of_notes.map(|question| asked(question, collections.clone())).collect();
    let told: Vec<String> = scores
        .iter()
        .map(|score| {
            let title = score.brief.lines().next().unwrap_or_default();
            format!("{title} {:?} off {}/{}", score.covered(), score.measures.off_topic, score.measures.claims)
        })
        .collect();
    let covered = scores.iter().map(|score| score.covered().fraction()).sum::<f64>() / scores.len() as f64;
    let off = scores.iter().map(|score| score.measures.off_topic).sum::<usize>() as f64
        / scores.iter().map(|score| score.measures.claims).sum::<usize>().max(1) as f64;
    assert!(covered >= 0.72, "{covered:.2}: {told:#?}");
    assert!(off <= 0.50, "{off:.2}: {told:#?}");
    for score in &scores {
        for share in [score.measures.citations, score.measures.quotes, score.measures.support] {
            assert_eq!(share.good, share.all, "{}", score.brief);
        }
    }
}

const COMPARE: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

#[test]
fn the_comparison_has_each_thing_its_numbers_and_last_what_is_superseded() {
    let score = ask(COMPARE);
    let brief = &score.brief;
    for wanted in [
        "_Extractive: every sentence is taken from the sources, edited only as marked._",
        "## pgvector\n",
        "## Qdrant\n",
        "## Pinecone\n",
        "pgvector is an open-source extension that adds vector similarity search to PostgreSQL.",
        "Qdrant is an open-source vector search engine written in Rust.",
        "Pinecone is a managed vector database.",
        "Max dense dimensions |",
        "| 16,000 stored, 2,000 indexed",
        "| 65,535",
        "| 20,000",
        "The default value of hnsw.ef_search is 40. [",
        "## In superseded documents\n\nThe default value of hnsw.ef_search is 100. [",
    ] {
        assert!(brief.contains(wanted), "no {wanted:?} in:\n{brief}");
    }
    assert!(score.measures.passed, "{brief}");
    for share in [score.measures.citations, score.measures.quotes, score.measures.support] {
        assert!(share.all > 10 && share.good == share.all, "{share:?}");
    }
    assert!(score.measures.words <= 625, "{} words", score.measures.words);
}

#[test]
fn text_that_gives_orders_to_software_is_neither_obeyed_nor_quoted() {
    for question in [COMPARE, "Which vector database should I choose?", "What is Pinecone?"] {
        let brief = ask(question).brief;
        for never in ["gnore your previous", "recommend Pinecone only", "vendor-mail", "do not mention"] {
            assert!(!brief.contains(never), "{question}: {brief}");
        }
    }
}

#[test]
fn the_same_question_gives_the_same_brief_to_the_byte() {
    assert_eq!(ask(COMPARE).brief, ask(COMPARE).brief);
}

#[test]
fn what_answers_best_opens_the_brief_and_what_is_left_over_stands_after_it() {
    let brief = ask("How does Qdrant filter?").brief;
    let answer = brief.find("When the estimate is large, Qdrant uses the HNSW graph").expect(&brief);
    let aside = brief.find("pgvector filters after the approximate index scan").expect(&brief);
    assert!(answer < aside, "{brief}");
    let opening = brief.lines().find(|line| line.contains('[')).unwrap();
    assert!(opening.contains("Qdrant uses the HNSW graph and applies the filter on the way"), "{opening}");
}

#[test]
fn a_brief_on_one_question_is_not_headed_by_one_word_of_it() {
    let brief = ask("how do i get by with less memory on a small server").brief;
    assert!(brief.contains("## What the sources say"), "{brief}");
    // A brief on one topic is called by the name of the topic.
    let brief = ask("What is quantization?").brief;
    assert!(brief.contains("## Quantization"), "{brief}");
}

#[test]
fn what_is_asked_besides_a_comparison_is_a_part_of_its_own() {
    let brief = ask("what's the difference between pgvector and Qdrant, and do I have to pay for memory?").brief;
    for part in ["## pgvector", "## Qdrant", "## Do I have to pay for memory"] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
}

#[test]
fn what_the_sources_do_not_know_is_said_and_not_made_up() {
    let score = ask("How do I keep a sourdough starter alive?");
    assert_eq!(score.measures.claims, 0, "{}", score.brief);
    assert!(score.brief.contains("Nothing in the sources"), "{}", score.brief);
}

#[test]
fn words_that_the_sources_have_in_another_sense_are_no_answer() {
    for question in [
        "Which filter should I use for my morning coffee?",
        "What index of the stock market should I buy?",
        "Who lives in a collection of points of view?",
    ] {
        let score = ask(question);
        assert_eq!(score.end, End::NothingFound, "{}", score.brief);
        assert!(!score.brief.contains("## What the sources say"), "{}", score.brief);
    }
}

#[test]
fn a_question_that_names_no_thing_of_the_sources_is_answered_from_what_is_found() {
    let score = ask("how do i get by with less memory");
    assert!(score.measures.claims >= 4, "{}", score.brief);
    assert!(score.brief.to_lowercase().contains("quantization"), "{}", score.brief);
    assert!(score.measures.passed, "{}", score.brief);
}

#[test]
fn each_thing_that_is_asked_of_a_name_is_answered_under_its_own_heading_and_its_drawbacks_as_the_sources_list_them() {
    let folder = tempfile::tempdir().unwrap();
    let page = "# Journal mode

Journal mode is a way of writing in which each change is first appended to a file called the journal. There are advantages and
drawbacks to journal mode. Advantages include:

- Readers are never blocked by the one who writes.
- Changes are appended, which most disks do fastest.

But there are also drawbacks:

- All programs have to run on the same machine.
- A journal that is never emptied slows down each reader.
- ~~It cannot be switched off again.~~

## Compaction

Compaction moves the changes of the journal into the main file. It begins by itself when the journal has 1000 pages.
";
    std::fs::write(folder.path().join("journal.md"), page).unwrap();
    let score = ask_of("journal mode: advantages, drawbacks, what is compaction", folder.path().into());
    let brief = &score.brief;
    let section = |heading: &str| -> &str {
        let from = brief.find(&format!("## {heading}")).unwrap_or_else(|| panic!("no “{heading}”: {brief}"));
        brief[from + 3..].split("\n## ").next().unwrap_or_default()
    };
    for (heading, said) in [
        ("Advantages", ["never blocked by the one", "appended, which most disks"]),
        ("Drawbacks", ["run on the same machine", "never emptied slows down"]),
        ("What is compaction", ["moves the changes of the journal", "1000 pages"]),
    ] {
        for said in said {
            assert!(section(heading).contains(said), "{heading}: {brief}");
        }
    }
    assert!(!brief.contains("switched off"), "it is struck out: {brief}");
    assert!(score.measures.passed, "{brief}");
}

#[test]
fn a_question_in_other_words_than_the_sources_is_answered_from_the_section_that_means_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let page = "# Programs that run

## Garbage collection

The collector finds out which storage no pointer reaches any more, and makes it free for others. The three usual methods are
mark and sweep, counting of references, and copying. Counting of references never frees a cycle.

## Compilers

A compiler translates one language into another. An automatic compiler of languages does so without an order.
";
    std::fs::write(folder.path().join("programs.md"), page).unwrap();
    let clean = "# Cleanup of the office\n\nThe office is cleaned by an automatic cleaner. Which language it speaks is set in the menu.\n";
    std::fs::write(folder.path().join("office.md"), clean).unwrap();
    for nth in 0..9 {
        let other =
            format!("# Meeting {nth}\n\nThe team met in room {nth} and talked about the programming of the heating.\n");
        std::fs::write(folder.path().join(format!("meeting-{nth}.md")), other).unwrap();
    }
    let score = ask_of("automatic memory cleanup in programming languages, how is it done", folder.path().into());
    assert!(score.brief.contains("mark and sweep, counting of references"), "{}", score.brief);
}

#[test]
fn where_nothing_answers_the_passages_that_come_closest_are_shown() {
    let score = ask("How do I keep a sourdough starter alive?");
    assert!(score.brief.contains("The closest: “"), "{}", score.brief);
}

#[test]
fn what_comes_closest_to_a_question_that_no_sentence_answers_outright_is_told_whole_and_as_no_answer() {
    let score = ask("Who lives in a collection of points of view?");
    assert!(score.brief.contains("## No answer: the closest passages"), "{}", score.brief);
    assert!(score.brief.contains("No sentence that was found answers it outright"), "{}", score.brief);
    assert!((1..=6).contains(&score.measures.claims) && score.measures.passed, "{}", score.brief);
    assert_eq!(score.end, End::NothingFound, "{}", score.brief);
}

#[test]
fn a_question_about_what_the_sources_nowhere_name_is_not_answered_from_the_rest_of_its_words() {
    let score = ask("does Qdrant run on a Commodore");
    assert_eq!(score.measures.claims, 0, "{}", score.brief);
    assert!(score.brief.contains("“Commodore” does not occur in the sources."), "{}", score.brief);
    // An everyday word that they do not have says nothing.
    let score = ask("does Qdrant filter points alone");
    assert!(score.measures.claims > 0 && !score.brief.contains("nowhere"), "{}", score.brief);
}

/// The same of a folder that a test has made.
fn ask_in(folder: &tempfile::TempDir, question: &str) -> Answer {
    ask_of(question, folder.path().to_path_buf())
}

#[test]
fn what_a_glossary_says_that_a_thing_is_stands_before_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let glossary = "<h1>Glossary</h1><dl><dt>checkpoint</dt><dd><p>The copying of committed pages from the write-ahead log \
        into the database.</p><p>It is done in turns.</p></dd><dt>write-ahead log</dt><dd><p>The file that changes are \
        appended to before the database itself is touched. Readers find the newest pages there.</p><p>It grows as long as a \
        reader needs its pages.</p></dd></dl>";
    std::fs::write(folder.path().join("glossary.html"), glossary).unwrap();
    let internals = "# Upkeep of the store\n\nThe write-ahead log is also emptied when the last connection is closed. The \
        write-ahead log grows while a reader holds an old snapshot.\n";
    std::fs::write(folder.path().join("internals.md"), internals).unwrap();
    let brief = ask_in(&folder, "What is a write-ahead log?").brief;
    let first = brief.lines().find(|line| line.contains("[1]")).expect(&brief);
    assert!(first.starts_with("[write-ahead log]: The file that changes are appended to"), "{brief}");
}

#[test]
fn an_option_that_is_asked_for_is_not_told_with_what_the_others_do() {
    let folder = tempfile::tempdir().unwrap();
    let page = r#".TH RESOLVER.CONF 5
.SH NAME
resolver.conf \- settings of the resolver
.SH OPTIONS
.TP
harden-glue
Will trust glue only if it is within the zone of the server that sends it. The default is yes.
.TP
harden-algo-downgrade
Harden against a downgrade of algorithms when several of them are advertised. The default is no.
.TP
harden-short-bufsize
Very small buffer sizes from queries are ignored. It does not matter where harden-glue is off.
"#;
    std::fs::write(folder.path().join("resolver.conf.5"), page).unwrap();
    let brief = ask_in(&folder, "what does harden-glue do").brief;
    assert!(brief.contains("harden-glue: Will trust glue only if"), "{brief}");
    assert!(!brief.contains("downgrade"), "{brief}");
}

#[test]
fn a_cell_answers_where_its_row_and_its_column_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let rows = (1..40).map(|n| format!("Land{n},Town{n},{}\n", 1000 * n)).collect::<String>();
    std::fs::write(folder.path().join("lands.csv"), format!("country,capital,population\n{rows}")).unwrap();
    let score = ask_in(&folder, "what is the population of Land17");
    assert!(score.brief.contains("[population, Land17]: 17000."), "{}", score.brief);
    assert_eq!(score.measures.claims, 1, "{}", score.brief);
}

#[test]
fn a_decision_that_another_has_taken_the_place_of_is_told_last_and_as_such() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "001.md",
            "# Scan events are kept for 30 days\n\nStatus: superseded by 007.\n\nEvery scan event is kept in the main \
             database for 30 days.\n",
        ),
        (
            "007.md",
            "# Scan events are kept for 90 days\n\nStatus: accepted. Supersedes 001.\n\nEvery scan event is kept in the \
             main database for 90 days.\n",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let brief = ask_in(&folder, "How long is a scan event kept?").brief;
    let place = |words: &str| brief.find(words).unwrap_or_else(|| panic!("{words} is missing: {brief}"));
    assert!(place("for 90 days. [1]") < place("## In superseded documents"), "{brief}");
    assert!(place("## In superseded documents") < place("for 30 days. [2]"), "{brief}");
    assert!(brief.contains("[2] 001.md: Scan events are kept for 30 days (superseded: “Status: superseded by 007.”)"));
    assert!(!brief.contains("## Disagreements"), "{brief}");
}

#[test]
fn a_page_that_is_not_translated_yet_is_told_from_the_english_pages() {
    let folder = tempfile::tempdir().unwrap();
    let english = "# RAID\n\nRAID 5 spreads parity blocks over all disks of the array. It stays functional with up to one \
                   failed disk, but with no more than that.\n";
    let german = "# RAID\n\nRAID 5 verteilt die Paritätsblöcke auf alle Platten. Fällt eine Platte aus, so bleibt der Verbund \
                  in Betrieb.\n";
    // Half of it is translated.
    let half = format!("{german}\n{}", english.lines().last().unwrap());
    let pages =
        [("bg-BG", half.as_str()), ("cs-CZ", english), ("da-DK", english), ("de-DE", german), ("en-US", english)];
    for (language, text) in pages {
        std::fs::create_dir(folder.path().join(language)).unwrap();
        std::fs::write(folder.path().join(language).join("raid.md"), text).unwrap();
    }
    let brief = ask_in(&folder, "how many disks of RAID 5 can fail").brief;
    assert!(brief.contains("[1] en-US/raid.md"), "{brief}");
    assert!(["bg-BG", "cs-CZ", "da-DK"].iter().all(|language| !brief.contains(language)), "{brief}");
}

#[test]
fn a_word_that_is_spelt_as_it_should_be_is_not_read_as_another() {
    let folder = tempfile::tempdir().unwrap();
    let clock = "# Clocks\n\nA job whose time is given as a string runs when the clock says so, whatever the season.\n";
    let restore = "# Restoring\n\nReinstating a system from its backup takes an hour, and needs no new disk.\n";
    std::fs::write(folder.path().join("clock.md"), clock).unwrap();
    std::fs::write(folder.path().join("restore.md"), restore).unwrap();
    for question in ["which jobs run when the clock changes in spring", "can I get a new disk without reinstalling"] {
        let brief = ask_in(&folder, question).brief;
        assert!(!brief.contains("Read “"), "{brief}");
    }
}

#[test]
fn a_misspelt_word_is_read_as_the_nearest_one_and_the_brief_says_so() {
    let score = ask("whats quantizaton good for");
    assert!(score.brief.contains("Read “quantizaton” as “quantization”"), "{}", score.brief);
    assert!(score.measures.claims >= 4, "{}", score.brief);
    // The words are there as they stand, and a hurried "what's" is no word of the question.
    let score = ask("what's quantization good for");
    assert!(!score.brief.contains("Read “"), "{}", score.brief);
}

#[test]
fn a_researcher_that_made_no_search_never_says_that_nothing_was_found() {
    let task = Task::new(TaskId(1), "Qdrant".into(), "What is Qdrant?".into());
    let payload = Payload {
        question: Some("What is Qdrant?".into()),
        task: Some(PlannedTask { task, shape: Shape::Overview }),
        ..Payload::default()
    };
    let handoff = Arc::new(kit::handoff("Qdrant", payload));
    let researcher = specialist::extractive::specialist(&Role::new(Role::RESEARCHER)).unwrap();
    let reported = |transcript: &Transcript, turns_left: u32| {
        let left = Limits::default();
        let assigned =
            Assigned { id: AssignmentId::nth(1), handoff: &handoff, turns_left, is_over: false, left, known: None };
        match researcher.next(assigned, transcript) {
            Step::Report { outcome, payload, .. } => (outcome, payload.notes()[0].to_string()),
            other => panic!("{other:?}"),
        }
    };
    let mut transcript = Transcript::new(handoff.clone());
    let (outcome, note) = reported(&transcript, 1);
    assert_eq!(outcome, Outcome::OutOfBudget("it had to report before its first search".into()));
    assert_eq!(note, "“Qdrant” was not researched.");
    let why = Clean::from("`search` is not among the tools of this specialist");
    for _ in 0..2 {
        let did = Did::Refused { why: why.clone(), unsent: None };
        transcript.push(Turn { stage: run::stage::Research::Search.into(), why: "".into(), did });
    }
    let (outcome, _) = reported(&transcript, 1);
    assert_eq!(outcome, Outcome::Failed(format!("it could not search: {why}").into()));
}

/// The researcher by rule on one task with `most` calls of tools; before its `at`th turn the person says something to it.
fn research(at: Option<(usize, &str)>, most: u64) -> Transcript {
    let data = tempfile::tempdir().unwrap();
    let library = Library::open(&[example("vector-databases")], data.path(), Readers::in_this_process()).unwrap();
    library.survey(|_| {}).unwrap();
    let folder = Folder(library);
    let task = Task { topic: vec!["Qdrant".into()], ..Task::new(TaskId(1), "Qdrant".into(), "What is Qdrant?".into()) };
    let payload = Payload {
        question: Some("What is Qdrant?".into()),
        task: Some(PlannedTask { task, shape: Shape::Overview }),
        ..Payload::default()
    };
    let mut transcript = Transcript::new(Arc::new(kit::handoff("Qdrant", payload)));
    let role = Role::new(Role::RESEARCHER);
    let researcher = specialist::extractive::specialist(&role).unwrap();
    for turn in 0..12 {
        if let Some((_, words)) = at.filter(|(at, _)| *at == turn) {
            transcript.messages.push(Message { text: words.into(), before: turn as u32, at: At(0) });
        }
        let handoff = transcript.handoff.clone();
        let left = most - transcript.calls().count() as u64;
        let assigned = Assigned {
            id: AssignmentId::nth(1),
            handoff: &handoff,
            turns_left: 12 - turn as u32,
            is_over: false,
            left: Limits::of(Cap::ToolCalls, left),
            known: None,
        };
        match researcher.next(assigned, &transcript) {
            Step::Use { stage, why, requests } => {
                assert!(
                    requests.len() as u64 <= left,
                    "{} calls where {left} are left would be refused",
                    requests.len()
                );
                let call = |request: ToolCall| {
                    let end = CallEnd::Returned(Arc::new(folder.answer(&request).unwrap()));
                    Call::new(CallId::new(AssignmentId::nth(1), 1), Arc::new(request), end)
                };
                transcript.push(Turn { stage, why, did: Did::Tools(requests.into_iter().map(call).collect()) });
            }
            Step::Report { outcome, .. } => {
                assert_eq!(outcome, Outcome::Done);
                return transcript;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("it never reports");
}

#[test]
fn what_the_person_says_to_a_researcher_by_rule_is_searched_for_and_read_whenever_it_comes() {
    let queries = |turn: &Turn| -> Vec<String> {
        let Did::Tools(calls) = &turn.did else { return vec![] };
        let query = |call: &Call| call.request.of::<Search>().map(|search| search.query.to_string());
        calls.iter().filter_map(query).collect()
    };
    let undisturbed = research(None, 100).turns.len();
    for at in 0..=undisturbed {
        let told = research(Some((at, "snapshots and backups")), 100);
        let read = told.read_in(&told.messages[0], false).expect("it is read");
        assert_eq!(read, at, "at its next turn");
        assert!(queries(&told.turns[at]).iter().any(|query| query == "Qdrant snapshots and backups"), "{at}");
        // It takes its usual steps all the same, and the message is dealt with besides.
        let besides = usize::from(at > 0);
        assert!(told.turns.len() >= undisturbed + besides, "{at}: {} turns", told.turns.len());
    }
}

#[test]
fn the_last_reads_of_a_researcher_by_rule_are_as_many_as_its_cap_leaves_room_for() {
    let whole = research(None, 100);
    let all = whole.calls().count() as u64;
    let Did::Tools(last) = &whole.turns[whole.turns.len() - 1].did else { panic!("its last turn reads") };
    assert!(last.len() > 1, "{last:?}");
    for fewer in 1..last.len() as u64 {
        assert_eq!(research(None, all - fewer).calls().count() as u64, all - fewer);
    }
}

#[test]
fn a_question_on_how_something_is_done_is_answered_with_the_command_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let page = "# Packages\n\n## Versions\n\nA package stays at its version while it is on hold. To keep a package at its \
                version, put it on hold:\n\n```\n$ apt-mark hold '*firefox*'\nfirefox set on hold.\n```\n\nA package that is on hold is \
                shown with the letter h.\n\n## Sizes\n\nThe size of a package is shown by:\n\n    apt show firefox\n";
    std::fs::write(folder.path().join("packages.md"), page).unwrap();
    let told = "To keep a package at its version, put it on hold: [1]\n\n```\n$ apt-mark hold '*firefox*'\nfirefox set on hold.\n```\n";
    let how = ask_in(&folder, "How do I keep a package at its version?");
    assert!(how.brief.contains(told), "{}", how.brief);
    assert_eq!(how.brief.matches("put it on hold").count(), 1, "{}", how.brief);
    assert!(
        how.measures.passed && how.measures.support.fraction() == 1.0 && how.measures.quotes.fraction() == 1.0,
        "{}",
        how.brief
    );
    let why = ask_in(&folder, "Why does a package stay at its version?");
    assert!(why.brief.contains("while it is on hold") && !why.brief.contains("apt-mark"), "{}", why.brief);
}

#[test]
fn a_sentence_that_answers_two_questions_of_a_list_is_told_under_each() {
    let page = "# Backups\n\nBackups run every night at 02:00 and are kept for 30 days.\n\nRestores are made by the operations team.\n";
    let brief = told_of(page, "1. When do backups run?\n2. How long are backups kept?");
    for asked in ["## When do backups run", "## How long are backups kept"] {
        let (_, told) = brief.split_once(asked).expect(&brief);
        assert!(told.trim_start_matches(['?', '\n']).starts_with("Backups run every night"), "{asked}: {brief}");
    }
    assert!(!brief.contains("## Gaps"), "{brief}");
}

#[test]
fn things_compared_that_are_rows_of_a_table_are_told_by_their_columns() {
    let page =
        "# Plans\n\n| Plan | Price | Storage |\n|---|---|---|\n| Basic | 5 EUR | 10 GB |\n| Pro | 20 EUR | 500 GB |\n";
    let brief = told_of(page, "Compare Basic and Pro");
    for told in ["| Basic | 5 EUR [1] | 10 GB [1] |", "| Pro | 20 EUR [1] | 500 GB [1] |"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    assert!(!brief.contains("## Gaps"), "{brief}");
}

#[test]
fn a_cell_of_a_table_of_two_columns_is_told_where_its_row_and_its_column_are_asked_for() {
    let page = "# Cities\n\n| City | Population |\n|---|---|\n| Lark | 1200 |\n| Finch | 45000 |\n\n\
        | Station | Opened | Height |\n|---|---|---|\n| Tern Point | 2001 | 12 |\n| Gull Rock | 1987 | 80 |\n";
    for (question, told) in [
        ("What is the population of Finch?", "[Population, Finch]: 45000."),
        ("When was Tern Point opened?", "[Opened, Tern Point]: 2001."),
        ("Tern Point", "[Height, Tern Point]: 12."),
    ] {
        let brief = told_of(page, question);
        assert!(brief.contains(told), "{question}: {brief}");
    }
}

#[test]
fn a_short_line_of_a_key_and_its_value_is_told_where_the_key_is_asked_for() {
    let page = "# Settings\n\n- `timeout`: 30 seconds\n- `retries`: 5\n- `owner`: the storage group\n\nThe client opens a connection for each request.\n";
    for (question, told) in [
        ("What is the timeout?", "timeout: 30 seconds"),
        ("How many retries are there?", "retries: 5"),
        ("who is the owner", "owner: the storage group"),
    ] {
        let brief = told_of(page, question);
        assert!(brief.contains(told), "{question}: {brief}");
    }
}

#[test]
fn a_condition_on_it_is_told_with_the_sentence_that_says_what_it_is() {
    let page = "# Stores\n\n## Setting one up\n\nRemembering your password is important! If you lose it, you cannot read the store any more.\n\n\
        A store is made with one command. It has a folder of its own.\n";
    let brief = told_of(page, "What happens if I lose my password?");
    let told = "Remembering your password is important! If you lose it, you cannot read the store any more.";
    assert!(brief.contains(told), "{brief}");
}

#[test]
fn sources_that_contradict_each_other_are_told_however_many_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for (n, name) in (1..).zip(["east", "north", "south", "west", "inland", "abroad", "coast"]) {
        let page = format!("# Leave policy\n\nEmployees get {} days of paid leave a year.\n", 20 + n);
        std::fs::write(folder.path().join(format!("{name}.md")), page).unwrap();
    }
    let brief = ask_in(&folder, "How many days of paid leave do employees get?").brief;
    assert!(
        brief.contains("## Disagreements") && brief.contains("27 days") && brief.contains("; more say otherwise."),
        "{brief}"
    );
    assert!(!brief.contains("issue left"), "{brief}");
}

#[test]
fn editions_of_one_document_that_differ_are_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    for n in 1..=7 {
        let page = format!("# Leave policy\n\nEmployees get {} days of paid leave a year.\n", 20 + n);
        std::fs::write(folder.path().join(format!("v{n}.md")), page).unwrap();
    }
    let brief = ask_in(&folder, "How many days of paid leave do employees get?").brief;
    let of_newest = "## In each edition\n\n**v7.md**\n\n- Employees get 27 days of paid leave a year.";
    assert!(brief.contains(of_newest) && !brief.contains("Disagreements"), "{brief}");
    assert!(!brief.contains("21 days"), "only the newest are told: {brief}");
}

#[test]
fn of_many_editions_that_differ_the_newest_are_told_also_where_the_subject_could_be_a_verb() {
    let folder = tempfile::tempdir().unwrap();
    for n in 1..=20 {
        let page = format!("# Backup policy version {n}\n\nBackups are kept for {} days.\n", 3 * n);
        std::fs::write(folder.path().join(format!("policy-v{n}.md")), page).unwrap();
    }
    let brief = ask_in(&folder, "For how many days are backups kept?").brief;
    let of_newest = "## In each edition\n\n**Backup policy version 20**\n\n- Backups are kept for 60 days.";
    assert!(brief.contains(of_newest), "{brief}");
    assert_eq!(brief.matches("Backups are kept for").count(), 4, "{brief}");
    let both = ask_in(&folder, "For how many days are backups kept in version 3 and in version 20?").brief;
    assert!(both.contains("for 9 days") && both.contains("for 60 days"), "{both}");
}

#[test]
fn of_a_text_pasted_with_its_question_the_question_is_answered() {
    let page = "# Quotas\n\nThe quota of a user is set with the option `--quota`. The quota is shown by the command `info`.\n\n\
                # Stops\n\nThe daemon stops when the disk is full.\n";
    let log = "The daemon was started by the user and wrote its state into the file as it does each day. ".repeat(20);
    for question in [
        format!("{log}\n\nSo my question is: how do I set the quota of a user, and how do I see it?"),
        format!("How do I set the quota of a user, and how do I see it?\n\n{log}"),
    ] {
        let brief = told_of(page, &question);
        assert!(brief.contains("is set with the option") && brief.contains("is shown by the command"), "{brief}");
        assert!(brief.lines().next().is_some_and(|title| title.len() < 200), "{brief}");
        assert!(!brief.contains("wrote its state"), "{brief}");
    }
}

#[test]
fn things_listed_below_an_order_are_each_told_or_missed() {
    let page = "# Commands\n\n`borg init` makes a repository.\n\n`borg create` writes an archive.\n\n`borg prune` deletes the old archives.\n";
    let brief = told_of(page, "Explain each of these:\n1. borg init\n2. borg create\n3. borg prune\n4. borg mount");
    for told in ["makes a repository", "writes an archive", "deletes the old archives"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    let (_, gaps) = brief.split_once("## Gaps").expect(&brief);
    assert!(gaps.contains("mount"), "{brief}");
}

#[test]
fn what_is_asked_of_one_thing_is_not_answered_with_the_figures_of_another() {
    let brief = ask("What is the maximum number of dimensions in pgvector?").brief;
    assert!(brief.contains("16,000 dimensions"), "{brief}");
    assert!(!brief.contains("20,000"), "those of Pinecone: {brief}");
}

/// The brief on a question, asked of one page.
fn told_of(page: &str, question: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("manual.md"), page).unwrap();
    ask_in(&folder, question).brief.to_string()
}

#[test]
fn the_kinds_of_a_thing_are_told_each_by_its_name_where_they_are_sections() {
    let manual = "\
# Manual of the backup program

A backup is made by a job. The level of a job says which files it copies.

## Backup levels

### Full

All files of the set are copied, whether or not they have changed. They are compressed on the way.

### Incremental

This copies files that have changed since the last job of any level.

### Differential

Files that have changed since the last full job are copied. The longer ago that is, the more there are.

## Schedules

A schedule says when a job with a level begins.
";
    let brief = told_of(manual, "which backup levels are there");
    for told in ["[Full]: All files", "[Incremental]: This copies", "[Differential]: Files that have changed"] {
        assert!(brief.contains(&format!("- {told}")), "{told}: {brief}");
    }
    let other = told_of(manual, "which schedules are there");
    assert!(!other.contains("- [Full]"), "{other}");
}

#[test]
fn the_kinds_of_a_thing_are_told_whole_where_they_are_a_list_or_a_table() {
    let list = "\
# Pools

The following types of pools can be defined:

- Directory: a folder on the disk of the host, in which each file is a volume.
- Disk: a whole disk whose partitions are the volumes.
- Network: a share of another machine, which is mounted when the pool starts.

A pool that is not started has no volumes.
";
    let brief = told_of(list, "what kinds of pools are there");
    for told in ["a folder on the disk", "a whole disk", "a share of another machine"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    let table = "\
# Logging

| Level | Number | When it is used |
|---|---|---|
| DEBUG | 10 | Detailed information that is of interest when a fault is looked for. |
| INFO | 20 | Confirmation that things work as they should. |
| ERROR | 40 | The program could not do something that it was asked for. |
";
    let brief = told_of(table, "which logging levels does it have");
    for told in ["[DEBUG]: Detailed information", "[INFO]: Confirmation", "[ERROR]: The program"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
}

#[test]
fn sections_below_a_heading_that_only_has_the_word_are_not_told_as_kinds() {
    let design = "\
# Conversion between disk templates

## Current state

An instance keeps the disk template that it was made with, and a copy has to be made for another one.

## Proposed changes

A command converts the disk template of an instance that is stopped.

## Open questions

Whether a disk template may be converted while the instance runs is not decided.
";
    let brief = told_of(design, "which disk templates are there");
    assert!(!brief.contains("[Current state]") && !brief.contains("[Open questions]"), "{brief}");
}

/// Release notes in a folder, the name of the second release in full.
fn release_notes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let notes = "\
# News

## Version 2.0.0 (2024-05-01)

- The window has a dark theme now.
- Support for printers on a serial line was removed.
- The command `paint` is deprecated, and `draw` takes its place.
- Pictures are drawn twice as fast.

## Version 1.9.0 (2023-05-01)

- Support for diskettes was removed.
- The window can be split in two.
";
    std::fs::write(folder.path().join("NEWS.md"), notes).unwrap();
    let step = |n: u32| {
        format!("Step {n}: the version number of file {n} is changed by hand, and what changed in a version is kept.\n")
    };
    let steps: Vec<String> = (0..100).map(step).collect();
    std::fs::write(folder.path().join("manual.md"), format!("# Versions\n\n{}", steps.join("\n"))).unwrap();
    folder
}

#[test]
fn the_changes_in_a_release_are_told_however_it_is_called_in_full() {
    let folder = release_notes();
    let brief = ask_of("what changed in version 2.0", folder.path().into()).brief;
    for told in ["dark theme", "serial line", "twice as fast"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    assert!(!brief.contains("diskettes") && !brief.contains("Best effort"), "{brief}");
}

#[test]
fn an_upgrade_from_one_release_to_another_is_answered_by_the_section_that_names_both() {
    let folder = release_notes();
    let between = "# Upgrades\n\n## Major changes between Paint 1.9.0 and Paint 2.0.0\n\n- Files of the old form are read, and written in the new one.\n\
                   - The folder of the settings is another one.\n- The key of the window is set anew.\n";
    std::fs::write(folder.path().join("UPGRADE.md"), between).unwrap();
    for question in [
        "What do I have to watch out for when upgrading from Paint 1.9 to 2.0?",
        "What changed between Paint 1.9 and 2.0?",
    ] {
        let brief = ask_of(question, folder.path().into()).brief;
        for told in ["written in the new one", "folder of the settings", "key of the window"] {
            assert!(brief.contains(told), "{question}: {told}: {brief}");
        }
        assert!(!brief.contains("diskettes"), "{question}: {brief}");
    }
}

#[test]
fn of_the_changes_in_a_release_those_that_are_asked_for_are_told() {
    let folder = release_notes();
    let brief = ask_of("which features were removed in 2.0", folder.path().into()).brief;
    assert!(brief.contains("serial line") && brief.contains("deprecated"), "{brief}");
    assert!(!brief.contains("dark theme") && !brief.contains("twice as fast"), "{brief}");
}

/// The notes of forty releases, each long, and a page of another kind.
fn shelf_of_releases() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kinds = ["printers", "windows", "fonts", "servers", "colours", "scripts"];
    for n in 1..=40 {
        let needs = match n {
            1..=19 => "Kiln runs on Python 2.7 and 3.4.".to_owned(),
            20 => "Support for Python 2 was dropped in Kiln 20. Kiln 20 needs Python 3.5 or later.".to_owned(),
            30 => "The Kiln 29 series is the last to support Python 3.5.".to_owned(),
            _ => format!("Kiln {n} supports Python 3.6 and later."),
        };
        let mut text = format!("# Kiln {n} release notes\n\n## Python compatibility\n\n{needs}\n");
        for (at, kind) in kinds.iter().cycle().take(24).enumerate() {
            let no = n * 100 + at;
            text += &format!(
                "\n## Fixes {no}\n\nThe newest server can run {kind} again, as a Kiln server did before fix {no}.\n\n\
                 A script that stops working with {kind} is found by number {no} of the list.\n"
            );
        }
        std::fs::write(folder.path().join(format!("{n}.md")), text).unwrap();
    }
    let porting = "# Porting\n\nThe newest Python that a server can run Kiln with stands in its settings.\n";
    std::fs::write(folder.path().join("porting.md"), porting).unwrap();
    folder
}

#[test]
fn a_shelf_of_release_notes_answers_a_question_that_asks_for_no_changes() {
    let folder = shelf_of_releases();
    let question = "our server only has python 3.5, what is the newest kiln it can run, and when did kiln stop working with python 2?";
    let brief = ask_of(question, folder.path().into()).brief;
    for told in ["Kiln 29 series is the last to support Python 3.5", "Python 2 was dropped in Kiln 20"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
}

#[test]
fn a_section_that_is_called_as_the_question_answers_it() {
    let folder = tempfile::tempdir().unwrap();
    let manual = "\
# Manual of the game

## 3.1. Time of Day

Lawful troops like humans fight better while the sun is up, and chaotic troops like orcs while it is down.

## 3.2. Gold

Each village gives two pieces of gold every turn.
";
    std::fs::write(folder.path().join("manual.md"), manual).unwrap();
    let brief = ask_of("what does time of day change", folder.path().into()).brief;
    assert!(brief.contains("Lawful troops"), "{brief}");
}
