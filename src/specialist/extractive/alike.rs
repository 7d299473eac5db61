//! How much a sentence means what the question means, by the encoder; a build without it compares nothing.

use super::candidate::Candidate;
#[cfg(feature = "encoder")]
use meaning::Meaning;

/// How much of the headings above a sentence is read with it, and of the sentence itself, in characters.
const READ_ABOVE: usize = 160;
const READ_OF_IT: usize = 400;

/// The meaning of a question.
pub(super) struct Asked(Meaning);

impl Asked {
    pub fn of(question: &str) -> Asked {
        Asked(Meaning::of(question))
    }

    /// How alike each sentence with what stands above it is, 0 to 1, in their order.
    pub fn likenesses<'a>(&self, candidates: impl Iterator<Item = &'a Candidate>) -> Vec<f64> {
        let texts: Vec<String> = candidates.map(read).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Meaning::of_all(&texts).iter().map(|meaning| self.0.likeness(meaning)).collect()
    }
}

/// A sentence as it is compared.
fn read(c: &Candidate) -> String {
    let over = format!("{} / {}", c.section, c.source.title);
    let over = over.trim_matches([' ', '/']);
    let over = if over.is_empty() { String::new() } else { format!("{over}. ") };
    over.chars().take(READ_ABOVE).chain(c.claim.text.chars().take(READ_OF_IT)).collect()
}

/// Without the encoder no text has a meaning.
#[cfg(not(feature = "encoder"))]
struct Meaning;

#[cfg(not(feature = "encoder"))]
impl Meaning {
    fn of(_: &str) -> Meaning {
        Meaning
    }

    fn of_all(_: &[&str]) -> Vec<Meaning> {
        Vec::new()
    }

    fn likeness(&self, _: &Meaning) -> f64 {
        0.0
    }
}
