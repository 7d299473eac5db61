//! Runs of earlier evaluations in the journal: an equal run is reused, and not paid again.

use serde_json::json;

use crate::engine;
use crate::exit::Failure;
use crate::place::Places;
use run::event::Opening;
use run::{Outcome, Run, RunId, Team};
use text::sha256::{Sha256, hex};

/// A recorded run.
pub enum Recorded {
    /// Nothing.
    Nothing,
    /// An ended run, whose result is reused.
    Ended(Box<Run>),
    /// An open run, to be resumed.
    Open(RunId),
    /// An ended run whose result cannot be reused, with the reason.
    Anew(String),
}

/// A digest of everything that the result of a run depends on, without its caps and the numbers learnt later about its models.
pub fn digest(opening: &Opening) -> String {
    let plain = |team: &Team| {
        let mut team = team.clone();
        for model in team.members.values_mut().flat_map(|member| member.model.iter_mut().chain(&mut member.fallbacks)) {
            (model.density, model.rates) = Default::default();
        }
        team
    };
    let Opening { question, sources, web, words, team, version, briefs, .. } = opening;
    let all = json!([question, sources, web, words, plain(team), version, briefs]);
    hex(&Sha256::digest(all.to_string()))[..24].to_owned()
}

/// Finds the latest run with this digest. A run that a cap cut short counts only if its cap was at least the present
/// one.
///
/// # Errors
/// The journal cannot be read.
pub fn find(places: &Places, opening: &Opening, digest: &str) -> Result<Recorded, Failure> {
    let Some(reader) = places.journal().read()? else { return Ok(Recorded::Nothing) };
    let mut rows = reader.runs()?;
    rows.retain(|row| row.headline.question == opening.question.as_str());
    rows.sort_by_key(|row| std::cmp::Reverse(row.opened_at));
    for row in rows {
        let (run, _) = engine::load(&reader, &row.id)?;
        let part = run.opening.as_ref().and_then(|opening| opening.part_of_eval.as_ref());
        if part.is_some_and(|part| part.digest.as_str() == digest) {
            return Ok(standing(row.id, run, opening));
        }
    }
    Ok(Recorded::Nothing)
}

fn standing(id: RunId, run: Run, opening: &Opening) -> Recorded {
    let money = |limits: run::Limits| limits.money().map_or(u64::MAX, |money| money.0);
    let had = run.opening.as_ref().map_or(u64::MAX, |opening| money(opening.limits));
    match run.ended() {
        None => Recorded::Open(id),
        Some(Outcome::Failed(_) | Outcome::Cancelled) => Recorded::Anew(format!(
            "run {id} of it has no brief ({})",
            run.ended().map_or_else(String::new, ToString::to_string)
        )),
        Some(Outcome::Partial(_) | Outcome::OutOfBudget(_)) if had < money(opening.limits) => {
            Recorded::Anew(format!("run {id} of it fell short under a lower cap"))
        }
        Some(Outcome::Partial(_)) if opening.briefs.is_some() => {
            Recorded::Anew(format!("run {id} of it judged one order only"))
        }
        Some(_) => Recorded::Ended(Box::new(run)),
    }
}
