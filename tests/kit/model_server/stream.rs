//! Answers as streams of OpenAI's chat completions.

use serde_json::{Value, json};

use crate::server::{Gate, Said};

/// Bytes of text in one event of a stream, about.
const PIECE: usize = 60;

/// An answer of a model: text, or calls of tools.
#[derive(Clone, Debug)]
pub struct Answer {
    text: String,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) input: u64,
    output: Option<u64>,
    has_usage: bool,
    pub(super) declines: bool,
    pub(super) cut: bool,
    pub(super) cached: u64,
    thought: String,
    halts: Option<Gate>,
}

impl Answer {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Answer {
        Answer {
            text: text.into(),
            calls: Vec::new(),
            input: 500,
            output: None,
            has_usage: true,
            declines: false,
            cut: false,
            cached: 0,
            thought: String::new(),
            halts: None,
        }
    }

    /// An answer that calls these tools.
    pub fn calls(calls: &[(&str, Value)]) -> Answer {
        let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())).collect();
        Answer { calls, ..Answer::text("") }
    }

    /// An answer that a content filter has stopped.
    pub fn declined() -> Answer {
        Answer { declines: true, ..Answer::text("") }
    }

    /// An answer that reached its limit of `limit` tokens before it said anything.
    pub fn cut(limit: u64) -> Answer {
        Answer { cut: true, ..Answer::text("").bills(limit) }
    }

    /// With `input` tokens of input on its bill.
    pub fn reads(self, input: u64) -> Answer {
        Answer { input, ..self }
    }

    /// With `cached` of its tokens of input read from a cache.
    pub(super) fn cached(self, cached: u64) -> Answer {
        Answer { cached: cached.min(self.input), ..self }
    }

    /// With `output` tokens of output on its bill; else there is one for every four bytes.
    pub fn bills(self, output: u64) -> Answer {
        Answer { output: Some(output), ..self }
    }

    /// Without a word of what it used (chat completions).
    pub fn without_usage(self) -> Answer {
        Answer { has_usage: false, ..self }
    }

    /// Behind this thought; in chat completions it halts at the gate behind the thought, and in the middle of the answer.
    pub(super) fn halts(self, thought: String, gate: Gate) -> Answer {
        Answer { thought, halts: Some(gate), ..self }
    }

    /// Its text in the pieces in which it is sent.
    pub(super) fn pieces(&self) -> Vec<&str> {
        pieces(&self.text)
    }

    /// The tokens of output on its bill.
    pub(super) fn output(&self) -> u64 {
        let calls: usize = self.calls.iter().map(|(_, arguments)| arguments.to_string().len()).sum();
        self.output.unwrap_or((self.text.len() + calls) as u64 / 4 + 1)
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Said {
        let delta =
            |delta: Value| json!({ "id": "x", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
        let mut events: Vec<Value> =
            pieces(&answer.thought).iter().map(|piece| delta(json!({ "reasoning_content": piece }))).collect();
        let thought = events.len();
        events.extend(answer.pieces().iter().map(|piece| delta(json!({ "content": piece }))));
        for (n, (name, arguments)) in answer.calls.iter().enumerate() {
            let arguments = arguments.to_string();
            let mut pieces = pieces(&arguments).into_iter();
            let function = json!({ "name": name, "arguments": pieces.next() });
            let call = json!({ "index": n, "id": format!("call-{n}"), "type": "function", "function": function });
            events.push(delta(json!({ "tool_calls": [call] })));
            let more = |piece: &str| json!({ "index": n, "function": { "arguments": piece } });
            events.extend(pieces.map(|piece| delta(json!({ "tool_calls": [more(piece)] }))));
        }
        let middle = thought + (events.len() - thought).div_ceil(2);
        let finish = match (answer.declines, answer.calls.is_empty()) {
            _ if answer.cut => "length",
            (true, _) => "content_filter",
            (false, true) => "stop",
            (false, false) => "tool_calls",
        };
        let usage = json!({ "prompt_tokens": answer.input, "prompt_tokens_details": { "cached_tokens": answer.cached },
            "completion_tokens": answer.output() });
        let usage = if answer.has_usage { usage } else { Value::Null };
        events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }], "usage": usage }));
        let events: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let bytes = |events: &[String]| events.iter().map(String::len).sum::<usize>();
        let halts = answer.halts.clone().map(|gate| (vec![bytes(&events[..thought]), bytes(&events[..middle])], gate));
        let body = format!("{}data: [DONE]\n\n", events.concat());
        Said { halts, ..Said::new(200, "text/event-stream", body).with("x-request-id", "r1") }
    }
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.ceil_char_boundary(PIECE));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}
