//! The denial in a statement, and the condition under which it holds: a paraphrase may leave out neither.
//!
//! Both checks go by clauses. A quote often says more than a statement uses, and a denial in the rest of it does not
//! matter.

use std::collections::BTreeSet;

use super::figures::tells_a_limit;
use super::subject::Quoted;
use crate::words::WORDS;
use text::sentence::sentences;
use text::words::{Language, content_stems, fold, is_stop, stem, word_indices, words};

/// Whether a text has a word that denies.
pub(crate) fn negates(text: &str) -> bool {
    words(text).any(|word| is_negation(&fold(word)))
}

/// Whether a text has a word by which it denies or limits its statement.
pub(super) fn negates_or_excepts(text: &str) -> bool {
    negates(text) || words(text).any(|word| matches!(&*fold(word), "unless" | "except" | "only" | "until" | "till"))
}

/// Whether a word in lower case denies, also as it is typed in a hurry: "doesnt".
pub(crate) fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not" | "no" | "never" | "none" | "cannot" | "without" | "neither" | "nor" | "nothing" | "nobody" | "nowhere"
    ) || word.ends_with("n't")
        || word.ends_with("nt") && is_stop(word)
}

/// Whether a sentence denies a statement that its quotes neither deny nor limit, or that a clause of them plainly affirms.
pub(super) fn denies_what_is_not_denied(sentence: &str, quoted: &[Quoted], language: Language) -> bool {
    let denied: Vec<Clause> = clauses(sentence).into_iter().map(|clause| Clause::of(clause, language)).collect();
    if !denied.iter().any(|clause| clause.is_denied) {
        return false;
    }
    let own = content_stems(sentence, language);
    let own: BTreeSet<&String> = own.iter().collect();
    let has = |said: &str, list: &BTreeSet<String>| words(said).any(|word| list.contains(&*fold(word)));
    let (of_knowing, advises) = (has(sentence, &WORDS.knowing), has(sentence, &WORDS.advice));
    let of_price = words(sentence).any(|word| fold(word) == "free");
    // A word that is denied itself is no denial: "not closed".
    let heads: BTreeSet<&String> = denied.iter().filter_map(|clause| clause.denied.as_ref()?.head.as_ref()).collect();
    let denies_by_a_word = |said: &str| {
        let is_it = |word: &str| WORDS.denying.contains(&*fold(word)) && !heads.contains(&stem(word, language));
        words(said).any(is_it)
    };
    let limits = |said: &str| {
        negates_or_excepts(said)
            || denies_firmly(said)
            || has_opposite(said, &own, language)
            || denies_by_a_word(said)
            || of_knowing && has(said, &WORDS.unsure)
            || of_price && has(said, &WORDS.prices)
            || advises && words(said).any(|word| fold(word) == "against")
            || tells_a_limit(said)
    };
    if !quoted.iter().any(|quoted| limits(&quoted.said) || has(&quoted.said, &WORDS.leaving_open)) {
        return true;
    }
    let of_sentence = |said: &str| {
        let is_limited = limits(said);
        clauses(said).into_iter().map(|clause| (is_limited, Clause::of(clause, language))).collect::<Vec<_>>()
    };
    let of_quote = |said: &str| sentences(said).into_iter().flat_map(|at| of_sentence(&said[at])).collect::<Vec<_>>();
    let said: Vec<(bool, Clause)> = quoted.iter().flat_map(|quoted| of_quote(&quoted.said)).collect();
    denied.iter().any(|clause| {
        let Some(denied) = clause.denied.as_ref() else { return false };
        let Some(head) = denied.head.as_ref() else { return false };
        let beside = if denied.rest.is_empty() { &denied.subject } else { &denied.rest };
        let affirms = |(limits, of_quote): &(bool, Clause)| {
            let shared = beside.intersection(&of_quote.stems).count();
            !limits && of_quote.stems.contains(head) && shared * 2 >= beside.len()
        };
        // "Not in the first year" denies the words before it.
        let denies = |(limits, of_quote): &(bool, Clause)| *limits && !of_quote.stems.is_disjoint(&clause.stems);
        said.iter().any(affirms) && !said.iter().any(denies)
    })
}

