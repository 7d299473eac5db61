//! Whether a sentence can stand alone as a claim: not a fragment, a question, a pronoun without its noun, a remark
//! about its page, program text, or an instruction to the software reading it.

use super::edit::drop_references;
use crate::words::WORDS;
use run::finding::apply;
use text::words::{fold, function_words, is_stop, words};

/// The most words of a claim, which may be two sentences.
pub(super) const MOST_WORDS: usize = 60;
/// The least words of a sentence.
pub(super) const LEAST_WORDS: usize = 4;

pub(super) fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether a sentence can be a claim at all.
pub(super) fn can_stand(sentence: &str, item: bool) -> bool {
    let n = count(sentence);
    let ended = sentence.trim_end_matches(['"', '\'', '\u{2019}', '\u{201d}', ')', ']']).ends_with(['.', '!', '…']);
    let long_enough = n >= LEAST_WORDS || (item && n >= 2);
    long_enough
        && n <= MOST_WORDS
        && (ended || item || sentence.trim_end().ends_with(':'))
        && !sentence.trim_end().ends_with('?')
        && (!sentence.trim_end().ends_with(':') || is_instruction(sentence))
        && (item || has_verb(sentence) && !is_only_related(sentence))
        && (item || !sentence.starts_with(|c: char| c.is_lowercase()) || looks_like_a_name(sentence))
        && !unmarked(after_short_form(sentence))
            .starts_with(['(', '[', '*', '†', '<', '>', '-', '–', '+', '|', '=', '#', '@', ':', '•'])
        && !sentence.starts_with(['.', '…', ',', ';', ')', ']', '}'])
        && !is_only_means(sentence)
        && !is_cut_off(sentence)
        && !announces(sentence)
        && balanced(sentence)
        && !is_code_like(sentence)
        && !is_caption(sentence)
        && !is_meta(&apply(sentence, &drop_references(sentence)).unwrap_or_default())
        && !addresses_machine(sentence)
}

/// The fewest words from which the function words of a text tell its language, and their least share in English: one word in so many;
/// and if other languages have each of them, too.
const LEAST_TO_TELL: usize = 10;
const ONE_IN: usize = 10;
const ONE_IN_IF_SHARED: usize = 5;

/// Whether a text may be English: a short one, or one with function words.
pub(super) fn reads_as_english(text: &str) -> bool {
    let (all, of_english) = function_words(words(text));
    let is_shared = |word: &str| !is_stop(word) || WORDS.of_other_languages.contains(&*fold(word));
    let one_in = if words(text).all(is_shared) { ONE_IN_IF_SHARED } else { ONE_IN };
    all < LEAST_TO_TELL || of_english * one_in >= all
}

/// Whether a question is put in English, by its function words: three at least, and a quarter of it.
pub(super) fn is_in_english(question: &str) -> bool {
    let (all, of_english) = function_words(words(question));
    of_english >= 3 && of_english * 4 >= all
}

/// Whether a sentence ends before its content: "to indicate whether.", "needs the following.", "To see it, try."
fn is_cut_off(sentence: &str) -> bool {
    let lower = fold(sentence);
    let ends = lower.trim_end_matches(['.', ':']);
    let ends_in_order = [", try", ", run", ", type", ", use", ", enter"].iter().any(|order| ends.ends_with(order));
    let ends_in_example =
        [" e.g", " i.e", " like this", " like so", " as follows"].iter().any(|end| ends.ends_with(end));
    let last = words(sentence).last().map(fold);
    ends_in_order
        || ends_in_example
        || last.is_some_and(|last| {
            matches!(
                last.as_ref(),
                "whether" | "following" | "the" | "a" | "an" | "of" | "if" | "and" | "or" | "than" | "because"
            )
        })
}

/// The most words of a text that says only what something is for.
const MOST_OF_A_PURPOSE: usize = 6;

