//! Cuts a question into its clauses, and adds a subject to each that lacks one: "what is a checkpoint and when does it
//! run" becomes "what is a checkpoint" and "checkpoint: when does it run".
//!
//! Statements ("my disk is full. how do I ...") are not clauses. Goes by the words alone, without the sources.

use super::phrases::{is_action, is_cue};
use super::verb::is_verb;
use crate::words::{WORDS, has_word};
use text::named::asks;
use text::sentence::sentences;
use text::words::{is_stop, words};

/// One clause of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its text, without a leading "and".
    pub text: String,
    /// Its subject, if another part of the question names it.
    pub subject: Option<String>,
}

impl Clause {
    /// The clause with its subject in front, as a question of its own.
    pub fn alone(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{subject}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// The most words of a subject, or of a noun in a list of questions.
const MOST_OF_A_SUBJECT: usize = 10;
const MOST_OF_A_NAME: usize = 6;

/// Between two clauses.
const JOINTS: [&str; 4] = [", and ", " and ", ", but ", ", "];
/// Between a name or a statement and the question after it.
const MARKS: [&str; 4] = [": ", " - ", " – ", " — "];

/// Between two wordings of a question.
const OTHERWISE: &str = " / ";

/// The interrogative clauses of a question, in order.
pub(super) fn clauses(question: &str) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    let mut stated: Option<&str> = None;
    for sentence in sentences(question).into_iter().flat_map(|range| as_typed(&question[range])) {
        let is_asked = sentence.ends_with('?');
        let otherwise = sentence.strip_prefix(OTHERWISE.trim_start());
        let sentence = otherwise.unwrap_or(sentence);
        let sentence = without_first(sentence.trim_end_matches(['?', '.', '!', ';', ' ']));
        let (head, pieces) = match listed_of(sentence) {
            Some((head, pieces)) => (Some(head), pieces),
            None => (None, cut(sentence, is_asked).into_iter().map(str::to_owned).collect()),
        };
        if pieces.is_empty() {
            stated = Some(sentence);
            // A few words after a question belong to it: "also on old discs", "some say 30 days".
            let is_short = sentence.split(' ').count() <= MOST_OF_A_SUBJECT && says(sentence);
            if let Some(before) = found.last().filter(|_| is_short) {
                let subject = before.subject.clone().or_else(|| about(&before.text)).filter(|_| otherwise.is_none());
                found.push(Clause { text: sentence.to_owned(), subject });
            }
        }
        if let ([more], Some(before)) = (pieces.as_slice(), found.last_mut())
            && !says(more)
        {
            before.text = format!("{}, {more}", before.text);
            continue;
        }
        for text in pieces {
            let subject = head.map(str::to_owned).or_else(|| subject_of(&text, found.last(), stated));
            found.push(Clause { text, subject });
        }
    }
    for at in 1..found.len() {
        let asked =
            asked_of(&found[at].text).filter(|_| found[at - 1].subject.is_none() && only_asks(&found[at - 1].text));
        found[at - 1].subject = found[at - 1].subject.take().or(asked);
    }
    found
}

/// The most words of a clause that only asks.
const MOST_ASKING: usize = 5;

/// Whether a clause is a question without a verb, which asks of the same thing as the next one: "at what temperature" in
/// "at what temperature and how long do I bake bread".
fn only_asks(clause: &str) -> bool {
    let lower = clause.to_ascii_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let from = usize::from(words.first().is_some_and(|first| WORDS.before_a_question.contains(*first)));
    let asks = words.get(from).is_some_and(|word| matches!(*word, "what" | "which" | "how" | "whose"));
    asks && words.len() <= MOST_ASKING && !words.iter().any(|word| WORDS.auxiliaries.contains(*word) || is_verb(word))
}

/// The subject of a question, with its verb: "bake bread" in "how long do I bake bread".
fn asked_of(clause: &str) -> Option<String> {
    let mut words = clause.match_indices(' ').filter_map(|(at, _)| Some((at + 1, clause[at + 1..].split(' ').next()?)));
    let is_auxiliary = |(_, word): &(usize, &str)| WORDS.auxiliaries.contains(&word.to_ascii_lowercase());
    let (at, word) = words.find(is_auxiliary)?;
    about(clause[at + word.len()..].trim_start()).filter(|_| !leans(clause))
}

/// The subject of a clause that lacks one: that of the clause before it, else that of the statement before all clauses.
fn subject_of(clause: &str, before: Option<&Clause>, stated: Option<&str>) -> Option<String> {
    let of_text = |text: &str| about(text).filter(|_| !leans(text));
    match before {
        _ if !leans(clause) => None,
        Some(before) => before.subject.clone().or_else(|| of_text(&before.text)),
        None => stated.and_then(of_text),
    }
}

/// Sentences, also where the next begins with a small letter, as people type them.
fn as_typed(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(' ') {
        let before = &text[from..at];
        // "e.g. this" and "no. 3" do not end a sentence.
        let stops = before.ends_with('.') && before.rsplit(' ').next().is_some_and(|word| word.chars().count() > 4);
        // "how do I … / what happens when …": another wording, or another question.
        let after = text[at..].strip_prefix(OTHERWISE);
        let is_other = after.is_some_and(|after| are_several(before) && are_several(after));
        if before.ends_with(['?', ';']) || stops || is_other {
            found.push(before);
            from = at + 1;
        }
    }
    found.push(&text[from..]);
    found
}

/// Whether a text has more words than the name of a thing: not "pros" in "pros / cons".
fn are_several(text: &str) -> bool {
    text.split(' ').count() > 3
}

/// Whether a clause lacks a subject of its own: "what does it cost", "what goes wrong".
pub(super) fn leans(clause: &str) -> bool {
    let is_headed = clause.split_once(": ").is_some_and(|(head, _)| head.split(' ').count() <= MOST_OF_A_SUBJECT);
    let lower = clause.to_ascii_lowercase();
    // "is there a limit" needs no other subject.
    let named = ["is there ", "are there ", "was there ", "were there "].iter().find_map(|is| {
        let (before, after) = lower.split_once(is)?;
        Some(format!("{before}{after}"))
    });
    let points_back = lower.ends_with(" that") || lower.contains("do that") || lower.contains("for that");
    !is_headed
        && (points_back
            || says_nothing(&lower)
            || has_word(named.as_deref().unwrap_or(&lower), usize::MAX, &WORDS.leaning))
}

/// Whether a text consists of words that only phrase questions.
fn says_nothing(text: &str) -> bool {
    words(text).all(|word| is_stop(word) || is_cue(word) || is_action(word))
}

/// The subject of a clause or sentence: its words from the first content word on, up to a comma.
fn about(text: &str) -> Option<String> {
    let text = text.split(", ").next()?;
    let is_empty = |word: &str| is_stop(word) || is_cue(word) || is_asking(&word.to_ascii_lowercase());
    let words: Vec<&str> = text.split(' ').collect();
    let from = if text.starts_with('"') { 0 } else { words.iter().position(|word| !is_empty(word))? };
    let to = words.iter().rposition(|word| !is_stop(word))?;
    // A single word is a subject only after "is", "are" or an article.
    let least =
        if from > 0 && matches!(words[from - 1], "is" | "are" | "was" | "were" | "a" | "an" | "the") { 1 } else { 2 };
    let subject = words.get(from..=to).filter(|subject| (least..=MOST_OF_A_SUBJECT).contains(&subject.len()))?;
    Some(subject.join(" "))
}

/// Whether a text has a content word: "since when", "by how much", "in which order" have none.
fn says(text: &str) -> bool {
    let in_which = matches!(text.split(' ').collect::<Vec<_>>().as_slice(), [_, "which", _]);
    // "until when can I use them" asks more about the same thing.
    let is_of_it = begins_after(text) && says_nothing(text);
    !in_which && !is_of_it && words(text).any(|word| !is_stop(word) && !WORDS.measures.contains(word))
}

/// Whether a text begins with a word that can precede a question: "for how long".
fn begins_after(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(first, _)| WORDS.before_a_question.contains(&first.to_ascii_lowercase()))
}

