//! Escape sequences of roff: fonts and sizes are dropped, named characters become characters.

/// A text without escape sequences.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else { break };
        rest = &rest[escape.len_utf8()..];
        match escape {
            '"' | '#' => return out,
            '-' => out.push('-'),
            'e' | '\\' | 'E' => out.push('\\'),
            ' ' | '~' | '0' => out.push(' '),
            't' => out.push('\t'),
            '\'' | '`' | '.' => out.push(escape),
            '(' => out.push_str(character(named(&mut rest, '('))),
            '[' => out.push_str(character(named(&mut rest, '['))),
            '*' => {
                let name = operand(&mut rest);
                out.push_str(string(name));
            }
            'f' | 'F' | 'm' | 'M' | 'n' | 'g' | 'k' | '$' | 'V' | 'Y' => drop(operand(&mut rest)),
            's' => {
                rest = rest.trim_start_matches(['+', '-']);
                operand(&mut rest);
            }
            'h' | 'v' | 'w' | 'o' | 'l' | 'L' | 'N' | 'C' | 'D' | 'b' | 'x' | 'X' | 'Z' | 'A' | 'B' | 'H' | 'S'
            | 'R' => {
                if let Some((_, after)) = rest.strip_prefix('\'').and_then(|quoted| quoted.split_once('\'')) {
                    rest = after;
                }
            }
            // Breaks, joins and motions print nothing.
            _ => {}
        }
    }
    out.push_str(rest);
    out
}

/// The operand of an escape: a character, `(` and two, or in brackets.
fn operand<'a>(rest: &mut &'a str) -> &'a str {
    match rest.chars().next() {
        Some(open @ ('(' | '[')) => {
            *rest = &rest[1..];
            named(rest, open)
        }
        Some(one) => {
            let (name, after) = rest.split_at(one.len_utf8());
            *rest = after;
            name
        }
        None => "",
    }
}

/// The name behind `(`, of two characters, or behind `[`, up to its end.
fn named<'a>(rest: &mut &'a str, open: char) -> &'a str {
    let text = *rest;
    let (name, after) = match open {
        '[' => text.split_once(']').unwrap_or((text, "")),
        _ => text.split_at(text.char_indices().nth(2).map_or(text.len(), |(at, _)| at)),
    };
    *rest = after;
    name
}

/// The characters of groff_char(7) that manual pages use.
fn character(name: &str) -> &'static str {
    match name {
        "aq" => "'",
        "dq" => "\"",
        "lq" => "\u{201c}",
        "rq" => "\u{201d}",
        "oq" => "\u{2018}",
        "cq" => "\u{2019}",
        "em" => "\u{2014}",
        "en" => "\u{2013}",
        "hy" => "-",
        "bu" => "\u{2022}",
        "rs" => "\\",
        "ti" => "~",
        "ha" => "^",
        "ga" => "`",
        "co" => "\u{a9}",
        "rg" => "\u{ae}",
        "tm" => "\u{2122}",
        "de" => "\u{b0}",
        "mc" => "\u{b5}",
        "mu" => "\u{d7}",
        "+-" => "\u{b1}",
        "->" => "\u{2192}",
        "<-" => "\u{2190}",
        "<=" => "\u{2264}",
        ">=" => "\u{2265}",
        "!=" => "\u{2260}",
        "sc" => "\u{a7}",
        "12" => "\u{bd}",
        "14" => "\u{bc}",
        "la" => "\u{27e8}",
        "ra" => "\u{27e9}",
        "or" | "ba" => "|",
        "pl" => "+",
        "mi" => "-",
        "eq" => "=",
        "lB" => "[",
        "rB" => "]",
        "lC" => "{",
        "rC" => "}",
        "at" => "@",
        "sh" => "#",
        "Do" => "$",
        _ => "",
    }
}

/// The strings that the macros define.
fn string(name: &str) -> &'static str {
    match name {
        "lq" | "Lq" => "\u{201c}",
        "rq" | "Rq" => "\u{201d}",
        "Aq" | "aq" => "'",
        "Tm" => "\u{2122}",
        "R" => "\u{ae}",
        "Ba" => "|",
        "Le" | "<=" => "\u{2264}",
        "Ge" | ">=" => "\u{2265}",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_left_out_and_named_characters_are_characters() {
        for (source, text) in [
            (r"\fB\-a\fP, \f[I]b\f[R] and \f(CWc\fR", "-a, b and c"),
            (r"\(lqone\(rq \[em] two\e", "\u{201c}one\u{201d} \u{2014} two\\"),
            (r"\*(lqone\*(rq \*[Aq]", "\u{201c}one\u{201d} '"),
            (r"x\h'2m'y\s-1z\s0 \w'abc'u", "xyz u"),
            (r"no\&break\%able\c \$1", "nobreakable "),
            (r#"said \" not said"#, "said "),
            (r"\", ""),
            (r"\(l", ""),
            (r"\[never closed", ""),
            (r"\h'never closed", "'never closed"),
            ("\\fé", ""),
        ] {
            assert_eq!(plain(source), text, "{source}");
        }
    }
}
