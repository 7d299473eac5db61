//! Lays out the blocks of a transcript as lines: the handoff, a turn with its results, messages, the report.

use std::collections::HashMap;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::steps::{Tab, tools_after};
use super::{Shape, gist};
use crate::prelude::*;
use crate::screens::findings;
use crate::view::{exchange, items, markdown};
use run::checkpoint::Approver;
use run::handoff::Part;
use run::model::ToolAnswer;
use run::state::Ending;
use run::steer::{Heard, Message};
use run::transcript::{Call, CallEnd, Did, Pause, Sent, Turn};
use run::{Assignment, Finding, Handoff, Outcome, SourceId, Team, ToolResult};

pub(in crate::view) struct Page<'a> {
    pub(in crate::view) lines: Vec<Line<'static>>,
    pub(super) steps: Vec<usize>,
    pub(in crate::view) cells: usize,
    pub(in crate::view) theme: &'a Theme,
    pub(in crate::view) shape: Shape,
    /// Whether the assignment has ended: none of its calls goes on.
    pub(in crate::view) is_over: bool,
    pub(super) team: Option<&'a Team>,
    pub(super) names: &'a HashMap<&'a SourceId, &'a str>,
}

impl Page<'_> {
    /// A step begins with the next line.
    pub(in crate::view) fn step(&mut self) {
        self.steps.push(self.lines.len());
    }

    pub(super) fn handed(&mut self, handoff: &Handoff) {
        self.step();
        self.dim(format!("handoff {} from {}", handoff.no, flat(&handoff.names.0)));
        match self.shape.tab {
            Tab::In => self.report(handoff),
            _ => handoff.payload.parts().for_each(|part| self.pair(&part.name().to_string(), &gist(part))),
        }
    }

    /// Messages of the person before these turns.
    pub(super) fn messages(&mut self, run: &Run, assignment: &Assignment, before: impl RangeBounds<usize>) {
        if assignment.transcript.messages.is_empty() {
            return;
        }
        let heard = run.heard(assignment);
        let all = assignment.transcript.messages.iter().zip(heard);
        for (message, heard) in all.filter(|(message, _)| before.contains(&(message.before as usize))) {
            self.message(message, heard);
        }
    }

    pub(super) fn turn(&mut self, run: &Run, assignment: &Assignment, n: usize) {
        let turns = &assignment.transcript.turns;
        let only_calls = self.shape.tab == Tab::Calls;
        let rates = exchange::rates(run, assignment);
        if !only_calls {
            self.messages(run, assignment, n..=n);
        }
        let turn = &turns[n];
        match &turn.did {
            Did::Tools(calls) => {
                // The text of the answer that asked for them stands above.
                let is_asked = n.checked_sub(1).is_some_and(|before| tools_after(turns, before).is_some());
                if !is_asked && !turn.why.is_empty() && !only_calls {
                    self.text(&turn.why, self.theme.style(Scope::Text), 0);
                }
                for call in calls {
                    self.step();
                    self.call(call);
                }
            }
            Did::Asked(exchange) if only_calls => {
                self.step();
                self.exchange_line(exchange, rates);
            }
            Did::Asked(exchange) => {
                let refused = not_made(turns, n);
                match tools_after(turns, n) {
                    Some(_) => self.answer(exchange, rates, (true, &refused)),
                    None => {
                        self.step();
                        self.exchange(exchange, rates, &refused);
                    }
                }
            }
            _ if only_calls => {}
            other => {
                if !turn.why.is_empty() {
                    self.text(&turn.why, self.theme.style(Scope::Text), 0);
                }
                self.did(other);
            }
        }
    }

    /// Its report, or that there is none yet.
    pub(super) fn ending(&mut self, run: &Run, assignment: &Assignment) {
        if let Some((outcome, report)) = &assignment.ended {
            let mark = crate::mark::of(assignment, run);
            let said = match outcome {
                Outcome::Done => report.title.to_string(),
                Outcome::Partial(why) => format!("{}; partial: {why}", report.title),
                other => other.to_string(),
            };
            self.step();
            self.marked(mark, &format!("report {}: {}", report.no, flat(&said)));
            self.report(report);
        } else if self.shape.tab == Tab::Out {
            self.dim("it has not reported yet".into());
        }
        if let Some(Ending::Replaced { by, .. }) = &assignment.ending {
            self.dim(format!("its work was given to another try, by the {}", flat(by.as_str())));
        }
    }

    /// A turn with neither tools nor a model.
    fn did(&mut self, did: &Did) {
        match did {
            Did::Tools(_) | Did::Asked(_) => {}
            Did::HandOffs(sent) => {
                for sent in sent {
                    self.step();
                    self.sent(sent);
                }
            }
            Did::Adopted(plan) => {
                for task in &plan.tasks {
                    self.bullet("•", &task.title, Scope::Text);
                }
            }
            Did::Checkpoint(pause) => self.pause(pause),
            Did::Noted(note) => {
                let scope = if note.kind.is_of_the_person() { Scope::NeedsYou } else { Scope::Dim };
                self.bullet("▸", &note.to_string(), scope);
            }
            Did::Relieved { to: None } => self.bullet("!", "from here on the rules of the team lead", Scope::Partial),
            Did::Relieved { to: Some(_) } => self.bullet("!", "from here on another model leads", Scope::Partial),
            Did::Refused { why, unsent } => {
                if unsent.is_some() {
                    self.step();
                }
                self.marked(Mark::Failed, &format!("refused: {why}"));
                if let Some(unsent) = unsent {
                    self.dim(format!("not sent to {}: {}", unsent.role, flat(&unsent.title)));
                    unsent.payload.parts().for_each(|part| self.pair(&part.name().to_string(), &gist(part)));
                }
            }
        }
    }

    /// An answer as it reads: items of JSON, Markdown; raw if that is wanted.
    pub(in crate::view) fn said(&mut self, text: &str) {
        let cells = self.cells.saturating_sub(paint::INDENT);
        if self.shape.raw {
            return self.text(text.trim_end(), self.theme.style(Scope::Text), paint::INDENT);
        }
        let mut read = items::Items::default();
        if items::is_json(text) {
            read.follow(text, 0);
        }
        let lines = match read.all.is_empty() {
            true => markdown::lines(text.trim_end(), cells, self.theme),
            false => items::lines(&read, |id| self.name(id), cells, self.theme),
        };
        self.lines.extend(lines.into_iter().map(crate::view::growing::indented));
    }

    pub(in crate::view) fn dim(&mut self, text: String) {
        self.text(&text, self.theme.style(Scope::Dim), 0);
    }

    pub(in crate::view) fn text(&mut self, text: &str, style: Style, indent: usize) {
        let wrapped = rows(text, self.cells.saturating_sub(indent), style, &[]);
        self.lines.extend(hanging(Span::raw(" ".repeat(indent)), wrapped));
    }

    fn pair(&mut self, name: &str, value: &str) {
        const NAME: usize = 11;
        // A longer name pushes its value to the right.
        let column = NAME.max(width(name) + 1);
        let wrapped = rows(value, self.cells.saturating_sub(column + 2), self.theme.style(Scope::Text), &[]);
        self.lines.extend(hanging(self.theme.span(format!("  {name:<column$}"), Scope::Dim), wrapped));
    }

    /// A line that begins with a symbol, its text wrapped.
    pub(in crate::view) fn bullet(&mut self, symbol: &str, text: &str, scope: impl Into<Scope>) {
        self.bullet_with(symbol, text, "", scope);
    }

    /// The same for a mark, in its style.
    pub(in crate::view) fn marked(&mut self, mark: Mark, text: &str) {
        self.bullet(mark.symbol(), text, mark);
    }

    /// The same with `right` at the end of the first line, or below it where there is no room beside it.
    pub(in crate::view) fn bullet_with(&mut self, symbol: &str, text: &str, right: &str, scope: impl Into<Scope>) {
        const LEAST: usize = 12;
        let beside = (width(right) + 2).min(self.cells);
        if !right.is_empty() && self.cells.saturating_sub(4 + beside) < LEAST.min(width(text)) {
            self.bullet_with(symbol, text, "", scope);
            return self.text(right, self.theme.style(Scope::Dim), 4);
        }
        let room = self.cells.saturating_sub(4 + if right.is_empty() { 0 } else { width(right) + 2 });
        let wrapped = rows(&flat(text), room, self.theme.style(Scope::Text), &[]);
        let first = self.lines.len();
        self.lines.extend(hanging(self.theme.span(format!("  {symbol} "), scope), wrapped));
        if let Some(line) = self.lines.get_mut(first).filter(|_| !right.is_empty()) {
            let right = vec![self.theme.span(right.to_string(), Scope::Dim)];
            *line = justified(std::mem::take(&mut line.spans), right, self.cells);
        }
    }

    fn message(&mut self, message: &Message, heard: Heard) {
        self.bullet_with("»", &format!("you: {}", message.text), heard.word(), Scope::Person);
    }

    fn finding(&mut self, finding: &Finding) {
        let claim = flat(&finding.claim);
        let place = findings::place(finding);
        let text = format!("{claim}  {place}");
        let marked = [(claim.len() + 2..text.len(), self.theme.style(Scope::Dim))];
        let wrapped = rows(&text, self.cells.saturating_sub(4), self.theme.style(Scope::Text), &marked);
        self.lines.extend(hanging(self.theme.span("  • ", Scope::Cite), wrapped));
    }

    pub(in crate::view) fn name(&self, source: &str) -> String {
        let known = self.names.get(&SourceId(source.into()));
        known.map_or_else(|| format!("document {}", Clean::line(source)), |path| flat(path).into_owned())
    }

    /// A tool call in a line, with what it brought back, and how long it took.
    fn call(&mut self, call: &Call) {
        let spec = self.team.and_then(|team| team.tool(&call.request.name));
        let said = spec.map_or_else(|| call.request.line(), |spec| spec.line(&call.request, &|id| self.name(id)));
        let said = flat(&said);
        let (back, scope) = match &call.end {
            CallEnd::Queued => ("waits for room in the budget".to_string(), Scope::Waiting),
            CallEnd::Pending => ("…".to_string(), Scope::Running),
            CallEnd::InDoubt => ("in doubt".to_string(), Scope::NeedsYou),
            CallEnd::Returned(result) => (returned(result), Scope::Running),
            CallEnd::Failed(_) => ("failed".into(), Scope::Failed),
            CallEnd::Refused(_) => ("not sent".into(), Scope::Partial),
        };
        let back = call.took().map_or(back.clone(), |ms| format!("{back} · {}", clock(ms)));
        self.bullet_with("▸", &said, &back, scope);
        let why = match &call.end {
            CallEnd::Failed(why) => Some(why.to_string()),
            CallEnd::Refused(refusal) => Some(format!("it would have passed {refusal}")),
            CallEnd::InDoubt => Some("it was started, and its outcome is unknown".into()),
            CallEnd::Queued | CallEnd::Pending | CallEnd::Returned(_) => None,
        };
        if let Some(why) = why {
            self.text(&why, self.theme.style(Scope::Warning), 4);
        }
    }

    fn pause(&mut self, pause: &Pause) {
        let said = pause.answer.as_ref().and_then(|answer| pause.subject.said(answer));
        let question = pause.of_question().map(|(question, _)| question);
        if let Some(question) = question {
            self.text(&question.text, self.theme.style(Scope::Text), 0);
        }
        let (mark, message) = match (said, question.is_some()) {
            (None, true) => (Mark::NeedsYou, "waits for your answer".to_string()),
            (None, false) => (Mark::NeedsYou, "waits for you".to_string()),
            (Some(said), true) => {
                let who = if pause.by == Some(Approver::Policy) { "--yes" } else { "you" };
                (Mark::Done, format!("{who}: {}", flat(&said)))
            }
            (Some(said), false) => (Mark::Done, flat(&said).into_owned()),
        };
        self.marked(mark, &message);
    }

    fn sent(&mut self, sent: &Sent) {
        let to = &sent.handoff.names.1;
        let (mark, back) = match &sent.report {
            None => (Mark::Running, "…".to_string()),
            Some((outcome, report)) => {
                let said = if outcome.usable() { report.title.to_string() } else { outcome.to_string() };
                (Mark::from(outcome), flat(&said).into_owned())
            }
        };
        let said = format!("{} → {}  {}", sent.handoff.no, flat(to), flat(&sent.handoff.title));
        self.bullet_with(mark.symbol(), &said, &back, mark);
    }

    fn report(&mut self, report: &Handoff) {
        for part in report.payload.parts() {
            match part {
                Part::Findings(findings) => findings.iter().for_each(|finding| self.finding(finding)),
                Part::Plan(plan) => {
                    for task in &plan.tasks {
                        self.bullet("•", &task.in_words(), Scope::Text);
                    }
                }
                Part::Verdicts(verdicts) => {
                    for verdict in verdicts {
                        for check in &verdict.checks {
                            let mark = if check.holds { Mark::Done } else { Mark::Failed };
                            self.marked(mark, &format!("{}: {}", check.concern, flat(&check.result)));
                        }
                        for issue in &verdict.issues {
                            let scope = if issue.blocking { Scope::Warning } else { Scope::Partial };
                            let sign = if issue.doubt { "?" } else { "!" };
                            self.bullet(sign, &format!("{}: {}", issue.concern, flat(&issue.what)), scope);
                        }
                    }
                }
                Part::Shortfalls(notes) => {
                    notes.iter().for_each(|note| self.bullet("!", note, Scope::Partial));
                }
                part => self.pair(&part.name().to_string(), &gist(part)),
            }
        }
    }
}

