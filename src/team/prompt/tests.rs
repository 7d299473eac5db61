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
        ("---\nname: x\nmax_cost: much\n---\nBe.", "write it as in 0.50"),
        ("---\nname: x\neffort: hard\n---\nBe.", "line 3: `hard` is no effort"),
        ("---\nname: ../../etc\n---\nBe.", "line 2"),
        ("---\nname: x\nBe brief.", "not closed"),
        ("---\nname: x\n---\n\n", "nothing below"),
    ] {
        assert!(parse(text, "x").unwrap_err().contains(what), "{text}");
    }
}
