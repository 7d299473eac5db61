use super::*;
use run::gate::Gate;
use run::team::{AssignedModel, Kind};
use run::{Money, Priority};

/// The default team as it is shipped.
const FILE: &str = BUILT_IN[0].file;

#[test]
fn the_built_in_team_is_whole() {
    assert_eq!(embedded().revisions, 2);
    assert_eq!(drill().name.as_str(), "drill");
    assert_eq!(judge().order.needs().collect::<Vec<_>>(), ["supervisor", "judge"]);
    assert_eq!(inspect().members.len(), inspect().order.needs().count());
}

#[test]
fn a_team_that_is_not_there_is_named_with_those_that_are() {
    for name in ["inspct", "", "../brief", "a/b"] {
        let why = load(Path::new("/nowhere"), name).unwrap_err().to_string();
        assert!(why.contains("brief, inspect and alone are built in"), "{why}");
    }
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(config.path().join("teams/mine")).unwrap();
    let file = config.path().join("teams/mine/team.toml");
    std::fs::write(&file, built_in(BRIEF).unwrap().file.replace("\"brief\"", "\"mine\"")).unwrap();
    assert_eq!(load(config.path(), "mine").unwrap().name.as_str(), "mine");
    std::fs::write(&file, built_in(INSPECT).unwrap().file.replace("[members.surveyor]", "[members.planner]")).unwrap();
    assert!(load(config.path(), "mine").unwrap_err().to_string().contains("no `surveyor`"));
}

#[test]
fn a_team_file_says_who_goes_first_and_how_many_work_at_one_provider() {
    let with = |end: &str| parse(&FILE.replace("[members.merger]", &format!("{end}\n[members.merger]")));
    let team = with("priority = \"high\"\n[parallel_of]\nollama = 2").unwrap();
    assert_eq!(team.parallel_of.iter().map(|(name, n)| (name.as_str(), *n)).collect::<Vec<_>>(), [("ollama", 2)]);
    assert_eq!(team.members[&Role::new(Role::RESEARCHER)].priority, Some(Priority::High));
    assert!(with("priority = \"urgent\"").is_err());
    assert!(with("[parallel_of]\nollama = 0").unwrap_err().contains("no assignment could ever run there"));
}

#[test]
fn the_built_in_prompts_can_be_read() {
    for team in BUILT_IN {
        let prompts = prompts(Path::new("/nowhere"), team.name).unwrap();
        assert_eq!(prompts.len(), team.prompts.len());
        assert!(prompts.values().all(|prompt| prompt.turns.is_some() && !prompt.description.is_empty()));
    }
}

#[test]
fn a_file_of_the_users_own_takes_the_place_of_ours_or_joins() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("researcher.md"), "---\ntools: Read, Grep\n---\nDig.").unwrap();
    std::fs::write(folder.join("fact-checker.md"), "---\ndescription: Checks.\n---\nCheck.").unwrap();
    std::fs::write(folder.join("writer.md"), "Write.").unwrap();
    std::fs::write(folder.join("README.md"), "# Our specialists").unwrap();
    let prompts = prompts(config.path(), BRIEF).unwrap();
    assert_eq!(prompts[&Role::new("writer")].text.as_str(), "Write.", "it is called after a role");
    assert!(!prompts.contains_key(&Role::new("readme")), "it has no front matter");
    assert_eq!(prompts[&Role::new("researcher")].text.as_str(), "Dig.");
    let model = AssignedModel::new("ollama/qwen3".parse().unwrap(), 900);
    let mut team = embedded();
    let roles = ["researcher", "fact-checker", "merger"].map(Role::new);
    let fallbacks = || vec![AssignedModel { max_tokens: 7, ..model.clone() }];
    assign_models(&mut team, &prompts, roles.iter().map(|role| (role.clone(), model.clone(), fallbacks())));
    let spare = &team.members[&roles[0]].fallbacks[0];
    assert_eq!((spare.prompt.as_str(), spare.max_tokens), ("Dig.", 7), "a fallback has the same prompt");
    assert_eq!(team.members[&roles[0]].model.as_ref().unwrap().prompt.as_str(), "Dig.");
    assert_eq!(team.members[&roles[1]].kind, Kind::Model);
    assert_eq!(team.members[&roles[2]].kind, Kind::Extractive, "it has no prompt");
}

