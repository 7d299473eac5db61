use super::*;
use run::Money;

#[test]
fn a_subagent_file_made_for_another_program_works() {
    let text = "---\nname: Fact-Checker\ndescription: \"Checks: facts\"\ntools:\n  - Read\n  - Grep\n  - Bash\nmodel: sonnet\ncolor: red\n---\n\nYou check facts.\n";
    let prompt = parse(text, "file").unwrap();
    assert_eq!(prompt.role.as_str(), "fact-checker");
    assert_eq!(prompt.description.as_str(), "Checks: facts");
    assert_eq!(prompt.tools.unwrap(), ["read", "search"]);
    assert_eq!((prompt.model, prompt.text.as_str()), (None, "You check facts."));
    assert_eq!((prompt.strength, prompt.left_out), (Some(Strength::Middle), vec!["Bash".into()]));
}

#[test]
fn what_is_ours_is_read_and_what_is_wrong_is_named_with_its_line() {
    let text = "---\ntools: [search, read]\nmodel: ollama/qwen3:8b\nturns: 12\nmax_tool_calls: 9\nmax_cost: 0.10\n---\nBe brief.";
    let prompt = parse(text, "researcher").unwrap();
    assert_eq!(
        (prompt.role.as_str(), prompt.turns, prompt.limits.cap(Cap::ToolCalls)),
        ("researcher", Some(12), Some(9))
    );
    assert_eq!(prompt.limits.money(), Some(Money::micros(100_000)));
    assert_eq!(prompt.model.unwrap().to_string(), "ollama/qwen3:8b");
    for (text, what) in [
        ("---\nname: x\nturns: many\n---\nBe.", "line 3"),
        ("---\nmax_cost: 0.1\nname: x\nmax_cost: 5\n---\nBe.", "line 4: `max_cost` stands in line 2 already"),
        ("---\nname: x\nturns: 1\n---\nBe.", "line 3: `turns` is 1: "),
        ("---\nname: x\nanswer_tokens: 0\n---\nBe.", "line 3: `answer_tokens` is 0: an answer has 64 to 1000000"),
        ("---\nname: x\nanswer_tokens: 4000000000\n---\nBe.", "`answer_tokens` is 4000000000"),
        ("---\nname: x\nthinking_tokens: 4000000000\n---\nBe.", "`thinking_tokens` is 4000000000"),
        ("---\nname: x\nmax_cost: much\n---\nBe.", "write it as in 0.50"),
        ("---\nname: x\neffort: hard\n---\nBe.", "line 3: `hard` is no effort"),
        ("---\nname: ../../etc\n---\nBe.", "line 2"),
        ("---\nname: x\nBe brief.", "not closed"),
        ("---\nname: x\n---\n\n", "nothing below"),
    ] {
        assert!(parse(text, "x").unwrap_err().contains(what), "{text}");
    }
}

#[test]
fn comments_behind_values_are_no_part_of_them() {
    let text = "---\nname: checker   # my name\ntools:   # those\n  - search # a\n  - 'read'   # b\nmodel: mine/m2 # fast\ndescription: \"Checks C# and #1\" # x\nmax_cost: 0.10\t# dollars\n---\nBe brief. # not here";
    let prompt = parse(text, "x").unwrap();
    assert_eq!((prompt.role.as_str(), prompt.description.as_str()), ("checker", "Checks C# and #1"));
    assert_eq!(prompt.tools.unwrap(), ["search", "read"]);
    assert_eq!(prompt.model.unwrap().to_string(), "mine/m2");
    assert_eq!(prompt.limits.money(), Some(Money::micros(100_000)));
    assert_eq!(prompt.text.as_str(), "Be brief. # not here");
    for (value, description) in [
        ("Finds C#. # x", "Finds C#."),
        ("|\n  Finds # all.", "Finds # all."),
        (">- # folded\n  Finds # all.", "Finds # all."),
        ("Finds\n  all. # x", "Finds all."),
        ("'It''s # 1' # x", "It''s # 1"),
        ("\"Finds\" all # x", "\"Finds\" all"),
        ("# none", ""),
    ] {
        let prompt = parse(&format!("---\ndescription: {value}\n---\nBe."), "x").unwrap();
        assert_eq!(prompt.description.as_str(), description, "{value}");
    }
    assert_eq!(parse("---\ntools: [search, read] # only\n---\nBe.", "x").unwrap().tools.unwrap(), ["search", "read"]);
}

#[test]
fn a_key_that_is_nearly_one_of_ours_is_named_and_keys_of_other_programs_are_not() {
    for (key, meant) in [
        ("maxcost", Some("max_cost")),
        ("max-tool-calls", Some("max_tool_calls")),
        ("modle", Some("model")),
        ("tool", Some("tools")),
        ("turn", Some("turns")),
        ("allowed_tools", Some("allowed-tools")),
        ("color", None),
        ("mode", None),
        ("temperature", None),
        ("disallowedTools", None),
        ("maxSteps", None),
        ("memory", None),
        ("license", None),
        ("top_p", None),
    ] {
        let prompt = parse(&format!("---\nname: x\n{key}: 1\n---\nBe."), "x").unwrap();
        let told = meant.map(|meant| format!("line 3: there is no key `{key}`: did you mean `{meant}`?"));
        assert_eq!(prompt.misspelt.first().map(ToString::to_string), told);
        assert_eq!(well_spelt(prompt).is_err(), meant.is_some());
    }
}
