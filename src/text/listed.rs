//! Finds lists of questions in a text: numbered or bulleted lines, lines that end in `?`, or several such sentences.
//!
//! It goes by marks and first words alone; it does not interpret the questions.

mod near;

pub use near::Shared;

use crate::words::{is_stop, words};
use crate::{Clean, asking, capital, first_words};

/// The least number of question sentences that make a list: two are a question and its follow-up.
const SENTENCES: usize = 3;
/// A line that begins with one of these goes on with the line before; one that ends in a stop word, with the next.
const GO_ON: [&str; 14] =
    ["and", "as", "at", "before", "but", "by", "for", "from", "in", "of", "on", "or", "to", "with"];
/// The most words of a line that is a question of its own without a mark.
const SHORT: usize = 6;
/// The most words of a title: a longer one fills a screen.
const MOST_OF_A_TITLE: usize = 60;
/// The highest number of a question in a list.
const MOST_NUMBERED: u32 = 1_000;
const BULLETS: [char; 5] = ['-', '*', '•', '–', '·'];

/// A text split into introduction and questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The text before the list; may be empty.
    pub before: String,
    /// The questions in order, one line each, without their marks. Either none or at least two.
    pub questions: Vec<String>,
}

/// Splits a text into introduction and questions.
pub fn listed(text: &str) -> Listed {
    let found = [marked_lines, asking_lines, numbered_inline, bare_lines, sentences].into_iter().map(|read| read(text));
    found.into_iter().find(|listed| listed.questions.len() > 1).unwrap_or_default()
}

/// The title of an answer to a question: the introduction of a list, or the number of its questions; else the question in one line,
/// with a capital; of a long one the first words of the part that asks.
pub fn title_of(question: &str) -> Clean {
    let listed = listed(question);
    let title = match (listed.questions.len(), listed.before.trim_end_matches([':', ' '])) {
        (0, _) => first_words(&asking(question), MOST_OF_A_TITLE),
        (n, "") => format!("{n} questions"),
        (_, before) => before.to_owned(),
    };
    Clean::line(&capital(&Clean::line(&title)))
}

/// The default length of a brief in words: longer for a list of questions.
pub fn default_words(question: &str) -> u32 {
    const WORDS: u32 = 500;
    const A_QUESTION: u32 = 100;
    const MOST: u32 = 5_000;
    let questions = u32::try_from(listed(question).questions.len()).unwrap_or(u32::MAX);
    questions.saturating_mul(A_QUESTION).clamp(WORDS, MOST)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether it is a question, by its mark or first word.
fn asks(text: &str) -> bool {
    const ASKING: &str = "what how why when which who whose where can could should must may does do did is are was were \
                          will has have explain describe compare list name tell find summarise summarize";
    let first: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    text.ends_with('?') || ASKING.split(' ').any(|word| word == first.to_lowercase())
}

/// Items are questions if nearly all of them ask something, nothing stands before them, or the words before ask of each: aspects of
/// one question ("cost", "speed") follow their thing.
fn questions(before: &str, items: Vec<String>) -> Listed {
    let items: Vec<String> = items.iter().map(|item| one_line(item)).filter(|item| !item.is_empty()).collect();
    let asking = items.iter().filter(|item| asks(item)).count();
    let is_all = items.len() >= SENTENCES && (before.trim().is_empty() || speaks_of_each(before));
    match is_all || asking > 1 && asking * 4 >= items.len() * 3 {
        true => Listed { before: one_line(before), questions: items },
        false => Listed::default(),
    }
}

/// Words of an introduction whose list is of aspects: they are no things.
const ASPECTS: [&str; 9] =
    ["aspect", "aspects", "compare", "comparison", "criteria", "points", "regard", "respect", "respects"];

/// Whether an introduction asks the same of all the things below it: "Explain each of these:". A comparison by aspects does not.
fn speaks_of_each(before: &str) -> bool {
    let before = before.trim().to_ascii_lowercase();
    let has = |known: &[&str]| words(&before).any(|word| known.contains(&word));
    before.ends_with(':')
        && has(&["each", "every", "following", "these", "those"])
        && !before.contains("in terms of")
        && !has(&ASPECTS)
}

/// The line without its number or bullet; None if it has none.
fn after_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix(BULLETS) {
        return rest.starts_with(char::is_whitespace).then(|| rest.trim_start());
    }
    let line = line.strip_prefix('(').unwrap_or(line);
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = match digits {
        0 if line.starts_with(|c: char| c.is_ascii_lowercase()) => 1,
        // A year stands at the beginning of a line more often than the number of a question beyond these.
        1..=4 if line[..digits].parse::<u32>().is_ok_and(|number| number <= MOST_NUMBERED) => digits,
        _ => return None,
    };
    let rest = line[mark..].strip_prefix(['.', ')'])?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// Lines with a number or a bullet; other lines continue the item before.
fn marked_lines(text: &str) -> Listed {
    let mut before = String::new();
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        match (after_mark(line), items.last_mut()) {
            (Some(item), _) => items.push(item.to_string()),
            (None, goes_on) => {
                let text = goes_on.unwrap_or(&mut before);
                text.push(' ');
                text.push_str(line);
            }
        }
    }
    if items.len() < 2 { Listed::default() } else { questions(&before, items) }
}

