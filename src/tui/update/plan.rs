//! The plan checkpoint: what a person does to the plan becomes commands, one an edit.

use super::{Action, Effect};
use crate::field::{Field, Lines};
use crate::select;
use crate::stage::Command;
use crate::ui::{Overlay, Purpose, Ui};
use run::plan::{Bounds, PlanEdit};
use run::{Proposal, Role, Run, Task, TaskId};
use text::Clean;

/// The most characters of a title that is made of a question.
const MOST_TITLE: usize = 40;

pub(super) fn act(ui: &mut Ui, run: &Run, action: Action) -> Vec<Effect> {
    let Some(proposal) = run.proposals.last() else { return Vec::new() };
    if action == Action::Submit {
        return submit(ui, run, proposal);
    }
    let chosen = select::task(ui, proposal).map(|at| (at, &proposal.plan.tasks[at]));
    let edit = match (action, chosen) {
        (Action::Approve, _) => return vec![Effect::Send(Command::Approve { checkpoint: proposal.id })],
        (Action::Undo, _) => PlanEdit::Undo,
        (Action::Drop, Some((_, task))) => PlanEdit::Drop { task: task.id },
        (Action::MoveDown, Some((at, task))) => PlanEdit::Move { task: task.id, to: at as u32 + 1 },
        (Action::MoveUp, Some((at, task))) => PlanEdit::Move { task: task.id, to: (at as u32).saturating_sub(1) },
        (Action::Who, Some((_, task))) => match next_role(run, &task.role) {
            Some(role) => PlanEdit::Give { task: task.id, role },
            None => return Vec::new(),
        },
        (Action::Add, _) => return write(ui, Purpose::AddTask, ""),
        (Action::Another, _) => return write(ui, Purpose::AnotherPlan, ""),
        (Action::Edit, Some((_, task))) => return write(ui, Purpose::Question(task.id), &task.question),
        (Action::Title, Some((_, task))) => return write(ui, Purpose::Title(task.id), &task.title),
        (Action::After, Some((_, task))) => return write(ui, Purpose::After(task.id), &places(proposal, task)),
        _ => return Vec::new(),
    };
    send(ui, run, proposal, edit)
}

fn write(ui: &mut Ui, purpose: Purpose, words: &str) -> Vec<Effect> {
    ui.overlay = Overlay::Writing { purpose, field: Field::new(words, Lines::One) };
    Vec::new()
}

/// Whoever comes after this role among those who take tasks; None if there is nobody else.
fn next_role(run: &Run, role: &Role) -> Option<Role> {
    let who = run.opening.as_ref()?.team.colleagues();
    let at = who.iter().position(|colleague| colleague.role == *role).map_or(0, |at| at + 1);
    let next = who.get(at).or(who.first())?;
    (next.role != *role).then(|| next.role.clone())
}

/// What a task waits for, as numbers of rows.
fn places(proposal: &Proposal, task: &Task) -> String {
    let place = |id: &TaskId| proposal.plan.tasks.iter().position(|other| other.id == *id);
    task.after.iter().filter_map(place).map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(" ")
}

fn send(ui: &mut Ui, run: &Run, proposal: &Proposal, edit: PlanEdit) -> Vec<Effect> {
    let bounds = run.opening.as_ref().map(|opening| Bounds::of(&opening.team)).unwrap_or_default();
    match proposal.accepts(&edit, &bounds) {
        Ok(()) => {
            ui.plan.selected = match &edit {
                // The one next to a task that goes is the next to be looked at.
                PlanEdit::Drop { task } => {
                    let tasks = &proposal.plan.tasks;
                    let at = tasks.iter().position(|other| other.id == *task).unwrap_or(0);
                    tasks.get(at + 1).or(tasks.get(at.wrapping_sub(1))).map(|task| task.id)
                }
                edit => edit.task().or(ui.plan.selected),
            };
            vec![Effect::Send(Command::EditPlan { checkpoint: proposal.id, edit })]
        }
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    }
}

