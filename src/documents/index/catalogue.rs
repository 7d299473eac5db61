//! The documents of an index: those that a search may return, and counts over all of them.

use std::collections::HashMap;
use std::sync::Mutex;

use rusqlite::Connection;

use super::schema::Generation;
use super::terms::Stems;
use super::{Index, IndexError};
use crate::translations::EnglishPages;
use run::evidence::{Hit, Hits, SourceRef};
use run::id::SourceId;
use run::profile::Listed;
use run::tool::builtin::Search;
use text::Clean;
use text::locked::Locked;
use text::words::Language;

/// The most words whose count or correction is cached.
const MOST_KEPT: usize = 20_000;

/// The documents of an index when it was loaded.
#[derive(Debug)]
pub struct Catalogue {
    pub(super) generation: Generation,
    documents: HashMap<i64, Document>,
    by_source: HashMap<SourceId, i64>,
    pub(super) languages: Vec<Language>,
    blocks: u32,
    /// The number of blocks by term: counting is the expensive part of a search, and words repeat.
    pub(super) counts: KeptWords<u32>,
    /// The corrections of unknown words.
    pub(super) meant: KeptWords<Option<String>>,
    #[cfg(feature = "encoder")]
    pub(super) beginnings: super::sections::Kept,
}

/// A bounded cache of facts about words.
#[derive(Debug)]
pub(super) struct KeptWords<T>(Mutex<HashMap<String, T>>);

impl<T> Default for KeptWords<T> {
    fn default() -> Self {
        KeptWords(Mutex::default())
    }
}

impl<T: Clone> KeptWords<T> {
    pub(super) fn get(&self, word: &str) -> Option<T> {
        self.0.locked().get(word).cloned()
    }

    /// Caches a fact; drops all earlier ones if there are too many.
    pub(super) fn keep(&self, word: &str, found: T) {
        let mut kept = self.0.locked();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(word.to_owned(), found);
    }
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) source: SourceRef,
    /// Its rank when sorted by path.
    pub(super) order: u32,
    pub(super) blocks: u32,
    /// The stems of its title, each with a space before and after.
    title_stems: String,
    /// Whether it is an English copy among pages of another language. Searches do not return it.
    is_copy: bool,
    /// Whether it is a page in another language next to an English one: searches do not return its English passages.
    pub(super) is_translation: bool,
}

impl Index {
    /// Loads the list of documents.
    pub fn catalogue(&self) -> Result<Catalogue, IndexError> {
        let connection = self.connect()?;
        // Together: a change in between would part the documents from their generation.
        let loaded = connection.unchecked_transaction().and_then(|together| load(&together));
        loaded.map_err(|e| self.explain(e))
    }
}

fn load(connection: &Connection) -> rusqlite::Result<Catalogue> {
    let mut rows = connection.prepare(
        "SELECT id, source, label, title, sha256, language, blocks, superseded, untranslated FROM files WHERE why IS NULL
         ORDER BY label, source",
    )?;
    let mut rows = rows.query([])?;
    let (mut documents, mut by_source) = (HashMap::new(), HashMap::new());
    let mut stems: Vec<Stems> = Vec::new();
    let mut blocks = 0u32;
    let mut order = 0u32;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let language: Language = serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default();
        let source = SourceRef {
            id: SourceId(row.get::<_, String>(1)?.into()),
            path: row.get::<_, String>(2)?.into(),
            title: row.get::<_, String>(3)?.into(),
            sha256: row.get::<_, String>(4)?.into(),
            superseded: row.get::<_, Option<String>>(7)?.map(Clean::from),
        };
        let title_stems = format!(" {}", Stems::of(language, &mut stems).stemmed(&source.title));
        by_source.entry(source.id.clone()).or_insert(id);
        let own: u32 = row.get(6)?;
        documents.insert(
            id,
            Document { source, order, blocks: own, title_stems, is_copy: row.get(8)?, is_translation: false },
        );
        blocks = blocks.saturating_add(own);
        order += 1;
    }
    let english = EnglishPages::among(documents.values().map(|document| &*document.source.path));
    for document in documents.values_mut() {
        document.is_translation = english.have(&document.source.path);
        document.is_copy &= document.is_translation;
    }
    let languages = in_fixed_order(stems.iter().map(Stems::language));
    Ok(Catalogue {
        generation: Generation::of(connection)?,
        documents,
        by_source,
        languages,
        blocks,
        counts: KeptWords::default(),
        meant: KeptWords::default(),
        #[cfg(feature = "encoder")]
        beginnings: super::sections::Kept::default(),
    })
}

