//! The rows of a journal in a database.

use std::sync::Arc;

use super::super::read::{Each, Head, Rows, StoredRow, StoredRun};
use super::super::{Headline, JournalError};
use super::session::Calls;
use run::{At, RunId, Seq};

/// Events that are asked for at once.
const TOGETHER: i64 = 500;

/// Reads the database; never writes.
pub(super) struct DatabaseRows {
    place: String,
    calls: Arc<Calls>,
}

/// The rows of events: number, time, text and hash.
type Page = Vec<(i64, i64, String, Vec<u8>)>;

impl DatabaseRows {
    pub(super) fn new(place: String, calls: Arc<Calls>) -> DatabaseRows {
        DatabaseRows { place, calls }
    }

    /// A run's number, its head, and the number of its last event.
    fn numbered(&self, run: &RunId) -> Result<Option<(i64, Head, i64)>, JournalError> {
        let run = run.to_string();
        // One statement sees the database at one moment.
        let select = "SELECT no, head_seq, head_hash, (SELECT coalesce(max(seq), 0) FROM masthead.events WHERE run = no) \
                      FROM masthead.runs WHERE id = $1";
        self.calls.call(move |session| {
            session.with_again(|client, _| {
                let row = client.query_opt(select, &[&run])?;
                Ok(row.map(|row| {
                    let head = Head { seq: Seq(row.get::<_, i64>(1).unsigned_abs()), hash: row.get(2) };
                    (row.get(0), head, row.get(3))
                }))
            })
        })
    }

    fn page(&self, no: i64, after: i64, last: i64) -> Result<Page, JournalError> {
        let select = "SELECT seq, at, body, hash FROM masthead.events WHERE run = $1 AND seq > $2 AND seq <= $3 \
                      ORDER BY seq LIMIT $4";
        self.calls.call(move |session| {
            session.with_again(|client, _| {
                let rows = client.query(select, &[&no, &after, &last, &TOGETHER])?;
                Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect())
            })
        })
    }
}

impl Rows for DatabaseRows {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn runs(&self) -> Result<Vec<StoredRun>, JournalError> {
        let select = "SELECT id, opened_at, touched_at, head_seq, question, state, cost, in_doubt, parent, forked_at, \
                      ARRAY(SELECT tag FROM masthead.tags WHERE run = no ORDER BY tag COLLATE \"C\"), \
                      EXISTS (SELECT FROM masthead.leases WHERE run = id AND until > clock_timestamp()), imported \
                      FROM masthead.runs ORDER BY touched_at DESC, no DESC";
        self.calls.call(move |session| {
            session.with_again(|client, _| {
                let rows = client.query(select, &[])?;
                let row = |row: &postgres::Row| {
                    let tags: Vec<String> = row.get(10);
                    let forked = row.get::<_, Option<i64>>(9).map(i64::unsigned_abs);
                    let headline = Headline {
                        question: row.get(4),
                        state: row.get(5),
                        cost: row.get::<_, i64>(6).unsigned_abs(),
                        in_doubt: row.get::<_, Option<i64>>(7).map(i64::unsigned_abs),
                        forked: Option::zip(row.get(8), forked),
                        imported: super::super::imported(row.get(12)),
                    };
                    StoredRun {
                        id: row.get(0),
                        opened_at: At(row.get(1)),
                        touched_at: At(row.get(2)),
                        head: Seq(row.get::<_, i64>(3).unsigned_abs()),
                        headline,
                        tags: tags.iter().filter_map(|tag| tag.parse().ok()).collect(),
                        active: row.get(11),
                    }
                };
                Ok(rows.iter().map(row).collect())
            })
        })
    }

    fn head(&self, run: &RunId) -> Result<Option<Head>, JournalError> {
        Ok(self.numbered(run)?.map(|(_, head, _)| head))
    }

    fn events(&self, run: &RunId, after: Seq, each: Each<'_>) -> Result<Option<Head>, JournalError> {
        let Some((no, head, last)) = self.numbered(run)? else { return Ok(None) };
        let mut at = after.0.cast_signed();
        while at < last {
            let page = self.page(no, at, last)?;
            if page.is_empty() {
                // It was deleted meanwhile, which is no damage.
                return self.head(run);
            }
            for (seq, time, body, hash) in page {
                each(StoredRow { seq, at: At(time), body: Some(&body), hash: &hash })?;
                at = seq;
            }
        }
        Ok(Some(head))
    }

    fn damage(&self) -> Result<Vec<String>, JournalError> {
        Ok(Vec::new())
    }

    fn strays(&self) -> Result<u64, JournalError> {
        let count = "SELECT count(*) FROM masthead.events WHERE run NOT IN (SELECT no FROM masthead.runs)";
        let strays = move |client: &mut postgres::Client| Ok(client.query_one(count, &[])?.get::<_, i64>(0));
        let strays = self.calls.call(move |session| session.with_again(|client, _| strays(client)))?;
        Ok(strays.unsigned_abs())
    }
}
