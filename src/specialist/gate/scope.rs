//! The words that bound or weaken a statement: a paraphrase may make neither more nor less of "most", "may", "until" or "within"
//! than its quotes do.
//!
//! Each check compares words that stand before the same word in sentence and quote; where the quotes have no such word, it says
//! nothing. Lists of words stand in `words.toml`.

use std::collections::BTreeSet;

use super::denial::{clauses, denies_firmly, is_negation, negates};
use super::subject::Quoted;
use crate::words::WORDS;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, words};

/// The words that may stand between a word and the words that it bounds: "within the same region".
const NEAR: usize = 4;

/// The change that a sentence makes to its quotes by such words, as an issue for the writer.
pub(super) fn changed_scope(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let said: Vec<Told> = quoted.iter().flat_map(|quoted| Told::all(&quoted.said)).collect();
    let stated = Told::all(sentence);
    changed_quantity(&stated, &said)
        .or_else(|| lost_quantity(&stated, &said))
        .or_else(|| changed_side(&stated, &said))
        .or_else(|| swapped_range(&stated, &said))
        .or_else(|| turned(&stated, &said))
        .or_else(|| lost_hedge(sentence, &stated, &said))
        .or_else(|| for_others_only(&stated, &said))
        .or_else(|| changed_period(sentence, quoted))
        .or_else(|| made_sure(sentence, &stated, &said))
        .or_else(|| made_general(sentence, quoted))
        .or_else(|| decided(sentence, quoted))
        .or_else(|| swapped_alternative(sentence, quoted))
}

/// The words of a clause in lower case, with the denials and exceptions of its sentence.
struct Told(Vec<String>, Polarity);

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Polarity {
    /// By "not" or by a verb.
    denies: bool,
    /// By "except" or "unless".
    excepts: bool,
}

impl Told {
    /// The clauses of a text.
    fn all(text: &str) -> Vec<Told> {
        let of_sentence = |sentence: &str| {
            let excepts = words(sentence).any(|word| matches!(&*fold(word), "except" | "unless"));
            let of_sentence = Polarity { denies: denies_firmly(sentence), excepts };
            clauses(sentence).into_iter().map(|clause| Told::of(clause, of_sentence)).collect::<Vec<Told>>()
        };
        sentences(text).into_iter().flat_map(|at| of_sentence(&text[at])).collect()
    }

    fn of(text: &str, of_sentence: Polarity) -> Told {
        Told(words(text).map(|word| fold(word).into_owned()).collect(), of_sentence)
    }

    fn denies(&self) -> bool {
        self.0.iter().any(|word| is_negation(word))
    }

    /// Whether both or neither deny something, so that their words can be compared.
    fn is_comparable(&self, other: &Told) -> bool {
        self.denies() == other.denies() && self.1 == other.1
    }

    /// Whether it is told of what keeps within a limit: "up to 50 MB".
    fn is_up_to(&self) -> bool {
        self.0.windows(2).any(|pair| matches!([&*pair[0], &*pair[1]], ["up", "to"] | ["at", "most"]))
    }

    /// Whether it is told of what goes beyond one: "larger than 50 MB".
    fn is_beyond(&self) -> bool {
        self.0.windows(2).any(|pair| WORDS.beyond.contains(&pair[0]) && pair[1] == "than")
    }

    /// The stems of its content words.
    fn stems(&self) -> BTreeSet<String> {
        self.0.iter().filter(|word| !is_stop(word)).map(|word| stem(word, Language::English)).collect()
    }

