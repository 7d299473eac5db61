//! Finds the lines of a file on which the words of each block are, by comparing both word by word.
//!
//! Readers join hard-wrapped lines and drop markup, so that a block knows only the line where it begins. A line whose first words are
//! not found in the block counts to the line before. The time is linear to the length of both.

use text::Clean;

use run::evidence::{Block, BlockKind};

/// The words of a line that are tried as its first one: those before it may be markup.
const TRIED: usize = 4;
/// A word may be so much further on in the block than in the file.
const SLACK: usize = 2;
/// The words of a block that are looked at for each word of the block and of the file: enough to find the text again after a part that
/// the reader drops, and few enough for a long file whose lines are never found.
const LOOKS: usize = 30;
/// The words of the file that are read for a block beyond twice as many as it has, and the lines beyond as many as it has bytes.
const MORE: usize = 200;

/// Notes the line breaks within the blocks of a file with this text, and the lines where the pieces of long paragraphs begin.
pub(super) fn note(blocks: &mut [Block], text: &str) {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut from = 0;
    while from < blocks.len() {
        let line = blocks[from].line;
        let is_running = |kind| kind != BlockKind::TableRow;
        let length = blocks[from..].iter().take_while(|block| block.line == line && is_running(block.kind)).count();
        let end = from + length.max(1);
        if length > 0 && line > 0 {
            let bytes: usize = blocks[from..end].iter().map(|block| block.text.len()).sum();
            let next = blocks.get(end).map(|block| index(block.line)).filter(|next| *next > index(line));
            let first = index(line).min(lines.len());
            let next = next.unwrap_or(usize::MAX).min(lines.len()).min(first + bytes + MORE);
            let own = &lines[first..next];
            if own.iter().skip(1).any(|line| !line.trim().is_empty()) {
                place(&mut blocks[from..end], own);
            }
        }
        from = end;
    }
}

/// The index of a line by its number.
fn index(line: u32) -> usize {
    usize::try_from(line).map_or(usize::MAX, |line| line.saturating_sub(1))
}

/// The words of a text, each with its offset in bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.find(char::is_alphanumeric)?;
        let word = &rest[begin..];
        let length = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let at = text.len() - word.len();
        rest = &word[length..];
        Some((at, &word[..length]))
    })
}

/// The parts of a line that are in no tag of HTML: the words of a tag may stand in the text, too.
fn outside_tags(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let is_tag = |at: &usize| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let tag = text.match_indices('<').map(|(at, _)| at).find(is_tag);
        let end = tag.and_then(|at| text[at..].find('>').map(|length| at + length));
        rest = end.map(|end| &text[end + 1..]);
        Some(tag.filter(|_| end.is_some()).map_or(text, |at| &text[..at]))
    })
}

/// The words of the first lines of a file, and the index of the first word of each line.
struct Written<'t> {
    words: Vec<&'t str>,
    begins: Vec<usize>,
}

