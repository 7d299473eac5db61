//! Template tags of site generators in Markdown: `{% … %}` of Jinja and Liquid, `{{% … %}}` and `{{< … >}}` of Hugo. They stand for what
//! a generator puts in their place, and are no words of the page.
//!
//! Each tag is written over with as many bytes, so that places and lines stay. Program text keeps its tags.

use std::borrow::Cow;

/// Tags, each with its end; a longer beginning before the shorter one that it contains.
const TAGS: [(&str, &str); 3] = [("{{%", "%}}"), ("{{<", ">}}"), ("{%", "%}")];
/// The most bytes of a tag, and of program text within a line.
const LONGEST: usize = 600;

/// A text with its template tags written over: by blanks, and where one is the address of a link by a word.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    if !TAGS.iter().any(|(begin, _)| text.contains(begin)) {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut rest = text;
    while !rest.is_empty() {
        let line = &rest[..rest.find('\n').map_or(rest.len(), |end| end + 1)];
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let is_code = fence.is_some() || mark.is_some() || line.starts_with("    ") || line.starts_with('\t');
        let taken = if is_code { line.len() } else { prose(rest, line.len(), &mut kept) };
        if is_code {
            kept.push_str(line);
        }
        rest = &rest[taken..];
    }
    kept.into()
}

/// Writes the first line of a text, which has so many bytes, without its tags; a tag may end in a later line. The bytes that were read.
fn prose(text: &str, length: usize, kept: &mut String) -> usize {
    let mut at = 0;
    while at < length {
        let here = &text[at..];
        if let Some(end) = code_span(here) {
            kept.push_str(&here[..end]);
            at += end;
        } else if let Some(end) = tag(here) {
            let filler = if kept.ends_with("](") { 'x' } else { ' ' };
            kept.extend(here[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { filler }));
            at += end;
        } else {
            let Some(next) = here.chars().next() else { break };
            kept.push(next);
            at += next.len_utf8();
        }
    }
    at
}

/// The length of the tag at the beginning of a text.
fn tag(text: &str) -> Option<usize> {
    let (begin, end) = TAGS.iter().find(|(begin, _)| text.starts_with(begin))?;
    let near = &text[begin.len()..text.floor_char_boundary(LONGEST)];
    Some(begin.len() + near.find(end)? + end.len())
}

/// The length of the program text between back quotes at the beginning of a text, within its line.
fn code_span(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('`')?;
    let near = &inner[..inner.floor_char_boundary(LONGEST)];
    let line = near.split('\n').next().unwrap_or_default();
    Some(line.find('`')? + 2)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn tags_are_written_over_and_places_stay() {
        for (text, expected) in [
            ("See [leave]({% page \"/x/\" %}) first.", "See [leave](xxxxxxxxxxxxxxxx) first."),
            (
                "{{% pageinfo %}}\nIt is gone.\n{{% /pageinfo %}}\n",
                "                \nIt is gone.\n                 \n",
            ),
            ("{{< note >}} Old.", "             Old."),
            ("{% alert\n \"x\" %}Words", "        \n       Words"),
            ("Write `{% if %}` here.", "Write `{% if %}` here."),
            ("```\n{% if %}\n```\n{% if %}\n", "```\n{% if %}\n```\n        \n"),
            ("    {% if %}\n", "    {% if %}\n"),
            ("It costs {%5, no end.", "It costs {%5, no end."),
        ] {
            let read = without(text);
            assert_eq!(read, expected);
            assert_eq!(read.len(), text.len());
        }
    }

    #[test]
    fn many_beginnings_without_an_end_take_no_time() {
        let text = "{% ".repeat(400_000);
        assert_eq!(without(&text), text);
    }
}
