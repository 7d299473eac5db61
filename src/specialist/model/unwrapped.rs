//! The brief in a model's answer, without the fence around it and the words before its title.

use super::marks::without_marks;

/// The lines of a brief. A fence that holds its title, or all of it, is taken off with what follows it; so are lines before the title
/// that cite nothing.
pub(super) fn unwrapped(text: &str) -> Vec<&str> {
    let lines = unfenced(text.lines().collect());
    let Some(title) = lines.iter().position(|line| line.trim_start().starts_with("# ")) else { return lines };
    let cites = |line: &&str| !without_marks(line).1.is_empty() || line.trim_start().starts_with(['#', '`']);
    let from = if lines[..title].iter().any(cites) { 0 } else { title };
    lines[from..].to_vec()
}

/// Lines without the fence that holds the title, or stands in the first of them.
fn unfenced(mut lines: Vec<&str>) -> Vec<&str> {
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let fences: Vec<usize> = (0..lines.len()).filter(|at| is_fence(&lines[*at])).collect();
    let Some(open) = fences.first().copied() else { return lines };
    let language = lines[open].trim().trim_start_matches('`').trim().to_ascii_lowercase();
    let is_of_text = matches!(language.as_str(), "" | "markdown" | "md" | "text" | "txt");
    let next = fences.get(1).copied().unwrap_or(lines.len());
    let holds_title = lines[open..next].iter().any(|line| line.trim_start().starts_with("# "));
    let last = fences.last().copied().filter(|_| fences.len().is_multiple_of(2));
    let is_around = lines[..open].iter().all(|line| line.trim().is_empty())
        && last.is_none_or(|last| lines[last + 1..].iter().all(|line| line.trim().is_empty()));
    let is_first = !lines[..open].iter().any(|line| line.trim_start().starts_with("# "));
    if !is_of_text || !is_first || !(holds_title || is_around) {
        return lines;
    }
    if let Some(last) = last {
        let cites = lines[last + 1..].iter().any(|line| !without_marks(line).1.is_empty());
        match cites {
            true => drop(lines.remove(last)),
            false => lines.truncate(last),
        }
    }
    lines.remove(open);
    lines
}
