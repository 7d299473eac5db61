//! XML as a sequence of opening tags, text and closing tags: html5gum's tokens, with lower-case names without prefixes.
//!
//! Entities that are not predefined in XML are kept unchanged, so that none expands. Loads no other file.

use std::borrow::Cow;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use super::Fault;

/// The most bytes read of a value (a name, an address or a number), which may be looked up for every element.
const LONGEST_VALUE: usize = 512;
/// The most bytes of a name of an element.
const LONGEST_NAME: usize = 64;

/// A handler of elements. Every opened element is closed, in reverse order.
pub(super) trait Reads {
    /// An element opens within one named `parent`.
    fn open(&mut self, element: &Element, parent: &str);
    fn close(&mut self, name: &str);
    fn text(&mut self, text: &str);
}

pub(super) struct Element(StartTag<usize>);

impl Element {
    pub(super) fn name(&self) -> &str {
        local(&self.0.name)
    }

    /// The value of an attribute, with any prefix, up to the limit.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let found = self.0.attributes.iter().find(|(key, _)| local(key) == name);
        found.map(|(_, value)| String::from_utf8_lossy(&value[..value.len().min(LONGEST_VALUE)]))
    }

    pub(super) fn is(&self, name: &str, value: &str) -> bool {
        self.get(name).is_some_and(|found| found == value)
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Whether it switches a property on, like `<w:vanish/>` and `<w:vanish w:val="true"/>`.
    pub(super) fn is_on(&self) -> bool {
        self.get("val").is_none_or(|value| !matches!(&*value, "0" | "false" | "off" | "none"))
    }
}

fn local(name: &[u8]) -> &str {
    if name.len() > LONGEST_NAME {
        return "";
    }
    let local = name.rsplit(|b| *b == b':').next().unwrap_or(name);
    std::str::from_utf8(local).unwrap_or_default()
}

/// Reads the text of a part; `what` is its name in the error, if it is not well-formed.
pub(super) fn read(text: &str, what: &'static str, reader: &mut impl Reads) -> Result<(), Fault> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(false);
    let mut open: Vec<Box<[u8]>> = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(&*without_cdata(text), emitter) {
        match token {
            Token::StartTag(tag) => {
                let element = Element(tag);
                reader.open(&element, open.last().map_or("", |parent| local(parent)));
                match element.0.self_closing {
                    true => reader.close(element.name()),
                    false => open.push(element.0.name.as_slice().into()),
                }
            }
            Token::EndTag(tag) => match open.pop() {
                Some(name) if *name == **tag.name => reader.close(local(&name)),
                _ => return Err(Fault::Malformed(what)),
            },
            Token::String(string) => reader.text(&String::from_utf8_lossy(&string)),
            _ => {}
        }
    }
    while let Some(name) = open.pop() {
        reader.close(local(&name));
    }
    Ok(())
}

/// The text with its CDATA sections as ordinary text, since a tokenizer of HTML would treat them as comments.
pub(super) fn without_cdata(text: &str) -> Cow<'_, str> {
    const BEGIN: &str = "<![CDATA[";
    if !text.contains(BEGIN) {
        return text.into();
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("<!") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = |mark: &str| rest.find(mark).map_or(rest.len(), |at| at + mark.len());
        if rest.starts_with("<!--") {
            rest = &rest[end("-->")..];
        } else if let Some(section) = rest.strip_prefix(BEGIN) {
            let (said, after) = section.split_once("]]>").unwrap_or((section, ""));
            out.push_str(&said.replace('&', "&amp;").replace('<', "&lt;"));
            rest = after;
        } else {
            out.push_str("<!");
            rest = &rest["<!".len()..];
        }
    }
    out.push_str(rest);
    out.into()
}
