//! The figures of a text, each with its unit, rate and bound: a paraphrase may change none of these.
//!
//! Unlike [`crate::numbers`], which finds the numbers worth telling, this finds every digit: of ranges, dates, versions
//! and names, too. Numbers in words are figures as well: "five" is 5, "50k" and "50 thousand" are 50000.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bounds::Bound;
use super::computed::computed;
use super::dates::{date_at, hour, month_beside, months_of, year_behind};
use super::denial::negates;
use super::numerals::{multiplied, numerals, shifted};
use super::ordinals::{fractions, ranks, unknown_ordinal};
use super::subject::Quoted;
use crate::numbers::plain;
use crate::words::WORDS;
use text::words::{Language, fold, is_stop, stem, word_indices, words};

/// A number with the words beside it.
pub(super) struct Figure<'a> {
    /// As the text has it.
    pub written: &'a str,
    pub at: Range<usize>,
    /// For comparison, with its sign.
    pub value: String,
    /// Its digits alone: in "64k" the letter may be a unit.
    digits: String,
    /// Whether it is written in words.
    pub in_words: bool,
    /// Whether it is said to be rounded: "about 5".
    pub is_about: bool,
    /// The month of a day.
    month: Option<u32>,
    /// The month of a year.
    month_of_year: Option<u32>,
    /// The year for which it is told.
    year: Option<u32>,
    /// The hour of the day that it is.
    hour: Option<u32>,
    /// Whether it is the ":00" of a time.
    is_full_hour: bool,
    /// The stem of the word behind it.
    pub noun: Option<String>,
    /// The letters before it, if it is part of a name such as `f16` or `HTTP/2`.
    name: Option<String>,
    pub unit: Option<&'static str>,
    /// The unit behind "per".
    per: Option<&'static str>,
    bound: Option<Bound>,
}

/// A figure of the text that is neither in its quotes nor above them, nor follows from theirs; as part of a name it may stand in their
/// passages.
pub(super) fn unknown_figure(text: &str, quoted: &[Quoted]) -> Option<String> {
    let quotes = quoted.iter().map(|quoted| quoted.said.as_str()).collect::<Vec<_>>().join(" ");
    let (stated, known) = (figures(text), Known::of(quoted));
    // How many times as many may be told of two headings: "Test 1: 1000 INSERTs".
    let headed = quoted.iter().flat_map(|quoted| &quoted.heads).flat_map(|[heading, _]| figures(heading));
    let headed: Vec<Figure<'_>> = headed.filter(|figure| figure.noun.is_some()).collect();
    let follows = computed(text, &stated, (&known.counted, &headed), &quotes);
    let before = |figure: &Figure<'_>| words(&text[..figure.at.start]).last().map(|word| fold(word).into_owned());
    let is_known = |figure: &Figure<'_>| match figure.in_words {
        true => known.counts(figure, before(figure).as_deref()),
        false => {
            let beside = (&text[..figure.at.start], &text[figure.at.end..]);
            known.has(figure, before(figure)) || is_told_in_words(figure, beside, &quotes)
        }
    };
    let unknown = stated.iter().zip(follows).find(|(figure, follows)| !follows && !is_known(figure));
    unknown.map(|(figure, _)| figure.with_its_month(text)).or_else(|| unknown_ordinal(text, quoted))
}

/// Whether quotes tell it in words: "half" is 50 percent, "third" is "3rd".
fn is_told_in_words(figure: &Figure<'_>, (before, behind): (&str, &str), quotes: &str) -> bool {
    let is_rank = ["st", "nd", "rd", "th"].iter().any(|end| behind.starts_with(end));
    let is = |part: f64| figure.value.parse().is_ok_and(|value: f64| (100.0 * part - value).abs() < 1.0);
    // "A quarter is paid": "the other 75 %".
    let is_rest = words(before).last().is_some_and(|word| matches!(&*fold(word), "other" | "remaining"));
    let is_half = |(_, part): (String, f64)| is(if is_rest { 1.0 - part } else { part });
    is_rank && ranks(quotes).iter().any(|rank| rank.to_string() == figure.value)
        || figure.unit == Some("percent") && fractions(quotes).into_iter().any(is_half)
}

/// The figures that a statement may have.
struct Known<'q> {
    values: BTreeSet<String>,
    /// Names with their figures: `f16`.
    names: BTreeSet<(String, String)>,
    /// Those of the quotes alone.
    counted: Vec<Figure<'q>>,
    /// The months of dates, in digits.
    months: BTreeSet<String>,
}

