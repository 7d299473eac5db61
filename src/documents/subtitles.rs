//! Subtitles (SubRip, WebVTT) to paragraphs of speech, without numbers, times and notes.

use super::draft::Draft;
use run::evidence::BlockKind;

/// The bytes from which the end of a sentence ends a paragraph: some sixty words.
const ENOUGH: usize = 360;
/// The bytes from which a paragraph ends wherever a cue does: captions made by programs have no full stops.
const LONG: usize = 3 * ENOUGH;
/// The pause, in milliseconds, that ends a paragraph behind a sentence, or one that is long enough.
const PAUSE: u64 = 3_000;
/// The most bytes of a tag.
const LONGEST_TAG: usize = 500;

/// One cue.
struct Cue<'a> {
    from: u64,
    to: u64,
    lines: Vec<&'a str>,
    /// The line of the file where its text begins.
    line: u32,
}

/// Whether a text begins as subtitles do, under any file name.
pub(super) fn is_source(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    first == "WEBVTT" || first == "1" && times(second).is_some()
}

pub(super) fn parse(text: &str, draft: &mut Draft) {
    draft.title_by_name();
    let (mut said, mut line, mut end, mut last) = (String::new(), 1, 0, String::new());
    for cue in cues(text) {
        let is_whole = said.ends_with(['.', '!', '?', '…', '"', '”', '。', '！', '？', '」']);
        let grounds = [is_whole, said.len() >= ENOUGH, cue.from.saturating_sub(end) >= PAUSE];
        if grounds.into_iter().filter(|ground| *ground).count() > 1 || said.len() >= LONG {
            draft.push(BlockKind::Paragraph, None, &said, line);
            said.clear();
        }
        end = cue.to;
        for words in cue.lines.iter().map(|line| without_tags(line)).filter(|words| !words.is_empty()) {
            // Captions that roll show a line twice.
            if words == last {
                continue;
            }
            match said.is_empty() {
                true => line = cue.line,
                false => said.push(' '),
            }
            said.push_str(&words);
            last = words;
        }
    }
    draft.push(BlockKind::Paragraph, None, &said, line);
}

/// The cues in order. The text between them, as notes, styles and the names of cues, is left out.
fn cues(text: &str) -> Vec<Cue<'_>> {
    let mut found: Vec<Cue<'_>> = Vec::new();
    let mut is_open = false;
    for (line, no) in text.lines().map(str::trim).zip(1u32..) {
        match times(line) {
            Some((from, to)) => {
                found.push(Cue { from, to, lines: Vec::new(), line: no + 1 });
                is_open = true;
            }
            None if line.is_empty() => is_open = false,
            None => found.last_mut().filter(|_| is_open).into_iter().for_each(|cue| cue.lines.push(line)),
        }
    }
    found
}

/// Begin and end of a cue, in milliseconds: `00:01:04,500 --> 00:01:06,000`.
fn times(line: &str) -> Option<(u64, u64)> {
    let (from, rest) = line.split_once("-->")?;
    // The place on the screen may follow.
    Some((time(from.trim())?, time(rest.split_whitespace().next()?)?))
}

/// `01:04.500`, `00:01:04,500`
fn time(text: &str) -> Option<u64> {
    let (clock, fraction) = text.split_once(['.', ','])?;
    let seconds = clock.split(':').try_fold(0_u64, |sum, part| {
        let part: u64 = part.parse().ok()?;
        sum.checked_mul(60)?.checked_add(part)
    })?;
    let millis: u64 = fraction.parse().ok().filter(|_| fraction.len() == 3)?;
    seconds.checked_mul(1_000)?.checked_add(millis)
}

