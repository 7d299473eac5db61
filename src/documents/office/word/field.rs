//! The fields of a Word document: their results are text, their instructions are not.

/// The most bytes of an instruction that are read: its name comes first.
const LONGEST: usize = 64;

#[derive(Default)]
struct Field {
    instruction: String,
    has_result: bool,
    is_left_out: bool,
}

impl Field {
    fn is_text(&self) -> bool {
        self.has_result && !self.is_left_out
    }
}

/// The open fields, the innermost last.
#[derive(Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    /// The number of those that are not text.
    out: usize,
}

impl Fields {
    /// Whether the characters in them are text.
    pub(super) fn are_text(&self) -> bool {
        self.out == 0
    }

    /// Reads a field mark: the beginning, the separator between instruction and result, or the end.
    pub(super) fn mark(&mut self, kind: &str) {
        match kind {
            "begin" => {
                self.open.push(Field::default());
                self.out += 1;
            }
            "separate" => {
                if let Some(field) = self.open.last_mut().filter(|field| !field.has_result) {
                    (field.has_result, field.is_left_out) = (true, is_left_out(&field.instruction));
                    self.out -= usize::from(field.is_text());
                }
            }
            "end" => self.end(),
            _ => {}
        }
    }

    /// Adds to the instruction of the innermost field.
    pub(super) fn instruct(&mut self, text: &str) {
        if let Some(field) = self.open.last_mut().filter(|field| field.instruction.len() < LONGEST) {
            field.instruction.push_str(&text[..text.floor_char_boundary(LONGEST)]);
        }
    }

    /// Ends fields without a result: otherwise an unclosed field would make all later text part of its instruction.
    pub(super) fn end_paragraph(&mut self) {
        while self.open.last().is_some_and(|field| !field.has_result) {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(field) = self.open.pop() {
            self.out -= usize::from(!field.is_text());
        }
    }
}

/// Whether a field with this instruction is a table of contents, an index, a mark for one, or the mark of a note.
pub(super) fn is_left_out(instruction: &str) -> bool {
    let name = instruction.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(name.as_str(), "TOC" | "INDEX" | "TOA" | "TC" | "XE" | "TA" | "RD" | "NOTEREF")
}
