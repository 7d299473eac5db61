use proptest::prelude::*;

use super::*;
use run::model::Usage;

fn model(id: &str) -> ModelId {
    id.parse().unwrap()
}

fn on(day: &str, id: &str) -> Option<Rates> {
    Prices::built_in().known(&model(id), day.parse().unwrap()).map(|known| known.rates)
}

fn wrong(text: &str) -> (usize, String) {
    let read::Wrong { line, what } = Prices::built_in().read(text, Origin::File).unwrap_err();
    (line, what)
}

#[test]
fn the_built_in_table_is_whole() {
    let prices = Prices::built_in();
    assert!(prices.models.len() > 60, "{}", prices.models.len());
    assert!(
        prices.models.values().all(|row| row.known.rates.as_of.as_str() == "2026-11-21" && row.known.context.is_some())
    );
    assert!(prices.models_of("anthropic").any(|name| name == "claude-sonnet-5-5"));
}

#[test]
fn a_price_is_read_digit_by_digit() {
    let rates = on("2026-11-21", "anthropic/claude-haiku-5-5").unwrap();
    assert_eq!(
        (rates.input, rates.output, rates.cache_read, rates.cache_write, rates.cache_write_long),
        (100_000, 500_000, 10_000, 125_000, 200_000)
    );
    // 1,000 in and 200 out at $0.0375 and $0.3: not a pico-dollar off.
    let groq = on("2026-11-21", "groq/openai/gpt-oss-20b").unwrap();
    let usage = Usage { cache_read: 1_000, output: 200, ..Usage::default() };
    assert_eq!(groq.cost(&usage), Money(37_500 * 1_000 + 300_000 * 200));
}

#[test]
fn what_is_written_to_or_read_from_a_cache_costs_as_input_where_nothing_else_is_said() {
    let rates = on("2026-11-21", "openai/gpt-5.5").unwrap();
    assert_eq!((rates.cache_write, rates.cache_write_long), (5_000_000, 5_000_000));
    let rates = on("2026-11-21", "groq/qwen/qwen3.8-27b").unwrap();
    assert_eq!(rates.cache_read, rates.input);
}

#[test]
fn a_long_request_costs_by_its_own_row() {
    let rates = on("2026-11-21", "openai/gpt-6-sol").unwrap();
    let of = |input| rates.cost(&Usage { input, ..Usage::default() });
    assert_eq!(of(272_000), Money(2_000_000 * 272_000), "exactly as long as is short is short");
    assert_eq!(of(272_001), Money(4_000_000 * 272_001));
    assert_eq!(rates.tier.unwrap().output, 15_000_000);
}

#[test]
fn an_announced_change_holds_from_its_day_on() {
    let of = |day| on(day, "gemini/gemini-4-argon").unwrap().output;
    assert_eq!((of("2026-11-30"), of("2026-12-01"), of("2027-06-01")), (10_000_000, 20_000_000, 20_000_000));
    assert_eq!(day(At(1_795_996_799_999)).to_string(), "2026-11-29");
    assert_eq!(day(At(1_795_996_800_000)).to_string(), "2026-11-30");
}

