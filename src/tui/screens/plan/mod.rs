//! The plan page: the person checks the plan before research starts; each edit is a command.

mod draw;

use crate::overlays::writing::{self, Purpose};
use crate::prelude::*;
use crate::screens::everywhere::moved;
use run::checkpoint::{Answer, Edit, plan};
use run::plan::PlanEdit;
use run::{Checkpoint, Plan, Role, Task, TaskId};

/// The most characters of a title made from a question.
const MOST_TITLE: usize = 40;

#[derive(Clone, Debug, Default)]
pub struct PlanPage {
    /// The selected task; the first if it is gone.
    pub selected: Option<TaskId>,
}

/// The purpose of the text that is written about the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// A task by the person: title and question.
    AddTask,
    Question(TaskId),
    Title(TaskId),
    /// The tasks that a task waits for, as row numbers.
    After(TaskId),
    AnotherPlan,
}

impl Wording {
    /// The title of its box, and its subject.
    pub fn title(self, run: &Run) -> (&'static str, String) {
        let title = |id: TaskId| {
            let task = select::plan_page(run).and_then(|(_, plan)| plan.task(id));
            task.map(|task| flat(&task.title).into_owned()).unwrap_or_default()
        };
        match self {
            Wording::AddTask => ("add a task: its title, a colon, what it asks", String::new()),
            Wording::Question(id) => ("the question of the task", title(id)),
            Wording::Title(id) => ("the title of the task", title(id)),
            Wording::After(id) => ("after which tasks? their numbers, as in 1 3", title(id)),
            Wording::AnotherPlan => ("another plan: what do you wish of it?", String::new()),
        }
    }
}

pub static KEYS: Keys = Keys {
    title: "plan",
    groups: &[&[
        row(&[c('A')], Action::Approve, Some("approve"), "approve: work the plan as it is"),
        row(&[c('d'), c(' ')], Action::Drop, Some("drop"), "take the task out"),
        row(&[c('e'), ENTER], Action::Edit, Some("reword"), "reword the question of the task"),
        row(&[c('t')], Action::Title, Some("title"), "rename the task"),
        row(&[c('a')], Action::Add, Some("add"), "add a task of your own"),
        row(&[c('u')], Action::Undo, Some("undo"), "take back what you did last"),
        row(&[c('m')], Action::Another, Some("another plan"), "ask for another plan, with a wish"),
        row(&[c('w')], Action::NextRole, Some("role"), "give the task to the next role that takes tasks"),
        row(&[c('o')], Action::After, Some("after"), "set which tasks it waits for"),
        row(&[c('J')], Action::MoveDown, None, "move the task down"),
        row(&[c('K')], Action::MoveUp, None, "move the task up"),
        row(&[c('b')], Action::Raise, Some("cap"), "raise a cap of the run's budget"),
    ]],
};

pub static SCREEN: Screen = Screen { keys: &KEYS, on, why_not, draw: draw::draw, missing, ..Screen::PLAIN };

fn on(ui: &mut Ui, run: &Run, action: Action) -> Option<Vec<Effect>> {
    let (checkpoint, plan) = select::plan_page(run)?;
    let chosen = select::task(ui, plan).map(|at| (at, &plan.tasks[at]));
    let edit = match (action, chosen) {
        (Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::End, chosen) => {
            let (tasks, page) = (&plan.tasks, ui.seen.page);
            if let Some((at, _)) = chosen {
                let at = moved(action, at, tasks.len().saturating_sub(1), page);
                ui.plan.selected = tasks.get(at).map(|task| task.id);
            }
            return Some(Vec::new());
        }
        (Action::Approve, _) => return Some(vec![Effect::Send(Command::Approve { checkpoint: checkpoint.id })]),
        (Action::Undo, _) => Edit::Undo,
        (Action::Drop, Some((_, task))) => Edit::Plan(PlanEdit::Drop { task: task.id }),
        (Action::MoveDown, Some((at, task))) => Edit::Plan(PlanEdit::Move { task: task.id, to: at as u32 + 1 }),
        (Action::MoveUp, Some((at, task))) => {
            Edit::Plan(PlanEdit::Move { task: task.id, to: (at as u32).saturating_sub(1) })
        }
        (Action::NextRole, Some((_, task))) => {
            Edit::Plan(PlanEdit::Give { task: task.id, role: next_role(run, &task.role)? })
        }
        (Action::Add, _) => return write(ui, Wording::AddTask, ""),
        (Action::Another, _) => return write(ui, Wording::AnotherPlan, ""),
        (Action::Edit, Some((_, task))) => return write(ui, Wording::Question(task.id), &task.question),
        (Action::Title, Some((_, task))) => return write(ui, Wording::Title(task.id), &task.title),
        (Action::After, Some((_, task))) => return write(ui, Wording::After(task.id), &places(plan, task)),
        _ => return None,
    };
    let sent = send(ui, run, (checkpoint, plan), edit);
    Some(ui.accepted(sent))
}

