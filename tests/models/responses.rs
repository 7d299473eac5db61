//! OpenAI's Responses API: the requests, the parts that go back as they came, and each way in which an answer is none.

use std::sync::Arc;

use run::attempt::{Charge, Class, Fault, Reached};
use run::model::{Arguments, Content, Form, ModelRequest, Reply, Said, StopReason, ToolAnswer, Untouched, Usage};
use run::thinking::{Effort, Thinking};
use run::transcript::Round;
use serde_json::{Value, json};

use crate::fixture::{ANTHROPIC, OPENAI, RESPONSES, is_whole};
use crate::server::{Server, answer, stream};
use crate::talk::{ask, endpoint, fault, reply, request, round};

/// A provider that speaks this format wherever it is.
const PROVIDER: &str = "azure";

/// The request that these rounds are sent as.
async fn sent(rounds: &[Round]) -> (String, Value) {
    let server = Server::bytes(stream(RESPONSES));
    let endpoint = endpoint(PROVIDER, &server.url());
    crate::talk::ask_with(crate::talk::patience(), &endpoint, rounds).await.0.outcome.unwrap();
    let request = server.requests().remove(0);
    (request.line.clone(), request.json())
}

async fn body(rounds: &[Round]) -> Value {
    sent(rounds).await.1
}

fn asks(model: &str, form: Form) -> ModelRequest {
    ModelRequest { model: format!("{PROVIDER}/{model}").parse().unwrap(), form, ..request(PROVIDER) }
}

/// The conversation after an answer with two calls.
fn answered(model: &str, reply: Reply) -> [Round; 2] {
    let result = |(call, text, failed): (&str, &str, bool)| ToolAnswer {
        call: call.into(),
        name: "read_page".into(),
        text: text.into(),
        failed,
        not_made: false,
    };
    let results = [("toolu_A", "Title: A", false), ("toolu_B", "timeout after 20 s", true)].map(result).to_vec();
    let said = vec![Said::Results { results }, Said::User { text: "Go on.".into() }];
    let next = ModelRequest { afresh: false, said, ..asks(model, Form::Free) };
    [Round { request: Arc::new(asks("some-model", Form::Free)), reply: Some(Arc::new(reply)) }, round(next)]
}

async fn whole() -> Reply {
    reply(PROVIDER, &Server::bytes(stream(RESPONSES)).url()).await.0
}

fn kinds(body: &Value) -> Vec<&str> {
    body["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_question_is_sent_without_being_stored_and_asks_for_reasoning_that_can_be_sent_back() {
    let (line, body) = sent(&[round(asks("gpt-6-sol", Form::Free))]).await;
    assert!(line.starts_with("POST /openai/v1/responses "), "{line}");
    assert_eq!(
        (&body["store"], &body["stream"], &body["max_output_tokens"]),
        (&json!(false), &json!(true), &json!(1_000))
    );
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(body["instructions"], "You answer briefly.");
    let text = json!({"type": "input_text", "text": "Compare a.example and b.example"});
    assert_eq!(body["input"], json!([{"type": "message", "role": "user", "content": [text]}]));
    let tool = &body["tools"][0];
    assert_eq!(
        (&tool["type"], &tool["name"], &tool["strict"]),
        (&json!("function"), &json!("read_page"), &json!(true))
    );
    assert_eq!(tool["parameters"]["additionalProperties"], false);
    assert_eq!(
        body["tools"][1]["strict"], false,
        "not every property of it is required, and strict is what goes unsaid"
    );
    for never in ["temperature", "top_p", "max_tokens", "messages", "previous_response_id", "tool_choice", "text"] {
        assert_eq!(body.get(never), None, "{never}");
    }
    assert_eq!(body.get("reasoning"), None, "it thinks as it does by itself");
    let thinking = Thinking { effort: Some(Effort::High), limit: None };
    let hard = self::body(&[round(ModelRequest { thinking, ..asks("gpt-6-sol", Form::Free) })]).await;
    assert_eq!(hard["reasoning"], json!({"effort": "high"}));
    let plain = self::body(&[round(asks("gpt-4.1-mini", Form::Free))]).await;
    assert_eq!(plain.get("include"), None, "a model that does not reason refuses to be asked for it");
}

#[tokio::test]
async fn items_go_back_as_they_came_and_results_by_the_names_of_their_calls() {
    let rounds = answered("some-model", whole().await);
    let body = body(&rounds).await;
    let input = body["input"].as_array().unwrap();
    let Value::Array(items) = &rounds[0].reply.as_ref().unwrap().raw.value()["output"] else { panic!("no items") };
    assert_eq!(input[1..5], items[..], "reasoning, phases, names and all");
    assert_eq!(input[1]["encrypted_content"], "gAAAAB==");
    assert_eq!(input[2]["phase"], "commentary");
    assert_eq!(
        input[5..],
        [
            json!({"type": "function_call_output", "call_id": "toolu_A", "output": "Title: A"}),
            json!({"type": "function_call_output", "call_id": "toolu_B", "output": "Error: timeout after 20 s"}),
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}),
        ]
    );
    let first = self::body(&[Round { reply: None, ..rounds[0].clone() }]).await;
    let (before, after) = (first["input"].to_string(), body["input"].to_string());
    assert!(after.starts_with(before.trim_end_matches(']')), "a conversation that goes on begins with the same bytes");
}

