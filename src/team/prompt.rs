//! Prompt files: Markdown with front matter, in the format of subagent files.
//!
//! ```text
//! ---
//! name: researcher
//! description: Finds facts with their quotes.
//! tools: search, read
//! model: anthropic/claude-haiku-4-5
//! turns: 20
//! ---
//! You find facts ...
//! ```
//!
//! `name`, `description`, `tools` and `model` are the common keys. `turns`, `answer_tokens`, `effort`, `thinking_tokens`, `max_cost`, `max_tokens`,
//! `max_calls` and `max_tool_calls` are masthead's own. Unknown keys are ignored, so that files for other programs work here.

use run::thinking::Thinking;
use run::{Cap, Limits, ModelId, Role, ToolName};
use text::Clean;

/// The keys of a front matter that are read; others are ignored.
pub const KEYS: &[&str] = &[
    "name",
    "description",
    "tools",
    "model",
    "turns",
    "max_turns",
    "maxTurns",
    "answer_tokens",
    "effort",
    "thinking_tokens",
    "max_cost",
    "max_tokens",
    "max_calls",
    "max_tool_calls",
];

/// A prompt file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Its role.
    pub role: Role,
    /// What the specialist does, in one sentence.
    pub description: Clean,
    /// Its tools, under masthead's names; None if the file sets none.
    pub tools: Option<Vec<ToolName>>,
    /// Its model, if it names a known provider's.
    pub model: Option<ModelId>,
    /// The most turns of an assignment.
    pub turns: Option<u32>,
    /// The most tokens of one answer, thinking not included.
    pub answer_tokens: Option<u32>,
    /// How its model is to think.
    pub thinking: Thinking,
    /// Caps of each of its assignments.
    pub limits: Limits,
    /// The system prompt.
    pub text: Clean,
}

/// Parses a prompt file. `stem` is its file name without extension, which is the role if the file names none.
///
/// # Errors
/// What is wrong and in which line.
pub fn parse(text: &str, stem: &str) -> Result<Prompt, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (head, body) = split(text)?;
    let mut prompt = Prompt {
        role: Role::new(stem),
        description: Clean::default(),
        tools: None,
        model: None,
        turns: None,
        answer_tokens: None,
        thinking: Thinking::default(),
        limits: Limits::default(),
        text: Clean::new(body.trim()),
    };
    for Field { key, value, line } in fields(head) {
        let number = || {
            value.parse::<u64>().map_err(|_| format!("line {line}: `{key}` has to be a whole number, and is `{value}`"))
        };
        let small =
            || number().and_then(|n| u32::try_from(n).map_err(|_| format!("line {line}: `{key}` is too large")));
        match key.as_str() {
            // So that the list of keys, which the manual is held to, is whole.
            other if !KEYS.contains(&other) => {}
            "name" => {
                prompt.role = role(&value)
                    .ok_or_else(|| format!("line {line}: `{value}` is no name for a role: use letters, digits and -"))?
            }
            "description" => prompt.description = Clean::line(&value),
            "tools" => prompt.tools = Some(tools(&value)),
            // "inherit", "sonnet" and the like name no provider: the run's choice of model applies.
            "model" => prompt.model = value.parse().ok(),
            "turns" | "max_turns" | "maxTurns" => prompt.turns = Some(small()?.max(2)),
            "answer_tokens" => prompt.answer_tokens = Some(small()?.max(64)),
            "effort" => {
                let effort = value.parse().map_err(|why| format!("line {line}: {why}"))?;
                prompt.thinking.effort = Some(effort);
            }
            "thinking_tokens" => prompt.thinking.limit = Some(small()?),
            "max_cost" => {
                let cost = Cap::Money.read(&value).map_err(|why| format!("line {line}: `{key}`: {why}"))?;
                prompt.limits = prompt.limits.with(Cap::Money, Some(cost));
            }
            "max_tokens" => prompt.limits = prompt.limits.with(Cap::Tokens, Some(number()?)),
            "max_calls" => prompt.limits = prompt.limits.with(Cap::Calls, Some(number()?)),
            "max_tool_calls" => prompt.limits = prompt.limits.with(Cap::ToolCalls, Some(number()?)),
            _ => {}
        }
    }
    if prompt.text.is_empty() {
        return Err("there is nothing below the front matter: the prompt itself is missing".into());
    }
    Ok(prompt)
}

fn split(text: &str) -> Result<(&str, &str), String> {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else { return Ok(("", text)) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the front matter that begins in line 1 is not closed: put `---` in a line of its own behind it".into())
}

struct Field {
    key: String,
    value: String,
    line: usize,
}

/// `key: value` lines; a value may be quoted, in brackets, a list below its key, or folded over indented lines.
fn fields(head: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for (at, line) in head.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let indented = line.starts_with([' ', '\t', '-']);
        match (indented, fields.last_mut(), line.split_once(':')) {
            (true, Some(last), _) => {
                let item = line.trim();
                let (item, by) = item.strip_prefix("- ").map_or((item, " "), |item| (item, ", "));
                if !last.value.is_empty() {
                    last.value.push_str(by);
                }
                last.value.push_str(unquoted(item));
            }
            (false, _, Some((key, value))) => {
                let value = unquoted(value.trim());
                let value = if matches!(value, "|" | ">" | "|-" | ">-") { "" } else { value };
                fields.push(Field { key: key.trim().to_string(), value: value.to_string(), line: at + 2 });
            }
            _ => {}
        }
    }
    fields
}

fn unquoted(value: &str) -> &str {
    let inner = |mark: char| value.strip_prefix(mark).and_then(|value| value.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

fn role(name: &str) -> Option<Role> {
    let fits =
        !name.is_empty() && name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    fits.then(|| Role::new(&name.to_lowercase()))
}

/// Tools of other programs that write, execute or delegate; they are dropped.
const LEFT_OUT: [&str; 12] = [
    "agent",
    "bash",
    "bashoutput",
    "edit",
    "exitplanmode",
    "killshell",
    "multiedit",
    "notebookedit",
    "skill",
    "task",
    "todowrite",
    "write",
];

/// Maps the tool names of subagent files to masthead's; any other name is that of a registered tool.
fn tools(value: &str) -> Vec<ToolName> {
    let mut tools: Vec<ToolName> = Vec::new();
    for name in value.trim_matches(['[', ']']).split(',').map(|name| unquoted(name.trim())) {
        let ours = match name.to_lowercase().as_str() {
            "" => continue,
            other if LEFT_OUT.contains(&other) => continue,
            "search" | "grep" | "glob" | "websearch" | "web_search" => "search",
            "read" | "webfetch" | "web_fetch" | "fetch" => "read",
            "outline" | "ls" => "outline",
            "files" => "files",
            "profile" => "profile",
            _ => name,
        };
        let ours = ToolName::new(ours);
        if !tools.contains(&ours) {
            tools.push(ours);
        }
    }
    tools
}

#[cfg(test)]
mod tests {
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
}
