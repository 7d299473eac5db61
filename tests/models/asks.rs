//! The requests: the same conversation in each provider's own way, and an answer back as it came.

use std::sync::Arc;

use run::model::{Content, Form, ModelRequest, Reply, Said, StopReason, ToolAnswer, Untouched, Usage};
use run::thinking::{Effort, Thinking};
use run::transcript::Round;
use serde_json::{Value, json};

use crate::fixture::{ANTHROPIC, OPENAI};
use crate::server::{Server, stream};
use crate::talk::{ask_with, endpoint, patience, reply, request, round};

/// The body that these rounds are sent as. A profile that is itself only at home is asked at home: by its quirks.
async fn sent(provider: &str, rounds: &[Round]) -> Value {
    let fixture = if provider == "anthropic" { ANTHROPIC } else { OPENAI };
    let server = Server::bytes(stream(fixture));
    let mut endpoint = endpoint(provider, &server.url());
    endpoint.profile = model::Profile::named(provider).unwrap();
    ask_with(patience(), &endpoint, rounds).await.0.outcome.unwrap();
    server.requests()[0].json()
}

fn with_form(provider: &str, form: Form) -> [Round; 1] {
    [round(ModelRequest { form, ..request(provider) })]
}

/// The conversation after the fixture's two calls were answered.
async fn after_calls(provider: &str, answers: &[(&str, &str, bool)], then: &str) -> [Round; 2] {
    let fixture = if provider == "anthropic" { ANTHROPIC } else { OPENAI };
    let (reply, _) = reply(provider, &Server::bytes(stream(fixture)).url()).await;
    two_rounds(provider, reply, answers, then)
}

fn two_rounds(provider: &str, reply: Reply, answers: &[(&str, &str, bool)], then: &str) -> [Round; 2] {
    let result = |(call, text, failed): &(&str, &str, bool)| ToolAnswer {
        call: (*call).into(),
        name: "read_page".into(),
        text: (*text).into(),
        failed: *failed,
        not_made: false,
    };
    let mut said = vec![Said::Results { results: answers.iter().map(result).collect() }];
    if !then.is_empty() {
        said.push(Said::User { text: then.into() });
    }
    let next = ModelRequest { afresh: false, said, ..request(provider) };
    [Round { request: Arc::new(request(provider)), reply: Some(Arc::new(reply)) }, round(next)]
}

const ANSWERS: [(&str, &str, bool); 2] = [("toolu_A", "Title: A", false), ("toolu_B", "timeout after 20 s", true)];

#[tokio::test]
async fn a_question_in_anthropics_format_marks_what_is_shared_for_the_cache() {
    let asked = ModelRequest { model: "anthropic/claude-x".parse().unwrap(), ..request("anthropic") };
    let body = sent("anthropic", &[round(asked)]).await;
    let mark = json!({"type": "ephemeral"});
    assert_eq!(body["system"], json!([{"type": "text", "text": "You answer briefly.", "cache_control": mark}]));
    let text = json!({"type": "text", "text": "Compare a.example and b.example", "cache_control": mark});
    assert_eq!(body["messages"], json!([{"role": "user", "content": [text]}]));
    assert_eq!((&body["max_tokens"], &body["stream"]), (&json!(1_000), &json!(true)));
    assert_eq!(body["tool_choice"], json!({"type": "auto"}));
    let tool = &body["tools"][0];
    assert_eq!((&tool["strict"], &tool["input_schema"]["additionalProperties"]), (&json!(true), &json!(false)));
    assert_eq!(body["tools"][1].get("strict"), None, "not every property of it is required");
    for never in ["temperature", "top_p", "top_k", "metadata", "thinking"] {
        assert_eq!(body.get(never), None, "{never}");
    }
}

#[tokio::test]
async fn results_come_first_in_one_message_and_the_answer_goes_back_as_it_came() {
    let rounds = after_calls("anthropic", &ANSWERS, "Go on.").await;
    let body = sent("anthropic", &rounds).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    assert_eq!(
        &messages[1]["content"],
        rounds[0].reply.as_ref().unwrap().raw.value(),
        "thinking, signature, unknown keys"
    );
    assert_eq!(messages[1]["content"][0], json!({"type": "thinking", "thinking": "hm", "signature": "EqQB"}));
    assert_eq!(messages[1]["content"][2]["caller"], json!({"type": "direct"}));
    assert_eq!(
        messages[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "toolu_A", "content": "Title: A"},
            {"type": "tool_result", "tool_use_id": "toolu_B", "content": "timeout after 20 s", "is_error": true},
            {"type": "text", "text": "Go on.", "cache_control": {"type": "ephemeral"}},
        ])
    );
    let marks = body.to_string().matches("cache_control").count();
    assert!(marks <= 4, "{marks}");
}