#[tokio::test]
async fn reasoning_that_cannot_be_carried_back_is_left_out_with_what_names_it() {
    let without = RESPONSES.replace(r#","encrypted_content":"gAAAAB==""#, "");
    let (closed, _) = reply(PROVIDER, &Server::bytes(stream(without)).url()).await;
    let body = body(&answered("some-model", closed)).await;
    assert_eq!(
        kinds(&body),
        [
            "message",
            "message",
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
            "message"
        ]
    );
    let input = body["input"].as_array().unwrap();
    assert!(input.iter().all(|item| item.get("id").is_none()), "by their names the provider would miss the reasoning");
}

#[tokio::test]
async fn another_models_answer_is_told_in_words_and_calls() {
    let body = body(&answered("another-model", whole().await)).await;
    assert_eq!(
        body["input"].as_array().unwrap()[1..4],
        [
            json!({"type": "message", "role": "assistant", "content": "Größe 漢字 🦀"}),
            json!({"type": "function_call", "call_id": "toolu_A", "name": "read_page",
                "arguments": "{\"url\":\"https://a.example\"}"}),
            json!({"type": "function_call", "call_id": "toolu_B", "name": "list_pages", "arguments": "{}"}),
        ]
    );
    // So is an answer of the same model that came in another format, before its provider spoke this one.
    for (provider, fixture) in [("openai-compatible", OPENAI), ("anthropic", ANTHROPIC)] {
        let (other, _) = reply(provider, &Server::bytes(stream(fixture)).url()).await;
        let told = self::body(&answered("some-model", other)).await;
        assert_eq!(told["input"].as_array().unwrap()[1..4], body["input"].as_array().unwrap()[1..4], "{provider}");
    }
}

#[tokio::test]
async fn an_answer_in_this_format_is_told_in_words_where_chat_completions_are_spoken() {
    let server = Server::bytes(stream(OPENAI));
    let mut rounds = answered("some-model", whole().await);
    for round in &mut rounds {
        round.request = Arc::new(ModelRequest {
            model: "openai-compatible/some-model".parse().unwrap(),
            ..(*round.request).clone()
        });
    }
    let endpoint = endpoint("openai-compatible", &server.url());
    crate::talk::ask_with(crate::talk::patience(), &endpoint, &rounds).await.0.outcome.unwrap();
    let message = &server.requests()[0].json()["messages"][2];
    assert_eq!(message["content"], "Größe 漢字 🦀");
    assert_eq!(message["tool_calls"][1]["function"]["name"], "list_pages");
}

#[tokio::test]
async fn siblings_and_later_turns_have_one_cache_key_and_other_instructions_another() {
    let key = |body: Value| body["prompt_cache_key"].as_str().unwrap().to_owned();
    let first = key(body(&[round(asks("some-model", Form::Free))]).await);
    assert!(first.len() <= 64, "{first}");
    let mut sibling = asks("some-model", Form::Tool { name: "read_page".into() });
    sibling.said[1] = Said::User { text: "Another task".into() };
    assert_eq!(key(body(&[round(sibling)]).await), first);
    assert_eq!(key(body(&answered("some-model", whole().await)).await), first);
    let mut other = asks("some-model", Form::Free);
    other.said[0] = Said::System { text: "You are a writer.".into() };
    assert_ne!(key(body(&[round(other)]).await), first);
    assert_ne!(key(body(&[round(asks("other-model", Form::Free))]).await), first);
}

#[tokio::test]
async fn a_model_is_held_to_a_tool_or_a_form() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let forced = body(&[round(asks("m", Form::Tool { name: "read_page".into() }))]).await;
    assert_eq!(forced["tool_choice"], json!({"type": "function", "name": "read_page"}));
    let formed = body(&[round(asks("m", Form::Json { name: "the answer".into(), schema }))]).await;
    let format = &formed["text"]["format"];
    assert_eq!((&format["type"], &format["name"]), (&json!("json_schema"), &json!("the_answer")));
    assert_eq!((&format["strict"], &format["schema"]["additionalProperties"]), (&json!(true), &json!(false)));
    assert_eq!(formed["tool_choice"], "none");
    assert!(formed["tools"].is_array(), "what was called before is still described");
}

