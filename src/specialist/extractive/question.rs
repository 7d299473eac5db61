//! Parses a question by its words alone: shape, compared things, possible topics, aspects. It never looks at the
//! sources; the planner does.

use super::phrases::{is_cue, phrases};
use super::words::WORDS;
use run::plan::Shape;
use text::words::is_stop;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub shape: Shape,
    /// The compared things, as written; empty if it compares nothing.
    pub items: Vec<String>,
    /// Phrases that may be the topic, in order. Cue words ("advantages", "causes") never are.
    pub phrases: Vec<String>,
    /// Aspects named in the question ("in terms of cost and speed", "population and area of X").
    pub aspects: Vec<String>,
    /// Its clauses, if a second question word follows: "What is X, and what does it do for Y?"
    pub clauses: Vec<String>,
    /// "from A to B" in a question about history.
    pub span: Option<(String, String)>,
}

impl Asked {
    pub fn read(question: &str) -> Asked {
        let text = question.trim().trim_end_matches(['?', '.', '!', ' ']);
        let lower = text.to_lowercase();
        let clauses = clauses(text);
        let (body, mut aspects) =
            match find_cue(&lower, &["in terms of ", "with respect to ", "with regard to ", "regarding "]) {
                Some((at, end)) => (text[..at].trim().to_string(), list(&text[end..])),
                None => (text.to_string(), Vec::new()),
            };
        let items = compared(&body);
        let history =
            WORDS.history.are_in(&lower) || WORDS.how_so_far.are_in(&lower) && WORDS.developments.are_in(&lower);
        let shape = if items.len() >= 2 {
            Shape::Comparison
        } else if history {
            Shape::History
        } else if WORDS.pros_and_cons.are_in(&lower) {
            Shape::ProsAndCons
        } else if words_of(&lower).any(|w| matches!(w, "each" | "every")) {
            Shape::Each
        } else if words_of(&lower).any(|w| w == "why") || WORDS.causes.are_in(&lower) {
            Shape::Causes
        } else if WORDS.procedures.are_in(&lower) {
            Shape::Procedure
        } else if let Some(sides) = facets(&body) {
            aspects.extend(sides);
            Shape::Facets
        } else {
            Shape::Overview
        };
        Asked { shape, phrases: phrases(&body), items, aspects, clauses, span: span(text) }
    }
}

fn find_cue(lower: &str, cues: &[&str]) -> Option<(usize, usize)> {
    cues.iter().filter_map(|cue| lower.find(cue).map(|at| (at, at + cue.len()))).min()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '/').filter(|w| !w.is_empty())
}

/// The question, cut where "and" is followed by a question word.
fn clauses(text: &str) -> Vec<String> {
    const ASKS: &[&str] = &["what", "how", "why", "when", "which", "who", "where", "can", "should", "does", "is"];
    let lower = text.to_lowercase();
    let mut cuts = vec![0_usize];
    for joint in [", and ", " and ", "; ", "? ", ": "] {
        for (at, found) in lower.match_indices(joint) {
            let rest = &lower[at + found.len()..];
            let next = rest.split_whitespace().next().unwrap_or("");
            let strong = joint == "? " || joint == "; ";
            if (strong || ASKS.contains(&next)) && !cuts.iter().any(|cut| cut.abs_diff(at + found.len()) < 3) {
                cuts.push(at + found.len());
            }
        }
    }
    if lower.len() != text.len() {
        return vec![text.to_string()];
    }
    cuts.sort_unstable();
    cuts.push(text.len());
    let clean = |s: &str| s.trim().trim_end_matches(" and").trim_end_matches([',', ';', '?', ':', ' ']).to_string();
    let mut clauses: Vec<String> = cuts.windows(2).map(|cut| clean(&text[cut[0]..cut[1]])).collect();
    clauses.retain(|clause| clause.split_whitespace().count() >= 2);
    clauses
}

/// The things a question compares.
fn compared(body: &str) -> Vec<String> {
    let lower = body.to_lowercase();
    if lower.len() != body.len() {
        return Vec::new();
    }
    if let Some(end) = WORDS.comparisons.last_end(&lower) {
        return items(&body[end..], &[" and ", " with ", " to ", " against ", " versus ", " vs. ", " vs ", " or "]);
    }
    if let Some((at, end)) =
        find_cue(&lower, &[" compared with ", " compared to ", " as opposed to ", " versus ", " vs. ", " vs "])
    {
        let before = body[..at].rsplit([' ']).next().map(String::from);
        let of = lower[..at].rfind(" of ").map(|of| body[of + 4..at].to_string());
        let mut found: Vec<String> = of.or(before).into_iter().flat_map(|side| items(&side, &[" and "])).collect();
        found.extend(items(&body[end..], &[" and ", " or ", " vs ", " vs. ", " versus "]));
        return found;
    }
    let chooses = words_of(&lower).next().is_some_and(|w| matches!(w, "when" | "which" | "should" | "what"))
        && words_of(&lower).any(|w| matches!(w, "use" | "choose" | "pick" | "prefer" | "better"));
    if chooses && lower.contains(" or ") {
        let from = find_cue(&lower, &[" use ", " choose ", " pick ", " prefer ", " better, ", " better: "])
            .map_or(0, |(_, end)| end);
        return items(&body[from..], &[" or "]);
    }
    Vec::new()
}

