//! Questions that set things against each other by a verb, a comparative or a choice: "Is A faster than B", "How does A compare
//! to B", "Should I use A or B".

use super::items::{are_names, has_stop_word, is_quantity, sides, things};
use super::{asks, first_clause, first_of, words_of};
use crate::words::is_stop;

/// The compared things stand on both sides of one of these.
pub(super) const AGAINST: &[&str] =
    &[" compared with ", " compared to ", " as opposed to ", " versus ", " vs. ", " vs "];

/// Stand between two things behind "how does", "how is" and the like.
const RELATED: &[&str] = &[
    " compare to ",
    " compare with ",
    " compare against ",
    " stack up against ",
    " stack up to ",
    " measure up to ",
    " measure up against ",
    " hold up against ",
    " differ from ",
    " differ to ",
    " different from ",
    " different to ",
    " different than ",
];

/// Stand between two things behind "choose" and the like.
const PREFERRED: &[&str] = &[" over ", " instead of ", " rather than "];

const CHOOSING: &[&str] = &[" use ", " choose ", " pick ", " prefer "];

/// Comparatives that compare things of any name.
const BETTER: &[&str] = &["better", "worse", "faster", "slower", "cheaper", "safer", "simpler", "easier"];

/// The most words of a thing.
const WORDS: usize = 3;

/// The things that are set against each other, and the aspects in which they are.
pub(super) fn set_against(body: &str) -> Option<(Vec<String>, Vec<String>)> {
    let clause = first_clause(body);
    let lower = clause.to_ascii_lowercase();
    let pair = [related, preferred, compared].iter().find_map(|read| read(clause, &lower));
    if let Some((first, second)) = pair {
        return Some((vec![first, second], Vec::new()));
    }
    differing_in(body).or_else(|| Some((between(body)?, Vec::new())))
}

/// "How does A compare to B", "How is A different from B".
fn related(clause: &str, lower: &str) -> Option<(String, String)> {
    let verb = ["how does ", "how do ", "how did ", "how is ", "how are ", "does ", "do ", "is ", "are "]
        .iter()
        .find(|verb| lower.starts_with(**verb))?;
    let (at, end) = first_of(lower, RELATED)?;
    pair(clause.get(verb.len()..at)?, &clause[end..])
}

/// "When should I choose A over B", "Why would I use A instead of B".
fn preferred(clause: &str, lower: &str) -> Option<(String, String)> {
    let (_, from) = asks(lower).then(|| first_of(lower, CHOOSING))??;
    let (at, end) = first_of(&lower[from..], PREFERRED)?;
    let (first, second) = pair(&clause[from..from + at], &clause[from + end..])?;
    are_names(&[first.clone(), second.clone()]).then_some((first, second))
}

/// "Is A faster than B", "Are A more expensive than B". "Why is A …" asks for causes.
fn compared(clause: &str, lower: &str) -> Option<(String, String)> {
    let verb = ["is ", "are "].iter().find(|verb| lower.starts_with(**verb))?;
    let than = lower.find(" than ")?;
    let before = clause.get(verb.len()..than)?;
    let mut words: Vec<&str> = before.split(' ').collect();
    let comparative = words.pop()?;
    let is_more = words.last().is_some_and(|word| matches!(*word, "more" | "less"));
    if is_more {
        words.pop();
    }
    while words.last().is_some_and(|word| matches!(*word, "much" | "really" | "always" | "any" | "so" | "often")) {
        words.pop();
    }
    let (first, second) = pair(&words.join(" "), &clause[than + " than ".len()..])?;
    let known = BETTER.contains(&comparative);
    let fits = known || (is_more || comparative.ends_with("er")) && are_names(&[first.clone(), second.clone()]);
    fits.then_some((first, second))
}

/// Two things, if each of these texts begins with one that has a name of its own. The first has nothing behind it. "A's filters"
/// and "B's" are the filters of both.
fn pair(first: &str, second: &str) -> Option<(String, String)> {
    let noun = ["'s ", "’s "].iter().find_map(|of| first.split_once(of)).map(|(_, noun)| noun.trim());
    let second = match (noun, second.ends_with("'s") || second.ends_with("’s")) {
        (Some(noun), true) => format!("{second} {noun}"),
        _ => second.to_owned(),
    };
    let one = |text: &str| {
        let found = things(text, &[" with ", " to "]);
        let fits = |thing: &String| {
            let words = thing.split(' ').count();
            words <= WORDS && !has_stop_word(thing) && !is_quantity(thing) && thing.contains(char::is_alphabetic)
        };
        found.into_iter().next().filter(fits)
    };
    let is_several = |text: &str| text.contains(',') || text.contains(" and ") || text.contains(" or ");
    if is_several(first) || is_several(&second) {
        return None;
    }
    let (first_thing, second_thing) = (one(first)?, one(&second)?);
    let is_whole = first.trim().split(' ').count() <= first_thing.split(' ').count() + 1;
    let other = ["others", "other", "usual", "before", "expected", "yesterday", "ever", "average", "normal"];
    (is_whole && !first_thing.eq_ignore_ascii_case(&second_thing) && !other.contains(&second_thing.as_str()))
        .then_some((first_thing, second_thing))
}

