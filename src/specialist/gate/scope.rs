//! The words that bound or weaken a statement: a paraphrase may make neither more nor less of "most", "may", "until" or "within"
//! than its quotes do.
//!
//! Each check compares words that stand before the same word in sentence and quote; where the quotes have no such word, it says
//! nothing. Lists of words stand in `words.toml`.

use std::collections::BTreeSet;

use super::denial::{clauses, denies, negates};
use super::subject::Quoted;
use crate::words::WORDS;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, words};

/// The words that may stand between a word and what it bounds: "within the same region".
const NEAR: usize = 4;

/// What a sentence makes of its quotes by such words, as an issue for the writer.
pub(super) fn changed_scope(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let said: Vec<Told> = quoted.iter().flat_map(|quoted| clauses(&quoted.said)).map(Told::of).collect();
    let stated: Vec<Told> = clauses(sentence).into_iter().map(Told::of).collect();
    changed_quantity(&stated, &said)
        .or_else(|| changed_side(sentence, &stated, &said))
        .or_else(|| made_sure(sentence, &stated, &said))
        .or_else(|| made_general(sentence, quoted))
        .or_else(|| decided(sentence, quoted))
        .or_else(|| swapped_alternative(sentence, quoted))
}

/// The words of a clause in lower case.
struct Told(Vec<String>);

impl Told {
    fn of(text: &str) -> Told {
        Told(words(text).map(|word| fold(word).into_owned()).collect())
    }

    fn denies(&self) -> bool {
        self.0.iter().any(|word| super::denial::is_negation(word))
    }

    /// The stems of what stands right behind the word at this place: up to the first content word, with all figures that follow.
    fn target(&self, n: usize) -> BTreeSet<String> {
        let near = || self.0[n + 1..].iter().take(NEAR);
        // "From 3 to 5" has two borders.
        if near().any(|word| matches!(word.as_str(), "to" | "until" | "till")) {
            return BTreeSet::new();
        }
        let behind = near().filter(|word| !is_stop(word) && !WORDS.numerals.contains_key(*word));
        let mut target: BTreeSet<String> = BTreeSet::new();
        for word in behind {
            let has_digit = word.contains(|c: char| c.is_ascii_digit());
            if target.is_empty() || has_digit {
                target.insert(stem(word, Language::English));
            }
        }
        target
    }

    /// Whether it gives an upper limit: "may be up to 5" is one, and leaves nothing open.
    fn bounds(&self) -> bool {
        self.0.windows(2).any(|pair| matches!((&*pair[0], &*pair[1]), ("up", "to") | ("at", "most")))
    }

    /// The word right behind the one at this place, as a stem.
    fn next(&self, n: usize) -> Option<String> {
        self.0.get(n + 1).filter(|word| !is_stop(word)).map(|word| stem(word, Language::English))
    }
}

/// "All jobs", "few jobs" where the quotes say "most jobs".
fn changed_quantity(stated: &[Told], said: &[Told]) -> Option<String> {
    let is_bound = |told: &Told, n: usize| n > 0 && told.0[n - 1] == "at";
    let quantity = |told: &Told, n: usize| WORDS.quantities.get(&told.0[n]).copied().filter(|_| !is_bound(told, n));
    for (told, n) in stated.iter().flat_map(|told| (0..told.0.len()).map(move |n| (told, n))) {
        let (Some(own), Some(of)) = (quantity(told, n), told.next(n)) else { continue };
        let mut known: Vec<(&str, i64)> = Vec::new();
        for (other, m) in said.iter().flat_map(|told| (0..told.0.len()).map(move |m| (told, m))) {
            if let Some(weight) = quantity(other, m).filter(|_| other.next(m).as_ref() == Some(&of)) {
                known.push((other.0[m].as_str(), weight));
            }
        }
        // "Few" denies that there are more of them; other words do not.
        let holds = |weight: i64| if own == 0 { weight == 0 } else { own <= weight.max(1) };
        if let Some((word, _)) = known.first().filter(|_| !known.iter().any(|(_, weight)| holds(*weight))) {
            return Some(format!("it says “{}” where the quotes say “{word}”", told.0[n]));
        }
    }
    None
}