/// The response of the fixture's last event, with these fields.
fn response(fields: Value) -> Value {
    let last = RESPONSES.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let mut event: Value = serde_json::from_str(&last[6..]).unwrap();
    let response = event["response"].as_object_mut().unwrap();
    response.extend(fields.as_object().unwrap().clone());
    event["response"].take()
}

#[tokio::test]
async fn an_answer_in_one_piece_is_read_too_and_one_that_is_not_finished_is_none() {
    let whole = |body: &Value| Server::bytes(answer(200, "content-type: application/json\r\n", &body.to_string()));
    let (reply, heard) = reply(PROVIDER, &whole(&response(json!({}))).url()).await;
    is_whole(PROVIDER, &reply, true);
    assert_eq!(heard, "Größe 漢字 🦀");
    for (fields, class) in [
        (json!({"status": "failed", "error": {"code": "server_error", "message": "m"}}), Class::Server),
        (json!({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "m"}}), Class::Throttled),
        (json!({"status": "in_progress"}), Class::Protocol),
    ] {
        assert_eq!(fault(PROVIDER, &whole(&response(fields.clone())).url()).await.class, class, "{fields}");
    }
}

/// The events of the fixture up to this one.
fn until(event: &str) -> String {
    RESPONSES.split(&format!("event: {event}\n")).next().unwrap().to_owned()
}

fn event(kind: &str, mut data: Value) -> String {
    data["type"] = kind.into();
    format!("event: {kind}\ndata: {data}\n\n")
}

async fn of(events: String) -> Result<Reply, Fault> {
    ask(PROVIDER, &Server::bytes(stream(events)).url()).await.0.outcome
}

#[tokio::test]
async fn a_response_that_fails_is_the_failure_that_it_says_it_is() {
    let half = until("response.output_text.done");
    let failed = |code: &str, message: &str| {
        event(
            "response.failed",
            json!({"response": response(json!({"status": "failed", "output": [],
            "error": {"code": code, "message": message}}))}),
        )
    };
    for (last, class) in [
        (failed("server_error", "m"), Class::Server),
        (failed("rate_limit_exceeded", "m"), Class::Throttled),
        (failed("server_is_overloaded", "m"), Class::Overloaded),
        (failed("insufficient_quota", "m"), Class::OutOfCredit),
        (failed("context_length_exceeded", "m"), Class::TooLong),
        (failed("invalid_prompt", "m"), Class::Malformed),
        (failed("new_code", "m"), Class::Server),
        (event("response.failed", json!({"response": {"status": "failed", "error": null}})), Class::Server),
        (event("error", json!({"code": "rate_limit_exceeded", "message": "m", "param": null})), Class::Throttled),
        (event("error", json!({"code": null, "message": "m"})), Class::Server),
        (event("error", json!({"error": {"type": "overloaded_error", "message": "m"}})), Class::Overloaded),
    ] {
        let fault = of(format!("{half}{last}")).await.unwrap_err();
        assert_eq!((fault.class, fault.reached, &*fault.partial), (class, Reached::Content, "Größe 漢字 🦀"), "{last}");
        assert!(matches!(fault.charge, Charge::AtLeast(_)), "{last}: {:?}", fault.charge);
        let at_once = of(last.clone()).await.unwrap_err();
        assert_eq!((at_once.class, at_once.reached), (class, Reached::Accepted), "{last}");
    }
}

