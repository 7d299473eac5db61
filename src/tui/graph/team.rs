//! The graph of a run: every role and every task of the plan, also before it is assigned, and the edges between them.

use std::collections::{BTreeMap, BTreeSet};

use super::group::{self, Fold};
use super::imported;
use super::node::{Key, Node, Note, is_at_a_breakpoint, of_assignment, waiting};
use super::titles;
use crate::mark;
use crate::prelude::*;
use run::handoff::Contract;
use run::state::Ending;
use run::verdict::Verdict;
use run::{Assignment, AssignmentId, Checkpoint, Plan, Role, Task, TaskId};

/// The nodes in reading order, and the edges between them by their places there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// The edges from sources to targets; onwards only.
    pub edges: Vec<(usize, usize)>,
    /// Work that was sent back.
    pub back: Option<Back>,
    /// Nodes that are worked one after another, and stand beside one another: first and last.
    pub chains: Vec<(usize, usize)>,
}

/// An edge against the stream: drafts that were sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Back {
    pub from: usize,
    pub to: usize,
    pub words: String,
}

impl Graph {
    /// Every node that is shown, members of open groups too, in reading order.
    pub fn shown(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().flat_map(Node::shown).map(|(_, node)| node)
    }

    /// The innermost group that this assignment leads or is shown in.
    pub fn group_of(&self, assignment: AssignmentId) -> Option<Fold> {
        fn within(node: &Node, assignment: AssignmentId) -> Option<Fold> {
            if node.assignment == Some(assignment) {
                return node.fold;
            }
            node.members.iter().find_map(|member| {
                within(member, assignment).or_else(|| node.fold.filter(|_| member.assignment == Some(assignment)))
            })
        }
        self.nodes.iter().find_map(|node| within(node, assignment))
    }

    /// Adds nodes that feed one another and are fed by `from`; returns the last of them, or `from` if there are none.
    fn chain(&mut self, nodes: Vec<Node>, from: Vec<usize>) -> Vec<usize> {
        let mut feeds = from;
        let first = self.nodes.len();
        for node in nodes {
            let at = self.nodes.len();
            self.edges.extend(feeds.iter().map(|from| (*from, at)));
            self.nodes.push(node);
            feeds = vec![at];
        }
        if self.nodes.len() > first + 1 {
            self.chains.push((first, self.nodes.len() - 1));
        }
        feeds
    }
}

/// The graph of the run at the moment shown. In `rows` rows, folded groups show as many of their tasks as there is room for.
pub fn of(ui: &Ui, run: &Run, rows: usize) -> Graph {
    if run.is_imported() {
        return imported::of(ui, run);
    }
    let order = run.opening.as_ref().map(|opening| opening.team.order).unwrap_or_default();
    let put = select::plan_page(run);
    let mut graph = Graph::default();
    let led = graph.chain(vec![of_role(ui, run, Role::SUPERVISOR)], Vec::new());

    if order.is_judging() {
        let judges = run.assignments().filter(|a| a.role.as_str() == Role::JUDGE);
        for a in judges {
            graph.chain(vec![of_assignment(ui, run, a, Key::Besides(a.id), Clean::line(a.title()))], led.clone());
        }
        return graph;
    }

    // A model that leads plans as it hands out, unless it asks for a plan.
    let is_planned = |a: &Assignment| Some(a.role.as_str()) == order.plans();
    let mut planning = of_memory(ui, run, false);
    planning.extend(match is_model_led(run) && !run.assignments().any(is_planned) {
        true => None,
        false => order.plans().map(|role| of_role(ui, run, role)),
    });
    planning.extend(put.map(|(checkpoint, plan)| you_of_plan(checkpoint, plan)));
    let planned = graph.chain(planning, led);
    let merging: Vec<Node> = order.merges().map(|role| of_role(ui, run, role)).into_iter().collect();
    // One agent that does all writes up its findings at once.
    let approving = if order.is_alone() { Vec::new() } else { vec![you_of_findings(run)] };
    let mut writing = if order.is_alone() { Vec::new() } else { vec![of_writer(ui, run)] };
    writing.extend(order.checks().iter().map(|role| match *role {
        Role::REVIEWER => Node { label: "review".into(), ..of_role(ui, run, role) },
        role => of_role(ui, run, role),
    }));
    let members = run.opening.iter().flat_map(|opening| &opening.team.members);
    let gates = members.filter(|(_, member)| member.gate.is_some());
    writing.extend(gates.map(|(role, _)| of_role(ui, run, role.as_str())));
    let keeping = of_memory(ui, run, true);

    let others = graph.nodes.len() + merging.len() + approving.len() + writing.len() + keeping.len();
    let tasks = tasks(ui, run, put.map(|(_, plan)| plan), rows.saturating_sub(others));
    let researched = add_tasks(&mut graph, run, planned, put.map(|(_, plan)| plan), tasks);
    let merged = graph.chain(merging, researched);
    let approved = graph.chain(approving, merged);
    let (writer, checks) = (graph.nodes.len(), writing.len());
    writing.extend(keeping);
    graph.chain(writing, approved);
    if order.is_alone() {
        return graph;
    }
    graph.back = sent_back(run, &graph.nodes[writer..writer + checks]).map(|(from, words)| Back {
        from: writer + from,
        to: writer,
        words,
    });
    graph
}

