//! Compares a result with an earlier one: which questions got better or worse, and whether the total is worse than
//! tolerated.

use serde::Serialize;

use crate::results::{Answer, End, Results, Row, Totals};
use text::{Clean, count};

/// The tolerated loss over all questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tolerance {
    /// The tolerated fall of coverage, and rise of the off-topic share: 0.02 is two percentage points.
    pub share: f64,
    /// The tolerated rise in cost, as a fraction: 0.2 is a fifth. None: any.
    pub cost: Option<f64>,
    /// The same for the time per question.
    pub time: Option<f64>,
}

/// The reason why two results cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The questions differ.
    #[error(
        "it is of another set of questions ({then}), or its questions or facts have changed since: a comparison would say nothing. \
         Make it anew with this set ({now})"
    )]
    OtherSet { then: Clean, now: Clean },
    /// The requested lengths of the briefs differ.
    #[error(
        "its briefs were to have {then} words and these {now}, and a longer brief has more of the facts: --words {then} asks for the same"
    )]
    OtherLength { then: u32, now: u32 },
}

/// The change of one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Its name in the set.
    pub id: Clean,
    /// Whether it got better, worse, or neither.
    pub is: Is,
    /// The change, in words.
    pub what: String,
}

/// The direction of a change: by covered facts, and if those are equal by the off-topic share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Is {
    /// Better.
    Better,
    /// Worse.
    Worse,
    /// Neither.
    Same,
}

/// A comparison of a result with an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Against {
    /// The earlier result, as the person named it.
    pub earlier: Clean,
    /// The tolerated losses.
    pub tolerance: Tolerance,
    /// Differences in the setup: team, models, version.
    pub differs: Vec<String>,
    /// Each question that both results answer.
    pub questions: Vec<Change>,
    /// Losses beyond the tolerance.
    pub worse: Vec<String>,
    /// The earlier totals, over the questions that both answer.
    pub then: Totals,
    /// The totals now, over the same questions.
    pub now: Totals,
}

/// Compares a result with an earlier one.
///
/// # Errors
/// The question sets or the lengths of briefs differ.
pub fn against(now: &Results, then: &Results, earlier: Clean, tolerance: Tolerance) -> Result<Against, Refused> {
    comparable(then, &now.set.name, &now.set.digest, now.words)?;
    let pairs: Vec<(&Row, &Row)> = now
        .questions
        .iter()
        .filter_map(|row| Some((row, then.questions.iter().find(|then| then.id == row.id)?)))
        .filter(|(now, then)| now.team.counts() && then.team.counts())
        .collect();
    let totals = |of: for<'a> fn(&(&'a Row, &'a Row)) -> &'a Row| {
        let rows: Vec<&Row> = pairs.iter().map(of).collect();
        Totals::of(rows.iter().map(|row| (&row.team, row.unanswerable)))
    };
    let (new, old) = (totals(|(now, _)| now), totals(|(_, then)| then));
    let mut worse = Vec::new();
    // Sums of fractions are not exact.
    let over = |by: f64, most: f64| by > most + 1e-9;
    if over(old.coverage - new.coverage, tolerance.share) {
        worse.push(format!("coverage fell from {:.3} to {:.3}", old.coverage, new.coverage));
    }
    if over(new.off_topic - old.off_topic, tolerance.share) {
        worse.push(format!("the share off the topic rose from {:.3} to {:.3}", old.off_topic, new.off_topic));
    }
    let lost = pairs.iter().filter(|(now, then)| now.team.end == End::Failed && then.team.end != End::Failed);
    let lost: Vec<&str> = lost.map(|(now, _)| now.id.as_str()).collect();
    if !lost.is_empty() {
        worse.push(format!("{} had a brief and has none now: {}", count(lost.len(), "question"), lost.join(", ")));
    }
    if tolerance.cost.is_some_and(|most| over(new.cost_at_most().0 as f64, old.cost_at_most().0 as f64 * (1.0 + most)))
    {
        worse.push(format!("the cost rose from {} to {}", old.cost_in_words(), new.cost_in_words()));
    }
    if tolerance.time.is_some_and(|most| over(new.worked_ms as f64, old.worked_ms as f64 * (1.0 + most))) {
        worse.push(format!("the time of a question rose from {} ms to {} ms", old.worked_ms, new.worked_ms));
    }
    let questions = pairs.iter().map(|(now, then)| change(now, then)).collect();
    Ok(Against { earlier, tolerance, differs: differs(now, then), questions, worse, then: old, now: new })
}

