//! Lays out a transcript as lines: the handoff, each turn with its reason and results, the report.

use std::collections::HashMap;

use super::exchange;
use crate::prelude::*;
use crate::screens::findings;
use run::evidence::Outline;
use run::handoff::{LeftOut, Part, PlannedTask};
use run::plan::Flaw;
use run::state::Ending;
use run::steer::{Heard, Message};
use run::transcript::{Call, CallEnd, Did, Pause, Sent, Turn};
use run::{Assignment, Excerpt, Finding, Handoff, Outcome, SourceId, Team, ToolResult};

pub fn lines(run: &Run, assignment: &Assignment, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let rates = exchange::rates(run, assignment);
    let team = run.opening.as_ref().map(|opening| &opening.team);
    let mut page = Page { lines: Vec::new(), cells, theme, team, names: names(assignment) };
    let handoff = &assignment.transcript.handoff;
    page.dim(format!("handoff {} from {}", handoff.no, flat(&handoff.names.0)));
    for part in handoff.payload.parts() {
        page.pair(&part.name().to_string(), &gist(part));
    }
    let mut before: Option<&Turn> = None;
    let heard = run.heard(assignment);
    let mut messages = assignment.transcript.messages.iter().zip(heard).peekable();
    for (n, turn) in assignment.transcript.turns.iter().enumerate() {
        while let Some((message, heard)) = messages.next_if(|(message, _)| message.before as usize <= n) {
            page.message(message, heard);
        }
        let repeated = before.replace(turn).is_some_and(|before| says(before, &turn.why));
        if !turn.why.is_empty() && !repeated {
            page.text(&turn.why, theme.style(Scope::Text), 0);
        }
        match &turn.did {
            Did::Tools(calls) => calls.iter().for_each(|call| page.call(call)),
            Did::Asked(asked) => page.exchange(asked, rates),
            Did::HandOffs(sent) => sent.iter().for_each(|sent| page.sent(sent)),
            Did::Adopted(plan) => {
                for task in &plan.tasks {
                    page.bullet("•", &task.title, Scope::Text);
                }
            }
            Did::Checkpoint(pause) => page.pause(pause),
            Did::Noted(note) => {
                let scope = if note.kind.is_of_the_person() { Scope::NeedsYou } else { Scope::Dim };
                page.bullet("▸", &note.to_string(), scope);
            }
            Did::Relieved { to: None } => page.bullet("!", "from here on the rules of the team lead", Scope::Partial),
            Did::Relieved { to: Some(_) } => page.bullet("!", "from here on another model leads", Scope::Partial),
            Did::Refused { why, unsent } => {
                page.marked(Mark::Failed, &format!("refused: {why}"));
                if let Some(unsent) = unsent {
                    page.dim(format!("not sent to {}: {}", unsent.role, flat(&unsent.title)));
                    unsent.payload.parts().for_each(|part| page.pair(&part.name().to_string(), &gist(part)));
                }
            }
        }
    }
    messages.for_each(|(message, heard)| page.message(message, heard));
    if let Some((outcome, report)) = &assignment.ended {
        let mark = Mark::from(outcome);
        let said = match outcome {
            Outcome::Done => report.title.to_string(),
            Outcome::Partial(why) => format!("{}; partial: {why}", report.title),
            other => other.to_string(),
        };
        page.marked(mark, &format!("report {}: {}", report.no, flat(&said)));
        page.report(report);
    }
    if let Some(Ending::Replaced { by, .. }) = &assignment.ending {
        page.dim(format!("its work was given to another try, by the {}", flat(by.as_str())));
    }
    page.lines
}

/// Whether this is the beginning of the model's own reply, shown already.
fn says(turn: &Turn, why: &str) -> bool {
    let Did::Asked(asked) = &turn.did else { return false };
    asked.reply().is_some_and(|reply| reply.text().trim_start().starts_with(why))
}

