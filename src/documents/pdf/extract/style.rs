//! Detects headings and program text by the size and style of their letters.
//!
//! A line is compared with all text so far, most of which is running text.

use std::collections::HashMap;

use super::super::mark::Mark;
use super::font::Face;

/// The letters of a line or piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    letters: usize,
    bold: usize,
    fixed: usize,
    /// The sum of their heights.
    heights: f64,
}

impl Style {
    pub(super) fn add(&mut self, height: f64, face: Face, text: &str) {
        let letters = text.chars().filter(|c| !c.is_whitespace()).count();
        self.letters += letters;
        self.bold += if face.bold { letters } else { 0 };
        self.fixed += if face.fixed { letters } else { 0 };
        self.heights += height * letters as f64;
    }

    pub(super) fn and(self, other: Style) -> Style {
        Style {
            letters: self.letters + other.letters,
            bold: self.bold + other.bold,
            fixed: self.fixed + other.fixed,
            heights: self.heights + other.heights,
        }
    }

    fn height(&self) -> f64 {
        self.heights / self.letters.max(1) as f64
    }
}

/// The letters of all pages so far.
#[derive(Debug, Default)]
pub(super) struct Styles {
    all: Style,
    /// The number of letters of each height, in tenths of a unit.
    by_height: HashMap<i64, usize>,
    /// The first of the highest lines of the first page that has text.
    first: Option<(f64, String)>,
    has_first_page: bool,
}

/// The number of letters that determine the style of running text.
const ENOUGH: usize = 600;
/// The most and the fewest letters of a heading.
const LONGEST: usize = 120;
const SHORTEST: usize = 3;
/// The least height of a heading's letters, as a multiple of running text, with the level of the heading.
const HIGHER: [(f64, u8); 4] = [(2.2, 1), (1.7, 2), (1.35, 3), (1.1, 4)];
/// The level of headings that are as high as the text, and bold.
const BOLD: u8 = 5;
/// The least height of the first page's title, as a multiple of running text.
const TITLE: f64 = 1.35;

impl Styles {
    pub(super) fn take(&mut self, style: &Style) {
        self.all = self.all.and(*style);
        *self.by_height.entry((style.height() * 10.0) as i64).or_default() += style.letters;
    }

    /// Adds a line of the first page.
    pub(super) fn take_line(&mut self, style: Style, words: &str) {
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        let is_higher = self.first.as_ref().is_none_or(|(height, _)| style.height() > height * 1.02);
        if !self.has_first_page && is_higher && (SHORTEST..=LONGEST).contains(&letters) {
            self.first = Some((style.height(), words.to_owned()));
        }
    }

    /// Ends a page.
    pub(super) fn end_page(&mut self) {
        self.has_first_page |= self.first.is_some();
    }

    /// The title on the first page, in letters higher than running text.
    pub(super) fn title(&self) -> Option<&str> {
        let (height, words) = self.first.as_ref()?;
        (*height >= self.usual()? * TITLE).then_some(words)
    }

    /// The height of running text.
    fn usual(&self) -> Option<f64> {
        let most = self.by_height.iter().max_by_key(|(height, letters)| (**letters, **height))?;
        (self.all.letters >= ENOUGH).then(|| *most.0 as f64 / 10.0)
    }

    /// Whether bold letters stand out from the text so far.
    pub(super) fn are_rarely_bold(&self) -> bool {
        self.all.letters >= ENOUGH && self.all.bold * 3 < self.all.letters
    }

    /// The mark of a line, unless it is running text. `is_apart`: whether a gap separates it from the line above.
    pub(super) fn mark(&self, style: Style, words: &str, is_apart: bool) -> Option<Mark> {
        let usual = self.usual()?;
        let nearly = |some: usize, all: usize| some * 10 >= all * 9;
        if nearly(style.fixed, style.letters) && self.all.fixed * 2 < self.all.letters {
            return Some(Mark::Code);
        }
        let letters = words.chars().filter(|c| c.is_alphabetic()).count();
        let fits = (SHORTEST..=LONGEST).contains(&letters) && !words.ends_with(['.', ',', ';', ':']);
        let ratio = style.height() / usual;
        let by_height = HIGHER.iter().find(|(least, _)| ratio >= *least).map(|(_, level)| *level);
        let is_bold = is_apart && ratio > 0.93 && nearly(style.bold, style.letters) && self.are_rarely_bold();
        by_height.or(is_bold.then_some(BOLD)).filter(|_| fits).map(Mark::Heading)
    }
}