fn submit(ui: &mut Ui, run: &Run, proposal: &Proposal) -> Vec<Effect> {
    let Overlay::Writing { purpose, field } = std::mem::replace(&mut ui.overlay, Overlay::None) else {
        return Vec::new();
    };
    let words = Clean::line(&field.text());
    let effects = match edit(purpose, &words, run, proposal) {
        // As it was: nothing to do.
        Ok(None) => return Vec::new(),
        Ok(Some(Written::Edit(edit))) => send(ui, run, proposal, edit),
        Ok(Some(Written::Wish(wish))) => {
            vec![Effect::Send(Command::AnotherPlan { checkpoint: proposal.id, wish })]
        }
        Err(why) => {
            ui.status = Some(Clean::line(&why));
            Vec::new()
        }
    };
    // What was refused stays to be put right.
    if effects.is_empty() {
        ui.overlay = Overlay::Writing { purpose, field };
    }
    effects
}

/// What was written.
enum Written {
    Edit(PlanEdit),
    Wish(Clean),
}

fn edit(purpose: Purpose, words: &Clean, run: &Run, proposal: &Proposal) -> Result<Option<Written>, String> {
    let known = |id: TaskId| proposal.plan.task(id).ok_or("the plan has no such task any more");
    let edit = match purpose {
        Purpose::AnotherPlan => return Ok(Some(Written::Wish(words.clone()))),
        Purpose::AddTask => {
            let (title, question) = titled(words);
            let who = run.opening.as_ref().map(|opening| opening.team.colleagues()).unwrap_or_default();
            let role = who.first().map_or_else(|| Role::new(Role::RESEARCHER), |colleague| colleague.role.clone());
            PlanEdit::Add { task: proposal.next_task(), title, question, role }
        }
        Purpose::Question(id) => {
            let task = known(id)?;
            if task.question == *words {
                return Ok(None);
            }
            PlanEdit::Reword { task: id, title: task.title.clone(), question: words.clone() }
        }
        Purpose::Title(id) => {
            let task = known(id)?;
            if task.title == *words {
                return Ok(None);
            }
            PlanEdit::Reword { task: id, title: words.clone(), question: task.question.clone() }
        }
        Purpose::After(id) => {
            let after = rows(words, proposal)?;
            if known(id)?.after == after {
                return Ok(None);
            }
            PlanEdit::Wait { task: id, after }
        }
        Purpose::Edit(_) | Purpose::Add(_) | Purpose::More(_) | Purpose::Tell(_) => return Ok(None),
    };
    Ok(Some(Written::Edit(edit)))
}

/// "Costs: what does it cost?" is a title and a question; a question alone is its own title, as far as it is short.
fn titled(words: &Clean) -> (Clean, Clean) {
    match words.split_once(':') {
        Some((title, question)) if !title.trim().is_empty() && !question.trim().is_empty() => {
            (Clean::line(title.trim()), Clean::line(question.trim()))
        }
        _ => {
            let title: String = words.trim_end_matches('?').chars().take(MOST_TITLE).collect();
            (Clean::line(&title), words.clone())
        }
    }
}

/// "1 3" or "1, 3": the tasks in these rows.
fn rows(words: &Clean, proposal: &Proposal) -> Result<Vec<TaskId>, String> {
    let numbers = words.split([' ', ',']).filter(|number| !number.is_empty());
    numbers
        .map(|number| {
            let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let task = at.and_then(|at| proposal.plan.tasks.get(at));
            task.map(|task| task.id)
                .ok_or_else(|| format!("write numbers of tasks, as in 1 3: there is no task {}", Clean::line(number)))
        })
        .collect()
}

/// Why the plan cannot be changed like this now, for the person.
pub(super) fn why_not(run: &Run, action: Action) -> Option<Clean> {
    let Some(proposal) = run.open_proposal() else {
        return Some("this checkpoint is closed: the plan that was approved is worked".into());
    };
    match action {
        Action::Undo if proposal.edits.is_empty() => Some("nothing to undo".into()),
        Action::Who if run.opening.as_ref().is_none_or(|opening| opening.team.colleagues().len() < 2) => {
            Some("nobody else in this team takes tasks".into())
        }
        Action::Another => run.no_other_plan().map(Clean::from),
        _ => None,
    }
}
