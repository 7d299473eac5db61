//! `masthead prices`: the prices of models, with the age and the origin of each. It asks nobody.

use std::fmt::Write as _;

use serde::Serialize;

use super::args;
use super::doctor::dollars;
use super::exit::{self, Failure};
use super::form::Form;
use super::inspect::print;
use super::models::Setting;
use super::output::shown;
use super::place::Places;
use desk::{Clock, SystemClock};
use model::prices::{Known, Origin, day};
use run::ModelId;
use run::price::Tier;
use text::nearest;

/// Dollars per million tokens.
#[derive(Serialize)]
struct Price {
    model: String,
    #[serde(rename = "in")]
    input: String,
    out: String,
    cache_read: String,
    cache_write: String,
    cache_write_long: String,
    /// Of requests with more tokens of input than a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    long: Option<Long>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output: Option<u32>,
    /// The announced day from which the model is no longer served.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<String>,
    /// The origin of the price.
    from: String,
    /// The day of the price, if it is known.
    as_of: Option<String>,
    /// Days since then, if it may be out of date.
    #[serde(skip_serializing_if = "Option::is_none")]
    days_old: Option<i32>,
}

#[derive(Serialize)]
struct Long {
    over: u64,
    #[serde(rename = "in")]
    input: String,
    out: String,
}

#[derive(Serialize)]
struct Report {
    prices: Vec<Price>,
    /// The day of the built-in prices.
    built_in_as_of: String,
    file: String,
    /// Providers for whose models there is no price.
    without: Vec<String>,
}

pub fn prices(places: &Places, part: Option<&str>, said: &[args::Price], form: Form) -> Result<u8, Failure> {
    let setting = Setting::with_prices(places, said)?;
    let today = day(SystemClock.now());
    let has_part = |id: &ModelId| part.is_none_or(|part| id.to_string().contains(part));
    let all: Vec<(ModelId, Known)> = setting.prices.all(today).collect();
    let prices: Vec<Price> = all
        .iter()
        .filter(|(id, _)| has_part(id))
        .map(|(id, known)| price(id, known, known.days_if_old(today)))
        .collect();
    if let Some(part) = part.filter(|_| prices.is_empty()) {
        let names: Vec<String> = all.iter().map(|(id, _)| id.to_string()).collect();
        let meant = nearest(part, names.iter().map(String::as_str));
        let meant = meant.map(|meant| format!(" Did you mean {meant}?")).unwrap_or_default();
        return Err(Failure::Usage(format!(
            "no model with `{part}` in its name has a price here.{meant} --price PROVIDER/MODEL=IN,OUT sets one for a run, \
             prices.toml for good"
        )));
    }
    let has_none = |provider: &&model::discover::Provider| {
        !provider.free && !provider.profile.local && setting.prices.models_of(&provider.name).next().is_none()
    };
    let without = setting.providers.iter().filter(has_none).map(|provider| provider.name.clone()).collect();
    let path = places.config.join("prices.toml");
    let report = Report {
        prices,
        built_in_as_of: setting.prices.as_of().to_string(),
        file: format!("{}{}", shown(&path), if path.exists() { "" } else { " (not there)" }),
        without,
    };
    if form == Form::Json {
        let text = serde_json::to_string(&report).map_err(Failure::other)?;
        return print(format!("{}\n", text::escape_in_json(text)).as_bytes());
    }
    let code = print(in_words(&report, part.is_none()).as_bytes())?;
    let old = report.prices.iter().filter(|price| price.days_old.is_some()).count();
    if old > 0 {
        let (are, them) = if old == 1 { ("is", "it") } else { ("are", "them") };
        exit::say(&format!(
            "{old} of these prices {are} more than 90 days old: look {them} up before you trust a forecast"
        ));
    }
    Ok(code)
}

fn price(id: &ModelId, known: &Known, days_old: Option<i32>) -> Price {
    let rates = &known.rates;
    let long = |tier: &Tier| Long { over: tier.over, input: dollars(tier.input), out: dollars(tier.output) };
    Price {
        model: id.to_string(),
        input: dollars(rates.input),
        out: dollars(rates.output),
        cache_read: dollars(rates.cache_read),
        cache_write: dollars(rates.cache_write),
        cache_write_long: dollars(rates.cache_write_long),
        long: rates.tier.as_ref().map(long),
        context: known.context,
        max_output: known.max_output,
        ends: known.ends.map(|day| day.to_string()),
        from: known.origin.to_string(),
        as_of: known.day.map(|day| day.to_string()),
        days_old,
    }
}

fn in_words(report: &Report, whole: bool) -> String {
    let mut text = String::from("Dollars per million tokens of input, output, and input read from a cache\n\n");
    let width = report.prices.iter().map(|price| price.model.chars().count()).max().unwrap_or(0);
    for price in &report.prices {
        let Price { model, input, out, cache_read, from, .. } = price;
        let _ = write!(text, "  {model:<width$}  {input:>8}  {out:>8}  {cache_read:>8}  {from}");
        match &price.as_of {
            Some(day) => drop(write!(text, ", {day}")),
            None if *from != Origin::Said.to_string() => text.push_str(", of an unknown day"),
            None => {}
        }
        if let Some(days) = price.days_old {
            let _ = write!(text, ", {days} days old");
        }
        if let Some(Long { over, input, out }) = &price.long {
            let _ = write!(text, "; {input} and {out} in requests over {over} tokens");
        }
        if let Some(day) = &price.ends {
            let _ = write!(text, "; no longer served from {day}");
        }
        text.push('\n');
    }
    let _ = write!(
        text,
        "\nBuilt in             as of {}\nYours                {}, and --price PROVIDER/MODEL=IN,OUT for a run\n",
        report.built_in_as_of, report.file
    );
    if whole && !report.without.is_empty() {
        let _ = writeln!(
            text,
            "Without prices       {}: a model there is asked once you set one",
            report.without.join(", ")
        );
    }
    text.push_str("Servers of your own  cost nothing, unless you set a price\n");
    text
}
