//! What a statement denies and under which condition it holds: a paraphrase may leave out neither.
//!
//! Both checks go by clauses. A quote often says more than a statement uses, and a denial in the rest of it does not
//! matter.

use std::collections::BTreeSet;

use super::subject::Quoted;
use crate::words::WORDS;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, word_indices, words};

/// Whether a text has a word that denies.
pub(crate) fn negates(text: &str) -> bool {
    words(text).any(|word| is_negation(&fold(word)))
}

/// Whether a text has a word by which it denies, or limits what it says.
pub(super) fn negates_or_excepts(text: &str) -> bool {
    negates(text) || words(text).any(|word| matches!(&*fold(word), "unless" | "except" | "only" | "until" | "till"))
}

/// Whether a word in lower case denies, also as it is typed in a hurry: "doesnt".
pub(crate) fn is_negation(word: &str) -> bool {
    matches!(word, "not" | "no" | "never" | "none" | "cannot" | "without" | "neither" | "nor" | "nothing")
        || word.ends_with("n't")
        || word.ends_with("nt") && is_stop(word)
}

/// Whether a sentence affirms what a clause of its quotes denies, and no other clause affirms.
pub(super) fn affirms_what_is_denied(sentence: &str, quoted: &[Quoted], language: Language) -> bool {
    let said: Vec<Clause> =
        quoted.iter().flat_map(|quoted| clauses(&quoted.said)).map(|clause| Clause::of(clause, language)).collect();
    let known: BTreeSet<&String> = said.iter().flat_map(|clause| &clause.stems).collect();
    if !said.iter().any(|clause| clause.denied.is_some()) || denies(sentence, &known, language) {
        return false;
    }
    let stated: BTreeSet<String> = content_stems(sentence, language).into_iter().collect();
    let affirming = || said.iter().filter(|clause| clause.denied.is_none());
    let refers_back = words(sentence).any(|word| matches!(&*fold(word), "it" | "they" | "this" | "these"));
    said.iter().any(|clause| {
        let Some(denied) = &clause.denied else { return false };
        let Some(head) = denied.head.as_ref() else { return false };
        let shared: Vec<&String> = denied.rest.iter().filter(|stem| stated.contains(*stem)).collect();
        // "Not available for it": to have it affirms as much as to say that it is available.
        let is_had = WORDS.being_there.iter().any(|word| stem(word, language) == *head)
            && shared.len() == denied.rest.len()
            && !shared.is_empty()
            && denied.subject.iter().any(|stem| stated.contains(stem));
        if !stated.contains(head) && !is_had {
            return false;
        }
        let is_of_it =
            denied.subject.is_empty() || denied.subject.iter().any(|stem| stated.contains(stem)) || refers_back;
        // "Not … unless" is "only if"; with the same word the denial is lost.
        let has = |exception: &String| words(sentence).any(|word| fold(word) == exception.as_str());
        let conditional = denied.exception.as_ref().is_some_and(|exception| !has(exception))
            && words(sentence).any(|word| is_conditional(&fold(word)));
        let is_affirmed = |other: &Clause| {
            (other.stems.contains(head) || is_had && other.stems.iter().any(|stem| denied.subject.contains(stem)))
                && shared.iter().all(|stem| other.stems.contains(*stem))
        };
        shared.len() * 3 >= denied.rest.len()
            && !conditional
            && (is_of_it || affirming().next().is_none())
            && !affirming().any(is_affirmed)
    })
}

/// The word by which a quote limits what it says ("unless", "except", "only if"), if a sentence states the same without any
/// condition.
pub(super) fn lost_condition(sentence: &str, quoted: &[Quoted], language: Language) -> Option<&'static str> {
    // What stands in the part that is limited is no condition of it: "at-least-once delivery for durable queues only".
    let is_told = |main: &str| {
        let is_there = |word: &str| words(main).any(|known| fold(known) == word);
        words(sentence).map(fold).any(|word| is_negation(&word) || is_conditional(&word) && !is_there(&word))
    };
    let stated: BTreeSet<String> = content_stems(sentence, language).into_iter().collect();
    let mut lost = None;
    for said in quoted.iter().flat_map(|quoted| sentences(&quoted.said).into_iter().map(move |at| &quoted.said[at])) {
        let stems_of = |text: &str| content_stems(text, language).into_iter().collect::<BTreeSet<String>>();
        let states = |main: &BTreeSet<String>| {
            let shared = main.iter().filter(|stem| stated.contains(*stem)).count();
            shared >= 2 && shared * 3 >= main.len() * 2
        };
        match limiter(said) {
            Some(limiter) => {
                let has_exception = stems_of(limiter.exception).iter().any(|stem| stated.contains(stem));
                let is_kept = has_exception && limiter.word == "only" || is_told(limiter.main);
                if !is_kept && states(&stems_of(limiter.main)) {
                    lost = Some(limiter.word);
                }
            }
            // Another quote says so without a condition.
            None if states(&stems_of(said)) => return None,
            None => {}
        }
    }
    lost
}