/// A sentence without the conjunction at its beginning.
fn without_first(sentence: &str) -> &str {
    let lower = sentence.to_ascii_lowercase();
    let first =
        ["and ", "or ", "but ", "so ", "also ", "hi, ", "hello, "].iter().find(|first| lower.starts_with(**first));
    first.map_or(sentence, |first| sentence[first.len()..].trim_start())
}

/// A name and the questions about it: "WAL mode: advantages, drawbacks, what is a checkpoint".
fn listed_of(sentence: &str) -> Option<(&str, Vec<String>)> {
    let marked = MARKS.iter().filter_map(|mark| Some((sentence.find(mark)?, mark.len()))).min();
    // "WAL mode, what is it good for and when do I need it"
    let comma =
        || sentence.find(", ").map(|at| (at, 2)).filter(|(at, _)| is_asking(&sentence[at + 2..].to_ascii_lowercase()));
    let (at, mark) = marked.or_else(comma)?;
    let head = without_order(&sentence[..at]);
    let is_name = head.split_whitespace().count() <= MOST_OF_A_NAME
        && !head.is_empty()
        && !head.contains([',', '"'])
        && !words(head).any(|word| word == "or" || is_of_a_sentence(&word.to_ascii_lowercase()))
        && !is_asking(&head.to_ascii_lowercase());
    let rest = sentence[at + mark..].trim_start_matches(['-', ' ']);
    if !is_name || rest.contains(" or ") {
        return None;
    }
    let mut pieces: Vec<String> = Vec::new();
    for part in rest.split(", ").map(|part| part.trim().trim_start_matches("and ")) {
        // "what is it" and "how often" ask about a name; "for how long" continues the question before.
        let goes_on = !says(part) && begins_after(part);
        let before = pieces.last_mut().filter(|_| !is_asking(&part.to_ascii_lowercase()) || goes_on);
        let of_same = before.as_ref().and_then(|before| of_the_same(before, part));
        match before {
            Some(_) if of_same.is_some() => pieces.extend(of_same),
            // "what it costs, all in all".
            Some(before) if goes_on || is_asking(&before.to_ascii_lowercase()) => *before = format!("{before}, {part}"),
            _ => pieces.extend(parts_of(part).into_iter().map(str::to_owned)),
        }
    }
    let fits = |piece: &String| {
        is_asking(&piece.to_ascii_lowercase()) || says(piece) && piece.split(' ').count() <= MOST_OF_A_NAME
    };
    (pieces.len() > 1 && pieces.iter().all(fits)).then_some((head, pieces))
}

