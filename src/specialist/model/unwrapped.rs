//! The brief in a model's answer, without the fence around it, the words before its title and those to the reader below it.

use super::marks::without_marks;
use crate::words::WORDS;

/// The lines of a brief. A fence that holds its title, or all of it, is taken off with the text behind it; so are lines before the
/// title that cite nothing, and below the brief its writer's remarks on the work.
pub(super) fn unwrapped(text: &str) -> Vec<&str> {
    let lines = without_last_words(unfenced(text.lines().collect()));
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

/// Lines without courtesies and lists of changes at their end. Lines that cite a finding stay.
fn without_last_words(mut lines: Vec<&str>) -> Vec<&str> {
    let is_blank = |line: &str| line.trim().chars().all(|c| "-*_".contains(c));
    let cites = |line: &&str| !without_marks(line).1.is_empty();
    if let Some(at) = lines.iter().rposition(|line| heads_changes(line))
        && !lines[at..].iter().any(|line| cites(line) || line.trim_start().starts_with("```"))
        && !lines[at + 1..].iter().any(|line| line.trim_start().starts_with('#'))
    {
        lines.truncate(at);
    }
    while let Some(at) = lines.iter().rposition(|line| !is_blank(line)) {
        if cites(&lines[at]) || !is_courtesy(lines[at]) {
            break;
        }
        lines.truncate(at);
        // A rule parts it from the brief.
        lines.truncate(lines.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1));
    }
    lines
}

/// Whether a line of text, and no heading, item, row or program text, is addressed to the person by the writer.
fn is_courtesy(line: &str) -> bool {
    let line = line.trim().to_lowercase().replace('’', "'");
    let is_text = line.starts_with(|c: char| c.is_alphabetic() || "*_".contains(c)) && !line.starts_with("* ");
    is_text && WORDS.courtesies.are_in(&line)
}

/// Whether a line is the heading of a list of changes: "**Changes made:**".
fn heads_changes(line: &str) -> bool {
    let name = line.trim().trim_matches(['#', '*', '_', ':', ' ']).to_lowercase();
    WORDS.lists_of_changes.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_writer_says_of_its_work_below_the_brief_is_no_part_of_it() {
        let brief = "# T\n\nIt flies [1].\n\n## Gaps\n\n- Not stated: its price.";
        for last in [
            "Let me know if you want changes.",
            "I hope this helps!",
            "---\n\n*Feel free to ask for more.*\n",
            "**Changes made:**\n\n- The number is corrected.\n- The rest is as it was.",
            "## Changes made\n\n1. The number is corrected.\n\nLet me know if it is right.",
            "I’ve corrected the number.\n\nI hope it helps.",
        ] {
            assert_eq!(unwrapped(&format!("{brief}\n\n{last}")).join("\n").trim_end(), brief, "{last}");
        }
    }

    #[test]
    fn what_is_said_to_the_reader_of_the_brief_stays() {
        for last in [
            "You must run it again.",
            "Let me know is the name of a command [2].",
            "## Changes made\n\n- The number became 5 [2].",
            "## Changes\n\n- None.",
            "**Changes made:**\n\n- One.\n\n## Speed\n\nIt is fast.",
            "- Not stated: whether they are happy to help.",
            "```\nlet me know\n```",
            "It is small.\nI found nothing on its price.",
        ] {
            let text = format!("# T\n\nIt flies [1].\n\n{last}");
            assert_eq!(unwrapped(&text).join("\n"), text, "{last}");
        }
    }
}
