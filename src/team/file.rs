//! The form of a team file: parses `team.toml`, and refuses fields that only journals have.

use std::path::Path;

use run::Team;

use super::{check, gate};

/// Keys that only journals have: models come from the configuration and the command line, with their prices.
const OF_JOURNALS: [&str; 2] = ["engaged", "spares"];

/// Refuses keys that only journals have.
fn check_keys(table: &toml::Table) -> Result<(), String> {
    if table.contains_key("registered") {
        return Err("`registered` has no place in a team file: the tools of servers come from mcp.json".into());
    }
    let members = table.get("members").and_then(|members| members.as_table());
    for (name, member) in members.into_iter().flatten() {
        if let Some(key) = OF_JOURNALS.iter().find(|key| member.get(**key).is_some()) {
            return Err(format!(
                "members.{name}: `{key}` has no place in a team file: a model is named with --model, in [models] of config.toml, \
                 or as `model` in the prompt of the member"
            ));
        }
    }
    Ok(())
}

/// The message of an unknown word, which lists those there are, without those that only journals have.
fn without_words_of_journals(why: &str) -> String {
    let keys = OF_JOURNALS.iter().chain(&["registered"]);
    let why = keys.fold(why.to_owned(), |why, key| why.replace(&format!("`{key}`, "), ""));
    why.replace(", `style`, `house`, `person`", "")
}

/// Parses a built-in team: its gates name no rule files and no programs.
pub(super) fn parse(text: &str) -> Result<Team, String> {
    parse_in(text, None)
}

/// Parses a team; `folder` holds its rule files and programs.
pub(super) fn parse_in(text: &str, folder: Option<&Path>) -> Result<Team, String> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    check_keys(&table)?;
    let has_rule_files = read_rule_files(&mut table, folder)?;
    check_money(&table)?;
    // Parsed from the text if possible, so that errors have a line number.
    let mut team: Team = match toml::from_str(text) {
        Ok(team) => team,
        // The text itself never fits where it names a file of rules: then only other errors count.
        Err(of_text) => table.try_into().map_err(|besides: toml::de::Error| match has_rule_files {
            true => without_words_of_journals(&besides.to_string()),
            false => without_words_of_journals(&of_text.to_string()),
        })?,
    };
    for (role, member) in &mut team.members {
        gate::settle(member, folder).map_err(|why| format!("members.{role}: {why}"))?;
    }
    check::check(&team, text, folder)?;
    Ok(team)
}

/// Puts the rules of each gate in the place of the name of their file. Returns whether there was such a name.
fn read_rule_files(table: &mut toml::Table, folder: Option<&Path>) -> Result<bool, String> {
    let members = table.get_mut("members").and_then(|members| members.as_table_mut());
    let mut has_rule_files = false;
    for (name, member) in members.into_iter().flatten() {
        if let Some(rules) = member.get_mut("gate").and_then(|gate| gate.get_mut("rules")) {
            has_rule_files |= rules.is_str();
            gate::read_rules(rules, folder).map_err(|why| format!("members.{name}: {why}"))?;
        }
    }
    Ok(has_rule_files)
}

/// Refuses amounts of money that are numbers: it is not said whether they are dollars.
fn check_money(table: &toml::Table) -> Result<(), String> {
    let members = table.get("members").and_then(|members| members.as_table());
    for (name, member) in members.into_iter().flatten() {
        let money = member.get("limits").and_then(|limits| limits.get("money"));
        if money.is_some_and(|money| !money.is_str()) {
            return Err(format!("members.{name}: limits.money is not in quotes: write dollars as in money = \"0.10\""));
        }
    }
    Ok(())
}
