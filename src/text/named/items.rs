//! Splits lists of items in a question, "A, B and C", and tells names from common words.

use crate::words::{is_stop, numeral};

/// The most items that are read of one list.
const MOST: usize = 400;
/// The most words of an item.
const WORDS: usize = 4;

/// A sentence goes on about something else at one of these.
const ENDS: &[&str] = &[
    ":",
    "?",
    ";",
    " in ",
    " for ",
    " when ",
    " on ",
    " as ",
    " under ",
    " if ",
    " regarding ",
    " from ",
    " at ",
    " since ",
    " during ",
    " (",
];

/// Words too general to be an aspect.
const GENERAL: &[&str] = &[
    "advantage",
    "advantages",
    "disadvantage",
    "disadvantages",
    "pros",
    "cons",
    "pros and cons",
    "benefit",
    "benefits",
    "drawback",
    "drawbacks",
    "strength",
    "strengths",
    "weakness",
    "weaknesses",
    "trade-off",
    "trade-offs",
    "tradeoff",
    "tradeoffs",
    "difference",
    "differences",
    "similarity",
    "similarities",
    "comparison",
    "overview",
    "summary",
    "feature",
    "features",
    "property",
    "properties",
    "aspect",
    "aspects",
    "characteristics",
    "risk",
    "risks",
    "use",
    "uses",
    "way",
    "ways",
    "kind",
    "kinds",
    "type",
    "types",
    "meaning",
    "role",
    "purpose",
    "main",
    "details",
    "rules",
    "causes",
    "reasons",
    "history",
    "list",
    "name",
    "names",
    "number",
    "effects",
    "effect",
    "impact",
    "idea",
    "point",
    "performance of",
    "state",
];

/// Ask which of a kind is to be taken.
const RANKED: &[&str] = &["best", "worst", "right", "ideal", "cheapest", "fastest", "easiest", "safest", "recommended"];

/// Adjectives that come in pairs.
const OPPOSED: &[&str] = &[
    "absolute",
    "abstract",
    "active",
    "asymmetric",
    "asynchronous",
    "automatic",
    "concrete",
    "differential",
    "direct",
    "dynamic",
    "eager",
    "exclusive",
    "explicit",
    "external",
    "foreign",
    "full",
    "global",
    "hard",
    "implicit",
    "inactive",
    "incremental",
    "indirect",
    "inner",
    "internal",
    "legacy",
    "local",
    "logical",
    "mandatory",
    "manual",
    "modern",
    "native",
    "new",
    "old",
    "optimistic",
    "optional",
    "outer",
    "partial",
    "passive",
    "permanent",
    "persistent",
    "pessimistic",
    "physical",
    "primary",
    "private",
    "public",
    "relative",
    "remote",
    "secondary",
    "shared",
    "signed",
    "soft",
    "stateful",
    "stateless",
    "static",
    "strong",
    "symmetric",
    "synchronous",
    "temporary",
    "transient",
    "unsigned",
    "weak",
    "wired",
    "wireless",
];

/// The verbs that can follow the subjects of a question: if the last of them is several words, it ends there.
const VERBS: &[&str] = &[
    "handle",
    "handles",
    "store",
    "stores",
    "support",
    "supports",
    "use",
    "uses",
    "manage",
    "manages",
    "treat",
    "treats",
    "deal",
    "scale",
    "perform",
    "work",
    "differ",
    "compare",
    "cost",
    "costs",
    "have",
    "do",
    "index",
    "filter",
    "limit",
    "run",
    "offer",
    "provide",
    "need",
    "require",
    "replicate",
    "encrypt",
    "charge",
    "license",
    "implement",
    "protect",
    "change",
    "changed",
    "licensed",
    "priced",
    "made",
    "written",
    "used",
    "available",
    "free",
    "open",
    "is",
    "are",
    "was",
    "were",
    "has",
    "can",
    "does",
    "should",
    "would",
    "will",
    "fits",
    "suits",
    "best",
    "cheapest",
    "fastest",
];