#[tokio::test]
async fn an_answer_that_is_incomplete_says_why_and_keeps_what_had_come() {
    let incomplete = |reason: &str, output: Value| {
        event(
            "response.incomplete",
            json!({"response": response(json!({"status": "incomplete", "output": output,
            "incomplete_details": {"reason": reason}}))}),
        )
    };
    // Cut within its text: the message is not finished, and the last event does not hold it.
    let half = until("response.output_text.done");
    for (reason, stop) in [
        ("max_output_tokens", StopReason::Length),
        ("content_filter", StopReason::Refusal("content filter".into())),
        ("new_reason", StopReason::Other("new_reason".into())),
    ] {
        let reply = of(format!("{half}{}", incomplete(reason, json!([])))).await.unwrap();
        assert_eq!((&reply.stop, reply.text().as_str()), (&stop, "Größe 漢字 🦀"), "{reason}");
        assert_eq!((reply.usage.output, reply.usage.estimated), (64, false));
        let back = body(&answered("some-model", reply)).await;
        assert_eq!(back["input"][2]["content"][0]["text"], "Größe 漢字 🦀", "{reason}: {back}");
    }
    // Cut within the arguments of a call: it is not run, and goes back as an object that says so.
    let called = RESPONSES.split(r#"://a.example\"}""#).next().unwrap().rsplit_once("event: ").unwrap().0;
    let reply = of(format!("{called}{}", incomplete("max_output_tokens", json!([])))).await.unwrap();
    let (_, _, arguments) = reply.calls().next().unwrap();
    assert_eq!((arguments, &reply.stop), (&Arguments::Broken("{\"url\":\"https".into()), &StopReason::Length));
    let back = body(&answered("some-model", reply)).await;
    let arguments = back["input"][3]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), json!({"unreadable_arguments": "{\"url\":\"https"}));
    // Cut while it was thinking: there is nothing to send back, and nothing that could not be.
    let thought = until("response.reasoning_summary_text.done");
    let reply = of(format!("{thought}{}", incomplete("max_output_tokens", json!([])))).await.unwrap();
    assert_eq!(
        (&reply.content[..], &reply.stop),
        (&[Content::Thinking { text: "hm".into() }][..], &StopReason::Length)
    );
}

#[tokio::test]
async fn half_an_item_is_no_answer_whatever_the_last_event_says() {
    let completed =
        |output: Value| event("response.completed", json!({"response": response(json!({"output": output}))}));
    let half = until("response.output_text.done");
    assert_eq!(of(format!("{half}{}", completed(json!([])))).await.unwrap_err().class, Class::Cut);
    // The last event holds the missing part.
    let whole = response(json!({}))["output"].clone();
    is_whole(PROVIDER, &of(format!("{half}{}", completed(whole))).await.unwrap(), true);
    // It holds nothing of the earlier part.
    let all = until("response.completed");
    is_whole(PROVIDER, &of(format!("{all}{}", completed(json!([])))).await.unwrap(), true);
    // Every item is whole, and nobody said that this was all.
    assert_eq!(of(all.clone()).await.unwrap_err().class, Class::Cut);
    assert_eq!(of(format!("{all}data: [DONE]\n\n")).await.unwrap_err().class, Class::Cut);
}

