//! The parts of a payload as rows that can be selected and written anew: words as words, lists of words a line each, and
//! everything else as JSON.

use std::fmt;

use serde_json::Value;

use crate::inspect::telling;
use crate::prelude::*;
use run::Payload;
use run::handoff::{Part, PartName};

/// A part, or an item of one that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    pub part: PartName,
    /// From 0.
    pub item: Option<usize>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            Some(item) => write!(f, "{} {}", self.part, item + 1),
            None => write!(f, "{}", self.part),
        }
    }
}

/// A row: its name, and its value.
#[derive(Clone, Debug)]
pub struct Row {
    pub path: Path,
    pub value: Value,
    /// Its gist, in a line.
    pub gist: String,
}

/// The rows of a payload. A list of things that have parts of their own has a row for each.
pub fn rows(payload: &Payload) -> Vec<Row> {
    let mut rows = Vec::new();
    for part in payload.parts() {
        let (name, value) = (part.name(), value_of(part));
        let items = match &value {
            Value::Array(items) if items.iter().any(Value::is_object) => items.clone(),
            _ => Vec::new(),
        };
        let says = if items.is_empty() { gist(&value) } else { items.len().to_string() };
        rows.push(Row { path: Path { part: name, item: None }, value, gist: says });
        let item = |(n, value): (usize, Value)| {
            let gist = gist(&value);
            Row { path: Path { part: name, item: Some(n) }, value, gist }
        };
        rows.extend(items.into_iter().enumerate().map(item));
    }
    rows
}

fn value_of(part: Part<'_>) -> Value {
    // Plain data with string keys: making JSON of it cannot fail.
    serde_json::to_value(part).unwrap_or_default()
}

/// A value in a line: of an object the words that say most of it, else all of its content. A true value says its name, and a false
/// one says nothing.
fn gist(value: &Value) -> String {
    match value {
        Value::String(text) => flat(text).into_owned(),
        Value::Array(items) => listed(items.iter().map(gist)),
        Value::Object(fields) => match telling(value) {
            says if !says.is_empty() => says,
            _ => listed(fields.iter().map(|(name, value)| match value {
                Value::Bool(true) => flat(name).into_owned(),
                Value::Bool(false) | Value::Null => String::new(),
                value => gist(value),
            })),
        },
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    words.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn is_lines(value: &Value) -> bool {
    matches!(value, Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string))
}

/// A value as a person writes it.
pub fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if is_lines(value) => {
            items.iter().filter_map(Value::as_str).map(|line| line.replace('\n', " ")).collect::<Vec<_>>().join("\n")
        }
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn read(was: &Value, words: &str) -> Result<Value, String> {
    match was {
        Value::String(_) => Ok(Value::String(words.trim().into())),
        Value::Array(_) if is_lines(was) => {
            let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
            Ok(lines.map(|line| Value::String(line.into())).collect())
        }
        _ => serde_json::from_str(words).map_err(|error| format!("this is no JSON: {error}")),
    }
}

/// A payload with another value at this place. Nothing written there takes the part, or the item, out.
///
/// # Errors
/// It cannot be read: in words for the person.
pub fn with(payload: &Payload, path: Path, words: &str) -> Result<Payload, String> {
    let mut whole = serde_json::to_value(payload).map_err(|error| error.to_string())?;
    let name = serde_json::to_value(path.part).map_err(|error| error.to_string())?;
    let (Some(fields), Some(name)) = (whole.as_object_mut(), name.as_str()) else {
        return Err("this part is not there any more".into());
    };
    let gone = || "this part is not there any more".to_string();
    let is_out = words.trim().is_empty();
    match path.item {
        None if is_out => drop(fields.remove(name)),
        None => {
            let was = fields.get_mut(name).ok_or_else(gone)?;
            *was = read(was, words)?;
        }
        Some(item) => {
            let items = fields.get_mut(name).and_then(Value::as_array_mut).ok_or_else(gone)?;
            let was = items.get_mut(item).ok_or_else(gone)?;
            if is_out {
                items.remove(item);
            } else {
                *was = read(was, words)?;
            }
        }
    }
    serde_json::from_value(whole).map_err(|error| format!("that is no `{path}`: {}", Clean::line(&error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Payload {
        Payload {
            question: Some("Why?".into()),
            findings: Some(crate::fixture::findings()),
            length: Some(300),
            notes: Some(vec!["one".into(), "two".into()]),
            ..Payload::default()
        }
    }

    fn path(part: PartName, item: Option<usize>) -> Path {
        Path { part, item }
    }

    #[test]
    fn a_list_of_findings_has_a_row_for_each_and_words_have_one() {
        let rows = rows(&payload());
        let shown: Vec<String> = rows.iter().map(|row| row.path.to_string()).collect();
        assert_eq!(shown[..3], ["question", "findings", "findings 1"]);
        assert_eq!(shown[shown.len() - 2..], ["length", "note"]);
        assert_eq!(rows[2].gist, crate::fixture::findings()[0].claim.as_str());
    }

    #[test]
    fn a_part_without_a_title_says_what_is_in_it() {
        let named =
            text::Named { compares: true, things: vec!["pgvector".into(), "Qdrant".into()], ..Default::default() };
        let rows = rows(&Payload { named: Some(named), ..Payload::default() });
        assert_eq!(rows[0].gist, "compares · pgvector · Qdrant");
    }

    #[test]
    fn what_is_written_as_it_stands_changes_nothing() {
        let payload = payload();
        for row in rows(&payload) {
            assert_eq!(with(&payload, row.path, &written(&row.value)).unwrap(), payload, "{}", row.path);
        }
    }

    #[test]
    fn parts_are_written_anew_and_taken_out_and_what_they_cannot_be_is_said() {
        let payload = payload();
        let asked = with(&payload, path(PartName::Question, None), " How? ").unwrap();
        assert_eq!(asked.question.as_deref(), Some("How?"));
        assert_eq!(with(&payload, path(PartName::Notes, None), "one\n\nthree").unwrap().notes(), ["one", "three"]);
        let fewer = with(&payload, path(PartName::Findings, Some(0)), "  ").unwrap();
        assert_eq!(fewer.findings(), &payload.findings()[1..]);
        assert_eq!(with(&payload, path(PartName::Length, None), "").unwrap().length, None);
        for (at, words, says) in [
            (path(PartName::Length, None), "many", "this is no JSON"),
            (path(PartName::Length, None), "-1", "that is no `length`"),
            (path(PartName::Findings, Some(0)), "{}", "that is no `findings 1`"),
            (path(PartName::Plan, None), "{}", "not there any more"),
        ] {
            let why = with(&payload, at, words).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }
}
