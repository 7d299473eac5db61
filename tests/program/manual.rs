//! The manual holds every argument of the program, manual pages are whole, and messages of the first hour are plain.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kit::run;

use crate::masthead;

const MANUAL: &str = include_str!("../../docs/manual.md");

/// Whether a word stands in the manual as code: alone, or with its arguments.
fn is_in_the_manual(word: &str) -> bool {
    let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    MANUAL
        .match_indices(word)
        .any(|(at, _)| ends(MANUAL[..at].chars().next_back()) && ends(MANUAL[at + word.len()..].chars().next()))
}

/// The help of a command, and of the commands below it.
fn helps(home: &Path, command: &[&str]) -> Vec<String> {
    let (code, help, err) = run(masthead(home).args(command).arg("--help"));
    assert_eq!(code, 0, "{command:?}: {err}");
    let below = help.split("\nCommands:\n").nth(1).unwrap_or_default().lines().take_while(|line| !line.is_empty());
    let names = below.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    let below: Vec<String> =
        names.filter(|name| *name != "help").flat_map(|name| helps(home, &[command, &[name]].concat())).collect();
    [vec![help], below].concat()
}

/// The keys that a file may have, as the program names them for one that is wrong.
fn keys_of(home: &Path, file: &str, text: &str) -> BTreeSet<String> {
    let path = home.join(".config/masthead").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    let (code, out, err) = run(masthead(home).arg("doctor"));
    std::fs::remove_file(&path).unwrap();
    let said = out + &err;
    let list = ["expected one of ", "expected ", "is none of "].into_iter().find_map(|intro| said.split(intro).nth(1));
    let list = list.filter(|_| code != 0).unwrap_or_else(|| panic!("{file} takes anything: {text}\n{said}"));
    let words = list.lines().next().unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty() && *word != "or").map(str::to_owned).collect()
}

#[test]
fn the_manual_names_every_command_every_flag_and_every_exit_code() {
    let home = tempfile::tempdir().unwrap();
    let helps = helps(home.path(), &[]);
    assert!(helps.len() > 14, "{helps:?}");
    for help in &helps {
        let usage = help.split("Usage: masthead").nth(1).unwrap().lines().next().unwrap();
        for command in usage.split(' ').filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())) {
            assert!(is_in_the_manual(command), "the manual does not name the command {command}");
        }
        let options =
            help.lines().map(str::trim_start).filter(|line| line.starts_with("--") || line.starts_with("-o,"));
        for flag in options.flat_map(|line| line.split([' ', ','])).filter(|word| word.starts_with("--")) {
            assert!(is_in_the_manual(flag), "the manual does not name {flag}:\n{help}");
        }
        for variable in help.split("[env: ").skip(1).filter_map(|rest| rest.split(['=', ']']).next()) {
            assert!(is_in_the_manual(variable), "the manual does not name {variable}");
        }
    }
    let codes = helps[0].split("Exit codes:\n").nth(1).unwrap().lines();
    let codes: Vec<&str> = codes.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.len() >= 8, "{codes:?}");
    for code in codes {
        let row = [format!("\n| {code} |"), format!("\n| {code}, ")];
        assert!(row.iter().any(|row| MANUAL.contains(row)), "the manual does not say what {code} means");
    }
}

#[test]
fn the_manual_names_every_variable_of_its_own_that_the_program_reads_or_sets() {
    fn named(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                named(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let strings = text.split('"').filter(|string| string.starts_with("MASTHEAD_"));
                let is_name = |string: &&str| string.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                found.extend(strings.filter(is_name).map(str::to_owned));
            }
        }
    }
    let mut found = BTreeSet::new();
    named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.contains("MASTHEAD_DATA_DIR"), "{found:?}");
    let table = MANUAL.split("\n## Environment variables\n").nth(1).unwrap().split("\n## ").next().unwrap();
    for variable in found {
        assert!(table.contains(&format!("`{variable}`")), "the table of variables does not name {variable}");
    }
}

