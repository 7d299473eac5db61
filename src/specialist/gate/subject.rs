//! Quotes with their context, and the check that a statement is about the things that its quotes are about.
//!
//! A model that compares things may give a source's statement on one to another: every word of such a claim is in the source, and
//! the claim is wrong.

use std::collections::BTreeSet;

use super::paraphrase::has_initials;
use crate::words::WORDS;
use run::cells::parted;
use run::evidence::{Block, BlockKind, Place};
use run::finding::Announced;
use text::Clean;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, word_indices, words};

/// A quote with its context.
#[derive(Default)]
pub(crate) struct Quoted {
    /// The words of the source that a statement rests on.
    pub said: String,
    /// Headings, titles and paths: names and numbers may come from there.
    pub above: String,
    /// The text of the passage: names may come from there, numbers may not.
    pub passage: String,
    /// The words of the question that name no compared thing: names may come from there.
    pub(super) asked: String,
    /// The innermost heading and the title of each place, the nearest first.
    pub(super) heads: Vec<[String; 2]>,
    /// Of a row of a table, its cells, each with the name of its column.
    pub(super) row: Vec<(String, String)>,
    /// The byte offset of the quote in the passage.
    pub(super) begins: usize,
}

impl Quoted {
    /// A quote from a place whose block is `block`.
    pub(crate) fn new(said: &str, place: Option<&Place>, block: Option<&Block>) -> Quoted {
        let mut quoted = Quoted { said: said.into(), ..Quoted::default() };
        place.into_iter().for_each(|place| quoted.stands_at(place));
        if let Some(block) = block {
            quoted.stands_below(block.intro.as_deref().unwrap_or(""));
            // The first cell of a row is the name of the others: "[Code 12]: Wrong password."
            let is_row = block.kind == BlockKind::TableRow;
            let name = block.text.split(" | ").find(|cell| is_row && !cell.trim_matches(['|', ' ']).is_empty());
            quoted.stands_below(name.unwrap_or_default());
            if let Some(header) = block.intro.as_deref().filter(|_| is_row) {
                let columns = parted(header).into_iter().zip(parted(&block.text));
                quoted.row = columns.map(|((_, name), (_, cell))| (name.to_owned(), cell.to_owned())).collect();
            }
            quoted.passage = block.text.to_string();
            quoted.begins = place.map_or(0, |place| place.start as usize);
        }
        quoted
    }

    /// The same, with what it announces.
    pub(crate) fn announcing(mut self, announced: &[Announced]) -> Quoted {
        announced.iter().for_each(|one| self.said.extend(["\n", one.text.as_str()]));
        self
    }

    /// Adds another place with the same statement.
    pub(crate) fn stands_at(&mut self, place: &Place) {
        let heading = place.headings.last().map(ToString::to_string).unwrap_or_default();
        self.heads.push([heading, place.source.title.to_string()]);
        place.headings.iter().chain([&place.source.title, &place.source.path]).for_each(|text| self.stands_below(text));
    }

    /// The same, with the question that is answered. Of several things that it compares, a statement may name only those that its quotes
    /// are about.
    pub(crate) fn answering(self, question: &str, things: &[Clean]) -> Quoted {
        let compared: BTreeSet<_> =
            things.iter().filter(|_| things.len() > 1).flat_map(|thing| words(thing)).map(fold).collect();
        let asked = words(question).filter(|word| !compared.contains(&fold(word))).collect::<Vec<_>>().join(" ");
        Quoted { asked, ..self }
    }

    /// Adds a text above the quote.
    pub(crate) fn stands_below(&mut self, text: &str) {
        self.above.push(' ');
        self.above.push_str(text);
    }

