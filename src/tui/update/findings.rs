//! The findings checkpoint: what a person does to the findings becomes commands, one an act.

use super::{Action, Effect};
use crate::field::{Field, Lines};
use crate::select;
use crate::stage::Command;
use crate::ui::{Doubt, Overlay, Purpose, Ui};
use run::{Act, Checkpoint, Finding, Run, Standing, TaskId};
use text::Clean;

pub(super) fn act(ui: &mut Ui, run: &Run, action: Action) -> Vec<Effect> {
    let Some(checkpoint) = select::checkpoint(run) else { return Vec::new() };
    match action {
        Action::Toggle => {
            let Some(finding) = selected(ui, checkpoint) else { return Vec::new() };
            let (finding, kept) = (finding.id, finding.standing == Standing::Proposed);
            send(ui, checkpoint, if kept { Act::Drop { finding } } else { Act::Keep { finding } })
        }
        Action::Undo => send(ui, checkpoint, Act::Undo),
        Action::Edit => {
            if let Some(finding) = selected(ui, checkpoint) {
                let field = Field::new(&finding.claim, Lines::One);
                ui.overlay = Overlay::Writing { purpose: Purpose::Edit(finding.id), field };
            }
            Vec::new()
        }
        Action::Add | Action::More => {
            let task = selected(ui, checkpoint).and_then(|finding| finding.task);
            let purpose = if action == Action::Add { Purpose::Add(task) } else { Purpose::More(task) };
            ui.overlay = Overlay::Writing { purpose, field: Field::new("", Lines::One) };
            Vec::new()
        }
        Action::Filter => {
            ui.overlay = Overlay::Filtering(Field::new(&ui.findings.filter, Lines::One));
            Vec::new()
        }
        Action::Approve if checkpoint.findings.iter().any(Finding::usable) => approve(run),
        Action::Approve => {
            ui.overlay = Overlay::Confirm(Doubt::ApproveNothing);
            Vec::new()
        }
        Action::NextTopic => {
            next_topic(ui, run);
            Vec::new()
        }
        Action::Submit => submit(ui, checkpoint),
        _ => Vec::new(),
    }
}

/// Approves the open checkpoint.
pub(super) fn approve(run: &Run) -> Vec<Effect> {
    run.open_checkpoint().map(|open| Effect::Send(Command::Approve { checkpoint: open.id })).into_iter().collect()
}

/// The filter holds while it is typed.
pub(super) fn filter_as_typed(ui: &mut Ui) {
    if let Overlay::Filtering(field) = &ui.overlay {
        ui.findings.filter = Clean::line(&field.text());
    }
}

fn selected<'a>(ui: &Ui, checkpoint: &'a Checkpoint) -> Option<&'a Finding> {
    let shown = select::findings(ui, checkpoint);
    shown.get(select::finding(ui, &shown)).copied()
}

fn send(ui: &mut Ui, checkpoint: &Checkpoint, act: Act) -> Vec<Effect> {
    match checkpoint.accepts(&act) {
        Ok(()) => vec![Effect::Send(Command::Act { checkpoint: checkpoint.id, act })],
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    }
}

fn submit(ui: &mut Ui, checkpoint: &Checkpoint) -> Vec<Effect> {
    match std::mem::replace(&mut ui.overlay, Overlay::None) {
        Overlay::Writing { purpose, field } => {
            let words = Clean::line(&field.text());
            let act = match purpose {
                Purpose::Edit(finding) => {
                    let same = checkpoint.findings.iter().any(|f| f.id == finding && f.claim == words);
                    if same {
                        return Vec::new();
                    }
                    Act::Edit { finding, claim: words }
                }
                Purpose::Add(task) => Act::Add { task, claim: words },
                // What is written of a plan is taken in at its own page.
                Purpose::AddTask
                | Purpose::Question(_)
                | Purpose::Title(_)
                | Purpose::After(_)
                | Purpose::AnotherPlan
                | Purpose::Tell(_) => return Vec::new(),
                Purpose::More(task) => {
                    return vec![Effect::Send(Command::More { checkpoint: checkpoint.id, task, wish: words })];
                }
            };
            let effects = send(ui, checkpoint, act);
            if effects.is_empty() {
                ui.overlay = Overlay::Writing { purpose, field };
            }
            effects
        }
        Overlay::Filtering(_) => Vec::new(),
        other => {
            ui.overlay = other;
            Vec::new()
        }
    }
}

/// The tasks one after another, then none.
fn next_topic(ui: &mut Ui, run: &Run) {
    let Overlay::Writing { purpose, .. } = &mut ui.overlay else { return };
    let (Purpose::Add(task) | Purpose::More(task)) = purpose else { return };
    let tasks: Vec<TaskId> = run.plan.iter().flat_map(|plan| &plan.tasks).map(|task| task.id).collect();
    *task = match *task {
        None => tasks.first().copied(),
        Some(id) => tasks.iter().position(|known| *known == id).and_then(|at| tasks.get(at + 1)).copied(),
    };
}
