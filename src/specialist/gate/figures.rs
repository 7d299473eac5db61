//! The figures of a text, each with its unit, rate and bound: a paraphrase may change none of these.
//!
//! Unlike [`crate::numbers`], which finds the numbers worth telling, this finds every digit: of ranges, dates, versions
//! and names, too. Numbers in words are figures as well: "five" is 5, "50k" and "50 thousand" are 50000.

use std::collections::BTreeSet;
use std::ops::Range;

use super::denial::negates;
use super::numerals::{multiplied, numerals, shifted};
use super::subject::Quoted;
use crate::numbers::plain;
use text::words::{Language, fold, is_stop, stem, word_indices, words};

/// A number with what stands beside it.
pub(super) struct Figure<'a> {
    /// As the text has it.
    pub written: &'a str,
    pub at: Range<usize>,
    /// For comparison, with its sign.
    pub value: String,
    /// Its digits alone: in "64k" the letter may be a unit.
    digits: String,
    /// Whether it is written in words.
    in_words: bool,
    /// The stem of the word behind it.
    pub noun: Option<String>,
    /// The letters before it, if it is part of a name such as `f16` or `HTTP/2`.
    name: Option<String>,
    pub unit: Option<&'static str>,
    /// The unit behind "per".
    per: Option<&'static str>,
    bound: Option<Bound>,
}

/// A limit that a number is said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    Upper,
    Lower,
    /// "exactly 5"
    Exact,
}

/// A figure of the text that is neither in its quotes nor above them; as part of a name it may stand in their passages.
pub(super) fn unknown_figure(text: &str, quoted: &[Quoted]) -> Option<String> {
    let stated = figures(text);
    if stated.is_empty() {
        return None;
    }
    let said = quoted.iter().flat_map(|quoted| [&quoted.said, &quoted.above]).flat_map(|text| figures(text));
    let counted: Vec<Figure<'_>> = quoted.iter().flat_map(|quoted| figures(&quoted.said)).collect();
    let (mut values, mut names) = (BTreeSet::new(), BTreeSet::new());
    for figure in said.chain(quoted.iter().flat_map(|quoted| figures(&quoted.passage)).filter(|it| it.name.is_some())) {
        match figure.name {
            Some(name) => drop(names.insert((name, figure.value))),
            None => values.extend([figure.value, figure.digits]),
        }
    }
    let before = |figure: &Figure<'_>| words(&text[..figure.at.start]).last().map(|word| fold(word).into_owned());
    let is_known = |figure: &&Figure<'_>| {
        // "GPT 4" is GPT-4.
        let name = figure.name.clone().or_else(|| before(figure));
        if figure.in_words {
            // Words also count what a statement itself lists: only where the quotes count the same things do they contradict.
            let is_listed = matches!(before(figure).as_deref(), Some("the" | "these" | "those" | "other" | "of"));
            let counts = |known: &Figure<'_>| known.noun.is_some() && known.noun == figure.noun;
            return figure.is_article()
                || is_listed
                || !counted.iter().any(counts)
                || counted.iter().any(|known| known.value == figure.value);
        }
        values.contains(&figure.value)
            || figure.digits != figure.value && values.contains(&figure.digits)
            || name.is_some_and(|name| names.contains(&(name, figure.value.clone())))
    };
    let unknown = stated.iter().find(|figure| !is_known(figure))?;
    Some(unknown.written.into())
}

