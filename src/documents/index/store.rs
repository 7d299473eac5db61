//! Writes to the index: one writer, large transactions.

use rusqlite::{Connection, Transaction, params};

use super::super::walk::{Found, key_of};
use super::super::{Document, source_id};
use super::indexed::Indexed;
use super::refresh::{Content, FileRead, Known};
use super::schema::row_id;
use run::evidence::BlockKind;

const BATCH: usize = 24 << 20;

/// Stores parsed files, in large transactions.
pub(super) struct Writer<'a> {
    connection: &'a Connection,
    transaction: Option<Transaction<'a>>,
    pending: usize,
    next_id: i64,
    now: i64,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(connection: &'a Connection, now: i64) -> rusqlite::Result<Self> {
        let next_id = connection.query_row("SELECT next_id FROM state", [], |row| row.get(0))?;
        connection.set_prepared_statement_cache_capacity(32);
        let transaction = Some(connection.unchecked_transaction()?);
        Ok(Writer { connection, transaction, pending: 0, next_id, now })
    }

    pub(super) fn forget(&mut self, id: i64) -> rusqlite::Result<()> {
        self.forget_content(id)?;
        self.connection.prepare_cached("DELETE FROM files WHERE id = ?")?.execute([id])?;
        Ok(())
    }

    fn forget_content(&mut self, id: i64) -> rusqlite::Result<()> {
        let (from, to) = (row_id(id, 0), row_id(id + 1, 0));
        for table in [
            "DELETE FROM passages WHERE rowid >= ? AND rowid < ?",
            "DELETE FROM names WHERE rowid >= ? AND rowid < ?",
            "DELETE FROM blocks WHERE id >= ? AND id < ?",
            "DELETE FROM sections WHERE id >= ? AND id < ?",
        ] {
            self.connection.prepare_cached(table)?.execute([from, to])?;
        }
        Ok(())
    }

    pub(super) fn record(
        &mut self,
        file: &Found,
        before: Option<&Known>,
        file_read: &FileRead,
    ) -> rusqlite::Result<()> {
        // A change within the clock's resolution of the last read would go unnoticed: read such a file again.
        let settled = self.now.saturating_sub(file.stamp.mtime) > 2_000_000_000;
        let again = matches!(file_read.content, Content::Skip { again: true, .. });
        let mtime = if settled && !again { file.stamp.mtime } else { -1 };
        let sha256 = if again { "" } else { file_read.sha256.as_str() };
        let (size, inode) = (file.stamp.size.cast_signed(), file.stamp.inode.cast_signed());
        if let (Content::Same, Some(before)) = (&file_read.content, before) {
            self.connection
                .prepare_cached("UPDATE files SET size = ?, mtime = ?, inode = ? WHERE id = ?")?
                .execute(params![size, mtime, inode, before.id])?;
            return Ok(());
        }
        if let Some(before) = before {
            self.forget(before.id)?;
        }
        let (why, document) = match &file_read.content {
            Content::Document(indexed, document) => (None, Some((document, indexed))),
            Content::Skip { why, .. } => (Some(why), None),
            // Unchanged files were indexed before.
            Content::Same | Content::NoReader(_) => return Ok(()),
        };
        let id = self.next_id;
        self.next_id += 1;
        let label = file.label.as_str();
        self.connection
            .prepare_cached(
                "INSERT INTO files (id, key, label, size, mtime, inode, sha256, why, source, title, superseded, untranslated, language, blocks,
                 bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                id,
                key_of(&file.path),
                label,
                size,
                mtime,
                inode,
                sha256,
                why,
                document.map(|_| source_id(label, &file_read.sha256)),
                document.map(|(document, _)| document.title.as_str()),
                document.and_then(|(document, _)| document.superseded()).map(|note| note.to_string()),
                document.is_some_and(|(document, _)| document.is_untranslated(label)),
                document.map(|(document, _)| serde_json::to_string(&document.language).unwrap_or_default()),
                document.map_or(0, |(document, _)| document.blocks.len().cast_signed() as i64),
                document.map_or(0, |(document, _)| document.bytes.cast_signed()),
            ])?;
        if let Some((document, indexed)) = document {
            self.store(id, document, indexed)?;
        }
        self.pending += usize::try_from(file_read.read).unwrap_or(0) + 256;
        if self.pending >= BATCH {
            self.pending = 0;
            self.commit()?;
            self.transaction = Some(self.connection.unchecked_transaction()?);
        }
        Ok(())
    }

    fn store(&self, id: i64, document: &Document, indexed: &[Indexed]) -> rusqlite::Result<()> {
        let mut section_row =
            self.connection.prepare_cached("INSERT INTO sections (id, headings, first, end) VALUES (?, ?, ?, ?)")?;
        let mut block_row = self.connection.prepare_cached(
            "INSERT INTO blocks (id, section, kind, intro, text, line, breaks, start, lead) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut passage_row = self
            .connection
            .prepare_cached("INSERT INTO passages (rowid, title, heading, body, code) VALUES (?, ?, ?, ?, ?)")?;
        let mut name_row = self.connection.prepare_cached("INSERT INTO names (rowid, name) VALUES (?, ?)")?;
        for (section, no) in document.sections.iter().zip(0u32..) {
            let headings = serde_json::to_string(&section.headings).unwrap_or_default();
            section_row.execute(params![row_id(id, no), headings, section.first, section.end])?;
        }
        let mut section = 0usize;
        for (block, searched) in document.blocks.iter().zip(indexed) {
            while document.sections.get(section).is_some_and(|s| s.end <= block.no) {
                section += 1;
            }
            let row = row_id(id, block.no);
            block_row.execute(params![
                row,
                section.cast_signed() as i64,
                kind_name(block.kind),
                block.intro.as_deref(),
                block.text.as_str(),
                block.line,
                breaks_as_bytes(&block.breaks),
                block.start.cast_signed(),
                block.lead
            ])?;
            // Code is found by its own content, not by its headings.
            let (title, heading, body, code) = match block.kind {
                BlockKind::Code => ("", "", "", &*searched.body),
                _ => (&*searched.title, &*searched.heading, &*searched.body, ""),
            };
            passage_row.execute(params![row, title, heading, body, code])?;
            if let Some(name) = &searched.name {
                name_row.execute(params![row, name])?;
            }
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("UPDATE state SET next_id = ?")?.execute([self.next_id])?;
        self.transaction.take().map_or(Ok(()), Transaction::commit)
    }
}

/// The line breaks of a block as bytes in the index.
fn breaks_as_bytes(breaks: &[u16]) -> Vec<u8> {
    breaks.iter().flat_map(|at| at.to_le_bytes()).collect()
}

/// The line breaks that these bytes in the index mean.
pub(super) fn breaks_of(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect()
}

/// The kind with this name in the index.
pub(super) fn kind_of(name: &str) -> BlockKind {
    let kinds = [BlockKind::ListItem, BlockKind::KeyValue, BlockKind::TableRow, BlockKind::Code];
    kinds.into_iter().find(|kind| kind_name(*kind) == name).unwrap_or(BlockKind::Paragraph)
}

/// The name of a kind in the index.
pub(super) fn kind_name(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Paragraph => "p",
        BlockKind::ListItem => "li",
        BlockKind::KeyValue => "kv",
        BlockKind::TableRow => "tr",
        BlockKind::Code => "code",
    }
}