    /// Whether a heading makes a thing its subject: the nearest one that names any thing begins with this one and names no other, and
    /// the quote speaks of no other, either.
    fn is_headed_by(&self, thing: &Thing<'_>, things: &[Thing<'_>], language: Language) -> bool {
        let others = || things.iter().filter(|other| !other.stems.is_in(&thing.stems));
        let names_any = |head: &&String| things.iter().any(|thing| thing.is_meant_in(head, language));
        let is_its =
            |head: &String| thing.begins(head, language) && !others().any(|other| other.is_meant_in(head, language));
        self.heads.iter().any(|heads| heads.iter().find(names_any).is_some_and(is_its))
            && !others().any(|other| other.is_spoken_of_in(&self.said, language))
    }

    /// Whether it is about a thing: that of its heading, or the nearest thing named in it, before it in its passage, or above it.
    fn is_about(&self, thing: &Thing<'_>, things: &[Thing<'_>], language: Language) -> bool {
        if self.is_headed_by(thing, things, language) {
            return true;
        }
        let before = self.passage.get(..self.begins).unwrap_or_default();
        let sentences = sentences(before).into_iter().rev().map(|sentence| &before[sentence]);
        let mut nearest = std::iter::once(self.said.as_str()).chain(sentences).chain([self.above.as_str()]);
        let is_other = |other: &&Thing<'_>| !other.stems.is_in(&thing.stems);
        let judged = nearest.find_map(|text| {
            let names_another = || things.iter().filter(is_other).any(|other| other.is_meant_in(text, language));
            thing.is_meant_in(text, language).then_some(true).or_else(|| names_another().then_some(false))
        });
        judged.unwrap_or(false)
    }
}

/// The first of these things that a statement names and none of its quotes is about.
pub(crate) fn mistaken<'a>(statement: &str, quoted: &[Quoted], things: &'a [Clean]) -> Option<&'a Clean> {
    if things.is_empty() {
        return None;
    }
    let language = Language::of(statement);
    let stated = Stems::of(statement, language);
    let things = Thing::all(things, language);
    let is_told_apart = |thing: &&Thing<'_>| !thing.own.0.is_empty();
    let named = things.iter().filter(|thing| thing.stems.is_in(&stated)).filter(is_told_apart);
    let mut mistaken = named.filter(|thing| !quoted.iter().any(|quoted| quoted.is_about(thing, &things, language)));
    mistaken.next().map(|thing| thing.name)
}

struct Thing<'a> {
    name: &'a Clean,
    stems: Stems,
    /// The stems that no other thing has.
    own: Stems,
    /// Names of capitals alone, in lower case: "wal" of "WAL mode".
    initials: Vec<String>,
}

impl<'a> Thing<'a> {
    fn all(names: &'a [Clean], language: Language) -> Vec<Thing<'a>> {
        let all: Vec<Stems> = names.iter().map(|name| Stems::of(name, language)).collect();
        let own = |n: usize| {
            let others = all.iter().filter(|other| !all[n].is_in(other));
            let of_others: BTreeSet<&String> = others.flat_map(|stems| &stems.0).collect();
            Stems(all[n].0.iter().filter(|stem| !of_others.contains(stem)).cloned().collect())
        };
        let initials = |name: &str| {
            let is_short = |word: &&str| word.len() > 2 && word.chars().all(char::is_uppercase);
            words(name).filter(is_short).map(str::to_lowercase).collect()
        };
        let thing = |(n, name): (usize, &'a Clean)| {
            let stems = Stems::of(name, language);
            Thing { name, stems, own: own(n), initials: initials(name) }
        };
        names.iter().enumerate().map(thing).collect()
    }

    /// Whether a text names it. Of a name that shares words with the name of another thing, one of the others is enough: a source
    /// on "WAL mode" and "rollback journal mode" says "WAL", "rollback mode" and "the rollback journal".
    fn is_meant_in(&self, text: &str, language: Language) -> bool {
        let there = Stems::of(text, language);
        let shares = self.own.0.len() < self.stems.0.len();
        self.stems.is_in(&there)
            || shares && !self.own.0.is_disjoint(&there.0)
            || shares && self.initials.iter().any(|initials| has_initials(text, initials))
    }

    /// Whether a heading begins with its name, behind an article at most.
    fn begins(&self, heading: &str, language: Language) -> bool {
        let mut all = word_indices(heading).skip_while(|(_, word)| is_stop(word)).peekable();
        let Some(from) = all.peek().map(|(at, _)| *at) else { return false };
        let last = all.take(words(self.name).count()).last();
        last.is_some_and(|(at, word)| self.is_meant_in(&heading[from..at + word.len()], language))
    }

    /// Whether a text says something of it, and does not only relate something else to it: "applied after it".
    fn is_spoken_of_in(&self, text: &str, language: Language) -> bool {
        let all: Vec<(usize, &str)> = word_indices(text).collect();
        let has = |stems: &Stems, at: usize| !stems.0.is_disjoint(&Stems::of(all[at].1, language).0);
        let own = if self.own.0.is_empty() { &self.stems } else { &self.own };
        let begins = |at: usize| {
            let is_before = |n: &usize| has(&self.stems, *n) || matches!(&*fold(all[*n].1), "a" | "an" | "the");
            (0..at).rev().take_while(is_before).last().unwrap_or(at)
        };
        let is_related =
            |at: usize| WORDS.relating.end(format!(" {}", &text[..all[begins(at)].0]).to_lowercase().trim_end());
        self.is_meant_in(text, language) && !(0..all.len()).filter(|at| has(own, *at)).all(is_related)
    }
}

/// The stems of the content words of a text.
struct Stems(BTreeSet<String>);

impl Stems {
    fn of(text: &str, language: Language) -> Stems {
        // The name of a file is the name of its subject: "wal.html".
        let parts = words(text).flat_map(|word| word.split('.').filter(|part| part.len() < word.len()));
        let parts = parts.filter(|part| part.chars().all(char::is_alphabetic));
        let parts = parts.flat_map(|part| content_stems(part, language));
        Stems(content_stems(text, language).into_iter().chain(parts).collect())
    }