#[test]
fn the_manual_names_every_key_of_every_file() {
    let home = tempfile::tempdir().unwrap();
    let team = include_str!("../../prompts/brief/team.toml");
    let writer =
        |line: &str| ("teams/brief/team.toml", team.replace("[members.writer]", &format!("[members.writer]\n{line}")));
    let rules =
        "[members.style]\ndescription = \"\"\nkind = \"extractive\"\nturns = 2\ngate = { rules = [{ zzz = 1 }] }\n";
    let files = [
        ("config.toml", "zzz = 1".to_owned()),
        ("config.toml", "in_doubt = \"zzz\"".to_owned()),
        ("config.toml", "unknown_price = \"zzz\"".to_owned()),
        ("config.toml", "[memory]\nzzz = 1".to_owned()),
        ("config.toml", "[screen]\nzzz = 1".to_owned()),
        ("config.toml", "[screen]\nbackground = \"zzz\"".to_owned()),
        ("config.toml", "[providers.mine]\nzzz = 1".to_owned()),
        ("prices.toml", "zzz = 1".to_owned()),
        ("prices.toml", "[models]\n\"a/b\" = { in = 1, out = 1, zzz = 1 }".to_owned()),
        ("teams/brief/team.toml", format!("zzz = 1\n{team}")),
        ("teams/brief/team.toml", format!("order = \"zzz\"\n{team}")),
        ("teams/brief/team.toml", format!("joins = {{ zzz = 1 }}\n{team}")),
        ("teams/brief/team.toml", format!("joins = {{ merge = \"zzz\" }}\n{team}")),
        writer("zzz = 1"),
        writer("priority = \"zzz\""),
        writer("limits = { zzz = 1 }"),
        writer("timeouts = { zzz = 1 }"),
        writer("gate = { zzz = 1 }"),
        writer("gate = { checks = [\"zzz\"] }"),
        ("teams/brief/team.toml", team.replacen("on_failure = [\"skip\"]", "on_failure = [\"zzz\"]", 1)),
        ("teams/brief/team.toml", format!("{team}\n{rules}")),
    ];
    // Fields that a team is recorded with, and names of custom gates' checks in verdicts: nobody writes these.
    let recorded = ["registered", "engaged", "spares", "style", "house"];
    let (mut named, mut missing) = (0, Vec::new());
    for (file, text) in files {
        for key in keys_of(home.path(), file, &text).into_iter().filter(|key| !recorded.contains(&key.as_str())) {
            named += 1;
            if !is_in_the_manual(&key) {
                missing.push((file, key));
            }
        }
    }
    assert!(missing.is_empty(), "the manual does not name {missing:?}");
    assert!(named > 70, "{named} keys");
    let styles: toml::Table = toml::from_str(include_str!("../../themes/default.toml")).unwrap();
    let styles = styles["styles"].as_table().unwrap().keys().map(String::as_str);
    for key in styles.chain(["inherits", "fg", "bg", "modifiers"]).chain(team::PROMPT_KEYS.iter().copied()) {
        assert!(is_in_the_manual(key), "the manual does not name `{key}` of themes or prompts");
    }
}

#[test]
fn the_manual_names_the_variables_of_every_provider() {
    let profiles: toml::Table = toml::from_str(include_str!("../../src/model/profiles.toml")).unwrap();
    let profiles = profiles["profile"].as_array().unwrap();
    assert!(profiles.len() > 10);
    for profile in profiles {
        let texts = |key: &str| profile.get(key).and_then(|list| list.as_array()).into_iter().flatten().cloned();
        let keys = texts("keys").filter_map(|key| key.get("env").cloned());
        let one = ["host_env", "custom_headers_env", "name"].into_iter().filter_map(|key| profile.get(key).cloned());
        for variable in keys.chain(texts("base_env")).chain(one) {
            let variable = variable.as_str().unwrap();
            assert!(is_in_the_manual(variable), "the manual does not name {variable}");
        }
    }
}

