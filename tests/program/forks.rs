//! Forks on the command line: a run goes on from an event of another, equal requests are answered from the record, and nothing is
//! paid in silence.

use std::path::{Path, PathBuf};
use std::process::Command;

use kit::{ModelServer, example, run};
use serde_json::Value;

const QUESTION: &str = "Compare the trade-offs of pgvector, Qdrant and Pinecone";
const PAID: [&str; 4] = ["--model", "mine/m", "--price", "mine/m=1.00,4.00"];

/// A home whose provider `mine` is this server, and costs.
fn home(server: &ModelServer) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine").replace("free = true\n", "")).unwrap();
    home
}

fn masthead(home: &Path, args: &[&str]) -> (i32, String, String) {
    run(crate::masthead(home).args(args))
}

fn brief(home: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command: Command = crate::masthead(home);
    command.args(["brief", QUESTION, "--headless", "--yes", "--sources"]).arg(example("vector-databases")).args(more);
    run(&mut command)
}

fn fork(home: &Path, of: &str, at: u64, more: &[&str]) -> (i32, String, String) {
    run(crate::masthead(home).args(["fork", of, "--headless", "--at", &at.to_string()]).args(more))
}

fn events(home: &Path, of: &str) -> Vec<Value> {
    let (code, out, err) = masthead(home, &["journal", "dump", of]);
    assert_eq!(code, 0, "{err}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn id(home: &Path) -> String {
    events(home, "last")[0]["run"].as_str().unwrap().to_owned()
}

/// The number of the first event that is like this.
fn seq(events: &[Value], is: impl Fn(&Value) -> bool) -> u64 {
    events.iter().find(|event| is(event)).unwrap()["seq"].as_u64().unwrap()
}

fn crosses_to(role: &'static str) -> impl Fn(&Value) -> bool {
    move |event| event["event"] == "handed_off" && event["opened"][0]["role"] == role
}

fn prompts(home: &Path, role: &str, says: &str) -> String {
    let folder = home.join(format!("prompts-{role}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{role}.md")), says).unwrap();
    folder.to_string_lossy().into_owned()
}

fn file(home: &Path, name: &str, value: &Value) -> String {
    let path: PathBuf = home.join(name);
    std::fs::write(&path, value.to_string()).unwrap();
    path.to_string_lossy().into_owned()
}

fn runs(home: &Path) -> Vec<Value> {
    let (_, out, _) = masthead(home, &["runs", "--json"]);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_fork_with_nothing_changed_asks_no_model_again_wherever_it_begins() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    let (code, out, err) = brief(home.path(), &PAID);
    assert_eq!(code, 0, "{out}{err}");
    let (parent, asked) = (id(home.path()), server.asked().len());
    let all = events(home.path(), &parent);
    let export = |of: &str| masthead(home.path(), &["export", of]).1;
    // In the middle of calls that were sent, before the first one, and behind the last.
    let sent = seq(&all, |event| event["event"] == "attempt_sent");
    for at in [1, sent, all.len() as u64 / 2, all.len() as u64 - 1] {
        let (code, out, err) = fork(home.path(), &parent, at, &["--yes"]);
        assert_eq!(code, 0, "{at}: {out}{err}");
        assert_eq!(server.asked().len(), asked, "forked at {at}, it asks nothing again: {out}{err}");
        assert_eq!(export("last"), export(&parent), "{at}");
    }
    let forks = runs(home.path());
    assert_eq!(forks[0]["forked_from"]["run"], parent.as_str());
    assert_eq!(forks[0]["forked_from"]["at"], all.len() as u64 - 1);
    for fork in &forks[..4] {
        assert_eq!(fork["cost_pico_dollars"], 0, "what the parent paid is not paid again: {fork}");
    }
    let (_, out, _) = masthead(home.path(), &["runs"]);
    assert!(out.contains(&format!("(fork of {parent} at #1)")), "{out}");
    assert_eq!(masthead(home.path(), &["journal", "verify"]).0, 0);
}

