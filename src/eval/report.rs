//! A result as text: a table with a line for each answer, and the totals.

use std::fmt::Write as _;

use crate::against::Against;
use crate::results::{Answer, End, Results, Row, Totals, cost_in_words};

/// The columns of the table.
pub(crate) const HEAD: [&str; 12] = [
    "question",
    "by",
    "coverage",
    "off topic",
    "citations",
    "words",
    "cost",
    "tokens",
    "calls",
    "time",
    "context",
    "end",
];

fn line(out: &mut String, cells: [&str; 12]) {
    let [question, by, coverage, off, citations, words, cost, tokens, calls, time, context, end] = cells;
    // Writing into a string cannot fail.
    let _ = writeln!(
        out,
        "{question:<24} {by:<10} {coverage:>8} {off:>9} {citations:>9} {words:>6} {cost:>8} {tokens:>8} {calls:>6} {time:>8} {context:>8}  {end}",
    );
}

fn seconds(ms: u64) -> String {
    format!("{:.1} s", ms as f64 / 1e3)
}

/// A remark on an answer in a few words.
pub(crate) fn verdict<'a>(row: &Row, answer: &'a Answer) -> &'a str {
    match (row.unanswerable, answer.end) {
        (_, End::Failed) => &answer.outcome,
        // A stopped run has not searched everywhere.
        (true, End::Partial) if answer.measures.claims == 0 => &answer.outcome,
        (true, End::NothingFound) if answer.measures.claims > 0 => "says there is nothing, and what is closest",
        (true, _) if answer.measures.claims == 0 => "says there is nothing",
        (true, _) if !answer.measures.passed => "doubts its answer",
        (true, _) => "answers what cannot be answered",
        (false, _) if answer.measures.passed => "PASS",
        (false, _) => "REVISE",
    }
}

/// An answer in the columns of the table; the last is its outcome.
pub(crate) fn cells(row: &Row, answer: &Answer) -> [String; 10] {
    let covered = answer.covered();
    if !answer.counts() {
        let dash = || "–".to_owned();
        let end = format!("{}", answer.outcome);
        let cost = cost_in_words(answer.cost, answer.in_doubt);
        return [dash(), dash(), dash(), dash(), cost, dash(), dash(), dash(), dash(), end];
    }
    let end = match answer.end {
        End::Partial if !row.unanswerable => answer.outcome.to_string(),
        _ => verdict(row, answer).to_owned(),
    };
    [
        if row.unanswerable { "–".into() } else { format!("{}/{}", covered.good, covered.all) },
        format!("{}/{}", answer.measures.off_topic, answer.measures.claims),
        answer.measures.citations.in_percent(),
        answer.measures.words.to_string(),
        cost_in_words(answer.cost, answer.in_doubt),
        answer.tokens.to_string(),
        answer.model_calls.to_string(),
        seconds(answer.worked_ms),
        answer.fullest_context.to_string(),
        end,
    ]
}

/// The totals of a team in the same columns.
pub(crate) fn total_cells(totals: &Totals) -> [String; 10] {
    [
        format!("{:.2}", totals.coverage),
        format!("{:.2}", totals.off_topic),
        totals.citations.in_percent(),
        totals.words.to_string(),
        totals.cost_in_words(),
        totals.tokens.to_string(),
        totals.model_calls.to_string(),
        seconds(totals.worked_ms),
        totals.fullest_context.to_string(),
        format!("longest {}", seconds(totals.longest_ms)),
    ]
}

fn put(out: &mut String, question: &str, by: &str, cells: &[String; 10]) {
    let [coverage, off, citations, words, cost, tokens, calls, time, context, end] =
        cells.each_ref().map(String::as_str);
    line(out, [question, by, coverage, off, citations, words, cost, tokens, calls, time, context, end]);
}

