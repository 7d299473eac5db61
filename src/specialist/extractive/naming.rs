//! What a question is about: which of its phrases is the topic, and what the sources call it.
//!
//! In this order: a name of its own (an acronym, a name with a capital) before ordinary words, what headings carry before
//! what only text does, the earlier before the later. A word that is everywhere in the sources tells nothing and is the
//! topic only where the question says nothing else; other words than the question's are taken only where none of its
//! own is carried.

use std::collections::BTreeSet;

use super::landscape::{Landscape, bare, member};
use super::material::{EVERYWHERE, Material};
use super::phrase::{is_cue, is_proper};
use super::synonym::replaced;
use super::topic::{Name, Tokens};
use text::words::{Language, is_stop, stem, words};

/// What a phrase that headings do not carry counts where the text of a passage does.
const IN_TEXT: f64 = 0.25;
/// What a name of its own counts beside ordinary words.
const PROPER: f64 = 2.5;
/// What a phrase of a later question within the question counts.
const LATER_CLAUSE: f64 = 0.2;
/// Weight from which on a phrase is worth being the topic.
const LEAST: f64 = 0.1;
/// Share of the best other word's weight from which on another of them is a name of the topic too.
const ALSO_A_NAME: f64 = 0.6;

/// What a thing is, said after its name.
const KINDS: &[&str] = &[
    "class",
    "command",
    "concept",
    "feature",
    "features",
    "function",
    "functionality",
    "keyword",
    "library",
    "mechanism",
    "method",
    "module",
    "operator",
    "option",
    "program",
    "protocol",
    "statement",
    "support",
    "tool",
    "utility",
];

