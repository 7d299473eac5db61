//! A run to show to others: everything read, asked, said and written in it is taken out, and the rest is the same run.
//!
//! A text becomes a filler of the same length with as many words and lines, which names its text and its length; equal texts become
//! equal fillers. Names of specialists, models and tools other than the program's own are replaced. Ids, stages, amounts and times
//! stay. Types decide: a text of a type that is not listed here is taken out.

mod mask;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::VERSION;
use crate::tool::builtin;
use crate::{Envelope, Event, Role, RunId};
use mask::Mask;

/// The roles that the program itself has.
const ROLES: [&str; 13] = [
    Role::SUPERVISOR,
    Role::PLANNER,
    Role::RESEARCHER,
    Role::EDITOR,
    Role::MERGER,
    Role::WRITER,
    Role::GATES,
    Role::REVIEWER,
    Role::MEMORY,
    Role::SURVEYOR,
    Role::INSPECTOR,
    Role::AGENT,
    Role::JUDGE,
];

/// The kind of thing that a text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// Documents: their text, paths and titles.
    Documents,
    /// Texts sent to models.
    Prompts,
    /// Answers of models, and their calls of tools.
    Answers,
    /// Findings.
    Findings,
    /// Drafts and the verdicts on them.
    Drafts,
    /// Everything else: the question, the plan, remarks, errors.
    Others,
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Of::Documents => "documents",
            Of::Prompts => "prompts",
            Of::Answers => "answers",
            Of::Findings => "findings",
            Of::Drafts => "drafts",
            Of::Others => "question, plan and other words",
        })
    }
}

/// The amount of text taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The number of texts.
    pub texts: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Takes the text out of runs, one event after the other.
pub struct Redactor<'a> {
    /// Whether a name is known to everybody: of a provider, of a model that can be bought.
    known: &'a dyn Fn(&str) -> bool,
    texts: BTreeMap<Box<str>, usize>,
    names: BTreeMap<Box<str>, usize>,
    /// Ids that stay; where the same words stand in arguments, they stay too.
    ids: BTreeSet<Box<str>>,
    taken: BTreeMap<Of, Taken>,
    /// Whether the key that was written last was a bare text, as keys of JSON are.
    key_is_bare: bool,
}

