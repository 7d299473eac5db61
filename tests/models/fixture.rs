//! One whole answer in each of the three formats: words, two calls at once, a count.

use run::model::{Arguments, Content, Reply, StopReason, Usage};
use serde_json::json;

pub const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_02","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":31,"cache_creation_input_tokens":40,"cache_read_input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":30,"ephemeral_1h_input_tokens":10},"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Größe "}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"漢字 🦀"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_A","name":"read_page","input":{},"caller":{"type":"direct"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"url\":\"https"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"://a.example\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_B","name":"list_pages","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":64}}

event: message_stop
data: {"type":"message_stop"}

"#;

pub const OPENAI: &str = r#"data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"h"},"finish_reason":null}],"usage":null}

: keep-alive

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":"m"},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Größe "},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"漢字 🦀"},"finish_reason":null}]}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"toolu_A","type":"function","function":{"name":"read_page","arguments":""}}]},"finish_reason":null}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"url\":"}}]},"finish_reason":null}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"https://a.example\"}"}},{"index":1,"id":"toolu_B","type":"function","function":{"name":"list_pages","arguments":""}}]},"finish_reason":null}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}

data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":88,"completion_tokens":64,"total_tokens":152,"prompt_tokens_details":{"cached_tokens":7,"cache_write_tokens":50},"completion_tokens_details":{"reasoning_tokens":2}}}

data: [DONE]

"#;

pub const RESPONSES: &str = r#"event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","created_at":1790000000,"model":"m","status":"in_progress","output":[],"usage":null,"error":null,"incomplete_details":null}}

: keep-alive

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","object":"response","created_at":1790000000,"model":"m","status":"in_progress","output":[],"usage":null,"error":null,"incomplete_details":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"output_index":0,"item_id":"rs_1","summary_index":0,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"output_index":0,"item_id":"rs_1","summary_index":0,"delta":"h","obfuscation":"xY"}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":5,"output_index":0,"item_id":"rs_1","summary_index":0,"delta":"m","obfuscation":"xY"}

event: response.reasoning_summary_text.done
data: {"type":"response.reasoning_summary_text.done","sequence_number":6,"output_index":0,"item_id":"rs_1","summary_index":0,"text":"hm"}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAAB=="}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","phase":"commentary","content":[]}}

event: response.content_part.added
data: {"type":"response.content_part.added","sequence_number":9,"output_index":1,"item_id":"msg_1","content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":10,"output_index":1,"item_id":"msg_1","content_index":0,"delta":"Größe "}

event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":11,"output_index":1,"item_id":"msg_1","content_index":0,"delta":"漢字 🦀"}

event: response.output_text.done
data: {"type":"response.output_text.done","sequence_number":12,"output_index":1,"item_id":"msg_1","content_index":0,"text":"Größe 漢字 🦀"}

event: response.content_part.done
data: {"type":"response.content_part.done","sequence_number":13,"output_index":1,"item_id":"msg_1","content_index":0,"part":{"type":"output_text","text":"Größe 漢字 🦀","annotations":[],"logprobs":[]}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":14,"output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Größe 漢字 🦀","annotations":[],"logprobs":[]}]}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":15,"output_index":2,"item":{"id":"fc_A","type":"function_call","status":"in_progress","call_id":"toolu_A","name":"read_page","arguments":""}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":16,"output_index":2,"item_id":"fc_A","delta":"{\"url\":\"https"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":17,"output_index":2,"item_id":"fc_A","delta":"://a.example\"}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","sequence_number":18,"output_index":2,"item_id":"fc_A","arguments":"{\"url\":\"https://a.example\"}"}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":19,"output_index":2,"item":{"id":"fc_A","type":"function_call","status":"completed","call_id":"toolu_A","name":"read_page","arguments":"{\"url\":\"https://a.example\"}"}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":20,"output_index":3,"item":{"id":"fc_B","type":"function_call","status":"in_progress","call_id":"toolu_B","name":"list_pages","arguments":""}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":21,"output_index":3,"item":{"id":"fc_B","type":"function_call","status":"completed","call_id":"toolu_B","name":"list_pages","arguments":"{}"}}

event: response.completed
data: {"type":"response.completed","sequence_number":22,"response":{"id":"resp_1","object":"response","created_at":1790000000,"model":"m","status":"completed","output":[{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAAB=="},{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Größe 漢字 🦀","annotations":[],"logprobs":[]}]},{"id":"fc_A","type":"function_call","status":"completed","call_id":"toolu_A","name":"read_page","arguments":"{\"url\":\"https://a.example\"}"},{"id":"fc_B","type":"function_call","status":"completed","call_id":"toolu_B","name":"list_pages","arguments":"{}"}],"usage":{"input_tokens":88,"input_tokens_details":{"cached_tokens":7,"cache_write_tokens":50},"output_tokens":64,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":152},"error":null,"incomplete_details":null}}

"#;

/// The content of each of them.
pub fn content() -> Vec<Content> {
    let call = |id: &str, name: &str, arguments| Content::Call {
        id: id.into(),
        name: name.into(),
        arguments: Arguments::Whole(arguments),
    };
    vec![
        Content::Thinking { text: "hm".into() },
        Content::Text { text: "Größe 漢字 🦀".into() },
        call("toolu_A", "read_page", json!({"url": "https://a.example"})),
        call("toolu_B", "list_pages", json!({})),
    ]
}

/// Asserts that an answer is the whole fixture; the count of tokens may be missing where `counted` is not said.
pub fn is_whole(provider: &str, reply: &Reply, counted: bool) {
    assert_eq!((&reply.content, &reply.stop), (&content(), &StopReason::Tools), "{provider}");
    assert_eq!(reply.served_by, "m");
    let usage = match provider {
        "anthropic" => {
            Usage { input: 31, cache_read: 7, cache_write: 30, cache_write_long: 10, output: 64, ..Usage::default() }
        }
        _ => Usage { input: 31, cache_read: 7, cache_write: 50, output: 64, reasoning: 2, ..Usage::default() },
    };
    assert!(reply.usage == usage || (!counted && reply.usage.estimated), "{:?}", reply.usage);
}