pub fn gist(part: Part<'_>) -> String {
    match part {
        Part::Question(text) => flat(text).into_owned(),
        Part::Notes(notes) => notes.iter().map(|note| flat(note)).collect::<Vec<_>>().join("; "),
        Part::Corpus(corpus) => {
            format!("{}, {}", corpus.searched(), count(corpus.blocks as usize, "passage"))
        }
        Part::Named(named) => {
            let of = [&named.things, &named.sides, &named.years, &named.questions];
            of.into_iter().flatten().map(|one| flat(one).into_owned()).collect::<Vec<_>>().join(", ")
        }
        Part::Searched(points) => {
            points.iter().map(|point| flat(&point.to_string()).into_owned()).collect::<Vec<_>>().join(", ")
        }
        Part::Task(PlannedTask { task, .. }) => format!("{}: {}", task.title, flat(&task.question)),
        Part::Team(members) => members.iter().map(|m| m.role.as_str()).collect::<Vec<_>>().join(", "),
        Part::Plan(plan) => count(plan.tasks.len(), "task"),
        Part::Flaws(flaws) => {
            Flaw::in_words(flaws).iter().map(|flaw| flat(flaw).into_owned()).collect::<Vec<_>>().join("; ")
        }
        Part::Length(words) => format!("about {words} words"),
        Part::Findings(findings) => count(findings.len(), "finding"),
        Part::Passages(passages) => count(passages.len(), "passage"),
        Part::Draft(draft) => format!("{} ({} words)", flat(&draft.title), draft.words()),
        Part::Verdicts(verdicts) => verdicts.iter().map(|verdict| verdict.to_string()).collect::<Vec<_>>().join(", "),
        Part::Shortfalls(notes) => count(notes.len(), "shortfall"),
        Part::Groups(groups) => {
            groups.iter().map(|group| flat(&group.title).into_owned()).collect::<Vec<_>>().join("; ")
        }
        Part::Ends(ends) => {
            let well = ends.iter().filter(|end| end.outcome == Outcome::Done).count();
            format!("{well} of {} done", count(ends.len(), "task"))
        }
        Part::Data(data) => flat(&data.get().to_string()).into_owned(),
        Part::LeftOut(left_out) => {
            let of = |left: &LeftOut| format!("{} of {} (~{} tok)", left.items, left.of, short(left.tokens));
            left_out.iter().map(of).collect::<Vec<_>>().join(", ")
        }
    }
}

pub(super) struct Page<'a> {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) cells: usize,
    pub(super) theme: &'a Theme,
    team: Option<&'a Team>,
    names: HashMap<&'a SourceId, &'a str>,
}

impl Page<'_> {
    pub(super) fn dim(&mut self, text: String) {
        self.text(&text, self.theme.style(Scope::Dim), 0);
    }

    pub(super) fn text(&mut self, text: &str, style: Style, indent: usize) {
        let wrapped = rows(text, self.cells.saturating_sub(indent), style, &[]);
        self.lines.extend(hanging(Span::raw(" ".repeat(indent)), wrapped));
    }

    fn pair(&mut self, name: &str, value: &str) {
        const NAME: usize = 10;
        let wrapped = rows(value, self.cells.saturating_sub(NAME + 2), self.theme.style(Scope::Text), &[]);
        self.lines.extend(hanging(self.theme.span(format!("  {name:<NAME$}"), Scope::Dim), wrapped));
    }

    /// A line that begins with a symbol, its text wrapped.
    pub(super) fn bullet(&mut self, symbol: &str, text: &str, scope: impl Into<Scope>) {
        self.bullet_with(symbol, text, "", scope);
    }

    /// The same for a mark, in its style.
    pub(super) fn marked(&mut self, mark: Mark, text: &str) {
        self.bullet(mark.symbol(), text, mark);
    }

    /// The same with `right` at the end of the first line.
    pub(super) fn bullet_with(&mut self, symbol: &str, text: &str, right: &str, scope: impl Into<Scope>) {
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

    fn name(&self, source: &str) -> String {
        let known = self.names.get(&SourceId(source.into()));
        known.map_or_else(|| format!("document {}", Clean::line(source)), |path| flat(path).into_owned())
    }

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
            (Some(said), true) => (Mark::Done, format!("you: {}", flat(&said))),
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
                        self.bullet("•", &format!("{}: {}", task.title, flat(&task.question)), Scope::Text);
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
                            self.bullet("!", &format!("{}: {}", issue.concern, flat(&issue.what)), scope);
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

/// The paths of the documents that this transcript has seen.
fn names(assignment: &Assignment) -> HashMap<&SourceId, &str> {
    let mut names = HashMap::new();
    for call in assignment.transcript.calls() {
        let CallEnd::Returned(result) = &call.end else { continue };
        match &**result {
            ToolResult::Hits(hits) => {
                let seen = hits.hits.iter().map(|hit| &hit.source).chain(&hits.titled);
                names.extend(seen.map(|source| (&source.id, source.path.as_str())));
            }
            ToolResult::Excerpt(Excerpt { source, .. }) | ToolResult::Outline(Outline { source, .. }) => {
                names.insert(&source.id, source.path.as_str());
            }
            ToolResult::Files(files) => {
                names.extend(files.files.iter().map(|file| (&file.source.id, file.source.path.as_str())));
            }
            ToolResult::Profile(profile) => {
                names.insert(&profile.source.id, profile.source.path.as_str());
            }
            _ => {}
        }
    }
    names
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
