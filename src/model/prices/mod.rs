//! Prices of models: a dated table, preceded by the user's own rows.
//!
//! It never guesses. A model outside the table has no price, and a model without a price is not called.

mod read;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use run::model::ModelId;
use run::price::{Rates, Tier};
use run::{At, Money};
use text::Clean;

const BUILT_IN: &str = include_str!("../prices.toml");

/// The facts about a model that the table has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its rates.
    pub rates: Rates,
    /// The size of its context in tokens.
    pub context: Option<u64>,
    /// The most tokens of one answer.
    pub max_output: Option<u32>,
    /// The least tokens of a prefix for the provider to cache it.
    pub cache_from: Option<u64>,
    /// The announced day from which it is no longer served.
    pub ends: Option<Date>,
    /// The day of the price, if that is known.
    pub day: Option<Date>,
    /// The origin of the price.
    pub origin: Origin,
}

/// New rates over earlier ones. Those of long requests stay if nothing is said of them, but are never lower than the new ones: the
/// reservation for a call is an upper bound.
fn over(said: Rates, earlier: &Rates) -> Rates {
    let least = |tier: &Tier| Tier {
        over: tier.over,
        input: tier.input.max(said.input),
        output: tier.output.max(said.output),
        cache_read: tier.cache_read.max(said.cache_read),
        cache_write: tier.cache_write.max(said.cache_write),
        cache_write_long: tier.cache_write_long.max(said.cache_write_long),
    };
    let tier = said.tier.clone().or_else(|| earlier.tier.as_ref().map(least));
    Rates { tier, ..said }
}

/// The origin of a price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The built-in table.
    #[default]
    BuiltIn,
    /// The user's own `prices.toml`.
    File,
    /// `--price`.
    Said,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Origin::BuiltIn => "built in",
            Origin::File => "your prices.toml",
            Origin::Said => "--price",
        })
    }
}

/// After this many days, providers are likely to have changed a price.
const OLD_DAYS: i32 = 90;

impl Known {
    /// The rates given for a model over those already known.
    fn over(self, known: &Known) -> Known {
        Known {
            rates: over(self.rates, &known.rates),
            context: self.context.or(known.context),
            max_output: self.max_output.or(known.max_output),
            cache_from: self.cache_from.or(known.cache_from),
            ends: self.ends.or(known.ends),
            ..self
        }
    }

    /// Whether the person set the price: with `--price`, or in their own `prices.toml`.
    pub fn is_set(&self) -> bool {
        self.origin != Origin::BuiltIn
    }

    /// Days since the price was looked up, if it may be out of date by now.
    pub fn days_if_old(&self, today: Date) -> Option<i32> {
        let days = (today - self.day?).get_days();
        (days > OLD_DAYS).then_some(days)
    }
}

/// The table of prices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    models: BTreeMap<String, Row>,
    as_of: Clean,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    known: Known,
    /// Announced prices, each from its day on.
    changes: BTreeMap<Date, Rates>,
}

/// A price table that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PricesError {
    #[error("the price file {path} cannot be read: {what}")]
    Unreadable { path: PathBuf, what: String },
    /// A line is wrong; lines count from 1.
    #[error("{path}:{line}: {what}")]
    Wrong { path: PathBuf, line: usize, what: String },
}

