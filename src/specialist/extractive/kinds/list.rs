//! Lists of kinds in the sources: items, rows, and sections below the same heading. The claim on an item is made in
//! `item.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::item::first;
use super::{Kinds, LEAST, MOST_OF_KIND};
use crate::extractive::candidate::{Candidate, steering};
use crate::extractive::headings::{closed, entry, is_furniture, is_signature, unnumbered};
use crate::extractive::tool_results::ToolResults;
use crate::extractive::topic::Tokens;
use crate::words::WORDS;
use run::cells::parted;
use run::evidence::{Block, BlockKind, Outline, SourceRef};
use run::tool::ToolCall;
use run::tool::builtin::Read;
use text::Clean;
use text::words::{Language, fold, is_stop, stem, words};

/// The most items of a list that is quoted whole; a longer one is a reference.
const MOST_ITEMS: usize = 32;
/// The most windows of a page that are read for its lists.
const MOST_READS: usize = 4;
/// The number of first blocks of a kind's section that may be about it.
const OF_ONE: u32 = 3;

/// The page, the headings above and the introduction of a list.
type Key<'b> = (&'b str, &'b [Clean], Option<&'b str>);

/// The text right above a list.
#[derive(Clone, Copy)]
enum Over<'b> {
    Heading(&'b str),
    Introduction(&'b str),
    /// The first column of a table.
    Column(&'b str),
}

impl<'b> Over<'b> {
    fn text(self) -> &'b str {
        match self {
            Over::Heading(text) | Over::Introduction(text) | Over::Column(text) => text,
        }
    }
}

/// A list: the text right above it, and the blocks of each item by its name.
struct List<'b> {
    source: &'b SourceRef,
    over: Over<'b>,
    items: BTreeMap<&'b str, Vec<&'b Arc<Block>>>,
}

impl Kinds {
    /// The first sentence on each kind, from the list that fits the question best.
    pub fn listed(&self, results: &ToolResults) -> Vec<Candidate> {
        self.best(results, |_| true)
    }

    /// The same, from the table that fits the question best, with all its rows.
    pub fn in_rows(&self, results: &ToolResults) -> Vec<Candidate> {
        let is_table = |list: &List<'_>| list.items.values().flatten().all(|block| block.kind == BlockKind::TableRow);
        self.best(results, is_table)
    }

