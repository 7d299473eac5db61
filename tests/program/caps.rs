//! Caps on whole runs: the words about them before, and their effect.

use kit::model_server::{Does, Order};
use kit::{ModelServer, example, questions, run, until};

/// The words of a run to the person and in its brief.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    /// Researchers that came to the end of their task.
    fn done(&self) -> usize {
        let ended = self.out.lines().filter(|line| line.contains(" researcher ") && line.contains(" ms · "));
        ended.filter(|line| !line.contains("out of budget") && !line.contains("partial:")).count()
    }

    /// The money spent in all, in dollars.
    fn spent(&self) -> f64 {
        let last = self.out.lines().rfind(|line| line.contains("  run  ")).unwrap_or_else(|| panic!("{self}"));
        let dollars = last.split(" · $").nth(1).and_then(|rest| rest.split(' ').next());
        dollars.and_then(|dollars| dollars.parse().ok()).unwrap_or_else(|| panic!("{last}"))
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}\n{}", self.code, self.out, self.err)
    }
}

/// A brief on `n` questions, with these caps.
fn brief(n: usize, args: &[&str]) -> Said {
    let home = tempfile::tempdir().unwrap();
    let sources = example("vector-databases");
    let mut command = crate::masthead(home.path());
    command.args(["brief", &questions(n), "--headless", "--yes", "--sources"]).arg(sources).args(args);
    let (code, out, err) = run(&mut command);
    Said { code, out, err }
}

/// A brief by a scripted model at three dollars a million tokens in and fifteen out, and the prompt of its researchers, where it
/// is another.
fn asked(question: &str, researcher: Option<String>, args: &[&str]) -> Said {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(prompt) = researcher {
        std::fs::create_dir_all(folder.join("teams/brief")).unwrap();
        std::fs::write(folder.join("teams/brief/researcher.md"), prompt).unwrap();
    }
    let server = ModelServer::start(&["finds"]);
    let config = format!("[providers.mine]\nlike = \"openai-compatible\"\nbase_url = \"{}\"\n", server.url());
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let mut command = crate::masthead(home.path());
    command.args(["brief", question, "--headless", "--sources"]).arg(example("vector-databases"));
    command.args(["--price", "mine/finds=3,15"]).args(args);
    let (code, out, err) = run(&mut command);
    Said { code, out, err }
}

/// Researchers that ask the model.
fn by_a_model(n: usize, args: &[&str]) -> Said {
    asked(&questions(n), None, &[&["--yes", "--model", "researcher=mine/finds"], args].concat())
}

/// Three things are compared, all by the model; its researchers have this cap of their own.
fn compared(own_cap: &str, args: &[&str]) -> Said {
    let prompt = include_str!("../../prompts/brief/researcher.md").replacen("---\n", &format!("---\n{own_cap}"), 1);
    let question = "Compare the limits of pgvector, Qdrant and Pinecone";
    asked(question, Some(prompt), &[&["--model", "mine/finds"], args].concat())
}

#[test]
fn what_was_found_is_written_by_the_writer_under_every_cap_that_allows_research() {
    let need = compared("", &["--yes", "--max-cost", "9.00"]).spent();
    for percent in [60, 80, 100, 125, 150, 200] {
        let cap = need * f64::from(percent) / 100.0;
        let said = compared("", &["--yes", "--max-cost", &format!("{cap:.4}")]);
        assert!(said.spent() <= cap * 1.03, "{percent} % of {need}: {said}");
        let has_found = said.out.contains(" findings approved");
        assert!(!has_found || !said.out.contains("the writer out of budget"), "{percent} % of {need}: {said}");
        // Research that the next reservation cut short is said to be partial.
        let cut = said.out.matches("◐ partial     the cap left no room for more research").count();
        let is_whole = said.done() == 3 && (said.code == 0) == (cut == 0);
        assert!(percent < 150 || is_whole, "{percent} % of {need}: {said}");
    }
}

#[test]
fn nobody_is_asked_for_a_higher_cap_while_there_is_room_for_another_piece_of_research() {
    let need = compared("", &["--yes", "--max-cost", "9.00"]).spent();
    let said = compared("", &["--max-cost", &format!("{:.4}", need * 1.6)]);
    assert!(said.code == 4 && said.out.contains("findings to approve"), "{said}");
    assert!(!said.out.contains("no room for what comes next"), "{said}");
}