/// The things of a list with these joints, up to where the sentence goes on about something else.
pub(super) fn things(text: &str, joints: &[&str]) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let end = ENDS.iter().filter_map(|stop| lower.find(stop)).min().unwrap_or(text.len());
    let mut text = text[..end].to_string();
    for joint in joints {
        text = text.replace(joint, ", ");
    }
    let mut items: Vec<String> = Vec::new();
    for item in text.split(',') {
        let item = bare(item);
        let words = item.split_whitespace().count();
        if (1..=WORDS).contains(&words) && !items.iter().any(|known| known.eq_ignore_ascii_case(&item)) {
            items.push(item);
        }
    }
    items.truncate(MOST);
    name_versions(&mut items);
    without_kind(items)
}

/// "A 0.7 and 0.8": the name before the first version is that of the others.
fn name_versions(items: &mut [String]) {
    let Some((first, others)) = items.split_first_mut() else { return };
    let Some((name, version)) = first.rsplit_once(' ') else { return };
    if is_version(version) && others.iter().all(|item| is_version(item)) {
        others.iter_mut().for_each(|item| *item = format!("{name} {item}"));
    }
}

/// A number with a point, with or without a letter before it: "0.8", "v2.1.3".
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix(['v', 'V']).unwrap_or(text);
    digits.contains('.') && digits.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// A number and the thing counted, "1 million vectors": no name.
