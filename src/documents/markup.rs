//! Limits for readers that remove inline markup: text that is made to hold them up takes time linear to its length.

/// The most bytes of a paragraph whose markup is removed; searching for its ends in longer ones would take long.
pub(super) const LONGEST: usize = 64 << 10;

/// The most bytes between the start and end of markup.
pub(super) const FAR: usize = 2_000;

/// The position of the end of markup, if it is near.
pub(super) fn until(text: &str, end: &str) -> Option<usize> {
    text[..text.floor_char_boundary(FAR)].find(end)
}