#[test]
fn the_manual_says_what_every_key_of_the_screens_does() {
    fn rows(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rows(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                let rows =
                    text.lines().map(str::trim).filter(|line| line.starts_with("row(&[") && line.ends_with("\"),"));
                found.extend(rows.filter_map(|row| Some(row.rsplit('"').nth(1)?.to_owned())));
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui");
    let mut found = Vec::new();
    ["screens", "overlays"].iter().for_each(|folder| rows(&source.join(folder), &mut found));
    assert!(found.len() > 90, "{}", found.len());
    for does in found {
        assert!(MANUAL.contains(&format!("| {does} |")), "the manual has no key that does: {does}");
    }
}

#[test]
fn the_files_of_the_manual_are_taken_as_they_stand_there() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(config.join("themes")).unwrap();
    std::fs::create_dir_all(config.join("teams/brief")).unwrap();
    let block = |kind: &str, with: &str| {
        let fence = format!("```{kind}\n");
        let mut blocks = MANUAL.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next());
        blocks.find(|block| block.contains(with)).unwrap_or_else(|| panic!("the manual has no {with}")).to_owned()
    };
    let write = |file: &str, text: String| std::fs::write(config.join(file), text).unwrap();
    write("config.toml", block("toml", "masthead/config.toml"));
    write("prices.toml", block("toml", "# prices.toml"));
    write("themes/mine.toml", block("toml", "# themes/mine.toml"));
    write("teams/brief/checker.md", block("markdown", "name: checker"));
    let keys = |command: &mut std::process::Command| {
        run(command
            .env("ANTHROPIC_API_KEY", "sk-canary-1")
            .env("OPENAI_API_KEY", "sk-canary-2")
            .env("MY_KEY", "sk-canary-3"))
    };
    let (code, out, err) = keys(masthead(home.path()).args(["doctor", "--model", "researcher=mine/large"]));
    assert_eq!(code, 0, "{out}{err}");
    for says in [
        "checker            anthropic/claude-haiku-5-5 (`default` in [models] of config.toml: a small one, as its prompt asks)",
        "$0.50 in, $2.00 out",
        "a key is set (MY_KEY)",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
    let (code, out, err) = run(masthead(home.path()).args(["drill", "lost-handoff", "--headless", "--theme", "mine"]));
    assert_eq!(code, 0, "{out}{err}");
    let questions = home.path().join("questions.toml");
    std::fs::write(&questions, block("toml", "# questions.toml")).unwrap();
    let sources = format!("vectors={}/examples/vector-databases", env!("CARGO_MANIFEST_DIR"));
    let (code, out, err) = run(masthead(home.path()).arg("eval").arg(&questions).args(["--sources", &sources]));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("filters"), "{out}");
}

