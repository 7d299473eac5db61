//! Surveyor: lists the files, and makes a task of each file that the question is about.

use std::cmp::Reverse;

use super::failed;
use crate::{Assigned, Specialist, Step};
use run::plan::{Shape, Within};
use run::profile::{Files, Listed};
use run::stage::Planning;
use run::tool::builtin::ListFiles;
use run::transcript::{CallEnd, Transcript};
use run::{Outcome, Payload, Plan, Role, Task, TaskId, ToolResult};
use text::{Clean, count};

/// The most files, unless the team sets another limit.
const MOST_FILES: usize = 40;
/// Extensions of files that can be profiled.
const COUNTED: &[&str] = &[".csv", ".tsv", ".jsonl", ".ndjson", ".log"];

pub(super) struct Surveyor;

impl Specialist for Surveyor {
    fn next(&self, assigned: Assigned<'_>, transcript: &Transcript) -> Step {
        let Some(call) = transcript.calls().last() else {
            let (stage, why) = (Planning::Files.into(), "first the files are listed".into());
            return Step::Use { stage, why, requests: vec![ListFiles {}.into()] };
        };
        let files = match &call.end {
            CallEnd::Returned(result) => match &**result {
                ToolResult::Files(files) => files,
                _ => return failed("the files were not listed".into()),
            },
            CallEnd::Failed(why) => return failed(why.clone()),
            CallEnd::Refused(refusal) => {
                let outcome = Outcome::OutOfBudget(format!("too little was left of {refusal}").into());
                return Step::Report { outcome, title: "stopped by a budget".into(), payload: Payload::default() };
            }
            CallEnd::Queued | CallEnd::Pending | CallEnd::InDoubt => return Step::Wait,
        };
        let question = assigned.handoff.payload.question.clone().unwrap_or_default();
        let (plan, title) = plan(files, &question);
        Step::done(title, Payload { plan: Some(plan), ..Payload::default() })
    }
}

/// One task per file that the question names; if it names none, per file that can be profiled, of too many the longest.
fn plan(files: &Files, question: &str) -> (Plan, String) {
    let asked = question.to_lowercase();
    let Files { files, left_out } = files;
    let named: Vec<&Listed> = files.iter().filter(|file| is_named(file, &asked)).collect();
    let unlisted = if named.is_empty() { *left_out as usize } else { 0 };
    let countable = |file: &&Listed| COUNTED.iter().any(|ending| file.source.path.to_lowercase().ends_with(ending));
    let counted: Vec<&Listed> = files.iter().filter(countable).collect();
    let (mut chosen, why) = match (named.is_empty(), counted.is_empty()) {
        (false, _) => (named, "the question names them"),
        (true, false) => (counted, "each table and each log is looked at by itself"),
        (true, true) => (files.iter().collect(), "no file says by its name that it is a table or a log"),
    };
    if chosen.len() > MOST_FILES {
        // The order of their paths says nothing about them.
        chosen.sort_by_key(|file| Reverse(file.blocks));
    }
    let left_out = chosen.len().saturating_sub(MOST_FILES) + unlisted;
    let tasks: Vec<Task> =
        chosen.into_iter().take(MOST_FILES).zip(1..).map(|(file, n)| task(TaskId(n), file)).collect();
    let others = if left_out == 0 {
        String::new()
    } else {
        format!("; {left_out} more are not looked at: name a file, or a folder with fewer")
    };
    let title = count(tasks.len(), "file");
    (Plan { shape: Shape::Each, tasks, why: format!("{why}{others}").into() }, title)
}

fn is_named(file: &Listed, asked: &str) -> bool {
    let path = file.source.path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    asked.contains(&*path)
        || (name.contains('.')
            && asked
                .split(|c: char| c.is_whitespace() || ",;?!'\"".contains(c))
                .any(|word| word.trim_end_matches('.') == name))
}

fn task(id: TaskId, file: &Listed) -> Task {
    let path = &file.source.path;
    Task {
        role: Role::new(Role::INSPECTOR),
        within: Some(Within { source: file.source.id.clone(), from: 0, to: file.blocks }),
        acceptance: Some("What is wrong with it, each with a line that shows it; or that nothing is.".into()),
        ..Task::new(id, path.clone(), Clean::line(&format!("What is wrong with {path}?")))
    }
}
