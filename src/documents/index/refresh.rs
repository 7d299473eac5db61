//! Updates the index: changed files are read in parallel, one writer stores them.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use text::sha256::{Sha256, hex};

use super::super::reader::Readers;
use super::super::walk::{self, Found, Stamp, Survey, key_of};
use super::super::{Document, Unread, begins_as_document, parse_file, read_bytes};
use super::indexed::{Indexed, indexed_blocks};
use super::room::{InFlight, Room};
use super::store::Writer;
use super::terms::Stems;
use super::{Index, IndexError, unwritable};
use run::evidence::{Corpus, Skipped};
use text::Clean;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub files_done: u32,
    pub files_total: u32,
    pub bytes: u64,
}

/// The most bytes of files in flight for each core. With less, reading would stop while a transaction is committed.
const IN_FLIGHT: u64 = 2 << 20;
/// An indexed file, from the last update.
pub(super) struct Known {
    pub(super) id: i64,
    stamp: Stamp,
    sha256: String,
    label: String,
}

/// The result of reading a file.
pub(super) struct FileRead {
    /// Its index among the found files.
    at: usize,
    pub(super) sha256: String,
    pub(super) content: Content,
    /// Bytes read.
    pub(super) read: u64,
}

pub(super) enum Content {
    /// The content is unchanged.
    Same,
    Skip {
        /// Empty for data files and redirects: they are not documents.
        why: String,
        /// Whether the file may be readable next time.
        again: bool,
    },
    Document(Vec<Indexed>, Box<Document>),
    /// No document can be parsed, for this reason.
    NoReader(Clean),
}

impl Index {
    /// Updates the index to the current files; rebuilds it if another version made it. Waits for another process that
    /// is doing so.
    pub fn refresh(&self, progress: &mut dyn FnMut(Progress)) -> Result<Corpus, IndexError> {
        let _lock = self.lock()?;
        match self.refresh_locked(progress) {
            Err(IndexError::Outdated { .. }) => {
                self.discard()?;
                self.refresh_locked(progress)
            }
            done => done,
        }
    }

    /// Deletes a damaged index and rebuilds it.
    pub fn rebuild(&self, progress: &mut dyn FnMut(Progress)) -> Result<Corpus, IndexError> {
        let _lock = self.lock()?;
        self.discard()?;
        self.refresh_locked(progress)
    }

    /// Locks the index for writing until the lock is dropped.
    fn lock(&self) -> Result<File, IndexError> {
        let path = self.file().with_extension("lock");
        File::options()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|why| unwritable(&path, &why))
    }

    fn refresh_locked(&self, progress: &mut dyn FnMut(Progress)) -> Result<Corpus, IndexError> {
        let survey = walk::survey(&self.roots);
        let mut connection = self.connect()?;
        self.update(&mut connection, &survey.found, progress)?;
        corpus(&connection, survey).map_err(|e| self.explain(e))
    }

    fn update(
        &self,
        connection: &mut Connection,
        found: &[Found],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), IndexError> {
        let mut known = known(connection).map_err(|e| self.explain(e))?;
        let before: Vec<Option<Known>> = found.iter().map(|f| known.remove(key_of(&f.path))).collect();
        let vanished: Vec<i64> = known.into_values().map(|file| file.id).collect();
        let unchanged =
            |at: usize| before[at].as_ref().is_some_and(|b| b.stamp == found[at].stamp && b.label == *found[at].label);
        let to_read: Vec<usize> = (0..found.len()).filter(|at| !unchanged(*at)).collect();
        let count = |files: usize| u32::try_from(files).unwrap_or(u32::MAX);
        let mut at =
            Progress { files_total: count(found.len()), files_done: count(found.len() - to_read.len()), bytes: 0 };
        progress(at);
        if to_read.is_empty() && vanished.is_empty() {
            return Ok(());
        }
        let now = nanos(SystemTime::now());
        let mut writer = Writer::begin(connection, now).map_err(|e| self.explain(e))?;
        for id in vanished {
            writer.forget(id).map_err(|e| self.explain(e))?;
        }
        let result = read_all(found, &before, &to_read, &self.readers, &mut |file_read| {
            if let Content::NoReader(why) = file_read.content {
                return Err(IndexError::NoReader(why));
            }
            writer
                .record(&found[file_read.at], before[file_read.at].as_ref(), &file_read)
                .map_err(|e| self.explain(e))?;
            at.files_done += 1;
            at.bytes += file_read.read;
            progress(at);
            Ok(())
        });
        self.readers.rest();
        result.and_then(|()| writer.commit().map_err(|e| self.explain(e)))
    }
}

fn nanos(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).ok().and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or(0)
}

