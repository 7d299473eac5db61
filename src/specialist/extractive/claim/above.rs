//! The name above a sentence, for one that is about the thing and does not say so.

use super::verb_and_next;
use crate::extractive::dangling::dangles;
use crate::extractive::headings::{NO_LABEL, entry, is_a_name, is_furniture, is_technical, member, unnumbered};
use crate::extractive::topic::Tokens;
use crate::extractive::verb::is_verb;
use crate::words::WORDS;
use run::evidence::{Block, SourceRef};
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
        if let Some(name) = block.headings.iter().rev().find_map(|heading| entry(heading)) {
            return Some(Above { name, is_entry: true, is_title: false });
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

    /// The name, if a sentence is about the thing and does not say so: "Specifies whether …", "The default is 6.", "… in this directory."
    pub fn label(&self, sentence: &str, opens: bool, defines: bool) -> Option<&'b str> {
        let points = (self.is_entry || is_technical(self.name)) && says_this(sentence);
        if !(self.is_entry || points || defines || lacks_name(sentence) || is_of_a_part(sentence)) {
            return None;
        }
        let resolved = |text: &str| text.replacen("This ", "The ", 1).replacen("this ", "the ", 1);
        let leans_back = if points { dangles(&resolved(sentence)) } else { dangles(sentence) };
        let stands = !leans_back || self.is_entry && opens;
        (stands && !names(sentence, self.name)).then_some(self.name)
    }
}

/// Whether a sentence points at what it is about by its kind: "this directory".
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

/// Whether the subject of a sentence is one plain noun, a part of what it does not name: "The default is 6."
fn is_of_a_part(sentence: &str) -> bool {
    let mut words = words(sentence);
    words.next() == Some("The")
        && words.next().is_some_and(|noun| noun.chars().all(char::is_lowercase) && !is_stop(noun))
        && words.next().is_some_and(|verb| is_verb(&fold(verb)))
}

/// Whether a sentence has a content word of a name, or the name of an option or a file whole.
fn names(sentence: &str, name: &str) -> bool {
    if is_technical(name) {
        return fold(sentence).contains(fold(name).as_ref());
    }
    let said = Tokens::of(sentence).content();
    Tokens::of(name).content().iter().any(|stem| said.contains(stem))
}
