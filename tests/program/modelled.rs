//! Whole briefs by models, with the real binary and a model server that does all roles well.

use std::path::Path;

use kit::model_server::{Does, Order, Question};
use kit::{ModelServer, example, run};

/// A comparison of three things, without a question to the person.
pub const ASK: &[&str] = &["brief", "Compare the trade-offs of pgvector, Qdrant and Pinecone", "--headless", "--yes"];

/// The program with this configuration, over the documents on vector databases.
pub fn masthead(home: &Path, config: &str, args: &[&str]) -> (i32, String, String) {
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let sources = example("vector-databases");
    run(crate::masthead(home).args(args).arg("--sources").arg(sources))
}

#[test]
fn a_brief_in_which_models_have_all_roles_is_planned_researched_written_and_passed() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["plans", "finds", "writes", "checks"]);
    let models = ["planner=mine/plans", "researcher=mine/finds", "writer=mine/writes", "reviewer=mine/checks"];
    let args: Vec<&str> = ASK.iter().copied().chain(models.iter().flat_map(|model| ["--model", *model])).collect();
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    let asked = server.asked();
    assert!(asked.iter().all(|question| question.status == 200), "{out}");
    for (model, role) in [("plans", "planner"), ("finds", "researcher"), ("writes", "writer"), ("checks", "reviewer")] {
        assert!(asked.iter().any(|question| question.model == model && question.role == role), "{role}: {out}");
        assert!(asked.iter().all(|question| question.model != model || question.role == role), "{role}: {out}");
    }
    let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
    for thing in ["## pgvector", "## Qdrant", "## Pinecone"] {
        assert!(brief.contains(thing), "{brief}");
    }
}

#[test]
fn a_brief_by_models_that_speak_the_responses_api_comes_about_as_well() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["gpt-6-sol"]);
    let config = server.config_like("mine", "openai");
    let args: Vec<&str> = ASK.iter().copied().chain(["--model", "mine/gpt-6-sol"]).collect();
    let (code, out, err) = masthead(home.path(), &config, &args);
    assert_eq!(code, 0, "{out}{err}");
    let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
    for thing in ["## pgvector", "## Qdrant", "## Pinecone"] {
        assert!(brief.contains(thing), "{brief}");
    }
    let asked = server.asked();
    for role in ["planner", "researcher", "writer", "reviewer"] {
        assert!(asked.iter().any(|question| question.role == role), "{role}: {out}");
    }
    for question in &asked {
        let body = &question.body;
        assert_eq!((question.status, &body["store"]), (200, &false.into()), "{body}");
        assert_eq!(body["include"][0], "reasoning.encrypted_content");
    }
    // Researchers are siblings: their shared part is looked for in one cache. Thoughts go back with their call.
    let of = |role: &'static str| asked.iter().filter(move |question| question.role == role);
    let key = |question: &Question| question.body["prompt_cache_key"].clone();
    let first = key(of("researcher").next().unwrap());
    assert!(of("researcher").count() >= 3 && of("researcher").all(|question| key(question) == first), "{out}");
    assert!(of("writer").all(|question| key(question) != first));
    let back = of("researcher").filter_map(|question| {
        let input = question.body["input"].as_array()?;
        let at = input.iter().position(|item| item["type"] == "function_call")?;
        Some((input[at - 1].clone(), input[at + 1].clone()))
    });
    let back: Vec<_> = back.collect();
    assert!(!back.is_empty(), "{out}");
    for (before, after) in back {
        assert_eq!((&before["type"], &before["encrypted_content"]), (&"reasoning".into(), &"c2VhbGVk".into()));
        assert_eq!(after["type"], "function_call_output");
    }
}

#[test]
fn an_effort_reaches_the_model_and_an_answer_cut_by_its_thinking_is_asked_for_again_with_more_room() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["gpt-6-sol", "gpt-4.1"]);
    // The writer thinks for longer than it has room for at low effort: 4,000 tokens for the answer, 2,000 for thinking.
    server.order(Order::all(Does::Thinks(7_000)).of("writer"));
    let model = |role: &str| format!("{role} = {{ model = \"mine/gpt-6-sol\", effort = \"low\" }}\n");
    let config = format!("[models]\n{}{}{}", model("planner"), model("writer"), server.config_like("mine", "openai"));
    let (code, out, err) = masthead(home.path(), &config, ASK);
    assert_eq!(code, 0, "{out}{err}");
    let asked = server.asked();
    assert!(asked.iter().all(|question| question.body["reasoning"]["effort"] == "low"));
    let of_writer: Vec<u64> = asked
        .iter()
        .filter(|question| question.role == "writer")
        .map(|question| question.body["max_output_tokens"].as_u64().unwrap())
        .collect();
    assert_eq!(of_writer, [6_000, 12_000], "{out}");
    let refused = config.replace("\"low\"", "\"lots\"");
    let (code, out, err) = masthead(home.path(), &refused, ASK);
    assert!(code != 0 && err.contains("none, minimal, low, medium, high, xhigh or max"), "{out}{err}");
    let plain = config.replace("gpt-6-sol", "gpt-4.1");
    let (code, out, err) = masthead(home.path(), &plain, ASK);
    assert!(code != 0 && err.contains("the planner cannot have effort `low` with mine/gpt-4.1"), "{out}{err}");
}