/// Whether a text names only a means or a purpose: "By installing both versions side by side.", "For troubleshooting tips.", "To build
/// an image based on the newest version."
pub(super) fn is_only_means(sentence: &str) -> bool {
    if !sentence.contains(',') {
        let is_short = count(sentence) <= MOST_OF_A_PURPOSE;
        let rest = sentence.strip_prefix("For ").map(|rest| (rest, is_short));
        // The word after "To" is the verb of the purpose.
        let to = || sentence.strip_prefix("To ")?.split_once(' ').map(|(_, rest)| (rest, false));
        if rest.or_else(to).is_some_and(|(rest, is_short)| is_short || !acts(rest)) {
            return true;
        }
    }
    let mut words = words(sentence);
    words.next() == Some("By") && words.next().is_some_and(|verb| verb.ends_with("ing")) && !sentence.contains(',')
}

/// Whether a text has a verb that is hardly a noun or a participle.
fn acts(text: &str) -> bool {
    let words: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    let is_article = |word: &str| matches!(word, "a" | "an" | "the" | "its" | "their" | "your" | "of");
    let governs = |next: &String| is_stop(next) && !matches!(next.as_str(), "and" | "for" | "in" | "of" | "or");
    let is_noun = |at: usize| {
        let is_plural = words[at].ends_with('s') && !WORDS.finite_verbs.contains(&words[at]);
        at.checked_sub(1).is_some_and(|previous| is_article(&words[previous]))
            || is_plural && !words.get(at + 1).is_some_and(governs)
    };
    let is_acting = |(at, word): (usize, &String)| {
        is_verb(word) && !word.ends_with("ed") && !word.contains(['\'', '’']) && !is_noun(at)
    };
    words.iter().enumerate().any(is_acting)
}

/// Whether a sentence announces what stands after it, and does not have it: "We get the following error."
fn announces(sentence: &str) -> bool {
    let lower = fold(sentence);
    let Some((_, after)) = lower.split_once("the following ") else { return false };
    let next = words(after).next().unwrap_or("");
    let is_time = matches!(
        next,
        "day" | "night" | "morning" | "week" | "month" | "year" | "years" | "century" | "release" | "version"
    );
    // "The following are supported: a, b and c."
    !is_time && !after.trim_end_matches(':').contains(": ")
}

/// Whether a sentence that ends in a colon is an instruction that is complete without what follows.
pub(super) fn is_instruction(sentence: &str) -> bool {
    let lower = fold(sentence);
    let announces =
        ["follow", "these", "include", "below", "like this", "example", "such as", "as in", "are:", "is:", "e.g"];
    // Text that ends in "to:" or "you'd put:" is incomplete.
    let of_what =
        |word: &str| is_stop(word) || matches!(word, "add" | "get" | "put" | "say" | "see" | "type" | "write");
    let open = words(sentence).last().is_some_and(of_what);
    count(sentence) >= 8 && !open && !announces.iter().any(|cue| lower.contains(cue))
}

pub(super) fn balanced(sentence: &str) -> bool {
    [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|(open, close)| sentence.matches(*open).count() == sentence.matches(*close).count())
        && sentence.matches('"').count().is_multiple_of(2)
}

