//! A transcript of a session, call by call: answers of the model with the tools that they call, and the results of these.
//!
//! It does not say of which agent a transcript is.

use std::collections::BTreeMap;

use run::foreign::{Note, NoteKind};
use run::model::{Content, Said, StopReason, ToolAnswer, Usage};
use run::{ModelId, Outcome, Payload};
use serde_json::Value;
use text::Clean;

use super::Log;
use super::digest::{Item, Piece, What};
use crate::story::{Asked, End, Ended};

/// The content of one transcript, call by call.
pub(super) struct Told<'a> {
    pub(super) key: &'a str,
    pub(super) workflow: Option<&'a str>,
    pub(super) begins: i64,
    ends: i64,
    /// The first text that was said in it, and the first that a person said.
    pub(super) first: Option<Clean>,
    pub(super) asked: Option<Clean>,
    pub(super) entries: Vec<Entry>,
    pub(super) results: BTreeMap<String, Brought>,
    interrupted: bool,
}

pub(super) enum Entry {
    Turn(Box<Turn>),
    Note(i64, Note),
}

/// An answer of the model with the tools that it calls.
pub(super) struct Turn {
    pub(super) at: i64,
    pub(super) end: i64,
    pub(super) asked: Asked,
    most_output: u64,
    pub(super) tools: Vec<(String, Clean, Value)>,
}

/// The result of a tool.
#[derive(Clone)]
pub(super) struct Brought {
    pub(super) at: i64,
    pub(super) text: Clean,
    /// The text of a report without the lines that the program added.
    pub(super) report: Clean,
    pub(super) failed: bool,
    pub(super) denied: Option<Clean>,
    pub(super) agent: Option<String>,
    pub(super) workflow: Option<String>,
    pub(super) launched: bool,
}

/// A transcript as it is read, item by item.
struct TranscriptReader<'a> {
    told: Told<'a>,
    /// The time of the last item (ms).
    now: i64,
    /// The names of the tools that were called, by call.
    names: BTreeMap<String, Clean>,
    /// The places of the answers among the entries, by their keys.
    answers: BTreeMap<String, usize>,
    /// The messages to the model since its last answer, and the time of the first.
    said: Vec<Said>,
    said_at: Option<i64>,
}

impl TranscriptReader<'_> {
    fn takes(&mut self, item: &Item) {
        // The order of lines counts: a clock that runs back stands still.
        self.now = self.now.max(item.at.unwrap_or(self.now));
        self.told.ends = self.now;
        match &item.what {
            What::Said { text, by_person } => self.takes_words(text, *by_person),
            What::Note(note) => {
                self.told.interrupted |= note.kind == NoteKind::Interrupted;
                self.notes(note.kind, &note.text);
            }
            What::Result { id, brought } => self.takes_result(id, brought),
            What::Answer(piece) => self.takes_answer(piece),
        }
    }

    fn notes(&mut self, kind: NoteKind, text: &Clean) {
        self.told.entries.push(Entry::Note(self.now, Note { kind, text: text.clone() }));
    }

    fn takes_words(&mut self, text: &Clean, by_person: bool) {
        if self.told.first.is_none() {
            self.told.first = Some(text.clone());
        } else if by_person {
            self.notes(NoteKind::Said, text);
        }
        if by_person && self.told.asked.is_none() {
            self.told.asked = Some(text.clone());
        }
        self.told.interrupted = false;
        self.said.push(Said::User { text: text.clone() });
        self.said_at.get_or_insert(self.now);
    }

    fn takes_result(&mut self, id: &str, brought: &Brought) {
        let brought = Brought { at: self.now, ..brought.clone() };
        let name = self.names.get(id).cloned().unwrap_or_default();
        let (call, text, failed) = (Clean::line(id), brought.text.clone(), brought.failed);
        let answer = ToolAnswer { call, name, text, failed, not_made: false };
        match self.said.last_mut() {
            Some(Said::Results { results }) => results.push(answer),
            _ => self.said.push(Said::Results { results: vec![answer] }),
        }
        self.said_at.get_or_insert(self.now);
        if let Some(kind) = &brought.denied {
            self.notes(NoteKind::Denied, kind);
        }
        self.told.results.insert(id.to_owned(), brought);
    }

    /// An answer comes in pieces, a record each.
    fn takes_answer(&mut self, piece: &Piece) {
        self.told.interrupted = false;
        for (id, name, _) in &piece.tools {
            self.names.insert(id.clone(), name.clone());
        }
        let known = self.answers.get(&piece.key).and_then(|at| self.told.entries.get_mut(*at));
        match known {
            Some(Entry::Turn(turn)) => turn.add(piece, self.now),
            _ => {
                let at = self.said_at.take().unwrap_or(self.now);
                let mut turn = Turn::new(piece, at, std::mem::take(&mut self.said));
                turn.add(piece, self.now);
                self.answers.insert(piece.key.clone(), self.told.entries.len());
                self.told.entries.push(Entry::Turn(Box::new(turn)));
            }
        }
    }
}

