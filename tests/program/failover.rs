//! Models that fail, in whole runs of the binary: the models that take over, the waits before, and the calls that are not repeated.
//!
//! Waits are read off the recorded events, never off a clock.

use std::path::Path;

use kit::model_server::{Does, Order, Question};
use kit::{ModelServer, run};
use serde_json::Value;

use crate::modelled::{ASK, masthead};

/// The configuration of two providers with a key each, at these servers.
fn two(first: &ModelServer, second: &ModelServer) -> String {
    first.config("mine") + &second.config("theirs")
}

/// The events of the last run.
fn events(home: &Path) -> Vec<Value> {
    let (code, out, err) = run(crate::masthead(home).args(["journal", "dump", "last"]));
    assert_eq!(code, 0, "{err}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All waits that were decided on, in milliseconds: before attempts, and before work is handed out again.
fn waits(events: &[Value]) -> Vec<i64> {
    let opened =
        events.iter().flat_map(|event| event["opened"].as_array().into_iter().flatten().map(move |one| (event, one)));
    let due = events.iter().filter(|event| event["event"] == "attempt_due").map(|event| (event, event));
    let wait = |(event, one): (&Value, &Value)| Some(one["not_before"].as_i64()? - event["at"].as_i64()?);
    opened.chain(due).filter_map(wait).collect()
}

fn status(status: u16) -> Does {
    Does::Status(status, None)
}

fn with<'a>(models: &[&'a str]) -> Vec<&'a str> {
    ASK.iter().copied().chain(models.iter().flat_map(|model| ["--model", *model])).collect()
}

#[test]
fn a_model_that_fails_is_stood_in_for_by_one_with_the_same_key_within_seconds_and_the_writer_is_not_concerned() {
    for code in [500, 503, 529] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["large", "small", "writes"]);
        server.order(Order::model("large", status(code)));
        let args = with(&["researcher=mine/large,mine/small", "writer=mine/writes", "reviewer=mine/writes"]);
        let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
        assert_eq!(exit, 0, "{code}: {out}{err}");
        let asked = server.asked();
        // Three researchers, under way together: one call each, and another where that cost nothing.
        let most = if code == 529 { 6 } else { 3 };
        assert!((1..=most).contains(&server.asked_of("large")), "{code}: {}", server.asked_of("large"));
        for task in ["pgvector", "Qdrant", "Pinecone"] {
            let is_about = |body: &Value| body.to_string().contains(&format!("Your part of it: {task}"));
            assert!(asked.iter().any(|q| q.model == "small" && q.status == 200 && is_about(&q.body)), "{code}: {task}");
        }
        let mut written = asked.iter().filter(|q| q.model == "writes").peekable();
        assert!(written.peek().is_some() && written.all(|q| q.status == 200), "{code}: {out}");
        let waits = waits(&events(home.path()));
        assert!(waits.iter().all(|wait| *wait <= 2_000), "{code}: {waits:?}");
        assert!(!out.contains("is not called until"), "{code}: {out}");
    }
}

#[test]
fn a_model_that_is_not_there_is_asked_once_by_each_and_not_again() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large", "small"]);
    server.order(Order::model("large", status(404)));
    let args = with(&["researcher=mine/large,mine/small"]);
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(exit, 0, "{out}{err}");
    // The calls that were under way together when it said so.
    assert!((1..=3).contains(&server.asked_of("large")), "{out}");
    assert!(server.asked_of("small") >= 3, "{out}");
    let waits = waits(&events(home.path()));
    assert!(waits.iter().all(|wait| *wait == 0), "{waits:?}");
}

#[test]
fn a_refused_key_is_not_tried_again_and_the_fallback_of_another_provider_does_the_work() {
    for code in [401, 402] {
        let home = tempfile::tempdir().unwrap();
        let (first, second) = (ModelServer::start(&["large", "small"]), ModelServer::start(&["large"]));
        first.order(Order::all(status(code)));
        let args = with(&["researcher=mine/large,mine/small,theirs/large"]);
        let (exit, out, err) = masthead(home.path(), &two(&first, &second), &args);
        assert_eq!(exit, 0, "{code}: {out}{err}");
        // The calls that were under way together when the key was refused; no other model with this key is asked.
        assert!(first.asked_of("large") <= 3 && first.asked_of("small") == 0, "{code}: {out}");
        assert!(second.asked_of("large") >= 3, "{code}: {out}");
    }
}

