//! Stores the pages that were read, as they were then, in an SQLite file that is private to the user.
//!
//! Pages are only added. One is found by its URL, the latest version first, or by the id under which a run cites it.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Broken;
use super::fetch::Kind;
use documents::PageFormat;
use run::id::SourceId;
use text::Clean;
use text::locked::Locked;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS pages (
        source TEXT PRIMARY KEY,
        url TEXT NOT NULL,
        asked TEXT NOT NULL,
        title TEXT,
        kind TEXT NOT NULL,
        retrieved INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS pages_by_asked ON pages (asked, retrieved);
";

/// A page as it was when it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// The id under which it is cited.
    pub source: SourceId,
    /// Its final URL.
    pub url: String,
    /// The requested URL, before redirects.
    pub asked: String,
    /// The title from the backend; None if the page has its own.
    pub title: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// The time at which it was fetched, in milliseconds since 1970.
    pub retrieved: i64,
    /// The SHA-256 of its body, in hexadecimal.
    pub sha256: String,
    /// Its bytes, as in [`Fetched::body`](super::fetch::Fetched::body).
    pub body: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Store {
    file: Clean,
    connection: Mutex<Connection>,
}

impl Store {
    pub(super) fn open(data_dir: &Path) -> Result<Store, String> {
        let file = data_dir.join("web").join("pages.db");
        let name = Clean::line(&file.to_string_lossy());
        let unwritable = |why: String| format!("cannot write {name}: {why}");
        sqlite::make_private(&file).map_err(|why| unwritable(why.to_string()))?;
        let connect = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(&file)?;
            sqlite::share(&connection, Duration::from_secs(20))?;
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.execute_batch(TABLES)?;
            Ok(connection)
        };
        let connection = connect().map_err(|why| unwritable(why.to_string()))?;
        Ok(Store { file: name, connection: Mutex::new(connection) })
    }

    /// Stores a page. Storing the same content again only updates its time.
    pub(super) fn keep(&self, page: &Stored) -> Result<(), Broken> {
        let connection = self.connection.locked();
        let stored = connection.execute(
            "INSERT INTO pages (source, url, asked, title, kind, retrieved, sha256, body)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (source) DO UPDATE SET retrieved = excluded.retrieved, asked = excluded.asked",
            params![
                &*page.source.0,
                page.url,
                page.asked,
                page.title,
                kind_name(page.kind),
                page.retrieved,
                page.sha256,
                page.body
            ],
        );
        stored.map(drop).map_err(|error| self.broken(&error))
    }

    fn broken(&self, error: &rusqlite::Error) -> Broken {
        Broken(Clean::line(&format!(
            "the stored web pages {} cannot be used: {error}. Free some space, or choose another folder with --data-dir.",
            self.file
        )))
    }

    /// The latest version of the page requested under a URL.
    pub(super) fn latest(&self, asked: &str) -> Result<Option<Stored>, Broken> {
        self.one("asked = ? ORDER BY retrieved DESC, source LIMIT 1", asked)
    }

    /// The version cited under an id.
    pub(super) fn cited(&self, source: &SourceId) -> Result<Option<Stored>, Broken> {
        self.one("source = ?", &source.0)
    }

    fn one(&self, which: &str, value: &str) -> Result<Option<Stored>, Broken> {
        let connection = self.connection.locked();
        let query = format!("SELECT source, url, asked, title, kind, retrieved, sha256, body FROM pages WHERE {which}");
        let found = connection.prepare_cached(&query).and_then(|mut one| one.query_row([value], stored).optional());
        found.map_err(|error| self.broken(&error))
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let kind: String = row.get(4)?;
    let kind = KINDS.iter().find(|(_, name)| *name == kind).map_or(Kind::Text(PageFormat::Plain), |(kind, _)| *kind);
    Ok(Stored {
        source: SourceId(row.get::<_, String>(0)?.into()),
        url: row.get(1)?,
        asked: row.get(2)?,
        title: row.get(3)?,
        kind,
        retrieved: row.get(5)?,
        sha256: row.get(6)?,
        body: row.get(7)?,
    })
}

const KINDS: [(Kind, &str); 5] = [
    (Kind::Text(PageFormat::Html), "html"),
    (Kind::Text(PageFormat::Fragment), "fragment"),
    (Kind::Text(PageFormat::Markdown), "markdown"),
    (Kind::Text(PageFormat::Plain), "plain"),
    (Kind::Pdf, "pdf"),
];

fn kind_name(kind: Kind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("plain", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn page(source: &str, retrieved: i64, body: &str) -> Stored {
        Stored {
            source: SourceId(source.into()),
            url: "https://a.example/b".into(),
            asked: "https://a.example/a".into(),
            title: None,
            kind: Kind::Pdf,
            retrieved,
            sha256: "00".into(),
            body: body.into(),
        }
    }

    #[test]
    fn a_page_is_found_by_its_address_and_by_its_id_and_no_version_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let (old, new) = (page("one", 1, "old"), page("two", 2, "new"));
        store.keep(&old).unwrap();
        store.keep(&new).unwrap();
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(store.latest("https://a.example/a").unwrap(), Some(new));
        assert_eq!(store.cited(&SourceId("one".into())).unwrap(), Some(old.clone()));
        assert_eq!(store.latest("https://a.example/b").unwrap(), None);
        store.keep(&Stored { retrieved: 3, ..old }).unwrap();
        assert_eq!(store.latest("https://a.example/a").unwrap().unwrap().body, b"old", "it is as it was again");
    }

    #[test]
    fn what_was_read_is_for_this_user_alone() {
        let dir = tempfile::tempdir().unwrap();
        Store::open(dir.path()).unwrap().keep(&page("one", 1, "x")).unwrap();
        let mode = |path: &str| std::fs::metadata(dir.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("web"), 0o700);
        assert_eq!(mode("web/pages.db"), 0o600);
    }
}
