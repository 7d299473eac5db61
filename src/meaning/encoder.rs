//! The encoder: a small transformer (Vaswani et al. 2017, arXiv:1706.03762; with post-normalisation, as in BERT). The
//! vector of a text is the mean of the vectors of its pieces after the last layer.

use ndarray::{Array1, Array2, ArrayView2, Axis, Slice};

use super::file::{Parts, Table};
use super::pieces::Pieces;

/// The magic number at the beginning of the file.
const FORM: usize = 0x0145_484d;
/// The most pieces read of a text, without its two marks.
const PIECES: usize = 62;
/// The widest row that is accepted: a damaged file cannot demand endless memory.
const WIDEST: usize = 1_024;

pub(crate) struct Encoder {
    pieces: Pieces,
    /// A narrow vector for each piece, and the matrix that widens it.
    embeddings: Table,
    widening: Table,
    positions: Array2<f32>,
    first: Norm,
    heads: usize,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    after_attention: Norm,
    inner: Linear,
    outer: Linear,
    after: Norm,
}

/// A linear layer. Its weights stay bytes of the file and are converted only for a product: converted they would take
/// 14 MB, and converting them takes a few percent of the time of a batch.
struct Linear {
    weights: Table,
    bias: Array1<f32>,
}

/// Layer normalisation (Ba et al. 2016, arXiv:1607.06450).
struct Norm {
    gain: Array1<f32>,
    bias: Array1<f32>,
}

impl Encoder {
    /// Parses the file; None if it is invalid or incomplete.
    pub fn read(file: &'static [u8]) -> Option<Encoder> {
        let mut file = Parts::of(file);
        if file.number()? != FORM {
            return None;
        }
        let (width, narrow, inner) = (file.number()?, file.number()?, file.number()?);
        let (layers, heads) = (file.number()?, file.number()?);
        let divides = heads > 0 && width > 0 && width.is_multiple_of(heads);
        if !divides || narrow == 0 || inner == 0 || width.max(inner) > WIDEST {
            return None;
        }
        let pieces = Pieces::read(&mut file)?;
        let encoder = Encoder {
            embeddings: file.table(pieces.len(), narrow)?,
            widening: file.table(width, narrow)?,
            positions: file.table(PIECES + 2, width)?.rows(0..PIECES + 2),
            first: Norm::read(&mut file, width)?,
            layers: (0..layers).map(|_| Layer::read(&mut file, width, inner)).collect::<Option<_>>()?,
            pieces,
            heads,
        };
        file.is_empty().then_some(encoder)
    }

    /// The number of known word pieces.
    pub fn known(&self) -> usize {
        self.pieces.len()
    }

    /// Whether a lower-case word is known whole.
    pub fn is_word(&self, word: &str) -> bool {
        self.pieces.has(word)
    }

    /// The first `most` pieces of a text, without unknown words.
    pub fn pieces_of(&self, text: &str, most: usize) -> Vec<usize> {
        let mut pieces = self.pieces.of(text, most);
        pieces.retain(|piece| *piece < self.pieces.before);
        pieces
    }

    /// The weighted sum of the narrow vectors of pieces.
    pub fn narrow_sum(&self, pieces: impl Iterator<Item = (u16, f32)>) -> Vec<f32> {
        let mut sum = vec![0.0; self.embeddings.width()];
        for (piece, weight) in pieces {
            let Some((factor, row)) = self.embeddings.row(usize::from(piece)) else { continue };
            sum.iter_mut().zip(row).for_each(|(sum, byte)| *sum += weight * factor * f32::from(byte.cast_signed()));
        }
        sum
    }

    /// The dot product of a piece's narrow vector with another.
    pub fn narrow_dot(&self, piece: u16, vector: &[f32]) -> f32 {
        self.embeddings.row(usize::from(piece)).map_or(0.0, |(factor, row)| {
            factor * row.iter().zip(vector).map(|(byte, number)| f32::from(byte.cast_signed()) * number).sum::<f32>()
        })
    }