#[test]
fn every_command_has_a_manual_page_and_no_page_names_one_that_is_not_there() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("share/man/man1");
    let (code, out, err) = run(masthead(home.path()).args(["man", "--to"]).arg(&folder));
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    let pages: BTreeSet<String> =
        std::fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap()).collect();
    for page in ["masthead.1", "masthead-brief.1", "masthead-man.1", "masthead-journal.1", "masthead-journal-dump.1"] {
        assert!(pages.contains(page), "{page}: {pages:?}");
    }
    let (_, main, _) = run(masthead(home.path()).arg("man"));
    let texts = pages.iter().map(|page| std::fs::read_to_string(folder.join(page)).unwrap());
    for text in texts.chain([main.clone()]) {
        let plain = text.replace('\\', "");
        for named in plain.split_whitespace().filter_map(|word| word.strip_suffix("(1)")) {
            assert!(pages.contains(&format!("{named}.1")), "{named}: {pages:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.join("masthead.1")).unwrap(), main);
    assert!(main.contains(".TH masthead 1"), "{main}");
    assert!(main.contains(".SH \"EXIT STATUS\"\n") && !main.contains("EXTRA"), "{main}");
    let brief = std::fs::read_to_string(folder.join("masthead-brief.1")).unwrap();
    assert!(brief.contains(".SH SYNOPSIS\nmasthead brief [OPTIONS] [QUESTION]\n"), "{brief}");
    let mode = std::fs::metadata(folder.join("masthead.1")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644, "pages may be installed for all users");
    let (code, _, err) = run(masthead(home.path()).args(["man", "--to"]).arg(folder.join("masthead.1")));
    assert!(code == 2 && err.contains("masthead.1 cannot be made"), "{code}: {err}");
}

#[test]
fn the_help_says_what_holds_of_drills_and_of_runs_of_other_programs() {
    let home = tempfile::tempdir().unwrap();
    let help = |args: &[&str]| {
        let (code, out, err) = run(masthead(home.path()).args(args));
        assert_eq!(code, 0, "{err}");
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (code, out, err) = run(masthead(home.path()).args(["drill", "loop-of-two", "--headless"]));
    assert_eq!(code, 0, "it does not park without --yes: {out}{err}");
    let drill = help(&["drill", "--help"]);
    assert!(drill.contains("Without screens its findings are approved") && !drill.contains("parks"), "{drill}");
    assert!(help(&["open", "--help"]).contains("List the sessions of Claude Code and Codex on this machine"));
    assert!(help(&["--help"]).contains("OTLP, LangSmith, Langfuse, OpenAI Agents SDK"));
}

#[test]
fn a_theme_that_is_not_there_is_named_also_where_no_screen_shows_it() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("gizmo.md"), "# Gizmo\n\nGizmo keeps tables in files.\n").unwrap();
    let brief = ["brief", "How does Gizmo keep tables?", "--sources", "gizmo.md", "--headless", "--yes"];
    for args in [&brief[..], &["drill", "lost-handoff", "--headless"], &["resume", "last"], &["replay", "last"]] {
        let (code, out, err) = run(masthead(home.path()).current_dir(home.path()).args(args).args(["--theme", "nope"]));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains("no theme `nope`; there are: default, dark"), "{args:?}: {err}");
    }
}

#[test]
fn doctor_says_that_a_key_is_set_and_not_that_it_works_and_a_failure_once() {
    let home = tempfile::tempdir().unwrap();
    let doctor = |more: &[&str]| {
        let mut command = masthead(home.path());
        command.env("MINE_KEY", "sk-canary").arg("doctor").args(["--model", "mine/a", "--model", "writer=mine/b"]);
        run(command.args(["--price", "mine/a=1,2", "--price", "mine/b=1,2"]).args(more))
    };
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    let mine = "[providers.mine]\nlike = \"groq\"\nbase_url = \"https://127.0.0.1:1/v1\"\napi_key_env = \"MINE_KEY\"\n";
    std::fs::write(config.join("config.toml"), mine).unwrap();
    let (code, out, err) = doctor(&[]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("a key is set (MINE_KEY), not asked yet: --test asks"), "{out}");
    let (code, out, err) = doctor(&["--test"]);
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(out.matches("cannot be reached").count(), 1, "{out}");
    assert!(out.contains("mine/b: not tried: the same would come of it as of mine/a"), "{out}");
    // Neither is a server that is not there said to be missing again and again.
    std::fs::write(config.join("config.toml"), "[providers.ollama]\nbase_url = \"http://127.0.0.1:1/v1\"\n").unwrap();
    let (code, out, err) = run(masthead(home.path()).args(["doctor", "--model", "ollama/small"]));
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(out.matches("http://127.0.0.1:1/v1").count(), 1, "{out}");
}

#[test]
fn doctor_says_what_keeps_every_run_from_beginning_and_which_of_several_providers_is_used() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[models]\ndefault = \"anthropic\"\n").unwrap();
    let (code, out, err) = run(masthead(home.path()).arg("doctor"));
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("No run begins until that is fixed; --extractive works without models"), "{out}");
    for says in ["by rule", "is used", "none was requested"] {
        assert!(!out.contains(says), "{says}: {out}");
    }
    std::fs::remove_file(config.join("config.toml")).unwrap();
    let mut keys = masthead(home.path());
    keys.env("ANTHROPIC_API_KEY", "sk-canary-1").env("OPENAI_API_KEY", "sk-canary-2").env("HF_TOKEN", "hf-canary");
    let (code, out, err) = run(keys.arg("doctor"));
    assert_eq!(code, 0, "{out}{err}");
    let over: Vec<&str> = out.lines().filter(|line| line.contains("since anthropic comes first")).collect();
    assert!(over.len() == 1 && over[0].trim().starts_with("openai ") && over[0].contains("--model openai"), "{out}");
    let (_, out, _) = run(keys.args(["--model", "openai"]));
    assert!(!out.contains("comes first"), "one was named: {out}");
}

