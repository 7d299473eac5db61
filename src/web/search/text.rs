//! Converts markup in answers to text: snippets are HTML, abstracts are journal XML.

use html5gum::{Token, Tokenizer};

use text::Clean;

/// The longest name of an element.
const LONGEST_NAME: usize = 64;

/// HTML or XML as one line of text.
pub(super) fn plain(markup: &str) -> Clean {
    if !markup.contains(['<', '&']) {
        return Clean::line(markup);
    }
    let mut text = String::with_capacity(markup.len());
    tokens(markup, |token| match token {
        Token::String(string) => text.push_str(&String::from_utf8_lossy(&string)),
        Token::StartTag(tag) if separates(&tag.name) => text.push(' '),
        Token::EndTag(tag) if separates(&tag.name) => text.push(' '),
        _ => {}
    });
    Clean::line(&text)
}

/// Gives the text and the tags of `markup` to `take`; the tags have no attributes.
pub(super) fn tokens(markup: &str, mut take: impl FnMut(Token)) {
    for Ok(token) in Tokenizer::new(&bare(markup)) {
        take(token);
    }
}

/// The markup without attributes, comments and declarations: the tokenizer calls itself for each attribute, so that a
/// long tag would overflow the stack of this process.
fn bare(markup: &str) -> String {
    let mut bare = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        bare.push_str(&rest[..at]);
        let tag = &rest[at + 1..];
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let end = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let length = name.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-')).count();
            bare.push_str(if name.len() == tag.len() { "<" } else { "</" });
            bare.push_str(&name[..length.min(LONGEST_NAME)]);
            bare.push('>');
            end_of_tag(tag)
        } else if let Some(comment) = tag.strip_prefix("!--") {
            comment.find("-->").map(|end| end + "!---->".len())
        } else if tag.starts_with(['!', '?', '/']) {
            tag.find('>').map(|end| end + 1)
        } else {
            bare.push_str("&lt;");
            Some(0)
        };
        // An element that never ends is no text.
        let Some(end) = end else { return bare };
        rest = &tag[end..];
    }
    bare.push_str(rest);
    bare
}

/// The end of a tag: its `>` outside quotation marks.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, b) in tag.bytes().enumerate() {
        match (b, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(b),
            (b, Some(open)) if b == open => quote = None,
            _ => {}
        }
    }
    None
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
            ("a<!-- > not --> b<?pi?><!DOCTYPE x> c", "a b c"),
            ("a <p title=\"x > y\" b='>'>b</p> c", "a b c"),
            ("a <b unclosed=\"", "a"),
            ("x\u{1b}[31my", "xy"),
        ] {
            assert_eq!(plain(markup).as_str(), text);
        }
    }

    #[test]
    fn no_snippet_overflows_the_stack_or_holds_up_its_reader() {
        const PIECES: [&str; 24] = [
            "<p ",
            "a=\"x\" ",
            "b='",
            "c=d ",
            "<",
            "</",
            "/",
            ">",
            "<!--",
            "-->",
            "--!",
            "<!",
            "<?",
            "<![CDATA[",
            "&",
            "&#",
            "&#x",
            "0",
            "&amp",
            ";",
            "&notin",
            "\0",
            "\r\n",
            "<plaintext>",
        ];
        // Far less than the threads of the program have.
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let read = || {
            for first in PIECES {
                for second in PIECES {
                    plain(&format!("a{first}{}", second.repeat(20_000)));
                    plain(&format!("<p {}>", format!("{first}{second}").repeat(5_000)));
                }
            }
        };
        small.spawn(read).unwrap().join().unwrap();
    }
}