impl<'a> Told<'a> {
    pub(super) fn of(key: &'a str, log: &'a Log) -> Told<'a> {
        let begins = log.items.iter().find_map(|item| item.at).unwrap_or(0);
        let told = Told {
            key,
            workflow: log.workflow.as_deref(),
            begins,
            ends: begins,
            first: None,
            asked: None,
            entries: Vec::new(),
            results: BTreeMap::new(),
            interrupted: false,
        };
        let mut reader = TranscriptReader {
            now: begins,
            told,
            names: BTreeMap::new(),
            answers: BTreeMap::new(),
            said: Vec::new(),
            said_at: None,
        };
        log.items.iter().for_each(|item| reader.takes(item));
        reader.told
    }

    fn last_turn(&self) -> Option<&Turn> {
        self.entries.iter().rev().find_map(|entry| if let Entry::Turn(turn) = entry { Some(&**turn) } else { None })
    }

    /// Its state where no other record gives it: with the end of an answer it is done.
    pub(super) fn own_end(&self) -> Option<End> {
        let last = self.last_turn()?;
        let text: Vec<&str> = last
            .asked
            .content
            .iter()
            .filter_map(|c| if let Content::Text { text } = c { Some(&**text) } else { None })
            .collect();
        let payload = if text.is_empty() { Payload::default() } else { Payload::note(text.join("\n")) };
        let end = |outcome| Some(End { at: self.ends, outcome, payload });
        match &last.asked.stop {
            _ if self.interrupted => end(Outcome::Cancelled),
            StopReason::End => end(Outcome::Done),
            StopReason::Refusal(_) => end(Outcome::Failed("the model refused".into())),
            _ => None,
        }
    }
}

impl Turn {
    fn new(piece: &Piece, at: i64, said: Vec<Said>) -> Turn {
        let asked = Asked {
            model: ModelId { provider: "anthropic".into(), model: piece.model.clone() },
            said,
            max_tokens: 0,
            content: Vec::new(),
            stop: StopReason::Other("cut".into()),
            usage: Usage::default(),
            served_by: piece.model.clone(),
            id: piece.request.clone(),
            first_ms: 0,
            end: Ended::NotYet,
        };
        Turn { at, end: at, asked, most_output: 0, tools: Vec::new() }
    }

    /// Takes in one more line of the answer. Its first lines tell of tokens as they were then: the most is the last.
    fn add(&mut self, piece: &Piece, now: i64) {
        self.end = self.end.max(now);
        self.asked.end = Ended::At(self.end);
        self.asked.content.extend(piece.content.iter().cloned());
        self.tools.extend(piece.tools.iter().cloned());
        if let Some(stop) = &piece.stop {
            self.asked.stop = stop.clone();
        }
        if let Some(usage) = piece.usage.filter(|usage| usage.output >= self.most_output) {
            self.most_output = usage.output;
            self.asked.usage = usage;
        }
    }
}