impl<'q> Known<'q> {
    fn of(quoted: &'q [Quoted]) -> Known<'q> {
        let said = quoted.iter().flat_map(|quoted| [&quoted.said, &quoted.above]).flat_map(|text| figures(text));
        let counted = quoted.iter().flat_map(|quoted| figures(&quoted.said)).collect();
        let months = quoted.iter().flat_map(|quoted| months_of(&quoted.said)).map(|month| month.to_string()).collect();
        let mut known = Known { values: BTreeSet::new(), names: BTreeSet::new(), counted, months };
        let passages = quoted.iter().flat_map(|quoted| figures(&quoted.passage));
        for figure in said.chain(passages.filter(|it| it.name.is_some())) {
            match figure.name {
                Some(name) => drop(known.names.insert((name, figure.value))),
                None => known.values.extend([figure.value, figure.digits]),
            }
        }
        known
    }

    /// Whether a figure in words is none that the quotes contradict. Words also count a list of the statement itself: only where
    /// the quotes count the same things do they contradict.
    fn counts(&self, figure: &Figure<'_>, before: Option<&str>) -> bool {
        let counts = |known: &Figure<'_>| known.noun.is_some() && known.noun == figure.noun;
        figure.is_article()
            || matches!(before, Some("the" | "these" | "those" | "other" | "of"))
            || !self.counted.iter().any(counts)
            || self.counted.iter().any(|known| known.value == figure.value)
    }

    /// Whether a figure in digits is there, of the same moment.
    fn has(&self, figure: &Figure<'_>, before: Option<String>) -> bool {
        // "GPT 4" is GPT-4.
        let name = figure.name.clone().or(before);
        let is_there = self.values.contains(&figure.value)
            || figure.digits != figure.value && self.values.contains(&figure.digits)
            || figure.month.is_none() && self.months.contains(&figure.value)
            || name.is_some_and(|name| self.names.contains(&(name, figure.value.clone())));
        let is_hour = |known: &Figure<'_>| known.hour.is_some() && known.hour == figure.hour;
        is_there && !figure.is_of_another_moment(&self.counted)
            || self.counted.iter().any(is_hour)
            || figure.is_full_hour
    }
}

/// The change that a text makes to a figure of its quotes: to the unit, the rate or the bound; for the writer.
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
        let mut about = said.iter().filter(same).map(|known| known.is_about).peekable();
        if about.peek().is_some() && about.all(|about| about) && !figure.is_about && !is_rounded(text) {
            return Some(format!("the quotes say “about {}”, and it is told as exact", figure.written));
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

/// Whether a text says that its numbers are no exact ones.
fn is_rounded(text: &str) -> bool {
    text.contains(['~', '≈']) || words(text).any(|word| WORDS.roughly.contains(&*fold(word)))
}

/// Whether a text says that a number is a limit: "no more than 5" says so too, and denies nothing.
pub(super) fn tells_a_limit(text: &str) -> bool {
    figures(text).iter().any(|figure| figure.bound.is_some())
}

/// The figures of a text in order.
pub(super) fn figures(text: &str) -> Vec<Figure<'_>> {
    let mut found: Vec<Figure<'_>> = Vec::new();
    let mut at = 0;
    while let Some(from) = text[at..].find(|c: char| c.is_ascii_digit()).map(|n| at + n) {
        if let Some(date) = date_at(text, from) {
            let month = Some(date.month);
            found.push(Figure { month, ..Figure::of_date(text, date.day) });
            found.push(Figure { month_of_year: month, ..Figure::of_date(text, date.year) });
            at = date.at.end;
            continue;
        }
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
        let is_range = matches!(between, "-" | "–" | "—" | "/" | ".." | "to" | "and");
        if is_range && found[n - 1].unit.is_none() {
            (found[n - 1].unit, found[n - 1].per) = (found[n].unit, found[n].per);
        }
        // "18 of 26 owners": both are owners.
        if (is_range || matches!(between, "of" | "of the" | "in")) && found[n - 1].noun.is_none() {
            found[n - 1].noun = found[n].noun.clone();
        }
    }
    found
}

/// The end of the digits from this offset, with the points and commas between them.
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
        let behind = &text[end..];
        let is_day = digits.len() <= 2;
        let is_year = digits.parse().is_ok_and(|year: u32| (1900..2100).contains(&year));
        Figure {
            month: month_beside(before, behind).filter(|_| is_day),
            month_of_year: month_beside(before, "").filter(|_| is_year),
            year: year_behind(behind),
            hour: hour(&text[at.clone()], behind),
            is_full_hour: digits == "0" && before.ends_with(':'),
            digits,
            name,
            ..Figure::new(text, at.start..end, value)
        }
    }

    /// The day or the year of a date.
    fn of_date(text: &'a str, at: Range<usize>) -> Figure<'a> {
        let value = text[at.clone()].trim_start_matches('0').to_owned();
        Figure { noun: None, unit: None, per: None, bound: None, ..Figure::new(text, at, value) }
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
        // "5 of 10 seconds": a stop word ends the possible unit.
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
            is_about: is_about(bare),
            month: None,
            month_of_year: None,
            year: None,
            hour: None,
            is_full_hour: false,
            noun: follows.first().filter(|word| !is_stop(word)).map(|word| stem(word, Language::English)),
            name: None,
            unit: own.or(currency),
            per,
            bound: Bound::of(bare, &follows),
            at,
        }
    }

    /// Whether it may only stand for "a": "one queue holds". "One hour" measures.
    fn is_article(&self) -> bool {
        self.in_words && self.value == "1" && self.unit.is_none()
    }

    /// As the text has it, a day with the month behind it.
    fn with_its_month(&self, text: &str) -> String {
        let next = words(&text[self.at.end..]).next().filter(|_| self.month.is_some()).unwrap_or_default();
        let is_month = month_beside("", next).is_some();
        if is_month { format!("{} {next}", self.written) } else { self.written.to_owned() }
    }

    /// Whether it is part of a name, a day or a time.
    pub fn is_named(&self) -> bool {
        self.name.is_some() || self.month.is_some() || self.hour.is_some() || self.is_full_hour
    }

    /// Whether it is a day of a month, a number of a year or an hour, and those of its value are all of another.
    fn is_of_another_moment(&self, said: &[Figure<'_>]) -> bool {
        let same: Vec<&Figure<'_>> = said.iter().filter(|other| other.value == self.value).collect();
        let differs = |of: fn(&Figure<'_>) -> Option<u32>| {
            let is_other = |other: &&Figure<'_>| of(other).is_some_and(|moment| of(self) != Some(moment));
            of(self).is_some() && !same.is_empty() && same.iter().all(is_other)
        };
        differs(|it| it.month) || differs(|it| it.month_of_year) || differs(|it| it.year) || differs(|it| it.hour)
    }

    /// Whether it is said to be another kind of limit than this one.
    fn contradicts(&self, bound: Bound) -> bool {
        self.bound.is_some_and(|own| own != bound)
    }
}

