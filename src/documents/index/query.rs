//! Queries to the index: search, read, outline. Deterministic for an index and a query.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::catalogue::Catalogue;
use super::indexed::name_of;
use super::schema::{Generation, WEIGHTS, file_and_no, outdated, row_id};
use super::shown::Sought;
use super::store::{breaks_of, kind_name, kind_of};
use super::terms::{Term, term, terms, weight};
use super::{Index, IndexError};
use super::{defining, spelling};
use crate::translations;
use run::evidence::{Block, BlockKind, Excerpt, Hit, Hits, Outline, Section, TermCount};
use run::id::SourceId;
use run::tool::builtin::{Find, HitRoom, Read, Search};
use run::tool::estimate_tokens;
use text::Clean;

/// The most passages that a search scores. Beyond it the most common words are dropped, as long as rarer ones remain.
const MOST_WEIGHED: u64 = 12_000;
/// The most bytes of headings in an outline, as the `outline` tool reserves them.
const OUTLINE_BYTES: usize = 8_000;
/// The most passages whose name contains the whole query that are considered.
const MOST_NAMED: usize = 24;
/// The columns that [`block`] reads, of the blocks between two row ids.
const BLOCKS: &str =
    "SELECT id, section, kind, intro, text, line, start, lead, breaks FROM blocks WHERE id >= ? AND id < ? ORDER BY id";
impl Index {
    /// A connection for queries. Several may be open at once.
    pub fn reading(&self) -> Result<Reading, IndexError> {
        let connection = self.connect()?;
        let generation = Generation::of(&connection).map_err(|e| self.explain(e))?;
        Ok(Reading { connection, generation })
    }
}

/// A connection for queries. It goes on reading a file that was deleted meanwhile.
#[derive(Debug)]
pub struct Reading {
    connection: Connection,
    generation: Generation,
}

impl Reading {
    /// Whether the documents of this catalogue are those that it reads.
    pub fn is_for(&self, catalogue: &Catalogue) -> bool {
        self.generation == catalogue.generation
    }

    /// The connection, if it reads the documents of this catalogue: in another index their ids are those of others.
    pub(super) fn over(&self, catalogue: &Catalogue) -> rusqlite::Result<&Connection> {
        if self.is_for(catalogue) { Ok(&self.connection) } else { Err(outdated("it was made anew")) }
    }

    /// The passages that match a query best.
    pub fn search(&self, catalogue: &Catalogue, query: &str, limit: u32) -> rusqlite::Result<Hits> {
        let limit = limit.min(Search::MOST) as usize;
        // One transaction for all that follows: each statement would otherwise lock and unlock the file by itself.
        let together = self.over(catalogue)?.unchecked_transaction()?;
        let terms = terms(query, &catalogue.languages);
        let mut counted: Vec<(Term, u32)> = Vec::with_capacity(terms.len());
        let mut told: Vec<TermCount> = Vec::with_capacity(terms.len());
        for asked in terms {
            let term = Clean::line(&asked.word);
            let count = self.count(catalogue, &asked)?;
            let meant = if count == 0 { self.meant(catalogue, &asked)? } else { None };
            let read_as = meant.as_ref().map(|meant| Clean::line(&meant.word));
            let (asked, blocks) = match meant {
                Some(meant) => {
                    let count = self.count(catalogue, &meant)?;
                    (meant, count)
                }
                None => (asked, count),
            };
            told.push(TermCount { term, blocks, read_as });
            if !counted.iter().any(|(known, _)| known.phrase == asked.phrase) {
                counted.push((asked, blocks));
            }
        }
        let chosen = choose(&counted);
        let best = match chosen.is_empty() {
            true => Vec::new(),
            false => {
                let name = defining::name(query);
                self.best(catalogue, &chosen, &self.named(catalogue, &counted)?, name.as_deref(), limit)?
            }
        };
        let sought = Sought::of(counted.iter().map(|(term, blocks)| (term, *blocks)), &catalogue.languages);
        let hits = self.hits_at(catalogue, best, limit, sought)?;
        together.commit()?;
        Ok(Hits { titled: catalogue.titled(&spelt(&counted)), terms: told, ..catalogue.hits(hits) })
    }

