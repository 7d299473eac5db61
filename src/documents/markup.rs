//! Limits for readers that remove inline markup, so that hostile text takes linear time.

/// The most bytes of a paragraph whose markup is removed; finding the ends of markup in longer ones would take too
/// long.
pub(super) const LONGEST: usize = 64 << 10;

/// The most bytes between the start and end of markup.
pub(super) const FAR: usize = 2_000;

/// The position of the end of markup, if it is near enough.
pub(super) fn until(text: &str, end: &str) -> Option<usize> {
    text[..text.floor_char_boundary(FAR)].find(end)
}
