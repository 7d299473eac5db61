//! Reads a price table. Prices are parsed digit by digit, never as floats; errors name their line.

use std::borrow::Cow;

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Known, Origin, Prices, Row};
use run::Money;
use run::model::ModelId;
use run::price::{Rates, Tier};
use text::Clean;

/// A fault, and its line (from 1).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// The fault, in words for the person.
    pub what: String,
}

const RATES: &str = "in, out, cache_read, cache_write, cache_write_long";

impl Prices {
    /// Adds the rows of a table; values missing in a row stay as in an earlier row of the same model.
    pub(super) fn read(&mut self, text: &str, origin: Origin) -> Result<(), Wrong> {
        let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        let root = DeTable::parse(text).map_err(|error| Wrong {
            line: line(error.span().map_or(0, |span| span.start)),
            what: error.message().to_string(),
        })?;
        self.take(root.get_ref(), origin).map_err(|(at, what)| Wrong { line: line(at), what })
    }

    fn take(&mut self, root: &DeTable<'_>, origin: Origin) -> Result<(), At> {
        let mut as_of = None;
        let (mut long, mut from) = (None, None);
        let mut models = None;
        for (key, value) in root {
            match key.get_ref().as_ref() {
                "as_of" => as_of = Some(date(value)?),
                "models" => models = Some(table(value)?),
                "long" => long = Some(table(value)?),
                "from" => from = Some(table(value)?),
                other => {
                    let what = format!("`{other}` is none of as_of, models, long, from");
                    return Err((key.span().start, what));
                }
            }
        }
        let day = as_of;
        let as_of = match (origin, day) {
            (Origin::BuiltIn, day) => {
                self.as_of = day.map(|day| day.to_string()).unwrap_or_default().into();
                self.as_of.clone()
            }
            (_, Some(day)) => Clean::line(&format!("{day}, {origin}")),
            (_, None) => Clean::line(&origin.to_string()),
        };
        for (key, value) in models.into_iter().flatten() {
            let id = model(key)?;
            let said = Known { day, origin, ..row(value, &as_of)? };
            self.put(&id, said);
        }
        for (key, value) in long.into_iter().flatten() {
            let tier = tier(value)?;
            self.known_row(key)?.known.rates.tier = Some(tier);
        }
        for (day, rows) in from.into_iter().flatten() {
            self.take_announced(day, table(rows)?)?;
        }
        Ok(())
    }

    /// The prices from a day on; those of its long requests may stand in a table of their own.
    fn take_announced(&mut self, day: &Key<'_>, rows: &DeTable<'_>) -> Result<(), At> {
        let from: Date = day.get_ref().parse().map_err(|_| {
            (day.span().start, format!("`{}` is no day: write it as in [from.2026-12-01]", day.get_ref()))
        })?;
        let is_long = |key: &Key<'_>| key.get_ref() == "long";
        for (key, value) in rows.iter().filter(|(key, _)| !is_long(key)) {
            let rates = rates(value, "", |_, _| Ok(false))?;
            self.known_row(key)?.changes.insert(from, rates);
        }
        for (_, long) in rows.iter().filter(|(key, _)| is_long(key)) {
            for (key, value) in table(long)? {
                let tier = tier(value)?;
                let what = format!("`{}` has no row in [from.{from}]", key.get_ref());
                let change = self.known_row(key)?.changes.get_mut(&from);
                change.ok_or((key.span().start, what))?.tier = Some(tier);
            }
        }
        Ok(())
    }

    fn known_row(&mut self, key: &Key<'_>) -> Result<&mut Row, At> {
        let name = model(key)?.to_string();
        let what = format!("`{name}` has no row in [models]");
        self.models.get_mut(&name).ok_or((key.span().start, what))
    }
}

/// The offset in the text, and the fault there.
type At = (usize, String);

type Key<'i> = Spanned<Cow<'i, str>>;

fn model(key: &Key<'_>) -> Result<ModelId, At> {
    key.get_ref().parse().map_err(|what| (key.span().start, what))
}