    /// Whether another text has all of them, and there is at least one.
    fn is_in(&self, other: &Stems) -> bool {
        !self.0.is_empty() && self.0.is_subset(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistaken(statement: &str, quoted: &[Quoted]) -> Option<String> {
        let things = ["pgvector".into(), "Qdrant".into()];
        super::mistaken(statement, quoted, &things).map(|thing| thing.to_string())
    }

    fn wrong(statement: &str, said: &str, above: &str, passage: &str) -> Option<String> {
        let begins = passage.find(said).unwrap_or(0);
        let of =
            Quoted { said: said.into(), above: above.into(), passage: passage.into(), begins, ..Quoted::default() };
        mistaken(statement, &[of])
    }

    #[test]
    fn a_thing_takes_nothing_that_a_source_says_of_another() {
        let joins = "Pinecone has no joins.";
        assert_eq!(wrong("Qdrant has no joins.", joins, "Pinecone limits", joins), Some("Qdrant".into()));
        let limit = "pgvector has no metadata limit of its own";
        let both = "Qdrant accepts up to 65,535 dimensions. pgvector has no metadata limit of its own";
        assert_eq!(
            wrong("pgvector has no limit, but Qdrant does.", limit, "How others compare", both),
            Some("Qdrant".into())
        );
        assert_eq!(wrong("pgvector's metadata has no limit.", limit, "", both), None);
    }

    #[test]
    fn a_quote_that_names_nothing_is_about_what_stands_above_it() {
        let said = "It filters during the walk.";
        assert_eq!(wrong("Qdrant filters during the walk.", said, "Filtering qdrant/filtering.md", said), None);
        assert_eq!(
            wrong("Qdrant filters during the walk.", said, "", "Qdrant has an index. It filters during the walk."),
            None
        );
        let between = "Qdrant has an index. So has pgvector. It filters during the walk.";
        assert_eq!(wrong("Qdrant filters during the walk.", said, "", between), Some("Qdrant".into()));
        assert_eq!(wrong("A walk is short.", said, "", ""), None);
        assert_eq!(wrong("Qdrant filters during the walk.", said, "pgvector at a glance", said), Some("Qdrant".into()));
    }

    #[test]
    fn the_thing_that_begins_the_heading_is_the_subject_whatever_the_quote_relates_it_to() {
        let things =
            ["smtpd_relay_restrictions", "smtpd_recipient_restrictions", "git reset", "git restore"].map(Clean::from);
        let [relay, recipient, reset, restore] = ["relay", "recipient", "reset", "restore"];
        let after = "Optional restrictions that the server applies, after smtpd_relay_restrictions.";
        let equal = "The form with a path is equivalent to the git restore command.";
        let of_relay = "smtpd_recipient_restrictions (default: empty)";
        for (heading, title, said, about, is_right) in [
            (of_relay, "postconf", after, recipient, true),
            (of_relay, "postconf", after, relay, true),
            ("git reset <path>", "git-reset(1)", equal, reset, true),
            ("Description", "git-reset(1)", equal, reset, true),
            ("Description", "Pages", equal, reset, false),
            // What the quote says of another thing is said of that one, whatever the heading.
            ("git reset", "git-reset(1)", "Use git restore for a file.", reset, false),
            ("git reset", "git-reset(1)", "A file comes back with git restore.", reset, false),
            ("git restore", "git-restore(1)", "It brings a file back.", reset, false),
            ("git reset and git restore", "Pages", "It brings back a file with git restore.", reset, false),
            ("git reset", "git-reset(1)", "It moves the branch.", restore, false),
        ] {
            let place = crate::sample::finding(1, title, said)
                .place
                .map(|place| Place { headings: [heading.into()].into(), ..place });
            let quoted = [Quoted::new(said, place.as_ref(), None)];
            let name = things.iter().find(|thing| thing.contains(about)).unwrap();
            let found = super::mistaken(&format!("{name} is meant."), &quoted, &things);
            assert_eq!(found.is_none(), is_right, "{about}: {heading} / {title} / {said}");
        }
    }

    #[test]
    fn a_thing_that_shares_a_word_with_another_is_named_by_one_of_its_own() {
        let things = ["WAL mode".into(), "rollback journal mode".into()];
        let wal = "WAL provides more concurrency as readers do not block writers.";
        let locks = "In rollback mode, SQLite locks the database file and prevents any reads.";
        let file = "The rollback journal is deleted at the end of a transaction.";
        let log = "A write-ahead log keeps the changes.";
        for (statement, said, above, mistaken) in [
            ("In WAL mode readers do not block writers.", wal, "", None),
            ("In rollback journal mode SQLite locks the database file.", locks, "", None),
            ("In rollback journal mode the file is deleted at the end.", file, "", None),
            ("WAL mode keeps the changes.", log, "", None),
            ("WAL mode keeps the changes.", "It keeps the changes.", "Overview docs/wal.html", None),
            ("In WAL mode SQLite locks the database file.", locks, "wal.html", Some("WAL mode")),
            ("In rollback journal mode readers do not block writers.", wal, "", Some("rollback journal mode")),
            ("In WAL mode it is slow.", "This mode is slow.", "", Some("WAL mode")),
        ] {
            let quoted = [Quoted { said: said.into(), above: above.into(), ..Quoted::default() }];
            let found = super::mistaken(statement, &quoted, &things).map(Clean::as_str);
            assert_eq!(found, mistaken, "{statement} / {said}");
        }
        let of_others = ["WAL".into(), "mode".into(), "WAL mode".into()];
        let quoted = [Quoted { said: "The mode is slow, and so is WAL.".into(), ..Quoted::default() }];
        assert_eq!(super::mistaken("WAL mode is slow.", &quoted, &of_others), None, "no word tells it from the others");
    }

    #[test]
    fn of_several_quotes_one_has_to_be_about_each_thing() {
        let of = |said: &str, above: &str| Quoted { said: said.into(), above: above.into(), ..Quoted::default() };
        let quotes = [of("pgvector filters afterwards.", ""), of("It filters during the walk.", "Qdrant")];
        assert_eq!(mistaken("Qdrant filters during the walk, pgvector afterwards.", &quotes), None);
        assert_eq!(mistaken("Qdrant and pgvector filter.", &quotes[..1]), Some("Qdrant".into()));
    }
}
