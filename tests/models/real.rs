//! Against a real model server: a llama.cpp server that speaks both formats, and that `MASTHEAD_REAL_MODEL` names.
//!
//! `MASTHEAD_REAL_MODEL=http://127.0.0.1:18080 cargo test --test models real -- --ignored`

use std::sync::{Arc, Mutex};

use model::{Client, Endpoint, Patience, Profile};
use run::model::{Arguments, Content, Form, ModelRequest, Offer, Reply, Said, StopReason, ToolAnswer};
use run::transcript::Round;
use serde_json::json;

const VARIABLE: &str = "MASTHEAD_REAL_MODEL";

fn base() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| panic!("{VARIABLE} names no model server"))
}

fn request(provider: &str, said: Vec<Said>, afresh: bool, form: Form) -> ModelRequest {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}).into();
    ModelRequest {
        model: format!("{provider}/local").parse().unwrap(),
        afresh,
        said,
        offers: vec![Offer { name: "weather".into(), description: "Tells the weather of a city.".into(), schema }]
            .into(),
        form,
        max_tokens: 60,
        thinking: Default::default(),
    }
}

async fn ask(client: &Client, endpoint: &Endpoint, rounds: &[Round]) -> Reply {
    let heard = Mutex::new(String::new());
    let answer =
        client.send(endpoint, rounds, "real", &|text: text::Clean| heard.lock().unwrap().push_str(&text)).await;
    let reply = answer.outcome.unwrap();
    eprintln!("{} {:?} first {} ms, whole {} ms", endpoint.profile.name, reply, reply.first_ms, reply.whole_ms);
    assert_eq!(*heard.lock().unwrap(), reply.text());
    reply
}

#[tokio::test]
#[ignore = "needs a llama.cpp server: MASTHEAD_REAL_MODEL=URL cargo test --test models real -- --ignored"]
async fn a_real_server_calls_a_tool_and_takes_its_result_in_both_formats() {
    let base = base();
    let client = Client::new(Patience::default());
    for provider in ["anthropic", "llamacpp"] {
        let endpoint = Endpoint::at(&Profile::named(provider).unwrap(), Some(&base), None).unwrap();
        let asks = "What is the weather in Oslo? Use the tool.";
        let said = vec![Said::System { text: "Be brief.".into() }, Said::User { text: asks.into() }];
        let first = Arc::new(request(provider, said, true, Form::Tool { name: "weather".into() }));
        let called = ask(&client, &endpoint, &[Round { request: first.clone(), reply: None }]).await;
        assert!(called.usage.input_total() > 0 && called.usage.output > 0 && !called.usage.estimated);
        let (id, name, arguments) = called.calls().next().expect("it calls the tool");
        assert!(matches!(arguments, Arguments::Whole(_)) && called.stop == StopReason::Tools);
        let result = ToolAnswer {
            call: id.clone(),
            name: name.clone(),
            text: "4 degrees, rain".into(),
            failed: false,
            not_made: false,
        };
        let then = request(provider, vec![Said::Results { results: vec![result] }], false, Form::Free);
        let rounds = [
            Round { request: first, reply: Some(Arc::new(called.clone())) },
            Round { request: Arc::new(then), reply: None },
        ];
        let told = ask(&client, &endpoint, &rounds).await;
        assert!(told.content.iter().any(|content| matches!(content, Content::Text { .. } | Content::Call { .. })));
    }
}

#[tokio::test]
#[ignore = "needs a llama.cpp server: MASTHEAD_REAL_MODEL=URL cargo test --test models real -- --ignored"]
async fn a_real_server_answers_in_the_form_that_it_is_held_to_and_lists_its_models() {
    let base = base();
    let client = Client::new(Patience::default());
    let endpoint = Endpoint::at(&Profile::named("llamacpp").unwrap(), Some(&base), None).unwrap();
    let schema = json!({"type": "object", "properties": {"capital": {"type": "string"}}, "required": ["capital"]});
    let said = vec![Said::User { text: "The capital of Norway, as JSON.".into() }];
    let asks = request("llamacpp", said, true, Form::Json { name: "answer".into(), schema });
    let reply = ask(&client, &endpoint, &[Round { request: Arc::new(asks), reply: None }]).await;
    let json: serde_json::Value = serde_json::from_str(&reply.text()).unwrap();
    assert!(json["capital"].is_string(), "{json}");
    let models = client.models(&endpoint).await.unwrap();
    eprintln!("{models:?}");
    assert!(models.iter().all(|model| model.context.is_some()));
}
