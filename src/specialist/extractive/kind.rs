//! Classifies statements as definitions, drawbacks, causes and so on, and gives each its slot in a comparison.
//!
//! It does not weigh them: the ranking does.

use super::ask::Ask;
use super::candidate::Candidate;
use super::claim::{is_name_line, labelled};
use super::entries::is_of_option;
use super::headings::{is_furniture, is_signature};
use super::pros_and_cons;
use super::select::Slot;
use super::topic::{Tie, Tokens, Topic};
use crate::numbers::{date, has_digit};
use crate::words::WORDS;
use run::evidence::BlockKind;
use run::finding::FindingKind;
use text::words::fold;

/// The least share of a question in a heading or a subject for it to be the subject of the question.
pub(super) const HEADED: f64 = 0.3;

/// The kind of a candidate's statement.
pub(super) fn kind(c: &Candidate, ask: &Ask, topic: &Topic) -> FindingKind {
    if c.is_code() {
        return FindingKind::Code;
    }
    // Its statement is about the name of its page.
    if is_name_line(&c.block, &c.claim) && (c.tie == Some(Tie::Subject) || ask.share(&c.title) >= HEADED) {
        return FindingKind::Definition;
    }
    if ask.definition && begins_section(c) && ask.wordings().first().is_some_and(|asked| is_of_option(c, asked)) {
        return FindingKind::Definition;
    }
    let lower = c.claim.text.to_lowercase();
    if let Some(side) = pros_and_cons::over(&c.block).filter(|_| is_on_one_thing(c, topic)) {
        return side;
    }
    if c.tie == Some(Tie::Subject) && WORDS.drawbacks.are_in(&lower) {
        return FindingKind::Drawback;
    }
    if WORDS.advantages.are_in(&lower) && !WORDS.of_use.are_in(&lower) {
        return FindingKind::Advantage;
    }
    let over = if is_at_top(c) { &c.title } else { &c.heading };
    let asked = over.iter().filter(|stem| ask.weight_of(stem) > 0.0).count();
    let headed = !over.is_empty() && asked == over.len() && ask.share(over) >= HEADED;
    // The first words below the name of an option describe its effect, not the meaning of its words.
    let is_option = c.block.headings.last().is_some_and(|heading| is_signature(heading));
    if headed && !is_option && begins_section(c) {
        return FindingKind::Definition;
    }
    if defines(&c.claim.text, ask, topic) {
        return FindingKind::Definition;
    }
    if date(&c.claim.text).is_some() {
        return FindingKind::Event;
    }
    if WORDS.because.are_in(&lower) {
        return FindingKind::Cause;
    }
    if WORDS.steps.are_in(&lower) {
        return FindingKind::Step;
    }
    FindingKind::Fact
}

/// Whether a candidate is the first sentence of its section.
fn begins_section(c: &Candidate) -> bool {
    c.block.lead && c.claim.range.start == 0 && c.block.kind == BlockKind::Paragraph
}

/// The number of blocks at the beginning of a page among which its purpose is told, below the names and the usage.
const AT_TOP: u32 = 6;

/// Whether a candidate stands at the top of its page, below no heading that names a subject: "Description".
fn is_at_top(c: &Candidate) -> bool {
    let headings = &c.block.headings;
    c.block.no < AT_TOP && !headings.is_empty() && headings.iter().all(|heading| is_furniture(heading))
}

/// Whether the list of an item is about the topic: of several compared things, the one that alone is named in the item,
/// its introduction, a heading or the title above it.
fn is_on_one_thing(c: &Candidate, topic: &Topic) -> bool {
    let names = |text: &str| topic.is_alone_in(&Tokens::of(text), &Tokens::default());
    let mut above = c.block.intro.iter().chain(c.block.headings.iter()).chain([&c.source.title]);
    topic.rivals.is_empty() || c.tie == Some(Tie::Subject) && names(&c.claim.text) || above.any(|text| names(text))
}

