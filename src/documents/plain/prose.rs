//! Distinguishes sentences from program text, output and tables.

use super::{Line, chunks};
use text::words::is_stop;

/// The least number of words in sentences for preformatted text to be prose.
const LEAST_PROSE: usize = 15;

/// Whether preformatted text is mostly sentences, by its function words: program text, output and comments have few.
pub(super) fn is_mostly_prose(lines: &[Line<'_>]) -> bool {
    const MARKS_OF_CODE: [&str; 8] = ["$ ", "#", "% ", ">>>", "--", "//", "[", "..."];
    if lines.iter().any(|line| MARKS_OF_CODE.iter().any(|mark| line.words().starts_with(mark))) {
        return false;
    }
    let (mut all, mut prose, mut words) = (0, 0, 0);
    for chunk in chunks(lines) {
        let text = chunk.iter().map(Line::words).collect::<Vec<_>>().join(" ");
        all += text.len();
        if let Some(many) = words_of_prose(&text, chunk[0].item().unwrap_or(&text)) {
            prose += text.len();
            words += many;
        }
    }
    words >= LEAST_PROSE && prose * 5 >= all * 3
}

/// The number of words of a text, if it consists of sentences. `begins` is the text without its list marker.
fn words_of_prose(text: &str, begins: &str) -> Option<usize> {
    let words = text.split_whitespace().count();
    let function_words = text::words::words(text).filter(|word| is_stop(word)).count();
    let symbols = text.chars().filter(|c| "{}=<>;$|\\_#[]*+~@%&^".contains(*c)).count();
    let is_sentence = |text: &str| text.starts_with(char::is_uppercase);
    let begins = is_sentence(begins) || text.split(". ").skip(1).any(is_sentence);
    let ends = text.ends_with(['.', ':', '!', '?', ')']);
    let fits = words >= 6 && function_words * 100 >= words * 28 && symbols * 100 <= text.len() * 3;
    (begins && ends && fits).then_some(words)
}

/// Whether a text consists of sentences, with any marks around the words ("<networking> The {country code} of …"): nearly all words
/// are plain, one in five is a function word, and it ends like a sentence.
pub(super) fn is_sentences(text: &str) -> bool {
    let of_word = |c: char| c.is_alphabetic() || "-'’".contains(c);
    let (mut all, mut plain, mut function_words) = (0, 0, 0);
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        all += 1;
        if !bare.is_empty() && bare.chars().all(of_word) {
            plain += 1;
            function_words += usize::from(is_stop(bare));
        }
    }
    all >= 4 && plain * 5 >= all * 4 && function_words * 5 >= all && text.ends_with(['.', ':', '!', '?', ')', '"'])
}

/// Whether lines are sentences, not indented program text.
pub(super) fn is_prose(lines: &[Line<'_>]) -> bool {
    let text = lines.iter().map(Line::words).collect::<Vec<_>>().join(" ");
    let all = text.chars().count();
    let plain = text.chars().filter(|c| c.is_alphabetic() || *c == ' ' || ",.'".contains(*c)).count();
    let words = text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count();
    let code = lines.iter().any(|line| line.words().ends_with([';', '{', '}']));
    !code && words >= 3 && plain * 100 >= all * 80
}