    /// The first sentence on each kind, from the list that fits the question best of those that `is_meant` names.
    fn best(&self, results: &ToolResults, is_meant: impl Fn(&List<'_>) -> bool) -> Vec<Candidate> {
        let scores = results.passage_scores();
        let mut best: Option<((usize, usize, f64), Vec<Candidate>)> = None;
        for ((page, parents, _), list) in lists(results).iter().filter(|(_, list)| is_meant(list)) {
            let Some((of_name, of_owner)) = self.share_of(list) else { continue };
            let score = |block: &Block| scores.get(&(page.to_string(), block.no)).copied().unwrap_or(0.0);
            let score = list.items.values().flatten().map(|block| score(block)).fold(0.0, f64::max);
            let worth = (of_name, of_owner, score);
            if best.as_ref().is_some_and(|(before, _)| worth <= *before) {
                continue;
            }
            let items = list.first_sentences();
            if (LEAST..=MOST_ITEMS).contains(&items.len()) && list.is_whole(parents, &items, results) {
                best = Some((worth, items));
            }
        }
        best.map(|(_, items)| items).unwrap_or_default()
    }

    /// The number of words of the name right above the list, and of words of the owner in the list or its headings. None for a list
    /// of something else.
    fn share_of(&self, list: &List<'_>) -> Option<(usize, usize)> {
        let is_below = self.are_below(list.over, &list.source.title);
        if !is_below && !self.are_ones(list.items.keys()) {
            return None;
        }
        // A sentence is not a name.
        let unnamed = list.items.keys().filter(|name| words(name).count() > MOST_OF_KIND).count();
        if unnamed * 3 > list.items.len() {
            return None;
        }
        let over = Tokens::of(list.over.text()).content();
        let above = list.above();
        let is_said = |asked: &String| above.contains(asked) || 2 * list.saying(asked) >= list.items.len();
        let of_owner = self.owner.iter().filter(|asked| is_said(asked)).count();
        if !self.name.iter().all(is_said) || !is_below && of_owner < self.owner.len() {
            return None;
        }
        Some((self.name.iter().filter(|asked| over.contains(*asked)).count(), of_owner))
    }

    /// Whether the items below this text are the kinds.
    fn are_below(&self, over: Over<'_>, title: &str) -> bool {
        match over {
            Over::Introduction(text) => self.is_over(text) && !self.is_narrower(text, title),
            // "Level = job-level".
            Over::Heading(text) if is_signature(text) => {
                entry(text).and_then(|entry| words(entry).next()).is_some_and(|name| self.is_head(name))
            }
            // A heading with other words is about parts of them: "Conversion between disk templates".
            Over::Heading(text) => self.is_over(text) && self.other_words(text) == 0,
            Over::Column(text) => {
                words(text).last().is_some_and(|name| self.is_head(name)) && self.other_words(text) == 0
            }
        }
    }

    /// Whether a text announces only some of the kinds: "these composite modes" for modes.
    fn is_narrower(&self, text: &str, title: &str) -> bool {
        let text_words: Vec<&str> = words(text).collect();
        let Some(at) = text_words.iter().rposition(|word| self.is_head(word)) else { return false };
        let Some(before) = at.checked_sub(1).map(|before| fold(text_words[before])) else { return false };
        let stem = stem(&before, Language::English);
        let is_known = [&self.name, &self.owner].iter().any(|known| known.contains(&stem))
            || Tokens::of(title).content().contains(&stem);
        !is_stop(&before) && !is_of_kinds(&before) && !is_known
    }

    /// The number of words of a heading that are neither in the name nor words for "kinds".
    fn other_words(&self, heading: &str) -> usize {
        let is_other = |word: &&str| {
            let word = fold(word);
            !is_stop(&word) && !is_of_kinds(&word) && !self.name.contains(&stem(&word, Language::English))
        };
        words(unnumbered(heading)).filter(is_other).count()
    }

    /// Whether each heading is the name of a kind: "Directory pool", "Disk pool".
    fn are_ones<'n>(&self, mut headings: impl Iterator<Item = &'n &'n str>) -> bool {
        let is_one = |heading: &str| words(heading).skip(1).last().is_some_and(|last| self.is_head(last));
        headings.all(|heading| is_one(heading))
    }

    /// The beginnings of unread sections on single kinds.
    pub fn unread(&self, outline: &Outline, results: &ToolResults) -> Vec<ToolCall> {
        let title = &outline.source.title;
        let is_of_it = |parents: &[Clean], sections: &BTreeMap<&str, u32>| {
            let over = Over::Heading(parents.last().unwrap_or(title));
            (LEAST..=MOST_ITEMS).contains(&sections.len())
                && (self.are_below(over, title) || self.are_ones(sections.keys()))
        };
        let of_it = families(outline).into_iter().filter(|(parents, sections)| is_of_it(parents, sections));
        let mut firsts: Vec<u32> = of_it.flat_map(|(_, sections)| sections.into_values()).collect();
        firsts.retain(|first| !results.has(&outline.source.path, *first));
        firsts.sort_unstable();
        let mut reads: Vec<Read> = Vec::new();
        for first in firsts {
            let to = first + OF_ONE;
            match reads.last_mut().filter(|read| to - read.from <= Read::MOST) {
                Some(read) => read.to = to,
                None => reads.push(Read { source: outline.source.id.clone(), from: first, to }),
            }
        }
        reads.truncate(MOST_READS);
        reads.into_iter().map(Into::into).collect()
    }
}