#[test]
fn a_model_is_found_under_the_names_it_goes_by() {
    for (given, same) in [
        ("anthropic/claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"),
        ("openai/gpt-5-2025-08-07", "openai/gpt-5"),
        ("gemini/models/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("anthropic/claude-opus-5[1m]", "anthropic/claude-opus-5"),
        ("anthropic/anthropic/claude-opus-5:free", "anthropic/claude-opus-5"),
        ("groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
    ] {
        assert_eq!(on("2026-11-21", given), on("2026-11-21", same), "{given}");
        assert!(on("2026-11-21", same).is_some(), "{same}");
    }
    // A name that only looks alike is another model.
    for unknown in [
        "openai/gpt-99",
        "openai/gpt-5-2025",
        "anthropic/gpt-5",
        "anthropic/claude-haiku-4-5-2025100",
        "other/openai/gpt-5",
        "openai/20251001",
    ] {
        assert_eq!(on("2026-11-21", unknown), None, "{unknown}");
    }
}

#[test]
fn a_row_of_the_user_replaces_the_prices_of_the_same_model_keeps_what_it_does_not_say_and_changes_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let rows = "[models]\n\"openai/gpt-6-sol\" = { in = 1, out = \"2.5\" }\n\"mine/tiny\" = { in = 0, out = 0, context = 4096 }\n";
    std::fs::write(dir.path().join("prices.toml"), rows).unwrap();
    let prices = Prices::load(dir.path()).unwrap();
    let known = |id: &str| prices.known(&model(id), "2026-11-21".parse().unwrap()).unwrap();
    let sol = known("openai/gpt-6-sol");
    let before = Prices::built_in().known(&model("openai/gpt-6-sol"), "2026-11-21".parse().unwrap()).unwrap();
    assert_eq!((sol.rates.input, sol.rates.output), (1_000_000, 2_500_000));
    assert_eq!((sol.context, sol.max_output, sol.cache_from), (before.context, before.max_output, before.cache_from));
    let long = |known: &Known| known.rates.tier.as_ref().map(|tier| (tier.over, tier.input, tier.output));
    assert!(long(&before).is_some() && long(&sol) == long(&before), "long requests still cost more");
    assert_eq!(sol.rates.as_of.as_str(), "your prices.toml");
    assert_eq!((known("mine/tiny").rates.output, known("mine/tiny").context), (0, Some(4_096)));
    assert_eq!(
        known("openai/gpt-6-luna"),
        Prices::built_in().known(&model("openai/gpt-6-luna"), "2026-11-21".parse().unwrap()).unwrap()
    );
    let nothing = tempfile::tempdir().unwrap();
    assert_eq!(Prices::load(nothing.path()).unwrap(), Prices::built_in());
}

#[test]
fn a_price_said_on_the_command_line_comes_before_every_table() {
    let mut prices = Prices::built_in();
    let id = model("openai/gpt-6-sol");
    prices.set(&id, "3".parse().unwrap(), "12.5".parse().unwrap()).unwrap();
    let known = prices.known(&id, "2026-11-21".parse().unwrap()).unwrap();
    assert_eq!((known.rates.input, known.rates.output, known.context), (3_000_000, 12_500_000, Some(922_000)));
    assert_eq!(known.rates.tier.map(|tier| (tier.input, tier.output)), Some((4_000_000, 15_000_000)));
}

#[test]
fn a_long_request_never_costs_less_than_a_short_one_after_a_change_that_says_nothing_of_it() {
    let rates = |more: &str, day: &str| {
        let mut prices = Prices::default();
        let rows = "[models]\n\"a/b\" = { in = 1, out = 2 }\n[long]\n\"a/b\" = { over = 9, in = 2, out = 8 }\n";
        prices.read(&format!("{rows}{more}"), Origin::File).unwrap();
        prices.known(&model("a/b"), day.parse().unwrap()).unwrap().rates
    };
    let dearer = "[from.2027-01-01]\n\"a/b\" = { in = 3, out = 4 }\n";
    let long = "[from.2027-01-01.long]\n\"a/b\" = { over = 7, in = 6, out = 9 }\n";
    let both = format!("{dearer}{long}");
    for (more, day, expected) in [
        (dearer, "2026-12-31", (9, 2_000_000, 8_000_000)),
        (dearer, "2027-01-01", (9, 3_000_000, 8_000_000)),
        (&both, "2026-12-31", (9, 2_000_000, 8_000_000)),
        (&both, "2027-01-01", (7, 6_000_000, 9_000_000)),
    ] {
        let tier = rates(more, day).tier.unwrap();
        assert_eq!((tier.over, tier.input, tier.output), expected, "{more} {day}");
    }
    let mut prices = Prices::default();
    prices
        .read(
            "[models]\n\"a/b\" = { in = 1, out = 2 }\n[long]\n\"a/b\" = { over = 9, in = 2, out = 8 }\n",
            Origin::File,
        )
        .unwrap();
    prices.set(&model("a/b"), "5".parse().unwrap(), "6".parse().unwrap()).unwrap();
    let said = prices.known(&model("a/b"), "2027-01-01".parse().unwrap()).unwrap().rates;
    assert_eq!(said.most(10, 10), Money(50_000_000 + 80_000_000));
}

#[test]
fn what_is_wrong_in_a_price_file_is_named_with_its_line() {
    for (text, line, says) in [
        ("[models]\n\"a/b\" = { in = 1 }", 2, "lacks `out`"),
        ("\n[models]\n\"a/b\" = { in = -1, out = 1 }", 3, "dollars"),
        ("[models]\n\"a/b\" = { in = 1e3, out = 1 }", 2, "dollars"),
        ("[models]\n\"a/b\" = { in = 0.1234567, out = 1 }", 2, "six decimal places"),
        ("[models]\n\"a/b\" = { in = true, out = 1 }", 2, "not a boolean"),
        ("[models]\n\"a/b\" = { in = 1, out = 1, cash = 3 }", 2, "`cash` is none of in, out"),
        ("[models]\ngpt = { in = 1, out = 1 }", 2, "provider/model"),
        ("[modles]\n", 1, "`modles` is none of"),
        ("[long]\n\"a/b\" = { over = 3, in = 1, out = 1 }", 2, "no row in [models]"),
        ("[long]\n\"openai/gpt-5\" = { in = 1, out = 1 }", 2, "lacks `over`"),
        ("[from.2027-01-01.long]\n\"openai/gpt-5\" = { over = 3, in = 1, out = 1 }", 2, "no row in [from.2027-01-01]"),
        ("[from.soon]\n\"openai/gpt-5\" = { in = 1, out = 1 }", 1, "no day"),
        ("as_of = \"x\"\n", 1, "to be a day"),
        ("[models]\n\n\"a/b\" = \n", 3, ""),
        ("[models]\n\"a/b\" = { in = nan, out = 1 }", 2, "dollars"),
    ] {
        let (at, what) = wrong(text);
        assert!(at == line && what.contains(says), "{text:?}: line {at}: {what}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("prices.toml");
    std::fs::write(&path, "[models]\n\"a/b\" = 3\n").unwrap();
    let said = Prices::load(dir.path()).unwrap_err().to_string();
    assert_eq!(said, format!("{}:2: this is to be a table, not a integer", path.display()));
}

proptest! {
    /// For any name, looking it up neither panics nor finds a model of another provider.
    #[test]
    fn any_name_can_be_looked_up(name in "[a-z:/\\[\\]0-9éß-]{1,40}") {
        let prices = Prices::built_in();
        let id = ModelId { provider: "nobody".into(), model: name.as_str().into() };
        prop_assert_eq!(prices.known(&id, "2026-11-21".parse().unwrap()), None);
    }
}

#[test]
fn a_price_says_where_it_comes_from_and_when_it_is_old() {
    let mut prices = Prices::built_in();
    prices.read("as_of = 2026-03-01\n[models]\n\"mine/a\" = { in = 1, out = 2 }", Origin::File).unwrap();
    prices.read("[models]\n\"mine/b\" = { in = 1, out = 2 }", Origin::File).unwrap();
    prices.set(&model("mine/c"), "1".parse().unwrap(), "2".parse().unwrap()).unwrap();
    let day = |day: &str| day.parse::<Date>().unwrap();
    for (id, origin, after_90, after_91) in [
        ("mine/a", Origin::File, None, Some(91)),
        ("mine/b", Origin::File, None, None),
        ("mine/c", Origin::Said, None, None),
    ] {
        let known = prices.known(&model(id), day("2026-05-30")).unwrap();
        assert_eq!((known.origin, known.is_set()), (origin, true), "{id}");
        let days = |today: &str| known.days_if_old(day(today));
        assert_eq!((days("2026-05-30"), days("2026-05-31")), (after_90, after_91), "{id}");
    }
    let known = prices.known(&model("openai/gpt-6-sol"), day("2027-06-01")).unwrap();
    assert!(known.origin == Origin::BuiltIn && known.days_if_old(day("2027-06-01")).is_some());
    assert!(prices.all(day("2026-11-21")).any(|(id, _)| id == model("mine/b")));
}
