//! The face without a terminal: a line a stage (who, state, what came back, time, cost).
//!
//! Pure: turns events into lines. Never writes, never decides.

use std::collections::BTreeMap;

use run::budget::{Account, Refusal};
use run::event::{Admission, Called, DoubtAnswer, Envelope, Event, Opening};
use run::handoff::{Outcome, Parts};
use run::id::{AssignmentId, Role};
use run::proposal::PlanAnswer;
use run::team::Order;
use run::transcript::CallEnd;
use run::{Amounts, Assignment, At, CallId, Run, Steer};
use text::Clean;

/// Follows a run and says what is worth a line.
#[derive(Debug, Default)]
pub struct Trace {
    run: Run,
    /// What each model call was last said to wait for.
    waiting: BTreeMap<CallId, Clean>,
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
        if let Event::AttemptSent { call, .. } = &envelope.event {
            self.waiting.remove(call);
        }
        let run = &self.run;
        match &envelope.event {
            Event::RunOpened(opening) => vec![
                self.line("run", "○ opened", &format!("{} · {}", opening.run, opening.question)),
                self.line("team", "○ ready", &format!("{}: {}", opening.team.name, team(opening))),
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
            Event::PlanPut { plan, .. } => {
                let tasks = if plan.tasks.len() == 1 {
                    "a plan of 1 task".into()
                } else {
                    format!("a plan of {} tasks", plan.tasks.len())
                };
                let mut lines = vec![self.line("you", "◆ needs you", &format!("{tasks} to approve"))];
                lines.extend(plan.tasks.iter().map(|task| {
                    self.line("plan", "○ task", &format!("{}: {} ({})", task.title, task.question, task.role))
                }));
                lines
            }
            Event::PlanAnswered { answer, .. } => {
                let tasks = run.proposals.last().map_or(0, |proposal| proposal.plan.tasks.len());
                let what = match answer {
                    PlanAnswer::Approved { .. } if tasks == 1 => "1 task".into(),
                    PlanAnswer::Approved { .. } => format!("{tasks} tasks"),
                    PlanAnswer::Another { wish } if wish.trim().is_empty() => "another plan".into(),
                    PlanAnswer::Another { wish } => format!("another plan: {wish}"),
                };
                vec![self.line("you", "✓ answered", &what)]
            }
            Event::PersonAsked { question, .. } => {
                let mut lines = vec![self.line("you", "◆ needs you", &question.text)];
                let choices = question.choices.iter().zip(1..);
                lines.extend(choices.map(|(choice, n)| self.line("you", "○ choice", &format!("{n}. {choice}"))));
                lines
            }
            Event::PersonAnswered { checkpoint, answer, .. } => {
                let asked = run.inquiries.iter().find(|inquiry| inquiry.id == *checkpoint);
                let said = asked.map_or("", |inquiry| inquiry.question.in_words(answer));
                vec![self.line("you", "✓ answered", said)]
            }
            Event::HandedOff { by: Some(_), opened, .. } => opened
                .iter()
                .filter_map(|opened| run.assignment(opened.assignment))
                .map(|assignment| {
                    self.line(&who(assignment), "● started", &format!("handoff {}", assignment.transcript.handoff.no))
                })
                .collect(),
            Event::StepRefused { by, why, unsent, .. } => {
                let carried = unsent.as_ref().map(|unsent| {
                    let names: Vec<String> = unsent.parts.iter().map(|part| part.name().to_string()).collect();
                    format!(" (it carried {})", names.join(", "))
                });
                let what = format!("{why}{}", carried.unwrap_or_default());
                run.assignment(*by).map(|a| self.line(&who(a), "! refused", &what)).into_iter().collect()
            }
            Event::Relieved { by, why } => {
                let what = format!("{why}; from here on the rules of the team lead");
                run.assignment(*by).map(|a| self.line(&who(a), "! relieved", &what)).into_iter().collect()
            }
            Event::ToolsCalled { by, calls, .. } => {
                let refusal = |called: &Called| match called.admission {
                    Admission::Refused(refusal) => Some(refusal),
                    _ => None,
                };
                let refused: Vec<Refusal> = calls.iter().filter_map(refusal).collect();
                let (Some(first), Some(assignment)) = (refused.first(), run.assignment(*by)) else { return Vec::new() };
                let calls =
                    if refused.len() == 1 { "a tool call".into() } else { format!("{} tool calls", refused.len()) };
                vec![self.line(&who(assignment), "! not sent", &format!("{calls}: it would have passed {first}"))]
            }
            Event::CheckpointOpened { findings, .. } => {
                vec![self.line("you", "◆ needs you", &format!("{} to approve", found(findings.len())))]
            }
            Event::CheckpointClosed { .. } => {
                let approved = run.checkpoints.last().map_or(0, |checkpoint| checkpoint.approved().len());
                vec![self.line("you", "✓ answered", &found(approved))]
            }
            Event::Reported { by, outcome, handoff } if *by != AssignmentId::ROOT => {
                let Some(assignment) = run.assignment(*by) else { return Vec::new() };
                let mut what = match handoff.verdicts().first() {
                    Some(verdict) => verdict.to_string(),
                    // How much of it still stands is what matters of memory.
                    None if assignment.role.as_str() == Role::MEMORY => handoff.title.to_string(),
                    None => match handoff.findings().len() {
                        0 => handoff.title.to_string(),
                        n => found(n),
                    },
                };
                if *outcome != Outcome::Done {
                    what = format!("{outcome} · {what}");
                }
                let calls =
                    assignment.transcript.calls().filter(|call| matches!(call.end, CallEnd::Returned(_))).count();
                let took = envelope.at.since(assignment.opened_at);
                let cost = run.ledger.assignment(*by).spent;
                let asked = assignment.transcript.exchanges().next().map(|exchange| &exchange.request.model);
                let asked = asked.map_or(String::new(), |model| format!(" · {} × {model}", cost.calls));
                what = format!("{what} · {took} ms · {calls} tool calls{asked} · {} tok · {}", cost.tokens, cost.money);
                vec![self.line(&who(assignment), symbol(outcome), &what)]
            }
            Event::Reported { outcome, handoff, .. } => {
                let Account { spent, overrun, .. } = run.ledger.run();
                let mut what = format!(
                    "{} · {} · {} tool calls · {} tok · {}",
                    outcome, handoff.title, spent.tool_calls, spent.tokens, spent.money
                );
                if *overrun != Amounts::default() {
                    what = format!("{what} · overrun {}", overrun.in_words());
                }
                vec![self.line("run", symbol(outcome), &what)]
            }
            Event::Attached { .. } => run
                .in_doubt
                .iter()
                .map(|(call, held)| {
                    let most = format!("it may have cost up to {} ({} tok)", held.amounts.money, held.amounts.tokens);
                    self.line(
                        &self.whose(*call),
                        "◆ in doubt",
                        &format!("{call} was sent, and nobody saw its end; {most}"),
                    )
                })
                .collect(),
            Event::AttemptFailed { call, attempt, fault, .. } => {
                let mut lines =
                    vec![self.line(&self.whose(*call), "! failed", &format!("{call}, attempt {attempt}: {fault}"))];
                if let Some(latch) = run.latch.as_ref().filter(|_| fault.class.latches()) {
                    let what = format!("nothing is asked of {} until that is mended", latch.provider);
                    lines.push(self.line("you", "◆ needs you", &what));
                }
                lines
            }
            Event::ModelFailed { call, error } => {
                vec![self.line(&self.whose(*call), "✗ given up", &format!("{call}: {error}"))]
            }
            Event::DoubtAnswered { call, answer } => {
                let what = match answer {
                    DoubtAnswer::Retry => "it is made again",
                    DoubtAnswer::Skip => "it has failed",
                };
                vec![self.line("you", "✓ answered", &format!("{call}: {what}"))]
            }
            Event::CapRaised { to } => vec![self.line("you", "✓ raised", &to.in_words())],
            Event::Steered { assignment, act } => {
                let Some(assignment) = run.assignment(*assignment) else { return Vec::new() };
                let what = format!("{}: {}", run.called(assignment), act.in_words());
                match (act, assignment.parent.and_then(|id| run.assignment(id))) {
                    (Steer::Enough, Some(by)) => vec![self.line(by.role.as_str(), "⊘ ended", &what)],
                    _ => vec![self.line("you", "✓ steered", &what)],
                }
            }
            Event::Paused => vec![self.line("you", "‖ paused", "")],
            Event::Continued => vec![self.line("you", "● continued", "")],
            Event::Cancelled => vec![self.line("you", "⊘ cancelled", "")],
            _ => Vec::new(),
        }
    }