    /// The vector of each text, of length 1; empty for a text without words. A batch takes less time than single texts.
    pub fn vectors(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut pieces = Vec::new();
        let mut parts = Vec::new();
        for text in texts {
            let start = pieces.len();
            let found = self.pieces.of(text, PIECES);
            if !found.is_empty() {
                pieces.extend([self.pieces.before].into_iter().chain(found).chain([self.pieces.after]));
            }
            parts.push(Slice::from(start..pieces.len()));
        }
        let mut hidden = self.embeddings.rows(pieces).dot(&self.widening.whole().t());
        for part in &parts {
            let mut rows = hidden.slice_axis_mut(Axis(0), *part);
            rows += &self.positions.slice_axis(Axis(0), (..rows.nrows()).into());
        }
        self.first.apply(&mut hidden);
        for layer in &self.layers {
            layer.apply(&mut hidden, &parts, self.heads);
        }
        parts.into_iter().map(|part| mean(hidden.slice_axis(Axis(0), part))).collect()
    }
}

/// The mean of the rows, of length 1; empty without rows.
fn mean(rows: ArrayView2<'_, f32>) -> Vec<f32> {
    if rows.is_empty() {
        return Vec::new();
    }
    let sum = rows.sum_axis(Axis(0));
    let length = sum.dot(&sum).sqrt().max(f32::MIN_POSITIVE);
    (sum / length).to_vec()
}

impl Layer {
    fn read(file: &mut Parts, width: usize, inner: usize) -> Option<Layer> {
        Some(Layer {
            query: Linear::read(file, width, width)?,
            key: Linear::read(file, width, width)?,
            value: Linear::read(file, width, width)?,
            attended: Linear::read(file, width, width)?,
            after_attention: Norm::read(file, width)?,
            inner: Linear::read(file, inner, width)?,
            outer: Linear::read(file, width, inner)?,
            after: Norm::read(file, width)?,
        })
    }

    /// Transforms the rows of several texts. Each text attends only to its own rows.
    fn apply(&self, hidden: &mut Array2<f32>, texts: &[Slice], heads: usize) {
        let (query, key, value) = (self.query.apply(hidden), self.key.apply(hidden), self.value.apply(hidden));
        let mut context = Array2::zeros(hidden.raw_dim());
        let each = hidden.ncols() / heads;
        for text in texts {
            let [query, key, value] = [&query, &key, &value].map(|all| all.slice_axis(Axis(0), *text));
            let mut context = context.slice_axis_mut(Axis(0), *text);
            for head in (0..heads).map(|head| Slice::from(head * each..(head + 1) * each)) {
                let [query, key, value] = [query, key, value].map(|rows| rows.slice_axis_move(Axis(1), head));
                context.slice_axis_mut(Axis(1), head).assign(&attend(query, key, value));
            }
        }
        *hidden += &self.attended.apply(&context);
        self.after_attention.apply(hidden);
        let mut inner = self.inner.apply(hidden);
        inner.mapv_inplace(gelu);
        *hidden += &self.outer.apply(&inner);
        self.after.apply(hidden);
    }
}

/// Attention of each piece to all, by one head.
fn attend(query: ArrayView2<'_, f32>, key: ArrayView2<'_, f32>, value: ArrayView2<'_, f32>) -> Array2<f32> {
    let mut weights = query.dot(&key.t()) / (query.ncols() as f32).sqrt();
    for mut row in weights.rows_mut() {
        let most = row.fold(f32::MIN, |most, x| most.max(*x));
        row.mapv_inplace(|x| (x - most).exp());
        row /= row.sum();
    }
    weights.dot(&value)
}

/// Gaussian error linear unit (Hendrycks and Gimpel 2016, arXiv:1606.08415), by their approximation.
fn gelu(x: f32) -> f32 {
    x / (1.0 + (-1.595_769 * (x + 0.044_715 * x * x * x)).exp())
}

impl Linear {
    fn read(file: &mut Parts, outputs: usize, inputs: usize) -> Option<Linear> {
        Some(Linear { weights: file.table(outputs, inputs)?, bias: file.floats(outputs)? })
    }

    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.weights.whole().t()) + &self.bias
    }
}

impl Norm {
    fn read(file: &mut Parts, width: usize) -> Option<Norm> {
        Some(Norm { gain: file.floats(width)?, bias: file.floats(width)? })
    }

    /// Normalises each row.
    fn apply(&self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            row -= row.sum() / row.len() as f32;
            row /= (row.dot(&row) / row.len() as f32 + 1e-12).sqrt();
            row *= &self.gain;
            row += &self.bias;
        }
    }
}
