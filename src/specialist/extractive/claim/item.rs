//! Items of lists: whether one needs the words above its list, and these words. Makes no claims.

use std::borrow::Cow;

use super::above::verb_and_next;
use crate::extractive::dangling::dangles;
use crate::extractive::headings::{NO_LABEL, closed, is_furniture, unnumbered};
use crate::extractive::standalone::{count, is_meta};
use crate::extractive::verb::{has_verb, is_only_named, looks_like_a_name};
use crate::words::WORDS;
use run::evidence::{Block, BlockKind, SourceRef};
use text::words::{fold, is_stop, words};

/// An item without a conjunction at its end: "… is kept, and".
pub(in crate::extractive) fn without_conjunction(text: &str) -> &str {
    [", and", ", or", "; and", "; or"].iter().find_map(|end| text.trim_end().strip_suffix(end)).unwrap_or(text)
}

/// Whether the items of a list are the end of a sentence that its introduction begins: "The leader may:", "You need to".
pub(super) fn is_continued(block: &Block) -> bool {
    let last = block.intro.as_deref().and_then(|intro| words(intro).last().map(fold));
    block.kind == BlockKind::ListItem
        && last.is_some_and(|last| {
            matches!(last.as_ref(), "may" | "can" | "cannot" | "must" | "shall" | "should" | "will" | "not" | "to")
        })
}

/// The introduction of a list if it is short enough to precede each item; else the heading above it, or where that is one that many
/// pages have ("Ingredients"), the next one that names a subject, or the title.
pub(super) fn introduction(source: &SourceRef, block: &Block) -> Option<String> {
    // A heading introduces only the text right below it.
    let heading = || {
        let last = block.headings.last()?;
        let named = || block.headings.iter().rev().find(|heading| !is_furniture(heading)).unwrap_or(&source.title);
        short(unnumbered(if is_furniture(last) { named() } else { last }))
    };
    let label = match block.intro.as_deref() {
        Some(intro) if is_continued(block) => short(intro),
        Some(intro) if intro.trim_end().ends_with(':') => {
            short(without_announcement(intro)).or_else(|| whole_introduction(intro))
        }
        Some(_) => None,
        None => heading(),
    };
    let is_whole = |label: &String| words(label).last().is_some_and(|last| !is_stop(last));
    label.filter(|label| is_continued(block) || is_whole(label))
}

/// The words above a list without a verb at their end that only announces its items: "The possible solutions" of "The possible
/// solutions for this are:".
fn without_announcement(intro: &str) -> &str {
    let intro = intro.trim().trim_end_matches(':').trim_end();
    let ends = |text: &str, ends: &[&str]| ends.iter().find_map(|end| Some(text.strip_suffix(end)?.trim_end().len()));
    let verbs =
        [" is", " are", " was", " were", " include", " includes", " are the following", " include the following"];
    let Some(named) = ends(intro, &verbs) else { return intro };
    let named = &intro[..named];
    ends(named, &[" for this", " for that", " to this"]).map_or(named, |of| &named[..of])
}

/// The words above a list that deny or only suppose its items, or warn of it: "Not OK", "General assumptions". Without them an item
/// would be told as true.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turning {
    /// They stand in front of each item.
    Label(String),
    /// They can be no label: the items are not told.
    Untold,
}

/// The words above a list that turn the meaning of its items.
pub(super) fn turned_by(block: &Block) -> Option<Turning> {
    let turns = |label: &String| {
        let all: Vec<_> = words(label).map(fold).collect();
        all.iter().any(|word| WORDS.turning.contains(word.as_ref()))
            || all.first().is_some_and(|first| WORDS.turning_first.contains(first.as_ref()))
            || all.windows(2).any(denies_what_follows)
    };
    let intro = block.intro.as_deref().filter(|intro| intro.trim_end().ends_with(':'));
    if let Some(intro) = intro.filter(|intro| WORDS.turning_introductions.are_in(&fold(intro))) {
        let label = short(intro).or_else(|| whole_introduction(intro));
        return Some(label.map_or(Turning::Untold, Turning::Label));
    }
    let heading = block.headings.last().map(|heading| unnumbered(heading));
    let above = [block.intro.as_deref(), heading].into_iter().flatten();
    above.filter_map(short).find(turns).map(Turning::Label)
}

