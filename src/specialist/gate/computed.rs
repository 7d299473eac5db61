//! Figures that follow from those of the quotes: sums, differences, products, shares and other units of the same amount.
//!
//! "21 percentage points" of 34 and 13 percent is no number of its own. The unit of a figure decides which others it may be
//! computed from: amounts of one unit are added, an amount is divided by a count.

use super::figures::{Figure, unit};
use super::ordinals::fractions;
use crate::words::WORDS;
use text::words::{fold, words};

/// The largest count that is told as computed only by a sentence that says so: small numbers meet by chance.
const SMALL: f64 = 12.0;
/// The most figures of quotes from which others are computed.
const MOST: usize = 16;
/// The largest distance of a rounded figure from the computed one, as a share.
const ROUGHLY: f64 = 0.05;

/// The number of the first periods in one of the second.
const IN_A_PERIOD: [(&str, &str, f64); 4] =
    [("hour", "day", 24.0), ("day", "week", 7.0), ("week", "year", 52.0), ("month", "year", 12.0)];

/// An amount with its unit.
struct Amount {
    value: f64,
    unit: Option<&'static str>,
    noun: Option<String>,
}

impl Amount {
    fn of(figure: &Figure<'_>) -> Option<Amount> {
        let value = figure.value.parse().ok()?;
        Some(Amount { value, unit: figure.unit, noun: figure.noun.clone() })
    }

    /// Whether both are amounts of the same.
    fn is_alike(&self, other: &Amount) -> bool {
        match (self.unit, other.unit) {
            (Some(own), Some(others)) => own == others,
            (None, None) => self.noun.is_some() && self.noun == other.noun,
            _ => false,
        }
    }

    fn is_count(&self) -> bool {
        self.unit.is_none()
    }
}

