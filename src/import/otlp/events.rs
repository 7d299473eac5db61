//! Messages that are events of a span, as instrumentations wrote them for a while and some SDKs still do.

use serde_json::{Map, Value};
use text::Clean;

use super::span::Attributes;
use crate::conversation::{Message, MessagePart, messages_parts, text_of};
use crate::told::{as_json, shown};

/// The messages and the end of an answer that the events of a span tell.
#[derive(Default)]
pub(super) struct Heard {
    /// The messages to a model or an agent.
    pub(super) said: Vec<Message>,
    /// Its answer.
    pub(super) answered: Vec<Message>,
    /// The reason for the end of the answer.
    pub(super) finish: Option<String>,
}

/// The messages among these events.
pub(super) fn heard(events: &[(String, Attributes)]) -> Heard {
    let mut heard = Heard::default();
    for (name, Attributes(told)) in events {
        let message = |role: &str| {
            let parts = content(told).map(messages_parts).unwrap_or_default();
            Message { role: role.into(), parts }
        };
        match name.as_str() {
            "gen_ai.user.message" => heard.said.push(message("user")),
            "gen_ai.system.message" => heard.said.push(message("system")),
            "gen_ai.assistant.message" => heard.said.push(message("assistant")),
            "gen_ai.tool.message" => heard.said.push(answer_of_tool(told)),
            "gen_ai.choice" => {
                let parts = told.get("message").or_else(|| content(told)).map(messages_parts).unwrap_or_default();
                heard.answered.push(Message { role: "assistant".into(), parts });
                heard.finish = told.get("finish_reason").map(shown).or(heard.finish.take());
            }
            _ => {}
        }
    }
    heard
}

/// The arguments and the result of a tool, where events of its span tell them.
pub(super) fn of_tool(events: &[(String, Attributes)]) -> (Option<run::tool::CleanJson>, Option<Clean>) {
    let of = |name: &str| events.iter().find(|(event, _)| event == name).map(|(_, Attributes(told))| told);
    let arguments = of("gen_ai.tool.message").and_then(content).map(as_json);
    let result = of("gen_ai.choice").and_then(|told| told.get("message").or_else(|| content(told))).map(text_of);
    (arguments, result.filter(|text| !text.is_empty()))
}

fn content(told: &Map<String, Value>) -> Option<&Value> {
    told.get("content").or_else(|| told.get("gen_ai.event.content"))
}

fn answer_of_tool(told: &Map<String, Value>) -> Message {
    let id = told.get("id").map(shown).unwrap_or_default();
    let text = content(told).map(text_of).unwrap_or_default();
    let answer = MessagePart::Answer { id: Clean::line(&id), name: Clean::default(), text };
    Message { role: "tool".into(), parts: vec![answer] }
}
