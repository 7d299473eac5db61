//! The nodes of the graph: every role and every task of the plan, also before it is assigned.

use std::collections::BTreeSet;

use super::group::{self, Fold, Folds};
use crate::mark;
use crate::prelude::*;
use run::handoff::Contract;
use run::{Assignment, AssignmentId, Checkpoint, Condition, Plan, Priority, Role, Task, TaskId};

/// A specialist, the person, or a group of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    pub label: Clean,
    pub note: Clean,
    pub mark: Mark,
    pub assignment: Option<AssignmentId>,
    /// Set for a group of tasks.
    pub fold: Option<Fold>,
    /// The members of an open group.
    pub members: Vec<Node>,
}

impl Node {
    /// The node and its shown members in reading order, with their depths.
    pub fn shown(&self) -> Vec<(usize, &Node)> {
        let below = self.members.iter().flat_map(Node::shown).map(|(depth, node)| (depth + 1, node));
        std::iter::once((0, self)).chain(below).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Boxes, worked in parallel.
    Fan(Vec<Node>),
    /// Plain labels, worked one after another.
    Chain(Vec<Node>),
}

impl Layer {
    pub fn nodes(&self) -> &[Node] {
        match self {
            Layer::Fan(nodes) | Layer::Chain(nodes) => nodes,
        }
    }
}

/// The layers, top to bottom; each feeds the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub layers: Vec<Layer>,
}

impl Graph {
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.layers.iter().flat_map(Layer::nodes)
    }

    /// Every node that is shown, members of open groups too, in reading order.
    pub fn shown(&self) -> impl Iterator<Item = &Node> {
        self.nodes().flat_map(Node::shown).map(|(_, node)| node)
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
        self.nodes().find_map(|node| within(node, assignment))
    }
}

