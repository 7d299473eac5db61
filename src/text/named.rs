//! Reads the names in a question: the things it compares or lists, the aspects it asks for, years, the number of things wanted, the
//! questions of a list, and clauses that ask for different things. By its words alone; it never looks at sources and asks no model.
//!
//! It is read once, before a run is planned, and kept with the run. A form of words that could mean several things names nothing:
//! then nothing is checked, which is better than to report gaps that nobody asked about. It reads English.

mod against;
mod clauses;
mod form;
mod items;
mod misspelt;
mod orders;
mod years;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::clauses::telling;
pub use self::misspelt::as_meant;

use self::against::{AGAINST, choices, set_against};
use self::items::{are_listed, are_names, has_stop_word, listed_after, sides, split_sides, subjects, things};
use super::listed::listed;
use super::{Clean, asking, words};

/// The names in a question. Empty if it names nothing, or in a way that is not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Things, as written there, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub things: Vec<Clean>,
    /// Further things of a list that is longer than [`MOST_THINGS`]: nothing is researched for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Clean>,
    /// Whether those are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compares: bool,
    /// Aspects that are asked for of each thing: "cost", "licence".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Clean>,
    /// Years that are asked about one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<Clean>,
    /// From when to when, years or versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(Clean, Clean)>,
    /// The number of things compared, where the question gives it and does not name them: "three databases".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The questions of a list. Things and aspects belong to one of them, so that none stand above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Clean>,
    /// The clauses of a question that asks for several things, where it names nothing else that could be checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<Clean>,
}

/// The most things, and the most sides, that are read of a question: as many as a plan has tasks.
pub const MOST_THINGS: usize = 40;

/// Phrases before the compared things.
const COMPARISONS: &[&str] = &[
    "difference between ",
    "differences between ",
    "difference is there between ",
    "differences are there between ",
    "distinction between ",
    "comparison of ",
    "comparison between ",
    "trade-offs between ",
    "tradeoffs between ",
    "trade-offs of ",
    "tradeoffs of ",
    "trade-off between ",
    "choose between ",
    "choosing between ",
    "decide between ",
    "compare and contrast ",
    "diff between ",
    "contrast ",
    "comparing ",
    "compare ",
];

/// The most words of a name before "compared to" and the like.
const MOST_OF_A_NAME: usize = 3;

/// Phrases before the aspects.
const IN_TERMS_OF: &[&str] = &[
    "in terms of ",
    "with respect to ",
    "with regard to ",
    "regarding ",
    "concerning ",
    "when it comes to ",
    "focusing on ",
    "focus on ",
];

/// Phrases before a list of things, at the beginning of a question.
const TELLS: &[&str] = &[
    "tell me about ",
    "what do the sources say about ",
    "what do the documents say about ",
    "what is known about ",
    "give me an overview of ",
    "give an overview of ",
    "describe ",
    "explain ",
    "summarise ",
    "summarize ",
    "introduce ",
    "review ",
    "evaluate ",
    "what are ",
    "what is ",
    "what were ",
    "what was ",
    "list ",
    "give ",
    "state ",
    "find ",
    "name ",
    "show ",
    "what ",
];

impl Named {
    /// Reads a question.
    pub fn read(question: &str) -> Named {
        let list = listed(question).questions;
        if !list.is_empty() {
            let questions = list.iter().map(|question| Clean::line(question)).collect();
            return Named { questions, ..Named::default() };
        }
        let plain = form::plain(&as_meant(&asking(question)));
        let text = plain.trim().trim_end_matches(['?', '.', '!', ' ']);
        let text = orders::without(text);
        let span = years::span(text);
        let years = if span.is_some() { Vec::new() } else { years::years(text) };
        let is_list = listed_after(text).is_some();
        let (body, mut asked) = if is_list { (text, Vec::new()) } else { without_sides(text) };
        let mut named = one_by_one(&years::without(body));
        let known: Vec<String> = named.sides.iter().map(|side| side.to_lowercase()).collect();
        asked.retain(|side| !known.contains(&side.to_lowercase()));
        named.sides.extend(asked.iter().map(|side| Clean::line(side)));
        named.sides.truncate(MOST_THINGS);
        named.left_out = named.things.split_off(named.things.len().min(MOST_THINGS));
        named.years = years.iter().map(|year| Clean::line(year)).collect();
        named.span = span.map(|(from, to)| (Clean::line(&from), Clean::line(&to)));
        named.number = if named.things.is_empty() { number(text) } else { None };
        if named.is_empty() {
            named.clauses = clauses::clauses(text).iter().map(|clause| Clean::line(clause)).collect();
        }
        named
    }