#[test]
fn a_throttled_key_is_not_waited_for_where_another_provider_can_do_the_work() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (ModelServer::start(&["large"]), ModelServer::start(&["large"]));
    // A number that no clock can hold is no reason to come back at once.
    first.order(Order::all(Does::Status(429, Some("99999999999999999999999".into()))));
    let args = with(&["researcher=mine/large,theirs/large"]);
    let (exit, out, err) = masthead(home.path(), &two(&first, &second), &args);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(first.asked_of("large") <= 3, "{}", first.asked_of("large"));
    assert!(second.asked_of("large") >= 3, "{out}");
    let waits = waits(&events(home.path()));
    assert!(waits.iter().all(|wait| *wait <= 2_000), "{waits:?}");
}

#[test]
fn a_throttled_model_is_stood_in_for_by_one_with_the_same_key_and_nobody_waits() {
    for wait in [None, Some("60".to_owned()), Some("7200".to_owned())] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["large", "small"]);
        server.order(Order::model("large", Does::Status(429, wait.clone())));
        let (exit, out, err) = masthead(home.path(), &server.config("mine"), &with(&["mine/large,mine/small"]));
        assert_eq!(exit, 0, "{wait:?}: {out}{err}");
        // The planner, and each of three researchers that was under way before it was known: twice at most.
        assert!((1..=8).contains(&server.asked_of("large")), "{wait:?}: {}", server.asked_of("large"));
        for role in ["planner", "researcher", "writer", "reviewer"] {
            let by_small = |q: &Question| q.model == "small" && q.role == role && q.status == 200;
            assert!(server.asked().iter().any(by_small), "{wait:?} {role}: {out}");
        }
        let waits = waits(&events(home.path()));
        assert!(waits.iter().all(|wait| *wait <= 2_000), "{wait:?}: {waits:?}");
        assert!(!out.contains("is not called until"), "{wait:?}: {out}");
    }
}

#[test]
fn a_key_with_no_credit_left_is_asked_for_none_of_its_other_models() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (ModelServer::start(&["large", "small"]), ModelServer::start(&["large"]));
    first.order(Order::all(Does::Status(402, None)));
    let args = with(&["mine/large,mine/small,theirs/large"]);
    let (exit, out, err) = masthead(home.path(), &two(&first, &second), &args);
    assert_eq!(exit, 0, "{out}{err}");
    assert_eq!((first.asked_of("large"), first.asked_of("small")), (1, 0), "{out}");
    assert!(second.asked_of("large") > 3 && !out.contains("is not called until"), "{out}");
}

/// The number of cited sentences, the cost of the run and the part of it in doubt, in pico-dollars.
fn figures(home: &Path, out: &str) -> (usize, u64, u64) {
    let (_, listed, err) = run(crate::masthead(home).args(["runs", "--json"]));
    let row: Value = serde_json::from_str(listed.lines().next().unwrap_or_else(|| panic!("{err}"))).unwrap();
    let pico = |what: &str| row[what].as_u64().unwrap_or_default();
    let cited = out.matches("[1]").count() + out.matches("[2]").count() + out.matches("[3]").count();
    (cited, pico("cost_pico_dollars"), pico("in_doubt_pico_dollars"))
}

