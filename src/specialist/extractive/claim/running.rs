//! Claims of running text: sentences that stand alone, or do so with the name above them or the sentence before.

use std::ops::Range;

use super::Claim;
use super::above::{Above, entry_of, is_bare_value, named_above};
use super::item::{is_continued, key_of_line, lacks_subject, turned_by, wants_label, without_conjunction};
use crate::extractive::dangling::dangles;
use crate::extractive::edit::{drop_connective, drop_references, full_stop, insert, name_referent};
use crate::extractive::headings::{NO_LABEL, unnumbered};
use crate::extractive::standalone::{
    MOST_WORDS, can_stand, count, is_only_a_condition, is_only_means, is_quoted, restricts,
};
use crate::extractive::verb::{is_noun_phrase, is_verb};
use crate::words::WORDS;
use run::evidence::{Block, BlockKind, SourceRef};
use run::finding::{EditRule, apply};
use text::sentence::sentences;
use text::words::fold;

/// Claims of running text or of a list item; `label` names the subject of an item that lacks one, `paragraph` is the one
/// before it in its section.
pub(super) fn claims(
    source: &SourceRef,
    block: &Block,
    paragraph: Option<&Block>,
    subject: Option<&str>,
    label: Option<String>,
) -> Vec<Claim> {
    let text = block.text.as_str();
    let ranges = sentences(text);
    let mut found: Vec<Claim> = Vec::new();
    let item = block.kind == BlockKind::ListItem;
    let above = if item { None } else { Above::of(source, block) };
    let key = Above::of_key(block);
    let turning = if item { turned_by(block) } else { None };
    let mut before: Option<Range<usize>> = None; // the sentence before, if it can be leant on
    for (nth, range) in ranges.iter().enumerate() {
        let origin = before_definition(&text[range.clone()]).len();
        let field = origin + number(&text[range.clone()]).len();
        let mut range = range.start + field..range.end;
        if item && nth + 1 == ranges.len() {
            range.end = range.start + without_conjunction(&text[range.clone()]).len();
        }
        let sentence = &text[range.clone()];
        let mut edits = Vec::new();
        let leaning = before.take();
        let is_entry = nth == 0
            && above.as_ref().is_some_and(|above| {
                above.is_title && (field > 0 || !block.lead) || origin > 0 && block.lead && !above.is_entry
            });
        let defines = is_entry && is_noun_phrase(sentence);
        if !can_stand(sentence, item && nth == 0 || defines) || is_quoted(text, range.start) {
            continue;
        }
        let opens = nth == 0 && block.lead;
        let labelled = subject.filter(|name| opens && defines_heading(name, block, sentence));
        let labelled = labelled.or_else(|| question_answered(block, sentence).filter(|_| opens));
        // The sentence before names the subject of a bare value.
        let is_value = !item && is_bare_value(sentence);
        let above = above.as_ref().filter(|_| !is_value || leaning.is_none());
        // The key of a line says it closer than the heading above.
        let key = key.as_ref().filter(|_| nth > 0);
        let labelled = labelled.or_else(|| key.and_then(|key| key.label(sentence, opens, defines)));
        let labelled = labelled.or_else(|| above.and_then(|above| above.label(sentence, opens, defines)));
        let leans = is_value || dangles(sentence);
        // The sentence before in its section, if that has a subject of its own.
        let across = paragraph.filter(|_| nth == 0).and_then(|paragraph| last_subject(&paragraph.text));
        // At the top of a page that is about the thing, also below its first paragraph.
        let is_at_top = block.no <= 2 && block.lead || block.no <= 3 && block.headings.is_empty();
        // There another subject stands before it: the name is only the topic.
        let is_of_topic = |name: &&str| {
            leans
                && nth == 0
                && is_at_top
                && across.is_some_and(|before| !has_subject(before, name))
                && name_referent(sentence, name).is_some()
                && named_above(name, source, block)
        };
        let labelled = labelled.or_else(|| subject.filter(is_of_topic));
        if leans && labelled.is_none() {
            let named = subject.filter(|name| {
                let previous = nth.checked_sub(1).map(|at| &text[ranges[at].clone()]);
                let follows = match previous {
                    Some(previous) => has_subject(previous, name) && leaning.is_some(),
                    None => across.is_some_and(|before| has_subject(before, name)),
                };
                let opens = previous.is_none() && is_at_top;
                (follows || opens) && named_above(name, source, block)
            });
            if let Some(edit) = named.and_then(|name| name_referent(sentence, name)) {
                edits.push(edit);
            } else if let Some(previous) = leaning {
                let both = previous.start..range.end;
                if count(&text[both.clone()]) > MOST_WORDS {
                    continue;
                }
                // The pair replaces the claim of its first sentence alone, and keeps its edits.
                if let Some(at) = found.iter().position(|claim| claim.range == previous) {
                    edits.extend(found.remove(at).edits.into_iter().filter(|edit| edit.at == 0));
                }
                range = both;
            } else {
                continue;
            }
        }
        // A restriction belongs to the claim; if the two do not fit together, or it stands below ("However:"), the claim is dropped.
        if let Some(next) = ranges.get(nth + 1).filter(|next| restricts(&text[(*next).clone()])) {
            let stands_below = count(&text[next.clone()]) < 3 && text[..next.end].ends_with(':');
            if count(&text[range.start..next.end]) > MOST_WORDS || stands_below {
                continue;
            }
            range.end = next.end;
        }
        before = Some(range.clone());
        let quote = &text[range.clone()];
        if !edits.is_empty() {
            // The subject is named already.
        } else if let Some(turning) = &turning {
            edits.push(insert(EditRule::NameSubject, 0, format!("[{turning}]: ")));
        } else if nth == 0 && range.start == 0 && item {
            if is_continued(block) {
                // The item alone would be true of anybody.
                let Some(label) = &label else { continue };
                edits.push(insert(EditRule::NameSubject, 0, format!("[{label}]: ")));
            } else if wants_label(quote) {
                match label.as_ref().filter(|_| !lacks_subject(quote)) {
                    Some(label) => edits.push(insert(EditRule::NameSubject, 0, format!("[{label}]: "))),
                    None if key_of_line(quote).is_some() => {}
                    // A fragment without an introduction means nothing.
                    None => continue,
                }
            } else if let Some(name) = entry_of(block).filter(|name| lacks_entry(block, quote, name)) {
                edits.push(insert(EditRule::NameSubject, 0, format!("[{name}]: ")));
            }
        } else if let Some(name) = labelled {
            edits.push(insert(EditRule::NameSubject, 0, format!("[{name}]: ")));
        } else if let Some(edit) = drop_connective(quote, subject) {
            edits.push(edit);
        }
        let references = drop_references(quote);
        let is_cut = references.iter().any(|edit| edit.removed.starts_with([',', ';']));
        edits.extend(references);
        if let Some(edit) = full_stop(quote) {
            edits.push(edit);
        }
        edits.sort_by_key(|edit| edit.at);
        // Without its connective a sentence may turn out to depend on the one before; without its reference, to say nothing.
        let stands = |text: &str| !(dangles(text) || is_only_means(text) || is_cut && is_only_a_condition(text));
        if let Some(text) = apply(quote, &edits).filter(|text| stands(text)) {
            found.push(Claim { range, edits, text, nth });
        }
    }
    found
}