    /// Whether it names nothing, so that there is nothing to check.
    pub fn is_empty(&self) -> bool {
        *self == Named::default()
    }

    /// Whether a name is a question of its own: one of a list, or a clause.
    pub fn is_question(&self, name: &Clean) -> bool {
        self.questions.contains(name) || self.clauses.contains(name)
    }

    /// Things and aspects as a researcher of one of the tasks needs them: without the questions of a list.
    #[must_use]
    pub fn without_list(&self) -> Named {
        Named { questions: Vec::new(), ..self.clone() }
    }
}

/// A question, cut before its words on aspects, and these.
fn without_sides(text: &str) -> (&str, Vec<String>) {
    if let Some((before, sides)) = before_sides(text) {
        return (before, split_sides(sides));
    }
    let lower = text.to_ascii_lowercase();
    let compares = last_end(&lower, COMPARISONS).is_some() || first_of(&lower, AGAINST).is_some();
    if !compares {
        return (text, Vec::new());
    }
    // "Compare A and B on cost and speed", "A vs B: cost, speed", "Compare A and B (cost, speed)".
    for (mark, least) in
        [(": ", 1), (" (", 1), (" - ", 1), (" — ", 1), (" – ", 1), (" on ", 1), (" by ", 1), (" for ", 2)]
    {
        let Some(at) = lower.rfind(mark) else { continue };
        let tail = text[at + mark.len()..].trim_end_matches(')');
        let Some(found) = sides(tail).filter(|found| found.len() >= least) else { continue };
        let plain = found.iter().all(|side| side.split(' ').count() == 1 && !side.contains(char::is_uppercase));
        if plain || mark != " on " && mark != " by " && mark != " for " {
            return (&text[..at], found);
        }
    }
    (text, Vec::new())
}

/// A question without "in terms of …" and the like, and the aspects that follow. If it begins with them, the question follows
/// behind a mark: "In terms of cost, how do A and B compare".
pub fn before_sides(text: &str) -> Option<(&str, &str)> {
    let cue_at = |at: usize| {
        let rest = &text[at..];
        let is_cue = |cue: &&&str| rest.get(..cue.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(cue));
        IN_TERMS_OF.iter().find(is_cue).filter(|cue| !is_title(&rest[..cue.len()], &rest[cue.len()..]))
    };
    let places = text.char_indices().map(|(at, _)| at).filter(|at| begins_a_word(text, *at));
    let (at, cue) = places.into_iter().find_map(|at| Some((at, cue_at(at)?)))?;
    let (before, sides) = (text[..at].trim_end_matches([' ', ',']), &text[at + cue.len()..]);
    let asked_behind = |mark: &str| {
        let places = sides.match_indices(mark).map(|(at, mark)| (&sides[..at], &sides[at + mark.len()..]));
        places.into_iter().find(|(_, rest)| asks_or_orders(&rest.to_ascii_lowercase()))
    };
    match [": ", ", "].into_iter().filter(|_| before.is_empty()).find_map(asked_behind) {
        Some((sides, question)) => Some((question, sides)),
        None => Some((before, sides)),
    }
}

/// Whether a text in lower case begins as a question does, or as an order to compare or tell.
fn asks_or_orders(lower: &str) -> bool {
    asks(lower) || lower.starts_with("do ") || COMPARISONS.iter().chain(TELLS).any(|cue| lower.starts_with(cue))
}