impl List<'_> {
    /// The stems of everything above the items.
    fn above(&self) -> BTreeSet<String> {
        let headings = self.items.values().flatten().next().map(|block| block.headings.clone()).unwrap_or_default();
        let above = headings.iter().map(|heading| heading.as_str()).chain([&*self.source.title, self.over.text()]);
        above.flat_map(|text| Tokens::of(text).content()).collect()
    }

    /// The number of items that contain a word.
    fn saying(&self, stem: &str) -> usize {
        let says = |name: &str, block: &Block| {
            [name, &block.text].iter().any(|text| Tokens::of(text).content().contains(stem))
        };
        self.items.iter().filter(|(name, blocks)| blocks.first().is_some_and(|block| says(name, block))).count()
    }

    /// The first sentence of each item, in the order of the page.
    fn first_sentences(&self) -> Vec<Candidate> {
        let first_sentence = |(name, blocks): (&&str, &Vec<&Arc<Block>>)| {
            blocks.iter().take(OF_ONE as usize).find_map(|block| first(name, self.source, block))
        };
        let mut items: Vec<Candidate> = self.items.iter().filter_map(first_sentence).collect();
        items.sort_by_key(|item| item.block.no);
        items
    }

    /// Whether most of the sections below these headings are listed.
    fn is_whole(&self, parents: &[Clean], listed: &[Candidate], results: &ToolResults) -> bool {
        let count = listed.iter().filter(|item| item.block.headings.len() > parents.len()).count();
        let outline = results.outlines.get(self.source.path.as_str());
        let all = outline.map(|outline| families(outline).get(parents).map_or(0, BTreeMap::len));
        count == 0 || all.is_some_and(|all| all * 2 <= count * 3)
    }
}

/// The sections of a page, grouped by the headings right above them; each name with the first block.
fn families(outline: &Outline) -> BTreeMap<&[Clean], BTreeMap<&str, u32>> {
    let mut found: BTreeMap<&[Clean], BTreeMap<&str, u32>> = BTreeMap::new();
    for section in &outline.sections {
        if let Some((name, parents)) = section.headings.split_last() {
            found.entry(parents).or_default().entry(unnumbered(name)).or_insert(section.first);
        }
    }
    found
}

/// Whether a word only announces kinds: "the following types".
fn is_of_kinds(word: &str) -> bool {
    [&WORDS.kinds_of, &WORDS.there_are, &WORDS.before_kinds].iter().any(|list| list.contains(word))
}

/// All lists that were read, except on pages that give instructions to the software reading them.
fn lists(results: &ToolResults) -> BTreeMap<Key<'_>, List<'_>> {
    let steering = steering(results);
    let says =
        |source: &SourceRef, block: &Block| block.kind != BlockKind::Code && !steering.contains(source.path.as_str());
    let mut lists: BTreeMap<Key<'_>, List<'_>> = BTreeMap::new();
    for (source, block) in results.blocks.values().filter(|(source, block)| says(source, block)) {
        for (key, over, item) in standing_in(source, block) {
            let list = lists.entry(key).or_insert_with(|| List { source, over, items: BTreeMap::new() });
            list.items.entry(item).or_default().push(block);
        }
    }
    lists
}

/// The lists that contain a block: of items, and of sections below the same heading. Each with its key, the text above
/// it, and the name of the block's item.
fn standing_in<'b>(source: &'b SourceRef, block: &'b Block) -> Vec<(Key<'b>, Over<'b>, &'b str)> {
    let (page, title): (&str, &str) = (&source.path, &source.title);
    let over = |headings: &'b [Clean]| Over::Heading(headings.last().map_or(title, |last| last.as_str()));
    let own = &block.headings[..];
    let intro = block.intro.as_deref();
    let name = || closed(block.text.split([':', '|']).find(|part| !part.trim().is_empty()).unwrap_or_default().trim());
    let introduced = |name: &'b str| match intro {
        Some(intro) => ((page, own, Some(intro)), Over::Introduction(intro), name),
        None => ((page, own, None), over(own), name),
    };
    let mut found = Vec::new();
    match block.kind {
        BlockKind::ListItem => found.push(introduced(name_of(&block.text))),
        BlockKind::KeyValue => {
            found.push(introduced(name()));
            // An entry of one line is beside entries that are sections.
            found.extend(intro.map(|_| ((page, own, None), over(own), name())));
        }
        BlockKind::TableRow => {
            let column = intro.and_then(|intro| parted(intro).into_iter().next()).map(|(_, column)| column);
            found.extend(column.map(|column| {
                let is_called = !column.is_empty();
                ((page, own, intro), if is_called { Over::Column(column) } else { over(own) }, name())
            }));
            // The heading may give the name that the column lacks.
            if column.is_none_or(|column| !column.is_empty()) {
                found.push(((page, own, None), over(own), name()));
            }
        }
        BlockKind::Paragraph | BlockKind::Code => {}
    }
    if let Some((last, parents)) = own.split_last().filter(|(last, _)| !is_furniture(last)) {
        found.push(((page, parents, None), over(parents), unnumbered(last)));
    }
    found
}