#[test]
fn what_failed_calls_may_have_cost_leaves_the_cap_to_the_model_that_stands_in() {
    let run_with = |does: Option<Does>, cap: &str| {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["large", "small"]);
        does.into_iter().for_each(|does| server.order(Order::model("large", does)));
        let config = format!("[providers.mine]\nlike = \"openai-compatible\"\nbase_url = \"{}\"\n", server.url());
        let mut args = with(&["mine/large,mine/small"]);
        args.extend(["--price", "mine/large=3,15", "--price", "mine/small=3,15", "--max-cost", cap, "--no-memory"]);
        let (exit, out, err) = masthead(home.path(), &config, &args);
        (exit, figures(home.path(), &out), server.asked_of("large"), out + &err)
    };
    let (exit, (_, needed, _), _, told) = run_with(None, "100");
    assert_eq!(exit, 0, "{told}");
    let cap = format!("{:.4}", 3.0 * needed as f64 / 1e12);
    let (exit, (cited, ..), _, told) = run_with(None, &cap);
    assert!(exit == 0 && cited > 0, "the cap is enough where nothing fails: {told}");
    for does in [status(500), status(503), Does::Cuts] {
        let (exit, (found, cost, doubt), asked, told) = run_with(Some(does.clone()), &cap);
        let figures = format!("{does:?}: {asked} calls, {found} of {cited} cited, {cost} and {doubt} of {needed}");
        assert_eq!((exit, found), (0, cited), "{figures}: {told}");
        assert!(asked == 1 && doubt * 10 < needed * 6, "{figures}: {told}");
    }
}

#[test]
fn a_model_that_calls_its_tools_wrongly_is_given_up_after_three_answers() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large"]);
    server.order(Order::model("large", Does::CallsWrongly));
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &with(&["researcher=mine/large"]));
    assert_eq!(exit, 0, "{out}{err}");
    // Three researchers; none is tried again from scratch before the rules have the work.
    assert!(server.asked_of("large") <= 3 * 3, "{} calls", server.asked_of("large"));
}

#[test]
fn a_planner_that_calls_its_tools_wrongly_is_followed_by_the_model_named_for_it_and_not_by_rules() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large", "small"]);
    server.order(Order::model("large", Does::CallsWrongly));
    let args = with(&["planner=mine/large,mine/small"]);
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(exit, 0, "{out}{err}");
    let planned = |model: &str| server.asked().iter().any(|q| q.model == model && q.role == "planner");
    assert!(planned("large") && planned("small"), "{out}");
    let said = out.clone() + &err;
    assert!(said.contains("planner fell back from mine/large to mine/small"), "{said}");
    assert!(!said.contains("to its rules"), "{said}");
}

#[test]
fn a_subagent_file_of_another_program_does_the_work_as_it_is_and_what_it_lacks_is_named() {
    let home = tempfile::tempdir().unwrap();
    let agents = home.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let file = "---\nname: fact-checker\ndescription: Checks facts.\nhooks:\n  Stop:\n    - x\nmodel: inherit\n---\n\nYou check facts.\n";
    std::fs::write(agents.join("fact-checker.md"), file).unwrap();
    std::fs::write(agents.join("writer.md"), "---\nname: writer\ndescription: Writes.\n---\n\nYou write code.\n")
        .unwrap();
    std::fs::write(agents.join("README.md"), "# Agents\n").unwrap();
    let server = ModelServer::start(&["m"]);
    server.plan_for("fact-checker");
    let agents = agents.to_string_lossy();
    let args: Vec<&str> = [&with(&["mine/m"])[..], &["--agents", &agents]].concat();
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("fact-checker · Qdrant") && out.contains("## Qdrant"), "{out}");
    for says in
        ["fact-checker: hooks: there is no counterpart here", "the team has a writer of its own", "no front matter"]
    {
        assert!(err.contains(says), "{says}: {err}");
    }
    let args: Vec<&str> = [ASK, &["--extractive", "--agents", &agents]].concat();
    let (exit, _, err) = masthead(home.path(), "", &args);
    assert!(exit == 2 && err.contains("--agents"), "{err}");
    let (_, out, _) = run(crate::masthead(home.path()).args(["doctor", "--agents", &agents]));
    assert!(out.contains("Left out") && out.contains("hooks") && out.contains("fact-checker"), "{out}");
}

#[test]
fn a_specialist_of_the_users_own_may_answer_badly_once_like_ours() {
    let home = tempfile::tempdir().unwrap();
    let team = home.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&team).unwrap();
    let prompt = "---\nname: librarian\ndescription: Finds facts in the documents.\ntools: search, read\n---\n\nYou find facts.\n";
    std::fs::write(team.join("librarian.md"), prompt).unwrap();
    let server = ModelServer::start(&["plans", "finds"]);
    server.plan_for("librarian");
    server.order(Order::model("finds", Does::Declines).times(1));
    let args = with(&["planner=mine/plans", "librarian=mine/finds"]);
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(exit, 0, "{out}{err}");
    for thing in ["pgvector", "Qdrant", "Pinecone"] {
        assert!(
            out.contains(&format!("librarian · {thing}")) && out.contains(&format!("## {thing}")),
            "{thing}: {out}"
        );
    }
    assert!(out.contains("declined"), "{out}");
}