#[test]
fn a_fork_with_another_prompt_says_what_it_keeps_and_costs_and_asks_only_what_differs() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let (parent, asked) = (id(home.path()), server.asked().len());
    let before = runs(home.path()).len();
    let writes = prompts(home.path(), "writer", "Write in short sentences.");
    let changed = ["--with-prompts", writes.as_str()];
    let (code, out, err) = fork(home.path(), &parent, 1, &changed);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    for says in [
        &format!("a fork of run {parent} at #1, changed: the prompt of the writer: line 1 said “"),
        "kept: 1 event, $0 paid already",
        "recorded answers after that, for requests that are equal",
        "done again: from #",
        "gates, memory, reviewer, writer",
        "cost: probably $",
        "--yes begins it, --max-cost caps what it costs",
    ] {
        assert!(err.contains(says), "{says}: {err}");
    }
    assert_eq!((server.asked().len(), runs(home.path()).len()), (asked, before), "nothing was asked, nothing begun");
    let (code, out, err) = fork(home.path(), &parent, 1, &[&changed[..], &["--yes"]].concat());
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("does not ask what it asked in run"), "{err}");
    assert!(err.contains("the prompt: in line 1 it said “") && err.contains("Write in short sentences."), "{err}");
    let new: Vec<&str> = server.asked()[asked..].iter().map(|question| question.role).collect();
    assert!(!new.is_empty() && new.iter().all(|role| ["writer", "reviewer"].contains(role)), "{new:?}");
    let paid = runs(home.path())[0]["cost_pico_dollars"].as_u64().unwrap();
    let whole = runs(home.path())[1]["cost_pico_dollars"].as_u64().unwrap();
    assert!(paid > 0 && paid < whole / 2, "{paid} of {whole}");
}

#[test]
fn recorded_answers_with_other_prompts_are_a_fork_at_the_first_event() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let (parent, asked) = (id(home.path()), server.asked().len());
    let file = home.path().join("run.jsonl");
    std::fs::write(&file, masthead(home.path(), &["journal", "dump", &parent]).1).unwrap();
    let writes = prompts(home.path(), "writer", "Write in short sentences.");
    // From the journal and from a file alike.
    for from in [parent.as_str(), &file.to_string_lossy()] {
        let without = ["brief", "Why?", "--sources", ".", "--with-prompts", &writes, "--headless"];
        let (code, out, err) = masthead(home.path(), &without);
        assert!(code == 2 && err.contains("--answers-from RUN names") && err.contains("masthead fork"), "{out}{err}");
        let args = ["brief", "--answers-from", from, "--with-prompts", &writes, "--headless"];
        let (code, _, err) = masthead(home.path(), &args);
        assert!(code == 2 && err.contains("cost: probably $"), "{err}");
        let before = server.asked().len();
        let (code, out, err) = masthead(home.path(), &[&args[..], &["--yes"]].concat());
        assert_eq!(code, 0, "{out}{err}");
        let new = server.asked()[before..].iter().filter(|question| question.role == "writer").count();
        assert!(new > 0 && server.asked().len() - before < asked / 2, "{new}");
    }
    assert!(runs(home.path()).iter().take(2).all(|fork| fork["forked_from"]["run"] == parent.as_str()));
    // A prompt of a role that is not there, one without a change, and none at all.
    let nobody = prompts(home.path(), "wirter", "---\nname: wirter\n---\nWrite.");
    let none = home.path().join("empty");
    std::fs::create_dir(&none).unwrap();
    let same = events(home.path(), &parent)[0]["team"]["members"]["writer"]["engaged"]["prompt"].clone();
    let same = prompts(&home.path().join("same"), "writer", same.as_str().unwrap());
    for (folder, says) in [
        (nobody.as_str(), "there is no wirter in the team of that run"),
        (&none.to_string_lossy(), "there is no prompt in"),
        (&same, "are those that the run had"),
        ("/nowhere", "the folder of prompts /nowhere cannot be read"),
    ] {
        let (code, _, err) = fork(home.path(), &parent, 1, &["--with-prompts", folder, "--yes"]);
        assert!(code == 2 && err.contains(says), "{says}: {err}");
    }
    // The room for answers that a prompt sets is part of the change.
    let roomy = prompts(&home.path().join("roomy"), "writer", "---\nname: writer\nanswer_tokens: 900\n---\nWrite.");
    let (_, _, err) = fork(home.path(), &parent, 1, &["--with-prompts", &roomy]);
    assert!(err.contains("answers of the writer: at most 900 tokens, not "), "{err}");
}

