//! Compares texts by meaning, with a table of vectors for pieces of words (`prompts/vectors.md`: its origin and licence).
//!
//! The vector of a text is the mean of its pieces, without word order or negation. So likeness only ranks sentences; it never
//! decides whether a sentence is true.

use std::sync::LazyLock;

/// The numbers of a vector.
const DIMENSIONS: usize = 128;
/// A longer word, in bytes, is no word but a key or a picture in letters, and has no meaning here.
const LONGEST_WORD: usize = 100;
/// No piece has more bytes.
const LONGEST_PIECE: usize = 20;

/// In a build without the feature `vectors` the table is empty, and nothing is like anything.
#[cfg(feature = "vectors")]
static FILE: &[u8] = include_bytes!("../prompts/vectors.bin");
#[cfg(not(feature = "vectors"))]
static FILE: &[u8] = &[];

/// The vectors of pieces of words, read in place: the file is the table.
#[derive(Default)]
struct Table {
    /// Pieces that a word begins with, and pieces that it goes on with, each in order.
    first: Vec<&'static [u8]>,
    rest: Vec<&'static [u8]>,
    /// The factor of each vector, a little-endian `f32`.
    scales: &'static [[u8; 4]],
    /// Signed bytes.
    vectors: &'static [[u8; DIMENSIONS]],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(FILE).unwrap_or_default());

impl Table {
    /// Reads the file: how many pieces begin a word and how many go on with one (two little-endian numbers of four bytes), the
    /// pieces with their lengths in a byte before them, the scales, the vectors in signed bytes. None if it is cut off.
    fn read(file: &'static [u8]) -> Option<Table> {
        let (first, file) = file.split_first_chunk::<4>()?;
        let (rest, mut file) = file.split_first_chunk::<4>()?;
        let mut pieces = |many: &[u8; 4]| -> Option<Vec<&'static [u8]>> {
            let one = |_| {
                let (length, after) = file.split_first()?;
                let (piece, after) = after.split_at_checked(usize::from(*length))?;
                file = after;
                Some(piece)
            };
            (0..u32::from_le_bytes(*many)).map(one).collect()
        };
        let (first, rest) = (pieces(first)?, pieces(rest)?);
        let many = first.len() + rest.len();
        let (scales, vectors) = file.split_at_checked(many * 4)?;
        let ((scales, _), (vectors, cut)) = (scales.as_chunks(), vectors.as_chunks());
        (vectors.len() == many && cut.is_empty()).then_some(Table { first, rest, scales, vectors })
    }

    /// The pieces of a word in lower case, the longest first; none for a word that cannot be made of them.
    fn pieces(&self, word: &str) -> Vec<usize> {
        let mut found = Vec::new();
        if word.len() > LONGEST_WORD {
            return found;
        }
        let mut from = 0;
        while from < word.len() {
            let known = if from == 0 { &self.first } else { &self.rest };
            let mut ends =
                (from + 1..=word.len().min(from + LONGEST_PIECE)).rev().filter(|end| word.is_char_boundary(*end));
            let piece = ends.find_map(|end| {
                let at = known.binary_search(&&word.as_bytes()[from..end]).ok()?;
                Some((end, if from == 0 { at } else { self.first.len() + at }))
            });
            let Some((end, at)) = piece else { return Vec::new() };
            found.push(at);
            from = end;
        }
        found
    }

    /// Adds the vector of a piece.
    fn add(&self, at: usize, sum: &mut [f32; DIMENSIONS]) {
        let scale = f32::from_le_bytes(self.scales[at]);
        for (sum, byte) in sum.iter_mut().zip(&self.vectors[at]) {
            *sum += scale * f32::from(byte.cast_signed());
        }
    }
}

/// The vector of a text: of length 1, or 0 if the table knows no word of it.
pub(super) struct Meaning([f32; DIMENSIONS]);

impl Meaning {
    /// The meaning of several texts together.
    pub fn of(texts: &[&str]) -> Meaning {
        let table = &*TABLE;
        let mut sum = [0.0; DIMENSIONS];
        let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        for word in words.filter(|word| !word.is_empty()) {
            table.pieces(&word.to_lowercase()).into_iter().for_each(|at| table.add(at, &mut sum));
        }
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            sum.iter_mut().for_each(|x| *x /= length);
        }
        Meaning(sum)
    }

    /// The cosine of two meanings, 0 to 1: what points away from another is as little like it as what has nothing to do with it.
    pub fn likeness(&self, other: &Meaning) -> f64 {
        f64::from(self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum::<f32>().max(0.0))
    }
}

#[cfg(all(test, feature = "vectors"))]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f64 {
        Meaning::of(&[a]).likeness(&Meaning::of(&[b]))
    }

    #[test]
    fn the_file_is_a_whole_table_in_order() {
        let table = Table::read(FILE).expect("the file is whole");
        assert!(table.first.is_sorted() && table.rest.is_sorted());
        assert!(table.first.iter().chain(&table.rest).all(|piece| (1..=LONGEST_PIECE).contains(&piece.len())));
        assert!(table.first.len() > 10_000 && table.rest.len() > 1_000);
        assert!(Table::read(&FILE[..FILE.len() - 1]).is_none(), "a file that is cut off is no table");
        assert!(Table::read(&[]).is_none());
    }

    #[test]
    fn what_is_said_in_other_words_is_more_alike_than_what_shares_a_word() {
        let asked = "is there a way to undo the last change";
        let other_words = likeness(asked, "Reverting a modification");
        let shared_word = likeness(asked, "The weather is going to change tomorrow");
        assert!(other_words > shared_word + 0.1, "{other_words} {shared_word}");
    }

    #[test]
    fn a_word_is_the_longest_pieces_that_there_are() {
        let pieces = |word: &str| TABLE.pieces(word).len();
        assert_eq!(pieces("database"), 1);
        assert!(pieces("qdrantology") > 1);
        assert_eq!(pieces("\u{e000}"), 0, "no piece is a private character");
        assert_eq!(pieces(&"a".repeat(LONGEST_WORD + 1)), 0, "what long strings of letters cost has a bound");
    }

    #[test]
    fn a_text_without_a_known_word_is_like_nothing() {
        assert_eq!(likeness("", "database"), 0.0);
        assert_eq!(likeness("\u{e000}", "database"), 0.0);
        assert!(likeness("database", "database") > 0.999);
    }
}
