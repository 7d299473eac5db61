use std::pin::pin;
use std::task::{Context, Poll, Waker};

use run::Role;
use run::team::{Kind, Member};
use run::tool::builtin::{RunCommand, Search};
use run::tool::{CleanJson, ReplaySafety};
use serde_json::json;

use super::*;

/// The result of work that waits for nothing.
fn now<T>(doing: impl Future<Output = T>) -> T {
    match pin!(doing).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits for something"),
    }
}

/// A source that has tools of these names, which return their arguments.
struct Echo(&'static [&'static str]);

impl Source for Echo {
    fn name(&self) -> Clean {
        "echo".into()
    }

    fn entries(&self) -> BoxFuture<Result<Vec<Entry>, Clean>> {
        let entry = |name: &&str| {
            let spec: ToolSpec = serde_json::from_value(json!({ "name": name, "description": "Says it." })).unwrap();
            Entry::new(spec, |call: Arc<ToolCall>| -> BoxFuture<Result<ToolResult, ToolError>> {
                Box::pin(async move { Ok(ToolResult::text(call.line())) })
            })
        };
        let entries = self.0.iter().map(entry).collect();
        Box::pin(async move { Ok(entries) })
    }
}

fn registry(names: &'static [&'static str]) -> Result<Registry, Unregistered> {
    let mut registry = Registry::default();
    registry.add([Entry::of(|search: Search| -> BoxFuture<Result<ToolResult, ToolError>> {
        Box::pin(async move { Ok(ToolResult::text(format!("{} of {}", search.limit, search.query))) })
    })]);
    now(registry.fill(&Echo(names))).map(|()| registry)
}

fn team(tools: &[&str]) -> Team {
    let tools = tools.iter().map(|name| ToolName::new(name)).collect();
    let member = Member { tools, ..Member::default() };
    Team { members: [(Role::new(Role::RESEARCHER), member)].into(), ..Team::default() }
}

fn said(registry: &Registry, name: &str, arguments: serde_json::Value) -> Result<String, String> {
    let call = ToolCall { name: name.into(), arguments: CleanJson::new(arguments) };
    match now(registry.perform(Arc::new(call))) {
        Ok(ToolResult::Text { text }) => Ok(text.to_string()),
        Ok(other) => panic!("{other:?}"),
        Err(why) => Err(why.to_string()),
    }
}

#[test]
fn tools_of_the_program_and_of_a_source_are_called_by_name_and_the_others_fail_in_words() {
    let registry = registry(&["now_in"]).unwrap();
    assert_eq!(said(&registry, "search", json!({ "query": "ef", "limit": 3 })), Ok("3 of ef".into()));
    assert_eq!(said(&registry, "now_in", json!({ "city": "Berlin" })), Ok("now_in Berlin".into()));
    assert!(
        said(&registry, "search", json!({ "query": 7 })).unwrap_err().contains("`search` cannot take these arguments")
    );
    assert!(said(&registry, "weigh", json!({})).unwrap_err().contains("there is no tool `weigh` here"));
}

#[test]
fn a_team_is_recorded_with_the_tools_of_sources_and_may_name_no_other() {
    let registry = registry(&["now_in"]).unwrap();
    let mut team = self::team(&["search", "now_in"]);
    registry.equip(&mut team).unwrap();
    assert_eq!(team.registered.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["now_in"]);
    let spec = team.tool("now_in").unwrap();
    assert_eq!((spec.replay, spec.may_be_repeated()), (ReplaySafety::Unknown, false), "its source does not say");
    let error = registry.equip(&mut self::team(&["search", "weigh"])).unwrap_err().to_string();
    assert!(error.contains("`researcher` is to use `weigh`") && error.contains("search, read, outline"), "{error}");
    assert!(error.ends_with("now_in"), "{error}");
}

#[test]
fn tools_that_only_read_are_for_the_models_that_research_and_others_for_those_that_name_them() {
    let registry = registry(&["now_in"]).unwrap();
    let of_researcher = |kind, replay, named: &[&str]| {
        let mut registry = registry.clone();
        registry.of_sources[0][0].1 = replay;
        let mut team = self::team(&["search"]);
        team.members.get_mut(&Role::new(Role::RESEARCHER)).unwrap().kind = kind;
        let tools = named.iter().map(|name| ToolName::new(name)).collect();
        team.members.insert(Role::new("planner"), Member { tools, ..Member::default() });
        registry.equip(&mut team).unwrap();
        team.members[&Role::new(Role::RESEARCHER)].tools.len() == 2
    };
    assert!(of_researcher(Kind::Model, ReplaySafety::Safe, &[]));
    assert!(!of_researcher(Kind::Model, ReplaySafety::Unknown, &[]));
    assert!(!of_researcher(Kind::Model, ReplaySafety::Unsafe, &[]));
    assert!(!of_researcher(Kind::Model, ReplaySafety::Safe, &["now_in"]), "another has it by name");
    assert!(!of_researcher(Kind::Extractive, ReplaySafety::Safe, &[]), "rules know no such tool");
}

#[test]
fn a_source_may_not_take_a_name_nor_have_one_that_providers_refuse() {
    let refused = |names| registry(names).map(drop).unwrap_err().to_string();
    assert!(refused(&["search"]).contains("a name that is taken"));
    assert!(refused(&[RunCommand::NAME]).contains("a name that is taken"), "also where the program has none here");
    assert!(refused(&["a", "a"]).contains("two tools `a`"));
    assert!(refused(&["two words"]).contains("at most 64 letters"));
}