/// "From" where the quotes say "until", "across" where they say "within", of the same.
fn changed_side(sentence: &str, stated: &[Told], said: &[Told]) -> Option<String> {
    if denies(sentence, &BTreeSet::new(), Language::English) {
        return None;
    }
    let side = |word: &String| WORDS.opposites.iter().position(|words| words.contains(word));
    for (told, n) in stated.iter().flat_map(|told| (0..told.0.len()).map(move |n| (told, n))) {
        let Some(own) = side(&told.0[n]) else { continue };
        let target = told.target(n);
        let mut opposite = None;
        for (other, m) in
            said.iter().filter(|told| !told.denies()).flat_map(|told| (0..told.0.len()).map(move |m| (told, m)))
        {
            let Some(of) = side(&other.0[m]).filter(|_| !other.target(m).is_disjoint(&target)) else { continue };
            if of == own {
                opposite = None;
                break;
            }
            // The lists are pairs.
            if of == own ^ 1 {
                opposite = Some(&other.0[m]);
            }
        }
        if let Some(word) = opposite {
            return Some(format!("it says “{}” where the quotes say “{word}”", told.0[n]));
        }
    }
    None
}

/// "Will be lost", "is lost" where the quotes say "may be lost".
fn made_sure(sentence: &str, stated: &[Told], said: &[Told]) -> Option<String> {
    if has(sentence, &WORDS.weakeners) || negates(sentence) && !said.iter().any(Told::denies) {
        return None;
    }
    // What a modal verb is said of, and whether by a form of "be": "may be lost".
    let verb = |told: &Told, n: usize| {
        let behind: Vec<&String> = told.0[n + 1..].iter().take(NEAR).collect();
        let verb = behind.iter().find(|word| !is_stop(word) && !word.ends_with("ly"))?;
        Some((stem(verb, Language::English), behind.first().is_some_and(|word| *word == "be")))
    };
    for (other, m) in said.iter().flat_map(|told| (0..told.0.len()).map(move |m| (told, m))) {
        let is_weak = WORDS.modals.contains(&other.0[m]);
        let Some((weak, by_be)) = verb(other, m).filter(|_| is_weak && !other.denies() && !other.bounds()) else {
            continue;
        };
        for (told, n) in stated.iter().flat_map(|told| (0..told.0.len()).map(move |n| (told, n))) {
            let word = told.0[n].as_str();
            let is_sure = WORDS.sure.contains(word) || by_be && matches!(word, "is" | "are" | "gets" | "get");
            if is_sure && !told.denies() && verb(told, n).is_some_and(|(sure, _)| sure == weak) {
                return Some(format!("it says “{word}” where the quotes say “{}”", other.0[m]));
            }
        }
    }
    None
}

/// "Always" where the quotes say nothing of the kind.
fn made_general(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let is_general = |text: &str| has(text, &WORDS.general) || negates(text);
    let always = words(sentence).find(|word| fold(word) == "always")?;
    let is_said = quoted.iter().any(|quoted| is_general(&quoted.said));
    (!is_said && !negates(sentence)).then(|| format!("the quotes do not say “{}”", fold(always)))
}

/// A statement of what the quotes leave open: "we have not found out whether …".
fn decided(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let is_open = |text: &str| negates(text) || has(text, &WORDS.lacks) || has(text, &WORDS.weakeners);
    if is_open(sentence) || words(sentence).any(|word| fold(word) == "whether") {
        return None;
    }
    let stated: BTreeSet<String> = content_stems(sentence, Language::English).into_iter().collect();
    let left_open = |said: &str| {
        let Some((before, behind)) = said.split_once("whether ") else { return false };
        let stems: BTreeSet<String> =
            content_stems(clauses(behind).first().unwrap_or(&""), Language::English).into_iter().collect();
        let shared = stems.iter().filter(|stem| stated.contains(*stem)).count();
        !behind.starts_with("or ")
            && (negates(before) || has(before, &WORDS.lacks))
            && shared >= 2
            && shared * 3 >= stems.len() * 2
    };
    let mut said = quoted.iter().flat_map(|quoted| sentences(&quoted.said).into_iter().map(|at| &quoted.said[at]));
    said.any(left_open).then(|| "it decides what the quotes leave open (“whether …”)".into())
}

/// "In memory instead of on disk" where the quotes say "on disk instead of in memory".
fn swapped_alternative(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let lower = sentence.to_lowercase();
    let (kept, refused) = alternatives(&lower)?;
    let mut said = quoted.iter().filter_map(|quoted| alternatives(&quoted.said.to_lowercase()));
    let is_swapped = said.any(|(other_kept, other_refused)| {
        refused != other_refused && kept.contains(&other_refused) && other_kept.contains(&refused)
    });
    is_swapped.then(|| "it swaps what the quotes say holds with what they say does not (“instead of”)".into())
}

/// The stems that stand before such words, and the first behind them.
fn alternatives(text: &str) -> Option<(BTreeSet<String>, String)> {
    let (before, behind) = WORDS.in_place_of.splits(text).next()?;
    let refused = content_stems(behind, Language::English).into_iter().next()?;
    Some((content_stems(before, Language::English).into_iter().collect(), refused))
}

fn has(text: &str, list: &BTreeSet<String>) -> bool {
    words(text).any(|word| list.contains(&*fold(word)))
}
