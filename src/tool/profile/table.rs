//! Tables and JSON lines: anomalous rows, and anomalies of each column.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use super::column::{self, Value};
use super::{Line, lines, measure, overview, places, shown};
use run::Block;
use run::cells::{CUT_OFF, parted};
use run::evidence::BlockKind;
use run::profile::{Ailment, Measure, Profile};

/// The fields of a record.
type Fields = serde_json::Map<String, Json>;
/// The index of a record, the value of one of its fields, and its line.
type Field<'a> = (usize, &'a Json, &'a Arc<Block>);

/// The cells of a row, and its block.
type Row<'a> = (Vec<&'a str>, &'a Arc<Block>);

pub(super) fn of_rows(file: &str, all: &[Line<'_>]) -> Vec<Measure> {
    let header = all.iter().find_map(|line| line.block.intro.as_ref());
    let (names, all) = match below_comments(all) {
        // Names that are too long to be kept with each row are in a row of their own.
        [first, rows @ ..] if header.is_some() && first.block.columns().is_none() && is_row(first) => {
            (Some(&*first.text), rows)
        }
        rows => (header.map(|header| &**header), rows),
    };
    let mut rows: Vec<Row<'_>> = all.iter().map(|line| (cells(&line.text), line.block)).collect();
    // A row without a second cell is a paragraph, and a long one several.
    rows.dedup_by_key(|(_, block)| block.line);
    let names = column_names(names, &rows);
    let whole: Vec<&Row<'_>> = rows.iter().filter(|(cells, _)| cells.len() == names.len()).collect();
    let mut measures = Vec::new();
    if let Some((_, first)) = rows.first() {
        let shown: Vec<&str> = names.iter().map(|name| &**name).collect();
        let says = format!("{file} has {} rows in {} columns: {}.", rows.len(), names.len(), listed(&shown));
        measures.push(overview(rows.len(), first, says));
    }
    let odd: Vec<&Arc<Block>> =
        rows.iter().filter(|(cells, _)| cells.len() != names.len()).map(|(_, block)| *block).collect();
    if let Some(first) = odd.first() {
        let says = format!(
            "{file}: {} another number of fields than the {} that {} ({}).",
            lines(odd.len(), "has", "have"),
            names.len(),
            if header.is_some() { "the first line names" } else { "most lines have" },
            places(&odd)
        );
        measures.push(measure(Ailment::Fields, odd.len(), first, says));
    }
    measures.extend(same_rows(file, all));
    for (at, name) in names.iter().enumerate() {
        let values: Vec<Value<'_>> = whole.iter().map(|(cells, block)| (cells[at].to_owned(), *block)).collect();
        measures.extend(column::of(file, name, &values, is_key(name, at)));
    }
    measures
}

fn is_row(line: &Line<'_>) -> bool {
    line.block.kind == BlockKind::TableRow
}

/// The lines of a table without the comments above it. A line of one cell right below the column names is none: no line is between it
/// and the first row.
fn below_comments<'l, 'a>(all: &'l [Line<'a>]) -> &'l [Line<'a>] {
    let mut first = all.iter().position(is_row).unwrap_or(0);
    if all.get(first).is_some_and(|line| line.block.columns().is_some()) {
        while first > 0 && all[first].block.line.saturating_sub(all[first - 1].block.line) == 1 {
            first -= 1;
        }
    }
    &all[first..]
}

/// The most names of columns or fields that are listed.
const MOST_NAMES: usize = 60;

/// "a, b, c": the first of many names, the beginning of long ones.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| short(name)).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The beginning of a name.
fn short(name: &str) -> String {
    let cut: String = name.chars().take(72).collect();
    if cut.len() < name.len() { format!("{cut}…") } else { cut }
}

fn cells(row: &str) -> Vec<&str> {
    parted(row).into_iter().map(|(_, cell)| cell).collect()
}

