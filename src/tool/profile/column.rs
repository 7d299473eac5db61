//! One column of a table: the kind of its values, and those that differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{measure, moment, places, shown};
use run::Block;
use run::profile::{Ailment, Measure};

/// The fewest values that determine the kind of a column.
const FEWEST: usize = 8;
/// The fewest numbers among which one can be an outlier.
const FEWEST_NUMBERS: usize = 12;
/// The distance from the median, in usual deviations, from which a number is an outlier.
const FAR: f64 = 12.0;

/// A value and its line.
pub(super) type Value<'a> = (String, &'a Arc<Block>);

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Number,
    Date,
    Truth,
    Text,
}

impl Kind {
    fn of(value: &str) -> Kind {
        let value = value.trim();
        if number(value).is_some() {
            return Kind::Number;
        }
        if value.get(..10).is_some_and(moment::is_date) && (value.len() == 10 || moment::of(value).is_some()) {
            return Kind::Date;
        }
        match value.to_ascii_lowercase().as_str() {
            "true" | "false" | "yes" | "no" => Kind::Truth,
            _ => Kind::Text,
        }
    }

    /// The name of the kind for `n` values, as in "is no number".
    fn called(self, n: usize) -> &'static str {
        match (self, n) {
            (Kind::Number, 1) => "number",
            (Kind::Number, _) => "numbers",
            (Kind::Date, 1) => "date",
            (Kind::Date, _) => "dates",
            (Kind::Truth, 1) => "truth value",
            (Kind::Truth, _) => "truth values",
            (Kind::Text, _) => "text",
        }
    }
}

fn number(value: &str) -> Option<f64> {
    let starts = value.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
    value.parse().ok().filter(|n: &f64| starts && n.is_finite())
}

/// Whether a value is missing, as tables write it.
fn is_missing(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "" | "null" | "none" | "na" | "n/a" | "nan" | "-" | "?")
}