#[test]
fn what_a_provider_has_cached_of_a_conversation_holds_to_its_last_turn() {
    for like in ["openai", "openai-compatible"] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["gpt-6-sol"]);
        server.order(Order::all(Does::KeepsSearching).of("researcher"));
        let args: Vec<&str> = ASK.iter().copied().chain(["--model", "researcher=mine/gpt-6-sol"]).collect();
        let (code, out, err) = masthead(home.path(), &server.config_like("mine", like), &args);
        assert_eq!(code, 0, "{out}{err}");
        let asked = server.asked();
        let last_turn = |question: &&Question| question.body.to_string().contains("This is your last answer");
        assert_eq!(asked.iter().filter(last_turn).count(), 3, "each of the three is told once: {out}");
        let shape = |body: &serde_json::Value| {
            [&body["tools"], &body["text"], &body["response_format"]].map(ToString::to_string)
        };
        for question in &asked {
            assert_eq!(shape(&question.body), shape(&asked[0].body), "{like}: {out}");
            // If the choice of a tool is part of the cached text, it stays as it was.
            assert!(like != "openai" || question.body.get("tool_choice").is_none(), "{}", question.body["tool_choice"]);
        }
        // Cached against read tokens over the run: of each later turn, all but the new part.
        let later: Vec<(u64, u64)> = asked.iter().filter(last_turn).map(|question| question.cached).collect();
        let (cached, read) = later.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        eprintln!("{like}: {cached} of {read} tokens of the last turns were read from the cache");
        let least = if like == "openai" { 80 } else { 0 };
        assert!(cached * 100 >= read * least, "{like}: {cached} of {read}");
    }
}

#[test]
fn what_answers_tell_of_their_tokens_is_kept_and_the_next_run_reserves_by_it() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let args: Vec<&str> = ASK.iter().copied().chain(["--model", "mine/m", "--no-memory"]).collect();
    let learnt = home.path().join("data/learnt.toml");
    // The reservation for each question, by specialist and its first, second, ... question.
    let reserved = |run_id: &str| {
        let (code, out, err) = run(crate::masthead(home.path()).args(["journal", "dump", run_id]));
        assert_eq!(code, 0, "{err}");
        let events = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let called = events.filter(|event| event["event"] == "model_called");
        let of = |event: serde_json::Value| {
            (event["call"].as_str().unwrap().to_owned(), event["admission"]["reserved"]["tokens"].as_u64().unwrap())
        };
        called.map(of).collect::<std::collections::BTreeMap<_, _>>()
    };
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    let first = reserved("last");
    let kept = std::fs::read_to_string(&learnt).unwrap();
    assert!(kept.contains("\"mine/m\" = { likely = "), "{kept}");
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    let second = reserved("last");
    assert!(first.len() > 5 && first.keys().eq(second.keys()), "{first:?} {second:?}");
    for (call, before) in &first {
        assert!(second[call] < *before, "{call}: {} after {before}", second[call]);
    }
    // A recorded run has its own numbers, even if others were learnt since or are gone.
    std::fs::remove_file(&learnt).unwrap();
    let replay = ["brief", "--answers-from", "last", "--headless", "--yes"];
    let (code, out, err) = run(crate::masthead(home.path()).args(replay));
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(reserved("last"), second);
    assert!(!learnt.exists(), "recorded answers teach nothing");
}

#[test]
fn a_model_server_that_is_set_up_and_not_used_is_named_with_the_reason() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m1", "m2"]);
    let (code, _, err) = masthead(home.path(), &server.config("mine"), ASK);
    assert_eq!(code, 0, "{err}");
    let why = "mine is not used, though [providers.mine] of config.toml names it: mine has several models; name one, as in --model mine/m1";
    assert!(err.contains(why), "{err}");
    let (code, out, err) = run(crate::masthead(home.path()).arg("doctor"));
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains(why) && !out.contains("none is available") && out.contains("--sources DIR --model mine/m1"),
        "{out}"
    );
    let mut silent = crate::masthead(home.path());
    silent.args(ASK).arg("--sources").arg(example("vector-databases")).env("OLLAMA_HOST", "127.0.0.1:9");
    std::fs::remove_file(home.path().join(".config/masthead/config.toml")).unwrap();
    let (code, _, err) = run(&mut silent);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("ollama is not used, though OLLAMA_HOST names it: no Ollama answers"), "{err}");
}