/// The names of the columns; one without a name is called by its number. If not all names were kept, or none are known, there are as
/// many columns as most rows have cells.
fn column_names<'a>(header: Option<&'a str>, rows: &[Row<'_>]) -> Vec<Cow<'a, str>> {
    let mut names = cells(header.unwrap_or(CUT_OFF));
    if names.last() == Some(&CUT_OFF) {
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        rows.iter().for_each(|(cells, _)| *widths.entry(cells.len()).or_default() += 1);
        let usual = widths.into_iter().max_by_key(|(_, rows)| *rows).map_or(0, |(width, _)| width);
        names.pop();
        names.resize(names.len().max(usual), "");
    }
    let called = |(at, name): (usize, &'a str)| match name {
        "" => Cow::Owned(format!("column {}", at + 1)),
        name => Cow::Borrowed(name),
    };
    names.into_iter().enumerate().map(called).collect()
}

/// Whether a column identifies its rows: the first column, if its name is that of a key.
fn is_key(name: &str, at: usize) -> bool {
    let name = name.to_lowercase();
    at == 0
        && (name == "id"
            || name == "key"
            || name == "sku"
            || ["_id", " id", "number", "code", "uuid"].iter().any(|end| name.ends_with(end)))
}

/// Rows that are repeated verbatim.
fn same_rows(file: &str, all: &[Line<'_>]) -> Option<Measure> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let again: Vec<&Arc<Block>> = all.iter().filter(|line| !known.insert(&line.text)).map(|line| line.block).collect();
    let first = again.first()?;
    let says =
        format!("{file}: {} of an earlier line ({}).", lines(again.len(), "is a copy", "are copies"), places(&again));
    (again.len() * 5 < all.len()).then(|| measure(Ailment::Twice, again.len(), first, says))
}

pub(super) fn of_records<'a>(file: &str, all: &'a [Line<'a>]) -> Vec<Measure> {
    let data = all.iter().filter(|line| line.block.kind == BlockKind::Code);
    let read: Vec<(Option<Fields>, &Arc<Block>)> = data
        .map(|line| match serde_json::from_str(&line.text) {
            Ok(Json::Object(fields)) => (Some(fields), line.block),
            _ => (None, line.block),
        })
        .collect();
    let mut measures = Vec::new();
    let records: Vec<(&Fields, &Arc<Block>)> =
        read.iter().filter_map(|(fields, block)| Some((fields.as_ref()?, *block))).collect();
    // The places of each field, so that a rare field is not looked for in every record.
    let mut names: BTreeMap<&str, Vec<Field<'_>>> = BTreeMap::new();
    for (n, (fields, block)) in records.iter().enumerate() {
        fields.iter().for_each(|(name, value)| names.entry(name).or_default().push((n, value, *block)));
    }
    if let Some((_, first)) = read.first() {
        let known: Vec<&str> = names.keys().copied().collect();
        let says = format!("{file} has {} records with the fields {}.", read.len(), listed(&known));
        measures.push(overview(read.len(), first, says));
    }
    let broken: Vec<&Arc<Block>> =
        read.iter().filter(|(fields, _)| fields.is_none()).map(|(_, block)| *block).collect();
    if let Some(first) = broken.first() {
        let says = format!("{file}: {} no whole JSON object ({}).", lines(broken.len(), "is", "are"), places(&broken));
        measures.push(measure(Ailment::Broken, broken.len(), first, says));
    }
    let (seldom, usual): (Vec<_>, Vec<_>) = names.iter().partition(|(_, there)| there.len() * 5 < records.len());
    for (name, there) in seldom.into_iter().take(Profile::MOST_MEASURES) {
        let ((_, _, block), n) = (there[0], there.len());
        let (all, name) = (records.len(), shown(name));
        let says = format!("{file}: only {n} of {all} records have a field {name} (line {}).", block.line);
        measures.push(measure(Ailment::Fields, n, block, says));
    }
    for (name, there) in usual {
        let called = short(name);
        let is_key = is_key(name, 0);
        let mut with = there.iter().map(|(n, ..)| *n).peekable();
        let lacks =
            |(n, (_, block)): (usize, &(&Fields, &'a Arc<Block>))| with.next_if_eq(&n).is_none().then_some(*block);
        let without: Vec<&Arc<Block>> = records.iter().enumerate().filter_map(lacks).collect();
        if let Some(first) = without.first() {
            let (n, all) = (without.len(), records.len());
            let says = format!("{file}: {n} of {all} records have no `{called}` ({}).", places(&without));
            measures.push(measure(Ailment::Missing, n, first, says));
        }
        measures.extend(kinds(file, &called, there));
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: Vec<Value<'_>> = there.iter().map(|(_, value, block)| (text(value), *block)).collect();
        measures.extend(column::of(file, &called, &values, is_key));
    }
    measures
}

/// Values of another JSON type than most; a number in quotation marks is one.
fn kinds(file: &str, name: &str, there: &[Field<'_>]) -> Option<Measure> {
    let kind = |value: &Json| match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    let values: Vec<(&Json, &Arc<Block>)> = there.iter().map(|(_, value, block)| (*value, *block)).collect();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    values
        .iter()
        .filter(|(value, _)| !value.is_null())
        .for_each(|(value, _)| *known.entry(kind(value)).or_default() += 1);
    let (usual, n) = known.into_iter().max_by_key(|(_, n)| *n)?;
    let others: Vec<&(&Json, &Arc<Block>)> =
        values.iter().filter(|(value, _)| !value.is_null() && kind(value) != usual).collect();
    let (value, block) = others.first()?;
    if n * 10 < values.len() * 8 || n < 8 {
        return None;
    }
    let blocks: Vec<&Arc<Block>> = others.iter().map(|(_, block)| *block).collect();
    let says = format!(
        "{file}: `{name}` is {usual} in {n} records and {} in {}, such as {} ({}).",
        kind(value),
        others.len(),
        shown(&value.to_string()),
        places(&blocks)
    );
    Some(measure(Ailment::Kind, others.len(), block, says))
}