    /// A line for what a model call waits for; None if that was said already.
    pub fn waits(&mut self, call: CallId, why: &Clean, until: Option<At>) -> Option<String> {
        if self.waiting.insert(call, why.clone()).as_ref() == Some(why) {
            return None;
        }
        let left = until.map_or(0, |until| until.since(self.run.at).div_ceil(1_000));
        let left = if left == 0 { String::new() } else { format!(", about {left} s") };
        Some(self.line(&self.whose(call), "○ waits", &format!("{call}: {why}{left}")))
    }

    fn whose(&self, call: CallId) -> String {
        self.run.assignment(call.assignment).map(who).unwrap_or_default()
    }

    fn line(&self, who: &str, state: &str, what: &str) -> String {
        let elapsed = self.run.at.since(self.run.opened_at);
        let line = format!("{:>3}.{:03}s  {who:<28}  {state:<12}  {what}", elapsed / 1_000, elapsed % 1_000);
        line.trim_end().to_string()
    }
}

/// Who thinks in a team, honestly.
fn team(opening: &Opening) -> String {
    if opening.drill.is_some() {
        return "scripted specialists, real guards".into();
    }
    let models = opening.team.models();
    if models.is_empty() && opening.team.order == Order::Inspect {
        return "by rule, no model; every statement is counted over a whole file, and rests on a line of it".into();
    }
    if models.is_empty() {
        return "extractive, no model; every sentence is the sources' own".into();
    }
    let names: Vec<String> = models.iter().map(|(model, members)| format!("{model} for {members}")).collect();
    let names = names.join(", ");
    match &opening.answers_from {
        Some(from) => format!("{names}, as they answered in {from}; nobody is asked; the rest by rule"),
        None => format!("{names}; the rest by rule"),
    }
}

fn found(findings: usize) -> String {
    if findings == 1 { "1 finding".into() } else { format!("{findings} findings") }
}

fn who(assignment: &Assignment) -> String {
    match assignment.subject() {
        Some(subject) => format!("{} · {subject}", assignment.role),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_once_until_it_is_another_or_the_call_has_left() {
        let mut trace = Trace::default();
        let call = CallId::new(AssignmentId(2), 1);
        let limit: Clean = "rate limit of anthropic".into();
        let said = trace.waits(call, &limit, Some(At(11_001))).unwrap();
        assert!(said.contains("○ waits") && said.contains("rate limit of anthropic, about 12 s"), "{said}");
        assert_eq!(trace.waits(call, &limit, Some(At(10_000))), None);
        assert!(trace.waits(call, &"a place at ollama".into(), None).is_some());
        let event = Event::AttemptSent { call, attempt: 1 };
        trace.lines(&Envelope { seq: run::Seq(1), at: At(0), event });
        assert!(trace.waits(call, &"a place at ollama".into(), None).is_some());
    }
}