/// Whether a cue and the words behind it are the name of a document: "in Terms of Use", "in terms of service".
fn is_title(cue: &str, rest: &str) -> bool {
    let names_terms = rest.split([',', ':', '?']).next().is_some_and(|name| matches!(name, "service" | "use"));
    cue.trim_start_matches(|c: char| c.is_alphabetic()).contains(char::is_uppercase)
        || cue.eq_ignore_ascii_case("in terms of ") && names_terms
        || ["service of ", "use of "].iter().any(|of| rest.starts_with(of))
}

/// A question as its forms are told.
struct Asked<'a> {
    body: &'a str,
    /// The body in lower case.
    lower: String,
    /// Its first clause.
    clause: &'a str,
    lower_clause: String,
}

/// The forms of questions that name things, the first that a question has counts. A form that is recognised and names nothing
/// clear returns [`Named::default`].
const FORMS: [fn(&Asked<'_>) -> Option<Named>; 8] = [
    listed_behind_number,
    set_against_by_verb,
    compared_by_cue,
    compared_by_joint,
    choice,
    which_of,
    subjects_of_verb,
    told_of,
];

/// The things of a question, and aspects that are named with them.
fn one_by_one(body: &str) -> Named {
    let clause = first_clause(body);
    let (lower, lower_clause) = (body.to_ascii_lowercase(), clause.to_ascii_lowercase());
    let asked = Asked { body, lower, clause, lower_clause };
    FORMS.iter().find_map(|form| form(&asked)).unwrap_or_default()
}

fn named(things: &[String], compares: bool, sides: &[String]) -> Named {
    Named {
        things: things.iter().map(|thing| Clean::line(thing)).collect(),
        compares,
        sides: sides.iter().map(|side| Clean::line(side)).collect(),
        ..Named::default()
    }
}

/// Things that are compared; nothing if there is only one.
fn compared(things: &[String], sides: &[String]) -> Named {
    if things.len() > 1 { named(things, true, sides) } else { Named::default() }
}

/// "these three databases: A, B and C".
fn listed_behind_number(asked: &Asked<'_>) -> Option<Named> {
    let things = listed_after(asked.body)?;
    Some(named(&things, last_end(&asked.lower, COMPARISONS).is_some(), &[]))
}

/// "how does A compare to B".
fn set_against_by_verb(asked: &Asked<'_>) -> Option<Named> {
    let (things, sides) = set_against(asked.body)?;
    Some(named(&things, true, &sides))
}

/// "the difference between A and B".
fn compared_by_cue(asked: &Asked<'_>) -> Option<Named> {
    let end = last_end(&asked.lower, COMPARISONS)?;
    // A further question after the list names no compared thing.
    let rest = first_clause(&asked.body[end..]).trim_start_matches("how ").trim_start_matches("both ");
    let (of, sides) = sides_of_things(rest).unwrap_or_else(|| (rest.to_string(), Vec::new()));
    let joints = &[" and ", " with ", " to ", " against ", " versus ", " vs. ", " vs ", " or "];
    let things = match asked.body[end..].starts_with("how ") {
        true => subjects(&of).unwrap_or_default(),
        false => things(&of, joints),
    };
    if things.len() == 1
        && let Some(kinds) = kinds_of(rest, joints)
    {
        return Some(compared(&kinds, &[]));
    }
    Some(compared(&things, &sides))
}

/// "the free, pro and team plans of A": the kinds of one thing's property, under one noun.
fn kinds_of(text: &str, joints: &[&str]) -> Option<Vec<String>> {
    let kinds = things(text.split_once(" of ")?.0, joints);
    let noun = |kind: &String| kind.rsplit_once(' ').map(|(_, noun)| noun.to_owned());
    let shared = noun(kinds.first()?)?;
    kinds.iter().all(|kind| noun(kind).as_ref() == Some(&shared)).then_some(kinds)
}

/// "A compared to B", "A or B".
fn compared_by_joint(asked: &Asked<'_>) -> Option<Named> {
    let (at, end) = first_of(&asked.lower, AGAINST)?;
    // "What's new in A 2.0 compared to 1.0" asks for changes of one thing.
    let of_changes = ["what's new ", "what is new ", "whats new ", "what changed ", "what has changed "];
    if of_changes.iter().any(|cue| asked.lower.starts_with(cue)) {
        return Some(Named::default());
    }
    let after = things(first_clause(&asked.body[end..]), &[" and ", " or ", " vs ", " vs. ", " versus "]);
    let of = asked.lower[..at].rfind(" of ").map(|of| &asked.body[of + 4..at]);
    let before = of.unwrap_or_else(|| name_at_end(&asked.body[..at], after.first().map_or("", String::as_str)));
    let mut found = things(before, &[" and "]);
    found.extend(after);
    Some(compared(&found, &[]))
}

/// "should I use A or B".
fn choice(asked: &Asked<'_>) -> Option<Named> {
    Some(named(&choices(asked.body, &asked.lower)?, true, &[]))
}

/// "which of A and B is faster".
fn which_of(asked: &Asked<'_>) -> Option<Named> {
    let lower = &asked.lower_clause;
    let at = lower.find("which of ").filter(|at| *at == 0 || lower[..*at].ends_with(' '))?;
    let things = subjects(asked.clause[at + "which of ".len()..].trim_start_matches("the ")).unwrap_or_default();
    Some(named(&things, true, &[]))
}

/// "how do A and B store data".
fn subjects_of_verb(asked: &Asked<'_>) -> Option<Named> {
    let lower = &asked.lower_clause;
    let rest = asked_of(asked.clause, lower)?;
    let things = subjects(rest).filter(|things| are_names(things) || are_listed(things))?;
    // "Does" has one subject: the words behind its name are its action.
    if words_of(lower).take(2).any(|word| word == "does") && items::acts_on_objects(&things, 1) {
        return None;
    }
    let is_of_be = ["is ", "are ", "was ", "were "].iter().any(|verb| lower.starts_with(verb));
    if is_of_be && items::are_predicates(&things, rest) {
        return Some(Named::default());
    }
    Some(named(&things, words_of(lower).any(|word| matches!(word, "compare" | "differ")), &[]))
}

/// "tell me about A and B", "what is the licence of A".
fn told_of(asked: &Asked<'_>) -> Option<Named> {
    let cue = TELLS.iter().find(|cue| asked.lower_clause.starts_with(**cue))?;
    let rest = &asked.clause[cue.len()..];
    if let Some((of, sides)) = sides_of_things(rest) {
        let found = things(&of, &[" and ", " or "]);
        let one =
            found.len() == 1 && items::is_name(&found[0]) && !items::is_quantity(&found[0]) && !has_stop_word(&of);
        return match one || found.len() > 1 && are_names(&found) {
            true if !found.iter().any(|thing| has_stop_word(thing)) => Some(named(&found, false, &sides)),
            // "population and area of the country": the aspects are clear, and their thing is the topic.
            _ if sides.len() > 1 && found.len() == 1 => Some(named(&[], false, &sides)),
            _ => None,
        };
    }
    let found = things(rest, &[" and ", " or "]);
    let clear = found.len() > 1 && are_names(&found) && !found.iter().any(|thing| has_stop_word(thing));
    clear.then(|| named(&found, false, &[]))
}

/// The name at the end of a text, as it is set against another one: the whole text if that can be a name, as many words as the
/// other one has if both end alike ("are hard links" against "symbolic links"), or else the last word.
fn name_at_end<'a>(text: &'a str, other: &str) -> &'a str {
    let text = text.rsplit_once(": ").map_or(text, |(_, name)| name);
    let words = text.split(' ').count();
    if words <= MOST_OF_A_NAME && !has_stop_word(text) && !asks(&text.to_ascii_lowercase()) {
        return text;
    }
    let last = |text: &str| text.rsplit(' ').next().map(str::to_lowercase);
    let of_name = if last(text) == last(other) { other.split(' ').count() } else { 1 };
    let from = text.rmatch_indices(' ').nth(of_name - 1).map_or(0, |(at, space)| at + space.len());
    &text[from..]
}

