//! Checkpoints of version 1: findings, a plan and a question had three events each, and a choice was its place in a list.
//! In version 2 all have the same three events, and answers are values.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The choices of a version 1 question about failed work, by place, as version 2 records them.
const AFTER_FAILURE: [&str; 3] = ["go_on_without", "try_again", "stop"];

/// The choices of each question, by its checkpoint: an answer names one by its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Checkpoints {
    choices: BTreeMap<u64, Choices>,
}

#[derive(Clone, Debug)]
enum Choices {
    AfterFailure,
    Own(Vec<Value>),
}

impl Checkpoints {
    /// Changes this record, if it is one of a checkpoint.
    pub(super) fn event(&mut self, record: &mut Value) {
        let Some(record) = record.as_object_mut() else { return };
        let name = record.get("event").and_then(Value::as_str).unwrap_or_default().to_string();
        match name.as_str() {
            "checkpoint_opened" => opened(record, "findings", "findings"),
            "plan_put" => opened(record, "plan", "plan"),
            "person_asked" => {
                let of = record.get("checkpoint").and_then(Value::as_u64).unwrap_or_default();
                if let Some(question) = record.get_mut("question").and_then(Value::as_object_mut)
                    && let Some(choices) = asked(question)
                {
                    self.choices.insert(of, choices);
                }
                opened(record, "question", "question");
            }
            "person_acted" => edited(record, "findings", "act"),
            "plan_edited" => edited(record, "plan", "edit"),
            "checkpoint_closed" => answered(record, "findings"),
            "plan_answered" => answered(record, "plan"),
            "person_answered" => {
                let of = record.get("checkpoint").and_then(Value::as_u64).unwrap_or_default();
                if let Some(answer) = record.get_mut("answer")
                    && let Some(place) = answer.get("chosen").and_then(Value::as_u64)
                {
                    *answer = self.chosen(of, usize::try_from(place).unwrap_or(usize::MAX));
                }
                answered(record, "question");
            }
            _ => {}
        }
    }

    /// The choice at this place.
    fn chosen(&self, checkpoint: u64, place: usize) -> Value {
        match self.choices.get(&checkpoint) {
            Some(Choices::AfterFailure) => json!({ "after_failure": AFTER_FAILURE.get(place) }),
            Some(Choices::Own(choices)) => json!({ "chosen": choices.get(place) }),
            None => Value::Null,
        }
    }
}

fn opened(record: &mut Map<String, Value>, field: &str, subject: &str) {
    let put = record.remove(field).unwrap_or_default();
    record.insert("event".into(), "checkpoint_opened".into());
    record.insert("subject".into(), json!({ subject: put }));
}

/// Names the kind of answer that a question wants, in place of its choices; returns the choices.
fn asked(question: &mut Map<String, Value>) -> Option<Choices> {
    let choices = match question.remove("choices") {
        Some(Value::Array(choices)) if !choices.is_empty() => choices,
        _ => {
            question.insert("wants".into(), "words".into());
            return None;
        }
    };
    if question.contains_key("about") {
        question.insert("wants".into(), "after_failure".into());
        return Some(Choices::AfterFailure);
    }
    question.insert("wants".into(), json!({ "one_of": { "choices": choices, "likely": choices[0] } }));
    Some(Choices::Own(choices))
}

/// `tag` is the field that names the edit, and the field of the record that holds it.
fn edited(record: &mut Map<String, Value>, subject: &str, tag: &str) {
    let mut edit = record.remove(tag).unwrap_or_default();
    let kind = edit.as_object_mut().and_then(|edit| edit.remove(tag)).unwrap_or_default();
    let edit = match (kind.as_str(), edit.as_object_mut()) {
        (Some("undo"), _) => "undo".into(),
        (Some("edit"), Some(fields)) => {
            fields.insert("edit".into(), "reword".into());
            json!({ subject: edit })
        }
        (_, Some(fields)) => {
            fields.insert("edit".into(), kind);
            json!({ subject: edit })
        }
        _ => edit,
    };
    record.insert("event".into(), "checkpoint_edited".into());
    record.insert("edit".into(), edit);
}

