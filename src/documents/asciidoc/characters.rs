//! Characters that AsciiDoc writes by name: predefined attributes, and references as in HTML.

/// The character of a predefined attribute.
pub(super) fn attribute(name: &str) -> Option<&'static str> {
    Some(match name {
        "empty" | "blank" | "zwsp" | "wj" => "",
        "sp" | "nbsp" => " ",
        "apos" | "apostrophe" => "'",
        "quot" => "\"",
        "lsquo" => "\u{2018}",
        "rsquo" => "\u{2019}",
        "ldquo" => "\u{201c}",
        "rdquo" => "\u{201d}",
        "deg" => "\u{b0}",
        "plus" => "+",
        "brvbar" => "\u{a6}",
        "vbar" => "|",
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "startsb" => "[",
        "endsb" => "]",
        "caret" => "^",
        "asterisk" => "*",
        "tilde" => "~",
        "backslash" => "\\",
        "backtick" => "`",
        "two-colons" => "::",
        "two-semicolons" => ";;",
        "cpp" | "cxx" => "C++",
        "pp" => "++",
        "litdd" => "--",
        "emdash" => "\u{2014}",
        _ => return None,
    })
}

/// The character of a reference, given by its name between `&` and `;`.
pub(super) fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '\u{2013}',
        "mdash" => '\u{2014}',
        "hellip" => '\u{2026}',
        "copy" => '\u{a9}',
        "reg" => '\u{ae}',
        "trade" => '\u{2122}',
        "times" => '\u{d7}',
        "larr" => '\u{2190}',
        "rarr" => '\u{2192}',
        "le" => '\u{2264}',
        "ge" => '\u{2265}',
        _ => return None,
    })
}
