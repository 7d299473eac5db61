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
//! `name`, `description`, `tools` and `model` are the common keys. Without `tools` a specialist has those of the team;
//! tools and keys without a counterpart are listed in `left_out`. `model` is a provider's model, or a strength: opus,
//! sonnet, haiku. `turns`, `answer_tokens`, `effort`, `thinking_tokens`, `max_cost`, `max_tokens`, `max_calls` and
//! `max_tool_calls` are masthead's own. Unknown keys are ignored, so that files for other programs work here; those that
//! are nearly one of these are listed in `misspelt`. As in YAML, ` #` begins a comment behind a value that is not quoted.

use run::team::{AssignedModel, Strength};
use run::thinking::Thinking;
use run::{Cap, Limits, ModelId, Role, ToolName};
use text::{Clean, nearest};

/// The keys of a front matter that are used; others are ignored.
pub const KEYS: &[&str] = &[
    "name",
    "description",
    "tools",
    "allowed-tools",
    "allowedTools",
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
    /// The strength of model that it asks for, if it names no model.
    pub strength: Option<Strength>,
    /// What it asks for that masthead lacks: tools that write or execute, hooks, skills, servers.
    pub left_out: Vec<Clean>,
    /// Keys that are nearly one of those that are used, each in a sentence with its line.
    pub misspelt: Vec<Clean>,
    /// The most turns of an assignment.
    pub turns: Option<u32>,
    /// The most tokens of one answer, thinking not included.
    pub answer_tokens: Option<u32>,
    /// The thinking settings of its model.
    pub thinking: Thinking,
    /// Caps of each of its assignments.
    pub limits: Limits,
    /// The system prompt.
    pub text: Clean,
}