impl Prices {
    /// The built-in table.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn built_in() -> Prices {
        let mut prices = Prices::default();
        prices.read(BUILT_IN, Origin::BuiltIn).expect("the built-in price table is checked by a test");
        prices
    }

    /// The built-in table, preceded by `prices.toml` in the user's configuration directory.
    pub fn load(config_dir: &Path) -> Result<Prices, PricesError> {
        let mut prices = Prices::built_in();
        let path = config_dir.join("prices.toml");
        match std::fs::read(&path).map(text::utf8) {
            Ok(Ok(text)) => match prices.read(&text, Origin::File) {
                Ok(()) => Ok(prices),
                Err(read::Wrong { line, what }) => Err(PricesError::Wrong { path, line, what }),
            },
            Ok(Err(what)) => Err(PricesError::Unreadable { path, what }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(prices),
            Err(error) => Err(PricesError::Unreadable { path, what: error.to_string() }),
        }
    }

    /// The date of the built-in table.
    pub fn as_of(&self) -> &Clean {
        &self.as_of
    }

    /// Sets the price of one model as the person gave it: dollars per million tokens in and out.
    ///
    /// # Errors
    /// A price has more than six decimal places.
    pub fn set(&mut self, model: &ModelId, input: Money, output: Money) -> Result<(), String> {
        let (input, output) = (read::per_million(input)?, read::per_million(output)?);
        let rates = Rates {
            input,
            output,
            cache_read: input,
            cache_write: input,
            cache_write_long: input,
            tier: None,
            as_of: Clean::line(&Origin::Said.to_string()),
        };
        self.put(model, Known { rates, origin: Origin::Said, ..Known::default() });
        Ok(())
    }

    /// Sets the rates given for a model. Others stay; announced prices go, since they were changes of the old ones.
    fn put(&mut self, model: &ModelId, said: Known) {
        let known = match self.row(model) {
            Some(row) => said.over(&row.known),
            None => said,
        };
        self.models.insert(model.to_string(), Row { known, changes: BTreeMap::new() });
    }

    /// The facts about a model on a day; None if it is not in the table.
    pub fn known(&self, model: &ModelId, day: Date) -> Option<Known> {
        let row = self.row(model)?;
        let mut known = row.known.clone();
        for rates in row.changes.range(..=day).map(|(_, rates)| rates) {
            known.rates = Rates { as_of: known.rates.as_of.clone(), ..over(rates.clone(), &known.rates) };
        }
        Some(known)
    }

    /// The most expensive model of a provider with its prices: an upper bound for models outside the table.
    pub fn dearest(&self, provider: &str, day: Date) -> Option<(ModelId, Rates)> {
        let rates = self.models_of(provider).filter_map(|name| {
            let id = ModelId { provider: provider.into(), model: name.into() };
            let rates = self.known(&id, day)?.rates;
            Some((rates.most(1_000, 1_000), id, rates))
        });
        rates.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1))).map(|(_, id, rates)| (id, rates))
    }

    /// All models in the table, each with its prices and sizes on a day.
    pub fn all(&self, day: Date) -> impl Iterator<Item = (ModelId, Known)> {
        self.models.keys().filter_map(move |name| {
            let id: ModelId = name.parse().ok()?;
            let known = self.known(&id, day)?;
            Some((id, known))
        })
    }

    /// Names of a provider's models in the table.
    pub fn models_of<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a str> {
        self.models.keys().filter_map(move |key| key.strip_prefix(provider)?.strip_prefix('/'))
    }

    fn row(&self, model: &ModelId) -> Option<&Row> {
        spellings(&model.model).find_map(|name| self.models.get(&format!("{}/{name}", model.provider)))
    }
}

/// The UTC day of a moment.
pub fn day(at: At) -> Date {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// The names under which a model may stand in the table, the given one first, then without a prefix that tells its
/// origin and without a suffix that tells its edition.
fn spellings(model: &str) -> impl Iterator<Item = &str> {
    let whole = [Some(model), without_edition(model)];
    let bare = ["models/", "openai/", "anthropic/"].into_iter().find_map(|prefix| model.strip_prefix(prefix));
    whole.into_iter().chain([bare, bare.and_then(without_edition)]).flatten()
}

/// `name-20251001`, `name-2025-10-01`, `name:free` and `name[1m]` without the suffix; None without one.
fn without_edition(model: &str) -> Option<&str> {
    let name = model.strip_suffix(":free").unwrap_or(model);
    let name = name.strip_suffix("[1m]").unwrap_or(name);
    let name = without_date(name, &[8]).or_else(|| without_date(name, &[4, 2, 2])).unwrap_or(name);
    (name != model && !name.is_empty()).then_some(name)
}

/// A name without a date at its end, given as groups of these numbers of digits, each after a dash.
fn without_date<'a>(name: &'a str, groups: &[usize]) -> Option<&'a str> {
    groups.iter().rev().try_fold(name, |name, digits| {
        let (rest, group) = name.rsplit_once('-')?;
        (group.len() == *digits && group.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    })
}

#[cfg(test)]
mod tests;