#[tokio::test]
async fn events_that_make_no_sense_are_told_apart_from_those_nobody_knows() {
    let begun = until("response.content_part.added");
    let added = event("response.output_item.added", json!({"output_index": 1, "item": {"type": "message"}}));
    let done = event("response.output_item.done", json!({"output_index": 0, "item": {"type": "reasoning"}}));
    let delta = |at: Value| event("response.output_text.delta", json!({"output_index": at, "delta": "x"}));
    for nonsense in [
        format!("{begun}{added}"),
        format!("{begun}{done}"),
        format!("{begun}{}", delta(json!(0))),
        format!("{begun}{}", delta(json!(7))),
        format!("{begun}{}", delta(json!("one"))),
        format!("{begun}{}", event("response.output_item.added", json!({"output_index": 5, "item": "x"}))),
        format!("{begun}event: response.output_text.delta\ndata: {{\"type\":\n\n"),
    ] {
        assert_eq!(of(nonsense.clone()).await.unwrap_err().class, Class::Protocol, "{nonsense}");
    }
    let unknown =
        event("response.new_thing.delta", json!({"output_index": 9, "delta": "x"})) + "event: ping\ndata: {}\n\n";
    let with_unknown =
        RESPONSES.replace("event: response.output_text.done", &format!("{unknown}event: response.output_text.done"));
    is_whole(PROVIDER, &of(with_unknown).await.unwrap(), true);
    let item = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let reply = of(event("response.output_item.done", json!({"output_index": 0, "item": item}))
        + &event("response.completed", json!({"response": response(json!({"output": []}))})))
    .await
    .unwrap();
    assert_eq!(reply.content, [Content::Other { kind: "web_search_call".into() }]);
    assert_eq!(reply.raw, Untouched::from(json!({"output": [item]})));
}

#[tokio::test]
async fn a_refusal_is_read_and_a_usage_that_is_missing_is_an_estimate() {
    let refusal =
        json!({"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]});
    let fields = json!({"output": [refusal], "usage": null});
    let refused = of(event("response.completed", json!({"response": response(fields)}))).await.unwrap();
    assert_eq!((refused.text(), &refused.stop), (String::new(), &StopReason::Refusal("I cannot.".into())));
    assert!(refused.usage.estimated && refused.usage.output > 0, "{:?}", refused.usage);
    let empty = of(event("response.completed", json!({"response": response(json!({"output": []}))}))).await.unwrap();
    assert_eq!((empty.content.len(), empty.stop), (0, StopReason::End));
    assert_eq!(
        empty.usage,
        Usage { input: 31, cache_read: 7, cache_write: 50, output: 64, reasoning: 2, ..Usage::default() }
    );
}

#[tokio::test]
async fn an_answer_in_another_format_is_said_to_be_one() {
    for (provider, fixture, format) in [
        ("azure", OPENAI, "chat completions"),
        ("azure", ANTHROPIC, "Anthropic Messages"),
        ("openai-compatible", RESPONSES, "the Responses API"),
        ("openai-compatible", ANTHROPIC, "Anthropic Messages"),
        ("anthropic", OPENAI, "chat completions"),
        ("anthropic", RESPONSES, "the Responses API"),
    ] {
        let fault = fault(provider, &Server::bytes(stream(fixture)).url()).await;
        assert_eq!((fault.class, fault.reached), (Class::Protocol, Reached::Accepted), "{provider}: {fault:?}");
        assert!(fault.what.contains(format) && fault.what.contains("like ="), "{provider}: {fault}");
    }
}

#[tokio::test]
async fn models_of_openai_behind_a_gateway_take_tools_without_effort_and_others_are_not_told_of_it() {
    for (model, effort, limit) in [
        ("gpt-5.6-sol", json!("none"), "max_completion_tokens"),
        ("openai/gpt-6-sol", json!("none"), "max_completion_tokens"),
        // It has no `none`.
        ("gpt-6.1-sol", Value::Null, "max_completion_tokens"),
        ("gpt-5-mini", Value::Null, "max_completion_tokens"),
        ("gpt-4.1", Value::Null, "max_tokens"),
        ("qwen3:8b", Value::Null, "max_tokens"),
    ] {
        let server = Server::bytes(stream(OPENAI));
        let asked = ModelRequest {
            model: format!("openai-compatible/{model}").parse().unwrap(),
            ..request("openai-compatible")
        };
        let endpoint = endpoint("openai-compatible", &server.url());
        let none = ModelRequest { offers: vec![].into(), ..asked.clone() };
        for (asked, effort) in [(asked, effort), (none, Value::Null)] {
            crate::talk::ask_with(crate::talk::patience(), &endpoint, &[round(asked)]).await.0.outcome.unwrap();
            let body = server.requests().pop().unwrap().json();
            assert_eq!((&body["reasoning_effort"], body.get(limit).is_some()), (&effort, true), "{model}");
        }
    }
}