/// Completes a part from the one before: "size of an array" for "of an array" after "size of a message".
fn of_the_same(before: &str, part: &str) -> Option<String> {
    let of = part.split(' ').next().filter(|first| is_stop(first))?;
    let at = before.find(&format!(" {of} "))?;
    Some(format!("{} {part}", &before[..at]))
}

/// Splits "advantages and drawbacks" into two; a question is split only before another question.
fn parts_of(part: &str) -> Vec<&str> {
    if is_asking(&part.to_ascii_lowercase()) {
        return cut(part, true);
    }
    let each: Vec<&str> = part.split(" and ").collect();
    let are_names = each.iter().all(|name| name.split(' ').count() <= 2 || is_asking(&name.to_ascii_lowercase()));
    if are_names { each } else { vec![part] }
}

/// Whether a word occurs in sentences and not in names.
fn is_of_a_sentence(word: &str) -> bool {
    WORDS.auxiliaries.contains(word) || WORDS.of_sentences.contains(word)
}

/// The name in "tell me about X".
fn without_order(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let text = WORDS.tell_about.beginning(&lower).map_or(text, |order| &text[order.len()..]);
    let article = ["the ", "The "].iter().find_map(|article| text.strip_prefix(article));
    article.unwrap_or(text)
}

/// The clauses of a sentence: none if it asks nothing. A statement before the first question stays with it.
fn cut(sentence: &str, is_asked: bool) -> Vec<&str> {
    let lower = sentence.to_ascii_lowercase();
    let places = |joints: &'static [&'static str], cuts: bool| {
        let of = |joint: &'static str| lower.match_indices(joint).map(move |(at, _)| (at, at + joint.len(), cuts));
        joints.iter().flat_map(|joint| of(joint)).collect::<Vec<_>>()
    };
    let mut joints = [places(&JOINTS, true), places(&MARKS, false)].concat();
    joints.sort_unstable();
    let indirect = is_indirect(&lower);
    joints.retain(|(at, end, _)| follows(&lower[*at..*end], &lower[*end..], indirect));
    // Of joints that end at the same place, keep the longest, such as ", and ".
    joints.dedup_by_key(|(_, end, _)| *end);
    let mut pieces: Vec<&str> = Vec::new();
    let (mut from, mut asked) = (0, is_asking(&lower) || indirect);
    for (at, end, cuts) in joints {
        let Some(before) = lower.get(from..at) else { continue };
        // A part without a content word ("since when") stays with the clause before it.
        let is_name = before.split(' ').count() <= MOST_OF_A_NAME && !words(before).any(is_of_a_sentence);
        if cuts && (asked || is_name) && says(before) && says(&lower[end..]) {
            pieces.push(sentence[from..at].trim());
            from = end;
        }
        asked = true;
    }
    if asked || is_asked {
        pieces.push(sentence[from..].trim());
    }
    pieces
}