/// Whether a sentence begins with a word that refers to an earlier sentence.
pub(super) fn dangles(sentence: &str) -> bool {
    // A label in brackets names the referent.
    if sentence.starts_with('[') {
        return false;
    }
    // A connective is dropped, so only the words after it count.
    let connective = WORDS.connectives.beginning(sentence).map_or(0, str::len);
    let lower = fold(&sentence[connective..]).into_owned();
    let mut words = lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''));
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    // "The purposes of this directory …", "In some future release this will …".
    let first_sentence = lower.find(". ").map_or(lower.as_str(), |end| &lower[..end]);
    // With an empty word behind the last one, so that each word has a next one.
    let early: Vec<&str> = first_sentence.split_whitespace().chain([""]).take(8).collect();
    // In "Enhances: This field …" the key is the referent, and "objects such as numbers" needs none.
    let leans = |words: &[&str]| match words {
        [before, ..] if before.ends_with(':') => false,
        [_, "this" | "these" | "them," | "latter" | "former" | "above,", _] => true,
        [_, "such", next] => !matches!(*next, "as" | "that"),
        _ => false,
    };
    // "The layers above it are …": nothing before "it" can be meant by it.
    let of_it = |pair: &[&str]| is_stop(pair[0]) && pair[1] == "it" && !matches!(pair[0], "if" | "that" | "when");
    if early.windows(3).any(leans) || early.windows(2).skip(1).take(3).any(of_it) {
        return true;
    }
    if ["do", "does", "did", "doing"].iter().any(|verb| lower.ends_with(&format!(" {verb} this."))) {
        return true;
    }
    if acts_on_it(first_sentence) || orders_it(first_sentence) || first_sentence.contains(" of the above") {
        return true;
    }
    match first {
        "it" => !is_expletive(&lower),
        "its" | "he" | "she" | "they" | "their" | "his" | "her" | "them" | "this" | "these" | "those" | "such"
        | "otherwise" | "instead" | "previously" | "also" | "likewise," | "additionally" | "moreover" | "both"
        | "neither" | "either" | "then" | "so" | "else" | "similarly" | "likewise" | "here" | "afterwards"
        | "conversely" => true,
        "that" => !matches!(second, "is"),
        "that's" | "it's" | "they're" | "there's" | "everything" | "alternatively" | "meanwhile" => true,
        // "Next to the file" and "No file is kept" stand.
        "next" | "now" | "yes" | "no" => {
            lower.strip_prefix(first).is_some_and(|rest| rest.starts_with([',', '.', ':', ';', '!']))
        }
        "the"
            if words.next().is_some_and(|third| matches!(third, "is" | "was" | "are" | "depends" | "differs"))
                && is_of_something(second) =>
        {
            true
        }
        "the" => matches!(
            second,
            "former"
                | "latter"
                | "first"
                | "second"
                | "third"
                | "fourth"
                | "others"
                | "rest"
                | "same"
                | "other"
                | "above"
                | "following"
                | "previous"
        ),
        "in" if matches!(second, "both" | "either" | "neither") => {
            words.take(3).any(|word| matches!(word, "case" | "cases"))
        }
        "in" | "for" | "at" | "to" | "by" | "from" | "with" | "after" | "on" | "because" | "under" | "as" | "until" => {
            matches!(second, "this" | "these" | "that" | "such" | "those" | "it" | "them")
        }
        "another" | "others" | "some" | "none" | "most" | "each" => {
            matches!(second, "of" | "is" | "are" | "has" | "have" | "one" | "can" | "way" | "reason" | "problem")
                && lower.contains(" them ")
                || first == "others"
        }
        "if" | "when" | "once" => matches!(second, "so" | "not" | "it" | "they" | "this" | "that" | "these"),
        "a" | "an" => matches!(second, "similar" | "second" | "third" | "further" | "better"),
        _ => false,
    }
}

/// Whether a short subject may do something with "it" or "them": "A team can run it as a container." Not: "You can make it easy to …".
fn acts_on_it(lower: &str) -> bool {
    let mut words =
        lower.split_whitespace().filter(|word| !matches!(*word, "not" | "also" | "only" | "always" | "never"));
    let subject = words.by_ref().take(4).position(|word| {
        matches!(word, "can" | "cannot" | "could" | "may" | "might" | "must" | "shall" | "should" | "will" | "would")
    });
    let is_short = subject.is_some_and(|many| many > 0);
    let (_verb, object, next) = (words.next(), words.next(), words.next());
    let is_named_after = next.is_some_and(|next| {
        matches!(
            next,
            "easy" | "easier" | "hard" | "harder" | "difficult" | "possible" | "impossible" | "clear" | "worth"
        )
    });
    is_short
        && !is_named_after
        && object.is_some_and(|word| matches!(word.trim_end_matches(['.', ';', ':']), "it" | "them"))
}

/// Whether a noun needs a complement: "The reason is that …", "The answer depends on …"
fn is_of_something(noun: &str) -> bool {
    matches!(
        noun,
        "advantage"
            | "answer"
            | "catch"
            | "consequence"
            | "difference"
            | "disadvantage"
            | "drawback"
            | "exception"
            | "explanation"
            | "idea"
            | "point"
            | "problem"
            | "reason"
            | "reasons"
            | "result"
            | "solution"
            | "trick"
    )
}