#[tokio::test]
async fn a_conversation_that_goes_on_begins_with_the_same_bytes() {
    for provider in ["anthropic", "openai-compatible", "deepseek"] {
        let rounds = after_calls(provider, &ANSWERS, "Go on.").await;
        let unmarked = |body: Value| body.to_string().replace(r#""cache_control":{"type":"ephemeral"},"#, "");
        let before = [Round { reply: None, ..rounds[0].clone() }];
        let (first, second) = (sent(provider, &before).await, sent(provider, &rounds).await);
        let (first, second) = (unmarked(first["messages"].clone()), unmarked(second["messages"].clone()));
        assert!(second.starts_with(first.trim_end_matches(']')), "{provider}:\n{first}\n{second}");
        assert_eq!(sent(provider, &rounds).await, sent(provider, &rounds).await);
    }
}

#[tokio::test]
async fn every_call_is_answered_once_even_if_nobody_performed_it() {
    let rounds = after_calls("anthropic", &[("toolu_B", "B", false), ("toolu_X", "X", false)], "").await;
    let body = sent("anthropic", &rounds).await;
    let results = body["messages"][2]["content"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["tool_use_id"], &results[0]["is_error"]), (&json!("toolu_A"), &json!(true)));
    assert_eq!((&results[1]["tool_use_id"], &results[1]["content"]), (&json!("toolu_B"), &json!("B")));
}

#[tokio::test]
async fn a_question_in_openais_format_is_sent_in_each_providers_own_way() {
    for (provider, role, limit, options) in [
        ("openrouter", "system", "max_tokens", true),
        ("gemini", "system", "max_tokens", true),
        ("mistral", "system", "max_tokens", false),
        ("deepseek", "system", "max_tokens", true),
        ("groq", "system", "max_completion_tokens", true),
        ("ollama", "system", "max_tokens", true),
        ("llamacpp", "system", "max_tokens", true),
        ("vllm", "system", "max_tokens", true),
        ("lmstudio", "system", "max_tokens", true),
        ("openai-compatible", "system", "max_tokens", true),
    ] {
        let rounds = after_calls(provider, &ANSWERS, "Go on.").await;
        let body = sent(provider, &rounds).await;
        assert_eq!((&body["messages"][0]["role"], &body[limit]), (&json!(role), &json!(1_000)), "{provider}");
        let limits = ["max_tokens", "max_completion_tokens"].iter().filter(|name| body.get(**name).is_some()).count();
        assert_eq!(limits, 1, "{provider}");
        assert_eq!(body.get("stream_options").is_some(), options, "{provider}");
        assert_eq!(body.get("parallel_tool_calls").is_some(), provider == "llamacpp");
        assert!(!body.to_string().contains("null"), "{provider}: {body}");
        for message in body["messages"].as_array().unwrap() {
            assert!(message["content"].is_string(), "{provider}: {message}");
        }
        for never in ["temperature", "top_p", "store", "user", "n", "seed"] {
            assert_eq!(body.get(never), None, "{provider}: {never}");
        }
        assert_eq!(body["tools"][0]["function"].get("strict"), None, "{provider}");
        assert!(!body.to_string().contains("additionalProperties"), "{provider}");
    }
}

#[tokio::test]
async fn results_in_openais_format_are_messages_of_their_own_and_say_that_they_failed() {
    let body = sent("openai-compatible", &after_calls("openai-compatible", &ANSWERS, "Go on.").await).await;
    assert_eq!(
        body["messages"].as_array().unwrap()[2..],
        [
            json!({"role": "assistant", "content": "Größe 漢字 🦀", "tool_calls": [
                {"id": "toolu_A", "type": "function", "function": {"name": "read_page", "arguments": "{\"url\":\"https://a.example\"}"}},
                {"id": "toolu_B", "type": "function", "function": {"name": "list_pages", "arguments": "{}"}},
            ]}),
            json!({"role": "tool", "tool_call_id": "toolu_A", "content": "Title: A"}),
            json!({"role": "tool", "tool_call_id": "toolu_B", "content": "Error: timeout after 20 s"}),
            json!({"role": "user", "content": "Go on."}),
        ]
    );
}

