//! The entries of a glossary in one file: `:wizard: n.`, a name between colons on a line of its own.

use super::{Line, chunks};

/// A text with fewer such lines is not a glossary.
const LEAST: usize = 8;
const LONGEST: usize = 70;

/// Whether a text is a glossary.
#[derive(Debug, Default)]
pub(super) struct Glossary(bool);

impl Glossary {
    pub fn of(lines: &[Line<'_>]) -> Glossary {
        Glossary(chunks(lines).filter(|chunk| name(chunk).is_some()).nth(LEAST - 1).is_some())
    }

    pub fn is_one(&self) -> bool {
        self.0
    }

    /// The name of the entry that these lines begin.
    pub fn entry<'t>(&self, lines: &[Line<'t>]) -> Option<&'t str> {
        name(lines).filter(|_| self.0)
    }
}

fn name<'t>(lines: &[Line<'t>]) -> Option<&'t str> {
    let [line] = lines else { return None };
    let (name, below) = line.words().strip_prefix(':')?.split_once(':')?;
    let fits = name.len() <= LONGEST && name.starts_with(char::is_alphanumeric) && !name.ends_with(' ');
    (fits && (below.is_empty() || below.starts_with(' '))).then_some(name)
}
