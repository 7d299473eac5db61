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

mod front_matter;
mod tools;

use run::team::{AssignedModel, Strength};
use run::thinking::Thinking;
use run::{Cap, Limits, ModelId, Role, ToolName};
use text::{Clean, nearest};

use front_matter::{Field, fields, split};
use tools::tools;

pub use front_matter::has_front_matter;

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
    /// The work of the specialist, in one sentence.
    pub description: Clean,
    /// Its tools, under masthead's names; None if the file sets none.
    pub tools: Option<Vec<ToolName>>,
    /// Its model, if it names a known provider's.
    pub model: Option<ModelId>,
    /// The strength of model that it asks for, if it names no model.
    pub strength: Option<Strength>,
    /// The things it asks for that masthead lacks: tools that write or execute, hooks, skills, servers.
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
/// The error is the fault, with the line.
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
    let fields = fields(head);
    check_once(&fields)?;
    for field in &fields {
        prompt.set(field)?;
    }
    if prompt.text.is_empty() {
        return Err("there is nothing below the front matter: the prompt itself is missing".into());
    }
    Ok(prompt)
}

/// Refuses a key that stands there twice.
fn check_once(fields: &[Field]) -> Result<(), String> {
    for (n, Field { key, line, .. }) in fields.iter().enumerate() {
        let is_same = |other: &&Field| other.key == *key && KEYS.contains(&key.as_str());
        if let Some(first) = fields[..n].iter().find(is_same) {
            return Err(format!("line {line}: `{key}` stands in line {} already", first.line));
        }
    }
    Ok(())
}

impl Prompt {
    /// Takes the value of a field of the front matter.
    fn set(&mut self, field: &Field) -> Result<(), String> {
        let Field { key, value, line, .. } = field;
        let wrong = |why: String| format!("line {line}: `{key}` {why}");
        match key.as_str() {
            key if WITHOUT_COUNTERPART.contains(&key) => self.left_out.push(key.into()),
            // Keeps the list of keys, which the manual is checked against, complete.
            other if !KEYS.contains(&other) => {
                let told =
                    |meant| Clean::line(&format!("line {line}: there is no key `{other}`: did you mean `{meant}`?"));
                self.misspelt.extend(meant(other).map(told));
            }
            "name" => {
                self.role = role(value)
                    .ok_or_else(|| format!("line {line}: `{value}` is no name for a role: use letters, digits and -"))?
            }
            "description" => self.description = described(value),
            "tools" | "allowed-tools" | "allowedTools" => {
                let (tools, left_out) = tools(value);
                self.left_out.extend(left_out);
                self.tools = tools;
            }
            // "inherit" or an unknown name: the run chooses the model.
            "model" => (self.model, self.strength) = (value.parse().ok(), strength(value)),
            "turns" | "max_turns" | "maxTurns" => {
                self.turns = Some(check_turns(field.small_number()?).map_err(wrong)?);
            }
            "answer_tokens" => {
                let tokens = field.small_number()?;
                AssignedModel::check_answer(tokens).map_err(wrong)?;
                self.answer_tokens = Some(tokens);
            }
            "effort" => {
                self.thinking.effort = Some(value.parse().map_err(|why| format!("line {line}: {why}"))?);
            }
            "thinking_tokens" => {
                let tokens = field.small_number()?;
                AssignedModel::check_thinking(tokens).map_err(wrong)?;
                self.thinking.limit = Some(tokens);
            }
            "max_cost" => {
                let cost = Cap::Money.read(value).map_err(|why| format!("line {line}: `{key}`: {why}"))?;
                self.cap(Cap::Money, cost);
            }
            "max_tokens" => self.cap(Cap::Tokens, field.number()?),
            "max_calls" => self.cap(Cap::Calls, field.number()?),
            "max_tool_calls" => self.cap(Cap::ToolCalls, field.number()?),
            _ => {}
        }
        Ok(())
    }

    fn cap(&mut self, cap: Cap, limit: u64) {
        self.limits = self.limits.with(cap, Some(limit));
    }
}

fn check_turns(turns: u32) -> Result<u32, String> {
    if turns < LEAST_TURNS {
        return Err(format!(
            "is {turns}: a model needs at least {LEAST_TURNS}, one for its report and one for a correction of it"
        ));
    }
    Ok(turns)
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

/// The least turns of a specialist with a model: its report, and a correction of it.
const LEAST_TURNS: u32 = 2;
/// Keys of subagent files that have no counterpart here.
const WITHOUT_COUNTERPART: [&str; 7] =
    ["hooks", "skills", "mcpServers", "mcp-servers", "permissionMode", "isolation", "background"];
/// The longest description, in characters: planners and leaders get those of all members.
const LONGEST_DESCRIPTION: usize = 300;

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

/// The role with this name; "Code Reviewer" is `code-reviewer`.
fn role(name: &str) -> Option<Role> {
    let name = name.split_whitespace().collect::<Vec<_>>().join("-");
    let fits =
        !name.is_empty() && name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    fits.then(|| Role::new(&name.to_lowercase()))
}

#[cfg(test)]
mod tests;