/// Whether a sentence affirms a statement that a clause of its quotes denies, and no other clause affirms.
pub(super) fn affirms_what_is_denied(sentence: &str, quoted: &[Quoted], language: Language) -> bool {
    let said: Vec<Clause> = quoted.iter().flat_map(|quoted| Clause::all(&quoted.said, language)).collect();
    let known: BTreeSet<&String> = said.iter().flat_map(|clause| &clause.stems).collect();
    let mut stated = Stated::of(sentence, language);
    let limits = stated.has("only");
    // Denials in other clauses do not change the statement of one that affirms.
    stated.clauses.retain(|(clause, _)| !denies(clause, &known, language));
    if limits || !said.iter().any(|clause| clause.denied.is_some()) || stated.clauses.is_empty() {
        return false;
    }
    let is_affirmed = |head: &String| stated.clauses.iter().any(|(_, stems)| stems.contains(head));
    let denies_some = denies(sentence, &known, language);
    let affirming: Vec<&Clause> = said.iter().filter(|clause| clause.denied.is_none()).collect();
    let denied = said.iter().filter_map(|clause| clause.denied.as_ref());
    let mut of_clauses = denied.filter(|denied| !denies_some || denied.head.as_ref().is_some_and(is_affirmed));
    of_clauses.any(|denied| stated.affirms(denied, &affirming))
}

/// The statement of a sentence.
struct Stated<'s> {
    language: Language,
    /// Its words in lower case.
    words: Vec<String>,
    stems: BTreeSet<String>,
    /// Its clauses, each with the stems of its content words.
    clauses: Vec<(&'s str, BTreeSet<String>)>,
}