/// Whether a question begins after a joint. Not with "and is home", which continues a statement, nor with "where I
/// was", a subordinate clause, unless the whole sentence is an indirect question ("I'd like to know …").
fn follows(joint: &str, rest: &str, indirect: bool) -> bool {
    let mut words = rest.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_somebody = matches!(second, "i" | "we" | "you" | "they" | "it" | "there" | "he" | "she");
    let is_something = is_somebody || matches!(second, "the" | "this" | "that" | "these" | "those" | "my" | "our");
    is_asking(rest)
        && match first {
            "is" | "does" | "can" | "should" => joint == ", and " || is_something,
            // "my laptop, which is off".
            "which" if joint == ", " && matches!(second, "is" | "are" | "was" | "were" | "has" | "have") => false,
            "what" | "how" | "which" | "where" | "who" => indirect || !is_somebody,
            _ => true,
        }
}

/// Whether a lower-case text begins like a question, also after a preposition and with words run together: "for how
/// long", "whats". A clause that only tells when or where something else happens is no question.
fn is_asking(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches(',');
    let (second, third) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_question = |word: &str| matches!(word, "which" | "how" | "whom" | "when" | "whose");
    match first {
        "when" | "where" => second == "to" || WORDS.auxiliaries.contains(second),
        "whom" | "whose" | "whats" | "what's" | "hows" | "how's" | "who's" | "where's" | "why" => true,
        "have" | "has" => matches!(second, "i" | "we" | "you" | "they" | "it" | "there"),
        "am" | "is" | "does" | "can" | "should" => !second.is_empty() && second != "and",
        _ if WORDS.before_a_question.contains(first) => is_question(second) || second == "to" && is_question(third),
        _ => asks(lower),
    }
}