/// The result as text.
pub fn report(results: &Results, against: Option<&Against>) -> String {
    let mut out = String::new();
    line(&mut out, HEAD);
    let short = |name: &str| name.chars().take(10).collect::<String>();
    let team = short(&results.team.name);
    let baseline = results.baseline.as_ref().map_or_else(String::new, |baseline| short(&baseline.name));
    for row in &results.questions {
        put(&mut out, &row.id, &team, &cells(row, &row.team));
        if let Some(answer) = &row.baseline {
            put(&mut out, "", &baseline, &cells(row, answer));
        }
    }
    put(&mut out, "all (means and sums)", &team, &total_cells(&results.totals()));
    if let Some(totals) = results.baseline_totals() {
        put(&mut out, "", &baseline, &total_cells(&totals));
    }
    let mut say = |text: &str| {
        let _ = writeln!(out, "{text}");
    };
    say(&format!("\nteam: {}", results.team.in_words()));
    if let Some(baseline) = &results.baseline {
        say(&format!("baseline: {}", baseline.in_words()));
    }
    if let (Some(judge), Some(totals)) = (&results.judge, results.judged_totals()) {
        say(&format!("\njudge {} by the rubric {}, against {}:", judge.model, judge.rubric, judge.opponent));
        for row in &results.questions {
            let Some(judged) = &row.judged else { continue };
            let why: String = judged.reason().chars().take(90).collect();
            say(&format!("  {:<24} {:<28} {why}", row.id, judged.winner.in_words()));
        }
        say(&format!("  {}", totals.in_words()));
        judge.notes.iter().for_each(|note| say(&format!("  {note}")));
    }
    let gaps = results.gaps();
    if !gaps.is_empty() {
        say(&format!("\nnot whole: {}", gaps.join("; ")));
    }
    if let Some(against) = against {
        say("");
        against.lines().iter().for_each(|line| say(line));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::Question;
    use run::Money;

    /// A question that the sources do not answer.
    fn unanswerable() -> Question {
        Question {
            id: "none".into(),
            sources: vec!["notes".into()],
            ask: "What is not there?".into(),
            topic: vec!["not".into()],
            unanswerable: true,
            facts: Vec::new(),
        }
    }

    #[test]
    fn a_run_that_was_stopped_does_not_rightly_say_that_there_is_nothing() {
        let question = unanswerable();
        for (end, outcome, says) in [
            (End::Partial, "out of budget: the token cap", "out of budget: the token cap"),
            (End::NothingFound, "nothing found", "says there is nothing"),
        ] {
            let team = Answer::without(&question, None, end, outcome);
            let row = Row::of(&question, team.clone());
            assert_eq!(cells(&row, &team)[9], says);
        }
    }

    #[test]
    fn passages_that_are_told_as_no_answer_are_none() {
        let question = unanswerable();
        for (end, says) in [
            (End::NothingFound, "says there is nothing, and what is closest"),
            (End::Done, "answers what cannot be answered"),
        ] {
            let mut team = Answer::without(&question, None, end, "nothing found");
            (team.measures.claims, team.measures.passed) = (2, true);
            let row = Row::of(&question, team.clone());
            assert_eq!(cells(&row, &team)[9], says);
        }
    }

    #[test]
    fn calls_in_doubt_are_told_beside_the_cost_and_compared_with_it() {
        let question = unanswerable();
        let answer = Answer::without(&question, None, End::Failed, "failed");
        let doubtful = Answer { cost: Money::micros(50_000), in_doubt: Money::micros(350_000), ..answer.clone() };
        let row = Row::of(&question, doubtful.clone());
        assert_eq!(cells(&row, &doubtful)[4], "$0.050 (+ $0.35 in doubt)");
        let totals = Totals::of([(&doubtful, true), (&answer, true)].into_iter());
        assert_eq!(total_cells(&totals)[4], "$0.050 (+ $0.35 in doubt)");
        assert_eq!(totals.cost_at_most(), Money::micros(400_000));
        assert_eq!(total_cells(&Totals::of([(&answer, true)].into_iter()))[4], "$0");
    }
}