/// What a sentence says and the condition that limits it.
struct Limiter<'a> {
    word: &'static str,
    main: &'a str,
    exception: &'a str,
}

fn limiter(said: &str) -> Option<Limiter<'_>> {
    let all: Vec<(usize, &str)> = word_indices(said).collect();
    let limits = |n: &usize| {
        let next = all.get(n + 1).map(|(_, word)| fold(word));
        match &*fold(all[*n].1) {
            "unless" => Some("unless"),
            "except" => Some("except"),
            // "Only admins may" and "has only one" say as much without the word.
            "only" if next.as_deref().is_some_and(is_preposition) => Some("only"),
            _ => None,
        }
    };
    let Some((n, word)) = (0..all.len()).find_map(|n| Some((n, limits(&n)?))) else { return trailing_only(said, &all) };
    let (from, behind) = (all[n].0, all[n].0 + all[n].1.len());
    let is_border = |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '–' | '—');
    let exception_end = said[behind..].find(is_border).map_or(said.len(), |at| behind + at);
    let exception = &said[behind..exception_end];
    let before = said[..from].trim_end().trim_end_matches(',');
    let main = if n == 0 {
        said[exception_end..].trim_start_matches(is_border)
    } else {
        let start = before.rfind(is_border).map_or(0, |at| at + 1);
        last_part(&before[before.ceil_char_boundary(start)..])
    };
    Some(Limiter { word, main, exception })
}

/// "For durable queues only": the condition stands before the word, from its preposition on.
fn trailing_only<'a>(said: &'a str, all: &[(usize, &'a str)]) -> Option<Limiter<'a>> {
    let ends = |at: usize| {
        let rest = said[at..].trim_start();
        rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '!', ')'])
    };
    let n = all.iter().position(|(at, word)| fold(word) == "only" && ends(at + word.len()))?;
    let start = said[..all[n].0].rfind([',', ';', ':', '(']).map_or(0, |at| at + 1);
    let from = (0..n).rev().take_while(|m| all[*m].0 >= start).find(|m| is_preposition(&fold(all[*m].1)))?;
    let main = &said[start..all[from].0];
    Some(Limiter { word: "only", main: last_part(main), exception: &said[all[from].0..all[n].0] })
}

fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "if" | "when"
            | "for"
            | "in"
            | "on"
            | "with"
            | "after"
            | "before"
            | "by"
            | "while"
            | "where"
            | "until"
            | "from"
            | "at"
            | "within"
            | "under"
            | "during"
            | "once"
            | "as"
            | "through"
            | "via"
    )
}

/// Whether a word says that something does not always hold.
fn is_conditional(word: &str) -> bool {
    matches!(
        word,
        "if" | "when"
            | "whenever"
            | "unless"
            | "except"
            | "excepted"
            | "only"
            | "other"
            | "apart"
            | "but"
            | "until"
            | "once"
            | "however"
            | "otherwise"
            | "provided"
            | "must"
            | "some"
            | "most"
            | "mostly"
            | "usually"
            | "normally"
            | "generally"
            | "default"
            | "just"
            | "solely"
            | "exclusively"
            | "while"
            | "after"
            | "unlike"
            | "may"
            | "could"
            | "might"
            | "often"
            | "certain"
            | "where"
    ) || ["exclu", "exception", "condition", "depend", "requir", "need", "restrict", "limit"]
        .iter()
        .any(|stem| word.starts_with(stem))
}

/// Whether a sentence denies something in any words: "lacks", "is unsupported", "only".
pub(super) fn denies(sentence: &str, known: &BTreeSet<&String>, language: Language) -> bool {
    words(sentence).any(|word| {
        let word = fold(word);
        let opposite = ["un", "non", "dis", "in", "im"].iter().any(|prefix| {
            let rest = word.strip_prefix(prefix).map(|rest| rest.trim_start_matches('-'));
            rest.is_some_and(|rest| rest.len() >= 4 && known.contains(&stem(rest, language)))
        });
        let begins = [
            "lack",
            "fail",
            "missing",
            "absen",
            "unable",
            "impossib",
            "unavailab",
            "unsupport",
            "prevent",
            "manual",
            "prohibit",
            "forbid",
            "disallow",
            "refus",
            "reject",
            "exclu",
            "ignor",
            "disab",
            "avoid",
            "omit",
            "skip",
            "denie",
        ];
        let alone = ["instead", "rather", "hand", "only", "few", "rarely", "hardly", "zero", "outside", "free"];
        is_negation(&word) || opposite || alone.contains(&&*word) || begins.iter().any(|begin| word.starts_with(begin))
    })
}

