//! Reads the parts of the encoder's file in the order in which they stand there, in place.

/// What is left of the file.
pub(crate) struct Parts(&'static [u8]);

/// A table of numbers: rows of signed bytes, each row with the factor that its bytes are of.
pub(crate) struct Table {
    columns: usize,
    factors: &'static [[u8; 4]],
    bytes: &'static [u8],
}

impl Parts {
    pub fn of(file: &'static [u8]) -> Parts {
        Parts(file)
    }

    /// Whether all has been read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A little-endian number of four bytes; None where the file is cut off, as for all parts.
    pub fn number(&mut self) -> Option<usize> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        usize::try_from(u32::from_le_bytes(*number)).ok()
    }

    /// Texts with their lengths in a byte before them.
    pub fn texts(&mut self, many: usize) -> Option<Vec<&'static [u8]>> {
        let one = |_| {
            let (length, rest) = self.0.split_first()?;
            let (text, rest) = rest.split_at_checked(usize::from(*length))?;
            self.0 = rest;
            Some(text)
        };
        (0..many).map(one).collect()
    }

    /// Little-endian `f32`s.
    pub fn floats(&mut self, many: usize) -> Option<Vec<f32>> {
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
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The rows in order: each one's factor and its bytes.
    pub fn rows(&self) -> impl Iterator<Item = (f32, &'static [u8])> {
        self.factors.iter().map(|factor| f32::from_le_bytes(*factor)).zip(self.bytes.chunks_exact(self.columns))
    }

    /// The numbers of a row; none if there is no such row.
    pub fn row(&self, at: usize) -> impl Iterator<Item = f32> {
        let row = self.bytes.chunks_exact(self.columns).nth(at).unwrap_or(&[]);
        let factor = self.factors.get(at).map_or(0.0, |factor| f32::from_le_bytes(*factor));
        row.iter().map(move |byte| factor * f32::from(byte.cast_signed()))
    }
}
