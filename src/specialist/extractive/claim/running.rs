//! Claims of running text: sentences that stand alone, or do so with the name above them or the sentence before.

use std::ops::Range;

use super::Claim;
use super::above::{Above, entry_of, is_bare_value, named_above};
use super::item::{Turning, is_continued, key_of_line, lacks_subject, turned_by, wants_label, without_conjunction};
use crate::extractive::dangling::dangles;
use crate::extractive::edit::{drop_connective, drop_references, full_stop, insert, name_referent};
use crate::extractive::headings::{NO_LABEL, unnumbered};
use crate::extractive::standalone::{
    MOST_WORDS, can_answer, can_stand, count, is_meta, is_only_a_condition, is_only_means, is_quoted, restricts,
};
use crate::extractive::verb::{is_noun_phrase, is_verb};
use crate::words::WORDS;
use run::evidence::{Block, BlockKind, SourceRef};
use run::finding::{Edit, EditRule, apply};
use text::named::asks;
use text::sentence::sentences;
use text::words::fold;

/// The fewest words of an answer that is told without the sentence behind it.
const LEAST_OF_AN_ANSWER: usize = 8;

/// Claims of running text or of a list item; `label` names the subject of an item that lacks one, `paragraph` is the one
/// before it in its section.
pub(super) fn claims(
    source: &SourceRef,
    block: &Block,
    paragraph: Option<&Block>,
    subject: Option<&str>,
    label: Option<String>,
) -> Vec<Claim> {
    let is_item = block.kind == BlockKind::ListItem;
    let running = Running {
        source,
        block,
        paragraph,
        subject,
        label,
        ranges: sentences(&block.text),
        above: if is_item { None } else { Above::of(source, block) },
        key: Above::of_key(block),
        turning: if is_item { turned_by(block) } else { None },
    };
    running.claims()
}

/// A block of text, with all that may name the subject of its sentences.
struct Running<'b> {
    source: &'b SourceRef,
    block: &'b Block,
    /// The paragraph before it in its section.
    paragraph: Option<&'b Block>,
    /// The subject of the task.
    subject: Option<&'b str>,
    /// The subject of a list item that lacks one.
    label: Option<String>,
    ranges: Vec<Range<usize>>,
    above: Option<Above<'b>>,
    /// The key of a line: "receive-interval: …".
    key: Option<Above<'b>>,
    /// The words above a list that turn the meaning of its items.
    turning: Option<Turning>,
}

/// A sentence of a block that can be told, without its number and without what stands before a definition.
struct Sentence<'b> {
    nth: usize,
    range: Range<usize>,
    text: &'b str,
    /// It is the first of its paragraph.
    opens: bool,
    /// It is the definition of an entry.
    defines: bool,
    /// "The default is 5.": the subject stands elsewhere.
    is_value: bool,
    /// It begins with a word that points at something before it.
    leans: bool,
    /// The question right above it, which it answers though it cannot stand alone.
    answers: Option<&'b str>,
}

impl<'b> Running<'b> {
    fn claims(&self) -> Vec<Claim> {
        let mut found: Vec<Claim> = Vec::new();
        // The sentence before, if it can be leant on.
        let mut before: Option<Range<usize>> = None;
        for nth in 0..self.ranges.len() {
            if self.begins_an_example(nth) {
                break;
            }
            // An answer may have taken this sentence along.
            if found.last().is_some_and(|claim| claim.range.end >= self.ranges[nth].end && self.is_answer(claim)) {
                continue;
            }
            let leaning = before.take();
            let Some(sentence) = self.sentence(nth) else { continue };
            let name = self.name_above(&sentence, leaning.is_some());
            let (range, edits) = match sentence.leans && name.is_none() {
                true => match self.leant_on(&sentence, leaning, &mut found) {
                    Some(leant) => leant,
                    None => continue,
                },
                false => (sentence.range, Vec::new()),
            };
            let Some(range) = self.with_restriction(nth, range) else { continue };
            before = Some(range.clone());
            let Some(edits) = self.named(nth, &range, name, edits) else { continue };
            found.extend(self.edited(nth, range, edits));
        }
        found
    }

