//! Comments in program text as prose: takes off the sign that begins each of several lines, so that it does not stand between words
//! that are joined. A single line is left as it is.

/// Comment signs, the longest first.
const SIGNS: [&str; 4] = ["//!", "///", "//", ";;"];
/// The fewest lines of a comment.
const LEAST: usize = 2;

/// The lines without the comment signs, with a blank line below each comment.
pub(super) fn without_signs<'a>(lines: impl Iterator<Item = (&'a str, u32)>) -> Vec<(&'a str, u32)> {
    let lines: Vec<(&str, u32)> = lines.collect();
    let mut read = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|(a, _), (b, _)| sign(a) == sign(b)) {
        match sign(run[0].0).filter(|_| run.len() >= LEAST) {
            Some(sign) => {
                read.extend(run.iter().map(|(line, no)| (said(line, sign), *no)));
                read.extend(run.last().map(|(_, no)| ("", *no)));
            }
            None => read.extend_from_slice(run),
        }
    }
    read
}

/// The comment sign that a line begins with, if a space or nothing follows it.
fn sign(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let is_it =
        |sign: &&str| line.strip_prefix(sign).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    SIGNS.into_iter().find(|sign| is_it(sign))
}

fn said<'a>(line: &'a str, sign: &str) -> &'a str {
    let rest = line.trim_start().strip_prefix(sign).unwrap_or(line);
    rest.strip_prefix(' ').unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;

    #[test]
    fn the_sign_that_begins_every_line_of_a_comment_is_no_part_of_its_sentences() {
        let text = "//! A runtime for applications with asynchronous\n//! parts, which is fast.\n//!\n//! It has a timer.\nuse std::io;\n\n    /// It returns at\n    /// once.\n";
        let document = parse(text.as_bytes(), "lib.rs").unwrap();
        let texts: Vec<(u32, &str)> = document.blocks.iter().map(|block| (block.line, block.text.as_str())).collect();
        assert_eq!(texts[0], (1, "A runtime for applications with asynchronous parts, which is fast."));
        assert_eq!(texts[1], (4, "It has a timer."));
        assert!(texts.contains(&(7, "It returns at once.")), "{texts:?}");
        assert_eq!(document.blocks[0].line_at(document.blocks[0].text.find("parts").unwrap()), 2);
        for text in ["Use // for a comment\n// or two.\n", "See\n//server/share and\n//server/other.\n"] {
            let document = parse(text.as_bytes(), "a.txt").unwrap();
            assert!(document.blocks[0].text.contains("//"), "{text}");
        }
    }
}