/// Whether an item of a list right below the name of an entry does not say the name.
fn lacks_entry(block: &Block, item: &str, name: &str) -> bool {
    block.intro.is_none() && !fold(item).contains(&*fold(name))
}

/// The number in front of a sentence: "1. " of "1. Open the file." Empty if there is none.
fn number(sentence: &str) -> &str {
    let digits = sentence.bytes().take_while(u8::is_ascii_digit).count();
    let rest = sentence[digits..].strip_prefix(['.', ')']).and_then(|rest| rest.strip_prefix(' '));
    let rest = rest.filter(|rest| (1..=2).contains(&digits) && rest.starts_with(char::is_uppercase));
    &sentence[..rest.map_or(0, |rest| sentence.len() - rest.len())]
}

/// Whether a block opens the section of this name without repeating the name, as glossary entries do.
fn defines_heading(name: &str, block: &Block, sentence: &str) -> bool {
    let heading = block.headings.last().map_or("", |heading| unnumbered(heading));
    heading.eq_ignore_ascii_case(name)
        && !sentence.to_lowercase().contains(&name.to_lowercase())
        && (dangles(sentence) || is_noun_phrase(sentence))
}

/// The question that a "Yes, …" answers: the heading above it.
fn question_answered<'b>(block: &'b Block, sentence: &str) -> Option<&'b str> {
    let says_yes_or_no =
        ["Yes,", "Yes.", "Yes:", "Yes!", "No,", "No.", "No:", "No!"].iter().any(|word| sentence.starts_with(word));
    let heading = block.headings.last().filter(|_| says_yes_or_no).map(|heading| unnumbered(heading));
    heading.filter(|heading| heading.ends_with('?') && !heading.contains(NO_LABEL))
}

