//! The journal: appended events are there, damage is found, one process at a time. The suite is run over each kind of store; the
//! tests of files alone come after it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use journal::{
    self, Claim, Claimed, Deleted, Headline, Journal, JournalError, Reader, SqliteJournal, Store, Tail, Worker,
};
use run::event::{Envelope, Event, Opening};
use run::foreign::{Format, Imported, Origin};
use run::{At, Limits, Run, RunId, Seq};

fn id(name: &str) -> RunId {
    name.parse().unwrap()
}

fn opened(run: &RunId) -> Event {
    let opening = Opening { run: run.clone(), ..kit::opening(team::embedded(), Limits::default()) };
    Event::RunOpened(Arc::new(opening))
}

fn envelopes(run: &RunId, from: u64, to: u64) -> Vec<Envelope> {
    let event = |seq| {
        if seq == 1 {
            opened(run)
        } else {
            Event::Attached { version: format!("v{seq}").as_str().into(), worked_until: None }
        }
    };
    (from..=to).map(|seq| Envelope { seq: Seq(seq), at: At(1_000 + seq as i64), event: event(seq) }).collect()
}

fn headline(run: &RunId, to: u64) -> Headline {
    Headline::of(&Run::fold(&envelopes(run, 1, to))).unwrap()
}

/// An empty place for a journal, which is gone after the test.
enum Place {
    File {
        path: PathBuf,
        _folder: tempfile::TempDir,
    },
    #[cfg(feature = "postgres")]
    Database {
        server: &'static kit::Postgres,
        url: String,
    },
}

impl Place {
    fn file() -> Option<Place> {
        let folder = tempfile::tempdir().unwrap();
        Some(Place::File { path: journal::path(&folder.path().join("data")), _folder: folder })
    }

    /// None where no server can be started, which is then said.
    #[cfg(feature = "postgres")]
    fn database() -> Option<Place> {
        let server = kit::Postgres::server()?;
        Some(Place::Database { server, url: server.database() })
    }

    /// Another of its kind.
    fn another(&self) -> Place {
        match self {
            Place::File { .. } => Place::file(),
            #[cfg(feature = "postgres")]
            Place::Database { .. } => Place::database(),
        }
        .expect("there was one before")
    }

    /// The number of tries for a fault that shows only in some of them.
    fn tries(&self) -> usize {
        match self {
            Place::File { .. } => 20,
            #[cfg(feature = "postgres")]
            Place::Database { .. } => 5,
        }
    }

    /// The journal there, as a process of its own sees it.
    fn store(&self) -> Arc<dyn Store> {
        match self {
            Place::File { path, .. } => journal::at(path.to_str().unwrap()).unwrap(),
            #[cfg(feature = "postgres")]
            Place::Database { url, .. } => journal::at(url).unwrap(),
        }
    }

    fn reader(&self) -> Reader {
        self.store().read().unwrap().expect("a journal")
    }

    /// The SQL of this kind of store.
    fn tamper(&self, sql: &str) {
        match self {
            Place::File { path, .. } => tamper(path, sql),
            #[cfg(feature = "postgres")]
            Place::Database { server, url } => drop(server.sql(url, &format!("SET search_path = masthead; {sql}"))),
        }
    }

    /// Ways to damage the journal, with the messages that follow.
    fn damages(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Place::File { .. } => &[
                ("UPDATE runs SET head_hash = zeroblob(32)", "head is another"),
                ("UPDATE events SET hash = zeroblob(32) WHERE body LIKE '%v3%'", "hash does not fit"),
                ("INSERT INTO events VALUES (99 << 32, 0, '', zeroblob(32))", " to no run"),
                ("ALTER TABLE events RENAME COLUMN hash TO sum", "no such column: hash"),
            ],
            #[cfg(feature = "postgres")]
            Place::Database { .. } => &[
                ("UPDATE runs SET head_hash = ''", "head is another"),
                ("UPDATE events SET hash = '' WHERE body LIKE '%v3%'", "hash does not fit"),
                (
                    "ALTER TABLE events DROP CONSTRAINT events_run_fkey; INSERT INTO events VALUES (99, 1, 0, '', '')",
                    " to no run",
                ),
                ("ALTER TABLE events RENAME COLUMN hash TO sum", "column \"hash\" does not exist"),
            ],
        }
    }
}

