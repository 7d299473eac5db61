//! Converts markup in answers to text: snippets are HTML, abstracts are journal XML.

use html5gum::{Token, Tokenizer};

use text::Clean;

/// HTML or XML as one line of text.
pub(super) fn plain(markup: &str) -> Clean {
    if !markup.contains(['<', '&']) {
        return Clean::line(markup);
    }
    let mut text = String::with_capacity(markup.len());
    for Ok(token) in Tokenizer::new(markup) {
        match token {
            Token::String(string) => text.push_str(&String::from_utf8_lossy(&string)),
            Token::StartTag(tag) if separates(&tag.name) => text.push(' '),
            Token::EndTag(tag) if separates(&tag.name) => text.push(' '),
            _ => {}
        }
    }
    Clean::line(&text)
}

/// Whether an element separates words: all but inline markup do.
fn separates(name: &[u8]) -> bool {
    const INLINE: &str = "span b i em strong mark u a sub sup \
                          jats:italic jats:bold jats:sub jats:sup jats:sc";
    !INLINE.split_ascii_whitespace().any(|inline| inline.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markup_leaves_its_words_and_no_seams() {
        for (markup, text) in [
            ("plain", "plain"),
            ("<span class=\"searchmatch\">Rust</span> is&nbsp;a &quot;language&quot;", "Rust is a \"language\""),
            ("<strong>a</strong>b<br>c", "ab c"),
            ("<jats:title>Abstract</jats:title><jats:p>H<jats:sub>2</jats:sub>O.</jats:p>", "Abstract H2O."),
            ("a < b &amp; c", "a < b & c"),
            ("x\u{1b}[31my", "xy"),
        ] {
            assert_eq!(plain(markup).as_str(), text);
        }
    }
}
