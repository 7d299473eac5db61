//! The words of a run that ended otherwise than asked: in the brief, the export, the last line and the exit code.

use std::path::Path;

use kit::model_server::{Does, Order};
use kit::{ModelServer, example, run, until};

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";

/// A headless brief with this configuration and these further arguments.
fn brief(home: &Path, config: &str, more: &[&str]) -> (i32, String, String) {
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let mut command = crate::masthead(home);
    command.args(["brief", QUESTION, "--headless", "--sources"]).arg(example("vector-databases")).args(more);
    run(&mut command)
}

fn last_line(err: &str) -> &str {
    err.lines().last().unwrap_or_default()
}

#[test]
fn work_that_rules_did_in_place_of_a_model_is_named_in_brief_export_and_last_line() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    server.order(Order::all(Does::Status(404, None)));
    let (code, out, err) = brief(home.path(), &server.config("mine"), &["--yes", "--model", "mine/m"]);
    assert_eq!(code, 0, "{out}{err}");
    let named = "planner, researcher, writer and reviewer fell back from mine/m to their rules, without a model, for 6 assignments";
    assert_eq!(out.matches(&format!("_Fallback: {named}")).count(), 1, "{out}");
    assert!(last_line(&err).contains(named), "{err}");
    // The advice is given once, and nothing is said twice in a line.
    assert_eq!(out.matches("`masthead doctor` lists them").count(), 1, "{out}");
    assert!(!out.contains("failed      failed"), "{out}");
    assert!(last_line(&err).contains("exit code 0") && last_line(&err).contains("ordered by the test"), "{err}");
    let (_, json, _) = run(crate::masthead(home.path()).args(["export", "last", "--format", "json"]));
    assert!(json.contains("Fallback: planner, researcher, writer and reviewer fell back from mine/m"), "{json}");
}

#[test]
fn work_that_begins_with_a_fallback_is_named_with_the_failure_that_was_the_reason() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large", "small"]);
    server.order(Order::model("large", Does::Status(403, None)));
    let args = ["--yes", "--model", "mine/large,mine/small"];
    let (code, out, err) = brief(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 0, "{out}{err}");
    let named = "planner, researcher, writer and reviewer fell back from mine/large to mine/small, for 6 assignments (";
    assert_eq!(out.matches(&format!("_Fallback: {named}")).count(), 1, "{out}");
    assert!(out.contains("ordered by the test"), "{out}");
    for args in [&["runs", "last"][..], &["runs", "last", "--json"]] {
        let (code, out, err) = run(crate::masthead(home.path()).args(args));
        assert!(code == 0 && out.contains(named), "{args:?}: {out}{err}");
    }
}

#[test]
fn a_planner_whose_answers_are_of_no_use_falls_back_by_name_and_for_a_reason_that_is_told_to_a_person() {
    for (says, why) in [("", "its answer was empty"), ("hi", "it neither used a tool nor reported")] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["m"]);
        server.order(Order::all(Does::Says(says.into())).of("planner"));
        let (code, out, err) = brief(home.path(), &server.config("mine"), &["--yes", "--model", "mine/m"]);
        assert_eq!(code, 0, "{out}{err}");
        let named = format!("planner fell back from mine/m to its rules, without a model ({why})");
        assert!(out.contains(&format!("_Fallback: {named}")), "{out}");
        assert!(last_line(&err).contains(&named), "{err}");
        assert!(!out.contains("Your answer") && !out.contains("_Fallback: researcher"), "{out}");
    }
}

#[test]
fn what_rules_made_of_it_is_no_fallback_where_another_model_did_the_work_then() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large", "small"]);
    server.order(Order::model("large", Does::Status(404, None)).after(3));
    let models = ["--yes", "--model", "researcher=mine/large,mine/small"];
    let (code, out, err) = brief(home.path(), &server.config("mine"), &models);
    assert_eq!(code, 0, "{out}{err}");
    assert!(last_line(&err).contains("researcher fell back from mine/large to mine/small"), "{err}");
    assert!(!err.contains("its rules") && !out.contains("its rules"), "{out}{err}");
}

#[test]
fn money_in_doubt_is_in_the_list_of_runs() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    server.order(Order::model("m", Does::Cuts).times(1));
    let config = server.config("mine").replace("free = true\n", "");
    let models = ["--yes", "--model", "mine/m", "--price", "mine/m=1.00,4.00"];
    let (code, out, err) = brief(home.path(), &config, &models);
    assert_eq!(code, 0, "{out}{err}");
    assert!(last_line(&err).contains(" in doubt: "), "{err}");
    let doubt = last_line(&err).split(" in doubt: ").next().unwrap().rsplit(' ').next().unwrap();
    let (_, runs, _) = run(crate::masthead(home.path()).arg("runs"));
    assert!(runs.contains(&format!("({doubt} in doubt)")), "{doubt}: {runs}");
    let (_, json, _) = run(crate::masthead(home.path()).args(["runs", "--json"]));
    assert!(json.contains("\"in_doubt_pico_dollars\":") && !json.contains("\"in_doubt_pico_dollars\":0"), "{json}");
    let (code, verified, _) = run(crate::masthead(home.path()).args(["journal", "verify"]));
    assert_eq!(code, 0, "{verified}");
}