/// A process that has claimed runs and appends to them.
struct Writing {
    journal: Arc<dyn Journal>,
    _claims: Vec<Claim>,
}

impl Writing {
    fn to(store: &dyn Store, runs: &[&RunId]) -> Writing {
        let claims = runs.iter().map(|run| match store.claim(run).unwrap() {
            Claimed::Ours(claim) => claim,
            Claimed::Theirs(worker) => panic!("{run} is taken by {worker}"),
        });
        Writing { _claims: claims.collect(), journal: store.write().unwrap() }
    }

    fn append(&self, run: &RunId, from: u64, to: u64) -> Result<(), JournalError> {
        append(&*self.journal, run, from, to)
    }
}

fn append(journal: &dyn Journal, run: &RunId, from: u64, to: u64) -> Result<(), JournalError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(journal.append(run, envelopes(run, from, to), headline(run, to)))
}

fn events(reader: &Reader, run: &RunId) -> Vec<Envelope> {
    let mut events = Vec::new();
    reader.events(run, |envelope| events.push(envelope)).unwrap();
    events
}

macro_rules! over_every_store {
    ($($test:ident)*) => {
        mod in_a_file {
            $(#[test] fn $test() { super::Place::file().iter().for_each(super::$test) })*
        }
        #[cfg(feature = "postgres")]
        mod in_postgres {
            $(#[test] fn $test() { super::Place::database().iter().for_each(super::$test) })*
        }
    };
}

over_every_store! {
    what_was_appended_is_read_back_in_order
    many_that_open_a_new_journal_at_once_all_get_it
    events_that_leave_a_gap_or_come_twice_are_refused_and_change_nothing
    appends_of_many_runs_at_once_all_arrive
    every_kind_of_damage_is_found_and_named
    a_follower_sees_what_another_connection_appends_and_nothing_twice
    a_run_is_found_by_the_beginning_of_its_name_if_there_is_only_one
    a_run_can_be_claimed_once_and_again_when_the_claim_is_given_back
    a_claim_knows_until_when_the_process_before_it_worked_if_that_left_a_sign
    a_list_says_of_each_run_how_it_stands_its_tags_and_whether_it_is_at_work
    a_deleted_run_is_gone_with_its_tags_and_the_others_stay
}

/// Says that the other store was not tried.
#[cfg(not(feature = "postgres"))]
#[test]
fn without_the_feature_an_address_is_refused_and_it_is_said_which_build_has_it() {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "skipped: the tests on PostgreSQL, because of no --features postgres");
    for url in ["postgres://ada:s3cret@localhost/runs", "postgresql://s3cret"] {
        let error = journal::at(url).err().expect(url).to_string();
        assert!(error.contains("--features postgres") && !error.contains("s3cret"), "{error}");
    }
}

fn what_was_appended_is_read_back_in_order(place: &Place) {
    let run = id("abcd");
    assert!(place.store().read().unwrap().is_none(), "there is none yet");
    let writing = Writing::to(&*place.store(), &[&run]);
    writing.append(&run, 1, 3).unwrap();
    writing.append(&run, 4, 5).unwrap();
    assert_eq!(events(&place.reader(), &run), envelopes(&run, 1, 5));
}

fn many_that_open_a_new_journal_at_once_all_get_it(place: &Place) {
    for _ in 0..place.tries() {
        let place = place.another();
        let together = std::sync::Barrier::new(8);
        let open = || {
            together.wait();
            place.store().write().map(drop)
        };
        thread::scope(|scope| {
            let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            opening.into_iter().for_each(|opened| opened.join().unwrap().unwrap());
        });
    }
}

fn events_that_leave_a_gap_or_come_twice_are_refused_and_change_nothing(place: &Place) {
    let (run, other) = (id("abcd"), id("efgh"));
    let writing = Writing::to(&*place.store(), &[&run, &other]);
    writing.append(&run, 1, 3).unwrap();
    for from in [1, 3, 5] {
        assert!(matches!(writing.append(&run, from, 6), Err(JournalError::Conflict { .. })), "{from}");
    }
    writing.append(&other, 1, 1).unwrap();
    assert_eq!(events(&place.reader(), &run).len(), 3);
}

fn appends_of_many_runs_at_once_all_arrive(place: &Place) {
    let runs: Vec<RunId> = (0..300u64)
        .map(|n| RunId::from_random(n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[..6].try_into().unwrap()))
        .collect();
    let writing = Writing::to(&*place.store(), &runs.iter().collect::<Vec<_>>());
    let journal = &writing.journal;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        for step in 0..3u64 {
            let appends: Vec<_> = runs
                .iter()
                .map(|run| journal.append(run, envelopes(run, step * 2 + 1, step * 2 + 2), headline(run, step * 2 + 2)))
                .collect();
            for append in appends {
                append.await.unwrap();
            }
        }
    });
    let check = place.reader().verify().unwrap();
    assert_eq!((check.runs, check.events, check.damage.len()), (300, 1_800, 0));
}

