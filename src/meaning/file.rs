//! Reads the parts of the encoder's file in order, in place.

use ndarray::{Array1, Array2};

/// The unread rest of the file.
pub(crate) struct Parts(&'static [u8]);

/// A table of numbers: rows of signed bytes, each with a factor.
pub(crate) struct Table {
    columns: usize,
    factors: &'static [[u8; 4]],
    bytes: &'static [u8],
}

impl Parts {
    pub fn of(file: &'static [u8]) -> Parts {
        Parts(file)
    }

    /// Whether everything has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A little-endian number of four bytes; this and the other methods return None if the file is cut off.
    pub fn number(&mut self) -> Option<usize> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        usize::try_from(u32::from_le_bytes(*number)).ok()
    }

    /// Texts, each with a length byte before it.
    pub fn texts(&mut self, many: usize) -> Option<Vec<&'static [u8]>> {
        let text = |_| {
            let (length, rest) = self.0.split_first()?;
            let (text, rest) = rest.split_at_checked(usize::from(*length))?;
            self.0 = rest;
            Some(text)
        };
        (0..many).map(text).collect()
    }

    /// Little-endian `f32`s.
    pub fn floats(&mut self, many: usize) -> Option<Array1<f32>> {
        Some(self.fours(many)?.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }

    /// A table: first all factors, then the rows.
    pub fn table(&mut self, rows: usize, columns: usize) -> Option<Table> {
        let factors = self.fours(rows)?;
        let (bytes, rest) = self.0.split_at_checked(rows.checked_mul(columns)?)?;
        self.0 = rest;
        Some(Table { columns, factors, bytes })
    }

    fn fours(&mut self, many: usize) -> Option<&'static [[u8; 4]]> {
        let (fours, rest) = self.0.split_at_checked(many.checked_mul(4)?)?;
        self.0 = rest;
        Some(fours.as_chunks().0)
    }
}

impl Table {
    /// Some of the rows; rows out of range are skipped.
    pub fn rows(&self, at: impl IntoIterator<Item = usize>) -> Array2<f32> {
        let at = at.into_iter();
        let mut numbers = Vec::with_capacity(at.size_hint().0 * self.columns);
        for (factor, row) in at.filter_map(|at| self.row(at)) {
            numbers.extend(row.iter().map(|byte| factor * f32::from(byte.cast_signed())));
        }
        let rows = numbers.len().checked_div(self.columns).unwrap_or(0);
        Array2::from_shape_vec((rows, self.columns), numbers)
            .expect("each row has as many numbers as there are columns")
    }

    /// The whole table.
    pub fn whole(&self) -> Array2<f32> {
        self.rows(0..self.factors.len())
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.columns
    }

    /// The factor of a row and its bytes.
    pub fn row(&self, at: usize) -> Option<(f32, &'static [u8])> {
        let factor = self.factors.get(at)?;
        let row = self.bytes.get(at * self.columns..(at + 1) * self.columns)?;
        Some((f32::from_le_bytes(*factor), row))
    }
}