    /// Whether the rest of a paragraph is one example, which tells of a case with numbers of its own: "For example: It is June 19th. You
    /// earn …".
    fn begins_an_example(&self, nth: usize) -> bool {
        let text = &self.block.text[self.ranges[nth].clone()];
        let begins = ["For example:", "Example:", "For instance:"].iter().any(|cue| text.starts_with(cue));
        begins && self.ranges.len() > 1
    }

    /// Whether a claim is told with the question above it.
    fn is_answer(&self, claim: &Claim) -> bool {
        let question = question_above(self.block);
        question.is_some_and(|question| claim.text.strip_prefix('[').is_some_and(|text| text.starts_with(question)))
    }

    fn is_item(&self) -> bool {
        self.block.kind == BlockKind::ListItem
    }

    /// The sentence at this place; None if it cannot be told.
    fn sentence(&self, nth: usize) -> Option<Sentence<'b>> {
        let (text, block) = (self.block.text.as_str(), self.block);
        let whole = self.ranges[nth].clone();
        let origin = before_definition(&text[whole.clone()]).len();
        let field = origin + number(&text[whole.clone()]).len();
        let mut range = whole.start + field..whole.end;
        if self.is_item() && nth + 1 == self.ranges.len() {
            range.end = range.start + without_conjunction(&text[range.clone()]).len();
        }
        if let Some(behind) = behind_a_remark(&text[range.clone()]) {
            range.start = range.end - behind.len();
        }
        let sentence = &text[range.clone()];
        let is_entry = nth == 0
            && self.above.as_ref().is_some_and(|above| {
                above.is_title && (field > 0 || !block.lead) || origin > 0 && block.lead && !above.is_entry
            });
        let defines = is_entry && is_noun_phrase(sentence);
        let opens = nth == 0 && block.lead;
        let stands = can_stand(sentence, self.is_item() && nth == 0 || defines);
        let question = question_above(block).filter(|_| opens && !self.is_item() && can_answer(sentence));
        let answers = question.filter(|_| !stands || dangles(sentence) || says_yes_or_no(sentence));
        if !stands && answers.is_none() || is_quoted(text, range.start) {
            return None;
        }
        if answers.is_some() && count(sentence) < LEAST_OF_AN_ANSWER {
            range.end = self.with_next(nth, range.clone());
        }
        let is_value = !self.is_item() && is_bare_value(sentence);
        let leans = is_value || dangles(sentence);
        Some(Sentence { nth, text: &text[range.clone()], range, opens, defines, is_value, leans, answers })
    }

    /// The end of a short sentence with the next one, if that goes on with the answer.
    fn with_next(&self, nth: usize, range: Range<usize>) -> usize {
        let text = self.block.text.as_str();
        let next = self.ranges.get(nth + 1).filter(|next| can_answer(&text[(*next).clone()]));
        next.map(|next| next.end).filter(|end| count(&text[range.start..*end]) <= MOST_WORDS).unwrap_or(range.end)
    }

    /// The name above a sentence that is its subject. `follows`: the sentence before can be leant on.
    fn name_above(&self, sentence: &Sentence<'b>, follows: bool) -> Option<&'b str> {
        let Sentence { text, opens, defines, .. } = *sentence;
        let of_heading = || self.subject.filter(|name| opens && defines_heading(name, self.block, text));
        let of_question = || sentence.answers;
        // The key of a line says it closer than the heading above.
        let of_key = || self.key.as_ref().filter(|_| sentence.nth > 0)?.label(text, opens, defines);
        // The sentence before names the subject of a bare value.
        let of_entry = || self.above.as_ref().filter(|_| !sentence.is_value || !follows)?.label(text, opens, defines);
        let of_proposal = || self.proposal(text);
        let of_topic = || self.subject.filter(|name| self.is_of_topic(sentence, name));
        of_heading().or_else(of_question).or_else(of_key).or_else(of_entry).or_else(of_proposal).or_else(of_topic)
    }

    /// The title of a proposal, for a sentence that speaks of the document itself: "This PEP proposes …".
    fn proposal(&self, sentence: &str) -> Option<&'b str> {
        let (kind, _) = sentence.strip_prefix("This ")?.split_once(' ')?;
        let title = self.source.title.as_str();
        let is_short_form = kind.chars().all(char::is_uppercase);
        let is_one = WORDS.proposals.contains(&*fold(kind)) && (is_short_form || fold(title).contains(&*fold(kind)));
        (is_one && !self.is_item() && !title.contains(NO_LABEL)).then_some(title)
    }

    /// Whether a sentence at the top of a page points at the topic of the page, though the sentence before has another subject.
    fn is_of_topic(&self, sentence: &Sentence<'_>, name: &str) -> bool {
        sentence.leans
            && sentence.nth == 0
            && self.is_at_top()
            && self.across().is_some_and(|before| !has_subject(before, name))
            && name_referent(sentence.text, name).is_some()
            && named_above(name, self.source, self.block)
    }

    /// Whether it stands at the top of a page that is about the thing, or below its first paragraph.
    fn is_at_top(&self) -> bool {
        self.block.no <= 2 && self.block.lead || self.block.no <= 3 && self.block.headings.is_empty()
    }

    /// The last sentence of the paragraph before that has a subject of its own.
    fn across(&self) -> Option<&'b str> {
        last_subject(&self.paragraph?.text)
    }

    /// A sentence that points at something before it, with the subject in place of the pronoun, or together with the sentence that
    /// it leans on; None if there is neither.
    fn leant_on(
        &self,
        sentence: &Sentence<'_>,
        leaning: Option<Range<usize>>,
        found: &mut Vec<Claim>,
    ) -> Option<(Range<usize>, Vec<Edit>)> {
        let text = self.block.text.as_str();
        let named = self.subject.filter(|name| {
            let previous = sentence.nth.checked_sub(1).map(|at| &text[self.ranges[at].clone()]);
            let follows = match previous {
                Some(previous) => has_subject(previous, name) && leaning.is_some(),
                None => self.across().is_some_and(|before| has_subject(before, name)),
            };
            let opens = previous.is_none() && self.is_at_top();
            (follows || opens) && named_above(name, self.source, self.block)
        });
        if let Some(edit) = named.and_then(|name| name_referent(sentence.text, name)) {
            return Some((sentence.range.clone(), vec![edit]));
        }
        let previous = leaning?;
        let both = previous.start..sentence.range.end;
        if count(&text[both.clone()]) > MOST_WORDS {
            return None;
        }
        // The pair replaces the claim of its first sentence alone, and keeps its edits.
        let replaced = found.iter().position(|claim| claim.range == previous).map(|at| found.remove(at).edits);
        let kept = replaced.into_iter().flatten().filter(|edit| edit.at == 0).collect();
        Some((both, kept))
    }

    /// A sentence with the restriction behind it, which belongs to the claim; None if the two do not fit together, or the
    /// restriction stands below ("However:").
    fn with_restriction(&self, nth: usize, range: Range<usize>) -> Option<Range<usize>> {
        let text = self.block.text.as_str();
        let Some(next) = self.ranges.get(nth + 1).filter(|next| restricts(&text[(*next).clone()])) else {
            return Some(range);
        };
        let stands_below = count(&text[next.clone()]) < 3 && text[..next.end].ends_with(':');
        // An aside in brackets limits neither of the two.
        let fits = count_outside_brackets(&text[range.start..next.end]) <= MOST_WORDS && !stands_below;
        fits.then_some(range.start..next.end)
    }

    /// The edits that name the subject of a sentence; None for a fragment whose subject is not known.
    fn named(&self, nth: usize, range: &Range<usize>, name: Option<&str>, mut edits: Vec<Edit>) -> Option<Vec<Edit>> {
        let quote = &self.block.text[range.clone()];
        let is_item = nth == 0 && range.start == 0 && self.is_item();
        let label = if !edits.is_empty() {
            // The subject is named already.
            None
        } else if let Some(turning) = &self.turning {
            match turning {
                Turning::Label(label) => Some(label.as_str()),
                Turning::Untold => return None,
            }
        } else if is_item && is_continued(self.block) {
            // The item alone would be true of anybody.
            Some(self.label.as_deref()?)
        } else if is_item && wants_label(quote) {
            let label = self.label.as_deref().filter(|_| !lacks_subject(quote));
            // A fragment without an introduction means nothing.
            if label.is_none() && key_of_line(quote).is_none() {
                return None;
            }
            label
        } else if is_item {
            entry_of(self.block).filter(|name| lacks_entry(self.block, quote, name))
        } else if name.is_some() {
            name
        } else {
            edits.extend(drop_connective(quote, self.subject));
            None
        };
        edits.extend(label.map(|label| insert(EditRule::NameSubject, 0, format!("[{label}]: "))));
        Some(edits)
    }

    /// The claim of a sentence with these edits, without its references; None if it does not stand alone then.
    fn edited(&self, nth: usize, range: Range<usize>, mut edits: Vec<Edit>) -> Option<Claim> {
        let quote = &self.block.text[range.clone()];
        let references = drop_references(quote);
        let is_cut = references.iter().any(|edit| edit.removed.starts_with([',', ';']));
        edits.extend(references);
        edits.extend(full_stop(quote));
        edits.sort_by_key(|edit| edit.at);
        // Without its connective a sentence may turn out to depend on the one before; without its reference, to say nothing.
        let stands = |text: &str| !(dangles(text) || is_only_means(text) || is_cut && is_only_a_condition(text));
        let text = apply(quote, &edits).filter(|text| stands(text))?;
        Some(Claim { range, edits, text, nth })
    }
}