#[test]
fn another_model_a_plan_and_a_payload_take_effect_from_the_event_on() {
    let server = ModelServer::start(&["m", "n"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let parent = id(home.path());
    let all = events(home.path(), &parent);
    let writes = seq(&all, crosses_to("writer"));
    let asked = server.asked().len();
    let other = ["--yes", "--model", "writer=mine/n", "--price", "mine/n=2.00,8.00"];
    let (code, out, err) = fork(home.path(), &parent, writes, &other);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("changed: the writer asks mine/n instead of mine/m"), "{err}");
    assert!(err.contains("the model: it was mine/m, and now is mine/n"), "{err}");
    let new = &server.asked()[asked..];
    assert!(new.iter().all(|q| (q.role == "writer") == (q.model == "n")) && new.iter().any(|q| q.model == "n"));
    // A role that asked a model works by rule from there on.
    let (code, out, err) = fork(home.path(), &parent, writes, &["--yes", "--model", "writer=none"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("changed: the writer works by rule instead of asking mine/m"), "{err}");
    // A plan with a task less.
    let adopted = seq(&all, |event| event["event"] == "plan_adopted");
    let mut plan = all[adopted as usize - 1]["plan"].clone();
    plan["tasks"].as_array_mut().unwrap().pop();
    let shorter = file(home.path(), "plan.json", &plan);
    let (code, out, err) = fork(home.path(), &parent, adopted, &["--yes", "--plan", &shorter]);
    assert_eq!(code, 0, "{out}{err}");
    let mine = events(home.path(), "last");
    let tasks = |events: &[Value]| {
        let plan = events.iter().find(|event| event["event"] == "plan_adopted").unwrap();
        plan["plan"]["tasks"].as_array().unwrap().len()
    };
    assert_eq!(tasks(&mine) + 1, tasks(&all));
    plan["tasks"] = serde_json::json!([]);
    let empty = file(home.path(), "plan.json", &plan);
    let (code, _, err) = fork(home.path(), &parent, adopted, &["--yes", "--plan", &empty]);
    assert!(code == 2 && err.contains("the plan has no task"), "{err}");
    // A payload that the contract lets through, and one that it does not.
    let mut payload = all[writes as usize - 1]["opened"][0]["handoff"]["payload"].clone();
    payload["length"] = 150.into();
    let shorter = file(home.path(), "payload.json", &payload);
    let (code, out, err) = fork(home.path(), &parent, writes, &["--yes", "--payload", &shorter]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("the payload: in line") && err.contains("150"), "{err}");
    let mine = events(home.path(), "last");
    let written = mine.iter().find(|event| crosses_to("writer")(event)).unwrap();
    assert_eq!(written["opened"][0]["handoff"]["payload"]["length"], 150);
    payload.as_object_mut().unwrap().remove("findings");
    let broken = file(home.path(), "payload.json", &payload);
    let runs_before = runs(home.path()).len();
    let (code, _, err) = fork(home.path(), &parent, writes, &["--yes", "--payload", &broken]);
    assert!(code == 2 && err.contains("the payload has no `findings`"), "{err}");
    // Findings of a report are the person's where they changed them.
    let reported = seq(&all, |event| event["event"] == "reported" && event["handoff"]["names"][0] == "merger");
    let mut findings = all[reported as usize - 1]["handoff"]["payload"]["findings"].clone();
    findings.as_array_mut().unwrap().truncate(2);
    let fewer = file(home.path(), "findings.json", &findings);
    let researched = seq(&all, crosses_to("researcher"));
    let (code, _, err) = fork(home.path(), &parent, researched, &["--yes", "--payload", &broken]);
    assert!(code == 2 && err.contains("payloads cross there (1 ") && err.contains("say which"), "{err}");
    let (code, _, err) = fork(home.path(), &parent, 1, &["--yes", "--findings", &fewer]);
    assert!(code == 2 && err.contains("no event comes before it"), "{err}");
    let (code, _, err) = fork(home.path(), &parent, writes + 1, &["--yes", "--findings", &fewer]);
    assert!(code == 2 && err.contains("nothing crosses there"), "{err}");
    assert_eq!(runs(home.path()).len(), runs_before, "what is refused leaves no trace");
    let (code, out, err) = fork(home.path(), &parent, reported, &["--yes", "--findings", &fewer]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("changed: the findings of merger → supervisor"), "{err}");
}

#[test]
fn a_fork_of_a_fork_finds_the_answers_of_the_whole_family() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let parent = id(home.path());
    let all = events(home.path(), &parent);
    let writes = seq(&all, crosses_to("writer"));
    let old = all[0]["team"]["members"]["writer"]["engaged"]["prompt"].as_str().unwrap().to_owned();
    let new = prompts(home.path(), "writer", "Write in short sentences.");
    assert_eq!(fork(home.path(), &parent, writes, &["--yes", "--with-prompts", &new]).0, 0);
    let (child, asked) = (id(home.path()), server.asked().len());
    // Back to the first prompt: the grandparent has the answers.
    let back = prompts(&home.path().join("old"), "writer", &old);
    let forked = seq(&events(home.path(), &child), |event| event["event"] == "forked");
    assert_eq!(forked, writes + 1);
    let (code, out, err) = fork(home.path(), &child, forked, &["--yes", "--with-prompts", &back]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(server.asked().len(), asked, "{out}{err}");
    assert_eq!(runs(home.path())[0]["forked_from"]["run"], child.as_str());
    let export = |of: &str| masthead(home.path(), &["export", of]).1;
    assert_eq!(export("last"), export(&parent));
}

#[test]
fn a_dump_of_a_fork_is_shown_as_its_journal_is() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let parent = id(home.path());
    let writes = seq(&events(home.path(), &parent), crosses_to("writer"));
    assert_eq!(fork(home.path(), &parent, writes, &["--yes"]).0, 0);
    let child = id(home.path());
    let all = events(home.path(), &child);
    let forked = &all[writes as usize];
    assert_eq!((&forked["event"], &forked["kept"]), (&"forked".into(), &writes.into()));
    assert!(forked["at"].as_i64() >= all[writes as usize - 1]["at"].as_i64(), "it is told when it was: {forked}");
    let (_, dump, _) = masthead(home.path(), &["journal", "dump", &child]);
    let kept = home.path().join("child.jsonl");
    std::fs::write(&kept, dump).unwrap();
    let shown = masthead(home.path(), &["replay", &child]);
    assert_eq!(masthead(home.path(), &["replay", kept.to_str().unwrap()]), shown);
    assert!(shown.1.contains("forked"), "{}", shown.1);
}

#[test]
fn a_fork_in_the_middle_of_a_call_that_nobody_saw_end_makes_it_anew_and_says_so() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    // Of a run that ended with the call out, the journal ends where that was sent.
    let (_, dump, _) = masthead(home.path(), &["journal", "dump", "last"]);
    let sent =
        dump.lines().take_while(|line| !line.contains("\"role\":\"writer\"") || !line.contains("handed_off")).count();
    let sent = sent + 1 + dump.lines().skip(sent).position(|line| line.contains("\"event\":\"attempt_sent\"")).unwrap();
    let cut: Vec<&str> = dump.lines().take(sent).collect();
    let parent = home.path().join("cut.jsonl");
    std::fs::write(&parent, cut.join("\n")).unwrap();
    let (parent, sent) = (parent.to_string_lossy().into_owned(), sent as u64);
    let (code, _, err) = fork(home.path(), &parent, sent, &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("the record has no answer, so it is made anew"), "{err}");
    let asked = server.asked().len();
    let (code, out, err) = fork(home.path(), &parent, sent, &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("was never answered in run"), "{err}");
    assert!(server.asked().len() > asked);
}

