//! Emphasis in plain text, `*so*`, `_so_` or `**so**`: the marks are not part of the words.

/// The most bytes of an emphasis.
const LONGEST: usize = 80;

/// A text without the marks around words.
pub(super) fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['*', '_']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let opens = kept.chars().next_back().is_none_or(|c| c.is_whitespace() || "([\"'\u{201c}\u{2018}".contains(c));
        let bold = strong(from).map(|words| (words, 2));
        match bold.or_else(|| emphasised(from).map(|words| (words, 1))).filter(|_| opens) {
            Some((words, mark)) => {
                kept.push_str(words);
                rest = &from[words.len() + 2 * mark..];
            }
            None => {
                kept.push_str(&from[..1]);
                rest = &from[1..];
            }
        }
    }
    kept + rest
}

/// The words between two stars at the beginning of a text and the next two, if both touch words. They may be any words.
fn strong(text: &str) -> Option<&str> {
    let near = &text[..text.floor_char_boundary(LONGEST)];
    let (words, below) = near.strip_prefix("**")?.split_once("**")?;
    let touches = !words.starts_with(char::is_whitespace) && !words.ends_with(char::is_whitespace);
    let has_words = touches && !words.contains('*') && words.chars().any(char::is_alphabetic);
    (has_words && closes(below)).then_some(words)
}

/// Whether a text may stand right behind the closing mark.
fn closes(below: &str) -> bool {
    below.chars().next().is_none_or(|c| c.is_whitespace() || ".,;:!?)]\"'\u{201d}\u{2019}".contains(c))
}

/// The words between the mark at the beginning of a text and the next one, if both marks touch words.
fn emphasised(text: &str) -> Option<&str> {
    let mark = text.chars().next()?;
    let near = &text[1..text.floor_char_boundary(LONGEST)];
    let (words, below) = near.split_once(mark)?;
    let is_word = |c: char| c.is_alphanumeric() || " -'\u{2019},.".contains(c);
    let ends = words.ends_with(char::is_alphanumeric) || words.ends_with('.');
    (words.starts_with(char::is_alphanumeric) && ends && closes(below) && words.chars().all(is_word)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::without_marks;

    #[test]
    fn only_marks_around_words_are_taken_off() {
        for (text, wanted) in [
            ("The *main* area is _not_ small.", "The main area is not small."),
            ("(*Note*: run _ps -e_.)", "(Note: run ps -e.)"),
            ("*.c and *.h, 2 * 3 * 4, a*b*c", "*.c and *.h, 2 * 3 * 4, a*b*c"),
            ("__init__ of snake_case_name and **kwargs", "__init__ of snake_case_name and **kwargs"),
            (
                "If the option \"**Use \"GTD\" lists**\" is on, **it is bold**.",
                "If the option \"Use \"GTD\" lists\" is on, it is bold.",
            ),
            ("2 ** 3 ** 4, 2**3**4, f(**a, **b), src/**/*.rs", "2 ** 3 ** 4, 2**3**4, f(**a, **b), src/**/*.rs"),
            ("*never closed", "*never closed"),
            ("_start of *a_ b*", "_start of *a_ b*"),
            ("", ""),
        ] {
            assert_eq!(without_marks(text), wanted);
        }
        for many in ["*a ".repeat(100_000), "**a ".repeat(100_000)] {
            assert_eq!(without_marks(&many), many);
        }
    }
}
