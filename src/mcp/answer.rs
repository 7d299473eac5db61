//! Parses the answer of a server's tool into a tool result.
//!
//! The answer of a read-only tool is a source: its passages can be quoted, and quotes are found in it again. Text is
//! used wherever in the answer it is; images and audio are dropped, and the result reports that.

use std::sync::Arc;

use documents::reader::{Asked, Form, Readers};
use documents::{PageFormat, source_id};
use run::evidence::{Excerpt, OF_A_TOOL, SourceRef};
use run::id::SourceId;
use run::tool::ToolResult;
use serde_json::Value;
use text::sha256::{Sha256, hex};
use text::{Clean, count};
use tool::ToolError;

use super::Trouble;
use super::rpc::words;

/// The most characters of the arguments in the name of a source.
const MOST_NAMED: usize = 120;
/// The most bytes of text read from an answer, before it is cut to the limit of a result.
const MOST_TEXT: usize = 1 << 20;

/// A parsed answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    text: String,
    /// The number of parts that are not text.
    left_out: usize,
    is_error: bool,
}

/// Parses an answer.
pub(super) fn parse(answer: &Value) -> Result<Answer, Trouble> {
    let wrong = |what: &str| Err(Trouble::Wrong(what.into()));
    let parts = match answer.get("content") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(parts)) => parts,
        Some(_) => return wrong("the content of its answer is no list"),
    };
    let (mut texts, mut left_out): (Vec<String>, usize) = Default::default();
    for part in parts {
        match part["type"].as_str() {
            Some("text") => match part["text"].as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => return wrong("a text of its answer is no text"),
            },
            Some("resource") => match part["resource"]["text"].as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => left_out += 1,
            },
            Some("resource_link") => {
                let link = ["name", "uri", "description"].iter().filter_map(|key| part[*key].as_str());
                texts.push(link.collect::<Vec<_>>().join(" "));
            }
            _ => left_out += 1,
        }
    }
    let mut text = texts.join("\n\n");
    // Structured content should also be there as text; if not, use it.
    if let (true, Some(structured)) = (text.trim().is_empty(), answer.get("structuredContent")) {
        text = serde_json::to_string_pretty(structured).unwrap_or_default();
    }
    text.truncate(text.floor_char_boundary(MOST_TEXT.min(text.len())));
    Ok(Answer { text, left_out, is_error: answer["isError"] == Value::Bool(true) })
}

impl Answer {
    /// The answer with its text changed, to remove secrets.
    pub fn map(self, change: impl Fn(&str) -> String) -> Answer {
        Answer { text: change(&self.text), ..self }
    }

    fn without_text(&self) -> String {
        match self.left_out {
            0 => "it returned nothing".into(),
            n => format!(
                "it returned no text, but {} that cannot be read here (pictures, sound, data)",
                count(n, "part")
            ),
        }
    }

    /// The result of a call of a tool that may have effects.
    pub fn as_text(&self, tool: &str) -> Result<ToolResult, ToolError> {
        if self.is_error {
            return Err(format!("`{}` failed: {}", words(tool), words(&self.text)).into());
        }
        match self.text.trim().is_empty() {
            true => Ok(ToolResult::text(self.without_text())),
            false => Ok(ToolResult::text(self.text.as_str())),
        }
    }

    /// The result of a call of a read-only tool: a source of its own.
    pub fn as_source(
        &self,
        (server, tool): (&str, &str),
        arguments: &Value,
        readers: &Readers,
    ) -> Result<ToolResult, ToolError> {
        if self.is_error || self.text.trim().is_empty() {
            return self.as_text(tool);
        }
        let name = format!("{server}: {tool}");
        let looks_marked = self.text.lines().any(|line| line.starts_with("# ") || line.starts_with("## "));
        let format = if looks_marked { PageFormat::Markdown } else { PageFormat::Plain };
        let asked = Asked { form: Form::Page(format), name: name.clone(), title: Some(name.clone()) };
        // An answer that cannot be parsed can still be read, but not quoted.
        let Ok(document) = readers.parse(&asked, self.text.clone().into_bytes()) else { return self.as_text(tool) };
        let path = path(server, tool, arguments);
        let sha256 = hex(&Sha256::digest(&self.text));
        let left_out = match self.left_out {
            0 => String::new(),
            n => format!(" ({} without text left out)", count(n, "part")),
        };
        let source = SourceRef {
            id: SourceId(source_id(&path, &sha256).into()),
            path: Clean::line(&path),
            title: Clean::line(&format!("{name}{left_out}")),
            sha256: sha256.as_str().into(),
            superseded: None,
        };
        let of = u32::try_from(document.blocks.len()).unwrap_or(u32::MAX);
        let excerpt = Excerpt::fitting(source, document.blocks.into_iter().map(Arc::new), of);
        match excerpt.blocks.is_empty() {
            true => self.as_text(tool),
            false => Ok(ToolResult::Excerpt(excerpt)),
        }
    }
}