fn why_not(ui: &Ui, run: &Run, action: Action) -> Option<Clean> {
    use Action::{Add, After, Another, Approve, Drop, Edit, MoveDown, MoveUp, NextRole, Title, Undo};
    let edits = matches!(action, Drop | Title | NextRole | After | MoveDown | MoveUp | Another | Edit | Add);
    if !edits && !matches!(action, Approve | Undo) {
        return None;
    }
    if let Some(why) = ui.may_not_change(run) {
        return Some(why);
    }
    let open = select::plan_page(run).filter(|(checkpoint, _)| checkpoint.answer.is_none());
    let Some((checkpoint, _)) = open else {
        return Some("this checkpoint is closed: the approved plan is being worked on".into());
    };
    match action {
        Action::Undo => checkpoint.accepts(&run::checkpoint::Edit::Undo, run).err().map(Clean::from),
        Action::NextRole if run.opening.as_ref().is_none_or(|opening| opening.team.colleagues().len() < 2) => {
            Some("no other role of this team takes tasks".into())
        }
        Action::Another => plan::another(run).err().map(Clean::from),
        _ => None,
    }
}

fn missing(run: &Run) -> Option<Clean> {
    let none = "this run does not stop for its plan: --check-plan makes one that does";
    select::plan_page(run).is_none().then(|| none.into())
}

fn write(ui: &mut Ui, wording: Wording, words: &str) -> Option<Vec<Effect>> {
    Some(writing::open(ui, Purpose::Plan(wording), words, Lines::One))
}

/// The next role that takes tasks; None if there is no other.
fn next_role(run: &Run, role: &Role) -> Option<Role> {
    let roles = run.opening.as_ref()?.team.colleagues();
    let at = roles.iter().position(|colleague| colleague.role == *role).map_or(0, |at| at + 1);
    let next = roles.get(at).or(roles.first())?;
    (next.role != *role).then(|| next.role.clone())
}

/// The tasks that a task waits for, as row numbers.
fn places(plan: &Plan, task: &Task) -> String {
    let place = |id: &TaskId| plan.tasks.iter().position(|other| other.id == *id);
    task.after.iter().filter_map(place).map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(" ")
}

/// The command of an edit, or why the plan would not work with it.
fn send(ui: &mut Ui, run: &Run, (checkpoint, plan): (&Checkpoint, &Plan), edit: Edit) -> Result<Vec<Effect>, String> {
    checkpoint.accepts(&edit, run)?;
    ui.plan.selected = match &edit {
        // The one next to a task that goes is the next to be looked at.
        Edit::Plan(PlanEdit::Drop { task }) => {
            let tasks = &plan.tasks;
            let at = tasks.iter().position(|other| other.id == *task).unwrap_or(0);
            tasks.get(at + 1).or(tasks.get(at.wrapping_sub(1))).map(|task| task.id)
        }
        Edit::Plan(edit) => Some(edit.task()),
        _ => ui.plan.selected,
    };
    Ok(vec![Effect::Send(Command::Edit { checkpoint: checkpoint.id, edit })])
}

/// Sends the written text; the error is its fault.
pub fn submit(ui: &mut Ui, run: &Run, wording: Wording, words: &Clean) -> Result<Vec<Effect>, String> {
    let Some((checkpoint, plan)) = select::plan_page(run) else { return Ok(Vec::new()) };
    if wording == Wording::AnotherPlan {
        let answer = Answer::Plan(plan::Answer::Another { wish: words.clone() });
        return Ok(vec![Effect::Send(Command::Answer { checkpoint: checkpoint.id, answer })]);
    }
    match edit(wording, words, run, (checkpoint, plan))? {
        Some(edit) => send(ui, run, (checkpoint, plan), Edit::Plan(edit)),
        // As it was: nothing to do.
        None => Ok(Vec::new()),
    }
}

/// The edit that the text means; None if it changes nothing.
fn edit(
    wording: Wording,
    words: &Clean,
    run: &Run,
    (checkpoint, plan): (&Checkpoint, &Plan),
) -> Result<Option<PlanEdit>, String> {
    let known = |id: TaskId| plan.task(id).ok_or("the plan has no such task any more");
    Ok(match wording {
        Wording::AnotherPlan => None,
        Wording::AddTask => {
            let (title, question) = titled(words);
            let roles = run.opening.as_ref().map(|opening| opening.team.colleagues()).unwrap_or_default();
            let role = roles.first().map_or_else(|| Role::new(Role::RESEARCHER), |colleague| colleague.role.clone());
            Some(PlanEdit::Add { task: checkpoint.next_task(), title, question, role })
        }
        Wording::Question(id) => {
            let task = known(id)?;
            let reworded = || PlanEdit::Reword { task: id, title: task.title.clone(), question: words.clone() };
            writing::is_reworded(&task.question, words).then(reworded)
        }
        Wording::Title(id) => {
            let task = known(id)?;
            let renamed = || PlanEdit::Reword { task: id, title: words.clone(), question: task.question.clone() };
            writing::is_reworded(&task.title, words).then(renamed)
        }
        Wording::After(id) => {
            let after = rows(words, plan)?;
            (known(id)?.after != after).then_some(PlanEdit::Wait { task: id, after })
        }
    })
}

/// "Costs: what does it cost?" is a title and a question; a question alone is also its title, cut if long.
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
fn rows(words: &Clean, plan: &Plan) -> Result<Vec<TaskId>, String> {
    let numbers = words.split([' ', ',']).filter(|number| !number.is_empty());
    numbers
        .map(|number| {
            let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let task = at.and_then(|at| plan.tasks.get(at));
            task.map(|task| task.id)
                .ok_or_else(|| format!("write numbers of tasks, as in 1 3: there is no task {}", Clean::line(number)))
        })
        .collect()
}
