//! Text as such: cleaning it, words and stems, sentences, lists of questions, what a question names, where two
//! texts differ, digests and hashes, the words of a command. Pure; it reads no file and knows nothing of runs.

mod clean;
pub mod common;
pub mod difference;
pub mod edits;
pub mod hash;
pub mod listed;
pub mod locked;
pub mod named;
mod nearest;
pub mod sentence;
pub mod sha256;
pub mod shell;
mod utf8;
pub mod words;

pub use clean::{Clean, escape_in_json, is_forbidden};
pub use named::Named;
pub use nearest::nearest;
pub use utf8::utf8;

/// A count with its noun: `1 finding`, `6 findings`.
pub fn count(n: impl TryInto<usize>, one: &str) -> String {
    let n = n.try_into().unwrap_or(usize::MAX);
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// Counts the bytes of a text that are small letters of the Latin alphabet or spaces.
///
/// Here, because all text that goes to models is counted, and this crate is built with a higher opt-level than its callers.
#[inline(never)]
pub fn plain_bytes(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| byte.is_ascii_lowercase() || **byte == b' ').count()
}