#[test]
fn a_fork_of_what_is_not_there_or_has_ended_is_refused_and_sources_that_changed_are_named() {
    let home = tempfile::tempdir().unwrap();
    let docs = home.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for entry in std::fs::read_dir(example("vector-databases").join("qdrant")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, docs.join(path.file_name().unwrap())).unwrap();
    }
    let mut first: Command = crate::masthead(home.path());
    let (code, out, err) =
        run(first.args(["brief", "How does Qdrant filter?", "--headless", "--yes", "--sources"]).arg(&docs));
    assert_eq!(code, 0, "{out}{err}");
    let parent = id(home.path());
    let last = events(home.path(), &parent).len() as u64;
    for (at, says) in
        [(last + 1, format!("has {last} events: --at takes a number from 1 to")), (last, "has ended at #".to_owned())]
    {
        let (code, _, err) = fork(home.path(), &parent, at, &["--yes"]);
        assert!(code == 2 && err.contains(&says), "{at}: {err}");
    }
    let (code, _, err) = fork(home.path(), "nothing", 1, &[]);
    assert!(code == 2 && err.contains("nothing"), "{err}");
    let (code, _, err) = fork(home.path(), &parent, last - 1, &["--max-tool-calls", "1"]);
    assert!(code == 2 && err.contains("is too low: the events that the fork keeps"), "{err}");
    let read: Vec<PathBuf> = std::fs::read_dir(&docs).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in &read {
        std::fs::write(path, "Nothing of this is as it was.").unwrap();
    }
    // Recorded answers are used: the brief is the same, without a price and without --yes if nothing asks.
    let (code, out, err) = fork(home.path(), &parent, last - 1, &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("changed or gone since, as "), "{err}");
    std::fs::remove_dir_all(&docs).unwrap();
    let (code, out, err) = fork(home.path(), &parent, 1, &["--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        err.contains("sources: cannot read the source") && err.contains("What the record has of it is used"),
        "{err}"
    );
    let export = |of: &str| masthead(home.path(), &["export", of]).1;
    assert_eq!(export("last"), export(&parent));
    // A run that was itself answered from a record has no models to ask.
    assert_eq!(masthead(home.path(), &["brief", "--answers-from", &parent, "--headless", "--yes"]).0, 0);
    let (code, _, err) = fork(home.path(), "last", 1, &["--yes"]);
    assert!(code == 2 && err.contains(&format!("answered from the record of {parent}")), "{err}");
}

