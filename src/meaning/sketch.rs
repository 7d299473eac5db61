//! Rough meanings of many short texts: the mean of the vectors of their words, in any order. Thousands take
//! milliseconds, so that only the few candidates need the encoder.

use std::sync::LazyLock;

use super::ENCODER;
use super::encoder::Encoder;

/// The most pieces read of a text.
const PIECES: usize = 24;

/// The sketches of texts, by index.
#[derive(Debug, Default)]
pub struct Sketches {
    /// The pieces of all texts, concatenated, and the end of each text.
    pieces: Vec<u16>,
    ends: Vec<usize>,
    /// The length of the vector of each text.
    lengths: Vec<f32>,
    /// The weight of each piece: lower the more texts contain it.
    weights: Vec<f32>,
    /// The mean of the vectors of all pieces that occur, to be subtracted: the common part does not distinguish texts.
    mean: Vec<f32>,
}

impl Sketches {
    /// Sketches texts, at some 10 µs each. Without an encoder no text is like another.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Sketches {
        let mut sketches = Sketches::default();
        let Some(encoder) = LazyLock::force(&ENCODER) else { return sketches };
        let mut texts_with = vec![0u32; encoder.known()];
        for text in texts {
            let from = sketches.pieces.len();
            sketches.pieces.extend(pieces(encoder, text));
            let mut own = sketches.pieces[from..].to_vec();
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|piece| texts_with[usize::from(piece)] += 1);
            sketches.ends.push(sketches.pieces.len());
        }
        let all = sketches.ends.len() as f32;
        sketches.weights = texts_with.iter().map(|with| (all / (*with).max(1) as f32).ln().max(LEAST_WEIGHT)).collect();
        let occurring: Vec<u16> =
            (0..).zip(&texts_with).filter(|(_, with)| **with > 0).map(|(piece, _)| piece).collect();
        sketches.mean = encoder.narrow_sum(occurring.iter().map(|piece| (*piece, 1.0)));
        sketches.mean.iter_mut().for_each(|number| *number /= occurring.len().max(1) as f32);
        sketches.lengths =
            (0..sketches.ends.len()).map(|at| length(&sketches.vector(encoder, sketches.pieces_of(at)))).collect();
        sketches
    }

    /// The indexes of the `most` nearest texts, nearest first.
    pub fn nearest(&self, text: &str, most: usize) -> Vec<usize> {
        let Some(encoder) = LazyLock::force(&ENCODER) else { return Vec::new() };
        let asked: Vec<u16> = pieces(encoder, text);
        let asked = self.vector(encoder, &asked);
        // Each piece is compared once, however many texts contain it.
        let mut compared: Vec<Option<f32>> = vec![None; self.weights.len()];
        let from_mean = dot(&asked, &self.mean);
        let mut likeness = |piece: u16| {
            let known = &mut compared[usize::from(piece)];
            *known.get_or_insert_with(|| {
                self.weights[usize::from(piece)] * (encoder.narrow_dot(piece, &asked) - from_mean)
            })
        };
        let mut all: Vec<(f32, usize)> = Vec::with_capacity(self.ends.len());
        for (at, length) in self.lengths.iter().enumerate() {
            let sum: f32 = self.pieces_of(at).iter().map(|piece| likeness(*piece)).sum();
            all.push((sum / length.max(f32::MIN_POSITIVE), at));
        }
        all.retain(|(likeness, _)| *likeness > 0.0);
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(most).map(|(_, at)| at).collect()
    }

    fn pieces_of(&self, at: usize) -> &[u16] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.pieces[from..self.ends[at]]
    }

    fn vector(&self, encoder: &Encoder, pieces: &[u16]) -> Vec<f32> {
        let weighed = pieces.iter().map(|piece| (*piece, self.weights[usize::from(*piece)]));
        let mut sum = encoder.narrow_sum(weighed.clone());
        let weight: f32 = weighed.map(|(_, weight)| weight).sum();
        sum.iter_mut().zip(&self.mean).for_each(|(number, mean)| *number -= weight * mean);
        sum
    }
}

/// The least weight of a piece: that of one in all texts.
const LEAST_WEIGHT: f32 = 0.05;

fn pieces(encoder: &Encoder, text: &str) -> Vec<u16> {
    encoder.pieces_of(text, PIECES).into_iter().filter_map(|piece| u16::try_from(piece).ok()).collect()
}

fn length(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_texts_are_those_about_the_same_in_whatever_words() {
        let texts = [
            "Corrupt database files",
            "Sorting numbers",
            "Depreciation vehicle",
            "Network cables",
            "Printing pictures",
            "Damaged archives",
        ];
        let sketches = Sketches::of(texts.into_iter());
        for (asked, wanted) in [("broken database", 0), ("car loses value", 2), ("how to sort", 1)] {
            assert_eq!(sketches.nearest(asked, 6).first(), Some(&wanted), "{asked}");
        }
        assert_eq!(sketches.nearest("broken database", 0), [0; 0]);
        assert!(sketches.nearest("", 9).is_empty());
        assert!(Sketches::of([].into_iter()).nearest("database", 9).is_empty());
    }
}