#[tokio::test]
async fn mistral_gets_names_of_nine_characters_and_no_user_after_a_tool() {
    let body = sent("mistral", &after_calls("mistral", &ANSWERS, "Go on.").await).await;
    let messages = body["messages"].as_array().unwrap();
    let ids =
        |message: &Value| message["tool_calls"].as_array().unwrap().iter().map(|c| c["id"].clone()).collect::<Vec<_>>();
    let called = ids(&messages[2]);
    assert_eq!(called, [messages[3]["tool_call_id"].clone(), messages[4]["tool_call_id"].clone()]);
    assert!(
        called.iter().all(
            |id| id.as_str().unwrap().len() == 9 && id.as_str().unwrap().chars().all(|c| c.is_ascii_alphanumeric())
        )
    );
    assert_ne!(called[0], called[1]);
    assert_eq!(messages.last().unwrap()["content"], "Error: timeout after 20 s\n\nGo on.");
}

#[tokio::test]
async fn what_a_provider_wants_back_it_gets_back() {
    let thought = sent("deepseek", &after_calls("deepseek", &ANSWERS, "").await).await;
    assert_eq!(thought["messages"][2]["reasoning_content"], "hm");
    let not_wanted = sent("groq", &after_calls("groq", &ANSWERS, "").await).await;
    assert_eq!(not_wanted["messages"][2].get("reasoning_content"), None);
    // DeepSeek refuses an answer without it, even one that had none.
    let silent =
        OPENAI.replace(r#""reasoning_content":"h""#, r#""x":1"#).replace(r#""reasoning_content":"m""#, r#""x":1"#);
    let (reply, _) = reply("deepseek", &Server::bytes(stream(silent)).url()).await;
    let placeholder = sent("deepseek", &two_rounds("deepseek", reply, &ANSWERS, "")).await;
    assert_eq!(placeholder["messages"][2]["reasoning_content"], " ");
}

#[tokio::test]
async fn the_signature_of_a_call_and_the_details_of_thinking_go_back_with_it() {
    let signed = OPENAI.replace(
        r#""id":"toolu_A","type":"function","#,
        r#""id":"toolu_A","type":"function","extra_content":{"google":{"thought_signature":"c2ln"}},"#,
    );
    let (answered, _) = reply("gemini", &Server::bytes(stream(signed)).url()).await;
    let body = sent("gemini", &two_rounds("gemini", answered, &ANSWERS, "")).await;
    let call = &body["messages"][2]["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({"google": {"thought_signature": "c2ln"}}));
    let piece = |text: &str| format!(r#""reasoning_details":[{{"type":"reasoning.text","index":0,"text":"{text}"}}]"#);
    let detailed = OPENAI
        .replace(r#""reasoning_content":"h""#, &piece("h"))
        .replace(r#""reasoning_content":"m""#, &piece("m").replace(r#""index""#, r#""signature":"s","index""#));
    let (answered, _) = reply("openrouter", &Server::bytes(stream(detailed)).url()).await;
    let body = sent("openrouter", &two_rounds("openrouter", answered, &ANSWERS, "")).await;
    let details = json!([{"type": "reasoning.text", "index": 0, "text": "hm", "signature": "s"}]);
    assert_eq!(body["messages"][2]["reasoning_details"], details);
}

#[tokio::test]
async fn arguments_that_were_no_json_go_back_as_json_that_says_so() {
    let broken = json!({"unreadable_arguments": "{\"url\":\"https"});
    let cut = ANTHROPIC.replace(r#""partial_json":"://a.example\"}""#, r#""partial_json":"""#);
    let (answered, _) = reply("anthropic", &Server::bytes(stream(cut)).url()).await;
    let body = sent("anthropic", &two_rounds("anthropic", answered, &ANSWERS, "")).await;
    assert_eq!(body["messages"][1]["content"][2]["input"], broken);
    let cut = OPENAI.replace(r#""arguments":"\"https://a.example\"}""#, r#""arguments":"\"https""#);
    let (answered, _) = reply("ollama", &Server::bytes(stream(cut)).url()).await;
    let body = sent("ollama", &two_rounds("ollama", answered, &ANSWERS, "")).await;
    let arguments = body["messages"][2]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), broken);
}

#[tokio::test]
async fn another_models_answer_is_told_without_its_thinking() {
    let (answered, _) = reply("openai-compatible", &Server::bytes(stream(OPENAI)).url()).await;
    let mut rounds = two_rounds("openai-compatible", answered, &ANSWERS, "");
    rounds[1].request =
        Arc::new(ModelRequest { model: "anthropic/other".parse().unwrap(), ..(*rounds[1].request).clone() });
    let body = sent("anthropic", &rounds).await;
    let kinds: Vec<&str> =
        body["messages"][1]["content"].as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "tool_use", "tool_use"]);
    let (answered, _) = reply("anthropic", &Server::bytes(stream(ANTHROPIC)).url()).await;
    let mut rounds = two_rounds("anthropic", answered, &ANSWERS, "");
    rounds[1].request =
        Arc::new(ModelRequest { model: "mistral/other".parse().unwrap(), ..(*rounds[1].request).clone() });
    let body = sent("mistral", &rounds).await;
    assert_eq!(body["messages"][2]["content"], "Größe 漢字 🦀");
    assert_eq!(body["messages"][2]["tool_calls"][0]["function"]["arguments"], r#"{"url":"https://a.example"}"#);
    assert_eq!(body["messages"][2]["tool_calls"][0]["id"], body["messages"][3]["tool_call_id"]);
}

#[tokio::test]
async fn a_model_is_held_to_a_tool_by_the_strongest_means_that_it_has() {
    for (provider, model, expected) in [
        ("anthropic", "claude-haiku-4-5", json!({"type": "tool", "name": "read_page"})),
        ("anthropic", "claude-sonnet-5-5", json!({"type": "auto"})),
        ("openrouter", "m", json!({"type": "function", "function": {"name": "read_page"}})),
        ("mistral", "m", json!("required")),
        ("llamacpp", "m", json!("required")),
        ("ollama", "m", Value::Null),
        ("deepseek", "m", Value::Null),
    ] {
        let model = format!("{provider}/{model}").parse().unwrap();
        let asked = ModelRequest { model, form: Form::Tool { name: "read_page".into() }, ..request(provider) };
        assert_eq!(sent(provider, &[round(asked)]).await["tool_choice"], expected, "{provider}");
    }
}

#[tokio::test]
async fn whoever_is_to_answer_in_a_form_is_to_call_nothing_more() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    for (provider, expected) in
        [("anthropic", json!({"type": "none"})), ("openai-compatible", json!("none")), ("ollama", Value::Null)]
    {
        let form = Form::Json { name: "report".into(), schema: schema.clone() };
        let asked = ModelRequest { form, ..request(provider) };
        let sent = sent(provider, &[round(asked)]).await;
        assert_eq!(sent["tool_choice"], expected, "{provider}");
        assert!(sent["tools"].is_array(), "what was called before is still described: {provider}");
    }
}

#[tokio::test]
async fn a_model_is_held_to_a_form_by_the_strongest_means_that_it_has() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let form = || Form::Json { name: "the answer".into(), schema: schema.clone() };
    let claude = |form: Form| {
        [round(ModelRequest { model: "anthropic/claude-x".parse().unwrap(), form, ..request("anthropic") })]
    };
    let body = sent("anthropic", &claude(form())).await;
    assert_eq!(body["output_config"]["format"]["type"], "json_schema");
    assert_eq!(body["output_config"]["format"]["schema"]["additionalProperties"], false);
    let body = sent("openai-compatible", &with_form("openai-compatible", form())).await;
    let format = &body["response_format"];
    assert_eq!(
        (&format["json_schema"]["name"], &format["json_schema"]["strict"]),
        (&json!("the_answer"), &json!(true))
    );
    assert_eq!(body["messages"][1]["content"], "Compare a.example and b.example", "no words are needed");
    for (provider, expected) in [("deepseek", json!({"type": "json_object"})), ("groq", Value::Null)] {
        let body = sent(provider, &with_form(provider, form())).await;
        assert_eq!(body["response_format"], expected, "{provider}");
        let asked = body["messages"][1]["content"].as_str().unwrap();
        assert!(asked.contains("JSON Schema") && asked.contains(r#""required":["a"]"#), "{provider}: {asked}");
    }
    let body = sent("llamacpp", &with_form("llamacpp", form())).await;
    assert!(body.get("tools").is_none() && body.get("response_format").is_some(), "it takes one or the other");
    let loose = Form::Json {
        name: "x".into(),
        schema: json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}),
    };
    assert_eq!(
        sent("openai-compatible", &with_form("openai-compatible", loose.clone())).await["response_format"]["json_schema"]
            ["strict"],
        false
    );
    assert_eq!(sent("anthropic", &claude(loose)).await.get("output_config"), None);
    // Another model behind the same format would pass over unknown fields.
    let body = sent("anthropic", &with_form("anthropic", form())).await;
    assert_eq!((body.get("output_config"), body["tools"][0].get("strict")), (None, None));
    assert!(body["messages"].to_string().contains("JSON Schema"));
}

#[tokio::test]
async fn an_answer_that_said_nothing_is_not_sent_back() {
    let empty = Reply {
        content: vec![Content::Thinking { text: "hm".into() }],
        raw: Untouched::from(json!([{"type": "thinking", "thinking": "hm", "signature": "s"}])),
        stop: StopReason::End,
        usage: Usage::default(),
        served_by: "m".into(),
        request_id: None,
        first_ms: 0,
        whole_ms: 0,
        recorded: None,
    };
    for provider in ["anthropic", "openai-compatible"] {
        let body = sent(provider, &two_rounds(provider, empty.clone(), &[], "Please say something.")).await;
        let messages = body["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        assert!(messages.iter().all(|message| message["role"] != "assistant"), "{provider}: {body}");
        assert!(
            last.to_string().contains("Compare") && last.to_string().contains("Please say"),
            "they are one message"
        );
    }
}

#[tokio::test]
async fn tools_that_are_offered_no_more_are_still_described_where_calls_of_them_stand() {
    let mut rounds = after_calls("anthropic", &ANSWERS, "").await;
    rounds[1].request = Arc::new(ModelRequest { offers: vec![].into(), ..(*rounds[1].request).clone() });
    let body = sent("anthropic", &rounds).await;
    assert_eq!((body["tools"].as_array().unwrap().len(), &body["tool_choice"]), (2, &json!({"type": "none"})));
}

#[tokio::test]
async fn how_a_model_is_to_think_is_said_in_each_providers_own_way() {
    let effort = |effort| Thinking { effort: Some(effort), limit: None };
    let limit = Thinking { effort: None, limit: Some(2_500) };
    for (model, thinking, expected) in [
        (
            "anthropic/claude-opus-5-5",
            effort(Effort::High),
            json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ),
        ("anthropic/claude-haiku-4-5", limit, json!({"thinking": {"type": "enabled", "budget_tokens": 2_500}})),
        ("anthropic/claude-opus-5-5", limit, json!({})),
        ("openrouter/x", effort(Effort::Low), json!({"reasoning": {"effort": "low"}})),
        ("openrouter/x", limit, json!({"reasoning": {"max_tokens": 2_500}})),
        ("gemini/x", effort(Effort::Low), json!({"reasoning_effort": "low"})),
        ("deepseek/x", effort(Effort::None), json!({"thinking": {"type": "disabled"}})),
        ("deepseek/x", effort(Effort::Max), json!({"reasoning_effort": "max"})),
        ("groq/openai/gpt-oss-20b", effort(Effort::Low), json!({"reasoning_effort": "low"})),
        ("ollama/x", effort(Effort::None), json!({"reasoning_effort": "none"})),
        ("llamacpp/x", effort(Effort::None), json!({"chat_template_kwargs": {"enable_thinking": false}})),
        ("vllm/x", effort(Effort::High), json!({"chat_template_kwargs": {"reasoning_effort": "high"}})),
        ("vllm/x", limit, json!({"thinking_token_budget": 2_500})),
        ("openai-compatible/x", effort(Effort::Xhigh), json!({"reasoning_effort": "xhigh"})),
        ("openai-compatible/x", limit, json!({})),
        ("lmstudio/x", Thinking::default(), json!({})),
    ] {
        let provider = model.split('/').next().unwrap();
        let form = Form::Tool { name: "read_page".into() };
        let asked = ModelRequest { model: model.parse().unwrap(), thinking, form, ..request(provider) };
        let mut body = sent(provider, &[round(asked)]).await;
        let choice = body["tool_choice"].clone();
        let fields = [
            "thinking",
            "output_config",
            "reasoning",
            "reasoning_effort",
            "chat_template_kwargs",
            "thinking_token_budget",
        ];
        body.as_object_mut().unwrap().retain(|name, _| fields.contains(&name.as_str()));
        assert_eq!(body, expected, "{model}");
        if body.get("thinking").is_some() && provider == "anthropic" {
            assert_eq!(choice, json!({"type": "auto"}), "a model that thinks takes no forced tool");
        }
    }
}
