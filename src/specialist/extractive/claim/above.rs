//! The name above a sentence, for one that is about the thing and does not say so.

use std::borrow::Cow;

use super::item::MOST_OF_A_KEY;
use crate::extractive::dangling::dangles;
use crate::extractive::headings::{
    NO_LABEL, entry, is_a_name, is_furniture, is_option, is_technical, member, unnumbered,
};
use crate::extractive::standalone::count;
use crate::extractive::topic::Tokens;
use crate::extractive::verb::is_verb;
use crate::words::WORDS;
use run::evidence::{Block, BlockKind, SourceRef};
use text::words::{fold, is_stop, words};

/// The name of the thing that the sentences of a block are about, as it stands above it.
pub(super) struct Above<'b> {
    pub name: &'b str,
    /// Whether it is a function or an option, of which every sentence below is.
    pub is_entry: bool,
    /// Whether it is the title of the page, which begins with this block, or with its names and then this block.
    pub is_title: bool,
}

impl<'b> Above<'b> {
    pub fn of(source: &'b SourceRef, block: &'b Block) -> Option<Above<'b>> {
        if let Some(name) = entry_of(block) {
            return Some(Above { name, is_entry: true, is_title: false });
        }
        // The name of a file is no subject.
        if block.headings.is_empty() && source.path.ends_with(source.title.as_str()) {
            return None;
        }
        // Below "Purpose" the sentences are about the heading above that.
        let heading = block.headings.iter().rev().find(|heading| !is_furniture(heading)).unwrap_or(&source.title);
        let name = member(unnumbered(heading));
        (is_a_name(name) && !name.contains(NO_LABEL)).then_some(Above {
            name,
            is_entry: false,
            is_title: block.headings.is_empty() && block.no <= 1,
        })
    }

    /// The key of a line `key: text`, of which every sentence behind the first is.
    pub fn of_key(block: &'b Block) -> Option<Above<'b>> {
        let (key, _) = block.text.split_once(": ").filter(|_| block.kind != BlockKind::Paragraph)?;
        // "receive-interval (10-60000)"
        let name = key.split_once(" (").map_or(key, |(name, _)| name).trim_matches(['*', '`', ' ']);
        let is_key = !name.is_empty() && count(key) <= MOST_OF_A_KEY && !key.contains(['[', ']', '.', '!', '?']);
        (is_key && WORDS.connectives.beginning(&block.text).is_none()).then_some(Above {
            name,
            is_entry: false,
            is_title: false,
        })
    }

    /// The name, if a sentence is about the thing and does not say so: "Specifies whether …", "The default is 6.", "… in this directory."
    pub fn label(&self, sentence: &str, opens: bool, defines: bool) -> Option<&'b str> {
        let points = (self.is_entry || is_technical(self.name)) && says_this(sentence);
        // A page called by a name in small letters is the entry of a command or a function.
        let describes = self.is_title && opens && self.name.starts_with(char::is_lowercase);
        if !(self.is_entry
            || points
            || describes
            || defines
            || lacks_name(sentence)
            || is_of_a_part(sentence)
            || is_bare_value(sentence))
        {
            return None;
        }
        let resolved = |text: &str| text.replacen("This ", "The ", 1).replacen("this ", "the ", 1);
        let leans_back = if points { dangles(&resolved(sentence)) } else { dangles(sentence) };
        let stands = !leans_back || self.is_entry && opens;
        (stands && !names(sentence, self.name)).then_some(self.name)
    }
}

/// The function, the option or the setting in whose entry a block stands.
pub(super) fn entry_of(block: &Block) -> Option<&str> {
    let headings = block.headings.iter().map(|heading| heading.as_str()).enumerate().rev();
    headings
        .into_iter()
        .find_map(|(at, heading)| entry(heading).or_else(|| is_option(heading, at > 0).then_some(heading)))
}

