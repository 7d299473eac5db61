//! Scores of briefs by rule as a table.

use std::fmt::Write as _;

use crate::score::{Score, Share};

/// The scores as a table: one line a question, and one for all.
pub fn table(scores: &[Score]) -> String {
    let mut out = String::new();
    let line = |out: &mut String, cells: [&str; 9]| {
        let _ = writeln!(
            out,
            "{:<24} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>7}  {}",
            cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]
        );
    };
    line(&mut out, ["question", "coverage", "off topic", "citations", "quotes", "support", "words", "ms", "verdict"]);
    let percent = |share: Share| format!("{:.0} %", 100.0 * share.fraction());
    let mut all = [Share::default(); 5];
    let mut words = 0;
    for score in scores {
        let shares = [score.covered(), score.on_topic(), score.citations, score.quotes, score.support];
        all.iter_mut().zip(shares).for_each(|(sum, share)| sum.add(share));
        words += score.words;
        let covered = if score.unanswerable { "–".into() } else { format!("{}/{}", shares[0].good, shares[0].all) };
        let off = format!("{}/{}", score.off_topic.len(), score.claims);
        let verdict = match (score.unanswerable, score.passed) {
            (true, _) if score.claims == 0 => "says there is nothing",
            (true, false) => "doubts its answer",
            (true, true) => "answers what cannot be answered",
            (false, true) => "PASS",
            (false, false) => "REVISE",
        };
        let shown = [percent(shares[2]), percent(shares[3]), percent(shares[4]), score.words.to_string()];
        let took = score.took_ms.to_string();
        line(&mut out, [&score.id, &covered, &off, &shown[0], &shown[1], &shown[2], &shown[3], &took, verdict]);
    }
    let answerable: Vec<&Score> = scores.iter().filter(|score| !score.unanswerable).collect();
    let mean = answerable.iter().map(|score| score.covered().fraction()).sum::<f64>() / answerable.len().max(1) as f64;
    let off = if all[1].all == 0 { 0.0 } else { 1.0 - all[1].fraction() };
    let shown = [
        format!("{mean:.2}"),
        format!("{off:.2}"),
        percent(all[2]),
        percent(all[3]),
        percent(all[4]),
        (words / scores.len().max(1)).to_string(),
        (scores.iter().map(|score| score.took_ms).sum::<u128>() / scores.len().max(1) as u128).to_string(),
    ];
    line(&mut out, ["all (mean)", &shown[0], &shown[1], &shown[2], &shown[3], &shown[4], &shown[5], &shown[6], ""]);
    out
}