pub(super) fn is_quantity(text: &str) -> bool {
    let mut words = text.split(' ');
    let counts =
        words.next().is_some_and(|first| first.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.')));
    counts && words.clone().next().is_some() && !text.contains(char::is_uppercase)
}

/// Whether the last two of these, which follow "is" or "are" in a text, are said of one thing and are none: "A's backups
/// automatic or manual". Nothing else is said then.
pub(super) fn are_predicates(items: &[String], text: &str) -> bool {
    let [.., before, last] = items else { return false };
    let after = text.find(last.as_str()).map_or("", |at| text[at + last.len()..].trim_start());
    let goes_on = after.split_whitespace().next().is_some_and(|word| !is_stop(word));
    let ends_small = before.rsplit_once(' ').is_some_and(|(_, end)| !is_name(end));
    after.is_empty() || !goes_on && ends_small && !is_name(last)
}

/// An item without its first words: articles, "and", "using".
fn bare(item: &str) -> String {
    let mut item = item.trim().trim_matches(['"', '“', '”', '‘', '`']).trim();
    let before = [
        "and ",
        "or ",
        "both ",
        "either ",
        "the ",
        "a ",
        "an ",
        "The ",
        "A ",
        "using ",
        "their ",
        "its ",
        "that of ",
        "those of ",
    ];
    while let Some(rest) = before.iter().find_map(|word| item.strip_prefix(word)) {
        item = rest.trim_start();
    }
    item.trim_end_matches(" respectively")
        .trim_end_matches(" each")
        .trim_end_matches("'s")
        .trim_end_matches("’s")
        .to_string()
}

/// "vector databases pgvector, Qdrant": the kind of thing before the first name, or after the last, is no part of it.
fn without_kind(mut items: Vec<String>) -> Vec<String> {
    let is_kind =
        |word: &str| word.len() > 3 && word.ends_with('s') && word.chars().all(|c| c.is_lowercase() || c == '-');
    share_noun(&mut items);
    let count = items.len();
    let single = |items: &[String]| items.iter().all(|item| !item.contains(' '));
    if count > 1 && single(&items[1..]) {
        let words: Vec<&str> = items[0].split(' ').collect();
        if let [.., kind, name] = words[..]
            && is_kind(kind)
        {
            items[0] = name.to_string();
        }
    }
    if count > 1 && single(&items[..count - 1]) {
        let words: Vec<&str> = items[count - 1].split(' ').collect();
        if let [name, .., kind] = words[..]
            && is_kind(kind)
            && is_name(name)
        {
            items[count - 1] = name.to_string();
        } else if let [of, kind] = words[..]
            && is_kind(kind)
            && !is_name(of)
            && items[..count - 1].iter().all(|item| is_adjective(item))
        {
            // "hard and symbolic links": the noun is that of all.
            let noun = format!(" {kind}");
            items[..count - 1].iter_mut().for_each(|item| item.push_str(&noun));
        }
    }
    items
}

/// "the old and new command line": the noun is that of both.
fn share_noun(items: &mut [String]) {
    let Some((last, others)) = items.split_last_mut() else { return };
    let Some((first, noun)) = last.split_once(' ') else { return };
    if OPPOSED.contains(&first) && others.iter().all(|item| OPPOSED.contains(&item.as_str())) {
        others.iter_mut().for_each(|item| *item = format!("{item} {noun}"));
    }
}

/// Whether a word may be one that a noun has to follow: in small letters, and not in the plural.
fn is_adjective(word: &str) -> bool {
    word.chars().all(char::is_lowercase) && !word.ends_with('s') && !is_stop(word)
}

/// The subjects with which a text begins, "A, B and C handle …". The last ends at a verb, or after one word where the others
/// have one. None if that is not clear.
pub(super) fn subjects(text: &str) -> Option<Vec<String>> {
    let lower = text.to_ascii_lowercase();
    let joint = [" and ", " or "].iter().filter_map(|joint| Some((lower.find(joint)?, joint.len()))).min();
    // "pgvector, Qdrant, Pinecone is cheapest": the last of three or more stands behind a comma, too.
    let comma = || lower.rfind(", ").filter(|at| lower[..*at].contains(", ")).map(|at| (at, ", ".len()));
    let (at, joint) = joint.or_else(comma)?;
    let mut items: Vec<String> = text[..at].split(',').map(bare).filter(|item| !item.is_empty()).collect();
    let rest: Vec<&str> = text[at + joint..].split_whitespace().collect();
    let clean = |word: &&str| word.trim_matches([',', '?', ':', ';', '.']).to_string();
    let verb = rest.iter().position(|word| VERBS.contains(&clean(word).to_lowercase().as_str()));
    let ends = rest.iter().position(|word| word.ends_with([',', '?', ':', ';']) || is_stop(&clean(word)));
    let last = match (verb, ends) {
        (Some(verb), _) if (1..=3).contains(&verb) => verb,
        _ if items.iter().all(|item| !item.contains(' ')) && !rest.is_empty() => 1,
        (_, Some(at)) if (1..=3).contains(&at) => at,
        (None, None) if rest.len() <= 2 && !rest.is_empty() => rest.len(),
        _ => return None,
    };
    items.push(bare(&rest[..last].iter().map(clean).collect::<Vec<_>>().join(" ")));
    let fit = |item: &String| (1..=3).contains(&item.split(' ').count()) && !has_stop_word(item) && !item.is_empty();
    let unlike: std::collections::BTreeSet<String> = items.iter().map(|item| item.to_lowercase()).collect();
    (items.len() > 1 && unlike.len() == items.len() && items.iter().all(fit) && !hold_a_verb(&items)).then(|| {
        items.truncate(MOST);
        items
    })
}

/// Whether one of these is a name with its action, so that the list is of the objects of that action: "Qdrant store vectors",
/// "payloads". Names with the same noun are none: "Qdrant index", "Pinecone index".
fn hold_a_verb(items: &[String]) -> bool {
    let end = |item: &String| item.rsplit(' ').next().map(str::to_lowercase);
    let is_of_verb = |word: &str| VERBS.contains(&word.to_lowercase().as_str());
    let acts = |item: &String| item.split(' ').skip(1).any(is_of_verb);
    let share_an_end = items.iter().all(|item| end(item) == items.first().and_then(end));
    !share_an_end && items.iter().any(acts) || acts_on_objects(items, 2)
}

/// Whether `least` words in small letters follow the name with which the first begins, and the last has no name of its own.
pub(super) fn acts_on_objects(items: &[String], least: usize) -> bool {
    let [first, .., last] = items else { return false };
    let mut words = first.split(' ');
    words.next().is_some_and(is_name) && words.filter(|word| !is_name(word)).count() >= least && !is_name(last)
}

/// "these three databases: A, B and C": the list behind a colon or a dash, if there are as many as the number says.
pub(super) fn listed_after(text: &str) -> Option<Vec<String>> {
    let (before, list) = text.split_once(": ").or_else(|| text.split_once(" — ")).or_else(|| text.split_once(" - "))?;
    let said = before.split_whitespace().find_map(number)?;
    let found = things(list, &[" and ", " or "]);
    (found.len() > 1 && found.len() == said as usize).then_some(found)
}

/// A number from two to twenty, in letters or digits.
pub(super) fn number(word: &str) -> Option<u32> {
    numeral(word).or_else(|| word.parse().ok().filter(|number| (2..=20).contains(number)))
}

/// The aspects of a list; None if it is no list of plain nouns. General ones are left out.
pub(super) fn sides(text: &str) -> Option<Vec<String>> {
    // "best index": the question is for the best, not for a side.
    let is_ranked = |item: &str| {
        let item = bare(item).to_ascii_lowercase();
        RANKED.contains(&item.split(' ').next().unwrap_or("")) && item != "best practices"
    };
    if text.replace(" and ", ",").split(',').any(is_ranked) {
        return None;
    }
    let found = split_sides(text);
    let plain =
        |side: &String| side.split(' ').count() <= 3 && !has_stop_word(side) && !side.contains(char::is_uppercase);
    let acronym = |side: &String| side.len() <= 5 && side.chars().all(|c| c.is_uppercase());
    let all = text.replace(" and ", ",").replace(" or ", ",").split(',').filter(|item| !item.trim().is_empty()).count();
    let general = |item: &str| is_general(&bare(item));
    let generals = text.replace(" and ", ",").replace(" or ", ",").split(',').filter(|item| general(item)).count();
    let fit = !text.contains([':', ';', '?']) && found.iter().all(|side| plain(side) || acronym(side));
    (fit && all > 0 && found.len() + generals >= all).then_some(found)
}

/// The aspects of "cost, speed and licence", general ones left out.
pub(super) fn split_sides(text: &str) -> Vec<String> {
    let text = text.replace(" and ", ", ").replace(" or ", ", ").replace(" & ", ", ");
    let mut found: Vec<String> = Vec::new();
    for item in text.split(',').map(bare) {
        let item = item.trim_end_matches([')', '.', '?', ' ']).to_string();
        let words = item.split_whitespace().count();
        let is_new = !found.iter().any(|known| known.eq_ignore_ascii_case(&item));
        if (1..=WORDS).contains(&words) && is_new && !is_general(&item) {
            found.push(item);
        }
    }
    found.truncate(MOST);
    found
}

/// Whether it asks for everything of its kind, or the most important of it: "risks", "top 3 risks".
fn is_general(side: &str) -> bool {
    let lower = side.to_ascii_lowercase();
    let is_rank = |word: &&str| {
        matches!(*word, "top" | "main" | "key" | "major" | "biggest" | "most" | "important" | "common")
            || number(word).is_some()
    };
    let kind = lower.split(' ').skip_while(is_rank).collect::<Vec<_>>().join(" ");
    GENERAL.contains(&lower.as_str()) || GENERAL.contains(&kind.as_str())
}

/// Whether these are things one by one: three or more, or half of them names.
pub(super) fn are_names(things: &[String]) -> bool {
    let names = things.iter().filter(|thing| is_name(thing)).count();
    (things.len() > 2 && names > 0 || names * 2 >= things.len()) && things.len() > 1
}

/// Whether these are plainly a list, of any things: three or more, a word each.
pub(super) fn are_listed(things: &[String]) -> bool {
    things.len() > 2 && things.iter().all(|thing| !thing.contains(' ') && !is_stop(thing))
}

/// Whether it is a name rather than words of the language: a capital, a digit, or a mark within.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()) || text.contains(['_', '/', '.', '(', '+', '#'])
}

pub(super) fn has_stop_word(text: &str) -> bool {
    text.split_whitespace().any(is_stop)
}