    /// The hits at these places (score, file, block), in their order, each with its matching words: as many as fit into the bytes
    /// of `limit` hits.
    pub(super) fn hits_at(
        &self,
        catalogue: &Catalogue,
        places: impl IntoIterator<Item = (u32, i64, u32)>,
        limit: usize,
        mut sought: Sought,
    ) -> rusqlite::Result<Vec<Hit>> {
        let mut hits = Vec::new();
        let mut room = HitRoom::of(limit);
        for (score, file, no) in places {
            let Some(source) = catalogue.source(file) else { continue };
            let Some(most) = room.for_snippet(&source.path) else { break };
            let Some((section, text)) = self.block(row_id(file, no))? else { continue };
            let snippet = sought.shown(&text, most);
            room.takes(&source.path, &snippet);
            let headings = self.headings(file, section)?;
            let columns = self.columns(row_id(file, no))?;
            hits.push(Hit { source: source.clone(), block: no, headings, columns, snippet, score });
        }
        Ok(hits)
    }

    /// The header row of a block's table, if it is a row of one.
    fn columns(&self, row: i64) -> rusqlite::Result<Option<Clean>> {
        let columns: Option<Option<String>> = self
            .connection
            .prepare_cached("SELECT intro FROM blocks WHERE id = ? AND kind = ?")?
            .query_row(params![row, kind_name(BlockKind::TableRow)], |row| row.get(0))
            .optional()?;
        Ok(columns.flatten().map(Clean::from))
    }