/// The name at the beginning of an item, or the whole item: "Quick: moves farther".
fn name_of(item: &str) -> &str {
    let ends = [": ", " – ", " — ", " - "].iter().filter_map(|end| item.find(end));
    item[..ends.min().unwrap_or(item.len())].trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, source};
    use run::evidence::Section;

    fn kinds(question: &str) -> Kinds {
        Kinds::asked(question).expect("it asks for kinds")
    }

    /// A page with a section on each of these plotting styles below one heading, and its outline with further ones.
    fn styles(read: &[&str], further: &[&str]) -> ToolResults {
        let mut results = ToolResults::default();
        let page = source("Plotting");
        let mut sections = Vec::new();
        for (no, name) in (0..).zip(read.iter().chain(further)) {
            let headings: Arc<[Clean]> = ["Plotting styles".into(), (*name).into()].into();
            sections.push(Section { headings: headings.clone(), first: no, end: no + 1 });
            if read.contains(name) {
                let block = Block { no, headings, ..block("This draws a curve through all of the points.") };
                results.blocks.insert((page.path.to_string(), no), (page.clone(), Arc::new(block)));
            }
        }
        let blocks = sections.len() as u32;
        results.outlines.insert(page.path.to_string(), Outline { source: page, sections, blocks });
        results
    }

    #[test]
    fn a_list_of_sections_is_used_where_most_of_it_was_read() {
        let asked = kinds("which plotting styles are there");
        let listed = |results: &ToolResults| asked.listed(results).len();
        assert_eq!(listed(&styles(&["lines", "points", "boxes"], &[])), 3);
        assert_eq!(listed(&styles(&["lines", "points", "boxes"], &["arrows", "circles", "steps"])), 0);
        assert_eq!(listed(&styles(&["lines", "points"], &[])), 0, "of two a sentence says so");
    }

    #[test]
    fn sections_that_were_not_read_are_read_from_their_beginnings() {
        let results = styles(&["lines", "points"], &["boxes", "arrows"]);
        let outline = results.outlines.values().next().expect("there is one");
        let reads = |question: &str| kinds(question).unread(outline, &results);
        let read = reads("which plotting styles are there")[0].of::<Read>().expect("it reads");
        assert_eq!((read.from, read.to), (2, 3 + OF_ONE));
        assert!(reads("which file formats are there").is_empty());
    }

    #[test]
    fn words_over_a_list_name_the_kinds_and_no_others() {
        let asked = kinds("which layer modes are there");
        for (over, wanted) in [
            (Over::Introduction("The following layer modes are known:"), true),
            (Over::Introduction("There are three composite modes:"), false),
            (Over::Introduction("To add a layer:"), false),
            (Over::Heading("2. Layer modes"), true),
            (Over::Heading("Layer modes and groups"), false),
            (Over::Heading("mode = layer-mode"), true),
            (Over::Column("Mode"), true),
            (Over::Column("Option"), false),
        ] {
            assert_eq!(asked.are_below(over, "Manual"), wanted, "{}", over.text());
        }
    }
}
