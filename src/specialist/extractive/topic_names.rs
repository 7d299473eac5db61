//! Finds the topic of a question: which of its phrases it is, and what the sources call it.
//!
//! Preference: proper names (an acronym, a capitalised name) before ordinary words, phrases in headings before phrases
//! in text only, earlier before later ones. A ubiquitous word is the topic only if the question has nothing else;
//! synonyms are used only if the sources have none of the question's own words.

use std::collections::BTreeSet;

use super::phrases::{is_cue, is_proper};
use super::source_map::{SourceMap, bare, member};
use super::synonyms::replaced;
use super::tool_results::{EVERYWHERE, ToolResults};
use super::topic::{Name, Tokens};
use super::words::WORDS;
use text::words::{Language, is_stop, stem, words};

/// The weight of a phrase that is in passages but in no heading.
const IN_TEXT: f64 = 0.25;
/// The weight of a proper name relative to ordinary words.
const PROPER: f64 = 2.5;
/// The weight of a phrase in a later clause.
const LATER_CLAUSE: f64 = 0.2;
/// The least weight of a topic.
const LEAST: f64 = 0.1;
/// The least weight of a further name, as a share of the best one.
const ALSO_A_NAME: f64 = 0.6;

/// The names of the topic, best first; each of them stands for it.
pub(super) fn topic(map: &SourceMap) -> Vec<String> {
    let asked = map.asked;
    let whole = || vec![asked.phrases.join(" ")];
    if map.is_foreign() {
        // The whole question: a passage would have to contain all of it.
        return whole();
    }
    let spanned =
        |phrase: &str| asked.span.as_ref().is_some_and(|(from, to)| from.contains(phrase) || to.contains(phrase));
    let lettered = |phrase: &str| phrase.chars().any(char::is_alphabetic);
    let figures = asked.phrases.iter().filter(|phrase| !lettered(phrase)).count();
    let (everyday, other) = replaced(map.question);
    let open: Vec<String> = asked
        .phrases
        .iter()
        .filter(|phrase| !spanned(phrase) && lettered(phrase))
        .map(|phrase| without(phrase, &everyday))
        .filter_map(|phrase| telling(map, &phrase))
        .collect();
    let first = asked.clauses.first().filter(|_| asked.clauses.len() > 1);
    let place = |at: usize, phrase: &str| match first {
        Some(clause) if !clause.contains(phrase) => LATER_CLAUSE,
        _ => (1.0 - 0.12 * at as f64).max(0.4),
    };
    let weighed = open.iter().enumerate().map(|(at, phrase)| {
        let (weight, name) = named(map, phrase);
        (weight * place(at, phrase), name, at)
    });
    let best = weighed.fold(None, |best: Option<(f64, String, usize)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    if let Some((_, main, at)) = best.filter(|(weight, ..)| *weight > LEAST && figures < 2) {
        let mut names = vec![main];
        names.extend(joined(map, at, &open));
        return names;
    }
    let mut renamed: Vec<(f64, &str)> = other.iter().map(|word| (weight(map, word), *word)).collect();
    renamed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = renamed.first().map_or(0.0, |(weight, _)| *weight);
    if best > LEAST && figures < 2 {
        return renamed.iter().filter(|(w, _)| *w >= ALSO_A_NAME * best).map(|(_, word)| word.to_string()).collect();
    }
    // Numbers have no name, but their page has. Otherwise it has to share a word with the question.
    let page = map.sections(&[]).into_iter().next().map(|section| section.source.title);
    let asked_for: Vec<Name> = open.iter().flat_map(|phrase| words(phrase)).filter_map(Name::new).collect();
    match page {
        Some(title) if figures >= 2 || asked_for.iter().any(|name| name.is_in(&Tokens::of(&title))) => {
            names_of_page(&title)
        }
        _ if !open.is_empty() => vec![open.join(" ")],
        _ => whole(),
    }
}

/// A phrase without the words that have synonyms.
fn without(phrase: &str, everyday: &[&str]) -> String {
    let has_synonym = |word: &&str| {
        everyday.iter().any(|everyday| everyday.split(' ').any(|everyday| everyday.eq_ignore_ascii_case(word)))
    };
    words_of(phrase).filter(|word| !has_synonym(word)).collect::<Vec<_>>().join(" ")
}

fn words_of(phrase: &str) -> impl Iterator<Item = &str> {
    phrase.split(' ').filter(|word| !word.is_empty())
}

/// A phrase without the name of the whole collection at its ends ("Git submodules" in a manual of Git); None if nothing
/// specific is left.
fn telling(map: &SourceMap, phrase: &str) -> Option<String> {
    let mut run: Vec<&str> = words_of(phrase).collect();
    while run.first().is_some_and(|word| map.is_whole(word)) {
        run.remove(0);
    }
    while run.last().is_some_and(|word| map.is_whole(word)) {
        run.pop();
    }
    // "the pathfinder module", "regex support": drop the kind of thing.
    while run.len() > 1 && WORDS.kinds_of_thing.contains(run[run.len() - 1]) && rarity(map, run[run.len() - 2]) > 0.5 {
        run.pop();
    }
    run.iter().any(|word| !map.is_everywhere(word)).then(|| run.join(" "))
}

/// The weight of a phrase as the topic: its rarity, and whether headings or at least passages contain it.
fn weight(map: &SourceMap, phrase: &str) -> f64 {
    let (above, within) = carried(map, phrase);
    (above + IN_TEXT * within) * rarity(map, phrase)
}

fn rarity(map: &SourceMap, phrase: &str) -> f64 {
    let rarest = Name::new(phrase).map_or(0.0, |name| name.stems().map(|stem| map.idf(stem)).fold(0.0, f64::max));
    (rarest / 5.0).min(1.0).powi(2)
}

/// The scores of hits below headings that contain a phrase, and of other passages that do.
fn carried(map: &SourceMap, phrase: &str) -> (f64, f64) {
    let Some(name) = Name::new(phrase).filter(|_| map.is_known(phrase)) else { return (0.0, 0.0) };
    let mut sums = (0.0, 0.0);
    for (hit, score) in map.found() {
        let above = hit.headings.iter().chain([&hit.source.title]);
        if above.into_iter().any(|text| name.is_in(&Tokens::of(text))) {
            sums.0 += score;
        } else if name.is_in(&Tokens::of(&hit.snippet)) {
            sums.1 += score;
        }
    }
    sums
}

/// The name in a phrase with its weight: the whole phrase if a heading contains it, else its longest part in a heading,
/// else in the text.
fn named(map: &SourceMap, phrase: &str) -> (f64, String) {
    let proper = |name: &str| if is_proper(name) { PROPER } else { 1.0 };
    if carried(map, phrase).0 > 0.0 {
        return (weight(map, phrase) * proper(phrase), phrase.to_string());
    }
    let words: Vec<&str> = words_of(phrase).collect();
    let runs = (1..words.len()).rev().flat_map(|len| words.windows(len));
    let parts = runs.map(|run| run.join(" ")).filter_map(|part| telling(map, &part));
    let mut best: Option<(f64, f64, String)> = None;
    for part in parts {
        let (above, _) = carried(map, &part);
        let length = (words_of(&part).count() as f64).powi(2);
        let worth = weight(map, &part) * proper(&part);
        if above > 0.0 && best.as_ref().is_none_or(|(known, ..)| worth * length > *known) {
            best = Some((worth * length, worth, part));
        }
    }
    match best {
        Some((_, worth, part)) => (worth, part),
        None => (weight(map, phrase) * proper(phrase), phrase.to_string()),
    }
}

/// Names joined to the phrase at `at` by "and" or "or": "permissions and ownership", "running testing or unstable".
fn joined(map: &SourceMap, at: usize, open: &[String]) -> Vec<String> {
    let kept = |text: &str| {
        let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'));
        words.filter(|word| !matches!(*word, "the" | "a" | "an") && !map.is_whole(word)).collect::<Vec<_>>().join(" ")
    };
    let text = format!(" {} ", kept(map.question));
    let main = kept(&open[at]);
    let is_joined = |phrase: &str| {
        ["and", "or"].iter().any(|joint| {
            text.contains(&format!(" {main} {joint} {phrase} ")) || text.contains(&format!(" {phrase} {joint} {main} "))
        })
    };
    let others = open.iter().enumerate().filter(|(other, phrase)| *other != at && is_joined(&kept(phrase)));
    others.map(|(_, phrase)| named(map, phrase)).filter(|(weight, _)| *weight > 0.0).map(|(_, name)| name).collect()
}

/// The topic of a clause by its own words; None if they are all unspecific.
pub(super) fn of_clause(map: &SourceMap, phrases: &[String]) -> Option<String> {
    let weighed = phrases.iter().filter_map(|phrase| telling(map, phrase)).map(|phrase| named(map, &phrase));
    weighed
        .filter(|(weight, _)| *weight > LEAST)
        .fold(None, |best: Option<(f64, String)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, name)| name)
}

