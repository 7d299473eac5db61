//! A model that leads, with the real binary and a scripted server: on the command line, picked up after a kill, and given
//! again from its recording.

use std::path::Path;

use kit::model_server::stream::Answer;
use kit::model_server::{Does, Order};
use kit::server::{Asked, Said, Scripted};
use kit::{ModelServer, example, run};
use serde_json::{Value, json};

/// An answer that calls these tools.
fn calls(calls: &[(&str, Value)]) -> Said {
    Answer::calls(calls).into()
}

/// A server whose model leads by this script: how often it was answered, and all it is told.
fn server(script: impl Fn(usize, &str) -> Said + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |asked: &Asked| {
        assert_eq!(asked.parameter("key"), None, "nothing secret stands in an address");
        if asked.path().ends_with("/models") {
            return Said::new(200, "application/json", json!({"data": [{"id": "lead"}]}).to_string());
        }
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let answered = messages.iter().filter(|message| message["role"] == "assistant").count();
        script(answered, &asked.body)
    })
}

/// The program, with a provider `mine` at this server.
fn masthead(home: &Path, server: &Scripted, args: &[&str]) -> (i32, String, String) {
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    let config =
        format!("[providers.mine]\nlike = \"openai-compatible\"\nbase_url = \"{}\"\nfree = true\n", server.url("/v1"));
    std::fs::write(folder.join("config.toml"), config).unwrap();
    run(crate::masthead(home).args(args))
}

fn three() -> Said {
    let task = |thing: &str| {
        let question = format!("What are the limits and costs of {thing}?");
        ("handoff_to_researcher", json!({"title": thing, "question": question}))
    };
    calls(&["pgvector", "Qdrant", "Pinecone"].map(task))
}

fn leads_well(n: usize) -> Said {
    match n {
        0 => three(),
        1 => calls(&[("handoff_to_writer", json!({"note": ""}))]),
        _ => calls(&[("finalize", json!({"draft": "last"}))]),
    }
}

/// The brief that was printed.
fn brief(out: &str) -> &str {
    out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1
}

const ASK: &[&str] = &["Compare the trade-offs of pgvector, Qdrant and Pinecone", "--headless", "--yes"];

#[test]
fn a_model_leads_a_brief_and_its_recording_leads_to_the_same() {
    let home = tempfile::tempdir().unwrap();
    let server = server(|n, _| leads_well(n));
    let sources = example("vector-databases");
    let more = ["--sources", &sources.to_string_lossy(), "--model", "supervisor=mine/lead"];
    let (code, out, err) = masthead(home.path(), &server, &[&["brief"], ASK, &more].concat());
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("supervisor with mine/lead"), "{err}");
    assert!(out.contains("researcher · Qdrant") && !out.contains("planner") && !out.contains("relieved"), "{out}");
    assert!(brief(&out).contains("## Qdrant"), "{out}");
    let asked = server.asked().iter().filter(|asked| asked.method == "POST").count();
    assert_eq!(asked, 3);
    let (code, again, err) =
        masthead(home.path(), &server, &["brief", "--answers-from", "last", "--headless", "--yes"]);
    assert_eq!(code, 0, "{again}{err}");
    assert_eq!(brief(&out), brief(&again));
    assert_eq!(server.asked().iter().filter(|asked| asked.method == "POST").count(), asked, "nobody was asked again");
}

