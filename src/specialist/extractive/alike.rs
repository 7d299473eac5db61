//! Compares the meaning of sentences with that of the question, by the encoder. In a build without it nothing is alike.

use super::candidate::Candidate;
#[cfg(feature = "encoder")]
use meaning::Meaning;

/// The most characters that are read of the headings and title above a sentence, and of the sentence.
const READ_ABOVE: usize = 160;
const READ_OF_IT: usize = 400;

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

/// The text of a sentence that is compared: its headings and title, then itself.
pub(super) fn read(c: &Candidate) -> String {
    let over = format!("{} / {}", c.section, c.source.title);
    let over = over.trim_matches([' ', '/']);
    let over = if over.is_empty() { String::new() } else { format!("{over}. ") };
    over.chars().take(READ_ABOVE).chain(c.claim.text.chars().take(READ_OF_IT)).collect()
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