impl<'s> Stated<'s> {
    fn of(sentence: &'s str, language: Language) -> Stated<'s> {
        let stems = |text: &str| content_stems(text, language).into_iter().collect::<BTreeSet<String>>();
        Stated {
            language,
            words: words(sentence).map(|word| fold(word).into_owned()).collect(),
            stems: stems(sentence),
            clauses: clauses(sentence).into_iter().map(|clause| (clause, stems(clause))).collect(),
        }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether it affirms the thing that is denied, and none of these clauses does.
    fn affirms(&self, denied: &Denied, affirming: &[&Clause]) -> bool {
        let Some(head) = denied.head.as_ref() else { return false };
        let shared: Vec<&String> = denied.rest.iter().filter(|stem| self.stems.contains(*stem)).collect();
        // "Not available for it": to have it affirms as much as to say that it is available.
        let is_had = WORDS.being_there.iter().any(|word| stem(word, self.language) == *head)
            && shared.len() == denied.rest.len()
            && !shared.is_empty()
            && denied.subject.iter().any(|stem| self.stems.contains(stem));
        if !self.stems.contains(head) && !is_had {
            return false;
        }
        let refers_back = ["it", "they", "this", "these"].iter().any(|word| self.has(word));
        let is_of_it =
            denied.subject.is_empty() || denied.subject.iter().any(|stem| self.stems.contains(stem)) || refers_back;
        let conditional = self.words.iter().any(|word| is_conditional(word));
        // "Not … unless" is "only if"; with the same word the denial is lost.
        let is_excepted = conditional && denied.exception.as_ref().is_some_and(|exception| !self.has(exception));
        let is_changed = denied.is_usual && (conditional || self.has("can"))
            || denied.is_mutual && !IF.iter().any(|word| self.has(word));
        let is_affirmed = |other: &&Clause| {
            (other.stems.contains(head) || is_had && other.stems.iter().any(|stem| denied.subject.contains(stem)))
                && shared.iter().all(|stem| other.stems.contains(*stem))
        };
        shared.len() * 3 >= denied.rest.len()
            && !is_excepted
            && !is_changed
            && !self.only_orders(head, denied)
            && !self.takes_up(head, denied, affirming)
            && (is_of_it || affirming.is_empty())
            && !affirming.iter().any(is_affirmed)
    }

    /// Whether each clause with this word is an order or advice, where the quotes only state a fact: "should save its keys".
    fn only_orders(&self, head: &String, denied: &Denied) -> bool {
        let orders = |clause: &str| {
            let all: Vec<String> = words(clause).map(|word| fold(word).into_owned()).collect();
            let is_head =
                |first: &String| stem(first, self.language) == *head && all.get(1).is_some_and(|next| is_stop(next));
            let begins = all.first().is_some_and(|first| first == "let" || is_head(first));
            begins || all.iter().any(|word| matches!(word.as_str(), "should" | "must"))
        };
        let mut of_it = self.clauses.iter().filter(|(_, stems)| stems.contains(head)).peekable();
        !denied.is_rule && of_it.peek().is_some() && of_it.all(|(clause, _)| orders(clause))
    }

    /// Whether a clause of it repeats an affirming clause with the same word: "not indexed automatically, so it should be indexed
    /// explicitly".
    fn takes_up(&self, head: &String, denied: &Denied, affirming: &[&Clause]) -> bool {
        let covers = |other: &Clause| {
            let shared = |stems: &BTreeSet<String>| stems.intersection(&other.stems).count();
            self.clauses.iter().any(|(_, stems)| stems.contains(head) && shared(stems) * 3 >= other.stems.len() * 2)
        };
        !denied.manner.iter().any(|word| self.has(word))
            && affirming.iter().any(|other| other.stems.contains(head) && covers(other))
    }
}

/// The word by which a quote limits its statement ("unless", "except", "only if"), if a sentence states the same without any
/// condition.
pub(super) fn lost_condition(sentence: &str, quoted: &[Quoted], language: Language) -> Option<&'static str> {
    // Words of the limited part are no condition of it: "at-least-once delivery for durable queues only".
    let is_told = |main: &str| {
        let is_there = |word: &str| words(main).any(|known| fold(known) == word);
        words(sentence).map(fold).any(|word| is_conditional(&word) && !is_there(&word))
    };
    // "Never" leaves no exception.
    let is_denied = words(sentence).map(fold).any(|word| is_negation(&word) && word != "never");
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
                let main = stems_of(limiter.main);
                let has_exception = stems_of(limiter.exception).difference(&main).any(|stem| stated.contains(stem));
                let is_kept = has_exception && (limiter.word == "only" || limiter.is_told_by_its_words() || is_denied)
                    || is_told(limiter.main);
                if !is_kept && states(&main) {
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

/// The statement of a sentence and the condition that limits it.
struct Limiter<'a> {
    word: &'static str,
    main: &'a str,
    exception: &'a str,
}

impl Limiter<'_> {
    /// Whether its words tell it in any sentence: "if the landlord agrees" is "by agreement with the landlord".
    fn is_told_by_its_words(&self) -> bool {
        matches!(self.word, "if" | "with")
    }
}

fn limiter(said: &str) -> Option<Limiter<'_>> {
    let all: Vec<(usize, &str)> = word_indices(said).collect();
    let limits = |n: &usize| {
        let next = all.get(n + 1).map(|(_, word)| fold(word));
        match &*fold(all[*n].1) {
            "unless" => Some("unless"),
            "except" => Some("except"),
            // "Even if", "whether", "as if" and "see if" limit nothing, nor does "if any".
            "if" if limits_nothing(&all[n + 1..]) => None,
            "if" if n.checked_sub(1).is_none_or(|before| limits_before_if(&fold(all[before].1))) => Some("if"),
            "with" if all[n + 1..].iter().take(CONSENT_WITHIN).any(|(_, word)| is_consent(&fold(word))) => Some("with"),
            // "Only admins may" and "has only one" say as much without the word.
            "only" if next.as_deref().is_some_and(is_preposition) => Some("only"),
            _ => None,
        }
    };
    let Some((n, word)) = (0..all.len()).find_map(|n| Some((n, limits(&n)?))) else { return trailing_only(said, &all) };
    let (from, behind) = (all[n].0, all[n].0 + all[n].1.len());
    let exception_end = behind + at_borders(&said[behind..])[0].len();
    let exception = &said[behind..exception_end];
    let before = said[..from].trim_end().trim_end_matches(',');
    let main = if n == 0 {
        said[exception_end..].trim_start_matches([',', ';', ':', '(', ')', '–', '—'])
    } else {
        // "Once, by 12 months, if": the words behind the last comma may say too little.
        let last = at_borders(before).pop().unwrap_or_default();
        last_part(if words(last).nth(LEAST_OF_A_CLAUSE).is_some() { last } else { before })
    };
    Some(Limiter { word, main, exception })
}