/// Whether a claim is a dictionary entry: first below its own name ("[Depends]: This declares …").
fn entry(c: &Candidate) -> bool {
    c.block.lead && c.claim.text.starts_with('[') && c.block.kind == BlockKind::Paragraph
        || c.block.kind == BlockKind::KeyValue && c.tie == Some(Tie::Subject) && c.claim.nth == 0
}

/// Whether a sentence defines something, in place of naming an action or a property.
pub(super) fn is_a(text: &str) -> bool {
    let beginning: Vec<&str> = text.split_whitespace().take(11).collect();
    beginning.windows(3).any(|three| {
        let is_one = matches!(three[0], "is" | "are") && matches!(three[1], "a" | "an" | "the");
        // "They are the same" defines neither.
        is_one && three[2].trim_end_matches([',', '.', ':']) != "same"
    })
}

/// The most words in the subject of a definition that the question does not have.
const MOST_OTHERS: usize = 2;
/// The number of words after "refers" that are searched for "as".
const CALLED: usize = 9;

/// Whether a sentence defines the thing that the question asks about, and has nothing else in its subject: "FAI is a
/// system to …".
pub(super) fn is_its_definition(c: &Candidate, ask: &Ask, topic: &Topic) -> bool {
    is_a(&c.claim.text) && defined(&c.claim.text, ask, topic) == Some(0)
}

/// Whether a sentence defines the thing that the question asks about: "X is a …", "X stores …".
fn defines(text: &str, ask: &Ask, topic: &Topic) -> bool {
    defined(text, ask, topic).is_some_and(|others| others <= MOST_OTHERS)
}

/// The number of words in the subject of a definition that the question does not have; None if the sentence is no
/// definition, or defines something else.
fn defined(text: &str, ask: &Ask, topic: &Topic) -> Option<usize> {
    if let Some((named, said)) = otherwise_named(text) {
        return [said.as_str(), &named].into_iter().filter_map(|text| defined(text, ask, topic)).min();
    }
    let beginning: Vec<&str> = text.split_whitespace().take(9).collect();
    let verb = |word: &&str| WORDS.defining_verbs.contains(fold(word.trim_end_matches(',')).as_ref());
    let at = beginning.iter().position(verb).filter(|at| (1..=6).contains(at))?;
    // "The lock is also released" describes an event.
    if matches!(beginning[at], "is" | "are") && !is_a(text) {
        return None;
    }
    // "Rsync refers to the local side as the client" names another thing and does not define rsync.
    if beginning[at] == "refers" && text.split_whitespace().skip(at).take(CALLED).any(|word| word == "as") {
        return None;
    }
    // "The apt command is a …" is about apt.
    let named: Vec<&str> =
        beginning[..at].iter().copied().filter(|word| !WORDS.kinds.contains(fold(word).as_ref())).collect();
    let subject = Tokens::of(&named.join(" "));
    let content = subject.content();
    let asked: f64 = ask.share(&content);
    let others = content.iter().filter(|stem| ask.weight_of(stem) <= 0.0).count();
    let is_it = topic.names.iter().any(|name| name.is_in(&subject) && content.len() <= name.len());
    let is_it = is_it && is_a(text);
    let defines = is_it || topic.rivals.is_empty() && asked >= HEADED;
    defines.then_some(others)
}

/// The most words of a subject, and of an aside with another name of it.
const MOST_OF_SUBJECT: usize = 4;
const MOST_OF_ASIDE: usize = 8;

/// A sentence with another name of its subject between commas, with that name alone and without it: "A copy, also called a
/// clone, is one more of it." None for other sentences.
fn otherwise_named(text: &str) -> Option<(String, String)> {
    let is_short = |text: &str, most: usize| text.split(' ').count() <= most;
    let (subject, rest) = text.split_once(", ").filter(|(subject, _)| is_short(subject, MOST_OF_SUBJECT))?;
    let (aside, said) = rest.split_once(", ").filter(|(aside, _)| is_short(aside, MOST_OF_ASIDE))?;
    let name = ["also called ", "also known as ", "also referred to as ", "or "]
        .iter()
        .find_map(|by| aside.strip_prefix(by))?;
    Some((format!("{name} {said}"), format!("{subject} {said}")))
}

