//! Compares the meaning of sentences with that of the question, by the encoder. Without the `encoder` feature every
//! likeness is 0.

use super::candidate::Candidate;
use super::headings::unnumbered;
#[cfg(feature = "encoder")]
use meaning::Meaning;
use run::evidence::BlockKind;
use text::words::fold;

/// The most characters read of the headings and title, of the lead-in of its list, and of the sentence.
const READ_ABOVE: usize = 160;
const READ_OF_INTRO: usize = 200;
const READ_OF_IT: usize = 400;
const SEPARATOR: &str = " / ";

/// The wordings of a question, with their meanings.
pub(super) struct Asked {
    pub wordings: Vec<String>,
    meanings: Vec<Meaning>,
}

impl Asked {
    pub fn of(wordings: Vec<String>) -> Asked {
        let texts: Vec<&str> = wordings.iter().map(String::as_str).collect();
        Asked { meanings: Meaning::of_all(&texts), wordings }
    }

    /// The likeness of each text to the question, 0 to 1, in the order of the texts.
    pub fn likenesses(&self, texts: &[&str]) -> Vec<f64> {
        let most_alike =
            |meaning: &Meaning| self.meanings.iter().map(|asked| asked.likeness(meaning)).fold(0.0, f64::max);
        Meaning::of_all(texts).iter().map(most_alike).collect()
    }
}

/// The text that is compared for a sentence: its headings and title, the lead-in of its list, then the sentence.
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

/// The innermost headings, as many as fit, and the title. Section numbers are skipped.
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

/// Replaces the encoder in a build without it.
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
        let found = candidates(&results, &Topic::new(["break-in"], [""; 0]), Code::Allowed);
        assert_eq!(
            read(&found[0]),
            "Questions / I have suffered a break-in, what do I do?. [There are several steps]: \
             Take the machine off the network at once."
        );
    }
}
