//! Splits texts into the encoder's word pieces: WordPiece (Wu et al. 2016, arXiv:1609.08144) as in BERT.

use super::file::Parts;

/// A longer word, in bytes, is a key or ASCII art, and unknown.
const LONGEST_WORD: usize = 100;
/// The longest piece, in bytes.
const LONGEST_PIECE: usize = 20;

/// The known pieces, each with its index in the file.
pub(crate) struct Pieces {
    /// Pieces that begin a word, and pieces that continue one, each sorted.
    first: Vec<&'static [u8]>,
    rest: Vec<&'static [u8]>,
    /// The marks before and after a text, and the mark of an unknown word.
    pub before: usize,
    pub after: usize,
    unknown: usize,
}

impl Pieces {
    /// Parses the numbers of beginning and continuing pieces, and the pieces; the three marks follow them.
    pub fn read(file: &mut Parts) -> Option<Pieces> {
        let (first, rest) = (file.number()?, file.number()?);
        let (first, rest) = (file.texts(first)?, file.texts(rest)?);
        let marks = first.len() + rest.len();
        Some(Pieces { first, rest, before: marks, after: marks + 1, unknown: marks + 2 })
    }

    /// The number of pieces, marks included.
    pub fn len(&self) -> usize {
        self.unknown + 1
    }

    /// The first `most` pieces of a text.
    pub fn of(&self, text: &str, most: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for word in words(text) {
            if found.len() >= most {
                break;
            }
            found.extend(self.of_word(&in_lower_case(word)));
        }
        found.truncate(most);
        found
    }

    /// Whether a lower-case word is a piece by itself.
    pub fn has(&self, word: &str) -> bool {
        self.first.binary_search(&word.as_bytes()).is_ok()
    }

    /// The pieces of a lower-case word, the longest match first.
    fn of_word(&self, word: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while from < word.len() && word.len() <= LONGEST_WORD {
            let known = if from == 0 { &self.first } else { &self.rest };
            let mut ends =
                (from + 1..=word.len().min(from + LONGEST_PIECE)).rev().filter(|end| word.is_char_boundary(*end));
            let piece = ends.find_map(|end| {
                let at = known.binary_search(&&word.as_bytes()[from..end]).ok()?;
                Some((end, if from == 0 { at } else { self.first.len() + at }))
            });
            let Some((end, at)) = piece else { return vec![self.unknown] };
            found.push(at);
            from = end;
        }
        if found.is_empty() { vec![self.unknown] } else { found }
    }
}

/// The words of a text, in order; every other character except white space is a word of its own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first.is_alphanumeric() {
            true => rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// A word in lower case, without the accents of western languages.
fn in_lower_case(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain = |c: char| match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    };
    word.chars().flat_map(char::to_lowercase).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits_and_other_characters_alone() {
        let cut: Vec<&str> = words(" Set `max_size=8`, café…\n").collect();
        assert_eq!(cut, ["Set", "`", "max", "_", "size", "=", "8", "`", ",", "café", "…"]);
    }

    #[test]
    fn a_word_is_the_longest_pieces_that_there_are() {
        let first: Vec<&[u8]> = vec![b"data", b"database", b"s"];
        let rest: Vec<&[u8]> = vec![b"base", b"s"];
        let pieces = Pieces { first, rest, before: 5, after: 6, unknown: 7 };
        assert_eq!(pieces.of("Databases", 9), [1, 4]);
        assert_eq!(pieces.of("datas x", 9), [0, 4, 7], "what cannot be cut is unknown");
        assert_eq!(pieces.of("data data data", 2), [0, 0], "no more than are wanted");
        assert_eq!(pieces.of(&"s".repeat(LONGEST_WORD + 1), 9), [7], "what long strings of letters cost has a bound");
    }
}