#[test]
fn a_cap_of_a_role_below_one_call_is_said_before_the_run_with_its_file() {
    let said = compared("max_cost: 0.01\n", &["--yes", "--max-cost", "9.00"]);
    assert!(said.err.contains("the researcher cannot ask its model even once: its own money cap is $0.010"), "{said}");
    assert!(said.err.contains("raise `max_cost` in its prompt file researcher.md"), "{said}");
}

#[test]
fn all_tasks_are_researched_under_a_cap_that_is_above_what_they_cost_though_not_above_all_reservations_at_once() {
    for (n, args) in [(10, &[][..]), (3, &["--max-cost", "0.25"]), (40, &["--max-cost", "2.00"])] {
        let said = by_a_model(n, args);
        assert_eq!((said.code, said.done()), (0, n), "{args:?}: {said}");
        assert!(said.spent() > 0.0, "{said}");
    }
}

#[test]
fn a_cap_that_is_too_low_is_said_before_the_run_and_what_was_left_out_in_the_brief() {
    let said = by_a_model(10, &["--max-cost", "0.10"]);
    assert_eq!(said.code, 3, "{said}");
    assert!(said.err.contains("; with $0.10, ") && said.err.contains(" of 10 tasks fit"), "{said}");
    assert!(said.spent() <= 0.10 && said.done() > 0 && said.done() < 10, "{said}");
    assert!(said.out.contains("too little was left of the run's money cap of $0.10"), "{said}");
}

#[test]
fn the_team_without_models_finds_something_under_any_cap_that_allows_a_search() {
    let free = brief(10, &[]);
    assert_eq!(free.done(), 10, "{free}");
    let mut before = 0;
    for cap in ["30k", "40k", "60k", "200k"] {
        let said = brief(10, &["--max-tokens", cap]);
        let findings = said.out.lines().filter(|line| line.contains(" researcher ")).filter_map(|line| {
            let (words, _) = line.rsplit_once(" finding")?;
            words.rsplit(' ').next()?.parse::<usize>().ok()
        });
        let found: usize = findings.sum();
        assert!(found > 0 && found >= before, "{cap}: {found} after {before}: {said}");
        assert_eq!(said.done() < 10, said.err.contains(" of 10 tasks fit"), "{cap}: {said}");
        before = found;
    }
}

#[test]
fn why_nothing_was_found_is_said_once_in_a_brief() {
    let said = brief(3, &["--max-tool-calls", "1"]);
    assert_eq!(said.code, 3, "{said}");
    let brief = &said.out[said.out.find("\n# ").unwrap_or_else(|| panic!("no brief: {said}"))..];
    assert_eq!(brief.matches("tool-call cap of 1").count(), 1, "{brief}");
    assert_eq!(brief.matches(": not researched.").count(), 3, "{brief}");
}

/// A brief on one thing by a model that plans and researches, under this cap.
fn on_one_thing(cap: &str) -> Said {
    let by = ["--model", "planner=mine/finds", "--model", "researcher=mine/finds"];
    asked("What are the limits of pgvector?", None, &[&by[..], &["--yes", "--no-memory", "--max-cost", cap]].concat())
}

#[test]
fn research_that_a_cap_cut_short_is_partial_and_what_had_finished_is_not() {
    const WHY: &str = "the cap left no room for more research";
    let mut cut = 0;
    for cap in ["0.05", "0.06", "0.07", "0.08", "0.09", "0.10", "0.12"] {
        let said = on_one_thing(cap);
        println!("{cap}: {} {}", said.code, said.err);
        if !said.out.contains(WHY) {
            continue;
        }
        cut += 1;
        assert_eq!(said.code, 3, "{cap}: {said}");
        assert!(said.err.contains(&format!("1 of 1 research tasks did not finish ({WHY}); see Gaps")), "{cap}: {said}");
        assert!(said.out.contains(&format!("the research is partial ({WHY})")), "{cap}: {said}");
    }
    assert!(cut > 0);
    let whole = on_one_thing("0.50");
    assert!(whole.code == 0 && !whole.out.contains(WHY), "{whole}");
}

