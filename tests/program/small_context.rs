//! Whole runs with a model whose context is small: findings are carried over, or reported as not looked at.

use std::path::Path;

use kit::model_server::{Does, Order};
use kit::{ModelServer, example, run};

/// A brief on one thing by a model with a context of `context` tokens, at three dollars a million tokens in and fifteen out.
fn within(context: u32, models: &[&str], home: &Path, server: &ModelServer) -> (i32, String, String) {
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    let config = format!("[providers.mine]\nlike = \"openai-compatible\"\nbase_url = \"{}\"\n", server.url());
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let prices = format!(
        "as_of = 2026-11-21\n[models]\n\"mine/m\" = {{ in = 3.0, out = 15.0, context = {context}, max_output = 1500 }}\n"
    );
    std::fs::write(folder.join("prices.toml"), prices).unwrap();
    let mut command = crate::masthead(home);
    command.args(["brief", "What are the limits of pgvector?", "--headless", "--yes", "--no-memory"]);
    command.args(models).arg("--sources").arg(example("vector-databases"));
    run(&mut command)
}

#[test]
fn a_brief_within_a_small_context_has_findings_or_says_that_not_all_was_looked_at() {
    for context in [4_096, 5_000, 6_000, 8_192] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["m"]);
        let (code, out, err) =
            within(context, &["--model", "planner=mine/m", "--model", "researcher=mine/m"], home.path(), &server);
        assert!(!out.contains("Nothing in the sources"), "{context}: {out}{err}");
        assert_eq!(code, 0, "{context}: {out}{err}");
        assert!(out.contains("## Sources"), "{context}: {out}{err}");
    }
}

#[test]
fn a_model_that_reports_nothing_of_what_its_context_had_no_room_for_does_not_say_that_nothing_is_there() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let nothing = serde_json::json!({ "findings": [], "gaps": "" });
    server.order(Order::model("m", Does::Says(nothing.to_string())));
    let (code, out, err) = within(3_000, &["--model", "researcher=mine/m"], home.path(), &server);
    assert_eq!(code, 3, "{out}{err}");
    assert!(!out.contains("Nothing in the sources"), "{out}{err}");
    let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
    assert!(brief.contains("the conversation with mine/m had no room for"), "{out}{err}");
    assert!(err.contains("had no room for") && err.contains("exit code 3"), "{err}");
}
