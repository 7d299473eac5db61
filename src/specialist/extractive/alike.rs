//! Compares the meaning of sentences with that of the question, by the encoder. In a build without it nothing is alike.

use super::candidate::Candidate;
use super::headings::unnumbered;
#[cfg(feature = "encoder")]
use meaning::Meaning;
use run::evidence::BlockKind;
use text::words::fold;

/// The most characters that are read of the headings and title above a sentence, of what introduces its list, and of the sentence.
const READ_ABOVE: usize = 160;
const READ_OF_INTRO: usize = 200;
const READ_OF_IT: usize = 400;
const SEPARATOR: &str = " / ";

/// A question's wordings with their meanings.
pub(super) struct Asked {
    pub wordings: Vec<String>,
    meanings: Vec<Meaning>,
}

impl Asked {
    pub fn of(wordings: Vec<String>) -> Asked {
        let texts: Vec<&str> = wordings.iter().map(String::as_str).collect();
        Asked { meanings: Meaning::of_all(&texts), wordings }
    }

    /// The likeness of each text to what is asked: 0 to 1, in the order of the texts.
    pub fn likenesses(&self, texts: &[&str]) -> Vec<f64> {
        let most_alike =
            |meaning: &Meaning| self.meanings.iter().map(|asked| asked.likeness(meaning)).fold(0.0, f64::max);
        Meaning::of_all(texts).iter().map(most_alike).collect()
    }
}

/// The text of a sentence that is compared: its headings and the title, what introduces its list, then itself.
pub(super) fn read(c: &Candidate) -> String {
    let over = above(c);
    let mark = if over.is_empty() { "" } else { ". " };
    // Some items repeat their lead-in.
    let is_bare = c.block.kind == BlockKind::ListItem && !c.claim.text.starts_with('[');
    let intro = c.block.intro.as_deref().filter(|_| is_bare);
    let mut read: String = over.chars().chain(mark.chars()).take(READ_ABOVE).collect();
    if let Some(intro) = intro {
        read.extend(intro.chars().take(READ_OF_INTRO));
        read.push(' ');
    }
    read.extend(c.claim.text.chars().take(READ_OF_IT));
    read
}

/// The innermost headings, as many as there is room for, and the title. Numbers of sections say nothing.
fn above(c: &Candidate) -> String {
    let headings = c.block.headings.iter().map(|heading| unnumbered(heading));
    let mut room = READ_ABOVE;
    let mut kept: Vec<&str> = Vec::new();
    for heading in headings.rev() {
        let length = heading.chars().count() + SEPARATOR.len();
        if !kept.is_empty() && length > room {
            break;
        }
        room = room.saturating_sub(length);
        kept.insert(0, heading);
    }
    let title = unnumbered(&c.source.title);
    if !title.is_empty() && !kept.iter().any(|heading| fold(heading) == fold(title)) {
        kept.push(title);
    }
    kept.join(SEPARATOR)
}

/// Stands in for the encoder in a build without it.
#[cfg(not(feature = "encoder"))]
struct Meaning;

#[cfg(not(feature = "encoder"))]
impl Meaning {
    fn of_all(_: &[&str]) -> Vec<Meaning> {
        Vec::new()
    }

    fn likeness(&self, _: &Meaning) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidate::{Code, candidates};
    use super::super::tool_results::ToolResults;
    use super::super::topic::Topic;
    use super::*;
    use crate::sample::{block, source};
    use run::evidence::Block;
    use std::sync::Arc;

    #[test]
    fn a_sentence_is_read_with_the_innermost_headings_and_what_introduces_it() {
        let far = "A chapter whose long name says very little about what stands in any of its many sections, and goes on and on";
        let headings = [far, "12.1. Questions", "12.1.2.7. I have suffered a break-in, what do I do?"];
        let item = Block {
            kind: BlockKind::ListItem,
            headings: headings.map(Into::into).into(),
            intro: Some("There are several steps:".into()),
            ..block("Take the machine off the network at once.")
        };
        let source = source("Questions");
        let mut results = ToolResults::default();
        results.blocks.insert((source.path.to_string(), 0), (source, Arc::new(item)));
        let found = candidates(&results, &Topic::new(["break-in"], [""; 0]), Code::Told);
        assert_eq!(
            read(&found[0]),
            "Questions / I have suffered a break-in, what do I do?. [There are several steps]: \
             Take the machine off the network at once."
        );
    }
}