/// The part of a dictionary's entry before its definition: the field, and in brackets a short form or the origin of the name
/// ("<networking> (From …) ", "[from Latin, where it was a verb] "). Empty if there is neither.
fn before_definition(sentence: &str) -> &str {
    let is_field = |c: char| c.is_lowercase() || ", ".contains(c);
    let mut rest = sentence;
    if let Some((field, after)) = sentence.strip_prefix('<').and_then(|rest| rest.split_once("> ")) {
        if !field.chars().all(is_field) {
            return "";
        }
        rest = after;
        while let Some((_, after)) = rest.strip_prefix('(').and_then(|aside| aside.split_once(") ")) {
            rest = after;
        }
    }
    while let Some((_, after)) =
        rest.strip_prefix('[').and_then(|aside| aside.split_once("] ")).filter(|(aside, _)| is_origin(aside))
    {
        rest = after;
    }
    // "<path> is the folder of …" is a sentence.
    if !rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) {
        return "";
    }
    &sentence[..sentence.len() - rest.len()]
}

/// Whether an aside says where a word comes from or how common it is: "from MIT", "very common; from radio".
fn is_origin(aside: &str) -> bool {
    aside.split([':', ';', ',']).any(|part| WORDS.origins.beginning(&fold(part.trim_start())).is_some())
}

/// The last sentence of a paragraph that does not itself begin with a pronoun.
fn last_subject(paragraph: &str) -> Option<&str> {
    let is_named = |sentence: &&str| {
        !matches!(sentence.split(' ').next(), Some("It" | "Its" | "He" | "His" | "She" | "Her" | "They" | "Their"))
    };
    sentences(paragraph).into_iter().rev().map(|range| &paragraph[range]).find(is_named)
}

/// Whether a name is the whole subject of a sentence: "Qdrant stores …", not "The Qdrant client listens …". "The pump" is
/// the Heron pump.
fn has_subject(sentence: &str, name: &str) -> bool {
    let words: Vec<String> = sentence.split_whitespace().map(|word| fold(word).into_owned()).collect();
    let name: Vec<String> = name.split_whitespace().map(|word| fold(word).into_owned()).collect();
    let article = usize::from(words.first().is_some_and(|word| matches!(word.as_str(), "the" | "a" | "an")));
    let last = name.last().filter(|_| words.first().is_some_and(|word| word == "the") && name.len() > 1);
    let short = || words.get(1..).and_then(|rest| rest.strip_prefix(std::slice::from_ref(last?)));
    let rest = words.get(article..).and_then(|rest| rest.strip_prefix(&name[..])).or_else(short);
    // "The GNU C Library (glibc) provides …"
    let mut rest = rest.unwrap_or_default().iter().skip_while(|word| word.starts_with('('));
    rest.find(|word| !matches!(word.as_str(), "also" | "now" | "only" | "then" | "always" | "usually" | "itself"))
        .is_some_and(|next| is_verb(next))
}

#[cfg(test)]
mod tests {
    use run::evidence::Block;

    use crate::extractive::claim::{claims, claims_below};
    use crate::sample::{block, source};

    #[test]
    fn a_pronoun_stands_for_a_name_that_stands_above_it_as_a_word() {
        let mut block = block("It will not include files from other disks.");
        block.headings = ["Backups".into()].into();
        let claims = |name| claims(&source("Disks"), &block, Some(name)).into_iter().map(|it| it.text).next();
        assert_eq!(claims("backup").as_deref(), Some("[backup] will not include files from other disks."));
        assert_eq!(claims("back"), None);
    }

