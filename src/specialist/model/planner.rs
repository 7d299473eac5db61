//! The planner's craft: cuts the question into independent tasks.

use std::sync::Arc;

use serde_json::{Value, json};

use super::craft::{Craft, Made, Report, Unfit, line_of};
use super::fence::{Element, fenced};
use super::offer::object;
use crate::Assigned;
use run::handoff::Colleague;
use run::plan::{Flaw, Plan, Shape, Task};
use run::{Outcome, Payload, Role, TaskId, Transcript};
use text::{Clean, count};

pub(super) struct Planner;

const SHAPES: &[(&str, Shape)] = &[
    ("overview", Shape::Overview),
    ("facets", Shape::Facets),
    ("comparison", Shape::Comparison),
    ("history", Shape::History),
    ("causes", Shape::Causes),
    ("pros_and_cons", Shape::ProsAndCons),
    ("procedure", Shape::Procedure),
    ("each", Shape::Each),
];

/// The meaning of each shape.
const SHAPE: &str = "what the question asks for. overview: what a thing is; facets: several sides of one thing; comparison: \
                     things held against each other; history: what came after what; causes: why something is so; pros_and_cons: \
                     what speaks for and against a thing; procedure: how to do something; each: the same of each of several things";

impl Craft for Planner {
    fn schema(&self, assigned: &Assigned<'_>) -> Option<Arc<Value>> {
        let shapes: Vec<&str> = SHAPES.iter().map(|(name, _)| *name).collect();
        let mut task = json!({
            "title": { "type": "string", "description": "what it is about, in one to four words: a heading" },
            "question": { "type": "string", "description": "what is to be found out, understandable alone" },
            "done_when": { "type": "string", "description": "what counts as done, in a short sentence" },
            "after": {
                "type": "array",
                "items": { "type": "integer" },
                "description": "numbers of the tasks it needs results of (the first is 1); usually none",
            },
        });
        let who: Vec<&str> = assigned.handoff.payload.team().iter().map(|member| member.role.as_str()).collect();
        if !who.is_empty() {
            task["who"] = json!({ "type": "string", "enum": who });
        }
        let task = object(task);
        Some(Arc::new(object(json!({
            "shape": { "type": "string", "enum": shapes, "description": SHAPE },
            "tasks": { "type": "array", "items": task },
            "why": { "type": "string", "description": "why it is cut so, in a sentence" },
        }))))
    }

    fn heeding(&self) -> &'static str {
        "Mind it in your plan, and give the plan whole."
    }

    fn task(&self, assigned: &Assigned<'_>) -> String {
        let handoff = assigned.handoff;
        let question = handoff.payload.question.clone().unwrap_or_default();
        let corpus = handoff.payload.corpus.clone().unwrap_or_default();
        let searched = match corpus.web.is_empty() {
            true => format!("There are {} documents with {} passages to search.", corpus.documents, corpus.blocks),
            false => format!("There is to search: {}.", corpus.searched()),
        };
        let mut task = format!("The person asks:\n{}\n\n{searched}", fenced(Element::Question, "", &question));
        let team = handoff.payload.team();
        if !team.is_empty() {
            let line = |member: &Colleague| format!("- {}: {}", member.role, member.description);
            let team: Vec<String> = team.iter().map(line).collect();
            task.push_str(&format!(
                "\n\nEach task is given to one of these; say in `who` to whom:\n{}",
                team.join("\n")
            ));
        }
        if let Some(plan) = handoff.payload.plan.as_ref() {
            task.push_str(&format!("\n\nThis is the plan so far:\n{}", in_words(plan)));
        }
        let flaws: Vec<String> =
            Flaw::in_words(handoff.payload.flaws()).iter().map(|flaw| format!("- {flaw}")).collect();
        if !flaws.is_empty() {
            task.push_str(&format!("\n\nThis is wrong with it; plan once more without it:\n{}", flaws.join("\n")));
        }
        for wish in handoff.payload.notes() {
            task.push_str(&format!("\n\nThe person wishes of the plan:\n{}", fenced(Element::Wish, "", wish)));
        }
        task
    }

    fn by_rule(&self) -> Option<&'static str> {
        Some(Role::PLANNER)
    }

    fn read(&self, report: &Report, assigned: &Assigned<'_>, _: &Transcript) -> Result<Made, Unfit> {
        let report = report.json()?;
        let Some(rows) = report["tasks"].as_array().filter(|rows| !rows.is_empty()) else {
            return Err(Unfit::new("`tasks` is missing", "it is a list of at least one task"));
        };
        let mut tasks: Vec<Task> = Vec::new();
        for row in rows {
            let (Some(title), Some(question)) = (line_of(&row["title"]), line_of(&row["question"])) else {
                return Err("each task needs a title and a question".into());
            };
            let short: Clean = title.chars().take(60).collect::<String>().into();
            if tasks.iter().any(|known| known.title.eq_ignore_ascii_case(&short)) {
                return Err(format!("two tasks are called “{short}”").into());
            }
            let id = TaskId(tasks.len() as u32 + 1);
            tasks.push(Task {
                topic: vec![short.clone()],
                role: who(row, assigned)?,
                after: after(&row["after"]),
                acceptance: line_of(&row["done_when"]),
                ..Task::new(id, short, question)
            });
        }
        let named = report["shape"].as_str().unwrap_or("");
        let shape = SHAPES.iter().find(|(name, _)| *name == named).map_or(Shape::Facets, |(_, shape)| *shape);
        let plan = Plan { shape, tasks, why: line_of(&report["why"]).unwrap_or_default() };
        let title = count(plan.tasks.len(), "task");
        Ok(Made {
            outcome: Outcome::Done,
            title,
            payload: Payload { plan: Some(plan), ..Payload::default() },
            unread: Vec::new(),
            lacks: None,
        })
    }
}

/// A plan, one line a task.
fn in_words(plan: &Plan) -> String {
    let line = |task: &Task| {
        let after: Vec<String> = task.after.iter().map(|id| id.0.to_string()).collect();
        let after = if after.is_empty() { String::new() } else { format!(" (after {})", after.join(", ")) };
        format!("{}. {} [{}]: {}{after}", task.id.0, task.title, task.role, task.question)
    };
    fenced(Element::Plan, "", &plan.tasks.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// The dependencies of a task, as far as they are numbers.
fn after(numbers: &Value) -> Vec<TaskId> {
    let numbers = numbers.as_array().into_iter().flatten();
    numbers.filter_map(Value::as_u64).filter_map(|n| u32::try_from(n).ok()).map(TaskId).collect()
}

/// The role for a task: the researcher, if there is no choice.
fn who(task: &Value, assigned: &Assigned<'_>) -> Result<Role, String> {
    let team = assigned.handoff.payload.team();
    match task["who"].as_str() {
        Some(named) if !team.is_empty() => {
            let member = team.iter().find(|member| member.role.as_str() == named);
            member.map(|member| member.role.clone()).ok_or_else(|| format!("there is no `{named}` to give a task to"))
        }
        _ => Ok(Role::new(Role::RESEARCHER)),
    }
}
