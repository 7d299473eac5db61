use super::*;
use run::evidence::SourceRef;
use run::id::SourceId;

/// The profile of a file with this text.
fn profile(name: &str, text: &str) -> Profile {
    let document = documents::parse(text.as_bytes(), name).unwrap();
    looked_at(name, document.blocks.into_iter().map(Arc::new).collect())
}

fn looked_at(name: &str, blocks: Vec<Arc<Block>>) -> Profile {
    let of = blocks.len() as u32;
    cut(name, blocks, of)
}

/// The profile of the first of `of` blocks.
fn cut(name: &str, blocks: Vec<Arc<Block>>, of: u32) -> Profile {
    let source = SourceRef {
        id: SourceId("x".into()),
        path: name.into(),
        title: name.into(),
        sha256: "".into(),
        superseded: None,
    };
    super::of(&Excerpt { source, blocks, of })
}

/// The statements on the file as a whole.
fn overviews(profile: &Profile) -> Vec<&str> {
    profile.measures.iter().filter(|measure| measure.ailment.is_none()).map(|measure| measure.says.as_str()).collect()
}

/// The statements on an ailment.
fn says(profile: &Profile, what: Ailment) -> Vec<&str> {
    profile
        .measures
        .iter()
        .filter(|measure| measure.ailment == Some(what))
        .map(|measure| measure.says.as_str())
        .collect()
}

fn orders() -> Vec<String> {
    let mut rows = vec!["order_id,day,quantity,price,city".to_owned()];
    rows.extend(
        (0..40).map(|n| format!("{},2026-11-{:02},{},{}.50,Bern", 1000 + n, 1 + n % 28, 1 + n % 4, 10 + n % 7)),
    );
    rows
}

#[test]
fn a_sound_table_has_nothing_but_what_it_is() {
    let profile = profile("orders.csv", &orders().join("\n"));
    assert_eq!(profile.form, Form::Table);
    assert_eq!(overviews(&profile), ["orders.csv has 40 rows in 5 columns: order_id, day, quantity, price, city."]);
    assert_eq!(profile.measures.len(), 1, "{:?}", profile.measures);
}

#[test]
fn each_fault_of_a_table_is_counted_with_the_line_it_stands_in() {
    let fault = |row: usize, text: &str| {
        let mut rows = orders();
        rows[row] = text.into();
        profile("orders.csv", &rows.join("\n"))
    };
    for (text, what, told) in [
        ("1004,2026-11-05,1,14.50,Bern,again", Ailment::Fields, "1 line has another number of fields than the 5"),
        ("1004,2026-11-05", Ailment::Fields, "(line 6)"),
        (
            "1004,2026-11-05,1,dear,Bern",
            Ailment::Kind,
            "1 of 40 values of `price` is no number, such as “dear” (line 6)",
        ),
        ("1004,2026-02-30,1,14.50,Bern", Ailment::Date, "“2026-02-30” (line 6)"),
        ("1004,05.11.2026,1,14.50,Bern", Ailment::Date, "“05.11.2026”"),
        ("1004,2026-11-05,4000,14.50,Bern", Ailment::Outlier, "whose median is 3: “4000” (line 6)"),
        ("1004,2026-11-05,-3,14.50,Bern", Ailment::Outlier, "`quantity` is below zero: “-3”"),
        ("1001,2026-11-05,1,14.50,Bern", Ailment::Twice, "the `order_id` “1001” stands in 2 rows (lines 3 and 6)"),
        ("1003,2026-11-04,4,13.50,Bern", Ailment::Twice, "1 line is a copy of an earlier line (line 6)"),
        ("1004,2026-11-05,,14.50,Bern", Ailment::Missing, "1 of 40 values of `quantity` is missing (line 6)"),
        ("1004,2026-11-05,1,14.50,ZÃ¼rich", Ailment::Encoding, "the first is line 6"),
    ] {
        let profile = fault(5, text);
        let told_of = says(&profile, what);
        assert!(told_of.iter().any(|says| says.contains(told)), "{text}: {:?}", profile.measures);
        let line = &profile.measures.iter().find(|measure| measure.ailment == Some(what)).unwrap().line;
        assert_eq!(line.line, 6, "{text}");
    }
}