/// The prices of requests with more than `over` tokens of input.
fn tier(value: &Spanned<DeValue<'_>>) -> Result<Tier, At> {
    let mut over = None;
    let rates = rates(value, "over", |key, value| {
        let is_over = key == "over";
        if is_over {
            over = Some(count(value)?);
        }
        Ok(is_over)
    })?;
    let over = over.ok_or((value.span().start, "it lacks `over`: the tokens of input".to_string()))?;
    let Rates { input, output, cache_read, cache_write, cache_write_long, .. } = rates;
    Ok(Tier { over, input, output, cache_read, cache_write, cache_write_long })
}

fn row(value: &Spanned<DeValue<'_>>, as_of: &Clean) -> Result<Known, At> {
    let (mut context, mut max_output, mut cache_from, mut ends) = (None, None, None, None);
    let rates = rates(value, "context, max_output, cache_from, ends", |key, value| {
        match key {
            "context" => context = Some(count(value)?),
            "max_output" => max_output = Some(u32::try_from(count(value)?).unwrap_or(u32::MAX)),
            "cache_from" => cache_from = Some(count(value)?),
            "ends" => ends = Some(date(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let rates = Rates { as_of: as_of.clone(), ..rates };
    Ok(Known { rates, context, max_output, cache_from, ends, ..Known::default() })
}

/// The prices of a row. `also` gets its other fields and returns whether it knows the field.
fn rates<'i>(
    value: &Spanned<DeValue<'i>>,
    others: &str,
    mut also: impl FnMut(&str, &Spanned<DeValue<'i>>) -> Result<bool, At>,
) -> Result<Rates, At> {
    let [mut input, mut output, mut cache_read, mut cache_write, mut cache_write_long] = [None; 5];
    for (key, value) in table(value)? {
        let field = match key.get_ref().as_ref() {
            "in" => &mut input,
            "out" => &mut output,
            "cache_read" => &mut cache_read,
            "cache_write" => &mut cache_write,
            "cache_write_long" => &mut cache_write_long,
            other if also(other, value)? => continue,
            other => {
                let comma = if others.is_empty() { "" } else { ", " };
                return Err((key.span().start, format!("`{other}` is none of {RATES}{comma}{others}")));
            }
        };
        *field = Some(per_million(money(value)?).map_err(|what| (value.span().start, what))?);
    }
    let lacks = |field: &str| (value.span().start, format!("it lacks `{field}`: dollars per million tokens"));
    let input = input.ok_or_else(|| lacks("in"))?;
    let cache_write = cache_write.unwrap_or(input);
    Ok(Rates {
        input,
        output: output.ok_or_else(|| lacks("out"))?,
        cache_read: cache_read.unwrap_or(input),
        cache_write,
        cache_write_long: cache_write_long.unwrap_or(cache_write),
        ..Rates::default()
    })
}

/// Dollars per million tokens as micro-dollars per million tokens.
pub(super) fn per_million(dollars: Money) -> Result<u64, String> {
    match (dollars.0 / 1_000_000, dollars.0 % 1_000_000) {
        (micros, 0) => Ok(micros),
        _ => Err("a price has at most six decimal places".into()),
    }
}

fn money(value: &Spanned<DeValue<'_>>) -> Result<Money, At> {
    let digits = match value.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        DeValue::String(text) => text,
        other => {
            return Err((value.span().start, format!("a price is a number of dollars, not a {}", other.type_str())));
        }
    };
    digits.parse().map_err(|what| (value.span().start, what))
}

fn count(value: &Spanned<DeValue<'_>>) -> Result<u64, At> {
    let number =
        value.get_ref().as_integer().and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
    number.ok_or_else(|| (value.span().start, "this is to be a whole number of tokens".into()))
}

fn date(value: &Spanned<DeValue<'_>>) -> Result<Date, At> {
    let text = match value.get_ref() {
        DeValue::Datetime(date) => date.to_string(),
        DeValue::String(text) => text.to_string(),
        _ => String::new(),
    };
    text.parse().map_err(|_| (value.span().start, "this is to be a day, as in 2026-12-01".into()))
}

fn table<'a, 'i>(value: &'a Spanned<DeValue<'i>>) -> Result<&'a DeTable<'i>, At> {
    let wrong = || (value.span().start, format!("this is to be a table, not a {}", value.get_ref().type_str()));
    value.get_ref().as_table().ok_or_else(wrong)
}
