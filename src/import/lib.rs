//! Runs of other programs, read from the bytes of their files: one importer a file, each from records to a [`story::Story`],
//! and one way from there to events.
//!
//! Pure: bytes come in, events go out. Files are read in pieces, so that memory holds their content, not their bytes.

mod claude_code;
mod codex;
mod conversation;
mod detect;
mod langfuse;
mod langsmith;
pub mod live;
mod messages;
mod openai_agents;
mod otlp;
mod records;
pub mod story;
pub mod summary;
mod told;
mod tree;

use std::collections::BTreeMap;

use run::Envelope;
use run::foreign::Format;
use text::Clean;

pub use detect::Detected;
pub use live::Malformed;
use messages::{Beginning, Messages, beginning};
use records::{Records, Taken};
pub use story::{Story, Teller, run_id};

/// A record that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread;

/// A reader of one form of file.
trait Importer {
    /// Takes in the next record of a file: a line, or the whole of it where it is one document.
    ///
    /// # Errors
    /// It is no record; its readable part is kept.
    fn record(&mut self, file: &str, bytes: &[u8]) -> Result<(), Unread>;

    /// Takes in the next message of protobuf of a file, the last of which may be cut.
    ///
    /// # Errors
    /// It is no such message; its readable part is kept.
    fn message(&mut self, _bytes: &[u8], _is_cut: bool) -> Result<(), Unread> {
        Err(Unread)
    }

    /// Counts a record of a file that could not be read.
    fn unread(&mut self, _file: &str) {}

    /// The runs that were told of.
    fn stories(self: Box<Self>) -> Vec<Story>;
}

fn importer(format: Format) -> Box<dyn Importer> {
    match format {
        Format::ClaudeCode => Box::<claude_code::ClaudeCode>::default(),
        Format::Otlp => Box::<otlp::Otlp>::default(),
        Format::Langsmith => Box::<langsmith::Langsmith>::default(),
        Format::OpenaiAgents => Box::<openai_agents::OpenaiAgents>::default(),
        Format::Langfuse => Box::<langfuse::Langfuse>::default(),
        Format::Codex => Box::<codex::Codex>::default(),
    }
}

/// Files of other programs, as they are read.
#[derive(Default)]
pub struct Import {
    /// The form, where a person has said it.
    given: Option<Format>,
    importers: BTreeMap<Format, Reading>,
    file: Option<File>,
    /// The files of no known form, one of each: the file, and its supposed form.
    strangers: Vec<(String, Detected)>,
}

struct Reading {
    importer: Box<dyn Importer>,
    unread: u64,
    /// Records of other forms in the same files.
    others: BTreeMap<Format, u64>,
}

/// The file that is being read.
struct File {
    name: String,
    records: Records,
    /// Its first bytes, kept until they tell whether it is text.
    head: Vec<u8>,
    is_text: bool,
    messages: Option<Messages>,
    form: FileForm,
    torn: u64,
    looked: Detected,
    /// The form of records by the first field of theirs, where it is another than that of the file.
    by_first_field: BTreeMap<Vec<u8>, Option<Format>>,
    /// Records of other forms, which are left out.
    others: BTreeMap<Format, u64>,
}

/// The form of a file, as far as it is known.
enum FileForm {
    /// None of the records so far says it; they are kept until one does.
    Looking(Vec<Vec<u8>>),
    Known(Format),
    /// None of the first [`detect::MOST_RECORDS`] records says it: no more of them are looked at.
    GivenUp,
}

impl FileForm {
    fn known(&self) -> Option<Format> {
        if let FileForm::Known(format) = self { Some(*format) } else { None }
    }
}

/// The most first fields that are remembered of a file.
const MOST_FIRST_FIELDS: usize = 64;

impl Import {
    /// An import of the given form, or of the form that each file shows by its content.
    pub fn new(given: Option<Format>) -> Import {
        Import { given, ..Import::default() }
    }

    /// Begins a file, by its name with `/` between its parts: some forms say by the name which part of a run a file is.
    pub fn begin(&mut self, name: &str) {
        self.finish();
        let format = self.given.or_else(|| detect::by_name(name));
        let form = format.map_or_else(|| FileForm::Looking(Vec::new()), FileForm::Known);
        self.file = Some(File {
            name: name.into(),
            records: Records::default(),
            head: Vec::new(),
            is_text: false,
            messages: None,
            form,
            torn: 0,
            looked: Detected::Nothing,
            by_first_field: BTreeMap::new(),
            others: BTreeMap::new(),
        });
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        let Some(mut file) = self.file.take() else { return };
        self.add(&mut file, bytes, false);
        self.file = Some(file);
    }

    fn add(&mut self, file: &mut File, bytes: &[u8], is_all: bool) {
        if !file.is_text && file.messages.is_none() {
            file.head.extend_from_slice(bytes);
            match beginning(&file.head, is_all) {
                Beginning::Unknown => return,
                Beginning::Messages { framed } if file.form.known().is_none_or(|format| format == Format::Otlp) => {
                    file.form = FileForm::Known(Format::Otlp);
                    file.messages = Some(Messages::new(framed));
                }
                Beginning::Text | Beginning::Messages { .. } => file.is_text = true,
            }
            let head = std::mem::take(&mut file.head);
            return self.add(file, &head, is_all);
        }
        match file.messages.take() {
            Some(mut messages) => {
                messages.push(bytes, &mut |taken, is_cut| self.message(file, taken, is_cut));
                file.messages = Some(messages);
            }
            None => {
                let mut records = std::mem::take(&mut file.records);
                records.push(bytes, &mut |taken| self.take(file, taken));
                file.records = records;
            }
        }
    }