/// Parses a prompt file. `stem` is its file name without extension, which is the role if the file names none.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(text: &str, stem: &str) -> Result<Prompt, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (head, body) = split(text)?;
    let mut prompt = Prompt {
        role: Role::new(stem),
        description: Clean::default(),
        tools: None,
        model: None,
        strength: None,
        left_out: Vec::new(),
        misspelt: Vec::new(),
        turns: None,
        answer_tokens: None,
        thinking: Thinking::default(),
        limits: Limits::default(),
        text: Clean::new(body.trim()),
    };
    let all = fields(head);
    for (n, Field { key, line, .. }) in all.iter().enumerate() {
        let is_same = |other: &&Field| other.key == *key && KEYS.contains(&key.as_str());
        if let Some(first) = all[..n].iter().find(is_same) {
            return Err(format!("line {line}: `{key}` stands in line {} already", first.line));
        }
    }
    for Field { key, value, line, .. } in all {
        let number = || {
            value.parse::<u64>().map_err(|_| format!("line {line}: `{key}` has to be a whole number, and is `{value}`"))
        };
        let small =
            || number().and_then(|n| u32::try_from(n).map_err(|_| format!("line {line}: `{key}` is too large")));
        match key.as_str() {
            key if WITHOUT_COUNTERPART.contains(&key) => prompt.left_out.push(key.into()),
            // Keeps the list of keys, which the manual is checked against, complete.
            other if !KEYS.contains(&other) => {
                let told =
                    |meant| Clean::line(&format!("line {line}: there is no key `{other}`: did you mean `{meant}`?"));
                prompt.misspelt.extend(meant(other).map(told));
            }
            "name" => {
                prompt.role = role(&value)
                    .ok_or_else(|| format!("line {line}: `{value}` is no name for a role: use letters, digits and -"))?
            }
            "description" => prompt.description = described(&value),
            "tools" | "allowed-tools" | "allowedTools" => {
                let (tools, left_out) = tools(&value);
                prompt.left_out.extend(left_out);
                prompt.tools = tools;
            }
            // "inherit" or an unknown name: the run chooses the model.
            "model" => (prompt.model, prompt.strength) = (value.parse().ok(), strength(&value)),
            "turns" | "max_turns" | "maxTurns" => match small()? {
                few @ 0..LEAST_TURNS => {
                    return Err(format!(
                        "line {line}: `{key}` is {few}: a model is asked in one turn and reports in the next, so it needs at \
                         least {LEAST_TURNS}"
                    ));
                }
                turns => prompt.turns = Some(turns),
            },
            "answer_tokens" => {
                let tokens = small()?;
                AssignedModel::check_answer(tokens).map_err(|why| format!("line {line}: `{key}` {why}"))?;
                prompt.answer_tokens = Some(tokens);
            }
            "effort" => {
                let effort = value.parse().map_err(|why| format!("line {line}: {why}"))?;
                prompt.thinking.effort = Some(effort);
            }
            "thinking_tokens" => {
                let tokens = small()?;
                AssignedModel::check_thinking(tokens).map_err(|why| format!("line {line}: `{key}` {why}"))?;
                prompt.thinking.limit = Some(tokens);
            }
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

/// A prompt whose role a model can fill.
///
/// # Errors
/// The role works by rule, with any prompt.
pub fn for_a_model(prompt: Prompt) -> Result<Prompt, String> {
    match prompt.role.is_by_rule() {
        true => {
            Err(format!("`{}` works by rule here, and no model can do its work: give it another name", prompt.role))
        }
        false => Ok(prompt),
    }
}

/// A prompt without misspelt keys: a cap that is not in force costs money.
///
/// # Errors
/// A key is nearly one of those that are used.
pub fn well_spelt(prompt: Prompt) -> Result<Prompt, String> {
    match prompt.misspelt.is_empty() {
        true => Ok(prompt),
        false => Err(prompt.misspelt.join("; ")),
    }
}

/// Keys of other programs that are nearly one of ours.
const OTHERS: [&str; 1] = ["mode"];

/// The key that an unknown one was probably meant to be: it has the same letters, or one more or less.
fn meant(key: &str) -> Option<&'static str> {
    let plain = |key: &str| key.chars().filter(|c| !matches!(c, '-' | '_')).collect::<String>().to_lowercase();
    let sorted = |key: &str| {
        let mut letters: Vec<char> = plain(key).chars().collect();
        letters.sort_unstable();
        letters
    };
    if OTHERS.contains(&key) {
        return None;
    }
    let same = KEYS.iter().find(|known| sorted(known) == sorted(key)).copied();
    same.or_else(|| nearest(key, KEYS.iter().copied()).filter(|known| known.len().abs_diff(key.len()) <= 1))
}

/// The least turns of a specialist with a model.
const LEAST_TURNS: u32 = 2;
/// Keys of subagent files that have no counterpart here.
const WITHOUT_COUNTERPART: [&str; 7] =
    ["hooks", "skills", "mcpServers", "mcp-servers", "permissionMode", "isolation", "background"];
/// The longest description, in characters: planners and leaders get those of all members.
const LONGEST_DESCRIPTION: usize = 300;

/// Whether a file has a front matter, as every subagent file does.
pub fn has_front_matter(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.starts_with("---\n") || text.starts_with("---\r\n")
}

/// A description without the examples that files for other programs append to it.
fn described(value: &str) -> Clean {
    let value = value.replace("\\n", " ");
    let ends = ["<example>", "Examples:", "Example:"].iter().filter_map(|mark| value.find(mark)).min();
    let text = Clean::line(&value[..ends.unwrap_or(value.len())]);
    if text.chars().count() <= LONGEST_DESCRIPTION {
        return text.trim().into();
    }
    let cut: String = text.chars().take(LONGEST_DESCRIPTION).collect();
    cut.rsplit_once(". ").map_or_else(|| format!("{cut}…"), |(whole, _)| format!("{whole}.")).as_str().into()
}

fn strength(model: &str) -> Option<Strength> {
    let model = model.to_lowercase();
    let is = |name: &str| model == name || model.split(['-', '_', ' ']).any(|part| part == name);
    let all = [("opus", Strength::Strongest), ("sonnet", Strength::Middle), ("haiku", Strength::Small)];
    all.into_iter().find(|(name, _)| is(name)).map(|(_, strength)| strength).filter(|_| !model.contains('/'))
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
    /// Whether its value is a block below it, in which `#` is a letter like others.
    is_block: bool,
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
                let item = if last.is_block { item } else { without_comment(item.trim()) };
                if !last.value.is_empty() {
                    last.value.push_str(by);
                }
                last.value.push_str(unquoted(item));
            }
            (false, _, Some((key, value))) => {
                let value = unquoted(without_comment(value.trim()));
                let is_block = matches!(value, "|" | ">" | "|-" | ">-");
                let value = if is_block { "" } else { value };
                fields.push(Field { key: key.trim().to_string(), value: value.to_string(), line: at + 2, is_block });
            }
            _ => {}
        }
    }
    fields
}