    /// The section and the text of a block; None if another process removed its document meanwhile.
    pub(super) fn block(&self, row: i64) -> rusqlite::Result<Option<(u32, String)>> {
        self.connection
            .prepare_cached("SELECT section, text FROM blocks WHERE id = ?")?
            .query_row([row], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
    }

    /// The sections most like a text in meaning: none in a build without the encoder.
    #[cfg(not(feature = "encoder"))]
    pub fn sections_like(&self, catalogue: &Catalogue, _: &str, _: u32, _: u32) -> rusqlite::Result<Hits> {
        self.over(catalogue)?;
        Ok(catalogue.hits(Vec::new()))
    }

    /// The number of blocks with a term.
    fn count(&self, catalogue: &Catalogue, term: &Term) -> rusqlite::Result<u32> {
        if let Some(count) = catalogue.counts.get(&term.phrase) {
            return Ok(count);
        }
        let count = self
            .connection
            .prepare_cached("SELECT count(*) FROM passages WHERE passages MATCH ?")?
            .query_row([&term.phrase], |row| row.get(0))?;
        catalogue.counts.keep(&term.phrase, count);
        Ok(count)
    }

    /// The word of the collection that an unknown one is a misspelling of, if there is one like it.
    fn meant(&self, catalogue: &Catalogue, asked: &Term) -> rusqlite::Result<Option<Term>> {
        let word = match catalogue.meant.get(&asked.word) {
            Some(word) => word,
            None => {
                let word = spelling::meant(&self.connection, asked)?;
                catalogue.meant.keep(&asked.word, word.clone());
                word
            }
        };
        Ok(word.and_then(|word| term(&word, &catalogue.languages)))
    }

    /// The passages whose name contains all words of the query, with the factor that raises their score.
    fn named(&self, catalogue: &Catalogue, terms: &[(Term, u32)]) -> rusqlite::Result<HashMap<i64, f64>> {
        let query = terms.iter().map(|(term, _)| term.phrase.as_str()).collect::<Vec<_>>().join(" AND ");
        let mut rows = self.connection.prepare_cached("SELECT rowid, rank FROM names WHERE names MATCH ?")?;
        let mut rows = rows.query([query])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let (file, no) = file_and_no(id);
            let Some(document) = catalogue.found(file) else { continue };
            let rank = (row.get::<_, f64>(1)? * 1000.0).round() as i64;
            all.push((rank, document.order, no, id));
        }
        // Of names with every word, shorter ones rank higher.
        all.sort_unstable();
        let mut named = HashMap::new();
        for (_, _, no, id) in all.into_iter().take(MOST_NAMED) {
            let (file, _) = file_and_no(id);
            let Some((section, kind, text)) = self
                .connection
                .prepare_cached("SELECT section, kind, text FROM blocks WHERE id = ?")?
                .query_row([id], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))
                .optional()?
            else {
                continue;
            };
            let headings = self.headings(file, section)?;
            let title = catalogue.source(file).map_or("", |source| source.title.as_str());
            let words = weight(name_of(kind_of(&kind), &text, &headings, title)).max(terms.len());
            named.insert(row_id(file, no), terms.len() as f64 / words as f64);
        }
        Ok(named)
    }

    /// Score, file and block of the best passages; ties by path, then by position. Passages in `named` score up to
    /// twice their BM25: a passage under the heading "Heap" defines a heap, however short it is. A definition of `name` scores three
    /// times its BM25. Of files with the same content one is found.
    fn best(
        &self,
        catalogue: &Catalogue,
        terms: &[&Term],
        named: &HashMap<i64, f64>,
        name: Option<&str>,
        limit: usize,
    ) -> rusqlite::Result<Vec<(u32, i64, u32)>> {
        let query = terms.iter().map(|term| term.phrase.as_str()).collect::<Vec<_>>().join(" OR ");
        let mut rows = self
            .connection
            .prepare_cached("SELECT rowid, bm25(passages, ?2, ?3, ?4, ?5) FROM passages WHERE passages MATCH ?1")?;
        let [title, heading, body, code] = WEIGHTS;
        let mut rows = rows.query((query, title, heading, body, code))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(0)?;
            let (id, no) = file_and_no(place);
            let Some(document) = catalogue.found(id) else { continue };
            let raised = 1.0 + named.get(&place).copied().unwrap_or(0.0);
            let score = (-row.get::<_, f64>(1)? * raised * 1000.0).round().clamp(0.0, f64::from(u32::MAX)) as u32;
            all.push((score, document.order, no, id));
        }
        let candidates = (limit * 10).max(name.map_or(0, |_| defining::LOOKED_AT));
        if all.len() > candidates && limit > 0 {
            all.select_nth_unstable_by(candidates - 1, best_first);
            all.truncate(candidates);
        }
        let mut kept = Vec::with_capacity(all.len());
        for found in all {
            if !self.is_untranslated(catalogue, found.3, found.2)? {
                kept.push(found);
            }
        }
        let mut all = kept;
        for (score, _, no, id) in &mut all {
            let is_raised = named.contains_key(&row_id(*id, *no));
            let Some(name) = name.filter(|_| !is_raised) else { continue };
            let Some((_, text)) = self.block(row_id(*id, *no))? else { continue };
            *score = if defining::defines(&text, name) { score.saturating_mul(3) } else { *score };
        }
        all.sort_unstable_by(best_first);
        let mut seen: HashSet<(&str, u32)> = HashSet::new();
        all.retain(|(_, _, no, id)| catalogue.source(*id).is_some_and(|source| seen.insert((&source.sha256, *no))));
        Ok(spread(all, limit).into_iter().map(|(score, _, no, id)| (score, id, no)).collect())
    }

    /// Whether a passage is a copy of an English one, among the pages of another language.
    fn is_untranslated(&self, catalogue: &Catalogue, file: i64, no: u32) -> rusqlite::Result<bool> {
        if !catalogue.found(file).is_some_and(|document| document.is_translation) {
            return Ok(false);
        }
        let block = self.block(row_id(file, no))?;
        Ok(block.is_some_and(|(_, text)| translations::is_untranslated(&text)))
    }

    /// Blocks `from..to` of a document; None if it does not exist.
    pub fn read(
        &self,
        catalogue: &Catalogue,
        source: &SourceId,
        from: u32,
        to: u32,
    ) -> rusqlite::Result<Option<Excerpt>> {
        let connection = self.over(catalogue)?;
        let Some((id, document)) = catalogue.document(source) else { return Ok(None) };
        let to = to.min(document.blocks).min(from.saturating_add(Read::MOST));
        let excerpt = |blocks| Excerpt::fitting(document.source.clone(), blocks, document.blocks);
        if from >= to {
            return Ok(Some(excerpt(Vec::new())));
        }
        let mut rows = connection.prepare_cached(BLOCKS)?;
        let mut rows = rows.query([row_id(id, from), row_id(id, to)])?;
        let mut headings: Option<(u32, Arc<[Clean]>)> = None;
        let mut blocks = Vec::new();
        while let Some(row) = rows.next()? {
            let section: u32 = row.get(1)?;
            let above = match &headings {
                Some((known, headings)) if *known == section => headings.clone(),
                _ => self.headings(id, section)?,
            };
            headings = Some((section, above.clone()));
            blocks.push(Arc::new(block(row, above)?));
        }
        Ok(Some(excerpt(blocks)).filter(|excerpt| !excerpt.blocks.is_empty()))
    }

    /// All blocks of a document, up to `most`; None if it does not exist.
    pub fn whole(&self, catalogue: &Catalogue, source: &SourceId, most: u32) -> rusqlite::Result<Option<Excerpt>> {
        let connection = self.over(catalogue)?;
        let Some((id, document)) = catalogue.document(source) else { return Ok(None) };
        let mut rows = connection.prepare_cached(BLOCKS)?;
        let to = most.min(document.blocks);
        let blocks =
            rows.query_map([row_id(id, 0), row_id(id, to)], |row| Ok(Arc::new(block(row, Arc::default())?)))?;
        let blocks = blocks.collect::<rusqlite::Result<_>>()?;
        Ok(Some(Excerpt { source: document.source.clone(), blocks, of: document.blocks }))
    }

    /// The first blocks of a document that contain a quote verbatim; None if there is no document with this name.
    pub fn find(&self, catalogue: &Catalogue, path: &str, quote: &str) -> rusqlite::Result<Option<Excerpt>> {
        let connection = self.over(catalogue)?;
        let mut excerpt: Option<Excerpt> = None;
        let mut bytes = 0;
        for (id, document) in catalogue.called(path) {
            let none = || Excerpt { source: document.source.clone(), blocks: Vec::new(), of: document.blocks };
            let excerpt = excerpt.get_or_insert_with(none);
            if quote.is_empty() {
                break;
            }
            let mut rows = connection.prepare_cached(
                "SELECT id, section, kind, intro, text, line, start, lead, breaks FROM blocks
                 WHERE id >= ? AND id < ? AND instr(text, ?) > 0 ORDER BY id LIMIT ?",
            )?;
            let most = Find::MOST;
            let mut rows = rows.query(params![row_id(id, 0), row_id(id + 1, 0), quote, most])?;
            while let Some(row) = rows.next()? {
                let block = block(row, self.headings(id, row.get(1)?)?)?;
                bytes += block.text.len();
                if estimate_tokens(bytes) > 600 * u64::from(most) {
                    break;
                }
                excerpt.source = document.source.clone();
                excerpt.blocks.push(Arc::new(block));
            }
            // Documents with the same name in two folders: the first one with the quote.
            if !excerpt.blocks.is_empty() {
                break;
            }
        }
        Ok(excerpt)
    }

    pub(super) fn headings(&self, file: i64, section: u32) -> rusqlite::Result<Arc<[Clean]>> {
        let json: Option<String> = self
            .connection
            .prepare_cached("SELECT headings FROM sections WHERE id = ?")?
            .query_row([row_id(file, section)], |row| row.get(0))
            .optional()?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
    }

    /// The sections of a document; None if it does not exist. If there are too many, the outermost.
    pub fn outline(&self, catalogue: &Catalogue, source: &SourceId) -> rusqlite::Result<Option<Outline>> {
        let connection = self.over(catalogue)?;
        let Some((id, document)) = catalogue.document(source) else { return Ok(None) };
        let mut rows = connection
            .prepare_cached("SELECT headings, first, end FROM sections WHERE id >= ? AND id < ? ORDER BY id")?;
        let sections = rows.query_map([row_id(id, 0), row_id(id + 1, 0)], |row| {
            let headings = serde_json::from_str(&row.get::<_, String>(0)?).unwrap_or_default();
            Ok(Section { headings, first: row.get(1)?, end: row.get(2)? })
        })?;
        let sections = fit(sections.collect::<rusqlite::Result<_>>()?);
        Ok(Some(Outline { source: document.source.clone(), sections, blocks: document.blocks }))
    }
}