#[test]
fn a_line_that_is_longer_than_a_passage_is_one_line() {
    let long = |of: &str| of.repeat(3_000 / of.len());
    // Spaces, no spaces, and a piece without a letter or digit.
    for (what, text) in [("words", long("some words, ")), ("none", long("x")), ("rules", long("- = "))] {
        let record = |n: usize| format!("{{\"id\":{n},\"note\":\"{text}{n}\"}}");
        let records: Vec<String> = (0..20).map(record).collect();
        let about = profile("stock.jsonl", &records.join("\n"));
        assert_eq!(overviews(&about), ["stock.jsonl has 20 records with the fields id, note."], "{what}");
        assert_eq!(about.measures.len(), 1, "{what}: {:?}", about.measures);

        let rows: Vec<String> = (0..20).map(|n| format!("{n},\"{text}{n}\",Bern")).collect();
        let about = profile("stock.csv", &format!("id,note,city\n{}", rows.join("\n")));
        assert_eq!(overviews(&about), ["stock.csv has 20 rows in 3 columns: id, note, city."], "{what}");
        assert_eq!(about.measures.len(), 1, "{what}: {:?}", about.measures);

        let about = profile("shop.log", &log((0..20).map(|n| (n, format!("ERROR {text}")))));
        assert!(overviews(&about)[0].contains("20 lines"), "{what}: {:?}", about.measures);
        assert!(says(&about, Ailment::Errors)[0].contains("20 lines say"), "{what}: {:?}", about.measures);
    }
}

#[test]
fn a_table_whose_column_names_are_longer_than_a_passage_has_all_its_columns() {
    let names: Vec<String> = (1..=300).map(|n| format!("measure_{n:03}")).collect();
    let row = |n: usize| (0..300).map(|column| format!("{}", n + column)).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..20).map(row).collect();
    let about = profile("wide.csv", &format!("{}\n{}", names.join(","), rows.join("\n")));
    let whole = overviews(&about)[0];
    assert!(whole.starts_with("wide.csv has 20 rows in 300 columns: measure_001, "), "{whole}");
    assert_eq!(says(&about, Ailment::Fields), [""; 0]);
}

#[test]
fn comments_above_a_table_are_no_rows_and_columns_without_names_have_numbers() {
    let rows: String = (0..20).map(|n| format!("{n}.5,Bern,2026-11-{:02}\n", n + 1)).collect();
    let about = profile("a.csv", &format!("# Taken daily.\n# By hand.\nprice,city,day\n{rows}"));
    assert_eq!(overviews(&about), ["a.csv has 20 rows in 3 columns: price, city, day."]);
    assert_eq!(says(&about, Ailment::Fields), [""; 0]);
    let about = profile("a.csv", &format!("# Taken daily.\nprice,city,day\nnone\n{rows}"));
    assert_eq!(overviews(&about), ["a.csv has 21 rows in 3 columns: price, city, day."]);
    assert!(says(&about, Ailment::Fields)[0].ends_with("(line 3)."), "{about:?}");
    let about = profile("a.csv", &format!("{rows}1.5,Rome\n"));
    assert_eq!(overviews(&about), ["a.csv has 21 rows in 3 columns: column 1, column 2, column 3."]);
    let odd = "a.csv: 1 line has another number of fields than the 3 that most lines have (line 21).";
    assert_eq!(says(&about, Ailment::Fields), [odd]);
    let names: Vec<String> = (0..600).map(|n| format!("column{n}")).collect();
    let row = |n: usize| format!("{n},{}", vec!["7"; 599].join(","));
    let rows: Vec<String> = (0..20).map(row).collect();
    let about = profile("wide.csv", &format!("{}\n{}\n7,7\n", names.join(","), rows.join("\n")));
    assert!(overviews(&about)[0].starts_with("wide.csv has 21 rows in 600 columns: column0, column1, "), "{about:?}");
    let odd = "wide.csv: 1 line has another number of fields than the 600 that the first line names (line 22).";
    assert_eq!(says(&about, Ailment::Fields), [odd]);
}