/// A clause of a quote.
struct Clause {
    /// The stems of its content words.
    stems: BTreeSet<String>,
    denied: Option<Denied>,
}

/// What a clause denies.
struct Denied {
    /// The stems before the denial.
    subject: BTreeSet<String>,
    /// The first word that is denied: what "is", "has" or "does" leaves open.
    head: Option<String>,
    rest: BTreeSet<String>,
    /// The word that begins an exception: "not … unless".
    exception: Option<String>,
}

impl Clause {
    fn of(text: &str, language: Language) -> Clause {
        let all: Vec<(usize, &str)> = word_indices(text).collect();
        let folded: Vec<String> = all.iter().map(|(_, word)| fold(word).into_owned()).collect();
        let denials: Vec<usize> = (0..all.len()).filter(|n| denies_at(&folded, *n)).collect();
        let stems = content_stems(text, language).into_iter().filter(|stem| !is_negation(stem)).collect();
        // Two denials in one clause often make an affirmation.
        let [denial] = denials[..] else { return Clause { stems, denied: None } };
        let behind = &text[all[denial].0 + all[denial].1.len()..];
        // "not automatically deleted": what is denied is that it is deleted.
        let is_adverb =
            |word: &str| word.ends_with("ly") || matches!(word, "yet" | "always" | "ever" | "even" | "any" | "longer");
        let content: Vec<&str> = words(behind).filter(|word| !is_stop(word) && !is_adverb(&fold(word))).collect();
        let stem_of = |word: &&str| stem(word, language);
        let head = content.first().map(stem_of);
        let rest = content.iter().skip(1).map(stem_of).filter(|stem| Some(stem) != head.as_ref()).collect();
        let subject = content_stems(&text[..all[denial].0], language).into_iter().collect();
        let exceptions = ["unless", "until", "except", "before", "than"];
        let exception = folded[denial..].iter().find(|word| exceptions.contains(&word.as_str())).cloned();
        Clause { stems, denied: Some(Denied { subject, head, rest, exception }) }
    }
}

/// Whether the word at this place denies what follows: "not only", "no more than" and "or not" do not.
fn denies_at(words: &[String], n: usize) -> bool {
    let next = words.get(n + 1).map_or("", String::as_str);
    let before = n.checked_sub(1).map_or("", |n| words[n].as_str());
    let compares = ["only", "just", "merely", "more", "less", "fewer", "later", "earlier", "sooner", "matter", "doubt"];
    is_negation(&words[n])
        && words[n] != "nor"
        && before != "or"
        && !compares.contains(&next)
        && !next.starts_with("exceed")
}

/// The clauses of a text: its sentences, parted at punctuation and at words that begin another statement.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let parts = sentences(text).into_iter().flat_map(|at| at_borders(&text[at]));
    parts.flat_map(parted).filter(|part| !part.trim().is_empty()).collect()
}

/// A text parted at punctuation, but not within a number.
fn at_borders(text: &str) -> Vec<&str> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_in_number = |at: usize| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    let is_border =
        |(at, c): &(usize, char)| matches!(c, ';' | ':' | '(' | ')' | '–' | '—') || *c == ',' && !is_in_number(*at);
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices().filter(is_border) {
        parts.push(&text[from..at]);
        from = at + c.len_utf8();
    }
    parts.push(&text[from..]);
    parts
}

/// A text parted at words that begin another statement.
fn parted(text: &str) -> Vec<&str> {
    let begins = |word: &str| {
        matches!(
            word,
            "but"
                | "and"
                | "while"
                | "whereas"
                | "which"
                | "although"
                | "though"
                | "because"
                | "so"
                | "since"
                | "if"
                | "when"
        )
    };
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, word) in word_indices(text).filter(|(_, word)| begins(&fold(word))) {
        parts.push(&text[from..at]);
        from = at + word.len();
    }
    parts.push(&text[from..]);
    parts
}

/// The last of the parts of a text, with more than one word if there is such a part.
fn last_part(text: &str) -> &str {
    parted(text).into_iter().rev().find(|part| words(part).nth(1).is_some()).unwrap_or(text)
}