    /// The stems of the words right behind the one at this place: up to the first content word, with all figures that follow.
    fn target(&self, n: usize) -> BTreeSet<String> {
        let near = || self.0[n + 1..].iter().take(NEAR);
        // "From 3 to 5" has two borders.
        let begins_a_range = matches!(self.0[n].as_str(), "from" | "since" | "between");
        if begins_a_range && near().any(|word| matches!(word.as_str(), "to" | "until" | "till")) {
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

    /// The word right behind the one at this place, as a stem, also behind "of the".
    fn next(&self, n: usize) -> Option<String> {
        let mut behind = self.0[n + 1..].iter().skip_while(|word| matches!(word.as_str(), "of" | "the"));
        behind.next().filter(|word| !is_stop(word)).map(|word| stem(word, Language::English))
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

/// "Jobs arrive" where the quotes say so of most jobs.
fn lost_quantity(stated: &[Told], said: &[Told]) -> Option<String> {
    let begins = |told: &Told| {
        // "Record some new commits": behind a verb it is no part of what is spoken of.
        let limits = |(at, word): (usize, &String)| {
            WORDS.parts.contains(word)
                && (word != "some" || at == 0 || told.0.get(at + 1).is_some_and(|next| next == "of"))
        };
        let at = told.0.iter().enumerate().take(3).position(limits)?;
        let of = told.0[at + 1..].iter().find(|word| !is_stop(word))?;
        Some((at, stem(of, Language::English)))
    };
    let is_limited = |told: &Told| {
        let limits = |word: &String| {
            let lists = [&WORDS.parts, &WORDS.hedges, &WORDS.hedged, &WORDS.weakeners];
            WORDS.quantities.contains_key(word) || lists.iter().any(|list| list.contains(word))
        };
        told.0.iter().any(|word| limits(word) || word.contains(|c: char| c.is_ascii_digit()))
    };
    for other in said {
        let Some((at, of)) = begins(other) else { continue };
        let rest = other.stems();
        let is_general = |told: &&Told| {
            let subject = told.0.iter().find(|word| !is_stop(word)).map(|word| stem(word, Language::English));
            subject.as_ref() == Some(&of)
                && !is_limited(told)
                && told.is_comparable(other)
                && shares(&told.stems(), &rest)
        };
        if stated.iter().any(|told| is_general(&told)) {
            return Some(format!("it leaves out “{}” of the quotes", other.0[at]));
        }
    }
    None
}

/// Whether most of the first stems are among the second, and at least two.
fn shares(own: &BTreeSet<String>, others: &BTreeSet<String>) -> bool {
    let shared = own.intersection(others).count();
    shared >= 2 && shared * 3 >= own.len() * 2
}

/// "From" where the quotes say "until", "above" where they say "below", of the same.
fn changed_side(stated: &[Told], said: &[Told]) -> Option<String> {
    let side = |word: &String| WORDS.opposites.iter().position(|words| words.contains(word));
    for (told, n) in stated.iter().flat_map(|told| (0..told.0.len()).map(move |n| (told, n))) {
        let Some(own) = side(&told.0[n]) else { continue };
        let target = told.target(n);
        let mut opposite = None;
        let comparable = said.iter().filter(|other| told.is_comparable(other));
        for (other, m) in comparable.flat_map(|told| (0..told.0.len()).map(move |m| (told, m))) {
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

/// "Rose" where the quotes say "fell", of the same. What is turned twice says the same again: "smaller ones are accepted" where larger
/// ones are rejected.
fn turned(stated: &[Told], said: &[Told]) -> Option<String> {
    let kind = |word: &String| WORDS.contraries.iter().position(|words| words.contains(word));
    let has =
        |all: &[Told], kind_of: usize| all.iter().flat_map(|told| &told.0).any(|word| kind(word) == Some(kind_of));
    for told in stated {
        // A sentence that has both, or quotes that have both, compare more than one.
        let is_plain = |(_, own): &(&String, usize)| !has(stated, own ^ 1) && !has(said, *own);
        let kinds = told.0.iter().filter_map(|word| Some((word, kind(word)?)));
        let kinds: Vec<(&String, usize)> = kinds.filter(is_plain).collect();
        let others = |told: &Told| {
            let rest = told.0.iter().filter(|word| !is_stop(word) && kind(word).is_none());
            rest.map(|word| stem(word, Language::English)).collect::<BTreeSet<String>>()
        };
        // The words themselves may deny: "forbidden".
        let is_alike = |other: &Told| told.denies() == other.denies() && told.1.excepts == other.1.excepts;
        for other in said.iter().filter(|other| is_alike(other) && shares(&others(told), &others(other))) {
            let opposite = |of: usize| other.0.iter().find(|word| kind(word) == Some(of ^ 1));
            let mut turned = kinds.iter().filter_map(|(word, own)| Some((word, opposite(*own)?)));
            let Some((word, opposite)) = turned.next() else { continue };
            let times = 1 + turned.count() + usize::from(told.is_up_to() && other.is_beyond());
            if times % 2 == 1 {
                return Some(format!("it says “{word}” where the quotes say “{opposite}”"));
            }
        }
    }
    None
}

/// The hedge of the quotes (a rule, an opinion) that a sentence leaves out, as an issue for the writer.
fn lost_hedge(sentence: &str, stated: &[Told], said: &[Told]) -> Option<String> {
    if has(sentence, &WORDS.hedged) || has(sentence, &WORDS.weakeners) || has(sentence, &WORDS.hedges) {
        return None;
    }
    let hedge = |told: &Told| told.0.iter().find(|word| WORDS.hedges.contains(*word)).cloned();
    let states = |told: &Told, other: &Told| {
        let stems = other.stems();
        told.is_comparable(other) && shares(&told.stems(), &stems)
    };
    let plain = |told: &Told| said.iter().any(|other| hedge(other).is_none() && states(told, other));
    let lost = |told: &Told| said.iter().filter(|other| states(told, other)).find_map(hedge);
    let word = stated.iter().filter(|told| !plain(told)).find_map(lost)?;
    Some(format!("it leaves out “{word}” of the quotes"))
}

/// "Only walkers may", or "walkers may", where the quotes say "only rangers may".
fn for_others_only(stated: &[Told], said: &[Told]) -> Option<String> {
    let modal = |told: &Told| told.0.iter().position(|word| matches!(word.as_str(), "may" | "can" | "must"));
    for other in said {
        let Some(at) = modal(other).filter(|_| other.0.first().is_some_and(|first| first == "only")) else { continue };
        let stems = |words: &[String]| Told(words.to_vec(), Polarity::default()).stems();
        let (allowed, act) = (stems(&other.0[1..at]), stems(&other.0[at + 1..]));
        let names_other = |told: &&Told| {
            let Some(at) = modal(told) else { return false };
            let (subject, own) = (stems(&told.0[..at]), stems(&told.0[at + 1..]));
            let is_act = !act.is_empty() && act.intersection(&own).count() * 3 >= act.len() * 2;
            !subject.is_empty()
                && subject.is_disjoint(&allowed)
                && own.is_disjoint(&allowed)
                && is_act
                && !told.denies()
        };
        let is_also_said = |told: &Told| {
            said.iter().any(|known| known.0.first() != other.0.first() && known.stems().is_superset(&told.stems()))
        };
        if !allowed.is_empty() && stated.iter().filter(names_other).any(|told| !is_also_said(told)) {
            return Some(format!("the quotes say so only of “{}”", other.0[1..at].join(" ")));
        }
    }
    None
}

/// "Every month" where the quotes say "once a year".
fn changed_period(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let period =
        |word: &str| WORDS.periods.iter().find(|(_, words)| words.contains(word)).map(|(name, _)| name.as_str());
    let told = |text: &str, before: &[&str]| {
        let all: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
        let of = |n: usize| {
            let is_rate = all[n].ends_with("ly") || n > 0 && before.contains(&all[n - 1].as_str());
            period(&all[n]).filter(|_| is_rate)
        };
        (0..all.len()).filter_map(of).collect::<BTreeSet<&'static str>>()
    };
    let said: BTreeSet<&str> =
        quoted.iter().flat_map(|quoted| told(&quoted.said, &["a", "an", "each", "every", "per"])).collect();
    let named =
        |name: &str| quoted.iter().any(|quoted| words(&quoted.said).any(|word| period(&fold(word)) == Some(name)));
    let own = told(sentence, &["each", "every", "per"]);
    let other = own.into_iter().find(|name| !said.is_empty() && !named(name))?;
    Some(format!("it says “per {other}” where the quotes say “per {}”", said.into_iter().next().unwrap_or_default()))
}

/// "From May to October" where the quotes say "from October to May".
fn swapped_range(stated: &[Told], said: &[Told]) -> Option<String> {
    let ranges = |all: &[Told]| {
        let of = |four: &[String]| (four[0] == "from" && four[2] == "to").then(|| (four[1].clone(), four[3].clone()));
        all.iter().flat_map(|told| told.0.windows(4).filter_map(of)).collect::<Vec<(String, String)>>()
    };
    let known = ranges(said);
    let is_swapped = |(from, to): &(String, String)| {
        from != to && known.contains(&(to.clone(), from.clone())) && !known.contains(&(from.clone(), to.clone()))
    };
    let (from, to) = ranges(stated).into_iter().find(is_swapped)?;
    Some(format!("it says “from {from} to {to}” where the quotes say “from {to} to {from}”"))
}

/// "Will be lost", "is lost" where the quotes say "may be lost".
fn made_sure(sentence: &str, stated: &[Told], said: &[Told]) -> Option<String> {
    if has(sentence, &WORDS.weakeners) || negates(sentence) && !said.iter().any(Told::denies) {
        return None;
    }
    // The subject of a modal verb, and whether the verb has a form of "be": "may be lost".
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

/// A statement on a question that the quotes leave open: "we have not found out whether …".
fn decided(sentence: &str, quoted: &[Quoted]) -> Option<String> {
    let tells_that = |text: &str| negates(text) && has(text, &WORDS.knowing);
    let is_open = tells_that(sentence) || has(sentence, &WORDS.lacks) || has(sentence, &WORDS.weakeners);
    if is_open || words(sentence).any(|word| fold(word) == "whether") {
        return None;
    }
    let stated: BTreeSet<String> = content_stems(sentence, Language::English).into_iter().collect();
    let left_open = |said: &str| {
        let folded = said.to_lowercase();
        let Some((before, behind)) = folded.split_once("whether ") else { return false };
        let stems: BTreeSet<String> =
            content_stems(clauses(behind).first().unwrap_or(&""), Language::English).into_iter().collect();
        let shared = stems.iter().filter(|stem| stated.contains(*stem)).count();
        !behind.starts_with("or ")
            && (negates(before) || has(before, &WORDS.lacks) || before.is_empty() && tells_that(behind))
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
