//! Cuts a long list of questions for one researcher: its own questions and the four nearest. So the input of a researcher does not
//! grow with the number of the others.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{Listed, asks, listed, one_line};
use crate::words::{Language, content_stems};

/// The longest list that each researcher is given whole.
const WHOLE: usize = 8;
/// The longest part of a question (bytes) that is no list.
const LONGEST: usize = 4_096;
/// The number of other questions that a researcher is given besides its own.
const NEAR: usize = 4;

/// A question that several work on.
#[derive(Clone, Debug)]
pub struct Shared<'a> {
    text: &'a str,
    listed: Listed,
    /// The place of each listed question.
    places: BTreeMap<String, usize>,
    stems: OnceCell<Vec<BTreeSet<String>>>,
}

impl<'a> Shared<'a> {
    /// Reads the list of a question, if it is long enough to be cut.
    pub fn new(text: &'a str) -> Shared<'a> {
        let listed = Some(listed(text)).filter(|listed| listed.questions.len() > WHOLE).unwrap_or_default();
        let places = listed.questions.iter().zip(0..).map(|(question, at)| (question.clone(), at)).collect();
        Shared { text, listed, places, stems: OnceCell::new() }
    }

    /// The text for specialists who work on these questions: a short question whole; of a long list its introduction, their own
    /// questions and the nearest others; of another long text its beginning and its end. Cut again, it stays the same.
    pub fn near<'b>(&self, own: impl IntoIterator<Item = &'b str>) -> String {
        let all = &self.listed.questions;
        if all.is_empty() {
            return cut(self.text);
        }
        let mut kept: BTreeSet<usize> = own.into_iter().filter_map(|question| self.place(question)).collect();
        let (first, next) = (kept.first().copied().unwrap_or(0), kept.last().map_or(0, |last| last + 1));
        let before = (0..first).rev().map(Some).chain(std::iter::repeat(None));
        let after = (next..all.len()).map(Some).chain(std::iter::repeat(None));
        let outwards = before.zip(after).take(all.len()).flat_map(|(before, after)| [before, after]).flatten();
        let asking = |kept: &BTreeSet<usize>| kept.iter().filter(|at| asks(&all[**at])).count();
        let mut near = 0;
        for at in outwards.filter(|at| asks(&all[*at])) {
            // The rest is a list of questions too.
            if near >= NEAR && asking(&kept) * 4 >= kept.len() * 3 {
                break;
            }
            near += usize::from(kept.insert(at));
        }
        if kept.len() == all.len() {
            return self.text.into();
        }
        let mut told = cut(self.listed.before.strip_suffix(MARK).unwrap_or(&self.listed.before).trim_end());
        if !told.is_empty() {
            told.push(' ');
        }
        told.push_str(MARK);
        kept.iter().for_each(|at| {
            told.push_str("\n- ");
            told.push_str(&all[*at]);
        });
        told
    }

    /// The place of a question in the list; for one in other words, the place of most of its words.
    fn place(&self, question: &str) -> Option<usize> {
        let question = one_line(question);
        if let Some(at) = self.places.get(&question) {
            return Some(*at);
        }
        let stems = |text: &str| content_stems(text, Language::English).into_iter().collect::<BTreeSet<String>>();
        let all = self.stems.get_or_init(|| self.listed.questions.iter().map(|question| stems(question)).collect());
        let own = stems(&question);
        let shared = all.iter().map(|of| of.intersection(&own).count()).enumerate().rev();
        shared.max_by_key(|(_, shared)| *shared).filter(|(_, shared)| *shared > 0).map(|(at, _)| at)
    }
}

/// The text before questions taken out of a list.
const MARK: &str = "(Of a longer list of questions:)";

/// A text without its middle, if it is long.
fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.into();
    }
    let end = text.floor_char_boundary(LONGEST * 3 / 4);
    let from = text.ceil_char_boundary(text.len() - LONGEST / 4 + 8);
    format!("{} … {}", &text[..end], &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(n: usize) -> String {
        let questions = (1..=n).map(|n| format!("{n}. What does component {n} of the system do for its users?\n"));
        format!("About the system:\n{}", questions.collect::<String>())
    }

    #[test]
    fn what_one_is_told_of_a_list_is_the_same_however_long_the_list_is() {
        let own = "What does component 30 of the system do for its users?";
        let told = |n: usize| Shared::new(&list(n)).near([own]);
        assert_eq!(told(100), told(1_000));
        let read = listed(&told(1_000));
        assert_eq!(read.questions.len(), 5, "{}", told(1_000));
        assert_eq!(read.questions[2], own);
        assert!(read.before.starts_with("About the system:"), "{}", read.before);
    }

    #[test]
    fn what_was_cut_once_can_be_cut_again() {
        let question = |n: usize| format!("What does component {n} of the system do for its users?");
        let section: Vec<String> = (21..=40).map(question).collect();
        let (text, one) = (list(200), question(30));
        let of_section = Shared::new(&text).near(section.iter().map(String::as_str));
        let of_one = Shared::new(&of_section).near([one.as_str()]);
        assert_eq!(of_one, Shared::new(&text).near([one.as_str()]));
        assert_eq!(Shared::new(&of_one).near([one.as_str()]), of_one);
    }

    #[test]
    fn a_question_in_other_words_is_found_by_them_and_one_without_a_place_leaves_a_list_too() {
        let text = list(100).replace("component 64 ", "the gearbox ");
        let told = Shared::new(&text).near(["The gearbox: what is it for?"]);
        assert!(told.contains("the gearbox of the system"), "{told}");
        let told = Shared::new(&text).near(["Zebras"]);
        assert!(listed(&told).questions.len() > 1, "{told}");
    }

    #[test]
    fn a_short_question_is_told_whole_and_a_long_one_without_its_middle() {
        assert_eq!(Shared::new("Why?").near(["Because"]), "Why?");
        let long = format!("Why {} so?", "very ".repeat(2_000));
        let told = Shared::new(&long).near(["Why"]);
        assert!(told.len() <= LONGEST && told.starts_with("Why") && told.ends_with("so?"), "{}", told.len());
        assert_eq!(Shared::new(&told).near(["Why"]), told);
    }
}