#[test]
fn a_prompt_for_a_member_that_works_by_rule_is_refused_with_its_file() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let check =
        "\n[members.check]\ndescription = \"\"\nkind = \"extractive\"\nturns = 3\ngate = { checks = [\"quotes\"] }\n";
    std::fs::write(folder.join("team.toml"), format!("{FILE}{check}")).unwrap();
    for (file, says) in [
        ("gates", "gates.md is not right: `gates` works by rule here"),
        ("merger", "`merger` works by rule here"),
        ("editor", "`editor` works by rule here"),
        ("memory", "`memory` works by rule here"),
        ("surveyor", "`surveyor` works by rule here"),
        ("check", "`check` is for a member with a gate of its own"),
    ] {
        let path = folder.join(file).with_extension("md");
        std::fs::write(&path, "---\ndescription: Does it.\n---\nDo it.").unwrap();
        let why = prompts(config.path(), BRIEF).unwrap_err().to_string();
        assert!(why.contains(says), "{file}: {why}");
        if file != "check" {
            let Agents { prompts, unused } = agents(&folder).unwrap();
            assert!(prompts.is_empty() && unused[0].1.contains("works by rule"), "{unused:?}");
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn keys_that_only_journals_have_are_refused_in_a_team_file_and_offered_nowhere() {
    let engaged = "[members.researcher.engaged]\nmodel = \"mine/m\"\nprompt = \"\"\nmax_tokens = 9\nmeans = \"tool\"\n";
    for (added, says) in [
        (engaged, "members.researcher: `engaged` has no place in a team file"),
        ("[[members.researcher.spares]]\nmodel = \"mine/m\"\n", "members.researcher: `spares` has no place"),
        ("[[registered]]\nname = \"kb__look\"\n", "`registered` has no place in a team file"),
    ] {
        let why = parse(&format!("{FILE}\n{added}")).unwrap_err();
        assert!(why.contains(says), "{added}: {why}");
    }
    for misspelt in [FILE.replace("revisions = ", "revisons = "), FILE.replacen("turns = ", "turnz = ", 1)] {
        let why = parse(&misspelt).unwrap_err();
        assert!(why.contains("unknown field") && why.contains("expected"), "{why}");
        assert!(["engaged", "spares", "registered"].iter().all(|key| !why.contains(key)), "{why}");
    }
}

#[test]
fn a_team_file_that_does_not_say_lets_one_payload_go_to_the_same_specialist_once() {
    let silent: Vec<&str> = FILE.lines().filter(|line| !line.starts_with("same_handoff")).collect();
    assert_eq!((silent.len() + 1, parse(&silent.join("\n")).unwrap()), (FILE.lines().count(), embedded()));
}

#[test]
fn gates_of_the_users_own_are_read_from_beside_the_team_file() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("teams/brief");
    std::fs::create_dir_all(&folder).unwrap();
    let with = |gate: &str| {
        let member = format!(
            "\n[members.style]\ndescription = \"\"\nkind = \"extractive\"\nlands = true\nturns = 3\ngate = {gate}\n"
        );
        std::fs::write(folder.join("team.toml"), format!("{FILE}{member}")).unwrap();
        load(config.path(), BRIEF)
            .map(|team| team.members[&Role::new("style")].clone())
            .map_err(|error| error.to_string())
    };
    let rules = "[[rule]]\nforbid = \"very\"\nwhy = \"say how much\"\n[[rule]]\nwords = 600\nwhy = \"shorten\"\nadvice = true\n";
    std::fs::write(folder.join("house.toml"), rules).unwrap();
    for (name, text) in [
        ("beside", "forbid = \"very\"\n[[rule]]\nwords = 9\nwhy = \"so\"\n"),
        ("misspelt", "[[rule]]\nforbid = \"a\"\nwhy = \"so\"\n[[rule]]\nforbids = \"very\"\nwhy = \"so\"\n"),
        ("empty", "[[rule]]\nwhy = \"do better\"\n"),
    ] {
        std::fs::write(folder.join(name).with_extension("toml"), text).unwrap();
    }
    let Some(Gate::Rules(rules)) = with("{ rules = \"house.toml\" }").unwrap().gate else { panic!("rules") };
    assert_eq!((rules.len(), rules[1].advice), (2, true));
    let own = with("{ command = [\"./check\", \"--strict\"] }").unwrap();
    assert_eq!(own.tools, ["run"]);
    let Some(Gate::Command(command)) = own.gate else { panic!("a command") };
    assert!(command[0].starts_with(&*folder.to_string_lossy()), "{command:?}");
    assert_eq!(with("{ checks = [\"quotes\", \"support\"] }").unwrap().tools.len(), 0);
    for (gate, says) in [
        ("{ rules = \"gone.toml\" }", "gone.toml cannot be read"),
        ("{ rules = \"team.toml\" }", "has no [[rule]]"),
        ("{ rules = \"beside.toml\" }", "has `forbid` outside its [[rule]]s"),
        ("{ rules = \"misspelt.toml\" }", "line 5"),
        ("{ rules = \"house.toml\" }\npriority = \"urgent\"", "urgent"),
        ("{ rules = \"empty.toml\" }", "a rule (“do better”) checks nothing"),
        ("{ rules = [{ forbid = \"x\" }] }", "why"),
        ("{ rules = [{ forbid = \" \", why = \"so\" }] }", "members.style: forbid of a rule (“so”) is empty"),
        ("{ rules = [{ heading = \"\", why = \"so\" }] }", "members.style: heading of a rule (“so”) is empty"),
        ("{ checks = [] }", "checks nothing"),
        ("{ checks = [\"tone\"] }", "tone"),
        ("{ checks = [\"quotes\", \"house\"] }", "“house rules” is none of the built-in checks"),
        ("{ command = [] }", "names no program"),
    ] {
        let why = with(gate).unwrap_err();
        assert!(why.contains(says), "{gate}: {why}");
    }
}

#[test]
fn a_team_with_a_missing_member_or_a_misspelt_key_says_which() {
    let without = FILE.replace("[members.merger]", "[members.folder]");
    assert!(parse(&without).unwrap_err().contains("no `merger`"));
    let misspelt = FILE.replace("revisions = 2", "revisons = 2");
    assert!(parse(&misspelt).unwrap_err().contains("revisons"));
    for (most, right) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
        let capped = FILE.replace("most_tasks = 40 ", &format!("most_tasks = {most} "));
        assert_eq!(parse(&capped).is_ok(), right, "{most}");
    }
    let dear = |money: &str| {
        parse(&FILE.replace("[members.writer]\n", &format!("[members.writer]\nlimits = {{ money = {money} }}\n")))
    };
    let writer = Role::new(Role::WRITER);
    assert_eq!(dear("\"0.10\"").unwrap().members[&writer].limits.money(), Some(Money::micros(100_000)));
    assert!(dear("0.10").unwrap_err().contains("write dollars as in"), "{:?}", dear("0.10"));
    let deeper = parse(&FILE.replace("depth = 3 ", "depth = 4 ")).unwrap_err();
    assert!(deeper.contains("depth is 4") && deeper.contains("1 to 3 levels"), "{deeper}");
    assert!(parse(&FILE.replace("span = 10 ", "span = 1 ")).unwrap_err().contains("span is 1"));
}