fn every_kind_of_damage_is_found_and_named(place: &Place) {
    let run = id("abcd");
    let in_all = [
        ("UPDATE events SET body = replace(body, 'v2', 'vX') WHERE body LIKE '%v2%'", "hash does not fit"),
        ("UPDATE events SET at = at + 1 WHERE body LIKE '%v3%'", "hash does not fit"),
        ("DELETE FROM events WHERE body LIKE '%v2%'", "it is missing"),
        ("DELETE FROM events WHERE body LIKE '%v4%'", "its head says 4"),
        ("UPDATE runs SET id = '../../etc/passwd'", "no proper id"),
        ("UPDATE runs SET question = 'another one'", "another question than its events"),
        ("UPDATE runs SET opened_at = 5", "another beginning than its events"),
        ("UPDATE runs SET touched_at = 5", "another last moment than its events"),
    ];
    for (sql, says) in in_all.iter().chain(place.damages()) {
        let place = place.another();
        Writing::to(&*place.store(), &[&run]).append(&run, 1, 4).unwrap();
        place.tamper(sql);
        let check = place.reader().verify().unwrap();
        assert!(check.damage.iter().any(|line| line.contains(says)), "{sql}: {:?}", check.damage);
    }
}

fn a_follower_sees_what_another_connection_appends_and_nothing_twice(place: &Place) {
    let run = id("abcd");
    let writing = Writing::to(&*place.store(), &[&run]);
    writing.append(&run, 1, 2).unwrap();
    let reader = place.reader();
    let mut tail = Tail::default();
    let mut seen = Vec::new();
    for upto in [2, 5, 5] {
        if upto > 2 && seen.len() < 5 {
            writing.append(&run, 3, 5).unwrap();
        }
        reader.events_after(&run, &mut tail, |envelope| seen.push(envelope.seq.0)).unwrap();
    }
    assert_eq!(seen, [1, 2, 3, 4, 5]);
}

fn a_run_is_found_by_the_beginning_of_its_name_if_there_is_only_one(place: &Place) {
    let names = ["abcd", "abxy", "qrst"].map(id);
    let writing = Writing::to(&*place.store(), &names.each_ref());
    names.iter().for_each(|name| writing.append(name, 1, 1).unwrap());
    let reader = place.reader();
    assert_eq!(reader.find("q").unwrap(), id("qrst"));
    assert_eq!(reader.find("abcd").unwrap(), id("abcd"));
    assert!(matches!(reader.find("ab"), Err(JournalError::Ambiguous(..))));
    assert!(matches!(reader.find("zz"), Err(JournalError::NoSuchRun(_))));
    assert!(matches!(reader.find(""), Err(JournalError::NoSuchRun(_))));
    assert!(matches!(reader.events(&id("zzzz"), |_| ()), Err(JournalError::NoSuchRun(_))));
}

fn a_run_can_be_claimed_once_and_again_when_the_claim_is_given_back(place: &Place) {
    let run = id("abcd");
    let (ours, theirs) = (place.store(), place.store());
    // A database has to be made before its runs can be claimed; a file need not.
    drop(ours.write().unwrap());
    let Claimed::Ours(claim) = ours.claim(&run).unwrap() else { panic!("nobody else is here") };
    match theirs.claim(&run).unwrap() {
        Claimed::Theirs(Worker { process, .. }) => assert_eq!(process, Some(std::process::id())),
        Claimed::Ours(_) => panic!("claimed twice"),
    }
    assert!(theirs.is_claimed(&run).unwrap());
    drop(claim);
    assert!(!theirs.is_claimed(&run).unwrap());
    assert!(matches!(theirs.claim(&run).unwrap(), Claimed::Ours(_)));
}