/// The sentence behind a colon that a remark on the page announces: "The lesson of this document is simple: If you can, use X."
fn behind_a_remark(sentence: &str) -> Option<&str> {
    let (remark, behind) = sentence.split_once(": ")?;
    let stands = behind.starts_with(char::is_uppercase) && can_stand(behind, false) && !dangles(behind);
    (stands && count(behind) >= LEAST_OF_AN_ANSWER && is_meta(remark)).then_some(behind)
}

/// Whether an item of a list right below the name of an entry does not say the name.
fn lacks_entry(block: &Block, item: &str, name: &str) -> bool {
    block.intro.is_none() && !fold(item).contains(&*fold(name))
}

/// The number in front of a sentence: "1. " of "1. Open the file." Empty if there is none.
fn number(sentence: &str) -> &str {
    if let Some(mark) = ["A: ", "Answer: "].iter().find(|mark| sentence.starts_with(**mark)) {
        return &sentence[..mark.len()];
    }
    let digits = sentence.bytes().take_while(u8::is_ascii_digit).count();
    let rest = sentence[digits..].strip_prefix(['.', ')']).and_then(|rest| rest.strip_prefix(' '));
    let rest = rest.filter(|rest| (1..=2).contains(&digits) && rest.starts_with(char::is_uppercase));
    &sentence[..rest.map_or(0, |rest| sentence.len() - rest.len())]
}

