//! Things of one kind: pages with the same headings, sections below one heading, columns of one table. If a question names one of
//! them, text on another answers only if it says so itself: its values would be taken for those of the thing asked for.
//!
//! Only names count. Sentences without a value stay, and so do sentences that name the thing asked for or their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::extractive::ask::Ask;
use crate::extractive::candidate::Candidate;
use crate::extractive::headings::unnumbered;
use crate::extractive::tool_results::ToolResults;
use crate::extractive::topic::Tokens;
use crate::numbers::has_digit;
use run::cells::parted;
use run::evidence::{BlockKind, SourceRef};
use text::Clean;
use text::words::fold;

/// The least share of a question in a name for the question to name the thing.
const LEAST_NAMED: f64 = 0.2;

/// The siblings that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Among {
    /// Pages, sections and columns.
    All,
    /// Columns only: in a comparison each thing has its own task.
    Columns,
}

/// Drops text on siblings of a thing that the question names, unless it says that it is about the thing asked for: lines of lists
/// and tables, and sentences with a value that do not name their subject either.
pub(super) fn leave_out(found: &mut Vec<Candidate>, ask: &Ask, results: &ToolResults, among: Among) {
    found.retain(|c| !is_of_another_column(c, ask));
    if among == Among::Columns {
        return;
    }
    let pages = Pages::of(results, ask);
    found.retain(|c| {
        let siblings = [pages.sibling(&c.source), pages.sibling_section(c)];
        siblings.into_iter().flatten().all(|sibling| may_be_of_the_asked(c, sibling, ask.how))
    });
}

/// The name of a thing that is not asked for, and those of its siblings that are, by their stems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sibling {
    own: BTreeSet<String>,
    asked: BTreeSet<BTreeSet<String>>,
}

/// Whether a candidate below a sibling may be about the thing asked for: it says so, or names its subject, or gives no value. To a
/// question that does not ask how to do something, a line of a list without a name says nothing either, and a cell of a sibling's
/// table nothing at all.
fn may_be_of_the_asked(c: &Candidate, sibling: &Sibling, how: bool) -> bool {
    let is_named = |name: &BTreeSet<String>| name.iter().all(|stem| c.own.contains(stem) || c.above.contains(stem));
    if sibling.asked.iter().any(is_named) {
        return true;
    }
    // A label names its place, not its subject.
    let says_its_own = !sibling.own.is_disjoint(&Tokens::of(&c.block.text[c.claim.range.clone()]).content());
    match c.block.kind {
        BlockKind::TableRow if !how => false,
        BlockKind::KeyValue | BlockKind::ListItem if !how => says_its_own,
        _ => says_its_own || !has_digit(&c.block.text[c.claim.range.clone()]),
    }
}

/// Whether a candidate is a cell in a column of another thing than the one that the question names.
fn is_of_another_column(c: &Candidate, ask: &Ask) -> bool {
    let Some(header) = c.block.intro.as_deref().filter(|_| c.block.kind == BlockKind::TableRow) else { return false };
    let names: Vec<&str> = parted(header).into_iter().skip(1).map(|(_, name)| name.trim()).collect();
    let kin = Kin::of(&names, ask);
    let column = c.claim.nth.checked_sub(1).filter(|at| *at < names.len());
    kin.is_of_a_kind() && column.is_some_and(|at| kin.sibling(at, ask).is_some())
}

/// Several things of one kind, by the words that their names do not have in common.
struct Kin {
    /// The stems that most of the names have.
    common: BTreeSet<String>,
    own: Vec<BTreeSet<String>>,
    /// Whether the question names the thing.
    named: Vec<bool>,
}

impl Kin {
    fn of(names: &[&str], ask: &Ask) -> Kin {
        let stems: Vec<BTreeSet<String>> = names.iter().map(|name| Tokens::of(name).content()).collect();
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        stems.iter().flatten().for_each(|stem| *counts.entry(stem).or_default() += 1);
        let is_common = |count: usize| names.len() > 1 && count * 2 > names.len();
        let common: BTreeSet<String> =
            counts.iter().filter(|(_, count)| is_common(**count)).map(|(stem, _)| (*stem).clone()).collect();
        let is_named = |name: &&str| {
            alternatives(name).any(|name| {
                let own = &Tokens::of(name).content() - &common;
                !own.is_empty() && own.iter().all(|stem| is_asked(stem, ask)) && ask.share(&own) >= LEAST_NAMED
            })
        };
        let named = names.iter().map(is_named).collect();
        Kin { own: stems.iter().map(|stems| stems - &common).collect(), common, named }
    }

    /// Whether their names have a word in common.
    fn is_of_a_kind(&self) -> bool {
        !self.common.is_empty()
    }

