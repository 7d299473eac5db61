//! The line numbers of positions, for readers that read a text from beginning to end.

/// Counts each line once, however many positions are asked for.
pub(super) struct LineCount<'t> {
    text: &'t [u8],
    at: usize,
    line: u32,
}

impl<'t> LineCount<'t> {
    /// `first` is the number of the text's first line.
    pub fn new(text: &'t [u8], first: u32) -> LineCount<'t> {
        LineCount { text, at: 0, line: first }
    }

    /// The line of this byte; for a byte before the previous one, the previous line.
    pub fn at(&mut self, byte: usize) -> u32 {
        if let Some(passed) = self.text.get(self.at..byte) {
            let lines = passed.iter().filter(|byte| **byte == b'\n').count();
            self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            self.at = byte;
        }
        self.line
    }
}