/// The tasks of the plan, of which those in folded groups are shown as far as there are rows, and research besides it.
fn tasks(ui: &Ui, run: &Run, put: Option<&Plan>, rows: usize) -> Vec<Node> {
    let plan = run.plan.as_deref().or(put);
    let planned: BTreeSet<TaskId> = run.plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
    // Research that no task of the plan asked for: the person wanted more of the whole question.
    let more = run
        .assignments()
        .filter(|a| a.transcript.handoff.payload.task().is_some())
        .filter(|a| a.task.is_none_or(|id| !planned.contains(&id)));
    let besides = run.assignments().filter(|a| is_besides(run, a));
    let besides: Vec<Node> =
        more.chain(besides).map(|a| of_assignment(ui, run, a, Key::Besides(a.id), Clean::line(a.title()))).collect();
    let mut tasks = match plan {
        Some(plan) => group::tasks(ui, run, plan, rows.saturating_sub(besides.len())),
        None if is_model_led(run) => {
            vec![Node { label: "hand-offs".into(), note: "as it leads".into(), ..waiting(run) }]
        }
        None => vec![Node { label: "research".into(), note: "after the plan".into(), ..waiting(run) }],
    };
    tasks.extend(besides);
    tasks.iter_mut().for_each(|node| node.is_task = true);
    if let Some(plan) = plan {
        let short = short_titles(&plan.tasks);
        tasks.iter_mut().for_each(|node| shorten(node, &short));
    }
    tasks
}

/// Adds the tasks, with the tasks that each waits for; returns those that nothing waits for.
fn add_tasks(graph: &mut Graph, run: &Run, from: Vec<usize>, put: Option<&Plan>, tasks: Vec<Node>) -> Vec<usize> {
    let plan = run.plan.as_deref().or(put);
    let first = graph.nodes.len();
    let place: BTreeMap<TaskId, usize> = tasks
        .iter()
        .zip(first..)
        .filter_map(|(node, at)| if let Key::Task(id) = node.key { Some((id, at)) } else { None })
        .collect();
    let (mut fed, mut feeds) = (BTreeSet::new(), BTreeSet::new());
    for task in plan.iter().flat_map(|plan| &plan.tasks) {
        let Some(to) = place.get(&task.id) else { continue };
        for before in task.after.iter().filter_map(|id| place.get(id)).filter(|before| *before != to) {
            graph.edges.push((*before, *to));
            fed.insert(*to);
            feeds.insert(*before);
        }
    }
    let all = first..first + tasks.len();
    graph.nodes.extend(tasks);
    for root in all.clone().filter(|at| !fed.contains(at)) {
        graph.edges.extend(from.iter().map(|from| (*from, root)));
    }
    all.filter(|at| !feeds.contains(at)).collect()
}

/// The most cells of a label that nobody minds.
const LONG: usize = 14;