#[test]
fn a_team_in_which_nobody_could_work_is_refused_with_its_file_and_the_key() {
    let config = tempfile::tempdir().unwrap();
    let file = config.path().join("teams/brief/team.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    for (key, with, says) in [
        ("landing_percent = ", "landing_percent = 100", "landing_percent is 100: 0 to 90 percent"),
        ("landing_percent = ", "landing_percent = 250", "landing_percent is 250: 0 to 90 percent"),
        ("parallel = ", "parallel = 0", "parallel is 0"),
        ("turns = ", "turns = 0", "turns is 0"),
        ("turns = 8", "turns = 1", "members.researcher: turns is 1"),
        ("same_handoff = ", "same_handoff = 0", "same_handoff is 0"),
        ("turns = ", "turns = 3\ntimeouts = { whole = 0 }", "timeouts.whole is 0: each assignment would fail at once"),
        ("turns = ", "turns = 3\ntimeouts = { idle = 0 }", "timeouts.idle is 0"),
        (
            "[members.researcher]",
            "[members.researcher]\nleads = [\"writer\"]",
            "members.researcher: `leads` has no place there: only `supervisor` and `editor` hand work on",
        ),
        (
            "[members.supervisor]",
            "[members.supervisor]\nleads = [\"writer\", \"nobody\"]",
            "it leads `nobody`, which the team",
        ),
        ("[members.supervisor]", "[members.supervisor]\nleads = [\"researcher\"]", "`leads` lacks `writer`"),
        ("[members.writer]", "[members.writr]", "is `writr` to be `writer`?"),
        (
            "[members.supervisor]",
            "[joins]\nmerge = { at_least = 99 }\n[members.supervisor]",
            "at least 99 tasks, and a plan has at most 40",
        ),
    ] {
        let line = FILE.lines().find(|line| line.starts_with(key)).unwrap();
        std::fs::write(&file, FILE.replacen(&format!("{line}\n"), &format!("{with}\n"), 1)).unwrap();
        let why = load(config.path(), BRIEF).unwrap_err().to_string();
        assert!(why.contains(says) && why.contains("teams/brief/team.toml"), "{with}: {why}");
    }
}