/// The calls of a model's answer in this turn that were not made, as the model is told next.
fn not_made(turns: &[Arc<Turn>], n: usize) -> Vec<&ToolAnswer> {
    let next =
        turns.iter().skip(n + 1).find_map(|turn| if let Did::Asked(next) = &turn.did { Some(next) } else { None });
    next.into_iter().flat_map(|next| next.request.answers()).filter(|answer| answer.not_made).collect()
}

/// The beginning of a tool's result.
fn gist_of(text: &str) -> String {
    const MOST: usize = 32;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing");
    let cut: String = first.chars().take(MOST).collect();
    if cut.len() < text.trim().len() { format!("{cut} …") } else { cut }
}

fn returned(result: &ToolResult) -> String {
    match result {
        ToolResult::Hits(hits) => count(hits.hits.len(), "hit"),
        ToolResult::Excerpt(excerpt) => count(excerpt.blocks.len(), "passage"),
        ToolResult::Outline(outline) => count(outline.sections.len(), "section"),
        ToolResult::Files(files) => count(files.files.len(), "file"),
        ToolResult::Profile(profile) => count(profile.measures.len(), "measure"),
        ToolResult::Ran(ran) => format!("ended with {}", ran.status),
        ToolResult::Recollection(recollection) if recollection.is_empty() => "nothing".into(),
        ToolResult::Recollection(recollection) => match recollection.findings.len() {
            0 => count(recollection.own_words.len() + recollection.gaps.len(), "line"),
            n => count(n, "finding"),
        },
        ToolResult::Written(written) if written.added == 0 => "nothing new".into(),
        ToolResult::Written(written) => format!("{} added", written.added),
        ToolResult::Text { text } => gist_of(text),
        ToolResult::Json { value } => gist_of(&value.get().to_string()),
    }
}
