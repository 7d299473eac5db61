//! The tools that a prompt file names, as masthead calls them.

use run::ToolName;
use text::Clean;

use super::front_matter::unquoted;

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
pub(super) fn tools(value: &str) -> (Option<Vec<ToolName>>, Vec<Clean>) {
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