/// The slot of a candidate in a comparison; None for a cell that means nothing outside its table.
pub(super) fn slot(c: &Candidate, ask: &Ask, topic: &Topic) -> Option<Slot> {
    let said = c.claim.text.rsplit("]: ").next().unwrap_or_default();
    if c.block.kind == BlockKind::TableRow && said.split_whitespace().count() < 5 {
        return (has_digit(said) && (numeric_cells(c) >= 2 || is_of_row(c, topic))).then_some(Slot::Cell);
    }
    Some(match kind(c, ask, topic) {
        FindingKind::Definition if is_a(&c.claim.text) || entry(c) => Slot::Definition,
        FindingKind::Advantage => Slot::Advantage,
        FindingKind::Drawback => Slot::Drawback,
        _ if is_contrast(&c.claim.text) && c.tie == Some(Tie::Subject) => Slot::Contrast,
        _ => Slot::Other,
    })
}

/// Whether the row of a cell is the thing itself: "[Price, Basic]: 5 EUR".
fn is_of_row(c: &Candidate, topic: &Topic) -> bool {
    let row = labelled(&c.claim.text).and_then(|(label, _)| label.split_once(", ")).map(|(_, row)| Tokens::of(row));
    row.is_some_and(|row| topic.names.iter().any(|name| name.is_in(&row) && row.content().len() <= name.len()))
}

/// The number of numeric cells in its row, without the row's name.
fn numeric_cells(c: &Candidate) -> usize {
    c.block.text.split(" | ").skip(1).filter(|cell| has_digit(cell)).count()
}