    /// The thing at this place, if it is another than those that the question names: its name has a word that theirs lack,
    /// and that the question lacks, and they have words that it lacks. "Rye bread" is another thing than "banana bread"; "bread"
    /// and "banana bread with nuts" may be about it.
    fn sibling(&self, at: usize, ask: &Ask) -> Option<Sibling> {
        let own = &self.own[at];
        let all = || self.own.iter().zip(&self.named).filter(|(_, named)| **named).map(|(own, _)| own);
        // Of "bread" and "banana bread" a question names the latter.
        let mut named =
            all().filter(|one| !all().any(|other| one.len() < other.len() && one.is_subset(other))).peekable();
        if self.named[at] || named.peek().is_none() {
            return None;
        }
        let mut sibling = Sibling::default();
        for one in named {
            let (lacks, adds) = (one - own, own - one);
            if lacks.is_empty() || adds.is_empty() || adds.iter().any(|stem| is_asked(stem, ask)) {
                return None;
            }
            sibling.own.extend(adds);
            let asked: BTreeSet<String> = lacks.into_iter().filter(|stem| is_asked(stem, ask)).collect();
            sibling.asked.extend(Some(asked).filter(|asked| !asked.is_empty()));
        }
        Some(sibling).filter(|sibling| !sibling.asked.is_empty())
    }
}

fn is_asked(stem: &str, ask: &Ask) -> bool {
    ask.weight_of(stem) > 0.0
}

/// The names in a title: "tar" of "tar(1): Archives", "Stock" and "Broth" of "Stock or Broth".
fn alternatives(title: &str) -> impl Iterator<Item = &str> {
    let name = unnumbered(title);
    let end = ["(", ": ", " - ", " – ", " — "].iter().filter_map(|cut| name.find(cut)).min().unwrap_or(name.len());
    name[..end].split([',', '/']).flat_map(|name| name.split(" or "))
}

/// The siblings among the pages and sections that were read.
struct Pages {
    pages: BTreeMap<String, Sibling>,
    /// By path and the headings down to the section.
    sections: BTreeMap<(String, Vec<Clean>), Sibling>,
}

impl Pages {
    fn of(results: &ToolResults, ask: &Ask) -> Pages {
        let mut titles: BTreeMap<&str, &str> = BTreeMap::new();
        let mut sections: BTreeSet<(&str, &[Clean])> = BTreeSet::new();
        for ((path, _), (source, block)) in &results.blocks {
            titles.insert(path, &source.title);
            sections.extend((1..=block.headings.len()).map(|level| (path.as_str(), &block.headings[..level])));
        }
        for (path, outline) in &results.outlines {
            titles.insert(path, &outline.source.title);
            let of_page = outline.sections.iter().filter(|section| !section.headings.is_empty());
            sections.extend(of_page.map(|section| (path.as_str(), &*section.headings)));
        }
        let pages = siblings_of_pages(&titles, &sections, ask);
        Pages { pages, sections: siblings_of_sections(&sections, ask) }
    }

    fn sibling(&self, page: &SourceRef) -> Option<&Sibling> {
        self.pages.get(page.path.as_str())
    }

    /// The outermost sibling that a candidate stands in.
    fn sibling_section(&self, c: &Candidate) -> Option<&Sibling> {
        let headings = &c.block.headings;
        (1..=headings.len())
            .find_map(|level| self.sections.get(&(c.source.path.to_string(), headings[..level].to_vec())))
    }
}

/// The pages that have a heading in common with one that the question names, and are called otherwise.
fn siblings_of_pages(
    titles: &BTreeMap<&str, &str>,
    sections: &BTreeSet<(&str, &[Clean])>,
    ask: &Ask,
) -> BTreeMap<String, Sibling> {
    let mut of_heading: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, headings) in sections {
        if let Some(last) = headings.last() {
            of_heading.entry(fold(unnumbered(last)).into_owned()).or_default().insert(path);
        }
    }
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let mut found: BTreeMap<String, Sibling> = BTreeMap::new();
    for paths in of_heading.values().filter(|paths| paths.len() > 1) {
        let paths: Vec<&str> = paths.iter().copied().collect();
        let kin = Kin::of(&paths.iter().map(|path| titles[path]).collect::<Vec<_>>(), ask);
        for (at, path) in paths.into_iter().enumerate() {
            if kin.named[at] {
                named.insert(path);
            }
            if let Some(sibling) = kin.sibling(at, ask) {
                let known = found.entry(path.to_owned()).or_default();
                known.own.extend(sibling.own);
                known.asked.extend(sibling.asked);
            }
        }
    }
    found.retain(|path, _| !named.contains(path.as_str()));
    found
}