/// A value without the comment behind it.
fn without_comment(value: &str) -> &str {
    if let Some(end) = end_of_quoted(value) {
        let behind = value[end..].trim_start();
        if behind.is_empty() || behind.starts_with('#') {
            return &value[..end];
        }
    }
    let is_comment = |(at, _): &(usize, &str)| value[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let comment = value.match_indices('#').find(is_comment);
    comment.map_or(value, |(at, _)| value[..at].trim_end())
}

/// Where the quotes around the beginning of a value end.
fn end_of_quoted(value: &str) -> Option<usize> {
    let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    let mut escaped = false;
    let mut letters = value.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        let is_mark = letter == mark && !escaped;
        // In single quotes, two of them stand for one.
        if is_mark && mark == '\'' && letters.next_if(|(_, next)| *next == mark).is_some() {
            continue;
        }
        if is_mark {
            return Some(at + 1);
        }
        escaped = mark == '"' && letter == '\\' && !escaped;
    }
    None
}

fn unquoted(value: &str) -> &str {
    let inner = |mark: char| value.strip_prefix(mark).and_then(|value| value.strip_suffix(mark));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// The role with this name; "Code Reviewer" is `code-reviewer`.
fn role(name: &str) -> Option<Role> {
    let name = name.split_whitespace().collect::<Vec<_>>().join("-");
    let fits =
        !name.is_empty() && name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    fits.then(|| Role::new(&name.to_lowercase()))
}

/// Tools of other programs that write, execute or delegate; they have no counterpart.
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

/// Maps the tool names of subagent files to masthead's, and returns those without a counterpart; other names are those
/// of registered tools. `*` stands for the team's tools, like leaving the key out.
fn tools(value: &str) -> (Option<Vec<ToolName>>, Vec<Clean>) {
    let (mut tools, mut left_out): (Vec<ToolName>, Vec<Clean>) = Default::default();
    // A key without a value has no effect.
    let mut is_all = value.trim().is_empty();
    for name in separate(value.trim_matches(['[', ']'])) {
        // A tool may be restricted: `Bash(git diff:*)`.
        let bare = name.split('(').next().unwrap_or_default();
        let ours = match bare.to_lowercase().as_str() {
            "" => continue,
            "*" => {
                is_all = true;
                continue;
            }
            other if LEFT_OUT.contains(&other) || other.starts_with("mcp__") => {
                left_out.push(Clean::line(name));
                continue;
            }
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
    ((!is_all).then_some(tools), left_out)
}

/// The names in a list separated by commas, or by spaces if it has no comma; brackets stay together.
fn separate(list: &str) -> Vec<&str> {
    let by_commas = list.contains(',');
    let mut depth = 0_u32;
    let is_end = move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && if by_commas { c == ',' } else { c.is_whitespace() }
    };
    list.split(is_end).map(|name| unquoted(name.trim())).collect()
}

#[cfg(test)]
mod tests;