/// What a text changes about a figure that its quotes have: the unit, the rate or the bound; for the writer.
pub(super) fn changed_figure(text: &str, quoted: &[Quoted]) -> Option<String> {
    let said: Vec<Figure<'_>> = quoted.iter().flat_map(|quoted| figures(&quoted.said)).collect();
    let above: Vec<Figure<'_>> = quoted.iter().flat_map(|quoted| figures(&quoted.above)).collect();
    for figure in figures(text).into_iter().filter(|figure| !figure.is_article()) {
        let same = |known: &&Figure<'_>| known.value == figure.value;
        let all = || said.iter().chain(&above).filter(same);
        let differs = |of: fn(&Figure<'_>) -> Option<&'static str>| {
            let own = of(&figure)?;
            let known = all().map(of).collect::<Option<BTreeSet<&str>>>()?;
            (!known.is_empty() && !known.contains(own)).then(|| (own, known.into_iter().collect::<Vec<_>>().join(", ")))
        };
        if let Some((own, known)) = differs(|it| it.unit) {
            return Some(format!("“{}” is in {own}, in the quotes in {known}", figure.written));
        }
        if let Some((own, known)) = differs(|it| it.per) {
            return Some(format!("“{}” is per {own}, in the quotes per {known}", figure.written));
        }
        let mut bounds = said.iter().filter(same).map(|known| known.bound);
        if let Some(Some(bound)) = bounds.next()
            && bounds.all(|other| other == Some(bound))
            && (figure.contradicts(bound) && !negates(text) || !bound.is_told_in(text))
        {
            let is = if bound == Bound::Upper { "an upper" } else { "a lower" };
            return Some(format!("“{}” is {is} limit in the quotes, and is not told as one", figure.written));
        }
    }
    None
}

/// Whether a quote says that a number is a limit: "no more than 5" says so too, and denies nothing.
pub(super) fn tells_a_limit(quoted: &[Quoted]) -> bool {
    quoted.iter().any(|quoted| figures(&quoted.said).iter().any(|figure| figure.bound.is_some()))
}

/// The figures of a text in order.
pub(super) fn figures(text: &str) -> Vec<Figure<'_>> {
    let mut found: Vec<Figure<'_>> = Vec::new();
    let mut at = 0;
    while let Some(from) = text[at..].find(|c: char| c.is_ascii_digit()).map(|n| at + n) {
        at = end_of(text, from);
        found.push(Figure::in_digits(text, from..at));
    }
    found.extend(numerals(text).into_iter().map(|(at, value)| Figure::in_words(text, at, value)));
    // "exactly once" and "at least once" are bounds, too; "once" alone is mostly none.
    let once = word_indices(text).filter(|(_, word)| fold(word) == "once").map(|(at, word)| at..at + word.len());
    found.extend(once.map(|at| Figure::in_words(text, at, "once".into())).filter(|figure| figure.bound.is_some()));
    found.sort_by_key(|figure| figure.at.start);
    // "3-5 hours": both are hours.
    for n in (1..found.len()).rev() {
        let between = text[found[n - 1].at.end..found[n].at.start].trim();
        if matches!(between, "-" | "–" | "—" | "/" | "..") && found[n - 1].unit.is_none() {
            (found[n - 1].unit, found[n - 1].per) = (found[n].unit, found[n].per);
        }
    }
    found
}

/// Where the digits from this offset end, with the points and commas between them.
fn end_of(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_part = |at: &usize| is_digit(*at) || matches!(bytes.get(*at), Some(b'.' | b',')) && is_digit(*at + 1);
    (from..).take_while(is_part).last().map_or(from, |last| last + 1)
}

impl<'a> Figure<'a> {
    fn in_digits(text: &'a str, at: Range<usize>) -> Figure<'a> {
        let before = &text[..at.start];
        let digits = value(before, before.trim_end_matches(['$', '€', '£']), &text[at.clone()]);
        let name = name_before(before);
        let more = multiplied(&text[at.end..]).filter(|_| name.is_none());
        let (value, end) = match more {
            Some((zeros, len)) => (shifted(&digits, zeros), at.end + len),
            None => (digits.clone(), at.end),
        };
        Figure { digits, name, ..Figure::new(text, at.start..end, value) }
    }

    fn in_words(text: &'a str, at: Range<usize>, value: String) -> Figure<'a> {
        Figure { in_words: true, ..Figure::new(text, at, value) }
    }

    fn new(text: &'a str, at: Range<usize>, value: String) -> Figure<'a> {
        let (before, behind) = (&text[..at.start], &text[at.end..]);
        let bare = before.trim_end_matches(['$', '€', '£']);
        let currency = before[bare.len()..].chars().next().map(|sign| match sign {
            '$' => "dollars",
            '€' => "euros",
            _ => "pounds",
        });
        let follows = words_behind(behind, at.len());
        let units: Vec<Option<&'static str>> = follows.iter().map(|word| unit(word)).collect();
        // "5 of 10 seconds": a stop word ends what may be its unit.
        let mut near = follows.iter().zip(&units).take(2).take_while(|(word, _)| !is_stop(word) && *word != "per");
        let own = near.find_map(|(_, unit)| *unit);
        let mut rates = follows.iter().zip(units.iter().skip(1)).take(4);
        let is_rate = |word: &str| matches!(word, "per" | "a" | "an" | "each" | "every");
        let per = rates.find_map(|(word, unit)| unit.filter(|_| is_rate(word)));
        Figure {
            written: &text[at.clone()],
            digits: value.clone(),
            value,
            in_words: false,
            noun: follows.first().filter(|word| !is_stop(word)).map(|word| stem(word, Language::English)),
            name: None,
            unit: own.or(currency),
            per,
            bound: Bound::of(bare, &follows),
            at,
        }
    }

    /// Whether it may only stand for "a": "one queue holds".
    fn is_article(&self) -> bool {
        self.in_words && self.value == "1"
    }

    /// Whether it is said to be another kind of limit than this one.
    fn contradicts(&self, bound: Bound) -> bool {
        self.bound.is_some_and(|own| own != bound)
    }
}

/// The digits as a value: without leading zeros (of dates), with the sign before them.
fn value(before: &str, bare: &str, digits: &str) -> String {
    let mut value = plain(digits);
    let is_point = before.strip_suffix('.').is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()));
    if is_point && !value.contains('.') {
        value.insert_str(0, "0.");
    }
    if !value.contains('.') {
        let significant = value.trim_start_matches('0');
        value = if significant.is_empty() { "0".into() } else { significant.into() };
    }
    let whole = value.strip_suffix(".0").filter(|whole| !whole.contains('.')).map(String::from);
    let value = whole.unwrap_or(value);
    // A dash behind a word or a number is a hyphen or a range.
    let signed = bare.strip_suffix(['-', '−', '–']);
    let is_sign =
        signed.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '%' | '-')));
    let in_words = words(bare).last().is_some_and(|word| matches!(&*fold(word), "minus" | "negative"));
    if is_sign || in_words && bare.ends_with(' ') { format!("-{value}") } else { value }
}

