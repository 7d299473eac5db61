//! Lays out a transcript as lines, block by block: the handoff, each turn with its results, the report; and says where its
//! steps begin.
//!
//! A model's answer is a line with its time, tokens and money; each tool call is one with what came back and its own time.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::RangeBounds;
use std::sync::Arc;

use super::{exchange, items, markdown};
use crate::prelude::*;
use crate::screens::findings;
use run::checkpoint::Approver;
use run::evidence::Outline;
use run::handoff::{LeftOut, Part, PlannedTask};
use run::model::ToolAnswer;
use run::plan::Flaw;
use run::stage::Conversation;
use run::state::Ending;
use run::steer::{Heard, Message};
use run::transcript::{Call, CallEnd, Did, Pause, Sent, Turn};
use run::{
    Assignment, AssignmentId, CallId, Excerpt, Finding, Handoff, HandoffNo, Outcome, Seq, SourceId, Team, ToolResult,
};

/// The part of a transcript that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tab {
    #[default]
    Transcript,
    /// The work it was handed.
    In,
    /// Its report.
    Out,
    Calls,
}

impl Tab {
    pub fn next(self) -> Tab {
        match self {
            Tab::Transcript => Tab::In,
            Tab::In => Tab::Out,
            Tab::Out => Tab::Calls,
            Tab::Calls => Tab::Transcript,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Tab::Transcript => "transcript",
            Tab::In => "handoff in",
            Tab::Out => "report out",
            Tab::Calls => "calls",
        }
    }
}

/// The way a transcript is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    pub tab: Tab,
    /// Answers as they came, not as they read.
    pub raw: bool,
    /// The whole of its thinking.
    pub thoughts: bool,
}

/// A step of a transcript, to be opened or copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Handoff(HandoffNo),
    /// A handoff that was refused before it was sent: by whom it was to be sent, and the index of its turn.
    Refused(AssignmentId, usize),
    Call(CallId),
    Exchange(CallId),
}

/// The steps that are shown, in order.
pub fn steps(assignment: &Assignment, tab: Tab) -> Vec<Step> {
    (0..blocks(assignment)).flat_map(|n| steps_of(assignment, tab, n)).collect()
}

/// The number of blocks of a transcript, each laid out by itself: its handoff, each turn, later messages of the person, its report.
pub fn blocks(assignment: &Assignment) -> usize {
    assignment.transcript.turns.len() + 3
}