/// Lines that end in a question mark.
fn asking_lines(text: &str) -> Listed {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.iter().position(|line| line.ends_with('?')).unwrap_or(lines.len());
    let (before, rest) = lines.split_at(first);
    match rest.len() > 1 && rest.iter().all(|line| line.ends_with('?')) {
        true => questions(&before.join(" "), rest.iter().map(ToString::to_string).collect()),
        false => Listed::default(),
    }
}

/// Short lines without marks, each a question of its own: "pgvector limits". Lines of one long question are longer.
fn bare_lines(text: &str) -> Listed {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_short = |line: &&str| line.split(' ').count() <= SHORT && !line.ends_with([',', ';', ':', '.']);
    let goes_on = |line: &&str| {
        GO_ON.contains(&line.split(' ').next().unwrap_or_default())
            || line.rsplit(' ').next().is_some_and(|last| is_stop(&last.to_lowercase()))
    };
    match lines.len() >= SENTENCES && lines.iter().all(is_short) && !lines.iter().any(goes_on) {
        true => questions("", lines.iter().map(ToString::to_string).collect()),
        false => Listed::default(),
    }
}

/// "1. What is a? 2. What is b?" in one line: numbers that count up from one.
fn numbered_inline(text: &str) -> Listed {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        // A number at the end of the text is followed by no question.
        let number = word.strip_suffix(char::is_whitespace).and_then(numbered);
        if number == Some(starts.len() + 1) {
            starts.push((at, at + word.trim_end().len()));
        }
        at += word.len();
    }
    let Some((first, _)) = starts.first() else { return Listed::default() };
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let items = starts.iter().zip(ends).map(|((_, from), to)| text[*from..to].to_string()).collect();
    questions(&text[..*first], items)
}

/// The number of a mark: `2.`, `2)`, `(2)`.
fn numbered(mark: &str) -> Option<usize> {
    let number = mark.strip_suffix('.').or_else(|| {
        let closed = mark.strip_suffix(')')?;
        Some(closed.strip_prefix('(').unwrap_or(closed))
    })?;
    number.parse().ok().filter(|_| number.starts_with(|c: char| matches!(c, '1'..='9')))
}