pub fn of(run: &Run, folds: &Folds) -> Graph {
    let put = select::plan_page(run);
    let mut tasks: Vec<Node> = match run.plan.as_deref().or(put.map(|(_, plan)| plan)) {
        Some(plan) => group::tasks(run, plan, folds),
        None if is_model_led(run) => {
            vec![Node { label: "hand-offs".into(), note: "as it leads".into(), ..waiting(run) }]
        }
        None => vec![Node { label: "research".into(), note: "after the plan".into(), ..waiting(run) }],
    };
    let planned: BTreeSet<TaskId> = run.plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
    // Research that no task of the plan asked for: the person wanted more of the whole question.
    tasks.extend(
        run.assignments
            .iter()
            .filter(|a| a.transcript.handoff.payload.task().is_some())
            .filter(|a| a.task.is_none_or(|id| !planned.contains(&id)))
            .map(|a| of_assignment(run, a, Clean::line(a.title()))),
    );
    let order = run.opening.as_ref().map(|opening| opening.team.order).unwrap_or_default();
    tasks.extend(
        run.assignments.iter().filter(|a| is_besides(run, a)).map(|a| of_assignment(run, a, Clean::line(a.title()))),
    );
    // A model that leads plans as it hands out, unless it asks for a plan.
    let is_planned = |a: &Assignment| a.role.as_str() == order.plans();
    let mut planning = of_memory(run, false);
    planning.extend(match is_model_led(run) && !run.assignments.iter().any(is_planned) {
        true => None,
        false => Some(of_role(run, order.plans())),
    });
    planning.extend(put.map(|(checkpoint, plan)| you_of_plan(checkpoint, plan)));
    let mut writing = vec![of_role(run, Role::WRITER)];
    writing.extend(order.checks().iter().map(|role| match *role {
        Role::REVIEWER => Node { label: "review".into(), ..of_role(run, role) },
        role => of_role(run, role),
    }));
    let members = run.opening.iter().flat_map(|opening| &opening.team.members);
    let gates = members.filter(|(_, member)| member.gate.is_some());
    writing.extend(gates.map(|(role, _)| of_role(run, role.as_str())));
    writing.extend(of_memory(run, true));
    let mut layers = vec![Layer::Fan(vec![of_role(run, Role::SUPERVISOR)])];
    layers.extend((!planning.is_empty()).then_some(Layer::Chain(planning)));
    layers.push(Layer::Fan(tasks));
    layers.extend(order.merges().map(|role| Layer::Chain(vec![of_role(run, role)])));
    layers.push(Layer::Fan(vec![you_of_findings(run)]));
    layers.push(Layer::Chain(writing));
    Graph { layers }
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

fn waiting(run: &Run) -> Node {
    // A run that has ended waits for nothing.
    let note = if run.ended().is_some() { "not needed" } else { "waiting" };
    Node { note: note.into(), ..Node::default() }
}

fn of_role(run: &Run, role: &str) -> Node {
    match run.assignments.iter().rfind(|a| a.role.as_str() == role) {
        Some(assignment) => of_assignment(run, assignment, role.into()),
        None => {
            let node = waiting(run);
            let note = with_breakpoint(run, &Role::new(role), node.note.to_string()).into();
            Node { label: role.into(), note, ..node }
        }
    }
}

/// The memory node of a team that has one: read before the plan (`writes` false), written after the review (true).
fn of_memory(run: &Run, writes: bool) -> Vec<Node> {
    let member = run.opening.as_ref().and_then(|opening| opening.team.members.get(&Role::new(Role::MEMORY)));
    let label: Clean = if writes { "keep" } else { "memory" }.into();
    let carries = |a: &&Assignment| a.transcript.handoff.payload.findings.is_some();
    let node = member.map(|_| {
        let mut assignments = run.assignments.iter().filter(|a| a.role.as_str() == Role::MEMORY);
        match assignments.find(|a| carries(a) == writes) {
            Some(assignment) => of_assignment(run, assignment, label.clone()),
            None => Node { label, ..waiting(run) },
        }
    });
    node.into_iter().collect()
}

pub(super) fn of_task(run: &Run, plan: &Plan, task: &Task) -> Node {
    if let Some(assignment) = run.given(task.id).next_back() {
        return of_assignment(run, assignment, task.title.clone());
    }
    let first: Vec<&str> = task.after.iter().filter_map(|id| Some(plan.task(*id)?.title.as_str())).collect();
    let node = waiting(run);
    let note = if first.is_empty() { node.note } else { Clean::line(&format!("after {}", first.join(", "))) };
    Node { label: task.title.clone(), note, ..node }
}

fn of_assignment(run: &Run, assignment: &Assignment, label: Clean) -> Node {
    let mark = mark::of(assignment, run);
    Node { label, note: note(run, assignment).into(), mark, assignment: Some(assignment.id), ..Node::default() }
}

fn note(run: &Run, assignment: &Assignment) -> String {
    let note = with_breakpoint(run, &assignment.role, standing(run, assignment));
    match rank(assignment) {
        Some(rank) => format!("{rank} · {note}"),
        None => note,
    }
}

/// A note that says whether the run stops before a role is handed anything, or hands anything on.
fn with_breakpoint(run: &Run, role: &Role, note: String) -> String {
    let is_at =
        |on: &Condition| matches!(on, Condition::Handoff { from, to } if [from, to].contains(&&Some(role.clone())));
    match run.ended().is_none() && run.breakpoints.iter().any(|set| is_at(&set.on)) {
        true => format!("breakpoint · {note}"),
        false => note,
    }
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

fn standing(run: &Run, assignment: &Assignment) -> String {
    match &assignment.ended {
        Some((outcome, _)) if !outcome.usable() => outcome.to_string(),
        Some((_, report)) => report.title.to_string(),
        None if assignment.id == AssignmentId::ROOT => {
            let sent = assignment.transcript.sent();
            let open = sent.filter(|sent| sent.report.is_none()).filter_map(|sent| run.assignment(sent.to));
            let (works, others): (Vec<_>, Vec<_>) = open.partition(|open| mark::of(open, run) == Mark::Running);
            if run.open_checkpoint().is_some() {
                "waits for you".into()
            } else {
                match (works.len(), others.len()) {
                    (0, 0) => run.phase().word().into(),
                    (0, waiting) => format!("{waiting} waiting"),
                    (at_work, _) => format!("{at_work} at work"),
                }
            }
        }
        None => match mark::of(assignment, run) {
            Mark::NeedsYou if assignment.stopped.is_some() => "at a breakpoint".into(),
            Mark::NeedsYou if run.in_doubt.keys().any(|call| call.assignment == assignment.id) => "in doubt".into(),
            Mark::NeedsYou => "cannot ask".into(),
            Mark::Paused if assignment.held => Mark::Paused.word().into(),
            Mark::Waiting if assignment.transcript.turns.is_empty() => Mark::Waiting.word().into(),
            _ => progress(run, assignment),
        },
    }
}

pub fn progress(run: &Run, assignment: &Assignment) -> String {
    let turn = assignment.transcript.turns.len().max(1);
    let most = run.opening.as_ref().and_then(|o| o.team.members.get(&assignment.role)).map(|member| member.turns);
    match most {
        Some(most) => format!("turn {turn}/{most}"),
        None => format!("turn {turn}"),
    }
}

fn you_of_plan(checkpoint: &Checkpoint, plan: &Plan) -> Node {
    let tasks = plan.tasks.len();
    you("you: plan", checkpoint, format!("{tasks} to approve"), format!("{tasks} approved"))
}

fn you_of_findings(run: &Run) -> Node {
    let label = "you: findings";
    let Some((checkpoint, findings)) = select::findings_page(run) else {
        return Node { label: label.into(), ..waiting(run) };
    };
    let usable = findings.iter().filter(|finding| finding.usable()).count();
    you(label, checkpoint, format!("{usable} of {} kept", findings.len()), format!("{usable} approved"))
}

fn you(label: &str, checkpoint: &Checkpoint, open: String, approved: String) -> Node {
    let (mark, said) = select::answered(checkpoint);
    let note = match mark {
        Mark::NeedsYou => open,
        Mark::Done => approved,
        _ => said.unwrap_or_default().into(),
    };
    Node { label: label.into(), note: note.into(), mark, ..Node::default() }
}
