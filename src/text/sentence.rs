//! Where sentences begin and end.

use std::ops::Range;

/// Byte ranges of the sentences of `text`, trimmed, in order.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    use unicode_segmentation::UnicodeSegmentation;
    text.split_sentence_bound_indices()
        .map(|(at, s)| at + (s.len() - s.trim_start().len())..at + s.trim_end().len())
        .filter(|range| range.start < range.end)
        .collect()
}