fn a_claim_knows_until_when_the_process_before_it_worked_if_that_left_a_sign(place: &Place) {
    let (run, store) = (id("abcd"), place.store());
    drop(store.write().unwrap());
    let claim = || match store.claim(&run).unwrap() {
        Claimed::Ours(claim) => claim,
        Claimed::Theirs(_) => panic!("nobody else is here"),
    };
    let first = claim();
    assert_eq!(first.worked_until(), None);
    drop(first);
    let second = claim();
    assert_eq!(second.worked_until(), None, "the first did no work");
    second.works_now();
    drop(second);
    let sign = claim().worked_until();
    // A database tells no such time.
    assert_eq!(sign.is_some(), matches!(place, Place::File { .. }));
    assert_eq!(claim().worked_until(), sign, "to have the claim is no sign of work");
}

fn a_list_says_of_each_run_how_it_stands_its_tags_and_whether_it_is_at_work(place: &Place) {
    let (store, runs) = (place.store(), ["abcd", "efgh"].map(id));
    let done = Writing::to(&*store, &[&runs[0]]);
    done.append(&runs[0], 1, 4).unwrap();
    drop(done);
    let at_work = Writing::to(&*store, &[&runs[1]]);
    at_work.append(&runs[1], 1, 2).unwrap();
    let [blue, green] = ["blue", "green"].map(|tag| tag.parse().unwrap());
    assert!(store.tag(&runs[0], &[green, blue], &[]).unwrap());
    assert!(store.tag(&runs[0], &[], &["blue".parse().unwrap()]).unwrap());
    assert!(!store.tag(&id("zzzz"), &["red".parse().unwrap()], &[]).unwrap(), "there is no such run");
    let rows = place.reader().runs().unwrap();
    let told: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.head.0, row.tags.len(), row.active)).collect();
    assert_eq!(told, [("abcd", 4, 1, false), ("efgh", 2, 0, true)], "the latest changed comes first");
    assert_eq!(rows[0].headline, headline(&runs[0], 4));
    assert_eq!((rows[0].opened_at, rows[0].touched_at), (At(1_001), At(1_004)));
}

fn a_deleted_run_is_gone_with_its_tags_and_the_others_stay(place: &Place) {
    let (store, runs) = (place.store(), ["abcd", "efgh"].map(id));
    let writing = Writing::to(&*store, &[&runs[0], &runs[1]]);
    runs.iter().for_each(|run| writing.append(run, 1, 4).unwrap());
    store.tag(&runs[0], &["blue".parse().unwrap()], &[]).unwrap();
    drop(writing);
    let Claimed::Ours(claim) = store.claim(&runs[0]).unwrap() else { panic!("nobody else is here") };
    assert_eq!(store.delete(&runs[0], claim).unwrap(), Deleted::WithText);
    let Claimed::Ours(claim) = store.claim(&runs[0]).unwrap() else { panic!("nobody else is here") };
    assert_eq!(store.delete(&runs[0], claim).unwrap(), Deleted::NoSuchRun);
    let check = place.reader().verify().unwrap();
    assert_eq!((check.runs, check.events, check.damage.len()), (1, 4, 0));
    // Its name can be taken again, and brings nothing back.
    let writing = Writing::to(&*store, &[&runs[0]]);
    writing.append(&runs[0], 1, 1).unwrap();
    let rows = place.reader().runs().unwrap();
    assert!(rows.iter().all(|row| row.tags.is_empty()) && rows.len() == 2);
}

fn read(path: &Path, run: &RunId) -> Result<Vec<Envelope>, JournalError> {
    let mut events = Vec::new();
    Reader::open(path)?.expect("a journal").events(run, |envelope| events.push(envelope))?;
    Ok(events)
}

