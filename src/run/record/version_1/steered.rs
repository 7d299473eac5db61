//! Assignments that a supervisor ended because it had enough were recorded as if the person had steered them.

use serde_json::{Value, json};

/// Makes it an event of the supervisor.
pub(super) fn event(record: &mut Value) {
    if record["event"] == "steered"
        && record["act"] == "enough"
        && let Some(fields) = record.as_object_mut()
    {
        fields.remove("act");
        fields.insert("event".into(), json!("no_longer_needed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_supervisor_ended_is_no_steering_of_the_person() {
        let mut ended = json!({"event": "steered", "assignment": 3, "act": "enough"});
        event(&mut ended);
        assert_eq!(ended, json!({"event": "no_longer_needed", "assignment": 3}));
        let cancelled = json!({"event": "steered", "assignment": 3, "act": "cancel"});
        let mut same = cancelled.clone();
        event(&mut same);
        assert_eq!(same, cancelled);
    }
}