/// Whether a sentence points at its subject by a kind: "this directory".
fn says_this(sentence: &str) -> bool {
    let words: Vec<_> = words(sentence).map(fold).collect();
    words.windows(2).any(|pair| pair[0] == "this" && WORDS.kinds.contains(pair[1].as_ref()))
}

/// Whether a sentence begins with a verb and its object: "Specifies whether …", "Returns the …".
fn lacks_name(sentence: &str) -> bool {
    verb_and_next(sentence).is_some_and(|(verb, next)| {
        let governed = ["the", "a", "an", "whether", "that", "if", "how", "all", "any", "no", "to"];
        verb.len() > 3 && governed.contains(&next.as_ref())
    })
}

/// Whether the subject of a sentence is one plain noun, a part of an unnamed thing: "The default is 6."
fn is_of_a_part(sentence: &str) -> bool {
    let mut words = words(sentence);
    words.next() == Some("The")
        && words.next().is_some_and(|noun| noun.chars().all(char::is_lowercase) && !is_stop(noun))
        && words.next().is_some_and(|verb| is_verb(&fold(verb)))
}

/// Whether a sentence gives a value of a setting that it does not name: "The default value is 100."
pub fn is_bare_value(sentence: &str) -> bool {
    let mut words = words(sentence).map(fold);
    let begins = words.next().as_deref() == Some("the")
        && words.next().is_some_and(|kind| matches!(kind.as_ref(), "default" | "minimum" | "maximum"));
    let next = words.next();
    let verb = if next.as_deref() == Some("value") { words.next() } else { next };
    begins && verb.is_some_and(|verb| matches!(verb.as_ref(), "is" | "was" | "remains"))
}

/// Whether a sentence has a content word of a name, or the name of an option or a file whole.
fn names(sentence: &str, name: &str) -> bool {
    if is_technical(name) {
        return fold(sentence).contains(fold(name).as_ref());
    }
    let said = Tokens::of(sentence).content();
    Tokens::of(name).content().iter().any(|stem| said.contains(stem))
}

/// The verb in the third person that a text begins with, and the word after it.
pub(super) fn verb_and_next(text: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let mut words = words(text).map(fold);
    let verb = words.next().filter(|first| first.ends_with('s') && is_verb(first))?;
    Some((verb, words.next()?))
}

/// Whether the name stands in the title or the headings, so that a pronoun may refer to it.
pub(super) fn named_above(name: &str, source: &SourceRef, block: &Block) -> bool {
    let folded = |text: &str| -> Vec<String> { words(text).map(|word| fold(word).into_owned()).collect() };
    let name = folded(name);
    // "Back" does not stand in "Backup"; the name of several things may.
    let is_it = |found: &[String]| {
        found.iter().zip(&name).all(|(found, name)| found == name || found.strip_suffix('s') == Some(name))
    };
    let has = |text: &str| !name.is_empty() && folded(text).windows(name.len()).any(is_it);
    has(&source.title) || block.headings.iter().any(|heading| has(heading)) || has(&block.text)
}

#[cfg(test)]
mod tests {
    use crate::extractive::claim::claims;
    use crate::extractive::claim::tests::below;
    use crate::sample::{block, source};
    use run::evidence::{Block, BlockKind};

    #[test]
    fn what_a_setting_of_one_word_does_is_told_with_its_name_below_the_heading_over_all_settings() {
        let told = |headings: &[&str], kind, text: &str| {
            let headings = headings.iter().map(|heading| (*heading).into()).collect();
            let block = Block { headings, kind, lead: false, ..block(text) };
            claims(&source("Settings"), &block, None).pop().map(|claim| claim.text)
        };
        let (text, labelled) = (
            "Allow the removal of packages that are in use.",
            "[force]: Allow the removal of packages that are in use.",
        );
        for kind in [BlockKind::Paragraph, BlockKind::ListItem] {
            assert_eq!(told(&["Configuration", "force"], kind, text).as_deref(), Some(labelled));
            assert_eq!(told(&["Configuration", "Forcing it"], kind, text).as_deref(), Some(text));
            assert_eq!(told(&["force"], kind, text).as_deref(), Some(text), "it is a section of the page");
        }
        let named = "With force the packages are removed.";
        assert_eq!(told(&["Configuration", "force"], BlockKind::ListItem, named).as_deref(), Some(named));
    }

