//! The gaps between the paragraphs of typeset pages: a caption stands alone, and a sentence that goes on below a gap is one. Changes
//! no line.

use super::mark::Mark;

/// A line with its page number.
type Line<'t> = (&'t str, u32);

/// Words before the number of a caption.
const KINDS: [&str; 3] = ["Figure", "Table", "Listing"];
/// A line with fewer bytes is not full: its sentence may end there without a full stop.
const LEAST_OF_FULL: usize = 40;
/// Marks at the end of a sentence or before a list.
const ENDS: [char; 5] = ['.', '!', '?', ':', ';'];

/// The lines with other gaps: one around each caption, and none within a sentence.
pub(super) fn parted<'t>(lines: Vec<Line<'t>>) -> Vec<Line<'t>> {
    let is_gap = |line: &Line<'_>| line.0.trim().is_empty();
    let mut kept: Vec<Line<'t>> = Vec::with_capacity(lines.len());
    // The last line that is no gap, and whether it is a caption.
    let mut before = ("", false);
    for line in lines {
        if is_gap(&line) {
            kept.push(line);
            continue;
        }
        let (words, page) = line;
        let (above, is_below_caption) = before;
        let is_apart = kept.last().is_none_or(is_gap);
        let is_caption = is_caption(words) && (is_apart || ends(above));
        if is_apart && !is_below_caption && goes_on(above, words) {
            while kept.pop_if(|last| is_gap(last)).is_some() {}
        } else if !is_apart && (is_caption || is_below_caption && !(is_full(above) && begins_small(words))) {
            kept.push(("", page));
        }
        kept.push(line);
        before = (words, is_caption);
    }
    kept
}

/// Whether a line is a caption: "Figure 20. Results", "Table 3: Keys".
fn is_caption(line: &str) -> bool {
    let (mark, words) = Mark::read(line);
    let mut words = words.split_whitespace();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['.', ':']);
    mark.is_none() && words.next().is_some_and(|word| KINDS.contains(&word)) && words.next().is_some_and(is_number)
}

/// Whether a full line of text ends within a sentence that the line below a gap goes on with.
fn goes_on(before: &str, line: &str) -> bool {
    let is_text = Mark::read(before).0.is_none() && Mark::read(line).0.is_none();
    is_text && is_full(before) && !ends(before) && begins_small(line)
}

fn is_full(line: &str) -> bool {
    line.trim().len() >= LEAST_OF_FULL
}

fn ends(line: &str) -> bool {
    line.trim_end().ends_with(ENDS)
}

/// Whether a line begins with a word in small letters, not with the letter of an item: `a)`, `o `.
fn begins_small(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or("");
    word.chars().take(2).filter(|c| c.is_lowercase()).count() == 2 || word == "a"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_stand_alone_and_sentences_go_on_below_a_gap() {
        let full = "The wizard is for quickly and easily getting the volumes";
        for (lines, wanted) in [
            (&[full, "", "for a single batch."][..], &[full, "for a single batch."][..]),
            (
                &["It ends.", "Figure 20. Results", "Now it is right."],
                &["It ends.", "", "Figure 20. Results", "", "Now it is right."],
            ),
            (
                &["Table 3: All keys of the three screens, and of", "the findings", "", "Next."],
                &["Table 3: All keys of the three screens, and of", "the findings", "", "Next."],
            ),
            (
                &["Click on the button", "", "Figure 10. The tree", "and drag it."],
                &["Click on the button", "", "Figure 10. The tree", "", "and drag it."],
            ),
            (
                &["as is shown in", "Figure 20. Then it ends.", "More."],
                &["as is shown in", "Figure 20. Then it ends.", "More."],
            ),
            (&["It is shown.", "Figure 20 shows it.", "More."], &["It is shown.", "Figure 20 shows it.", "More."]),
            (&["It has two", "", "first the key"], &["It has two", "", "first the key"]),
            (&[full, "", "a) the key"], &[full, "", "a) the key"]),
            (&[full, "", "Then it ends."], &[full, "", "Then it ends."]),
            (&[full, "", "\u{2}run it"], &[full, "", "\u{2}run it"]),
        ] {
            let parted = parted(lines.iter().map(|line| (*line, 1)).collect());
            assert_eq!(parted.iter().map(|(line, _)| *line).collect::<Vec<_>>(), wanted);
        }
    }
}