fn is_contrast(text: &str) -> bool {
    WORDS.contrasts.are_in(&text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::extractive::candidate::{Code, candidates};
    use crate::extractive::tool_results::ToolResults;
    use crate::sample::{block, source};
    use run::evidence::Block;
    use run::id::TaskId;
    use run::plan::{Shape, Task};

    #[test]
    fn a_sentence_says_what_a_thing_is_not_that_two_are_the_same() {
        assert!(is_a("A lock is a mutex.") && is_a("The locks of it are the means of …"));
        assert!(!is_a("If the levels are the same, nothing is done.") && !is_a("A lock is released."));
    }

    /// Calls `say` with the only claim below a heading, and the question "what are hard links".
    fn of_claim_below<T>(heading: &str, text: &str, say: impl Fn(&Candidate, &Ask, &Topic) -> T) -> T {
        let block = Block { headings: Arc::new([heading.into()]), ..block(text) };
        let mut results = ToolResults::default();
        results.blocks.insert(("page".into(), 0), (source("Page"), Arc::new(block)));
        let task = Task::new(TaskId(1), "Hard links".into(), "what are hard links".into());
        let ask = Ask::of(&task, Shape::Overview, &task.question, &[], &results);
        let topic = Topic::new(["hard links"], [""; 0]);
        say(&candidates(&results, &topic, Code::Allowed)[0], &ask, &topic)
    }

    fn kind_below(heading: &str, text: &str) -> FindingKind {
        of_claim_below(heading, text, kind)
    }

    #[test]
    fn a_definition_of_the_thing_has_nothing_else_for_its_subject() {
        for (text, wanted) in [
            ("A hard link is a further name of a file.", true),
            ("Hard links are the names of one file.", true),
            ("The number of hard links is a property of a file.", false),
            ("A hard link provides another name.", false),
            ("An extra name, also called a hard link, is an entry of a folder.", true),
            ("A hard link, or further name, is an entry of a folder.", true),
            ("A soft link, also called a pointer, is a file of its own.", false),
        ] {
            assert_eq!(of_claim_below("Kinds", text, is_its_definition), wanted, "{text}");
        }
    }

    #[test]
    fn the_first_words_below_a_name_say_what_it_is_and_those_below_an_option_what_it_does() {
        let first = "Names of one file are told apart by nothing.";
        assert_eq!(kind_below("Hard links", first), FindingKind::Definition);
        assert_eq!(kind_below("--hard-links", "Make no hard links between installed locales."), FindingKind::Fact);
        assert_eq!(kind_below("--copy", "A hard link refers to the object of a name."), FindingKind::Definition);
        assert_eq!(kind_below("--copy", "A hard link refers to its name as the other one."), FindingKind::Fact);
    }

    #[test]
    fn the_first_words_on_the_page_of_a_thing_say_what_it_does() {
        let kind_at = |title: &str, heading: &str, no: u32| {
            let block =
                Block { no, headings: Arc::new([heading.into()]), ..block("This command makes further names.") };
            let mut results = ToolResults::default();
            results.blocks.insert(("page".into(), no), (source(title), Arc::new(block)));
            let task = Task::new(TaskId(1), "Hard links".into(), "what are hard links".into());
            let ask = Ask::of(&task, Shape::Overview, &task.question, &[], &results);
            let topic = Topic::new(["hard links"], [""; 0]);
            candidates(&results, &topic, Code::Allowed).first().map(|found| kind(found, &ask, &topic))
        };
        assert_eq!(kind_at("hard-link", "Description", 2), Some(FindingKind::Definition));
        assert_ne!(kind_at("hard-link", "Description", 40), Some(FindingKind::Definition), "it is further down");
        assert_ne!(kind_at("soft-link", "Description", 2), Some(FindingKind::Definition), "it is another page");
        assert_ne!(kind_at("hard-link", "Renaming", 2), Some(FindingKind::Definition), "it is of a part");
    }

    #[test]
    fn the_entry_of_an_option_that_is_asked_for_says_what_it_does() {
        let kind_of = |heading: &str, question: &str| {
            let block =
                Block { headings: Arc::new([heading.into()]), ..block("The space is printed at the end of a cycle.") };
            let mut results = ToolResults::default();
            results.blocks.insert(("page".into(), 0), (source("Page"), Arc::new(block)));
            let task = Task::new(TaskId(1), "Option".into(), question.into());
            let ask = Ask::of(&task, Shape::Overview, question, &[], &results);
            kind(&candidates(&results, &Topic::default(), Code::Allowed)[0], &ask, &Topic::default())
        };
        assert_eq!(kind_of("‘-n’, ‘--quiet’", "What does tool -n do?"), FindingKind::Definition);
        assert_eq!(kind_of("‘-n’, ‘--quiet’", "What does tool -x do?"), FindingKind::Fact);
        assert_eq!(kind_of("‘-n’, ‘--quiet’", "Is the space printed with -n?"), FindingKind::Fact);
    }

    #[test]
    fn a_side_of_another_thing_is_none_of_the_thing_compared() {
        let kind_below = |title: &str, heading: &str, text: &str| {
            let item = Block {
                kind: BlockKind::ListItem,
                intro: Some("Disadvantages:".into()),
                headings: Arc::new([heading.into()]),
                ..block(text)
            };
            let mut results = ToolResults::default();
            results.blocks.insert(("page".into(), 0), (source(title), Arc::new(item)));
            let task = Task::new(TaskId(1), "kiln build".into(), "kiln build: what it is".into());
            let ask = Ask::of(&task, Shape::Comparison, "kiln build or kiln check", &[], &results);
            let topic = Topic::new(["kiln build"], ["kiln build", "kiln check"]);
            let found = candidates(&results, &topic, Code::Excluded);
            found.first().map(|candidate| kind(candidate, &ask, &topic))
        };
        let text = "The nightly compiler has to be installed first.";
        assert_eq!(kind_below("Manual", "kiln build", text), Some(FindingKind::Drawback));
        assert_eq!(kind_below("The kiln build", "Drawbacks", text), Some(FindingKind::Drawback));
        let both = "Times of kiln build and kiln check are longer than before.";
        assert_ne!(kind_below("Manual", "Parallel frontend", both), Some(FindingKind::Drawback));
    }

    #[test]
    fn to_take_advantage_of_a_thing_is_no_advantage() {
        let takes = "This option takes advantage of hard links.";
        assert_eq!(kind_below("--copy", takes), FindingKind::Fact);
        assert_eq!(kind_below("--copy", "An advantage of hard links is their speed."), FindingKind::Advantage);
    }
}
