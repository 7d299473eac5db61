//! What is true of words alone: cleaning text that came from outside, words and stems, sentences, lists of questions.
//!
//! The ground under every floor. Pure; never reads a file, never knows what a run is.

mod clean;
pub mod common;
pub mod listed;
mod nearest;
pub mod sentence;
pub mod words;

pub use clean::{Clean, is_forbidden};
pub use nearest::nearest;

/// So many of them, in words: `1 finding`, `6 findings`.
pub fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
