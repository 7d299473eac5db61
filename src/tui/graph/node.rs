//! A node of the graph: its texts, and its look at the moment that is shown.
//!
//! Its label is of the plan and never changes with its work; all that changes has a place of its own.

use super::group::{Fold, GroupKey};
use super::titles;
use crate::mark;
use crate::prelude::*;
use run::budget::Account;
use run::stage::{Conversation, Stage};
use run::transcript::{Did, Turn};
use run::{Assignment, AssignmentId, Cap, Condition, Priority, Role, TaskId};

/// The sign at the label of a role at which the run stops.
pub const BREAKPOINT: &str = "◉";

/// A specialist, the person, or a group of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    pub key: Key,
    pub label: Clean,
    /// The label without the words that it shares with others, for where there is little room; empty if there are none.
    pub short: Clean,
    /// Rounds and tries behind the label: `+1` for another round, `↺2` for a second retry or revision.
    pub times: String,
    pub mark: Mark,
    /// Whether the run stops before it is handed anything, or hands anything on.
    pub at_a_breakpoint: bool,
    pub note: Note,
    pub assignment: Option<AssignmentId>,
    /// The assignments that had the same work before: other rounds, tries, drafts.
    pub before: Vec<AssignmentId>,
    /// The time for which somebody has been at it (ms); None before its first turn.
    pub elapsed: Option<u64>,
    /// Turns taken and the most of them; None before the first.
    pub turns: Option<(usize, u32)>,
    /// Whether somebody has it and has not ended.
    pub is_open: bool,
    /// Tokens, money and model, as far as there are any.
    pub spend: String,
    /// Its present action, or the reason for its last turn.
    pub doing: Clean,
    /// Whether it is a task of the plan, or research besides it: these stand beside one another.
    pub is_task: bool,
    /// Of an imported run, how many nodes stand above it besides the first.
    pub depth: usize,
    /// Set for a group of tasks.
    pub fold: Option<Fold>,
    /// The members of an open group; of a folded one those that are worth a look.
    pub members: Vec<Node>,
    /// Of a folded group that shows some of its members, how many it does not show.
    pub hidden: usize,
}

/// The kind of a node, in any state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    #[default]
    Research,
    /// A role that the graph always shows.
    Role(String),
    /// The person, by the page put before them.
    You(&'static str),
    Task(TaskId),
    Group(GroupKey),
    /// Work that the plan does not have.
    Besides(AssignmentId),
}

/// A line on the state of a node. Its end is kept where it has to be cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    pub text: Clean,
    /// For instance how long it still waits.
    pub end: String,
    /// The same in fewer words, for where the text would be cut; empty if there are none.
    pub short: String,
    /// Whether it is the reason for a failure, and may take several lines.
    pub is_reason: bool,
}

impl Note {
    /// The note in `cells` cells.
    pub fn in_cells(&self, cells: usize) -> String {
        let text = flat(&self.text);
        if width(&text) + width(&self.end) <= cells {
            return format!("{text}{}", self.end);
        }
        if !self.short.is_empty() {
            return cut(&self.short, cells).into_owned();
        }
        // Whole parts are left out before one is cut.
        for (at, _) in text.rmatch_indices(" · ") {
            if width(&text[..at]) + width(&self.end) <= cells {
                return format!("{}{}", &text[..at], self.end);
            }
        }
        match cells.saturating_sub(width(&self.end)) {
            // There is no room for both: the note comes first.
            room if room < 4 => cut(&text, cells).into_owned(),
            room => format!("{}{}", cut(&text, room), self.end),
        }
    }
}

impl<T: AsRef<str>> From<T> for Note {
    fn from(text: T) -> Note {
        Note { text: Clean::line(text.as_ref()), ..Note::default() }
    }
}

impl Node {
    /// The node and its shown members in reading order, with their depths.
    pub fn shown(&self) -> Vec<(usize, &Node)> {
        let below = self.members.iter().flat_map(Node::shown).map(|(depth, node)| (depth + 1, node));
        std::iter::once((0, self)).chain(below).collect()
    }

    /// Whether an assignment does its work, or did.
    pub fn is_of(&self, id: AssignmentId) -> bool {
        self.assignment == Some(id) || self.before.contains(&id)
    }