fn known(connection: &Connection) -> rusqlite::Result<HashMap<Vec<u8>, Known>> {
    let mut rows = connection.prepare("SELECT key, id, size, mtime, inode, sha256, label FROM files")?;
    let known = rows.query_map([], |row| {
        let stamp = Stamp {
            size: row.get::<_, i64>(2)?.cast_unsigned(),
            mtime: row.get(3)?,
            inode: row.get::<_, i64>(4)?.cast_unsigned(),
        };
        Ok((row.get(0)?, Known { id: row.get(1)?, stamp, sha256: row.get(5)?, label: row.get(6)? }))
    })?;
    known.collect()
}

/// Reads files on all cores and passes them on one by one, in any order.
fn read_all(
    found: &[Found],
    before: &[Option<Known>],
    to_read: &[usize],
    readers: &Readers,
    store: &mut dyn FnMut(FileRead) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(to_read.len().max(1));
    let (next, room) = (AtomicUsize::new(0), Room::new(IN_FLIGHT * workers as u64));
    let (sender, receiver) = mpsc::channel::<(FileRead, InFlight<'_>)>();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, room) = (sender.clone(), &next, &room);
            scope.spawn(move || {
                let mut stems: Vec<Stems> = Vec::new();
                while let Some(at) = to_read.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(place) = room.take(found[*at].stamp.size) else { break };
                    let file_read = read_file(*at, &found[*at], before[*at].as_ref(), readers, &mut stems);
                    if sender.send((file_read, place)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Each frees its place when it is stored.
        let result = receiver.iter().try_for_each(|(file_read, _place)| store(file_read));
        room.close();
        result
    })
}

fn read_file(at: usize, file: &Found, before: Option<&Known>, readers: &Readers, stems: &mut Vec<Stems>) -> FileRead {
    if file.may_be_data && !begins_as_document(&file.path) {
        let content = Content::Skip { why: String::new(), again: false };
        return FileRead { at, sha256: String::new(), content, read: 0 };
    }
    let skip = |why: &Unread| match why {
        Unread::Elsewhere => Content::Skip { why: String::new(), again: false },
        why => Content::Skip { why: why.to_string(), again: why.may_pass() },
    };
    let bytes = match read_bytes(&file.path) {
        Ok(bytes) => bytes,
        Err(why) => return FileRead { at, sha256: String::new(), content: skip(&why), read: 0 },
    };
    let sha256 = hex(&Sha256::digest(&bytes));
    let read = bytes.len() as u64;
    if before.is_some_and(|b| b.sha256 == sha256 && b.label == *file.label) {
        return FileRead { at, sha256, content: Content::Same, read };
    }
    let content = match parse_file(&file.path, bytes, readers) {
        Ok(document) => Content::Document(indexed_blocks(&document, stems), Box::new(document)),
        Err(why @ Unread::NoReader(_)) => Content::NoReader(Clean::line(&why.to_string())),
        Err(why) => skip(&why),
    };
    FileRead { at, sha256, content, read }
}

fn corpus(connection: &Connection, survey: Survey) -> rusqlite::Result<Corpus> {
    let Survey { mut skipped, data, left_out, .. } = survey;
    let (documents, blocks, bytes) = connection.query_row(
        "SELECT count(*), coalesce(sum(blocks), 0), coalesce(sum(bytes), 0) FROM files WHERE why IS NULL",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?)),
    )?;
    let mut rows = connection.prepare("SELECT label, why FROM files WHERE why > ''")?;
    let files = rows.query_map([], |row| {
        Ok(Skipped { path: row.get::<_, String>(0)?.into(), why: row.get::<_, String>(1)?.into() })
    })?;
    for file in files {
        skipped.push(file?);
    }
    skipped.sort_by(|a, b| (&a.path, &a.why).cmp(&(&b.path, &b.why)));
    let skipped_count = u32::try_from(skipped.len()).unwrap_or(u32::MAX);
    skipped.truncate(Corpus::NAMED);
    Ok(Corpus {
        documents,
        blocks,
        bytes: bytes.cast_unsigned(),
        skipped,
        skipped_count,
        data,
        left_out,
        web: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_xml_is_left_out_without_a_word_unless_it_is_the_source() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("docs/data.xml");
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        std::fs::write(&data, "<records><record>Some words.</record></records>").unwrap();
        std::fs::write(folder.path().join("docs/empty.xml"), "").unwrap();
        std::fs::write(folder.path().join("docs/guide.xml"), "<chapter><para>Some words.</para></chapter>").unwrap();
        std::fs::write(folder.path().join("docs/empty.md"), "").unwrap();
        let refreshed = |source: &std::path::Path| {
            let index = Index::open(&[source.to_owned()], folder.path(), Readers::in_this_process()).unwrap();
            index.refresh(&mut |_| ()).unwrap();
            let corpus = index.refresh(&mut |_| ()).unwrap();
            (corpus.documents, corpus.skipped.into_iter().map(|skipped| skipped.path.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(refreshed(&folder.path().join("docs")), (1, vec!["empty.md".to_owned()]));
        assert_eq!(refreshed(&data), (1, Vec::new()));
    }
}
