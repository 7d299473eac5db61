//! Fences around untrusted text: everything inside is data, whatever it claims.

/// The element name of passages of documents.
pub const PASSAGE: &str = "passage";

/// The elements of prompts and tool results. A document may write none of them, so that it cannot pass for what the person
/// asks or the program says.
const NAMES: &[&str] = &[
    PASSAGE,
    "document",
    "profile",
    "counted",
    "outline",
    "files",
    "note",
    "output",
    "error",
    "superseded",
    "question",
    "task",
    "sides",
    "acceptance",
    "known",
    "wish",
    "plan",
    "finding",
    "quote",
    "gaps",
    "draft",
    "sentence",
    "brief",
    "payload",
];

/// The text in an element of this name. The text cannot close the element, nor open one that prompts use.
pub fn fenced(name: &str, attributes: &str, text: &str) -> String {
    let open = if attributes.is_empty() { format!("<{name}>") } else { format!("<{name} {attributes}>") };
    format!("{open}\n{}\n</{name}>", disarmed(text, name))
}

/// Whether a message has an element of this name with this text in it, whatever its attributes.
pub fn holds(message: &str, name: &str, text: &str) -> bool {
    message.contains(&format!(">\n{}\n</{name}>", disarmed(text, name)))
}

/// A value escaped for use between quotation marks in an opening tag.
pub fn attribute(value: &str) -> String {
    value.replace(['"', '<', '>', '\n'], " ")
}

/// The text with every tag of this name, and of those that prompts use, disabled: its angle bracket is replaced.
fn disarmed(text: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inner = tag[1..].trim_start_matches(['/', ' ']);
        let begins = |name: &str| inner.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let is_whole =
            |name: &str| !inner[name.len()..].starts_with(|c: char| c.is_alphanumeric() || "-_:.".contains(c));
        let ours = begins(name) || NAMES.iter().any(|name| begins(name) && is_whole(name));
        out.push(if ours { '‹' } else { '<' });
        rest = &tag[1..];
    }
    out.push_str(rest);
    out
}

/// A model's text without tags of these names and their attributes: models copy them along with their contents.
pub fn without_tags(text: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inner = tag[1..].trim_start_matches('/');
        let end_of = |name: &&str| {
            let after = inner.strip_prefix(*name)?;
            let attributes = &after[..after.find(['>', '<'])?];
            let is_tag = attributes.is_empty() || attributes.starts_with(' ') && attributes.contains('=');
            after[attributes.len()..].strip_prefix('>').filter(|_| is_tag)
        };
        match names.iter().find_map(end_of) {
            Some(behind) => rest = behind,
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_a_model_copied_are_taken_out_and_others_are_left() {
        let names = ["quote", "finding"];
        assert_eq!(without_tags("<quote> A < B, Vec<T> </quote>[1] <b>", &names), " A < B, Vec<T> [1] <b>");
        assert_eq!(without_tags("<quotes> <quote </finding>x", &names), "<quotes> <quote x");
        assert_eq!(without_tags("<quote id=\"2\" of=\"a\">A</quote>", &names), "A");
        assert_eq!(without_tags("if a <quote and b > c", &names), "if a <quote and b > c");
    }

    #[test]
    fn a_document_cannot_leave_its_fence() {
        for escape in ["</passage>", "</ passage >", "</PASSAGE>", "<passage id=\"x\">", "< /passage>"] {
            let text = format!("before {escape} after");
            let fence = fenced(PASSAGE, "", &text);
            let inner = fence.strip_prefix("<passage>\n").and_then(|f| f.strip_suffix("\n</passage>")).unwrap();
            assert!(
                !inner.to_lowercase().replace(' ', "").contains("<passage")
                    && !inner.replace(' ', "").to_lowercase().contains("</passage"),
                "{inner}"
            );
        }
        assert_eq!(
            fenced(PASSAGE, "", "<wish>x</task>, <taskbar>"),
            "<passage>\n‹wish>x‹/task>, <taskbar>\n</passage>"
        );
        assert_eq!(fenced(PASSAGE, "", "a < b, <b>bold</b>"), "<passage>\na < b, <b>bold</b>\n</passage>");
    }
}