    /// Its consumption in at most `cells` cells: parts that do not fit are left out, from the end.
    pub fn spend_in(&self, cells: usize) -> String {
        Note::from(&self.spend).in_cells(cells)
    }

    /// The signs behind its label, each with a space before it: rounds and tries, the sign of a breakpoint.
    pub fn behind(&self) -> String {
        let sign = if self.at_a_breakpoint { BREAKPOINT } else { "" };
        [self.times.as_str(), sign].into_iter().filter(|part| !part.is_empty()).map(|part| format!(" {part}")).collect()
    }

    /// Its label with the signs behind it, in `cells` cells.
    pub fn name(&self, cells: usize) -> String {
        let times = self.behind();
        let room = cells.saturating_sub(width(&times));
        format!("{}{times}", titles::within(&flat(&self.label), &flat(&self.short), room))
    }
}

/// A node without work, as it is before it is reached.
pub fn waiting(run: &Run) -> Node {
    // A run that has ended waits for nothing.
    let note = match run.ended() {
        Some(_) => Note { short: "unneeded".into(), ..Note::from("not needed") },
        None => "waiting".into(),
    };
    Node { note, ..Node::default() }
}

/// The node of a piece of work that somebody has.
pub fn of_assignment(ui: &Ui, run: &Run, assignment: &Assignment, key: Key, label: Clean) -> Node {
    let until = if assignment.ended.is_some() { assignment.touched_at } else { ui.time(run) };
    let (is_root, is_open) = (assignment.id == AssignmentId::ROOT, assignment.ended.is_none());
    // The time in which others went first is none of its own, nor is the person's.
    let worked = run.worked(until);
    let elapsed = match is_root {
        true => worked,
        false if is_open => worked.saturating_sub(assignment.worked().start + assignment.waited(worked)),
        false => {
            let own = assignment.worked();
            (own.end - own.start).saturating_sub(assignment.waited(own.end))
        }
    };
    let most = most_turns(run, assignment);
    let turns = turns_used(run, assignment);
    Node {
        key,
        label,
        mark: mark::shown(ui, run, assignment),
        at_a_breakpoint: is_at_a_breakpoint(run, &assignment.role),
        note: note(ui, run, assignment),
        assignment: Some(assignment.id),
        elapsed: Some(elapsed).filter(|_| turns > 0 || !is_open),
        turns: most.filter(|_| !is_root && turns > 0).map(|most| (turns, most)),
        is_open,
        spend: spend(run, assignment),
        doing: assignment.transcript.turns.last().filter(|_| is_open).map(|turn| why(turn)).unwrap_or_default(),
        ..Node::default()
    }
}

/// The reason for a turn, in few words: a node has about twenty cells for it. The pane has it in full.
fn why(turn: &Turn) -> Clean {
    let Stage::Conversation(stage) = turn.stage else { return turn.why.clone() };
    let short = match stage {
        Conversation::LookUp => "searches first",
        Conversation::Begin => "begins",
        Conversation::Tools => "looks further",
        Conversation::Results => "reads the results",
        Conversation::Correct => "corrects its report",
        Conversation::Nudge => "is asked again",
        Conversation::Message => "reads your message",
        Conversation::Verify => "checks its quotes",
        Conversation::Continue => "goes on",
        Conversation::Room => "has more room",
        Conversation::Last => "is told to report",
        Conversation::Restart => "begins anew",
    };
    short.into()
}

/// Its own consumption: tokens, money, and its model; for work without a model its tool calls. Of one that handed work out also the
/// consumption of that work.
pub fn spend(run: &Run, assignment: &Assignment) -> String {
    let Account { own, spent, .. } = run.ledger.assignment(assignment.id);
    let mut parts = Vec::new();
    if own.tokens() > 0 {
        parts.push(format!("{} tok", short(own.tokens())));
    }
    if run.is_imported() {
        parts.extend((own.get(Cap::Calls) > 0).then(|| assignment.own_pricing().to_string()));
    } else if own.money().0 > 0 {
        parts.push(own.money().to_string());
    }
    let calls = assignment.calls() as usize;
    match run.model_of(assignment) {
        Some(model) => parts.push(flat(&model.id.model).into_owned()),
        None if calls > 0 => parts.push(count(calls, "call")),
        None => {}
    }
    if spent.tokens() > own.tokens() {
        parts.push(format!("{} tok in all", short(spent.tokens())));
    }
    parts.join(" · ")
}