fn tamper(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Appends events to a run, all with the word and long enough that pages of the file are split.
fn append_with(word: &str, journal: &dyn Journal, run: &RunId, seqs: std::ops::RangeInclusive<u64>) {
    let mut events = envelopes(run, *seqs.start(), *seqs.end());
    for Envelope { seq, event, .. } in &mut events {
        if let Event::Attached { version, .. } = event {
            *version = format!("{word} {seq:?} ").repeat(seq.0 as usize % 40 + 1).as_str().into();
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let headline = Headline { question: word.into(), ..headline(run, *seqs.end()) };
    runtime.block_on(journal.append(run, events, headline)).unwrap();
}

/// The number of times that a word is in the files of a journal, in all of their bytes.
fn occurrences(path: &Path, word: &str) -> usize {
    let files = path.parent().unwrap().read_dir().unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.is_file());
    let in_file = |file: PathBuf| {
        let bytes = std::fs::read(file).unwrap();
        bytes.windows(word.len()).filter(|bytes| *bytes == word.as_bytes()).count()
    };
    files.map(in_file).sum()
}

fn delete(path: &Path, run: &RunId) -> Deleted {
    let store = journal::at(path.to_str().unwrap()).unwrap();
    let Claimed::Ours(claim) = store.claim(run).unwrap() else { panic!("nobody else is here") };
    store.delete(run, claim).unwrap()
}

/// Two runs whose events are written in turns, and the writer of both.
fn two_in_turns(path: &Path) -> ([RunId; 2], SqliteJournal) {
    let (journal, runs) = (SqliteJournal::open(path).unwrap(), ["abcd", "efgh"].map(id));
    for from in (1..400).step_by(10) {
        append_with("zanzibar", &journal, &runs[0], from..=from + 9);
        append_with("tanganyika", &journal, &runs[1], from..=from + 9);
    }
    (runs, journal)
}

#[test]
fn no_file_of_a_journal_has_the_text_of_a_deleted_run() {
    for is_open in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let path = journal::path(&dir.path().join("data"));
        let (runs, journal) = two_in_turns(&path);
        let other = is_open.then_some(journal);
        assert!(occurrences(&path, "zanzibar") > 400);
        assert_eq!(delete(&path, &runs[0]), Deleted::WithText, "another process has it open: {is_open}");
        assert_eq!(occurrences(&path, "zanzibar"), 0, "another process has it open: {is_open}");
        assert!(occurrences(&path, "tanganyika") > 400);
        drop(other);
    }
}

#[test]
fn the_text_of_a_deleted_run_stays_in_the_log_until_a_process_that_reads_from_it_closes_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(&dir.path().join("data"));
    let (runs, journal) = two_in_turns(&path);
    let reading = rusqlite::Connection::open(&path).unwrap();
    reading.execute_batch("BEGIN; SELECT count(*) FROM runs").unwrap();
    assert_eq!(delete(&path, &runs[0]), Deleted::TextInLog);
    drop(journal);
    assert!(occurrences(&path, "zanzibar") > 0, "the reader still has it");
    drop(reading);
    assert_eq!(occurrences(&path, "zanzibar"), 0);
}

#[test]
fn every_file_of_a_journal_is_private() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(&dir.path().join("data"));
    let run = id("abcd");
    let journal = SqliteJournal::open(&path).unwrap();
    append(&journal, &run, 1, 3).unwrap();
    assert_eq!(read(&path, &run).unwrap(), envelopes(&run, 1, 3));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for entry in path.parent().unwrap().read_dir().unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.path());
    }
}

#[test]
fn a_journal_of_before_sums_in_doubt_were_kept_is_read_as_it_is_and_keeps_them_when_a_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(dir.path());
    let (run, other) = (id("abcd"), id("efgh"));
    for run in [&run, &other] {
        append(&SqliteJournal::open(&path).unwrap(), run, 1, 4).unwrap();
    }
    tamper(
        &path,
        "DROP TABLE tags; ALTER TABLE runs DROP COLUMN in_doubt; ALTER TABLE runs DROP COLUMN parent; \
         ALTER TABLE runs DROP COLUMN forked_at; ALTER TABLE runs DROP COLUMN imported; PRAGMA user_version = 2",
    );
    let in_doubt = |run: &RunId| {
        let reader = Reader::open(&path).unwrap().unwrap();
        assert_eq!(reader.verify().unwrap().damage, [""; 0]);
        reader.runs().unwrap().into_iter().find(|row| row.id == *run).unwrap().headline.in_doubt
    };
    assert_eq!((in_doubt(&run), in_doubt(&other)), (None, None));
    append(&SqliteJournal::open(&path).unwrap(), &run, 5, 6).unwrap();
    assert_eq!((in_doubt(&run), in_doubt(&other)), (Some(0), None));
}