#[test]
fn lines_for_people_hold_no_ids_that_nothing_explains() {
    let home = tempfile::tempdir().unwrap();
    for args in [&["drill", "lost-handoff", "--headless"][..], &["drill", "runaway-specialist", "--headless"]] {
        let (code, out, err) = run(masthead(home.path()).args(args));
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("● started     from supervisor"), "{out}");
        let is_id =
            |word: &str| word.starts_with('#') && word.len() > 1 || word.contains("0.t") || word.contains("k0.");
        let stages = out.lines().take_while(|line| !line.is_empty());
        let ids: Vec<&str> = stages.flat_map(str::split_whitespace).filter(|word| is_id(word)).collect();
        assert!(ids.is_empty(), "{ids:?}: {out}");
    }
}

#[test]
fn a_line_is_one_line_and_says_a_thing_once() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("gizmo.md"), "# Gizmo\n\nGizmo keeps tables in three files.\n").unwrap();
    let brief = |question: &str, more: &[&str]| {
        let mut command = masthead(home.path());
        command.current_dir(home.path()).args(["brief", question, "--headless", "--yes", "--no-memory"]);
        run(command.args(more))
    };
    let (code, out, err) = brief("How long does bread proof?\nWhat is Gizmo?", &["--sources", "gizmo.md"]);
    assert_eq!(code, 0, "{out}{err}");
    let stages: Vec<&str> = out.lines().take_while(|line| !line.is_empty()).collect();
    assert!(stages.iter().all(|line| line[..9].trim().ends_with('s')), "{out}");
    let bread = stages.iter().find(|line| line.contains("◐ nothing found")).expect("nothing on bread");
    assert_eq!(bread.matches("nothing found").count(), 1, "{bread}");
    assert!(!out.contains("· 1 tool calls"), "{out}");
    // Nothing listens at this address: each attempt of each task fails for the same reason.
    let mut command = masthead(home.path());
    command.env("MASTHEAD_WIKIPEDIA_URL", "http://127.0.0.1:1").args(["brief", "What are the Alps and the Andes?"]);
    let (code, out, err) = run(command.args(["--web", "wikipedia", "--headless", "--yes", "--no-memory"]));
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(err.matches("could not be searched").count(), 1, "{err}");
    let (code, _, err) = run(masthead(home.path())
        .args(["eval", "docs/eval/questions.toml", "--sources", "a=/nowhere"])
        .current_dir(env!("CARGO_MANIFEST_DIR")));
    assert!(code == 2 && err.contains("the folder of a is not there: /nowhere"), "{code}: {err}");
    // A collection that is missing is said before anything is asked.
    let (code, _, err) = run(masthead(home.path())
        .args(["eval", "docs/eval/questions.toml", "--sources", "vectors=examples/vector-databases"])
        .current_dir(env!("CARGO_MANIFEST_DIR")));
    assert!(code == 2 && err.contains("needs the collection"), "{code}: {err}");
}