/// "the licence and the cost of A and B": the things, and the aspects. "the licence of A and the licence of B" is the same.
fn sides_of_things(text: &str) -> Option<(String, Vec<String>)> {
    let cut = |text: &str| {
        let (before, of) = text.split_once(" of ").or_else(|| text.split_once(" for "))?;
        Some((sides(before)?, of.to_string()))
    };
    let parts: Vec<&str> = text.split(" and ").collect();
    let each: Vec<(Vec<String>, String)> = parts.iter().filter_map(|part| cut(part)).collect();
    if parts.len() > 1 && each.len() == parts.len() {
        let mut sides: Vec<String> = Vec::new();
        each.iter().flat_map(|(of, _)| of).for_each(|side| {
            if !sides.contains(side) {
                sides.push(side.clone());
            }
        });
        return Some((each.into_iter().map(|(_, of)| of).collect::<Vec<_>>().join(", "), sides));
    }
    let (sides, of) = cut(text)?;
    Some((of, sides))
}

/// The text behind the verb of a question about several: "How do …", "Do …", "What do …".
fn asked_of<'a>(clause: &'a str, lower: &str) -> Option<&'a str> {
    let mut words = lower.split(' ');
    let first = words.next()?;
    let verbs = ["do", "does", "did", "are", "is", "was", "were", "can", "could", "has", "have", "will", "should"];
    let skipped = match verbs.contains(&first) {
        true => first.len(),
        false => {
            let asks = ["how", "what", "why", "when", "where"].contains(&first);
            let verb = words.next().filter(|verb| asks && verbs.contains(verb))?;
            // "What is A, B and C" lists things and is read as such.
            if first == "what" && ["is", "are", "was", "were"].contains(&verb) {
                return None;
            }
            first.len() + 1 + verb.len()
        }
    };
    clause.get(skipped + 1..)
}