/// The titles of tasks without the words that they share, as far as they share some: of the tasks of a plan, or of a section. They
/// are the same whichever of them are shown.
pub fn short_titles<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> BTreeMap<TaskId, Clean> {
    let tasks: Vec<&Task> = tasks.into_iter().collect();
    if tasks.iter().all(|task| width(&task.title) <= LONG) {
        return BTreeMap::new();
    }
    let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
    let short = tasks.iter().map(|task| task.id).zip(titles::short(&titles));
    short.filter(|(_, short)| !short.is_empty()).collect()
}

/// Gives tasks their short titles, but for those that a section has given theirs.
pub(super) fn shorten(node: &mut Node, short: &BTreeMap<TaskId, Clean>) {
    if let (Key::Task(id), true) = (&node.key, node.short.is_empty()) {
        node.short = short.get(id).cloned().unwrap_or_default();
    }
    node.members.iter_mut().for_each(|member| shorten(member, short));
}

/// Whether an assignment is neither for a task nor of a role that the graph always shows.
fn is_besides(run: &Run, assignment: &Assignment) -> bool {
    let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(&assignment.role));
    let is_gate = member.is_some_and(|member| member.gate.is_some());
    assignment.transcript.handoff.payload.task().is_none() && Contract::of(&assignment.role).is_none() && !is_gate
}

/// Whether a model leads, or led before it was relieved.
fn is_model_led(run: &Run) -> bool {
    run.opening.as_ref().is_some_and(|opening| opening.team.is_model_led())
}

fn of_role(ui: &Ui, run: &Run, role: &str) -> Node {
    // Those of a section belong to its editor.
    let is_own = |a: &&Assignment| a.parent().is_none_or(|parent| parent == AssignmentId::ROOT);
    let all: Vec<&Assignment> = run.assignments().filter(|a| a.role.as_str() == role).filter(is_own).collect();
    let key = Key::Role(role.into());
    let Some(assignment) = all.last() else {
        let at_a_breakpoint = is_at_a_breakpoint(run, &Role::new(role));
        return Node { key, label: role.into(), at_a_breakpoint, ..waiting(run) };
    };
    let node = of_assignment(ui, run, assignment, key, role.into());
    let node = Node { times: times(run, &all), before: before(&all), ..node };
    match verdict(assignment) {
        Some(verdict) => Node { note: verdict.into(), ..node },
        None => node,
    }
}

/// All but the last.
fn before(all: &[&Assignment]) -> Vec<AssignmentId> {
    all.split_last().map_or(Vec::new(), |(_, before)| before.iter().map(|assignment| assignment.id).collect())
}

/// The number of times that the same work was given out up to the last of these, as shown behind its name: `+1`, `↺2`, `×3`.
pub fn times(run: &Run, all: &[&Assignment]) -> String {
    let again = Again::of(run, all);
    let Some(last) = all.last() else { return String::new() };
    let opening = run.opening.as_ref();
    let is_gate = opening.and_then(|o| o.team.members.get(&last.role)).is_some_and(|member| member.gate.is_some());
    let checks = opening.is_some_and(|o| o.team.order.checks().contains(&last.role.as_str())) || is_gate;
    match last.role.as_str() {
        Role::WRITER => again.revisions(),
        _ if checks => again.checks(),
        _ => again.in_words(),
    }
}

/// `PASS`, `REVISE 2 issues`, `PASS, 1 doubt`.
fn verdict(assignment: &Assignment) -> Option<String> {
    let (outcome, report) = assignment.ended.as_ref()?;
    let verdicts = report.payload.verdicts();
    if verdicts.is_empty() || !outcome.usable() {
        return None;
    }
    let issues: usize =
        verdicts.iter().map(|verdict| verdict.issues.iter().filter(|issue| issue.blocking).count()).sum();
    let said = if issues == 0 { "PASS".into() } else { format!("REVISE {}", count(issues, "issue")) };
    Some(match verdicts.iter().flat_map(Verdict::doubts).count() {
        0 => said,
        doubts => format!("{said}, {}", count(doubts, "doubt")),
    })
}

/// The number of times that the same work was given out: other rounds of it, and tries after one that was given up.
struct Again {
    rounds: usize,
    tries: usize,
}