impl<'t> Written<'t> {
    fn of(lines: &[&'t str], most: usize) -> Written<'t> {
        let mut written = Written { words: Vec::new(), begins: Vec::new() };
        for line in lines {
            written.begins.push(written.words.len());
            let left = most.saturating_sub(written.words.len());
            written.words.extend(outside_tags(line).flat_map(words).take(left).map(|(_, word)| word));
            if left == 0 {
                break;
            }
        }
        written
    }

    /// Whether the words from this one on are these: two are compared, if there are as many.
    fn has_at(&self, word: usize, told: &[&str]) -> bool {
        self.words[word] == told[0]
            && told.get(1).is_none_or(|second| self.words.get(word + 1).is_none_or(|next| next == second))
    }

    /// The words of a line as a range; empty if it has none.
    fn of_line(&self, line: usize) -> std::ops::Range<usize> {
        self.begins[line]..self.begins.get(line + 1).copied().unwrap_or(self.words.len())
    }
}

/// Notes the line breaks of blocks that begin in the first of these lines.
fn place(blocks: &mut [Block], lines: &[&str]) {
    let texts: Vec<Clean> = blocks.iter().map(|block| block.text.clone()).collect();
    let told = texts.iter().enumerate().flat_map(|(block, text)| words(text).map(move |(at, word)| (block, at, word)));
    let told: Vec<(usize, usize, &str)> = told.collect();
    let words: Vec<&str> = told.iter().map(|(.., word)| *word).collect();
    let first = blocks[0].line;
    let mut before = &0;
    let mut passed = 0;
    for ((block, at, _), line) in told.iter().zip(lines_of(&words, lines)) {
        let own = &mut blocks[*block];
        if before != block {
            own.line = first.saturating_add(line);
        } else {
            let room = Block::MOST_BREAKS.saturating_sub(own.breaks.len());
            let offset = u16::try_from(begin(&own.text, *at)).unwrap_or(u16::MAX);
            let more = usize::try_from(line - passed).unwrap_or(usize::MAX);
            own.breaks.extend(std::iter::repeat_n(offset, more.min(room)));
        }
        (before, passed) = (block, line);
    }
}

/// The offset of a word with the marks right before it: quotation marks and brackets.
fn begin(text: &str, word: usize) -> usize {
    text[..word].trim_end_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace()).len()
}

/// The line of each of these words, from 0, in lines that have them and others in between.
fn lines_of(told: &[&str], lines: &[&str]) -> Vec<u32> {
    let written = Written::of(lines, 2 * told.len() + MORE);
    let mut begun = vec![0; told.len()];
    let mut left = LOOKS * (told.len() + written.words.len());
    // The last place where both are known to agree.
    let (mut at, mut agreed) = (0, 0);
    for (line, no) in (1..written.begins.len()).zip(1u32..) {
        let own = written.of_line(line);
        let found = own.clone().take(TRIED).find_map(|word| {
            let last = told.len().checked_sub(1)?;
            let expected = (at + (word - agreed)).min(last);
            let further = expected + 1..=(expected + SLACK).min(last);
            let place = (at..=expected).rev().chain(further).take(left).find(|place| {
                left -= 1;
                written.has_at(word, &told[*place..])
            });
            Some((word, place?))
        });
        if let Some((word, place)) = found {
            (at, agreed) = (place, word);
            begun[place] = no;
        }
    }
    begun
        .iter()
        .scan(0, |line, own| {
            *line = (*own).max(*line);
            Some(*line)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// The line of each word of a document, by its text, with the line where the word stands in the file.
    fn lines_of_words(name: &str, text: &str) -> Vec<(u32, String)> {
        let document = parse(text.as_bytes(), name).unwrap();
        let words = document.blocks.iter().flat_map(|block| {
            super::words(&block.text).map(|(at, word)| (block.line_at(at), word.to_owned())).collect::<Vec<_>>()
        });
        words.collect()
    }

    /// Words that are numbered by their lines: the third word of line 12 is `c12`.
    fn numbered(marks: &[(&str, &str)], lines: u32) -> String {
        let of_line = |line: u32| {
            let (before, between) = marks[(line as usize - 1) % marks.len()];
            format!("{before}a{line} the{between} of b{line} and c{line}\n")
        };
        (1..=lines).map(of_line).collect()
    }

    #[test]
    fn each_word_of_a_paragraph_is_said_to_stand_in_its_line() {
        let link = (" ", "](https://example.org/a/the/of)");
        for (name, text) in [
            ("a.txt", numbered(&[("", "")], 40)),
            ("a.md", numbered(&[("", "")], 40)),
            ("a.md", numbered(&[("*", "*"), ("", ""), ("[", link.1)], 40)),
            ("a.rst", numbered(&[("", ""), ("``", "``")], 40)),
            ("a.adoc", numbered(&[("", ""), ("_", "_")], 40)),
            ("a.html", format!("<p>{}", numbered(&[("", ""), ("<b class=\"the of\">", "</b>")], 40))),
            ("a.tex", numbered(&[("", ""), ("\\emph{", "}")], 40)),
            ("a.org", numbered(&[("", ""), ("/", "/")], 40)),
        ] {
            let words = lines_of_words(name, &text);
            let marked: Vec<_> = words
                .iter()
                .filter(|(_, word)| word.starts_with(['a', 'b', 'c']) && word.len() > 1 && *word != "and")
                .collect();
            assert!(marked.len() >= 120, "{name}: {words:?}");
            for (line, word) in marked {
                assert_eq!(word[1..], line.to_string(), "{name}: {word}");
            }
        }
    }

    #[test]
    fn the_pieces_of_a_long_paragraph_begin_in_their_lines() {
        let text: String = (1..=200).map(|line| format!("In line {line} stands w{line}, which is read.\n")).collect();
        let document = parse(text.as_bytes(), "a.txt").unwrap();
        assert!(document.blocks.len() > 2);
        for block in &document.blocks {
            let first = block.text.find(" w").unwrap();
            assert!(block.text[first + 2..].starts_with(&block.line.to_string()), "{} {}", block.line, block.text);
            assert!(block.breaks.len() <= super::Block::MOST_BREAKS);
        }
        let code: String =
            (1..=200).map(|line| format!("    let w{line} = a_value_that_is_read_of_the_file({line});\n")).collect();
        let document = parse(format!("```\n{code}```\n").as_bytes(), "a.md").unwrap();
        let at = document.blocks.iter().flat_map(|block| {
            block
                .text
                .match_indices('w')
                .map(|(at, _)| (block.line_at(at), block.text[at + 1..].split(' ').next().unwrap()))
                .collect::<Vec<_>>()
        });
        at.for_each(|(line, number)| assert_eq!(number, (line - 1).to_string()));
    }

    #[test]
    fn a_line_that_is_not_found_counts_to_the_one_before() {
        // A word that is cut at the end of a line is none of the file.
        let words = lines_of_words("a.txt", "It is an exam-\nple of all\nthat is read.\n\nThe end.\n");
        let line_of = |wanted: &str| words.iter().find(|(_, word)| word == wanted).map(|(line, _)| *line);
        assert_eq!(["an", "read", "end"].map(line_of), [Some(1), Some(3), Some(5)]);
        assert!(
            parse(b"One line only.\n\nAnother.\n", "a.md").unwrap().blocks.iter().all(|block| block.breaks.is_empty())
        );
    }

    proptest::proptest! {
        #[test]
        fn lines_never_fall_and_never_leave_the_file(text in "([a-c]{1,2}[ \\n.*<>-]){0,80}", name in "a\\.(md|txt|html|rst)") {
            let Ok(document) = parse(text.as_bytes(), &name) else { return Ok(()) };
            let most = u32::try_from(text.split('\n').count()).unwrap();
            for block in &document.blocks {
                proptest::prop_assert!(block.breaks.is_sorted());
                proptest::prop_assert!(block.line_at(block.text.len()) <= most);
            }
        }
    }
}
