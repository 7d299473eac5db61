//! Traces of frameworks that write forms of their own.

use run::{Outcome, Run};
use serde_json::{Value, json};

use crate::{run_of, runs_of, summary};

type Event<'a> = (&'a str, Value);

/// A span by its id, its parent, and when it began and ended (ms).
fn span(
    id: &str,
    parent: &str,
    (start, end): (u64, u64),
    name: &str,
    attributes: Value,
    events: &[Event<'_>],
) -> Value {
    let listed = |table: &Value| -> Vec<Value> {
        let value = |value: &Value| match value {
            Value::Number(n) => json!({"intValue": n.to_string()}),
            other => json!({"stringValue": other.as_str().unwrap()}),
        };
        table.as_object().unwrap().iter().map(|(key, of)| json!({"key": key, "value": value(of)})).collect()
    };
    let events: Vec<Value> = events
        .iter()
        .map(|(name, told)| json!({"name": name, "timeUnixNano": "1", "attributes": listed(told)}))
        .collect();
    json!({"traceId": "01", "spanId": id, "parentSpanId": parent, "name": name, "attributes": listed(&attributes), "events": events,
        "startTimeUnixNano": (start * 1_000_000).to_string(), "endTimeUnixNano": (end * 1_000_000).to_string()})
}

fn run(spans: &[Value]) -> Run {
    let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    run_of(&[("t.json", text.as_bytes())])
}

/// All that was told of a run, to look for words in it.
fn told(spans: &[Value]) -> String {
    let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    format!("{:?}", runs_of(&[("t.json", text.as_bytes())]))
}

#[test]
fn an_assignment_of_this_program_ends_as_its_span_says() {
    let agent = |id: &str, parent: &str, more: Value| {
        let mut of = json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "numbers"});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        span(id, parent, (1, 9), "invoke_agent numbers", of, &[])
    };
    for (word, more, outcome) in [
        ("partial", json!({"masthead.outcome.why": "one task failed"}), Outcome::Partial("one task failed".into())),
        ("partial", json!({}), Outcome::Partial("the trace does not say why".into())),
        ("out_of_budget", json!({"error.type": "out_of_budget"}), Outcome::OutOfBudget("out_of_budget".into())),
        ("nothing_found", json!({}), Outcome::NothingFound),
        ("cancelled", json!({}), Outcome::Cancelled),
        ("done", json!({}), Outcome::Done),
    ] {
        let mut of = json!({"masthead.outcome": word});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let run = run(&[agent("a", "", of.clone()), agent("b", "a", of)]);
        let ends: Vec<&Outcome> = run.assignments().filter_map(|one| Some(&one.ended.as_ref()?.0)).collect();
        assert_eq!(ends, [&outcome, &outcome]);
    }
    let other = run(&[agent("a", "", json!({"masthead.outcome": "?", "error.type": "boom"}))]);
    assert_eq!(other.ended(), Some(&Outcome::Failed("boom".into())));
}

#[test]
fn the_ai_sdk_tells_of_its_tools_and_of_what_was_asked() {
    let of = |operation: &str, more: Value| {
        let mut of = json!({"ai.operationId": operation, "ai.model.id": "m", "ai.model.provider": "openai.chat"});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of
    };
    let whole = json!({"ai.prompt": "{\"system\":\"Be short.\",\"prompt\":\"Compare caches\"}", "ai.response.text": "Use Redis",
        "ai.telemetry.functionId": "research", "ai.usage.promptTokens": 1500});
    let asked = json!({"ai.prompt.messages": "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Compare caches\"}]}]",
        "ai.response.toolCalls": "[{\"toolCallId\":\"c\",\"toolName\":\"weather\",\"input\":\"{\\\"city\\\":\\\"x\\\"}\"}]",
        "gen_ai.usage.input_tokens": 1000});
    let used = json!({"ai.toolCall.name": "weather", "ai.toolCall.id": "c", "ai.toolCall.args": "{\"city\":\"x\"}", "ai.toolCall.result": "{\"t\":7}"});
    let spans = [
        span("1", "", (0, 90), "ai.generateText", of("ai.generateText", whole), &[]),
        span("2", "1", (1, 20), "ai.generateText.doGenerate", of("ai.generateText.doGenerate", asked), &[]),
        span("3", "1", (21, 30), "ai.toolCall", of("ai.toolCall", used), &[]),
    ];
    let run = run(&spans);
    let found = summary(&run);
    assert_eq!(found["tools"], json!([{"assignment": "1", "name": "weather", "failed": false}]));
    assert_eq!(found["totals"]["input"], 1000, "the sum is not added to what it is of");
    assert_eq!(found["assignments"][0]["role"], "research");
    let told = told(&spans);
    assert!(
        ["Compare caches", "Use Redis", "toolCallId"].map(|words| told.contains(words)) == [true, true, false],
        "{told}"
    );
    assert!(told.contains(":7}"), "{told}");
}