/// The letters of a name whose digits follow: `x` in `x86`, `http` in `HTTP/2`. The `v` of a version is none, nor is a word
/// with a hyphen, as in "pre-2020".
fn name_before(before: &str) -> Option<String> {
    let joined = before.strip_suffix(['-', '_', '/']).unwrap_or(before);
    let rest = joined.trim_end_matches(char::is_alphanumeric);
    let letters = &joined[rest.len()..];
    let is_word = before.ends_with('-') && letters.chars().all(char::is_lowercase);
    let is_name = letters.contains(char::is_alphabetic) && !is_word && !matches!(letters, "v" | "V");
    is_name.then(|| fold(letters).into_owned())
}

/// The words behind a figure of so many digits in its clause, units glued to it first, in lower case.
fn words_behind(behind: &str, digits: usize) -> Vec<String> {
    let ends = |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '.' | '!' | '?' | '\n') || c.is_ascii_digit();
    let clause = behind.split(ends).next().unwrap_or_default();
    // "the 1990s" are no seconds.
    let is_decade =
        digits == 4 && clause.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let clause = if is_decade { &clause[1..] } else { clause };
    let mut apart = String::with_capacity(clause.len());
    for c in clause.chars().take(80) {
        match c {
            '/' => apart.push_str(" per "),
            '%' => apart.push_str(" percent "),
            '°' => apart.push_str(" degree "),
            '-' | '‑' | '+' | '*' | '`' => apart.push(' '),
            c => apart.push(c),
        }
    }
    apart.split_whitespace().take(6).map(|word| fold(word).into_owned()).collect()
}

/// The unit that a word names, by one name for all its spellings. Letters that stand for several units are none.
fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "ns" | "nanosecond" | "nanoseconds" => "nanoseconds",
        "µs" | "μs" | "us" | "microsecond" | "microseconds" => "microseconds",
        "ms" | "msec" | "millisecond" | "milliseconds" => "milliseconds",
        "s" | "sec" | "secs" | "second" | "seconds" => "seconds",
        "min" | "mins" | "minute" | "minutes" => "minutes",
        "h" | "hr" | "hrs" | "hour" | "hours" => "hours",
        "day" | "days" => "days",
        "week" | "weeks" => "weeks",
        "month" | "months" => "months",
        "year" | "years" => "years",
        "century" | "centuries" => "centuries",
        "bit" | "bits" => "bits",
        "byte" | "bytes" => "bytes",
        "kb" | "kbyte" | "kbytes" | "kilobyte" | "kilobytes" => "kilobytes",
        "mb" | "mbyte" | "mbytes" | "megabyte" | "megabytes" => "megabytes",
        "gb" | "gbyte" | "gbytes" | "gigabyte" | "gigabytes" => "gigabytes",
        "tb" | "terabyte" | "terabytes" => "terabytes",
        "pb" | "petabyte" | "petabytes" => "petabytes",
        "kib" | "kibibyte" | "kibibytes" => "kibibytes",
        "mib" | "mebibyte" | "mebibytes" => "mebibytes",
        "gib" | "gibibyte" | "gibibytes" => "gibibytes",
        "tib" | "tebibyte" | "tebibytes" => "tebibytes",
        "percent" => "percent",
        "dollar" | "dollars" | "usd" => "dollars",
        "euro" | "euros" | "eur" => "euros",
        "cent" | "cents" => "cents",
        "degree" | "degrees" => "degrees",
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => "millimetres",
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => "centimetres",
        "meter" | "meters" | "metre" | "metres" => "metres",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => "kilometres",
        "mile" | "miles" => "miles",
        "foot" | "feet" | "ft" => "feet",
        "inch" | "inches" => "inches",
        "kg" | "kilogram" | "kilograms" => "kilograms",
        "gram" | "grams" => "grams",
        "hz" | "hertz" => "hertz",
        "khz" | "kilohertz" => "kilohertz",
        "mhz" | "megahertz" => "megahertz",
        "ghz" | "gigahertz" => "gigahertz",
        "watt" | "watts" => "watts",
        "kw" | "kilowatt" | "kilowatts" => "kilowatts",
        _ => return None,
    })
}