/// The steps of a block.
fn steps_of(assignment: &Assignment, tab: Tab, n: usize) -> Vec<Step> {
    let turns = &assignment.transcript.turns;
    let report = || assignment.ended.as_ref().map(|(_, report)| Step::Handoff(report.no));
    let Some(turn) = n.checked_sub(1) else {
        let is_shown = matches!(tab, Tab::Transcript | Tab::In);
        return is_shown.then_some(Step::Handoff(assignment.transcript.handoff.no)).into_iter().collect();
    };
    match turns.get(turn).map(|turn| &turn.did) {
        Some(Did::Tools(calls)) if matches!(tab, Tab::Transcript | Tab::Calls) => {
            calls.iter().map(|call| Step::Call(call.id)).collect()
        }
        Some(Did::Refused { unsent: Some(_), .. }) if tab == Tab::Transcript => {
            vec![Step::Refused(assignment.id, turn)]
        }
        Some(Did::Asked(asked))
            if tab == Tab::Calls || tab == Tab::Transcript && tools_after(turns, turn).is_none() =>
        {
            vec![Step::Exchange(asked.call)]
        }
        Some(Did::HandOffs(sent)) if tab == Tab::Transcript => {
            sent.iter().map(|sent| Step::Handoff(sent.handoff.no)).collect()
        }
        None if turn == turns.len() + 1 && matches!(tab, Tab::Transcript | Tab::Out) => report().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The tool calls that a model's answer in this turn asked for: they follow it. The program's own look at what its quotes are from is none.
fn tools_after(turns: &[Arc<Turn>], n: usize) -> Option<&[Call]> {
    let Did::Asked(asked) = &turns.get(n)?.did else { return None };
    asked.reply()?;
    match &turns.get(n + 1).filter(|next| next.stage != Conversation::Verify.into())?.did {
        Did::Tools(calls) if !calls.is_empty() => Some(calls),
        _ => None,
    }
}

/// The calls of a model's answer in this turn that were not made, as the model is told next.
fn not_made(turns: &[Arc<Turn>], n: usize) -> Vec<&ToolAnswer> {
    let next =
        turns.iter().skip(n + 1).find_map(|turn| if let Did::Asked(next) = &turn.did { Some(next) } else { None });
    next.into_iter().flat_map(|next| next.request.answers()).filter(|answer| answer.not_made).collect()
}

/// Lines of a transcript.
#[derive(Debug, Default)]
pub struct Laid {
    pub lines: Vec<Line<'static>>,
    /// The first line of each of its steps.
    pub steps: Vec<usize>,
}

/// A transcript, and how it is to be laid out.
pub struct Source<'a> {
    run: &'a Run,
    assignment: &'a Assignment,
    shape: Shape,
    cells: usize,
    theme: &'a Theme,
    /// Gone through the whole transcript for only where something is laid out.
    names: OnceCell<HashMap<&'a SourceId, &'a str>>,
}

impl<'a> Source<'a> {
    pub fn new(run: &'a Run, assignment: &'a Assignment, shape: Shape, cells: usize, theme: &'a Theme) -> Source<'a> {
        Source { run, assignment, shape, cells, theme, names: OnceCell::new() }
    }

    /// The event that changed it last.
    pub fn changed(&self) -> Seq {
        self.assignment.changed
    }

    pub fn blocks(&self) -> usize {
        blocks(self.assignment)
    }

    /// The number of steps of a block.
    pub fn steps(&self, n: usize) -> usize {
        steps_of(self.assignment, self.shape.tab, n).len()
    }

    /// Whether nothing that happens later changes a block.
    pub fn is_settled(&self, n: usize) -> bool {
        let transcript = &self.assignment.transcript;
        let Some(turn) = n.checked_sub(1) else { return true };
        let is_heard = transcript.messages.iter().all(|message| message.before as usize != turn);
        // The next request of the model says which calls of its answer were not made.
        let knows_calls = tools_after(&transcript.turns, turn).is_none() || turn + 2 < transcript.turns.len();
        turn + 1 < transcript.turns.len() && !transcript.turns[turn].pending() && is_heard && knows_calls
    }

    /// An estimate of a block's lines, without laying it out.
    pub fn height(&self, n: usize) -> usize {
        let turns = &self.assignment.transcript.turns;
        let wrapped = |bytes: usize| bytes / (self.cells * 3 / 4).max(1) + 1;
        match n.checked_sub(1).and_then(|turn| Some(&turns.get(turn)?.did)) {
            Some(Did::Asked(_)) if self.shape.tab == Tab::Calls => 1,
            Some(Did::Asked(asked)) => 1 + asked.reply().map_or(0, |reply| wrapped(reply.text().len())),
            Some(Did::Tools(calls)) => calls.len() + 1,
            _ => 8,
        }
    }

    /// A block in lines.
    pub fn lay(&self, n: usize) -> Laid {
        let (run, assignment, shape) = (self.run, self.assignment, self.shape);
        let team = run.opening.as_ref().map(|opening| &opening.team);
        let names = self.names.get_or_init(|| names(assignment));
        let (cells, theme) = (self.cells, self.theme);
        let is_over = assignment.ended.is_some();
        let mut page = Page { lines: Vec::new(), steps: Vec::new(), cells, theme, team, names, shape, is_over };
        let shows = |tab: Tab| [Tab::Transcript, tab].contains(&shape.tab);
        let turns = assignment.transcript.turns.len();
        match n.checked_sub(1) {
            None if shows(Tab::In) => page.handed(&assignment.transcript.handoff),
            Some(turn) if turn < turns && shows(Tab::Calls) => page.turn(run, assignment, turn),
            Some(turn) if turn == turns && shape.tab == Tab::Transcript => page.messages(run, assignment, turns..),
            Some(turn) if turn == turns + 1 && shows(Tab::Out) => page.ending(run, assignment),
            _ => {}
        }
        Laid { lines: page.lines, steps: page.steps }
    }
}

/// A whole transcript.
pub fn laid(run: &Run, assignment: &Assignment, shape: Shape, cells: usize, theme: &Theme) -> Laid {
    let source = Source::new(run, assignment, shape, cells, theme);
    (0..source.blocks()).map(|n| source.lay(n)).fold(Laid::default(), |mut all, block| {
        all.steps.extend(block.steps.iter().map(|step| all.lines.len() + step));
        all.lines.extend(block.lines);
        all
    })
}

pub fn gist(part: Part<'_>) -> String {
    match part {
        Part::ByRule(why) => flat(why).into_owned(),
        Part::Question(text) => flat(text).into_owned(),
        Part::Notes(notes) => notes.iter().map(|note| flat(note)).collect::<Vec<_>>().join("; "),
        Part::Corpus(corpus) => {
            format!("{}, {}", corpus.searched(), count(corpus.blocks as usize, "passage"))
        }
        Part::Named(named) => {
            let of = [&named.things, &named.sides, &named.years, &named.questions];
            of.into_iter().flatten().map(|one| flat(one).into_owned()).collect::<Vec<_>>().join(", ")
        }
        Part::Searched(points) | Part::Withheld(points) => {
            points.iter().map(|point| flat(&point.to_string()).into_owned()).collect::<Vec<_>>().join(", ")
        }
        Part::Task(PlannedTask { task, .. }) => task.in_words(),
        Part::Team(members) => members.iter().map(|m| m.role.as_str()).collect::<Vec<_>>().join(", "),
        Part::Plan(plan) => count(plan.tasks.len(), "task"),
        Part::Flaws(flaws) => {
            Flaw::in_words(flaws).iter().map(|flaw| flat(flaw).into_owned()).collect::<Vec<_>>().join("; ")
        }
        Part::Length(words) => format!("about {words} words"),
        Part::Findings(findings) => count(findings.len(), "finding"),
        Part::Passages(passages) => count(passages.len(), "passage"),
        Part::Draft(draft) => format!("{} ({})", flat(&draft.title), count(draft.words(), "word")),
        Part::Verdicts(verdicts) => verdicts.iter().map(|verdict| verdict.to_string()).collect::<Vec<_>>().join(", "),
        Part::Shortfalls(notes) => count(notes.len(), "shortfall"),
        Part::Settled(sentences) => count(sentences.len(), "sentence"),
        Part::Groups(groups) => {
            groups.iter().map(|group| flat(&group.title).into_owned()).collect::<Vec<_>>().join("; ")
        }
        Part::Ends(ends) => {
            let well = ends.iter().filter(|end| end.outcome == Outcome::Done).count();
            format!("{well} of {} done", count(ends.len(), "task"))
        }
        Part::Briefs(briefs) => {
            briefs.iter().map(|brief| count(brief.split_whitespace().count(), "word")).collect::<Vec<_>>().join(" and ")
        }
        Part::Preferences(all) => {
            all.iter().map(|one| format!("{}: {}", one.better, flat(&one.why))).collect::<Vec<_>>().join("; ")
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
    steps: Vec<usize>,
    pub(super) cells: usize,
    pub(super) theme: &'a Theme,
    pub(super) shape: Shape,
    /// Whether the assignment has ended: none of its calls goes on.
    pub(super) is_over: bool,
    team: Option<&'a Team>,
    names: &'a HashMap<&'a SourceId, &'a str>,
}

impl Page<'_> {
    /// A step begins with the next line.
    pub(super) fn step(&mut self) {
        self.steps.push(self.lines.len());
    }

    fn handed(&mut self, handoff: &Handoff) {
        self.step();
        self.dim(format!("handoff {} from {}", handoff.no, flat(&handoff.names.0)));
        match self.shape.tab {
            Tab::In => self.report(handoff),
            _ => handoff.payload.parts().for_each(|part| self.pair(&part.name().to_string(), &gist(part))),
        }
    }

    /// Messages of the person before these turns.
    fn messages(&mut self, run: &Run, assignment: &Assignment, before: impl RangeBounds<usize>) {
        if assignment.transcript.messages.is_empty() {
            return;
        }
        let heard = run.heard(assignment);
        let all = assignment.transcript.messages.iter().zip(heard);
        for (message, heard) in all.filter(|(message, _)| before.contains(&(message.before as usize))) {
            self.message(message, heard);
        }
    }

    fn turn(&mut self, run: &Run, assignment: &Assignment, n: usize) {
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
    fn ending(&mut self, run: &Run, assignment: &Assignment) {
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
    pub(super) fn said(&mut self, text: &str) {
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
        self.lines.extend(lines.into_iter().map(super::growing::indented));
    }

    pub(super) fn dim(&mut self, text: String) {
        self.text(&text, self.theme.style(Scope::Dim), 0);
    }

    pub(super) fn text(&mut self, text: &str, style: Style, indent: usize) {
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
    pub(super) fn bullet(&mut self, symbol: &str, text: &str, scope: impl Into<Scope>) {
        self.bullet_with(symbol, text, "", scope);
    }

    /// The same for a mark, in its style.
    pub(super) fn marked(&mut self, mark: Mark, text: &str) {
        self.bullet(mark.symbol(), text, mark);
    }

    /// The same with `right` at the end of the first line, or below it where there is no room beside it.
    pub(super) fn bullet_with(&mut self, symbol: &str, text: &str, right: &str, scope: impl Into<Scope>) {
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

    pub(super) fn name(&self, source: &str) -> String {
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

/// The paths of the documents that this transcript has seen.
pub fn names(assignment: &Assignment) -> HashMap<&SourceId, &str> {
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