#[test]
fn a_model_that_says_no_to_all_that_it_is_asked_is_not_asked_by_everybody_and_it_is_said() {
    // Two may have gone out before the result of the first is known.
    for (code, most) in [(404, 1), (400, 3)] {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["large"]);
        server.order(Order::all(status(code)));
        let slots = format!("{}slots = 1\n", server.config("mine"));
        let (exit, out, err) = masthead(home.path(), &slots, &with(&["mine/large"]));
        assert_eq!(exit, 0, "{code}: {out}{err}");
        assert!(
            (1..=most).contains(&server.asked_of("large")),
            "{code}: planner, researchers, writer and reviewer would ask alike: {out}"
        );
        let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
        for role in ["researcher", "writer", "reviewer"] {
            let says = |text: &str| {
                let mut told = text.lines().filter(|line| line.contains("fell back from mine/large to"));
                told.any(|line| line.contains(role) && line.contains("rules, without a model"))
            };
            assert!(says(brief) && says(&err), "{code} {role}: {out}{err}");
        }
        let (exit, out, err) = run(crate::masthead(home.path()).args(["export", "last"]));
        assert!(exit == 0 && out.contains("fell back from mine/large"), "{out}{err}");
    }
}

#[test]
fn a_model_whose_answers_cannot_be_used_is_not_asked_the_same_from_scratch() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["large", "small"]);
    server.order(Order::model("large", Does::Says("I would rather not say.".into())).of("researcher"));
    let args = with(&["researcher=mine/large,mine/small"]);
    let (exit, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(exit, 0, "{out}{err}");
    // Three researchers, each asked once and corrected twice; then the next model has the work.
    assert_eq!(server.asked_of("large"), 3 * 3, "{out}");
    assert!(server.asked_of("small") >= 3, "{out}");
}

#[test]
fn work_that_fails_for_good_is_asked_about_with_what_was_tried_and_the_person_says_what_becomes_of_it() {
    let home = tempfile::tempdir().unwrap();
    let team = include_str!("../../prompts/brief/team.toml")
        .replace("on_failure = [\"retry\", \"failover\", \"ask\"]", "on_failure = [\"retry\", \"ask\"]");
    assert_ne!(team, include_str!("../../prompts/brief/team.toml"));
    let folder = home.path().join(".config/masthead/teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("team.toml"), team).unwrap();
    let server = ModelServer::start(&["large", "writes"]);
    server.order(Order::model("large", status(400)));
    let args = with(&["researcher=mine/large", "writer=mine/writes", "reviewer=mine/writes"]);
    let args: Vec<&str> = args.into_iter().filter(|arg| *arg != "--yes").collect();
    let (code, out, err) = masthead(home.path(), &server.config("mine"), &args);
    assert_eq!(code, 4, "{out}{err}");
    for says in
        ["What becomes of “pgvector”?", "try 1: mine/large", "does not understand the request", "2. try it once more"]
    {
        assert!(out.contains(says), "{says}: {out}");
    }
    assert!(err.contains("about work that failed") && err.contains("--answer again"), "{err}");
    let asked = server.asked_of("large");
    let resume = |more: &[&str]| run(crate::masthead(home.path()).args(["resume", "last", "--headless"]).args(more));
    let (code, _, err) = resume(&["--answer", "drop"]);
    assert!(code == 2, "{err}");
    assert_eq!(server.asked_of("large"), asked, "an answer to another question asks nothing");
    // Mended, each that failed is tried again.
    server.mend();
    let mut last = (4, String::new(), String::new());
    for _ in 0..3 {
        last = resume(&["--answer", "again"]);
    }
    assert!(last.0 == 4 && last.1.contains("findings to approve"), "{}{}", last.1, last.2);
    assert_eq!(server.asked_of("writes"), 0);
    let (code, out, err) = resume(&["--yes"]);
    assert!(code == 0 && out.contains("## Sources"), "{out}{err}");
}