/// Sentences that end in a question mark; text before the first of them is the introduction.
fn sentences(text: &str) -> Listed {
    let mut items: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("? ").map(|at| at + 1) {
        items.push(rest[..at].to_string());
        rest = &rest[at..];
    }
    items.push(rest.to_string());
    items.retain(|item| !item.trim().is_empty());
    if items.len() < SENTENCES || items.iter().any(|item| !item.trim_end().ends_with('?')) {
        return Listed::default();
    }
    // A statement before the first question: "I run a mail server. How do I ...?"
    let before = items[0].rfind(". ").map(|at| items[0][..=at].to_string()).unwrap_or_default();
    items[0] = items[0][before.len()..].to_string();
    questions(&before, items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_questions_are_seen_by_their_marks() {
        let three = ["What is a conffile?", "How is it marked?", "Explain who may change it"];
        for text in [
            "1. What is a conffile?\n2. How is it marked?\n3. Explain who may change it",
            "1) What is a conffile?\n\n2) How is it\n   marked?\n3) Explain who may change it\n",
            "- What is a conffile?\n- How is it marked?\n- Explain who may change it",
            "• What is a conffile?\n• How is it marked?\n• Explain who may change it",
            "(1) What is a conffile? (2) How is it marked? (3) Explain who may change it",
            "1. What is a conffile? 2. How is it marked? 3. Explain who may change it",
            "a) What is a conffile?\nb) How is it marked?\nc) Explain who may change it",
        ] {
            assert_eq!(
                listed(text),
                Listed { before: String::new(), questions: three.map(String::from).into() },
                "{text}"
            );
        }
    }

    #[test]
    fn what_stands_before_a_list_is_no_question_of_it() {
        let listed = listed("About Debian packages:\n- What is a conffile?\n- Who may change one?");
        assert_eq!(listed.before, "About Debian packages:");
        assert_eq!(listed.questions.len(), 2);
        let listed = super::listed("I run a server. What is a daemon? Who owns it? Where does it log?");
        assert_eq!((listed.before.as_str(), listed.questions.len()), ("I run a server.", 3));
    }

    #[test]
    fn lines_and_sentences_that_ask_are_listed_without_marks() {
        assert_eq!(listed("What is a tuple?\nWhat is a list?").questions.len(), 2);
        assert_eq!(listed("What is a tuple? What is a list? What is a set?").questions.len(), 3);
        assert_eq!(listed("pgvector limits\nQdrant limits\nPinecone cost").questions.len(), 3);
        assert_eq!(listed("1. pgvector limits 2. Qdrant limits 3. Pinecone cost").questions.len(), 3);
    }

    #[test]
    fn things_below_an_introduction_that_asks_of_each_are_questions() {
        for text in [
            "Explain each of these:\n1. borg init\n2. borg create\n3. borg prune",
            "What do these commands do:\n- borg init\n- borg create\n- borg prune",
            "Define the following terms:\n\n* archive\n* repository\n* chunk\n* segment",
        ] {
            assert!(listed(text).questions.len() >= 3, "{text}");
        }
    }

    // Only a clock shows how long it takes.
    #[allow(clippy::disallowed_types, clippy::disallowed_methods)]
    #[test]
    fn a_long_text_is_read_in_time_linear_to_its_length() {
        let listed_in_time = |text: String| {
            let started = std::time::Instant::now();
            let listed = listed(&text);
            // Linear is far below a second even without optimisation, and on a busy machine far below this; quadratic would be
            // minutes.
            assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
            listed.questions.len()
        };
        let log = "2026-11-30 10:00:00 error: the connection was reset by its peer while it was read\n".repeat(60_000);
        assert_eq!(listed_in_time(format!("Why does this fail?\n{log}")), 0);
        assert_eq!(listed_in_time(format!("About this log:\n{log}1. Why does it fail?\n2. What is reset?\n{log}")), 2);
        let numbered: String = (1..=60_000).map(|n| format!("{n}. What is it? ")).collect();
        assert_eq!(listed_in_time(numbered), 60_000);
    }

    #[test]
    fn one_question_is_not_a_list_however_it_is_written() {
        for text in [
            "What is a monad?",
            "What is a monad? How do I use it?",
            "Compare a and b in terms of:\n- cost\n- speed\n- size",
            "Compare a and b by each of these:\n- cost\n- speed\n- size",
            "Tell me about Qdrant, with these aspects:\n- cost\n- speed\n- size",
            "Describe Qdrant:\n- cost\n- speed\n- size",
            "What changed in Python 3.9. and why?",
            "What is new in version 2. 0 of it?",
            "How do I install it?\nI use Debian.",
            "Which of 1. and 2. is right?",
            "vector databases\nand their cost\nfor a small team",
            "What should a team know about\nvector databases before it\nchooses one of them",
            "",
            "???",
        ] {
            assert_eq!(listed(text), Listed::default(), "{text}");
        }
    }

    #[test]
    fn a_title_is_one_line_with_a_capital_and_of_a_list_its_introduction_or_its_number() {
        let log = "The daemon was started by the user and wrote its state into the file that holds the state of all units and of \
                   the programs which it began since the last start of the machine, as it does each day. ";
        let pasted = format!("Why does the daemon stop?\n\n{}", log.repeat(20));
        for (question, title) in [
            ("what is Qdrant?", "What is Qdrant?"),
            ("what is\nQdrant?", "What is Qdrant?"),
            ("1. What is Qdrant?\n2. What is pgvector?", "2 questions"),
            ("on databases:\n1. What is Qdrant?\n2. What is pgvector?", "On databases"),
            ("", ""),
            (&pasted, "Why does the daemon stop?"),
            (&"word ".repeat(3_000), &capital(&(vec!["word"; MOST_OF_A_TITLE].join(" ") + " …"))),
        ] {
            assert_eq!(title_of(question).as_str(), title, "{question}");
        }
    }

    #[test]
    fn a_brief_that_answers_many_questions_has_words_for_each() {
        let many = |n: usize| (1..=n).map(|n| format!("{n}. What is thing {n}?\n")).collect::<String>();
        for (questions, words) in [(1, 500), (3, 500), (12, 1_200), (40, 4_000), (90, 5_000)] {
            assert_eq!(default_words(&many(questions)), words, "{questions}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read_and_no_question_is_empty_or_has_lines(text in "([0-9]{1,2}[.)] |- |\\? |\n|[a-zé?.( ]){0,60}") {
            let Listed { questions, .. } = listed(&text);
            proptest::prop_assert!(questions.len() != 1);
            proptest::prop_assert!(questions.iter().all(|question| !question.is_empty() && !question.contains('\n')));
        }
    }
}
