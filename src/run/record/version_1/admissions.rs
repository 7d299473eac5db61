//! Admissions: the amount `held` for a call is `reserved`, and the cap that refused one has the name of its kind.

use serde_json::{Value, json};

/// Renames them in every admission of a record.
pub(super) fn event(record: &mut Value) {
    if !matches!(record["event"].as_str(), Some("tools_called" | "model_called" | "call_admitted" | "attempt_due")) {
        return;
    }
    if let Some(calls) = record.get_mut("calls").and_then(Value::as_array_mut) {
        calls.iter_mut().for_each(admission);
    }
    admission(record);
}

fn admission(of: &mut Value) {
    let Some(admission) = of.get_mut("admission") else { return };
    if let Some(amounts) = admission.get_mut("held").map(Value::take) {
        *admission = json!({ "reserved": amounts });
    }
    if admission["refused"]["cap"] == "time" {
        admission["refused"]["cap"] = "millis".into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_is_reserved() {
        let mut asked = json!({"event": "model_called", "admission": {"held": {"money": 3, "calls": 1}}});
        event(&mut asked);
        assert_eq!(asked["admission"], json!({"reserved": {"money": 3, "calls": 1}}));
        let calls = json!([{"admission": {"held": {}}}, {"admission": "queued"}]);
        let mut searched = json!({"event": "tools_called", "calls": calls});
        event(&mut searched);
        assert_eq!(searched["calls"], json!([{"admission": {"reserved": {}}}, {"admission": "queued"}]));
    }

    #[test]
    fn the_cap_on_time_refuses_by_the_name_of_its_kind() {
        let mut asked = json!({"event": "model_called", "admission": {"refused": {"cap": "time", "of": null}}});
        event(&mut asked);
        assert_eq!(asked["admission"], json!({"refused": {"cap": "millis", "of": null}}));
        assert!(serde_json::from_value::<crate::budget::Refusal>(asked["admission"]["refused"].take()).is_ok());
    }
}