/// Whether two words deny what a heading names: "What not to do", "What is not an emergency"; not "Widget does not send", which is the
/// occasion only.
fn denies_what_follows(pair: &[Cow<'_, str>]) -> bool {
    let follows =
        ["to", "a", "an", "allowed", "covered", "eligible", "included", "permitted", "recommended", "supported"];
    pair[0] == "not" && follows.contains(&pair[1].as_ref())
}

/// The most words of an introduction that stands whole above its list.
const MOST_OF_INTRODUCTION: usize = 22;
/// The fewest words of one: shorter ones say nothing that an item needs.
const LEAST_OF_INTRODUCTION: usize = 4;

/// A longer introduction that says what its items are, told once above them: "Annual leave grows with the time that you have worked
/// here:".
fn whole_introduction(intro: &str) -> Option<String> {
    let text = intro.trim().trim_end_matches(':').trim();
    let names_nothing =
        |word: &str| matches!(fold(word).as_ref(), "here" | "here's" | "example" | "examples" | "below" | "above");
    let is_said = (LEAST_OF_INTRODUCTION..=MOST_OF_INTRODUCTION).contains(&count(text)) && has_verb(text);
    let is_label =
        !dangles(text) && !words(text).any(names_nothing) && !text.contains(NO_LABEL) && closed(text) == text;
    (is_said && is_label && !is_meta(text)).then(|| text.to_string())
}

/// The text above a list, if it is short and by itself names the items.
fn short(above: &str) -> Option<String> {
    let text = above.trim().trim_end_matches([':', '.', '…']).trim();
    let personal = words(text).any(|w| {
        matches!(
            fold(w).as_ref(),
            "you" | "your" | "here" | "here's" | "following" | "we" | "this" | "these" | "example" | "currently"
        )
    });
    (count(text) <= 9 && !dangles(text) && !personal && !text.contains(NO_LABEL) && closed(text) == text)
        .then(|| text.to_string())
}

/// The most words of a key, and of a line with its value.
pub(super) const MOST_OF_A_KEY: usize = 4;
const MOST_OF_A_LINE: usize = 10;

/// The key of a line that is no more than a key and a short value: "retries: 5".
pub(in crate::extractive) fn key_of_line(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(": ")?;
    (count(key) <= MOST_OF_A_KEY && count(line) <= MOST_OF_A_LINE).then_some(key)
}

/// Whether a line is a key and a value with a digit, which says enough without a verb: "Children: 10 mg twice a day."
pub(in crate::extractive) fn is_value_line(line: &str) -> bool {
    let value = || line.split_once(": ").map_or("", |(_, value)| value);
    key_of_line(line).is_some() && value().contains(|c: char| c.is_ascii_digit()) && !value().contains("://")
}

/// Whether an item needs a label: not if it is a sentence with a subject.
pub(in crate::extractive) fn wants_label(item: &str) -> bool {
    let ends = item.trim_end().ends_with(['.', '!', ')', ';', ',']);
    let capital = item.starts_with(|c: char| c.is_uppercase());
    // "networked" of a key is no verb of the line.
    let said = item.split_once(": ").filter(|_| key_of_line(item).is_some()).map_or(item, |(_, value)| value);
    !(ends && count(item) >= 5 && has_verb(said) && !is_only_named(item) && (capital || looks_like_a_name(item)))
}

/// Whether an item begins with a verb: "Specifies that …", "creates a new tag". A label may not name its subject.
pub(super) fn lacks_subject(item: &str) -> bool {
    count(item) >= 4
        && item.trim_end().ends_with(['.', ';', ','])
        && verb_and_next(item).is_some_and(|(_, next)| is_stop(&next))
}

#[cfg(test)]
mod tests {
    use run::evidence::BlockKind;

    use crate::extractive::claim::claims;
    use crate::sample::{block, source};

    fn told(title: &str, heading: &str, intro: Option<&str>, item: &str) -> Vec<String> {
        let mut block = block(item);
        (block.kind, block.headings, block.intro) =
            (BlockKind::ListItem, [heading.into()].into(), intro.map(Into::into));
        claims(&source(title), &block, None).into_iter().map(|claim| claim.text).collect()
    }

    #[test]
    fn an_item_below_words_that_deny_suppose_or_warn_is_told_with_them() {
        let item = "Take on work for another firm that pulls attention from yours.";
        assert_eq!(told("Side jobs", "Not OK", None, item), [format!("[Not OK]: {item}")]);
        assert_eq!(told("Side jobs", "OK", None, item), [item]);
        assert_eq!(told("Side jobs", "What not to do", None, item), [format!("[What not to do]: {item}")]);
        // The fault is no more than the occasion.
        assert_eq!(
            told("Runbook", "Widget does not send", None, "Look at the table of dead letters first."),
            ["Look at the table of dead letters first."]
        );
        let item = "The whole store is encrypted anew if a key is leaked.";
        let supposed = told("Design", "Threats", Some("General assumptions:"), item);
        assert_eq!(supposed, [format!("[General assumptions]: {item}")]);
        assert_eq!(told("Design", "Threats", Some("What the program does:"), item), [item]);
        let two = "Widgets are slow. They need a server of their own.";
        let both = told("Widgets", "Common myths", None, two);
        assert!(!both.is_empty() && both.iter().all(|claim| claim.starts_with("[Common myths]: ")), "{both:?}");
    }

    #[test]
    fn an_item_below_words_that_only_announce_it_is_told_with_what_they_name() {
        let item = "Disable the trash of the client";
        for intro in
            ["The possible solutions are:", "The possible solutions for this are:", "The possible solutions include:"]
        {
            assert_eq!(
                told("Quotas", "Trash", Some(intro), item),
                [format!("[The possible solutions]: {item}.")],
                "{intro}"
            );
        }
        assert_eq!(told("Quotas", "Trash", Some("These are:"), item), [""; 0], "it names nothing");
    }

    #[test]
    fn an_item_below_a_heading_that_many_pages_have_is_told_with_the_name_of_its_page() {
        assert_eq!(
            told("Pizza dough", "Ingredients", None, "280 ml of lukewarm water"),
            ["[Pizza dough]: 280 ml of lukewarm water."]
        );
        assert_eq!(
            told("Pizza dough", "For the sauce", None, "200 g of tomatoes"),
            ["[For the sauce]: 200 g of tomatoes."]
        );
    }
}