    fn message(&mut self, file: &mut File, taken: Taken<'_>, is_cut: bool) {
        let Taken::Record(bytes) = taken else { return file.torn += 1 };
        let read = self.reading(Format::Otlp).importer.message(bytes, is_cut);
        file.torn += u64::from(read.is_err());
    }

    /// Ends the file.
    pub fn finish(&mut self) {
        let Some(mut file) = self.file.take() else { return };
        self.add(&mut file, &[], true);
        if let Some(messages) = file.messages.take() {
            messages.end(&mut |taken, is_cut| self.message(&mut file, taken, is_cut));
        }
        let records = std::mem::take(&mut file.records);
        records.end(&mut |taken| self.take(&mut file, taken));
        match file.form.known() {
            Some(format) => {
                let reading = self.reading(format);
                reading.unread += file.torn;
                (0..file.torn).for_each(|_| reading.importer.unread(&file.name));
                for (other, n) in file.others {
                    *reading.others.entry(other).or_default() += n;
                }
            }
            None => self.strangers.push((file.name, file.looked)),
        }
    }

    fn reading(&mut self, format: Format) -> &mut Reading {
        self.importers.entry(format).or_insert_with(|| Reading {
            importer: importer(format),
            unread: 0,
            others: BTreeMap::new(),
        })
    }

    fn take(&mut self, file: &mut File, taken: Taken<'_>) {
        let Taken::Record(bytes) = taken else { return file.torn += 1 };
        match &mut file.form {
            FileForm::Known(format) => {
                let format = *format;
                self.give(file, format, bytes);
            }
            FileForm::Looking(waiting) => match detect::of(bytes) {
                Detected::Format(format) => {
                    let waiting = std::mem::take(waiting);
                    file.form = FileForm::Known(format);
                    waiting.iter().for_each(|waiting| self.give(file, format, waiting));
                    self.give(file, format, bytes);
                }
                // A record that says nothing of its form may stand before one that does.
                looked => {
                    file.looked = file.looked.clone().or(looked);
                    match bytes.len() <= detect::MOST_WAITING {
                        true => waiting.push(bytes.to_vec()),
                        false => file.torn += 1,
                    }
                    if waiting.len() == detect::MOST_RECORDS {
                        file.form = FileForm::GivenUp;
                    }
                }
            },
            FileForm::GivenUp => {}
        }
    }

    fn give(&mut self, file: &mut File, format: Format, bytes: &[u8]) {
        if let Some(other) = self.other_form(file, format, bytes) {
            *file.others.entry(other).or_default() += 1;
            return;
        }
        let given = self.reading(format).importer.record(&file.name, bytes);
        file.torn += u64::from(given.is_err());
    }

    /// The form of a record, where it is another than that of its file. To look at each would take as long as to read it: only those
    /// are looked at that begin with a field with which none began before, or with one that another form has.
    fn other_form(&self, file: &mut File, format: Format, bytes: &[u8]) -> Option<Format> {
        let field = first_field(bytes).filter(|_| self.given.is_none())?;
        if file.by_first_field.get(field).is_some_and(Option::is_none) {
            return None;
        }
        let other = match detect::of_whole(bytes) {
            Detected::Format(other) if other != format => Some(other),
            _ => None,
        };
        if file.by_first_field.len() < MOST_FIRST_FIELDS {
            file.by_first_field.entry(field.to_vec()).or_insert(other);
        }
        other
    }

    /// Files of no known form, with their supposed forms.
    pub fn strangers(&self) -> &[(String, Detected)] {
        &self.strangers
    }

    /// The runs that were told of, the first one first.
    pub fn stories(mut self) -> Vec<Story> {
        self.finish();
        let mut stories: Vec<Story> = Vec::new();
        for (format, reading) in self.importers {
            let mut told = reading.importer.stories();
            for (other, n) in reading.others {
                let remark = Clean::from(format!("{} of another form ({other}) left out", text::count(n, "record")));
                told.iter_mut().for_each(|story| story.origin.remarks.push(remark.clone()));
            }
            // In formats that hold many runs, torn records belong to none and to all.
            if !format.is_by_assignment() {
                told.iter_mut().for_each(|story| story.origin.unread = reading.unread);
            }
            stories.extend(told);
        }
        stories.sort_by(|a, b| {
            let begins = |story: &Story| story.agents.first().map_or(0, |agent| agent.at);
            (begins(a), &a.origin.id).cmp(&(begins(b), &b.origin.id))
        });
        stories
    }
}

/// The name of the first field of a record in JSON, as it is written there.
fn first_field(record: &[u8]) -> Option<&[u8]> {
    let inside = record.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = inside.iter().take(64).position(|byte| *byte == b'"')?;
    Some(&inside[..end])
}

/// Whether the beginning of a file is that of a session's transcript.
pub fn is_session(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut looked = lines.take(detect::MOST_RECORDS).map(|line| detect::of(line.trim_ascii()));
    looked.find_map(|looked| if let Detected::Format(format) = looked { Some(format) } else { None })
        == Some(Format::ClaudeCode)
}

/// Whether the beginning of a file is that of a Codex thread that a person began, and not a sub-agent.
pub fn is_thread(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    line.and_then(|line| serde_json::from_slice(line).ok()).is_some_and(|first| codex::is_of_a_person(&first))
}

/// The events of a story: see [`Teller`].
pub fn events(story: Story, teller: &Teller<'_>) -> Vec<Envelope> {
    teller.events(story)
}
