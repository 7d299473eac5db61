//! Whether a sentence refers to an earlier one and cannot be understood without it.

use super::verb::is_verb;
use crate::words::WORDS;
use text::words::{fold, is_stop, words};

/// Whether a sentence begins with a word that refers to an earlier sentence.
pub(super) fn dangles(sentence: &str) -> bool {
    // A label in brackets names the referent.
    if sentence.starts_with('[') {
        return false;
    }
    // A connective is dropped, so only the words after it count.
    let connective = WORDS.connectives.beginning(sentence).map_or(0, str::len);
    let lower = fold(&sentence[connective..]).into_owned();
    let first_sentence = lower.find(". ").map_or(lower.as_str(), |end| &lower[..end]);
    is_example_of_a_rule(sentence)
        || leans_early(first_sentence)
        || ["do", "does", "did", "doing"].iter().any(|verb| lower.ends_with(&format!(" {verb} this.")))
        || acts_on_it(first_sentence)
        || is_on_condition_of_it(&lower)
        || orders_it(first_sentence)
        || [" of the above", " as above", "(as above"].iter().any(|words| first_sentence.contains(words))
        || ends_in_this_case(first_sentence)
        || early_pronoun(&lower)
        || begins_with_reference(&lower)
}

/// Whether one of the first words of a sentence points at something before it: "The purposes of this directory …", "In some future release
/// this will …".
fn leans_early(sentence: &str) -> bool {
    // With an empty word at the end, so that each word has a next one.
    let early: Vec<&str> = sentence.split_whitespace().chain([""]).take(8).collect();
    // In "Enhances: This field …" the key is the referent, and "objects such as numbers" needs none.
    let leans = |words: &[&str]| match words {
        [before, ..] if before.ends_with(':') => false,
        [_, "this" | "these" | "them," | "latter" | "former" | "above,", _] => true,
        [_, "such", next] => !matches!(*next, "as" | "that"),
        _ => false,
    };
    // "The layers above it are …": "it" refers to nothing in the sentence.
    let of_it = |pair: &[&str]| is_stop(pair[0]) && pair[1] == "it" && !matches!(pair[0], "if" | "that" | "when");
    early.windows(3).any(leans) || early.windows(2).skip(1).take(3).any(of_it)
}

