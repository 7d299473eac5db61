//! Custom gates in team files: reads their rule files and finds their programs, both relative to the team file.

use std::path::Path;

use run::gate::{Gate, Rule};
use run::team::Member;
use run::verdict::Concern;
use serde::Deserialize;
use text::Clean;

/// The content of a rule file.
#[derive(Deserialize)]
struct RuleFile {
    #[serde(rename = "rule")]
    _rules: Vec<Rule>,
}

/// Replaces the name of a rule file by its `[[rule]]` entries.
pub(super) fn read_rules(rules: &mut toml::Value, folder: Option<&Path>) -> Result<(), String> {
    let Some(name) = rules.as_str() else { return Ok(()) };
    let Some(folder) = folder else { return Err(format!("there is no folder to look for the rule file {name} in")) };
    let path = folder.join(name);
    let wrong = |what: String| format!("the rule file {} {what}", path.display());
    let bytes = std::fs::read(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let text = text::utf8(bytes).map_err(|why| wrong(format!("is not right: {why}")))?;
    let mut table: toml::Table = toml::from_str(&text).map_err(|error| wrong(format!("is not right: {error}")))?;
    *rules = table.remove("rule").ok_or_else(|| wrong("has no [[rule]]".into()))?;
    if let Some(key) = table.keys().next() {
        return Err(wrong(format!("has `{key}` outside its [[rule]]s, where nothing reads it")));
    }
    // Parsed here, from its text: a wrong key would otherwise be reported for the team file, and without its line.
    toml::from_str::<RuleFile>(&text).map(|_| ()).map_err(|error| wrong(format!("is not right: {error}")))
}

fn check_rule(rule: &Rule) -> Result<(), String> {
    if rule.why.trim().is_empty() {
        return Err("each rule says in `why` what to do instead".into());
    }
    if rule.is_empty() {
        return Err(format!(
            "a rule (“{}”) checks nothing: it needs forbid, sentence_words, words or heading",
            rule.why
        ));
    }
    let blank = |words: &Option<Clean>| words.as_ref().is_some_and(|words| words.trim().is_empty());
    match [("forbid", &rule.forbid), ("heading", &rule.heading)].into_iter().find(|(_, words)| blank(words)) {
        Some((key, _)) => Err(format!("{key} of a rule (“{}”) is empty: write the words, or leave it out", rule.why)),
        None => Ok(()),
    }
}

/// Validates a custom gate and resolves its program.
pub(super) fn settle(member: &mut Member, folder: Option<&Path>) -> Result<(), String> {
    match &mut member.gate {
        Some(Gate::Rules(rules)) => rules.iter().try_for_each(check_rule),
        Some(Gate::Checks(checks)) if checks.is_empty() => Err("the gate checks nothing".into()),
        // With these, journals note the issues of custom gates, and the person's remarks.
        Some(Gate::Checks(checks)) => {
            let own = |check: &&Concern| matches!(check, Concern::Style | Concern::House | Concern::Person);
            match checks.iter().find(own) {
                Some(own) => Err(format!("“{own}” is none of the built-in checks: use `rules` or `command`")),
                None => Ok(()),
            }
        }
        Some(Gate::Command(command)) => {
            let Some(program) = command.first_mut().filter(|program| !program.trim().is_empty()) else {
                return Err("the gate names no program".into());
            };
            if let (true, Some(folder)) = (program.starts_with("./") || program.starts_with("../"), folder) {
                *program = Clean::line(&folder.join(program.as_str()).to_string_lossy());
            }
            if !member.tools.iter().any(|tool| tool.as_str() == "run") {
                member.tools.push("run".into());
            }
            Ok(())
        }
        None => Ok(()),
    }
}
