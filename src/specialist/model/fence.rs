//! Fences around untrusted text: everything inside is data, whatever it claims.

use run::finding::WordsOf;

macro_rules! elements {
    ($($element:ident $name:literal,)*) => {
        /// The elements of prompts and tool results. A document may write none of them, so that it cannot pass for words of the
        /// person or the program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Element {
            $(#[doc = concat!("`<", $name, ">`")] $element,)*
        }

        impl Element {
            const ALL: &[Element] = &[$(Element::$element,)*];

            /// Its name as it stands in a tag.
            pub const fn name(self) -> &'static str {
                match self { $(Element::$element => $name,)* }
            }
        }
    };
}

elements! {
    Brief "brief",
    Counted "counted",
    Document "document",
    Draft "draft",
    Error "error",
    Files "files",
    Finding "finding",
    Findings "findings",
    Gaps "gaps",
    Issues "issues",
    Known "known",
    Note "note",
    Outline "outline",
    Output "output",
    Passage "passage",
    Payload "payload",
    Plan "plan",
    Profile "profile",
    Question "question",
    Quote "quote",
    Sentence "sentence",
    Superseded "superseded",
    Task "task",
    Wish "wish",
}

/// The text in an element. The text cannot close the element, nor open one that prompts use.
pub fn fenced(element: Element, attributes: &str, text: &str) -> String {
    let name = element.name();
    let open = if attributes.is_empty() { format!("<{name}>") } else { format!("<{name} {attributes}>") };
    format!("{open}\n{}\n</{name}>", disarmed(text, element))
}

/// An element around others, which are fenced already.
pub fn around(element: Element, attributes: &str, elements: &str) -> String {
    let name = element.name();
    format!("<{name} {attributes}>\n{}\n</{name}>", elements.trim_end_matches('\n'))
}

/// The texts of the elements in a message whose attributes begin so.
pub fn texts<'m>(message: &'m str, element: Element, attributes: &str) -> impl Iterator<Item = &'m str> {
    let (open, close) = (format!("<{} {attributes}", element.name()), format!("\n</{}>", element.name()));
    let places: Vec<usize> = message.match_indices(&open).map(|(at, open)| at + open.len()).collect();
    places.into_iter().filter_map(move |at| {
        let (_, text) = message[at..].split_once(">\n")?;
        text.split(&close).next()
    })
}

/// A value escaped for use between quotation marks in an opening tag.
pub fn attribute(value: &str) -> String {
    value.replace(['"', '<', '>', '\n'], " ")
}

/// The attribute that names the author of words beyond their quote; empty where a source says them.
pub fn by(words_of: WordsOf) -> &'static str {
    match words_of {
        WordsOf::PersonEdited | WordsOf::Person => "by=\"the person\"",
        WordsOf::Tool => "by=\"a count over the whole file\"",
        WordsOf::Source | WordsOf::Model => "",
    }
}

/// The text with every tag of this element, and of the others, disabled: its angle bracket is replaced.
pub fn disarmed(text: &str, element: Element) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inner = tag[1..].trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let begins = |name: &str| inner.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        let is_whole =
            |name: &str| !inner[name.len()..].starts_with(|c: char| c.is_alphanumeric() || "-_:.".contains(c));
        let is_of = |element: &Element| begins(element.name()) && is_whole(element.name());
        let ours = begins(element.name()) || Element::ALL.iter().any(is_of);
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
        for escape in [
            "</passage>",
            "</ passage >",
            "</PASSAGE>",
            "<passage id=\"x\">",
            "< /passage>",
            "<\n/passage>",
            "</\n passage>",
            "<\t/\tpassage>",
            "<\u{a0}/passage>",
        ] {
            let text = format!("before {escape} after");
            let fence = fenced(Element::Passage, "", &text);
            let inner = fence.strip_prefix("<passage>\n").and_then(|f| f.strip_suffix("\n</passage>")).unwrap();
            assert!(!inner.contains('<'), "{inner}");
        }
        let kept = "a < b, <b>bold</b>, <taskbar>";
        assert_eq!(fenced(Element::Passage, "", kept), format!("<passage>\n{kept}\n</passage>"));
    }

    #[test]
    fn no_element_can_be_written_within_another() {
        for outer in Element::ALL {
            for inner in Element::ALL {
                let (name, outer_name) = (inner.name(), outer.name());
                let text = format!("<{name}>x</{name}>");
                let disarmed = format!("‹{name}>x‹/{name}>");
                assert_eq!(fenced(*outer, "", &text), format!("<{outer_name}>\n{disarmed}\n</{outer_name}>"));
            }
        }
    }
}
