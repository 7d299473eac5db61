//! Two runs compared, as a report to read and as JSON.

use std::fmt::Write as _;

use run::compare::{Comparison, In, Row, Stage, Took};

/// The report: numbers of each stage, then the differences. `<` is only in the first run, `>` only in the second.
pub fn compared(it: &Comparison) -> String {
    let mut out = String::new();
    let [first, second] = &it.runs;
    let mut line = |text: &str| {
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(&format!("< {}\n> {}", first.in_words(), second.in_words()));
    match it.same_question {
        true => line(&format!("question: {}", first.question)),
        false => {
            line(&format!("they were asked different questions:\n  < {}\n  > {}", first.question, second.question))
        }
    }
    match &it.unlike {
        Some(unlike) => {
            line(&format!("first request that differs: call {} of the {}: {}", unlike.nth(), unlike.role, unlike.how))
        }
        None => line(&it.requests_in_words()),
    }
    for (name, rows) in it.parts() {
        line(&format!("\n{name}: {}", it.in_numbers(rows)));
        rows.iter().flat_map(unlike_lines).for_each(|text| line(&text));
    }
    line("\nmeasured");
    for (name, first, second) in it.measures() {
        line(&format!("  {name:<36} < {first}  > {second}"));
    }
    line("\ncost and time by role");
    for Stage { role, first, second } in &it.stages {
        let took = |took: &Option<Took>| took.as_ref().map_or_else(|| "did not work".into(), Took::in_words);
        line(&format!("  {role:<12} < {}\n  {:<12} > {}", took(first), "", took(second)));
    }
    line("\nthis does not say which is better: that is yours to judge");
    out
}

fn unlike_lines(row: &Row) -> Vec<String> {
    let first = row.first.iter().map(|text| format!("  < {text}"));
    let second = row.second.iter().map(|text| format!("  > {text}"));
    match row.is {
        In::Both => Vec::new(),
        _ => first.chain(second).collect(),
    }
}

/// The whole comparison as one JSON object.
pub fn compared_json(it: &Comparison) -> String {
    // Plain data with string keys: making JSON of it cannot fail.
    text::escape_in_json(serde_json::to_string_pretty(it).unwrap_or_default())
}
