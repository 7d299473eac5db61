//! The encoder: a transformer of a few layers (Vaswani et al. 2017, arXiv:1706.03762; normalised after each part, as BERT is).
//! The vector of a text is the mean of what comes out for its pieces.
//!
//! Weights are signed bytes, and what goes through them has 14 bits, so that plain code sums in whole numbers, which compilers
//! make quick on every processor.

use super::file::{Parts, Table};
use super::pieces::Pieces;

/// The first bytes of the file: its form.
const FORM: usize = 0x0145_484d;
/// What goes into a product with bytes is scaled to this: the sum of 1,024 such products fits into 32 bits.
const MOST: f32 = 16_383.0;
const WIDEST: usize = 1_024;
/// So many pieces of a text are read, besides its two marks.
const PIECES: usize = 62;

pub(crate) struct Encoder {
    pieces: Pieces,
    /// A narrow vector for each piece, and what makes it as wide as all others.
    embeddings: Table,
    widening: Table,
    positions: Table,
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

struct Linear {
    weights: Table,
    bias: Vec<f32>,
}

/// Layer normalisation (Ba et al. 2016, arXiv:1607.06450).
struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl Encoder {
    /// Reads the file; None if it is none or is not whole.
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
            positions: file.table(PIECES + 2, width)?,
            first: Norm::read(&mut file, width)?,
            layers: (0..layers).map(|_| Layer::read(&mut file, width, inner)).collect::<Option<_>>()?,
            pieces,
            heads,
        };
        file.is_empty().then_some(encoder)
    }

    /// The vector of a text, of length 1; empty for a text without words.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let pieces = self.pieces.of(text, PIECES);
        if pieces.is_empty() {
            return Vec::new();
        }
        let marked = [self.pieces.before].into_iter().chain(pieces).chain([self.pieces.after]);
        let mut hidden = Vec::new();
        let mut many = 0;
        for (at, piece) in marked.enumerate() {
            let narrow: Vec<f32> = self.embeddings.row(piece).collect();
            let wide = self.widening.rows().zip(self.positions.row(at));
            hidden.extend(wide.map(|((factor, row), position)| {
                let dot: f32 = row.iter().zip(&narrow).map(|(byte, x)| f32::from(byte.cast_signed()) * x).sum();
                factor * dot + position
            }));
            many += 1;
        }
        self.first.apply(&mut hidden);
        for layer in &self.layers {
            layer.apply(&mut hidden, many, self.heads);
        }
        let mut mean = vec![0.0; hidden.len() / many];
        for row in hidden.chunks_exact(mean.len()) {
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        mean.iter_mut().for_each(|x| *x /= length.max(f32::MIN_POSITIVE));
        mean
    }
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

    fn apply(&self, hidden: &mut [f32], many: usize, heads: usize) {
        let input = Scaled::of(hidden, many);
        let (query, key, value) = (self.query.apply(&input), self.key.apply(&input), self.value.apply(&input));
        let context = attend(&query, &key, &value, many, heads);
        add(hidden, &self.attended.apply(&Scaled::of(&context, many)));
        self.after_attention.apply(hidden);
        let mut inner = self.inner.apply(&Scaled::of(hidden, many));
        inner.iter_mut().for_each(|x| *x = gelu(*x));
        add(hidden, &self.outer.apply(&Scaled::of(&inner, many)));
        self.after.apply(hidden);
    }
}

fn add(to: &mut [f32], more: &[f32]) {
    to.iter_mut().zip(more).for_each(|(to, more)| *to += more);
}

/// Attention of each piece to all, by several heads.
fn attend(query: &[f32], key: &[f32], value: &[f32], many: usize, heads: usize) -> Vec<f32> {
    let width = query.len() / many;
    let each = width / heads;
    let sharpness = 1.0 / (each as f32).sqrt();
    let mut context = vec![0.0; query.len()];
    let mut weights = vec![0.0; many];
    for head in 0..heads {
        let of = |rows: &'_ [f32], at: usize| -> std::ops::Range<usize> {
            debug_assert_eq!(rows.len(), many * width);
            at * width + head * each..at * width + (head + 1) * each
        };
        for at in 0..many {
            let asks = &query[of(query, at)];
            for (other, weight) in weights.iter_mut().enumerate() {
                let dot: f32 = asks.iter().zip(&key[of(key, other)]).map(|(a, b)| a * b).sum();
                *weight = dot * sharpness;
            }
            let most = weights.iter().copied().fold(f32::MIN, f32::max);
            weights.iter_mut().for_each(|weight| *weight = (*weight - most).exp());
            let sum: f32 = weights.iter().sum();
            let told = &mut context[of(query, at)];
            for (other, weight) in weights.iter().enumerate() {
                let share = weight / sum;
                told.iter_mut().zip(&value[of(value, other)]).for_each(|(told, x)| *told += share * x);
            }
        }
    }
    context
}

