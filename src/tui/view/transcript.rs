//! Lays out a transcript as lines, block by block: the handoff, each turn with its results, the report; and says where its
//! steps begin.
//!
//! A model's answer is a line with its time, tokens and money; each tool call is one with what came back and its own time.

mod page;
mod steps;

use std::cell::OnceCell;
use std::collections::HashMap;

use crate::prelude::*;
use run::evidence::Outline;
use run::handoff::{LeftOut, Part, PlannedTask};
use run::plan::Flaw;
use run::transcript::{CallEnd, Did};
use run::{Assignment, Excerpt, Outcome, Seq, SourceId, ToolResult};
use steps::{steps_of, tools_after};

pub(super) use page::Page;
pub use steps::{Step, Tab, blocks, steps};

/// The way a transcript is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    pub tab: Tab,
    /// Answers as they came, not as they read.
    pub raw: bool,
    /// The whole of its thinking.
    pub thoughts: bool,
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
            let of = [&named.things, &named.sides, &named.years, &named.questions, &named.clauses];
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
        Part::Shortfalls(notes) if notes.is_empty() => "none".into(),
        Part::Shortfalls(notes) => format!("{} to be told under Gaps", notes.len()),
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
