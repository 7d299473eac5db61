//! Answers by rule as a table.

use std::fmt::Write as _;

use crate::report::verdict;
use crate::results::Results;
use crate::score::Share;

/// The answers as a table: one line a question, one for all, and one on missing answers.
pub fn table(results: &Results) -> String {
    let mut out = String::new();
    let line = |out: &mut String, cells: [&str; 9]| {
        let _ = writeln!(
            out,
            "{:<24} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>7}  {}",
            cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]
        );
    };
    line(&mut out, ["question", "coverage", "off topic", "citations", "quotes", "support", "words", "ms", "verdict"]);
    let (mut quotes, mut support) = (Share::default(), Share::default());
    for row in &results.questions {
        let answer = &row.team;
        quotes.add(answer.measures.quotes);
        support.add(answer.measures.support);
        let covered = answer.covered();
        let covered = if row.unanswerable { "–".into() } else { format!("{}/{}", covered.good, covered.all) };
        let off = format!("{}/{}", answer.measures.off_topic, answer.measures.claims);
        let shares = [answer.measures.citations, answer.measures.quotes, answer.measures.support];
        let shares = shares.map(Share::in_percent);
        let [cited, quoted, supported] = shares.each_ref().map(String::as_str);
        let (words, took) = (answer.measures.words.to_string(), answer.wall_ms.to_string());
        line(&mut out, [&row.id, &covered, &off, cited, quoted, supported, &words, &took, verdict(row, answer)]);
    }
    let totals = results.totals();
    let shown = [
        format!("{:.2}", totals.coverage),
        format!("{:.2}", totals.off_topic),
        totals.citations.in_percent(),
        quotes.in_percent(),
        support.in_percent(),
        totals.words.to_string(),
        totals.wall_ms.to_string(),
    ];
    line(&mut out, ["all (mean)", &shown[0], &shown[1], &shown[2], &shown[3], &shown[4], &shown[5], &shown[6], ""]);
    let gaps = results.gaps();
    if !gaps.is_empty() {
        let _ = writeln!(out, "not whole: {}", gaps.join("; "));
    }
    out
}