fn note(ui: &Ui, run: &Run, assignment: &Assignment) -> Note {
    let mut note = standing(ui, run, assignment);
    if let Some(rank) = rank(assignment) {
        note.text = Clean::line(&format!("{rank} · {}", note.text));
    }
    note
}

/// Whether the run stops before a role is handed anything, or hands anything on.
pub fn is_at_a_breakpoint(run: &Run, role: &Role) -> bool {
    let is_at =
        |on: &Condition| matches!(on, Condition::Handoff { from, to } if [from, to].contains(&&Some(role.clone())));
    run.ended().is_none() && run.breakpoints.iter().any(|set| is_at(&set.on))
}

/// The priority of an open assignment, if it is not the normal one.
pub fn rank(assignment: &Assignment) -> Option<&'static str> {
    match assignment.priority {
        _ if assignment.ended.is_some() => None,
        Priority::High => Some("↑ high"),
        Priority::Low => Some("↓ low"),
        Priority::Normal => None,
    }
}

fn standing(ui: &Ui, run: &Run, assignment: &Assignment) -> Note {
    match &assignment.ended {
        Some((outcome, _)) if !outcome.usable() => {
            // Its mark says that it failed.
            let said = outcome.to_string();
            let reason = said.strip_prefix("failed: ").unwrap_or(&said);
            Note { is_reason: true, short: in_short(assignment, reason), ..reason.into() }
        }
        Some((_, report)) => match worked_on(run, assignment) {
            Some(count) => format!("{}, {count} worked on", flat(&report.title)).into(),
            None => {
                let short = in_short(assignment, &report.title);
                Note { short, ..report.title.as_str().into() }
            }
        },
        None if assignment.id == AssignmentId::ROOT => leading(ui, run, assignment),
        None => match mark::shown(ui, run, assignment) {
            Mark::NeedsYou if assignment.stopped.is_some() => "at a breakpoint".into(),
            Mark::NeedsYou if run.in_doubt.keys().any(|call| call.assignment == assignment.id) => "in doubt".into(),
            Mark::NeedsYou => "cannot ask".into(),
            Mark::Paused if assignment.paused => Mark::Paused.word().into(),
            Mark::Paused if run.is_imported() => mark::stopped(run).into(),
            Mark::Paused if !run.paused && ui.is_past() => progress(run, assignment).into(),
            Mark::Paused if !run.paused => format!("{} at {}", mark::stopped(run), progress(run, assignment)).into(),
            Mark::Waiting if mark::waits_for_room(assignment, run) => {
                Note { short: "no room".into(), ..Note::from("waits for room") }
            }
            Mark::Waiting if assignment.transcript.turns.is_empty() => Mark::Waiting.word().into(),
            Mark::Limited => {
                let stall = stall::of(ui, run, assignment);
                let Some(stall) = stall else { return Note::default() };
                let text = if stall.failed { stall.why.clone() } else { Clean::line(&stall.cause()) };
                Note { text, end: stall.left(ui.now), short: stall.in_short(ui.now), ..Note::default() }
            }
            Mark::Running => match doing(ui, assignment) {
                Some(doing) => format!("{} · {doing}", progress(run, assignment)).into(),
                None => progress(run, assignment).into(),
            },
            _ => progress(run, assignment).into(),
        },
    }
}

/// The number of findings in a report, in two words: "13 found", "none"; empty if it reports something else.
fn in_short(assignment: &Assignment, title: &str) -> String {
    let handed = &assignment.transcript.handoff.payload;
    let done = match assignment.role.as_str() {
        _ if handed.task().is_some() => "found",
        Role::MERGER => "merged",
        Role::MEMORY if handed.findings.is_some() => "kept",
        Role::MEMORY => "known",
        _ => return String::new(),
    };
    match title.split(' ').next().unwrap_or_default() {
        "nothing" => "none".into(),
        first => first.parse::<usize>().map_or_else(|_| String::new(), |n| format!("{n} {done}")),
    }
}

