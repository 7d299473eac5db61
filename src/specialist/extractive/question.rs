//! Reads a question by rule, beyond its names (`text::named`): its shape, possible topics, clauses. It does not look at the
//! sources; the planner does.

use super::clauses::{Clause, clauses};
use super::phrases::{is_cue, phrases};
use crate::words::{WORDS, has_word};
use run::plan::Shape;
use text::named::{as_meant, asks, before_sides, words_of};
use text::words::is_stop;
use text::{Clean, Named};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub shape: Shape,
    /// The things that it names, as written; empty unless there are several.
    pub items: Vec<String>,
    /// Phrases that may be the topic, in order; never cue words ("advantages", "causes").
    pub phrases: Vec<String>,
    /// The aspects that it names, or possible ones ("population and area of X").
    pub aspects: Vec<String>,
    /// Its clauses: two in "What is X, and what does it do for Y?"
    pub clauses: Vec<Clause>,
    /// The single years that it names.
    pub years: Vec<String>,
    /// "from A to B" in a question about history.
    pub span: Option<(String, String)>,
}

impl Asked {
    /// Reads a question that has not been read yet: one of a list, or that of a task.
    pub fn read(question: &str) -> Asked {
        Asked::of(question, &Named::read(question))
    }

    /// Reads a question, given its names.
    pub fn of(question: &str, named: &Named) -> Asked {
        let question = &*as_meant(question);
        let text = question.trim().trim_end_matches(['?', '.', '!', ' ']);
        let clauses = clauses(question);
        // Statements before a question do not affect its shape.
        let asked = match clauses.as_slice() {
            [] => text.to_string(),
            clauses => clauses.iter().map(Clause::alone).collect::<Vec<_>>().join(", "),
        };
        let lower = asked.to_lowercase();
        let body = without_sides(text);
        let written = |of: &[Clean]| -> Vec<String> { of.iter().map(ToString::to_string).collect() };
        let mut aspects = written(&named.sides);
        let items = if named.things.len() > 1 { written(&named.things) } else { Vec::new() };
        let asks_how = WORDS.procedures.are_in(&lower);
        // "Berlin, a short history", but not "where is my command history".
        let history = WORDS.history.are_in(&lower)
            || !asks(&lower) && lower.ends_with(" history")
            || WORDS.how_so_far.are_in(&lower) && WORDS.developments.are_in(&lower);
        let shape = if items.len() >= 2 {
            if named.compares { Shape::Comparison } else { Shape::Facets }
        } else if history && !asks_how {
            Shape::History
        } else if WORDS.pros_and_cons.are_in(&lower) {
            Shape::ProsAndCons
        } else if words_of(&lower).any(|w| matches!(w, "each" | "every")) {
            Shape::Each
        } else if words_of(&lower).any(|w| w == "why") || WORDS.causes.are_in(&lower) {
            Shape::Causes
        } else if asks_how {
            Shape::Procedure
        } else if let Some(sides) = facets(without_sides(&asked)) {
            if aspects.is_empty() {
                aspects = sides;
            }
            Shape::Facets
        } else {
            Shape::Overview
        };
        let span = named.span.as_ref().map(|(from, to)| (from.to_string(), to.to_string()));
        Asked { shape, phrases: phrases(body), items, aspects, clauses, years: written(&named.years), span }
    }
}

/// Whether a question asks how to do something, or for a command: program text and whole lists of steps answer it.
pub(super) fn asks_how(question: &str, shape: Shape) -> bool {
    shape == Shape::Procedure
        || WORDS.procedures.are_in(&question.to_lowercase())
        || has_word(question, usize::MAX, &WORDS.program_text)
}

/// Whether the entry of a function or option may answer a question that names none.
pub(super) fn asks_for_entries(question: &str, shape: Shape) -> bool {
    asks_how(question, shape) || has_word(question, usize::MAX, &WORDS.asks_for_entries)
}

/// The question without "in terms of …".
fn without_sides(text: &str) -> &str {
    before_sides(text).map_or(text, |(before, _)| before)
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

/// Whether the question is which of several things to use.
pub(super) fn asks_which_to_use(question: &str) -> bool {
    words_of(&question.to_lowercase()).any(|word| WORDS.asks_which.contains(word))
}

/// The words that a question asks of, where it begins with a frame: "a host goes down" of "What happens when a host goes down?"
pub(super) fn framed(question: &str) -> Option<&str> {
    let lower = question.to_lowercase();
    let frame = WORDS.frames.beginning(&lower)?;
    let rest = question.get(frame.len()..)?.trim_end_matches(['?', '.', '!', ' ']);
    (rest.split_whitespace().count() > 1).then_some(rest)
}

/// The texts that a question quotes, of several words each: the message of a program, the name of a section.
pub(super) fn quoted(question: &str) -> impl Iterator<Item = &str> {
    let marks = [('"', '"'), ('“', '”'), ('‘', '’'), ('`', '`')];
    marks.into_iter().filter_map(move |(open, close)| {
        let (_, rest) = question.split_once(open)?;
        let (text, _) = rest.split_once(close)?;
        (text.split_whitespace().count() > 1).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_a_frame_asks_of_the_words_behind_it() {
        assert_eq!(framed("What happens when a host goes down?"), Some("a host goes down"));
        assert_eq!(framed("How do I stop a peer from sending?"), Some("a peer from sending"));
        assert_eq!((framed("What happens if x?"), framed("What is a host?")), (None, None));
    }

    #[test]
    fn texts_of_several_words_that_a_question_quotes_are_found() {
        let found: Vec<&str> = quoted("Why does it say “no space left” in `df` or \"Read only file\"?").collect();
        assert_eq!(found, ["Read only file", "no space left"]);
    }

    #[test]
    fn sides_begin_at_a_whole_word() {
        for (text, wanted) in [
            ("is disregarding an error safe", "is disregarding an error safe"),
            ("compare both regarding cost", "compare both"),
            ("Compare \u{130}zmir and Ankara, Focusing on cost", "Compare \u{130}zmir and Ankara"),
            ("is non-regarding safe", "is non-regarding safe"),
            ("In terms of cost, how do Ankara and Rome compare", "how do Ankara and Rome compare"),
            ("what do the Terms of Service say", "what do the Terms of Service say"),
        ] {
            assert_eq!(without_sides(text), wanted);
        }
    }

    #[test]
    fn how_something_is_done_is_told_from_other_questions() {
        assert!(asks_how("how do i keep a version", Shape::Procedure));
        assert!(asks_how("which command keeps a version", Shape::Overview));
        assert!(!asks_how("why is a version kept back", Shape::Causes));
    }

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
            ("Radio in Norway: a short history", Shape::History),
            ("How do I see the history of a file?", Shape::Procedure),
            ("Where is my command history?", Shape::Overview),
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

    proptest::proptest! {
        #[test]
        fn letters_that_change_their_length_with_their_case_can_be_read(
            question in "(compare |how do | versus | and |, | or |: |why | than |\\? |[\u{130}\u{1e9e}\u{212a}\u{212b}\u{23a}éa ]){0,20}"
        ) {
            let question = Clean::line(&question);
            let _ = Asked::read(&question);
        }
    }

    #[test]
    fn spans_and_phrases() {
        let asked = Asked::read("What is a monad, and what does it change for readers?");
        assert_eq!(asked.clauses.len(), 2);
        assert_eq!(asked.phrases, ["monad", "readers"]);
        let history = Asked::read("How has Berlin changed from 1945 to 1990?");
        assert_eq!(history.span, Some(("1945".into(), "1990".into())));
    }
}