    #[test]
    fn a_paragraph_that_begins_with_it_is_told_with_the_subject_of_the_sentence_before() {
        let first = |before: &str, no: u32, name: &str| {
            let (mut above, mut below) = (block(before), block("It must be serviced every 300 hours."));
            for block in [&mut above, &mut below] {
                (block.headings, block.no) = ([name.into()].into(), no);
            }
            (below.no, below.lead) = (no + 1, false);
            let told = claims_below(&source("Machines"), &below, Some(&above), Some(name));
            told.into_iter().map(|claim| claim.text).next()
        };
        let told = Some("[Heron pump] must be serviced every 300 hours.");
        for before in [
            "The Heron pump moves 40 litres a minute.",
            "The pump moves 40 litres a minute. It is made of steel.",
            "Heron pump also moves 40 litres a minute.",
        ] {
            assert_eq!(first(before, 7, "Heron pump").as_deref(), told, "{before}");
        }
        for before in ["The engine moves 40 litres a minute.", "It moves 40 litres a minute."] {
            assert_eq!(first(before, 7, "Heron pump"), None, "{before}");
        }
    }

    #[test]
    fn at_the_top_of_a_page_it_is_the_title_unless_another_subject_stands_before() {
        let first = |before: &str| {
            let (above, mut below) = (block(before), block("It must be serviced every 300 hours."));
            (below.no, below.lead) = (1, false);
            let told = claims_below(&source("Machines of a plant"), &below, Some(&above), Some("Machines of a plant"));
            told.into_iter().map(|claim| claim.text).next().unwrap_or_default()
        };
        assert_eq!(
            first("The Heron pump moves 40 litres a minute."),
            "[Machines of a plant]: It must be serviced every 300 hours."
        );
        assert_eq!(first("It was built in 1990."), "[Machines of a plant] must be serviced every 300 hours.");
    }

    #[test]
    fn the_definition_of_a_dictionary_is_told_with_the_name_of_its_entry_and_without_its_field() {
        let first = |text: &str, no| {
            let mut block = block(text);
            (block.headings, block.no, block.lead) = ([].into(), no, no == 0);
            claims(&source("worm"), &block, None).into_iter().map(|claim| claim.text).next().unwrap_or_default()
        };
        let told = "[worm]: A program that propagates itself over a network.";
        for (text, no) in [
            ("<security> A program that propagates itself over a network. Compare {virus}.", 1),
            ("<networking, security> (From \"Tapeworm\") (1975) A program that propagates itself over a network.", 0),
            ("A program that propagates itself over a network.", 1),
        ] {
            assert_eq!(first(text, no), told, "{text}");
        }
        assert_eq!(first("A worm is a program.", 1), "A worm is a program.");
        let named = first("<path> is the name of the folder in which it is kept.", 1);
        assert!(!named.starts_with("is the"), "a name in brackets is no field: {named}");
    }

    #[test]
    fn the_definition_of_an_entry_in_a_glossary_is_told_without_the_origin_of_its_name() {
        let first = |text: &str| {
            let mut block = block(text);
            (block.headings, block.lead) = (["Glossary".into(), "moth".into()].into(), true);
            claims(&source("The Lexicon"), &block, None).into_iter().map(|claim| claim.text).next().unwrap_or_default()
        };
        let told = "[moth]: A fault that comes and goes with the light.";
        for origin in ["[from the moths in a lamp]", "[very common; from radio]", "[MIT: from the lamps there]"] {
            assert_eq!(first(&format!("{origin} A fault that comes and goes with the light.")), told);
        }
        for text in [
            "[deprecated] A fault that comes and goes with the light.",
            "[1] A fault that comes and goes with the light.",
        ] {
            assert_eq!(first(text), "", "what is dropped says something: {text}");
        }
    }

    #[test]
    fn an_answer_of_yes_or_no_is_told_with_the_question_above_it() {
        let mut block = block("Yes, all of them may be sold.");
        block.headings = ["3.2 May I sell the discs?".into()].into();
        let claims = |block: &Block| -> Vec<String> {
            claims(&source("Discs"), block, None).into_iter().map(|claim| claim.text).collect()
        };
        assert_eq!(claims(&block), ["[May I sell the discs?]: Yes, all of them may be sold."]);
        block.headings = ["Selling".into()].into();
        assert!(claims(&block).is_empty());
    }
}