/// Of a plan of which tasks were left out: how many are worked on.
fn worked_on(run: &Run, assignment: &Assignment) -> Option<usize> {
    let (_, report) = assignment.ended.as_ref()?;
    let (planned, adopted) = (report.payload.plan.as_ref()?.tasks.len(), run.plan.as_ref()?.tasks.len());
    let plans = run.opening.as_ref().and_then(|opening| opening.team.order.plans()) == Some(assignment.role.as_str());
    (plans && adopted < planned).then_some(adopted)
}

/// The states of those it leads.
fn leading(ui: &Ui, run: &Run, assignment: &Assignment) -> Note {
    if mark::of(assignment, run) == Mark::NeedsYou {
        return Mark::NeedsYou.word().into();
    }
    let led = Led::by(ui, run, assignment);
    match (led.at_work, led.limited, led.others) {
        _ if !ui.is_at_work() && run.is_imported() => mark::stopped(run).into(),
        _ if ui.is_past() => run.phase().word().into(),
        _ if !ui.is_at_work() => format!("{} at {}", mark::stopped(run), run.phase().word()).into(),
        (0, 0, 0) => run.phase().word().into(),
        (0, 0, others) => format!("{others} waiting").into(),
        (0, limited, _) => format!("{limited} limited").into(),
        (at_work, 0, _) => format!("{at_work} at work").into(),
        (at_work, limited, _) => format!("{at_work} at work, {limited} limited").into(),
    }
}

/// Numbers of assignments under a leader by state. Those that its editors lead count in place of the editors.
#[derive(Default)]
struct Led {
    at_work: usize,
    limited: usize,
    others: usize,
}

impl Led {
    fn by(ui: &Ui, run: &Run, leader: &Assignment) -> Led {
        let mut led = Led::default();
        led.add(ui, run, leader);
        led
    }

    fn add(&mut self, ui: &Ui, run: &Run, leader: &Assignment) {
        for open in open_below(run, leader) {
            if open_below(run, open).next().is_some() {
                self.add(ui, run, open);
                continue;
            }
            match mark::shown(ui, run, open) {
                Mark::Running => self.at_work += 1,
                Mark::Limited => self.limited += 1,
                _ => self.others += 1,
            }
        }
    }
}

/// The assignments that it handed out and that have not reported.
fn open_below<'a>(run: &'a Run, leader: &'a Assignment) -> impl Iterator<Item = &'a Assignment> {
    let open = leader.transcript.sent().filter(|sent| sent.report.is_none());
    open.filter_map(|sent| run.assignment(sent.to))
}

/// The subject of its last turn, in a word.
fn doing(ui: &Ui, assignment: &Assignment) -> Option<String> {
    match &assignment.transcript.turns.last()?.did {
        Did::Tools(calls) => {
            let open = calls.iter().find(|call| call.end.is_open())?;
            Some(flat(&open.request.name).into_owned())
        }
        Did::Asked(exchange) => {
            use run::progress::Doing;
            let word = match ui.live.of(exchange.call)?.goes_on?.doing {
                Doing::Waits => "asked",
                Doing::Reads { .. } => "reads",
                Doing::Thinks => "thinks",
                Doing::Answers => "answers",
            };
            Some(word.into())
        }
        _ => None,
    }
}

/// The turns that an assignment has taken, as its team counts them.
fn turns_used(run: &Run, assignment: &Assignment) -> usize {
    let (transcript, team) = (&assignment.transcript, run.opening.as_ref().map(|opening| &opening.team));
    team.map_or(transcript.turns.len(), |team| {
        team.turns_used(&assignment.role, assignment.worker, transcript) as usize
    })
}

fn most_turns(run: &Run, assignment: &Assignment) -> Option<u32> {
    run.opening.as_ref()?.team.members.get(&assignment.role).map(|member| member.turns)
}

/// `turn 3/12`.
pub fn progress(run: &Run, assignment: &Assignment) -> String {
    let turn = turns_used(run, assignment).max(1);
    match most_turns(run, assignment) {
        Some(most) => format!("turn {turn}/{most}"),
        None => format!("turn {turn}"),
    }
}