/// Stems of the question beyond its topic, with synonyms, without ubiquitous ones.
pub(super) fn beyond_topic(
    question: &str,
    names: &[Name],
    results: &ToolResults,
    counts: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let (everyday, other) = replaced(question);
    let own =
        words(question).filter(|word| !is_stop(word) && !is_cue(word) && counts(word) && !everyday.contains(word));
    let stems = own.chain(other).map(|word| stem(word, Language::English));
    let of_topic = |stem: &String| names.iter().any(|name| name.stems().any(|own| own == stem));
    stems.filter(|stem| results.idf(stem) > EVERYWHERE && !of_topic(stem)).collect()
}

/// Names in a page title: "Chapter 3. The system initialization" is the system initialization; "Floating Point
/// Arithmetic: Issues and Limitations" is floating point for short.
fn names_of_page(title: &str) -> Vec<String> {
    let bare = bare(title);
    let bare = bare.strip_prefix("The ").unwrap_or(&bare);
    let title = member(bare);
    let head: Vec<&str> = title.split_whitespace().take(2).collect();
    let mut names = vec![title.clone()];
    if title.split_whitespace().count() > 2 && !head.iter().any(|word| is_stop(word)) {
        names.push(head.join(" "));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_called_by_its_title_without_the_number() {
        assert_eq!(
            names_of_page("15. Floating Point Arithmetic: Issues"),
            ["Floating Point Arithmetic", "Floating Point"]
        );
        assert_eq!(names_of_page("Chapter 3. The system initialization"), ["system initialization"]);
    }
}