/// The words that are searched for, as one query.
fn spelt(counted: &[(Term, u32)]) -> String {
    counted.iter().map(|(term, _)| term.word.as_str()).collect::<Vec<_>>().join(" ")
}

/// The terms to search by: all, unless some are so common that they only cost time.
fn choose(counted: &[(Term, u32)]) -> Vec<&Term> {
    let mut found: Vec<&(Term, u32)> = counted.iter().filter(|(_, count)| *count > 0).collect();
    found.sort_by_key(|(_, count)| *count);
    let (mut chosen, mut weighed) = (Vec::new(), 0u64);
    for (term, count) in found {
        weighed += u64::from(*count);
        if !chosen.is_empty() && weighed > MOST_WEIGHED {
            break;
        }
        chosen.push(term);
    }
    chosen
}

/// Score, rank of the document by path, block, and document: the sort key of hits.
pub(super) type Ranked = (u32, u32, u32, i64);

/// By score; ties by path, then by position.
pub(super) fn best_first(a: &Ranked, b: &Ranked) -> Ordering {
    b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2))
}

/// The best hits, without letting one long page crowd out all others.
pub(super) fn spread(ranked: Vec<Ranked>, limit: usize) -> Vec<Ranked> {
    let quota = limit.div_ceil(4).max(3);
    let mut taken: HashMap<i64, usize> = HashMap::new();
    let (mut best, rest): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|(_, _, _, id)| {
        let taken = taken.entry(*id).or_default();
        *taken += 1;
        *taken <= quota
    });
    best.truncate(limit);
    best.extend(rest.into_iter().take(limit - best.len()));
    best.sort_unstable_by(best_first);
    best
}