/// Whether the first words of a text in small letters are a reference: "It …", "The latter …", "In this case …".
fn begins_with_reference(lower: &str) -> bool {
    let mut words = lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''));
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    match first {
        "it" => !is_expletive(lower),
        "its" | "he" | "she" | "they" | "their" | "his" | "her" | "them" | "this" | "these" | "those" | "such"
        | "otherwise" | "instead" | "previously" | "also" | "likewise," | "additionally" | "moreover" | "both"
        | "neither" | "either" | "then" | "so" | "else" | "similarly" | "likewise" | "here" | "afterwards"
        | "conversely" => true,
        "that" => {
            let next = lower.split_whitespace().nth(2).unwrap_or("");
            let points = matches!(next, "e.g." | "a" | "an" | "one" | "just" | "not" | "why" | "because" | "the");
            second != "is" || points
        }
        "that's" | "it's" | "it'll" | "they're" | "they'll" | "there's" | "everything" | "alternatively"
        | "meanwhile" => true,
        // "Next to the file" and "No file is kept" can stand.
        "next" | "now" | "yes" | "no" => {
            lower.strip_prefix(first).is_some_and(|rest| rest.starts_with([',', '.', ':', ';', '!']))
        }
        "the"
            if words.next().is_some_and(|third| matches!(third, "is" | "was" | "are" | "depends" | "differs"))
                && is_of_something(second) =>
        {
            true
        }
        // "The first interval listed is …" names its thing.
        "the" if matches!(second, "first" | "second" | "third" | "fourth" | "same" | "other") => {
            let mut named =
                lower.split_whitespace().skip(2).map(|word| word.trim_matches(['"', ',', '.', ':', '“', '”']));
            let (noun, next) = (named.next().unwrap_or(""), named.next().unwrap_or(""));
            let is_named = !noun.is_empty() && !is_stop(noun) && !is_verb(noun) && noun != "one";
            let is_described =
                next.ends_with("ed") || matches!(next, "of" | "in" | "that" | "which" | "with" | "whose");
            !(is_named && (second == "first" || is_described))
        }
        "the" => matches!(second, "former" | "latter" | "others" | "rest" | "above" | "following" | "previous"),
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

/// Whether a sentence is an example with a number or an order in it, which without the rule before it would be one: "For example, set
/// the number to 112."
fn is_example_of_a_rule(sentence: &str) -> bool {
    let Some(rest) = ["For example, ", "For instance, "].iter().find_map(|begins| sentence.strip_prefix(begins)) else {
        return false;
    };
    let mut words = words(rest);
    let (first, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_act = is_verb(first) || WORDS.actions.contains(first);
    let orders = is_act && matches!(next, "the" | "a" | "an" | "your" | "all" | "this");
    orders || rest.contains(|c: char| c.is_ascii_digit())
}

/// Whether a sentence begins with a pronoun behind words that name nothing it could refer to: "By default, it is …", "Usually
/// stateless, it can …". Not: "If the server is down, it waits."
fn early_pronoun(lower: &str) -> bool {
    let Some((aside, rest)) = lower.split_once(", ") else { return false };
    let is_adverb = |word: &str| word.ends_with("ly");
    let is_empty = |word: &str| is_stop(word) || is_adverb(word) || matches!(word, "default" | "general" | "practice");
    let names_nothing = match aside.split_whitespace().collect::<Vec<_>>()[..] {
        [adverb, _] if is_adverb(adverb) => true,
        ref words => words.iter().all(|word| is_empty(word)),
    };
    names_nothing
        && match rest.split_whitespace().next() {
            Some("it") => !is_expletive(rest),
            Some("they" | "he" | "she" | "its" | "their") => true,
            _ => false,
        }
}

/// Whether a short subject does something with "it" or "them": "A team can run it as a container." Not: "You can make
/// it easy to …".
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

/// Whether a sentence begins with a condition on "it" or "them" that names nothing these could be: "If you lose it, …".
fn is_on_condition_of_it(lower: &str) -> bool {
    let Some((condition, _)) = lower.split_once(", ") else { return false };
    let words: Vec<&str> = condition.split_whitespace().collect();
    let [first, between @ .., "it" | "them"] = words.as_slice() else { return false };
    matches!(*first, "if" | "when" | "whenever" | "once" | "unless" | "until" | "before" | "after")
        && between.iter().filter(|word| !is_stop(word)).count() <= 1
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

/// Whether a sentence ends in a condition that another one states: "The command does nothing in this configuration."
fn ends_in_this_case(lower: &str) -> bool {
    let mut back = lower.trim_end_matches(['.', '!', ';']).rsplit(' ');
    let is_state = back.next().is_some_and(|last| {
        matches!(
            last,
            "case"
                | "cases"
                | "configuration"
                | "mode"
                | "situation"
                | "situations"
                | "state"
                | "setup"
                | "scenario"
                | "event"
        )
    });
    is_state && back.next().is_some_and(|it| matches!(it, "this" | "these" | "such")) && back.next() == Some("in")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_with_it_leans_on_the_sentence_before() {
        for leans in [
            "A team can run it as a container.",
            "You should not delete them by hand.",
            "The two functions do all of the above.",
            "You have forced all traffic to HTTPS (as above), but your client needs plain HTTP.",
            "Do not delete them by hand.",
            "Run it as root.",
            "The reason is that nothing is read twice.",
            "The answer is simple, though.",
            "The answer differs for the second kind.",
            "Yes, although it is slower.",
            "Next, it changes the command line.",
            "For example, set the limit of the group to 112.",
            "For instance, add the name to the group.",
            "In both of these cases, the file is kept.",
            "If such a file is found, it is kept.",
            "As a result, it is kept.",
            "Some modules such as zlib already do this.",
            "Delete these",
            "That is e.g. 17 characters.",
            "That is one of the reasons.",
            "That was true until September.",
            "The first is faster.",
            "The first one is faster.",
            "The second approach is faster.",
            "The other is kept for a day.",
            "It is a tool to test backups.",
            "The layers above it are kept.",
            "By default, it is kept for a day.",
            "Usually stateless, it keeps a table if it has to.",
            "It'll ask before a file is lost.",
            "If you lose it, nothing in the store can be read.",
            "Before deleting them, the server asks.",
            "The command that sets the limit of all connections does nothing in this configuration.",
        ] {
            assert!(dangles(leans), "{leans}");
        }
        for stands in [
            "You can make it easy to find.",
            "It is a good idea to test a backup.",
            "It is the responsibility of the reader to keep the key.",
            "If a file is damaged, you can restore it.",
            "If the server loses it, nothing in the store can be read.",
            "The tool that reads a file can close it.",
            "A team can run the server as a container.",
            "The reason for a lock is that nothing is read twice.",
            "The solution of the second kind is cheaper.",
            "No file is kept next to the source.",
            "For example, small integers are kept.",
            "Next, change the command line.",
            "Then, the server is started.",
            "In both modes, the file is kept.",
            "The first interval listed is the one that gets updates directly.",
            "The first release came in 1998.",
            "The other side of the lock is kept open.",
            "The second argument that it takes is a path.",
            "Files such as logs are kept.",
            "Note that the lock is kept.",
            "As a result, the lock is kept.",
            "If the server is down, it waits.",
            "With Apache, it takes one line.",
            "Usually, it is best to keep a copy.",
            "The limit of all connections of a server can be set in its configuration.",
        ] {
            assert!(!dangles(stands), "{stands}");
        }
    }
}