#[test]
fn who_led_from_where_is_printed_and_a_run_picked_up_goes_on_with_its_lead() {
    let home = tempfile::tempdir().unwrap();
    let server = server(|n, _| if n == 0 { three() } else { calls(&[("dance", json!({}))]) });
    let sources = example("vector-databases");
    let more = ["--sources", &sources.to_string_lossy(), "--model", "supervisor=mine/lead"];
    // Without --yes it parks at the findings, which the rules have put before the person.
    let args: Vec<&str> = [&["brief"], &ASK[..2], &more].concat();
    let (code, out, err) = masthead(home.path(), &server, &args);
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("! relieved") && out.contains("from here on the rules of the team lead"), "{out}");
    let (code, out, err) = masthead(home.path(), &server, &["resume", "last", "--headless", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(brief(&out).contains("## Qdrant"), "{out}");
}

#[test]
fn a_run_that_parked_in_the_middle_of_a_led_brief_is_led_on_by_the_same_model() {
    let home = tempfile::tempdir().unwrap();
    let server = server(|n, _| leads_well(n));
    let sources = example("vector-databases");
    let more = ["--sources", &sources.to_string_lossy(), "--model", "supervisor=mine/lead"];
    let args: Vec<&str> = [&["brief"], &ASK[..2], &more].concat();
    let (code, out, err) = masthead(home.path(), &server, &args);
    assert_eq!(code, 4, "{out}{err}");
    let (code, out, err) = masthead(home.path(), &server, &["resume", "last", "--headless", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("relieved") && brief(&out).contains("## Qdrant"), "{out}");
    assert_eq!(server.asked().iter().filter(|asked| asked.method == "POST").count(), 3);
}

#[test]
fn a_model_leads_the_team_that_inspects() {
    let home = tempfile::tempdir().unwrap();
    let server = server(|n, told| match n {
        0 => calls(&[("handoff_to_surveyor", json!({"note": ""}))]),
        1 => {
            assert!(told.contains("shop.log") && told.contains("stock.jsonl"), "{told}");
            let look = |file: &str| {
                ("handoff_to_inspector", json!({"title": file, "question": format!("What is wrong with {file}?")}))
            };
            calls(&[look("shop.log"), look("orders.csv")])
        }
        2 => calls(&[("handoff_to_writer", json!({"note": ""}))]),
        3 => {
            assert!(told.contains("planned, but not handed out: access.log, stock.jsonl"), "{told}");
            calls(&[("handoff_to_writer", json!({"note": ""}))])
        }
        _ => calls(&[("finalize", json!({"draft": "last"}))]),
    });
    let sources = example("web-shop-logs");
    let sources = sources.to_string_lossy();
    let args =
        ["ask", "What is wrong?", "--sources", &sources, "--model", "supervisor=mine/lead", "--headless", "--yes"];
    let (code, out, err) = masthead(home.path(), &server, &args);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("relieved"), "{out}");
    assert!(out.contains("inspector · shop.log") && !out.contains("inspector · access.log"), "{out}");
    assert!(brief(&out).contains("connection pool exhausted"), "{out}");
    assert!(brief(&out).contains("access.log: planned, but not handed out."), "{out}");
}

/// A run led by the model `lead` of this server, whose fallback is `second`.
fn led_with_a_fallback(server: &ModelServer) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine")).unwrap();
    let mut command = crate::masthead(home.path());
    command.args(["brief"]).args(ASK).args(["--model", "supervisor=mine/lead,mine/second", "--sources"]);
    run(command.arg(example("vector-databases")))
}

#[test]
fn a_leading_model_that_fails_is_followed_by_its_fallback_which_repeats_no_research() {
    for (does, after) in [(404, 0), (500, 0), (404, 1), (500, 2)] {
        let server = ModelServer::start(&["lead", "second"]);
        server.order(Order::model("lead", Does::Status(does, None)).after(after));
        let (code, out, err) = led_with_a_fallback(&server);
        assert_eq!(code, 0, "{does} {after}: {out}{err}");
        assert!(out.contains("! relieved") && out.contains("from here on mine/second leads"), "{does} {after}: {out}");
        assert!(!out.contains("planner") && !out.contains("rules of the team lead"), "{does} {after}: {out}");
        for thing in ["pgvector", "Qdrant", "Pinecone"] {
            let begins = |line: &&str| line.contains(&format!("researcher · {thing} ")) && line.contains("started");
            assert_eq!(out.lines().filter(begins).count(), 1, "{does} {after} {thing}: {out}");
        }
        assert!(brief(&out).contains("## Qdrant"), "{does} {after}: {out}");
        assert!(err.contains("supervisor fell back from mine/lead to mine/second"), "{does} {after}: {err}");
        assert!(server.asked_of("lead") <= after + 3, "{does} {after}: {}", server.asked_of("lead"));
    }
}

#[test]
fn a_leading_model_whose_fallbacks_fail_as_well_is_followed_by_the_rules() {
    let server = ModelServer::start(&["lead", "second"]);
    server.order(Order::all(Does::Declines));
    let (code, out, err) = led_with_a_fallback(&server);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!((server.asked_of("lead"), server.asked_of("second")), (1, 1), "{out}");
    for says in ["from mine/lead to mine/second", "from mine/second to its rules, without a model"] {
        assert!(err.contains(&format!("supervisor fell back {says}")), "{says}: {err}");
    }
}