/// Whether a question is phrased indirectly, as something that somebody would like to know.
fn is_indirect(lower: &str) -> bool {
    const ASKED: &[&str] = &["what", "how", "why", "when", "which", "who", "where", "whether", "if"];
    WORDS.would_know.rests(lower).any(|rest| rest.split(' ').next().is_some_and(|word| ASKED.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(question: &str) -> Vec<String> {
        clauses(question).iter().map(Clause::alone).collect()
    }

    #[test]
    fn a_question_is_cut_where_another_begins() {
        for (question, wanted) in [
            (
                "What is a monad, and what does a functor change?",
                &["What is a monad", "what does a functor change"] as &[_],
            ),
            (
                "where does the output go? how do i stop cron from mailing",
                &["where does the output go", "how do i stop cron from mailing"],
            ),
            (
                "when is the office open and since when do I need a ticket",
                &["when is the office open", "since when do I need a ticket"],
            ),
            (
                "may I burn the discs, who sells them and which are free",
                &["may I burn the discs", "burn the discs: who sells them", "which are free"],
            ),
            (
                "how do I stop two users from saving at once / what is a race condition",
                &["how do I stop two users from saving at once", "what is a race condition"],
            ),
            (
                "how do I stop users from saving at once / race conditions in forms",
                &["how do I stop users from saving at once", "race conditions in forms"],
            ),
        ] {
            assert_eq!(alone(question), wanted, "{question}");
        }
    }

    #[test]
    fn a_question_without_a_verb_asks_of_the_same_as_the_one_after_it() {
        for (question, wanted) in [
            (
                "At what temperature and how long do I bake banana bread?",
                ["bake banana bread: At what temperature", "how long do I bake banana bread"],
            ),
            (
                "Which lock and how many readers does a table have?",
                ["table: Which lock", "how many readers does a table have"],
            ),
            ("What changed and when do I rebuild the index?", ["What changed", "when do I rebuild the index"]),
        ] {
            assert_eq!(alone(question), wanted, "{question}");
        }
    }

    #[test]
    fn what_has_no_word_of_its_own_stays_with_what_it_is_asked_of() {
        for question in ["is free firmware allowed on the discs, since when", "Does it matter, and why?"] {
            assert_eq!(alone(question).len(), 1, "{question}");
        }
    }

    #[test]
    fn what_is_asked_of_a_name_is_asked_with_it() {
        for (question, wanted) in [
            (
                "WAL mode in sqlite: advantages, drawbacks, what is a checkpoint",
                &[
                    "WAL mode in sqlite: advantages",
                    "WAL mode in sqlite: drawbacks",
                    "WAL mode in sqlite: what is a checkpoint",
                ] as &[_],
            ),
            (
                "tell me about the committee: members, how long they sit",
                &["committee: members", "committee: how long they sit"],
            ),
            (
                "dbus: max size of a message, of an array, how deep can it be nested",
                &["dbus: max size of a message", "dbus: max size of an array", "dbus: how deep can it be nested"],
            ),
            (
                "memory cleanup, which methods exist and how slow are they",
                &["memory cleanup: which methods exist", "memory cleanup: how slow are they"],
            ),
            ("WAL mode - pros and cons, limits", &["WAL mode: pros", "WAL mode: cons", "WAL mode: limits"]),
        ] {
            assert_eq!(alone(question), wanted, "{question}");
        }
    }

    #[test]
    fn a_clause_that_leans_on_another_is_asked_with_what_that_is_about() {
        for (question, wanted) in [
            (
                "what is autoincrement, when do i need it and what does it cost",
                &["what is autoincrement", "autoincrement: when do i need it", "autoincrement: what does it cost"]
                    as &[_],
            ),
            (
                "how do I back up a database, and is it safe?",
                &["how do I back up a database", "back up a database: is it safe"],
            ),
            (
                "I can't pay the rent. What happens, and can I pay in bits?",
                &["pay the rent: What happens", "can I pay in bits"],
            ),
            ("is there a snap, and are there limits of size?", &["is there a snap", "are there limits of size"]),
        ] {
            assert_eq!(alone(question), wanted, "{question}");
        }
    }

    #[test]
    fn a_statement_is_no_clause() {
        for (question, wanted) in [
            (
                "The disk is full since Tuesday, and nothing is written. How do I free some space?",
                &["How do I free some space"] as &[_],
            ),
            (
                "When a file is deleted, what becomes of its links?",
                &["When a file is deleted, what becomes of its links"],
            ),
            (
                "how long do we keep the events? I ask since the auditors will come in April, and the disk is nearly full",
                &["how long do we keep the events"],
            ),
            ("postgres backups", &[]),
        ] {
            assert_eq!(alone(question), wanted, "{question}");
        }
    }
}
