//! Cuts long texts into pieces, each of which is a block.

use std::ops::Range;

use text::sentence;

/// The most bytes of a block; longer ones are split between sentences. 600 estimated tokens, as the `read` tool
/// reserves for one.
pub(super) const LONGEST_BLOCK: usize = 2400;

/// Pieces of at most [`LONGEST_BLOCK`] bytes, cut between sentences where there are any.
pub(super) fn prose_pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    if text.len() <= LONGEST_BLOCK {
        pieces.push(0..text.len());
        return pieces;
    }
    let mut from = 0;
    let mut end = 0;
    for sentence in sentence::sentences(text) {
        if sentence.end - from > LONGEST_BLOCK && end > from {
            pieces.push(from..end);
            from = sentence.start;
        }
        while sentence.end - from > LONGEST_BLOCK {
            let limit = text.floor_char_boundary(from + LONGEST_BLOCK);
            let cut = text[from..limit].rfind(' ').map_or(limit, |at| from + at + 1);
            let cut = if cut > from { cut } else { limit };
            pieces.push(from..cut);
            from = cut;
        }
        end = sentence.end;
    }
    if end > from {
        pieces.push(from..end);
    }
    pieces
}

/// Pieces of at most [`LONGEST_BLOCK`] bytes, cut behind this mark where there is one. Together they are the whole text.
pub(super) fn pieces_behind(mark: char, text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while text.len() - from > LONGEST_BLOCK {
        let limit = text.floor_char_boundary(from + LONGEST_BLOCK);
        let cut = text[from..limit].rfind(mark).map_or(limit, |at| from + at + mark.len_utf8());
        pieces.push(from..cut);
        from = cut;
    }
    pieces.push(from..text.len());
    pieces
}