impl Bound {
    /// What a number is said to be by the words right before and behind it.
    fn of(before: &str, follows: &[String]) -> Option<Bound> {
        let tail = &before[before.floor_char_boundary(before.len().saturating_sub(60))..];
        // Words of the sentence before do not count.
        let tail = tail.rsplit([',', ';', ':', '.', '(', ')']).next().unwrap_or_default();
        let mut before: Vec<String> = words(tail).map(|word| fold(word).into_owned()).collect();
        before.pop_if(|word| matches!(word.as_str(), "about" | "around" | "roughly" | "approximately" | "some" | "a"));
        let before = before.join(" ");
        let ends = |cues: &[&str]| {
            cues.iter().any(|cue| before.strip_suffix(*cue).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
        };
        // "no more than" ends as "more than" does, and says the opposite.
        if ends(&["up to", "at most", "no more than", "not more than", "maximum of"]) {
            return Some(Bound::Upper);
        }
        if ends(&["at least", "no less than", "no fewer than", "not less than", "minimum of", "more than"]) {
            return Some(Bound::Lower);
        }
        if ends(&["less than", "fewer than"]) {
            return Some(Bound::Upper);
        }
        if ends(&["exactly", "precisely"]) {
            return Some(Bound::Exact);
        }
        let has = |first: &str, seconds: &[&str]| {
            let mut pairs = follows.iter().zip(follows.iter().skip(1)).take(4);
            pairs.any(|(a, b)| a == first && seconds.contains(&b.as_str()))
        };
        if has("at", &["most"]) || has("or", &["less", "fewer"]) {
            return Some(Bound::Upper);
        }
        (has("at", &["least"]) || has("or", &["more"])).then_some(Bound::Lower)
    }

    /// Whether a sentence tells such a limit in any words: "its limit is", "can hold", "within", "5 or fewer".
    fn is_told_in(self, sentence: &str) -> bool {
        let upper = |word: &str| {
            matches!(
                word,
                "most"
                    | "max"
                    | "up"
                    | "cap"
                    | "caps"
                    | "capped"
                    | "ceiling"
                    | "within"
                    | "under"
                    | "below"
                    | "less"
                    | "fewer"
                    | "highest"
                    | "largest"
                    | "biggest"
                    | "longest"
                    | "upper"
                    | "top"
                    | "bound"
                    | "bounded"
                    | "bounds"
                    | "range"
                    | "ranges"
                    | "between"
                    | "threshold"
                    | "can"
                    | "may"
                    | "could"
                    | "might"
                    | "cannot"
                    | "until"
                    | "beyond"
                    | "smaller"
                    | "shorter"
                    | "lower"
                    | "exceed"
                    | "exceeds"
                    | "exceeding"
                    | "restricted"
                    | "restricts"
            ) || word.starts_with("maxim")
                || word.starts_with("limit")
        };
        let lower = |word: &str| {
            matches!(
                word,
                "least"
                    | "min"
                    | "more"
                    | "over"
                    | "above"
                    | "from"
                    | "onward"
                    | "onwards"
                    | "later"
                    | "newer"
                    | "higher"
                    | "beyond"
                    | "greater"
                    | "longer"
                    | "larger"
                    | "lowest"
                    | "smallest"
                    | "shortest"
                    | "starting"
                    | "starts"
                    | "exceed"
                    | "exceeds"
                    | "exceeding"
                    | "must"
                    | "upwards"
                    | "between"
                    | "range"
                    | "ranges"
                    | "threshold"
            ) || ["minim", "need", "requir"].iter().any(|stem| word.starts_with(stem))
        };
        if self == Bound::Exact {
            return true;
        }
        let negated = negates(sentence);
        let signs = if self == Bound::Upper { ['≤', '<'] } else { ['≥', '>'] };
        sentence.contains(signs)
            || words(sentence).any(|word| {
                let word = fold(word);
                match self {
                    Bound::Upper => upper(&word) || negated && lower(&word),
                    Bound::Lower => lower(&word) || negated && upper(&word),
                    Bound::Exact => true,
                }
            })
    }
}