/// The names of the topic, the best first; any of them stands for it.
pub(super) fn topic(land: &Landscape) -> Vec<String> {
    let asked = land.asked;
    let whole = || vec![asked.phrases.join(" ")];
    if land.is_foreign() {
        // All of it, as it was asked: a passage would have to name the whole of it to count.
        return whole();
    }
    let spanned =
        |phrase: &str| asked.span.as_ref().is_some_and(|(from, to)| from.contains(phrase) || to.contains(phrase));
    let lettered = |phrase: &str| phrase.chars().any(char::is_alphabetic);
    let figures = asked.phrases.iter().filter(|phrase| !lettered(phrase)).count();
    let (said, other) = replaced(land.question);
    let open: Vec<String> = asked
        .phrases
        .iter()
        .filter(|phrase| !spanned(phrase) && lettered(phrase))
        .map(|phrase| without(phrase, &said))
        .filter_map(|phrase| telling(land, &phrase))
        .collect();
    let first = asked.clauses.first().filter(|_| asked.clauses.len() > 1);
    let place = |at: usize, phrase: &str| match first {
        Some(clause) if !clause.contains(phrase) => LATER_CLAUSE,
        _ => (1.0 - 0.12 * at as f64).max(0.4),
    };
    let weighed = open.iter().enumerate().map(|(at, phrase)| {
        let (weight, name) = named(land, phrase);
        (weight * place(at, phrase), name, at)
    });
    let best = weighed.fold(None, |best: Option<(f64, String, usize)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    if let Some((_, main, at)) = best.filter(|(weight, ..)| *weight > LEAST && figures < 2) {
        let mut names = vec![main];
        names.extend(joined(land, at, &open));
        return names;
    }
    let mut renamed: Vec<(f64, &str)> = other.iter().map(|word| (weight(land, word), *word)).collect();
    renamed.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = renamed.first().map_or(0.0, |(weight, _)| *weight);
    if best > LEAST && figures < 2 {
        return renamed.iter().filter(|(w, _)| *w >= ALSO_A_NAME * best).map(|(_, word)| word.to_string()).collect();
    }
    // Figures have no name; the page that they lead to has. Otherwise it has to share a word with the question.
    let page = land.sections(&[]).into_iter().next().map(|section| section.source.title);
    let asked_for: Vec<Name> = open.iter().flat_map(|phrase| words(phrase)).filter_map(Name::new).collect();
    match page {
        Some(title) if figures >= 2 || asked_for.iter().any(|name| name.is_in(&Tokens::of(&title))) => {
            names_of_page(&title)
        }
        _ if !open.is_empty() => vec![open.join(" ")],
        _ => whole(),
    }
}

/// The words of a phrase but for those that other words stand for.
fn without(phrase: &str, said: &[&str]) -> String {
    let is_said = |word: &&str| said.iter().any(|said| said.split(' ').any(|said| said.eq_ignore_ascii_case(word)));
    words_of(phrase).filter(|word| !is_said(word)).collect::<Vec<_>>().join(" ")
}

fn words_of(phrase: &str) -> impl Iterator<Item = &str> {
    phrase.split(' ').filter(|word| !word.is_empty())
}

/// A phrase without the name of the whole collection at its ends ("Git submodules" in a manual of Git); None if the rest
/// tells nothing.
fn telling(land: &Landscape, phrase: &str) -> Option<String> {
    let mut run: Vec<&str> = words_of(phrase).collect();
    while run.first().is_some_and(|word| land.is_whole(word)) {
        run.remove(0);
    }
    while run.last().is_some_and(|word| land.is_whole(word)) {
        run.pop();
    }
    // "the pathfinder module", "regex support": what kind of thing it is, the rest of the phrase leaves open.
    while run.len() > 1 && KINDS.contains(&run[run.len() - 1]) && rarity(land, run[run.len() - 2]) > 0.5 {
        run.pop();
    }
    run.iter().any(|word| !land.is_everywhere(word)).then(|| run.join(" "))
}

/// How much speaks for a phrase as the topic: that it is rare, and that headings or at least passages carry it.
fn weight(land: &Landscape, phrase: &str) -> f64 {
    let (above, within) = carried(land, phrase);
    (above + IN_TEXT * within) * rarity(land, phrase)
}

fn rarity(land: &Landscape, phrase: &str) -> f64 {
    let rarest = Name::new(phrase).map_or(0.0, |name| name.stems().map(|stem| land.idf(stem)).fold(0.0, f64::max));
    (rarest / 5.0).min(1.0).powi(2)
}

/// What was found below headings and titles that carry a phrase, and what only in passages that do.
fn carried(land: &Landscape, phrase: &str) -> (f64, f64) {
    let Some(name) = Name::new(phrase).filter(|_| land.is_known(phrase)) else { return (0.0, 0.0) };
    let mut sums = (0.0, 0.0);
    for (hit, score) in land.found() {
        let above = hit.headings.iter().chain([&hit.source.title]);
        if above.into_iter().any(|text| name.is_in(&Tokens::of(text))) {
            sums.0 += score;
        } else if name.is_in(&Tokens::of(&hit.snippet)) {
            sums.1 += score;
        }
    }
    sums
}

/// The name in a phrase and its weight: the whole of it where a heading carries that, else the longest part that one
/// carries, else what the text does.
fn named(land: &Landscape, phrase: &str) -> (f64, String) {
    let proper = |name: &str| if is_proper(name) { PROPER } else { 1.0 };
    if carried(land, phrase).0 > 0.0 {
        return (weight(land, phrase) * proper(phrase), phrase.to_string());
    }
    let words: Vec<&str> = words_of(phrase).collect();
    let runs = (1..words.len()).rev().flat_map(|len| words.windows(len));
    let parts = runs.map(|run| run.join(" ")).filter_map(|part| telling(land, &part));
    let mut best: Option<(f64, f64, String)> = None;
    for part in parts {
        let (above, _) = carried(land, &part);
        let length = (words_of(&part).count() as f64).powi(2);
        let worth = weight(land, &part) * proper(&part);
        if above > 0.0 && best.as_ref().is_none_or(|(known, ..)| worth * length > *known) {
            best = Some((worth * length, worth, part));
        }
    }
    match best {
        Some((_, worth, part)) => (worth, part),
        None => (weight(land, phrase) * proper(phrase), phrase.to_string()),
    }
}

/// What is joined to the phrase at a place by "and" or "or" is a name too: "permissions and ownership", "running testing
/// or unstable".
fn joined(land: &Landscape, at: usize, open: &[String]) -> Vec<String> {
    let kept = |text: &str| {
        let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'));
        words.filter(|word| !matches!(*word, "the" | "a" | "an") && !land.is_whole(word)).collect::<Vec<_>>().join(" ")
    };
    let text = format!(" {} ", kept(land.question));
    let main = kept(&open[at]);
    let is_joined = |phrase: &str| {
        ["and", "or"].iter().any(|joint| {
            text.contains(&format!(" {main} {joint} {phrase} ")) || text.contains(&format!(" {phrase} {joint} {main} "))
        })
    };
    let others = open.iter().enumerate().filter(|(other, phrase)| *other != at && is_joined(&kept(phrase)));
    others.map(|(_, phrase)| named(land, phrase)).filter(|(weight, _)| *weight > 0.0).map(|(_, name)| name).collect()
}

/// What a question within the question is about by its own words; None if none of them tells anything.
pub(super) fn of_clause(land: &Landscape, phrases: &[String]) -> Option<String> {
    let weighed = phrases.iter().filter_map(|phrase| telling(land, phrase)).map(|phrase| named(land, &phrase));
    weighed
        .filter(|(weight, _)| *weight > LEAST)
        .fold(None, |best: Option<(f64, String)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, name)| name)
}

/// What a question says besides its topic, in stems: the words that count, and the sources' words for them, but nothing
/// that is everywhere.
pub(super) fn besides(
    question: &str,
    names: &[Name],
    material: &Material,
    counts: impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let (said, other) = replaced(question);
    let own = words(question).filter(|word| !is_stop(word) && !is_cue(word) && counts(word) && !said.contains(word));
    let stems = own.chain(other).map(|word| stem(word, Language::English));
    let of_topic = |stem: &String| names.iter().any(|name| name.stems().any(|own| own == stem));
    stems.filter(|stem| material.idf(stem) > EVERYWHERE && !of_topic(stem)).collect()
}

/// "Chapter 3. The system initialization" is called the system initialization; "Floating Point Arithmetic: Issues and
/// Limitations" is called floating point for short.
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
