//! Notices an answer that says the same again and again: weak models do so until their limit.

/// The longest piece whose repetition is noticed, in bytes.
const LONGEST: usize = 400;
/// The least bytes of repetition that are taken for one. Rules of tables and rows of zeros are shorter.
const LEAST: usize = 2_000;
/// The least times that a piece has to come.
const TIMES: usize = 6;

/// Whether the end of a text is one piece again and again.
pub(super) fn repeats(text: &str) -> bool {
    let bytes = text.as_bytes();
    (1..=LONGEST).any(|piece| {
        let span = LEAST.max(piece * TIMES);
        let Some(end) = bytes.len().checked_sub(span).map(|from| &bytes[from..]) else { return false };
        end[piece..] == end[..span - piece]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_comes_again_and_again_is_noticed_and_what_only_looks_like_it_is_not() {
        let sentence = "The index is built in memory and written to disk at the end. ";
        assert!(repeats(&format!("It begins well. {}", sentence.repeat(60))));
        assert!(repeats(&"\n".repeat(LEAST)));
        assert!(repeats(&"x".repeat(390).repeat(8)));
        assert!(!repeats(&sentence.repeat(10)), "too short to be sure");
        let numbered: String = (0..200).map(|n| format!("{n}. {sentence}")).collect();
        assert!(!repeats(&numbered), "each is another");
        let rule = format!("| a | b |\n|{}|\n", "-".repeat(400));
        assert!(!repeats(&rule));
        assert!(!repeats(&format!("{}And so it ended.", sentence.repeat(60))), "it has stopped doing so");
        assert!(!repeats(""));
    }
}