    #[test]
    fn the_first_sentence_on_the_page_of_a_command_is_told_with_its_name() {
        let told = |title: &str, no: u32, text: &str| {
            let block = Block { no, lead: no == 0, ..block(text) };
            claims(&source(title), &block, None).pop().map(|claim| claim.text)
        };
        let text = "Find lines in packed files with one pattern.";
        assert_eq!(told("bzfind", 0, text), Some(format!("[bzfind]: {text}")));
        assert_eq!(told("bzfind", 1, text).as_deref(), Some(text), "further down it may be about something else");
        assert_eq!(told("Packed files", 0, text).as_deref(), Some(text));
        let named = "With bzfind lines in packed files are found.";
        assert_eq!(told("bzfind", 0, named).as_deref(), Some(named));
    }

    #[test]
    fn a_label_is_not_cut_within_brackets() {
        let told = "[relayhost_of_probe]: Overrides the relay host for the probes that are sent.";
        let text = "Overrides the relay host for the probes that are sent.";
        assert_eq!(below("relayhost_of_probe (default: $relayhost)", text), [told]);
    }

    #[test]
    fn a_word_of_an_options_name_does_not_name_the_option() {
        let below = |heading, text| below(heading, text).pop().unwrap();
        let told = "[harden-glue]: Will trust glue only if it is of the server's own zone.";
        assert_eq!(below("harden-glue: <yes or no>", "Will trust glue only if it is of the server's own zone."), told);
        let told = "[harden-algo-downgrade]: The default is no.";
        assert_eq!(below("harden-algo-downgrade:", "The default is no."), told);
        let told = "[legacy-peer-deps]: If set to true, peers that do not fit are passed over.";
        assert_eq!(below("legacy-peer-deps", "If set to true, peers that do not fit are passed over."), told);
        let plain = "If set to true, peers that do not fit are passed over.";
        assert_eq!(below("Peers that fit", plain), plain);
        let named = "With harden-glue on, glue is trusted only in the server's own zone.";
        assert_eq!(below("harden-glue: <yes or no>", named), named);
    }

    #[test]
    fn a_sentence_that_does_not_name_what_its_section_is_called_is_told_with_that_name() {
        for (text, wanted) in [
            ("The default is cosine.", "[Distance]: The default is cosine."),
            ("Specifies how points are compared.", "[Distance]: Specifies how points are compared."),
            ("The distance is a number.", "The distance is a number."),
            ("The vector database compares points.", "The vector database compares points."),
            ("Points in a segment are compared.", "Points in a segment are compared."),
        ] {
            assert_eq!(below("4.1 Distance", text), [wanted]);
        }
        for (heading, text, wanted) in [
            ("5.2 /var/cache : Cached data", "The data may be lost.", "[/var/cache]: The data may be lost."),
            ("Status *save(File *file)", "An open file is closed first.", "[save]: An open file is closed first."),
            ("Status *save(File *file)", "To save twice is no error.", "To save twice is no error."),
            (
                "5.2 /var/cache : Cached data",
                "The application must be able to restore it.",
                "[/var/cache]: The application must be able to restore it.",
            ),
            ("5.9 /var/yp : NIS", "Maps are kept in this directory.", "[/var/yp]: Maps are kept in this directory."),
            ("-L level", "Records so much of each job.", "[-L level]: Records so much of each job."),
        ] {
            assert_eq!(below(heading, text), [wanted]);
        }
        assert!(below("save(file)", "It does the same.").is_empty(), "what it does the same as stands before it");
        assert!(
            below("Where Maps Are", "Maps are kept in this directory.").is_empty(),
            "the heading names no directory"
        );
    }
}