impl<'a> Redactor<'a> {
    /// Besides the program's own, the names stay that are `known` to everybody.
    pub fn new(known: &'a dyn Fn(&str) -> bool) -> Redactor<'a> {
        let (texts, names, ids, taken) = Default::default();
        Redactor { known, texts, names, ids, taken, key_is_bare: false }
    }

    /// A line of a dump, as [`dump_line`](super::dump_line) writes it, without its text.
    pub fn dump_line(&mut self, run: &RunId, envelope: &Envelope) -> String {
        let opens = matches!(envelope.event, Event::RunOpened(_));
        // An event is plain data with string keys: writing it as JSON cannot fail.
        let event = envelope.event.serialize(Mask::new(self)).unwrap_or_default();
        let mut line = Map::new();
        line.insert("v".into(), VERSION.into());
        if !opens {
            line.insert("run".into(), run.as_str().into());
        }
        line.insert("seq".into(), envelope.seq.0.into());
        line.insert("at".into(), envelope.at.0.into());
        if let Value::Object(fields) = event {
            line.extend(fields);
        }
        text::escape_in_json(Value::Object(line).to_string())
    }

    /// The texts taken out so far.
    pub fn taken(&self) -> impl Iterator<Item = (Of, Taken)> {
        self.taken.iter().map(|(of, taken)| (*of, *taken))
    }

    /// The number of names replaced.
    pub fn names(&self) -> usize {
        self.names.len()
    }

    /// The filler for a text.
    fn text(&mut self, of: Of, text: &str) -> String {
        if !text.chars().any(|c| c.is_alphanumeric() || !c.is_ascii()) {
            return text.to_owned();
        }
        let taken = self.taken.entry(of).or_default();
        taken.texts += 1;
        taken.bytes += text.len() as u64;
        let next = self.texts.len() + 1;
        filler(*self.texts.entry(text.into()).or_insert(next), text)
    }

    /// A name of the program's own or one that everybody knows stays; another becomes `name-1`.
    fn name(&mut self, name: &str) -> String {
        if self.is_known(name) || name.is_empty() {
            return name.to_owned();
        }
        let next = self.names.len() + 1;
        format!("name-{}", self.names.entry(name.into()).or_insert(next))
    }

    fn is_known(&self, name: &str) -> bool {
        let is_version = || name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        ROLES.contains(&name)
            || crate::event::NAMES.contains(&name)
            || builtin::specs().any(|spec| spec.name == *name)
            || is_version()
            || (self.known)(name)
    }

    /// `provider/model`, each a name.
    fn model(&mut self, id: &str) -> String {
        match id.split_once('/') {
            Some((provider, model)) if !self.is_known(id) => format!("{}/{}", self.name(provider), self.name(model)),
            _ => self.name(id),
        }
    }

    /// A breakpoint, as it is written, with its names replaced.
    fn condition(&mut self, written: &str) -> String {
        let part = |part: &str| match part.split_once(':') {
            Some((what @ ("handoff" | "from" | "tool" | "event"), name)) => format!("{what}:{}", self.name(name)),
            _ => part.to_owned(),
        };
        written.split(',').map(part).collect::<Vec<_>>().join(",")
    }
}

/// As long as the text, with as many lines and words, and the number of the text and its length where they fit. A text shorter than
/// its number becomes longer.
fn filler(no: usize, text: &str) -> String {
    let mut says = [format!("[text-{no},{}-bytes]", text.len()), format!("text-{no}"), format!("t{no}")].into_iter();
    let mut out = String::with_capacity(text.len());
    let mut marks = true;
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        // Whether it is a page of the web is no secret.
        let scheme =
            ["https://", "http://"].into_iter().find(|scheme| n == 0 && line.starts_with(scheme)).unwrap_or("");
        out.push_str(scheme);
        let (mut bytes, mut words) = (line.len() - scheme.len(), line.split_whitespace().count());
        if marks && words > 0 {
            marks = false;
            let mark = says.find(|says| says.len() <= bytes).unwrap_or_else(|| format!("t{no}"));
            out.push_str(&mark);
            bytes = bytes.saturating_sub(mark.len());
            words -= 1;
            if words > 0 && bytes > 1 {
                out.push(' ');
                bytes -= 1;
            }
        }
        fill(&mut out, bytes, words.clamp(1, bytes.div_ceil(2).max(1)));
    }
    out
}

/// A number of bytes and of words.
fn fill(out: &mut String, bytes: usize, words: usize) {
    let letters = bytes.saturating_sub(words - 1);
    for n in 0..words {
        if n > 0 {
            out.push(' ');
        }
        let long = letters / words + usize::from(n < letters % words);
        out.extend(std::iter::repeat_n('x', long));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_filler_says_which_text_it_stands_for_and_how_long_that_was() {
        assert_eq!(filler(12, "Payload indexes restrict the HNSW walk."), "[text-12,39-bytes] xxxx xxx xxx xxx xxx");
        assert_eq!(filler(3, "pgvector"), "text-3xx");
        assert_eq!(filler(3, "a\n\nlonger line of it"), "t3\n\nxxxx xxxx xxx xxx");
        assert_eq!(filler(7, "https://docs.rs/serde"), "https://text-7xxxxxxx");
    }

    proptest! {
        #[test]
        fn a_filler_has_the_length_the_lines_and_no_word_of_its_text(text in "[a-zé]{3,12}([ \n][b-wé]{3,12}){0,20}", no in 1..99_999usize) {
            let filler = filler(no, &text);
            prop_assert_eq!(filler.matches('\n').count(), text.matches('\n').count());
            let first = text.lines().next().unwrap_or_default().len();
            if first >= 6 {
                prop_assert_eq!(filler.len(), text.len());
            }
            prop_assert!(filler.is_ascii());
        }
    }
}