/// The anomalies in a column of a file.
pub(super) fn of(file: &str, name: &str, values: &[Value<'_>], is_key: bool) -> Vec<Measure> {
    let there: Vec<&Value<'_>> = values.iter().filter(|(value, _)| !is_missing(value)).collect();
    let mut measures = Vec::new();
    measures.extend(missing(file, name, values, there.len()));
    if is_key {
        measures.extend(twice(file, name, &there));
    }
    if there.len() < FEWEST {
        return measures;
    }
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    there.iter().for_each(|(value, _)| *kinds.entry(Kind::of(value)).or_default() += 1);
    let Some((usual, n)) = kinds.into_iter().max_by_key(|(_, n)| *n) else { return measures };
    if usual == Kind::Text || n * 10 < there.len() * 8 {
        return measures;
    }
    let others: Vec<&Value<'_>> = there.iter().copied().filter(|(value, _)| Kind::of(value) != usual).collect();
    if let Some((value, block)) = others.first() {
        let blocks: Vec<&Arc<Block>> = others.iter().map(|(_, block)| *block).collect();
        let what = if usual == Kind::Date { Ailment::Date } else { Ailment::Kind };
        let says = format!(
            "{file}: {} of {} values of `{name}` {} no {}, such as {} ({}).",
            others.len(),
            there.len(),
            if others.len() == 1 { "is" } else { "are" },
            usual.called(others.len()),
            shown(value),
            places(&blocks)
        );
        measures.push(measure(what, others.len(), block, says));
    }
    if usual == Kind::Number && !is_key {
        let numbers: Vec<(f64, &Value<'_>)> =
            there.iter().filter_map(|value| Some((number(value.0.trim())?, *value))).collect();
        measures.extend(outliers(file, name, &numbers));
        measures.extend(negative(file, name, &numbers));
    }
    measures
}

fn missing(file: &str, name: &str, values: &[Value<'_>], there: usize) -> Option<Measure> {
    let blocks: Vec<&Arc<Block>> =
        values.iter().filter(|(value, _)| is_missing(value)).map(|(_, block)| *block).collect();
    // A column that is mostly empty is meant to be.
    if blocks.is_empty() || there < FEWEST || blocks.len() * 10 > values.len() * 3 {
        return None;
    }
    let is = if blocks.len() == 1 { "is" } else { "are" };
    let says =
        format!("{file}: {} of {} values of `{name}` {is} missing ({}).", blocks.len(), values.len(), places(&blocks));
    Some(measure(Ailment::Missing, blocks.len(), blocks[0], says))
}

fn twice(file: &str, name: &str, there: &[&Value<'_>]) -> Option<Measure> {
    let mut known: BTreeMap<&str, Vec<&Arc<Block>>> = BTreeMap::new();
    there.iter().for_each(|(value, block)| known.entry(value).or_default().push(block));
    // With many duplicates it is no key.
    let again: Vec<(&str, Vec<&Arc<Block>>)> = known.into_iter().filter(|(_, blocks)| blocks.len() > 1).collect();
    if again.len() * 20 > there.len() {
        return None;
    }
    let (value, blocks) = again.iter().min_by_key(|(_, blocks)| blocks[1].line)?;
    let says = match again.len() {
        1 => format!("{file}: the `{name}` {} stands in {} rows ({}).", shown(value), blocks.len(), places(blocks)),
        n => format!(
            "{file}: {n} values of `{name}` stand in more than one row, such as {} ({}).",
            shown(value),
            places(blocks)
        ),
    };
    Some(measure(Ailment::Twice, again.len(), blocks[1], says))
}

fn median(sorted: &[f64]) -> f64 {
    let at = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[at] } else { f64::midpoint(sorted[at - 1], sorted[at]) }
}

/// Numbers far from the median, in units of the usual distance from it: a few wrong ones affect neither.
fn outliers(file: &str, name: &str, numbers: &[(f64, &Value<'_>)]) -> Option<Measure> {
    if numbers.len() < FEWEST_NUMBERS {
        return None;
    }
    let mut sorted: Vec<f64> = numbers.iter().map(|(n, _)| *n).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted);
    let mut away: Vec<f64> = sorted.iter().map(|n| (n - middle).abs()).collect();
    away.sort_by(f64::total_cmp);
    // If most values are equal, a tenth of the median replaces the usual distance.
    let usual = (median(&away) * 1.4826).max(middle.abs() / 10.0);
    let far: Vec<&(f64, &Value<'_>)> =
        numbers.iter().filter(|(n, _)| usual > 0.0 && (n - middle).abs() > FAR * usual).collect();
    if far.is_empty() || far.len() * 20 > numbers.len() {
        return None;
    }
    let (_, (value, block)) = far.iter().max_by(|a, b| (a.0 - middle).abs().total_cmp(&(b.0 - middle).abs()))?;
    let blocks: Vec<&Arc<Block>> = far.iter().map(|(_, (_, block))| *block).collect();
    let is = if far.len() == 1 { "is" } else { "are" };
    let says = format!(
        "{file}: {} of {} values of `{name}` {is} far from the others, whose median is {middle}: {} ({}).",
        far.len(),
        numbers.len(),
        shown(value),
        places(&blocks)
    );
    Some(measure(Ailment::Outlier, far.len(), block, says))
}

/// A few negative numbers where all others are not.
fn negative(file: &str, name: &str, numbers: &[(f64, &Value<'_>)]) -> Option<Measure> {
    let below: Vec<&(f64, &Value<'_>)> = numbers.iter().filter(|(n, _)| *n < 0.0).collect();
    let (_, (value, block)) = below.first()?;
    if numbers.len() < FEWEST_NUMBERS || below.len() * 10 > numbers.len() {
        return None;
    }
    let blocks: Vec<&Arc<Block>> = below.iter().map(|(_, (_, block))| *block).collect();
    let is = if below.len() == 1 { "is" } else { "are" };
    let says = format!(
        "{file}: {} of {} values of `{name}` {is} below zero: {} ({}).",
        below.len(),
        numbers.len(),
        shown(value),
        places(&blocks)
    );
    Some(measure(Ailment::Outlier, below.len(), block, says))
}
