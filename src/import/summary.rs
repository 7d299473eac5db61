//! The content of a file, as JSON: the agents, their calls, their handoffs.

use run::Run;
use run::foreign::NoteKind;
use run::state::Assignment;
use run::transcript::{CallEnd, Did, Exchange};
use serde::Serialize;

/// An imported run in short.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    assignments: Vec<Worker<'a>>,
    calls: Vec<Call<'a>>,
    tools: Vec<Tool<'a>>,
    handoffs: Vec<Crossed<'a>>,
    /// The questions to a person, their words and denials.
    asks: Vec<String>,
    /// Records that could not be read.
    unread: u64,
    /// Money as it was told there; null if none was.
    cost_usd: Option<f64>,
    totals: Totals,
}

#[derive(Debug, Serialize)]
struct Worker<'a> {
    id: &'a str,
    parent: Option<&'a str>,
    role: &'a str,
    title: &'a str,
    outcome: &'static str,
}

#[derive(Debug, Serialize)]
struct Call<'a> {
    assignment: &'a str,
    model: &'a str,
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
    /// Whether it ended without an answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    failed: bool,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    assignment: &'a str,
    name: &'a str,
    failed: bool,
}

#[derive(Debug, Serialize)]
struct Crossed<'a> {
    from: &'a str,
    to: &'a str,
    title: &'a str,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
}

/// The outcome in a word.
fn outcome(assignment: &Assignment) -> &'static str {
    assignment.ended.as_ref().map_or("running", |(outcome, _)| outcome.word())
}

/// The name of an assignment in its own program: only an imported run has such names.
fn id(one: &Assignment) -> &str {
    one.told.as_ref().map_or(one.role.as_str(), |told| told.id.as_str())
}

fn parent<'a>(run: &'a Run, one: &Assignment) -> Option<&'a str> {
    one.parent().and_then(|parent| run.assignment(parent)).map(id)
}

fn worker<'a>(run: &'a Run, one: &'a Assignment) -> Worker<'a> {
    let title = one.told.as_ref().map_or(one.title(), |told| told.name.as_str());
    Worker { id: id(one), parent: parent(run, one), role: one.role.as_str(), title, outcome: outcome(one) }
}

/// The handoffs and reports, by assignment.
fn handoffs(run: &Run) -> Vec<Crossed<'_>> {
    let mut handoffs = Vec::new();
    for one in run.assignments() {
        let Some(parent) = parent(run, one) else { continue };
        handoffs.push(Crossed { from: parent, to: id(one), title: one.title() });
        if let Some((_, report)) = &one.ended {
            let to = report.to.and_then(|to| run.assignment(to)).map_or(parent, id);
            handoffs.push(Crossed { from: id(one), to, title: "report" });
        }
    }
    handoffs
}

/// The model calls, in the order in which they stand in the file.
fn calls(run: &Run) -> Vec<Call<'_>> {
    let mut asked: Vec<(&Assignment, &Exchange)> = Vec::new();
    for one in run.assignments() {
        asked.extend(one.transcript.exchanges().map(|exchange| (one, exchange)));
    }
    // One list of all that happened is read in order of time; transcripts are read one after another.
    if !run.origin().is_some_and(|origin| origin.format.is_by_assignment()) {
        asked.sort_by_key(|(_, exchange)| exchange.attempts.first().map(|attempt| attempt.not_before));
    }
    asked.into_iter().map(|(one, exchange)| call(one, exchange)).collect()
}

fn call<'a>(one: &'a Assignment, exchange: &'a Exchange) -> Call<'a> {
    let reply = exchange.reply();
    let usage = exchange.usage().copied().unwrap_or_default();
    Call {
        assignment: id(one),
        model: reply.map_or(exchange.request.model.model.as_str(), |reply| reply.served_by.as_str()),
        input: usage.input,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write.saturating_add(usage.cache_write_long),
        output: usage.output,
        failed: exchange.fault().is_some() && reply.is_none(),
    }
}

impl<'a> Summary<'a> {
    /// Of an imported run; in any other, roles stand for names.
    pub fn of(run: &'a Run) -> Summary<'a> {
        let assignments = run.assignments().map(|one| worker(run, one)).collect();
        let (mut tools, mut asks) = (Vec::new(), Vec::new());
        for one in run.assignments() {
            for turn in &one.transcript.turns {
                match &turn.did {
                    Did::Tools(calls) => tools.extend(calls.iter().map(|call| Tool {
                        assignment: id(one),
                        name: call.request.name.as_str(),
                        failed: matches!(call.end, CallEnd::Failed(_)),
                    })),
                    Did::Noted(note) => match note.kind {
                        NoteKind::Told | NoteKind::Failed | NoteKind::Compacted | NoteKind::Vetoed => {}
                        _ => asks.push(note.to_string()),
                    },
                    _ => {}
                }
            }
        }
        let calls = calls(run);
        let totals = calls.iter().fold(Totals::default(), |sum, call| Totals {
            input: sum.input.saturating_add(call.input),
            cache_read: sum.cache_read.saturating_add(call.cache_read),
            cache_write: sum.cache_write.saturating_add(call.cache_write),
            output: sum.output.saturating_add(call.output),
        });
        let told = (run.pricing.told_calls > 0).then_some(run.pricing.told);
        let cost_usd = told.map(|money| money.0 as f64 / 1e12);
        let unread = run.origin().map_or(0, |origin| origin.unread);
        Summary { assignments, calls, tools, handoffs: handoffs(run), asks, unread, cost_usd, totals }
    }

    /// As JSON, a field a line.
    pub fn json(&self) -> String {
        let mut bytes = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(b" ");
        // Plain data with string keys: writing it as JSON to memory cannot fail, and JSON is text.
        let _ = self.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, form));
        text::escape_in_json(String::from_utf8(bytes).unwrap_or_default())
    }
}
