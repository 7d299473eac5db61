//! Stages of turns. Version 1 recorded none: its specialists knew where they were by the sentence of a turn. These are
//! its sentences, which never change any more.

use std::collections::BTreeSet;

use serde_json::Value;

/// The reasons why version 1 used tools before it had asked a model.
const OF_RULES: [(&str, &str); 16] = [
    ("a first search with the words of its task", "conversation.look_up"),
    ("Find where the sources speak of it.", "research.search"),
    ("Read around the best passages and see how their pages are laid out.", "research.read"),
    ("Read the best sections whole, and look whether another page says otherwise.", "research.cross_check"),
    ("Read what the cross-check found.", "research.read_cross_check"),
    ("Search for what the person has just asked for.", "research.message"),
    ("Read what that search found.", "research.read_message"),
    ("See how the sources name what each question is about.", "planning.search"),
    ("See how the sources name what is asked about.", "planning.search"),
    ("See how the best pages divide it.", "planning.outline"),
    ("first the files are listed", "planning.files"),
    ("first the file is looked for", "inspection.files"),
    ("the file is counted over as a whole", "inspection.profile"),
    ("Is anything known of this from earlier runs?", "memory.recall"),
    ("What was kept counts only where its quote still stands in the sources.", "memory.find"),
    ("Later runs on related questions can use what was approved.", "memory.keep"),
];

/// The reason why it ran a gate.
const OF_GATES: &str = "a program checks the draft";

/// The reason why it read passages for a model. Other tools that it used after it had asked a model were the model's wish.
const TO_VERIFY: &str = "the passages of its quotes are read, so that they can be checked";

/// The reasons why it asked a model: of a specialist, or of one that led.
const OF_REQUESTS: [(&str, &str); 10] = [
    ("the model is handed its assignment", "conversation.begin"),
    ("the model that leads is handed the question", "conversation.begin"),
    ("the tools have answered", "conversation.results"),
    ("what was handed out has come back", "conversation.results"),
    ("its report could not be taken", "conversation.correct"),
    ("it neither reported nor used a tool", "conversation.nudge"),
    ("nothing came of what it said", "conversation.nudge"),
    ("the person sent a message before it had reported", "conversation.message"),
    ("its provider paused the answer, which goes on", "conversation.continue"),
    ("the conversation grew too long: it begins anew with what was read", "conversation.restart"),
];

/// Names the stages of the turns of one run, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Stages {
    /// Assignments that have asked a model.
    have_asked: BTreeSet<String>,
}

impl Stages {
    /// Gives the record of a turn its stage.
    pub(super) fn event(&mut self, record: &mut Value) {
        let by = record["by"].to_string();
        let why = record["why"].as_str().unwrap_or_default();
        let stage = match record["event"].as_str() {
            Some("handed_off") if record["by"].is_null() => "leading.open",
            Some("handed_off") => {
                let first = &record["opened"][0];
                of_handoff(first["role"].as_str(), &first["handoff"]["parts"])
            }
            Some("tools_called") if self.have_asked.contains(&by) => match why {
                TO_VERIFY => "conversation.verify",
                _ => "conversation.tools",
            },
            Some("tools_called") if why == OF_GATES => "gate.run",
            Some("tools_called") => named(&OF_RULES, why).unwrap_or("research.search"),
            Some("model_called") => {
                self.have_asked.insert(by);
                named(&OF_REQUESTS, why).unwrap_or("conversation.results")
            }
            Some("step_refused") => match &record["unsent"] {
                Value::Null if self.have_asked.contains(&by) => "conversation.tools",
                Value::Null => "research.search",
                unsent => of_handoff(unsent["role"].as_str(), &unsent["parts"]),
            },
            _ => return,
        };
        record["stage"] = stage.into();
    }
}

fn named(stages: &[(&str, &'static str)], why: &str) -> Option<&'static str> {
    stages.iter().find(|(sentence, _)| *sentence == why).map(|(_, stage)| *stage)
}

/// The stage at which work is handed to a role with these parts.
fn of_handoff(role: Option<&str>, parts: &Value) -> &'static str {
    let has = |name: &str| parts.as_array().into_iter().flatten().any(|part| part["part"] == name);
    match role {
        Some("memory") if has("findings") => "leading.keep",
        Some("memory") => "leading.recall",
        Some("merger") => "leading.merge",
        Some("writer") => "leading.write",
        _ if has("draft") => "leading.check",
        _ if has("corpus") => "leading.plan",
        _ => "leading.research",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;

    #[test]
    fn each_sentence_of_version_1_stands_for_a_stage_that_there_is() {
        let named = OF_RULES.iter().chain(&OF_REQUESTS).map(|(_, stage)| *stage);
        let others = ["conversation.verify", "conversation.tools", "gate.run", "leading.open", "leading.research"];
        for name in named.chain(others) {
            assert!(Stage::try_from(name.to_owned()).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_a_model_said_first_is_not_taken_for_a_sentence_of_the_program() {
        let record = |event: &str, why: &str| serde_json::json!({ "event": event, "by": 3, "why": why });
        let mut stages = Stages::default();
        let mut stage = |event: &str, why: &str| {
            let mut record = record(event, why);
            stages.event(&mut record);
            record["stage"].as_str().map(str::to_owned)
        };
        let look_up = "a first search with the words of its task";
        assert_eq!(stage("tools_called", look_up).as_deref(), Some("conversation.look_up"));
        assert_eq!(stage("model_called", "the model is handed its assignment").as_deref(), Some("conversation.begin"));
        assert_eq!(stage("tools_called", look_up).as_deref(), Some("conversation.tools"));
        assert_eq!(stage("tools_called", "I will look further.").as_deref(), Some("conversation.tools"));
        assert_eq!(stage("tools_called", TO_VERIFY).as_deref(), Some("conversation.verify"));
        assert_eq!(stage("paused", ""), None);
    }
}
