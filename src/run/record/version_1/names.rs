//! In version 1 assignments were numbered as they were opened; since then they are named by the path of delegation.

use std::collections::BTreeMap;

use serde_json::Value;

/// The names of a run's assignments by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    names: Vec<Name>,
    /// The number of times that each piece of work was handed out.
    attempts: BTreeMap<String, u32>,
    /// The number of pieces of work, tasks aside, that each assignment has handed out.
    steps: BTreeMap<String, u32>,
}

#[derive(Clone, Debug)]
struct Name {
    /// The path, with the attempt.
    whole: String,
    /// The same without the last attempt.
    work: String,
}

impl Names {
    /// Puts names in place of the numbers in a record.
    pub(super) fn event(&mut self, record: &mut Value) {
        if record["event"] == "handed_off" {
            self.open(record);
        }
        for key in ["by", "assignment"] {
            self.rename(record.get_mut(key));
        }
        self.rename(record.pointer_mut("/question/about"));
        self.rename(record.pointer_mut("/admission/refused/of"));
        self.rename_handoff(record.get_mut("handoff"));
        for opened in items(record.get_mut("opened")) {
            for key in ["assignment", "instead_of", "again"] {
                self.rename(opened.get_mut(key));
            }
            self.rename_handoff(opened.get_mut("handoff"));
        }
        for called in items(record.get_mut("calls")) {
            self.rename(called.pointer_mut("/admission/refused/of"));
        }
        self.rename_within(record);
    }

    /// Names the assignments that a handoff opens as they would be named today.
    fn open(&mut self, record: &Value) {
        let by = record["by"].as_u64().and_then(|by| self.names.get(usize::try_from(by).ok()?));
        let by = by.map(|name| name.whole.clone());
        for opened in record["opened"].as_array().into_iter().flatten() {
            let work = match &by {
                Some(by) => self.work(by, opened),
                None => "0".into(),
            };
            let attempt = self.attempts.entry(work.clone()).or_default();
            *attempt += 1;
            let whole = if *attempt > 1 { format!("{work}~{attempt}") } else { work.clone() };
            self.names.push(Name { whole, work });
        }
    }

    /// The path of a piece of work that this one hands out.
    fn work(&mut self, by: &str, opened: &Value) -> String {
        let before = ["instead_of", "again"].iter().find_map(|key| opened[key].as_u64());
        if let Some(before) = before.and_then(|n| self.names.get(usize::try_from(n).ok()?)) {
            return before.work.clone();
        }
        let parts = || opened["handoff"]["parts"].as_array().into_iter().flatten();
        let of_section = || parts().find_map(|part| part["plan"]["tasks"][0]["id"].as_u64());
        let task = opened["task"].as_u64().or_else(|| (opened["role"] == "editor").then(of_section).flatten());
        if let Some(task) = task {
            return format!("{by}.t{task}");
        }
        let step = self.steps.entry(by.into()).or_default();
        *step += 1;
        format!("{by}.{step}")
    }

    fn rename_handoff(&self, handoff: Option<&mut Value>) {
        let Some(handoff) = handoff else { return };
        for key in ["from", "to"] {
            self.rename(handoff.get_mut(key));
        }
    }

    fn rename(&self, number: Option<&mut Value>) {
        if let Some(number) = number
            && let Some(name) = number.as_u64().and_then(|n| self.names.get(usize::try_from(n).ok()?))
        {
            *number = name.whole.as_str().into();
        }
    }

    /// Calls and findings are named after their assignments, wherever they are named. The words to and from models and tools stay
    /// as they were.
    fn rename_within(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(renamed) = self.renamed(text) {
                    *text = renamed;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.rename_within(value)),
            Value::Object(fields) => {
                let said = |key: &str| ["request", "reply", "result", "text"].contains(&key);
                let fields = fields.iter_mut().filter(|(key, _)| !said(key));
                fields.for_each(|(_, value)| self.rename_within(value));
            }
            _ => {}
        }
    }

    /// `f3.12` as the 12th finding of the former assignment 3.
    fn renamed(&self, id: &str) -> Option<String> {
        let kind = id.chars().next().filter(|kind| matches!(kind, 'k' | 'f'))?;
        let (assignment, n) = id[1..].split_once('.')?;
        let n: u32 = n.parse().ok()?;
        Some(format!("{kind}{}/{n}", self.names.get(assignment.parse::<usize>().ok()?)?.whole))
    }
}

fn items(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn opened(assignment: u32, role: &str, more: Value) -> Value {
        let mut opened =
            json!({ "assignment": assignment, "role": role, "handoff": { "to": assignment, "parts": [] } });
        for (key, value) in more.as_object().unwrap() {
            opened[key] = value.clone();
        }
        opened
    }

    #[test]
    fn numbers_become_the_names_that_the_same_run_would_have_today() {
        let mut names = Names::default();
        let section =
            json!({ "handoff": { "parts": [{ "part": "plan", "plan": { "tasks": [{ "id": 4 }, { "id": 5 }] } }] } });
        for (by, opens) in [
            (Value::Null, vec![opened(0, "supervisor", json!({}))]),
            (json!(0), vec![opened(1, "planner", json!({}))]),
            (json!(0), vec![opened(2, "researcher", json!({ "task": 1 })), opened(3, "editor", section)]),
            (json!(0), vec![opened(4, "researcher", json!({ "task": 1, "again": 2 }))]),
            (
                json!(3),
                vec![opened(5, "researcher", json!({ "task": 4 })), opened(6, "researcher", json!({ "task": 5 }))],
            ),
            (json!(3), vec![opened(7, "merger", json!({}))]),
            (json!(0), vec![opened(8, "merger", json!({}))]),
            (json!(0), vec![opened(9, "merger", json!({ "instead_of": 8 }))]),
        ] {
            names.event(&mut json!({ "event": "handed_off", "by": by, "opened": opens }));
        }
        let whole: Vec<&str> = names.names.iter().map(|name| name.whole.as_str()).collect();
        let expected = ["0", "0.1", "0.t1", "0.t4", "0.t1~2", "0.t4.t4", "0.t4.t5", "0.t4.1", "0.2", "0.2~2"];
        assert_eq!(whole, expected);
        assert!(whole.iter().all(|name| name.parse::<crate::AssignmentId>().is_ok_and(|id| id.to_string() == *name)));

        let mut record = json!({
            "event": "reported", "by": 5,
            "handoff": { "from": 5, "to": 3, "parts": [{ "findings": [{ "id": "f5.1", "also": ["f6.2"] }] }] },
        });
        names.event(&mut record);
        let expected = json!({
            "event": "reported", "by": "0.t4.t4",
            "handoff": {
                "from": "0.t4.t4", "to": "0.t4", "parts": [{ "findings": [{ "id": "f0.t4.t4/1", "also": ["f0.t4.t5/2"] }] }],
            },
        });
        assert_eq!(record, expected);
    }

    #[test]
    fn what_was_said_to_a_model_stays_as_it_was() {
        let mut names = Names::default();
        names.event(&mut json!({ "event": "handed_off", "by": null, "opened": [opened(0, "supervisor", json!({}))] }));
        let mut record = json!({ "event": "model_called", "by": 0, "call": "k0.1", "request": { "said": ["f0.1"] } });
        names.event(&mut record);
        assert_eq!((&record["call"], &record["request"]["said"][0]), (&json!("k0/1"), &json!("f0.1")));
    }
}