/// Whether a block opens the section of this name without repeating the name, as glossary entries do.
fn defines_heading(name: &str, block: &Block, sentence: &str) -> bool {
    let heading = block.headings.last().map_or("", |heading| unnumbered(heading));
    // A heading may be in quotes, or end in a full stop.
    let letters = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != ' ', "");
    letters(heading) == letters(name)
        && !sentence.to_lowercase().contains(&name.to_lowercase())
        && (dangles(sentence) || is_noun_phrase(sentence))
}

/// The question above a block: a heading that ends in a question mark, or begins as questions do.
fn question_above(block: &Block) -> Option<&str> {
    let heading = block.headings.last().map(|heading| unnumbered(heading))?;
    let asks = heading.ends_with('?') || asks(&heading.to_lowercase());
    (asks && !heading.contains(NO_LABEL)).then_some(heading)
}

/// The number of words outside round brackets.
fn count_outside_brackets(text: &str) -> usize {
    let mut depth = 0_usize;
    let is_outside = |word: &&str| {
        let is_outside = depth == 0 && !word.starts_with('(');
        depth = (depth + word.matches('(').count()).saturating_sub(word.matches(')').count());
        is_outside
    };
    text.split_whitespace().filter(is_outside).count()
}

fn says_yes_or_no(sentence: &str) -> bool {
    ["Yes,", "Yes.", "Yes:", "Yes!", "No,", "No.", "No:", "No!"].iter().any(|word| sentence.starts_with(word))
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

    #[test]
    fn the_first_sentence_below_a_question_is_its_answer_though_it_could_not_stand_alone() {
        let told = |heading: &str, text: &str| -> Vec<String> {
            let mut block = block(text);
            (block.headings, block.lead) = ([heading.into()].into(), true);
            claims(&source("FAQ"), &block, None).into_iter().map(|claim| claim.text).collect()
        };
        for (heading, text, answer) in [
            (
                "How can I synchronize a notebook?",
                "By synchronizing all visible files in the notebook.",
                "By synchronizing all visible files in the notebook.",
            ),
            ("When is it saved?", "Every night at two.", "Every night at two."),
            ("Is it safe?", "Unfortunately, yes. The key is stored.", "Unfortunately, yes. The key is stored."),
            ("How to stop it", "By stopping its server.", "By stopping its server."),
            ("What are orphans?", "These are pages without a link to them.", "These are pages without a link to them."),
        ] {
            assert_eq!(told(heading, text), [format!("[{heading}]: {answer}")], "{text}");
        }
        assert_eq!(told("When is it saved?", "The notebook is saved at two."), ["The notebook is saved at two."]);
        for text in ["See the manual.", "Why do you ask?", "let x = save(notebook, { when = 2 });"] {
            assert!(told("How is it saved?", text).is_empty(), "{text}");
        }
        assert!(told("Saving", "Every night at two.").is_empty());
    }

    #[test]
    fn a_sentence_that_speaks_of_the_proposal_itself_is_told_with_the_title_of_that() {
        let first = |title: &str, text: &str| {
            claims(&source(title), &block(text), None).into_iter().map(|claim| claim.text).next()
        };
        assert_eq!(
            first("PEP 668: Marking", "This PEP lets an installation say that others manage it.").as_deref(),
            Some("[PEP 668: Marking]: This PEP lets an installation say that others manage it.")
        );
        // Its proposals may be one of many on a page.
        assert_eq!(first("Minutes of May", "This proposal lets an installation say that others manage it."), None);
    }

    #[test]
    fn what_a_remark_on_the_page_announces_is_told_without_it() {
        let told = |text: &str| {
            claims(&source("Metrics"), &block(text), None).into_iter().map(|claim| claim.text).collect::<Vec<_>>()
        };
        assert_eq!(
            told("The lesson to learn from this document is simple: If you can, use histograms in place of summaries."),
            ["If you can, use histograms in place of summaries."]
        );
        assert!(told("The lesson to learn from this document is simple: histograms.").is_empty());
    }

    #[test]
    fn a_sentence_that_ends_in_announcing_a_list_is_told_without_that() {
        let told = |text: &str| {
            claims(&source("Names"), &block(text), None).into_iter().map(|claim| claim.text).collect::<Vec<_>>()
        };
        assert_eq!(
            told("The team recommends a unit in each name, because of the following practical reasons:"),
            ["The team recommends a unit in each name."]
        );
        assert!(told("It is so, because of the following reasons:").is_empty(), "nothing is left that says something");
    }

    #[test]
    fn the_rest_of_a_paragraph_behind_for_example_is_no_rule() {
        let text = "Leave is earned by the hour. For example: It is June. You have 182 hours of leave available.";
        let told: Vec<String> =
            claims(&source("Leave"), &block(text), None).into_iter().map(|claim| claim.text).collect();
        assert_eq!(told, ["Leave is earned by the hour."]);
    }

    #[test]
    fn brackets_do_not_count_where_a_restriction_belongs_to_a_sentence() {
        let text = format!(
            "The mode tries all combinations of characters that a password can be made of ({}). However, it never ends by itself.",
            ["for example letters"; 15].join(", ")
        );
        let told: Vec<String> = claims(&source("Modes"), &block(&text), None).into_iter().map(|it| it.text).collect();
        assert!(told.iter().any(|claim| claim.ends_with("it never ends by itself.")), "{told:?}");
    }
}