#[test]
fn a_run_that_was_left_in_a_paid_call_is_listed_with_what_it_may_owe() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    server.order(Order::model("m", Does::Stalls));
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine").replace("free = true\n", "")).unwrap();
    let mut command = crate::masthead(home.path());
    command.args(["brief", QUESTION, "--headless", "--yes", "--model", "mine/m", "--price", "mine/m=1.00,4.00"]);
    command.arg("--sources").arg(example("vector-databases"));
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    until("the model is asked", || !server.asked().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, runs, _) = run(crate::masthead(home.path()).arg("runs"));
    assert!(runs.contains("needs you") && runs.contains(" in doubt)"), "{runs}");
    let (_, json, _) = run(crate::masthead(home.path()).args(["runs", "--json"]));
    assert!(json.contains("\"state\":\"needs you\"") && !json.contains("\"in_doubt_pico_dollars\":0,"), "{json}");
    let (_, one, _) = run(crate::masthead(home.path()).args(["runs", "last"]));
    assert!(one.lines().next().unwrap().contains("needs you"), "{one}");
    let (code, verified, _) = run(crate::masthead(home.path()).args(["journal", "verify"]));
    assert_eq!(code, 0, "{verified}");
}

#[test]
fn a_run_in_which_no_model_failed_names_no_fallback() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    let (code, out, err) = brief(home.path(), &server.config("mine"), &["--yes", "--model", "mine/m"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("Fallback") && !err.contains("exit code"), "{out}{err}");
}

#[test]
fn a_draft_that_its_reviewer_never_lets_pass_ends_as_partial_with_an_exit_code_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["m"]);
    server.order(Order::all(Does::Vetoes).of("reviewer"));
    server.order(Order::all(Does::Rewords).of("writer"));
    let (code, out, err) = brief(home.path(), &server.config("mine"), &["--yes", "--model", "mine/m"]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(out.contains("_Best effort: ") && out.contains(" left after revision (strict support)._"), "{out}");
    assert!(last_line(&err).contains(" left after revision (strict support) (exit code 3)"), "{err}");
    let (_, runs, _) = run(crate::masthead(home.path()).arg("runs"));
    assert!(runs.contains("partial"), "{runs}");
}

#[test]
fn a_list_with_more_questions_than_a_plan_has_room_for_ends_as_partial_and_says_how_many_were_left_out() {
    let home = tempfile::tempdir().unwrap();
    let asked = |n| format!("- How does pgvector index {n} million vectors?\n");
    let mut command = crate::masthead(home.path());
    command.arg("brief").arg((1..=42).map(asked).collect::<String>()).args(["--headless", "--yes", "--sources"]);
    let (code, out, err) = run(command.arg(example("vector-databases")));
    assert_eq!(code, 3, "{out}{err}");
    assert!(last_line(&err).contains("2 points that the question names were not researched"), "{err}");
    let first = err.lines().next().unwrap_or_default();
    assert!(first.contains("a plan has at most 40 tasks: the last 2 questions may be left out"), "{err}");
    assert!(out.contains("How does pgvector index 42 million vectors: not researched"), "{out}");
}

#[test]
fn a_question_that_a_long_list_asks_again_is_not_said_to_be_left_out() {
    let home = tempfile::tempdir().unwrap();
    let mut command = crate::masthead(home.path());
    command.arg("brief").arg("- What is Qdrant?\n- What is pgvector?\n".repeat(22));
    let (code, out, err) = run(command.args(["--headless", "--yes", "--sources"]).arg(example("vector-databases")));
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("not researched"), "{out}");
}

#[test]
fn a_key_in_the_environment_is_no_order_to_spend_where_nobody_can_be_asked() {
    let home = tempfile::tempdir().unwrap();
    let models = ["gpt-6-luna", "gpt-6.1-terra", "gpt-6.1-sol"];
    let server = ModelServer::start(&models);
    // The server is on this machine; that the calls cost something is for the person to say.
    let prices = models.map(|model| format!("\"openai/{model}\" = {{ in = 1.00, out = 4.00 }}\n")).concat();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("prices.toml"), format!("[models]\n{prices}")).unwrap();
    let start = |more: &[&str]| {
        let mut command = crate::masthead(home.path());
        command.env("OPENAI_API_KEY", "sk-canary-0123456789").env("OPENAI_BASE_URL", server.url());
        command.args(["brief", QUESTION, "--headless", "--sources"]).arg(example("vector-databases")).args(more);
        run(&mut command)
    };
    let (code, out, err) = start(&[]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(server.asked().is_empty(), "{:?}", server.asked());
    for says in ["openai/gpt-6-luna", "at most $1.00", "--yes or --model uses them", "--extractive works without"] {
        assert!(err.contains(says), "{says}: {err}");
    }
    let (_, runs, _) = run(crate::masthead(home.path()).arg("runs"));
    assert_eq!(runs, "", "nothing was begun");
    let (code, out, err) = start(&["--extractive"]);
    assert_eq!((code, server.asked().len()), (4, 0), "{out}{err}");
    let (code, out, err) = start(&["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!server.asked().is_empty());
}