/// An approval recorded who answered; every other answer was a person's.
fn answered(record: &mut Map<String, Value>, subject: &str) {
    let mut answer = record.remove("answer").unwrap_or_default();
    let by = answer.as_object_mut().and_then(|answer| answer.remove("by"));
    record.entry("by").or_insert_with(|| by.unwrap_or_else(|| "person".into()));
    record.insert("event".into(), "checkpoint_answered".into());
    record.insert("answer".into(), json!({ subject: answer }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Answer, Approver, Edit, Subject, findings, plan, question};
    use crate::plan::PlanEdit;
    use crate::record::Records;
    use crate::{Event, TaskId};

    fn read(records: &[Value]) -> Vec<Event> {
        let mut reader = Records::default();
        records.iter().map(|record| reader.read(&record.to_string()).unwrap()).collect()
    }

    fn asked(checkpoint: u32, about: Option<u32>, choices: &[&str]) -> Value {
        let mut question = json!({ "title": "?", "text": "What now?" });
        if !choices.is_empty() {
            question["choices"] = json!(choices);
        }
        if let Some(about) = about {
            question["about"] = json!(format!("0.t{about}"));
        }
        // Assignments are named before this step is taken.
        json!({ "event": "person_asked", "checkpoint": checkpoint, "by": "0", "question": question })
    }

    #[test]
    fn a_choice_by_place_becomes_what_stood_there() {
        let failed = ["go on without it", "try it once more", "let the run fail"];
        let answered = |checkpoint: u32, answer: Value| json!({ "event": "person_answered", "checkpoint": checkpoint, "by": "policy", "answer": answer });
        let events = read(&[
            asked(1, Some(3), &failed),
            asked(2, None, &["red", "blue"]),
            asked(3, None, &[]),
            answered(2, json!({ "chosen": 1 })),
            answered(1, json!({ "chosen": 2 })),
            answered(3, json!({ "words": "the blue one" })),
        ]);
        let said: Vec<&question::Answer> = events
            .iter()
            .filter_map(|event| match event {
                Event::CheckpointAnswered { by: Approver::Policy, answer: Answer::Question(answer), .. } => {
                    Some(answer)
                }
                _ => None,
            })
            .collect();
        let expected = [
            question::Answer::Chosen("blue".into()),
            question::Answer::AfterFailure(question::AfterFailure::Stop),
            question::Answer::Words("the blue one".into()),
        ];
        assert_eq!(said, expected.iter().collect::<Vec<_>>());
        let Event::CheckpointOpened { subject, .. } = &events[0] else { panic!("{:?}", events[0]) };
        let Subject::Question(question) = &**subject else { panic!("{subject:?}") };
        assert_eq!(question.wants, question::Wants::AfterFailure);
    }

    #[test]
    fn what_was_done_to_findings_and_to_a_plan_is_done_as_before() {
        let act = |act: Value| json!({ "event": "person_acted", "checkpoint": 1, "act": act });
        let edit = |edit: Value| json!({ "event": "plan_edited", "checkpoint": 1, "edit": edit });
        let closed = |answer: Value| json!({ "event": "checkpoint_closed", "checkpoint": 1, "answer": answer });
        let planned = |answer: Value| json!({ "event": "plan_answered", "checkpoint": 1, "answer": answer });
        let events = read(&[
            act(json!({ "act": "add", "task": 2, "claim": "I know." })),
            act(json!({ "act": "undo" })),
            edit(json!({ "edit": "drop", "task": 2 })),
            edit(json!({ "edit": "undo" })),
            closed(json!({ "answer": "approved", "by": "policy", "digest": "ab" })),
            closed(json!({ "answer": "more", "task": null, "wish": "prices" })),
            planned(json!({ "answer": "approved", "by": "person" })),
            planned(json!({ "answer": "another", "wish": "" })),
        ]);
        let checkpoint = crate::CheckpointId(1);
        let edited = |edit| Event::CheckpointEdited { checkpoint, edit };
        let answered = |by, answer| Event::CheckpointAnswered { checkpoint, by, answer };
        let add = findings::Edit::Add { task: Some(TaskId(2)), claim: "I know.".into() };
        let approved = findings::Answer::Approved { digest: "ab".into() };
        let more = findings::Answer::More { task: None, wish: "prices".into() };
        let another = plan::Answer::Another { wish: "".into() };
        let expected = [
            edited(Edit::Findings(add)),
            edited(Edit::Undo),
            edited(Edit::Plan(PlanEdit::Drop { task: TaskId(2) })),
            edited(Edit::Undo),
            answered(Approver::Policy, Answer::Findings(approved)),
            answered(Approver::Person, Answer::Findings(more)),
            answered(Approver::Person, Answer::Plan(plan::Answer::Approved)),
            answered(Approver::Person, Answer::Plan(another)),
        ];
        assert_eq!(events, expected);
    }
}