/// The items of a list "A, B and C", up to where the sentence goes on about something else.
fn items(text: &str, joints: &[&str]) -> Vec<String> {
    let mut end = text.len();
    let lower = text.to_lowercase();
    for stop in
        [":", "?", ";", " in ", " for ", " when ", " on ", " as ", " under ", " if ", " regarding ", " from ", " at "]
    {
        if let Some(at) = lower.find(stop) {
            end = end.min(at);
        }
    }
    let mut text = text[..end].to_string();
    for joint in joints {
        text = text.replace(joint, ", ");
    }
    let mut items: Vec<String> = Vec::new();
    for item in text.split(',') {
        let item = item.trim().trim_start_matches("and ").trim_start_matches("or ");
        let item = ["the ", "a ", "an ", "The ", "using "].iter().fold(item, |item, the| item.trim_start_matches(the));
        let words = item.split_whitespace().count();
        if (1..=4).contains(&words) && !items.iter().any(|known| known == item) {
            items.push(item.to_string());
        }
    }
    items.truncate(8);
    items
}

/// The items of "A, B and C".
fn list(text: &str) -> Vec<String> {
    items(text, &[" and ", " or "])
}

/// The aspects in "population and area of X".
fn facets(body: &str) -> Option<Vec<String>> {
    let (before, _) = body.split_once(" of ")?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let joint = words.iter().rposition(|word| *word == "and")?;
    let side = |word: Option<&&str>| {
        word.map(|w| w.trim_matches(',').to_string()).filter(|w| !is_stop(w) && !is_cue(w) && w.len() > 2)
    };
    let left = side(joint.checked_sub(1).and_then(|at| words.get(at)))?;
    let right = side(words.get(joint + 1))?;
    Some(vec![left, right])
}

/// "from A to B" at the end of a question.
fn span(text: &str) -> Option<(String, String)> {
    let (_, rest) = text.split_once(" from ").or_else(|| text.split_once(" between "))?;
    let (from, to) = rest.split_once(" to ").or_else(|| rest.split_once(" and "))?;
    let to = to.split([',', ';']).next()?;
    let dated = |s: &str| s.chars().any(|c| c.is_ascii_digit()) && s.split_whitespace().count() <= 3;
    (dated(from) && dated(to)).then(|| (from.trim().to_string(), to.trim().to_string()))
}

/// Whether the question is which of several things to use.
pub(super) fn asks_which_to_use(question: &str) -> bool {
    words_of(&question.to_lowercase()).any(|w| matches!(w, "use" | "choose" | "pick" | "should" | "prefer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_read_from_the_words() {
        for (question, shape) in [
            ("Compare the trade-offs of pgvector, Qdrant and Pinecone", Shape::Comparison),
            ("Should I use Kafka or RabbitMQ for event sourcing?", Shape::Comparison),
            ("What is the difference between a list and a tuple?", Shape::Comparison),
            ("What are the advantages of Rust compared with C?", Shape::Comparison),
            ("What are the pros and cons of solar power?", Shape::ProsAndCons),
            ("How has Berlin changed from 1945 to 1990?", Shape::History),
            ("How did radio develop?", Shape::History),
            ("Which fruit grows in each month?", Shape::Each),
            ("Why is the sky blue?", Shape::Causes),
            ("How do I bake bread?", Shape::Procedure),
            ("What is the population and area of Norway?", Shape::Facets),
            ("What is a semaphore?", Shape::Overview),
        ] {
            assert_eq!(Asked::read(question).shape, shape, "{question}");
        }
    }

    #[test]
    fn compared_things_are_named_as_the_question_names_them() {
        for (question, items) in [
            ("Compare the trade-offs of pgvector, Qdrant and Pinecone", &["pgvector", "Qdrant", "Pinecone"] as &[&str]),
            ("Compare Kafka with RabbitMQ in terms of cost and speed", &["Kafka", "RabbitMQ"]),
            ("What is the difference between a list and a tuple in Python?", &["list", "tuple"]),
            ("What are the advantages and disadvantages of tea compared with coffee for students?", &["tea", "coffee"]),
            ("When should I use bus, train or plane in Europe?", &["bus", "train", "plane"]),
            ("What is a train?", &[]),
        ] {
            assert_eq!(Asked::read(question).items, items, "{question}");
        }
        assert_eq!(Asked::read("Compare Kafka with RabbitMQ in terms of cost and speed").aspects, ["cost", "speed"]);
    }

    #[test]
    fn clauses_spans_and_phrases() {
        let asked = Asked::read("What is a monad, and what does it change for readers?");
        assert_eq!(asked.clauses, ["What is a monad", "what does it change for readers"]);
        assert_eq!(asked.phrases, ["monad", "readers"]);
        let history = Asked::read("How has Berlin changed from 1945 to 1990?");
        assert_eq!(history.span, Some(("1945".into(), "1990".into())));
    }
}
