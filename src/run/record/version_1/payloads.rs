//! Payloads of version 1 were lists of named parts. In version 2 a payload is an object with a field for each part.

use serde_json::{Map, Value, json};

/// Turns the parts of every handoff in the record, sent or refused, into a payload.
pub(super) fn event(record: &mut Value) {
    let Some(record) = record.as_object_mut() else { return };
    for key in ["handoff", "unsent"] {
        record.get_mut(key).into_iter().for_each(handoff);
    }
    let opened = match record.get_mut("opened") {
        Some(Value::Array(opened)) => &mut opened[..],
        Some(opened @ Value::Object(_)) => std::slice::from_mut(opened),
        _ => &mut [],
    };
    opened.iter_mut().filter_map(|opened| opened.get_mut("handoff")).for_each(handoff);
}

fn handoff(handoff: &mut Value) {
    let Some(handoff) = handoff.as_object_mut() else { return };
    let Some(Value::Array(parts)) = handoff.remove("parts") else { return };
    let mut payload = Map::new();
    for part in parts {
        let Value::Object(mut fields) = part else { continue };
        let Some(Value::String(name)) = fields.remove("part") else { continue };
        match name.as_str() {
            "note" => {
                let text = fields.remove("text").unwrap_or_default();
                if let Value::Array(notes) = payload.entry("notes").or_insert_with(|| json!([])) {
                    notes.push(text);
                }
            }
            // The only part of two values.
            "task" => drop(payload.insert(name, Value::Object(fields))),
            // The only value of the part is the field.
            _ => payload.extend(fields.into_iter().next().map(|(_, value)| (name, value))),
        }
    }
    handoff.insert("payload".into(), Value::Object(payload));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_becomes_a_field_wherever_a_handoff_stands() {
        let task = json!({ "id": 1 });
        let handoff = json!({ "no": 1, "parts": [
            { "part": "question", "text": "why?" },
            { "part": "task", "task": task, "shape": "overview" },
            { "part": "length", "words": 500 },
            { "part": "findings", "findings": [] },
            { "part": "note", "text": "first" },
            { "part": "note", "text": "then" },
        ] });
        let today = json!({ "no": 1, "payload": {
            "question": "why?",
            "task": { "task": task, "shape": "overview" },
            "length": 500,
            "findings": [],
            "notes": ["first", "then"],
        } });
        for (mut record, expected) in [
            (json!({ "handoff": handoff }), json!({ "handoff": today })),
            (json!({ "unsent": handoff }), json!({ "unsent": today })),
            (json!({ "unsent": null }), json!({ "unsent": null })),
            (json!({ "opened": { "handoff": handoff } }), json!({ "opened": { "handoff": today } })),
            (json!({ "opened": [{ "handoff": handoff }] }), json!({ "opened": [{ "handoff": today }] })),
        ] {
            event(&mut record);
            assert_eq!(record, expected);
        }
    }
}