/// Checks, before any question is asked, that an earlier result has this set and this length.
///
/// # Errors
/// The set or the length differs.
pub fn comparable(then: &Results, name: &Clean, digest: &Clean, words: u32) -> Result<(), Refused> {
    if then.set.digest != *digest {
        return Err(Refused::OtherSet { then: then.set.name.clone(), now: name.clone() });
    }
    if then.words != words {
        return Err(Refused::OtherLength { then: then.words, now: words });
    }
    Ok(())
}

fn differs(now: &Results, then: &Results) -> Vec<String> {
    let mut differs = Vec::new();
    if now.team != then.team {
        differs.push(format!("the team was {}, and is {}", then.team.in_words(), now.team.in_words()));
    }
    if now.program != then.program {
        differs.push(format!("the program was {}, and is {}", then.program, now.program));
    }
    differs
}

fn change(now: &Row, then: &Row) -> Change {
    let (covered, before) = (now.team.covered(), then.team.covered());
    let off = |answer: &Answer| {
        if answer.measures.claims == 0 { 0.0 } else { answer.measures.off_topic as f64 / answer.measures.claims as f64 }
    };
    let (off_now, off_then) = (off(&now.team), off(&then.team));
    // Without an answer in the sources, the right brief says so: it covers no facts.
    let by_facts = if now.unanswerable { std::cmp::Ordering::Equal } else { covered.good.cmp(&before.good) };
    let is = match (by_facts, off_then.partial_cmp(&off_now)) {
        (std::cmp::Ordering::Greater, _) | (std::cmp::Ordering::Equal, Some(std::cmp::Ordering::Greater)) => Is::Better,
        (std::cmp::Ordering::Less, _) | (std::cmp::Ordering::Equal, Some(std::cmp::Ordering::Less)) => Is::Worse,
        _ => Is::Same,
    };
    let mut what = Vec::new();
    if covered != before && !now.unanswerable {
        what.push(format!("facts {}/{} to {}/{}", before.good, before.all, covered.good, covered.all));
    }
    if (now.team.measures.off_topic, now.team.measures.claims)
        != (then.team.measures.off_topic, then.team.measures.claims)
    {
        let of = |answer: &Answer| format!("{}/{}", answer.measures.off_topic, answer.measures.claims);
        what.push(format!("off topic {} to {}", of(&then.team), of(&now.team)));
    }
    if now.team.end != then.team.end {
        what.push(format!("{} to {}", then.team.outcome, now.team.outcome));
    }
    Change { id: now.id.clone(), is, what: what.join("; ") }
}

impl Against {
    /// As lines: the differences in setup, the changed questions, and the losses beyond the tolerance.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("against {}, over {}:", self.earlier, count(self.questions.len(), "question"))];
        lines.extend(self.differs.iter().map(|difference| format!("  {difference}")));
        for (is, name) in [(Is::Better, "better"), (Is::Worse, "worse")] {
            let of = self.questions.iter().filter(|change| change.is == is);
            lines.extend(of.map(|change| format!("  {name:<7} {}  {}", change.id, change.what)));
        }
        let same = self.questions.iter().filter(|change| change.is == Is::Same).count();
        lines.push(format!("  same    {}", count(same, "question")));
        let (then, now) = (&self.then, &self.now);
        lines.push(format!(
            "  all     coverage {:.2} to {:.2}, off topic {:.2} to {:.2}, cost {} to {}, {:.1} s to {:.1} s a question",
            then.coverage,
            now.coverage,
            then.off_topic,
            now.off_topic,
            then.cost_in_words(),
            now.cost_in_words(),
            then.worked_ms as f64 / 1e3,
            now.worked_ms as f64 / 1e3
        ));
        match self.worse.is_empty() {
            true => lines.push("nothing is worse than is tolerated".into()),
            false => lines.extend(self.worse.iter().map(|loss| format!("worse than is tolerated: {loss}"))),
        }
        lines
    }
}