#[test]
fn a_cell_may_be_blank_or_hold_a_bar() {
    let rows = (0..20).map(|n| match n {
        3 => "3,2,".to_owned(),
        4 => "4,,".to_owned(),
        5 => ",2,c".to_owned(),
        6 => "6,a|b,red | blue".to_owned(),
        _ => format!("{n},{n},c"),
    });
    let about = profile("a.csv", &format!("id,b,c\n{}", rows.collect::<Vec<_>>().join("\n")));
    assert_eq!(says(&about, Ailment::Fields), [""; 0]);
    let missing = says(&about, Ailment::Missing);
    assert!(
        missing.iter().any(|says| says.contains("2 of 20 values of `c` are missing (lines 5 and 6)")),
        "{missing:?}"
    );
    assert!(missing.iter().any(|says| says.contains("1 of 20 values of `id` is missing (line 7)")), "{missing:?}");

    let about = profile("a.csv", &format!("id,b,\n{}", (0..9).map(|n| format!("{n},2,\n")).collect::<String>()));
    assert_eq!(overviews(&about), ["a.csv has 9 rows in 3 columns: id, b, column 3."]);
    assert_eq!(says(&about, Ailment::Fields), [""; 0]);
}

#[test]
fn a_file_that_is_not_read_to_its_end_is_not_called_broken_there() {
    let rows: Vec<String> = (0..20).map(|n| format!("{{\"id\":{n},\"note\":\"{}\"}}", "x".repeat(3_000))).collect();
    let document = documents::parse(rows.join("\n").as_bytes(), "stock.jsonl").unwrap();
    let blocks: Vec<Arc<Block>> = document.blocks.into_iter().map(Arc::new).collect();
    let all = blocks.len() as u32;
    let about = cut("stock.jsonl", blocks[..blocks.len() - 1].to_vec(), all);
    assert_eq!(says(&about, Ailment::Broken), [""; 0]);
    assert_eq!(overviews(&about), ["stock.jsonl has 19 records with the fields id, note."]);
}

#[test]
fn json_lines_are_held_against_each_other() {
    let mut rows: Vec<String> =
        (0..30).map(|n| format!("{{\"sku\":\"A{n}\",\"stock\":{},\"price\":9.5}}", n % 9)).collect();
    rows[3] = "{\"sku\":\"A3\",\"stock\":4,\"pri".into();
    rows[7] = "{\"sku\":\"A7\",\"stock\":\"4\",\"price\":9.5}".into();
    rows[9] = "{\"sku\":\"A9\",\"stock\":-2,\"price\":9.5}".into();
    rows[11] = "{\"sku\":\"A11\",\"price\":9.5,\"note\":\"sold out\"}".into();
    let profile = profile("stock.jsonl", &rows.join("\n"));
    assert_eq!(profile.form, Form::Records);
    assert_eq!(says(&profile, Ailment::Broken), ["stock.jsonl: 1 line is no whole JSON object (line 4)."]);
    assert!(
        says(&profile, Ailment::Kind)[0].contains("and text in 1, such as “\"4\"” (line 8)"),
        "{:?}",
        profile.measures
    );
    assert!(says(&profile, Ailment::Outlier)[0].contains("below zero: “-2” (line 10)"));
    assert!(says(&profile, Ailment::Missing)[0].contains("no `stock` (line 12)"));
    assert!(says(&profile, Ailment::Fields)[0].contains("only 1 of 29 records have a field “note”"));
}

fn log(lines: impl Iterator<Item = (u32, String)>) -> String {
    let line = |(second, said): (u32, String)| {
        format!("2026-11-20T{:02}:{:02}:{:02}Z {said}\n", second / 3_600, second / 60 % 60, second % 60)
    };
    lines.map(line).collect()
}

#[test]
fn errors_are_told_with_their_burst_and_with_what_stands_before_them() {
    let quiet = (0..60).map(|n| (n * 20, format!("INFO order {n} paid in {} ms", 30 + n % 9)));
    let burst = (0..4).flat_map(|n| {
        let at = 1_210 + n * 10;
        [
            (at, format!("WARN pool exhausted ({n} waiting)")),
            (at + 1, format!("ERROR order 9{n} failed: no connection")),
            (at + 2, "ERROR order 77 failed: no connection".into()),
        ]
    });
    let profile = profile("app.log", &log(quiet.chain(burst)));
    assert_eq!(profile.form, Form::Log);
    let errors = says(&profile, Ailment::Errors);
    assert!(
        errors[0].contains(
            "8 lines say “ERROR order 90 failed: no connection”, 8 of them within 60 s from 2026-11-20T00:20:11 on"
        ),
        "{errors:?}"
    );
    let before = says(&profile, Ailment::Before);
    assert!(
        before[0].contains("right before 4 of 4 times")
            && before[0].contains("“WARN pool exhausted (0 waiting)” (line 61)"),
        "{before:?}"
    );
    assert!(overviews(&profile)[0].contains("72 lines from 2026-11-20T00:00:00 to"), "{:?}", profile.measures);
}