#[test]
fn two_runs_are_compared_stage_by_stage_and_no_winner_is_named() {
    let server = ModelServer::start(&["m"]);
    let home = home(&server);
    assert_eq!(brief(home.path(), &PAID).0, 0);
    let parent = id(home.path());
    let all = events(home.path(), &parent);
    let adopted = seq(&all, |event| event["event"] == "plan_adopted");
    let mut plan = all[adopted as usize - 1]["plan"].clone();
    let gone = plan["tasks"].as_array_mut().unwrap().pop().unwrap();
    let shorter = file(home.path(), "plan.json", &plan);
    assert_eq!(fork(home.path(), &parent, adopted, &["--yes", "--plan", &shorter]).0, 0);
    let child = id(home.path());
    let (_, out, _) = masthead(home.path(), &["runs", &child]);
    assert!(out.contains(&format!(" of the money was paid by {parent}\n")), "{out}");
    let (code, out, err) = masthead(home.path(), &["compare", &parent, &child]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for says in [
        &format!("{child} · done · $"),
        &format!("fork of {parent} at #{adopted}"),
        &format!("only in {parent}"),
        "first request that differs: ",
        // A sentence that is found has the name that the plan left out, so that it is not looked for once more.
        "plan: 2 alike, 1 only in",
        &format!("  < {}", gone["title"].as_str().unwrap()),
        "researcher",
        "this does not say which is better",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
    let (code, out, _) = masthead(home.path(), &["compare", &parent, &child, "--json"]);
    let compared: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, compared["same_question"].as_bool()), (0, Some(true)));
    assert_eq!(compared["plan"][2]["is"], "first");
    assert!(compared["findings"].as_array().unwrap().iter().any(|row| row["is"] == "both"));
    assert!(compared["stages"].as_array().unwrap().iter().any(|stage| stage["role"] == "writer"));
    // A run with itself is alike throughout; one of another question is compared all the same.
    let (_, out, _) = masthead(home.path(), &["compare", &parent, &parent]);
    assert!(
        !out.contains("\n  <") && !out.contains("\n  >") && out.contains("every request that both made is equal"),
        "{out}"
    );
    let mut other = crate::masthead(home.path());
    other.args(["brief", "What is Qdrant?", "--headless", "--yes", "--extractive", "--sources"]);
    assert_eq!(run(other.arg(example("vector-databases"))).0, 0);
    let (code, out, _) = masthead(home.path(), &["compare", &parent, "last"]);
    assert!(code == 0 && out.contains("they were asked different questions"), "{out}");
    let (code, _, err) = masthead(home.path(), &["compare", &parent, "nowhere"]);
    assert!(code == 2 && err.contains("nowhere"), "{err}");
    let dump = home.path().join("dump.jsonl");
    std::fs::write(&dump, "{}").unwrap();
    let (code, _, err) = masthead(home.path(), &["export", &dump.to_string_lossy()]);
    assert!(code == 2 && err.contains("is no event of a run") && err.contains("masthead journal dump"), "{err}");
}

