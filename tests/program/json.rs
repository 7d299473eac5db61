//! `docs/json.md` lists the output of the types: every event, every field, and which may be missing.

use std::path::Path;

const JSON: &str = include_str!("../../docs/json.md");

/// The types whose tables stand in `docs/json.md`, in the order of the tables, by the files that define them.
const TYPES: &[(&str, &str)] = &[
    ("run/handoff.rs", "Handoff"),
    ("run/event/opened.rs", "Opened"),
    ("run/event/opened.rs", "Called"),
    ("run/handoff/payload.rs", "payload!"),
    ("run/plan.rs", "Plan"),
    ("run/plan.rs", "Task"),
    ("run/finding.rs", "Finding"),
    ("run/finding.rs", "Edit"),
    ("run/evidence.rs", "Place"),
    ("run/evidence.rs", "SourceRef"),
    ("run/verdict.rs", "Verdict"),
    ("run/verdict.rs", "Issue"),
    ("run/verdict.rs", "Check"),
    ("export/lib.rs", "Exported"),
    ("export/lib.rs", "ExportedBrief"),
    ("export/lib.rs", "ExportedSentence"),
    ("export/lib.rs", "ExportedSource"),
    ("run/brief/numbering.rs", "Yours"),
    ("run/deed.rs", "Deed"),
    ("cli/runs.rs", "RunLine"),
    ("run/status.rs", "Status"),
    ("run/status.rs", "Member"),
    ("run/status.rs", "ToCome"),
    ("run/status.rs", "Taken"),
    ("run/compare.rs", "Comparison"),
    ("run/compare.rs", "Side"),
    ("run/measured.rs", "Measured"),
    ("run/compare.rs", "FirstUnlike"),
    ("run/compare.rs", "Row"),
    ("run/compare.rs", "Stage"),
    ("run/compare.rs", "Took"),
];

fn source(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file)).unwrap()
}

/// The lines between the line that begins so and the one that closes it.
fn body(source: &str, begins: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = source.lines().skip_while(|line| !begins(line));
    let first = lines.next().expect("it is defined there");
    let end = format!("{}}}", &first[..first.len() - first.trim_start().len()]);
    lines.take_while(|line| !line.starts_with(&end)).map(|line| line.trim().to_owned()).collect()
}

/// The fields that lines of a struct define, as the tables write them: `name`, with `?` where it may be missing.
fn fields<'a>(lines: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let (mut found, mut attributes) = (Vec::new(), String::new());
    for line in lines {
        if line.starts_with("#[") || line.starts_with("//") {
            attributes.push_str(line.strip_prefix("#[").unwrap_or_default());
            continue;
        }
        let Some((name, _)) = line.split_once(": ") else { continue };
        let renamed = attributes.split("rename = \"").nth(1).and_then(|rest| rest.split('"').next());
        let name = renamed.unwrap_or(name.trim_start_matches("pub ").trim_start_matches("r#"));
        let missing = if attributes.contains("skip_serializing_if") { "?" } else { "" };
        if !attributes.contains("flatten") {
            found.push(format!("`{name}`{missing}"));
        }
        attributes.clear();
    }
    found
}

fn fields_of(file: &str, name: &str) -> Vec<String> {
    let source = source(file);
    if name == "payload!" {
        // Each of its parts may be missing.
        return fields(&body(&source, |line| line == "payload! {")).iter().map(|field| format!("{field}?")).collect();
    }
    fields(&body(&source, |line| {
        let rest = line.trim_start_matches("pub ").strip_prefix("struct ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with([' ', '<']))
    }))
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Every event with its fields.
fn events() -> Vec<(String, Vec<String>)> {
    let lines = body(&source("run/event.rs"), |line| line == "pub enum Event {");
    let mut found = Vec::new();
    let mut lines = lines.iter().filter(|line| line.starts_with(|c: char| c.is_alphabetic() || c == '}' || c == '#'));
    while let Some(line) = lines.next() {
        let name: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
        let fields = match line[name.len()..].trim() {
            "{" => fields(lines.by_ref().take_while(|line| *line != "},")),
            "(Arc<Opening>)," => fields_of("run/event/opening.rs", "Opening"),
            "(Arc<Fork>)," => fields_of("run/fork.rs", "Fork"),
            other => {
                assert_eq!(other, ",", "{line}");
                Vec::new()
            }
        };
        found.push((snake(&name), fields));
    }
    found
}

/// The cells of the rows of the tables that have this head.
fn tables(head: &str) -> Vec<Vec<Vec<&'static str>>> {
    let after = JSON.split(head).skip(1);
    let rows = |table: &'static str| table.lines().skip(2).take_while(|line| line.starts_with("| `"));
    let cells = |row: &'static str| row.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    after.map(|table| rows(table).map(cells).collect()).collect()
}

#[test]
fn every_event_stands_in_the_reference_with_its_fields() {
    let all = events();
    assert!(all.len() > 30, "{all:?}");
    let [table] = &tables("| event | fields | happened |")[..] else { panic!("one table of events") };
    let told: Vec<(String, Vec<String>)> = table
        .iter()
        .map(|row| {
            let fields = row[1].split(", ").filter(|field| !field.is_empty()).map(str::to_owned).collect();
            (row[0].trim_matches('`').to_owned(), fields)
        })
        .collect();
    assert_eq!(told, all);
}

#[test]
fn every_field_stands_in_the_reference_and_whether_it_may_be_missing() {
    let tables = tables("| field | holds |");
    // The first one is of the line around an event.
    assert_eq!(tables.len(), TYPES.len() + 1);
    for ((file, name), table) in TYPES.iter().zip(&tables[1..]) {
        let told: Vec<&str> = table.iter().map(|row| row[0]).collect();
        assert_eq!(told, fields_of(file, name), "{name} in {file}");
    }
}