#[test]
fn the_recorded_run_of_the_examples_is_replayed_with_its_revision_and_its_brief() {
    let home = tempfile::tempdir().unwrap();
    let (code, out, err) = run(masthead(home.path())
        .args(["replay", "examples/model-team.jsonl"])
        .current_dir(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(code, 0, "{err}");
    for says in
        ["REVISE: 1 issue", "9 findings approved", "Written by a language model from the findings", "[6] qdrant/"]
    {
        assert!(out.contains(says), "{says}: {out}");
    }
}

#[test]
fn prices_are_shown_with_their_day_and_where_they_come_from_and_old_ones_are_said_to_be() {
    let home = tempfile::tempdir().unwrap();
    let prices = |more: &[&str]| run(masthead(home.path()).arg("prices").args(more));
    let (code, out, err) = prices(&[]);
    assert_eq!(code, 0, "{err}");
    let line = |out: &str, model: &str| {
        let mut lines = out.lines().filter(|line| line.split_whitespace().next() == Some(model));
        lines.next().unwrap_or_else(|| panic!("{model}: {out}")).to_owned()
    };
    let built_in = line(&out, "anthropic/claude-haiku-4-5");
    assert!(
        built_in.contains("1.00") && built_in.contains("5.00") && built_in.contains("built in, 2026-"),
        "{built_in}"
    );
    for says in ["Built in             as of 2026-", "prices.toml (not there)", "xai, cerebras, together"] {
        assert!(out.contains(says), "{says}: {out}");
    }
    let config = home.path().join(".config/masthead");
    std::fs::create_dir_all(&config).unwrap();
    let own = "as_of = 2020-01-02\n[models]\n\"mine/old\" = { in = 3, out = 7.5 }\n";
    std::fs::write(config.join("prices.toml"), own).unwrap();
    let (code, out, err) = prices(&["mine", "--price", "mine/said=0.5,2"]);
    assert_eq!((code, out.matches("mine/").count()), (0, 2), "{out}{err}");
    let old = line(&out, "mine/old");
    assert!(old.contains("your prices.toml, 2020-01-02") && old.ends_with("days old"), "{old}");
    assert!(line(&out, "mine/said").ends_with("--price"), "{out}");
    assert!(err.contains("1 of these prices is more than 90 days old: look it up"), "{err}");
    let (code, out, _) = prices(&["mine/old", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let row = &json["prices"][0];
    assert_eq!((code, &row["from"], &row["as_of"]), (0, &"your prices.toml".into(), &"2020-01-02".into()), "{out}");
    assert!(row["days_old"].as_i64().unwrap() > 2_000 && row["in"] == "3.00" && row["out"] == "7.50", "{out}");
    let (code, _, err) = prices(&["openay"]);
    assert!(code == 2 && err.contains("no model with `openay` in its name has a price here"), "{code}: {err}");
    // Before a run, and in `doctor`.
    let mine = "[providers.mine]\nbase_url = \"https://127.0.0.1:1/v1\"\n";
    std::fs::write(config.join("config.toml"), mine).unwrap();
    let (_, out, err) = run(masthead(home.path()).args(["doctor", "--model", "mine/old"]));
    assert!(out.contains("days old and may have changed: `masthead prices` shows it"), "{out}{err}");
}

#[test]
fn providers_without_a_usual_address_or_a_price_say_what_they_lack() {
    let home = tempfile::tempdir().unwrap();
    let doctor = |key: &str, model: &str, more: &[&str]| {
        run(masthead(home.path()).env(key, "sk-canary-1").args(["doctor", "--model", model]).args(more))
    };
    let (code, out, err) = doctor("XAI_API_KEY", "xai/grok-4.5", &[]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("xai/grok-4.5 is not asked because its price is not known"), "{out}");
    let (code, out, err) = doctor("XAI_API_KEY", "xai/grok-4.5", &["--price", "xai/grok-4.5=2,10"]);
    assert!(code == 0 && out.contains("a key is set (XAI_API_KEY), not asked yet"), "{out}{err}");
    for (key, model, address) in [
        ("AWS_BEARER_TOKEN_BEDROCK", "bedrock/openai.gpt-oss-120b", "AWS_BEDROCK_BASE_URL"),
        ("GOOGLE_OAUTH_ACCESS_TOKEN", "vertex/google/gemini-4-argon", "VERTEX_BASE_URL"),
    ] {
        let (code, out, err) = doctor(key, model, &["--price", &format!("{model}=1,2")]);
        assert!(code == 1 && out.contains(&format!("set {address} to the base URL of its API")), "{out}{err}");
    }
    // A token that is there for something else is no request to use models.
    let (_, out, err) =
        run(masthead(home.path()).env("GITHUB_TOKEN", "ghp-canary").env("HF_TOKEN", "hf-canary").arg("doctor"));
    assert!(out.contains("by rule (none is available and none was requested)"), "{out}{err}");
    assert!(!out.contains("To use models"), "{out}");
}