/// The sections beside one that the question names, whose names have a word in common with its name.
fn siblings_of_sections(sections: &BTreeSet<(&str, &[Clean])>, ask: &Ask) -> BTreeMap<(String, Vec<Clean>), Sibling> {
    let mut below: BTreeMap<(&str, &[Clean]), Vec<&[Clean]>> = BTreeMap::new();
    for (path, headings) in sections {
        below.entry((path, &headings[..headings.len() - 1])).or_default().push(headings);
    }
    let mut found = BTreeMap::new();
    for ((path, _), headings) in below {
        let names: Vec<&str> = headings.iter().filter_map(|headings| headings.last()).map(Clean::as_str).collect();
        let kin = Kin::of(&names, ask);
        if kin.is_of_a_kind() {
            let siblings =
                headings.iter().enumerate().filter_map(|(at, headings)| Some((headings, kin.sibling(at, ask)?)));
            found.extend(siblings.map(|(headings, sibling)| ((path.to_owned(), headings.to_vec()), sibling)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::topic::Topic;
    use crate::sample::{block, source};
    use run::evidence::Block;
    use run::id::TaskId;
    use run::plan::{Shape, Task};

    /// The blocks kept of these for a question: the title, the heading, the kind, the introduction, the text of each.
    fn kept(question: &str, blocks: &[(&str, &str, BlockKind, Option<&str>, &str)]) -> Vec<String> {
        let mut results = ToolResults::default();
        for (no, (title, heading, kind, intro, text)) in (0..).zip(blocks) {
            let headings = [Clean::from(*heading)].into();
            let block = Block { no, kind: *kind, headings, intro: intro.map(Into::into), ..block(text) };
            results.blocks.insert((source(title).path.to_string(), no), (source(title), Arc::new(block)));
        }
        let task = Task::new(TaskId(1), question.into(), question.into());
        let ask = Ask::of(&task, Shape::Overview, question, &[], &results);
        let mut found = candidates(&results, &Topic::default(), Code::Excluded);
        leave_out(&mut found, &ask, &results, Among::All);
        found.into_iter().map(|candidate| candidate.claim.text).collect()
    }

    #[test]
    fn the_value_of_another_recipe_answers_only_if_it_names_the_thing_or_its_own() {
        use BlockKind::*;
        let told = kept(
            "How long do I steam dumplings?",
            &[
                ("Dumplings", "Steps", Paragraph, None, "Steam the parcels over water for 12 minutes at least."),
                ("Quince jelly", "Steps", Paragraph, None, "Steam the jars over water for 40 minutes at least."),
                ("Quince jelly", "Steps", Paragraph, None, "The jelly is kept for 40 days in a jar."),
                ("Quince jelly", "Steps", Paragraph, None, "Steam with the lid on until all is soft."),
                ("Quince jelly", "Steps", ListItem, None, "Put the lid on and wait for a while."),
                ("Rice bowl", "Steps", Paragraph, None, "Steam the dumplings beside it for 15 minutes."),
                (
                    "Dumplings with leek",
                    "Steps",
                    Paragraph,
                    None,
                    "Steam the leaves over water for 25 minutes at least.",
                ),
                ("Kitchen", "Safety", Paragraph, None, "Steam needs 3 minutes to cool down."),
            ],
        );
        let left: Vec<&str> = told.iter().map(String::as_str).collect();
        assert!(left.iter().any(|text| text.contains("12 minutes")), "{left:?}");
        assert!(!left.iter().any(|text| text.contains("for 40 minutes") || text.contains("wait")), "{left:?}");
        for kept in ["for 40 days", "until all is soft", "for 15 minutes", "for 25 minutes", "needs 3 minutes"] {
            assert!(left.iter().any(|text| text.contains(kept)), "{kept} of {left:?}");
        }
    }

    #[test]
    fn the_value_of_another_state_is_left_out_where_the_sections_are_of_one_kind() {
        let blocks = |other: &'static str| {
            [
                ("Leave", "Ohio family leave", BlockKind::Paragraph, None, "Benefits are paid for up to 12 weeks."),
                ("Leave", other, BlockKind::Paragraph, None, "Benefits are paid for up to 16 weeks."),
            ]
        };
        let many = |question: &str, other: &'static str| kept(question, &blocks(other)).len();
        assert_eq!(many("How long is family leave in Ohio?", "Utah family leave"), 1);
        assert_eq!(many("How long is family leave?", "Utah family leave"), 2, "no state is named");
        assert_eq!(many("How long is family leave in Ohio?", "General rules"), 2, "it is of another kind");
    }

    #[test]
    fn of_the_columns_of_one_kind_only_the_one_asked_for_answers() {
        let row = |header: &'static str| {
            [(
                "Levels",
                "Levels",
                BlockKind::TableRow,
                Some(header),
                "Scope | Runs small projects with a mentor. | Runs large projects without a mentor.",
            )]
        };
        let told = |question: &str, header: &'static str| kept(question, &row(header)).join(" ");
        let told_of_junior = told("What is expected of a junior pilot?", "Aspect | Junior pilot (L1) | Pilot (L2)");
        assert!(told_of_junior.contains("small") && !told_of_junior.contains("large"), "{told_of_junior}");
        let of_all = told("What is expected of a pilot?", "Aspect | Junior pilot (L1) | Pilot (L2)");
        assert!(of_all.contains("small") && of_all.contains("large"), "{of_all}");
        let of_aspects = told("What does a junior do?", "Aspect | Junior | Remarks");
        assert!(of_aspects.contains("large"), "remarks are of no other thing: {of_aspects}");
    }
}