#[test]
fn a_supervisor_may_lead_a_role_that_has_only_a_prompt_beside_the_team_file() {
    let config = tempfile::tempdir().unwrap();
    let folder = config.path().join("teams/own");
    std::fs::create_dir_all(&folder).unwrap();
    let leads = "[members.supervisor]\nleads = [\"writer\", \"numbers\"]";
    std::fs::write(folder.join("team.toml"), FILE.replace("[members.supervisor]", leads)).unwrap();
    assert!(load(config.path(), "own").unwrap_err().to_string().contains("leads `numbers`"));
    std::fs::write(folder.join("numbers.md"), "---\ndescription: Counts.\n---\nCount.").unwrap();
    let team = load(config.path(), "own").unwrap();
    let is_led = |role: &str| team.may_be_led(&Role::new(role));
    assert_eq!((is_led("numbers"), is_led("researcher")), (true, false));
    assert!(embedded().may_be_led(&Role::new("researcher")), "without the key it may lead any");
}

#[test]
fn the_turns_of_a_team_file_count_for_a_model_unless_they_are_steps_of_rules() {
    let numbers = |kind: &str, turns: &str| {
        format!("{FILE}\n[members.numbers]\ndescription = \"\"\nkind = \"{kind}\"\ntools = [\"search\"]\n{turns}\n")
    };
    for (file, role, head, turns) in [
        (numbers("model", "turns = 9"), "numbers", "", Some(9)),
        (numbers("extractive", "turns = 9"), "numbers", "", Some(9)),
        (numbers("model", "turns = 9"), "numbers", "turns: 5\n", Some(5)),
        (numbers("model", ""), "numbers", "", Some(12)),
        // Too few are refused, wherever they stand.
        (numbers("model", "turns = 1"), "numbers", "", None),
        // Its rules search eight times.
        (FILE.to_owned(), "researcher", "", Some(12)),
        (FILE.replace("turns = 8", "turns = 20"), "researcher", "", Some(20)),
    ] {
        let mut team = parse(&file).unwrap();
        let role = Role::new(role);
        let prompt = parse_prompt(&format!("---\ndescription: Works.\n{head}---\nWork."), role.as_str()).unwrap();
        let model = run::team::AssignedModel::new("mine/m".parse().unwrap(), 900);
        assign_models(&mut team, &[(role.clone(), prompt)].into(), [(role.clone(), model, Vec::new())]);
        let able = check_able(&team).ok().map(|()| team.members[&role].turns);
        assert_eq!(able, turns, "{role} {head}");
    }
}