#[test]
fn an_imported_run_that_an_earlier_version_kept_is_known_as_one_and_its_money_as_not_known() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(dir.path());
    let (own, foreign) = (id("abcd"), id("efgh"));
    append(&SqliteJournal::open(&path).unwrap(), &own, 1, 4).unwrap();
    let mut imported = envelopes(&foreign, 1, 4);
    if let Event::RunOpened(opening) = &mut imported[0].event {
        let mut of = Opening::clone(opening);
        of.origin = Some(Arc::new(Origin {
            format: Format::Codex,
            id: "a thread".into(),
            version: "".into(),
            records: 1,
            unread: 0,
            unknown: Default::default(),
            remarks: Vec::new(),
        }));
        *opening = of.into();
    }
    let headline = Headline::of(&Run::fold(&imported)).unwrap();
    let kept = headline.imported.unwrap();
    assert_eq!((kept.format, kept.pricing), (Format::Codex, Some(Default::default())));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(SqliteJournal::open(&path).unwrap().append(&foreign, imported, headline)).unwrap();
    let imported = |run: &RunId| {
        let reader = Reader::open(&path).unwrap().unwrap();
        assert_eq!(reader.verify().unwrap().damage, [""; 0]);
        reader.runs().unwrap().into_iter().find(|row| row.id == *run).unwrap().headline.imported
    };
    assert_eq!((imported(&own), imported(&foreign)), (None, Some(kept)));
    tamper(&path, "ALTER TABLE runs DROP COLUMN imported; PRAGMA user_version = 5");
    assert_eq!((imported(&own), imported(&foreign)), (None, None), "reading does not bring it up to date");
    drop(SqliteJournal::open(&path).unwrap());
    assert_eq!((imported(&own), imported(&foreign)), (None, Some(Imported { format: Format::Codex, pricing: None })));
}

/// The journal as it stands on disk when its process is killed now.
fn as_killed(path: &Path, to: &Path) {
    for suffix in ["", "-wal"] {
        let file = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(file(path), file(to)).unwrap();
    }
}

