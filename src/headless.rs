//! The face without a terminal: a line a stage (who, state, what came back, time, cost), or a JSON line an event.
//!
//! Pure: turns events into lines. Never writes, never decides.

use crate::run::event::{Envelope, Event};
use crate::run::handoff::{Outcome, Parts};
use crate::run::id::AssignmentId;
use crate::run::transcript::CallEnd;
use crate::run::{Assignment, Run};

/// One JSON line for a committed event.
pub fn json_line(envelope: &Envelope) -> String {
    // Plain data with string keys: writing it as JSON cannot fail.
    serde_json::to_string(envelope).unwrap_or_default()
}

/// Follows a run and says what is worth a line.
#[derive(Debug, Default)]
pub struct Trace {
    run: Run,
}

impl Trace {
    /// Takes an event in without saying anything: for what was on record before.
    pub fn skip(&mut self, envelope: &Envelope) {
        self.run.apply(envelope);
    }

    /// The run so far.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Takes an event in; the lines that it is worth.
    pub fn lines(&mut self, envelope: &Envelope) -> Vec<String> {
        self.run.apply(envelope);
        let run = &self.run;
        match &envelope.event {
            Event::RunOpened(opening) => vec![
                self.line("run", "○ opened", &format!("{} · {}", opening.run, opening.question)),
                self.line(
                    "team",
                    "○ ready",
                    &format!("{}: extractive, no model; every sentence is the sources' own", opening.team.name),
                ),
            ],
            Event::SourcesRead { corpus } => {
                let skipped = match corpus.skipped_count {
                    0 => String::new(),
                    n => format!(", {n} skipped"),
                };
                let of_files = format!("{} documents, {} passages{skipped}", corpus.documents, corpus.blocks);
                let what = if corpus.web.is_empty() { of_files } else { format!("{}{skipped}", corpus.searched()) };
                let mut lines = vec![self.line("sources", "✓ read", &what)];
                let shown = corpus.skipped.iter().take(5);
                lines.extend(shown.map(|s| self.line("sources", "⊘ skipped", &format!("{}: {}", s.path, s.why))));
                lines
            }
            Event::PlanAdopted { plan, .. } => {
                let titles: Vec<&str> = plan.tasks.iter().map(|task| task.title.as_str()).collect();
                vec![self.line("supervisor", "● plans", &format!("{} ({})", titles.join(" · "), plan.why))]
            }
            Event::HandedOff { by: Some(_), opened, .. } => opened
                .iter()
                .filter_map(|opened| run.assignment(opened.assignment))
                .map(|assignment| {
                    self.line(&who(assignment), "● started", &format!("handoff {}", assignment.transcript.handoff.no))
                })
                .collect(),
            Event::StepRefused { by, why } => {
                run.assignment(*by).map(|a| self.line(&who(a), "! refused", why)).into_iter().collect()
            }
            Event::CheckpointOpened { findings, .. } => {
                vec![self.line("you", "◆ needs you", &format!("{} findings to approve", findings.len()))]
            }
            Event::CheckpointClosed { .. } => {
                let approved = run.checkpoints.last().map_or(0, |checkpoint| checkpoint.approved().len());
                vec![self.line("you", "✓ answered", &format!("{approved} findings"))]
            }
            Event::Reported { by, outcome, handoff } if *by != AssignmentId::ROOT => {
                let Some(assignment) = run.assignment(*by) else { return Vec::new() };
                let mut what = match handoff.verdicts().first() {
                    Some(verdict) => verdict.to_string(),
                    None => match handoff.findings().len() {
                        0 => handoff.title.to_string(),
                        1 => "1 finding".into(),
                        n => format!("{n} findings"),
                    },
                };
                if *outcome != Outcome::Done {
                    what = format!("{outcome} · {what}");
                }
                let calls =
                    assignment.transcript.calls().filter(|call| matches!(call.end, CallEnd::Returned(_))).count();
                let took = envelope.at.since(assignment.opened_at);
                let cost = run.ledger.assignment(*by).spent;
                what = format!("{what} · {took} ms · {calls} tool calls · {} tok · {}", cost.tokens, cost.money);
                vec![self.line(&who(assignment), symbol(outcome), &what)]
            }
            Event::Reported { outcome, handoff, .. } => {
                let spent = run.ledger.run().spent;
                let what = format!(
                    "{} · {} · {} tool calls · {} tok · {}",
                    outcome, handoff.title, spent.tool_calls, spent.tokens, spent.money
                );
                vec![self.line("run", symbol(outcome), &what)]
            }
            Event::Paused => vec![self.line("you", "‖ paused", "")],
            Event::Continued => vec![self.line("you", "● continued", "")],
            Event::Cancelled => vec![self.line("you", "⊘ cancelled", "")],
            _ => Vec::new(),
        }
    }

    fn line(&self, who: &str, state: &str, what: &str) -> String {
        let elapsed = self.run.at.since(self.run.opened_at);
        let line = format!("{:>3}.{:03}s  {who:<28}  {state:<12}  {what}", elapsed / 1_000, elapsed % 1_000);
        line.trim_end().to_string()
    }
}

fn who(assignment: &Assignment) -> String {
    match assignment.task {
        Some(_) => format!("{} · {}", assignment.role, assignment.title()),
        None => assignment.role.to_string(),
    }
}

fn symbol(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "✓ done",
        Outcome::Partial(_) | Outcome::OutOfBudget(_) => "◐ partial",
        Outcome::NothingFound => "○ nothing",
        Outcome::Failed(_) => "✗ failed",
        Outcome::Cancelled => "⊘ cancelled",
    }
}