/// Whether the words before a number say that it is rounded.
fn is_about(before: &str) -> bool {
    let last = words(before).last().map(fold);
    before.trim_end().ends_with(['~', '≈'])
        || before.ends_with(' ')
            && last.is_some_and(|word| {
                matches!(&*word, "about" | "around" | "roughly" | "approximately" | "nearly" | "almost" | "some")
            })
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

/// The words behind a figure of `digits` digits in its clause, units glued to it first, in lower case.
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
            '°' => apart.push_str(" degrees "),
            '-' | '‑' | '+' | '*' | '`' => apart.push(' '),
            c => apart.push(c),
        }
    }
    let mut all: Vec<String> = apart.split_whitespace().take(6).map(|word| fold(word).into_owned()).collect();
    // "degrees Celsius", "°C"
    if let [first, second, ..] = &mut all[..]
        && matches!(first.as_str(), "degree" | "degrees")
        && matches!(second.as_str(), "c" | "f" | "celsius" | "fahrenheit")
    {
        *first = if second.starts_with('c') { "celsius".into() } else { "fahrenheit".into() };
        all.remove(1);
    }
    all
}

/// The unit that a word names, by one name for all its spellings. Letters that stand for several units are none.
pub(super) fn unit(word: &str) -> Option<&'static str> {
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
        "percent" | "percentage" => "percent",
        "dollar" | "dollars" | "usd" => "dollars",
        "euro" | "euros" | "eur" => "euros",
        "cent" | "cents" => "cents",
        "celsius" => "degrees Celsius",
        "fahrenheit" => "degrees Fahrenheit",
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => "millimetres",
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => "centimetres",
        "meter" | "meters" | "metre" | "metres" => "metres",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => "kilometres",
        "mile" | "miles" => "miles",
        "foot" | "feet" | "ft" => "feet",
        "inch" | "inches" => "inches",
        "kg" | "kilogram" | "kilograms" => "kilograms",
        "g" | "gram" | "grams" => "grams",
        "mg" | "milligram" | "milligrams" => "milligrams",
        "µg" | "μg" | "mcg" | "microgram" | "micrograms" => "micrograms",
        "ml" | "millilitre" | "millilitres" | "milliliter" | "milliliters" => "millilitres",
        "litre" | "litres" | "liter" | "liters" => "litres",
        "hz" | "hertz" => "hertz",
        "khz" | "kilohertz" => "kilohertz",
        "mhz" | "megahertz" => "megahertz",
        "ghz" | "gigahertz" => "gigahertz",
        "watt" | "watts" => "watts",
        "kw" | "kilowatt" | "kilowatts" => "kilowatts",
        "megawatt" | "megawatts" => "megawatts",
        "wh" => "watt hours",
        "kwh" => "kilowatt hours",
        "mwh" => "megawatt hours",
        "gwh" => "gigawatt hours",
        _ => return None,
    })
}
