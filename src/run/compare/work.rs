//! The tasks, tool calls, answers and reports of the agents of two runs, side by side: for runs that other programs led, which have
//! no plan, findings or brief.

use super::{In, Named, Row, matched};
use crate::describe;
use crate::handoff::Payload;
use crate::state::{Assignment, Run};
use crate::tool::ToolResult;
use crate::transcript::{Call, CallEnd, Did};
use text::Clean;

/// The most of a long text that is shown, in bytes, and how much of that is before the first difference.
const SHOWN: usize = 300;
const BEFORE: usize = 80;

/// The rows of both runs; none where neither is of another program.
pub(super) fn work(first: &Run, second: &Run) -> Vec<Row> {
    if !first.is_imported() && !second.is_imported() {
        return Vec::new();
    }
    matched(&told(first), &told(second)).into_iter().map(shortened).collect()
}

/// The tasks, actions and reports of each agent, in order; by agent and kind, so that the same is beside the same.
fn told(run: &Run) -> Named {
    let of = |one: &Assignment| {
        let name = describe::name(one);
        let named = |(kind, says): (String, String)| {
            let says = Clean::line(&format!("{name} {kind}: {says}"));
            (format!("{name} {kind}"), says)
        };
        said(one).into_iter().map(named).collect::<Named>()
    };
    run.assignments().flat_map(of).collect()
}

/// The task, tool calls, answers and report of an assignment, in order, each with its kind.
pub fn said(one: &Assignment) -> Vec<(String, String)> {
    let mut all = vec![("was handed".into(), words(&one.transcript.handoff.payload))];
    for turn in &one.transcript.turns {
        match &turn.did {
            Did::Tools(calls) => {
                all.extend(calls.iter().map(|call| (format!("used {}", call.request.name), used(call))));
            }
            Did::Asked(exchange) => {
                let text = exchange.reply().map(|reply| reply.text()).filter(|text| !text.trim().is_empty());
                all.extend(text.map(|text| ("answered".into(), text)));
            }
            _ => {}
        }
    }
    if let Some((outcome, report)) = &one.ended {
        all.push(("reported".into(), format!("{outcome}: {}", words(&report.payload))));
    }
    all
}

fn used(call: &Call) -> String {
    let result = match &call.end {
        CallEnd::Returned(result) => match &**result {
            ToolResult::Text { text } => text.to_string(),
            other => serde_json::to_string(other).unwrap_or_default(),
        },
        CallEnd::Failed(why) => format!("failed: {why}"),
        _ => "no result".into(),
    };
    format!("{} → {result}", call.request.arguments.get())
}

/// The notes of a payload and its data.
fn words(payload: &Payload) -> String {
    let notes = payload.notes().iter().map(ToString::to_string);
    let words: Vec<String> = notes.chain(payload.data.iter().map(|data| data.get().to_string())).collect();
    if words.is_empty() { "nothing".into() } else { words.join(" ") }
}

/// A row cut to the surroundings of the first difference of its texts.
fn shortened(row: Row) -> Row {
    let text = |text: &Option<Clean>| text.clone().unwrap_or_default();
    let (first, second) = (text(&row.first), text(&row.second));
    let alike = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
    let from = if row.is == In::Changed { alike.saturating_sub(BEFORE) } else { 0 };
    let around = |text: Clean| -> Clean {
        if text.len() <= SHOWN {
            return text;
        }
        let from = text.floor_char_boundary(from);
        let to = text.floor_char_boundary(from + SHOWN);
        let (before, after) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
        format!("{before}{}{after}", &text[from..to]).into()
    };
    Row { is: row.is, first: row.first.map(around), second: row.second.map(around) }
}