/// The words of a line, without `<i>`, `<v Ann>`, `<00:01.000>` and `{\an8}`. A `<` that opens no tag stays.
fn without_tags(line: &str) -> String {
    let mut bare = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find(['<', '{']) {
        let (before, tag) = rest.split_at(open);
        bare.push_str(before);
        let (close, is_tag) = match tag.starts_with('<') {
            true => ('>', tag[1..].starts_with(|c: char| c == '/' || c.is_ascii_alphanumeric())),
            false => ('}', tag.starts_with("{\\")),
        };
        let near = &tag[..tag.floor_char_boundary(LONGEST_TAG)];
        match is_tag.then(|| near.find(close)).flatten() {
            Some(end) => rest = &tag[end + 1..],
            None => {
                bare.push_str(&tag[..1]);
                rest = &tag[1..];
            }
        }
    }
    bare.push_str(rest);
    bare.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Document, parse};

    fn told(document: &Document) -> Vec<(&str, u32)> {
        document.blocks.iter().map(|block| (block.text.as_str(), block.line)).collect()
    }

    #[test]
    fn what_is_said_in_a_film_is_read_without_its_times() {
        let text = "\u{feff}1\n00:00:01,000 --> 00:00:04,000\n{\\an8}The bittern is a heron\n\n2\n00:00:04,500 --> 00:00:06,000\nthat booms in spring.\n\n3\n00:00:12,000 --> 00:00:14,000\n<i>It weighs <b>1.5</b> kilograms,</i>\nand 1 < 2.\n";
        let whole = [("The bittern is a heron that booms in spring.", 3), ("It weighs 1.5 kilograms, and 1 < 2.", 11)];
        assert_eq!(told(&parse(text.as_bytes(), "heron.srt").expect("text in the file")), whole);
        assert_eq!(told(&parse(text.as_bytes(), "heron.txt").expect("text in the file")), whole, "told by its text");
    }

    #[test]
    fn notes_styles_names_of_cues_and_lines_shown_twice_are_left_out() {
        let text = "WEBVTT - A talk\n\nNOTE made by hand\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:04.000 align:start\n<v Ann>The avocet nests\n\n00:04.500 --> 00:06.000\nThe avocet nests\non open mud.\n";
        let page = parse(text.as_bytes(), "talk.vtt").expect("text in the file");
        assert_eq!((page.title.as_str(), told(&page)), ("talk.vtt", vec![("The avocet nests on open mud.", 10)]));
    }

    /// Cues of one line each, a second long, with these pauses before them in seconds.
    fn film(cues: impl IntoIterator<Item = (u64, impl std::fmt::Display)>) -> String {
        let clock = |second: u64| format!("{:02}:{:02}:{:02}.000", second / 3_600, second / 60 % 60, second % 60);
        let mut now = 0;
        let cues = cues.into_iter().map(|(pause, words)| {
            now += pause + 1;
            format!("\n{} --> {}\n{words}\n", clock(now - 1), clock(now))
        });
        format!("WEBVTT\n{}", cues.collect::<String>())
    }

    #[test]
    fn speech_without_marks_is_parted_at_pauses_and_by_its_length() {
        let said = |n: u64| format!("the heron number {n} booms in spring and hides in the reeds again");
        let text = film((0..100).map(|n| (if n % 40 == 9 { 4 } else { 0 }, said(n))));
        let page = parse(text.as_bytes(), "talk.vtt").expect("text in the file");
        assert!(page.blocks.iter().all(|block| (300..1_300).contains(&block.text.len())), "{:?}", told(&page));
        assert_eq!(page.blocks[1].line, 4 + 3 * 9, "a new one begins behind a pause");
        let words: usize = page.blocks.iter().map(|block| block.text.split(' ').count()).sum();
        assert_eq!(words, 1_300, "no word is lost");
    }

    #[test]
    fn sentences_end_by_the_marks_of_their_script_and_a_pause_within_one_parts_nothing() {
        let text = film([(0, "サギは鳥です。"), (5, "春に鳴きます。"), (5, "It booms"), (5, "in spring.")]);
        let page = parse(text.as_bytes(), "talk.vtt").expect("text in the file");
        assert_eq!(told(&page), [("サギは鳥です。", 4), ("春に鳴きます。", 7), ("It booms in spring.", 10)]);
    }

    #[test]
    fn other_texts_are_no_subtitles() {
        for text in ["1\n2 --> 3\n", "1\nThe first.\n", "Go from a --> b.\n", ""] {
            assert!(!super::is_source(text), "{text}");
        }
    }
}