/// Keeps the outermost sections that fit.
pub(super) fn fit(sections: Vec<Section>) -> Vec<Section> {
    let size = |section: &Section| section.headings.last().map_or(0, |heading| heading.len());
    let deepest = sections.iter().map(|section| section.headings.len()).max().unwrap_or(0);
    let fits =
        |depth: usize| sections.iter().filter(|s| s.headings.len() <= depth).map(size).sum::<usize>() <= OUTLINE_BYTES;
    let depth = (1..=deepest).rev().find(|depth| fits(*depth)).unwrap_or(1);
    let mut left = OUTLINE_BYTES;
    sections
        .into_iter()
        .filter(|section| section.headings.len() <= depth)
        .take_while(|section| {
            let fits = size(section) <= left;
            left = left.saturating_sub(size(section));
            fits
        })
        .collect()
}

fn block(row: &Row<'_>, headings: Arc<[Clean]>) -> rusqlite::Result<Block> {
    let (_, no) = file_and_no(row.get(0)?);
    let kind: String = row.get(2)?;
    Ok(Block {
        no,
        kind: kind_of(&kind),
        headings,
        intro: row.get::<_, Option<String>>(3)?.map(Clean::from),
        text: row.get::<_, String>(4)?.into(),
        line: row.get(5)?,
        start: row.get::<_, i64>(6)?.cast_unsigned(),
        lead: row.get(7)?,
        breaks: breaks_of(&row.get::<_, Vec<u8>>(8)?),
    })
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::index::{Index, IndexError};
    use crate::reader::Readers;

    #[test]
    fn an_id_of_a_document_never_comes_to_mean_another() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let write = |name: &str| std::fs::write(docs.join(name), format!("The text of {name} is short.\n")).unwrap();
        let index = Index::open(std::slice::from_ref(&docs), folder.path(), Readers::in_this_process()).unwrap();
        write("a.md");
        index.refresh(&mut |_| ()).unwrap();
        // The last one has the highest id.
        write("b.md");
        index.refresh(&mut |_| ()).unwrap();
        let (catalogue, reading) = (index.catalogue().unwrap(), index.reading().unwrap());
        let source = |name: &str| catalogue.called(name)[0].1.source.id.clone();
        let (a, b) = (source("a.md"), source("b.md"));
        assert!(reading.read(&catalogue, &b, 0, 1).unwrap().is_some());
        std::fs::remove_file(docs.join("b.md")).unwrap();
        index.refresh(&mut |_| ()).unwrap();
        write("c.md");
        index.refresh(&mut |_| ()).unwrap();
        assert_eq!(reading.read(&catalogue, &b, 0, 1).unwrap(), None);
        assert!(reading.find(&catalogue, "b.md", "c.md").unwrap().unwrap().blocks.is_empty());
        assert!(reading.read(&catalogue, &a, 0, 1).unwrap().is_some());
    }

    #[test]
    fn an_index_that_was_made_anew_is_not_read_with_the_documents_of_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        std::fs::write(docs.join("a.md"), "Some text.\n").unwrap();
        let index = Index::open(std::slice::from_ref(&docs), folder.path(), Readers::in_this_process()).unwrap();
        index.refresh(&mut |_| ()).unwrap();
        let (old_catalogue, old) = (index.catalogue().unwrap(), index.reading().unwrap());
        index.rebuild(&mut |_| ()).unwrap();
        let (new_catalogue, new) = (index.catalogue().unwrap(), index.reading().unwrap());
        for (reading, catalogue, is_read) in [
            (&old, &old_catalogue, true),
            (&new, &new_catalogue, true),
            (&old, &new_catalogue, false),
            (&new, &old_catalogue, false),
        ] {
            let source = catalogue.called("a.md")[0].1.source.id.clone();
            let answers = [
                index.answered(reading.search(catalogue, "text", 5)).map(drop),
                index.answered(reading.sections_like(catalogue, "text", 5, 0)).map(drop),
                index.answered(reading.read(catalogue, &source, 0, 1)).map(drop),
                index.answered(reading.whole(catalogue, &source, 1)).map(drop),
                index.answered(reading.outline(catalogue, &source)).map(drop),
                index.answered(reading.find(catalogue, "a.md", "text")).map(drop),
            ];
            for answer in answers {
                match is_read {
                    true => assert!(answer.is_ok(), "{answer:?}"),
                    false => assert!(matches!(answer, Err(IndexError::Outdated { .. })), "{answer:?}"),
                }
            }
        }
    }

    #[test]
    fn what_is_not_translated_yet_is_found_in_the_english_page_alone() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir(&docs).unwrap();
        let english = "The array stays functional with up to one failed disk, but with no more than that.";
        let german = "Der Verbund bleibt in Betrieb, auch wenn eine der Platten ausf\u{e4}llt, aber nicht mehr \
                      als eine davon. Alle weiteren Platten werden erst benutzt, wenn eine andere ersetzt werden muss.";
        for (name, said) in [("raid.de.md", [german, english]), ("raid.en.md", [english, "Nothing else."])] {
            std::fs::write(docs.join(name), format!("# RAID\n\n{}\n", said.join("\n\n"))).unwrap();
        }
        let index = Index::open(&[docs], folder.path(), Readers::in_this_process()).unwrap();
        index.refresh(&mut |_| ()).unwrap();
        let (catalogue, reading) = (index.catalogue().unwrap(), index.reading().unwrap());
        let found = |asked: &str| -> Vec<String> {
            let hits = reading.search(&catalogue, asked, Search::MOST).unwrap();
            hits.hits.into_iter().map(|hit| hit.source.path.to_string()).collect()
        };
        assert_eq!(found("failed disk of the array"), ["raid.en.md"]);
        assert_eq!(found("Verbund Platten"), ["raid.de.md"]);
    }
}