/// A clause that a condition limits has more words than this.
const LEAST_OF_A_CLAUSE: usize = 3;
/// In how many words behind "with" the consent stands: "with the written consent of".
const CONSENT_WITHIN: usize = 4;

fn is_consent(word: &str) -> bool {
    WORDS.consents.contains(word)
}

/// Whether what stands behind "if" only says that a thing need not be there: "if any", "if there is any", "if present".
fn limits_nothing(behind: &[(usize, &str)]) -> bool {
    let next: Vec<_> = behind.iter().take(3).map(|(_, word)| fold(word)).collect();
    let next: Vec<&str> = next.iter().map(|word| &**word).collect();
    matches!(next[..], ["any" | "present", ..] | ["there", "is" | "are", "any" | "one"])
}

/// Whether "if" may begin a condition behind this word.
fn limits_before_if(word: &str) -> bool {
    !matches!(word, "even" | "as" | "see" | "what" | "know" | "check" | "checks" | "tell" | "tells" | "asks" | "or")
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
    let alone = ["instead", "rather", "hand", "only", "few", "rarely", "hardly", "zero", "outside", "free"];
    words(sentence).any(|word| alone.contains(&&*fold(word)))
        || has_opposite(sentence, known, language)
        || denies_firmly(sentence)
}

/// Whether a text has the opposite of a known word: "unsupported" of "supported".
fn has_opposite(text: &str, known: &BTreeSet<&String>, language: Language) -> bool {
    words(text).map(fold).any(|word| {
        ["un", "non", "dis", "in", "im"].iter().any(|prefix| {
            let rest = word.strip_prefix(prefix).map(|rest| rest.trim_start_matches('-'));
            rest.is_some_and(|rest| rest.len() >= 4 && known.contains(&stem(rest, language)))
        })
    })
}

/// Whether a sentence denies something by "not", by a verb or by a phrase: "lacks", "is banned", "off limits".
pub(super) fn denies_firmly(sentence: &str) -> bool {
    let is_denial = |word: &str| {
        is_negation(word) || WORDS.bans.contains(word) || WORDS.denials.iter().any(|begin| word.starts_with(begin))
    };
    words(sentence).map(fold).any(|word| is_denial(&word)) || WORDS.denying_phrases.are_in(&sentence.to_lowercase())
}

/// A clause of a quote.
struct Clause {
    /// The stems of its content words.
    stems: BTreeSet<String>,
    /// Whether it denies: two denials make an affirmation, as in "without it nobody may enter".
    is_denied: bool,
    /// Its denial, if it has one.
    denied: Option<Denied>,
}

/// The denial of a clause.
struct Denied {
    /// The stems before the denial.
    subject: BTreeSet<String>,
    /// The first denied word: the complement of "is", "has" or "does".
    head: Option<String>,
    rest: BTreeSet<String>,
    /// Adverbs behind the denial: "not automatically deleted".
    manner: Vec<String>,
    /// The word that begins an exception: "not … unless".
    exception: Option<String>,
    /// Whether it forbids, instead of only telling a fact.
    is_rule: bool,
    /// Whether it holds only as long as nothing else is set: "by default".
    is_usual: bool,
    /// Whether it holds only where something else does not: "if it has not run, it has no statistics".
    is_mutual: bool,
}

/// Begin a condition.
const IF: [&str; 4] = ["if", "when", "where", "while"];