/// Whether a sentence tells the reader to do something with "it" or "them": "Do not delete them by hand."
fn orders_it(lower: &str) -> bool {
    let mut words = lower
        .trim_start_matches("do not ")
        .split_whitespace()
        .filter(|word| !matches!(*word, "don't" | "don’t" | "never" | "always" | "just" | "simply" | "then"));
    let verb = words.next().unwrap_or("");
    let object = words.next().unwrap_or("").trim_end_matches(['.', ',', ';', ':']);
    !verb.ends_with(',') && !is_stop(verb) && matches!(object, "it" | "them")
}

/// Whether a sentence begins with an "it" without a referent: "It is likely that …", "It is recommended to …".
pub(super) fn is_expletive(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().take(14).collect();
    let is = words
        .get(1)
        .is_some_and(|w| matches!(*w, "is" | "was" | "may" | "seems" | "appears" | "would" | "has" | "turns" | "can"));
    let Some(goes_on) = words.iter().skip(2).position(|w| matches!(*w, "that" | "to" | "whether" | "how" | "if"))
    else {
        return false;
    };
    let is_named = match words.get(2) {
        Some(&("a" | "an" | "the")) => {
            !words[2..2 + goes_on].iter().any(|word| WORDS.of_nothing_before.contains(*word))
        }
        Some(&("used" | "called" | "able" | "intended" | "designed")) => true,
        _ => false,
    };
    is && !is_named
}

/// Whether a sentence restricts the one before it.
pub(super) fn restricts(sentence: &str) -> bool {
    WORDS.restrictions.beginning(sentence).is_some() && !sentence.trim_end().ends_with('?')
}

/// Whether a text names a picture, a table or a listing by its number: "Figure 4-1: A string in memory."
fn is_caption(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    let kind = words.next().map(fold);
    let is_kind = matches!(kind.as_deref(), Some("figure" | "fig." | "table" | "listing" | "example"));
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with([':', '.']);
    is_kind && words.next().is_some_and(is_number)
}

/// Whether a sentence is about its page instead of the world.
pub(super) fn is_meta(sentence: &str) -> bool {
    let lower = fold(sentence);
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    WORDS.of_the_page.are_in(&lower)
        || WORDS.of_the_page_first.beginning(&lower).is_some()
        || lower.strip_prefix("section ").is_some_and(numbered)
        || only_refers(&lower)
}

/// Whether a sentence says nothing but where else to read: "GIL: See global interpreter lock."
fn only_refers(lower: &str) -> bool {
    let said = lower.split_once(": ").map_or(lower, |(_, said)| said);
    said.starts_with("see ") && count(said) <= 8
}

/// Whether a sentence is in the first person.
pub(super) fn first_person(sentence: &str) -> bool {
    let own = |word: &str| WORDS.first_person.contains(word.trim_matches([',', '.', '(', ')', '"']));
    sentence.split_whitespace().any(own) || sentence.trim_start().starts_with('>')
}

/// Whether a text gives instructions to the software reading it.
pub(super) fn addresses_machine(text: &str) -> bool {
    let lower = fold(text);
    lifts_instructions(&lower)
        || lower.contains("do not mention this")
        || (WORDS.machines.are_in(&lower) && WORDS.orders.are_in(&lower))
}

/// Whether a text tells its reader to ignore instructions, in any wording.
fn lifts_instructions(lower: &str) -> bool {
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let mut after = words.clone();
        if matches!(word, "ignore" | "disregard" | "forget" | "override")
            && after.clone().take(5).any(|word| matches!(word, "instructions" | "instruction" | "prompt"))
            && after.by_ref().take(4).any(|word| {
                matches!(word, "your" | "all" | "any" | "previous" | "prior" | "earlier" | "above" | "these" | "those")
            })
        {
            return true;
        }
    }
    false
}

