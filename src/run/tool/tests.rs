use serde_json::json;

use super::builtin::{self, Find, ListFiles, Outline, Read, Recall, Remember, RunCommand, Search};
use super::*;
use crate::id::SourceId;

fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall { name: name.into(), arguments: CleanJson::new(arguments) }
}

fn shown(call: &ToolCall) -> String {
    let document = |id: &str| format!("<{id}>");
    builtin::spec(&call.name).map_or_else(|| call.line(), |spec| spec.line(call, &document))
}

#[test]
fn a_call_is_read_back_as_what_it_was_built_from_and_as_nothing_else() {
    let search = ToolCall::from(Search::new("ef search", 8));
    assert_eq!(search, call("search", json!({ "query": "ef search", "limit": 8 })));
    assert_eq!(search.of::<Search>(), Some(Search::new("ef search", 8)));
    assert_eq!(search.of::<Recall>(), None, "the same fields, but another tool");
    let wrong = call("read", json!({ "source": "abc", "from": "three" })).arguments_of::<Read>().unwrap_err();
    assert!(wrong.to_string().starts_with("`read` cannot take these arguments: "), "{wrong}");
}

#[test]
fn arguments_from_outside_are_clean_however_deep_they_are() {
    let call: ToolCall = serde_json::from_value(json!({
        "name": "now\u{1b}[31m_in", "arguments": { "ci\u{202e}ty": [{ "name": "Ber\u{1b}]0;x\u{7}lin" }] },
    }))
    .unwrap();
    assert_eq!(call, self::call("now_in", json!({ "city": [{ "name": "Berlin" }] })));
}

#[test]
fn a_call_reserves_for_as_much_as_it_asks_for_and_for_the_most_where_it_does_not_say() {
    let reserved = |call: ToolCall| builtin::spec(&call.name).unwrap().reservation(&call);
    let read = |from, to| Read { source: SourceId("abc".into()), from, to }.into();
    for (call, tokens) in [
        (Search::new("a", 10).into(), 800),
        (Search::here("a", 1_000).into(), 4_000),
        (call("search", json!({ "query": "a" })), 4_000),
        (read(3, 5), 1_200),
        (read(5, 3), 0),
        (read(0, 4_000), ToolResult::MOST_TOKENS),
        (ListFiles {}.into(), ToolResult::MOST_TOKENS),
        (Recall { query: "a".into(), limit: 2 }.into(), 2_800),
    ] {
        let expected = Amounts::of(Cap::Tokens, tokens).with(Cap::ToolCalls, 1);
        assert_eq!(reserved(call.clone()), expected, "{call:?}");
    }
}

#[test]
fn a_call_is_shown_in_a_line_whether_or_not_its_tool_is_known() {
    let entry = serde_json::from_value(json!({ "question": "a", "findings": [] })).unwrap();
    let calls: [(ToolCall, &str); 9] = [
        (Remember { entry }.into(), "remember 0 findings"),
        (Search::new("ef", 8).into(), "search \"ef\""),
        (Search::by_meaning("ef", 8, 500).into(), "search by meaning \"ef\""),
        (Read { source: SourceId("abc".into()), from: 1, to: 4 }.into(), "read <abc> [1..4]"),
        (Outline { source: SourceId("abc".into()) }.into(), "outline <abc>"),
        (RunCommand { command: vec!["sh".into(), "-c".into()], input: "draft".into() }.into(), "run sh -c"),
        (Find { path: "a.md".into(), quote: "so it is".into() }.into(), "find \"so it is\" in a.md"),
        (call("search", json!({})), "search \"\""),
        (call("now_in", json!({ "city": "Berlin", "hours": 24 })), "now_in Berlin 24"),
    ];
    for (call, expected) in calls {
        assert_eq!(shown(&call), expected);
    }
}

#[test]
fn what_a_model_leaves_out_is_filled_in_and_what_it_must_not_leave_out_is_named() {
    let made = |name: &str, arguments| {
        let spec = builtin::spec(name).unwrap();
        let fitting = spec.fit(&arguments)?;
        builtin::call_of_model(spec, fitting).map_err(|error| error.to_string())
    };
    let read = |from, to| Ok(Read { source: SourceId("abc".into()), from, to }.into());
    assert_eq!(made("search", json!({ "query": " ef  search " })), Ok(Search::new("ef search", 8).into()));
    assert_eq!(made("search", json!({ "query": "a", "limit": 50, "here": true })), Ok(Search::new("a", 8).into()));
    assert_eq!(made("search", json!({ "query": " " })), Err("`query` is missing: it has to be a text".into()));
    assert_eq!(made("read", json!({ "source": "abc" })), read(0, 12));
    assert_eq!(made("read", json!({ "source": "abc", "from": "3", "to": " 5 " })), read(3, 5));
    assert_eq!(made("read", json!({ "source": "abc", "from": 3, "to": 300 })), read(3, 43));
    assert_eq!(made("read", json!({ "source": "abc", "from": "x", "to": -1 })), read(0, 12));
    assert!(made("outline", json!([])).is_err());
}

#[test]
fn every_tool_of_the_program_has_a_name_that_providers_take_and_only_the_users_program_is_not_repeated() {
    for spec in builtin::specs() {
        assert!(spec.name.is_valid());
        assert_eq!(spec.may_be_repeated(), spec.name != "run", "{}", spec.name);
    }
    for name in ["", "two words", "a/b", &"x".repeat(65)] {
        assert!(!ToolName::new(name).is_valid(), "{name}");
    }
}

#[test]
fn text_of_a_tool_is_cut_where_one_result_ends_and_says_so() {
    let ToolResult::Text { text } = ToolResult::text("ä".repeat(40_000)) else { unreachable!() };
    assert!(text.ends_with("may be]"));
    assert!(ToolResult::Text { text }.used().tokens() <= ToolResult::MOST_TOKENS);
    assert_eq!(ToolResult::text("12:00"), ToolResult::Text { text: "12:00".into() });
}