#[test]
fn silence_restarts_and_times_that_go_back_are_seen() {
    let mut lines: Vec<(u32, String)> = (0..50).map(|n| (n * 10, format!("INFO request {n}"))).collect();
    lines.extend((0..50).map(|n| (3_000 + n * 10, format!("INFO request {n}"))));
    for at in [20, 50, 80] {
        lines[at].1 = format!("INFO shop {at} starting, version 2.4.1");
    }
    lines[90].0 = 3_005;
    let profile = profile("app.log", &log(lines.into_iter()));
    assert!(
        says(&profile, Ailment::Silence)[0]
            .contains("nothing was written for 41 min, between 2026-11-20T00:08:10 (line 50)")
    );
    assert!(
        says(&profile, Ailment::Restarts)[0].contains("it starts 3 times")
            && says(&profile, Ailment::Restarts)[0].contains("(lines 21, 51 and 81)")
    );
    assert_eq!(says(&profile, Ailment::OutOfOrder), ["app.log: the time goes back in line 91."]);
    assert!(says(&profile, Ailment::Errors).is_empty());
}

#[test]
fn requests_that_a_server_could_not_answer_are_errors() {
    let line = |n: u32| {
        let status = if n.is_multiple_of(9) { 502 } else { 200 };
        format!("10.0.0.{n} - - [20/Nov/2026:10:{:02}:00 +0000] \"GET /cart HTTP/1.1\" {status} 512", n % 60)
    };
    let profile = profile("access.log", &(0..45).map(line).collect::<Vec<_>>().join("\n"));
    assert!(overviews(&profile)[0].contains("5 of them say that something failed"), "{:?}", profile.measures);
}

#[test]
fn prose_is_nothing_to_be_counted() {
    let profile = profile("notes.txt", "We moved the shop.\n\nIt went well.\n");
    assert_eq!((profile.form, profile.measures.len()), (Form::Text, 0));
}

proptest::proptest! {
    #[test]
    fn whatever_a_file_holds_its_profile_quotes_its_lines(text in "(?s).{0,400}", which in 0usize..4) {
        let name = ["a.csv", "a.jsonl", "a.log", "a.txt"][which];
        if let Ok(document) = documents::parse(text.as_bytes(), name) {
            let blocks: Vec<Arc<Block>> = document.blocks.into_iter().map(Arc::new).collect();
            let profile = looked_at(name, blocks.clone());
            for measure in &profile.measures {
                proptest::prop_assert!(blocks.contains(&measure.line) && !measure.says.is_empty() && measure.count > 0);
            }
        }
    }
}

#[test]
fn records_with_fields_of_their_own_are_each_looked_at_once() {
    // Looked for in every record, these fields would take hours.
    const MANY: usize = 100_000;
    let block = |n: usize| Block {
        no: n as u32,
        kind: BlockKind::Code,
        headings: [].into(),
        intro: None,
        text: format!("{{\"f{n}\": {n}, \"id\": {n}}}").as_str().into(),
        line: n as u32 + 1,
        breaks: Vec::new(),
        start: 0,
        lead: false,
    };
    let blocks: Vec<Arc<Block>> = (0..MANY).map(|n| Arc::new(block(n))).collect();
    let profile = looked_at("x.jsonl", blocks);
    let about = overviews(&profile)[0];
    assert!(about.starts_with("x.jsonl has 100000 records with the fields f0, f1,"), "{about}");
    assert!(about.ends_with(" more."), "{about}");
    assert!(about.len() < 1_000, "{about}");
    assert_eq!(profile.measures.len(), Profile::MOST_MEASURES);
    assert!(says(&profile, Ailment::Fields)[0].contains("only 1 of 100000 records have a field “f0” (line 1)"));
}