/// Gaussian error linear unit (Hendrycks and Gimpel 2016, arXiv:1606.08415), by their approximation.
fn gelu(x: f32) -> f32 {
    x / (1.0 + (-1.595_769 * (x + 0.044_715 * x * x * x)).exp())
}

/// Rows of numbers as whole ones, each row with the factor that they are of.
struct Scaled {
    columns: usize,
    factors: Vec<f32>,
    rows: Vec<i16>,
}

impl Scaled {
    fn of(numbers: &[f32], many: usize) -> Scaled {
        let columns = numbers.len() / many;
        let (mut factors, mut rows) = (Vec::with_capacity(many), Vec::with_capacity(numbers.len()));
        for row in numbers.chunks_exact(columns) {
            let most = row.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
            factors.push(most / MOST);
            rows.extend(row.iter().map(|x| (x / most * MOST) as i16));
        }
        Scaled { columns, factors, rows }
    }
}

impl Linear {
    fn read(file: &mut Parts, outputs: usize, inputs: usize) -> Option<Linear> {
        Some(Linear { weights: file.table(outputs, inputs)?, bias: file.floats(outputs)? })
    }

    /// The product with each row, and the bias.
    fn apply(&self, input: &Scaled) -> Vec<f32> {
        debug_assert_eq!(self.weights.columns(), input.columns);
        let outputs = self.bias.len();
        let mut result = vec![0.0; input.factors.len() * outputs];
        // A row of weights is widened once for all rows of the input, and meets four of them at a time.
        let mut weights = vec![0_i16; input.columns];
        for (output, ((factor, row), bias)) in self.weights.rows().zip(&self.bias).enumerate() {
            weights.iter_mut().zip(row).for_each(|(wide, byte)| *wide = i16::from(byte.cast_signed()));
            let mut put = |at: usize, dot: i32| {
                result[at * outputs + output] = dot as f32 * factor * input.factors[at] + bias;
            };
            let fours = input.rows.chunks_exact(4 * input.columns);
            let (left, whole) = (fours.remainder(), input.factors.len() / 4 * 4);
            for (four, at) in fours.zip((0..).step_by(4)) {
                let dots = four_dots(&weights, four);
                dots.into_iter().zip(at..).for_each(|(dot, at)| put(at, dot));
            }
            for (row, at) in left.chunks_exact(input.columns).zip(whole..) {
                put(at, dot(&weights, row));
            }
        }
        result
    }
}

/// The sum of products. It cannot pass 32 bits: at most [`WIDEST`] products of 8 and 15 bits.
fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a).wrapping_mul(i32::from(*b))).fold(0, i32::wrapping_add)
}

/// The same of one row with each of four.
fn four_dots(one: &[i16], four: &[i16]) -> [i32; 4] {
    let (a, rest) = four.split_at(one.len());
    let (b, rest) = rest.split_at(one.len());
    let (c, d) = rest.split_at(one.len());
    let mut sums = [0_i32; 4];
    for ((((one, a), b), c), d) in one.iter().zip(a).zip(b).zip(c).zip(d) {
        let one = i32::from(*one);
        sums[0] = sums[0].wrapping_add(one.wrapping_mul(i32::from(*a)));
        sums[1] = sums[1].wrapping_add(one.wrapping_mul(i32::from(*b)));
        sums[2] = sums[2].wrapping_add(one.wrapping_mul(i32::from(*c)));
        sums[3] = sums[3].wrapping_add(one.wrapping_mul(i32::from(*d)));
    }
    sums
}

impl Norm {
    fn read(file: &mut Parts, width: usize) -> Option<Norm> {
        Some(Norm { gain: file.floats(width)?, bias: file.floats(width)? })
    }

    /// Normalises each row.
    fn apply(&self, rows: &mut [f32]) {
        let width = self.gain.len();
        for row in rows.chunks_exact_mut(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / width as f32;
            let factor = 1.0 / (variance + 1e-12).sqrt();
            for ((x, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
                *x = (*x - mean) * factor * gain + bias;
            }
        }
    }
}
