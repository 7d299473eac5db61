//! Answers as they come: each provider's own way of saying the same, and the parts of one that are never believed.

use run::Money;
use run::model::{Arguments, Content, StopReason, Usage};
use serde_json::{Value, json};

use crate::fixture::{ANTHROPIC, OPENAI};
use crate::server::{Server, answer, stream};
use crate::talk::{ask, ask_with, endpoint, patience, reply, request, round};

/// A stream of these events, OpenAI's way.
fn events(events: &[Value]) -> Vec<u8> {
    let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    stream(format!("{lines}data: [DONE]\n\n"))
}

fn delta(delta: Value) -> Value {
    json!({"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn stops(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 10}})
}

/// An Anthropic answer in one piece.
fn message(content: Value, stop: &str, more: Value) -> Vec<u8> {
    let mut message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": stop, "usage": {"input_tokens": 20, "output_tokens": 10}});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    answer(200, "content-type: application/json\r\n", &message.to_string())
}

/// An OpenAI answer in one piece.
fn completion(message: Value, finish: Value) -> Vec<u8> {
    let body = json!({"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 10}});
    answer(200, "content-type: application/json\r\n", &body.to_string())
}

async fn of(provider: &str, bytes: Vec<u8>) -> run::Reply {
    reply(provider, &Server::bytes(bytes).url()).await.0
}

fn calls(reply: &run::Reply) -> Vec<(String, String, Option<Value>)> {
    let whole =
        |arguments: &Arguments| if let Arguments::Whole(value) = arguments { Some(value.clone()) } else { None };
    reply.calls().map(|(id, name, arguments)| (id.to_string(), name.to_string(), whole(arguments))).collect()
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_too() {
    let read = json!({"type": "tool_use", "id": "t", "name": "read_page", "input": {"url": "u"}});
    let anthropic = message(json!([{"type": "text", "text": "Hi"}, read]), "tool_use", json!({}));
    let openai = completion(
        json!({"role": "assistant", "content": "Hi", "refusal": null, "tool_calls": [
            {"id": "t", "type": "function", "function": {"name": "read_page", "arguments": "{\"url\":\"u\"}"}}]}),
        json!("tool_calls"),
    );
    for (provider, bytes) in [("anthropic", anthropic), ("openai", openai)] {
        let (reply, heard) = reply(provider, &Server::bytes(bytes).url()).await;
        assert_eq!((reply.text(), heard, &reply.stop), ("Hi".into(), "Hi".into(), &StopReason::Tools));
        assert_eq!(calls(&reply), [("t".into(), "read_page".into(), Some(json!({"url": "u"})))]);
        assert_eq!(reply.usage, Usage { input: 20, output: 10, ..Usage::default() });
    }
}

#[tokio::test]
async fn each_reason_to_stop_is_what_it_is() {
    let text = || json!([{"type": "text", "text": "x"}]);
    for (reason, more, stop) in [
        ("end_turn", json!({}), StopReason::End),
        ("stop_sequence", json!({"stop_sequence": "#"}), StopReason::End),
        ("max_tokens", json!({}), StopReason::Length),
        ("model_context_window_exceeded", json!({}), StopReason::Length),
        ("pause_turn", json!({}), StopReason::Pause),
        (
            "refusal",
            json!({"stop_details": {"type": "refusal", "category": "cyber"}}),
            StopReason::Refusal("cyber".into()),
        ),
        ("compaction", json!({}), StopReason::Other("compaction".into())),
        // It says that it waits for tools, and calls none.
        ("tool_use", json!({}), StopReason::Other("tool_use".into())),
    ] {
        assert_eq!(of("anthropic", message(text(), reason, more)).await.stop, stop);
    }
    for (reason, stop) in [
        ("stop", StopReason::End),
        ("eos", StopReason::End),
        ("length", StopReason::Length),
        ("model_length", StopReason::Length),
        ("content_filter", StopReason::Refusal("content filter".into())),
        ("abort", StopReason::Other("abort".into())),
        ("tool_calls", StopReason::Other("tool_calls".into())),
    ] {
        assert_eq!(of("openai", events(&[delta(json!({"content": "x"})), stops(reason)])).await.stop, stop);
    }
}

#[tokio::test]
async fn an_end_without_a_reason_is_an_end_that_nobody_knows() {
    let reply = of("openai-compatible", events(&[delta(json!({"content": "x"}))])).await;
    assert_eq!((reply.text().as_str(), reply.stop), ("x", StopReason::Other("none".into())));
}

#[tokio::test]
async fn a_refusal_may_say_nothing_and_an_empty_answer_is_an_answer() {
    let refused = of("anthropic", message(json!([]), "refusal", json!({}))).await;
    assert_eq!((refused.content.len(), refused.stop), (0, StopReason::Refusal("".into())));
    let refused =
        of("openai", events(&[delta(json!({"refusal": "I can"})), delta(json!({"refusal": "not."})), stops("stop")]))
            .await;
    assert_eq!((refused.text(), refused.stop), (String::new(), StopReason::Refusal("I cannot.".into())));
    for (provider, bytes) in [
        ("anthropic", message(json!([]), "end_turn", json!({}))),
        ("openai", completion(json!({"role": "assistant", "content": null}), json!("stop"))),
        ("openai", events(&[delta(json!({"content": ""})), stops("stop")])),
    ] {
        let empty = of(provider, bytes).await;
        assert_eq!((empty.content.len(), empty.stop), (0, StopReason::End));
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_kept_as_they_came_and_never_run() {
    let broken = r#"{\"url\":\"https"#;
    let cut_anthropic = ANTHROPIC.replace(r#""partial_json":"://a.example\"}""#, r#""partial_json":"""#);
    let cut_openai = OPENAI.replace(r#""arguments":"\"https://a.example\"}""#, r#""arguments":"\"https""#);
    for (provider, fixture) in [("anthropic", cut_anthropic), ("openai", cut_openai)] {
        let reply = of(provider, stream(fixture)).await;
        let kept: Vec<&Arguments> = reply.calls().map(|(_, _, arguments)| arguments).collect();
        assert_eq!(*kept[0], Arguments::Broken(broken.replace('\\', "").as_str().into()), "{provider}");
        assert_eq!(*kept[1], Arguments::Whole(json!({})), "nothing is fine where nothing is required");
    }
}

#[tokio::test]
async fn a_call_that_the_limit_cut_is_not_run_even_if_it_can_be_read() {
    for (provider, fixture) in [
        ("anthropic", ANTHROPIC.replace(r#""stop_reason":"tool_use""#, r#""stop_reason":"max_tokens""#)),
        ("openai", OPENAI.replace(r#""finish_reason":"tool_calls""#, r#""finish_reason":"length""#)),
    ] {
        let reply = of(provider, stream(fixture)).await;
        let last = reply.calls().last().unwrap().2.clone();
        assert_eq!((reply.stop.clone(), last), (StopReason::Length, Arguments::Broken("{}".into())), "{provider}");
    }
}

#[tokio::test]
async fn calls_are_told_apart_however_servers_number_them() {
    let call = |index: Option<u64>, id: &str, name: &str, arguments: Value| {
        let mut call = json!({"function": {"name": name, "arguments": arguments}, "type": "function"});
        if !id.is_empty() {
            call["id"] = id.into();
        }
        if let Some(index) = index {
            call["index"] = index.into();
        }
        delta(json!({"tool_calls": [call]}))
    };
    let (one, two) = (json!("{\"url\":\"1\"}"), json!("{\"url\":\"2\"}"));
    let cases = [
        (
            "whole, without an index",
            vec![call(None, "a", "read_page", one.clone()), call(None, "b", "read_page", two.clone())],
        ),
        (
            "whole, all of them the first",
            vec![call(Some(0), "a", "read_page", one.clone()), call(Some(0), "b", "read_page", two.clone())],
        ),
        (
            "arguments as an object",
            vec![
                call(Some(0), "a", "read_page", json!({"url": "1"})),
                call(Some(1), "b", "read_page", json!({"url": "2"})),
            ],
        ),
        (
            "pieces that say their name again",
            vec![
                call(Some(0), "a", "read_page", json!("{\"url\":")),
                call(Some(0), "a", "read_page", json!("\"1\"}")),
                call(None, "b", "read_page", two.clone()),
            ],
        ),
        (
            "pieces that say nothing of themselves",
            vec![
                call(None, "a", "read_page", one.clone()),
                call(None, "b", "read_page", json!("{\"url\":")),
                call(None, "", "", json!("\"2\"}")),
            ],
        ),
    ];
    for (what, mut pieces) in cases {
        pieces.push(stops("stop"));
        let reply = of("openai-compatible", events(&pieces)).await;
        let expected = [("a", "1"), ("b", "2")]
            .map(|(id, url)| (id.to_owned(), "read_page".to_owned(), Some(json!({"url": url}))));
        assert_eq!((calls(&reply), &reply.stop), (expected.to_vec(), &StopReason::Tools), "{what}");
    }
    let unnamed = [call(None, "", "read_page", one), call(None, "", "read_page", two), stops("tool_calls")];
    let ids: Vec<String> = calls(&of("gemini", events(&unnamed)).await).into_iter().map(|call| call.0).collect();
    assert_eq!(ids, ["call_1_0", "call_1_1"], "a call without a name gets one, the same each time");
}

#[tokio::test]
async fn thinking_is_read_under_each_of_its_names() {
    for (provider, pieces) in [
        ("llamacpp", vec![json!({"reasoning_content": "h"}), json!({"reasoning_content": "m", "content": null})]),
        ("ollama", vec![json!({"reasoning": "h"}), json!({"reasoning": "m"})]),
        (
            "vllm",
            vec![
                json!({"reasoning": "h", "reasoning_content": "h"}),
                json!({"reasoning": "m", "reasoning_content": "m"}),
            ],
        ),
        ("mistral", vec![json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]})]),
    ] {
        let mut all: Vec<Value> = pieces.into_iter().map(delta).collect();
        all.extend([
            delta(json!({"content": "A"})),
            delta(json!({"content": [{"type": "text", "text": "B"}]})),
            stops("stop"),
        ]);
        let reply = of(provider, events(&all)).await;
        let expected = [Content::Thinking { text: "hm".into() }, Content::Text { text: "AB".into() }];
        assert_eq!(reply.content, expected, "{provider}");
    }
}

#[tokio::test]
async fn what_a_call_took_is_told_in_one_way_whoever_tells_it() {
    let usage = |usage: Value| {
        events(&[
            delta(json!({"content": "x"})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            usage,
        ])
    };
    let plain = Usage { input: 20, output: 10, ..Usage::default() };
    let cached = Usage { input: 12, cache_read: 8, ..plain };
    let reasoned = |completion: Value, reasoning: u64, total: Value| {
        json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": completion, "total_tokens": total,
            "completion_tokens_details": {"reasoning_tokens": reasoning}}})
    };
    let byok = |details: Value| {
        json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "cost": 0.000_2, "is_byok": true,
            "cost_details": details}})
    };
    for (provider, chunk, expected) in [
        ("openai", json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10}}), plain),
        ("openai", json!({"usage": {"prompt_tokens": 20, "completion_tokens": 10}}), plain),
        ("groq", json!({"choices": [], "x_groq": {"usage": {"prompt_tokens": 20, "completion_tokens": 10}}}), plain),
        (
            "deepseek",
            json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10,
                "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 12}}),
            cached,
        ),
        (
            "openrouter",
            json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "cost": 0.000_123,
                "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0}}}),
            Usage { cost: Some(Money::micros(123)), ..cached },
        ),
        // With a key of the user's own behind it, the gateway's fee and the provider's bill; without the bill, no price is told.
        (
            "openrouter",
            byok(json!({"upstream_inference_cost": 0.004})),
            Usage { cost: Some(Money::micros(4_200)), ..plain },
        ),
        ("openrouter", byok(json!({"upstream_inference_cost": null})), plain),
        // Reasoning within the completion, and beside it, which the total tells; or else that it is the longer of the two.
        ("openai", reasoned(json!(10), 6, json!(30)), Usage { reasoning: 6, ..plain }),
        ("openai", reasoned(json!(10), 6, Value::Null), Usage { reasoning: 6, ..plain }),
        ("xai", reasoned(json!(10), 6, json!(36)), Usage { output: 16, reasoning: 6, ..plain }),
        ("xai", reasoned(json!(2), 317, json!(339)), Usage { output: 319, reasoning: 317, ..plain }),
        ("xai", reasoned(json!(319), 317, json!(339)), Usage { output: 319, reasoning: 317, ..plain }),
        ("openai", reasoned(json!(0), 60, Value::Null), Usage { output: 60, reasoning: 60, ..plain }),
        // A total that holds more than prompt, answer and reasoning.
        ("openai", reasoned(json!(10), 6, json!(900)), Usage { output: 16, reasoning: 6, ..plain }),
        // A cost that nobody is asked for is no price.
        ("openai", json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "cost": 5}}), plain),
        // More was cached than was sent.
        (
            "openai",
            json!({"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}}),
            Usage { estimated: true, disbelieved: true, ..plain },
        ),
    ] {
        assert_eq!(of(provider, usage(chunk.clone())).await.usage, expected, "{provider} {chunk}");
    }
}

#[tokio::test]
async fn a_usage_that_is_missing_or_cannot_be_is_an_estimate() {
    let ends = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    for (what, usage) in [
        ("missing", json!({})),
        ("null", json!({"usage": null})),
        ("absurd", json!({"usage": {"prompt_tokens": 20, "completion_tokens": 9_000_000_000_000_000_000u64}})),
        ("absurd input", json!({"usage": {"prompt_tokens": u64::MAX, "completion_tokens": 1}})),
        ("none of an answer", json!({"usage": {"prompt_tokens": 20, "completion_tokens": 0}})),
        ("negative", json!({"usage": {"prompt_tokens": 20, "completion_tokens": -4}})),
        ("negative input", json!({"usage": {"prompt_tokens": -20, "completion_tokens": -4}})),
        ("nothing", json!({"usage": {"prompt_tokens": 0, "completion_tokens": 0}})),
        ("words", json!({"usage": {"prompt_tokens": "many", "completion_tokens": "few"}})),
    ] {
        let reply = of("openai", events(&[delta(json!({"content": "abcdefgh"})), ends.clone(), usage])).await;
        assert!(reply.usage.estimated && reply.usage.output == 4, "{what}: {:?}", reply.usage);
        assert!((20..2_000).contains(&reply.usage.input), "{what}: {:?}", reply.usage);
    }
    let absurd = ANTHROPIC.replace(r#"{"output_tokens":64}"#, r#"{"output_tokens":640000000000}"#);
    assert!(of("anthropic", stream(absurd)).await.usage.estimated);
    let server = Server::bytes(stream(OPENAI.replace(r#""cost":"#, "")));
    let mut absurd = request("openrouter");
    absurd.max_tokens = 10;
    let asked = [round(absurd)];
    let answer = ask_with(patience(), &endpoint("openrouter", &server.url()), &asked).await.0;
    assert!(!answer.outcome.unwrap().usage.estimated, "servers go a little over the limit");
}

#[tokio::test]
async fn usage_that_is_told_again_replaces_what_was_told_before() {
    let again = ANTHROPIC.replace(
        "event: message_stop",
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"input_tokens\":33,\"output_tokens\":65}}\n\nevent: message_stop",
    );
    let usage = of("anthropic", stream(again)).await.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read), (33, 65, 7));
}

#[tokio::test]
async fn blocks_nobody_knows_are_named_and_kept() {
    let block = json!({"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "x"}});
    let reply = of(
        "anthropic",
        message(json!([block, {"type": "text", "text": "x", "citations": [1]}]), "end_turn", json!({})),
    )
    .await;
    assert_eq!(reply.content[0], Content::Other { kind: "server_tool_use".into() });
    assert_eq!(*reply.raw.value(), json!([block, {"type": "text", "text": "x", "citations": [1]}]));
}

#[tokio::test]
async fn text_that_would_drive_a_terminal_is_cleaned_and_kept_raw_for_the_model_alone() {
    let reply = of("openai", events(&[delta(json!({"content": "a\u{1b}]0;x\u{7}b\u{202e}"})), stops("stop")])).await;
    assert_eq!(reply.text(), "ab");
    assert_eq!(reply.raw.value()["content"], "a\u{1b}]0;x\u{7}b\u{202e}");
}

#[tokio::test]
async fn an_error_in_place_of_an_answer_is_an_error_whatever_the_status() {
    for (provider, body) in [
        ("openai", json!({"error": {"message": "m", "type": "server_error"}})),
        ("gemini", json!([{"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}}])),
        ("ollama", json!({"error": "the runner has stopped"})),
        ("anthropic", json!({"type": "error", "error": {"type": "api_error", "message": "m"}})),
    ] {
        let server = Server::bytes(answer(200, "content-type: application/json\r\n", &body.to_string()));
        let (answer, _) = ask(provider, &server.url()).await;
        let fault = answer.outcome.unwrap_err();
        assert!(!matches!(fault.class, run::attempt::Class::Protocol), "{provider}: {fault:?}");
    }
}