#[test]
fn strands_tells_in_events_what_tools_were_given_and_brought() {
    let of = |operation: &str, more: Value| {
        let mut of = json!({"gen_ai.operation.name": operation, "gen_ai.system": "strands-agents"});
        of.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        of
    };
    let asked = ("gen_ai.user.message", json!({"content": "[{\"text\": \"Compare the caches\"}]"}));
    let calls = "[{\"toolUse\": {\"toolUseId\": \"t1\", \"name\": \"calc\", \"input\": {\"x\": 1}}}]";
    let spans = [
        span(
            "1",
            "",
            (0, 99),
            "invoke_swarm",
            of("invoke_swarm", json!({"gen_ai.agent.name": "swarm"})),
            &[asked.clone(), ("gen_ai.choice", json!({"message": "Use Redis"}))],
        ),
        span(
            "2",
            "1",
            (1, 80),
            "invoke_agent reader",
            of("invoke_agent", json!({"gen_ai.agent.name": "reader"})),
            &[asked.clone(), ("gen_ai.choice", json!({"message": "It is Redis.", "finish_reason": "end_turn"}))],
        ),
        span(
            "3",
            "2",
            (2, 20),
            "chat",
            of(
                "chat",
                json!({"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 3500,
            "gen_ai.usage.cache_write_input_tokens": 2000}),
            ),
            &[asked, ("gen_ai.choice", json!({"finish_reason": "tool_use", "message": calls}))],
        ),
        span(
            "4",
            "2",
            (21, 40),
            "execute_tool calc",
            of("execute_tool", json!({"gen_ai.tool.name": "calc", "gen_ai.tool.status": "error"})),
            &[
                ("gen_ai.tool.message", json!({"content": "{\"x\": 1}"})),
                ("gen_ai.choice", json!({"message": "[{\"text\": \"Error: division by zero\"}]"})),
            ],
        ),
        span(
            "5",
            "2",
            (41, 50),
            "execute_tool add",
            of("execute_tool", json!({"gen_ai.tool.name": "add", "gen_ai.tool.status": "success"})),
            &[("gen_ai.choice", json!({"message": "[{\"text\": \"3\"}]"}))],
        ),
    ];
    let found = summary(&run(&spans));
    assert_eq!(
        found["tools"],
        json!([{"assignment": "2", "name": "calc", "failed": true}, {"assignment": "2", "name": "add", "failed": false}])
    );
    assert_eq!((&found["totals"]["cache_write"], &found["totals"]["input"]), (&json!(2000), &json!(1500)));
    assert_eq!((&found["assignments"][0]["role"], &found["assignments"][1]["parent"]), (&json!("swarm"), &json!("1")));
    let told = told(&spans);
    for words in ["Compare the caches", "Use Redis", "It is Redis.", "Error: division by zero", "stop: Tools"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("toolUse\\"), "{told}");
}

#[test]
fn the_agent_development_kit_tells_what_was_said() {
    let request = "{\"model\": \"m\", \"config\": {\"system_instruction\": \"You lead\"}, \"contents\": [{\"parts\": [{\"text\": \"Compare caches\"}], \"role\": \"user\"}]}";
    let response = "{\"content\": {\"parts\": [{\"function_call\": {\"name\": \"look_up\", \"args\": {\"of\": \"redis\"}}}], \"role\": \"model\"}}";
    let spans = [
        span(
            "1",
            "",
            (0, 99),
            "invoke_agent root",
            json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "root"}),
            &[],
        ),
        span(
            "2",
            "1",
            (1, 20),
            "call_llm",
            json!({"gen_ai.system": "gcp.vertex.agent", "gen_ai.request.model": "m",
            "gcp.vertex.agent.llm_request": request, "gcp.vertex.agent.llm_response": response, "gen_ai.usage.input_tokens": 8}),
            &[],
        ),
        span(
            "3",
            "1",
            (21, 30),
            "execute_tool look_up",
            json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up",
            "gcp.vertex.agent.tool_call_args": "{\"of\":\"redis\"}", "gcp.vertex.agent.tool_response": "{\"result\":\"a store\"}"}),
            &[],
        ),
    ];
    let told = told(&spans);
    for words in ["You lead", "Compare caches", "look_up", "a store"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(told.matches("redis").count(), 2, "in the answer and at the tool: {told}");
}

#[test]
fn spans_that_are_not_shown_are_named() {
    let agent = json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"});
    let others = ["GET /x", "mcp_tools", "GET /x", "SELECT", "PUT /y", "POST /z"].iter().zip(2..);
    let others = others.map(|(name, n)| span(&n.to_string(), "1", (n, n), name, json!({}), &[]));
    let spans: Vec<Value> = std::iter::once(span("1", "", (0, 9), "a", agent, &[])).chain(others).collect();
    let gaps: Vec<String> = run(&spans).origin().unwrap().gaps().iter().map(ToString::to_string).collect();
    let says = "6 spans of other kinds (GET /x, mcp_tools, SELECT, …) not shown on their own";
    assert!(gaps.iter().any(|gap| gap == says), "{gaps:?}");
}

#[test]
fn a_failed_call_counts_with_what_it_took_in_every_account() {
    let agent = json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"});
    let call = |failed: bool| {
        let mut of = json!({"gen_ai.operation.name": "chat", "gen_ai.provider.name": "p", "gen_ai.request.model": "m",
            "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10});
        if failed {
            of["error.type"] = json!("429");
        }
        of
    };
    let spans = [
        span("1", "", (0, 9), "a", agent, &[]),
        span("2", "1", (1, 2), "chat", call(false), &[]),
        span("3", "1", (3, 4), "chat", call(true), &[]),
    ];
    let run = run(&spans);
    let found = summary(&run);
    assert_eq!((&found["totals"]["input"], &found["totals"]["output"]), (&json!(200), &json!(20)));
    assert_eq!((&found["calls"][0]["failed"], &found["calls"][1]["failed"]), (&Value::Null, &json!(true)));
    assert_eq!(run.ledger.run().spent.tokens(), 220);
    assert_eq!((run.pricing.unknown_calls, run.root().unwrap().own_pricing().unknown_calls), (2, 2));
}