impl Catalogue {
    /// All documents, sorted by path.
    pub fn files(&self) -> Vec<Listed> {
        let mut documents: Vec<&Document> = self.documents.values().collect();
        documents.sort_by_key(|document| document.order);
        let listed = |document: &Document| Listed { source: document.source.clone(), blocks: document.blocks };
        documents.into_iter().map(listed).collect()
    }

    /// Hits among the documents, without the terms and titles that a word search adds.
    pub(super) fn hits(&self, hits: Vec<Hit>) -> Hits {
        let documents = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        Hits { hits, documents, blocks: self.blocks, titled: Vec::new(), terms: Vec::new(), notes: Vec::new() }
    }

    pub(super) fn source(&self, file: i64) -> Option<&SourceRef> {
        self.documents.get(&file).map(|document| &document.source)
    }

    /// A document, if searches may return it.
    pub(super) fn found(&self, file: i64) -> Option<&Document> {
        self.documents.get(&file).filter(|document| !document.is_copy)
    }

    pub(super) fn document(&self, source: &SourceId) -> Option<(i64, &Document)> {
        let id = *self.by_source.get(source)?;
        Some((id, self.documents.get(&id)?))
    }

    /// Whether there is a document with this name.
    pub fn has(&self, path: &str) -> bool {
        self.documents.values().any(|document| *document.source.path == *path)
    }

    /// The documents with this name, in order.
    pub(super) fn called(&self, path: &str) -> Vec<(i64, &Document)> {
        let of_name = self.documents.iter().filter(|(_, document)| *document.source.path == *path);
        let mut called: Vec<(i64, &Document)> = of_name.map(|(id, document)| (*id, document)).collect();
        called.sort_by_key(|(_, document)| document.order);
        called
    }

    /// Documents whose title contains every word of the query.
    pub(super) fn titled(&self, query: &str) -> Vec<SourceRef> {
        let documents = self.documents.values().filter(|document| !document.is_copy);
        titled(documents.map(|d| (&*d.title_stems, &d.source, d.order)), query, &self.languages)
    }
}

/// These languages without repeats, in an order that does not depend on the documents; the default language if there
/// are none.
pub(super) fn in_fixed_order(languages: impl Iterator<Item = Language>) -> Vec<Language> {
    let mut languages: Vec<Language> = languages.collect();
    languages.sort_by_key(|language| format!("{language:?}"));
    languages.dedup();
    if languages.is_empty() {
        languages.push(Language::default());
    }
    languages
}

/// The sources whose title contains every word of the query in one of these languages, short titles first, each with
/// the padded stems of its title and its rank among equals.
pub(super) fn titled<'d>(
    documents: impl Iterator<Item = (&'d str, &'d SourceRef, u32)>,
    query: &str,
    languages: &[Language],
) -> Vec<SourceRef> {
    let stems = |language: &Language| -> Vec<String> {
        let stems = Stems::new(*language).stemmed(query);
        stems.split(' ').filter(|stem| !stem.is_empty()).map(|stem| format!(" {stem} ")).collect()
    };
    let wanted: Vec<Vec<String>> = languages.iter().map(stems).filter(|stems| !stems.is_empty()).collect();
    let holds = |title: &str| wanted.iter().any(|stems| stems.iter().all(|stem| title.contains(stem.as_str())));
    let mut titled: Vec<_> = documents.filter(|(title, ..)| holds(title)).collect();
    titled.sort_by_key(|(_, source, rank)| (source.title.len(), *rank));
    titled.into_iter().take(Search::MOST_TITLED).map(|(_, source, _)| source.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_words_does_not_grow_without_end() {
        let counts: KeptWords<u32> = KeptWords::default();
        (0..=u32::try_from(MOST_KEPT).unwrap()).for_each(|word| counts.keep(&word.to_string(), word));
        assert_eq!(counts.get("20000"), Some(20_000));
        assert!(counts.0.lock().unwrap().len() <= MOST_KEPT);
    }
}