#[test]
fn a_log_whose_damage_hides_commits_is_refused_and_one_whose_last_commit_is_not_whole_is_read_and_told_by_verify() {
    let dir = tempfile::tempdir().unwrap();
    let (path, killed) = (journal::path(dir.path()), dir.path().join("killed.db"));
    let run = id("abcd");
    let journal = SqliteJournal::open(&path).unwrap();
    let log = dir.path().join("killed.db-wal");
    // The faults that SQLite itself still finds.
    let found = || -> i64 {
        let connection = rusqlite::Connection::open_with_flags(&killed, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
        connection.unwrap().query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap_or(0)
    };
    let opened = || Reader::open(&killed).map(|reader| assert_eq!(reader.unwrap().verify().unwrap().damage, [""; 0]));
    let (mut hidden, mut last_only) = (0, 0);
    let mut before: Option<Vec<u8>> = None;
    // The second time around the log begins anew over its old frames.
    for (from, round) in [(1, "first"), (6, "second")] {
        (from..from + 5).for_each(|seq| append(&journal, &run, seq, seq).unwrap());
        as_killed(&path, &killed);
        let whole = std::fs::read(&log).unwrap();
        opened().unwrap();
        for at in (0..whole.len()).step_by(997).chain([8, 20, 40, 44, whole.len() - 1]) {
            as_killed(&path, &killed);
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            std::fs::write(&log, &bytes).unwrap();
            if found() == (from + 4).cast_signed() {
                opened().unwrap_or_else(|why| panic!("{round}: byte {at}: {why}"));
                continue;
            }
            if found() == (from + 3).cast_signed() {
                last_only += 1;
                let told = Reader::open(&killed).unwrap().unwrap().verify().unwrap().damage;
                assert!(told.iter().any(|line| line.contains("the last commit was interrupted")), "{round}: {told:?}");
                continue;
            }
            hidden += 1;
            let reading = Reader::open(&killed).err().expect("refused");
            let writing = SqliteJournal::open(&killed).err().expect("refused");
            for why in [reading, writing] {
                assert!(matches!(why, JournalError::Torn { .. }) && why.is_damage(), "{round}: byte {at}: {why}");
            }
            assert_eq!(std::fs::read(&log).unwrap(), bytes, "{round}: byte {at}: the frames are left as they are");
        }
        for cut in [1, 30, 4_120] {
            as_killed(&path, &killed);
            std::fs::write(&log, &whole[..whole.len() - cut]).unwrap();
            opened().unwrap_or_else(|why| panic!("{round}: the last commit was not written whole: {cut}: {why}"));
        }
        // Killed between the header of the commit's frame and its page: that of the round before still stands there.
        if let Some(before) = before.replace(whole.clone()) {
            let (frames, mut bytes) = (whole.len().min(before.len()), whole.clone());
            bytes[frames - 4_096..frames].copy_from_slice(&before[frames - 4_096..frames]);
            std::fs::write(&log, &bytes).unwrap();
            Reader::open(&killed).unwrap();
            drop(SqliteJournal::open(&killed).unwrap());
            opened().expect("what is written next takes the place of what was not whole");
        }
        tamper(&path, "PRAGMA wal_checkpoint(RESTART)");
    }
    assert!(hidden > 10 && last_only > 2, "{hidden} {last_only}");
}

/// The frames of the last commit of a log: those behind the commit before it.
fn frames_of_a_commit(log: &[u8]) -> usize {
    let commits = log[32..].chunks_exact(4_120).map(|frame| frame[4..8] != [0; 4]);
    let commits: Vec<bool> = commits.collect();
    commits.iter().rev().skip(1).take_while(|is_commit| !**is_commit).count() + 1
}

#[test]
fn what_stands_before_the_damage_of_a_log_is_kept_by_the_command_that_the_refusal_names() {
    let dir = tempfile::tempdir().unwrap();
    let (path, killed) = (journal::path(dir.path()), dir.path().join("killed.db"));
    let run = id("abcd");
    let journal = SqliteJournal::open(&path).unwrap();
    (1..=5).for_each(|seq| append(&journal, &run, seq, seq).unwrap());
    as_killed(&path, &killed);
    let log = dir.path().join("killed.db-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    // The last byte of the last commit but one, which has as many frames.
    let last_but_one = bytes.len() - frames_of_a_commit(&bytes) * 4_120 - 1;
    bytes[last_but_one] ^= 0x40;
    std::fs::write(&log, bytes).unwrap();
    let refused = SqliteJournal::open(&killed).err().expect("refused").to_string();
    assert!(refused.contains("2 commits behind it are gone") && refused.contains("PRAGMA wal_checkpoint"), "{refused}");
    tamper(&killed, "PRAGMA wal_checkpoint");
    drop(SqliteJournal::open(&killed).unwrap());
    let mut left = 0;
    Reader::open(&killed).unwrap().unwrap().events(&run, |_| left += 1).unwrap();
    assert_eq!(left, 3);
}

#[test]
fn a_journal_of_a_newer_version_and_a_strangers_database_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(dir.path());
    drop(SqliteJournal::open(&path).unwrap());
    tamper(&path, "PRAGMA user_version = 99");
    assert!(matches!(SqliteJournal::open(&path), Err(JournalError::Newer { found: 99, .. })));
    assert!(matches!(Reader::open(&path), Err(JournalError::Newer { .. })));
    tamper(&path, "PRAGMA user_version = 1; PRAGMA application_id = 7");
    assert!(SqliteJournal::open(&path).is_err());
}

#[test]
fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    // Most programs set neither a version nor an id of their own.
    for (name, made) in [
        ("plain.db", "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')"),
        ("named.db", "PRAGMA application_id = 7"),
    ] {
        let path = dir.path().join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(made).unwrap();
        let before = std::fs::read(&path).unwrap();
        let store = journal::at(path.to_str().unwrap()).unwrap();
        let refusals = [
            store.write().err().map(|why| why.to_string()),
            store.read().err().map(|why| why.to_string()),
            store.tag(&id("abcd"), &[], &[]).err().map(|why| why.to_string()),
        ];
        for why in refusals {
            assert!(why.as_ref().is_some_and(|why| why.contains("another program's database")), "{name}: {why:?}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
}

#[test]
fn a_file_that_is_no_database_is_damage_and_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = journal::path(dir.path());
    std::fs::write(&path, "this is not a database, it only has its name ".repeat(40)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteJournal::open(&path).err().expect("refused");
    assert!(error.is_damage(), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// Before 3.51.3 two connections that write and checkpoint at once can lose data.
#[test]
fn the_database_library_is_newer_than_the_one_that_tears_journals() {
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}