#[test]
fn a_usage_that_cannot_be_or_is_missing_is_told_to_the_person_with_its_calls() {
    for (does, reported) in
        [(Does::Bills(1_000_000_000_000_000_000), "an impossible usage"), (Does::TellsNoUsage, "no usage")]
    {
        let home = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&["finds"]);
        server.order(Order::all(does).times(2));
        let mut command = asks(home.path(), &server, 1, &["--price", "mine/finds=3,15"]);
        let (code, out, err) = run(&mut command);
        assert_eq!(code, 0, "{out}{err}");
        let told = format!("the provider of mine/finds reported {reported} (2 calls): their cost is an estimate");
        let brief = out.split_once("\n# ").unwrap_or_else(|| panic!("no brief: {out}")).1;
        assert!(brief.contains(&told) && err.contains(&told), "{out}{err}");
        let line = out.lines().rfind(|line| line.contains("  run  ")).unwrap_or_default();
        assert!(line.contains(&told), "{line}");
        for args in [
            &["runs", "last"][..],
            &["runs", "last", "--json"],
            &["export", "last"],
            &["export", "last", "--format", "json"],
        ] {
            let (code, out, err) = run(crate::masthead(home.path()).args(args));
            assert!(code == 0 && out.contains(&told), "{args:?}: {out}{err}");
        }
    }
}

/// A brief by this one model on this server.
fn asks(home: &std::path::Path, server: &ModelServer, tasks: usize, args: &[&str]) -> std::process::Command {
    let folder = home.join(".config/masthead");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.config("mine")).unwrap();
    let mut command = crate::masthead(home);
    command.args(["brief", &questions(tasks), "--headless", "--yes", "--sources"]).arg(example("vector-databases"));
    command.args(["--model", "researcher=mine/finds"]).args(args);
    command
}

#[test]
fn a_model_that_does_not_answer_is_waited_for_no_longer_than_the_time_cap_and_there_is_a_brief_all_the_same() {
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["finds"]);
    server.order(Order::all(Does::Stalls));
    // Time enough to come to the question: reading the sources counts, too.
    let (code, out, err) = run(&mut asks(home.path(), &server, 3, &["--max-time", "15s"]));
    assert_eq!(code, 3, "{out}{err}");
    assert!(out.contains("the run's time cap of 15s") && out.contains("\n# "), "{out}{err}");
    let (_, events, _) = run(crate::masthead(home.path()).args(["journal", "dump", "last"]));
    assert!(events.contains("\"out_of_time\""), "{events}");
}

/// The last sign of work on the only run of a home.
fn last_sign(home: &std::path::Path) -> Option<std::time::SystemTime> {
    let claims = home.join("data/claims");
    std::fs::read_dir(claims).ok()?.flatten().next()?.metadata().ok()?.modified().ok()
}

#[test]
fn time_that_a_killed_process_worked_while_nothing_came_back_counts_when_the_run_is_taken_up() {
    use std::process::Stdio;
    let home = tempfile::tempdir().unwrap();
    let server = ModelServer::start(&["finds"]);
    server.order(Order::all(Does::Stalls));
    let mut command = asks(home.path(), &server, 3, &["--max-time", "10m"]);
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut waits = |what: &str, is_so: &dyn Fn() -> bool| {
        until(what, || {
            assert!(process.try_wait().unwrap().is_none(), "it ended before: {what}");
            is_so()
        });
    };
    waits("the model is asked", &|| !server.asked().is_empty());
    let asked = std::time::SystemTime::now();
    let since = |sign: std::time::SystemTime| sign.duration_since(asked).unwrap_or_default().as_millis();
    waits("a sign of work", &|| last_sign(home.path()).is_some_and(|sign| since(sign) >= 1_000));
    process.kill().unwrap();
    process.wait().unwrap();
    server.mend();
    let (code, out, err) =
        run(crate::masthead(home.path()).args(["resume", "last", "--headless", "--in-doubt", "retry"]));
    assert_eq!(code, 0, "{out}{err}");
    let (_, events, _) = run(crate::masthead(home.path()).args(["journal", "dump", "last"]));
    let events: Vec<serde_json::Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let taken_up = events.iter().rposition(|event| event["event"] == "attached").unwrap();
    let worked = events[taken_up]["worked_until"].as_i64().unwrap() - events[taken_up - 1]["at"].as_i64().unwrap();
    assert!((900..600_000).contains(&worked), "{worked} ms");
}