#[test]
fn what_the_page_on_debugging_types_works_as_it_stands_as_far_as_it_goes_without_a_model() {
    let home = tempfile::tempdir().unwrap();
    let page = include_str!("../../docs/debugging.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["docs", "examples", "prompts"] {
        std::os::unix::fs::symlink(root.join(folder), home.path().join(folder)).unwrap();
    }
    let makes = page.lines().find_map(|line| line.strip_prefix("$ mkdir ")).unwrap();
    let made = Command::new("sh").args(["-c", &format!("mkdir {makes}")]).current_dir(home.path()).status().unwrap();
    assert!(made.success(), "{makes}");
    let typed = page.lines().map(|line| line.trim_start_matches("$ "));
    let of_files = |line: &&str| line.split_whitespace().nth(2).is_some_and(|file| file.starts_with("docs/debugging/"));
    let typed: Vec<&str> = typed.filter(|line| line.starts_with("masthead ")).filter(of_files).collect();
    assert_eq!(typed.len(), 5, "{typed:?}");
    let ids = page.lines().any(|line| line.contains("masthead fork wvxncc"));
    assert!(!ids, "no journal but that of the page has this run");
    for line in typed {
        let mut args: Vec<&str> = line.split_whitespace().skip(1).collect();
        let is_fork = args[0] == "fork";
        args.extend((is_fork && !args.contains(&"--headless")).then_some("--headless"));
        let (code, out, err) = run(crate::masthead(home.path()).current_dir(home.path()).args(&args));
        assert_eq!(code, if is_fork { 4 } else { 0 }, "{line}: {out}{err}");
        if is_fork {
            let printed = page.lines().skip_while(|shown| !shown.ends_with(line)).skip(1);
            for shown in printed.take_while(|shown| !shown.starts_with("Enter") && *shown != "…") {
                assert!(err.contains(shown), "{shown}: {err}");
            }
            if args.contains(&"--break") {
                let (code, out, err) = masthead(home.path(), &["resume", "last", "--headless", "--yes"]);
                assert!(code == 4 && out.contains("breakpoint handoff:writer"), "{out}{err}");
            } else {
                assert!(err.contains("OPENAI_COMPATIBLE_BASE_URL"), "{line}: {out}{err}");
            }
        }
    }
}