/// Which of the figures of a sentence follow from those of its quotes, `said`, as they are told in these texts; how many times one is
/// another, also from those of the headings above them.
pub(super) fn computed(
    sentence: &str,
    stated: &[Figure<'_>],
    (said, headed): (&[Figure<'_>], &[Figure<'_>]),
    quotes: &str,
) -> Vec<bool> {
    let mut known: Vec<Amount> =
        said.iter().filter(|figure| !figure.is_named()).filter_map(Amount::of).take(MOST).collect();
    let headed: Vec<Amount> =
        headed.iter().filter(|figure| !figure.is_named()).filter_map(Amount::of).take(MOST).collect();
    let tells = words(sentence).any(|word| WORDS.computing.contains(&*fold(word)));
    let mut follows = vec![false; stated.len()];
    // Multipliers of a sentence's own: "two packs cost".
    let own: Vec<f64> = stated.iter().filter(|figure| figure.in_words).filter_map(|it| it.value.parse().ok()).collect();
    let parts = fractions(quotes).into_iter().flat_map(|(_, part)| [part, 1.0 - part]);
    let parts: Vec<f64> = periods(sentence, quotes).into_iter().chain(parts).collect();
    let lone = lone(quotes);
    let sums_up = WORDS.summing_up.are_in(&sentence.to_lowercase());
    for (n, figure) in stated.iter().enumerate() {
        let Some(amount) = Amount::of(figure).filter(|_| !figure.is_named()) else { continue };
        let is_chance = amount.is_count() && amount.value <= SMALL && !tells;
        let precise = figure.value.split_once('.').map_or(0, |(_, part)| part.len());
        let exact = 0.5 * 0.1_f64.powi(i32::try_from(precise).unwrap_or(0)) + 1e-9;
        let tolerance = if figure.is_about { exact.max(amount.value * ROUGHLY) } else { exact };
        let fits = |value: f64| value.is_finite() && (value - amount.value).abs() <= tolerance;
        follows[n] = !is_chance
            && (is_share_of_two(&amount, &known, &fits)
                // Any two amounts have a sum and a difference: the sentence says that it gives one.
                || (tells || sums_up) && is_sum_or_difference(&amount, &known, &fits)
                || is_scaled(&amount, &known, &own, &parts, &fits))
            || is_converted(&amount, &known, &fits)
            || is_converted(&amount, &lone, &fits)
            || sums_up && is_sum_of_all(stated, n)
            || amount.noun.as_deref() == Some("time") && is_share_of_two(&amount, &headed, &fits);
        if follows[n] {
            known.push(amount);
        }
    }
    follows
}

/// The pairs of different amounts that measure the same.
fn pairs(known: &[Amount]) -> impl Iterator<Item = (&Amount, &Amount)> {
    let all = known.iter().enumerate().flat_map(|(n, a)| known.iter().enumerate().map(move |(m, b)| ((n, a), (m, b))));
    all.filter(|((n, a), (m, b))| n != m && a.is_alike(b)).map(|((_, a), (_, b))| (a, b))
}

/// Whether it is the sum or the difference of amounts of its unit.
fn is_sum_or_difference(amount: &Amount, known: &[Amount], fits: &dyn Fn(f64) -> bool) -> bool {
    let total: f64 = known.iter().filter(|other| amount.is_alike(other)).map(|other| other.value).sum();
    let of_two = |a: &Amount, b: &Amount| fits(a.value + b.value) || fits((a.value - b.value).abs());
    pairs(known).any(|(a, b)| amount.is_alike(a) && of_two(a, b)) || total > 0.0 && fits(total)
}

/// Whether it is the share of one amount in another, in percent, or how many times one is the other.
fn is_share_of_two(amount: &Amount, known: &[Amount], fits: &dyn Fn(f64) -> bool) -> bool {
    let is_percent = amount.unit == Some("percent");
    let is_times = amount.noun.as_deref() == Some("time");
    let share =
        |a: &Amount, b: &Amount| fits(100.0 * a.value / b.value) || fits(100.0 * (a.value - b.value).abs() / b.value);
    pairs(known).any(|(a, b)| is_percent && share(a, b) || is_times && fits(a.value / b.value))
}

/// Whether a figure is the sum of all other counts of its sentence: "7 daily, 4 weekly and 6 monthly archives, 17 in all".
fn is_sum_of_all(stated: &[Figure<'_>], n: usize) -> bool {
    let counts = |figure: &Figure<'_>| Amount::of(figure).filter(|amount| amount.is_count() && !figure.is_named());
    let others = stated.iter().enumerate().filter(|(at, _)| *at != n).filter_map(|(_, figure)| counts(figure));
    let others: Vec<f64> = others.map(|amount| amount.value).collect();
    others.len() > 1 && counts(&stated[n]).is_some_and(|own| (others.iter().sum::<f64>() - own.value).abs() < 1e-9)
}

/// Whether it is an amount for one of several, or for several.
fn is_scaled(amount: &Amount, known: &[Amount], own: &[f64], parts: &[f64], fits: &dyn Fn(f64) -> bool) -> bool {
    let is_of_unit = |other: &&Amount| other.unit.is_some() && other.unit == amount.unit;
    known.iter().filter(is_of_unit).any(|a| {
        let counts = known.iter().filter(|other| other.is_count() && other.value > 1.0).map(|other| other.value);
        counts.chain(own.iter().copied()).any(|count| fits(a.value / count) || fits(a.value * count))
            || parts.iter().any(|count| fits(a.value * count) || fits(a.value / count))
    })
}

/// Whether it is the same amount in another unit.
fn is_converted(amount: &Amount, known: &[Amount], fits: &dyn Fn(f64) -> bool) -> bool {
    known.iter().any(|other| {
        let (Some((kind, scale)), Some((other_kind, other_scale))) =
            (amount.unit.and_then(scale), other.unit.and_then(scale))
        else {
            return false;
        };
        kind == other_kind && amount.unit != other.unit && fits(other.value * other_scale / scale)
    })
}

/// The units that a text has once, without a figure: "a year".
fn lone(text: &str) -> Vec<Amount> {
    let all: Vec<String> = words(text).map(|word| fold(word).into_owned()).collect();
    let one = |pair: &[String]| unit(&pair[1]).filter(|_| matches!(pair[0].as_str(), "a" | "an"));
    let of = |unit| Amount { value: 1.0, unit: Some(unit), noun: None };
    all.windows(2).filter_map(one).map(of).collect()
}

/// The numbers of periods of the quotes in one that the sentence speaks of: twelve months in "a year of rent".
fn periods(sentence: &str, quotes: &str) -> Vec<f64> {
    let has = |text: &str, period: &str| words(text).any(|word| fold(word).starts_with(period));
    let of_both = IN_A_PERIOD.iter().filter(|(short, long, _)| {
        has(quotes, short) && has(sentence, long) || has(quotes, long) && has(sentence, short)
    });
    of_both.map(|(.., count)| *count).collect()
}

/// The quantity that a unit measures, and its size.
fn scale(unit: &str) -> Option<(&'static str, f64)> {
    Some(match unit {
        "milliseconds" => ("time", 0.001),
        "seconds" => ("time", 1.0),
        "minutes" => ("time", 60.0),
        "hours" => ("time", 3_600.0),
        "days" => ("time", 86_400.0),
        "weeks" => ("time", 604_800.0),
        "months" => ("months", 1.0),
        "years" => ("months", 12.0),
        "bits" => ("bytes", 0.125),
        "bytes" => ("bytes", 1.0),
        "kilobytes" => ("bytes", 1e3),
        "megabytes" => ("bytes", 1e6),
        "gigabytes" => ("bytes", 1e9),
        "terabytes" => ("bytes", 1e12),
        "kibibytes" => ("bytes", 1_024.0),
        "mebibytes" => ("bytes", 1_048_576.0),
        "gibibytes" => ("bytes", 1_073_741_824.0),
        "millimetres" => ("length", 0.001),
        "centimetres" => ("length", 0.01),
        "metres" => ("length", 1.0),
        "kilometres" => ("length", 1_000.0),
        "milligrams" => ("mass", 0.001),
        "grams" => ("mass", 1.0),
        "kilograms" => ("mass", 1_000.0),
        "kilowatt hours" => ("energy", 1.0),
        "megawatt hours" => ("energy", 1_000.0),
        "gigawatt hours" => ("energy", 1e6),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::figures::unknown_figure;
    use super::super::subject::Quoted;

    fn unknown(sentence: &str, quotes: &[&str]) -> Option<String> {
        let quoted = quotes.iter().map(|said| Quoted { said: (*said).into(), ..Quoted::default() });
        unknown_figure(sentence, &quoted.collect::<Vec<_>>())
    }

    const SPEED: &str = "A request took 80 ms with the cache and 200 ms without it.";
    const SHARE: &str = "Errors were seen by 45 of 300 users.";
    const PACK: &str = "A pack of eight disks costs 240.00 euros.";
    const KEPT: &str = "Keep 7 daily, 4 weekly, and 6 monthly archives.";
    const USE: &str = "Use fell from 250 kWh to 200 kWh.";

    #[test]
    fn what_follows_from_the_figures_of_the_quotes_is_known() {
        for (sentence, quotes) in [
            ("With the cache a request is 120 ms faster.", &[SPEED] as &[&str]),
            ("Both together took 280 ms.", &[SPEED]),
            ("That is 40 percent of the time without it.", &[SPEED]),
            ("15 % of the users saw errors.", &[SHARE]),
            ("A disk costs 30 euros, and two packs are 480 euros.", &[PACK]),
            ("Use fell by 50 kWh, or 20 percent.", &[USE]),
            ("Use fell to 0.2 MWh.", &[USE]),
            ("A digest has 256 bits.", &["A digest has 32 bytes."]),
            ("They need 6 GB together.", &["Alpha needs 4 GB of memory and Beta needs 2 GB."]),
            ("The wait is 2 hours.", &["The wait is 120 minutes."]),
            ("The rent is 12,000 euros a year.", &["The monthly rent is 1,000 euros."]),
            (
                "Of the price, 600 euros are paid back.",
                &["Two thirds of the price are paid back.", "The price is 900 euros."],
            ),
            ("It keeps 7 daily, 4 weekly and 6 monthly archives, 17 in all.", &[KEPT]),
            ("Together 17 archives are kept: 7 daily, 4 weekly and 6 monthly ones.", &[KEPT]),
            ("It holds about 128 bytes for each client.", &["The limit is 524288 bytes.", "It keeps 4096 clients."]),
        ] {
            assert_eq!(unknown(sentence, quotes), None, "{sentence}");
        }
    }

    #[test]
    fn how_many_times_one_count_of_a_heading_is_another_is_known_and_no_other_figure() {
        let quoted =
            [("Test 1: 1000 INSERTs", "It took 0.2 seconds."), ("Test 2: 25000 INSERTs", "It took 0.9 seconds.")].map(
                |(heading, said)| Quoted {
                    said: said.into(),
                    heads: vec![[heading.into(), String::new()]],
                    ..Quoted::default()
                },
            );
        assert_eq!(unknown_figure("These are 25 times as many.", &quoted), None);
        assert_eq!(unknown_figure("These are 26 times as many.", &quoted).as_deref(), Some("26"));
        assert_eq!(unknown_figure("That leaves 24000 rows.", &quoted).as_deref(), Some("24000"));
    }

    #[test]
    fn what_does_not_follow_from_them_is_unknown() {
        for (sentence, quotes, figure) in [
            ("With the cache a request is 130 ms faster.", &[SPEED] as &[&str], "130"),
            ("That is 45 percent of the time without it.", &[SPEED], "45"),
            ("The difference is 120 seconds.", &[SPEED], "120"),
            ("16 % of the users saw errors.", &[SHARE], "16"),
            ("A disk costs 40 euros.", &[PACK], "40"),
            ("Use fell by 60 kWh.", &[USE], "60"),
            ("The wait is 3 hours.", &["The wait is 120 minutes."], "3"),
            ("It keeps 7 daily, 4 weekly and 6 monthly archives, 18 in all.", &[KEPT], "18"),
            ("It keeps 7 daily, 4 weekly and 6 monthly archives, and 17 others.", &[KEPT], "17"),
            ("It holds 3 jobs.", &["A queue holds 5 jobs.", "A list holds 2 jobs."], "3"),
            ("Alpha needs 6 GB.", &["Alpha needs 4 GB of memory and Beta needs 2 GB."], "6"),
            ("The refund period is 44 days.", &["The trial lasts 14 days and the refund period is 30 days."], "44"),
        ] {
            assert_eq!(unknown(sentence, quotes).as_deref(), Some(figure), "{sentence}");
        }
    }
}