impl Again {
    fn of(run: &Run, all: &[&Assignment]) -> Again {
        let later = all.get(1..).unwrap_or_default();
        let replaced = all.iter().filter_map(|other| match &other.ending {
            Some(Ending::Replaced { with, .. }) => *with,
            _ => None,
        });
        let parents: BTreeSet<AssignmentId> = later.iter().filter_map(|assignment| assignment.parent()).collect();
        let parents = parents.into_iter().filter_map(|id| run.assignment(id));
        let again = parents.flat_map(|parent| parent.transcript.sent()).filter(|sent| sent.again.is_some());
        // The assignments that repeat work at which another was given up.
        let all_tries: BTreeSet<AssignmentId> = replaced.chain(again.map(|sent| sent.to)).collect();
        let tries = later.iter().filter(|assignment| all_tries.contains(&assignment.id)).count();
        Again { rounds: later.len() - tries, tries }
    }

    fn in_words(&self) -> String {
        let part = |sign: char, n: usize| if n == 0 { String::new() } else { format!("{sign}{n}") };
        [part('+', self.rounds), part('↺', self.tries)].join(" ").trim().to_string()
    }

    /// The same for checkers: the number of drafts that they have checked.
    fn checks(&self) -> String {
        let drafts = if self.rounds == 0 { String::new() } else { format!("×{}", self.rounds + 1) };
        let tries = if self.tries == 0 { String::new() } else { format!("↺{}", self.tries) };
        [drafts, tries].join(" ").trim().to_string()
    }

    /// The same for the writer, whose other rounds are revisions.
    fn revisions(&self) -> String {
        let again = self.rounds + self.tries;
        if again == 0 { String::new() } else { format!("↺{again}") }
    }
}

/// The writer, with the number of its draft.
fn of_writer(ui: &Ui, run: &Run) -> Node {
    let node = of_role(ui, run, Role::WRITER);
    let all: Vec<&Assignment> = run.assignments().filter(|a| a.role.as_str() == Role::WRITER).collect();
    let Some(last) = all.last() else { return node };
    let again = Again::of(run, &all);
    let most = run.opening.as_ref().map_or(0, |opening| opening.team.revisions as usize) + 1;
    let nth = again.rounds + 1;
    let draft = last.ended.as_ref().and_then(|(_, report)| report.payload.draft.as_ref());
    let text = match (draft, &last.ended) {
        (Some(draft), _) => format!("draft {nth}/{most} · {}", count(draft.words(), "word")),
        // The failure says more.
        (None, Some(_)) => return node,
        (None, None) => format!("draft {nth}/{most} · {}", node.note.text),
    };
    Node { note: Note { text: Clean::line(&text), ..node.note.clone() }, ..node }
}

/// The last check that sent a draft back, by its place in the chain, and in words how often.
fn sent_back(run: &Run, writing: &[Node]) -> Option<(usize, String)> {
    let said = |node: &Node| {
        let assignment = run.assignment(node.assignment?)?;
        (mark::of(assignment, run) == Mark::SentBack).then(|| verdict(assignment)).flatten()
    };
    let all: Vec<&Assignment> = run.assignments().filter(|a| a.role.as_str() == Role::WRITER).collect();
    let revised = Again::of(run, &all).rounds;
    let last = writing.iter().skip(1).rposition(|node| said(node).is_some()).map(|at| at + 1);
    let at = last.or_else(|| (revised > 0).then_some(writing.len() - 1)).filter(|at| *at > 0)?;
    let why = said(&writing[at]).map(|said| format!(": {}", said.trim_start_matches("REVISE "))).unwrap_or_default();
    let times = if revised > 1 { format!(" ×{revised}") } else { String::new() };
    Some((at, format!("revise{times}{why}")))
}

/// The memory node of a team that has one: read before the plan (`writes` false), written after the review (true).
fn of_memory(ui: &Ui, run: &Run, writes: bool) -> Vec<Node> {
    let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(&Role::new(Role::MEMORY)));
    let label: Clean = if writes { "keep" } else { "memory" }.into();
    let key = Key::Role(label.to_string());
    let carries = |a: &&Assignment| a.transcript.handoff.payload.findings.is_some();
    let node = member.map(|_| {
        let mut assignments = run.assignments().filter(|a| a.role.as_str() == Role::MEMORY);
        match assignments.find(|a| carries(a) == writes) {
            Some(assignment) => of_assignment(ui, run, assignment, key.clone(), label.clone()),
            None => Node { key: key.clone(), label, ..waiting(run) },
        }
    });
    node.into_iter().collect()
}

