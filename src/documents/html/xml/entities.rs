//! The entities of an XML document: its own are replaced; those of other files are dropped or replaced by their names.

use std::collections::HashMap;

use html5gum::{Token, Tokenizer};

use super::source::{end_of, window};

/// The most bytes of a declaration that is read.
const LONGEST: usize = 1000;

#[derive(Default)]
pub(super) struct Entities<'a> {
    declared: HashMap<&'a str, String>,
    /// Names of others, with whether HTML has them.
    known: HashMap<String, bool>,
    /// The bytes that entities may still add to the text: a limit for entities within entities.
    room: usize,
}

impl<'a> Entities<'a> {
    /// The entities of a document of this many bytes.
    pub(super) fn of(bytes: usize) -> Self {
        Entities { room: bytes.max(LONGEST), ..Entities::default() }
    }

    /// Reserves room for inserted text, if there is enough left.
    pub(super) fn take_room(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }

    /// Reads the document type at the beginning of a text, with the entities that it declares. Returns its length.
    pub(super) fn declarations(&mut self, text: &'a str) -> usize {
        let (mut at, mut is_within) = ("<!DOCTYPE".len(), false);
        while let Some(found) = text[at..].find(['"', '\'', '[', ']', '>', '<']) {
            let rest = &text[at + found..];
            at += found;
            at += match &rest[..1] {
                quote @ ("\"" | "'") => 1 + end_of(&rest[1..], quote),
                "<" if rest.starts_with("<!--") => end_of(rest, "-->"),
                "<" if rest.starts_with("<!ENTITY") => self.declare(rest),
                ">" if !is_within => return at + 1,
                mark => {
                    is_within = mark == "[" || is_within && mark != "]";
                    1
                }
            };
        }
        text.len()
    }

    /// Reads the declaration of an entity. Returns the length that was read.
    fn declare(&mut self, text: &'a str) -> usize {
        const BEGIN: usize = "<!ENTITY".len();
        let text = window(text, LONGEST);
        let words = text[BEGIN..].trim_start();
        let Some((name, value)) = words.split_once(char::is_whitespace) else { return BEGIN };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let said = quote.and_then(|quote| value[1..].split_once(quote));
        match said {
            _ if name == "%" => BEGIN,
            Some((value, rest)) => {
                let value = self.replaced(&value.replace('\n', " "));
                self.declared.entry(name).or_insert(value);
                text.len() - rest.len()
            }
            // In another file.
            None if quote.is_none() => {
                self.declared.entry(name).or_default();
                BEGIN
            }
            None => BEGIN,
        }
    }

    /// A text with its declared entities replaced.
    pub(super) fn replaced(&mut self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('&') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            rest = &rest[self.reference(rest, &mut out)..];
        }
        out + rest
    }

    /// Writes the value of the entity at the beginning of a text. An entity of another file is replaced by its name, as
    /// an element. Returns the length of the reference.
    pub(super) fn reference(&mut self, text: &str, out: &mut String) -> usize {
        let Some(name) = name_of(text) else {
            out.push('&');
            return 1;
        };
        let end = name.len() + "&;".len();
        let is_of_xml = matches!(name, "lt" | "gt" | "amp" | "quot" | "apos") || name.starts_with('#');
        let value = self.declared.get(name).filter(|value| !is_of_xml && value.len() <= self.room);
        if let Some(value) = value {
            self.room -= value.len();
            out.push_str(value);
        } else if is_of_xml || self.is_of_html(name) {
            out.push_str(&text[..end]);
        } else {
            out.push_str(&format!("<entity>{}</entity>", name.replace('.', " ")));
        }
        end
    }

    fn is_of_html(&mut self, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let known = is_of_html(name);
        self.known.insert(name.to_owned(), known);
        known
    }
}

/// The name of the entity that is referred to at the beginning of a text.
fn name_of(text: &str) -> Option<&str> {
    let (name, _) = window(text, 64)[1..].split_once(';')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "#.-_:".contains(c));
    is_name.then_some(name)
}

/// Whether HTML knows an entity: its tokenizer leaves others unchanged, or reads their beginning.
fn is_of_html(name: &str) -> bool {
    let read = Tokenizer::new(&format!("&{name};")).find_map(|Ok(token)| match token {
        Token::String(text) => Some(text.value.ends_with(b";")),
        _ => None,
    });
    read == Some(false) || name == "semi"
}
