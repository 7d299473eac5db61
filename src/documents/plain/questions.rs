//! Questions with their answers, `Q: …` and `A: …`: each question is the heading of its answers, and the marks are no text.
//! Reads no other form of question, and leaves a text with few of them as it is.

use super::super::titles::LONGEST_HEADING;
use super::{Line, Reader, chunks};
use crate::draft::TERM_LEVEL;
use run::evidence::BlockKind;

/// A text with fewer questions, or with fewer answers, has none.
const LEAST: usize = 3;
/// Below the headings of any format.
const LEVEL: u8 = TERM_LEVEL - 1;

/// Whether a text has questions with answers.
#[derive(Debug, Default)]
pub(super) struct Questions(bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Question,
    Answer,
}

impl Questions {
    pub fn of(lines: &[Line<'_>]) -> Questions {
        let (mut questions, mut asking, mut answers) = (0, 0, 0);
        for part in chunks(lines).flat_map(parts) {
            match side(&part[0]).map(|(side, _)| side) {
                Some(Side::Question) => {
                    questions += 1;
                    asking += usize::from(part.iter().any(|line| line.words().contains('?')));
                }
                Some(Side::Answer) => answers += 1,
                None => {}
            }
        }
        Questions(questions.min(answers) >= LEAST && asking * 2 >= questions)
    }

    /// Whether these lines have a question or an answer of the text.
    fn are_in(&self, lines: &[Line<'_>]) -> bool {
        self.0 && lines.iter().any(|line| side(line).is_some())
    }
}

/// The lines in parts, each of which begins with a question or an answer; text may stand before the first one.
fn parts<'l, 't>(lines: &'l [Line<'t>]) -> impl Iterator<Item = &'l [Line<'t>]> {
    lines.chunk_by(|_, next| side(next).is_none())
}

/// The marks of questions and answers.
const MARKS: [(&str, Side); 4] =
    [("Question", Side::Question), ("Answer", Side::Answer), ("Q", Side::Question), ("A", Side::Answer)];

/// Whether a line begins a question or an answer, and its words behind the mark: `Q:`, `Q3:`, `Q3.`, `Question 3:`.
fn side<'t>(line: &Line<'t>) -> Option<(Side, &'t str)> {
    let words = line.words();
    let (side, rest) = MARKS.into_iter().find_map(|(mark, side)| Some((side, words.strip_prefix(mark)?)))?;
    let number = rest.trim_start_matches(' ');
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match behind.len() < number.len() {
        true => behind.strip_prefix([':', '.', ')'])?,
        false => rest.strip_prefix(':')?,
    };
    (behind.is_empty() || behind.starts_with(char::is_whitespace)).then(|| (side, behind.trim()))
}

impl Reader<'_, '_> {
    /// Reads lines with questions and answers. Returns whether there are any.
    pub(super) fn questions(&mut self, lines: &[Line<'_>]) -> bool {
        if !self.questions.are_in(lines) {
            return false;
        }
        for part in parts(lines) {
            match side(&part[0]) {
                Some((Side::Question, first)) => self.question(first, part),
                Some((Side::Answer, first)) => self.answer(first, part),
                None => self.text(part),
            }
        }
        true
    }

    fn question(&mut self, first: &str, lines: &[Line<'_>]) {
        let question = self.join(first, &lines[1..]);
        self.in_list = false;
        self.in_contents = false;
        self.end_terms();
        // A heading below the first question is not that of the text.
        self.draft.title_by_name();
        self.draft.term(LEVEL, &question);
        // A heading is cut, a paragraph is not.
        if question.len() > LONGEST_HEADING {
            self.draft.push(BlockKind::Paragraph, None, &question, lines[0].no);
        }
    }

    fn answer(&mut self, first: &str, lines: &[Line<'_>]) {
        self.in_list = false;
        self.end_terms();
        let [mark, below @ ..] = lines else { return };
        // The first line stands as far in as those below it.
        let indent = below.iter().map(|line| line.indent).min().unwrap_or(mark.indent);
        let begins = Line { text: first, indent, ..*mark };
        let lines: Vec<Line<'_>> = [begins].iter().chain(below).filter(|line| !line.is_blank()).copied().collect();
        match lines.as_slice() {
            [] => {}
            [_] => self.running(&lines),
            _ => self.lines_of_text(&lines),
        }
    }
}