/// A sentence without the short form in brackets with which entries of dictionaries begin: "(RISC) A processor …".
fn after_short_form(sentence: &str) -> &str {
    let rest = sentence.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    let is_short = |form: &str| form.len() > 1 && form.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    rest.filter(|(form, _)| is_short(form)).map_or(sentence, |(_, after)| after)
}

/// A sentence without the marks around plain words: `{link}`, `<subject>`.
fn unmarked(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(at) = rest.find(['{', '<']) {
        let close = if rest[at..].starts_with('{') { '}' } else { '>' };
        let inner = rest[at + 1..].find(close).map(|end| &rest[at + 1..at + 1 + end]);
        // Names in braces have digits: "{AMD 29000}".
        let numbered = |c: char| close == '}' && (c.is_ascii_digit() || c == '/');
        let plain = |c: char| c.is_alphabetic() || numbered(c) || matches!(c, ' ' | '-' | ',');
        out.push_str(&rest[..at]);
        match inner
            .filter(|inner| inner.len() > 1 && inner.starts_with(char::is_alphabetic) && inner.chars().all(plain))
        {
            Some(inner) => {
                out.push_str(inner);
                rest = &rest[at + inner.len() + 2..];
            }
            None => {
                out.push_str(&rest[at..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Whether a sentence is program text, a path or an identifier, without being marked as code.
pub(super) fn is_code_like(sentence: &str) -> bool {
    let odd = unmarked(sentence)
        .chars()
        .filter(|c| matches!(c, '{' | '}' | '=' | '<' | '>' | '\\' | '$' | '|' | ';' | '*' | '#' | '~'))
        .count();
    let tokens = count(sentence).max(1);
    // A white square stands for a formula that was not read.
    let unread = sentence.contains('\u{25a1}');
    let marked = sentence.split_whitespace().any(|token| token.ends_with("::"));
    sentence.contains(">>>") || unread || marked || sentence.contains("...)") || odd * 4 > tokens || {
        let identifiers = sentence
            .split_whitespace()
            .filter(|t| t.contains('_') || t.contains("()") || t.contains("::") || (t.contains('/') && t.len() > 3))
            .count();
        identifiers * 5 > tokens * 2
    }
}

/// Whether a text has a word that can be a finite verb.
pub(super) fn has_verb(sentence: &str) -> bool {
    // "60.0 seconds if None": a unit after a number is no verb. After a version there is no unit: "Kiln 3.0 supports".
    let (mut counted, mut named) = (false, false);
    words(sentence).any(|word| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let after_number = std::mem::replace(&mut counted, is_number && !(named && word.contains('.')));
        named = word.starts_with(char::is_uppercase) && !is_stop(&fold(word));
        !after_number && is_verb(&fold(word))
    })
}

/// Whether a sentence is only a noun phrase, as in glossaries: "The mechanism used by the interpreter to assure that
/// …".
pub(super) fn is_noun_phrase(sentence: &str) -> bool {
    let article = ["A ", "An ", "The ", "Any ", "One "].iter().any(|article| sentence.starts_with(article));
    let within = |word: &&str| !matches!(fold(word).as_ref(), "that" | "which" | "who" | "where" | "when" | "whose");
    let finite = |word: &str| is_verb(&fold(word)) && !word.ends_with("ed");
    article && !words(sentence).skip(1).take_while(within).any(finite)
}

/// Whether a sentence is one thing and a relative clause: "Flags that can appear in the header."
fn is_only_related(sentence: &str) -> bool {
    let mut early = words(sentence).skip(1).take(2).map(fold);
    early.any(|word| matches!(word.as_ref(), "that" | "which" | "who")) && is_only_named(sentence)
}

/// Whether a text names things and says nothing of them: "Flags that can appear in the header.", "The .save command."
pub(super) fn is_only_named(text: &str) -> bool {
    let words: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    // "Flags that can appear", not "Check that the file is there".
    let relates = |pair: &[String]| matches!(pair[0].as_str(), "that" | "which" | "who") && is_verb(&pair[1]);
    let end = words.windows(2).position(relates).unwrap_or(words.len());
    let (named, related) = words.split_at(end);
    // A plural is no verb where the name ends.
    let within = named.get(1..named.len().saturating_sub(1)).unwrap_or_default();
    if within.iter().any(|word| is_verb(word)) {
        return false;
    }
    // After the verb of the relative clause, "are set" or "have", comes that of the sentence: in the list, or with an object.
    let after = related.get(2..).unwrap_or_default();
    let after = if after.first().is_some_and(|word| is_verb(word)) { &after[1..] } else { after };
    let governs = |next: Option<&String>| next.is_some_and(|next| is_stop(next));
    !after
        .iter()
        .enumerate()
        .any(|(at, word)| WORDS.finite_verbs.contains(word.as_str()) || is_verb(word) && governs(after.get(at + 1)))
}

pub(super) fn is_verb(word: &str) -> bool {
    WORDS.finite_verbs.contains(word)
        || word.strip_suffix("n't").is_some()
        || (word.len() > 3
            && !is_stop(word)
            && (word.ends_with("ed")
                || (word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("ness"))))
}

/// Whether a sentence begins with a name in lower case: "pgvector adds …", "apt-get can now …".
pub(super) fn looks_like_a_name(sentence: &str) -> bool {
    let bare = |word: &str| fold(word.trim_matches(|c: char| !c.is_alphanumeric())).into_owned();
    let mut words = sentence.split_whitespace().map(bare);
    let is_adverb = |word: &String| matches!(word.as_str(), "now" | "also" | "no" | "longer" | "only" | "already");
    let is_name = words.next().is_some_and(|first| !is_stop(&first));
    let mut words = words.peekable();
    // "cp and install now default to …"
    if words.next_if(|word| word == "and").is_some() && words.next().is_some_and(|other| is_stop(&other)) {
        return false;
    }
    // The word after an adverb is a verb.
    let acts = words.next_if(is_adverb).is_some();
    is_name && (acts || words.next().is_some_and(|it| is_verb(&it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_after_a_number_is_no_verb_and_what_a_version_does_is_one() {
        assert!(!has_verb("60.0 seconds if None."));
        assert!(!has_verb("About 60.0 seconds if None."), "a number with a point is no version by itself");
        assert!(has_verb("Kiln 3.0 supports colours 6 and 7 (as of 3.0.11)."));
    }

    #[test]
    fn what_is_done_with_it_leans_on_the_sentence_before() {
        for leans in [
            "A team can run it as a container.",
            "You should not delete them by hand.",
            "The two functions do all of the above.",
            "Do not delete them by hand.",
            "Run it as root.",
            "The reason is that nothing is read twice.",
            "The answer is simple, though.",
            "The answer differs for the second kind.",
            "Yes, although it is slower.",
            "Next, change the command line.",
            "In both of these cases, the file is kept.",
            "If such a file is found, it is kept.",
            "As a result, it is kept.",
            "Some modules such as zlib already do this.",
            "Delete these",
            "It is a tool to test backups.",
            "The layers above it are kept.",
        ] {
            assert!(dangles(leans), "{leans}");
        }
        for stands in [
            "You can make it easy to find.",
            "It is a good idea to test a backup.",
            "It is the responsibility of the reader to keep the key.",
            "If a file is damaged, you can restore it.",
            "The tool that reads a file can close it.",
            "A team can run the server as a container.",
            "The reason for a lock is that nothing is read twice.",
            "The solution of the second kind is cheaper.",
            "No file is kept next to the source.",
            "For example, small integers are kept.",
            "In both modes, the file is kept.",
            "Files such as logs are kept.",
            "Note that the lock is kept.",
            "As a result, the lock is kept.",
        ] {
            assert!(!dangles(stands), "{stands}");
        }
    }

    #[test]
    fn a_purpose_without_what_serves_it_says_nothing() {
        for fragment in [
            "For an introduction to the event listening API.",
            "For a general overview of their use from a Core perspective.",
            "For a full walkthrough of using 2.0 Deprecations mode.",
            "To build a kernel image based on the kernel team's unreleased development version.",
            "By installing both versions side by side.",
        ] {
            assert!(is_only_means(fragment), "{fragment}");
        }
        for says in [
            "For each run the index reads the files that were changed.",
            "For this reason a lock is kept until the end of the run.",
            "For most users it is fast enough to read a file whole.",
            "To join a network choose its name in the menu.",
            "To join a network, a name.",
        ] {
            assert!(!is_only_means(says), "{says}");
        }
    }

    #[test]
    fn a_name_with_what_relates_to_it_says_nothing() {
        for named in [
            "Flags that can appear in the header.",
            "Other commands that can have deleterious side effects.",
            "The .backup and .save commands.",
        ] {
            assert!(is_only_named(named), "{named}");
        }
        assert!(!can_stand("Flags that can appear in the header.", false));
        for says in [
            "Everyone who reads it knows the answer.",
            "Any command that reads or writes a file is disabled.",
            "The command saves the file.",
            "Flags that are set stay set.",
            "Check that the disk has room.",
        ] {
            assert!(!is_only_named(says), "{says}");
            assert!(can_stand(says, false), "{says}");
        }
    }

    #[test]
    fn what_breaks_off_or_talks_about_its_page_is_no_claim() {
        for fragment in [
            "...and put them to use.",
            "By installing both versions side by side.",
            "For further troubleshooting tips.",
            "To verify the format that is sent to the chip, try.",
            "It is set with a parameter of the rule set, e.g.",
            "If the remotes cannot be reached, you will see something like this.",
            "That is, in the file of your settings you would put:",
            "Let’s look at some filters that are in use.",
            "You might ask how all of this works without a template.",
            "Imagine you have two files with one name.",
            "First, let’s take a look at the rules.",
            "Now let's see what happens.",
            "Recall the rules that you learned in chapter 4.",
            "Figure 4-1: A string in memory.",
            "Table 7. The modes of the lock are listed.",
        ] {
            assert!(!can_stand(fragment, false), "{fragment}");
        }
        for says in [
            "By installing both, you can go back.",
            "For safety, each file is kept.",
            "It fails at the first try.",
            "The readers see what they use.",
            "cp and install now copy on write.",
            "Table 7 lists the modes of the lock.",
        ] {
            assert!(can_stand(says, false), "{says}");
        }
        assert!(!can_stand("Example: +handle-as-image.", true));
    }

    #[test]
    fn only_english_has_function_words() {
        for text in [
            "The worker is based on the first one, with two threads for each process.",
            "Le module est fondé sur le premier, qui a deux fils pour chaque processus.",
            "Windows tilbyder en funktion, kaldt “fast boot” i Windows 8, “fast startup” i Windows 10, til at formindske tiden.",
            "Write-Ahead Logging (WAL) is a standard method for ensuring data integrity.",
            "Le module vite.",
        ] {
            assert_eq!(reads_as_english(text), !text.contains("fondé") && !text.contains("tilbyder"), "{text}");
        }
    }

    #[test]
    fn a_question_restricts_nothing() {
        assert!(restricts("But it is slower."));
        assert!(!restricts("But why would you do that by hand?"));
    }

    #[test]
    fn a_sentence_that_only_says_where_else_to_read_is_about_the_page() {
        for refers in [
            "A detailed description can be found in most (if not all) books about transaction processing.",
            "GIL: See global interpreter lock.",
            "See the section on locks.",
            "see also checkpointing",
            "Read the manual of the lock first.",
            "For more, read the manual of the lock.",
            "Refer to the manual of the lock.",
            "All modes are there; refer to the manual of the lock.",
        ] {
            assert!(is_meta(refers), "{refers}");
        }
        for says in [
            "Readers see the state at the start of their transaction.",
            "GIL: the lock of the interpreter.",
            "Read Committed is the default isolation level.",
            "Hard links may not refer to directories.",
            "A virus is a program written by a cracker.",
            "Recall and precision are held against each other.",
        ] {
            assert!(!is_meta(says), "{says}");
        }
    }
}