/// "the difference in cost between A and B": the things, and the aspects.
fn differing_in(body: &str) -> Option<(Vec<String>, Vec<String>)> {
    let lower = body.to_ascii_lowercase();
    let (_, from) = first_of(&lower, &["difference in ", "differences in ", "differ in "])?;
    let at = from + lower[from..].find(" between ")?;
    let sides = sides(&body[from..at])?;
    let found = things(first_clause(&body[at + " between ".len()..]), &[" and ", " or "]);
    (found.len() > 1).then_some((found, sides))
}

/// "Between A and B, which is cheaper".
fn between(body: &str) -> Option<Vec<String>> {
    let rest = body.strip_prefix("Between ").or_else(|| body.strip_prefix("between "))?;
    let (list, question) = ["which ", "what "].iter().find_map(|ask| rest.split_once(&format!(", {ask}")))?;
    let found = things(list, &[" and ", " or "]);
    (found.len() > 1 && !question.is_empty() && !found.iter().any(|thing| has_stop_word(thing) || is_dated(thing)))
        .then_some(found)
}

/// Whether it is a year or another number.
fn is_dated(thing: &str) -> bool {
    thing.chars().all(|c| !c.is_alphabetic())
}

/// The things to choose from: "Should I use A or B for C?", "Which is faster, A or B?", "Is A or B cheaper?"
pub(super) fn choices(body: &str, lower: &str) -> Option<Vec<String>> {
    if !lower.contains(" or ") {
        return None;
    }
    if let Some(list) = listed_first(body, lower) {
        return Some(list);
    }
    let first = words_of(lower).next()?;
    let several = |things: &Vec<String>| things.len() > 1 && !things.iter().any(|thing| is_amount(thing));
    let chooses = matches!(first, "when" | "which" | "should" | "what")
        && words_of(lower).any(|word| matches!(word, "use" | "choose" | "pick" | "prefer" | "better"));
    if chooses {
        // "What should I choose for C: A or B".
        let listed = body.rsplit_once(": ").map(|(_, list)| list).filter(|list| list.contains(" or "));
        // "Which should I use, A, B or C": the list begins at the first mark.
        let marked = || body.find([',', ':']).map_or(0, |at| at + 1);
        let from = first_of(lower, &[" use ", " choose ", " pick ", " prefer ", " better, ", " better: "])
            .map_or_else(marked, |(_, end)| end);
        return Some(things(listed.unwrap_or(&body[from..]), &[" or "])).filter(several);
    }
    if first == "which"
        && let Some((_, rest)) = body.rsplit_once([',', ':']).filter(|(_, rest)| rest.contains(" or "))
    {
        // "Which is cheaper: A, B or C": the list begins at the first mark.
        let list = body.split_once([',', ':']).map_or(rest, |(_, list)| list);
        return Some(things(list, &[" or "]))
            .filter(several)
            .filter(|things| !things.iter().any(|it| has_stop_word(it)));
    }
    let alone = !matches!(first, "what" | "how" | "why" | "who" | "where" | "when" | "which");
    if alone && words_of(lower).count() <= 6 && !matches!(first, "is" | "are" | "do" | "does" | "can" | "should") {
        return Some(things(body, &[" or "])).filter(|things| things.len() > 1 && are_names(things));
    }
    None
}

/// "A, B or C: which should I use", "A or B - what is better": the things before the words that choose.
fn listed_first(body: &str, lower: &str) -> Option<Vec<String>> {
    let chooses = |rest: &str| {
        matches!(words_of(rest).next(), Some("which" | "what" | "should"))
            && words_of(rest).any(|word| {
                BETTER.contains(&word) || matches!(word, "use" | "choose" | "pick" | "prefer" | "take" | "best")
            })
    };
    let marks = [": ", " - ", " – ", " — ", ", "];
    let asked = marks.iter().filter_map(|mark| {
        let at = lower.match_indices(mark).find(|(at, _)| chooses(&lower[at + mark.len()..]))?.0;
        Some(&body[..at])
    });
    let list = asked.min_by_key(|list| list.len())?;
    let found = list.contains(" or ").then(|| things(list, &[" or "]))?;
    let fits = |thing: &String| thing.split(' ').count() <= WORDS && !has_stop_word(thing) && !is_amount(thing);
    (found.len() > 1 && found.iter().all(fits)).then_some(found)
}

/// Whether it says how many and no more: "one index", "several".
fn is_amount(thing: &str) -> bool {
    let first = thing.split(' ').next().unwrap_or("").to_ascii_lowercase();
    let alone = thing.eq_ignore_ascii_case(&first)
        && matches!(first.as_str(), "several" | "many" | "more" | "none" | "not" | "nothing" | "another" | "both");
    first == "one" || alone || is_stop(thing)
}