impl Clause {
    /// The clauses of a text.
    fn all(text: &str, language: Language) -> Vec<Clause> {
        let of_sentence = |at: std::ops::Range<usize>| {
            let said = &text[at];
            let has = |list: &[&str]| words(said).any(|word| list.contains(&&*fold(word)));
            let is_usual = words(said).any(|word| WORDS.usual.contains(&*fold(word)));
            let mut all: Vec<Clause> = clauses(said).into_iter().map(|clause| Clause::of(clause, language)).collect();
            let is_mutual = has(&IF) && all.iter().filter(|clause| clause.is_denied).count() > 1;
            for n in 0..all.len() {
                // "May be read but not written": the thing that is not written stands before.
                let before = n.checked_sub(1).map(|before| all[before].stems.clone()).unwrap_or_default();
                let Some(denied) = all[n].denied.as_mut() else { continue };
                (denied.is_usual, denied.is_mutual) = (is_usual, is_mutual);
                if denied.subject.is_empty() && denied.rest.is_empty() {
                    denied.subject = before;
                }
            }
            all
        };
        sentences(text).into_iter().flat_map(of_sentence).collect()
    }

    fn of(text: &str, language: Language) -> Clause {
        let all: Vec<(usize, &str)> = word_indices(text).collect();
        let folded: Vec<String> = all.iter().map(|(_, word)| fold(word).into_owned()).collect();
        let denials: Vec<usize> = (0..all.len()).filter(|n| denies_at(&folded, *n)).collect();
        let stems = content_stems(text, language).into_iter().filter(|stem| !is_negation(stem)).collect();
        let is_denied = denials.len() % 2 == 1;
        let [denial] = denials[..] else { return Clause { stems, is_denied, denied: None } };
        let behind = &text[all[denial].0 + all[denial].1.len()..];
        // "not automatically deleted": the denial is of the deletion.
        let is_adverb =
            |word: &str| word.ends_with("ly") || matches!(word, "yet" | "always" | "ever" | "even" | "any" | "longer");
        let content: Vec<&str> = words(behind).filter(|word| !is_stop(word) && !is_adverb(&fold(word))).collect();
        let stem_of = |word: &&str| stem(word, language);
        let head = content.first().map(stem_of);
        let rest = content.iter().skip(1).map(stem_of).filter(|stem| Some(stem) != head.as_ref()).collect();
        let subject = content_stems(&text[..all[denial].0], language).into_iter().collect();
        let exceptions = ["unless", "until", "except", "before", "than"];
        let exception = folded[denial..].iter().find(|word| exceptions.contains(&word.as_str())).cloned();
        let manner = folded[denial..].iter().filter(|word| word.ends_with("ly")).cloned().collect();
        let is_rule = folded.iter().any(|word| WORDS.rules.contains(word));
        let denied = Denied { subject, head, rest, manner, exception, is_rule, is_usual: false, is_mutual: false };
        Clause { stems, is_denied, denied: Some(denied) }
    }
}

/// Whether the word at this place denies the words behind it: "not only", "no more than" and "or not" do not.
fn denies_at(words: &[String], n: usize) -> bool {
    let next = words.get(n + 1).map_or("", String::as_str);
    let before = n.checked_sub(1).map_or("", |n| words[n].as_str());
    let compares = [
        "only", "just", "merely", "more", "less", "fewer", "later", "earlier", "sooner", "longer", "matter", "doubt",
        "certain",
    ];
    let is_than = words.get(n + 2).is_some_and(|word| word == "than");
    let is_limit = compares.contains(&next) && (next != "longer" || is_than);
    // "Call no. 140"
    let is_number = words[n] == "no" && next.starts_with(|c: char| c.is_ascii_digit());
    is_negation(&words[n])
        && !is_number
        && words[n] != "nor"
        && before != "or"
        && !is_limit
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
    let is_border = |(at, c): &(usize, char)| {
        matches!(c, ';' | '(' | ')' | '–' | '—') || matches!(c, ',' | ':') && !is_in_number(*at)
    };
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