#[test]
fn a_storm_of_equal_errors_is_looked_at_once() {
    // Each held against all others, these lines would take minutes.
    const MANY: u32 = 100_000;
    let lines = log((0..MANY).map(|n| (n / 1_000, "ERROR no connection".to_owned())));
    let profile = profile("app.log", &lines);
    let errors = says(&profile, Ailment::Errors);
    assert!(
        errors[0]
            .contains("100000 lines say “ERROR no connection”, 61000 of them within 60 s from 2026-11-20T00:00:00"),
        "{errors:?}"
    );
}

#[test]
fn the_busiest_minute_is_found_where_times_go_back() {
    let lines = [90, 95, 10, 11, 12, 13, 96, 14, 15].map(|second| (second, "ERROR no connection".to_owned()));
    let profile = profile("app.log", &log(lines.into_iter()));
    let errors = says(&profile, Ailment::Errors);
    assert!(errors[0].contains("6 of them within 60 s from 2026-11-20T00:00:10 on"), "{errors:?}");
}

#[test]
fn no_line_of_a_log_keeps_the_others_from_being_looked_at() {
    let good = (0..20).map(|n| format!("2026-11-20 10:00:{n:02} GET / HTTP/1.1\" 500 {n}"));
    let odd = "2026-11-20 10:00:31 upstream said \"HTTP/1.1\" 5\u{20ac}".to_owned();
    let lines: Vec<String> = good.chain([odd]).collect();
    let profile = profile("access.log", &lines.join("\n"));
    let all = overviews(&profile);
    assert!(all[0].contains("21 lines") && all[0].contains("20 of them say"), "{all:?}");
}

/// Sound tables: rows of the same number of cells, each of which may be blank or hold anything.
fn tables() -> impl proptest::strategy::Strategy<Value = (usize, String)> {
    use proptest::prelude::*;
    fn row(columns: usize) -> impl Strategy<Value = String> {
        let cell = "[a-z|, \"\u{e9}]{0,8}".prop_map(|cell: String| format!("\"{}\"", cell.replace('"', "\"\"")));
        let cells = proptest::collection::vec(prop_oneof![Just(String::new()), cell], columns - 1);
        cells.prop_map(|cells| format!("k,{}\n", cells.join(",")))
    }
    (2usize..6).prop_flat_map(|columns| {
        let rows = proptest::collection::vec(row(columns), 1..12);
        rows.prop_map(move |rows| {
            let names: Vec<String> = (0..columns).map(|n| format!("n{n}")).collect();
            (rows.len(), format!("{}\n{}", names.join(","), rows.concat()))
        })
    })
}

proptest::proptest! {
    #[test]
    fn no_row_of_a_sound_table_is_called_odd((rows, text) in tables()) {
        let profile = profile("a.csv", &text);
        proptest::prop_assert_eq!(says(&profile, Ailment::Fields), [""; 0], "{}", text);
        proptest::prop_assert!(profile.measures.iter().any(|measure| measure.count as usize == rows), "{}", text);
    }

    #[test]
    fn no_text_keeps_a_log_or_a_table_from_being_looked_at(
        starts in proptest::collection::vec("2026-11-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}|[A-Z]{5} HTTP/1\\.1\" [0-9]|", 8..20),
        // A file where every twentieth character could not be decoded is rightly refused.
        rests in proptest::collection::vec("[\\PC&&[^\u{fffd}]]{0,12}", 20),
    ) {
        let lines: Vec<String> = starts.iter().zip(&rests).map(|(start, rest)| format!("{start}{rest}")).collect();
        for name in ["a.log", "a.csv", "\u{65e5}\u{8a18}.txt"] {
            let parsed = documents::parse(lines.join("\n").as_bytes(), name);
            let has_words = lines.iter().any(|line| line.chars().any(char::is_alphanumeric));
            proptest::prop_assert!(parsed.is_ok() || name != "a.log" || !has_words, "{:?}", lines);
            let Ok(document) = parsed else { continue };
            let blocks: Vec<Arc<Block>> = document.blocks.into_iter().map(Arc::new).collect();
            let profile = looked_at(name, blocks.clone());
            proptest::prop_assert_eq!((profile.blocks as usize, profile.of as usize), (blocks.len(), blocks.len()));
            proptest::prop_assert!(profile.measures.len() <= Profile::MOST_MEASURES);
        }
    }
}