/// The question up to where another begins, "…, and what does it cost", or an order: "… and tell me which to use".
fn first_clause(text: &str) -> &str {
    let text = orders::without(text);
    let lower = text.to_ascii_lowercase();
    let mut end = text.len();
    for joint in [", and ", " and ", "; ", "? ", ", "] {
        for (at, found) in lower.match_indices(joint) {
            if asks(&lower[at + found.len()..]) || matches!(joint, "; " | "? ") {
                end = end.min(at);
            }
        }
    }
    &text[..end]
}

/// Whether a text in lower case begins as a question does: "how …", "do I …". Not: "do the same".
pub fn asks(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let is_somebody = matches!(second, "i" | "we" | "you" | "they" | "it" | "there" | "he" | "she" | "one");
    let is_something = is_somebody || matches!(second, "the" | "these" | "those" | "both" | "any" | "all");
    match first {
        "what" | "how" | "why" | "when" | "which" | "who" | "where" | "can" | "should" | "does" | "is" => true,
        "do" => is_somebody,
        "did" | "are" | "was" | "were" | "will" | "would" | "must" | "may" | "could" | "has" | "have" => is_something,
        _ => false,
    }
}

/// The number of things compared: "Compare three vector databases".
fn number(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let end = last_end(&lower, COMPARISONS)?;
    let mut words =
        words_of(&lower[end..]).skip_while(|word| matches!(*word, "the" | "these" | "at" | "least" | "top"));
    let number = items::number(words.next()?)?;
    let noun = words.take(3).any(|word| word.len() > 3 && word.ends_with('s') && !words::is_stop(word));
    noun.then_some(number)
}

fn first_of(lower: &str, cues: &[&str]) -> Option<(usize, usize)> {
    cues.iter().filter_map(|cue| lower.find(cue).map(|at| (at, at + cue.len()))).min()
}

/// The end of the cue that ends last. A cue begins a word.
fn last_end(lower: &str, cues: &[&str]) -> Option<usize> {
    let found = |cue: &&str| lower.find(*cue).filter(|at| begins_a_word(lower, *at)).map(|at| at + cue.len());
    cues.iter().filter_map(found).max()
}

fn begins_a_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-')
}

/// The words of a question, with the hyphens and slashes within names: "rsync-like", "I/O".
pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '/').filter(|word| !word.is_empty())
}