/// The name of a tool's answer in citations: server, tool, and arguments.
fn path(server: &str, tool: &str, arguments: &Value) -> String {
    let asked = arguments.as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    });
    let asked = Clean::line(&asked.collect::<Vec<_>>().join(", "));
    let cut = asked.char_indices().nth(MOST_NAMED).map_or(asked.len(), |(at, _)| at);
    let more = if cut < asked.len() { "…" } else { "" };
    format!("{OF_A_TOOL}{server}/{tool}({}{more})", &asked[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn source(answer: Value) -> ToolResult {
        let answer = parse(&answer).unwrap();
        answer.as_source(("kb", "look_up"), &json!({ "of": "HNSW" }), &Readers::in_this_process()).unwrap()
    }

    #[test]
    fn the_answer_of_a_tool_that_only_reads_is_a_source_that_names_server_tool_and_question() {
        let text = "# HNSW\n\nAn HNSW index needs 1.1 kB a vector.\n\nIt is \u{1b}[31mbuilt in memory.";
        let answer = json!({ "content": [{ "type": "text", "text": text }, { "type": "image", "data": "x" }] });
        let ToolResult::Excerpt(excerpt) = source(answer) else { panic!("no excerpt") };
        assert_eq!(excerpt.source.path.as_str(), "mcp:kb/look_up(of=HNSW)");
        assert!(excerpt.source.title.contains("1 part without text left out"), "{}", excerpt.source.title);
        let texts: Vec<&str> = excerpt.blocks.iter().map(|block| block.text.as_str()).collect();
        assert!(texts.contains(&"An HNSW index needs 1.1 kB a vector."), "{texts:?}");
        assert!(texts.contains(&"It is built in memory."), "{texts:?}");
    }

    #[test]
    fn parts_without_text_are_left_out_and_a_wrong_answer_is_an_error() {
        let parts = |parts: Value| parse(&json!({ "content": parts }));
        let text = |answer: Answer| match answer.as_text("t").unwrap() {
            ToolResult::Text { text } => text.to_string(),
            other => panic!("{other:?}"),
        };
        for (content, says) in [
            (json!([{ "type": "resource", "resource": { "uri": "a", "text": "of a resource" } }]), "of a resource"),
            (json!([{ "type": "resource_link", "uri": "file:///a", "name": "a" }]), "a file:///a"),
            (json!([{ "type": "image" }, { "type": "hologram" }]), "2 parts"),
            (json!([]), "nothing"),
        ] {
            let answer = text(parts(content.clone()).unwrap());
            assert!(answer.contains(says), "{content}: {answer}");
        }
        assert_eq!(text(parse(&json!({ "structuredContent": { "hits": 2 } })).unwrap()), "{\n  \"hits\": 2\n}");
        assert!(parts(json!("x")).is_err() && parts(json!([{ "type": "text", "text": 7 }])).is_err());
        let failed = parse(&json!({ "content": [{ "type": "text", "text": "no such file" }], "isError": true }));
        assert!(failed.unwrap().as_text("t").unwrap_err().to_string().contains("`t` failed: no such file"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let words = "type|text|content|resource|isError|structuredContent|resource_link|[a-z]{0,3}";
        let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), words.prop_map(Value::from)];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(words, inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Any answer of a server is a result or a failure in words, and is clean.
        #[test]
        fn every_answer_is_something(answer in any_json()) {
            if let Ok(parsed) = parse(&answer) {
                let result = parsed.as_source(("kb", "t"), &json!({}), &Readers::in_this_process());
                prop_assert!(result.is_ok() || parsed.is_error, "{answer}");
            }
        }
    }

    #[test]
    fn an_answer_without_end_is_cut_at_what_a_result_may_be() {
        let text = "One more sentence of many that this tool has to say.\n\n".repeat(10_000);
        let result = source(json!({ "content": [{ "type": "text", "text": text }] }));
        let ToolResult::Excerpt(excerpt) = &result else { panic!("no excerpt") };
        assert!(
            result.used().get(run::Cap::Tokens) <= ToolResult::MOST_TOKENS && excerpt.of > excerpt.blocks.len() as u32
        );
    }
}