/// The tasks of a plan that repeat the question of another one, by their title: further rounds of that one's work.
pub(super) struct Rounds<'a>(BTreeMap<&'a str, Vec<&'a Task>>);

impl<'a> Rounds<'a> {
    pub(super) fn of(plan: &'a Plan) -> Rounds<'a> {
        let mut rounds: BTreeMap<&str, Vec<&Task>> = BTreeMap::new();
        for task in plan.tasks.iter().filter(|task| task.follows_up) {
            rounds.entry(task.title.as_str()).or_default().push(task);
        }
        if !rounds.is_empty() {
            let first = plan.tasks.iter().filter(|task| !task.follows_up);
            let asked: BTreeSet<&str> = first.map(|task| task.title.as_str()).collect();
            rounds.retain(|title, _| asked.contains(title));
        }
        Rounds(rounds)
    }

    /// Whether it is a further round of another task.
    pub(super) fn has(&self, task: &Task) -> bool {
        task.follows_up && self.0.contains_key(task.title.as_str())
    }

    /// The further rounds of a task.
    fn after(&self, task: &Task) -> impl Iterator<Item = &'a Task> {
        let rounds = if task.follows_up { None } else { self.0.get(task.title.as_str()) };
        rounds.into_iter().flatten().copied()
    }
}

pub(super) fn of_task(ui: &Ui, run: &Run, plan: &Plan, rounds: &Rounds<'_>, task: &Task) -> Node {
    let key = Key::Task(task.id);
    let mut all: Vec<&Assignment> = run.given(task.id).collect();
    all.extend(rounds.after(task).flat_map(|round| run.given(round.id)));
    if let Some(assignment) = all.last() {
        let node = of_assignment(ui, run, assignment, key, task.title.clone());
        return Node { times: times(run, &all), before: before(&all), ..node };
    }
    let first: Vec<&str> = task.after.iter().filter_map(|id| Some(plan.task(*id)?.title.as_str())).collect();
    let node = waiting(run);
    let note = if first.is_empty() { node.note } else { format!("after {}", first.join(", ")).into() };
    let at_a_breakpoint = is_at_a_breakpoint(run, &task.role);
    Node { key, label: task.title.clone(), at_a_breakpoint, note, ..node }
}

fn you_of_plan(checkpoint: &Checkpoint, plan: &Plan) -> Node {
    let tasks = plan.tasks.len();
    let note = |what: &str| Note { short: count(tasks, "task"), ..format!("{tasks} {what}").into() };
    you("you: plan", checkpoint, note("to approve"), note("approved"))
}

fn you_of_findings(run: &Run) -> Node {
    let label = "you: findings";
    let Some((checkpoint, findings)) = select::findings_page(run) else {
        return Node { key: Key::You(label), label: label.into(), ..waiting(run) };
    };
    let usable = findings.iter().filter(|finding| finding.usable()).count();
    let open = Note {
        short: format!("{usable}/{} kept", findings.len()),
        ..format!("{usable} of {} kept", findings.len()).into()
    };
    let approved = Note { short: format!("{usable} kept"), ..format!("{usable} approved").into() };
    let node = you(label, checkpoint, open, approved);
    let rounds = run.findings_checkpoints().count().saturating_sub(1);
    Node { times: if rounds == 0 { String::new() } else { format!("+{rounds}") }, ..node }
}

fn you(label: &'static str, checkpoint: &Checkpoint, open: Note, approved: Note) -> Node {
    let (mark, said) = select::answered(checkpoint);
    let note = match mark {
        Mark::NeedsYou => open,
        Mark::Done => approved,
        _ => said.unwrap_or_default().into(),
    };
    Node { key: Key::You(label), label: label.into(), note, mark, ..Node::default() }
}
