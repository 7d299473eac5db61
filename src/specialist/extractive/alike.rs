//! How much a sentence means what the question means: by the table of vectors, or by the encoder in a build that has it.

use super::candidate::Candidate;
#[cfg(not(feature = "encoder"))]
use super::meaning::Meaning;
#[cfg(feature = "encoder")]
use meaning::Meaning;

/// So many sentences, the most likely by their words, are compared: by the table all.
pub(super) const COMPARED: usize = if cfg!(feature = "encoder") { 80 } else { usize::MAX };
#[cfg(feature = "encoder")]
/// What a likeness by the encoder weighs, beside one by the table.
const TRUST: f64 = 3.0;
#[cfg(feature = "encoder")]
/// So much of what stands above a sentence the encoder reads with it, and of the sentence itself, in characters.
const READ_ABOVE: usize = 160;
#[cfg(feature = "encoder")]
const READ_OF_IT: usize = 400;

/// The meaning of a question.
pub(super) struct Asked(Meaning);

#[cfg(not(feature = "encoder"))]
impl Asked {
    pub fn of(question: &str) -> Asked {
        Asked(Meaning::of(&[question]))
    }

    /// How alike a sentence with what stands above it is, 0 to 1.
    pub fn likeness(&self, c: &Candidate) -> f64 {
        self.0.likeness(&Meaning::of(&[c.section.as_ref(), c.source.title.as_str(), &c.claim.text]))
    }
}

#[cfg(feature = "encoder")]
impl Asked {
    pub fn of(question: &str) -> Asked {
        Asked(Meaning::of(question))
    }

    /// How alike a sentence with what stands above it is, 0 to [`TRUST`].
    pub fn likeness(&self, c: &Candidate) -> f64 {
        let over = format!("{} / {}", c.section, c.source.title);
        let over = over.trim_matches([' ', '/']);
        let over = if over.is_empty() { String::new() } else { format!("{over}. ") };
        let read = over.chars().take(READ_ABOVE).chain(c.claim.text.chars().take(READ_OF_IT));
        TRUST * self.0.likeness(&Meaning::of(&read.collect::<String>()))
    }
}
